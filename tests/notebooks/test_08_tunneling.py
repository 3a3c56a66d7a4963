"""The figures of lesson 08 show what the geometry of steps demands."""

import numpy as np
import pytest

LESSON = "08_tunneling"
DT = 1 / 60
FALL = 0.005  # m, what the reach has beyond the way of a step, in worlds without gravity


def test_slow_and_lucky_balls_stop_and_the_third_jumps(lesson):
    lines = [line for line in lesson.axes("08-1")[0].lines if "m/s" in str(line.get_label())]
    assert len(lines) == 3
    for line, speed, u in zip(lines, (20, 90, 90), (0.15, 0.3, 1.0), strict=True):
        x = line.get_xdata()
        free = -u + speed * DT * np.arange(-2, 4)
        stops = u <= 0.85 + FALL  # half of the wall, the radius, and a reach of four walls and FALL
        label = f"{speed} m/s, u = {u} m: {'is stopped' if stops else 'passes'}"
        assert line.get_label() == label
        if stops:
            assert x[-1] < -0.4  # at the wall, of which the front is at -0.05
            assert x.max() < 0
        else:
            np.testing.assert_allclose(x, free, atol=1e-6)


def test_the_reach_is_the_way_of_a_step_up_to_four_times_the_thinner_width(lesson):
    for wall, most in ((0.05, 0.2), (0.1, 0.4), (0.3, 1.2)):
        way, reach = lesson.line("08-2", f"wall of {wall} m").T
        assert way.min() < most < way.max()  # both branches are shown
        np.testing.assert_allclose(reach, np.minimum(way, most + FALL), atol=4e-4)


def test_the_line_parts_those_that_pass_from_those_that_are_caught(lesson):
    caught, passes = (lesson.line("08-3", name) for name in ("caught", "passes"))
    assert len(caught) + len(passes) == 14 * 64
    for points, wanted in ((caught, True), (passes, False)):
        u = points[:, 1] * points[:, 0] * DT
        assert ((u <= 0.85 + FALL) == wanted).all()
    speed, boundary = lesson.line("08-3", "$u = L$").T
    np.testing.assert_allclose(speed * DT * boundary, 0.85 + FALL)
    speed, share = lesson.line("08-3", "engine", 1).T
    law = 100 * np.maximum(0, 1 - (0.85 + FALL) / DT / speed)
    np.testing.assert_allclose(share, law, atol=100 / 64)
    for v, shown in zip(speed, share, strict=True):  # both panels tell the same
        here = [(points[:, 0] == v).sum() for points in (caught, passes)]
        assert shown == pytest.approx(100 * here[1] / sum(here))


def test_steps_raise_the_critical_speed_and_substeps_do_not(lesson):
    n, by_steps = lesson.line("08-4", "engine, $n$ steps of $\\Delta t/n$").T
    np.testing.assert_allclose(by_steps, (0.55 + FALL) / DT * n, rtol=1e-4)
    _, by_substeps = lesson.line("08-4", "engine, $8n$ substeps of one step").T
    np.testing.assert_allclose(by_substeps, (0.55 + FALL) / DT, rtol=1e-4)
    assert (lesson.line("08-4", "a pile of 120 boxes", 1)[:, 1] > 0).all()


def test_discs_stop_where_they_touch(lesson):
    """Against Shapely: the distance of the centre to the wall, there and all the way before."""
    shapely = pytest.importorskip("shapely")
    wall = shapely.Polygon(lesson.ring)
    ax = lesson.axes("08-5")[0]
    ends = [np.array(patch.center) for patch in ax.patches if hasattr(patch, "get_radius")]
    assert len(ends) == 4
    for way, end in zip(np.array(lesson.shown), ends, strict=True):
        path = shapely.LineString([way[:2], end])
        if np.allclose(end, way[2:]):
            assert path.distance(wall) > 0.25
        else:
            assert shapely.Point(end).distance(wall) == pytest.approx(0.25, abs=1e-9)
            assert path.distance(wall) == pytest.approx(0.25, abs=1e-9)
            assert shapely.LineString([way[:2], way[2:]]).distance(shapely.Point(end)) < 1e-9
    assert len(lesson.ours) == 1000
    for a, b, s in list(zip(lesson.start, lesson.stop, lesson.ours, strict=True))[::5]:
        if np.isnan(s):
            assert shapely.LineString([a, b]).distance(wall) > 0.25 - 1e-9
        else:
            assert shapely.LineString([a, a + s * (b - a)]).distance(wall) == pytest.approx(0.25)


def test_the_evaluations_never_pass_the_touch(lesson):
    optimize = pytest.importorskip("scipy.optimize")
    s, d = lesson.line("08-6", "evaluations of advance", 1).T
    x0, x1, t0, t1 = -2.6, 0.6, 1.4, 8.4

    def gap(at):
        return -0.15 - (x0 + at * (x1 - x0)) - 0.8 * abs(np.cos(t0 + at * (t1 - t0)))

    grid = np.linspace(0, 1, 5001)
    first = np.flatnonzero(np.array([gap(at) for at in grid]) < 0)[0]
    touch = optimize.brentq(gap, grid[first - 1], grid[first], xtol=1e-13)
    np.testing.assert_allclose(d, [gap(at) for at in s], atol=1e-9)
    assert (np.diff(s) > 0).all()
    assert s[-1] < touch
    assert 0 < d[-1] < 1.1e-3
    curve = lesson.line("08-6", "gap, formula", 1)
    np.testing.assert_allclose(curve[::97, 1], [gap(at) for at in curve[::97, 0]], atol=1e-9)

    at, far = lesson.line("08-6", "evaluations of geometry.toi", 1).T
    np.testing.assert_allclose(far, [gap(moment) for moment in at], atol=1e-9)
    assert (np.diff(at) >= 0).all()
    when = optimize.brentq(lambda moment: gap(moment) - 1e-3, grid[first - 2], touch, xtol=1e-14)
    assert at[-1] == pytest.approx(when, abs=1e-9)
    assert len(at) < len(s)


def test_the_picture_of_the_search_joins_rod_and_wall_by_the_gap(lesson):
    ax = lesson.axes("08-6")[0]
    (pairs,) = [item for item in ax.collections if item.get_gid() == "nearest points"]
    ends = np.array(pairs.get_segments())
    gaps = lesson.line("08-6", "evaluations of geometry.toi", 1)[:, 1]
    np.testing.assert_allclose(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), gaps, atol=1e-9)
    np.testing.assert_allclose(ends[:, 1, 0], -0.1)  # on the face of the wall


def test_the_engine_finds_the_moment_of_touch_of_each_disc(lesson):
    """Against Shapely: at the time of impact the centre is the radius away from the wall."""
    shapely = pytest.importorskip("shapely")
    wall, impact = shapely.Polygon(lesson.ring), lesson.impacts
    assert len(impact) == 1000
    assert impact["hit"].sum() > 500
    for a, b, row in list(zip(lesson.start, lesson.stop, impact, strict=True))[::5]:
        if row["hit"]:
            end = a + row["fraction"] * (b - a)
            assert shapely.Point(end).distance(wall) == pytest.approx(0.25, abs=1e-9)
            assert shapely.LineString([a, end]).distance(wall) == pytest.approx(0.25, abs=1e-9)
        else:
            assert shapely.LineString([a, b]).distance(wall) > 0.25 - 1e-9


def test_with_a_guard_none_passes(lesson):
    speed, alone = lesson.line("08-7", "engine alone").T
    assert speed.max() == 400
    law = 100 * np.maximum(0, 1 - (0.85 + FALL) / DT / speed)
    np.testing.assert_allclose(alone, law, atol=100 / 64)
    assert (lesson.line("08-7", "with guard")[:, 1] == 0).all()
    for lane in range(3):
        x = lesson.line("08-7", f"lane {lane}", 1)[:, 0]
        assert x.max() < -0.44  # never nearer than the touch at 0.45, up to its softness
        assert x[-1] == pytest.approx(-0.45, abs=0.02)


def test_the_worlds_of_the_lesson_have_continuous_collision_off(lesson):
    """So that its figures stay what they are when the engine has it."""
    assert lesson.new_world().continuous is False


def test_with_continuous_collision_nothing_passes(lesson):
    for name in ("ball of 0.8 m", "box of 0.8 m", "rod of 2 m"):
        off, on = (lesson.line("08-8", f"{name}, {switch}") for switch in ("off", "on"))
        assert off[:, 0].max() == 400
        assert off[:, 1].max() > 50
        assert (on[:, 1] == 0).all()
    speed, share = lesson.line("08-8", "ball of 0.8 m, off").T
    np.testing.assert_allclose(share, 100 * np.maximum(0, 1 - 51 / speed), atol=100 / 48)
