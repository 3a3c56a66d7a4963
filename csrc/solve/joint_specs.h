// What the files of several kinds of joints say alike: parameters, readings, and paragraphs of what
// users read.
#ifndef PH_SOLVE_JOINT_SPECS_H
#define PH_SOLVE_JOINT_SPECS_H

#include <math.h>

#include "solve/joint_records.h"

// ------------------------------------------------------------------------------------------------
// parameters

// Of a coordinate, in metres or radians; of a length, worked out where it is not told any. A kind
// that has limits has both, lower first.
#define PH_JOINT_LIMITS(of_what)                                                                   \
    {"lower",                                                                                      \
     PH_JOINT_LOWER,                                                                               \
     1,                                                                                            \
     -INFINITY,                                                                                    \
     -INFINITY,                                                                                    \
     .infinite = true,                                                                             \
     .doc = "Lower limit, " of_what "; -inf (or None): none."},                                    \
        PH_JOINT_UPPER_LIMIT(of_what, -INFINITY, INFINITY)
#define PH_JOINT_LENGTH_LIMITS                                                                     \
    {"lower", PH_JOINT_LOWER, 1, 0, NAN, .doc = "Lower limit, metres, >= 0; 0 (or None): none."},  \
        PH_JOINT_UPPER_LIMIT("metres, >= 0", 0, NAN)
#define PH_JOINT_UPPER_LIMIT(of_what, least, initial)                                              \
    {                                                                                              \
        "upper", PH_JOINT_UPPER, 1, least, initial,                                                \
            .infinite = true, .doc = "Upper limit, " of_what "; inf (or None): none."              \
    }
#define PH_JOINT_MOTOR_OF(of_what, most, what)                                                     \
    {"motor_speed",                                                                                \
     PH_JOINT_SPEED,                                                                               \
     1,                                                                                            \
     -INFINITY,                                                                                    \
     0,                                                                                            \
     .doc = "Speed that the motor aims at, " of_what "."},                                         \
    {                                                                                              \
        most, PH_JOINT_MAX_MOTOR, 1, 0, 0,                                                         \
            .infinite = true, .doc = "The most that the motor " what ", >= 0; 0: no motor."        \
    }
#define PH_JOINT_SPRING_OF(hertz, ratio, of)                                                       \
    {"spring_hertz",                                                                               \
     PH_JOINT_HERTZ,                                                                               \
     1,                                                                                            \
     0,                                                                                            \
     hertz,                                                                                        \
     .doc = "Frequency of the spring of the " of ", Hz, >= 0; 0: none."},                          \
    {                                                                                              \
        "spring_damping_ratio", PH_JOINT_ZETA, 1, 0, ratio,                                        \
            .doc = "Damping ratio of the spring, >= 0; 1 is critical."                             \
    }
#define PH_JOINT_ELASTIC(per_way, per_speed)                                                       \
    {"stiffness",                                                                                  \
     PH_JOINT_STIFFNESS,                                                                           \
     1,                                                                                            \
     0,                                                                                            \
     0,                                                                                            \
     .doc = "Stiffness of the spring, " per_way ", >= 0; spring_hertz follows from it. 0: it was " \
            "given as spring_hertz."},                                                             \
    {                                                                                              \
        "damping", PH_JOINT_DAMPING, 1, 0, 0,                                                      \
            .doc = "Damping of the spring, " per_speed ", >= 0; with stiffness 0 it is a damper."  \
    }
#define PH_JOINT_TURN_ELASTIC                                                                      \
    {"angular_stiffness",                                                                          \
     PH_JOINT_TURN_STIFFNESS,                                                                      \
     1,                                                                                            \
     0,                                                                                            \
     0,                                                                                            \
     .doc = "Stiffness of the angle's own spring, N m/rad, >= 0; angular_spring_hertz follows "    \
            "from it. 0: it was given as angular_spring_hertz."},                                  \
    {                                                                                              \
        "angular_damping", PH_JOINT_TURN_DAMPING, 1, 0, 0,                                         \
            .doc = "Damping of the angle's own spring, N m s/rad, >= 0; with stiffness 0 it is "   \
                   "a damper."                                                                     \
    }
#define PH_JOINT_REST_AT_0(what)                                                                   \
    { "spring_target", PH_JOINT_TARGET, 1, -INFINITY, 0, .doc = what }
#define PH_JOINT_MOST_FORCE                                                                        \
    {                                                                                              \
        "max_force", PH_JOINT_MAX_FORCE, 1, 0, INFINITY,                                           \
            .infinite = true,                                                                      \
            .doc = "Largest force of its pull, N, >= 0; inf (or None): unbounded."                 \
    }
#define PH_JOINT_HOLDS_WITH_FORCE                                                                  \
    {                                                                                              \
        "max_force", PH_JOINT_MAX_FORCE, 1, 0, INFINITY,                                           \
            .infinite = true,                                                                      \
            .doc = "The most that it holds with, N, >= 0; inf (or None): any. With a bound it is " \
                   "a spring of its joint_hertz, or the world's, where it has no other."           \
    }
#define PH_JOINT_HOLDS_WITH_TORQUE                                                                 \
    {                                                                                              \
        "max_torque", PH_JOINT_MAX_TORQUE, 1, 0, INFINITY,                                         \
            .infinite = true,                                                                      \
            .doc = "The most that it holds the angle with, N m, >= 0; inf (or None): any."         \
    }
#define PH_JOINT_TUNING                                                                            \
    {"joint_hertz",                                                                                \
     PH_JOINT_TUNED_HERTZ,                                                                         \
     1,                                                                                            \
     0,                                                                                            \
     NAN,                                                                                          \
     .optional = true,                                                                             \
     .nonzero = true,                                                                              \
     .doc = "Frequency of the spring that holds in place of an exact solution, Hz, > 0. None: "    \
            "the world's; if joint_damping_ratio is None too, it holds exactly."},                 \
    {                                                                                              \
        "joint_damping_ratio", PH_JOINT_TUNED_ZETA, 1, 0, NAN,                                     \
            .optional = true,                                                                      \
            .doc = "Damping ratio of that spring, >= 0; 1 is critical; None: the world's."         \
    }
#define PH_JOINT_BREAK_BY_FORCE                                                                    \
    {                                                                                              \
        "break_force", PH_JOINT_BREAK_FORCE, 1, 0, INFINITY,                                       \
            .infinite = true,                                                                      \
            .doc =                                                                                 \
                "The joint breaks when |force| of a step is more, N, >= 0; inf (or None): never."  \
    }
#define PH_JOINT_BREAK_BY_TORQUE                                                                   \
    {                                                                                              \
        "break_torque", PH_JOINT_BREAK_TORQUE, 1, 0, INFINITY,                                     \
            .infinite = true,                                                                      \
            .doc = "The joint breaks when |torque| of a step is more, N m, >= 0; inf (or None): "  \
                   "never."                                                                        \
    }

// ------------------------------------------------------------------------------------------------
// readings

#define PH_JOINT_ANGLE                                                                             \
    {                                                                                              \
        "angle", PH_JOINT_READ_ANGLE,                                                              \
            "Angle of b relative to a, radians, 0 when the joint was made."                        \
    }
#define PH_JOINT_ANGLE_THAT_COUNTS                                                                 \
    {                                                                                              \
        "angle", PH_JOINT_READ_POSITION,                                                           \
            "Angle of b relative to a, radians, 0 at the start; counts full turns."                \
    }
#define PH_JOINT_SLIDE                                                                             \
    {"axis", PH_JOINT_READ_AXIS,                                                                   \
     "Direction of the axis now, shape (2,), unit, world; it turns with a."},                      \
    {                                                                                              \
        "translation", PH_JOINT_READ_POSITION,                                                     \
            "Displacement of b along the axis from the anchor of a, metres."                       \
    }

// ------------------------------------------------------------------------------------------------
// paragraphs of docstrings

#define TELL_BODIES                                                                                \
    "a : Body or None\n    None: the world, which does not move.\n"                                \
    "b : Body\n"
#define TELL_ANCHOR                                                                                \
    "anchor : array_like, shape (2,), optional\n"                                                  \
    "    World point at which both are held; default: the position of b.\n"                        \
    "anchor_a, anchor_b : array_like, shape (2,), optional\n"                                      \
    "    Instead: two world points that the joint brings together.\n"
#define TELL_LOCAL                                                                                 \
    "local_anchor_a, local_anchor_b : array_like, shape (2,), optional\n"                          \
    "    Instead of world points: points in the frames of the bodies, metres.\n"
#define TELL_REFERENCE                                                                             \
    "reference_angle : float, optional\n"                                                          \
    "    Angle of b less that of a where the joint's angle is 0, radians; default: as it is "      \
    "now.\n"
#define TELL_DATA "user_data : object, optional\n    Anything.\n"
#define TELL_COLLIDE                                                                               \
    "collide_connected : bool\n    Whether the two bodies may collide with each "                  \
    "other.\n" TELL_DATA
#define TELL_SPRINGS                                                                               \
    "spring_hertz : float\n"                                                                       \
    "    Frequency of the bodies on this spring, were they alone, Hz; 0: no spring.\n"             \
    "spring_damping_ratio : float\n    1 is critical.\n"
#define TELL_ELASTIC(per_way, per_speed)                                                           \
    "stiffness, damping : float\n"                                                                 \
    "    Instead of both: " per_way " and " per_speed "; damping alone is a damper.\n"
#define TELL_ELASTIC_APART(other)                                                                  \
    "stiffness, damping : float\n"                                                                 \
    "    Of the place, N/m and N s/m, equal in all directions, instead of hertz and ratio.\n"      \
    "angular_stiffness, angular_damping : float\n"                                                 \
    "    Of the angle, N m/rad and N m s/rad; with those of the place alone, it is " other ".\n"
#define TELL_HOLDS_BY(name, what)                                                                  \
    name " : float, optional\n"                                                                    \
         "    The most that it " what "; what pulls more moves it. With a bound it holds by a\n"   \
         "    spring as stiff as joint_hertz says, where it has no other. Default: any.\n"
#define TELL_TUNING                                                                                \
    "joint_hertz, joint_damping_ratio : float, optional\n"                                         \
    "    What max_force and max_torque bound is held by a spring of this frequency (Hz, > 0)\n"    \
    "    and damping ratio; where one is given, the other is the world's. Default: hold "          \
    "exactly.\n"
#define TELL_HOLDS TELL_HOLDS_BY("max_force", "holds with, N")
#define TELL_BREAKS                                                                                \
    "break_force, break_torque : float, optional\n"                                                \
    "    The joint breaks, and is removed, when the mean force (N) or torque (N m) of a step is\n" \
    "    more; events.joint_break tells. Default: never. In that step it still holds with all\n"   \
    "    that it takes; a max_force a little above bounds it.\n"
#define TELL_ERRORS                                                                                \
    "Raises\n------\n"                                                                             \
    "ValueError\n    For NaN, a number out of range, one body twice, or a body of another "        \
    "world.\n"                                                                                     \
    "TypeError\n    For what is no body or no number.\n"                                           \
    "RemovedError\n    For a body that has been removed.\n\n"

#endif
