// The time at which one of two moving pieces has to be stopped so that they do not pass through
// each other.
#ifndef PH_NARROW_TIME_OF_IMPACT_H
#define PH_NARROW_TIME_OF_IMPACT_H

#include <stdint.h>

#include "base/lengths.h"
#include "geometry/piece.h"
#include "geometry/sweep.h"

// The layer that may go in, as a part of the piece's width: an eighth, which is a quarter of the
// distance to its middle. Never more than PH_STOP_PART of how far the other piece reaches: else a
// post could pass through the layer.
#define PH_STOP_LAYER 0.125
#define PH_STOP_PART 0.25
static inline double ph_stop_layer(double width, const PhPiece *other, const PhLengths *lengths) {
    double most = ph_max(PH_STOP_PART * other->extent, lengths->thin_layer);
    return ph_min(PH_STOP_LAYER * width, most);
}

// The path of a body within a step: rigid motions one after the other, in each of which position
// and angle change evenly.
enum { PH_PATH_KNOTS = 8 };
typedef struct PhPathPose {
    PhVec2 center; // of the point that goes straight, world
    double angle;
} PhPathPose;
typedef struct PhPath {
    PhVec2 pivot; // that point in the body's frame
    int32_t count;
    double time[PH_PATH_KNOTS]; // fractions of the step, ascending, from 0 to 1
    PhPathPose knot[PH_PATH_KNOTS];
    PhRot turned[PH_PATH_KNOTS]; // by the angles of the knots
} PhPath;

// Turns of more than a few rounds are shortened by whole ones: every angle comes all the same, and
// the end is the same.
PhPath ph_path(PhVec2 pivot, PhPathPose start, PhPathPose end);
PhPath ph_path_at_rest(PhVec2 pivot, PhPathPose pose);
PhPathPose ph_path_pose(const PhPath *path, double time);
static inline void ph_path_move(PhPath *path, PhVec2 by) {
    for (int32_t k = 0; k < path->count; k++) {
        path->knot[k].center = ph_add(path->knot[k].center, by);
    }
}
// Forgets what comes after the time and goes straight on to `end` from there.
void ph_path_turn_off(PhPath *path, double time, PhPathPose end);
// Where a body that is at `pose` at that time ends when it goes on as if it were fixed to what
// follows the path.
PhPathPose ph_path_carry(const PhPath *path, double time, PhPathPose pose);
// The body's frame at a pose on the path, seen from an origin.
PhTransform ph_path_transform(const PhPath *path, PhPathPose pose, PhVec2 origin);
// A box of the piece along the path from a time on.
PhAabb ph_path_box(const PhPath *path, const PhPiece *piece, double from, const PhLengths *lengths);

// The first time from `from` on, not after `limit`, at which piece a has to be stopped, or
// infinity. That is where the pieces come as near as the stop distance, on paths on which the core
// of a would come into b later. What overlaps b with its core at the start goes free, and so does
// what comes to a one-sided piece from behind.
double ph_paths_meet(const PhPiece *a, const PhPath *path_a, const PhPiece *b, const PhPath *path_b,
                     double from, double limit, const PhLengths *lengths);
// The same without the short cuts to a no. For tests.
double ph_paths_meet_in_full(const PhPiece *a, const PhPath *path_a, const PhPiece *b,
                             const PhPath *path_b, double from, double limit,
                             const PhLengths *lengths);

#endif
