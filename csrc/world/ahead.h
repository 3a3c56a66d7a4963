// Contacts ahead of time: when and where two separate pieces will meet in this step.
//
// A contact has one normal for a whole step. If two pieces touch, it is the present one. If they
// will meet, it has to be that of their impact; otherwise a body that passes by would be deflected
// as by a wall that is not there.
#ifndef PH_WORLD_AHEAD_H
#define PH_WORLD_AHEAD_H

#include "geometry/sweep.h"
#include "world/internal.h"

// The members of a pair and where they are, seen from the centre of mass of a.
typedef struct PhCouple {
    uint32_t a, b; // slots
    const PhPiece *piece_a, *piece_b;
    PhTransform ta, tb;
} PhCouple;

// Two moving pieces, seen from the centre of mass of a, which goes along. Before that, a
// part of the step may have passed, in which b has gone `before` against a, and both have turned.
typedef struct PhEncounter {
    const PhPiece *a, *b;
    PhSweep motion_a, motion_b;
    PhVec2 before;
    double turned_a, turned_b;
    PhVec2 sinks; // what gravity adds to the displacement of b against a
    double margin;
    double precision; // of the moment at which they meet, m
    const PhLengths *lengths;
} PhEncounter;

// Velocity of b less that of a at a point given from a's centre; gap: from there to b's centre.
PhVec2 ph_relative_velocity(const PhWorld *world, uint32_t a, uint32_t b, PhVec2 from_a,
                            PhVec2 gap);

// The motion of a step of `dt` as bodies move now. margin: separation up to which points count.
PhEncounter ph_encounter(const PhWorld *world, const PhCouple *couple, PhVec2 gap, double margin,
                         double dt);

// Whether the manifold of two that are apart is to be examined where they will meet: it would act
// in this step, and its points slide along the surfaces meanwhile.
bool ph_is_ahead(const PhWorld *world, const PhCouple *couple, const PhManifold *manifold,
                 PhVec2 gap, double dt);

// Whether joints may move one of two otherwise in this step than its velocity tells: a light body
// under a heavy one, which ropes and pins jerk about. If they are near, their contact stays,
// although they would not meet.
bool ph_are_laden(const PhWorld *world, uint32_t a, uint32_t b);

// Where two will touch, or nearly so: their manifold then, with the separations that they had along
// its normal at the start of the step. manifold: that of the start of the motion; gap: from the
// centre of a to that of b then. False when they will not.
bool ph_find_impact(const PhEncounter *encounter, PhManifold *manifold, PhVec2 *gap, double *part);

// Whether the pieces overlap by no more than the slop half way and at the end of the motion; later:
// receives the manifold at the end, or where they overlap by more.
bool ph_pass_by(const PhEncounter *encounter, double slop, PhManifold *later);

// By how much (metres) corners of two may overlap and count as passing.
double ph_slop_of(const PhWorld *world, const PhPiece *a, const PhPiece *b);

// Whether two corners only graze each other in this step. A contact acts along its
// present normal; between corners that pass, as on the seam of two tiles, that would be a wall
// where none is. They pass if the pieces overlap by less than the slop half way and at the end.
// Thin pieces have less slop, segments none; slow bodies are let alone. gap: from the centre of a
// to that of b.
//
// The same for a side that slides past a corner of what rests, if nothing or another side touches
// at the end of the step.
bool ph_corners_pass(const PhWorld *world, const PhCouple *couple, const PhManifold *manifold,
                     PhVec2 gap, double dt);

// A point of a contact as its manifold has it, from the centre of mass of the owner.
typedef struct PhImpact {
    PhVec2 point, normal;
    double time;  // parts of the step until it is met; infinity: it goes away
    double speed; // of approach
    double restitution, impulse;
} PhImpact;

// Where an owner meets in this step what no impact moves: the first of them, where they are more.
enum { PH_MOST_LISTED_IMPACTS = 256 };
typedef struct PhImpacts {
    uint32_t owner; // PH_NULL: to be listed
    int count;
    PhImpact impact[PH_MOST_LISTED_IMPACTS];
    uint32_t pair[PH_MOST_LISTED_IMPACTS];
} PhImpacts;

// Whether the owner of pair k meets something else in this step that no impact moves, or all but
// touches it.
bool ph_is_held(const PhWorld *world, const PhPairList *pairs, uint32_t k, double dt);

// The rest of a step of pair k, of which the owner meets something else before that no impact moves
// (a piece of a floor): from there on, as it goes after that impact, with its restitution and
// without friction. False where it meets nothing before. owners: kept from pair to pair.
bool ph_see_past(const PhWorld *world, const PhPairList *pairs, uint32_t k, double dt,
                 PhImpacts *owners, PhEncounter *out);

#endif
