// Pictures as small self-contained SVG, y up, for notebooks. Text, the page, and outlines of shapes
// on it; what is put on a page is in svg_world.c and svg_manifold.c.
//
// No Python object is made and no Python code runs here but where a function returns a PyObject: a
// picture may be drawn inside the gate of a world. Everything is styled by attributes, since a
// style sheet inside a notebook is one for the whole page; the colours can be seen on white and on
// black.
#ifndef PH_PYTHON_SVG_H
#define PH_PYTHON_SVG_H

#include "python/core.h"

// Grows; after a failed allocation it stays as it is.
typedef struct SvgText {
    char *data;
    uint32_t used, capacity;
    bool failed;
} SvgText;

void core_svg_add_bytes(SvgText *text, const char *bytes, size_t length);
void core_svg_add(SvgText *text, const char *piece);
void core_svg_add_integer(SvgText *text, unsigned long long value);
// Pixels, to a hundredth.
void core_svg_add_pixels(SvgText *text, const char *before, double value);
// Up to six digits, whatever the locale.
void core_svg_add_number(SvgText *text, const char *before, double value);
// UTF-8, with what XML forbids replaced.
void core_svg_add_escaped(SvgText *text, const char *utf8, size_t length);
// A str (MemoryError and NULL when the text failed); frees the text.
PyObject *core_svg_finish(SvgText *text);

// What is seen: metres to pixels.
typedef struct SvgPage {
    PhVec2 center; // world
    double scale, width, height;
} SvgPage;

// A page that shows the box with a margin and is at most max_width x max_height pixels. Any finite
// box.
SvgPage core_svg_page(PhAabb box, double max_width, double max_height);
PhVec2 core_svg_place(const SvgPage *page, PhVec2 point);
bool core_svg_sees(const SvgPage *page, PhAabb box);    // false for NaN
void core_svg_open(SvgText *text, const SvgPage *page); // <svg ...><g ...>
void core_svg_close(SvgText *text);

// Room for outlines, reused from shape to shape.
typedef struct SvgRing {
    PhVec2 *points;
    uint32_t count, capacity;
} SvgRing;
typedef struct SvgPen {
    SvgText *text;
    const SvgPage *page;
    SvgRing ring, clipped;
} SvgPen;
void core_svg_free_pen(SvgPen *pen); // not its text

// One element without colours (of the group around it); title (escaped, NULL for none) shows under
// the mouse. Left out when it cannot be seen or its pose is not finite.
void core_svg_shape(SvgPen *pen, const PhShape *shape, PhTransform pose, const char *title);
// A dot for path data of a group with round caps.
void core_svg_dot(SvgText *text, PhVec2 pixel);

extern const char core_svg_doc[], core_html_doc[];

// svg_world.c
PyObject *core_world_svg(PyObject *world, PyObject *ignored);
PyObject *core_world_html(PyObject *world, PyObject *ignored);
PyObject *core_body_svg(PyObject *body, PyObject *ignored);
PyObject *core_body_html(PyObject *body, PyObject *ignored);
PyObject *core_collider_svg(PyObject *collider, PyObject *ignored);
PyObject *core_collider_html(PyObject *collider, PyObject *ignored);

// svg_manifold.c: of the fields of a Manifold, any of which may be NULL.
PyObject *core_manifold_svg(PyObject *normal, PyObject *points, PyObject *separations);
PyObject *core_manifold_html(PyObject *normal, PyObject *points, PyObject *separations);

#endif
