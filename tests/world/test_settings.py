"""Settings of a world that are changed between steps: the same future as if it had been made so."""

import copy

import numpy as np
import pytest

import pyphys2d as p2

CHANGES = {
    "gravity": (3, -5),
    "substeps": 3,
    "broadphase": "tree",
    "sleeping": False,
    "continuous": False,
    "contact_hertz": 20.0,
    "contact_damping_ratio": 2.0,
    "contact_push_speed": 0.5,
    "joint_hertz": 10.0,
    "joint_damping_ratio": 0.5,
    "restitution_threshold": 3.0,
    "hit_event_threshold": 0.1,
    "max_speed": 0.5,
    "max_angular_speed": 0.05,
    "friction_rule": "min",
    "restitution_rule": "multiply",
    "solver": "sequential_impulses",
}
SEQUENTIAL = {
    "iterations": 2,
    "baumgarte": 0.9,
    "slop": 0.0,
    "warm_starting": False,
    "accumulate": False,
    "positional_correction": 0.8,
    "response": "translate",
    "solver": "soft_step",
}


# They shape other things than where bodies go, or nothing in this scene.
SAME_PATHS = {
    "broadphase",
    "sleeping",
    "continuous",
    "hit_event_threshold",
    "contact_push_speed",
    "joint_hertz",
    "joint_damping_ratio",
}


def lively(**settings):
    """A pile with a joint, things that fall and bounce, and one that is fast."""
    world = p2.World(**settings)
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static", friction=0.3)
    places = [(0.3 * (k % 3) + 1.1 * (k // 3) - 4, 0.6 + 1.05 * (k % 3)) for k in range(24)]
    world.add_bodies(
        p2.Box(0.9, 0.9), places, restitution=np.arange(24) / 30, friction=np.arange(24) / 20
    )
    a, b = world.bodies[20], world.bodies[23]
    world.add_revolute_joint(a, b, anchor=(a.position + b.position) / 2)
    world.add_body(p2.Circle(0.2), (-12, 1.3), velocity=(40, 0), angular_velocity=9)
    world.step(n=20)
    return world


def rows(world):
    return np.column_stack([world.positions, world.angles, world.velocities])


@pytest.mark.parametrize("name", [*CHANGES, *SEQUENTIAL])
def test_a_change_is_read_back_and_shapes_the_future_as_a_snapshot_of_it_does(name):
    sequential = name in SEQUENTIAL and (name != "solver" or name not in CHANGES)
    changes = SEQUENTIAL if sequential else CHANGES
    world = lively(solver="sequential_impulses" if sequential else "soft_step")
    plain = copy.copy(world)
    before = rows(world)
    setattr(world, name, changes[name])
    np.testing.assert_array_equal(getattr(world, name), changes[name])
    np.testing.assert_array_equal(rows(world), before)
    twin = p2.World.from_snapshot(world.snapshot())
    assert twin.hash() == world.hash()
    for each in (world, twin, plain):
        each.step(n=30)
    assert twin.hash() == world.hash()
    assert np.array_equal(rows(world), rows(plain)) == (name in SAME_PATHS)


def test_back_and_forth_to_the_other_solver():
    world = lively()
    plain = copy.copy(world)
    world.solver = "sequential_impulses"
    world.iterations = 30
    world.step(n=30)
    world.solver = "soft_step"
    with pytest.raises(TypeError, match="iterations: belongs to solver='sequential_impulses'"):
        world.iterations = 3
    twin = p2.World.from_snapshot(world.snapshot())
    for each in (world, twin, plain):
        each.step(n=60)
    assert world.hash() == twin.hash()
    assert world.contacts["separation"].min() > -0.02
    assert abs(world.kinetic_energy()) < 2 * plain.kinetic_energy() + 1


def test_a_solver_that_has_not_the_joints_is_refused_by_name():
    world = lively()
    world.add_weld_joint(world.bodies[1], world.bodies[2])
    before = world.hash()
    with pytest.raises(ValueError, match="a weld joint needs a world of solver='soft_step'"):
        world.solver = "sequential_impulses"
    assert world.hash() == before


def test_workers_change_nothing():
    worlds = [lively(), lively(workers=2)]
    for workers in (2, 3, 1):
        worlds[0].workers = workers
        assert worlds[0].workers == workers
        for world in worlds:
            world.step(n=5)
        assert worlds[0].hash() == worlds[1].hash()


def test_an_end_of_sleeping_wakes_and_keeps_awake():
    world = p2.World()
    world.add_body(p2.Box(9, 1), (0, -0.5), kind="static")
    box = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=120)
    assert not box.awake
    world.sleeping = False
    assert box.awake
    world.step(n=120)
    assert box.awake
    world.sleeping = True
    world.step(n=120)
    assert not box.awake


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        ("substeps", 0, ValueError, "substeps: must be >= 1"),
        ("substeps", 4.0, TypeError, "substeps: must be an integer"),
        ("substeps", 2000, ValueError, "substeps: must be between 1 and 1024"),
        ("contact_hertz", 0, ValueError, "contact_hertz: must be between"),
        ("max_speed", np.nan, ValueError, "max_speed: must be finite"),
        ("gravity", (np.inf, 0), ValueError, r"gravity\[0\]: must be finite"),
        ("solver", "soft", ValueError, "solver: must be one of"),
        ("sleeping", "yes", TypeError, "sleeping: must be True or False"),
        ("workers", 1000, ValueError, "workers: must be between"),
    ],
)
def test_bad_values_change_nothing(name, value, error, words):
    world = lively()
    before, old = world.hash(), getattr(world, name)
    with pytest.raises(error, match=words):
        setattr(world, name, value)
    assert world.hash() == before
    np.testing.assert_array_equal(getattr(world, name), old)
    with pytest.raises(TypeError, match=f"{name} cannot be deleted"):
        delattr(world, name)


def test_settings_are_not_changed_in_the_middle_of_a_step_and_may_be_in_on_force():
    world = lively()
    world.colliders[3].pre_solve = True

    def hook(contacts):
        with pytest.raises(p2.WorldLockedError):
            world.substeps = 2

    world.on_pre_solve = hook
    world.on_force = lambda w: setattr(w, "substeps", 2)
    world.step()
    assert world.substeps == 2
