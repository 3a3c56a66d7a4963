// Prismatic joint: b slides along an axis of a and does not turn against it.
//
// With d = p_b + r_b - p_a - r_a, x the axis (it turns with a) and t = left(x):
//     t . d = 0,   J v = t . d' - w_a x . d,
//     d/dt(J) v = -2 w_a x . d' - w_a^2 t . d + t . (w_a^2 r_a - w_b^2 r_b);
//     a_b - a_a = 0;
// and along the axis the translation x . d with J v = x . d' + w_a t . d. The lever of a goes to
// the anchor of b, where the force acts.
//
// Source: E. Catto, "Iterative Dynamics with Temporal Coherence" (2005).
#ifdef PH_JOINT_EQUATIONS

PH_FOUR_INLINE int rows_of_prismatic(const Terms *terms, const Pose *pose,
                                     ConstraintRow rows[PH_JOINT_ROWS]) {
    fill_slide(terms, pose, &rows[0], &rows[2]);
    row_couple(&rows[1], pose->angle);
    return 3;
}

#else

static void draw_prismatic(const PhJointDrawing *to) {
    PhVec2 b = to->anchor[1], along = ph_draw_slide(to);
    ph_draw_polygon(to, b, 0.5 * to->mark, 4, (PhRot){along.x, along.y});
    if (ph_draw_drives(to)) {
        double sense = to->joint->value[PH_JOINT_SPEED] > 0 ? 1 : -1;
        PhVec2 tip = ph_mul_add(b, sense * 1.6 * to->mark, along);
        PhVec2 back = ph_mul_add(tip, -sense * 0.4 * to->mark, along);
        PhVec2 side = ph_scale(0.25 * to->mark, ph_left(along));
        ph_draw_line(to, PH_JOINT_LINE, ph_mul_add(b, sense * 0.5 * to->mark, along), tip);
        ph_draw_line(to, PH_JOINT_LINE, tip, ph_add(back, side));
        ph_draw_line(to, PH_JOINT_LINE, tip, ph_sub(back, side));
    }
}

const char ph_joint_prismatic_doc[] =
    "add_prismatic_joint($self, a, b, *, anchor=None, anchor_a=None, anchor_b=None,\n"
    "                    local_anchor_a=None, local_anchor_b=None, reference_angle=None,\n"
    "                    axis=(1, 0), lower=None, upper=None, motor_speed=0.0,\n"
    "                    max_motor_force=0.0, spring_hertz=0.0, spring_damping_ratio=0.0,\n"
    "                    stiffness=0.0, damping=0.0, spring_target=0.0, max_force=None,\n"
    "                    max_torque=None, joint_hertz=None, joint_damping_ratio=None,\n"
    "                    break_force=None, break_torque=None,\n"
    "                    collide_connected=False, user_data=None)\n--\n\n"
    "Let b slide along an axis of a, without turning against it. Wakes them.\n\n"
    "The joint's translation is the coordinate of b's anchor along the axis, from a's anchor.\n\n"
    "Parameters\n----------\n" TELL_BODIES TELL_ANCHOR TELL_LOCAL TELL_REFERENCE
    "axis : array_like, shape (2,)\n    Direction, world, of any length > 0; it turns with a.\n"
    "lower, upper : float, optional\n    Limits of the translation, metres.\n"
    "motor_speed : float\n    Speed that the motor aims at, m/s.\n"
    "max_motor_force : float\n    The most that it gives, N; 0: no motor.\n" TELL_SPRINGS
        TELL_ELASTIC(
            "N/m",
            "N s/m") "spring_target : float\n    Translation at which the spring "
                     "rests, metres.\n" TELL_HOLDS_BY(
                         "max_force",
                         "holds with across the axis, N") "max_torque : float, optional\n    The "
                                                          "same of the angle, N m.\n" TELL_TUNING
                                                              TELL_BREAKS TELL_COLLIDE
                                                          "\nReturns\n-------"
                                                          "\nPrismaticJoint\n\n" TELL_ERRORS
                                                          "Examples\n--------\n"
                                                          ">>> world = World()\n"
                                                          ">>> lift = world.add_body(Box(1, 0.2), "
                                                          "(0, 0))\n"
                                                          ">>> rail = "
                                                          "world.add_prismatic_joint(None, lift, "
                                                          "axis=(0, "
                                                          "1), motor_speed=0.5,\n"
                                                          "...                                  "
                                                          "max_motor_force=100)\n"
                                                          ">>> world.step(n=120)\n"
                                                          ">>> bool(abs(rail.translation - 1) < "
                                                          "0.01)\n"
                                                          "True";

static const PhJointKindInfo prismatic_info = {
    .name = "prismatic",
    .about = "A body slides along an axis of another and does not turn against it.\n\n"
             "Made by World.add_prismatic_joint.",
    .angle_row = 1,
    .rigid = 3,
    .sprung = 4,
    .limited = 2,
    .motored = 2,
    .elastic = true,
    .bounded = 3,
    .coordinates = 2,
    .with_arms = true,
    .keeps_stiffness = true,
    .rests_along = true,
    .gearable = true,
    .positional = 2,
    .required = 2,
    .collide = true,
    .arguments = {"a", "b", "anchor", "anchor_a", "anchor_b", "local_anchor_a", "local_anchor_b",
                  "reference_angle", "axis"},
    .parameters =
        {
            PH_JOINT_LIMITS("metres"),
            PH_JOINT_MOTOR_OF("m/s", "max_motor_force", "gives, N"),
            PH_JOINT_SPRING_OF(0, 0, "translation"),
            PH_JOINT_ELASTIC("N/m", "N s/m"),
            PH_JOINT_REST_AT_0("Translation at which the spring rests, metres."),
            PH_JOINT_HOLDS_WITH_FORCE,
            PH_JOINT_HOLDS_WITH_TORQUE,
            PH_JOINT_TUNING,
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
    .readings =
        {
            PH_JOINT_SLIDE,
            {"speed", PH_JOINT_READ_SPEED, "Rate of the translation, m/s."},
        },
    .draw = draw_prismatic,
};

#endif
