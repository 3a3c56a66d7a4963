// How two surfaces mix: the scalar counterpart of mix_surfaces in lane_source.h.
#ifndef PH_NARROW_MATERIALS_H
#define PH_NARROW_MATERIALS_H

#include "narrow/record.h"

// Writes what the surfaces of a and b make to a record that has the radii of its pieces.
void ph_mix_surfaces(PhMixRule friction, PhMixRule restitution, const PhMaterial *a,
                     const PhMaterial *b, PhManifoldRecord *record);

#endif
