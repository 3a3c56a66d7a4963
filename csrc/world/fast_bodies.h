// What continuous collision keeps of a world: fast bodies, what may be in their path, and scratch.
#ifndef PH_WORLD_FAST_BODIES_H
#define PH_WORLD_FAST_BODIES_H

#include "base/jobs.h"
#include "broad/bvh.h"
#include "broad/distance_grid.h"
#include "narrow/time_of_impact.h"
#include "world/step_trace.h"

// A fast dynamic body, in a step with fast bullets.
typedef struct PhFastBody {
    uint32_t slot, body,
        partner; // what it meets: a body that is not fast; a fast body, by its number
    PhVec2 body_shift, partner_shift; // of the images that it meets
    uint32_t body_proxy, partner_proxy,
        own_proxy; // the proxies that it meets them with; its own proxy that meets the partner
    bool bullet;
    PhPath path;
    PhAabb box;                     // of the path
    double body_time, partner_time; // times of impact; infinity: never
    bool stopped, settled;          // the path ends early; it does so by a dynamic body
    bool carried;                   // a fast kinematic body has met it
} PhFastBody;

// A bound of a body for continuous collision: the hull of (+-x, +-y), body frame, grown by the
// radius. The middle of the hull moves straight.
typedef struct PhHull {
    double x, y, radius; // radius: infinity where the origin is not the centre of mass
    double width;        // of the body's thinnest piece
} PhHull;

// Continuous collision (continuous.c): the fast bodies of a step, and what may be in their path.
// A body that has moved as no contact has predicted, and another one in which it has been for some
// time (PH_NULL: none).
typedef struct PhUnpredicted {
    double time;
    uint32_t slot, partner, tried; // tried: others that it was held against
} PhUnpredicted;

// A body that has lost some of its step.
typedef struct PhHalt {
    double lost;
    uint32_t slot;
} PhHalt;

typedef struct PhContinuous {
    // By slot.
    double (*start)[3]; // pose of the origin at the start of the step, of those that are listed
    double *reach;      // largest distance of a point of the body from its origin
    double *limit;      // displacement of a point in a step above which the body is fast
    PhHull *hull;
    uint8_t *listed;  // PH_LISTED_*; 0 between steps
    uint8_t *several; // pieces: PH_SEVERAL_*, see flush.h
    bool any_several; // a body has, or has had
    double *lost;     // fraction of the step that a body that was stopped has lost; 0 between steps
    uint32_t *fast;   // dynamic bodies that are fast, or in the way of a fast kinematic one
    atomic_uint fast_count;
    bool keeps_starts;       // start[] is filled for all that moves
    bool rush;               // a kinematic body was fast
    bool may_be_unpredicted; // bodies may move so in this step
    bool any_turned_far;     // a body turns far as the step begins
    bool settled;            // nothing but `fixed` is in the way: what is not near is not listed
    PhAabb bounds;           // of `fixed`, if settled
    uint32_t bullets;        // among the dynamic bodies
    uint32_t stopped;        // bodies, in the last step
    // Proxies of what stays, of moving kinematic bodies, of fast bodies; numbers of unpredicted[].
    PhBvh fixed, driven, fast_bodies, unpredicted_boxes;
    PhDistanceGrid distance_grid; // of the first
    PhBvhItem *item;              // scratch of building either
    uint32_t item_capacity;
    uint8_t fixed_state;   // PH_FIXED_*
    bool fixed_kinematic;  // kinematic bodies may be among it
    uint32_t driven_share; // moving kinematic pieces that a fast body compares its path with
    PhFastBody *fast_body;
    uint32_t fast_body_count, fast_body_capacity;
    PhHalt *halt;               // a heap: bodies whose neighbours have to be examined
    PhUnpredicted *unpredicted; // scratch of missed_impacts.c
    uint32_t halt_capacity, unpredicted_capacity;
    uint64_t impacts_left;   // pairs of pieces whose paths may still be compared in this step
    uint64_t box_tests_left; // pairs of boxes of two fast bodies that may still be compared
    PhFastRow *report;       // in a traced step: rows of the trace, in the order of fast[]
    uint32_t reported;
} PhContinuous;
enum { PH_FIXED_STALE, PH_FIXED_ROOM, PH_FIXED_BUILT }; // PH_FIXED_ROOM: there is room to build it
enum { PH_LISTED_FAST = 1, PH_LISTED_BULLET_PAIR, PH_LISTED_WAKES };

#endif
