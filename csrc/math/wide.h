// One or four float64 numbers, as PH_WIDE of the including unit says: what is written in these is
// compiled for both. Operators are the language's own; each lane has one IEEE rounding an
// operation, so both give the same bits.
//
// Of a mask the lowest bit of each number counts at width 1, and all bits at width 4: combine them
// by & | ~ and use them by the functions below.
#ifndef PH_MATH_WIDE_H
#define PH_MATH_WIDE_H

#include "math/four.h"

#if PH_WIDE == 4

typedef Four Wide;
typedef FourMask WideMask;

#define wide_splat four_splat
#define wide_select four_select
#define wide_abs four_abs
#define wide_sqrt four_sqrt
#define wide_bits four_bits
#define wide_split four_split
#define wide_load_quads four_load_quads

PH_FOUR_INLINE Wide wide_keep(WideMask m, Wide x) { // 0 elsewhere
    return (Four)(m & (FourMask)x);
}
PH_FOUR_INLINE double wide_get(Wide x, uint32_t lane) {
    return x[lane];
}
PH_FOUR_INLINE void wide_set(Wide *x, uint32_t lane, double y) {
    (*x)[lane] = y;
}
PH_FOUR_INLINE WideMask wide_lane(uint32_t lane) { // the mask of that one
    WideMask m = {0};
    m[lane] = -1;
    return m;
}
PH_FOUR_INLINE Wide wide_gather_floats(const float *numbers, const uint32_t at[4]) {
    return (Four){(double)numbers[at[0]], (double)numbers[at[1]], (double)numbers[at[2]],
                  (double)numbers[at[3]]};
}
// x, y, w of each lane and a 0, rounded.
PH_FOUR_INLINE void wide_rows(const Wide x[3], FourFloat out[4]) {
    Four rows[4] = {x[0], x[1], x[2], four_splat(0)};
    four_transpose(rows);
    for (int l = 0; l < 4; l++) {
        out[l] = four_narrow(rows[l]);
    }
}

#else

typedef double Wide;
typedef int64_t WideMask;

PH_FOUR_INLINE Wide wide_splat(double x) {
    return x;
}
PH_FOUR_INLINE Wide wide_select(WideMask m, Wide a, Wide b) { // m ? a : b
    return m & 1 ? a : b;
}
PH_FOUR_INLINE Wide wide_keep(WideMask m, Wide x) {
    return m & 1 ? x : 0;
}
PH_FOUR_INLINE Wide wide_abs(Wide x) {
    return fabs(x);
}
PH_FOUR_INLINE Wide wide_sqrt(Wide x) {
    return sqrt(x);
}
PH_FOUR_INLINE uint32_t wide_bits(WideMask m) {
    return m & 1;
}
PH_FOUR_INLINE double wide_get(Wide x, uint32_t lane) {
    (void)lane;
    return x;
}
PH_FOUR_INLINE void wide_set(Wide *x, uint32_t lane, double y) {
    (void)lane;
    *x = y;
}
PH_FOUR_INLINE WideMask wide_lane(uint32_t lane) {
    (void)lane;
    return -1;
}
PH_FOUR_INLINE Wide wide_gather_floats(const float *numbers, const uint32_t at[1]) {
    return (double)numbers[at[0]];
}
PH_FOUR_INLINE void wide_split(const double *const row[1], Wide *x, Wide *y) {
    *x = row[0][0];
    *y = row[0][1];
}
PH_FOUR_INLINE void wide_load_quads(const float (*rows)[4], const uint32_t at[1], Wide out[4]) {
    for (int k = 0; k < 4; k++) {
        out[k] = (double)rows[at[0]][k];
    }
}
PH_FOUR_INLINE void wide_rows(const Wide x[3], FourFloat out[1]) {
    out[0] = (FourFloat){(float)x[0], (float)x[1], (float)x[2], 0};
}

#endif

PH_FOUR_INLINE bool wide_any(WideMask m) {
    return wide_bits(m) != 0;
}
PH_FOUR_INLINE WideMask wide_none(void) {
    return (WideMask)(wide_splat(0) != wide_splat(0));
}
PH_FOUR_INLINE WideMask wide_all(void) {
    return ~wide_none();
}

#endif
