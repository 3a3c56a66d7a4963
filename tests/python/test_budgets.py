"""Files made to cost much: what they would cost is known, and refused, before it is spent.

Each is read by a process that may take little memory and processor time.
"""

import io
import json
import math
import os

import numpy as np
import pytest
from scenes_for_tests import run_python

from pyphys2d import _core, scenes
from pyphys2d.scenes import SceneError, loader
from pyphys2d.trajectory import Trajectory

POLYGON = {"type": "regular_polygon", "n": 10_000, "radius": 1}
SANITIZED = "sanitize" in _core.build_switches.split()

READ = """
import resource, sys, time
from pyphys2d.scenes import SceneError, load
from pyphys2d.trajectory import Trajectory
path, limited = sys.argv[1], sys.argv[2] == "limited"
read = load if path.endswith(".json") else Trajectory.load
options = eval(sys.argv[3])

def high_water():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) << 10

used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
if limited:
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**30, used + 2**30))
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 10,) * 2)
open("/proc/self/clear_refs", "w").write("5")  # the mark falls to what is used now
before = high_water()
try:
    read(path, **options)
    result = "read"
except (SceneError, ValueError) as error:
    result = str(error)
print(high_water() - before, result)
"""

pytestmark = pytest.mark.skipif(
    not os.path.exists("/proc/self/clear_refs"), reason="memory is measured on Linux alone"
)


def read(path, **options):
    """Bytes of memory that reading a file took, and what came of it."""
    limited = "free" if SANITIZED else "limited"  # sanitizers need address space
    done = run_python("-c", READ, str(path), limited, repr(options))
    assert done.returncode == 0, done.stderr
    memory, result = done.stdout.strip().split(" ", 1)
    return int(memory), result


# ------------------------------------------------------------------------------------------- scenes
def scene(path, bodies, **more):
    path.write_text(json.dumps({"bodies": bodies, **more}, separators=(",", ":")))
    return path


def test_bodies_that_share_a_large_shape(tmp_path):
    path = scene(tmp_path / "bomb.json", [{"shape": "a"}] * 10_000, shapes={"a": POLYGON})
    assert path.stat().st_size < 150_000
    most = loader.FREE_VERTICES + path.stat().st_size // loader.BYTES_PER_VERTEX
    assert read(path)[1] == (
        f"{path}: bodies[{most // 10_000 - 1}].shape: the shapes so far, counted once for each "
        f"body, have {10_000 * (1 + most // 10_000)} vertices, must be <= {most} (see max_vertices)"
    )


def test_many_short_lines_of_large_shapes(tmp_path):
    path = scene(tmp_path / "bomb.json", [{"shape": POLYGON}] * 17_000)
    assert 0.9e6 < path.stat().st_size < 1.1e6
    assert "vertices, must be <= 4" in read(path)[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape",
    [
        POLYGON,
        {"type": "chain", "points": [[k, k % 2] for k in range(10_000)]},
        {
            "type": "polygon",
            "vertices": [
                [round((1 + k % 2) * f(k * math.tau / 10_000), 4) for f in (math.cos, math.sin)]
                for k in range(10_000)
            ],
        },
        {"type": "circle", "radius": 1},
    ],
    ids=["regular", "chain", "star", "circle"],
)
def test_what_the_budget_lets_through_takes_what_it_says(shape, tmp_path):
    count = 1 if shape["type"] == "circle" else 10_000
    bodies = [{"shapes": ["a"] * 10_000}] * 19 if count == 1 else [{"shape": "a"}] * 18
    path = scene(tmp_path / "large.json", bodies, shapes={"a": shape})
    memory, result = read(path)
    assert result == "read"
    if not SANITIZED:
        assert memory < 2000 * 200_000 + 40 * path.stat().st_size


def test_the_budget_of_vertices_can_be_raised_and_lowered(tmp_path):
    text = scene(tmp_path / "a.json", [{"shape": "a"}] * 21, shapes={"a": POLYGON}).read_text()
    for given in ({}, {"max_vertices": 219_999}):
        with pytest.raises(SceneError, match="see max_vertices"):
            scenes.loads(text, **given)
    assert len(scenes.loads(text, max_vertices=220_000).world.bodies) == 21
    assert len(scenes.load(tmp_path / "a.json", max_vertices=220_000).world.bodies) == 21


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"bodies":' + "[" * 1_000_000, "nested too deeply"),
        ('{"bodies":' + '{"shape":' * 1_000_000, "nested too deeply"),
        ('{"bodies":[' + "{}," * 2_000_000 + "{}]}", "at most 100000 bodies, got 2000001"),
        ('{"bodies":[],"steps":' + "9" * 10_000_000 + "}", "is too large"),
        ('{"bodies":[],"dt":1e' + "9" * 10_000_000 + "}", "dt: the number is too large"),
        ('{"bodies":[],"name":"' + "a" * 10_000_000 + '"}', "name: must have at most 100"),
        ('{"bodies":[],"' + "a" * 10_000_000 + '":1}', 'unknown key "aaa'),
        ('{"bodies":[]' + " " * 2**24 + "}", "larger than 16 MiB"),
    ],
    ids=["lists", "objects", "bodies", "digits", "exponent", "name", "key", "spaces"],
)
def test_texts_that_are_deep_long_or_many(text, words, tmp_path):
    path = tmp_path / "bomb.json"
    path.write_text(text)
    memory, result = read(path)
    assert words in result
    assert len(result) < 300
    if not SANITIZED:
        assert memory < 40 * len(text)


# ----------------------------------------------------------------------------------------- archives
def archive(path, **lengths):
    """A sound trajectory of so many frames, bodies, colliders and shapes, all of them zero."""
    frames, bodies, colliders, shapes, letters = (
        lengths.get(name, least)
        for name, least in [
            ("frames", 0),
            ("bodies", 1 if "colliders" in lengths else 0),
            ("colliders", 0),
            ("shapes", 1 if "colliders" in lengths else 0),
            ("letters", 1),
        ]
    )
    angles = np.zeros((frames, bodies))
    angles[:, ::2] = lengths.get("angle", 0.0)
    arrays = {
        "format": np.int8(1),
        "name": np.array(""),
        "times": np.zeros(frames),
        "positions": np.stack([angles, angles], axis=-1),
        "angles": angles,
        "awake": np.zeros((frames, bodies), bool),
        "kinetic_energy": np.zeros(frames),
        "potential_energy": np.zeros(frames),
        "momentum": np.zeros((frames, 2)),
        "angular_momentum": np.zeros(frames),
        "penetration": np.zeros(frames),
        "kinds": np.zeros(bodies, np.int8),
        "body_names": np.full(bodies, lengths.get("letter", "") * letters, f"U{letters}"),
        "colliders": np.zeros((colliders, 2), np.int8),
        "shape_kinds": np.zeros(shapes, np.int8),
        "shape_radii": np.zeros(shapes),
        "shape_loops": np.zeros(shapes, bool),
        "shape_ring_starts": np.arange(shapes + 1, dtype=np.int32),
        "ring_vertex_starts": np.arange(shapes + 1, dtype=np.int32),
        "vertices": np.zeros((shapes, 2)),
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    path.write_bytes(buffer.getvalue())
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lengths", "kilobytes"),
    [
        ({"colliders": 10_000_000}, 24),  # 1.7 GB and 8 s
        ({"colliders": 100_000_000}, 199),  # MemoryError after 71 s
        ({"frames": 3_000_000}, 170),  # 3.2 GB and 27 s
        ({"bodies": 3_000_000}, 23),
        ({"bodies": 10, "letters": 10_000_000}, 400),
        ({"frames": 3000, "bodies": 3000}, 400),
    ],
    ids=str,
)
def test_archives_that_unpack_to_much(lengths, kilobytes, tmp_path):
    path = archive(tmp_path / "bomb.npz", **lengths)
    assert path.stat().st_size < 1000 * kilobytes
    memory, result = read(path)
    most = 256 * 2**20 + 64 * path.stat().st_size
    assert result.startswith(f"{path} is not a trajectory: its arrays take ")
    assert result.endswith(f" bytes of memory, must be <= {most} (see max_bytes)")
    assert SANITIZED or memory < 2_000_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "lengths",
    [
        {"frames": 36_000},
        {"bodies": 150_000, "letter": "\U00012345"},
        {"bodies": 100, "letters": 30_000, "letter": "\U00012345"},
        {"colliders": 330_000},
        {"shapes": 70_000},
        {"frames": 1200, "bodies": 600, "angle": 0.0},
        {"frames": 1200, "bodies": 600, "angle": np.nan},
        {"frames": 28_000, "bodies": 4, "angle": np.nan},
    ],
    ids=str,
)
def test_a_trajectory_takes_no_more_than_its_budget(lengths, tmp_path):
    path = archive(tmp_path / "large.npz", **lengths)
    most = 40 * 2**20
    memory, result = read(path, max_bytes=most)
    assert result == "read"
    assert SANITIZED or memory <= most
    assert "see max_bytes" in read(path, max_bytes=most // 2)[1]  # the estimate is not far above


def test_the_budget_of_an_archive_can_be_raised(tmp_path):
    path = archive(tmp_path / "large.npz", frames=300_000)
    with pytest.raises(ValueError, match="see max_bytes"):
        Trajectory.load(path)
    assert len(Trajectory.load(path, max_bytes=2**29)) == 300_000
