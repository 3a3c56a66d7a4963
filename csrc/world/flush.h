// Flush pieces of a floor as one: see flush.c.
#ifndef PH_WORLD_FLUSH_H
#define PH_WORLD_FLUSH_H

#include "world/internal.h"

enum {                   // of a body
    PH_SEVERAL = 1,      // it has more than one piece
    PH_SEVERAL_FLUSH = 2 // and two of them may be flush
};
// Whether two pieces of a body may be flush, or it has too many to tell.
bool ph_may_have_flush(const PhWorld *world, uint32_t slot);
// Before the pairs are examined: finds those that may have merged pieces, and reserves room for
// these.
PhStatus ph_flush_reserve(PhWorld *world);
// The merged pieces of the pairs that have been examined. first: none had one in this step before.
void ph_flush_find(PhWorld *world, bool first);
// What the owner of pair k meets: the merged piece that it leads, or its other piece.
const PhPiece *ph_flush_piece(const PhWorld *world, uint32_t k);
// Gives what the leads of merged pieces have found to their members.
void ph_flush_part(PhWorld *world);
// Before the flags of pairs change: what touches a member touches all.
void ph_flush_see_touch(PhWorld *world);
// Impulses go along from member to member with the points that had them, before and after the
// records of pairs that have come and gone are cleared.
void ph_flush_take(PhWorld *world);
void ph_flush_give(PhWorld *world);

#endif
