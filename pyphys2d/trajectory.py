"""Trajectories: the poses of all bodies over time, with their shapes, in memory and as .npz files.

A file holds plain arrays, no pickled objects; docs/trajectory-format.md describes them for players
in other languages.
"""

from __future__ import annotations

import itertools
import operator
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyphys2d import Capsule, Chain, Circle, Polygon, Segment, Shape, World, _files
from pyphys2d.npz import Fields, read_arrays

FORMAT = 1
SHAPE_KINDS = ("circle", "polygon", "capsule", "segment", "chain")
# Fewest and most vertices in a ring of each.
RING_SIZES = ((1, 1), (3, sys.maxsize), (2, 2), (2, 2), (2, sys.maxsize))
BODY_KINDS = 3

# The arrays of a file: type and shape, as docs/trajectory-format.md has them.
FIELDS: Fields = {
    "format": ("int", ()),
    "name": ("string", ()),
    "times": ("float", ("frames",)),
    "angles": ("float", ("frames", "bodies")),
    "positions": ("float", ("frames", "bodies", 2)),
    "awake": ("bool", ("frames", "bodies")),
    "kinetic_energy": ("float", ("frames",)),
    "potential_energy": ("float", ("frames",)),
    "momentum": ("float", ("frames", 2)),
    "angular_momentum": ("float", ("frames",)),
    "penetration": ("float", ("frames",)),
    "kinds": ("int", ("bodies",)),
    "body_names": ("string", ("bodies",)),
    "colliders": ("int", ("colliders", 2)),
    "shape_kinds": ("int", ("shapes",)),
    "shape_radii": ("float", ("shapes",)),
    "shape_loops": ("bool", ("shapes",)),
    "shape_ring_starts": ("int", ("ends of shapes",)),
    "ring_vertex_starts": ("int", ("ends of rings",)),
    "vertices": ("float", ("vertices", 2)),
}
OPTIONAL: Fields = {"wrap": ("float", (2,))}
# Bytes that a trajectory takes for each, beside the numbers; a frame also takes some microseconds.
COSTS = {
    "frames": 1000,
    "bodies": 200,
    "colliders": 100,
    "ends of shapes": 100,
    "ends of rings": 250,
}
# Memory that a file may take: some for every file, and more for each of its bytes.
FREE_BYTES = 256 * 2**20
MEMORY_PER_BYTE = 64

Array = NDArray[np.float64]


@dataclass(slots=True)
class _Shapes:
    """The shapes seen so far, each stored once, as rings of vertices."""

    number: dict[Shape, int] = field(default_factory=dict)
    kinds: list[int] = field(default_factory=list)
    radii: list[float] = field(default_factory=list)
    loops: list[bool] = field(default_factory=list)
    ring_starts: list[int] = field(default_factory=lambda: [0])
    vertex_starts: list[int] = field(default_factory=lambda: [0])
    rings: list[Array] = field(default_factory=list)

    def add(self, shape: Shape) -> int:
        known = self.number.get(shape)
        if known is not None:
            return known
        kind, rings, radius, loop = describe(shape)
        self.kinds.append(SHAPE_KINDS.index(kind))
        self.radii.append(radius)
        self.loops.append(loop)
        for ring in rings:
            self.rings.append(ring)
            self.vertex_starts.append(self.vertex_starts[-1] + len(ring))
        self.ring_starts.append(len(self.rings))
        self.number[shape] = len(self.kinds) - 1
        return self.number[shape]


def describe(shape: Shape) -> tuple[str, list[Array], float, bool]:
    """A shape as ``(kind, rings, radius, loop)``, the way files hold it.

    A circle is one ring of its centre, a capsule or segment one of its two ends, a chain one of its
    points, a polygon its outer ring and one ring per hole. ``loop`` is true for closed chains only.
    """
    match shape:
        case Circle():
            return "circle", [np.array([shape.center], float)], shape.radius, False
        case Capsule():
            return "capsule", [np.array([shape.p, shape.q], float)], shape.radius, False
        case Segment():
            return "segment", [np.array([shape.p, shape.q], float)], 0.0, False
        case Chain():
            return "chain", [np.array(shape.points, float)], 0.0, bool(shape.loop)
        case Polygon():
            holes = [np.array(hole, float) for hole in shape.holes]
            return "polygon", [np.array(shape.vertices, float), *holes], shape.radius, False
        case _:
            raise TypeError(f"no description of {type(shape).__name__}")


class Trajectory:
    """Poses of bodies over time.

    A body has one column for its whole life, whatever slot it lives in; frames in which it does not
    live show NaN.

    Attributes
    ----------
    name : str
        Of the scene.
    times : ndarray, shape (frames,)
        Seconds of world time.
    positions : ndarray, shape (frames, bodies, 2)
        Of the bodies' origins, metres.
    angles : ndarray, shape (frames, bodies)
        Radians.
    awake : ndarray of bool, shape (frames, bodies)
    kinetic_energy, potential_energy : ndarray, shape (frames,)
        Joules.
    momentum : ndarray, shape (frames, 2)
        Newton seconds.
    angular_momentum : ndarray, shape (frames,)
        About the world's origin, kg m²/s.
    penetration : ndarray, shape (frames,)
        Depth of the deepest contact, metres, >= 0.
    kinds : ndarray of uint8, shape (bodies,)
        0 static, 1 kinematic, 2 dynamic; as when the body was first seen.
    body_names : list of str
        Empty where a body has no name.
    shapes : list of tuple
        ``(kind, rings, radius, loop)`` of each distinct shape, in the body's frame.
    colliders : ndarray of int32, shape (colliders, 2)
        Column of the body and number of the shape.
    wrap : ndarray, shape (2,), or None
        Width and height of a wrapped world, metres (inf: not in that direction), as when the first
        frame was added; None: no wrap.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> from pyphys2d.trajectory import Trajectory
    >>> world = p2.World()
    >>> ball = world.add_body(p2.Circle(1))
    >>> trajectory = Trajectory.record(world, steps=10, every=5)
    >>> trajectory.positions.shape
    (3, 1, 2)
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.wrap: Array | None = None
        self.body_names: list[str] = []
        self._shapes = _Shapes()
        self._colliders: list[tuple[int, int]] = []
        self._kinds: list[int] = []
        self._columns: dict[int, int] = {}
        self._times: list[float] = []
        # Per frame: kinetic and potential energy, momentum (x, y), angular momentum, penetration.
        self._measures: list[tuple[float, ...]] = []
        # Per frame: columns of the living bodies, then their positions, angles and whether they are
        # awake.
        self._frames: list[tuple[NDArray[np.int32], Array, Array, NDArray[np.bool_]]] = []
        self._last_ids: NDArray[np.uint64] = np.empty(0, np.uint64)
        self._last_columns: NDArray[np.int32] = np.empty(0, np.int32)

    # ------------------------------------------------------------------------------------ recording
    def add_frame(self, world: World) -> None:
        """Append the world's present state as a frame.

        Raises
        ------
        TypeError
            For something that is no World.
        """
        if not isinstance(world, World):
            raise TypeError(f"world: must be a World, got {type(world).__name__}")
        if not self._frames:
            self.wrap = world.wrap
        ids = np.fromiter((body.id for body in world.bodies), np.uint64, len(world.bodies))
        if not np.array_equal(ids, self._last_ids):
            self._meet(world)
            self._last_ids = ids
            columns = [self._columns[int(id)] for id in ids]
            self._last_columns = np.array(columns, np.int32)
        alive = world.alive.astype(bool)
        self._frames.append(
            (
                self._last_columns,
                world.positions[alive],
                world.angles[alive],
                world.awake[alive].astype(bool),
            )
        )
        self._times.append(world.time)
        self._measures.append(
            (
                world.kinetic_energy(),
                world.potential_energy(),
                *world.momentum().tolist(),
                world.angular_momentum(),
                max(0.0, -float(world.contacts["separation"].min(initial=0.0))),
            )
        )

    def _meet(self, world: World) -> None:
        for body in world.bodies:
            if body.id in self._columns:
                continue
            column = self._columns[body.id] = len(self._kinds)
            self._kinds.append(("static", "kinematic", "dynamic").index(body.kind))
            self.body_names.append(body.name or "")
            for collider in body.colliders:
                self._colliders.append((column, self._shapes.add(collider.shape)))

    @classmethod
    def record(
        cls,
        world: World,
        steps: int,
        *,
        dt: float = 1 / 60,
        every: int = 1,
        name: str = "",
        before_step: Callable[[World, int], None] | None = None,
    ) -> Trajectory:
        """Step a world; keep a frame at the start, after each ``every`` steps and at the end.

        Parameters
        ----------
        world : World
        steps : int
        dt : float
            Seconds per step.
        every : int
            Steps per frame.
        before_step : callable, optional
            Called as ``before_step(world, k)`` before step k = 0, 1, 2 ...
        """
        if every < 1:
            raise ValueError(f"every must be >= 1, got {every}")
        trajectory = cls(name)
        trajectory.add_frame(world)
        for step in range(steps):
            if before_step is not None:
                before_step(world, step)
            world.step(dt)
            if (step + 1) % every == 0 or step + 1 == steps:
                trajectory.add_frame(world)
        return trajectory

    # -------------------------------------------------------------------------------------- reading
    def __len__(self) -> int:
        return len(self._frames)

    @property
    def times(self) -> Array:
        """Seconds of world time, shape (frames,)."""
        return np.array(self._times, float)

    @property
    def positions(self) -> Array:
        """Metres, shape (frames, bodies, 2); NaN where a body does not live."""
        result = np.full((len(self._frames), len(self._kinds), 2), np.nan)
        for row, (columns, positions, _, _) in zip(result, self._frames, strict=True):
            row[columns] = positions
        return result

    @property
    def unwrapped(self) -> Array:
        """As `positions`, but counted on past the seams of a wrapped world.

        From frame to frame a body is taken to have gone the shortest way.
        """
        positions = self.positions
        return positions if self.wrap is None else _unfold(positions, self.wrap)[0]

    def path(self, body: int) -> Array:
        """The way of a body's origin, as a line to draw, shape (points, 2), metres.

        In a wrapped world it goes up to the side, has a row of NaN there, which lifts the pen, and
        goes on from the other side.

        Parameters
        ----------
        body : int
            Its column.

        Raises
        ------
        IndexError
            When there is no such column.

        Examples
        --------
        >>> import numpy as np
        >>> import pyphys2d as p2
        >>> world = p2.World((0, 0), wrap=(10, 10))
        >>> ball = world.add_body(p2.Circle(1), (9, 5), velocity=(2, 0))
        >>> p2.Trajectory.record(world, 1, dt=1.0).path(0)
        array([[ 9.,  5.],
               [10.,  5.],
               [nan, nan],
               [ 0.,  5.],
               [ 1.,  5.]])
        """
        column, count = operator.index(body), len(self._kinds)
        if not -count <= column < count:
            raise IndexError(f"body: must be a column, < {count}, got {body}")
        places = self.positions[:, column]
        if self.wrap is None or not len(places):
            return places
        size = np.where(np.isfinite(self.wrap), self.wrap, 0.0)
        places = np.where(size > 0, np.mod(places, np.where(size > 0, size, 1)), places)
        turns = _unfold(places, self.wrap)[1]
        rows = [places[0]]
        for k in np.arange(1, len(places)):
            change = turns[k] - turns[k - 1]
            way = places[k] + change * size - places[k - 1]
            # Of a side that it goes over: when, in parts of the way, and which direction it is.
            cuts = [
                ((max(change[axis], 0) * size[axis] - places[k - 1, axis]) / way[axis], axis)
                for axis in np.flatnonzero(change)
            ]
            shift = np.zeros(2)
            for part, axis in sorted(cuts):
                at = places[k - 1] + part * way - shift
                at[axis] = max(change[axis], 0) * size[axis]
                beyond = at.copy()
                beyond[axis] -= change[axis] * size[axis]
                shift[axis] += change[axis] * size[axis]
                rows += [at, np.full(2, np.nan), beyond]
            rows.append(places[k])
        return np.array(rows)

    @property
    def angles(self) -> Array:
        """Radians, shape (frames, bodies); NaN where a body does not live."""
        result = np.full((len(self._frames), len(self._kinds)), np.nan)
        for row, (columns, _, angles, _) in zip(result, self._frames, strict=True):
            row[columns] = angles
        return result

    @property
    def awake(self) -> NDArray[np.bool_]:
        """Shape (frames, bodies); False where a body does not live."""
        result = np.zeros((len(self._frames), len(self._kinds)), bool)
        for row, (columns, _, _, awake) in zip(result, self._frames, strict=True):
            row[columns] = awake
        return result

    @property
    def kinetic_energy(self) -> Array:
        """Joules, shape (frames,)."""
        return self._measure(0)

    @property
    def potential_energy(self) -> Array:
        """Joules, shape (frames,)."""
        return self._measure(1)

    @property
    def momentum(self) -> Array:
        """Newton seconds, shape (frames, 2)."""
        return np.column_stack([self._measure(2), self._measure(3)])

    @property
    def angular_momentum(self) -> Array:
        """About the world's origin, kg m²/s, shape (frames,)."""
        return self._measure(4)

    @property
    def penetration(self) -> Array:
        """Depth of the deepest contact, metres, >= 0, shape (frames,)."""
        return self._measure(5)

    def _measure(self, column: int) -> Array:
        return np.array([row[column] for row in self._measures], float)

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """0 static, 1 kinematic, 2 dynamic, shape (bodies,)."""
        return np.array(self._kinds, np.uint8)

    @property
    def colliders(self) -> NDArray[np.int32]:
        """Column of the body and number of the shape, shape (colliders, 2)."""
        return np.array(self._colliders, np.int32).reshape(-1, 2)

    @property
    def shapes(self) -> list[tuple[str, list[Array], float, bool]]:
        """``(kind, rings, radius, loop)`` of each distinct shape, in the body's frame."""
        table = self._shapes
        return [
            (
                SHAPE_KINDS[kind],
                table.rings[table.ring_starts[k] : table.ring_starts[k + 1]],
                table.radii[k],
                table.loops[k],
            )
            for k, kind in enumerate(table.kinds)
        ]

    # ---------------------------------------------------------------------------------------- files
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a compressed .npz file, as docs/trajectory-format.md describes it.

        A file that is there is replaced once the new one is complete: whatever stops the call
        leaves the old one.
        """
        table = self._shapes
        vertices = np.concatenate(table.rings) if table.rings else np.empty((0, 2))
        arrays: dict[str, Any] = {
            "format": np.array(FORMAT, np.int64),
            "name": np.array(self.name, np.str_),
            "times": self.times,
            "positions": self.positions,
            "angles": self.angles,
            "awake": self.awake,
            "kinetic_energy": self.kinetic_energy,
            "potential_energy": self.potential_energy,
            "momentum": self.momentum,
            "angular_momentum": self.angular_momentum,
            "penetration": self.penetration,
            "kinds": self.kinds,
            "body_names": np.array(self.body_names, np.str_),
            "colliders": self.colliders,
            "shape_kinds": np.array(table.kinds, np.uint8),
            "shape_radii": np.array(table.radii, float),
            "shape_loops": np.array(table.loops, bool),
            "shape_ring_starts": np.array(table.ring_starts, np.int64),
            "ring_vertex_starts": np.array(table.vertex_starts, np.int64),
            "vertices": vertices,
        }
        if self.wrap is not None:
            arrays["wrap"] = self.wrap

        def write(place: Path) -> None:
            with open(place, "wb") as file:
                np.savez_compressed(file, **arrays)

        _files.save(path, write)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Trajectory:
        """Read a file that `save` wrote. Nothing in it is executed.

        Parameters
        ----------
        path : path
        max_bytes : int, optional
            How much memory the trajectory may take, estimated from the lengths of its arrays
            before anything is unpacked; by default 256 MiB and 64 bytes for each of the file's.

        Raises
        ------
        ValueError
            If the file is not such a file, or takes more than ``max_bytes``; the message names it
            and what is wrong.
        OSError
            If it cannot be opened or read.
        """
        try:
            with _files.open_regular(path) as file:
                if max_bytes is None:
                    size = os.fstat(file.fileno()).st_size
                    max_bytes = FREE_BYTES + MEMORY_PER_BYTE * size
                data = read_arrays(file, FIELDS, OPTIONAL, costs=COSTS, max_bytes=max_bytes)
            return cls._from_arrays(data)
        except ValueError as error:
            raise ValueError(f"{os.fsdecode(path)} is not a trajectory: {error}") from None

    @classmethod
    def _from_arrays(cls, data: dict[str, NDArray[Any]]) -> Trajectory:
        _check_frames(data)
        _check_shapes(data)
        trajectory = cls(str(data["name"]))
        trajectory.wrap = data.get("wrap")
        trajectory.body_names = data["body_names"].tolist()
        starts = data["ring_vertex_starts"].tolist()
        trajectory._shapes = _Shapes(
            {},
            data["shape_kinds"].tolist(),
            data["shape_radii"].tolist(),
            data["shape_loops"].tolist(),
            data["shape_ring_starts"].tolist(),
            starts,
            [data["vertices"][a:b] for a, b in itertools.pairwise(starts)],
        )
        trajectory._colliders = list(zip(*data["colliders"].T.tolist(), strict=True))
        trajectory._kinds = data["kinds"].tolist()
        trajectory._times = data["times"].tolist()
        measures = [data["kinetic_energy"], data["potential_energy"], *data["momentum"].T]
        measures += [data["angular_momentum"], data["penetration"]]
        trajectory._measures = [tuple(row) for row in np.column_stack(measures).tolist()]
        alive = ~np.isnan(data["angles"])
        every = np.arange(alive.shape[1], dtype=np.int32)
        poses = zip(data["positions"], data["angles"], data["awake"], strict=True)
        for live, all_live, frame in zip(alive, alive.all(axis=1).tolist(), poses, strict=True):
            if all_live:
                trajectory._frames.append((every, *frame))
            else:
                columns = every[live]
                trajectory._frames.append((columns, *(values[columns] for values in frame)))
        return trajectory


def _unfold(positions: Array, wrap: Array) -> tuple[Array, Array]:
    """Places (f, ..., 2) counted on past the seams of a wrapped world, and how often around it."""
    finite = np.isfinite(wrap)
    change = -np.rint(np.nan_to_num(np.diff(positions, axis=0)) / wrap)
    turns = np.concatenate([np.zeros_like(positions[:1]), np.cumsum(change, axis=0)])
    return positions + np.where(finite, wrap, 0.0) * turns, turns


def _check_frames(data: dict[str, NDArray[Any]]) -> None:
    if data["format"] != FORMAT:
        raise ValueError(f"format must be {FORMAT}, got {data['format']}")
    _check_range("kinds", data["kinds"], BODY_KINDS)
    # Energies and momenta may be anything: those of very fast bodies overflow.
    if not np.isfinite(data["times"]).all():
        raise ValueError("times must be finite")
    if not (data["penetration"] >= 0).all():
        raise ValueError("penetration must be >= 0")
    wrap = data.get("wrap")
    if wrap is not None and not ((wrap > 0).all() and np.isfinite(wrap).any()):
        raise ValueError("wrap must be > 0, and finite in one direction at least")
    angles, positions = data["angles"], data["positions"]
    dead = np.isnan(angles)
    for name, values, none in (("angles", angles, dead), ("positions", positions, dead[..., None])):
        if (np.isfinite(values) == none).any() or (np.isnan(values) != none).any():
            raise ValueError(f"{name} must be finite, or NaN for both where a body does not live")


def _check_shapes(data: dict[str, NDArray[Any]]) -> None:
    kinds, vertices = data["shape_kinds"], data["vertices"]
    shape_starts, ring_starts = data["shape_ring_starts"], data["ring_vertex_starts"]
    _check_range("shape_kinds", kinds, len(SHAPE_KINDS))
    _check_range("the first column of colliders", data["colliders"][:, 0], len(data["kinds"]))
    _check_range("the second column of colliders", data["colliders"][:, 1], len(kinds))
    if len(shape_starts) != len(kinds) + 1:
        raise ValueError(f"shape_ring_starts must have {len(kinds) + 1} entries")
    _check_starts("shape_ring_starts", shape_starts, len(ring_starts) - 1)
    _check_starts("ring_vertex_starts", ring_starts, len(vertices))
    radii = data["shape_radii"]
    if not (np.isfinite(radii) & (radii >= 0)).all():
        raise ValueError("shape_radii must be finite and >= 0")
    if not np.isfinite(vertices).all():
        raise ValueError("vertices must be finite")
    rings = np.diff(shape_starts)
    if ((rings < 1) | ((rings > 1) & (kinds != SHAPE_KINDS.index("polygon")))).any():
        raise ValueError("a shape must have one ring, or one and its holes if it is a polygon")
    kind_of_ring, sizes = np.repeat(kinds, rings), np.diff(ring_starts)
    fewest, most = np.array(RING_SIZES).T
    if ((sizes < fewest[kind_of_ring]) | (sizes > most[kind_of_ring])).any():
        raise ValueError("a ring must have as many vertices as its kind of shape")


def _check_range(name: str, values: NDArray[np.int64], end: int) -> None:
    if ((values < 0) | (values >= end)).any():
        raise ValueError(f"{name} must be >= 0 and < {end}")


def _check_starts(name: str, starts: NDArray[np.int64], end: int) -> None:
    # Neighbours are compared: their difference could overflow.
    rising = (
        len(starts) > 0
        and starts[0] == 0
        and starts[-1] == end
        and (starts[1:] >= starts[:-1]).all()
    )
    if not rising:
        raise ValueError(f"{name} must rise from 0 to {end}")
