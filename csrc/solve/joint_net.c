// Nets: pins of parts with too many loops for a tree, cut into blocks of one color for the lanes of
// joint_net_source.h, and what a step begins and ends with.
//
// Invariant: pins of a color share no dynamic body, but in overflow colors, whose blocks have one
// pin each. Colors depend on the order of the joints alone. Loads are kept as float32 newtons in
// the blocks of a layout that lasts as in the joints, so a new layout changes no bit.
#include "solve/joint_net.h"

#include <string.h>

#include "base/memory.h"
#include "broad/backends.h"

enum {
    ROW_A,
    ROW_B,
    MASS_A,
    MASS_B,
    INERTIA_A,
    INERTIA_B,
    ARM_A,
    ARM_B = ARM_A + 2,
    GAP = ARM_B + 2,
    IMPULSE = GAP + 2,
    TOTAL = IMPULSE + 2,
    TURN_A = TOTAL + 2,
    TURN_B,
    FIELDS,
};

enum { OVERFLOW = PH_NET_COLORS };

_Static_assert((int)FIELDS == (int)PH_NET_FIELDS, "fields of a pin");

// ------------------------------------------------------------------------------------------------
// layout

static uint8_t pick_color(uint32_t *a, uint32_t *b) {
    uint32_t open = ~(*a | *b);
    if (!open)
        return OVERFLOW;
    *a |= open & (~open + 1);
    *b |= open & (~open + 1);
    return (uint8_t)__builtin_ctz(open);
}

static float inverse_of(const PhSolverBodies *bodies, uint32_t slot, int k) {
    bool dynamic = slot != PH_NULL && bodies->role[slot] == PH_ROLE_DYNAMIC;
    return dynamic ? bodies->mass[slot][k] : 0;
}

static void set_word(float *field, uint32_t word) {
    memcpy(field, &word, sizeof word);
}

static float *field_of(const PhJointLayout *own, uint32_t lanes, uint32_t lane, int field) {
    size_t block = lane / lanes;
    return (float *)own->net_blocks + (block * PH_NET_FIELDS + (size_t)field) * lanes +
           lane % lanes;
}

static PhNetPin pin_of(const PhLayout *layout, const PhSolverBodies *bodies,
                       const PhJointEnds *ends) {
    const PhJoint *joint = &bodies->joints->joint[ends->joint];
    const uint32_t *row_slot = layout->arrays->row_slot;
    PhNetPin pin = {.joint = ends->joint,
                    .slot = {joint->body[0], joint->body[1]},
                    .anchor = {joint->anchor[0], joint->anchor[1]}};
    for (int side = 0; side < 2; side++) {
        uint32_t row = side ? ends->row_b : ends->row_a, slot = pin.slot[side];
        pin.row[side] = slot != PH_NULL && row_slot[row] == slot ? row : PH_NULL;
    }
    return pin;
}

// What stays as it is while the layout lasts.
static void fill_lane(PhLayout *layout, const PhBin *bin, const PhSolverBodies *bodies,
                      uint32_t lane, const PhJointEnds *ends) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t lanes = layout->arrays->kernels->lanes;
    for (int k = 0; k < FIELDS; k++)
        *field_of(own, lanes, lane, k) = 0;
    own->net_pins[lane] = (PhNetPin){.joint = PH_NULL};
    uint32_t nobody = ph_bin_rows(bin) - 1;
    set_word(field_of(own, lanes, lane, ROW_A), 16 * nobody);
    set_word(field_of(own, lanes, lane, ROW_B), 16 * nobody);
    if (!ends)
        return;
    const PhJoint *joint = &bodies->joints->joint[ends->joint];
    own->net_pins[lane] = pin_of(layout, bodies, ends);
    set_word(field_of(own, lanes, lane, ROW_A), 16 * (ends->row_a - bin->first_row));
    set_word(field_of(own, lanes, lane, ROW_B), 16 * (ends->row_b - bin->first_row));
    for (int k = 0; k < 2; k++) {
        *field_of(own, lanes, lane, k ? INERTIA_A : MASS_A) = inverse_of(bodies, joint->body[0], k);
        *field_of(own, lanes, lane, k ? INERTIA_B : MASS_B) = inverse_of(bodies, joint->body[1], k);
        *field_of(own, lanes, lane, IMPULSE + k) = bodies->joints->result[ends->joint].load[k];
    }
}

// The colors of the pins of a bin behind the blocks of the bins before.
static void color_bin(PhLayout *layout, PhBin *bin, const PhSolverBodies *bodies) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t lanes = layout->arrays->kernels->lanes, number[PH_NET_COLORS + 1] = {0};
    const uint32_t *members = own->net_members + bin->first_pin;
    bin->first_net_color = own->net_color_count;
    for (uint32_t r = bin->first_row; bin->pin_count && r < bin->first_row + ph_bin_rows(bin); r++)
        own->net_used[r] = 0;
    for (uint32_t i = 0; i < bin->pin_count; i++) {
        const PhJointEnds *ends = &own->ends[members[i]];
        uint32_t fixed = 0, *used[2];
        for (int side = 0; side < 2; side++) {
            uint32_t row = side ? ends->row_b : ends->row_a, slot = layout->arrays->row_slot[row];
            bool moves = slot != PH_NULL && bodies->role[slot] == PH_ROLE_DYNAMIC;
            used[side] = moves ? &own->net_used[row] : &fixed;
        }
        own->seen[members[i]] = pick_color(used[0], used[1]);
        number[own->seen[members[i]]]++;
    }
    for (uint8_t c = 0; c <= OVERFLOW; c++) {
        uint32_t blocks = c == OVERFLOW ? number[c] : (number[c] + lanes - 1) / lanes;
        if (!blocks)
            continue;
        own->net_colors[own->net_color_count++] = (PhNetColor){own->net_block_count, blocks, c};
        own->net_block_count += blocks;
    }
    bin->net_color_count = own->net_color_count - bin->first_net_color;
}

static void fill_bin(PhLayout *layout, const PhBin *bin, const PhSolverBodies *bodies) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t lanes = layout->arrays->kernels->lanes, next[PH_NET_COLORS + 1];
    for (uint32_t i = 0; i < bin->net_color_count; i++) {
        const PhNetColor *color = &own->net_colors[bin->first_net_color + i];
        uint32_t first = color->first_block * lanes, last = first + color->block_count * lanes;
        next[color->number] = first;
        for (uint32_t lane = first; lane < last; lane++)
            fill_lane(layout, bin, bodies, lane, NULL);
    }
    for (uint32_t i = 0; i < bin->pin_count; i++) {
        uint32_t w = own->net_members[bin->first_pin + i], *lane = &next[own->seen[w]];
        fill_lane(layout, bin, bodies, *lane, &own->ends[w]);
        *lane += own->seen[w] == OVERFLOW ? lanes : 1;
    }
}

PhStatus ph_net_build(PhLayout *layout, const PhSolverBodies *bodies, uint32_t pins) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t lanes = layout->arrays->kernels->lanes, rows = layout->row_count;
    own->net_color_count = own->net_block_count = 0;
    if (pins &&
        (ph_reserve_array(&own->net_colors, &own->net_color_capacity,
                          (uint64_t)layout->bin_count * (PH_NET_COLORS + 1),
                          sizeof *own->net_colors) ||
         ph_reserve_array(&own->net_used, &own->net_used_capacity, rows, sizeof *own->net_used) ||
         ph_reserve_array(&own->net_rows, &own->net_row_capacity, rows, sizeof *own->net_rows)))
        return PH_ERROR_MEMORY;
    for (uint32_t b = 0; b < layout->bin_count; b++)
        color_bin(layout, &layout->arrays->bins[b], bodies);
    uint64_t room = (uint64_t)own->net_block_count * lanes;
    if (room > UINT32_MAX / PH_NET_FIELDS ||
        ph_reserve_array(&own->net_pins, &own->net_pin_capacity, room, sizeof *own->net_pins) ||
        ph_reserve_array(&own->net_blocks, &own->net_block_capacity,
                         (room * PH_NET_FIELDS * 4 + 63) / 64, 64))
        return PH_ERROR_MEMORY;
    for (uint32_t b = 0; b < layout->bin_count; b++)
        fill_bin(layout, &layout->arrays->bins[b], bodies);
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------
// a step

void ph_net_load_rows(const PhJointRun *run, uint32_t first, uint32_t last) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    for (uint32_t r = first; r < last; r++)
        if (arrays->row_slot[r] != PH_NULL)
            arrays->joints.net_rows[r] = ph_net_row(run->bodies, arrays->row_slot[r]);
}

void ph_net_prepare(const PhJointRun *run, uint32_t first, uint32_t last) {
    PhJointLayout *own = &run->layout->arrays->joints;
    const PhSolverBodies *bodies = run->bodies;
    const PhNetRow *rows = own->net_rows;
    uint32_t lanes = run->layout->arrays->kernels->lanes;
    float h = (float)run->h;
    for (uint32_t lane = first * lanes; lane < last * lanes; lane++) {
        const PhNetPin *pin = &own->net_pins[lane];
        if (pin->joint == PH_NULL)
            continue;
        float *field = field_of(own, lanes, lane, 0);
        PhNetEnd a = ph_net_end(rows, bodies, pin, 0), b = ph_net_end(rows, bodies, pin, 1);
        field[ARM_A * lanes] = (float)a.arm.x;
        field[(ARM_A + 1) * lanes] = (float)a.arm.y;
        field[ARM_B * lanes] = (float)b.arm.x;
        field[(ARM_B + 1) * lanes] = (float)b.arm.y;
        PhVec2 gap = ph_net_gap(run->bodies, &a, &b);
        field[GAP * lanes] = (float)gap.x;
        field[(GAP + 1) * lanes] = (float)gap.y;
        field[IMPULSE * lanes] *= h;
        field[(IMPULSE + 1) * lanes] *= h;
        field[TOTAL * lanes] = field[(TOTAL + 1) * lanes] = 0;
    }
}

// Geometric stiffness, from the loads of the last substep: once a step, as tension changes slowly.
void ph_net_stiffen(const PhJointRun *run, const PhBin *bin) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    const PhSolverBodies *bodies = run->bodies;
    const PhJointLayout *own = &arrays->joints;
    uint32_t lanes = arrays->kernels->lanes;
    const PhNetColor *colors = own->net_colors + bin->first_net_color;
    for (uint32_t i = 0; i < bin->net_color_count; i++) {
        uint32_t first = colors[i].first_block * lanes;
        for (uint32_t lane = first; lane < first + colors[i].block_count * lanes; lane++) {
            const PhNetPin *pin = &own->net_pins[lane];
            const float *field = field_of(own, lanes, lane, 0);
            if (pin->joint == PH_NULL)
                continue;
            float x = field[IMPULSE * lanes], y = field[(IMPULSE + 1) * lanes];
            if (pin->row[0] != PH_NULL)
                own->net_rows[pin->row[0]].pull -=
                    field[ARM_A * lanes] * x + field[(ARM_A + 1) * lanes] * y;
            if (pin->row[1] != PH_NULL)
                own->net_rows[pin->row[1]].pull +=
                    field[ARM_B * lanes] * x + field[(ARM_B + 1) * lanes] * y;
        }
    }
    for (uint32_t r = bin->first_row + 1; r <= bin->first_row + bin->body_count; r++) {
        uint32_t slot = arrays->row_slot[r];
        float *velocity = arrays->rows.velocity[r];
        double least = bodies->exact_inertia[slot], before = bodies->joints->inflated[slot];
        double wanted = run->h * (double)own->net_rows[r].pull;
        if (!(wanted > least) || bodies->mass[slot][1] == 0) {
            bodies->joints->inflated[slot] = 0;
            continue;
        }
        before = before > least ? before : least;
        if (wanted > before)
            velocity[2] *= (float)(before / wanted);
        velocity[3] = (float)(least / wanted - 1);
        bodies->joints->inflated[slot] = wanted;
    }
}

void ph_net_store(const PhJointRun *run, uint32_t first, uint32_t last) {
    PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t lanes = run->layout->arrays->kernels->lanes;
    double inv_dt = 1 / run->parameters->dt;
    float inv_h = (float)(1 / run->h);
    for (uint32_t lane = first * lanes; lane < last * lanes; lane++) {
        const PhNetPin *pin = &own->net_pins[lane];
        if (pin->joint == PH_NULL)
            continue;
        float *field = field_of(own, lanes, lane, 0);
        PhJointResult *result = &run->bodies->joints->result[pin->joint];
        for (int k = 0; k < 2; k++) {
            result->load[k] = field[((size_t)IMPULSE + (size_t)k) * lanes] *= inv_h;
            result->force[k] = inv_dt * (double)field[((size_t)TOTAL + (size_t)k) * lanes];
        }
        result->load[2] = 0;
        result->torque = 0;
    }
}
