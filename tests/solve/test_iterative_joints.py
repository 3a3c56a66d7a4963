"""Nets of rods, ropes and springs in lanes, against statics, normal modes, the lone spring's way,
and each other.
"""

import numpy as np
import pytest

import pyphys2d as p2

DT = 1 / 60
ARRAYS = ("positions", "angles", "velocities", "angular_velocities")


def free_world(**options):
    return p2.World(**{"gravity": (0, -10), "sleeping": False, **options})


def add_cloth(world, size, diagonal=None, **options):
    """A square of circles, 0.5 m apart, that hangs by every third one of its upper row."""
    body = {}
    for i in range(size):
        for j in range(size):
            kind = "static" if j == 0 and i % 3 == 0 else "dynamic"
            place = (0.5 * i, -0.5 * j)
            body[i, j] = world.add_body(p2.Circle(0.2), place, kind=kind, mask=0)
    for i, j in body:
        for side in ((i + 1, j), (i, j + 1)):
            if side in body and {body[i, j].kind, body[side].kind} != {"static"}:
                world.add_distance_joint(body[i, j], body[side], **options)
        side = (i + 1, j + 1)
        if diagonal and side in body:
            world.add_distance_joint(body[i, j], body[side], **diagonal)
    return body


def settle(world, steps):
    for _ in range(steps):
        world.velocities *= 0.95
        world.angular_velocities *= 0.95
        world.step(DT)
        yield


def support(world):
    """The force of all joints on what is static."""
    table = world.joint_state
    static_a = world.kinds[table["body_a"]] == 0
    static_b = world.kinds[table["body_b"]] == 0
    return table["force"][static_a].sum(axis=0) - table["force"][static_b].sum(axis=0)


SPRING = {"spring_hertz": 4, "spring_damping_ratio": 0.7}


@pytest.mark.parametrize("options", [{}, {"upper": 0.5}, SPRING], ids=["rods", "ropes", "springs"])
def test_a_cloth_at_rest_hangs_by_its_weight(options):
    world = free_world()
    add_cloth(world, 9, **options)
    pulls = np.array([support(world) for _ in settle(world, 700)])
    weight = world.masses[world.kinds == 2].sum() * 10
    assert pulls[-200:].mean(axis=0) == pytest.approx((0, weight), abs=0.01 * weight)


def test_rods_keep_their_length_and_ropes_are_no_longer_than_theirs():
    for options in ({}, {"upper": 0.5}):
        world = free_world()
        add_cloth(world, 9, **options)
        lengths = []
        for _ in range(300):
            world.step(DT)
            lengths.append([joint.length for joint in world.joints])
        lengths = np.array(lengths)
        assert lengths.max() < 0.52
        if "upper" not in options:
            assert lengths.min() > 0.48
        else:
            assert lengths.min() < 0.45  # and some are slack


def test_slack_ropes_pull_at_nobody():
    world = free_world(gravity=(0, 0))
    body = add_cloth(world, 9, upper=2)
    body[4, 4].velocity = (0.5, 0.25)
    world.step(DT, n=60)
    assert not world.joint_state["force"].any()
    np.testing.assert_allclose(body[4, 4].position, (2.5, -1.75), rtol=1e-6)


def add_spring_chain(world, count, hertz, zeta):
    """Equal masses in a row that hangs from the world, tied by equal springs of 1 m."""
    bodies, last = [], None
    for k in range(count):
        body = world.add_body(p2.Circle(0.2), (0, -k - 1), mass=2, fixed_rotation=True, mask=0)
        anchors = {"anchor_a": (0, -k), "anchor_b": (0, -k - 1)}
        # The frequency is that of the reduced mass: 2 kg at the world, 1 kg between two.
        f = hertz if last is None else hertz * np.sqrt(2)
        z = zeta if last is None else zeta / np.sqrt(2)
        world.add_distance_joint(last, body, **anchors, spring_hertz=f, spring_damping_ratio=z)
        bodies.append(body)
        last = body
    return bodies


def test_springs_in_a_row_stretch_by_what_they_carry():
    """The spring with n masses below carries n m g: C = n g / w^2."""
    world = free_world()
    count, hertz = 20, 6
    bodies = add_spring_chain(world, count, hertz, 1)
    for _ in range(60):
        world.step(DT, n=60)
    y = np.array([0, *(body.position[1] for body in bodies)])
    stretch = -np.diff(y) - 1
    carried = np.arange(count, 0, -1)
    np.testing.assert_allclose(stretch, carried * 10 / (2 * np.pi * hertz) ** 2, rtol=2e-3)
    np.testing.assert_allclose([joint.force[1] for joint in world.joints], carried * 20, rtol=2e-3)


@pytest.mark.parametrize("hertz", [3, 10])
def test_springs_in_a_row_swing_in_their_lowest_mode(hertz):
    """Of n masses that are free at one end: w = 2 sqrt(k / m) sin(pi / (4 n + 2))."""
    world = free_world(gravity=(0, 0), substeps=16)
    count = 18
    bodies = add_spring_chain(world, count, hertz, 0)
    mode = np.sin(np.arange(1, count + 1) * np.pi / (2 * count + 1))
    for body, part in zip(bodies, mode, strict=True):
        x, y = body.position
        body.position = (x, y - 0.02 * part)
    wanted = 2 * hertz * np.sin(np.pi / (4 * count + 2))
    y = []
    for _ in range(int(4 / (wanted * DT))):
        world.step(DT)
        y.append(bodies[-1].position[1] + count)
    y = np.array(y)
    k = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    crossed = k + y[k] / (y[k] - y[k + 1])
    found = (len(crossed) - 1) / ((crossed[-1] - crossed[0]) * DT)
    assert found == pytest.approx(wanted, rel=0.01)
    assert np.abs(y[-int(1 / (wanted * DT)) :]).max() == pytest.approx(0.02 * mode[-1], rel=0.05)


def test_springs_in_lanes_and_others_share_a_weight():
    """m g = sum of k C: one spring has limits, so that it is not in lanes."""
    world = free_world()
    body = world.add_body(p2.Circle(0.5), mass=3, fixed_rotation=True)
    hertz = np.linspace(1, 3, 20)
    joints = [
        world.add_distance_joint(
            None, body, anchor_a=(0, 5), spring_hertz=f, spring_damping_ratio=0.5
        )
        for f in hertz
    ]
    limited = world.add_distance_joint(
        None, body, anchor_a=(0, 5), upper=9, spring_hertz=4, spring_damping_ratio=0.5
    )
    world.step(n=1800)
    squares = (2 * np.pi * np.array([*hertz, 4])) ** 2
    assert -body.position[1] == pytest.approx(10 / squares.sum(), rel=1e-3)
    forces = [joint.force[1] for joint in (*joints, limited)]
    assert forces == pytest.approx(30 * squares / squares.sum(), rel=1e-3)


def test_springs_stiffer_than_a_substep_follows_are_stable():
    world = free_world()
    add_cloth(world, 8, spring_hertz=500, spring_damping_ratio=0.1)
    world.step(DT, n=300)
    lengths = np.array([joint.length for joint in world.joints])
    assert np.abs(lengths - 0.5).max() < 0.05


def test_a_rod_of_a_net_breaks_at_its_force():
    """An impulse of p in a step is a force of p / dt on the four rods of a body together."""
    world = free_world(gravity=(0, 0))
    body = add_cloth(world, 9)
    joints = [joint for joint in world.joints if body[4, 4] in (joint.body_a, joint.body_b)]
    for joint in joints:
        joint.break_force = 50
    world.step(DT, n=5)
    assert len(world.events.joint_break) == 0
    body[4, 4].apply_impulse((30, 0))
    world.step(DT)
    broken = world.events.joint_break
    assert len(broken) >= 1
    assert (np.hypot(*broken["force"].T) > 50).all()
    assert {int(k) for k in broken["joint"]} <= {joint.index for joint in joints}


def test_a_cloth_does_not_gain_energy():
    world = free_world()
    add_cloth(world, 12)
    before = world.kinetic_energy() + world.potential_energy()
    for _ in range(30):
        world.step(DT, n=10)
        assert world.kinetic_energy() + world.potential_energy() < before + 1e-3 * abs(before)


DIAGONAL = {"upper": 0.71}


def fill(world):
    add_cloth(world, 10, diagonal=DIAGONAL)
    add_cloth(world, 10, diagonal=DIAGONAL, **SPRING)


def test_all_stages_of_a_cloth_end_like_a_step():
    worlds = [free_world() for _ in range(2)]
    for world in worlds:
        fill(world)
    worlds[0].step(DT, n=20)
    for _ in range(20):
        list(worlds[1].stages(DT))
    assert worlds[0].hash() == worlds[1].hash()


def test_clothes_are_the_same_for_any_number_of_workers():
    hashes = set()
    for workers in (1, 2, 3):
        world = free_world(workers=workers)
        add_cloth(world, 40, diagonal=DIAGONAL)
        add_cloth(world, 40, diagonal=SPRING, **SPRING)
        world.step(DT, n=10)
        hashes.add(world.hash())
    assert len(hashes) == 1


def test_a_cloth_goes_along_with_what_carries_it():
    world = free_world(gravity=(0, 0))
    rail = world.add_body(p2.Box(6, 0.1), (2, 0.5), kind="kinematic", velocity=(1.5, 0), mask=0)
    body = add_cloth(world, 6)
    for i in range(0, 6, 3):
        world.remove(body[i, 0])
    for i in (1, 2, 4, 5):
        world.add_distance_joint(rail, body[i, 0], anchor_a=(0.5 * i, 0.5))
    moves = world.kinds == 2
    for _ in range(300):
        world.step(DT)
        world.velocities[moves] = 0.95 * world.velocities[moves] + (0.05 * 1.5, 0)
    middle = world.positions[moves].mean(axis=0)[0] - rail.position[0]
    world.step(DT, n=120)
    after = world.positions[moves].mean(axis=0)[0] - rail.position[0]
    assert after == pytest.approx(middle, abs=0.1)
    assert rail.position[0] == pytest.approx(2 + 1.5 * 420 * DT)
    assert max(joint.length for joint in world.joints) < 0.55


def test_layouts_that_last_and_new_ones_give_the_same_bits_to_clothes():
    """A body far away that is told its mass again makes all layouts anew."""
    worlds = [free_world() for _ in range(2)]
    for number, world in enumerate(worlds):
        fill(world)
        stranger = world.add_body(p2.Circle(0.5), (1e4, 0), mask=0)
        for step in range(60):
            if number and step > 30:
                stranger.mass = stranger.mass + 1
                stranger.mass = stranger.mass - 1
            world.step(DT)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(worlds[0], name), getattr(worlds[1], name))


def test_a_spring_told_another_frequency_has_it_in_the_next_step():
    world = free_world(gravity=(0, 0))
    body = add_cloth(world, 8, **SPRING)
    world.step(DT)
    for joint in world.joints:
        joint.spring_hertz = 0.001
    body[4, 4].velocity = (0, 3)
    world.step(DT, n=6)
    np.testing.assert_allclose(body[4, 4].position, (2, -2 + 0.3), atol=1e-3)
