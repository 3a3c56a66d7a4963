"""Queries of a wrapped world against a plane that holds every body many times, a width and a height
apart: the same shapes and the same calls, without a seam."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pyphys2d as p2

WIDTH, HEIGHT = 20.0, 14.0
SIZE = np.array([WIDTH, HEIGHT])
SHAPES = [
    p2.Circle(0.9),
    p2.Box(2.0, 1.0, radius=0.1),
    p2.Polygon([(-1, -1), (1, -1), (1, 1), (0, 0.2), (-1, 1)]),  # concave
    p2.Capsule((-0.7, 0), (0.7, 0.3), 0.4),
    p2.Segment((-1, -1), (1, 1)),
    p2.Box(1.0, 1.0, center=(31.0, -5.0)),  # far from its origin
]


def build(seed: int, count: int = 10, wrap: tuple[float, float] | None = (WIDTH, HEIGHT)):
    """A world of `count` bodies, and a plane with its images; the owner of each collider there."""
    rng = np.random.default_rng(seed)
    world = p2.World(gravity=(0, 0), wrap=wrap)
    plane = p2.World(gravity=(0, 0))
    owners = []
    for i in range(count):
        shape = SHAPES[int(rng.integers(len(SHAPES)))]
        place, angle = rng.uniform((0, 0), SIZE), rng.uniform(-3, 3)
        kind = ["static", "dynamic", "kinematic"][i % 3]
        velocity = rng.normal(size=2) * 3 if kind != "static" else (0, 0)
        common = {"kind": kind, "velocity": velocity, "category": 1 << (i % 2)}
        body = world.add_body(shape, place, angle, **common)
        for x in range(-6, 7):
            for y in range(-6, 7):
                plane.add_body(shape, body.position + SIZE * (x, y), angle, **common)
                owners.append(i)
    return world, plane, np.array(owners)


seeds = st.integers(0, 10_000)
spots = st.tuples(st.floats(-10, 30), st.floats(-7, 21))
ways = st.tuples(st.floats(-45, 45), st.floats(-30, 30))


def check_hits(got, want, owners, scale) -> None:
    assert (got is None) == (want is None)
    if got is None:
        return
    assert got.fraction == pytest.approx(want.fraction, abs=1e-6)
    if np.allclose(got.normal, want.normal, atol=1e-5):  # else two are as near
        assert np.allclose(got.point, want.point, atol=1e-5 * scale)


@settings(max_examples=25, deadline=None)
@given(seeds, spots, ways, st.sampled_from([0.0, 0.4]), st.sampled_from([1, 3]))
def test_rays(seed, origin, way, radius, mask):
    world, plane, owners = build(seed)
    got = world.cast_ray(origin, way, radius=radius, mask=mask)
    want = plane.cast_ray(origin, way, radius=radius, mask=mask)
    check_hits(got, want, owners, 1)
    if got is not None:
        assert got.collider.index == owners[want.collider.index]
    firsts = {}
    for hit in plane.cast_ray_all(origin, way, radius=radius, mask=mask):
        firsts.setdefault(int(owners[hit.collider.index]), hit.fraction)
    hits = world.cast_ray_all(origin, way, radius=radius, mask=mask)
    assert {h.collider.index for h in hits} == set(firsts)
    for hit in hits:
        assert hit.fraction == pytest.approx(firsts[hit.collider.index], abs=1e-9)
    assert [h.fraction for h in hits] == sorted(h.fraction for h in hits)


@pytest.mark.parametrize("radius", [None, 0.3])
def test_many_rays_are_single_rays(radius):
    """Through the grid and the trees of the index, which are built for many."""
    world, plane, owners = build(5, 40)
    rng = np.random.default_rng(1)
    origins, ways = rng.uniform(-15, 30, (400, 2)), rng.normal(size=(400, 2)) * 15
    rows = world.cast_rays(origins, ways, radius=radius or 0)
    want = plane.cast_rays(origins, ways, radius=radius or 0)
    assert (rows["collider"] >= 0).sum() > 200
    assert np.array_equal(rows["collider"] >= 0, want["collider"] >= 0)
    hit = rows["collider"] >= 0
    assert np.allclose(rows["fraction"][hit], want["fraction"][hit], rtol=0, atol=1e-9)
    assert (rows["collider"][hit] == owners[want["collider"][hit]]).mean() > 0.99
    for k in range(0, 400, 40):
        one = world.cast_ray(origins[k], ways[k], radius=radius or 0)
        assert (one is None) == (rows["collider"][k] < 0)
        assert one is None or one.fraction == rows["fraction"][k]


@settings(max_examples=20, deadline=None)
@given(seeds, spots, st.floats(-3, 3), ways, st.sampled_from(SHAPES[:4]))
def test_casts(seed, spot, angle, way, shape):
    world, plane, owners = build(seed)
    pose = (*spot, angle)
    check_hits(world.cast_shape(shape, pose, way), plane.cast_shape(shape, pose, way), owners, 10)
    end = (spot[0] + way[0], spot[1] + way[1], angle + 1)
    check_hits(
        world.time_of_impact(shape, pose, end), plane.time_of_impact(shape, pose, end), owners, 10
    )
    check_hits(
        world.time_of_impact(shape, pose, end, dt=1.5),
        plane.time_of_impact(shape, pose, end, dt=1.5),
        owners,
        10,
    )


def test_bodies_meet_around_the_world():
    world = p2.World(gravity=(0, 0), wrap=(10, math.inf))
    runner = world.add_body(p2.Circle(0.5), (9, 0), velocity=(2, 0))
    other = world.add_body(p2.Circle(0.5), (1, 0), velocity=(-1, 0))
    hit = world.time_of_impact(runner, dt=1, target=0)
    assert hit is not None
    assert hit.body == other
    assert hit.fraction == pytest.approx(1 / 3, abs=1e-6)  # 1 m apart, 3 m/s
    assert world.time_of_impact(runner, dt=0.3, target=0) is None
    assert world.time_of_impact(other, dt=1, target=0).body == runner
    other.velocity = (0, 0)  # once around does not meet itself
    assert world.time_of_impact(runner, dt=1, target=0).fraction == pytest.approx(0.5, abs=1e-6)
    other.position = (5, 5)
    assert world.time_of_impact(runner, dt=30, target=0) is None


@settings(max_examples=25, deadline=None)
@given(seeds, spots, st.floats(-3, 3), st.integers(1, 4), st.sampled_from(SHAPES[:4]))
def test_nearest_and_overlaps(seed, spot, angle, k, shape):
    world, plane, owners = build(seed)
    nearest = [c.index for c in world.nearest(spot, k=k)]
    everything = plane.distances([spot], k=400)[0]
    firsts = {}
    for row in everything:
        firsts.setdefault(int(owners[row["collider"]]), row)
    rows = np.atleast_1d(world.distances([spot], k=k)[0])
    assert [int(c) for c in rows["collider"]] == nearest
    best = sorted(float(row["distance"]) for row in firsts.values())[:k]
    assert np.allclose(rows["distance"], best, atol=1e-9)
    for row in rows:
        want = firsts[int(row["collider"])]
        assert row["distance"] == pytest.approx(float(want["distance"]), abs=1e-9)
        if row["distance"] > 1e-9:  # where the asker sees it
            assert np.hypot(*(row["point"] - spot)) == pytest.approx(row["distance"], abs=1e-9)
    limited = world.distances([spot], k=9, max_distance=2.0)[0]
    assert set(limited["collider"][limited["collider"] >= 0]) == {
        c for c, row in firsts.items() if row["distance"] <= 2.0
    }

    pose = (*spot, angle)
    assert {c.index for c in world.overlap(shape, pose)} == {
        int(owners[c.index]) for c in plane.overlap(shape, pose)
    }
    assert {c.index for c in world.at(spot)} == {int(owners[c.index]) for c in plane.at(spot)}
    box = np.add(spot, [(-2.5, -1), (1, 3.5)])
    assert {c.index for c in world.query_aabb(*box)} == {
        int(owners[c.index]) for c in plane.query_aabb(*box)
    }
    got = world.overlaps(shape, [pose], pieces=True, margin=0.3)
    want = plane.overlaps(shape, [pose], pieces=True, margin=0.3)
    assert sorted(np.round(got["depth"], 7)) == sorted(np.round(want["depth"], 7))
    assert np.allclose(np.sort(got["points"][:, 0, 0]), np.sort(want["points"][:, 0, 0]), atol=1e-6)


def test_rays_go_around():
    world = p2.World(wrap=(10, math.inf))
    target = world.add_body(p2.Circle(0.5), (1, 0), kind="static")
    hit = world.cast_ray((9, 0), (5, 0))
    assert hit.collider == target.colliders[0]
    assert hit.fraction == pytest.approx(1.5 / 5)
    assert np.allclose(hit.point, (10.5, 0))  # on the ray, where the asker sees it
    assert world.cast_ray((9, 0), (1.4, 0)) is None
    slope = world.cast_ray((2, -50), (100, 50.5))  # ten times around before it is high enough
    assert slope is not None
    assert 9 < slope.point[0] / 10 < 10.5
    assert world.cast_ray((2, 3), (9000, 0)) is None
    with pytest.raises(ValueError, match=r"translation: must lead around .* 1000 times"):
        world.cast_ray((2, 3), (10_001, 0))
    with pytest.raises(ValueError, match="translation"):
        world.cast_rays([(0, 0), (0, 0)], [(1, 0), (1e300, 0)])
    with pytest.raises(ValueError, match="translation"):
        world.cast_ray_all((0, 0), (1e300, 0))
    with pytest.raises(ValueError, match="end"):
        world.time_of_impact(p2.Circle(0.1), (0, 0, 0), (1e9, 0, 0))
    with pytest.raises(ValueError, match="shape: must reach no further"):
        world.overlap(p2.Box(30, 1), (0, 0, 0))
    with pytest.raises(ValueError, match="shape"):
        world.overlaps(p2.Box(30, 1), [(0, 0, 0)])


@pytest.mark.parametrize("far", [1e6, 1e300, -1e300])
def test_far_questions_are_modulo(far):
    world = p2.World(wrap=(16, 16))
    world.add_body(p2.Circle(1), (0, 0), kind="static")
    place = math.fmod(far, 16) % 16  # exact
    near = min(place, 16 - place)
    assert bool(world.at((far, 0))) == (near <= 1)
    assert world.distances([(far, 0)])["distance"][0] == pytest.approx(max(near - 1, 0))
    assert len(world.query_aabb((far, 0), (far, 0))) == (near <= 1)
    assert len(world.query_aabb((-1e300, 0), (1e300, 0))) == 1
    assert len(world.overlap(p2.Circle(0.1), (far, 0, 0))) == (near <= 1.1)


def test_where_is_asked_about_candidates_across_the_seam():
    world = p2.World(wrap=(10, 10))
    world.add_body(p2.Circle(0.5), (0.2, 5), kind="static")
    world.add_body(p2.Circle(0.5), (5, 5), kind="static")
    asked = []

    def where(index):
        asked.extend(index)
        return np.ones(len(index), bool)

    assert world.cast_ray((9, 5), (2, 0), where=where).collider.index == 0
    assert 0 in asked
    assert [c.index for c in world.nearest((9.9, 9.9), where=where)]
    assert len(world.overlap(p2.Circle(0.3), (9.8, 5, 0), where=where)) == 1


def test_asking_changes_nothing_and_workers_do_not_matter():
    worlds = [build(3, 60)[0] for _ in range(2)]
    rng = np.random.default_rng(0)
    spots, ways = rng.uniform(-20, 40, (500, 2)), rng.normal(size=(500, 2)) * 20
    poses = np.column_stack([spots, spots[:, 0]])
    many = p2.World(gravity=(0, 0), wrap=(WIDTH, HEIGHT), workers=3)
    source = np.random.default_rng(3)
    for i in range(60):  # as build
        shape = SHAPES[int(source.integers(len(SHAPES)))]
        place, angle = source.uniform((0, 0), SIZE), source.uniform(-3, 3)
        kind = ["static", "dynamic", "kinematic"][i % 3]
        velocity = source.normal(size=2) * 3 if kind != "static" else (0, 0)
        many.add_body(shape, place, angle, kind=kind, velocity=velocity, category=1 << (i % 2))
    before = many.hash()
    for ask in (
        lambda w: w.cast_rays(spots, ways),
        lambda w: w.cast_shapes(SHAPES[1], poses, ways),
        lambda w: w.distances(spots, k=3),
        lambda w: w.overlaps(SHAPES[2], poses),
    ):
        one, two = ask(worlds[0]), ask(many)
        assert one.tobytes() == two.tobytes()
    assert many.hash() == before
    alone = [worlds[1].cast_ray(s, t) for s, t in zip(spots[:50], ways[:50], strict=True)]
    rows = worlds[0].cast_rays(spots, ways)[:50]
    for hit, row in zip(alone, rows, strict=True):
        assert (hit is None) == (row["collider"] < 0)
        assert hit is None or (
            hit.fraction == row["fraction"] and hit.collider.index == row["collider"]
        )
