"""The figures of lesson 15 show what friction and restitution demand."""

import numpy as np
import pytest

LESSON = "15_friction_and_restitution"


def test_the_box_slides_beyond_the_angle_of_friction(lesson):
    degrees, acceleration = lesson.line("15-1", "engine").T
    angle = np.radians(degrees)
    wanted = np.maximum(10 * np.sin(angle) - 5 * np.cos(angle), 0)
    np.testing.assert_allclose(acceleration, wanted, atol=1e-3)
    assert (wanted == 0).any()


def test_the_ball_rolls_with_two_thirds(lesson):
    time, speed = lesson.line("15-2", "speed, engine").T
    rim = lesson.line("15-2", "speed of the rim, engine")[:, 1]
    np.testing.assert_allclose(speed, np.maximum(6 - 3 * time, 4), atol=1e-3)
    np.testing.assert_allclose(rim, np.minimum(6 * time, 4), atol=1e-3)


def test_the_slip_is_an_arc_of_a_free_oscillation(lesson):
    place, velocity = lesson.line("15-3", "uneven", 1).T
    slips = velocity < 0.49
    centre = 3 / np.pi**2  # mu_k g / omega^2
    radius = np.hypot(place - centre, velocity / np.pi)[slips]
    np.testing.assert_allclose(radius, np.hypot(2 / np.pi**2, 0.5 / np.pi), rtol=0.02)
    assert (np.abs(velocity[~slips] - 0.5) < 0.02).all()


def test_bounces_fall_by_the_square(lesson):
    for e in (0.5, 0.7, 0.8, 0.9):
        bounce, height = lesson.line("15-4", f"e = {e}", 1).T
        np.testing.assert_allclose(height, e ** (2 * bounce), rtol=5e-3)
        assert len(bounce) >= 2


def test_a_steep_ball_leaves_rolling_and_a_shallow_one_slides(lesson):
    before, after = lesson.line("15-5", "tangential speed after").T
    rim = lesson.line("15-5", "speed of the rim after")[:, 1]
    grips = before < 3.2
    np.testing.assert_allclose(after[grips], rim[grips], atol=1e-3)
    np.testing.assert_allclose(before[~grips] - after[~grips], 0.3 * 1.8 * 2, atol=1e-3)


def test_a_row_of_balls_passes_on_its_share(lesson):
    for e in (1, 0.9, 0.7):
        n, speed = lesson.line("15-6", f"e = {e}, apart").T
        np.testing.assert_allclose(speed, ((1 + e) / 2) ** (n - 1), rtol=1e-3)
    assert lesson.line("15-6", "e = 1, touching")[:, 1] == pytest.approx(1, abs=0.02)
