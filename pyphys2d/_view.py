"""What is worth seeing of a world: what moves, but for the few that are lost, and what is near.

The one place that chooses the view, for Matplotlib's pictures and for those of notebooks, and their
common colours. Boxes are arrays (n, 2, 2): lower and upper corner, metres.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[np.float64]"

# Faces of bodies on light paper, by their state.
FACES = {"static": "#d9d9d4", "kinematic": "#f2c14e", "awake": "#7fb8dc", "asleep": "#bcd4e4"}

MOST = 1e300  # metres; boxes beyond, and those that are not finite, are not looked at


def finite(boxes: Array) -> npt.NDArray[np.bool_]:
    """Which of the boxes can be drawn, (n,)."""
    (x0, y0), (x1, y1) = np.abs(boxes).transpose(1, 2, 0)
    with np.errstate(over="ignore"):
        return np.asarray(x0 + y0 + x1 + y1 < MOST)


def sizes(boxes: Array) -> Array:
    """The larger side of each, (n,)."""
    return np.maximum(boxes[:, 1, 0] - boxes[:, 0, 0], boxes[:, 1, 1] - boxes[:, 0, 1])


def typical_size(boxes: Array) -> float:
    """The middle one of the boxes' larger sides; 0 where none has any."""
    found = sizes(boxes)
    found = found[found > 0]
    return float(np.median(found)) if len(found) else 0.0


def near(boxes: Array) -> Array:
    """Without those that lie far from nearly all others, as one that fell out of the scene does."""
    x, y = 0.5 * boxes[:, 0].T + 0.5 * boxes[:, 1].T
    away = np.maximum(np.abs(x - np.median(x)), np.abs(y - np.median(y)))
    return np.asarray(boxes[away <= 5 * np.percentile(away + sizes(boxes), 90)])


def choose(moving: Array, fixed: Array, *, context: float) -> Array | None:
    """The box to show, (2, 2); None where there is nothing.

    Parameters
    ----------
    moving, fixed : ndarray, shape (n, 2, 2)
        Boxes of what moves and of what stands still; those that are not finite are left out.
    context : float
        How much of what stands still is seen on each side, as a share of the size of what moves;
        more where a gap is between.
    """
    moving, fixed = moving[finite(moving)], fixed[finite(fixed)]
    boxes = near(moving) if len(moving) else fixed
    if not len(boxes):
        return None
    lower, upper = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    if len(moving):
        size = float((upper - lower).max())
        reach = max(2 * size, 15 * typical_size(boxes))
        strip = 0.15 * max(size, 0.2 * reach)  # of what is beyond a gap
        close = (fixed[:, 0] <= upper + reach) & (fixed[:, 1] >= lower - reach)
        low, high = np.moveaxis(fixed[close.all(axis=1)], 1, 0)
        # From the side of what moves to the near end of each, 0 where they overlap.
        below, above = np.maximum(lower - high, 0), np.maximum(low - upper, 0)
        down = np.maximum(low, lower - np.maximum(context * size, below + strip))
        up = np.minimum(high, upper + np.maximum(context * size, above + strip))
        lower = np.concatenate([down, lower[None]]).min(axis=0)
        upper = np.concatenate([up, upper[None]]).max(axis=0)
    return np.stack([lower, upper])
