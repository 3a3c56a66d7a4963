// What solver bodies begin a step with and what they leave at its end, four at once: part of
// kernels_source.h. The operations are those of load_any and store_any (soft_step.c) on bodies to
// which no limit applies; what is among four of which one is not so is left to them.

// In m and rad, of a step. Any number would do: beyond it bodies are examined one by one.
#define FAR 1e9

PH_FOUR_INLINE bool consecutive(const uint32_t slot[4]) {
    return (slot[1] - slot[0] == 1) & (slot[2] - slot[0] == 2) & (slot[3] - slot[0] == 3);
}
PH_FOUR_INLINE Four gather_bodies(const double *state, const uint32_t slot[4]) {
    return consecutive(slot) ? four_load(state + slot[0]) : four_gather(state, slot);
}
PH_FOUR_INLINE void scatter_bodies(double *state, const uint32_t slot[4], Four x) {
    if (consecutive(slot)) {
        four_store(state + slot[0], x);
    } else {
        four_scatter(state, slot, x);
    }
}

static uint32_t load_falling(const PhSolverBodyEnds *ends, uint32_t first, uint32_t last) {
    const Four limit = four_splat(ends->most_speed), spin = four_splat(ends->most_spin);
    const FourFloat none = {0, 0, 0, 0};
    const FourFloat drive = {ends->drive[0], ends->drive[1], 0, 0};
    const PhSolverBodyArrays *solver_bodies = &ends->solver_bodies;
    uint32_t r = first;
    for (; last - r >= 4; r += 4) {
        const uint32_t *slot = ends->slot + r;
        Four x, y, w = gather_bodies(ends->angular_velocity, slot);
        four_gather_pairs((const double(*)[2])ends->velocity, slot, &x, &y);
        // Sums of sizes, false if one is not a number.
        Four before = four_abs(x) + four_abs(y);
        Four after = four_abs(x + ends->gain.x) + four_abs(y + ends->gain.y);
        FourMask plain = (before <= limit) & (after <= limit) & (four_abs(w) <= spin);
        if (four_bits(plain) != 15) {
            break;
        }
        const FourFloat quads[4] = {four_narrow(x), four_narrow(y), four_narrow(w), none};
        four_put_quads(solver_bodies->velocity + r, quads);
        for (uint32_t k = r; k < r + 4; k++) {
            four_float_store(solver_bodies->drive[k], drive);
            four_float_store(solver_bodies->delta[k], none);
        }
        four_float_store(solver_bodies->turned + r, none);
    }
    return r;
}

static uint32_t store_bodies(const PhSolverBodyEnds *ends, uint32_t first, uint32_t last) {
    const Four limit = four_splat(ends->most_speed), spin = four_splat(ends->most_spin);
    const PhSolverBodyArrays *solver_bodies = &ends->solver_bodies;
    uint32_t r = first;
    for (; last - r >= 4; r += 4) {
        const uint32_t *slot = ends->slot + r;
        FourFloat v[4], d[4];
        four_get_quads((const float(*)[4])(solver_bodies->velocity + r), v);
        four_get_quads((const float(*)[4])(solver_bodies->delta + r), d);
        Four vx = four_double(v[0]), vy = four_double(v[1]), w = four_double(v[2]), x, y;
        Four dx = four_double(d[0]), dy = four_double(d[1]),
             turned = four_widen(solver_bodies->turned + r);
        FourMask plain = (four_abs(vx) <= limit) & (four_abs(vy) <= limit) & (four_abs(w) <= spin) &
                         (four_abs(dx) + four_abs(dy) + four_abs(turned) <= four_splat(FAR));
        if (four_bits(plain) != 15) {
            break;
        }
        four_scatter_pairs(ends->velocity, slot, vx, vy);
        scatter_bodies(ends->angular_velocity, slot, w);
        four_gather_pairs((const double(*)[2])ends->center, slot, &x, &y);
        four_scatter_pairs(ends->center, slot, x + dx, y + dy);
        Four angle = gather_bodies(ends->angle, slot);
        scatter_bodies(ends->angle, slot, angle + turned);
    }
    return r;
}

// As free.c has it for one body, where no limit applies and nothing turns faster.
static uint32_t fall_free(const PhFreeFall *fall, const uint32_t *slots, uint32_t first,
                          uint32_t last) {
    const Four limit = four_splat(fall->most_speed), spin = four_splat(fall->most_spin);
    const Four h = four_splat(fall->h), gx = four_splat(fall->gain.x),
               gy = four_splat(fall->gain.y);
    const Four all = four_splat(fall->substeps), none = four_splat(0);
    uint32_t i = first;
    for (; last - i >= 4; i += 4) {
        const uint32_t *slot = slots + i;
        Four vx, vy, x, y, w = gather_bodies(fall->angular_velocity, slot);
        four_gather_pairs((const double(*)[2])fall->velocity, slot, &vx, &vy);
        FourMask plain = (four_abs(vx) <= limit) & (four_abs(vy) <= limit) &
                         (four_abs(vx + all * gx) <= limit) & (four_abs(vy + all * gy) <= limit) &
                         (four_abs(w) <= spin);
        if (four_bits(plain) != 15) {
            break;
        }
        w = w + none; // no gain: the sign of a zero
        Four mx = none, my = none, turn = h * w, angle = gather_bodies(fall->angle, slot);
        for (int32_t k = 0; k < fall->substeps; k++) {
            vx = vx + gx;
            vy = vy + gy;
            mx = mx + h * vx;
            my = my + h * vy;
            angle = angle + turn;
        }
        four_gather_pairs((const double(*)[2])fall->center, slot, &x, &y);
        four_scatter_pairs(fall->center, slot, x + mx, y + my);
        four_scatter_pairs(fall->velocity, slot, vx, vy);
        scatter_bodies(fall->angle, slot, angle);
        scatter_bodies(fall->angular_velocity, slot, w);
    }
    return i;
}
