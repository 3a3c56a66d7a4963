// The passes of passes.h in four lanes. A unit includes its headers, chooses a target, and includes
// this with PH_PASSES named.

enum { FOUR = 4 };

// ------------------------------------------------------------------------------------------------
// poses

// Arms from the origin to the centre of mass, body frame; zero for most bodies.
PH_FOUR_INLINE bool load_arms(const PhWorld *world, const uint32_t at[FOUR], Four *x, Four *y) {
    const uint8_t *off = world->off_center;
    if (!(off[at[0]] | off[at[1]] | off[at[2]] | off[at[3]])) {
        *x = *y = four_splat(0);
        return false;
    }
    const double *row[FOUR];
    for (int l = 0; l < FOUR; l++) {
        row[l] = &world->body[at[l]].center_local.x;
    }
    four_split(row, x, y);
    return true;
}

PH_FOUR_INLINE void store_transforms(PhTransform *transforms, const uint32_t at[FOUR], Four x,
                                     Four y, Four c, Four s) {
    double *place[FOUR], *turn[FOUR];
    for (int l = 0; l < FOUR; l++) {
        place[l] = &transforms[at[l]].p.x;
        turn[l] = &transforms[at[l]].q.c;
    }
    four_join(place, x, y);
    four_join(turn, c, s);
}

// Slots of a group of bodies; a last group is filled up with its last body. Most stand in a row.
typedef struct Group {
    uint32_t at[FOUR];
    bool row;
} Group;

PH_FOUR_INLINE Group group_of(const uint32_t *slots, uint32_t count, uint32_t i) {
    Group group;
    for (uint32_t l = 0; l < FOUR; l++) {
        group.at[l] = slots[i + l < count ? i + l : count - 1];
    }
    group.row = i + FOUR <= count && group.at[3] - group.at[0] == 3; // slots ascend
    return group;
}
PH_FOUR_INLINE Four gather(const double *rows, const Group *group) {
    return group->row ? four_load(rows + group->at[0]) : four_gather(rows, group->at);
}
PH_FOUR_INLINE void scatter(double *rows, const Group *group, Four x) {
    if (group->row) {
        four_store(rows + group->at[0], x);
    } else {
        four_scatter(rows, group->at, x);
    }
}

// Rotations first, two groups at a time.
static void turn(const PhWorld *world, const uint32_t *slots, uint32_t count, Four *c, Four *s) {
    const double *angle = world->state->angle;
    for (uint32_t i = 0; i < count; i += 2 * FOUR) {
        Group one = group_of(slots, count, i), other = group_of(slots, count, i + FOUR);
        const Four angles[2] = {gather(angle, &one), gather(angle, &other)};
        eight_rot(angles, c + i / FOUR, s + i / FOUR);
    }
}

// The bits of those that go from one place to another and reach so far around, and of whose path
// the distance grid says that nothing is near.
PH_FOUR_INLINE uint32_t find_clear(const PhDistanceGrid *distance_grid, Four x, Four y, Four to_x,
                                   Four to_y, Four reach) {
    return ph_distance_grid_clear(distance_grid, four_min(x, to_x) - reach,
                                  four_min(y, to_y) - reach, four_max(x, to_x) + reach,
                                  four_max(y, to_y) + reach);
}

// The bits of those whose path is nowhere near a box; of one that is empty, all.
PH_FOUR_INLINE uint32_t find_outside(PhAabb box, Four x, Four y, Four to_x, Four to_y, Four reach) {
    FourMask out = (four_max(x, to_x) + reach < four_splat(box.lower.x)) |
                   (four_max(y, to_y) + reach < four_splat(box.lower.y)) |
                   (four_min(x, to_x) - reach > four_splat(box.upper.x)) |
                   (four_min(y, to_y) - reach > four_splat(box.upper.y));
    return four_bits(out);
}

// Lists those of a group, which is not placed yet, whose points may have gone further than their
// limit, and keeps where they were.
PH_FOUR_INLINE void find_fast(PhWorld *world, const Group *group, uint32_t count, Four x, Four y,
                              Four angle) {
    PhContinuous *c = &world->continuous;
    const uint32_t *at = group->at;
    const double *row[FOUR];
    Four old_x, old_y, old_angle = gather(world->pose_angle, group);
    for (int l = 0; l < FOUR; l++) {
        row[l] = &world->transform[at[l]].p.x;
    }
    four_split(row, &old_x, &old_y);
    Four dx = x - old_x, dy = y - old_y;
    Four reach = gather(c->reach, group);
    Four displacement = four_sqrt(dx * dx + dy * dy) + four_abs(angle - old_angle) * reach;
    uint32_t fast = four_bits(displacement > gather(c->limit, group));
    if (fast && c->settled) {
        Four around = reach + world->lengths.stop_distance;
        fast &= ~(c->distance_grid.columns > 0
                      ? find_clear(&c->distance_grid, old_x, old_y, x, y, around)
                      : find_outside(c->bounds, old_x, old_y, x, y, around));
    }
    for (uint32_t l = 0; (fast | c->keeps_starts) && l < count; l++) {
        double *start = c->start[at[l]];
        start[0] = old_x[l];
        start[1] = old_y[l];
        start[2] = old_angle[l];
        if (fast >> l & 1) {
            c->fast[atomic_fetch_add_explicit(&c->fast_count, 1, memory_order_relaxed)] = at[l];
            c->listed[at[l]] = PH_LISTED_FAST;
        }
    }
}

static bool place_turned(PhWorld *world, const uint32_t *slots, uint32_t count, double dt,
                         const Four *cosine, const Four *sine) {
    PhState *state = world->state;
    const Four zero = four_splat(0);
    const uint64_t now = world->step_count + 1;
    FourMask bad = {0};
    for (uint32_t i = 0; i < count; i += FOUR) {
        const Group group = group_of(slots, count, i);
        const uint32_t *at = group.at;
        Four center_x, center_y, vx, vy, local_x, local_y, old_x, old_y;
        Four c = cosine[i / FOUR], s = sine[i / FOUR];
        four_gather_pairs((const double(*)[2])world->center, at, &center_x, &center_y);
        four_gather_pairs((const double(*)[2])state->velocity, at, &vx, &vy);
        Four angle = gather(state->angle, &group), w = gather(state->angular_velocity, &group);
        Four x = center_x, y = center_y;
        if (load_arms(world, at, &local_x, &local_y)) {
            Four arm_x = c * local_x - s * local_y, arm_y = s * local_x + c * local_y;
            FourMask has = (local_x != zero) | (local_y != zero);
            x = four_select(has, center_x - arm_x, x);
            y = four_select(has, center_y - arm_y, y);
            four_scatter_pairs(world->center, at, arm_x + x, arm_y + y);
        }
        four_gather_pairs((const double(*)[2])state->position, at, &old_x, &old_y);
        Four gone = four_abs(x - old_x) + four_abs(y - old_y) +
                    four_abs(angle - gather(world->pose_angle, &group));
        four_scatter_pairs(state->position, at, x, y);
        if (world->def.continuous) {
            find_fast(world, &group, count - i < FOUR ? count - i : FOUR, x, y, angle);
        }
        store_transforms(world->transform, at, x, y, c, s);
        scatter(world->pose_angle, &group, angle);
        Four sum = ((x + y) + (vx + vy)) + (angle + w);
        bad |= sum * zero != zero;
        for (int l = 0; l < FOUR; l++) {
            world->tree_stale[at[l]] = 1;
        }
        uint32_t moved = four_bits(gone != zero);
        for (int l = 0; l < FOUR; l++) {
            if (moved >> l & 1) {
                world->shifted[at[l]] = now;
            }
        }
        if (dt > 0) {
            Four speed =
                four_sqrt(vx * vx + vy * vy) + four_abs(w) * gather(world->sleep_reach, &group);
            Four slow_for = gather(world->sleep_time, &group) + dt;
            scatter(world->sleep_time, &group,
                    (Four)((FourMask)slow_for & (speed < world->lengths.sleep_speed)));
        }
    }
    return four_bits(bad) == 0;
}

static bool place(PhWorld *world, const uint32_t *slots, uint32_t count, double dt) {
    enum { BATCH = 256 };
    Four c[BATCH / FOUR], s[BATCH / FOUR];
    bool good = true;
    for (uint32_t i = 0; i < count; i += BATCH) {
        uint32_t part = count - i < BATCH ? count - i : BATCH;
        turn(world, slots + i, part, c, s);
        good &= place_turned(world, slots + i, part, dt, c, s);
    }
    return good;
}

// ------------------------------------------------------------------------------------------------
// boxes

// A box is worked on as {lower, -upper}: both sides are minima then, and growing is one
// subtraction.

// Whether the pairs of a proxy hold for this step: its near box is within the predicted one, which
// has been carried here, by some room, its displacement is the predicted one, give or take the
// slack and that room, and the step is one of those that were looked ahead. The gap of two
// predicted AABBs is smaller than that of what is in them by the room of both.
PH_FOUR_INLINE bool holds(const PhReach *reach, Four predicted, Four near, double x, double y) {
    if (four_bits(~(predicted <= near)) != 0) {
        return false;
    }
    x -= reach->x;
    y -= reach->y;
    if (x * x + y * y <= reach->slack * reach->slack) {
        return true;
    }
    Four room = near - predicted;
    double a = room[0] < room[1] ? room[0] : room[1];
    double b = room[2] < room[3] ? room[2] : room[3];
    double slack = reach->slack + (a < b ? a : b);
    return x * x + y * y <= slack * slack;
}

// Pairs hold where more steps than these are left. In short-horizon mode, of what keeps still
// alone.
PH_FOUR_INLINE uint8_t steps_over(const PhDisplacementField *displacements) {
    return displacements->short_horizon ? PH_LEFT_FOREVER - 1 : 0;
}

// Carries the predicted AABB of a proxy whose pairs hold.
PH_FOUR_INLINE void carry(PhProxies *p, uint32_t proxy, Four predicted) {
    const FourMask flip = {0, 0, INT64_MIN, INT64_MIN};
    if (p->left[proxy] != PH_LEFT_FOREVER) {
        four_store(&p->predicted[proxy].lower.x, (Four)((FourMask)predicted ^ flip));
        p->left[proxy]--;
    }
}

// Of spin_slack: where all travel less, none exceeds it in lanes of float32 either.
#define SPINS 0.6

// A proxy of any shape. True: it is enlarged.
PH_FOUR_INLINE bool grow_box(PhWorld *world, uint32_t proxy, double dt,
                             const PhDisplacementField *displacements, bool *spins) {
    PhProxies *p = &world->proxies;
    const FourMask flip = {0, 0, INT64_MIN, INT64_MIN};
    const PhPiece *piece = world->proxy_piece[proxy];
    const PhTransform *t = &world->transform[p->body[proxy]];
    const double *v = world->state->velocity[p->body[proxy]];
    const PhVec2 displacement = {v[0] * dt, v[1] * dt};
    double length = sqrt(v[0] * v[0] + v[1] * v[1]) * dt;
    double most = piece->width > 0 ? PH_AHEAD_WIDTHS * piece->width : INFINITY;
    double growth = world->lengths.box_slack + (length < most ? length : most);
    double travel = ph_spin_travel(world, proxy, dt), usual = world->lengths.spin_slack;
    double sweep = travel > usual ? travel - usual : 0;
    *spins |= travel > SPINS * usual;

    const PhVec2 *vertex = piece->vertices;
    const Four cs = {t->q.c, t->q.s, -t->q.c, -t->q.s};
    const Four sc = {-t->q.s, t->q.c, t->q.s, -t->q.c};
    Four box = cs * vertex[0].x + sc * vertex[0].y;
    for (int32_t k = 1; k < piece->count; k++) {
        box = four_min(cs * vertex[k].x + sc * vertex[k].y, box);
    }
    const Four place = {t->p.x, t->p.y, -t->p.x, -t->p.y};
    box = (box - piece->radius) + place;
    box = box - sweep;
    Four near = box - world->lengths.box_slack;
    box = box - growth;
    four_store(&p->box[proxy].lower.x, (Four)((FourMask)box ^ flip));

    const PhReach *reach = &p->reach[proxy];
    Four predicted = (Four)((FourMask)four_load(&p->predicted[proxy].lower.x) ^ flip);
    predicted = predicted + (Four){reach->x, reach->y, -reach->x, -reach->y};
    if (p->left[proxy] > steps_over(displacements) &&
        holds(reach, predicted, near, displacement.x, displacement.y)) {
        carry(p, proxy, predicted);
        return false;
    }
    PhAabb around;
    four_store(&around.lower.x, (Four)((FourMask)near ^ flip));
    ph_fatten(p, proxy, around, displacement, length, most, displacements);
    return true;
}

// Four proxies that reach to both sides of their centre of mass alike; a lane may be named twice.
// The bits of enlarged ones.
PH_FOUR_INLINE uint32_t grow_four(PhWorld *world, const uint32_t proxy[FOUR], double dt,
                                  const PhDisplacementField *displacements, bool *spins) {
    PhProxies *p = &world->proxies;
    const double *place[FOUR], *turn[FOUR], *size[FOUR], *more[FOUR], *step[FOUR], *loose[FOUR];
    double *lower[FOUR], *upper[FOUR];
    uint32_t slot[FOUR];
    uint8_t left[FOUR];
    for (int l = 0; l < FOUR; l++) {
        slot[l] = p->body[proxy[l]];
        place[l] = &world->transform[slot[l]].p.x;
        turn[l] = &world->transform[slot[l]].q.c;
        size[l] = &world->span[proxy[l]].x;
        more[l] = &world->span[proxy[l]].radius;
        step[l] = &p->reach[proxy[l]].x;
        loose[l] = &p->reach[proxy[l]].slack;
        left[l] = p->left[proxy[l]];
    }
    Four x, y, c, s, vx, vy, half_x, half_y, radius, most;
    four_split(place, &x, &y);
    four_split(turn, &c, &s);
    four_split(size, &half_x, &half_y);
    four_split(more, &radius, &most);
    four_gather_pairs((const double(*)[2])world->state->velocity, slot, &vx, &vy);
    Four length = four_sqrt(vx * vx + vy * vy) * dt;
    Four growth = world->lengths.box_slack + four_min(length, most);
    // As ph_spin_travel() has it.
    const double *spin = world->state->angular_velocity, usual = world->lengths.spin_slack;
    Four turned = {spin[slot[0]], spin[slot[1]], spin[slot[2]], spin[slot[3]]};
    turned = four_min(four_abs(turned) * dt, four_splat(1));
    Four travel = turned * four_sqrt(half_x * half_x + half_y * half_y);
    Four sweep = four_max(travel - usual, four_splat(0));
    *spins |= four_bits(travel > four_splat(SPINS * usual)) != 0;
    // The largest of c hx - s hy over the signs of both.
    c = four_abs(c);
    s = four_abs(s);
    Four wide = (c * half_x + s * half_y) + radius + sweep;
    Four high = (s * half_x + c * half_y) + radius + sweep;
    Four x0 = x - wide, y0 = y - high, x1 = x + wide, y1 = y + high;
    for (int l = 0; l < FOUR; l++) {
        lower[l] = &p->box[proxy[l]].lower.x;
        upper[l] = &p->box[proxy[l]].upper.x;
    }
    four_join(lower, x0 - growth, y0 - growth);
    four_join(upper, x1 + growth, y1 + growth);
    x0 -= world->lengths.box_slack;
    y0 -= world->lengths.box_slack;
    x1 += world->lengths.box_slack;
    y1 += world->lengths.box_slack;

    Four predicted_x0, predicted_y0, predicted_x1, predicted_y1, step_x, step_y, slack, limit;
    for (int l = 0; l < FOUR; l++) {
        lower[l] = &p->predicted[proxy[l]].lower.x;
        upper[l] = &p->predicted[proxy[l]].upper.x;
    }
    four_split((const double *const *)lower, &predicted_x0, &predicted_y0);
    four_split((const double *const *)upper, &predicted_x1, &predicted_y1);
    four_split(step, &step_x, &step_y); // 0 of what keeps still
    four_split(loose, &slack, &limit);
    predicted_x0 += step_x;
    predicted_y0 += step_y;
    predicted_x1 += step_x;
    predicted_y1 += step_y;
    Four room_x0 = x0 - predicted_x0, room_y0 = y0 - predicted_y0;
    Four room_x1 = predicted_x1 - x1, room_y1 = predicted_y1 - y1;
    // As holds() has it.
    FourMask inside =
        (predicted_x0 <= x0) & (predicted_y0 <= y0) & (x1 <= predicted_x1) & (y1 <= predicted_y1);
    Four off_x = vx * dt - step_x, off_y = vy * dt - step_y, off = off_x * off_x + off_y * off_y;
    Four room = four_min(four_min(room_x0, room_y0), four_min(room_x1, room_y1));
    Four all = slack + room;
    uint32_t good = four_bits(inside & ((off <= slack * slack) | (off <= all * all)));
    bool still = true;
    for (uint32_t l = 0; l < FOUR; l++) {
        good &= left[l] > steps_over(displacements) ? 15 : ~(1u << l);
        still &= left[l] == PH_LEFT_FOREVER;
        p->left[proxy[l]] = left[l] == PH_LEFT_FOREVER ? left[l] : (uint8_t)(left[l] - 1);
    }
    if (!still) {
        four_join(lower, predicted_x0, predicted_y0);
        four_join(upper, predicted_x1, predicted_y1);
    }
    for (uint32_t l = 0; good != 15 && l < FOUR; l++) {
        if (!(good >> l & 1)) {
            PhAabb around = {{x0[l], y0[l]}, {x1[l], y1[l]}};
            const double *v = world->state->velocity[slot[l]];
            ph_fatten(p, proxy[l], around, (PhVec2){v[0] * dt, v[1] * dt}, length[l], most[l],
                      displacements);
        }
    }
    return ~good & 15;
}

// Pieces lie anywhere: asks for those of two groups from k on, and for vertices of the first.
PH_FOUR_INLINE void fetch_pieces(const PhWorld *world, const uint32_t *proxies, uint32_t k,
                                 uint32_t count) {
    for (uint32_t l = 0; k + 2 * FOUR <= count && l < FOUR; l++) {
        __builtin_prefetch(world->proxy_piece[proxies[k + FOUR + l]]);
        __builtin_prefetch(&world->proxy_piece[proxies[k + FOUR + l]]->width);
        __builtin_prefetch(world->proxy_piece[proxies[k + l]]->vertices);
    }
}

static uint32_t grow_boxes(PhWorld *world, const uint32_t *proxies, uint32_t count, double dt,
                           const PhDisplacementField *displacements, uint32_t *enlarged_list,
                           bool *spins) {
    PhProxies *p = &world->proxies;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i += FOUR) {
        uint32_t at[FOUR], left_box = 0, last = count - i < FOUR ? count - i : FOUR;
        bool alike = true;
        for (uint32_t l = 0; l < FOUR; l++) {
            at[l] = proxies[i + (l < last ? l : last - 1)];
            alike &= (world->proxies.flags[at[l]] & PH_PROXY_EVEN) != 0 &&
                     !world->off_center[p->body[at[l]]];
        }
        if (alike) {
            left_box = grow_four(world, at, dt, displacements, spins);
        } else {
            fetch_pieces(world, proxies, i + FOUR, count);
        }
        for (uint32_t l = 0; (left_box != 0 || !alike) && l < last; l++) {
            if (alike ? left_box >> l & 1 : grow_box(world, at[l], dt, displacements, spins)) {
                p->flags[at[l]] |= PH_PROXY_ENLARGED;
                enlarged_list[found++] = at[l];
            }
        }
    }
    return found;
}

// ------------------------------------------------------------------------------------------------
// writes from outside

static bool needs_a_scan(const PhWorld *world, uint32_t i) {
    const PhState *s = world->state;
    const PhTransform *seen = &world->transform[i];
    double sum = s->position[i][0] * 0 + s->position[i][1] * 0 + s->angle[i] * 0 +
                 s->velocity[i][0] * 0 + s->velocity[i][1] * 0 + s->angular_velocity[i] * 0 +
                 s->force[i][0] * 0 + s->force[i][1] * 0 + s->torque[i] * 0;
    bool fast = fabs(s->velocity[i][0]) > PH_MAX_VELOCITY ||
                fabs(s->velocity[i][1]) > PH_MAX_VELOCITY ||
                fabs(s->angular_velocity[i]) > PH_MAX_VELOCITY;
    bool pushed = s->velocity[i][0] != 0 || s->velocity[i][1] != 0 || s->angular_velocity[i] != 0 ||
                  s->force[i][0] != 0 || s->force[i][1] != 0 || s->torque[i] != 0;
    return !s->alive[i] || sum != 0 || fast || s->position[i][0] != seen->p.x ||
           s->position[i][1] != seen->p.y || s->angle[i] != world->pose_angle[i] ||
           (pushed && !s->awake[i]);
}

static uint32_t scan_writes(const PhWorld *world, uint32_t *found) {
    const PhState *s = world->state;
    const PhTransform *seen = world->transform;
    const Four zero = four_splat(0);
    uint32_t n = 0, i = 0;
    for (; i + FOUR <= world->slot_count; i += FOUR) {
        Four sum = zero;
        FourMask differs = {0}, pushed = {0};
        for (uint32_t k = i; k < i + FOUR; k += 2) {
            Four place = four_load(s->position[k]), v = four_load(s->velocity[k]);
            Four force = four_load(s->force[k]);
            Four known = {seen[k].p.x, seen[k].p.y, seen[k + 1].p.x, seen[k + 1].p.y};
            differs |= (place != known) | (four_abs(v) > PH_MAX_VELOCITY);
            pushed |= (v != zero) | (force != zero);
            sum = sum + place * zero + v * zero + force * zero;
        }
        Four angle = four_load(s->angle + i), w = four_load(s->angular_velocity + i);
        Four torque = four_load(s->torque + i);
        differs |= (angle != four_load(world->pose_angle + i)) | (four_abs(w) > PH_MAX_VELOCITY);
        pushed |= (w != zero) | (torque != zero);
        sum = sum + angle * zero + w * zero + torque * zero;
        uint32_t awake, alive;
        memcpy(&awake, s->awake + i, sizeof awake);
        memcpy(&alive, s->alive + i, sizeof alive);
        if (four_bits(differs | (sum != zero)) == 0 && alive == 0x01010101 &&
            (awake == 0x01010101 || four_bits(pushed) == 0)) {
            continue;
        }
        for (uint32_t k = i; k < i + FOUR; k++) {
            found[n] = k;
            n += needs_a_scan(world, k);
        }
    }
    for (; i < world->slot_count; i++) {
        found[n] = i;
        n += needs_a_scan(world, i);
    }
    return n;
}

const PhPasses PH_PASSES = {.place = place, .grow_boxes = grow_boxes, .scan_writes = scan_writes};
