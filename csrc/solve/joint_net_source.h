// Pins of nets in lanes: one source for every width, part of kernels_source.h.
//
// A pin holds two points together, C = p_b + r_b - p_a - r_a = 0, J v = v_b + w_b x r_b - v_a -
// w_a x r_a, with K = J M^-1 J^T of two rows, as in joint_revolute.c; joint by joint, soft like
// contacts (E. Catto, "Soft Constraints", GDC 2011). The pins of a color share no body that they
// move.
//
// Like impulses of contacts, those of pins are in the velocity difference that warm starts the next
// substep. There the arms are those of the substep before: under load the body would turn back a
// substep late, and swing up. So each pin knows by how much it has turned its bodies, and a push
// first gives them what the impulse turns them by at the arms of now instead.
//
// The fourth number of a velocity is what the inverse inertia is multiplied by, less 1: pins under
// load turn light bodies like pendulums that are too fast for a substep (see joint_solve.c).
//
// Invariant: lanes never exchange data, so the bits are the same at every width.

// As joint_net.c writes it, field by field.
typedef struct Pin {
    uint32_t row_a[PH_LANES], row_b[PH_LANES];
    Lanes mass_a, mass_b, inertia_a, inertia_b;
    Lanes arm_a[2], arm_b[2], gap[2]; // at the start of the step
    Lanes impulse[2], total[2];       // of the substep, of the step
    Lanes turn_a, turn_b;             // angular impulses that the impulse has come with
} Pin;

_Static_assert(sizeof(Pin) == 4 * PH_NET_FIELDS * PH_LANES, "fields of joint_net.c");

static void net_warm_start(const PhPass *pass, void *pins, uint32_t count) {
    Pin *k = pins;
    float(*velocity)[4] = pass->rows.velocity;
    for (uint32_t i = 0; i < count; i++, k++) {
        Lanes a[4], b[4], x = k->impulse[0], y = k->impulse[1];
        k->turn_a = k->arm_a[0] * y - k->arm_a[1] * x;
        k->turn_b = k->arm_b[0] * y - k->arm_b[1] * x;
        lanes_load_quads(velocity, k->row_a, a);
        a[0] -= k->mass_a * x;
        a[1] -= k->mass_a * y;
        a[2] -= (k->inertia_a + k->inertia_a * a[3]) * k->turn_a;
        lanes_store_quads(velocity, k->row_a, a);
        lanes_load_quads(velocity, k->row_b, b);
        b[0] += k->mass_b * x;
        b[1] += k->mass_b * y;
        b[2] += (k->inertia_b + k->inertia_b * b[3]) * k->turn_b;
        lanes_store_quads(velocity, k->row_b, b);
    }
}

// soft: a push, which takes errors back; otherwise a relax, after which the impulse is complete.
PH_INLINE void solve_pins(const PhPass *pass, Pin *k, uint32_t count, bool soft) {
    const Lanes zero = lanes_splat(0), one = lanes_splat(1), more = lanes_splat(1.00001f);
    const Lanes rate = lanes_splat(pass->joint_soft.bias_rate);
    const Lanes scale = lanes_splat(pass->joint_soft.mass_scale);
    const Lanes leak = lanes_splat(pass->joint_soft.impulse_scale);
    float(*velocity)[4] = pass->rows.velocity;
    const float(*delta)[4] = (const float(*)[4])pass->rows.delta;
    for (uint32_t i = 0; i < count; i++, k++) {
        Lanes a[4], b[4], da[4], db[4];
        lanes_load_quads(velocity, k->row_a, a);
        lanes_load_quads(velocity, k->row_b, b);
        lanes_load_quads(delta, k->row_a, da);
        lanes_load_quads(delta, k->row_b, db);
        // How far turning has moved the anchors, about the centres.
        Lanes turned_ax = da[2] * k->arm_a[0] - da[3] * k->arm_a[1];
        Lanes turned_ay = da[3] * k->arm_a[0] + da[2] * k->arm_a[1];
        Lanes turned_bx = db[2] * k->arm_b[0] - db[3] * k->arm_b[1];
        Lanes turned_by = db[3] * k->arm_b[0] + db[2] * k->arm_b[1];
        Lanes ax = k->arm_a[0] + turned_ax, ay = k->arm_a[1] + turned_ay;
        Lanes bx = k->arm_b[0] + turned_bx, by = k->arm_b[1] + turned_by;
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
            ux += rate * (k->gap[0] + ((db[0] - da[0]) + (turned_bx - turned_ax)));
            uy += rate * (k->gap[1] + ((db[1] - da[1]) + (turned_by - turned_ay)));
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
        lanes_store_quads(velocity, k->row_a, a);
        lanes_store_quads(velocity, k->row_b, b);
    }
}
static void net_push(const PhPass *pass, void *pins, uint32_t count) {
    solve_pins(pass, pins, count, true);
}
static void net_relax(const PhPass *pass, void *pins, uint32_t count) {
    solve_pins(pass, pins, count, false);
}
