// What an articulated pass that has come to no end leaves: part of articulated_islands.c, which
// explains the symbols.
//
// Limits and motors may still give way to contacts after the last attempt, as in a knot of dolls.
// Then the change u of the velocities v is no solution, and may add energy. The kinetic energy of
// v + s u is a parabola in s, so its least is at s = -(v M u) / (u M u).

static const float (*velocities_of(const PhJointRun *run, const PhIslandBatch *batch))[4] {
    return (const float(*)[4])run->layout->arrays->solver_bodies.velocity +
           batch->first_solver_body;
}

// Whether what drives a contact may give energy: a body that is moved, or a belt.
static bool is_driven(const Room *room, bool extra) {
    bool driven = false;
    for (uint32_t i = 0; i < room->contact_count; i++) {
        const Contact *contact = &room->contacts[i];
        const double *v = room->ports[contact->b].v;
        driven |= contact->fixed && (v[0] != 0 || v[1] != 0 || v[2] != 0);
        driven |= extra && contact->extra->tangent_speed != 0;
    }
    return driven;
}

// The share of the change in a pass that leaves the least kinetic energy, or 1 where the whole adds
// none.
static double calmest_share(const PhJointRun *run, const PhIslandBatch *batch, const Room *room) {
    const float(*velocity)[4] = velocities_of(run, batch);
    const uint32_t *slots = run->layout->arrays->solver_body_slot + batch->first_solver_body;
    double slope = 0, square = 0;
    for (uint32_t r = 1; r <= batch->body_count; r++) {
        double mass = run->bodies->exact_mass[slots[r]];
        double inertia = ph_joint_own_inertia(run->bodies, slots[r]);
        for (int k = 0; k < 3; k++) {
            double m = k < 2 ? mass : inertia, start = (double)room->start[r][k];
            double change = (double)velocity[r][k] - start;
            slope += m * start * change;
            square += m * change * change;
        }
    }
    return slope + 0.5 * square > 0 ? ph_max(-slope / square, 0) : 1;
}

// Takes back all but that share.
static void take_back(const PhJointRun *run, const PhIslandBatch *batch, Room *room, double share,
                      bool biased) {
    float(*velocity)[4] = run->layout->arrays->solver_bodies.velocity + batch->first_solver_body;
    for (uint32_t r = 1; r <= batch->body_count; r++) {
        for (int k = 0; k < 3; k++) {
            double start = (double)room->start[r][k];
            velocity[r][k] = (float)(start + share * ((double)velocity[r][k] - start));
        }
    }
    for (uint32_t i = 0; i < room->contact_count; i++) {
        Contact *contact = &room->contacts[i];
        double now[CONSTRAINT_ROWS];
        memcpy(now, contact->impulse, sizeof now);
        load_contact(contact, contact->rolls);
        for (int k = 0; k < CONSTRAINT_ROWS; k++) { // a biased solve gives all of it
            double before = biased ? 0 : contact->impulse[k];
            contact->impulse[k] = before + share * (now[k] - before);
        }
        for (int j = 0; j < 2 && biased; j++) {
            contact->rest->point[j].tangent_impulse = (float)contact->impulse[TANGENT + j];
        }
        if (biased && contact->rolls) {
            contact->extra->rolling_impulse = (float)contact->impulse[ROLLING];
        }
    }
}
