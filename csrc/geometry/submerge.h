// The part of a shape that lies under the surface of a liquid.
#ifndef PH_GEOMETRY_SUBMERGE_H
#define PH_GEOMETRY_SUBMERGE_H

#include <stdint.h>

#include "geometry/shape.h"

// The liquid is below y = level, or below a polyline of at least two points with increasing x that
// goes on flat beyond its ends.
typedef struct PhSurface {
    const PhVec2 *points; // NULL: flat
    uint32_t count;
    double level;
    const PhStop *stop; // NULL, or asked along the outline of a shape: then the answer says nothing
} PhSurface;

// Lowest and highest point of the surface for lower <= x <= upper.
void ph_surface_range(const PhSurface *surface, double lower, double upper, double *least,
                      double *most);

// Points are relative to the reference point, axes are those of the world.
typedef struct PhSubmerged {
    double area;      // of the part under the surface, m^2; 0: nothing else is set
    PhVec2 centroid;  // of that part
    double inertia;   // its polar second moment about the centroid, m^4
    double waterline; // horizontal extent of the surface inside the shape, m
    // Integrals of x dx and x^2 dx over it.
    double waterline_first, waterline_second;
} PhSubmerged;

// Exact to rounding for every shape, concave ones, holes and rounded corners included. pose maps
// the shape into world axes about the reference point, which is where the surface has `reference`.
// Segments and chains have no area. False when nothing is under the surface.
bool ph_submerge(const PhShape *shape, PhTransform pose, PhVec2 reference, const PhSurface *surface,
                 PhSubmerged *out);

#endif
