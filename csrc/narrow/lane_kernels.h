// The table of lane kernels of the narrow phase, one per width.
//
// A kernel looks at the pairs that a list names and writes a manifold and an answer for each. All
// arrays but the list are by pair or by proxy.
#ifndef PH_NARROW_LANE_KERNELS_H
#define PH_NARROW_LANE_KERNELS_H

#include "math/simd_targets.h"
#include "narrow/lane_pieces.h"
#include "narrow/solver_manifold.h"

enum { // answers
    PH_ANSWER_APART,
    PH_ANSWER_NEAR, // the manifold holds at least one valid point
    // Only ph_collide can tell: corners that may pass each other, or a deepest vertex that no side
    // holds.
    PH_ANSWER_DOUBTFUL,
    PH_ANSWER_AHEAD, // not of kernels: near, but others may come first (world/ahead.h); bit 0 is
                     // set
    // The manifold is that of a corner that passes, as on a seam: apart, if something else holds
    // its
    // owner.
    PH_ANSWER_PASSES,
};

typedef struct PhLanePairs {
    const PhLanePiece *piece; // by proxy
    // By place in the list, or NULL: pieces in the place of a's, or of b's.
    PhLanePiece *window;
    bool window_is_b;
    const PhMaterial *material;    // by proxy
    bool one_material;             // all are equal, and none has a sort
    const PhSurfaces *surfaces;    // NULL: none has a sort
    const PhLaneRing *ring;        // by proxy; read for PH_LANE_RING_4 and _8
    const uint32_t *owner, *other; // proxies a and b, by pair
    PhSolverManifold *manifold;
    uint8_t *answer; // the cull and the kernels write those that they look at
    float *approach; // speed of the fastest point; written only when it is above `fast`
    float fast;
    // The time after which bodies are as the manifold has them; written of those, and where it is
    // not 0. May be NULL.
    float *later;
    bool any_fast;      // set when there is one
    uint32_t *doubtful; // pairs with that answer, in the order in which they were looked at
    uint32_t doubtful_count;
    // The same, but for those that a grazing kernel can tell, and their windows before all other
    // windows; NULL: they are among the others.
    uint32_t *grazing;
    uint32_t grazing_count;
    const PhLaneLengths *lengths;
    float dt, fall; // of the step: seconds, and the way that gravity may add, metres
    PhMixRule friction_rule, restitution_rule;
} PhLanePairs;

typedef void PhManifoldKernel(PhLanePairs *pairs, const uint32_t *list, uint32_t count);

typedef struct PhManifoldKernels {
    // Writes those of the list whose boxes come within their margin to `near`, which has room for
    // `count` + 8, in order. Returns their number. A bound: it loses no pair that has a manifold.
    // Answers PH_ANSWER_NEAR to them, PH_ANSWER_APART to the others.
    uint32_t (*cull)(const PhLanePairs *pairs, const uint32_t *list, uint32_t count,
                     uint32_t *near);
    // By the kinds of a and b; NULL where ph_collide must do.
    PhManifoldKernel *manifold[PH_LANE_KINDS][PH_LANE_KINDS];
    // Of a list of `grazing`, those that ph_collide need not look at get another answer than
    // doubtful, the rest is listed with the doubtful; NULL where ph_collide must do.
    PhManifoldKernel *grazing[PH_LANE_KINDS][PH_LANE_KINDS];
} PhManifoldKernels;

#define PH_DECLARE(target, runs) extern const PhManifoldKernels ph_manifolds_##target;
PH_SIMD_TARGETS(PH_DECLARE)
#undef PH_DECLARE

#endif
