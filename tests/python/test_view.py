"""What is worth seeing: what moves, without what is lost, and what stands still near to it."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import _view


def boxes(*rows):
    return np.array(rows, float).reshape(-1, 2, 2)


NONE = boxes()
BALL = boxes([(-1, 9), (1, 11)])


def test_nothing_is_worth_seeing_in_nothing():
    assert _view.choose(NONE, NONE, context=0.5) is None
    lost = boxes([(0, 0), (np.nan, 1)], [(0, 0), (1e308, 1e308)])
    assert _view.choose(lost, lost, context=0.5) is None


def test_what_stands_still_alone_is_seen_as_a_whole():
    fixed = boxes([(0, 0), (1, 2)], [(8, -3), (9, 4)])
    np.testing.assert_array_equal(_view.choose(NONE, fixed, context=0.5), [(0, -3), (9, 4)])


def test_one_that_is_lost_is_left_out():
    x = np.arange(20.0)
    moving = np.stack([np.column_stack([x, 0 * x]), np.column_stack([x + 1, 0 * x + 1])], axis=1)
    with_lost = np.concatenate([moving, boxes([(0, -1e6), (1, -1e6 + 1)])])
    for each in (moving, with_lost):
        np.testing.assert_array_equal(_view.choose(each, NONE, context=0.5), [(0, 0), (20, 1)])


@pytest.mark.parametrize("context", [0.15, 0.5])
def test_ground_is_seen_as_far_as_the_context_goes(context):
    """The ball is 2 m large; the ground touches it and is far larger. Along a floor or a wall it is
    seen farther: 15 times a ball, less half of the size of what moves."""
    ground = boxes([(-100, -100), (100, 9)])
    strip = 0.15 * max(2, 0.2 * 30)
    side, along = max(2 * context, strip), 15 * 2 - 1
    expected = [(-1 - along, 9 - side), (1 + along, 11)]
    np.testing.assert_allclose(_view.choose(BALL, ground, context=context), expected)
    wall = boxes([(-50, -100), (-1, 100)])
    expected = [(-1 - side, 9 - along), (1, 11 + along)]
    np.testing.assert_allclose(_view.choose(BALL, wall, context=context), expected)


def test_many_bodies_leave_less_room_for_the_floor():
    x = np.arange(40.0)
    row = np.stack([np.column_stack([x, 0 * x]), np.column_stack([x + 1, 0 * x + 1])], axis=1)
    floor = boxes([(-1000, -1), (1000, 0)])
    # 15 m less half of 40 m is less than the context
    found = _view.choose(row, floor, context=0.15)
    np.testing.assert_allclose(found, [(0 - 6, -1), (40 + 6, 1)])


def test_strokes_lie_on_the_right_and_are_few_on_endless_lines():
    paper = np.array([(0.0, 0.0), (100.0, 100.0)])
    start, end = np.array([(-1e8, 50.0)]), np.array([(1e8, 50.0)])
    feet, tips = np.moveaxis(
        _view.hatching(start, end, paper, spacing=10, length=5, down=False), 1, 0
    )
    assert len(feet) == 10
    np.testing.assert_allclose(feet[:, 1], 50)
    np.testing.assert_allclose(tips - feet, np.tile([-1, -1], (10, 1)) * 5 / np.sqrt(2))
    tips = _view.hatching(start, end, paper, spacing=10, length=5, down=True)[:, 1]
    np.testing.assert_allclose(tips[:, 1], 50 + 5 / np.sqrt(2))
    for bad in (np.nan, np.inf, 1e12):
        assert not len(_view.hatching(start, end * bad, paper, spacing=10, length=5, down=True))
    zigzag = np.random.default_rng(0).uniform(0, 100, (20_001, 2))
    strokes = _view.hatching(zigzag[:-1], zigzag[1:], paper, spacing=10, length=5, down=True)
    assert 0.9 * _view.MOST_STROKES < len(strokes) <= 1.1 * _view.MOST_STROKES


def test_ground_beyond_a_gap_is_seen_with_a_strip_unless_it_is_far():
    strip = 0.15 * 0.2 * 30
    near, far = boxes([(-3, -5), (3, 0)]), boxes([(-3, -50), (3, -40)])
    found = _view.choose(BALL, np.concatenate([near, far]), context=0.15)
    assert found[0, 1] == pytest.approx(0 - strip)
    assert found[1, 1] == 11
    np.testing.assert_array_equal(_view.choose(BALL, far, context=0.15), BALL[0])


def test_no_more_of_the_ground_than_there_is():
    thin = boxes([(-1.1, -0.1), (1.1, 0)])
    found = _view.choose(BALL, thin, context=0.5)
    np.testing.assert_allclose(found, [(-1.1, -0.1), (1.1, 11)])


def test_sizes():
    assert _view.typical_size(NONE) == 0
    assert _view.typical_size(boxes([(0, 0), (0, 0)])) == 0
    assert _view.typical_size(boxes([(0, 0), (1, 3)], [(0, 0), (2, 1)], [(0, 0), (9, 9)])) == 3


def test_pictures_of_notebooks_show_it():
    world = p2.World()
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static")
    world.add_body(p2.Circle(1), (0, 10))
    drawing = world.draw_list()
    (x0, y0), (x1, y1) = _view.choose(drawing.aabbs[1:], drawing.aabbs[:1], context=0.15)
    root = ET.fromstring(world._repr_svg_())
    width, height = float(root.get("width")), float(root.get("height"))
    margin = 0.1 * max(x1 - x0, y1 - y0)
    across, up = x1 - x0, max(y1 - y0, 0.2 * (x1 - x0))  # no picture is a strip
    assert width / height == pytest.approx((across + margin) / (up + margin), rel=1e-3)
