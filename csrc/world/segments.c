// Surfaces of a chain's segments: what a collider has of its own for each of them.
//
// Invariant: what is shared never changes; each number is NaN, for the collider's, or within the
// range of a collider's.
#include <math.h>

#include "base/memory.h"
#include "geometry/build.h"
#include "world/internal.h"

static PhStatus check(const PhSegmentSurface *row, uint32_t i, PhError *error) {
    const struct {
        const char *name;
        double value, least, most;
    } numbers[] = {
        {"friction", row->friction, 0, PH_MAX_SURFACE},
        {"restitution", row->restitution, 0, PH_MAX_SURFACE},
        {"rolling_resistance", row->rolling_resistance, 0, PH_MAX_SURFACE},
        {"tangent_speed", row->tangent_speed, -1e9, 1e9},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        double value = numbers[k].value;
        if (!isnan(value) && !(value >= numbers[k].least && value <= numbers[k].most)) {
            return ph_fail(error, PH_ERROR_VALUE,
                           "segments: %s[%u] must be between %s and %s, or NaN for the collider's, "
                           "got %s",
                           numbers[k].name, i, ph_number_text(numbers[k].least).text,
                           ph_number_text(numbers[k].most).text, ph_number_text(value).text);
        }
    }
    if (row->material < -1 || row->material >= PH_MAX_MATERIALS) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "segments: material[%u] must be between 0 and %d, or -1 for the "
                       "collider's, got %d",
                       i, PH_MAX_MATERIALS - 1, row->material);
    }
    return PH_OK;
}

PhSegments *ph_segments_create(const PhSegmentSurface *surfaces, uint32_t count, PhError *error) {
    for (uint32_t i = 0; i < count; i++) {
        if (check(&surfaces[i], i, error)) {
            return NULL;
        }
    }
    PhSegments *segments = ph_alloc(1, sizeof *segments);
    PhSegmentSurface *own = ph_alloc((size_t)count + 1, sizeof *own);
    if (!segments || !own) {
        ph_free(segments);
        ph_free(own);
        ph_fail(error, PH_ERROR_MEMORY, "no memory for the surfaces of %u segments", count);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        PhSegmentSurface row = surfaces[i];
        double *numbers[] = {&row.friction, &row.restitution, &row.rolling_resistance,
                             &row.tangent_speed};
        for (int k = 0; k < 4; k++) {
            *numbers[k] = isnan(*numbers[k]) ? NAN : *numbers[k]; // one of all that there are
        }
        row.unused = 0;
        own[i] = row;
    }
    atomic_init(&segments->references, 1);
    segments->count = count;
    segments->surface = own;
    return segments;
}

void ph_segments_retain(PhSegments *segments) {
    if (segments) {
        atomic_fetch_add_explicit(&segments->references, 1, memory_order_relaxed);
    }
}

void ph_segments_release(PhSegments *segments) {
    if (segments &&
        atomic_fetch_sub_explicit(&segments->references, 1, memory_order_acq_rel) == 1) {
        ph_free(segments->surface);
        ph_free(segments);
    }
}

PhStatus ph_segments_check(const PhColliderDef *def, const PhShape *shape, PhError *error) {
    if (!def->segments) {
        return PH_OK;
    }
    if (shape->kind != PH_SHAPE_CHAIN) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "segments: only a Chain has segments with surfaces of their own");
    }
    if (def->segments->count != (uint32_t)shape->piece_count) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "segments: must have a row for each of the %d segments of the Chain, got %u",
                       shape->piece_count, def->segments->count);
    }
    return PH_OK;
}

void ph_segments_apply(PhColliderDef *def, uint32_t piece) {
    const PhSegmentSurface *own = &def->segments->surface[piece];
    const double told[] = {own->friction, own->restitution, own->rolling_resistance,
                           own->tangent_speed};
    double *numbers[] = {&def->friction, &def->restitution, &def->rolling_resistance,
                         &def->tangent_speed};
    for (int k = 0; k < 4; k++) {
        *numbers[k] = isnan(told[k]) ? *numbers[k] : told[k];
    }
    def->material = own->material >= 0 ? (uint16_t)(1 + own->material) : def->material;
}
