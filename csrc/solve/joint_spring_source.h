// Springs and drives of joints in lanes: part of joint_unit_source.h. The equations are those of
// joint_solve.c.

// The inverse of what the rows of a joint that are in use do to each other.
static void invert_rows(const PhUnitRow *rows, uint8_t used, const UnitBody *a, const UnitBody *b,
                        Four inverse[6]) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const Four zero = four_splat(0), one = four_splat(1);
    Four k[6] = {one, zero, zero, one, zero, one};
    for (int i = 0; i < 3; i++) {
        Four da[3] = {zero, zero, zero}, db[3] = {zero, zero, zero};
        if (!has(used, i))
            continue;
        push_body(a, rows[i].a, one, da);
        push_body(b, rows[i].b, one, db);
        for (int j = i; j < 3; j++)
            if (has(used, j))
                k[at[i][j]] = dot3(rows[j].a, da) + dot3(rows[j].b, db);
    }
    sym_invert(k, inverse);
}

static void load_drive(const Unit *unit, const UnitBody *body, Four drive[4]) {
    four_load_quads((const float(*)[4])unit->run->layout->arrays->rows.drive, body->row, drive);
}

// Lets a body have gained what it has got since it was loaded.
static void gain(const Unit *unit, const UnitBody *body, float kept[PH_UNIT_LANES][4]) {
    float(*drive)[4] = unit->run->layout->arrays->rows.drive;
    if (body->fixed)
        return;
    for (uint32_t l = 0; l < PH_UNIT_LANES; l++)
        memcpy(kept[l], drive[body->row[l]], sizeof kept[l]);
    for (uint32_t l = 0; l < unit->block->count; l++)
        for (int k = 0; k < 3; k++)
            drive[body->row[l]][k] += (float)(body->v[k][l] - body->start[k][l]);
}

// What a spring's own force has added along one of its rows, and the force itself: (1 - s) f.
static Four held_back(const PhUnitWork *work, const PhUnitRow *rows, int k, const UnitBody *a,
                      const UnitBody *b, Four force) {
    Four va[3] = {{0}, {0}, {0}}, vb[3] = {{0}, {0}, {0}};
    for (int i = 0; i < 3; i++) {
        if (!has(work->sprung, i))
            continue;
        push_body(a, rows[i].a, work->force[i], va);
        push_body(b, rows[i].b, work->force[i], vb);
    }
    return force + dot3(rows[k].a, va) + dot3(rows[k].b, vb);
}

// What is asked of the rows.
static void ask(const Unit *unit, const PhUnitWork *work, const PhUnitRow *rows, const UnitBody *a,
                const UnitBody *b, Four asked[3]) {
    FourMask split = unit->pass->several ? work->split : (FourMask){0};
    Four drive_a[4], drive_b[4];
    load_drive(unit, a, drive_a);
    load_drive(unit, b, drive_b);
    for (int k = 0; k < 3; k++) {
        asked[k] = four_splat(0);
        if (!has(work->sprung, k))
            continue;
        Four error = rows[k].coordinate - work->rest, pull = work->pull * error;
        if (unit->pass->deed == PH_UNIT_FORCE) {
            asked[k] = keep(split, pull);
            continue;
        }
        Four velocity = dot3(rows[k].a, a->v) + dot3(rows[k].b, b->v);
        Four gained = dot3(rows[k].a, drive_a) + dot3(rows[k].b, drive_b);
        Four rest = work->error * error;
        if (any(split))
            rest = four_select(
                split, (work->gained - work->velocity) * held_back(work, rows, k, a, b, pull),
                rest);
        asked[k] = work->velocity * (velocity - work->wanted[k]) - work->gained * gained + rest;
    }
}

static void act_spring(const Unit *unit, PhUnitWork *work) {
    const Four infinite = four_splat(INFINITY);
    uint8_t sprung = work->sprung;
    bool first = unit->pass->deed == PH_UNIT_FORCE;
    if (!sprung || (first && !any(work->split)))
        return;
    UnitBody a, b;
    PhUnitPose pose;
    PhUnitRow rows[PH_JOINT_ROWS];
    Four inverse[6], asked[3], impulse[3], force[2] = {{0}, {0}};
    load_body(unit, work->place.side[0], &a);
    load_body(unit, work->place.side[1], &b);
    pose_of(&work->place, &a, &b, &pose);
    fill_kind(work->place.kind, &work->place.terms, &pose, rows);
    invert_rows(rows, sprung | work->rigid, &a, &b, inverse);
    ask(unit, work, rows, &a, &b, asked);
    sym_apply(inverse, asked, impulse);
    for (int k = 0; k < 3; k++) {
        // Rows of anchors that are torn very far apart may not be told from each other.
        FourMask pushes = four_abs(impulse[k]) < infinite;
        impulse[k] = has(sprung, k) ? keep(pushes, -impulse[k]) : four_splat(0);
        for (int i = 0; i < 2 && has(sprung, k); i++)
            force[i] += impulse[k] * rows[k].along[i];
    }
    Four length = length2(force), torque = four_splat(0), most = work->most_torque;
    Four share = four_select(length > work->most_force, work->most_force / length, four_splat(1));
    for (int k = 0; k < 3; k++) {
        if (!has(sprung, k))
            continue;
        FourMask couple = rows[k].couple != four_splat(0);
        Four bounded = four_select(impulse[k] > most, most, impulse[k]);
        bounded = four_select(bounded < -most, -most, bounded);
        impulse[k] = four_select(couple, bounded, impulse[k] * share);
        torque += keep(couple, impulse[k]);
        push_body(&a, rows[k].a, impulse[k], a.v);
        push_body(&b, rows[k].b, impulse[k], b.v);
    }
    for (int i = 0; i < 2; i++)
        work->sum_force[i] += share * force[i];
    work->sum_torque += torque;
    if (first) {
        memcpy(work->force, impulse, sizeof work->force);
        gain(unit, &a, work->kept_a);
        gain(unit, &b, work->kept_b);
    }
    store_body(unit, &a, a.v, unit->lanes);
    store_body(unit, &b, b.v, unit->lanes);
}
