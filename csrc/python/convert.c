// From Python objects to numbers and back. Fast paths first: exact floats and tuples are what
// callers pass in loops.
#include "python/convert.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// arguments

// Something that fails in the module of hints is no reason not to give a message.
PyObject *core_hint(const char *about, PyObject *arguments) {
    PyObject *module = arguments != NULL ? PyImport_ImportModule("pyphys2d._hints") : NULL;
    PyObject *function = module != NULL ? PyObject_GetAttrString(module, about) : NULL;
    PyObject *text = function != NULL ? PyObject_CallObject(function, arguments) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(module);
    Py_XDECREF(arguments);
    if (text != NULL && !PyUnicode_Check(text)) {
        Py_CLEAR(text);
    }
    if (text == NULL && (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_Exception))) {
        PyErr_Clear();
        text = PyUnicode_FromString("");
    }
    return text;
}

static PyObject *find_hint(const char *about, const CoreSignature *signature, PyObject *keyword) {
    PyObject *names = PyTuple_New(signature->count);
    for (int i = 0; names != NULL && i < signature->count; ++i) {
        PyObject *name = PyUnicode_FromString(signature->names[i]);
        if (name == NULL) {
            Py_CLEAR(names);
        } else {
            PyTuple_SET_ITEM(names, i, name);
        }
    }
    return core_hint(about, names != NULL ? Py_BuildValue("(sONi)", signature->function, keyword,
                                                          names, signature->positional)
                                          : NULL);
}

PyObject *core_refuse_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    (void)args;
    (void)keywords;
    const char *dot = strrchr(type->tp_name, '.');
    CoreSignature signature = {.function = dot != NULL ? dot + 1 : type->tp_name};
    PyObject *hint = find_hint("instance", &signature, Py_None);
    if (hint != NULL) {
        PyErr_Format(PyExc_TypeError, "cannot create '%s' instances%U", type->tp_name, hint);
        Py_DECREF(hint);
    }
    return NULL;
}

static int find_name(const CoreSignature *signature, PyObject *keyword) {
    for (int i = 0; i < signature->count; ++i) {
        if (PyUnicode_CompareWithASCIIString(keyword, signature->names[i]) == 0) {
            return i;
        }
    }
    PyObject *hint = find_hint("keyword", signature, keyword);
    if (hint != NULL) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'%U",
                     signature->function, keyword, hint);
        Py_DECREF(hint);
    }
    return -1;
}

static bool set_keyword(const CoreSignature *signature, PyObject *keyword, PyObject *value,
                        PyObject **values) {
    int i = find_name(signature, keyword);
    if (i < 0) {
        return false;
    }
    if (values[i] != NULL) {
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'",
                     signature->function, signature->names[i]);
        return false;
    }
    values[i] = value;
    return true;
}

static bool check_count(const CoreSignature *signature, Py_ssize_t arg_count) {
    if (arg_count > signature->positional) {
        PyObject *hint = find_hint("positional", signature, Py_None);
        if (hint != NULL) {
            PyErr_Format(PyExc_TypeError,
                         "%s() takes at most %d positional argument%s (%zd given)%U",
                         signature->function, signature->positional,
                         signature->positional == 1 ? "" : "s", arg_count, hint);
            Py_DECREF(hint);
        }
        return false;
    }
    return true;
}

static bool check_required(const CoreSignature *signature, PyObject *const *values) {
    for (int i = 0; i < signature->required; ++i) {
        if (values[i] == NULL) {
            PyObject *name = PyUnicode_FromString(signature->names[i]);
            PyObject *hint = name != NULL ? find_hint("missing", signature, name) : NULL;
            if (hint != NULL) {
                PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s'%U",
                             signature->function, signature->names[i], hint);
            }
            Py_XDECREF(name);
            Py_XDECREF(hint);
            return false;
        }
    }
    return true;
}

bool core_bind(const CoreSignature *signature, PyObject *const *args, Py_ssize_t arg_count,
               PyObject *keyword_names, PyObject **values) {
    if (!check_count(signature, arg_count)) {
        return false;
    }
    for (int i = 0; i < signature->count; ++i) {
        values[i] = i < arg_count ? args[i] : NULL;
    }
    Py_ssize_t keyword_count = keyword_names == NULL ? 0 : PyTuple_GET_SIZE(keyword_names);
    for (Py_ssize_t i = 0; i < keyword_count; ++i) {
        if (!set_keyword(signature, PyTuple_GET_ITEM(keyword_names, i), args[arg_count + i],
                         values)) {
            return false;
        }
    }
    return check_required(signature, values);
}

// No class that is called with arguments takes a body for its first.
static bool refuse_body(const CoreSignature *signature, PyObject *first) {
    if (strcmp(Py_TYPE(first)->tp_name, core_body_spec.name) != 0) {
        return false;
    }
    PyObject *hint = find_hint("given_body", signature, Py_None);
    if (hint != NULL) {
        PyErr_Format(PyExc_TypeError, "%s() takes no body%U", signature->function, hint);
        Py_DECREF(hint);
    }
    return true;
}

bool core_bind_tuple(const CoreSignature *signature, PyObject *args, PyObject *keywords,
                     PyObject **values) {
    Py_ssize_t arg_count = PyTuple_GET_SIZE(args);
    if (arg_count > 0 && refuse_body(signature, PyTuple_GET_ITEM(args, 0))) {
        return false;
    }
    if (!check_count(signature, arg_count)) {
        return false;
    }
    for (int i = 0; i < signature->count; ++i) {
        values[i] = i < arg_count ? PyTuple_GET_ITEM(args, i) : NULL;
    }
    if (keywords != NULL) {
        PyObject *keyword, *value;
        Py_ssize_t position = 0;
        while (PyDict_Next(keywords, &position, &keyword, &value)) {
            if (!set_keyword(signature, keyword, value, values)) {
                return false;
            }
        }
    }
    return check_required(signature, values);
}

void core_blame_memory(void) {
    if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
}

// ------------------------------------------------------------------------------------------------
// scalars

bool core_refuse_number(const char *name, const char *must, double value) {
    PyObject *number = PyFloat_FromDouble(value);
    if (number != NULL) {
        PyErr_Format(PyExc_ValueError, "%s: must be %s, got %R", name, must, number);
        Py_DECREF(number);
    }
    return false;
}

bool core_refuse_infinite_inertia(PyObject *value, const char *name) {
    bool infinite = PyFloat_Check(value) && PyFloat_AS_DOUBLE(value) == Py_HUGE_VAL;
    return !infinite || strcmp(name, "inertia") != 0 ||
           core_refuse_number(name, "finite (fixed_rotation=True is for what never turns)",
                              PyFloat_AS_DOUBLE(value));
}

// Whether a number is what Python, or NumPy, makes a float of without a loss: no complex number, no
// date and no text, which NumPy's arrays without axes and its scalars would also give one of.
static bool is_real(PyObject *object) {
    const PyNumberMethods *number = Py_TYPE(object)->tp_as_number;
    if (number == NULL || (number->nb_float == NULL && number->nb_index == NULL)) {
        return false;
    }
    if (PyArray_Check(object)) {
        const PyArrayObject *array = (PyArrayObject *)object;
        int type = PyArray_TYPE(array);
        if (type == NPY_OBJECT && PyArray_NDIM(array) == 0) {
            PyObject *item = *(PyObject *const *)PyArray_DATA((PyArrayObject *)object);
            return item != NULL && !PyArray_Check(item) && is_real(item);
        }
        return PyArray_NDIM(array) == 0 &&
               (PyTypeNum_ISBOOL(type) || PyTypeNum_ISINTEGER(type) || PyTypeNum_ISFLOAT(type));
    }
    return !PyArray_IsScalar(object, Generic) || PyArray_IsScalar(object, Bool) ||
           PyArray_IsScalar(object, Floating) ||
           (PyArray_IsScalar(object, Integer) && !PyArray_IsScalar(object, Timedelta));
}

// Puts the argument's name before the message of the pending exception, with its class changed to
// `type`.
static void rename_error(PyObject *type, const char *name, const char *must) {
    PyObject *old_type, *value, *traceback;
    PyErr_Fetch(&old_type, &value, &traceback);
    PyErr_NormalizeException(&old_type, &value, &traceback);
    PyErr_Format(type, "%s: must be %s: %S", name, must, value != NULL ? value : Py_None);
    Py_XDECREF(old_type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

// Any number, NaN included.
static bool to_number(PyObject *object, const char *name, double *out) {
    if (PyFloat_CheckExact(object)) {
        *out = PyFloat_AS_DOUBLE(object);
        return true;
    }
    if (PyArray_Check(object) && PyArray_NDIM((PyArrayObject *)object) > 0) {
        PyErr_Format(PyExc_TypeError, "%s: must be a number, got an array of %d dimensions", name,
                     PyArray_NDIM((PyArrayObject *)object));
        return false;
    }
    bool real = is_real(object);
    double value = real ? PyFloat_AsDouble(object) : -1;
    if (!real || (value == -1.0 && PyErr_Occurred())) {
        if (!real || PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError, "%s: must be a number, got %.100s", name,
                         Py_TYPE(object)->tp_name);
        } else if (PyErr_ExceptionMatches(PyExc_ValueError)) {
            rename_error(PyExc_ValueError, name, "a number");
        } else if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
            PyErr_Format(PyExc_ValueError,
                         "%s: must be finite, got an integer too large for a float", name);
        }
        return false;
    }
    *out = value;
    return true;
}

bool core_to_double(PyObject *object, const char *name, double *out) {
    double value;
    if (!to_number(object, name, &value)) {
        return false;
    }
    if (!isfinite(value)) {
        return core_refuse_number(name, "finite", value);
    }
    *out = value;
    return true;
}

bool core_to_extended(PyObject *object, const char *name, double *out) {
    double value;
    if (!to_number(object, name, &value)) {
        return false;
    }
    if (isnan(value)) {
        return core_refuse_number(name, "a number, also infinite", value);
    }
    *out = value;
    return true;
}

bool core_to_positive(PyObject *object, const char *name, double *dt) {
    double value;
    if (!core_to_double(object, name, &value)) {
        return false;
    }
    if (!(value > 0)) {
        return core_refuse_number(name, "> 0", value);
    }
    *dt = value;
    return true;
}

bool core_to_threshold(PyObject *object, double *out) {
    if (object == Py_None) {
        *out = -1;
        return true;
    }
    return core_to_double(object, "sleep_threshold", out) &&
           (*out >= 0 || core_refuse_number("sleep_threshold", ">= 0, or None", *out));
}

// Like Python itself, only what has __index__: 8.0 is no integer.
static PyObject *to_index(PyObject *object, const char *name) {
    PyObject *index = PyNumber_Index(object);
    if (index == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Format(PyExc_TypeError, "%s: must be an integer, got %.100s", name,
                     Py_TYPE(object)->tp_name);
    } else if (index == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) {
        rename_error(PyExc_ValueError, name, "an integer");
    }
    return index;
}

bool core_to_integer(PyObject *object, const char *name, long long lower, long long upper,
                     long long *out) {
    PyObject *index = to_index(object, name);
    if (index == NULL) {
        return false;
    }
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(index, &overflow);
    bool ok = overflow == 0 && value >= lower && value <= upper;
    if (!ok && !PyErr_Occurred()) {
        if (overflow <= 0 && value < lower) {
            PyErr_Format(PyExc_ValueError, "%s: must be >= %lld, got %S", name, lower, index);
        } else {
            PyErr_Format(PyExc_ValueError, "%s: must be <= %lld, got %.100S", name, upper, index);
        }
    }
    Py_DECREF(index);
    if (ok) {
        *out = value;
    }
    return ok;
}

bool core_to_bits(PyObject *object, const char *name, uint64_t *out) {
    PyObject *index = to_index(object, name);
    if (index == NULL) {
        return false;
    }
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(index, &overflow);
    uint64_t bits = (uint64_t)value;
    if (overflow > 0) {
        bits = PyLong_AsUnsignedLongLong(index);
    }
    bool ok = overflow >= 0 && !PyErr_Occurred();
    if (!ok) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s: must be an integer of at most 64 bits, got %.100S",
                     name, index);
    }
    Py_DECREF(index);
    if (ok) {
        *out = bits;
    }
    return ok;
}

bool core_to_id(PyObject *object, uint64_t *out) {
    PyObject *index = PyNumber_Index(object);
    if (index == NULL) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError, "id: must be an integer, got %.100s",
                         Py_TYPE(object)->tp_name);
        }
        return false;
    }
    unsigned long long number = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (number == (unsigned long long)-1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) {
            return false;
        }
        PyErr_Clear(); // of no concern to the caller
    }
    *out = number;
    return true;
}

bool core_to_bool(PyObject *object, const char *name, bool *out) {
    if (object == Py_True || object == Py_False) {
        *out = object == Py_True;
        return true;
    }
    bool array = PyArray_Check(object) && PyArray_NDIM((PyArrayObject *)object) == 0 &&
                 PyArray_TYPE((PyArrayObject *)object) == NPY_BOOL;
    PyObject *index = NULL;
    if (!array && !PyArray_IsScalar(object, Bool)) {
        index = PyNumber_Index(object);
        if (index == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError, "%s: must be True or False, got %.100s", name,
                         Py_TYPE(object)->tp_name);
        } else if (index == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) {
            rename_error(PyExc_ValueError, name, "True or False");
        }
        if (index == NULL) {
            return false;
        }
    }
    int truth = PyObject_IsTrue(index != NULL ? index : object);
    Py_XDECREF(index);
    if (truth < 0) {
        return false;
    }
    *out = truth != 0;
    return true;
}

// Whether a string is one of the names but for the case of its letters.
static bool is_choice_in_capitals(PyObject *object, const char *name) {
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (text == NULL) { // lone surrogates
        PyErr_Clear();
        return false;
    }
    return (size_t)length == strlen(name) && PyOS_mystricmp(text, name) == 0;
}

bool core_to_choice(PyObject *object, const char *name, const char *const *names, int *out) {
    bool text = PyUnicode_Check(object);
    for (int i = 0; text && names[i] != NULL; ++i) {
        if (PyUnicode_CompareWithASCIIString(object, names[i]) == 0) {
            *out = i;
            return true;
        }
    }
    char list[256] = "";
    const char *meant = NULL;
    for (int i = 0; names[i] != NULL; ++i) {
        size_t used = strlen(list);
        PyOS_snprintf(list + used, sizeof list - used, "%s'%s'", i > 0 ? ", " : "", names[i]);
        meant = text && is_choice_in_capitals(object, names[i]) ? names[i] : meant;
    }
    if (!text) {
        PyErr_Format(PyExc_TypeError, "%s: must be a string, one of %s, got %.100s", name, list,
                     Py_TYPE(object)->tp_name);
    } else if (meant != NULL) {
        PyErr_Format(PyExc_ValueError, "%s: must be one of %s, got %.100R; did you mean '%s'?",
                     name, list, object, meant);
    } else {
        PyErr_Format(PyExc_ValueError, "%s: must be one of %s, got %.100R", name, list, object);
    }
    return false;
}

static bool read_pair(PyObject *first, PyObject *second, const char *name, PhVec2 *out) {
    PhVec2 v;
    if (PyFloat_CheckExact(first) && PyFloat_CheckExact(second)) {
        v = ph_vec(PyFloat_AS_DOUBLE(first), PyFloat_AS_DOUBLE(second));
        if (isfinite(v.x) && isfinite(v.y)) {
            *out = v;
            return true;
        }
    }
    char element[64];
    PyOS_snprintf(element, sizeof element, "%.48s[0]", name);
    if (!core_to_double(first, element, &v.x)) {
        return false;
    }
    PyOS_snprintf(element, sizeof element, "%.48s[1]", name);
    if (!core_to_double(second, element, &v.y)) {
        return false;
    }
    *out = v;
    return true;
}

// A short sequence of numbers of known length, from whatever NumPy takes.
static bool to_short(PyObject *object, const char *name, npy_intp length, bool finite,
                     double *out) {
    PyArrayObject *array = core_to_numbers(object, name);
    if (array == NULL) {
        return false;
    }
    bool ok = false;
    if (PyArray_NDIM(array) != 1 || PyArray_DIM(array, 0) != length) {
        core_shape_error(name, length == 2 ? "(2,)" : "(3,) for x, y and angle", array);
    } else if (!finite || core_check_finite(array, name)) {
        memcpy(out, PyArray_DATA(array), (size_t)length * sizeof(double));
        ok = true;
    }
    Py_DECREF(array);
    return ok;
}

bool core_to_vec2(PyObject *object, const char *name, PhVec2 *out) {
    if (PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == 2) {
        PyObject *first = PyTuple_GET_ITEM(object, 0), *second = PyTuple_GET_ITEM(object, 1);
        if (!PySequence_Check(first) && !PySequence_Check(second)) {
            return read_pair(first, second, name, out);
        }
    } else if (PyArray_Check(object)) {
        PyArrayObject *array = (PyArrayObject *)object;
        if (PyArray_NDIM(array) == 1 && PyArray_DIM(array, 0) == 2 &&
            PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array)) {
            PhVec2 v = *core_points(array);
            if (isfinite(v.x) && isfinite(v.y)) {
                *out = v;
                return true;
            }
        }
    }
    double pair[2];
    if (!to_short(object, name, 2, true, pair)) {
        return false;
    }
    *out = ph_vec(pair[0], pair[1]);
    return true;
}

bool core_to_values(PyObject *object, const char *name, int32_t width, double *out) {
    PhVec2 v;
    if (width == 1) {
        return core_to_double(object, name, out);
    }
    if (!core_to_vec2(object, name, &v)) {
        return false;
    }
    out[0] = v.x;
    out[1] = v.y;
    return true;
}

PyObject *core_from_values(const CoreState *core, const double *values, int32_t width,
                           CoreAdvice advice) {
    return width == 1 ? PyFloat_FromDouble(values[0])
                      : core_vector(core, ph_vec(values[0], values[1]), advice);
}

bool core_to_pair(PyObject *object, const char *name, PhVec2 *out) {
    double pair[2];
    if (!to_short(object, name, 2, false, pair)) {
        return false;
    }
    *out = ph_vec(pair[0], pair[1]);
    return true;
}

bool core_refuse_vec2(const char *name, const char *must, PhVec2 v) {
    PyObject *pair = Py_BuildValue("(dd)", v.x, v.y);
    if (pair != NULL) {
        PyErr_Format(PyExc_ValueError, "%s: must %s, got %R", name, must, pair);
        Py_DECREF(pair);
    }
    return false;
}

bool core_to_box(PyObject *lower, PyObject *upper, PhAabb *box) {
    PhAabb b;
    if (!core_to_vec2(lower, "lower", &b.lower) || !core_to_vec2(upper, "upper", &b.upper)) {
        return false;
    }
    if (b.lower.x > b.upper.x || b.lower.y > b.upper.y) {
        PyObject *both = Py_BuildValue("(dd)(dd)", b.lower.x, b.lower.y, b.upper.x, b.upper.y);
        if (both != NULL) {
            PyErr_Format(PyExc_ValueError, "lower: must not be beyond upper, got %R and %R",
                         PyTuple_GET_ITEM(both, 0), PyTuple_GET_ITEM(both, 1));
            Py_DECREF(both);
        }
        return false;
    }
    *box = b;
    return true;
}

bool core_to_pose(PyObject *object, const char *name, PhVec2 *position, double *angle) {
    double pose[3] = {0, 0, 0};
    if (object != NULL && !to_short(object, name, 3, true, pose)) {
        return false;
    }
    *position = ph_vec(pose[0], pose[1]);
    *angle = pose[2];
    return true;
}

// ------------------------------------------------------------------------------------------------
// arrays

void *core_shape_error(const char *name, const char *right, PyArrayObject *array) {
    if (PyArray_NDIM(array) == 0) {
        const char *like = strcmp(right, "(2,)") == 0 ? ", as in (x, y)" : "";
        PyObject *number = PyArray_GETITEM(array, PyArray_DATA(array));
        if (number != NULL) {
            PyErr_Format(PyExc_ValueError, "%s: must have shape %s%s, got the number %R", name,
                         right, like, number);
            Py_DECREF(number);
        }
        return NULL;
    }
    PyObject *shape = PyObject_GetAttrString((PyObject *)array, "shape");
    if (shape != NULL) {
        PyErr_Format(PyExc_ValueError, "%s: must have shape %s, got %R", name, right, shape);
        Py_DECREF(shape);
    }
    return NULL;
}

// NumPy would turn None into NaN, and strings, dates and complex numbers into numbers. The array is
// our own and contiguous: no Python code can change it meanwhile.
static bool check_objects(PyArrayObject *array, const char *name) {
    PyObject *const *items = PyArray_DATA(array);
    npy_intp size = PyArray_SIZE(array);
    for (npy_intp i = 0; i < size; ++i) {
        PyObject *item = items[i] != NULL ? items[i] : Py_None;
        if (!is_real(item)) {
            const char *type = Py_TYPE(item)->tp_name;
            bool shape = strncmp(type, "pyphys2d._core.", 15) == 0 &&
                         PyObject_HasAttrString(item, "vertices");
            PyErr_Format(PyExc_TypeError, "%s: must hold numbers, got %.100s%s", name,
                         Py_TYPE(item)->tp_name, shape ? "; its points are its vertices" : "");
            return false;
        }
    }
    return true;
}

PyArrayObject *core_to_numbers(PyObject *object, const char *name) {
    static const char numbers[] = "an array of numbers";
    PyArrayObject *array = (PyArrayObject *)PyArray_FROM_O(object);
    if (array == NULL) {
        if (PyErr_ExceptionMatches(PyExc_ValueError)) {
            rename_error(PyExc_ValueError, name, numbers);
        }
        return NULL;
    }
    int type = PyArray_TYPE(array);
    bool number = PyTypeNum_ISBOOL(type) || PyTypeNum_ISINTEGER(type) || PyTypeNum_ISFLOAT(type) ||
                  type == NPY_OBJECT;
    if (!number) {
        PyErr_Format(PyExc_TypeError, "%s: must hold real numbers, got dtype %S", name,
                     (PyObject *)PyArray_DESCR(array));
        Py_DECREF(array);
        return NULL;
    }
    if (type == NPY_OBJECT) { // their __float__ is Python code, and must not find the array
        Py_SETREF(array, (PyArrayObject *)PyArray_NewCopy(array, NPY_CORDER));
    }
    if (array == NULL || (type == NPY_OBJECT && !check_objects(array, name))) {
        Py_XDECREF(array);
        return NULL;
    }
    // A copy also of what would do as it is: the caller's array can change its shape and numbers
    // while later arguments are converted, a gate is waited for or the GIL is released. And a plain
    // array, since a subclass is shown the copy (__array_finalize__).
    PyArrayObject *result = (PyArrayObject *)PyArray_FROMANY(
        (PyObject *)array, NPY_DOUBLE, 0, 0,
        NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST | NPY_ARRAY_ENSURECOPY | NPY_ARRAY_ENSUREARRAY);
    Py_DECREF(array);
    if (result == NULL) {
        core_blame_memory();
    }
    if (result == NULL && PyErr_ExceptionMatches(PyExc_OverflowError)) {
        rename_error(PyExc_ValueError, name, numbers);
    } else if (result == NULL && (PyErr_ExceptionMatches(PyExc_TypeError) ||
                                  PyErr_ExceptionMatches(PyExc_ValueError))) {
        rename_error(PyExc_TypeError, name, numbers);
    }
    return result;
}

// Zero times a number that is not finite is NaN, and stays so in a sum.
static bool all_finite(const double *data, npy_intp size) {
    double sum[4] = {0, 0, 0, 0};
    npy_intp i = 0;
    for (; i + 4 <= size; i += 4) {
        for (int k = 0; k < 4; ++k) {
            sum[k] += 0 * data[i + k];
        }
    }
    for (; i < size; ++i) {
        sum[0] += 0 * data[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0;
}

bool core_check_finite(PyArrayObject *array, const char *name) {
    const double *data = PyArray_DATA(array);
    npy_intp size = PyArray_SIZE(array);
    if (all_finite(data, size)) {
        return true;
    }
    for (npy_intp i = 0; i < size; ++i) {
        if (isfinite(data[i])) {
            continue;
        }
        char index[160] = "";
        npy_intp rest = i;
        int dimensions = PyArray_NDIM(array);
        npy_intp subscript[64]; // NumPy's limit of dimensions
        for (int d = dimensions - 1; d >= 0; --d) {
            subscript[d] = rest % PyArray_DIM(array, d);
            rest /= PyArray_DIM(array, d);
        }
        for (int d = 0; d < dimensions && d < 6; ++d) {
            size_t used = strlen(index);
            PyOS_snprintf(index + used, sizeof index - used, "%s%lld", d > 0 ? ", " : "",
                          (long long)subscript[d]);
        }
        char element[240];
        PyOS_snprintf(element, sizeof element, dimensions > 0 ? "%.60s[%s]" : "%.60s", name, index);
        return core_refuse_number(element, "finite", data[i]);
    }
    return true;
}

PyArrayObject *core_to_points(PyObject *object, const char *name) {
    PyArrayObject *array = core_to_numbers(object, name);
    if (array == NULL) {
        return NULL;
    }
    int dimensions = PyArray_NDIM(array);
    if (dimensions == 1 && PyArray_DIM(array, 0) == 0) { // [] is no points
        Py_DECREF(array);
        return (PyArrayObject *)core_from_points(NULL, 0);
    }
    if (dimensions < 1 || PyArray_DIM(array, dimensions - 1) != 2) {
        core_shape_error(name, "(..., 2)", array);
    } else if (core_check_finite(array, name)) {
        return array;
    }
    Py_DECREF(array);
    return NULL;
}

PyArrayObject *core_to_ring(PyObject *object, const char *name, npy_intp minimum) {
    PyArrayObject *array = core_to_numbers(object, name);
    if (array == NULL) {
        return NULL;
    }
    char right[48];
    PyOS_snprintf(right, sizeof right, minimum > 0 ? "(n, 2) with n >= %d" : "(n, 2)",
                  (int)minimum);
    if (PyArray_NDIM(array) != 2 || PyArray_DIM(array, 1) != 2 || PyArray_DIM(array, 0) < minimum ||
        PyArray_DIM(array, 0) > INT32_MAX / 4) {
        core_shape_error(name, right, array);
    } else if (core_check_finite(array, name)) {
        return array;
    }
    Py_DECREF(array);
    return NULL;
}

// ------------------------------------------------------------------------------------------------
// to Python

void core_append(PyObject **text, PyObject *more) {
    PyObject *joined = *text != NULL && more != NULL ? PyUnicode_Concat(*text, more) : NULL;
    Py_XDECREF(more);
    Py_XSETREF(*text, joined);
}

PyObject *core_short_text(double value) {
    char *text = PyOS_double_to_string(value + 0.0, 'g', 6, 0, NULL); // no -0
    PyObject *result = text != NULL ? PyUnicode_FromString(text) : NULL;
    PyMem_Free(text);
    return result;
}

PyObject *core_from_vec2(PhVec2 v) {
    npy_intp dims[1] = {2};
    PyObject *array = PyArray_SimpleNew(1, dims, NPY_DOUBLE);
    if (array != NULL) {
        *(PhVec2 *)PyArray_DATA((PyArrayObject *)array) = v;
    }
    return array;
}

PyObject *core_from_aabb(PhAabb box) {
    npy_intp dims[2] = {2, 2};
    PyObject *array = PyArray_SimpleNew(2, dims, NPY_DOUBLE);
    if (array != NULL) {
        *(PhAabb *)PyArray_DATA((PyArrayObject *)array) = box;
    }
    return array;
}

PyObject *core_from_points(const PhVec2 *v, Py_ssize_t n) {
    npy_intp dims[2] = {n, 2};
    PyObject *array = PyArray_SimpleNew(2, dims, NPY_DOUBLE);
    if (array != NULL && n > 0) {
        memcpy(PyArray_DATA((PyArrayObject *)array), v, (size_t)n * sizeof(PhVec2));
    }
    return array;
}

PyObject *core_frozen_points(const PhVec2 *v, Py_ssize_t n) {
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)v, n * (Py_ssize_t)sizeof(PhVec2));
    if (bytes == NULL) {
        return NULL;
    }
    npy_intp dims[2] = {n, 2};
    PyObject *array = PyArray_New(&PyArray_Type, 2, dims, NPY_DOUBLE, NULL,
                                  PyBytes_AS_STRING(bytes), 0, NPY_ARRAY_CARRAY_RO, NULL);
    if (array == NULL) {
        Py_DECREF(bytes);
        return NULL;
    }
    if (PyArray_SetBaseObject((PyArrayObject *)array, bytes) < 0) { // steals bytes, also then
        Py_DECREF(array);
        return NULL;
    }
    return array;
}
