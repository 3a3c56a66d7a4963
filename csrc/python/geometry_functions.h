// Functions of the module that pyphys2d.geometry hands on. A function `x` is core_geometry_x with
// the docstring core_geometry_x_doc.
#ifndef PH_PYTHON_GEOMETRY_FUNCTIONS_H
#define PH_PYTHON_GEOMETRY_FUNCTIONS_H

#include "python/core.h"

// With keywords.
#define GEOMETRY_FAST_FUNCTIONS(X)                                                                 \
    X(_clip)                                                                                       \
    X(_gjk)                                                                                        \
    X(_sat)                                                                                        \
    X(_toi)                                                                                        \
    X(cast_shape)                                                                                  \
    X(clip_halfplane)                                                                              \
    X(clip_polygon)                                                                                \
    X(decompose)                                                                                   \
    X(simplify)                                                                                    \
    X(slice_polygon)                                                                               \
    X(triangulate)                                                                                 \
    X(mtv)                                                                                         \
    X(collide)                                                                                     \
    X(distance)                                                                                    \
    X(time_of_impact)                                                                              \
    X(submerged)                                                                                   \
    X(tile_rays)                                                                                   \
    X(tile_rectangles)

// Of one object.
#define GEOMETRY_ONE_FUNCTIONS(X)                                                                  \
    X(_hull_trace)                                                                                 \
    X(convex_hull)

// With keywords, over the leading axes of their arguments (python/elementwise.h).
#define GEOMETRY_ELEMENT_FUNCTIONS(X)                                                              \
    X(aabb_overlap)                                                                                \
    X(area)                                                                                        \
    X(centroid)                                                                                    \
    X(circle_vs_aabb)                                                                              \
    X(circle_vs_circle)                                                                            \
    X(closest_on_aabb)                                                                             \
    X(closest_on_segment)                                                                          \
    X(direction)                                                                                   \
    X(edges)                                                                                       \
    X(heading)                                                                                     \
    X(is_convex)                                                                                   \
    X(jump_velocity)                                                                               \
    X(lead_target)                                                                                 \
    X(line_intersection)                                                                           \
    X(normals)                                                                                     \
    X(point_in_aabb)                                                                               \
    X(point_in_circle)                                                                             \
    X(point_in_polygon)                                                                            \
    X(project)                                                                                     \
    X(ray_vs_segment)                                                                              \
    X(rotate)                                                                                      \
    X(second_moment)                                                                               \
    X(segment_intersection)                                                                        \
    X(segment_vs_polygon)                                                                          \
    X(signed_area)                                                                                 \
    X(transform)                                                                                   \
    X(translate)                                                                                   \
    X(winding)                                                                                     \
    X(wrap_angle)

#define DECLARE_FAST(name)                                                                         \
    extern const char core_geometry_##name##_doc[];                                                \
    PyObject *core_geometry_##name(PyObject *module, PyObject *const *args, Py_ssize_t count,      \
                                   PyObject *keywords);
#define DECLARE_ONE(name)                                                                          \
    extern const char core_geometry_##name##_doc[];                                                \
    PyObject *core_geometry_##name(PyObject *module, PyObject *arg);
GEOMETRY_FAST_FUNCTIONS(DECLARE_FAST)
GEOMETRY_ELEMENT_FUNCTIONS(DECLARE_FAST)
GEOMETRY_ONE_FUNCTIONS(DECLARE_ONE)
#undef DECLARE_FAST
#undef DECLARE_ONE

#endif
