"""The figures of lesson 03 show true projections, true gaps and true pushes."""

import numpy as np
import pytest
import shapely
import shapely.affinity

import pyphys2d as p2
from pyphys2d import geometry

LESSON = "03_separating_axis"
TRIANGLE = np.array([(4.0, 1), (2, 4), (1, 1)])
PENTAGON = np.array([(2, -2.5), (2.2, -0.5), (1.5, 0.5), (-1.2, -0.5), (-1, -2.5)])


def quivers(ax):
    """Origins and vectors (n, 2) of the arrows in a panel, one pair per call of quiver."""
    from matplotlib.quiver import Quiver

    found = [artist for artist in ax.collections if isinstance(artist, Quiver)]
    return [(np.asarray(q.XY), np.column_stack([q.U, q.V])) for q in found]


def shadows(ax):
    """Lengths of the shadows of A and B that plot.sat draws."""
    lines = {line.get_gid(): line.get_xydata() for line in ax.lines}
    return [lines[f"shadow of {name}"] for name in "AB"]


def test_two_circles_touch_after_each_way_of_parting_them(lesson):
    ((origin, vector),) = quivers(lesson.axes("03-1")[0])
    np.testing.assert_allclose(vector[0], (1.23639677, 0.95107443), atol=5e-9)
    np.testing.assert_allclose(origin[0], (0.8, 1))
    for k, ax in enumerate(lesson.axes("03-1")):
        places = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o"]
        gap = np.hypot(*np.subtract(*places))
        assert gap == pytest.approx(3.2 if k else np.hypot(1.3, 1))
    # By inverse mass: the common centre of mass of the last panel is where it was in the first.
    crosses = [lesson.line("03-1", "common centre of mass", k)[0] for k in (0, 1, 2)]
    np.testing.assert_allclose(crosses[2], crosses[0], atol=1e-12)
    assert np.hypot(*(crosses[1] - crosses[0])) > 0.1


def test_the_separating_line_touches_neither_shape(lesson):
    line = shapely.LineString(lesson.line("03-2", "separating line"))
    a, b = shapely.Polygon(TRIANGLE), shapely.Polygon(PENTAGON)
    assert line.distance(a) == pytest.approx(0.25)
    assert line.distance(b) == pytest.approx(0.25)
    side = [np.sign(p[:, 1] - line.coords[0][1]) for p in (TRIANGLE, PENTAGON)]
    assert (side[0] == 1).all()
    assert (side[1] == -1).all()
    (origin, vector) = quivers(lesson.axes("03-2")[0])[-1]
    np.testing.assert_allclose(origin[0], (2.5, 1))  # the middle of the axis's edge
    np.testing.assert_allclose(vector[0], (0, -0.5))
    np.testing.assert_allclose([np.ptp(s, axis=0)[1] for s in shadows(lesson.axes("03-2")[0])], 3)


def test_the_projection_of_a_vertex_is_the_nearest_point_of_the_axis(lesson):
    vertex, foot = lesson.line("03-3", "the rest, at right angles")
    axis = PENTAGON[3] - PENTAGON[2]
    normal = shapely.LineString([(0, 0), 9 * np.array([axis[1], -axis[0]])])
    nearest = normal.interpolate(normal.project(shapely.Point(vertex)))
    np.testing.assert_allclose(foot, nearest.coords[0], atol=1e-12)
    arrows = quivers(lesson.axes("03-3")[0])
    np.testing.assert_allclose([v[0] for _, v in arrows[:2]], [vertex, foot], atol=1e-12)
    assert np.hypot(*arrows[2][1][0]) == pytest.approx(1)


def test_boxes_meet_but_a_normal_shows_the_gap(lesson):
    a, b = (
        shapely.affinity.rotate(shapely.Polygon(ring), -0.5, origin=(0, 0), use_radians=True)
        for ring in (TRIANGLE, PENTAGON)
    )
    assert shapely.box(*a.bounds).intersects(shapely.box(*b.bounds))
    assert a.distance(b) == pytest.approx(0.5)
    lengths = {
        k: [np.ptp(lesson.line("03-4", f"projection of {name}", k), axis=0) for name in "AB"]
        for k in range(3)
    }
    for axis in (0, 1):  # the sides of the bounding boxes
        for extent, ring in zip(lengths[axis], (a, b), strict=True):
            low, high = ring.bounds[axis], ring.bounds[axis + 2]
            assert extent[axis] == pytest.approx(high - low)
    np.testing.assert_allclose([np.hypot(*e) for e in lengths[2]], 3)  # as high as unturned


def test_the_intervals_are_the_projections_on_every_normal(lesson):
    a = p2.Polygon(TRIANGLE).vertices
    for k, first in enumerate((a, a - 1.5)):
        ax = lesson.axes("03-5")[k]
        normals = np.concatenate([geometry.normals(first), geometry.normals(PENTAGON)])
        bars = [[li.get_xdata() for li in ax.lines if li.get_label().endswith(x)] for x in "AB"]
        for ring, drawn in zip((first, PENTAGON), bars, strict=True):
            places = ring @ normals.T
            np.testing.assert_allclose(drawn, np.stack([places.min(0), places.max(0)], -1))
        numbers = [float(text.get_text().replace("−", "-")) for text in ax.texts]
        assert min(numbers) == (-0.5, 1.0)[k]


def test_the_push_leaves_the_shapes_touching(lesson):
    for _, vectors in quivers(lesson.axes("03-6")[1]):
        np.testing.assert_allclose(vectors[0], (0, -1), atol=1e-12)
    a, b = shapely.Polygon(TRIANGLE - 1.5), shapely.Polygon(PENTAGON - [0, 1])
    assert a.intersection(b).area < 1e-12
    assert a.distance(b) < 1e-12
    for length in np.linspace(0, 0.999, 7):  # no shorter push of any direction will do
        angles = np.linspace(0, 2 * np.pi, 73)
        for way in length * np.column_stack([np.cos(angles), np.sin(angles)]):
            assert a.intersects(shapely.Polygon(PENTAGON + way))


def test_all_directions_against_the_support_functions_of_the_shapes(lesson):
    """The curve from the engine's supports; the dots lie on it, the least is the distance."""
    pairs = [(TRIANGLE - 1.5, PENTAGON), (TRIANGLE, lesson.faced)]
    for k, rings in enumerate(pairs):
        degrees, curve = lesson.line("03-7", "all directions", k).T
        u = np.column_stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
        a, b = map(p2.Polygon, rings)
        wanted = (a.support(u) * u).sum(axis=1) - (b.support(-u) * u).sum(axis=1)
        np.testing.assert_allclose(curve, wanted, atol=1e-9)
        dots = [lesson.line("03-7", name, k) for name in ("normals of A", "normals of B, reversed")]
        assert [len(d) for d in dots] == [3, 5]
        for x, y in np.concatenate(dots):
            assert y == pytest.approx(np.interp(x, degrees, curve), abs=0.02)
        least = np.concatenate(dots)[:, 1].min()
        if k == 0:
            assert least == pytest.approx(curve.min(), abs=1e-9)
        else:
            gap = shapely.Polygon(rings[0]).distance(shapely.Polygon(rings[1]))
            assert gap == pytest.approx(0.6)
            assert curve.min() == pytest.approx(-gap, rel=1e-4)
            assert -gap + 0.05 < least < 0


def test_the_difference_holds_the_origin_when_the_shapes_meet(lesson):
    """Its edges are those of A and the reversed ones of B; its distance to 0 is theirs."""
    pairs = [(TRIANGLE - 1.5, PENTAGON), (TRIANGLE, lesson.faced)]
    for k, (a, b) in enumerate(pairs):
        ax = lesson.axes("03-8")[k]
        edges = [li.get_xydata() for li in ax.lines if len(li.get_xdata()) == 2]
        assert len(edges) == 8
        hull = shapely.MultiPoint((a[:, None] - b[None]).reshape(-1, 2)).convex_hull
        assert hull.length == pytest.approx(sum(np.hypot(*(e[1] - e[0])) for e in edges))
        assert hull.length == pytest.approx(shapely.Polygon(a).length + shapely.Polygon(b).length)
        origin = shapely.Point(0, 0)
        assert hull.contains(origin) == (k == 0)
        ((_, vector),) = quivers(ax)
        assert np.hypot(*vector[0]) == pytest.approx(hull.exterior.distance(origin))
        assert hull.exterior.distance(shapely.Point(vector[0])) < 1e-9


def test_the_hull_of_the_differences_and_the_way_to_its_nearest_point(lesson):
    left, right = lesson.axes("03-9")
    points = (TRIANGLE[:, None] - PENTAGON - (-2, 5)).reshape(-1, 2)
    hull = shapely.MultiPoint(points).convex_hull
    (drawn,) = [item for item in left.collections if item.get_gid() == "hull"]
    assert shapely.Polygon(drawn.get_paths()[0].vertices).symmetric_difference(hull).area < 1e-9
    lines = {line.get_gid(): line.get_xydata() for line in right.lines}
    origin, away = shapely.Point(0, 0), np.hypot(*lines["closest"].T)
    assert (np.diff(away) <= 1e-12).all()  # each round is nearer, or the last confirms
    assert away[0] > away[-1] == pytest.approx(hull.distance(origin))
    for point in lines["closest"]:
        assert hull.distance(shapely.Point(point)) < 1e-9
    assert f"distance {hull.distance(origin):.4g} m" in right.get_title()


def test_the_vertex_axis_sees_the_gap_that_the_edges_miss(lesson):
    edge, vertex, widths = lesson.axes("03-10")
    for ax in (edge, vertex):
        assert np.hypot(*np.ptp(shadows(ax)[1], axis=0)) == pytest.approx(2)  # of the circle
    assert np.hypot(*np.ptp(shadows(edge)[0], axis=0)) == pytest.approx(2)
    assert np.hypot(*np.ptp(shadows(vertex)[0], axis=0)) == pytest.approx(np.sqrt(8))
    assert "overlap 0.2 m" in edge.get_title()
    assert f"gap {np.hypot(0.8, 0.8) - 1:.3g} m" in vertex.get_title()
    drawn = [line.get_xydata() for line in vertex.lines if line.get_color() == lesson.GREY]
    ends = {tuple(np.round(line, 12).ravel()) for line in drawn if len(line) == 2}
    assert {(1.8, 1.8, x, y) for x in (-1, 1) for y in (-1, 1)} <= ends  # to every vertex
    degrees, box = lesson.line("03-10", "box", 2).T
    radians = np.radians(degrees)
    np.testing.assert_allclose(box, 2 * (abs(np.cos(radians)) + abs(np.sin(radians))))
    np.testing.assert_allclose(lesson.line("03-10", "circle", 2)[:, 1], 2)
    assert len(widths.lines) == 3


def test_the_crate_in_the_notch_is_free(lesson):
    """Shapely: apart, although the hull of the U overlaps the crate by the push shown."""
    notch = shapely.Polygon(lesson.NOTCH.vertices)
    crate = shapely.box(1.2, 1.7, 1.8, 2.3)
    assert notch.distance(crate) == pytest.approx(0.2)
    ((_, vector),) = quivers(lesson.axes("03-11")[0])
    np.testing.assert_allclose(vector[0], (0, 1.3), atol=1e-9)
    hull = notch.convex_hull
    assert hull.intersection(shapely.affinity.translate(crate, *vector[0])).area < 1e-9
    shown = sorted(float(t.get_text().split()[1]) for t in lesson.axes("03-11")[1].texts)
    gaps = sorted(shapely.Polygon(part).distance(crate) for part in lesson.NOTCH.parts)
    np.testing.assert_allclose(shown, gaps)


def test_only_the_unbiased_choice_flickers(lesson):
    lead = lesson.line("03-12", "depth of A − depth of B")[:, 1]
    bare = lesson.line("03-12", "the smaller depth", 1)[:, 1]
    np.testing.assert_array_equal(bare > 0.5, lead > 0)
    assert np.count_nonzero(np.diff(bare)) > 20
    for panel, name in ((2, "engine"), (3, "5 % and 1 cm")):
        assert np.ptp(lesson.line("03-12", name, panel)[:, 1]) == 0
