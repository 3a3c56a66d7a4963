"""Mass, inertia and centre of mass that are given, and not from the shapes."""

import copy

import numpy as np
import pytest

import pyphys2d as p2

BOX = p2.Box(2, 1)


def make(**given):
    world = p2.World(gravity=(0, 0))
    return world, world.add_body(BOX, (3, 4), 0.5, **given)


def test_inertia_alone():
    _, body = make(inertia=7)
    assert (body.mass, body.inertia, tuple(body.center_of_mass)) == (2, 7, (0, 0))


def test_a_mass_scales_the_inertia_unless_that_is_given():
    natural = BOX.mass_properties(1)[2]
    _, body = make(mass=10)
    assert body.inertia == pytest.approx(5 * natural, rel=1e-15)
    body.inertia = 4
    body.mass = 20
    assert (body.mass, body.inertia) == (20, 4)
    body.inertia = None
    assert body.inertia == pytest.approx(10 * natural, rel=1e-15)
    body.mass = None
    assert (body.mass, body.inertia) == (2, natural)


def test_a_torque_turns_by_the_given_inertia():
    world, body = make(inertia=8)
    body.apply_angular_impulse(4)
    assert body.angular_velocity == 0.5
    body.apply_torque(16)
    world.step(1 / 64)
    assert body.angular_velocity == pytest.approx(0.5 + 16 / 8 / 64, rel=1e-6)


def test_a_body_turns_about_the_given_center():
    world, body = make(center_of_mass=(0.5, 0.25))
    center = body.to_world((0.5, 0.25))
    body.angular_velocity = 3
    world.step(1 / 60, n=30)
    np.testing.assert_allclose(body.to_world((0.5, 0.25)), center, rtol=1e-12)
    assert body.angle == pytest.approx(0.5 + 1.5, rel=1e-9)


def test_a_given_center_goes_with_the_motion_that_it_had():
    _, body = make(velocity=(1, 2), angular_velocity=3)
    point = body.to_world((0.5, 0))
    expected = body.velocity_at(point)
    body.center_of_mass = (0.5, 0)
    np.testing.assert_allclose(body.velocity, expected, rtol=1e-14)
    np.testing.assert_allclose(body.position, (3, 4), rtol=0)
    assert body.inertia == BOX.mass_properties(1)[2]
    body.center_of_mass = None
    np.testing.assert_allclose(body.velocity, (1, 2), rtol=1e-14)


def test_velocity_at_creation_is_that_of_the_given_center():
    _, body = make(velocity=(1, 2), angular_velocity=3, center_of_mass=(0.5, 0))
    assert tuple(body.velocity) == (1, 2)


def test_a_low_center_of_mass_rights_a_round_bottom():
    """A ball with its weight below the middle swings: omega^2 = m g d / (I + m (r - d)^2)."""
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Segment((-9, 0), (9, 0)), kind="static", friction=5)
    ball = world.add_body(
        p2.Circle(1), (0, 1), 0.02, mass=2, inertia=0.5, center_of_mass=(0, -0.5), friction=5,
        can_sleep=False,
    )  # fmt: skip
    omega = np.sqrt(2 * 10 * 0.5 / (0.5 + 2 * 0.5**2))
    angles = []
    for _ in range(240):
        world.step(1 / 240)
        angles.append(ball.angle)
    crossing = np.flatnonzero(np.diff(np.sign(angles)))[0] / 240
    assert crossing == pytest.approx(np.pi / 2 / omega, rel=0.05)


def test_what_is_given_outlasts_the_shapes():
    world, body = make(mass=3, inertia=5, center_of_mass=(0.1, 0.2))
    collider = body.attach(p2.Circle(1, (4, 0)), density=9)
    world.remove(body.colliders[0])
    assert (body.mass, body.inertia, tuple(body.center_of_mass)) == (3, 5, (0.1, 0.2))
    world.remove(collider)
    body.kind = "static"
    assert (body.mass, body.inertia, tuple(body.center_of_mass)) == (0, 0, (0, 0))
    body.kind = "dynamic"
    assert (body.mass, body.inertia, tuple(body.center_of_mass)) == (3, 5, (0.1, 0.2))
    body.mass = body.inertia = body.center_of_mass = None
    assert (body.mass, body.inertia) == (1, 0)  # a point, as nothing weighs


def test_arrays_of_them():
    world = p2.World()
    slots = world.add_bodies(
        BOX, np.zeros((3, 2)), mass=[1, 2, 3], inertia=[4, 5, 6],
        center_of_mass=[(0, 0), (1, 0), (0, 1)], sleep_threshold=[0, 0.1, 0.2],
    )  # fmt: skip
    bodies = [world.bodies[slot] for slot in slots]
    assert [b.mass for b in bodies] == [1, 2, 3]
    assert [b.inertia for b in bodies] == [4, 5, 6]
    assert [tuple(b.center_of_mass) for b in bodies] == [(0, 0), (1, 0), (0, 1)]
    assert [b.sleep_threshold for b in bodies] == [0, 0.1, 0.2]
    world.add_bodies(BOX, np.zeros((2, 2)), inertia=None, center_of_mass=None, sleep_threshold=None)
    assert world.bodies[3].sleep_threshold is None


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("inertia", 0, "inertia: must be"),
        ("inertia", -1, "inertia: must be"),
        ("inertia", np.inf, "inertia"),
        ("inertia", 1e-31, "inertia: mass 2 kg and inertia 1e-31"),
        ("mass", 1e31, "mass: mass 1e[+]31"),
        ("center_of_mass", (np.nan, 0), "center_of_mass"),
        ("center_of_mass", (1e8, 0), "center_of_mass: must be within"),
        ("center_of_mass", 3, "center_of_mass"),
        ("sleep_threshold", -0.1, "sleep_threshold: must be >= 0"),
        ("sleep_threshold", np.inf, "sleep_threshold"),
    ],
)
def test_bad_values_change_nothing(name, value, message):
    world, body = make()
    before = world.hash()
    with pytest.raises(ValueError, match=message):
        setattr(body, name, value)
    with pytest.raises(ValueError, match=message):
        world.add_body(BOX, **{name: value})
    with pytest.raises(ValueError, match=message):
        world.add_bodies(BOX, np.zeros((2, 2)), **{name: value})
    assert world.hash() == before


@pytest.mark.parametrize("name", ["mass", "inertia", "center_of_mass"])
def test_only_dynamic_bodies_have_one(name):
    world = p2.World()
    wall = world.add_body(BOX, kind="static")
    with pytest.raises(ValueError, match=f"{name}: only a dynamic body has one"):
        setattr(wall, name, (1, 1) if name == "center_of_mass" else 1)


def lopsided():
    world = p2.World(linear_damping=0.1, angular_damping=0.3)
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_body(BOX, (0, 2), 0.3, inertia=3, angular_velocity=2, velocity=(1, 0))
    world.add_body(BOX, (3, 2), mass=5, center_of_mass=(0.3, -0.2), angular_velocity=-1)
    two = [p2.Circle(0.4), p2.Box(1, 0.3, (0.5, 0))]
    body = world.add_body(two, (-4, 2), sleep_threshold=0.3, velocity=(0, 1), angular_velocity=1)
    body.colliders[1].density = 3
    body.center_of_mass = (0.25, 0)
    return world


def test_snapshots_keep_what_is_given():
    world = lopsided()
    world.step(n=20)
    other = p2.World.from_snapshot(world.snapshot())
    assert other.hash() == world.hash()
    assert not world.diff(other)
    for each in (world, other):
        each.bodies[1].attach(p2.Circle(0.2, (1, 0)))
        each.bodies[2].attach(p2.Circle(0.2, (1, 0)))
        each.bodies[3].center_of_mass = None
        each.step(n=60)
    assert other.hash() == world.hash()
    assert other.bodies[3].sleep_threshold == 0.3
    assert world.damping is None
    assert other.angular_damping == 0.3


def test_scene_files_keep_what_is_given(tmp_path):
    world = lopsided()
    p2.save(world, tmp_path / "scene.json")
    other = p2.load(tmp_path / "scene.json")
    assert not world.diff(other)
    assert other.hash() == world.hash()


def test_a_diff_names_what_differs():
    world = lopsided()
    other = copy.copy(world)
    other.bodies[1].inertia = 4
    other.bodies[2].sleep_threshold = 1
    other.angular_damping = 2
    assert {path for path, *_ in world.diff(other)} == {
        "bodies[1].inertia",
        "bodies[2].sleep_threshold",
        "angular_damping",
    }


def test_a_cut_shares_the_mass_and_gives_up_the_rest():
    world = p2.World()
    body = world.add_body(BOX, mass=6, inertia=50, center_of_mass=(0, 0.1), sleep_threshold=0.4)
    parts = world.slice(body, (0.5, -2), (0.5, 2))
    assert sorted(part.mass for part in parts) == pytest.approx([1.5, 4.5])
    for part in parts:
        (collider,) = part.colliders
        _, center, inertia = collider.shape.mass_properties(1)
        assert part.inertia == pytest.approx(3 * inertia)
        np.testing.assert_allclose(part.center_of_mass, center, atol=1e-15)
        assert part.sleep_threshold == 0.4


def test_calls_are_logged_and_replayed(tmp_path):
    world = lopsided()
    path = tmp_path / "calls"
    with world.record_calls(path):
        one, two, three = (world.bodies[k] for k in (1, 2, 3))
        one.inertia, one.mass, one.center_of_mass = 2, 3, (0.1, 0)
        two.sleep_threshold = 0.2
        world.step(n=2)
        one.mass = None
        two.apply_force((1, 2), (0.5, 0), local=True)
        three.apply_impulse((1, 0), local=True)
        world.damping = 0.5
        one.wake_touching()
        world.step(n=2)
        slots = world.add_bodies(BOX, np.full((4, 2), 9), inertia=3)
        world.remove([three, two.colliders[0]])
        world.remove(slots[::2])
        world.step(n=2)
    again = p2.replay(path)
    assert again.world.hash() == world.hash()
