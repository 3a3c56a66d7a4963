// Impacts and jams of what joints hold.
#ifndef PH_SOLVE_JOINTED_IMPACTS_H
#define PH_SOLVE_JOINTED_IMPACTS_H

#include "solve/layout.h"

static inline bool ph_has_joints(const PhSolverBodies *bodies) {
    return bodies->joints && bodies->joints->active;
}

// Names the islands of a new layout in which there are such.
void ph_impacts_find(PhLayout *layout, const PhContacts *contacts, const PhContactRecord *records,
                     const PhSolverBodies *bodies, const PhStepParameters *parameters);
// Names the islands in which jointed bodies are deep in each other.
void ph_entangled_find(const PhLayout *layout, const PhContacts *contacts,
                       const PhSolverBodies *bodies, const PhStepParameters *parameters);

#endif
