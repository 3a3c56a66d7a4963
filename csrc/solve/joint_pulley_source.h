// Pulley joint: a rope from body a over two fixed points to body b; what one side loses the other
// gains, ratio times as fast.
//
// With s the vector from a ground point to the anchor of its body, L = |s| and n = s / L:
//     the row is L_a + ratio L_b, held (a rope that is always taut) or limited (one that may be
//     slack), J v = n_a . s_a' + ratio n_b . s_b', d/dt(J) v = sum of |s'|^2 / L - (n . s')^2 / L -
//     w^2 n . r, b's times the ratio.
//
// Source: E. Catto, "Iterative Dynamics with Temporal Coherence" (2005), for Jacobians of ropes.
#ifdef PH_JOINT_EQUATIONS

// One side of a pulley: its Jacobian, times the ratio. Returns its length, adds to the
// acceleration.
PH_FOUR_INLINE Wide fill_side(const Wide reach[2], const Wide arm[2], const Wide velocity[3],
                              Wide shortest, Wide ratio, Wide jacobian[3], Wide *acceleration) {
    Wide length = length2(reach), n[2], moves[2], w = velocity[2];
    WideMask directed = length > shortest;
    Wide inverse = 1 / length;
    n[0] = wide_keep(directed, inverse * reach[0]);
    n[1] = wide_select(directed, inverse * reach[1], wide_splat(-1));
    moves[0] = velocity[0] - w * arm[1];
    moves[1] = velocity[1] + w * arm[0];
    Wide across = cross2(n, moves);
    jacobian[0] = ratio * n[0];
    jacobian[1] = ratio * n[1];
    jacobian[2] = ratio * cross2(arm, n);
    *acceleration -= ratio * w * w * dot2(n, arm);
    *acceleration += wide_keep(directed, ratio * across * across / length);
    return length;
}

PH_FOUR_INLINE int rows_of_pulley(const Terms *terms, const Pose *pose,
                                  ConstraintRow rows[PH_JOINT_ROWS]) {
    rows[0].acceleration = rows[0].couple = wide_splat(0);
    Wide a = fill_side(pose->reach_a, pose->arm_a, pose->velocity_a, terms->shortest, wide_splat(1),
                       rows[0].a, &rows[0].acceleration);
    Wide b = fill_side(pose->reach_b, pose->arm_b, pose->velocity_b, terms->shortest, terms->ratio,
                       rows[0].b, &rows[0].acceleration);
    rows[0].along[0] = rows[0].b[0];
    rows[0].along[1] = rows[0].b[1];
    rows[0].coordinate = a + terms->ratio * b;
    return 1;
}

#else

static PhStatus check_pulley(const double *value, PhError *error) {
    const double *ground = value + PH_JOINT_GROUND, ratio = value[PH_JOINT_RATIO];
    for (int k = 0; k < 4; k++) {
        if (!(fabs(ground[k]) <= PH_JOINT_MOST)) {
            return ph_fail(error, PH_ERROR_VALUE, "ground_%s: must be within +-%g m, got %s",
                           k < 2 ? "a" : "b", PH_JOINT_MOST, ph_number_text(ground[k]).text);
        }
    }
    if (!(ratio > 0 && ratio <= PH_JOINT_MOST)) {
        return ph_fail(error, PH_ERROR_VALUE, "ratio: must be finite and > 0, got %s",
                       ph_number_text(ratio).text);
    }
    return PH_OK;
}

static void work_out_pulley(const PhJointMaking *making, double *value) {
    const double *ground = value + PH_JOINT_GROUND;
    const PhVec2 over[2] = {{ground[0], ground[1]}, {ground[2], ground[3]}};
    double rope[2];
    for (int k = 0; k < 2; k++) {
        rope[k] = ph_length(ph_wrap_least(making->wrap, ph_sub(making->anchor[k], over[k])));
    }
    limit_length(value, rope[0] + value[PH_JOINT_RATIO] * rope[1], false);
}

static void draw_pulley(const PhJointDrawing *to) {
    const double *ground = to->joint->value + PH_JOINT_GROUND;
    const PhVec2 over[2] = {{ground[0], ground[1]}, {ground[2], ground[3]}};
    double upper = to->joint->value[PH_JOINT_UPPER];
    bool slack = to->joint->value[PH_JOINT_LOWER] < upper && to->position < 0.999 * upper;
    for (int side = 0; side < 2; ++side) {
        ph_draw_line(to, slack ? PH_JOINT_DASH : PH_JOINT_LINE, over[side], to->anchor[side]);
        ph_draw_circle(to, PH_JOINT_LINE, over[side], 0.45 * to->mark);
        ph_draw_circle(to, PH_JOINT_LINE, to->anchor[side], 0.15 * to->mark);
    }
    ph_draw_line(to, slack ? PH_JOINT_DASH : PH_JOINT_LINE, over[0], over[1]);
}

const char ph_joint_pulley_doc[] =
    "add_pulley_joint($self, a, b, *, ground_a, ground_b, anchor_a=None, anchor_b=None,\n"
    "                 local_anchor_a=None, local_anchor_b=None, ratio=1.0, lower=None,\n"
    "                 upper=None, motor_speed=0.0, max_motor_force=0.0, max_force=None,\n"
    "                 joint_hertz=None, joint_damping_ratio=None, break_force=None, "
    "collide_connected=False, user_data=None)\n--\n\n"
    "Tie two bodies by a rope that runs over two fixed points. Wakes them.\n\n"
    "Its length is length_a + ratio length_b, from the ground points to the anchors. Without "
    "limits "
    "and\nmotor it stays what it is now, and the rope also pushes; with upper alone the rope may "
    "be "
    "slack;\nwith a motor it is a winch.\n\n"
    "Parameters\n----------\n"
    "a, b : Body\n"
    "ground_a, ground_b : array_like, shape (2,)\n    World points over which the rope runs.\n"
    "anchor_a, anchor_b : array_like, shape (2,), optional\n"
    "    World points of the bodies; default: their positions.\n" TELL_LOCAL
    "ratio : float\n    Ratio of the block and tackle, > 0.\n"
    "lower, upper : float, optional\n    Limits of the length, metres, >= 0.\n"
    "motor_speed : float\n    Rate of the length that the motor aims at, m/s.\n"
    "max_motor_force : float\n    The most that it pulls a with, N; 0: no motor.\n" TELL_HOLDS_BY(
        "max_force", "pulls a with where the length is held or at a limit, N") TELL_TUNING
    "break_force : float, optional\n "
    "   The joint breaks, and is "
    "removed, when the mean force on "
    "b of a step is more, "
    "N.\n" TELL_COLLIDE "\nReturns\n-------"
    "\nPulleyJoint\n\n" TELL_ERRORS "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> a = world.add_body(Box(1, "
    "1), (-2, 0), mass=1)\n"
    ">>> b = world.add_body(Box(1, "
    "1), (2, 0), mass=3)\n"
    ">>> rope = "
    "world.add_pulley_joint(a, b, "
    "ground_a=(-2, 5), ground_b=(2, "
    "5))\n"
    ">>> world.step(n=30)\n"
    ">>> bool(abs(a.velocity[1] - "
    "9.81 / 2 * 0.5) < 1e-2)\n"
    "True";

static const PhJointKindInfo pulley_info = {
    .name = "pulley",
    .about = "A rope from one body over two fixed points to another.\n\n"
             "Made by World.add_pulley_joint.",
    .angle_row = -1,
    .limited = 0,
    .bounded = 1,
    .motored = 0,
    .coordinates = 0,
    .length = true,
    .grounded = true,
    .positional = 2,
    .required = 4,
    .collide = true,
    .apart = true,
    .stemless = true,
    .arguments = {"a", "b", "ground_a", "ground_b", "anchor_a", "anchor_b", "local_anchor_a",
                  "local_anchor_b", "ratio"},
    .parameters =
        {
            PH_JOINT_LENGTH_LIMITS,
            PH_JOINT_MOTOR_OF("m/s; positive lets rope out", "max_motor_force", "pulls a with, N"),
            PH_JOINT_HOLDS_WITH_FORCE,
            PH_JOINT_TUNING,
            PH_JOINT_BREAK_BY_FORCE,
        },
    .readings =
        {
            {"ground_a", PH_JOINT_READ_GROUND_A,
             "Point over which the rope of a runs, shape (2,), metres, world."},
            {"ground_b", PH_JOINT_READ_GROUND_B,
             "Point over which the rope of b runs, shape (2,), metres, world."},
            {"ratio", PH_JOINT_READ_RATIO, "How many times the rope of b counts in the length."},
            {"length_a", PH_JOINT_READ_ROPE_A, "Length of the rope of a now, metres."},
            {"length_b", PH_JOINT_READ_ROPE_B, "Length of the rope of b now, metres."},
            {"length", PH_JOINT_READ_POSITION, "length_a + ratio length_b now, metres."},
            {"speed", PH_JOINT_READ_SPEED, "Rate of the length, m/s."},
        },
    .check = check_pulley,
    .work_out = work_out_pulley,
    .draw = draw_pulley,
};

#endif
