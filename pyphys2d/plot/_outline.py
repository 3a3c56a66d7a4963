"""Outlines of shapes as rings of vertices: what a picture needs to know of a shape.

Those of a world come from `World.draw_list`; here are the same for shapes of no world.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyphys2d import DrawList, Shape, _core
from pyphys2d._trajectory_colliders import describe

Array = NDArray[np.float64]
Description = tuple[str, list[Array], float, bool]  # kind, rings, radius, loop

AREA, CIRCLE, LINE, LOOP = range(4)  # kind of a row of DrawList.colliders


class Outline(NamedTuple):
    """Rings in the body's frame, closed (without repeating a point) where there is an area.

    A line that is a loop repeats its first point.
    """

    rings: list[Array]
    area: bool
    circle: Array | None = None  # its centre and radius, (3,)
    one_sided: bool = False  # a line that is solid on the right of who walks along it


def outline(shape: Shape | Description) -> Outline:
    """Rings to draw: the outer one first, then holes; arcs as polygons."""
    kind, rings, radius, loop = shape if isinstance(shape, tuple) else describe(shape)
    if kind in ("segment", "chain"):
        return _line(rings[0], loop, kind == "chain")
    if kind == "circle":
        circle = np.append(rings[0][0], radius)
        return Outline([_core._rounded(rings[0], radius)], area=True, circle=circle)
    if radius > 0:
        return Outline([_core._rounded(rings[0], radius)], area=True)
    return Outline(rings, area=True)


def outline_of_row(drawing: DrawList, row: np.void) -> Outline:
    """The same of a row of a draw list's colliders; a circle has no ring."""
    first, kind = int(row["first"]), row["kind"]
    if kind == CIRCLE:
        return Outline([], area=True, circle=drawing.circles[first])
    offsets = drawing.rings[first : first + row["count"] + 1]
    rings = np.split(drawing.points[offsets[0] : offsets[-1]], offsets[1:-1] - offsets[0])
    if kind == AREA:
        return Outline(rings, area=True)
    return _line(rings[0], kind == LOOP, bool(row["one_sided"]))


def _line(points: Array, loop: bool, one_sided: bool) -> Outline:
    ring = np.concatenate([points, points[:1]]) if loop else points
    return Outline([ring], area=False, one_sided=one_sided)


def placed(points: Array, positions: Array, angles: Array) -> Array:
    """Points (n, 2) or (m, n, 2) in the frames of m bodies, in the world frame: (m, n, 2)."""
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    x, y = points[..., 0], points[..., 1]
    result = np.empty((len(angles), *x.shape[-1:], 2))
    result[..., 0] = positions[:, :1] + cos * x - sin * y
    result[..., 1] = positions[:, 1:] + sin * x + cos * y
    return result


def at_pose(points: Array, pose: Array) -> Array:
    """Points (n, 2) of a shape at a pose (3,), in the world frame."""
    return np.asarray(placed(points, pose[None, :2], pose[2:])[0])
