"""Trajectory files: what is saved comes back, and no file, however damaged, gives anything but a
trajectory or a `ValueError` that names it.
"""

import io
import itertools
import os
import pickle
import re
import struct
import warnings
import zipfile

import numpy as np
import pytest
from scenes_for_tests import run_python

import pyphys2d as p2
from pyphys2d import scenes
from pyphys2d.trajectory import Trajectory

ATTRIBUTES = (
    "times",
    "positions",
    "angles",
    "awake",
    "kinetic_energy",
    "potential_energy",
    "momentum",
    "angular_momentum",
    "penetration",
    "kinds",
    "colliders",
)


def every_kind_of_shape():
    """A short trajectory of all shapes, in which a body leaves and another comes."""
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Chain([(-9, 0), (9, 0), (9, 9), (-9, 9)], loop=True), kind="static")
    world.add_body(p2.Segment((-2, 2), (2, 2.5)), kind="static", name="plank")
    frame = p2.Polygon(
        [(-1, -1), (1, -1), (1, 1), (-1, 1)],
        holes=[[(-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.5, -0.5)]],
    )
    leaves = world.add_body([p2.Circle(0.5), frame], (0, 5), name="Ring ☉")
    world.add_body(p2.Capsule((0, 0), (1, 0), 0.2), (-3, 2))
    trajectory = Trajectory("all")
    trajectory.add_frame(world)
    world.step()
    trajectory.add_frame(world)
    world.remove(leaves)
    world.add_body(p2.Box(1, 1), (3, 3))
    world.step()
    trajectory.add_frame(world)
    return trajectory


def saved(tmp_path, trajectory=None):
    path = tmp_path / "good.npz"
    (every_kind_of_shape() if trajectory is None else trajectory).save(path)
    return path


def assert_equal(one, other):
    assert one.name == other.name
    assert one.body_names == other.body_names
    assert len(one) == len(other)
    assert (one.wrap is None) == (other.wrap is None)
    if one.wrap is not None:
        np.testing.assert_array_equal(one.wrap, other.wrap)
    for name in ATTRIBUTES:
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    for (kind, rings, radius, loop), expected in zip(one.shapes, other.shapes, strict=True):
        assert (kind, radius, loop) == (expected[0], *expected[2:])
        for ring, other_ring in zip(rings, expected[1], strict=True):
            np.testing.assert_array_equal(ring, other_ring)


def load_or_value_error(path):
    """Whether the file is a trajectory; anything but yes and a `ValueError` fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            trajectory = Trajectory.load(path)
        except ValueError as error:
            message = str(error)
        else:
            message = ""
        if message:
            start, reason = message.split(" is not a trajectory: ")
            assert start == str(path)
            assert reason.strip(" .")[-1] != ":"
            return False
        for name in (*ATTRIBUTES, "shapes"):
            getattr(trajectory, name)
        trajectory.save(io_path := path.with_suffix(".again"))
        assert_equal(Trajectory.load(io_path), trajectory)
    return True


def test_a_file_gives_back_what_was_saved(tmp_path):
    trajectory = every_kind_of_shape()
    assert np.isnan(trajectory.positions).any()
    assert {shape[0] for shape in trajectory.shapes} == {
        "circle",
        "polygon",
        "capsule",
        "segment",
        "chain",
    }
    assert_equal(Trajectory.load(saved(tmp_path, trajectory)), trajectory)


@pytest.mark.parametrize("name", scenes.SCENES)
def test_trajectories_of_scenes_come_back(name, tmp_path):
    scene = scenes.build(name)
    trajectory = Trajectory.record(scene.world, 6, every=2, name=name)
    assert_equal(Trajectory.load(saved(tmp_path, trajectory)), trajectory)


@pytest.mark.parametrize(
    "trajectory", [Trajectory(), Trajectory.record(p2.World(), 2)], ids=["no frames", "no bodies"]
)
def test_empty_trajectories_come_back(trajectory, tmp_path):
    assert_equal(Trajectory.load(saved(tmp_path, trajectory)), trajectory)


def test_infinite_energies_come_back(tmp_path):
    world = p2.World()
    world.add_body(p2.Circle(1), velocity=(1e9, 0), angular_velocity=1e9)
    world.velocities[0, 0] = 1e300  # refused by the next step, but there to be read
    trajectory = Trajectory()
    trajectory.add_frame(world)
    assert_equal(Trajectory.load(saved(tmp_path, trajectory)), trajectory)


def test_measures_are_those_of_the_world():
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_body(p2.Box(1, 1), (3, 0.4), velocity=(2, 0))
    trajectory = Trajectory()
    deepest = []
    for _ in range(4):
        trajectory.add_frame(world)
        deepest.append(max(0, *-world.contacts["separation"], 0))
        world.step()
    x, y = 3, 0.4
    np.testing.assert_allclose(trajectory.momentum[0], (2, 0))
    np.testing.assert_allclose(trajectory.angular_momentum[0], x * 0 - y * 2)
    np.testing.assert_allclose(trajectory.kinetic_energy[0], 0.5 * 2**2)
    np.testing.assert_array_equal(trajectory.penetration, deepest)
    assert 0.05 < trajectory.penetration.max() <= 0.1


def wrapped(wrap=(20, 16), **motion):
    world = p2.World((0, 0), wrap=wrap)
    world.add_body(p2.Box(1, 1), (15, 9), angular_velocity=1, **motion)
    world.add_body(p2.Circle(1), (5, 5), kind="static", sensor=True)
    return world


@pytest.mark.parametrize("wrap", [(20, 16), (20, np.inf), (np.inf, 16)])
def test_ways_in_a_wrapped_world(wrap, tmp_path):
    """A straight line, which is lifted where it goes over a side."""
    v = np.array([37.0, -23.0])
    trajectory = Trajectory.record(wrapped(wrap, velocity=v), 120, every=7)
    trajectory = Trajectory.load(saved(tmp_path, trajectory))
    straight = (15, 9) + v * trajectory.times[:, None]
    np.testing.assert_allclose(trajectory.unwrapped[:, 0], straight, atol=1e-9)
    np.testing.assert_allclose(trajectory.unwrapped[:, 1], [(5, 5)] * len(trajectory))
    path = trajectory.path(0)
    lifted = np.isnan(path[:, 0])
    crossed = np.floor(straight[-1] / wrap) - np.floor(straight[0] / wrap)
    assert lifted.sum() == abs(np.nan_to_num(crossed)).sum() > 1
    steps = np.diff(path, axis=0)
    along = steps[~np.isnan(steps[:, 0])]
    np.testing.assert_allclose(along @ (23, 37), 0, atol=1e-9)  # in the line's direction
    assert (along @ v >= 0).all()
    assert np.hypot(*along.T).sum() == pytest.approx(np.hypot(*v) * 2)  # two seconds, no more
    inside = (path[~lifted] >= 0) & (path[~lifted] <= wrap)
    assert (inside | ~np.isfinite(wrap)).all()
    where = np.flatnonzero(lifted)
    gap = abs(path[where + 1] - path[where - 1])
    np.testing.assert_allclose(gap.sum(axis=1), np.where(gap[:, 0] > gap[:, 1], *wrap))
    assert (gap.min(axis=1) == 0).all()


def test_a_path_over_a_corner_and_of_who_was_placed_outside():
    world = p2.World((0, 0), wrap=(20, 16))
    world.add_body(p2.Box(1, 1), (39, 15), velocity=(2, 2))
    trajectory = Trajectory.record(world, 1, dt=1.0)
    path = trajectory.path(0)
    np.testing.assert_allclose(path[[0, -1]], [(19, 15), (1, 1)])
    assert np.isnan(path).any(axis=1).sum() == 2
    assert np.nanmax(np.abs(np.diff(path, axis=0))) <= 1 + 1e-9
    plain = Trajectory.record(wrapped(None, velocity=(37, 0)), 9)
    assert plain.wrap is None
    np.testing.assert_array_equal(plain.path(0), plain.positions[:, 0])
    np.testing.assert_array_equal(plain.unwrapped, plain.positions)
    with pytest.raises(IndexError):
        plain.path(2)


@pytest.mark.parametrize(
    "wrap", [(0.0, 1.0), (-1.0, 2.0), (np.nan, 1.0), (np.inf, np.inf), (1.0,), (1, 2)]
)
def test_files_with_an_absurd_wrap(wrap, tmp_path):
    with np.load(saved(tmp_path, Trajectory.record(wrapped(), 2))) as data:
        arrays = dict(data)
    arrays["wrap"] = np.array(wrap)
    path = tmp_path / "bad.npz"
    np.savez_compressed(path, **arrays)
    assert not load_or_value_error(path)


def test_files_of_other_writers(tmp_path):
    """Uncompressed, column by column, big-endian, other integers, an array more."""
    trajectory = every_kind_of_shape()
    with np.load(saved(tmp_path, trajectory)) as data:
        arrays = dict(data)
    arrays["positions"] = np.asfortranarray(arrays["positions"].astype(">f8"))
    arrays["kinds"] = arrays["kinds"].astype(">i4")
    arrays["shape_ring_starts"] = arrays["shape_ring_starts"].astype(np.uint16)
    arrays["comment"] = np.array("more")
    np.savez(tmp_path / "other.npz", **arrays)
    assert_equal(Trajectory.load(tmp_path / "other.npz"), trajectory)


# ---------------------------------------------------------------- damaged files
def test_flipped_bytes(tmp_path):
    good = saved(tmp_path).read_bytes()
    rng = np.random.default_rng(20)
    path = tmp_path / "bad.npz"
    refused = 0
    for _ in range(250):
        data = bytearray(good)
        # half of them in the directory at the end, where the archive's own numbers are
        first = 0 if rng.random() < 0.5 else good.rindex(b"format.npyPK") - 46
        for _ in range(rng.integers(1, 4)):
            data[rng.integers(first, len(data))] = rng.integers(256)
        path.write_bytes(data)
        refused += not load_or_value_error(path)
    assert refused > 100


@pytest.mark.slow
def test_flipped_bytes_that_no_checksum_covers(tmp_path):
    """The bytes of the arrays and their headers change, the archive around them is sound."""
    with zipfile.ZipFile(saved(tmp_path)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    rng = np.random.default_rng(21)
    path = tmp_path / "bad.npz"
    refused = 0
    for _ in range(250):
        changed = str(rng.choice(list(members)))
        data = bytearray(members[changed])
        first = 0 if rng.random() < 0.5 else data.index(b"\n")
        data[rng.integers(first, len(data))] = rng.choice([0, 1, 127, 128, 255, rng.integers(256)])
        write(path, {**members, changed: bytes(data)})
        refused += not load_or_value_error(path)
    assert refused > 100


def test_files_cut_short(tmp_path):
    good = saved(tmp_path).read_bytes()
    path = tmp_path / "bad.npz"
    for length in (*range(0, len(good), 97), len(good) - 1):
        path.write_bytes(good[:length])
        assert not load_or_value_error(path)


def write(path, members, **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, **options) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def header(text):
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("latin1")


def shaped(shape, descr="<f8"):
    return header(f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}\n")


@pytest.mark.parametrize(
    "times",
    [
        shaped("(1000000000000,)"),
        shaped("(10000000000000000000000,)"),
        shaped("(3,)"),
        shaped("(3,)") + bytes(23),
        shaped("(3,)") + bytes(25),
        shaped("(-3,)"),
        shaped("(3, 0)"),
        shaped("(3)") + bytes(24),
        shaped("(3 0)"),
        shaped("(,)") + bytes(8),
        shaped("(1000000000000, 0)"),
        shaped("(3,)", "|O") + bytes(24),
        shaped("(3,)", "|V8") + bytes(24),
        shaped("(3,)", "<M8[s]") + bytes(24),
        shaped("(3,)", "<i8") + bytes(24),
        shaped("(3,)", "<U99999999"),
        shaped("(3,)", [("x", "<f8")]) + bytes(24),
        header("{'descr': " + "(" * 5000),
        header("{'descr': 1if 0else 2}"),
        header("{" + "9" * 60_000 + "}"),
        header(""),
        b"\x93NUMPY\x01\x00\xff\xff",
        b"\x93NUMPY\x03\x00\xff\xff\xff\xff{}",
        b"\x93NUM",
        b"",
        b"no array",
    ],
)
def test_headers_that_lie(times, tmp_path):
    with zipfile.ZipFile(saved(tmp_path)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    path = tmp_path / "bad.npz"
    write(path, {**members, "times.npy": times})
    with pytest.raises(ValueError, match=r"bad\.npz is not a trajectory: times"):
        Trajectory.load(path)
    assert not load_or_value_error(path)


CLAIMS = """
import resource, sys
from pyphys2d.trajectory import Trajectory
start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    Trajectory.load(sys.argv[1])
except ValueError as error:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start, error)
"""


def test_a_directory_and_a_header_that_lie_together_take_no_memory(tmp_path):
    rows = 50_000_000
    path = tmp_path / "bad.npz"
    with zipfile.ZipFile(saved(tmp_path)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    times = shaped(f"({rows},)")
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**members, "times.npy": times}.items():
            archive.writestr(name, data, zipfile.ZIP_DEFLATED)
        archive.getinfo("times.npy").file_size = len(times) + 8 * rows
    done = run_python("-c", CLAIMS, str(path))
    assert done.returncode == 0, done.stderr
    kilobytes, message = done.stdout.split(" ", 1)
    assert int(kilobytes) < 20_000
    assert "times has a header for" in message


def patched(path, local, central):
    """Change 16-bit fields of all members: {offset: value} in local and directory headers."""
    data = bytearray(path.read_bytes())
    for signature, fields in ((b"PK\3\4", local), (b"PK\1\2", central)):
        place = -1
        while (place := data.find(signature, place + 1)) >= 0:
            for offset, value in fields.items():
                struct.pack_into("<H", data, place + offset, value)
    return data


@pytest.mark.parametrize(
    ("local", "central"),
    [
        ({6: 1}, {8: 1}),  # encrypted
        ({8: 99}, {10: 99}),  # a method that does not exist
        ({8: 12}, {10: 12}),  # bzip2
        ({8: 14}, {10: 14}),  # LZMA
        ({}, {10: 0}),  # deflated, said to be stored
        ({}, {6: 99}),  # needs a later version
        ({}, {8: 32}),  # a patch to other data
        ({}, {44: 0x7FFF}),  # elsewhere
        ({}, {30: 9000}),
    ],
)
def test_archives_with_fields_that_zipfile_does_not_take(local, central, tmp_path):
    path = saved(tmp_path)
    path.write_bytes(patched(path, local, central))
    assert not load_or_value_error(path)


def test_an_archive_behind_other_bytes_is_none(tmp_path):
    path = saved(tmp_path)
    for before in (b"P", b"MZ\0\0", b"PK\1\2", bytes(1000)):
        other = tmp_path / "other.npz"
        other.write_bytes(before + path.read_bytes())
        with pytest.raises(ValueError, match=r"other\.npz is not a trajectory: not an \.npz"):
            Trajectory.load(other)


def test_what_stands_for_a_name_is_not_all_shown(tmp_path):
    path = saved(tmp_path)
    path.write_bytes(patched(path, {26: 60_000}, {}))  # a name as long as the file
    with pytest.raises(ValueError, match="not a sound") as raised:
        Trajectory.load(path)
    assert len(str(raised.value)) < 300 + len(str(path))


def test_archives_of_other_things(tmp_path):
    path = tmp_path / "bad.npz"
    with zipfile.ZipFile(saved(tmp_path)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    optional = {"steps.npy", "velocities.npy", "angular_velocities.npy", "penetration.npy"}
    for absent in members.keys() - optional:
        write(path, {name: data for name, data in members.items() if name != absent})
        assert not load_or_value_error(path)
        write(path, {name.removesuffix(".npy"): data for name, data in members.items()})
        assert not load_or_value_error(path)
    write(path, {"readme.txt": b"text"})
    assert not load_or_value_error(path)
    write(path, {})
    assert not load_or_value_error(path)
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        warnings.simplefilter("ignore")
        for name, data in itertools.chain(members.items(), [("times.npy", members["times.npy"])]):
            archive.writestr(name, data)
    assert not load_or_value_error(path)
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(3))
    for data in (b"", b"PK", b"text", bytes(1000), buffer.getvalue()):
        path.write_bytes(data)
        assert not load_or_value_error(path)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("format", lambda a: a + 1),
        ("format", lambda a: a.astype(float)),
        ("name", lambda a: np.array([1, 2])),
        ("name", lambda a: np.array(["a", "b"])),
        ("times", lambda a: a * np.nan),
        ("times", lambda a: a[:-1]),
        ("times", lambda a: a.astype(complex)),
        ("times", lambda a: a.astype(np.float16)),
        ("positions", lambda a: np.copysign(np.inf, a)),
        ("positions", lambda a: a * np.nan),
        ("positions", np.nan_to_num),
        ("positions", lambda a: a[:, :, :1]),
        ("positions", lambda a: a[:, 0]),
        ("angles", lambda a: np.where(np.isnan(a), np.inf, a)),
        ("angles", np.nan_to_num),
        ("angles", lambda a: a[0]),
        ("awake", lambda a: a.astype(np.uint8)),
        ("kinetic_energy", lambda a: a[:, None]),
        ("momentum", lambda a: a[:, 0]),
        ("angular_momentum", lambda a: a[:-1]),
        ("penetration", lambda a: a - 1),
        ("penetration", lambda a: a * np.nan),
        ("kinds", lambda a: a + np.uint8(2)),
        ("kinds", lambda a: a.astype(float)),
        ("kinds", lambda a: a.astype(np.int8) - 1),
        ("body_names", lambda a: a.astype(bytes) if a.dtype.kind == "S" else np.zeros(len(a))),
        ("body_names", lambda a: a[1:]),
        ("colliders", lambda a: a + 1),
        ("colliders", lambda a: a - 1),
        ("colliders", lambda a: a.astype(float)),
        ("colliders", lambda a: a[:, ::-1] + [[0, 4]]),
        ("shape_kinds", lambda a: a + np.uint8(1)),
        ("shape_kinds", lambda a: a + np.uint8(250)),
        ("shape_kinds", lambda a: a[::-1].copy()),
        ("shape_radii", lambda a: a - 1),
        ("shape_radii", lambda a: a + np.nan),
        ("shape_loops", lambda a: a.astype(float)),
        ("shape_ring_starts", lambda a: a.astype(float)),
        ("shape_ring_starts", lambda a: a[:-1]),
        ("shape_ring_starts", lambda a: a[::-1].copy()),
        ("shape_ring_starts", lambda a: a + 1),
        ("ring_vertex_starts", lambda a: a[:0]),
        ("ring_vertex_starts", lambda a: a.astype(np.uint64)),
        ("ring_vertex_starts", lambda a: np.r_[a[0], 2**63 - 1, -2, a[3:]]),
        ("ring_vertex_starts", lambda a: np.r_[a[:2], a[2] + 1, a[3:]]),
        ("vertices", lambda a: a * np.nan),
        ("vertices", lambda a: a[:-1]),
        ("vertices", lambda a: a.T.copy()),
    ],
)
def test_arrays_that_make_no_sense(name, change, tmp_path):
    with np.load(saved(tmp_path)) as data:
        arrays = dict(data)
    arrays[name] = change(arrays[name])
    path = tmp_path / "bad.npz"
    np.savez_compressed(path, **arrays)
    assert not load_or_value_error(path)


def test_bytes_that_are_neither_true_nor_false_nor_characters(tmp_path):
    with zipfile.ZipFile(saved(tmp_path)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    path = tmp_path / "bad.npz"
    for name in ("awake.npy", "shape_loops.npy", "name.npy", "body_names.npy"):
        write(path, {**members, name: members[name][:-4] + b"\xff\xff\xff\xff"})
        assert not load_or_value_error(path), name


def test_files_that_cannot_be_opened_and_no_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        Trajectory.load(tmp_path / "absent.npz")
    with pytest.raises(IsADirectoryError):
        Trajectory.load(tmp_path)
    with pytest.raises(ValueError, match="not a regular file"):
        Trajectory.load(os.devnull)
    with pytest.raises(ValueError):
        Trajectory.load("null\0character")


@pytest.mark.parametrize(
    ("save", "name", "message"),
    [
        (Trajectory.save, "a.gif", r"must end in \.npz, got '.*a\.gif'; .* run\.animate\(\)\.save"),
        (Trajectory.save, "a.MP4", r"must end in \.npz, .* run\.animate\(\)\.save\('.*a\.MP4'\)"),
        (Trajectory.save, "a.html", r"must end in \.npz, .* run\.to_html\('.*a\.html'\)"),
        (Trajectory.save, "a.png", r"must end in \.npz, .* run\.plot_paths\(\)\.figure\.savefig"),
        (Trajectory.save, "a.svg", r"must end in \.npz"),
        (Trajectory.save, "a.txt", r"must end in \.npz, .* run\.to_dataframe\(\)\.to_csv"),
        (Trajectory.save, "a.csv", r"must end in \.npz, .* run\.to_dataframe\(\)\.to_csv"),
        (Trajectory.save, "a.json", r"must end in \.npz, .* run\.to_dataframe\(\)\.to_json"),
        (Trajectory.save, "a.pkl", r"must end in \.npz, got '.*a\.pkl'$"),
        (Trajectory.to_html, "a.gif", r"must end in \.html, .* run\.animate\(\)\.save"),
        (Trajectory.to_html, "a.npz", r"must end in \.html, .* run\.save\('.*a\.npz'\)"),
    ],
)
def test_names_of_other_kinds_of_files_are_refused(save, name, message, tmp_path):
    with pytest.raises(ValueError, match=f"^path: {message}"):
        save(every_kind_of_shape(), tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["run", "run.2", "run.NPZ", "run.of.day"])
def test_names_of_no_known_kind_are_taken(name, tmp_path):
    run = every_kind_of_shape()
    run.save(os.fsencode(tmp_path / name))
    assert_equal(run, Trajectory.load(tmp_path / name))


@pytest.mark.parametrize("k", [0, 2, -1, -3, np.int64(1)])
def test_an_integer_is_answered_with_its_frame(k):
    """It may be meant as a frame or as a column; what the message names is the frame."""
    run = every_kind_of_shape()
    with pytest.raises(TypeError, match="must be a slice of frames or a name, got int") as raised:
        run[k]
    start, end = re.search(r"one frame is \[(-?\d+):(-?\d*)\]", str(raised.value)).groups()
    frame = run[int(start) : int(end) if end else None]
    assert frame.times.tolist() == [run.times[k]]
    assert f".positions[{k}]" in str(raised.value)
    assert f".sel(body={k})" in str(raised.value)


@pytest.mark.parametrize("walk", [list, iter, enumerate, set])
def test_a_run_is_not_iterable_and_says_what_its_frames_and_bodies_are(walk):
    for run in (every_kind_of_shape(), Trajectory()):
        with pytest.raises(
            TypeError, match=r"run\.positions\[3\], or run\[3:4\]; bodies are run\["
        ):
            walk(run)


@pytest.mark.parametrize("thing", [None, 1, [1], p2.Circle(1)])
def test_only_worlds_have_frames(thing):
    with pytest.raises(TypeError, match="world: must be a World"):
        Trajectory().add_frame(thing)
    with pytest.raises(TypeError, match="world: must be a World"):
        Trajectory.record(thing, 3)


def test_paths_of_bodies_that_are_not_there():
    world = p2.World()
    world.add_body(p2.Circle(1))
    trajectory = Trajectory.record(world, 2)
    assert trajectory.path(-1).shape == (3, 2)
    for body in (1, -2, 2**70):
        with pytest.raises(IndexError, match=f"body: must be a column, < 1, got {body}"):
            trajectory.path(body)
    with pytest.raises(TypeError):
        trajectory.path(0.5)


def test_bodies_by_handle(tmp_path):
    world = p2.World()
    balls = [world.add_body(p2.Circle(0.3), (k, 0), name=f"ball {k}") for k in range(3)]
    run = p2.simulate(world, 0.5)
    for k, ball in enumerate(balls):
        assert (run[ball].positions[:, 0] == run.positions[:, k]).all()
        assert (run.path(ball) == run.path(k)).all()
        assert (run[10:][ball].positions[:, 0] == run.positions[10:, k]).all()
    assert run.sel(body=[balls[2], balls[0]]).body_names == ["ball 2", "ball 0"]
    part = run.sel(body=balls[1:])
    assert part[balls[2]].body_names == ["ball 2"]
    with pytest.raises(TypeError, match="take the name, 'ball 0'"):
        part[balls[0]]
    world.remove(balls[1])
    assert (run[balls[1]].positions[:, 0] == run.positions[:, 1]).all()
    other = p2.World().add_body(p2.Circle(1), name="other")
    with pytest.raises(TypeError, match="take the name, 'other'"):
        run[other]
    run.save(tmp_path / "run.npz")
    again = p2.Trajectory.load(tmp_path / "run.npz")
    with pytest.raises(TypeError, match="take the name, 'ball 0'"):
        again[balls[0]]
    copied = pickle.loads(pickle.dumps(part))
    with pytest.raises(TypeError, match="take the name"):
        copied[balls[2]]
