"""Joints with a stiffness and a damping of their own: springs in place of what they hold."""

import copy
import math
import pickle

import numpy as np
import pytest
from hanging import MASS, G, hang, kinds
from same_bits import check_same_bits

import pyphys2d as p2


def sag_of(hertz, load=1.0):
    """Of a weight of `load` times that of what the spring's frequency is of: F / (m w^2)."""
    return load * G / (2 * math.pi * hertz) ** 2


# ------------------------------------------------------------------------------------------ statics
@kinds
@pytest.mark.parametrize(("hertz", "ratio"), [(2, 1), (5, 0.5), (20, 2), (48, 0.7)])
def test_a_weight_sags_as_hookes_law_says(kind, hertz, ratio):
    world, disc, joint = hang(kind, joint_hertz=hertz, joint_damping_ratio=ratio)
    world.step(n=240)
    assert -1 - disc.position[1] == pytest.approx(sag_of(hertz), rel=1e-4)
    assert joint.linear_separation == pytest.approx(sag_of(hertz), rel=1e-4)
    assert abs(joint.force[1]) == pytest.approx(MASS * G, rel=1e-4)
    assert abs(disc.position[0]) < 1e-9


@pytest.mark.parametrize("substeps", [4, 8])
@pytest.mark.parametrize("load", [1, 10, 50])
def test_what_other_joints_hand_to_a_joint_sags_as_well(load, substeps):
    """The mass that hangs on a weld, rigidly, has its weight and no stiffness."""
    world, disc, joint = hang(
        "prismatic",
        p2.World(substeps=substeps, sleeping=False),
        joint_hertz=12,
        joint_damping_ratio=1,
    )
    heavy = world.add_body(p2.Box(1, 1), (0, -3), mass=load * MASS)
    world.add_weld_joint(disc, heavy)
    world.step(n=600)
    assert -1 - disc.position[1] == pytest.approx(sag_of(12, 1 + load), rel=1e-4)
    assert joint.force[1] == pytest.approx((1 + load) * MASS * G, rel=1e-4)


def test_what_lies_on_a_body_sags_its_joint():
    world = p2.World(sleeping=False)
    shelf = world.add_body(p2.Box(3, 0.2), mass=2)
    slide = world.add_prismatic_joint(None, shelf, joint_hertz=6, joint_damping_ratio=1)
    for k in range(3):
        world.add_body(p2.Box(1, 1), (0, 0.6 + k), mass=10)
    world.step(n=480)
    assert -shelf.position[1] == pytest.approx(sag_of(6, 16), rel=1e-4)
    assert slide.force[1] == pytest.approx(32 * G, rel=1e-4)


def test_an_angle_sags_by_its_torque():
    """M / (I w^2), of a joint between two free bodies of half the inertia together."""
    world = p2.World(gravity=(0, 0), sleeping=False)
    bodies = [world.add_body(p2.Circle(0.5), (x, 0), mass=1, inertia=0.8) for x in (0, 2)]
    joint = world.add_rotary_joint(*bodies, lower=0, upper=0, joint_hertz=3, joint_damping_ratio=1)
    for _ in range(240):
        bodies[0].apply_torque(-0.5)
        bodies[1].apply_torque(0.5)
        world.step()
    assert joint.angle == pytest.approx(0.5 / (0.4 * (2 * math.pi * 3) ** 2), rel=1e-4)


def test_a_gear_gives_way_by_its_torque():
    """1 N m on a wheel of 0.5 kg m^2 that is geared to one that does not turn."""
    world = p2.World(gravity=(0, 0), sleeping=False)
    wheel = world.add_body(p2.Circle(1), inertia=0.5)
    other = world.add_body(p2.Circle(1), (3, 0), fixed_rotation=True)
    pins = [world.add_revolute_joint(None, body) for body in (wheel, other)]
    world.add_gear_joint(*pins, joint_hertz=4, joint_damping_ratio=1)
    for _ in range(240):
        wheel.apply_torque(1)
        world.step()
    assert wheel.angle == pytest.approx(1 / (0.5 * (2 * math.pi * 4) ** 2), rel=1e-4)


def test_two_joints_of_one_world_have_each_their_own():
    world = p2.World(joint_hertz=60)
    _, soft, _ = hang("weld", world, joint_hertz=2, joint_damping_ratio=1)
    firm = world.add_body(p2.Circle(0.5), (5, -1), mass=MASS)
    rigid = world.add_body(p2.Circle(0.5), (9, -1), mass=MASS)
    world.add_weld_joint(None, firm, joint_hertz=15, joint_damping_ratio=0.3)
    world.add_weld_joint(None, rigid)
    world.step(n=300)
    sags = [-1 - body.position[1] for body in (soft, firm, rigid)]
    assert sags == pytest.approx([sag_of(2), sag_of(15), 0], rel=1e-4, abs=1e-6)


# ----------------------------------------------------------------------------------------- dynamics
@pytest.mark.parametrize(("hertz", "ratio"), [(2, 0.1), (4, 0.2), (6, 0.05)])
def test_it_oscillates_and_decays_as_a_spring_does(hertz, ratio):
    """From the extrema: period 1 / (f sqrt(1 - z^2)), and exp(-pi z / sqrt(1 - z^2)) for each half
    of one, z being that of implicit Euler, which adds pi f / rate.
    """
    world = p2.World(gravity=(0, 0), sleeping=False)
    body = world.add_body(p2.Circle(0.5), mass=MASS)
    world.add_weld_joint(None, body, joint_hertz=hertz, joint_damping_ratio=ratio)
    body.velocity = (0, 1)
    dt, y = 1 / 480, []
    for _ in range(int(2.2 / hertz / dt)):
        world.step(dt / 8)
        y.append(body.position[1])
        for _ in range(7):
            world.step(dt / 8)
    y = np.array(y)
    peaks = [k for k in range(1, len(y) - 1) if (y[k] - y[k - 1]) * (y[k + 1] - y[k]) < 0]
    z = ratio + math.pi * hertz * dt / 64  # of substeps of dt / 64
    root = math.sqrt(1 - z * z)
    assert np.diff(peaks[:4]) * dt == pytest.approx(1 / (2 * hertz * root), abs=1.5 * dt)
    shrinks = np.abs(y[peaks[1:4]] / y[peaks[:3]])
    assert shrinks == pytest.approx(math.exp(-math.pi * z / root), rel=0.01)


def test_pairs_keep_their_momentum():
    world = p2.World(gravity=(0, 0), sleeping=False)
    a = world.add_body(p2.Box(1, 1), mass=1, velocity=(2, 1), angular_velocity=3)
    b = world.add_body(p2.Box(1, 1), (2, 0), mass=3, velocity=(-1, 0.5))
    world.add_weld_joint(a, b, anchor=(1, 0.3), joint_hertz=5, joint_damping_ratio=0.3)
    world.step(n=300)
    # The velocities are rounded in 2,400 substeps, to 1.2e-7 and 3.6e-7.
    assert a.velocity + 3 * b.velocity == pytest.approx((-1, 2.5), abs=2e-5)


def test_a_rope_is_slack_within_its_limit_and_a_spring_beyond():
    world, disc, _ = hang("rope", upper=1.5, joint_hertz=3, joint_damping_ratio=1)
    world.step(n=10)
    assert disc.velocity[1] == pytest.approx(-G / 6, rel=1e-4)
    world.step(n=300)
    assert -disc.position[1] - 1.5 == pytest.approx(sag_of(3), rel=1e-4)


def test_a_bound_holds_beside_a_tuning():
    world, disc, joint = hang(
        "weld", joint_hertz=4, joint_damping_ratio=1, max_force=1.5 * MASS * G
    )
    world.step(n=240)
    assert -1 - disc.position[1] == pytest.approx(sag_of(4), rel=1e-3)
    joint.max_force = 0.5 * MASS * G
    before = disc.velocity[1]
    world.step(n=60)
    assert before - disc.velocity[1] == pytest.approx(G / 2, rel=1e-3)


def test_a_spring_of_the_joint_is_beside_it():
    """A slider whose line gives way by 10 Hz, and whose spring along it is of 2 Hz."""
    world = p2.World((G, -G))
    body = world.add_body(p2.Circle(0.5), mass=MASS)
    options = {"spring_hertz": 2, "spring_damping_ratio": 1, "joint_hertz": 10}
    world.add_prismatic_joint(None, body, axis=(1, 0), joint_damping_ratio=1, **options)
    world.step(n=300)
    assert body.position == pytest.approx((sag_of(2), -sag_of(10)), rel=1e-4)


@pytest.mark.parametrize(("hertz", "ratio"), [(30, 1), (48, 2), (1000, 5)])
def test_a_chain_with_a_load_gains_no_energy(hertz, ratio):
    world = p2.World(sleeping=False)
    last = None
    for k in range(8):
        link = world.add_body(p2.Box(0.5, 0.1), (0.25 + 0.5 * k, 0), density=100)
        world.add_revolute_joint(
            last, link, anchor=(0.5 * k, 0), joint_hertz=hertz, joint_damping_ratio=ratio
        )
        last = link
    ball = world.add_body(p2.Circle(0.3), (4.3, 0), mass=50)
    world.add_revolute_joint(
        last, ball, anchor=(4, 0), joint_hertz=hertz, joint_damping_ratio=ratio
    )
    for _ in range(300):
        world.step()
        energy = [b.kinetic_energy + b.mass * G * b.position[1] for b in world.bodies]
        assert sum(energy) < 1e-3
    assert world.joint_separations[:, 0].max() < 0.2


# ------------------------------------------------------------------------------------------- values
def test_none_is_the_worlds_and_both_none_hold_exactly():
    world, disc, joint = hang("weld", p2.World(joint_hertz=7, joint_damping_ratio=1))
    assert joint.joint_hertz is None
    assert joint.joint_damping_ratio is None
    world.step(n=60)
    assert disc.position[1] == pytest.approx(-1, abs=1e-6)
    joint.joint_damping_ratio = 0.8
    assert joint.joint_hertz is None
    world.step(n=240)
    assert -1 - disc.position[1] == pytest.approx(sag_of(7), rel=1e-4)
    assert "joint_damping_ratio=0.8" in repr(joint)
    assert "joint_hertz" not in repr(joint)
    joint.joint_hertz = 3
    world.step(n=240)
    assert -1 - disc.position[1] == pytest.approx(sag_of(3), rel=1e-4)
    joint.joint_hertz = joint.joint_damping_ratio = None
    world.step(n=240)
    assert disc.position[1] == pytest.approx(-1, abs=1e-4)


def test_a_world_that_was_tuned_for_a_while_is_as_one_that_never_was():
    """What a tuning leaves behind is nothing, where no step is made with it."""
    worlds = [hang("revolute")[0] for _ in range(2)]
    joint = worlds[0].joints[0]
    joint.joint_hertz = 5
    assert worlds[0].hash() != worlds[1].hash()
    joint.joint_hertz = None
    for world in worlds:
        world.step(n=60)
    assert worlds[0].hash() == worlds[1].hash()


@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan, "5"])
def test_numbers_that_are_none_are_refused_by_name(value):
    world, _, joint = hang("weld")
    with pytest.raises((ValueError, TypeError), match="joint_hertz"):
        joint.joint_hertz = value
    with pytest.raises((ValueError, TypeError), match="joint_hertz"):
        world.add_weld_joint(None, world.bodies[0], joint_hertz=value)
    assert joint.joint_hertz is None
    assert len(world.joints) == 1
    if value != 0:
        with pytest.raises((ValueError, TypeError), match="joint_damping_ratio"):
            joint.joint_damping_ratio = value


@pytest.mark.parametrize("kind", ["revolute", "distance", "wheel"])
def test_the_other_solver_says_which_number_it_has_not(kind):
    axis = {"axis": (1, 0)} if kind == "wheel" else {}
    for name in ("joint_hertz", "joint_damping_ratio"):
        world = p2.World(solver="sequential_impulses")
        body = world.add_body(p2.Circle(1))
        make = getattr(world, f"add_{kind}_joint")
        with pytest.raises(ValueError, match=f"{name}: .*soft_step"):
            make(None, body, anchor_b=(0.5, 0.5), anchor_a=(0, 2), **{name: 4}, **axis)
        assert len(world.joints) == 0


def test_check_names_a_frequency_that_no_substep_follows():
    world, _, joint = hang("weld", joint_hertz=47, joint_damping_ratio=1)
    assert not world.check()
    joint.joint_hertz = 100
    (found,) = world.check()
    assert found.kind == "tuning"
    assert found.objects == (joint,)
    assert "joint_hertz of WeldJoint 0 is 100 and acts as 48 Hz" in found.message
    world.substeps = 17
    assert not world.check()
    # It acts as that.
    world, disc, _ = hang("weld", joint_hertz=1e4, joint_damping_ratio=1)
    world.step(n=120)
    assert -1 - disc.position[1] == pytest.approx(sag_of(48), rel=1e-3)


# ----------------------------------------------------------------------------------- the same bits
def mixed(**options):
    """Tuned joints of each kind, with loads, in motion; some in lanes of one shape."""
    world = p2.World(**options)
    tuned = [{"joint_hertz": 4 + 3 * k, "joint_damping_ratio": 0.2 * k} for k in range(6)]
    for k in range(6):
        hub = world.add_body(p2.Box(1, 0.2), (4 * k, 0), angular_velocity=0.3 * k)
        arm = world.add_body(p2.Box(1, 0.2), (4 * k + 1, 0))
        pin = world.add_revolute_joint(None, hub, **(tuned[k] if k % 2 else {}))
        world.add_revolute_joint(hub, arm, anchor=(4 * k + 0.5, 0), lower=-1, upper=1, **tuned[k])
        ball = world.add_body(p2.Circle(0.2), (4 * k + 1, -1), density=1 + 9 * k)
        world.add_distance_joint(arm, ball, **tuned[5 - k])
        lift = world.add_body(p2.Box(0.4, 0.4), (4 * k, 3))
        slide = world.add_prismatic_joint(
            None, lift, axis=(0.1, 1), spring_hertz=3, max_force=40 * k + 1, **tuned[k]
        )
        world.add_gear_joint(pin, slide, joint_hertz=10 + k)
        plate = world.add_body(p2.Box(1, 0.2), (4 * k, 5))
        world.add_weld_joint(None, plate, anchor=(4 * k + 0.4, 5), **tuned[k])
        world.add_body(p2.Box(0.5, 0.5), (4 * k, 6), density=4)
        world.add_rotary_joint(plate, lift, lower=-0.1, upper=0.2, **tuned[2])
        world.add_wheel_joint(
            lift, world.add_body(p2.Circle(0.2), (4 * k + 1, 3)), **tuned[k], spring_hertz=5
        )
        world.add_ratchet_joint(hub, arm, tooth=0.3, joint_damping_ratio=1)
        world.add_pulley_joint(
            ball, lift, ground_a=(4 * k, 9), ground_b=(4 * k + 1, 9), joint_hertz=8
        )
    return world


def test_every_instruction_set_and_number_of_workers_makes_the_same_bits():
    def run(**options):
        world = mixed(**options)
        world.step(n=60)
        return world

    check_same_bits(run, workers=(1, 2), others=({"broadphase": "all_pairs"},))


def test_steps_go_on_from_snapshots_copies_pickles_and_restored_worlds():
    world = mixed()
    world.step(n=7)
    saved, state = world.snapshot(), pickle.dumps(world)
    others = [copy.deepcopy(world), pickle.loads(state), p2.World.from_snapshot(saved)]
    kept = [(joint.joint_hertz, joint.joint_damping_ratio) for joint in world.joints]
    world.step(n=20)
    for other in others:
        assert [(joint.joint_hertz, joint.joint_damping_ratio) for joint in other.joints] == kept
        other.step(n=20)
        assert other.hash() == world.hash()
    after = world.hash()
    world.restore(saved)
    world.step(n=20)
    assert world.hash() == after


def test_only_worlds_with_a_tuning_have_a_section_of_it():
    """24 bytes a joint, a head of 16, and, where there are no others, 16 for their end."""
    world, _, joint = hang("weld")
    plain = world.snapshot()
    joint.joint_hertz = 5
    tuned = world.snapshot()
    assert len(tuned) - len(plain) == 24 + 16 + 16
    joint.joint_hertz = None
    assert len(world.snapshot()) == len(plain)


def test_files_of_scenes_have_it(tmp_path):
    world = mixed()
    p2.save(world, tmp_path / "tuned.json", name="tuned")
    again = p2.load(tmp_path / "tuned.json")
    assert again.hash() == world.hash()


def test_a_log_of_calls_repeats_it(tmp_path):
    world, _, joint = hang("weld")
    with world.record_calls(tmp_path / "calls"):
        joint.joint_hertz = 5
        world.step(n=5)
        joint.joint_damping_ratio = 0.25
        world.step(n=5)
        joint.joint_hertz = None
        world.step(n=5)
    result = p2.replay(tmp_path / "calls")
    assert result.same
    assert result.world.hash() == world.hash()


def test_diff_names_it():
    a, b = hang("weld")[0], hang("weld", joint_hertz=5)[0]
    assert list(a.diff(b)) == [("joints[0].joint_hertz", None, 5.0)]
