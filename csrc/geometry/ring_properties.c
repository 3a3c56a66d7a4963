// Owns nothing: properties of a ring that follow from its vertices one after the other. Whatever
// is a yes or no is decided by exact signs.
#include "geometry/ring_properties.h"

#include "geometry/polygon.h"
#include "geometry/predicates.h"
#include "math/range.h"

// The area is a sum of triangles about the first vertex. Below this part of their sum of magnitudes
// it is noise to a good deal, and the triangles are computed more accurately.
#define THIN 0x1p-20

// Rings within this range across are measured as they are: none of the products of a measure
// overflows, and none that matters underflows. Others are brought to this size first.
#define SMALLEST 0x1p-200
#define LARGEST 0x1p200
enum { MIDDLE = 128 };

// A ring whose coordinates count as multiplied by powers of two.
typedef struct ScaledRing {
    const PhVec2 *vertices;
    int32_t count;
    int up_x, up_y; // the exponents
} ScaledRing;

static int exponent_to_middle(double low, double high) {
    // Halves of the smallest numbers are rounded, the whole of the largest ones is infinite.
    bool huge = high > 0x1p1000 || low < -0x1p1000;
    double across = huge ? 0.5 * high - 0.5 * low : high - low;
    int exponent = 0;
    if (across == 0 || (across > SMALLEST && across < LARGEST)) {
        return 0;
    }
    (void)frexp(across, &exponent);
    return MIDDLE - exponent;
}

static ScaledRing scale_ring(const PhVec2 *vertices, int32_t count) {
    PhVec2 low = vertices[0], high = vertices[0];
    for (int32_t i = 1; i < count; i++) {
        PhVec2 v = vertices[i];
        low = ph_vec(v.x < low.x ? v.x : low.x, v.y < low.y ? v.y : low.y);
        high = ph_vec(v.x > high.x ? v.x : high.x, v.y > high.y ? v.y : high.y);
    }
    return (ScaledRing){vertices, count, exponent_to_middle(low.x, high.x),
                        exponent_to_middle(low.y, high.y)};
}

static bool is_ordinary(const ScaledRing *ring) {
    return ring->up_x == 0 && ring->up_y == 0;
}

static PhVec2 scaled_vertex(const ScaledRing *ring, int32_t i) {
    PhVec2 v = ring->vertices[i];
    return is_ordinary(ring) ? v : ph_vec(ldexp(v.x, ring->up_x), ldexp(v.y, ring->up_y));
}

typedef struct Fan {
    double twice_area;
    PhVec2 moment; // six times the area times the centroid, from the first vertex
} Fan;

static bool is_thin(const PhVec2 *vertices, int32_t count) {
    double sum = 0, size = 0;
    for (int32_t i = 1; i + 1 < count; i++) {
        PhVec2 a = ph_sub(vertices[i], vertices[0]), b = ph_sub(vertices[i + 1], vertices[0]);
        sum += ph_cross(a, b);
        size += fabs(a.x * b.y) + fabs(a.y * b.x);
    }
    return !(fabs(sum) > THIN * size);
}

// In the ring's own scale; zero when the area is exactly 0.
static Fan accurate_fan(const ScaledRing *ring) {
    Fan fan = {0, {0, 0}};
    if (ph_ring_winding(ring->vertices, ring->count) == 0) {
        return fan;
    }
    PhVec2 first = scaled_vertex(ring, 0), from = scaled_vertex(ring, 1);
    for (int32_t i = 2; i < ring->count; i++) {
        PhVec2 to = scaled_vertex(ring, i);
        PhArrow a = ph_arrow(first, from), b = ph_arrow(first, to);
        double cross = ph_cross_value(a, b);
        fan.twice_area += cross;
        fan.moment =
            ph_mul_add(fan.moment, cross, ph_add(ph_sub(a.to, a.from), ph_sub(b.to, b.from)));
        from = to;
    }
    return fan;
}

// From the first vertex, in the ring's scale: of the area, or of the vertices when that is 0.
static PhVec2 center_offset(const ScaledRing *ring, const Fan *fan) {
    if (fan->twice_area != 0) {
        double whole = 3 * fan->twice_area;
        return ph_vec(fan->moment.x / whole, fan->moment.y / whole);
    }
    PhVec2 sum = {0, 0}, first = scaled_vertex(ring, 0);
    for (int32_t i = 0; i < ring->count; i++) {
        sum = ph_add(sum, ph_sub(scaled_vertex(ring, i), first));
    }
    return ph_scale(1.0 / ring->count, sum);
}

double ph_ring_area(const PhVec2 *vertices, int32_t count) {
    ScaledRing ring = scale_ring(vertices, count);
    if (is_ordinary(&ring) && !is_thin(vertices, count)) {
        return ph_ring_mass(vertices, count).area;
    }
    return ldexp(accurate_fan(&ring).twice_area, -ring.up_x - ring.up_y - 1);
}

PhVec2 ph_ring_centroid(const PhVec2 *vertices, int32_t count) {
    ScaledRing ring = scale_ring(vertices, count);
    if (is_ordinary(&ring) && !is_thin(vertices, count)) {
        return ph_ring_mass(vertices, count).centroid;
    }
    Fan fan = accurate_fan(&ring);
    PhVec2 center = ph_add(scaled_vertex(&ring, 0), center_offset(&ring, &fan));
    return ph_vec(ldexp(center.x, -ring.up_x), ldexp(center.y, -ring.up_y));
}

// ------------------------------------------------------------------------------------------------
// second moment

// fraction 2^exponent; the fraction is 0 or within [0.5, 1). A float64 without ends of its range.
typedef struct Extended {
    double fraction;
    int exponent;
} Extended;

static Extended extended(double value, int exponent) {
    int own;
    double fraction = frexp(value, &own);
    return (Extended){fraction, own + exponent};
}

static Extended extended_product(Extended a, Extended b) {
    return extended(a.fraction * b.fraction, a.exponent + b.exponent);
}

static Extended extended_sum(Extended a, Extended b) {
    if (a.fraction == 0 || (b.fraction != 0 && b.exponent > a.exponent)) {
        Extended other = a;
        a = b;
        b = other;
    }
    return b.fraction == 0
               ? a
               : extended(a.fraction + ldexp(b.fraction, b.exponent - a.exponent), a.exponent);
}

// Along one axis, from the point `about` to the centroid: squared.
static Extended squared_offset(double first, double offset, int up, double about) {
    Extended distance =
        extended_sum(extended_sum(extended(first, 0), extended(-about, 0)), extended(offset, -up));
    return extended_product(distance, distance);
}

static double extended_moment(const ScaledRing *ring, double density, const PhVec2 *about) {
    Fan fan = accurate_fan(ring);
    PhVec2 offset = center_offset(ring, &fan);
    PhVec2 center = ph_add(scaled_vertex(ring, 0), offset), along = {0, 0};
    PhVec2 a = ph_sub(scaled_vertex(ring, ring->count - 1), center);
    for (int32_t i = 0; i < ring->count; i++) {
        PhVec2 b = ph_sub(scaled_vertex(ring, i), center);
        double cross = ph_cross(a, b);
        along.x += cross * (a.x * a.x + a.x * b.x + b.x * b.x);
        along.y += cross * (a.y * a.y + a.y * b.y + b.y * b.y);
        a = b;
    }
    int up_area = ring->up_x + ring->up_y;
    Extended moment = extended_sum(extended(along.x / 12, -up_area - 2 * ring->up_x),
                                   extended(along.y / 12, -up_area - 2 * ring->up_y));
    moment.fraction = fabs(moment.fraction);
    if (about != NULL) {
        PhVec2 first = ring->vertices[0];
        Extended squared = extended_sum(squared_offset(first.x, offset.x, ring->up_x, about->x),
                                        squared_offset(first.y, offset.y, ring->up_y, about->y));
        Extended area = extended(0.5 * fabs(fan.twice_area), -up_area);
        moment = extended_sum(moment, extended_product(area, squared));
    }
    moment = extended_product(moment, extended(density, 0));
    return ldexp(moment.fraction, moment.exponent);
}

static bool is_within(double value) {
    return value > SMALLEST && value < LARGEST;
}

double ph_ring_second_moment(const PhVec2 *vertices, int32_t count, double density,
                             const PhVec2 *about) {
    ScaledRing ring = scale_ring(vertices, count);
    if (is_ordinary(&ring) && (density == 0 || is_within(density))) {
        PhMassProperties mass = ph_ring_mass(vertices, count);
        PhVec2 from = about != NULL ? ph_sub(mass.centroid, *about) : ph_vec(0, 0);
        if (fabs(from.x) < LARGEST && fabs(from.y) < LARGEST) {
            return density * (fabs(mass.inertia) + fabs(mass.area) * ph_length_squared(from));
        }
    }
    return extended_moment(&ring, density, about);
}

// Counts the changes of sign along a cyclic sequence, zeros left out.
typedef struct SignChanges {
    int first, last, count;
} SignChanges;

static void follow(SignChanges *changes, double difference) {
    int sign = (difference > 0) - (difference < 0);
    if (sign != 0) {
        changes->count += changes->last != 0 && sign != changes->last;
        changes->first = changes->first != 0 ? changes->first : sign;
        changes->last = sign;
    }
}

static int total(const SignChanges *changes) {
    return changes->count + (changes->last != changes->first);
}

// No turn against the winding, and one turn in all: the direction of the edges changes sign at most
// twice along each axis, so that a pentagram is not convex.
bool ph_ring_is_convex(const PhVec2 *vertices, int32_t count) {
    SignChanges x = {0, 0, 0}, y = {0, 0, 0};
    int turn = 0;
    // The last two vertices that differ from each other; a repeated one makes no turn of its own.
    PhVec2 a = vertices[0], b = vertices[0];
    bool started = false;
    for (int32_t i = 1; i < 2 * count; i++) {
        PhVec2 c = vertices[i < count ? i : i - count];
        if (c.x == b.x && c.y == b.y) {
            continue;
        }
        if (started) {
            int side = ph_orientation(a, b, c);
            if (side != 0 && turn != 0 && side != turn) {
                return false;
            }
            turn = side != 0 ? side : turn;
        }
        if (i <= count) {
            follow(&x, c.x - b.x);
            follow(&y, c.y - b.y);
        }
        started = true;
        a = b;
        b = c;
        if (i > count) {
            break; // the turn at the start has been seen
        }
    }
    return turn != 0 && total(&x) <= 2 && total(&y) <= 2;
}

void ph_ring_edges(const PhVec2 *vertices, int32_t count, PhVec2 *out) {
    for (int32_t i = 0; i < count; i++) {
        out[i] = ph_sub(vertices[i + 1 < count ? i + 1 : 0], vertices[i]);
    }
}

void ph_ring_normals(const PhVec2 *vertices, int32_t count, PhVec2 *out) {
    double side = ph_ring_winding(vertices, count) < 0 ? -1 : 1;
    for (int32_t i = 0; i < count; i++) {
        PhVec2 a = vertices[i], b = vertices[i + 1 < count ? i + 1 : 0];
        // Before the difference, which could overflow.
        double scale = ph_range_scale(ph_largest(ph_largest(0, a), b));
        PhVec2 edge = ph_sub(ph_scale(scale, b), ph_scale(scale, a));
        edge = ph_scale(ph_range_scale(ph_largest(0, edge)), edge);
        PhVec2 normal = ph_normalize_or(ph_scale(side, ph_right(edge)), ph_vec(NAN, NAN));
        out[i] = ph_add(normal, ph_vec(0, 0)); // no negative zeros
    }
}
