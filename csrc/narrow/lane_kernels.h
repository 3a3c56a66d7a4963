// The table of lane kernels of the narrow phase, one per width.
//
// A kernel examines the pairs of a list, and writes a manifold and an answer for each. All arrays
// but the list are indexed by pair or by proxy.
#ifndef PH_NARROW_LANE_KERNELS_H
#define PH_NARROW_LANE_KERNELS_H

#include "math/simd_targets.h"
#include "narrow/lane_pieces.h"
#include "narrow/solver_manifold.h"

enum { // answers
    PH_ANSWER_APART,
    PH_ANSWER_NEAR, // the manifold holds at least one valid point
    // Only ph_collide can decide: corners that may pass each other, or a deepest vertex that no
    // side holds.
    PH_ANSWER_DOUBTFUL,
    PH_ANSWER_AHEAD, // no answer of a kernel: near, but other impacts may come first
                     // (world/ahead.h); bit 0 is set
    // The manifold is that of a corner that may pass, as between flush tiles. It counts as apart if
    // something else holds its owner.
    PH_ANSWER_PASSES,
};

typedef struct PhLanePairs {
    const PhLanePiece *piece; // by proxy
    // Indexed by place in the list, or NULL: pieces that replace a's, or b's.
    PhLanePiece *window;
    bool window_is_b;
    const PhMaterial *material;    // by proxy
    bool one_material;             // all are equal, and none has rules or a number of its own
    const PhSurfaces *surfaces;    // NULL: no collider has a material or rules of its own
    const PhLaneRing *ring;        // by proxy; read for PH_LANE_RING_4 and _8
    const uint32_t *owner, *other; // proxies a and b, by pair
    PhSolverManifold *manifold;
    uint8_t *answer; // written by the cull and by kernels, for the pairs that they examine
    float *approach; // speed of the fastest point; written only when it is above `fast`
    float fast;
    // The time after which bodies are as the manifold shows them; written for those pairs, where it
    // is not 0. May be NULL.
    float *later;
    bool any_fast;      // set if there is such a pair
    uint32_t *doubtful; // pairs with that answer, in the order in which they were examined
    uint32_t doubtful_count;
    // Doubtful pairs that a grazing kernel can decide; their windows come before all other windows.
    // NULL: they are listed with the others.
    uint32_t *grazing;
    uint32_t grazing_count;
    const PhLaneLengths *lengths;
    float dt, fall; // of the step: seconds, and the displacement that gravity may add, metres
    bool spins;     // a body may spin so fast that its pairs look further ahead
    PhMixRule friction_rule, restitution_rule;
} PhLanePairs;

typedef void PhManifoldKernel(PhLanePairs *pairs, const uint32_t *list, uint32_t count);

typedef struct PhManifoldKernels {
    // Writes the pairs of the list whose boxes come within their margin to `near`, in order, and
    // returns their number. `near` has room for `count` + 8. The test is a bound: it loses no pair
    // that has a manifold. It answers PH_ANSWER_NEAR for these pairs and PH_ANSWER_APART for the
    // others.
    uint32_t (*cull)(const PhLanePairs *pairs, const uint32_t *list, uint32_t count,
                     uint32_t *near);
    // By the kinds of a and b; NULL where ph_collide has to do it.
    PhManifoldKernel *manifold[PH_LANE_KINDS][PH_LANE_KINDS];
    // Decides pairs of a list of `grazing`. Those that ph_collide need not examine get another
    // answer than doubtful; the others join the doubtful ones. NULL where ph_collide has to do it.
    PhManifoldKernel *grazing[PH_LANE_KINDS][PH_LANE_KINDS];
} PhManifoldKernels;

#define PH_DECLARE(target, runs) extern const PhManifoldKernels ph_manifolds_##target;
PH_SIMD_TARGETS(PH_DECLARE)
#undef PH_DECLARE

#endif
