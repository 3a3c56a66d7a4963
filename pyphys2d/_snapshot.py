"""Worlds as values: snapshots, copies, pickles, and where two worlds differ.

A snapshot is a head, the engine's state (``csrc/world/snapshot_write.c``), which has a checksum of
its own, the names of bodies as JSON, and their user data, pickled; a checksum covers these two.
Names and user data go by the number of the body's id. Inside the user data, the world and its
handles are written by what they are, so that they are those of the world that is made.
"""

from __future__ import annotations

import copy
import io
import json
import math
import operator
import os
import pickle
import struct
import threading
import zlib
from typing import TYPE_CHECKING, Any

from pyphys2d import _core
from pyphys2d._core import Body, Collider, Joint, SnapshotError, World

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined,unused-ignore]

MAGIC = b"PYPHYS2D"
VERSION = 1
HEAD = struct.Struct("<8sIIQQQ")  # magic, version, checksum, sizes: state, names, user data
PLAIN = HEAD.pack(MAGIC, VERSION, zlib.crc32(b""), 0, 0, 0)  # without names and user data
HANDLES = (Body, Collider, Joint, _core.Fluid, _core.Drag, _core.Wind, _core.PointGravity)


# ---------------------------------------------------------------------------------------- snapshots
class _Pickler(pickle.Pickler):
    """Of the user data of a world. `at` is the id of the body whose data was begun last."""

    def __init__(self, file: io.BytesIO, world: World, values: dict[int, Any]) -> None:
        super().__init__(file, protocol=5)
        self.world = world
        self.owners = {id(value): body for body, value in values.items()}
        self.at = next(iter(values))

    def persistent_id(self, thing: Any) -> Any:
        self.at = self.owners.get(id(thing), self.at)
        if thing is self.world:
            return ("world",)
        if isinstance(thing, HANDLES) and thing.world is self.world:
            return ("handle", type(thing).__name__, thing.id)
        return None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, world: World) -> None:
        super().__init__(file)
        self.world = world

    def persistent_load(self, what: Any) -> Any:
        match what:
            case ("world",):
                return self.world
            case ("handle", str(name), int(id)):
                return _core._handle(self.world, getattr(_core, name), id)
        raise pickle.UnpicklingError(f"no such reference: {what!r:.80}")


class _Underway(threading.local):
    """Worlds whose user data this thread is pickling, one inside of the other."""

    def __init__(self) -> None:
        self.worlds: list[World] = []


_underway = _Underway()


def _pickled(world: World, values: dict[int, Any]) -> bytes:
    if not values:
        return b""
    if any(each is world for each in _underway.worlds):
        raise TypeError("worlds refer to each other through their user data")
    file = io.BytesIO()
    pickler = _Pickler(file, world, values)
    _underway.worlds.append(world)
    try:
        pickler.dump(values)
    except MemoryError:
        raise
    except Exception as error:
        body = world.bodies[pickler.at & 0xFFFFFFFF]
        raise TypeError(
            f"user_data of {body!r} cannot be pickled ({error!s:.500}); "
            "snapshot(user_data=False) leaves all of it out"
        ) from error
    finally:
        _underway.worlds.pop()
    return file.getvalue()


def snapshot(world: World, *, user_data: bool = True) -> bytes:
    """See World.snapshot."""
    whole, names, values = world._state(PLAIN)
    called = json.dumps({str(id): name for id, name in names.items()}).encode() if names else b""
    pickled = _pickled(world, values) if user_data else b""
    if not called and not pickled:
        return whole
    state = memoryview(whole)[HEAD.size :]
    checksum = zlib.crc32(pickled, zlib.crc32(called))
    head = HEAD.pack(MAGIC, VERSION, checksum, len(state), len(called), len(pickled))
    return b"".join([head, state, called, pickled])


def _split(data: Buffer) -> tuple[memoryview, dict[int, str], memoryview]:
    """The parts of a snapshot, looked over."""
    view = memoryview(data).cast("B")
    if len(view) < HEAD.size or bytes(view[:8]) != MAGIC:
        raise SnapshotError("these bytes are no snapshot of a world")
    _, version, checksum, *sizes = HEAD.unpack(view[: HEAD.size])
    if version != VERSION:
        raise SnapshotError(
            f"the snapshot is of version {version}; this library reads version {VERSION}"
        )
    body = view[HEAD.size :]
    if sum(sizes) != len(body):
        raise SnapshotError(
            f"the snapshot is damaged: it has {len(body)} bytes behind its head, and should have "
            f"{sum(sizes)}"
        )
    state, rest = body[: sizes[0]], body[sizes[0] :]
    if zlib.crc32(rest) != checksum:
        raise SnapshotError("the snapshot is damaged: its checksum differs")
    return state, _names(bytes(rest[: sizes[1]])), rest[sizes[1] :]


def _names(data: bytes) -> dict[int, str]:
    try:
        table = json.loads(data) if data else {}
        names = {int(id): name for id, name in table.items()}
    except (ValueError, AttributeError, RecursionError):
        names = {-1: ""}
    good = all(0 <= id < 2**64 and isinstance(name, str) for id, name in names.items())
    if not good:
        raise SnapshotError("the snapshot is damaged: its names")
    return names


def _values(world: World, pickled: memoryview) -> dict[int, Any]:
    if not len(pickled):
        return {}
    try:
        values = _Unpickler(io.BytesIO(pickled), world).load()
    except Exception as error:
        raise SnapshotError(f"user data of the snapshot cannot be unpickled: {error}") from error
    if not isinstance(values, dict) or not all(
        isinstance(id, int) and 0 <= id < 2**64 for id in values
    ):
        raise SnapshotError("the snapshot is damaged: its user data")
    return values


def _living(world: World, table: dict[int, Any]) -> dict[int, Any]:
    """Entries of bodies that live, by the number of their ids."""
    if not table:
        return table
    ids = {body.id for body in world.bodies}
    return {id: value for id, value in table.items() if id in ids}


def restore(world: World, data: Buffer, /, *, user_data: bool = True) -> None:
    """See World.restore."""
    state, names, pickled = _split(data)
    if not user_data or not len(pickled):
        world._set_state(state, names, {})
    else:
        before = world._state()
        world._set_state(state, names, {})
        try:
            values = _values(world, pickled)
        except BaseException:
            world._set_state(*before)
            raise
        for id, value in _living(world, values).items():
            world.bodies[id & 0xFFFFFFFF].user_data = value
    _drop_strangers(world, names)


def _drop_strangers(world: World, names: dict[int, str]) -> None:
    kept = _living(world, names)
    for id in names.keys() - kept.keys():
        del names[id]


def from_snapshot(cls: type[World], data: Buffer, /, *, user_data: bool = True) -> World:
    """See World.from_snapshot."""
    state, names, pickled = _split(data)
    world = cls._from_state(state, names)
    if user_data:
        for id, value in _living(world, _values(world, pickled)).items():
            world.bodies[id & 0xFFFFFFFF].user_data = value
    _drop_strangers(world, names)
    return world


# ------------------------------------------------------------------------------------------- copies
def fork(world: World, n: int, /) -> list[World]:
    """See World.fork."""
    count = operator.index(n)
    if count < 0:
        raise ValueError(f"n: must be >= 0, got {n}")
    # A lower bound: a world takes more memory than its state.
    needed, memory = count * len(world._state()[0]), _physical_memory()
    if needed > memory:
        raise MemoryError(
            f"n: {n} copies take at least {needed >> 30} GiB, the machine has "
            f"{memory / 2**30:.4g} GiB"
        )
    return [world._clone() for _ in range(count)]


def _physical_memory() -> float:
    """Bytes; infinite where the system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return math.inf


def _attributes(world: World) -> dict[str, Any]:
    """Of an instance of a subclass."""
    return getattr(world, "__dict__", {})


def shallow_copy(world: World) -> World:
    twin = world._clone()
    _attributes(twin).update(_attributes(world))
    return twin


def deep_copy(world: World, memo: dict[int, Any], /) -> World:
    if not isinstance(memo, dict):
        raise TypeError(f"memo: must be a dict, got {type(memo).__name__}")
    twin = world._clone()
    memo[id(world)] = twin
    for body in twin.bodies:
        if body.user_data is not None:
            body.user_data = copy.deepcopy(body.user_data, memo)
    _attributes(twin).update(copy.deepcopy(_attributes(world), memo))
    return twin


def reduce_ex(world: World, protocol: int, /) -> tuple[Any, ...]:
    protocol = operator.index(protocol)
    data: Any = snapshot(world)
    if protocol >= 5:
        data = pickle.PickleBuffer(data)
    return type(world).from_snapshot, (data,), _attributes(world) or None


# --------------------------------------------------------------------------------------- comparison
def diff(world: World, other: World, /) -> Any:
    """See World.diff."""
    from pyphys2d import _diff

    return _diff.compare(world, other)


def check(world: World, /, dt: float | None = None) -> list[Any]:
    """See World.check."""
    from pyphys2d import _check

    return _check.check(world, dt)


# --------------------------------------------------------------------------------------- call logs
def record_calls(world: World, /, *args: Any, **keywords: Any) -> Any:
    """See World.record_calls."""
    from pyphys2d import _calls

    return _calls.record_calls(world, *args, **keywords)
