// Small helpers for games, for pyphys2d.geometry: angles, aiming, jumping. For each an element
// function, its arguments and its docstring.
#include <math.h>

#include "geometry/points.h"
#include "math/trig.h"
#include "python/elementwise.h"
#include "python/geometry_functions.h"

const char core_geometry_direction_doc[] =
    "direction($module, angle, *, out=None)\n--\n\n"
    "Unit vectors at angles, by the engine's own sine and cosine: the same bits everywhere.\n\n"
    "Parameters\n----------\n"
    "angle : array_like, shape (...)\n    Radians, counter-clockwise from the x "
    "axis.\n" CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "ndarray, shape (..., 2)\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> direction(0.0)\n"
    "array([1., 0.])";

static void direction_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    PhRot q = ph_rot(*in[0]);
    core_put_vec2(out, ph_vec(q.c, q.s));
}

CORE_ELEMENTWISE(direction, CORE_NAMES("angle", "out"), 1, CELL_VECTOR, CORE_NUMBER)

const char core_geometry_heading_doc[] =
    "heading($module, vector, *, out=None)\n--\n\n"
    "The angle of a vector, in (-pi, pi]; 0 for (0, 0).\n\n"
    "Parameters\n----------\n"
    "vector : array_like, shape (..., 2)\n" CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "float or ndarray, shape (...)\n    Radians, counter-clockwise from the x axis.\n"
    "\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> heading((-1, 0))\n"
    "3.141592653589793";

static void heading_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    *(double *)out = ph_atan2(in[0][1], in[0][0]);
}

CORE_ELEMENTWISE(heading, CORE_NAMES("vector", "out"), 1, CELL_NUMBER, CORE_VECTOR)

const char core_geometry_wrap_angle_doc[] =
    "wrap_angle($module, angle, *, out=None)\n--\n\n"
    "The same direction as an angle in (-pi, pi].\n\n"
    "An angle that is there already stays as it is. Up to 1e6 radians, whole turns of the exact\n"
    "2 pi are taken off; beyond, turns of the float64 nearest to 2 pi.\n\n"
    "Parameters\n----------\n"
    "angle : array_like, shape (...)\n    Radians.\n" CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "float or ndarray, shape (...)\n    Radians.\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> import math\n"
    ">>> wrap_angle(-math.pi)\n"
    "3.141592653589793";

static void wrap_angle_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    *(double *)out = ph_wrap_angle(*in[0]);
}

CORE_ELEMENTWISE(wrap_angle, CORE_NAMES("angle", "out"), 1, CELL_NUMBER, CORE_NUMBER)

const char core_geometry_jump_velocity_doc[] =
    "jump_velocity($module, height, gravity=9.81, *, out=None)\n--\n\n"
    "The upward speed at take-off that reaches a height: sqrt(2 |gravity| height).\n\n"
    "Parameters\n----------\n"
    "height : array_like, shape (...)\n    Metres, >= 0.\n"
    "gravity : array_like, shape (...)\n    m/s^2; its sign does not matter.\n" CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "float or ndarray, shape (...)\n    m/s.\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> jump_velocity(5, gravity=-10)\n"
    "10.0";

static void jump_velocity_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    double gravity = in[1] != NULL ? fabs(*in[1]) : 9.81;
    *(double *)out = sqrt(2 * gravity * *in[0]);
}

CORE_ELEMENTWISE(jump_velocity, CORE_NAMES("height", "gravity", "out"), 1, CELL_NUMBER,
                 CORE_NOT_NEGATIVE, CORE_NUMBER)

const char core_geometry_lead_target_doc[] =
    "lead_target($module, shooter, target, target_velocity, speed, *, out=None)\n--\n\n"
    "Where to aim so that a shot meets a moving target soonest.\n\n"
    "Parameters\n----------\n"
    "shooter, target : array_like, shape (..., 2)\n    Positions, metres.\n"
    "target_velocity : array_like, shape (..., 2)\n    m/s.\n"
    "speed : array_like, shape (...)\n    Speed of the shot, m/s, >= 0.\n" CORE_OUT_DOC "\n"
    "Returns\n-------\n"
    "ndarray, shape (..., 2), or None\n    Where they meet. When they cannot: None for a single\n"
    "    call, (NaN, NaN) in arrays.\n\n" CORE_RAISES_DOC "\n"
    "Examples\n--------\n"
    ">>> lead_target((0, 0), (0, 4), (3, 0), speed=5)\n"
    "array([3., 4.])\n"
    ">>> lead_target((0, 0), (0, 4), (3, 0), speed=2) is None\n"
    "True";

static void lead_target_of(const double *const *in, int32_t Py_UNUSED(n), void *out) {
    core_put_vec2(out, ph_lead_target(core_cell_vec2(in[0]), core_cell_vec2(in[1]),
                                      core_cell_vec2(in[2]), in[3][0]));
}

static const char *const lead_names[] = {"shooter", "target", "target_velocity", "speed", "out"};
static const CoreFunction lead_target_function = {
    .signature = {"lead_target", lead_names, 5, 4, 4},
    .input_count = 4,
    .inputs = {{.cell = CELL_VECTOR},
               {.cell = CELL_VECTOR},
               {.cell = CELL_VECTOR},
               {.cell = CELL_NUMBER, .refuse = core_refuse_negative}},
    .result = CELL_VECTOR,
    .element = lead_target_of,
    .none = true,
};
CORE_ELEMENTWISE_METHOD(lead_target)
