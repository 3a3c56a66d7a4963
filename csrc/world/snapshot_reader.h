// The bytes of a snapshot and the place where they are read.
#ifndef PH_WORLD_SNAPSHOT_READER_H
#define PH_WORLD_SNAPSHOT_READER_H

#include <math.h>
#include <string.h>

#include "world/changes.h"
#include "world/snapshot_rows.h"

// The rows of a section that have not been read yet.
typedef struct SectionRows {
    const uint8_t *row; // NULL: there is no such section
    uint64_t count;
} SectionRows;

typedef struct Reader {
    const uint8_t *bytes;
    size_t size, at;
    PhError *error;
    uint32_t version;
    const uint8_t *slots, *colliders, *bodies; // generations of the first two, rows of bodies
    SectionRows section[SECTION_COUNT]; // of those with rows of bodies, colliders and the like
} Reader;

static inline PhStatus refuse(const Reader *reader, const char *what) {
    return ph_fail(reader->error, PH_ERROR_VALUE, "the snapshot is damaged: %s", what);
}

// Whether the bytes that are left hold that many rows of that size.
static inline bool has(const Reader *reader, uint64_t count, size_t size) {
    return count <= (reader->size - reader->at) / size;
}

// Only after has().
static inline void get(Reader *reader, void *row, size_t size) {
    if (size) { // memcpy wants no NULL, even for no bytes
        memcpy(row, reader->bytes + reader->at, size);
    }
    reader->at += size;
}

static inline bool take(Reader *reader, void *row, size_t size) {
    bool there = has(reader, 1, size);
    if (there) {
        get(reader, row, size);
    }
    return there;
}

// Only where there are that many rows.
static inline void pass_rows(SectionRows *rows, uint64_t count, size_t size) {
    rows->row += count * size;
    rows->count -= count;
}

static inline bool is_flag(uint8_t value) {
    return value <= 1;
}

static inline bool is_number(double value) {
    return fabs(value) <= 1e300;
}

// Whether no value is larger than `most`, with either sign. As bits without the sign, infinity and
// NaN are larger than all other numbers, so that adding the difference to the sign bit sets it for
// them. So the tens of numbers of a body cost few instructions and no branch.
// values: doubles, wherever they lie.
static inline bool are_within(const void *values, int count, double most) {
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t limit, over = 0;
    memcpy(&limit, &most, sizeof limit);
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, (const char *)values + (size_t)i * sizeof bits, sizeof bits);
        over |= (bits & ~sign) + (sign - 1 - limit);
    }
    return !(over & sign);
}

// The same as is_number() of all values.
static inline bool are_numbers(const void *values, int count) {
    return are_within(values, count, 1e300);
}

// Whether the generations of the places of a table are there.
static inline bool has_generations(const Reader *reader, uint32_t limit) {
    return has(reader, limit, sizeof(uint32_t));
}

// Of a table that is there.
static inline uint32_t generation_of(const uint8_t *table, uint32_t place) {
    uint32_t generation;
    memcpy(&generation, table + (size_t)place * sizeof generation, sizeof generation);
    return generation;
}

// Only after has_generations().
static inline void get_generation(Reader *reader, PhWorld *world, uint32_t *generation) {
    get(reader, generation, sizeof *generation);
    ph_note_generation(world, *generation);
}

// snapshot_sections.c: makes a world of the settings, without bodies, and notes where the rows of
// the sections are. heir: see ph_world_from_snapshot.
PhWorld *ph_snapshot_settings(Reader *reader, SettingsRow *row, int32_t workers, PhWorld *heir);
// The surfaces of a collider whose chain has `count` segments, if the next rows belong to it: a
// reference, or NULL.
PhStatus ph_snapshot_segments(Reader *reader, uint32_t collider, uint32_t count,
                              PhSegments **segments);
// snapshot_bodies.c, in this order: makes room for bodies and, when shapes are known, for
// colliders, and then makes all of them.
PhStatus ph_snapshot_slots(Reader *reader, PhWorld *world, const SettingsRow *settings);
PhStatus ph_snapshot_colliders(Reader *reader, PhWorld *world, const SettingsRow *settings,
                               PhShape *const *shapes);
PhStatus ph_snapshot_bodies(Reader *reader, PhWorld *world, const SettingsRow *settings,
                            PhShape *const *shapes);
// Note where the rows are, if they are there: generations and rows of bodies; behind them, those of
// colliders, whose rows come next.
bool ph_snapshot_find_bodies(Reader *reader, const SettingsRow *settings);
bool ph_snapshot_find_colliders(Reader *reader, const SettingsRow *settings);
// Whether rings of sleepers are closed and contain only sleepers, by rows whose slots are in range.
// entered: by slot, zeros.
bool ph_snapshot_are_rings(const Reader *reader, const SettingsRow *settings, uint8_t *entered);
// Whether nothing in a row would be refused, and its numbers are far within all of their ranges.
// Others are looked at one by one.
bool ph_snapshot_is_plain_body(const BodyRowInPlace *row);
// What a row says of a body that is there: its pose and velocity; its target; and, when it has its
// role, what the world knows of it beside its definition.
void ph_snapshot_set_motion(PhWorld *world, const BodyRowInPlace *row);
void ph_snapshot_set_target(PhWorld *world, const BodyRowInPlace *row);
void ph_snapshot_set_history(PhWorld *world, const BodyRowInPlace *row);
// snapshot_keep.c: instead of these, where the bodies of the snapshot are those of the heir, made
// in the same way, moves them to the world. Returns whether it did; if not, the reader is where it
// was.
bool ph_snapshot_take_bodies(Reader *reader, PhWorld *world, PhWorld *heir,
                             const SettingsRow *settings);
// Then either of the two: back to the heir, as they were; or, when all has been read, to where the
// snapshot has them.
void ph_snapshot_give_back_bodies(PhWorld *world, PhWorld *heir);
void ph_snapshot_move_bodies(const Reader *reader, PhWorld *world, PhWorld *heir,
                             const SettingsRow *settings);
// clone.c: brings the world to the state of another one, which was made to become it and whose
// memory it keeps for the next one. kept: the other has the world's own tables of bodies and
// colliders, and the live arrays are in their new state. On failure, which is for want of memory or
// for more slots than max_bodies, the other one lives.
PhStatus ph_world_become(PhWorld *world, PhWorld *other, bool kept, PhError *error);
PhStatus ph_snapshot_materials(Reader *reader, PhWorld *world); // the table that was noted
// Ids of the contacts of a world that has its pairs and what removed colliders ended.
PhStatus ph_snapshot_contact_ids(Reader *reader, PhWorld *world);

#endif
