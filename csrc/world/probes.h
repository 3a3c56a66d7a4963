// What the questions with shapes share: reading a row, and room for rounding.
#ifndef PH_WORLD_PROBES_H
#define PH_WORLD_PROBES_H

#include "world/internal.h"
#include "world/queries.h"

enum { PH_PROBE_CHUNK = 16 }; // rows that a worker takes at once

static inline const PhShape *ph_probe_shape(const PhProbes *probes, uint32_t i) {
    return probes->shape[(size_t)i * probes->shape_step];
}
static inline const double *ph_probe_pose(const PhProbes *probes, uint32_t i) {
    return probes->pose + (size_t)i * probes->pose_step * (probes->shape ? 3 : 2);
}

static inline PhVec2 ph_probe_displacement(const PhProbes *probes, uint32_t i) {
    if (probes->end) {
        const double *end = probes->end + (size_t)i * probes->end_step * 3;
        const double *pose = ph_probe_pose(probes, i);
        return ph_vec(end[0] - pose[0], end[1] - pose[1]);
    }
    if (probes->translation) {
        const double *displacement = probes->translation + (size_t)i * probes->translation_step * 2;
        return ph_vec(displacement[0], displacement[1]);
    }
    return ph_vec(0, 0);
}

static inline double ph_span(PhAabb box) {
    return ph_max(ph_max(fabs(box.lower.x), fabs(box.upper.x)),
                  ph_max(fabs(box.lower.y), fabs(box.upper.y)));
}
// More than coordinates of that size, and distances between them, can be wrong by rounding: boxes
// are grown by it, so that they never leave out what exact questions find.
static inline double ph_slack(double size) {
    return 1e-12 + 1e-14 * size;
}

// The frame for a collider's piece and the asker has its origin at the collider's body, as in
// geometry's functions.
static inline PhTransform ph_seen_from(PhVec2 origin, PhTransform pose) {
    return (PhTransform){ph_sub(pose.p, origin), pose.q};
}

// Whether the circles about two pieces are certainly further apart than `reach`.
static inline bool ph_circles_apart(const PhPiece *a, PhTransform ta, const PhPiece *b,
                                    PhTransform tb, double reach) {
    PhVec2 offset = ph_sub(ph_apply(tb, b->centroid), ph_apply(ta, a->centroid));
    double most = a->extent + b->extent + reach;
    return ph_length_squared(offset) > most * most * (1 + 1e-9);
}

// Makes ready for so many questions: sees what has moved, and builds the index if that many more
// make it worth while.
PhStatus ph_probe_index(PhWorld *world, uint32_t rows, PhError *error);
// Whether the index answers a question about what reaches that far from a place and is displaced so
// far; else the query tree does.
bool ph_probe_is_held(const PhWorld *world, PhVec2 place, double reach, PhVec2 displacement);
// The same for a row of probes that reach `beyond` further than their shapes.
bool ph_probe_row_is_held(const PhWorld *world, const PhProbes *probes, uint32_t i, double beyond);
// Makes ready for rows of probes, and brings the query tree up to date if it is needed.
PhStatus ph_probe_prepare(PhWorld *world, const PhProbes *probes, uint32_t first, uint32_t count,
                          double beyond, PhError *error);

typedef double PhProbeVisit(void *context, uint32_t proxy);
// Calls the visitor for all pieces whose boxes are within a distance of a box, nearest first; it
// returns the distance that still counts.
void ph_probe_near(const PhWorld *world, bool held, PhAabb box, double most, PhProbeVisit *visit,
                   void *context);
// The same for those that a moving box meets; it returns the fraction of the displacement that
// still counts.
void ph_probe_sweep(const PhWorld *world, bool held, PhAabb box, PhVec2 displacement, double most,
                    PhProbeVisit *visit, void *context);

typedef void PhProbeAnswer(void *context, uint32_t row);
// Has rows 0 to `rows` - 1 answered by workers, PH_PROBE_CHUNK of them in order by each at once.
// When the world's stop is wanted it leaves out what is left: no answer is read then.
void ph_probe_run(PhWorld *world, PhProbeAnswer *answer, void *context, uint32_t rows);

// The boxes of all pieces of enabled bodies, and their proxies, from ph_alloc: also on failure, in
// which they may be NULL.
PhStatus ph_list_targets(const PhWorld *world, PhAabb **box, uint32_t **proxy, uint32_t *count);

#endif
