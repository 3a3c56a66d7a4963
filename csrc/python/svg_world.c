// Pictures of a World, a Body and a Collider: shapes at their present poses, static grey, kinematic
// yellow, dynamic blue, asleep pale; joints as lines, contact points as dots.
//
// Invariant: the size of a picture is bounded whatever the world: beyond MAX_SHAPES shapes there
// are boxes, beyond MAX_BOXES a sample of them, and the caption says so. A world inside its own
// step, and what has been removed, have no picture: None, so that the plain repr is shown.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "python/joint_primitives.h"
#include "python/svg.h"

#define MAX_SHAPES 3000
#define MAX_VERTICES 60000
#define MAX_BIG_SHAPES 1000 // among boxes
#define MAX_BOXES 9000
#define MAX_DOTS 2000
#define MAX_JOINTS 1000
#define MAX_NAMES 500
#define MAX_SAMPLES 500 // of boxes that decide what is seen

typedef enum Look { LOOK_STATIC, LOOK_KINEMATIC, LOOK_ASLEEP, LOOK_AWAKE, LOOK_SENSOR } Look;
enum { LOOK_COUNT = LOOK_SENSOR + 1 };
// Face and edge, as pyphys2d.plot has them, but for edges that dark pages would hide.
static const char *const look_styles[LOOK_COUNT] = {
    [LOOK_STATIC] = "fill=\"#d9d9d4\" stroke=\"#7f7f7a\"",
    [LOOK_KINEMATIC] = "fill=\"#f2c14e\" stroke=\"#a87a10\"",
    [LOOK_ASLEEP] = "fill=\"#bcd4e4\" stroke=\"#6f9ab8\"",
    [LOOK_AWAKE] = "fill=\"#7fb8dc\" stroke=\"#2a7fb5\"",
    [LOOK_SENSOR] = "fill=\"none\" stroke=\"#cc79a7\" stroke-dasharray=\"4 3\"",
};

typedef struct Drawn {
    PhAabb box;
    PhVec2 shift; // in a wrapped world: of this image
    uint32_t collider;
    Look look;
} Drawn;

typedef struct Scene {
    PhWorld *world;
    uint32_t slot, collider; // the only ones; PH_NULL: all
    Drawn *drawn;
    uint32_t count;
    PhContactPoint *contacts;
    uint32_t contact_count;
    uint32_t lost;      // colliders without a finite pose
    uint32_t unseen;    // colliders beyond the page that are not static
    uint32_t share;     // 0: shapes; else boxes of about one in so many
    double typical;     // size of what moves, metres; 0 when nothing does
    bool big_shapes;    // what is much bigger than that is drawn as it is even then
    uint64_t *name_ids; // bodies' ids
    uint32_t *name_starts;
    uint32_t name_count;
    SvgText names; // escaped, each ends with a 0
} Scene;

static void free_scene(Scene *scene) {
    ph_free(scene->drawn);
    ph_free(scene->contacts);
    ph_free(scene->name_ids);
    ph_free(scene->name_starts);
    ph_free(scene->names.data);
}

// -----------------------------------------------------------------------------------------------
// names: copied before the gate is entered

// False with an exception.
static bool add_name(SvgText *text, PyObject *name) {
    PyObject *bytes = PyUnicode_AsEncodedString(name, "utf-8", "replace"); // lone surrogates
    if (bytes == NULL) {
        return false;
    }
    core_svg_add_escaped(text, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
    Py_DECREF(bytes);
    return true;
}

static bool collect_names(Scene *scene, const WorldObject *self) {
    Py_ssize_t size = self->names != NULL ? PyDict_GET_SIZE(self->names) : 0;
    if (size == 0 || size > MAX_NAMES) {
        return true;
    }
    PyObject *items = PyDict_Items(self->names);
    scene->name_ids = ph_alloc((size_t)size, sizeof *scene->name_ids);
    scene->name_starts = ph_alloc((size_t)size, sizeof *scene->name_starts);
    bool ok = items != NULL && scene->name_ids != NULL && scene->name_starts != NULL;
    if (!ok && items != NULL) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; ok && i < size && i < PyList_GET_SIZE(items); ++i) {
        PyObject *item = PyList_GET_ITEM(items, i);
        scene->name_ids[i] = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(item, 0));
        scene->name_starts[i] = scene->names.used;
        ok = !PyErr_Occurred() && add_name(&scene->names, PyTuple_GET_ITEM(item, 1));
        core_svg_add_bytes(&scene->names, "", 1); // with its end
        scene->name_count = ok ? (uint32_t)i + 1 : 0;
    }
    Py_XDECREF(items);
    return ok;
}

static const char *find_name(const Scene *scene, uint32_t slot) {
    uint64_t id = scene->name_count > 0 ? core_id_number(ph_body_id(scene->world, slot)) : 0;
    for (uint32_t i = 0; i < scene->name_count; ++i) {
        if (scene->name_ids[i] == id) {
            return scene->names.data + scene->name_starts[i];
        }
    }
    return NULL;
}

// -----------------------------------------------------------------------------------------------
// what there is: inside the gate

static Look look_of(const PhWorld *world, uint32_t slot, uint32_t collider) {
    const PhState *state = ph_world_state(world);
    if (ph_collider_material(world, collider).sensor) {
        return LOOK_SENSOR;
    }
    return state->kind[slot] == PH_STATIC      ? LOOK_STATIC
           : state->kind[slot] == PH_KINEMATIC ? LOOK_KINEMATIC
           : state->awake[slot]                ? LOOK_AWAKE
                                               : LOOK_ASLEEP;
}

static bool moves(Look look) {
    return look != LOOK_STATIC && look != LOOK_SENSOR;
}

static bool is_finite_box(PhAabb box) {
    double sum = fabs(box.lower.x) + fabs(box.lower.y) + fabs(box.upper.x) + fabs(box.upper.y);
    return sum < 1e300; // NaN is not
}

static void gather_collider(Scene *scene, uint32_t index) {
    PhAabb box = ph_collider_aabb(scene->world, index);
    if (!is_finite_box(box)) {
        scene->lost += 1;
        return;
    }
    Look look = look_of(scene->world, ph_collider_body(scene->world, index), index);
    scene->drawn[scene->count++] = (Drawn){box, ph_vec(0, 0), index, look};
}

static PhAabb moved(PhAabb box, PhVec2 by) {
    return (PhAabb){ph_add(box.lower, by), ph_add(box.upper, by)};
}

// The plane of a wrapped world; without end where it does not wrap.
static PhAabb plane_of(const PhWrap *wrap) {
    PhAabb plane = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};
    if (wrap->size.x > 0) {
        plane.lower.x = 0;
        plane.upper.x = wrap->size.x;
    }
    if (wrap->size.y > 0) {
        plane.lower.y = 0;
        plane.upper.y = wrap->size.y;
    }
    return plane;
}

// In a wrapped world: every collider where it lies in the plane, and once more for each other side
// over which a part of it comes in. There is room for four of each.
static void add_images(Scene *scene) {
    PhWrap wrap = ph_wrap_make(ph_world_settings(scene->world)->wrap);
    PhAabb plane = plane_of(&wrap);
    uint32_t count = scene->count;
    for (uint32_t i = 0; i < count; ++i) {
        Drawn *drawn = &scene->drawn[i];
        PhVec2 middle = ph_lerp(drawn->box.lower, drawn->box.upper, 0.5);
        PhVec2 home = ph_sub(ph_wrap_fold(&wrap, middle), middle);
        drawn->box = moved(drawn->box, home);
        drawn->shift = home;
        middle = ph_add(middle, home);
        for (int k = 1; k < 4; ++k) {
            double x = k & 1 ? wrap.size.x : 0, y = k & 2 ? wrap.size.y : 0;
            PhVec2 over = {middle.x < 0.5 * wrap.size.x ? x : -x,
                           middle.y < 0.5 * wrap.size.y ? y : -y};
            bool is_image = (!(k & 1) || x > 0) && (!(k & 2) || y > 0);
            Drawn image = *drawn;
            image.box = moved(image.box, over);
            image.shift = ph_add(image.shift, over);
            if (is_image && ph_overlaps(image.box, plane)) {
                scene->drawn[scene->count++] = image;
            }
        }
    }
}

static PhStatus gather(Scene *scene) {
    PhWorld *world = scene->world;
    PhVec2 wrap = ph_world_settings(world)->wrap;
    bool images = scene->slot == PH_NULL && (wrap.x < INFINITY || wrap.y < INFINITY);
    scene->drawn =
        ph_alloc((images ? 4 : 1) * (size_t)ph_world_collider_count(world), sizeof *scene->drawn);
    if (scene->drawn == NULL) {
        return PH_ERROR_MEMORY;
    }
    if (scene->collider != PH_NULL) {
        gather_collider(scene, scene->collider);
    } else if (scene->slot != PH_NULL) {
        for (uint32_t i = ph_body_first_collider(world, scene->slot); i != PH_NULL;
             i = ph_collider_next(world, i)) {
            gather_collider(scene, i);
        }
    } else {
        for (uint32_t i = 0; i < ph_world_collider_limit(world); ++i) {
            if (ph_collider_alive(world, i)) {
                gather_collider(scene, i);
            }
        }
    }
    if (images) {
        add_images(scene);
    }
    return PH_OK;
}

static PhStatus gather_contacts(Scene *scene) {
    uint64_t limit = ph_world_contact_limit(scene->world, PH_NULL);
    scene->contacts = ph_alloc((size_t)limit, sizeof *scene->contacts);
    if (scene->contacts == NULL) {
        return PH_ERROR_MEMORY;
    }
    scene->contact_count = (uint32_t)ph_world_contacts(scene->world, PH_NULL, scene->contacts);
    uint32_t kept = 0;
    PhWrap wrap = ph_wrap_make(ph_world_settings(scene->world)->wrap);
    for (uint32_t i = 0; i < scene->contact_count; ++i) {
        PhContactPoint *row = &scene->contacts[i];
        PhVec2 point = ph_wrap_fold(&wrap, ph_vec(row->point[0], row->point[1]));
        row->point[0] = point.x;
        row->point[1] = point.y;
        bool of_body = scene->slot == PH_NULL || (uint32_t)row->body_a == scene->slot ||
                       (uint32_t)row->body_b == scene->slot;
        bool of_collider = scene->collider == PH_NULL ||
                           (uint32_t)row->collider_a == scene->collider ||
                           (uint32_t)row->collider_b == scene->collider;
        if (of_body && of_collider) {
            scene->contacts[kept++] = *row;
        }
    }
    scene->contact_count = kept;
    return PH_OK;
}

// -----------------------------------------------------------------------------------------------
// what is seen

static bool less(const void *a, const void *b, const void *context) {
    (void)context;
    return *(const double *)a < *(const double *)b;
}

// The middle four fifths of the centres along one axis, all of them when they are few.
static void middle_of(double *centers, uint32_t count, double *low, double *high) {
    ph_sort(centers, count, sizeof *centers, less, NULL);
    *low = centers[(count - 1) / 10];
    *high = centers[count - 1 - (count - 1) / 10];
}

// Where the centres are of those that move and have not gone far astray: the middle of them and
// five times its size around. False when nothing moves.
static bool find_crowd(Scene *scene, PhAabb *crowd) {
    double x[MAX_SAMPLES], y[MAX_SAMPLES], sizes[MAX_SAMPLES];
    uint32_t step = scene->count / MAX_SAMPLES + 1, moving = 0, count = 0;
    for (uint32_t i = 0; i < scene->count; ++i) {
        const PhAabb *box = &scene->drawn[i].box;
        if (moves(scene->drawn[i].look) && moving++ % step == 0) {
            x[count] = 0.5 * (box->lower.x + box->upper.x);
            y[count] = 0.5 * (box->lower.y + box->upper.y);
            sizes[count++] = fmax(box->upper.x - box->lower.x, box->upper.y - box->lower.y);
        }
    }
    if (count == 0) {
        return false;
    }
    middle_of(x, count, &crowd->lower.x, &crowd->upper.x);
    middle_of(y, count, &crowd->lower.y, &crowd->upper.y);
    ph_sort(sizes, count, sizeof *sizes, less, NULL);
    double size = fmax(crowd->upper.x - crowd->lower.x, crowd->upper.y - crowd->lower.y);
    scene->typical = sizes[count / 2];
    *crowd = ph_grow(*crowd, 5 * fmax(size, 5 * scene->typical));
    return true;
}

// Widens what is seen along one axis (low..high are those that move) to the near end of something
// fixed, and a little of it, unless that is further away than reach.
static void widen(double low, double high, double fixed_low, double fixed_high, double reach,
                  double margin, double *view_low, double *view_high) {
    double below = fmin(fixed_high, low), above = fmax(fixed_low, high);
    if (fixed_low < low && low - below <= reach) {
        *view_low = fmin(*view_low, fmax(fixed_low, below - margin));
    }
    if (fixed_high > high && above - high <= reach) {
        *view_high = fmax(*view_high, fmin(fixed_high, above + margin));
    }
}

static void widen_to_shape(const Scene *scene, uint32_t collider, PhAabb moving, PhAabb *view) {
    double size = fmax(moving.upper.x - moving.lower.x, moving.upper.y - moving.lower.y);
    double reach = fmax(2 * size, 15 * scene->typical), margin = 0.15 * fmax(size, 0.2 * reach);
    PhAabb near = ph_grow(moving, reach);
    const PhShape *shape = ph_collider_shape(scene->world, collider);
    PhTransform pose = ph_body_transform(scene->world, ph_collider_body(scene->world, collider));
    for (int32_t i = 0; i < shape->piece_count; ++i) {
        PhAabb box = ph_piece_aabb(&shape->pieces[i], pose);
        if (ph_overlaps(near, box)) {
            widen(moving.lower.x, moving.upper.x, box.lower.x, box.upper.x, reach, margin,
                  &view->lower.x, &view->upper.x);
            widen(moving.lower.y, moving.upper.y, box.lower.y, box.upper.y, reach, margin,
                  &view->lower.y, &view->upper.y);
        }
    }
}

// A wrapped world is seen from side to side.
static PhAabb show_whole(const Scene *scene, PhAabb view) {
    PhVec2 wrap = ph_world_settings(scene->world)->wrap;
    if (wrap.x < INFINITY) {
        view.lower.x = 0;
        view.upper.x = wrap.x;
    }
    if (wrap.y < INFINITY) {
        view.lower.y = 0;
        view.upper.y = wrap.y;
    }
    return view;
}

static bool is_of_scene(const Scene *scene, const PhJoint *joint) {
    return scene->slot == PH_NULL || joint->body[0] == scene->slot || joint->body[1] == scene->slot;
}

// What is worth seeing: what moves, and what stands still nearby.
static PhAabb find_view(Scene *scene) {
    PhAabb crowd, fixed = {{0, 0}, {0, 0}}, moving = {{0, 0}, {0, 0}};
    bool any_crowd = find_crowd(scene, &crowd), any_fixed = false, any_moving = false;
    for (uint32_t i = 0; i < scene->count; ++i) {
        PhAabb box = scene->drawn[i].box;
        PhVec2 center = ph_lerp(box.lower, box.upper, 0.5);
        if (!moves(scene->drawn[i].look)) {
            fixed = any_fixed ? ph_union(fixed, box) : box;
            any_fixed = true;
        } else if (any_crowd && ph_encloses(crowd, (PhAabb){center, center})) {
            moving = any_moving ? ph_union(moving, box) : box;
            any_moving = true;
        }
    }
    bool joints = any_moving && scene->collider == PH_NULL;
    for (uint32_t i = 0; joints && i < ph_joint_limit(scene->world); ++i) {
        if (!ph_joint_alive(scene->world, i) ||
            !is_of_scene(scene, ph_joint_get(scene->world, i)) ||
            ph_joint_get(scene->world, i)->kind == PH_JOINT_FILTER) {
            continue;
        }
        PhJointReading reading = ph_joint_read(scene->world, i);
        for (int side = 0; side < 2; ++side) {
            PhAabb point = {reading.anchor[side], reading.anchor[side]};
            moving = ph_encloses(crowd, point) ? ph_union(moving, point) : moving;
        }
    }
    PhAabb view = any_moving ? moving : fixed;
    for (uint32_t i = 0; any_moving && i < scene->count; ++i) {
        if (!moves(scene->drawn[i].look)) {
            widen_to_shape(scene, scene->drawn[i].collider, moving, &view);
        }
    }
    return scene->slot == PH_NULL ? show_whole(scene, view) : view;
}

static bool is_big(const Scene *scene, PhAabb box) {
    return box.upper.x - box.lower.x + box.upper.y - box.lower.y > 10 * scene->typical;
}

// Decides between shapes, boxes and a sample of boxes.
static void choose_share(Scene *scene, const SvgPage *page) {
    uint64_t vertices = 0, big_vertices = 0;
    uint32_t seen = 0, big = 0;
    for (uint32_t i = 0; i < scene->count; ++i) {
        const Drawn *drawn = &scene->drawn[i];
        if (!core_svg_sees(page, drawn->box)) {
            scene->unseen += moves(drawn->look);
            continue;
        }
        const PhShape *shape = ph_collider_shape(scene->world, drawn->collider);
        uint64_t count = (uint64_t)shape->hole_starts[shape->hole_count];
        bool is_one = is_big(scene, drawn->box);
        vertices += count;
        seen += 1;
        big += is_one;
        big_vertices += is_one ? count : 0;
    }
    bool few = seen <= MAX_SHAPES && vertices <= MAX_VERTICES;
    scene->share = few ? 0 : (seen + MAX_BOXES - 1) / MAX_BOXES;
    scene->big_shapes = big <= MAX_BIG_SHAPES && big_vertices <= MAX_VERTICES / 2;
}

// -----------------------------------------------------------------------------------------------
// drawing

static void draw_box(SvgText *text, const SvgPage *page, PhAabb box) {
    PhVec2 lower = core_svg_place(page, box.lower), upper = core_svg_place(page, box.upper);
    // Not so small that it vanishes.
    double left = fmax(lower.x, -2), right = fmax(fmin(upper.x, page->width + 2), left + 1);
    double top = fmax(upper.y, -2), bottom = fmax(fmin(lower.y, page->height + 2), top + 1);
    core_svg_add_pixels(text, "M", left);
    core_svg_add_pixels(text, " ", top);
    core_svg_add_pixels(text, "H", right);
    core_svg_add_pixels(text, "V", bottom);
    core_svg_add_pixels(text, "H", left);
    core_svg_add(text, "Z");
}

// Scattered, so that no stripes appear.
static bool is_in_sample(const Scene *scene, uint32_t index) {
    index = (index ^ index >> 16) * 0x85ebca6bu;
    index = (index ^ index >> 13) * 0xc2b2ae35u;
    return (index ^ index >> 16) % scene->share == 0;
}

static void draw_shape(SvgPen *pen, const Scene *scene, const Drawn *drawn) {
    uint32_t slot = ph_collider_body(scene->world, drawn->collider);
    PhTransform pose = ph_body_transform(scene->world, slot);
    pose.p = ph_add(pose.p, drawn->shift);
    core_svg_shape(pen, ph_collider_shape(scene->world, drawn->collider), pose,
                   find_name(scene, slot));
}

static void draw_look(SvgPen *pen, const Scene *scene, Look look, double line) {
    SvgText *text = pen->text;
    bool boxes = scene->share > 0;
    core_svg_add(text, "<g ");
    core_svg_add(text, look_styles[look]);
    core_svg_add_pixels(text, " stroke-width=\"", line);
    core_svg_add(text, "\">");
    for (uint32_t i = 0; i < scene->count; ++i) {
        const Drawn *drawn = &scene->drawn[i];
        if (drawn->look == look && (!boxes || (scene->big_shapes && is_big(scene, drawn->box)))) {
            draw_shape(pen, scene, drawn);
        }
    }
    core_svg_add(text, boxes ? "<path fill-rule=\"nonzero\" d=\"" : "");
    for (uint32_t i = 0; boxes && i < scene->count; ++i) {
        const Drawn *drawn = &scene->drawn[i];
        if (drawn->look == look && !(scene->big_shapes && is_big(scene, drawn->box)) &&
            is_in_sample(scene, drawn->collider) && core_svg_sees(pen->page, drawn->box)) {
            draw_box(text, pen->page, drawn->box);
        }
    }
    core_svg_add(text, boxes ? "\"/></g>" : "</g>");
}

static void draw_contacts(SvgText *text, const SvgPage *page, const Scene *scene, double size) {
    if (scene->contact_count == 0) {
        return;
    }
    uint32_t stride = scene->contact_count / MAX_DOTS + 1;
    core_svg_add_pixels(text, "<path fill=\"none\" stroke=\"#d55e00\" stroke-width=\"", size);
    core_svg_add(text, "\" d=\"");
    for (uint32_t i = 0; i < scene->contact_count; i += stride) {
        PhVec2 point = {scene->contacts[i].point[0], scene->contacts[i].point[1]};
        if (core_svg_sees(page, (PhAabb){point, point})) {
            core_svg_dot(text, core_svg_place(page, point));
        }
    }
    core_svg_add(text, "\"/>");
}

typedef struct JointSheet {
    SvgText *text;
    const SvgPage *page;
    CoreJointPrimitive stroke; // the only ones
} JointSheet;

static void draw_stroke(void *context, CoreJointPrimitive stroke, const PhVec2 *points, int count) {
    const JointSheet *sheet = context;
    PhAabb box = {points[0], points[0]};
    for (int i = 1; i < count; ++i) {
        box = ph_union(box, (PhAabb){points[i], points[i]});
    }
    if (stroke != sheet->stroke || !is_finite_box(box) || !core_svg_sees(sheet->page, box)) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        PhVec2 pixel = core_svg_place(sheet->page, points[i]);
        core_svg_add_pixels(sheet->text, i > 0 ? "L" : "M", pixel.x);
        core_svg_add_pixels(sheet->text, " ", pixel.y);
    }
}

// One in so many of the joints of the scene is drawn; 0: there are none.
static uint32_t joint_stride(const Scene *scene) {
    uint32_t count = ph_joint_count(scene->world);
    return count == 0 || scene->collider != PH_NULL ? 0 : 1 + (count - 1) / MAX_JOINTS;
}

static void draw_joints(SvgText *text, const SvgPage *page, const Scene *scene) {
    static const char *const styles[(PRIMITIVE_LIMIT + 1)] = {
        [PRIMITIVE_STEM] = "stroke=\"#8c8c8c\" stroke-width=\"0.8\"",
        [PRIMITIVE_LINE] = "stroke=\"#00916a\" stroke-width=\"1.5\"",
        [PRIMITIVE_DASH] = "stroke=\"#00916a\" stroke-width=\"1\" stroke-dasharray=\"4 3\"",
        [PRIMITIVE_LIMIT] = "stroke=\"#b0479a\" stroke-width=\"1.5\"",
    };
    uint32_t stride = joint_stride(scene);
    double size = scene->typical * page->scale; // marks of 3 to 14 pixels
    double reach = fmin(fmax(0.45 * size, 3), 14) / page->scale;
    for (int stroke = 0; stride > 0 && stroke < (PRIMITIVE_LIMIT + 1); ++stroke) {
        JointSheet sheet = {text, page, (CoreJointPrimitive)stroke};
        core_svg_add(text, "<path fill=\"none\" stroke-linecap=\"round\" ");
        core_svg_add(text, styles[stroke]);
        core_svg_add(text, " d=\"");
        for (uint32_t i = 0; i < ph_joint_limit(scene->world); i += stride) {
            if (ph_joint_alive(scene->world, i) &&
                is_of_scene(scene, ph_joint_get(scene->world, i))) {
                core_joint_primitives(scene->world, i, reach, draw_stroke, &sheet);
            }
        }
        core_svg_add(text, "\"/>");
    }
}

// The centre of mass of a dynamic body: a cross.
static void draw_center(SvgText *text, const SvgPage *page, const Scene *scene) {
    const PhState *state = ph_world_state(scene->world);
    PhBodyInfo info;
    if (state->kind[scene->slot] != PH_DYNAMIC ||
        ph_body_info(scene->world, ph_body_id(scene->world, scene->slot), &info) != PH_OK) {
        return;
    }
    PhVec2 center = ph_apply(ph_body_transform(scene->world, scene->slot), info.center_local);
    if (core_svg_sees(page, (PhAabb){center, center})) {
        PhVec2 pixel = core_svg_place(page, center);
        core_svg_add_pixels(text, "<path stroke=\"#5f5f5f\" stroke-width=\"1.5\" d=\"M",
                            pixel.x - 4);
        core_svg_add_pixels(text, " ", pixel.y);
        core_svg_add_pixels(text, "h8M", pixel.x);
        core_svg_add_pixels(text, " ", pixel.y - 4);
        core_svg_add(text, "v8\"/>");
    }
}

static void draw(SvgText *text, Scene *scene) {
    bool all = scene->slot == PH_NULL;
    SvgPage page = core_svg_page(find_view(scene), all ? 480 : 240, all ? 360 : 180);
    SvgPen pen = {.text = text, .page = &page};
    choose_share(scene, &page);
    double line = fmin(fmax(24 / sqrt(scene->count + 1.0), 0.25), 1.2);
    core_svg_open(text, &page);
    for (int look = 0; look < LOOK_COUNT; ++look) {
        draw_look(&pen, scene, (Look)look, line);
    }
    draw_joints(text, &page, scene);
    draw_contacts(text, &page, scene, fmin(fmax(0.22 * scene->typical * page.scale, 1.5), 6));
    if (!all && scene->collider == PH_NULL) {
        draw_center(text, &page, scene);
    }
    core_svg_close(text);
    core_svg_free_pen(&pen);
}

// -----------------------------------------------------------------------------------------------
// captions

static void add_count(SvgText *text, const char *before, uint32_t count, const char *after) {
    if (count > 0) {
        core_svg_add(text, before);
        core_svg_add_integer(text, count);
        core_svg_add(text, after);
    }
}

static void add_world_caption(SvgText *text, const Scene *scene) {
    uint32_t bodies = ph_world_body_count(scene->world);
    core_svg_add(text, "World of ");
    core_svg_add_integer(text, bodies);
    core_svg_add_number(text, bodies == 1 ? " body at " : " bodies at ",
                        ph_world_time(scene->world));
    core_svg_add(text, " s");
}

static void add_body_caption(SvgText *text, const Scene *scene) {
    const PhState *state = ph_world_state(scene->world);
    uint32_t slot = scene->slot;
    const char *name = find_name(scene, slot);
    core_svg_add(text, "Body ");
    core_svg_add_integer(text, slot);
    if (name != NULL) {
        core_svg_add(text, " \"");
        core_svg_add(text, name);
        core_svg_add(text, "\"");
    }
    core_svg_add(text, ": ");
    core_svg_add(text, core_kind_names[state->kind[slot]]);
    if (state->kind[slot] == PH_DYNAMIC) {
        core_svg_add(text, state->awake[slot] ? "" : ", asleep");
        core_svg_add_number(text, ", ", state->mass[slot]);
        core_svg_add(text, " kg");
    }
    core_svg_add_number(text, ", at (", state->position[slot][0]);
    core_svg_add_number(text, ", ", state->position[slot][1]);
    core_svg_add_number(text, ") m, angle ", state->angle[slot]);
    core_svg_add(text, " rad");
}

static void add_collider_caption(SvgText *text, const Scene *scene) {
    PhColliderDef material = ph_collider_material(scene->world, scene->collider);
    core_svg_add(text, material.sensor ? "Sensor collider " : "Collider ");
    core_svg_add_integer(text, scene->collider);
    core_svg_add(text, " of body ");
    core_svg_add_integer(text, scene->slot);
    core_svg_add_number(text, ": density ", material.density);
    core_svg_add_number(text, ", friction ", material.friction);
    core_svg_add_number(text, ", restitution ", material.restitution);
}

static void add_caption(SvgText *text, const Scene *scene) {
    core_svg_add(text, "<div>");
    if (scene->slot == PH_NULL) {
        add_world_caption(text, scene);
    } else if (scene->collider == PH_NULL) {
        add_body_caption(text, scene);
    } else {
        add_collider_caption(text, scene);
    }
    core_svg_add(text, scene->share > 0 ? "; boxes instead of shapes" : "");
    add_count(text, ", about one in ", scene->share > 1 ? scene->share : 0, " drawn");
    add_count(text, "; one joint in ", joint_stride(scene) > 1 ? joint_stride(scene) : 0, " drawn");
    add_count(text, "; one contact point in ",
              scene->contact_count > MAX_DOTS ? scene->contact_count / MAX_DOTS + 1 : 0, " drawn");
    add_count(text, "; far away and not seen: ", scene->unseen, "");
    add_count(text, "; without a finite pose: ", scene->lost, "");
    core_svg_add(text, "</div>");
}

// -----------------------------------------------------------------------------------------------
// entry

// Whether the gate was entered. False with no exception set: the world is inside its own step.
static bool enter_if_open(WorldObject *self) {
    if (core_is_inside(self)) {
        return false;
    }
    if (core_enter(self)) {
        return true;
    }
    if (PyErr_ExceptionMatches(core_error(self->core, ERROR_WORLD_LOCKED))) {
        PyErr_Clear();
    }
    return false;
}

static bool find_subject(Scene *scene, const HandleObject *handle, CoreType type) {
    if (type == TYPE_BODY && ph_body_valid(scene->world, handle->id)) {
        scene->slot = handle->id.index;
    } else if (type == TYPE_COLLIDER && ph_collider_valid(scene->world, handle->id)) {
        scene->collider = handle->id.index;
        scene->slot = ph_collider_body(scene->world, scene->collider);
    } else {
        return type == TYPE_WORLD;
    }
    return true;
}

// handle is that of a Body or Collider, else NULL.
static PyObject *show(WorldObject *self, const HandleObject *handle, CoreType type, bool html) {
    Scene scene = {.slot = PH_NULL, .collider = PH_NULL};
    SvgText text = {0};
    if (!collect_names(&scene, self) || !enter_if_open(self)) {
        free_scene(&scene);
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    }
    scene.world = self->world;
    PhStatus status = PH_OK;
    bool there = find_subject(&scene, handle, type);
    if (there) {
        core_world_sync(self);
        status = gather(&scene);
        status = status != PH_OK ? status : gather_contacts(&scene);
        if (status == PH_OK) {
            core_svg_add(&text, html ? "<div>" : "");
            draw(&text, &scene);
            if (html) {
                add_caption(&text, &scene);
            }
            core_svg_add(&text, html ? "</div>" : "");
        }
    }
    core_leave(self);
    text.failed = text.failed || scene.names.failed || status != PH_OK;
    free_scene(&scene);
    if (!there) {
        Py_RETURN_NONE;
    }
    return core_svg_finish(&text);
}

PyObject *core_world_svg(PyObject *world, PyObject *Py_UNUSED(ignored)) {
    return show((WorldObject *)world, NULL, TYPE_WORLD, false);
}

PyObject *core_world_html(PyObject *world, PyObject *Py_UNUSED(ignored)) {
    return show((WorldObject *)world, NULL, TYPE_WORLD, true);
}

PyObject *core_body_svg(PyObject *body, PyObject *Py_UNUSED(ignored)) {
    const HandleObject *handle = (HandleObject *)body;
    return show(handle->world, handle, TYPE_BODY, false);
}

PyObject *core_body_html(PyObject *body, PyObject *Py_UNUSED(ignored)) {
    const HandleObject *handle = (HandleObject *)body;
    return show(handle->world, handle, TYPE_BODY, true);
}

PyObject *core_collider_svg(PyObject *collider, PyObject *Py_UNUSED(ignored)) {
    const HandleObject *handle = (HandleObject *)collider;
    return show(handle->world, handle, TYPE_COLLIDER, false);
}

PyObject *core_collider_html(PyObject *collider, PyObject *Py_UNUSED(ignored)) {
    const HandleObject *handle = (HandleObject *)collider;
    return show(handle->world, handle, TYPE_COLLIDER, true);
}
