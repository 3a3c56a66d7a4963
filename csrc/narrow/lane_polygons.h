// Part of lane_source.h: convex polygons of up to four or eight vertices, rounded or not, against
// each other, against boxes and capsules, and against circles.
//
// All numbers are in the frame of a's box. A ring with fewer vertices than the kernel's count
// repeats its first vertex; the edges between copies have no normal, and an offset that is never
// the best.

typedef enum RingSource { FROM_BOX = 2, FROM_RING_4 = 4, FROM_RING_8 = 8 } RingSource;

// A ring: vertices, the outward normals of the edges that begin there, and the offsets of the edges
// from the origin.
typedef struct Ring {
    Lanes x[9], y[9], nx[8], ny[8], offset[8];
    int count;
} Ring;

PH_INLINE void load_ring(const PhLanePairs *pairs, const uint32_t *proxy, const uint32_t *pair,
                         const Body *body, RingSource source, Ring *ring) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1);
    ring->count = source == FROM_RING_8 ? 8 : 4;
    if (source == FROM_BOX) {
        Mask high = lanes_less(zero, body->hy);
        Lanes side = lanes_keep(high, one);
        Lanes across = lanes_select(high, body->hx, lanes_splat(PH_LANE_NEVER));
        for (int i = 0; i < 4; i++) {
            ring->x[i] = i == 1 || i == 2 ? body->hx : -body->hx;
            ring->y[i] = i >= 2 ? body->hy : -body->hy;
            ring->nx[i] = i == 1 ? side : i == 3 ? -side : zero;
            ring->ny[i] = i == 0 ? -one : i == 2 ? one : zero;
            ring->offset[i] = i & 1 ? across : body->hy;
        }
    } else {
        const void *table[PH_LANES];
        for (int l = 0; l < PH_LANES; l++) {
            table[l] = &pairs->ring[proxy[pair[l]]];
        }
        for (int i = 0; i < ring->count; i += 4) {
            size_t at = (size_t)(i / 4) * sizeof(PhLaneRingHalf);
            lanes_gather_quads(table, at, ring->x + i);
            lanes_gather_quads(table, at + 16, ring->y + i);
            lanes_gather_quads(table, at + 32, ring->nx + i);
            lanes_gather_quads(table, at + 48, ring->ny + i);
            lanes_gather_quads(table, at + 64, ring->offset + i);
        }
    }
    ring->x[ring->count] = ring->x[0];
    ring->y[ring->count] = ring->y[0];
}

// Rotates a ring by (c, s), then translates it.
PH_INLINE void move_ring(Ring *ring, Lanes c, Lanes s, Lanes dx, Lanes dy) {
    for (int i = 0; i <= ring->count; i++) {
        Lanes x = ring->x[i], y = ring->y[i];
        ring->x[i] = dx + (c * x - s * y);
        ring->y[i] = dy + (s * x + c * y);
    }
    for (int i = 0; i < ring->count; i++) {
        Lanes x = ring->nx[i], y = ring->ny[i];
        ring->nx[i] = c * x - s * y;
        ring->ny[i] = s * x + c * y;
        ring->offset[i] = ring->offset[i] + (ring->nx[i] * dx + ring->ny[i] * dy);
    }
}

typedef struct Edge {
    Lanes nx, ny, x0, y0, x1, y1;
} Edge;

PH_INLINE void take_edge(const Ring *ring, int i, Mask take, Edge *edge) {
    edge->nx = lanes_select(take, ring->nx[i], edge->nx);
    edge->ny = lanes_select(take, ring->ny[i], edge->ny);
    edge->x0 = lanes_select(take, ring->x[i], edge->x0);
    edge->y0 = lanes_select(take, ring->y[i], edge->y0);
    edge->x1 = lanes_select(take, ring->x[i + 1], edge->x1);
    edge->y1 = lanes_select(take, ring->y[i + 1], edge->y1);
}

PH_INLINE Edge first_edge(const Ring *ring) {
    return (Edge){ring->nx[0], ring->ny[0], ring->x[0], ring->y[0], ring->x[1], ring->y[1]};
}

// The first face of greatest separation.
PH_INLINE Lanes best_edge(const Ring *ring, const Ring *other, Edge *edge) {
    Lanes best = lanes_splat(-PH_LANE_NEVER);
    *edge = first_edge(ring);
    for (int i = 0; i < ring->count; i++) {
        Lanes low = ring->nx[i] * other->x[0] + ring->ny[i] * other->y[0];
        for (int j = 1; j < other->count; j++) {
            low = lanes_min(low, ring->nx[i] * other->x[j] + ring->ny[i] * other->y[j]);
        }
        Lanes separation = low - ring->offset[i];
        Mask better = lanes_less(best, separation);
        take_edge(ring, i, better, edge);
        best = lanes_select(better, separation, best);
    }
    return best;
}

typedef struct Polygons {
    Ring a, b; // both in a's frame
    Edge edge_a, edge_b;
} Polygons;

// The edge of a ring that is most opposed to a direction; only in the lanes that are wanted.
PH_INLINE void opposed_edge(const Ring *ring, Lanes ux, Lanes uy, Mask wanted, Edge *edge) {
    Lanes least = lanes_splat(2);
    for (int i = 0; i < ring->count; i++) {
        Lanes facing = ring->nx[i] * ux + ring->ny[i] * uy;
        Mask better = lanes_less(facing, least);
        take_edge(ring, i, better & wanted, edge);
        least = lanes_select(better, facing, least);
    }
}

PH_INLINE void polygon_sides(const Couple *k, const void *data, Mask by_b, Sides *out) {
    const Polygons *p = data;
    const Lanes half = lanes_splat(0.5f);
    Edge r = p->edge_a, e = first_edge(&p->b);
    r.nx = lanes_select(by_b, p->edge_b.nx, r.nx);
    r.ny = lanes_select(by_b, p->edge_b.ny, r.ny);
    r.x0 = lanes_select(by_b, p->edge_b.x0, r.x0);
    r.y0 = lanes_select(by_b, p->edge_b.y0, r.y0);
    r.x1 = lanes_select(by_b, p->edge_b.x1, r.x1);
    r.y1 = lanes_select(by_b, p->edge_b.y1, r.y1);
    opposed_edge(&p->b, r.nx, r.ny, lanes_not(by_b), &e);
    opposed_edge(&p->a, r.nx, r.ny, by_b, &e);
    Lanes mx = half * (r.x0 + r.x1), my = half * (r.y0 + r.y1);
    out->hv = half * (r.nx * (r.y1 - r.y0) - r.ny * (r.x1 - r.x0));
    // The incident side runs opposite to the reference side.
    Lanes u0 = r.nx * (e.x1 - mx) + r.ny * (e.y1 - my),
          v0 = r.nx * (e.y1 - my) - r.ny * (e.x1 - mx);
    Lanes u1 = r.nx * (e.x0 - mx) + r.ny * (e.y0 - my),
          v1 = r.nx * (e.y0 - my) - r.ny * (e.x0 - mx);
    Mask turned = lanes_less(v1, v0);
    out->top[0] = lanes_select(turned, u1, u0);
    out->top[1] = lanes_select(turned, u0, u1);
    out->place[0] = lanes_select(turned, v1, v0);
    out->place[1] = lanes_select(turned, v0, v1);
    out->ux = k->a.c * r.nx - k->a.s * r.ny;
    out->uy = k->a.s * r.nx + k->a.c * r.ny;
    out->x = k->a.c * mx - k->a.s * my;
    out->y = k->a.s * mx + k->a.c * my;
    clip_sides(out);
}

PH_INLINE void find_polygons(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,
                             RingSource source_a, RingSource source_b, ChainPlace place,
                             Touch *out) {
    const Body *a = &k->a, *b = &k->b;
    Polygons p;
    load_ring(pairs, pairs->owner, pair, a, source_a, &p.a);
    load_ring(pairs, pairs->other, pair, b, source_b, &p.b);
    move_ring(&p.b, a->c * b->c + a->s * b->s, a->c * b->s - a->s * b->c,
              a->c * k->dx + a->s * k->dy, a->c * k->dy - a->s * k->dx);
    Lanes best_a = best_edge(&p.a, &p.b, &p.edge_a), best_b = best_edge(&p.b, &p.a, &p.edge_b);
    touch_sides(k, best_a, best_b, place, polygon_sides, &p, out);
}

// The best face contains the point of the polygon that is nearest to the centre, on it or at one of
// its ends.
PH_INLINE void find_ring_circle(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,
                                RingSource source, bool circle_is_a, Touch *out) {
    const Body *body = circle_is_a ? &k->b : &k->a, *circle = circle_is_a ? &k->a : &k->b;
    const Lanes zero = lanes_splat(0), one = lanes_splat(1), half = lanes_splat(0.5f);
    Lanes dx = circle_is_a ? -k->dx : k->dx, dy = circle_is_a ? -k->dy : k->dy;
    Lanes x = body->c * dx + body->s * dy, y = body->c * dy - body->s * dx;
    Ring ring;
    load_ring(pairs, circle_is_a ? pairs->other : pairs->owner, pair, body, source, &ring);
    Edge e = first_edge(&ring);
    Lanes best = lanes_splat(-PH_LANE_NEVER);
    for (int i = 0; i < ring.count; i++) {
        Lanes separation = ring.nx[i] * x + ring.ny[i] * y - ring.offset[i];
        Mask better = lanes_less(best, separation);
        take_edge(&ring, i, better, &e);
        best = lanes_select(better, separation, best);
    }
    // v: along the edge. Beyond its ends, and if the centre is outside, the vertex decides.
    Lanes v0 = e.nx * (y - e.y0) - e.ny * (x - e.x0), v1 = e.nx * (y - e.y1) - e.ny * (x - e.x1);
    Mask outside = lanes_at_most(zero, best);
    Mask before = outside & lanes_less(v0, zero), after = outside & lanes_less(zero, v1);
    Lanes off_x = lanes_select(before, x - e.x0, x - e.x1);
    Lanes off_y = lanes_select(before, y - e.y0, y - e.y1);
    Lanes distance = lanes_sqrt(off_x * off_x + off_y * off_y);
    Mask at_vertex = (before | after) & lanes_less(lanes_load(k->lengths->tiny), distance);
    Lanes length = lanes_select(at_vertex, distance, one);
    Lanes ux = lanes_select(at_vertex, off_x / length, e.nx);
    Lanes uy = lanes_select(at_vertex, off_y / length, e.ny);
    Lanes core = lanes_select(at_vertex, distance, best);
    put_circle(k, body, circle, circle_is_a, x, y, ux, uy, core, half, out);
    const Lanes close = near_corner(k);
    out->corner = lanes_less(v0, close) | lanes_less(-close, v1);
    out->room = lanes_max(lanes_min(v0, -v1), zero);
    out->by_b = circle_is_a ? lanes_not(lanes_none()) : lanes_none();
    out->flat = lanes_not(at_vertex);
}

#define POLYGONS(name, source_a, source_b)                                                         \
    PH_INLINE void find_##name(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,    \
                               Touch *out) {                                                       \
        find_polygons(pairs, pair, k, source_a, source_b, NO_CHAIN, out);                          \
    }                                                                                              \
    MANIFOLD_IN_COMMON(name)
#define RING_CIRCLE(name, source, circle_is_a)                                                     \
    PH_INLINE void find_##name(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k,    \
                               Touch *out) {                                                       \
        find_ring_circle(pairs, pair, k, source, circle_is_a, out);                                \
    }                                                                                              \
    MANIFOLD_IN_COMMON(name)
POLYGONS(box_ring4, FROM_BOX, FROM_RING_4)
POLYGONS(box_ring8, FROM_BOX, FROM_RING_8)
POLYGONS(ring4_box, FROM_RING_4, FROM_BOX)
POLYGONS(ring8_box, FROM_RING_8, FROM_BOX)
POLYGONS(ring4_ring4, FROM_RING_4, FROM_RING_4)
POLYGONS(ring4_ring8, FROM_RING_4, FROM_RING_8)
POLYGONS(ring8_ring4, FROM_RING_8, FROM_RING_4)
POLYGONS(ring8_ring8, FROM_RING_8, FROM_RING_8)
RING_CIRCLE(ring4_circle, FROM_RING_4, false)
RING_CIRCLE(ring8_circle, FROM_RING_8, false)
RING_CIRCLE(circle_ring4, FROM_RING_4, true)
RING_CIRCLE(circle_ring8, FROM_RING_8, true)
