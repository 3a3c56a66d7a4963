"""Heavy bodies on light ones: islands that carry them get more substeps, others do not notice.

The limits of penetration are the promise of the study of stiff stacks: 1 cm at the frequency that
the island gets, twice as much while it settles.
"""

import numpy as np
import pytest
from scenes_for_tests import ground, penetrations, pyramid

import pyphys2d as p2


def stack(count, ratio, **options):
    """A column of unit boxes and one more of the given density on top; its world and slots."""
    options.setdefault("gravity", (0, -10))
    options.setdefault("sleeping", False)
    world = p2.World(**options)
    ground(world)
    slots = world.add_bodies(p2.Box(1, 1), [(0, 0.5 + i) for i in range(count)])
    top = world.add_body(p2.Box(1, 1), (0, 0.5 + count), density=ratio)
    return world, np.append(slots, top.index)


def settle(world, steps=600):
    """Runs, and the largest penetration on the way."""
    peak = 0.0
    for _ in range(steps):
        world.step()
        peak = max(peak, penetrations(world).max(initial=0))
    return peak


@pytest.mark.parametrize(
    ("count", "ratio", "rest", "peak"),
    [
        (10, 100, 0.025, 0.03),
        (10, 1000, 0.02, 0.03),
        (1, 1000, 0.02, 0.03),
        (1, 10_000, 0.02, 0.03),
    ],
)
@pytest.mark.parametrize("substeps", [4, 8])
def test_a_column_carries(count, ratio, rest, peak, substeps):
    world, slots = stack(count, ratio, substeps=substeps)
    assert settle(world) < peak
    assert penetrations(world).max() < rest
    assert np.abs(world.positions[slots, 0]).max() < 1e-3
    assert np.abs(world.velocities[slots]).max() < 1e-4
    # n layers, each pressed in by no more than `rest`
    assert 0 < 0.5 + count - world.positions[slots[-1], 1] < (count + 1) * rest


def test_ten_thousand_times_on_ten_is_crushed_but_not_shot_out():
    world, slots = stack(10, 10_000)
    world.step(n=600)
    assert np.abs(world.positions[slots, 0]).max() < 0.01
    assert np.abs(world.velocities[slots]).max() < 1


def test_one_large_box_on_two_small_ones():
    world = p2.World(gravity=(0, -10), sleeping=False)
    ground(world)
    world.add_bodies(p2.Box(1, 1), [(-9, 0.5), (9, 0.5)])
    large = world.add_body(p2.Box(20, 20), (0, 11))
    settle(world)
    assert penetrations(world).max() < 0.01
    assert abs(large.angle) < 1e-4


def test_a_pyramid_carries_a_thousand_times_the_mass():
    world, slots = pyramid(6)
    top = world.add_body(p2.Box(1, 1), (0, 6.5), density=1000)
    settle(world)
    assert penetrations(world).max() < 0.02
    assert top.position[1] > 6.3
    assert np.abs(world.velocities[slots]).max() < 1e-3


def test_a_heavy_box_may_fall_from_a_height():
    world, slots = stack(10, 1)
    world.bodies[int(slots[-1])].position = (0, 13.5)
    world.bodies[int(slots[-1])].mass = 100
    world.step(n=600)
    assert penetrations(world).max() < 0.025
    assert world.positions[slots[-1], 1] > 10
    assert np.abs(world.positions[slots, 0]).max() < 0.05


def test_efforts_come_and_go_with_the_load():
    world, slots = stack(10, 1000)
    even, _ = pyramid(10)
    even.step(n=20)
    assert even.counters["substeps"] == 8
    world.step()
    assert world.counters["substeps"] == 32
    world.remove(world.bodies[int(slots[-1])])
    seen = []
    for _ in range(120):
        world.step()
        seen.append(world.counters["substeps"])
    assert seen[-1] == 8
    assert sorted(seen, reverse=True) == seen  # less by and by
    assert penetrations(world).max() < 0.004


def test_the_lesson_solver_and_weightless_worlds_make_no_effort():
    world, _ = stack(3, 1000, gravity=(0, 0))
    world.step(n=30)
    assert world.counters["substeps"] == 8
    world, _ = stack(3, 1000, solver="sequential_impulses")
    world.step(n=30)
    assert world.counters["substeps"] == 0


def test_other_islands_do_not_notice():
    """A tower beside a hard island moves by the same bits as alone."""
    alone = p2.World(gravity=(0, -10), sleeping=False)
    both = p2.World(gravity=(0, -10), sleeping=False)
    for world in (alone, both):
        ground(world)
        tower = world.add_bodies(
            p2.Box(1, 0.7), [(-20 + 0.1 * i, 0.35 + 0.75 * i) for i in range(6)]
        )
    both.add_body(p2.Box(1, 1), (10, 0.5))
    both.add_body(p2.Box(1, 1), (10, 1.5), density=1000)
    for _ in range(10):
        alone.step(n=20)
        both.step(n=20)
        np.testing.assert_array_equal(both.positions[tower], alone.positions[tower])
        np.testing.assert_array_equal(both.velocities[tower], alone.velocities[tower])
    assert both.counters["substeps"] == 32


@pytest.mark.parametrize("workers", [1, 2])
def test_slow_motion_of_a_hard_island(workers):
    worlds = [stack(10, 1000, workers=workers)[0] for _ in range(2)]
    for world in worlds:
        world.step(n=5)
    stages = list(worlds[0].stages())
    worlds[1].step()
    assert worlds[0].hash() == worlds[1].hash()
    substeps = [stage for stage in stages if stage.name == "substep"]
    assert len(substeps) == 8  # every fourth of the island's 32
    np.testing.assert_allclose(
        substeps[-1].positions[1:], worlds[1].positions[1:], rtol=0, atol=1e-12
    )


def test_impulses_hold_the_weight_whatever_the_substeps():
    """The impulses of a step of a body at rest are its weight times dt."""
    for ratio in (1, 20, 1000):
        world, slots = stack(1, ratio)
        world.step(n=600)
        rows = world.contacts
        on_ground = rows[(rows["body_a"] == 0) | (rows["body_b"] == 0)]
        weight = 10 * (1 + ratio)
        assert on_ground["normal_impulse"].sum() == pytest.approx(weight / 60, rel=1e-3)
        assert len(slots) == 2


def press(count, how, force, *, size=1.0, **options):
    """A stack of boxes of one mass that something outside presses on the ground: the world, the
    bodies and what is to be done before each step.
    """
    options.setdefault("gravity", (0, -10))
    world = p2.World(sleeping=False, **options)
    ground(world)
    bodies = [world.add_body(p2.Box(size, size), (0, size * (0.5 + i))) for i in range(count)]
    top = bodies[-1]
    if how == "slide":
        world.add_prismatic_joint(
            None, top, anchor=top.position, axis=(0, 1), motor_speed=-1, max_motor_force=force
        )
    elif how == "motor":
        world.add_motor_joint(None, top, linear_velocity=(0, -1), max_force=force)

    def act():
        if how == "force":
            top.apply_force((0, -force))

    return world, bodies, act


@pytest.mark.parametrize("how", ["force", "slide", "motor"])
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("substeps", [4, 8])
def test_a_press_between_equal_masses_sinks_in_by_a_centimetre(how, count, substeps):
    """5 kN on bodies of 1 kg: 9 cm in each contact at 8 substeps, 36 cm at 4."""
    world, bodies, act = press(count, how, 5000, substeps=substeps)
    peak = 0.0
    for _ in range(120):
        act()
        world.step()
        peak = max(peak, penetrations(world).max(initial=0))
    assert penetrations(world).max() < 0.01
    assert peak < (0.01 if how == "force" else 0.04)  # loads of motors are known a step later
    assert 0 < count - 0.5 - bodies[-1].position[1] < 0.01 * count
    assert np.abs(world.velocities[: count + 1]).max() < 1e-4


def test_a_clamp_without_gravity_and_a_lever():
    space = p2.World(gravity=(0, 0))
    row = [space.add_body(p2.Box(1, 1), (i, 0)) for i in range(3)]
    for _ in range(60):
        row[0].apply_force((5000, 0))
        row[2].apply_force((-5000, 0))
        space.step()
        assert penetrations(space).max(initial=0) < 0.01
    yard = p2.World()
    ground(yard)
    yard.add_bodies(p2.Box(0.4, 0.4), [(0.5, 0.2), (0.5, 0.6)])
    arm = yard.add_body(p2.Box(8, 0.1), (4, 0.85))
    yard.add_revolute_joint(None, arm, anchor=(0, 0.85))
    for _ in range(120):
        arm.apply_force((0, -500), (8, 0.85))  # 8 kN on what lies at a sixteenth of its length
        yard.step()
    assert penetrations(yard).max() < 0.015


def test_the_effort_of_a_press_goes_with_its_force_and_is_its_own():
    """Raised before the first step that has the force; a pile and a low tower are left alone."""
    world, bodies, _ = press(3, "none", 0)
    world.add_bodies(p2.Box(1, 1), [(9, 0.5 + i) for i in range(12)])
    alone, others, _ = press(3, "none", 0)
    world.step(n=30)
    alone.step(n=30)
    seen = []
    for k in range(200):
        if k < 20:
            bodies[-1].apply_force((0, -5000))
            others[-1].apply_force((0, -5000))
        else:
            bodies[-1].apply_force((0, -500))
            others[-1].apply_force((0, -500))
        world.step()
        alone.step()
        seen.append(world.counters["substeps"])
        assert penetrations(world).max() < 0.01
    assert seen[:20] == [32] * 20
    assert seen[-1] == 8
    assert sorted(seen, reverse=True) == seen
    np.testing.assert_array_equal(
        [body.position for body in bodies], [body.position for body in others]
    )


def test_what_pushes_nothing_makes_no_effort():
    """A rocket that lifts off, and a pendulum that swings with a weight of many times another's."""
    world = p2.World()
    ground(world)
    rocket = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.add_body(p2.Box(1, 1), (5, 0.5))
    for _ in range(30):
        rocket.apply_force((0, 2000))
        world.step()
        assert world.counters["substeps"] == 8


@pytest.mark.parametrize("how", ["slide", "motor"])
@pytest.mark.parametrize("substeps", [4, 8])
def test_a_press_whose_load_rises_slowly_never_sinks_in_by_more(how, substeps):
    """5 kN after 100 steps, on bodies of 1 kg."""
    world, bodies, _ = press(2, "none", 0, substeps=substeps)
    top = bodies[-1]
    if how == "slide":
        joint = world.add_prismatic_joint(
            None, top, anchor=top.position, axis=(0, 1), motor_speed=-1, max_motor_force=1
        )
    else:
        joint = world.add_motor_joint(None, top, linear_velocity=(0, -1), max_force=1)
    for k in range(200):
        setattr(joint, "max_motor_force" if how == "slide" else "max_force", 50 * min(k + 1, 100))
        world.step()
        assert penetrations(world).max(initial=0) < 0.01
    assert world.counters["substeps"] == 32


@pytest.mark.parametrize("torque", [1e8, np.inf])
def test_a_drum_that_its_motor_turns_at_ease_makes_no_effort(torque):
    """Its pin bears the drum, and what is in it presses with its weight alone."""
    world = p2.World()
    walls = [
        p2.Polygon([(-5, y - 0.5), (5, y - 0.5), (5, y + 0.5), (-5, y + 0.5)]) for y in (-5, 5)
    ]
    walls += [
        p2.Polygon([(x - 0.5, -5), (x + 0.5, -5), (x + 0.5, 5), (x - 0.5, 5)]) for x in (-5, 5)
    ]
    drum = world.add_body(walls, (0, 10), density=50)
    world.add_revolute_joint(None, drum, anchor=(0, 10), motor_speed=0.4, max_motor_torque=torque)
    spots = [(-3 + 0.5 * i, 7 + 0.5 * j) for i in range(12) for j in range(12)]
    world.add_bodies(p2.Box(0.4, 0.4), spots)
    world.step(n=60)  # impacts on what a joint holds may have some more
    for _ in range(240):
        world.step()
        assert world.counters["substeps"] == 8
    assert drum.angular_velocity == pytest.approx(0.4, rel=1e-3)


def test_a_clamp_pinned_at_its_centre_of_mass_presses_where_it_is_held_up():
    """A bar turned by a motor onto a block: 4 kN m at 2 m, and 1 cm of depth at most."""
    world = p2.World(gravity=(0, 0))
    world.add_body(p2.Box(2, 1), (2, -1.1), kind="static")
    world.add_body(p2.Box(0.5, 0.5), (2, -0.35))
    bar = world.add_body(p2.Box(5, 0.2), (0, 0))
    world.add_revolute_joint(None, bar, anchor=(0, 0), motor_speed=-1, max_motor_torque=4000)
    world.step(n=120)
    assert abs(bar.angular_velocity) < 1e-3
    assert penetrations(world).max() < 0.011
