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
#include "solve/joint_records.h"

const PhJointKindInfo ph_joint_gear = {
    .name = "gear",
    .rigid = 1,
    .limited = -1,
    .motored = -1,
    .coordinates = -1,
    .parameters =
        {
            {"ratio", PH_JOINT_RATIO, 1, -INFINITY, 1, false},
            PH_JOINT_BREAK_BY_FORCE,
            PH_JOINT_BREAK_BY_TORQUE,
        },
};
