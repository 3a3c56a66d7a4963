"""Natural mistakes, thirty each of creation, stepping, joints and queries, and what is said.

Each line is what a user of another engine, or in a hurry, would write, and a part of the message
that tells what to write instead.
"""

import copy
import pickle
import re
import warnings

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import _core, _hints


class Scene:
    """A small world to make mistakes in."""

    def __init__(self):
        self.world = p2.World()
        self.floor = self.world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
        self.ball = self.world.add_body(p2.Circle(0.5), (0, 3), name="ball")
        self.box = self.world.add_body(p2.Box(1, 1), (3, 3), name="box")
        self.joint = self.world.add_revolute_joint(self.ball, self.box, anchor=(1, 3))
        self.collider = self.ball.colliders[0]
        self.shape = self.collider.shape


def said(mistake):
    """The message of the error or warning that a mistake in a scene gives."""
    scene = Scene()
    before = scene.world.hash()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            mistake(scene)
        except Exception as error:
            assert scene.world.hash() == before
            return str(error)
    raise AssertionError("nothing was said")


def assign(name, value):
    """An assignment to an attribute of the ball, or of what the first word names."""

    def mistake(scene):
        owner, _, attribute = name.rpartition(".")
        setattr(getattr(scene, owner or "ball"), attribute, value)

    return mistake


def element(name, index, value):
    def mistake(scene):
        owner, _, attribute = name.rpartition(".")
        getattr(getattr(scene, owner or "ball"), attribute)[index] = value

    return mistake


CREATION = [
    (lambda s: s.world.add_body(p2.Circle(1), elasticity=0.5), "did you mean restitution=?"),
    (lambda s: s.world.add_body(p2.Circle(1), bounce=0.5), "did you mean restitution=?"),
    (lambda s: s.world.add_body(p2.Circle(1), body_type="static"), "did you mean kind=?"),
    (lambda s: s.world.add_body(p2.Circle(1), type="static"), "did you mean kind=?"),
    (lambda s: s.world.add_body(p2.Circle(1), static=True), "did you mean kind='static'?"),
    (lambda s: s.world.add_body(p2.Circle(1), kinematic=True), "did you mean kind='kinematic'?"),
    (lambda s: s.world.add_body(p2.Circle(1), linear_velocity=(1, 0)), "did you mean velocity=?"),
    (lambda s: s.world.add_body(p2.Circle(1), is_sensor=True), "did you mean sensor=?"),
    (lambda s: s.world.add_body(p2.Circle(1), rotation=1), "did you mean angle=?"),
    (lambda s: s.world.add_body(p2.Circle(1), postion=(0, 1)), "did you mean position=?"),
    (lambda s: s.world.add_body(p2.Circle(1), kind="Static"), "did you mean 'static'?"),
    (lambda s: s.world.add_body(p2.Circle(1), kind=0), "one of 'static', 'kinematic', 'dynamic'"),
    (lambda s: s.world.add_body(p2.Circle(1), 0, 5), "position: must have shape (2,)"),
    (lambda s: s.world.add_body(p2.Circle(1), (0, 5), 0, "dynamic"), "add_body(shape, (x, y), a"),
    (lambda s: s.world.add_body([(0, 0), (1, 0), (0, 1)]), "it is Polygon(points)"),
    (lambda s: s.world.add_body(0.5), "it is Circle(radius)"),
    (lambda s: s.world.add_body(p2.Circle), "make one by calling it"),
    (lambda s: s.world.add_body(p2.Circle(1), mass=2, density=3), "give one of the two"),
    (
        lambda s: s.world.add_body(p2.Circle(1), kind="static", velocity=(1, 0)),
        "make it kinematic",
    ),
    (lambda s: s.world.add_body(p2.Circle(1), velocity=(2000, 0)), "world.max_speed = ..."),
    (lambda s: s.world.add_body(p2.Circle(1), density=-1), "density: must be between 0"),
    (lambda s: p2.Segment((0, 0), (1, 0), 0.1), "is a Capsule(p, q, radius)"),
    (lambda s: p2.Segment((0, 0), (1, 0), radius=0.1), "is a Capsule(p, q, radius)"),
    (lambda s: p2.Circle(1, density=2), "density= belongs to add_body"),
    (lambda s: p2.Box(1, 1, friction=2), "friction= belongs to add_body"),
    (lambda s: p2.Polygon(points=[(0, 0), (1, 0), (0, 1)]), "did you mean vertices=?"),
    (lambda s: p2.World(0, -9.81), "gravity is one pair"),
    (lambda s: p2.World(sub_steps=4), "did you mean substeps=?"),
    (
        lambda s: s.world.add_bodies([p2.Circle(1), p2.Box(1, 1)], np.zeros((5, 2))),
        "compound=True to give every body all 2",
    ),
    (lambda s: s.world.add_bodies([], np.zeros((5, 2))), "give None"),
]

STEPPING = [
    (lambda s: s.world.step(60), "for 60 steps give n=60"),
    (lambda s: s.world.step(dt=16.7), "16.7 milliseconds are dt=0.0167;"),
    (lambda s: s.world.step(0), "dt: must be > 0"),
    (lambda s: s.world.step(1 / 60, 4.0), "n: must be an integer"),
    (lambda s: s.world.step(1 / 60, substeps=4), "world.substeps = ..."),
    (lambda s: s.world.step(1 / 60, 8, 3), "takes at most 2 positional"),
    (lambda s: s.world.step(steps=4), "did you mean n=?"),
    (lambda s: s.world.step(time_step=0.01), "did you mean dt=?"),
    (lambda s: list(s.world.stages(60)), "dt: must be at most 1 second"),
    (element("position", 0, 5), "body.position = (x, y), write to world.positions[body.index]"),
    (element("position", slice(None), 5), "body.position = (x, y)"),
    (element("velocity", 1, 5), "body.velocity = (x, y), write to world.velocities[body.index]"),
    (element("world.gravity", 1, -1), "assign the whole, world.gravity = (x, y)"),
    (element("center_of_mass", 0, 1), "take .copy() to write to"),
    (element("joint.anchor_a", 0, 1), "joint.anchor_a cannot be set"),
    (assign("floor.velocity", (1, 0)), "a static body does not move; make it kinematic"),
    (assign("floor.angular_velocity", 1), "a static body does not move; make it kinematic"),
    (assign("floor.mass", 5), "only a dynamic body has one"),
    (assign("velocity", (2000, 0)), "world.max_speed = ..."),
    (assign("angular_velocity", 2e5), "world.max_angular_speed = ..."),
    (assign("kind", "DYNAMIC"), "did you mean 'dynamic'?"),
    (assign("position", 5), "position: must have shape (2,)"),
    (assign("angle", (1, 2)), "angle: must be a number"),
    (assign("mass", 0), "mass: must be finite and > 0"),
    (lambda s: s.world.bodies[99], "those in use are between 0 and 2"),
    (lambda s: s.world.bodies[-1], "list(world.bodies)[-1]"),
    (lambda s: s.world.bodies["bal"], "no body has this name; did you mean 'ball'?"),
    (lambda s: s.world.bodies[0:2], "slice list(world.bodies)"),
    (lambda s: s.world.fields[0], "there are none"),
    (lambda s: s.world.remove(2), "must be a Body"),
]


JOINTS = [
    (lambda s: s.world.add_revolute_joint(s.ball, None, anchor=(0, 3)), "None as its first body"),
    (lambda s: s.world.add_revolute_joint(s.ball, anchor=(0, 3)), "(None, body)"),
    (lambda s: s.world.add_revolute_joint(s.world, s.ball), "for the world give None"),
    (lambda s: s.world.add_revolute_joint(1, 2, anchor=(0, 3)), "is world.bodies[slot]"),
    (lambda s: s.world.add_revolute_joint("ball", "box"), "is world.bodies[name]"),
    (lambda s: s.world.add_revolute_joint(s.ball.colliders[0], s.box), "is collider.body"),
    (lambda s: s.world.add_revolute_joint(s.ball, s.ball), "must be another body than a"),
    (lambda s: s.world.add_revolute_joint(s.ball, s.box, (0, 3)), "given by name: anchor="),
    (lambda s: s.world.add_revolute_joint(s.ball, s.box, pivot=(0, 3)), "did you mean anchor=?"),
    (
        lambda s: s.world.add_revolute_joint(s.ball, s.box, anchor=(0, 3), anchor_a=(1, 3)),
        "give it, or anchor_a and anchor_b",
    ),
    (lambda s: s.world.add_revolute_joint(s.ball, s.box, lower_angle=-1), "did you mean lower=?"),
    (lambda s: s.world.add_revolute_joint(s.ball, s.box, lower=1, upper=-1), "must be <= upper"),
    (lambda s: s.world.add_revolute_joint(s.ball, s.box, enable_motor=True), "max_motor_torque="),
    (lambda s: s.world.add_revolute_joint(s.ball, s.box, enable_limit=True), "lower= or upper="),
    (
        lambda s: s.world.add_revolute_joint(s.ball, s.box, max_motor_force=5),
        "did you mean max_motor_torque=?",
    ),
    (
        lambda s: s.world.add_revolute_joint(s.ball, s.box, collide_bodies=True),
        "did you mean collide_connected=?",
    ),
    (lambda s: s.world.add_distance_joint(s.ball, s.box, rest_length=3), "did you mean length=?"),
    (lambda s: s.world.add_distance_joint(s.ball, s.box, hertz=3), "did you mean spring_hertz=?"),
    (lambda s: s.world.add_distance_joint(s.ball, s.box, max_length=3), "did you mean upper=?"),
    (lambda s: s.world.add_distance_joint(s.ball, s.box, length=-1), "length: must be > 0"),
    (lambda s: s.world.add_prismatic_joint(s.ball, s.box, axis=0.5), "axis: must have shape (2,)"),
    (lambda s: s.world.add_prismatic_joint(s.ball, s.box, axis=(0, 0)), "a finite length > 0"),
    (lambda s: s.world.add_wheel_joint(s.ball, s.box, suspension=3), "mean spring_hertz=?"),
    (lambda s: s.world.add_mouse_joint(s.ball, (0, 0)), "add_mouse_joint(body, target=(x, y))"),
    (lambda s: s.world.add_gear_joint(s.ball, s.box, 2), "a gear ties two joints"),
    (lambda s: s.world.add_pulley_joint(s.ball, s.box), "ground_a=(x, y), ground_b=(x, y)"),
    (lambda s: s.world.add_ratchet_joint(s.ball, s.box), "tooth=np.radians(30)"),
    (lambda s: s.world.add_motor_joint(s.ball, s.box, linear_offset=(1, 0)), "mean offset=?"),
    (lambda s: p2.World().add_weld_joint(s.ball, s.box), "belongs to another world"),
    (lambda s: s.joint.set_limits(1, -1), "lower: must be <= upper"),
]

QUERIES = [
    (lambda s: s.world.cast_ray(0, 9, 0, -9), "cast_ray((x, y), (dx, dy))"),
    (lambda s: s.world.cast_ray((0, 9)), "from origin to origin + translation"),
    (lambda s: s.world.cast_ray((0, 9), end=(0, -9)), "give end - origin"),
    (lambda s: s.world.cast_ray((0, 9), direction=(0, -1)), "a direction times a length"),
    (lambda s: s.world.cast_ray(start=(0, 9), end=(0, 0)), "did you mean origin=?"),
    (lambda s: s.world.cast_ray((0, 9), (0, -9), max_distance=5), "a direction times a length"),
    (lambda s: s.world.cast_ray([(0, 9)], [(0, -9)]), "origin: must have shape (2,)"),
    (lambda s: s.world.cast_ray((0, 9), (0, -9), exclude=s.ball), "did you mean ignore=?"),
    (lambda s: s.world.cast_ray((0, 9), (0, -9), ignore=1), "is the body world.bodies[slot]"),
    (lambda s: s.world.cast_ray((0, 9), (0, -9), ignore=[1]), "is the body world.bodies[slot]"),
    (lambda s: s.world.cast_ray((0, 9), (0, -9), filter=3), "did you mean mask=?"),
    (lambda s: s.world.cast_ray((0, 9), (0, -9), sensors=True), "did you mean include_sensors=?"),
    (lambda s: s.world.cast_ray((0, 9), (0, -9), where=True), "one for each index of a collider"),
    (lambda s: s.world.query_aabb((0, 0, 1, 1)), "query_aabb((x0, y0), (x1, y1))"),
    (lambda s: s.world.query_aabb(0, 0, 1, 1), "query_aabb((x0, y0), (x1, y1))"),
    (lambda s: s.world.query_aabb((1, 1), (0, 0)), "lower: must not be beyond upper"),
    (lambda s: s.world.overlap((0, 0)), "of points it is Polygon(points)"),
    (lambda s: s.world.overlap(p2.Circle(1), (0, 0)), "shape (3,) for x, y and angle"),
    (lambda s: s.world.overlap(p2.Circle(1), position=(0, 0)), "pose=(x, y, angle)"),
    (lambda s: s.world.overlap(s.ball), "[c.shape for c in body.colliders]"),
    (lambda s: s.world.overlap([p2.Circle(1)]), "give the shapes one by one"),
    (lambda s: s.world.cast_shape(p2.Circle(1), (0, 0, 0), end=(1, 0)), "the end less the start"),
    (lambda s: s.world.cast_shape(s.ball, (0, 0, 0), (1, 0)), "[c.shape for c in body.colliders]"),
    (lambda s: s.world.at(0, 3), "at((x, y))"),
    (lambda s: s.world.nearest((0, 0), radius=3), "did you mean max_distance=?"),
    (lambda s: s.world.nearest((0, 0), count=3), "did you mean k=?"),
    (lambda s: s.world.touching(s.ball, s.box), "other in touching(body)"),
    (lambda s: p2.geometry.distance(s.ball, s.box), "[c.shape for c in body.colliders]"),
    (lambda s: p2.geometry.area(p2.Box(1, 1)), "its points are its vertices"),
    (lambda s: s.world.explode((0, 0), radius=3), "explode(center, radius, impulse)"),
]


@pytest.mark.parametrize(("mistake", "words"), CREATION)
def test_creation(mistake, words):
    assert words in said(mistake)


@pytest.mark.parametrize(("mistake", "words"), STEPPING)
def test_stepping(mistake, words):
    assert words in said(mistake)


@pytest.mark.parametrize(("mistake", "words"), JOINTS)
def test_joints(mistake, words):
    assert words in said(mistake)


@pytest.mark.parametrize(("mistake", "words"), QUERIES)
def test_queries(mistake, words):
    assert words in said(mistake)


@pytest.mark.parametrize(
    ("make", "fix"),
    [
        (lambda s: p2.Body(), "world.add_body(shape, (x, y))"),
        (lambda s: p2.Body(mass=1, moment=2), "world.add_body(shape, (x, y))"),
        (lambda s: p2.Collider(s.ball, p2.Circle(1)), "body.attach(shape)"),
        (lambda s: p2.RevoluteJoint(s.ball, s.box, (0, 0)), "world.add_revolute_joint(a, b, ...)"),
        (lambda s: p2.Joint(s.ball, s.box), "world.add_..._joint(a, b, ...)"),
    ],
)
def test_classes_of_handles_that_are_called(make, fix):
    assert fix in said(make)


ATTRIBUTES = [
    (lambda s: p2.Space(), "pyphys2d.World(gravity=(0, -9.81))"),
    (lambda s: p2.Vec2d(1, 2), "pairs (x, y)"),
    (lambda s: p2.PivotJoint(s.ball, s.box, (0, 0)), "world.add_revolute_joint(a, b, anchor="),
    (lambda s: p2.b2PolygonShape(), "did you mean pyphys2d.Polygon?"),
    (lambda s: p2.distance(1, 2), "did you mean pyphys2d.geometry.distance?"),
    (lambda s: s.world.add(s.ball), "world.add_body(shape, (x, y))"),
    (lambda s: s.world.add_collision_handler(1, 2), "world.events.contact_begin"),
    (lambda s: s.world.sub_steps, "did you mean world.substeps?"),
    (lambda s: s.world.shapes, "did you mean world.colliders?"),
    (lambda s: s.world.debug_draw(None), "pyphys2d.plot.world(world)"),
    (lambda s: s.world.CreateStaticBody(position=(0, 0)), "kind='static'"),
    (lambda s: s.ball.friction, "body.colliders[0].friction"),
    (assign("friction", 1), "body.colliders[0].friction"),
    (assign("elasticity", 1), "body.colliders[0].restitution"),
    (lambda s: s.ball.linear_velocity, "did you mean body.velocity?"),
    (assign("linear_velocity", (1, 0)), "did you mean body.velocity?"),
    (lambda s: s.ball.rotation, "did you mean body.angle?"),
    (lambda s: s.ball.moment, "did you mean body.inertia?"),
    (
        lambda s: s.ball.apply_force_at_local_point((0, 1), (0, 0)),
        "body.apply_force(force, point, local=True)",
    ),
    (lambda s: s.ball.shapes, "did you mean body.colliders?"),
    (lambda s: s.ball.is_sleeping, "not body.awake"),
    (lambda s: p2.Body.STATIC, "body.kind = 'static'"),
    (lambda s: s.ball.colliders[0].elasticity, "did you mean collider.restitution?"),
    (lambda s: s.ball.colliders[0].position, "collider.body.position"),
    (lambda s: s.ball.colliders[0].radius, "collider.shape.radius"),
    (lambda s: s.ball.colliders[0].shape.friction, "body.colliders[0].friction"),
    (lambda s: s.box.colliders[0].shape.points, "did you mean shape.vertices?"),
    (lambda s: s.joint.rate, "did you mean joint.motor_speed?"),
    (lambda s: s.joint.max_torque, "did you mean joint.max_motor_torque?"),
    (assign("joint.enable_motor", True), "max_motor_torque= or max_motor_force= is above 0"),
    (assign("joint.error_bias", 0.1), "did you mean joint.joint_hertz?"),
    (lambda s: s.joint.set_constraint_tuning(30, 2), "did you mean joint.joint_hertz?"),
    (lambda s: s.joint.constraint_damping_ratio, "did you mean joint.joint_damping_ratio?"),
    (lambda s: s.world.add_body(p2.Circle(1), bodyType="static"), "did you mean kind=?"),
    (
        lambda s: s.world.add_revolute_joint(s.box, s.ball, constraintHertz=30),
        "did you mean joint_hertz=?",
    ),
    (
        lambda s: s.world.add_weld_joint(s.box, s.ball, error_bias=0.1),
        "did you mean joint_hertz=?",
    ),
]
FIRST_TRIES = [
    (lambda s: p2.World(gravity=-9.81), "gravity=(0, -9.81)"),
    (lambda s: setattr(s.world, "gravity", -9.81), "gravity=(0, -9.81)"),
    (lambda s: s.world.step(1 / 60, 8, 3), "world.substeps = ..."),
    (lambda s: s.world["ball"], "world.bodies['ball']"),
    (lambda s: s.world[0], "world.bodies[i]"),
    (lambda s: p2.Circle(s.ball, 0.5), "body.attach(Circle(radius, center, ...))"),
    (lambda s: p2.Segment(s.ball, (0, 0), (1, 0), 0.1), "body.attach(Segment(p, q, ...))"),
    (lambda s: p2.Polygon(vertices=[(0, 0), (1, 0), (0, 1)], body=s.ball), "body.attach(Polygon("),
    (lambda s: p2.Box((1, 1)), "Box(width, height)"),
    (lambda s: recorded(s)[s.ball], "of a body take the name, 'ball'"),
    (lambda s: recorded(s)[s.floor], "add_body(..., name='ball')"),
    (lambda s: recorded(s)[0], ".sel(body=0)"),
    (lambda s: recorded(s).sel(body=[s.ball]), "of a body take the name, 'ball'"),
    (lambda s: recorded(s).sel(body=s.ball), "of a body take the name, 'ball'"),
    (lambda s: recorded(s).x, "run.positions[..., 0], shape (frames, bodies)"),
    (lambda s: recorded(s).velocity, "did you mean run.velocities?"),
    (lambda s: recorded(s).energy, "run.kinetic_energy + run.potential_energy"),
    (lambda s: recorded(s).frames, "len(run) is their number"),
    (lambda s: s.world.add_fluid(surface=0, density=1), "level_or_surface="),
    (lambda s: mover(s).jump(5), "a jump is a velocity: mover.move((vx, 5), dt)"),
    (lambda s: mover(s).on_ground, "did you mean mover.grounded?"),
    (lambda s: mover(s).move_and_slide(), "mover.move(velocity, dt)"),
    (
        lambda s: p2.geometry.TileMap(["..#", "###"]),
        "[c == '#' for c in line] for line in lines[::-1]]",
    ),
    (
        lambda s: s.world.add_bodies(p2.Circle(1), [(0, 0)] * 3, [0] * 4),
        "angles: must have shape (3,) as the arguments before it, got (4,)",
    ),
]


# What else is tried, in the four fields.
MORE = [
    (lambda s: s.world.step(4, 1 / 60), "n: must be an integer"),
    (lambda s: s.world.step(8, 3), "step(dt, n): substeps are world.substeps"),
    (lambda s: s.world.add_body(p2.Circle(1), x=1, y=2), "one pair: position=(x, y)"),
    (lambda s: s.world.add_body(p2.Circle(1), color="red"), "plot.world(world, color=...)"),
    (lambda s: s.world.add_body(p2.Box(1, 1), angle_degrees=90), "angle=np.radians(90)"),
    (lambda s: s.world.add_body(p2.Circle(1), gravity=0), "did you mean gravity_scale=?"),
    (lambda s: s.world.add_static_body(p2.Box(1, 1)), "(shape, (x, y), kind='static')"),
    (lambda s: s.world.add_shape(p2.Circle(1)), "body.attach(shape)"),
    (lambda s: p2.Circle(diameter=2), "radius= is half of it"),
    (lambda s: p2.Box(half_width=1, half_height=1), "width= is the whole width"),
    (lambda s: p2.Box(1), "Box(width, height)"),
    (lambda s: p2.Polygon([(0, 0), (1, 0), (0, 1)], convex=True), "cut into convex parts"),
    (lambda s: p2.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]), "edge 0 -> 1 crosses edge 2 -> 3"),
    (lambda s: p2.RegularPolygon(radius=1, sides=5), "did you mean n=?"),
    (lambda s: p2.Chain([(0, 0), (1, 0)], closed=True), "did you mean loop=?"),
    (lambda s: p2.World(dt=1 / 60), "world.step(dt)"),
    (lambda s: s.world.add_bodies(p2.Circle(1), n=5), "number of rows of positions"),
    (lambda s: s.world.step(fps=60), "dt= is 1 / fps"),
    (lambda s: s.world.tick(), "world.step(dt)"),
    (lambda s: s.world.clear(), "world.remove(list(world.bodies))"),
    (lambda s: s.world.run(5), "pyphys2d.simulate(world, seconds)"),
    (assign("world.time", 0), "world.restore(state) goes back"),
    (assign("world.gravity", 9.81), "gravity=(0, -9.81)"),
    (lambda s: s.ball.move(1, 2), "body.position += (dx, dy)"),
    (lambda s: s.ball.rotate(1), "body.angle += radians"),
    (lambda s: s.ball.add_force((1, 0)), "body.apply_force(force, point)"),
    (lambda s: s.ball.velocity.x, "x is v[0]"),
    (lambda s: setattr(s.ball.position, "x", 5), "body.position = (x, y)"),
    (lambda s: s.ball.velocity.length, "np.hypot(*v)"),
    (lambda s: s.ball.radius, "body.colliders[0].shape.radius"),
    (assign("color", "red"), "plot.world(world, color=...)"),
    (lambda s: s.ball.collides_with(s.box), "other in world.touching(body)"),
    (lambda s: s.ball.remove(), "world.remove(body)"),
    (lambda s: s.world.remove(s.ball, s.box), "world.remove([a, b])"),
    (lambda s: s.world.remove("ball"), "world.bodies[name]"),
    (lambda s: s.world.bodies.append(s.ball), "world.add_body(shape, (x, y))"),
    (lambda s: s.world.bodies.remove(s.ball), "world.remove(body)"),
    (lambda s: s.world.joints.clear(), "world.remove(list(world.joints))"),
    (lambda s: s.ball.colliders[0].contains((0, 3)), "collider.body.contains(points)"),
    (lambda s: s.world.add_spring(s.ball, s.box), "add_distance_joint(a, b, stiffness="),
    (lambda s: s.world.add_rope(s.ball, s.box), "add_distance_joint(a, b, upper=length)"),
    (lambda s: s.world.add_hinge_joint(s.ball, s.box), "add_revolute_joint(a, b, anchor="),
    (lambda s: s.world.add_slider_joint(s.ball, s.box), "add_prismatic_joint(a, b, axis="),
    (lambda s: s.world.add_fixed_joint(s.ball, s.box), "world.add_weld_joint(a, b)"),
    (lambda s: s.world.add_weld_joint(s.ball, s.box, frequency_hz=5), "mean spring_hertz=?"),
    (lambda s: s.world.add_revolute_joint(s.ball, s.box, limits=(-1, 1)), "lower= and upper="),
    (lambda s: s.world.add_revolute_joint(s.ball, s.box, motor=True), "max_motor_torque="),
    (lambda s: s.world.add_prismatic_joint(s.ball, s.box, direction=(1, 0)), "mean axis=?"),
    (lambda s: s.world.add_ratchet_joint(s.ball, s.box, ratchet=0.5), "did you mean tooth=?"),
    (lambda s: s.world.add_motor_joint(s.ball, s.box, speed=5), "linear_velocity=(vx, vy)"),
    (lambda s: s.world.add_rotary_joint(s.ball, s.box, anchor=(0, 0)), "add_revolute_joint"),
    (lambda s: s.world.add_gear_joint(s.joint, ratio=2), "add_gear_joint(joint_a, joint_b, 2)"),
    (lambda s: s.world.add_spring_law(s.joint), "function(extension, rate) returns"),
    (assign("joint.anchor", (0, 0)), "joint.local_anchor_a = (x, y)"),
    (assign("joint.anchor_a", (0, 0)), "joint.local_anchor_a moves it"),
    (assign("joint.angle", 1), "spring_target"),
    (assign("joint.body_a", None), "make another"),
    (assign("joint.enabled", False), "world.remove(joint)"),
    (assign("joint.force_func", len), "world.add_spring_law(joints, function)"),
    (lambda s: s.joint.set_limits(1), "set_limits(lower, upper)"),
    (lambda s: s.joint.set_motor(5, 10), "joint.motor_speed = ..."),
    (lambda s: s.world.cast_ray((0, 9), (0, -9)).distance, "hit.fraction times the length"),
    (lambda s: s.world.cast_ray((0, 9), (0, -9)).shape, "hit.collider.shape"),
    (lambda s: s.world.cast_rays((0, 9), (0, -9), n=5), "a ray for each row"),
    (lambda s: s.world.query((0, 0), (1, 1)), "world.query_aabb(lower, upper)"),
    (lambda s: s.world.query_point((0, 3)), "world.at(point)"),
    (lambda s: s.world.query_radius((0, 0), 3), "overlap(pyphys2d.Circle(radius), (x, y, 0))"),
    (lambda s: s.world.cast_shape(p2.Circle(1), (0, 5, 0)), "(shape, (x, y, angle), (dx, dy))"),
    (lambda s: s.world.events.begin, "did you mean events.contact_begin?"),
    (lambda s: s.world.contact_begin, "did you mean world.events.contact_begin?"),
    (lambda s: s.world.collisions, "did you mean world.contacts?"),
    (lambda s: s.world.add_wind((5, 0), strength=3), "density= and drag= its grip"),
    (lambda s: s.world.add_fluid(0), "add_fluid(0, density=1)"),
    (lambda s: s.world.add_point_gravity((0, 0)), "at one metre from the centre"),
    (lambda s: s.world.explode((0, 0), 3, strength=5), "did you mean impulse=?"),
    (lambda s: s.world.slice(s.box), "slice(body, p, q)"),
    (lambda s: p2.Chain((0, 0), (1, 0)), "got tuple; all points are one argument"),
    (lambda s: p2.Chain([0, 0], [1, 0], [2, 0]), "as in Chain([(0, 0), (1, 0)])"),
]

# What Box2D in Python and pymunk have, and what else is tried, with the place where it is here.
ELSEWHERE = [
    ("world.CreateWeldJoint", "did you mean world.add_weld_joint?"),
    ("world.CreateMouseJoint", "did you mean world.add_mouse_joint?"),
    ("world.CreateRopeJoint", "add_distance_joint(a, b, upper=length)"),
    ("world.QueryAABB", "did you mean world.query_aabb?"),
    ("world.contactListener", "events.contact_begin"),
    ("world.SetContactListener", "events.contact_begin"),
    ("world.allowSleeping", "did you mean world.sleeping?"),
    ("world.GetBodyCount", "len(world.bodies)"),
    ("world.collision_slop", "world.slop"),
    ("world.idle_speed_threshold", "sleep_threshold"),
    ("world.elasticity", "materials belong to colliders"),
    ("world.on_contact", "events, arrays after each step"),
    ("world.add_friction_joint", "add_motor_joint(a, b, max_force=..., max_torque=...)"),
    ("world.add_rod", "world.add_distance_joint(a, b)"),
    ("world.bodies.get", "name in world.bodies"),
    ("ball.GetLinearVelocity", "did you mean body.velocity?"),
    ("ball.SetAwake", "did you mean body.awake?"),
    ("ball.gravityScale", "did you mean body.gravity_scale?"),
    ("ball.SetTransform", "body.position and body.angle"),
    ("ball.massData", "body.mass, body.inertia"),
    ("ball.GetFixtures", "did you mean body.colliders?"),
    ("ball.update_velocity", "world.on_force"),
    ("ball.copy", "copy.copy(world)"),
    ("collider.categoryBits", "did you mean collider.category?"),
    ("collider.GetUserData", "did you mean collider.user_data?"),
    ("collider.filterData", "collider.category, collider.mask"),
    ("shape.unsafe_set_radius", "collider.set_shape(shape)"),
    ("shape.offset", "did you mean shape.center?"),
    ("joint.anchorA", "did you mean joint.anchor_a?"),
    ("joint.motorEnabled", "where max_motor_torque"),
    ("joint.lowerLimit", "did you mean joint.lower?"),
    ("joint.SetMaxMotorTorque", "did you mean joint.max_motor_torque?"),
    ("joint.GetReactionForce", "did you mean joint.force?"),
]
KEYWORDS = [
    (lambda s: p2.Box(hx=1, hy=1), "twice hx"),
    (lambda s: p2.Circle(1, offset=(1, 0)), "did you mean center=?"),
    (lambda s: p2.World(sleep_time_threshold=1), "World(sleeping=False)"),
    (lambda s: s.world.step(sub_steps=4), "world.substeps"),
    (lambda s: s.world.add_body(asleep=True), "awake=False"),
    (lambda s: s.world.add_body(surface_velocity=1), "tangent_speed"),
    (lambda s: s.world.add_revolute_joint(bodyA=s.ball, bodyB=s.box), "the bodies come first"),
    (lambda s: s.world.add_revolute_joint(s.ball, s.box, enableMotor=True), "max_motor_torque="),
    (lambda s: s.world.add_pulley_joint(s.ball, s.box, groundAnchorA=(0, 0)), "ground_a=?"),
    (lambda s: s.world.cast_ray((0, 0), to=(1, 1)), "did you mean translation=?"),
    (lambda s: s.world.add_body(p2.Circle(1), inertia=np.inf), "fixed_rotation=True"),
    (assign("inertia", np.inf), "fixed_rotation=True"),
    (element("shape.center", 0, 3), "shape.center cannot be set"),
    (element("shape.centroid", 0, 3), "take .copy() to write to"),
    (element("joint.force", 0, 3), "joint.force cannot be set"),
    (lambda s: p2.simulate(s.world, 3, dt=60), "fps=60"),
    (lambda s: p2.simulate(s.world, 180, 1 / 60), "dt=0.0166667"),
]


@pytest.mark.parametrize(("name", "words"), ELSEWHERE)
def test_names_of_other_engines_have_their_place_here(name, words):
    scene = Scene()
    *owners, last = name.split(".")
    thing = scene
    for owner in owners:
        thing = getattr(thing, owner)
    with pytest.raises(AttributeError) as raised:
        getattr(thing, last)
    assert words in str(raised.value)
    with pytest.raises(AttributeError):
        setattr(thing, last, 1)


@pytest.mark.parametrize(("mistake", "words"), KEYWORDS)
def test_arguments_that_have_another_name_or_place_here(mistake, words):
    assert words in said(mistake)


def test_methods_under_the_names_of_hooks_are_refused():
    """No step would call them, as those of a b2ContactListener are."""
    for name in ("on_force", "on_pre_solve", "pair_filter"):
        with pytest.raises(TypeError, match=rf"^Game\.{name}: .* self\.{name} = self"):
            type("Game", (p2.World,), {name: lambda self, world: None})

    class Named:
        def __init_subclass__(cls, label="", **options):
            super().__init_subclass__(**options)
            cls.label = label

    class Game(p2.World, Named, label="game"):
        def __init__(self, *arguments, **options):
            self.calls = 0
            self.on_force = self.push

        def push(self, world):
            self.calls += 1

    game = Game()
    game.step(n=3)
    assert (game.label, game.calls) == ("game", 3)
    with pytest.raises(TypeError):
        type("Other", (p2.World,), {}, colour="red")


@pytest.mark.parametrize("answer", [False, np.False_, np.array([True, False])])
def test_an_answer_of_on_pre_solve_is_refused(answer):
    world = p2.World()
    world.add_body(p2.Box(9, 1), (0, -0.5), kind="static")
    world.add_body(p2.Circle(0.5), (0, 0.49), pre_solve=True)
    world.on_pre_solve = lambda contacts: answer
    before = world.hash()
    with pytest.raises(TypeError, match=r"contacts\['enabled'\]\[k\] = False"):
        world.step()
    assert world.hash() == before
    for taken in (None, True, 3, np.zeros(2)):
        world.on_pre_solve = lambda contacts, taken=taken: taken
        world.step()


def test_whether_a_body_has_a_name():
    world = p2.World()
    ball = world.add_body(p2.Circle(1), name="ball")
    world.add_body(p2.Circle(1), name="ball")
    assert "ball" in world.bodies
    assert "box" not in world.bodies
    assert "ball" not in world.colliders
    world.remove(list(world.bodies))
    assert "ball" not in world.bodies
    assert ball not in world.bodies
    assert "ball" not in p2.World().bodies


def mover(scene):
    return p2.CharacterMover(scene.world, p2.Capsule((0, 0.3), (0, 1), 0.3), (9, 9))


def recorded(scene):
    return p2.Trajectory.record(copy.copy(scene.world), 1)


@pytest.mark.parametrize(("mistake", "words"), ATTRIBUTES)
def test_attributes_of_other_engines(mistake, words):
    assert words in said(mistake)


@pytest.mark.parametrize(("mistake", "words"), MORE)
def test_more_of_them(mistake, words):
    assert words in said(mistake)


@pytest.mark.parametrize(("mistake", "words"), FIRST_TRIES)
def test_first_tries(mistake, words):
    assert words in said(mistake)


def test_what_the_hints_name_is_there():
    """Of the names that are said, each is an attribute of a class that they are said of."""
    classes = {
        "World": [p2.World],
        "Body": [p2.Body],
        "Collider": [p2.Collider],
        "Shape": [p2.Circle, p2.Polygon, p2.Box, p2.Capsule, p2.Segment, p2.Chain],
        "Joint": p2.Joint.__subclasses__(),
        "Trajectory": [p2.Trajectory],
        "CharacterMover": [p2.CharacterMover],
        "RayHit": [p2.RayHit],
        "Events": [p2.Events],
        "Vector": [np.ndarray],
        "Bodies": [_core.Bodies],
        "Colliders": [_core.Colliders],
        "Joints": [_core.Joints],
    }
    for base, table in _hints.ATTRIBUTES.items():
        for name, known in table.items():
            for each in known.split("|"):
                if each.isidentifier():
                    assert any(hasattr(c, each) for c in classes[base]), (base, name, each)
    for base, names in (("Body", _hints.OF_BODIES), ("Shape", _hints.OF_SHAPES)):
        for name in names:
            assert any(hasattr(c, name) for c in classes[base]), (base, name)
    assert all(hasattr(p2.Collider, name) for name in _hints.MATERIAL)
    for name, known in _hints.OF_MODULE.items():
        assert not hasattr(p2, name), name
        if known.isidentifier():
            assert hasattr(p2, known), known


def test_names_of_other_engines_are_found_by_no_one_who_asks_what_there_is():
    scene = Scene()
    shape = scene.ball.colliders[0].shape
    for owner in (scene.world, scene.ball, scene.ball.colliders[0], scene.joint, shape):
        for place in (owner, type(owner)):
            there = set(dir(place))
            for name in _hints.MEANT:
                assert hasattr(place, name) == (name in there), (place, name)
    with pytest.raises(AttributeError) as caught:
        scene.ball.shapes  # noqa: B018
    assert caught.value.name == "shapes"
    assert caught.value.obj is None  # or the interpreter would guess against the hint
    with pytest.raises(AttributeError) as caught:
        scene.ball.postion  # noqa: B018
    assert caught.value.obj is scene.ball


def test_subclasses_of_a_world_may_have_attributes_of_such_names():
    class Game(p2.World):
        def add(self, what):
            return what

    game = Game()
    game.speed = 3
    game.shapes = [1]
    assert (game.speed, game.shapes, game.add(2)) == (3, [1], 2)
    del game.shapes
    with pytest.raises(AttributeError, match=r"did you mean world\.colliders\?"):
        game.shapes  # noqa: B018


def test_paths_are_drawn_by_name():
    import matplotlib.pyplot as plt

    run = recorded(Scene())
    for bodies, labels in (("ball", ["ball"]), (["box", 1], ["box", "ball"]), (None, None)):
        axes = p2.plot.paths(run, bodies, ax=plt.figure().subplots())
        found = [line.get_label() for line in axes.get_lines()]
        assert found == labels if labels else len(found) == 3
    plt.close("all")


def test_there_are_thirty_of_each():
    assert [len(each) for each in (CREATION, STEPPING, JOINTS, QUERIES)] == [30] * 4


# ------------------------------------------------------------------------------------------ vectors
def test_returned_vectors_are_arrays_in_all_but_element_writes():
    world = Scene().world
    ball = world.bodies["ball"]
    position = ball.position
    assert isinstance(position, np.ndarray)
    assert repr(position) == repr(np.array(position)) == "array([0., 3.])"
    assert str(position) == "[0. 3.]"
    for result in (
        position + 1,
        1 - position,
        -position,
        position * ball.velocity,
        np.hypot(position, 1),
        np.eye(2) @ position,
        position.copy(),
        copy.copy(position),
        copy.deepcopy([position])[0],
        pickle.loads(pickle.dumps(position)),
        np.array(position),
        np.concatenate([position, position]),
    ):
        assert type(result) is np.ndarray
        assert result.flags.writeable
    assert type(position.sum()) is type(np.add.reduce(position)) is np.float64
    assert type(position @ position) is type(np.linalg.norm(position)) is np.float64
    assert position @ position == 9
    assert position.tolist() == [0, 3]
    with pytest.raises(ValueError, match="part of a copy"):
        position[:1][0] = 3
    with pytest.raises(ValueError, match="read-only"):
        np.add(position, 1, out=position)
    own = position.copy()
    own[0] = 5
    own += 1
    assert own.tolist() == [6, 4]
    assert ball.position.tolist() == position.tolist() == [0, 3]


def test_augmented_assignment_changes_the_body_and_not_what_was_read():
    world = Scene().world
    ball = world.bodies["ball"]
    before = ball.position
    ball.position += (1, 2)
    ball.position -= np.array([0.5, 0])
    ball.position *= 2
    ball.position /= 4
    ball.position **= 2
    ball.position //= 1
    ball.position %= 4
    assert before.tolist() == [0, 3]
    assert ball.position.tolist() == [0.0, 2.0]  # (0.25, 2.5) squared, floored, 6 % 4
    world.gravity *= 0.5
    assert world.gravity.tolist() == [0, -4.905]
    other = same = before
    same += 1  # a name of its own, as for numbers
    assert (other.tolist(), same.tolist()) == ([0, 3], [1, 4])


def test_a_vector_that_was_made_writeable_is_written():
    position = Scene().ball.position
    position.flags.writeable = True
    position[0] = 5
    alias = position
    position += 1
    assert alias is position
    assert position.tolist() == [6, 4]


# --------------------------------------------------------------------------------- many in one call
def test_as_many_shapes_as_bodies_are_one_each():
    world = p2.World()
    shapes = [p2.Circle(0.2 + 0.1 * k) if k % 2 else p2.Box(1, 0.2 + 0.1 * k) for k in range(7)]
    slots = world.add_bodies(shapes, [(3 * k, 0) for k in range(7)], density=np.arange(1, 8))
    assert len(world.colliders) == 7
    for k, slot in enumerate(slots):
        (collider,) = world.bodies[slot].colliders
        assert collider.shape is shapes[k]
        assert world.masses[slot] == pytest.approx((k + 1) * shapes[k].area, rel=1e-15)
    singly = p2.World()
    for k, shape in enumerate(shapes):
        singly.add_body(shape, (3 * k, 0), density=k + 1)
    assert singly.hash() == world.hash()


def test_a_compound_is_asked_for():
    world, singly = p2.World(), p2.World()
    parts = [p2.Circle(0.2, (-1, 0)), p2.Box(2, 0.1), p2.Circle(0.2, (1, 0))]
    world.add_bodies(parts, [(0, 0), (0, 3), (0, 6)], compound=True)
    for y in (0, 3, 6):
        singly.add_body(parts, (0, y))
    assert len(world.colliders) == 9
    assert world.hash() == singly.hash()
    one = p2.World()
    assert one.add_bodies([p2.Circle(1)], np.zeros((4, 2))).tolist() == [0, 1, 2, 3]  # one for all
    assert one.add_bodies([], np.zeros((0, 2))).tolist() == []
    assert one.add_bodies(parts, (9, 9), compound=True).tolist() == [4]
    with pytest.raises(ValueError, match="got 3 shapes for 1 body"):
        one.add_bodies(parts, (9, 9))


def test_a_wrong_row_among_different_shapes_is_named_and_nothing_is_made():
    world = p2.World(wrap=(10, 10))
    shapes = [p2.Circle(1), p2.Circle(4), p2.Circle(1)]
    with pytest.raises(ValueError, match=r"^row 1: "):
        world.add_bodies(shapes, [(1, 1), (5, 5), (8, 8)])
    with pytest.raises(p2.CapacityError, match="holds at most 4194304 pieces"):
        world.add_bodies([p2.Circle(0.1)] * 2100, np.zeros((2100, 2)), compound=True)
    assert len(world.bodies) == 0


# ---------------------------------------------------------------------------------- limits of speed
def test_a_speed_above_the_limit_is_warned_of_once_in_a_world():
    world = p2.World(max_speed=50)
    ball = world.add_body(p2.Circle(1))
    with pytest.warns(RuntimeWarning, match=r"velocity: 60\.0 m/s .* max_speed = 50\.0"):
        ball.velocity = (0, 60)
    ball.velocity = (0, 70)
    world.step()
    assert world.counters["limited"] == 1
    ball.velocity = (30, 40)  # no more than the limit
    other = p2.World(max_speed=50)
    with pytest.warns(RuntimeWarning, match="max_speed"):
        other.add_bodies(p2.Circle(1), np.zeros((3, 2)), velocity=[(0, 0), (0, 60), (0, 70)])
    fixed = p2.World(max_speed=50)
    fixed.add_body(p2.Box(1, 1), kind="kinematic", velocity=(60, 0))  # is not limited
    fixed.add_body(p2.Box(1, 1), velocity=(30, 40))


# ------------------------------------------------------------------------------------- on_pre_solve
def resting():
    world = p2.World()
    world.add_body(p2.Box(9, 1), (0, -0.5), kind="static", name="floor")
    world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True, name="box")
    world.step(n=2)
    return world


@pytest.mark.parametrize(
    "name", ["normal", "point", "separation", "approach", "body_a", "collider_b", "piece_b"]
)
def test_what_a_hook_may_not_write_is_refused(name):
    world = resting()
    before = world.hash()

    def hook(contacts):
        contacts[name] = contacts[name] + 1

    world.on_pre_solve = hook
    with pytest.raises(
        ValueError, match=rf"on_pre_solve: {name}\[0\]: cannot be changed; .*enabled"
    ):
        world.step()
    assert world.hash() == before


def test_handles_are_read_in_the_middle_of_a_step_and_not_written():
    world = resting()
    box = world.bodies["box"]
    joint = world.add_revolute_joint(None, box, anchor=(0, 0.5))
    field = world.add_wind((1, 0))
    expected = [world.positions.copy(), world.velocities.copy()]
    seen = []

    def read(contacts):
        body = world.bodies[int(contacts["body_a"][0])]
        assert body == box
        assert len(world.bodies) == len(list(world.bodies)) == 2
        assert world.bodies["box"] == world.bodies.by_id(box.id) == box
        assert (box.name, box.kind, box.alive, box.awake, box.mass) == (
            "box",
            "dynamic",
            True,
            True,
            1,
        )
        assert box.joints == (joint,)
        assert joint.body_b == box
        assert joint.collide_connected is False
        assert field.velocity.tolist() == [1, 0]
        assert box.colliders[0].shape.area == 1
        assert box.colliders[0].vertices.shape == (4, 2)
        assert box.contains(box.position)
        assert box.to_world((0, 0)).tolist() == box.position.tolist()
        assert world.time == pytest.approx(2 / 60)
        seen.append([np.array([b.position for b in world.bodies]), world.velocities.copy()])
        for write in (
            lambda: setattr(box, "velocity", (1, 0)),
            lambda: setattr(box, "name", "x"),
            lambda: setattr(box, "user_data", 1),
            lambda: box.apply_impulse((1, 0)),
            lambda: world.remove(box),
            lambda: world.add_body(p2.Circle(1)),
            lambda: box.contacts,
            lambda: world.contacts,
            lambda: world.cast_ray((0, 0), (1, 1)),
            lambda: world.step(),
        ):
            with pytest.raises(p2.WorldLockedError):
                write()

    world.on_pre_solve = read
    twin = copy.copy(world)
    twin.on_pre_solve = None
    world.step()
    twin.step()
    np.testing.assert_array_equal(seen[0], expected)
    assert world.hash() == twin.hash()
    world.on_pre_solve = lambda contacts: box.contacts
    with pytest.raises(p2.WorldLockedError):
        world.step()


# -------------------------------------------------------------------------------------------- names
def test_bodies_by_name():
    scene = Scene()
    world = scene.world
    assert world.bodies["ball"] == scene.ball
    scene.ball.name = "round"
    assert world.bodies["round"] == scene.ball
    with pytest.raises(KeyError, match="no body has this name"):
        world.bodies["ball"]
    scene.box.name = "round"
    with pytest.raises(KeyError, match="2 bodies have this name"):
        world.bodies["round"]
    world.remove(scene.ball)
    assert world.bodies["round"] == scene.box
    with pytest.raises(TypeError, match="integer"):
        world.joints["round"]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda s: s.world.bodies["zz"], KeyError, "bodies['zz']: no body has this name\""),
        (lambda s: p2.World().bodies["a"], KeyError, "bodies['a']: no body has this name\""),
        (
            lambda s: s.world.record("a.p2t"),
            TypeError,
            "every: must be an integer, got 'a.p2t'; a file is path='a.p2t'",
        ),
        (
            lambda s: p2.plot.animate(s.world),
            TypeError,
            "poses: must be a recorded run or an array, got a World; "
            "animate(simulate(world, 3)) records three seconds",
        ),
    ],
)
def test_more_of_what_is_easily_mistaken(call, error, words):
    with pytest.raises(error, match=re.escape(words)):
        call(Scene())
