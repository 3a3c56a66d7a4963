// Force fields: fluids, drag, wind, gravity of points. A kind is one file and one row of the table
// in fields.c; what a kind can be told is a list of named numbers, so that checks, keywords and
// properties are written once.
//
// A field acts in every step on every awake dynamic body, before the solver. It has no memory of
// its own: only its numbers shape the future. Fields never wake a body in a step; adding, removing
// and changing one wakes what it acts on.
#ifndef PH_WORLD_FIELDS_H
#define PH_WORLD_FIELDS_H

#include "geometry/submerge.h"
#include "world/world.h"

typedef enum PhFieldKind {
    PH_FIELD_FLUID,
    PH_FIELD_DRAG,
    PH_FIELD_WIND,
    PH_FIELD_POINT_GRAVITY,
    PH_FIELD_KIND_COUNT
} PhFieldKind;

#define PH_FIELD_VALUES 8
#define PH_FIELD_PARAMETERS 6
// Numbers of fields and coordinates of surfaces beyond this are refused.
#define PH_FIELD_MOST 1e15

typedef struct PhFieldParameter {
    const char *name;
    int32_t at;     // first of its values
    int32_t width;  // 1 a number, 2 a vector
    double least;   // smallest value allowed
    double initial; // when not given; NaN: must be given
    double most;    // largest value allowed; 0: PH_FIELD_MOST
    bool whole;     // a whole number
} PhFieldParameter;

typedef struct PhFieldKindInfo {
    const char *name;
    bool has_surface;
    PhFieldParameter parameters[PH_FIELD_PARAMETERS]; // up to the first without a name
} PhFieldKindInfo;

const PhFieldKindInfo *ph_field_kind(PhFieldKind kind);

typedef struct PhFieldDef {
    PhFieldKind kind;
    uint64_t mask; // acts on colliders with category & mask != 0, and on bodies that have one
    double value[PH_FIELD_VALUES];
    PhSurface surface; // borrowed; for kinds that have one
} PhFieldDef;

PhFieldDef ph_field_def(PhFieldKind kind); // mask all, initial values
// Whether x grows and all is in range; `name` is the argument in messages.
PhStatus ph_surface_check(const PhSurface *surface, const char *name, PhError *error);
PhStatus ph_field_create(PhWorld *world, const PhFieldDef *def, PhId *field, PhError *error);
PhStatus ph_field_destroy(PhWorld *world, PhId field, PhError *error);
// All numbers and the surface at once; the kind cannot change.
PhStatus ph_field_set(PhWorld *world, PhId field, const PhFieldDef *def, PhError *error);
bool ph_field_valid(const PhWorld *world, PhId field);

// Of a living index. The surface is borrowed until the field is changed.
PhFieldDef ph_field_get(const PhWorld *world, uint32_t index);
uint32_t ph_field_count(const PhWorld *world);
uint32_t ph_field_limit(const PhWorld *world); // indices are below this
bool ph_field_alive(const PhWorld *world, uint32_t index);
PhId ph_field_id(const PhWorld *world, uint32_t index); // generation of a living index

// ------------------------------------------------------------------------------------------------
// explosions

typedef struct PhExplosionDef {
    PhVec2 center;
    double radius, falloff; // m: all of the impulse up to radius, none from radius + falloff on
    double impulse;         // N s per metre of width; < 0: towards the centre
    uint64_t mask;
} PhExplosionDef;

typedef struct PhExplosionRow { // a row of what World.explode returns
    int32_t body, collider;
    double distance, point[2], impulse[2];
} PhExplosionRow;

// The solid colliders of enabled dynamic bodies that would be hit, by index; rows come from
// ph_alloc.
PhStatus ph_explosion_find(PhWorld *world, const PhExplosionDef *def, PhExplosionRow **rows,
                           uint32_t *count, PhError *error);
// Gives the impulses of rows just found, and wakes. Cannot fail.
void ph_explosion_apply(PhWorld *world, const PhExplosionRow *rows, uint32_t count);

// ------------------------------------------------------------------------------------------------
// inside of world/

typedef struct PhField {
    uint32_t generation;
    bool alive;
    PhFieldDef def;
    PhVec2 *points; // of def.surface, NULL when it is flat
    double top;     // highest point of the surface
} PhField;

typedef struct PhFields {
    PhField *field;
    uint32_t limit, count;
    // Scratch of a step, by slot: the sum of the impulses that contacts gave the body in the last
    // one.
    PhVec2 *support;
} PhFields;

// A zeroed PhFields is an empty one.
void ph_fields_free(PhFields *fields);
// Makes *to, which is empty, equal to *from. Nothing is shared.
PhStatus ph_fields_copy(PhFields *to, const PhFields *from);
uint64_t ph_fields_hash(const PhFields *fields, uint64_t hash);
// Memory for a step.
PhStatus ph_fields_reserve(PhWorld *world);
// Of a snapshot: the field at an index below the limit, whose generation is there. Wakes nothing.
PhStatus ph_field_place(PhWorld *world, uint32_t index, const PhFieldDef *def, PhError *error);
// Turns what the fields do to each awake dynamic body in a step of dt into forces and torques of
// the live arrays. Never fails, never allocates.
void ph_fields_apply(PhWorld *world, double dt);

// Resistance to motion: an area (or a point) that is dragged along by its surroundings. The force
// on it is rate (flow - v) at `center`, the torque about that point spin_rate (flow_spin - w).
typedef struct PhResistance {
    double rate, spin_rate; // N s/m, N m s
    PhVec2 center;          // from the centre of mass
    PhVec2 flow;            // velocity of the surroundings at the centre
    double twist;           // spin_rate flow_spin, N m
} PhResistance;

// Resistance that depends on the direction. With the motion V = (velocity of the centre of mass,
// spin) the force and the torque about that centre are (push, twist) - A V. A is symmetric and has
// no negative eigenvalue: xx to yy in N s/m, xs and ys in N s, ss in N m s.
typedef struct PhExposure {
    double xx, xy, yy, xs, ys, ss;
    PhVec2 push;
    double twist;
} PhExposure;

// A body as the fields see it, and what they do to it.
typedef struct PhFieldBody {
    const PhWorld *world;
    uint32_t slot;
    PhVec2 center;    // of mass: where forces of position are evaluated, see fields.c
    PhTransform pose; // of the body's frame, relative to that centre
    double dt;        // of the step
    PhVec2 velocity;  // at its start
    double spin;

    bool met; // a field acts on the body
    PhVec2 force;
    double torque; // about the centre of mass
    // Of force.y by rising and of torque by turning, as a quadratic form of (vertical speed, spin):
    // how fast the forces above fight a change of pose. N/m, N, N m
    double stiffness, stiffness_first, stiffness_second;
    PhResistance resistance;
    double clamped; // 1/s
    bool exposed;   // exposure is not zero
    PhExposure exposure;
} PhFieldBody;

void ph_resistance_add(PhResistance *sum, PhResistance more);
// The force k (air - v(r)) at the point r from the centre of mass, without the push of the air.
static inline void ph_exposure_add(PhExposure *sum, double k, PhVec2 r) {
    sum->xx += k;
    sum->yy += k;
    sum->xs -= k * r.y;
    sum->ys += k * r.x;
    sum->ss += k * ph_length_squared(r);
}
// The same of the velocities along the unit vector d alone.
static inline void ph_exposure_add_along(PhExposure *sum, double k, PhVec2 r, PhVec2 d) {
    double t = ph_cross(r, d);
    sum->xx += k * d.x * d.x;
    sum->xy += k * d.x * d.y;
    sum->yy += k * d.y * d.y;
    sum->xs += k * d.x * t;
    sum->ys += k * d.y * t;
    sum->ss += k * t * t;
}

// A row of the table. `act` adds to the body; `reaches` tells whether it would add anything where
// the body is.
typedef struct PhFieldRow {
    PhFieldKindInfo info;
    void (*act)(const PhField *field, PhFieldBody *body);
    bool (*reaches)(const PhField *field, const PhWorld *world, uint32_t slot);
} PhFieldRow;

extern const PhFieldRow ph_fluid_row, ph_drag_row, ph_wind_row, ph_point_gravity_row;

// Whether the body has a collider with category & mask != 0, or no collider at all.
bool ph_field_takes(const PhField *field, const PhWorld *world, uint32_t slot);

#endif
