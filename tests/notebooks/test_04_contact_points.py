"""The figures of lesson 04 show contact points that lie where the shapes meet."""

import numpy as np
import pytest
import shapely

import pyphys2d as p2
from pyphys2d import geometry

LESSON = "04_contact_points"
A = shapely.Polygon([(-1, 0), (3, 0), (3, -2), (-1, -2)])
B = shapely.Polygon([(3.5, -1.666), (4.5, 0), (1.5, 2), (1.5, -0.333)])


def quivers(ax):
    """Origins and vectors (n, 2) of the arrows in a panel, one pair per call of quiver."""
    from matplotlib.quiver import Quiver

    found = [artist for artist in ax.collections if isinstance(artist, Quiver)]
    return [(np.asarray(q.XY), np.column_stack([q.U, q.V])) for q in found]


def by_gid(ax, gid):
    """Data (n, 2) of the line that plot.clip drew under this name."""
    (line,) = (line for line in ax.lines if line.get_gid() == gid)
    return line.get_xydata()


def test_the_point_of_a_circle_is_midway_between_the_surfaces(lesson):
    for k, (_, shape, pose, ball, center) in enumerate(lesson.scenes):
        (point,) = lesson.line("04-1", "contact point", k)
        ((_, vector),) = quivers(lesson.axes("04-1")[k])
        n = vector[0] / np.hypot(*vector[0])
        hull = shapely.Point(pose[:2]).buffer(2, quad_segs=4096)
        if isinstance(shape, p2.Polygon):
            hull = shapely.Polygon(geometry.transform(shape.vertices, pose))
        disc = shapely.Point(center).buffer(ball.radius, quad_segs=4096)
        gap = hull.distance(shapely.Point(center))
        if k:  # the centre is outside of the box
            assert gap > 0
        # From the point half of the depth along the normal to one surface, against it to the other.
        half = 0.5 * ((ball.radius - gap) if k else (3.2 - np.hypot(*(center - pose[:2]))))
        assert hull.exterior.distance(shapely.Point(point + half * n)) < 1e-6
        assert disc.exterior.distance(shapely.Point(point - half * n)) < 1e-6


def test_the_crude_point_is_beside_the_post_and_jumps(lesson):
    ax = lesson.axes("04-2")[0]
    (arrow,) = (vectors[0] for _, vectors in quivers(ax))
    np.testing.assert_allclose(arrow, (0.61505622, 0.92281503), atol=5e-9)
    np.testing.assert_allclose(lesson.line("04-2", "crude, of A"), [(3, 0)])
    np.testing.assert_allclose(lesson.line("04-2", "crude, of B"), [(2.5, -0.9995)])
    # On the post the two bodies share an area. The engine's points are in it, the crude is not.
    post = shapely.box(-0.5, -2, 0.5, 0)
    ring = geometry.transform(p2.Box(4, 0.3).vertices, (0.2, 0.135, -0.02))
    shared = post.intersection(shapely.Polygon(ring))
    for point in lesson.line("04-2", "engine", 1):
        # Midway is along the plank's normal, 0.02 rad from the post's: aside by 1 % of the depth.
        assert shared.distance(shapely.Point(point)) < 0.01 * 0.022
    (crude,) = lesson.line("04-2", "crude, of the plank", 1)
    assert shared.distance(shapely.Point(crude)) > 1.5
    degrees, x = lesson.line("04-2", "crude", 2).T
    assert set(np.round(x, 2)) == {-0.5, 0, 0.5}
    side = np.where(abs(degrees) < 0.29, 0, -np.sign(degrees))  # 5 mm are nearly equal
    np.testing.assert_array_equal(np.sign(np.round(x, 2)), side)
    # The engine: corners at +-0.5, each as deep as it is below the floor.
    ax = lesson.axes("04-2")[2]
    for dots, tilt in zip(ax.collections, degrees, strict=True):
        corners = {side: 0.02 + side * 0.5 * np.sin(np.radians(-tilt)) for side in (-1, 1)}
        corners = {side: depth for side, depth in corners.items() if depth >= 0}
        points, areas = dots.get_offsets(), dots.get_sizes()
        order = np.argsort(points[:, 1])
        np.testing.assert_allclose(points[order, 1], 0.5 * np.array(sorted(corners)), atol=1e-3)
        np.testing.assert_allclose(areas[order], [1e3 * corners[s] for s in sorted(corners)])


def test_the_best_edges_face_each_other(lesson):
    """Of all edges, in Shapely's order: that of the largest normal along the direction."""
    ((_, normal),) = quivers(lesson.axes("04-3")[0])
    for name, shape, way in (("A", A, normal[0]), ("B", B, -normal[0])):
        ring = np.array(shapely.geometry.polygon.orient(shape).exterior.coords)
        edge = np.diff(ring, axis=0)
        outward = np.column_stack([edge[:, 1], -edge[:, 0]]) / np.hypot(*edge.T)[:, None]
        k = np.argmax(outward @ way)
        np.testing.assert_array_equal(lesson.line("04-3", f"best edge of {name}"), ring[k : k + 2])
        (deepest,) = lesson.line("04-3", f"deepest vertex of {name}")
        assert deepest @ way == pytest.approx((ring @ way).max())


def test_the_reference_is_at_right_angles_to_the_way_out(lesson):
    reference, incident = (
        lesson.line("04-4", f"{name} edge") for name in ("reference", "incident")
    )
    mtv = np.array([0.61505622, 0.92281503])
    assert abs(np.diff(reference, axis=0) @ mtv)[0] < 1e-7
    assert abs(np.diff(incident, axis=0) @ mtv)[0] > 1
    ((_, outward),) = quivers(lesson.axes("04-4")[0])
    np.testing.assert_allclose(outward[0], -mtv / np.hypot(*mtv), atol=1e-7)
    # Outwards: a step along it from the edge leaves B.
    middle = reference.mean(axis=0)
    assert not B.contains(shapely.Point(middle + 1e-6 * outward[0]))
    assert B.contains(shapely.Point(middle - 1e-6 * outward[0]))


def test_each_cut_leaves_what_shapely_leaves(lesson):
    reference = lesson.line("04-4", "reference edge")
    along = np.diff(reference, axis=0)[0] / np.hypot(*np.diff(reference, axis=0)[0])
    side = np.array([along[1], -along[0]])
    far = 100

    def behind(start, end):
        """All between the far lines through start and end, at right angles to the edge."""
        return shapely.LineString(
            [start - far * side, start + far * side, end + far * side, end - far * side]
        ).convex_hull

    left = shapely.LineString([(3, 0), (-1, 0)])
    first = left.intersection(behind(reference[0], reference[0] + far * along))
    both = left.intersection(behind(reference[0], reference[1]))
    below = both.intersection(B)
    for ax, wanted in zip(lesson.axes("04-5"), (left, first, both, below), strict=True):
        ends = sorted(by_gid(ax, "left over").tolist())
        np.testing.assert_allclose(ends, sorted(map(list, wanted.coords)), atol=1e-9)


def test_the_second_example_is_cut_by_upright_lines(lesson):
    """The roof between x = -0.5 and x = 2.5 and above the base, by Shapely."""
    triangle = shapely.Polygon(np.array([(4.0, 1), (2, 4), (1, 1)]) - 1.5)
    roof = shapely.LineString([(1.5, 0.5), (-1.2, -0.5)])
    wanted = roof.intersection(shapely.box(-0.5, -0.5, 2.5, 9))
    left, right = lesson.axes("04-6")
    ends = sorted(by_gid(left, "left over").tolist())
    np.testing.assert_allclose(ends, sorted(map(list, wanted.coords)), atol=1e-9)
    for ax in (left, right):
        upright = {x for li in ax.lines for x in li.get_xdata() if len(set(li.get_xdata())) == 1}
        assert {-0.5, 2.5} <= upright
        assert [text.get_text().strip() for text in ax.texts][-2:] == ["x = −0.5", "x = 2.5"]
    base = shapely.LineString([(-0.5, -0.5), (2.5, -0.5)])
    for point in by_gid(right, "contact points"):
        # Midway between the roof and the base, along the normal of the base.
        assert shapely.Point(point[0], 2 * point[1] + 0.5).distance(roof) < 1e-9
        assert (
            triangle.covers(shapely.Point(point)) or triangle.distance(shapely.Point(point)) < 0.2
        )
        assert base.distance(shapely.Point(point[0], -0.5)) < 1e-9


def test_the_contact_points_are_midway_and_as_deep_as_they_say(lesson):
    ax = lesson.axes("04-7")[0]
    points = by_gid(ax, "contact points")
    depths = sorted(float(t.get_text().split()[0]) for t in ax.texts if t.get_gid() == "depth")
    lid, edge = shapely.LineString([(-1, 0), (3, 0)]), shapely.LineString(lesson.reference)
    line = shapely.LineString([2 * lesson.reference[0] - lesson.reference[1],
                               2 * lesson.reference[1] - lesson.reference[0]])  # fmt: skip
    assert len(points) == 2
    true = []
    for point in map(shapely.Point, points):
        half = line.distance(point)
        true.append(2 * half)
        foot = np.array(line.interpolate(line.project(point)).coords[0])
        assert edge.distance(shapely.Point(foot)) < 1e-9  # between the side planes
        over = 2 * np.array(point.coords[0]) - foot
        assert lid.distance(shapely.Point(over)) < 1e-9  # the other surface
    np.testing.assert_allclose(depths, sorted(true), atol=5e-3)
    assert max(true) == pytest.approx(np.hypot(0.61505622, 0.92281503), abs=1e-8)


def test_an_id_stays_with_its_corner_and_not_with_its_place(lesson):
    left, right = lesson.axes("04-8")
    assert len(left.lines) == len(right.lines) == 4
    for k, (where, place) in enumerate(zip(left.lines, right.lines, strict=True)):
        degrees, x = where.get_xydata().T
        # Corner i of the hexagon, in the frame that rolls over the corner 0.5 + turn.
        turn = degrees // 60
        angles = np.radians(180 + 60 * np.stack([np.full_like(turn, k + 1), 2 + turn]) - degrees)
        np.testing.assert_allclose(x, 0.5 + turn + np.cos(angles[0]) - np.cos(angles[1]), atol=1e-9)
        own = turn == k - 1  # while it turns over this corner
        assert own.sum() >= (25 if k else 0)
        np.testing.assert_allclose(x[own], k - 0.5, atol=1e-9)
        assert f"vertex {k + 1}" in where.get_label()
        if k:
            # Until its turn begins and it carries alone, it is the second of two.
            assert (place.get_ydata()[degrees < 60 * (k - 1) - 1e-6] == 1).all()
            assert (place.get_ydata()[degrees > 60 * (k - 1) + 10] == 0).all()
    assert {tuple(line.get_ydata()[:1]) for line in right.lines} == {(0.0,), (1.0,)}


def test_a_start_with_the_right_impulses_saves_all_passes(lesson):
    """Against the linear system of the two points, solved and iterated by matrices."""
    arm = lesson.x - 0.36
    system = 1 + np.outer(arm, arm) / (lesson.INERTIA)
    weight = 9.81 / 60
    exact = np.linalg.solve(system, np.full(2, weight))
    np.testing.assert_allclose(sorted(exact), [0.1 * weight, 0.9 * weight], rtol=1e-9)
    lower = np.tril(system)
    step = np.eye(2) - np.linalg.solve(lower, system)
    for name, start in (("nothing", 0 * exact), ("the other point", exact[::-1])):
        passes, error = lesson.line("04-9", f"NumPy, start: {name}").T
        for count in range(len(passes)):
            left = np.linalg.matrix_power(step, count + 1) @ (start - exact)
            assert error[count] == pytest.approx(abs(left).max() / weight, rel=1e-6)
    cold = lesson.line("04-9", "engine, cold")[:, 1]
    np.testing.assert_allclose(cold, lesson.line("04-9", "NumPy, start: nothing")[:, 1], atol=1e-5)
    assert lesson.line("04-9", "engine, warm")[:, 1].max() < 1e-3
    assert lesson.line("04-9", "NumPy, start: the same point")[:, 1].max() < 1e-8
