"""The command line: files written, summaries, errors with a path and exit code 2, no traceback."""

import io
import json
import math
import os
import re
import resource
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from clock import within
from scenes_for_tests import run_python

import pyphys2d as p2
from pyphys2d.cli import main
from pyphys2d.scenes import SceneError, loads

NAMES = ["collision", "tunneling", "pyramid", "naval", "asteroids", "tumbler", "mixed"]


def command(*arguments, cwd=None, prelude=""):
    """python -m pyphys2d in a new process; `prelude` is code that runs before it."""
    if prelude:
        code = f"{prelude}\nimport sys; from pyphys2d.cli import main; sys.exit(main())"
        return run_python("-c", code, *arguments, cwd=cwd)
    return run_python("-m", "pyphys2d", *arguments, cwd=cwd)


def test_the_demo_leaves_a_trajectory_a_picture_and_a_summary(tmp_path):
    done = command("demo", "--out", str(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for word in ("bodies", "contacts", "energy", "ms per step", "steps per second"):
        assert word in done.stdout
    with np.load(tmp_path / "collision.npz", allow_pickle=False) as data:
        times, positions, angles = data["times"], data["positions"], data["angles"]
    assert positions.shape == (len(times), angles.shape[1], 2)
    assert len(times) > 100
    assert np.isfinite(positions).all()
    assert (np.diff(times) > 0).all()
    # something happened: bodies fell, and the picture is a picture
    assert np.abs(positions[-1] - positions[0]).max() > 1
    picture = (tmp_path / "collision.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(picture) > 10_000


@pytest.mark.parametrize("name", NAMES)
def test_every_scene_runs(name, tmp_path, capsys):
    assert main(["demo", name, "--steps", "20", "--out", str(tmp_path)]) == 0
    assert (tmp_path / f"{name}.npz").stat().st_size > 0
    assert (tmp_path / f"{name}.png").stat().st_size > 0
    assert "ms per step" in capsys.readouterr().out


def test_the_last_frame_is_the_state_of_the_world(tmp_path):
    from pyphys2d import scenes

    assert main(["demo", "pyramid", "--steps", "25", "--out", str(tmp_path)]) == 0
    scene = scenes.build("pyramid")
    scene.run(25)
    with np.load(tmp_path / "pyramid.npz") as data:
        np.testing.assert_array_equal(data["positions"][-1], scene.world.positions)
        np.testing.assert_array_equal(data["angles"][-1], scene.world.angles)
        assert data["times"][-1] == pytest.approx(25 * scene.dt)


def test_scenes_and_info_print(capsys):
    assert main(["scenes"]) == 0
    listing = capsys.readouterr().out
    assert all(name in listing for name in NAMES)
    assert main(["scenes", "--source", "car"]) == 0
    assert "def car() -> Scene:" in capsys.readouterr().out
    assert main(["scenes", "--source", "cart"]) == 2
    assert "did you mean 'car'?" in capsys.readouterr().err
    assert main(["info"]) == 0
    text = capsys.readouterr().out
    (line,) = [line for line in text.splitlines() if line.startswith("simd: ")]
    assert "(available: scalar" in line
    assert p2.__version__ in text
    assert np.__version__ in text


@pytest.mark.slow
@pytest.mark.parametrize("hidden", ["matplotlib", "tqdm"])
def test_without_an_extra_the_data_is_written_and_the_extra_named(hidden, tmp_path):
    # by its clock a step takes a second, so that a bar would appear without a long run
    prelude = (
        f"import itertools, sys; sys.modules[{hidden!r}] = None; "
        "import pyphys2d.cli_run; pyphys2d.cli_run.perf_counter = itertools.count().__next__"
    )
    done = command("demo", "tumbler", "--steps", "5", "--out", str(tmp_path), prelude=prelude)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "tumbler.npz").exists()
    assert ("a progress bar needs tqdm" in done.stdout) == (hidden == "tqdm")
    if hidden == "matplotlib":
        assert "'demo'" in done.stdout
        assert "atplotlib" in done.stdout
        assert not (tmp_path / "tumbler.png").exists()
        drawing = ElementTree.parse(tmp_path / "tumbler.svg").getroot()
        assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
        bodies = int(re.search(r"^bodies +(\d+)", done.stdout, re.M)[1])
        outlines = [
            path.get("d") or "" for path in drawing.iter("{http://www.w3.org/2000/svg}path")
        ]
        assert sum(text.count("M") for text in outlines) >= bodies


# ---------------------------------------------------------------- scene files

GOOD = {
    "name": "small",
    "steps": 30,
    "world": {"gravity": [0, -10]},
    "bodies": [
        {"kind": "static", "shape": {"type": "box", "width": 20, "height": 2}, "position": [0, -1]},
        {"shape": {"type": "box", "width": 1, "height": 1}, "position": [0, 0.5], "angle": 0.1},
        {"shape": {"type": "circle", "radius": 0.5}, "position": [3, 2], "restitution": 0.5},
        {
            "shape": {"type": "capsule", "p": [0, 0], "q": [1, 0], "radius": 0.2},
            "position": [-3, 2],
        },
    ],
}


def scene_file(tmp_path, content, name="scene.json"):
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_scene_file_runs_and_equals_the_world_made_by_hand(tmp_path):
    path = scene_file(tmp_path, GOOD)
    assert main(["run", str(path), "--out", str(tmp_path)]) == 0
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(20, 2), (0, -1), kind="static")
    world.add_body(p2.Box(1, 1), (0, 0.5), 0.1)
    world.add_body(p2.Circle(0.5), (3, 2), restitution=0.5)
    world.add_body(p2.Capsule((0, 0), (1, 0), 0.2), (-3, 2))
    world.step(n=30)
    with np.load(tmp_path / "scene.npz") as data:
        np.testing.assert_array_equal(data["positions"][-1], world.positions)


@pytest.mark.parametrize("wrap", [[50, 45], [50, None], [None, 41], [None, None]])
def test_scene_files_of_wrapped_worlds(wrap, tmp_path):
    sides = [math.inf if side is None else side for side in wrap]
    scene = loads(json.dumps(changed(["world", "wrap"], wrap)))
    world = p2.World(wrap=sides)
    assert scene.world.wrap is None if world.wrap is None else (scene.world.wrap == sides).all()
    path = scene_file(tmp_path, changed(["world", "wrap"], wrap))
    assert main(["run", str(path), "--out", str(tmp_path), "--steps", "5"]) == 0
    found = p2.Trajectory.load(tmp_path / "scene.npz")
    if wrap == [None, None]:
        assert found.wrap is None
    else:
        np.testing.assert_array_equal(found.wrap, sides)
        assert (
            (found.positions[1:] >= 0) & (found.positions[1:] < sides) | ~np.isfinite(sides)
        ).all()


def changed(path, value):
    """A copy of GOOD with one entry replaced."""
    scene = json.loads(json.dumps(GOOD))
    place = scene
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return scene


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            changed(["bodies", 2, "shape", "radius"], -1),
            ["bodies[2].shape.radius: must be > 0, got -1"],
        ),
        (
            changed(["bodies", 2, "shape", "radius"], "big"),
            ["bodies[2].shape.radius", "number", "big"],
        ),
        (changed(["bodies", 1, "position"], [0]), ["bodies[1].position"]),
        (changed(["bodies", 1, "position"], [0, None]), ["bodies[1].position[1]"]),
        (changed(["bodies", 1, "kind"], "solid"), ["bodies[1].kind", "solid"]),
        (changed(["bodies", 1, "shape", "type"], "bax"), ["bodies[1].shape.type", "bax", "box"]),
        (changed(["bodies", 1, "shape"], 3), ["bodies[1].shape"]),
        (changed(["bodies", 3, "wings"], 2), ["bodies[3]", "wings"]),
        (changed(["bodies"], {}), ["bodies"]),
        (changed(["steps"], 0), ["steps"]),
        (changed(["steps"], 2.5), ["steps"]),
        (changed(["dt"], 0.99e-9), ["dt: must be >= 1e-09, got 9.9e-10"]),
        (changed(["dt"], 1.1), ["dt: must be <= 1, got 1.1"]),
        (changed(["world", "gravity"], 10), ["world.gravity"]),
        (changed(["world", "solver"], "magic"), ["world.solver", "magic"]),
        (changed(["world", "wrap"], 20), ["world.wrap: must be a list of 2 numbers or nulls"]),
        (changed(["world", "wrap"], [20]), ["world.wrap", "list of 1"]),
        (changed(["world", "wrap"], [20, -1]), ["world.wrap[1]: must be > 0, got -1"]),
        (changed(["world", "wrap"], ["20", 3]), ["world.wrap[0]", "number"]),
        (changed(["world", "wrap"], [1e-3, 20]), ["world.wrap: the width"]),
        (changed(["world", "wrap"], [20, 16]), ["bodies[0].shape", "half"]),
        (
            changed(
                ["bodies", 1, "shape"],
                {"type": "polygon", "vertices": [[0, 0], [2, 2], [2, 0], [0, 2]]},
            ),
            ["bodies[1].shape", "cross"],
        ),
        ({"steps": 3}, ["bodies"]),
        ([1, 2], ["object"]),
        ("{", ["line 1"]),
        ("", []),
        ('{"bodies": [], "bodies": []}', ["bodies"]),
        ('{"bodies": [{"shape": {"type": "circle", "radius": NaN}}]}', []),
        (
            '{"bodies": [{"shape": {"type": "circle", "radius": 1e999}}]}',
            ["bodies[0].shape.radius"],
        ),
        ("[" * 100_000, []),
    ],
)
def test_a_wrong_file_is_one_line_with_its_path_and_exit_code_2(content, words, tmp_path, capsys):
    path = scene_file(tmp_path, content)
    assert main(["run", str(path), "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "Traceback" not in error
    assert len(error.strip().splitlines()) == 1
    assert "scene.json" in error
    for word in words:
        assert word in error
    assert list(tmp_path.iterdir()) == [path]


def test_files_that_are_no_text_or_not_there(tmp_path, capsys):
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00{")
    for path in (binary, tmp_path / "absent.json", tmp_path):
        assert main(["run", str(path), "--out", str(tmp_path)]) == 2
        error = capsys.readouterr().err
        assert len(error.strip().splitlines()) == 1
        assert str(path) in error


def test_an_unknown_scene_names_the_known_ones(capsys):
    assert main(["demo", "piramid"]) == 2
    assert "pyramid" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["dance"], ["demo", "--steps", "-1"], ["run"], ["demo", "--steps", "x"]]
)
def test_a_wrong_call_ends_with_exit_code_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert "Traceback" not in error
    assert "usage" in error


def test_the_process_ends_with_the_exit_code():
    done = command("dance")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "usage" in done.stderr


def test_the_shortest_step_that_a_file_may_have_can_be_made():
    scene = loads('{"dt": 1e-9, "bodies": [{"shape": {"type": "circle", "radius": 1}}]}')
    scene.run(2)
    assert scene.world.time == 2e-9


def test_a_full_disk_is_one_line_and_leaves_the_old_files(tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["demo", "collision", "--steps", "2", "--out", str(out)]) == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    capsys.readouterr()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Room for the trajectory, but not for the page; then for neither.
    for room, name in ((len(before["collision.npz"]) + 5000, "html"), (500, "npz")):
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
            code = main(["demo", "collision", "--steps", "2", "--out", str(out)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert code == 1
        assert capsys.readouterr().err == (
            f"error: cannot write {out / f'collision.{name}'}: File too large\n"
        )
        assert {path.name for path in out.iterdir()} == set(before)
        for old in ("collision.png", "collision.html"):
            assert (out / old).read_bytes() == before[old]


def test_an_output_that_cannot_be_written(tmp_path, capsys):
    blocker = tmp_path / "file"
    blocker.write_text("")
    assert main(["demo", "--steps", "2", "--out", str(blocker)]) == 1
    assert "Traceback" not in capsys.readouterr().err


# ---------------------------------------------------------------- files made to take long


def test_a_key_given_twice_among_many_is_found_at_once():
    keys = [f'"{k}": 0' for k in range(60_000)]
    with within(5), pytest.raises(SceneError, match="twice"):
        loads("{" + ", ".join([*keys, keys[-1]]) + "}")


def test_a_wrong_name_among_many_is_told_at_once():
    circle = {"type": "circle", "radius": 1}
    names = [
        f"{k:06}".translate(str.maketrans("0123456789", "abcdefghij")) * 16 for k in range(9000)
    ]
    scene = {"shapes": dict.fromkeys(names, circle), "bodies": [{"shape": "abcdefghij" * 10}]}
    with within(5), pytest.raises(SceneError, match="no shape is named"):
        loads(json.dumps(scene))


# ---------------------------------------------------------------- standard output

CALLS = [["scenes"], ["info"], ["--help"], ["demo", "tumbler", "--steps", "3"]]


def call(arguments, tmp_path, **streams):
    path = os.pathsep.join(entry for entry in sys.path if entry)
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONPATH": path}
    environment.pop("PYTHONUNBUFFERED", None)
    return subprocess.run(
        [sys.executable, "-P", "-m", "pyphys2d", *arguments],
        cwd=tmp_path,
        text=True,
        env=environment,
        timeout=300,
        **{"stderr": subprocess.PIPE, **streams},
    )


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("arguments", CALLS)
def test_a_full_standard_output_is_one_line(arguments, tmp_path):
    with open("/dev/full", "w") as full:
        done = call(arguments, tmp_path, stdout=full)
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert line.startswith("error: cannot write to standard output: ")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_the_exit_code_stays_where_no_word_can_be_written(tmp_path):
    with open("/dev/full", "w") as full:
        assert call(["run", "absent.json"], tmp_path, stdout=full, stderr=full).returncode == 2


@pytest.mark.slow
@pytest.mark.parametrize("arguments", CALLS)
def test_a_reader_that_has_left_is_no_news(arguments, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = call(arguments, tmp_path, stdout=writer)
    finally:
        os.close(writer)
    assert done.returncode == 1
    assert done.stderr == ""


@pytest.mark.parametrize("closed", [False, True])
def test_a_closed_standard_output_is_one_line(closed, capsys, monkeypatch):
    stream = io.StringIO() if closed else None  # None: closed before the interpreter started
    if stream is not None:
        stream.close()
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["scenes"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: cannot write to standard output: ")


def test_a_call_log_is_replayed(tmp_path, capsys):
    world = p2.World()
    path = tmp_path / "run.calls"
    with world.record_calls(path):
        world.add_body(p2.Circle(1))
        world.step(n=5)
    assert main(["replay", str(path), "--workers", "2"]) == 0
    assert capsys.readouterr().out == f"{path}: 5 steps, 1 calls; all the same\n"
    assert main(["replay", str(path), "--workers", "0"]) == 2
    assert main(["replay", str(tmp_path / "none")]) == 2
    path.write_bytes(path.read_bytes().replace(b"add_body", b"add_bods"))
    assert main(["replay", str(path)]) == 2
    assert "damaged" in capsys.readouterr().err
