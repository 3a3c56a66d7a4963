"""The separating axis test with every axis shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyphys2d import _core
from pyphys2d.traces._live import Live

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from pyphys2d._core import Shape
    from pyphys2d.traces._svg import Array, Item

TABLE_ROWS = 12  # of axes shown in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class SatTrace(Live):
    """What the separating axis test sees: all axes, without early exit.

    Arrays are read-only, world frame, metres. The axes are the edges of `shape_a`, then those of
    `shape_b` (a segment or capsule has two: its right side and its left). At most one more follows,
    with `edge` -1: through the vertex nearest to a circle's centre, through the centres of two
    circles (when they coincide: upwards), or through the two closest corners of rounded shapes (or
    of two segments) that are closer than their edges tell.

    Attributes
    ----------
    shape_a, shape_b : Shape
    pose_a, pose_b : ndarray, shape (3,)
        x, y and angle (radians).
    axes : ndarray, shape (m, 2)
        Unit vectors; of an edge: its outward normal.
    owner : ndarray of int, shape (m,)
        Whose axis it is: 0 for a, 1 for b.
    edge : ndarray of int, shape (m,)
        Edge of the owner, as ``shape.edges`` counts them, ascending; -1 for none. Neighbouring
        edges on one line are one axis, named by the first.
    intervals_a, intervals_b : ndarray, shape (m, 2)
        Least and greatest place of the shape along the axis, radius included.
    overlaps : ndarray, shape (m,)
        The shortest shift of one shape along the axis, to either side, after which the intervals
        only touch: ``min(max_a - min_b, max_b - min_a)``. So an interval inside the other must
        leave it by the nearer end. Negative when the intervals are apart: minus the gap.
    best : int
        The axis of least overlap, or of the largest gap; of equal ones an edge that faces the other
        shape.
    separated : bool
        Whether the shapes are apart or only touch.
    mtv : ndarray, shape (2,), or None
        The shortest push that takes b out of a, ``geometry.mtv``; as long as ``overlaps[best]``.
        None when separated.
    """

    shape_a: Shape
    shape_b: Shape
    pose_a: Array
    pose_b: Array
    axes: Array
    owner: npt.NDArray[np.int64]
    edge: npt.NDArray[np.int64]
    intervals_a: Array
    intervals_b: Array
    overlaps: Array
    best: int
    separated: bool
    mtv: Array | None

    def __repr__(self) -> str:
        axis = self._name(self.best)
        overlap = float(self.overlaps[self.best])
        count = f"{len(self.axes)} axes" if len(self.axes) > 1 else "1 axis"
        if self.mtv is None:
            state = f"gap {-overlap:.6g}" if overlap < 0 else "touching"
            return f"<SatTrace of {count}: {state} along {axis}>"
        x, y = self.mtv
        return f"<SatTrace of {count}: overlap {overlap:.6g} along {axis}, mtv ({x:.6g}, {y:.6g})>"

    def _name(self, i: int) -> str:
        if self.edge[i] >= 0:
            return f"edge {self.edge[i]} of {'ab'[self.owner[i]]}"
        return "the line of the nearest points"

    def _repr_html_(self) -> str:
        # Only now: whoever shows nothing need not wait for it.
        from pyphys2d.traces._svg import with_caption

        svg = self._svg()
        best = int(self.best)
        first = min(max(0, best - TABLE_ROWS // 2), max(0, len(self.axes) - TABLE_ROWS))
        shown = range(first, min(first + TABLE_ROWS, len(self.axes)))
        rows = []
        for i in shown:
            cells = [str(i), self._name(i), *map(_place, self._numbers(i))]
            tag = "th" if i == best else "td"
            rows.append("<tr>" + "".join(f"<{tag}>{c}</{tag}>" for c in cells) + "</tr>")
        head = "".join(
            f"<th>{title}</th>" for title in ("", "axis", "a from", "to", "b from", "to", "overlap")
        )
        more = len(self.axes) - len(shown)
        note = f" ({more} axes not listed)" if more else ""
        table = f"<table><tr>{head}</tr>{''.join(rows)}</table>"
        return f"<div>{with_caption(svg, repr(self)[1:-1] + note)}{table}</div>"

    def _numbers(self, i: int) -> list[float]:
        return [*self.intervals_a[i], *self.intervals_b[i], self.overlaps[i]]

    def _svg(self) -> str:
        from pyphys2d.traces._svg import picture

        with np.errstate(over="ignore", invalid="ignore"):  # poses near the largest numbers
            key = (
                ("good", "gap")
                if self.separated
                else ("bad", "overlap and minimum translation of B")
            )
            return picture(self._items(), key=[key])

    def _items(self) -> list[Item]:
        """Both shapes, their projections on the best axis beside them, and the push."""
        from pyphys2d.traces._svg import names, outline

        a, b = outline(self.shape_a, self.pose_a), outline(self.shape_b, self.pose_b)
        axis = self.axes[self.best]
        across = np.array([-axis[1], axis[0]])
        # About a's position, so that nothing is lost far from the origin.
        origin = self.pose_a[:2]
        both = np.concatenate([a, b]) - origin
        shift = float(axis @ origin)
        ends = [self.intervals_a[self.best] - shift, self.intervals_b[self.best] - shift]
        size = float(np.ptp(both, axis=0).max())
        if across[1] > 0 or (across[1] == 0 and across[0] < 0):
            across = -across  # below, or on the right
        ground = float((both @ across).max()) + 0.12 * size

        def at(along: float, height: float) -> Array:
            return np.asarray(origin + along * axis + (ground + height) * across)

        low, high = min(ends[0][0], ends[1][0]), max(ends[0][1], ends[1][1])
        pad = 0.06 * size
        items: list[Item] = [
            ("line", at(low - pad, 0), at(high + pad, 0), "muted"),
            ("polygon", a, "a"),
            ("polygon", b, "b"),
        ]
        for cls, ring, (start, end), height in (
            ("a", a - origin, ends[0], -0.03 * size),
            ("b", b - origin, ends[1], 0.03 * size),
        ):
            for place in (start, end):
                near = ring[np.argmin(np.abs(ring @ axis - place))]
                items.append(("line", origin + near, at(place, height), "muted"))
            bar = [at(x, height + y) for x, y in _bar(start, end, 0.018 * size)]
            items.append(("polygon", np.array(bar), cls))
        # Of the two ways apart the short one: from where the first ends to where the other begins.
        forward = ends[0][1] - ends[1][0] <= ends[1][1] - ends[0][0]
        between = (ends[1][0], ends[0][1]) if forward else (ends[0][0], ends[1][1])
        cls = "good" if self.separated else "bad"
        items.append(("line", at(between[0], 0.08 * size), at(between[1], 0.08 * size), cls))
        busy = np.empty((0, 2))
        if self.mtv is not None:
            start = b.mean(axis=0)
            busy = start + np.linspace(0, 1, 8)[:, None] * self.mtv
            items.append(("arrow", start, start + self.mtv, "bad"))
        else:
            middle = 0.5 * (between[0] + between[1])
            reach = float(np.ptp(both @ across)) + 0.12 * size
            items.append(("line", at(middle, 0), at(middle, -reach), "good"))
        return items + names(a, b, busy)

    def _bodies(self) -> list[tuple[str, Shape, Array]]:
        return [("A", self.shape_a, self.pose_a), ("B", self.shape_b, self.pose_b)]

    def _moved(self, poses: list[Array]) -> SatTrace:
        return sat(self.shape_a, self.shape_b, *poses)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw with Matplotlib: :func:`pyphys2d.plot.sat`."""
        from pyphys2d import plot

        return plot.sat(self, ax=ax)


def _place(value: float) -> str:
    return f"{value:.6g}"


def _bar(start: float, end: float, half: float) -> list[tuple[float, float]]:
    return [(start, -half), (end, -half), (end, half), (start, half)]


def sat(
    a: Shape, b: Shape, pose_a: npt.ArrayLike = (0, 0, 0), pose_b: npt.ArrayLike = (0, 0, 0)
) -> SatTrace:
    """The separating axis test of two convex shapes, with its working shown.

    Parameters
    ----------
    a, b : Shape
        Of one convex piece each; rounded polygons, capsules, segments and circles too.
    pose_a, pose_b : array_like, shape (3,)
        x, y (metres) and angle (radians).

    Returns
    -------
    SatTrace

    Raises
    ------
    ValueError
        For a shape that is not convex, a wrong shape of a pose, NaN or infinity.
    TypeError
        For something that is no Shape.

    Examples
    --------
    >>> from pyphys2d import Box, geometry
    >>> trace = geometry.sat(Box(2, 2), Box(2, 2), pose_b=(1.5, 0.25, 0))
    >>> trace
    <SatTrace of 8 axes: overlap 0.5 along edge 1 of a, mtv (0.5, 0)>
    >>> trace.overlaps
    array([1.75, 0.5 , 1.75, 0.5 , 1.75, 0.5 , 1.75, 0.5 ])
    """
    return SatTrace(a, b, *_core._sat(a, b, pose_a, pose_b))
