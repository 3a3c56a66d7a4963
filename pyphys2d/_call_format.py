"""The file of a call log: a start, and every call that changes a world.

A file begins with ``MAGIC``. Each block is a head (the length of what follows, its CRC-32, and that
of these two, little-endian; both checksums go on from the block before, so that blocks cannot
change places) and records:

``B``  the beginning: version, state, names, what later ids depend on, the version of the library
``C``  a call: receiver, name, arguments, and the ids of the handles that it returned
``W``  rows of a live array that NumPy wrote to, with their numbers
``P``  what a pre-solve hook did to its rows, before the ``S`` of its step
``F``  what the pair filter said of pairs of colliders; stays where its step was not made
``K``  what a law of springs said: joints and forces, before the ``S`` of its step
``S``  a step: dt, and the hash of the world behind it
``X``  a state, to compare one that differs with
``L``  a call whose arguments could not be kept: a replay ends there
``E``  the end, of a log that was closed: a block of its own

Values are a closed set: None, bools, numbers, strings, bytes, arrays, lists, tuples and dicts of
these, shapes and handles. Nothing in a file is code, and a call is made only if it is one of those
that are logged.
"""

from __future__ import annotations

import math
import operator
import struct
from typing import Any

import numpy as np

from pyphys2d import _core
from pyphys2d._core import Shape, World
from pyphys2d._snapshot import HANDLES

MAGIC = b"pyphys2d call log 1\n"
VERSION = 1
BLOCK = struct.Struct("<QI")  # length, checksum; the checksum of these follows
CHECK = struct.Struct("<I")
HEAD_SIZE = BLOCK.size + CHECK.size
REAL, COUNT, LENGTH = map(struct.Struct, ("<d", "<I", "<Q"))
OUTCOME = np.dtype(
    [("row", "<u4"), ("numbers", "<f8", 3), ("enabled", "u1")]
)  # friction, restitution, tangent_speed
VERDICT = np.dtype([("pair", "<u4", 2), ("allowed", "u1")])
PULL = np.dtype([("joint", "<u4"), ("force", "<f8")])
HOOKED, HASHED, FILTERED = 1, 2, 4
END = b"E"
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
    | {"explode", "refilter", "remove", "slice", "_set_state", "_set_joint_frame", "_wake_joints"},
    "Body": frozenset(
        (
            *("apply_force", "apply_impulse", "apply_torque", "apply_angular_impulse"),
            *("move_to", "attach", "wake", "wake_touching", "sleep"),
        )
    ),
    "Collider": frozenset({"set_shape"}),
    "Joint": frozenset({"set_limits"}),
}
ARRAYS = ("__array__", "__array_interface__", "__iter__")
UNLOGGED = frozenset({"user_data", "on_force", "on_pre_solve", "pair_filter"})
SHAPES = {
    name: kind
    for name, kind in vars(_core).items()
    if isinstance(kind, type) and issubclass(kind, _core.Shape) and kind is not _core.Shape
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


class Unkept(Exception):  # noqa: N818 (never leaves the package)
    """An argument that is none of the values of a log."""


# ------------------------------------------------------------------------------------------- values
def plain(value: Any, depth: int = DEPTH) -> Any:
    """What is logged, and taken by the call in the place of the argument."""
    if value is None or type(value) in (bool, int, float, str, bytes):
        return value
    if isinstance(value, (*HANDLES, Shape)):
        return value
    if type(value) is np.ndarray and value.dtype.str in DTYPES:
        return value
    if depth == 0:
        raise Unkept("lists within lists")
    if type(value) in (list, tuple):
        return type(value)([plain(item, depth - 1) for item in value])
    if type(value) is dict:
        return {plain(key, depth - 1): plain(item, depth - 1) for key, item in value.items()}
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
            return array if array.dtype.str in DTYPES else plain(array.tolist(), depth - 1)
        items = [plain(item, depth - 1) for item in value]
    except (TypeError, ValueError, OverflowError) as error:
        raise Unkept(type(value).__name__) from error
    # Only shapes may be given by what is no sequence.
    if hasattr(value, "__getitem__") or all(isinstance(item, Shape) for item in items):
        return items
    raise TypeError(f"must be an array or a sequence, got {type(value).__name__:.100}")


def put_text(out: bytearray, text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    out += COUNT.pack(len(data))
    out += data


def put(out: bytearray, value: Any) -> None:
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
            raise Unkept("an integer so large")
        out += b"i"
        out.append(size)
        out += value.to_bytes(size, "little", signed=True)
    elif kind is str:
        out += b"s"
        put_text(out, value)
    elif kind is bytes:
        out += b"b"
        out += LENGTH.pack(len(value))
        out += value
    elif kind in (list, tuple, dict):
        out += b"l" if kind is list else b"t" if kind is tuple else b"m"
        out += COUNT.pack(len(value))
        for item in value:
            put(out, item)
            if kind is dict:
                put(out, value[item])
    elif kind is np.ndarray:
        out += b"a"
        put_text(out, value.dtype.str)
        out.append(value.ndim)
        for length in value.shape:
            out += LENGTH.pack(length)
        out += value.tobytes()
    elif isinstance(value, HANDLES):
        out += b"h"
        put_text(out, kind.__name__)
        out += LENGTH.pack(value.id)
    else:
        make, arguments = value.__reduce__()[:2]
        if make not in SHAPES.values():
            raise Unkept(kind.__name__)
        out += b"S"
        put_text(out, make.__name__)
        put(out, plain(tuple(arguments)))


class Reader:
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
