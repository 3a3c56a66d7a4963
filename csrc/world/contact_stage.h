// What the stages of the narrow phase tell each other: what was found among the pairs, and how
// single pairs are examined.
#ifndef PH_WORLD_CONTACT_STAGE_H
#define PH_WORLD_CONTACT_STAGE_H

#include "world/internal.h"

enum {                       // next_active of a pair, beside the answers; bit 0: it is a contact
    PH_ANSWER_OFF = 0x10,    // in range, and switched off by the pre-solve hook
    PH_ANSWER_FROZEN = 0xff, // was not examined
};

enum {                       // what was found among the pairs
    PH_FOUND_DIFFERENCE = 1, // one has come into range or left it
    PH_FOUND_SLEEPER = 2,    // a member of one may have to wake
    PH_FOUND_AHEAD = 4,      // one will meet something fixed, perhaps after something else
    PH_FOUND_PASSING = 8,    // one may be a corner that passes another
    PH_FOUND_FAST = 16,      // one has a recorded approach
};

// Examines the pairs of a list, which has no pair twice.
void ph_examine_pairs(PhWorld *world, const PhPairList *pairs, const uint32_t *list, uint32_t count,
                      double dt);

// ahead.c: decides the pairs that are answered PH_ANSWER_PASSES or PH_ANSWER_AHEAD, once all pairs
// have been examined. Both functions return what was found, PH_FOUND_*.
//
// A corner passes a fixed one only if something else holds its owner. A ball that rolls from tile
// to tile is held by the tile below it. A body that lands on the line between two tiles is held by
// neither: there both count, as far as they will be met.
unsigned ph_judge_passing(PhWorld *world, const PhPairList *pairs, double dt);
// Decides pairs that will meet something fixed, once everything that their owners will meet is
// known. What lies behind the first impact, as the next tile of a floor, is judged by the owner's
// motion after that impact. The first impact does not depend on the others.
unsigned ph_judge_ahead(PhWorld *world, const PhPairList *pairs, double dt);

// sleep.c
// Wakes the sleepers of the pairs in range.
void ph_wake_in_range(PhWorld *world, const PhPairList *pairs);
// Wakes everything that has to wake because others have, in rings around these; each pair is
// examined once. If the pairs are not those of the step, what is found counts for waking alone.
// Memory for them must be reserved.
PhStatus ph_spread_waking(PhWorld *world, const PhPairList *pairs, double dt);

#endif
