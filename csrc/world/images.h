// Images of a question in a wrapped world: what is asked about one place is asked about every place
// a number of widths and heights away from where something lies, each in turn. In a world Without
// periodic boundaries there is one image, the question as it is.
#ifndef PH_WORLD_IMAGES_H
#define PH_WORLD_IMAGES_H

#include "world/internal.h"

// A path may lead so often around the world.
#define PH_MOST_TURNS 1000

typedef struct PhImages {
    PhVec2 shift; // of the present image: to be added to what asks
    PhWrap wrap;
    PhAabb box, bounds; // of what asks; of what there is
    PhVec2 displacement;
    double first_x, first_y; // in sizes
    uint32_t x, x_count, y, y_count;
    bool plain; // no periodic boundary, and the one image has not been given
} PhImages;

// Of what lies in a box, moves from there by a displacement, and sees as far as `reach`; after
// ph_query_refresh. What asks is to be near the plane: moved by ph_wrap_fold of some point of it.
PhImages ph_images(const PhWorld *world, PhAabb box, PhVec2 displacement, double reach);
// The same with what moves itself, within `moving`.
PhImages ph_images_among(const PhWorld *world, PhAabb box, PhVec2 displacement, PhAabb moving);
// The same where things lie in a tree of their own.
PhImages ph_images_in(const PhWorld *world, PhAabb box, const PhAabbTree *tree);
// The same among what lies within bounds.
PhImages ph_images_within(const PhWorld *world, PhAabb box, PhAabb bounds);
bool ph_images_next_periodic(PhImages *images);
static inline bool ph_images_next(PhImages *images) {
    if (ph_wraps(&images->wrap)) {
        return ph_images_next_periodic(images);
    }
    bool first = images->plain;
    images->plain = false;
    return first;
}

// Whether a question with a shape of that extent (from its origin), which moves by a displacement,
// can be asked in this world. `name` is that of the displacement.
PhStatus ph_images_check(const PhWorld *world, double extent, PhVec2 displacement, const char *name,
                         PhError *error);

// A box that meets the same in some image as the given one, if no wider and higher than the world.
PhAabb ph_images_clip(const PhWorld *world, PhAabb box);

#endif
