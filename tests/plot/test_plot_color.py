"""What the colours of bodies say: their state, shape or speed, or what the caller wants."""

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.collections import EllipseCollection, PolyCollection
from matplotlib.colors import to_rgb
from scenes_to_draw import axes

import pyphys2d as p2
from pyphys2d import plot


def moving():
    """A floor, four circles that go at 0, 1, 2 and 4 m/s, and two boxes."""
    world = p2.World(gravity=(0, 0))
    world.add_body(p2.Box(30, 1), (0, -3), kind="static")
    for k, speed in enumerate((0, 1, 2, 4)):
        world.add_body(p2.Circle(0.5), (3 * k, 0), velocity=(0.6 * speed, -0.8 * speed))
    for k in range(2):
        world.add_body(p2.Box(1, 1), (3 * k, 4))
    return world


def faces(ax, kind):
    """Colours of the areas, (n, 3), of the collections of this kind that have any."""
    found = [c.get_facecolor() for c in ax.collections if isinstance(c, kind)]
    return np.concatenate([f for f in found if len(f)])[:, :3]


def test_speeds_are_colours_of_a_scale():
    ax = plot.world(moving(), axes(), color="speed")
    expected = colormaps["YlOrRd"](np.array([0, 1, 2, 4]) / 4)[:, :3]
    np.testing.assert_allclose(faces(ax, EllipseCollection), expected)
    (scale,) = ax.child_axes
    assert scale.get_ylabel() == "speed (m/s)"
    np.testing.assert_allclose(scale.get_ylim(), (0, 4))
    ax.figure.draw_without_rendering()
    picture, beside = ax.get_window_extent(), scale.get_window_extent()
    np.testing.assert_allclose((beside.y0, beside.y1), (picture.y0, picture.y1))
    assert beside.x0 > picture.x1


def test_a_scale_is_part_of_the_legend():
    ax = plot.world(moving(), axes(), color="speed", legend=False)
    assert not ax.child_axes
    still = p2.World(gravity=(0, 0))
    still.add_body(p2.Circle(1))
    ax = plot.world(still, axes(), color="speed")  # the scale has a length, nevertheless
    np.testing.assert_allclose(faces(ax, EllipseCollection), colormaps["YlOrRd"]([0.0])[:, :3])


def test_what_never_moves_is_grey():
    world = moving()
    grey = faces(plot.world(world, axes()), PolyCollection)[0]
    for color in ("speed", "shape", "red"):
        found = faces(plot.world(world, axes(), color=color, legend=False), PolyCollection)
        np.testing.assert_array_equal(found[0], grey)
        assert (found[1:] != grey).any(axis=1).all()


def test_equal_shapes_have_equal_colours():
    world = p2.World(gravity=(0, 0))
    for k, sides in enumerate((3, 5, 3, 6, 5)):
        world.add_body(p2.RegularPolygon(sides, 0.5 + 0.1 * k), (2 * k, 0))
    bodies = faces(plot.world(world, axes(), color="shape"), PolyCollection)
    # One collection for each number of vertices, the fewest first.
    assert [len({tuple(row) for row in part}) for part in np.split(bodies, [2, 4])] == [1, 1, 1]
    assert len({tuple(row) for row in bodies}) == 3


def test_what_sleeps_is_paler():
    world = p2.World(gravity=(0, 0))
    for k in range(2):
        world.add_body(p2.Circle(0.5), (2 * k, 0), awake=k == 0)
    awake, asleep = faces(plot.world(world, axes(), color="#004080"), EllipseCollection)
    blue, white = np.array(to_rgb("#004080")), np.ones(3)
    np.testing.assert_allclose(awake, 0.75 * blue + 0.25 * white)
    np.testing.assert_allclose(asleep, 0.45 * blue + 0.55 * white)


def test_each_body_may_have_its_own():
    world = moving()
    named = ["k", "r", "g", "b", "C1", "C2", "C3"]
    found = plot.world(world, axes(), color=named)
    expected = 0.75 * np.array([to_rgb(c) for c in named[1:5]]) + 0.25
    np.testing.assert_allclose(faces(found, EllipseCollection), expected)
    np.testing.assert_allclose(faces(found, PolyCollection)[0], 0.25)  # the floor, too


@pytest.mark.parametrize(
    ("color", "options", "text"),
    [
        ("sped", {}, "color: must be a color or one of state, shape, speed, got 'sped'"),
        (["r", "g"], {}, "color: must be one for each of 7 bodies, got 2"),
        (["r"] * 6 + ["no"], {}, "color: must be colors, one for each body"),
        (7, {}, "color: must be colors, one for each body"),
        ("shape", {"islands": True}, "color: must be 'state' beside islands=True"),
    ],
)
def test_what_is_no_colour(color, options, text):
    ax = axes()
    with pytest.raises(ValueError, match=text):
        plot.world(moving(), ax, color=color, **options)
    assert not ax.collections


def test_films_are_coloured_frame_by_frame():
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Circle(0.5))
    run = p2.simulate(world, 0.5)
    film = plot.animate(run, ax=axes(), fps=60, color="speed")
    for k in (0, 20, 30):
        film._func(k)
        share = np.hypot(*run.velocities[k, 0]) / np.hypot(*run.velocities[-1, 0])
        expected = colormaps["YlOrRd"]([share])[:, :3]
        np.testing.assert_allclose(faces(film.ax, EllipseCollection), expected)


def test_films_of_poses_have_no_speeds():
    poses = np.zeros((3, 1, 3))
    with pytest.raises(ValueError, match="'speed' needs a Trajectory"):
        plot.animate(poses, p2.Circle(1), color="speed")
    film = plot.animate(poses, p2.Circle(1), axes(), color="red")
    film._func(1)
    np.testing.assert_allclose(faces(film.ax, EllipseCollection), [(1, 0.25, 0.25)])
