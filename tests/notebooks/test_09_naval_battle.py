"""The figures of lesson 09 against Shapely: who is on land, what a ball hits, who overlaps."""

import numpy as np
import pytest
import shapely
import shapely.affinity
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.quiver import Quiver

from pyphys2d.scenes.naval import HULL, coast

LESSON = "09_naval_battle"
HULL = shapely.Polygon(0.35 * np.array(HULL))


@pytest.fixture(scope="module")
def land():
    return shapely.union_all([shapely.Polygon(island.vertices) for island in coast()])


def rings(ax, label=None):
    """The polygons of the collections with this label (any but the land by default)."""
    return [
        path.vertices[:-1]
        for artist in ax.collections
        if isinstance(artist, PolyCollection) and (label is None or artist.get_label() == label)
        for path in artist.get_paths()
    ]


def test_points_are_green_on_land_only(lesson, land):
    dry, wet = lesson.line("09-1", "on land"), lesson.line("09-1", "at sea")
    assert len(dry) + len(wet) == 88 * 132
    assert shapely.contains_xy(land, dry).all()
    assert not shapely.contains_xy(land, wet).any()


def test_the_ball_hits_where_its_way_first_meets_the_hull(lesson):
    balls = lesson.line("09-2", "ball at each step")
    assert not shapely.intersects_xy(HULL, balls).any()
    meets = shapely.LineString(balls).intersection(HULL)
    (struck,) = lesson.line("09-2", "first point on the hull")
    np.testing.assert_allclose(struck, meets.coords[0], atol=1e-9)
    start, end = lesson.line("09-2", "segment of the hit")
    assert shapely.LineString([start, end]).distance(shapely.Point(struck)) < 1e-9
    (drawn,) = rings(lesson.axes("09-2")[0])
    assert shapely.Polygon(drawn).equals_exact(HULL, 1e-12)


def test_points_miss_as_often_as_chance_says(lesson):
    chord = HULL.intersection(shapely.LineString([(0.1, -9), (0.1, 9)])).length
    speed, seen = lesson.line("09-3", "point in hull").T
    chance = np.minimum(1, chord / (0.1 * speed))
    sigma = np.sqrt(chance * (1 - chance) / 2000)
    assert (np.abs(seen - chance) <= 4 * sigma + 1e-12).all()
    assert (lesson.line("09-3", "segment against hull")[:, 1] == 1).all()
    v, formula = lesson.line("09-3", r"$\min(1, c / v\Delta t)$").T
    np.testing.assert_allclose(formula, np.minimum(1, chord / (0.1 * v)), rtol=1e-9)


def test_half_of_the_way_for_each_parts_the_ships(lesson):
    left, right = lesson.axes("09-4")
    (a, b), (c, d) = ([shapely.Polygon(ring) for ring in rings(ax)] for ax in (left, right))
    assert a.intersection(b).area > 0.01
    assert c.intersection(d).area < 1e-9
    assert c.distance(d) < 1e-9
    (arrow,) = [artist for artist in left.collections if isinstance(artist, Quiver)]
    way = np.array([arrow.U[0], arrow.V[0]])
    for before, after, share in ((a, c, -0.5), (b, d, 0.5)):
        moved = shapely.affinity.translate(before, *(share * way))
        assert moved.equals_exact(after, 1e-9)
    # The shadows on the axis overlap by the length of the way, and afterwards they touch.
    n = way / np.linalg.norm(way)
    for ax, overlap in ((left, np.linalg.norm(way)), (right, 0.0)):
        shadows = [line.get_xydata() @ n for line in ax.lines if line.get_marker() == "|"]
        assert shadows[0].max() - shadows[1].min() == pytest.approx(overlap, abs=1e-9)


def test_the_fleets_stay_at_sea_and_the_balls_hit_hulls(lesson, land):
    ax = lesson.axes("09-5")[0]
    tracks = np.array([line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 600])
    assert tracks.shape == (8, 600, 2)
    assert not shapely.contains_xy(land, tracks.reshape(-1, 2)).any()
    fleets = [
        artist
        for artist in ax.collections
        if isinstance(artist, PolyCollection) and "fleet" in str(artist.get_label())
    ]
    hulls = [shapely.Polygon(path.vertices[:-1]) for f in fleets for path in f.get_paths()]
    assert len(hulls) == 8
    for hull in hulls:
        assert hull.area == pytest.approx(HULL.area, rel=1e-9)
        assert hull.intersection(land).area < 0.02  # no corner; perhaps a cape under the side
    (hits,) = [line for line in ax.lines if str(line.get_label()).startswith("hits")]
    assert len(hits.get_xdata()) == lesson.game.count["hit"]
    closer = lesson.line("09-5", hits.get_label(), 1)
    np.testing.assert_array_equal(closer, hits.get_xydata())
    view = lesson.axes("09-5")[1].viewLim
    assert shapely.contains_xy(shapely.box(*view.extents), closer).all()  # it leaves none out
    # Each hit is within half a ship of where a ship was.
    reach = np.linalg.norm(np.array(HULL.exterior.coords), axis=1).max()
    gaps = np.linalg.norm(tracks.reshape(-1, 1, 2) - hits.get_xydata(), axis=2).min(axis=0)
    assert (gaps < reach + 0.2).all()


def test_the_engine_keeps_ships_off_the_land(lesson, land):
    ax = lesson.axes("09-6")[0]
    (paths,) = [
        artist
        for artist in ax.collections
        if isinstance(artist, LineCollection) and len(artist.get_segments()) == 22
    ]
    trails = np.array(paths.get_segments())
    assert not shapely.contains_xy(land, trails.reshape(-1, 2)).any()
    contacts = lesson.line("09-6", "contacts")
    assert len(contacts) == len(lesson.touching)
    hull = shapely.Polygon(lesson.ships[0].colliders[0].vertices)
    assert hull.intersection(land).area < 0.05 * hull.area
