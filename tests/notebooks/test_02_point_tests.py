"""The figures of lesson 02 against Shapely, fractions, and geometry by hand."""

from fractions import Fraction

import numpy as np
import pytest
import shapely

LESSON = "02_point_tests"
PENTAGON = [(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)]
STAR = [(np.cos(t), np.sin(t)) for t in np.radians(90 + 144 * np.arange(5))]
ARROW = [(-1, -0.9), (0, -0.3), (1, -0.9), (0, 0.95)]


def closed(vertices):
    return np.array([*vertices, vertices[0]], float)


def same_points(a, b):
    np.testing.assert_array_equal(a[np.lexsort(a.T)], b[np.lexsort(b.T)])


@pytest.fixture(scope="module")
def pentagon():
    return shapely.Polygon(PENTAGON)


def test_points_in_the_circle_are_those_near_its_centre(lesson):
    inside, outside = (lesson.line("02-1", name) for name in ("inside", "outside"))
    assert len(inside) + len(outside) == 1500
    away = [np.hypot(*(points - (0.4, 0.1)).T) for points in (inside, outside)]
    assert away[0].max() < 1.2 < away[1].min()
    circle = lesson.line("02-1", "circle")
    np.testing.assert_allclose(np.hypot(*(circle - (0.4, 0.1)).T), 1.2, rtol=1e-12)


def test_circles_reach_the_box_when_shapely_says_so(lesson):
    box = shapely.box(-1, -0.5, 1, 0.5)
    left, right = lesson.axes("02-2")
    centers, clamped = (lesson.line("02-2", name) for name in ("centre", "clamped"))
    solid = []
    for center, point, circle in zip(centers, clamped, left.patches, strict=True):
        distance = box.distance(shapely.Point(center))
        assert np.hypot(*(center - point)) == pytest.approx(distance, abs=1e-15)
        assert box.covers(shapely.Point(point))
        solid.append(circle.get_linestyle() in ("-", "solid"))
        assert solid[-1] is (distance <= circle.radius)
    assert {True, False} == set(solid)
    (image,) = right.images
    x, y = np.meshgrid(-2 + 0.05 * (np.arange(80) + 0.5), -1.5 + 0.05 * (np.arange(60) + 0.5))
    distances = shapely.distance(box, shapely.points(x, y))
    np.testing.assert_array_equal(np.asarray(image.get_array()), distances <= 0.7)
    for point in lesson.line("02-2", "formula", 1):
        assert box.distance(shapely.Point(point)) == pytest.approx(0.7, rel=1e-12)


def test_the_line_meets_each_edge_where_fractions_do(lesson, pentagon):
    np.testing.assert_allclose(lesson.line("02-3", "5-gon"), closed(PENTAGON))
    (start, end) = lesson.line("02-3", "line")
    on, off = (lesson.line("02-3", name) for name in ("on an edge", "on a longer edge"))
    wanted = shapely.LineString([start, end]).intersection(pentagon.exterior)
    shown = shapely.MultiPoint(on)
    assert shown.hausdorff_distance(wanted) < 1e-12
    exact = []
    for i, c in enumerate(PENTAGON):
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = (
            [Fraction(str(number)) for number in point]  # the decimals that stand in the lesson
            for point in ((-1.6, -1.9), (3.0, 2.7), c, PENTAGON[(i + 1) % 5])
        )
        bottom = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
        r = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / bottom
        s = ((cx - ax) * (by - ay) - (cy - ay) * (bx - ax)) / bottom
        point = (float(ax + r * (bx - ax)), float(ay + r * (by - ay)))
        exact.append((0 <= s <= 1, float(s), point))
    for edge, points in ((True, on), (False, off)):
        np.testing.assert_allclose(points, [p for e, _, p in exact if e is edge], atol=1e-14)
    texts = lesson.axes("02-3")[0].texts
    assert [text.get_text() for text in texts] == [f"$s = {s:.2f}$" for _, s, _ in exact]
    np.testing.assert_allclose([text.xy for text in texts], [p for _, _, p in exact], atol=1e-14)


def grid():
    x, y = np.meshgrid(np.arange(-2, 2.5, 0.1), np.arange(2.5, -2, -0.1))
    return np.column_stack([x.ravel(), y.ravel()])


def test_the_naive_ray_is_wrong_at_the_height_of_vertices_only(lesson, pentagon):
    inside, outside, wrong = (lesson.line("02-4", n) for n in ("inside", "outside", "wrong"))
    same_points(np.concatenate([inside, outside]), grid())
    holds = {tuple(p): shapely.contains_xy(pentagon, *p) for p in grid()}
    edge = shapely.distance(pentagon.exterior, shapely.points(grid()))
    clear = {tuple(p) for p, d in zip(grid(), edge, strict=True) if d > 1e-9}
    called = {tuple(p): True for p in inside} | {tuple(p): False for p in outside}
    found = {p for p in clear if called[p] != holds[p]}
    assert found == {tuple(p) for p in wrong} & clear
    assert len(found) > 30
    assert {round(y, 9) for _, y in wrong} == {1, -1}


def test_cross_products_call_795_points_inside(lesson, pentagon):
    inside, outside = (lesson.line("02-5", name) for name in ("inside", "outside"))
    near = lesson.line("02-5", "within 1e-9 m\nof an edge")
    assert len(inside) == 795
    assert len(near) == 36
    same_points(np.concatenate([inside, outside]), grid())
    distances = shapely.distance(pentagon.exterior, shapely.points(grid()))
    same_points(near, grid()[distances < 1e-9])
    assert shapely.dwithin(pentagon, shapely.points(inside), 1e-9).all()
    clear = outside[shapely.distance(pentagon.exterior, shapely.points(outside)) > 1e-9]
    assert not shapely.contains_xy(pentagon, clear).any()
    # The same products in fractions: which of the doubles are inside of the doubles?
    ring = [tuple(map(Fraction, vertex)) for vertex in PENTAGON]
    truly = [
        all(
            (bx - ax) * (Fraction(y) - ay) > (by - ay) * (Fraction(x) - ax)
            for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True)
        )
        for x, y in near
    ]
    assert sum(truly) == sum(tuple(p) in set(map(tuple, inside)) for p in near)


def test_only_the_exact_test_leaves_no_gap(lesson):
    plain, exact = (np.asarray(ax.images[0].get_array()) for ax in lesson.axes("02-6"))
    i, j = np.meshgrid(np.arange(64), np.arange(64))
    np.testing.assert_array_equal(exact, (i >= j) + 2 * (i <= j))
    # To the nearest multiple of 16, as the spacing near 15.5 demands; Python's round ties to even.
    block = np.array([round(Fraction(int(k), 16)) for k in range(64)])
    np.testing.assert_array_equal(plain == 0, block[i] == block[j])
    np.testing.assert_array_equal(plain, (block[i] > block[j]) + 2 * (block[i] < block[j]))


def test_stars_by_each_rule(lesson):
    """Against the parts into which the star cuts itself, and half-planes."""
    lines = shapely.node(shapely.LineString(closed(STAR)))
    parts = shapely.get_parts(shapely.polygonize([lines]))
    assert len(parts) == 6
    middle = min(parts, key=lambda part: part.distance(shapely.Point(0, 0)))
    star, arrow = shapely.union_all(parts), shapely.Polygon(ARROW)
    kernel = arrow
    for a, b in zip(np.array(ARROW), np.roll(ARROW, -1, axis=0), strict=True):
        along = 20 * (b - a)
        left = np.array([-along[1], along[0]])
        corners = [a - along, a + along, a + along + left, a - along + left]
        kernel = kernel.intersection(shapely.Polygon(corners))
    wanted = [star.difference(middle), star, middle, arrow, arrow, kernel]
    for panel, shape in enumerate(wanted):
        ring = lesson.axes("02-7")[panel].lines[2].get_xydata()
        np.testing.assert_allclose(ring, closed(STAR if panel < 3 else ARROW), atol=1e-15)
        inside, outside = (lesson.line("02-7", n, panel) for n in ("inside", "outside"))
        assert len(inside) + len(outside) == 2500
        assert shapely.dwithin(shape, shapely.points(inside), 1e-9).all()
        assert not shapely.contains_xy(shape.buffer(-1e-9), outside).any()


def test_the_times_are_of_what_the_legend_says(lesson):
    """Times themselves are not tested: they are those of the machine."""
    names = {line.get_label() for line in lesson.axes("02-8")[0].lines}
    assert len(names) == 6
    for name in names:
        size, nanoseconds = lesson.line("02-8", name).T
        assert {1, 45, 2000} <= set(size)
        assert np.isfinite(nanoseconds).all()
        assert (nanoseconds > 0).all()
    for name in ("naive crossings", "default"):
        corners, nanoseconds = lesson.line("02-9", name).T
        np.testing.assert_array_equal(corners, [4, 16, 64, 256, 1024, 4096])
        assert (nanoseconds > 0).all()


def test_the_functions_of_the_lesson_agree_with_shapely(lesson, pentagon):
    points = np.random.default_rng(5).uniform(-2, 2.5, (500, 2))
    wanted = shapely.contains_xy(pentagon, points)
    for name in ("crossings", "cross_products", "naive_crossings"):
        np.testing.assert_array_equal([getattr(lesson, name)(p, PENTAGON) for p in points], wanted)
    np.testing.assert_array_equal(lesson.with_numpy(points, np.array(PENTAGON)), wanted)
    arrow = shapely.contains_xy(shapely.Polygon(ARROW), points)
    np.testing.assert_array_equal([lesson.crossings(p, ARROW) for p in points], arrow)
