// Broad phases, the AABB tree and the distance grid of a hierarchy on arrays of boxes: same pairs
// from every back end, tree invariants after every change, the same items with a distance grid as
// without.
#include "testing/testing.h"

#include "base/memory.h"
#include "broad/aabb_tree.h"
#include "broad/distance_grid.h"
#include "broad/pairs.h"
#include "math/simd_targets.h"

// One proxy per box, each on its own body; all filters open.
typedef struct Boxes {
    PhProxies proxies;
    uint32_t *numbers; // 0, 1, 2 ...: bodies and colliders
    uint64_t *bits;
    int32_t *groups;
    uint32_t *pieces;
    uint32_t *moving; // all that are dynamic
    uint32_t *enlarged;
    PhReach *reaches;
    uint8_t *left;
} Boxes;

static void free_boxes(Boxes *boxes) {
    ph_free(boxes->numbers);
    ph_free(boxes->bits);
    ph_free(boxes->groups);
    ph_free(boxes->pieces);
    ph_free(boxes->moving);
    ph_free(boxes->reaches);
    ph_free(boxes->left);
    ph_free(boxes->enlarged);
}

static bool make_boxes(PyArrayObject *array, uint8_t *flags, Boxes *boxes) {
    uint32_t count = (uint32_t)PyArray_DIM(array, 0);
    boxes->numbers = ph_alloc(count, sizeof *boxes->numbers);
    boxes->bits = ph_alloc(count, sizeof *boxes->bits);
    boxes->groups = ph_alloc(count, sizeof *boxes->groups);
    boxes->pieces = ph_alloc(count, sizeof *boxes->pieces);
    boxes->moving = ph_alloc(count, sizeof *boxes->moving);
    boxes->reaches = ph_alloc(count, sizeof *boxes->reaches);
    boxes->left = ph_alloc(count, sizeof *boxes->left);
    boxes->enlarged = ph_alloc(count, sizeof *boxes->enlarged);
    if (!boxes->numbers || !boxes->bits || !boxes->groups || !boxes->pieces || !boxes->moving ||
        !boxes->reaches || !boxes->left || !boxes->enlarged) {
        PyErr_NoMemory();
        return false;
    }
    uint32_t moving = 0;
    for (uint32_t i = 0; i < count; ++i) {
        boxes->numbers[i] = i;
        boxes->bits[i] = UINT64_MAX;
        boxes->moving[moving] = i;
        moving += (flags[i] & PH_PROXY_MOVES) != 0;
    }
    boxes->proxies = (PhProxies){
        .count = count,
        .capacity = count,
        .box = PyArray_DATA(array),
        .predicted = PyArray_DATA(array),
        .reach = boxes->reaches,
        .left = boxes->left,
        .body = boxes->numbers,
        .collider = boxes->numbers,
        .piece = boxes->pieces,
        .flags = flags,
        .category = boxes->bits,
        .mask = boxes->bits,
        .group = boxes->groups,
        .moving = boxes->moving,
        .moving_count = moving,
        .enlarged = boxes->enlarged,
    };
    return true;
}

static PyObject *make_pairs(const PhPairList *pairs) {
    npy_intp dims[2] = {pairs->count, 2};
    PyObject *array = PyArray_SimpleNew(2, dims, NPY_UINT32);
    uint32_t *out = array != NULL ? PyArray_DATA((PyArrayObject *)array) : NULL;
    for (uint32_t i = 0; i < pairs->count && out != NULL; ++i) {
        out[2 * i] = pairs->owner[i];
        out[2 * i + 1] = pairs->other[i];
    }
    return array;
}

const char testing_broad_pairs_doc[] =
    "broad_pairs($module, kind, boxes, static, /, moved=None)\n--\n\n"
    "Pairs (owner, other) that a broad phase finds among boxes.\n\n"
    "Parameters\n----------\n"
    "kind : {'grid', 'tree', 'all_pairs', 'grid_lanes'}\n"
    "    The last one is the grid with AVX2 where there is such a thing.\n"
    "boxes : array_like, shape (n, 2, 2)\n    [[lower], [upper]].\n"
    "static : array_like of bool, shape (n,)\n    The others are dynamic.\n"
    "moved : array_like, shape (n, 2, 2), optional\n"
    "    Boxes of a second rebuild of the same broad phase, whose pairs are returned instead. "
    "Those\n"
    "    of static ones must be the same.\n\n"
    "Returns\n-------\n"
    "ndarray of uint32, shape (k, 2)";

static bool has_lanes(void) {
#if PH_HAVE_X86_KERNELS
    return ph_runs_avx2();
#else
    return false;
#endif
}

// Those whose box is not what it was.
static void list_enlarged(PhProxies *now, const PhProxies *before) {
    for (uint32_t k = 0; k < now->moving_count; ++k) {
        uint32_t p = now->moving[k];
        if (memcmp(&now->predicted[p], &before->predicted[p], sizeof now->predicted[p]) != 0) {
            now->flags[p] |= PH_PROXY_ENLARGED;
            now->enlarged[now->enlarged_count++] = p;
        }
    }
}

static PyObject *run_broad(PhBroadPhase kind, bool lanes, PyArrayObject *first,
                           PyArrayObject *second, uint8_t *flags) {
    Boxes boxes = {0}, moved = {0};
    PhBroad broad;
    PyObject *result = NULL;
    bool made =
        make_boxes(first, flags, &boxes) && (second == NULL || make_boxes(second, flags, &moved));
    if (made && ph_broad_init(&broad, kind) == PH_OK) {
        broad.avx2 = lanes && has_lanes();
        bool changed;
        PhStatus status = ph_broad_rebuild(&broad, &boxes.proxies, PH_REBUILD_ALL, true, &changed);
        if (status == PH_OK && second != NULL) {
            list_enlarged(&moved.proxies, &boxes.proxies);
            status = ph_broad_rebuild(&broad, &moved.proxies, PH_REBUILD_MOVED, false, &changed);
        }
        result = status == PH_OK ? make_pairs(&broad.pairs) : PyErr_NoMemory();
        ph_broad_free(&broad);
    }
    free_boxes(&boxes);
    free_boxes(&moved);
    if (result == NULL && !PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    return result;
}

static uint8_t *to_flags(PyObject *object, npy_intp count) {
    PyArrayObject *array =
        (PyArrayObject *)PyArray_FROMANY(object, NPY_BOOL, 1, 1, NPY_ARRAY_CARRAY_RO);
    if (array == NULL) {
        return NULL;
    }
    uint8_t *flags = NULL;
    if (PyArray_DIM(array, 0) != count) {
        PyErr_SetString(PyExc_ValueError, "static must have one entry per box");
    } else if ((flags = ph_alloc((size_t)count, 1)) == NULL) {
        PyErr_NoMemory();
    } else {
        const npy_bool *is_static = PyArray_DATA(array);
        for (npy_intp i = 0; i < count; ++i) {
            flags[i] =
                (uint8_t)(PH_PROXY_ALIVE | PH_PROXY_ENABLED |
                          (is_static[i] ? PH_PROXY_STATIC : PH_PROXY_DYNAMIC | PH_PROXY_MOVES));
        }
    }
    Py_DECREF(array);
    return flags;
}

PyObject *testing_broad_pairs(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords) {
    static const char *const kinds[] = {"grid", "tree", "all_pairs", "grid_lanes"};
    PyObject *moved_object = count > 3 ? args[3] : NULL;
    bool named = keywords != NULL && PyTuple_GET_SIZE(keywords) == 1 && count == 3 &&
                 PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, 0), "moved") == 0;
    if (named) {
        moved_object = args[3];
    }
    if (count < 3 || count > 4 || (keywords != NULL && PyTuple_GET_SIZE(keywords) > 0 && !named)) {
        PyErr_SetString(PyExc_TypeError, "broad_pairs takes kind, boxes, static and moved");
        return NULL;
    }
    const char *name = PyUnicode_AsUTF8(args[0]);
    int kind = 0;
    while (name != NULL && kind < 4 && strcmp(name, kinds[kind]) != 0) {
        ++kind;
    }
    if (name == NULL || kind == 4) {
        return name == NULL ? NULL : PyErr_Format(PyExc_ValueError, "no broad phase '%s'", name);
    }
    PyArrayObject *boxes = testing_numbers(args[1], 3, 2), *moved = NULL;
    uint8_t *flags = boxes != NULL ? to_flags(args[2], PyArray_DIM(boxes, 0)) : NULL;
    PyObject *result = NULL;
    bool ok = flags != NULL;
    if (ok && moved_object != NULL && moved_object != Py_None) {
        moved = testing_numbers(moved_object, 3, 2);
        ok = moved != NULL;
        if (ok && PyArray_DIM(moved, 0) != PyArray_DIM(boxes, 0)) {
            PyErr_SetString(PyExc_ValueError, "moved must have as many boxes");
            ok = false;
        }
    }
    if (ok) {
        result = run_broad(kind == 3 ? PH_BROAD_GRID : (PhBroadPhase)kind, kind == 3, boxes, moved,
                           flags);
    }
    ph_free(flags);
    Py_XDECREF(boxes);
    Py_XDECREF(moved);
    return result;
}

// ------------------------------------------------------------------------------------------------
// tree

const char testing_tree_run_doc[] =
    "tree_run($module, operations, boxes, margin, /)\n--\n\n"
    "Run operations on an AABB tree and check the whole tree after each.\n\n"
    "Parameters\n----------\n"
    "operations : array_like of int, shape (n, 2)\n"
    "    (0, key) inserts box i, (1, key) moves it there, (2, key) removes it; keys are below n.\n"
    "    (3, key) builds the tree anew of the boxes that keys of leaves name.\n"
    "boxes : array_like, shape (n, 2, 2)\n"
    "margin : float\n\n"
    "Returns\n-------\n"
    "dict\n    leaves, height, cost and used nodes at the end.\n\n"
    "Raises\n------\n"
    "ValueError\n    Names the first fault of the tree.";

static PhStatus build_anew(PhAabbTree *tree, const PhAabb *boxes, npy_intp count,
                           uint32_t *leaves) {
    PhBvhItem *items = ph_alloc((size_t)count, sizeof *items);
    uint32_t n = 0;
    for (npy_intp i = 0; items != NULL && i < count; ++i) {
        if (leaves[i] != PH_NULL) {
            items[n++] = (PhBvhItem){boxes[i], (uint32_t)i};
        }
    }
    PhStatus status = items != NULL ? ph_tree_build(tree, items, n, leaves, NULL) : PH_ERROR_MEMORY;
    ph_free(items);
    return status;
}

static PhStatus run_operations(PhAabbTree *tree, const int64_t (*operation)[2], const PhAabb *boxes,
                               npy_intp count, uint32_t *leaves, PhError *error) {
    for (npy_intp i = 0; i < count; ++i) {
        int64_t what = operation[i][0], key = operation[i][1];
        if (key < 0 || key >= count || what < 0 || what > 3) {
            return ph_fail(error, PH_ERROR_VALUE, "operation %lld is out of range", (long long)i);
        }
        uint32_t *leaf = &leaves[key];
        if (what < 3 && (what == 0) != (*leaf == PH_NULL)) {
            continue;
        }
        PhStatus status = PH_OK;
        if (what == 3) {
            status = build_anew(tree, boxes, count, leaves);
        } else if (what == 0) {
            status = ph_tree_insert(tree, boxes[i], (uint64_t)key, leaf);
        } else if (what == 1) {
            (void)ph_tree_move(tree, *leaf, boxes[i]);
        } else {
            ph_tree_remove(tree, *leaf);
            *leaf = PH_NULL;
        }
        if (status != PH_OK) {
            return ph_fail(error, status, "no memory for a leaf");
        }
        status = ph_tree_validate(tree, error);
        if (status != PH_OK) {
            return status;
        }
    }
    return PH_OK;
}

PyObject *testing_tree_run(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count) {
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "tree_run takes operations, boxes and margin");
        return NULL;
    }
    double margin = PyFloat_AsDouble(args[2]);
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyArrayObject *operations =
        (PyArrayObject *)PyArray_FROMANY(args[0], NPY_INT64, 2, 2, NPY_ARRAY_CARRAY_RO);
    PyArrayObject *boxes = operations != NULL ? testing_numbers(args[1], 3, 2) : NULL;
    uint32_t *leaves = NULL;
    PyObject *result = NULL;
    PhAabbTree tree;
    ph_tree_init(&tree, margin);
    if (boxes != NULL) {
        npy_intp n = PyArray_DIM(operations, 0);
        PhError error;
        if (PyArray_DIM(boxes, 0) != n || PyArray_DIM(operations, 1) != 2 ||
            PyArray_DIM(boxes, 1) != 2) {
            PyErr_SetString(PyExc_ValueError, "operations (n, 2) and boxes (n, 2, 2) wanted");
        } else if ((leaves = ph_alloc((size_t)n, sizeof *leaves)) == NULL) {
            PyErr_NoMemory();
        } else {
            memset(leaves, 0xff, (size_t)n * sizeof *leaves); // PH_NULL
            PhStatus status = run_operations(&tree, PyArray_DATA(operations), PyArray_DATA(boxes),
                                             n, leaves, &error);
            result = status != PH_OK ? testing_raise(&error)
                                     : Py_BuildValue("{s:I,s:I,s:d,s:I}", "leaves", tree.leaf_count,
                                                     "height", ph_tree_height(&tree), "cost",
                                                     ph_tree_cost(&tree), "used", tree.used);
        }
    }
    ph_tree_free(&tree);
    ph_free(leaves);
    Py_XDECREF(operations);
    Py_XDECREF(boxes);
    return result;
}

// Overlaps of a box, by the distance grid.
static bool sample(const PhDistanceGrid *distance_grid, const PhBvh *bvh, PhAabb box,
                   PyArrayObject *counts, npy_intp row, PyObject *ids) {
    int64_t *count = (int64_t *)PyArray_DATA(counts) + 2 * row;
    PhDistanceGridSpan in = ph_distance_grid_sample(distance_grid, bvh, box);
    count[0] = 0;
    count[1] = in.end > in.first ? in.end - in.first : 0;
    for (uint32_t i = ph_bvh_next_before(bvh, box, in.first, in.end); i < in.end;
         i = ph_bvh_next_before(bvh, box, i + 1, in.end)) {
        PyObject *id = PyLong_FromUnsignedLong(bvh->node[i].id);
        int status = id != NULL ? PyList_Append(ids, id) : -1;
        Py_XDECREF(id);
        if (status != 0) {
            return false;
        }
        count[0]++;
    }
    return true;
}

static bool build_distance_grid(PyArrayObject *boxes, PhBvh *bvh, PhDistanceGrid *distance_grid) {
    uint32_t count = (uint32_t)PyArray_DIM(boxes, 0);
    const PhAabb *box = PyArray_DATA(boxes);
    PhBvhItem *items = ph_alloc(count, sizeof *items);
    for (uint32_t i = 0; items && i < count; ++i) {
        items[i] = (PhBvhItem){box[i], i};
    }
    bool built = items && !ph_bvh_build(bvh, items, count, NULL) &&
                 !ph_distance_grid_reserve(distance_grid, count);
    if (built) {
        ph_distance_grid_build(distance_grid, bvh);
    } else {
        PyErr_NoMemory();
    }
    ph_free(items);
    return built;
}

const char testing_distance_grid_doc[] =
    "chart($module, boxes, asked, /)\n--\n\n"
    "What boxes overlap of others that are charted.\n\n"
    "Parameters\n----------\n"
    "boxes : array_like, shape (n, 2, 2)\n"
    "asked : array_like, shape (m, 2, 2)\n\n"
    "Returns\n-------\n"
    "columns, rows : int\n    0 and 0 if there is no chart.\n"
    "counts : ndarray of int64, shape (m, 2)\n"
    "    How many are found, among how many nodes they were looked for.\n"
    "ids : list of int\n    Those that are found, of one question after the other.";
PyObject *testing_distance_grid(PyObject *Py_UNUSED(module), PyObject *const *args,
                                Py_ssize_t count) {
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "chart() takes 2 arguments");
        return NULL;
    }
    PyArrayObject *boxes = testing_numbers(args[0], 3, 2);
    PyArrayObject *asked = boxes != NULL ? testing_numbers(args[1], 3, 2) : NULL;
    npy_intp dims[2] = {asked != NULL ? PyArray_DIM(asked, 0) : 0, 2};
    PyObject *counts = asked != NULL ? PyArray_SimpleNew(2, dims, NPY_INT64) : NULL;
    PyObject *ids = counts != NULL ? PyList_New(0) : NULL, *result = NULL;
    PhBvh bvh = {0};
    PhDistanceGrid distance_grid = {0};
    bool done = ids != NULL && PyArray_DIM(boxes, 1) == 2 && PyArray_DIM(asked, 1) == 2 &&
                build_distance_grid(boxes, &bvh, &distance_grid);
    for (npy_intp i = 0; done && i < dims[0]; ++i) {
        PhAabb box = ((const PhAabb *)PyArray_DATA(asked))[i];
        done = sample(&distance_grid, &bvh, box, (PyArrayObject *)counts, i, ids);
    }
    if (done) {
        result =
            Py_BuildValue("iiOO", (int)distance_grid.columns, (int)distance_grid.rows, counts, ids);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, "boxes must have shape (n, 2, 2)");
    }
    ph_distance_grid_free(&distance_grid);
    ph_bvh_free(&bvh);
    Py_XDECREF(ids);
    Py_XDECREF(counts);
    Py_XDECREF(asked);
    Py_XDECREF(boxes);
    return result;
}
