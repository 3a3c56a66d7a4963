// Filter joint: two bodies do not collide with each other. No rows.
#ifdef PH_JOINT_EQUATIONS

PH_FOUR_INLINE int rows_of_filter(const Terms *terms, const Pose *pose,
                                  ConstraintRow rows[PH_JOINT_ROWS]) {
    (void)terms, (void)pose, (void)rows;
    return 0;
}

#else

static void draw_filter(const PhJointDrawing *to) {
    if (to->joint->body[0] != PH_NULL) {
        ph_draw_line(to, PH_JOINT_DASH, to->pose[0].p, to->pose[1].p);
    }
}

const char ph_joint_filter_doc[] =
    "add_filter_joint($self, a, b, *, user_data=None)\n--\n\n"
    "Keep two bodies from colliding with each other.\n\n"
    "Parameters\n----------\n"
    "a, b : Body\n" TELL_DATA "\n"
    "Returns\n-------\nFilterJoint\n    World.remove takes it away.\n\n" TELL_ERRORS
    "Examples\n--------\n"
    ">>> world = World(gravity=(0, 0))\n"
    ">>> a, b = world.add_body(Box(1, 1)), world.add_body(Box(1, 1), (0.5, 0))\n"
    ">>> joint = world.add_filter_joint(a, b)\n"
    ">>> world.step()\n"
    ">>> len(world.contacts)\n"
    "0";

static const PhJointKindInfo filter_info = {
    .name = "filter",
    .about = "Two bodies do not collide with each other.\n\nMade by World.add_filter_joint.",
    .angle_row = -1,
    .sequential = true,
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
    .inert = true,
    .positional = 2,
    .required = 2,
    .apart = true,
    .stemless = true,
    .arguments = {"a", "b"},
    .draw = draw_filter,
};

#endif
