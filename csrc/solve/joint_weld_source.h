// Weld joint: two bodies are one, rigidly or, with springs, softly in place, angle or both.
//
// The rows are those of the revolute joint, those of the place and that of the angle held or
// sprung. One spring of both has the stiffness of all three rows; where place and angle are told a
// spring each, that of the place gives a force at the anchors alone, that of the angle a torque.
// The lever of a goes to the anchor of b, which is the gap seen from a: on a spring the anchors are
// apart, and so the forces on both have one line.
#ifdef PH_JOINT_EQUATIONS

PH_FOUR_INLINE int rows_of_weld(const Terms *terms, const Pose *pose,
                                ConstraintRow rows[PH_JOINT_ROWS]) {
    (void)terms;
    fill_point(pose, true, rows);
    row_couple(&rows[2], pose->angle);
    return 3;
}

#else

static void draw_weld(const PhJointDrawing *to) {
    ph_draw_polygon(to, to->anchor[1], 0.4 * to->mark, 4, to->pose[1].q);
    ph_draw_line(to, PH_JOINT_LINE, to->anchor[0], to->anchor[1]);
}

const char ph_joint_weld_doc[] =
    "add_weld_joint($self, a, b, *, anchor=None, anchor_a=None, anchor_b=None,\n"
    "               local_anchor_a=None, local_anchor_b=None, reference_angle=None,\n"
    "               spring_hertz=0.0, spring_damping_ratio=0.0, angular_spring_hertz=None,\n"
    "               angular_spring_damping_ratio=None, stiffness=0.0, damping=0.0,\n"
    "               angular_stiffness=0.0, angular_damping=0.0, max_force=None,\n"
    "               max_torque=None, joint_hertz=None, joint_damping_ratio=None,\n"
    "               break_force=None, break_torque=None, collide_connected=False, "
    "user_data=None)\n--\n\n"
    "Make two bodies one, as they lie now, rigidly or on springs. Wakes them.\n\n"
    "Parameters\n----------\n" TELL_BODIES TELL_ANCHOR TELL_LOCAL TELL_REFERENCE TELL_SPRINGS
    "angular_spring_hertz : float, optional\n"
    "    Frequency of a spring of the angle alone, were the place held, Hz; 0: the angle is held.\n"
    "    spring_hertz is then the frequency of the place alone, with the angle held; 0: the place\n"
    "    is held. Default: one spring of both.\n"
    "angular_spring_damping_ratio : float, optional\n"
    "    Of the angle; default: as spring_damping_ratio. With either of the two, place and angle\n"
    "    have a spring each.\n" TELL_ELASTIC_APART("held") TELL_HOLDS
    "max_torque : float, optional\n    The same of the angle, N m.\n" TELL_TUNING TELL_BREAKS
        TELL_COLLIDE "\nReturns\n-------\nWeldJoint\n\n" TELL_ERRORS "Examples\n--------\n"
    ">>> world = World()\n"
    ">>> shelf = world.add_body(Box(1, 0.1), (0.5, 0), density=10)\n"
    ">>> weld = world.add_weld_joint(None, shelf, anchor=(0, 0))\n"
    ">>> world.step(n=60)\n"
    ">>> bool(abs(weld.torque - 9.81 * 0.5) < 1e-2)\n"
    "True";

static const PhJointKindInfo weld_info = {
    .name = "weld",
    .about = "Two bodies are one, rigidly or softly in place, angle or both.\n\n"
             "Made by World.add_weld_joint.",
    .angle_row = 2,
    .rigid = 7,
    .sprung = 7,
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
    .soft = true,
    .elastic = true,
    .paired = true,
    .bounded = 7,
    .holds_point = true,
    .with_arms = true,
    .keeps_stiffness = true,
    .positional = 2,
    .required = 2,
    .collide = true,
    .arguments = {"a", "b", "anchor", "anchor_a", "anchor_b", "local_anchor_a", "local_anchor_b",
                  "reference_angle"},
    .parameters =
        {
            PH_JOINT_SPRING_OF(0, 0, "place, and of the angle where that has none of its own"),
            {"angular_spring_hertz", PH_JOINT_TURN_HERTZ, 1, 0, NAN, .optional = true,
             .doc = "Frequency of the angle's own spring, Hz, >= 0; 0: the angle is held; None: "
                    "place and angle are on one spring."},
            {"angular_spring_damping_ratio", PH_JOINT_TURN_ZETA, 1, 0, NAN, .optional = true,
             .doc = "Damping ratio of the angle's spring, >= 0; 1 is critical; None: the other "
                    "one's."},
            PH_JOINT_ELASTIC("N/m", "N s/m"),
            PH_JOINT_TURN_ELASTIC,
            PH_JOINT_HOLDS_WITH_FORCE,
            PH_JOINT_HOLDS_WITH_TORQUE,
            PH_JOINT_TUNING,
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
    .readings = {PH_JOINT_ANGLE},
    .draw = draw_weld,
};

#endif
