"""Replaying call logs: `replay`. The file is described in _call_format.py."""

from __future__ import annotations

import contextlib
import operator
import os
import types
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from pyphys2d import _core
from pyphys2d._call_format import (
    BLOCK,
    CHECK,
    COUNT,
    END,
    FILTERED,
    HASHED,
    HEAD_SIZE,
    HOOKED,
    LENGTH,
    MAGIC,
    METHODS,
    OUTCOME,
    PULL,
    REAL,
    UNLOGGED,
    VERDICT,
    VERSION,
    CallLogError,
    Reader,
)
from pyphys2d._core import SnapshotError, World
from pyphys2d._files import open_regular
from pyphys2d._snapshot import HANDLES, _drop_strangers


@dataclass(slots=True)
class Difference:
    """Where a replay went another way.

    Attributes
    ----------
    step : int
        Number of the step, counted from 1 in the log; for a call, of the step before it.
    what : str
    at : int
        Number of the step behind which states were compared; -1: the log has none from there on.
    diff : Diff
        What differs there, as `World.diff` tells it: (path, recorded, replayed).
    """

    step: int
    what: str
    at: int = -1
    diff: Any = field(default_factory=list)

    def __str__(self) -> str:
        text = f"step {self.step}: {self.what}"
        if self.at >= 0:
            text += f"\nbehind step {self.at}, recorded and replayed:\n{self.diff}"
        return text


@dataclass(slots=True)
class Replay:
    """What came of the replay of a call log.

    Attributes
    ----------
    path : str
    steps, calls, writes : int
        How many were repeated; writes: of rows to a live array.
    complete : bool
        Whether the log was closed; else it ends in the middle of the run, as that of a process that
        was killed does.
    difference : Difference or None
        The first; None when all hashes and results are the same.
    version : str
        Of the library that wrote the log.
    world : World
        As the replay left it.
    """

    path: str
    steps: int = 0
    calls: int = 0
    writes: int = 0
    complete: bool = False
    difference: Difference | None = None
    version: str = ""
    world: Any = None

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return self.difference is None

    def __str__(self) -> str:
        end = "" if self.complete else "; the log was not closed"
        text = f"{self.path}: {self.steps} steps, {self.calls} calls{end}; "
        if self.difference is None:
            return text + "all the same"
        return text + f"differs\n{self.difference}"


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """The blocks behind the beginning of a file, up to its end or to one that is cut off."""
    size = os.fstat(file.fileno()).st_size
    check = number = 0
    while True:
        head = file.read(HEAD_SIZE)
        if len(head) < HEAD_SIZE:
            return
        length, body = BLOCK.unpack(head[: BLOCK.size])
        if zlib.crc32(head[: BLOCK.size], check) != CHECK.unpack(head[BLOCK.size :])[0]:
            raise CallLogError(f"the call log is damaged: the head of block {number}")
        if length > size - file.tell():
            return
        payload = file.read(length)
        check = zlib.crc32(payload, check)
        if len(payload) != length or check != body:
            raise CallLogError(f"the call log is damaged: the checksum of block {number} differs")
        yield payload
        number += 1


class _Stop(Exception):  # noqa: N818 (never leaves this module)
    """The replay cannot go on."""


class _Player:
    def __init__(self, path: str, workers: int, on_step: Callable[[World], object] | None) -> None:
        self.result = Replay(path)
        self.workers, self.on_step = workers, on_step
        self.world: Any = None
        self.outcomes: list[tuple[int, np.ndarray[Any, Any]]] = []
        self.filtered = False  # the step at hand
        self.pulls: list[tuple[list[int], np.ndarray[Any, Any]]] = []
        self.verdicts: dict[int, bool] = {}  # by the numbers of two colliders, the last

    def differ(self, what: str) -> None:
        if self.result.difference is None:
            self.result.difference = Difference(self.result.steps, what)

    def play(self, data: bytes) -> None:
        reader = Reader(data)
        while reader:
            self.play_one(reader)

    def play_one(self, reader: Reader) -> None:
        kind = reader.bytes(1)
        if (self.world is None) != (kind == b"B"):
            raise CallLogError("the call log is damaged: it must begin with a state, once")
        match kind:
            case b"B":
                self.begin(reader)
            case b"S":
                self.step(reader)
            case b"C":
                self.call(reader)
            case b"W":
                self.write(reader)
            case b"P":
                self.outcome(reader)
            case b"F":
                self.verdict(reader)
            case b"K":
                self.pull(reader)
            case b"X":
                self.state(reader)
            case b"L":
                self.differ(f"{reader.text()}: an argument was not kept: {reader.text()}")
                raise _Stop
            case b"E":
                raise _Stop
            case _:
                raise CallLogError(f"the call log is damaged: no record begins with {kind!r}")

    def begin(self, reader: Reader) -> None:
        version = reader.number(COUNT)
        if version != VERSION:
            raise CallLogError(
                f"the call log is of version {version}; this library reads version {VERSION}"
            )
        state = self.state_of(reader)
        floor, self.result.version = self.value(reader), self.value(reader)
        if not isinstance(self.result.version, str) or not (
            isinstance(floor, int) and 0 <= floor < 2**31
        ):
            raise CallLogError("the call log is damaged: its beginning")
        self.world = self.result.world = _made(*state, self.workers, floor)

    def value(self, reader: Reader) -> Any:
        try:
            return reader.value(self.world)
        except CallLogError:
            raise
        except _REFUSALS as error:
            raise CallLogError(f"the call log is damaged: {error!s:.200}") from error

    def state_of(self, reader: Reader) -> tuple[bytes, dict[int, str]]:
        state, names = self.value(reader), self.value(reader)
        if not isinstance(state, bytes) or not _are_names(names):
            raise CallLogError("the call log is damaged: a state")
        return state, names

    def step(self, reader: Reader) -> None:
        flags, dt = reader.bytes(1)[0], reader.number(REAL)
        wanted = reader.number(LENGTH) if flags & HASHED else None
        world, outcomes = self.world, self.outcomes
        self.outcomes = []
        self.result.steps += 1
        world.on_pre_solve = self.judge if flags & HOOKED else None
        self.filtered = bool(flags & FILTERED)
        self.left = iter(outcomes)
        pulls, self.pulls = self.pulls, []
        try:
            asked = [self.hang(*pull) for pull in pulls]
            world.step(dt)
        except _REFUSALS as error:
            self.differ(f"the step raised {type(error).__name__}: {error}")
            raise _Stop from None
        finally:
            world.on_pre_solve = None
            if pulls:
                world._drop_spring_laws()
        if not all(asked):
            self.differ("a law of springs was not called")
        if next(self.left, None) is not None:
            self.differ("the pre-solve hook was not called as often")
        got = world.hash()
        if wanted is not None and got != wanted:
            self.differ(f"hash {wanted:016x} was recorded, {got:016x} came of the replay")
        if self.on_step is not None and self.result.difference is None:
            self.on_step(world)

    def judge(self, contacts: np.ndarray[Any, Any]) -> None:
        """The pre-solve hook of the replay."""
        outcome = next(self.left, None)
        if outcome is None or outcome[0] != len(contacts):
            count = "no call" if outcome is None else f"{outcome[0]} contacts"
            self.differ(f"the pre-solve hook got {len(contacts)} contacts, {count} recorded")
            return
        rows = outcome[1]["row"]
        for k, name in enumerate(("friction", "restitution", "tangent_speed")):
            contacts[name][rows] = outcome[1]["numbers"][:, k]
        contacts["enabled"][rows] = outcome[1]["enabled"]

    def outcome(self, reader: Reader) -> None:
        count, changed = reader.number(COUNT), reader.count(OUTCOME.itemsize)
        rows = np.frombuffer(reader.bytes(changed * OUTCOME.itemsize), OUTCOME)
        if len(rows) and rows["row"].max() >= count:
            raise CallLogError("the call log is damaged: rows of a hook")
        self.outcomes.append((count, rows))

    def verdict(self, reader: Reader) -> None:
        rows = np.frombuffer(
            reader.bytes(reader.count(VERDICT.itemsize) * VERDICT.itemsize), VERDICT
        )
        pairs = rows["pair"].astype(np.int64)
        keys = pairs[:, 0] << 32 | pairs[:, 1]
        self.verdicts.update(zip(keys.tolist(), (rows["allowed"] != 0).tolist(), strict=True))
        if self.world.pair_filter is None:
            self.world._set_pair_filter(self.sift)

    def sift(self, pairs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The pair filter of the replay, from the first answer in the log on."""
        if not self.filtered:
            return np.ones(len(pairs), bool)
        keys = pairs["collider_a"].astype(np.int64) << 32 | pairs["collider_b"]
        found = [self.verdicts.get(key) for key in keys.tolist()]
        if None in found:
            k = found.index(None)
            a, b = int(pairs["collider_a"][k]), int(pairs["collider_b"][k])
            self.differ(f"the pair filter was asked about colliders {a} and {b}, not so recorded")
        return np.array([answer is not False for answer in found])

    def pull(self, reader: Reader) -> None:
        rows = np.frombuffer(reader.bytes(reader.count(PULL.itemsize) * PULL.itemsize), PULL)
        if not len(rows):
            raise CallLogError("the call log is damaged: a law of springs without joints")
        self.pulls.append((rows["joint"].tolist(), rows["force"].astype("=f8")))

    def hang(self, joints: list[int], forces: np.ndarray[Any, Any]) -> list[bool]:
        """A law that says what was recorded; the list is not empty once it was asked."""
        asked: list[bool] = []

        def law(extension: np.ndarray[Any, Any], rate: np.ndarray[Any, Any]) -> Any:
            asked.append(True)
            return forces

        try:
            pulled = [self.world.joints[k] for k in joints]
        except KeyError as error:
            raise ValueError(f"a law of springs pulls at no joint: {error}") from None
        self.world._add_spring_law(pulled, law)
        return asked

    def write(self, reader: Reader) -> None:
        array = reader.bytes(1)[0]
        if array > 5:
            raise CallLogError("the call log is damaged: a write to no live array")
        rows = np.frombuffer(reader.bytes(4 * reader.count(4)), "<u4")
        width = 2 if array in (0, 2, 4) else 1  # positions, velocities, forces
        numbers = np.frombuffer(reader.bytes(8 * width * len(rows)), "<f8")
        try:
            self.world._write(array, rows.astype("=u4"), numbers.astype("=f8"))
        except ValueError as error:
            self.differ(f"a write to a live array is refused: {error}")
            raise _Stop from None
        self.result.writes += 1

    def call(self, reader: Reader) -> None:
        try:
            receiver = reader.value(self.world)
            name = reader.text()
            arguments, keywords = reader.value(self.world), reader.value(self.world)
            ids = reader.ids()
        except CallLogError:
            raise
        except _REFUSALS as error:
            self.differ(f"an argument of a call cannot be made: {type(error).__name__}: {error}")
            raise _Stop from None
        good = (receiver is None or isinstance(receiver, HANDLES)) and isinstance(arguments, tuple)
        if (
            not good
            or not isinstance(keywords, dict)
            or not all(isinstance(key, str) for key in keywords)
        ):
            raise CallLogError("the call log is damaged: a call")
        self.result.calls += 1
        if self.workers and receiver is None and name == "=workers":  # asked for otherwise
            return
        try:
            result = _perform(self.world, receiver, name, arguments, keywords)
        except CallLogError:
            raise
        except _REFUSALS as error:
            self.differ(f"{name.lstrip('=')} raised {type(error).__name__}: {error}")
            raise _Stop from None
        if (got := _ids_of(result)) != ids:
            self.differ(f"{name} gave ids {got!s:.80}, {ids!s:.80} recorded")

    def state(self, reader: Reader) -> None:
        recorded = self.state_of(reader)
        difference = self.result.difference
        if difference is not None:
            difference.at = self.result.steps
            difference.diff = _made(*recorded, 1).diff(self.world)
            raise _Stop


_REFUSALS = (
    *(ValueError, TypeError, ReferenceError, AttributeError, IndexError, RuntimeError),
    *(OverflowError, _core.CapacityError),
)


def _are_names(names: Any) -> bool:
    return isinstance(names, dict) and all(
        isinstance(id, int) and 0 <= id < 2**64 and isinstance(name, str)
        for id, name in names.items()
    )


def _made(state: bytes, names: dict[int, str], workers: int, floor: int = 0) -> World:
    try:
        world = World._from_state(state, names, workers, floor)
    except SnapshotError as error:
        raise CallLogError(f"the call log is damaged: {error}") from error
    _drop_strangers(world, names)
    return world


def _perform(
    world: World, receiver: Any, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """A call, if it is one that is logged."""
    target = world if receiver is None else receiver
    if name.startswith("="):
        there = getattr(type(target), name[1:], None)
        good = isinstance(there, types.GetSetDescriptorType) and name[1:] not in UNLOGGED
        if not good or len(arguments) != 1 or keywords:
            raise CallLogError(f"the call log is damaged: no attribute {name[1:]!r:.60} is logged")
        setattr(target, name[1:], arguments[0])
        return None
    family = next(kind for kind in (World, *HANDLES) if isinstance(target, kind)).__name__
    if name not in METHODS.get(family, ()):
        raise CallLogError(f"the call log is damaged: no method {name!r:.60} is logged")
    if name == "_set_joint_frame":
        return _core._set_joint_frame(*arguments, **keywords)
    if name == "_set_state" and not (len(arguments) == 3 and _are_names(arguments[1])):
        raise CallLogError("the call log is damaged: a state")
    result = getattr(target, name)(*arguments, **keywords)
    if name == "_set_state":
        _drop_strangers(world, arguments[1])
    return result


def _ids_of(result: Any) -> list[int]:
    if isinstance(result, HANDLES):
        return [result.id]
    return [item.id for item in result] if isinstance(result, list) else []


def replay(
    path: str | os.PathLike[str],
    *,
    workers: int | None = None,
    on_step: Callable[[World], object] | None = None,
) -> Replay:
    """Repeat the run of a call log, and find the first step that differs.

    Every hash and every id that a call gave is compared. After a difference the run goes on to
    the next state in the log, to tell what differs there. A log that is not whole, as that of a
    process that was killed, is replayed up to its last whole block: ``complete`` is False.

    The whole file is checked before anything is done. Nothing in it is code.

    Parameters
    ----------
    path : path
        A file of `World.record_calls`.
    workers : int, optional
        Threads that a step may use, also where the log sets another number; by default as in the
        log.
    on_step : callable, optional
        Called with the world after every step that is as recorded. It must leave the world as it
        is.

    Returns
    -------
    Replay
        Its ``difference`` is None when all is the same; it prints well.

    Raises
    ------
    CallLogError
        For what is no call log, or a damaged one.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import os, tempfile
    >>> import pyphys2d as p2
    >>> path = os.path.join(tempfile.mkdtemp(), "run.calls")
    >>> world = p2.World()
    >>> with world.record_calls(path):
    ...     ball = world.add_body(p2.Circle(0.5), (0, 5))
    ...     world.step(n=100)
    ...     ball.velocity = (1, 0)
    ...     world.step(n=100)
    >>> again = p2.replay(path, workers=2)
    >>> again.same, again.steps, again.calls, again.world.hash() == world.hash()
    (True, 200, 2, True)
    """
    threads = 0
    if workers is not None:
        threads = operator.index(workers)
        if not 1 <= threads <= 256:
            raise ValueError(f"workers: must be from 1 to 256, got {workers}")
    player = _Player(os.fspath(path), threads, on_step)
    with _open(path) as file:
        for payload in _blocks(file):
            player.result.complete = payload == END
        file.seek(len(MAGIC))
        with contextlib.suppress(_Stop):
            for payload in _blocks(file):
                player.play(payload)
    if player.world is not None and player.world.pair_filter is not None:
        player.world._set_pair_filter(None)
    if player.world is None:
        raise CallLogError("the call log ends before its first state")
    return player.result


def _open(path: str | os.PathLike[str]) -> BinaryIO:
    try:
        file = open_regular(path)
    except ValueError as error:
        raise CallLogError(f"{os.fspath(path)!r}: {error}") from error
    if file.read(len(MAGIC)) != MAGIC:
        file.close()
        raise CallLogError(f"{os.fspath(path)!r} is no call log")
    return file
