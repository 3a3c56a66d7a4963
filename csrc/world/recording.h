// What a recording of a run keeps: frames, each a row of numbers with the state of all bodies, and
// the layout that says what lives in which slot meanwhile.
#ifndef PH_WORLD_RECORDING_H
#define PH_WORLD_RECORDING_H

#include "world/world.h"

// What does not move of the body in a slot. Equal rows, byte by byte, are the same body with the
// same shapes and mass, and colliders with the same filters.
typedef struct PhLayoutRow {
    uint64_t id, last_collider; // ids
    uint64_t version;           // sum of those of the colliders
    double mass, inertia;       // as in the live arrays
    double gravity_scale;
    double center[2]; // of mass, body frame
    int32_t kind;     // PhBodyKind; -1: no body, all else is 0
    int32_t collider_count;
} PhLayoutRow;

void ph_world_layout(const PhWorld *world, PhLayoutRow *rows); // slot_count of them

// Numbers before those of the slots: time, count of steps, gravity (x, y).
#define PH_FRAME_HEAD 4
// Numbers of a frame: the head; positions, angles, velocities, angular velocities by slot, NaN
// where no body is; a byte for each slot that says whether it is awake, and bytes up to a whole
// number.
uint64_t ph_frame_size(uint32_t slots);
void ph_world_frame(const PhWorld *world, double *frame);

// Ids of what is made later depend on it, and snapshots do not hold it: generations up to this one
// were given out before a restore.
uint32_t ph_world_generation_floor(const PhWorld *world);
void ph_world_set_generation_floor(PhWorld *world, uint32_t floor);

#endif
