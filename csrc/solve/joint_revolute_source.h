// Revolute joint: two points are one, the bodies turn about it.
//
// With p a body's centre, r its arm to the anchor, x and y of
//     C = p_b + r_b - p_a - r_a = 0,   J v = v_b + w_b x r_b - v_a - w_a x r_a,
//     d/dt(J) v = w_a^2 r_a - w_b^2 r_b,
// and the angle a_b - a_a as the third row: w_b - w_a. The angle is not wrapped: angles of bodies
// count turns.
//
// Source: E. Catto, "Iterative Dynamics with Temporal Coherence" (2005).
#ifdef PH_JOINT_EQUATIONS

PH_FOUR_INLINE int rows_of_revolute(const Terms *terms, const Pose *pose,
                                    ConstraintRow rows[PH_JOINT_ROWS]) {
    (void)terms;
    fill_point(pose, false, rows);
    row_couple(&rows[2], pose->angle);
    return 3;
}

#else

static void draw_revolute(const PhJointDrawing *to) {
    PhVec2 pin = to->anchor[1], arm = ph_sub(to->pose[1].p, pin);
    double lower = to->joint->value[PH_JOINT_LOWER], upper = to->joint->value[PH_JOINT_UPPER];
    ph_draw_circle(to, PH_JOINT_LINE, pin, 0.3 * to->mark);
    if (ph_draw_drives(to)) {
        ph_draw_spin_arrow(to, pin, 0.65 * to->mark, to->joint->value[PH_JOINT_SPEED]);
    }
    if (!isfinite(lower) && !isfinite(upper)) {
        return;
    }
    // b points along its arm, or its own x where that has no direction
    double along = 0.1 * to->mark < ph_length(arm) ? ph_atan2(arm.y, arm.x) : to->angle;
    double zero = along - to->position;
    double first = isfinite(lower) ? lower : ph_max(upper - PH_PI, upper - 2 * PH_PI);
    double last = isfinite(upper) ? upper : lower + PH_PI;
    ph_draw_arc(to, PH_JOINT_LIMIT, pin, to->mark, zero + first, zero + last);
    ph_draw_angle_limits(to, pin, zero);
}

const char ph_joint_revolute_doc[] =
    "add_revolute_joint($self, a, b, *, anchor=None, anchor_a=None, anchor_b=None,\n"
    "                   local_anchor_a=None, local_anchor_b=None, reference_angle=None,\n"
    "                   lower=None, upper=None, motor_speed=0.0, max_motor_torque=0.0,\n"
    "                   spring_hertz=0.0, spring_damping_ratio=0.0, stiffness=0.0,\n"
    "                   damping=0.0, spring_target=0.0, max_force=None, joint_hertz=None,\n"
    "                   joint_damping_ratio=None, break_force=None, break_torque=None,\n"
    "                   collide_connected=False, user_data=None)\n--\n\n"
    "Let two bodies turn about a common point. Wakes them.\n\n"
    "The joint's angle is that of b relative to a: 0 now, and it counts full turns.\n\n"
    "Parameters\n----------\n" TELL_BODIES TELL_ANCHOR TELL_LOCAL TELL_REFERENCE
    "lower, upper : float, optional\n    Limits of the angle, radians, of any size.\n"
    "motor_speed : float\n    Speed that the motor aims at, rad/s.\n"
    "max_motor_torque : float\n    The most that it gives, N m; 0: no motor, and with speed 0 a "
    "friction.\n" TELL_SPRINGS TELL_ELASTIC(
        "N m/rad", "N m s/rad") "spring_target : float\n    Angle at which the spring rests, "
                                "radians.\n" TELL_HOLDS TELL_TUNING TELL_BREAKS TELL_COLLIDE
                                "\nReturns\n-------\nRevoluteJoint\n\n" TELL_ERRORS
                                "Examples\n--------\n"
                                ">>> world = World()\n"
                                ">>> bob = world.add_body(Circle(0.1), (1, 0))\n"
                                ">>> pin = world.add_revolute_joint(None, bob, anchor=(0, 0))\n"
                                ">>> world.step(n=60)\n"
                                ">>> bool(abs(np.hypot(*bob.position) - 1) < 1e-3)\n"
                                "True";

static const PhJointKindInfo revolute_info = {
    .name = "revolute",
    .about = "Two points of two bodies are one; the bodies turn about it.\n\n"
             "Made by World.add_revolute_joint.",
    .angle_row = 2,
    .sequential = true,
    .hinge = true,
    .rigid = 3,
    .sprung = 4,
    .limited = 2,
    .motored = 2,
    .elastic = true,
    .bounded = 3,
    .holds_point = true,
    .coordinates = 2,
    .gearable = true,
    .positional = 2,
    .required = 2,
    .collide = true,
    .arguments = {"a", "b", "anchor", "anchor_a", "anchor_b", "local_anchor_a", "local_anchor_b",
                  "reference_angle"},
    .parameters =
        {
            PH_JOINT_LIMITS("radians"),
            PH_JOINT_MOTOR_OF("rad/s", "max_motor_torque", "gives, N m"),
            PH_JOINT_SPRING_OF(0, 0, "angle"),
            PH_JOINT_ELASTIC("N m/rad", "N m s/rad"),
            PH_JOINT_REST_AT_0("Angle at which the spring rests, radians."),
            PH_JOINT_HOLDS_WITH_FORCE,
            PH_JOINT_TUNING,
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
    .readings =
        {
            PH_JOINT_ANGLE_THAT_COUNTS,
            {"speed", PH_JOINT_READ_SPEED, "Rate of the angle, rad/s."},
        },
    .draw = draw_revolute,
};

#endif
