"""World.diff names what differs, World.check what a colleague would say."""

import copy

import numpy as np
import pytest

import pyphys2d as p2


def pair():
    world = p2.World()
    world.add_body(p2.Box(9, 1), (0, -0.5), kind="static")
    world.add_body(p2.Box(1, 1), (0, 0.5), name="box")
    world.add_body(p2.Circle(0.5), (0, 1.5))
    world.add_revolute_joint(None, world.bodies[2], anchor=(0, 2))
    world.add_wind((1, 0))
    world.step(n=30)
    return world, copy.copy(world)


def change_velocity(w):
    w.bodies[1].velocity = (3, 0)


def change_friction(w):
    w.colliders[1].friction = 0.125


def change_joint(w):
    w.joints[0].set_limits(-1, 1)


def change_field(w):
    w.fields[0].velocity = (2, 0)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (change_velocity, "bodies[1].velocity"),
        (change_friction, "colliders[1].friction"),
        (change_joint, "joints[0].lower"),
        (change_field, "fields[0].velocity"),
        (lambda w: w.remove(w.bodies[2]), "bodies[2]"),
        (lambda w: w.add_body(p2.Circle(1), (9, 9)), "bodies[3]"),
        (lambda w: setattr(w, "gravity", (0, 0)), "gravity"),
        (lambda w: setattr(w.bodies[1], "name", "x"), "bodies[1].name"),
        (lambda w: w.bodies[1].apply_force((0, 5)), "forces[1]"),
        (lambda w: w.step(), "time"),
    ],
)
def test_the_first_difference_is_named(change, path):
    world, twin = pair()
    assert world.diff(twin) == []
    assert repr(world.diff(twin)) == "<no difference>"
    change(twin)
    found = world.diff(twin)
    assert path in [row[0] for row in found]
    assert found[0][0] == path
    assert path in repr(found)
    assert [row[0] for row in twin.diff(world)] == [row[0] for row in found]


def test_other_things_are_no_worlds():
    with pytest.raises(TypeError, match="other: must be a World"):
        p2.World().diff(3)


def kinds(world, dt=None):
    return [finding.kind for finding in world.check(dt)]


def test_a_good_scene_has_no_findings():
    world, _ = pair()
    assert world.check(1 / 60) == []
    hash = world.hash()
    world.check()
    assert world.hash() == hash


def test_overlaps():
    world = p2.World()
    a = world.add_body(p2.Circle(0.5), name="a")
    b = world.add_body(p2.Circle(0.5), (0.3, 0))
    (finding,) = world.check()
    assert finding.kind == "overlap"
    assert set(finding.objects) == {a, b}
    assert "0.7 m" in finding.message


def test_overlaps_under_load_are_told_from_bad_starts():
    """A wall of sixty rows, which is too wide for a tower, on two substeps."""
    world = p2.World(substeps=2)
    world.add_body(p2.Box(9, 1), (0, -0.5), kind="static")
    for k in range(60):
        for brick in range(9):
            place = (0.3 * brick - 1.2 + 0.15 * (k % 2), 0.05 + 0.1 * k)
            world.add_body(p2.Box(0.3, 0.1), place)
    world.step(n=60)
    found = [each.message for each in world.check() if each.kind == "overlap"]
    assert found
    assert all("pressed together" in message for message in found)
    world.add_body(p2.Box(1, 1), (3, 0.2))
    assert any("will be pushed apart" in each.message for each in world.check())


def test_pixels_and_millimetres():
    world = p2.World(gravity=(0, -900))
    world.add_body(p2.Box(100, 100))
    assert kinds(world) == ["scale"]
    world = p2.World()
    world.add_body(p2.Box(0.001, 0.001))
    assert kinds(world) == ["scale"]


def test_speeds_and_steps():
    world = p2.World()
    with pytest.warns(RuntimeWarning, match="max_speed"):
        world.add_body(p2.Circle(0.5), velocity=(2000, 0))
    assert kinds(world, 0.1) == ["speed", "dt"]
    assert "max_speed = 400" in world.check()[0].message
    world.step()
    (found,) = world.check()
    assert "the last step slowed 1 bodies" in found.message
    assert found.objects == (world.bodies[0],)
    world = p2.World(continuous=False)
    world.add_body(p2.Circle(0.1), velocity=(100, 0))
    assert kinds(world) == []
    assert kinds(world, 1 / 60) == ["speed"]


def test_degrees():
    world = p2.World()
    a = world.add_body(p2.Circle(0.5), (3, 0), angle=90)
    b = world.add_body(p2.Circle(0.5), angle=9)
    world.add_body(p2.Circle(0.5), (6, 0), angle=0.25 * np.pi)
    joint = world.add_revolute_joint(a, b, anchor=(1, 1), lower=-45, upper=0.8)
    found = [f for f in world.check() if f.kind == "angle"]
    assert [f.objects for f in found] == [(a,), (joint,)]
    assert "np.radians(90) is 1.571" in found[0].message
    assert "lower of RevoluteJoint 0 is -45" in found[1].message
    spinning = p2.World(gravity=(0, 0))
    spinning.add_body(p2.Circle(0.5), angular_velocity=70)
    for _ in range(60):
        spinning.step()
        assert spinning.check() == []


def test_chains_the_wrong_way_round():
    for points, wrong in (([(-9, 0), (9, 0)], False), ([(9, 0), (-9, 0)], True)):
        world = p2.World()
        world.add_body(p2.Chain(points), kind="static")
        world.add_body(p2.Circle(0.5), (0, 2))
        assert kinds(world) == (["chain side"] if wrong else [])


def test_masses():
    world = p2.World()
    point = world.add_body(position=(5, 5))
    assert kinds(world) == ["mass"]
    world.remove(point)
    light = world.add_body(p2.Circle(0.5), mass=0.001)
    heavy = world.add_body(p2.Circle(0.5), (2, 0), mass=1000)
    world.add_distance_joint(light, heavy)
    assert kinds(world) == ["mass ratio"]


def test_joints_whose_anchors_are_apart():
    world = p2.World()
    a, b = world.add_body(p2.Circle(0.5)), world.add_body(p2.Circle(0.5), (2, 0))
    world.add_revolute_joint(a, b, anchor=(1, 0))
    assert world.check() == []
    b.position = (3, 0)
    assert kinds(world) == ["anchors"]


def test_rods_that_do_not_fit():
    world = p2.World()
    bob = world.add_body(p2.Circle(0.5), (3, 0))
    rod = world.add_distance_joint(None, bob, length=1)
    (finding,) = world.check()
    assert finding.kind == "anchors"
    assert finding.objects == (rod,)
    assert "3 m apart, 1 m are allowed" in finding.message
    rod.set_limits(0, 4)  # a rope
    assert world.check() == []
    world.remove(rod)
    world.add_distance_joint(None, bob, length=1, spring_hertz=2)
    assert world.check() == []


def test_terrain_that_falls():
    world = p2.World()
    hills = world.add_body(p2.Chain([(5, 0), (-5, 0)]), mass=10)
    assert [each.kind for each in world.check()] == ["terrain"]
    hills.kind = "static"
    assert world.check() == []


def test_gravity_that_points_up():
    world = p2.World((0, 9.81))
    ball = world.add_body(p2.Circle(0.5), (0, 3))
    floor = world.add_body(p2.Box(20, 1), (0, 0), kind="static")
    (found,) = world.check()
    assert found.kind == "gravity"
    assert "World((0, -9.81))" in found.message
    floor.position = 0, 6  # in coordinates of a screen the floor has the larger y
    assert world.check() == []
    floor.position = 0, 0
    ball.gravity_scale = -1
    assert world.check() == []
    ball.gravity_scale, world.gravity = 1, (0, -9.81)
    assert world.check() == []


def test_a_damping_that_another_engine_keeps():
    world = p2.World()
    world.damping = 0.98
    assert [each.kind for each in world.check()] == ["damping"]
    assert "damping = 0.0202" in world.check()[0].message
    for rate in (0.02, 0.5, 1.0):
        world.damping = rate
        assert world.check() == []


def test_attributes_of_a_subclass_that_are_settings_elsewhere():
    class Game(p2.World):
        pass

    game = Game()
    game.score = game.speed = game.shapes = 3
    assert game.check() == []
    game.sub_steps, game.linearDamping = 4, 0.1
    assert kinds(game) == ["setting", "setting"]
    assert "the setting is substeps" in game.check()[0].message
    assert "the setting is linear_damping" in game.check()[1].message


def test_a_hook_that_no_collider_asks():
    world = p2.World()
    ball = world.add_body(p2.Circle(0.5), (0, 3))
    world.on_pre_solve = lambda contacts: None
    assert [each.kind for each in world.check()] == ["hook"]
    ball.colliders[0].pre_solve = True
    assert world.check() == []


def car(mass, **spring):
    """A chassis on two wheels of 18 kg, whose springs have 25 cm up and down."""
    world = p2.World()
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static")
    chassis = world.add_body(p2.Box(3, 0.6), (0, 1.1), mass=mass)
    for x in (-1, 1):
        wheel = world.add_body(p2.Circle(0.35), (x, 0.35), mass=18)
        world.add_wheel_joint(
            chassis, wheel, anchor=(x, 0.35), axis=(0, 1), lower=-0.25, upper=0.25, **spring
        )
    return world


def test_springs_that_do_not_carry_their_load():
    """The reduced mass of 900 kg and 18 kg is 17.6 kg: at 4 Hz they would sag by 0.4 m."""
    world = car(900, spring_hertz=4)
    assert kinds(world) == []  # before it has come down
    world.step(n=300)
    found = world.check()
    assert [each.kind for each in found] == ["spring"] * 2
    assert "WheelJoint 0 does not carry its load: the joint rests on upper=0.25" in str(found[0])
    for good in ({"spring_hertz": 12}, {"stiffness": 9.81 * 450 / 0.06, "damping": 8000}):
        world = car(900, **good)
        world.step(n=300)
        assert kinds(world) == []


def test_springs_that_press_on_their_stops_are_meant():
    """A door that its spring closes, and one that is on its way."""
    world = p2.World((0, 0))
    door = world.add_body(p2.Box(1, 0.1), (0.5, 0))
    world.add_revolute_joint(
        None, door, anchor=(0, 0), lower=0, upper=1.5, spring_hertz=1, spring_target=-0.2
    )
    world.step(n=200)
    assert kinds(world) == []


def test_joints_and_springs_that_move_nothing():
    world = p2.World((0, 0))
    floor = world.add_body(p2.Box(20, 1), (0, -9), kind="static")
    lift = world.add_body(p2.Box(2, 1), (0, -3), kind="kinematic")
    ball = world.add_body(p2.Circle(0.5), (0, 3))
    still = [
        world.add_weld_joint(None, floor),
        world.add_revolute_joint(floor, lift, anchor=(0, -3)),
    ]
    found = [each for each in world.check() if each.kind == "joint"]
    assert [each.objects[0] for each in found] == still
    world.remove(still)
    mouse = world.add_mouse_joint(ball, target=(1, 3), max_force=0)
    assert kinds(world) == ["joint"]
    world.remove(mouse)
    rod = world.add_distance_joint(None, ball, anchor_a=(3, 3), anchor_b=(0, 3))
    assert world.check() == []
    rod.stiffness = 50
    assert kinds(world) == ["spring"]
    rod.set_limits(None, None)
    assert world.check() == []
    world.remove(rod)
    rod = world.add_distance_joint(None, ball, anchor_a=(3, 3), anchor_b=(0, 3))
    rod.spring_target = 2
    assert kinds(world) == ["spring"]
    assert "set_limits" in world.check()[0].message
    rod.set_limits(2, 2)
    assert kinds(world) == ["anchors"]  # it is 3 m long now
    world.remove(rod)
    ball.position = 7, 3
    world.add_distance_joint(floor, ball, anchor_a=(0, 3), anchor_b=(7, 3), length=3, lower=4)
    assert kinds(world) == ["spring"]


def test_more_angles_in_degrees():
    world = p2.World((0, 0))
    a, b = (world.add_body(p2.Box(1, 1), (x, 0)) for x in (0, 3))
    for add, options in (
        ("add_revolute_joint", {"anchor": (0, 0), "reference_angle": 90}),
        ("add_revolute_joint", {"anchor": (0, 0), "spring_target": 45, "spring_hertz": 1}),
        ("add_revolute_joint", {"anchor": (0, 0), "motor_speed": 360, "max_motor_torque": 1}),
        ("add_rotary_joint", {"lower": -180}),
        ("add_motor_joint", {"angle_offset": 90}),
        ("add_ratchet_joint", {"tooth": 30}),
    ):
        joint = getattr(world, add)(a, b, **options)
        found = [each for each in world.check() if each.kind == "angle"]
        assert [each.objects for each in found] == [(joint,)], (add, options)
        world.remove(joint)
    a.angular_velocity = 180
    assert kinds(world) == ["angle"]
    for fair in (20, 100, 314.159):
        a.angular_velocity = fair
        assert world.check() == []


def test_groups_that_make_overlapping_bodies_collide():
    world = p2.World((0, 0))
    world.add_body(p2.Box(1, 1), group=1)
    world.add_body(p2.Box(1, 1), (0.5, 0), group=1)
    (found,) = world.check()
    assert "Group 1 makes them collide: a negative one keeps them apart" in found.message
    for collider in world.colliders:
        collider.group = -1
    assert "overlap" not in kinds(world)


def test_filters_and_materials():
    world = p2.World()
    world.add_body(p2.Circle(0.5), category=1, mask=1)
    world.add_body(p2.Circle(0.5), (3, 0), category=1, mask=1)
    world.add_body(p2.Circle(0.5), (9, 0), category=2, mask=2, restitution=2)
    assert kinds(world) == ["filter", "material"]


def test_many_findings_are_cut():
    world = p2.World()
    world.add_bodies(p2.Circle(0.5), np.zeros((40, 2)))
    assert len(world.check()) == 20
    with pytest.raises(ValueError, match="dt"):
        world.check(-1)


def test_motors_without_strength():
    world = p2.World()
    box = world.add_body(p2.Box(1, 1), name="box")
    idle = world.add_revolute_joint(None, box, motor_speed=2)
    slide = world.add_prismatic_joint(None, box, motor_speed=-1)
    world.add_revolute_joint(None, box, motor_speed=2, max_motor_torque=5)
    world.add_revolute_joint(None, box, max_motor_torque=5)
    world.add_weld_joint(None, box)
    found = [each for each in world.check() if each.kind == "motor"]
    assert [each.objects for each in found] == [(idle,), (slide,)]
    assert "give max_motor_torque= as well, N m" in found[0].message
    assert "give max_motor_force= as well, N" in found[1].message
