// Force fields of a World: the methods World.add_..., whose handles are in field.c, and explode.
#include "base/memory.h"
#include "python/convert.h"
#include "python/ring_arguments.h"
#include "python/world_methods.h"

// The arguments of World.add_...: the surface of kinds that have one, the kind's parameters (the
// engine's table) and the mask.
enum { MOST_ARGUMENTS = PH_FIELD_PARAMETERS + 2 };

static bool bind(PhFieldKind kind, const char *function, int positional, int required,
                 PyObject *const *args, Py_ssize_t given, PyObject *keywords, PyObject **values) {
    const PhFieldKindInfo *info = ph_field_kind(kind);
    const char *names[MOST_ARGUMENTS] = {"level_or_surface"};
    int count = info->has_surface;
    for (int i = 0; i < PH_FIELD_PARAMETERS && info->parameters[i].name != NULL; ++i) {
        names[count++] = info->parameters[i].name;
    }
    names[count++] = "mask";
    const CoreSignature signature = {function, names, count, positional, required};
    return core_bind(&signature, args, given, keywords, values);
}

// values: those of the kind's parameters in their order, then the mask; NULL where not given.
static PyObject *add_field(WorldObject *self, PhFieldKind kind, const PhSurface *surface,
                           PyObject *const *values) {
    PhFieldDef def = ph_field_def(kind);
    const PhFieldParameter *parameters = ph_field_kind(kind)->parameters;
    int count = 0;
    for (; count < PH_FIELD_PARAMETERS && parameters[count].name != NULL; ++count) {
        const PhFieldParameter *parameter = &parameters[count];
        if (values[count] != NULL && !core_to_values(values[count], parameter->name,
                                                     parameter->width, def.value + parameter->at)) {
            return NULL;
        }
    }
    if (values[count] != NULL && !core_to_bits(values[count], "mask", &def.mask)) {
        return NULL;
    }
    if (surface != NULL) {
        def.surface = *surface;
    }
    PyObject *handle = core_handle_blank(self, core_field_type(kind));
    if (handle == NULL || !core_enter_to_change(self)) {
        Py_XDECREF(handle);
        return NULL;
    }
    PhId id;
    PhError error;
    PhStatus status = ph_field_create(self->world, &def, &id, &error);
    core_leave(self);
    if (status != PH_OK) {
        Py_DECREF(handle);
        return core_raise(self->core, &error);
    }
    return core_handle_give(handle, id);
}

const char core_world_add_fluid_doc[] =
    "add_fluid($self, level_or_surface, density, drag=1.0, *, quadratic_drag=0.0, flow=(0, 0),\n"
    "          mask=18446744073709551615)\n--\n\n"
    "Fill everything under a surface with a fluid.\n\n"
    "A body is lifted at the centroid of its submerged area with the weight of what it displaces,\n"
    "against gravity. Areas are exact for every shape; sensors, segments and chains displace\n"
    "nothing. Every bit of submerged area is dragged along with the flow, with the force (drag +\n"
    "quadratic_drag |v - flow|) (flow - v) per displaced mass. Where fluids overlap they add up.\n"
    "Wakes what it reaches.\n\n"
    "Parameters\n----------\n"
    "level_or_surface : float or array_like, shape (n, 2)\n"
    "    The height of a flat surface, or points of a polyline with increasing x that goes on\n"
    "    flat beyond its ends; metres, world.\n"
    "density : float\n    kg/m^2, >= 0. A body of half that density floats half submerged.\n"
    "drag : float\n    1/s, >= 0: rate at which a body as dense as the fluid loses speed.\n"
    "quadratic_drag : float\n    1/m, >= 0.\n"
    "flow : array_like, shape (2,)\n    Velocity of the fluid, m/s.\n"
    "mask : int\n    Only colliders with category & mask != 0.\n\n"
    "Returns\n-------\n"
    "Fluid\n    World.remove takes it away.\n\n"
    "Raises\n------\n"
    "ValueError\n    For NaN, a number out of range, or a surface whose x does not increase.\n\n"
    "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> water = world.add_fluid(0, density=2)\n"
    ">>> raft = world.add_body(Box(2, 1), (0, 1))\n"
    ">>> world.step(n=1200)\n"
    ">>> bool(abs(raft.position[1]) < 1e-3)\n"
    "True";

PyObject *core_world_add_fluid(PyObject *object, PyObject *const *args, Py_ssize_t count,
                               PyObject *keywords) {
    WorldObject *self = (WorldObject *)object;
    PyObject *values[MOST_ARGUMENTS];
    PhSurface surface;
    if (!bind(PH_FIELD_FLUID, "add_fluid", 3, 2, args, count, keywords, values)) {
        return NULL;
    }
    PyArrayObject *array = core_to_surface(self->core, values[0], "level_or_surface", &surface);
    PyObject *field = array != NULL ? add_field(self, PH_FIELD_FLUID, &surface, values + 1) : NULL;
    Py_XDECREF(array);
    return field;
}

const char core_world_add_drag_doc[] =
    "add_drag($self, *, linear=0.0, quadratic=0.0, clamped=0.0, angular=0.0,\n"
    "         mask=18446744073709551615)\n--\n\n"
    "Let still air resist the motion of bodies.\n\n"
    "Implicit in time: no coefficient ever turns a velocity round. At least one must be given;\n"
    "they add up. Wakes what it reaches.\n\n"
    "Parameters\n----------\n"
    "linear : float\n    Force -linear v at the centre of mass; N s/m, >= 0.\n"
    "quadratic : float\n    Force -quadratic |v| v; N s^2/m^2, >= 0.\n"
    "clamped : float\n    A velocity v loses clamp_magnitude(v, 1) clamped dt in a step, whatever "
    "the mass; 1/s, >= 0.\n"
    "angular : float\n    Torque -angular times the angular velocity; N m s, >= 0.\n"
    "mask : int\n    Only bodies that have a collider with category & mask != 0, or none at "
    "all.\n\n"
    "Returns\n-------\n"
    "Drag\n    World.remove takes it away.\n\n"
    "Raises\n------\n"
    "ValueError\n    For NaN or a number out of range.\n"
    "TypeError\n    For no coefficient at all.\n\n"
    "Examples\n--------\n"
    ">>> world = World(gravity=(0, -10))\n"
    ">>> air = world.add_drag(linear=2)\n"
    ">>> stone = world.add_body(Circle(1), mass=3)\n"
    ">>> world.step(n=1200)\n"
    ">>> bool(abs(stone.velocity[1] + 3 * 10 / 2) < 1e-3)\n"
    "True";

PyObject *core_world_add_drag(PyObject *object, PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords) {
    PyObject *values[MOST_ARGUMENTS];
    if (!bind(PH_FIELD_DRAG, "add_drag", 0, 0, args, count, keywords, values)) {
        return NULL;
    }
    if (values[0] == NULL && values[1] == NULL && values[2] == NULL && values[3] == NULL) {
        PyErr_SetString(PyExc_TypeError, "add_drag() missing a coefficient: linear, quadratic, "
                                         "clamped or angular");
        return NULL;
    }
    return add_field((WorldObject *)object, PH_FIELD_DRAG, NULL, values);
}

const char core_world_add_wind_doc[] =
    "add_wind($self, velocity, density=1.2, *, drag=0.5, lift=1.0, mask=18446744073709551615)\n"
    "--\n\n"
    "Let wind blow, or still air resist, by the outlines of bodies.\n\n"
    "Where the outline faces the relative flow u, a bit ds of it with the outward normal n feels\n"
    "density / 2 (-u . n) (drag u - lift |u| n) ds at its place: drag along the flow, and a\n"
    "pressure that also has a part across it. Torques follow: a vane turns into the wind. Exact\n"
    "for edges, circles, capsules and rounded corners of bodies that do not spin fast. Implicit "
    "in\n"
    "time: in the frame of the air, a body that only wind acts on never gains energy. Sensors and\n"
    "holes feel nothing, chains on their free side. Winds add up. Wakes what it reaches.\n\n"
    "Parameters\n----------\n"
    "velocity : array_like, shape (2,)\n    Velocity of the air, m/s; (0, 0) is still air.\n"
    "density : float\n    Density of the air, kg/m^2, >= 0.\n"
    "drag : float\n    Coefficient of the force along the flow, >= 0.\n"
    "lift : float\n    Coefficient of the pressure, >= 0. A box that faces the flow has a drag\n"
    "    coefficient of drag + lift, a circle of drag + pi / 4 lift.\n"
    "mask : int\n    Only colliders with category & mask != 0.\n\n"
    "Returns\n-------\n"
    "Wind\n    World.remove takes it away.\n\n"
    "Raises\n------\n"
    "ValueError\n    For NaN or a number out of range.\n\n"
    "Examples\n--------\n"
    ">>> world = World(gravity=(0, -10))\n"
    ">>> air = world.add_wind((3, 0), density=1.2, drag=0.5, lift=1)\n"
    ">>> box = world.add_body(Box(1, 1), mass=0.9, fixed_rotation=True)\n"
    ">>> world.step(n=1200)\n"
    ">>> bool(abs(box.velocity[0] - 3) < 1e-3)\n"
    "True\n"
    ">>> bool(abs(box.velocity[1] ** 2 - 0.9 * 10 / (0.5 * 1.2 * 1.5)) < 1e-3)\n"
    "True";

PyObject *core_world_add_wind(PyObject *object, PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords) {
    PyObject *values[MOST_ARGUMENTS];
    if (!bind(PH_FIELD_WIND, "add_wind", 2, 1, args, count, keywords, values)) {
        return NULL;
    }
    return add_field((WorldObject *)object, PH_FIELD_WIND, NULL, values);
}

const char core_world_add_point_gravity_doc[] =
    "add_point_gravity($self, center, strength, *, power=2, softening=0.0, radius=1e15,\n"
    "                  mask=18446744073709551615)\n--\n\n"
    "Draw bodies towards a point.\n\n"
    "The acceleration of a centre of mass at the distance d is strength / s^power times d / s,\n"
    "s^2 = d^2 + softening^2, times the body's gravity_scale; there is no torque. It is kept "
    "below\n"
    "d / (30 dt^2), d / dt^2 with power < 0, so that nothing is thrown out of the center. Wakes\n"
    "what it reaches.\n\n"
    "Parameters\n----------\n"
    "center : array_like, shape (2,)\n    World point, metres.\n"
    "strength : float\n"
    "    m^(1 + power) / s^2: the acceleration at 1 m; G M of a planet with power=2. Negative\n"
    "    drives away.\n"
    "power : int\n"
    "    -8 to 8. 2 is Newton's law, 1 that of a flat world, 0 the same pull everywhere, -1 a\n"
    "    spring.\n"
    "softening : float\n    Metres, >= 0: Plummer's radius, within which the pull gets less.\n"
    "radius : float\n    Metres, >= 0: bodies further away are left alone.\n"
    "mask : int\n    Only bodies that have a collider with category & mask != 0, or none at "
    "all.\n\n"
    "Returns\n-------\n"
    "PointGravity\n    World.remove takes it away.\n\n"
    "Raises\n------\n"
    "ValueError\n    For NaN or a number out of range, or a power that is not whole.\n\n"
    "Examples\n--------\n"
    ">>> world = World(gravity=(0, 0))\n"
    ">>> sun = world.add_point_gravity((0, 0), strength=100)\n"
    ">>> planet = world.add_body(Circle(0.1), (4, 0), velocity=(0, 5))\n"
    ">>> world.step(n=600)\n"
    ">>> bool(abs((planet.position ** 2).sum() - 16) < 1e-2)\n"
    "True";

PyObject *core_world_add_point_gravity(PyObject *object, PyObject *const *args, Py_ssize_t count,
                                       PyObject *keywords) {
    PyObject *values[MOST_ARGUMENTS];
    if (!bind(PH_FIELD_POINT_GRAVITY, "add_point_gravity", 2, 2, args, count, keywords, values)) {
        return NULL;
    }
    return add_field((WorldObject *)object, PH_FIELD_POINT_GRAVITY, NULL, values);
}

const char core_world_explode_doc[] =
    "explode($self, center, radius, impulse, falloff=0.0, *, mask=18446744073709551615)\n--\n\n"
    "Push away what is near a point, once.\n\n"
    "A collider in reach gets an impulse at its point nearest to the center, straight away from\n"
    "it: `impulse` per metre of its width across that direction (as far as it lies in reach), in\n"
    "full up to `radius`, then less and less until radius + falloff. So it turns what it hits off\n"
    "its middle. Nothing is in the lee of anything. Where the center lies inside of a collider, "
    "the\n"
    "impulse acts at the center, towards the collider's centroid. Sensors and bodies that are not\n"
    "dynamic or not enabled are left alone. Wakes what it hits.\n\n"
    "Parameters\n----------\n"
    "center : array_like, shape (2,)\n    World point, metres.\n"
    "radius : float\n    Metres, >= 0.\n"
    "impulse : float\n    N s per metre; negative draws in.\n"
    "falloff : float\n    Metres, >= 0.\n"
    "mask : int\n    Only colliders with category & mask != 0.\n\n"
    "Returns\n-------\n"
    "ndarray\n"
    "    A row per collider that was hit, by index: body, collider, distance (m, 0 around the\n"
    "    center), point (m, world), impulse (N s).\n\n"
    "Raises\n------\n"
    "ValueError\n    For NaN or a number out of range.\n\n"
    "Examples\n--------\n"
    ">>> world = World(gravity=(0, 0))\n"
    ">>> box = world.add_body(Box(1, 1), (3, 0), mass=2)\n"
    ">>> world.explode((0, 0), radius=2, impulse=8, falloff=2)['impulse']\n"
    "array([[6., 0.]])\n"
    ">>> box.velocity\n"
    "array([3., 0.])";

PyObject *core_world_explode(PyObject *object, PyObject *const *args, Py_ssize_t count,
                             PyObject *keywords) {
    CORE_ARGUMENTS("explode", 4, 3, "center", "radius", "impulse", "falloff", "mask");
    WorldObject *self = (WorldObject *)object;
    PhExplosionDef def = {.mask = UINT64_MAX};
    if (!core_bind(&signature, args, count, keywords, values) ||
        !core_to_vec2(values[0], "center", &def.center) ||
        !core_to_double(values[1], "radius", &def.radius) ||
        !core_to_double(values[2], "impulse", &def.impulse) ||
        (values[3] != NULL && !core_to_double(values[3], "falloff", &def.falloff)) ||
        (values[4] != NULL && !core_to_bits(values[4], "mask", &def.mask)) ||
        !core_enter_to_change(self)) {
        return NULL;
    }
    PhExplosionRow *rows = NULL;
    uint32_t hits = 0;
    PhError error;
    core_world_sync(self);
    ph_world_set_stop(self->world, &core_listening);
    PhStatus status = ph_explosion_find(self->world, &def, &rows, &hits, &error);
    ph_world_set_stop(self->world, NULL);
    // Before the first change; an array of numbers runs no Python code.
    PyObject *array =
        status == PH_OK ? core_rows(self->core, ROW_EXPLOSION, rows, (Py_ssize_t)hits) : NULL;
    if (array != NULL) {
        ph_explosion_apply(self->world, rows, hits);
    }
    core_leave(self);
    if (status != PH_OK) {
        return core_raise(self->core, &error);
    }
    ph_free(rows);
    return array;
}
