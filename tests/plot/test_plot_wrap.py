"""Pictures of wrapped worlds: what lies on a seam is seen on both sides."""

import math
import re

import numpy as np
from matplotlib.figure import Figure

import pyphys2d as p2
from pyphys2d import plot


def axes():
    return Figure().add_subplot()


def drawn_boxes(ax):
    """Bounds (n, 2, 2) of the polygons and circles that are drawn."""
    found = []
    for artist in ax.collections:
        offsets = getattr(artist, "_widths", None)
        if offsets is not None:
            for (x, y), r in zip(artist.get_offsets(), np.ravel(artist._widths), strict=False):
                if np.isfinite([x, y]).all():
                    found.append([[x - r, y - r], [x + r, y + r]])
            continue
        for path in artist.get_paths():
            points = path.vertices[np.isfinite(path.vertices).all(axis=1)]
            if len(points):
                found.append([points.min(axis=0), points.max(axis=0)])
    return np.array(found)


def scene(wrap=(20, 16)):
    world = p2.World((0, 0), wrap=wrap)
    world.add_body(p2.Box(2, 1), (0.5, 8))  # over the left side
    world.add_body(p2.Box(2, 2), (19.5, 15.8))  # over a corner: four times
    world.add_body(p2.Box(1, 1), (10, 8))
    world.add_body(p2.Box(1, 1, center=(45, 3)), (0, 0))  # lies at (5, 3)
    return world


def middles(ax):
    return {tuple(np.round(box.mean(axis=0), 6).tolist()) for box in drawn_boxes(ax)}


def test_bodies_on_seams_are_drawn_on_both_sides():
    ax = plot.world(scene(), axes())
    assert middles(ax) == {
        *[(0.5, 8), (20.5, 8), (10, 8), (5, 3)],
        *[(19.5, 15.8), (-0.5, 15.8), (19.5, -0.2), (-0.5, -0.2)],
    }
    assert ax.get_xlim() == (0, 20)
    assert ax.get_ylim()[0] == 0
    assert plot.world(scene(), axes(), islands=True, velocities=True, aabbs=True)


def test_one_direction_and_none():
    ax = plot.world(scene((20, math.inf)), axes())
    assert middles(ax) == {(0.5, 8), (20.5, 8), (10, 8), (5, 3), (19.5, 15.8), (-0.5, 15.8)}
    assert ax.get_xlim() == (0, 20)
    assert ax.get_ylim()[0] > -5
    plain = plot.world(scene(None), axes())
    assert len(drawn_boxes(plain)) == 4


def test_what_is_removed_and_what_moves():
    world = scene()
    bodies = plot.Bodies(world, axes())
    world.remove(world.bodies[2])
    world.velocities[0] = (-30, 0)
    world.step(n=30)  # 15 m to the left
    bodies.move(world.positions, world.angles)
    assert middles(bodies.ax) == {
        *[(5.5, 8), (5, 3)],
        *[(19.5, 15.8), (-0.5, 15.8), (19.5, -0.2), (-0.5, -0.2)],
    }


def test_films_show_both_sides():
    shown = {*[(0.5, 8), (20.5, 8), (10, 8), (5, 3)]}
    shown |= {(19.5, 15.8), (-0.5, 15.8), (19.5, -0.2), (-0.5, -0.2)}
    world = scene()
    trajectory = p2.Trajectory.record(world, 2)
    poses = np.dstack([trajectory.positions, trajectory.angles])
    for film in (plot.animate(trajectory), plot.animate(poses, world)):
        film._draw_was_started = True  # nobody looks
        assert middles(film.ax) == shown
        assert film.ax.get_xlim() == (0, 20)
        assert film.ax.get_ylim()[0] == 0
    for stage in world.stages():
        ax = plot.stage(stage, world, axes())
        assert ax.get_xlim() == (0, 20)
        assert shown <= middles(ax)
    assert plot.islands(world, axes()).get_xlim() == (0, 20)


def test_every_kind_of_shape():
    world = p2.World((0, 0), wrap=(20, 16))
    hole = p2.Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)], [[(-0.5, -0.5), (0.5, -0.5), (0, 0.5)]])
    for k, shape in enumerate(
        [p2.Circle(1), hole, p2.Capsule((-1, 0), (1, 0), 0.5), p2.Segment((-1, -1), (1, 1))]
    ):
        world.add_body(shape, (0.2, 2 + 4 * k))
    plot.world(world, axes())
    world.step()
    assert len(world.contacts) == 0


def test_contact_points_lie_in_the_world():
    world = p2.World((0, 0), wrap=(20, 16))
    world.add_body(p2.Box(1, 1), (19.6, 8))
    world.add_body(p2.Box(1, 1), (0.59, 8))
    world.step()
    assert (world.contacts["point"][:, 0] > 20).all()  # beside body_a
    ax = plot.world(world, axes())
    (line,) = [line for line in ax.lines if line.get_gid() == "contact points"]
    assert np.allclose(line.get_xdata(), 0.095, atol=0.02)


def test_notebook_pictures():
    world = scene()
    svg = world._repr_svg_()
    assert svg.count("<path d=") == 8
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
    assert width / height > 1.1
    assert scene(None)._repr_svg_().count("<path d=") == 4
    assert world.bodies[1]._repr_svg_().count("<path d=") <= 2
    assert "World of 4 bodies" in world._repr_html_()
    many = p2.World(wrap=(300, 300))
    many.add_bodies(p2.Box(1, 1), np.random.default_rng(0).uniform(0, 300, (4000, 2)))
    assert "boxes instead of shapes" in many._repr_html_()
    assert len(many._repr_svg_()) < 400_000
