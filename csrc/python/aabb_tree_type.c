// AABBTree: the dynamic tree of the engine, for users' own boxes.
//
// The tree keeps fat AABBs; the boxes as they were given are kept beside it, so that answers are
// exact. Invariant: an id is (generation << 32) + leaf; generation[leaf] counts how often the
// leaf's node was freed, so a stale id never names a later box. Only the GIL guards the tree: no
// Python code runs while it works.
#include <stdlib.h>

#include "base/memory.h"
#include "python/convert.h"
#include "python/pictures.h"

typedef struct TreeObject {
    PyObject_HEAD PyObject *weak_references;
    CoreState *core;
    PhAabbTree tree;
    PhAabb *boxes;         // tight, by leaf
    uint32_t *generations; // by leaf
    PyObject *data;        // dict: id -> object, for ids whose data is not None
} TreeObject;

static TreeObject *tree_of(PyObject *object) {
    return (TreeObject *)object;
}

static PyObject *tree_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"margin"};
    static const CoreSignature signature = {"AABBTree", names, 1, 1, 0};
    PyObject *value;
    double margin = 0.1;
    if (!core_bind_tuple(&signature, args, keywords, &value) ||
        (value != NULL && !core_to_double(value, "margin", &margin))) {
        return NULL;
    }
    if (margin < 0) {
        return PyErr_Format(PyExc_ValueError, "margin: must be >= 0, got %R", value);
    }
    CoreState *core = core_state_of(type);
    PyObject *data = core != NULL ? PyDict_New() : NULL; // first: no half-made object is seen
    TreeObject *self = data != NULL ? (TreeObject *)type->tp_alloc(type, 0) : NULL;
    if (self == NULL) {
        Py_XDECREF(data);
        return NULL;
    }
    self->core = core;
    Py_INCREF(core->module);
    ph_tree_init(&self->tree, margin);
    self->data = data;
    return (PyObject *)self;
}

static int tree_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(tree_of(object)->core->module);
    Py_VISIT(tree_of(object)->data);
    return 0;
}

static int tree_clear(PyObject *object) {
    Py_CLEAR(tree_of(object)->data);
    return 0;
}

static void tree_dealloc(PyObject *object) {
    TreeObject *self = tree_of(object);
    PyTypeObject *type = Py_TYPE(object);
    PyObject *module = self->core->module;
    PyObject_GC_UnTrack(object);
    PyObject_ClearWeakRefs(object);
    Py_CLEAR(self->data);
    ph_tree_free(&self->tree);
    ph_free(self->boxes);
    ph_free(self->generations);
    type->tp_free(object);
    Py_DECREF(type);
    Py_DECREF(module);
}

static uint64_t id_of(const TreeObject *self, uint32_t leaf) {
    return core_id_number((PhId){leaf, self->generations[leaf]});
}

// The leaf of an id; KeyError for anything that is not one.
static bool to_leaf(const TreeObject *self, PyObject *object, uint32_t *leaf) {
    uint64_t number;
    if (!core_to_id(object, &number)) {
        return false;
    }
    uint32_t found = (uint32_t)(number & UINT32_MAX);
    if (!ph_tree_is_leaf(&self->tree, found) || id_of(self, found) != number) {
        PyErr_SetObject(PyExc_KeyError, object);
        return false;
    }
    *leaf = found;
    return true;
}

PyDoc_STRVAR(insert_doc, "insert($self, lower, upper, data=None)\n--\n\n"
                         "Add a box.\n\n"
                         "Parameters\n----------\n"
                         "lower, upper : array_like, shape (2,)\n    Corners.\n"
                         "data : object, optional\n    Anything; `data(id)` gives it back.\n\n"
                         "Returns\n-------\n"
                         "int\n    The box's id, never used again.\n\n"
                         "Raises\n------\n"
                         "ValueError\n    For NaN, infinity or lower > upper.");

static PyObject *tree_insert(PyObject *object, PyObject *const *args, Py_ssize_t count,
                             PyObject *keywords) {
    CORE_ARGUMENTS("insert", 3, 2, "lower", "upper", "data");
    TreeObject *self = tree_of(object);
    PhAabb box;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_box(values[0], values[1], &box)) {
        return NULL;
    }
    // Room for every node there can be after this insertion: the new leaf and its parent at most.
    uint64_t need = (uint64_t)self->tree.used + 2;
    if (PH_RESERVE(self->boxes, need) != PH_OK || PH_RESERVE(self->generations, need) != PH_OK) {
        return PyErr_NoMemory();
    }
    uint32_t leaf = ph_tree_next_leaf(&self->tree);
    PyObject *id = core_table_key((PhId){leaf, self->generations[leaf]});
    bool ok = id != NULL && core_table_put(self->data, id, values[2]);
    if (ok && ph_tree_insert(&self->tree, box, 0, &leaf) != PH_OK) {
        core_table_drop(self->data, id);
        PyErr_NoMemory();
        ok = false;
    }
    if (!ok) {
        Py_XDECREF(id);
        return NULL;
    }
    self->boxes[leaf] = box;
    return id;
}

PyDoc_STRVAR(move_doc, "move($self, id, lower, upper)\n--\n\n"
                       "Give a box new corners.\n\n"
                       "Parameters\n----------\n"
                       "id : int\n"
                       "lower, upper : array_like, shape (2,)\n    Corners.\n\n"
                       "Returns\n-------\n"
                       "bool\n    Whether it left its fat AABB and was inserted again.\n\n"
                       "Raises\n------\n"
                       "KeyError\n    For an id that is not in use.\n"
                       "ValueError\n    For NaN, infinity or lower > upper.");

static PyObject *tree_move(PyObject *object, PyObject *const *args, Py_ssize_t count,
                           PyObject *keywords) {
    CORE_ARGUMENTS("move", 3, 3, "id", "lower", "upper");
    TreeObject *self = tree_of(object);
    PhAabb box;
    uint32_t leaf;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_box(values[1], values[2], &box) || !to_leaf(self, values[0], &leaf)) {
        return NULL;
    }
    self->boxes[leaf] = box;
    return PyBool_FromLong(ph_tree_move(&self->tree, leaf, box));
}

PyDoc_STRVAR(remove_doc, "remove($self, id, /)\n--\n\n"
                         "Take a box out. Raises KeyError for an id that is not in use.");

static PyObject *tree_remove(PyObject *object, PyObject *arg) {
    TreeObject *self = tree_of(object);
    uint32_t leaf;
    if (!to_leaf(self, arg, &leaf)) {
        return NULL;
    }
    PyObject *id = core_table_key((PhId){leaf, self->generations[leaf]});
    if (id == NULL) {
        return NULL;
    }
    ph_tree_remove(&self->tree, leaf);
    self->generations[leaf] += 1;
    core_table_drop(self->data, id);
    Py_DECREF(id);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(data_doc,
             "data($self, id, /)\n--\n\n"
             "The object that was inserted with a box, or None. Raises KeyError for an id that is "
             "not in use.");

static PyObject *tree_data(PyObject *object, PyObject *arg) {
    TreeObject *self = tree_of(object);
    uint32_t leaf;
    if (!to_leaf(self, arg, &leaf)) {
        return NULL;
    }
    PyObject *id = PyLong_FromUnsignedLongLong(id_of(self, leaf));
    PyObject *value =
        id != NULL && self->data != NULL ? PyDict_GetItemWithError(self->data, id) : NULL;
    Py_XDECREF(id);
    if (value == NULL && PyErr_Occurred()) {
        return NULL;
    }
    return Py_NewRef(value != NULL ? value : Py_None);
}

PyDoc_STRVAR(box_doc, "box($self, id, /)\n--\n\n"
                      "The box as it was given, [[lower], [upper]], shape (2, 2). Raises KeyError "
                      "for an id that is\nnot in use.");

static PyObject *tree_box(PyObject *object, PyObject *arg) {
    uint32_t leaf;
    return to_leaf(tree_of(object), arg, &leaf) ? core_from_aabb(tree_of(object)->boxes[leaf])
                                                : NULL;
}

// ------------------------------------------------------------------------------------------------
// answers

typedef struct Answer { // of a ray: entry fraction; else 0
    double fraction;
    uint64_t id;
} Answer;

typedef struct Collector {
    const TreeObject *self;
    Answer *answers;
    uint32_t count;
    PhAabb box;
    PhVec2 origin, translation;
    uint64_t from;    // pairs: only with ids above this one
    uint64_t visited; // pairs: leaves met since signals were checked
    bool failed;
} Collector;

static bool collect(Collector *collector, double fraction, uint32_t leaf) {
    if (PH_RESERVE(collector->answers, (uint64_t)collector->count + 1) != PH_OK) {
        collector->failed = true;
        return false;
    }
    collector->answers[collector->count++] = (Answer){fraction, id_of(collector->self, leaf)};
    return true;
}

static int compare_answers(const void *a, const void *b) {
    const Answer *x = a, *y = b;
    if (x->fraction != y->fraction) {
        return x->fraction < y->fraction ? -1 : 1;
    }
    return x->id < y->id ? -1 : x->id > y->id;
}

// The ids in order; frees the answers.
static PyObject *make_id_array(Collector *collector) {
    PyObject *result = NULL;
    if (collector->failed) {
        PyErr_NoMemory();
    } else {
        if (collector->count > 0) {
            qsort(collector->answers, collector->count, sizeof(Answer), compare_answers);
        }
        npy_intp dims[1] = {collector->count};
        result = PyArray_SimpleNew(1, dims, NPY_INT64);
    }
    if (result != NULL) {
        int64_t *out = PyArray_DATA((PyArrayObject *)result);
        for (uint32_t i = 0; i < collector->count; ++i) {
            out[i] = (int64_t)collector->answers[i].id;
        }
    }
    ph_free(collector->answers);
    return result;
}

static bool visit_box(void *context, uint32_t leaf, uint64_t Py_UNUSED(data)) {
    Collector *collector = context;
    if (!ph_overlaps(collector->self->boxes[leaf], collector->box)) {
        return true;
    }
    return collect(collector, 0, leaf);
}

PyDoc_STRVAR(query_doc, "query($self, lower, upper)\n--\n\n"
                        "Boxes that overlap a box; touching counts.\n\n"
                        "Parameters\n----------\n"
                        "lower, upper : array_like, shape (2,)\n    Corners.\n\n"
                        "Returns\n-------\n"
                        "ndarray of int64\n    Ids, ascending.\n\n"
                        "Raises\n------\n"
                        "ValueError\n    For NaN, infinity or lower > upper.");

static PyObject *tree_query(PyObject *object, PyObject *const *args, Py_ssize_t count,
                            PyObject *keywords) {
    CORE_ARGUMENTS("query", 2, 2, "lower", "upper");
    Collector collector = {.self = tree_of(object)};
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_box(values[0], values[1], &collector.box)) {
        return NULL;
    }
    ph_tree_query(&collector.self->tree, collector.box, visit_box, &collector);
    return make_id_array(&collector);
}

// Narrows [*enter, *leave] to the part of the ray between two lines across one axis. A parallel ray
// is in or out.
static bool clip_slab(double origin, double translation, double lower, double upper, double *enter,
                      double *leave) {
    if (translation == 0) {
        return origin >= lower && origin <= upper;
    }
    double near = (lower - origin) / translation, far = (upper - origin) / translation;
    if (near > far) {
        double swap = near;
        near = far;
        far = swap;
    }
    *enter = near > *enter ? near : *enter;
    *leave = far < *leave ? far : *leave;
    return *enter <= *leave;
}

static double visit_ray(void *context, uint32_t leaf, uint64_t Py_UNUSED(data),
                        double max_fraction) {
    Collector *collector = context;
    PhAabb box = collector->self->boxes[leaf];
    PhVec2 o = collector->origin, t = collector->translation;
    double enter = 0, leave = 1;
    if (clip_slab(o.x, t.x, box.lower.x, box.upper.x, &enter, &leave) &&
        clip_slab(o.y, t.y, box.lower.y, box.upper.y, &enter, &leave) &&
        !collect(collector, enter, leaf)) {
        return 0;
    }
    return max_fraction;
}

PyDoc_STRVAR(cast_ray_doc,
             "cast_ray($self, origin, translation)\n--\n\n"
             "Boxes that a ray meets between origin and origin + translation.\n\n"
             "Parameters\n----------\n"
             "origin, translation : array_like, shape (2,)\n\n"
             "Returns\n-------\n"
             "ndarray of int64\n    Ids, in the order in which the ray enters them.\n\n"
             "Raises\n------\n"
             "ValueError\n    For a wrong shape, NaN or infinity.");

static PyObject *tree_cast_ray(PyObject *object, PyObject *const *args, Py_ssize_t count,
                               PyObject *keywords) {
    CORE_ARGUMENTS("cast_ray", 2, 2, "origin", "translation");
    Collector collector = {.self = tree_of(object)};
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_vec2(values[0], "origin", &collector.origin) ||
        !core_to_vec2(values[1], "translation", &collector.translation)) {
        return NULL;
    }
    ph_tree_cast_ray(&collector.self->tree, collector.origin, collector.translation, 1, visit_ray,
                     &collector);
    return make_id_array(&collector);
}

static bool visit_pair(void *context, uint32_t leaf, uint64_t Py_UNUSED(data)) {
    Collector *collector = context;
    const TreeObject *self = collector->self;
    collector->visited += 1;
    if (id_of(self, leaf) <= collector->from || !ph_overlaps(self->boxes[leaf], collector->box)) {
        return true;
    }
    return collect(collector, 0, leaf);
}

PyDoc_STRVAR(pairs_doc, "pairs($self, /)\n--\n\n"
                        "All pairs of boxes that overlap; touching counts.\n\n"
                        "Returns\n-------\n"
                        "ndarray of int64, shape (n, 2)\n"
                        "    Ids, the smaller first, in ascending order.");

typedef struct IdPair {
    uint64_t first, second;
} IdPair;

// A search checks for signals every so many boxes that it meets: a few milliseconds.
#define VISITS_PER_CHECK 100000
#define PAIRS_PER_CHECK (1u << 21)

// Signal handlers are Python code and may change the tree: a search that lets them run works on a
// copy. False with an exception.
static bool copy_tree(const TreeObject *self, TreeObject *copy) {
    uint32_t used = self->tree.used;
    copy->tree = self->tree;
    copy->tree.nodes = ph_alloc(used, sizeof *copy->tree.nodes);
    copy->boxes = ph_alloc(used, sizeof *copy->boxes);
    copy->generations = ph_alloc(used, sizeof *copy->generations);
    if (copy->tree.nodes == NULL || copy->boxes == NULL || copy->generations == NULL) {
        PyErr_NoMemory();
        return false;
    }
    if (used > 0) {
        memcpy(copy->tree.nodes, self->tree.nodes, used * sizeof *copy->tree.nodes);
        memcpy(copy->boxes, self->boxes, used * sizeof *copy->boxes);
        memcpy(copy->generations, self->generations, used * sizeof *copy->generations);
    }
    return true;
}

static void free_copy(TreeObject *copy) {
    ph_free(copy->tree.nodes);
    ph_free(copy->boxes);
    ph_free(copy->generations);
}

// The leaves by id, as answers without a fraction. False with an exception.
static bool list_leaves(const TreeObject *self, Collector *leaves) {
    for (uint32_t leaf = 0; leaf < self->tree.used; ++leaf) {
        if (ph_tree_is_leaf(&self->tree, leaf) && !collect(leaves, 0, leaf)) {
            PyErr_NoMemory();
            return false;
        }
    }
    if (leaves->count > 0) {
        qsort(leaves->answers, leaves->count, sizeof(Answer), compare_answers);
    }
    return true;
}

typedef struct PairList {
    IdPair *pairs;
    uint32_t count;
} PairList;

// Box by box in the order of their ids, so that only the partners of one are left to be sorted.
// False with an exception.
static bool find_pairs(const TreeObject *self, const Collector *leaves, Collector *partners,
                       PairList *list) {
    for (uint32_t i = 0; i < leaves->count; ++i) {
        partners->count = 0;
        partners->from = leaves->answers[i].id;
        partners->box = self->boxes[partners->from & UINT32_MAX];
        ph_tree_query(&self->tree, partners->box, visit_pair, partners);
        if (partners->failed ||
            PH_RESERVE(list->pairs, (uint64_t)list->count + partners->count) != PH_OK) {
            PyErr_NoMemory();
            return false;
        }
        if (partners->count > 1) {
            qsort(partners->answers, partners->count, sizeof(Answer), compare_answers);
        }
        for (uint32_t k = 0; k < partners->count; ++k) {
            list->pairs[list->count++] = (IdPair){partners->from, partners->answers[k].id};
        }
        if (partners->visited >= VISITS_PER_CHECK) {
            partners->visited = 0;
            if (PyErr_CheckSignals() < 0) {
                return false;
            }
        }
    }
    return true;
}

static PyObject *tree_pairs(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    TreeObject copy = {0};
    Collector leaves = {.self = &copy}, partners = {.self = &copy};
    PairList list = {0};
    PyObject *result = NULL;
    if (copy_tree(tree_of(object), &copy) && list_leaves(&copy, &leaves) &&
        find_pairs(&copy, &leaves, &partners, &list)) {
        npy_intp dims[2] = {list.count, 2};
        result = PyArray_SimpleNew(2, dims, NPY_INT64);
    }
    for (uint32_t k = 0; result != NULL && k < list.count; k += PAIRS_PER_CHECK) {
        uint32_t count = list.count - k < PAIRS_PER_CHECK ? list.count - k : PAIRS_PER_CHECK;
        memcpy((IdPair *)PyArray_DATA((PyArrayObject *)result) + k, list.pairs + k,
               count * sizeof(IdPair));
        if (count == PAIRS_PER_CHECK && PyErr_CheckSignals() < 0) {
            Py_CLEAR(result);
        }
    }
    ph_free(list.pairs);
    ph_free(leaves.answers);
    ph_free(partners.answers);
    free_copy(&copy);
    return result;
}

PyDoc_STRVAR(validate_doc, "validate($self, /)\n--\n\n"
                           "Check every link, height and box of the tree.\n\n"
                           "Raises\n------\n"
                           "ValueError\n    Names the first fault.");

static PyObject *tree_validate(PyObject *object, PyObject *Py_UNUSED(ignored)) {
    TreeObject *self = tree_of(object);
    PhError error;
    if (ph_tree_validate(&self->tree, &error) != PH_OK) {
        return core_raise(self->core, &error);
    }
    for (uint32_t i = 0; i < self->tree.used; ++i) {
        if (ph_tree_is_leaf(&self->tree, i) &&
            !ph_encloses(self->tree.nodes[i].box, self->boxes[i])) {
            return PyErr_Format(PyExc_ValueError, "leaf %lu: its fat box does not hold its box",
                                (unsigned long)i);
        }
    }
    Py_RETURN_NONE;
}

static PyObject *get_nodes(PyObject *object, void *Py_UNUSED(closure)) {
    const TreeObject *self = tree_of(object);
    const PhAabbTree *tree = &self->tree;
    PyObject *array = core_rows(self->core, ROW_TREE_NODE, NULL, tree->used);
    CoreNodeRow *rows = array != NULL ? PyArray_DATA((PyArrayObject *)array) : NULL;
    for (uint32_t i = 0; rows != NULL && i < tree->used; ++i) {
        core_node_row(&tree->nodes[i], &rows[i]);
        rows[i].leaf.id = ph_tree_is_leaf(tree, i) ? (int64_t)id_of(self, i) : -1;
    }
    return array;
}

static PyObject *get_height(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromUnsignedLong(ph_tree_height(&tree_of(object)->tree));
}

static PyObject *get_cost(PyObject *object, void *Py_UNUSED(closure)) {
    return PyFloat_FromDouble(ph_tree_cost(&tree_of(object)->tree));
}

static PyObject *get_margin(PyObject *object, void *Py_UNUSED(closure)) {
    return PyFloat_FromDouble(tree_of(object)->tree.margin);
}

static Py_ssize_t tree_length(PyObject *object) {
    return tree_of(object)->tree.leaf_count;
}

static PyObject *tree_repr(PyObject *object) {
    const PhAabbTree *tree = &tree_of(object)->tree;
    return PyUnicode_FromFormat("<AABBTree of %lu %s, height %lu>", (unsigned long)tree->leaf_count,
                                tree->leaf_count == 1 ? "box" : "boxes",
                                (unsigned long)ph_tree_height(tree));
}

PyDoc_STRVAR(tree_doc,
             "AABBTree(margin=0.1)\n--\n\n"
             "A dynamic tree of bounding boxes.\n\n"
             "A leaf's box is fat: the given one grown by a margin, so that small moves change\n"
             "nothing. Answers are exact for the boxes as given.\n\n"
             "Parameters\n----------\n"
             "margin : float\n    >= 0, in the unit of the boxes.\n\n"
             "Raises\n------\n"
             "ValueError\n    For a negative margin.\n\n"
             "Examples\n--------\n"
             ">>> tree = AABBTree()\n"
             ">>> a = tree.insert((0, 0), (1, 1), data='first')\n"
             ">>> b = tree.insert((2, 0), (3, 1))\n"
             ">>> [tree.data(i) for i in tree.query((0.5, 0.5), (0.6, 0.6))]\n"
             "['first']");

static PyMethodDef methods[] = {
    CORE_TABLE_METHOD,
    {"insert", CORE_FAST(tree_insert), METH_FASTCALL | METH_KEYWORDS, insert_doc},
    {"move", CORE_FAST(tree_move), METH_FASTCALL | METH_KEYWORDS, move_doc},
    {"remove", tree_remove, METH_O, remove_doc},
    {"data", tree_data, METH_O, data_doc},
    {"box", tree_box, METH_O, box_doc},
    {"query", CORE_FAST(tree_query), METH_FASTCALL | METH_KEYWORDS, query_doc},
    {"cast_ray", CORE_FAST(tree_cast_ray), METH_FASTCALL | METH_KEYWORDS, cast_ray_doc},
    {"pairs", tree_pairs, METH_NOARGS, pairs_doc},
    {"validate", tree_validate, METH_NOARGS, validate_doc},
    {0},
};

static PyGetSetDef attributes[] = {
    {"nodes", get_nodes, NULL,
     "All nodes: columns lower, upper (fat), parent, child_a, child_b (row numbers, -1 for none), "
     "height (0 for a leaf, -1 for a free node), id (-1 for inner nodes); structured array.",
     NULL},
    {"height", get_height, NULL, "Height of the tree; 0 when it is empty or one leaf.", NULL},
    {"cost", get_cost, NULL, "Sum of the perimeters of the inner nodes.", NULL},
    {"margin", get_margin, NULL,
     "Margin by which the box of a leaf is larger on each side, metres.", NULL},
    {0},
};

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TreeObject, weak_references), READONLY, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_new, tree_new},
    {Py_tp_dealloc, tree_dealloc},
    {Py_tp_traverse, tree_traverse},
    {Py_tp_clear, tree_clear},
    {Py_tp_repr, tree_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {Py_mp_length, tree_length},
    {Py_tp_doc, (void *)tree_doc},
    {0, NULL},
};

PyType_Spec core_aabb_tree_spec = {
    .name = "pyphys2d._core.AABBTree",
    .basicsize = sizeof(TreeObject),
    .flags = CORE_FLAGS,
    .slots = slots,
};
