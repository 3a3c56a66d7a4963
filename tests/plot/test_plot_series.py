"""Energy, momentum and penetration over time: the lines are the numbers of the run."""

import numpy as np
import pytest
from scenes_to_draw import axes, run

import pyphys2d as p2
from pyphys2d import plot


def lines(ax):
    """Label and (n, 2) points of each line."""
    return {line.get_label(): line.get_xydata() for line in ax.lines}


def test_energy_of_a_run():
    trajectory = run()
    drawn = lines(plot.energy(trajectory, ax=axes()))
    assert list(drawn) == ["kinetic", "potential", "total"]
    for points in drawn.values():
        np.testing.assert_array_equal(points[:, 0], trajectory.times)
    np.testing.assert_array_equal(drawn["kinetic"][:, 1], trajectory.kinetic_energy)
    np.testing.assert_array_equal(drawn["potential"][:, 1], trajectory.potential_energy)
    total = trajectory.kinetic_energy + trajectory.potential_energy
    np.testing.assert_allclose(drawn["total"][:, 1], total)
    # Free fall keeps the sum: an independent look at what is drawn.
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Circle(1), (0, 5))
    fall = lines(plot.energy(p2.Trajectory.record(world, 30), ax=axes()))
    height = fall["potential"][:, 1] / (np.pi * 10)
    speed = np.sqrt(2 * fall["kinetic"][:, 1] / np.pi)
    np.testing.assert_allclose(height + speed**2 / 20, 5, rtol=2e-3)


def test_runs_side_by_side():
    ax = axes()
    for solver in ("soft_step", "sequential_impulses"):
        plot.energy(run(solver=solver), ax=ax, label=solver)
        plot.momentum(run(solver=solver), ax=axes(), label=solver)
    assert list(lines(ax)) == ["soft_step", "sequential_impulses"]
    first, second = ax.lines
    assert first.get_color() != second.get_color()
    assert first.get_linestyle() != second.get_linestyle()
    assert [text.get_text() for text in ax.get_legend().texts] == list(lines(ax))


def test_energy_from_arrays():
    seconds, parts = [0, 1, 2], np.array([(1, 5), (2, 4), (4, 2)])
    drawn = lines(plot.energy(seconds, parts, axes()))
    assert list(drawn) == ["kinetic", "potential", "total"]
    np.testing.assert_array_equal(drawn["total"], [(0, 6), (1, 6), (2, 6)])
    drawn = lines(plot.energy(seconds, parts, axes(), label=["left", "right"]))
    assert list(drawn) == ["left", "right"]
    ax = plot.energy(seconds, [1, 2, 3], axes())
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [1, 2, 3])
    assert ax.get_legend() is None
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time (s)", "energy (J)")


def test_momentum():
    trajectory = run()
    drawn = lines(plot.momentum(trajectory, ax=axes()))
    assert list(drawn) == ["x", "y"]
    np.testing.assert_array_equal(drawn["x"][:, 1], trajectory.momentum[:, 0])
    np.testing.assert_array_equal(drawn["y"][:, 1], trajectory.momentum[:, 1])
    assert list(lines(plot.momentum(trajectory, ax=axes(), label="run"))) == ["run, x", "run, y"]
    ax = plot.momentum(trajectory, ax=axes(), angular=True)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), trajectory.angular_momentum)
    assert ax.get_ylabel() == "angular momentum (kg m²/s)"
    ax = plot.momentum([0, 1], [(1, 2), (3, 4)], axes())
    assert ax.get_ylabel() == "momentum (N s)"
    np.testing.assert_array_equal(lines(ax)["y"], [(0, 2), (1, 4)])


def test_penetration():
    trajectory = run()
    ax = plot.penetration(trajectory, ax=axes(), label="soft step")
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), trajectory.penetration)
    assert trajectory.penetration.max() > 0
    assert ax.get_ylim()[0] == 0
    ax.figure.canvas.draw()
    assert {tick.get_text()[-2:] for tick in ax.get_yticklabels()[1:]} == {"µm"}


FUNCTIONS = [plot.energy, plot.momentum, plot.penetration]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_arrays_that_do_not_fit(function):
    with pytest.raises(TypeError, match="values: must be given beside times"):
        function([0, 1, 2], ax=axes())
    with pytest.raises(ValueError, match=r"times: must be of shape \(n,\), got \(1, 2\)"):
        function([[0, 1]], [1, 2], axes())
    for values in ([1, 2], np.zeros((3, 1, 1)), 4):
        with pytest.raises(ValueError, match=r"values: must be of shape \(3,\) or \(3, k\), got"):
            function([0, 1, 2], values, axes())
    with pytest.raises(ValueError, match=r"label: must name 1 line, got \['a', 'b'\]"):
        function([0, 1, 2], [1, 2, 3], axes(), label=["a", "b"])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_nothing_and_gaps_can_be_drawn(function):
    function([], [], axes()).figure.canvas.draw()
    function([0, 1, 2], [1, np.nan, 2], axes()).figure.canvas.draw()


def flight():
    """A ball that is far from where it was: 3 m/s for two seconds, without gravity."""
    world = p2.World(gravity=(0, 0))
    world.add_body(p2.Circle(0.1), (-1, 5), velocity=(3, 0), name="ball")
    return world, p2.simulate(world, 2)


def test_paths_are_seen_over_a_picture_that_chose_its_limits():
    world, way = flight()
    ax = plot.world(world, axes())
    assert ax.get_xlim()[0] > 4  # where the ball is
    plot.paths(way, "ball", ax)
    assert ax.get_xlim()[0] < -1
    assert ax.get_xlim()[1] > 5
    assert ax.get_ylim()[0] < 5 < ax.get_ylim()[1]


@pytest.mark.parametrize("when", ["view", "before", "after"])
def test_limits_of_the_user_stay(when):
    world, way = flight()
    ax = axes()
    if when == "before":
        ax.set(xlim=(4, 6), ylim=(4, 6))
    plot.world(world, ax, view=(4, 4, 6, 6) if when == "view" else None)
    if when == "after":
        ax.set(xlim=(4, 6), ylim=(4, 6))
    plot.paths(way, "ball", ax)
    assert (ax.get_xlim(), ax.get_ylim()) == ((4, 6), (4, 6))
