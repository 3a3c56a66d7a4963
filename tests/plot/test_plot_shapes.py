"""Single shapes and polygons: where outlines, normals, numbers and centroids are drawn."""

import numpy as np
import pytest
import shapely
from matplotlib.collections import LineCollection, PathCollection
from scenes_to_draw import axes

import pyphys2d as p2
from pyphys2d import geometry, plot

HOUSE = [(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)]


def outlines(ax):
    return [
        path.vertices[path.codes != path.CLOSEPOLY]
        for artist in ax.collections
        if isinstance(artist, PathCollection)
        for path in artist.get_paths()
    ]


def marker(ax, gid):
    return next(line for line in ax.lines if line.get_gid() == gid).get_xydata()


def arrows(ax):
    found = [c for c in ax.collections if c.get_gid() == "normals"]
    roots = np.concatenate([np.column_stack([q.X, q.Y]) for q in found])
    return roots, np.concatenate([np.column_stack([q.U, q.V]) for q in found])


def test_a_shape_at_many_poses_is_one_collection():
    poses = np.array([(0, 0, 0), (3, 1, np.pi / 2), (-2, 5, 1)])
    ax = plot.shape(p2.Box(2, 1), poses, axes())
    (collection,) = ax.collections
    drawn = [path.vertices[:4] for path in collection.get_paths()]
    world = p2.World()
    for pose, ring in zip(poses, drawn, strict=True):
        body = world.add_body(p2.Box(2, 1), pose[:2], pose[2])
        np.testing.assert_allclose(ring, body.colliders[0].vertices, atol=1e-12)
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    everything = np.concatenate(drawn)
    assert (everything >= (x0, y0)).all()
    assert (everything <= (x1, y1)).all()


@pytest.mark.parametrize(
    "shape",
    [
        p2.Circle(0.7, (1, 2)),
        p2.Capsule((0, 0), (2, 1), 0.4),
        p2.Box(2, 1, radius=0.3),
        p2.RegularPolygon(5, 1),
    ],
    ids=lambda s: type(s).__name__,
)
def test_the_outline_has_the_area_and_the_bounds_of_the_shape(shape):
    (ring,) = outlines(plot.shape(shape, ax=axes()))
    drawn = shapely.Polygon(ring)
    assert drawn.is_valid
    assert drawn.area == pytest.approx(shape.area, rel=0.02)
    np.testing.assert_allclose(np.reshape(drawn.bounds, (2, 2)), shape.aabb, atol=0.02)


def test_segments_and_chains_are_lines():
    points = [(0, 0), (2, 1), (4, 0)]
    ax = plot.shape(p2.Chain(points), (1, 1, 0), axes())
    (artist,) = ax.collections
    assert isinstance(artist, LineCollection)
    np.testing.assert_allclose(artist.get_segments()[0], np.add(points, 1))
    ax = plot.shape(p2.Segment((0, 0), (2, 0)), (0, 0, np.pi / 2), axes(), centroid=True)
    np.testing.assert_allclose(ax.collections[0].get_segments()[0], [(0, 0), (0, 2)], atol=1e-12)
    np.testing.assert_allclose(marker(ax, "centroid"), [(0, 1)], atol=1e-12)


@pytest.mark.parametrize("loop", [False, True])
def test_normals_of_a_chain_show_its_free_side(loop):
    """What falls on the chain from there is stopped, what comes from behind is not."""
    points = np.array([(0.0, 0), (3, 1), (4, 4), (0, 5)])
    chain, pose = p2.Chain(points, loop=loop), (1, -2, 0.4)
    ax = plot.shape(chain, pose, axes(), vertices=True, normals=True)
    roots, vectors = arrows(ax)
    placed = geometry.transform(points, pose)
    ends = np.roll(placed, -1, axis=0)
    count = 4 if loop else 3
    np.testing.assert_allclose(roots, ((placed + ends) / 2)[:count], atol=1e-12)
    assert np.hypot(*vectors.T) == pytest.approx(np.hypot(*vectors[0]))
    for root, vector in zip(roots, vectors, strict=True):
        unit = vector / np.hypot(*vector)
        for side, stopped in ((1, True), (-1, False)):
            world = p2.World(gravity=(0, 0))
            world.add_body(chain, pose[:2], pose[2], kind="static")
            ball = world.add_body(
                p2.Circle(0.2), root + 0.4 * side * unit, velocity=-side * 2 * unit
            )
            world.step(1 / 60, n=24)
            behind = side * (ball.position - root) @ unit < 0
            assert behind != stopped
    np.testing.assert_allclose(marker(ax, "numbered points"), placed, atol=1e-12)
    assert {t.get_text() for t in ax.texts} == {*"0123"}


def test_the_ends_of_a_segment_have_numbers_and_its_sides_no_normals():
    ax = plot.shape(p2.Segment((0, 0), (2, 1)), (1, 0, 0), axes(), vertices=True, normals=True)
    np.testing.assert_allclose(marker(ax, "numbered points"), [(1, 0), (3, 1)])
    notes = {t.get_text(): np.array(t.xyann) for t in ax.texts}
    assert notes["0"] @ (2, 1) < 0 < notes["1"] @ (2, 1)  # beyond the ends
    assert not [c for c in ax.collections if c.get_gid() == "normals"]


def test_parts_of_a_concave_shape():
    arrow = p2.Polygon([(-1, -1), (2, 0), (-1, 1), (0, 0)])
    ax = plot.shape(arrow, (5, 0, 0), axes(), parts=True)
    (parts,) = [c for c in ax.collections if c.get_gid() == "parts"]
    drawn = [shapely.Polygon(path.vertices) for path in parts.get_paths()]
    assert len(drawn) == len(arrow.parts) == 2
    assert sum(part.area for part in drawn) == pytest.approx(arrow.area)
    assert not [
        c
        for c in plot.shape(p2.Box(1, 1), ax=axes(), parts=True).collections
        if c.get_gid() == "parts"
    ]


@pytest.mark.parametrize("ring", [HOUSE, HOUSE[::-1]], ids=["counter-clockwise", "clockwise"])
def test_normals_point_out_of_the_polygon(ring):
    polygon = shapely.Polygon(ring)
    roots, vectors = arrows(plot.polygon(ring, axes(), normals=True))
    np.testing.assert_allclose(np.hypot(*vectors.T), np.hypot(*vectors[0]))
    for k, (root, vector) in enumerate(zip(roots, vectors, strict=True)):
        edge = np.subtract(ring[(k + 1) % 5], ring[k])
        assert vector @ edge == pytest.approx(0, abs=1e-12)
        np.testing.assert_allclose(root, np.add(ring[k], edge / 2))
        assert not polygon.contains(shapely.Point(root + 1e-6 * vector))
        assert polygon.contains(shapely.Point(root - 1e-6 * vector))


@pytest.mark.parametrize("turned", [1, -1])
def test_normals_of_a_hole_point_into_it(turned):
    yard = [(0, 0), (4, 0), (4, 4), (0, 4)]
    pond = [(1, 1), (3, 1), (3, 3), (1, 3)][::turned]
    ax = plot.polygon(yard, axes(), holes=[pond], normals=True, centroid=True)
    roots, vectors = arrows(ax)
    inner = (np.abs(roots - 2) <= 1).all(axis=1)
    assert inner.sum() == 4
    assert (((2 - roots[inner]) * vectors[inner]).sum(axis=1) > 0).all()
    assert (((roots[~inner] - 2) * vectors[~inner]).sum(axis=1) > 0).all()


def test_the_centroid_is_that_of_the_area():
    yard, pond = [(0, 0), (4, 0), (4, 4), (0, 4)], [(2, 1), (3.5, 1), (3.5, 2)]
    expected = shapely.Polygon(yard, [pond]).centroid
    for hole in (pond, pond[::-1]):
        ax = plot.polygon(yard, axes(), holes=[hole], centroid=True)
        np.testing.assert_allclose(marker(ax, "centroid"), [(expected.x, expected.y)])
    # The tutorial's pentagon.
    pentagon = [(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)]
    ax = plot.polygon(pentagon, axes(), centroid=True)
    np.testing.assert_allclose(marker(ax, "centroid"), [(0.56995885, 0.2962963)], atol=1e-8)


def test_numbers_stand_outside_of_their_corners():
    ax = plot.polygon(HOUSE, axes(), numbers=True, label="house")
    numbers = {t.get_text(): t for t in ax.texts}
    assert set(numbers) == {*"01234", "house"}
    middle = np.mean(HOUSE, axis=0)
    for k, corner in enumerate(HOUSE):
        note = numbers[str(k)]
        np.testing.assert_allclose(note.xy, corner)
        assert np.dot(note.xyann, np.subtract(corner, middle)) > 0
    np.testing.assert_allclose(marker(ax, "numbered points"), HOUSE)


def test_polygons_that_are_no_shapes_can_be_drawn():
    for vertices in ([(0, 0), (1, 1), (1, 0), (0, 1)], [(0, 0), (1, 0)], [(2, 3)], [(1, 1)] * 4):
        ax = plot.polygon(vertices, axes(), numbers=True, normals=True, centroid=True, label="x")
        ax.figure.canvas.draw()


def test_colour_and_fill():
    ax = plot.polygon(HOUSE, axes(), color="C3", fill=False)
    assert len(ax.collections[0].get_facecolor()) == 0
    ax = plot.shape(p2.Circle(1), ax=axes(), color="#ff0000")
    np.testing.assert_allclose(ax.collections[0].get_edgecolor(), [(1, 0, 0, 1)])
    np.testing.assert_allclose(ax.collections[0].get_facecolor()[0, :3], (1, 0, 0))


def test_what_is_no_shape():
    with pytest.raises(TypeError, match="shape: must be a Shape, got list"):
        plot.shape(HOUSE, ax=axes())
