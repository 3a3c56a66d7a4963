// Questions to a world: rays, boxes, points, shapes. All use the poses as they are now.
#include "python/world_queries.h"
#include "base/memory.h"
#include "python/convert.h"
#include "python/world_methods.h"

// ------------------------------------------------------------------------------------------------
// rays

static const char *const ray_names[] = {"origin", "translation", "radius", FILTER_KEYWORDS};

typedef struct RayCall {
    PhVec2 origin, translation;
    double radius;
    QueryFilter filter;
} RayCall;

static bool to_radius(PyObject *object, double *radius) {
    if (object != NULL && !core_to_double(object, "radius", radius)) {
        return false;
    }
    if (*radius < 0) {
        PyErr_Format(PyExc_ValueError, "radius: must be >= 0, got %R", object);
        return false;
    }
    return true;
}

// Reads the arguments and enters the gate. Successful or not, the filter must be dropped.
static bool enter_with_ray(WorldObject *self, const CoreSignature *signature, PyObject *const *args,
                           Py_ssize_t count, PyObject *keywords, RayCall *call) {
    PyObject *values[9];
    *call = (RayCall){.radius = 0};
    if (!core_bind(signature, args, count, keywords, values) ||
        !core_to_vec2(values[0], "origin", &call->origin) ||
        !core_to_vec2(values[1], "translation", &call->translation) ||
        !to_radius(values[2], &call->radius) || !core_query_open(self, values + 3, &call->filter)) {
        return false;
    }
    PhAabb box = core_query_include(QUERY_NOWHERE, call->origin);
    box = core_query_include(box, ph_add(call->origin, call->translation));
    return core_query_enter(self, &call->filter, core_query_box(box, call->radius));
}

#define RADIUS_DOC                                                                                 \
    "    With a radius, a disc moves along the ray. The point is where it first touches the\n"     \
    "    collider, the fraction is that of its centre. Chains are hit from their free side.\n"

const char core_world_cast_ray_doc[] =
    "cast_ray($self, origin, translation, *, radius=0.0, mask=18446744073709551615,\n"
    "         include_sensors=False, where=None, ignore=None, category=0, group=0)\n--\n\n"
    "First point of a ray on a collider.\n\n"
    "Parameters\n----------\n"
    "origin, translation : array_like, shape (2,)\n"
    "    The ray runs from origin to origin + translation, metres, world.\n"
    "radius : float\n    Radius of the ray, metres, >= 0.\n" RADIUS_DOC FILTER_DOC
    "Returns\n-------\n"
    "RayHit or None\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN, infinity or a negative radius.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> wall = world.add_body(Box(1, 10), kind='static')\n"
    ">>> world.cast_ray((-10, 0), (20, 0)).point\n"
    "array([-0.5,  0. ])";

PyObject *core_world_cast_ray(PyObject *object, PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords) {
    static const CoreSignature signature = {"cast_ray", ray_names, 9, 2, 2};
    WorldObject *self = (WorldObject *)object;
    RayCall call;
    PyObject *result = NULL;
    if (enter_with_ray(self, &signature, args, count, keywords, &call)) {
        PhWorldRayHit row;
        PhError error;
        PhStatus status = ph_world_cast_ray(self->world, call.origin, call.translation, call.radius,
                                            call.filter.filter, &row, &error);
        result = core_query_leave(self, status, &row, &error);
    }
    core_query_drop(&call.filter);
    return result;
}

const char core_world_cast_ray_all_doc[] =
    "cast_ray_all($self, origin, translation, *, radius=0.0, mask=18446744073709551615,\n"
    "             include_sensors=False, where=None, ignore=None, category=0, group=0)\n--\n\n"
    "First points of a ray on every collider that it meets, nearest first.\n\n"
    "Parameters\n----------\n"
    "origin, translation : array_like, shape (2,)\n    Metres, world.\n"
    "radius : float\n    Radius of the ray, metres, >= 0.\n" RADIUS_DOC FILTER_DOC
    "Returns\n-------\n"
    "list of RayHit\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN or infinity.";

PyObject *core_world_cast_ray_all(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                  PyObject *keywords) {
    static const CoreSignature signature = {"cast_ray_all", ray_names, 9, 2, 2};
    WorldObject *self = (WorldObject *)object;
    RayCall call;
    if (!enter_with_ray(self, &signature, args, count, keywords, &call)) {
        core_query_drop(&call.filter);
        return NULL;
    }
    PhWorldRayHit *rows = NULL;
    uint32_t hit_count = 0;
    PhError error;
    PhStatus status = ph_world_cast_ray_all(self->world, call.origin, call.translation, call.radius,
                                            call.filter.filter, &rows, &hit_count, &error);
    CoreHit *hits = status == PH_OK ? ph_alloc(hit_count, sizeof *hits) : NULL;
    for (uint32_t i = 0; i < hit_count && hits != NULL; ++i) {
        core_query_read(self->world, &rows[i], &hits[i]);
    }
    core_query_exit(self);
    core_query_drop(&call.filter);
    if (status != PH_OK) {
        return core_raise(self->core, &error);
    }
    ph_free(rows);
    PyObject *list = hits != NULL ? PyList_New(hit_count) : PyErr_NoMemory();
    for (uint32_t i = 0; i < hit_count && list != NULL; ++i) {
        bool stopped = i % 4096 == 4095 && PyErr_CheckSignals() < 0;
        PyObject *hit = stopped ? NULL : core_query_hit(self, &hits[i]);
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

// Rays between checks for signals: some ten milliseconds.
#define RAY_SLICE (1 << 17)

typedef struct RaysCall {
    PhWorld *world;
    const double (*from)[2], (*along)[2];
    const double *radii; // NULL: zeros
    PhQueryFilter filter;
    PhWorldRayHit *hits;
} RaysCall;

static PhStatus cast_slice(void *context, uint32_t first, uint32_t count, PhError *error) {
    const RaysCall *call = context;
    return ph_world_cast_rays(call->world, count, call->from + first, call->along + first,
                              call->radii != NULL ? call->radii + first : NULL, call->filter,
                              call->hits + first, error);
}

static PhAabb box_of_rays(const RaysCall *call, npy_intp rows) {
    PhAabb box = QUERY_NOWHERE;
    double most = 0;
    for (npy_intp i = 0; i < rows; ++i) {
        PhVec2 from = {call->from[i][0], call->from[i][1]};
        PhVec2 along = {call->along[i][0], call->along[i][1]};
        box = core_query_include(core_query_include(box, from), ph_add(from, along));
        most = ph_max(most, call->radii != NULL ? call->radii[i] : 0);
    }
    return core_query_box(box, most);
}

static PyObject *cast_rows(WorldObject *self, RaysCall *call, npy_intp rows, QueryFilter *filter) {
    if (rows > INT32_MAX) {
        return PyErr_Format(PyExc_ValueError, "origins: has too many rows: %zd", (Py_ssize_t)rows);
    }
    PyObject *result = core_rows(self->core, ROW_RAY_HIT, NULL, rows);
    PhAabb box = filter->choose != NULL ? box_of_rays(call, rows) : QUERY_NOWHERE;
    if (result == NULL || !core_query_enter(self, filter, box)) {
        Py_XDECREF(result);
        return NULL;
    }
    call->world = self->world;
    call->filter = filter->filter;
    call->hits = PyArray_DATA((PyArrayObject *)result);
    if (!core_query_run(self, cast_slice, call, (uint32_t)rows,
                        call->radii != NULL ? RAY_SLICE / 16 : RAY_SLICE)) {
        Py_CLEAR(result);
    }
    return result;
}

// One radius, or one for each row: a new reference; NULL without an exception when all are zero.
static PyArrayObject *to_radii(PyObject *object, npy_intp *rows) {
    PyArrayObject *array = object != NULL ? core_to_numbers(object, "radius") : NULL;
    if (array == NULL) {
        return NULL;
    }
    const double *radii = PyArray_DATA(array);
    npy_intp count = PyArray_SIZE(array);
    bool right =
        PyArray_NDIM(array) == 0 || (PyArray_NDIM(array) == 1 && (count == *rows || *rows == 1));
    bool some = false;
    if (!right) {
        char shape[48];
        PyOS_snprintf(shape, sizeof shape, "() or (%lld,)", (long long)*rows);
        core_shape_error("radius", shape, array);
    }
    right = right && core_check_finite(array, "radius");
    for (npy_intp i = 0; right && i < count; ++i) {
        if (radii[i] < 0) {
            right = core_refuse_number("radius", ">= 0", radii[i]);
        }
        some = some || radii[i] > 0;
    }
    if (right && PyArray_NDIM(array) == 1 && *rows == 1) {
        *rows = count;
    }
    if (!right || !some) {
        Py_CLEAR(array);
    } else if (PyArray_NDIM(array) == 0) {
        npy_intp dims[1] = {*rows};
        PyArrayObject *many = (PyArrayObject *)PyArray_SimpleNew(1, dims, NPY_DOUBLE);
        if (many != NULL && PyArray_CopyInto(many, array) < 0) {
            Py_CLEAR(many);
        }
        Py_SETREF(array, many);
    }
    return array;
}

const char core_world_cast_rays_doc[] =
    "cast_rays($self, origins, translations, *, radius=0.0, mask=18446744073709551615,\n"
    "          include_sensors=False, where=None, ignore=None, category=0, group=0)\n--\n\n"
    "First points of many rays in one call; the GIL is released.\n\n"
    "Parameters\n----------\n"
    "origins, translations : array_like, shape (2,) or (n, 2)\n"
    "    Metres, world; one of them may be the same for all rays.\n"
    "radius : float or array_like, shape (n,)\n    Radius of the rays, metres, >= "
    "0.\n" RADIUS_DOC FILTER_DOC "Returns\n-------\n"
    "structured ndarray, shape (n,)\n"
    "    Columns collider, body, piece (-1 for a miss), point, normal and fraction (NaN for a "
    "miss).\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN, infinity or a negative radius.";

// How many rays origins, translations and radii make together; -1 with an exception.
static npy_intp join_rows(PyArrayObject *origins, PyArrayObject *translations) {
    npy_intp rows = count_rows(origins);
    if (rows == 1) {
        rows = count_rows(translations);
    }
    if (count_rows(translations) != rows && count_rows(translations) != 1) {
        char right[48];
        PyOS_snprintf(right, sizeof right, "(2,) or (%lld, 2)", (long long)rows);
        core_shape_error("translations", right, translations);
        return -1;
    }
    return rows;
}

static PyObject *cast_arrays(WorldObject *self, PyArrayObject *origins, PyArrayObject *translations,
                             PyObject *radius, QueryFilter *filter) {
    npy_intp rows = join_rows(origins, translations);
    PyArrayObject *radii = rows >= 0 ? to_radii(radius, &rows) : NULL;
    bool good = rows >= 0 && !PyErr_Occurred();
    PyArrayObject *from = good ? repeat_rows(origins, rows) : NULL;
    PyArrayObject *along = from != NULL ? repeat_rows(translations, rows) : NULL;
    PyObject *result = NULL;
    if (along != NULL) {
        RaysCall call = {.from = (const double(*)[2])PyArray_DATA(from),
                         .along = (const double(*)[2])PyArray_DATA(along),
                         .radii = radii != NULL ? PyArray_DATA(radii) : NULL};
        result = cast_rows(self, &call, rows, filter);
    }
    Py_XDECREF(from);
    Py_XDECREF(along);
    Py_XDECREF(radii);
    return result;
}

PyObject *core_world_cast_rays(PyObject *object, PyObject *const *args, Py_ssize_t count,
                               PyObject *keywords) {
    CORE_ARGUMENTS("cast_rays", 2, 2, "origins", "translations", "radius", FILTER_KEYWORDS);
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    QueryFilter filter;
    PyObject *result = NULL;
    bool good = core_query_open((WorldObject *)object, values + 3, &filter);
    PyArrayObject *origins = good ? to_rows(values[0], "origins") : NULL;
    PyArrayObject *translations = origins != NULL ? to_rows(values[1], "translations") : NULL;
    if (translations != NULL) {
        result = cast_arrays((WorldObject *)object, origins, translations, values[2], &filter);
    }
    Py_XDECREF(origins);
    Py_XDECREF(translations);
    core_query_drop(&filter);
    return result;
}

// ------------------------------------------------------------------------------------------------
// boxes, points, shapes

const char core_world_query_aabb_doc[] =
    "query_aabb($self, lower, upper, *, mask=18446744073709551615, include_sensors=False,\n"
    "           where=None, ignore=None, category=0, group=0)\n--\n\n"
    "Colliders near a box, by index: those with a convex piece whose own bounds overlap it.\n\n"
    "Parameters\n----------\n"
    "lower, upper : array_like, shape (2,)\n    Corners of the box, metres, world.\n" FILTER_DOC
    "Returns\n-------\n"
    "list of Collider\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN, infinity, or lower > upper.";

PyObject *core_world_query_aabb(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                PyObject *keywords) {
    CORE_ARGUMENTS("query_aabb", 2, 2, "lower", "upper", FILTER_KEYWORDS);
    WorldObject *self = (WorldObject *)object;
    PyObject *result = NULL;
    PhAabb box;
    QueryFilter filter;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_box(values[0], values[1], &box)) {
        return NULL;
    }
    if (core_query_open(self, values + 2, &filter) && core_query_enter(self, &filter, box)) {
        uint32_t *colliders = NULL, found = 0;
        PhError error;
        PhStatus status =
            ph_world_query_aabb(self->world, box, filter.filter, &colliders, &found, &error);
        result = core_query_leave_with(self, status, colliders, found, &error);
    }
    core_query_drop(&filter);
    return result;
}

const char core_world_at_doc[] =
    "at($self, point, *, mask=18446744073709551615, include_sensors=False, where=None,\n"
    "   ignore=None, category=0, group=0)\n--\n\n"
    "Colliders that contain a point, by index.\n\n"
    "Parameters\n----------\n"
    "point : array_like, shape (2,)\n    Metres, world.\n" FILTER_DOC "Returns\n-------\n"
    "list of Collider\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN or infinity.";

PyObject *core_world_at(PyObject *object, PyObject *const *args, Py_ssize_t count,
                        PyObject *keywords) {
    CORE_ARGUMENTS("at", 1, 1, "point", FILTER_KEYWORDS);
    WorldObject *self = (WorldObject *)object;
    PyObject *result = NULL;
    PhVec2 point;
    QueryFilter filter;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_vec2(values[0], "point", &point)) {
        return NULL;
    }
    if (core_query_open(self, values + 1, &filter) &&
        core_query_enter(self, &filter, core_query_box((PhAabb){point, point}, 0))) {
        uint32_t *colliders = NULL, found = 0;
        PhError error;
        PhStatus status =
            ph_world_at(self->world, point, filter.filter, &colliders, &found, &error);
        result = core_query_leave_with(self, status, colliders, found, &error);
    }
    core_query_drop(&filter);
    return result;
}

const char core_world_overlap_doc[] =
    "overlap($self, shape, pose=(0, 0, 0), *, mask=18446744073709551615, include_sensors=False,\n"
    "        where=None, ignore=None, category=0, group=0)\n--\n\n"
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
    CORE_ARGUMENTS("overlap", 2, 1, "shape", "pose", FILTER_KEYWORDS);
    WorldObject *self = (WorldObject *)object;
    PyObject *result = NULL;
    PhVec2 position;
    double angle;
    QueryFilter filter;
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    const PhShape *shape = core_to_shape(self->core, values[0], "shape");
    if (shape == NULL || !core_to_pose(values[1], "pose", &position, &angle)) {
        return NULL;
    }
    if (core_query_open(self, values + 2, &filter) &&
        core_query_enter(self, &filter,
                         core_query_box((PhAabb){position, position}, shape->extent))) {
        uint32_t *colliders = NULL, found = 0;
        PhError error;
        PhStatus status = ph_world_overlap(self->world, shape, position, angle, filter.filter,
                                           &colliders, &found, &error);
        result = core_query_leave_with(self, status, colliders, found, &error);
    }
    core_query_drop(&filter);
    return result;
}

const char core_world_touching_doc[] =
    "touching($self, body, *, mask=18446744073709551615, include_sensors=False, where=None,\n"
    "         ignore=None, category=0, group=0)\n"
    "--\n\n"
    "Bodies that touched a body in the last step, by slot.\n\n"
    "Parameters\n----------\n"
    "body : Body\n"
    "mask : int\n    Only touches by colliders with category & mask != 0.\n"
    "include_sensors : bool\n    Whether bodies count whose sensors it overlaps now.\n"
    "where : array_like of bool, shape (c,), or callable, optional\n"
    "    Which colliders count, as for the other queries; a function is asked about all.\n"
    "ignore : Body, Collider or sequence of them, optional\n    What does not count.\n\n"
    "Returns\n-------\n"
    "list of Body\n\n"
    "Raises\n------\n"
    "RemovedError\n    When the body has been removed.\n"
    "ValueError\n    When it belongs to another world.";

// Leaves the gate; a list of bodies from slots, which it frees.
static PyObject *leave_with_bodies(WorldObject *self, PhStatus status, uint32_t *slots,
                                   uint32_t count, const PhError *error) {
    PhId *ids = status == PH_OK ? ph_alloc(count, sizeof *ids) : NULL;
    for (uint32_t i = 0; i < count && ids != NULL; ++i) {
        ids[i] = ph_body_id(self->world, slots[i]);
    }
    core_query_exit(self);
    if (status != PH_OK) {
        return core_raise(self->core, error);
    }
    ph_free(slots);
    PyObject *list = ids != NULL ? core_handle_list(self, TYPE_BODY, ids, count) : PyErr_NoMemory();
    ph_free(ids);
    return list;
}

PyObject *core_world_touching(PyObject *object, PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords) {
    CORE_ARGUMENTS("touching", 1, 1, "body", FILTER_KEYWORDS);
    WorldObject *self = (WorldObject *)object;
    PyObject *result = NULL;
    if (!core_bind(&signature, args, count, keywords, values)) {
        return NULL;
    }
    if (!Py_IS_TYPE(values[0], self->core->type[TYPE_BODY])) {
        return PyErr_Format(PyExc_TypeError, "body: must be a Body, got %.100s",
                            Py_TYPE(values[0])->tp_name);
    }
    HandleObject *body = (HandleObject *)values[0];
    if (body->world != self) {
        return PyErr_Format(PyExc_ValueError, "body: %R belongs to another world", values[0]);
    }
    QueryFilter filter;
    if (core_query_open(self, values + 1, &filter) &&
        core_query_enter(self, &filter, QUERY_EVERYWHERE)) {
        if (ph_body_valid(self->world, body->id)) {
            uint32_t *slots = NULL, found = 0;
            PhError error;
            PhStatus status =
                ph_world_touching(self->world, body->id, filter.filter, &slots, &found, &error);
            result = leave_with_bodies(self, status, slots, found, &error);
        } else {
            core_query_exit(self);
            core_raise_removed(body);
        }
    }
    core_query_drop(&filter);
    return result;
}
