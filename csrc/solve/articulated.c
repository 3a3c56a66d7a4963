// Contacts of articulated bodies: of light ones that joints tie to heavy or fixed ones, as the
// plank of a bridge, the leg of a lander or the wheel of a truck.
//
// A contact of the kernels knows the mass of its bodies alone. Where a joint holds a body, an
// impulse on it moves all that hangs on it too, or nothing at all: such a contact is far too weak,
// and the load of a heavy body comes through it in as many substeps as that is heavier. So here an
// impulse moves every body of a tree of joints as the joints let it, at once. A body of a tree that
// a contact touches is a *port*. How impulses on the ports of a tree move the ports is found by
// sweeps over the factors that the joints' own pass has left (PH_UNIT_RESPOND), with every row held
// that the pass held; then the contacts are solved on the ports, one after the other and again
// until none changes much; and in the end the tree gets what came to its ports (PH_UNIT_GIVE).
// Bodies without joints are ports of their own. Formulas for points are those of kernels_source.h.
//
// Only islands in which a light body carries much, or something bounces on or off a body with
// joints, are solved so (effort.c). Their contacts are in the overflow colors, which have blocks of
// one lane.
//
// Invariant: numbers are of float64, and nothing here depends on the width of the kernels.
//
// Sources: R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 11, on impacts of
// articulated bodies; B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems" (1996).
#include "solve/articulated.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solve/joint_units.h"

#define PH_LANES 1
#include "solve/contact_lanes.h"

// The same as in kernels_source.h.
#define OPEN_GAP 1e-4
#define FAST_APPROACH 1.0
#define MEET_TOGETHER 1e-4
#define STAYS 1e-3
enum { SLIDING_ROUNDS = 40, IMPACT_SWEEPS = 16 };

// Sweeps over the contacts in a pass; none is left when velocities change by less than SETTLED,
// m/s.
enum { MOST_SWEEPS = 8, MOST_ATTEMPTS = 4 };
#define SETTLED 1e-5

// A body with contacts.
typedef struct Port {
    uint32_t row;         // of the bin
    uint32_t tree;        // PH_NULL: it has none
    uint32_t place, body; // among the ports of the tree; among the bodies of the unit
    double inv_mass, inv_inertia;
    double v[3];
    double own[3], drive[3]; // when blows are looked for: as find_drive has them
    double blown[3];         // velocity gained by blows
    double back[3];          // how far these have set it back
} Port;

typedef struct Tree {
    uint32_t block;
    bool anchored;         // to what is fixed
    uint32_t first, count; // its ports in `order`
    double *response;
} Tree;

// A direction of a contact: Jacobians of both bodies, and what it moves its own bodies by.
typedef struct Row {
    double a[3], b[3];
    double moves_a[3], moves_b[3];
    double mass; // 0: it is not there
} Row;

enum { NORMAL = 0, TANGENT = 2, ROLLING = 4, ROWS = 5 };

typedef struct Contact {
    Block *block;
    Rest *rest;
    Extra *extra;  // NULL: without features
    uint32_t a, b; // ports
    bool fixed;
    bool rolls; // with a resistance
    Row row[ROWS];
    double coupling;    // of both normals
    double gap[2];      // velocity that is too much, beside J v
    double softness[2]; // of the rows, over K
    double bounces[2];  // own speed, for who asks whether it bounces
    double impulse[ROWS];
    double blow[ROWS]; // impulses of its blows
} Contact;

typedef enum Stage { BLOW, PUSH, RELAX } Stage;

typedef struct Room {
    Port *ports;
    Tree *trees;
    Contact *contacts;
    uint32_t *port_of_row; // of the bin
    uint32_t *order;       // ports by tree
    uint32_t *body;        // of the unit, the same
    double (*wrench)[3];   // the same: since trees have been given any
    double (*load)[3];     // the same: of the pass
    double *responses;
    char *moves; // of a tree while its response is found
    uint32_t port_count, tree_count, contact_count;
    Stage stage;
} Room;

// ------------------------------------------------------------------------------------------------
// memory

typedef struct Sizes {
    size_t contacts, ports, trees, rows, responses, moves;
} Sizes;

static Sizes sizes_of(const PhJointLayout *own, const PhBin *bin) {
    size_t ports = 2 * (size_t)bin->contact_count;
    size_t tied = ports < bin->tied_count ? ports : bin->tied_count, most = 3 * tied;
    uint32_t bodies = 0;
    for (uint32_t k = bin->first_unit_block; k < bin->first_unit_block + bin->unit_block_count; k++)
        bodies = bodies > own->unit_blocks[k].body_count ? bodies : own->unit_blocks[k].body_count;
    return (Sizes){bin->contact_count,
                   ports,
                   bin->unit_block_count,
                   ph_bin_rows(bin),
                   most * most + most * PH_UNIT_LOOP_ROWS,
                   ph_unit_moves(bodies)};
}

// Everything in multiples of 64 bytes. Returns how much that is; room: NULL, or it is carved out of
// memory.
static size_t carve(const PhJointLayout *own, const PhBin *bin, void *memory, Room *room) {
    const Sizes n = sizes_of(own, bin);
    size_t used = 0;
#define CARVE(field, count)                                                                        \
    do {                                                                                           \
        if (room)                                                                                  \
            room->field = (void *)((char *)memory + used);                                         \
        used += ((count) * sizeof *((Room *)NULL)->field + 63) / 64 * 64;                          \
    } while (0)
    CARVE(ports, n.ports);
    CARVE(trees, n.trees);
    CARVE(contacts, n.contacts);
    CARVE(port_of_row, n.rows);
    CARVE(order, n.ports);
    CARVE(body, n.ports);
    CARVE(wrench, n.ports);
    CARVE(load, n.ports);
    CARVE(responses, n.responses);
    CARVE(moves, n.moves);
#undef CARVE
    return used + 64; // of what stays from pass to pass
}

PhStatus ph_articulated_build(PhLayout *layout) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint64_t used = 0;
    for (uint32_t b = 0; b < layout->bin_count; b++) {
        PhBin *bin = &arrays->bins[b];
        if (!bin->articulated)
            continue;
        bin->room = (uint32_t)used;
        used += carve(&arrays->joints, bin, NULL, NULL) / 64;
        if (used > UINT32_MAX)
            return PH_ERROR_MEMORY;
    }
    return ph_reserve_array(&arrays->articulated, &arrays->articulated_capacity, used, 64);
}

// What a bin keeps from pass to pass lies at the end of its room.
typedef struct Counts {
    uint32_t ports, trees, contacts;
} Counts;

static Room room_of(const PhJointRun *run, const PhBin *bin, Counts **counts) {
    Room room = {0};
    char *memory = (char *)run->layout->arrays->articulated + (size_t)bin->room * 64;
    size_t size = carve(&run->layout->arrays->joints, bin, memory, &room);
    *counts = (Counts *)(void *)(memory + size - 64);
    room.port_count = (*counts)->ports;
    room.tree_count = (*counts)->trees;
    room.contact_count = (*counts)->contacts;
    return room;
}

// ------------------------------------------------------------------------------------------------
// begin

static const PhJointBlock *block_of(const PhJointRun *run, const PhBin *bin, uint32_t k) {
    return &run->layout->arrays->joints.unit_blocks[bin->first_unit_block + k];
}

static bool has_ports(const PhJointBlock *block) {
    return block->direct && block->solves;
}

static uint32_t port_at(Room *room, uint32_t row) {
    uint32_t port = room->port_of_row[row];
    if (port == PH_NULL) {
        port = room->port_of_row[row] = room->port_count++;
        room->ports[port] = (Port){.row = row, .tree = PH_NULL};
    }
    return port;
}

static void list_contacts(const PhJointRun *run, const PhBin *bin, Room *room) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    const PhBlocks *single = &arrays->blocks[1];
    for (uint32_t i = 0; i < bin->color_count; i++) {
        const PhColor *color = &arrays->colors[bin->first_color + i];
        PH_ASSERT(ph_color_overflows(color->number));
        for (uint32_t k = color->first_block; k < color->first_block + color->block_count; k++) {
            Contact *contact = &room->contacts[room->contact_count++];
            Block *block = (Block *)single->parts.blocks + k;
            *contact = (Contact){.block = block,
                                 .rest = (Rest *)single->parts.rests + k,
                                 .extra = (Extra *)single->parts.extras + k,
                                 .fixed = color->fixed};
            contact->a = port_at(room, block->row_a[0] / 16);
            contact->b = port_at(room, block->row_b[0] / 16);
            room->ports[contact->a].inv_mass = (double)block->mass_a;
            room->ports[contact->a].inv_inertia = (double)block->inertia_a;
            if (color->fixed)
                continue;
            room->ports[contact->b].inv_mass = (double)block->mass_b;
            room->ports[contact->b].inv_inertia = (double)block->inertia_b;
        }
    }
}

static void list_trees(const PhJointRun *run, const PhBin *bin, Room *room) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t used = 0;
    for (uint32_t k = 0; k < bin->unit_block_count; k++) {
        const PhJointBlock *block = block_of(run, bin, k);
        Tree *tree = &room->trees[room->tree_count];
        *tree = (Tree){.block = k, .first = used};
        for (uint32_t i = 0; has_ports(block) && i < block->body_count; i++) {
            tree->anchored |= own->bodies[block->first_body + i].fixed;
            uint32_t row = own->unit_rows[block->first_row + i] - bin->first_row;
            uint32_t port = room->port_of_row[row];
            if (port == PH_NULL || own->bodies[block->first_body + i].fixed)
                continue;
            room->ports[port].tree = room->tree_count;
            room->ports[port].place = tree->count++;
            room->order[used] = port;
            room->body[used++] = i;
        }
        room->tree_count += tree->count > 0;
    }
}

void ph_articulated_begin(const PhJointRun *run, const PhBin *bin) {
    Counts *counts;
    Room room = room_of(run, bin, &counts);
    room.port_count = room.tree_count = room.contact_count = 0;
    for (uint32_t r = 0; r < ph_bin_rows(bin); r++)
        room.port_of_row[r] = PH_NULL;
    list_contacts(run, bin, &room);
    list_trees(run, bin, &room);
    *counts = (Counts){room.port_count, room.tree_count, room.contact_count};
}

// ------------------------------------------------------------------------------------------------
// ports

static PhUnitPass pass_of(const PhJointRun *run, const Room *room, const Tree *tree) {
    return (PhUnitPass){.run = run,
                        .push = room->stage == PUSH,
                        .blow = room->stage == BLOW,
                        .ports = room->body + tree->first,
                        .port_count = tree->count,
                        .wrench = (const double(*)[3])(room->wrench + tree->first),
                        .response = tree->response,
                        .moves = room->moves};
}

// Velocities and masses of now, and how trees answer. What geometric stiffness has made harder to
// turn is so for contacts too.
static void load_ports(const PhJointRun *run, const PhBin *bin, const PhPass *pass, Room *room) {
    const PhJointMass *masses = run->layout->arrays->joints.masses + bin->first_row;
    double *responses = room->responses;
    for (uint32_t i = 0; i < room->port_count; i++) {
        Port *port = &room->ports[i];
        for (int k = 0; k < 3; k++)
            port->v[k] = (double)pass->rows.velocity[port->row][k];
    }
    uint32_t last_tied = bin->first_tied + (room->stage == BLOW ? 0 : bin->tied_count);
    for (uint32_t k = bin->first_tied; k < last_tied; k++) {
        uint32_t row = run->layout->arrays->joints.tied[k] - bin->first_row;
        uint32_t port = room->port_of_row[row];
        if (port != PH_NULL && masses[row].inertia > masses[row].own)
            room->ports[port].inv_inertia = masses[row].inv_inertia;
    }
    for (uint32_t t = 0; t < room->tree_count; t++) {
        Tree *tree = &room->trees[t];
        size_t size = 3 * (size_t)tree->count;
        tree->response = responses;
        responses += size * size;
        memset(room->wrench + tree->first, 0, tree->count * sizeof *room->wrench);
    }
    for (uint32_t t = 0; t < room->tree_count; t++) { // rows of loops lie behind, until the next
        PhUnitPass respond = pass_of(run, room, &room->trees[t]);
        respond.deed = PH_UNIT_RESPOND;
        ph_unit_pass_one(&respond, block_of(run, bin, room->trees[t].block));
    }
}

// Returns whether a row of a joint cannot be held as it was.
static bool store_ports(const PhJointRun *run, const PhBin *bin, const PhPass *pass, Room *room) {
    bool changed = false;
    for (uint32_t i = 0; i < room->port_count; i++) {
        const Port *port = &room->ports[i];
        for (int k = 0; k < 3 && port->tree == PH_NULL && port->inv_mass > 0; k++)
            pass->rows.velocity[port->row][k] = (float)port->v[k];
    }
    for (uint32_t t = 0; t < room->tree_count; t++) {
        PhUnitPass give = pass_of(run, room, &room->trees[t]);
        give.deed = PH_UNIT_GIVE;
        give.changed = &changed;
        ph_unit_pass_one(&give, block_of(run, bin, room->trees[t].block));
    }
    return changed;
}

// Trees under all that their ports have been given in this pass.
static void solve_again(const PhJointRun *run, const PhBin *bin, Room *room) {
    for (uint32_t i = 0; i < room->port_count; i++)
        for (int k = 0; k < 3; k++)
            room->load[i][k] += room->wrench[i][k];
    for (uint32_t t = 0; t < room->tree_count; t++) {
        PhUnitPass again = pass_of(run, room, &room->trees[t]);
        again.deed = PH_UNIT_AGAIN;
        again.wrench = (const double(*)[3])(room->load + room->trees[t].first);
        ph_unit_pass_one(&again, block_of(run, bin, room->trees[t].block));
    }
}

// What an impulse along a Jacobian on port i does to the velocity of port j.
static void answer(const Room *room, const Port *i, const double jacobian[3], const Port *j,
                   double moves[3]) {
    if (i->tree == PH_NULL) {
        if (i != j)
            return;
        moves[0] += i->inv_mass * jacobian[0];
        moves[1] += i->inv_mass * jacobian[1];
        moves[2] += i->inv_inertia * jacobian[2];
        return;
    }
    if (i->tree != j->tree)
        return;
    const Tree *tree = &room->trees[i->tree];
    size_t size = 3 * (size_t)tree->count;
    const double *column = tree->response + 3 * i->place * size + 3 * j->place;
    for (int k = 0; k < 3; k++, column += size)
        for (int m = 0; m < 3; m++)
            moves[m] += jacobian[k] * column[m];
}

static void push_port(Room *room, uint32_t i, const double jacobian[3], double impulse) {
    Port *port = &room->ports[i];
    const double scaled[3] = {impulse * jacobian[0], impulse * jacobian[1], impulse * jacobian[2]};
    if (port->tree == PH_NULL) {
        answer(room, port, scaled, port, port->v);
        if (room->stage == BLOW)
            answer(room, port, scaled, port, port->blown);
        return;
    }
    const Tree *tree = &room->trees[port->tree];
    for (uint32_t k = tree->first; k < tree->first + tree->count; k++) {
        Port *other = &room->ports[room->order[k]];
        answer(room, port, scaled, other, other->v);
        if (room->stage == BLOW)
            answer(room, port, scaled, other, other->blown);
    }
    for (int k = 0; k < 3; k++)
        room->wrench[tree->first + port->place][k] += scaled[k];
}

static void push_row(Room *room, const Contact *contact, int k, double impulse) {
    if (impulse == 0)
        return;
    push_port(room, contact->a, contact->row[k].a, impulse);
    if (!contact->fixed)
        push_port(room, contact->b, contact->row[k].b, impulse);
}

static double dot(const double x[3], const double y[3]) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static double along(const Row *row, const double a[3], const double b[3]) {
    return dot(row->a, a) + dot(row->b, b);
}

static double speed_along(const Room *room, const Contact *contact, int k) {
    return along(&contact->row[k], room->ports[contact->a].v, room->ports[contact->b].v);
}

// ------------------------------------------------------------------------------------------------
// contacts

static void set3(double out[3], double x, double y, double w) {
    out[0] = x;
    out[1] = y;
    out[2] = w;
}

static void weigh_row(const Room *room, Contact *contact, int k) {
    Row *row = &contact->row[k];
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
    const Block *block = contact->block;
    const Rest *rest = contact->rest;
    double nx = (double)block->nx, ny = (double)block->ny;
    for (int j = 0; j < 2; j++) {
        const Point *p = &block->point[j];
        const RestPoint *o = &rest->point[j];
        Row *normal = &contact->row[NORMAL + j], *tangent = &contact->row[TANGENT + j];
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

static void weigh_contact(const Room *room, Contact *contact) {
    for (int k = 0; k < ROWS; k++) {
        bool there = k == ROLLING ? contact->rolls : contact->block->point[k & 1].normal_mass > 0;
        contact->row[k].mass = 0;
        if (there)
            weigh_row(room, contact, k);
    }
    contact->coupling = dot(contact->row[0].a, contact->row[1].moves_a) +
                        dot(contact->row[0].b, contact->row[1].moves_b);
}

// What a push wants of its points: solve_blocks in kernels_source.h.
static void aim_push(const Room *room, Contact *contact, const PhPass *pass) {
    const PhSoftness soft = pass->soft[contact->fixed];
    double ratio = ph_min((double)soft.impulse_scale / (double)soft.mass_scale, 1e6);
    double first = speed_along(room, contact, 0), second = speed_along(room, contact, 1);
    bool fast = ph_min(first, second) < -FAST_APPROACH;
    for (int j = 0; j < 2; j++) {
        double s = (double)contact->block->point[j].gap;
        bool apart = s > 0;
        contact->softness[j] = apart || fast ? 0 : ratio;
        contact->gap[j] = apart ? s * (double)pass->inv_h
                                : ph_max((double)soft.bias_rate * s, -(double)pass->push_speed);
    }
}

static void turn(const float delta[4], double nt, double rn, double *along) {
    *along += (double)delta[2] * nt + (double)delta[3] * rn;
}

// How far apart the points are as the bodies stand; kept for the next push.
static void find_gaps(Contact *contact, const PhPass *pass) {
    Block *k = contact->block;
    const Rest *r = contact->rest;
    const float *a = pass->rows.delta[k->row_a[0] / 16], *b = pass->rows.delta[k->row_b[0] / 16];
    double along = ((double)b[0] - (double)a[0]) * (double)k->nx +
                   ((double)b[1] - (double)a[1]) * (double)k->ny +
                   (double)b[2] * (double)r->radius_b + (double)a[2] * (double)r->radius_a;
    for (int j = 0; j < 2; j++) {
        const Point *p = &k->point[j];
        const RestPoint *o = &r->point[j];
        double gap = (double)o->separation + along, back = 0;
        turn(b, (double)o->nt_b, (double)p->rn_b, &gap);
        turn(a, (double)o->nt_a, (double)p->rn_a, &back);
        k->point[j].gap = (float)(gap - back);
    }
}

// What a body has gained in the substep from gravity and forces, and its velocity without.
static void find_drive(const PhPass *pass, const Port *port, double drive[3], double own[3]) {
    for (int k = 0; k < 3; k++) {
        drive[k] = port->inv_mass > 0 ? (double)pass->rows.drive[port->row][k] : 0;
        own[k] = (double)pass->rows.before[port->row][k] - drive[k];
    }
}

// Normal velocities of the points that the bodies have of themselves.
static void find_own(const Room *room, Contact *contact, const PhPass *pass) {
    double drive[3], a[3], b[3];
    find_drive(pass, &room->ports[contact->a], drive, a);
    find_drive(pass, &room->ports[contact->b], drive, b);
    for (int j = 0; j < 2; j++)
        contact->bounces[j] = along(&contact->row[j], a, b);
}

static void aim_relax(const Room *room, Contact *contact, const PhPass *pass, bool extra) {
    for (int j = 0; j < 2; j++) {
        double s = (double)contact->block->point[j].gap;
        contact->softness[j] = 0;
        contact->gap[j] = ph_max(s * (double)pass->inv_h, 0);
        if (pass->last && s > OPEN_GAP) // it meets in the next step
            contact->gap[j] = INFINITY;
    }
    if (extra && contact->extra->restitution > 0)
        find_own(room, contact, pass);
}

// Both normals at once, as solve_pair in kernels_source.h does. Returns the most that a velocity
// changes by.
static double solve_normals(Room *room, Contact *contact, const PhPass *pass, bool extra) {
    double k[2], q[2], x[2] = {contact->impulse[0], contact->impulse[1]}, total[2];
    bool there[2];
    for (int j = 0; j < 2; j++) {
        k[j] = contact->row[j].mass;
        double u = speed_along(room, contact, j);
        double threshold = -(double)pass->restitution_threshold;
        bool waits = extra && contact->extra->restitution > 0 && u < threshold &&
                     contact->bounces[j] < threshold;
        there[j] = k[j] > 0 && !waits && contact->gap[j] < INFINITY; // else nothing acts now
        q[j] = there[j] ? u + contact->gap[j] + contact->softness[j] * k[j] * x[j] : 0;
    }
    bool pair = there[0] && there[1];
    double more = pair && 0.998 * k[0] * k[1] < contact->coupling * contact->coupling ? 1.001 : 1;
    double a00 = there[0] ? (more + contact->softness[0]) * k[0] : 1;
    double a11 = there[1] ? (more + contact->softness[1]) * k[1] : 1;
    double a01 = pair ? contact->coupling : 0;
    // What is gone is gone before the others ask.
    for (int j = 0; j < 2; j++)
        if (!there[j] && x[j] != 0) {
            push_row(room, contact, NORMAL + j, -x[j]);
            if (there[1 - j])
                q[1 - j] -= contact->coupling * x[j];
            contact->impulse[NORMAL + j] = x[j] = 0;
        }
    double q0 = there[0] ? q[0] - (a00 * x[0] + a01 * x[1]) : 0;
    double q1 = there[1] ? q[1] - (a01 * x[0] + a11 * x[1]) : 0;
    double det = a00 * a11 - a01 * a01;
    double both0 = (a01 * q1 - a11 * q0) / det, both1 = (a01 * q0 - a00 * q1) / det;
    double first = ph_max(-q0 / a00, 0), second = ph_max(-q1 / a11, 0);
    bool only0 = a01 * first + q1 >= 0, only1 = a01 * second + q0 >= 0;
    only0 = only0 || (!only1 && q0 < q1);
    if (both0 >= 0 && both1 >= 0) {
        total[0] = both0;
        total[1] = both1;
    } else {
        total[0] = only0 ? first : 0;
        total[1] = only0 ? 0 : second;
    }
    double most = 0;
    for (int j = 0; j < 2; j++) {
        if (!there[j])
            continue;
        double impulse = total[j] - x[j];
        contact->impulse[NORMAL + j] = total[j];
        push_row(room, contact, NORMAL + j, impulse);
        most = ph_max(most, fabs(impulse) * k[j]);
    }
    return most;
}

// An impulse within a limit, against a velocity. Returns by how much the velocity changes.
static double brake(Room *room, Contact *contact, int k, double speed, double limit) {
    double mass = contact->row[k].mass, old = contact->impulse[k];
    if (!(mass > 0))
        return 0;
    double total = ph_max(-limit, ph_min(old - speed / mass, limit));
    contact->impulse[k] = total;
    push_row(room, contact, k, total - old);
    return fabs(total - old) * mass;
}

static double solve_friction(Room *room, Contact *contact, bool extra) {
    double belt = extra ? (double)contact->extra->tangent_speed : 0, most = 0;
    double load = contact->impulse[0] + contact->impulse[1];
    for (int j = 0; j < 2; j++) {
        double slip = speed_along(room, contact, TANGENT + j) - belt;
        double limit = (double)contact->rest->friction * contact->impulse[NORMAL + j];
        most = ph_max(most, brake(room, contact, TANGENT + j, slip, limit));
    }
    if (extra)
        most = ph_max(most, brake(room, contact, ROLLING, speed_along(room, contact, ROLLING),
                                  (double)contact->extra->rolling_radius * load));
    return most;
}

static void store_contact(const Contact *contact, bool push, bool extra) {
    for (int j = 0; j < 2; j++) {
        contact->block->point[j].normal_impulse = (float)contact->impulse[NORMAL + j];
        if (push)
            continue;
        contact->rest->point[j].tangent_impulse = (float)contact->impulse[TANGENT + j];
        contact->rest->total_normal[j] += (float)contact->impulse[NORMAL + j];
        contact->rest->total_tangent[j] += (float)contact->impulse[TANGENT + j];
    }
    if (!push && extra)
        contact->extra->rolling_impulse = (float)contact->impulse[ROLLING];
}

// Sweeps over all contacts until none changes much.
static void settle_contacts(Room *room, const PhPass *pass, bool push, bool extra) {
    double most = INFINITY;
    for (int sweep = 0; sweep < MOST_SWEEPS && most > SETTLED; sweep++) {
        most = 0;
        for (uint32_t i = 0; i < room->contact_count; i++) {
            Contact *contact = &room->contacts[sweep & 1 ? room->contact_count - 1 - i : i];
            most = ph_max(most, solve_normals(room, contact, pass, extra && !push));
            if (!push)
                most = ph_max(most, solve_friction(room, contact, extra));
        }
    }
}

// ------------------------------------------------------------------------------------------------
// blows: what impact_blocks in kernels_source.h does, on ports

// A tree that hangs on what is fixed is held against what drives it, or nearly.
static void begin_blows(Room *room, const PhPass *pass) {
    for (uint32_t i = 0; i < room->port_count; i++) {
        Port *port = &room->ports[i];
        find_drive(pass, port, port->drive, port->own);
        memset(port->blown, 0, sizeof port->blown);
        memset(port->back, 0, sizeof port->back);
        for (int k = 0; k < 3; k++)
            port->v[k] = (double)pass->rows.velocity[port->row][k];
        if (port->tree == PH_NULL || !room->trees[port->tree].anchored)
            continue;
        for (int k = 0; k < 3; k++) {
            port->v[k] -= port->drive[k];
            port->drive[k] = 0;
        }
    }
    for (uint32_t i = 0; i < room->contact_count; i++) {
        load_contact(&room->contacts[i], true);
        memset(room->contacts[i].blow, 0, sizeof room->contacts[i].blow);
    }
}

// Whether points of the contact meet fast within the substep. Makes contact->gap by how much their
// normal velocities are less than they are to be; infinite where none is to change.
static bool find_blow(const Room *room, Contact *contact, const PhPass *pass, double *time) {
    const Port *a = &room->ports[contact->a], *b = &room->ports[contact->b];
    const double h = (double)pass->h, threshold = -(double)pass->restitution_threshold;
    const double e = (double)contact->extra->restitution;
    double gap[2], speed[2];
    bool meets[2], closes = false, fast = false;
    *time = h;
    for (int j = 0; j < 2 && e > 0; j++) {
        const Row *row = &contact->row[j];
        gap[j] = (double)contact->block->point[j].gap + along(row, a->back, b->back);
        speed[j] = along(row, a->v, b->v);
        double end = gap[j] + h * speed[j];
        meets[j] = contact->block->point[j].normal_mass > 0 && speed[j] < 0 && end < MEET_TOGETHER;
        if (meets[j] && end < 0) {
            closes = true;
            *time = ph_min(*time, ph_max(gap[j], 0) / -speed[j]);
        }
    }
    for (int j = 0; j < 2 && closes; j++) {
        const Row *row = &contact->row[j];
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
static void give_blow(Room *room, Contact *contact, const PhPass *pass) {
    double kept[ROWS];
    memcpy(kept, contact->impulse, sizeof kept);
    memset(contact->impulse, 0, sizeof contact->impulse);
    for (int round = 0; round < SLIDING_ROUNDS; round++) {
        double most = solve_normals(room, contact, pass, false);
        if (round > 0 && most < STAYS)
            break;
        for (int j = 0; j < 2; j++) {
            double slip = speed_along(room, contact, TANGENT + j);
            brake(room, contact, TANGENT + j, slip - (double)contact->extra->tangent_speed,
                  (double)contact->rest->friction * contact->impulse[NORMAL + j]);
        }
    }
    for (int k = 0; k < ROWS; k++)
        contact->blow[k] += contact->impulse[k];
    memcpy(contact->impulse, kept, sizeof kept);
}

// Up to a blow a body without joints has gone as before.
static void set_back(Port *port, const double blown[3], double time) {
    for (int k = 0; k < 3 && port->tree == PH_NULL; k++)
        port->back[k] -= time * (port->blown[k] - blown[k]);
}

// Takes back what has been given, and gives all blows as trees answer now.
static void give_blows(Room *room, const PhPass *pass) {
    for (uint32_t i = 0; i < room->contact_count; i++)
        for (int k = 0; k < ROWS; k++) {
            push_row(room, &room->contacts[i], k, -room->contacts[i].blow[k]);
            room->contacts[i].blow[k] = 0;
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
            if (!find_blow(room, contact, pass, &time))
                continue;
            met = true;
            memcpy(was[0], a->blown, sizeof was[0]);
            memcpy(was[1], b->blown, sizeof was[1]);
            give_blow(room, contact, pass);
            set_back(a, was[0], time);
            if (!contact->fixed)
                set_back(b, was[1], time);
        }
    }
}

static void end_blow(const Room *room, const Contact *contact) {
    const Port *a = &room->ports[contact->a], *b = &room->ports[contact->b];
    for (int j = 0; j < 2; j++) {
        float normal = (float)contact->blow[NORMAL + j],
              tangent = (float)contact->blow[TANGENT + j];
        contact->block->point[j].gap += (float)along(&contact->row[j], a->back, b->back);
        contact->rest->total_normal[j] += normal;
        contact->rest->total_tangent[j] += tangent;
        contact->extra->bounce_normal[j] += normal;
        contact->extra->bounce_tangent[j] += tangent;
    }
}

// Bodies without joints: what a blow has given does not count as gained by contacts.
static void end_port(const Port *port, const PhPass *pass) {
    float *d = pass->rows.delta[port->row], *before = pass->rows.before[port->row];
    if (port->tree != PH_NULL || !(port->inv_mass > 0))
        return;
    for (int k = 0; k < 3; k++)
        before[k] += (float)port->blown[k];
    double c = 1 + (double)d[2], s = (double)d[3], turn = port->back[2];
    double c2 = c - turn * s, s2 = s + turn * c, scale = 1 / sqrt(c2 * c2 + s2 * s2);
    d[0] += (float)port->back[0];
    d[1] += (float)port->back[1];
    d[2] = (float)(c2 * scale - 1);
    d[3] = (float)(s2 * scale);
    pass->rows.turned[port->row] += (float)turn;
}

// The velocities of the joints are those of this moment, at which their rows hold exactly: blows do
// no work on them.
void ph_articulated_blows(const PhJointRun *run, const PhBin *bin, const PhPass *pass) {
    Counts *counts;
    Room room = room_of(run, bin, &counts);
    double time;
    bool any = false, changed = true;
    room.stage = BLOW;
    begin_blows(&room, pass);
    for (uint32_t i = 0; i < room.contact_count && !any; i++)
        any = find_blow(&room, &room.contacts[i], pass, &time);
    if (!any)
        return;
    ph_joints_meet(run, bin);
    memset(room.load, 0, room.port_count * sizeof *room.load);
    for (int attempt = 0; attempt < MOST_ATTEMPTS && changed; attempt++) {
        load_ports(run, bin, pass, &room);
        for (uint32_t i = 0; i < room.contact_count; i++)
            weigh_contact(&room, &room.contacts[i]);
        give_blows(&room, pass);
        changed = store_ports(run, bin, pass, &room);
        if (changed && attempt + 1 < MOST_ATTEMPTS)
            solve_again(run, bin, &room);
    }
    for (uint32_t i = 0; i < room.contact_count; i++)
        end_blow(&room, &room.contacts[i]);
    for (uint32_t i = 0; i < room.port_count; i++)
        end_port(&room.ports[i], pass);
}

// ------------------------------------------------------------------------------------------------
// passes

// Of a pass: gaps, impulses of the one before, and what is wanted.
static void begin_contacts(Room *room, const PhPass *pass, bool push, bool extra) {
    for (uint32_t i = 0; i < room->contact_count; i++) {
        Contact *contact = &room->contacts[i];
        if (!push)
            find_gaps(contact, pass);
        load_contact(contact, extra);
        weigh_contact(room, contact);
        for (int k = 0; push && k < ROWS; k++) // warm start
            if (contact->row[k].mass > 0)
                push_row(room, contact, k, contact->impulse[k]);
    }
    for (uint32_t i = 0; i < room->contact_count; i++)
        if (push)
            aim_push(room, &room->contacts[i], pass);
        else
            aim_relax(room, &room->contacts[i], pass, extra);
}

// Where a limit or a motor cannot hold against the contacts, or holds by pulling, the joints are
// solved once more under the load of the contacts, and these with what the joints hold then.
static void run_pass(const PhJointRun *run, const PhBin *bin, const PhPass *pass, bool push,
                     bool extra) {
    Counts *counts;
    Room room = room_of(run, bin, &counts);
    room.stage = push ? PUSH : RELAX;
    memset(room.load, 0, room.port_count * sizeof *room.load);
    bool changed = true;
    for (int attempt = 0; attempt < MOST_ATTEMPTS && changed; attempt++) {
        load_ports(run, bin, pass, &room);
        if (attempt == 0)
            begin_contacts(&room, pass, push, extra);
        for (uint32_t i = 0; i < room.contact_count && attempt > 0; i++)
            weigh_contact(&room, &room.contacts[i]);
        settle_contacts(&room, pass, push, extra);
        changed = store_ports(run, bin, pass, &room);
        if (changed && attempt + 1 < MOST_ATTEMPTS)
            solve_again(run, bin, &room);
    }
    for (uint32_t i = 0; i < room.contact_count; i++)
        store_contact(&room.contacts[i], push, extra);
}

void ph_articulated_push(const PhJointRun *run, const PhBin *bin, const PhPass *pass, bool extra) {
    run_pass(run, bin, pass, true, extra);
}

void ph_articulated_relax(const PhJointRun *run, const PhBin *bin, const PhPass *pass, bool extra) {
    run_pass(run, bin, pass, false, extra);
}
