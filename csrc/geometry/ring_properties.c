// Owns nothing: properties of a ring that follow from its vertices one after the other. Whatever
// is a yes or no is decided by exact signs.
#include "geometry/ring_properties.h"

#include "geometry/polygon.h"
#include "geometry/predicates.h"
#include "math/range.h"

// The area is a sum of triangles about the first vertex. Below this part of their sum of magnitudes
// it is noise to a good deal, and the triangles are computed more accurately.
#define THIN 0x1p-20

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

static Fan accurate_fan(const PhVec2 *vertices, int32_t count) {
    Fan fan = {0, {0, 0}};
    for (int32_t i = 1; i + 1 < count; i++) {
        PhArrow a = ph_arrow(vertices[0], vertices[i]), b = ph_arrow(vertices[0], vertices[i + 1]);
        double cross = ph_cross_value(a, b);
        fan.twice_area += cross;
        fan.moment =
            ph_mul_add(fan.moment, cross, ph_add(ph_sub(a.to, a.from), ph_sub(b.to, b.from)));
    }
    return fan;
}

double ph_ring_area(const PhVec2 *vertices, int32_t count) {
    if (!is_thin(vertices, count)) {
        return ph_ring_mass(vertices, count).area;
    }
    return ph_ring_winding(vertices, count) != 0 ? 0.5 * accurate_fan(vertices, count).twice_area
                                                 : 0;
}

PhVec2 ph_ring_centroid(const PhVec2 *vertices, int32_t count) {
    if (!is_thin(vertices, count)) {
        return ph_ring_mass(vertices, count).centroid;
    }
    if (ph_ring_winding(vertices, count) != 0) {
        Fan fan = accurate_fan(vertices, count);
        if (fan.twice_area != 0) {
            double whole = 3 * fan.twice_area;
            return ph_add(vertices[0], ph_vec(fan.moment.x / whole, fan.moment.y / whole));
        }
    }
    PhVec2 sum = {0, 0};
    for (int32_t i = 0; i < count; i++) {
        sum = ph_add(sum, ph_sub(vertices[i], vertices[0]));
    }
    return ph_mul_add(vertices[0], 1.0 / count, sum);
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
