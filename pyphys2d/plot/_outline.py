"""Outlines of shapes as rings of vertices: what a picture needs to know of a shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ARC_STEP = np.pi / 12  # radians between two vertices on a drawn arc


def rounded(ring: Array, radius: float) -> Array:
    """Outline of a convex, counter-clockwise ring (n, 2) grown by a disc of this radius.

    Two points are the ends of a capsule, one is the centre of a circle.
    """
    if len(ring) == 1:
        turn = np.arange(0, 2 * np.pi, ARC_STEP)
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
    return np.stack(
        [positions[:, :1] + cos * x - sin * y, positions[:, 1:] + sin * x + cos * y], axis=-1
    )
