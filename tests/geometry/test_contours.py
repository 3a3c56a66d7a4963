"""Marching squares against circles, boards, Matplotlib's contours and the definition."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import pyphys2d as p2
from pyphys2d import geometry


def closed(contour):
    return np.vstack([contour.points, contour.points[:1]]) if contour.loop else contour.points


def length(contours):
    return sum(np.hypot(*np.diff(closed(c), axis=0).T).sum() for c in contours)


def lengths_of_matplotlib(field, level):
    """Of its lines, each: contourpy's, whose saddles are decided by the mean as well."""
    contourpy = pytest.importorskip("contourpy")
    lines = contourpy.contour_generator(z=field).lines(level)
    return sorted(float(np.hypot(*np.diff(line, axis=0).T).sum()) for line in lines)


@pytest.mark.parametrize("radius", [3.2, 7.5, 15.0])
@pytest.mark.parametrize("size", [0.01, 1.0, 40.0])
def test_a_disc_is_one_clockwise_loop_of_its_area(radius, size):
    y, x = np.mgrid[-20:21, -20:21]
    (found,) = geometry.march(
        radius - np.hypot(x, y), 0, size=size, origin=(5 - 20 * size, 3 - 20 * size)
    )
    points = (found.points - (5, 3)) / size
    assert found.loop
    assert geometry.winding(found.points) == -1
    # Between two samples the field is off its chord by at most 1/8 of its second derivative, 1/r.
    assert np.abs(np.hypot(*points.T) - radius).max() < 1 / (8 * (radius - 1))
    assert geometry.area(points) == pytest.approx(np.pi * radius**2, rel=1 / radius**2)
    (hole,) = geometry.march(np.hypot(x, y) - radius, 0)
    assert geometry.winding(hole.points) == 1


def test_hard_outlines_are_those_of_squares():
    field = np.zeros((5, 6), bool)
    field[1:4, 1:3] = True
    field[1, 3] = True
    (found,) = geometry.march(field, 0.5, soft=False, size=2)
    corners = {(0.5, 0.5), (3.5, 0.5), (3.5, 1.5), (2.5, 1.5), (2.5, 3.5), (0.5, 3.5)}
    assert {(x / 2, y / 2) for x, y in found.points} == corners
    assert geometry.area(found.points) == pytest.approx(7 * 4)


@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize("bright", [2.9, 5.0])
def test_boards_are_decided_by_the_mean(soft, bright):
    """Squares of a board, 4 by 4, of which each second one is bright and the others are -2."""
    board = np.where(np.indices((4, 4)).sum(axis=0) % 2, bright, -2.0)
    found = geometry.march(np.pad(board, 1, constant_values=-2.0), 1, soft=soft)
    assert all(c.loop for c in found)
    islands = [c for c in found if geometry.winding(c.points) == -1]
    # Where four tiles meet the mean is (bright - 2) / 2: 1.5 joins what is bright, 0.45 does not.
    # Of the dark ones two lie inside.
    assert len(islands) == (1 if bright == 5.0 else 8)
    assert len(found) - len(islands) == (2 if bright == 5.0 else 0)


@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=7), elements=st.floats(-3, 3)),
    st.floats(-2, 2),
)
def test_lines_are_those_of_matplotlib(field, level):
    if min(field.shape) < 2 or (np.abs(field - level) < 1e-6).any():
        return
    quarters = field[:-1, :-1] + field[1:, :-1] + field[:-1, 1:] + field[1:, 1:]
    if (np.abs(quarters / 4 - level) < 1e-9).any():
        return  # it may round a saddle the other way
    ours = sorted(length([c]) for c in geometry.march(field, level))
    assert ours == pytest.approx(lengths_of_matplotlib(field, level), abs=1e-6)


FIELDS = arrays(
    st.sampled_from([np.float64, np.int8, np.bool_]),
    array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=8),
)


@given(FIELDS, st.sampled_from([-1.0, 0.0, 0.5, 1.0]), st.booleans())
def test_what_is_above_is_on_the_right_and_lines_make_chains(field, level, soft):
    if not np.isfinite(field).all() or np.abs(field.astype(float)).max() > 1e100:
        return
    for contour in geometry.march(field, level, soft):
        shape = p2.Chain(*contour)
        assert shape.loop == contour.loop
        ends = closed(contour)
        if not contour.loop:  # at the border
            far = np.array(field.shape[::-1]) - 1
            assert np.minimum(ends[[0, -1]], far - ends[[0, -1]]).min(axis=1).max() < 1e-8
        if soft:
            continue
        # Sides of squares around the numbers: on the right one that is above, on the left none.
        for a, b in itertools.pairwise(ends):
            along = (b - a) / np.abs(b - a).sum()
            right = np.array([along[1], -along[0]])
            middle = a + 0.25 * along
            for point, is_above in ((middle + 0.25 * right, True), (middle - 0.25 * right, False)):
                column, row = np.rint(point).astype(int)
                assert bool(field[row, column] > level) == is_above


def test_bodies_rest_on_an_outline():
    x = np.arange(41) * 0.5
    field = (3 + np.sin(x))[None, :] - 0.5 * np.arange(16)[:, None]  # solid below the hills
    contours = geometry.march(field, 0, size=0.5, simplify=0.01)
    assert len(contours) == 1
    assert not contours[0].loop
    full = geometry.march(field, 0, size=0.5)
    assert len(contours[0].points) < len(full[0].points)
    world = p2.World()
    world.add_body(p2.Chain(*contours[0]), kind="static")
    ball = world.add_body(p2.Circle(0.2), (4.5, 6))
    world.step(n=300)
    assert 1.9 < ball.position[1] < 2.5  # in the valley: 3 + sin(3 pi / 2) = 2, and the radius


def test_numbers_at_the_threshold_make_no_points_on_each_other():
    field = np.zeros((5, 5))
    field[2, 2] = 1
    (diamond,) = geometry.march(field, 0)
    assert len(diamond.points) == 4
    assert geometry.area(diamond.points) == pytest.approx(2)
    assert geometry.march(field, 1) == []  # above, not at
    field[2, 2] = 1e-300
    assert len(geometry.march(field, 0)) == 1
    field[2, 2] = 1
    assert geometry.march(field, np.nextafter(1, 0)) == []  # smaller than a point


def test_large_numbers_do_not_overflow():
    field = np.full((3, 3), -1.7e308)
    field[1, 1] = 1.7e308
    (found,) = geometry.march(field, 0)
    assert geometry.area(found.points) == pytest.approx(0.5)


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (1, 7), (7, 1)])
def test_fields_without_cells_have_no_lines(shape):
    assert geometry.march(np.ones(shape), 0.5) == []
    assert geometry.march(np.zeros((4, 4)), 0.5) == geometry.march(np.ones((4, 4)), 0.5) == []


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (([[0, 1], [np.nan, 1]], 0), ValueError, r"field\[1, 0\]: must be finite, got nan"),
        (([[0, 1], [np.inf, 1]], 0), ValueError, r"field\[1, 0\]: must be finite, got inf"),
        (([0, 1], 0), ValueError, r"field: must have shape \(h, w\), got \(2,\)"),
        (([[0, 1], [0]], 0), ValueError, r"field: must have shape \(h, w\)"),
        (([["a", "b"], ["c", "d"]], 0), TypeError, "field: must hold real numbers"),
        (([[0, 1], [2, 3j]], 0), TypeError, "field: must hold real numbers"),
        (([[0, 1], [2, 3]], np.nan), ValueError, "threshold: must be finite"),
        (([[0, 1], [2, 3]], None), TypeError, "threshold: must be a real number"),
        (([[0, 1], [2, 3]], 1, 3), TypeError, "soft: must be True or False, got 3"),
    ],
)
def test_what_is_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        geometry.march(*arguments)


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"size": 0}, "size: must be > 0"),
        ({"size": 1e300}, "size: the field must end within"),
        ({"origin": (0, np.inf)}, "origin: must be finite"),
        ({"simplify": -1}, "simplify: must be >= 0"),
    ],
)
def test_keywords_that_are_refused(keywords, words):
    with pytest.raises(ValueError, match=words):
        geometry.march([[0, 1], [2, 3]], 1, **keywords)


def test_a_large_board():
    """Each of ten thousand squares is a loop of its own."""
    field = np.zeros((201, 201))
    field[1::2, 1::2] = 1
    found = geometry.march(field, 0.5)
    assert len(found) == 100**2
    assert sum(geometry.area(c.points) for c in found[:100]) == pytest.approx(100 * 0.5)
