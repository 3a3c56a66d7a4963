"""Many rays at once are single rays: whatever tree, order or team of threads answers."""

import signal

import numpy as np
import pytest

import pyphys2d as p2

SHAPES = [
    p2.Circle(0.5, (0.2, 0.1)),
    p2.Box(1, 1),
    p2.Box(2, 0.3, radius=0.1),
    p2.Capsule((-0.7, 0), (0.7, 0.2), 0.2),
    p2.Segment((-1, 0), (1, 0.5)),
    p2.RegularPolygon(7, 0.8),
    p2.Polygon([(-1, -1), (1, -1), (1, 1), (0.6, 1), (0.6, -0.6), (-1, -0.6)]),
]


def scattered(seed, count=400, side=40.0, middle=(0.0, 0.0), **settings):
    """Shapes of all kinds at random poses in a square."""
    rng = np.random.default_rng(seed)
    world = p2.World(gravity=(0, 0), **settings)
    for i, shape in enumerate(SHAPES):
        positions = middle + rng.uniform(-side / 2, side / 2, (count // len(SHAPES), 2))
        world.add_bodies(
            shape,
            positions,
            rng.uniform(-3, 3, len(positions)),
            kind=["dynamic", "static", "kinematic"][i % 3],
            category=1 << (i % 3),
            sensor=i == 5,
        )
    return world


def random_rays(seed, count, side=40.0, middle=(0.0, 0.0)):
    rng = np.random.default_rng(seed)
    origins = middle + rng.uniform(-side, side, (count, 2))
    translations = rng.normal(0, side, (count, 2)) * rng.choice([0.05, 1, 5], (count, 1))
    translations[:: count // 10 + 1] = 0
    translations[1::7, 0] = 0
    translations[2::7, 1] = -0.0
    return origins, translations


def one_by_one(world, origins, translations, **filters):
    """The rows of cast_rays by the first of cast_ray_all, which always goes down the query tree."""
    rows = world.cast_rays(np.empty((0, 2)), np.empty((0, 2)))
    rows = np.zeros(len(origins), rows.dtype)
    for row, origin, translation in zip(rows, origins, translations, strict=True):
        hits = world.cast_ray_all(origin, translation, **filters)
        if hits:
            hit = hits[0]
            row["collider"], row["body"] = hit.collider.index, hit.body.index
            row["piece"], row["fraction"] = hit.piece, hit.fraction
            row["point"], row["normal"] = hit.point, hit.normal
        else:
            row["collider"] = row["body"] = row["piece"] = -1
            row["point"] = row["normal"] = row["fraction"] = np.nan
    return rows


def same(a, b):
    """Whether two tables are equal to the bit, NaN included."""
    return all((a[name].tobytes() == b[name].tobytes()) for name in a.dtype.names)


@pytest.mark.parametrize(
    ("side", "middle"),
    [(40.0, (0, 0)), (4.0, (0, 0)), (4000.0, (0, 0)), (40.0, (1e7, -3e6)), (2e7, (0, 0))],
)
def test_many_rays_are_single_rays(side, middle):
    world = scattered(0, side=side, middle=middle)
    origins, translations = random_rays(1, 1000, side, middle)
    expected = one_by_one(world, origins, translations)
    few = world.cast_rays(origins[:40], translations[:40])
    many = world.cast_rays(origins, translations)
    assert same(few, expected[:40])
    assert same(many, expected)
    assert same(world.cast_rays(origins[::-1], translations[::-1])[::-1], expected)
    if side < 1000:
        assert (many["body"] >= 0).sum() > 100
    for origin, translation, row in zip(origins[:200], translations, expected, strict=False):
        hit = world.cast_ray(origin, translation)
        if hit is None:
            assert row["body"] == -1
        else:
            assert (hit.collider.index, hit.piece) == (row["collider"], row["piece"])
            assert hit.fraction == row["fraction"]
            np.testing.assert_array_equal(hit.normal, row["normal"])


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_cannot_be_told_from_the_answer(workers):
    origins, translations = random_rays(2, 5000)
    rows = scattered(3).cast_rays(origins, translations)
    team = scattered(3, workers=workers)
    for _ in range(3):
        assert team.cast_rays(origins, translations).tobytes() == rows.tobytes()


def test_filters():
    world = scattered(4)
    origins, translations = random_rays(5, 600)
    for filters in ({"mask": 2}, {"mask": 5, "include_sensors": True}, {"mask": 0}):
        rows = world.cast_rays(origins, translations, **filters)
        assert same(rows, one_by_one(world, origins, translations, **filters))
    assert (rows["body"] == -1).all()


def change(world, how, rng):
    """One change of the world after which rays must find other things."""
    bodies = list(world.bodies)
    body = bodies[rng.integers(len(bodies))]
    if how == "step":
        world.velocities[:] = rng.normal(0, 20, world.velocities.shape)
        world.step(0.1)
    elif how == "view":
        world.positions[body.index] += rng.normal(0, 5, 2)
    elif how == "pose":
        body.position = rng.uniform(-20, 20, 2)
    elif how == "remove":
        world.remove(body)
    elif how == "add":
        world.add_body(p2.Box(8, 8), rng.uniform(-20, 20, 2))
    elif how == "disable":
        body.enabled = not body.enabled
    elif how == "category":
        body.colliders[0].category = 1 << rng.integers(3)
    elif how == "sensor":
        body.colliders[0].sensor = not body.colliders[0].sensor
    elif how == "collider":
        body.attach(p2.Circle(3))


CHANGES = ["step", "view", "pose", "remove", "add", "disable", "category", "sensor", "collider"]


@pytest.mark.parametrize("how", CHANGES)
def test_rays_follow_changes(how):
    """Dozens of changes, each seen by the very next rays."""
    rng = np.random.default_rng(6)
    world = scattered(7, count=70)
    origins, translations = random_rays(8, 150)
    seen = set()
    for _ in range(25):
        rows = world.cast_rays(origins, translations, mask=3)
        seen.add(rows.tobytes())
        assert same(rows, one_by_one(world, origins, translations, mask=3))
        change(world, how, rng)
    assert len(seen) > 2


def test_changes_in_any_order():
    rng = np.random.default_rng(9)
    world = scattered(10, count=70)
    origins, translations = random_rays(11, 100)
    for _ in range(150):
        change(world, CHANGES[rng.integers(len(CHANGES))], rng)
        if rng.random() < 0.5:
            count = rng.integers(1, 100)
            rows = world.cast_rays(origins[:count], translations[:count])
            assert same(rows, one_by_one(world, origins[:count], translations[:count]))


def test_an_emptied_world():
    world = scattered(12, count=70)
    origins, translations = random_rays(13, 300)
    assert (world.cast_rays(origins, translations)["body"] >= 0).any()
    for body in list(world.bodies):
        world.remove(body)
    assert (world.cast_rays(origins, translations)["body"] == -1).all()


def test_equal_hits_go_to_the_lowest_collider():
    world = p2.World(gravity=(0, 0))
    world.add_bodies(p2.Box(1, 1), np.tile([(3.0, 0.0)], (500, 1)))
    rows = world.cast_rays(np.zeros((200, 2)), np.tile([(10.0, 0.0)], (200, 1)))
    assert (rows["body"] == 0).all()
    np.testing.assert_allclose(rows["fraction"], 0.25, rtol=1e-12)
    inside = world.cast_rays(np.tile([(3.0, 0.1)], (200, 1)), (1, 1))
    assert (inside["body"] == 0).all()
    assert (inside["fraction"] == 0).all()


def test_places_at_every_scale():
    """Distances that double: the halves of such a set are never in balance."""
    world = p2.World(gravity=(0, 0))
    x = 2.0 ** np.linspace(-10, 22, 4000)
    world.add_bodies(p2.Circle(1e-4), np.column_stack([x, np.zeros_like(x)]))
    origins = np.column_stack([x, np.full_like(x, 1.0)])
    rows = world.cast_rays(origins, (0, -2))
    assert same(rows[::40], one_by_one(world, origins[::40], np.tile([(0, -2)], (100, 1))))
    assert (rows["body"] >= 0).all()
    assert (rows["body"] == np.arange(4000)).mean() > 0.5  # the densest hide one another


def test_rays_along_edges_and_corners():
    """Boxes without a gap between them: whatever touches a seam is told alike."""
    n = 20
    corners = np.stack(np.meshgrid(np.arange(n), np.arange(n)), axis=-1).reshape(-1, 2) * 1.0
    world = p2.World(gravity=(0, 0))
    world.add_bodies(p2.Box(1, 1), corners + 0.5, kind="static")
    k = np.arange(n + 1.0)
    origins = np.concatenate(
        [np.column_stack([k, np.full_like(k, -3)]), np.column_stack([np.full_like(k, -3), k])]
    )
    translations = np.repeat([(0.0, 30.0), (30.0, 0.0)], n + 1, axis=0)
    origins, translations = np.tile(origins, (5, 1)), np.tile(translations, (5, 1))
    diagonal = np.column_stack([k - n - 1, k - n - 1 - (k % 3)])
    origins = np.concatenate([origins, diagonal])
    translations = np.concatenate([translations, np.full((n + 1, 2), 50.0)])
    rows = world.cast_rays(origins, translations)
    assert same(rows, one_by_one(world, origins, translations))
    np.testing.assert_allclose(rows["fraction"][: 2 * n + 2], 0.1, rtol=1e-9)


@pytest.mark.parametrize("side", [40.0, 4000.0])
def test_rays_that_graze_a_corner(side):
    """Through a vertex to the last bit, where bounds in single precision must not be too tight."""
    rng = np.random.default_rng(22)
    world = p2.World(gravity=(0, 0))
    world.add_bodies(p2.Box(1, 1), rng.uniform(-side, side, (300, 2)), rng.uniform(0, 7, 300))
    corners = np.concatenate([b.to_world([(0.5, 0.5), (-0.5, 0.5)]) for b in world.bodies])
    origins = corners + rng.uniform(-side / 4, side / 4, corners.shape)
    rows = world.cast_rays(origins, 1.5 * (corners - origins))
    expected = one_by_one(world, origins, 1.5 * (corners - origins))
    assert same(rows, expected)
    assert (rows["body"] == np.repeat(np.arange(300), 2)).sum() > 150


@pytest.mark.parametrize("away", [1e3, 1e6, 1e9, 1e12, 1e15, 1e100, 1e307])
def test_rays_from_far_away(away):
    world = scattered(14)
    rng = np.random.default_rng(15)
    angles, aims = rng.uniform(0, 7, 300), rng.uniform(-20, 20, (300, 2))
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    origins, translations = aims - away * directions, 1.5 * away * directions
    rows = world.cast_rays(origins, translations)
    if away <= 1e12:  # beyond, the ends of a ray are rounded to more than the size of the world
        assert same(rows, one_by_one(world, origins, translations))
    if away <= 1e9:
        assert (rows["body"] >= 0).sum() > 100
    fresh = scattered(14)
    for origin, translation, row in zip(origins[:50], translations, rows, strict=False):
        hit = fresh.cast_ray(origin, translation)
        assert (hit.fraction if hit else -1) == (row["fraction"] if row["body"] >= 0 else -1)


def test_bodies_at_the_end_of_the_range():
    world = scattered(16, count=70)
    far = world.add_body(p2.Box(1, 1), (1e15, 0))
    origins, translations = random_rays(17, 300)
    assert same(world.cast_rays(origins, translations), one_by_one(world, origins, translations))
    world.remove(far)
    assert same(world.cast_rays(origins, translations), one_by_one(world, origins, translations))


def test_an_outlier_does_not_hide_the_others():
    world = scattered(18)
    world.add_body(p2.Circle(1), (3e9, -2e9))
    origins, translations = random_rays(19, 500)
    assert same(world.cast_rays(origins, translations), one_by_one(world, origins, translations))


def test_a_signal_ends_a_long_call():
    """The handler knows by the lock whether it runs inside of the call."""
    world = p2.World()
    world.add_body(p2.Circle(1))
    origins = np.full((400_000, 2), 60.0)

    def stop(*_):
        try:
            world.step()
        except p2.WorldLockedError:
            raise InterruptedError from None

    def cast_many():
        for _ in range(50):
            world.cast_rays(origins, (-100, -100))

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        with pytest.raises(InterruptedError):
            cast_many()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert (world.cast_rays(origins[:1000], (-120, -120))["body"] == 0).all()
