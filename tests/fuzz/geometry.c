// Bytes become rings, shapes, poses and motions: geometry under libFuzzer, with what must hold.
//
//     clang -g -O1 -fsanitize=fuzzer,address,undefined -std=c11 -D_GNU_SOURCE -ffp-contract=off
//         -Icsrc tests/fuzz/geometry.c csrc/base/*.c csrc/math/*.c csrc/geometry/*.c
//         $(ls csrc/narrow/*.c | grep -v lane_) -lm -pthread -o geometry-fuzzer
//     ./geometry-fuzzer -max_len=512 some_folder  # of inputs: corpus/geometry.txt has some
//
// The first byte chooses what is asked, the rest gives numbers: mostly small whole ones, of which
// degenerate figures are made, and floats of any sort now and then. What must hold is asked of
// figures of sane size alone; everything else must only return.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/operations.h"
#include "geometry/outline.h"
#include "geometry/polygon.h"
#include "geometry/ring_properties.h"
#include "geometry/rings.h"
#include "geometry/submerge.h"
#include "narrow/collide.h"
#include "narrow/impact.h"

enum { MOST_VERTICES = 200, MOST_HOLES = 4 };

typedef struct Bytes {
    const uint8_t *at, *end;
    bool sane; // all numbers so far are below a million
} Bytes;

static void must(bool condition) {
    if (!condition) {
        abort();
    }
}

static uint8_t take(Bytes *bytes) {
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

// A byte below 240: sixteenths between -7.5 and 7.4. Others: what follows is a float of two, four
// or eight bytes, or one of the numbers that break things.
static double number(Bytes *bytes) {
    static const double special[] = {0.0, -0.0,  1e-9,  1e-300, 5e-324,
                                     1e7, 1e150, 1e308, NAN,    INFINITY};
    uint8_t first = take(bytes);
    double value;
    if (first < 240) {
        value = (first - 120) / 16.0;
    } else if (first < 246) {
        int high = take(bytes), low = take(bytes);
        value = (256 * high + low - 32768) / 4096.0;
    } else if (first < 252) {
        float single;
        uint8_t raw[4];
        for (int i = 0; i < 4; i++) {
            raw[i] = take(bytes);
        }
        memcpy(&single, raw, sizeof raw);
        value = (double)single;
    } else if (first < 254) {
        uint8_t raw[8];
        for (int i = 0; i < 8; i++) {
            raw[i] = take(bytes);
        }
        memcpy(&value, raw, sizeof raw);
    } else {
        value = special[take(bytes) % (sizeof special / sizeof *special)];
    }
    bytes->sane = bytes->sane && fabs(value) < 1e6 && (value == 0 || fabs(value) > 1e-6);
    return value;
}

static PhVec2 point(Bytes *bytes) {
    double x = number(bytes);
    return (PhVec2){x, number(bytes)};
}

static int32_t points(Bytes *bytes, PhVec2 *out, int32_t least, int32_t most) {
    int32_t count = least + take(bytes) % (most - least + 1);
    for (int32_t i = 0; i < count; i++) {
        out[i] = point(bytes);
    }
    return count;
}

// Bare rings and lines are of numbers that have been looked at.
static double known(double value) {
    return fabs(value) <= 1e150 ? value : 0;
}

static PhVec2 finite_point(Bytes *bytes) {
    PhVec2 p = point(bytes);
    return (PhVec2){known(p.x), known(p.y)};
}

static int32_t finite_points(Bytes *bytes, PhVec2 *out, int32_t least, int32_t most) {
    int32_t count = points(bytes, out, least, most);
    for (int32_t i = 0; i < count; i++) {
        out[i] = (PhVec2){known(out[i].x), known(out[i].y)};
    }
    return count;
}

static PhCutLine cut_line(Bytes *bytes, bool by_normal) {
    PhCutLine line = {.p = finite_point(bytes), .q = finite_point(bytes)};
    line.by_normal = by_normal;
    if (line.by_normal ? line.q.x == 0 && line.q.y == 0
                       : line.q.x == line.p.x && line.q.y == line.p.y) {
        line.q.x = line.p.x + 1 != line.p.x && !line.by_normal ? line.p.x + 1 : -line.p.x / 2;
    }
    return line;
}

static PhShape *shape(Bytes *bytes) {
    PhVec2 ring[MOST_VERTICES], holes[MOST_VERTICES];
    PhError error;
    double radius = number(bytes);
    switch (take(bytes) % 6) {
    case 0:
        return ph_shape_circle(radius, point(bytes), &error);
    case 1:
        ring[0] = point(bytes);
        return ph_shape_capsule(ring[0], point(bytes), radius, &error);
    case 2:
        ring[0] = point(bytes);
        return ph_shape_segment(ring[0], point(bytes), &error);
    case 3: {
        int32_t count = points(bytes, ring, 2, 20);
        return ph_shape_chain(ring, count, take(bytes) & 1, &error);
    }
    case 4: {
        int32_t count = finite_points(bytes, ring, 1, 12);
        count = ph_convex_hull(ring, count, holes, NULL);
        return ph_shape_polygon(holes, count, NULL, NULL, 0, radius, false, &error);
    }
    default: {
        int32_t count = points(bytes, ring, 3, 40), sizes[MOST_HOLES], used = 0;
        int32_t hole_count = take(bytes) % (MOST_HOLES + 1);
        for (int32_t i = 0; i < hole_count; i++) {
            sizes[i] = points(bytes, holes + used, 3, 20);
            used += sizes[i];
        }
        return ph_shape_polygon(ring, count, holes, sizes, hole_count, 0, take(bytes) & 1, &error);
    }
    }
}

static PhSweep sweep(Bytes *bytes) {
    PhSweep motion = {.center = point(bytes)};
    motion.from = point(bytes);
    motion.to = point(bytes);
    motion.angle = number(bytes);
    motion.turn = number(bytes);
    return motion;
}

static PhTransform pose(Bytes *bytes) {
    PhVec2 origin = point(bytes);
    return (PhTransform){origin, ph_rot(number(bytes))};
}

static bool is_near(double a, double b, double tolerance) {
    return fabs(a - b) <= tolerance;
}

// ------------------------------------------------------------------------------------------------

// A raw ring through the ways of the shapes: checked, tidied, decomposed. The parts are convex and
// have the area of the whole.
static void ask_decompose(Bytes *bytes) {
    PhVec2 raw[MOST_VERTICES], ring[MOST_VERTICES];
    int32_t labels[MOST_VERTICES], starts[2] = {0, 0};
    int32_t count = finite_points(bytes, raw, 3, MOST_VERTICES);
    starts[1] = ph_ring_tidy(raw, count, ring, labels);
    PhRings rings = {ring, starts, 1, labels, "vertices", NULL};
    PhError error;
    bool simple = starts[1] >= 3 && ph_rings_check(&rings, &error) == PH_OK;
    if (starts[1] < 3) {
        return;
    }
    if (simple) {
        ph_ring_orient(ring, labels, starts[1], true);
    }
    int32_t(*triangles)[3] = NULL, triangle_count = 0;
    if (ph_triangulate(ring, starts, 1, NULL, &triangles, &triangle_count, &error) == PH_OK) {
        must(!simple || triangle_count == starts[1] - 2);
        for (int32_t i = 0; i < triangle_count; i++) {
            for (int k = 0; k < 3; k++) {
                must(triangles[i][k] >= 0 && triangles[i][k] < starts[1]);
            }
        }
        ph_free(triangles);
    } else {
        must(!simple);
    }
    int32_t *indices = NULL, *part_starts = NULL, part_count = 0;
    PhStatus status =
        ph_decompose(ring, starts, 1, NULL, &indices, &part_starts, &part_count, &error);
    must(status == PH_OK || !simple);
    if (status) {
        return;
    }
    double sum = 0, size = 0;
    for (int32_t i = 0; i < part_count; i++) {
        PhVec2 part[MOST_VERTICES];
        int32_t n = part_starts[i + 1] - part_starts[i];
        must(n >= 3 && n <= starts[1]);
        for (int32_t k = 0; k < n; k++) {
            part[k] = ring[indices[part_starts[i] + k]];
        }
        must(!simple || ph_ring_is_convex(part, n));
        sum += ph_ring_area(part, n);
    }
    for (int32_t i = 0; i < starts[1]; i++) {
        size = fmax(size, fmax(fabs(ring[i].x), fabs(ring[i].y)));
    }
    if (simple && bytes->sane) {
        must(is_near(sum, ph_ring_area(ring, starts[1]), 1e-12 * size * size));
    }
    ph_free(indices);
    ph_free(part_starts);
}

// Both sides of a line together have the area of the whole.
static void ask_slice(Bytes *bytes) {
    PhShape *polygon = shape(bytes);
    PhCutLine line = cut_line(bytes, false);
    double snap = take(bytes) & 1 ? fabs(known(number(bytes))) : 0;
    double width = take(bytes) & 1 ? fabs(known(number(bytes))) : 0;
    if (polygon && polygon->kind == PH_SHAPE_POLYGON && polygon->radius == 0) {
        int32_t starts[MOST_HOLES + 2] = {0};
        for (int32_t i = 0; i <= polygon->hole_count; i++) {
            starts[i + 1] = polygon->hole_count ? polygon->hole_starts[i] : polygon->vertex_count;
        }
        PhSlices slices = {0};
        PhError error;
        if (ph_slice_rings(polygon->vertices, starts, polygon->hole_count + 1, &line, snap, width,
                           NULL, &slices, &error) == PH_OK) {
            double area = 0, size = polygon->extent;
            for (int32_t i = 0; i < slices.ring_count; i++) {
                area += ph_ring_area(slices.vertices + slices.ring_starts[i],
                                     slices.ring_starts[i + 1] - slices.ring_starts[i]);
            }
            if (bytes->sane && snap == 0) {
                must(is_near(area, polygon->area, 1e-9 * size * size));
            }
            ph_slices_free(&slices);
        }
    }
    ph_shape_release(polygon);
}

// What is clipped has no more area than before, and nothing of it lies across the line.
static void ask_clip(Bytes *bytes) {
    PhVec2 ring[MOST_VERTICES], out[2 * MOST_VERTICES];
    int32_t count = finite_points(bytes, ring, 3, MOST_VERTICES);
    PhCutLine line = cut_line(bytes, take(bytes) & 1);
    int32_t n = ph_clip_ring(ring, count, &line, out);
    must(n >= 0 && n <= 2 * count);
    bool simple = ph_ring_check(ring, count, "vertices", NULL) == PH_OK;
    if (bytes->sane && simple) {
        must(fabs(ph_ring_area(out, n)) <= fabs(ph_ring_area(ring, count)) * (1 + 1e-9) + 1e-9);
    }
    bool kept[MOST_VERTICES] = {false};
    PhSimplify work;
    ph_simplify_begin(&work, ring, count, take(bytes) & 1, fabs(known(number(bytes))), kept);
    int rounds = 0;
    while (!ph_simplify_run(&work, 64)) {
        must(++rounds < 10000);
    }
    (void)ph_ring_mass(ring, count);
    (void)ph_ring_centroid(ring, count);
    (void)ph_ring_second_moment(ring, count, 1, NULL);
    (void)ph_convex_winding(ring, count);
    (void)ph_ring_contains(ring, count, line.p);
}

// A hull is convex and holds its points.
static void ask_hull(Bytes *bytes) {
    PhVec2 cloud[MOST_VERTICES], hull[MOST_VERTICES];
    int32_t count = finite_points(bytes, cloud, 1, MOST_VERTICES);
    int32_t n = ph_convex_hull(cloud, count, hull, NULL);
    must(n >= 0 && n <= count);
    if (n < 3) {
        return;
    }
    must(ph_ring_is_convex(hull, n));
    for (int32_t i = 0; i < count; i++) {
        must(ph_ring_contains(hull, n, cloud[i]) >= 0);
    }
    (void)ph_convex_width(hull, n);
}

// Distances are the same from both sides, and those between the points that are named.
static void ask_distance(Bytes *bytes) {
    PhShape *a = shape(bytes), *b = shape(bytes);
    PhTransform ta = pose(bytes), tb = pose(bytes);
    double margin = number(bytes), level = number(bytes);
    for (int32_t i = 0; a && b && i < a->piece_count && i < 8; i++) {
        const PhPiece *p = &a->pieces[i], *q = &b->pieces[(uint32_t)i % (uint32_t)b->piece_count];
        PhDistance there = ph_distance(p, ta, q, tb), back = ph_distance(q, tb, p, ta);
        PhManifold manifold;
        PhVec2 push;
        ph_collide(p, ta, q, tb, margin, &ph_lengths_of_one, &manifold);
        must(manifold.count >= 0 && manifold.count <= 2);
        bool overlaps = ph_mtv(p, ta, q, tb, &push);
        (void)ph_touch_normal(p, ta, q, tb);
        if (!bytes->sane) {
            continue;
        }
        double size = a->extent + b->extent + ph_length(ph_sub(ta.p, tb.p));
        must(there.distance >= 0 && is_near(there.distance, back.distance, 1e-9 * size));
        double gap = ph_length(ph_sub(there.point_a, there.point_b));
        must(is_near(gap, there.distance, 1e-9 * size));
        must(!overlaps || there.distance <= 1e-9 * size);
    }
    if (a) {
        PhSurface surface = {.level = level};
        PhSubmerged under;
        PhVec2 zero = {0, 0};
        if (ph_submerge(a, ta, zero, &surface, &under) && bytes->sane) {
            must(under.area <= a->area * (1 + 1e-9) + 1e-9);
        }
        PhVec2 *outline = NULL;
        int32_t count = 0;
        PhError error;
        if (ph_shape_outline(a, true, &outline, &count, &error) == PH_OK) {
            ph_free(outline);
        }
        (void)ph_shape_contains(a, tb.p);
    }
    ph_shape_release(a);
    ph_shape_release(b);
}

// At the time of impact the distance is the target, and just before it is not below.
static void ask_impact(Bytes *bytes) {
    PhShape *a = shape(bytes), *b = shape(bytes);
    PhSweep motion_a = sweep(bytes), motion_b = sweep(bytes);
    double target = fabs(number(bytes));
    if (a && b && isfinite(target)) {
        PhImpact impact = ph_shapes_impact(a, &motion_a, b, &motion_b, target, NULL);
        if (bytes->sane && a->piece_count == 1 && b->piece_count == 1 &&
            fabs(motion_a.turn) < 100 && fabs(motion_b.turn) < 100) {
            must(impact.fraction >= 0 && impact.fraction <= 1);
            double size = a->extent + b->extent + target + fabs(motion_a.center.x) +
                          fabs(motion_a.center.y) + fabs(motion_b.center.x) +
                          fabs(motion_b.center.y) +
                          ph_length(ph_sub(motion_a.from, motion_b.from)) +
                          ph_length(ph_sub(motion_a.to, motion_b.to));
            for (int i = 0; i <= 16; i++) {
                double f = impact.fraction * i / 16;
                PhDistance found = ph_distance(a->pieces, ph_sweep_pose(&motion_a, f), b->pieces,
                                               ph_sweep_pose(&motion_b, f));
                if (i < 16 || !impact.hit) {
                    must(impact.fraction == 0 || found.distance >= target - 1e-8 * size);
                } else if (impact.fraction > 0) {
                    must(found.distance <= target + 1e-6 * size);
                }
            }
        }
    }
    ph_shape_release(a);
    ph_shape_release(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void (*const ask[])(Bytes *) = {ask_decompose, ask_slice,    ask_clip,
                                           ask_hull,      ask_distance, ask_impact};
    Bytes bytes = {data, data + size, true};
    int64_t blocks = ph_live_allocations();
    ask[take(&bytes) % (sizeof ask / sizeof *ask)](&bytes);
    must(ph_live_allocations() == blocks);
    return 0;
}
