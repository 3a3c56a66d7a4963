"""Worlds as values: snapshots, copies, pickles, and where two worlds differ.

A snapshot is a head, the engine's state (``csrc/world/snapshot_write.c``), which has a checksum of
its own, the names of bodies as JSON, and user data, pickled; a checksum covers these two. Names and
user data go by the number of an id: those of bodies in a dict, and where colliders or joints have
any, in a tuple of three (version 2). Inside the user data, the world and its
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
VERSION, LABELLED = 1, 2
HEAD = struct.Struct("<8sIIQQQ")  # magic, version, checksum, sizes: state, names, user data
PLAIN = HEAD.pack(MAGIC, VERSION, zlib.crc32(b""), 0, 0, 0)  # without names and user data
Tables = tuple[dict[int, Any], dict[int, Any], dict[int, Any]]  # bodies, colliders, joints: by id
HANDLES = (Body, Collider, Joint, _core.Fluid, _core.Drag, _core.Wind, _core.PointGravity)


# ---------------------------------------------------------------------------------------- snapshots
class _Pickler(pickle.Pickler):
    """Of the user data of a world. `at` is the owner of what was begun last: family, id."""

    def __init__(self, file: io.BytesIO, world: World, tables: Tables) -> None:
        super().__init__(file, protocol=5)
        self.world = world
        self.owners = {
            id(value): (family, owner)
            for family, table in enumerate(tables)
            for owner, value in table.items()
        }
        self.at = next(iter(self.owners.values()))

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


def _pickled(world: World, tables: Tables) -> bytes:
    if not any(tables):
        return b""
    if any(each is world for each in _underway.worlds):
        raise TypeError("worlds refer to each other through their user data")
    file = io.BytesIO()
    pickler = _Pickler(file, world, tables)
    _underway.worlds.append(world)
    try:
        pickler.dump(tables if any(tables[1:]) else tables[0])
    except MemoryError:
        raise
    except Exception as error:
        family, number = pickler.at
        if _living(_families(world)[family], {number: None}):
            owner = _families(world)[family][number & 0xFFFFFFFF]
            raise TypeError(
                f"user_data of {owner!r} cannot be pickled ({error!s:.500}); "
                "snapshot(user_data=False) leaves all of it out"
            ) from error
    else:
        return file.getvalue()
    finally:
        _underway.worlds.pop()
    # A joint that broke while memory was short: its data goes with the next step.
    bodies, colliders, joints = map(_living, _families(world), tables)
    return _pickled(world, (bodies, colliders, joints))


def snapshot(world: World, *, user_data: bool = True) -> bytes:
    """See World.snapshot."""
    whole, names, bodies, colliders, joints = world._state(PLAIN)
    tables = bodies, colliders, joints
    called = json.dumps({str(id): name for id, name in names.items()}).encode() if names else b""
    pickled = _pickled(world, tables) if user_data else b""
    if not called and not pickled:
        return whole
    state = memoryview(whole)[HEAD.size :]
    checksum = zlib.crc32(pickled, zlib.crc32(called))
    version = LABELLED if pickled and any(tables[1:]) else VERSION
    head = HEAD.pack(MAGIC, version, checksum, len(state), len(called), len(pickled))
    return b"".join([head, state, called, pickled])


def _split(data: Buffer) -> tuple[memoryview, dict[int, str], memoryview]:
    """The parts of a snapshot, looked over."""
    try:
        view = memoryview(data).cast("B")
    except TypeError:
        what = type(data).__name__
        raise TypeError(f"data: must be bytes, as snapshot() makes them, got {what}") from None
    if len(view) < HEAD.size or bytes(view[:8]) != MAGIC:
        raise SnapshotError("these bytes are no snapshot of a world")
    _, version, checksum, *sizes = HEAD.unpack(view[: HEAD.size])
    if version not in (VERSION, LABELLED):
        raise SnapshotError(
            f"the snapshot is of version {version}; this library reads versions {VERSION} to "
            f"{LABELLED}"
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


def _tables(world: World, pickled: memoryview) -> Tables:
    if not len(pickled):
        return ({}, {}, {})
    try:
        values = _Unpickler(io.BytesIO(pickled), world).load()
    except Exception as error:
        raise SnapshotError(f"user data of the snapshot cannot be unpickled: {error}") from error
    tables = values if isinstance(values, tuple) else (values, {}, {})
    if len(tables) != 3 or not all(
        isinstance(table, dict) and all(isinstance(id, int) and 0 <= id < 2**64 for id in table)
        for table in tables
    ):
        raise SnapshotError("the snapshot is damaged: its user data")
    return tables


def _families(world: World) -> tuple[Any, Any, Any]:
    """Of what has user data, in the order of the tables."""
    return world.bodies, world.colliders, world.joints


def _living(family: Any, table: dict[int, Any]) -> dict[int, Any]:
    """Entries of those that live, by the number of their ids."""
    if not table:
        return table
    ids = {each.id for each in family}
    return {id: value for id, value in table.items() if id in ids}


def data_of(world: World) -> Tables:
    """The user data of all that has any."""
    tables: list[dict[int, Any]] = []
    for family in _families(world):
        each = ((thing.id, thing.user_data) for thing in family)
        tables.append({id: value for id, value in each if value is not None})
    return tables[0], tables[1], tables[2]


def set_data(world: World, tables: Tables) -> None:
    """Give those that live what `data_of` told of them, and nothing to others that had none."""
    for family, table in zip(_families(world), tables, strict=True):
        for id, value in _living(family, table).items():
            family[id & 0xFFFFFFFF].user_data = value


def restore(world: World, data: Buffer, /, *, user_data: bool = True) -> None:
    """See World.restore."""
    state, names, pickled = _split(data)
    if not user_data or not len(pickled):
        world._set_state(state, names, {})
    else:
        before = world._state()
        world._set_state(state, names, {})
        try:
            tables = _tables(world, pickled)
        except BaseException:
            world._set_state(*before)
            raise
        set_data(world, tables)
    _drop_strangers(world, names)


def _drop_strangers(world: World, names: dict[int, str]) -> None:
    kept = _living(world.bodies, names)
    for id in names.keys() - kept.keys():
        del names[id]


def from_snapshot(cls: type[World], data: Buffer, /, *, user_data: bool = True) -> World:
    """See World.from_snapshot."""
    state, names, pickled = _split(data)
    world = cls._from_state(state, names)
    if user_data:
        set_data(world, _tables(world, pickled))
    _drop_strangers(world, names)
    return world


# ------------------------------------------------------------------------------------------- copies
def fork(world: World, n: int, /) -> list[World]:
    """See World.fork."""
    try:
        count = operator.index(n)
    except TypeError:
        raise TypeError(f"n: must be an integer, got {type(n).__name__}") from None
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
    set_data(twin, copy.deepcopy(data_of(twin), memo))
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
