"""Springs of a place and an angle: in N/m and N m/rad, and one of each."""

import itertools
import pickle

import numpy as np
import pytest

import pyphys2d as p2

KINDS = ("motor", "weld")
kinds = pytest.mark.parametrize("kind", KINDS)


def turned(angle, v):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])


def hold(kind, reach=(0, 0), gravity=(0, 0), world=None, **keywords):
    """A bar that is held at a point of it, (0, 0) in the world, by springs to the world."""
    world = world or p2.World(gravity=gravity)
    bar = world.add_body(p2.Box(1.2, 0.4), -np.array(reach, float), mass=2)
    if kind == "mouse":
        return world, bar, world.add_mouse_joint(bar, target=(0, 0), anchor=(0, 0), **keywords)
    return world, bar, getattr(world, f"add_{kind}_joint")(None, bar, anchor=(0, 0), **keywords)


def reference(bar, reach, push, seconds, k, c, kt, ct):
    """x, y, angle of the bar by the fourth-order method of Runge and Kutta."""
    m, inertia, h = bar.mass, bar.inertia, 1e-4
    reach = np.array(reach, float)

    def rate(y):
        arm = turned(y[2], reach)
        at = y[:2] + arm
        speed = y[3:5] + y[5] * np.array([-arm[1], arm[0]])
        force = -k * at - c * speed
        torque = arm[0] * force[1] - arm[1] * force[0] - kt * y[2] - ct * y[5]
        return np.concatenate([y[3:], (force + push) / m, [torque / inertia]])

    y = np.concatenate([-reach, np.zeros(4)])
    for _ in range(round(seconds / h)):
        a = rate(y)
        b = rate(y + h / 2 * a)
        d = rate(y + h / 2 * b)
        e = rate(y + h * d)
        y = y + h / 6 * (a + 2 * b + 2 * d + e)
    return y[:3]


# ------------------------------------------------------------------------------------------ statics
@pytest.mark.parametrize(
    ("kind", "reach"), [(k, r) for k in KINDS for r in ((0, 0), (0.4, 0.1))] + [("mouse", (0, 0))]
)
def test_a_place_gives_by_force_over_stiffness_in_the_direction_of_the_force(kind, reach):
    """Off the centre of mass too, where a spring in hertz is stiffer across the lever."""
    k, push = 80, np.array([3.0, -4.0])
    told = {} if kind == "mouse" else {"angular_stiffness": 30, "angular_damping": 4}
    _, bar, joint = hold(kind, reach, push / 2, stiffness=k, damping=25, **told)
    bar.world.step(n=900)
    place = bar.to_world(reach)
    assert place == pytest.approx(push / k, abs=2e-5)
    assert joint.force == pytest.approx(-push, rel=1e-4)
    assert np.hypot(*bar.velocity) < 1e-5
    if kind != "mouse":  # the push acts at the centre of mass, the spring at the anchor
        arm = turned(bar.angle, reach)
        torque = -(arm[0] * push[1] - arm[1] * push[0])
        assert bar.angle == pytest.approx(torque / 30, abs=2e-5)
        assert joint.torque == pytest.approx(-torque, rel=1e-3, abs=1e-5)


@pytest.mark.slow
@kinds
@pytest.mark.parametrize("reach", [(0, 0), (0.4, 0.1)])
@pytest.mark.parametrize("damping", [0, 1, 10])
def test_it_moves_as_the_equations_say(kind, reach, damping):
    k, c, kt, ct = 60, damping, 8, damping / 10
    push = np.array([6.0, -9.0])
    world, bar, _ = hold(
        kind, reach, push / 2, stiffness=k, damping=c, angular_stiffness=kt, angular_damping=ct
    )
    world.step(n=45)
    expected = reference(bar, reach, push, 0.75, k, c, kt, ct)
    assert [*bar.position, bar.angle] == pytest.approx(expected, abs=4e-3)


def test_a_mouse_pulls_by_stiffness_and_damping():
    push = np.array([6.0, -9.0])
    world, bar, _ = hold("mouse", (0.4, 0.1), push / 2, stiffness=60, damping=5)
    world.step(n=45)
    expected = reference(bar, (0.4, 0.1), push, 0.75, 60, 5, 0, 0)
    assert [*bar.position, bar.angle] == pytest.approx(expected, abs=4e-3)


@pytest.mark.parametrize("zeta", [0, 0.3, 1])
def test_a_mouse_in_hertz_is_as_stiff_in_all_directions(zeta):
    """Of the whole mass, wherever its lever arm points."""
    push, omega = np.array([6.0, -9.0]), 2 * np.pi * 1.5
    world, bar, _ = hold("mouse", (0.4, 0.1), push / 2, spring_hertz=1.5, spring_damping_ratio=zeta)
    world.step(n=45)
    k, c = 2 * omega**2, 2 * zeta * 2 * omega
    expected = reference(bar, (0.4, 0.1), push, 0.75, k, c, 0, 0)
    assert [*bar.position, bar.angle] == pytest.approx(expected, abs=4e-3)


@pytest.mark.parametrize("hertz", [0.5, 2, 8])
def test_a_mouse_beside_the_centre_of_mass_keeps_energy(hertz):
    """A stiffness that turned with the body would be no potential: it gave and took energy."""
    reach = np.array((0.5, 0.15))
    world, bar, _ = hold("mouse", reach, spring_hertz=hertz, spring_damping_ratio=0)
    bar.velocity, bar.angular_velocity = (2, 1), 4
    k, kick, energies = bar.mass * (2 * np.pi * hertz) ** 2, world.kinetic_energy(), []
    for _ in range(1200):
        world.step()
        energies.append(world.kinetic_energy() + 0.5 * k * np.sum(bar.to_world(reach) ** 2))
    assert np.ptp(energies) < 0.01 * kick
    assert np.mean(energies) == pytest.approx(kick, rel=0.005)


def test_a_damper_alone():
    """v = v0 exp(-c t / m), without a place to go back to."""
    world, bar, joint = hold("motor", damping=3, angular_damping=0.2)
    bar.velocity, bar.angular_velocity = (2, -1), 5
    world.step(n=60)
    assert bar.velocity == pytest.approx(np.exp(-1.5) * np.array([2, -1]), rel=5e-3)
    assert bar.angular_velocity == pytest.approx(5 * np.exp(-0.2 / bar.inertia), rel=5e-3)
    assert joint.stiffness == 0


# --------------------------------------------------------------------------------- one of each part
def test_a_motor_drives_the_angle_and_holds_the_place_by_a_spring():
    world, bar, joint = hold(
        "motor", spring_hertz=3, angular_spring_hertz=0, angular_velocity=2, max_torque=50
    )
    world.gravity = (0, -4)
    world.step(n=180)
    assert bar.angular_velocity == pytest.approx(2, abs=1e-6)
    assert bar.position == pytest.approx((0, -4 / (6 * np.pi) ** 2), abs=1e-5)
    joint.max_torque = 0
    bar.angular_velocity = 0.5
    world.step(n=10)
    assert bar.angular_velocity == pytest.approx(0.5, abs=1e-6)


def test_a_motor_drives_the_place_and_turns_the_angle_by_a_spring():
    world, bar, _ = hold(
        "motor", spring_hertz=0, angular_spring_hertz=2, linear_velocity=(1, -0.5),
        angle_offset=0.7, max_force=100,
    )  # fmt: skip
    world.step(n=180)
    assert bar.velocity == pytest.approx((1, -0.5), abs=1e-6)
    assert bar.angle == pytest.approx(0.7, abs=1e-4)


def test_a_place_in_newtons_and_an_angle_in_hertz():
    world, bar, joint = hold(
        "motor", gravity=(0, -10), stiffness=100, damping=20, angular_spring_hertz=1,
        angular_spring_damping_ratio=0,
    )  # fmt: skip
    bar.angle = 0.01
    world.step(n=60)  # one turn of the angle's spring
    assert bar.angle == pytest.approx(0.01, rel=0.01)
    world.step(n=300)
    assert bar.position[1] == pytest.approx(-20 / 100, abs=1e-4)
    assert joint.angular_spring_hertz == 1


def test_a_weld_of_a_stiffness_alone_holds_the_angle_and_the_other_way_round():
    world, bar, weld = hold("weld", (0.5, 0), gravity=(0, -10), stiffness=200, damping=40)
    world.step(n=600)
    assert bar.angle == pytest.approx(0, abs=1e-4)
    assert bar.position[1] == pytest.approx(-20 / 200, rel=1e-3)
    assert weld.torque == pytest.approx(-20 * 0.5, rel=1e-3)
    world, bar, weld = hold(
        "weld", (0.5, 0), gravity=(0, -10), angular_stiffness=40, angular_damping=8
    )
    world.step(n=900)
    assert bar.to_world((0.5, 0)) == pytest.approx((0, 0), abs=1e-4)
    assert bar.angle == pytest.approx(20 * 0.5 * np.cos(bar.angle) / 40, rel=2e-3)


def test_bounds_of_place_and_angle_are_kept_each():
    """At its bound the one gives no more, the other what is asked of it."""
    world, bar, motor = hold(
        "motor", gravity=(3, 4), stiffness=50, damping=20, angular_stiffness=5,
        angular_damping=1, max_force=6, max_torque=0.4,
    )  # fmt: skip
    world.step(n=60)
    assert np.hypot(*motor.force) == pytest.approx(6, rel=1e-5)
    assert bar.velocity == pytest.approx(
        (10 - 6) / 2 * np.array([0.6, 0.8]), rel=0.1
    )  # since it is at its bound
    before = bar.velocity
    world.step(n=6)
    gained = (10 - 6) / 2 * 0.1 * np.array([0.6, 0.8])
    assert bar.velocity - before == pytest.approx(gained, abs=1e-5)
    bar.angle = 1
    world.step()
    assert motor.torque == pytest.approx(-0.4, rel=1e-5)


# ------------------------------------------------------------------------------------ invariants
@kinds
def test_two_bodies_keep_momentum_and_gain_no_energy(kind):
    random = np.random.default_rng(2)
    for k in (5, 500, 50000):
        world = p2.World(gravity=(0, 0), sleeping=False)
        a, b = (
            world.add_body(
                p2.Box(1, 0.5), (2 * i, 0), mass=random.uniform(0.5, 3), category=2, mask=1,
                velocity=random.uniform(-2, 2, 2), angular_velocity=random.uniform(-2, 2),
            )
            for i in range(2)
        )  # fmt: skip
        getattr(world, f"add_{kind}_joint")(
            a, b, anchor=(1, 0.2), stiffness=k, damping=k / 50, angular_stiffness=k / 5
        )
        before = *world.momentum(), world.angular_momentum()
        energy = world.kinetic_energy()
        for _ in range(10):
            world.step(n=30)
            assert world.kinetic_energy() < energy * 1.001
        after = *world.momentum(), world.angular_momentum()
        assert after == pytest.approx(before, rel=1e-3, abs=1e-3)


def test_the_same_bits_by_every_instruction_set_and_number_of_workers():
    results = set()
    try:
        for simd, workers in itertools.product(p2.simd.available, (1, 2)):
            p2._core._set_simd(simd)
            world = p2.World(workers=workers)
            for k, kind in enumerate([*KINDS, "mouse"] * 3):
                told = {} if kind == "mouse" else {"angular_stiffness": 2.0 + k}
                _, bar, _ = hold(kind, (0.3, 0), world=world, stiffness=20 + k, damping=k, **told)
                bar.velocity, bar.colliders[0].mask = (k, -1), 0
            world.step(n=60)
            results.add(world.hash())
    finally:
        p2._core._set_simd(None)
    assert len(results) == 1


# ------------------------------------------------------------------------------- as they are told
@kinds
def test_told_one_way_it_reads_the_other(kind):
    _, bar, joint = hold(kind, stiffness=50, damping=4, angular_stiffness=6, angular_damping=1)
    assert joint.spring_hertz == pytest.approx(np.sqrt(50 / 2) / (2 * np.pi))
    assert joint.spring_damping_ratio == pytest.approx(4 / (2 * np.sqrt(50 * 2)))
    assert joint.angular_spring_hertz == pytest.approx(np.sqrt(6 / bar.inertia) / (2 * np.pi))
    bar.mass = 8
    bar.world.step()
    assert joint.spring_hertz == pytest.approx(np.sqrt(50 / 8) / (2 * np.pi))
    joint.spring_hertz = 3
    assert (joint.stiffness, joint.damping, joint.angular_stiffness) == (0, 0, 6)
    joint.angular_spring_hertz = 2
    assert joint.angular_stiffness == joint.angular_damping == 0
    joint.stiffness = 70
    assert joint.spring_hertz == pytest.approx(np.sqrt(70 / 8) / (2 * np.pi))


@pytest.mark.parametrize("kind", [*KINDS, "mouse"])
def test_snapshots_and_scene_files_keep_them(kind, tmp_path):
    told = {} if kind == "mouse" else {"angular_stiffness": 3, "angular_damping": 0.5}
    world, _, joint = hold(kind, (0.2, 0), (0, -5), stiffness=40, damping=3, **told)
    p2.save(world, tmp_path / "scene.json")
    for twin in (
        p2.World.from_snapshot(world.snapshot()),
        pickle.loads(pickle.dumps(world)),
        p2.load(tmp_path / "scene.json"),
    ):
        assert twin.joints[0].stiffness == 40
        assert twin.hash() == world.hash()
        twin.step(n=30)
        other = p2.World.from_snapshot(world.snapshot())
        other.step(n=30)
        assert twin.hash() == other.hash()
    other.joints[0].stiffness = 41
    assert any("stiffness" in path for path, *_ in world.diff(other))
    assert joint.alive


def test_motors_of_one_spring_have_the_snapshots_that_they_had():
    """Version 1, with zeros where a second spring has its numbers now."""
    for told, number in (({}, 1), ({"angular_spring_hertz": 0}, 2), ({"stiffness": 5}, 2)):
        world, _, joint = hold("motor", **told)
        snapshot = world.snapshot()
        at = snapshot.index(b"PH2DWRLD") + 8
        assert int.from_bytes(snapshot[at : at + 4], "little") == number
        twin = p2.World.from_snapshot(snapshot)
        hertz = twin.joints[0].angular_spring_hertz
        assert hertz == joint.angular_spring_hertz
        assert (hertz is None) == ("angular_spring_hertz" not in told)
        for each in (world, twin):
            each.bodies[0].velocity = (1, 2)
            each.step(n=20)
        assert twin.hash() == world.hash()


@pytest.mark.parametrize(
    ("kind", "keywords", "message"),
    [
        ("motor", {"stiffness": 5, "spring_hertz": 2}, "stiffness: give stiffness and damping, or"),
        ("mouse", {"damping": 5, "spring_hertz": 2}, "damping: give stiffness and damping, or"),
        ("weld", {"stiffness": 5, "spring_damping_ratio": 2}, "stiffness: give"),
        (
            "weld",
            {"angular_stiffness": 5, "angular_spring_hertz": 2},
            "angular_stiffness: give angular_stiffness and angular_damping, or",
        ),
        ("motor", {"angular_damping": 5, "angular_spring_hertz": 0}, "angular_damping: give"),
        ("motor", {"stiffness": -1}, "stiffness: must be >= 0"),
        ("motor", {"angular_damping": np.nan}, "angular_damping: must be finite"),
        ("mouse", {"stiffness": 1e16}, "stiffness: must be >= 0"),
    ],
)
def test_what_is_told_twice_or_badly_is_refused(kind, keywords, message):
    with pytest.raises(ValueError, match=message):
        hold(kind, **keywords)
