// Text of a picture, the page it is on, and the outlines of shapes.
//
// Invariant: whatever the numbers, the text is well-formed XML and its coordinates are those of the
// page or at most OUTSIDE pixels beyond: outlines are clipped. What is not finite is left out.
//
// Source: I. Sutherland, G. Hodgman, "Reentrant polygon clipping" (1974); Y. Liang, B. Barsky, "A
// new concept and method for line clipping" (1984).
#include "python/svg.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/trig.h"

#define OUTSIDE 8.0     // pixels around the page where outlines end
#define SAME 0.3        // pixels; nearer vertices are left out
#define CHORD_ERROR 0.1 // pixels between an arc and its chords
#define BIG_CIRCLE 1000 // pixels; beyond, a circle is drawn by chords
#define FAR 1e100       // pixels
#define MAX_CHORDS 20000

const char core_svg_doc[] = "_repr_svg_($self, /)\n--\n\nThe picture as SVG, y up, for notebooks.";
const char core_html_doc[] =
    "_repr_html_($self, /)\n--\n\nThe picture as SVG inside HTML, for notebooks.";

// -----------------------------------------------------------------------------------------------
// text

void core_svg_add_bytes(SvgText *text, const char *bytes, size_t length) {
    if (length == 0) {
        return;
    }
    if (text->failed ||
        ph_reserve_array(&text->data, &text->capacity, (uint64_t)text->used + length, 1) != PH_OK) {
        text->failed = true;
        return;
    }
    memcpy(text->data + text->used, bytes, length);
    text->used += (uint32_t)length;
}

void core_svg_add(SvgText *text, const char *piece) {
    core_svg_add_bytes(text, piece, strlen(piece));
}

void core_svg_add_integer(SvgText *text, unsigned long long value) {
    char digits[24];
    PyOS_snprintf(digits, sizeof digits, "%llu", value);
    core_svg_add(text, digits);
}

void core_svg_add_pixels(SvgText *text, const char *before, double value) {
    char digits[32];
    size_t start = sizeof digits;
    double limited = value > -1e9 ? value < 1e9 ? value : 1e9 : -1e9; // NaN too
    long long hundredths = llround(limited * 100);
    unsigned long long rest = (unsigned long long)(hundredths < 0 ? -hundredths : hundredths);
    int decimals = rest % 100 == 0 ? 0 : rest % 10 == 0 ? 1 : 2;
    rest /= decimals == 0 ? 100 : decimals == 1 ? 10 : 1;
    for (int i = 0; rest > 0 || i <= decimals; ++i) {
        if (i == decimals && i > 0) {
            digits[--start] = '.';
        }
        digits[--start] = (char)('0' + rest % 10);
        rest /= 10;
    }
    if (hundredths < 0) {
        digits[--start] = '-';
    }
    core_svg_add(text, before);
    core_svg_add_bytes(text, digits + start, sizeof digits - start);
}

void core_svg_add_number(SvgText *text, const char *before, double value) {
    char *digits = PyOS_double_to_string(value + 0.0, 'g', 6, 0, NULL);
    if (digits == NULL) {
        PyErr_Clear();
        text->failed = true;
        return;
    }
    core_svg_add(text, before);
    core_svg_add(text, digits);
    PyMem_Free(digits);
}

void core_svg_add_escaped(SvgText *text, const char *utf8, size_t length) {
    for (size_t i = 0; i < length; ++i) {
        unsigned char c = (unsigned char)utf8[i];
        // U+FFFE and U+FFFF are no characters of XML.
        bool none = c == 0xEF && i + 2 < length && (unsigned char)utf8[i + 1] == 0xBF &&
                    (unsigned char)utf8[i + 2] >= 0xBE;
        if (none || (c < ' ' && c != '\t' && c != '\n' && c != '\r')) {
            core_svg_add(text, "\xEF\xBF\xBD"); // U+FFFD
            i += none ? 2 : 0;
        } else if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'') {
            core_svg_add(text, c == '<'   ? "&lt;"
                               : c == '>' ? "&gt;"
                               : c == '&' ? "&amp;"
                               : c == '"' ? "&quot;"
                                          : "&#39;");
        } else {
            core_svg_add_bytes(text, utf8 + i, 1);
        }
    }
}

PyObject *core_svg_finish(SvgText *text) {
    PyObject *result = text->failed
                           ? PyErr_NoMemory()
                           : PyUnicode_FromStringAndSize(text->data, (Py_ssize_t)text->used);
    ph_free(text->data);
    *text = (SvgText){0};
    return result;
}

// -----------------------------------------------------------------------------------------------
// page

SvgPage core_svg_page(PhAabb box, double max_width, double max_height) {
    SvgPage page;
    page.center =
        ph_vec(0.5 * box.lower.x + 0.5 * box.upper.x, 0.5 * box.lower.y + 0.5 * box.upper.y);
    double width = box.upper.x - box.lower.x, height = box.upper.y - box.lower.y;
    double size = fmax(width, height);
    size = fmax(size, 1e-14 * (fabs(page.center.x) + fabs(page.center.y)));
    size = size > 0 ? size : 1;
    // A margin; and neither a strip nor a tower.
    width = fmax(width, 0.2 * size) + 0.1 * size;
    height = fmax(height, 0.2 * size) + 0.1 * size;
    page.scale = fmin(max_width / width, max_height / height);
    page.width = page.scale * width;
    page.height = page.scale * height;
    return page;
}

PhVec2 core_svg_place(const SvgPage *page, PhVec2 point) {
    return ph_vec(0.5 * page->width + page->scale * (point.x - page->center.x),
                  0.5 * page->height - page->scale * (point.y - page->center.y));
}

bool core_svg_sees(const SvgPage *page, PhAabb box) {
    PhVec2 lower = core_svg_place(page, box.lower), upper = core_svg_place(page, box.upper);
    return lower.x <= page->width && upper.x >= 0 && upper.y <= page->height && lower.y >= 0;
}

void core_svg_open(SvgText *text, const SvgPage *page) {
    core_svg_add(text, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    core_svg_add_pixels(text, " width=\"", page->width);
    core_svg_add_pixels(text, "\" height=\"", page->height);
    core_svg_add_pixels(text, "\" viewBox=\"0 0 ", page->width);
    core_svg_add_pixels(text, " ", page->height);
    core_svg_add(text, "\"><g stroke-linejoin=\"round\" stroke-linecap=\"round\" "
                       "fill-rule=\"evenodd\">");
}

void core_svg_close(SvgText *text) {
    core_svg_add(text, "</g></svg>");
}

// -----------------------------------------------------------------------------------------------
// outlines, in pixels

static void put(SvgPen *pen, SvgRing *ring, PhVec2 point) {
    if (ph_reserve_array(&ring->points, &ring->capacity, (uint64_t)ring->count + 1,
                         sizeof *ring->points) != PH_OK) {
        pen->text->failed = true;
        return;
    }
    ring->points[ring->count++] = point;
}

// An arc about `center` (pixels, as the angle) from one unit vector counter-clockwise (y up) by
// `turn`, ends included.
static void put_arc(SvgPen *pen, PhVec2 center, double radius, PhVec2 from, double turn) {
    // A chord of the angle t is off by r (1 - cos(t / 2)), about r t^2 / 8.
    double step = sqrt(8 * CHORD_ERROR / fmax(radius, CHORD_ERROR));
    int count = (int)fmin(ceil(turn / fmin(step, 1)), MAX_CHORDS);
    for (int i = 0; i <= count; ++i) {
        PhRot rotation = ph_rot(count > 0 ? turn * i / count : 0);
        PhVec2 out = ph_rotate(rotation, from);
        put(pen, &pen->ring, ph_vec(center.x + radius * out.x, center.y - radius * out.y));
    }
}

// The outline of vertices grown by a radius (metres); open lines have none.
static void put_outline(SvgPen *pen, const PhVec2 *vertices, int32_t count, double radius,
                        PhTransform pose) {
    pen->ring.count = 0;
    double pixels = radius * pen->page->scale;
    for (int32_t i = 0; i < count; ++i) {
        PhVec2 here = core_svg_place(pen->page, ph_apply(pose, vertices[i]));
        if (radius == 0) {
            put(pen, &pen->ring, here);
            continue;
        }
        PhVec2 before = vertices[i > 0 ? i - 1 : count - 1];
        PhVec2 after = vertices[i + 1 < count ? i + 1 : 0];
        PhVec2 in = ph_rotate(
            pose.q, ph_normalize_or(ph_right(ph_sub(vertices[i], before)), ph_vec(0, -1)));
        PhVec2 out =
            ph_rotate(pose.q, ph_normalize_or(ph_right(ph_sub(after, vertices[i])), ph_vec(0, -1)));
        double turn = ph_atan2(ph_cross(in, out), ph_dot(in, out));
        put_arc(pen, here, pixels, in, turn < -3 ? turn + 2 * PH_PI : fmax(turn, 0));
    }
}

// Not empty, and numbers that can be clipped.
static bool is_sound(const SvgRing *ring) {
    double sum = 0;
    for (uint32_t i = 0; i < ring->count; ++i) {
        sum += fabs(ring->points[i].x) + fabs(ring->points[i].y);
    }
    return ring->count > 0 && sum < FAR;
}

static PhAabb bounds(const SvgRing *ring) {
    PhAabb box = {ring->points[0], ring->points[0]};
    for (uint32_t i = 1; i < ring->count; ++i) {
        box = ph_union(box, (PhAabb){ring->points[i], ring->points[i]});
    }
    return box;
}

static PhAabb paper(const SvgPage *page) {
    return ph_grow((PhAabb){{0, 0}, {page->width, page->height}}, OUTSIDE);
}

// How far a point is inside the paper's side: left, right, top, bottom.
static double inside(PhAabb box, int side, PhVec2 p) {
    return side == 0   ? p.x - box.lower.x
           : side == 1 ? box.upper.x - p.x
           : side == 2 ? p.y - box.lower.y
                       : box.upper.y - p.y;
}

// Leaves pen->ring clipped. Edges along the paper's sides may remain; they are not seen.
static void clip_ring(SvgPen *pen) {
    PhAabb box = paper(pen->page);
    for (int side = 0; side < 4; ++side) {
        pen->clipped.count = 0;
        uint32_t count = pen->ring.count;
        for (uint32_t i = 0; i < count; ++i) {
            PhVec2 p = pen->ring.points[i], q = pen->ring.points[i + 1 < count ? i + 1 : 0];
            double at_p = inside(box, side, p), at_q = inside(box, side, q);
            if (at_p >= 0) {
                put(pen, &pen->clipped, p);
            }
            if ((at_p < 0) != (at_q < 0)) {
                put(pen, &pen->clipped, ph_lerp(p, q, at_p / (at_p - at_q)));
            }
        }
        SvgRing other = pen->ring;
        pen->ring = pen->clipped;
        pen->clipped = other;
    }
}

static void add_point(SvgText *text, const char *before, PhVec2 p) {
    core_svg_add_pixels(text, before, p.x);
    core_svg_add_pixels(text, " ", p.y);
}

// Path data of the closed ring; vertices that would be on top of each other are left out.
static void add_ring(SvgPen *pen) {
    if (!is_sound(&pen->ring)) {
        return;
    }
    if (!ph_encloses(paper(pen->page), bounds(&pen->ring))) {
        clip_ring(pen);
    }
    PhVec2 last = {0, 0};
    for (uint32_t i = 0; i < pen->ring.count; ++i) {
        PhVec2 p = pen->ring.points[i];
        if (i > 0 && fabs(p.x - last.x) + fabs(p.y - last.y) < SAME) {
            continue;
        }
        add_point(pen->text, i == 0 ? "M" : "L", p);
        last = p;
    }
    core_svg_add(pen->text, pen->ring.count > 0 ? "Z" : "");
}

// Part of a line inside the paper.
static bool clip_line(PhAabb box, PhVec2 *p, PhVec2 *q) {
    double from = 0, to = 1;
    for (int side = 0; side < 4; ++side) {
        double at_p = inside(box, side, *p), at_q = inside(box, side, *q);
        if (at_p < 0 && at_q < 0) {
            return false;
        }
        if (at_p < 0) {
            from = fmax(from, at_p / (at_p - at_q));
        } else if (at_q < 0) {
            to = fmin(to, at_p / (at_p - at_q));
        }
    }
    PhVec2 start = *p, end = *q;
    *p = ph_lerp(start, end, from);
    *q = ph_lerp(start, end, to);
    return from <= to;
}

static void add_lines(SvgPen *pen, bool loop) {
    const SvgRing *ring = &pen->ring;
    if (!is_sound(ring)) {
        return;
    }
    PhAabb box = paper(pen->page);
    PhVec2 last = {-INFINITY, 0};
    uint32_t sides = loop ? ring->count : ring->count - 1;
    for (uint32_t i = 0; i < sides; ++i) {
        PhVec2 p = ring->points[i], q = ring->points[i + 1 < ring->count ? i + 1 : 0];
        bool short_one = i + 1 < sides && fabs(q.x - last.x) + fabs(q.y - last.y) < SAME;
        if (short_one || !clip_line(box, &p, &q)) {
            continue;
        }
        if (!(fabs(p.x - last.x) + fabs(p.y - last.y) < SAME)) {
            add_point(pen->text, "M", p);
        }
        add_point(pen->text, "L", q);
        last = q;
    }
}

static void close_element(SvgText *text, const char *name, const char *title) {
    if (title == NULL) {
        core_svg_add(text, "/>");
        return;
    }
    core_svg_add(text, "><title>");
    core_svg_add(text, title);
    core_svg_add(text, "</title></");
    core_svg_add(text, name);
    core_svg_add(text, ">");
}

// A big circle by chords: all around, or the sector that can be seen of a very big one.
static void put_big_circle(SvgPen *pen, PhVec2 center, double radius) {
    PhAabb box = paper(pen->page);
    double size = box.upper.x - box.lower.x + box.upper.y - box.lower.y;
    PhVec2 to = ph_sub(ph_lerp(box.lower, box.upper, 0.5), center);
    double distance = ph_length(to);
    pen->ring.count = 0;
    if (!(radius > 4 * size && distance > 0.5 * radius)) {
        put_arc(pen, center, radius, ph_vec(1, 0), 2 * PH_PI);
        return;
    }
    double half = 2 * size / radius;
    PhVec2 toward = ph_scale(1 / distance, ph_vec(to.x, -to.y));
    put(pen, &pen->ring, center);
    put_arc(pen, center, radius, ph_rotate(ph_rot(-half), toward), 2 * half);
}

static void add_circle(SvgPen *pen, const PhShape *shape, PhTransform pose, const char *title) {
    SvgText *text = pen->text;
    PhVec2 center = core_svg_place(pen->page, ph_apply(pose, shape->vertices[0]));
    double radius = shape->radius * pen->page->scale;
    bool small = radius <= BIG_CIRCLE;
    if (small) {
        core_svg_add_pixels(text, "<circle cx=\"", center.x);
        core_svg_add_pixels(text, "\" cy=\"", center.y);
        core_svg_add_pixels(text, "\" r=\"", radius);
        core_svg_add(text, "\"");
        close_element(text, "circle", title);
    }
    core_svg_add(text, "<path d=\"");
    if (!small) {
        put_big_circle(pen, center, radius);
        add_ring(pen);
    }
    if (radius > 3) { // shows how it is turned
        PhVec2 rim = ph_vec(center.x + radius * pose.q.c, center.y - radius * pose.q.s);
        if (clip_line(paper(pen->page), &center, &rim)) {
            add_point(text, "M", center);
            add_point(text, "L", rim);
        }
    }
    core_svg_add(text, "\"");
    close_element(text, "path", small ? NULL : title);
}

void core_svg_shape(SvgPen *pen, const PhShape *shape, PhTransform pose, const char *title) {
    if (!core_svg_sees(pen->page, ph_shape_aabb(shape, pose))) {
        return;
    }
    if (shape->kind == PH_SHAPE_CIRCLE) {
        add_circle(pen, shape, pose, title);
        return;
    }
    SvgText *text = pen->text;
    bool line = shape->kind == PH_SHAPE_SEGMENT || shape->kind == PH_SHAPE_CHAIN;
    core_svg_add(text, line ? "<path fill=\"none\" d=\"" : "<path d=\"");
    put_outline(pen, shape->vertices, shape->vertex_count, shape->radius, pose);
    if (line) {
        add_lines(pen, shape->loop);
    } else {
        add_ring(pen);
    }
    for (int32_t i = 0; i < shape->hole_count; ++i) {
        const int32_t *starts = shape->hole_starts;
        put_outline(pen, shape->vertices + starts[i], starts[i + 1] - starts[i], 0, pose);
        add_ring(pen);
    }
    core_svg_add(text, "\"");
    close_element(text, "path", title);
}

void core_svg_dot(SvgText *text, PhVec2 pixel) {
    add_point(text, "M", pixel);
    core_svg_add(text, "h0");
}

void core_svg_free_pen(SvgPen *pen) {
    ph_free(pen->ring.points);
    ph_free(pen->clipped.points);
}

// -----------------------------------------------------------------------------------------------
// a shape

PyObject *core_shape_svg(const PhShape *shape) {
    SvgText text = {0};
    SvgPage page = core_svg_page(shape->aabb, 200, 160);
    SvgPen pen = {.text = &text, .page = &page};
    core_svg_open(&text, &page);
    core_svg_add(&text, "<g fill=\"#7fb8dc\" stroke=\"#2a7fb5\" stroke-width=\"1.2\">");
    core_svg_shape(&pen, shape, (PhTransform){{0, 0}, {1, 0}}, NULL);
    core_svg_add(&text, "</g>");
    core_svg_close(&text);
    core_svg_free_pen(&pen);
    return core_svg_finish(&text);
}
