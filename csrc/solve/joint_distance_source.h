// Distance joint: a rod (lower = upper), a rope (upper alone), a spring, a piston (motor).
//
// With d = p_b + r_b - p_a - r_a, L = |d| and n = d / L the row is L itself:
//     J v = n . d',   d/dt(J) v = |d'|^2 / L - (n . d')^2 / L + n . (w_a^2 r_a - w_b^2 r_b),
// the first two terms being what the velocity across the rod needs of force towards its other end.
//
// Source: E. Catto, "Soft Constraints" (GDC 2011).
#ifdef PH_JOINT_EQUATIONS

PH_FOUR_INLINE int rows_of_distance(const Terms *terms, const Pose *pose,
                                    ConstraintRow rows[PH_JOINT_ROWS]) {
    Wide length = length2(pose->gap), n[2], velocity[2], lever[2], turning[2];
    WideMask directed = length > terms->shortest;
    Wide inverse = 1 / length;
    const Wide *q = pose->rot_a, *x = terms->axis;
    n[0] = wide_select(directed, inverse * pose->gap[0], q[0] * x[0] - q[1] * x[1]);
    n[1] = wide_select(directed, inverse * pose->gap[1], q[1] * x[0] + q[0] * x[1]);
    gap_velocity(pose, velocity);
    gap_turning(pose, turning);
    Wide across = cross2(n, velocity);
    for (int i = 0; i < 2; i++) {
        lever[i] = pose->arm_a[i] + pose->gap[i];
    }
    row_along(&rows[0], pose, n, lever);
    rows[0].coordinate = length;
    rows[0].acceleration = dot2(n, turning) + wide_keep(directed, across * across / length);
    return 1;
}

#else

static void work_out_distance(const PhJointMaking *making, double *value) {
    double length = isnan(making->length) ? ph_length(making->gap) : making->length;
    if (isnan(value[PH_JOINT_TARGET])) {
        value[PH_JOINT_TARGET] = length;
    }
    limit_length(value, length,
                 value[PH_JOINT_HERTZ] > 0 || value[PH_JOINT_STIFFNESS] > 0 ||
                     value[PH_JOINT_DAMPING] > 0);
}

static void draw_distance(const PhJointDrawing *to) {
    PhVec2 a = to->anchor[0], b = to->anchor[1];
    double upper = to->joint->value[PH_JOINT_UPPER];
    bool slack = to->joint->value[PH_JOINT_LOWER] < upper && to->position < 0.999 * upper;
    if (to->joint->value[PH_JOINT_HERTZ] > 0) {
        ph_draw_zigzag(to, a, b);
    } else {
        ph_draw_line(to, slack ? PH_JOINT_DASH : PH_JOINT_LINE, a, b);
    }
    ph_draw_circle(to, PH_JOINT_LINE, a, 0.15 * to->mark);
    ph_draw_circle(to, PH_JOINT_LINE, b, 0.15 * to->mark);
    if (to->joint->value[PH_JOINT_LOWER] < upper) {
        ph_draw_limits(to, a, ph_normalize_or(ph_sub(b, a), ph_vec(1, 0)));
    }
}

const char ph_joint_distance_doc[] =
    "add_distance_joint($self, a, b, *, anchor_a=None, anchor_b=None, local_anchor_a=None,\n"
    "                   local_anchor_b=None, length=None, lower=None, upper=None,\n"
    "                   motor_speed=0.0, max_motor_force=0.0, spring_hertz=0.0,\n"
    "                   spring_damping_ratio=0.0, stiffness=0.0, damping=0.0,\n"
    "                   spring_target=None, max_force=None, joint_hertz=None,\n"
    "                   joint_damping_ratio=None, break_force=None,\n"
    "                   collide_connected=False, user_data=None)\n--\n\n"
    "Tie two points by a rod, a rope, a spring or a piston. Wakes the bodies.\n\n"
    "Without limits, spring and motor it is a rod of the given length: lower = upper = length.\n"
    "With any of them it is what they say: an upper limit alone is a rope.\n\n"
    "Parameters\n----------\n" TELL_BODIES "anchor_a, anchor_b : array_like, shape (2,), optional\n"
    "    World points; default: the positions of the bodies.\n" TELL_LOCAL
    "length : float, optional\n    Length of the rod, or of the spring at rest, > 0; default: as "
    "it is "
    "now.\n"
    "lower, upper : float, optional\n    Limits of the length, metres, >= 0.\n"
    "motor_speed : float\n    Speed that the motor aims at, m/s; positive lengthens.\n"
    "max_motor_force : float\n    The most that it gives, N; 0: no motor.\n" TELL_SPRINGS
        TELL_ELASTIC("N/m", "N s/m") "spring_target : float, optional\n    Length of the spring at "
                                     "rest, metres; default: "
                                     "length.\n" TELL_HOLDS TELL_TUNING
                                     "break_force : float, optional\n    The joint breaks, and is "
                                     "removed, when the mean force of a "
                                     "step is "
                                     "more, N;\n    events.joint_break tells.\n" TELL_COLLIDE
                                     "\nReturns\n-------\nDistanceJoint\n\n" TELL_ERRORS
                                     "Examples\n--------\n"
                                     ">>> world = World()\n"
                                     ">>> bob = world.add_body(Circle(0.1), (0, -1), mass=2)\n"
                                     ">>> rope = world.add_distance_joint(None, bob, upper=1)\n"
                                     ">>> world.step(n=60)\n"
                                     ">>> bool(abs(rope.force[1] - 2 * 9.81) < 1e-3)\n"
                                     "True";

static const PhJointKindInfo distance_info = {
    .name = "distance",
    .about = "Rod, rope, spring or piston between two points.\n\n"
             "Made by World.add_distance_joint.",
    .angle_row = -1,
    .sequential = true,
    .distance = true,
    .sprung = 1,
    .limited = 0,
    .motored = 0,
    .elastic = true,
    .bounded = 1,
    .coordinates = 0,
    .length = true,
    .keeps_stiffness = true,
    .rests_along = true,
    .along_gap = true,
    .positional = 2,
    .required = 2,
    .collide = true,
    .apart = true,
    .arguments = {"a", "b", "anchor_a", "anchor_b", "local_anchor_a", "local_anchor_b", "length"},
    .parameters =
        {
            PH_JOINT_LENGTH_LIMITS,
            PH_JOINT_MOTOR_OF("m/s; positive lengthens", "max_motor_force", "gives, N"),
            PH_JOINT_SPRING_OF(0, 0, "length"),
            PH_JOINT_ELASTIC("N/m", "N s/m"),
            {"spring_target", PH_JOINT_TARGET, 1, 0, NAN,
             .doc = "Length at which the spring rests, metres; None: as it is now."},
            PH_JOINT_HOLDS_WITH_FORCE,
            PH_JOINT_TUNING,
            PH_JOINT_BREAK_BY_FORCE,
        },
    .readings =
        {
            {"length", PH_JOINT_READ_POSITION, "Distance of the anchors now, metres."},
            {"speed", PH_JOINT_READ_SPEED, "Rate of the length, m/s."},
        },
    .work_out = work_out_distance,
    .draw = draw_distance,
};

#endif
