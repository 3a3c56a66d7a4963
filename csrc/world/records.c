// Owns the delayed parts of contact records, and brings them up to date.
//
// Invariant: the impulses of a contact are in its record or, while layout.behind, in the wide
// contacts of the layout. The age of a touching contact is that of its record plus the steps since
// `aged`; records of all other pairs have the whole age. So neither costs a contact anything in a
// step in which nothing changes. A step after whose layout every record is written writes ages as
// well. Code that reads a record calls ph_record or ph_record_of_impulses. A step settles the
// records before it replaces the list of pairs, that of contacts, or the layout.
#include "world/internal.h"

static void settle_ages(PhWorld *world) {
    const PhPairList *pairs = &world->broad.pairs;
    uint32_t passed = (uint32_t)(world->step_count - world->aged);
    for (uint32_t c = 0; passed && c < world->contacts.count; c++) {
        uint32_t k = world->contacts.pair[c];
        bool touches = pairs->flags[k] & PH_PAIR_TOUCHING;
        pairs->record[k].age = touches ? pairs->record[k].age + passed : 0;
    }
    world->aged = world->step_count;
}

void ph_start_age(PhWorld *world, uint32_t k) {
    world->broad.pairs.record[k].age = (uint32_t)(world->aged - (world->step_count + 1));
}

void ph_settle_records(PhWorld *world) {
    ph_soft_step_settle(&world->layout, &world->broad.pairs);
    settle_ages(world);
}
