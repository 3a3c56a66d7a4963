"""The figures of lesson 05 show what the laws demand."""

import numpy as np
import pytest

import pyphys2d as p2

LESSON = "05_impulses"
G, DT = 9.81, 1 / 60


def quivers(ax):
    """Origins and vectors (n, 2) of the arrows in a panel, one pair per call of quiver."""
    from matplotlib.quiver import Quiver

    found = [artist for artist in ax.collections if isinstance(artist, Quiver)]
    return [(np.asarray(q.XY), np.column_stack([q.U, q.V])) for q in found]


def test_translation_leaves_free_fall_and_impulses_leave_rest(lesson):
    moved, pushed = (lesson.line("05-1", name, 1) for name in ("moved apart", "impulses"))
    t = np.arange(1, 121) * DT
    np.testing.assert_allclose(moved, np.column_stack([t, -G * t]), rtol=1e-9)
    np.testing.assert_allclose(pushed[:, 1], 0, atol=1e-4)
    heights = [lesson.line("05-1", name)[:, 1] for name in ("moved apart", "impulses")]
    np.testing.assert_allclose(heights[0], -G * t * DT, atol=1e-6)
    np.testing.assert_allclose(heights[1], 0, atol=1e-6)


def test_the_arrows_of_the_impact_conserve_what_they_must(lesson):
    """Arms meet at P; momentum, angular momentum and the approach after the impact."""
    contact, velocities = (quivers(ax) for ax in lesson.axes("05-2"))
    (origins, arms), (point, normal) = contact
    np.testing.assert_allclose(origins + arms, np.repeat(point, 2, axis=0), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(normal), 1, rtol=1e-12)
    (_, before), (_, after) = velocities
    masses = 2 * np.array([3 * 0.5, 0.8 * 0.8])
    change = masses[:, None] * (after - before)
    np.testing.assert_allclose(change.sum(axis=0), 0, atol=1e-6)
    # The push is along the normal, and its moment gives the spins.
    np.testing.assert_allclose(change[1] @ [-normal[0, 1], normal[0, 0]], 0, atol=1e-6)
    impulses = change / 0.5  # the arrows are drawn at half length
    inertias = masses * [(3**2 + 0.5**2) / 12, (0.8**2 + 0.8**2) / 12]
    spins = (arms[:, 0] * impulses[:, 1] - arms[:, 1] * impulses[:, 0]) / inertias
    at_point = after / 0.5 + spins[:, None] * np.column_stack([-arms[:, 1], arms[:, 0]])
    assert abs((at_point[1] - at_point[0]) @ normal[0]) < 1e-4


def test_the_effective_mass_of_a_bar(lesson):
    x, felt = lesson.line("05-3", "engine").T
    m = 4 * 0.4
    inertia = m * (4**2 + 0.4**2) / 12
    assert len(x) == 13
    np.testing.assert_allclose(felt, 1 / (1 / m + x**2 / inertia), rtol=1e-5)
    np.testing.assert_allclose(np.interp(x, *lesson.line("05-3", "formula").T), felt, rtol=1e-2)


def test_the_bias_parts_for_ever_the_shift_by_a_fixed_share(lesson):
    free, floor, shift = (
        lesson.line("05-4", name)[:, 1]
        for name in ("bias, in empty space", "bias, on the floor", "shift without speed")
    )
    i = np.arange(41)
    np.testing.assert_allclose(free, 0.1 - 0.018 * i, atol=1e-6)
    np.testing.assert_allclose(shift, 0.01 + 0.09 * 0.8**i, atol=1e-6)
    assert (np.diff(floor) <= 1e-7).all()
    assert 0.0095 < floor[-1] < 0.0105  # down to the slop
    energies = lesson.axes("05-4")[1].lines
    speed = 0.2 * 60 * 0.09
    reduced = 0.5 * np.pi * 0.25
    np.testing.assert_allclose(energies[0].get_ydata()[1:], 0.5 * reduced * speed**2, rtol=1e-5)
    np.testing.assert_allclose(energies[1].get_ydata()[1], 0.5 * speed**2, rtol=1e-4)
    np.testing.assert_allclose(energies[2].get_ydata(), 0, atol=1e-12)


def test_friction_holds_up_to_the_angle_of_repose(lesson):
    degrees, acceleration = lesson.line("05-5", "engine").T
    t = np.radians(degrees)
    law = np.maximum(0, G * (np.sin(t) - 0.5 * np.cos(t)))
    np.testing.assert_allclose(acceleration, law, atol=1e-4)
    sticks, slides = (lesson.line("05-5", name, 1) / 1e3 for name in ("sticks", "slides"))
    assert len(sticks) + len(slides) == len(degrees)
    assert (sticks[:, 1] < 0.5 * sticks[:, 0]).all()
    np.testing.assert_allclose(slides[:, 1], 0.5 * slides[:, 0], rtol=1e-5)
    weight = 0.25 * G * DT
    np.testing.assert_allclose(np.hypot(*sticks.T), weight, rtol=1e-4)  # both carry the weight
    angle = np.arctan(0.5)
    assert lesson.line("05-5", r"$\tan\theta = \mu$")[0, 0] == pytest.approx(np.degrees(angle))


@pytest.mark.parametrize("e", [0.3, 0.6, 0.9])
def test_a_ball_falls_freely_and_returns_to_its_share_of_the_height(lesson, e):
    t, y = lesson.line("05-6", f"$e$ = {e}").T
    first = np.flatnonzero(y < 0.05)[0]
    # Semi-implicit steps fall by g t dt / 2 more than the parabola.
    fall = 2 - 0.5 * G * t[:first] ** 2 - 0.5 * G * t[:first] / 240
    np.testing.assert_allclose(y[:first], fall, atol=1e-9)
    after = y[first + 3 :]
    rise = after[: np.flatnonzero(np.diff(after) < 0)[0] + 1].max()
    assert abs(rise - 2 * e**2) < np.sqrt(2 * G * 2) / 240  # what is fallen in one step
    assert y.min() > -0.01


def test_the_error_falls_with_the_rate_of_gauss_and_seidel(lesson):
    """Against a solution of the same linear system by NumPy, and its spectral radius."""
    for balls in (3, 5, 10):
        matrix = 2 * np.eye(balls) - np.eye(balls, k=1) - np.eye(balls, k=-1)
        matrix[0, 0] = 1
        lower = np.tril(matrix)
        step = np.eye(balls) - np.linalg.solve(lower, matrix)
        # At first all balls fall alike: only the lowest contact sees an approach.
        exact = np.linalg.solve(matrix, G * DT * np.eye(balls)[0])
        np.testing.assert_allclose(exact, np.arange(balls, 0, -1) * G * DT)
        for count, error in lesson.line("05-7", f"{balls} balls"):
            left = np.linalg.matrix_power(step, round(count)) @ exact
            assert error == pytest.approx(np.abs(left).max() / exact[0], rel=1e-3, abs=1e-6)
        radius = np.abs(np.linalg.eigvals(step)).max()
        assert radius == pytest.approx(np.cos(np.pi / (2 * balls)) ** 2)


def test_warm_starting_keeps_the_tower_up(lesson):
    cold, warm = (lesson.line("05-7", f"{name} start", 1)[:, 1] for name in ("cold", "warm"))
    assert warm.max() < 10 < cold[-1]  # mm; one slop
    assert cold.max() < 60


def test_each_iteration_hands_the_impact_on_by_one_ball(lesson):
    (image,) = lesson.axes("05-8")[0].images
    speeds = np.asarray(image.get_array())
    np.testing.assert_allclose(speeds.sum(axis=1), 3, atol=1e-5)  # momentum
    np.testing.assert_allclose((speeds**2).sum(axis=1), 9, atol=1e-4)  # energy
    assert list(speeds.argmax(axis=1)) == [1, 2, 3, 4, 5, 5, 5, 5]


def test_the_lesson_runs_the_solver_it_speaks_of(lesson):
    world = lesson.new_world()
    assert isinstance(world, p2.World)
    assert world.solver == "sequential_impulses"


def test_in_slow_motion_one_ball_after_the_other_moves(lesson):
    from matplotlib.quiver import Quiver

    panels = lesson.axes("05-9")
    assert len(panels) == 3
    for ax, ball in zip(panels, (1, 3, 5), strict=True):
        arrows = {item.get_gid(): item for item in ax.collections if isinstance(item, Quiver)}
        moving = arrows["velocities"]
        speeds = np.hypot(moving.U, moving.V) / 0.25
        (one,) = np.flatnonzero(speeds > 1e-3)  # all others stand still, up to float32
        np.testing.assert_allclose(moving.get_offsets()[one], (ball, 0), atol=1e-2)
        assert speeds[one] == pytest.approx(3, rel=1e-5)
        pushes = arrows["contact normals"]
        lengths = np.hypot(pushes.U, pushes.V)
        assert (lengths > 0.5 * lengths.max()).sum() == ball  # each contact on the path, once
