// Which contacts of a batch an impact concerns: those of the bodies that it moved. Only they can
// meet next in the substep, and only their gaps are others than before.
//
// An *end* is a body of a contact: its lane, twice, plus 0 for a and 1 for b; twice that, plus 1
// in overflow colors, is its number. The ends of a solver body are a list: arrays->first_end, then
// next_end of the end's own wide contacts, up to PH_NULL. A batch lists its ends once a step, at
// its first impact. Marks, by wide contact: `waits` to be looked at for impacts, `moved` in this
// substep. All of that is one thread's.
#ifndef PH_SOLVE_IMPACT_SWEEPS_H
#define PH_SOLVE_IMPACT_SWEEPS_H

#include "solve/layout.h"

// Lists the ends of a batch, and takes away marks that are left.
void ph_impacts_begin(PhLayout *layout, const PhIslandBatch *batch);
// Marks the contacts of bodies that impacts have moved, by parts.met of the wide contacts first ..
// last - 1 of a color. Returns how many contacts have met; marked: is raised by how many marks that
// took.
uint32_t ph_impacts_spread(PhLayout *layout, const PhIslandBatch *batch, const PhColor *color,
                           uint32_t first, uint32_t last, uint32_t *marked);
// The next wide contact of the color, from `from` on, that is marked, and is marked no longer;
// marks: `waits` or `moved` of the color's wide contacts. PH_NULL: there is none.
uint32_t ph_impacts_next(uint8_t *marks, const PhColor *color, uint32_t from);

#endif
