"""Impacts with restitution: against the formulas of elastic and partly elastic impact, and against
energy and momentum.
"""

import numpy as np
import pytest
from scenes_for_tests import ground

import pyphys2d as p2

G, DT = 9.81, 1 / 60


def cradle(count, pulled, hanging, speed=2.35):
    """Balls that touch; the first ones meet the others at that speed after a while."""
    world = p2.World((0, -G if hanging else 0), sleeping=False)
    radius, length, balls = 0.25, 2.0, []
    swing = 2 * np.arcsin(speed / (2 * np.sqrt(G * length)))
    for i in range(count):
        x, moves = 2 * radius * i, i < pulled
        if hanging:
            angle = -swing if moves else 0
            place = x + length * np.sin(angle), -length * np.cos(angle)
        else:
            place = x - moves, 0
        velocity = (speed if moves and not hanging else 0, 0)
        ball = world.add_body(
            p2.Circle(radius), place, velocity=velocity, restitution=1, friction=0
        )
        if hanging:
            world.add_distance_joint(None, ball, anchor_a=(x, 0), anchor_b=place)
        balls.append(ball.index)
    return world, balls


@pytest.mark.parametrize("hanging", [False, True])
@pytest.mark.parametrize(
    ("count", "pulled"), [(3, 1), (4, 2), (5, 1), (5, 2), (5, 3), (7, 1), (7, 3)]
)
def test_as_many_balls_leave_a_cradle_as_came(count, pulled, hanging):
    world, balls = cradle(count, pulled, hanging)
    fastest = np.zeros(count)
    for _ in range(60):
        world.step(DT)
        now = world.velocities[balls, 0]
        fastest = now if now[-1] > fastest[-1] else fastest
    expected = np.where(np.arange(count) < count - pulled, 0, 2.35)
    np.testing.assert_allclose(fastest, expected, atol=0.002 * 2.35)


def pendulum(world, kind, x, angle):
    """A ball that hangs from (x, 0), without friction."""
    place = x + 2 * np.sin(angle), -2 * np.cos(angle)
    ball = world.add_body(p2.Circle(0.25), place, restitution=1, friction=0)
    if kind == "rod":
        world.add_distance_joint(None, ball, anchor_a=(x, 0), anchor_b=place)
    else:
        world.add_revolute_joint(None, ball, anchor=(x, 0))
    return ball


@pytest.mark.parametrize("gap", [0, 0.002, 0.02])
@pytest.mark.parametrize("kind", ["rod", "hinge"])
def test_pendulums_that_hit_each_other_keep_their_energy(kind, gap):
    """With gaps they meet where rods are at an angle: the impact has to go through the joints."""
    world = p2.World(sleeping=False)
    balls = [pendulum(world, kind, (0.5 + gap) * k, -0.6 if k == 0 else 0) for k in range(3)]

    def energy():
        turning = sum(0.5 * ball.inertia * ball.angular_velocity**2 for ball in balls)
        return turning + sum(
            ball.mass * (0.5 * ball.velocity @ ball.velocity + G * (2 + ball.position[1]))
            for ball in balls
        )

    start = energy()
    for _ in range(20):
        world.step(DT, n=60)
        assert 0.985 * start < energy() < 1.01 * start


def test_hinged_pairs_that_meet_in_the_air_keep_their_energy():
    """Two rods on a hinge meet two others that are at rest, anywhere and at any angle."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        world = p2.World((0, 0), sleeping=False)
        for x, speed in ((-2, 4), (2, 0)):
            y, angle = rng.uniform(-0.4, 0.4), rng.uniform(0, np.pi)
            way = 0.5 * np.array([np.cos(angle), np.sin(angle)])
            rods = [
                world.add_body(
                    p2.Box(1, 0.3), (x, y) + side * way, angle, velocity=(speed, 0),
                    friction=0, restitution=1,
                )
                for side in (-1, 1)
            ]  # fmt: skip
            world.add_revolute_joint(*rods, anchor=(x, y))
        start = world.kinetic_energy()
        world.step(DT, n=90)
        assert abs(world.velocities[2:]).max() > 0.1
        assert 0.98 * start < world.kinetic_energy() < 1.002 * start


@pytest.mark.parametrize(
    "other",
    [
        p2.Circle(0.5),
        p2.Box(1, 0.8),
        p2.Capsule((-0.4, 0), (0.4, 0), 0.3),
        p2.RegularPolygon(5, 0.7),
        p2.Box(1, 0.6, radius=0.1),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_balls_without_friction_are_never_turned(other):
    """Normal impulses act on the line through the centre, however fast a ball meets what moves and
    turns, and however close to its middle."""
    rng = np.random.default_rng(7)
    for _ in range(300):
        world = p2.World((0, 0))
        speed, angle = rng.uniform(0.3, 60), rng.uniform(0, 2 * np.pi)
        off = rng.choice([rng.uniform(-0.9, 0.9), rng.uniform(-0.02, 0.02)])
        way = np.array([np.cos(angle), np.sin(angle)])
        start = off * np.array([-way[1], way[0]]) - rng.uniform(1.6, 3) * way
        material = {"friction": 0, "restitution": float(rng.choice([0, 0.5, 1]))}
        turning = 0 if isinstance(other, p2.Circle) else rng.uniform(-5, 5)
        world.add_body(other, (0, 0), angle, angular_velocity=turning, **material)
        ball = world.add_body(p2.Circle(0.5), start, velocity=speed * way, **material)
        for _ in range(40):
            world.step(4 / speed / 40)
        assert abs(ball.angular_velocity) <= 1e-6 * speed


@pytest.mark.parametrize("shape", [p2.Circle(0.3), p2.Box(0.5, 0.4)], ids=["discs", "boxes"])
def test_a_gas_keeps_its_energy_and_never_gains(shape):
    """What is lost, in blows of three at once, differs from gas to gas: 0.1 % in the mean."""
    kept = []
    for seed in range(4, 8):
        world = p2.World((0, 0), sleeping=False)
        material = {"restitution": 1, "friction": 0}
        for x, y, width, height in ((-8, 0, 1, 17), (8, 0, 1, 17), (0, -8, 17, 1), (0, 8, 17, 1)):
            world.add_body(p2.Box(width, height), (x, y), kind="static", **material)
        rng = np.random.default_rng(seed)
        grid = np.stack(np.meshgrid(*[np.linspace(-6.5, 6.5, 10)] * 2), axis=-1).reshape(-1, 2)
        angles, velocity = rng.uniform(0, 6, 100), rng.normal(0, 3, (100, 2))
        world.add_bodies(shape, grid, angles, velocity=velocity, **material)
        start, hits = world.kinetic_energy(), 0
        for _ in range(600):
            world.step(DT)
            hits += len(world.events.contact_hit)
            assert world.kinetic_energy() < start * (1 + 1e-5)
        assert hits > 500
        kept.append(world.kinetic_energy() / start)
    assert np.mean(kept) > 0.998
    assert min(kept) > 0.996


def room(rng, count, speed, make):
    """Bodies without friction that always bounce, in a room of 11 m."""
    world = p2.World((0, 0), sleeping=False)
    material = {"restitution": 1, "friction": 0}
    for x, y, width, height in ((-6, 0, 1, 13), (6, 0, 1, 13), (0, -6, 13, 1), (0, 6, 13, 1)):
        world.add_body(p2.Box(width, height), (x, y), kind="static", **material)
    side = int(np.ceil(np.sqrt(count)))
    places = np.stack(np.meshgrid(*[np.linspace(-4.6, 4.6, side)] * 2), axis=-1).reshape(-1, 2)
    for place in places[:count]:
        world.add_body(make(rng), place, velocity=rng.normal(0, speed, 2), **material)
    return world


@pytest.mark.parametrize("seed", range(3))
def test_a_crowded_gas_of_fast_discs_keeps_its_energy(seed):
    """They go further than their size in a step, so that many meet a third one in it. It lost 1 %
    in a second: deflected discs got a spin from normal impulses, others were pushed apart at the
    cost of their energy.
    """
    world = room(np.random.default_rng(seed), 150, 10, lambda r: p2.Circle(r.uniform(0.1, 0.35)))
    start = world.kinetic_energy()
    for _ in range(30):
        world.step(DT, n=10)
        assert 0.99 * start < world.kinetic_energy() < 1.001 * start
    assert max(abs(body.angular_velocity) for body in world.bodies) < 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_a_gas_of_boxes_of_all_sizes_keeps_its_energy(seed):
    """Where the two points of a contact lay close together each impact lost 0.2 % of its speed."""
    world = room(np.random.default_rng(seed), 54, 3, lambda r: p2.Box(*r.uniform(0.2, 0.6, 2)))
    start = world.kinetic_energy()
    for _ in range(60):
        world.step(DT, n=20)
        assert 0.997 * start < world.kinetic_energy() < 1.0005 * start


@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8, 0.9, 1.0])
@pytest.mark.parametrize("shape", [p2.Circle(0.25), p2.Box(0.5, 0.5)], ids=["ball", "box"])
def test_a_bounce_rises_to_e_squared_of_the_height(shape, restitution):
    world = p2.World()
    ground(world, restitution=0)
    body = world.add_body(shape, (0, 3.25), restitution=restitution)
    heights, speeds = [], []
    for _ in range(200):
        world.step(DT)
        heights.append(body.position[1] - 0.25)
        speeds.extend(world.events.contact_hit["speed"].tolist())
        if speeds and body.velocity[1] < 0:
            break
    assert speeds[0] == pytest.approx(np.sqrt(2 * G * 3), rel=1e-4)
    # The top lies between two steps: by G (DT / 2)^2 / 2 at most above both.
    top = max(heights[len(heights) // 2 :][-3:])
    expected = 3 * restitution**2
    assert -0.001 * expected - G * DT**2 / 8 < top - expected < 0.001 * expected
    assert abs(body.angular_velocity) < 1e-3


@pytest.mark.parametrize("dt", [1 / 30, 1 / 60])
@pytest.mark.parametrize("restitution", [0.3, 0.6])
def test_a_bounce_that_gravity_alone_brings_into_a_step(restitution, dt):
    """The way to the floor is a little more than the speed at the start of a step makes: the
    bounce is on the floor all the same, and not below it in the next step."""
    world = p2.World((0, -G), sleeping=False)
    world.add_body(p2.Box(500, 1), (0, -0.5), kind="static", restitution=restitution)
    speed, more = np.meshgrid(np.linspace(1.2, 6, 10), np.linspace(0, 0.7, 10) * G * dt**2)
    speed, gap = speed.ravel(), (speed * dt + more).ravel()
    place = np.stack([2 * np.arange(100) - 100, 0.25 + gap], axis=-1)
    velocity = np.stack([0 * speed, -speed], axis=-1)
    balls = world.add_bodies(p2.Circle(0.25), place, velocity=velocity, restitution=restitution)
    half = G * dt / 16  # velocities are those of half a substep before
    energy = (speed + half) ** 2 / 2 + G * gap
    for _ in range(3):
        world.step(dt)
    height, rising = world.positions[balls, 1] - 0.25, world.velocities[balls, 1]
    after = (rising - half) ** 2 / 2 + G * height
    np.testing.assert_allclose(after, restitution**2 * energy, rtol=0.003)


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("restitution", [0.2, 0.7, 1.0])
def test_an_oblique_bounce_of_a_disc(friction, restitution):
    """Coulomb friction in an impact: P = (1 + e) m v_n, and at most mu P along the floor; a disc
    that begins to roll takes a third of the slip as speed (I = m r^2 / 2).
    """
    world = p2.World((0, 0))
    ground(world, restitution=0, friction=friction)
    options = {"restitution": restitution, "friction": friction}
    disc = world.add_body(p2.Circle(0.5), (0, 1), velocity=(6, -5), **options)
    world.step(n=30)
    slows = min(friction * (1 + restitution) * 5, 6 / 3)
    assert disc.velocity == pytest.approx([6 - slows, 5 * restitution], rel=1e-4)
    assert disc.angular_velocity == pytest.approx(-slows / (0.5 * 0.5), rel=1e-4, abs=1e-6)


def test_a_box_that_falls_on_a_corner_bounces_by_the_formula():
    """P = (1 + e) v / (1/m + r^2 / I), r: arm of the corner across the normal."""
    world = p2.World((0, 0))
    ground(world, friction=0)
    box = world.add_body(p2.Box(1, 0.6), (0, 2), 0.4, velocity=(0, -4), restitution=0.6, friction=0)
    corners = box.colliders[0].vertices - box.position
    arm = corners[corners[:, 1].argmin(), 0]
    impulse = 1.6 * 4 / (1 / box.mass + arm**2 / box.inertia)
    while not len(world.events.contact_hit):
        world.step(DT)
    assert box.velocity[1] == pytest.approx(-4 + impulse / box.mass, rel=1e-3)
    assert box.angular_velocity == pytest.approx(arm * impulse / box.inertia, rel=1e-3)


def test_without_gravity_and_threshold_the_slowest_bounce():
    world = p2.World((0, 0), restitution_threshold=0, sleeping=False)
    ground(world)
    ball = world.add_body(p2.Circle(0.5), (0, 0.51), velocity=(0, -0.01), restitution=1)
    world.step(n=120)
    assert ball.velocity[1] == pytest.approx(0.01, rel=1e-4)


def test_a_bouncing_heap_comes_to_rest():
    world = p2.World()
    ground(world, restitution=0.5)
    x, y = np.meshgrid(1.3 * np.arange(5) - 2.6, 1.2 * np.arange(5) + 1)
    world.add_bodies(p2.Box(1, 1), np.c_[x.ravel(), y.ravel()], restitution=0.5)
    for _ in range(1200):
        world.step(DT)
        if world.counters["awake"] == 0:
            break
    assert world.counters["awake"] == 0


@pytest.mark.parametrize("restitution", [2.0, 1e6])
def test_restitution_above_one_stays_within_the_limit_of_speed(restitution):
    world = p2.World((0, 0), max_speed=300)
    for x in (-2, 2):
        world.add_body(p2.Box(1, 9), (x, 0), kind="static", restitution=restitution)
    ball = world.add_body(p2.Circle(0.5), velocity=(3, 0))
    for _ in range(200):
        world.step(DT)
        assert np.hypot(*ball.velocity) <= 300 * (1 + 1e-6)
        assert abs(ball.position[0]) < 1.01


@pytest.mark.parametrize("restitution", [0, 0.5, 1])
@pytest.mark.parametrize("friction", [0, 0.6])
def test_boxes_that_collide_keep_their_angular_momentum(restitution, friction):
    """At any place, speed and spin: the impulse acts in one place, that of the meeting."""
    rng = np.random.default_rng(5)
    errors = []
    for _ in range(60):
        world = p2.World(gravity=(0, 0), sleeping=False)
        material = {"restitution": restitution, "friction": friction}
        offset, speed, spins = rng.uniform(-0.7, 0.7), rng.uniform(2, 15), rng.uniform(-5, 5, 2)
        world.add_body(
            p2.Box(1, 1), (-2, 0), velocity=(speed, 0), angular_velocity=spins[0], **material
        )
        world.add_body(p2.Box(1, 1), (1, offset), angular_velocity=spins[1], **material)
        before = world.angular_momentum()
        world.step(DT, n=int(4 / speed / DT))
        scale = 0.7 * speed + np.abs(spins).sum() / 6
        errors.append(abs(world.angular_momentum() - before) / scale)
    assert np.median(errors) < (5e-5 if restitution else 2e-3)
    assert max(errors) < 0.03
