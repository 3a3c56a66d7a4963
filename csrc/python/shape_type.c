// Shape: what all shapes have in common. The numbers live in a PhShape, which worlds share; the
// object adds cached arrays.
//
// Invariant: shape is never NULL in an object that Python code can see, and never changes.
#include "python/convert.h"
#include "python/pictures.h"

PyObject *core_shape_new(PyTypeObject *type, PhShape *shape) {
    CoreState *core = type != NULL ? core_state_of(type) : NULL;
    ShapeObject *self = core != NULL ? (ShapeObject *)type->tp_alloc(type, 0) : NULL;
    if (self == NULL) {
        ph_shape_release(shape);
        return NULL;
    }
    self->core = core;
    Py_INCREF(core->module);
    self->shape = shape;
    core->live_shapes += 1;
    return (PyObject *)self;
}

bool core_is_shape(const CoreState *core, PyObject *object) {
    PyTypeObject *type = core->type[TYPE_SHAPE];
    return type != NULL && PyObject_TypeCheck(object, type);
}

const char *core_shape_hint(const CoreState *core, PyObject *object) {
    bool list = PyTuple_Check(object) || PyList_Check(object);
    if (list && PySequence_Fast_GET_SIZE(object) > 0 &&
        core_is_shape(core, PySequence_Fast_GET_ITEM(object, 0))) {
        return "; give the shapes one by one";
    }
    if (list || PyArray_Check(object)) {
        return "; of points it is Polygon(points), or Chain(points) for an outline without an "
               "inside";
    }
    if (PyFloat_Check(object) || PyLong_Check(object)) {
        return "; of a radius it is Circle(radius)";
    }
    if (Py_IS_TYPE(object, core->type[TYPE_BODY])) {
        return "; those of a body are [c.shape for c in body.colliders]";
    }
    if (Py_IS_TYPE(object, core->type[TYPE_COLLIDER])) {
        return "; that of a collider is collider.shape";
    }
    return PyType_Check(object) ? "; make one by calling it" : "";
}

PhShape *core_to_shape(const CoreState *core, PyObject *object, const char *name) {
    if (!core_is_shape(core, object)) {
        PyErr_Format(PyExc_TypeError, "%s: must be a Shape, got %.100s%s", name,
                     Py_TYPE(object)->tp_name, core_shape_hint(core, object));
        return NULL;
    }
    return ((ShapeObject *)object)->shape;
}

static const PhShape *shape_of(PyObject *object) {
    return ((ShapeObject *)object)->shape;
}

static void shape_dealloc(PyObject *object) {
    ShapeObject *self = (ShapeObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject *module = self->core != NULL ? self->core->module : NULL;
    PyObject_GC_UnTrack(object);
    PyObject_ClearWeakRefs(object);
    for (int i = 0; i < SHAPE_CACHE_COUNT; ++i) {
        Py_CLEAR(self->cache[i]);
    }
    if (self->shape != NULL) {
        ph_shape_release(self->shape);
        self->core->live_shapes -= 1;
    }
    type->tp_free(object);
    Py_DECREF(type);
    Py_XDECREF(module);
}

static int shape_traverse(PyObject *object, visitproc visit, void *arg) {
    ShapeObject *self = (ShapeObject *)object;
    Py_VISIT(Py_TYPE(object));
    if (self->core != NULL) {
        Py_VISIT(self->core->module);
    }
    for (int i = 0; i < SHAPE_CACHE_COUNT; ++i) {
        Py_VISIT(self->cache[i]);
    }
    return 0;
}

static int shape_clear(PyObject *object) {
    ShapeObject *self = (ShapeObject *)object;
    for (int i = 0; i < SHAPE_CACHE_COUNT; ++i) {
        Py_CLEAR(self->cache[i]);
    }
    return 0;
}

static PyObject *shape_compare(PyObject *a, PyObject *b, int op) {
    const CoreState *core = ((ShapeObject *)a)->core;
    if ((op != Py_EQ && op != Py_NE) || !core_is_shape(core, b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return PyBool_FromLong(ph_shape_equal(shape_of(a), shape_of(b)) == (op == Py_EQ));
}

static Py_hash_t shape_hash(PyObject *self) {
    Py_hash_t hash = (Py_hash_t)ph_shape_hash(shape_of(self));
    return hash == -1 ? -2 : hash;
}

PyDoc_STRVAR(contains_doc, "contains($self, points, /)\n--\n\n"
                           "Whether points are in the closed shape.\n\n"
                           "Parameters\n----------\n"
                           "points : array_like, shape (..., 2)\n"
                           "    Metres, in the shape's frame.\n\n"
                           "Returns\n-------\n"
                           "bool or ndarray of bool, shape (...)\n"
                           "    Segments and chains hold only the points on them.\n\n"
                           "Raises\n------\n"
                           "ValueError\n    For a wrong shape, NaN or infinity.\n\n"
                           "Examples\n--------\n"
                           ">>> Circle(1).contains([(0, 0), (2, 0)])\n"
                           "array([ True, False])");

static PyObject *shape_contains(PyObject *self, PyObject *arg) {
    PyArrayObject *points = core_to_points(arg, "points");
    if (points == NULL) {
        return NULL;
    }
    const PhShape *shape = shape_of(self);
    PyObject *result;
    if (PyArray_NDIM(points) == 1) {
        result = PyBool_FromLong(ph_shape_contains(shape, *core_points(points)));
    } else {
        result = PyArray_SimpleNew(PyArray_NDIM(points) - 1, PyArray_DIMS(points), NPY_BOOL);
        if (result != NULL) {
            npy_bool *inside = PyArray_DATA((PyArrayObject *)result);
            const PhVec2 *point = core_points(points);
            npy_intp count = PyArray_SIZE((PyArrayObject *)result);
            npy_intp portion = 1 + (1 << 18) / (1 + shape->piece_count);
            for (npy_intp i = 0; i < count && result != NULL; ++i) {
                if (i % portion == portion - 1 && PyErr_CheckSignals() < 0) {
                    Py_CLEAR(result);
                } else {
                    inside[i] = ph_shape_contains(shape, point[i]);
                }
            }
        }
    }
    Py_DECREF(points);
    return result;
}

PyDoc_STRVAR(support_doc, "support($self, direction, /)\n--\n\n"
                          "The point of the shape that lies furthest along a direction.\n\n"
                          "Parameters\n----------\n"
                          "direction : array_like, shape (..., 2)\n"
                          "    Of any length, in the shape's frame.\n\n"
                          "Returns\n-------\n"
                          "ndarray, shape (..., 2)\n"
                          "    Metres; a rounding radius is included.\n\n"
                          "Raises\n------\n"
                          "ValueError\n    For a wrong shape, NaN or infinity.");

static PyObject *shape_support(PyObject *self, PyObject *arg) {
    PyArrayObject *directions = core_to_points(arg, "direction");
    if (directions == NULL) {
        return NULL;
    }
    PyObject *result =
        PyArray_SimpleNew(PyArray_NDIM(directions), PyArray_DIMS(directions), NPY_DOUBLE);
    if (result != NULL) {
        PhVec2 *out = PyArray_DATA((PyArrayObject *)result);
        const PhVec2 *direction = core_points(directions);
        npy_intp count = PyArray_SIZE(directions) / 2;
        for (npy_intp i = 0; i < count; ++i) {
            out[i] = ph_shape_support(shape_of(self), direction[i]);
        }
    }
    Py_DECREF(directions);
    return result;
}

PyDoc_STRVAR(mass_doc, "mass_properties($self, density=1.0)\n--\n\n"
                       "Mass, centre and inertia at a density.\n\n"
                       "Parameters\n----------\n"
                       "density : float\n    kg/m^2, >= 0.\n\n"
                       "Returns\n-------\n"
                       "mass : float\n    kg.\n"
                       "center : ndarray, shape (2,)\n    Metres, in the shape's frame.\n"
                       "inertia : float\n    kg m^2, about the centre.\n\n"
                       "Raises\n------\n"
                       "ValueError\n    For a density that is negative or not finite.\n\n"
                       "Examples\n--------\n"
                       ">>> mass, center, inertia = Box(2, 1).mass_properties(density=3)\n"
                       ">>> mass, inertia\n"
                       "(6.0, 2.5)");

static PyObject *shape_mass_properties(PyObject *self, PyObject *const *args, Py_ssize_t count,
                                       PyObject *keywords) {
    static const char *const names[] = {"density"};
    static const CoreSignature signature = {"mass_properties", names, 1, 1, 0};
    PyObject *value;
    double density = 1;
    if (!core_bind(&signature, args, count, keywords, &value) ||
        (value != NULL && !core_to_double(value, "density", &density))) {
        return NULL;
    }
    if (density < 0) {
        return PyErr_Format(PyExc_ValueError, "density: must be >= 0, got %R", value);
    }
    const PhShape *shape = shape_of(self);
    PyObject *center = core_from_vec2(shape->centroid);
    return Py_BuildValue("dNd", density * shape->area, center, density * shape->inertia);
}

static PyObject *get_number(PyObject *self, void *closure) {
    const char *base = (const char *)shape_of(self);
    return PyFloat_FromDouble(*(const double *)(base + (intptr_t)closure));
}

PyObject *core_shape_vector(PyObject *shape, const char *name, PhVec2 v) {
    return core_vector(((ShapeObject *)shape)->core, v, (CoreAdvice){"shape", name, NULL, true});
}

static PyObject *get_centroid(PyObject *self, void *Py_UNUSED(closure)) {
    return core_shape_vector(self, "centroid", shape_of(self)->centroid);
}

static PyObject *get_aabb(PyObject *self, void *Py_UNUSED(closure)) {
    return core_from_aabb(shape_of(self)->aabb);
}

static PyObject *get_geo_interface(PyObject *self, void *Py_UNUSED(closure)) {
    PyObject *module = PyImport_ImportModule("pyphys2d._geojson");
    PyObject *result = module != NULL ? PyObject_CallMethod(module, "interface", "O", self) : NULL;
    Py_XDECREF(module);
    return result;
}

static PyMethodDef methods[] = {
    {"contains", shape_contains, METH_O, contains_doc},
    {"support", shape_support, METH_O, support_doc},
    {"mass_properties", CORE_FAST(shape_mass_properties), METH_FASTCALL | METH_KEYWORDS, mass_doc},
    CORE_PICTURE_METHODS,
    {0},
};

static PyGetSetDef attributes[] = {
    {"area", get_number, NULL, "Area, m^2; 0 for segments and chains.",
     (void *)offsetof(PhShape, area)},
    {"inertia", get_number, NULL,
     "Polar second moment about the centroid for a density of 1 kg/m^2, m^4.",
     (void *)offsetof(PhShape, inertia)},
    {"centroid", get_centroid, NULL,
     "Centre of the area (of the length for chains and segments), shape (2,), metres.", NULL},
    {"__geo_interface__", get_geo_interface, NULL,
     "The shape as a geometry of GeoJSON, for Shapely, GeoPandas and others: a Polygon, or of a\n"
     "segment or chain a LineString. Round sides have 64 vertices a turn, inside of the arc by at\n"
     "most 0.13 % of its radius.",
     NULL},
    {"aabb", get_aabb, NULL, "Bounds [[lower], [upper]], shape (2, 2), metres, shape's frame.",
     NULL},
    {0},
};

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ShapeObject, weak_references), READONLY, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, shape_dealloc},
    {Py_tp_setattro, core_set_attribute},
    {Py_tp_traverse, shape_traverse},
    {Py_tp_clear, shape_clear},
    {Py_tp_richcompare, shape_compare},
    {Py_tp_hash, shape_hash},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {Py_tp_doc, (void *)PyDoc_STR("Base class of all shapes: immutable geometry, shared between "
                                  "bodies.\n\nLengths are metres in the shape's own frame. Shapes "
                                  "with the same numbers are equal and hash alike.")},
    {0, NULL},
};

PyType_Spec core_shape_spec = {
    .name = "pyphys2d._core.Shape",
    .basicsize = sizeof(ShapeObject),
    .flags = CORE_HANDLE_FLAGS | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};
