// Vector: what an attribute such as body.position returns. It is a copy of its own memory, so that
// setting an element would change nothing but the copy: that is refused, with what to do instead.
// In all else it is an array. `body.position += v` makes a plain array, which is assigned; so do
// arithmetic, copies and pickles.
//
// A subtype of ndarray with one more field, whose place is known when NumPy is: its object has no
// size that a header tells. Operators are those of a plain view: NumPy looks long for what a
// subtype wants its results to be, and falls when it has no memory for that.
#include "python/convert.h"

static CoreAdvice *advice_of(PyObject *self) { // all zero in parts of a Vector
    return (CoreAdvice *)((char *)self + PyArray_Type.tp_basicsize);
}

PyObject *core_vector(const CoreState *core, PhVec2 v, CoreAdvice advice) {
    npy_intp dims[1] = {2};
    PyTypeObject *type = core_type(core, TYPE_VECTOR);
    PyObject *array =
        type != NULL ? PyArray_New(type, 1, dims, NPY_DOUBLE, NULL, NULL, 0, 0, NULL) : NULL;
    if (array != NULL) {
        *(PhVec2 *)PyArray_DATA((PyArrayObject *)array) = v;
        PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
        *advice_of(array) = advice;
    }
    return array;
}

// What refuses is a Vector as it was returned, or a part of it; not what a function of NumPy's made
// like it, nor one that was made writeable.
static bool refuses(PyObject *self) {
    return !PyArray_ISWRITEABLE((PyArrayObject *)self);
}

static int refuse(PyObject *self) {
    const CoreAdvice *advice = advice_of(self);
    if (advice->name == NULL) {
        PyErr_SetString(PyExc_ValueError,
                        "this array is part of a copy: setting an element would change nothing; "
                        "assign the whole attribute, or take .copy() to write to");
    } else if (!advice->fixed) {
        PyErr_Format(PyExc_ValueError,
                     "%s: is a copy, so that setting an element would change nothing; assign the "
                     "whole, %s.%s = (x, y)%s%s, or take .copy() to write to",
                     advice->name, advice->owner, advice->name,
                     advice->view != NULL ? ", write to " : "",
                     advice->view != NULL ? advice->view : "");
    } else {
        PyErr_Format(PyExc_ValueError,
                     "%s: is a copy, so that setting an element would change nothing, and %s.%s "
                     "cannot be set; take .copy() to write to",
                     advice->name, advice->owner, advice->name);
    }
    return -1;
}

static int set_subscript(PyObject *self, PyObject *key, PyObject *value) {
    return refuses(self) ? refuse(self)
                         : PyArray_Type.tp_as_mapping->mp_ass_subscript(self, key, value);
}

static int set_item(PyObject *self, Py_ssize_t index, PyObject *value) {
    return refuses(self) ? refuse(self)
                         : PyArray_Type.tp_as_sequence->sq_ass_item(self, index, value);
}

// ------------------------------------------------------------------------------------------------
// plain arrays of it

static PyObject *plain_view(PyObject *self) {
    return PyArray_View((PyArrayObject *)self, NULL, &PyArray_Type);
}

static PyObject *plain_copy(PyObject *self) {
    PyObject *view = plain_view(self);
    PyObject *copy = view != NULL ? PyArray_NewCopy((PyArrayObject *)view, NPY_KEEPORDER) : NULL;
    Py_XDECREF(view);
    return copy;
}

static PyObject *vector_repr(PyObject *self) {
    PyObject *view = plain_view(self);
    PyObject *text = view != NULL ? PyObject_Repr(view) : NULL;
    Py_XDECREF(view);
    return text;
}

// ------------------------------------------------------------------------------------------------
// operators

// A new reference: what is no Vector is itself.
static PyObject *plain(PyObject *object) {
    return Py_TYPE(object)->tp_repr == vector_repr ? plain_view(object) : Py_NewRef(object);
}

static PyObject *with_plain(PyObject *a, PyObject *b, binaryfunc operation) {
    PyObject *left = plain(a), *right = left != NULL ? plain(b) : NULL;
    PyObject *result = right != NULL ? operation(left, right) : NULL;
    Py_XDECREF(left);
    Py_XDECREF(right);
    return result;
}

#define BINARY(name, operation)                                                                    \
    static PyObject *name(PyObject *a, PyObject *b) {                                              \
        return with_plain(a, b, operation);                                                        \
    }
BINARY(add, PyNumber_Add)
BINARY(subtract, PyNumber_Subtract)
BINARY(multiply, PyNumber_Multiply)
BINARY(divide, PyNumber_TrueDivide)
BINARY(floor_divide, PyNumber_FloorDivide)
BINARY(modulo, PyNumber_Remainder)
BINARY(matrix_multiply, PyNumber_MatrixMultiply)

static PyObject *raise_to(PyObject *a, PyObject *b) {
    return PyNumber_Power(a, b, Py_None);
}

static PyObject *power(PyObject *a, PyObject *b, PyObject *Py_UNUSED(modulus)) {
    return with_plain(a, b, raise_to);
}

#define UNARY(name, operation)                                                                     \
    static PyObject *name(PyObject *self) {                                                        \
        PyObject *view = plain_view(self);                                                         \
        PyObject *result = view != NULL ? operation(view) : NULL;                                  \
        Py_XDECREF(view);                                                                          \
        return result;                                                                             \
    }
UNARY(negative, PyNumber_Negative)
UNARY(absolute, PyNumber_Absolute)

static PyObject *compare(PyObject *a, PyObject *b, int operation) {
    PyObject *left = plain(a), *right = left != NULL ? plain(b) : NULL;
    PyObject *result = right != NULL ? PyObject_RichCompare(left, right, operation) : NULL;
    Py_XDECREF(left);
    Py_XDECREF(right);
    return result;
}

#define IN_PLACE(name, slot, operation)                                                            \
    static PyObject *name(PyObject *self, PyObject *other) {                                       \
        return refuses(self) ? operation(self, other)                                              \
                             : PyArray_Type.tp_as_number->slot(self, other);                       \
    }
IN_PLACE(add_to, nb_inplace_add, add)
IN_PLACE(subtract_from, nb_inplace_subtract, subtract)
IN_PLACE(multiply_by, nb_inplace_multiply, multiply)
IN_PLACE(divide_by, nb_inplace_true_divide, divide)
IN_PLACE(floor_divide_by, nb_inplace_floor_divide, floor_divide)
IN_PLACE(reduce_modulo, nb_inplace_remainder, modulo)

static PyObject *raise_in_place(PyObject *self, PyObject *other, PyObject *modulus) {
    return refuses(self) ? power(self, other, modulus)
                         : PyArray_Type.tp_as_number->nb_inplace_power(self, other, modulus);
}

// ------------------------------------------------------------------------------------------------
// copies

static PyObject *vector_copy(PyObject *self, PyObject *args, PyObject *keywords) {
    PyObject *view = plain_view(self);
    PyObject *method = view != NULL ? PyObject_GetAttrString(view, "copy") : NULL;
    PyObject *copy = method != NULL ? PyObject_Call(method, args, keywords) : NULL;
    Py_XDECREF(view);
    Py_XDECREF(method);
    return copy;
}

static PyObject *vector_copied(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    return plain_copy(self);
}

static PyObject *vector_reduce(PyObject *self, PyObject *protocol) {
    PyObject *copy = plain_copy(self);
    PyObject *value =
        copy != NULL ? PyObject_CallMethod(copy, "__reduce_ex__", "O", protocol) : NULL;
    Py_XDECREF(copy);
    return value;
}

static PyObject *vector_reduce_old(PyObject *self, PyObject *Py_UNUSED(ignored)) {
    PyObject *copy = plain_copy(self);
    PyObject *value = copy != NULL ? PyObject_CallMethod(copy, "__reduce__", NULL) : NULL;
    Py_XDECREF(copy);
    return value;
}

// What NumPy's functions return for a Vector is what they return for an array.
static PyObject *vector_wrap(PyObject *Py_UNUSED(self), PyObject *args) {
    PyObject *array, *context = Py_None;
    int scalar = 0;
    if (!PyArg_ParseTuple(args, "O!|Op:__array_wrap__", &PyArray_Type, &array, &context, &scalar)) {
        return NULL;
    }
    return scalar ? PyArray_Return((PyArrayObject *)Py_NewRef(array)) : Py_NewRef(array);
}

static PyMethodDef methods[] = {
    {"copy", (PyCFunction)(void (*)(void))vector_copy, METH_VARARGS | METH_KEYWORDS,
     "copy($self, order='C')\n--\n\nA plain array of its own, which can be written to."},
    {"__copy__", vector_copied, METH_NOARGS, NULL},
    {"__deepcopy__", vector_copied, METH_O, NULL},
    {"__reduce__", vector_reduce_old, METH_NOARGS, NULL},
    {"__reduce_ex__", vector_reduce, METH_O, NULL},
    {"__array_wrap__", vector_wrap, METH_VARARGS, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_setattro, core_set_attribute},
    {Py_mp_ass_subscript, set_subscript},
    {Py_sq_ass_item, set_item},
    {Py_nb_add, add},
    {Py_nb_subtract, subtract},
    {Py_nb_multiply, multiply},
    {Py_nb_true_divide, divide},
    {Py_nb_floor_divide, floor_divide},
    {Py_nb_remainder, modulo},
    {Py_nb_power, power},
    {Py_nb_matrix_multiply, matrix_multiply},
    {Py_nb_negative, negative},
    {Py_nb_absolute, absolute},
    {Py_nb_inplace_add, add_to},
    {Py_nb_inplace_subtract, subtract_from},
    {Py_nb_inplace_multiply, multiply_by},
    {Py_nb_inplace_true_divide, divide_by},
    {Py_nb_inplace_floor_divide, floor_divide_by},
    {Py_nb_inplace_remainder, reduce_modulo},
    {Py_nb_inplace_power, raise_in_place},
    {Py_tp_richcompare, compare},
    {Py_tp_repr, vector_repr},
    {Py_tp_methods, methods},
    {Py_tp_doc, (void *)PyDoc_STR("A copy of a vector of the world: a read-only array.")},
    {0, NULL},
};

PyObject *core_make_vector_type(PyObject *module) {
    PyType_Spec spec = {
        .name = "pyphys2d._core.Vector",
        .basicsize = (int)(PyArray_Type.tp_basicsize + (Py_ssize_t)sizeof(CoreAdvice)),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    return PyType_FromModuleAndSpec(module, &spec, (PyObject *)&PyArray_Type);
}
