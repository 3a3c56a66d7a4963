// Impacts with restitution on the ports of an articulated island, and what is tried against motors;
// part of articulated_islands.c, which explains the symbols.

// ------------------------------------------------------------------------------------------------
// impacts: what impact_wide_contacts in kernels_source.h does, on ports

// A tree that hangs on what is fixed is held against what drives it, or nearly.
static void begin_bounces(Room *room, const PhPass *pass) {
    for (uint32_t i = 0; i < room->port_count; i++) {
        Port *port = &room->ports[i];
        find_drive(pass, port, port->drive, port->own);
        memset(port->blown, 0, sizeof port->blown);
        memset(port->back, 0, sizeof port->back);
        for (int k = 0; k < 3; k++) {
            port->v[k] = (double)pass->solver_bodies.velocity[port->solver_body][k];
        }
        if (port->tree == PH_NULL || !room->trees[port->tree].anchored) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            port->v[k] -= port->drive[k];
            port->drive[k] = 0;
        }
    }
    for (uint32_t i = 0; i < room->contact_count; i++) {
        load_contact(&room->contacts[i], true);
        memset(room->contacts[i].bounce, 0, sizeof room->contacts[i].bounce);
    }
}

// Whether points of the contact meet fast within the substep. Makes contact->gap by how much their
// normal velocities are less than they are to be; infinite where none is to change.
static bool find_bounce(const Room *room, Contact *contact, const PhPass *pass, double *time) {
    const Port *a = &room->ports[contact->a], *b = &room->ports[contact->b];
    const double h = (double)pass->h, threshold = -(double)pass->restitution_threshold;
    const double e = (double)contact->extra->restitution;
    double gap[2], speed[2];
    bool meets[2], closes = false, fast = false;
    *time = h;
    for (int j = 0; j < 2 && e > 0; j++) {
        const ConstraintRow *row = &contact->row[j];
        gap[j] = (double)contact->wide->point[j].gap + along(row, a->back, b->back);
        speed[j] = along(row, a->v, b->v);
        double end = gap[j] + h * speed[j];
        meets[j] = contact->wide->point[j].normal_mass > 0 && speed[j] < 0 &&
                   end < pass->lengths->meet_together;
        if (meets[j] && end < 0) {
            closes = true;
            *time = ph_min(*time, ph_max(gap[j], 0) / -speed[j]);
        }
    }
    for (int j = 0; j < 2 && closes; j++) {
        const ConstraintRow *row = &contact->row[j];
        double before = speed[j] - (0.5 - *time / h) * along(row, a->drive, b->drive);
        double own = along(row, a->own, b->own) + along(row, a->blown, b->blown);
        meets[j] = meets[j] && before < threshold && own < threshold;
        fast = fast || (meets[j] && gap[j] + h * speed[j] < 0);
        contact->gap[j] = meets[j] ? (1 + e) * before - speed[j] : INFINITY;
        contact->softness[j] = 0;
    }
    return closes && fast;
}

// Both points at once, then the friction of each, and again as long as this makes one come in or go
// out.
static void give_bounce(Room *room, Contact *contact, const PhPass *pass) {
    double kept[CONSTRAINT_ROWS];
    memcpy(kept, contact->impulse, sizeof kept);
    memset(contact->impulse, 0, sizeof contact->impulse);
    for (int round = 0; round < SLIDING_ROUNDS; round++) {
        double most = solve_normals(room, contact, pass, false);
        if (round > 0 && most < pass->lengths->stays) {
            break;
        }
        for (int j = 0; j < 2; j++) {
            double slip = speed_along(room, contact, TANGENT + j);
            brake(room, contact, TANGENT + j, slip - (double)contact->extra->tangent_speed,
                  (double)contact->rest->friction * contact->impulse[NORMAL + j]);
        }
    }
    for (int k = 0; k < CONSTRAINT_ROWS; k++) {
        contact->bounce[k] += contact->impulse[k];
    }
    memcpy(contact->impulse, kept, sizeof kept);
}

// Up to an impact a body without joints has gone as before.
static void set_back(Port *port, const double blown[3], double time) {
    for (int k = 0; k < 3 && port->tree == PH_NULL; k++) {
        port->back[k] -= time * (port->blown[k] - blown[k]);
    }
}

// Takes back what has been given, and gives all impacts as trees answer now.
static void give_bounces(Room *room, const PhPass *pass) {
    for (uint32_t i = 0; i < room->contact_count; i++) {
        for (int k = 0; k < CONSTRAINT_ROWS; k++) {
            apply_row(room, &room->contacts[i], k, -room->contacts[i].bounce[k]);
            room->contacts[i].bounce[k] = 0;
        }
    }
    for (uint32_t i = 0; i < room->port_count; i++) {
        memset(room->ports[i].blown, 0, sizeof room->ports[i].blown);
        memset(room->ports[i].back, 0, sizeof room->ports[i].back);
    }
    bool met = true;
    for (int sweep = 0; sweep < IMPACT_SWEEPS && met; sweep++) {
        met = false;
        for (uint32_t i = 0; i < room->contact_count; i++) {
            Contact *contact = &room->contacts[sweep & 1 ? room->contact_count - 1 - i : i];
            Port *a = &room->ports[contact->a], *b = &room->ports[contact->b];
            double time, was[2][3];
            if (!find_bounce(room, contact, pass, &time)) {
                continue;
            }
            met = true;
            memcpy(was[0], a->blown, sizeof was[0]);
            memcpy(was[1], b->blown, sizeof was[1]);
            give_bounce(room, contact, pass);
            set_back(a, was[0], time);
            if (!contact->fixed) {
                set_back(b, was[1], time);
            }
        }
    }
}

static void end_bounce(const Room *room, const Contact *contact) {
    const Port *a = &room->ports[contact->a], *b = &room->ports[contact->b];
    for (int j = 0; j < 2; j++) {
        float normal = (float)contact->bounce[NORMAL + j],
              tangent = (float)contact->bounce[TANGENT + j];
        contact->wide->point[j].gap += (float)along(&contact->row[j], a->back, b->back);
        contact->rest->total_normal[j] += normal;
        contact->rest->total_tangent[j] += tangent;
        contact->extra->bounce_normal[j] += normal;
        contact->extra->bounce_tangent[j] += tangent;
    }
}

// Bodies without joints: what an impact has given does not count as gained by contacts.
static void end_port(const Port *port, const PhPass *pass) {
    float *d = pass->solver_bodies.delta[port->solver_body],
          *before = pass->solver_bodies.before[port->solver_body];
    if (port->tree != PH_NULL || !(port->inv_mass > 0)) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        before[k] += (float)port->blown[k];
    }
    double turned[2] = {(double)d[2], (double)d[3]};
    rotate_double(port->back[2], turned);
    d[0] += (float)port->back[0];
    d[1] += (float)port->back[1];
    d[2] = (float)turned[0];
    d[3] = (float)turned[1];
    pass->solver_bodies.turned[port->solver_body] += (float)port->back[2];
}

// The velocities of the joints are those of this moment, at which their rows hold exactly: impacts
// do no work on them.
void ph_articulated_bounces(const PhJointRun *run, const PhIslandBatch *batch, const PhPass *pass) {
    Counts *counts;
    Room room = room_of(run, batch, &counts);
    double time;
    bool any = false, changed = true;
    room.stage = BOUNCE;
    begin_bounces(&room, pass);
    for (uint32_t i = 0; i < room.contact_count && !any; i++) {
        any = find_bounce(&room, &room.contacts[i], pass, &time);
    }
    if (!any) {
        return;
    }
    ph_joints_meet(run, batch);
    memset(room.load, 0, room.port_count * sizeof *room.load);
    for (int attempt = 0; attempt < MOST_ATTEMPTS && changed; attempt++) {
        load_ports(run, batch, pass, &room);
        for (uint32_t i = 0; i < room.contact_count; i++) {
            weigh_contact(&room, &room.contacts[i]);
        }
        give_bounces(&room, pass);
        changed = store_ports(run, batch, pass, &room);
        if (changed && attempt + 1 < MOST_ATTEMPTS) {
            solve_again(run, batch, &room);
        }
    }
    for (uint32_t i = 0; i < room.contact_count; i++) {
        end_bounce(&room, &room.contacts[i]);
    }
    for (uint32_t i = 0; i < room.port_count; i++) {
        end_port(&room.ports[i], pass);
    }
}

// ------------------------------------------------------------------------------------------------
// motors

// Against what a motor holds a contact would need an impulse without measure, and the motor, which
// has a bound, is asked only then. So no more is tried at once than is enough to tell.
static void bound_tries(const Room *room, Contact *contact) {
    for (int j = 0; j < 2; j++) {
        double bare = (double)contact->wide->point[j].normal_mass, mass = contact->row[j].mass;
        double speed = fabs(speed_along(room, contact, j) + contact->gap[j]);
        bool held = mass > 0 && mass * bare < HELD;
        contact->most[j] = held ? contact->impulse[j] + TRY * bare * speed : INFINITY;
    }
}

static void keep_to_tries(Room *room, Contact *contact) {
    for (int j = 0; j < 2; j++) {
        double *normal = &contact->impulse[NORMAL + j], *tangent = &contact->impulse[TANGENT + j];
        if (!(*normal > contact->most[j])) {
            continue;
        }
        double share = contact->most[j] / *normal;
        apply_row(room, contact, NORMAL + j, (share - 1) * *normal);
        apply_row(room, contact, TANGENT + j, (share - 1) * *tangent);
        *normal *= share;
        *tangent *= share;
    }
}
