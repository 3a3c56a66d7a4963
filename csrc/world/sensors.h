// Sensors: colliders that see others and touch nothing. What is in which, and what came and went.
//
// A sensor sees the colliders of other bodies that are no sensors, where the filters of both agree
// and both bodies are enabled. Whether two overlap is a matter of their poses alone
// (narrow/overlap.h); bodies of any kind, asleep or awake, are seen.
#ifndef PH_WORLD_SENSORS_H
#define PH_WORLD_SENSORS_H

#include "broad/aabb_tree.h"
#include "world/world.h"

typedef struct PhStir { // a body that moves, or was made, changed or placed since the last step
    uint32_t slot, generation;
    double angle;     // at the start of the step
    PhTransform from; // likewise
    bool moves;       // it is elsewhere at the end; in a wrapped world, not too often around
} PhStir;

typedef struct PhNear {       // a pair of pieces that may have met in the step
    uint32_t sensor, visitor; // colliders
    uint32_t sensor_proxy, visitor_proxy;
    PhVec2 shift; // of the image of the visitor that may have met the sensor
    bool inside;  // they overlap at the end
} PhNear;

// Visits are rows as events tell them: collider_b is in the sensor collider_a. Both lists are
// sorted by (collider_a, collider_b).
typedef struct PhSensors {
    uint32_t count; // colliders that are sensors

    // Visits at the end of the last step: those in which a body stirred, and those in which none
    // did, which cost a step nothing.
    PhContactEvent *visit, *rest;
    uint32_t visit_count, rest_count;
    bool dropped; // a collider was removed since the visits were examined

    // The step: what stirs, and what is near what.
    PhStir *stir;
    uint32_t stir_count;
    uint32_t *stir_of;    // by slot: place in stir and 1, or 0
    uint8_t *resides;     // by slot: is in a visit of `rest`
    PhNear *near, *spare; // spare: scratch
    uint32_t near_count;
    PhContactEvent *next; // scratch
    // A step was made, but there was no memory to examine it: done as soon as there is.
    bool due;
    int64_t due_step;
    int64_t rounds_left; // of searches for the time of impact, in this step

    // Where things are: a tree of the pieces of sensors, by their paths in the last step in which
    // they stirred, and one of the pieces of visitors that rest, kept while a sensor stirs. What
    // the latter says of those that move is out of date. Copies of a world grow their own.
    PhAabbTree sensors, visitors;
    uint32_t *leaf;     // by proxy, in the one or the other; PH_NULL: in none
    uint8_t *drifts;    // by proxy: may have left its box in `visitors`
    bool planted;       // every sensor is in its tree but for those that stir
    bool visitors_good; // all that rests was in its tree at lists_seen
    uint64_t lists_seen;
} PhSensors;

void ph_sensors_init(PhSensors *sensors, double margin); // of its trees, m
void ph_sensors_free(PhSensors *sensors);
// Makes *to, which is empty, equal to *from, but for the trees. Nothing is shared.
PhStatus ph_sensors_copy(PhSensors *to, const PhSensors *from);
uint64_t ph_sensors_hash(PhWorld *world, uint64_t hash);

// A collider was added; is about to be dropped; has another def.sensor than before.
void ph_sensors_add(PhWorld *world, uint32_t collider);
void ph_sensors_drop(PhWorld *world, uint32_t collider);
void ph_sensors_switch(PhWorld *world, uint32_t collider);
void ph_sensors_reshape(PhWorld *world, uint32_t collider); // before its shape becomes another

// Before a step changes anything, with all bodies where the step finds them: memory, and what
// stirs.
PhStatus ph_sensors_prepare(PhWorld *world);
// The path of a body that has moved began in another image: it was brought back into a wrapped
// world, or landed on a target over a periodic boundary.
void ph_sensors_shift(PhWorld *world, uint32_t slot, PhVec2 by);
// After all bodies were placed: tells what came and went. Cannot fail: see `due`.
void ph_sensors_finish(PhWorld *world);

#endif
