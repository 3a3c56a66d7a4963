"""The engine's own sine, cosine and arctangent against those of the C library (through NumPy)."""

import numpy as np
import pytest

testing = pytest.importorskip(
    "pyphys2d._testing",
    reason="LOUD: internals are NOT tested, build with PYPHYS2D_TESTING=1",
)


def test_rotation_of_angles_of_every_size():
    rng = np.random.default_rng(0)
    angles = np.concatenate(
        [
            rng.uniform(-7, 7, 5000),
            rng.uniform(-1e4, 1e4, 2000),
            10.0 ** rng.uniform(-300, -1, 500),
            np.arange(-40, 41) * np.pi / 4,
        ]
    )
    for angle in angles:
        c, s = testing.rotation(float(angle))
        assert c == pytest.approx(np.cos(angle), abs=1e-14 * max(1, abs(angle)))
        assert s == pytest.approx(np.sin(angle), abs=1e-14 * max(1, abs(angle)))
        assert c * c + s * s == pytest.approx(1, abs=1e-14)


def test_lanes_give_the_bits_of_the_single_rotation():
    rng = np.random.default_rng(3)
    angles = np.concatenate(
        [
            rng.uniform(-7, 7, 4000),
            rng.uniform(-1e6, 1e6, 2000),
            10.0 ** rng.uniform(-310, 20, 1000) * rng.choice([-1, 1], 1000),
            np.arange(-40, 40) * np.pi / 4,
            [0.0, -0.0, np.inf, np.nan, 1e6, -1e6, np.nextafter(1e6, 2e6), 1e308],
        ]
    )
    for eight in rng.permutation(angles).reshape(-1, 8).tolist():
        lanes = np.array(testing.rotations(*eight))
        single = np.array([testing.rotation(angle) for angle in eight])
        np.testing.assert_array_equal(lanes.view(np.uint64), single.view(np.uint64))


@pytest.mark.parametrize("angle", [1e10, -1e15, 1e100, 1e308])
def test_huge_angles_still_give_a_rotation(angle):
    c, s = testing.rotation(angle)
    assert c * c + s * s == pytest.approx(1, abs=1e-12)


def test_no_turn_is_exact():
    assert tuple(testing.rotation(0.0)) == (1, 0)


def test_arctangent_in_all_quadrants():
    rng = np.random.default_rng(1)
    for y, x in rng.normal(size=(5000, 2)) * 10.0 ** rng.uniform(-5, 5, (5000, 1)):
        assert testing.atan2(y, x) == pytest.approx(np.arctan2(y, x), abs=1e-14)
    for y, x in [(0, 1), (0, -1), (1, 0), (-1, 0), (0, 0), (1, 1), (-1, -1)]:
        assert testing.atan2(y, x) == pytest.approx(np.arctan2(y, x), abs=1e-15)


@pytest.mark.parametrize("angle", [np.nan, np.inf, -np.inf])
def test_what_is_no_angle_has_no_direction(angle):
    assert np.isnan(testing.rotation(angle)).all()
