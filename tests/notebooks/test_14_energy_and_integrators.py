"""The figures of lesson 14 show what integrators do to energy."""

import numpy as np
import pytest

LESSON = "14_energy_and_integrators"


def test_errors_of_a_fall_are_of_first_order(lesson):
    for name in ("explicit, behind", "semi-implicit, ahead", "engine, ahead"):
        h, error = lesson.line("14-1", name).T
        np.testing.assert_allclose(error, 5 * h, rtol=1e-6)


def test_only_the_explicit_method_gains(lesson):
    z = (2 * np.pi / 60) ** 2
    time, gained = lesson.line("14-2", "explicit", 1).T
    np.testing.assert_allclose(gained, (1 + z) ** (60 * time), rtol=1e-9)
    assert lesson.line("14-2", "implicit", 1)[-1, 1] < 0.1
    for name in ("semi-implicit", "Runge–Kutta"):
        kept = lesson.line("14-2", name, 1)[:, 1]
        np.testing.assert_allclose(kept, 1, atol=0.06)


@pytest.mark.parametrize(("name", "order"), [("semi-implicit", 1), ("Runge–Kutta", 4)])
def test_slopes_are_orders(lesson, name, order):
    h, error = lesson.line("14-3", name).T
    slope = np.log(error[-3] / error[-1]) / np.log(h[-3] / h[-1])
    assert slope == pytest.approx(order, abs=0.1)


def test_limits_of_stability(lesson):
    product, factor = lesson.line("14-4", "semi-implicit").T
    assert (factor[product < 1.99] < 1 + 1e-6).all()
    assert (factor[product > 2.01] > 1).all()
    assert (lesson.line("14-4", "implicit")[:, 1] < 1).all()


def test_more_substeps_keep_more(lesson):
    for panel in range(3):
        spread = [np.ptp(lesson.line("14-5", f"substeps={n}", panel)[:, 1]) for n in (1, 4, 8)]
        assert spread[0] > spread[1] > spread[2]
        assert spread[2] < 0.015
