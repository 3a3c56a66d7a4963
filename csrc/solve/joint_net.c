// Nets: pins and rods of parts with too many loops for a tree, and springs where there are many,
// cut into blocks of one kind and color for the lanes of joint_net_source.h, and what a step begins
// and ends with.
//
// Invariant: joints of a color share no dynamic body, but in overflow colors, whose blocks have one
// joint each. Colors depend on the order of the joints alone. Loads are kept as float32 newtons in
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
    PIN_FIELDS,
};
enum { // of a rod after those of a pin
    LOWER = PIN_FIELDS,
    UPPER,
    AXIS,
    LOAD = AXIS + 2,
    ROD_FIELDS,
};
enum { // of a spring likewise
    PULL = PIN_FIELDS,
    VELOCITY,
    GAINED,
    STIFFNESS,
    FOLLOWED,
    REST_MASS,
    REST,
    SPRING_AXIS,
    ALONG = SPRING_AXIS + 2,
    MASS = ALONG + 2,
    STRETCH,
    SPRING_FIELDS,
};

enum { OVERFLOW = PH_NET_COLORS, ALL_COLORS = PH_NET_KINDS * (PH_NET_COLORS + 1) };

_Static_assert((int)PIN_FIELDS == (int)PH_NET_PIN_FIELDS, "fields of a pin");
_Static_assert((int)ROD_FIELDS == (int)PH_NET_ROD_FIELDS, "fields of a rod");
_Static_assert((int)SPRING_FIELDS == (int)PH_NET_SPRING_FIELDS, "fields of a spring");

// ------------------------------------------------------------------------------------------------
// kinds

static bool is_pin(const PhJoint *joint) {
    return joint->kind == PH_JOINT_REVOLUTE && !ph_joint_axis_rows(joint) &&
           !ph_joint_sprung_rows(joint) && ph_joint_rigid_rows(joint) == 3;
}

static bool is_rod(const PhJoint *joint) {
    return joint->kind == PH_JOINT_DISTANCE && !ph_joint_sprung_rows(joint) &&
           !(joint->value[PH_JOINT_MAX_MOTOR] > 0) && joint->value[PH_JOINT_UPPER] > 0;
}

static bool is_spring(const PhJoint *joint) {
    return joint->kind == PH_JOINT_DISTANCE && !ph_joint_axis_rows(joint) &&
           !ph_joint_rigid_rows(joint) && ph_joint_sprung_rows(joint);
}

int ph_net_kind(const PhJoint *joint) {
    return is_pin(joint)      ? PH_NET_PIN
           : is_rod(joint)    ? PH_NET_ROD
           : is_spring(joint) ? PH_NET_SPRING
                              : PH_NET_KINDS;
}

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

// Of a lane of a color: its first field; the next one is as many words on as there are lanes.
static float *fields_at(const PhLayout *layout, const PhNetColor *color, uint32_t lane) {
    uint32_t lanes = layout->arrays->kernels->lanes;
    return ph_net_block(layout->arrays, color, lane / lanes) + lane % lanes;
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

// Nobody in all lanes of a color.
static void clear_color(PhLayout *layout, const PhBin *bin, const PhNetColor *color) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t lanes = layout->arrays->kernels->lanes, first = color->first_block * lanes;
    uint32_t nobody = 16 * (ph_bin_rows(bin) - 1);
    size_t words = (size_t)ph_net_fields(color->kind) * lanes;
    float *block = ph_net_block(layout->arrays, color, color->first_block);
    memset(block, 0, color->block_count * words * sizeof *block);
    for (uint32_t b = 0; b < color->block_count; b++, block += words)
        for (uint32_t l = 0; l < lanes; l++) {
            set_word(&block[ROW_A * lanes + l], nobody);
            set_word(&block[ROW_B * lanes + l], nobody);
            own->net_pins[first + b * lanes + l] = (PhNetPin){.joint = PH_NULL};
        }
}

// What stays as it is while the layout lasts.
static void fill_lane(PhLayout *layout, const PhBin *bin, const PhSolverBodies *bodies,
                      const PhNetColor *color, uint32_t lane, const PhJointEnds *ends) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t lanes = layout->arrays->kernels->lanes;
    float *field = fields_at(layout, color, lane);
    const PhJoint *joint = &bodies->joints->joint[ends->joint];
    const float *load = bodies->joints->result[ends->joint].load;
    own->net_pins[lane] = pin_of(layout, bodies, ends);
    set_word(&field[ROW_A * lanes], 16 * (ends->row_a - bin->first_row));
    set_word(&field[ROW_B * lanes], 16 * (ends->row_b - bin->first_row));
    for (int k = 0; k < 2; k++) {
        field[(k ? INERTIA_A : MASS_A) * lanes] = inverse_of(bodies, joint->body[0], k);
        field[(k ? INERTIA_B : MASS_B) * lanes] = inverse_of(bodies, joint->body[1], k);
        if (color->kind == PH_NET_PIN)
            field[((size_t)IMPULSE + (size_t)k) * lanes] = load[k];
    }
    if (color->kind == PH_NET_ROD)
        field[LOAD * lanes] = load[0];
}

// The colors of the joints of a bin behind the blocks of the bins before; in seen[], with their
// kind, where those of one kind have colors of their own.
static void color_bin(PhLayout *layout, PhBin *bin, const PhSolverBodies *bodies) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t lanes = layout->arrays->kernels->lanes, number[ALL_COLORS] = {0};
    const uint32_t *members = own->net_members + bin->first_pin;
    uint32_t rows = ph_bin_rows(bin);
    bin->first_net_color = own->net_color_count;
    bin->spring_count = 0;
    for (uint32_t r = 0; bin->pin_count && r < PH_NET_KINDS * rows; r++)
        own->net_used[PH_NET_KINDS * bin->first_row + r] = 0;
    for (uint32_t i = 0; i < bin->pin_count; i++) {
        const PhJointEnds *ends = &own->ends[members[i]];
        int kind = ph_net_kind(&bodies->joints->joint[ends->joint]);
        uint32_t fixed = 0, *used[2];
        for (int side = 0; side < 2; side++) {
            uint32_t row = side ? ends->row_b : ends->row_a, slot = layout->arrays->row_slot[row];
            bool moves = slot != PH_NULL && bodies->role[slot] == PH_ROLE_DYNAMIC;
            used[side] = moves ? &own->net_used[PH_NET_KINDS * row + (uint32_t)kind] : &fixed;
        }
        int color = kind * (PH_NET_COLORS + 1) + pick_color(used[0], used[1]);
        own->seen[members[i]] = (uint8_t)color;
        number[color]++;
        bin->spring_count += kind == PH_NET_SPRING;
    }
    for (uint8_t c = 0; c < ALL_COLORS; c++) {
        uint8_t kind = c / (PH_NET_COLORS + 1), own_number = c % (PH_NET_COLORS + 1);
        uint32_t blocks = own_number == OVERFLOW ? number[c] : (number[c] + lanes - 1) / lanes;
        if (!blocks)
            continue;
        own->net_colors[own->net_color_count++] =
            (PhNetColor){own->net_block_count, blocks, own->net_data_count, own_number, kind};
        own->net_block_count += blocks;
        own->net_data_count += blocks * ph_net_fields(kind);
    }
    bin->net_color_count = own->net_color_count - bin->first_net_color;
}

static void fill_bin(PhLayout *layout, const PhBin *bin, const PhSolverBodies *bodies) {
    PhJointLayout *own = &layout->arrays->joints;
    const PhNetColor *of[ALL_COLORS];
    uint32_t lanes = layout->arrays->kernels->lanes, next[ALL_COLORS];
    for (uint32_t i = 0; i < bin->net_color_count; i++) {
        const PhNetColor *color = &own->net_colors[bin->first_net_color + i];
        int c = color->kind * (PH_NET_COLORS + 1) + color->number;
        next[c] = color->first_block * lanes;
        of[c] = color;
        clear_color(layout, bin, color);
    }
    for (uint32_t i = 0; i < bin->pin_count; i++) {
        uint32_t w = own->net_members[bin->first_pin + i], *lane = &next[own->seen[w]];
        const PhNetColor *color = of[own->seen[w]];
        fill_lane(layout, bin, bodies, color, *lane, &own->ends[w]);
        *lane += color->number == OVERFLOW ? lanes : 1;
    }
}

PhStatus ph_net_build(PhLayout *layout, const PhSolverBodies *bodies, uint32_t members) {
    PhJointLayout *own = &layout->arrays->joints;
    uint32_t lanes = layout->arrays->kernels->lanes, rows = layout->row_count;
    own->net_color_count = own->net_block_count = own->net_data_count = 0;
    if (members > UINT32_MAX / SPRING_FIELDS || // a block has a joint at least
        (members &&
         (ph_reserve_array(&own->net_colors, &own->net_color_capacity,
                           (uint64_t)layout->bin_count * ALL_COLORS, sizeof *own->net_colors) ||
          ph_reserve_array(&own->net_used, &own->net_used_capacity, (uint64_t)rows * PH_NET_KINDS,
                           sizeof *own->net_used) ||
          ph_reserve_array(&own->net_rows, &own->net_row_capacity, rows, sizeof *own->net_rows))))
        return PH_ERROR_MEMORY;
    for (uint32_t b = 0; b < layout->bin_count; b++)
        color_bin(layout, &layout->arrays->bins[b], bodies);
    uint64_t room = (uint64_t)own->net_block_count * lanes;
    if (room > UINT32_MAX ||
        ph_reserve_array(&own->net_pins, &own->net_pin_capacity, room, sizeof *own->net_pins) ||
        ph_reserve_array(&own->net_blocks, &own->net_block_capacity,
                         ((uint64_t)own->net_data_count * lanes * 4 + 63) / 64, 64))
        return PH_ERROR_MEMORY;
    for (uint32_t b = 0; b < layout->bin_count; b++)
        fill_bin(layout, &layout->arrays->bins[b], bodies);
    return PH_OK;
}

// ------------------------------------------------------------------------------------------------
// a step

void ph_net_load_rows(const PhJointRun *run, uint32_t first, uint32_t last) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    for (uint32_t r = first; r < last; r++) {
        if (arrays->row_slot[r] == PH_NULL)
            continue;
        PhNetRow *row = &arrays->joints.net_rows[r];
        *row = ph_net_row(run->bodies, arrays->row_slot[r]);
        memcpy(row->drive, arrays->rows.drive[r], sizeof row->drive);
    }
}

void ph_net_restore_drives(const PhJointRun *run, const PhBin *bin) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    const PhRows *rows = &arrays->rows;
    for (uint32_t r = bin->first_row + 1; r <= bin->first_row + bin->body_count; r++) {
        const float *drive = arrays->joints.net_rows[r].drive;
        for (int k = 0; k < 3; k++) {
            rows->before[r][k] += rows->drive[r][k] - drive[k];
            rows->drive[r][k] = drive[k];
        }
    }
}

// Loads become the impulses of a substep, along the rod as it is.
static void prepare_rod(const PhJoint *joint, PhVec2 gap, PhVec2 axis, float h, float *field,
                        uint32_t lanes) {
    double length = ph_length(gap);
    float load = field[LOAD * lanes] *= h;
    PhVec2 along = length > 0 ? ph_scale(1 / length, gap) : axis;
    bool held = ph_joint_rigid_rows(joint) != 0;
    double lower = joint->value[PH_JOINT_LOWER];
    field[LOWER * lanes] = (float)(held ? lower : ph_joint_lower(&ph_joint_distance, joint));
    field[UPPER * lanes] = (float)joint->value[PH_JOINT_UPPER];
    field[AXIS * lanes] = (float)axis.x;
    field[(AXIS + 1) * lanes] = (float)axis.y;
    field[IMPULSE * lanes] = load * (float)along.x;
    field[(IMPULSE + 1) * lanes] = load * (float)along.y;
}

static void prepare_spring(const PhJoint *joint, const PhNetEnd *a, const PhNetEnd *b, double h,
                           PhSpringCache *cache, float *field, uint32_t lanes) {
    PhVec2 axis = ph_rotate(a->rot, joint->axis);
    const PhVec2 arm[2] = {ph_unrotate(a->rot, a->arm), ph_unrotate(b->rot, b->arm)};
    const double inverse[2][2] = {
        {(double)field[MASS_A * lanes], (double)field[INERTIA_A * lanes]},
        {(double)field[MASS_B * lanes], (double)field[INERTIA_B * lanes]}};
    double masses[6];
    PhJointSpring spring = ph_joint_spring(joint, h, cache);
    field[PULL * lanes] = spring.exact ? (float)spring.pull : 0;
    field[VELOCITY * lanes] = (float)spring.velocity;
    field[GAINED * lanes] = (float)spring.gained;
    field[STIFFNESS * lanes] = spring.exact ? 0 : (float)spring.error;
    ph_joint_rest_masses(joint, 1, arm, inverse, masses);
    field[FOLLOWED * lanes] = (float)(h * spring.error);
    field[REST_MASS * lanes] = (float)masses[0];
    field[REST * lanes] = (float)joint->value[PH_JOINT_TARGET];
    field[SPRING_AXIS * lanes] = (float)axis.x;
    field[(SPRING_AXIS + 1) * lanes] = (float)axis.y;
}

void ph_net_prepare(const PhJointRun *run, const PhNetColor *color, uint32_t first, uint32_t last) {
    PhJointLayout *own = &run->layout->arrays->joints;
    const PhSolverBodies *bodies = run->bodies;
    const PhNetRow *rows = own->net_rows;
    uint32_t lanes = run->layout->arrays->kernels->lanes;
    float h = (float)run->h;
    PhSpringCache cache = {.known = false};
    for (uint32_t lane = first * lanes; lane < last * lanes; lane++) {
        const PhNetPin *pin = &own->net_pins[lane];
        if (pin->joint == PH_NULL)
            continue;
        float *field = fields_at(run->layout, color, lane);
        const PhJoint *joint = &bodies->joints->joint[pin->joint];
        PhNetEnd a = ph_net_end(rows, bodies, pin, 0), b = ph_net_end(rows, bodies, pin, 1);
        field[ARM_A * lanes] = (float)a.arm.x;
        field[(ARM_A + 1) * lanes] = (float)a.arm.y;
        field[ARM_B * lanes] = (float)b.arm.x;
        field[(ARM_B + 1) * lanes] = (float)b.arm.y;
        PhVec2 gap = ph_net_gap(run->bodies, &a, &b);
        field[GAP * lanes] = (float)gap.x;
        field[(GAP + 1) * lanes] = (float)gap.y;
        field[TOTAL * lanes] = field[(TOTAL + 1) * lanes] = 0;
        if (color->kind == PH_NET_PIN) {
            field[IMPULSE * lanes] *= h;
            field[(IMPULSE + 1) * lanes] *= h;
        } else if (color->kind == PH_NET_ROD) {
            prepare_rod(joint, gap, ph_rotate(a.rot, joint->axis), h, field, lanes);
        } else {
            prepare_spring(joint, &a, &b, run->h, &cache, field, lanes);
        }
    }
}

static bool is_in_net(const PhJointLayout *own, uint32_t row) {
    uint32_t colors = 0;
    for (uint32_t kind = 0; kind < PH_NET_KINDS; kind++)
        colors |= own->net_used[PH_NET_KINDS * row + kind];
    return colors != 0;
}

// Geometric stiffness, from the loads of the last substep: once a step, as tension changes slowly.
// That of bodies in no net is the business of their trees.
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
            const float *field = fields_at(run->layout, &colors[i], lane);
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
        if (!is_in_net(own, r))
            continue;
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

void ph_net_store(const PhJointRun *run, const PhNetColor *color, uint32_t first, uint32_t last) {
    PhJointLayout *own = &run->layout->arrays->joints;
    uint32_t lanes = run->layout->arrays->kernels->lanes;
    double inv_dt = 1 / run->parameters->dt;
    float inv_h = (float)(1 / run->h);
    for (uint32_t lane = first * lanes; lane < last * lanes; lane++) {
        const PhNetPin *pin = &own->net_pins[lane];
        if (pin->joint == PH_NULL)
            continue;
        float *field = fields_at(run->layout, color, lane);
        PhJointResult *result = &run->bodies->joints->result[pin->joint];
        for (int k = 0; k < 2; k++)
            result->force[k] = inv_dt * (double)field[((size_t)TOTAL + (size_t)k) * lanes];
        result->load[0] = result->load[1] = result->load[2] = 0;
        for (int k = 0; k < 2 && color->kind == PH_NET_PIN; k++)
            result->load[k] = field[((size_t)IMPULSE + (size_t)k) * lanes] *= inv_h;
        if (color->kind == PH_NET_ROD)
            result->load[0] = field[LOAD * lanes] *= inv_h;
        result->torque = 0;
    }
}
