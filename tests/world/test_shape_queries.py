"""Casts, times of impact, the nearest and overlaps against loops over all colliders with the
functions of geometry; arrays against single calls.
"""

import doctest
import functools
import signal
from itertools import pairwise

import numpy as np
import pytest
from reference import convex, random_polygon, star

import pyphys2d as p2
import pyphys2d.geometry as g

PLACES = [(0.0, 0.0), (1e7, -1e7)]
CHAIN = [(-4, 1), (-2, 0), (0, 0.5), (2, -0.5), (4, 1.5)]
METHODS = [
    "cast_shape", "cast_shapes", "time_of_impact", "times_of_impact", "nearest", "distances",
    "overlaps",
]  # fmt: skip


def probes(rng):
    """Shapes to ask with: round, boxy, concave, in two parts that touch."""
    p, q = rng.uniform(-1, 1, (2, 2))
    return [
        p2.Circle(rng.uniform(0.1, 1), p),
        p2.Box(rng.uniform(0.2, 2), rng.uniform(0.2, 2)),
        p2.Capsule(p, q, rng.uniform(0.1, 0.5)),
        p2.Segment(p, q),
        p2.Polygon(convex(rng, 7), radius=0.2),
        p2.Polygon(star(rng, 9)),
        p2.Polygon(*random_polygon(rng)),
    ]


@functools.cache
def scattering(seed, count, side):
    """Shapes with offsets and angles, and where three of them go later."""
    rng = np.random.default_rng(seed)
    bodies = [
        (
            [*probes(rng), p2.Chain(CHAIN), p2.Chain(CHAIN[::-1])][i % 9],
            rng.uniform(-side / 2, side / 2, 2),
            rng.uniform(-7, 7),
        )
        for i in range(count)
    ]
    return bodies, rng.uniform(-9, 9, (3, 2))


def scattered(seed, count=80, middle=(0.0, 0.0), side=40.0, **settings):
    """All kinds of shapes; some bodies are asleep, removed, disabled, or moved without a step."""
    bodies, later = scattering(seed, count, side)
    world = p2.World(gravity=(0, 0), **settings)
    for i, (shape, offset, angle) in enumerate(bodies):
        world.add_body(
            shape,
            middle + offset,
            angle,
            kind=["static", "kinematic", "dynamic"][i % 3],
            category=1 << (i % 4),
            sensor=i % 11 == 5,
        )
    world.step(1 / 1000)
    for i in range(2, count, 15):
        world.bodies[i].sleep()
    for i in range(0, count, 17):
        world.remove(world.bodies[i])
    world.bodies[10].enabled = False
    for i, offset in zip((3, 8), later[:2], strict=True):
        world.bodies[i].position = middle + offset
    view = world.positions
    view[5] = middle + later[2]
    world.angles[6] = 2.5
    return world


def random_poses(rng, count, middle=(0.0, 0.0), side=44.0):
    poses = rng.uniform(-side / 2, side / 2, (count, 3))
    poses[:, :2] += middle
    poses[:, 2] = rng.uniform(-4, 4, count)
    return poses


def pose_of(body):
    return (*body.position, body.angle)


def asked(world, mask=None, include_sensors=False):
    return [
        c
        for c in world.colliders
        if c.body.enabled
        and (mask is None or c.category & mask)
        and (include_sensors or not c.sensor)
    ]


@functools.cache
def pieces_of(shape):
    """Convex pieces as shapes of their own, in order, with the segment of a chain's piece."""
    if isinstance(shape, p2.Chain):
        points = shape.points
        return [(p2.Segment(p, q), (p, q)) for p, q in pairwise(points)]
    if isinstance(shape, p2.Polygon) and not shape.is_convex:
        return [(p2.Polygon(part), None) for part in shape.parts]
    return [(shape, None)]


def first_of(world, shape, impact_with, **filters):
    """(fraction, collider, piece, Impact) of the first pair of pieces; impact_with(body)(a, b)
    tells when they meet. Chains are met from their free side.
    """
    best = None
    for collider in asked(world, **filters):
        meet = impact_with(collider.body)
        for number, (piece, line) in enumerate(pieces_of(collider.shape)):
            for own, _ in pieces_of(shape):
                impact, moment = meet(piece, own)
                if not impact:
                    continue
                if line is not None:
                    (x, y, angle), (cx, cy, turned) = moment(impact.fraction)
                    middle = g.transform([own.centroid], (cx, cy, turned))[0]
                    p, q = g.transform(np.array(line), (x, y, angle))
                    edge, offset = q - p, middle - p
                    if edge[0] * offset[1] - edge[1] * offset[0] < 0:
                        continue
                key = (impact.fraction, collider.index, number)
                if best is None or key < best[:3]:
                    best = (*key, impact)
    return best


def casting(pose, translation):
    def impact_with(body):
        here = pose_of(body)

        def moment(fraction):
            at = np.add(pose[:2], fraction * np.asarray(translation))
            return here, (*at, pose[2])

        return lambda a, b: (g.cast_shape(a, b, here, pose, translation), moment)

    return impact_with


def moving(start, end, target, dt=0.0):
    def impact_with(body):
        here = np.array(pose_of(body))
        there = here.copy()
        if body.kind != "static":
            there += dt * np.array([*body.velocity, body.angular_velocity])

        def moment(f):
            return here + f * (there - here), start + f * (np.asarray(end) - start)

        return lambda a, b: (g.time_of_impact(a, b, here, there, start, end, target), moment)

    return impact_with


def assert_hit(row, expected, scale, exact=False):
    """A row of cast_shapes or times_of_impact against (fraction, collider, piece, Impact)."""
    if expected is None:
        assert row["collider"] == row["body"] == row["piece"] == -1
        assert np.isnan([row["fraction"], *row["point"], *row["normal"]]).all()
        return
    fraction, collider, piece, impact = expected
    assert row["fraction"] == pytest.approx(fraction, abs=1e-9 * scale)
    if exact:
        assert (row["fraction"], row["collider"], row["piece"]) == (fraction, collider, piece)
        np.testing.assert_array_equal(row["point"], impact.point)
        np.testing.assert_array_equal(row["normal"], -impact.normal * -1)


def same(a, b):
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


# ------------------------------------------------------------------------------------ casts


@pytest.mark.parametrize("middle", PLACES)
@pytest.mark.parametrize("seed", range(3))
def test_casts_against_a_loop_over_all_colliders(seed, middle):
    world = scattered(seed, middle=middle)
    rng = np.random.default_rng(seed)
    hits = starts = 0
    for shape in probes(rng):
        poses = random_poses(rng, 12, middle)
        translations = rng.normal(0, 12, (12, 2))
        rows = world.cast_shapes(shape, poses, translations)
        for row, pose, translation in zip(rows, poses, translations, strict=True):
            expected = first_of(world, shape, casting(pose, translation))
            assert_hit(row, expected, 1, exact=True)
            hits += expected is not None
            starts += expected is not None and expected[0] == 0
    assert hits > 40
    assert starts > 5


@pytest.mark.parametrize("filters", [{"mask": 5}, {"include_sensors": True}, {"mask": 0}])
def test_casts_with_filters(filters):
    world = scattered(7)
    rng = np.random.default_rng(7)
    shape, poses, translations = p2.Box(1, 1), random_poses(rng, 40), rng.normal(0, 15, (40, 2))
    rows = world.cast_shapes(shape, poses, translations, **filters)
    for row, pose, translation in zip(rows, poses, translations, strict=True):
        expected = first_of(world, shape, casting(pose, translation), **filters)
        assert_hit(row, expected, 1, exact=True)
    assert (rows["body"] >= 0).any() == (filters != {"mask": 0})


def test_single_casts_are_rows():
    world = scattered(1)
    rng = np.random.default_rng(1)
    kinds = probes(rng)
    shapes = [kinds[i % 7] for i in range(50)]
    poses, translations = random_poses(rng, 50), rng.normal(0, 12, (50, 2))
    rows = world.cast_shapes(shapes, poses, translations)
    turned = world.times_of_impact(shapes, poses, poses[::-1])
    for i, shape in enumerate(shapes):
        for row, hit in (
            (rows[i], world.cast_shape(shape, poses[i], translations[i])),
            (turned[i], world.time_of_impact(shape, poses[i], poses[-1 - i])),
        ):
            assert (hit is None) == (row["body"] < 0)
            if hit is not None:
                assert (hit.collider.index, hit.body.index) == (row["collider"], row["body"])
                assert (hit.piece, hit.fraction) == (row["piece"], row["fraction"])
                np.testing.assert_array_equal(hit.point, row["point"])
                np.testing.assert_array_equal(hit.normal, row["normal"])
                assert hit.normal @ hit.normal == pytest.approx(1) or hit.fraction == 0


def test_a_cast_stops_where_the_shape_touches():
    """At the fraction the distance is zero; just before it is not."""
    world = scattered(3)
    rng = np.random.default_rng(3)
    shape = p2.Polygon(star(rng, 9))
    poses, translations = random_poses(rng, 60), rng.normal(0, 12, (60, 2))
    checked = 0
    for pose, row, way in zip(
        poses, world.cast_shapes(shape, poses, translations), translations, strict=True
    ):
        collider = world.colliders[int(row["collider"])] if row["body"] >= 0 else None
        if collider is None or row["fraction"] == 0 or isinstance(collider.shape, p2.Chain):
            continue
        for back, low, high in ((0.0, 0, 1e-8), (1e-3, 1e-12, 1)):
            there = pose.copy()
            there[:2] += (row["fraction"] - back / np.hypot(*way)) * way
            found = g.distance(collider.shape, shape, pose_of(collider.body), there)
            assert low <= found.distance < high
        checked += 1
    assert checked > 20


@pytest.mark.parametrize("radius", [0.05, 1.0])
def test_fat_rays_are_casts_of_discs(radius):
    world = scattered(4, middle=(30, 10))
    rng = np.random.default_rng(4)
    poses, translations = random_poses(rng, 300, (30, 10)), rng.normal(0, 15, (300, 2))
    rays = world.cast_rays(poses[:, :2], translations, radius=radius)
    casts = world.cast_shapes(p2.Circle(radius), poses, translations)
    for name in ("fraction", "point"):
        np.testing.assert_allclose(rays[name], casts[name], atol=1e-7)
    assert (rays["collider"] == casts["collider"]).all()
    moved = casts["fraction"] > 0
    np.testing.assert_allclose(rays["normal"][moved], casts["normal"][moved], atol=1e-7)
    assert moved.sum() > 100
    for ray, origin, translation in zip(rays[:80], poses[:80, :2], translations, strict=False):
        hit = world.cast_ray(origin, translation, radius=radius)
        every = world.cast_ray_all(origin, translation, radius=radius)
        assert (hit is None) == (ray["body"] < 0) == (not every)
        if hit is not None:
            assert hit.fraction == ray["fraction"] == every[0].fraction
            np.testing.assert_array_equal(hit.point, ray["point"])
            assert np.hypot(*hit.normal) == pytest.approx(1)
            order = [(h.fraction, h.collider.index) for h in every]
            assert order == sorted(order)
            assert len({h.collider.index for h in every}) == len(every)


def test_every_collider_on_the_way_of_a_disc():
    world = scattered(5)
    rng = np.random.default_rng(5)
    shape = p2.Circle(0.7)
    for pose, way in zip(random_poses(rng, 40), rng.normal(0, 12, (40, 2)), strict=True):
        got = {h.collider.index: h.fraction for h in world.cast_ray_all(pose[:2], way, radius=0.7)}
        for collider in asked(world):
            if isinstance(collider.shape, p2.Chain):
                got.pop(collider.index, None)
                continue
            expected = g.cast_shape(collider.shape, shape, pose_of(collider.body), pose, way)
            assert expected.hit == (collider.index in got)
            if expected:
                assert got.pop(collider.index) == pytest.approx(expected.fraction, abs=1e-9)
        assert not got


def test_a_radius_for_each_ray():
    world = scattered(6)
    rng = np.random.default_rng(6)
    origins, ways = rng.uniform(-20, 20, (60, 2)), rng.normal(0, 12, (60, 2))
    radii = np.where(np.arange(60) % 3 == 0, 0, rng.uniform(0, 1, 60))
    rows = world.cast_rays(origins, ways, radius=radii)
    for i, radius in enumerate(radii):
        assert same(rows[i : i + 1], world.cast_rays(origins[i], ways[i], radius=radius))
    assert same(world.cast_rays(origins, ways, radius=0), world.cast_rays(origins, ways))
    fan = world.cast_rays((0, 0), (90, 90), radius=[0, 0.1, 0.2])
    assert fan.shape == (3,)
    assert (np.diff(fan["fraction"]) < 0).all()


def test_chains_are_met_from_their_free_side():
    world = p2.World()
    world.add_body(p2.Chain([(-5, 0), (0, 0), (5, 0)]), kind="static")
    ball = p2.Circle(0.5)
    for x in (-3, 0, 2):
        above, below = (x, 3, 0), (x, -3, 0)
        hit = world.cast_shape(ball, above, (0, -5))
        assert hit.fraction == pytest.approx(0.5)
        np.testing.assert_allclose(hit.normal, (0, 1), atol=1e-12)
        assert world.cast_shape(ball, below, (0, 5)) is None
        assert world.cast_ray((x, 3), (0, -5), radius=0.5).fraction == pytest.approx(0.5)
        assert world.cast_ray((x, -3), (0, 5), radius=0.5) is None
        assert world.time_of_impact(ball, above, below, target=0).fraction == pytest.approx(2.5 / 6)
        assert world.time_of_impact(ball, below, above) is None
    assert world.cast_shape(ball, (0, 0.2, 0), (1, 0)).fraction == 0
    assert world.cast_shape(ball, (0, -0.2, 0), (1, 0)) is None
    assert world.cast_ray((0, -0.2), (0, 1), radius=0.5) is None


def test_equal_hits_go_to_the_lowest_collider():
    world = p2.World()
    world.add_bodies(p2.Box(1, 1), np.tile([(3.0, 0.0)], (40, 1)))
    rows = world.cast_shapes(p2.Box(1, 1), np.zeros((20, 3)), (8, 0))
    assert (rows["body"] == 0).all()
    assert (rows["fraction"] == 0.25).all()
    world.remove(world.bodies[0])
    assert (world.cast_rays(np.zeros((20, 2)), (8, 0), radius=0.5)["body"] == 1).all()
    assert (world.distances(np.zeros((20, 2)))["body"] == 1).all()
    assert [c.index for c in world.nearest((0, 0), k=3)] == [1, 2, 3]


# ------------------------------------------------------------------------- times of impact


@pytest.mark.parametrize("middle", PLACES)
@pytest.mark.parametrize("dt", [0.0, 0.7])
def test_times_of_impact_against_a_loop(middle, dt):
    """Shapes whose centre of mass is the origin, so that bodies turn about it."""
    rng = np.random.default_rng(11)
    world = p2.World(gravity=(0, 0))
    shapes = [p2.Circle(0.6), p2.Box(2, 0.3), p2.Capsule((-1, 0), (1, 0), 0.2), p2.Segment(
        (-1, 0), (1, 0)), p2.Polygon(star(rng, 9), recenter=True), p2.Chain(CHAIN)]  # fmt: skip
    for i in range(90):
        shape = shapes[i % 6]
        kind = (
            "static" if isinstance(shape, p2.Chain) else ["static", "kinematic", "dynamic"][i % 3]
        )
        moves = kind != "static"
        world.add_body(
            shape,
            middle + rng.uniform(-20, 20, 2),
            rng.uniform(-7, 7),
            kind=kind,
            velocity=rng.normal(0, 5, 2) if moves else (0, 0),
            angular_velocity=rng.normal(0, 4) if moves else 0,
        )
    hits = 0
    for shape in (p2.Circle(0.3), p2.Box(3, 0.4), p2.Polygon(star(rng, 7))):
        starts, ends = random_poses(rng, 15, middle, 36), random_poses(rng, 15, middle, 36)
        ends[:, 2] += rng.normal(0, 6, 15)
        for target in (0.005, 0.3):
            rows = world.times_of_impact(shape, starts, ends, target=target, dt=dt)
            for row, start, end in zip(rows, starts, ends, strict=True):
                expected = first_of(world, shape, moving(start, end, target, dt))
                assert_hit(row, expected, 1e2 if dt else 1)
                if expected is not None:
                    hits += 1
                    assert row["collider"] == expected[1]
    assert hits > 40


def test_bodies_as_they_move():
    """Where the time of impact is, the distance is the target."""
    rng = np.random.default_rng(12)
    world = p2.World(gravity=(0, 0))
    for i in range(30):
        world.add_body(
            [p2.Box(1, 0.5), p2.Circle(0.3, (0.8, 0))],
            rng.uniform(-10, 10, 2),
            rng.uniform(-3, 3),
            kind=["dynamic", "kinematic", "static"][i % 3],
            velocity=rng.normal(0, 4, 2) if i % 3 < 2 else (0, 0),
            angular_velocity=rng.normal(0, 3) if i % 3 < 2 else 0,
        )
    dt, target = 0.8, 0.01
    hits = 0

    def later(body, fraction):
        """The pose by the centre of mass."""
        angle = body.angle + fraction * dt * body.angular_velocity
        center = body.to_world(body.center_of_mass) + fraction * dt * body.velocity
        c, s = np.cos(angle), np.sin(angle)
        x, y = body.center_of_mass
        return (center[0] - c * x + s * y, center[1] - s * x - c * y, angle)

    def apart(a, b, fraction):
        return min(
            g.distance(p.shape, q.shape, later(a, fraction), later(b, fraction)).distance
            for p in a.colliders
            for q in b.colliders
        )

    bodies = list(world.bodies)
    rows = world.times_of_impact(bodies, dt=dt, target=target)
    for body, row in zip(bodies, rows, strict=True):
        hit = world.time_of_impact(body, dt=dt, target=target)
        assert row["collider"] == (-1 if hit is None else hit.collider.index)
        assert hit is None or row["fraction"] == hit.fraction
        others = [other for other in world.bodies if other != body]
        if hit is None:
            for fraction in np.linspace(0, 1, 15):
                assert min(apart(body, other, fraction) for other in others) > target * 0.999
            continue
        assert hit.body != body
        if hit.fraction == 0:
            assert apart(body, hit.body, 0) <= target * (1 + 1e-6)
        else:
            assert apart(body, hit.body, hit.fraction) == pytest.approx(target, rel=1e-6)
            assert hit.normal @ hit.normal == pytest.approx(1)
        for fraction in np.linspace(0, hit.fraction, 10, endpoint=False) if hit.fraction else ():
            assert min(apart(body, other, fraction) for other in others) > target * 0.999
        hits += hit.fraction > 0
    assert hits > 7


def test_a_body_to_a_pose_meets_what_it_collides_with():
    world = p2.World(gravity=(0, 0))
    ball = world.add_body(p2.Circle(0.5), category=2, mask=4, angular_velocity=3)
    ghost = world.add_body(p2.Circle(0.5), (3, 0), category=1)
    wall = world.add_body(p2.Box(1, 9), (6, 0), kind="static", category=4)
    sensor = world.add_body(p2.Circle(0.5), (2, 0), category=4, sensor=True)
    assert world.time_of_impact(ball, end=(10, 0, 0), target=0).body == wall
    assert world.time_of_impact(ball, None, (10, 0, 0), target=0).fraction == pytest.approx(0.5)
    assert world.time_of_impact(ball, end=(10, 0, 0), include_sensors=True).body == sensor
    assert world.time_of_impact(p2.Circle(0.5), (0, 1.5, 0), (10, -1, 0)).body == ghost
    assert world.time_of_impact(ball, end=(10, 0, 0), mask=2) is None
    ball.colliders[0].group = ghost.colliders[0].group = 3
    assert world.time_of_impact(ball, end=(10, 0, 0)).body == ghost
    with pytest.raises(TypeError, match="start"):
        world.time_of_impact(ball, (0, 0, 0), (1, 0, 0))
    with pytest.raises(ValueError, match="dt: must be > 0"):
        world.time_of_impact(ball)
    with pytest.raises(ValueError, match=r"end: must have shape \(3,\)"):
        world.time_of_impact(ball, end=[(1, 0, 0)])
    with pytest.raises(ValueError, match="another world"):
        p2.World().time_of_impact(ball, dt=1)
    rows = world.times_of_impact([ball, ghost], None, [(10, 0, 0), (-3, 0, 0)], mask=1)
    assert list(rows["body"]) == [ghost.index, -1]
    rows = world.times_of_impact((ball, wall), ends=(10, 0, 0), target=0)
    np.testing.assert_allclose(rows["fraction"][0], 0.2, rtol=1e-12)
    for bad, error in (([ball, 3], TypeError), ([ball, p2.Circle(1)], TypeError)):
        with pytest.raises(error, match=r"shapes\[1\]"):
            world.times_of_impact(bad, dt=1)
    with pytest.raises(ValueError, match=r"3 rows|got 3"):
        world.times_of_impact([ball, wall], None, np.zeros((3, 3)))
    with pytest.raises(TypeError, match="starts"):
        world.times_of_impact([ball], (0, 0, 0), (1, 0, 0))
    with pytest.raises(ValueError, match="dt: must be > 0"):
        world.times_of_impact([ball])
    world.remove(ball)
    with pytest.raises(p2.RemovedError):
        world.time_of_impact(ball, dt=1)
    with pytest.raises(p2.RemovedError):
        world.times_of_impact([wall, ball], dt=1)


# --------------------------------------------------------------------------------- nearest


@pytest.mark.parametrize("middle", PLACES)
@pytest.mark.parametrize("seed", range(2))
def test_the_nearest_to_shapes_against_a_loop(seed, middle):
    world = scattered(seed, middle=middle)
    rng = np.random.default_rng(seed)
    every = asked(world)
    for shape in probes(rng):
        poses = random_poses(rng, 12, middle)
        for k, most in ((1, None), (4, 6.0), (40, None)):
            rows = world.distances(shape, k, poses=poses, max_distance=most).reshape(12, k)
            for pose, found in zip(poses, rows, strict=True):
                expected = sorted(
                    (g.distance(c.shape, shape, pose_of(c.body), pose).distance, c.index)
                    for c in every
                )
                if most is not None:
                    expected = [e for e in expected if e[0] <= most]
                expected = expected[:k]
                n = len(expected)
                np.testing.assert_array_equal(found["distance"][:n], [d for d, _ in expected])
                assert list(found["collider"][:n]) == [i for _, i in expected]
                assert (found["collider"][n:] == -1).all()
                assert np.isnan(found["distance"][n:]).all()
                handles = world.nearest(shape, k, pose=pose, max_distance=most)
                assert [c.index for c in handles] == [i for _, i in expected]


def test_nearest_points():
    """The point is on the collider, at the distance, along the normal."""
    world = scattered(2)
    rng = np.random.default_rng(2)
    points = rng.uniform(-25, 25, (150, 2))
    rows = world.distances(points, k=3)
    shapes = {c.index: c for c in world.colliders}
    outside = rows["distance"] > 0
    there = points[:, None] - rows["distance"][..., None] * rows["normal"]
    np.testing.assert_allclose(rows["point"][outside], there[outside], atol=1e-9)
    assert (rows["normal"][~outside] == 0).all()
    tiny = p2.Circle(1e-4)
    for point, found in zip(points, rows, strict=True):
        assert [c.index for c in world.at(point)] == sorted(
            int(r["collider"])
            for r in world.distances(point, k=30, max_distance=0)[0]
            if r["collider"] >= 0
        )
        for row in found:
            collider = shapes[int(row["collider"])]
            expected = g.distance(collider.shape, tiny, pose_of(collider.body), (*point, 0))
            assert row["distance"] == pytest.approx(
                expected.distance + 1e-4 if expected.distance > 0 else 0, abs=1.01e-4
            )
            on_it = g.distance(collider.shape, tiny, pose_of(collider.body), (*row["point"], 0))
            assert on_it.distance == 0


def test_shapes_of_the_answer():
    world = scattered(8)
    assert world.distances((0, 0)).shape == (1,)
    assert world.distances([]).shape == (0,)
    assert world.distances(np.zeros((5, 2)), k=3).shape == (5, 3)
    assert world.distances([p2.Circle(1)] * 4, k=2).shape == (4, 2)
    assert world.distances(p2.Circle(1), k=2, poses=np.zeros((0, 3))).shape == (0, 2)
    many = world.nearest((0, 0), k=1 << 20)
    assert len(many) == len(asked(world))
    assert world.nearest((0, 0), k=5) == many[:5]
    assert world.nearest((0, 0), k=33) == many[:33]
    assert world.nearest((1e9, 0), max_distance=1) == []
    assert p2.World().nearest((0, 0)) == []
    assert p2.World().distances((0, 0), k=2)["collider"].tolist() == [[-1, -1]]


# -------------------------------------------------------------------------------- overlaps


@pytest.mark.parametrize("middle", PLACES)
@pytest.mark.parametrize("margin", [0.0, 0.4])
def test_overlaps_against_a_loop(middle, margin):
    world = scattered(9, middle=middle)
    rng = np.random.default_rng(9)
    found = 0
    for shape in probes(rng):
        poses = random_poses(rng, 40, middle)
        rows = world.overlaps(shape, poses, margin=margin)
        expected = []
        for i, pose in enumerate(poses):
            for c in asked(world):
                m = g.collide(c.shape, shape, pose_of(c.body), pose, margin)
                if m:
                    expected.append((i, c, m))
        assert [(r["query"], r["collider"]) for r in rows] == [(i, c.index) for i, c, _ in expected]
        for row, (_, collider, manifold) in zip(rows, expected, strict=True):
            n = len(manifold.points)
            assert row["count"] == n
            assert row["body"] == collider.body.index
            np.testing.assert_array_equal(row["normal"], manifold.normal)
            np.testing.assert_array_equal(row["points"][:n], manifold.points)
            np.testing.assert_array_equal(row["separations"][:n], manifold.separations)
            assert np.isnan(row["points"][n:]).all()
            assert np.isnan(row["separations"][n:]).all()
            assert row["depth"] == -manifold.separations.min()
        found += len(rows)
    assert found > 60


def test_overlaps_of_all_pieces():
    """A convex shape in the corner of a concave one rests on two of its pieces."""
    world = p2.World()
    world.add_body(p2.Polygon([(0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)]), kind="static")
    world.add_body(p2.Chain([(6, 4), (8, 0), (10, 4)]), kind="static")
    box, ball = p2.Box(1, 1), p2.Circle(1)
    rows = world.overlaps(box, (1.45, 1.4, 0), pieces=True)
    assert len(rows) == 2
    assert len(world.overlaps(box, (1.45, 1.4, 0))) == 1
    normals = {tuple(np.round(r["normal"], 9)): r["depth"] for r in rows}
    assert normals == {(1, 0): pytest.approx(0.05), (0, 1): pytest.approx(0.1)}
    y = 0.9 * np.hypot(1, 2)  # touches both sides from 1 on
    rows = world.overlaps(ball, (8, y, 0), pieces=True)
    assert list(rows["piece"]) == [0, 1]
    np.testing.assert_allclose(rows["depth"], 1 - y / np.hypot(1, 2) / 1, atol=1e-9)
    np.testing.assert_allclose(rows["normal"], np.array([(2, 1), (-2, 1)]) / np.hypot(1, 2))


def test_overlaps_are_the_overlapping():
    world = scattered(13)
    rng = np.random.default_rng(13)
    shape, poses = p2.Box(2, 1), random_poses(rng, 80)
    rows = world.overlaps(shape, poses)
    for i, pose in enumerate(poses):
        lines = [c.index for c in world.colliders if isinstance(c.shape, p2.Chain)]
        listed = [c.index for c in world.overlap(shape, pose) if c.index not in lines]
        assert [r for r in rows["collider"][rows["query"] == i] if r not in lines] == listed


# ----------------------------------------------------------------------------------- where


def questions(world, **options):
    """Every query once, as lists of collider indices."""
    poses = np.array([(x, 0.3 * x, x) for x in np.linspace(-18, 18, 15)])
    ways = np.tile([(9.0, 4.0)], (15, 1))
    ball = p2.Circle(0.8)

    def hit(one):
        return [] if one is None else [one.collider.index]

    return {
        "cast_ray": hit(world.cast_ray((-20, 0), (40, 3), **options)),
        "fat ray": hit(world.cast_ray((-20, 0), (40, 3), radius=0.5, **options)),
        "cast_ray_all": [
            h.collider.index for h in world.cast_ray_all((-20, 0), (40, 3), **options)
        ],
        "cast_rays": list(world.cast_rays(poses[:, :2], ways, **options)["collider"]),
        "many rays": list(
            world.cast_rays(np.tile(poses[:, :2], (30, 1)), (9, 4), **options)["collider"]
        ),
        "fat rays": list(world.cast_rays(poses[:, :2], ways, radius=1, **options)["collider"]),
        "cast_shape": hit(world.cast_shape(ball, (-20, 0, 0), (40, 3), **options)),
        "cast_shapes": list(world.cast_shapes(ball, poses, ways, **options)["collider"]),
        "time_of_impact": hit(world.time_of_impact(ball, (-20, 0, 0), (20, 3, 9), **options)),
        "times_of_impact": list(
            world.times_of_impact(ball, poses, poses[::-1], dt=1, **options)["collider"]
        ),
        "nearest": [c.index for c in world.nearest((0, 0), k=9, **options)],
        "near": [c.index for c in world.nearest((0, 0), k=9, max_distance=12, **options)],
        "distances": list(world.distances(ball, k=3, poses=poses, **options)["collider"].ravel()),
        "overlaps": list(world.overlaps(ball, poses, **options)["collider"]),
        "overlap": [c.index for c in world.overlap(p2.Box(20, 20), **options)],
        "query_aabb": [c.index for c in world.query_aabb((-9, -9), (9, 9), **options)],
        "at": [c.index for c in world.at(world.bodies[2].position, **options)],
    }


def test_where_is_a_choice_of_colliders():
    """By an array, by a function, or by a world in which the others are masked: all the same."""
    world, other = scattered(14), scattered(14)
    limit = len(world.aabbs)
    chosen = np.random.default_rng(0).random(limit) < 0.5
    for collider in other.colliders:
        if not chosen[collider.index]:
            collider.category = 1 << 40
    free = questions(world)
    expected = questions(other, mask=(1 << 40) - 1)
    assert expected != free
    assert questions(world, where=chosen) == expected
    assert questions(world, where=list(chosen)) == expected
    assert questions(world, where=lambda indices: chosen[indices]) == expected
    assert questions(world, where=np.ones(limit, bool)) == free
    assert questions(world, where=None) == free


def test_a_function_is_asked_once_about_all_that_may_be_found():
    world = scattered(15)
    calls = []

    def choose(indices):
        calls.append(indices)
        return np.ones(len(indices), bool)

    free = questions(world)
    assert questions(world, where=choose) == free
    assert len(calls) == len(free)
    possible = [c.index for c in asked(world)]
    for indices, found in zip(calls, free.values(), strict=True):
        assert indices.dtype == np.intp
        assert (np.diff(indices) > 0).all()
        assert set(indices) <= set(possible)
        assert {i for i in found if i >= 0} <= set(indices)
    sizes = dict(zip(free, map(len, calls), strict=True))
    assert sizes["nearest"] == len(possible)
    assert sizes["at"] < sizes["query_aabb"] < sizes["nearest"]
    world.cast_shapes(p2.Circle(1), np.zeros((0, 3)), (1, 0), where=choose)
    assert len(calls[-1]) == 0


def test_what_where_refuses():
    world = scattered(16)
    limit = len(world.aabbs)
    for bad, error in (
        (np.ones(limit - 1, bool), ValueError),
        (np.ones((limit, 1), bool), ValueError),
        (np.ones(limit), TypeError),
        (np.arange(limit), TypeError),
        (True, ValueError),
        ("x", (ValueError, TypeError)),
        (lambda i: True, ValueError),
        (lambda i: i, TypeError),
        (lambda i: np.ones(len(i) + 1, bool), ValueError),
        (lambda i: None, (TypeError, ValueError)),
        (lambda: None, TypeError),
    ):
        with pytest.raises(error):
            world.nearest((0, 0), where=bad)

    for bad, message in (
        (True, "where: must be an array of booleans, one for each index of a collider, or a func"),
        (lambda i: True, r"where\(\): must be an array of booleans, one for each index, got bool"),
        (np.ones((limit, 1), bool), r"where: must have shape \(c,\), one for each of c colliders"),
    ):
        with pytest.raises(ValueError, match=message):
            world.nearest((0, 0), where=bad)

    def fail(indices):
        raise KeyError("mine")

    for ask in (
        lambda: world.cast_ray((-20, 0), (40, 0), where=fail),
        lambda: world.cast_rays([(-20, 0)], (40, 0), where=fail),
        lambda: world.overlaps(p2.Circle(5), where=fail),
    ):
        with pytest.raises(KeyError, match="mine"):
            ask()
    assert questions(world)


def test_a_function_may_use_the_world():
    world = scattered(17)
    nearest = world.nearest((0, 0))[0]

    def look(indices):
        assert world.nearest((0, 0), where=lambda i: i == nearest.index) == [nearest]
        return world.aabbs[indices, 0, 0] > -100

    assert world.nearest((0, 0), where=look) == [nearest]

    def remove(indices):
        if nearest.alive:
            world.remove(nearest.body)
        indices[:] = -1  # ours is another
        return np.ones(len(indices), bool)

    found = world.nearest((0, 0), k=2, where=remove)
    assert nearest not in found
    assert len(found) == 2


def test_touching_with_filters():
    world = p2.World(gravity=(0, -10))
    floor = world.add_body(p2.Box(20, 2), (0, -1), kind="static", category=2)
    a = world.add_body(p2.Box(1, 1), (0, 0.5))
    b = world.add_body(p2.Box(1, 1), (0, 1.5), category=4)
    zone = world.add_body(p2.Circle(1), (1, 0.5), kind="static", sensor=True, category=8)
    world.add_body(p2.Circle(1), (1, 0.5), kind="static", sensor=True, mask=2)
    world.add_body(p2.Circle(1), (9, 0.5), kind="static", sensor=True)
    world.step(n=5)
    assert world.touching(a) == [floor, b]
    assert world.touching(a, mask=4) == [b]
    assert world.touching(a, include_sensors=True) == [floor, b, zone]
    assert world.touching(a, mask=10, include_sensors=True) == [floor, zone]
    only = floor.colliders[0].index
    assert world.touching(a, where=lambda i: i == only) == [floor]
    assert world.touching(body=a, where=np.arange(6) != only, include_sensors=True) == [b, zone]
    assert world.touching(zone, include_sensors=True) == []
    world.remove(a)
    with pytest.raises(p2.RemovedError):
        world.touching(a)


# ------------------------------------------------------------------------ threads and more


def answers(world, rng_seed=3):
    rng = np.random.default_rng(rng_seed)
    poses, ways = random_poses(rng, 300), rng.normal(0, 12, (300, 2))
    kinds = probes(rng)
    shapes = [kinds[i % 7] for i in range(300)]
    return [
        world.cast_shapes(shapes, poses, ways),
        world.times_of_impact(shapes[:90], poses[:90], poses[-90:], dt=0.5),
        world.distances(poses[:, :2], k=3),
        world.distances(shapes, k=40, poses=poses),
        world.overlaps(shapes, poses, pieces=True),
        world.cast_rays(poses[:, :2], ways, radius=0.4),
    ]


def test_workers_do_not_show():
    one, three = scattered(18), scattered(18, workers=3)
    for a, b in zip(answers(one), answers(three), strict=True):
        assert same(a, b)


def test_the_way_to_a_world_does_not_show():
    """Trees that grew otherwise: after bodies have come, gone and come back."""
    world = scattered(19)
    other = scattered(19)
    before = answers(world)
    rng = np.random.default_rng(1)
    for _ in range(20):
        other.positions[:40] += 50
        other.distances(rng.uniform(-20, 20, (3, 2)))
        other.positions[:40] -= 50
        other.distances(rng.uniform(-20, 20, (3, 2)))
    other.positions[:40] = world.positions[:40]
    for a, b in zip(before, answers(other), strict=True):
        assert same(a, b)


def test_the_index_follows_every_change():
    """Many questions before each change, so that the index for many has been built."""
    world, ball = scattered(25), p2.Circle(0.8)
    poses = random_poses(np.random.default_rng(0), 200)

    def ask():
        rows = world.distances(ball, k=5, poses=poses), world.overlaps(ball, poses)
        return [row.tobytes() for row in rows]

    def alone():
        """By single questions right after a change, which go down the tree."""
        return [world.distances(ball, k=5, poses=pose).tobytes() for pose in poses[:10]]

    changes = [
        lambda: setattr(world.bodies[10], "enabled", True),
        lambda: setattr(world.bodies[11], "enabled", False),
        lambda: setattr(world.bodies[11], "enabled", True),
        lambda: setattr(world.bodies[12].colliders[0], "category", 1 << 50),
        lambda: setattr(world.bodies[13].colliders[0], "sensor", True),
        lambda: setattr(world.bodies[14], "kind", "static"),
        lambda: world.remove(world.bodies[15]),
        lambda: world.add_body(p2.Box(9, 9), (1, 1)),
        lambda: world.bodies[20].attach(p2.Circle(4)),
        lambda: world.remove(world.bodies[21].colliders[0]),
        lambda: setattr(world.bodies[22], "position", (3, 3)),
        lambda: world.positions.__setitem__(23, (2, 5)),
        lambda: world.step(),
    ]
    differ = 0
    for change in changes:
        before = ask()
        change()
        world.nearest((0, 0), mask=~(1 << 50))
        single = alone()
        after = ask()
        differ += before != after
        rows = world.distances(ball, k=5, poses=poses)
        assert single == [rows[i].tobytes() for i in range(10)]
    assert differ >= 9


def test_questions_change_nothing():
    world = scattered(20)
    before = world.hash()
    questions(world)
    answers(world)
    assert world.hash() == before


def test_a_signal_ends_a_long_call():
    world = scattered(21)
    shape = p2.Polygon(star(np.random.default_rng(0), 60))
    poses = random_poses(np.random.default_rng(0), 200_000)

    def stop(*_):
        try:
            world.step()
        except p2.WorldLockedError:
            raise InterruptedError from None

    before = signal.signal(signal.SIGALRM, stop)
    try:
        for ask in (
            lambda: world.cast_shapes(shape, poses, (9, 9)),
            lambda: world.times_of_impact(shape, poses, poses[::-1]),
            lambda: world.distances(shape, poses=poses),
            lambda: world.overlaps(shape, poses),
        ):
            signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
            with pytest.raises(InterruptedError):
                ask()
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert questions(world)


@pytest.mark.parametrize("x", [np.nan, np.inf])
@pytest.mark.parametrize(
    "ask",
    [
        lambda w, x: w.cast_shape(p2.Circle(1), (x, 0, 0), (1, 0)),
        lambda w, x: w.cast_shapes(p2.Circle(1), (0, 0, 0), [(1, 0), (1, x)]),
        lambda w, x: w.cast_ray((0, 0), (1, 0), radius=x),
        lambda w, x: w.cast_rays([(0, 0)], (1, 0), radius=x),
        lambda w, x: w.cast_rays([(0, 0)] * 2, (1, 0), radius=[0, x]),
        lambda w, x: w.time_of_impact(p2.Circle(1), (0, 0, 0), (0, 0, x)),
        lambda w, x: w.time_of_impact(p2.Circle(1), (0, 0, 0), (0, 0, 1), dt=x),
        lambda w, x: w.times_of_impact(p2.Circle(1), (0, x, 0), (0, 0, 1)),
        lambda w, x: w.times_of_impact(p2.Circle(1), (0, 1, 0), (0, 0, 1), target=x),
        lambda w, x: w.nearest((x, 0)),
        lambda w, x: w.distances([(0, x)]),
        lambda w, x: w.distances(p2.Circle(1), poses=(0, x, 0)),
        lambda w, x: w.overlaps(p2.Circle(1), (0, x, 0)),
        lambda w, x: w.overlaps(p2.Circle(1), (0, 0, 0), margin=x),
    ],
)
def test_non_finite_numbers_are_refused(ask, x):
    world = scattered(22, count=20)
    with pytest.raises(ValueError, match=r"nan|inf"):
        ask(world, x)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda w: w.cast_shape(p2.Circle(1), (0, 0), (1, 0)), r"pose: must have shape"),
        (lambda w: w.cast_shape([p2.Circle(1)], (0, 0, 0), (1, 0)), "one shape"),
        (lambda w: w.cast_shape(p2.Circle(1), [(0, 0, 0)], (1, 0)), "pose: must be of one"),
        (lambda w: w.cast_shape(p2.Circle(1), (0, 0, 0), [(1, 0)]), "translation: must be of one"),
        (lambda w: w.cast_shapes([p2.Circle(1)] * 3, [(0, 0, 0)] * 2, (1, 0)), "3 rows, got 2"),
        (lambda w: w.cast_shapes(p2.Circle(1), [(0, 0, 0)] * 2, [(1, 0)] * 3), "2 rows, got 3"),
        (lambda w: w.cast_rays([(0, 0)] * 2, (1, 0), radius=[1, 2, 3]), r"radius: .*\(2,\)"),
        (lambda w: w.cast_rays([(0, 0)] * 2, (1, 0), radius=[1, -2]), "radius: must be >= 0"),
        (lambda w: w.cast_ray((0, 0), (1, 0), radius=-1), "radius: must be >= 0, got -1"),
        (lambda w: w.time_of_impact(p2.Circle(1), (0, 0, 0), (1, 0, 0), target=-1), "target"),
        (lambda w: w.time_of_impact(p2.Circle(1), (0, 0, 0), (1, 0, 0), dt=-1), "dt"),
        (lambda w: w.nearest((0, 0), k=0), "k: must be"),
        (lambda w: w.nearest((0, 0), k=2**70), "k: must be"),
        (lambda w: w.nearest((0, 0), max_distance=-1), "max_distance"),
        (lambda w: w.nearest((0, 0), max_distance=np.nan), "max_distance"),
        (lambda w: w.nearest([(0, 0)]), "one point"),
        (lambda w: w.nearest((0, 0, 0)), "point: must have shape"),
        (lambda w: w.nearest([p2.Circle(1)]), "one point or shape"),
        (lambda w: w.overlaps(p2.Circle(1), margin=-1), "margin"),
        (lambda w: w.overlaps(np.array([[p2.Circle(1)]]), (0, 0, 0)), "at most one axis, got 2"),
    ],
)
def test_bad_values_are_named(ask, message):
    world = scattered(22, count=20)
    with pytest.raises((ValueError, TypeError), match=message):
        ask(world)


@pytest.mark.parametrize(
    "ask",
    [
        lambda w: w.cast_shape("ball", (0, 0, 0), (1, 0)),
        lambda w: w.cast_shapes([p2.Circle(1), 3], (0, 0, 0), (1, 0)),
        lambda w: w.cast_shape(p2.Circle(1), (0, 0, 0)),
        lambda w: w.cast_shape(p2.Circle(1), ("a", 0, 0), (1, 0)),
        lambda w: w.cast_ray((0, 0), (1, 0), radius="x"),
        lambda w: w.time_of_impact(3, (0, 0, 0), (1, 0, 0)),
        lambda w: w.time_of_impact(p2.Circle(1)),
        lambda w: w.time_of_impact(p2.Circle(1), (0, 0, 0)),
        lambda w: w.distances((0, 0), poses=(0, 0, 0)),
        lambda w: w.nearest((0, 0), k=1.5),
        lambda w: w.nearest((0, 0), max_distance="far"),
        lambda w: w.overlaps(p2.Circle(1), pieces="many"),
        lambda w: w.overlaps((0, 0)),
    ],
)
def test_wrong_types_are_refused(ask):
    world = scattered(22, count=20)
    with pytest.raises(TypeError):
        ask(world)


def test_far_away_and_too_large():
    world = scattered(23, count=30)
    far = world.add_body(p2.Box(1, 1), (1e15, -1e15))
    ball = p2.Circle(1)
    for x in (1e12, 1e160, 1e308):
        assert world.cast_shape(ball, (x, x, 0), (1, 1)) is None
        world.cast_shape(ball, (-x, -x, 0), (1.7 * x, 1.7 * x))
        world.cast_ray((x, -x), (-x, x), radius=1e308)
        world.time_of_impact(ball, (x, x, x), (-x, -x, -x))
        world.times_of_impact(ball, [(x, 0, 0)], [(x, 1, 1)], dt=x)
        world.distances([(x, x), (x, -x)], k=2)
        world.nearest(ball, pose=(x, -x, x))
        assert len(world.overlaps(ball, [(x, x, 1)], margin=1)) == 0
    world.overlaps(ball, [(0, 0, 0)], margin=1e300)
    world.remove(far)


@pytest.mark.parametrize("length", [1e100, 1e150, 1e200, 1e300, 1.79e308])
def test_casts_of_any_length(length):
    world = p2.World()
    wall = world.add_body(p2.Box(0.2, 20), (5, 0), kind="static").colliders[0]
    chain = world.add_body(p2.Chain([(7, -9), (7, 9)]), kind="static").colliders[0]
    ball = p2.Circle(0.3)
    for start, way, collider, stop in (
        ((0, 0, 0), (length, 0), wall, 4.6),
        ((0, 0, 1), (length, length), wall, 4.6),
        ((6, 0, 0), (length, 0), chain, 0.7),
        ((9, 0, 0), (-length, 0), wall, 3.6),  # the chain is open from there
    ):
        hit = world.cast_shape(ball, start, way)
        assert hit.collider == collider
        assert hit.fraction * length == pytest.approx(stop, rel=1e-12)
        assert world.cast_shapes(ball, [start], way)["collider"][0] == collider.index
    assert world.cast_shape(ball, (0, 0, 0), (-length, 0)) is None
    hit = world.time_of_impact(ball, (0, 0, 0), (length, 0, 2), target=0)
    assert hit.fraction * length == pytest.approx(4.6, rel=1e-12)
    body = world.add_body(ball, velocity=(1e9, 0))
    hit = world.time_of_impact(body, dt=4, target=0)
    assert hit.collider == wall
    assert hit.fraction * 4e9 == pytest.approx(4.6, rel=1e-12)


def test_empty_worlds_and_no_rows():
    world = p2.World()
    ball = p2.Circle(1)
    none = np.empty((0, 3))
    for w in (world, scattered(24)):
        assert len(w.cast_shapes(ball, none, (1, 0))) == 0
        assert len(w.cast_shapes([], (0, 0, 0), (1, 0))) == 0
        assert len(w.times_of_impact(ball, none, none, dt=1)) == 0
        assert len(w.overlaps(ball, none)) == 0
    assert world.cast_shape(ball, (0, 0, 0), (1, 0)) is None
    assert world.cast_ray((0, 0), (1, 0), radius=1) is None
    assert (world.cast_shapes(ball, np.zeros((3, 3)), (1, 0))["body"] == -1).all()
    assert world.time_of_impact(ball, (0, 0, 0), (1, 0, 0), dt=1) is None
    assert len(world.overlaps(ball)) == 0


def test_queries_follow_what_moves():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Circle(0.5), velocity=(60, 0))
    for k in range(30):
        assert world.cast_shape(p2.Circle(0.5), (k - 5, 0, 0), (10, 0)).fraction == pytest.approx(
            0.4
        )
        assert world.distances((k, 2))["distance"][0] == pytest.approx(1.5)
        world.step()
    body.position = (5, 5)
    assert len(world.overlaps(p2.Circle(0.5), (5, 5.5, 0))) == 1
    world.positions[0] = (9, 9)
    assert len(world.overlaps(p2.Circle(0.5), (9, 9.5, 0))) == 1
    assert len(world.overlaps(p2.Circle(0.5), (5, 5.5, 0))) == 0


def test_the_examples_run():
    names = {"World": p2.World, "Box": p2.Box, "Circle": p2.Circle, "np": np}
    runner = doctest.DocTestRunner()
    for name in METHODS:
        text = getattr(p2.World, name).__doc__
        test = doctest.DocTestParser().get_doctest(text, dict(names), name, None, None)
        assert not runner.run(test).failed
