// Springs and drives of joints in lanes: part of joint_unit_source.h. The equations are those of
// joint_solve.c.

// The inverse of what the rows of a joint that are in use do to each other.
static void invert_rows(const Row *rows, uint8_t used, const UnitBody *a, const UnitBody *b,
                        Wide inverse[6]) {
    static const uint8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const Wide zero = wide_splat(0), one = wide_splat(1);
    Wide k[6] = {one, zero, zero, one, zero, one};
    for (int i = 0; i < 3; i++) {
        Wide da[3] = {zero, zero, zero}, db[3] = {zero, zero, zero};
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

static void load_drive(const Unit *unit, const UnitBody *body, Wide drive[4]) {
    wide_load_quads((const float(*)[4])unit->run->layout->arrays->rows.drive, body->row, drive);
}

// Lets a body have gained what it has got since it was loaded.
static void gain(const Unit *unit, const UnitBody *body, float kept[PH_WIDE][4]) {
    float(*drive)[4] = unit->run->layout->arrays->rows.drive;
    if (body->fixed)
        return;
    for (uint32_t l = 0; l < PH_WIDE; l++)
        memcpy(kept[l], drive[body->row[l]], sizeof kept[l]);
    for (uint32_t l = 0; l < unit->block->count; l++)
        for (int k = 0; k < 3; k++)
            drive[body->row[l]][k] += (float)wide_get(body->v[k] - body->start[k], l);
}

// What a spring's own force has added along one of its rows, and the force itself: (1 - s) f.
static Wide held_back(const PhUnitWork *work, const Fields *fields, const Row *rows, int k,
                      const UnitBody *a, const UnitBody *b, Wide force) {
    const Wide zero = wide_splat(0);
    Wide va[3] = {zero, zero, zero}, vb[3] = {zero, zero, zero};
    for (int i = 0; i < 3; i++) {
        if (!has(work->sprung, i))
            continue;
        push_body(a, rows[i].a, fields->force[i], va);
        push_body(b, rows[i].b, fields->force[i], vb);
    }
    return force + dot3(rows[k].a, va) + dot3(rows[k].b, vb);
}

// What is asked of the rows.
static void ask(const Unit *unit, const PhUnitWork *work, const Fields *fields, const Row *rows,
                const UnitBody *a, const UnitBody *b, Wide asked[3]) {
    WideMask split = (WideMask)(fields->split != wide_splat(0));
    Wide drive_a[4], drive_b[4];
    load_drive(unit, a, drive_a);
    load_drive(unit, b, drive_b);
    for (int k = 0; k < 3; k++) {
        asked[k] = wide_splat(0);
        if (!has(work->sprung, k))
            continue;
        Wide error = rows[k].coordinate - fields->rest, pull = fields->pull * error;
        if (unit->pass->deed == PH_UNIT_FORCE) {
            asked[k] = wide_keep(split, pull);
            continue;
        }
        Wide velocity = dot3(rows[k].a, a->v) + dot3(rows[k].b, b->v);
        Wide gained = dot3(rows[k].a, drive_a) + dot3(rows[k].b, drive_b);
        Wide rest = fields->error * error;
        if (wide_any(split))
            rest = wide_select(split,
                               (fields->gained - fields->velocity) *
                                   held_back(work, fields, rows, k, a, b, pull),
                               rest);
        asked[k] =
            fields->velocity * (velocity - fields->wanted[k]) - fields->gained * gained + rest;
    }
}

static void act_spring(const Unit *unit, PhUnitWork *work, Fields *fields) {
    const Wide infinite = wide_splat(INFINITY);
    uint8_t sprung = work->sprung;
    bool first = unit->pass->deed == PH_UNIT_FORCE;
    if (!sprung || (first && !wide_any((WideMask)(fields->split != wide_splat(0)))))
        return;
    UnitBody a, b;
    Pose pose;
    Row rows[PH_JOINT_ROWS];
    Wide inverse[6], asked[3], impulse[3], force[2] = {wide_splat(0), wide_splat(0)};
    load_body(unit, work->side[0], &a);
    load_body(unit, work->side[1], &b);
    pose_of(&fields->place, &a, &b, &pose);
    fill_kind(work->kind, &fields->place.terms, &pose, rows);
    invert_rows(rows, sprung | work->rigid, &a, &b, inverse);
    ask(unit, work, fields, rows, &a, &b, asked);
    sym_apply(inverse, asked, impulse);
    for (int k = 0; k < 3; k++) {
        // Rows of anchors that are torn very far apart may not be told from each other.
        WideMask pushes = wide_abs(impulse[k]) < infinite;
        impulse[k] = has(sprung, k) ? wide_keep(pushes, -impulse[k]) : wide_splat(0);
        for (int i = 0; i < 2 && has(sprung, k); i++)
            force[i] += impulse[k] * rows[k].along[i];
    }
    Wide length = length2(force), torque = wide_splat(0), most = fields->most_torque;
    Wide share =
        wide_select(length > fields->most_force, fields->most_force / length, wide_splat(1));
    for (int k = 0; k < 3; k++) {
        if (!has(sprung, k))
            continue;
        WideMask couple = rows[k].couple != wide_splat(0);
        Wide bounded = wide_select(impulse[k] > most, most, impulse[k]);
        bounded = wide_select(bounded < -most, -most, bounded);
        impulse[k] = wide_select(couple, bounded, impulse[k] * share);
        torque += wide_keep(couple, impulse[k]);
        push_body(&a, rows[k].a, impulse[k], a.v);
        push_body(&b, rows[k].b, impulse[k], b.v);
    }
    for (int i = 0; i < 2; i++)
        fields->sum_force[i] += share * force[i];
    fields->sum_torque += torque;
    if (first) {
        memcpy(fields->force, impulse, sizeof fields->force);
        gain(unit, &a, work->kept[0]);
        gain(unit, &b, work->kept[1]);
    }
    store_body(unit, &a, a.v, wide_all());
    store_body(unit, &b, b.v, wide_all());
}
