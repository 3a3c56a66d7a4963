// Distance between two pieces: GJK (Gilbert, Johnson and Keerthi 1988) on the cores, radii taken
// off afterwards.
#ifndef PH_GEOMETRY_DISTANCE_H
#define PH_GEOMETRY_DISTANCE_H

#include "geometry/piece.h"

typedef struct PhDistance {
    double distance; // between the surfaces, 0 when they overlap
    PhVec2 point_a;  // closest points on the surfaces, common frame
    PhVec2 point_b;
    PhVec2 normal; // unit, from a to b; zero when the cores overlap
} PhDistance;

// Both transforms map into one common frame; choose it near the pieces, so that no digits are lost.
// Bounded iterations; any input, NaN included, returns. When the surfaces overlap, both points are
// one common point; the normal is still that of the cores while these are apart. A NaN or infinite
// input gives a distance that is NaN or meaningless, never a crash.
PhDistance ph_distance(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb);

// The same between the cores: radii count as 0.
PhDistance ph_core_distance(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb);

#define PH_GJK_ROUNDS 128

// The rounds of the walk as it goes. All vectors are in the common frame and belong to the
// difference of the cores, { x - y : x in a, y in b }.
typedef struct PhGjkRound {
    PhVec2 direction; // searched along, not of unit length
    PhVec2 support;   // vertex of the difference that lies furthest along it
    int32_t count;    // 1, 2, 3: of the simplex after the round
    PhVec2 simplex[3];
    PhVec2 closest; // point of the simplex nearest to the origin
    double distance;
} PhGjkRound;

typedef struct PhGjkRecorder {
    int32_t count;
    PhGjkRound round[PH_GJK_ROUNDS + 1];
} PhGjkRecorder;

// ph_core_distance with its working written down.
PhDistance ph_core_distance_recorded(const PhPiece *a, PhTransform ta, const PhPiece *b,
                                     PhTransform tb, PhGjkRecorder *recorder);

#endif
