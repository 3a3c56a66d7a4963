"""What is asked of one collider, and contacts seen from one side."""

import numpy as np
import pytest
import shapely

import pyphys2d as p2


@pytest.fixture
def heap():
    world = p2.World()
    world.add_body(p2.Chain([(-9, 5), (-9, 0), (9, 0), (9, 5)]), kind="static", name="ground")
    rng = np.random.default_rng(3)
    world.add_bodies(p2.Box(1, 1), rng.uniform((-4, 1), (4, 9), (20, 2)))
    crowd = [p2.Circle(0.4, (-0.5, 0)), p2.Capsule((0, 0), (1, 0), 0.2)]
    world.add_body(crowd, (0, 11), name="pair")
    world.step(1 / 60, n=150)
    return world


def rows_that_name(world, column, number):
    rows = world.contacts
    return rows[(rows[f"{column}_a"] == number) | (rows[f"{column}_b"] == number)]


def test_contacts_of_a_collider_are_those_that_name_it(heap):
    assert len(heap.contacts) > 20
    total = 0
    for collider in heap.colliders:
        found = collider.contacts
        np.testing.assert_array_equal(found, rows_that_name(heap, "collider", collider.index))
        total += len(found)
    assert total == 2 * len(heap.contacts)


@pytest.mark.parametrize("what", ["body", "collider"])
def test_contacts_are_seen_from_the_one_that_is_asked_about(heap, what):
    turned = 0
    for thing in heap.bodies if what == "body" else heap.colliders:
        rows, seen = rows_that_name(heap, what, thing.index), heap.contacts_of(thing)
        assert len(rows) == len(seen)
        assert (seen[f"{what}_a"] == thing.index).all()
        is_b = rows[f"{what}_b"] == thing.index
        turned += int(is_b.sum())
        sign = np.where(is_b, -1, 1)[:, None]
        np.testing.assert_array_equal(seen["normal"], sign * rows["normal"])
        for name in ("body", "collider", "piece"):
            other = np.where(is_b, rows[f"{name}_a"], rows[f"{name}_b"])
            np.testing.assert_array_equal(seen[f"{name}_b"], other)
        for name in ("point_x", "separation", "normal_impulse", "tangent_impulse", "feature"):
            np.testing.assert_array_equal(seen[name], rows[name])
    assert turned > 10


def test_impulses_given_away_balance_the_weight():
    """A box on a floor: what the box gives to it in a step is its weight times the step, downwards,
    normal and tangent alike."""
    world = p2.World()
    slope = p2.Polygon([(-5, 0), (5, 0), (5, 2)])
    world.add_body(slope, kind="static", friction=1.0)
    box = world.add_body(p2.Box(0.5, 0.5), (0, 1.3), np.arctan2(2, 10), friction=1.0)
    world.step(1 / 60, n=200)
    for thing, sign in ((box, -1), (world.bodies[0], 1)):
        rows = world.contacts_of(thing)
        normal = rows["normal"]
        tangent = np.column_stack([normal[:, 1], -normal[:, 0]])  # to the right of the normal
        given = rows["normal_impulse"] @ normal + rows["tangent_impulse"] @ tangent
        expected = (0, sign * box.mass * 9.81 / 60)
        np.testing.assert_allclose(given, expected, rtol=1e-4, atol=1e-6)


def test_a_ray_at_one_collider_goes_through_the_others(heap):
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(60):
        origin, translation = rng.uniform((-9, 0), (9, 12)), rng.uniform(-12, 12, 2)
        every = heap.cast_ray_all(origin, translation, include_sensors=True)
        by_collider = {hit.collider: hit for hit in every}
        for collider in heap.colliders:
            found, expected = collider.ray_cast(origin, translation), by_collider.get(collider)
            assert (found is None) == (expected is None)
            if found is not None:
                hits += 1
                assert found.fraction == expected.fraction
                np.testing.assert_array_equal(found.point, expected.point)
                np.testing.assert_array_equal(found.normal, expected.normal)
    assert hits > 40


def test_a_sensor_is_met_by_its_own_ray():
    world = p2.World(gravity=(0, 0))
    sensor = world.add_body(p2.Circle(1), (5, 0), sensor=True).colliders[0]
    assert world.cast_ray((0, 0), (9, 0)) is None
    assert sensor.ray_cast((0, 0), (8, 0)).fraction == pytest.approx(0.5)


def test_the_closest_point_is_that_of_shapely(heap):
    rng = np.random.default_rng(1)
    for collider in heap.colliders:
        shape, body = collider.shape, collider.body
        match shape:
            case p2.Chain():
                region = shapely.LineString(body.to_world(shape.points))
            case p2.Circle():
                region = None
            case p2.Capsule():
                region = None
            case _:
                region = shapely.Polygon(body.to_world(shape.vertices))
        for point in rng.uniform((-10, -2), (10, 12), (10, 2)):
            found = collider.closest_point(point)
            assert found.shape == (2,)
            if region is not None:
                away = region.distance(shapely.Point(point))
            elif isinstance(shape, p2.Circle):
                away = np.hypot(*(point - body.to_world(shape.center))) - shape.radius
            else:
                line = shapely.LineString(body.to_world([shape.p, shape.q]))
                away = line.distance(shapely.Point(point)) - shape.radius
            assert np.hypot(*(found - point)) == pytest.approx(max(away, 0), abs=1e-9)


def test_the_closest_point_of_what_is_concave_and_of_what_contains_the_point():
    world = p2.World(gravity=(0, 0))
    u = p2.Polygon([(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)])
    collider = world.add_body(u, (10, 0)).colliders[0]
    np.testing.assert_allclose(collider.closest_point((11.4, 2)), (11, 2))
    np.testing.assert_allclose(collider.closest_point((11.5, 1.1)), (11.5, 1))
    np.testing.assert_array_equal(collider.closest_point((10.5, 2)), (10.5, 2))


def test_in_a_wrapped_world_the_nearest_image_is_asked_about():
    world = p2.World(gravity=(0, 0), wrap=(10, np.inf))
    collider = world.add_body(p2.Circle(1), (0.5, 0)).colliders[0]
    np.testing.assert_allclose(collider.closest_point((8, 0)), (9.5, 0))
    assert collider.ray_cast((8, 0), (3, 0)).fraction == pytest.approx(0.5)


@pytest.mark.parametrize(
    "ask",
    [
        lambda w, c: c.ray_cast((0, 0), (1, 0)),
        lambda w, c: c.closest_point((0, 0)),
        lambda w, c: c.contacts,
        lambda w, c: w.contacts_of(c),
        lambda w, c: w.contacts_of(c.body),
    ],
)
def test_a_removed_collider_is_asked_nothing(ask):
    world = p2.World()
    body = world.add_body(p2.Circle(1))
    collider = body.colliders[0]
    world.remove(body)
    with pytest.raises(p2.RemovedError):
        ask(world, collider)


def test_bad_arguments():
    world, other = p2.World(), p2.World()
    body = world.add_body(p2.Circle(1))
    collider = body.colliders[0]
    for bad in ((1,), (np.nan, 0), (np.inf, 0), "x", None):
        with pytest.raises((ValueError, TypeError)):
            collider.closest_point(bad)
        with pytest.raises((ValueError, TypeError)):
            collider.ray_cast((0, 0), bad)
    with pytest.raises(TypeError, match=r"world\.bodies\[slot\]"):
        world.contacts_of(0)
    with pytest.raises(ValueError, match="another world"):
        other.contacts_of(body)
