// The dynamic AABB tree: owns one array of nodes and a free list threaded through it.
//
// Invariant: every inner node has two children, its box is their union and its height one more than
// the higher child's; a leaf that is no box (NaN, or lower > upper) holds the EMPTY box, which is
// neutral in unions and never found.
//
// Sources: E. Catto, "Dynamic Bounding Volume Hierarchies" (2019): sibling by greedy descent on the
// perimeter cost with a lower bound; A. Kensler, "Tree Rotations for Improving Bounding Volume
// Hierarchies" (2008); slab test made conservative as in T. Ize, "Robust BVH Ray Traversal" (2013).
// Stackless walks by parent links as in M. Hapala et al., "Efficient Stack-less BVH Traversal for
// Ray Tracing" (2011).
#include "broad/aabb_tree.h"

#include <float.h>

#include "base/columns.h"
#include "base/memory.h"

// Children whose heights differ by more are exchanged whatever it costs, so that the height stays a
// small multiple of the logarithm. By cost alone, boxes that enclose each other like onion skins
// make a chain. Trees of ordinary boxes seldom slant so much.
enum { MAX_SLANT = 24 };

static const PhAabb EMPTY = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};

// Perimeter without the factor 2, finite for every box: differences of costs must not become NaN.
static inline double cost_of(PhAabb box) {
    double w = box.upper.x - box.lower.x, h = box.upper.y - box.lower.y;
    w = w > 0 ? w : 0;
    h = h > 0 ? h : 0;
    return w + h < 5e289 ? w + h : 5e289;
}

static PhAabb fatten(PhAabb box, double margin) {
    return ph_is_box(box) ? ph_grow(box, margin) : EMPTY;
}

void ph_tree_init(PhAabbTree *tree, double margin) {
    *tree = (PhAabbTree){.root = PH_NULL, .free_list = PH_NULL, .margin = margin};
}

void ph_tree_free(PhAabbTree *tree) {
    ph_free(tree->nodes);
    ph_tree_init(tree, tree->margin);
}

PhStatus ph_tree_copy(PhAabbTree *to, const PhAabbTree *from) {
    PhAabbTree copy = *from;
    const PhArray nodes = PH_ARRAY(copy.nodes);
    PhStatus status = ph_unshare_arrays(&nodes, 1, NULL);
    if (!status) {
        *to = copy;
    }
    return status;
}

// Callers have reserved.
static uint32_t take_node(PhAabbTree *tree) {
    uint32_t id = tree->free_list;
    if (id != PH_NULL) {
        tree->free_list = tree->nodes[id].parent;
    } else {
        id = tree->used++;
    }
    tree->nodes[id] =
        (PhTreeNode){.parent = PH_NULL, .child_a = PH_NULL, .child_b = PH_NULL, .box = EMPTY};
    return id;
}

static void give_node(PhAabbTree *tree, uint32_t id) {
    tree->nodes[id].height = PH_NULL;
    tree->nodes[id].parent = tree->free_list;
    tree->free_list = id;
}

static void refit(PhTreeNode *nodes, uint32_t id) {
    const PhTreeNode *a = &nodes[nodes[id].child_a], *b = &nodes[nodes[id].child_b];
    nodes[id].box = ph_union(a->box, b->box);
    nodes[id].height = 1 + (a->height > b->height ? a->height : b->height);
}

static void replace_child(PhAabbTree *tree, uint32_t parent, uint32_t from, uint32_t to) {
    if (parent == PH_NULL) {
        tree->root = to;
    } else if (tree->nodes[parent].child_a == from) {
        tree->nodes[parent].child_a = to;
    } else {
        tree->nodes[parent].child_b = to;
    }
    tree->nodes[to].parent = parent;
}

// Exchanges `up`, a grandchild of `id`, with `down`, the child of `id` that is not its parent.
static void swap_levels(PhAabbTree *tree, uint32_t id, uint32_t down, uint32_t up) {
    uint32_t middle = tree->nodes[up].parent;
    replace_child(tree, middle, up, down);
    replace_child(tree, id, down, up);
    refit(tree->nodes, middle);
    refit(tree->nodes, id);
}

// The child of an inner node that is too high for its sibling, or PH_NULL.
static uint32_t find_slant(const PhTreeNode *nodes, uint32_t id) {
    uint32_t a = nodes[id].child_a, b = nodes[id].child_b;
    if (nodes[a].height > nodes[b].height + MAX_SLANT) {
        return a;
    }
    return nodes[b].height > nodes[a].height + MAX_SLANT ? b : PH_NULL;
}

// Lets the lower child sink into the higher one until it meets its like; the higher grandchildren
// rise instead.
static void straighten(PhAabbTree *tree, uint32_t top) {
    PhTreeNode *nodes = tree->nodes;
    uint32_t id = top, middle;
    while (nodes[id].height > 0 && (middle = find_slant(nodes, id)) != PH_NULL) {
        uint32_t a = nodes[middle].child_a, b = nodes[middle].child_b;
        uint32_t low = nodes[id].child_a == middle ? nodes[id].child_b : nodes[id].child_a;
        swap_levels(tree, id, low, nodes[a].height < nodes[b].height ? b : a);
        id = middle;
    }
    while (id != top) {
        id = nodes[id].parent;
        refit(nodes, id);
    }
}

// The best of the four exchanges of a child with a grandchild, if one lowers the cost. An exchange
// changes the box of one node only: the child that keeps one of its children and gets the other
// child.
static void rotate(PhAabbTree *tree, uint32_t id) {
    const PhTreeNode *nodes = tree->nodes;
    const uint32_t child[2] = {nodes[id].child_a, nodes[id].child_b};
    double best_gain = 0;
    uint32_t best_down = PH_NULL, best_up = PH_NULL;
    for (int i = 0; i < 2; i++) {
        const PhTreeNode *middle = &nodes[child[i]];
        uint32_t down = child[1 - i];
        if (middle->height == 0) {
            continue;
        }
        const uint32_t grandchild[2] = {middle->child_a, middle->child_b};
        double before = cost_of(middle->box);
        for (int k = 0; k < 2; k++) {
            PhAabb after = ph_union(nodes[down].box, nodes[grandchild[1 - k]].box);
            double gain = before - cost_of(after);
            if (gain > best_gain) {
                best_gain = gain;
                best_down = down;
                best_up = grandchild[k];
            }
        }
    }
    if (best_up != PH_NULL) {
        swap_levels(tree, id, best_down, best_up);
    }
}

// Where a new leaf costs least: goes down while the lower bound of a child (what its subtree's best
// place must at least cost) promises something. Ties go deeper and to the lower child, so that
// equal boxes make a balanced tree.
static uint32_t find_sibling(const PhAabbTree *tree, PhAabb box) {
    const PhTreeNode *nodes = tree->nodes;
    const double own = cost_of(box);
    uint32_t id = tree->root, best = id;
    double inherited = 0; // enlargement of the ancestors
    double direct = cost_of(ph_union(nodes[id].box, box));
    double best_cost = direct;
    while (nodes[id].height > 0) {
        inherited += direct - cost_of(nodes[id].box);
        const uint32_t child[2] = {nodes[id].child_a, nodes[id].child_b};
        double child_direct[2], bound[2];
        for (int i = 0; i < 2; i++) {
            const PhTreeNode *node = &nodes[child[i]];
            child_direct[i] = cost_of(ph_union(node->box, box));
            double here = inherited + child_direct[i];
            double below = here - cost_of(node->box) + own;
            bound[i] = node->height == 0 || here < below ? here : below;
            if (here <= best_cost) {
                best_cost = here;
                best = child[i];
            }
        }
        bool lower_b = nodes[child[1]].height < nodes[child[0]].height;
        int next = bound[1] < bound[0] || (bound[1] == bound[0] && lower_b);
        if (bound[next] > best_cost) {
            break;
        }
        id = child[next];
        direct = child_direct[next];
        if (bound[0] == bound[1] && inherited + direct <= best_cost) {
            best = id;
        }
    }
    return best;
}

// Links a leaf that is in no tree. Takes one node from the free list, which must have it, unless
// the tree is empty.
static void attach(PhAabbTree *tree, uint32_t leaf) {
    if (tree->root == PH_NULL) {
        tree->root = leaf;
        tree->nodes[leaf].parent = PH_NULL;
        return;
    }
    uint32_t sibling = find_sibling(tree, tree->nodes[leaf].box);
    uint32_t above = tree->nodes[sibling].parent;
    uint32_t parent = take_node(tree);
    replace_child(tree, above, sibling, parent);
    tree->nodes[parent].child_a = sibling;
    tree->nodes[parent].child_b = leaf;
    tree->nodes[sibling].parent = parent;
    tree->nodes[leaf].parent = parent;
    for (uint32_t id = parent; id != PH_NULL; id = tree->nodes[id].parent) {
        refit(tree->nodes, id);
        rotate(tree, id);
        straighten(tree, id);
    }
}

// Unlinks a leaf but keeps its node; its parent's node goes to the free list.
static void detach(PhAabbTree *tree, uint32_t leaf) {
    uint32_t parent = tree->nodes[leaf].parent;
    if (parent == PH_NULL) {
        tree->root = PH_NULL;
        return;
    }
    PhTreeNode node = tree->nodes[parent];
    replace_child(tree, node.parent, parent, node.child_a == leaf ? node.child_b : node.child_a);
    give_node(tree, parent);
    for (uint32_t id = node.parent; id != PH_NULL; id = tree->nodes[id].parent) {
        refit(tree->nodes, id);
        straighten(tree, id);
    }
}

uint32_t ph_tree_next_leaf(const PhAabbTree *tree) {
    return tree->free_list != PH_NULL ? tree->free_list : tree->used;
}

PhStatus ph_tree_insert(PhAabbTree *tree, PhAabb box, uint64_t data, uint32_t *leaf) {
    uint64_t need = (uint64_t)tree->leaf_count * 2 + (tree->root == PH_NULL ? 1 : 2);
    PhStatus status = PH_RESERVE(tree->nodes, need);
    if (status) {
        return status;
    }
    uint32_t id = take_node(tree);
    tree->nodes[id].box = fatten(box, tree->margin);
    tree->nodes[id].data = data;
    tree->leaf_count++;
    attach(tree, id);
    *leaf = id;
    return PH_OK;
}

// Depth is at most log2(count). Returns the node. Once it is stopped, what it makes is no tree.
static uint32_t build(PhAabbTree *tree, PhBvhItem *items, uint32_t count, uint32_t *leaf,
                      const PhStop *stop, PhStatus *status) {
    uint32_t id = take_node(tree);
    if (count == 1) {
        tree->nodes[id].box = fatten(items[0].box, tree->margin);
        tree->nodes[id].data = items[0].id;
        leaf[items[0].id] = id;
        return id;
    }
    *status = *status ? *status : ph_stop_between(stop, count);
    if (*status) {
        return id;
    }
    uint32_t half = count / 2;
    ph_bvh_halve(items, count);
    uint32_t a = build(tree, items, half, leaf, stop, status);
    uint32_t b = build(tree, items + half, count - half, leaf, stop, status);
    if (*status) {
        return id;
    }
    tree->nodes[a].parent = tree->nodes[b].parent = id;
    tree->nodes[id].child_a = a;
    tree->nodes[id].child_b = b;
    refit(tree->nodes, id);
    return id;
}

PhStatus ph_tree_build(PhAabbTree *tree, PhBvhItem *items, uint32_t count, uint32_t *leaf,
                       const PhStop *stop) {
    PhStatus status = PH_RESERVE(tree->nodes, 2 * (uint64_t)count);
    if (status) {
        return status;
    }
    tree->used = 0;
    tree->root = tree->free_list = PH_NULL;
    tree->leaf_count = count;
    if (count > 0) {
        tree->root = build(tree, items, count, leaf, stop, &status);
    }
    if (status) {
        tree->used = tree->leaf_count = 0;
        tree->root = PH_NULL;
    }
    return status;
}

void ph_tree_remove(PhAabbTree *tree, uint32_t leaf) {
    PH_ASSERT(ph_tree_is_leaf(tree, leaf));
    detach(tree, leaf);
    give_node(tree, leaf);
    tree->leaf_count--;
}

bool ph_tree_is_leaf(const PhAabbTree *tree, uint32_t id) {
    return id < tree->used && tree->nodes[id].height == 0;
}

bool ph_tree_move(PhAabbTree *tree, uint32_t leaf, PhAabb box) {
    PH_ASSERT(ph_tree_is_leaf(tree, leaf));
    PhAabb fat = tree->nodes[leaf].box, wanted = fatten(box, tree->margin);
    if (!ph_is_box(wanted)) {
        if (!ph_is_box(fat)) {
            return false;
        }
    } else if (ph_encloses(fat, box) && ph_encloses(ph_grow(wanted, 4 * tree->margin), fat)) {
        return false;
    }
    detach(tree, leaf);
    tree->nodes[leaf].box = wanted;
    attach(tree, leaf);
    return true;
}

void ph_tree_query(const PhAabbTree *tree, PhAabb box, PhTreeQuery *callback, void *context) {
    const PhTreeNode *nodes = tree->nodes;
    uint32_t id = ph_is_box(box) ? tree->root : PH_NULL;
    while (id != PH_NULL) {
        const PhTreeNode *node = &nodes[id];
        if (ph_overlaps(node->box, box)) {
            if (node->height > 0) {
                id = node->child_a;
                continue;
            }
            if (ph_is_box(node->box) && !callback(context, id, node->data)) {
                return;
            }
        }
        // This subtree is done: on to the second child of the nearest ancestor reached from its
        // first.
        uint32_t parent = node->parent;
        while (parent != PH_NULL && nodes[parent].child_b == id) {
            id = parent;
            parent = nodes[id].parent;
        }
        id = parent == PH_NULL ? PH_NULL : nodes[parent].child_b;
    }
}

// What comes to the boxes of a tree in order of their keys. No box has a lower key than one that
// holds it.
typedef struct Probe {
    PhVec2 origin, translation; // of a ray
    PhVec2 half;                // by which every box is grown for it
    PhAabb box;                 // from which distances are
} Probe;
typedef double KeyOf(const Probe *probe, PhAabb box); // infinity: never

// Cuts [*near, *far] to the fractions in which origin + t translation is between lower and upper.
static inline bool cut_slab(double origin, double translation, double lower, double upper,
                            double *near, double *far) {
    if (translation == 0) {
        return lower <= origin && origin <= upper;
    }
    double a = (lower - origin) / translation, b = (upper - origin) / translation;
    double in = a < b ? a : b, out = a < b ? b : a;
    out *= 1 + 8 * DBL_EPSILON; // the two axes round differently: never miss by that
    *near = in > *near ? in : *near;
    *far = out < *far ? out : *far;
    return true;
}

// Fraction at which the ray enters the grown box, at least 0.
static inline double enter(const Probe *ray, PhAabb box) {
    double near = 0, far = INFINITY;
    bool hit = ph_is_box(box) &&
               cut_slab(ray->origin.x, ray->translation.x, box.lower.x - ray->half.x,
                        box.upper.x + ray->half.x, &near, &far) &&
               cut_slab(ray->origin.y, ray->translation.y, box.lower.y - ray->half.y,
                        box.upper.y + ray->half.y, &near, &far);
    return hit && near <= far ? near : INFINITY;
}

static inline double gap(const Probe *probe, PhAabb box) {
    if (!ph_is_box(box)) {
        return INFINITY;
    }
    double x =
        ph_max(ph_max(box.lower.x - probe->box.upper.x, probe->box.lower.x - box.upper.x), 0);
    double y =
        ph_max(ph_max(box.lower.y - probe->box.upper.y, probe->box.lower.y - box.upper.y), 0);
    return x == 0 ? y : y == 0 ? x : sqrt(x * x + y * y);
}

// The order of the two children depends on their boxes alone, so it can be found again when the
// walk goes up.
typedef struct Visit {
    uint32_t child[2]; // nearer first
    double at[2];
} Visit;

static inline Visit order_children(const PhTreeNode *nodes, const PhTreeNode *node, KeyOf *key_of,
                                   const Probe *probe) {
    uint32_t a = node->child_a, b = node->child_b;
    double at_a = key_of(probe, nodes[a].box), at_b = key_of(probe, nodes[b].box);
    return at_b < at_a ? (Visit){{b, a}, {at_b, at_a}} : (Visit){{a, b}, {at_a, at_b}};
}

static inline void walk_in_order(const PhAabbTree *tree, KeyOf *key_of, const Probe *probe,
                                 double most, PhTreeRay *callback, void *context) {
    const PhTreeNode *nodes = tree->nodes;
    if (!(most >= 0) || tree->root == PH_NULL) {
        return;
    }
    double limit = most < DBL_MAX ? most : DBL_MAX; // a miss is at infinity
    if (!(key_of(probe, nodes[tree->root].box) <= limit)) {
        return;
    }
    for (uint32_t id = tree->root; id != PH_NULL;) {
        if (nodes[id].height > 0) {
            Visit visit = order_children(nodes, &nodes[id], key_of, probe);
            if (visit.at[0] <= limit) {
                id = visit.child[0];
                continue;
            }
        } else {
            double at = callback(context, id, nodes[id].data, limit);
            if (!(at > 0)) {
                return;
            }
            limit = at < limit ? at : limit;
        }
        for (;;) {
            uint32_t parent = nodes[id].parent;
            if (parent == PH_NULL) {
                return;
            }
            Visit visit = order_children(nodes, &nodes[parent], key_of, probe);
            if (visit.child[0] == id && visit.at[1] <= limit) {
                id = visit.child[1];
                break;
            }
            id = parent;
        }
    }
}

static bool is_finite(PhVec2 v) {
    return isfinite(v.x) && isfinite(v.y);
}

void ph_tree_cast_box(const PhAabbTree *tree, PhVec2 origin, PhVec2 half, PhVec2 translation,
                      double max_fraction, PhTreeRay *callback, void *context) {
    const Probe probe = {.origin = origin, .translation = translation, .half = half};
    if (is_finite(origin) && is_finite(translation) && is_finite(half)) {
        walk_in_order(tree, enter, &probe, max_fraction, callback, context);
    }
}

void ph_tree_cast_ray(const PhAabbTree *tree, PhVec2 origin, PhVec2 translation,
                      double max_fraction, PhTreeRay *callback, void *context) {
    ph_tree_cast_box(tree, origin, ph_vec(0, 0), translation, max_fraction, callback, context);
}

void ph_tree_near(const PhAabbTree *tree, PhAabb box, double max_distance, PhTreeRay *callback,
                  void *context) {
    const Probe probe = {.box = box};
    if (ph_is_box(box)) {
        walk_in_order(tree, gap, &probe, max_distance, callback, context);
    }
}

uint32_t ph_tree_height(const PhAabbTree *tree) {
    return tree->root == PH_NULL ? 0 : tree->nodes[tree->root].height;
}

double ph_tree_cost(const PhAabbTree *tree) {
    double sum = 0;
    for (uint32_t id = 0; id < tree->used; id++) {
        uint32_t height = tree->nodes[id].height;
        sum += height != 0 && height != PH_NULL ? 2 * cost_of(tree->nodes[id].box) : 0;
    }
    return sum;
}

static bool same_box(PhAabb a, PhAabb b) {
    return a.lower.x == b.lower.x && a.lower.y == b.lower.y && a.upper.x == b.upper.x &&
           a.upper.y == b.upper.y;
}

static bool is_child(const PhAabbTree *tree, uint32_t id, uint32_t parent) {
    return id < tree->used && tree->nodes[id].height != PH_NULL && tree->nodes[id].parent == parent;
}

static const char *check_node(const PhAabbTree *tree, uint32_t id) {
    const PhTreeNode *node = &tree->nodes[id];
    if (node->parent == PH_NULL) {
        if (tree->root != id) {
            return "a node without parent is not the root";
        }
    } else if (node->parent >= tree->used || tree->nodes[node->parent].height == PH_NULL ||
               (tree->nodes[node->parent].child_a == id) ==
                   (tree->nodes[node->parent].child_b == id)) {
        return "a node is not one child of its parent";
    }
    if (node->height == 0) {
        bool leaf = node->child_a == PH_NULL && node->child_b == PH_NULL;
        return leaf ? NULL : "a leaf has children";
    }
    if (!is_child(tree, node->child_a, id) || !is_child(tree, node->child_b, id)) {
        return "a child is out of range, free, or has another parent";
    }
    const PhTreeNode *a = &tree->nodes[node->child_a], *b = &tree->nodes[node->child_b];
    if (node->height != 1 + (a->height > b->height ? a->height : b->height)) {
        return "the height is not one more than that of the higher child";
    }
    return same_box(node->box, ph_union(a->box, b->box)) ? NULL
                                                         : "the box is not the children's union";
}

// Heights that rise along every parent link exclude cycles, so links that agree in both directions
// and a single node without parent make a tree: no walk is needed.
PhStatus ph_tree_validate(const PhAabbTree *tree, PhError *error) {
    uint32_t leaves = 0, inner = 0, free_nodes = 0;
    for (uint32_t id = 0; id < tree->used; id++) {
        if (tree->nodes[id].height == PH_NULL) {
            free_nodes++;
            continue;
        }
        const char *fault = check_node(tree, id);
        if (fault) {
            return ph_fail(error, PH_ERROR_VALUE, "tree node %u: %s", id, fault);
        }
        leaves += tree->nodes[id].height == 0;
        inner += tree->nodes[id].height != 0;
    }
    if (leaves != tree->leaf_count || inner != (leaves ? leaves - 1 : 0) ||
        (tree->root == PH_NULL) != (leaves == 0) || tree->used > PH_CAPACITY(tree->nodes)) {
        return ph_fail(error, PH_ERROR_VALUE, "tree has %u leaves and %u inner nodes, expected %u",
                       leaves, inner, tree->leaf_count);
    }
    uint32_t listed = 0;
    for (uint32_t id = tree->free_list; id != PH_NULL; id = tree->nodes[id].parent, listed++) {
        if (id >= tree->used || tree->nodes[id].height != PH_NULL || listed >= free_nodes) {
            return ph_fail(error, PH_ERROR_VALUE, "the free list is broken at node %u", id);
        }
    }
    if (listed != free_nodes) {
        return ph_fail(error, PH_ERROR_VALUE, "the free list has %u nodes of %u", listed,
                       free_nodes);
    }
    return PH_OK;
}
