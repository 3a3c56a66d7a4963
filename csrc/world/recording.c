// Owns how frames of recordings lie in memory. They are copies of the live arrays, as these are
// after a step; nothing of the world is changed.
#include "world/recording.h"

#include <string.h>

#include "world/internal.h"

void ph_world_layout(const PhWorld *world, PhLayoutRow *rows) {
    const PhState *s = world->state;
    for (uint32_t i = 0; i < world->slot_count; i++) {
        const PhBody *body = &world->body[i];
        memset(&rows[i], 0, sizeof rows[i]); // layouts are compared byte by byte
        rows[i].kind = -1;
        if (!s->alive[i]) {
            continue;
        }
        uint32_t last = body->last_collider;
        rows[i] = (PhLayoutRow){
            .id = ph_id_number(ph_body_id(world, i)),
            .last_collider = last == PH_NULL ? 0 : ph_id_number(ph_collider_id(world, last)),
            .mass = s->mass[i],
            .inertia = s->inertia[i],
            .gravity_scale = world->gravity_scale[i],
            .center = {body->center_local.x, body->center_local.y},
            .kind = s->kind[i],
            .collider_count = (int32_t)body->collider_count,
        };
    }
}

uint64_t ph_frame_size(uint32_t slots) {
    return PH_FRAME_HEAD + 6 * (uint64_t)slots + ((uint64_t)slots + 7) / 8;
}

void ph_world_frame(const PhWorld *world, double *frame) {
    const PhState *s = world->state;
    size_t n = world->slot_count, column = n * sizeof(double);
    const double head[PH_FRAME_HEAD] = {world->time, (double)world->step_count,
                                        world->def.gravity.x, world->def.gravity.y};
    memcpy(frame, head, sizeof head);
    frame += PH_FRAME_HEAD;
    if (n == 0) { // there may be no arrays
        return;
    }
    memcpy(frame, s->position, 2 * column);
    memcpy(frame + 2 * n, s->angle, column);
    memcpy(frame + 3 * n, s->velocity, 2 * column);
    memcpy(frame + 5 * n, s->angular_velocity, column);
    char *awake = (char *)(frame + 6 * n);
    memcpy(awake, s->awake, n);
    memset(awake + n, 0, (8 - n % 8) % 8);
}

uint32_t ph_world_generation_floor(const PhWorld *world) {
    return world->generation_floor;
}

void ph_world_set_generation_floor(PhWorld *world, uint32_t floor) {
    world->generation_floor = floor;
}
