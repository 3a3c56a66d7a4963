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
#include "solve/joint_solve.h"

static void fill(const PhJoint *joint, const PhJointPose *pose, PhJointRow *rows) {
    (void)joint;
    (void)pose;
    (void)rows;
}

static void add_scaled(double scale, const double from[3], double to[3]) {
    for (int i = 0; i < 3; i++)
        to[i] = scale * from[i];
}

void ph_joint_gear_fill(const PhJoint *gear, const PhJoint *const joints[2],
                        const PhJointPose poses[2], PhJointRow *rows) {
    rows[0] = rows[1] = (PhJointRow){.coordinate = -gear->value[PH_JOINT_REST]};
    for (int side = 0; side < 2; side++) {
        const PhJointKindInfo *info = ph_joint_kind((PhJointKind)joints[side]->kind);
        double scale = side ? gear->value[PH_JOINT_RATIO] : 1;
        PhJointRow of[PH_JOINT_ROWS] = {{.couple = 0}};
        info->fill(joints[side], &poses[side], of);
        const PhJointRow *row = &of[info->coordinates];
        add_scaled(scale, row->b, side ? rows[0].b : rows[0].a);
        add_scaled(scale, row->a, side ? rows[1].b : rows[1].a);
        rows[0].coordinate += scale * row->coordinate;
        rows[0].acceleration += scale * row->acceleration;
        rows[0].along = ph_scale(scale, row->along);
        rows[0].couple = scale * row->couple;
    }
}

const PhJointKindInfo ph_joint_gear = {
    .name = "gear",
    .rigid = 1,
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
    .fill = fill,
    .parameters =
        {
            {"ratio", PH_JOINT_RATIO, 1, -INFINITY, 1, false},
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
};
