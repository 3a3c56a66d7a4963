// Rows of all kinds of joints but gears, in lanes: part of joint_unit_source.h. How they come about
// stands in the file of each kind.

// What the direction of a length is where it has none. Metres
#define PH_UNIT_SHORTEST 1e-9

PH_FOUR_INLINE Four dot2(const Four a[2], const Four b[2]) {
    return a[0] * b[0] + a[1] * b[1];
}
PH_FOUR_INLINE Four cross2(const Four a[2], const Four b[2]) {
    return a[0] * b[1] - a[1] * b[0];
}
PH_FOUR_INLINE Four dot3(const Four a[3], const Four b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
PH_FOUR_INLINE Four keep(FourMask m, Four x) {
    return (Four)(m & (FourMask)x);
}
PH_FOUR_INLINE Four length2(const Four a[2]) {
    return four_sqrt(dot2(a, a));
}

// A force along a direction at the anchors, the lever of a given from its centre of mass.
PH_FOUR_INLINE void row_along(PhUnitRow *row, const PhUnitPose *pose, const Four along[2],
                              const Four lever_a[2]) {
    row->a[0] = -along[0];
    row->a[1] = -along[1];
    row->a[2] = -cross2(lever_a, along);
    row->b[0] = row->along[0] = along[0];
    row->b[1] = row->along[1] = along[1];
    row->b[2] = cross2(pose->arm_b, along);
    row->couple = four_splat(0);
}
// Two, along the axes of the world.
PH_FOUR_INLINE void rows_of_point(PhUnitRow rows[2], const PhUnitPose *pose,
                                  const Four lever_a[2]) {
    const Four zero = four_splat(0), one = four_splat(1);
    const Four x[2] = {one, zero}, y[2] = {zero, one};
    row_along(&rows[0], pose, x, lever_a);
    row_along(&rows[1], pose, y, lever_a);
}

// A torque.
PH_FOUR_INLINE void row_couple(PhUnitRow *row, Four angle) {
    const Four zero = four_splat(0), one = four_splat(1);
    *row = (PhUnitRow){.a = {zero, zero, -one},
                       .b = {zero, zero, one},
                       .along = {zero, zero},
                       .couple = one,
                       .coordinate = angle,
                       .acceleration = zero};
}

// Of anchor b less that of anchor a.
PH_FOUR_INLINE void gap_velocity(const PhUnitPose *pose, Four out[2]) {
    const Four *a = pose->velocity_a, *b = pose->velocity_b;
    out[0] = (b[0] - b[2] * pose->arm_b[1]) - (a[0] - a[2] * pose->arm_a[1]);
    out[1] = (b[1] + b[2] * pose->arm_b[0]) - (a[1] + a[2] * pose->arm_a[0]);
}

// What turning alone makes of the acceleration of the gap.
PH_FOUR_INLINE void gap_turning(const PhUnitPose *pose, Four out[2]) {
    Four a = pose->velocity_a[2] * pose->velocity_a[2];
    Four b = pose->velocity_b[2] * pose->velocity_b[2];
    for (int i = 0; i < 2; i++)
        out[i] = a * pose->arm_a[i] - b * pose->arm_b[i];
}

PH_FOUR_INLINE void fill_point(const PhUnitPose *pose, bool at_b, PhUnitRow rows[2]) {
    Four lever[2] = {pose->arm_a[0], pose->arm_a[1]}, turning[2];
    gap_turning(pose, turning);
    for (int i = 0; i < 2 && at_b; i++)
        lever[i] += pose->gap[i];
    rows_of_point(rows, pose, lever);
    for (int i = 0; i < 2; i++) {
        rows[i].coordinate = pose->gap[i];
        rows[i].acceleration = turning[i];
    }
}

PH_FOUR_INLINE void fill_distance(const PhUnitTerms *terms, const PhUnitPose *pose,
                                  PhUnitRow *row) {
    Four length = length2(pose->gap), n[2], velocity[2], lever[2], turning[2];
    FourMask directed = length > four_splat(PH_UNIT_SHORTEST);
    Four inverse = 1 / length;
    const Four *q = pose->rot_a, *x = terms->axis;
    n[0] = four_select(directed, inverse * pose->gap[0], q[0] * x[0] - q[1] * x[1]);
    n[1] = four_select(directed, inverse * pose->gap[1], q[1] * x[0] + q[0] * x[1]);
    gap_velocity(pose, velocity);
    gap_turning(pose, turning);
    Four across = cross2(n, velocity);
    for (int i = 0; i < 2; i++)
        lever[i] = pose->arm_a[i] + pose->gap[i];
    row_along(row, pose, n, lever);
    row->coordinate = length;
    row->acceleration = dot2(n, turning) + keep(directed, across * across / length);
}

// Across and along the axis; the angle between them goes where the kind has it.
PH_FOUR_INLINE void fill_slide(const PhUnitTerms *terms, const PhUnitPose *pose, PhUnitRow *held,
                               PhUnitRow *along) {
    const Four *q = pose->rot_a, *axis = terms->axis;
    Four x[2] = {q[0] * axis[0] - q[1] * axis[1], q[1] * axis[0] + q[0] * axis[1]};
    Four t[2] = {-x[1], x[0]}, velocity[2], turning[2], lever[2];
    Four w = pose->velocity_a[2];
    gap_velocity(pose, velocity);
    gap_turning(pose, turning);
    for (int i = 0; i < 2; i++)
        lever[i] = pose->arm_a[i] + pose->gap[i];
    row_along(held, pose, t, lever);
    held->coordinate = dot2(t, pose->gap);
    held->acceleration = -2 * w * dot2(x, velocity) - w * w * held->coordinate + dot2(t, turning);
    row_along(along, pose, x, lever);
    along->coordinate = dot2(x, pose->gap);
    along->acceleration = 2 * w * dot2(t, velocity) - w * w * along->coordinate + dot2(x, turning);
}

PH_FOUR_INLINE void fill_motor(const PhUnitTerms *terms, const PhUnitPose *pose,
                               PhUnitRow rows[3]) {
    const Four *q = pose->rot_a, *o = terms->offset, zero = four_splat(0);
    Four turned[2] = {q[0] * o[0] - q[1] * o[1], q[1] * o[0] + q[0] * o[1]}, lever[2];
    for (int i = 0; i < 2; i++)
        lever[i] = pose->arm_a[i] + turned[i];
    rows_of_point(rows, pose, lever);
    for (int i = 0; i < 2; i++) {
        rows[i].coordinate = pose->gap[i] - turned[i];
        rows[i].acceleration = zero;
    }
    row_couple(&rows[2], pose->angle - terms->turn);
}

// One side of a pulley: its Jacobian, times the ratio. Returns its length, adds to the
// acceleration.
PH_FOUR_INLINE Four fill_side(const Four reach[2], const Four arm[2], const Four velocity[3],
                              Four ratio, Four jacobian[3], Four *acceleration) {
    Four length = length2(reach), n[2], moves[2], w = velocity[2];
    FourMask directed = length > four_splat(PH_UNIT_SHORTEST);
    Four inverse = 1 / length;
    n[0] = keep(directed, inverse * reach[0]);
    n[1] = four_select(directed, inverse * reach[1], four_splat(-1));
    moves[0] = velocity[0] - w * arm[1];
    moves[1] = velocity[1] + w * arm[0];
    Four across = cross2(n, moves);
    jacobian[0] = ratio * n[0];
    jacobian[1] = ratio * n[1];
    jacobian[2] = ratio * cross2(arm, n);
    *acceleration -= ratio * w * w * dot2(n, arm);
    *acceleration += keep(directed, ratio * across * across / length);
    return length;
}

PH_FOUR_INLINE void fill_pulley(const PhUnitTerms *terms, const PhUnitPose *pose, PhUnitRow *row) {
    row->acceleration = row->couple = four_splat(0);
    Four a = fill_side(pose->reach_a, pose->arm_a, pose->velocity_a, four_splat(1), row->a,
                       &row->acceleration);
    Four b = fill_side(pose->reach_b, pose->arm_b, pose->velocity_b, terms->ratio, row->b,
                       &row->acceleration);
    row->along[0] = row->b[0];
    row->along[1] = row->b[1];
    row->coordinate = a + terms->ratio * b;
}

static int fill_kind(PhJointKind kind, const PhUnitTerms *terms, const PhUnitPose *pose,
                     PhUnitRow rows[PH_JOINT_ROWS]) {
    switch (kind) {
    case PH_JOINT_REVOLUTE:
    case PH_JOINT_WELD:
        fill_point(pose, kind == PH_JOINT_WELD, rows);
        row_couple(&rows[2], pose->angle);
        return 3;
    case PH_JOINT_MOUSE:
        fill_point(pose, false, rows);
        return 2;
    case PH_JOINT_DISTANCE:
        fill_distance(terms, pose, &rows[0]);
        return 1;
    case PH_JOINT_PRISMATIC:
        fill_slide(terms, pose, &rows[0], &rows[2]);
        row_couple(&rows[1], pose->angle);
        return 3;
    case PH_JOINT_WHEEL:
        fill_slide(terms, pose, &rows[0], &rows[1]);
        row_couple(&rows[2], pose->angle);
        return 3;
    case PH_JOINT_MOTOR:
        fill_motor(terms, pose, rows);
        return 3;
    case PH_JOINT_PULLEY:
        fill_pulley(terms, pose, &rows[0]);
        return 1;
    case PH_JOINT_RATCHET:
        row_couple(&rows[0], pose->angle);
        return 1;
    default:
        return 0;
    }
}
