// The types of shapes that users make: the one list of them. A new one is a row, its file
// shape_NAME.c which ends with CORE_SHAPE_TYPE, and an entry in the stub. Those with the base
// POLYGON are polygons with parameters of their own; a type for a new kind of geometry/shape_list.h
// has the base SHAPE.
#ifndef PYTHON_SHAPE_TYPES_H
#define PYTHON_SHAPE_TYPES_H

// TYPE(constant, name, base): a base comes before its types.
#define CORE_SHAPE_TYPES(TYPE)                                                                     \
    TYPE(CIRCLE, circle, SHAPE)                                                                    \
    TYPE(POLYGON, polygon, SHAPE)                                                                  \
    TYPE(BOX, box, POLYGON)                                                                        \
    TYPE(REGULAR_POLYGON, regular_polygon, POLYGON)                                                \
    TYPE(CAPSULE, capsule, SHAPE)                                                                  \
    TYPE(SEGMENT, segment, SHAPE)                                                                  \
    TYPE(CHAIN, chain, SHAPE)

// The type of NAME, of what its file has: NAME_new, NAME_repr, NAME_reduce, NAME_doc and
// attributes.
#define CORE_SHAPE_TYPE(shape, type_name, more_flags)                                              \
    static PyMethodDef methods[] = {                                                               \
        {"__reduce__", shape##_reduce, METH_NOARGS,                                                \
         "__reduce__($self, /)\n--\n\nFor pickle and copy."},                                      \
        {0},                                                                                       \
    };                                                                                             \
    static PyType_Slot slots[] = {                                                                 \
        {Py_tp_new, shape##_new},   {Py_tp_repr, shape##_repr},       {Py_tp_methods, methods},    \
        {Py_tp_getset, attributes}, {Py_tp_doc, (void *)shape##_doc}, {0, NULL},                   \
    };                                                                                             \
    PyType_Spec core_##shape##_spec = {                                                            \
        .name = "pyphys2d._core." type_name,                                                       \
        .basicsize = sizeof(ShapeObject),                                                          \
        .flags = CORE_DERIVED_FLAGS | (more_flags),                                                \
        .slots = slots,                                                                            \
    }

#endif
