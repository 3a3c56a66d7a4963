// Methods that show things of the engine in a notebook.
#ifndef PH_PYTHON_PICTURES_H
#define PH_PYTHON_PICTURES_H

#include "python/core.h"

PyObject *core_repr_svg(PyObject *self, PyObject *ignored);
PyObject *core_repr_html(PyObject *self, PyObject *ignored);
extern const char core_repr_svg_doc[], core_repr_html_doc[];
// Rows for a table of methods.
#define CORE_PICTURE_METHODS                                                                       \
    {"_repr_svg_", core_repr_svg, METH_NOARGS, core_repr_svg_doc}, {                               \
        "_repr_html_", core_repr_html, METH_NOARGS, core_repr_html_doc                             \
    }

// Of what holds others: a collection of a World, an AABBTree.
PyObject *core_table_html(PyObject *self, PyObject *ignored);
extern const char core_table_html_doc[];
#define CORE_TABLE_METHOD                                                                          \
    { "_repr_html_", core_table_html, METH_NOARGS, core_table_html_doc }

// _core._body_names(world, most)
PyObject *core_body_names(PyObject *module, PyObject *args);
extern const char core_body_names_doc[];

#endif
