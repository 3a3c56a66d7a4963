"""What is printed of worlds and their parts, and what notebooks show of collections and trees."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import pyphys2d as p2


@pytest.fixture
def world():
    return p2.World(gravity=(0, 0))


def named(world):
    ground = world.add_body(p2.Box(20, 1), (0, -0.5), kind="static", name="ground")
    car = world.add_body(p2.Box(2, 0.5), (1 / 3, 1), name="car")
    return ground, car, world.add_body(p2.Circle(0.4), (2, 0.5))


def test_numbers_have_six_digits_at_most(world):
    _, car, wheel = named(world)
    assert repr(car) == "<Body 1 'car', dynamic, at (0.333333, 1)>"
    wheel.position = (-0.0, 1e9 / 7)
    assert repr(wheel) == "<Body 2, dynamic, at (0, 1.42857e+08)>"
    world.step(1 / 3)
    assert repr(world) == "<World of 3 bodies at 0.333333 s>"
    assert repr(p2.World()) == "<World of 0 bodies at 0 s>"


def test_one_is_not_many(world):
    world.add_body(p2.Circle(1))
    assert repr(world) == "<World of 1 body at 0 s>"
    assert repr(world.bodies) == "<1 body: 1 dynamic>"
    assert repr(world.colliders) == "<1 collider: 1 circle>"
    world.add_rotary_joint(None, world.bodies[0])
    assert repr(world.joints) == "<1 joint: 1 rotary>"
    world.add_drag(linear=1)
    assert repr(world.fields) == "<1 field: 1 drag>"


def test_collections_count_by_kind(world):
    _, car, wheel = named(world)
    for _ in range(2):
        world.add_revolute_joint(car, wheel, anchor=(2, 0.5))
    world.add_weld_joint(None, car)
    assert repr(world.bodies) == "<3 bodies: 1 static, 2 dynamic; 'ground', 'car'>"
    assert repr(world.colliders) == "<3 colliders: 2 polygons, 1 circle>"
    assert repr(world.joints) == "<3 joints: 2 revolute, 1 weld>"
    world.remove(car)
    assert repr(world.bodies) == "<2 bodies: 1 static, 1 dynamic; 'ground'>"
    assert repr(world.joints) == repr(world.fields).replace("fields", "joints") == "<0 joints>"


def test_names_are_those_of_the_lowest_slots(world):
    bodies = [world.add_body(p2.Circle(0.1), (k, 0)) for k in range(9)]
    for k in (8, 3, 5, 1, 7, 2, 6):
        bodies[k].name = f"{k}"
    assert repr(world.bodies) == "<9 bodies: 9 dynamic; '1', '2', '3', '5', '6' and 2 more names>"
    bodies[3].name = None
    assert repr(world.bodies) == "<9 bodies: 9 dynamic; '1', '2', '5', '6', '7' and 1 more names>"


def test_a_joint_tells_its_reading_and_what_is_not_as_always(world):
    _, car, wheel = named(world)
    axle = world.add_wheel_joint(
        car, wheel, axis=(0, 1), lower=-0.25, upper=0.25, spring_hertz=4, anchor=wheel.position
    )
    axle.motor_speed, axle.max_motor_torque = -10, 5
    assert repr(axle) == (
        "<WheelJoint 0, bodies 1 'car' and 2, translation=0, angle=0, lower=-0.25, upper=0.25, "
        "motor_speed=-10, max_motor_torque=5, spring_hertz=4>"
    )
    hinge = world.add_revolute_joint(None, car, anchor=(0, 1))
    car.angle = 0.25
    assert repr(hinge) == "<RevoluteJoint 1, the world and body 1 'car', angle=0.25>"
    hinge.set_limits(-1, None)
    assert repr(hinge).endswith("angle=0.25, lower=-1>")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "lower=4, upper=4"),  # a rod
        ({"upper": 5}, "upper=5"),  # a rope
        ({"lower": 0}, None),  # it measures
        ({"spring_hertz": 2}, "spring_hertz=2, spring_target=4"),
        ({"upper": 5, "break_force": 30}, "upper=5, break_force=30"),
    ],
)
def test_a_distance_joint_tells_what_it_holds(world, options, told):
    ball = world.add_body(p2.Circle(0.5), (0, 0))
    joint = world.add_distance_joint(None, ball, anchor_a=(0, 4), **options)
    rest = "" if told is None else f", {told}"
    assert repr(joint) == f"<DistanceJoint 0, the world and body 0, length=4{rest}>"


def test_gears_and_pulleys_and_mice(world):
    _, car, wheel = named(world)
    a = world.add_revolute_joint(None, car, anchor=car.position)
    b = world.add_revolute_joint(None, wheel, anchor=wheel.position)
    gear = world.add_gear_joint(a, b, 2)
    assert "joint_a=0, joint_b=1, position=0, ratio=2" in repr(gear)
    pulley = world.add_pulley_joint(car, wheel, ground_a=(0, 9), ground_b=(2, 9.5), ratio=0.5)
    assert ", ratio=0.5, length=" in repr(pulley)
    mouse = world.add_mouse_joint(car, target=(0, 1.5), max_force=8)
    assert repr(mouse).endswith("target=(0, 1.5), max_force=8>")
    motor = world.add_motor_joint(car, wheel, linear_velocity=(1, 0))
    assert repr(motor).endswith("angle=0, linear_velocity=(1, 0), spring_hertz=0>")


def test_what_is_removed_says_so(world):
    _, car, wheel = named(world)
    joint = world.add_weld_joint(car, wheel)
    world.remove(car)
    assert repr(joint) == "<WeldJoint 0, removed>"
    assert repr(car) == "<Body 1, removed>"


def test_inside_the_step_no_results_are_read(world):
    world.gravity = (0, -9.81)
    world.add_body(p2.Box(4, 1), kind="static", pre_solve=True)
    ball = world.add_body(p2.Circle(0.5), (0, 0.9))
    joint = world.add_rotary_joint(None, ball)
    seen = []

    def look(contacts):
        seen.append([repr(world.bodies), repr(joint), len(cells(world.bodies._repr_html_()))])

    world.on_pre_solve = look
    world.step()
    assert seen == [["<bodies of a World inside its step>", "<RotaryJoint 0>", 3]]


def cells(html):
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in rows]


def test_tables_of_bodies(world):
    _, car, _ = named(world)
    car.name = "<car> & co"
    car.velocity = (3, 1 / 3)
    html = world.bodies._repr_html_()
    ElementTree.fromstring(f"<div>{html}</div>")
    assert len(cells(html)) == 4
    assert cells(html)[2] == [
        "1", "&lt;car&gt; &amp; co", "dynamic", "Box", "(0.3333, 1)", "0", "(3, 0.3333)", "1",
    ]  # fmt: skip


def test_tables_are_short(world):
    world.add_bodies(p2.Circle(0.1), [(k, 0) for k in range(50)])
    html = world.bodies._repr_html_()
    assert len(cells(html)) == 21
    assert "and 30 more" in html
    assert len(world.bodies._repr_html_()) < 4000


def test_tables_of_colliders_joints_and_fields(world):
    _, car, wheel = named(world)
    world.add_revolute_joint(car, wheel, anchor=(2, 0.5), upper=1)
    world.add_drag(linear=1)
    assert cells(world.colliders._repr_html_())[1] == [
        "0", "0 &#39;ground&#39;", "Box(20.0, 1.0)", "friction 0.6, restitution 0",
    ]  # fmt: skip
    assert cells(world.joints._repr_html_())[1] == [
        "0", "RevoluteJoint", "bodies 1 &#39;car&#39; and 2, angle=0, upper=1",
    ]  # fmt: skip
    assert cells(world.fields._repr_html_())[1] == ["0", "Drag", "linear=1.0"]
    assert p2.World().bodies._repr_html_() == "<div>0 bodies</div>"


def rectangles(html):
    drawn = ElementTree.fromstring(f"<div>{html}</div>").iter("{http://www.w3.org/2000/svg}rect")
    return np.array([[float(r.get(k)) for k in ("x", "y", "width", "height")] for r in drawn])


def test_a_tree_shows_its_boxes():
    tree = p2.AABBTree(margin=0.0)
    assert repr(tree) == "<AABBTree of 0 boxes, height 0>"
    assert "<svg" not in tree._repr_html_()
    tree.insert((0, 0), (1, 1))
    assert repr(tree) == "<AABBTree of 1 box, height 0>"
    tree.insert((3, 2), (4, 3))
    drawn = rectangles(tree._repr_html_())
    # 4 m by 3 m in 400 by 300 pixels with a rim of 2; the root is first, y goes down.
    np.testing.assert_allclose(drawn[0], (2, 2, 400, 300))
    leaves = drawn[1:][np.argsort(drawn[1:, 0])]
    np.testing.assert_allclose(leaves, [(2, 202, 100, 100), (302, 2, 100, 100)])


def test_pictures_of_trees_are_bounded_and_finite():
    tree = p2.AABBTree()
    rng = np.random.default_rng(1)
    for low in rng.uniform(0, 100, (1500, 2)):
        tree.insert(low, low + 1)
    html = tree._repr_html_()
    assert len(rectangles(html)) == 2000
    assert "2000 of 2999 nodes" in html
    far = p2.AABBTree()
    far.insert((-1.5e308, -1), (-1.4e308, 1))
    far.insert((1.4e308, -1), (1.5e308, 1))
    assert np.isfinite(rectangles(far._repr_html_())).all()
