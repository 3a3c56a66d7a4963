"""Shapes of colliders that are changed in place."""

import itertools
import math

import numpy as np
import pytest

import pyphys2d as p2

SHAPES = [
    p2.Circle(0.5),
    p2.Circle(0.3, (0.1, 0.2)),
    p2.Box(1, 0.6),
    p2.Capsule((-0.4, 0), (0.4, 0.1), 0.2),
    p2.RegularPolygon(7, 0.5),
    p2.RegularPolygon(20, 0.4),
    p2.Polygon([(-0.6, -0.4), (0.6, -0.4), (0.6, 0.4), (0, -0.1), (-0.6, 0.4)]),
    p2.Polygon([(0, 0), (1, 0), (1, 0.3), (0.3, 0.3), (0.3, 1), (0, 1)]),
]


def floor(**settings):
    world = p2.World(**settings)
    world.add_body(p2.Box(40, 1), (0, -0.5), kind="static")
    return world


def test_a_ball_that_grows_rises():
    world = floor()
    ball = world.add_body(p2.Circle(0.3), (0, 0.3)).colliders[0]
    world.step(n=10)
    for radius in np.linspace(0.3, 0.8, 101):
        ball.shape = p2.Circle(radius)
        world.step()
        assert not len(world.events.contact_begin)
        assert not len(world.events.contact_end)
    assert ball.shape == p2.Circle(0.8)
    assert ball.body.position[1] == pytest.approx(0.8, abs=0.01)
    assert world.contacts["age"][0] == 110  # one contact, from the first step on
    assert ball.body.mass == pytest.approx(math.pi * 0.8**2)


def parts(shape):
    return len(shape.parts) if isinstance(shape, p2.Polygon) else 1


@pytest.mark.parametrize(
    ("before", "after"),
    [(a, b) for a, b in itertools.permutations(SHAPES, 2) if parts(a) == parts(b)],
    ids=repr,
)
def test_before_the_first_step_it_is_as_if_made_so(before, after):
    worlds = [floor(), floor()]
    for world, shape in zip(worlds, (before, after), strict=True):
        world.add_body(shape, (0, 0.7), 0.1, density=2)
    worlds[0].bodies[1].colliders[0].shape = after
    for world in worlds:
        world.add_body(p2.Box(0.5, 0.5), (0.1, 2))
    for _ in range(3):
        assert worlds[0].hash() == worlds[1].hash()
        assert not worlds[0].diff(worlds[1])
        for world in worlds:
            world.step(n=20)


def random_change(rng, world):
    collider = list(world.colliders)[rng.integers(1, len(world.colliders))]
    collider.set_shape(SHAPES[rng.integers(len(SHAPES))], bool(rng.integers(2)))


@pytest.mark.parametrize("seed", range(6))
def test_what_is_changed_is_a_function_of_the_state(seed):
    """Whatever found the pairs, on whatever threads, and whether it was saved meanwhile."""
    options = [{}, {"broadphase": "tree"}, {"broadphase": "all_pairs"}, {"workers": 3}]
    worlds = [floor(**option) for option in options]
    worlds += [floor(), floor()]
    p2._core._set_simd("scalar")
    worlds.append(floor())
    p2._core._set_simd(None)
    rng = np.random.default_rng(seed)
    for k in range(14):
        shape = SHAPES[rng.integers(len(SHAPES))]
        place, angle = rng.uniform((-3, 0.5), (3, 5)), rng.uniform(0, 6)
        for world in worlds:
            kind = "kinematic" if k == 5 else "dynamic"
            world.add_body(shape, place, angle, kind=kind, sensor=k == 6)
    for turn in range(12):
        for world in worlds:
            random_change(np.random.default_rng((seed, turn)), world)
            world.step(n=7)
        tables = [world.events for world in worlds]
        worlds[-3] = p2.World.from_snapshot(worlds[-3].snapshot())
        assert len({world.hash() for world in worlds}) == 1
        assert len({len(events.contact_begin) for events in tables}) == 1
        assert len({len(events.contact_end) for events in tables}) == 1


def test_begins_and_ends_count_the_touching_pairs():
    world = floor()
    rng = np.random.default_rng(5)
    world.add_bodies([SHAPES[k % 8] for k in range(30)], rng.uniform((-4, 0.5), (4, 6), (30, 2)))
    touching = 0
    for _ in range(80):
        random_change(rng, world)
        world.step()
        touching += len(world.events.contact_begin) - len(world.events.contact_end)
        assert touching == world.counters["touching"]


def test_other_numbers_of_pieces_begin_contacts_anew():
    world = p2.World()
    ground = world.add_body(p2.Chain([(-5, 0), (5, 0)]), kind="static").colliders[0]
    world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=5)
    ground.shape = p2.Chain([(-5, 0), (0, 0), (5, 0)])
    world.step()
    events = world.events
    assert len(events.contact_begin) == len(events.contact_end) == 1
    assert events.contact_end["collider_id_a"][0] in (ground.id, world.colliders[1].id)
    assert set(world.contacts["age"].tolist()) == {0}


def test_what_sleeps_on_it_wakes():
    world = floor()
    stone = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=200)
    assert not stone.awake
    world.colliders[0].shape = p2.Box(40, 0.5)
    world.step(n=60)
    assert stone.position[1] == pytest.approx(0.25, abs=0.01)


def test_what_it_grows_into_wakes():
    world = p2.World(gravity=(0, 0))
    stone = world.add_body(p2.Box(1, 1), (3, 0), awake=False)
    wall = world.add_body(p2.Box(1, 1), kind="static").colliders[0]
    world.step(n=5)
    assert not stone.awake
    wall.shape = p2.Box(5.2, 1)
    world.step(n=60)
    assert stone.position[0] == pytest.approx(3.1, abs=0.02)


def test_questions_see_it_at_once():
    world = floor()
    collider = world.add_body(p2.Circle(0.5), (0, 5)).colliders[0]
    world.step()
    assert world.at((0, 6.5)) == []
    collider.shape = p2.Box(1, 4)
    assert world.at((0, 6.5)) == [collider]
    y = collider.body.position[1]
    hit = world.cast_ray((0, 20), (0, -20))
    assert hit.collider == collider
    assert hit.point[1] == pytest.approx(y + 2)
    np.testing.assert_allclose(collider.aabb, [[-0.5, y - 2], [0.5, y + 2]])
    assert world.query_aabb((-0.1, y + 1), (0.1, y + 1.5)) == [collider]


def test_sensors_see_it():
    world = p2.World(gravity=(0, 0))
    zone = world.add_body(p2.Circle(1), kind="static", sensor=True).colliders[0]
    ball = world.add_body(p2.Circle(0.5), (3, 0)).colliders[0]
    world.step()
    assert zone.overlaps == ()
    zone.shape = p2.Circle(2.8)
    assert zone.overlaps == (ball,)
    world.step()
    assert len(world.events.sensor_begin) == 1
    ball.shape = p2.Circle(0.1)
    assert zone.overlaps == ()
    world.step()
    assert len(world.events.sensor_end) == 1


def test_the_mass_follows_or_not():
    world = p2.World()
    body = world.add_body([p2.Box(1, 1), p2.Box(1, 1, (1, 0))], density=3)
    second = body.colliders[1]
    second.shape = p2.Box(2, 1, (1.5, 0))
    fresh = world.add_body([p2.Box(1, 1), p2.Box(2, 1, (1.5, 0))], density=3)
    assert body.mass == fresh.mass == 9
    assert body.inertia == fresh.inertia
    assert (body.center_of_mass == fresh.center_of_mass).all()
    second.set_shape(p2.Circle(0.1, (1, 0)), update_mass=False)
    assert (body.mass, body.inertia) == (9, fresh.inertia)
    assert (body.center_of_mass == fresh.center_of_mass).all()
    body.attach(p2.Box(1, 1))  # what was kept holds
    assert body.mass == 9
    body.mass = body.inertia = body.center_of_mass = None
    assert body.mass == pytest.approx(3 * (1 + math.pi * 0.01) + 1)


def test_a_given_mass_stays():
    body = p2.World().add_body(p2.Circle(1), mass=2)
    body.colliders[0].shape = p2.Circle(2)
    assert body.mass == 2
    assert body.inertia == pytest.approx(2 * 2**2 / 2)


def test_a_bullet_is_stopped_at_a_wall_that_grew():
    world = p2.World(gravity=(0, 0))
    wall = world.add_body(p2.Box(0.05, 0.1), (5, 3), kind="static").colliders[0]
    ball = world.add_body(p2.Circle(0.1), velocity=(300, 0))
    wall.shape = p2.Box(0.05, 10)
    world.step(n=10)
    assert ball.position[0] < 5


# ------------------------------------------------------------------------------------------- state
def test_snapshots_and_call_logs_have_it(tmp_path):
    world = floor()
    body = world.add_body(SHAPES[0], (0, 1))
    world.step(n=30)
    state, before = world.snapshot(), world.hash()
    with world.record_calls(tmp_path / "run.calls"):
        body.colliders[0].shape = SHAPES[6]
        world.step(n=5)
        body.colliders[0].set_shape(SHAPES[2], update_mass=False)
        world.step(n=5)
    assert p2.replay(tmp_path / "run.calls").world.hash() == world.hash()
    twin = p2.World.from_snapshot(world.snapshot())
    assert twin.hash() == world.hash()
    assert not twin.diff(world)
    world.restore(state)
    assert world.hash() == before
    assert body.colliders[0].shape == SHAPES[0]


def test_the_object_is_the_one_that_was_given():
    collider = p2.World().add_body(p2.Circle(1)).colliders[0]
    shape = p2.Box(1, 2)
    collider.shape = shape
    assert collider.shape is shape


# ------------------------------------------------------------------------------------------ errors
def test_hooks_may_not():
    world = floor()
    ball = world.add_body(p2.Circle(0.5), (0, 0.5), pre_solve=True).colliders[0]

    def hook(contacts):
        ball.shape = p2.Circle(1)

    world.on_pre_solve = hook
    before = world.hash()
    with pytest.raises(p2.WorldLockedError):
        world.step()
    assert world.hash() == before
    world.on_pre_solve = None
    world.on_force = lambda world: setattr(ball, "shape", p2.Circle(0.4))
    world.step()
    assert ball.shape == p2.Circle(0.4)


def test_stages_lock_it():
    world = floor()
    with world.stages(1 / 60) as stages:
        next(stages)
        with pytest.raises(p2.WorldLockedError):
            world.colliders[0].shape = p2.Circle(1)


@pytest.mark.parametrize(
    ("shape", "error", "message"),
    [
        (None, TypeError, "shape: must be a Shape"),
        ([(0, 0), (1, 0), (0, 1)], TypeError, "shape"),
        (p2.Box(1e-3, 1e-3), ValueError, "density: mass"),
    ],
)
def test_what_is_no_shape_is_refused(shape, error, message):
    world = p2.World()
    collider = world.add_body(p2.Circle(1), density=1e-26).colliders[0]
    before = world.hash()
    with pytest.raises(error, match=message):
        collider.shape = shape
    with pytest.raises(error, match=message):
        collider.set_shape(shape)
    assert world.hash() == before


def test_a_wrapped_world_refuses_what_is_too_wide():
    world = p2.World(wrap=(10, 10))
    collider = world.add_body(p2.Circle(1)).colliders[0]
    with pytest.raises(ValueError, match="smaller than half"):
        collider.shape = p2.Circle(3)
    with pytest.raises(ValueError, match="no Chain"):
        collider.shape = p2.Chain([(0, 0), (1, 0)])
    collider.shape = p2.Circle(2)


def test_surfaces_of_segments_must_fit():
    world = p2.World()
    chain = p2.Chain([(0, 0), (1, 0), (2, 0)])
    collider = world.add_body(chain, kind="static", segments={"friction": [1, 2]}).colliders[0]
    with pytest.raises(ValueError, match="each of the 1 segments"):
        collider.shape = p2.Chain([(0, 0), (1, 0)])
    collider.shape = p2.Chain([(0, 1), (1, 0), (2, 1)])
    assert collider.segments["friction"].tolist() == [1, 2]


def test_a_removed_collider_has_none():
    world = floor()
    collider = world.add_body(p2.Circle(1)).colliders[0]
    world.remove(collider)
    with pytest.raises(p2.RemovedError):
        collider.shape = p2.Circle(2)
