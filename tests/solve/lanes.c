// Prints what every operation of csrc/math/lanes.h makes of special and of ordinary numbers, one
// line per value. Sorted, the lines are the same for every PH_LANES and every machine (CI lane
// `arm`). A NaN is a NaN: its sign and payload are the machine's.
#include "math/lanes.h"

#include <stdio.h>

static const float values[] = {
    0.0f,     -0.0f,     1.0f,     -1.0f, 0.1f,        -3.7f,     1e-40f, -1e-45f,
    1.5e-38f, 3.4e38f,   -3.4e38f, 1e20f, -7.25e-20f,  0.999999f, 1e10f,  16777217.0f,
    INFINITY, -INFINITY, NAN,      2.0f,  1.00000012f, -0.3f,     5e-8f,  123.456f,
};
enum { COUNT = sizeof values / sizeof values[0] };

// An operation, its place, its result.
static void show(const char *name, int place, const float *x, int count) {
    for (int i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        if (isnan(x[i])) {
            printf("%s %d nan\n", name, place + i);
        } else {
            printf("%s %d %08x\n", name, place + i, bits);
        }
    }
}

static void show_lanes(const char *name, int place, Lanes x) {
    float out[PH_LANES];
    memcpy(out, &x, sizeof out);
    show(name, place, out, PH_LANES);
}

static void show_mask(const char *name, int place, Mask m) {
    show_lanes(name, place, lanes_keep(m, lanes_splat(1)));
}

// Every value against every other, PH_LANES at a time.
static void try_pairs(int shift, int first) {
    _Alignas(32) float x[PH_LANES], y[PH_LANES];
    for (int l = 0; l < PH_LANES; l++) {
        x[l] = values[first + l];
        y[l] = values[(first + l + shift) % COUNT];
    }
    int place = shift * COUNT + first;
    Lanes a = lanes_load(x), b = lanes_load(y);
    Mask less = lanes_less(a, b), least = lanes_at_least(a, b);
    show_lanes("sum", place, a + b);
    show_lanes("difference", place, a - b);
    show_lanes("product", place, a * b);
    show_lanes("quotient", place, a / b);
    show_lanes("no fma", place, a * b + a);
    show_lanes("min", place, lanes_min(a, b));
    show_lanes("max", place, lanes_max(a, b));
    show_lanes("sqrt", place, lanes_sqrt(a));
    show_lanes("abs", place, lanes_abs(a));
    show_mask("less", place, less);
    show_mask("at least", place, least);
    show_mask("at most", place, lanes_at_most(a, b));
    show_mask("not", place, lanes_not(less));
    show_lanes("sign", place, lanes_sign(a));
    for (int l = 0; l < PH_LANES; l++) {
        if ((lanes_bits(less) >> l & 1) != (x[l] < y[l])) {
            puts("bits");
        }
    }
    show_mask("or", place, less | least);
    show_mask("and", place, less & least);
    show_lanes("select", place, lanes_select(less, a, b));
    show_lanes("by sign", place, lanes_by_sign(a, b, a));
    show_lanes("keep", place, lanes_keep(less, a));
    if (lanes_any(lanes_none()) || !lanes_any(lanes_less(lanes_splat(0), lanes_splat(1)))) {
        puts("any");
    }
}

// Through a transposition and back, from places in no order.
static void try_quads(void) {
    _Alignas(16) float from[8][4], to[8][4] = {{0}}, back[8][4] = {{0}};
    uint32_t offset[PH_LANES];
    const void *pointer[PH_LANES];
    void *target[PH_LANES];
    for (int i = 0; i < 32; i++) {
        from[i / 4][i % 4] = (float)i;
    }
    for (int l0 = 0; l0 < 8; l0 += PH_LANES) {
        for (int l = 0; l < PH_LANES; l++) {
            int row = (3 * (l0 + l) + 2) % 8;
            offset[l] = (uint32_t)row * 16;
            pointer[l] = from[row];
            target[l] = back[row];
        }
        Lanes quads[4], gathered[4];
        lanes_load_quads(from, offset, quads);
        lanes_gather_quads(pointer, 0, gathered);
        for (int k = 0; k < 4; k++) {
            gathered[k] += quads[k] * lanes_splat((float)(k + 1));
        }
        lanes_store_quads(to, offset, gathered);
        lanes_scatter_quads(target, 0, quads);
    }
    show("quads", 0, to[0], 32);
    show("back", 0, back[0], 32);
}

// Differences of places in float64.
static void try_differences(void) {
    double from[8][2], to[8][2];
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 2; k++) {
            from[i][k] = 1e7 + i / 3.0 - k;
            to[i][k] = 1e7 - i / 7.0 + k * 1e3;
        }
    }
    for (int l0 = 0; l0 < 8; l0 += PH_LANES) {
        const void *p[PH_LANES], *q[PH_LANES];
        for (int l = 0; l < PH_LANES; l++) {
            p[l] = from[l0 + l];
            q[l] = to[7 - l0 - l];
        }
        Lanes x, y;
        lanes_gather_difference(p, q, &x, &y);
        show_lanes("difference x", l0, x);
        show_lanes("difference y", l0, y);
    }
}

int main(void) {
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    for (int shift = 0; shift < COUNT; shift++) {
        for (int first = 0; first + PH_LANES <= COUNT; first += PH_LANES) {
            try_pairs(shift, first);
        }
    }
    try_quads();
    try_differences();
    return 0;
}
