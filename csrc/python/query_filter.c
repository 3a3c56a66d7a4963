// The colliders that a question may find, and slices of long questions that can be interrupted.
//
// Invariant: no Python code runs inside the gate. A callable is asked between two visits to the
// gate. The world may change meanwhile; the answer then applies to whatever has the index.
#include "python/ring_arguments.h"
#include "python/world_queries.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

// ------------------------------------------------------------------------------------------------
// filter

// One-dimensional booleans, as a copy of our own: of the argument, or of what the callable `asked`
// returned.
static PyArrayObject *to_choice(PyObject *object, bool asked) {
    const char *name = asked ? "where()" : "where";
    PyArrayObject *array = (PyArrayObject *)PyArray_FROM_O(object);
    if (array == NULL) {
        return NULL;
    }
    PyArrayObject *copy = NULL;
    if (PyArray_NDIM(array) == 0) {
        PyErr_Format(PyExc_ValueError,
                     "%s: must be an array of booleans, one for each index%s, got %.100s", name,
                     asked ? "" : " of a collider, or a function of such indices",
                     Py_TYPE(object)->tp_name);
    } else if (PyArray_NDIM(array) != 1) {
        core_shape_error(name, asked ? "(k,), as the indices" : "(c,), one for each of c colliders",
                         array);
    } else if (PyArray_TYPE(array) != NPY_BOOL && PyArray_SIZE(array) > 0) {
        PyErr_Format(PyExc_TypeError, "%s: must hold booleans, got dtype %S", name,
                     (PyObject *)PyArray_DESCR(array));
    } else {
        copy = (PyArrayObject *)PyArray_FROMANY((PyObject *)array, NPY_BOOL, 1, 1,
                                                NPY_ARRAY_CARRAY_RO | NPY_ARRAY_ENSURECOPY |
                                                    NPY_ARRAY_ENSUREARRAY | NPY_ARRAY_FORCECAST);
        if (copy == NULL) {
            core_blame_memory();
        }
    }
    Py_DECREF(array);
    return copy;
}

// A tuple of handles of this world.
static PyObject *to_ignored(WorldObject *self, PyObject *object) {
    const CoreState *core = self->core;
    PyTypeObject *body = core->type[TYPE_BODY], *collider = core->type[TYPE_COLLIDER];
    bool single = Py_IS_TYPE(object, body) || Py_IS_TYPE(object, collider);
    PyObject *handles = single ? PyTuple_Pack(1, object) : PySequence_Tuple(object);
    if (handles == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Format(PyExc_TypeError,
                     "ignore: must be a Body, a Collider or a sequence of them, got %.100s; a slot "
                     "is the body world.bodies[slot]",
                     Py_TYPE(object)->tp_name);
    }
    for (Py_ssize_t i = 0; handles != NULL && i < PyTuple_GET_SIZE(handles); ++i) {
        PyObject *handle = PyTuple_GET_ITEM(handles, i);
        if (!Py_IS_TYPE(handle, body) && !Py_IS_TYPE(handle, collider)) {
            PyErr_Format(
                PyExc_TypeError,
                "ignore[%zd]: must be a Body or a Collider, got %.100s; a slot is the body "
                "world.bodies[slot]",
                i, Py_TYPE(handle)->tp_name);
            Py_CLEAR(handles);
        } else if (((HandleObject *)handle)->world != self) {
            PyErr_Format(PyExc_ValueError, "ignore: %R belongs to another world", handle);
            Py_CLEAR(handles);
        }
    }
    return handles;
}

bool core_query_open(WorldObject *self, PyObject *const *values, QueryFilter *filter) {
    *filter = (QueryFilter){.filter = {.mask = UINT64_MAX}};
    if ((values[0] != NULL && !core_to_bits(values[0], "mask", &filter->filter.mask)) ||
        (values[1] != NULL &&
         !core_to_bool(values[1], "include_sensors", &filter->filter.include_sensors))) {
        return false;
    }
    long long group = 0;
    if ((values[4] != NULL && !core_to_bits(values[4], "category", &filter->category)) ||
        (values[5] != NULL && !core_to_integer(values[5], "group", INT32_MIN, INT32_MAX, &group))) {
        return false;
    }
    filter->group = (int32_t)group;
    if (values[3] != NULL && values[3] != Py_None &&
        (filter->ignored = to_ignored(self, values[3])) == NULL) {
        return false;
    }
    if (values[2] == NULL || values[2] == Py_None) {
        return true;
    }
    if (PyCallable_Check(values[2])) {
        filter->choose = values[2];
        return true;
    }
    filter->where = to_choice(values[2], false);
    return filter->where != NULL;
}

void core_query_drop(QueryFilter *filter) {
    ph_free(filter->allowed);
    filter->allowed = NULL;
    Py_CLEAR(filter->where);
    Py_CLEAR(filter->ignored);
}

static PyObject *array_of_indices(const uint32_t *colliders, uint32_t count) {
    npy_intp dims[1] = {count};
    PyObject *array = PyArray_SimpleNew(1, dims, NPY_INTP);
    for (uint32_t i = 0; array != NULL && i < count; ++i) {
        ((npy_intp *)PyArray_DATA((PyArrayObject *)array))[i] = colliders[i];
    }
    return array;
}

// Asks the callable about some colliders; `limit` is above all indices.
static bool choose(QueryFilter *filter, const uint32_t *colliders, uint32_t count, uint32_t limit) {
    PyObject *indices = array_of_indices(colliders, count);
    PyObject *answer = indices != NULL ? PyObject_CallOneArg(filter->choose, indices) : NULL;
    PyArrayObject *chosen = answer != NULL ? to_choice(answer, true) : NULL;
    Py_XDECREF(indices);
    Py_XDECREF(answer);
    if (chosen == NULL) {
        return false;
    }
    bool right = PyArray_DIM(chosen, 0) == (npy_intp)count;
    if (!right) {
        char shape[24];
        PyOS_snprintf(shape, sizeof shape, "(%u,)", count);
        core_shape_error("where()", shape, chosen);
    } else if ((filter->allowed = ph_alloc(limit, 1)) == NULL) {
        PyErr_NoMemory();
        right = false;
    }
    const npy_bool *value = PyArray_DATA(chosen);
    for (uint32_t i = 0; right && i < count; ++i) {
        filter->allowed[colliders[i]] = value[i];
    }
    Py_DECREF(chosen);
    filter->filter.allowed = filter->allowed;
    filter->filter.allowed_count = limit;
    return right;
}

static bool ask(WorldObject *self, QueryFilter *filter, PhAabb box) {
    uint32_t *colliders = NULL, count = 0;
    PhError error;
    if (!core_enter(self)) {
        return false;
    }
    core_world_sync(self);
    ph_world_set_stop(self->world, &core_listening);
    PhStatus status =
        ph_world_candidates(self->world, box, filter->filter, &colliders, &count, &error);
    uint32_t limit = ph_world_collider_limit(self->world);
    core_query_exit(self);
    if (status != PH_OK) {
        core_raise(self->core, &error);
        return false;
    }
    bool done = choose(filter, colliders, count, limit);
    ph_free(colliders);
    return done;
}

// Makes an array of our own of what is allowed. Inside the gate, which is left on failure.
static bool own_allowed(WorldObject *self, QueryFilter *filter, uint32_t limit) {
    uint8_t *allowed = filter->allowed;
    if (allowed != NULL) {
        return true;
    }
    allowed = filter->allowed = ph_alloc((size_t)limit + 1, 1);
    if (allowed == NULL) {
        core_leave(self);
        PyErr_NoMemory();
        return false;
    }
    if (filter->filter.allowed != NULL) {
        memcpy(allowed, filter->filter.allowed, limit);
    } else {
        memset(allowed, 1, limit);
    }
    filter->filter.allowed = allowed;
    filter->filter.allowed_count = limit;
    return true;
}

// Removes what does not collide with the asker, by its category and group. Inside the gate, which
// is left on failure. The rule is that of ph_filters_agree; the mask is tested elsewhere.
static bool meet(WorldObject *self, QueryFilter *filter, uint32_t limit) {
    const PhWorld *world = self->world;
    if (!own_allowed(self, filter, limit)) {
        return false;
    }
    uint32_t end = filter->filter.allowed_count;
    for (uint32_t k = 0; k < end; ++k) {
        if (!filter->allowed[k] || !ph_collider_alive(world, k)) {
            continue;
        }
        PhColliderDef def = ph_collider_material(world, k);
        bool same = filter->group != 0 && def.group == filter->group;
        bool masked = (def.category & filter->filter.mask) != 0 &&
                      (filter->category == 0 || (def.mask & filter->category) != 0);
        filter->allowed[k] = same ? filter->group > 0 : masked;
    }
    filter->filter.mask = UINT64_MAX; // it has been applied here
    return true;
}

// Removes what is to be ignored from what is allowed. Inside the gate, which is left on failure.
static bool ignore(WorldObject *self, QueryFilter *filter, uint32_t limit) {
    const PhWorld *world = self->world;
    if (!own_allowed(self, filter, limit)) {
        return false;
    }
    uint8_t *allowed = filter->allowed;
    uint32_t end = filter->filter.allowed_count;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(filter->ignored); ++i) {
        HandleObject *handle = (HandleObject *)PyTuple_GET_ITEM(filter->ignored, i);
        bool body = core_handle_kind(handle) == HANDLE_BODY;
        if (body ? !ph_body_valid(world, handle->id) : !ph_collider_valid(world, handle->id)) {
            core_leave(self);
            core_raise_removed(handle);
            return false;
        }
        uint32_t k = body ? ph_body_first_collider(world, handle->id.index) : handle->id.index;
        while (k != PH_NULL) {
            if (k < end) {
                allowed[k] = 0;
            }
            k = body ? ph_collider_next(world, k) : PH_NULL;
        }
    }
    return true;
}

bool core_query_enter(WorldObject *self, QueryFilter *filter, PhAabb box) {
    if (filter->choose != NULL && !ask(self, filter, box)) {
        return false;
    }
    if (!core_enter(self)) {
        return false;
    }
    uint32_t limit = ph_world_collider_limit(self->world);
    if (filter->where != NULL) {
        if (PyArray_DIM(filter->where, 0) != (npy_intp)limit) {
            core_leave(self);
            char shape[24];
            PyOS_snprintf(shape, sizeof shape, "(%u,)", limit);
            core_shape_error("where", shape, filter->where);
            return false;
        }
        filter->filter.allowed = PyArray_DATA(filter->where);
        filter->filter.allowed_count = limit;
    }
    if ((filter->category != 0 || filter->group != 0) && !meet(self, filter, limit)) {
        return false;
    }
    if (filter->ignored != NULL && !ignore(self, filter, limit)) {
        return false;
    }
    core_world_sync(self);
    ph_world_set_stop(self->world, &core_listening);
    return true;
}

void core_query_exit(WorldObject *self) {
    ph_world_set_stop(self->world, NULL);
    core_leave(self);
}

PhAabb core_query_box(PhAabb box, double reach) {
    if (!ph_is_box(box)) {
        return box;
    }
    double x = ph_max(fabs(box.lower.x), fabs(box.upper.x));
    double y = ph_max(fabs(box.lower.y), fabs(box.upper.y));
    return ph_grow(box, reach + 1e-9 + 1e-12 * (x + y + reach));
}

// ------------------------------------------------------------------------------------------------
// slices

// The least time that a slice should take, in seconds: too short for a user to notice.
#define LEAST_SECONDS 0.01
#define MOST_SECONDS 0.05
#define MOST_ROWS (1u << 17)
#define LEAST_ROWS 1u

bool core_query_run(WorldObject *self, QuerySlice *slice, void *context, uint32_t rows,
                    uint32_t at_once) {
    PhStatus status = PH_OK;
    PhError error;
    bool interrupted = false;
    for (uint32_t first = 0; first < rows && status == PH_OK && !interrupted;) {
        uint32_t count = rows - first < at_once ? rows - first : at_once;
        CoreLongWork work;
        ph_world_set_stop(self->world, core_begin_work(&work, true));
        double seconds = ph_clock();
        status = slice(context, first, count, &error);
        seconds = ph_clock() - seconds;
        core_end_work(&work);
        ph_world_set_stop(self->world, NULL);
        first += count;
        if (seconds < LEAST_SECONDS && at_once < MOST_ROWS) {
            at_once *= 2;
        } else if (seconds > MOST_SECONDS && at_once > LEAST_ROWS) {
            double fit = at_once * (MOST_SECONDS / seconds);
            at_once = fit > LEAST_ROWS ? (uint32_t)fit : LEAST_ROWS;
        }
        interrupted = work.stopped || (first < rows && PyErr_CheckSignals() < 0);
    }
    core_query_exit(self);
    if (status != PH_OK && !interrupted) {
        core_raise(self->core, &error);
    }
    return status == PH_OK && !interrupted;
}

// ------------------------------------------------------------------------------------------------
// hits

void core_query_read(const PhWorld *world, const PhWorldRayHit *row, CoreHit *hit) {
    hit->row = *row;
    hit->collider = ph_collider_id(world, (uint32_t)row->collider);
    hit->body = ph_body_id(world, (uint32_t)row->body);
}

PyObject *core_query_hit(WorldObject *self, const CoreHit *hit) {
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

PyObject *core_query_leave(WorldObject *self, PhStatus status, const PhWorldRayHit *row,
                           const PhError *error) {
    CoreHit hit;
    bool found = status == PH_OK && row->collider >= 0;
    if (found) {
        core_query_read(self->world, row, &hit);
    }
    core_query_exit(self);
    if (status != PH_OK) {
        return core_raise(self->core, error);
    }
    if (!found) {
        Py_RETURN_NONE;
    }
    return core_query_hit(self, &hit);
}

PyObject *core_query_leave_with(WorldObject *self, PhStatus status, uint32_t *colliders,
                                uint32_t count, const PhError *error) {
    PhId *ids = status == PH_OK ? ph_alloc(count, sizeof *ids) : NULL;
    for (uint32_t i = 0; i < count && ids != NULL; ++i) {
        ids[i] = ph_collider_id(self->world, colliders[i]);
    }
    core_query_exit(self);
    ph_free(colliders);
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
