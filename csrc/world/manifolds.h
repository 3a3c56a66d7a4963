// The manifold of one pair, in double precision, and as the solver reads it.
#ifndef PH_WORLD_MANIFOLDS_H
#define PH_WORLD_MANIFOLDS_H

#include "world/internal.h"

// What the surfaces of two proxies make.
// Of now; the table lives until it is set again.
PhSurfaces ph_world_surfaces(const PhWorld *world);

void ph_mix_materials(const PhWorld *world, uint32_t p, uint32_t q, PhSolverManifold *solved);
// From which speed on an approach is told to events and to the solver.
double ph_noted_approach(const PhWorld *world);
// Makes what the solver reads of a pair from its manifold; gap: from the centre of a to that of b
// where the points are seen, after the time `later`, which is negative where something else comes
// first. Whether a point counts.
bool ph_write_manifold(PhWorld *world, const PhPairList *pairs, uint32_t k,
                       const PhManifold *manifold, PhVec2 gap, double later, double dt);
// Whether the pieces of a pair may have a contact: the grown boxes meet wherever one can be.
bool ph_pair_is_near(const PhWorld *world, const PhPairList *pairs, uint32_t k);
// The manifold of a pair with `piece` as its other one, written as the solver reads it; 0 when it
// has no point within the margin, else PH_ANSWER_*. A function of poses and velocities alone,
// whatever the predicted AABBs are.
uint8_t ph_find_manifold(PhWorld *world, const PhPairList *pairs, uint32_t k, const PhPiece *piece,
                         double dt);

#endif
