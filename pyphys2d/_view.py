"""What is worth seeing of a world: what moves, but for the few that are lost, and what is near.

The one place that chooses the view, for Matplotlib's pictures and for those of notebooks, and their
common colours. Boxes are arrays (n, 2, 2): lower and upper corner, metres.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[np.float64]"

# Faces of bodies on light paper, by their state.
FACES = {"static": "#d9d9d4", "kinematic": "#f2c14e", "awake": "#7fb8dc", "asleep": "#bcd4e4"}

FAR = 1e9  # pixels beyond which a line has no hatching
MOST_STROKES = 4000
FARTHEST, SMALLEST = 1e100, 1e-9  # metres, of a view that someone asks for
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


def hatching(
    start: Array, end: Array, paper: Array, *, spacing: float, length: float, down: bool
) -> Array:
    """Strokes on the solid side of a one-sided line, (m, 2, 2), all in pixels.

    Parameters
    ----------
    start, end : ndarray, shape (n, 2)
        Its edges in order. The solid side is on the right of who walks along them.
    paper : ndarray, shape (2, 2)
        Where strokes begin: lower and upper corner.
    spacing : float
        From stroke to stroke along the line; wider where they would be more than `MOST_STROKES`.
    length : float
        Of a stroke.
    down : bool
        Whether y grows downwards, as in SVG.
    """
    edges = end - start
    lengths = np.hypot(edges[:, 0], edges[:, 1])
    good = (lengths > 0) & (lengths < FAR) & (np.abs(start).sum(axis=1) < FAR)
    start, edges, lengths = start[good], edges[good], lengths[good]
    units = edges / lengths[:, None]
    # The part of each edge that lies on the paper, as shares of it.
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = (paper[:, None] - start) / edges
    inside = (start >= paper[0]) & (start <= paper[1])
    sides = np.where(np.isnan(sides) | (edges == 0), np.where(inside, [[[-1]], [[2]]], 9.0), sides)
    first = np.clip(sides.min(axis=0).max(axis=1), 0, 1)
    last = np.clip(sides.max(axis=0).min(axis=1), 0, 1)
    seen = first < last
    start, units, lengths = start[seen], units[seen], lengths[seen]
    before = np.cumsum(lengths) - lengths  # of the line where the edge begins
    from_, to = before + first[seen] * lengths, before + last[seen] * lengths
    spacing = max(spacing, float((to - from_).sum()) / MOST_STROKES)
    begin = np.ceil(from_ / spacing - 0.5)
    counts = np.maximum(np.ceil(to / spacing - 0.5) - begin, 0).astype(np.intp)
    edge = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(edge)) - np.repeat(np.cumsum(counts) - counts, counts)
    at = (begin[edge] + number + 0.5) * spacing - before[edge]
    x, y = units[edge].T
    right = np.column_stack([-y, x] if down else [y, -x])
    foot = start[edge] + at[:, None] * units[edge]
    return np.stack([foot, foot + (right - units[edge]) * (length / np.sqrt(2))], axis=1)


def choose(moving: Array, fixed: Array, *, context: float) -> Array | None:
    """The box to show, (2, 2); None where there is nothing.

    Parameters
    ----------
    moving, fixed : ndarray, shape (n, 2, 2)
        Boxes of what moves and of what stands still; those that are not finite are left out.
    context : float
        How much of what stands still is seen on each side, as a share of the size of what moves;
        more where a gap is between, and along the longer side of what is wide: a ball is seen on
        its floor, a car between its hills.
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
        along = max(context * size, 15 * typical_size(boxes) - 0.5 * size)
        close = (fixed[:, 0] <= upper + reach) & (fixed[:, 1] >= lower - reach)
        low, high = np.moveaxis(fixed[close.all(axis=1)], 1, 0)
        wide = (high - low)[:, 0] >= (high - low)[:, 1]
        side = np.where(np.column_stack([wide, ~wide]), along, context * size)
        # From the side of what moves to the near end of each, 0 where they overlap.
        below, above = np.maximum(lower - high, 0), np.maximum(low - upper, 0)
        down = np.maximum(low, lower - np.maximum(side, below + strip))
        up = np.minimum(high, upper + np.maximum(side, above + strip))
        lower = np.concatenate([down, lower[None]]).min(axis=0)
        upper = np.concatenate([up, upper[None]]).max(axis=0)
    return np.stack([lower, upper])


def checked(view: Sequence[float]) -> tuple[float, float, float, float]:
    """The view that someone asked for."""
    words = f"view: must be (x_min, y_min, x_max, y_max) in metres, got {view!r}"
    try:
        found = np.asarray(view, float)
    except (TypeError, ValueError):
        raise TypeError(words) from None
    if found.shape != (4,) or not np.isfinite(found).all():
        raise ValueError(words)
    x0, y0, x1, y1 = found.tolist()
    if not (x0 < x1 and y0 < y1):
        raise ValueError(f"view: must have x_min < x_max and y_min < y_max, got {view!r}")
    if not (abs(found) <= FARTHEST).all() or min(x1 - x0, y1 - y0) < SMALLEST:
        raise ValueError(
            f"view: must be within +-{FARTHEST:g} m, with sides of at least {SMALLEST:g} m, "
            f"got {view!r}"
        )
    return x0, y0, x1, y1
