// Towers: islands much taller than wide. Contacts are springs, so a tower tilts as a beam bends:
// where the load F of a contact, as high as c above it, tips it by more than the two points at a
// distance w put right, it falls, however straight it stands. A contact of the stiffness k resists
// with k w^2 / 4, and sinks in by d = F / k; the sum of 4 d c / w^2 over the contacts of a tower
// is its yield. Towers whose yield is above about 0.7 fall (measured; a beam under its own weight
// buckles likewise, A. G. Greenhill, "Determination of the greatest height consistent with
// stability", 1881). They get as many substeps, with contacts as much stiffer, as bring it down to
// LEAST_YIELD.
//
// What a heavy body will press with is known before its load has come down through all contacts: a
// tower that gets stiffer contacts while it is compressed throws what it bears. For the same reason
// one with a heavy body that is deep in itself already, as after an impact, stays as it is.
//
// Invariant: which islands may be towers is a function of the contacts; whether they are, of where
// their bodies are and how they move at the start of the step.
#include <math.h>

#include "base/memory.h"
#include "math/trig.h"
#include "solve/layout.h"

#define LEAST_YIELD 0.2
#define MOST_UNEVEN 16.0 // times as stiff, where masses are uneven
#define FEWEST_BODIES 5
#define MOST_CONTACTS 256
#define SLENDER 3.0 // height over width, of the centres
#define UPRIGHT 0.7 // of the normals of contacts that carry, along gravity

static bool may_be_tower(const PhIsland *island) {
    return island->held && island->body_count >= FEWEST_BODIES &&
           island->contact_count <= MOST_CONTACTS &&
           island->contact_count <= 2 * island->body_count;
}

// The tower of a dynamic body, or NULL.
static PhTower *tower_of(const PhLayout *layout, uint32_t slot) {
    uint32_t number = layout->arrays->islands[layout->island[slot]].tower;
    return number ? &layout->arrays->towers[number - 1] : NULL;
}

PhStatus ph_towers_list(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies,
                        const PhStepParameters *parameters) {
    struct PhLayoutArrays *arrays = layout->arrays;
    arrays->tower_count = arrays->tower_body_count = arrays->tower_contact_count = 0;
    bool heavy = ph_dot(parameters->gravity, parameters->gravity) > 0;
    uint32_t count = 0, body_count = 0, contact_count = 0;
    for (uint32_t r = 0; r < layout->island_count; r++) {
        PhIsland *island = &arrays->islands[arrays->roots[r]];
        bool may = heavy && may_be_tower(island);
        island->tower = may ? ++count : 0;
        body_count += may ? island->body_count : 0;
        contact_count += may ? island->contact_count : 0;
    }
    for (uint32_t m = 0; count && bodies->joints && m < bodies->dynamic_count; m++) {
        uint32_t slot = bodies->dynamic[m];
        if (arrays->slots[slot].in_joint) {
            arrays->islands[layout->island[slot]].tower = 0;
        }
    }
    if (PH_RESERVE(arrays->towers, count) || PH_RESERVE(arrays->tower_bodies, body_count) ||
        PH_RESERVE(arrays->tower_contacts, contact_count)) {
        return PH_ERROR_MEMORY;
    }
    arrays->tower_count = count;
    for (uint32_t m = 0; count && m < bodies->dynamic_count; m++) {
        uint32_t slot = bodies->dynamic[m];
        if (layout->in_contact[slot] && tower_of(layout, slot)) {
            arrays->tower_bodies[arrays->tower_body_count++] = slot;
        }
    }
    for (uint32_t c = 0; count && c < contacts->count; c++) {
        if (tower_of(layout, contacts->body_a[c])) {
            arrays->tower_contacts[arrays->tower_contact_count++] = c;
        }
    }
    return PH_OK;
}

// How far a body is above the first one of its island, and how far beside it.
static PhVec2 place_of(const PhLayout *layout, const PhSolverBodies *bodies, uint32_t slot,
                       PhVec2 up) {
    uint32_t root = layout->island[slot];
    PhVec2 off = {bodies->center[slot][0] - bodies->center[root][0],
                  bodies->center[slot][1] - bodies->center[root][1]};
    off = ph_wrap_least(&bodies->wrap, off);
    return ph_vec(ph_dot(off, up), ph_cross(off, up));
}

// Whether a body moves little from the first one of its island.
static bool rests_on(const PhLayout *layout, const PhSolverBodies *bodies, uint32_t slot,
                     const PhStepParameters *parameters) {
    uint32_t root = layout->island[slot];
    PhVec2 v = {bodies->velocity[slot][0] - bodies->velocity[root][0],
                bodies->velocity[slot][1] - bodies->velocity[root][1]};
    return ph_length(v) < parameters->lengths->tower_speed;
}

static PhVec2 up_of(const PhStepParameters *parameters) {
    return ph_scale(-1 / ph_length(parameters->gravity), parameters->gravity);
}

void ph_towers_look(PhLayout *layout, const PhContacts *contacts, const PhSolverBodies *bodies,
                    const PhStepParameters *parameters) {
    const struct PhLayoutArrays *arrays = layout->arrays;
    if (!arrays->tower_count) {
        return;
    }
    PhVec2 up = up_of(parameters);
    for (uint32_t i = 0; i < arrays->tower_count; i++) {
        arrays->towers[i] = (PhTower){.slender = true};
    }
    for (uint32_t k = 0; k < arrays->tower_body_count; k++) {
        uint32_t slot = arrays->tower_bodies[k];
        PhTower *tower = tower_of(layout, slot);
        PhVec2 place = place_of(layout, bodies, slot, up);
        tower->slender &= rests_on(layout, bodies, slot, parameters);
        tower->high = ph_vec(ph_max(tower->high.x, place.x), ph_max(tower->high.y, place.y));
        tower->low = ph_vec(ph_min(tower->low.x, place.x), ph_min(tower->low.y, place.y));
        double mass = 1 / (double)bodies->mass[slot][0];
        if (mass > tower->heaviest) {
            tower->heaviest = mass;
            tower->heaviest_at = place.x;
        }
    }
    for (uint32_t k = 0; k < arrays->tower_contact_count; k++) {
        uint32_t c = arrays->tower_contacts[k];
        const PhSolverManifold *m = &contacts->manifold[contacts->pair[c]];
        PhTower *tower = tower_of(layout, contacts->body_a[c]);
        double apart = ph_min((double)m->point[0].separation, (double)m->point[1].separation);
        tower->flat_count += ph_has_point(m, 0) && ph_has_point(m, 1);
        tower->depth = ph_max(tower->depth, -apart);
    }
    for (uint32_t i = 0; i < arrays->tower_count; i++) {
        PhTower *tower = &arrays->towers[i];
        PhVec2 size = ph_sub(tower->high, tower->low);
        tower->slender &= size.x > SLENDER * size.y && tower->flat_count + 1 >= FEWEST_BODIES;
        layout->watch_substeps |= tower->slender;
    }
}

// The part of a contact in the yield of its tower.
static double yield_of(const PhLayout *layout, const PhContacts *contacts,
                       const PhContactRecord *records, const PhSolverBodies *bodies, uint32_t c,
                       const PhStepParameters *parameters) {
    const PhSolverManifold *m = &contacts->manifold[contacts->pair[c]];
    const PhContactRecord *record = &records[contacts->pair[c]];
    uint32_t a = contacts->body_a[c], b = contacts->body_b[c];
    PhVec2 up = up_of(parameters), n = {(double)m->nx, (double)m->ny};
    if (!(ph_has_point(m, 0) && ph_has_point(m, 1)) || fabs(ph_dot(n, up)) < UPRIGHT) {
        return 0;
    }
    PhVec2 p = {(double)m->point[0].x, (double)m->point[0].y};
    PhVec2 q = {(double)m->point[1].x, (double)m->point[1].y}, w = ph_sub(q, p);
    double at = place_of(layout, bodies, a, up).x + 0.5 * ph_dot(ph_add(p, q), up);
    const PhTower *tower = tower_of(layout, a);
    double above = 0.5 * (tower->high.x - at), h = parameters->dt;
    h /= ph_base_substeps(parameters);
    double load = ((double)record->normal_impulse[0] + (double)record->normal_impulse[1]) / h;
    if (at < tower->heaviest_at) {
        load = ph_max(load, tower->heaviest * ph_length(parameters->gravity));
    }
    double inverse = (double)bodies->mass[a][0];
    double omega = 2 * PH_PI * ph_contact_hertz(parameters, 1);
    if (bodies->role[b] == PH_ROLE_DYNAMIC) {
        inverse += (double)bodies->mass[b][0];
    } else {
        omega *= 2;
    }
    double width2 = ph_dot(w, w), depth = load * inverse / (omega * omega);
    return above > 0 && width2 > 0 ? 4 * depth * above / width2 : 0;
}

void ph_towers_measure(const PhLayout *layout, const PhContacts *contacts,
                       const PhContactRecord *records, const PhSolverBodies *bodies,
                       const PhStepParameters *parameters) {
    const struct PhLayoutArrays *arrays = layout->arrays;
    for (uint32_t k = 0; k < arrays->tower_contact_count; k++) {
        uint32_t c = arrays->tower_contacts[k];
        PhTower *tower = tower_of(layout, contacts->body_a[c]);
        if (tower->slender) {
            tower->yield += yield_of(layout, contacts, records, bodies, c, parameters);
        }
    }
    for (uint32_t k = 0; k < arrays->tower_body_count; k++) {
        const PhTower *tower = tower_of(layout, arrays->tower_bodies[k]);
        PhIsland *island = &arrays->islands[layout->island[arrays->tower_bodies[k]]];
        if (tower->yield > LEAST_YIELD) {
            // Heavy on light trembles where contacts are stiffer than they have to be.
            double most = island->unevenness > 0 ? MOST_UNEVEN : HUGE_VAL;
            if (island->unevenness > 0 && tower->depth > parameters->lengths->tower_depth) {
                int level = bodies->substep_level[layout->island[arrays->tower_bodies[k]]].level;
                most = ph_min(most, level > 1 ? ldexp(1, 2 * (level - 1)) : 1);
            }
            double stiffer = ph_min(tower->yield / LEAST_YIELD, most);
            double hardness = ph_hardness_for(parameters, stiffer);
            island->hardness = ph_max(island->hardness, hardness);
        }
    }
}
