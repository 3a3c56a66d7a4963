// Marks the contacts that an impact concerns: those of the bodies that it moved. Only these can
// have the next impact in the substep, and only their gaps have changed.
//
// An *end* is one body of a contact. Its number is built of the lane, times 2, plus 0 for a and 1
// for b; all times 2, plus 1 in overflow colors. The ends of a solver body are a linked list:
// arrays->first_end, then next_end of the end's wide contacts, up to PH_NULL. A batch lists its
// ends once a step, at its first impact. Marks, by wide contact: `waits` to be examined for
// impacts; `moved` in this substep. One thread uses all of them.
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

// Wide contacts of a batch that have met in one sweep; those of overflow colors apart.
typedef struct PhMetList {
    PhMet *met[2];
    uint32_t count[2];
    uint32_t lanes; // in which they have
} PhMetList;

// An empty list for the batch.
PhMetList ph_impacts_no_met(const PhLayout *layout, const PhIslandBatch *batch);
// Adds the wide contacts first .. last - 1 of a color that have met, by parts.met.
void ph_impacts_add_met(const PhLayout *layout, const PhColor *color, uint32_t first, uint32_t last,
                        PhMetList *list);
// Makes parts.acts of the list: the lanes in parts.met that are the first ones of their moving
// bodies, or of the same moment, by parts.moments. The others are to be looked for again.
void ph_impacts_order(PhLayout *layout, const PhIslandBatch *batch, const PhMetList *list);
// Leaves in parts.acts the lanes that share a moving body with another one. Returns whether there
// are any.
bool ph_impacts_join(PhLayout *layout, const PhIslandBatch *batch, const PhMetList *list);

#endif
