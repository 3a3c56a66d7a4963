// Float lanes: the few operations that kernels are written in, at width 1 (plain C), 4 (SSE2, NEON
// or SIMD128 of WebAssembly) and 8 (AVX2 or AVX-512VL).
//
// A unit defines PH_LANES, includes this header once and compiles with the target that the width
// needs. + - * / are the language's own operators. Every operation works lane by lane with one IEEE
// rounding, so a kernel gives the same bits at every width: no fused multiply-add, no estimates, no
// sums across lanes.
#ifndef PH_MATH_LANES_H
#define PH_MATH_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PH_INLINE static inline __attribute__((always_inline))

#if PH_LANES == 1

typedef float Lanes;
typedef int Mask; // 1 or 0; in wider lanes all bits or none

PH_INLINE Lanes lanes_splat(float x) {
    return x;
}
PH_INLINE Lanes lanes_load(const float *p) {
    return *p;
}
PH_INLINE void lanes_store(float *p, Lanes x) {
    *p = x;
}
// b when the two compare equal or one is not a number, as minps and maxps do.
PH_INLINE Lanes lanes_min(Lanes a, Lanes b) {
    return a < b ? a : b;
}
PH_INLINE Lanes lanes_max(Lanes a, Lanes b) {
    return a > b ? a : b;
}
PH_INLINE Lanes lanes_sqrt(Lanes a) {
    return sqrtf(a);
}
PH_INLINE Lanes lanes_abs(Lanes a) {
    return fabsf(a);
}
PH_INLINE Mask lanes_less(Lanes a, Lanes b) {
    return a < b;
}
PH_INLINE Mask lanes_at_least(Lanes a, Lanes b) {
    return a >= b;
}
PH_INLINE Mask lanes_at_most(Lanes a, Lanes b) {
    return a <= b;
}
PH_INLINE Mask lanes_equal(Lanes a, Lanes b) {
    return a == b;
}
PH_INLINE Mask lanes_none(void) {
    return 0;
}
PH_INLINE Mask lanes_not(Mask m) {
    return !m;
}
PH_INLINE bool lanes_any(Mask m) {
    return m != 0;
}
PH_INLINE uint32_t lanes_bits(Mask m) { // bit l: lane l
    return (uint32_t)m;
}
PH_INLINE Lanes lanes_sign(Lanes a) { // 1 or -1; -1 for -0
    return copysignf(1, a);
}
PH_INLINE Lanes lanes_select(Mask m, Lanes a, Lanes b) { // m ? a : b
    return m ? a : b;
}
PH_INLINE Lanes lanes_by_sign(Lanes s, Lanes a, Lanes b) { // a where the sign of s is set
    return signbit(s) ? a : b;
}
PH_INLINE Lanes lanes_keep(Mask m, Lanes a) { // m ? a : 0
    return m ? a : 0;
}
PH_INLINE Lanes lanes_flip(Mask m, Lanes a) { // m ? -a : a
    return m ? -a : a;
}

// Four floats per lane from base + offset[lane] (bytes, multiples of 16), transposed into
// out[0..3].
PH_INLINE void lanes_load_quads(const void *base, const uint32_t *offset, Lanes out[4]) {
    memcpy(out, (const char *)base + offset[0], 4 * sizeof(float));
}
PH_INLINE void lanes_store_quads(void *base, const uint32_t *offset, const Lanes in[4]) {
    memcpy((char *)base + offset[0], in, 4 * sizeof(float));
}
// The same through one pointer per lane, with no demand on alignment.
PH_INLINE void lanes_gather_quads(const void *const pointer[PH_LANES], size_t offset,
                                  Lanes out[4]) {
    memcpy(out, (const char *)pointer[0] + offset, 4 * sizeof(float));
}
PH_INLINE void lanes_scatter_quads(void *const pointer[PH_LANES], size_t offset,
                                   const Lanes in[4]) {
    memcpy((char *)pointer[0] + offset, in, 4 * sizeof(float));
}
// Each pointer names two doubles. to - from: subtracted in float64, rounded once.
PH_INLINE void lanes_gather_difference(const void *const from[PH_LANES],
                                       const void *const to[PH_LANES], Lanes *x, Lanes *y) {
    double p[2], q[2];
    memcpy(p, from[0], sizeof p);
    memcpy(q, to[0], sizeof q);
    *x = (float)(q[0] - p[0]);
    *y = (float)(q[1] - p[1]);
}

#elif defined(__aarch64__)

#include <arm_neon.h>

#if PH_LANES != 4
#error "PH_LANES must be 1 or 4"
#endif

typedef float32x4_t Lanes;
typedef uint32x4_t Mask;

PH_INLINE Lanes lanes_splat(float x) {
    return vdupq_n_f32(x);
}
PH_INLINE Lanes lanes_load(const float *p) {
    return vld1q_f32(p);
}
PH_INLINE void lanes_store(float *p, Lanes x) {
    vst1q_f32(p, x);
}
PH_INLINE Mask lanes_less(Lanes a, Lanes b) {
    return vcltq_f32(a, b);
}
PH_INLINE Mask lanes_at_least(Lanes a, Lanes b) {
    return vcgeq_f32(a, b);
}
PH_INLINE Mask lanes_at_most(Lanes a, Lanes b) {
    return vcleq_f32(a, b);
}
PH_INLINE Mask lanes_equal(Lanes a, Lanes b) {
    return vceqq_f32(a, b);
}
PH_INLINE Mask lanes_none(void) {
    return vdupq_n_u32(0);
}
PH_INLINE Mask lanes_not(Mask m) {
    return vmvnq_u32(m);
}
PH_INLINE bool lanes_any(Mask m) {
    return vmaxvq_u32(m) != 0;
}
PH_INLINE uint32_t lanes_bits(Mask m) {
    const uint32x4_t bit = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(m, bit));
}
PH_INLINE Lanes lanes_sign(Lanes a) {
    uint32x4_t sign = vandq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32(0x80000000u));
    return vreinterpretq_f32_u32(vorrq_u32(sign, vdupq_n_u32(0x3f800000u))); // bits of 1
}
PH_INLINE Lanes lanes_select(Mask m, Lanes a, Lanes b) {
    return vbslq_f32(m, a, b);
}
PH_INLINE Lanes lanes_by_sign(Lanes s, Lanes a, Lanes b) {
    return vbslq_f32(vcltzq_s32(vreinterpretq_s32_f32(s)), a, b);
}
PH_INLINE Lanes lanes_keep(Mask m, Lanes a) {
    return vreinterpretq_f32_u32(vandq_u32(m, vreinterpretq_u32_f32(a)));
}
PH_INLINE Lanes lanes_flip(Mask m, Lanes a) {
    uint32x4_t sign = vandq_u32(m, vdupq_n_u32(0x80000000u));
    return vreinterpretq_f32_u32(veorq_u32(sign, vreinterpretq_u32_f32(a)));
}
// NEON's own minimum and maximum differ from minps: of zeros they take the negative or the positive
// one, of a number and a NaN the NaN.
PH_INLINE Lanes lanes_min(Lanes a, Lanes b) {
    return vbslq_f32(vcltq_f32(a, b), a, b);
}
PH_INLINE Lanes lanes_max(Lanes a, Lanes b) {
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
PH_INLINE Lanes lanes_sqrt(Lanes a) {
    return vsqrtq_f32(a);
}
PH_INLINE Lanes lanes_abs(Lanes a) {
    return vabsq_f32(a);
}

PH_INLINE void transpose(const Lanes in[4], Lanes out[4]) {
    float64x2_t a = vreinterpretq_f64_f32(vtrn1q_f32(in[0], in[1])); // 00 10 02 12
    float64x2_t b = vreinterpretq_f64_f32(vtrn2q_f32(in[0], in[1])); // 01 11 03 13
    float64x2_t c = vreinterpretq_f64_f32(vtrn1q_f32(in[2], in[3])); // 20 30 22 32
    float64x2_t d = vreinterpretq_f64_f32(vtrn2q_f32(in[2], in[3])); // 21 31 23 33
    out[0] = vreinterpretq_f32_f64(vtrn1q_f64(a, c));
    out[1] = vreinterpretq_f32_f64(vtrn1q_f64(b, d));
    out[2] = vreinterpretq_f32_f64(vtrn2q_f64(a, c));
    out[3] = vreinterpretq_f32_f64(vtrn2q_f64(b, d));
}
PH_INLINE Lanes load_quad(const void *p) {
    return vreinterpretq_f32_u8(vld1q_u8(p)); // bytes: with no demand on alignment
}
PH_INLINE void lanes_load_quads(const void *base, const uint32_t *offset, Lanes out[4]) {
    Lanes quad[4];
    for (int l = 0; l < 4; l++) {
        quad[l] = load_quad((const char *)base + offset[l]);
    }
    transpose(quad, out);
}
PH_INLINE void lanes_store_quads(void *base, const uint32_t *offset, const Lanes in[4]) {
    Lanes quad[4];
    transpose(in, quad);
    for (int l = 0; l < 4; l++) {
        memcpy((char *)base + offset[l], &quad[l], sizeof quad[l]);
    }
}
PH_INLINE void lanes_gather_quads(const void *const pointer[PH_LANES], size_t offset,
                                  Lanes out[4]) {
    Lanes quad[4];
    for (int l = 0; l < 4; l++) {
        quad[l] = load_quad((const char *)pointer[l] + offset);
    }
    transpose(quad, out);
}
PH_INLINE void lanes_scatter_quads(void *const pointer[PH_LANES], size_t offset,
                                   const Lanes in[4]) {
    Lanes quad[4];
    transpose(in, quad);
    for (int l = 0; l < 4; l++) {
        memcpy((char *)pointer[l] + offset, &quad[l], sizeof quad[l]);
    }
}
PH_INLINE void lanes_gather_difference(const void *const from[PH_LANES],
                                       const void *const to[PH_LANES], Lanes *x, Lanes *y) {
    float32x2_t step[4];
    for (int l = 0; l < 4; l++) {
        float64x2_t p, q;
        memcpy(&p, from[l], sizeof p);
        memcpy(&q, to[l], sizeof q);
        step[l] = vcvt_f32_f64(vsubq_f64(q, p));
    }
    float32x4_t low = vcombine_f32(step[0], step[1]), high = vcombine_f32(step[2], step[3]);
    *x = vuzp1q_f32(low, high);
    *y = vuzp2q_f32(low, high);
}

#elif defined(__wasm_simd128__)

#include <wasm_simd128.h>

#if PH_LANES != 4
#error "PH_LANES must be 1 or 4"
#endif

typedef float Lanes __attribute__((vector_size(16)));
typedef int32_t Mask __attribute__((vector_size(16)));

PH_INLINE Lanes lanes_splat(float x) {
    return (Lanes){x, x, x, x};
}
PH_INLINE Lanes lanes_load(const float *p) {
    return (Lanes)wasm_v128_load(p);
}
PH_INLINE void lanes_store(float *p, Lanes x) {
    wasm_v128_store(p, (v128_t)x);
}
PH_INLINE Mask lanes_less(Lanes a, Lanes b) {
    return a < b;
}
PH_INLINE Mask lanes_at_least(Lanes a, Lanes b) {
    return a >= b;
}
PH_INLINE Mask lanes_at_most(Lanes a, Lanes b) {
    return a <= b;
}
PH_INLINE Mask lanes_equal(Lanes a, Lanes b) {
    return a == b;
}
PH_INLINE Mask lanes_none(void) {
    return (Mask){0};
}
PH_INLINE Mask lanes_not(Mask m) {
    return ~m;
}
PH_INLINE bool lanes_any(Mask m) {
    return wasm_v128_any_true((v128_t)m);
}
PH_INLINE uint32_t lanes_bits(Mask m) {
    return (uint32_t)wasm_i32x4_bitmask((v128_t)m);
}
PH_INLINE Lanes lanes_keep(Mask m, Lanes a) {
    return (Lanes)(m & (Mask)a);
}
PH_INLINE Lanes lanes_flip(Mask m, Lanes a) {
    return (Lanes)((m & INT32_MIN) ^ (Mask)a);
}
PH_INLINE Lanes lanes_abs(Lanes a) {
    return (Lanes)wasm_f32x4_abs((v128_t)a);
}
PH_INLINE Lanes lanes_sign(Lanes a) {
    return (Lanes)(((Mask)a & INT32_MIN) | 0x3f800000); // bits of 1
}
PH_INLINE Lanes lanes_select(Mask m, Lanes a, Lanes b) {
    return (Lanes)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)m);
}
PH_INLINE Lanes lanes_by_sign(Lanes s, Lanes a, Lanes b) {
    return lanes_select((Mask)s < 0, a, b);
}
// The pseudo-minimum of x and y is y < x ? y : x, and the maximum x < y ? y : x.
PH_INLINE Lanes lanes_min(Lanes a, Lanes b) {
    return (Lanes)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
}
PH_INLINE Lanes lanes_max(Lanes a, Lanes b) {
    return (Lanes)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
}
PH_INLINE Lanes lanes_sqrt(Lanes a) {
    return (Lanes)wasm_f32x4_sqrt((v128_t)a);
}

PH_INLINE void transpose(const Lanes in[4], Lanes out[4]) {
    Lanes a = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5); // 00 10 01 11
    Lanes b = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7); // 02 12 03 13
    Lanes c = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5); // 20 30 21 31
    Lanes d = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7); // 22 32 23 33
    out[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    out[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
PH_INLINE void lanes_load_quads(const void *base, const uint32_t *offset, Lanes out[4]) {
    Lanes quad[4];
    for (int l = 0; l < 4; l++) {
        quad[l] = (Lanes)wasm_v128_load((const char *)base + offset[l]);
    }
    transpose(quad, out);
}
PH_INLINE void lanes_store_quads(void *base, const uint32_t *offset, const Lanes in[4]) {
    Lanes quad[4];
    transpose(in, quad);
    for (int l = 0; l < 4; l++) {
        wasm_v128_store((char *)base + offset[l], (v128_t)quad[l]);
    }
}
PH_INLINE void lanes_gather_quads(const void *const pointer[PH_LANES], size_t offset,
                                  Lanes out[4]) {
    Lanes quad[4];
    for (int l = 0; l < 4; l++) { // with no demand on alignment
        quad[l] = (Lanes)wasm_v128_load((const char *)pointer[l] + offset);
    }
    transpose(quad, out);
}
PH_INLINE void lanes_scatter_quads(void *const pointer[PH_LANES], size_t offset,
                                   const Lanes in[4]) {
    Lanes quad[4];
    transpose(in, quad);
    for (int l = 0; l < 4; l++) {
        wasm_v128_store((char *)pointer[l] + offset, (v128_t)quad[l]);
    }
}
PH_INLINE void lanes_gather_difference(const void *const from[PH_LANES],
                                       const void *const to[PH_LANES], Lanes *x, Lanes *y) {
    Lanes step[4]; // x and y, and two zeros
    for (int l = 0; l < 4; l++) {
        v128_t change = wasm_f64x2_sub(wasm_v128_load(to[l]), wasm_v128_load(from[l]));
        step[l] = (Lanes)wasm_f32x4_demote_f64x2_zero(change);
    }
    Lanes low = __builtin_shufflevector(step[0], step[1], 0, 4, 1, 5);
    Lanes high = __builtin_shufflevector(step[2], step[3], 0, 4, 1, 5);
    *x = __builtin_shufflevector(low, high, 0, 1, 4, 5);
    *y = __builtin_shufflevector(low, high, 2, 3, 6, 7);
}

#else

#include <emmintrin.h> // of the wider ones, target_avx2.h and target_avx512vl.h

typedef float Lanes __attribute__((vector_size(4 * PH_LANES)));
typedef int32_t Mask __attribute__((vector_size(4 * PH_LANES)));

PH_INLINE Mask lanes_less(Lanes a, Lanes b) {
    return a < b;
}
PH_INLINE Mask lanes_at_least(Lanes a, Lanes b) {
    return a >= b;
}
PH_INLINE Mask lanes_at_most(Lanes a, Lanes b) {
    return a <= b;
}
PH_INLINE Mask lanes_equal(Lanes a, Lanes b) {
    return a == b;
}
PH_INLINE Mask lanes_none(void) {
    return (Mask){0};
}
PH_INLINE Mask lanes_not(Mask m) {
    return ~m;
}
PH_INLINE Lanes lanes_keep(Mask m, Lanes a) {
    return (Lanes)(m & (Mask)a);
}
PH_INLINE Lanes lanes_flip(Mask m, Lanes a) {
    return (Lanes)((m & INT32_MIN) ^ (Mask)a);
}
PH_INLINE Lanes lanes_abs(Lanes a) {
    return (Lanes)((Mask)a & INT32_MAX);
}
PH_INLINE Lanes lanes_sign(Lanes a) {
    return (Lanes)(((Mask)a & INT32_MIN) | 0x3f800000); // bits of 1
}

#if PH_LANES == 4
typedef __m128 Register;
#define OF_ALL(operation) _mm_##operation##_ps
#elif PH_LANES == 8
typedef __m256 Register;
#define OF_ALL(operation) _mm256_##operation##_ps
#endif

PH_INLINE Lanes lanes_splat(float x) {
    return (Lanes)OF_ALL(set1)(x);
}
PH_INLINE Lanes lanes_load(const float *p) {
    return (Lanes)OF_ALL(load)(p);
}
PH_INLINE void lanes_store(float *p, Lanes x) {
    OF_ALL(store)(p, (Register)x);
}
PH_INLINE Lanes lanes_min(Lanes a, Lanes b) {
    return (Lanes)OF_ALL(min)((Register)a, (Register)b);
}
PH_INLINE Lanes lanes_max(Lanes a, Lanes b) {
    return (Lanes)OF_ALL(max)((Register)a, (Register)b);
}
PH_INLINE Lanes lanes_sqrt(Lanes a) {
    return (Lanes)OF_ALL(sqrt)((Register)a);
}
PH_INLINE bool lanes_any(Mask m) {
    return OF_ALL(movemask)((Register)m) != 0;
}
PH_INLINE uint32_t lanes_bits(Mask m) {
    return (uint32_t)OF_ALL(movemask)((Register)m);
}
#undef OF_ALL

#if PH_LANES == 4

PH_INLINE Lanes lanes_select(Mask m, Lanes a, Lanes b) {
    return (Lanes)((m & (Mask)a) | (~m & (Mask)b));
}
PH_INLINE Lanes lanes_by_sign(Lanes s, Lanes a, Lanes b) {
    return lanes_select((Mask)s < 0, a, b);
}

PH_INLINE void transpose_in(__m128 a, __m128 b, __m128 c, __m128 d, Lanes out[4]) {
    _MM_TRANSPOSE4_PS(a, b, c, d);
    out[0] = (Lanes)a;
    out[1] = (Lanes)b;
    out[2] = (Lanes)c;
    out[3] = (Lanes)d;
}
PH_INLINE void transpose_out(const Lanes in[4], __m128 quad[4]) {
    __m128 a = (__m128)in[0], b = (__m128)in[1], c = (__m128)in[2], d = (__m128)in[3];
    _MM_TRANSPOSE4_PS(a, b, c, d);
    quad[0] = a;
    quad[1] = b;
    quad[2] = c;
    quad[3] = d;
}
#define PH_QUADS_IN(quad, out) transpose_in(quad(0), quad(1), quad(2), quad(3), out)

#elif PH_LANES == 8

PH_INLINE Lanes lanes_select(Mask m, Lanes a, Lanes b) {
    return (Lanes)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)m);
}
PH_INLINE Lanes lanes_by_sign(Lanes s, Lanes a, Lanes b) { // a blend uses only the signs
    return (Lanes)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)s);
}

// Each argument holds the quads of two lanes, l in its low half and l + 4 in its high half.
PH_INLINE void transpose_in(__m256 a, __m256 b, __m256 c, __m256 d, Lanes out[4]) {
    __m256 t0 = _mm256_unpacklo_ps(a, c), t1 = _mm256_unpacklo_ps(b, d);
    __m256 t2 = _mm256_unpackhi_ps(a, c), t3 = _mm256_unpackhi_ps(b, d);
    out[0] = (Lanes)_mm256_unpacklo_ps(t0, t1);
    out[1] = (Lanes)_mm256_unpackhi_ps(t0, t1);
    out[2] = (Lanes)_mm256_unpacklo_ps(t2, t3);
    out[3] = (Lanes)_mm256_unpackhi_ps(t2, t3);
}
PH_INLINE void transpose_out(const Lanes in[4], __m128 quad[8]) {
    __m256 a = (__m256)in[0], b = (__m256)in[1], c = (__m256)in[2], d = (__m256)in[3];
    __m256 t0 = _mm256_unpacklo_ps(a, c), t1 = _mm256_unpacklo_ps(b, d);
    __m256 t2 = _mm256_unpackhi_ps(a, c), t3 = _mm256_unpackhi_ps(b, d);
    __m256 pair[4] = {_mm256_unpacklo_ps(t0, t1), _mm256_unpackhi_ps(t0, t1),
                      _mm256_unpacklo_ps(t2, t3), _mm256_unpackhi_ps(t2, t3)};
    for (int i = 0; i < 4; i++) {
        quad[i] = _mm256_castps256_ps128(pair[i]);
        quad[i + 4] = _mm256_extractf128_ps(pair[i], 1);
    }
}
#define PH_QUAD_PAIR(quad, l)                                                                      \
    _mm256_insertf128_ps(_mm256_castps128_ps256(quad(l)), quad((l) + 4), 1)
#define PH_QUADS_IN(quad, out)                                                                     \
    transpose_in(PH_QUAD_PAIR(quad, 0), PH_QUAD_PAIR(quad, 1), PH_QUAD_PAIR(quad, 2),              \
                 PH_QUAD_PAIR(quad, 3), out)

#else
#error "PH_LANES must be 1, 4 or 8"
#endif

PH_INLINE void lanes_load_quads(const void *base, const uint32_t *offset, Lanes out[4]) {
#define PH_QUAD(l) _mm_load_ps((const float *)(const void *)((const char *)base + offset[l]))
    PH_QUADS_IN(PH_QUAD, out);
#undef PH_QUAD
}
PH_INLINE void lanes_store_quads(void *base, const uint32_t *offset, const Lanes in[4]) {
    __m128 quad[PH_LANES];
    transpose_out(in, quad);
    for (int l = 0; l < PH_LANES; l++) {
        _mm_store_ps((float *)(void *)((char *)base + offset[l]), quad[l]);
    }
}
PH_INLINE void lanes_gather_quads(const void *const pointer[PH_LANES], size_t offset,
                                  Lanes out[4]) {
#define PH_QUAD(l) _mm_loadu_ps((const float *)(const void *)((const char *)pointer[l] + offset))
    PH_QUADS_IN(PH_QUAD, out);
#undef PH_QUAD
}
PH_INLINE void lanes_scatter_quads(void *const pointer[PH_LANES], size_t offset,
                                   const Lanes in[4]) {
    __m128 quad[PH_LANES];
    transpose_out(in, quad);
    for (int l = 0; l < PH_LANES; l++) {
        _mm_storeu_ps((float *)(void *)((char *)pointer[l] + offset), quad[l]);
    }
}
PH_INLINE void lanes_gather_difference(const void *const from[PH_LANES],
                                       const void *const to[PH_LANES], Lanes *x, Lanes *y) {
#define PH_PLACE(p) _mm_loadu_pd((const double *)(p))
#define PH_STEP(l) _mm_cvtpd_ps(_mm_sub_pd(PH_PLACE(to[l]), PH_PLACE(from[l])))
    __m128 low = _mm_unpacklo_ps(PH_STEP(0), PH_STEP(1));
    __m128 high = _mm_unpacklo_ps(PH_STEP(2), PH_STEP(3));
    __m128 x4 = _mm_movelh_ps(low, high), y4 = _mm_movehl_ps(high, low);
#if PH_LANES == 4
    *x = (Lanes)x4;
    *y = (Lanes)y4;
#else
    low = _mm_unpacklo_ps(PH_STEP(4), PH_STEP(5));
    high = _mm_unpacklo_ps(PH_STEP(6), PH_STEP(7));
    *x = (Lanes)_mm256_insertf128_ps(_mm256_castps128_ps256(x4), _mm_movelh_ps(low, high), 1);
    *y = (Lanes)_mm256_insertf128_ps(_mm256_castps128_ps256(y4), _mm_movehl_ps(high, low), 1);
#endif
#undef PH_STEP
#undef PH_PLACE
}

#endif // PH_LANES != 1

#endif
