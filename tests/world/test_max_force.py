"""Bounds of what welds, hinges and rods hold with."""

import itertools
import math
import pickle

import numpy as np
import pytest

import pyphys2d as p2

G, MASS = 9.81, 2.0


def hang(kind, world=None, **keywords):
    """A disc that hangs under a point of the world by one joint, at rest."""
    world = p2.World() if world is None else world
    disc = world.add_body(p2.Circle(0.5), (0, -1), mass=MASS)
    if kind == "distance":
        return world, disc, world.add_distance_joint(None, disc, anchor_a=(0, 0), **keywords)
    return world, disc, getattr(world, f"add_{kind}_joint")(None, disc, **keywords)


KINDS = ("weld", "revolute", "distance")
kinds = pytest.mark.parametrize("kind", KINDS)


# ------------------------------------------------------------------------------------------ statics
@kinds
@pytest.mark.parametrize("share", [0.0, 0.25, 0.75, 0.99])
def test_a_weight_above_the_bound_sinks_by_what_is_left(kind, share):
    """a = (m g - F) / m, as soon as it has given way, but for the rounding of float32."""
    bound = share * MASS * G
    world, disc, joint = hang(kind, max_force=bound)
    world.step(n=30)
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
    assert joint.force == pytest.approx((0, MASS * G), rel=1e-3, abs=1e-6)
    assert joint.linear_separation < 2e-4


@kinds
def test_a_push_and_the_weight_together_are_bounded_by_their_length(kind):
    """The bound is of the vector: 12 N down and 5 N aside are 13 N."""
    for bound, holds in ((13.1, True), (12.9, False)):
        world, disc, joint = hang("weld" if kind == "distance" else kind, max_force=bound)
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
    world.step(n=300)
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


@kinds
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
            torque = {"max_torque": 1} if kind == "weld" else {}
            getattr(world, f"add_{kind}_joint")(a, b, anchor=(1, 0), max_force=5, **torque)
        before = *world.momentum(), world.angular_momentum()
        energy = world.kinetic_energy()
        for _ in range(16):
            world.step(n=30)
            assert world.kinetic_energy() <= energy * 1.001
        after = *world.momentum(), world.angular_momentum()
        assert after == pytest.approx(before, rel=1e-3, abs=1e-3)


# -------------------------------------------------------------------------------------------- state
def test_the_same_bits_by_every_instruction_set_and_number_of_workers():
    results = set()
    try:
        for simd, workers in itertools.product(p2.simd.available, (1, 2)):
            p2._core._set_simd(simd)
            world = p2.World(workers=workers)
            for k, kind in enumerate(KINDS * 7):
                _, disc, _ = hang(kind, world, max_force=3.0 * k)
                disc.position = (3 * k, -1)
            world.step(n=60)
            results.add(world.hash())
    finally:
        p2._core._set_simd(None)
    assert len(results) == 1


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


@pytest.mark.parametrize(
    ("kind", "keywords", "message"),
    [
        ("weld", {"spring_hertz": 3}, "a weld without springs"),
        ("weld", {"angular_spring_hertz": 2}, "a weld without springs"),
        ("revolute", {"spring_hertz": 3}, "without a spring of its angle"),
        ("revolute", {"damping": 3}, "without a spring of its angle"),
        ("distance", {"upper": 2}, "a rod, or with a spring alone"),
        ("distance", {"spring_hertz": 2, "lower": 0.5}, "a rod, or with a spring alone"),
        ("distance", {"motor_speed": 1, "max_motor_force": 2}, "a motor has max_motor_force"),
    ],
)
def test_what_has_no_bound_says_so(kind, keywords, message):
    with pytest.raises(ValueError, match=f"max_force: goes with.*{message}"):
        hang(kind, max_force=5, **keywords)
    world, _, joint = hang(kind, **keywords)
    hashed = world.hash()
    with pytest.raises(ValueError, match=f"max_force: goes with.*{message}"):
        joint.max_force = 5
    assert world.hash() == hashed


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
