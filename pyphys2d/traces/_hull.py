"""How a convex hull comes about."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pyphys2d import _core

MOST_EDGES = 300  # that were given up and are drawn; more would be a grey smear

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from pyphys2d.traces._svg import Array, Item


@dataclass(frozen=True, eq=False, repr=False)
class HullTrace:
    """How ``geometry.convex_hull(points)`` is found: Andrew's monotone chain, 1979.

    First come the points on and below the line from the leftmost to the rightmost, from left to
    right, then those above it, from right to left. Each is appended to a chain, after the points
    that would make the chain turn right, or go straight on, have been removed from its end.

    Arrays are read-only.

    Attributes
    ----------
    points : ndarray, shape (n, 2)
        As given.
    order : ndarray of int, shape (n,)
        Rows of `points` in the order in which they are appended.
    stages : tuple of n ndarray of int, shape (k,)
        Rows on the chain after each of them. In the last one the chain has been closed, too.
    hull : ndarray of int, shape (k,)
        Rows of the hull, counter-clockwise from the lowest of the leftmost points.
    """

    points: Array
    order: npt.NDArray[np.int64]
    stages: tuple[npt.NDArray[np.int64], ...]
    hull: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        for array in (self.points, self.order, self.hull, *self.stages):
            array.flags.writeable = False

    def __repr__(self) -> str:
        return f"<HullTrace: {len(self.hull)} of {len(self.points)} points on the hull>"

    def _repr_html_(self) -> str:
        from pyphys2d.traces._svg import picture, with_caption

        key = [("a", "hull"), ("accent", "its vertices"), ("muted", "given up, inside")]
        shown = {item[-1] for item in self._items()}
        svg = picture(self._items(), key=[entry for entry in key if entry[0] in shown])
        return with_caption(svg, repr(self)[1:-1])

    def _items(self) -> list[Item]:
        """The hull, the edges that were given up if they are not too many, the points."""
        points = self.points
        closed = np.append(self.hull, self.hull[:1])
        edges = {(int(a), int(b)) for a, b in pairwise(closed)}
        tried = {(int(stage[-2]), int(stage[-1])): None for stage in self.stages if len(stage) > 1}
        items: list[Item] = [("polygon", points[self.hull], "a")] if len(self.hull) else []
        given_up = [pair for pair in tried if pair not in edges]
        if len(given_up) <= MOST_EDGES:
            items += [("line", points[a], points[b], "muted") for a, b in given_up]
        inside = np.ones(len(points), bool)
        inside[self.hull] = False
        items += [("point", point, "muted") for point in points[inside]]
        items += [("point", points[row], "accent") for row in self.hull]
        return items

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw with Matplotlib: :func:`pyphys2d.plot.hull`."""
        from pyphys2d import plot

        return plot.hull(self, ax=ax)


def hull_trace(points: npt.ArrayLike) -> HullTrace:
    """The convex hull of points, with all intermediate steps.

    Parameters
    ----------
    points : array_like, shape (n, 2)
        At most 4096, repeated ones too.

    Returns
    -------
    HullTrace

    Raises
    ------
    ValueError
        For a wrong shape, NaN, infinity, a number beyond 1e150 or too many points.

    Examples
    --------
    >>> trace = hull_trace([(0, 0), (2, 0), (1, 1), (2, 2), (0, 2)])
    >>> trace.hull
    array([0, 1, 3, 4])
    """
    return HullTrace(*_core._hull_trace(points))
