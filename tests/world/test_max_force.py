"""Bounds of what joints hold, limit and spring with."""

import math
import pickle

import numpy as np
import pytest
from hanging import KINDS, MASS, G, hang, kinds
from same_bits import check_same_bits

import pyphys2d as p2


# ------------------------------------------------------------------------------------------ statics
@kinds
@pytest.mark.parametrize("share", [0.0, 0.25, 0.75, 0.99])
def test_a_weight_above_the_bound_sinks_by_what_is_left(kind, share):
    """a = (m g - F) / m, as soon as it has given way, but for the rounding of float32."""
    bound = share * MASS * G
    world, disc, joint = hang(kind, max_force=bound)
    world.step(n=30)
    if kind != "pulley":  # whose force is that on b
        assert np.hypot(*joint.force) == pytest.approx(bound, rel=1e-6, abs=1e-9)
    before = disc.velocity
    world.step(n=60)
    down = (MASS * G - bound) / MASS
    assert before[1] - disc.velocity[1] == pytest.approx(down, abs=1e-4)
    assert -disc.position[1] - 1 == pytest.approx(down * 1.5**2 / 2, rel=0.1)
    assert abs(disc.position[0]) < 1e-9


@kinds
@pytest.mark.parametrize("share", [1.001, 2, 1e6])
def test_a_weight_below_the_bound_is_held(kind, share):
    world, disc, joint = hang(kind, max_force=share * MASS * G)
    world.step(n=240)
    assert disc.position == pytest.approx((0, -1), abs=2e-4)
    assert np.hypot(*disc.velocity) < 1e-4
    assert np.abs(joint.force) == pytest.approx((0, MASS * G), rel=1e-3, abs=1e-6)
    assert joint.linear_separation < 2e-4


@pytest.mark.parametrize("kind", ["weld", "revolute"])
def test_a_push_and_the_weight_together_are_bounded_by_their_length(kind):
    """The bound is of the vector: 12 N down and 5 N aside are 13 N."""
    for bound, holds in ((13.1, True), (12.9, False)):
        world, disc, joint = hang(kind, max_force=bound)
        world.gravity = (5 / MASS, -12 / MASS)
        if kind == "revolute":  # the hinge is at the centre of mass
            assert joint.anchor_b == pytest.approx(disc.position)
        world.step(n=120)
        assert (np.hypot(*disc.velocity) < 1e-3) == holds
        assert np.hypot(*joint.force) == pytest.approx(min(bound, 13), rel=1e-3)


@pytest.mark.parametrize("way", [1, -1])
def test_a_rod_is_bounded_pulled_and_pushed(way):
    world = p2.World(gravity=(0, 0))
    disc = world.add_body(p2.Circle(0.5), (3, 0), mass=MASS)
    rod = world.add_distance_joint(None, disc, anchor_a=(0, 0), max_force=4)
    for _ in range(30):
        disc.apply_force((way * 10, 0))
        world.step()
    assert disc.velocity[0] == pytest.approx(way * (10 - 4) / MASS / 2, rel=1e-3)
    assert rod.force[0] == pytest.approx(-way * 4, rel=1e-6)


def test_a_torque_above_the_bound_turns_by_what_is_left():
    world = p2.World(gravity=(0, 0))
    disc = world.add_body(p2.Circle(0.5), (0, 0), mass=MASS)
    weld = world.add_weld_joint(None, disc, max_torque=0.3)
    for _ in range(60):
        disc.apply_torque(0.5)
        world.step()
    assert disc.angular_velocity == pytest.approx(0.2 / disc.inertia, rel=1e-3)
    assert weld.torque == pytest.approx(-0.3, rel=1e-6)


def test_a_torque_below_the_bound_is_held():
    world = p2.World(gravity=(0, 0))
    disc = world.add_body(p2.Circle(0.5), (0, 0), mass=MASS)
    weld = world.add_weld_joint(None, disc, max_torque=0.6)
    for _ in range(240):
        disc.apply_torque(0.5)
        world.step()
    assert abs(disc.angular_velocity) < 1e-4
    assert weld.torque == pytest.approx(-0.5, rel=1e-3)
    assert weld.angular_separation < 1e-3


def test_what_was_pulled_away_comes_back_when_the_load_is_gone():
    world, disc, joint = hang("weld", max_force=1.5 * MASS * G)
    for _ in range(20):
        disc.apply_force((0, -MASS * G))
        world.step()
    assert joint.linear_separation > 0.05
    world.step(n=120)  # and does not swing about its place
    assert joint.linear_separation < 2e-4


def test_no_bound_is_the_joint_as_it_was():
    """Bit for bit, and a bound that is taken away leaves none."""
    for kind in KINDS:
        hashes = set()
        for told in ({}, {"max_force": None}, {"max_force": math.inf}):
            world, _disc, joint = hang(kind, **told)
            assert joint.max_force == math.inf
            world.step(n=30)
            hashes.add(world.hash())
        assert len(hashes) == 1
        world, _disc, joint = hang(kind, max_force=1)
        joint.max_force = None
        world.step(n=30)
        assert world.hash() in hashes


def test_a_spring_of_a_length_is_bounded():
    """Pulled 1 m beyond its rest by k = 40 N/m, it gives 10 N and not 40."""
    world = p2.World(gravity=(0, 0))
    disc = world.add_body(p2.Circle(0.5), (2, 0), mass=MASS)
    spring = world.add_distance_joint(
        None, disc, anchor_a=(0, 0), stiffness=40, spring_target=1, max_force=10
    )
    world.step(n=6)
    assert disc.velocity[0] == pytest.approx(-10 / MASS * 0.1, rel=1e-6)
    assert spring.force[0] == pytest.approx(-10, rel=1e-6)


def test_a_chain_of_bounded_hinges_carries_itself_or_tears_slowly():
    """Five links of 1 kg: the topmost hinge bears 5 g, the others less."""
    for bound, holds in ((6 * G, True), (4.5 * G, False)):
        world = p2.World()
        above, y = None, 0.0
        for i in range(5):
            link = world.add_body(p2.Box(0.1, 0.8), (0, y - 0.5), mass=1, category=2, mask=1)
            world.add_revolute_joint(above, link, anchor=(0, y), max_force=bound)
            above, y = link, y - 1
            assert i < 5
        world.step(n=120)
        top = world.joints[0]
        assert (top.linear_separation < 0.01) == holds
        assert np.isfinite(world.positions).all()
        if holds:
            assert top.force[1] == pytest.approx(5 * G, rel=0.01)


@pytest.mark.parametrize("kind", ["weld", "revolute", "distance", "prismatic", "wheel"])
def test_what_tears_at_a_bound_keeps_momentum_and_gains_no_energy(kind):
    random = np.random.default_rng(1)
    for _ in range(12):
        world = p2.World(gravity=(0, 0), sleeping=False)
        masses, filters = random.uniform(0.3, 3, 2), {"category": 2, "mask": 1}
        a = world.add_body(p2.Box(1, 1), (0, 0), mass=masses[0], **filters)
        b = world.add_body(
            p2.Box(1, 1), (2, 0), mass=masses[1], velocity=random.uniform(-4, 4, 2),
            angular_velocity=random.uniform(-3, 3), **filters,
        )  # fmt: skip
        if kind == "distance":
            world.add_distance_joint(a, b, anchor_a=(0.5, 0.5), anchor_b=(2, 0.5), max_force=5)
        else:
            torque = {"max_torque": 1} if kind in ("weld", "prismatic") else {}
            getattr(world, f"add_{kind}_joint")(a, b, anchor=(1, 0), max_force=5, **torque)
        before = *world.momentum(), world.angular_momentum()
        energy = world.kinetic_energy()
        for _ in range(16):
            world.step(n=30)
            assert world.kinetic_energy() <= energy * 1.001
        after = *world.momentum(), world.angular_momentum()
        assert after == pytest.approx(before, rel=1e-3, abs=1e-3)


# ------------------------------------------------------------------------------------------ torques
def turn(kind, torque, steps=60, **keywords):
    """A disc of which a joint holds the angle alone, under a torque."""
    world = p2.World(gravity=(0, 0))
    disc = world.add_body(p2.Circle(0.5), (0, 0), mass=MASS)
    joint = getattr(world, f"add_{kind}_joint")(None, disc, **keywords)
    for _ in range(steps):
        disc.apply_torque(torque)
        world.step()
    return disc, joint


HOLDERS = [
    ("rotary", {"lower": 0, "upper": 0}, -1),
    ("rotary", {"lower": 0, "upper": 0}, 1),
    ("rotary", {"upper": 0}, 1),
    ("rotary", {"lower": 0}, -1),
    ("ratchet", {"tooth": 0.5}, -1),
    ("ratchet", {"tooth": -0.5}, 1),
    ("prismatic", {}, 1),
    ("weld", {"spring_hertz": 2}, 1),
]


@pytest.mark.parametrize(("kind", "keywords", "way"), HOLDERS)
def test_an_angle_gives_way_to_what_is_above_the_bound(kind, keywords, way):
    disc, joint = turn(kind, way * 0.5, max_torque=0.3, **keywords)
    assert joint.torque == pytest.approx(-way * 0.3, rel=1e-6)
    if kind != "weld":  # whose spring has to be strained first
        assert disc.angular_velocity == pytest.approx(way * 0.2 / disc.inertia, rel=0.02)
    speed = disc.angular_velocity
    for _ in range(30):
        disc.apply_torque(way * 0.5)
        disc.world.step()
    assert disc.angular_velocity - speed == pytest.approx(way * 0.1 / disc.inertia, abs=1e-4)


@pytest.mark.parametrize(("kind", "keywords", "way"), HOLDERS[:-1])
def test_an_angle_holds_what_is_below_the_bound(kind, keywords, way):
    disc, joint = turn(kind, way * 0.5, 240, max_torque=0.6, **keywords)
    assert abs(disc.angular_velocity) < 1e-4
    assert joint.torque == pytest.approx(-way * 0.5, rel=1e-3)
    assert joint.angular_separation < 1e-3


def test_limits_with_a_bound_push_one_way_only():
    disc, joint = turn("rotary", 0, 30, upper=0.5, lower=-0.5, max_torque=5)
    assert joint.torque == 0
    disc.angular_velocity = 1.5
    disc.world.step(n=10)
    assert disc.angular_velocity == 1.5
    deepest = 0
    for _ in range(30):
        disc.world.step()
        deepest = max(deepest, disc.angle)
    assert deepest == pytest.approx(0.5 + 1.5**2 / (2 * 5 / disc.inertia), abs=0.02)
    disc.world.step(n=300)
    assert -2 * (deepest - 0.5) - 0.1 < disc.angular_velocity <= 0  # no bounce
    disc.angle, disc.angular_velocity = 0.3, -1
    disc.world.step()
    assert disc.angular_velocity == pytest.approx(-1, abs=1e-6)


def test_a_motor_and_a_limit_with_a_bound():
    """The stronger of both has its way: 2 N m against 3, and against 1.5."""
    for most, holds in ((3, True), (1.5, False)):
        disc, joint = turn(
            "rotary", 0, 120, upper=0.5, motor_speed=1, max_motor_torque=2, max_torque=most
        )
        assert (disc.angle < 0.51) == holds
        assert disc.angular_velocity == pytest.approx(0 if holds else 1, abs=1e-3)
        assert joint.torque == pytest.approx(0, abs=2e-3)  # the motor gives what the limit takes


@pytest.mark.parametrize("ratio", [1, -1, 2.5])
@pytest.mark.parametrize("bound", [0.4, 10])
def test_gears_give_no_more_torque_than_the_bound(ratio, bound):
    """w1 I1 = T - M, w2 I2 = -ratio M with M = bound, or what keeps w1 = -ratio w2."""
    world = p2.World(gravity=(0, 0))
    wheels = [world.add_body(p2.Circle(1), (3 * k, 0), mass=1 + k, mask=0) for k in range(2)]
    pins = [world.add_revolute_joint(None, wheel) for wheel in wheels]
    gear = world.add_gear_joint(*pins, ratio, max_torque=bound)
    torque, (i1, i2) = 2.0, (wheel.inertia for wheel in wheels)
    for _ in range(60):
        wheels[0].apply_torque(torque)
        world.step()
    given = min(bound, torque * i2 / (i2 + ratio**2 * i1))
    assert wheels[0].angular_velocity == pytest.approx((torque - given) / i1, rel=2e-3)
    assert wheels[1].angular_velocity == pytest.approx(-ratio * given / i2, rel=2e-3)
    assert abs(gear.torque) == pytest.approx(abs(ratio) * given, rel=2e-3)


def test_a_gear_of_a_carrier_with_a_bound_keeps_the_angular_momentum():
    """Both wheels turn on one body that turns too: the bodies a of both joints are one."""
    world = p2.World(gravity=(0, 0))
    carrier = world.add_body(p2.Box(4, 0.2), (0, 0), mass=2, mask=0)
    wheels = [world.add_body(p2.Circle(0.5), (x, 0), mass=1, mask=0) for x in (-1, 1)]
    pins = [world.add_revolute_joint(carrier, w, anchor=w.position) for w in wheels]
    gear = world.add_gear_joint(*pins, 2, max_torque=0.05)
    wheels[0].angular_velocity = 1
    before = world.angular_momentum()
    world.step(n=30)
    assert abs(gear.torque) == pytest.approx(0.1, rel=1e-3)
    world.step(n=900)
    assert gear.speed == pytest.approx(0, abs=2e-3)
    assert world.angular_momentum() == pytest.approx(before, rel=1e-4)


def test_a_pulley_pulls_both_with_the_bound():
    world = p2.World()
    a = world.add_body(p2.Box(1, 1), (-2, 0), mass=1)
    b = world.add_body(p2.Box(1, 1), (2, 0), mass=3)
    world.add_pulley_joint(a, b, ground_a=(-2, 50), ground_b=(2, 50), ratio=2, max_force=4)
    world.step(n=60)
    assert a.velocity[1] == pytest.approx(4 - G, rel=1e-3)
    assert b.velocity[1] == pytest.approx(2 * 4 / 3 - G, rel=1e-3)


# ----------------------------------------------------------------------------------- with springs
def test_a_suspension_keeps_its_spring_beside_a_bound_across():
    """Along the axis the wheel rests at g / w^2, across it slips as (m a - F) / m."""
    for bound, holds in ((None, True), (12, True), (6, False)):
        world = p2.World(gravity=(0, 0))
        disc = world.add_body(p2.Circle(0.5), (0, 0), mass=MASS)
        wheel = world.add_wheel_joint(
            None, disc, axis=(0, 1), spring_hertz=2, spring_damping_ratio=1, max_force=bound
        )
        world.gravity = (10 / MASS, -G)
        world.step(n=180)
        assert disc.position[1] == pytest.approx(-G / (4 * math.pi) ** 2, rel=1e-3)
        slip = 0 if holds else (10 - 6) / MASS * 3
        assert disc.velocity[0] == pytest.approx(slip, abs=0.02)
        assert wheel.force[1] == pytest.approx(MASS * G, rel=1e-3)


def test_a_slide_keeps_its_spring_and_motor_beside_bounds():
    world = p2.World()
    disc = world.add_body(p2.Circle(0.5), (0, 0), mass=MASS)
    slide = world.add_prismatic_joint(
        None, disc, stiffness=40, damping=20, spring_target=0.5, max_force=1e3, max_torque=1e3
    )
    world.step(n=400)
    assert slide.translation == pytest.approx(0.5, abs=1e-4)
    slide.max_force = 10
    world.step(n=30)
    before = disc.velocity[1]
    world.step(n=30)
    assert before - disc.velocity[1] == pytest.approx((MASS * G - 10) / MASS / 2, abs=1e-4)


def test_a_hinge_keeps_the_spring_of_its_angle_beside_a_bound():
    """A door on a spring of 30 N m/rad under its weight, as without a bound."""
    angles = []
    for bound in (None, 1e4, 25):
        world = p2.World()
        bar = world.add_body(p2.Box(2, 0.1), (1, 0), mass=1)
        hinge = world.add_revolute_joint(
            None, bar, anchor=(0, 0), stiffness=30, damping=10, max_force=bound
        )
        world.step(n=400)
        angles.append(hinge.angle)
        assert hinge.force == pytest.approx((0, G), rel=2e-3, abs=2e-3)
    assert angles[0] == pytest.approx(-G * math.cos(angles[0]) / 30, rel=1e-3)
    assert angles[1:] == pytest.approx(2 * [angles[0]], rel=2e-3)
    hinge.max_force = 5
    world.step(n=30)
    assert np.hypot(*hinge.force) == pytest.approx(5, rel=1e-5)


def test_a_weld_on_springs_is_bounded():
    """Pulled 1 m away by k = m w^2: at the bound it gives no more."""
    for told in ({}, {"angular_spring_hertz": 3}, {"angular_spring_hertz": 0}):
        world = p2.World(gravity=(0, 0))
        disc = world.add_body(p2.Circle(0.5), (0, 0), mass=MASS)
        weld = world.add_weld_joint(None, disc, spring_hertz=2, max_force=7, **told)
        disc.position = (1, 0)
        world.step(n=6)
        assert weld.force == pytest.approx((-7, 0), rel=1e-6, abs=1e-6)
        assert disc.velocity[0] == pytest.approx(-7 / MASS * 0.1, rel=1e-5)
        weld.max_force = None
        world.step(n=1)
        assert np.hypot(*weld.force) > 200


def test_a_spring_of_a_length_and_its_limit_share_a_bound():
    """The spring gives what k says, the limit what is left of the bound."""
    world = p2.World()
    disc = world.add_body(p2.Circle(0.5), (0, -1), mass=MASS)
    spring = world.add_distance_joint(
        None, disc, anchor_a=(0, 0), upper=1, stiffness=8, spring_target=0.5, max_force=10
    )
    world.step(n=60)
    assert spring.force[1] == pytest.approx(10, rel=1e-6)
    assert disc.velocity[1] == pytest.approx(-(G - 10 / MASS), rel=1e-3)
    spring.max_force = 40
    disc.position, disc.velocity = (0, -1), (0, 0)
    world.step(n=60)
    assert spring.length == pytest.approx(1, abs=1e-3)
    assert spring.force[1] == pytest.approx(MASS * G, rel=1e-3)


# -------------------------------------------------------------------------------------------- state
def test_the_same_bits_by_every_instruction_set_and_number_of_workers():
    def run(**options):
        world = p2.World(**options)
        for k, kind in enumerate(KINDS * 3):
            _, disc, _ = hang(kind, world, max_force=3.0 * k)
            disc.position = (3 * k, -1)
        world.step(n=60)
        return world

    check_same_bits(run, workers=(1, 2))


@kinds
def test_snapshots_and_scene_files_keep_bounds(kind, tmp_path):
    world, _, joint = hang(kind, max_force=7.5)
    p2.save(world, tmp_path / "scene.json")
    for twin in (
        p2.World.from_snapshot(world.snapshot()),
        pickle.loads(pickle.dumps(world)),
        p2.load(tmp_path / "scene.json"),
    ):
        assert twin.joints[0].max_force == 7.5
        assert twin.hash() == world.hash()
    other = p2.World.from_snapshot(world.snapshot())
    other.joints[0].max_force = 8
    assert other.hash() != world.hash()
    assert any("max_force" in path for path, *_ in world.diff(other))
    for each in (world, twin := p2.World.from_snapshot(world.snapshot())):
        each.step(n=60)
    assert twin.hash() == world.hash()
    assert joint.max_force == 7.5


# ----------------------------------------------------------------------------------------- refusals
@kinds
@pytest.mark.parametrize("value", [-1, math.nan, 1e16, -math.inf])
def test_bad_bounds_are_refused(kind, value):
    world, disc, joint = hang(kind, max_force=3)
    hashed = world.hash()
    with pytest.raises(ValueError, match="max_force"):
        joint.max_force = value
    with pytest.raises(ValueError, match="max_force"):
        hang(kind, max_force=value)
    with pytest.raises(TypeError, match="max_force"):
        joint.max_force = "strong"
    assert joint.max_force == 3
    assert world.hash() == hashed
    assert disc.alive


def test_limits_and_motor_of_a_bounded_hinge_work():
    world = p2.World()
    bar = world.add_body(p2.Box(2, 0.1), (1, 0), mass=1)
    hinge = world.add_revolute_joint(
        None, bar, anchor=(0, 0), upper=1, lower=-1, motor_speed=2, max_motor_torque=100,
        max_force=1e4,
    )  # fmt: skip
    world.step(n=20)
    assert hinge.speed == pytest.approx(2, rel=0.02)
    world.step(n=120)
    assert hinge.angle == pytest.approx(1, abs=0.02)
    assert hinge.linear_separation < 0.01


@pytest.mark.parametrize("kind", ["revolute", "distance"])
def test_sequential_impulses_refuses_bounds_by_name(kind):
    world = p2.World(solver="sequential_impulses")
    with pytest.raises(ValueError, match="max_force"):
        hang(kind, world, max_force=5)
