// The bytes of a snapshot and the place where they are read.
#ifndef PH_WORLD_SNAPSHOT_READER_H
#define PH_WORLD_SNAPSHOT_READER_H

#include <string.h>

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

// snapshot_sections.c: makes a world of the settings, without bodies, and notes where the rows of
// the sections are. heir: see ph_world_from_snapshot.
PhWorld *ph_snapshot_settings(Reader *reader, SettingsRow *row, int32_t workers, PhWorld *heir);
// The surfaces of a collider whose chain has `count` segments, if the next rows belong to it: a
// reference, or NULL.
PhStatus ph_snapshot_segments(Reader *reader, uint32_t collider, uint32_t count,
                              PhSegments **segments);
PhStatus ph_snapshot_materials(Reader *reader, PhWorld *world); // the table that was noted
// Ids of the contacts of a world that has its pairs and what removed colliders ended.
PhStatus ph_snapshot_contact_ids(Reader *reader, PhWorld *world);

#endif
