"""Lesson 13: what its figure shows, and that its views are of the demos."""

import numpy as np

LESSON = "13_play"


def test_the_share_that_passes_is_that_of_a_zone(lesson):
    curve, points = (
        lesson.line("13-1", "$1 - d / (v \\, \\Delta t)$"),
        lesson.line("13-1", "once a step"),
    )
    expected = np.interp(points[:, 0], *curve.T)
    assert np.abs(points[:, 1] - expected).max() < 0.05
    assert (lesson.line("13-1", "continuous")[:, 1] == 0).all()
    assert points[0, 1] == 0
    assert points[-1, 1] > 0.8


def test_the_last_view_shows_the_readers_own_world(lesson):
    assert lesson.view.world is lesson.world
    assert lesson.view.session.on_click is not None
