"""Many bodies as a handful of collections, whatever their number, that follow arrays of poses.

Colliders are grouped by what draws them and by their number of vertices, so that the vertices of a
group are one array (m, n, 2): moving all bodies is a few operations on whole arrays.
"""

from __future__ import annotations

from collections.abc import Collection as Several
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import (
    Collection,
    EllipseCollection,
    LineCollection,
    PathCollection,
    PolyCollection,
)
from matplotlib.lines import Line2D
from matplotlib.path import Path
from numpy.typing import ArrayLike, NDArray

from pyphys2d import Shape, World
from pyphys2d._trajectory_colliders import Drawn
from pyphys2d.plot import _arguments, _style
from pyphys2d.plot._outline import CIRCLE, Outline, outline, outline_of_row, placed
from pyphys2d.trajectory import Trajectory

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(slots=True)
class Cast:
    """Which shape belongs to which body, with each body's kind; a body is a row of the poses."""

    kinds: NDArray[np.uint8]
    shapes: list[tuple[Outline, bool, Ints]]  # outline, whether a sensor, rows
    wrap: Array | None = None  # of a wrapped world

    @classmethod
    def of_world(cls, world: World) -> Cast:
        drawing = world.draw_list(joints=False, contacts=False)
        rows, kinds = drawing.colliders, np.minimum(drawing.states, _style.DYNAMIC)
        # Colliders that share an outline, in the order in which they come.
        key = 4 * rows["first"].astype(np.int64) + 2 * (rows["kind"] == CIRCLE) + rows["sensor"]
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        slots = rows["body"][np.argsort(number, kind="stable")].astype(np.intp)
        shared = np.split(slots, np.cumsum(np.bincount(number))[:-1]) if len(rows) else []
        shapes = [
            (outline_of_row(drawing, rows[first[k]]), bool(rows["sensor"][first[k]]), shared[k])
            for k in np.argsort(first).tolist()
        ]
        return cls(kinds, shapes, world.wrap)

    @classmethod
    def of_trajectory(cls, trajectory: Trajectory, drawn: Drawn | None = None) -> Cast:
        """drawn: of the trajectory; else bodies have the shapes that they have at first."""
        bodies, shapes = trajectory.colliders.T
        kinds, sensors = trajectory.kinds, trajectory.collider_sensors
        if drawn is not None:
            bodies, kinds = drawn.number, kinds[drawn.columns]
        else:
            first = trajectory.collider_frames[:, 0] == 0
            bodies, shapes, sensors = bodies[first], shapes[first], sensors[first]
        return cls(
            kinds,
            [
                (outline(shape), sensor, _ints(rows))
                for number, shape in enumerate(trajectory.shapes)
                for sensor in (False, True)
                if len(rows := bodies[(shapes == number) & (sensors == sensor)])
            ],
            trajectory.wrap,
        )

    @classmethod
    def of_shapes(cls, shapes: Shape | Sequence[Shape], count: int) -> Cast:
        if isinstance(shapes, Shape):
            shapes = [shapes] * count
        if not isinstance(shapes, Several):
            raise TypeError(f"shapes: must be shapes, got {type(shapes).__name__}")
        if len(shapes) != count:
            raise ValueError(f"shapes: must be one, or one for each of {count} bodies, "
                             f"got {len(shapes)}")  # fmt: skip
        rows: dict[Shape, list[int]] = {}
        for row, shape in enumerate(shapes):
            if not isinstance(shape, Shape):
                raise TypeError(f"shapes: must be shapes, got {type(shape).__name__}")
            rows.setdefault(shape, []).append(row)
        return cls(
            np.full(count, _style.DYNAMIC, np.uint8),
            [(outline(shape), False, _ints(slots)) for shape, slots in rows.items()],
        )


def _ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), np.intp)


def images(points: Array, reach: Array | float, wrap: Array) -> Array:
    """Outlines (4 k, n, 2), given four times, in a wrapped world: as far as they lie in it, and the
    parts that come in over the other sides. What is not to be seen is NaN.

    A circle is its centre, the first point, and what it has in ``reach``.
    """
    round_ = isinstance(reach, np.ndarray)
    low = points[:, 0] - reach if round_ else points.min(axis=1)
    high = points[:, 0] + reach if round_ else points.max(axis=1)
    finite = np.isfinite(wrap)
    size = np.where(finite, wrap, 1.0)
    middle = 0.5 * (low + high)
    home = np.where(finite, -size * np.floor(middle / size), 0.0)  # into the plane
    over = np.where(middle + home < 0.5 * size, size, -size)  # towards the farther side
    number = np.arange(len(points)) // max(len(points) // 4, 1)
    moved = np.stack([number & 1, number >> 1], axis=1).astype(float)
    shift = home + moved * over
    seen = ((low + shift < wrap) & (high + shift > 0) | ~finite).all(axis=1)
    seen &= ((moved == 0) | finite).all(axis=1)
    shift[~seen] = np.nan
    shown: Array = points + shift[:, None]
    return shown


@dataclass(slots=True)
class _Group:
    """Colliders whose outlines have equally many vertices, and the artist that draws them."""

    kind: str  # "polygon", "compound", "circle", "line", "chain"
    sensor: bool
    codes: NDArray[np.uint8] | None = None  # of the paths of a compound
    outlines: list[tuple[Array, Ints]] = field(default_factory=list)
    radii: list[tuple[float, int]] = field(default_factory=list)
    local: Array = field(default_factory=lambda: np.empty((0, 0, 2)))  # (m, n, 2)
    rows: Ints = field(default_factory=lambda: np.empty(0, np.intp))
    artist: Any = None
    spokes: Line2D | None = None
    wrap: Array | None = None

    def close(self, wrap: Array | None) -> None:
        """Turn what was gathered into arrays."""
        if wrap is not None:  # each collider four times, see `images`
            self.outlines, self.radii = 4 * self.outlines, 4 * self.radii
            self.wrap = wrap
        self.local = np.concatenate(
            [np.broadcast_to(ring, (len(rows), *ring.shape)) for ring, rows in self.outlines]
        )
        self.rows = np.concatenate([rows for _, rows in self.outlines])

    def widths(self) -> Array:
        """Diameters of circles (m,)."""
        return np.concatenate([np.full(count, 2.0 * radius) for radius, count in self.radii])

    def place(self, positions: Array, angles: Array) -> Array:
        points = placed(self.local, positions[self.rows], angles[self.rows])
        if self.wrap is None:
            return points
        reach = self.widths()[:, None] / 2 if self.kind == "circle" else 0.0
        return images(points, reach, self.wrap)

    def move(self, positions: Array, angles: Array) -> None:
        points = self.place(positions, angles)
        match self.kind:
            case "polygon":
                self.artist.set_verts(points)
            case "line" | "chain":
                self.artist.set_segments(points)
            case "compound":
                self.artist.set_paths([Path(vertices, self.codes) for vertices in points])
            case "circle":
                self.artist.set_offsets(points[:, 0])
                if self.spokes is not None:
                    # One line, lifted between the spokes by NaN: 5,000 cost next to nothing.
                    ends = np.full((len(points), 3, 2), np.nan)
                    ends[:, :2] = points
                    self.spokes.set_data(*ends.reshape(-1, 2).T)

    def boxes(self, positions: Array, angles: Array) -> Array:
        """Bounds of each collider, (m, 2, 2), metres."""
        points = self.place(positions, angles)
        if self.kind == "circle":
            reach = self.widths()[:, None] / 2
            return np.stack([points[:, 0] - reach, points[:, 0] + reach], axis=1)
        return np.stack([points.min(axis=1), points.max(axis=1)], axis=1)

    def edges(self, positions: Array, angles: Array) -> Array:
        """Bounds of the edges of lines, (m, 2, 2): a part may be near, and the rest far."""
        points = self.place(positions, angles)
        p, q = points[:, :-1].reshape(-1, 2), points[:, 1:].reshape(-1, 2)
        return np.stack([np.minimum(p, q), np.maximum(p, q)], axis=1)


class Bodies:
    """The bodies of a world, trajectory or list of shapes on some axes, which can be moved.

    What `world` and `animate` draw with; for a loop of your own that redraws, as in a window. Only
    the bodies that exist when it is made are drawn.

    Parameters
    ----------
    source : World, Trajectory, or sequence of Shape
        Whose shapes to draw. A body is a row of the poses given to `move`: a slot of the world, a
        column of the trajectory, a place in the sequence.
        Of a trajectory, bodies keep the shapes that they have at first; `animate` changes them.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes. Limits are left alone.
    linewidth : float, optional
        Width of the outlines, points; by default finer the more bodies there are.

    Attributes
    ----------
    ax : Axes
    artists : list of Artist
        Collections, and one line for the spokes of all circles.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> world = p2.World()
    >>> ball = world.add_body(p2.Circle(1))
    >>> bodies = p2.plot.Bodies(world)
    >>> world.step()
    >>> bodies.move(world.positions, world.angles, awake=world.awake)
    """

    def __init__(
        self,
        source: World | Trajectory | Sequence[Shape],
        ax: Axes | None = None,
        *,
        linewidth: float | None = None,
    ) -> None:
        start: tuple[Array, Array] | None = None
        match source:
            case World():
                cast = Cast.of_world(source)
                start = (source.positions, source.angles)
            case Trajectory():
                cast = Cast.of_trajectory(source)
                if len(source):
                    start = (source.positions[0], source.angles[0])
            case Several():
                cast = Cast.of_shapes(source, len(source))
            case _:
                raise TypeError(
                    f"source: must be a World, a Trajectory or shapes, got {type(source).__name__}"
                )
        self._build(cast, _style.target(ax), linewidth)
        if start is not None:
            self.move(*start, awake=source.awake if isinstance(source, World) else None)

    @classmethod
    def _of_cast(cls, cast: Cast, ax: Axes, linewidth: float | None = None) -> Bodies:
        bodies = cls.__new__(cls)
        bodies._build(cast, ax, linewidth)
        return bodies

    # --------------------------------------------------------------------------------------- making
    def _build(self, cast: Cast, ax: Axes, linewidth: float | None) -> None:
        self.ax = ax
        self.kinds = cast.kinds
        self._faces, self._edges = _style.theme(ax).state_colors()
        self._states: NDArray[np.intp] | None = None
        self._groups = self._gather(cast)
        count = sum(len(group.rows) for group in self._groups)
        if linewidth is None:
            linewidth = float(np.clip(24 / np.sqrt(count + 1), 0.15, 1.1))
        self.linewidth = linewidth
        self.artists: list[Artist] = []
        for group in self._groups:
            self._make(group)

    def _gather(self, cast: Cast) -> list[_Group]:
        groups: dict[tuple[Any, ...], _Group] = {}
        for (rings, area, circle, one_sided), sensor, all_rows in cast.shapes:
            # What stands still lies below what moves.
            fixed = self.kinds[all_rows] == _style.STATIC
            for layer, rows in ((0, all_rows[fixed]), (1, all_rows[~fixed])):
                if not len(rows):
                    continue
                codes, radius = None, 0.0
                if circle is not None:
                    x, y, radius = circle.tolist()
                    points, what = np.array([(x, y), (x + radius, y)]), "circle"
                elif not area:
                    points, what = rings[0], "chain" if one_sided else "line"
                elif len(rings) > 1:
                    closed = [Path(np.append(ring, ring[:1], axis=0), closed=True)
                              for ring in rings]  # fmt: skip
                    path = Path.make_compound_path(*closed)
                    points, what = np.array(path.vertices), "compound"
                    codes = np.array(path.codes, np.uint8)
                else:
                    points, what = rings[0], "polygon"
                key = (layer, what, sensor, len(points), None if codes is None else codes.tobytes())
                group = groups.setdefault(key, _Group(what, sensor, codes))
                group.outlines.append((points, rows))
                group.radii.append((radius, len(rows)))
        for group in groups.values():
            group.close(cast.wrap)
        return [groups[key] for key in sorted(groups, key=lambda key: key[:4])]

    def _make(self, group: _Group) -> None:
        still = bool((self.kinds[group.rows] == _style.STATIC).all())
        # Below Matplotlib's own scatter (1), so that points lie on bodies.
        style: dict[str, Any] = {"linewidths": self.linewidth, "zorder": 0.8 if still else 0.9}
        if group.sensor:
            style["linestyles"] = "--"
        match group.kind:
            case "polygon":
                group.artist = PolyCollection([], **style)
            case "compound":
                group.artist = PathCollection([], **style)
            case "line" | "chain":
                style["linewidths"] = 2 * self.linewidth
                make = LineCollection if group.kind == "line" else _style.HatchedLines
                group.artist = make([], capstyle="round", joinstyle="round", **style)
            case "circle":
                widths = group.widths()
                group.artist = EllipseCollection(
                    widths,
                    widths,
                    np.zeros(len(widths)),
                    units="xy",
                    offset_transform=self.ax.transData,
                    **style,
                )
                group.spokes = Line2D(
                    [],
                    [],
                    color=self._edges[_style.STATIC if still else _style.AWAKE],
                    linewidth=self.linewidth,
                    zorder=style["zorder"] + 0.01,
                )
                self.ax.add_artist(group.spokes)
        self.ax.add_collection(group.artist, autolim=False)
        self.artists.append(group.artist)
        if group.spokes is not None:
            self.artists.append(group.spokes)

    # --------------------------------------------------------------------------------------- moving
    def move(
        self, positions: ArrayLike, angles: ArrayLike, *, awake: ArrayLike | None = None
    ) -> None:
        """Put the bodies where these poses are.

        Parameters
        ----------
        positions : array_like, shape (n, 2)
            Of the bodies' origins, metres. A body at NaN is not drawn.
        angles : array_like, shape (n,)
            Radians.
        awake : array_like of bool, shape (n,), optional
            Colours those that sleep paler; by default all are awake.

        Raises
        ------
        ValueError
            If there are fewer rows than bodies.
        """
        places = _arguments.numbers("positions", positions)
        turns = _arguments.numbers("angles", angles)
        n = len(self.kinds)
        if places.ndim != 2 or places.shape[1] != 2 or len(places) < n:
            raise ValueError(f"positions: must be of shape ({n}, 2), got {places.shape}")
        if turns.ndim != 1 or len(turns) < n:
            raise ValueError(f"angles: must be of shape ({n},), got {turns.shape}")
        for group in self._groups:
            group.move(places, turns)
        states = self.kinds.astype(np.intp)
        if awake is not None:
            wake = np.asarray(awake, bool)
            if wake.ndim != 1 or len(wake) < n:
                raise ValueError(f"awake: must be of shape ({n},), got {wake.shape}")
            states[(self.kinds == _style.DYNAMIC) & ~wake[:n]] = _style.ASLEEP
        if self._states is None or not np.array_equal(states, self._states):
            self._states = states
            self.paint(self._faces[states], self._edges[states])

    def paint(self, faces: ArrayLike, edges: ArrayLike | None = None) -> None:
        """Give every body its own colours.

        Parameters
        ----------
        faces, edges : array_like, shape (n, 4)
            RGBA from 0 to 1, of areas and of outlines; ``edges`` stay as they are if None.
        """
        fill: Any = np.asarray(faces, float)
        line: Any = None if edges is None else np.asarray(edges, float)
        for group in self._groups:
            artist: Collection = group.artist
            if group.kind not in ("line", "chain"):
                if group.sensor:
                    artist.set_facecolor("none")
                else:
                    artist.set_facecolor(fill[group.rows])
            if line is not None:
                artist.set_edgecolor(line[group.rows])

    # -------------------------------------------------------------------------------------- looking
    @property
    def states(self) -> NDArray[np.intp]:
        """0 static, 1 kinematic, 2 awake, 3 asleep, shape (n,)."""
        return self.kinds.astype(np.intp) if self._states is None else self._states.copy()

    def boxes(self, positions: Array, angles: Array) -> tuple[Array, Array]:
        """Bounds (m, 2, 2) of the colliders that move, and of those that do not, at these poses; of
        lines that do not, the bounds of their edges."""
        moving, fixed = [np.empty((0, 2, 2))], [np.empty((0, 2, 2))]
        for group in self._groups:
            still = (self.kinds[group.rows] == _style.STATIC).all()
            boxes = group.boxes(positions, angles)
            if still and group.kind in ("line", "chain"):
                boxes = group.edges(positions, angles)
            (fixed if still else moving).append(boxes)
        return np.concatenate(moving), np.concatenate(fixed)

    def _box_of(self, row: int, positions: Array, angles: Array) -> Array:
        """Bounds (2, 2) of one body at these poses; of one without colliders, its place."""
        own = [each.boxes(positions, angles)[each.rows == row] for each in self._groups]
        boxes = np.concatenate([np.broadcast_to(positions[row], (1, 2, 2)), *own])
        return np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])

    def points(self, positions: Array, angles: Array) -> Array:
        """Where something is drawn at these poses: corners of outlines and of bounds, (m, 2)."""
        found = [np.empty((0, 2))]
        for group in self._groups:
            boxes = group.boxes(positions, angles)
            found += [boxes.reshape(-1, 2), boxes[:, :, ::-1].reshape(-1, 2)]
            found.append(_style.along(group.place(positions, angles)))
        return np.concatenate(found)

    def key(self) -> None:
        """Name the states in the legend of the axes, if several are present."""
        rows = [group.rows for group in self._groups] or [_ints([])]
        present = np.unique(self.states[np.concatenate(rows)])
        for state in present if len(present) > 1 else ():
            swatch = PolyCollection(
                [],
                facecolors=self._faces[state],
                edgecolors=self._edges[state],
                linewidths=1,
                label=_style.STATES[state],
            )
            self.ax.add_collection(swatch, autolim=False)
