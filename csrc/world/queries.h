// Questions with shapes: where a moving shape first touches something, what is nearest, what it
// overlaps; one question or thousands in a call. Rays, boxes and points are in world.h.
//
// Threads: the functions need no Python and divide their rows among the world's workers; no byte of
// an answer depends on that. Poses are the present ones. All numbers must be finite; PH_ERROR_VALUE
// stands for a mistake of the caller. Rows `first` .. `first + count` are answered, so that long
// calls can be divided into slices.
#ifndef PH_WORLD_QUERIES_H
#define PH_WORLD_QUERIES_H

#include "broad/bvh.h"
#include "world/world.h"

// Shapes at poses, row by row. A step of 0 repeats the first entry in all rows.
typedef struct PhProbes {
    const PhShape *const *shape; // NULL: points, which have poses of two numbers
    const double *pose;          // x, y, angle
    const double *end;           // pose at the end of the motion; or NULL
    const double *translation;   // x, y: the motion when there is no end
    uint32_t shape_step, pose_step, end_step, translation_step;
} PhProbes;

// Bodies that move at their velocities during a question, and the boxes that they sweep.
typedef struct PhMovingBodies {
    double time; // s; 0: everything stands still
    PhBvhItem *item;
    uint32_t *proxy; // by id of an item
    uint32_t count;
    PhBvh bvh;
} PhMovingBodies;
PhStatus ph_moving_bodies_make(PhWorld *world, double time, PhMovingBodies *moving, PhError *error);
void ph_moving_bodies_free(PhMovingBodies *moving);

// How a moving shape is tested against the world.
typedef struct PhCast {
    const PhMovingBodies *moving; // NULL: everything stands still
    double target; // m, >= 0: a hit is the moment at which the distance falls to this
    PhQueryFilter filter;
} PhCast;

// The first hit of each row, with the lowest collider among equals. The normal points out of the
// collider; it is zero if the two overlap at the start by more than their rounding radii. A piece
// of a chain is hit from its free side only, by pieces whose centroid is on that side at the hit.
PhStatus ph_world_cast_shapes(PhWorld *world, const PhProbes *probes, uint32_t first,
                              uint32_t count, const PhCast *cast, PhWorldRayHit *hits,
                              PhError *error);
// The same for bodies. They do not meet themselves, nor what they do not collide with. Without ends
// (x, y, angle) they move at their velocities for the time of the dynamic bodies. PH_ERROR_REMOVED.
typedef struct PhBodyProbes {
    const PhId *body;
    const double *end; // or NULL
    uint32_t end_step;
} PhBodyProbes;
PhStatus ph_world_cast_bodies(PhWorld *world, const PhBodyProbes *probes, uint32_t first,
                              uint32_t count, const PhCast *cast, PhWorldRayHit *hits,
                              PhError *error);

typedef struct PhNearRow {
    int32_t collider, body, piece; // -1: there is none
    int32_t unused;                // 0
    double distance, point[2];     // m; on the collider
    double normal[2];              // unit, from the collider to the shape; zero inside
} PhNearRow;
// The k nearest colliders of each row within a distance, sorted by distance, then by collider: k
// rows each, missing ones with NaN. Chains are plain lines.
PhStatus ph_world_nearest(PhWorld *world, const PhProbes *probes, uint32_t first, uint32_t count,
                          uint32_t k, double max_distance, PhQueryFilter filter, PhNearRow *rows,
                          PhError *error);

typedef struct PhOverlapRow {
    int32_t query, collider, body, piece, own_piece, count;
    double normal[2],
        depth; // unit, out of the collider; m: the displacement along it that separates the two
    double points[2][2]; // midway between the surfaces; NaN beyond `count`
    double separations[2];
} PhOverlapRow;
typedef struct PhOverlapList {
    PhOverlapRow *row; // from ph_alloc
    uint32_t count;
} PhOverlapList;
// Appends the manifolds of the rows with separations up to a margin (>= 0), sorted by query, then
// by collider. For each collider it gives the deepest pair of pieces, or all pairs by piece and own
// piece. Chains are one-sided as in contacts. On failure the list stays as it was.
PhStatus ph_world_overlaps(PhWorld *world, const PhProbes *probes, uint32_t first, uint32_t count,
                           double margin, bool all_pieces, PhQueryFilter filter,
                           PhOverlapList *list, PhError *error);

// The indices, ascending and from ph_alloc, of all colliders that pass the filter and have a piece
// whose own box meets a box, which may be infinite.
PhStatus ph_world_candidates(PhWorld *world, PhAabb box, PhQueryFilter filter, uint32_t **colliders,
                             uint32_t *count, PhError *error);

#endif
