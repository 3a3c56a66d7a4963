"""Real coastlines: Great Britain as one concave shape of 507 vertices (kilometres)."""

import json
from importlib.resources import files

import numpy as np
import pytest
import shapely
from reference import is_convex_ring, polygon_moments, shoelace

import pyphys2d as p2


@pytest.fixture(scope="module")
def islands():
    text = (files("pyphys2d.scenes.data") / "british_isles.json").read_text()
    return [np.array(ring) for ring in json.loads(text)["polygons"]]


def test_great_britain_is_one_shape_of_known_area(islands):
    britain = max(islands, key=lambda ring: abs(shoelace(ring)))
    shape = p2.Polygon(britain)
    assert shape.area == pytest.approx(210_662, rel=1e-3)
    expected = polygon_moments(britain)
    assert shape.area == pytest.approx(expected.area, rel=1e-12)
    assert shape.inertia == pytest.approx(expected.inertia, rel=1e-12)


def test_every_island_splits_into_convex_parts_of_the_same_area(islands):
    assert max(map(len, islands)) >= 500
    for ring in islands:
        shape = p2.Polygon(ring)
        parts = [np.asarray(part) for part in shape.parts]
        assert all(is_convex_ring(part) for part in parts)
        assert sum(map(shoelace, parts)) == pytest.approx(shape.area, rel=1e-12)
        union = shapely.union_all([shapely.Polygon(part) for part in parts])
        assert union.symmetric_difference(shapely.Polygon(ring)).area < 1e-9 * shape.area


def test_points_in_the_sea_and_on_land(islands):
    rng = np.random.default_rng(1)
    for ring in islands:
        region = shapely.Polygon(ring)
        points = rng.uniform(*np.reshape(region.bounds, (2, 2)), (2000, 2))
        clear = shapely.distance(region.boundary, shapely.points(points)) > 1e-9
        expected = shapely.contains_xy(region, points[:, 0], points[:, 1])
        np.testing.assert_array_equal(p2.Polygon(ring).contains(points)[clear], expected[clear])


def test_a_ship_runs_aground(islands):
    """A body meets the coast as one collider, and its contact says which piece."""
    britain = max(islands, key=lambda ring: abs(shoelace(ring)))
    world = p2.World(gravity=(0, 0))
    coast = world.add_body(p2.Polygon(britain), kind="static")
    north = britain[britain[:, 1].argmax()]
    ship = world.add_body(p2.Box(4, 2, radius=0.5), (north[0], north[1] + 30), velocity=(0, -40))
    for _ in range(300):
        world.step()
        if len(world.contacts):
            break
    row = world.contacts[0]
    assert {int(row["body_a"]), int(row["body_b"])} == {coast.index, ship.index}
    pieces = {int(row["body_a"]): int(row["piece_a"]), int(row["body_b"]): int(row["piece_b"])}
    part = np.asarray(coast.colliders[0].shape.parts[pieces[coast.index]])
    assert shapely.Polygon(part).distance(shapely.Point(row["point"])) < 0.1
    world.step(n=120)
    assert not shapely.Polygon(britain).buffer(-0.5).contains(shapely.Point(ship.position))
