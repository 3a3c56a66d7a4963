"""Recordings: what steps did is in the trajectory, whatever call made them, and in its file,
however the run ended; other libraries get the same numbers.
"""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import _player, _recording, _trajectory_export, scenes
from pyphys2d.trajectory import Trajectory


def heap(seed=0, count=30):
    rng = np.random.default_rng(seed)
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static", name="floor")
    places = np.column_stack([rng.uniform(-4, 4, count), rng.uniform(1, 9, count)])
    world.add_bodies(p2.Box(0.6, 0.9), places, rng.uniform(0, 6, count), angular_velocity=1.5)
    lump = [p2.Circle(0.4, (0.7, 0)), p2.Box(1, 0.2)]  # its centre of mass is not its origin
    world.add_body(lump, (0, 12), name="lump", velocity=(1, 2), angular_velocity=3)
    bob = world.add_body(p2.Circle(0.3), (9, 4), name="bob", gravity_scale=0.5)
    world.add_revolute_joint(None, bob, anchor=(8, 4))
    return world


STATE = ("positions", "angles", "velocities", "angular_velocities", "awake")


def check_frames(trajectory, frames):
    for name in STATE:
        expected = np.array([frame[name] for frame in frames])
        np.testing.assert_array_equal(getattr(trajectory, name), expected)
    for name in ("kinetic_energy", "potential_energy", "momentum", "angular_momentum"):
        expected = np.array([frame[name] for frame in frames])
        np.testing.assert_allclose(getattr(trajectory, name), expected, rtol=1e-10, atol=1e-9)


def state(world):
    found = {name: getattr(world, name).copy() for name in STATE}
    measures = ("kinetic_energy", "potential_energy", "momentum", "angular_momentum")
    return found | {name: getattr(world, name)() for name in measures} | {"n": world.step_count}


@pytest.mark.parametrize("every", [1, 3])
def test_frames_are_the_states_of_the_world(every):
    world, twin = heap(), heap()
    with world.record(every) as trajectory:
        world.step(n=20)
        for _ in range(5):
            world.step()
        world.step(n=2)
    frames = [state(twin)]
    for k in range(27):
        twin.step()
        if (k + 1) % every == 0 or k == 26:
            frames.append(state(twin))
    check_frames(trajectory, frames)
    np.testing.assert_array_equal(trajectory.steps, [frame["n"] for frame in frames])
    assert world.hash() == twin.hash()
    world.step(n=5)
    assert len(trajectory) == len(frames)


def test_frames_of_many_bodies_are_bit_for_bit():
    """Long columns are copied in another way than short ones; odd numbers of slots do not align."""
    world = p2.World(gravity=(0, 0), sleeping=False)
    rng = np.random.default_rng(3)
    count = 8193 + 2  # the column of bytes is a long one too
    world.add_bodies(
        p2.Circle(0.01), rng.uniform(-900, 900, (count, 2)), velocity=rng.normal(size=(count, 2))
    )
    frames = []
    with world.record() as trajectory:
        for _ in range(5):
            frames.append(state(world))
            world.step()
        frames.append(state(world))
    check_frames(trajectory, frames)


def test_python_is_not_called_for_frames(monkeypatch):
    """But where there is no room."""
    calls = []
    attend = _recording.Writer.attend
    monkeypatch.setattr(
        _recording.Writer, "attend", lambda self, world: (calls.append(0), attend(self, world))
    )
    world = p2.World()
    bob = world.add_body(p2.Circle(0.3), (1, 0))
    with world.record() as trajectory:
        for _ in range(10):
            world.step()
        joint = world.add_revolute_joint(None, bob, anchor=(0, 0))
        world.step(n=5)
        world.remove(joint)
        world.step(n=5)
        assert not calls
    assert np.diff(trajectory.joint_offsets).tolist() == [0] * 11 + [1] * 5 + [0] * 5


@pytest.mark.parametrize("path", [None, "run.p2"])
def test_contacts_and_joints_are_those_of_each_step(tmp_path, path):
    """While there are ever more of them, and bodies come and go."""
    world = p2.World(sleeping=False)
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static")
    expected, heap = [], []
    file = None if path is None else tmp_path / path
    with world.record(contacts=True, path=file, flush=0) as trajectory:
        for k in range(60):
            if k % 3 == 0:
                places = [(1.5 * i - 20, 1 + k % 7) for i in range(k // 2 + 1)]
                slots = world.add_bodies(p2.Box(1, 1), places, velocity=(0, -5))
                heap += [world.bodies[slot] for slot in slots.tolist()]
            if k % 10 == 5:
                world.add_distance_joint(heap[-1], heap[-2])
                world.remove(heap[:3])
                del heap[:3]
            world.step(n=1 + k % 2)
            expected.append((world.step_count, world.contacts, world.joint_state))
    loaded = trajectory if file is None else p2.trajectory.Trajectory.load(file)
    frames = {int(step): k for k, step in enumerate(loaded.steps)}
    assert len(expected[-1][1]) > 300
    for step, contacts, joints in expected:
        k = frames[step]
        kept = loaded.contacts[loaded.contact_offsets[k] : loaded.contact_offsets[k + 1]]
        for name in set(contacts.dtype.names) - {"body_a", "body_b"}:  # which are columns
            np.testing.assert_array_equal(kept[name], contacts[name], name)
        kept = loaded.joints[loaded.joint_offsets[k] : loaded.joint_offsets[k + 1]]
        for name in set(joints.dtype.names) - {"body_a", "body_b"}:
            np.testing.assert_array_equal(kept[name], joints[name], name)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_memory_that_a_thread_gets_ready_is_not_waited_for_behind_a_fork():
    """A child has no such thread."""
    world = p2.World(sleeping=False)
    world.add_bodies(p2.Circle(0.1), [(k, 0) for k in range(1000)])
    with world.record() as trajectory:
        world.step()
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            world.step(n=2 * _recording.FIRST_FRAMES)
            os._exit(len(trajectory) != 2 + 2 * _recording.FIRST_FRAMES)
        assert os.waitpid(child, 0)[1] == 0


def test_recording_changes_nothing_and_several_go_on_at_once():
    world, twin = heap(1), heap(1)
    with (
        world.record() as one,
        world.record(2, contacts=True, events=True) as other,
    ):
        world.step(n=30)
    twin.step(n=30)
    assert world.hash() == twin.hash()
    np.testing.assert_array_equal(one.positions[::2], other.positions)


def test_contacts_and_joints_are_those_of_their_frames():
    world, twin = heap(2), heap(2)
    with world.record(contacts=True) as trajectory:
        world.step(n=50)
    depths = []
    for k in range(51):
        expected = twin.contacts
        a, b = trajectory.contact_offsets[k : k + 2]
        assert trajectory.contacts[a:b].tobytes() == expected.tobytes()
        a, b = trajectory.joint_offsets[k : k + 2]
        assert trajectory.joints[a:b].tobytes() == twin.joint_state.tobytes()
        depths.append(max(0, -expected["separation"].min(initial=0)))
        twin.step()
    assert len(trajectory.contacts) > 100
    np.testing.assert_array_equal(trajectory.penetration, depths)
    assert trajectory.contacts["normal"].shape == (len(trajectory.contacts), 2)
    with heap().record() as without:
        pass
    assert np.isnan(without.penetration).all()
    assert not without.has_contacts


def test_bodies_that_come_and_go():
    """Columns are of bodies, not of slots; contacts and events speak of columns."""
    world = heap(3, 5)
    first = world.bodies[2]
    with world.record(contacts=True, events=True, every=2) as trajectory:
        world.step(n=60)
        world.remove(first)
        late = world.add_body(p2.Circle(0.5), (0, 0.4), name="late")
        world.step(n=10)
        world.remove(late)
        world.add_body(p2.Circle(0.5), (3, 5), name="later")
        world.step(n=10)
    assert late.index == 2
    names = trajectory.body_names
    assert trajectory.positions.shape == (41, len(names), 2)
    lived = ~np.isnan(trajectory.angles)
    np.testing.assert_array_equal(lived[:, 2], np.arange(41) <= 30)
    np.testing.assert_array_equal(
        lived[:, names.index("late")], (np.arange(41) > 30) & (np.arange(41) <= 35)
    )
    np.testing.assert_array_equal(lived[:, names.index("later")], np.arange(41) > 35)
    frame = np.repeat(np.arange(41), np.diff(trajectory.contact_offsets))
    for side in ("body_a", "body_b"):
        assert lived[frame, trajectory.contacts[side]].all()
    begins = trajectory.events["contact_begin"]
    assert names.index("late") in {*begins["body_a"], *begins["body_b"]}
    radii = {names[column]: trajectory.shapes[k][2] for column, k in trajectory.colliders}
    assert radii["late"] == 0.5


def test_events_of_all_steps_are_kept():
    world, twin = heap(4), heap(4)
    world.step(n=30)
    twin.step(n=30)
    with world.record(every=7, events=True) as trajectory:
        world.step(n=100)
        for _ in range(20):
            world.step()
    twin.step(n=120)
    for name, table in trajectory.events.items():
        assert table.tobytes() == getattr(twin.events, name).tobytes(), name
    assert len(trajectory.events["contact_begin"])


def test_stages_are_steps():
    world, twin = heap(5), heap(5)
    with world.record(contacts=True) as trajectory:
        for _ in world.stages():
            pass
        world.stages().close()
    frames = [state(twin)]
    twin.step()
    frames.append(state(twin))
    check_frames(trajectory, frames)


def test_hooks_may_add_and_remove():
    world = p2.World()

    def spawn(world):
        world.add_body(p2.Circle(0.2), (world.step_count, 0))
        if world.step_count % 3 == 2:
            world.remove(world.bodies[0])

    world.on_force = spawn
    with world.record() as trajectory:
        world.step(n=12)
    assert trajectory.positions.shape == (13, 12, 2)
    assert (~np.isnan(trajectory.angles)).sum(axis=1).tolist() == [
        0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7, 8, 8,
    ]  # fmt: skip


def test_a_recording_ends_with_what_ends_the_block():
    world = heap()
    trajectory = None
    try:
        with world.record() as trajectory:
            world.step(n=3)
            raise ZeroDivisionError
    except ZeroDivisionError:
        world.step(n=4)
    assert len(trajectory) == 4
    recording = world.record()
    with recording:
        pass
    with pytest.raises(RuntimeError, match="once"):
        recording.__enter__()
    with pytest.raises(ValueError, match="every: must be >= 1, got 0"):
        world.record(0)
    with pytest.raises(ValueError, match="flush"):
        world.record(flush=-1)
    with pytest.raises(TypeError):
        world.record(contact=True)


def test_a_step_that_fails_keeps_the_frames_before():
    world = heap()

    def fail(world):
        if world.step_count == 4:
            raise KeyError("five")

    world.on_force = fail
    with world.record(contacts=True) as trajectory, pytest.raises(KeyError):
        world.step(n=9)
    assert trajectory.steps.tolist() == [0, 1, 2, 3, 4]


# ------------------------------------------------------------------------------------ simulate
def test_simulate():
    world, twin = heap(6), heap(6)
    trajectory = p2.simulate(world, 1.5, fps=20)
    np.testing.assert_allclose(trajectory.times, np.arange(31) / 20, atol=1e-12)
    assert trajectory.steps.tolist() == list(range(0, 91, 3))
    twin.step(1 / 60, n=90)
    assert world.hash() == twin.hash()
    assert p2.simulate(world, 0.1, fps=100).steps.tolist() == list(range(90, 101))
    for bad in ({"seconds": 0}, {"fps": np.inf}, {"dt": -1}):
        with pytest.raises(ValueError, match="must be > 0 and finite"):
            p2.simulate(world, **{"seconds": 1, **bad})
    with pytest.raises(TypeError, match="world"):
        p2.simulate(None, 1)


# ------------------------------------------------------------------------------------ selection
def test_selection_by_time_and_name():
    world = heap(7, 8)
    run = p2.simulate(world, 2, contacts=True, events=True)
    some = run.sel(time=slice(0.5, 1), body=["lump", "floor"])
    np.testing.assert_allclose(some.times[[0, -1]], (0.5, 1))
    k = run.body_names.index("lump")
    np.testing.assert_array_equal(some.positions[:, 0], run.positions[30:61, k])
    assert some.body_names == ["lump", "floor"]
    assert len(some.shapes) == 3
    a, b = run.contact_offsets[[30, 61]]
    rows = run.contacts[a:b]
    mine = np.isin(rows["body_a"], (0, k)) | np.isin(rows["body_b"], (0, k))
    np.testing.assert_array_equal(some.contacts["point"], rows["point"][mine])
    assert set(some.contacts["body_a"]) <= {-1, 0, 1}
    np.testing.assert_array_equal(run[10:20:2].angles, run.angles[10:20:2])
    assert run[10:20].events["contact_begin"]["step"].min(initial=10) >= 10
    assert run["bob"].positions.shape == (121, 1, 2)
    assert run.sel(time=0.502).times.tolist() == [run.times[30]]
    with pytest.raises(KeyError, match="did you mean 'lump'"):
        run["lumpp"]
    with pytest.raises(IndexError):
        run.sel(body=99)


# ------------------------------------------------------------------------------------ files
def assert_same(one, other):
    assert (one.name, one.body_names) == (other.name, other.body_names)
    for name in (*STATE, "times", "steps", "penetration", "contact_offsets", "joint_offsets",
                 "kinds", "contacts", "joints"):  # fmt: skip
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype, name
        assert (a.tobytes() == b.tobytes()) or np.array_equal(a, b, equal_nan=True), name
    np.testing.assert_allclose(one.kinetic_energy, other.kinetic_energy, rtol=1e-12)
    for name, table in one.events.items():
        assert table.tobytes() == other.events[name].tobytes()
    assert sorted(map(tuple, one.colliders)) == sorted(map(tuple, other.colliders))


@pytest.mark.parametrize("contacts", [False, True])
def test_files_hold_all_of_it(contacts, tmp_path):
    run = p2.simulate(heap(8), 1, contacts=contacts, events=contacts)
    run.save(tmp_path / "run.npz")
    assert_same(Trajectory.load(tmp_path / "run.npz"), run)


@pytest.mark.parametrize("flush", [0.0, 1e-4])
def test_a_file_that_grows_is_the_trajectory(flush, tmp_path):
    def run(world, **options):
        with world.record(contacts=True, events=True, name="grows", **options) as trajectory:
            world.step(n=40)
            world.remove(world.bodies[3])
            for _ in range(3):
                world.add_body(p2.Circle(0.3), (0, 9), name="new")
                world.step(n=30)
        return trajectory

    expected = run(heap(9))
    grown = run(heap(9), path=tmp_path / "run.p2t", flush=flush)
    for trajectory in (grown, Trajectory.load(tmp_path / "run.p2t")):
        assert_same(trajectory, expected)


def test_a_file_that_is_cut_or_damaged_is_read_up_to_there(tmp_path):
    path = tmp_path / "run.p2t"
    world = heap(10, 5)
    with world.record(path=path, flush=1e-6) as whole:
        for _ in range(12):
            world.step()
    good = path.read_bytes()
    positions = whole.positions
    frames = set()
    rng = np.random.default_rng(0)
    for length in (*rng.integers(29, len(good), 25).tolist(), len(good)):
        path.write_bytes(good[:length])
        part = Trajectory.load(path)
        frames.add(len(part))
        if len(part):
            np.testing.assert_array_equal(part.positions, positions[: len(part)])
    assert max(frames) == 13
    assert len(frames) > 5
    for _ in range(25):
        data = bytearray(good)
        data[rng.integers(29, len(good))] ^= 1 << rng.integers(8)
        path.write_bytes(data)
        part = Trajectory.load(path)
        assert len(part) < 13
        np.testing.assert_array_equal(
            part.positions, positions[: len(part), : part.positions.shape[1]]
        )


KILLED = """
import sys
import pyphys2d as p2
world = p2.World()
world.add_bodies(p2.Circle(0.2), [(k, k) for k in range(50)])
with world.record(path=sys.argv[1], flush=0.01):
    print("begun", flush=True)
    while True:
        world.step()
"""


def test_a_run_that_is_killed_leaves_its_frames(tmp_path, repository):
    path = tmp_path / "killed.p2t"
    environment = {**os.environ, "PYTHONPATH": str(repository)}
    command = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as run:
        assert run.stdout.readline() == b"begun\n"
        end = time.monotonic() + 30
        while path.stat().st_size < 200_000 and time.monotonic() < end:
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
    trajectory = Trajectory.load(path)
    assert len(trajectory) > 10
    assert trajectory.steps.tolist() == list(range(len(trajectory)))
    t = trajectory.times
    fall = trajectory.positions[:, 40, 1]
    np.testing.assert_allclose(fall, 40 - 9.81 / 2 * t * (t + 1 / 480), atol=0.02)


def test_a_file_that_cannot_be_written_is_an_error_of_the_block(tmp_path):
    with pytest.raises(FileNotFoundError), heap().record(path=tmp_path / "no" / "run.p2t"):
        pytest.fail("the block has begun")


# ------------------------------------------------------------------------------------ others
@pytest.fixture(scope="module")
def run():
    world = heap(11, 6)
    with world.record(contacts=True, events=True) as trajectory:
        world.step(n=50)
        world.remove(world.bodies[2])
        world.step(n=10)
    return trajectory


def test_data_frames(run):
    pytest.importorskip("pandas")
    frame = run.to_dataframe()
    assert len(frame) == (~np.isnan(run.angles)).sum()
    lump = frame[frame["name"] == "lump"]
    np.testing.assert_array_equal(lump["y"], run.positions[:, run.body_names.index("lump"), 1])
    frames = run.to_dataframe("frames")
    np.testing.assert_array_equal(frames["kinetic_energy"], run.kinetic_energy)
    contacts = run.to_dataframe("contacts")
    sums = contacts.groupby("frame")["normal_impulse"].sum()
    k = int(sums.index[-1])
    a, b = run.contact_offsets[k : k + 2]
    assert sums[k] == pytest.approx(run.contacts["normal_impulse"][a:b].sum())
    assert len(run.to_dataframe("contact_begin")) == len(run.events["contact_begin"])
    with pytest.raises(ValueError, match="table: must be one of bodies"):
        run.to_dataframe("body")


def test_parquet(run, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    run.to_parquet(tmp_path / "run.parquet", "contacts")
    back = pandas.read_parquet(tmp_path / "run.parquet")
    pandas.testing.assert_frame_equal(back, run.to_dataframe("contacts"))


def test_datasets_and_stores(run, tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    data = run.to_xarray()
    column = run.body_names.index("lump")
    np.testing.assert_array_equal(
        data["position"].sel(body=column, axis=1), run.positions[:, column, 1]
    )
    assert data["contacts_normal_impulse"].sum() == run.contacts["normal_impulse"].sum()
    run.to_zarr(tmp_path / "run.zarr")
    back = xarray.open_zarr(tmp_path / "run.zarr", consolidated=False)
    xarray.testing.assert_equal(back.load(), data)
    assert back.attrs["body_names"] == run.body_names


@pytest.mark.parametrize(
    ("module", "call"),
    [
        ("pandas", lambda run, path: run.to_dataframe()),
        ("pyarrow", lambda run, path: run.to_parquet(path)),
        ("xarray", lambda run, path: run.to_xarray()),
        ("zarr", lambda run, path: run.to_zarr(path)),
    ],
)
def test_a_library_that_is_missing_is_named_with_the_extra(
    module, call, run, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"needs {module}: .*pyphys2d\[data\]"):
        call(run, tmp_path / "x")


def test_what_notebooks_show(run, monkeypatch):
    text = run._repr_html_()
    assert "61 frames of 9 bodies" in text
    assert text.count("<iframe") == 1
    assert "<polyline" not in text
    monkeypatch.setattr(_trajectory_export, "MOST_PLAYED", 60 * 9)
    text = run._repr_html_()  # too long to be played
    assert text.count("<polyline") == (run.kinds == 2).sum()
    assert "<iframe" not in text
    assert repr(run) == f"<Trajectory {_trajectory_export.summary(run)}>"
    assert "no frames" in Trajectory()._repr_html_()


def test_words_of_a_run_are_rounded():
    world = p2.World()
    world.add_body(p2.Circle(1))
    run = p2.simulate(world, 7 / 12)
    assert repr(run) == "<Trajectory 36 frames of 1 body, 0 to 0.583 s>"
    one = Trajectory("start")
    one.add_frame(world)
    assert repr(one) == "<Trajectory 'start', 1 frame of 1 body, at 0.583 s>"


def test_a_page_that_plays_a_run(run, tmp_path):
    path = tmp_path / "run.html"
    assert run.to_html(path) is None
    assert path.read_text(encoding="utf-8") == run.to_html()
    assert run.to_html(autoplay=False) != run.to_html()
    with pytest.raises(OSError, match="no"):
        run.to_html(tmp_path / "no" / "run.html")
    assert "<noscript><img" in Trajectory().to_html()


def test_the_page_shows_what_is_asked_for():
    """The view, from the origin of its arrays; poses are rounded to a part of it."""
    run = p2.simulate(heap(), 0.5)
    for view in ((-3, 1, 5, 9), np.array([1e5, 0, 1e5 + 16, 4])):
        header, _ = _player.pack(run, asked=view)
        seen = np.reshape(header["view"], (2, 2)) + header["origin"]
        np.testing.assert_allclose(seen.ravel(), view)
        assert header["step"] == pytest.approx(max(view[2] - view[0], view[3] - view[1]) / 16384)
    assert run.to_html(view=(-3, 1, 5, 9)) != run.to_html()


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ((0, 0, 1), "must be (x_min, y_min, x_max, y_max) in metres, got (0, 0, 1)"),
        ((0, 0, np.inf, 1), "must be (x_min, y_min, x_max, y_max) in metres, got"),
        ((1, 0, 0, 1), "must have x_min < x_max and y_min < y_max, got (1, 0, 0, 1)"),
        ("abc", "must be (x_min, y_min, x_max, y_max) in metres, got 'abc'"),
        ((0, 0, "a", 1), "must be (x_min, y_min, x_max, y_max) in metres, got (0, 0, 'a', 1)"),
        ((-1e308, 0, 1e308, 1), "must be within +-1e+100 m, with sides of at least 1e-09 m, got"),
        ((0, 0, 1, 5e-324), "must be within +-1e+100 m, with sides of at least 1e-09 m, got"),
    ],
)
def test_a_view_that_is_none_is_refused(view, words):
    with pytest.raises((TypeError, ValueError), match=re.escape(f"view: {words}")):
        p2.simulate(p2.World(), 0.1).to_html(view=view)


def test_pictures(run):
    from matplotlib.figure import Figure

    for name in ("plot_energy", "plot_momentum", "plot_penetration"):
        axes = getattr(run, name)(Figure().add_subplot())
        assert len(axes.lines) >= 1
    axes = run.plot_paths("lump", Figure().add_subplot())
    np.testing.assert_array_equal(
        axes.lines[0].get_xydata(), run.positions[:, run.body_names.index("lump")]
    )
    assert len(run.plot_paths(ax=Figure().add_subplot()).lines) == (run.kinds == 2).sum()


def test_scenes_of_all_kinds_can_be_recorded(tmp_path):
    for name in ("bridge", "asteroids", "theo_jansen"):
        scene = scenes.build(name)
        with scene.world.record(contacts=True, events=True, name=name) as trajectory:
            scene.run(20)
        trajectory.save(tmp_path / "scene.npz")
        assert_same(Trajectory.load(tmp_path / "scene.npz"), trajectory)


@pytest.mark.parametrize(
    ("seconds", "fps", "dt", "named"),
    [(1, 1e-200, 1e-200, "fps, dt"), (1, 1e-9, 1e-3, "fps, dt"), (1e300, 1e300, 1, "seconds, fps")],
)
def test_a_simulation_of_more_steps_than_can_be_counted_is_refused(seconds, fps, dt, named):
    with pytest.raises(ValueError, match=named):
        p2.simulate(p2.World(), seconds, fps, dt=dt)


@pytest.mark.parametrize(
    ("time", "error", "message"),
    [
        (10**400, ValueError, "time: must be finite, got an integer too large for a float"),
        (np.nan, ValueError, "time: must be finite, got nan"),
        ("1", TypeError, "time: must be a real number, got '1'"),
        ([1.0, 2.0], ValueError, r"time: must be one number, got shape \(2,\)"),
        (slice(None, 10**400), ValueError, r"time\.stop: must be finite"),
        (slice(np.nan, None), ValueError, r"time\.start: must be finite"),
    ],
)
def test_a_time_that_is_no_number_is_refused(time, error, message):
    run = p2.simulate(p2.World(), 0.1)
    with pytest.raises(error, match=message):
        run.sel(time)


def test_slices_of_time_may_have_infinite_bounds():
    run = p2.simulate(p2.World(), 0.1)
    assert len(run.sel(slice(-np.inf, np.inf)).times) == len(run.times)


def test_a_layout_is_taken_anew_only_when_something_changed():
    """A full array is followed by the next: the rows of all bodies are looked at when one came,
    went or weighs something else, and they are then those of the world.
    """
    world = heap(count=3)
    recorder = p2._core._Recorder(lambda world: None, 1, False, False, False, 0.0)
    arena = np.zeros(1000)
    rows = recorder.start(world, arena, 0)
    world.step()
    assert recorder.start(world, arena, 100) is rows
    assert recorder.take(world)
    assert recorder.used == 100 + recorder.frame_size
    heavy = next(body for body in world.bodies if body.name == "bob")
    heavy.mass = 7.0
    changed = recorder.start(world, arena, 0)
    assert changed is not rows
    assert 7.0 in changed["mass"]
    assert 7.0 not in rows["mass"]
    world.add_body(p2.Circle(1), (50, 5))
    assert len(recorder.start(world, arena, 0)) == len(changed) + 1


@pytest.mark.parametrize(("seconds", "fps"), [(5, 0.01), (2, 1 / 60), (180, 1 / 60), (3, 0.5)])
def test_a_dt_in_the_place_of_fps_is_refused(seconds, fps):
    world = p2.World()
    with pytest.raises(ValueError, match=f"fps: .* at least 10 frames in .*dt={fps:g}$"):
        p2.simulate(world, seconds, fps)
    assert world.step_count == 0
    assert len(p2.simulate(world, 0.001)) == 2  # a short time has one frame all the same
