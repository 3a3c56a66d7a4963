// Mouse joint: a spring from a point of a body to a target in the world, with bounded force.
//
// The rows are the point rows of the revolute joint; body a is the world and its anchor the target.
//
// The stiffness is w^2 times the mass of the body, in all directions. One that followed the masses
// that the anchor meets along and across its lever arm would turn with the body. It would be the
// gradient of no energy, so a body that swings and turns could gain without end.
#ifdef PH_JOINT_EQUATIONS

PH_FOUR_INLINE int rows_of_mouse(const Terms *terms, const Pose *pose,
                                 ConstraintRow rows[PH_JOINT_ROWS]) {
    (void)terms;
    fill_point(pose, false, rows);
    return 2;
}

#else

static void work_out_mouse(const PhJointMaking *making, double *value) {
    if (isnan(value[PH_JOINT_POINT])) {
        value[PH_JOINT_POINT] = making->anchor[1].x;
        value[PH_JOINT_POINT + 1] = making->anchor[1].y;
    }
}

static void draw_mouse(const PhJointDrawing *to) {
    ph_draw_pull(to, to->anchor[0]);
}

const char ph_joint_mouse_doc[] =
    "add_mouse_joint($self, body, *, target=None, anchor=None, max_force=None, spring_hertz=5.0,\n"
    "                spring_damping_ratio=1.0, stiffness=0.0, damping=0.0, break_force=None,\n"
    "                user_data=None)\n--\n\n"
    "Pull a point of a body to a target in the world. Wakes it.\n\n"
    "Parameters\n----------\n"
    "body : Body\n"
    "target : array_like, shape (2,), optional\n    World point; default: the anchor.\n"
    "anchor : array_like, shape (2,), optional\n"
    "    World point of the body to pull at; default: the target, else its position.\n"
    "max_force : float, optional\n    The most that it pulls with, N.\n" TELL_SPRINGS TELL_ELASTIC(
        "N/m",
        "N s/m") "break_force : float, optional\n    The joint breaks, and is removed, when the "
                 "mean force of a "
                 "step is "
                 "more, N.\n" TELL_DATA "\n"
                 "Returns\n-------\nMouseJoint\n    Assign to target to move it.\n\n" TELL_ERRORS
                 "Examples\n--------\n"
                 ">>> world = World()\n"
                 ">>> body = world.add_body(Circle(0.5))\n"
                 ">>> mouse = world.add_mouse_joint(body)\n"
                 ">>> mouse.target = (1, 2)\n"
                 ">>> world.step(n=240)\n"
                 ">>> bool(np.allclose(body.position, (1, 2), atol=0.02))\n"
                 "True";

static const PhJointKindInfo mouse_info = {
    .name = "mouse",
    .about = "Pulls a point of a body to a target in the world, with bounded force.\n\n"
             "Made by World.add_mouse_joint.",
    .angle_row = -1,
    .sprung = 3,
    .elastic = true,
    .even = true,
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
    .aims = true,
    .positional = 1,
    .required = 1,
    .stemless = true,
    .arguments = {"body", "anchor"},
    .parameters =
        {
            {"target", PH_JOINT_POINT, 2, -INFINITY, NAN,
             .doc = "Point that the body is pulled to, shape (2,), metres, world; None: where it "
                    "is now."},
            PH_JOINT_MOST_FORCE,
            PH_JOINT_SPRING_OF(5, 1, "place"),
            PH_JOINT_ELASTIC("N/m", "N s/m"),
            PH_JOINT_BREAK_BY_FORCE,
        },
    .work_out = work_out_mouse,
    .draw = draw_mouse,
};

#endif
