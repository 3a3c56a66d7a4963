"""Recordings of bodies whose shapes change on the way: each frame has those that it had."""

import zlib

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import _player

WIDE = p2.Box(3, 1)


def run(path=None):
    """Frames 0 to 9: a ball that is a box in frames 4 to 6, a post that has an arm from 3 on and
    loses its foot in 8, and a ball that comes in 5."""
    world = p2.World(gravity=(0, 0))
    ball = world.add_body(p2.Circle(0.5), velocity=(1, 0), name="ball")
    post = world.add_body([p2.Box(1, 4), p2.Box(2, 1)], (5, 0), kind="static")
    foot = post.colliders[1]
    with world.record(path=path) as trajectory:
        for frame in range(1, 10):
            if frame == 3:
                post.attach(p2.Capsule((0, 2), (3, 2), 0.2))
            elif frame in (4, 7):
                # the same mass: nothing else tells that anything has changed
                ball.colliders[0].set_shape(WIDE if frame == 4 else p2.Circle(0.5), False)
            elif frame == 5:
                world.add_body(p2.Circle(0.25), (0, 5))
            elif frame == 8:
                world.remove(foot)
            world.step()
    return trajectory


def seen(trajectory):
    """The shapes of each body that lives, by frame, as (kind, number of vertices)."""
    frames = []
    for k in range(len(trajectory)):
        row = {}
        for (column, shape), (first, end) in zip(
            trajectory.colliders.tolist(), trajectory.collider_frames.tolist(), strict=True
        ):
            if first <= k < end and np.isfinite(trajectory.angles[k, column]):
                kind, rings, _, _ = trajectory.shapes[shape]
                row.setdefault(column, []).append((kind, float(np.ptp(rings[0][:, 0]))))
        frames.append({column: sorted(shapes) for column, shapes in row.items()})
    return frames


def expected(frame):
    shapes = {
        0: [("polygon", 3.0)] if 4 <= frame < 7 else [("circle", 0.0)],
        1: [("polygon", 1.0)],
    }
    if frame >= 3:
        shapes[1].append(("capsule", 3.0))
    if frame < 8:
        shapes[1].append(("polygon", 2.0))
    if frame >= 5:
        shapes[2] = [("circle", 0.0)]
    return {column: sorted(kinds) for column, kinds in shapes.items()}


EXPECTED = [expected(frame) for frame in range(10)]


def test_frames_have_the_shapes_of_their_time():
    trajectory = run()
    assert trajectory.collider_frames.dtype == np.int64
    assert seen(trajectory) == EXPECTED


def test_a_run_whose_shapes_stay_says_nothing_of_frames(tmp_path):
    world = p2.World()
    world.add_body([p2.Circle(0.5), p2.Circle(0.5)], (0, 5))
    trajectory = p2.simulate(world, 0.2)
    assert trajectory.collider_frames.tolist() == [[0, 13]] * 2
    trajectory.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as data:
        assert "collider_frames" not in data


def test_files_keep_them(tmp_path):
    run().save(tmp_path / "run.npz")
    again = p2.Trajectory.load(tmp_path / "run.npz")
    assert seen(again) == EXPECTED
    again.save(tmp_path / "twice.npz")
    assert seen(p2.Trajectory.load(tmp_path / "twice.npz")) == EXPECTED


def test_files_that_grow_keep_them(tmp_path):
    """Layouts change, so there are several segments; here each is a block of its own."""
    assert seen(run(tmp_path / "run.p2t")) == EXPECTED
    loaded = p2.Trajectory.load(tmp_path / "run.p2t")
    assert seen(loaded) == EXPECTED
    assert seen(loaded[2:9]) == EXPECTED[2:9]


def test_files_without_frames_of_colliders_load(tmp_path):
    """As versions before this one wrote them: all shapes, in all frames."""
    run().save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as data:
        arrays = {name: data[name] for name in data if name != "collider_frames"}
    np.savez(tmp_path / "old.npz", **arrays)
    old = p2.Trajectory.load(tmp_path / "old.npz")
    assert (old.collider_frames == (0, 10)).all()


@pytest.mark.parametrize("wrong", [(-1, 3), (0, 11), (4, 3)])
def test_frames_that_are_none_are_refused(tmp_path, wrong):
    run().save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as data:
        arrays = {name: data[name] for name in data}
    arrays["collider_frames"][0] = wrong
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(ValueError, match="collider_frames must be rising and >= 0 and <= 10"):
        p2.Trajectory.load(tmp_path / "bad.npz")


@pytest.mark.parametrize("key", [slice(4, 8), slice(None, None, 3), slice(None, None, -1)])
def test_parts_have_their_own_frames(key):
    trajectory = run()
    assert seen(trajectory[key]) == EXPECTED[key]
    assert seen(trajectory.sel(body="ball")) == [{0: row[0]} for row in EXPECTED]


def test_a_part_can_be_gone_on_with():
    world = p2.World(gravity=(0, 0))
    ball = world.add_body(p2.Circle(0.5))
    part = p2.Trajectory.record(world, 4)[1:3]
    ball.colliders[0].shape = WIDE
    part.add_frame(world)
    assert list(seen(part)[-1].values()) == [[("polygon", 3.0)]]


def test_a_state_that_comes_back_has_its_shapes():
    world = p2.World(gravity=(0, 0))
    collider = world.add_body(p2.Circle(0.5)).colliders[0]
    states = [world.snapshot()]
    collider.set_shape(WIDE, False)
    states.append(world.snapshot())
    with world.record() as trajectory:
        for k in (1, 0, 1, 1, 0, 1):
            world.restore(states[k])
            world.step()
    wide = [frame[0] == [("polygon", 3.0)] for frame in seen(trajectory)]
    assert wide == [True, True, False, True, True, False, True]


def test_players_show_them():
    trajectory = run()
    header, blob = _player.pack(trajectory)
    arrays = {
        row["name"]: np.frombuffer(
            zlib.decompress(blob), row["type"], int(np.prod(row["shape"])), row["at"]
        ).reshape(row["shape"])
        for row in header["arrays"]
    }
    bodies, late = header["bodies"], arrays["dressed"]
    assert bodies == 3
    for frame in range(10):
        drawn = {}
        for number, *_ in arrays["colliders"].tolist():
            body, first, end = (
                (number, 0, 10) if number < bodies else late[number - bodies].tolist()
            )
            if first <= frame < end and np.isfinite(trajectory.angles[frame, body]):
                drawn[body] = drawn.get(body, 0) + 1
        assert drawn == {body: len(shapes) for body, shapes in EXPECTED[frame].items()}
    last = _player.still_picture(trajectory)
    assert last.count("<circle") == 2
    assert last.count("<path") == 2  # the post and its arm
    assert _player.still_picture(trajectory, 5).count("<path") == 4


def test_films_show_them():
    plot = pytest.importorskip("pyphys2d.plot")
    trajectory = run()
    for options in ({}, {"color": "shape"}, {"color": "speed"}, {"follow": "ball"}):
        film = plot.animate(trajectory, fps=60, **options)
        for frame in range(10):
            film._show(frame)
            positions, angles, _ = film._data.at(frame)
            boxes = np.concatenate(film.bodies.boxes(positions, angles))
            shown = np.isfinite(boxes).all(axis=(1, 2)).sum()
            assert shown == sum(map(len, EXPECTED[frame].values()))
    bodies = plot.Bodies(trajectory)
    bodies.move(trajectory.positions[5], trajectory.angles[5])
    assert sum(len(group.rows) for group in bodies._groups) == 4  # what each has at first


def test_many_reshaped_bodies_stay_small():
    """A ball that grows in each frame: rows grow with the frames, not with their square."""
    world = p2.World(gravity=(0, 0))
    collider = world.add_body(p2.Circle(0.5)).colliders[0]
    with world.record() as trajectory:
        for k in range(200):
            collider.set_shape(p2.Circle(0.5 + 0.001 * (k + 1)), False)
            world.step()
    assert len(trajectory.colliders) == 201
    spans = trajectory.collider_frames
    np.testing.assert_array_equal(spans, np.column_stack([np.arange(201), np.arange(1, 202)]))
    radii = [trajectory.shapes[k][2] for k in trajectory.colliders[:, 1]]
    np.testing.assert_allclose(radii, 0.5 + 0.001 * np.arange(201))
    header, _ = _player.pack(trajectory)
    assert header["bodies"] == 1
