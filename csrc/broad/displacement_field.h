// Predicted AABBs: where pairs of moving proxies are searched, and for how many steps they are
// valid.
//
// A predicted AABB moves with its body: in each step, by the displacement that the body had when
// the box was made. Two proxies are a pair when their boxes come within reach of each other in the
// steps for which both are valid. So pairs stay valid while each body keeps to its displacement.
// Only proxies that deviate from it (enlarged proxies) are examined again.
//
// A slow proxy keeps still (a displacement of zero, for as long as it stays inside). A proxy that
// moves with the others (PhDisplacementField) looks far ahead at little cost. A fast outlier does
// not look ahead at all. Where many are enlarged in every step all the same, as in a stirred heap,
// it is cheaper to find every pair anew for one step. Then only slow bodies look ahead
// (short-horizon mode); from time to time all do, to see whether the heap has become calmer. Fewer
// pairs are needed then: a long thin proxy has a slab (PhSlab), because its box contains much that
// it will not touch in this step.
//
// Source: lists of neighbours with a skin, L. Verlet, "Computer Experiments on Classical Fluids"
// (1967); with a lifetime per body instead of one for all, and in the frame of what moves.
#ifndef PH_BROAD_DISPLACEMENT_FIELD_H
#define PH_BROAD_DISPLACEMENT_FIELD_H

#include <math.h>

#include "broad/pairs.h"

enum { PH_LOOKAHEAD = 8 }; // the most steps for which pairs are found

// A predicted AABB is the near box and this fraction of its smaller side.
#define PH_PREDICTED_FRACTION 0.05
// A box looks ahead until it has gone this fraction of its size against the others.
#define PH_AHEAD_FRACTION 1.0
// When more of what moves (percent) is enlarged in so many steps on end, so many are taken in
// short-horizon mode. What falls together is enlarged together, but not in every step. Few cost
// little in either mode, and look ahead for longer.
enum {
    PH_RESTLESS_STEPS = 6,
    PH_SHORT_HORIZON_STEPS = 120,
    PH_SHORT_HORIZON_PERCENT = 20,
    PH_FEW = 1024,
    PH_SHORT_HORIZON_PERCENT_OF_FEW = 55
};

// What the displacements of all have in common: that of a body that goes and turns.
typedef struct PhDisplacementField {
    PhVec2 mean, middle;
    double spin;        // of a step, radians
    double share;       // 1 / (1 - spin over the lookahead), rounded up
    bool short_horizon; // only slow bodies look ahead
} PhDisplacementField;

// The turning field that is nearest to the displacements of what moves, of a sample that is enough.
PhDisplacementField ph_fit_displacements(const PhProxies *proxies);

// To be told once a step, when the enlarged proxies are known.
static inline void ph_note_enlarged(PhProxies *proxies) {
    const uint64_t enlarged_list = proxies->enlarged_count, moving = proxies->moving_count;
    bool many = 100 * enlarged_list > moving * (moving < PH_FEW ? PH_SHORT_HORIZON_PERCENT_OF_FEW
                                                                : PH_SHORT_HORIZON_PERCENT);
    if (proxies->short_horizon_steps > 0) {
        proxies->short_horizon_steps--;
        many = false; // all do, in short-horizon mode and when it is over
    }
    proxies->restless = many ? proxies->restless + 1 : 0;
    if (proxies->restless == PH_RESTLESS_STEPS) {
        proxies->restless = 0;
        proxies->short_horizon_steps = PH_SHORT_HORIZON_STEPS + 1;
    }
}
// Whether the boxes of this step are made in short-horizon mode. In the step after the last one of
// these all begin to look ahead again.
static inline bool ph_is_short_horizon(const PhProxies *proxies) {
    return proxies->short_horizon_steps > 1;
}

static inline PhVec2 ph_middle_of(PhAabb box) {
    return (PhVec2){0.5 * (box.lower.x + box.upper.x), 0.5 * (box.lower.y + box.upper.y)};
}

// The displacement that the field gives at some place in a step.
static inline PhVec2 ph_displacement_at(const PhDisplacementField *displacements, PhVec2 at) {
    double x = at.x - displacements->middle.x, y = at.y - displacements->middle.y;
    return (PhVec2){displacements->mean.x - displacements->spin * y,
                    displacements->mean.y + displacements->spin * x};
}

// A predicted AABB around the near box of what has the given displacement, which is so long, in a
// step.
static inline void ph_fatten(PhProxies *proxies, uint32_t proxy, PhAabb near, PhVec2 displacement,
                             double length, double limit,
                             const PhDisplacementField *displacements) {
    double width = near.upper.x - near.lower.x, height = near.upper.y - near.lower.y;
    double room = PH_PREDICTED_FRACTION * (width < height ? width : height),
           slack = proxies->displacement_slack;
    uint8_t left = PH_LEFT_FOREVER;
    if (length * PH_LOOKAHEAD <= room && length <= proxies->displacement_slack) {
        displacement.x = displacement.y = 0;
    } else if (displacements->short_horizon) {
        left = 0;
        room = slack = 0;
    } else {
        PhVec2 field = ph_displacement_at(displacements, ph_middle_of(near));
        double x = displacement.x - field.x, y = displacement.y - field.y;
        double steps = PH_AHEAD_FRACTION * 0.5 * (width + height) / sqrt(x * x + y * y);
        left = !(steps >= 1 && length < proxies->farthest_ahead) ? 0
               : steps < PH_LOOKAHEAD                            ? (uint8_t)steps
                                                                 : PH_LOOKAHEAD;
    }
    proxies->predicted[proxy] = ph_grow(near, room);
    proxies->reach[proxy] = (PhReach){displacement.x, displacement.y, slack, limit};
    proxies->left[proxy] = left;
}

#endif
