"""Reads .npz files that anyone may have written: the arrays asked for, or a `ValueError`.

All headers are checked before memory is taken for any array: types, shapes that agree with each
other, sizes that agree with the archive's directory and that so many compressed bytes can hold, and
a budget for all arrays together: deflate makes 1 GB of 1 MB. Nothing is evaluated.

The layout of .npy headers is in Robert Kern, "NEP 1: A simple file format for NumPy arrays", 2007.
"""

from __future__ import annotations

import errno
import math
import re
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

# Name of an array: (type, shape). The types are those of TYPES; equal names in shapes stand for
# equal lengths, which the file chooses.
Fields = Mapping[str, tuple[str, tuple[int | str, ...]]]

# uint64 is left out: every integer then fits the int64 that it is returned as.
TYPES = {
    "bool": "b1",
    "int": "i[1248]|u[124]",
    "float": "f8",
    "string": "U[0-9]+",
}
HEADER = re.compile(
    rb"\{'descr': '([<>|])([biufU])([0-9]{1,8})', 'fortran_order': (False|True), "
    rb"'shape': \(((?:L,|L(?:, ?L)+,?)?)\), \}\s*".replace(b"L", rb"(?:0|[1-9][0-9]{0,17})")
)
MAGIC = b"\x93NUMPY\x01\x00"
# Deflate's best: two bits for 258 bytes (Peter Deutsch, RFC 1951, 1996).
MOST_PER_BYTE = 1032
FIRST = b"PK\3\4"
CHUNK = 2**20
MOST_SHOWN = 200  # characters of what zipfile says


@dataclass(frozen=True, slots=True)
class _Member:
    info: zipfile.ZipInfo
    kind: str  # one of TYPES
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    order: Any  # "C" or "F"
    stream: IO[bytes]  # behind the header
    size: int  # bytes of the array

    @property
    def cost(self) -> int:
        """Bytes of memory: what the file holds, and what that becomes beside it."""
        return self.size + (8 * math.prod(self.shape) if self.kind == "int" else self.size)


def read_arrays(
    file: IO[bytes],
    fields: Fields,
    optional: Fields | None = None,
    *,
    costs: Mapping[str, int],
    max_bytes: int,
) -> dict[str, NDArray[Any]]:
    """The arrays of an open .npz file, by name; others that it holds are left alone.

    Of the optional ones those that are there.

    Integers come as int64, floats as float64, whatever width and byte order the file has.

    Parameters
    ----------
    file : binary file
    fields, optional : mapping
        Types and shapes of the arrays.
    costs : mapping
        Bytes that the caller will take for each of a named length, beside the arrays.
    max_bytes : int
        Most memory for all arrays and what the caller makes of them.

    Raises
    ------
    ValueError
        If the file is not an archive, is damaged, or an array is missing or not as ``fields`` say,
        or if they would take more than ``max_bytes``.
    OSError
        If the file cannot be read.
    """
    try:
        # zipfile also finds archives behind other things, such as programs that unpack them.
        if file.read(len(FIRST)) != FIRST:
            raise ValueError("not an .npz archive")
        with zipfile.ZipFile(file) as archive:
            there = set(archive.namelist())
            more = {k: v for k, v in (optional or {}).items() if f"{k}.npy" in there}
            members, lengths = _members(archive, {**fields, **more})
            # Before anything is unpacked.
            size = sum(member.cost for member in members.values())
            size += sum(cost * lengths[name] for name, cost in costs.items())
            if size > max_bytes:
                raise ValueError(
                    f"its arrays take {size} bytes of memory, must be <= {max_bytes} "
                    "(see max_bytes)"
                )
            return {name: _data(name, member) for name, member in members.items()}
    except (ValueError, MemoryError):
        raise
    except OSError as error:
        # Offsets in a damaged archive lead to before its start.
        if error.errno not in (None, errno.EINVAL):
            raise
        raise ValueError("the archive is damaged") from None
    except Exception as error:
        # zipfile and zlib have many errors for damaged archives and document few of them.
        # Some show what they have found instead of a name, which may be all of the file.
        reason = str(error) or type(error).__name__
        raise ValueError(f"not a sound .npz archive: {reason[:MOST_SHOWN]}") from None


def _members(archive: zipfile.ZipFile, fields: Fields) -> tuple[dict[str, _Member], dict[str, int]]:
    infos = {info.filename: info for info in archive.infolist()}
    if len(infos) != len(archive.infolist()):
        raise ValueError("two arrays have the same name")
    members: dict[str, _Member] = {}
    lengths: dict[str, int] = {}
    for name, (kind, expected) in fields.items():
        info = infos.get(f"{name}.npy")
        if info is None:
            raise ValueError(f"the array {name} is missing")
        member = members[name] = _header(archive, name, info, kind)
        if len(member.shape) != len(expected):
            raise ValueError(f"{name} must have {len(expected)} dimensions, got {member.shape}")
        wanted = tuple(
            lengths.setdefault(length, got) if isinstance(length, str) else length
            for length, got in zip(expected, member.shape, strict=True)
        )
        if member.shape != wanted:
            raise ValueError(f"{name} must have shape {wanted}, got {member.shape}")
    end = archive.fp.seek(0, 2) if archive.fp is not None else 0
    if sum(member.info.compress_size for member in members.values()) > end:
        raise ValueError("the arrays claim more bytes than the file has")
    return members, lengths


def _header(archive: zipfile.ZipFile, name: str, info: zipfile.ZipInfo, kind: str) -> _Member:
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is compressed in a way that is not known")
    stream = archive.open(info)
    start = stream.read(len(MAGIC) + 2)
    length = int.from_bytes(start[len(MAGIC) :], "little")
    header = HEADER.fullmatch(stream.read(length))
    if not start.startswith(MAGIC) or header is None:
        raise ValueError(f"{name} is not a plain array in .npy format 1.0")
    order, letter, width = (header[k].decode() for k in (1, 2, 3))
    if not re.fullmatch(TYPES[kind], letter + width):
        raise ValueError(f"{name} must be of type {kind}, got {letter}{width}")
    shape = tuple(int(length) for length in re.findall(rb"[0-9]+", header[5]))
    # The byte of a bool may be any in a file, but only 0 and 1 in memory: read as a number.
    dtype = np.dtype("u1" if letter == "b" else f"{order}{letter}{width}")
    size_of_array = math.prod(shape) * dtype.itemsize
    size = len(start) + length + size_of_array
    packed = info.compress_size
    most = packed if info.compress_type == zipfile.ZIP_STORED else MOST_PER_BYTE * packed
    if size != info.file_size or size > most:
        raise ValueError(f"{name} has a header for {size} bytes, which the file does not hold")
    order_of_axes = "F" if header[4] == b"True" else "C"
    return _Member(info, kind, dtype, shape, order_of_axes, stream, size_of_array)


def _data(name: str, member: _Member) -> NDArray[Any]:
    data = bytearray(member.size)
    with member.stream as stream, memoryview(data) as view:
        done = 0
        while done < len(data):
            piece = stream.read(min(CHUNK, len(data) - done))
            if not piece:
                raise ValueError(f"{name} ends early")
            view[done : done + len(piece)] = piece
            done += len(piece)
    array: NDArray[Any] = np.ndarray(member.shape, member.dtype, data, order=member.order)
    match member.kind:
        case "int":
            return array.astype(np.int64)
        case "float":
            return array.astype(np.float64, copy=False)
        case "bool":
            if (array > 1).any():
                raise ValueError(f"{name} has values that are neither true nor false")
            return array.view(np.bool_)
    codes = np.frombuffer(data, np.dtype("u4").newbyteorder(member.dtype.byteorder))
    if (codes > sys.maxunicode).any():
        raise ValueError(f"{name} has characters that do not exist")
    return array
