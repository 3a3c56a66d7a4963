// The rows of a contact of articulated bodies, and how hard it is to move them. A part of
// articulated_islands.c.

// A contact of two bodies of a tree moves them by less than this, of the way of free ones: joints
// hold them. A stop that is near a hinge moves an arm by the square of its lever, which is more.
#define BLOCKED 1e-4

static void set3(double out[3], double x, double y, double w) {
    out[0] = x;
    out[1] = y;
    out[2] = w;
}

static void weigh_row(const Room *room, Contact *contact, int k) {
    ConstraintRow *row = &contact->row[k];
    const Port *a = &room->ports[contact->a], *b = &room->ports[contact->b];
    memset(row->moves_a, 0, sizeof row->moves_a);
    memset(row->moves_b, 0, sizeof row->moves_b);
    answer(room, a, row->a, a, row->moves_a);
    answer(room, a, row->a, b, row->moves_b);
    if (!contact->fixed) {
        answer(room, b, row->b, a, row->moves_a);
        answer(room, b, row->b, b, row->moves_b);
    }
    row->mass = dot(row->a, row->moves_a) + dot(row->b, row->moves_b);
}

static void load_contact(Contact *contact, bool extra) {
    const WideContact *wide = contact->wide;
    const Rest *rest = contact->rest;
    double nx = (double)wide->nx, ny = (double)wide->ny;
    for (int j = 0; j < 2; j++) {
        const Point *p = &wide->point[j];
        const RestPoint *o = &rest->point[j];
        ConstraintRow *normal = &contact->row[NORMAL + j], *tangent = &contact->row[TANGENT + j];
        set3(normal->a, -nx, -ny, -(double)p->rn_a);
        set3(normal->b, nx, ny, (double)p->rn_b);
        set3(tangent->a, -ny, nx, (double)o->nt_a);
        set3(tangent->b, ny, -nx, -(double)o->nt_b);
        contact->impulse[NORMAL + j] = (double)p->normal_impulse;
        contact->impulse[TANGENT + j] = (double)o->tangent_impulse;
    }
    contact->rolls = extra && contact->extra->rolling_mass > 0;
    set3(contact->row[ROLLING].a, 0, 0, -1);
    set3(contact->row[ROLLING].b, 0, 0, 1);
    contact->impulse[ROLLING] = contact->rolls ? (double)contact->extra->rolling_impulse : 0;
}

// Whether both bodies are of one tree.
static bool is_in_tree(const Room *room, const Contact *contact) {
    uint32_t tree = room->ports[contact->a].tree;
    return !contact->fixed && tree != PH_NULL && tree == room->ports[contact->b].tree;
}

// Wheels of a car that overlap have no way out, and what pushed them apart would throw the car.
static bool is_blocked(const Room *room, const Contact *contact, int j) {
    double bare = (double)contact->wide->point[j].normal_mass;
    return is_in_tree(room, contact) && contact->row[j].mass * bare < BLOCKED;
}

static void weigh_contact(const Room *room, Contact *contact) {
    for (int k = 0; k < CONSTRAINT_ROWS; k++) {
        bool there = k == ROLLING ? contact->rolls : contact->wide->point[k & 1].normal_mass > 0;
        contact->row[k].mass = 0;
        if (there) {
            weigh_row(room, contact, k);
        }
    }
    for (int j = 0; j < 2; j++) {
        if (contact->row[j].mass > 0 && is_blocked(room, contact, j)) {
            contact->row[NORMAL + j].mass = contact->row[TANGENT + j].mass = 0;
            contact->impulse[NORMAL + j] = contact->impulse[TANGENT + j] = 0;
        }
    }
    contact->coupling = dot(contact->row[0].a, contact->row[1].moves_a) +
                        dot(contact->row[0].b, contact->row[1].moves_b);
}
