// The table of what two materials make of each other, and what a world tells the narrow phase of
// it.
//
// Invariant: the table is symmetric, and each of its numbers is NaN or within the range of a
// collider's.
#include <math.h>

#include "geometry/build.h"
#include "world/changes.h"
#include "world/manifolds.h"

static bool are_same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static PhStatus check(const PhMaterialPair *pairs, uint32_t count, PhError *error) {
    static const char *const names[] = {"friction", "restitution", "rolling_resistance"};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            const PhMaterialPair *one = &pairs[(size_t)i * count + j];
            const PhMaterialPair *other = &pairs[(size_t)j * count + i];
            const double a[] = {one->friction, one->restitution, one->rolling_resistance};
            const double b[] = {other->friction, other->restitution, other->rolling_resistance};
            for (int k = 0; k < 3; k++) {
                if (!isnan(a[k]) && !(a[k] >= 0 && a[k] <= PH_MAX_SURFACE)) {
                    return ph_fail(error, PH_ERROR_VALUE,
                                   "material_pairs[%u, %u, %d]: %s must be between 0 and %s, or "
                                   "NaN for what the mixing rule says, got %s",
                                   i, j, k, names[k], ph_number_text(PH_MAX_SURFACE).text,
                                   ph_number_text(a[k]).text);
                }
                if (!are_same(a[k], b[k])) {
                    return ph_fail(error, PH_ERROR_VALUE,
                                   "material_pairs[%u, %u, %d]: %s must be that of [%u, %u, %d], "
                                   "the same pair, got %s and %s",
                                   i, j, k, names[k], j, i, k, ph_number_text(a[k]).text,
                                   ph_number_text(b[k]).text);
                }
            }
        }
    }
    return PH_OK;
}

PhStatus ph_world_set_material_pairs(PhWorld *world, const PhMaterialPair *pairs, uint32_t count,
                                     PhError *error) {
    PhStatus status = check(pairs, count, error);
    if (status) {
        return status;
    }
    size_t all = (size_t)count * count;
    if (ph_reserve_array(&world->material_pairs, &world->material_pair_capacity, all,
                         sizeof *world->material_pairs)) {
        return ph_fail(error, PH_ERROR_MEMORY, "no memory for the pairs of %u materials", count);
    }
    for (size_t i = 0; i < all; i++) {
        PhMaterialPair pair = pairs[i];
        double *numbers[] = {&pair.friction, &pair.restitution, &pair.rolling_resistance};
        for (int k = 0; k < 3; k++) {
            *numbers[k] = isnan(*numbers[k]) ? NAN : *numbers[k]; // one of all that there are
        }
        world->material_pairs[i] = pair;
    }
    world->material_count = count;
    for (uint32_t i = 0; world->own_surfaces && i < world->slot_count; i++) {
        ph_wake(world, i);
    }
    return PH_OK;
}

const PhMaterialPair *ph_world_material_pairs(const PhWorld *world, uint32_t *count) {
    *count = world->material_count;
    return world->material_pairs;
}

PhSurfaces ph_world_surfaces(const PhWorld *world) {
    return (PhSurfaces){
        .material = world->material,
        .sort = world->surface_sort,
        .pair = world->material_pairs,
        .count = world->material_count,
        .friction_rule = world->def.friction_rule,
        .restitution_rule = world->def.restitution_rule,
    };
}
