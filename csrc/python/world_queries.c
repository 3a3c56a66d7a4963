// Questions to a world: rays, boxes, points, shapes. All use the poses as they are now.
#include "base/memory.h"
#include "python/convert.h"
#include "python/world_methods.h"

// Every query ends with these two.
#define FILTER_KEYWORDS "mask", "include_sensors"
#define FILTER_DOC                                                                                 \
    "mask : int\n    Only colliders with category & mask != 0.\n"                                  \
    "include_sensors : bool\n    Whether sensors are found too.\n\n"

static bool to_filter(PyObject *const *values, PhQueryFilter *filter) {
    *filter = (PhQueryFilter){.mask = UINT64_MAX, .include_sensors = false};
    return (values[0] == NULL || core_to_bits(values[0], "mask", &filter->mask)) &&
           (values[1] == NULL ||
            core_to_bool(values[1], "include_sensors", &filter->include_sensors));
}

// Ids of colliders, or NULL. Frees the numbers. Inside the gate.
static PhId *collider_ids(const PhWorld *world, uint32_t *colliders, uint32_t count) {
    PhId *ids = ph_alloc(count, sizeof *ids);
    for (uint32_t i = 0; i < count && ids != NULL; ++i) {
        ids[i] = ph_collider_id(world, colliders[i]);
    }
    ph_free(colliders);
    return ids;
}

// Leaves the gate; a list of Collider handles from the result of a query.
static PyObject *leave_with_colliders(WorldObject *self, PhStatus status, uint32_t *colliders,
                                      uint32_t count, const PhError *error) {
    PhId *ids = status == PH_OK ? collider_ids(self->world, colliders, count) : NULL;
    core_leave(self);
    if (status != PH_OK) {
        return core_raise(self->core, error);
    }
    if (ids == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *list = core_handle_list(self, TYPE_COLLIDER, ids, count);
    ph_free(ids);
    return list;
}

// ----------------------------------------------------------------------------------------------
// rays

// A hit with its ids, taken inside the gate.
typedef struct Hit {
    PhWorldRayHit row;
    PhId collider, body;
} Hit;

static void read_hit(const PhWorld *world, const PhWorldRayHit *row, Hit *hit) {
    hit->row = *row;
    hit->collider = ph_collider_id(world, (uint32_t)row->collider);
    hit->body = ph_body_id(world, (uint32_t)row->body);
}

static PyObject *make_hit(WorldObject *self, const Hit *hit) {
    const PhWorldRayHit *row = &hit->row;
    PyObject *const values[] = {
        core_handle(self, TYPE_COLLIDER, hit->collider),
        core_handle(self, TYPE_BODY, hit->body),
        PyLong_FromLong(row->piece),
        core_from_vec2(ph_vec(row->point[0], row->point[1])),
        core_from_vec2(ph_vec(row->normal[0], row->normal[1])),
        PyFloat_FromDouble(row->fraction),
    };
    return core_record(self->core, TYPE_RAY_HIT, values);
}

static const char *const ray_names[] = {"origin", "translation", FILTER_KEYWORDS};

static bool to_ray(const CoreSignature *signature, PyObject *const *args, Py_ssize_t count,
                   PyObject *keywords, PhVec2 *origin, PhVec2 *translation, PhQueryFilter *filter) {
    PyObject *values[4];
    return core_bind(signature, args, count, keywords, values) &&
           core_to_vec2(values[0], "origin", origin) &&
           core_to_vec2(values[1], "translation", translation) && to_filter(values + 2, filter);
}

const char core_world_cast_ray_doc[] =
    "cast_ray($self, origin, translation, *, mask=18446744073709551615, include_sensors=False)\n"
    "--\n\n"
    "First point of a ray on a collider.\n\n"
    "Parameters\n----------\n"
    "origin, translation : array_like, shape (2,)\n"
    "    The ray runs from origin to origin + translation, metres, world.\n" FILTER_DOC
    "Returns\n-------\n"
    "RayHit or None\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN or infinity.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> wall = world.add_body(Box(1, 10), kind='static')\n"
    ">>> world.cast_ray((-10, 0), (20, 0)).point\n"
    "array([-0.5,  0. ])";

PyObject *core_world_cast_ray(PyObject *object, PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords) {
    static const CoreSignature signature = {"cast_ray", ray_names, 4, 2, 2};
    WorldObject *self = (WorldObject *)object;
    PhVec2 origin, translation;
    PhQueryFilter filter;
    if (!to_ray(&signature, args, count, keywords, &origin, &translation, &filter) ||
        !core_enter(self)) {
        return NULL;
    }
    PhWorldRayHit row;
    Hit hit;
    PhError error;
    core_world_sync(self);
    PhStatus status = ph_world_cast_ray(self->world, origin, translation, filter, &row, &error);
    bool found = status == PH_OK && row.collider >= 0;
    if (found) {
        read_hit(self->world, &row, &hit);
    }
    core_leave(self);
    if (status != PH_OK) {
        return core_raise(self->core, &error);
    }
    if (!found) {
        Py_RETURN_NONE;
    }
    return make_hit(self, &hit);
}

const char core_world_cast_ray_all_doc[] =
    "cast_ray_all($self, origin, translation, *, mask=18446744073709551615,\n"
    "             include_sensors=False)\n--\n\n"
    "First points of a ray on every collider that it meets, nearest first.\n\n"
    "Parameters\n----------\n"
    "origin, translation : array_like, shape (2,)\n    Metres, world.\n" FILTER_DOC
    "Returns\n-------\n"
    "list of RayHit\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN or infinity.";

PyObject *core_world_cast_ray_all(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                  PyObject *keywords) {
    static const CoreSignature signature = {"cast_ray_all", ray_names, 4, 2, 2};
    WorldObject *self = (WorldObject *)object;
    PhVec2 origin, translation;
    PhQueryFilter filter;
    if (!to_ray(&signature, args, count, keywords, &origin, &translation, &filter) ||
        !core_enter(self)) {
        return NULL;
    }
    PhWorldRayHit *rows = NULL;
    uint32_t hit_count = 0;
    PhError error;
    core_world_sync(self);
    PhStatus status =
        ph_world_cast_ray_all(self->world, origin, translation, filter, &rows, &hit_count, &error);
    Hit *hits = status == PH_OK ? ph_alloc(hit_count, sizeof *hits) : NULL;
    for (uint32_t i = 0; i < hit_count && hits != NULL; ++i) {
        read_hit(self->world, &rows[i], &hits[i]);
    }
    core_leave(self);
    if (status != PH_OK) {
        return core_raise(self->core, &error);
    }
    ph_free(rows);
    PyObject *list = hits != NULL ? PyList_New(hit_count) : PyErr_NoMemory();
    for (uint32_t i = 0; i < hit_count && list != NULL; ++i) {
        PyObject *hit = make_hit(self, &hits[i]);
        if (hit == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SET_ITEM(list, i, hit);
        }
    }
    ph_free(hits);
    return list;
}

// Points of shape (2,) or (n, 2) as n of them; a new array where n is not the array's own.
static PyArrayObject *to_rows(PyObject *object, const char *name) {
    PyArrayObject *array = core_to_points(object, name);
    if (array != NULL && PyArray_NDIM(array) > 2) {
        core_shape_error(name, "(2,) or (n, 2)", array);
        Py_CLEAR(array);
    }
    return array;
}

static npy_intp count_rows(PyArrayObject *array) {
    return PyArray_NDIM(array) == 2 ? PyArray_DIM(array, 0) : 1;
}

// `rows` rows of array, which has that many or one: a new reference.
static PyArrayObject *repeat_rows(PyArrayObject *array, npy_intp rows) {
    if (count_rows(array) == rows) {
        return (PyArrayObject *)Py_NewRef((PyObject *)array);
    }
    npy_intp dims[2] = {rows, 2};
    PyArrayObject *result = (PyArrayObject *)PyArray_SimpleNew(2, dims, NPY_DOUBLE);
    if (result != NULL && PyArray_CopyInto(result, array) < 0) {
        Py_CLEAR(result);
    }
    return result;
}

// Rays between looks for signals: some ten milliseconds.
#define RAY_SLICE (1 << 17)

static PyObject *cast_rows(WorldObject *self, PyArrayObject *origins, PyArrayObject *translations,
                           npy_intp rows, PhQueryFilter filter) {
    if (rows > INT32_MAX) {
        return PyErr_Format(PyExc_ValueError, "origins: has too many rows: %zd", (Py_ssize_t)rows);
    }
    PyObject *result = core_rows(self->core, ROW_RAY_HIT, NULL, rows);
    if (result == NULL || !core_enter(self)) {
        Py_XDECREF(result);
        return NULL;
    }
    const double(*from)[2] = (const double(*)[2])PyArray_DATA(origins);
    const double(*along)[2] = (const double(*)[2])PyArray_DATA(translations);
    PhWorldRayHit *hits = PyArray_DATA((PyArrayObject *)result);
    PhStatus status = PH_OK;
    PhError error;
    bool interrupted = false;
    core_world_sync(self);
    for (npy_intp first = 0; first < rows && status == PH_OK && !interrupted; first += RAY_SLICE) {
        uint32_t size = (uint32_t)(rows - first < RAY_SLICE ? rows - first : RAY_SLICE);
        Py_BEGIN_ALLOW_THREADS status = ph_world_cast_rays(
            self->world, size, from + first, along + first, filter, hits + first, &error);
        Py_END_ALLOW_THREADS interrupted = rows - first > RAY_SLICE && PyErr_CheckSignals() < 0;
    }
    core_leave(self);
    if (interrupted) {
        Py_DECREF(result);
        return NULL;
    }
    if (status != PH_OK) {
        Py_DECREF(result);
        return core_raise(self->core, &error);
    }
    return result;
}

const char core_world_cast_rays_doc[] =
    "cast_rays($self, origins, translations, *, mask=18446744073709551615,\n"
    "          include_sensors=False)\n--\n\n"
    "First points of many rays in one call; the GIL is released.\n\n"
    "Parameters\n----------\n"
    "origins, translations : array_like, shape (2,) or (n, 2)\n"
    "    Metres, world; one of them may be the same for all rays.\n" FILTER_DOC "Returns\n-------\n"
    "structured ndarray, shape (n,)\n"
    "    Columns collider, body, piece (-1 for a miss), point, normal and fraction (NaN for a "
    "miss).\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN or infinity.";

PyObject *core_world_cast_rays(PyObject *object, PyObject *const *args, Py_ssize_t count,
                               PyObject *keywords) {
    static const char *const names[] = {"origins", "translations", FILTER_KEYWORDS};
    static const CoreSignature signature = {"cast_rays", names, 4, 2, 2};
    PyObject *values[4];
    PhQueryFilter filter;
    if (!core_bind(&signature, args, count, keywords, values) || !to_filter(values + 2, &filter)) {
        return NULL;
    }
    PyObject *result = NULL;
    PyArrayObject *origins = to_rows(values[0], "origins");
    PyArrayObject *translations = origins != NULL ? to_rows(values[1], "translations") : NULL;
    if (translations != NULL) {
        npy_intp rows = count_rows(origins);
        if (rows == 1) {
            rows = count_rows(translations);
        }
        if (count_rows(translations) != rows && count_rows(translations) != 1) {
            char right[48];
            PyOS_snprintf(right, sizeof right, "(2,) or (%lld, 2)", (long long)rows);
            core_shape_error("translations", right, translations);
        } else {
            PyArrayObject *from = repeat_rows(origins, rows);
            PyArrayObject *along = from != NULL ? repeat_rows(translations, rows) : NULL;
            if (along != NULL) {
                result = cast_rows((WorldObject *)object, from, along, rows, filter);
            }
            Py_XDECREF(from);
            Py_XDECREF(along);
        }
    }
    Py_XDECREF(origins);
    Py_XDECREF(translations);
    return result;
}

// -------------------------------------------------------------------------------- boxes, points,
// shapes

const char core_world_query_aabb_doc[] =
    "query_aabb($self, lower, upper, *, mask=18446744073709551615, include_sensors=False)\n--\n\n"
    "Colliders near a box, by index: those with a convex piece whose own bounds overlap it.\n\n"
    "Parameters\n----------\n"
    "lower, upper : array_like, shape (2,)\n    Corners of the box, metres, world.\n" FILTER_DOC
    "Returns\n-------\n"
    "list of Collider\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN, infinity, or lower > upper.";

PyObject *core_world_query_aabb(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                PyObject *keywords) {
    static const char *const names[] = {"lower", "upper", FILTER_KEYWORDS};
    static const CoreSignature signature = {"query_aabb", names, 4, 2, 2};
    WorldObject *self = (WorldObject *)object;
    PyObject *values[4];
    PhAabb box;
    PhQueryFilter filter;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_box(values[0], values[1], &box) || !to_filter(values + 2, &filter) ||
        !core_enter(self)) {
        return NULL;
    }
    uint32_t *colliders = NULL, found = 0;
    PhError error;
    core_world_sync(self);
    PhStatus status = ph_world_query_aabb(self->world, box, filter, &colliders, &found, &error);
    return leave_with_colliders(self, status, colliders, found, &error);
}

const char core_world_at_doc[] =
    "at($self, point, *, mask=18446744073709551615, include_sensors=False)\n--\n\n"
    "Colliders that contain a point, by index.\n\n"
    "Parameters\n----------\n"
    "point : array_like, shape (2,)\n    Metres, world.\n" FILTER_DOC "Returns\n-------\n"
    "list of Collider\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN or infinity.";

PyObject *core_world_at(PyObject *object, PyObject *const *args, Py_ssize_t count,
                        PyObject *keywords) {
    static const char *const names[] = {"point", FILTER_KEYWORDS};
    static const CoreSignature signature = {"at", names, 3, 1, 1};
    WorldObject *self = (WorldObject *)object;
    PyObject *values[3];
    PhVec2 point;
    PhQueryFilter filter;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_vec2(values[0], "point", &point) || !to_filter(values + 1, &filter) ||
        !core_enter(self)) {
        return NULL;
    }
    uint32_t *colliders = NULL, found = 0;
    PhError error;
    core_world_sync(self);
    PhStatus status = ph_world_at(self->world, point, filter, &colliders, &found, &error);
    return leave_with_colliders(self, status, colliders, found, &error);
}

const char core_world_overlap_doc[] =
    "overlap($self, shape, pose=(0, 0, 0), *, mask=18446744073709551615, include_sensors=False)\n"
    "--\n\n"
    "Colliders that overlap a shape, by index.\n\n"
    "Parameters\n----------\n"
    "shape : Shape\n"
    "pose : array_like, shape (3,)\n    x, y (metres) and angle (radians) of the shape, "
    "world.\n" FILTER_DOC "Returns\n-------\n"
    "list of Collider\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape of the pose, NaN or infinity.";

PyObject *core_world_overlap(PyObject *object, PyObject *const *args, Py_ssize_t count,
                             PyObject *keywords) {
    static const char *const names[] = {"shape", "pose", FILTER_KEYWORDS};
    static const CoreSignature signature = {"overlap", names, 4, 2, 1};
    WorldObject *self = (WorldObject *)object;
    PyObject *values[4];
    PhVec2 position;
    double angle;
    PhQueryFilter filter;
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    const PhShape *shape = core_to_shape(self->core, values[0], "shape");
    if (shape == NULL || !core_to_pose(values[1], "pose", &position, &angle) ||
        !to_filter(values + 2, &filter) || !core_enter(self)) {
        return NULL;
    }
    uint32_t *colliders = NULL, found = 0;
    PhError error;
    core_world_sync(self);
    PhStatus status =
        ph_world_overlap(self->world, shape, position, angle, filter, &colliders, &found, &error);
    return leave_with_colliders(self, status, colliders, found, &error);
}

const char core_world_touching_doc[] = "touching($self, body, /)\n--\n\n"
                                       "Bodies that touched a body in the last step, by slot.\n\n"
                                       "Parameters\n----------\n"
                                       "body : Body\n\n"
                                       "Returns\n-------\n"
                                       "list of Body\n\n"
                                       "Raises\n------\n"
                                       "RemovedError\n    When the body has been removed.\n"
                                       "ValueError\n    When it belongs to another world.";

PyObject *core_world_touching(PyObject *object, PyObject *arg) {
    WorldObject *self = (WorldObject *)object;
    if (!Py_IS_TYPE(arg, self->core->type[TYPE_BODY])) {
        return PyErr_Format(PyExc_TypeError, "body: must be a Body, got %.100s",
                            Py_TYPE(arg)->tp_name);
    }
    HandleObject *body = (HandleObject *)arg;
    if (body->world != self) {
        return PyErr_Format(PyExc_ValueError, "body: %R belongs to another world", arg);
    }
    if (!core_enter_body(body)) {
        return NULL;
    }
    uint32_t *slots = NULL, count = 0;
    PhError error;
    PhStatus status = ph_world_touching(self->world, body->id, &slots, &count, &error);
    PhId *ids = status == PH_OK ? ph_alloc(count, sizeof *ids) : NULL;
    for (uint32_t i = 0; i < count && ids != NULL; ++i) {
        ids[i] = ph_body_id(self->world, slots[i]);
    }
    core_leave(self);
    if (status != PH_OK) {
        return core_raise(self->core, &error);
    }
    ph_free(slots);
    PyObject *list = ids != NULL ? core_handle_list(self, TYPE_BODY, ids, count) : PyErr_NoMemory();
    ph_free(ids);
    return list;
}
