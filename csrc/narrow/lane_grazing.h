// Part of lane_source.h: corners that may only graze each other within a step, by the rule of
// ph_corners_pass in world/ahead.c.

// Larger turns (radians) than the series are good for.
#define LANE_MOST_TURN 0.5f
// From here on, (rad/s)^2, turning may take points off their present direction.
#define LANE_FAST_SPIN 4.0f

typedef struct Grazing {
    Mask corners; // these two
    Mask slides;  // or a side past a corner
} Grazing;

// Whether a contact of two that are apart is to be examined where they will meet, the rule of
// ph_is_ahead in world/ahead.c: it would act in this step, and its points slide further than the
// side goes on which it lies, or turning takes them there or off their present direction. Round
// surfaces do not turn with their bodies. slide: with its sign; gap_x, gap_y: from the centre of
// mass of a to that of b.
PH_INLINE Mask is_ahead(const Couple *k, const Touch *t, const Mask valid[2], const Lanes speed[2],
                        const Lanes slide[2], Lanes approach, Lanes gap_x, Lanes gap_y,
                        Lanes time) {
    const Lanes zero = lanes_splat(0), half = lanes_splat(0.5f);
    const Lanes slack = lanes_load(k->lengths->ahead_slack);
    // The normal of two corners turns with any slide.
    const Lanes least = lanes_select(t->turned, zero, lanes_load(k->lengths->ahead_slide));
    const Lanes most = lanes_max(least, t->room);
    const Mask spins = lanes_less(lanes_splat(LANE_FAST_SPIN), k->a.w * k->a.w + k->b.w * k->b.w);
    Lanes round = k->a.w * k->a.radius + k->b.w * k->b.radius;
    Lanes turn_a = lanes_abs(k->a.w) * time, turn_b = lanes_abs(k->b.w) * time;
    Lanes turns = turn_a + turn_b;
    // At most this much astray, and of what turns so little nothing within kilometres deceives.
    Lanes slides = lanes_max(lanes_abs(slide[0] - round), lanes_abs(slide[1] - round));
    Lanes move = slides * time + turns * (lanes_load(k->lengths->one) + approach * time);
    Mask moves = t->turned | lanes_less(lanes_load(k->lengths->half_ahead_slide), move);
    if (!lanes_any(moves)) {
        return moves;
    }
    Mask acts = lanes_none(), touches = lanes_none();
    for (int i = 0; i < 2; i++) {
        Lanes left = t->separation[i] - speed[i] * time;
        touches = touches | (t->here[i] & lanes_at_most(t->separation[i], zero));
        acts = acts | (valid[i] & (lanes_less(left, slack) | spins));
    }
    acts = acts & moves & lanes_not(touches | t->planar);
    if (!lanes_any(acts)) {
        return acts;
    }
    Mask later = lanes_none();
    for (int i = 0; i < 2; i++) {
        Lanes displacement = lanes_abs(slide[i] - round) * time,
              left = t->separation[i] - speed[i] * time;
        Lanes ax = t->x[i] + k->a.arm_x, ay = t->y[i] + k->a.arm_y;
        Lanes arm_a = lanes_abs(ax) + lanes_abs(ay);
        Lanes arm_b = lanes_abs(ax - gap_x) + lanes_abs(ay - gap_y);
        Lanes bend = half * (turn_a * turn_a * arm_a + turn_b * turn_b * arm_b);
        // Points are midway between the surfaces, and the corner may be that of either side.
        Lanes astray = displacement + bend + turns * lanes_abs(t->separation[i]);
        Lanes off = bend + turns * displacement;
        Mask deceives = lanes_less(slack, off) & lanes_less(zero - left, off);
        later = later |
                (valid[i] & lanes_less(left, slack + bend) & (lanes_less(most, astray) | deceives));
    }
    return acts & later;
}

// Whether corners of a and b may only graze each other in this step (see ahead.h): those
// that are about to meet. `speed`: of the approach at the first point.
PH_INLINE Grazing may_pass(const Couple *k, const Touch *t, Lanes speed, Lanes slide, Lanes dt) {
    const Lanes zero = lanes_splat(0), slack = lanes_splat(1.001f);
    Lanes slop = find_slop(k);
    Lanes displacement = speed * dt, s = t->separation[0], x = t->x[1] - t->x[0],
          y = t->y[1] - t->y[0];
    Lanes low = lanes_select(t->here[1], lanes_min(t->separation[1], s), s);
    Mask apart = lanes_less(zero, low);
    Mask meets = lanes_less(low - lanes_load(k->lengths->pass_ahead), displacement);
    Mask sinks = lanes_less(slop, displacement) & lanes_less(-slop, s);
    Mask acts = (apart & meets) | (lanes_not(apart) & sinks);
    acts = acts & t->here[0] & lanes_less(zero, slop);
    if (!lanes_any(acts)) {
        return (Grazing){lanes_none(), lanes_none()};
    }
    Mask close = lanes_less(x * x + y * y, slop * slop * slack);
    Mask corners = (t->here[1] & close) | (lanes_not(t->here[1]) & t->corner);
    Mask slides = lanes_less(slop, displacement) &
                  lanes_less(lanes_splat((float)-PH_PASS_RISE) * slop, displacement - s) &
                  lanes_less(-slop, s) &
                  lanes_less(lanes_splat((float)PH_PASS_SLIDE) * speed, lanes_abs(slide)) &
                  is_at_rest(k);
    return (Grazing){acts & corners, acts & slides & lanes_not(corners)};
}

// Pair k, at that place of the list; a piece in the place of its own goes along with it.
PH_INLINE void put_grazing(PhLanePairs *pairs, uint32_t k, uint32_t place) {
    if (pairs->window) {
        pairs->window[pairs->grazing_count] = pairs->window[place];
    }
    pairs->grazing[pairs->grazing_count++] = k;
}

// Where a body is after some time: shift of the middle of its piece, seen from what moves with
// (vx, vy). False where it turns too far.
PH_INLINE Mask move_body(Body *body, Lanes vx, Lanes vy, Lanes time, Lanes *x, Lanes *y) {
    const Lanes one = lanes_splat(1);
    Lanes angle = body->w * time, z = angle * angle;
    Lanes s = one - z * lanes_splat(1.0f / 20) * (one - z * lanes_splat(1.0f / 42));
    s = angle * (one - z * lanes_splat(1.0f / 6) * s);
    Lanes less = one - z * lanes_splat(1.0f / 30) * (one - z * lanes_splat(1.0f / 56));
    less = z * lanes_splat(0.5f) * (one - z * lanes_splat(1.0f / 12) * less); // 1 - cosine
    *x = (body->vx - vx) * time - (less * body->arm_x + s * body->arm_y);
    *y = (body->vy - vy) * time + (s * body->arm_x - less * body->arm_y);
    Lanes c = body->c, before = body->s;
    body->c = c - (less * c + s * before);
    body->s = before + (s * c - less * before);
    return lanes_at_most(lanes_abs(angle), lanes_splat(LANE_MOST_TURN));
}

typedef void Find(const PhLanePairs *pairs, const uint32_t *pair, const Couple *k, Touch *out);

// Whether the corners of PH_LANES pairs pass: they do not overlap by more than the slop half way
// and at the end of the step. Those that do stay with what their kernel found.
PH_INLINE void defer(PhLanePairs *pairs, const uint32_t *list, uint32_t count, uint32_t i,
                     Find *find) {
    uint32_t k[PH_LANES];
    Couple pair;
    load_couple(pairs, list, count, i, k, &pair);
    Lanes slop = find_slop(&pair), slack = lanes_load(pairs->lengths->lane_depth_slack);
    Mask pass = lanes_not(lanes_none()), stay = lanes_none();
    for (int part = 1; part <= 2; part++) {
        Couple later = pair;
        Touch touch;
        Lanes ax, ay, bx, by, time = lanes_splat(0.5f * (float)part * pairs->dt);
        Mask sound = move_body(&later.a, pair.a.vx, pair.a.vy, time, &ax, &ay) &
                     move_body(&later.b, pair.a.vx, pair.a.vy, time, &bx, &by);
        later.dx = pair.dx + (bx - ax);
        later.dy = pair.dy + (by - ay);
        later.margin = lanes_splat(0);
        find(pairs, k, &later, &touch);
        Lanes low = lanes_select(touch.here[0], touch.separation[0], lanes_splat(PH_NO_POINT));
        low = lanes_min(lanes_select(touch.here[1], touch.separation[1], low), low);
        sound = sound & lanes_not(touch.doubtful);
        pass = pass & sound & lanes_less(slack - slop, low);
        stay = stay | (sound & lanes_less(low, lanes_splat(0) - slop - slack));
    }
    uint32_t passes = lanes_bits(pass), stays = lanes_bits(stay);
    for (uint32_t l = 0; l < PH_LANES && l < count - i; l++) {
        if (passes >> l & 1) {
            pairs->answer[k[l]] = PH_ANSWER_PASSES;
        } else if (stays >> l & 1) {
            pairs->answer[k[l]] = PH_ANSWER_NEAR;
        } else {
            pairs->doubtful[pairs->doubtful_count++] = k[l];
        }
    }
}
