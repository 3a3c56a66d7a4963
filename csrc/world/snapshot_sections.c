// Reads what stands behind the settings of a snapshot: settings that came later, rows of bodies
// that wait until their body is made, the table of pairs of materials.
//
// Invariant: as in snapshot_read.c.
#include "world/snapshot_reader.h"

PhStatus ph_snapshot_sections(Reader *reader, PhWorldDef *def) {
    for (uint32_t last = SECTION_END; reader->version > SNAPSHOT_PLAIN;) {
        SectionHead head;
        if (!take(reader, &head, sizeof head)) {
            return refuse(reader, "it ends early");
        }
        if (head.tag == SECTION_END) {
            return head.row_size || head.count ? refuse(reader, "its sections") : PH_OK;
        }
        const size_t size = head.tag == SECTION_WORLD       ? sizeof(WorldSection)
                            : head.tag == SECTION_BODIES    ? sizeof(BodySection)
                            : head.tag == SECTION_MATERIALS ? sizeof(MaterialSection)
                            : head.tag == SECTION_UNITS     ? sizeof(UnitsSection)
                            : head.tag == SECTION_SEGMENTS  ? sizeof(SegmentSection)
                                                            : 0;
        if (head.tag <= last || !size || head.row_size != size || !has(reader, head.count, size)) {
            return refuse(reader, "its sections");
        }
        last = head.tag;
        if ((head.tag == SECTION_WORLD || head.tag == SECTION_UNITS) && head.count != 1) {
            return refuse(reader, "its sections");
        }
        if (head.tag == SECTION_WORLD) {
            WorldSection row;
            get(reader, &row, sizeof row);
            def->linear_damping = row.linear_damping;
            def->angular_damping = row.angular_damping;
        } else if (head.tag == SECTION_UNITS) {
            UnitsSection row;
            get(reader, &row, sizeof row);
            def->length_unit = row.length_unit;
        } else {
            const bool bodies = head.tag == SECTION_BODIES, segments = head.tag == SECTION_SEGMENTS;
            *(bodies     ? &reader->given
              : segments ? &reader->segments
                         : &reader->pairs) = reader->bytes + reader->at;
            *(bodies     ? &reader->given_count
              : segments ? &reader->segment_count
                         : &reader->pair_count) = head.count;
            reader->at += (size_t)head.count * size;
        }
    }
    return PH_OK;
}

PhStatus ph_snapshot_segments(Reader *reader, uint32_t collider, uint32_t count,
                              PhSegments **segments) {
    *segments = NULL;
    SegmentSection row = {.surface.unused = PH_NULL};
    if (reader->segment_count) {
        memcpy(&row, reader->segments, sizeof row);
    }
    if (row.surface.unused != collider) {
        return PH_OK;
    }
    if (reader->segment_count < count) {
        return refuse(reader, "its segments");
    }
    PhSegmentSurface *surfaces = ph_alloc((size_t)count + 1, sizeof *surfaces);
    if (!surfaces) {
        return PH_ERROR_MEMORY;
    }
    bool good = true;
    for (uint32_t k = 0; k < count; k++) {
        memcpy(&surfaces[k], reader->segments + k * sizeof row, sizeof row);
        good &= surfaces[k].unused == collider;
    }
    PhError error = {.status = PH_OK};
    *segments = good ? ph_segments_create(surfaces, count, &error) : NULL;
    ph_free(surfaces);
    if (!*segments) {
        return error.status == PH_ERROR_MEMORY ? PH_ERROR_MEMORY : refuse(reader, "its segments");
    }
    reader->segments += count * sizeof row;
    reader->segment_count -= count;
    return PH_OK;
}

PhStatus ph_snapshot_materials(Reader *reader, PhWorld *world) {
    uint32_t count = 0;
    while ((uint64_t)count * count < reader->pair_count && count < PH_MAX_MATERIALS) {
        count++;
    }
    if ((uint64_t)count * count != reader->pair_count) {
        return refuse(reader, "its materials");
    }
    const size_t all = (size_t)reader->pair_count;
    PhMaterialPair *pairs = ph_alloc(all + 1, sizeof *pairs);
    if (!pairs) {
        return PH_ERROR_MEMORY;
    }
    if (all) {
        memcpy(pairs, reader->pairs, all * sizeof *pairs);
    }
    PhStatus status = ph_world_set_material_pairs(world, pairs, count, NULL);
    ph_free(pairs);
    return status == PH_ERROR_VALUE ? refuse(reader, "its materials") : status;
}
