// Pictures of a Manifold: its points, the normal at each, the tangent through them, a table of
// separations.
//
// A Manifold's arrays can be written to, and even be given another shape or type, by anyone: they
// are looked at anew, and what is not a manifold (any more) has no picture.
#include <math.h>

#include "python/svg.h"

typedef struct Points {
    PhVec2 normal, point[2];
    double separation[2];
    int count;
} Points;

static bool has_numbers(PyObject *object, npy_intp count) {
    if (object == NULL || !PyArray_Check(object)) {
        return false;
    }
    PyArrayObject *array = (PyArrayObject *)object;
    return PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array) &&
           PyArray_SIZE(array) == count;
}

static bool read_points(PyObject *normal, PyObject *points, PyObject *separations, Points *out) {
    npy_intp count = separations != NULL && PyArray_Check(separations)
                         ? PyArray_SIZE((PyArrayObject *)separations)
                         : -1;
    if (count < 0 || count > 2 || !has_numbers(normal, 2) || !has_numbers(points, 2 * count) ||
        !has_numbers(separations, count)) {
        return false;
    }
    *out = (Points){.normal = *(const PhVec2 *)PyArray_DATA((PyArrayObject *)normal)};
    out->count = (int)count;
    for (int i = 0; i < out->count; ++i) {
        out->point[i] = ((const PhVec2 *)PyArray_DATA((PyArrayObject *)points))[i];
        out->separation[i] = ((const double *)PyArray_DATA((PyArrayObject *)separations))[i];
    }
    return true;
}

// A line with a head from one pixel to another.
static void draw_arrow(SvgText *text, PhVec2 from, PhVec2 along, double length) {
    PhVec2 base = ph_mul_add(from, length - 8, along), tip = ph_mul_add(from, length, along);
    PhVec2 side = ph_scale(4, ph_left(along));
    const PhVec2 corners[5] = {from, base, ph_add(base, side), tip, ph_sub(base, side)};
    core_svg_add(text, "<path fill=\"#d55e00\" stroke=\"#d55e00\" stroke-width=\"1.5\" d=\"");
    for (int i = 0; i < 5; ++i) {
        core_svg_add_pixels(text, i == 0 ? "M" : "L", corners[i].x);
        core_svg_add_pixels(text, " ", corners[i].y);
    }
    core_svg_add_pixels(text, "L", base.x);
    core_svg_add_pixels(text, " ", base.y);
    core_svg_add(text, "\"/>");
}

static void draw_points(SvgText *text, const Points *m) {
    enum { ARROW = 30, TANGENT = 40, ROOM = 48 }; // pixels
    double apart = m->count == 2 ? ph_length(ph_sub(m->point[1], m->point[0])) : 0;
    PhVec2 center = m->count == 2 ? ph_lerp(m->point[0], m->point[1], 0.5) : m->point[0];
    double scale = apart > 0 ? 100 / apart : 1;
    PhVec2 half =
        m->count == 2 ? ph_scale(0.5 * scale, ph_sub(m->point[1], m->point[0])) : ph_vec(0, 0);
    SvgPage page = {.center = center,
                    .scale = scale,
                    .width = 2 * (fabs(half.x) + ROOM),
                    .height = 2 * (fabs(half.y) + ROOM)};
    PhVec2 normal = ph_vec(m->normal.x, -m->normal.y), tangent = ph_left(normal);
    core_svg_open(text, &page);
    core_svg_add(text, "<g fill=\"none\">");
    for (int i = 0; i < m->count; ++i) {
        PhVec2 pixel = core_svg_place(&page, m->point[i]);
        PhVec2 start = ph_mul_add(pixel, -TANGENT, tangent);
        PhVec2 end = ph_mul_add(pixel, TANGENT, tangent);
        core_svg_add_pixels(text, "<path stroke=\"#7f7f7f\" stroke-dasharray=\"4 3\" d=\"M",
                            start.x);
        core_svg_add_pixels(text, " ", start.y);
        core_svg_add_pixels(text, "L", end.x);
        core_svg_add_pixels(text, " ", end.y);
        core_svg_add(text, "\"/>");
        draw_arrow(text, pixel, normal, ARROW);
        core_svg_add(text, "<path stroke=\"#0072b2\" stroke-width=\"7\" d=\"");
        core_svg_dot(text, pixel);
        core_svg_add(text, "\"/>");
    }
    core_svg_add(text, "</g>");
    core_svg_close(text);
}

static void add_cell(SvgText *text, double value) {
    core_svg_add_number(text, "<td>", value);
    core_svg_add(text, "</td>");
}

static void add_table(SvgText *text, const Points *m) {
    core_svg_add_number(text, "<div>Manifold: normal (", m->normal.x);
    core_svg_add_number(text, ", ", m->normal.y);
    core_svg_add(text, ") from a to b</div><table><tr><th>x (m)</th><th>y (m)</th>"
                       "<th>separation (m)</th></tr>");
    for (int i = 0; i < m->count; ++i) {
        core_svg_add(text, "<tr>");
        add_cell(text, m->point[i].x);
        add_cell(text, m->point[i].y);
        add_cell(text, m->separation[i]);
        core_svg_add(text, "</tr>");
    }
    core_svg_add(text, "</table>");
}

// Whether the points can be put on a page.
static bool can_draw(const Points *m) {
    double sum = fabs(ph_length(m->normal) - 1) < 1e-6 ? 0 : NAN;
    for (int i = 0; i < m->count; ++i) {
        sum += fabs(m->point[i].x) + fabs(m->point[i].y);
    }
    return m->count > 0 && sum < 1e150;
}

PyObject *core_manifold_svg(PyObject *normal, PyObject *points, PyObject *separations) {
    Points m;
    if (!read_points(normal, points, separations, &m) || !can_draw(&m)) {
        Py_RETURN_NONE;
    }
    SvgText text = {0};
    draw_points(&text, &m);
    return core_svg_finish(&text);
}

PyObject *core_manifold_html(PyObject *normal, PyObject *points, PyObject *separations) {
    Points m;
    if (!read_points(normal, points, separations, &m)) {
        Py_RETURN_NONE;
    }
    SvgText text = {0};
    core_svg_add(&text, "<div>");
    if (m.count == 0) {
        core_svg_add(&text, "Manifold: no contact");
    } else {
        if (can_draw(&m)) {
            draw_points(&text, &m);
        }
        add_table(&text, &m);
    }
    core_svg_add(&text, "</div>");
    return core_svg_finish(&text);
}
