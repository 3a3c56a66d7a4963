// Iterative joints in lanes: one source for every width, part of kernels_source.h.
//
// A revolute joint holds two points together, C = p_b + r_b - p_a - r_a = 0, J v = v_b + w_b x r_b
// - v_a - w_a x r_a, with K = J M^-1 J^T of two rows, as in joint_revolute_source.h; joint by
// joint, soft like contacts (E. Catto, "Soft Constraints", GDC 2011). The joints of a color share
// no body that they move.
//
// A rigid distance joint holds, or a rope limits, the length |C|: one row along n = C / |C|, see
// joint_distance_source.h. With the velocities low <= high that its limits allow, m = 1 / K and
// u = J v, its impulse l becomes
//     max(l - m (u - low), min(l - m (u - high), 0)),
// which is l - m (u - low) where both are one, as of a rigid distance joint.
//
// Springs along |C| act as joint_solve.c says: each gives its force, and its damper acts before the
// relaxation; those of implicit Euler give one impulse behind the forces.
//
// The impulses of springs are also added to the velocities before the contacts of the substep, so
// they are no part of the warm start of the next one.
//
// Like impulses of contacts, those of revolute and rigid distance joints are in the velocity
// difference that warm starts the next substep. There the arms are those of the substep before, so
// a body under load would turn back a substep late, and swing up. So each joint knows what it has
// given to its bodies. A biased solve first gives them the difference from what the impulse would
// be with the present arms.
//
// The fourth number of a velocity is a factor of the inverse inertia, less 1: joints under load
// turn light bodies like pendulums that are too fast for a substep (see joint_solve.c).
//
// Invariant: lanes never exchange data, so the bits are the same at every width.

// As iterative_joints.c writes them, field by field.
typedef struct Revolute {
    uint32_t solver_a[PH_LANES], solver_b[PH_LANES];
    Lanes mass_a, mass_b, inertia_a, inertia_b;
    Lanes arm_a[2], arm_b[2], gap[2]; // at the start of the step
    Lanes impulse[2], total[2];       // of the substep, of the step
    Lanes turn_a, turn_b;             // angular impulses that the impulse has come with
} Revolute;
typedef struct Distance {
    Revolute revolute;
    Lanes lower, upper; // lengths; the same: it is held
    Lanes axis[2];      // direction of what has no length
    Lanes load;         // the impulse along the rigid distance joint
} Distance;
typedef struct Spring {
    Revolute revolute;                 // has no impulse that lasts
    Lanes pull, velocity, slows, lags; // factors of stretch and J v; of its damper
    Lanes stiffness;                   // of stretch, where it is implicit
    Lanes followed;                    // part of the stretch that a substep takes back
    Lanes rest_mass;                   // that it meets where it was made
    Lanes rest;                        // length
    Lanes axis[2];
    Lanes along[2], mass, stretch; // within a biased solve
    Lanes noted;                   // J v as the substep begins, then what has come to it
} Spring;

_Static_assert(sizeof(Revolute) == 4 * PH_ITERATIVE_REVOLUTE_FIELDS * PH_LANES,
               "fields of iterative_joints.c");
_Static_assert(sizeof(Distance) == 4 * PH_ITERATIVE_DISTANCE_FIELDS * PH_LANES,
               "fields of iterative_joints.c");
_Static_assert(sizeof(Spring) == 4 * PH_ITERATIVE_SPRING_FIELDS * PH_LANES,
               "fields of iterative_joints.c");

PH_INLINE void warm_start_point(float (*velocity)[4], Revolute *k) {
    Lanes a[4], b[4], x = k->impulse[0], y = k->impulse[1];
    k->turn_a = k->arm_a[0] * y - k->arm_a[1] * x;
    k->turn_b = k->arm_b[0] * y - k->arm_b[1] * x;
    lanes_load_quads(velocity, k->solver_a, a);
    a[0] -= k->mass_a * x;
    a[1] -= k->mass_a * y;
    a[2] -= (k->inertia_a + k->inertia_a * a[3]) * k->turn_a;
    lanes_store_quads(velocity, k->solver_a, a);
    lanes_load_quads(velocity, k->solver_b, b);
    b[0] += k->mass_b * x;
    b[1] += k->mass_b * y;
    b[2] += (k->inertia_b + k->inertia_b * b[3]) * k->turn_b;
    lanes_store_quads(velocity, k->solver_b, b);
}
static void revolute_warm_start(const PhPass *pass, void *revolutes, uint32_t count) {
    Revolute *k = revolutes;
    for (uint32_t i = 0; i < count; i++) {
        warm_start_point(pass->solver_bodies.velocity, &k[i]);
    }
}
static void distance_warm_start(const PhPass *pass, void *distances, uint32_t count) {
    Distance *k = distances;
    for (uint32_t i = 0; i < count; i++) {
        warm_start_point(pass->solver_bodies.velocity, &k[i].revolute);
    }
}

// Arms and gap as they are now.
typedef struct Anchors {
    Lanes ax, ay, bx, by, gap_x, gap_y;
} Anchors;

PH_INLINE Anchors anchors_of(const Revolute *k, const PhSolverBodyArrays *solver_bodies) {
    Lanes da[4], db[4];
    lanes_load_quads(solver_bodies->delta, k->solver_a, da);
    lanes_load_quads(solver_bodies->delta, k->solver_b, db);
    // How far turning has moved the anchors, about the centres.
    Lanes turned_ax = da[2] * k->arm_a[0] - da[3] * k->arm_a[1];
    Lanes turned_ay = da[3] * k->arm_a[0] + da[2] * k->arm_a[1];
    Lanes turned_bx = db[2] * k->arm_b[0] - db[3] * k->arm_b[1];
    Lanes turned_by = db[3] * k->arm_b[0] + db[2] * k->arm_b[1];
    return (Anchors){k->arm_a[0] + turned_ax,
                     k->arm_a[1] + turned_ay,
                     k->arm_b[0] + turned_bx,
                     k->arm_b[1] + turned_by,
                     k->gap[0] + ((db[0] - da[0]) + (turned_bx - turned_ax)),
                     k->gap[1] + ((db[1] - da[1]) + (turned_by - turned_ay))};
}

// soft: a biased solve, which takes errors back; otherwise a relax, after which the impulse is
// complete.
PH_INLINE void solve_revolutes(const PhPass *pass, Revolute *k, uint32_t count, bool soft) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1), more = lanes_splat(1.00001f);
    const Lanes rate = lanes_splat(pass->joint_soft.bias_rate);
    const Lanes scale = lanes_splat(pass->joint_soft.mass_scale);
    const Lanes leak = lanes_splat(pass->joint_soft.impulse_scale);
    float(*velocity)[4] = pass->solver_bodies.velocity;
    for (uint32_t i = 0; i < count; i++, k++) {
        Lanes a[4], b[4];
        lanes_load_quads(velocity, k->solver_a, a);
        lanes_load_quads(velocity, k->solver_b, b);
        Anchors at = anchors_of(k, &pass->solver_bodies);
        Lanes ax = at.ax, ay = at.ay, bx = at.bx, by = at.by;
        Lanes ia = k->inertia_a + k->inertia_a * a[3], ib = k->inertia_b + k->inertia_b * b[3];
        Lanes mass = k->mass_a + k->mass_b;
        Lanes kxx = more * (mass + ia * ay * ay + ib * by * by);
        Lanes kyy = more * (mass + ia * ax * ax + ib * bx * bx);
        Lanes kxy = ia * ax * ay + ib * bx * by; // with its sign turned
        Lanes det = kxx * kyy - kxy * kxy;
        Lanes inv = lanes_keep(lanes_less(zero, det), one / det);
        if (soft) {
            Lanes turn_a = ax * k->impulse[1] - ay * k->impulse[0];
            Lanes turn_b = bx * k->impulse[1] - by * k->impulse[0];
            a[2] -= ia * (turn_a - k->turn_a);
            b[2] += ib * (turn_b - k->turn_b);
            k->turn_a = turn_a;
            k->turn_b = turn_b;
        }
        Lanes ux = (b[0] - b[2] * by) - (a[0] - a[2] * ay);
        Lanes uy = (b[1] + b[2] * bx) - (a[1] + a[2] * ax);
        if (soft) {
            ux += rate * at.gap_x;
            uy += rate * at.gap_y;
        }
        Lanes x = inv * (kyy * ux + kxy * uy), y = inv * (kxx * uy + kxy * ux);
        if (soft) {
            x = scale * x + leak * k->impulse[0];
            y = scale * y + leak * k->impulse[1];
        }
        Lanes sum_x = k->impulse[0] - x, sum_y = k->impulse[1] - y;
        k->impulse[0] = sum_x;
        k->impulse[1] = sum_y;
        if (!soft) {
            k->total[0] += sum_x;
            k->total[1] += sum_y;
        }
        Lanes less_a = ax * y - ay * x, less_b = bx * y - by * x;
        k->turn_a -= less_a;
        k->turn_b -= less_b;
        a[0] += k->mass_a * x;
        a[1] += k->mass_a * y;
        a[2] += ia * less_a;
        b[0] -= k->mass_b * x;
        b[1] -= k->mass_b * y;
        b[2] -= ib * less_b;
        lanes_store_quads(velocity, k->solver_a, a);
        lanes_store_quads(velocity, k->solver_b, b);
    }
}
static void revolute_solve(const PhPass *pass, void *revolutes, uint32_t count) {
    solve_revolutes(pass, revolutes, count, true);
}
static void revolute_relax(const PhPass *pass, void *revolutes, uint32_t count) {
    solve_revolutes(pass, revolutes, count, false);
}

// ------------------------------------------------------------------------------------------------
// rigid distance joints and springs

// The row of a length, as it is now: its direction, what a unit along it turns the bodies by, and
// the length.
typedef struct Line {
    Lanes x, y, turn_a, turn_b, length;
} Line;

PH_INLINE Line line_of(const Revolute *k, const Lanes axis[2],
                       const PhSolverBodyArrays *solver_bodies) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1);
    Anchors at = anchors_of(k, solver_bodies);
    Lanes x = at.gap_x, y = at.gap_y;
    Line line;
    line.length = lanes_sqrt(x * x + y * y);
    Mask directed = lanes_less(zero, line.length);
    Lanes inv = one / lanes_select(directed, line.length, one);
    line.x = lanes_select(directed, x * inv, axis[0]);
    line.y = lanes_select(directed, y * inv, axis[1]);
    line.turn_a = at.ax * line.y - at.ay * line.x;
    line.turn_b = at.bx * line.y - at.by * line.x;
    return line;
}

// Inverse inertias, and the inverse of what a unit along the line does to J v.
PH_INLINE Lanes line_mass(const Revolute *k, const Line *line, const Lanes a[4], const Lanes b[4],
                          Lanes *inertia_a, Lanes *inertia_b) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1);
    Lanes ia = k->inertia_a + k->inertia_a * a[3], ib = k->inertia_b + k->inertia_b * b[3];
    Lanes sum = (k->mass_a + k->mass_b) +
                (ia * line->turn_a * line->turn_a + ib * line->turn_b * line->turn_b);
    *inertia_a = ia;
    *inertia_b = ib;
    return lanes_keep(lanes_less(zero, sum), one / sum);
}

PH_INLINE Lanes along_line(const Line *line, const Lanes a[4], const Lanes b[4]) {
    return (line->x * (b[0] - a[0]) + line->y * (b[1] - a[1])) +
           (line->turn_b * b[2] - line->turn_a * a[2]);
}

// An impulse in the world's directions and what it turns the bodies by.
PH_INLINE void give(const Revolute *k, Lanes x, Lanes y, Lanes turn_a, Lanes turn_b, Lanes a[4],
                    Lanes b[4]) {
    a[0] -= k->mass_a * x;
    a[1] -= k->mass_a * y;
    a[2] -= turn_a;
    b[0] += k->mass_b * x;
    b[1] += k->mass_b * y;
    b[2] += turn_b;
}

PH_INLINE void solve_distances(const PhPass *pass, Distance *k, uint32_t count, bool soft) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1), inv_h = lanes_splat(pass->inv_h);
    const Lanes rate = lanes_splat(soft ? pass->joint_soft.bias_rate : 0);
    const Lanes scale = lanes_splat(soft ? pass->joint_soft.mass_scale : 1);
    const Lanes keeps = lanes_splat(soft ? 1 - pass->joint_soft.impulse_scale : 1);
    float(*velocity)[4] = pass->solver_bodies.velocity;
    for (uint32_t i = 0; i < count; i++, k++) {
        Revolute *revolute = &k->revolute;
        Lanes a[4], b[4], ia, ib;
        lanes_load_quads(velocity, revolute->solver_a, a);
        lanes_load_quads(velocity, revolute->solver_b, b);
        Line line = line_of(revolute, k->axis, &pass->solver_bodies);
        Lanes m = line_mass(revolute, &line, a, b, &ia, &ib);
        if (soft) {
            Lanes x = k->load * line.x, y = k->load * line.y;
            Lanes turn_a = k->load * line.turn_a, turn_b = k->load * line.turn_b;
            give(revolute, x - revolute->impulse[0], y - revolute->impulse[1],
                 ia * (turn_a - revolute->turn_a), ib * (turn_b - revolute->turn_b), a, b);
            revolute->impulse[0] = x;
            revolute->impulse[1] = y;
            revolute->turn_a = turn_a;
            revolute->turn_b = turn_b;
        }
        Lanes below = k->lower - line.length, above = k->upper - line.length;
        // Held, or beyond a limit: yields a little. A limit that is near is met, and no more.
        Mask held = lanes_at_least(k->lower, k->upper);
        Mask under = held | lanes_less(zero, below), over = held | lanes_less(above, zero);
        Mask yields = under | over;
        Lanes low = lanes_select(under, rate, inv_h) * below;
        Lanes high = lanes_select(over, rate, inv_h) * above;
        m = lanes_select(yields, scale * m, m);
        Lanes kept = lanes_select(yields, keeps, one) * k->load;
        Lanes u = along_line(&line, a, b);
        Lanes next = lanes_max(kept - m * (u - low), lanes_min(kept - m * (u - high), zero));
        Lanes more = next - k->load, x = more * line.x, y = more * line.y;
        k->load = next;
        revolute->impulse[0] += x;
        revolute->impulse[1] += y;
        revolute->turn_a += more * line.turn_a;
        revolute->turn_b += more * line.turn_b;
        if (!soft) {
            revolute->total[0] += next * line.x;
            revolute->total[1] += next * line.y;
        }
        give(revolute, x, y, ia * (more * line.turn_a), ib * (more * line.turn_b), a, b);
        lanes_store_quads(velocity, revolute->solver_a, a);
        lanes_store_quads(velocity, revolute->solver_b, b);
    }
}
static void distance_solve(const PhPass *pass, void *distances, uint32_t count) {
    solve_distances(pass, distances, count, true);
}
static void distance_relax(const PhPass *pass, void *distances, uint32_t count) {
    solve_distances(pass, distances, count, false);
}

// J v as a substep begins; or, once all but dampers has acted, what has come to it since.
PH_INLINE void note_springs(const PhPass *pass, Spring *k, uint32_t count, bool gains) {
    float(*velocity)[4] = pass->solver_bodies.velocity;
    for (uint32_t i = 0; i < count; i++, k++) {
        Revolute *revolute = &k->revolute;
        Lanes a[4], b[4];
        lanes_load_quads(velocity, revolute->solver_a, a);
        lanes_load_quads(velocity, revolute->solver_b, b);
        Line line = line_of(revolute, k->axis, &pass->solver_bodies);
        Lanes u = along_line(&line, a, b);
        k->noted = gains ? u - k->noted : u;
    }
}

static void spring_note(const PhPass *pass, void *springs, uint32_t count) {
    note_springs(pass, springs, count, false);
}

static void spring_gain(const PhPass *pass, void *springs, uint32_t count) {
    note_springs(pass, springs, count, true);
}

// Gives an impulse along the line to the velocities a and b, which are loaded, and to what is kept
// beside them.
PH_INLINE void give_along(Revolute *revolute, const Line *line, Lanes given, Lanes ia, Lanes ib,
                          float (*velocity)[4], float (*beside)[4], Lanes a[4], Lanes b[4]) {
    Lanes x = given * line->x, y = given * line->y;
    Lanes turn_a = ia * (given * line->turn_a), turn_b = ib * (given * line->turn_b);
    revolute->total[0] += x;
    revolute->total[1] += y;
    give(revolute, x, y, turn_a, turn_b, a, b);
    lanes_store_quads(velocity, revolute->solver_a, a);
    lanes_store_quads(velocity, revolute->solver_b, b);
    lanes_load_quads(beside, revolute->solver_a, a);
    lanes_load_quads(beside, revolute->solver_b, b);
    give(revolute, x, y, turn_a, turn_b, a, b);
    lanes_store_quads(beside, revolute->solver_a, a);
    lanes_store_quads(beside, revolute->solver_b, b);
}

static void spring_force(const PhPass *pass, void *springs, uint32_t count) {
    Spring *k = springs;
    float(*velocity)[4] = pass->solver_bodies.velocity, (*drive)[4] = pass->solver_bodies.drive;
    const Lanes zero = lanes_splat(0), one = lanes_splat(1);
    for (uint32_t i = 0; i < count; i++, k++) {
        Revolute *revolute = &k->revolute;
        Lanes a[4], b[4], ia, ib;
        lanes_load_quads(velocity, revolute->solver_a, a);
        lanes_load_quads(velocity, revolute->solver_b, b);
        Line line = line_of(revolute, k->axis, &pass->solver_bodies);
        k->mass = line_mass(revolute, &line, a, b, &ia, &ib);
        // As if the mass were that of where it was made: see strain_of in joint_spring_source.h.
        Mask some = lanes_less(zero, k->mass);
        Lanes grown = k->rest_mass / k->mass;
        Lanes share = lanes_min(one / (k->followed * grown), one);
        k->stretch = lanes_keep(some, (line.length - k->rest) * grown * share);
        k->along[0] = line.x;
        k->along[1] = line.y;
        revolute->turn_a = line.turn_a;
        revolute->turn_b = line.turn_b;
        Lanes given = -(k->mass * (k->pull * k->stretch));
        give_along(revolute, &line, given, ia, ib, velocity, drive, a, b);
    }
}

static void spring_rest(const PhPass *pass, void *springs, uint32_t count) {
    Spring *k = springs;
    float(*velocity)[4] = pass->solver_bodies.velocity;
    float(*before)[4] = pass->solver_bodies.before;
    for (uint32_t i = 0; i < count; i++, k++) {
        Revolute *revolute = &k->revolute;
        Line line = {k->along[0], k->along[1], revolute->turn_a, revolute->turn_b, k->stretch};
        Lanes a[4], b[4];
        Lanes asked = k->stiffness * k->stretch;
        lanes_load_quads(velocity, revolute->solver_a, a);
        lanes_load_quads(velocity, revolute->solver_b, b);
        asked += k->velocity * along_line(&line, a, b);
        Lanes ia = revolute->inertia_a + revolute->inertia_a * a[3];
        Lanes ib = revolute->inertia_b + revolute->inertia_b * b[3];
        give_along(revolute, &line, -(k->mass * asked), ia, ib, velocity, before, a, b);
    }
}

// Dampers of springs that have given their force, once all else has acted.
static void spring_damp(const PhPass *pass, void *springs, uint32_t count) {
    Spring *k = springs;
    float(*velocity)[4] = pass->solver_bodies.velocity;
    float(*before)[4] = pass->solver_bodies.before;
    for (uint32_t i = 0; i < count; i++, k++) {
        Revolute *revolute = &k->revolute;
        Lanes a[4], b[4], ia, ib;
        lanes_load_quads(velocity, revolute->solver_a, a);
        lanes_load_quads(velocity, revolute->solver_b, b);
        Line line = line_of(revolute, k->axis, &pass->solver_bodies);
        Lanes m = line_mass(revolute, &line, a, b, &ia, &ib), u = along_line(&line, a, b);
        Lanes given = -(m * (k->slows * u + k->lags * k->noted));
        give_along(revolute, &line, given, ia, ib, velocity, before, a, b);
    }
}
