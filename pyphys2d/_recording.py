"""Recording: from the steps of a world to the frames of a trajectory.

A `Writer` owns the arrays that steps write frames into (csrc/python/recorder.c), knows which body
is in which slot of them, and makes arrays by frame and column of it. `record` is `World.record`.
"""

from __future__ import annotations

import contextlib
import math
import operator
import os
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyphys2d import _core, _tables
from pyphys2d._arguments import number

if TYPE_CHECKING:
    from pyphys2d import World
    from pyphys2d.trajectory import Trajectory

Array = NDArray[np.float64]

HEAD = 4  # numbers before those of the slots: time, count of steps, gravity
FIRST_ARENA = 2**13  # numbers at least, and FIRST_FRAMES; each has twice as many as the one before
LAST_ARENA = 2**20  # up to
FIRST_FRAMES = 32
TOUCHED = 2**16  # numbers from which on touching memory is worth a thread
TABLE_HEAD = 3  # numbers before a table of contacts or joints: which, of what frame, rows
LONGEST_STEP = 1.0  # seconds, as of World.step
FEWEST_FRAMES = 10  # of a run that is told less than one a second
ROOM_TO_SPARE = 64  # numbers of a frame's tables more than the last one has
ROOM, FRAME, EVENTS = 1, 2, 4  # of _Recorder.due
EVENT_TABLES = (
    "contact_begin",
    "contact_end",
    "contact_hit",
    "sensor_begin",
    "sensor_end",
    "joint_break",
    "sleep",
    "wake",
)


@dataclass(slots=True)
class Layout:
    """Which body is in which slot, for some frames in a row."""

    rows: NDArray[np.void]  # of _Recorder.start
    columns: NDArray[np.int32]  # by slot; -1: no body
    same: bool = field(init=False)  # each slot is its own column

    def __post_init__(self) -> None:
        self.same = bool((self.columns == np.arange(len(self.columns))).all())

    def column_of(self, slots: NDArray[np.int32]) -> NDArray[np.int32]:
        """Columns of slots; -1 stays -1."""
        return np.where(slots >= 0, self.columns[slots], -1).astype(np.int32)


@dataclass(slots=True)
class Segment:
    """Frames of one layout, one after the other."""

    layout: Layout
    numbers: Array  # (frames, numbers of a frame)

    def __len__(self) -> int:
        return len(self.numbers)

    def block(self, first: int, width: int) -> Array:
        """Of all frames, ``width`` numbers for each slot that follow ``first`` for each."""
        n = len(self.layout.rows)
        part = self.numbers[:, HEAD + first * n : HEAD + (first + width) * n]
        return part.reshape(len(part), n, width) if width > 1 else part

    def awake(self) -> NDArray[np.bool_]:
        n = len(self.layout.rows)
        return self.numbers[:, HEAD + 6 * n :].view(np.uint8)[:, :n].astype(bool)


@dataclass
class Extras:
    """What some frames have beside poses; tables by the number of the frame."""

    contacts: list[tuple[int, NDArray[np.void]]] = field(default_factory=list)
    joints: list[tuple[int, NDArray[np.void]]] = field(default_factory=list)
    events: dict[str, list[NDArray[np.void]]] = field(default_factory=dict)

    def count(self) -> int:
        """Changes with whatever is added."""
        return sum(map(len, (self.contacts, self.joints, *self.events.values())))  # type: ignore[arg-type]


class Writer:
    """Frames in memory, and the recorder that writes them.

    Parameters
    ----------
    meet : callable
        Called as ``meet(world, rows)`` when bodies came, went or changed; gives the column of each
        slot.
    full : callable, optional
        Called when the array is full, or the period is over: may take the segments and `drop` them.
    """

    def __init__(
        self,
        meet: Callable[[World, NDArray[np.void]], NDArray[np.int32]],
        *,
        every: int = 1,
        contacts: bool = False,
        events: bool = False,
        joints: bool = False,
        period: float = 0.0,
        full: Callable[[], object] | None = None,
    ) -> None:
        self.meet, self.full = meet, full
        self.contacts, self.joints, self.events = contacts, joints, events
        itself = weakref.WeakMethod(self.attend)

        def attend(world: World) -> None:
            method = itself()
            if method is not None:
                method(world)

        self.recorder = _core._Recorder(attend, every, contacts, joints, events, period)
        self.segments: list[Segment] = []
        self.extras = Extras()
        self.before = 0  # frames of the segments
        self.layout: Layout | None = None
        self.arena: Array = np.empty(0)
        self.begin = 0  # where the open segment does
        self.dropped, self.dropped_step = False, -1
        self.rows: Array = np.empty(0)  # of contacts and joints, as steps write them
        self.drained = 0  # of them, up to where they are among the extras
        self.next: dict[str, tuple[int, Future[Array]]] = {}  # of a process, each
        self.first_step = 0

    # ------------------------------------------------------------------------------------- frames
    def __len__(self) -> int:
        return self.before + self.open_frames()

    def open_frames(self) -> int:
        """Frames behind the last segment."""
        size = self.recorder.frame_size
        return (self.recorder.used - self.begin) // size if size else 0

    def last_step(self) -> int:
        """Count of steps at the last frame; -1 without one in memory."""
        segments = self.all_segments()
        return int(segments[-1].numbers[-1, 1]) if segments else self.dropped_step

    def take(self, world: World) -> None:
        """A frame of the world as it is."""
        while not self.recorder.take(world):
            self.make_room(world)
        if self.contacts or self.joints:
            self.read_extras(world)

    def attend(self, world: World) -> None:
        """What the recorder asks for between steps."""
        due = self.recorder.due
        if due & FRAME:
            self.read_extras(world, full=True)
        if due & EVENTS:
            self.read_events(world)
        if due & ROOM:
            self.close_segment()
            if self.full is not None:
                self.full()
            self.make_room(world)

    def close_segment(self) -> None:
        """The frames written since the last layout become a segment."""
        self.drain()
        open_segment = self.open_segment()
        if open_segment is not None:
            self.segments.append(open_segment)
            self.before += len(open_segment)
            self.begin += open_segment.numbers.size

    def open_segment(self) -> Segment | None:
        count, size = self.open_frames(), self.recorder.frame_size
        if not count or self.layout is None:
            return None
        numbers = self.arena[self.begin : self.begin + count * size].reshape(count, size)
        return Segment(self.layout, numbers)

    def all_segments(self) -> list[Segment]:
        """Of all frames until now."""
        open_segment = self.open_segment()
        return [*self.segments, *([] if open_segment is None else [open_segment])]

    def make_room(self, world: World) -> None:
        """For another frame, of the bodies that are there now."""
        self.close_segment()
        if self.dropped:
            self.begin, self.drained, self.dropped = 0, 0, False
            self.recorder.keep(world, self.rows, 0)
        rows = self.recorder.start(world, self.arena, self.begin)
        if self.layout is None or not _equal(rows, self.layout.rows):
            self.layout = Layout(rows, self.meet(world, rows))
        if len(self.arena) - self.begin < self.recorder.frame_size:
            self.arena, self.begin = self.new_arena(self.recorder.frame_size), 0
            self.recorder.start(world, self.arena, self.begin)

    def new_arena(self, frame: int) -> Array:
        """Room for a few frames at least.

        The first touch of memory takes several times what writing a frame does, so large arrays
        are touched by a thread of their own, while steps fill the one before.
        """
        ready = self.touched("frames")
        if FIRST_FRAMES * frame >= TOUCHED:
            self.touch("frames", max(LAST_ARENA, 8 * frame))
        if ready is not None and len(ready) >= frame:
            return ready
        if not len(self.arena):
            return np.full(max(FIRST_ARENA, FIRST_FRAMES * frame), 0.0)
        return np.full(max(min(2 * len(self.arena), LAST_ARENA), 8 * frame), 0.0)

    def touch(self, what: str, size: int) -> None:
        """Begin to make an array of so many numbers."""
        process = os.getpid()
        with contextlib.suppress(RuntimeError):  # there are no threads, or no more
            self.next[what] = process, _toucher_of(process).submit(np.full, size, 0.0)

    def touched(self, what: str) -> Array | None:
        """The array that `touch` began, if in this process: threads do not survive a fork."""
        begun = self.next.pop(what, None)
        return begun[1].result() if begun is not None and begun[0] == os.getpid() else None

    def drop(self) -> None:
        """Forget the frames, which were written elsewhere; the arena can be used again."""
        self.dropped_step = self.last_step()
        self.segments.clear()
        self.extras = Extras()
        self.drained = self.recorder.rows_used
        self.before, self.begin, self.dropped = 0, self.recorder.used, True

    # ------------------------------------------------------------------------------------- extras
    def read_extras(self, world: World, full: bool = False) -> None:
        """Of the last frame, which no step has kept; later ones get room, where it is full."""
        self.drain()
        frame, size = len(self) - 1, 0
        if self.contacts:
            self.extras.contacts.append((frame, self.by_column(world.contacts)))
            size += self.extras.contacts[-1][1].nbytes
        if self.joints:
            state = world.joint_state
            if len(state):
                self.extras.joints.append((frame, self.by_column(state)))
                size += state.nbytes
        if full or len(self.rows) - self.drained < size // 8 + ROOM_TO_SPARE:
            self.rows, self.drained = self.new_rows(size // 8 + ROOM_TO_SPARE), 0
            self.recorder.keep(world, self.rows, 0)

    def new_rows(self, frame: int) -> Array:
        """Room for a few frames' contacts and joints, as `new_arena` for frames."""
        ready = self.touched("rows")
        if FIRST_FRAMES * frame >= TOUCHED:
            self.touch("rows", max(LAST_ARENA, 8 * frame))
        if ready is not None and len(ready) >= 2 * frame:
            return ready
        return np.full(min(FIRST_FRAMES * frame, max(LAST_ARENA, 8 * frame)), 0.0)

    def drain(self) -> None:
        """Put the contacts and joints that steps have written since the last time to the others."""
        at, end, size = self.drained, self.recorder.rows_used, self.recorder.frame_size
        while at < end:
            kind, used, count = self.rows[at : at + TABLE_HEAD].view(np.int64).tolist()
            dtype = _table_types()[kind]
            at += TABLE_HEAD
            table = self.rows[at : at + count * dtype.itemsize // 8].view(dtype)
            at += count * dtype.itemsize // 8
            frame = self.before + (used - self.begin) // size - 1
            kept = self.extras.joints if kind else self.extras.contacts
            kept.append((frame, self.by_column(table)))
        self.drained = end

    def by_column(self, table: NDArray[np.void]) -> NDArray[np.void]:
        if self.layout is not None and not self.layout.same:
            for name in ("body_a", "body_b"):
                table[name] = self.layout.column_of(table[name])
        return table

    def read_events(self, world: World) -> None:
        events = world.events
        for name in EVENT_TABLES:
            table = getattr(events, name)
            table = table[table["step"] >= self.first_step]  # the first step is number 0
            if len(table):
                self.extras.events.setdefault(name, []).append(table)


def _equal(rows: NDArray[np.void], others: NDArray[np.void]) -> bool:
    """Byte by byte."""
    return rows is others or rows.tobytes() == others.tobytes()


@cache
def _table_types() -> tuple[np.dtype[Any], np.dtype[Any]]:
    world = _core.World()
    return world.contacts.dtype, world.joint_state.dtype


@cache
def _toucher_of(process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, f"pyphys2d-{process}")


# ------------------------------------------------------------------------------------ arrays
def arrays_of(segments: list[Segment], bodies: int) -> dict[str, Any]:
    """Arrays by frame and column of what is in segments."""
    result = empty(sum(map(len, segments)), bodies)
    at = 0
    for segment in segments:
        _put(result, at, segment)
        at += len(segment)
    return result


def empty(frames: int, bodies: int) -> dict[str, Any]:
    """Arrays of frames in which no body lives."""

    def nan(*shape: int) -> Array:
        return np.full(shape, np.nan)

    return {
        "times": nan(frames),
        "steps": np.zeros(frames, np.int64),
        "positions": nan(frames, bodies, 2),
        "angles": nan(frames, bodies),
        "velocities": nan(frames, bodies, 2),
        "angular_velocities": nan(frames, bodies),
        "awake": np.zeros((frames, bodies), bool),
        "kinetic_energy": np.zeros(frames),
        "potential_energy": np.zeros(frames),
        "momentum": np.zeros((frames, 2)),
        "angular_momentum": np.zeros(frames),
    }


def _put(result: dict[str, Any], at: int, segment: Segment) -> None:
    rows = slice(at, at + len(segment))
    slots = np.flatnonzero(segment.layout.columns >= 0)
    columns = segment.layout.columns[slots]
    result["times"][rows] = segment.numbers[:, 0]
    result["steps"][rows] = segment.numbers[:, 1].astype(np.int64)
    position, velocity = segment.block(0, 2)[:, slots], segment.block(3, 2)[:, slots]
    angle, spin = segment.block(2, 1)[:, slots], segment.block(5, 1)[:, slots]
    result["positions"][rows, columns] = position
    result["angles"][rows, columns] = angle
    result["velocities"][rows, columns] = velocity
    result["angular_velocities"][rows, columns] = spin
    result["awake"][rows, columns] = segment.awake()[:, slots]
    # Of what moves: others have no mass.
    layout = segment.layout.rows[slots]
    mass, inertia, (cx, cy) = layout["mass"], layout["inertia"], layout["center"].T
    with np.errstate(over="ignore", invalid="ignore"):
        cos, sin = np.cos(angle), np.sin(angle)
        x = position[..., 0] + cos * cx - sin * cy
        y = position[..., 1] + sin * cx + cos * cy
        vx, vy = velocity[..., 0], velocity[..., 1]
        heavy = mass > 0
        vx, vy, spin = (np.where(heavy, v, 0.0) for v in (vx, vy, spin))
        result["kinetic_energy"][rows] = 0.5 * (
            (mass * (vx * vx + vy * vy)).sum(axis=1) + (inertia * spin * spin).sum(axis=1)
        )
        weight = np.where(heavy, mass * layout["gravity_scale"], 0.0)
        gravity = segment.numbers[:, 2:4]
        result["potential_energy"][rows] = -(
            gravity[:, 0] * (weight * x).sum(axis=1) + gravity[:, 1] * (weight * y).sum(axis=1)
        )
        result["momentum"][rows, 0] = (mass * vx).sum(axis=1)
        result["momentum"][rows, 1] = (mass * vy).sum(axis=1)
        result["angular_momentum"][rows] = (mass * (x * vy - y * vx) + inertia * spin).sum(axis=1)


def ragged(
    tables: list[tuple[int, NDArray[np.void]]], frames: int, dtype: np.dtype[Any]
) -> tuple[NDArray[np.int64], NDArray[np.void]]:
    """Offsets (frames + 1,) and one table of those of the frames."""
    counts = np.zeros(frames, np.int64)
    kept = []
    for frame, table in tables:
        if 0 <= frame < frames and not counts[frame]:
            counts[frame] = len(table)
            kept.append(table)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return offsets, _tables.join(kept) if kept else np.zeros(0, dtype)


# ------------------------------------------------------------------------------------ World.record
class Recording:
    """A recording of a world, made by `World.record`; a context manager that gives a `Trajectory`.

    Attributes
    ----------
    trajectory : Trajectory
        What has been recorded so far.
    """

    def __init__(self, world: World, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self._world: World | None = world
        self._running = False

    def __enter__(self) -> Trajectory:
        """Take the first frame; from now on, steps add theirs."""
        if self._world is None or self._running:
            raise RuntimeError("a recording runs once: call world.record() again")
        self.trajectory._begin(self._world)
        self._running = True
        return self.trajectory

    def __exit__(self, *args: object) -> None:
        """Take the last frame."""
        world, self._world = self._world, None
        if world is not None and self._running:
            self._running = False
            self.trajectory._end(world)

    def __repr__(self) -> str:
        state = "running" if self._running else "over" if self._world is None else "not begun"
        frames = len(self.trajectory)
        return f"<Recording of {frames} frame{'' if frames == 1 else 's'}, {state}>"


def record(
    world: World,
    every: int = 1,
    contacts: bool = False,
    events: bool = False,
    *,
    joints: bool = True,
    path: str | os.PathLike[str] | None = None,
    flush: float = 1.0,
    name: str = "",
) -> Recording:
    """What `World.record` does; see there."""
    from pyphys2d.trajectory import Trajectory

    if isinstance(every, str | os.PathLike):
        raise TypeError(f"every: must be an integer, got {every!r}; a file is path={every!r}")
    steps = operator.index(every)
    if not 1 <= steps < 2**63:
        raise ValueError(f"every: must be >= 1, got {every}")
    seconds = number(flush, "flush", least=0)
    if not isinstance(name, str):
        raise TypeError(f"name: must be a str, got {type(name).__name__}")
    trajectory = Trajectory(name)
    trajectory._prepare(
        every=steps,
        contacts=bool(contacts),
        events=bool(events),
        joints=bool(joints),
        path=path,
        period=seconds if path is not None else 0.0,
    )
    return Recording(world, trajectory)


def simulate(
    world: World,
    seconds: float,
    fps: float = 60.0,
    *,
    dt: float | None = None,
    contacts: bool = False,
    events: bool = False,
    joints: bool = True,
    path: str | os.PathLike[str] | None = None,
    name: str = "",
) -> Trajectory:
    """Step a world for some time and keep what happened.

    Parameters
    ----------
    world : World
    seconds : float
        How long; a whole number of frames, at least one.
    fps : float
        Frames per second.
    dt : float, optional
        Seconds per step at most; by default 1/60. Each frame is as many equal steps as it takes.
    contacts, events, joints, path, name
        As for `World.record`.

    Returns
    -------
    Trajectory
        Its first frame is the state before.

    Raises
    ------
    ValueError
        For a number that is not finite and > 0, for `dt` above 1, and for `fps` below 1 where
        that makes fewer than ten frames.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> world = p2.World()
    >>> ball = world.add_body(p2.Circle(0.5), (0, 5))
    >>> p2.simulate(world, 0.5, fps=30).positions.shape
    (16, 1, 2)
    """
    if not isinstance(world, _core.World):
        raise TypeError(f"world: must be a World, got {type(world).__name__}")
    longest = 1 / 60 if dt is None else dt
    length, rate, longest = (
        number(value, what, above=0)
        for what, value in (("seconds", seconds), ("fps", fps), ("dt", longest))
    )
    share, length = rate * longest, length * rate
    if not share > 2.0**-31:
        raise ValueError(f"fps, dt: must make at most 2**31 steps a frame, got {fps} and {longest}")
    if not length < 2.0**53:
        raise ValueError(f"seconds, fps: must make under 2**53 frames, got {seconds} and {fps}")
    if longest > LONGEST_STEP:
        raise ValueError(
            f"dt: seconds per step, must be <= {LONGEST_STEP:g}, got {longest:g}; frames per "
            f"second are fps={longest:g}"
        )
    if rate < 1 and length < FEWEST_FRAMES:  # a dt, most likely
        raise ValueError(
            f"fps: below 1, must give at least {FEWEST_FRAMES} frames in {seconds:g} s, got "
            f"{fps:g}, frames of {1 / rate:g} s; a number of seconds per step is dt={fps:g}"
        )
    steps = max(1, math.ceil(1 / share - 1e-9))
    frames = max(1, round(length))
    recording = record(world, steps, contacts, events, joints=joints, path=path, name=name)
    with recording as trajectory:
        world.step(1 / (rate * steps), n=frames * steps)
    return trajectory
