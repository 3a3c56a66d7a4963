// The bytes of a snapshot and the place where they are read.
#ifndef PH_WORLD_SNAPSHOT_READER_H
#define PH_WORLD_SNAPSHOT_READER_H

#include <string.h>

#include "world/snapshot_rows.h"

typedef struct Reader {
    const uint8_t *bytes;
    size_t size, at;
    PhError *error;
    uint32_t version;
    // Rows of the section of bodies that have not been looked at.
    const uint8_t *given;
    uint64_t given_count;
    const uint8_t *pairs; // of materials; NULL: no collider has any, or rules of its own
    uint64_t pair_count;
    const uint8_t *segments; // rows of surfaces that have not been looked at
    uint64_t segment_count;
} Reader;

static inline PhStatus refuse(const Reader *reader, const char *what) {
    return ph_fail(reader->error, PH_ERROR_VALUE, "the snapshot is damaged: %s", what);
}

// Whether there are so many rows of that size.
static inline bool has(const Reader *reader, uint64_t count, size_t size) {
    return count <= (reader->size - reader->at) / size;
}

// After has().
static inline void get(Reader *reader, void *row, size_t size) {
    if (size) { // there may be no place for nothing
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

static inline bool is_flag(uint8_t value) {
    return value <= 1;
}

// snapshot_sections.c: a world of the settings, without bodies, and a note of where the rows of the
// sections are. heir: see ph_world_from_snapshot.
PhWorld *ph_snapshot_settings(Reader *reader, SettingsRow *row, int32_t workers, PhWorld *heir);
// The surfaces of the segments of a collider whose chain has so many, if the next rows are its; a
// reference, or NULL.
PhStatus ph_snapshot_segments(Reader *reader, uint32_t collider, uint32_t count,
                              PhSegments **segments);
PhStatus ph_snapshot_materials(Reader *reader, PhWorld *world); // the table that was noted

#endif
