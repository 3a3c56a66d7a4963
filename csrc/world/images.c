// Owns the choice of images: those that can meet anything. The bounding box of everything is the
// root of the query tree.
//
// Invariant: no image that finds something is left out. Each is given once, column by column along
// the path, in an order that does not depend on what exists.
#include "world/images.h"

// More than rounding can change a bound by, in sizes.
#define SLACK 1e-9
enum { MOST_IMAGES = 2 * PH_MOST_TURNS + 16 }; // in one direction

// The multiples k of the size for which low + k size .. high + k size meets a range.
static uint32_t choose(double low, double high, double from, double to, double inverse,
                       double *first) {
    if (inverse == 0) {
        *first = 0;
        return low <= to && from <= high;
    }
    *first = ceil((from - high) * inverse - SLACK);
    double count = floor((to - low) * inverse + SLACK) - *first + 1;
    return !(count > 0) ? 0 : count < MOST_IMAGES ? (uint32_t)count : MOST_IMAGES;
}

static const PhAabb nowhere = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};

static PhAabb bounds_of(const PhAabbTree *tree) {
    return tree->root == PH_NULL ? nowhere : tree->nodes[tree->root].box;
}

static PhImages make(const PhWorld *world, PhAabb box, PhVec2 displacement, PhAabb bounds) {
    PhImages images = {
        .wrap = world->wrap, .box = box, .bounds = bounds, .displacement = displacement};
    if (!world->wrapped) {
        images.plain = true;
        images.shift = ph_vec(-0.0, -0.0); // adding it changes no number
        return images;
    }
    images.x_count =
        choose(box.lower.x + ph_min(displacement.x, 0), box.upper.x + ph_max(displacement.x, 0),
               bounds.lower.x, bounds.upper.x, world->wrap.inverse.x, &images.first_x);
    return images;
}

PhImages ph_images_among(const PhWorld *world, PhAabb box, PhVec2 displacement, PhAabb moving) {
    return make(world, box, displacement, ph_union(bounds_of(&world->tree), moving));
}

PhImages ph_images_in(const PhWorld *world, PhAabb box, const PhAabbTree *tree) {
    return make(world, box, ph_vec(0, 0), bounds_of(tree));
}

PhImages ph_images_within(const PhWorld *world, PhAabb box, PhAabb bounds) {
    return make(world, box, ph_vec(0, 0), bounds);
}

PhImages ph_images(const PhWorld *world, PhAabb box, PhVec2 displacement, double reach) {
    if (world->wrapped) { // no search goes further than the nearest image
        PhVec2 size = world->wrap.size;
        double x = size.x > 0 && reach > size.x ? size.x : reach;
        double y = size.y > 0 && reach > size.y ? size.y : reach;
        box.lower = ph_sub(box.lower, ph_vec(x, y));
        box.upper = ph_add(box.upper, ph_vec(x, y));
    }
    return make(world, box, displacement, bounds_of(&world->tree));
}

// The part of the path on which the image of a column is where something lies, and from it the
// rows.
static void open_column(PhImages *images) {
    double by = (images->first_x + images->x) * images->wrap.size.x, start = 0, end = 1;
    PhAabb box = images->box, bounds = images->bounds;
    if (images->displacement.x != 0) {
        double in = (bounds.lower.x - (box.upper.x + by)) / images->displacement.x;
        double out = (bounds.upper.x - (box.lower.x + by)) / images->displacement.x;
        start = ph_max(ph_min(in, out) - SLACK, 0);
        end = ph_min(ph_max(in, out) + SLACK, 1);
    }
    double a = start * images->displacement.y, b = end * images->displacement.y;
    images->y = 0;
    images->y_count = start <= end ? choose(box.lower.y + ph_min(a, b), box.upper.y + ph_max(a, b),
                                            bounds.lower.y, bounds.upper.y, images->wrap.inverse.y,
                                            &images->first_y)
                                   : 0;
}

bool ph_images_next_periodic(PhImages *images) {
    while (images->y == images->y_count) {
        if (images->x == images->x_count) {
            return false;
        }
        open_column(images);
        images->x++;
    }
    images->shift = ph_vec((images->first_x + (images->x - 1)) * images->wrap.size.x,
                           (images->first_y + images->y) * images->wrap.size.y);
    images->y++;
    return true;
}

PhStatus ph_images_check(const PhWorld *world, double extent, PhVec2 displacement, const char *name,
                         PhError *error) {
    if (!world->wrapped) {
        return PH_OK;
    }
    double least = ph_min(world->def.wrap.x, world->def.wrap.y);
    double turns = ph_max(fabs(displacement.x) * world->wrap.inverse.x,
                          fabs(displacement.y) * world->wrap.inverse.y);
    if (!(extent <= least)) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "shape: must reach no further than the size of the wrapped world, %g m, got "
                       "%g m",
                       least, extent);
    }
    if (!(turns <= PH_MOST_TURNS)) {
        return ph_fail(error, PH_ERROR_VALUE,
                       "%s: must lead around the wrapped world at most %d times, got %g", name,
                       PH_MOST_TURNS, turns);
    }
    return PH_OK;
}

static void clip(double *low, double *high, double size) {
    if (size > 0) {
        double width = *high - *low;
        bool all = !(width < size); // or infinite in both directions
        *low = all ? 0 : ph_fold(*low, size);
        *high = *low + (all ? size : width);
    }
}

PhAabb ph_images_clip(const PhWorld *world, PhAabb box) {
    if (world->wrapped) {
        clip(&box.lower.x, &box.upper.x, world->wrap.size.x);
        clip(&box.lower.y, &box.upper.y, world->wrap.size.y);
    }
    return box;
}
