"""The search for the moment at which two moving shapes meet, with every round shown."""

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


@dataclass(frozen=True, eq=False, repr=False)
class ToiTrace(Live):
    """How the first touch of two moving convex shapes is found, round by round.

    Each round measures the distance and advances by a time in which it cannot fall to the target
    (conservative advancement). Positions and angles blend evenly from start to end.

    Arrays are read-only, world frame, metres.

    Attributes
    ----------
    shape_a, shape_b : Shape
    fractions : ndarray, shape (n,)
        The moments that were tested, as parts of the motion, ascending from 0.
    distances : ndarray, shape (n,)
        Between the surfaces at these moments.
    points_a, points_b : ndarray, shape (n, 2)
        Closest points then.
    normals : ndarray, shape (n, 2)
        Unit vectors from a to b then; zero when they overlap deeply.
    poses_a, poses_b : ndarray, shape (n, 3)
        x, y and angle (radians) then.
    target : float
        The distance that is searched for.
    hit : bool
        Whether it was found, ``geometry.time_of_impact``.
    fraction : float
        At which part of the motion; NaN without a hit.
    end_a, end_b : ndarray, shape (3,)
        Poses at the end of the motion.
    """

    shape_a: Shape
    shape_b: Shape
    fractions: Array
    distances: Array
    points_a: Array
    points_b: Array
    normals: Array
    poses_a: Array
    poses_b: Array
    target: float
    hit: bool
    fraction: float
    end_a: Array
    end_b: Array

    def __repr__(self) -> str:
        count = len(self.fractions)
        rounds = f"{count} round{'' if count == 1 else 's'}"
        result = f"hit at {self.fraction:.6g}" if self.hit else "no hit"
        return f"<ToiTrace of {rounds}: {result}>"

    def _repr_html_(self) -> str:
        # Only now: whoever shows nothing need not wait for it.
        from pyphys2d.traces._svg import with_caption

        return with_caption(self._svg(), repr(self)[1:-1])

    def _svg(self) -> str:
        from pyphys2d.traces._svg import picture

        with np.errstate(over="ignore", invalid="ignore"):  # poses near the largest numbers
            return picture(self._items(), key=self._key())

    def _items(self) -> list[Item]:
        """Both shapes at the first moment and the last, and the closest points of all."""
        from pyphys2d.traces._svg import names, outline

        items: list[Item] = []
        for shape, poses, cls in (
            (self.shape_a, self.poses_a, "a"),
            (self.shape_b, self.poses_b, "b"),
        ):
            items.append(("polygon", outline(shape, poses[-1]), cls))
            if (poses[0] != poses[-1]).any():
                ring = outline(shape, poses[0])
                ends = np.roll(ring, -1, axis=0)
                items.extend(("line", p, q, "muted") for p, q in zip(ring, ends, strict=True))
            if (poses[0, :2] != poses[-1, :2]).any():
                items.append(("arrow", poses[0, :2], poses[-1, :2], cls))
        for p, q in zip(self.points_a[:-1], self.points_b[:-1], strict=True):
            items.append(("line", p, q, "muted"))
        cls = "bad" if self.hit else "good"
        items.append(("line", self.points_a[-1], self.points_b[-1], cls))
        ends = np.stack([self.points_a[-1], self.points_b[-1]])
        items.extend(("point", point, cls) for point in ends)
        a, b = outline(self.shape_a, self.poses_a[-1]), outline(self.shape_b, self.poses_b[-1])
        ways = [np.linspace(poses[0, :2], poses[-1, :2], 8) for poses in self._ways()]
        return items + names(a, b, np.concatenate([ends, *ways]))

    def _ways(self) -> list[Array]:
        """The poses of each shape that went somewhere."""
        both = (self.poses_a, self.poses_b)
        return [poses for poses in both if (poses[0, :2] != poses[-1, :2]).any()]

    def _key(self) -> list[tuple[str, str]]:
        """What the colours mean that are in the picture."""
        key = [("bad", "touch") if self.hit else ("good", "nearest points")]
        if len(self.fractions) > 1:
            key.append(("muted", "start, nearest points on the way"))
        return key

    def _motions(self) -> list[tuple[str, Shape, list[Array]]]:
        """Of each shape its poses at the start and, where it moves, at the end."""
        return [
            (name, shape, [start, end] if (start != end).any() else [start])
            for name, shape, start, end in (
                ("A", self.shape_a, self.poses_a[0], self.end_a),
                ("B", self.shape_b, self.poses_b[0], self.end_b),
            )
        ]

    def _bodies(self) -> list[tuple[str, Shape, Array]]:
        return [
            (f"{name}, end" if k else name, shape, pose)
            for name, shape, poses in self._motions()
            for k, pose in enumerate(poses)
        ]

    def _moved(self, poses: list[Array]) -> ToiTrace:
        left = iter(poses)
        ways = []
        for _, _, motion in self._motions():
            start = next(left)
            ways.append((start, next(left) if len(motion) > 1 else start))
        (start_a, end_a), (start_b, end_b) = ways
        return toi(self.shape_a, self.shape_b, start_a, end_a, start_b, end_b, self.target)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw with Matplotlib: :func:`pyphys2d.plot.toi`."""
        from pyphys2d import plot

        return plot.toi(self, ax=ax)


def toi(
    a: Shape,
    b: Shape,
    start_a: npt.ArrayLike,
    end_a: npt.ArrayLike,
    start_b: npt.ArrayLike,
    end_b: npt.ArrayLike,
    target: float = 0.005,
) -> ToiTrace:
    """The search for the first touch of two moving convex shapes, with its working shown.

    Parameters
    ----------
    a, b : Shape
        Of one convex piece each; rounded polygons, capsules, segments and circles too.
    start_a, end_a, start_b, end_b : array_like, shape (3,)
        x, y (metres) and angle (radians).
    target : float
        Distance that counts as a touch, metres, >= 0.

    Returns
    -------
    ToiTrace

    Raises
    ------
    ValueError
        For a shape that is not convex, a wrong shape of a pose, NaN, infinity or a negative target.
    TypeError
        For something that is no Shape.

    Examples
    --------
    >>> from pyphys2d import Box, Circle, geometry
    >>> still = (0, 0, 0)
    >>> trace = geometry.toi(Box(1, 10), Circle(0.5), still, still, (-9, 0, 0), (9, 0, 0))
    >>> trace
    <ToiTrace of 2 rounds: hit at 0.444167>
    >>> trace.distances.round(9).tolist()
    [8.0, 0.005]
    """
    found = _core._toi(a, b, start_a, end_a, start_b, end_b, target)
    # Of bytes: no flag makes them writable.
    ends = [np.frombuffer(np.array(end, float).tobytes()) for end in (end_a, end_b)]
    return ToiTrace(a, b, *found, *ends)
