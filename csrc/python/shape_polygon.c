// Polygon: any simple polygon, with holes or rounded. Base of Box and RegularPolygon.
#include "python/convert.h"
#include "python/ring_arguments.h"

enum { CACHE_VERTICES, CACHE_EDGES, CACHE_NORMALS, CACHE_HOLES, CACHE_PARTS };

static PyObject *polygon_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    CORE_ARGUMENTS("Polygon", 4, 1, "vertices", "holes", "radius", "recenter");
    double radius = 0;
    bool recenter = false;
    CoreHoles holes;
    if (!core_bind_tuple(&signature, args, keywords, values) ||
        (values[2] != NULL && !core_to_double(values[2], "radius", &radius)) ||
        (values[3] != NULL && !core_to_bool(values[3], "recenter", &recenter))) {
        return NULL;
    }
    CoreState *core = core_state_of(type);
    PyArrayObject *vertices = core != NULL ? core_to_ring(values[0], "vertices", 3) : NULL;
    if (vertices == NULL) {
        return NULL;
    }
    if (!core_to_holes(values[1], &holes)) {
        Py_DECREF(vertices);
        return NULL;
    }
    PhError error;
    int32_t size = (int32_t)PyArray_DIM(vertices, 0);
    int64_t total = size;
    for (int32_t i = 0; i < holes.count; ++i) {
        total += holes.counts[i];
    }
    // All arguments are copies by now.
    CoreLongWork work;
    const PhStop *stop = core_begin_work(&work, total > CORE_QUICK_VERTICES);
    PhShape *shape =
        ph_shape_polygon_or_stop(core_points(vertices), size, holes.vertices, holes.counts,
                                 holes.count, radius, recenter, stop, &error);
    core_end_work(&work);
    core_holes_free(&holes);
    Py_DECREF(vertices);
    return shape == NULL ? core_raise(core, &error) : core_shape_new(type, shape);
}

static const PhShape *shape_of(PyObject *self) {
    return ((ShapeObject *)self)->shape;
}

static PyObject *make_edges(const PhShape *shape) {
    int32_t count = shape->vertex_count;
    PhVec2 *edges = PyMem_New(PhVec2, (size_t)count);
    if (edges == NULL) {
        return PyErr_NoMemory();
    }
    for (int32_t i = 0; i < count; ++i) {
        edges[i] = ph_sub(shape->vertices[i + 1 < count ? i + 1 : 0], shape->vertices[i]);
    }
    PyObject *array = core_frozen_points(edges, count);
    PyMem_Free(edges);
    return array;
}

static PyObject *make_holes(const PhShape *shape) {
    PyObject *holes = PyTuple_New(shape->hole_count);
    for (int32_t i = 0; holes != NULL && i < shape->hole_count; ++i) {
        int32_t start = shape->hole_starts[i];
        PyObject *hole =
            core_frozen_points(shape->vertices + start, shape->hole_starts[i + 1] - start);
        if (hole == NULL) {
            Py_CLEAR(holes);
        } else {
            PyTuple_SET_ITEM(holes, i, hole);
        }
    }
    return holes;
}

static PyObject *make_parts(const PhShape *shape) {
    PyObject *parts = PyTuple_New(shape->piece_count);
    for (int32_t i = 0; parts != NULL && i < shape->piece_count; ++i) {
        PyObject *part = core_frozen_points(shape->pieces[i].vertices, shape->pieces[i].count);
        if (part == NULL) {
            Py_CLEAR(parts);
        } else {
            PyTuple_SET_ITEM(parts, i, part);
        }
    }
    return parts;
}

static PyObject *get_cached(PyObject *self, void *closure) {
    const PhShape *shape = shape_of(self);
    intptr_t which = (intptr_t)closure;
    PyObject **cache = &((ShapeObject *)self)->cache[which];
    if (*cache == NULL) {
        PyObject *made =
            which == CACHE_VERTICES  ? core_frozen_points(shape->vertices, shape->vertex_count)
            : which == CACHE_EDGES   ? make_edges(shape)
            : which == CACHE_NORMALS ? core_frozen_points(shape->normals, shape->vertex_count)
            : which == CACHE_HOLES   ? make_holes(shape)
                                     : make_parts(shape);
        if (made == NULL) {
            return NULL;
        }
        Py_XSETREF(*cache, made); // a collection may have run and filled it
    }
    return Py_NewRef(*cache);
}

static PyObject *get_is_convex(PyObject *self, void *Py_UNUSED(closure)) {
    return PyBool_FromLong(shape_of(self)->convex);
}

static PyObject *get_radius(PyObject *self, void *Py_UNUSED(closure)) {
    return PyFloat_FromDouble(shape_of(self)->radius);
}

static PyObject *polygon_repr(PyObject *self) {
    const PhShape *shape = shape_of(self);
    if (shape->vertex_count > 12 || shape->hole_count > 0) {
        return PyUnicode_FromFormat("<Polygon of %d vertices, %d holes, %d convex parts>",
                                    (int)shape->vertex_count, (int)shape->hole_count,
                                    (int)shape->piece_count);
    }
    PyObject *vertices = get_cached(self, (void *)CACHE_VERTICES);
    PyObject *list = vertices != NULL ? PyArray_ToList((PyArrayObject *)vertices) : NULL;
    PyObject *radius = PyFloat_FromDouble(shape->radius);
    PyObject *text = NULL;
    if (list != NULL && radius != NULL) {
        text = shape->radius > 0 ? PyUnicode_FromFormat("Polygon(%R, radius=%R)", list, radius)
                                 : PyUnicode_FromFormat("Polygon(%R)", list);
    }
    Py_XDECREF(vertices);
    Py_XDECREF(list);
    Py_XDECREF(radius);
    return text;
}

static PyObject *polygon_reduce(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    PyObject *vertices = get_cached(self, (void *)CACHE_VERTICES);
    PyObject *holes = get_cached(self, (void *)CACHE_HOLES);
    if (vertices == NULL || holes == NULL) {
        Py_XDECREF(vertices);
        Py_XDECREF(holes);
        return NULL;
    }
    return Py_BuildValue("O(NNd)", Py_TYPE(self), vertices, holes, shape_of(self)->radius);
}

PyDoc_STRVAR(
    polygon_doc,
    "Polygon(vertices, holes=(), radius=0.0, recenter=False)\n--\n\n"
    "Any simple polygon.\n\n"
    "Either winding is taken; `vertices` are counter-clockwise and holes clockwise. A concave one\n"
    "(or one with holes) is split into convex `parts` once, here.\n\n"
    "Parameters\n----------\n"
    "vertices : array_like, shape (n, 2)\n"
    "    Metres, in the body's frame; n >= 3. Equal neighbours are merged.\n"
    "holes : sequence of array_like, each of shape (k, 2)\n"
    "    Simple, disjoint polygons inside.\n"
    "radius : float\n"
    "    Grows a convex polygon without holes by a disc of this radius, metres.\n"
    "recenter : bool\n"
    "    Shift everything so that the centroid is the origin.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a list that crosses itself, has no area, is narrower than 1e-4 m or is\n"
    "    not finite; the message names the vertex.\n\n"
    "Examples\n--------\n"
    ">>> house = Polygon([(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)])\n"
    ">>> house.area\n"
    "5.0");

static PyGetSetDef attributes[] = {
    {"vertices", get_cached, NULL,
     "Outer ring, counter-clockwise. Read-only array, shape (n, 2), metres, shape's frame.",
     (void *)CACHE_VERTICES},
    {"edges", get_cached, NULL,
     "Edge i runs from vertex i to vertex i + 1. Read-only array, shape (n, 2), metres.",
     (void *)CACHE_EDGES},
    {"normals", get_cached, NULL,
     "Outward unit normals of the edges. Read-only array, shape (n, 2).", (void *)CACHE_NORMALS},
    {"holes", get_cached, NULL,
     "Tuple of holes, clockwise. Read-only arrays, shape (k, 2), metres.", (void *)CACHE_HOLES},
    {"parts", get_cached, NULL,
     "Tuple of the convex parts, counter-clockwise. Read-only arrays, shape (k, 2), metres.",
     (void *)CACHE_PARTS},
    {"is_convex", get_is_convex, NULL, "Whether it is convex and without holes.", NULL},
    {"radius", get_radius, NULL, "Radius of the rounding disc, metres.", NULL},
    {0},
};

CORE_SHAPE_TYPE(polygon, "Polygon", Py_TPFLAGS_BASETYPE);
