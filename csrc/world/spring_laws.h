// Springs whose force is a function of the caller's: spring_laws.c.
#ifndef PH_WORLD_SPRING_LAWS_H
#define PH_WORLD_SPRING_LAWS_H

#include "world/world.h"

typedef struct PhSpringRow {
    PhId joint;
    bool there, acts; // in this step: the joint lives; a body of it is awake
    double extension,
        rate;           // m or rad beyond where its spring rests, and per second; NaN: not there
    double force;       // N or N m, of what acts; positive lengthens or turns b on
    double lever[2][3]; // force and torque on a and b for each newton of it
} PhSpringRow;

// A law, and all joints that follow it. The memory is the caller's.
typedef struct PhSpringLaw {
    struct PhSpringLaw *next; // NULL: the last one
    PhSpringRow *row;
    uint32_t count;
} PhSpringLaw;

typedef struct PhSpringLaws {
    // Writes the forces of all rows that act. False: the step fails with PH_ERROR_STOPPED. The
    // world must not be touched.
    bool (*call)(void *context, PhSpringLaw *law);
    void *context;
    PhSpringLaw *first; // NULL: none
} PhSpringLaws;
// Each law is called in every step in which one of its joints acts, with the rows as they will be
// in the middle of the step.
void ph_world_set_spring_laws(PhWorld *world, PhSpringLaws laws);
// Whether the joint has a coordinate that a law can pull at; number: its place in the caller's
// list, for the message.
PhStatus ph_spring_law_check(const PhWorld *world, PhId joint, uint32_t number, PhError *error);
void ph_spring_law_wake(PhWorld *world, PhId joint); // its bodies; nothing if it is gone

// ------------------------------------------------------------------------------------------------
// inside of world/

PhStatus ph_spring_laws_ask(PhWorld *world, double dt);
// Turns what the laws have said into forces and torques of the live arrays. Never fails.
void ph_spring_laws_apply(PhWorld *world);

#endif
