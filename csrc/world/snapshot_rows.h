// The rows of a snapshot of a world, for the files that write and read them: as they lie in the
// bytes, without gaps, little endian. snapshot_write.c says what a snapshot is.
#ifndef PH_WORLD_SNAPSHOT_ROWS_H
#define PH_WORLD_SNAPSHOT_ROWS_H

#include "world/internal.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "snapshots are written as they lie in memory: little endian"
#endif

// 2: sections stand behind the settings. Where there are none it is 1, as it was before there were
// any.
enum { SNAPSHOT_PLAIN = 1, SNAPSHOT_VERSION = 2 };
#define SNAPSHOT_MAGIC "PH2DWRLD"

typedef struct Head {
    char magic[8];
    uint32_t version, unused;
    uint64_t size, checksum; // of all bytes; of those behind the head
} Head;

typedef struct SettingsRow {
    double gravity[2], wrap[2];
    double contact_hertz, contact_damping_ratio, contact_push_speed, joint_hertz,
        joint_damping_ratio, restitution_threshold, hit_event_threshold, max_speed,
        max_angular_speed, baumgarte, slop, positional_correction, time;
    uint64_t step_count;
    uint32_t substeps, workers, solver, broadphase, max_bodies, friction_rule, restitution_rule,
        iterations;
    uint8_t sleeping, continuous, warm_starting, accumulate, translate, unused[3];
    // Rows of each table, in their order.
    uint32_t shapes, slots, bodies, collider_limit, colliders, joint_limit, joints, inertias,
        field_limit, fields, pairs, visits, lost, touching;
    uint32_t counts[8];
} SettingsRow;

// What came later, and is written where it is not as it was before: a list of sections, each of
// rows of one size, that ends with one of no rows.
typedef struct SectionHead {
    uint32_t tag, row_size;
    uint64_t count;
} SectionHead;
enum {
    SECTION_END,
    SECTION_WORLD,
    SECTION_BODIES,
    SECTION_MATERIALS,
    SECTION_UNITS,
    SECTION_SEGMENTS,
    SECTION_CONTACT_IDS,
    SECTION_TUNINGS,
    SECTION_SUBSTEP,
    SECTION_COUNT
};

typedef struct WorldSection { // one row
    double linear_damping, angular_damping;
} WorldSection;

typedef struct UnitsSection { // one row
    double length_unit;
} UnitsSection;

// The last substep, where it was not 1/60 s divided by the substeps.
typedef struct SubstepSection { // one row
    double seconds;
} SubstepSection;

static inline double ph_usual_substep(const PhWorldDef *def) {
    return 1 / (60.0 * (def->substeps < 1 ? 1 : def->substeps));
}

typedef struct SegmentSection { // of a collider as many as its chain has; colliders as they come
    PhSegmentSurface surface;   // the number of the collider is in its unused word
} SegmentSection;

// The id that was given out last; those of the contacts that removed colliders ended, as many as
// there are such ends; and then the contacts that last, ascending by id. The first ones have no
// colliders: PH_NULL. Where there is no section, contacts have new ids.
typedef PhContactId ContactIdSection;

// Of joints that have a tuning of their own; ascending by joint. NaN: as the world.
typedef struct TuningSection {
    double hertz, damping_ratio;
    uint32_t joint, unused;
} TuningSection;

typedef struct __attribute__((may_alias)) BodySection { // ascending by slot
    double inertia, center[2], sleep_threshold;
    uint32_t slot, lock_joint;
    uint8_t has_center, locks, unused[6];
} BodySection;

// Whether a body has a row in that section.
static inline bool is_special(const PhBody *body) {
    return body->given.inertia > 0 || body->given.has_center || body->sleep_threshold >= 0 ||
           body->locks;
}

// Of pairs of materials, rows of as many as there are; there, with or without rows, where colliders
// have materials or rules.
typedef PhMaterialPair MaterialSection;

typedef struct __attribute__((may_alias)) BodyRow {
    double position[2], angle, velocity[2], angular_velocity, force[2], torque, center[2];
    double gravity_scale, linear_damping, angular_damping, mass_override, sleep_time;
    double rest_pose[3], rest_velocity[3];
    double target[2], target_angle, target_dt, target_velocity[2], target_spin;
    uint64_t shifted, limited;
    uint32_t slot, sleep_next, colliders, unused;
    uint8_t kind, awake, moved, last_awake, can_sleep, bullet, fixed_rotation, enabled, has_target,
        level, calm, jointed, pressed, zero[3];
} BodyRow;

typedef struct __attribute__((may_alias))
ColliderRow { // in the order of their bodies, and on a body as it has them
    double density, friction, restitution, rolling_resistance, tangent_speed;
    uint64_t category, mask;
    uint32_t index, shape, first_proxy;
    int32_t group;
    uint8_t sensor, pre_solve, friction_rule, restitution_rule;
    uint16_t material; // these three are 0 where there is no section of materials
    uint8_t unused[2];
} ColliderRow;

typedef struct ShapeRow { // its vertices follow, those of holes behind each other, and their
                          // numbers
    double radius;
    double area, centroid[2], inertia; // of a polygon that was shifted: as they were before
    uint32_t kind, loop, vertices, holes;
} ShapeRow;

enum { JOINT_ROW_VALUES = PH_JOINT_TUNED_HERTZ }; // those behind have a section

typedef struct JointRow {
    double anchor[2][2], axis[2], reference, value[JOINT_ROW_VALUES];
    double force[2], torque;
    float load[PH_JOINT_ROWS];
    uint32_t index, body[2], geared[2];
    uint8_t kind, collide_connected, state[PH_JOINT_ROWS];
    uint8_t paired; // of a motor joint: 1 where the numbers of a second spring count
    uint8_t unused[2];
} JointRow;

typedef struct InertiaRow {
    double inertia;
    uint32_t slot, unused;
} InertiaRow;

typedef struct FieldRow { // the points of its surface follow
    double value[PH_FIELD_VALUES], level;
    uint64_t mask;
    uint32_t index, kind, points, unused;
} FieldRow;

typedef struct PairRow {
    uint32_t owner, other, flags, unused;
    PhContactRecord record;
} PairRow;

// Rows of the long tables as they are read: in place, wherever they lie in the bytes. A copy costs
// more than its bytes, for numbers that were just stored by two stores are not loaded by one.
typedef BodySection BodySectionInPlace __attribute__((aligned(1)));
typedef BodyRow BodyRowInPlace __attribute__((aligned(1)));
typedef ColliderRow ColliderRowInPlace __attribute__((aligned(1)));

// snapshot_write.c: the row of a collider whose shape has that number; the rows of a body and of
// the k-th segment of a collider in their sections; whether these are the bytes of a shape.
ColliderRow ph_snapshot_collider_row(const PhWorld *world, uint32_t c, uint32_t shape);
BodySection ph_snapshot_body_section(const PhWorld *world, uint32_t i);
SegmentSection ph_snapshot_segment_section(const PhWorld *world, uint32_t c, uint32_t k);
bool ph_snapshot_is_shape(const PhShape *shape, const uint8_t *bytes, size_t size);

_Static_assert(sizeof(Head) == 32, "Head");
_Static_assert(sizeof(SettingsRow) == 18 * 8 + 8 * 4 + 8 + 22 * 4, "SettingsRow");
_Static_assert(sizeof(SectionHead) == 16, "SectionHead");
_Static_assert(sizeof(WorldSection) == 2 * 8, "WorldSection");
_Static_assert(sizeof(BodySection) == 6 * 8, "BodySection");
_Static_assert(sizeof(MaterialSection) == 3 * 8, "MaterialSection");
_Static_assert(sizeof(UnitsSection) == 8, "UnitsSection");
_Static_assert(sizeof(SegmentSection) == 4 * 8 + 2 * 4, "SegmentSection");
_Static_assert(sizeof(ContactIdSection) == 16, "ContactIdSection");
_Static_assert(sizeof(TuningSection) == 24, "TuningSection");
_Static_assert(sizeof(BodyRow) == 31 * 8 + 4 * 4 + 16, "BodyRow");
_Static_assert(sizeof(ColliderRow) == 7 * 8 + 4 * 4 + 8, "ColliderRow");
_Static_assert(sizeof(ShapeRow) == 56, "ShapeRow");
_Static_assert(sizeof(JointRow) == (10 + JOINT_ROW_VALUES) * 8 + 8 * 4 + 8, "JointRow");
_Static_assert(sizeof(FieldRow) == (2 + PH_FIELD_VALUES) * 8 + 16, "FieldRow");
_Static_assert(sizeof(PairRow) == 64 && sizeof(PhContactRecord) == 48, "PairRow");
_Static_assert(sizeof(PhContactEvent) == 56, "PhContactEvent");
// Of what is written field by field: code that adds to these has to say here whether the future
// depends on it.
_Static_assert(sizeof(PhBody) == 240, "a field of PhBody that snapshots do not know");
_Static_assert(sizeof(PhColliderDef) == 64 + 2 * sizeof(void *),
               "a field of PhColliderDef that snapshots do not know");
_Static_assert(PH_JOINT_VALUES == JOINT_ROW_VALUES + 2, "a number of joints, likewise");
_Static_assert(sizeof(PhWorldDef) == 200, "a setting that snapshots do not know");
_Static_assert(sizeof(PhSubstepLevel) == 4, "a field of PhSubstepLevel that snapshots do not know");

#endif
