// Contacts of articulated bodies: of light bodies that joints connect to heavy or fixed ones, as
// the plank of a bridge, the leg of a lander or the wheel of a truck.
//
// A contact in the usual kernels knows only the masses of its two bodies. If a joint holds a body,
// an impulse on it moves everything that hangs on it, or nothing at all. Then such a contact is far
// too weak, and the load of a heavy body passes through it in as many substeps as the body is
// heavier. Here an impulse moves every body of a tree of joints at once, as the joints allow. A
// body of a tree that a contact touches is a *port*. Sweeps over the factors that the joints' own
// pass has left (PH_ARTICULATION_RESPOND) say how impulses on the ports of a tree move the ports;
// every row that the pass held is held. Then the contacts are solved on the ports, one after the
// other, until none changes much. At last the tree gets the impulses of its ports
// (PH_ARTICULATION_GIVE). Bodies without joints are ports of their own. The formulas for points are
// those of kernels_source.h.
//
// Only some islands are solved so: those in which a light body carries much, bodies are welded or
// jammed, or something hits a jointed body (adaptive_substeps.c, jointed_impacts.c). Their contacts
// are in the overflow colors, whose wide contacts have one lane.
//
// Invariant: numbers are float64, and nothing here depends on the width of the kernels.
//
// Sources: R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 11, on impacts of
// articulated bodies; B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems" (1996).
#include "solve/articulated_islands.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/rotation_step.h"
#include "solve/articulations.h"

#define PH_LANES 1
#include "solve/wide_contact.h"

PH_ROTATION_STEP(double, (double), rotate_double)

// As in kernels_source.h and soft_step.c.
enum { SLIDING_ROUNDS = 40, IMPACT_SWEEPS = 16 };

// Sweeps over the contacts in a pass; none is left when velocities change by less than
// PhLengths.settled.
enum { MOST_SWEEPS = 8, MOST_ATTEMPTS = 4 };
#define FORGOTTEN 0.5 // of the friction of welded bodies
// Of the mobility without joints that what a contact meets has at most where a motor holds it, and
// what is tried then, over what would do without joints.
#define HELD 1e-4
#define TRY 100

// A body with contacts.
typedef struct Port {
    uint32_t solver_body; // of the batch
    uint32_t tree;        // PH_NULL: it has none
    uint32_t place, body; // among the ports of the tree; among the bodies of the articulation
    double inv_mass, inv_inertia;
    double v[3];
    double own[3], drive[3]; // when impacts are searched for: as find_drive has them
    double blown[3];         // velocity gained by impacts
    double back[3];          // how far these have set it back
} Port;

typedef struct Tree {
    uint32_t pack, lane;   // those of a pack follow each other
    bool anchored;         // to what is fixed
    uint32_t first, count; // its ports in `order`
    double *response;
    uint32_t known; // which factors it is of
} Tree;

// A direction of a contact: Jacobians of both bodies, and what it moves its own bodies by.
typedef struct ConstraintRow {
    double a[3], b[3];
    double moves_a[3], moves_b[3];
    double mass; // 0: it is not there
} ConstraintRow;

enum { NORMAL = 0, TANGENT = 2, ROLLING = 4, CONSTRAINT_ROWS = 5 };

typedef struct Contact {
    WideContact *wide;
    Rest *rest;
    Extra *extra;  // NULL: without features
    uint32_t a, b; // ports
    bool fixed;
    bool rolls;    // with a resistance
    bool fresh[2]; // points that gave none in the step before, where an impact is expected
    ConstraintRow row[CONSTRAINT_ROWS];
    double coupling;    // of both normals
    double gap[2];      // velocity that is too much, beside J v
    double free_gap[2]; // the same of a biased solve, where nothing is jammed
    double softness[2]; // of the rows, over K
    double bounces[2];  // own speed, to tell whether it bounces
    double most[2];     // impulse that is tried at most against what a motor holds
    double impulse[CONSTRAINT_ROWS];
    double bounce[CONSTRAINT_ROWS]; // impulses of its impacts
} Contact;

typedef enum Stage { BOUNCE, SOLVE, RELAX } Stage;

typedef struct Room {
    Port *ports;
    Tree *trees;
    Contact *contacts;
    uint32_t *port_of_solver_body; // of the batch
    uint32_t *order;               // ports by tree
    uint32_t *body;                // of the articulation, the same
    double (*wrench)[3];           // the same: since trees have been given any
    double (*load)[3];             // the same: of the pass
    double *responses, *of_closures;
    char *moves;       // of a tree while its response is found
    float (*start)[4]; // velocities of the bodies of the batch as the pass began
    uint32_t port_count, tree_count, contact_count;
    Stage stage;
    bool welded; // contacts of bodies that welds make one
    bool jammed; // deep, and not because they carry much
} Room;

// ------------------------------------------------------------------------------------------------
// memory

typedef struct Sizes {
    size_t contacts, ports, trees, rows, responses, of_closures, moves;
} Sizes;

static Sizes sizes_of(const PhJointLayout *own, const PhIslandBatch *batch) {
    size_t ports = 2 * (size_t)batch->contact_count;
    size_t jointed = ports < batch->jointed_count ? ports : batch->jointed_count,
           most = 3 * jointed;
    uint32_t bodies = 0, trees = 0;
    for (uint32_t k = batch->first_joint_pack;
         k < batch->first_joint_pack + batch->joint_pack_count; k++) {
        bodies = bodies > own->joint_packs[k].body_count ? bodies : own->joint_packs[k].body_count;
        trees += own->joint_packs[k].count;
    }
    return (Sizes){batch->contact_count,          ports,       trees,
                   ph_batch_solver_bodies(batch), most * most, most * PH_ARTICULATION_LOOP_ROWS,
                   ph_articulation_moves(bodies)};
}

// Everything in multiples of 64 bytes. Returns how much that is; room: NULL, or it is carved out of
// memory.
static size_t carve(const PhJointLayout *own, const PhIslandBatch *batch, void *memory,
                    Room *room) {
    const Sizes n = sizes_of(own, batch);
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
    CARVE(port_of_solver_body, n.rows);
    CARVE(order, n.ports);
    CARVE(body, n.ports);
    CARVE(wrench, n.ports);
    CARVE(load, n.ports);
    CARVE(responses, n.responses);
    CARVE(of_closures, n.of_closures);
    CARVE(moves, n.moves);
    CARVE(start, n.rows);
#undef CARVE
    return used + 64; // of what stays from pass to pass
}

PhStatus ph_articulated_build(PhLayout *layout) {
    struct PhLayoutArrays *arrays = layout->arrays;
    uint64_t used = 0;
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        PhIslandBatch *batch = &arrays->batches[b];
        if (!batch->articulated) {
            continue;
        }
        batch->room = (uint32_t)used;
        used += carve(&arrays->joints, batch, NULL, NULL) / 64;
        if (used > UINT32_MAX) {
            return PH_ERROR_MEMORY;
        }
    }
    return ph_reserve(&arrays->articulated, used, 64);
}

// What a batch keeps from pass to pass lies at the end of its room.
typedef struct Counts {
    uint32_t ports, trees, contacts;
    bool welded, jammed;
} Counts;

static Room empty_room(const PhJointRun *run, const PhIslandBatch *batch, Counts **counts) {
    Room room = {0};
    char *memory = (char *)run->layout->arrays->articulated + (size_t)batch->room * 64;
    size_t size = carve(&run->layout->arrays->joints, batch, memory, &room);
    *counts = (Counts *)(void *)(memory + size - 64);
    return room;
}

static Room room_of(const PhJointRun *run, const PhIslandBatch *batch, Counts **counts) {
    Room room = empty_room(run, batch, counts);
    room.port_count = (*counts)->ports;
    room.tree_count = (*counts)->trees;
    room.contact_count = (*counts)->contacts;
    room.welded = (*counts)->welded;
    room.jammed = (*counts)->jammed;
    return room;
}

// ------------------------------------------------------------------------------------------------
// begin

static const PhJointPack *pack_of(const PhJointRun *run, const PhIslandBatch *batch, uint32_t k) {
    return &run->layout->arrays->joints.joint_packs[batch->first_joint_pack + k];
}

static bool has_ports(const PhJointPack *pack) {
    return pack->direct && pack->solves;
}

static uint32_t port_at(Room *room, uint32_t solver_body) {
    uint32_t port = room->port_of_solver_body[solver_body];
    if (port == PH_NULL) {
        port = room->port_of_solver_body[solver_body] = room->port_count++;
        room->ports[port] = (Port){.solver_body = solver_body, .tree = PH_NULL};
    }
    return port;
}

static void list_contacts(const PhJointRun *run, const PhIslandBatch *batch, Room *room) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    const PhWideContacts *single = &arrays->wide_contacts[1];
    for (uint32_t i = 0; i < batch->color_count; i++) {
        const PhColor *color = &arrays->colors[batch->first_color + i];
        PH_ASSERT(ph_color_overflows(color->number));
        for (uint32_t k = color->first_wide; k < color->first_wide + color->wide_count; k++) {
            Contact *contact = &room->contacts[room->contact_count++];
            WideContact *wide = (WideContact *)single->parts.wide_contacts + k;
            *contact = (Contact){.wide = wide,
                                 .rest = (Rest *)single->parts.rests + k,
                                 .extra = (Extra *)single->parts.extras + k,
                                 .fixed = color->fixed};
            uint32_t slot =
                arrays->solver_body_slot[batch->first_solver_body + wide->solver_a[0] / 16];
            const PhIsland *island = &arrays->islands[run->layout->island[slot]];
            room->welded |= island->welded;
            room->jammed |= island->jammed && !island->wanted;
            for (int j = 0; j < 2; j++) {
                contact->fresh[j] = island->bounces && !(wide->point[j].normal_impulse > 0);
            }
            contact->a = port_at(room, wide->solver_a[0] / 16);
            contact->b = port_at(room, wide->solver_b[0] / 16);
            room->ports[contact->a].inv_mass = (double)wide->mass_a;
            room->ports[contact->a].inv_inertia = (double)wide->inertia_a;
            if (color->fixed) {
                continue;
            }
            room->ports[contact->b].inv_mass = (double)wide->mass_b;
            room->ports[contact->b].inv_inertia = (double)wide->inertia_b;
        }
    }
}

static void list_trees(const PhJointRun *run, const PhIslandBatch *batch, Room *room) {
    const PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t used = 0;
    for (uint32_t k = 0; k < batch->joint_pack_count; k++) {
        const PhJointPack *pack = pack_of(run, batch, k);
        for (uint32_t lane = 0; has_ports(pack) && lane < pack->count; lane++) {
            Tree *tree = &room->trees[room->tree_count];
            *tree = (Tree){.pack = k, .lane = lane, .first = used};
            for (uint32_t i = 0; i < pack->body_count; i++) {
                bool fixed = own->bodies[pack->first_body + i].fixed;
                uint32_t place = pack->first_solver_body + i * pack->width + lane;
                uint32_t solver_body = own->pack_bodies[place] - batch->first_solver_body;
                uint32_t port = room->port_of_solver_body[solver_body];
                tree->anchored |= fixed;
                if (port == PH_NULL || fixed) {
                    continue;
                }
                room->ports[port].tree = room->tree_count;
                room->ports[port].place = tree->count++;
                room->order[used] = port;
                room->body[used++] = i;
            }
            room->tree_count += tree->count > 0;
        }
    }
}

void ph_articulated_begin(const PhJointRun *run, const PhIslandBatch *batch) {
    Counts *counts;
    Room room = empty_room(run, batch, &counts);
    for (uint32_t r = 0; r < ph_batch_solver_bodies(batch); r++) {
        room.port_of_solver_body[r] = PH_NULL;
    }
    list_contacts(run, batch, &room);
    list_trees(run, batch, &room);
    *counts =
        (Counts){room.port_count, room.tree_count, room.contact_count, room.welded, room.jammed};
}

// ------------------------------------------------------------------------------------------------
// ports

// An operation on all trees of the pack of tree t, with impulses that were given to their ports.
// Returns the first tree of the next one.
static uint32_t pass_trees(const PhJointRun *run, const PhIslandBatch *batch, const Room *room,
                           uint32_t t, PhArticulationOperation operation, double (*wrench)[3],
                           bool *changed) {
    const uint32_t pack = room->trees[t].pack;
    PhArticulationPass pass = {.run = run,
                               .operation = operation,
                               .biased = room->stage == SOLVE,
                               .bounce = room->stage == BOUNCE,
                               .of_closures = room->of_closures,
                               .moves = room->moves,
                               .changed = changed};
    for (; t < room->tree_count && room->trees[t].pack == pack; t++) {
        Tree *tree = &room->trees[t];
        pass.ports[tree->lane] =
            (PhArticulationPorts){.count = tree->count,
                                  .body = room->body + tree->first,
                                  .known = &tree->known,
                                  .wrench = (const double(*)[3])(wrench + tree->first),
                                  .response = tree->response};
    }
    ph_articulation_pass(&pass, pack_of(run, batch, pack));
    return t;
}

// Velocities and masses of now, and how trees answer. What geometric stiffness has made harder to
// turn is so for contacts too.
static void load_ports(const PhJointRun *run, const PhIslandBatch *batch, const PhPass *pass,
                       Room *room) {
    const PhJointMass *masses = run->layout->arrays->joints.masses + batch->first_solver_body;
    double *responses = room->responses;
    for (uint32_t i = 0; i < room->port_count; i++) {
        Port *port = &room->ports[i];
        for (int k = 0; k < 3; k++) {
            port->v[k] = (double)pass->solver_bodies.velocity[port->solver_body][k];
        }
    }
    uint32_t last_jointed =
        batch->first_jointed + (room->stage == BOUNCE ? 0 : batch->jointed_count);
    for (uint32_t k = batch->first_jointed; k < last_jointed; k++) {
        uint32_t solver_body = run->layout->arrays->joints.jointed[k] - batch->first_solver_body;
        uint32_t port = room->port_of_solver_body[solver_body];
        if (port != PH_NULL && masses[solver_body].inertia > masses[solver_body].own) {
            room->ports[port].inv_inertia = masses[solver_body].inv_inertia;
        }
    }
    for (uint32_t t = 0; t < room->tree_count; t++) {
        Tree *tree = &room->trees[t];
        size_t size = 3 * (size_t)tree->count;
        tree->response = responses;
        responses += size * size;
        memset(room->wrench + tree->first, 0, tree->count * sizeof *room->wrench);
    }
    for (uint32_t t = 0; t < room->tree_count;) {
        t = pass_trees(run, batch, room, t, PH_ARTICULATION_RESPOND, room->wrench, NULL);
    }
}

// Returns whether a row of a joint cannot be held as it was.
static bool store_ports(const PhJointRun *run, const PhIslandBatch *batch, const PhPass *pass,
                        Room *room) {
    bool changed = false;
    for (uint32_t i = 0; i < room->port_count; i++) {
        const Port *port = &room->ports[i];
        for (int k = 0; k < 3 && port->tree == PH_NULL && port->inv_mass > 0; k++) {
            pass->solver_bodies.velocity[port->solver_body][k] = (float)port->v[k];
        }
    }
    for (uint32_t t = 0; t < room->tree_count;) {
        t = pass_trees(run, batch, room, t, PH_ARTICULATION_GIVE, room->wrench, &changed);
    }
    return changed;
}

// Trees under all that their ports have been given in this pass.
static void solve_again(const PhJointRun *run, const PhIslandBatch *batch, Room *room) {
    for (uint32_t i = 0; i < room->port_count; i++) {
        for (int k = 0; k < 3; k++) {
            room->load[i][k] += room->wrench[i][k];
        }
    }
    for (uint32_t t = 0; t < room->tree_count;) {
        t = pass_trees(run, batch, room, t, PH_ARTICULATION_AGAIN, room->load, NULL);
    }
}

// What an impulse along a Jacobian on port i does to the velocity of port j.
static void answer(const Room *room, const Port *i, const double jacobian[3], const Port *j,
                   double moves[3]) {
    if (i->tree == PH_NULL) {
        if (i != j) {
            return;
        }
        moves[0] += i->inv_mass * jacobian[0];
        moves[1] += i->inv_mass * jacobian[1];
        moves[2] += i->inv_inertia * jacobian[2];
        return;
    }
    if (i->tree != j->tree) {
        return;
    }
    const Tree *tree = &room->trees[i->tree];
    size_t size = 3 * (size_t)tree->count;
    const double *column = tree->response + 3 * i->place * size + 3 * j->place;
    for (int k = 0; k < 3; k++, column += size) {
        for (int m = 0; m < 3; m++) {
            moves[m] += jacobian[k] * column[m];
        }
    }
}

// Adds what an impulse and a turn move a port by, along columns of a response.
static inline void add_moved(double *restrict v, const double impulse[3], const double *restrict x,
                             const double *restrict y, const double *restrict w) {
    for (int m = 0; m < 3; m++) {
        v[m] = v[m] + impulse[0] * x[m] + impulse[1] * y[m] + impulse[2] * w[m];
    }
}

static void apply_to_port(Room *room, uint32_t i, const double jacobian[3], double impulse) {
    Port *port = &room->ports[i];
    const double scaled[3] = {impulse * jacobian[0], impulse * jacobian[1], impulse * jacobian[2]};
    if (port->tree == PH_NULL) {
        answer(room, port, scaled, port, port->v);
        if (room->stage == BOUNCE) {
            answer(room, port, scaled, port, port->blown);
        }
        return;
    }
    const Tree *tree = &room->trees[port->tree];
    const size_t size = 3 * (size_t)tree->count;
    const double *x = tree->response + 3 * port->place * size, *y = x + size, *w = y + size;
    for (uint32_t k = 0; k < tree->count; k++, x += 3, y += 3, w += 3) {
        Port *other = &room->ports[room->order[tree->first + k]];
        add_moved(other->v, scaled, x, y, w);
        if (room->stage == BOUNCE) {
            add_moved(other->blown, scaled, x, y, w);
        }
    }
    for (int k = 0; k < 3; k++) {
        room->wrench[tree->first + port->place][k] += scaled[k];
    }
}

static void apply_row(Room *room, const Contact *contact, int k, double impulse) {
    if (impulse == 0) {
        return;
    }
    apply_to_port(room, contact->a, contact->row[k].a, impulse);
    if (!contact->fixed) {
        apply_to_port(room, contact->b, contact->row[k].b, impulse);
    }
}

static double dot(const double x[3], const double y[3]) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static double along(const ConstraintRow *row, const double a[3], const double b[3]) {
    return dot(row->a, a) + dot(row->b, b);
}

static double speed_along(const Room *room, const Contact *contact, int k) {
    return along(&contact->row[k], room->ports[contact->a].v, room->ports[contact->b].v);
}

// ------------------------------------------------------------------------------------------------
// contacts

#include "solve/articulated_contacts_source.h"

// What is jammed in a fold of a body may have no way out that the joints allow: it is pushed out
// with no more impulse than that would take without joints.
static void limit_gap(const Room *room, Contact *contact, int j, const PhPass *pass) {
    bool jammed = (room->jammed || is_in_tree(room, contact)) &&
                  (double)contact->wide->point[j].gap < -pass->lengths->jammed;
    double bare = (double)contact->wide->point[j].normal_mass;
    double share = jammed ? ph_min(contact->row[j].mass * bare, 1) : 1;
    contact->gap[j] = contact->free_gap[j] * share;
}

// What a biased solve wants of its points: solve_wide_contacts in kernels_source.h.
static void aim_solve(const Room *room, Contact *contact, const PhPass *pass) {
    const PhSoftness soft = pass->soft[contact->fixed];
    double ratio = ph_min((double)soft.impulse_scale / (double)soft.mass_scale, 1e6);
    double first = speed_along(room, contact, 0), second = speed_along(room, contact, 1);
    bool fast = ph_min(first, second) < -pass->lengths->stopped_at_once;
    for (int j = 0; j < 2; j++) {
        double s = (double)contact->wide->point[j].gap;
        bool apart = s > 0;
        contact->softness[j] = apart || fast ? 0 : ratio;
        contact->free_gap[j] = apart
                                   ? s * (double)pass->inv_h
                                   : ph_max((double)soft.bias_rate * s, -(double)pass->push_speed);
        limit_gap(room, contact, j, pass);
    }
}

static void turn(const float delta[4], double nt, double rn, double *along) {
    *along += (double)delta[2] * nt + (double)delta[3] * rn;
}

// How far apart the points are as the bodies stand; kept for the next biased solve.
static void find_gaps(Contact *contact, const PhPass *pass) {
    WideContact *k = contact->wide;
    const Rest *r = contact->rest;
    const float *a = pass->solver_bodies.delta[k->solver_a[0] / 16],
                *b = pass->solver_bodies.delta[k->solver_b[0] / 16];
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
        drive[k] = port->inv_mass > 0 ? (double)pass->solver_bodies.drive[port->solver_body][k] : 0;
        own[k] = (double)pass->solver_bodies.before[port->solver_body][k] - drive[k];
    }
}

// Normal velocities of the points that the bodies have of themselves.
static void find_own(const Room *room, Contact *contact, const PhPass *pass) {
    double drive[3], a[3], b[3];
    find_drive(pass, &room->ports[contact->a], drive, a);
    find_drive(pass, &room->ports[contact->b], drive, b);
    for (int j = 0; j < 2; j++) {
        contact->bounces[j] = along(&contact->row[j], a, b);
    }
}

static void aim_relax(const Room *room, Contact *contact, const PhPass *pass, bool extra) {
    for (int j = 0; j < 2; j++) {
        double s = (double)contact->wide->point[j].gap;
        contact->softness[j] = 0;
        contact->gap[j] = ph_max(s * (double)pass->inv_h, 0);
        if (pass->last && s > pass->lengths->open_gap) { // it meets in the next step
            contact->gap[j] = INFINITY;
        }
    }
    if (extra && contact->extra->restitution > 0) {
        find_own(room, contact, pass);
    }
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
    for (int j = 0; j < 2; j++) {
        if (!there[j] && x[j] != 0) {
            apply_row(room, contact, NORMAL + j, -x[j]);
            if (there[1 - j]) {
                q[1 - j] -= contact->coupling * x[j];
            }
            contact->impulse[NORMAL + j] = x[j] = 0;
        }
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
        if (!there[j]) {
            continue;
        }
        double impulse = total[j] - x[j];
        contact->impulse[NORMAL + j] = total[j];
        apply_row(room, contact, NORMAL + j, impulse);
        most = ph_max(most, fabs(impulse) * k[j]);
    }
    return most;
}

// An impulse within a limit, against a velocity. Returns by how much the velocity changes.
static double brake(Room *room, Contact *contact, int k, double speed, double limit) {
    double mass = contact->row[k].mass, old = contact->impulse[k];
    if (!(mass > 0)) {
        return 0;
    }
    double total = ph_max(-limit, ph_min(old - speed / mass, limit));
    contact->impulse[k] = total;
    apply_row(room, contact, k, total - old);
    return fabs(total - old) * mass;
}

static double solve_friction(Room *room, Contact *contact, const PhPass *pass, bool extra) {
    double belt = extra ? (double)contact->extra->tangent_speed : 0, most = 0;
    double load = contact->impulse[0] + contact->impulse[1];
    for (int j = 0; j < 2; j++) {
        double slip = speed_along(room, contact, TANGENT + j) - belt;
        double limit = (double)contact->rest->friction * contact->impulse[NORMAL + j];
        most = ph_max(most, brake(room, contact, TANGENT + j, slip, limit));
    }
    if (extra) {
        double spin = brake(room, contact, ROLLING, speed_along(room, contact, ROLLING),
                            (double)contact->extra->rolling_radius * load);
        most = ph_max(most, pass->lengths->one * spin);
    }
    return most;
}

static void store_contact(const Contact *contact, bool biased, bool extra) {
    for (int j = 0; j < 2; j++) {
        contact->wide->point[j].normal_impulse = (float)contact->impulse[NORMAL + j];
        if (biased) {
            continue;
        }
        contact->rest->point[j].tangent_impulse = (float)contact->impulse[TANGENT + j];
        contact->rest->total_normal[j] += (float)contact->impulse[NORMAL + j];
        contact->rest->total_tangent[j] += (float)contact->impulse[TANGENT + j];
    }
    if (!biased && extra) {
        contact->extra->rolling_impulse = (float)contact->impulse[ROLLING];
    }
}

// The impulse of an impact in the last substep is no load: the next step would begin with it, and
// what joints had held against it would be missing there.
static void forget_impact(const Room *room, Contact *contact, const PhPass *pass) {
    find_own(room, contact, pass);
    for (int j = 0; j < 2; j++) {
        if (contact->fresh[j] && contact->bounces[j] < -(double)pass->restitution_threshold) {
            contact->wide->point[j].normal_impulse = 0;
            contact->rest->point[j].tangent_impulse = 0;
        }
    }
}

// A sweep over all contacts. Returns the most that a velocity changes by.
static double sweep_contacts(Room *room, const PhPass *pass, int sweep, bool friction, bool extra) {
    double most = 0;
    for (uint32_t i = 0; i < room->contact_count; i++) {
        Contact *contact = &room->contacts[sweep & 1 ? room->contact_count - 1 - i : i];
        most = ph_max(most, solve_normals(room, contact, pass, extra));
        if (friction) {
            most = ph_max(most, solve_friction(room, contact, pass, extra));
        }
    }
    return most;
}

// Takes a share of the friction back, which is found anew.
static void forget_friction(Room *room) {
    for (uint32_t i = 0; i < room->contact_count; i++) {
        Contact *contact = &room->contacts[i];
        for (int k = TANGENT; k < TANGENT + 2; k++) {
            double back = contact->row[k].mass > 0 ? FORGOTTEN * contact->impulse[k] : 0;
            contact->impulse[k] -= back;
            apply_row(room, contact, k, -back);
        }
    }
}

// Sweeps over all contacts until none changes much. What welds make one may be braced between its
// feet by friction, and nothing would ever take that away: so a share of the friction is found anew
// in each relaxation, when the normals have settled. While these have not, feet slide that will
// stand.
static void settle_contacts(Room *room, const PhPass *pass, bool biased, bool extra) {
    double most = INFINITY;
    if (room->welded && !biased) {
        forget_friction(room);
        for (int sweep = 0; sweep < MOST_SWEEPS && most > pass->lengths->settled; sweep++) {
            most = sweep_contacts(room, pass, sweep, false, extra);
        }
        most = INFINITY;
    }
    for (int sweep = 0; sweep < MOST_SWEEPS && most > pass->lengths->settled; sweep++) {
        most = sweep_contacts(room, pass, sweep, !biased, extra && !biased);
    }
}

#include "solve/articulated_impacts_source.h"

// ------------------------------------------------------------------------------------------------
// passes

// Of a pass: gaps, impulses of the one before, and what is wanted.
static void begin_contacts(Room *room, const PhPass *pass, bool biased, bool extra) {
    for (uint32_t i = 0; i < room->contact_count; i++) {
        Contact *contact = &room->contacts[i];
        if (!biased) {
            find_gaps(contact, pass);
        }
        load_contact(contact, extra);
        weigh_contact(room, contact);
        for (int k = 0; biased && k < CONSTRAINT_ROWS; k++) { // warm start
            if (contact->row[k].mass > 0) {
                apply_row(room, contact, k, contact->impulse[k]);
            }
        }
    }
    for (uint32_t i = 0; i < room->contact_count; i++) {
        if (biased) {
            aim_solve(room, &room->contacts[i], pass);
        } else {
            aim_relax(room, &room->contacts[i], pass, extra);
        }
    }
}

#include "solve/articulated_share_source.h"

// Where a limit or a motor cannot hold against the contacts, or holds by pulling, the joints are
// solved once more under the load of the contacts, and these with what the joints hold then.
static void run_pass(const PhJointRun *run, const PhIslandBatch *batch, const PhPass *pass,
                     bool biased, bool extra) {
    Counts *counts;
    Room room = room_of(run, batch, &counts);
    room.stage = biased ? SOLVE : RELAX;
    memset(room.load, 0, room.port_count * sizeof *room.load);
    memcpy(room.start, velocities_of(run, batch), (batch->body_count + 1) * sizeof *room.start);
    bool changed = true;
    for (int attempt = 0; attempt < MOST_ATTEMPTS && changed; attempt++) {
        load_ports(run, batch, pass, &room);
        if (attempt == 0) {
            begin_contacts(&room, pass, biased, extra);
        }
        for (uint32_t i = 0; i < room.contact_count && attempt > 0; i++) {
            weigh_contact(&room, &room.contacts[i]);
            for (int j = 0; j < 2 && biased; j++) {
                if (room.contacts[i].most[j] < INFINITY) { // a motor that may have given way
                    limit_gap(&room, &room.contacts[i], j, pass);
                }
            }
        }
        for (uint32_t i = 0; i < room.contact_count; i++) {
            bound_tries(&room, &room.contacts[i]);
        }
        settle_contacts(&room, pass, biased, extra);
        for (uint32_t i = 0; i < room.contact_count; i++) {
            keep_to_tries(&room, &room.contacts[i]);
        }
        changed = store_ports(run, batch, pass, &room);
        if (changed && attempt + 1 < MOST_ATTEMPTS) {
            solve_again(run, batch, &room);
        }
    }
    double share = changed && !is_driven(&room, extra) ? calmest_share(run, batch, &room) : 1;
    if (share < 1) {
        take_back(run, batch, &room, share, biased);
    }
    for (uint32_t i = 0; i < room.contact_count; i++) {
        store_contact(&room.contacts[i], biased, extra);
        if (!biased && pass->last) {
            forget_impact(&room, &room.contacts[i], pass);
        }
    }
}

void ph_articulated_solve(const PhJointRun *run, const PhIslandBatch *batch, const PhPass *pass,
                          bool extra) {
    run_pass(run, batch, pass, true, extra);
}

void ph_articulated_relax(const PhJointRun *run, const PhIslandBatch *batch, const PhPass *pass,
                          bool extra) {
    run_pass(run, batch, pass, false, extra);
}
