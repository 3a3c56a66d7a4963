"""Tile maps against brute force: exact rationals for rays, Shapely for areas, loops for boxes."""

import copy
import pickle
import re
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

import numpy as np
import pytest
import shapely
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pyphys2d as p2
from pyphys2d.geometry import TileHit, TileMap

ROWS, COLUMNS = 5, 6


def random_map(seed, density=0.4, rows=ROWS, columns=COLUMNS, **options):
    cells = np.random.default_rng(seed).random((rows, columns)) < density
    return TileMap(cells, **options)


# ---------------------------------------------------------------- rays


def touched(x, y):
    """All tiles that hold the point (x, y), the upper and right one first."""
    columns = [floor(x)] if x != floor(x) else [floor(x), floor(x) - 1]
    rows = [floor(y)] if y != floor(y) else [floor(y), floor(y) - 1]
    return [(r, c) for r in rows for c in columns]


def solid(cells, tile):
    row, column = tile
    return 0 <= row < cells.shape[0] and 0 <= column < cells.shape[1] and bool(cells[tile])


def walk(cells, origin, way):
    """First place of a ray inside the solid, in exact arithmetic: None, or fraction, tile, normals
    that the definition allows (None: inside).
    """
    o, d = [[Fraction(float(v)) for v in p] for p in (origin, way)]

    def inside(t):
        return all(solid(cells, tile) for tile in touched(o[0] + t * d[0], o[1] + t * d[1]))

    if inside(Fraction(0)):
        return Fraction(0), touched(*o)[0], None
    if d == [0, 0]:
        return None
    times = {Fraction(0), Fraction(1)}
    for axis, count in ((0, cells.shape[1]), (1, cells.shape[0])):
        if d[axis] != 0:
            times |= {(k - o[axis]) / d[axis] for k in range(count + 1)}
    times = sorted(t for t in times if 0 <= t <= 1)
    for t, after in pairwise(times):
        middle = (t + after) / 2
        if inside(middle):
            tile = touched(o[0] + middle * d[0], o[1] + middle * d[1])[0]
            on = [(o[a] + t * d[a]).denominator == 1 and d[a] != 0 for a in (0, 1)]
            steps = [(d[a] > 0) - (d[a] < 0) for a in (0, 1)]
            normals = [(-steps[0], 0), (0, -steps[1])]
            if all(on):
                open_x = not solid(cells, (tile[0], tile[1] - steps[0]))
                open_y = not solid(cells, (tile[0] - steps[1], tile[1]))
                on = [open_x, open_y] if open_x != open_y else [True, False]
                if open_x == open_y and abs(d[0]) < abs(d[1]):
                    on = [False, True]
            return t, tile, normals[0] if on[0] else normals[1]
    return None


def check_ray(tiles, origin, way):
    hit = tiles.cast_ray(origin, way)
    expected = walk(tiles.cells, origin, way)
    assert (hit is None) == (expected is None)
    if hit is None:
        return
    fraction, tile, normal = expected
    assert (hit.row, hit.column) == tile
    assert hit.fraction == pytest.approx(float(fraction), rel=1e-12, abs=1e-300)
    if normal is None:
        assert hit.fraction == 0
        np.testing.assert_array_equal(hit.point, origin)
        scaled = np.array(way) / (np.abs(way).max() or 1)
        against = -scaled / np.linalg.norm(scaled) if scaled.any() else (0, 1)
        np.testing.assert_allclose(hit.normal, against, atol=1e-15)
    else:
        np.testing.assert_array_equal(hit.normal, normal)
        # A face is a line of the grid, to the last bit.
        axis = 0 if normal[0] else 1
        side = tile[1 - axis] + (normal[axis] > 0)
        assert hit.point[axis] == side
        assert hit.point == pytest.approx(np.array(origin) + float(fraction) * np.array(way))


quarter = st.integers(-8, 40).map(lambda k: k / 4)
step = st.integers(-40, 40).map(lambda k: k / 4)
anywhere = st.floats(-3, 9)


@settings(max_examples=250)
@given(seed=st.integers(0, 30), origin=st.tuples(quarter, quarter), way=st.tuples(step, step))
@example(seed=0, origin=(0.0, 0.0), way=(5.0, 5.0))
def test_rays_along_edges_and_through_corners(seed, origin, way):
    check_ray(random_map(seed, 0.5), origin, way)


@given(
    seed=st.integers(0, 30),
    origin=st.tuples(anywhere, anywhere),
    way=st.tuples(st.floats(-12, 12), st.floats(-12, 12)),
)
def test_rays_anywhere(seed, origin, way):
    check_ray(random_map(seed, 0.25), origin, way)


@given(
    corner=st.tuples(st.integers(0, COLUMNS), st.integers(0, ROWS)),
    way=st.tuples(st.floats(-7, 7), st.floats(-7, 7)),
    back=st.floats(0, 1),
    off=st.integers(-2, 2),
    seed=st.integers(0, 30),
)
def test_rays_that_all_but_meet_a_corner(corner, way, back, off, seed):
    """The cell is the right one however many digits it takes to tell."""
    origin = np.array(corner) - back * np.array(way)
    origin[0] += off * np.spacing(origin[0])
    check_ray(random_map(seed, 0.5), tuple(origin), way)


def test_a_diagonal_passes_between_two_tiles_that_meet_in_a_corner():
    tiles = TileMap([[0, 1], [1, 0]])
    assert tiles.cast_ray((0.5, 0.5), (1, 1)) is None
    assert tiles.cast_ray((1.5, 1.5), (-1, -1)) is None
    assert tiles.cast_ray((0.5, 0.5), (1, 1.0000001)).row == 1
    assert tiles.cast_ray((0.5, 0.5), (1.0000001, 1)).row == 0


def test_touching_is_no_hit():
    floor_ = TileMap([[1, 1, 1]])
    assert floor_.cast_ray((-1, 1), (9, 0)) is None
    assert floor_.cast_ray((-1, 0), (9, 0)) is None
    assert floor_.cast_ray((1.5, 2), (0, -1)) is None  # ends on it
    assert floor_.cast_ray((1.5, 2), (0, -1.0000001)) is not None
    assert floor_.cast_ray((1, 1), (-1, 1)) is None  # leaves it
    hit = floor_.cast_ray((1, 1), (1, -1))  # starts on it and goes in
    assert (hit.fraction, hit.column) == (0, 1)
    np.testing.assert_array_equal(hit.normal, (0, 1))
    along = TileMap([[1, 1], [1, 1]])
    assert along.cast_ray((-1, 1), (9, 0)).fraction == 1 / 9  # between solid tiles is inside
    assert along.cast_ray((1, 3), (0, -9)).fraction == 1 / 9
    assert along.cast_ray((1, 1), (0, 0)).fraction == 0
    assert along.cast_ray((0, 0), (0, 0)) is None


def test_a_flat_wall_has_no_seams():
    """A ray onto the corner between two tiles of a wall has the wall's normal."""
    tiles = TileMap(np.ones((1, 9), bool))
    for x in range(1, 9):
        for way in ((1, -1), (-1, -1), (3, -1), (-0.25, -1)):
            hit = tiles.cast_ray(np.array([x, 1.0]) - 0.5 * np.array(way), way)
            np.testing.assert_array_equal(hit.normal, (0, 1))
            np.testing.assert_array_equal(hit.point, (x, 1))
            assert hit.fraction == 0.5


def test_rays_through_a_scaled_map():
    """Against the rays of a world that has the tiles as bodies."""
    tiles = random_map(3, 0.3, 20, 30, origin=(-7.3, 4.1), size=0.37)
    world = p2.World()
    tiles.to_bodies(world)
    rng = np.random.default_rng(0)
    origins, ways = rng.uniform((-9, 3), (6, 13), (500, 2)), rng.normal(size=(500, 2)) * 6
    found, expected = tiles.cast_ray(origins, ways), world.cast_rays(origins, ways)
    assert 100 < (expected["body"] >= 0).sum() < 500
    np.testing.assert_array_equal(found["row"] < 0, expected["body"] < 0)
    np.testing.assert_allclose(found["fraction"], expected["fraction"], atol=1e-9)
    np.testing.assert_allclose(found["point"], expected["point"], atol=1e-8)
    outside = found["fraction"] > 0
    np.testing.assert_allclose(found["normal"][outside], expected["normal"][outside], atol=1e-12)
    hit = found["row"] >= 0
    middles = found["point"][hit] - 1e-6 * found["normal"][hit]
    assert tiles.contains(middles).all()


def test_arrays_of_rays_broadcast():
    tiles = random_map(1)
    origins = np.random.default_rng(2).uniform(-1, 7, (40, 1, 2))
    ways = np.random.default_rng(3).normal(size=(30, 2)) * 5
    found = tiles.cast_ray(origins, ways)
    assert found.shape == (40, 30)
    assert set(found.dtype.fields) >= {"row", "column", "fraction", "point", "normal"}
    for i, k in np.ndindex(found.shape):
        one, row = tiles.cast_ray(origins[i, 0], ways[k]), found[i, k]
        if one is None:
            assert (row["row"], row["column"]) == (-1, -1)
            assert np.isnan([row["fraction"], *row["point"], *row["normal"]]).all()
        else:
            assert (one.row, one.column, one.fraction) == row.item()[:3]
            np.testing.assert_array_equal(one.point, row["point"])
            np.testing.assert_array_equal(one.normal, row["normal"])
    assert tiles.cast_ray(np.empty((0, 2)), (1, 1)).shape == (0,)
    assert tiles.cast_ray((1, 1), np.empty((3, 0, 2))).shape == (3, 0)
    assert isinstance(TileMap([[1]]).cast_ray((0.5, 0.5), (1, 0)), TileHit)


@pytest.mark.parametrize("far", [1e6, 1e12, 1e18, 1e150, 1e290])
def test_rays_from_far_away(far):
    tiles = TileMap(np.ones((3, 4), bool))
    for origin, way, normal in [
        ((far, 1.5), (-2 * far, 0), (1, 0)),
        ((-far, 1.5), (2 * far, 0), (-1, 0)),
        ((2.5, far), (0, -2 * far), (0, 1)),
    ]:
        hit = tiles.cast_ray(origin, way)
        assert hit.fraction == pytest.approx(0.5, rel=1e-5)
        np.testing.assert_array_equal(hit.normal, normal)
        assert tiles.cast_ray(origin, np.negative(way)) is None
    assert tiles.cast_ray((far, far), (-far / 2, -far / 2)) is None
    slanted = tiles.cast_ray((far, far), (-2 * far, -2 * far))
    assert slanted.fraction == pytest.approx(0.5, rel=1e-5)
    assert (slanted.row, slanted.column) == (2, 2)  # through (3, 3), exactly


def test_numbers_at_the_edge_of_float64():
    tiles = TileMap(np.ones((3, 4), bool))
    extremes = [0.0, 5e-324, -5e-324, 1.0, 1e-300, 1e308, -1e308]
    corners = np.array([(x, y) for x in extremes for y in extremes])
    found = tiles.cast_ray(corners[:, None], corners)
    assert ((found["row"] >= -1) & (found["row"] < 3) & (found["column"] < 4)).all()
    hit = found["row"] >= 0
    assert ((found["fraction"][hit] >= 0) & (found["fraction"][hit] <= 1)).all()
    tiny = TileMap([[1]], size=5e-324).cast_ray((-1, 0), (2, 0))
    assert tiny is None  # a map that no float can lie in


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
def test_empty_maps(shape):
    tiles = TileMap(np.zeros(shape, bool))
    assert tiles.cast_ray((0, 0), (1, 1)) is None
    assert tiles.cast_ray((-1, -1), (9, 9)) is None
    assert not tiles.contains((0, 0))
    assert not tiles.hit([(0, 0), (1, 1)]).any()
    assert not tiles.overlaps([(-5, -5), (5, 5)])
    np.testing.assert_array_equal(tiles.snap([(0, 0), (1, 1)]), (0, 0))
    assert tiles.rectangles().shape == (0, 2, 2)
    assert tiles.to_bodies(p2.World()).shape == (0,)


# ---------------------------------------------------------------- points and boxes


def test_points_by_flooring():
    tiles = random_map(5, origin=(-1.5, 2), size=0.5)
    points = np.random.default_rng(0).uniform((-2, 1.5), (2, 5), (300, 2))
    for point, inside in zip(points, tiles.contains(points), strict=True):
        column, row = floor((point[0] + 1.5) / 0.5), floor((point[1] - 2) / 0.5)
        assert inside == solid(tiles.cells, (row, column))
    one = TileMap([[1]])
    assert list(one.contains([(0, 0), (1, 0), (0, 1), (0.999, 0.999), (-1e-300, 0)])) == [
        True, False, False, True, False,
    ]  # fmt: skip
    assert one.contains(np.full((2, 3, 2), 0.5)).shape == (2, 3)
    assert not one.contains((1e300, -1e300))


boxes = st.tuples(quarter, quarter, st.integers(1, 12), st.integers(1, 12)).map(
    lambda b: [(b[0], b[1]), (b[0] + b[2] / 4, b[1] + b[3] / 4)]
)


def open_tiles(lower, upper):
    """First and last column and row that an open box reaches into."""
    return [floor(v) for v in lower], [ceil(v) - 1 for v in upper]


def overlap(cells, lower, upper):
    (c0, r0), (c1, r1) = open_tiles(lower, upper)
    return any(solid(cells, (r, c)) for r in range(r0, r1 + 1) for c in range(c0, c1 + 1))


@given(seed=st.integers(0, 30), box=boxes)
def test_hot_spots_and_overlaps(seed, box):
    tiles = random_map(seed)
    (c0, r0), (c1, r1) = open_tiles(*box)
    cm, rm = [min(max(floor((a + b) / 2), lo), hi) for a, b, lo, hi in
              zip(*box, (c0, r0), (c1, r1), strict=True)]  # fmt: skip
    spots = [(r0, c0), (r0, cm), (r0, c1), (rm, c1), (r1, c1), (r1, cm), (r1, c0), (rm, c0)]
    expected = [solid(tiles.cells, spot) for spot in spots]
    assert list(tiles.hit(box)) == expected
    assert list(tiles.hit(box, spots=4)) == expected[::2]
    assert tiles.overlaps(box) == overlap(tiles.cells, *box)
    width, height = np.subtract(*box[::-1])
    if max(width, height) <= 1:
        assert tiles.hit(box, spots=4).any() == tiles.overlaps(box)
    if max(width, height) <= 2 and min(width, height) <= 1:
        assert tiles.hit(box).any() == tiles.overlaps(box)


@given(seed=st.integers(0, 30), box=boxes)
def test_snap_is_the_shortest_way_out(seed, box):
    """Against all places flush with a line of the grid, straight up, down, left and right."""
    tiles = random_map(seed, 0.6)
    lower, upper = np.array(box)
    best = {"x": None, "y": None}
    if overlap(tiles.cells, lower, upper):
        for axis, name in enumerate("xy"):
            other = COLUMNS if axis == 0 else ROWS
            shifts = [k - lower[axis] for k in range(-1, other + 1)]
            shifts += [k - upper[axis] for k in range(other + 2)]
            unit = np.eye(2)[axis]
            free = [s for s in shifts if not overlap(tiles.cells, lower + s * unit,
                                                     upper + s * unit)]  # fmt: skip
            best[name] = min(map(abs, free))
    for axis in (None, "x", "y"):
        shift = tiles.snap(box, axis=axis)
        assert np.count_nonzero(shift) <= 1
        assert not tiles.overlaps(box + shift)
        if best["x"] is None:
            np.testing.assert_array_equal(shift, (0, 0))
        else:
            wanted = [best[name] for name in ("xy" if axis is None else axis)]
            assert np.abs(shift).max() == min(wanted)


def test_snap_prefers_up_then_down_then_left():
    middle = np.zeros((3, 3), bool)
    middle[1, 1] = True
    box = [(1.25, 1.25), (1.75, 1.75)]
    np.testing.assert_array_equal(TileMap(middle).snap(box), (0, 0.75))
    np.testing.assert_array_equal(TileMap(middle).snap(box, axis="x"), (-0.75, 0))
    middle[2, 1] = True
    np.testing.assert_array_equal(TileMap(middle).snap(box), (0, -0.75))
    middle[0, 1] = True
    np.testing.assert_array_equal(TileMap(middle).snap(box), (-0.75, 0))
    middle[1, 0] = True
    np.testing.assert_array_equal(TileMap(middle).snap(box), (0.75, 0))


def test_snap_of_many_boxes_is_that_of_each():
    tiles = random_map(9, 0.5, 12, 17, origin=(3.3, -2.7), size=0.35)
    rng = np.random.default_rng(4)
    lower = rng.uniform((2.5, -3.5), (9.5, 2), (15, 20, 2))
    many = np.stack([lower, lower + rng.uniform(0, 1.2, lower.shape)], axis=-2)
    for axis in (None, "x", "y"):
        shifts = tiles.snap(many, axis=axis)
        assert shifts.shape == (15, 20, 2)
        for i in np.ndindex(15, 20):
            np.testing.assert_array_equal(shifts[i], tiles.snap(many[i], axis=axis))
        assert not tiles.overlaps(many + shifts[..., None, :]).any()
    assert tiles.overlaps(many).any()
    np.testing.assert_array_equal(tiles.overlaps(many), tiles.snap(many).any(axis=-1))


@pytest.mark.parametrize("size", [1.0, 0.3, 1e-3, 7.7])
@pytest.mark.parametrize("origin", [0.0, 0.1, -1e6])
def test_what_was_snapped_stays_free(size, origin):
    """Flush with edges that no float can hold, after any rounding on the way."""
    tiles = random_map(2, 0.5, 30, 30, origin=(origin, 2 * origin), size=size)
    rng = np.random.default_rng(1)
    lower = tiles.origin + rng.uniform(0, 30 * size, (2000, 2))
    boxes_ = np.stack([lower, lower + rng.uniform(0.1, 1.5, lower.shape) * size], axis=1)
    moved = boxes_ + tiles.snap(boxes_)[:, None]
    if np.spacing(abs(origin)) > 1e-10 * size:
        return  # a tile has too few digits there for flush to mean anything
    assert not tiles.overlaps(moved).any()
    assert not tiles.snap(moved).any()


def test_boxes_of_any_size_and_place():
    tiles = random_map(4)
    huge = [(-1e300, -1e300), (1e300, 1e300)]
    assert tiles.overlaps(huge)
    assert tiles.overlaps([(-1e300, 0), (3, 5)])
    shift = tiles.snap(huge)
    assert np.isfinite(shift).all()
    assert not tiles.overlaps([(1e300, 1e300), (1.1e300, 1.1e300)])
    np.testing.assert_array_equal(tiles.snap([(1e300, 0), (2e300, 3)]), (0, 0))
    long = np.array([(-1e6, 1.25), (COLUMNS - 0.5, 1.5)])
    row = np.zeros((3, COLUMNS), bool)
    row[1] = True
    np.testing.assert_array_equal(TileMap(row).snap(long), (0, -0.5))
    np.testing.assert_array_equal(TileMap(row).snap(long, axis="x"), (0.5 - COLUMNS, 0))


@pytest.mark.parametrize("extent", [1e-14, 1e-12, 1e-9, 1e-8, 1e-6])
def test_boxes_that_are_hardly_there(extent):
    wall = np.zeros((1, 3), bool)
    wall[0, 1] = True
    tiles = TileMap(wall)
    for x in (0.0, 1.0, 1.5, 2.0):
        box = np.array([(x, 0.5), (x + extent, 0.75)])
        moved = box + tiles.snap(box, axis="x")
        assert (moved[:, 0] <= 1).all() or (moved[:, 0] >= 2).all()
        assert not tiles.overlaps(moved)
        assert tiles.overlaps(box) or x != 1.5


def test_a_platformer_stands_and_stops():
    """Falling onto a floor and walking into a wall, axis by axis."""
    level = ["......", ".....#", ".....#", "######"]
    tiles = TileMap([[c == "#" for c in line] for line in level[::-1]])
    box = np.array([(0.2, 2.0), (0.8, 3.4)])
    velocity = np.array([2.5, 0.0])
    for _ in range(200):
        velocity[1] -= 10 / 60
        for axis, name in enumerate("xy"):
            box[:, axis] += velocity[axis] / 60
            shift = tiles.snap(box, axis=name)
            box += shift
            if shift[axis] * velocity[axis] < 0:
                velocity[axis] = 0
    np.testing.assert_allclose(box, [(4.4, 1), (5, 2.4)], atol=1e-12)
    np.testing.assert_array_equal(velocity, (0, 0))


# ---------------------------------------------------------------- merging


@settings(max_examples=100)
@given(
    seed=st.integers(0, 10**6),
    density=st.sampled_from([0.1, 0.5, 0.9, 1.0]),
    rows=st.integers(1, 12),
    columns=st.integers(1, 12),
)
def test_rectangles_are_the_tiles(seed, density, rows, columns):
    tiles = random_map(seed, density, rows, columns)
    covered = np.zeros((rows, columns), int)
    for (x0, y0), (x1, y1) in tiles.rectangles().astype(int):
        covered[y0:y1, x0:x1] += 1
    np.testing.assert_array_equal(covered, tiles.cells)  # each solid tile once, no free one


def test_rectangles_of_a_level_are_few():
    cells = np.zeros((40, 200), bool)
    cells[:3] = True  # ground
    cells[:, :2] = cells[:, -2:] = True  # walls
    for x in range(10, 190, 20):
        cells[10, x : x + 8] = True  # platforms
    assert TileMap(np.ones((50, 70), bool)).rectangles().shape == (1, 2, 2)
    tiles = TileMap(cells, origin=(5, 6), size=0.5)
    boxes_ = tiles.rectangles()
    assert len(boxes_) <= 12 < cells.sum() / 50
    union = shapely.union_all([shapely.box(*b.ravel()) for b in boxes_])
    squares = [
        shapely.box(5 + 0.5 * c, 6 + 0.5 * r, 5.5 + 0.5 * c, 6.5 + 0.5 * r)
        for r, c in np.argwhere(cells)
    ]
    assert union.symmetric_difference(shapely.union_all(squares)).area == 0
    assert sum(shapely.box(*b.ravel()).area for b in boxes_) == union.area  # disjoint


def test_bodies_are_the_rectangles():
    tiles = random_map(6, 0.5, 9, 11, origin=(-3, 2), size=0.75)
    world = p2.World()
    world.add_body(p2.Circle(1), (50, 50))
    slots = tiles.to_bodies(world, friction=0.25, category=4)
    boxes_ = tiles.rectangles()
    assert slots.dtype == np.int64
    assert len(set(slots)) == len(slots) == len(boxes_) == len(world.bodies) - 1
    for slot, box in zip(slots, boxes_, strict=True):
        body = world.bodies[int(slot)]
        assert body.kind == "static"
        (collider,) = body.colliders
        assert (collider.friction, collider.category) == (0.25, 4)
        np.testing.assert_allclose(collider.aabb, box, atol=1e-14)


def test_a_ball_rests_on_the_bodies():
    world = p2.World()
    TileMap([[1, 1, 1], [1, 0, 1]]).to_bodies(world)
    ball = world.add_body(p2.Circle(0.4), (1.5, 3))
    world.step(n=240)
    np.testing.assert_allclose(ball.position, (1.5, 1.4), atol=5e-3)


@pytest.mark.parametrize(
    ("options", "error"), [({"friction": -1}, ValueError), ({"colour": "red"}, TypeError)]
)
def test_bodies_are_all_or_none(options, error):
    world = p2.World()
    with pytest.raises(error):
        random_map(1).to_bodies(world, **options)
    assert len(world.bodies) == 0
    small = p2.World(max_bodies=3)
    with pytest.raises(p2.CapacityError):
        random_map(1).to_bodies(small)
    assert len(small.bodies) == 0


# ---------------------------------------------------------------- the value


def shares(tiles):
    """Rectangles (column, row from below, share that is solid) of the picture of a map."""
    text = tiles._repr_html_()
    height = int(re.search(r'viewBox="0 0 \d+ (\d+)"', text)[1])
    found = re.findall(r'<rect x="(\d+)" y="(\d+)" [^>]*fill-opacity="([^"]+)"', text)
    return {(int(x), height - 1 - int(y)): float(share) for x, y, share in found}


def test_a_map_shows_itself():
    rng = np.random.default_rng(3)
    cells = rng.random((7, 5)) < 0.4
    rows, columns = np.nonzero(cells)
    wanted = dict.fromkeys(zip(columns.tolist(), rows.tolist(), strict=True), 1.0)
    assert shares(TileMap(cells)) == wanted
    large = np.zeros((300, 1000), bool)  # eleven tiles are one rectangle
    large[0, :11] = large[22:33, 11:22] = True
    large[297:, 990:] = True  # where the last rectangle is smaller
    found = shares(TileMap(large))
    assert found == {(0, 0): 0.091, (1, 2): 1.0, (90, 27): 1.0}
    assert shares(TileMap(np.zeros((0, 4), bool))) == {}


def test_a_map_is_a_value():
    cells = np.array([[True, False], [False, True]])
    tiles = TileMap(cells, origin=(1, 2), size=0.5)
    cells[:] = False
    assert tiles.cells.tolist() == [[True, False], [False, True]]
    for array in (tiles.cells, tiles.origin):
        with pytest.raises(ValueError):
            array[0] = 0
        with pytest.raises(ValueError):
            array.flags.writeable = True
    assert tiles.size == 0.5
    assert repr(tiles) == "<TileMap of 2 x 2 tiles, 2 solid>"
    again = pickle.loads(pickle.dumps(tiles))
    assert again.cells.tolist() == tiles.cells.tolist()
    assert (again.size, *again.origin) == (0.5, 1, 2)
    turned = TileMap(np.array([[0, 7], [300, 0]]).T)  # any layout, any integer
    assert turned.cells.tolist() == [[False, True], [True, False]]


def test_equal_maps_are_equal():
    cells = [[1, 0, 1], [0, 1, 1]]
    tiles = TileMap(cells, origin=(0, -2), size=0.5)
    same = [
        TileMap(np.array(cells) * 7, origin=(-0.0, -2), size=0.5),
        TileMap(np.array(cells, bool, order="F"), origin=np.array([0, -2]), size=np.float32(0.5)),
        pickle.loads(pickle.dumps(tiles)),
        copy.deepcopy(tiles),
    ]
    assert all(each == tiles for each in same)
    assert len({tiles, *same}) == 1
    other = [
        TileMap(np.reshape(cells, (3, 2)), origin=(0, -2), size=0.5),  # the same bytes
        TileMap(1 - np.array(cells), origin=(0, -2), size=0.5),
        TileMap(cells, origin=(0, 2), size=0.5),
        TileMap(cells, origin=(0, -2), size=1),
    ]
    assert len({tiles, *other}) == 5
    assert tiles != cells
    assert TileMap(np.empty((0, 3))) != TileMap(np.empty((3, 0)))


def test_single_calls_give_plain_values():
    tiles = TileMap([[1, 0]])
    assert tiles.contains((0.5, 0.5)) is True
    assert tiles.contains((1.5, 0.5)) is False
    assert tiles.overlaps([(0.5, 0.5), (3, 3)]) is True
    assert tiles.overlaps([(1.5, 0.5), (3, 3)]) is False
    assert tiles.contains([(0.5, 0.5)]).tolist() == [True]
    assert TileMap(np.empty((0, 0))).contains((0, 0)) is False


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: TileMap([1, 0]), ValueError, r"cells: must have shape \(rows, columns\)"),
        (lambda t: TileMap([[1], [1, 0]]), ValueError, "^cells: "),
        (lambda t: TileMap([[1, None]]), TypeError, "^cells: must hold bool or int"),
        (lambda t: t.contains([(1, 2), (3,)]), ValueError, "^points: "),
        (lambda t: t.contains((1, "x")), TypeError, "^points: must hold real numbers"),
        (lambda t: t.overlaps([(0, 0), (1, None)]), TypeError, "^boxes: must hold real numbers"),
        (lambda t: TileMap([["#", "."]]), TypeError, "cells: must hold bool or int"),
        (lambda t: TileMap([[0.5]]), TypeError, "cells"),
        (lambda t: TileMap([[1]], size=0), ValueError, "size: must be a number > 0, got 0"),
        (lambda t: TileMap([[1]], size=np.nan), ValueError, "size"),
        (lambda t: TileMap([[1]], size="big"), TypeError, "size"),
        (lambda t: TileMap([[1]], size=(1, 2)), ValueError, "size"),
        (lambda t: TileMap([[1]], origin=(0, np.inf)), ValueError, r"origin\[1\]"),
        (lambda t: TileMap([[1]], origin=0), ValueError, r"origin: must have shape \(2,\)"),
        (lambda t: TileMap([[1]], origin=[(0, 0)]), ValueError, "origin"),
        (lambda t: TileMap([[1]], (0, 0)), TypeError, "positional"),
        (lambda t: t.contains((1, 2, 3)), ValueError, r"points: must have shape \(..., 2\)"),
        (lambda t: t.contains((1, np.nan)), ValueError, r"points\[1\]: must be finite, got nan"),
        (lambda t: t.hit([(0, 0)]), ValueError, r"boxes: must have shape \(..., 2, 2\)"),
        (lambda t: t.hit([(0, 0), (1, 1)], spots=5), ValueError, "spots: must be 4 or 8, got 5"),
        (lambda t: t.hit([(1, 1), (0, 0)]), ValueError, "boxes: upper must be beyond lower"),
        (lambda t: t.snap([(0, 0), (1, 0)]), ValueError, "boxes: upper must be beyond lower"),
        (lambda t: t.overlaps([(0, 0), (np.inf, 1)]), ValueError, r"boxes\[1, 0\]"),
        (lambda t: t.overlaps("box"), TypeError, "boxes"),
        (lambda t: t.snap([(0, 0), (1, 1)], axis="z"), ValueError, "axis"),
        (lambda t: t.cast_ray((0, 0, 0), (1, 1)), ValueError, r"origin: must have shape"),
        (lambda t: TileMap([[1]], size=10**400), ValueError, "size: must be finite, got an int"),
        (lambda t: t.contains((1, 10**5000)), ValueError, "points: must be finite, got an int"),
        (
            lambda t: t.cast_ray(np.zeros((1,) * 32 + (2,)), (1, 1)),
            ValueError,
            "origin: must have at most 32 axes, got 33",
        ),
        (
            lambda t: t.cast_ray((0, 0), np.zeros((1,) * 39 + (2,))),
            ValueError,
            "translation: must have at most 32 axes, got 40",
        ),
        (lambda t: t.cast_ray((0, 0), 5), ValueError, "translation: must have shape"),
        (lambda t: t.cast_ray((0, np.nan), (1, 1)), ValueError, r"origin\[1\]"),
        (lambda t: t.cast_ray([(0, 0)], [(1, np.inf)]), ValueError, r"translation\[0, 1\]"),
        (
            lambda t: t.cast_ray(np.zeros((2, 2)), np.zeros((3, 2))),
            ValueError,
            "translation: its shape does not broadcast",
        ),
        (lambda t: t.to_bodies("world"), TypeError, "^world: must be a World, got str"),
        (lambda t: t.to_bodies(None), TypeError, "^world: must be a World, got NoneType"),
    ],
)
def test_errors_name_the_argument(call, error, message):
    with pytest.raises(error, match=message):
        call(random_map(0))


def test_the_c_side_trusts_nobody():
    with pytest.raises(ValueError, match="cells: must hold rows x columns = 6 bytes, got 5"):
        p2._core.tile_rays(b"12345", 2, 3, (0, 0), 1, (0, 0), (1, 1))
    with pytest.raises(TypeError, match="cells: must be bytes"):
        p2._core.tile_rectangles(bytearray(4), 2, 2)
    for rows, columns in ((-1, -4), (2**31, 2**31), (2**62, 4)):
        with pytest.raises(ValueError, match="rows"):
            p2._core.tile_rectangles(b"1234", rows, columns)


def test_failing_allocations():
    testing = pytest.importorskip(
        "pyphys2d._testing",
        reason="LOUD: failing allocations are NOT tested, build with PYPHYS2D_TESTING=1",
    )
    tiles = random_map(8, 0.5, 30, 30)
    expected, failures = tiles.rectangles(), 0
    before = p2._core._live()["allocations"]
    for n in range(1, 30):
        testing.fail_allocation(n)
        try:
            found = tiles.rectangles()
        except MemoryError:
            failures += 1
        else:
            break
        finally:
            testing.fail_allocation(0)
    assert failures > 2
    np.testing.assert_array_equal(found, expected)
    assert p2._core._live()["allocations"] == before


def test_the_example_of_the_docs_runs(repository):
    text = (repository / "docs" / "tiles.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    exec(compile(code, "tiles.md", "exec"), {})


@pytest.mark.parametrize("size", [5e-324, 1e-320, 1e-9])
def test_what_is_farther_than_any_whole_number_of_tiles_is_outside(size):
    for cells in ([[]], [[1, 1]]):
        tiles = TileMap(cells, size=size)
        solid = bool(tiles.cells.any())
        assert tiles.overlaps([(-1, -2), (5, 6)]) == solid
        assert not tiles.overlaps([(1, 2), (5, 6)])
        assert not tiles.overlaps([(-1e308, 1), (1e308, 1e308)])
        assert not tiles.contains([(1e308, 0), (-1e308, -1e308)]).any()
        assert not tiles.hit([(-1e308, -2), (1e308, 6)]).any()
        assert np.isfinite(tiles.snap([(-1, -2), (5, 6)])).all()
