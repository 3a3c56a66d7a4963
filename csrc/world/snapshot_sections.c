// Reads the settings of a snapshot and what stands behind them: settings that came later, rows of
// bodies that wait until their body is made, the table of pairs of materials, ids of contacts,
// tunings of joints.
//
// Invariant: as in snapshot_read.c.
#include "world/snapshot_reader.h"

static const uint32_t row_sizes[SECTION_COUNT] = {
    [SECTION_WORLD] = sizeof(WorldSection),        [SECTION_BODIES] = sizeof(BodySection),
    [SECTION_MATERIALS] = sizeof(MaterialSection), [SECTION_UNITS] = sizeof(UnitsSection),
    [SECTION_SEGMENTS] = sizeof(SegmentSection),   [SECTION_CONTACT_IDS] = sizeof(ContactIdSection),
    [SECTION_TUNINGS] = sizeof(TuningSection),     [SECTION_SUBSTEP] = sizeof(SubstepSection),
};

// Reads those of the settings and the last substep (else it stays as it is), and notes where the
// rows of the others are.
static PhStatus read_sections(Reader *reader, PhWorldDef *def, double *substep) {
    for (uint32_t last = SECTION_END; reader->version > SNAPSHOT_PLAIN;) {
        SectionHead head;
        if (!take(reader, &head, sizeof head)) {
            return refuse(reader, "it ends early");
        }
        if (head.tag == SECTION_END) {
            return head.row_size || head.count ? refuse(reader, "its sections") : PH_OK;
        }
        const bool single =
            head.tag == SECTION_WORLD || head.tag == SECTION_UNITS || head.tag == SECTION_SUBSTEP;
        if (head.tag <= last || head.tag >= SECTION_COUNT || head.row_size != row_sizes[head.tag] ||
            !has(reader, head.count, head.row_size) || (single && head.count != 1)) {
            return refuse(reader, "its sections");
        }
        last = head.tag;
        if (head.tag == SECTION_WORLD) {
            WorldSection row;
            get(reader, &row, sizeof row);
            def->linear_damping = row.linear_damping;
            def->angular_damping = row.angular_damping;
        } else if (head.tag == SECTION_UNITS) {
            UnitsSection row;
            get(reader, &row, sizeof row);
            def->length_unit = row.length_unit;
        } else if (head.tag == SECTION_SUBSTEP) {
            SubstepSection row;
            get(reader, &row, sizeof row);
            if (!(row.seconds >= 1e-13 && row.seconds <= 1)) {
                return refuse(reader, "its last substep");
            }
            *substep = row.seconds;
        } else {
            reader->section[head.tag] = (SectionRows){reader->bytes + reader->at, head.count};
            reader->at += (size_t)head.count * head.row_size;
        }
    }
    return PH_OK;
}

PhStatus ph_snapshot_segments(Reader *reader, uint32_t collider, uint32_t count,
                              PhSegments **segments) {
    *segments = NULL;
    SectionRows *rows = &reader->section[SECTION_SEGMENTS];
    SegmentSection row = {.surface.unused = PH_NULL};
    if (rows->count) {
        memcpy(&row, rows->row, sizeof row);
    }
    if (row.surface.unused != collider) {
        return PH_OK;
    }
    if (rows->count < count) {
        return refuse(reader, "its segments");
    }
    PhSegmentSurface *surfaces = ph_alloc((size_t)count + 1, sizeof *surfaces);
    if (!surfaces) {
        return PH_ERROR_MEMORY;
    }
    bool good = true;
    for (uint32_t k = 0; k < count; k++) {
        memcpy(&surfaces[k], rows->row + k * sizeof row, sizeof row);
        good &= surfaces[k].unused == collider;
    }
    PhError error = {.status = PH_OK};
    *segments = good ? ph_segments_create(surfaces, count, &error) : NULL;
    ph_free(surfaces);
    if (!*segments) {
        return error.status == PH_ERROR_MEMORY ? PH_ERROR_MEMORY : refuse(reader, "its segments");
    }
    pass_rows(rows, count, sizeof row);
    return PH_OK;
}

// The room that an heir has kept, where it is not far more than is asked for: much of it is
// cleared.
static PhWorld *room_of(const Reader *reader, PhWorld *heir) {
    enum { MOST = 8, FREE = 1 << 16 }; // of the bytes of a snapshot; bytes
    PhWorld *spare = heir ? heir->spare : NULL;
    if (spare && ph_world_room(spare) / MOST > reader->size + FREE) {
        ph_world_destroy(spare);
        spare = NULL;
    }
    if (heir) {
        heir->spare = NULL;
    }
    return spare;
}

PhWorld *ph_snapshot_settings(Reader *reader, SettingsRow *row, int32_t workers, PhWorld *heir) {
    if (!take(reader, row, sizeof *row)) {
        (void)refuse(reader, "it ends early");
        return NULL;
    }
    bool flags = is_flag(row->sleeping) && is_flag(row->continuous) &&
                 is_flag(row->warm_starting) && is_flag(row->accumulate) && is_flag(row->translate);
    bool known = row->solver <= PH_SEQUENTIAL_IMPULSES && row->broadphase <= PH_BROAD_ALL_PAIRS &&
                 row->friction_rule <= PH_MIX_MULTIPLY && row->restitution_rule <= PH_MIX_MULTIPLY;
    if (!flags || !known || row->substeps > 1024 || row->workers > 256 ||
        row->iterations > 1000000 || !(row->time >= 0 && row->time <= 1e300)) {
        (void)refuse(reader, "its settings");
        return NULL;
    }
    if (row->slots > row->max_bodies || !has(reader, row->slots, sizeof(uint32_t))) {
        (void)refuse(reader, "its number of slots");
        return NULL;
    }
    PhWorldDef def = {
        .length_unit = 1,
        .gravity = {row->gravity[0], row->gravity[1]},
        .wrap = {row->wrap[0], row->wrap[1]},
        .substeps = (int32_t)row->substeps,
        .workers = workers > 0 ? workers : (int32_t)row->workers,
        .solver = (PhSolverKind)row->solver,
        .broadphase = (PhBroadPhase)row->broadphase,
        .sleeping = row->sleeping,
        .continuous = row->continuous,
        .max_bodies = row->max_bodies,
        .friction_rule = (PhMixRule)row->friction_rule,
        .restitution_rule = (PhMixRule)row->restitution_rule,
        .contact_hertz = row->contact_hertz,
        .contact_damping_ratio = row->contact_damping_ratio,
        .contact_push_speed = row->contact_push_speed,
        .joint_hertz = row->joint_hertz,
        .joint_damping_ratio = row->joint_damping_ratio,
        .restitution_threshold = row->restitution_threshold,
        .hit_event_threshold = row->hit_event_threshold,
        .max_speed = row->max_speed,
        .max_angular_speed = row->max_angular_speed,
        .iterations = (int32_t)row->iterations,
        .baumgarte = row->baumgarte,
        .slop = row->slop,
        .positional_correction = row->positional_correction,
        .warm_starting = row->warm_starting,
        .accumulate = row->accumulate,
        .translate = row->translate,
    };
    double substep = ph_usual_substep(&def);
    if (read_sections(reader, &def, &substep)) {
        return NULL;
    }
    PhWorld *world =
        ph_world_create_for(&def, heir ? row->slots : 0, room_of(reader, heir), reader->error);
    if (world) {
        world->time = row->time;
        world->last_substep = substep;
        world->step_count = world->aged = row->step_count;
        world->collider_version = heir ? heir->collider_version : 0; // it gave out those up to it
        const uint32_t *c = row->counts;
        world->counts = (PhStepCounts){c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]};
    }
    return world;
}

PhStatus ph_snapshot_materials(Reader *reader, PhWorld *world) {
    const SectionRows *rows = &reader->section[SECTION_MATERIALS];
    uint32_t count = 0;
    while ((uint64_t)count * count < rows->count && count < PH_MAX_MATERIALS) {
        count++;
    }
    if ((uint64_t)count * count != rows->count) {
        return refuse(reader, "its materials");
    }
    const size_t all = (size_t)rows->count;
    PhMaterialPair *pairs = ph_alloc(all + 1, sizeof *pairs);
    if (!pairs) {
        return PH_ERROR_MEMORY;
    }
    if (all) {
        memcpy(pairs, rows->row, all * sizeof *pairs);
    }
    PhStatus status = ph_world_set_material_pairs(world, pairs, count, NULL);
    ph_free(pairs);
    return status == PH_ERROR_VALUE ? refuse(reader, "its materials") : status;
}

// ------------------------------------------------------------------------------------------------
// ids of contacts

// Of a snapshot that has none: by the order of what was lost, then of the pairs.
static PhStatus give_ids(PhWorld *world) {
    const PhPairList *pairs = &world->broad.pairs;
    const uint32_t *collider = world->proxies.collider;
    PhTouchEvent *lost = world->lost.rows;
    PhContactIds *ids = &world->contact_ids;
    if (ph_contact_ids_reserve(ids, pairs->count)) {
        return PH_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < world->lost.count; i++) {
        lost[i].id = ph_is_lost_again(world, i) ? 0 : ++ids->last;
    }
    for (uint32_t k = 0; k < pairs->count; k++) {
        uint32_t a = collider[pairs->owner[k]], b = collider[pairs->other[k]];
        if (pairs->flags[k] & PH_PAIR_TOUCHING && !ph_contact_id(ids, a, b)) {
            (void)ph_contact_ids_begin(ids, a, b);
        }
    }
    return PH_OK;
}

// Whether those that touch are those that have ids. seen: zeros, one for each of these.
static bool touch_by_ids(const PhWorld *world, uint8_t *seen) {
    const PhPairList *pairs = &world->broad.pairs;
    const PhContactIds *ids = &world->contact_ids;
    const uint32_t *collider = world->proxies.collider;
    uint32_t touching = 0;
    for (uint32_t k = 0; k < pairs->count; k++) {
        if (pairs->flags[k] & PH_PAIR_TOUCHING) {
            uint32_t row =
                ph_contact_ids_row(ids, collider[pairs->owner[k]], collider[pairs->other[k]]);
            if (row == PH_NULL) {
                return false;
            }
            touching += !seen[row];
            seen[row] = 1;
        }
    }
    return touching == ids->living;
}

PhStatus ph_snapshot_contact_ids(Reader *reader, PhWorld *world) {
    const SectionRows *rows = &reader->section[SECTION_CONTACT_IDS];
    if (!rows->row) {
        return give_ids(world);
    }
    PhContactIds *ids = &world->contact_ids;
    PhTouchEvent *lost = world->lost.rows;
    const uint64_t count = rows->count, first = 1 + (uint64_t)world->lost.count;
    ContactIdSection row;
    bool good = count >= first;
    if (good && ph_contact_ids_reserve(ids, count - first)) {
        return PH_ERROR_MEMORY;
    }
    uint64_t last = 0;
    for (uint64_t i = 0; good && i < count; i++) {
        memcpy(&row, rows->row + i * sizeof row, sizeof row);
        last = i == 0 ? row.id : last;
        good = row.id <= last && last <= INT64_MAX;
        if (i < first) {
            good = good && row.low == PH_NULL && row.high == PH_NULL;
            if (i > 0) {
                lost[i - 1].id = row.id;
            }
            continue;
        }
        good = good && row.id > ids->last && row.low < row.high &&
               row.high < world->collider_limit && !ph_contact_id(ids, row.low, row.high);
        if (good) {
            ids->last = row.id - 1;
            (void)ph_contact_ids_begin(ids, row.low, row.high);
        }
    }
    ids->last = last;
    uint8_t *seen = good ? ph_alloc((size_t)ids->count + 1, 1) : NULL;
    if (good && !seen) {
        return PH_ERROR_MEMORY;
    }
    good = good && touch_by_ids(world, seen);
    ph_free(seen);
    return good ? PH_OK : refuse(reader, "ids of contacts");
}
