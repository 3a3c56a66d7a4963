"""The figures of lesson 12 show what moments of touch demand."""

import numpy as np
import pytest

LESSON = "12_continuous_collision"
DT = 1 / 60


def distance(s):
    """Of the post's centre from the rod, from the rod's ends."""
    x, y, angle = -1.6 + 3 * s, 0.55 + 0.2 * s, 0.4 + 10.1 * s
    half = 0.7 * np.array([np.cos(angle), np.sin(angle)])
    a, b = np.array([x, y]) - half, np.array([x, y]) + half
    t = np.clip(-a @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return max(np.linalg.norm(a + t * (b - a)) - 0.19, 0)


def test_the_gap_is_that_of_rod_and_post(lesson):
    curve = lesson.line("12-1", "gap, formula")
    np.testing.assert_allclose(curve[::31, 1], [distance(s) for s in curve[::31, 0]], atol=1e-12)
    dots = lesson.line("12-1", "start, middle, end")
    assert (dots[:, 1] > 0).all()
    assert (curve[:, 1] == 0).any()


def test_advancement_ends_before_the_first_touch_and_halving_beyond(lesson):
    optimize = pytest.importorskip("scipy.optimize")
    grid = np.linspace(0, 1, 4001)
    first = np.flatnonzero(np.array([distance(s) for s in grid]) == 0)[0]
    touch = optimize.brentq(lambda s: distance(s) - 1e-9, grid[first - 1], grid[first])
    for name in ("evaluations of advance", "evaluations of geometry.toi"):
        at, far = lesson.line("12-2", name, 1).T
        assert (np.diff(at) > 0).all()
        assert at[-1] < touch
        np.testing.assert_allclose(far, [distance(s) for s in at], atol=1e-9)
        assert (far[:-1] > 1e-3).all()
    assert far[-1] == pytest.approx(1e-3, abs=1e-9)
    assert lesson.found > touch + 0.05
    (pairs,) = [i for i in lesson.axes("12-2")[0].collections if i.get_gid() == "nearest points"]
    ends = np.array(pairs.get_segments())
    np.testing.assert_allclose(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), far, atol=1e-9)


def test_evaluations_follow_the_cosine(lesson):
    angle, counts = lesson.line("12-3", "simple bound").T
    q = np.cos(np.radians(angle[1:]))
    np.testing.assert_allclose(counts[1:], np.log(1 / 300) / np.log(1 - q), atol=1)
    assert set(lesson.line("12-3", "geometry.toi")[:, 1]) <= {1, 2}


def test_the_delay_is_the_rest_of_the_step(lesson):
    f, delay = lesson.line("12-4", "engine").T
    np.testing.assert_allclose(delay, 1e3 * (1 - f) * DT, atol=0.02)
    assert np.ptp(f) > 0.9


def test_the_core_decides(lesson):
    stopped = lesson.line("12-5", "centre, stopped")[:, 1]
    free = lesson.line("12-5", "centre, goes on")[:, 1]
    assert stopped.max() <= 0.3 + 1e-9 < free.min() + 0.0101
    assert len(stopped) + len(free) == 71


def test_bullets_stop_at_all_and_others_at_walls(lesson):
    shown = [text.get_text() for text in lesson.axes("12-6")[0].texts]
    assert shown == ["stopped", "stopped", "passes", "stopped"] + 4 * ["stopped"]
