"""Rotary joints, gears with a phase, anchors in frames of bodies, springs in newtons per metre.

What is expected is the formula: Hooke's law, the frequency sqrt(k / m), conserved momentum, the
ratio of a gear.
"""

import numpy as np
import pytest

import pyphys2d as p2

DT = 1 / 60
FREE = {"gravity": (0, 0), "sleeping": False}


def two_discs(world, apart=5.0, **more):
    a = world.add_body(p2.Circle(1), (0, 0), mass=2, **more)
    b = world.add_body(p2.Circle(0.5), (apart, 1), mass=3, **more)
    return a, b


# ---------------------------------------------------------------- rotary


def test_a_rotary_motor_drives_the_difference_of_spins_and_keeps_the_momentum():
    world = p2.World(**FREE)
    a, b = two_discs(world)
    joint = world.add_rotary_joint(a, b, motor_speed=3, max_motor_torque=np.inf)
    world.step(DT)
    assert b.angular_velocity - a.angular_velocity == pytest.approx(3, abs=1e-5)
    assert a.inertia * a.angular_velocity + b.inertia * b.angular_velocity == pytest.approx(
        0, abs=1e-6
    )
    np.testing.assert_allclose(world.velocities, 0, atol=1e-12)
    assert joint.speed == pytest.approx(3, abs=1e-5)
    # The torque of the step is what it gave: I dw / dt.
    assert joint.torque == pytest.approx(b.inertia * b.angular_velocity / DT, rel=1e-4)


def test_a_rotary_motor_gives_no_more_than_its_bound():
    world = p2.World(**FREE)
    _, b = two_discs(world)
    world.add_rotary_joint(None, b, motor_speed=100, max_motor_torque=0.5)
    world.step(DT, n=60)
    assert b.angular_velocity == pytest.approx(0.5 / b.inertia, rel=1e-4)


def test_rotary_limits_stop_the_angle_and_nothing_else():
    world = p2.World(**FREE)
    a, b = two_discs(world)
    a.kind = "kinematic"
    b.angular_velocity, b.velocity = 2, (1, 0)
    joint = world.add_rotary_joint(a, b, lower=-0.5, upper=0.75)
    world.step(DT, n=120)
    assert joint.angle == pytest.approx(0.75, abs=1e-4)
    assert b.angular_velocity == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(b.velocity, (1, 0), rtol=1e-6)
    b.angular_velocity = -2
    world.step(DT, n=120)
    assert joint.angle == pytest.approx(-0.5, abs=1e-4)
    joint.set_limits(5, 6)  # turns count
    world.step(DT, n=400)
    assert joint.angle == pytest.approx(5, abs=1e-3)


def test_a_rotary_spring_has_its_frequency():
    """Two free discs on a torsion spring: w^2 = k (1 / I_a + 1 / I_b)."""
    world = p2.World(**FREE, substeps=8)
    a, b = two_discs(world)
    stiffness = 6.0
    joint = world.add_rotary_joint(a, b, stiffness=stiffness)
    omega = np.sqrt(stiffness * (1 / a.inertia + 1 / b.inertia))
    assert joint.spring_hertz == pytest.approx(omega / (2 * np.pi), rel=1e-12)
    b.angular_velocity = 1.0
    angles = []
    for _ in range(300):
        world.step(DT)
        angles.append(joint.angle)
    times = DT * np.arange(1, 301)
    expected = np.sin(omega * times) / omega  # the difference of spins is 1 at the start
    np.testing.assert_allclose(angles, expected, atol=0.02 / omega)


def test_a_damped_rotary_spring_rests_where_its_torque_is_that_of_the_load():
    world = p2.World(**FREE)
    _, b = two_discs(world)
    joint = world.add_rotary_joint(None, b, stiffness=4, damping=3, spring_target=0.25)
    for _ in range(1200):
        b.apply_torque(0.8)
        world.step(DT)
    assert joint.angle == pytest.approx(0.25 + 0.8 / 4, abs=1e-4)


def test_rotary_joints_let_bodies_collide_by_default_and_break():
    world = p2.World(**FREE)
    _, b = two_discs(world)
    joint = world.add_rotary_joint(None, b, lower=0, upper=0, break_torque=1)
    assert joint.collide_connected
    b.apply_torque(3)
    world.step(DT)
    assert not joint.alive
    assert world.events.joint_break["torque"][0] == pytest.approx(-3, rel=1e-3)


# ---------------------------------------------------------------- gears of any two bodies


def test_a_gear_of_two_rotary_joints_couples_any_two_bodies():
    """pymunk's GearJoint: angle_b ratio - angle_a = phase, wherever the bodies go."""
    world = p2.World(**FREE)
    a, b = two_discs(world)
    a.velocity, b.velocity = (0.5, 0), (0, -0.25)
    turns = [world.add_rotary_joint(None, body) for body in (a, b)]
    gear = world.add_gear_joint(*turns, -3)
    a.angular_velocity = 2
    world.step(DT)
    # J = (1, -3): the impulse keeps I_a w_a + I_b w_b / 3 ... along J, so w = w0 - M^-1 J l.
    masses = np.array([1 / a.inertia, 1 / b.inertia])
    j = np.array([1.0, -3.0])
    w = np.array([2.0, 0.0])
    w -= masses * j * (j @ w) / (j @ (masses * j))
    np.testing.assert_allclose([a.angular_velocity, b.angular_velocity], w, rtol=1e-5)
    world.step(DT, n=120)
    assert a.angle - 3 * b.angle == pytest.approx(0, abs=1e-5)
    np.testing.assert_allclose(a.velocity, (0.5, 0), rtol=1e-6)
    assert gear.phase == 0


def test_a_gear_goes_to_its_phase():
    world = p2.World(**FREE)
    a, b = two_discs(world)
    turns = [world.add_rotary_joint(None, body) for body in (a, b)]
    gear = world.add_gear_joint(*turns, 2, phase=0.5)
    assert gear.phase == 0.5
    assert gear.angular_separation == pytest.approx(0.5)
    world.step(DT, n=60)
    assert a.angle + 2 * b.angle == pytest.approx(0.5, abs=1e-5)
    gear.phase = 0
    world.step(DT, n=60)
    assert a.angle + 2 * b.angle == pytest.approx(0, abs=1e-5)
    gear.phase = None
    assert gear.phase == pytest.approx(gear.position, abs=1e-12)
    before = gear.position
    gear.ratio = 1  # what it keeps is then what it is now
    assert gear.phase == pytest.approx(a.angle + b.angle) != before


# ---------------------------------------------------------------- frames


def test_local_anchors_are_kept_to_the_last_bit():
    world = p2.World(**FREE)
    a = world.add_body(p2.Box(2, 1), (3.3, -1.7), angle=0.7)
    b = world.add_body(p2.Box(2, 1), (5.1, 0.4), angle=-2.1)
    pa, pb = (0.9, 0.1), (-0.7, 0.3)
    for kind in ("revolute", "distance", "weld", "motor", "wheel", "prismatic"):
        joint = getattr(world, f"add_{kind}_joint")(a, b, local_anchor_a=pa, local_anchor_b=pb)
        assert tuple(joint.local_anchor_a) == pa
        assert tuple(joint.local_anchor_b) == pb
        np.testing.assert_allclose(joint.anchor_a, a.to_world(pa), rtol=1e-14)
        np.testing.assert_allclose(joint.anchor_b, b.to_world(pb), rtol=1e-14)
    rod = world.add_distance_joint(a, b, local_anchor_a=pa, local_anchor_b=pb)
    gap = np.subtract(b.to_world(pb), a.to_world(pa))
    assert rod.lower == rod.upper == pytest.approx(np.hypot(*gap))
    with pytest.raises(TypeError, match="local_anchor_a: give it, or anchor_a, not both"):
        world.add_revolute_joint(a, b, anchor_a=(0, 0), local_anchor_a=pa)
    with pytest.raises(TypeError, match="local_anchor_b: give it, or anchor, not both"):
        world.add_revolute_joint(a, b, anchor=(0, 0), local_anchor_b=pa)


def test_one_local_anchor_alone_is_the_place_of_both():
    world = p2.World(**FREE)
    a = world.add_body(p2.Box(2, 1), (1, 2), angle=0.5)
    b = world.add_body(p2.Box(2, 1), (2, 2))
    joint = world.add_revolute_joint(a, b, local_anchor_a=(1, 0))
    np.testing.assert_allclose(b.to_world(joint.local_anchor_b), a.to_world((1, 0)), atol=1e-12)


def test_anchors_can_be_moved():
    """A pendulum whose point of suspension and length change: it hangs still below the new one."""
    world = p2.World(gravity=(0, -10), sleeping=False)
    bob = world.add_body(p2.Circle(0.1), (0, -1), linear_damping=8, angular_damping=8)
    rod = world.add_distance_joint(None, bob, anchor_a=(0, 0))
    rod.local_anchor_a = (0.5, 0.25)
    rod.local_anchor_b = (0, 0.05)
    np.testing.assert_array_equal(rod.anchor_a, (0.5, 0.25))
    world.step(DT, n=900)
    np.testing.assert_allclose(bob.position, (0.5, 0.25 - 1 - 0.05), atol=1e-4)
    assert rod.linear_separation < 1e-4
    with pytest.raises(ValueError, match="local_anchor_b: must be within"):
        rod.local_anchor_b = (1e16, 0)
    with pytest.raises(TypeError):
        del rod.local_anchor_b


def test_moving_an_anchor_wakes():
    world = p2.World(gravity=(0, -10))
    bob = world.add_body(p2.Circle(0.1), (0, -1))
    weld = world.add_weld_joint(None, bob)
    world.step(DT, n=120)
    assert not bob.awake
    weld.local_anchor_a = np.add(weld.local_anchor_a, (1, 0))
    assert bob.awake
    world.step(DT, n=60)
    np.testing.assert_allclose(bob.position, (1, -1), atol=1e-3)


def test_the_reference_angle_is_where_the_angle_is_zero():
    world = p2.World(**FREE)
    bar = world.add_body(p2.Box(2, 0.2), angle=0.3)
    hinge = world.add_revolute_joint(None, bar, reference_angle=0.1)
    assert hinge.angle == pytest.approx(0.2, abs=1e-15)
    assert hinge.reference_angle == 0.1
    hinge.reference_angle = -0.5
    assert hinge.angle == pytest.approx(0.8, abs=1e-15)
    weld = world.add_weld_joint(None, world.add_body(p2.Box(1, 1), (5, 0)), reference_angle=0.25)
    assert weld.angular_separation == pytest.approx(0.25)
    world.step(DT, n=60)
    assert weld.body_b.angle == pytest.approx(0.25, abs=1e-5)
    with pytest.raises(ValueError, match="reference_angle: must be"):
        hinge.reference_angle = np.nan


def test_the_axis_can_be_turned():
    world = p2.World(gravity=(0, -10), sleeping=False)
    box = world.add_body(p2.Box(1, 1))
    slide = world.add_prismatic_joint(None, box, axis=(1, 0))
    world.step(DT, n=30)
    np.testing.assert_allclose(box.position, 0, atol=1e-5)
    slide.local_axis = (0, -3)
    np.testing.assert_array_equal(slide.axis, (0, -1))
    world.step(DT, n=60)
    assert slide.translation == pytest.approx(5, abs=0.1)
    with pytest.raises(ValueError, match=r"local_axis: .* not \(0, 0\)"):
        slide.local_axis = (0, 0)


def test_joints_without_such_a_part_say_so():
    world = p2.World(**FREE)
    a, b = two_discs(world)
    pins = [world.add_revolute_joint(None, body) for body in (a, b)]
    gear = world.add_gear_joint(*pins)
    with pytest.raises(AttributeError, match="a gear joint has no local_anchor_a; its joints may"):
        gear.local_anchor_a = (0, 0)
    mouse = world.add_mouse_joint(a, target=(1, 0))
    with pytest.raises(AttributeError, match="its point in the world is target"):
        mouse.local_anchor_a = (0, 0)
    mouse.local_anchor_b = (0.5, 0.25)
    np.testing.assert_allclose(mouse.anchor_b, a.to_world((0.5, 0.25)))
    motor = world.add_motor_joint(a, b)
    with pytest.raises(AttributeError, match="angle_offset"):
        motor.reference_angle = 1
    with pytest.raises(AttributeError, match="has no local_axis"):
        pins[0].local_axis = (1, 0)


# ---------------------------------------------------------------- springs in N/m


@pytest.mark.parametrize("kind", ["distance", "prismatic", "wheel"])
def test_a_load_hangs_where_hookes_law_says(kind):
    world = p2.World(gravity=(0, -10))
    ball = world.add_body(p2.Circle(0.2), (0, -2), mass=3)
    options = {"distance": {"anchor_a": (0, 0)}}.get(kind, {"axis": (0, 1)})
    joint = getattr(world, f"add_{kind}_joint")(None, ball, stiffness=150, damping=40, **options)
    assert (joint.stiffness, joint.damping) == (150, 40)
    world.step(DT, n=400)
    assert ball.position[1] == pytest.approx(-2 - 3 * 10 / 150, abs=1e-4)
    np.testing.assert_allclose(joint.force, (0, 30), rtol=1e-3)


def test_a_spring_of_newtons_keeps_them_when_the_mass_changes():
    world = p2.World(gravity=(0, -10))
    ball = world.add_body(p2.Circle(0.2), (0, -2), mass=1)
    spring = world.add_distance_joint(None, ball, anchor_a=(0, 0), stiffness=100, damping=20)
    assert spring.spring_hertz == pytest.approx(np.sqrt(100) / (2 * np.pi))
    assert spring.spring_damping_ratio == pytest.approx(20 / (2 * np.sqrt(100)))
    ball.mass = 4
    world.step(DT, n=600)
    assert spring.spring_hertz == pytest.approx(np.sqrt(100 / 4) / (2 * np.pi))
    assert ball.position[1] == pytest.approx(-2 - 4 * 10 / 100, abs=1e-4)


def test_stiffness_and_hertz_replace_each_other():
    world = p2.World(**FREE)
    ball = world.add_body(p2.Circle(0.2), (0, -2), mass=1)
    spring = world.add_distance_joint(None, ball, anchor_a=(0, 0), spring_hertz=2)
    assert (spring.stiffness, spring.damping) == (0, 0)
    spring.stiffness = 25
    assert spring.spring_hertz == pytest.approx(5 / (2 * np.pi))
    spring.spring_hertz = 3
    assert (spring.stiffness, spring.damping, spring.spring_hertz) == (0, 0, 3)
    for more in ({"stiffness": 5}, {"damping": 5}):
        with pytest.raises(ValueError, match="not both"):
            world.add_distance_joint(None, ball, spring_hertz=1, **more)
    with pytest.raises(ValueError, match="stiffness: must be >= 0"):
        spring.stiffness = -1


def test_damping_alone_is_a_damper():
    """m v' = -c v: the speed falls as exp(-c t / m)."""
    world = p2.World(**FREE)
    ball = world.add_body(p2.Circle(0.2), (0, -2), mass=2, velocity=(0, -1))
    world.add_distance_joint(None, ball, anchor_a=(0, 0), damping=3)
    world.step(DT, n=60)
    assert ball.velocity[1] == pytest.approx(-np.exp(-1.5), rel=5e-3)


def test_a_hinge_spring_in_newton_metres_does_not_follow_the_levers():
    """Two free bars on a hinge with levers: the torque is k times the angle while both turn."""
    world = p2.World(**FREE)
    a = world.add_body(p2.Box(2, 0.2), (-1, 0), mass=1)
    b = world.add_body(p2.Box(2, 0.2), (1, 0), mass=2)
    hinge = world.add_revolute_joint(a, b, anchor=(0, 0), stiffness=5)
    b.angular_velocity, b.velocity = 2.0, (0, 2)
    a.angular_velocity, a.velocity = -2.0, (0, 2)
    off, hertz = [], []
    for _ in range(240):
        before = hinge.angle
        world.step(DT)
        off.append(hinge.torque + 5 * (before + hinge.angle) / 2)
        hertz.append(hinge.spring_hertz)
    assert np.ptp(hertz) > 0.05 * np.mean(hertz)  # the mass that it meets does change
    assert np.abs(off).max() < 0.03 * 5 * 0.85  # of the largest torque


def test_what_a_spring_follows_survives_snapshots_and_failing_steps():
    world = p2.World(gravity=(0, -10))
    a, b = two_discs(world)
    world.add_revolute_joint(a, b, stiffness=5, damping=0.1)
    world.add_rotary_joint(None, a, lower=-1, upper=1)
    world.step(DT, n=10)
    other = p2.World.from_snapshot(world.snapshot())
    assert world.hash() == other.hash()
    for both in (world, other):
        both.step(DT, n=20)
    assert world.hash() == other.hash()
    assert not world.diff(other)


def test_copies_of_elastic_joints_have_the_future_of_their_world():
    """Hertz follow from masses and poses of the moment, so they are no part of the state."""
    rng = np.random.default_rng(3)
    world = p2.World(gravity=(0, -10))
    for chain in range(6):
        last = None
        for k in range(5):
            body = world.add_body(p2.Box(0.9, 0.2), (8 * chain + k, rng.uniform(-1, 1)), mass=1 + k)
            kind = ("revolute", "distance", "prismatic", "wheel", "rotary")[(chain + k) % 5]
            words = {"stiffness": 10 ** rng.uniform(-1, 4), "damping": 10 ** rng.uniform(-2, 1)}
            getattr(world, f"add_{kind}_joint")(last, body, **words)
            last = body
    for moment in range(3):
        world.step(DT, n=10)
        if moment == 1:
            for body in list(world.bodies)[::3]:
                body.mass = 2 * body.mass
        copies = [p2.World.from_snapshot(world.snapshot()), world.fork(1)[0]]
        for each in copies:
            each.step(DT, n=20)
        again = p2.World.from_snapshot(world.snapshot())
        again.step(DT, n=20)
        assert {each.hash() for each in copies} == {again.hash()}
    world.step(DT, n=20)
    assert world.hash() == again.hash()


# ---------------------------------------------------------------- separations


def test_separations_are_how_far_the_anchors_are_apart():
    world = p2.World(**FREE)
    a, b = two_discs(world)
    pin = world.add_revolute_joint(a, b, local_anchor_a=(0, 0), local_anchor_b=(0, 0))
    assert pin.linear_separation == pytest.approx(np.hypot(5, 1))
    assert pin.angular_separation == 0
    rope = world.add_distance_joint(a, b, upper=3)
    assert rope.linear_separation == pytest.approx(np.hypot(5, 1) - 3)
    slide = world.add_prismatic_joint(a, b, axis=(1, 0), local_anchor_a=(0, 0), upper=2)
    slide.local_anchor_b = (0, 0)
    assert slide.linear_separation == pytest.approx(np.hypot(3, 1))  # 3 m too far, 1 m beside
    slack = world.add_distance_joint(a, b, upper=30)
    spring = world.add_distance_joint(a, b, spring_hertz=1, spring_target=1)
    turn = world.add_rotary_joint(a, b, lower=0.5, upper=1)
    assert slack.linear_separation == spring.linear_separation == 0
    assert turn.angular_separation == 0.5
    table = world.joint_separations
    assert table.shape == (6, 2)
    expected = [(j.linear_separation, j.angular_separation) for j in world.joints]
    np.testing.assert_array_equal(table, expected)
    world.remove(rope)
    assert world.joint_separations.shape == (5, 2)


# ---------------------------------------------------------------- a law of one's own


def test_the_recipe_of_a_spring_law_keeps_energy_and_momentum(repository):
    text = (
        (repository / "docs" / "recipes.md")
        .read_text(encoding="utf-8")
        .split("## A spring law of your own")[1]
    )
    code = text.split("```python\n")[1].split("```")[0]
    names = {"np": np, "p2": p2}
    exec(code.replace("world.step(DT, n=600)", ""), names)
    world, energy = names["world"], names["energy"]
    before = energy(world)
    lengths, energies = [], []
    for _ in range(600):
        world.step(DT)
        energies.append(energy(world))
        lengths.append(world.joint_state["position"])
    np.testing.assert_allclose(energies, before, rtol=0.01)
    np.testing.assert_allclose(world.momentum(), 0, atol=1e-4)
    # It swings between the two lengths at which its energy is that of the start, 1 m and 2 m.
    np.testing.assert_allclose(np.min(lengths, 0), 1, atol=0.01)
    np.testing.assert_allclose(np.max(lengths, 0), 2, atol=0.01)
