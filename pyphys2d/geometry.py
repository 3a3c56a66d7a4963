"""Geometry without a world: polygons as arrays of vertices, and shapes at poses.

Polygons are arrays of shape ``(n, 2)`` in either winding; leading axes broadcast where the result
is a number or a vector. A pose is ``(x, y, angle)``.
"""

from pyphys2d._core import (
    Distance,
    Manifold,
    area,
    centroid,
    collide,
    convex_hull,
    decompose,
    direction,
    distance,
    is_convex,
    mtv,
    point_in_polygon,
    second_moment,
    signed_area,
    winding,
)

__all__ = [
    "Distance",
    "Manifold",
    "area",
    "centroid",
    "collide",
    "convex_hull",
    "decompose",
    "direction",
    "distance",
    "is_convex",
    "mtv",
    "point_in_polygon",
    "second_moment",
    "signed_area",
    "winding",
]
