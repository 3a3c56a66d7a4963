// Owns how frames of recordings lie in memory. They are copies of the live arrays, as these are
// after a step; nothing of the world is changed.
#include "world/recording.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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
        uint64_t version = 0;
        for (uint32_t c = body->first_collider; c != PH_NULL; c = world->collider[c].next) {
            version += world->collider[c].version;
        }
        rows[i] = (PhLayoutRow){
            .id = ph_id_number(ph_body_id(world, i)),
            .last_collider = last == PH_NULL ? 0 : ph_id_number(ph_collider_id(world, last)),
            .version = version,
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

// A frame is not read again soon. Long columns are written past the caches, which then keep what
// the next step needs: that halves what a recording costs a step.
enum { LONG = 4096 }; // bytes

// Needs a fence behind the last one.
static void copy(void *to, const void *from, size_t size) {
#if defined(__SSE2__)
    if (size >= LONG) {
        enum { LINE = 64, QUARTER = sizeof(__m128i) };
        const uint8_t *in = from;
        uint8_t *out = to;
        size_t skip = (size_t)(-(uintptr_t)out % LINE);
        memcpy(out, in, skip);
        for (size -= skip, in += skip, out += skip; size >= LINE;
             size -= LINE, in += LINE, out += LINE) {
            for (int k = 0; k < LINE; k += QUARTER) {
                _mm_stream_si128((__m128i *)(out + k), _mm_loadu_si128((const __m128i *)(in + k)));
            }
        }
        to = out;
        from = in;
    }
#endif
    memcpy(to, from, size);
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
    copy(frame, s->position, 2 * column);
    copy(frame + 2 * n, s->angle, column);
    copy(frame + 3 * n, s->velocity, 2 * column);
    copy(frame + 5 * n, s->angular_velocity, column);
    char *awake = (char *)(frame + 6 * n);
    copy(awake, s->awake, n);
    memset(awake + n, 0, (8 - n % 8) % 8);
#if defined(__SSE2__)
    _mm_sfence(); // other threads read the frame in order
#endif
}

uint32_t ph_world_generation_floor(const PhWorld *world) {
    return world->generation_floor;
}

void ph_world_set_generation_floor(PhWorld *world, uint32_t floor) {
    world->generation_floor = floor;
}
