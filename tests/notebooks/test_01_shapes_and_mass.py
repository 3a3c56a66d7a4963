"""The figures of lesson 01 against Shapely, integrals by rows, and closed forms."""

from itertools import pairwise

import numpy as np
import pytest
import shapely
from matplotlib.patches import Polygon
from matplotlib.quiver import Quiver

LESSON = "01_shapes_and_mass"
HOUSE = [(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)]
TRIANGLE = [(4, 1), (2, 4), (1, 1)]
PENTAGON = [(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)]
HEXAGON = np.array([(3, 1), (3, 2), (2.2, 3), (1.5, 3), (0.8, 2), (1, 1)]) + 2.5


def arrows(ax):
    """Origins and vectors of each call of quiver in a panel."""
    found = [artist for artist in ax.collections if isinstance(artist, Quiver)]
    return [(np.asarray(q.XY), np.column_stack([q.U, q.V])) for q in found]


def closed(vertices):
    return np.array([*vertices, vertices[0]], float)


def corners(patch):
    """The vertices of a filled polygon, without the repeated first one."""
    return patch.get_xy()[:-1]


def fan(vertices):
    """Signed areas and barycentres of the triangles from the origin, by Shapely."""
    parts = [
        shapely.LinearRing([(0, 0), vertices[i], vertices[(i + 1) % len(vertices)]])
        for i in range(len(vertices))
    ]
    areas = [shapely.Polygon(ring).area * (1 if ring.is_ccw else -1) for ring in parts]
    return np.array(areas), np.array([shapely.Polygon(r).centroid.coords[0] for r in parts])


def polar_moment(ring, about):
    """The second moment by Gauss and Legendre, exact for what is polynomial between two corners."""
    polygon = shapely.Polygon(np.asarray(ring) - about)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    total, heights = 0.0, sorted({y for _, y in polygon.exterior.coords})
    for low, high in pairwise(heights):
        for y, weight in zip(0.5 * (low + high + (high - low) * nodes), weights, strict=True):
            row = polygon.intersection(shapely.LineString([(-99, y), (99, y)]))
            left, _, right, _ = row.bounds
            inner = (right**3 - left**3) / 3 + (right - left) * y**2
            total += 0.5 * (high - low) * weight * inner
    return total


def test_the_perpendiculars_are_quarter_turns(lesson):
    vectors, normals = (arrows(ax) for ax in lesson.axes("01-1"))
    v, left, right = ((vector[0, 0] + 1j * vector[0, 1]) for _, vector in vectors)
    assert left == 1j * v
    assert right == -1j * v
    ((origins, drawn),) = normals
    np.testing.assert_allclose(lesson.line("01-1", "house", 1), closed(HOUSE))
    np.testing.assert_allclose(np.hypot(*drawn.T), 0.7, rtol=1e-12)
    house = shapely.Polygon(HOUSE)
    for start, normal in zip(origins, drawn, strict=True):
        assert house.exterior.distance(shapely.Point(start)) < 1e-12
        # As far outside as the arrow is long: only the perpendicular gets there.
        assert house.distance(shapely.Point(start + normal)) == pytest.approx(0.7, rel=1e-12)


def test_the_signed_triangles_cover_the_house_once(lesson):
    plus, minus = (
        [shapely.Polygon(corners(patch)) for patch in ax.patches[1:]] for ax in lesson.axes("01-2")
    )
    assert sorted(t.area for t in plus) == pytest.approx([1, 3, 3])
    assert sorted(t.area for t in minus) == pytest.approx([1, 1])
    house = shapely.Polygon(HOUSE)
    for panel in (0, 1):
        np.testing.assert_allclose(lesson.line("01-2", "house", panel), closed(HOUSE))
        assert isinstance(lesson.axes("01-2")[panel].patches[0], Polygon)
    for point in np.random.default_rng(1).uniform(0, 4.2, (500, 2)):
        held = [sum(t.contains(shapely.Point(point)) for t in part) for part in (plus, minus)]
        assert held[0] - held[1] == house.contains(shapely.Point(point))
    texts = [text.get_text() for ax in lesson.axes("01-2") for text in ax.texts]
    assert sorted(texts) == sorted(["+3", "+3", "+1", "−1", "−1", "O", "O"])


def test_half_of_base_times_height(lesson):
    np.testing.assert_allclose(lesson.line("01-3", "triangle"), closed(TRIANGLE))
    base, height = (np.diff(lesson.line("01-3", name), axis=0)[0] for name in ("base", "height"))
    assert base @ height == pytest.approx(0)
    area = shapely.Polygon(TRIANGLE).area
    assert 0.5 * np.hypot(*base) * np.hypot(*height) == pytest.approx(area) == 4.5


def test_the_shift_puts_the_centroid_on_the_origin(lesson):
    wanted = np.array(shapely.Polygon(PENTAGON).centroid.coords[0])
    before, after = (lesson.line("01-4", "5-gon", panel) for panel in (0, 1))
    np.testing.assert_allclose(before, closed(PENTAGON))
    np.testing.assert_allclose(after, closed(PENTAGON) - wanted, atol=1e-14)
    np.testing.assert_allclose(lesson.line("01-4", "centroid"), [wanted], rtol=1e-14)
    np.testing.assert_allclose(lesson.line("01-4", "centroid", 1), 0, atol=1e-14)


def test_the_triangles_of_the_5_gon_balance(lesson):
    areas, points = fan(PENTAGON)
    np.testing.assert_allclose(lesson.line("01-5", "barycentres"), points, atol=1e-14)
    (dots,) = lesson.axes("01-5")[0].collections
    np.testing.assert_allclose(dots.get_sizes(), 250 * areas)
    (middle,) = lesson.line("01-5", "centroid")
    np.testing.assert_allclose(areas @ (points - middle), 0, atol=1e-14)
    texts = [text.get_text() for text in lesson.axes("01-5")[0].texts]
    assert [float(text.split()[0]) for text in texts] == pytest.approx(list(areas), abs=5e-3)


def test_the_6_gon_has_its_centroid_where_shapely_has_it(lesson):
    areas, points = fan(HEXAGON)
    (middle,) = lesson.line("01-6", "centroid")
    np.testing.assert_allclose(middle, shapely.Polygon(HEXAGON).centroid.coords[0], rtol=1e-12)
    np.testing.assert_allclose(areas @ points / areas.sum(), middle, rtol=1e-12)
    dots = {part.get_label(): part for part in lesson.axes("01-6")[0].collections}
    for name, these in (("positive", areas > 0), ("negative", areas < 0)):
        assert these.sum() == 3
        np.testing.assert_allclose(dots[name].get_offsets(), points[these], rtol=1e-12)
        np.testing.assert_allclose(dots[name].get_sizes(), 90 * abs(areas[these]), rtol=1e-9)


def test_moments_about_other_axes(lesson):
    d, moments = lesson.line("01-7", "second_moment(…, about=…)").T
    middle = np.array(shapely.Polygon(HEXAGON).centroid.coords[0])
    wanted = [polar_moment(HEXAGON, about) for about in middle + np.outer(d, (1, 0))]
    np.testing.assert_allclose(moments, wanted, rtol=1e-12)
    x, formula = lesson.line("01-7", r"$I(\mathbf{c}) + A\,d^2$").T
    np.testing.assert_allclose(np.interp(d, x, formula), moments, rtol=1e-12)
    assert lesson.origin == pytest.approx(polar_moment(HEXAGON, (0, 0)), rel=1e-12)
    assert lesson.inside == pytest.approx(polar_moment(HEXAGON, middle), rel=1e-12)


def test_both_frames_show_one_click(lesson):
    """Complex numbers turn and move as the matrix does."""
    world, local = (complex(*lesson.line("01-8", "click", panel)[0]) for panel in (0, 1))
    assert local == pytest.approx((world - (5 + 2.5j)) * np.exp(-0.7j), rel=1e-12)
    ((_, axes),) = arrows(lesson.axes("01-8")[0])
    np.testing.assert_allclose(axes @ (1, 1j), [np.exp(0.7j), 1j * np.exp(0.7j)])
    outline = lesson.line("01-8", "vertices", 1)
    centroid = shapely.Polygon(HOUSE).centroid.coords[0]
    np.testing.assert_allclose(outline, closed(HOUSE) - centroid, atol=1e-14)
    inside = shapely.Polygon(outline).contains(shapely.Point(local.real, local.imag))
    assert inside is bool(lesson.body.contains((world.real, world.imag)))


def test_the_engine_stays_on_its_ellipse_and_plain_euler_leaves(lesson):
    """Powers of the matrix of one step, for both methods."""
    square, dt = 2.0**2, 0.1
    plain = np.array([[1, dt], [-square * dt, 1]])
    engine = np.array([[1 - square * dt**2, dt], [-square * dt, 1]])
    for matrix, name in ((plain, "plain Euler"), (engine, "engine")):
        states = [np.linalg.matrix_power(matrix, n) @ (1, 0) for n in range(64)]
        shown = lesson.line("01-9", name) * (1, 2)
        np.testing.assert_allclose(shown, states, atol=1e-10)
    np.testing.assert_allclose(np.hypot(*lesson.line("01-9", "exact").T), 1, rtol=1e-12)
    assert np.linalg.det(engine) == pytest.approx(1)  # areas of the picture are kept
