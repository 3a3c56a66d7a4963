// Four float64 lanes: the few operations that passes over bodies and boxes are written in.
//
// + - * / and comparisons are the language's own operators. Every operation works lane by lane with
// one IEEE rounding, so a pass gives the same bits whatever the compiler makes of it: four lanes in
// a unit that compiles for AVX2 (and defines PH_FOUR_AVX2), pairs or single numbers elsewhere.
#ifndef PH_MATH_FOUR_H
#define PH_MATH_FOUR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/trig.h"
#include "math/trig_series.h"

#ifdef PH_FOUR_AVX2
#include <immintrin.h>
#endif

#if defined(__GNUC__) && !defined(__clang__)
// How lanes would be passed to a function does not matter: all of these are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#define PH_FOUR_INLINE static inline __attribute__((always_inline))

typedef double Four __attribute__((vector_size(32)));
typedef int64_t FourMask __attribute__((vector_size(32))); // all bits of a lane or none
typedef int32_t FourInt __attribute__((vector_size(16)));
typedef float FourFloat __attribute__((vector_size(16)));

PH_FOUR_INLINE Four four_load(const double *p) {
    Four x;
    memcpy(&x, p, sizeof x);
    return x;
}
PH_FOUR_INLINE void four_store(double *p, Four x) {
    memcpy(p, &x, sizeof x);
}
PH_FOUR_INLINE Four four_splat(double x) {
    return (Four){x, x, x, x};
}
PH_FOUR_INLINE Four four_select(FourMask m, Four a, Four b) { // m ? a : b
    return (Four)((m & (FourMask)a) | (~m & (FourMask)b));
}
PH_FOUR_INLINE Four four_abs(Four x) {
    return (Four)((FourMask)x & INT64_MAX);
}
// The smaller one, the larger one; b when one is not a number, as minpd and maxpd do.
PH_FOUR_INLINE Four four_min(Four a, Four b) {
#ifdef PH_FOUR_AVX2
    return (Four)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
    return four_select(a < b, a, b);
#endif
}
PH_FOUR_INLINE Four four_max(Four a, Four b) {
#ifdef PH_FOUR_AVX2
    return (Four)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return four_select(a > b, a, b);
#endif
}
PH_FOUR_INLINE Four four_sqrt(Four x) {
#ifdef PH_FOUR_AVX2
    return (Four)_mm256_sqrt_pd((__m256d)x);
#else
    return (Four){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
#endif
}
// Bit l is set where lane l is.
PH_FOUR_INLINE uint32_t four_bits(FourMask m) {
#ifdef PH_FOUR_AVX2
    return (uint32_t)_mm256_movemask_pd((__m256d)m);
#else
    return (uint32_t)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
#endif
}

// Rows of one or two numbers, by number of the row.
PH_FOUR_INLINE Four four_gather(const double *rows, const uint32_t at[4]) {
    return (Four){rows[at[0]], rows[at[1]], rows[at[2]], rows[at[3]]};
}
PH_FOUR_INLINE void four_scatter(double *rows, const uint32_t at[4], Four x) {
    for (int l = 0; l < 4; l++) {
        rows[at[l]] = x[l];
    }
}
PH_FOUR_INLINE void four_split(const double *const row[4], Four *x, Four *y) {
#ifdef PH_FOUR_AVX2
    __m256d even =
        _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(row[0])), _mm_loadu_pd(row[2]), 1);
    __m256d odd =
        _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(row[1])), _mm_loadu_pd(row[3]), 1);
    *x = (Four)_mm256_unpacklo_pd(even, odd);
    *y = (Four)_mm256_unpackhi_pd(even, odd);
#else
    *x = (Four){row[0][0], row[1][0], row[2][0], row[3][0]};
    *y = (Four){row[0][1], row[1][1], row[2][1], row[3][1]};
#endif
}
PH_FOUR_INLINE void four_join(double *const row[4], Four x, Four y) {
#ifdef PH_FOUR_AVX2
    __m256d even = _mm256_unpacklo_pd((__m256d)x, (__m256d)y);
    __m256d odd = _mm256_unpackhi_pd((__m256d)x, (__m256d)y);
    _mm_storeu_pd(row[0], _mm256_castpd256_pd128(even));
    _mm_storeu_pd(row[1], _mm256_castpd256_pd128(odd));
    _mm_storeu_pd(row[2], _mm256_extractf128_pd(even, 1));
    _mm_storeu_pd(row[3], _mm256_extractf128_pd(odd, 1));
#else
    for (int l = 0; l < 4; l++) {
        row[l][0] = x[l];
        row[l][1] = y[l];
    }
#endif
}
PH_FOUR_INLINE void four_gather_pairs(const double (*rows)[2], const uint32_t at[4], Four *x,
                                      Four *y) {
    const double *const row[4] = {rows[at[0]], rows[at[1]], rows[at[2]], rows[at[3]]};
    four_split(row, x, y);
}
PH_FOUR_INLINE void four_scatter_pairs(double (*rows)[2], const uint32_t at[4], Four x, Four y) {
    double *const row[4] = {rows[at[0]], rows[at[1]], rows[at[2]], rows[at[3]]};
    four_join(row, x, y);
}

PH_FOUR_INLINE FourFloat four_narrow(Four x) { // infinite beyond the largest
    return __builtin_convertvector(x, FourFloat);
}
PH_FOUR_INLINE FourFloat four_float(const float *p) {
    FourFloat x;
    memcpy(&x, p, sizeof x);
    return x;
}
PH_FOUR_INLINE void four_float_store(float *p, FourFloat x) {
    memcpy(p, &x, sizeof x);
}
PH_FOUR_INLINE FourFloat four_float_select(FourInt m, FourFloat a, FourFloat b) { // m ? a : b
    return (FourFloat)((m & (FourInt)a) | (~m & (FourInt)b));
}
PH_FOUR_INLINE Four four_double(FourFloat x) {
    return __builtin_convertvector(x, Four);
}
PH_FOUR_INLINE Four four_widen(const float *p) {
    return four_double(four_float(p));
}
PH_FOUR_INLINE void four_float_split(const float *const row[4], FourFloat *x, FourFloat *y) {
#ifdef PH_FOUR_AVX2
    __m128 a = _mm_castpd_ps(_mm_load_sd((const double *)(const void *)row[0]));
    __m128 b = _mm_castpd_ps(_mm_load_sd((const double *)(const void *)row[2]));
    a = _mm_loadh_pi(a, (const __m64 *)(const void *)row[1]);
    b = _mm_loadh_pi(b, (const __m64 *)(const void *)row[3]);
    *x = (FourFloat)_mm_shuffle_ps(a, b, 0x88);
    *y = (FourFloat)_mm_shuffle_ps(a, b, 0xdd);
#else
    *x = (FourFloat){row[0][0], row[1][0], row[2][0], row[3][0]};
    *y = (FourFloat){row[0][1], row[1][1], row[2][1], row[3][1]};
#endif
}
// Four quads in a row, number by number.
PH_FOUR_INLINE void four_get_quads(const float (*rows)[4], FourFloat out[4]) {
#ifdef PH_FOUR_AVX2
    __m128 a = _mm_loadu_ps(rows[0]), b = _mm_loadu_ps(rows[1]);
    __m128 c = _mm_loadu_ps(rows[2]), d = _mm_loadu_ps(rows[3]);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    out[0] = (FourFloat)a;
    out[1] = (FourFloat)b;
    out[2] = (FourFloat)c;
    out[3] = (FourFloat)d;
#else
    for (int k = 0; k < 4; k++) {
        out[k] = (FourFloat){rows[0][k], rows[1][k], rows[2][k], rows[3][k]};
    }
#endif
}
PH_FOUR_INLINE void four_put_quads(float (*rows)[4], const FourFloat x[4]) {
#ifdef PH_FOUR_AVX2
    __m128 a = (__m128)x[0], b = (__m128)x[1], c = (__m128)x[2], d = (__m128)x[3];
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(rows[0], a);
    _mm_storeu_ps(rows[1], b);
    _mm_storeu_ps(rows[2], c);
    _mm_storeu_ps(rows[3], d);
#else
    for (int l = 0; l < 4; l++) {
        for (int k = 0; k < 4; k++) {
            rows[l][k] = x[k][l];
        }
    }
#endif
}
// x[i][k] becomes x[k][i].
PH_FOUR_INLINE void four_transpose(Four x[4]) {
#ifdef PH_FOUR_AVX2
    __m256d a = _mm256_unpacklo_pd((__m256d)x[0], (__m256d)x[1]);
    __m256d b = _mm256_unpackhi_pd((__m256d)x[0], (__m256d)x[1]);
    __m256d c = _mm256_unpacklo_pd((__m256d)x[2], (__m256d)x[3]);
    __m256d d = _mm256_unpackhi_pd((__m256d)x[2], (__m256d)x[3]);
    x[0] = (Four)_mm256_permute2f128_pd(a, c, 0x20);
    x[1] = (Four)_mm256_permute2f128_pd(b, d, 0x20);
    x[2] = (Four)_mm256_permute2f128_pd(a, c, 0x31);
    x[3] = (Four)_mm256_permute2f128_pd(b, d, 0x31);
#else
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i; k++) {
            double other = x[i][k];
            x[i][k] = x[k][i];
            x[k][i] = other;
        }
    }
#endif
}
// Quads of four rows, number by number.
PH_FOUR_INLINE void four_load_quads(const float (*rows)[4], const uint32_t at[4], Four out[4]) {
    for (int l = 0; l < 4; l++) {
        out[l] = four_widen(rows[at[l]]);
    }
    four_transpose(out);
}

// Two times four, for what is a long chain of operations: two of them fit side by side into a
// processor.
typedef double Eight __attribute__((vector_size(64)));
typedef int64_t EightMask __attribute__((vector_size(64)));
typedef int32_t EightInt __attribute__((vector_size(32)));

PH_FOUR_INLINE Eight eight_splat(double x) {
    return (Eight){x, x, x, x, x, x, x, x};
}
PH_FOUR_INLINE Eight eight_select(EightMask m, Eight a, Eight b) { // m ? a : b
    return (Eight)((m & (EightMask)a) | (~m & (EightMask)b));
}

PH_TRIG_SERIES(Eight, eight_reduce, eight_sine, eight_cosine, PH_FOUR_INLINE)

// Cosine and sine of eight angles: ph_rot in lanes, bit for bit.
PH_FOUR_INLINE void eight_rot(const Four angles[2], Four cosines[2], Four sines[2]) {
    FourMask small =
        (four_abs(angles[0]) <= PH_MAX_REDUCED) & (four_abs(angles[1]) <= PH_MAX_REDUCED);
    if (four_bits(small) != 15) { // an angle that wants care
        for (int i = 0; i < 8; i++) {
            PhRot q = ph_rot(angles[i / 4][i % 4]);
            cosines[i / 4][i % 4] = q.c;
            sines[i / 4][i % 4] = q.s;
        }
        return;
    }
    Eight angle;
    memcpy(&angle, angles, sizeof angle);
    const EightMask sign = (EightMask)eight_splat(-0.0);
    Eight turns = angle * PH_TWO_OVER_PI;
    Eight half = (Eight)(((EightMask)turns & sign) | (EightMask)eight_splat(0.5));
    EightInt quadrant = __builtin_convertvector(turns + half, EightInt); // towards zero
    Eight k = __builtin_convertvector(quadrant, Eight);
    Eight low, reduced = eight_reduce(angle, k, &low);
    Eight sine = eight_sine(reduced, low), cosine = eight_cosine(reduced, low);
    // The quadrant's number again, in the low bits of a float64's mantissa.
    EightMask q = (EightMask)(k + 0x1.8p52);
    EightMask odd = -(q & 1);
    Eight c = (Eight)((EightMask)eight_select(odd, sine, cosine) ^ (((q + 1) << 62) & sign));
    Eight s = (Eight)((EightMask)eight_select(odd, cosine, sine) ^ ((q << 62) & sign));
    memcpy(cosines, &c, sizeof c);
    memcpy(sines, &s, sizeof s);
}

#endif
