// Ratchet joint: b turns against a one way; the other way it stops at the last tooth it has passed.
//
// The row is the angle, with a limit that the world sets after each step to the last tooth passed:
// the lower one for teeth > 0, which let the angle grow, the upper one for teeth < 0.
#ifdef PH_JOINT_EQUATIONS

PH_FOUR_INLINE int rows_of_ratchet(const Terms *terms, const Pose *pose,
                                   ConstraintRow rows[PH_JOINT_ROWS]) {
    (void)terms;
    row_couple(&rows[0], pose->angle);
    return 1;
}

#else

// The limit at the last tooth that the angle has passed.
static void engage(PhJoint *joint, double angle, const double *before) {
    double tooth = joint->value[PH_JOINT_TOOTH], phase = joint->value[PH_JOINT_PHASE];
    if (before) {
        if (before[PH_JOINT_TOOTH] == tooth && before[PH_JOINT_PHASE] == phase) {
            return;
        }
        joint->value[PH_JOINT_LOWER] = -INFINITY;
        joint->value[PH_JOINT_UPPER] = INFINITY;
    }
    double passed = phase + tooth * floor((angle - phase) / tooth);
    double *limit = &joint->value[tooth > 0 ? PH_JOINT_LOWER : PH_JOINT_UPPER];
    bool further = tooth > 0 ? passed > *limit : passed < *limit;
    *limit = further && isfinite(passed) ? passed : *limit;
}

static void draw_ratchet(const PhJointDrawing *to) {
    PhVec2 points[PH_JOINT_MOST_POINTS], center = to->pose[1].p;
    double tooth = to->joint->value[PH_JOINT_TOOTH], share = 2 * PH_PI / fabs(tooth);
    int teeth = share < 36 ? (share > 3 ? (int)(share + 0.5) : 3) : 36;
    double first = ph_atan2(to->pose[0].q.s, to->pose[0].q.c) + to->joint->value[PH_JOINT_PHASE];
    for (int i = 0; i <= 2 * teeth; ++i) { // a slope, then a step back
        PhRot turn = ph_rot(first + copysign(2 * PH_PI / teeth, tooth) * (i / 2));
        double radius = (i % 2 ? 0.7 : 1) * to->mark;
        points[i] = ph_mul_add(center, radius, ph_vec(turn.c, turn.s));
    }
    to->pen(to->context, PH_JOINT_LINE, points, 2 * teeth + 1);
}

const char ph_joint_ratchet_doc[] =
    "add_ratchet_joint($self, a, b, *, tooth, phase=0.0, max_torque=None,\n"
    "                  joint_hertz=None, joint_damping_ratio=None, break_torque=None, "
    "collide_connected=True, user_data=None)\n--\n\n"
    "Let b turn relative to a in one direction only. Wakes the bodies.\n\n"
    "Turned back, it stops at the last tooth that it has passed. Holds no points together: use it "
    "with a\nrevolute joint.\n\n"
    "Parameters\n----------\n" TELL_BODIES
    "tooth : float\n    Angle between teeth, radians, not 0; positive teeth let the angle of b "
    "against a grow.\n"
    "phase : float\n    Angle of a tooth, radians; the angle is 0 now.\n" TELL_HOLDS_BY(
        "max_torque", "stops with, N m") TELL_TUNING
    "break_torque : float, optional\n    The joint breaks, and is removed, "
    "when the mean torque "
    "of a step is more, N m.\n" TELL_COLLIDE "\nReturns\n-------\nRatchetJoint\n\n" TELL_ERRORS
    "Examples\n--------\n"
    ">>> world = World(gravity=(0, 0))\n"
    ">>> wheel = world.add_body(Circle(0.5), angular_velocity=-1)\n"
    ">>> pawl = world.add_ratchet_joint(None, wheel, tooth=0.5)\n"
    ">>> world.step(n=60)\n"
    ">>> bool(abs(pawl.angle) < 1e-3)\n"
    "True";

static const PhJointKindInfo ratchet_info = {
    .name = "ratchet",
    .about = "A body turns relative to another in one direction only, tooth by tooth.\n\n"
             "Made by World.add_ratchet_joint.",
    .angle_row = 0,
    .limited = 0,
    .bounded = 1,
    .motored = -1,
    .coordinates = 0,
    .positional = 2,
    .required = 3,
    .collide = true,
    .collides = true,
    .apart = true,
    .arguments = {"a", "b"},
    .parameters =
        {
            {"tooth", PH_JOINT_TOOTH, 1, -INFINITY, 0, .nonzero = true,
             .doc = "Angle between teeth, radians, not 0; positive teeth let the angle grow."},
            {"phase", PH_JOINT_PHASE, 1, -INFINITY, 0, .doc = "Angle of a tooth, radians."},
            PH_JOINT_HOLDS_WITH_TORQUE,
            PH_JOINT_TUNING,
            PH_JOINT_BREAK_BY_TORQUE,
        },
    .readings =
        {
            PH_JOINT_ANGLE_THAT_COUNTS,
            {"speed", PH_JOINT_READ_SPEED, "Rate of the angle, rad/s."},
        },
    .follow = engage,
    .draw = draw_ratchet,
};

#endif
