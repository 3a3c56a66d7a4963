// Contacts that press bodies against what is fixed, for springs that are solved at once with all
// that holds their bodies (joint_group_source.h): a wheel that stands on the ground does not give
// way below its spring.
#include "solve/articulations.h"

#define PH_LANES 1
#include "solve/wide_contact.h"

uint32_t ph_supports_list(const PhJointRun *run, const PhIslandBatch *batch,
                          PhSupport supports[PH_MOST_SUPPORTS]) {
    const struct PhLayoutArrays *arrays = run->layout->arrays;
    const WideContact *wide = arrays->wide_contacts[1].parts.wide_contacts;
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->color_count; i++) {
        const PhColor *color = &arrays->colors[batch->first_color + i];
        for (uint32_t k = color->first_wide; k < color->first_wide + color->wide_count; k++) {
            for (int j = 0; color->fixed && j < 2; j++) {
                const Point *point = &wide[k].point[j];
                if (!(point->normal_impulse > 0) || !(point->normal_mass > 0)) {
                    continue;
                }
                if (count == PH_MOST_SUPPORTS) { // some alone would tilt what stands on all
                    return 0;
                }
                const float *ground =
                    arrays->solver_bodies
                        .velocity[batch->first_solver_body + wide[k].solver_b[0] / 16];
                supports[count++] = (PhSupport){
                    .joint = {.solver_body = {batch->first_solver_body + wide[k].solver_a[0] / 16,
                                              PH_NULL}},
                    .row = {(double)wide[k].nx, (double)wide[k].ny, (double)point->rn_a},
                    .speed = (double)wide[k].nx * (double)ground[0] +
                             (double)wide[k].ny * (double)ground[1] +
                             (double)point->rn_b * (double)ground[2],
                };
            }
        }
    }
    return count;
}
