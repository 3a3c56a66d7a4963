"""Distances between shapes far apart and close, far from the origin too."""

import numpy as np
import pytest

import pyphys2d as p2
import pyphys2d.geometry as g


@pytest.mark.parametrize("origin", [0.0, 1e7])
def test_the_gap_between_two_boxes_does_not_depend_on_the_place(origin):
    result = g.distance(p2.Box(1, 1), p2.Box(1, 1), (origin, 0, 0), (origin + 3, 0.25, 0))
    assert result.distance == pytest.approx(2, abs=1e-8)
    np.testing.assert_allclose(result.normal, (1, 0), atol=1e-12)
    assert result.point_a[0] == pytest.approx(origin + 0.5)
    assert result.point_b[0] == pytest.approx(origin + 2.5)


def test_corner_to_corner():
    result = g.distance(p2.Box(2, 2), p2.Box(2, 2), (0, 0, 0), (5, 6, 0))
    assert result.distance == pytest.approx(5, rel=1e-12)
    np.testing.assert_allclose(result.point_a, (1, 1), atol=1e-12)
    np.testing.assert_allclose(result.point_b, (4, 5), atol=1e-12)
    np.testing.assert_allclose(result.normal, (0.6, 0.8), atol=1e-12)


def test_overlapping_shapes_have_no_distance():
    assert g.distance(p2.Circle(1), p2.Box(1, 1)).distance == 0


def test_rounding_is_taken_off():
    result = g.distance(p2.Capsule((-1, 0), (1, 0), 0.5), p2.Circle(0.25, (0, 3)))
    assert result.distance == pytest.approx(3 - 0.75, rel=1e-12)
    np.testing.assert_allclose(result.point_a, (0, 0.5), atol=1e-12)
    np.testing.assert_allclose(result.point_b, (0, 2.75), atol=1e-12)
