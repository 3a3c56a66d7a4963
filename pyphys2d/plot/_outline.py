"""Outlines of shapes as rings of vertices: what a picture needs to know of a shape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyphys2d import Shape
from pyphys2d.trajectory import describe

Array = NDArray[np.float64]
Description = tuple[str, list[Array], float, bool]  # kind, rings, radius, loop

ARC_STEP = np.pi / 12  # radians between two vertices on a drawn arc


class Outline(NamedTuple):
    """Rings in the body's frame, closed (without repeating a point) where there is an area."""

    rings: list[Array]
    area: bool


def outline(shape: Shape | Description) -> Outline:
    """Rings to draw: the outer one first, then holes; arcs as polygons."""
    kind, rings, radius, loop = shape if isinstance(shape, tuple) else describe(shape)
    if kind in ("segment", "chain"):
        return Outline([np.concatenate([rings[0], rings[0][:1]]) if loop else rings[0]], area=False)
    if radius > 0:
        return Outline([rounded(rings[0], radius)], area=True)
    return Outline(rings, area=True)


def rounded(ring: Array, radius: float) -> Array:
    """Outline of a convex, counter-clockwise ring (n, 2) grown by a disc of this radius.

    Two points are the ends of a capsule, one is the centre of a circle.
    """
    if len(ring) == 1:
        # Twice as fine: a lone circle is where corners show.
        turn = np.arange(0, 2 * np.pi, ARC_STEP / 2)
        return ring + radius * np.column_stack([np.cos(turn), np.sin(turn)])
    edges = np.roll(ring, -1, axis=0) - ring
    # An edge's outward normal points to its right; each corner's arc runs from the normal before it
    # to that after.
    after = np.arctan2(-edges[:, 0], edges[:, 1])
    before = np.roll(after, 1)
    parts = []
    for corner, start, end in zip(ring, before, after, strict=True):
        sweep = (end - start) % (2 * np.pi)
        turn = start + np.linspace(0, sweep, max(2, int(sweep / ARC_STEP) + 2))
        parts.append(corner + radius * np.column_stack([np.cos(turn), np.sin(turn)]))
    return np.concatenate(parts)


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
