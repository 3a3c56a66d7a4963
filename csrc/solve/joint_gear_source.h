// Gear joint: what two joints measure moves in a fixed ratio, wheels on wheels or on racks.
//
// With c1 and c2 the coordinates of its joints (the angle of a revolute one, the translation of a
// prismatic one), J1 and J2 their rows:
//     c1 + ratio c2 = rest,   J v = J1 v + ratio J2 v,   d/dt(J) v likewise.
// So it acts on up to four bodies, b of either joint against its a: forces and torques come in
// pairs, and momentum stays. Bodies may be the same, as the carrier of a planetary gear.
//
// Rows: the first has the Jacobians of the two b, the second those of the two a.
//
// Source: E. Catto, "Iterative Dynamics with Temporal Coherence" (2005), on whose rows it stands.
#ifdef PH_JOINT_EQUATIONS

// None of its own: see fill_gear in articulation_rows_source.h.
PH_FOUR_INLINE int rows_of_gear(const Terms *terms, const Pose *pose,
                                ConstraintRow rows[PH_JOINT_ROWS]) {
    (void)terms, (void)pose, (void)rows;
    return 0;
}

#else

// The pitch circles of wheels that touch, and of a wheel on a rack.
static void draw_gear(const PhJointDrawing *to) {
    const PhVec2 *at = to->part;
    double ratio = to->joint->value[PH_JOINT_RATIO], radius[2] = {0, 0};
    double apart = ph_length(ph_sub(at[1], at[0]));
    bool wheel[2];
    for (int k = 0; k < 2; ++k) {
        wheel[k] = to->part_kind[k] == PH_JOINT_REVOLUTE || to->part_kind[k] == PH_JOINT_ROTARY;
    }
    if (wheel[0] && wheel[1]) {
        radius[0] = apart / fabs(1 + ratio); // one inside of the other where the ratio is below 0
        radius[1] = fabs(ratio) * radius[0];
    } else if (wheel[0]) {
        radius[0] = 1 / fabs(ratio);
    } else if (wheel[1]) {
        radius[1] = fabs(ratio);
    }
    for (int k = 0; k < 2; ++k) {
        if (radius[k] > 0 && isfinite(radius[k])) {
            ph_draw_circle(to, PH_JOINT_DASH, at[k], radius[k]);
        }
    }
    ph_draw_line(to, PH_JOINT_LINE, at[0], at[1]);
}

const char ph_joint_gear_doc[] =
    "add_gear_joint($self, joint_a, joint_b, ratio=1.0, *, phase=None, max_torque=None,\n"
    "               joint_hertz=None, joint_damping_ratio=None, break_force=None, "
    "break_torque=None, collide_connected=False,\n"
    "               user_data=None)\n--\n\n"
    "Let the coordinates of two joints move in a fixed ratio. Wakes their bodies.\n\n"
    "a + ratio b stays what it is now, or the phase, a and b being the angle of a revolute or "
    "rotary joint\nor the translation of a prismatic one: wheels of radii r and s that touch have "
    "the ratio s / r, a "
    "wheel (joint_a) on\na rack the ratio 1 / r or -1 / r. Make the gear's bodies the second of "
    "their joints.\n\n"
    "Parameters\n----------\n"
    "joint_a, joint_b : RevoluteJoint, RotaryJoint or PrismaticJoint\n    The gear goes with "
    "either.\n"
    "ratio : float\n    Not 0; radians or metres of joint_a per one of joint_b.\n"
    "phase : float, optional\n    What a + ratio b is held at; default: as it is "
    "now.\n" TELL_HOLDS_BY("max_torque", "gives the wheel of joint_a, N m, or N where that slides")
        TELL_TUNING TELL_BREAKS
    "collide_connected : bool\n    Whether the second bodies of the joints may collide.\n" TELL_DATA
    "\n"
    "Returns\n-------\nGearJoint\n\n"
    "Raises\n------\n"
    "ValueError\n    For NaN, a number out of range, other kinds of joints, one joint twice, or a "
    "joint of\n    another world.\n"
    "TypeError\n    For what is no joint or no number.\n"
    "RemovedError\n    For a joint that has been removed.\n\n"
    "Examples\n--------\n"
    ">>> world = World(gravity=(0, 0))\n"
    ">>> small, big = world.add_body(Circle(1)), world.add_body(Circle(2), (3, 0))\n"
    ">>> pins = [world.add_revolute_joint(None, wheel) for wheel in (small, big)]\n"
    ">>> gear = world.add_gear_joint(*pins, 2)\n"
    ">>> small.angular_velocity = 3\n"
    ">>> world.step()\n"
    ">>> round(float(small.angular_velocity / big.angular_velocity), 3)\n"
    "-2.0";

static const PhJointKindInfo gear_info = {
    .name = "gear",
    .about = "Angles or translations of two joints move in a fixed ratio.\n\n"
             "body_a and body_b are the bodies b of the two joints; force and torque are those "
             "that the\ngear gives body_b, which has the same from its joint. A gear goes with "
             "either of its joints.\nMade by World.add_gear_joint.",
    .angle_row = -1,
    .rigid = 1,
    .bounded = 1,
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
    .geared = true,
    .positional = 3,
    .required = 2,
    .collide = true,
    .stemless = true,
    .arguments = {"joint_a", "joint_b"},
    .parameters =
        {
            {"ratio", PH_JOINT_RATIO, 1, -INFINITY, 1, .nonzero = true,
             .doc = "Ratio of the gear, not 0. Setting it keeps the present position as phase."},
            {"phase", PH_JOINT_REST, 1, -INFINITY, NAN,
             .doc = "Value at which position is held; None: the present one."},
            {"max_torque", PH_JOINT_MAX_TORQUE, 1, 0, INFINITY, .infinite = true,
             .doc = "The most that it gives body b of joint_a, N m, or N where that slides, >= 0; "
                    "inf (or None): any."},
            PH_JOINT_TUNING,
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
    .readings =
        {
            {"joint_a", PH_JOINT_READ_JOINT_A, "The first joint."},
            {"joint_b", PH_JOINT_READ_JOINT_B, "The second joint."},
            {"position", PH_JOINT_READ_POSITION,
             "Coordinate of joint_a plus ratio times that of joint_b, now."},
            {"speed", PH_JOINT_READ_SPEED, "Rate of the position."},
        },
    .draw = draw_gear,
};

#endif
