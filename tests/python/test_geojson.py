"""Shapes to and from GeoJSON and Shapely."""

import json
import sys

import numpy as np
import pytest
import shapely
import shapely.geometry
from hypothesis import given
from hypothesis import strategies as st

import pyphys2d as p2

PLATE = p2.Polygon([(0, 0), (4, 0), (4, 3), (0, 3)], holes=[[(1, 1), (2, 1), (2, 2)]])
L = p2.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])


@pytest.mark.parametrize(
    "shape",
    [
        p2.Box(2, 1, (3, 4), 0.3),
        L,
        PLATE,
        p2.RegularPolygon(7, 2),
        p2.Segment((0, 1), (2, 3)),
        p2.Chain([(0, 0), (1, 0), (2, 1)]),
        p2.Chain([(0, 0), (2, 0), (1, 1)], loop=True),
    ],
    ids=lambda s: type(s).__name__,
)
def test_shapes_without_round_sides_come_back(shape):
    seen = shapely.geometry.shape(shape)
    assert seen.is_valid
    assert seen.area == pytest.approx(shape.area, rel=1e-14)
    assert seen.bounds == pytest.approx(shape.aabb.ravel(), rel=1e-14)
    plain = p2.Polygon(shape.vertices, shape.holes) if isinstance(shape, p2.Polygon) else shape
    assert p2.from_shapely(seen) == [plain]
    assert p2.from_geojson(shape) == [plain]
    assert p2.from_geojson(shape.__geo_interface__) == [plain]
    assert p2.from_geojson(json.dumps(shape.__geo_interface__)) == [plain]


@pytest.mark.parametrize(
    "shape",
    [p2.Circle(2, (1, -1)), p2.Capsule((0, 0), (3, 1), 0.5), p2.Box(3, 1, radius=0.4)],
    ids=lambda s: type(s).__name__,
)
def test_round_sides_are_inside_by_what_is_said(shape):
    seen = shapely.geometry.shape(shape)
    assert seen.is_valid
    assert seen.exterior.is_ccw
    core = {
        p2.Circle: lambda: shapely.Point(1, -1),
        p2.Capsule: lambda: shapely.LineString([(0, 0), (3, 1)]),
        p2.Box: lambda: shapely.box(-1.5, -0.5, 1.5, 0.5),
    }[type(shape)]()
    far = shapely.get_coordinates(shapely.segmentize(seen.exterior, 0.001))
    distances = shapely.distance(core, shapely.points(far)) / shape.radius
    assert distances.max() < 1 + 1e-12
    assert 1 - 0.0013 < distances.min() < 1 - 0.0005


def test_rings_wind_as_geojson_has_them():
    outer, hole = PLATE.__geo_interface__["coordinates"]
    assert outer[0] == outer[-1]
    assert shapely.LinearRing(outer).is_ccw
    assert not shapely.LinearRing(hole).is_ccw


coordinate = st.floats(-5, 5).map(lambda x: round(x, 2))
boxes = st.tuples(coordinate, coordinate, st.floats(0.5, 4), st.floats(0.5, 4), st.floats(0, 3))


@given(boxes, boxes)
def test_set_operations_keep_the_area(one, other):
    a, b = (
        shapely.geometry.shape(p2.Box(w, h, (x, y), angle)) for x, y, w, h, angle in (one, other)
    )
    for result in (a - b, a | b):
        pieces = getattr(result, "geoms", [result])
        hull = min((p.minimum_rotated_rectangle.area / max(p.length, 1) for p in pieces), default=1)
        if hull < 0.01:
            continue  # slivers, which no shape may be
        assert sum(s.area for s in p2.from_shapely(result)) == pytest.approx(result.area, rel=1e-9)


def test_collections_features_and_third_coordinates():
    point = {"type": "Point", "coordinates": [0, 0]}
    line = {"type": "LineString", "coordinates": [[0, 0, 9], [1, 0, 9], [2, 1, 9]]}
    boxes = {
        "type": "MultiPolygon",
        "coordinates": [L.__geo_interface__["coordinates"], PLATE.__geo_interface__["coordinates"]],
    }
    features = {
        "type": "FeatureCollection",
        "features": [
            {"type": "Feature", "properties": {}, "geometry": boxes},
            {"type": "Feature", "properties": {}, "geometry": None},
            {"type": "GeometryCollection", "geometries": [line]},
        ],
    }
    assert p2.from_geojson(features) == [L, PLATE, p2.Chain([(0, 0), (1, 0), (2, 1)])]
    world = p2.World()
    assert len(world.add_body(p2.from_geojson(boxes)).colliders) == 2
    with pytest.raises(ValueError, match="geometry 0, a Point: a point has no shape; Circle"):
        p2.from_geojson(point)
    assert p2.from_shapely(shapely.Polygon()) == p2.from_shapely(shapely.Point()) == []
    assert p2.from_geojson({"type": "Polygon", "coordinates": []}) == []


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (5, TypeError, "must be GeoJSON or have __geo_interface__, got int"),
        ([p2.Box(1, 1)], TypeError, "got list; of several give them one by one"),
        ("{", ValueError, "data: must be GeoJSON"),
        ("[" * 100_000, ValueError, "data: must be GeoJSON"),
        ({}, ValueError, "must have a type, got None"),
        ({"type": "Blob"}, ValueError, "geometry 0, a Blob: no type"),
        ({"type": "Polygon"}, TypeError, "coordinates: must be a list, got NoneType"),
        ({"type": "Polygon", "coordinates": "abc"}, TypeError, "must be a list, got str"),
        ({"type": "Polygon", "coordinates": [[[0, 0], [1]]]}, ValueError, "pairs of numbers"),
        ({"type": "Polygon", "coordinates": [[0, 1, 2]]}, ValueError, "pairs of numbers"),
        ({"type": "Polygon", "coordinates": [[["a", "b"]]]}, TypeError, "real numbers"),
        ({"type": "LineString", "coordinates": [[0, 10**400], [1, 0]]}, ValueError, "too large"),
        ({"type": "LineString", "coordinates": [[0, np.nan], [1, 0]]}, ValueError, "LineString"),
        ({"type": "FeatureCollection"}, ValueError, "must have a list of members"),
        (
            {"type": "Polygon", "coordinates": [[(0, 0), (2, 2), (2, 0), (0, 2), (0, 0)]]},
            ValueError,
            "geometry 0, a Polygon: ",
        ),
    ],
)
def test_what_is_refused(data, error, words):
    with pytest.raises(error, match=words):
        p2.from_geojson(data)


def test_collections_without_end_are_refused():
    endless = {"type": "GeometryCollection", "geometries": []}
    endless["geometries"].append(endless)
    with pytest.raises(ValueError, match="more than 32 deep"):
        p2.from_geojson(endless)


def test_without_shapely_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "shapely", None)
    with pytest.raises(ImportError, match=r"pyphys2d\[shapely\]"):
        p2.from_shapely(PLATE)
    assert p2.from_geojson(PLATE) == [PLATE]


def test_other_things_are_no_geometries_of_shapely():
    with pytest.raises(TypeError, match="from_geojson takes others"):
        p2.from_shapely(PLATE)
