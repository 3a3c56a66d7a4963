"""Every call of the extension, with every one of its allocations failing in turn.

MemoryError, and nothing else, comes out of each; the world is as it was; nothing is left behind;
and once memory is there the call does what it does in a world that never met a failure.
"""

import ast
import gc
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import _core, _geojson, _html, _svg

testing = pytest.importorskip(
    "pyphys2d._testing",
    reason="LOUD: failing allocations are NOT tested, build with PYPHYS2D_TESTING=1",
)

STUB = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text())
MOST = 2000  # allocations of one call
SANITIZED = "sanitize" in _core.build_switches.split()  # then Python's blocks are not counted
REPEATS = 4  # of each failure, to see what leaks; many more when it seems to

# ------------------------------------------------------------------------------------- a scene

SQUARE = np.array([(0.0, 0), (4, 0), (4, 4), (0, 4)])
HOLE = np.array([(1.0, 1), (2, 1), (2, 2)])
NOTCHED = np.array([(0.0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)])
BOX = np.array([(0.0, 0), (1, 1)])
POINT = np.array([0.25, 0.5])
POINTS = np.array([(0.25, 0.5), (3.0, 1.0), (-2.0, 7.0)])
POSE = np.array([0.5, 0.25, 0.125])
POSES = np.array([(0.5, 0.25, 0.125), (3, 1, 0), (-2, 7, 1)])
NUMBERS = np.array([1.0, 2, 3])
# NumPy registers the loop of a sum when it is first used, and for ever fails to where it had no
# memory for that: it is used here, before anything fails.
assert np.all(POINT + 1 - 1 == POINT)


class Thing:
    """Something that weak references and counts can look at."""


def scene():
    """A world with one of everything, a few steps old."""
    s = SimpleNamespace()
    s.circle, s.box, s.segment = p2.Circle(0.5), p2.Box(1, 2), p2.Segment((0, 0), (1, 0))
    s.polygon = p2.Polygon(SQUARE, [HOLE], recenter=True)
    s.notched = p2.Polygon(NOTCHED)
    s.regular, s.capsule = p2.RegularPolygon(5, 1), p2.Capsule((0, 0), (1, 0), 0.25)
    s.chain = p2.Chain([(-50, 0), (0, -0.5), (50, 0)])
    s.shapes = [s.circle, s.box]
    s.world = world = p2.World()
    s.thing = Thing()
    world.add_body(s.chain, kind="static", name="ground")
    s.body = world.add_body(s.box, (0, 1), name="crate", user_data=s.thing, pre_solve=True)
    s.ball = world.add_body(s.circle, (3, 3), velocity=(1, -5), user_data=s.thing)
    s.frame = world.add_body([s.polygon, s.circle], (0, 8), name="frame", user_data=s.thing)
    s.platform = world.add_body(s.regular, (-9, 4), kind="kinematic")
    s.eye = world.add_body(s.box, (0.5, 1.5), kind="static", sensor=True)
    s.sensor = s.eye.colliders[0]
    s.collider = s.body.colliders[0]
    links = [world.add_body(s.capsule, (20 + i, 10 + i)) for i in range(12)]
    a, b = s.links = links[0], links[1]
    s.revolute = world.add_revolute_joint(None, links[0], anchor=(20, 10), lower=-1, upper=1)
    s.distance = world.add_distance_joint(links[0], links[1], length=3, spring_hertz=1)
    s.prismatic = world.add_prismatic_joint(None, links[2], axis=(1, 0), lower=-1, upper=1)
    s.weld = world.add_weld_joint(links[2], links[3])
    s.wheel = world.add_wheel_joint(links[3], links[4], axis=(0, 1))
    s.motor = world.add_motor_joint(links[4], links[5], max_force=3, spring_hertz=1)
    s.mouse = world.add_mouse_joint(links[6], target=(21, 11))
    s.filter = world.add_filter_joint(a, b)
    s.pulley = world.add_pulley_joint(links[7], links[8], ground_a=(25, 30), ground_b=(28, 30))
    s.ratchet = world.add_ratchet_joint(None, links[9], tooth=0.5)
    s.rotary = world.add_rotary_joint(None, links[9], damping=0.5)
    world.add_filter_joint(links[10], links[11])  # there is room for another joint
    s.gear = world.add_gear_joint(s.revolute, s.prismatic, 2)
    s.law = world.add_spring_law([s.revolute, s.rotary], lambda x, v: -x)
    s.fluid = world.add_fluid(np.array([(-5.0, -9), (5, -8)]), 2)
    s.drag, s.wind = world.add_drag(linear=0.1), world.add_wind((0.1, 0))
    s.gravity = world.add_point_gravity((0, 100), 1)
    world.on_force, world.on_pre_solve = hash, len
    world.pair_filter = lambda pairs: [True] * len(pairs)
    world.step(n=20)
    s.events = world.events
    s.hit = world.cast_ray((0, 20), (0, -40))
    s.manifold = _core.collide(s.box, s.circle, (0, 0, 0), (0.9, 0, 0))
    s.gap = _core.distance(s.box, s.circle, (0, 0, 0), (3, 0, 0))
    s.impact = _core.cast_shape(s.box, s.circle, (0, 0, 0), (3, 0, 0), (-3, 0))
    s.tile_hit = _core.tile_rays(b"\0\1", 1, 2, (0, 0), 1.0, POINT, (2.0, 0))
    s.stage = next(iter(p2.World().stages()))
    s.tree = p2.AABBTree()
    s.leaf = s.tree.insert((0, 0), (1, 1), s.thing)
    s.other_leaf = s.tree.insert((0.5, 0), (2, 1))
    s.positions = world.positions
    s.state = world._state()
    s.weld_frame = _core._joint_frame(s.weld)
    s.row = np.array([s.body.index], np.uint32)
    s.place = np.array(s.body.position)
    return s


# An object of each class, of a scene.
EXAMPLES = {
    "Shape": lambda s: s.polygon,
    "Circle": lambda s: s.circle,
    "Polygon": lambda s: s.polygon,
    "Box": lambda s: s.box,
    "RegularPolygon": lambda s: s.regular,
    "Capsule": lambda s: s.capsule,
    "Segment": lambda s: s.segment,
    "Chain": lambda s: s.chain,
    "Body": lambda s: s.body,
    "Collider": lambda s: s.collider,
    "Fluid": lambda s: s.fluid,
    "Drag": lambda s: s.drag,
    "Wind": lambda s: s.wind,
    "PointGravity": lambda s: s.gravity,
    "SpringLaw": lambda s: s.law,
    "Joint": lambda s: s.wheel,
    "RevoluteJoint": lambda s: s.revolute,
    "DistanceJoint": lambda s: s.distance,
    "PrismaticJoint": lambda s: s.prismatic,
    "WeldJoint": lambda s: s.weld,
    "WheelJoint": lambda s: s.wheel,
    "MotorJoint": lambda s: s.motor,
    "MouseJoint": lambda s: s.mouse,
    "FilterJoint": lambda s: s.filter,
    "PulleyJoint": lambda s: s.pulley,
    "RatchetJoint": lambda s: s.ratchet,
    "GearJoint": lambda s: s.gear,
    "RotaryJoint": lambda s: s.rotary,
    "Bodies": lambda s: s.world.bodies,
    "Colliders": lambda s: s.world.colliders,
    "Joints": lambda s: s.world.joints,
    "Fields": lambda s: s.world.fields,
    "CollectionIterator": lambda s: iter(s.world.bodies),
    "StateOwner": lambda s: s.positions.base,
    "RayHit": lambda s: s.hit,
    "Events": lambda s: s.events,
    "DrawList": lambda s: s.world.draw_list(),
    "Manifold": lambda s: s.manifold,
    "Distance": lambda s: s.gap,
    "Impact": lambda s: s.impact,
    "TileHit": lambda s: s.tile_hit,
    "Simd": lambda s: p2.simd,
    "Stage": lambda s: s.stage,
    "Stages": lambda s: s.world.stages(),
    "World": lambda s: s.world,
    "AABBTree": lambda s: s.tree,
}

# What a setter is given, where it is not what the getter gives.
NEW_VALUES = {
    "Body.kind": lambda s: "kinematic",
    "Body.name": lambda s: "another",
    **{f"{owner}.user_data": lambda s: [] for owner in ("Body", "Collider", "Joint")},
    "Body.position": lambda s: POINT,
    "Body.angle": lambda s: 0.5,
    "Body.mass": lambda s: 3.0,
    "Body.awake": lambda s: False,
    "Body.enabled": lambda s: False,
    "Collider.sensor": lambda s: True,
    "Collider.density": lambda s: 2.0,
    "Collider.mask": lambda s: 0,
    "Collider.shape": lambda s: s.regular,
    "Fluid.surface": lambda s: np.array([(-5.0, -7), (0, -8), (5, -8)]),
    "World.on_force": lambda s: len,
    "World.on_pre_solve": lambda s: len,
    "World.pair_filter": lambda s: len,
    "World.positions": lambda s: s.positions + 1,
}


def everything(indices):
    return indices >= 0


# Calls by "Class.method" or "function", and more of the same after a space. Each gets the scene and
# the object of its class; what else it needs is made beforehand. The texts of records with arrays
# are left out: NumPy's own part of them leaks, and raises SystemError.
CALLS = {
    "Shape.__eq__": lambda s, o: o == s.box,
    "Shape.__hash__": lambda s, o: hash(o),
    "Shape.__repr__": lambda s, o: repr(o),
    "Shape.contains": lambda s, o: o.contains(POINTS),
    "Shape.contains one": lambda s, o: o.contains(POINT),
    "Shape.support": lambda s, o: o.support(POINTS),
    "Shape.mass_properties": lambda s, o: o.mass_properties(2.0),
    "Shape._repr_svg_": lambda s, o: o._repr_svg_(),
    "Shape._repr_html_": lambda s, o: o._repr_html_(),
    "Circle.__new__": lambda s, o: p2.Circle(1.0, POINT),
    "Circle.__reduce__": lambda s, o: o.__reduce__(),
    "Circle.__repr__": lambda s, o: repr(o),
    "Polygon.__new__": lambda s, o: p2.Polygon(SQUARE, [HOLE], 0.0, True),
    "Polygon.__new__ concave": lambda s, o: p2.Polygon(NOTCHED),
    "Polygon.__reduce__": lambda s, o: o.__reduce__(),
    "Polygon.__repr__": lambda s, o: repr(o),
    "Box.__new__": lambda s, o: p2.Box(1.0, 2.0, POINT, 0.5, 0.1),
    "Box.__reduce__": lambda s, o: o.__reduce__(),
    "Box.__repr__": lambda s, o: repr(o),
    "RegularPolygon.__new__": lambda s, o: p2.RegularPolygon(7, 1.0, POINT, 0.5, 0.1),
    "RegularPolygon.__reduce__": lambda s, o: o.__reduce__(),
    "RegularPolygon.__repr__": lambda s, o: repr(o),
    "Capsule.__new__": lambda s, o: p2.Capsule(POINT, POINT + 1, 0.5),
    "Capsule.__reduce__": lambda s, o: o.__reduce__(),
    "Capsule.__repr__": lambda s, o: repr(o),
    "Segment.__new__": lambda s, o: p2.Segment(POINT, POINT + 1),
    "Segment.__reduce__": lambda s, o: o.__reduce__(),
    "Segment.__repr__": lambda s, o: repr(o),
    "Chain.__new__": lambda s, o: p2.Chain(POINTS, True),
    "Chain.__reduce__": lambda s, o: o.__reduce__(),
    "Chain.__repr__": lambda s, o: repr(o),
    "Body.__eq__": lambda s, o: o == s.ball,
    "Body.__hash__": lambda s, o: hash(o),
    "Body.__repr__": lambda s, o: repr(o),
    "Body._repr_svg_": lambda s, o: o._repr_svg_(),
    "Body._repr_html_": lambda s, o: o._repr_html_(),
    "Body.apply_force": lambda s, o: o.apply_force(POINT, POINT),
    "Body.apply_impulse": lambda s, o: o.apply_impulse(POINT, POINT),
    "Body.apply_torque": lambda s, o: o.apply_torque(2.5),
    "Body.apply_angular_impulse": lambda s, o: o.apply_angular_impulse(2.5),
    "Body.move_to": lambda s, o: s.platform.move_to(POINT, 0.5, 0.1),
    "Body.attach": lambda s, o: o.attach(s.polygon, density=3.0, friction=0.5),
    "Body.attach with surfaces": lambda s, o: o.attach(s.chain, segments={"friction": NUMBERS[:2]}),
    "Body.attach with data": lambda s, o: o.attach(s.polygon, user_data=s.thing),
    "Body.to_world": lambda s, o: o.to_world(POINTS),
    "Body.to_local": lambda s, o: o.to_local(POINTS),
    "Body.velocity_at": lambda s, o: o.velocity_at(POINTS),
    "Body.contains": lambda s, o: o.contains(POINTS),
    "Body.convex_hull": lambda s, o: s.frame.convex_hull(),
    "Body.wake": lambda s, o: o.wake(),
    "Body.wake_touching": lambda s, o: o.wake_touching(),
    "Body.sleep": lambda s, o: o.sleep(),
    "Body.colliders of two": lambda s, o: s.frame.colliders,
    "Body.joints of some": lambda s, o: s.links[0].joints,
    "Body.name none": lambda s, o: setattr(o, "name", None),
    "Body.user_data none": lambda s, o: setattr(o, "user_data", None),
    "Collider.__eq__": lambda s, o: o == s.sensor,
    "Collider.__hash__": lambda s, o: hash(o),
    "Collider.__repr__": lambda s, o: repr(o),
    "Collider._repr_svg_": lambda s, o: o._repr_svg_(),
    "Collider._repr_html_": lambda s, o: o._repr_html_(),
    "Collider.overlaps of a sensor": lambda s, o: s.sensor.overlaps,
    "Fluid.__eq__": lambda s, o: o == s.drag,
    "Fluid.__hash__": lambda s, o: hash(o),
    "Fluid.__repr__": lambda s, o: repr(o),
    "Drag.__eq__": lambda s, o: o == s.fluid,
    "Drag.__hash__": lambda s, o: hash(o),
    "Drag.__repr__": lambda s, o: repr(o),
    "Wind.__eq__": lambda s, o: o == s.drag,
    "Wind.__hash__": lambda s, o: hash(o),
    "Wind.__repr__": lambda s, o: repr(o),
    "PointGravity.__eq__": lambda s, o: o == s.drag,
    "PointGravity.__hash__": lambda s, o: hash(o),
    "PointGravity.__repr__": lambda s, o: repr(o),
    "SpringLaw.__repr__": lambda s, o: repr(o),
    "SpringLaw.remove": lambda s, o: o.remove(),
    "Joint.__eq__": lambda s, o: o == s.weld,
    "Joint.__hash__": lambda s, o: hash(o),
    "Joint.__repr__": lambda s, o: repr(o),
    "RevoluteJoint.set_limits": lambda s, o: o.set_limits(-2.5, 2.5),
    "DistanceJoint.set_limits": lambda s, o: o.set_limits(0.5, 9.5),
    "PrismaticJoint.set_limits": lambda s, o: o.set_limits(-2.5, 2.5),
    "WheelJoint.set_limits": lambda s, o: o.set_limits(-2.5, 2.5),
    "RotaryJoint.set_limits": lambda s, o: o.set_limits(-2.5, 2.5),
    "PulleyJoint.set_limits": lambda s, o: o.set_limits(0.5, 99.5),
    "AABBTree.__new__": lambda s, o: p2.AABBTree(0.5),
    "AABBTree.__len__": lambda s, o: len(o),
    "AABBTree.insert": lambda s, o: o.insert(POINT, POINT + 1, s.thing),
    "AABBTree.move": lambda s, o: o.move(s.leaf, POINT + 5, POINT + 6),
    "AABBTree.remove": lambda s, o: o.remove(s.leaf),
    "AABBTree.data": lambda s, o: o.data(s.leaf),
    "AABBTree.box": lambda s, o: o.box(s.leaf),
    "AABBTree.query": lambda s, o: o.query(POINT, POINT + 1),
    "AABBTree.cast_ray": lambda s, o: o.cast_ray(POINT, POINT),
    "AABBTree.pairs": lambda s, o: o.pairs(),
    "AABBTree.validate": lambda s, o: o.validate(),
    "AABBTree.__repr__": lambda s, o: repr(o),
    "AABBTree._repr_html_": lambda s, o: o._repr_html_(),
    "CollectionIterator.__iter__": lambda s, o: iter(o),
    "CollectionIterator.__next__": lambda s, o: next(o),
    "Manifold.__bool__": lambda s, o: bool(o),
    "Manifold._repr_svg_": lambda s, o: o._repr_svg_(),
    "Manifold._repr_html_": lambda s, o: o._repr_html_(),
    "Manifold.__reduce__": lambda s, o: o.__reduce__(),
    "Events.__repr__": lambda s, o: repr(o),
    "DrawList.__repr__": lambda s, o: repr(o),
    "Distance.__reduce__": lambda s, o: o.__reduce__(),
    "Impact.__bool__": lambda s, o: bool(o),
    "Impact.__reduce__": lambda s, o: o.__reduce__(),
    "TileHit.__reduce__": lambda s, o: o.__reduce__(),
    "Stage.__getattribute__": lambda s, o: o.aabbs,
    "Stage.__dir__": lambda s, o: o.__dir__(),
    "Stage.__repr__": lambda s, o: repr(o),
    "Stage._repr_html_": lambda s, o: o._repr_html_(),
    "Stages.__iter__": lambda s, o: iter(o),
    "Stages.__next__": lambda s, o: next(o),
    "Stages.__enter__": lambda s, o: o.__enter__(),
    "Stages.__exit__": lambda s, o: o.__exit__(None, None, None),
    "Stages.__repr__": lambda s, o: repr(o),
    "Stages.close": lambda s, o: o.close(),
    "World.__new__": lambda s, o: p2.World(POINT, wrap=(90.5, 80.5)),
    "World.__repr__": lambda s, o: repr(o),
    "World._repr_svg_": lambda s, o: o._repr_svg_(),
    "World._repr_html_": lambda s, o: o._repr_html_(),
    "World.step": lambda s, o: o.step(0.01),
    "World.stages": lambda s, o: list(o.stages(0.01)),
    "World.add_body": lambda s, o: o.add_body(
        s.shapes, POINT, 0.5, name="new", user_data=s.thing, mass=2.5
    ),
    "World.add_bodies": lambda s, o: o.add_bodies(
        s.shapes, POINTS, NUMBERS, friction=NUMBERS, compound=True
    ),
    "World.add_fluid": lambda s, o: o.add_fluid(POINTS[[2, 0, 1]], 1.5, 0.5),
    "World.add_drag": lambda s, o: o.add_drag(linear=0.5),
    "World.add_wind": lambda s, o: o.add_wind(POINT, 1.5),
    "World.add_point_gravity": lambda s, o: o.add_point_gravity(POINT, 1.5),
    "World.explode": lambda s, o: o.explode(POINT, 50.5, 2.5, 9.5),
    "World.add_revolute_joint": lambda s, o: o.add_revolute_joint(s.body, s.ball, anchor=POINT),
    "World.add_distance_joint": lambda s, o: o.add_distance_joint(s.body, s.ball, length=2.5),
    "World.add_prismatic_joint": lambda s, o: o.add_prismatic_joint(s.body, s.ball, axis=POINT),
    "World.add_weld_joint": lambda s, o: o.add_weld_joint(s.body, s.ball, anchor=POINT),
    "World.add_weld_joint with data": lambda s, o: o.add_weld_joint(
        s.body, s.ball, user_data=s.thing
    ),
    "World.add_wheel_joint": lambda s, o: o.add_wheel_joint(s.body, s.ball, axis=POINT),
    "World.add_motor_joint": lambda s, o: o.add_motor_joint(s.body, s.ball, max_force=2.5),
    "World.add_mouse_joint": lambda s, o: o.add_mouse_joint(s.body, target=POINT),
    "World.add_filter_joint": lambda s, o: o.add_filter_joint(s.body, s.ball),
    "World.add_pulley_joint": lambda s, o: o.add_pulley_joint(
        s.body, s.ball, ground_a=POINT + 9, ground_b=POINT + 8
    ),
    "World.add_ratchet_joint": lambda s, o: o.add_ratchet_joint(s.body, s.ball, tooth=0.5),
    "World.add_rotary_joint": lambda s, o: o.add_rotary_joint(s.body, s.ball, stiffness=2.5),
    "World.add_gear_joint": lambda s, o: o.add_gear_joint(s.prismatic, s.revolute, 0.5),
    "World.remove": lambda s, o: o.remove(s.body),
    "World.remove many": lambda s, o: o.remove([s.body, s.collider, s.prismatic, s.fluid]),
    "World.remove slots": lambda s, o: o.remove(np.array([s.body.index])),
    "World.remove a collider": lambda s, o: o.remove(s.collider),
    "World.remove a joint": lambda s, o: o.remove(s.prismatic),
    "World.remove a field": lambda s, o: o.remove(s.fluid),
    "World.kinetic_energy": lambda s, o: o.kinetic_energy(),
    "World.potential_energy": lambda s, o: o.potential_energy(),
    "World.momentum": lambda s, o: o.momentum(),
    "World.angular_momentum": lambda s, o: o.angular_momentum(POINT),
    "World.hash": lambda s, o: o.hash(),
    "World.refilter": lambda s, o: o.refilter(),
    "World.add_spring_law": lambda s, o: o.add_spring_law([s.distance, s.revolute], tuple),
    "World._add_spring_law": lambda s, o: o._add_spring_law([s.distance], tuple),
    "World._drop_spring_laws": lambda s, o: o._drop_spring_laws(),
    "World._wake_joints": lambda s, o: o._wake_joints([s.distance, s.weld]),
    "World._set_pair_filter": lambda s, o: o._set_pair_filter(None),
    "World.tree": lambda s, o: o.tree(),
    "World.cast_ray": lambda s, o: o.cast_ray(POINT + 20, POINT - 40),
    "World.cast_ray that asks": lambda s, o: o.cast_ray(POINT, POINT - 40, where=everything),
    "World.cast_ray_all": lambda s, o: o.cast_ray_all(POINT + 20, POINT - 40, radius=0.5),
    "World.cast_rays": lambda s, o: o.cast_rays(POINTS, POINT - 40, radius=NUMBERS),
    "World.cast_shape": lambda s, o: o.cast_shape(s.box, POSE, POINT - 40),
    "World.cast_shapes": lambda s, o: o.cast_shapes(s.shapes, POSES[:2], POINT - 40),
    "World.time_of_impact": lambda s, o: o.time_of_impact(s.box, POSE, POSE - 20),
    "World.time_of_impact of a body": lambda s, o: o.time_of_impact(s.ball, dt=1.5),
    "World.times_of_impact": lambda s, o: o.times_of_impact(s.box, POSES, POSE - 20),
    "World.times_of_impact of bodies": lambda s, o: o.times_of_impact(s.links, dt=1.5),
    "World.nearest": lambda s, o: o.nearest(POINT, 3),
    "World.distances": lambda s, o: o.distances(POINTS, 2),
    "World.query_aabb": lambda s, o: o.query_aabb(POINT - 5, POINT + 5),
    "World.at": lambda s, o: o.at(POINT),
    "World.overlap": lambda s, o: o.overlap(s.box, POSE),
    "World.overlaps": lambda s, o: o.overlaps(s.box, POSES, pieces=True),
    "World.slice": lambda s, o: o.slice(s.frame, s.frame.position, s.frame.position + POINT),
    "World.slice beside": lambda s, o: o.slice(s.frame, POINT + 900, POINT + 901),
    "World.draw_list": lambda s, o: o.draw_list(mark_size=1.5),
    "World.touching": lambda s, o: o.touching(s.body),
    "World.contacts_of": lambda s, o: o.contacts_of(s.body),
    "World.contact": lambda s, o: o.contact(1),
    "Collider.ray_cast": lambda s, o: o.ray_cast(POINT, POINT + 1),
    "Collider.closest_point": lambda s, o: o.closest_point(POINT),
    "Collider.set_shape": lambda s, o: o.set_shape(s.regular, update_mass=False),
    "Collider.set_shape of more pieces": lambda s, o: o.set_shape(s.polygon),
    "Collider.segments of a chain": lambda s, o: setattr(
        s.world.colliders[0], "segments", {"friction": [0.25, 0.5]}
    ),
    "World._state": lambda s, o: o._state(),
    "World._set_state": lambda s, o: o._set_state(*s.state),
    "World._from_state": lambda s, o: type(o)._from_state(s.state[0], {}),
    "World._clone": lambda s, o: o._clone(),
    "World._floor": lambda s, o: o._floor(),
    "World._has_log": lambda s, o: o._has_log(),
    "World._set_log": lambda s, o: o._set_log(None, None, None, 1),
    "World._written": lambda s, o: o._written(),
    "World._write": lambda s, o: o._write(0, s.row, s.place),
    **{
        f"{name}.__reduce__": lambda s, o: o.__reduce__()
        for name in ("Body", "Collider", "Joint", "Fluid", "Drag", "Wind", "PointGravity")
    },
    "_given_mass": lambda s, o: _core._given_mass(s.body),
    "_joint_frame": lambda s, o: _core._joint_frame(s.weld),
    "_set_joint_frame": lambda s, o: _core._set_joint_frame(s.weld, s.weld_frame),
    "_handle": lambda s, o: _core._handle(s.world, p2.Body, s.body.id),
    "_live": lambda s, o: _core._live(),
    "_record": lambda s, o: _core._record("Distance", (1.5, POINT, POINT, POINT)),
    "_body_names": lambda s, o: _core._body_names(s.world, 9),
    "_draw_shape": lambda s, o: _core._draw_shape(s.polygon),
    "_rounded": lambda s, o: _core._rounded(SQUARE, 1.5),
    "_set_simd": lambda s, o: _core._set_simd(None),
    "aabb_overlap": lambda s, o: _core.aabb_overlap(BOX, BOX),
    "area": lambda s, o: _core.area(SQUARE),
    "centroid": lambda s, o: _core.centroid(SQUARE),
    "circle_vs_aabb": lambda s, o: _core.circle_vs_aabb(POINT, NUMBERS, BOX),
    "circle_vs_circle": lambda s, o: _core.circle_vs_circle(POINTS, NUMBERS, POINT, 1.5),
    "closest_on_aabb": lambda s, o: _core.closest_on_aabb(POINTS, BOX),
    "closest_on_segment": lambda s, o: _core.closest_on_segment(POINTS, POINT, POINT + 1),
    "direction": lambda s, o: _core.direction(NUMBERS),
    "edges": lambda s, o: _core.edges(SQUARE),
    "heading": lambda s, o: _core.heading(POINTS),
    "is_convex": lambda s, o: _core.is_convex(SQUARE),
    "jump_velocity": lambda s, o: _core.jump_velocity(NUMBERS),
    "lead_target": lambda s, o: _core.lead_target(POINT, POINT + 9, POINT, 5.5),
    "line_intersection": lambda s, o: _core.line_intersection(POINTS, POINT, POINT, POINT + 1),
    "normals": lambda s, o: _core.normals(SQUARE),
    "point_in_aabb": lambda s, o: _core.point_in_aabb(POINTS, BOX),
    "point_in_circle": lambda s, o: _core.point_in_circle(POINTS, POINT, 1.5),
    "point_in_polygon": lambda s, o: _core.point_in_polygon(POINTS, SQUARE, "crossings"),
    "project": lambda s, o: _core.project(POINTS, POINT, out=np.empty((3, 2))),
    "ray_vs_segment": lambda s, o: _core.ray_vs_segment(POINTS, POINT, POINT, POINT + 1),
    "rotate": lambda s, o: _core.rotate(SQUARE, 0.5),
    "second_moment": lambda s, o: _core.second_moment(SQUARE),
    "segment_intersection": lambda s, o: _core.segment_intersection(POINTS, POINT, POINT, POINT),
    "segment_vs_polygon": lambda s, o: _core.segment_vs_polygon(POINT - 9, POINT, SQUARE),
    "signed_area": lambda s, o: _core.signed_area(SQUARE),
    "transform": lambda s, o: _core.transform(SQUARE, POSE),
    "translate": lambda s, o: _core.translate(SQUARE, POINT),
    "winding": lambda s, o: _core.winding(SQUARE),
    "wrap_angle": lambda s, o: _core.wrap_angle(NUMBERS),
    "convex_hull": lambda s, o: _core.convex_hull(NOTCHED),
    "clip_halfplane": lambda s, o: _core.clip_halfplane(NOTCHED, POINT, POINT),
    "clip_polygon": lambda s, o: _core.clip_polygon(NOTCHED, HOLE),
    "decompose": lambda s, o: _core.decompose(SQUARE, [HOLE]),
    "simplify": lambda s, o: _core.simplify(NOTCHED, 0.5),
    "slice_polygon": lambda s, o: _core.slice_polygon(NOTCHED, POINT, POINT + 1),
    "triangulate": lambda s, o: _core.triangulate(SQUARE, [HOLE]),
    "_hull_trace": lambda s, o: _core._hull_trace(NOTCHED),
    "mtv": lambda s, o: _core.mtv(s.box, s.circle, POSE, POSE),
    "mtv of many": lambda s, o: _core.mtv(s.box, s.circle, POSES, POSE),
    "collide": lambda s, o: _core.collide(s.box, s.circle, POSE, POSE),
    "collide many": lambda s, o: _core.collide(s.shapes, s.circle, POSES[:2], POSE),
    "distance": lambda s, o: _core.distance(s.box, s.circle, POSE, POSE + 3),
    "distance of many": lambda s, o: _core.distance(s.box, s.circle, POSES, POSE + 3),
    "time_of_impact": lambda s, o: _core.time_of_impact(
        s.box, s.circle, POSE, POSE, POSE + 3, POSE
    ),
    "cast_shape": lambda s, o: _core.cast_shape(s.box, s.circle, POSE, POSE + 3, POINT - 3),
    "_gjk": lambda s, o: _core._gjk(s.box, s.circle, POSE, POSE + 3),
    "_toi": lambda s, o: _core._toi(s.box, s.circle, POSE, POSE, POSE + 3, POSE),
    "_clip": lambda s, o: _core._clip(s.box, s.box, POSE, POSE),
    "_sat": lambda s, o: _core._sat(s.box, s.box, POSE, POSE),
    "submerged": lambda s, o: _core.submerged(s.polygon, POINTS[[2, 0, 1]], POSE),
    "tile_rays": lambda s, o: _core.tile_rays(b"\0\1", 1, 2, POINT, 1.5, POINTS, POINT),
    "tile_rectangles": lambda s, o: _core.tile_rectangles(b"\0\1\1\1", 2, 2),
}
for collection in ("Bodies", "Colliders", "Joints", "Fields"):
    CALLS[f"{collection}.__len__"] = lambda s, o: len(o)
    CALLS[f"{collection}.__iter__"] = lambda s, o: list(o)
    CALLS[f"{collection}.__getitem__"] = lambda s, o: o[1]
    CALLS[f"{collection}.__contains__"] = lambda s, o: s.body in o
    CALLS[f"{collection}.by_id"] = lambda s, o: o.by_id(1 << 32)
    CALLS[f"{collection}.__repr__"] = lambda s, o: repr(o)
    CALLS[f"{collection}._repr_html_"] = lambda s, o: o._repr_html_()


# --------------------------------------------------------------------------- all that there is


def is_property(node, suffix=None):
    for mark in node.decorator_list:
        if suffix is None and isinstance(mark, ast.Name) and mark.id == "property":
            return True
        if suffix and isinstance(mark, ast.Attribute) and mark.attr == suffix:
            return True
    return False


def functions_of(node):
    return [each for each in node.body if isinstance(each, ast.FunctionDef)]


CLASSES = {
    node.name: node
    for node in STUB.body
    if isinstance(node, ast.ClassDef) and not node.name.endswith("Error") and node.name[0] != "_"
}
GETTERS = [
    f"{name}.{each.name}"
    for name, node in CLASSES.items()
    for each in functions_of(node)
    if is_property(each)
]
# Settings of the solver that the scene has not.
OF_SEQUENTIAL = [
    "iterations",
    "baumgarte",
    "slop",
    "warm_starting",
    "accumulate",
    "positional_correction",
    "response",
]
SETTERS = [
    f"{name}.{each.name}"
    for name, node in CLASSES.items()
    for each in functions_of(node)
    if is_property(each, "setter") and each.name not in OF_SEQUENTIAL
]
METHODS = {
    f"{name}.{each.name}"
    for name, node in CLASSES.items()
    for each in functions_of(node)
    if not is_property(each) and not is_property(each, "setter")
}
# What runs in Python, in pyphys2d/_snapshot.py, _recording.py and _calls.py.
METHODS -= {
    f"World.{name}"
    for name in (
        *(
            "snapshot",
            "restore",
            "from_snapshot",
            "fork",
            "diff",
            "check",
            "record",
            "record_calls",
        ),
        *("__copy__", "__deepcopy__", "__reduce_ex__"),
    )
}
METHODS -= {"World.__getitem__"}  # has nothing to give, and says what to write
METHODS |= {f"{name}.__hash__" for name in ("Shape", "Body", "Collider", "Joint")}
FUNCTIONS = {each.name for each in functions_of(STUB)}


def test_the_table_has_every_call():
    assert {name.split(" ")[0] for name in CALLS} >= METHODS | FUNCTIONS
    assert set(EXAMPLES) == set(CLASSES)
    known = METHODS | FUNCTIONS | set(GETTERS) | set(SETTERS)
    for name in CALLS:
        owner, _, member = name.split(" ")[0].rpartition(".")
        assert name.split(" ")[0] in known or hasattr(getattr(_core, owner), member), name
    assert set(NEW_VALUES) <= set(SETTERS)


# --------------------------------------------------------------------------------- the trial


def prepare(name):
    """The scene, and the call without an argument."""
    s = scene()
    owner, _, member = name.split(" ")[0].rpartition(".")
    thing = EXAMPLES[owner](s) if owner else None
    if name in CALLS:
        call = CALLS[name]
        return s, lambda: call(s, thing)
    if name.endswith("="):
        value = NEW_VALUES[name[:-1]](s) if name[:-1] in NEW_VALUES else None
        if name[:-1] not in NEW_VALUES:
            value = getattr(thing, member[:-1])
            value = value.copy() if isinstance(value, np.ndarray) else value
        return s, lambda: setattr(thing, member[:-1], value)
    return s, lambda: getattr(thing, member)


def state_of(s):
    """All of a scene that a call which raises must not change."""
    world = s.world
    return (
        world.hash(),
        world.step_count,
        world.awake.tolist(),
        [len(each) for each in (world.bodies, world.colliders, world.joints, world.fields)],
        [(b.id, b.name, b.user_data is s.thing) for b in world.bodies],
        [(c.id, c.sensor, c.mask, c.user_data is s.thing) for c in world.colliders],
        [(each.id, each.user_data is s.thing) for each in world.joints],
        [each.id for each in world.fields],
        (world.on_force, world.on_pre_solve, world.pair_filter, world.gravity.tolist()),
        (len(s.tree), s.tree.pairs().tolist(), s.tree.query((-99, -99), (99, 99)).tolist()),
        s.tree.data(s.leaf) is s.thing,
        [each.tolist() for each in (s.events.wake, s.events.contact_begin)],
    )


def counts_of(s):
    """What grows with every call that leaks."""
    objects = (s.world, s.thing, s.box, s.circle, s.body, POINT, POINTS, POSE, SQUARE, None)
    return [sys.getallocatedblocks(), *map(sys.getrefcount, objects)]


def attempt(call, fail, n, count):
    """Whether the call raised MemoryError, its n-th allocation failing."""
    try:
        fail(n, count)
        call()
    except MemoryError:
        return True
    finally:
        fail(0, 1)
    return False


def fail_engine(n, count):
    testing.fail_allocation(n)


# Drawn in Python with NumPy, which takes the process along where Python has no memory for its small
# objects (`numpy.errstate` is enough). The way there is the extension's own and tried here;
# pictures with the engine's allocations failing are tried in test_svg.py.
PICTURES = ("._repr_svg_", "._repr_html_")

WAYS = {
    "one": (testing.fail_python_allocation, 1),
    "all from then on": (testing.fail_python_allocation, sys.maxsize),
    "the engine's": (fail_engine, 1),
}


def cases():
    """All names and ways; slow ones meet few places that the others do not: getters hardly ever ask
    the engine for memory.
    """
    for name in (*CALLS, *GETTERS, *(f"{name}=" for name in SETTERS)):
        for way in WAYS:
            slow = way == "all from then on" or (way == "the engine's" and name in GETTERS)
            yield pytest.param(name, way, marks=[pytest.mark.slow] * slow, id=f"{name}-{way}")


@pytest.fixture
def no_collector():
    """Collections allocate too, whenever they come."""
    gc.collect()
    gc.freeze()  # so the next collection, of another of two thousand cases, has little to look at
    gc.disable()
    yield
    gc.enable()


def find_leak(s, call, fail, n, count):
    """What grows by one and more with each failure, once Python's free lists are full; or None."""
    grown = np.zeros(1)
    for repeats in (REPEATS, 400):
        counts = np.array([counts_of(s)] * repeats)
        for i in range(repeats):
            attempt(call, fail, n, count)
            counts[i] = counts_of(s)
        grown = np.diff(counts, axis=0)[repeats // 2 :].min(axis=0)
        if (grown <= 0).all():
            return None
    return grown


def test_a_step_without_memory_says_how_large_it_is():
    said = set()
    for n in range(1, MOST):
        s = scene()
        s.world.on_force = s.world.on_pre_solve = s.world.pair_filter = None
        s.world.add_bodies(s.box, [(x, 40.0) for x in range(200)])  # more than there is room for
        testing.fail_allocation(n)
        try:
            s.world.step()
        except MemoryError as error:
            said.add(str(error))
        else:
            break
        finally:
            testing.fail_allocation(0)
    assert f"no memory for a step of {len(s.world.bodies)} bodies" in "".join(said)
    assert all(re.search(r"no memory for .*\d", each) for each in said)


@pytest.mark.parametrize(("name", "way"), list(cases()))
def test_a_call_whose_memory_fails_changes_nothing(no_collector, monkeypatch, name, way):
    fail, count = WAYS[way]
    if name.endswith(PICTURES) and not name.startswith("Stage"):
        monkeypatch.setattr(_svg, "picture", lambda thing, html: f"<svg>{html}</svg>")
        monkeypatch.setattr(_html, "html", lambda thing: f"<div>{id(thing)}</div>")
    # As those, it is made in Python.
    monkeypatch.setattr(_geojson, "interface", lambda shape: {"type": id(shape)})
    s, call = prepare(name)
    before = state_of(s)
    for n in range(1, MOST):
        if not attempt(call, fail, n, count):
            break
        assert state_of(s) == before
        if not SANITIZED:
            leak = find_leak(s, call, fail, n, count)
            assert leak is None, f"allocation {n}: {leak}"
            assert state_of(s) == before
    else:
        pytest.fail(f"still failing after {MOST} allocations")
    other, again = prepare(name)
    again()
    assert s.world.hash() == other.world.hash()


def test_numbers_that_are_no_shapes(no_collector):
    """NumPy fails without an exception when it has no memory to make objects of them."""
    numbers, circle, mtv, raised = np.ones((3, 2)), p2.Circle(1), _core.mtv, set()
    for n in range(1, 30):
        try:
            testing.fail_python_allocation(n)
            mtv(numbers, circle)
        except Exception as error:
            raised.add(type(error))
        finally:
            testing.fail_python_allocation(0)
    assert raised == {MemoryError, TypeError}
