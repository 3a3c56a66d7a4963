// A shape as a small self-contained SVG, y up, for notebooks.
#include <string.h>

#include "python/convert.h"

typedef struct Text {
    char *data;
    size_t used, capacity;
    bool failed;
} Text;

static void add(Text *text, const char *piece) {
    size_t length = strlen(piece);
    if (text->used + length > text->capacity) {
        size_t capacity = 2 * text->capacity + length + 256;
        char *data = PyMem_Realloc(text->data, capacity);
        if (data == NULL) {
            text->failed = true;
            return;
        }
        text->data = data;
        text->capacity = capacity;
    }
    memcpy(text->data + text->used, piece, length);
    text->used += length;
}

// Not printf: that would follow the locale's decimal comma.
static void add_number(Text *text, const char *before, double value) {
    char *number = PyOS_double_to_string(value, 'g', 7, 0, NULL);
    if (number == NULL) {
        PyErr_Clear();
        text->failed = true;
        return;
    }
    add(text, before);
    add(text, number);
    PyMem_Free(number);
}

static void add_path(Text *text, const PhVec2 *vertices, int32_t count, bool closed) {
    for (int32_t i = 0; i < count; ++i) {
        add_number(text, i == 0 ? "M" : "L", vertices[i].x);
        add_number(text, " ", vertices[i].y);
    }
    if (closed) {
        add(text, "Z");
    }
}

PyObject *core_shape_svg(const PhShape *shape) {
    Text text = {0};
    PhAabb box = shape->aabb;
    double width = box.upper.x - box.lower.x, height = box.upper.y - box.lower.y;
    double margin = 0.05 * (width > height ? width : height);
    double line = 0.2 * margin;
    width += 2 * margin;
    height += 2 * margin;
    double scale = 160 / (width > height ? width : height);
    add_number(&text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", scale * width);
    add_number(&text, "\" height=\"", scale * height);
    add_number(&text, "\" viewBox=\"", box.lower.x - margin);
    add_number(&text, " ", -box.upper.y - margin);
    add_number(&text, " ", width);
    add_number(&text, " ", height);
    add(&text, "\"><g transform=\"scale(1,-1)\" stroke-linejoin=\"round\" "
               "stroke-linecap=\"round\" fill-rule=\"evenodd\">");
    bool area = shape->kind != PH_SHAPE_SEGMENT && shape->kind != PH_SHAPE_CHAIN;
    if (shape->kind == PH_SHAPE_CIRCLE) {
        add_number(&text, "<circle fill=\"#9ecae1\" stroke=\"#3182bd\" stroke-width=\"", line);
        add_number(&text, "\" cx=\"", shape->vertices[0].x);
        add_number(&text, "\" cy=\"", shape->vertices[0].y);
        add_number(&text, "\" r=\"", shape->radius);
        add(&text, "\"/>");
    } else {
        // A rounding radius is a wide line with round joins around the core.
        bool rounded = shape->radius > 0;
        add(&text, area ? "<path fill=\"#9ecae1\"" : "<path fill=\"none\"");
        add(&text, rounded ? " stroke=\"#9ecae1\"" : " stroke=\"#3182bd\"");
        add_number(&text, " stroke-width=\"", rounded ? 2 * shape->radius : line);
        add(&text, "\" d=\"");
        bool closed = shape->kind == PH_SHAPE_POLYGON || shape->loop;
        add_path(&text, shape->vertices, shape->vertex_count, closed);
        for (int32_t i = 0; i < shape->hole_count; ++i) {
            const int32_t *starts = shape->hole_starts;
            add_path(&text, shape->vertices + starts[i], starts[i + 1] - starts[i], true);
        }
        add(&text, "\"/>");
    }
    add(&text, "</g></svg>");
    PyObject *result = text.failed ? PyErr_NoMemory()
                                   : PyUnicode_FromStringAndSize(text.data, (Py_ssize_t)text.used);
    PyMem_Free(text.data);
    return result;
}
