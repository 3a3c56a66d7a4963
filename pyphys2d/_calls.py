"""Call logs: a start, and every call that changes a world, in one file that can be replayed.

A file begins with ``MAGIC``. Each block is a head (the length of what follows, its CRC-32, and that
of these two, little-endian; both checksums go on from the block before, so that blocks cannot
change places) and records:

``B``  the beginning: version, state, names, what later ids depend on, the version of the library
``C``  a call: receiver, name, arguments, and the ids of the handles that it returned
``W``  rows of a live array that NumPy wrote to, with their numbers
``P``  what a pre-solve hook did to its rows, before the ``S`` of its step
``S``  a step: dt, and the hash of the world behind it
``X``  a state, to compare one that differs with
``L``  a call whose arguments could not be kept: a replay ends there
``E``  the end, of a log that was closed: a block of its own

Values are a closed set: None, bools, numbers, strings, bytes, arrays, lists, tuples and dicts of
these, shapes and handles. Nothing in a file is code, and a call is made only if it is one of those
that are logged.
"""

from __future__ import annotations

import contextlib
import math
import operator
import os
import struct
import threading
import time
import types
import weakref
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from pyphys2d import _core
from pyphys2d._core import Shape, SnapshotError, World
from pyphys2d._files import open_regular
from pyphys2d._snapshot import HANDLES, _drop_strangers

MAGIC = b"pyphys2d call log 1\n"
VERSION = 1
BLOCK = struct.Struct("<QI")  # length, checksum; the checksum of these follows
CHECK = struct.Struct("<I")
HEAD_SIZE = BLOCK.size + CHECK.size
INT, REAL, COUNT, LENGTH = map(struct.Struct, ("<q", "<d", "<I", "<Q"))
OUTCOME = np.dtype(
    [("row", "<u4"), ("numbers", "<f8", 3), ("enabled", "u1")]
)  # friction, restitution, tangent_speed
HOOKED, HASHED = 1, 2
END = b"E"
MOST_BYTES = 2**20  # of records, before they are written
MOST_RECORDS = 4096
DEPTH = 16  # of lists in lists

# The methods that go into a log; attributes that can be set do too, but for these.
METHODS = {
    "World": frozenset(
        f"add_{what}"
        for what in (
            *("body", "bodies", "fluid", "drag", "wind", "point_gravity"),
            *(f"{kind}_joint" for kind in _core.JOINT_KINDS),
        )
    )
    | {"explode", "remove", "slice", "_set_state", "_set_joint_frame"},
    "Body": frozenset(
        (
            *("apply_force", "apply_impulse", "apply_torque", "apply_angular_impulse"),
            *("move_to", "attach", "wake", "sleep"),
        )
    ),
    "Joint": frozenset({"set_limits"}),
}
ARRAYS = ("__array__", "__array_interface__", "__iter__")
UNLOGGED = frozenset({"user_data", "on_force", "on_pre_solve"})
SHAPES = {
    shape.__name__: shape
    for shape in (
        *(_core.Circle, _core.Polygon, _core.Box, _core.RegularPolygon),
        *(_core.Capsule, _core.Segment, _core.Chain),
    )
}
HANDLE_TYPES = {
    name: kind
    for name, kind in vars(_core).items()
    if isinstance(kind, type) and issubclass(kind, HANDLES) and kind is not _core.Joint
}
DTYPES = {
    np.dtype(code).str: np.dtype(code)
    for code in (
        "?",
        *(
            f"{order}{kind}"
            for order in "<>"
            for kind in ("i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8")
        ),
        "i1",
        "u1",
    )
}


class CallLogError(ValueError):
    """Raised for what is no call log, or a damaged one."""


class _Unkept(Exception):  # noqa: N818 (never leaves this module)
    """An argument that is none of the values of a log."""


# ------------------------------------------------------------------------------------------- values
def _plain(value: Any, depth: int = DEPTH) -> Any:
    """What is logged, and taken by the call in the place of the argument."""
    if value is None or type(value) in (bool, int, float, str, bytes):
        return value
    if isinstance(value, (*HANDLES, Shape)):
        return value
    if type(value) is np.ndarray and value.dtype.str in DTYPES:
        return value
    if depth == 0:
        raise _Unkept("lists within lists")
    if type(value) in (list, tuple):
        return type(value)([_plain(item, depth - 1) for item in value])
    if type(value) is dict:
        return {_plain(key, depth - 1): _plain(item, depth - 1) for key, item in value.items()}
    return _plained(value, depth)


def _plained(value: Any, depth: int) -> Any:
    """Of arrays of other kinds, numbers of other types, and what can be iterated over."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bytearray, memoryview)):  # arrays, to NumPy
        return _plained(np.asarray(value).copy(), depth)
    try:
        if isinstance(value, np.bool_):
            return bool(value)
        if isinstance(value, np.generic) or not any(hasattr(value, name) for name in ARRAYS):
            return operator.index(value) if hasattr(value, "__index__") else float(value)
        if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
            array = np.asarray(value)
            return array if array.dtype.str in DTYPES else _plain(array.tolist(), depth - 1)
        items = [_plain(item, depth - 1) for item in value]
    except (TypeError, ValueError, OverflowError) as error:
        raise _Unkept(type(value).__name__) from error
    # Only shapes may be given by what is no sequence.
    if hasattr(value, "__getitem__") or all(isinstance(item, Shape) for item in items):
        return items
    raise TypeError(f"must be an array or a sequence, got {type(value).__name__:.100}")


def _put_text(out: bytearray, text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    out += COUNT.pack(len(data))
    out += data


def _put(out: bytearray, value: Any) -> None:
    """Append one value."""
    kind = type(value)
    if value is None:
        out += b"N"
    elif kind is bool:
        out += b"T" if value else b"F"
    elif kind is float:
        out += b"d"
        out += REAL.pack(value)
    elif kind is int:
        size = value.bit_length() // 8 + 1
        if size > 255:
            raise _Unkept("an integer so large")
        out += b"i"
        out.append(size)
        out += value.to_bytes(size, "little", signed=True)
    elif kind is str:
        out += b"s"
        _put_text(out, value)
    elif kind is bytes:
        out += b"b"
        out += LENGTH.pack(len(value))
        out += value
    elif kind in (list, tuple, dict):
        out += b"l" if kind is list else b"t" if kind is tuple else b"m"
        out += COUNT.pack(len(value))
        for item in value:
            _put(out, item)
            if kind is dict:
                _put(out, value[item])
    elif kind is np.ndarray:
        out += b"a"
        _put_text(out, value.dtype.str)
        out.append(value.ndim)
        for length in value.shape:
            out += LENGTH.pack(length)
        out += value.tobytes()
    elif isinstance(value, HANDLES):
        out += b"h"
        _put_text(out, kind.__name__)
        out += LENGTH.pack(value.id)
    else:
        make, arguments = value.__reduce__()[:2]
        if make not in SHAPES.values():
            raise _Unkept(kind.__name__)
        out += b"S"
        _put_text(out, make.__name__)
        _put(out, _plain(tuple(arguments)))


class _Reader:
    """Values of the bytes of a block. What asks for more than there is, is refused."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def __bool__(self) -> bool:
        return self.at < len(self.data)

    def bytes(self, size: int) -> bytes:
        end = self.at + size
        if end > len(self.data):
            raise CallLogError("the call log is damaged: a record ends early")
        part = self.data[self.at : end]
        self.at = end
        return part

    def number(self, kind: struct.Struct) -> Any:
        return kind.unpack(self.bytes(kind.size))[0]

    def count(self, least: int = 1) -> int:
        """A number of things that take so many bytes at least."""
        count: int = self.number(COUNT)
        if count * least > len(self.data) - self.at:
            raise CallLogError("the call log is damaged: a list is longer than its block")
        return count

    def text(self) -> str:
        try:
            return self.bytes(self.count()).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise CallLogError("the call log is damaged: a text") from error

    def ids(self) -> list[int]:
        count = self.count(8)
        return list(struct.unpack(f"<{count}Q", self.bytes(8 * count)))

    def value(self, world: Any, depth: int = DEPTH + 2) -> Any:
        kind = self.bytes(1)
        match kind:
            case b"N":
                return None
            case b"T" | b"F":
                return kind == b"T"
            case b"d":
                return self.number(REAL)
            case b"i":
                return int.from_bytes(self.bytes(self.bytes(1)[0]), "little", signed=True)
            case b"s":
                return self.text()
            case b"b":
                return self.bytes(self.number(LENGTH))
            case b"a":
                return self.array()
            case b"h":
                return _handle(world, self.text(), self.number(LENGTH))
        if depth == 0 or kind not in (b"l", b"t", b"m", b"S"):
            raise CallLogError(f"the call log is damaged: no value begins with {kind!r}")
        if kind == b"S":
            return self.shape(world, depth - 1)
        if kind == b"m":
            pairs = [
                (self.value(world, 0), self.value(world, depth - 1)) for _ in range(self.count(2))
            ]
            if not all(isinstance(key, (str, int)) for key, _ in pairs):
                raise CallLogError("the call log is damaged: the keys of a table")
            return dict(pairs)
        items = [self.value(world, depth - 1) for _ in range(self.count())]
        return items if kind == b"l" else tuple(items)

    def array(self) -> np.ndarray[Any, Any]:
        dtype = DTYPES.get(self.text())
        dimensions = [self.number(LENGTH) for _ in range(self.bytes(1)[0])]
        if dtype is None or len(dimensions) > 32 or any(n > len(self.data) for n in dimensions):
            raise CallLogError("the call log is damaged: an array")
        data = self.bytes(math.prod(dimensions) * dtype.itemsize)
        return np.frombuffer(data, dtype).reshape(dimensions)

    def shape(self, world: World, depth: int) -> Shape:
        make, arguments = SHAPES.get(self.text()), self.value(world, depth)
        if make is None or not isinstance(arguments, tuple):
            raise CallLogError("the call log is damaged: a shape")
        return make(*arguments)


def _handle(world: World, kind: str, id: int) -> Any:
    if kind not in HANDLE_TYPES:
        raise CallLogError(f"the call log is damaged: no handle is a {kind!r:.40}")
    return _core._handle(world, HANDLE_TYPES[kind], id)


# ------------------------------------------------------------------------------------------ writing
class CallLog:
    """The call log of a world, made by `World.record_calls`; a context manager, which closes it.

    A failure to write (a full disk) does not disturb the calls: the log ends there, ``error`` holds
    the exception, and `flush` and `close` raise it. A log whose world is dropped is closed, and a
    process that was forked off does not write to it.
    """

    def __init__(
        self, path: str | os.PathLike[str], flush: float, hash_every: int, state_every: int
    ) -> None:
        self.path = os.fspath(path)
        self.error: BaseException | None = None
        self._period, self._hash_every, self._state_every = flush, hash_every, state_every
        self._process = os.getpid()
        self._lock = threading.RLock()
        # Records, behind the number of those that are no longer in the list.
        self._records: list[Any] = [0]
        self._size = 0
        self._deadline = math.inf
        self._state_at = -1  # count of steps at the last state
        self._world: weakref.ref[World] | None = None
        self._file: BinaryIO | None = open(self.path, "wb", buffering=0)  # noqa: SIM115
        _write_all(self._file, MAGIC)
        # Where the next block goes, the checksum before it, the number of records before it.
        self._written = (len(MAGIC), 0, 0)

    def _start(self, world: World) -> None:
        with self._lock:
            # What a state lacks, as the islands of the last step, a replay has to find anew: this
            # world does too.
            world._set_state(*world._state())
            world._set_log(self, self._lock, self._records, self._hash_every)
            try:
                state, names, _ = world._state()
                world._written()
                out = bytearray(b"B")
                out += COUNT.pack(VERSION)
                for value in (state, names, world._floor(), _version()):
                    _put(out, value)
                self._append(bytes(out))
                self._write()
            except BaseException:
                world._set_log(None, None, None, 1)
                raise
            self._world = weakref.ref(world)

    # ----------------------------------------------------------------------------- called by worlds
    def _begin(
        self,
        world: World,
        receiver: Any,
        name: str,
        values: tuple[Any, ...],
        keywords: tuple[str, ...] | None,
    ) -> tuple[tuple[Any, ...], bytes] | None:
        """Before a call: the arguments it is to take, and its record if it succeeds."""
        if name == "step":  # which calls _before_step
            return None
        self._before_step(world)
        try:
            return self._prepare(receiver, name, values, keywords or ())
        except _Unkept as unkept:
            out = bytearray(b"L")
            _put_text(out, name)
            _put_text(out, str(unkept)[:200])
            return values, bytes(out)

    def _before_step(self, world: World) -> None:
        """Before a call or a step: what was written to live arrays; the file, when it is time."""
        size = world._written()
        if size:
            self._size += size
            self._wait()
        count = world.step_count
        if self._state_every and count % self._state_every == 0 and count != self._state_at:
            self._add_state(world, count)
        due = self._size > MOST_BYTES or len(self._records) > MOST_RECORDS
        if due or time.monotonic() >= self._deadline:
            self._write()

    def _prepare(
        self, receiver: Any, name: str, values: tuple[Any, ...], keywords: tuple[str, ...]
    ) -> tuple[tuple[Any, ...], bytes]:
        first = len(values) - len(keywords)
        if name == "_set_state":
            kept: tuple[Any, ...] = (bytes(values[0]), dict(values[1]), {})
        else:
            names = ("",) * first + keywords
            kept = values = tuple(
                value if name in UNLOGGED else _plain(value)
                for name, value in zip(names, values, strict=True)
            )
        named = dict(zip(keywords, kept[first:], strict=True))
        named.pop("user_data", None)
        out = bytearray(b"C")
        _put(out, receiver if isinstance(receiver, HANDLES) else None)
        _put_text(out, name)
        _put(out, kept[:first])
        _put(out, named)
        self._size += len(out)
        self._wait()
        return values, bytes(out)

    # -------------------------------------------------------------------------------------- writing
    def _append(self, record: bytes) -> None:
        self._records.append(record)
        self._size += len(record)
        self._wait()

    def _wait(self) -> None:
        """What is about to come is written within the period."""
        if self._deadline == math.inf:
            self._deadline = time.monotonic() + self._period

    def _add_state(self, world: World, count: int) -> None:
        out = bytearray(b"X")
        state, names, _ = world._state()
        for value in (state, names):
            _put(out, value)
        self._append(bytes(out))
        self._state_at = count

    def _write(self) -> None:
        """All records as a block. Stopped anywhere, it is done anew the next time."""
        if self._file is None or os.getpid() != self._process:
            return
        place, check, done = self._written
        records = self._records
        first = 1 + done - records[0]
        items = records[first:]
        try:
            if items:
                payload = b"".join(items)
                body = zlib.crc32(payload, check)
                head = BLOCK.pack(len(payload), body)
                data = head + CHECK.pack(zlib.crc32(head, check)) + payload
                self._file.seek(place)
                _write_all(self._file, data)
                self._written = (place + len(data), body, done + len(items))
            end = first + len(items)
            records[:end] = [records[0] + end - 1]
            self._size, self._deadline = 0, time.monotonic() + self._period
        except (OSError, MemoryError) as error:
            self.error = error
            self._release()

    def _release(self) -> None:
        """Let go of file and world."""
        file, self._file = self._file, None
        world = self._world() if self._world is not None else None
        if file is not None:
            file.close()
        if world is not None and os.getpid() == self._process:
            world._set_log(None, None, None, 1)
        del self._records[1:]

    def flush(self) -> None:
        """Give all calls so far to the system.

        Raises
        ------
        OSError
            When the file could not be written, now or earlier.
        """
        with self._lock:
            self._write()
            if self.error is not None:
                raise self.error

    def close(self) -> None:
        """End the log; a second time does nothing.

        Raises
        ------
        OSError
            When the file could not be written, now or earlier.
        """
        if os.getpid() != self._process:
            return
        with self._lock:
            if self._file is not None:
                world = self._world() if self._world is not None else None
                if self.error is None:
                    self._finish(world)
                self._release()
            error, self.error = self.error, None
            if error is not None:
                raise error

    def _finish(self, world: World | None) -> None:
        if world is not None:
            # Inside of its stages() or of its step a world has no state to be had.
            self._state_every = 0
            with contextlib.suppress(_core.WorldLockedError, ValueError):
                self._before_step(world)
                self._add_state(world, -1)
        self._write()
        self._append(END)  # a block of its own: the end of a file is seen without all before
        self._write()

    def __enter__(self) -> CallLog:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Not made whole, or of another process; and nobody is left to hear of an error.
        if getattr(self, "_file", None) is not None and os.getpid() == self._process:
            with contextlib.suppress(Exception):
                self.close()

    def __repr__(self) -> str:
        steps = "closed" if self._file is None else "open"
        return f"<CallLog {self.path!r}, {steps}>"


def _version() -> str:
    import pyphys2d

    return pyphys2d.__version__


def _write_all(file: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while len(view):
        view = view[file.write(view) :]


def record_calls(
    world: World,
    /,
    path: str | os.PathLike[str],
    *,
    flush: float = 1.0,
    hash_every: int = 1,
    state_every: int = 0,
) -> CallLog:
    """See World.record_calls."""
    seconds = float(flush)
    if not seconds >= 0:
        raise ValueError(f"flush: must be >= 0, got {flush}")
    every, states = operator.index(hash_every), operator.index(state_every)
    for name, value, least in (("hash_every", every, 1), ("state_every", states, 0)):
        if not least <= value < 2**63:
            raise ValueError(f"{name}: must be >= {least} and < 2**63, got {value}")
    if world._has_log():
        raise ValueError("the world has a call log already; close it first")
    log = CallLog(path, seconds, every, states)
    try:
        log._start(world)
    except BaseException:
        log._release()
        raise
    return log


# ------------------------------------------------------------------------------------------ reading
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

    def differ(self, what: str) -> None:
        if self.result.difference is None:
            self.result.difference = Difference(self.result.steps, what)

    def play(self, data: bytes) -> None:
        reader = _Reader(data)
        while reader:
            self.play_one(reader)

    def play_one(self, reader: _Reader) -> None:
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
            case b"X":
                self.state(reader)
            case b"L":
                self.differ(f"{reader.text()}: an argument was not kept: {reader.text()}")
                raise _Stop
            case b"E":
                raise _Stop
            case _:
                raise CallLogError(f"the call log is damaged: no record begins with {kind!r}")

    def begin(self, reader: _Reader) -> None:
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

    def value(self, reader: _Reader) -> Any:
        try:
            return reader.value(self.world)
        except CallLogError:
            raise
        except _REFUSALS as error:
            raise CallLogError(f"the call log is damaged: {error!s:.200}") from error

    def state_of(self, reader: _Reader) -> tuple[bytes, dict[int, str]]:
        state, names = self.value(reader), self.value(reader)
        if not isinstance(state, bytes) or not _are_names(names):
            raise CallLogError("the call log is damaged: a state")
        return state, names

    def step(self, reader: _Reader) -> None:
        flags, dt = reader.bytes(1)[0], reader.number(REAL)
        wanted = reader.number(LENGTH) if flags & HASHED else None
        world, outcomes = self.world, self.outcomes
        self.outcomes = []
        self.result.steps += 1
        world.on_pre_solve = self.judge if flags & HOOKED else None
        self.left = iter(outcomes)
        try:
            world.step(dt)
        except _REFUSALS as error:
            self.differ(f"the step raised {type(error).__name__}: {error}")
            raise _Stop from None
        finally:
            world.on_pre_solve = None
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

    def outcome(self, reader: _Reader) -> None:
        count, changed = reader.number(COUNT), reader.count(OUTCOME.itemsize)
        rows = np.frombuffer(reader.bytes(changed * OUTCOME.itemsize), OUTCOME)
        if len(rows) and rows["row"].max() >= count:
            raise CallLogError("the call log is damaged: rows of a hook")
        self.outcomes.append((count, rows))

    def write(self, reader: _Reader) -> None:
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

    def call(self, reader: _Reader) -> None:
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

    def state(self, reader: _Reader) -> None:
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

    Every hash and every id that a call gave is compared. Behind a difference the run goes on to
    the next state in the log, to tell what differs there. A log that is not whole, as that of a
    process that was killed, is replayed up to its last whole block: ``complete`` is False.

    The file is looked over before anything is done. Nothing in it is code.

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
