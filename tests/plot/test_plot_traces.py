"""Pictures of traces show the numbers of the trace."""

import functools
import itertools

import numpy as np
import pytest
import scipy.spatial
import shapely
import traces_for_tests as traces
from matplotlib.collections import LineCollection
from scenes_to_draw import axes

import pyphys2d as p2
from pyphys2d import geometry, plot
from pyphys2d.plot._outline import at_pose, outline

BLOCK = p2.Polygon([(-1, 0), (3, 0), (3, -2), (-1, -2)])
LEANING = p2.Polygon([(3.5, -1.666), (4.5, 0), (1.5, 2), (1.5, -0.333)])
TRIANGLE = p2.Polygon([(4, 1), (2, 4), (1, 1)])
PENTAGON = p2.Polygon([(2, -2.5), (2.2, -0.5), (1.5, 0.5), (-1.2, -0.5), (-1, -2.5)])
PAIRS = {
    "overlapping": (BLOCK, LEANING, (0, 0, 0), (0, 0, 0)),
    "apart": (TRIANGLE, PENTAGON, (0, 0, 0), (0, 0, 0)),
    "within": (p2.Box(4, 4), p2.Box(1, 1), (0, 0, 0), (0.3, 0.2, 0)),
    "turned": (p2.Box(2, 1), p2.RegularPolygon(5, 1), (0, 0, 0.4), (1.2, 0.5, 2)),
    "circle": (p2.Circle(1), p2.RegularPolygon(5, 1), (0, 0, 0), (1.4, 1, 0)),
    "circles": (p2.Circle(1), p2.Circle(0.5), (0, 0, 0), (1.2, 0.3, 0)),
    "capsule": (p2.Capsule((0, 0), (2, 0), 0.3), p2.Box(1, 1), (0, 0, 0.2), (1, 0.6, 0)),
    "segment": (p2.Segment((-1, 0), (1, 0)), p2.Box(1, 1), (0, 0, 0), (0, 0.4, 0)),
    "rounded": (p2.Box(1, 1, radius=0.2), p2.Box(1, 1), (0, 0, 0), (1.1, 0.3, 0.3)),
}
pairs = pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)


@functools.cache
def picture(of, pair, size=(4.5, 3.5), **options):
    """`of` ("sat" or "clip") of a pair, with all in the place where a drawing has it. Made once:
    the tests only look at it.
    """
    ax = getattr(plot, of)(getattr(geometry, of)(*pair), axes(*size), **options)
    ax.apply_aspect()
    return ax


@pytest.fixture(scope="module", autouse=True)
def no_pictures_afterwards():
    yield
    picture.cache_clear()


def line(ax, gid):
    (found,) = [each for each in ax.lines if each.get_gid() == gid]
    return found.get_xydata()


def segments(ax, gid):
    (found,) = [c for c in ax.collections if c.get_gid() == gid]
    return np.array(found.get_segments())


def arrow(ax, gid):
    (found,) = [c for c in ax.collections if c.get_gid() == gid]
    return np.column_stack([found.X, found.Y]), np.column_stack([found.U, found.V])


def labels(ax):
    return [] if ax.get_legend() is None else [text.get_text() for text in ax.get_legend().texts]


def of_all(count):
    """Pictures count from 0, as the arrays of a trace do, and say so."""
    return f" of 0…{count - 1}" if count > 1 else ""


# ---------------------------------------------------------------- separating axes


@pytest.mark.fast_cases(4)
@pairs
def test_shadows_are_the_intervals(pair):
    trace = geometry.sat(*pair)
    for k in range(len(trace.axes)):
        ax = picture("sat", pair, axis=k)
        normal = trace.axes[k]
        for name, intervals in (("A", trace.intervals_a), ("B", trace.intervals_b)):
            ends = line(ax, f"shadow of {name}")
            np.testing.assert_allclose(ends @ normal, intervals[k], atol=1e-9)
            across = ends @ [-normal[1], normal[0]]
            assert np.ptp(across) < 1e-9
        marks = segments(ax, "overlap")
        places = marks[:2, 0] @ normal
        assert abs(places[1] - places[0]) == pytest.approx(abs(trace.overlaps[k]), abs=1e-9)
        # The picture is drawn apart from the shapes themselves.
        assert ax.get_title().startswith(f"axis {k}{of_all(len(trace.axes))}: ")


@pairs
def test_the_way_out_is_the_mtv(pair):
    trace = geometry.sat(*pair)
    ax = picture("sat", pair)
    if trace.mtv is None:
        assert "gap" in ax.get_title()
        assert not [c for c in ax.collections if c.get_gid() == "mtv"]
        return
    _, vectors = arrow(ax, "mtv")
    np.testing.assert_allclose(vectors, [trace.mtv])
    assert "smallest overlap" in ax.get_title() or len(trace.axes) == 1
    moved = (*(pair[3][:2] + vectors[0] * (1 + 1e-9)), pair[3][2])
    assert geometry.mtv(pair[0], pair[1], pair[2], moved) is None


def test_the_edge_of_the_axis_is_thick():
    trace = geometry.sat(BLOCK, LEANING)
    for k in range(len(trace.axes)):
        ax = plot.sat(trace, axes(), axis=k)
        (edge,) = [each for each in ax.lines if each.get_label().startswith("edge ")]
        start, end = edge.get_xydata()
        along = (end - start) / np.hypot(*(end - start))
        np.testing.assert_allclose(trace.axes[k], [along[1], -along[0]], atol=1e-12)
        owner = (BLOCK, LEANING)[trace.owner[k]]
        assert any(np.allclose(start, vertex) for vertex in owner.vertices)
        assert edge.get_label() == f"edge {trace.edge[k]} of {'AB'[trace.owner[k]]}"


def test_axes_that_are_not_there():
    trace = geometry.sat(BLOCK, LEANING)
    assert (
        plot.sat(trace, axes(), axis=-1).get_title() == plot.sat(trace, axes(), axis=7).get_title()
    )
    for axis in (8, -9):
        with pytest.raises(IndexError, match=f"axis: must be from -8 to 7, got {axis}"):
            plot.sat(trace, axes(), axis=axis)


# ---------------------------------------------------------------- clipping


@pairs
def test_contact_points_and_depths(pair):
    trace = geometry.clip(*pair)
    ax = picture("clip", pair)
    if not len(trace.points):
        assert ax.get_title() == "apart, no contact points"
        return
    np.testing.assert_allclose(line(ax, "contact points"), trace.points)
    depths = [t.get_text() for t in ax.texts if t.get_gid() == "depth"]
    assert depths == [f"{depth:.3g} m" for depth in trace.depths]
    # What is drawn beside the number has the length that the number says.
    bars = segments(ax, "depths")
    np.testing.assert_allclose(bars.mean(axis=1), trace.points, atol=1e-12)
    expected = trace.depths[:, None] * trace.normal
    np.testing.assert_allclose(bars[:, 1] - bars[:, 0], expected, atol=1e-12)
    roots, vectors = arrow(ax, "normal")
    np.testing.assert_allclose(roots, [trace.points.mean(axis=0)])
    np.testing.assert_allclose(vectors / np.hypot(*vectors.T)[:, None], [trace.normal])
    assert {"depths", "contact points", "normal, from A to B"} <= set(labels(ax))


@pytest.mark.parametrize("pair", ["overlapping", "rounded", "circle", "capsule"])
def test_bars_of_depth_end_on_the_surfaces(pair):
    a, b, pose_a, pose_b = PAIRS[pair]
    bars = segments(picture("clip", PAIRS[pair]), "depths")
    assert len(bars)
    for start, end in bars:
        for shape, pose, at in ((b, pose_b, start), (a, pose_a, end)):
            gap = geometry.distance(shape, p2.Circle(1e-9), pose, (*at, 0)).distance
            assert abs(gap) < 1e-6, pair


@pytest.mark.fast_cases(3)
@pairs
def test_every_stage_of_clipping_can_be_drawn(pair):
    trace = geometry.clip(*pair)
    for stage in range(len(trace.stages)):
        ax = picture("clip", pair, stage=stage)
        ax.figure.canvas.draw()
        if len(trace.stages[stage]):
            np.testing.assert_allclose(line(ax, "left over"), trace.stages[stage])
        assert not [t for t in ax.texts if t.get_gid() == "depth"]
    for stage in (-1, max(len(trace.stages), 1)):
        with pytest.raises(IndexError, match="stage: must be from 0"):
            plot.clip(trace, axes(), stage=stage)


@pairs
def test_the_legend_hides_no_shape(pair):
    """Neither an outline nor the area within, in any state of the clipping and on any axis."""
    trace, seen = geometry.clip(*pair), geometry.sat(*pair)
    pictures = [picture("clip", pair, stage=k) for k in range(len(trace.stages))]
    pictures += [picture("sat", pair, axis=k) for k in range(len(seen.axes))]
    pictures += [picture("clip", pair), picture("clip", pair, size=(7.6, 5.6))]
    for ax in pictures:
        if ax.get_legend() is None:
            continue
        box = ax.get_legend().get_window_extent()
        corners = [(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)]
        hidden = shapely.Polygon(ax.transData.inverted().transform(corners))
        for shape, pose in zip(pair[:2], pair[2:], strict=True):
            ring = at_pose(outline(shape).rings[0], np.array(pose, float))
            assert not hidden.intersects(shapely.MultiPoint(ring).convex_hull)


def test_edges_and_side_planes():
    trace = geometry.clip(BLOCK, LEANING)
    ax = plot.clip(trace, axes())
    names = ["reference edge (B)", "incident edge (A)"] if trace.flipped else [
        "reference edge (A)", "incident edge (B)"
    ]  # fmt: skip
    for name, expected in zip(names, (trace.reference_edge, trace.incident_edge), strict=True):
        (found,) = [each for each in ax.lines if each.get_label() == name]
        np.testing.assert_allclose(found.get_xydata(), expected)
    along = np.diff(trace.reference_edge, axis=0)[0]
    for k, corner in enumerate(trace.reference_edge):
        ends = line(ax, f"side plane {k}")
        np.testing.assert_allclose(np.diff(ends, axis=0)[0] @ along, 0, atol=1e-9)
        np.testing.assert_allclose(ends.mean(axis=0), corner)
    gone = line(ax, "cut away")
    # The one end of A's upper edge that lies outside of the side planes.
    np.testing.assert_allclose(gone, [(-1, 0)])


# ---------------------------------------------------------------- distance


def test_the_search_for_the_distance():
    pair = p2.Box(2, 1), p2.RegularPolygon(7, 1), (0, 0, 0.2), (2.5, 1.2, 0.3)
    trace = traces.gjk(*pair)
    ax = plot.gjk(trace, axes())
    ends = line(ax, "distance")
    expected = geometry.distance(*pair).distance
    assert np.hypot(*np.diff(ends, axis=0)[0]) == pytest.approx(expected, abs=1e-9)
    np.testing.assert_array_equal(line(ax, "origin"), [(0, 0)])
    np.testing.assert_allclose(line(ax, "closest"), trace.closest)
    shown = [n for t in ax.texts if t.get_gid() == "support" for n in t.get_text().split(", ")]
    assert sorted(shown, key=int) == [str(k) for k in range(len(trace.supports))]
    for k, simplex in enumerate(trace.simplices):
        drawn = line(ax, f"simplex {k}")
        np.testing.assert_allclose(drawn[: len(simplex)], simplex)
    assert ax.get_title().startswith(f"distance {expected:.4g} m")
    ends = line(plot.gjk(trace, axes(), space="world"), "distance")
    np.testing.assert_allclose(ends, [trace.point_a, trace.point_b])
    with pytest.raises(ValueError, match="space: must be 'difference' or 'world', got 'x'"):
        plot.gjk(trace, axes(), space="x")


def test_the_search_between_overlapping_shapes():
    trace = traces.gjk(p2.Box(2, 1), p2.RegularPolygon(7, 1), (0, 0, 0.2), (0.5, 0.4, 0.3))
    for space in ("difference", "world"):
        ax = plot.gjk(trace, axes(), space=space)
        assert ax.get_title().startswith("overlapping")
        assert not [each for each in ax.lines if each.get_gid() == "distance"]


def test_the_search_between_circles_and_boxes():
    trace = traces.gjk(p2.Circle(0.5), p2.Circle(0.3), (0, 0, 0), (3, 4, 0))
    plot.gjk(trace, axes()).figure.canvas.draw()
    ends = line(plot.gjk(trace, axes(), space="world"), "distance")
    np.testing.assert_allclose(np.hypot(*(ends[1] - ends[0])), 5 - 0.8)


# ---------------------------------------------------------------- time of impact and hull


def test_the_way_to_the_first_touch():
    ball, wall = p2.Circle(0.3), p2.Box(0.2, 4)
    trace = traces.toi(ball, wall, (-3, 0, 0), (3, 1, 0), (0, 0, 0), (0, 0, 0))
    ax = plot.toi(trace, axes())
    drawn = segments(ax, "nearest points")
    np.testing.assert_allclose(np.hypot(*(drawn[:, 1] - drawn[:, 0]).T), trace.distances, atol=1e-9)
    # 3 m to the wall's middle, less its half width, the radius and the target, out of 6 m.
    assert trace.fraction == pytest.approx((3 - 0.1 - 0.3 - 0.005) / 6, abs=2e-4)
    assert f"touch at {trace.fraction:.4g}" in ax.get_title()
    (x0, x1), _ = ax.get_xlim(), ax.get_ylim()
    assert x0 < -3.3
    assert x1 > 3.3  # the end of the way, too
    outlines = [p.vertices for c in ax.collections for p in c.get_paths() if len(p.vertices) > 20]
    centers = sorted({round(float(v[:-1].mean(axis=0)[0]), 6) for v in outlines})
    expected = sorted({round(float(x), 6) for x in [*trace.poses_a[:, 0], 3.0]})
    assert centers == pytest.approx(expected, abs=1e-6)


def test_a_way_without_touch_and_a_touch_at_the_start():
    ball, wall = p2.Circle(0.3), p2.Box(0.2, 4)
    still = (0, 0, 0), (0, 0, 0)
    missed = traces.toi(ball, wall, (-3, 0, 0), (-2, 5, 0), *still)
    assert plot.toi(missed, axes()).get_title().startswith("no touch")
    near = traces.toi(ball, wall, (-0.402, 0, 0), (3, 0, 0), *still)
    ax = plot.toi(near, axes())
    ax.figure.canvas.draw()
    assert ax.get_title() == "touch at 0 of the path, 1 round"


def test_the_hull_is_that_of_the_points():
    points = np.random.default_rng(3).normal(size=(40, 2))
    trace = traces.hull_trace(points)
    ax = plot.hull(trace, axes())
    (artist,) = [c for c in ax.collections if c.get_gid() == "hull"]
    drawn = artist.get_paths()[0].vertices[:-1]
    expected = points[scipy.spatial.ConvexHull(points).vertices]
    assert {tuple(p) for p in drawn} == {tuple(p) for p in expected}
    rim = {
        frozenset((tuple(a), tuple(b))) for a, b in zip(drawn, np.roll(drawn, 1, 0), strict=True)
    }
    given_up = {frozenset((tuple(a), tuple(b))) for a, b in segments(ax, "given up")}
    assert given_up
    assert not rim & given_up
    assert ax.get_title() == f"hull of 40 points: {len(expected)} vertices"


def test_stages_of_the_hull():
    trace = traces.hull_trace(np.random.default_rng(3).normal(size=(12, 2)))
    for k, stage in enumerate(trace.stages):
        ax = plot.hull(trace, axes(), stage=k)
        np.testing.assert_allclose(line(ax, "chain"), trace.points[stage])
        assert ax.get_title() == f"stage {k}{of_all(len(trace.stages))}"
    last = plot.hull(trace, axes(), stage=-1)
    np.testing.assert_allclose(line(last, "chain"), trace.points[trace.stages[-1]])
    with pytest.raises(IndexError, match="stage: must be from"):
        plot.hull(trace, axes(), stage=len(trace.stages))


# ---------------------------------------------------------------- all of them


def test_traces_draw_themselves():
    for trace in (geometry.sat(BLOCK, LEANING), geometry.clip(BLOCK, LEANING)):
        ax = axes()
        assert trace.plot(ax) is ax
        assert ax.has_data()


@pytest.mark.fast_cases(4)
@pairs
def test_nothing_lies_outside_of_the_limits(pair):
    """Of the shapes, the shadows and the words."""
    for ax in (picture("sat", pair), picture("clip", pair)):
        ax.figure.canvas.draw()
        whole = ax.get_window_extent()
        low, high = whole.min - 1, whole.max + 1
        for text in ax.texts:
            box = text.get_window_extent()
            assert (box.min >= low).all(), text
            assert (box.max <= high).all(), text
        for artist in ax.collections:
            if isinstance(artist, LineCollection):
                continue
            for path in artist.get_paths():
                if artist.get_gid() is None:
                    seen = ax.transData.transform(path.vertices)
                    assert (seen >= low).all()
                    assert (seen <= high).all()
        box = ax.get_legend().get_window_extent() if ax.get_legend() else whole
        assert (box.min >= low).all()
        assert (box.max <= high).all()


@pairs
def test_words_do_not_lie_on_each_other(pair):
    for ax in (picture("sat", pair), picture("clip", pair)):
        boxes = [text.get_window_extent() for text in ax.texts]
        for one, other in itertools.combinations(boxes, 2):
            assert not one.overlaps(other)


def test_numbers_of_support_points_are_within_the_picture():
    ax = plot.gjk(traces.gjk(p2.Box(2, 1), p2.Box(1, 1), (0, 0, 0.2), (1.5, 2, 0.3)), axes())
    ax.figure.canvas.draw()
    whole = ax.get_window_extent()
    numbers = [text for text in ax.texts if text.get_gid() == "support"]
    assert numbers
    for text in numbers:
        box = text.get_window_extent()
        assert whole.x0 < box.x0 < box.x1 < whole.x1
        assert whole.y0 < box.y0 < box.y1 < whole.y1
