// Motor joint: pulls b to a pose relative to a, or drives it at a velocity, with bounded force.
//
// With o the offset in the frame of a, of b's anchor from a's:
//     C = p_b + r_b - p_a - r_a - R_a o,   J v = v_b + w_b x r_b - v_a - w_a x (p_b + r_b - p_a),
// and the angle a_b - a_a less its offset. J v is how C changes as seen from a, so both forces act
// at the anchor of b, and no angular momentum comes of them. With a spring the rows are sprung to
// to 0, else driven at the velocities given; place and angle may be each on a spring of its own, or
// driven. Never rigid: the force bounds it.
#ifdef PH_JOINT_EQUATIONS

PH_FOUR_INLINE int rows_of_motor(const Terms *terms, const Pose *pose,
                                 ConstraintRow rows[PH_JOINT_ROWS]) {
    const Wide *q = pose->rot_a, *o = terms->offset, zero = wide_splat(0);
    Wide turned[2] = {q[0] * o[0] - q[1] * o[1], q[1] * o[0] + q[0] * o[1]}, lever[2];
    for (int i = 0; i < 2; i++) {
        lever[i] = pose->arm_a[i] + pose->gap[i];
    }
    rows_of_point(rows, pose, lever);
    for (int i = 0; i < 2; i++) {
        rows[i].coordinate = pose->gap[i] - turned[i];
        rows[i].acceleration = zero;
    }
    row_couple(&rows[2], pose->angle - terms->turn);
    return 3;
}

#else

static bool is_driven(const double *value) {
    return value[PH_JOINT_LINEAR] != 0 || value[PH_JOINT_LINEAR + 1] != 0 ||
           value[PH_JOINT_ANGULAR] != 0;
}

static PhStatus check_motor(const double *value, PhError *error) {
    bool told = !isnan(value[PH_JOINT_HERTZ]) || value[PH_JOINT_STIFFNESS] > 0 ||
                value[PH_JOINT_DAMPING] > 0 || value[PH_JOINT_TURN_STIFFNESS] > 0 ||
                value[PH_JOINT_TURN_DAMPING] > 0 || !isnan(value[PH_JOINT_TURN_HERTZ]);
    bool placed = !isnan(value[PH_JOINT_POINT]) || !isnan(value[PH_JOINT_TARGET]);
    if (told || !placed || !is_driven(value)) {
        return PH_OK;
    }
    return ph_fail(error, PH_ERROR_VALUE,
                   "%s: give it or a velocity, not both: a motor joint pulls to offsets with a "
                   "spring, or drives at velocities; spring_hertz says which of both it does",
                   isnan(value[PH_JOINT_POINT]) ? "angle_offset" : "offset");
}

static void work_out_motor(const PhJointMaking *making, double *value) {
    PhVec2 offset = ph_unrotate(making->rot_a, making->gap);
    if (isnan(value[PH_JOINT_POINT])) {
        value[PH_JOINT_POINT] = offset.x;
        value[PH_JOINT_POINT + 1] = offset.y;
    }
    if (isnan(value[PH_JOINT_TARGET])) {
        value[PH_JOINT_TARGET] = making->angle;
    }
    if (isnan(value[PH_JOINT_HERTZ])) {
        value[PH_JOINT_HERTZ] = is_driven(value) ? 0 : 5; // of stiffness it follows later
    }
}

static void draw_motor(const PhJointDrawing *to) {
    const double *offset = to->joint->value + PH_JOINT_POINT;
    PhVec2 turned = ph_rotate(to->pose[0].q, ph_vec(offset[0], offset[1]));
    ph_draw_pull(to, ph_add(to->anchor[0], turned));
}

const char ph_joint_motor_doc[] =
    "add_motor_joint($self, a, b, *, anchor=None, anchor_a=None, anchor_b=None,\n"
    "                local_anchor_a=None, local_anchor_b=None, offset=None,\n"
    "                angle_offset=None, linear_velocity=(0, 0), angular_velocity=0.0,\n"
    "                max_force=None, max_torque=None, spring_hertz=None,\n"
    "                spring_damping_ratio=1.0, angular_spring_hertz=None,\n"
    "                angular_spring_damping_ratio=None, stiffness=0.0, damping=0.0,\n"
    "                angular_stiffness=0.0, angular_damping=0.0, break_force=None,\n"
    "                break_torque=None, collide_connected=False, user_data=None)\n--\n\n"
    "Pull b to a pose relative to a, or drive it at a velocity. Wakes them.\n\n"
    "With a spring (spring_hertz > 0) it pulls to the offsets, else it drives at the "
    "velocities.\nOffsets and velocities (other than 0) may be given together only if "
    "spring_hertz is given.\n\n"
    "Parameters\n----------\n" TELL_BODIES
    "anchor : array_like, shape (2,), optional\n    World point of both; default: the positions "
    "of the bodies.\n"
    "anchor_a, anchor_b : array_like, shape (2,), optional\n    Instead: a point of "
    "each.\n" TELL_LOCAL "offset : array_like, shape (2,), optional\n"
    "    Of b's anchor from a's, metres, in the frame of a; default: as it is now.\n"
    "angle_offset : float, optional\n    Angle of b against a, radians; default: as it is now.\n"
    "linear_velocity : array_like, shape (2,)\n    Of b relative to a, m/s, world.\n"
    "angular_velocity : float\n    Of b relative to a, rad/s.\n"
    "max_force, max_torque : float, optional\n    The most that it pulls (N) and turns with (N "
    "m).\n"
    "spring_hertz : float, optional\n    Default: 5, or 0 where a velocity is given.\n"
    "spring_damping_ratio : float\n    1 is critical.\n"
    "angular_spring_hertz, angular_spring_damping_ratio : float, optional\n"
    "    Of a spring of the angle alone, that of spring_hertz then being of the place; of each, 0\n"
    "    Hz: driven. Default: one spring of both.\n" TELL_ELASTIC_APART(
        "driven at angular_velocity, with max_torque") TELL_BREAKS TELL_COLLIDE
    "\nReturns\n-------\nMotorJoint\n\n" TELL_ERRORS "Examples\n--------\n"
    ">>> world = World(gravity=(0, 0))\n"
    ">>> drone = world.add_body(Box(1, 0.2))\n"
    ">>> pull = world.add_motor_joint(None, drone, offset=(2, 1), spring_hertz=2)\n"
    ">>> world.step(n=180)\n"
    ">>> bool(np.allclose(drone.position, (2, 1), atol=1e-3))\n"
    "True";

static const PhJointKindInfo motor_info = {
    .name = "motor",
    .about = "Pulls b to a pose relative to a, or drives it at a velocity, with bounded force.\n\n"
             "Made by World.add_motor_joint.",
    .angle_row = 2,
    .sprung = 7,
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
    .driven = true,
    .elastic = true,
    .paired = true,
    .with_arms = true,
    .keeps_stiffness = true,
    .positional = 2,
    .required = 2,
    .collide = true,
    .apart = true,
    .arguments = {"a", "b", "anchor", "anchor_a", "anchor_b", "local_anchor_a", "local_anchor_b"},
    .parameters =
        {
            {"offset", PH_JOINT_POINT, 2, -INFINITY, NAN,
             .doc = "Target of b's anchor relative to a's while spring_hertz > 0; shape (2,), "
                    "metres, frame of a; None: the present one."},
            {"angle_offset", PH_JOINT_TARGET, 1, -INFINITY, NAN,
             .doc = "Target of the angle of b relative to a while spring_hertz > 0; radians; "
                    "None: the present one."},
            {"linear_velocity", PH_JOINT_LINEAR, 2, -INFINITY, 0,
             .doc = "Target of the velocity of b relative to a while spring_hertz is 0; shape "
                    "(2,), m/s, world."},
            {"angular_velocity", PH_JOINT_ANGULAR, 1, -INFINITY, 0,
             .doc = "Target of the angular velocity of b relative to a while spring_hertz is 0; "
                    "rad/s."},
            PH_JOINT_MOST_FORCE,
            {"max_torque", PH_JOINT_MAX_TORQUE, 1, 0, INFINITY, .infinite = true,
             .doc = "Largest torque, N m, >= 0; inf (or None): unbounded."},
            {"spring_hertz", PH_JOINT_HERTZ, 1, 0, NAN,
             .doc = "Frequency of the spring to the offsets, Hz, >= 0; 0: it is driven at the "
                    "velocities; None: 0 where a velocity other than 0 is given, else 5."},
            {"spring_damping_ratio", PH_JOINT_ZETA, 1, 0, 1,
             .doc = "Damping ratio of the spring, >= 0; 1 is critical."},
            {"angular_spring_hertz", PH_JOINT_TURN_HERTZ, 1, 0, NAN, .optional = true,
             .doc = "Frequency of the angle's own spring, Hz, >= 0; 0: the angle is driven at "
                    "angular_velocity; None: place and angle are on one spring, or driven."},
            {"angular_spring_damping_ratio", PH_JOINT_TURN_ZETA, 1, 0, NAN, .optional = true,
             .doc = "Damping ratio of the angle's spring, >= 0; 1 is critical; None: the other "
                    "one's."},
            PH_JOINT_ELASTIC("N/m", "N s/m"),
            PH_JOINT_TURN_ELASTIC,
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
    .readings = {{"angle", PH_JOINT_READ_ANGLE, "Angle of b against a, radians."}},
    .check = check_motor,
    .work_out = work_out_motor,
    .draw = draw_motor,
};

#endif
