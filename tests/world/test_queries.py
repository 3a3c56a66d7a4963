"""Questions against brute force, Shapely and plain NumPy."""

import numpy as np
import pytest
import shapely
from reference import place, random_polygon

import pyphys2d as p2


def scattered(seed, count=120):
    """A world of polygons (concave, with holes) and circles at random poses, and their regions
    by collider.
    """
    rng = np.random.default_rng(seed)
    world = p2.World(gravity=(0, 0))
    regions = []
    for i in range(count):
        x, y, angle = *rng.uniform(-40, 40, 2), rng.uniform(-7, 7)
        if i % 4 == 0:
            center, radius = rng.uniform(-1, 1, 2), rng.uniform(0.3, 3)
            shape = p2.Circle(radius, center)
            region = shapely.Point(place([center], x, y, angle)[0]).buffer(radius, 2048)
        else:
            outer, holes = random_polygon(rng)
            shape = p2.Polygon(outer, holes)
            region = shapely.Polygon(
                place(outer, x, y, angle), [place(h, x, y, angle) for h in holes]
            )
        world.add_body(
            shape,
            (x, y),
            angle,
            kind=["static", "kinematic", "dynamic"][i % 3],
            category=1 << (i % 5),
        )
        regions.append(region)
    return world, np.array(regions)


def indices(colliders):
    return [c.index for c in colliders]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_at_against_shapely(seed):
    world, regions = scattered(seed)
    rng = np.random.default_rng(seed)
    found = 0
    shapely.prepare(regions)
    boundaries = shapely.boundary(regions)
    shapely.prepare(boundaries)
    for point in rng.uniform(-45, 45, (400, 2)):
        p = shapely.Point(point)
        if shapely.dwithin(boundaries, p, 1e-5).any():
            continue
        expected = np.flatnonzero(shapely.contains(regions, p)).tolist()
        assert indices(world.at(point)) == expected
        found += len(expected)
    assert found > 40


@pytest.mark.parametrize("seed", range(2))
def test_query_aabb_against_brute_force(seed):
    """A collider is found when the box of one of its convex pieces is met."""
    world, _ = scattered(seed)
    rng = np.random.default_rng(seed)
    owners, bounds = [], []
    for collider in world.colliders:
        if not hasattr(collider.shape, "parts"):
            owners.append(collider.index)
            bounds.append(collider.aabb)
            continue
        for part in collider.shape.parts:
            corners = collider.body.to_world(part)
            owners.append(collider.index)
            bounds.append((corners.min(axis=0), corners.max(axis=0)))
    boxes = np.array(bounds)
    for _ in range(200):
        lower = rng.uniform(-45, 45, 2)
        upper = lower + rng.uniform(0, 20, 2)
        met = (boxes[:, 0] <= upper).all(axis=1) & (boxes[:, 1] >= lower).all(axis=1)
        expected = sorted(set(np.array(owners)[met]))
        assert indices(world.query_aabb(lower, upper)) == expected


def first_hits(regions, origins, translations):
    """Fractions of the first points of rays in regions (0 for one that starts inside), NaN for a
    miss: (rays, regions).
    """
    starts = shapely.points(origins)[:, None]
    rays = shapely.linestrings(np.stack([origins, origins + translations], axis=1))[:, None]
    shapely.prepare(regions)
    boundaries = shapely.boundary(regions)
    shapely.prepare(boundaries)
    met = shapely.intersects(boundaries, rays)
    ray, region = np.nonzero(met)
    cuts = shapely.intersection(boundaries[region], rays[ray, 0])
    result = np.full(met.shape, np.nan)
    result[met] = shapely.distance(cuts, starts[ray, 0]) / np.hypot(*translations[ray].T)
    result[shapely.contains(regions, starts)] = 0
    return result


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_rays_against_shapely(seed):
    world, regions = scattered(seed)
    rng = np.random.default_rng(seed)
    origins = rng.uniform(-50, 50, (300, 2))
    translations = rng.uniform(-60, 60, (300, 2))
    rows = world.cast_rays(origins, translations)
    first = first_hits(regions, origins, translations)
    for origin, translation, row, fractions in zip(origins, translations, rows, first, strict=True):
        fractions = {i: fractions[i] for i in np.flatnonzero(~np.isnan(fractions))}
        hits = world.cast_ray_all(origin, translation)
        single = world.cast_ray(origin, translation)
        order = [(hit.fraction, hit.collider.index) for hit in hits]
        assert order == sorted(order)
        got = {hit.collider.index: hit.fraction for hit in hits}
        assert set(got) == set(fractions)
        for i, f in fractions.items():
            assert got[i] == pytest.approx(f, abs=2e-6)
        if not fractions:
            assert single is None
            assert row["body"] == -1
            assert row["collider"] == -1
            assert np.isnan(row["fraction"])
            assert np.isnan(row["point"]).all()
            continue
        assert single.collider.index == hits[0].collider.index == row["collider"]
        assert single.body.index == row["body"] == single.collider.body.index
        assert single.fraction == hits[0].fraction == row["fraction"]
        np.testing.assert_allclose(single.point, origin + single.fraction * translation, atol=1e-9)
        np.testing.assert_array_equal(single.point, row["point"])
        np.testing.assert_array_equal(single.normal, row["normal"])
        assert np.hypot(*single.normal) == pytest.approx(1, rel=1e-9)
        assert single.normal @ translation < 0


@pytest.mark.slow
def test_rays_into_thousands_of_random_polygons():
    rng = np.random.default_rng(11)
    compared = hits = 0
    for _ in range(1500):
        outer, holes = random_polygon(rng)
        world = p2.World()
        world.add_body(p2.Polygon(outer, holes), kind="static")
        region = shapely.Polygon(outer, holes)
        lower, upper = np.reshape(region.bounds, (2, 2))
        size = upper - lower
        origins = rng.uniform(lower - 0.5 * size, upper + 0.5 * size, (6, 2))
        translations = rng.uniform(lower - 0.5 * size, upper + 0.5 * size, (6, 2)) - origins
        rows = world.cast_rays(origins, translations)
        expected = first_hits(np.array([region]), origins, translations)[:, 0]
        hit = ~np.isnan(expected)
        compared += len(rows)
        hits += hit.sum()
        np.testing.assert_array_equal(rows["body"] != -1, hit)
        np.testing.assert_allclose(rows["fraction"][hit], expected[hit], rtol=0, atol=1e-9)
    assert compared == 9000
    assert hits > 3000


def test_a_ray_in_a_hole_hits_the_far_side_of_the_hole():
    world = p2.World()
    square = [(-2, -2), (2, -2), (2, 2), (-2, 2)]
    world.add_body(p2.Polygon(square, [[(-1, -1), (1, -1), (1, 1), (-1, 1)]]), kind="static")
    hit = world.cast_ray((0, 0), (4, 0))
    np.testing.assert_allclose(hit.point, (1, 0), atol=1e-12)
    np.testing.assert_allclose(hit.normal, (-1, 0), atol=1e-12)
    assert world.at((0, 0)) == []


def test_rays_against_other_kinds():
    world = p2.World()
    world.add_body(p2.Capsule((-1, 0), (1, 0), 0.5), (0, 0))
    world.add_body(p2.Segment((5, -1), (5, 1)))
    world.add_body(p2.Box(1, 1, radius=0.5), (10, 0))
    np.testing.assert_allclose(world.cast_ray((0, 5), (0, -10)).point, (0, 0.5), atol=1e-12)
    np.testing.assert_allclose(world.cast_ray((3, 0.5), (3, 0)).point, (5, 0.5), atol=1e-12)
    np.testing.assert_allclose(world.cast_ray((7, 0.5), (-4, 0)).point, (5, 0.5), atol=1e-12)
    hit = world.cast_ray((20, 0.9), (-20, 0))
    np.testing.assert_allclose(hit.point, (10.5 + 0.3, 0.9), atol=1e-12)
    np.testing.assert_allclose(hit.normal, (0.6, 0.8), atol=1e-12)


def test_chains_are_hit_from_their_free_side_only():
    world = p2.World()
    world.add_body(p2.Chain([(-5, 0), (0, 0), (5, 1)]), kind="static")
    hit = world.cast_ray((-2, 3), (0, -6))
    np.testing.assert_allclose(hit.point, (-2, 0), atol=1e-12)
    assert hit.piece == 0
    assert world.cast_ray((3, 3), (0, -6)).piece == 1
    assert world.cast_ray((-2, -3), (0, 6)) is None


def test_mask_and_sensors():
    world, _ = scattered(0)
    for point in np.random.default_rng(1).uniform(-40, 40, (100, 2)):
        every = world.at(point)
        for bit in range(5):
            assert world.at(point, mask=1 << bit) == [c for c in every if c.category == 1 << bit]
        assert world.at(point, mask=0) == []
    sensor = world.add_body(p2.Circle(1), (100, 100), sensor=True)
    assert world.at((100, 100)) == []
    assert [c.body for c in world.at((100, 100), include_sensors=True)] == [sensor]
    assert world.cast_ray((98, 100), (4, 0)) is None
    assert world.cast_ray((98, 100), (4, 0), include_sensors=True).body == sensor


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_overlap_against_shapely(seed):
    world, regions = scattered(seed)
    rng = np.random.default_rng(seed)
    ring = np.array([(-2, -1), (3, -1), (2, 2), (-1, 1.5)])
    shapely.prepare(regions)
    for _ in range(100):
        pose = (*rng.uniform(-40, 40, 2), rng.uniform(-4, 4))
        area = shapely.Polygon(place(ring, *pose))
        near = np.flatnonzero(shapely.dwithin(regions, area, 1e-5))
        if (shapely.area(shapely.intersection(regions[near], area)) < 1e-5).any():
            continue
        expected = near[shapely.intersects(regions[near], area)].tolist()
        assert indices(world.overlap(p2.Polygon(ring), pose)) == expected


def test_touching_lists_bodies_of_the_last_step():
    world = p2.World(gravity=(0, -10))
    floor = world.add_body(p2.Box(20, 2), (0, -1), kind="static")
    a = world.add_body(p2.Box(1, 1), (0, 0.5))
    b = world.add_body(p2.Box(1, 1), (0, 1.5))
    c = world.add_body(p2.Box(1, 1), (5, 5))
    world.step(n=5)
    assert world.touching(a) == [floor, b]
    assert world.touching(floor) == [a]
    assert world.touching(c) == []


def test_queries_follow_the_step_and_removal():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Circle(0.5), velocity=(60, 0))
    for k in range(50):
        assert [h.body for h in [world.cast_ray((k - 5, 0), (10, 0))]] == [body]
        assert indices(world.at((k, 0))) == [0]
        assert world.at((k + 2, 0)) == []
        world.step()
    world.remove(body)
    assert world.at((50, 0)) == []
    assert world.cast_ray((45, 0), (10, 0)) is None
    assert len(world.cast_rays([(45, 0)], [(10, 0)])) == 1


@pytest.mark.parametrize("kind", ["static", "kinematic", "dynamic"])
def test_body_kinds_are_all_found(kind):
    world = p2.World()
    body = world.add_body(p2.Circle(1), (3, 3), kind=kind)
    assert [c.body for c in world.at((3, 3))] == [body]


def test_empty_world():
    world = p2.World()
    assert world.at((0, 0)) == []
    assert world.query_aabb((0, 0), (1, 1)) == []
    assert world.cast_ray((0, 0), (1, 1)) is None
    assert world.cast_ray_all((0, 0), (1, 1)) == []
    assert len(world.cast_rays(np.empty((0, 2)), np.empty((0, 2)))) == 0
    assert len(world.contacts) == 0
    assert len(world.pairs) == 0
    world.step(n=3)
    assert world.kinetic_energy() == 0


def test_rays_broadcast():
    world = p2.World()
    world.add_body(p2.Circle(1))
    t = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    rows = world.cast_rays(
        5 * np.column_stack([np.cos(t), np.sin(t)]), -5 * np.column_stack([np.cos(t), np.sin(t)])
    )
    np.testing.assert_allclose(rows["fraction"], 0.8, rtol=1e-12)
    np.testing.assert_allclose(rows["normal"], np.column_stack([np.cos(t), np.sin(t)]), atol=1e-12)
    rows = world.cast_rays((-5, 0), 5 * np.column_stack([np.cos(t), np.sin(t)]))
    assert rows.shape == (100,)
    assert rows["body"][0] == 0
    assert rows["body"][50] == -1


def test_a_ray_without_length():
    world = p2.World()
    world.add_body(p2.Circle(1))
    assert world.cast_ray((0.5, 0), (0, 0)).fraction == 0
    assert world.cast_ray((2, 0), (0, 0)) is None


@pytest.mark.parametrize(
    "ask",
    [
        lambda w, x: w.at((x, 0)),
        lambda w, x: w.query_aabb((x, 0), (1, 1)),
        lambda w, x: w.query_aabb((0, 0), (1, x)),
        lambda w, x: w.cast_ray((x, 0), (1, 0)),
        lambda w, x: w.cast_ray((0, 0), (x, 0)),
        lambda w, x: w.cast_ray_all((0, 0), (x, 0)),
        lambda w, x: w.cast_rays([(0, 0)], [(x, 0)]),
        lambda w, x: w.overlap(p2.Circle(1), (0, x, 0)),
    ],
)
@pytest.mark.parametrize("x", [np.nan, np.inf])
def test_queries_refuse_non_finite_numbers(ask, x):
    world = p2.World()
    world.add_body(p2.Circle(1))
    with pytest.raises(ValueError, match=r"nan|inf"):
        ask(world, x)


def test_tree_of_the_world_is_a_tree():
    world, _ = scattered(0)
    nodes = world.tree()
    leaves = nodes[nodes["child_a"] < 0]
    assert len(nodes) == 2 * len(leaves) - 1
    assert set(map(int, leaves["collider"])) == {c.index for c in world.colliders}
    boxes = world.aabbs
    for leaf in leaves:
        shape = world.colliders[int(leaf["collider"])].shape
        if getattr(shape, "is_convex", True):
            assert (leaf["lower"] <= boxes[leaf["collider"], 0]).all()
            assert (leaf["upper"] >= boxes[leaf["collider"], 1]).all()
    assert (nodes["lower"] <= nodes["upper"]).all()


def test_bounds_are_around_all_colliders():
    world = p2.World()
    assert np.isnan(world.bounds).all()
    assert world.bounds.shape == (2, 2)
    world.add_body(p2.Chain([(-7, 1), (3, -2)]), kind="static")
    ball = world.add_body(p2.Circle(0.5), (9, 4))
    np.testing.assert_array_equal(world.bounds, [[-7, -2], [9.5, 4.5]])
    ball.position = (0, 8)  # seen at once
    np.testing.assert_array_equal(world.bounds, [[-7, -2], [3, 8.5]])
    boxes = world.aabbs
    np.testing.assert_array_equal(world.bounds, [boxes[:, 0].min(0), boxes[:, 1].max(0)])
    world.remove(ball)
    np.testing.assert_array_equal(world.bounds, [[-7, -2], [3, 1]])
