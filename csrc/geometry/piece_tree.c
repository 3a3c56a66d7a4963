// Tree over the pieces of a shape and the walk over two of them at once.
//
// Invariant: a node's box holds those of its children; the depth is at most log2(pieces) + 1, since
// children differ by one piece at most.
//
// Pieces are put in the order of a Z-shaped curve through their centroids and halved.
//
// Sources: G. M. Morton, "A computer oriented geodetic data base" (1966), for the curve; T. M.
// Chan, "Closest-point problems simplified on the RAM" (2002), for comparing along it without
// computing it; S. Gottschalk, M. Lin, D. Manocha, "OBBTree" (1996), for the walk over two trees.
#include "geometry/piece_tree.h"

#include "base/sort.h"
#include "base/status.h"
#include "geometry/shape.h"

enum { PORTION = 1 << 12 }; // nodes between two questions to a PhStop

// ------------------------------------------------------------------------------------------------
// building

typedef struct Place {
    uint32_t x, y; // of the centroid, 0 .. 2^31 - 1
    int32_t piece;
} Place;
_Static_assert(sizeof(Place) <= sizeof(PhPieceNode), "the nodes' memory holds the places first");

static uint32_t cell(double offset, double scale) {
    double x = offset * scale;
    return x >= 2147483647.0 ? 2147483647u : x > 0 ? (uint32_t)x : 0;
}

static bool comes_before(const void *left, const void *right, const void *context) {
    const Place *p = left, *q = right;
    (void)context;
    uint32_t in_x = p->x ^ q->x, in_y = p->y ^ q->y;
    // The axis with the higher differing bit decides; y when it is the same bit.
    bool by_x = in_y < in_x && in_y < (in_x ^ in_y);
    if ((by_x ? in_x : in_y) == 0) {
        return p->piece < q->piece;
    }
    return by_x ? p->x < q->x : p->y < q->y;
}

typedef struct Building {
    const PhPiece *pieces;
    const PhStop *stop;
    bool stopped;
} Building;

static PhAabb build(Building *run, const int32_t *order, int32_t count, PhPieceNode *node) {
    node->leaves = count;
    run->stopped = run->stopped || (count / PORTION == 1 && ph_stop_wanted(run->stop));
    if (count == 1 || run->stopped) {
        node->piece = *order;
        node->box = ph_piece_aabb(&run->pieces[*order], (PhTransform){{0, 0}, {1, 0}});
    } else {
        int32_t half = count / 2;
        node->piece = -1;
        PhAabb first = build(run, order, half, node + 1);
        node->box =
            ph_union(first, build(run, order + half, count - half, node + 2 * (size_t)half));
    }
    return node->box;
}

bool ph_piece_tree_build(const PhPiece *pieces, int32_t count, PhPieceNode *nodes, int32_t *order,
                         const PhStop *stop) {
    PhVec2 lower = pieces[0].centroid, upper = lower;
    for (int32_t i = 0; i < count; i++) {
        PhAabb both =
            ph_union((PhAabb){lower, upper}, (PhAabb){pieces[i].centroid, pieces[i].centroid});
        lower = both.lower;
        upper = both.upper;
    }
    double size = fmax(upper.x - lower.x, upper.y - lower.y);
    double scale = size > 0 ? 2147483648.0 / size : 0;
    Place *places = (Place *)(void *)nodes;
    for (int32_t i = 0; i < count; i++) {
        PhVec2 offset = ph_sub(pieces[i].centroid, lower);
        places[i] = (Place){cell(offset.x, scale), cell(offset.y, scale), i};
    }
    if (!ph_sort_until(places, (size_t)count, sizeof *places, comes_before, NULL, stop)) {
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        order[i] = places[i].piece;
    }
    Building run = {pieces, stop, false};
    build(&run, order, count, nodes);
    return !run.stopped;
}

// ------------------------------------------------------------------------------------------------
// walking

static PhMovingPieces at_rest(const PhShape *shape, PhTransform pose) {
    return (PhMovingPieces){shape->tree, {shape->aabb, 1, 0}, pose, pose, {0, 0}, 0};
}

static PhMovingPieces moving(const PhShape *shape, const PhSweep *motion) {
    PhTransform start = ph_sweep_pose(motion, 0), end = ph_sweep_pose(motion, 1);
    return (PhMovingPieces){shape->tree, {shape->aabb, 1, 0}, start,
                            end,         motion->center,      motion->turn};
}

static inline const PhPieceNode *node_of(const PhMovingPieces *side, int32_t i) {
    return side->nodes ? &side->nodes[i] : &side->only;
}

// Holds the node's box at every pose between start and end. Points move on arcs: they are off the
// chord by 1/8 turn^2 times their distance from what they turn about at most, and never by more
// than that distance twice.
static PhAabb swept_box(const PhMovingPieces *side, const PhPieceNode *node) {
    PhVec2 center = ph_scale(0.5, ph_add(node->box.lower, node->box.upper));
    PhVec2 half = ph_scale(0.5, ph_sub(node->box.upper, node->box.lower));
    PhVec2 from = ph_apply(side->start, center), to = from;
    if (side->turn != 0) {
        to = ph_apply(side->end, center);
        double bulge = 0.125 * side->turn * side->turn;
        double arm = ph_length(ph_sub(center, side->center));
        double reach = ph_length(half) + (bulge < 2 ? bulge : 2) * arm;
        half = ph_vec(reach, reach);
    } else {
        PhRot q = side->start.q;
        to = ph_add(from, ph_sub(side->end.p, side->start.p));
        half = ph_vec(fabs(q.c) * half.x + fabs(q.s) * half.y,
                      fabs(q.s) * half.x + fabs(q.c) * half.y);
    }
    PhAabb box = ph_union((PhAabb){from, from}, (PhAabb){to, to});
    return (PhAabb){ph_sub(box.lower, half), ph_add(box.upper, half)};
}

static void push(PhPairWalk *walk, int32_t a, int32_t b) {
    PhAabb p = swept_box(&walk->a, node_of(&walk->a, a));
    PhAabb q = swept_box(&walk->b, node_of(&walk->b, b));
    double x = fmax(p.lower.x - q.upper.x, q.lower.x - p.upper.x) - walk->slack;
    double y = fmax(p.lower.y - q.upper.y, q.lower.y - p.upper.y) - walk->slack;
    x = x > 0 ? x : 0; // NaN too: such pairs are examined
    y = y > 0 ? y : 0;
    PH_ASSERT(walk->count < PH_PIECE_PAIR_STACK);
    walk->stack[walk->count++] = (PhPairWalkEntry){a, b, x * x + y * y};
}

static void start_walk(PhPairWalk *walk, double size) {
    const PhTransform *poses[] = {&walk->a.start, &walk->a.end, &walk->b.start, &walk->b.end};
    for (int i = 0; i < 4; i++) {
        size += fabs(poses[i]->p.x) + fabs(poses[i]->p.y);
    }
    walk->slack = 1e-14 * size;
    walk->count = 0;
    walk->looked = 0;
    push(walk, 0, 0);
}

void ph_pair_walk_start(PhPairWalk *walk, const PhShape *a, PhTransform ta, const PhShape *b,
                        PhTransform tb, const PhStop *stop) {
    walk->stop = stop;
    walk->a = at_rest(a, ta);
    walk->b = at_rest(b, tb);
    start_walk(walk, a->extent + b->extent);
}

void ph_pair_walk_sweep(PhPairWalk *walk, const PhShape *a, const PhSweep *motion_a,
                        const PhShape *b, const PhSweep *motion_b) {
    walk->stop = NULL;
    walk->a = moving(a, motion_a);
    walk->b = moving(b, motion_b);
    start_walk(walk, a->extent + b->extent);
}

void ph_pair_walk_until(PhPairWalk *walk, const PhSweep *motion_a, const PhSweep *motion_b,
                        double fraction) {
    walk->a.end = ph_sweep_pose(motion_a, fraction);
    walk->b.end = ph_sweep_pose(motion_b, fraction);
    walk->a.turn = fraction * motion_a->turn;
    walk->b.turn = fraction * motion_b->turn;
}

bool ph_pair_walk_next(PhPairWalk *walk, double reach, int32_t *piece_a, int32_t *piece_b) {
    double limit = reach * reach;
    while (walk->count > 0) {
        if (++walk->looked % PORTION == 0 && ph_stop_wanted(walk->stop)) {
            break;
        }
        int32_t top = --walk->count;
        int32_t i = walk->stack[top].a, k = walk->stack[top].b;
        if (walk->stack[top].gap_squared > limit) {
            continue;
        }
        const PhPieceNode *p = node_of(&walk->a, i), *q = node_of(&walk->b, k);
        if (p->leaves == 1 && q->leaves == 1) {
            *piece_a = p->piece;
            *piece_b = q->piece;
            return true;
        }
        bool split_a =
            p->leaves > 1 && (q->leaves == 1 || ph_perimeter(p->box) >= ph_perimeter(q->box));
        int32_t base = split_a ? i : k;
        int32_t second = base + 2 * (split_a ? p + 1 : q + 1)->leaves;
        push(walk, split_a ? base + 1 : i, split_a ? k : base + 1);
        push(walk, split_a ? second : i, split_a ? k : second);
        PhPairWalkEntry *first = &walk->stack[top], *last = first + 1;
        if (first->gap_squared < last->gap_squared) {
            PhPairWalkEntry nearer = *first;
            *first = *last;
            *last = nearer;
        }
    }
    return false;
}
