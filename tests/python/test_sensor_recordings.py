"""Recordings of sensors: pictures show them as zones, not as things one can touch."""

import re

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import _player
from pyphys2d.plot._bodies import Cast

ROWS = [  # column, shape, sensor, first frame, end
    (0, 0, False, 0, 6),
    (1, 1, False, 0, 6),
    (1, 1, True, 0, 6),
    (2, 0, False, 0, 3),
    (2, 0, True, 3, 6),
]


def run(path=None):
    """A ball, a post with a zone of the same shape, and a ball that is a sensor from frame 3 on."""
    world = p2.World(gravity=(0, 0))
    world.add_body(p2.Circle(0.5), name="ball")
    post = world.add_body(p2.Box(1, 4), (5, 0), kind="static")
    post.attach(p2.Box(1, 4), sensor=True)
    ghost = world.add_body(p2.Circle(0.5), (0, 5))
    with world.record(path=path) as trajectory:
        for frame in range(1, 6):
            ghost.colliders[0].sensor = frame >= 3
            world.step()
    return trajectory


def rows(trajectory):
    columns = (
        trajectory.colliders.tolist(),
        trajectory.collider_sensors.tolist(),
        trajectory.collider_frames.tolist(),
    )
    return sorted((*a, b, *c) for a, b, c in zip(*columns, strict=True))


def test_sensors_are_recorded_with_the_frames_in_which_they_are():
    trajectory = run()
    assert trajectory.collider_sensors.dtype == bool
    assert rows(trajectory) == ROWS
    assert [row for row in rows(trajectory[1:3]) if row[3] < row[4]] == [
        (c, s, sensor, max(0, a - 1), min(2, b - 1)) for c, s, sensor, a, b in ROWS if a < 3
    ]
    assert trajectory.sel(body="ball").collider_sensors.tolist() == [False]


def test_files_keep_them(tmp_path):
    run().save(tmp_path / "run.npz")
    assert rows(p2.Trajectory.load(tmp_path / "run.npz")) == ROWS
    run(tmp_path / "run.p2t")
    assert rows(p2.Trajectory.load(tmp_path / "run.p2t")) == ROWS


def test_files_without_sensors_say_nothing_of_them(tmp_path):
    """As versions before this one wrote them, and load."""
    trajectory = run().sel(body="ball")
    trajectory.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as data:
        assert "collider_sensors" not in data
    assert not p2.Trajectory.load(tmp_path / "run.npz").collider_sensors.any()


def test_a_file_with_as_many_as_it_has_colliders(tmp_path):
    run().save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as data:
        arrays = {name: data[name] for name in data}
    arrays["collider_sensors"] = arrays["collider_sensors"][1:]
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(ValueError, match="collider_sensors"):
        p2.Trajectory.load(tmp_path / "bad.npz")


def test_films_draw_zones_as_the_world_does():
    """Matplotlib's groups of a run are those of the world itself, in the state of its end."""
    world = p2.World(gravity=(0, 0))
    post = world.add_body(p2.Box(1, 4), (5, 0), kind="static")
    post.attach(p2.Box(1, 4), sensor=True)
    post.attach(p2.Circle(1), sensor=True)
    with world.record() as trajectory:
        world.step()

    def drawn(cast):
        return [(sensor, len(rows)) for _, sensor, rows in cast.shapes]

    assert drawn(Cast.of_trajectory(trajectory)) == drawn(Cast.of_world(world))
    assert drawn(Cast.of_trajectory(trajectory, trajectory._drawn())) == drawn(Cast.of_world(world))


def test_the_player_and_its_still_picture():
    """The flag is what web/drawing.js reads; a zone has no face."""
    trajectory = run()
    flags = _player._outlines(trajectory)["colliders"][:, 4]
    assert (flags & 1).tolist() == trajectory.collider_sensors.tolist()

    still = _player.still_picture(trajectory)  # the last frame: two zones among four outlines
    assert len(re.findall(r"<(?:circle|path) ", still)) == 4
    assert len(re.findall(r'fill="none" stroke="#b0479a" stroke-dasharray', still)) == 2
