"""Wrapped worlds: opposite sides are one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pyphys2d as p2

SHAPES = [
    p2.Circle(0.4),
    p2.Box(0.7, 0.6),
    p2.RegularPolygon(5, 0.4),
    p2.Capsule((-0.2, 0), (0.2, 0), 0.2),
    p2.RegularPolygon(11, 0.4),  # has no lane kernel
    p2.Polygon([(-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (0, 0.0), (-0.4, 0.4)]),  # two pieces
]


def between(places, others, size):
    """Differences by nearest images."""
    gap = np.asarray(places) - others
    return gap - np.round(gap / size) * size


def gas(shift=(0.0, 0.0), size=(20.0, 16.0), side=10, restitution=1.0, friction=0.2, **settings):
    rng = np.random.default_rng(1)
    world = p2.World((0, 0), wrap=size, **settings)
    cell = np.array(size) / side
    for i in range(side * side):
        world.add_body(
            SHAPES[i % len(SHAPES)],
            cell * (i % side, i // side) + shift,
            rng.uniform(0, 6),
            velocity=rng.normal(size=2) * 6,
            restitution=restitution,
            friction=friction,
        )
    return world


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_the_seam_is_nowhere(solver):
    """Moved as a whole, a scene goes the same way, though others of it cross the seams."""
    size = np.array([20.0, 16.0])
    one, two = gas(solver=solver), gas(shift=(7.3, -5.1), solver=solver)
    for step in range(120):
        one.step()
        two.step()
        away = between(two.positions, np.add(one.positions, (7.3, -5.1)), size)
        assert abs(away).max() < 1e-9, step
        assert (one.positions >= 0).all()
        assert (one.positions < size).all()
    assert len(one.contacts) == len(two.contacts)
    assert abs(two.angles - one.angles).max() < 1e-9
    assert one.counters["contacts"] > 0


def test_pairs_and_bits_do_not_depend_on_the_broad_phase_nor_on_workers():
    worlds = [gas(broadphase=b) for b in ("grid", "tree", "all_pairs")] + [gas(workers=3)]
    at_seam = 0
    for _ in range(8):
        for world in worlds:
            world.step(n=10)
        assert len({world.hash() for world in worlds}) == 1
        at_seam += (worlds[0].positions[:, 0] < 0.5).sum()
    assert at_seam > 4


def test_pairs_are_those_of_nine_images():
    """What overlaps is in contact, whichever seam lies between: against brute force."""
    size = np.array([9.0, 7.0])
    rng = np.random.default_rng(4)
    for _ in range(20):
        places = rng.uniform((0, 0), size, (40, 2))
        world = p2.World((0, 0), wrap=size)
        world.add_bodies(p2.Circle(0.5), places)
        world.step(1e-6)
        rows = world.contacts
        got = {
            tuple(sorted(map(int, pair)))
            for pair in zip(rows["body_a"], rows["body_b"], strict=True)
        }
        gaps = np.hypot(*np.moveaxis(between(places[:, None], places[None], size), -1, 0))
        want = {(i, j) for i in range(40) for j in range(i) if gaps[i, j] < 1 - 1e-5}
        assert {(b, a) for a, b in want} <= got
        assert all(gaps[a, b] < 1 + 1e-5 for a, b in got)
        normal = np.stack(rows["normal"])
        way = between(places[rows["body_b"]], places[rows["body_a"]], size)
        assert np.allclose(normal, way / np.hypot(*way.T)[:, None], atol=1e-4)
        arm = rows["point"] - places[rows["body_a"]]  # beside body_a, unfolded
        assert np.hypot(*arm.T).max() < 0.51


@pytest.mark.parametrize("center", [(0.0, 0.0), (10.0, 0.0), (4.3, 15.9), (19.99, 8)])
def test_a_stack_stands_on_a_seam_as_elsewhere(center):
    def build(at, wrap):
        world = p2.World((0, -10), wrap=wrap)
        world.add_body(p2.Box(6, 1), np.add(at, (0, -0.5)), kind="static")
        for i in range(5):
            world.add_body(p2.Box(1, 1), np.add(at, (0.01 * i, 0.5 + i)))
        return world

    size = (20.0, 16.0)
    plain, seam = build((5, 5), None), build(center, size)
    for _ in range(90):
        plain.step()
        seam.step()
        gap = between(plain.positions - (5, 5) + center, seam.positions, np.array(size))
        assert abs(gap).max() < 1e-6  # float32 rounds other differences
    assert len(seam.contacts) == len(plain.contacts) == 10
    for world in (plain, seam):
        world.step(n=120)
        assert not world.awake.any()


def test_momentum_and_energy_of_a_gas():
    """Smooth elastic discs keep both; rough dead shapes keep momentum and lose energy in each step,
    as they do without a seam."""
    size = np.array([20.0, 16.0])
    rng = np.random.default_rng(3)
    discs = p2.World((0, 0), wrap=size, restitution_threshold=0)
    places = [(2 * i, 2 * j) for i in range(10) for j in range(8)]
    discs.add_bodies(
        p2.Circle(0.4), places, velocity=rng.normal(size=(80, 2)) * 5, restitution=1, friction=0
    )
    momentum, energy = discs.momentum(), discs.kinetic_energy()
    hits = 0
    for _ in range(240):
        discs.step(1 / 240)
        hits += len(discs.events.contact_hit)
    assert hits > 100
    assert np.allclose(discs.momentum(), momentum, atol=1e-4 * np.hypot(*momentum))
    assert 0.98 * energy < discs.kinetic_energy() < 1.001 * energy  # three at once lose a little
    rough = gas(friction=0.9, restitution=0.0)
    momentum, energy = rough.momentum(), rough.kinetic_energy()
    for _ in range(120):
        rough.step()
        assert rough.kinetic_energy() < energy * (1 + 1e-3)
        energy = rough.kinetic_energy()
    assert np.allclose(rough.momentum(), momentum, atol=1e-3 * np.hypot(*momentum))


def test_a_cradle_without_ends():
    """Equal balls on a ring pass a blow on for ever: the one that moves is the next one, and so
    around the world; it comes back with the speed that it had."""
    world = p2.World((0, 0), wrap=(12.0, math.inf), restitution_threshold=0)
    world.add_bodies(p2.Circle(0.5), [(3 * i, 0) for i in range(4)], restitution=1, friction=0)
    world.velocities[0] = (6, 0)
    fastest = []
    for _ in range(300):  # 2 m from ball to ball; around the world in 2 s less the balls' sizes
        world.step(1 / 120)
        fastest.append(int(np.argmax(world.velocities[:, 0])))
    order = [b for a, b in zip([None, *fastest], fastest, strict=False) if a != b]
    assert order[:6] == [0, 1, 2, 3, 0, 1]
    assert world.velocities[:, 0].max() == pytest.approx(6, rel=1e-4)
    assert world.momentum()[0] == pytest.approx(6 * math.pi / 4, rel=1e-5)


def test_one_direction():
    world = p2.World(wrap=(10, math.inf))
    assert np.array_equal(world.wrap, (10, math.inf))
    ball = world.add_body(p2.Circle(0.2), (9.9, 0), velocity=(6, 0))
    world.step(n=60)
    assert ball.position[0] == pytest.approx(5.9, abs=1e-6)
    assert ball.position[1] < -4
    for none in (None, (math.inf, math.inf)):
        assert p2.World(wrap=none).wrap is None
    assert p2.World().wrap is None


def test_places_are_modulo():
    world = p2.World((0, 0), wrap=(10, 8))
    body = world.add_body(p2.Circle(1), (-3, 25))
    assert np.array_equal(body.position, (7, 1))
    body.position = (1e6 + 2.5, -1e-20)
    assert np.array_equal(body.position, (2.5, 0))
    view = world.positions
    view[0] = (-1, 800.5)
    world.step(1e-3)
    assert np.array_equal(view[0], (9, 0.5))
    angle = body.angle = 12.5
    far = 987_654_321_098_765.4
    view[0] = (far, -far)
    world.step(1e-3)
    assert view[0, 0] == math.fmod(far, 10)
    assert view[0, 1] == 8 - math.fmod(far, 8)
    assert body.angle == angle
    body.position = (3, 3)
    before = world.hash()
    view[0] += (10, -16)  # the same place: nothing has happened
    assert world.hash() == before
    view[0] = (math.nan, 3)
    with pytest.raises(ValueError, match="positions: body 0"):
        world.step()
    view[0] = (9.999999999999999, 7.999999999999999)
    body.velocity = (1e-12, 1e-12)
    world.step(n=5)
    assert (world.positions < (10, 8)).all()


def test_a_write_of_the_same_place_wakes_nobody():
    world = p2.World(wrap=(10, 10))
    world.add_body(p2.Box(4, 1), (0, 4.5), kind="static")
    world.add_body(p2.Box(1, 1), (0, 5.5))
    world.step(n=120)
    assert not world.awake[1]
    world.positions[1] += (10, 0)
    world.step()
    assert not world.awake[1]
    world.positions[1, 1] += 1
    world.step()
    assert world.awake[1]


def test_sleep_and_waking_across_the_seam():
    world = p2.World((0, -10), wrap=(20, math.inf))
    world.add_body(p2.Box(4, 1), (0, -0.5), kind="static")
    world.add_body(p2.Box(4, 1), (5, -0.5), kind="static")
    row = [world.add_body(p2.Box(1, 1), (x, 0.5)) for x in (-1.0, 0.0, 1.0)]
    apart = world.add_body(p2.Box(1, 1), (5, 0.5))
    world.step(n=120)
    assert not world.awake.any()
    row[0].velocity = (3, 0)  # the left one, at the right side of the world
    world.step()
    assert all(body.awake for body in row)
    assert not apart.awake
    assert len(set(world.islands[[body.index for body in row]])) == 1
    world.step(n=240)
    assert not world.awake.any()
    # What comes from the other side wakes who sleeps there.
    world.add_body(p2.Circle(0.3), (17, 0.3), velocity=(8, 0), friction=0)
    for _ in range(60):
        world.step()
        if world.awake[row[0].index]:
            break
    else:
        raise AssertionError("nobody woke")
    wakes = world.events.wake["body"]
    assert row[0].index in wakes


def test_moving_ground_and_targets():
    """The short way to a pose leads over the seam; what rests on a lift is carried along."""
    world = p2.World((0, -10), wrap=(20, 12))
    lift = world.add_body(p2.Box(4, 0.5), (19, 10), kind="kinematic")
    crate = world.add_body(p2.Box(0.5, 0.5), (19.5, 10.5))
    lift.move_to((1, 11), 0, 1.0)
    assert np.allclose(lift.velocity, (2, 1))
    lift.move_to((1, 0.5), 0, 1.0)
    assert np.allclose(lift.velocity, (2, 2.5))
    for k in range(60):
        x, y = 19 + 2 * (k + 1) / 60, 10 + 2.5 * (k + 1) / 60
        lift.move_to((x % 20, y % 12), 0, 1 / 60)
        world.step()
        assert np.array_equal(lift.position, (x % 20, y % 12))
    gap = between(crate.position, lift.position, np.array([20, 12]))
    assert gap[1] == pytest.approx(0.5, abs=0.02)
    assert abs(gap[0] - 0.5) < 0.1


def test_forces_at_points_and_frames_take_the_nearest_image():
    world = p2.World((0, 0), wrap=(20, 16))
    body = world.add_body(p2.Box(2, 1), (0.25, 0.5), angle=0.3)
    point = np.array([-0.5, 0.2])
    plain = p2.World((0, 0)).add_body(p2.Box(2, 1), (0.25, 0.5), angle=0.3)
    plain.angular_velocity = body.angular_velocity = 2
    for image in np.add(point, [(0, 0), (20, 0), (20, -160)]):
        assert np.allclose(body.to_local(image), plain.to_local(point), atol=1e-12)
        assert np.allclose(body.velocity_at(image), plain.velocity_at(point), atol=1e-12)
        assert body.contains(image)
        assert body.contains(np.add(image, [(0, 0), (0, 8)])).tolist() == [True, False]
    body.apply_impulse((0, 3), np.add(point, (20, 16)))
    plain.apply_impulse((0, 3), point)
    assert body.angular_velocity == pytest.approx(plain.angular_velocity, rel=1e-12)
    body.apply_force((1, 3), point - (20, 0))
    plain.apply_force((1, 3), point)
    assert world.torques[0] == pytest.approx(plain.world.torques[0], rel=1e-12)


def test_fields():
    world = p2.World((0, 0), wrap=(20, 16))
    moon = world.add_body(p2.Circle(0.2), (18, 8))
    world.add_point_gravity((1, 8), strength=9)  # 3 m over the seam
    world.step()
    assert moon.velocity[0] == pytest.approx(1 / 60, rel=0.05)
    assert abs(moon.velocity[1]) < 1e-9
    with pytest.raises(ValueError, match="surface: a world that wraps from top to bottom"):
        world.add_fluid(3.0, density=1000)
    pool = p2.World((0, -10), wrap=(20, math.inf))
    with pytest.raises(ValueError, match="surface: must be flat"):
        pool.add_fluid([(0, 1), (20, 1)], density=1000)
    pool.add_fluid(0.0, density=1000, drag=2)
    raft = pool.add_body(p2.Box(2, 0.5), (19.9, 0), density=500)
    pool.step(n=300)
    assert raft.position[1] == pytest.approx(0, abs=0.02)
    world.add_wind((3, 0), density=1.2)
    world.add_drag(linear=0.1)
    world.step(n=10)


def test_an_explosion_reaches_over_the_corner():
    world = p2.World((0, 0), wrap=(20, 16))
    bodies = [world.add_body(p2.Circle(0.3), p) for p in [(1, 1), (19, 1), (1, 15), (19, 15)]]
    rows = world.explode((0, 0), 3, 5)
    assert len(rows) == 4
    for body, way in zip(bodies, [(1, 1), (-1, 1), (1, -1), (-1, -1)], strict=True):
        assert np.allclose(body.velocity / np.hypot(*body.velocity), np.array(way) / 2**0.5)
    speeds = [np.hypot(*body.velocity) for body in bodies]
    assert np.ptp(speeds) < 1e-9


def test_a_cut_over_the_seam():
    world = p2.World((0, 0), wrap=(20, 16))
    rock = world.add_body(p2.Box(2, 2), (0.3, 0.2))
    parts = world.slice(rock, (20.3, -5), (20.3, 5))
    assert len(parts) == 2
    assert sorted(float(b.mass) for b in parts) == pytest.approx([2, 2])
    for body in parts:
        assert ((body.position >= 0) & (body.position < (20, 16))).all()
    gap = between(parts[0].position, parts[1].position, np.array([20, 16]))
    assert abs(gap) == pytest.approx([1, 0])


def test_bodies_must_be_smaller_than_half_of_the_world():
    world = p2.World(wrap=(20, 16))
    with pytest.raises(ValueError, match=r"shape: the body would be 8.1\d* m across.*8 m"):
        world.add_body(p2.Circle(4.05))
    with pytest.raises(ValueError, match="shape: the body would be"):
        world.add_bodies(p2.Box(9, 1), [(0, 0)])
    body = world.add_body([p2.Circle(1, (100, 0)), p2.Circle(1, (103, 0))])
    with pytest.raises(ValueError, match="shape: the body would be"):
        body.attach(p2.Circle(1, (107, 0)))
    with pytest.raises(ValueError, match="Chain"):
        body.attach(p2.Chain([(0, 0), (1, 0)]))
    with pytest.raises(ValueError, match="shape: a wrapped world holds no Chain"):
        world.add_body(p2.Chain([(0, 0), (1, 0)]), kind="static")
    with pytest.raises(ValueError, match="shape: the body would lie 1700 m from its origin"):
        world.add_body(p2.Circle(1, (1700, 0)))
    assert len(world.bodies) == 1
    body.attach(p2.Circle(1, (105, 0)))
    world.add_body(p2.Circle(3.99))
    flat = p2.World(wrap=(math.inf, 8))
    flat.add_body(p2.Circle(1.99))
    with pytest.raises(ValueError, match="4 m"):
        flat.add_body(p2.Box(100, 1), kind="static")


@pytest.mark.parametrize(
    "wrap",
    [(0, 1), (1, 0), (-1, 5), (math.nan, 5), (5, math.nan), (-math.inf, 5), (0.05, 5), (1e10, 5),
     (1e-300, 5), (1, 2, 3), 5, [[1, 2]], ()],
)  # fmt: skip
def test_hostile_sizes(wrap):
    with pytest.raises(ValueError, match="wrap"):
        p2.World(wrap=wrap)


@pytest.mark.parametrize("wrap", ["ab", {}, object(), (1j, 2)])
def test_wrong_types(wrap):
    with pytest.raises((TypeError, ValueError)):
        p2.World(wrap=wrap)


def test_wrap_cannot_be_set():
    world = p2.World(wrap=(5, 6))
    with pytest.raises(AttributeError):
        world.wrap = (3, 3)
    with pytest.raises(ValueError, match=r"world\.wrap cannot be set"):
        world.wrap[0] = 99  # a copy
    assert np.array_equal(world.wrap, (5, 6))


def test_sizes_at_the_limits():
    small = p2.World((0, 0), wrap=(0.1, 0.1), substeps=2)
    small.add_body(p2.Circle(0.02), (0.09, 0), velocity=(400, -300))
    small.add_body(p2.Circle(0.02), (0.04, 0.05))
    small.step(n=50)
    assert ((small.positions >= 0) & (small.positions < 0.1)).all()
    large = p2.World((0, 0), wrap=(1e9, 1e9))
    large.add_body(p2.Box(1, 1), (1e9 - 0.5, 0))
    large.add_body(p2.Box(1, 1), (0.4, 0))
    large.step()
    assert len(large.contacts) == 2


def test_long_pieces_meet_over_the_seam():
    """Longer than the lane kernels take: in double precision."""
    world = p2.World((0, -10), wrap=(700, math.inf))
    world.add_body(p2.Box(300, 1), (690, -0.5), kind="static")
    crates = world.add_bodies(p2.Box(1, 1), [(x % 700, 0.5) for x in (560, 699.9, 0.9, 100)])
    world.step(n=100)
    assert np.allclose(world.positions[crates, 1], 0.5, atol=0.01)
    assert not world.awake.any()


def test_fast_bodies_that_go_around_in_a_few_steps():
    world = p2.World((0, 0), wrap=(10, 10))
    rng = np.random.default_rng(2)
    world.add_bodies(
        p2.Circle(0.3), rng.uniform(0, 10, (20, 2)), velocity=rng.normal(size=(20, 2)) * 200,
        restitution=1,
    )  # fmt: skip
    other = p2.World((0, 0), wrap=(10, 10), broadphase="all_pairs")
    other.add_bodies(
        p2.Circle(0.3), world.positions.copy(), velocity=world.velocities.copy(), restitution=1
    )
    world.step(n=200)
    other.step(n=200)
    assert world.hash() == other.hash()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.floats(-30, 30), st.floats(-30, 30), st.floats(0.5, 40))
def test_any_shift(seed, x, y, speed):
    size = np.array([6.0, 5.0])
    worlds = []
    for shift in [(0, 0), (x, y)]:
        rng = np.random.default_rng(seed)
        world = p2.World((0, 0), wrap=size)
        for i in range(12):
            at = rng.uniform((0, 0), size)
            shape = SHAPES[int(rng.integers(len(SHAPES)))]
            world.add_body(shape, at + shift, velocity=rng.normal(size=2) * speed, name=str(i))
        worlds.append(world)
    for _ in range(4):
        for world in worlds:
            world.step()
    away = between(worlds[1].positions - (x, y), worlds[0].positions, size)
    assert abs(away).max() < 1e-5


def test_copies_hash_and_stages():
    world = gas()
    world.step(n=20)
    twin = gas()
    twin.step(n=20)
    for stage in twin.stages():
        if stage.name == "pairs":
            assert len(stage.pairs) == len(world.pairs) or len(stage.pairs) > 0
    world.step()
    assert twin.hash() == world.hash()
    assert p2.World(wrap=(5, 5)).hash() != p2.World().hash() != p2.World(wrap=(5, 6)).hash()
    stages = world.stages()
    for _ in range(3):
        next(stages)
    stages.close()  # back to the copy from before
    assert twin.hash() == world.hash()
    world.step(n=30)
    twin.step(n=30)
    assert twin.hash() == world.hash()


def test_substeps_shown_go_on_over_the_seam():
    world = p2.World((0, 0), wrap=(10, 10))
    world.add_body(p2.Circle(0.2), (9.99, 5), velocity=(6, 0))
    world.add_body(p2.Box(1, 1), (9.99, 8), kind="kinematic", velocity=(6, 0))
    places = [s.positions for s in world.stages() if s.name == "substep"]
    for k in range(len(places)):
        assert places[k][:, 0] == pytest.approx(9.99 + 0.1 * (k + 1) / len(places), abs=1e-9)
    assert world.positions[:, 0] == pytest.approx(0.09)


def test_heavy_on_light_over_the_seam():
    """The measure of who carries whom takes nearest images too."""

    def build(y):
        world = p2.World((0, -10), wrap=(20, 16))
        world.add_body(p2.Box(4, 1), (10, y - 0.5), kind="static")
        for i in range(4):
            world.add_body(p2.Box(1, 1), (10, y + 0.5 + i), density=1 if i < 3 else 300)
        world.step(n=30)
        return world

    plain, seam = build(3.0), build(13.5)
    away = between(plain.positions[:, 1] + 10.5, seam.positions[:, 1], 16)
    assert abs(away).max() < 1e-4
    assert plain.counters["substeps"] == seam.counters["substeps"] > 8


def linked(at, wrap, gravity=(0, -10)):
    """A chain of all kinds of joints, one end held at a place, another pulled by a mouse."""
    world = p2.World(gravity, wrap=wrap)

    def near(x, y):
        return at[0] + x, at[1] + y

    hook = world.add_body(p2.Box(0.4, 0.4), at, kind="static")
    links = [world.add_body(p2.Box(0.9, 0.2), near(0.5 + k, 0)) for k in range(6)]
    one = near(3.0, 0)
    world.add_revolute_joint(hook, links[0], anchor=at)
    world.add_revolute_joint(links[0], links[1], anchor=near(1, 0), lower=-1, upper=1)
    world.add_distance_joint(
        links[1], links[2], anchor_a=near(1.6, 0), anchor_b=near(2.4, 0), spring_hertz=4
    )
    world.add_prismatic_joint(links[2], links[3], anchor=one, axis=(1, 0), lower=0, upper=0.3)
    world.add_weld_joint(links[3], links[4], anchor=near(4, 0))
    world.add_motor_joint(links[4], links[5], max_force=200, max_torque=50)
    world.add_mouse_joint(links[3], anchor=near(3.5, 0), target=near(3, 1), max_force=30)
    world.add_pulley_joint(
        links[1], links[5], ground_a=near(1, 3), ground_b=near(4, 3), upper=30,
        anchor_a=near(1.5, 0), anchor_b=near(5.5, 0),
    )  # fmt: skip
    return world


@pytest.mark.parametrize("at", [(10.0, 8.0), (17.0, 15.5), (19.9, 0.3), (15.2, 8.0)])
def test_joints_pull_over_the_seam(at):
    plain, seam = linked((0, 0), None), linked(at, (20, 16))
    size = np.array([20.0, 16.0])
    for world in (plain, seam):
        world.step(n=40)
    away = between(plain.positions + at, seam.positions, size)
    assert abs(away).max() < 1e-3
    assert abs(plain.angles - seam.angles).max() < 1e-3
    one, two = plain.joint_state, seam.joint_state
    gap = two["anchor_b"] - two["anchor_a"]
    assert np.allclose(gap, one["anchor_b"] - one["anchor_a"], atol=2e-3)
    assert np.allclose(one["force"], two["force"], atol=0.5, rtol=0.02)
    p2.plot.world(seam)


def test_a_rope_around_the_corner_holds():
    world = p2.World((0, 0), wrap=(10, 10))
    a = world.add_body(p2.Circle(0.2), (9.5, 9.5))
    b = world.add_body(p2.Circle(0.2), (0.5, 0.5), velocity=(3, 3))
    joint = world.add_distance_joint(a, b, anchor_a=(9.5, 9.5), anchor_b=(10.5, 0.5))
    assert joint.length == pytest.approx(2**0.5)
    momentum = world.momentum()
    world.step(n=300)
    gap = between(b.position, a.position, np.array([10, 10]))
    assert np.hypot(*gap) == pytest.approx(2**0.5, abs=1e-3)
    assert np.allclose(world.momentum(), momentum, rtol=1e-5)


def test_sensors_see_over_the_seam():
    world = p2.World((0, 0), wrap=(20, 16))
    gate = world.add_body(p2.Box(1, 4), (19.8, 8), kind="static", sensor=True).colliders[0]
    ball = world.add_body(p2.Circle(0.3), (2, 8), velocity=(-6, 0))
    shot = world.add_body(p2.Circle(0.1), (17, 7), velocity=(300, 0))  # past it in a step
    begins, ends = [], []
    for step in range(120):
        world.step()
        begins += [(step, int(row["body_b"])) for row in world.events.sensor_begin]
        ends += [(step, int(row["body_b"])) for row in world.events.sensor_end]
        if ball.position[0] < 0.4:
            assert [c.body for c in gate.overlaps] == [ball]
            shot.velocity = (0, 0)
    assert (begins[0][1], ends[0][1]) == (shot.index, shot.index)
    assert begins[0][0] == ends[0][0] == 0
    mine = [[step for step, body in rows if body == ball.index] for rows in (begins, ends)]
    # From x = 2 the surface is at 0.3 after 1.4 m, and leaves 19.3 - 20 after 3 m.
    assert mine[0][0] == pytest.approx(60 * 1.4 / 6, abs=2)
    assert mine[1][0] == pytest.approx(60 * 3.0 / 6, abs=2)
    assert len(mine[0]) == len(mine[1]) == 1


def test_a_sensor_that_goes_around_meets_what_rests():
    world = p2.World((0, 0), wrap=(20, 16))
    world.add_body(p2.Circle(0.3), (0.5, 0.5), kind="static")
    rest = world.add_body(p2.Circle(0.3), (1.5, 0.5), awake=False)
    probe = world.add_body(p2.Circle(0.5), (18, 15.8), velocity=(3, 0), sensor=True, mask=1)
    seen = []
    for _ in range(90):
        world.step()
        seen += [int(row["body_b"]) for row in world.events.sensor_begin]
    assert rest.index in seen
    assert probe.position[0] < 5


def test_every_allocation_may_fail():
    testing = pytest.importorskip(
        "pyphys2d._testing",
        reason="LOUD: failing allocations are NOT tested, build with PYPHYS2D_TESTING=1",
    )
    reference = gas(side=6)
    reference.step(n=3)
    rays = np.zeros((8, 2)), np.full((8, 2), 50.0)
    want = reference.cast_rays(*rays)
    failures, n = 0, 1
    world = gas(side=6)
    for step in range(3):
        while True:  # until a step needs fewer than n
            before = world.hash()
            testing.fail_allocation(n)
            try:
                world.step()
                if step == 2:
                    rows = world.cast_rays(*rays)
            except MemoryError:
                testing.fail_allocation(0)
                failures += 1
                if world.step_count == step:
                    assert world.hash() == before
                else:
                    rows = world.cast_rays(*rays)
                    break
                n += 1
            else:
                break
            finally:
                testing.fail_allocation(0)
    assert failures > 10
    assert world.hash() == reference.hash()
    assert rows.tobytes() == want.tobytes()
