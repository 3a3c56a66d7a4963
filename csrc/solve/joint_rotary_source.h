// Rotary joint: the angle of b against a has limits, a motor or a spring; no points are held.
//
// The row is the angle a_b - a_a, as the third one of the revolute joint: forces come in pairs of
// opposite torques, so the momentum of both bodies stays.
#ifdef PH_JOINT_EQUATIONS

PH_FOUR_INLINE int rows_of_rotary(const Terms *terms, const Pose *pose,
                                  ConstraintRow rows[PH_JOINT_ROWS]) {
    (void)terms;
    row_couple(&rows[0], pose->angle);
    return 1;
}

#else

static void draw_rotary(const PhJointDrawing *to) {
    PhVec2 center = to->pose[1].p;
    PhRot now = ph_rot(to->angle);
    ph_draw_circle(to, PH_JOINT_DASH, center, 0.65 * to->mark);
    ph_draw_line(to, PH_JOINT_LINE, center,
                 ph_mul_add(center, 0.65 * to->mark, ph_vec(now.c, now.s)));
    if (ph_draw_drives(to)) {
        ph_draw_spin_arrow(to, center, 0.8 * to->mark, to->joint->value[PH_JOINT_SPEED]);
    }
    ph_draw_angle_limits(to, center, to->angle - to->position);
}

const char ph_joint_rotary_doc[] =
    "add_rotary_joint($self, a, b, *, reference_angle=None, lower=None, upper=None,\n"
    "                 motor_speed=0.0, max_motor_torque=0.0, spring_hertz=0.0,\n"
    "                 spring_damping_ratio=0.0, stiffness=0.0, damping=0.0,\n"
    "                 spring_target=0.0, max_torque=None, joint_hertz=None,\n"
    "                 joint_damping_ratio=None, break_torque=None,\n"
    "                 collide_connected=True, user_data=None)\n--\n\n"
    "Limit, drive or spring the angle between two bodies, wherever they are. Wakes them.\n\n"
    "Holds no points together. The joint's angle is that of b against a, 0 now; it counts "
    "turns.\n\n"
    "Parameters\n----------\n" TELL_BODIES TELL_REFERENCE
    "lower, upper : float, optional\n    Limits of the angle, radians, of any size.\n"
    "motor_speed : float\n    Speed that the motor aims at, rad/s.\n"
    "max_motor_torque : float\n    The most that it gives, N m; 0: no motor, and with speed 0 a "
    "friction.\n" TELL_SPRINGS TELL_ELASTIC(
        "N m/rad",
        "N m s/rad") "spring_target : float\n    Angle at which the spring rests, "
                     "radians.\n" TELL_HOLDS_BY("max_torque", "holds, limits and springs with, N m")
                         TELL_TUNING "break_torque : float, optional\n  "
                                     "  The joint breaks, and is "
                                     "removed, when "
                                     "the mean torque "
                                     "of a step is more, N "
                                     "m.\n" TELL_COLLIDE "\nReturns\n-------"
                                     "\nRotaryJoint\n\n" TELL_ERRORS "Examples\n--------\n"
                                     ">>> world = World(gravity=(0, "
                                     "0))\n"
                                     ">>> a, b = "
                                     "world.add_body(Circle(1)), "
                                     "world.add_body(Circle(1), (5, "
                                     "0))\n"
                                     ">>> motor = "
                                     "world.add_rotary_joint(a, b, "
                                     "motor_speed=2, "
                                     "max_motor_torque=100)\n"
                                     ">>> world.step()\n"
                                     ">>> "
                                     "[round(float(body.angular_"
                                     "velocity), 3) for body in (a, "
                                     "b)]\n"
                                     "[-1.0, 1.0]";

static const PhJointKindInfo rotary_info = {
    .name = "rotary",
    .about = "The angle between two bodies has limits, a motor or a spring.\n\n"
             "Made by World.add_rotary_joint.",
    .angle_row = 0,
    .sprung = 1,
    .limited = 0,
    .motored = 0,
    .elastic = true,
    .bounded = 1,
    .coordinates = 0,
    .gearable = true,
    .positional = 2,
    .required = 2,
    .collide = true,
    .collides = true,
    .apart = true,
    .arguments = {"a", "b", "reference_angle"},
    .parameters =
        {
            PH_JOINT_LIMITS("radians"),
            PH_JOINT_MOTOR_OF("rad/s", "max_motor_torque", "gives, N m"),
            PH_JOINT_SPRING_OF(0, 0, "angle"),
            PH_JOINT_ELASTIC("N m/rad", "N m s/rad"),
            PH_JOINT_REST_AT_0("Angle at which the spring rests, radians."),
            PH_JOINT_HOLDS_WITH_TORQUE,
            PH_JOINT_TUNING,
            PH_JOINT_BREAK_BY_TORQUE,
        },
    .readings =
        {
            PH_JOINT_ANGLE_THAT_COUNTS,
            {"speed", PH_JOINT_READ_SPEED, "Rate of the angle, rad/s."},
        },
    .draw = draw_rotary,
};

#endif
