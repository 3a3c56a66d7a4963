// How two surfaces mix: the scalar counterpart of mix_surfaces in lane_source.h.
#ifndef PH_NARROW_MATERIALS_H
#define PH_NARROW_MATERIALS_H

#include "narrow/solver_manifold.h"

// Writes what the surfaces of a and b make to a manifold that has the radii of its pieces.
void ph_mix_surfaces(PhMixRule friction, PhMixRule restitution, const PhMaterial *a,
                     const PhMaterial *b, PhSolverManifold *manifold);

// Friction, restitution and coefficient of rolling resistance of proxies p and q, of which one has
// a sort: what the table says of their materials, else by a rule. A collider's own rule comes
// before the world's; of two, the one that is higher of max > multiply > min > average >
// geometric mean. The order is that of Unity's PhysicMaterialCombine (max first).
void ph_mix_sorts(const PhSurfaces *surfaces, uint32_t p, uint32_t q, float mixed[3]);

// As a kernel has it: products stay within float32.
float ph_surface_number(double x);

#endif
