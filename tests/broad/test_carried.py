"""Fat boxes that are carried along: what is found with them is what is found from scratch."""

import numpy as np
import pytest

import pyphys2d as p2

KINDS = ["grid", "tree", "all_pairs"]


def crowd(seed, broadphase="grid", **options):
    """Bodies of several kinds and sizes in a pen, with a door that turns; and their shapes."""
    rng = np.random.default_rng(seed)
    world = p2.World(broadphase=broadphase, sleeping=False, **options)
    shapes = []
    for i in range(70):
        size = 10 ** rng.uniform(-1, 0.3)
        shapes.append(
            [
                p2.Box(size, 1.5 * size),
                p2.Circle(0.6 * size),
                p2.Capsule((-size, 0), (size, 0), 0.3 * size),
                p2.RegularPolygon(5, size),
            ][i % 4]
        )
        world.add_body(
            shapes[-1],
            rng.uniform(-9, 9, 2),
            rng.uniform(-3, 3),
            kind="kinematic" if i % 17 == 3 else "dynamic",
            velocity=rng.normal(0, 4, 2),
            angular_velocity=rng.normal(0, 2),
        )
    for x, y, w, h in [(0, -11, 24, 2), (0, 11, 24, 2), (-11, 0, 2, 24), (11, 0, 2, 24)]:
        shapes.append(p2.Box(w, h))
        world.add_body(shapes[-1], (x, y), kind="static")
    return world, shapes, rng


def stir(world, rng):
    """Writes through views as a user may: teleports, pushes, stops, and a fast one."""
    free = np.nonzero(world.kinds == 2)[0]
    if rng.random() < 0.2:
        world.positions[rng.choice(free, 3)] = rng.uniform(-9, 9, (3, 2))
    if rng.random() < 0.3:
        world.velocities[rng.choice(free, 10)] += rng.normal(0, 6, (10, 2))
    if rng.random() < 0.1:
        world.velocities[:70] = 0
    if rng.random() < 0.1:
        world.velocities[rng.choice(free)] = rng.normal(0, 200, 2)
    if rng.random() < 0.1:
        world.angles[rng.choice(free)] += 1.3
    return [1 / 60, 1 / 60, 1 / 60, 1 / 30, 1 / 240][rng.integers(5)]


def anew(world, shapes, broadphase):
    fresh = p2.World(broadphase=broadphase, sleeping=False, gravity=world.gravity)
    names = {0: "static", 1: "kinematic", 2: "dynamic"}
    for i, shape in enumerate(shapes):
        fresh.add_body(
            shape,
            world.positions[i],
            world.angles[i],
            kind=names[int(world.kinds[i])],
            velocity=world.velocities[i],
            angular_velocity=world.angular_velocities[i],
        )
    return fresh


def manifolds(world, dt):
    """Those of a step, which is taken; without ids, which tell when a contact began."""
    (found,) = (stage.contacts for stage in world.stages(dt) if stage.name == "manifolds")
    return found[[name for name in found.dtype.names if name != "id"]]


@pytest.mark.parametrize(("kind", "seed"), [("grid", 0), ("grid", 1), ("grid", 2), ("tree", 3)])
def test_no_contact_is_missed(kind, seed):
    """A world without past finds every contact anew; one that carries its boxes has the same."""
    world, shapes, rng = crowd(seed, kind, gravity=(0, -10))
    seen = 0
    for step in range(400):
        dt = stir(world, rng)
        if step % 4 == 0:
            fresh = manifolds(anew(world, shapes, "grid"), dt)
            own = manifolds(world, dt)
            np.testing.assert_array_equal(own, fresh)
            seen += len(own)
        else:
            world.step(dt)
    assert seen > 1000


def test_the_broad_phases_carry_the_same():
    worlds = [crowd(5, kind, gravity=(0, -10)) for kind in KINDS]
    for step in range(150):
        for world, _, rng in worlds:
            world.step(stir(world, rng))
        if step % 5 == 0:
            assert len({world.hash() for world, *_ in worlds}) == 1
            for world, *_ in worlds[1:]:
                np.testing.assert_array_equal(world.pairs, worlds[0][0].pairs)


@pytest.mark.parametrize("kind", KINDS)
def test_no_contact_is_missed_in_haste(kind):
    """While all are pushed in every step nobody looks ahead but now and then; later all do."""
    world, shapes, rng = crowd(11, kind, gravity=(0, 0))
    free = np.nonzero(world.kinds == 2)[0]
    seen = 0
    for step in range(150):
        if step < 90:
            world.velocities[free] = rng.normal(0, 8, (len(free), 2))
        if step % 3 == 0:
            fresh = manifolds(anew(world, shapes, "grid"), 1 / 60)
            own = manifolds(world, 1 / 60)
            np.testing.assert_array_equal(own, fresh)
            seen += len(own)
        else:
            world.step()
    assert seen > 300


def stirred(broadphase, apart=0.0):
    """Long bars among small bodies, two heaps `apart`; all will be pushed in every step."""
    rng = np.random.default_rng(23)
    world = p2.World(broadphase=broadphase, sleeping=False, gravity=(0, 0))
    shapes = []
    for i in range(120):
        bar = i % 30 == 7
        shapes.append(
            [p2.Box(10, 0.2), p2.Capsule((-4, 1), (4, 1), 0.1)][i // 30 % 2]
            if bar
            else [p2.Box(0.4, 0.4), p2.Circle(0.25)][i % 2]
        )
        x, y = rng.uniform(-6, 6, 2)
        turn = rng.normal(0, 2) if bar else 0.0
        world.add_body(
            shapes[-1], (x + apart * (i % 2), y), rng.uniform(-3, 3), angular_velocity=turn
        )
    return world, shapes, rng


@pytest.mark.parametrize("apart", [0.0, 4000.0, 1e7])
def test_long_bars_in_haste(apart):
    """Their pairs are of what they may touch, not of all in their boxes; none is missed."""
    worlds = [stirred(kind, apart) for kind in KINDS]
    seen = 0
    for step in range(60):
        for world, _, rng in worlds:
            world.velocities[:] = rng.normal(0, 6, (120, 2)) * (np.arange(120) % 30 != 7)[:, None]
        if step % 4 == 0:
            fresh = [manifolds(anew(*worlds[0][:2], "grid"), 1 / 60)]
            own = [manifolds(world, 1 / 60) for world, *_ in worlds]
            for found in own:
                np.testing.assert_array_equal(found, fresh[0])
            seen += len(own[0])
        else:
            for world, *_ in worlds:
                world.step(1 / 60)
        for world, *_ in worlds[1:]:
            np.testing.assert_array_equal(world.pairs, worlds[0][0].pairs)
    assert seen > 150
    # All bodies whose boxes overlap that of a bar, against those that are its pairs.
    world = worlds[0][0]
    low, high = world.aabbs[:, 0], world.aabbs[:, 1]
    bars = np.arange(120) % 30 == 7
    meet = (low[bars, None] <= high) & (high[bars, None] >= low)
    pairs = bars[world.pairs["body_a"]] | bars[world.pairs["body_b"]]
    assert np.count_nonzero(pairs) < 0.5 * np.count_nonzero(meet.all(axis=2))


def test_haste_ends_when_all_go_their_way_again():
    """Pairs are those of one step while many are pushed about, and for two seconds after it."""
    world = p2.World(gravity=(0, 0), sleeping=False)
    for i in range(1200):
        world.add_body(p2.Circle(0.5), (1.1 * (i // 30), 1.1 * (i % 30)), velocity=(3, 0))
    world.step(1 / 60, n=10)
    before = len(world.pairs)
    random = np.random.default_rng(1)
    for step in range(8):
        world.velocities[:] = (3, 0) + (-1) ** step * random.normal(0, 1, (1200, 2))
        world.step(1 / 60)
    world.velocities[:], world.angular_velocities[:] = (3, 0), 0
    world.step(1 / 60, n=60)
    assert len(world.pairs) < 0.1 * before
    world.step(1 / 60, n=70)
    assert len(world.pairs) > 0.5 * before


def test_a_copy_carries_on():
    """Slow motion works on a copy that the world then becomes."""
    (plain, _, rng), (slow, _, other) = crowd(7, gravity=(0, -10)), crowd(7, gravity=(0, -10))
    for step in range(60):
        plain.step(stir(plain, rng))
        manifolds(slow, stir(slow, other))
        assert plain.hash() == slow.hash()
        if step % 5 == 0:
            np.testing.assert_array_equal(plain.pairs, slow.pairs)


def test_what_goes_its_way_is_not_looked_for_again():
    """Balls that fly side by side keep their pairs; one that is turned aside finds its own."""
    world = p2.World(gravity=(0, 0))
    places = [(1.05 * i, 0) for i in range(20)]
    world.add_bodies(p2.Circle(0.5), places, velocity=[(0.0, 12.0)] * 20)
    world.step(n=40)
    assert len(world.pairs) == 19
    assert world.counters["pair_rebuilds"] == 1
    goal = world.add_body(p2.Circle(0.5), (-6, world.positions[0, 1] + 8))
    world.velocities[0] = (-9.0, 12.0)
    met = False
    for _ in range(60):
        world.step()
        met |= (0, goal.index) in {(int(r["body_a"]), int(r["body_b"])) for r in world.contacts}
    assert met
