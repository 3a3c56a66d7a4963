// The lengths and speeds that are built in, as the unit of length of a world makes them. A world
// has one PhLengths, made once; code that decides by a length takes it from there.
//
// Invariant: with a unit that is a power of two each is exactly that much more than with a unit of
// 1, in float64 and in float32, so a scaled world gives the same bits.
#ifndef PH_BASE_LENGTHS_H
#define PH_BASE_LENGTHS_H

enum { PH_LENGTH_LANES = 8 };

// In float32, each eight times: lanes of any width take them from memory as they take constants.
typedef struct PhLaneLengths {
#define PH_LENGTH(name, value) _Alignas(32) float name[PH_LENGTH_LANES];
#include "base/length_list.h"
#undef PH_LENGTH
} PhLaneLengths;

typedef struct PhLengths {
#define PH_LENGTH(name, value) double name;
#include "base/length_list.h"
#undef PH_LENGTH
    PhLaneLengths lane;
} PhLengths;

PhLengths ph_lengths(double unit);
// Those of a unit of 1, for what belongs to no world.
extern const PhLengths ph_lengths_of_one;

#endif
