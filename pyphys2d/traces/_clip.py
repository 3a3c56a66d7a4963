"""How the points of a manifold come about."""

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
class ClipTrace(Live):
    """How ``geometry.collide(a, b, pose_a, pose_b)`` finds its points.

    Arrays are read-only, world frame, metres. Edges, planes and stages are those of the cores: a
    rounded shape, capsule or circle without its radius. The radii count when points are dropped
    (`depths` are those of the surfaces) and when they are put midway between the surfaces.

    Attributes
    ----------
    shape_a, shape_b : Shape
    pose_a, pose_b : ndarray, shape (3,)
        x, y and angle (radians).
    kind : str
        ``"faces"``: an incident edge was clipped to a reference edge. ``"corners"``: two corners
        are closest, the one point lies on their line (seldom after a clipping that missed the
        deepest vertex, and is shown). ``"vertex"``: corners that meet where nothing was left to
        clip; the deepest vertex. ``"circle"``: the centre of a circle against an edge,
        a corner or another centre. ``"apart"``: there is no point.
    normal : ndarray, shape (2,)
        Unit, from a to b; when apart that of the edge (or the corners, or centres) that separates
        them most.
    reference_edge, incident_edge : ndarray, shape (2, 2)
        Ends, counter-clockwise in their shape, neighbours on one line included. Twice the same
        point for a corner that meets a circle and for a centre.
    flipped : bool
        Whether the reference edge belongs to b.
    planes : ndarray, shape (2, 2, 2)
        Point and outward normal of the plane through the start and of that through the end of the
        reference edge; shape (0, 2, 2) when nothing was clipped.
    stages : tuple of ndarray, shape (k, 2)
        The incident edge; what is left of it behind the first plane; behind the second; and those
        of its points that made a point, in the order of `points`. Empty when nothing was clipped.
    points : ndarray, shape (k, 2)
        Midway between the surfaces, k <= 2.
    depths : ndarray, shape (k,)
        How deep the surfaces overlap there, >= 0.
    """

    shape_a: Shape
    shape_b: Shape
    pose_a: Array
    pose_b: Array
    kind: str
    normal: Array
    reference_edge: Array
    incident_edge: Array
    flipped: bool
    planes: Array
    stages: tuple[Array, ...]
    points: Array
    depths: Array

    def __repr__(self) -> str:
        if self.kind == "apart":
            return "<ClipTrace: apart>"
        x, y = self.normal
        depths = ", ".join(f"{depth:.6g}" for depth in self.depths)
        return f"<ClipTrace by {self.kind}: normal ({x:.6g}, {y:.6g}), depths ({depths})>"

    def _repr_html_(self) -> str:
        # Only now: whoever shows nothing need not wait for it.
        from pyphys2d.traces._svg import with_caption

        return with_caption(self._svg(), repr(self)[1:-1])

    def _svg(self) -> str:
        from pyphys2d.traces._svg import picture

        with np.errstate(over="ignore", invalid="ignore"):  # poses near the largest numbers
            return picture(self._items(), key=self._key())

    def _items(self) -> list[Item]:
        """Both shapes, the reference edge with its planes, what was clipped, the points."""
        from pyphys2d.traces._svg import names, outline

        a, b = outline(self.shape_a, self.pose_a), outline(self.shape_b, self.pose_b)
        both = np.concatenate([a, b])
        size = float(np.ptp(both, axis=0).max())
        items: list[Item] = [("polygon", a, "a"), ("polygon", b, "b")]
        outward = -self.normal if self.flipped else self.normal
        for point, _ in self.planes:
            reach = 0.25 * size * outward
            items.append(("line", point - reach, point + reach, "muted"))
        for edge, cls in ((self.reference_edge, "accent"), (self.incident_edge, "muted")):
            if (edge[0] != edge[1]).any():
                items.append(("line", edge[0], edge[1], cls))
            else:
                items.append(("point", edge[0], cls))
        if len(self.stages) and len(self.stages[2]):
            start, end = self.stages[2]
            items.append(("line", start, end, "good"))
        for point in self.points:
            items.append(("arrow", point, point + 0.15 * size * self.normal, "bad"))
            items.append(("point", point, "bad"))
        busy = [self.points, self.points + 0.15 * size * self.normal]
        busy += [self.reference_edge, self.incident_edge]
        reaches = np.linspace(-0.25, 0.25, 12)[:, None] * size * outward
        busy += [point + reaches for point, _ in self.planes]
        return items + names(a, b, np.concatenate(busy))

    def _key(self) -> list[tuple[str, str]]:
        """What the colours mean that are in the picture."""
        kinds = [
            "edge" if (edge[0] != edge[1]).any() else "point"
            for edge in (self.reference_edge, self.incident_edge)
        ]
        planes = ", side planes" if len(self.planes) else ""
        key = [("accent", f"reference {kinds[0]}"), ("muted", f"incident {kinds[1]}{planes}")]
        if len(self.stages) and len(self.stages[2]):
            key.append(("good", "what the planes leave of it"))
        if len(self.points):
            key.append(("bad", "contact points, normal"))
        return key

    def _bodies(self) -> list[tuple[str, Shape, Array]]:
        return [("A", self.shape_a, self.pose_a), ("B", self.shape_b, self.pose_b)]

    def _moved(self, poses: list[Array]) -> ClipTrace:
        return clip(self.shape_a, self.shape_b, *poses)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw with Matplotlib: :func:`pyphys2d.plot.clip`."""
        from pyphys2d import plot

        return plot.clip(self, ax=ax)


def clip(
    a: Shape, b: Shape, pose_a: npt.ArrayLike = (0, 0, 0), pose_b: npt.ArrayLike = (0, 0, 0)
) -> ClipTrace:
    """The contact points of two convex shapes, with all intermediate steps.

    Parameters
    ----------
    a, b : Shape
        Of one convex piece each; rounded polygons, capsules, segments and circles too.
    pose_a, pose_b : array_like, shape (3,)
        x, y (metres) and angle (radians).

    Returns
    -------
    ClipTrace

    Raises
    ------
    ValueError
        For a shape that is not convex, a wrong shape of a pose, NaN or infinity.
    TypeError
        For something that is no Shape.

    Examples
    --------
    >>> from pyphys2d import Box, geometry
    >>> trace = geometry.clip(Box(4, 2), Box(2, 2), pose_b=(2, 1.5, 0))
    >>> trace
    <ClipTrace by faces: normal (0, 1), depths (0.5, 0.5)>
    >>> [stage.tolist() for stage in trace.stages[1:3]]
    [[[1.0, 0.5], [2.0, 0.5]], [[1.0, 0.5], [2.0, 0.5]]]
    """
    return ClipTrace(a, b, *_core._clip(a, b, pose_a, pose_b))
