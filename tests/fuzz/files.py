"""Damaged scene files, trajectories, call logs and snapshots: each is refused as documented, or is
sound.

Small files are damaged from a seed: bits, cuts, insertions, swapped parts, absurd numbers, members
of archives and blocks changed under a checksum that is right, the archive's own numbers. What loads
is held against a second reading, by `json` and by `numpy.load`; a loaded world steps. Every file is
read in bounded time and memory; with --memory, in no more than twice what the file that was damaged
takes, and what it says itself that it needs.

    python tests/fuzz/files.py --count 1000000 --seed 1
    python tests/fuzz/files.py --count 20000 --seed 1 --memory
    python tests/fuzz/files.py --seed 1 --only 4711 --keep bad    # one of them again, kept as bad.*
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import math
import os
import random
import re
import resource
import signal
import struct
import sys
import tempfile
import tracemalloc
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import damaged_calls
import damaged_snapshots
import numpy as np

import pyphys2d as p2
from pyphys2d import _core, scenes
from pyphys2d._trajectory_files import BLOCK, MAGIC
from pyphys2d.scenes import SceneError
from pyphys2d.trajectory import Trajectory

SANITIZED = "sanitize" in _core.build_switches.split()
# Of one small file: a scene's budget of vertices is 400 MB, a trajectory's 256 MB.
MEMORY = 2**30
SECONDS = 300 if SANITIZED else 10


class FaultError(Exception):
    """What a file must not lead to."""


# ------------------------------------------------------------------------------------------ scenes
SCENES: list[dict[str, Any]] = [
    {"bodies": [{"shape": {"type": "circle", "radius": 1}}]},
    {
        "name": "one of each",
        "dt": 0.01,
        "steps": 10,
        "view": [-5, -5, 5, 5],
        "world": {"gravity": [0, -9.81], "substeps": 4, "solver": "soft_step"},
        "shapes": {
            "a": {"type": "box", "width": 1, "height": 2, "angle": 0.5, "radius": 0.1},
            "b": {"type": "regular_polygon", "n": 6, "radius": 1},
        },
        "bodies": [
            {"shape": "a", "position": [1, 2], "velocity": [3, -1], "mass": 2, "name": "first"},
            {"shapes": ["a", "b"], "position": [1.5, 4], "friction": 0.3, "bullet": True},
            {
                "kind": "static",
                "shape": {"type": "chain", "points": [[9, 0], [0, 0.5], [-9, 0]], "loop": False},
            },
        ],
    },
    {
        "world": {
            "solver": "sequential_impulses",
            "iterations": 8,
            "broadphase": "tree",
            "wrap": [50, None],
        },
        "bodies": [
            {
                "shape": {
                    "type": "polygon",
                    "vertices": [[0, 0], [4, 0], [4, 4], [0, 4]],
                    "holes": [[[1, 1], [1, 2], [2, 2], [2, 1]]],
                },
                "category": 3,
                "mask": 18446744073709551615,
                "group": -1,
            },
            {"shape": {"type": "capsule", "p": [0, 0], "q": [1e-3, 2], "radius": 0.25}},
            {"kind": "kinematic", "shape": {"type": "segment", "p": [-9, -3], "q": [9, -3]}},
        ],
    },
]
TOKENS = [
    *("0", "-0", "-1", "1", "2", "0.5", "255", "1e7", "-1e7", "1e8", "1e-4", "1e-300", "5e-324"),
    *("1e308", "-1e308", "1e309", "-1e999", "NaN", "-Infinity", "9" * 401, "9" * 5000, "10000"),
    *("65536", "2147483648", "18446744073709551615", "18446744073709551616", "1E+2", "01", "1."),
    *("null", "true", "false", '""', '"a"', '"\\ud800"', '"\\u0000"', '"' + "x" * 300 + '"', "[]"),
    *("{}", "[[]]", "[0,0]", "[1e7,1e7]", "[0,0,0]", '{"type":"circle","radius":1}', "[" * 2000),
    *('{"a":' * 2000, "//", "'a'", "\ufeff", "\x00"),
]
VALUE = re.compile(r'-?[0-9][0-9.eE+-]*|"[^"\\]*"|true|false|null')


def written() -> str:
    """What `p2.save` makes of a world with joints of all kinds, fields and a sensor."""
    world = p2.World()
    floor = world.add_body(p2.Box(9, 1), (0, -3), kind="static")
    floor.attach(p2.Circle(1), sensor=True)
    row = [world.add_body(p2.Box(1, 0.4), (2.0 * k, 0), name=f"b{k}") for k in range(6)]
    hinge = world.add_revolute_joint(None, row[0], lower=-1, upper=1, max_motor_torque=5)
    slide = world.add_prismatic_joint(row[0], row[1], axis=(1, 0), spring_hertz=2)
    world.add_gear_joint(hinge, slide, 0.5)
    world.add_distance_joint(row[1], row[2], spring_hertz=3)
    world.add_weld_joint(row[2], row[3], angular_spring_hertz=1)
    world.add_wheel_joint(row[3], row[4], axis=(0, 1))
    world.add_motor_joint(row[4], row[5], max_force=9, max_torque=3)
    world.add_mouse_joint(row[5], target=(9, 1))
    world.add_drag(linear=0.5)
    world.add_wind((1, 0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "written.json"
        p2.save(world, path)
        return path.read_text()


TEXTS = [*(json.dumps(scene) for scene in SCENES), written()]


def damaged_scene(rng: random.Random) -> bytes:
    text = rng.choice(TEXTS)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 4))):
        values = list(VALUE.finditer(text))
        match rng.randrange(12):
            case 0 | 1 | 2 if values:
                place = rng.choice(values).span()
                text = text[: place[0]] + rng.choice(TOKENS) + text[place[1] :]
            case 3 if len(values) > 1:
                one, other = sorted(rng.sample(values, 2), key=lambda value: value.start())
                (a, b), (c, d) = one.span(), other.span()
                text = text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]
            case 4 | 8 | 9 | 10 | 11 if values:
                number = rng.choice(values)
                with contextlib.suppress(ValueError):
                    value = float(number[0]) * rng.choice((-1, 0, 0.1, 0.9, 1.1, 2, 10, 1e3, 1e7))
                    text = text[: number.start()] + repr(value) + text[number.end() :]
            case 5:
                return bytes(damaged_bytes(rng, bytearray(text, "utf-8", "surrogatepass")))
            case 6:  # a part again, or another's
                other_text = rng.choice((text, rng.choice(TEXTS)))
                a, b = sorted(rng.choices(range(len(other_text) + 1), k=2))
                at = rng.randint(0, len(text))
                text = text[:at] + other_text[a:b] + text[at:]
            case _:  # an entry of a list or an object away
                commas = [k for k, letter in enumerate(text) if letter in ",[{"]
                if len(commas) > 1:
                    k = rng.randrange(len(commas) - 1)
                    text = text[: commas[k]] + text[commas[k + 1] :]
    return text.encode("utf-8", "surrogatepass")


def check_scene(path: Path, data: bytes) -> str:
    try:
        scene = scenes.load(path)
    except SceneError as error:
        message = str(error)
        if not message.startswith(f"{path}: ") or "\n" in message or len(message) > 700:
            raise FaultError(f"the message {message[:1000]!r}") from None
        return "refused"
    document = json.loads(data.decode("utf-8-sig"))
    world = scene.world
    places = np.array([body.get("position", (0, 0)) for body in document["bodies"]], float)
    if len(world.bodies) != len(places):
        raise FaultError(f"{len(world.bodies)} bodies of {len(places)}")
    found = np.array([body.position for body in world.bodies], float)
    if not np.array_equal(found.reshape(-1, 2), places.reshape(-1, 2)):
        raise FaultError(f"positions {found} of {places}")
    if scene.dt != document.get("dt", 1 / 60) or scene.steps != document.get("steps", 300):
        raise FaultError(f"dt {scene.dt} and steps {scene.steps}")
    world.step(scene.dt)
    for body in world.bodies:
        if not (np.isfinite(body.position).all() and math.isfinite(body.angle)):
            raise FaultError(f"after a step {body} is at {body.position}")
    return "loaded"


# ---------------------------------------------------------------------------------------- archives
def trajectory() -> Trajectory:
    """Few bodies of every kind, one of which leaves."""
    world = p2.World()
    world.add_body(p2.Circle(1), (0, 5), name="ball")
    hole = [(1, 1), (1, 2), (2, 2), (2, 1)]
    world.add_body(p2.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], holes=[hole]), (6, 2))
    leaver = world.add_body([p2.Capsule((0, 0), (1, 0), 0.2), p2.Circle(1)], (-6, 2))
    world.add_body(p2.Chain([(9, 0), (0, 0.5), (-9, 0)]), kind="static")
    world.add_body(p2.Segment((-9, -3), (9, -3)), kind="kinematic")

    def leave(world: p2.World, step: int) -> None:
        if step == 2:
            world.remove(leaver)

    recorded = Trajectory.record(world, 3, name="small", before_step=leave)
    recorded.wrap = np.array([40, math.inf])
    return recorded


def members_of(seed: Trajectory) -> dict[bytes, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.npz"
        seed.save(path)
        with np.load(path) as arrays:
            members = {}
            for name in arrays.files:
                buffer = io.BytesIO()
                np.save(buffer, arrays[name])
                members[name.encode() + b".npy"] = buffer.getvalue()
    return members


@lru_cache(maxsize=256)  # most members are as they were
def deflated_and_checksum(data: bytes) -> tuple[bytes, int]:
    return zlib.compress(data, 1)[2:-4], zlib.crc32(data)


def packed(rng: random.Random, members: list[tuple[bytes, bytes]]) -> bytearray:
    """An archive of these members, with the checksums that they have."""
    archive, directory = bytearray(), bytearray()
    deflated = rng.random() < 0.3
    for name, data in members:
        body, checksum = deflated_and_checksum(data)
        if not deflated:
            body = data
        numbers = struct.pack(
            "<HHHHIIIHH",
            *(0, 8 if deflated else 0, 0, 33, checksum, len(body), len(data)),
            *(len(name), 0),
        )
        directory += b"PK\1\2" + struct.pack("<HH", 20, 20) + numbers
        directory += struct.pack("<HHHII", 0, 0, 0, 0, len(archive)) + name
        archive += b"PK\3\4" + struct.pack("<H", 20) + numbers + name + body
    end = (0, 0, len(members), len(members), len(directory), len(archive), 0)
    return archive + directory + b"PK\5\6" + struct.pack("<HHHHIIH", *end)


DTYPES = "<f8 >f8 <f4 <i8 >i4 |i1 |u1 <u8 <u4 |b1 <U1 <U9 >U5 <U99999999 |S4 |O <c16 <M8[s] |V8 <f2"
SHAPES = (
    *("()", "(0,)", "(1,)", "(4,)", "(-1,)", "(4, 5)", "(5, 4)", "(4, 5, 2)", "(4, 0)", "(0, 2)"),
    *("(1000000000,)", "(9223372036854775807,)", "(18446744073709551616, 0)", "(4L,)", "[4]", "4"),
    *("(0, 1000000000000)", "(65536, 65536, 65536, 65536)", "(" + "1, " * 40 + ")"),
)
ABSURD = [
    struct.pack("<d", value)
    for value in (math.nan, -math.nan, math.inf, -math.inf, -1.0, 1e308, 5e-324, -0.0)
] + [struct.pack("<q", value) for value in (-1, 2**31, 2**63 - 1, -(2**63), 1, 255)]


def damaged_member(rng: random.Random, data: bytes) -> bytes:
    start = data.index(b"\n") + 1
    header, body = data[10 : start - 1].decode("latin1"), bytearray(data[start:])
    match rng.randrange(6):
        case 0:
            header = re.sub("'descr': '[^']*'", f"'descr': '{rng.choice(DTYPES.split())}'", header)
        case 1:
            header = re.sub(r"'shape': \([^)]*\)", f"'shape': {rng.choice(SHAPES)}", header)
        case 2:
            header = header.replace("False", rng.choice(("True", "0", "False or True")))
        case 3:
            letters = bytearray(header, "latin1")
            header = bytes(damaged_bytes(rng, letters)).decode("latin1")
        case 4 if len(body) >= 8:
            at = rng.randrange(0, len(body) - 7, rng.choice((1, 8)))
            body[at : at + 8] = rng.choice(ABSURD)
        case _:
            body = damaged_bytes(rng, body)
    if rng.random() < 0.9:
        header = header.strip().ljust(len(data[10 : start - 1]))
    text = header.encode("latin1") + b"\n"
    length = len(text) if rng.random() < 0.95 else rng.choice((0, 1, 10, 65535))
    version = b"\1\0" if rng.random() < 0.95 else rng.choice((b"\2\0", b"\3\0", b"\0\0"))
    return b"\x93NUMPY" + version + struct.pack("<H", min(length, 65535)) + text + bytes(body)


def damaged_archive(rng: random.Random, small: dict[bytes, bytes]) -> bytes:
    members = list(small.items())
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 3))):
        k, m = rng.randrange(len(members)), rng.randrange(len(members))
        (name, data), (other, other_data) = members[k], members[m]
        match rng.randrange(12):
            case 0:  # swapped
                members[k], members[m] = (name, other_data), (other, data)
            case 1:
                members[k] = other, data
            case 2:
                del members[k]
            case 3:
                members.append((name, rng.choice((data, other_data))))
            case 4:
                names = (name[:-4], b"../" + name, name.upper(), b"", b"\xff.npy", name + b"\0")
                members[k] = rng.choice(names), data
            case _ if b"\n" in data:
                members[k] = name, damaged_member(rng, data)
        if not members:
            break
    archive = packed(rng, members)
    match rng.randrange(10):
        case 0:
            archive = damaged_bytes(rng, archive)
        case 1 | 2 if members:  # the archive's own numbers
            signs = [b"PK\1\2", b"PK\3\4", b"PK\5\6"]
            places = [at.start() for at in re.finditer(b"|".join(signs), archive)]
            at = rng.choice(places) + 4 + rng.randrange(0, 42, 2)
            number = rng.choice((0, 1, 8, 255, 0xFFFF, 0x7FFF, rng.randrange(2**16)))
            archive[at : at + 2] = struct.pack("<H", number)
        case 3 if members:  # sizes and offsets in fields of ZIP64
            at = archive.index(b"PK\1\2")
            numbers = [rng.choice((0, 1, 2**32, 2**63, 2**64 - 1)) for _ in range(3)]
            extra = struct.pack("<HHQQQ", 1, rng.choice((24, 8, 0, 65535)), *numbers)
            archive[at + 20 : at + 28] = b"\xff" * 8
            archive[at + 30 : at + 32] = struct.pack("<H", len(extra))
            name = int.from_bytes(archive[at + 28 : at + 30], "little")
            archive[at + 46 + name : at + 46 + name] = extra
            end = archive.rindex(b"PK\5\6") + 12
            size = int.from_bytes(archive[end : end + 4], "little") + len(extra)
            archive[end : end + 4] = struct.pack("<I", size)
    return bytes(archive)


COMPARED = (
    *("times", "positions", "angles", "awake", "kinetic_energy", "potential_energy"),
    *("momentum", "angular_momentum", "penetration", "kinds", "colliders"),
)


def load(path: Path) -> Trajectory | None:
    """The trajectory of a file; None for one that is refused as it is to be."""
    try:
        return Trajectory.load(path)
    except ValueError as error:
        message = str(error)
        if not message.startswith(f"{path} is not a trajectory: ") or len(message) > 1000:
            raise FaultError(f"the message {message[:1000]!r}") from None
    return None


def check_archive(path: Path, data: bytes) -> str:
    loaded = load(path)
    if loaded is None:
        return "refused"
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        # By whole names: an archive may have a "kinds" beside "kinds.npy".
        members = set(archive.zip.namelist())
        for name in COMPARED:
            if name == "penetration" and f"{name}.npy" not in members:  # it may be missing
                continue
            found, expected = getattr(loaded, name), archive[f"{name}.npy"]
            if name == "awake":  # a body that does not live is not awake
                expected = expected & ~np.isnan(archive["angles.npy"])
            if found.shape != expected.shape:
                raise FaultError(f"{name} of shape {found.shape}, {expected.shape} in the file")
            if not np.array_equal(found, expected, equal_nan=name not in ("kinds", "awake")):
                raise FaultError(f"{name} is {found}, {expected} in the file")
        names = archive["body_names.npy"].tolist()
        if loaded.body_names != names or loaded.name != archive["name.npy"]:
            raise FaultError("other names than in the file")
        rings = [ring for _, rings, _, _ in loaded.shapes for ring in rings]
        vertices = np.concatenate(rings) if rings else np.empty((0, 2))
        if not np.array_equal(vertices, archive["vertices.npy"]):
            raise FaultError("other vertices than in the file")
    frames, bodies = loaded.angles.shape
    if not np.isfinite(loaded.times).all() or len(loaded.body_names) != bodies:
        raise FaultError("times that are not finite, or bodies without names")
    if frames != len(loaded) or not np.isfinite(vertices).all():
        raise FaultError("vertices that are not finite, or another number of frames")
    for body, shape in loaded.colliders:
        if not (0 <= body < bodies and 0 <= shape < len(loaded.shapes)):
            raise FaultError(f"a collider of body {body} and shape {shape}")
    return "loaded"


# ------------------------------------------------------------------------------------- any of them
HEAD = len(MAGIC)  # of a file of blocks


def stream() -> bytes:
    """A recording in blocks of a few frames, between which bodies come and go."""
    world = p2.World()
    world.add_body(p2.Box(9, 1), (0, -0.5), kind="static")
    ball = world.add_body(p2.Circle(0.5), (0, 0.6), name="ball")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.p2t"
        with world.record(path=path, flush=0, contacts=True, events=True):
            for step in range(3):
                if step == 1:
                    world.add_body(p2.Box(1, 1), (3, 1))
                if step == 2:
                    world.remove(ball)
                world.step()
        return path.read_bytes()


def blocks_of(data: bytes) -> list[bytes]:
    """The payloads, archives each."""
    found, at = [], HEAD
    while at < len(data):
        length, _ = BLOCK.unpack_from(data, at)
        found.append(data[at + BLOCK.size : at + BLOCK.size + length])
        at += BLOCK.size + length
    return found


def framed(payloads: list[bytes]) -> bytes:
    heads = (BLOCK.pack(len(payload), zlib.crc32(payload)) for payload in payloads)
    return MAGIC + b"".join(a + b for a, b in zip(heads, payloads, strict=True))


def members_in(payload: bytes) -> dict[bytes, bytes]:
    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        return {name.encode(): archive.read(name) for name in archive.namelist()}


def damaged_stream(rng: random.Random, payloads: list[bytes]) -> bytes:
    changed = list(payloads)
    k, m = rng.randrange(len(changed)), rng.randrange(len(changed))
    match rng.randrange(8):
        case 0:  # under no checksum
            return bytes(damaged_bytes(rng, bytearray(framed(changed))))
        case 1:
            del changed[k]
        case 2:
            changed[k], changed[m] = changed[m], changed[k]
        case 3:
            changed.insert(k, changed[m])
        case 4:
            changed[k] = bytes(damaged_bytes(rng, bytearray(changed[k])))
        case _:
            changed[k] = damaged_archive(rng, members_in(changed[k]))
    return framed(changed)


def check_stream(path: Path, data: bytes) -> str:
    """What is read of it: whole frames of bodies that are what they say."""
    loaded = load(path)
    if loaded is None:
        return "refused"
    frames, bodies = loaded.angles.shape
    if loaded.positions.shape != (frames, bodies, 2) or len(loaded.body_names) != bodies:
        raise FaultError(f"positions {loaded.positions.shape}, names {len(loaded.body_names)}")
    if not np.isfinite(loaded.times).all() or frames != len(loaded):
        raise FaultError("times that are not finite, or another number of frames")
    lives = np.isfinite(loaded.angles)
    if (loaded.awake & ~lives).any() or not np.isfinite(loaded.positions[lives]).all():
        raise FaultError("bodies that do not live and are awake, or live nowhere")
    for offsets, table in (
        (loaded.contact_offsets, loaded.contacts),
        (loaded.joint_offsets, loaded.joints),
    ):
        if len(offsets) != frames + 1 or offsets[0] != 0 or offsets[-1] != len(table):
            raise FaultError(f"offsets {offsets} of {len(table)} rows")
        for side in ("body_a", "body_b"):
            if len(table) and not (table[side].min() >= -1 and table[side].max() < bodies):
                raise FaultError(f"{side} is {table[side]} of {bodies}")
    if len(data) < 100_000:  # what it shows is drawn
        repr(loaded)
        loaded[:2]._repr_html_()
    return "loaded"


def damaged_bytes(rng: random.Random, data: bytearray) -> bytearray:
    if not data:
        return data
    at = rng.randrange(len(data))
    size = min(rng.choice((1, 1, 2, 4, 8, 100, len(data))), len(data) - at)
    match rng.randrange(6):
        case 0:
            data[at] ^= 1 << rng.randrange(8)
        case 1:
            data[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        case 2:
            del data[at:]
        case 3:
            del data[at : at + size]
        case 4:
            data[at:at] = rng.choice((bytes(size), rng.randbytes(size), data[at : at + size]))
        case _:
            to = rng.randrange(len(data))
            data[to:to] = data[at : at + size]
    return data


def check_calls(path: Path, data: bytes) -> str:
    fault, outcome = damaged_calls.check(path)
    if fault:
        raise FaultError(fault)
    return outcome


def check_snapshot(path: Path, data: bytes) -> str:
    return damaged_snapshots.check(data)


CHECKS = {
    "json": check_scene,
    "npz": check_archive,
    "p2t": check_stream,
    "calls": check_calls,
    "snapshot": check_snapshot,
}
KINDS = "scene,archive,scene,archive,stream,calls,snapshot"
READERS: dict[str, Callable[[Path], object]] = {
    "json": scenes.load,
    "npz": Trajectory.load,
    "p2t": Trajectory.load,
    "calls": p2.replay,
    "snapshot": lambda path: p2.World.from_snapshot(path.read_bytes()),
}


LEAST_MEMORY = 2**16  # bytes: a process gets whole pages, some at once
ROOM_OF_PIECE = 600  # of a place in the engine's table of pieces
ROOM_OF_SIDE = 500  # of a regular polygon of which a file says how many it has


class Files:
    """Damaged files, one after the other, in a folder of their own."""

    def __init__(self, folder: Path, kinds: str = KINDS, memory: bool = False) -> None:
        self.folder = folder
        self.kinds = kinds.split(",")
        self.members = members_of(trajectory())
        self.blocks = blocks_of(stream())
        self.calls = damaged_calls.blocks_of(damaged_calls.log())
        self.snapshots = [world.snapshot(user_data=False) for world in damaged_snapshots.worlds()]
        self.outcomes: Counter[str] = Counter()
        self.slowest = 0.0
        self.needs = self.undamaged() if memory else {}
        self.most: dict[str, float] = dict.fromkeys(self.needs, 0.0)

    def make(self, seed: int, number: int) -> tuple[str, bytes]:
        rng = random.Random(f"{seed} {number}")
        kind = self.kinds[number % len(self.kinds)]
        if kind == "scene":
            return "json", damaged_scene(rng)
        if kind == "calls":
            return "calls", damaged_calls.damaged(rng, self.calls, damaged_bytes)
        if kind == "stream":
            return "p2t", damaged_stream(rng, self.blocks)
        if kind == "snapshot":
            whole = rng.choice(self.snapshots)
            numbers = np.random.default_rng(rng.getrandbits(64))
            return "snapshot", damaged_snapshots.damaged(whole, numbers)
        return "npz", damaged_archive(rng, self.members)

    def undamaged(self) -> dict[str, tuple[int, int]]:
        """Bytes of memory that reading takes at most, and of the largest file, by suffix."""
        archive = bytes(packed(random.Random(0), list(self.members.items())))
        whole = {
            "json": [text.encode() for text in TEXTS],
            "npz": [archive],
            "p2t": [framed(self.blocks)],
            "calls": [damaged_calls.framed(self.calls), self.other_outcome()],
            "snapshot": self.snapshots,
        }
        needs = {}
        for suffix, files in whole.items():
            path = self.folder / f"whole.{suffix}"
            peaks = []
            for data in files * 4:
                path.write_bytes(data)
                peaks.append(peak_of(READERS[suffix], path))
            warm = peaks[len(files) :]  # modules are imported by the first ones
            needs[suffix] = max(warm), max(map(len, files))
        return needs

    def other_outcome(self) -> bytes:
        """A call log of a world that went another way: two states are compared."""
        path = self.folder / "other.calls"
        for k in range(1, len(self.calls)):
            changed = list(self.calls)
            changed[k] = changed[k][:-1] + bytes([changed[k][-1] ^ 1])
            path.write_bytes(damaged_calls.framed(changed))
            with contextlib.suppress(p2.CallLogError):
                if not p2.replay(path).same:
                    return path.read_bytes()
        raise AssertionError("no block ends with a hash")

    def check_memory(self, suffix: str, path: Path, data: bytes) -> None:
        """No more than twice what is honest: of the whole file, and more of more bytes."""
        need, size = self.needs[suffix]
        need = max(round(need * max(1, len(data) / size)), LEAST_MEMORY)
        if suffix == "snapshot":
            need += ROOM_OF_PIECE * damaged_snapshots.pieces(data)
        if suffix == "json":
            sides = re.findall(rb'"n": *([0-9]{1,6})\b', data)
            need += ROOM_OF_SIDE * sum(map(int, sides))
        peak = peak_of(READERS[suffix], path)
        for _ in range(3):  # a heap may grow at any time by what is long since out of use
            if peak > 2 * need:
                gc.collect()
                peak = min(peak, peak_of(READERS[suffix], path))
        self.most[suffix] = max(self.most[suffix], peak / need)
        if peak > 2 * need:
            raise FaultError(f"{peak} bytes of memory for a file that needs {need}")

    def check(self, seed: int, number: int) -> None:
        """Let one be read; a `FaultError` if anything is not as it must be."""
        suffix, data = self.make(seed, number)
        path = self.folder / f"damaged.{suffix}"
        path.write_bytes(data)
        start = perf_counter()
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            self.outcomes[f"{suffix} {CHECKS[suffix](path, data)}"] += 1
            if self.needs:
                self.check_memory(suffix, path, data)
        except FaultError:
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            raise FaultError(f"{type(error).__name__}: {str(error)[:1000]}") from error
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        self.slowest = max(self.slowest, perf_counter() - start)


def peak_of(read: Callable[[Path], object], path: Path) -> int:
    """Bytes that reading takes at most: of Python's and NumPy's memory, or of the process.

    The kernel counts the pages of a process on each processor apart and sums up every 32: by so
    many the highest count may be off, and so much is left out.
    """
    tracemalloc.start()
    uncertain = 32 * (os.cpu_count() or 1) * resource.getpagesize()
    pages = resident("VmHWM", reset=True) + uncertain
    with contextlib.suppress(ValueError, MemoryError, p2.CallLogError, p2.SnapshotError):
        read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return max(peak, resident("VmHWM") - pages)


def resident(what: str, reset: bool = False) -> int:
    """Bytes of the process in memory: now (VmRSS), or at most since the last reset (VmHWM)."""
    if not sys.platform.startswith("linux"):
        return 0
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split(what + ":")[1].split()[0])


class TooLongError(Exception):
    """A file took more than `SECONDS`."""


@contextlib.contextmanager
def bounds() -> Iterator[None]:
    """Little memory beside what is used now, and warnings and too much time are errors."""

    def too_long(number: int, frame: object) -> None:
        raise TooLongError(f"more than {SECONDS} s")

    limits = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGALRM, too_long)
    if not SANITIZED and sys.platform.startswith("linux"):  # sanitizers need address space
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, limits[1]))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # Scenes may be faster than their worlds, and say so.
            warnings.filterwarnings("ignore", ".*which steps limit it to", RuntimeWarning)
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGALRM, before)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first file")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so many")
    parser.add_argument("--kinds", default=KINDS)
    parser.add_argument("--memory", action="store_true", help="hold memory against honest files'")
    parser.add_argument("--only", type=int, help="the number of one file")
    parser.add_argument("--keep", help="where to keep a file that a fault is found with")
    options = parser.parse_args()
    first, last = options.first, options.first + options.count
    numbers = range(first, last) if options.only is None else [options.only]
    faults = 0
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder, bounds():
        files = Files(Path(folder), options.kinds, options.memory)
        start, busy = perf_counter(), process_time()
        for number in numbers:
            if perf_counter() - start > options.seconds:
                break
            try:
                files.check(options.seed, number)
            except FaultError as fault:
                faults += 1
                print(f"file {number} of seed {options.seed}: {fault}", flush=True)
                if faults == 20:
                    break
            if options.keep:
                suffix, data = files.make(options.seed, number)
                Path(f"{options.keep}.{suffix}").write_bytes(data)
        seconds, busy = perf_counter() - start, process_time() - busy
    done = sum(files.outcomes.values()) + faults
    print(
        f"{done} files from number {first} of seed {options.seed} in {seconds:.0f} s, "
        f"{done / busy:.0f} a second of processor time: "
        + ", ".join(f"{count} {what}" for what, count in sorted(files.outcomes.items()))
        + f", {faults} faults; slowest {files.slowest:.2f} s, "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at most"
    )
    for suffix, ratio in files.most.items():
        if ratio:
            print(f"{suffix}: {files.needs[suffix][0]} bytes honestly, {ratio:.2f} times that")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
