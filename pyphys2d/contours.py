"""Outlines in a field of numbers: marching squares."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyphys2d._arguments import number, pair, shown
from pyphys2d._core import simplify as simplify_points

__all__ = ["Contour", "march"]

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]

# Corners of a cell, counter-clockwise from its lower left, are bits 1, 2, 4 and 8 of its case; its
# sides are numbered alike, from the bottom. A segment goes from side to side with what is above the
# threshold on its right. Of the two readings of a saddle the first joins what is below.
_BOTTOM, _RIGHT, _TOP, _LEFT = range(4)
_SEGMENTS = {
    1: [(_LEFT, _BOTTOM)],
    2: [(_BOTTOM, _RIGHT)],
    3: [(_LEFT, _RIGHT)],
    4: [(_RIGHT, _TOP)],
    5: [(_LEFT, _BOTTOM), (_RIGHT, _TOP)],
    6: [(_BOTTOM, _TOP)],
    7: [(_LEFT, _TOP)],
    8: [(_TOP, _LEFT)],
    9: [(_TOP, _BOTTOM)],
    10: [(_BOTTOM, _RIGHT), (_TOP, _LEFT)],
    11: [(_TOP, _RIGHT)],
    12: [(_RIGHT, _LEFT)],
    13: [(_RIGHT, _BOTTOM)],
    14: [(_BOTTOM, _LEFT)],
    # Saddles whose middle is above: what is below is cut off at both of its corners.
    16 + 5: [(_RIGHT, _BOTTOM), (_LEFT, _TOP)],
    16 + 10: [(_BOTTOM, _LEFT), (_TOP, _RIGHT)],
}
_NEAREST = 1e-9  # of neighbouring points: metres, as of chains, and sides of a cell
_MOST = 1e150  # as of all vertices


class Contour(NamedTuple):
    """A line around what is above the threshold, as `Chain` takes it: ``Chain(*contour)``.

    Attributes
    ----------
    points : ndarray, shape (n, 2)
        Metres. What is above the threshold is on the right of the walk, the solid side of a chain.
    loop : bool
        Whether the last point is joined to the first. Other lines end at the border of the field.
    """

    points: _Floats
    loop: bool


def march(
    field: npt.ArrayLike,
    threshold: float,
    soft: bool = True,
    *,
    size: float = 1.0,
    origin: npt.ArrayLike = (0.0, 0.0),
    simplify: float = 0.0,
) -> list[Contour]:
    """Lines between what is above a threshold and what is not: marching squares.

    The number ``field[row, column]`` stands at ``origin + size * (column, row)``: row 0 is the
    lowest, so that a picture, whose first row is the top, is given as ``picture[::-1]``. Cells with
    two opposite corners above join them where the mean of the four is above. Nothing is known
    beyond the border, and lines end there; `numpy.pad` with a low number closes them.

    Parameters
    ----------
    field : array_like, shape (h, w)
        Finite numbers; truth values count as 0 and 1.
    threshold : float
        What is above it is solid.
    soft : bool
        Whether lines pass between two numbers where the straight line between them has the
        threshold. False: half-way, along the sides of squares around each number.
    size : float
        Metres between neighbouring numbers.
    origin : array_like, shape (2,)
        Where ``field[0, 0]`` stands, metres.
    simplify : float
        Greatest distance of points that may be left out, metres, as of `geometry.simplify`.

    Returns
    -------
    list of Contour
        First those that end at the border, then loops; clockwise loops are islands,
        counter-clockwise ones holes. ``world.add_body(Chain(*contour), kind="static")`` makes each
        a floor, and ``Polygon(contour.points)`` an island that moves. Loops smaller than 1e-9 of
        a cell are left out.

    Raises
    ------
    ValueError
        For a wrong shape, a number that is not finite, or a size that is not above 0.
    TypeError
        For what are no real numbers.

    Notes
    -----
    Lorensen and Cline, "Marching cubes", 1987, in the plane.

    Examples
    --------
    >>> import numpy as np
    >>> from pyphys2d import geometry
    >>> y, x = np.mgrid[-10:11, -10:11]
    >>> (island,) = geometry.march(8 - np.hypot(x, y), 0, origin=(-10, -10))
    >>> island.loop, geometry.winding(island.points)
    (True, -1)
    >>> bool(np.abs(np.hypot(*island.points.T) - 8).max() < 0.02)
    True
    """
    values = _field(field)
    level = number(threshold, "threshold")
    if not isinstance(soft, bool | np.bool_):
        raise TypeError(f"soft: must be True or False, got {shown(soft)}")
    side = number(size, "size", above=0)
    corner = np.array(pair(origin, "origin"))
    tolerance = number(simplify, "simplify", least=0)
    far = np.abs(corner).max() + side * max(values.shape)
    if not far <= _MOST:
        raise ValueError(f"size: the field must end within {_MOST:g} m, got {side:g} m a cell")
    if min(values.shape) < 2:
        return []
    above = values > level
    starts, ends, cells = _segments(values, above, level)
    if len(starts) == 0:
        return []
    # Each crossed side has one number; the line goes from it to the next, and at most once.
    crossed, index = np.unique(np.concatenate([starts, ends]), return_inverse=True)
    following = np.full(len(crossed), -1)
    following[index[: len(starts)]] = index[len(starts) :]
    middles = np.zeros((len(crossed), 2))
    width = values.shape[1]
    middles[index[: len(starts)]] = np.stack([cells % (width - 1), cells // (width - 1)], axis=1)
    points = _places(crossed, values, level, bool(soft))
    found = []
    for order, loop in _walks(following):
        line = points[order]
        if not soft:
            line = _stairs(line, middles[order] + 0.5, loop)
        line = _distinct(corner + side * line, loop, _NEAREST * max(1.0, side))
        least = 3 if loop else 2
        if len(line) >= least and tolerance > 0:
            line = simplify_points(line, tolerance, closed=loop)
        if len(line) >= least:
            found.append(Contour(line, loop))
    return found


def _field(field: npt.ArrayLike) -> _Floats:
    try:
        array = np.asarray(field)
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"field: must have shape (h, w): {error}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"field: must hold real numbers, got dtype {array.dtype}")
    if array.ndim != 2:
        raise ValueError(f"field: must have shape (h, w), got {array.shape}")
    values = array.astype(np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        place = f"field[{row}, {column}]"
        raise ValueError(f"{place}: must be finite, got {values[row, column]}")
    return values


def _segments(values: _Floats, above: npt.NDArray[np.bool_], level: float) -> tuple[_Ints, ...]:
    """Numbers of the sides where each segment starts and ends, and of its cell.

    Sides between neighbours of a row come first, row by row, then those between rows.
    """
    height, width = values.shape
    case = above[:-1, :-1] + 2 * above[:-1, 1:].astype(np.int8)
    case += 4 * above[1:, 1:] + 8 * above[1:, :-1].astype(np.int8)
    rows, columns = np.nonzero((case > 0) & (case < 15))
    cases = case[rows, columns].astype(np.int64)
    saddle = np.flatnonzero((cases == 5) | (cases == 10))
    r, c = rows[saddle], columns[saddle]
    quarters = [0.25 * values[r + i, c + j] for i in (0, 1) for j in (0, 1)]
    cases[saddle] += 16 * (sum(quarters) > level)
    across = height * (width - 1)  # sides between neighbours of a row
    bottom = rows * (width - 1) + columns
    left = across + rows * width + columns
    numbers = np.stack([bottom, left + 1, bottom + width - 1, left])
    starts, ends, cells = [], [], []
    for which, segments in _SEGMENTS.items():
        those = np.flatnonzero(cases == which)
        for start, end in segments:
            starts.append(numbers[start, those])
            ends.append(numbers[end, those])
            cells.append(bottom[those])
    return np.concatenate(starts), np.concatenate(ends), np.concatenate(cells)


def _places(crossed: _Ints, values: _Floats, level: float, soft: bool) -> _Floats:
    """Where the threshold is on each side, in cells, shape (n, 2) as x and y."""
    height, width = values.shape
    across = height * (width - 1)
    level_sides = crossed < across
    rows = np.where(level_sides, crossed // (width - 1), (crossed - across) // width)
    columns = np.where(level_sides, crossed % (width - 1), (crossed - across) % width)
    part = np.full(len(crossed), 0.5)
    if soft:
        # Halves, since the difference of two large numbers may be larger than all.
        first = 0.5 * values[rows, columns]
        last = 0.5 * values[rows + ~level_sides, columns + level_sides]
        part = np.clip((0.5 * level - first) / (last - first), 0.0, 1.0)
    x = np.where(level_sides, columns + part, columns)
    y = np.where(level_sides, rows, rows + part)
    return np.stack([x, y], axis=1)


def _walks(following: _Ints) -> list[tuple[_Ints, bool]]:
    """The lines: numbers of points in their order, and whether they are loops."""
    count = len(following)
    first = np.ones(count, bool)
    first[following[following >= 0]] = False
    after = following.tolist()
    seen = bytearray(count)
    found = []
    for loop, begins in ((False, np.flatnonzero(first).tolist()), (True, range(count))):
        for begin in begins:
            if seen[begin]:
                continue
            order, at = [], begin
            while at >= 0 and not seen[at]:
                seen[at] = 1
                order.append(at)
                at = after[at]
            found.append((np.array(order, np.int64), loop))
    return found


def _stairs(line: _Floats, middles: _Floats, loop: bool) -> _Floats:
    """The corners of the line that also goes through the middles of the cells after its points."""
    steps = np.empty((2 * len(line), 2))
    steps[0::2], steps[1::2] = line, middles
    if not loop:
        steps = steps[:-1]
    before, after = steps - np.roll(steps, 1, axis=0), np.roll(steps, -1, axis=0) - steps
    turns = before[:, 0] * after[:, 1] != before[:, 1] * after[:, 0]
    if not loop:
        turns[[0, -1]] = True
    corners: _Floats = steps[turns]
    return corners


def _distinct(line: _Floats, loop: bool, least: float) -> _Floats:
    """Without points that are next to the one before."""
    while True:
        kept = np.abs(line - np.roll(line, 1, axis=0)).max(axis=1, initial=0.0) > least
        if not loop:
            kept[:1] = True
        if kept.all():
            return line
        line = line[kept]
