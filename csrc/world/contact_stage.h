// What the stages of the narrow phase hand to each other: what was found among the pairs, and how a
// few of them are looked at.
#ifndef PH_WORLD_CONTACT_STAGE_H
#define PH_WORLD_CONTACT_STAGE_H

#include "world/internal.h"

enum {                       // next_active of a pair, beside the answers; bit 0: it is a contact
    PH_ANSWER_OFF = 0x10,    // in range, and switched off by the pre-solve hook
    PH_ANSWER_FROZEN = 0xff, // was not looked at
};

enum {                       // what was found among the pairs
    PH_FOUND_DIFFERENCE = 1, // one has come into range or left it
    PH_FOUND_SLEEPER = 2,    // a member of one may be woken
    PH_FOUND_AHEAD = 4,      // one will meet something fixed, perhaps behind others
    PH_FOUND_PASSING = 8,    // one may be a corner that passes
    PH_FOUND_FAST = 16,      // one has an approach that is noted
};

// Looks at the pairs of a list, of which no two are the same.
void ph_examine_pairs(PhWorld *world, const PhPairList *pairs, const uint32_t *list, uint32_t count,
                      double dt);

// ahead.c: what is left of pairs that are answered PH_ANSWER_PASSES or PH_ANSWER_AHEAD, once all
// pairs have been looked at. They return what was found, PH_FOUND_*.
//
// Corners that pass something fixed do so only where their owner is held by something else, as a
// ball that rolls over a seam is by the tile that it is on. What comes down on a seam is held by
// neither side: there both count, as far as they will be met.
unsigned ph_judge_passing(PhWorld *world, const PhPairList *pairs, double dt);
// Pairs that will meet something fixed, once all that their owners will meet is known: what lies
// behind what comes first, as the next tile of a floor, counts as the owner goes on from there.
// What comes first is the same whatever becomes of others.
unsigned ph_judge_ahead(PhWorld *world, const PhPairList *pairs, double dt);

// sleep.c
// Wakes the sleepers of the pairs in range.
void ph_wake_in_range(PhWorld *world, const PhPairList *pairs);
// All that is to wake because others have: in rings around these, each pair examined once. What is
// found of the pairs counts for this alone where they are not those of the step. There must be room
// for them.
PhStatus ph_spread_waking(PhWorld *world, const PhPairList *pairs, double dt);

#endif
