"""What joints promise of stiffness and energy, by the scenes of `benchmarks/stiffness.py`."""

import sys

import numpy as np
import pytest

import pyphys2d as p2

DT = 1 / 60
G = 10.0
NAMES = [
    *("chain 10 x 1:1", "chain 10 x 1:10", "chain 30 x 1:10", "chain 30 x 1:1000"),
    *("chain 30 x 1:10000", "ring 1:1000", "cantilever, two pins each, 1:1000", "ragdoll + 1000"),
    *(
        "crane 1:100",
        "rope 40 x 1:100",
        "rope 40 x 1:1000",
        "stack 10 + 10",
        "double pendulum, 60 s",
    ),
    *("chain 10 x 1:1000, 60 s", "chain 10 x 1:10000, 60 s", "pendulum, 60 s"),
]


@pytest.fixture
def stiffness(repository, monkeypatch):
    if not (repository / "benchmarks" / "common.py").is_file():
        pytest.skip("the benchmarks are not here")
    monkeypatch.setattr(sys, "path", [*sys.path, str(repository / "benchmarks")])
    import stiffness

    return stiffness


@pytest.mark.slow
@pytest.mark.parametrize("substeps", [4, 8])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_promised_is_kept(stiffness, name, substeps):
    (case,) = (case for case in stiffness.CASES if case.name == name)
    found = stiffness.measure(case, substeps)
    promise, verdict = stiffness.judge(case, substeps, found)
    assert promise
    assert verdict == "met", (promise, found)


@pytest.mark.parametrize("substeps", [4, 8])
@pytest.mark.parametrize("load", [1, 100, 1000])
def test_a_hinge_keeps_its_limit_under_a_load_that_falls_into_it(load, substeps):
    world = p2.World(gravity=(0, -G), sleeping=False, substeps=substeps)
    arm = world.add_body(p2.Box(1, 0.1), (0.5, 0), mask=0)
    hinge = world.add_revolute_joint(None, arm, anchor=(0, 0), lower=-0.8)
    ball = world.add_body(p2.Circle(0.2), (1, 0), mass=load * arm.mass, mask=0)
    world.add_revolute_joint(arm, ball, anchor=(1, 0))
    lowest = 0
    for _ in range(180):
        world.step(DT)
        lowest = min(lowest, hinge.angle)
    assert lowest > -0.8 - np.radians(0.5)
    assert hinge.angle == pytest.approx(-0.8, abs=np.radians(0.05))
    weight = (0.5 + load) * arm.mass * G * np.cos(0.8)
    assert hinge.torque == pytest.approx(weight, rel=2e-3)


@pytest.mark.parametrize("substeps", [4, 8])
@pytest.mark.parametrize("load", [1, 100, 1000])
def test_a_slide_keeps_its_limit_under_a_load_that_falls_into_it(load, substeps):
    world = p2.World(gravity=(0, -G), sleeping=False, substeps=substeps)
    sled = world.add_body(p2.Box(0.5, 0.5), mask=0)
    rail = world.add_prismatic_joint(None, sled, axis=(0, 1), lower=-1)
    ball = world.add_body(p2.Circle(0.2), (1, 0), mass=load * sled.mass, mask=0)
    world.add_weld_joint(sled, ball)
    lowest = 0
    for _ in range(180):
        world.step(DT)
        lowest = min(lowest, rail.translation)
    assert lowest > -1.001
    assert rail.translation == pytest.approx(-1, abs=1e-4)
    assert rail.force[1] == pytest.approx((1 + load) * sled.mass * G, rel=2e-3)


@pytest.mark.parametrize("load", [1, 100])
def test_a_motor_lifts_at_its_speed_with_the_torque_of_statics(load):
    world = p2.World(gravity=(0, -G), sleeping=False)
    drum = world.add_body(p2.Circle(0.5), mask=0)
    pin = world.add_revolute_joint(None, drum, motor_speed=2)
    weight = world.add_body(p2.Box(0.3, 0.3), (0.5, -2), mass=load, mask=0)
    rail = world.add_prismatic_joint(None, weight, axis=(0, 1))
    world.add_gear_joint(pin, rail, -2)
    pin.max_motor_torque = 1.2 * load * G * 0.5
    world.step(DT, n=120)
    assert pin.speed == pytest.approx(2, rel=1e-4)
    assert weight.velocity[1] == pytest.approx(1, rel=1e-4)
    assert pin.torque == pytest.approx(load * G * 0.5, rel=1e-3)


def test_a_rope_works_as_hard_as_it_is_tight():
    """Rises with the tension, is the same in slow motion, and goes when the rope is cut."""

    def make():
        world, last = p2.World(gravity=(0, -G), sleeping=False), None
        for i in range(40):
            mass = 300 if i == 39 else 0.3
            point = world.add_body(p2.Circle(0.05), (0.25 * (i + 1), 0), mass=mass, mask=0)
            last = world.add_distance_joint(last, point, anchor_a=(0.25 * i, 0)).body_b
        return world

    worlds = [make(), make()]
    worlds[0].step(DT, n=90)
    for _ in range(90):
        for _ in worlds[1].stages(DT):
            pass
    assert worlds[0].hash() == worlds[1].hash()
    world = worlds[0]
    lengths = world.joint_state["position"]
    np.testing.assert_allclose(lengths, 0.25, atol=1e-4)
    world.remove(world.joints[20])
    world.step(DT, n=90)
    lower = world.bodies[39].velocity[1]
    world.step(DT, n=30)
    assert world.bodies[39].velocity[1] == pytest.approx(lower - G * 0.5, rel=0.01)
    np.testing.assert_allclose(world.joint_state["position"], 0.25, atol=1e-3)


def test_ropes_without_weight_are_tight_too():
    """A light body between two heavy ones that spin about each other."""
    world = p2.World(gravity=(0, 0), sleeping=False, substeps=4)
    heavy = [
        world.add_body(p2.Circle(0.1), (x, 0), mass=100, velocity=(0, 10 * x), mask=0)
        for x in (-0.5, 0.5)
    ]
    light = world.add_body(p2.Circle(0.01), (0, 0), mass=0.1, mask=0)
    for body in heavy:
        world.add_distance_joint(body, light)
    light.velocity = (0, 0.1)
    spin = world.angular_momentum()
    for _ in range(300):
        world.step(DT)
        assert np.abs(world.joint_state["position"] - 0.5).max() < 2e-3
    assert world.angular_momentum() == pytest.approx(spin, rel=1e-3)
