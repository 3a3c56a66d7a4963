// Ids of contacts: which two colliders touch, and the number of their contact.
//
// A contact lives while two colliders touch, from the event of its begin to that of its end. Its id
// is given out when it begins and never again; ids count up from 1 in the order of begins, so they
// are a function of what happened and of nothing else. Pairs of pieces do not know the ids: lists
// of pairs are made anew, sorted and patched without a thought for them.
#ifndef PH_WORLD_CONTACT_IDS_H
#define PH_WORLD_CONTACT_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "broad/aabb_tree.h"

typedef struct PhContactId {
    uint64_t id;
    uint32_t low, high; // colliders, by index; both PH_NULL: the contact has ended
} PhContactId;

typedef struct PhContactIds {
    PhContactId *row; // ascending by id
    uint32_t *place;  // hash table by colliders: 1 + number of the row, 0 where there is none
    uint32_t row_capacity, place_capacity;
    uint32_t count, living; // rows; those of contacts that have not ended
    uint32_t mask;          // places in use, less one; 0: none
    uint64_t last;          // id that was given out
} PhContactIds;

// Room for the begins of so many contacts.
PhStatus ph_contact_ids_reserve(PhContactIds *ids, uint64_t more);
// The id of a contact that begins, for which there is room. The colliders, in any order, have none.
uint64_t ph_contact_ids_begin(PhContactIds *ids, uint32_t a, uint32_t b);
// The id of a contact that ends; 0 where the colliders have none.
uint64_t ph_contact_ids_end(PhContactIds *ids, uint32_t a, uint32_t b);
// The row of the contact of two colliders, or of an id; PH_NULL where there is none.
uint32_t ph_contact_ids_row(const PhContactIds *ids, uint32_t a, uint32_t b);
uint32_t ph_contact_ids_find(const PhContactIds *ids, uint64_t id);
// The id of the contact of two colliders; 0 where there is none.
static inline uint64_t ph_contact_id(const PhContactIds *ids, uint32_t a, uint32_t b) {
    uint32_t row = ph_contact_ids_row(ids, a, b);
    return row == PH_NULL ? 0 : ids->row[row].id;
}

#endif
