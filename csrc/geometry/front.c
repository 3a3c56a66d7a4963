// Owns the blocks of a front: an ordered list that is searched by halving and changed by moving
// part of one block. Invariant and bounds are in front.h.
#include "geometry/front.h"

#include <string.h>

#include "base/memory.h"

bool ph_front_make(PhFront *front, int32_t insertions) {
    int32_t capacity = 2 + insertions / (PH_FRONT_BLOCK / 2);
    int32_t *memory = ph_alloc((size_t)capacity, (PH_FRONT_BLOCK + 3) * sizeof(int32_t));
    if (!memory) {
        return false;
    }
    *front = (PhFront){.items = memory, .capacity = capacity};
    front->directory = memory + (size_t)capacity * PH_FRONT_BLOCK;
    front->sizes = front->directory + capacity;
    front->unused = front->sizes + capacity;
    ph_front_clear(front);
    return true;
}

void ph_front_free(PhFront *front) {
    ph_free(front->items);
    front->items = NULL;
}

void ph_front_clear(PhFront *front) {
    front->count = 1;
    front->directory[0] = 0;
    front->sizes[0] = 0;
    front->unused_count = 0;
    for (int32_t block = front->capacity - 1; block > 0; block--) {
        front->unused[front->unused_count++] = block;
    }
}

// Moves the upper half of a full block into another one after it.
static void split(PhFront *front, int32_t block) {
    enum { HALF = PH_FRONT_BLOCK / 2 };
    int32_t fresh = front->unused[--front->unused_count];
    int32_t *after = front->directory + block + 1;
    memmove(after + 1, after, (size_t)(front->count - block - 1) * sizeof *after);
    *after = fresh;
    front->count++;
    memcpy(front->items + (size_t)fresh * PH_FRONT_BLOCK, ph_front_block(front, block) + HALF,
           HALF * sizeof(int32_t));
    front->sizes[fresh] = HALF;
    front->sizes[front->directory[block]] = HALF;
}

PhPlace ph_front_insert(PhFront *front, PhPlace place, int32_t item) {
    if (ph_front_size(front, place.block) == PH_FRONT_BLOCK) {
        if (front->unused_count == 0) {
            return place;
        }
        split(front, place.block);
        int32_t size = ph_front_size(front, place.block);
        if (place.index > size) {
            place = (PhPlace){place.block + 1, place.index - size};
        }
    }
    int32_t *items = ph_front_block(front, place.block);
    int32_t *size = &front->sizes[front->directory[place.block]];
    memmove(items + place.index + 1, items + place.index,
            (size_t)(*size - place.index) * sizeof *items);
    items[place.index] = item;
    *size += 1;
    return place;
}

PhPlace ph_front_remove(PhFront *front, PhPlace place) {
    int32_t *items = ph_front_block(front, place.block);
    int32_t *size = &front->sizes[front->directory[place.block]];
    *size -= 1;
    memmove(items + place.index, items + place.index + 1,
            (size_t)(*size - place.index) * sizeof *items);
    bool last = place.block + 1 == front->count;
    if (*size > 0) {
        return place.index < *size || last ? place : (PhPlace){place.block + 1, 0};
    }
    if (front->count == 1) {
        return place;
    }
    int32_t *entry = front->directory + place.block;
    front->unused[front->unused_count++] = *entry;
    front->count--;
    memmove(entry, entry + 1, (size_t)(front->count - place.block) * sizeof *entry);
    if (!last) {
        return (PhPlace){place.block, 0};
    }
    return (PhPlace){place.block - 1, ph_front_size(front, place.block - 1)};
}
