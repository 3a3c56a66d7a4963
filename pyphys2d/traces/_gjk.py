"""The search for the distance of two convex shapes, with every round shown."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pyphys2d import _core
from pyphys2d.traces._live import Live

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from pyphys2d._core import Shape
    from pyphys2d.traces._svg import Array, Item


@dataclass(frozen=True, eq=False, repr=False)
class GjkTrace(Live):
    """How the distance of two convex shapes is found (GJK), round by round.

    The *difference* of the shapes is the set of all ``x - y``, x in a, y in b: as far from the
    origin as a is from b. A round takes its vertex furthest along a direction and keeps, of that
    vertex and the simplex before, the part nearest to the origin. Radii do not take part: the
    difference is that of the cores (the centre of a circle, the middle line of a capsule), and they
    are taken off at the end.

    Arrays are read-only, in metres, along the axes of the world.

    Attributes
    ----------
    shape_a, shape_b : Shape
    pose_a, pose_b : ndarray, shape (3,)
        x, y and angle (radians).
    difference : ndarray, shape (m, 2)
        Hull of the difference of the cores, counter-clockwise.
    directions : ndarray, shape (n, 2)
        The direction of each round's search, of any length; the first from a's centroid to b's.
    supports : ndarray, shape (n, 2)
        The vertex of the difference found there. The last round may find none that is nearer.
    simplices : tuple of n ndarray, shape (k, 2), k <= 3
        What the round kept: a point, a segment, or a triangle that holds the origin.
    closest : ndarray, shape (n, 2)
        Point of that simplex nearest to the origin.
    distances : ndarray, shape (n,)
        Its distance from the origin: between the cores, never growing.
    overlapping : bool
        Whether the shapes, radii included, overlap or touch.
    distance : float
        Between the surfaces, ``geometry.distance``; 0 when overlapping.
    point_a, point_b : ndarray, shape (2,)
        Closest points on the surfaces, world frame.
    """

    shape_a: Shape
    shape_b: Shape
    pose_a: Array
    pose_b: Array
    difference: Array
    directions: Array
    supports: Array
    simplices: tuple[Array, ...]
    closest: Array
    distances: Array
    overlapping: bool
    distance: float
    point_a: Array
    point_b: Array

    def __repr__(self) -> str:
        count = len(self.supports)
        rounds = f"{count} round{'' if count == 1 else 's'}"
        result = "overlapping" if self.overlapping else f"distance {self.distance:.6g}"
        return f"<GjkTrace of {rounds}: {result}>"

    def _repr_html_(self) -> str:
        # Only now: whoever shows nothing need not wait for it.
        from pyphys2d.traces._svg import with_caption

        return with_caption(self._svg(), repr(self)[1:-1])

    def _svg(self) -> str:
        from pyphys2d.traces._svg import picture

        with np.errstate(over="ignore", invalid="ignore"):  # poses near the largest numbers
            return picture(self._items(), key=self._key())

    def _items(self) -> list[Item]:
        """The difference, the simplex of each round, the support points by round, from 0."""
        items: list[Item] = [("polygon", self.difference, "muted")]
        for simplex in self.simplices[:-1]:
            ring = simplex if len(simplex) < 3 else np.concatenate([simplex, simplex[:1]])
            items.extend(("line", p, q, "a") for p, q in pairwise(ring))
        if len(self.simplices[-1]) > 1:
            items.append(("polygon", self.simplices[-1], "accent"))
        numbers: dict[tuple[float, float], list[str]] = {}
        for i, (x, y) in enumerate(self.supports):
            numbers.setdefault((float(x), float(y)), []).append(str(i))
        for place, names in numbers.items():
            items.append(("point", place, "a"))
            items.append(("text", place, ", ".join(names), "a"))
        origin = np.zeros(2)
        if len(self.simplices[-1]) < 3:
            items.append(("line", origin, self.closest[-1], "good"))
            items.append(("point", self.closest[-1], "good"))
        items.append(("point", origin, "bad"))
        return items

    def _key(self) -> list[tuple[str, str]]:
        """What the colours mean that are in the picture."""
        key = [("muted", "difference of the shapes"), ("a", "simplex, round by round")]
        last = len(self.simplices[-1])
        if last > 1:
            key.append(("accent", "last simplex"))
        if last < 3:
            key.append(("good", "distance"))
        return [*key, ("bad", "origin")]

    def _bodies(self) -> list[tuple[str, Shape, Array]]:
        return [("A", self.shape_a, self.pose_a), ("B", self.shape_b, self.pose_b)]

    def _moved(self, poses: list[Array]) -> GjkTrace:
        return gjk(self.shape_a, self.shape_b, *poses)

    def _shift(self) -> Array:
        """The difference stands beside the shapes, its origin at a place of its own."""
        from pyphys2d.traces._svg import outline

        rings = [outline(shape, pose) for _, shape, pose in self._bodies()]
        lower, upper = (end(np.concatenate(rings), axis=0) for end in (np.min, np.max))
        origin = np.zeros((1, 2))
        low, high = (
            end(np.concatenate([self.difference, origin]), axis=0) for end in (np.min, np.max)
        )
        right = upper[0] - low[0] + 0.25 * (upper[0] - lower[0])
        return np.array([right, 0.5 * (lower[1] + upper[1] - low[1] - high[1])])

    def _more_items(self) -> list[Item]:
        if self.overlapping:
            return []
        ends = (self.point_a, self.point_b)
        return [("line", *ends, "good"), *(("point", end, "good") for end in ends)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw with Matplotlib: :func:`pyphys2d.plot.gjk`."""
        from pyphys2d import plot

        return plot.gjk(self, ax=ax)


def gjk(
    a: Shape, b: Shape, pose_a: npt.ArrayLike = (0, 0, 0), pose_b: npt.ArrayLike = (0, 0, 0)
) -> GjkTrace:
    """The search for the distance of two convex shapes, with its working shown.

    Parameters
    ----------
    a, b : Shape
        Of one convex piece each; rounded polygons, capsules, segments and circles too.
    pose_a, pose_b : array_like, shape (3,)
        x, y (metres) and angle (radians).

    Returns
    -------
    GjkTrace

    Raises
    ------
    ValueError
        For a shape that is not convex, a wrong shape of a pose, NaN or infinity.
    TypeError
        For something that is no Shape.

    Examples
    --------
    >>> from pyphys2d import Box, Circle, geometry
    >>> trace = geometry.gjk(Box(2, 2), Circle(0.5), pose_b=(3, 0, 0))
    >>> trace
    <GjkTrace of 3 rounds: distance 1.5>
    >>> trace.distances
    array([2.23606798, 2.        , 2.        ])
    """
    return GjkTrace(a, b, *_core._gjk(a, b, pose_a, pose_b))
