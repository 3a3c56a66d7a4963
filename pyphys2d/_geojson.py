"""Shapes from and to GeoJSON (RFC 7946, 2016) and ``__geo_interface__`` (S. Gillies, 2013), which
Shapely, GeoPandas, Fiona and others have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from pyphys2d._arguments import too_large
from pyphys2d._core import Chain, Circle, Polygon, Segment, Shape, _rounded

_DEEPEST = 32  # collections within collections

Array = npt.NDArray[np.float64]


def interface(shape: Shape) -> dict[str, Any]:
    """A shape as a geometry of GeoJSON, for ``shape.__geo_interface__``."""
    if isinstance(shape, Polygon):
        outer = shape.vertices if shape.radius == 0 else _rounded(shape.vertices, shape.radius)
        rings = [_ring(outer), *(_ring(hole) for hole in shape.holes)]
        return {"type": "Polygon", "coordinates": tuple(rings)}
    if isinstance(shape, Segment):
        return {"type": "LineString", "coordinates": _tuples(np.array([shape.p, shape.q]))}
    if isinstance(shape, Chain):
        points = np.asarray(shape.points)
        return {
            "type": "LineString",
            "coordinates": _ring(points) if shape.loop else _tuples(points),
        }
    ends = [shape.center] if isinstance(shape, Circle) else [shape.p, shape.q]  # type: ignore[attr-defined]
    outline = _rounded(np.array(ends), shape.radius)  # type: ignore[attr-defined]
    return {"type": "Polygon", "coordinates": (_ring(outline),)}


def _tuples(points: Array) -> tuple[tuple[float, float], ...]:
    return tuple((x, y) for x, y in points.tolist())


def _ring(points: Array) -> tuple[tuple[float, float], ...]:
    own = _tuples(points)
    return (*own, own[0])


def from_geojson(data: Any) -> list[Shape]:
    """Shapes from GeoJSON, or from anything with ``__geo_interface__``.

    Geometries of Shapely, rows of GeoPandas, shapes of Fiona and features read with `json` are all
    taken, and Shapely is not needed for it. Coordinates are metres in the frame of the body; those
    in degrees are projected first, say by pyproj.

    Parameters
    ----------
    data : mapping, str or object
        A geometry, Feature, FeatureCollection or GeometryCollection as a mapping or as JSON text,
        or an object with ``__geo_interface__``. A third coordinate is left out.

    Returns
    -------
    list of Shape
        A `Polygon` for each polygon, with its holes; a `Segment` for a line of two points; for a
        longer one a `Chain`, a loop where its ends meet, its free side on the left of the path.
        The list is what `World.add_body` takes: one body with all of them.

    Raises
    ------
    ValueError
        For points, which have no shape, unknown types, and coordinates that make none; the message
        numbers the geometry.
    TypeError
        For what is no geometry.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> ring = [(0, 0), (4, 0), (4, 3), (0, 3), (0, 0)]
    >>> hole = [(1, 1), (2, 1), (2, 2), (1, 1)]
    >>> (plate,) = p2.from_geojson({"type": "Polygon", "coordinates": [ring, hole]})
    >>> plate.area
    11.5
    >>> p2.from_geojson(p2.Box(4, 3)) == [p2.Polygon(p2.Box(4, 3).vertices)]
    True
    """
    if isinstance(data, str | bytes):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"data: must be GeoJSON: {error}") from None
    shapes: list[Shape] = []
    for k, (kind, coordinates) in enumerate(_geometries(data, 0)):
        try:
            shapes += _shapes(kind, coordinates)
        except (ValueError, TypeError) as error:
            raise type(error)(f"geometry {k}, a {kind}: {error}") from None
    return shapes


def from_shapely(geometry: Any) -> list[Shape]:
    """Shapes from a geometry of Shapely (extra ``shapely``), as `from_geojson` makes them.

    Unions, differences and intersections of shapes are Shapely's: ``shapely.geometry.shape(box)``
    takes a shape there. Round sides become polygons within 0.13 % of the radius.

    Parameters
    ----------
    geometry : shapely.Geometry
        Polygons, lines or collections of them; an empty one gives no shapes.

    Returns
    -------
    list of Shape
        What `World.add_body` takes: one body with all of them.

    Raises
    ------
    ImportError
        Without Shapely; the message names the extra.
    ValueError
        For points, and polygons that are not simple: ``shapely.make_valid`` mends those.
    TypeError
        For what is no geometry of Shapely.

    Examples
    --------
    >>> import shapely.geometry
    >>> import pyphys2d as p2
    >>> plate, hole = (shapely.geometry.shape(s) for s in (p2.Box(4, 3), p2.Box(1, 1)))
    >>> (frame,) = p2.from_shapely(plate - hole)
    >>> frame.area
    11.0
    """
    try:
        shapely = import_module("shapely")
    except ImportError as error:
        raise ImportError(
            "from_shapely needs Shapely: install pyphys2d with its extra shapely, pyphys2d[shapely]"
        ) from error
    if not isinstance(geometry, shapely.Geometry):
        kind = type(geometry).__name__
        raise TypeError(
            f"geometry: must be a geometry of Shapely, got {kind}; from_geojson takes others"
        )
    return [] if geometry.is_empty else from_geojson(geometry)


def _geometries(data: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Type and coordinates of all simple geometries, in order."""
    if depth > _DEEPEST:
        raise ValueError(f"data: collections are more than {_DEEPEST} deep")
    if not isinstance(data, Mapping):
        known = getattr(data, "__geo_interface__", None)
        if not isinstance(known, Mapping):
            kind = type(data).__name__
            raise TypeError(
                f"data: must be GeoJSON or have __geo_interface__, got {kind}; of several give "
                "them one by one"
            )
        data = known
    kind = data.get("type")
    if not isinstance(kind, str):
        raise ValueError(f"data: must have a type, got {kind!r}")
    if kind == "Feature":
        if data.get("geometry") is not None:
            yield from _geometries(data["geometry"], depth + 1)
    elif kind in ("FeatureCollection", "GeometryCollection"):
        members = data.get("features" if kind == "FeatureCollection" else "geometries")
        if not isinstance(members, Sequence) or isinstance(members, str | bytes):
            raise ValueError(f"data: a {kind} must have a list of members")
        for member in members:
            yield from _geometries(member, depth + 1)
    else:
        yield kind, data.get("coordinates")


def _shapes(kind: str, coordinates: Any) -> Iterator[Shape]:
    if kind == "Polygon":
        yield from _polygon(coordinates)
    elif kind == "MultiPolygon":
        for each in _list(coordinates):
            yield from _polygon(each)
    elif kind in ("LineString", "LinearRing"):
        yield from _line(coordinates)
    elif kind == "MultiLineString":
        for each in _list(coordinates):
            yield from _line(each)
    elif kind in ("Point", "MultiPoint"):
        raise ValueError("a point has no shape; Circle(radius, center) gives it one")
    else:
        raise ValueError("no type of geometry that is known")


def _list(coordinates: Any) -> Any:
    if not isinstance(coordinates, Sequence | np.ndarray) or isinstance(coordinates, str | bytes):
        raise TypeError(f"coordinates: must be a list, got {type(coordinates).__name__}")
    return coordinates


def _points(coordinates: Any) -> Array:
    try:
        points = np.asarray(_list(coordinates))
    except (ValueError, RecursionError) as error:  # rows of different lengths
        raise ValueError(f"coordinates: must be pairs of numbers: {error}") from None
    too_large(points, "coordinates")
    if len(points) == 0:
        return np.zeros((0, 2))
    if points.ndim != 2 or points.shape[1] < 2:
        raise ValueError(f"coordinates: must be pairs of numbers, got shape {points.shape}")
    if points.dtype.kind not in "iufO":
        raise TypeError(f"coordinates: must hold real numbers, got dtype {points.dtype}")
    pairs: Array = points[:, :2].astype(np.float64)
    return pairs


def _open(points: Array) -> Array:
    """Without the last point, where it is the first again."""
    return points[:-1] if len(points) > 1 and (points[0] == points[-1]).all() else points


def _polygon(coordinates: Any) -> Iterator[Shape]:
    rings = [_open(_points(ring)) for ring in _list(coordinates)]
    if rings and len(rings[0]) > 0:
        yield Polygon(rings[0], [hole for hole in rings[1:] if len(hole) > 0])


def _line(coordinates: Any) -> Iterator[Shape]:
    points = _points(coordinates)
    if len(points) == 0:
        return
    around = _open(points)
    if len(around) < len(points):
        yield Chain(around, loop=True)
    elif len(points) == 2:
        yield Segment(*points)
    else:
        yield Chain(points)
