"""Outlines of lines, arcs and rounded corners."""

import math

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import geometry
from pyphys2d.geometry import Path


def far(points, place, closed=True):
    """The distances of places from a line through points."""
    ends = np.roll(points, -1, axis=0) if closed else points[1:]
    starts = points if closed else points[:-1]
    nearest = geometry.closest_on_segment(np.asarray(place)[:, None], starts, ends)
    return np.hypot(*np.moveaxis(nearest - np.asarray(place)[:, None], -1, 0)).min(axis=1)


@pytest.mark.parametrize("tolerance", [0.3, 1e-2, 1e-4])
@pytest.mark.parametrize("turn", [0.1, 1, -2.5, math.pi, -math.tau])
@pytest.mark.parametrize("radius", [0.2, 7])
def test_chords_of_an_arc_keep_the_tolerance(radius, turn, tolerance):
    center = np.array([2.0, -1.0])
    points = Path((center[0] + radius, center[1])).arc(center, turn).points(tolerance)
    assert np.hypot(*(points - center).T) == pytest.approx(radius)
    middles = (points[1:] + points[:-1]) / 2
    gap = (radius - np.hypot(*(middles - center).T)).max()
    assert gap <= tolerance * (1 + 1e-9)
    end = center + radius * np.array([math.cos(turn), math.sin(turn)])
    np.testing.assert_allclose(points[-1], end, atol=1e-12)
    if len(points) > 4:  # not many more than it takes
        one_less = radius * (1 - math.cos(abs(turn) / (len(points) - 2) / 2))
        assert one_less > tolerance


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("fillet", [0.1, 0.5, 1.0])
def test_a_rounded_rectangle_has_the_area_of_one(fillet, flip):
    corners = np.array([(1, 1), (4, 1), (4, 3), (1, 3)])[:: -1 if flip else 1]
    area = Path.from_points(corners, fillet=fillet).polygon(1e-5).area
    assert area == pytest.approx(3 * 2 - (4 - math.pi) * fillet**2, abs=1e-5 * math.tau * fillet)


def test_a_fillet_is_the_circle_that_touches_both_lines():
    rng = np.random.default_rng(3)
    for _ in range(50):
        corner, angle = rng.uniform(-5, 5, 2), rng.uniform(0.3, math.pi - 0.1)
        begin = rng.uniform(0, math.tau)
        sides = [np.array([math.cos(a), math.sin(a)]) for a in (begin, begin + angle)]
        if rng.random() < 0.5:
            sides = sides[::-1]
        radius = 0.2
        center = corner + (sides[0] + sides[1]) / np.hypot(*(sides[0] + sides[1])) * (
            radius / math.sin(angle / 2)
        )
        path = Path(corner + 5 * sides[0]).line_to(corner).fillet(radius)
        points = path.line_to(corner + 5 * sides[1]).points(1e-4)
        assert np.hypot(*(points[1:-1] - center).T) == pytest.approx(radius)
        for point, side in ((points[1], sides[0]), (points[-2], sides[1])):
            along = (point - corner) @ side
            np.testing.assert_allclose(corner + along * side, point, atol=1e-9)
            assert (point - center) @ side == pytest.approx(0, abs=1e-9)


def test_an_arc_through_a_point():
    rng = np.random.default_rng(8)
    for _ in range(50):
        begin, middle, end = rng.uniform(-3, 3, (3, 2))
        points = Path(begin).arc_to(end, through=middle).points(1e-4)
        np.testing.assert_allclose(points[[0, -1]], [begin, end], atol=1e-9)
        assert far(points, [middle], closed=False) == pytest.approx(0, abs=2e-4)
        (x, y), (u, v) = middle - begin, end - begin
        walk = np.diff(points, axis=0)
        turns = walk[:-1, 0] * walk[1:, 1] - walk[:-1, 1] * walk[1:, 0]
        assert (np.sign(turns) == np.sign(x * v - y * u)).all()  # it turns as the three do


def test_a_circle_of_one_arc():
    disc = Path((1, 0)).arc((0, 0), math.tau).close().polygon(1e-6)
    assert disc.area == pytest.approx(math.pi, abs=1e-5)


def test_holes_and_chains():
    plate = Path.from_points([(0, 0), (4, 0), (4, 4), (0, 4)], fillet=0.5)
    hole = Path((3, 2)).arc((2, 2), math.tau).close().points(1e-4)
    shape = plate.polygon(1e-4, holes=[hole])
    assert shape.area == pytest.approx(16 - (4 - math.pi) / 4 - math.pi, abs=2e-3)
    assert plate.closed
    assert plate.chain(0.01).loop
    track = Path((-5, 2)).line_to((0, 0)).fillet(1).line_to((5, 0))
    assert not track.closed
    chain = track.chain(0.01)
    assert not chain.loop
    np.testing.assert_array_equal(chain.points, track.points(0.01))
    world = p2.World()
    world.add_body(chain, kind="static")
    ball = world.add_body(p2.Circle(0.3), (3, 0.3))
    world.step(n=30)
    assert ball.position[1] == pytest.approx(0.3, abs=1e-3)


def test_ends_and_straight_corners_need_no_fillet():
    path = Path.from_points([(0, 0), (1, 0), (2, 0), (2, 2)], fillet=0.1, closed=False)
    points = path.points(0.01)
    assert points[0].tolist() == [0, 0]
    assert points[-1].tolist() == [2, 2]
    assert [1, 0] in points.tolist()


def test_a_path_that_comes_back_is_closed_without_a_line():
    path = Path((0, 0)).line_to((1, 0)).line_to((1, 1)).line_to((0, 0)).fillet(0.05).close()
    assert repr(path) == "<Path from (0, 0), closed, 3 lines, 0 arcs>"
    assert path.polygon(1e-3).area == pytest.approx(
        0.5 - 0.05**2 * (1 / math.tan(math.pi / 8) - 3 * math.pi / 8), abs=1e-3
    )


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: Path((0, 0)).points(1), "drawn nothing"),
        (lambda: Path((0, 0)).close(), "drawn nothing"),
        (lambda: Path((0, 0)).line_to((0, 0)), "is at .* already"),
        (lambda: Path((0, 0)).arc((0, 0), 1), "center: must be away"),
        (lambda: Path((0, 0)).arc((1, 0), 7), "angle: must be between"),
        (lambda: Path((0, 0)).arc((1, 0), 0), "angle: must be between"),
        (lambda: Path((0, 0)).arc_to((2, 0), (1, 0)), "off the line"),
        (lambda: Path((0, 0)).line_to((1, 0)).points(0), "tolerance: must be > 0"),
        (lambda: Path((1, 0)).arc((0, 0), 3).points(1e-15), "more than 1048576 points"),
        (lambda: Path((0, 0)).line_to((math.nan, 0)), "point: must be finite"),
        (lambda: Path((0, 0)).line_to((1, 0)).fillet(-1), "radius: must be >= 0"),
        (lambda: Path.from_points([(0, 0), (1, 0), (1, 1)], fillet=0.8).points(1), "smaller"),
        (lambda: Path((0, 0)).line_to((2, 0)).fillet(0.1).line_to((1, 0)).points(1), "turns back"),
        (
            lambda: Path((1, 0)).arc((0, 0), 1).fillet(0.1).line_to((5, 5)).points(1),
            "between two lines",
        ),
        (lambda: Path((0, 0)).line_to((1, 0)).close().line_to((2, 2)), "is closed"),
        (lambda: Path.from_points([(0, 0)]), "n >= 2"),
    ],
)
def test_what_is_no_path_is_refused(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
