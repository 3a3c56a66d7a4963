"""Which shapes the bodies of a trajectory have, and in which of its frames."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyphys2d import Body, Capsule, Chain, Circle, Polygon, Segment, Shape

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ShapeKind:
    """How files hold a kind of shape: as rings of at least and at most so many vertices."""

    make: type[Shape]
    fewest: int
    most: int
    rings: Callable[[Any], list[Any]]
    radius: bool = False  # whether it has one; else 0


# New ones at the end: files number them.
SHAPES = {
    "circle": ShapeKind(Circle, 1, 1, lambda shape: [[shape.center]], radius=True),
    "polygon": ShapeKind(
        Polygon, 3, sys.maxsize, lambda shape: [shape.vertices, *shape.holes], radius=True
    ),
    "capsule": ShapeKind(Capsule, 2, 2, lambda shape: [[shape.p, shape.q]], radius=True),
    "segment": ShapeKind(Segment, 2, 2, lambda shape: [[shape.p, shape.q]]),
    "chain": ShapeKind(Chain, 2, sys.maxsize, lambda shape: [shape.points]),
}
SHAPE_KINDS = tuple(SHAPES)


@dataclass(slots=True)
class Shapes:
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

    def take(self, other: Shapes, wanted: set[int] | None = None) -> dict[int, int]:
        """Those of another (or some of them) that are not here yet; numbers here by those there."""
        known = {self._key(k): k for k in range(len(self.kinds))}
        numbers = {}
        for k in range(len(other.kinds)) if wanted is None else sorted(wanted):
            key = other._key(k)
            if key not in known:
                known[key] = len(self.kinds)
                self.kinds.append(other.kinds[k])
                self.radii.append(other.radii[k])
                self.loops.append(other.loops[k])
                for ring in other.rings[other.ring_starts[k] : other.ring_starts[k + 1]]:
                    self.rings.append(ring)
                    self.vertex_starts.append(self.vertex_starts[-1] + len(ring))
                self.ring_starts.append(len(self.rings))
            numbers[k] = known[key]
        return numbers

    def _key(self, k: int) -> tuple[Any, ...]:
        rings = self.rings[self.ring_starts[k] : self.ring_starts[k + 1]]
        return self.kinds[k], self.radii[k], self.loops[k], *(ring.tobytes() for ring in rings)


def describe(shape: Shape) -> tuple[str, list[Array], float, bool]:
    """A shape as ``(kind, rings, radius, loop)``, the way files hold it.

    A circle is one ring of its centre, a capsule or segment one of its two ends, a chain one of its
    points, a polygon its outer ring and one ring per hole. ``loop`` is true for closed chains only.
    """
    for name, kind in SHAPES.items():
        if isinstance(shape, kind.make):
            rings = [np.array(ring, float) for ring in kind.rings(shape)]
            radius = shape.radius if kind.radius else 0.0  # type: ignore[attr-defined]
            return name, rings, radius, bool(getattr(shape, "loop", False))
    raise TypeError(f"no description of {type(shape).__name__}")


@dataclass(slots=True)
class Drawn:
    """What a picture of a run moves: the columns, and behind them what goes along with one for some
    frames alone, with shapes that its body has in these."""

    number: NDArray[np.intp]  # of each collider: which of these it is drawn with
    columns: NDArray[np.intp]  # with which each goes along
    frames: NDArray[np.int64]  # the first in which it is there, and the one after the last
    bodies: int

    def rows(self, array: NDArray[Any], frame: int) -> NDArray[Any]:
        """Of numbers by column those of what is drawn in a frame; NaN: it is not there."""
        if len(self.columns) == self.bodies:
            return array
        result = array[self.columns]
        result[(frame < self.frames[:, 0]) | (frame >= self.frames[:, 1])] = np.nan
        return result


@dataclass(slots=True)
class Colliders:
    """Rows of column, shape and whether it is a sensor.

    A collider that is given another shape, or becomes a sensor, is another row from then on.
    """

    shapes: Shapes = field(default_factory=Shapes)
    rows: list[tuple[int, int, bool]] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)  # an end of -1: still there
    there: dict[int, dict[Any, int]] = field(default_factory=dict)
    """By column the rows that are there, by id of the collider; of blocks of a file, by the number
    of the shape, whether it is a sensor, and of how many equal ones come before."""

    @classmethod
    def of_arrays(cls, data: dict[str, NDArray[Any]]) -> Colliders:
        """Those of a file."""
        starts = data["ring_vertex_starts"].tolist()
        shapes = Shapes(
            {},
            data["shape_kinds"].tolist(),
            data["shape_radii"].tolist(),
            data["shape_loops"].tolist(),
            data["shape_ring_starts"].tolist(),
            starts,
            [data["vertices"][a:b] for a, b in itertools.pairwise(starts)],
        )
        sensors = data.get("collider_sensors", np.zeros(len(data["colliders"]), bool))
        rows = list(zip(*data["colliders"].T.tolist(), sensors.tolist(), strict=True))
        spans, frames = [(0, -1)] * len(rows), len(data["times"])
        if "collider_frames" in data:
            distinct, which = np.unique(data["collider_frames"], axis=0, return_inverse=True)
            known = [(a, -1 if b == frames else b) for a, b in distinct.tolist()]  # most are alike
            spans = [known[k] for k in which.ravel().tolist()]
        return cls(shapes, rows, spans)

    def dress(self, body: Body, column: int, frame: int) -> None:
        """Note which shapes and sensors a body has from a frame on."""
        known = column in self.there
        there = self.there.setdefault(column, {})
        rows = {c.id: (column, self.shapes.add(c.shape), c.sensor) for c in body.colliders}
        for id, k in list(there.items()):
            if rows.get(id) != self.rows[k]:
                self.spans[k] = self.spans[k][0], frame
                del there[id]
        for id, row in rows.items():
            if id not in there:
                there[id] = len(self.rows)
                self.rows.append(row)
                self.spans.append((frame if known else 0, -1))

    def select(self, number: dict[int, int], frames: NDArray[np.intp]) -> Colliders:
        """Those of some columns, which get other numbers, as they are in some frames."""
        spans = {
            k: span
            for k, (column, _, _) in enumerate(self.rows)
            if column in number and (span := _span_among(self.spans[k], frames)) is not None
        }
        mine = [self.rows[k] for k in spans]
        part = Colliders()
        numbers = part.shapes.take(self.shapes, {shape for _, shape, _ in mine})
        part.rows = [(number[column], numbers[shape], sensor) for column, shape, sensor in mine]
        part.spans = list(spans.values())
        places = {k: i for i, k in enumerate(spans)}
        part.there = {
            number[c]: {id: places[k] for id, k in there.items() if k in places}
            for c, there in self.there.items()
            if c in number
        }
        return part

    def add_block(self, part: Colliders, columns: list[int], frame: int, end: int) -> None:
        """Go on with those of a block of a file, which has the frames from `frame` to `end`."""
        numbers = self.shapes.take(part.shapes)
        before = {column: self.there.get(column) for column in columns}
        self.there.update((column, {}) for column in columns)
        counts: dict[tuple[int, int, bool], int] = {}
        for row, (first, past) in zip(part.rows, part.spans, strict=True):
            own, shape, sensor = row
            column = columns[own]
            known = before[column]
            count = counts[row] = counts.get(row, -1) + 1
            key = numbers[shape], sensor, count
            at = known.get(key) if known and first == 0 else None
            if at is None:
                at = len(self.rows)
                self.rows.append((column, numbers[shape], sensor))
                self.spans.append((0 if known is None and first == 0 else frame + first, 0))
            self.spans[at] = self.spans[at][0], end if past < 0 else frame + past
            if past < 0:
                self.there[column][key] = at

    def end_blocks(self, frames: int) -> None:
        """After the last block of a file of so many frames."""
        self.spans = [s if s[1] != frames else (s[0], -1) for s in self.spans]
        self.there = {}

    def frames(self, count: int) -> NDArray[np.int64]:
        """The first of so many frames, and the one after the last, shape (colliders, 2)."""
        spans = np.array(self.spans, np.int64).reshape(-1, 2)
        spans[:, 1] = np.where(spans[:, 1] < 0, count, spans[:, 1])
        return spans

    def drawn(self, bodies: int, count: int) -> Drawn:
        """What a picture of a run of so many bodies and frames moves."""
        spans = self.frames(count)
        number = np.array([row[0] for row in self.rows], np.intp)
        columns, frames = list(range(bodies)), [(0, count)] * bodies
        known: dict[tuple[int, int, int], int] = {}
        for k in np.flatnonzero((spans[:, 0] > 0) | (spans[:, 1] < count)).tolist():
            key = int(number[k]), int(spans[k, 0]), int(spans[k, 1])
            if key not in known:
                known[key] = len(columns)
                columns.append(key[0])
                frames.append(key[1:])
            number[k] = known[key]
        return Drawn(
            number, np.array(columns, np.intp), np.array(frames, np.int64).reshape(-1, 2), bodies
        )


def _span_among(span: tuple[int, int], frames: NDArray[np.intp]) -> tuple[int, int] | None:
    """Frames of a collider as numbers of some frames, which rise or fall; None: it is in none."""
    first, end = span
    inside = np.flatnonzero((frames >= first) & ((frames < end) | (end < 0)))
    if not len(inside):
        return (len(frames), -1) if end < 0 else None
    begin, past = int(inside[0]), int(inside[-1]) + 1
    return begin, -1 if end < 0 and past == len(frames) else past
