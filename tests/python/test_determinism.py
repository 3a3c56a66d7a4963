"""world.hash(): what it covers, and that equal histories give equal numbers."""

import pytest
from scenes_for_tests import ground, mixed

import pyphys2d as p2


def scene():
    world = p2.World(gravity=(0, -10))
    ground(world)
    world.add_body(p2.Box(1, 1), (0, 0.5))
    world.add_body(p2.Circle(1), (5, 5))
    world.step(n=5)
    return world


CHANGES = {
    "position": lambda w: setattr(w.bodies[1], "position", (0, 0.6)),
    "angle": lambda w: setattr(w.bodies[1], "angle", 0.1),
    "velocity": lambda w: setattr(w.bodies[2], "velocity", (1, 0)),
    "spin": lambda w: setattr(w.bodies[2], "angular_velocity", 1),
    "view": lambda w: w.positions.__setitem__((2, 0), 7),
    "pending force": lambda w: w.bodies[2].apply_force((1, 0)),
    "pending torque": lambda w: w.bodies[2].apply_torque(1),
    "friction": lambda w: setattr(w.colliders[1], "friction", 0.1),
    "restitution": lambda w: setattr(w.colliders[1], "restitution", 0.1),
    "rolling resistance": lambda w: setattr(w.colliders[1], "rolling_resistance", 0.1),
    "tangent speed": lambda w: setattr(w.colliders[1], "tangent_speed", 0.1),
    "material": lambda w: setattr(w.colliders[1], "material", 3),
    "friction rule": lambda w: setattr(w.colliders[1], "friction_rule", "max"),
    "restitution rule": lambda w: setattr(w.colliders[1], "restitution_rule", "max"),
    "material pairs": lambda w: setattr(w, "material_pairs", [[[1, 2, 3]]]),
    "mask": lambda w: setattr(w.colliders[1], "mask", 3),
    "category": lambda w: setattr(w.colliders[1], "category", 3),
    "group": lambda w: setattr(w.colliders[1], "group", 3),
    "mass": lambda w: setattr(w.bodies[1], "mass", 3),
    "gravity": lambda w: setattr(w, "gravity", (0, -9)),
    "gravity scale": lambda w: setattr(w.bodies[1], "gravity_scale", 0.5),
    "damping": lambda w: setattr(w.bodies[1], "linear_damping", 0.5),
    "kind": lambda w: setattr(w.bodies[1], "kind", "static"),
    "sleep": lambda w: w.bodies[2].sleep(),
    "can_sleep": lambda w: setattr(w.bodies[1], "can_sleep", False),
    "fixed rotation": lambda w: setattr(w.bodies[1], "fixed_rotation", True),
    "enabled": lambda w: setattr(w.bodies[2], "enabled", False),
    "body": lambda w: w.add_body(p2.Circle(1), (9, 9)),
    "collider": lambda w: w.bodies[2].attach(p2.Circle(1)),
    "removal": lambda w: w.remove(w.bodies[2]),
    "step": lambda w: w.step(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_hash_sees(name):
    world, reference = scene(), scene()
    assert world.hash() == reference.hash()
    CHANGES[name](world)
    assert world.hash() != reference.hash()
    CHANGES[name](reference)
    assert world.hash() == reference.hash()


READS = {
    "contacts": lambda w: w.contacts,
    "contact": lambda w: w.contact(1),
    "pairs": lambda w: w.pairs,
    "events": lambda w: w.events,
    "views": lambda w: (w.positions, w.velocities, w.forces),
    "ray": lambda w: w.cast_ray((-5, 0.5), (10, 0)),
    "at": lambda w: w.at((0, 0.5)),
    "islands": lambda w: w.islands,
    "energy": lambda w: w.kinetic_energy(),
    "hash": lambda w: w.hash(),
    "name": lambda w: setattr(w.bodies[1], "name", "x"),
    "user_data": lambda w: setattr(w.bodies[1], "user_data", 7),
    "tree": lambda w: w.tree(),
    "aabbs": lambda w: w.aabbs,
}


@pytest.mark.parametrize("name", READS)
def test_reading_leaves_no_trace(name):
    world, reference = mixed(), mixed()
    for _ in range(40):
        world.step()
        READS[name](world)
        reference.step()
    assert world.hash() == reference.hash()


def test_the_hash_is_a_plain_int():
    assert type(p2.World().hash()) is int


def test_slots_freed_and_reused_leave_no_trace():
    """Two histories that end in the same state have the same future."""
    a, b = p2.World(), p2.World()
    for world in (a, b):
        ground(world)
    victim = a.add_body(p2.Box(3, 3), (40, 40))
    a.remove(victim)
    for world in (a, b):
        world.add_body(p2.Box(1, 1), (0, 3))
        world.step(n=100)
    assert (a.positions == b.positions).all()
