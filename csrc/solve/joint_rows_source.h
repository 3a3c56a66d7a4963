// What rows of several kinds of joints have in common, in lanes: part of articulation_source.h. The
// equations of a kind stand in its file (joint_list.h).

PH_FOUR_INLINE Wide dot2(const Wide a[2], const Wide b[2]) {
    return a[0] * b[0] + a[1] * b[1];
}
PH_FOUR_INLINE Wide cross2(const Wide a[2], const Wide b[2]) {
    return a[0] * b[1] - a[1] * b[0];
}
PH_FOUR_INLINE Wide dot3(const Wide a[3], const Wide b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
PH_FOUR_INLINE Wide length2(const Wide a[2]) {
    return wide_sqrt(dot2(a, a));
}

// A force along a direction at the anchors, the lever of a given from its centre of mass.
PH_FOUR_INLINE void row_along(ConstraintRow *row, const Pose *pose, const Wide along[2],
                              const Wide lever_a[2]) {
    row->a[0] = -along[0];
    row->a[1] = -along[1];
    row->a[2] = -cross2(lever_a, along);
    row->b[0] = row->along[0] = along[0];
    row->b[1] = row->along[1] = along[1];
    row->b[2] = cross2(pose->arm_b, along);
    row->couple = wide_splat(0);
}
// Two, along the axes of the world.
PH_FOUR_INLINE void rows_of_point(ConstraintRow rows[2], const Pose *pose, const Wide lever_a[2]) {
    const Wide zero = wide_splat(0), one = wide_splat(1);
    const Wide x[2] = {one, zero}, y[2] = {zero, one};
    row_along(&rows[0], pose, x, lever_a);
    row_along(&rows[1], pose, y, lever_a);
}

// A torque.
PH_FOUR_INLINE void row_couple(ConstraintRow *row, Wide angle) {
    const Wide zero = wide_splat(0), one = wide_splat(1);
    *row = (ConstraintRow){.a = {zero, zero, -one},
                           .b = {zero, zero, one},
                           .along = {zero, zero},
                           .couple = one,
                           .coordinate = angle,
                           .acceleration = zero};
}

// Of anchor b less that of anchor a.
PH_FOUR_INLINE void gap_velocity(const Pose *pose, Wide out[2]) {
    const Wide *a = pose->velocity_a, *b = pose->velocity_b;
    out[0] = (b[0] - b[2] * pose->arm_b[1]) - (a[0] - a[2] * pose->arm_a[1]);
    out[1] = (b[1] + b[2] * pose->arm_b[0]) - (a[1] + a[2] * pose->arm_a[0]);
}

// What turning alone makes of the acceleration of the gap.
PH_FOUR_INLINE void gap_turning(const Pose *pose, Wide out[2]) {
    Wide a = pose->velocity_a[2] * pose->velocity_a[2];
    Wide b = pose->velocity_b[2] * pose->velocity_b[2];
    for (int i = 0; i < 2; i++) {
        out[i] = a * pose->arm_a[i] - b * pose->arm_b[i];
    }
}

PH_FOUR_INLINE void fill_point(const Pose *pose, bool at_b, ConstraintRow rows[2]) {
    Wide lever[2] = {pose->arm_a[0], pose->arm_a[1]}, turning[2];
    gap_turning(pose, turning);
    for (int i = 0; i < 2 && at_b; i++) {
        lever[i] += pose->gap[i];
    }
    rows_of_point(rows, pose, lever);
    for (int i = 0; i < 2; i++) {
        rows[i].coordinate = pose->gap[i];
        rows[i].acceleration = turning[i];
    }
}

// Across and along the axis; the angle between them goes where the kind has it.
PH_FOUR_INLINE void fill_slide(const Terms *terms, const Pose *pose, ConstraintRow *held,
                               ConstraintRow *along) {
    const Wide *q = pose->rot_a, *axis = terms->axis;
    Wide x[2] = {q[0] * axis[0] - q[1] * axis[1], q[1] * axis[0] + q[0] * axis[1]};
    Wide t[2] = {-x[1], x[0]}, velocity[2], turning[2], lever[2];
    Wide w = pose->velocity_a[2];
    gap_velocity(pose, velocity);
    gap_turning(pose, turning);
    for (int i = 0; i < 2; i++) {
        lever[i] = pose->arm_a[i] + pose->gap[i];
    }
    row_along(held, pose, t, lever);
    held->coordinate = dot2(t, pose->gap);
    held->acceleration = -2 * w * dot2(x, velocity) - w * w * held->coordinate + dot2(t, turning);
    row_along(along, pose, x, lever);
    along->coordinate = dot2(x, pose->gap);
    along->acceleration = 2 * w * dot2(t, velocity) - w * w * along->coordinate + dot2(x, turning);
}

#define PH_JOINT_FILES
#define PH_JOINT_EQUATIONS
#include "solve/joint_list.h"
#undef PH_JOINT_EQUATIONS
#undef PH_JOINT_FILES

// Returns how many rows the kind has.
#define FILL(KIND, name, Type)                                                                     \
    case PH_JOINT_##KIND:                                                                          \
        return rows_of_##name(terms, pose, rows);
static int fill_kind(PhJointKind kind, const Terms *terms, const Pose *pose,
                     ConstraintRow rows[PH_JOINT_ROWS]) {
    switch (kind) {
        PH_JOINT_KINDS(FILL)
    default:
        return 0;
    }
}
#undef FILL
