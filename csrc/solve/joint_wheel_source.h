// Wheel joint: b turns about its anchor, which slides along an axis of a: a wheel on a suspension.
//
// The rows are the first and the last of the prismatic joint, and the spin w_b - w_a, which the
// motor drives. Limits and spring are of the translation.
#ifdef PH_JOINT_EQUATIONS

PH_FOUR_INLINE int rows_of_wheel(const Terms *terms, const Pose *pose,
                                 ConstraintRow rows[PH_JOINT_ROWS]) {
    fill_slide(terms, pose, &rows[0], &rows[1]);
    row_couple(&rows[2], pose->angle);
    return 3;
}

#else

static void draw_wheel(const PhJointDrawing *to) {
    (void)ph_draw_slide(to);
    ph_draw_circle(to, PH_JOINT_LINE, to->anchor[1], 0.35 * to->mark);
    if (ph_draw_drives(to)) {
        ph_draw_spin_arrow(to, to->anchor[1], 0.65 * to->mark, to->joint->value[PH_JOINT_SPEED]);
    }
}

const char ph_joint_wheel_doc[] =
    "add_wheel_joint($self, a, b, *, anchor=None, anchor_a=None, anchor_b=None,\n"
    "                local_anchor_a=None, local_anchor_b=None, reference_angle=None,\n"
    "                axis=(0, 1), lower=None, upper=None, motor_speed=0.0,\n"
    "                max_motor_torque=0.0, spring_hertz=0.0, spring_damping_ratio=0.0,\n"
    "                stiffness=0.0, damping=0.0, spring_target=0.0, max_force=None,\n"
    "                joint_hertz=None, joint_damping_ratio=None, break_force=None,\n"
    "                break_torque=None, collide_connected=False, user_data=None)\n--\n\n"
    "Hang a wheel b on a: it turns freely and slides along an axis of a. Wakes them.\n\n"
    "Parameters\n----------\n" TELL_BODIES TELL_ANCHOR TELL_LOCAL TELL_REFERENCE
    "axis : array_like, shape (2,)\n    Of the suspension, world, of any length > 0; it turns "
    "with a.\n"
    "lower, upper : float, optional\n    Limits of the translation, metres.\n"
    "motor_speed : float\n    Spin of b against a that the motor aims at, rad/s.\n"
    "max_motor_torque : float\n    The most that it gives, N m; 0: no motor.\n" TELL_SPRINGS
        TELL_ELASTIC(
            "N/m", "N s/m") "spring_target : float\n    Translation at which the spring rests, "
                            "metres.\n" TELL_HOLDS_BY("max_force", "holds with across the axis, N")
                                TELL_TUNING TELL_BREAKS TELL_COLLIDE
    "\nReturns\n-------\nWheelJoint\n\n" TELL_ERRORS "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> wheel = world.add_body(Circle(0.3), (0, 0))\n"
    ">>> hub = world.add_wheel_joint(None, wheel, spring_hertz=2, "
    "spring_damping_ratio=1)\n"
    ">>> world.step(n=180)\n"
    ">>> bool(abs(hub.translation + 9.81 / (4 * np.pi) ** 2) < 1e-3)\n"
    "True";

static const PhJointKindInfo wheel_info = {
    .name = "wheel",
    .about = "A wheel on a suspension: b turns freely and slides along an axis of a.\n\n"
             "Made by World.add_wheel_joint.",
    .angle_row = 2,
    .sequential = true,
    .rigid = 1,
    .sprung = 2,
    .limited = 1,
    .motored = 2,
    .elastic = true,
    .bounded = 1,
    .coordinates = 1,
    .with_arms = true,
    .keeps_stiffness = true,
    .rests_along = true,
    .upright = true,
    .positional = 2,
    .required = 2,
    .collide = true,
    .arguments = {"a", "b", "anchor", "anchor_a", "anchor_b", "local_anchor_a", "local_anchor_b",
                  "reference_angle", "axis"},
    .parameters =
        {
            PH_JOINT_LIMITS("metres, of the translation"),
            PH_JOINT_MOTOR_OF("rad/s", "max_motor_torque", "gives, N m"),
            PH_JOINT_SPRING_OF(0, 0, "translation"),
            PH_JOINT_ELASTIC("N/m", "N s/m"),
            PH_JOINT_REST_AT_0("Translation at which the spring rests, metres."),
            PH_JOINT_HOLDS_WITH_FORCE,
            PH_JOINT_TUNING,
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
    .readings =
        {
            PH_JOINT_SLIDE,
            PH_JOINT_ANGLE,
            {"speed", PH_JOINT_READ_SPIN, "Rate of the angle, rad/s."},
        },
    .draw = draw_wheel,
};

#endif
