// The one place where lengths that are built in are multiplied by a world's unit of length.
#include "base/lengths.h"

const PhLengths ph_lengths_of_one = {
#define PH_LENGTH(name, value) .name = (value),
#include "base/length_list.h"
#undef PH_LENGTH
    .lane = {
#define PH_LENGTH(name, value)                                                                     \
    .name = {(float)(value), (float)(value), (float)(value), (float)(value),                       \
             (float)(value), (float)(value), (float)(value), (float)(value)},
#include "base/length_list.h"
#undef PH_LENGTH
    }};

PhLengths ph_lengths(double unit) {
    PhLengths lengths;
#define PH_LENGTH(name, value)                                                                     \
    lengths.name = unit * (value);                                                                 \
    for (int i = 0; i < PH_LENGTH_LANES; i++) {                                                    \
        lengths.lane.name[i] = (float)lengths.name;                                                \
    }
#include "base/length_list.h"
#undef PH_LENGTH
    return lengths;
}
