"""Arrays of trajectories as files have them, and files that grow while a run goes on.

A file of blocks begins with ``MAGIC``. Each block is 8 bytes with its length and 4 bytes with the
CRC-32 of what follows, little-endian, and an .npz archive: a trajectory of some frames, whose array
``columns`` says which columns of the whole its bodies are. What a killed run leaves ends in the
middle of a block at worst, and is read up to there.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyphys2d import World, _recording
from pyphys2d._recording import EVENT_TABLES, Writer
from pyphys2d._trajectory_colliders import SHAPE_KINDS, SHAPES
from pyphys2d.npz import Fields, read_arrays

if TYPE_CHECKING:
    from pyphys2d.trajectory import Trajectory

Array = NDArray[np.float64]
Data = dict[str, Any]

MAGIC = b"pyphys2d trajectory blocks 1\n"
BLOCK = struct.Struct("<QI")
MOST_BLOCKS = 1_000_000
BODY_COLUMNS = ("body", "body_a", "body_b")

FORMAT = 1
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
# Bytes that a trajectory takes for each, beside the numbers; a frame also takes some microseconds.
COSTS = {
    "frames": 1000,
    "bodies": 200,
    "colliders": 100,
    "ends of shapes": 100,
    "ends of rings": 250,
}
# Columns of tables that came later: 0 where a file has none.
LATER = {"id"}
# Memory that a file may take: some for every file, and more for each of its bytes.
FREE_BYTES = 256 * 2**20
MEMORY_PER_BYTE = 64


@cache
def tables() -> dict[str, np.dtype[Any]]:
    """Dtypes of the tables that a trajectory may have, by name."""
    world = World()
    events = world.events
    return {
        "contacts": world.contacts.dtype,
        "joints": world.joint_state.dtype,
        **{f"events_{name}": getattr(events, name).dtype for name in EVENT_TABLES},
    }


def _table_fields() -> dict[str, tuple[str, tuple[int | str, ...]]]:
    kinds = {"i": "int", "u": "int", "f": "float"}
    return {
        f"{name}_{column}": (kinds[dtype[column].kind], (f"rows of {name}",))
        for name, dtype in tables().items()
        for column in dtype.names or ()
    }


@cache
def optional_fields() -> Fields:
    """What files may have beside what all have."""
    return {
        "wrap": ("float", (2,)),
        "collider_frames": ("int", ("colliders", 2)),
        "collider_sensors": ("bool", ("colliders",)),
        "penetration": ("float", ("frames",)),
        "steps": ("int", ("frames",)),
        "velocities": ("float", ("frames", "bodies", 2)),
        "angular_velocities": ("float", ("frames", "bodies")),
        "contact_offsets": ("int", ("ends of frames",)),
        "joint_offsets": ("int", ("ends of frames",)),
        **_table_fields(),
    }


# ------------------------------------------------------------------------------------ in memory
def of_writer(
    writer: Writer, bodies: int, columns: Mapping[int, int], depths: Mapping[int, float]
) -> Data:
    """All arrays of what a writer holds."""
    writer.drain()
    data = _recording.arrays_of(writer.all_segments(), bodies)
    frames = len(data["times"])
    for name, table in (("contact", writer.extras.contacts), ("joint", writer.extras.joints)):
        dtype = tables()[f"{name}s"]
        data[f"{name}_offsets"], data[f"{name}s"] = _recording.ragged(table, frames, dtype)
    for name in EVENT_TABLES:
        found = writer.extras.events.get(name, [])
        table = join([t.copy() for t in found], tables()[f"events_{name}"])  # type: ignore[assignment]
        _name_columns(table, columns)  # type: ignore[arg-type]
        data[f"events_{name}"] = table
    data["has_contacts"] = writer.contacts
    if writer.contacts:
        data["penetration"] = deepest(data["contacts"], data["contact_offsets"])
    else:
        data["penetration"] = np.array([depths.get(k, np.nan) for k in range(frames)])
    return data


def join(found: list[NDArray[np.void]], dtype: np.dtype[Any]) -> NDArray[np.void]:
    """Tables of a dtype, one after the other."""
    result = np.zeros(sum(map(len, found)), dtype)
    at = 0
    for table in found:
        result[at : at + len(table)] = table
        at += len(table)
    return result


def _name_columns(table: NDArray[np.void], columns: Mapping[int, int]) -> None:
    """Put columns of the trajectory where events have slots."""
    for side in BODY_COLUMNS:
        if side in (table.dtype.names or ()):
            ids = table[side.replace("body", "body_id")].tolist()
            table[side] = [columns.get(body, -1) for body in ids]


def deepest(contacts: NDArray[np.void], offsets: NDArray[np.int64]) -> Array:
    """Depth of the deepest contact of each frame, >= 0."""
    depth = np.zeros(len(offsets) - 1)
    frame = np.repeat(np.arange(len(depth)), np.diff(offsets))
    np.maximum.at(depth, frame, -contacts["separation"])
    return depth


def join_parts(parts: list[Data], bodies: int) -> Data:
    """Frames of several, one after the other; those with fewer columns have the first ones."""
    return join_blocks([(part, np.arange(part["angles"].shape[1])) for part in parts], bodies)


def join_blocks(parts: list[tuple[Data, NDArray[np.int64]]], bodies: int) -> Data:
    """Frames of several, whose columns are those of the whole."""
    frames = sum(len(part["times"]) for part, _ in parts)
    result = _recording.empty(frames, bodies)
    result["penetration"] = np.full(frames, np.nan)
    at = 0
    for part, columns in parts:
        rows = slice(at, at + len(part["times"]))
        for name, array in result.items():
            if array.ndim > 1 and name != "momentum":
                array[rows, columns] = part[name]
            else:
                array[rows] = part[name]
        at = rows.stop
    for name, dtype in tables().items():
        moved = []
        for part, columns in parts:
            table = part[name].copy()
            for side in set(BODY_COLUMNS) & set(dtype.names or ()):
                if len(columns):
                    table[side] = np.where(table[side] >= 0, columns[table[side]], -1)
            moved.append(table)
        result[name] = join(moved, dtype)
    for name in ("contact", "joint"):
        counts = [np.diff(part[f"{name}_offsets"]) for part, _ in parts]
        result[f"{name}_offsets"] = np.concatenate([[0], np.cumsum(np.concatenate(counts or [[]]))])
        result[f"{name}_offsets"] = result[f"{name}_offsets"].astype(np.int64)
    result["has_contacts"] = bool(parts) and all(part["has_contacts"] for part, _ in parts)
    return result


def select(data: Data, frames: NDArray[np.intp], bodies: NDArray[np.intp]) -> Data:
    """Some frames and some columns; rows of tables that belong to them."""
    result: Data = {}
    number = np.full(data["angles"].shape[1] + 1, -1)  # the last: of none
    number[bodies] = np.arange(len(bodies))
    every = len(bodies) == data["angles"].shape[1]
    for name, array in _recording.empty(0, 0).items():
        kept = data[name][frames]
        result[name] = kept[:, bodies] if array.ndim > 1 and name != "momentum" else kept
    result["penetration"] = data["penetration"][frames]
    result["has_contacts"] = data["has_contacts"]
    for name in ("contact", "joint"):
        table, offsets = data[f"{name}s"], data[f"{name}_offsets"]
        picked = [np.arange(offsets[k], offsets[k + 1]) for k in frames.tolist()]
        keep = [_belongs(table[rows], number, every) for rows in picked]
        rows = np.concatenate([r[k] for r, k in zip(picked, keep, strict=True)] or [[]])  # type: ignore[list-item]
        counts = [int(k.sum()) for k in keep]
        result[f"{name}_offsets"] = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        result[f"{name}s"] = _renumber(table[rows.astype(np.intp)], number)
    steps = data["steps"][frames]
    low, high = (steps.min(), steps.max()) if len(steps) else (0, -1)
    for name in EVENT_TABLES:
        table = data[f"events_{name}"]
        inside = (table["step"] >= low) & (table["step"] < high)  # the first step is number 0
        table = table[inside & _belongs(table, number, every)]
        result[f"events_{name}"] = _renumber(table, number)
    return result


def _belongs(table: NDArray[np.void], number: NDArray[np.intp], every: bool) -> NDArray[np.bool_]:
    sides = [side for side in BODY_COLUMNS if side in (table.dtype.names or ())]
    if every or not sides:
        return np.ones(len(table), bool)
    return np.any([number[table[side]] >= 0 for side in sides], axis=0)  # type: ignore[no-any-return]


def _renumber(table: NDArray[np.void], number: NDArray[np.intp]) -> NDArray[np.void]:
    table = table.copy()
    for side in set(BODY_COLUMNS) & set(table.dtype.names or ()):
        table[side] = number[table[side]]
    return table


# ------------------------------------------------------------------------------------ files
def to_save(trajectory: Trajectory, data: Data) -> Data:
    """The arrays of a file."""
    shapes = trajectory._colliders.shapes
    arrays: Data = {
        "format": np.array(FORMAT, np.int64),
        "name": np.array(trajectory.name, np.str_),
        "kinds": trajectory.kinds,
        "body_names": np.array(trajectory.body_names, np.str_),
        "colliders": trajectory.colliders,
        "shape_kinds": np.array(shapes.kinds, np.uint8),
        "shape_radii": np.array(shapes.radii, float),
        "shape_loops": np.array(shapes.loops, bool),
        "shape_ring_starts": np.array(shapes.ring_starts, np.int64),
        "ring_vertex_starts": np.array(shapes.vertex_starts, np.int64),
        "vertices": np.concatenate(shapes.rings) if shapes.rings else np.empty((0, 2)),
    }
    for name in _recording.empty(0, 0):
        arrays[name] = data[name]
    frames = len(data["times"])
    spans = trajectory._colliders.frames(frames)
    if (spans != (0, frames)).any():
        arrays["collider_frames"] = spans
    sensors = trajectory.collider_sensors
    if sensors.any():
        arrays["collider_sensors"] = sensors
    if trajectory.wrap is not None:
        arrays["wrap"] = trajectory.wrap
    if not np.isnan(data["penetration"]).any():
        arrays["penetration"] = data["penetration"]
    for name, dtype in tables().items():
        offsets = {"contacts": "contact_offsets", "joints": "joint_offsets"}.get(name)
        if not len(data[name]) and not (name == "contacts" and data["has_contacts"]):
            continue
        if offsets is not None:
            arrays[offsets] = data[offsets]
        for column in dtype.names or ():
            values = data[name][column]
            arrays[f"{name}_{column}"] = values.astype(np.int64) if values.dtype == "u8" else values
    return arrays


def complete(data: Data) -> Data:
    """The arrays of a trajectory from those of a file, of which some may be missing."""
    frames, bodies = data["angles"].shape
    result: Data = {"steps": data.get("steps", np.full(frames, -1))}
    for name, none in _recording.empty(1, bodies).items():
        if name in data:
            result[name] = data[name]
        elif name not in result:  # all rows are one
            result[name] = np.broadcast_to(none, (frames, *none.shape[1:]))
    result["penetration"] = data.get("penetration", np.full(frames, np.nan))
    result["has_contacts"] = "contact_offsets" in data
    for name, dtype in tables().items():
        result[name] = _table(name, dtype, data, bodies)
    for name in ("contact", "joint"):
        offsets = data.get(f"{name}_offsets", np.zeros(frames + 1, np.int64))
        end = len(result[f"{name}s"])
        rising = len(offsets) == frames + 1 and offsets[0] == 0 and offsets[-1] == end
        if not (rising and (offsets[1:] >= offsets[:-1]).all()):
            raise ValueError(f"{name}_offsets must rise from 0 to {end}, {frames + 1} of them")
        result[f"{name}_offsets"] = offsets
    return result


def _table(name: str, dtype: np.dtype[Any], data: Data, bodies: int) -> NDArray[np.void]:
    columns = dtype.names or ()
    there = [column for column in columns if f"{name}_{column}" in data]
    if not there:
        return np.zeros(0, dtype)
    if not {*columns} - LATER <= {*there}:
        raise ValueError(f"{name} must have all of its columns or none")
    table = np.zeros(len(data[f"{name}_{there[0]}"]), dtype)
    for column in there:
        values = data[f"{name}_{column}"]
        if len(values) and dtype[column].kind in "iu":
            limits = np.iinfo(dtype[column])
            low, high = (-1, bodies - 1) if column in BODY_COLUMNS else (limits.min, limits.max)
            if values.min() < low or values.max() > high:
                raise ValueError(f"{name}_{column} must be >= {low} and <= {high}")
        table[column] = values
    return table


# ------------------------------------------------------------------------------------ blocks
class Stream:
    """A file of blocks that is being written.

    Frames are given to the system as they come; a process that is killed leaves what it wrote.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.frames = 0
        self._file: IO[bytes] | None = None

    def open(self) -> None:
        self._file = open(self.path, "wb")  # noqa: SIM115 (open until the recording ends)
        self._file.write(MAGIC)
        self._file.flush()

    def write(self, trajectory: Trajectory, data: Data) -> None:
        """A block of these frames."""
        assert self._file is not None
        used = np.flatnonzero(~np.isnan(data["angles"]).all(axis=0))
        named = [
            data[name][side]
            for name, dtype in tables().items()
            for side in BODY_COLUMNS
            if side in (dtype.names or ())
        ]
        used = np.union1d(used, np.concatenate(named)).astype(np.intp)
        used = used[used >= 0]
        number = np.full(data["angles"].shape[1] + 1, -1)
        number[used] = np.arange(len(used))
        block = dict(data)
        for name, array in _recording.empty(0, 0).items():
            if array.ndim > 1 and name != "momentum":
                block[name] = data[name][:, used]
        for name in tables():
            block[name] = _renumber(data[name], number)
        frames = np.arange(self.frames, self.frames + len(data["times"]))
        part = trajectory._of_columns(used, frames)
        arrays = to_save(part, block)
        arrays["columns"] = used.astype(np.int64)
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        payload = buffer.getbuffer()
        self._file.write(BLOCK.pack(len(payload), zlib.crc32(payload)))
        self._file.write(payload)
        self._file.flush()
        self.frames += len(data["times"])

    def close(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            file.close()


def is_stream(file: IO[bytes]) -> bool:
    """Whether a file has blocks; it is read from its beginning then, and elsewhere too."""
    begins = file.read(len(MAGIC)) == MAGIC
    if not begins:
        file.seek(0)
    return begins


def read_archive(file: IO[bytes], max_bytes: int) -> Data:
    """All arrays of an archive."""
    return read_arrays(file, FIELDS, optional_fields(), costs=COSTS, max_bytes=max_bytes)


def read_blocks(file: IO[bytes], max_bytes: int) -> Iterator[Data]:
    """The sound blocks of a file behind its beginning, up to its end or to the first other one."""
    left = max_bytes
    size = os.fstat(file.fileno()).st_size
    more = {**optional_fields(), "columns": ("int", ("bodies",))}
    for _ in range(MOST_BLOCKS):
        head = file.read(BLOCK.size)
        if len(head) < BLOCK.size:
            return
        length, check = BLOCK.unpack(head)
        if length > size - file.tell():
            return
        payload = file.read(length)
        if len(payload) < length or zlib.crc32(payload) != check:
            return
        data = read_arrays(io.BytesIO(payload), FIELDS, more, costs=COSTS, max_bytes=left)
        left -= sum(array.nbytes for array in data.values())
        columns = data.get("columns")
        if columns is None or (np.diff(columns) <= 0).any() or (columns < 0).any():
            raise ValueError("columns of a block must rise from 0 on")
        if len(columns) and columns[-1] >= max(left, 0) // 200:
            raise ValueError(f"columns must be < {max(left, 0) // 200}")
        yield data


# ------------------------------------------------------------------------------------ checks
def check_frames(data: Data) -> None:
    if data["format"] != FORMAT:
        raise ValueError(f"format must be {FORMAT}, got {data['format']}")
    _check_range("kinds", data["kinds"], BODY_KINDS)
    # Energies and momenta may be anything: those of very fast bodies overflow.
    if not np.isfinite(data["times"]).all():
        raise ValueError("times must be finite")
    if "penetration" in data and not (data["penetration"] >= 0).all():
        raise ValueError("penetration must be >= 0")
    wrap = data.get("wrap")
    if wrap is not None and not ((wrap > 0).all() and np.isfinite(wrap).any()):
        raise ValueError("wrap must be > 0, and finite in one direction at least")
    angles, positions = data["angles"], data["positions"]
    dead = np.isnan(angles)
    for name, values, none in (("angles", angles, dead), ("positions", positions, dead[..., None])):
        if (np.isfinite(values) == none).any() or (np.isnan(values) != none).any():
            raise ValueError(f"{name} must be finite, or NaN for both where a body does not live")


def check_shapes(data: Data) -> None:
    kinds, vertices = data["shape_kinds"], data["vertices"]
    shape_starts, ring_starts = data["shape_ring_starts"], data["ring_vertex_starts"]
    _check_range("shape_kinds", kinds, len(SHAPE_KINDS))
    _check_range("the first column of colliders", data["colliders"][:, 0], len(data["kinds"]))
    _check_range("the second column of colliders", data["colliders"][:, 1], len(kinds))
    if len(shape_starts) != len(kinds) + 1:
        raise ValueError(f"shape_ring_starts must have {len(kinds) + 1} entries")
    _check_starts("shape_ring_starts", shape_starts, len(ring_starts) - 1)
    _check_starts("ring_vertex_starts", ring_starts, len(vertices))
    spans, frames = data.get("collider_frames", np.zeros((0, 2), int)), len(data["times"])
    if ((spans < 0) | (spans > frames)).any() or (spans[:, 0] > spans[:, 1]).any():
        raise ValueError(f"collider_frames must be rising and >= 0 and <= {frames}")
    radii = data["shape_radii"]
    if not (np.isfinite(radii) & (radii >= 0)).all():
        raise ValueError("shape_radii must be finite and >= 0")
    if not np.isfinite(vertices).all():
        raise ValueError("vertices must be finite")
    rings = np.diff(shape_starts)
    if ((rings < 1) | ((rings > 1) & (kinds != SHAPE_KINDS.index("polygon")))).any():
        raise ValueError("a shape must have one ring, or one and its holes if it is a polygon")
    kind_of_ring, sizes = np.repeat(kinds, rings), np.diff(ring_starts)
    fewest, most = np.array([(kind.fewest, kind.most) for kind in SHAPES.values()]).T
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
