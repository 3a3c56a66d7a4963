"""What may have been meant by a call that cannot be bound, or by an attribute that is not there.

Called when an argument or an attribute has no such name or there are too many arguments, to end the
message: nothing here costs anything before that, but for a class of names for each of five types.
"""

from __future__ import annotations

import re
from importlib import import_module
from types import FunctionType
from typing import Any, NoReturn

# What other engines and other places call it.
MEANT = {
    "elasticity": "restitution",
    "bounce": "restitution",
    "bounciness": "restitution",
    "body_type": "kind",
    "type": "kind",
    "moment": "inertia",
    "moment_of_inertia": "inertia",
    "rotational_inertia": "inertia",
    "linear_velocity": "velocity",
    "vel": "velocity",
    "speed": "velocity",
    "omega": "angular_velocity",
    "spin": "angular_velocity",
    "is_sensor": "sensor",
    "sensors": "include_sensors",
    "is_bullet": "bullet",
    "is_awake": "awake",
    "enable_sleep": "can_sleep",
    "allow_sleep": "can_sleep",
    "rotation": "angle",
    "orientation": "angle",
    "theta": "angle",
    "rotations": "angles",
    "pos": "position",
    "location": "position",
    "center_of_gravity": "center_of_mass",
    "cog": "center_of_mass",
    "prevent_rotation": "fixed_rotation",
    "lock_rotation": "fixed_rotation",
    "damping": "linear_damping",
    "shape": "shape_or_shapes",
    "shapes": "shape_or_shapes",
    "category_bits": "category",
    "categories": "category",
    "mask_bits": "mask",
    "masks": "mask",
    "group_index": "group",
    "userdata": "user_data",
    "sub_steps": "substeps",
    "sub_step_count": "substeps",
    "velocity_iterations": "iterations",
    "num_threads": "workers",
    "threads": "workers",
    "worker_count": "workers",
    "maximum_linear_speed": "max_speed",
    "do_sleep": "sleeping",
    "steps": "n",
    "num_steps": "n",
    "time_step": "dt",
    "timestep": "dt",
    "delta_time": "dt",
    "shape_filter": "mask",
    "filter": "mask",
    "exclude": "ignore",
    "skip": "ignore",
    "count": "k",
    "radius": "max_distance",
    "start": "origin",
    "from": "origin",
    "direction": "translation",
    "end": "translation",
    "lower_limit": "lower",
    "upper_limit": "upper",
    "lower_angle": "lower",
    "upper_angle": "upper",
    "lower_translation": "lower",
    "upper_translation": "upper",
    "min": "lower",
    "max": "upper",
    "min_length": "lower",
    "max_length": "upper",
    "rate": "motor_speed",
    "rest_length": "length",
    "hertz": "spring_hertz",
    **dict.fromkeys(("error_bias", "max_bias", "constraint_hertz"), "joint_hertz"),
    "frequency": "spring_hertz",
    "frequency_hz": "spring_hertz",
    "ratchet": "tooth",
    "sides": "n",
    "strength": "impulse",
    "stiffness": "spring_hertz",
    "damping_ratio": "spring_damping_ratio",
    "to": "translation",
    "suspension": "spring_hertz",
    "collide_bodies": "collide_connected",
    "pivot": "anchor",
    "linear_offset": "offset",
    "angular_offset": "angle_offset",
    "world_point": "point",
    "force": "impulse",
    "size": "width",
    "w": "width",
    "h": "height",
    "r": "radius",
    "points": "vertices",
    "verts": "vertices",
    "closed": "loop",
    "is_loop": "loop",
}
# Whose value has to change too.
MEANT_VALUES = {
    "static": "kind='static'",
    "is_static": "kind='static'",
    "kinematic": "kind='kinematic'",
    "is_kinematic": "kind='kinematic'",
    "dynamic": "kind='dynamic'",
}
NO_MATERIAL = "a shape has no material; {0}= belongs to add_body and attach"
# Of arguments that a function has not, and why.
NONE_THERE = {
    ("Segment", "radius"): "a segment with a radius is a Capsule(p, q, radius)",
    ("Circle", "offset"): "did you mean center=?",
    ("Box", "hx"): "width= is the whole width, twice hx",
    ("Box", "hy"): "height= is the whole height, twice hy",
    ("World", "idle_speed_threshold"): "each body has a sleep_threshold=",
    ("World", "sleep_time_threshold"): "bodies sleep after half a second below their "
    "sleep_threshold=; World(sleeping=False) keeps all awake",
    ("World", "collision_slop"): "slop= is that of the solver sequential_impulses; soft_step has "
    "none to tune",
    ("World", "collision_bias"): "contacts are springs: contact_hertz= and contact_push_speed=",
    ("World", "threaded"): "workers= is the number of threads",
    ("Circle", "diameter"): "radius= is half of it",
    ("Box", "half_width"): "width= is the whole width",
    ("Box", "half_height"): "height= is the whole height",
    ("Polygon", "convex"): "what is concave is cut into convex parts by itself",
    ("add_body", "x"): "a place is one pair: position=(x, y)",
    ("add_body", "y"): "a place is one pair: position=(x, y)",
    ("World", "dt"): "each step is told: world.step(dt)",
    ("World", "fps"): "each step is told: world.step(1 / fps)",
    ("step", "fps"): "dt= is 1 / fps",
    ("add_prismatic_joint", "direction"): "did you mean axis=?",
    ("add_wheel_joint", "direction"): "did you mean axis=?",
    ("add_motor_joint", "speed"): "it drives at linear_velocity=(vx, vy) and angular_velocity=",
    ("add_rotary_joint", "anchor"): "it holds angles alone; a hinge is add_revolute_joint",
    ("add_wind", "strength"): "velocity= is that of the air, density= and drag= its grip",
    ("cast_ray", "n"): "a ray for each row of origins and translations",
    ("Circle", "position"): "where it is in its body is center=; where the body is, add_body says",
    ("attach", "mass"): "a mass is that of the whole body, body.mass; here it is density=",
    ("attach", "position"): "where it is in its body is part of the shape, as center=",
    ("attach", "offset"): "where it is in its body is part of the shape, as center=",
    (
        "add_fluid",
        "surface",
    ): "a height or a line of points is level_or_surface=, the first argument",
    ("add_fluid", "level"): "a height or a line of points is level_or_surface=, the first argument",
    ("add_bodies", "names"): "bodies get names one by one: world.bodies[slot].name = ...",
    ("add_bodies", "name"): "bodies get names one by one: world.bodies[slot].name = ...",
    ("add_bodies", "user_data"): "bodies get it one by one: world.bodies[slot].user_data = ...",
    ("add_body", "asleep"): "did you mean awake=False?",
    ("add_body", "pos"): "did you mean position=?",
    ("add_body", "surface_velocity"): "did you mean tangent_speed=?",
    ("attach", "surface_velocity"): "did you mean tangent_speed=?",
    ("add_distance_joint", "distance"): "did you mean length=?",
    ("add_distance_joint", "k"): "did you mean stiffness=?",
    ("add_bodies", "n"): "how many is the number of rows of positions",
    ("cast_ray", "end"): "a ray runs from origin to origin + translation: give end - origin",
    ("cast_ray", "direction"): "translation= is the whole way: a direction times a length",
    ("cast_ray", "max_distance"): "translation= is the whole way: a direction times a length",
    ("cast_ray", "length"): "translation= is the whole way: a direction times a length",
    ("cast_shape", "end"): "translation= is the way from the pose: the end less the start",
    ("overlap", "position"): "where the shape is, is pose=(x, y, angle)",
    ("step", "substeps"): "substeps belong to the world: world.substeps = ...",
    ("step", "sub_steps"): "substeps belong to the world: world.substeps = ...",
    ("step", "iterations"): "iterations belong to the world: world.substeps = ...",
}
# Of arguments that no function has, by the name alone.
NOWHERE = {
    "body_a": "the bodies come first, as in (a, b): None for the world",
    "body_b": "the bodies come first, as in (a, b): None for the world",
    "ground_anchor_a": "did you mean ground_a=?",
    "ground_anchor_b": "did you mean ground_b=?",
    "local_axis": "did you mean axis=? It is a direction in the world",
    "enable_motor": "a motor runs where max_motor_torque= or max_motor_force= is above 0",
    "enable_limit": "limits hold where lower= or upper= is given",
    "enable_spring": "a spring acts where spring_hertz= is above 0",
    "collision_type": "events and queries choose by category=, mask= and group=",
    "motor": "a motor runs where max_motor_torque= or max_motor_force= is above 0",
    "limits": "limits are two numbers, lower= and upper=",
    "color": "colours are of pictures: plot.world(world, color=...); user_data= can keep one",
    "colour": "colours are of pictures: plot.world(world, color=...); user_data= can keep one",
    "degrees": "angles are radians: np.radians(90)",
    "angle_degrees": "angles are radians: angle=np.radians(90)",
}
# By too many positional arguments.
TOO_MANY = {
    "Segment": "a segment with a radius is a Capsule(p, q, radius)",
    "Circle": "Circle(radius, center)",
    "Chain": "all points are one argument, as in Chain([(0, 0), (1, 0)])",
    "World": "gravity is one pair: World((0, -9.81))",
    "cast_ray": "origin and translation are pairs: cast_ray((x, y), (dx, dy))",
    "query_aabb": "the corners are pairs: query_aabb((x0, y0), (x1, y1))",
    "step": "step(dt, n=1): n is a number of steps, substeps are world.substeps = ...",
    "Capsule": "Capsule(p, q, radius), both points in the body's frame",
    "at": "the point is one pair: at((x, y))",
    "touching": "it lists what touches one body: other in touching(body)",
    "add_body": "position is one pair: add_body(shape, (x, y), angle)",
    "add_mouse_joint": "it pulls one body: add_mouse_joint(body, target=(x, y))",
    "apply_force": "apply_force(force, point): both are pairs, in the world's frame",
    "apply_impulse": "apply_impulse(impulse, point): both are pairs, in the world's frame",
}
# By an argument that is missing.
MISSING = {
    ("Box", "height"): "Box(width, height)",
    ("Capsule", "radius"): "without a radius it is Segment(p, q)",
    ("cast_ray", "translation"): "from origin to origin + translation: cast_ray((x, y), (dx, dy))",
    ("query_aabb", "upper"): "the corners are pairs: query_aabb((x0, y0), (x1, y1))",
    ("time_of_impact", "end"): "poses at both ends, or one body alone with dt=",
    ("explode", "impulse"): "explode(center, radius, impulse), N s",
    ("move_to", "angle"): "move_to(position, angle, dt): the pose to reach in one step of dt",
    ("move_to", "dt"): "move_to(position, angle, dt): the pose to reach in one step of dt",
    ("add_bodies", "positions"): "one row for each body: [(x, y), ...]",
    ("add_pulley_joint", "ground_a"): "where its ropes hang: ground_a=(x, y), ground_b=(x, y)",
    ("add_gear_joint", "joint_b"): "a gear ties two joints: add_gear_joint(joint_a, joint_b, 2)",
    ("add_fluid", "density"): "kg/m^2: add_fluid(0, density=1) floats what is lighter",
    ("add_point_gravity", "strength"): "the acceleration at one metre from the centre, m/s^2",
    ("add_spring_law", "function"): "function(extension, rate) returns the forces of the joints",
    ("cast_shape", "translation"): "cast_shape(shape, (x, y, angle), (dx, dy))",
    ("set_limits", "upper"): "both: set_limits(lower, upper), None for no limit",
    ("slice", "p"): "slice(body, p, q), two points of the cut",
    ("slice", "q"): "slice(body, p, q), two points of the cut",
    ("add_ratchet_joint", "tooth"): "radians from tooth to tooth, as tooth=np.radians(30)",
}


def _plain(name: str) -> str:
    """A name of another language, as ``linearVelocity`` or ``GetLinearVelocity``, in ours."""
    plain = re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().lstrip("_")
    if plain.startswith("create_"):
        return f"add_{plain.removeprefix('create_')}"
    return re.sub("^(get|set|is)_", "", plain) if name[:1].isupper() else plain


def keyword(function: str, name: str, names: tuple[str, ...], positional: int) -> str:
    """Text for the end of the message about an argument that there is not."""
    plain = _plain(name)
    for each in (name, plain):
        known = NONE_THERE.get((function.removesuffix("s").removesuffix("_all"), each))
        known = known or NONE_THERE.get((function, each)) or NOWHERE.get(each)
        if known is not None and name not in names:
            return f"; {known}"
    if name == "body" and function[:1].isupper():
        return given_body(function, None, names, positional)
    if name in ("density", "friction", "restitution") and function[:1].isupper():
        return f"; {NO_MATERIAL.format(name)}"
    value = MEANT_VALUES.get(plain)
    if value is not None and "kind" in names:
        return f"; did you mean {value}?"
    meant = MEANT.get(plain)
    if meant not in names:
        import difflib

        near = difflib.get_close_matches(plain, names, 1, 0.7)
        meant = near[0] if near else None
    return f"; did you mean {meant}=?" if meant is not None else ""


def positional(function: str, _: None, names: tuple[str, ...], count: int) -> str:
    """Text for the end of the message about too many positional arguments."""
    known = TOO_MANY.get(function)
    if known is not None:
        return f"; {known}"
    rest = names[count:]
    if not rest:
        return ""
    some = ", ".join(f"{name}=" for name in rest[:4])
    return f"; the others are given by name: {some}{', ...' if len(rest) > 4 else ''}"


def missing(function: str, name: str, names: tuple[str, ...], count: int) -> str:
    """Text for the end of the message about an argument that is not given."""
    known = MISSING.get((function, name))
    if known is None and function.endswith("_joint") and name == "b":
        known = "a joint to the world has None as its first body: (None, body)"
    return f"; {known}" if known is not None else ""


def instance(name: str, _: None, names: tuple[str, ...], count: int) -> str:
    """Text for the end of the message about a class that is not called."""
    if name == "Body":
        return "; a world makes them: body = world.add_body(shape, (x, y))"
    if name == "Collider":
        return "; they come with a body: world.add_body(shape, (x, y)) or body.attach(shape)"
    kind = name.removesuffix("Joint").lower() or "..."
    return f"; a world makes them: joint = world.add_{kind}_joint(a, b, ...)"


def given_body(function: str, _: None, names: tuple[str, ...], count: int) -> str:
    """Text for the end of the message about a class that is given a body."""
    if function not in SHAPES:
        return ""
    some = ", ".join(names[:2])
    return (
        f"; a shape is geometry alone: body.attach({function}({some}, ...)) or "
        "world.add_body(shape, (x, y))"
    )


def item(key: object) -> str:
    """Text for the end of the message about ``world[key]``."""
    if isinstance(key, str):
        return f"; bodies are found by name in world.bodies[{key!r}]"
    return "; by slot there are world.bodies[i], world.colliders[i] and world.joints[i]"


# ------------------------------------------------------------------------------------- attributes
SHAPES = ("Circle", "Polygon", "Box", "RegularPolygon", "Capsule", "Segment", "Chain")
MATERIAL: tuple[str, ...] = (
    "friction",
    "restitution",
    "density",
    "rolling_resistance",
    "tangent_speed",
    "sensor",
)
MATERIAL += ("category", "mask", "group", "pre_solve")
FILTERS = ("filter", "shape_filter", "collision_type", "filter_data")
# What is asked of colliders, which have it not.
OF_BODIES: tuple[str, ...] = (
    "position",
    "angle",
    "velocity",
    "angular_velocity",
    "kind",
    "name",
    "awake",
    "mass",
)
OF_BODIES += ("apply_force", "apply_impulse", "transform", "joints", "to_world", "to_local")
OF_SHAPES: tuple[str, ...] = (
    "radius",
    "width",
    "height",
    "points",
    "area",
    "centroid",
    "p",
    "q",
    "loop",
    "center",
)
# What other engines call attributes and methods, beside MEANT, by the class here: a name, one of
# several (of which an object may have but one), an expression, or after a semicolon a sentence.
ATTRIBUTES: dict[str, dict[str, str]] = {
    "World": {
        "addBody": "add_body(shape, (x, y))",
        "remove_body": "remove",
        "remove_joint": "remove",
        "joint": "joints",
        "energy": "kinetic_energy(), potential_energy()",
        "copy": "copy.copy(world), or snapshot()",
        "clone": "copy.copy(world), or snapshot()",
        "to_json": "pyphys2d.save(world, path)",
        "to_dict": "pyphys2d.save(world, path)",
        "add_hinge": "add_revolute_joint(a, b, anchor=(x, y))",
        "add": "add_body(shape, (x, y)), and of joints add_revolute_joint(a, b, ...) and others",
        "create_body": "add_body(shape, (x, y))",
        "create_static_body": "add_body(shape, (x, y), kind='static')",
        "create_dynamic_body": "add_body(shape, (x, y))",
        "create_kinematic_body": "add_body(shape, (x, y), kind='kinematic')",
        "destroy_body": "remove",
        "destroy_joint": "remove",
        "destroy": "remove",
        "delete": "remove",
        "add_collision_handler": "events.contact_begin, arrays after each step",
        "add_default_collision_handler": "events.contact_begin, arrays after each step",
        "add_wildcard_collision_handler": "events.contact_begin, arrays after each step",
        "on_collision": "events.contact_begin, arrays after each step",
        "contact_listener": "events.contact_begin, arrays after each step",
        "contact_events": "events.contact_begin, arrays after each step",
        "add_post_step_callback": "; nothing calls back from inside: do it after step()",
        "shapes": "colliders",
        "constraints": "joints",
        "static_body": "; the world is None as the first body of a joint",
        "segment_query": "cast_ray_all(origin, translation)",
        "segment_query_first": "cast_ray(origin, translation)",
        "ray_cast": "cast_ray(origin, translation)",
        "cast_ray_closest": "cast_ray(origin, translation)",
        "raycast": "cast_ray(origin, translation)",
        "point_query": "at(point), or nearest(point, k) within max_distance=",
        "point_query_nearest": "nearest(point)",
        "bb_query": "query_aabb(lower, upper)",
        "overlap_aabb": "query_aabb(lower, upper)",
        "shape_query": "overlap(shape, pose)",
        "overlap_shape": "overlap(shape, pose)",
        "debug_draw": "pyphys2d.plot.world(world), or draw_list() for a renderer of your own",
        "draw": "pyphys2d.plot.world(world), or draw_list() for a renderer of your own",
        "draw_debug_data": "pyphys2d.plot.world(world), or draw_list()",
        "plot": "pyphys2d.plot.world(world)",
        "show": "pyphys2d.plot.world(world)",
        "render": "pyphys2d.plot.world(world), or draw_list()",
        "use_spatial_hash": "broadphase = 'grid', 'tree' or 'all_pairs'",
        "reindex_shape": "; a move is seen at once: there is nothing to do",
        "reindex_static": "; a move is seen at once: there is nothing to do",
        "reindex_shapes_for_body": "; a move is seen at once: there is nothing to do",
        "clear_forces": "; forces are cleared after each step by themselves",
        "position": "positions",
        "velocity": "velocities",
        "angle": "angles",
        "mass": "masses",
        "run": "step(dt, n=...), or pyphys2d.simulate(world, seconds)",
        "simulate": "pyphys2d.simulate(world, seconds)",
        "update": "step(dt)",
        "reset": "restore(state), with state = world.snapshot() taken before",
        "save": "pyphys2d.save(world, path)",
        "load": "pyphys2d.load(path)",
        "add_circle": "add_body(pyphys2d.Circle(radius), (x, y))",
        "add_box": "add_body(pyphys2d.Box(width, height), (x, y))",
        "add_polygon": "add_body(pyphys2d.Polygon(vertices), (x, y))",
        "add_segment": "add_body(pyphys2d.Segment(p, q), kind='static')",
        "add_static_body": "add_body(shape, (x, y), kind='static')",
        "add_kinematic_body": "add_body(shape, (x, y), kind='kinematic')",
        "add_dynamic_body": "add_body(shape, (x, y))",
        "add_shape": "body.attach(shape), or add_body(shape, (x, y))",
        "add_collider": "body.attach(shape), or add_body(shape, (x, y))",
        "add_spring": "add_distance_joint(a, b, stiffness=..., damping=...)",
        "add_damped_spring": "add_distance_joint(a, b, stiffness=..., damping=...)",
        "add_rope": "add_distance_joint(a, b, upper=length)",
        "add_rope_joint": "add_distance_joint(a, b, upper=length)",
        "add_hinge_joint": "add_revolute_joint(a, b, anchor=(x, y))",
        "add_pivot_joint": "add_revolute_joint(a, b, anchor=(x, y))",
        "add_pin_joint": "add_distance_joint(a, b), or a hinge: add_revolute_joint(a, b)",
        "add_slide_joint": "add_distance_joint(a, b, lower=..., upper=...)",
        "add_slider_joint": "add_prismatic_joint(a, b, axis=(1, 0))",
        "add_groove_joint": "add_wheel_joint(a, b, axis=..., lower=..., upper=...)",
        "add_fixed_joint": "add_weld_joint(a, b)",
        "add_motor": "add_rotary_joint(a, b, motor_speed=..., max_motor_torque=...)",
        "tick": "step(dt)",
        "clear": "remove(list(world.bodies))",
        "query": "query_aabb(lower, upper), at(point), overlap(shape, pose) or nearest(point)",
        "query_point": "at(point)",
        "query_radius": "overlap(pyphys2d.Circle(radius), (x, y, 0))",
        "query_circle": "overlap(pyphys2d.Circle(radius), (x, y, 0))",
        "contact_begin": "events.contact_begin",
        "contact_end": "events.contact_end",
        "contact_hit": "events.contact_hit",
        "collisions": "contacts",
        "add_joint": "add_revolute_joint(a, b, ...) or another add_..._joint",
        "Step": "step(dt)",
        "CreateBody": "add_body(shape, (x, y))",
        "CreateStaticBody": "add_body(shape, (x, y), kind='static')",
        "CreateDynamicBody": "add_body(shape, (x, y))",
        "CreateKinematicBody": "add_body(shape, (x, y), kind='kinematic')",
        "CreateRevoluteJoint": "add_revolute_joint(a, b, anchor=(x, y))",
        "CreateDistanceJoint": "add_distance_joint(a, b, anchor_a=..., anchor_b=...)",
        "DestroyBody": "remove(body)",
        "DestroyJoint": "remove(joint)",
        "RayCast": "cast_ray(origin, translation)",
        "ClearForces": "; forces are cleared after each step by themselves",
        "add_friction_joint": "add_motor_joint(a, b, max_force=..., max_torque=...)",
        "add_rod": "add_distance_joint(a, b)",
        "add_rod_joint": "add_distance_joint(a, b)",
        "add_spring_joint": "add_distance_joint(a, b, stiffness=..., damping=...)",
        **dict.fromkeys(
            ("on_contact", "on_step", "post_solve", "begin", "separate"),
            "events, arrays after each step; inside of a step on_pre_solve and on_force are called",
        ),
        "pre_solve": "on_pre_solve",
        **dict.fromkeys(
            ("elasticity", "restitution", "friction", "density"),
            "; materials belong to colliders: add_body(shape, restitution=..., friction=...)",
        ),
        "idle_speed_threshold": "; each body has a sleep_threshold",
        "sleep_time_threshold": "; a body sleeps after half a second below its sleep_threshold",
        "collision_slop": "slop, of the solver sequential_impulses alone",
        "collision_bias": "contact_hertz, and world.contact_push_speed",
        "collision_persistence": "; contacts of the last step are kept as long as they touch",
        "current_time_step": "; it is the dt that was given to step(dt)",
        "contact_filter": "pair_filter",
        "destruction_listener": "events.joint_break",
        "allow_sleeping": "sleeping",
        "continuous_physics": "continuous",
        "sub_stepping": "substeps",
        "proxy_count": "len(world.colliders)",
        "body_count": "len(world.bodies)",
        "joint_count": "len(world.joints)",
        "contact_count": "len(world.contacts)",
    },
    "Body": {
        "v": "velocity",
        "copy": "; a body belongs to its world: copy.copy(world) copies all",
        **dict.fromkeys(
            ("update_velocity", "update_position"),
            "; world.on_force is called before each step, for all bodies",
        ),
        "forces": "apply_force(force), or world.forces[body.index]",
        "mass_data": "mass, body.inertia and body.center_of_mass",
        "SetTransform": "position and body.angle, one after the other",
        "inverse_mass": "; 1 / body.mass",
        "acceleration": "; nothing keeps it: force / body.mass + world.gravity",
        "DYNAMIC": "kind = 'dynamic'",
        "KINEMATIC": "kind = 'kinematic'",
        "STATIC": "kind = 'static'",
        "move": "position += (dx, dy)",
        "translate": "position += (dx, dy)",
        "teleport": "position = (x, y)",
        "rotate": "angle += radians",
        "applyForce": "apply_force(force, point)",
        "applyImpulse": "apply_impulse(impulse, point)",
        "applyTorque": "apply_torque(torque)",
        "add_force": "apply_force(force, point)",
        "add_impulse": "apply_impulse(impulse, point)",
        "add_torque": "apply_torque(torque)",
        "radius": "colliders[0].shape.radius",
        "width": "colliders[0].shape.width",
        "height": "colliders[0].shape.height",
        "color": "; colours are of pictures: plot.world(world, color=...); user_data can keep one",
        "colour": "; colours are of pictures: plot.world(world, color=...); user_data can keep one",
        "touching": "world.touching(body)",
        "is_touching": "; other in world.touching(body)",
        "collides_with": "; other in world.touching(body)",
        "linearVelocity": "velocity",
        "angularVelocity": "angular_velocity",
        "fixedRotation": "fixed_rotation",
        "linearDamping": "linear_damping",
        "angularDamping": "angular_damping",
        "userData": "user_data",
        "worldCenter": "to_world(body.center_of_mass)",
        "localCenter": "center_of_mass",
        "ApplyForce": "apply_force(force, point)",
        "ApplyForceToCenter": "apply_force(force)",
        "ApplyTorque": "apply_torque(torque)",
        "ApplyLinearImpulse": "apply_impulse(impulse, point)",
        "ApplyAngularImpulse": "apply_angular_impulse(impulse)",
        "GetWorldPoint": "to_world(points)",
        "GetLocalPoint": "to_local(points)",
        "CreateFixture": "attach(shape, density=..., friction=...)",
        "CreatePolygonFixture": "attach(pyphys2d.Polygon(vertices), ...)",
        "CreateCircleFixture": "attach(pyphys2d.Circle(radius), ...)",
        "set_position": "position",
        "set_velocity": "velocity",
        "set_angle": "angle",
        "get_position": "position",
        "get_velocity": "velocity",
        "get_angle": "angle",
        "shapes": "colliders",
        "fixtures": "colliders",
        "shape": "colliders[0].shape",
        "create_fixture": "attach(shape, density=..., friction=...)",
        "create_circle_fixture": "attach(pyphys2d.Circle(radius), ...)",
        "create_polygon_fixture": "attach(pyphys2d.Polygon(vertices), ...)",
        "add_shape": "attach(shape)",
        "add_collider": "attach(shape)",
        "rotation_vector": "pyphys2d.geometry.direction(body.angle)",
        "world_center": "to_world(body.center_of_mass)",
        "local_center": "center_of_mass",
        "force": "apply_force(force), or world.forces[body.index]",
        "torque": "apply_torque(torque), or world.torques[body.index]",
        "apply_force_at_world_point": "apply_force(force, point)",
        "apply_force_at_local_point": "apply_force(force, point, local=True)",
        "apply_force_to_center": "apply_force(force)",
        "apply_impulse_at_world_point": "apply_impulse(impulse, point)",
        "apply_impulse_at_local_point": "apply_impulse(impulse, point, local=True)",
        "apply_linear_impulse": "apply_impulse(impulse, point)",
        "apply_linear_impulse_to_center": "apply_impulse(impulse)",
        "local_to_world": "to_world(points)",
        "world_to_local": "to_local(points)",
        "world_point": "to_world(points)",
        "local_point": "to_local(points)",
        "world_vector": "to_world(vectors, vectors=True)",
        "local_vector": "to_local(vectors, vectors=True)",
        "velocity_at_world_point": "velocity_at(points)",
        "velocity_at_local_point": "velocity_at(points, local=True)",
        "linear_velocity_from_world_point": "velocity_at(points)",
        "activate": "wake()",
        "wake_up": "wake()",
        "sleeping": "not body.awake",
        "is_sleeping": "not body.awake",
        "sleep_with_group": "sleep()",
        "each_arbiter": "world.contacts_of(body)",
        "constraints": "joints",
        "space": "world",
        "velocity_func": "world.on_force, called once a step for all bodies",
        "position_func": "move_to(position, angle, dt) of a kinematic body",
        "data": "user_data",
        "active": "enabled",
        "x": "position[0]",
        "y": "position[1]",
        "pose": "position and body.angle",
        "aabb": "[c.aabb for c in body.colliders]",
        "bb": "[c.aabb for c in body.colliders]",
        "area": "sum(c.shape.area for c in body.colliders)",
        "vertices": "colliders[0].vertices, in the world's frame",
        "remove": "world.remove(body)",
        "destroy": "world.remove(body)",
    },
    "Trajectory": {
        "to_pandas": "to_dataframe()",
        "x": "positions[..., 0], shape (frames, bodies)",
        "y": "positions[..., 1], shape (frames, bodies)",
        "position": "positions",
        "angle": "angles",
        "velocity": "velocities",
        "angular_velocity": "angular_velocities",
        "speed": "velocities, shape (frames, bodies, 2)",
        "time": "times",
        "t": "times",
        "names": "run.body_names, one for each column",
        "bodies": "run.body_names, one for each column",
        "energy": "kinetic_energy + run.potential_energy",
        "total_energy": "kinetic_energy + run.potential_energy",
        "frames": "; len(run) is their number, and run[i:j] is a part of them",
        "plot": "plot_paths(), plot_energy(), plot_momentum() or plot_penetration()",
        "show": "animate(), or to_html(path) for a page that plays it",
        "play": "animate(), or to_html(path) for a page that plays it",
        "to_gif": "animate().save('run.gif')",
        "to_mp4": "animate().save('run.mp4')",
        "to_csv": "to_dataframe().to_csv(path)",
        "to_numpy": "positions and others: they are arrays",
    },
    "CharacterMover": {
        "jump": "; a jump is a velocity: mover.move((vx, 5), dt) leaves the ground",
        "on_ground": "grounded",
        "is_grounded": "grounded",
        "is_on_floor": "grounded",
        "on_floor": "grounded",
        "step": "move(velocity, dt)",
        "walk": "move((vx, vy), dt)",
        "update": "move(velocity, dt)",
        "move_and_slide": "move(velocity, dt)",
        "gravity": "; gravity is part of the velocity: move((vx, mover.velocity[1] - g * dt), dt)",
        "apply_force": "; no forces act on a character: give move() another velocity",
        "apply_impulse": "; no forces act on a character: give move() another velocity",
    },
    "Collider": {
        "elasticity": "restitution",
        "surface_velocity": "tangent_speed",
        "filter_data": "category, collider.mask and collider.group",
        "collision_type": "category, collider.mask and collider.group",
        "filter": "category, collider.mask and collider.group",
        "shape_filter": "category, collider.mask and collider.group",
        "bb": "aabb",
        "contains": "body.contains(points); of the shape alone, in the body's frame, "
        "shape.contains(points)",
        "color": "; colours are of pictures: plot.world(world, color=...); user_data can keep one",
        "point_query": "closest_point(point)",
        "segment_query": "ray_cast(origin, translation)",
        "cast_ray": "ray_cast(origin, translation)",
        "space": "world",
        "remove": "world.remove(collider)",
    },
    "Shape": {
        "body": "; a shape may serve many bodies: it is collider.body",
        "mass": "mass_properties(density), which has mass, centre and inertia",
        "moment": "mass_properties(density), which has mass, centre and inertia",
        "position": "; a shape is geometry in the frame of its body: the body has a place",
        "angle": "; a shape is geometry in the frame of its body: the body has a place",
        "bb": "aabb",
        "cache_bb": "aabb",
        "copy": "; a shape never changes, and one may serve many bodies",
        "get_vertices": "vertices",
        **dict.fromkeys(
            ("unsafe_set_radius", "unsafe_set_vertices", "unsafe_set_endpoints"),
            "; a shape never changes: collider.set_shape(shape) puts another in its place",
        ),
        "offset": "center",
        "center": "centroid",
        "points": "vertices",
        "a": "p",
        "b": "q",
        "point_query": "pyphys2d.geometry.distance(a, b), or closest_point of a collider",
        "collide": "pyphys2d.geometry.collide(a, b, pose_a, pose_b)",
        "shapes_collide": "pyphys2d.geometry.collide(a, b, pose_a, pose_b)",
    },
    "Joint": {
        "motorSpeed": "motor_speed",
        "motor_enabled": "; a motor runs where max_motor_torque or max_motor_force is above 0",
        "limit_enabled": "; limits hold where set_limits(lower, upper) gave some, None for none",
        **dict.fromkeys(
            ("pre_solve", "post_solve"),
            "; nothing calls back for a joint: world.on_force comes before each step",
        ),
        "maxMotorTorque": "max_motor_torque|max_motor_force",
        "maxMotorForce": "max_motor_force|max_motor_torque",
        "bodyA": "body_a",
        "bodyB": "body_b",
        "a": "body_a",
        "b": "body_b",
        "bodies": "body_a and joint.body_b",
        "impulse": "force, N: times the step it is the impulse",
        "reaction_force": "force",
        "reaction_torque": "torque",
        "max_force": "max_motor_torque|max_motor_force",
        "max_torque": "max_motor_torque|max_motor_force",
        "max_motor_force": "max_motor_torque",
        "max_motor_torque": "max_motor_force",
        "anchor": "local_anchor_a = (x, y), or joint.local_anchor_b",
        "limits": "set_limits(lower, upper)",
        "enabled": "; a joint holds until it is removed: world.remove(joint)",
        "set_motor": "motor_speed = ..., and max_motor_torque or max_motor_force above 0",
        "distance": "length",
        "rest_length": "spring_target",
        "rest_angle": "spring_target",
        "force_func": "world.add_spring_law(joints, function)",
        "torque_func": "world.add_spring_law(joints, function)",
        "spring_force": "world.add_spring_law(joints, function)",
        "spring_torque": "world.add_spring_law(joints, function)",
        "ratchet": "tooth",
        "joint_angle": "angle",
        "joint_speed": "speed",
        "joint_translation": "translation",
        **dict.fromkeys(
            ("error_bias", "max_bias", "set_constraint_tuning", "constraint_hertz"),
            "joint_hertz|; it holds nothing that could be tuned, its springs are its own",
        ),
        "constraint_damping_ratio": "joint_damping_ratio|spring_damping_ratio",
        "remove": "world.remove(joint)",
    },
}
# Of what queries and steps return, and of vectors.
ATTRIBUTES |= {
    "RayHit": {
        "distance": "; it is hit.fraction times the length of the translation",
        "shape": "collider.shape",
        "position": "point",
        "alpha": "fraction",
        "t": "fraction",
        "hit": "; a miss is None, and this is a hit",
    },
    "Events": {
        "begin": "contact_begin",
        "end": "contact_end",
        "hit": "contact_hit",
        "hits": "contact_hit",
        "collision": "contact_begin",
        "collisions": "contact_begin",
        "contacts": "contact_begin, and world.contacts for those that last",
        "sensor": "sensor_begin, events.sensor_end",
        "joint": "joint_break",
    },
    "Vector": {
        "x": "; a vector is an array: x is v[0], and the whole is set, body.position = (x, y)",
        "y": "; a vector is an array: y is v[1], and the whole is set, body.position = (x, y)",
        "length": "; a vector is an array: np.hypot(*v)",
        "magnitude": "; a vector is an array: np.hypot(*v)",
        "normalized": "; a vector is an array: v / np.hypot(*v)",
        "normalize": "; a vector is an array: v / np.hypot(*v)",
        "rotated": "; pyphys2d.geometry.rotate(vectors, angle)",
    },
}
for _kind, _add, _one in (
    ("Bodies", "world.add_body(shape, (x, y))", "body"),
    ("Colliders", "body.attach(shape)", "collider"),
    ("Joints", "world.add_revolute_joint(a, b, ...) or another add_..._joint", "joint"),
):
    ATTRIBUTES[_kind] = {
        **dict.fromkeys(("add", "append", "insert", "extend"), _add),
        **dict.fromkeys(("remove", "pop", "discard"), f"world.remove({_one})"),
        "clear": f"world.remove(list(world.{_kind.lower()}))",
        "index": f"{_one}.index",
        "get": "world.bodies[name], and name in world.bodies" if _kind == "Bodies" else "",
    }
# What is there and cannot be set, and what to set in its place.
NOT_SET = {
    ("Joint", "anchor_a"): "joint.local_anchor_a moves it",
    ("Joint", "anchor_b"): "joint.local_anchor_b moves it",
    ("Joint", "angle"): "turn a body, or let a spring (spring_target) or a motor do it",
    ("Joint", "length"): "set_limits(l, l) makes it a rod of another length; a spring rests at "
    "spring_target",
    ("Joint", "translation"): "move a body, or let a spring (spring_target) or a motor do it",
    ("Joint", "body_a"): "a joint keeps its bodies: make another",
    ("Joint", "body_b"): "a joint keeps its bodies: make another",
    ("Body", "colliders"): "body.attach(shape) adds one, world.remove(collider) takes it away",
    ("Collider", "body"): "a collider keeps its body: attach its shape to the other",
    ("World", "bodies"): "world.add_body(shape, (x, y)) adds one, world.remove(body) takes it away",
    ("World", "contacts"): "contacts come of a step; world.on_pre_solve may change them",
    ("World", "time"): "time is counted by steps; world.restore(state) goes back",
    ("World", "masses"): "body.mass = ... sets one",
    ("World", "kinds"): "body.kind = ... sets one",
    ("World", "awake"): "body.awake = ... sets one",
}
OF_MODULE = {
    **dict.fromkeys(("Simulation", "Engine", "Simulator"), "World(gravity=(0, -9.81))"),
    "Ball": "Circle",
    "animate": "plot.animate, of a trajectory: simulate(world, seconds).animate()",
    "record": "simulate(world, seconds), or world.record()",
    "Space": "World(gravity=(0, -9.81))",
    "b2World": "World(gravity=(0, -9.81))",
    "Vec2d": "pairs (x, y), which may be tuples, lists or arrays",
    "Vec2": "pairs (x, y), which may be tuples, lists or arrays",
    "b2Vec2": "pairs (x, y), which may be tuples, lists or arrays",
    "Vector": "pairs (x, y), which may be tuples, lists or arrays",
    "BB": "boxes [[lower], [upper]], shape (2, 2)",
    "AABB": "boxes [[lower], [upper]], shape (2, 2)",
    "Poly": "Polygon",
    "PolygonShape": "Polygon",
    "CircleShape": "Circle",
    "EdgeShape": "Segment",
    "ChainShape": "Chain",
    "Edge": "Segment",
    "Line": "Segment",
    "Rectangle": "Box",
    "Rect": "Box",
    "Square": "Box",
    "ShapeFilter": "category=, mask= and group= of world.add_body",
    "Filter": "category=, mask= and group= of world.add_body",
    "BodyDef": "the keywords of world.add_body",
    "FixtureDef": "the keywords of world.add_body and body.attach",
    "PinJoint": "world.add_distance_joint(a, b, ...)",
    "SlideJoint": "world.add_distance_joint(a, b, lower=..., upper=...)",
    "PivotJoint": "world.add_revolute_joint(a, b, anchor=(x, y))",
    "GrooveJoint": "world.add_wheel_joint(a, b, axis=..., lower=..., upper=...)",
    "DampedSpring": "world.add_distance_joint(a, b, length=..., stiffness=..., damping=...)",
    "DampedRotarySpring": "world.add_rotary_joint(a, b, stiffness=..., damping=...)",
    "RotaryLimitJoint": "world.add_rotary_joint(a, b, lower=..., upper=...)",
    "SimpleMotor": "world.add_rotary_joint(a, b, motor_speed=..., max_motor_torque=...)",
    "moment_for_circle": "Circle(radius).mass_properties(density)",
    "moment_for_box": "Box(width, height).mass_properties(density)",
    "moment_for_poly": "Polygon(vertices).mass_properties(density)",
    "moment_for_segment": "Capsule(p, q, radius).mass_properties(density)",
    "area_for_circle": "Circle(radius).area",
    "area_for_poly": "Polygon(vertices).area",
    "area_for_segment": "Capsule(p, q, radius).area",
    "pygame_util": "plot.pygame.draw(surface, world, camera)",
    "pyglet_util": "plot.pyglet",
    "matplotlib_util": "plot.world(world)",
    "autogeometry": "geometry",
    "ContactListener": "world.events, arrays after each step",
    "CollisionHandler": "world.events, arrays after each step",
    "Arbiter": "world.contacts, a row for each contact point",
    "draw": "plot.world(world)",
    "show": "plot.world(world)",
    "WorldView": "jupyter.WorldView(world), of the module pyphys2d.jupyter",
}
OWNERS = {
    "World": "world",
    "Body": "body",
    "Collider": "collider",
    "Joint": "joint",
    "Trajectory": "run",
    "CharacterMover": "mover",
    "RayHit": "hit",
    "Events": "events",
    "Vector": "v",
    "Bodies": "world.bodies",
    "Colliders": "world.colliders",
    "Joints": "world.joints",
}


class Elsewhere:
    """A name that other engines have: reading it is an AttributeError that tells that of this one.

    It is no data descriptor, so that subclasses of World may have attributes of this name.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        what = (
            f"type object {owner.__name__!r}" if instance is None else f"{owner.__name__!r} object"
        )
        hint = attribute(owner, self.name)
        # With a hint the interpreter is given nothing to guess from.
        of: dict[str, Any] = {} if hint else {"obj": owner if instance is None else instance}
        raise AttributeError(f"{what} has no attribute {self.name!r}{hint}", name=self.name, **of)


# Attributes and methods of Box2D in Python, which writes gravityScale, and GetGravityScale().
BOX2D = {
    "World": """allow_sleeping bodies body_count contact_count contact_filter contact_listener
        contacts continuous_physics destruction_listener gravity joint_count joints proxy_count
        sub_stepping warm_starting""",
    "Body": """angle angular_damping angular_velocity awake bullet fixed_rotation fixtures
        gravity_scale inertia joints linear_damping linear_velocity local_center local_point
        local_vector mass mass_data position transform type user_data world world_center
        world_point world_vector""",
    "Collider": """aabb body category_bits density filter_data friction group_index mask_bits
        restitution sensor shape user_data""",
    "Shape": "radius vertices type",
    "Joint": """anchor_a anchor_b body_a body_b damping_ratio frequency joint_angle joint_speed
        joint_translation length limit_enabled limits local_anchor_a local_anchor_b lower_limit
        max_force max_motor_force max_motor_torque max_torque motor_enabled motor_speed ratio
        reaction_force reaction_torque type upper_limit user_data""",
}
BOX2D_JOINTS = """Distance Friction Gear Motor Mouse Prismatic Pulley Revolute Rope Weld Wheel"""
HOOKS = ("on_force", "on_pre_solve", "pair_filter")


def _of_box2d(base: str) -> set[str]:
    names = {f"Create{kind}Joint" for kind in BOX2D_JOINTS.split()} if base == "World" else set()
    for name in BOX2D.get(base, "").split():
        words = "".join(word.capitalize() for word in name.split("_"))
        words = (
            re.sub("([abAB])$", lambda end: end[0].upper(), words) if name[-2:-1] == "_" else words
        )
        names |= {words[0].lower() + words[1:], f"Get{words}", f"Set{words}"}
    return names | ({"QueryAABB", "SetContactListener"} if base == "World" else set())


def names_elsewhere(base: str) -> type:
    """The class that answers for a class of the extension, by the name of that."""
    names = {*ATTRIBUTES[base], *MEANT, *_of_box2d(base)}
    if base in ("Body", "Shape"):
        names.update(MATERIAL, FILTERS)
    if base == "Collider":
        names.update(OF_BODIES, OF_SHAPES)
    if base == "Joint":
        names.update(NOWHERE)
    # Of an old name of this library that a class has, none may come between.
    found = type(
        "NamesElsewhere", (), {"__slots__": (), **{name: Elsewhere(name) for name in names}}
    )
    if base == "World":
        found.__init_subclass__ = classmethod(  # type: ignore[assignment]
            lambda new, **options: _check_subclass(super(found, new), new, options)
        )
    return found


def _check_subclass(above: Any, new: type, options: dict[str, Any]) -> None:
    """Refuse methods under the names of hooks: no step would call them."""
    above.__init_subclass__(**options)
    for name in HOOKS:
        if isinstance(vars(new).get(name), FunctionType | staticmethod):
            raise TypeError(
                f"{new.__name__}.{name}: a method of this name would never be called; a hook is "
                f"set on each world, as self.{name} = self.another_method in __init__"
            )


def _has(owner: type, name: str) -> bool:
    found = [vars(each)[name] for each in owner.__mro__ if name in vars(each)]
    return bool(found) and not isinstance(found[0], Elsewhere)


def attribute(owner: type, name: str) -> str:
    """Text for the end of the message about an attribute that objects of a class have not."""
    classes = [each.__name__ for each in owner.__mro__ if each.__module__.startswith("pyphys2d")]
    base = next((each for each in classes if each in ATTRIBUTES), None)
    if base is None or _has(owner, name):  # it is there, and cannot be set
        known = NOT_SET.get((base or "", name))
        return f"!; {known}" if known else ""
    if base == "Joint" and name in NOWHERE:
        return f"; {NOWHERE[name]}"
    own, plain = OWNERS.get(base, "shape"), _plain(name)
    table = ATTRIBUTES[base]
    for known in table.get(name, table.get(plain, "")).split("|"):
        if known.startswith(";"):
            return known
        # The tables are of all joints and all shapes, and not each has all that they name.
        if known and (not known.isidentifier() or _has(owner, known)):
            word = (
                known.replace("(", ".")
                .replace("[", ".")
                .replace(",", ".")
                .replace(" ", ".")
                .split(".")[0]
            )
            return _say(f"{own}.{known}" if word != "world" and _has(owner, word) else known)
    for each in (name, MEANT.get(name, name), plain, MEANT.get(plain, plain)):
        if base in ("Body", "Shape") and each in (*MATERIAL, *FILTERS):
            which = f", as body.colliders[0].{each}" if each in MATERIAL else ""
            return f"; materials and filters belong to colliders{which}"
        if _has(owner, each):
            return _say(f"{own}.{each}")
        if base == "Collider" and each in OF_BODIES:
            return f"; it is its body's: collider.body.{each}"
        if base == "Collider" and each in OF_SHAPES:
            return f"; it is its shape's: collider.shape.{each}"
    return ""


def _say(what: str) -> str:
    """As a guess where it is a name, else as a fact."""
    return f"; did you mean {what}?" if what.replace(".", "").isidentifier() else f"; here: {what}"


def module(name: str) -> str:
    """Text for the end of the message about a name that the package has not."""
    plain = name.removeprefix("b2")
    known = OF_MODULE.get(name) or OF_MODULE.get(plain)
    if known is None and plain != name:
        known = plain if plain in SHAPES else None
    if known is None:
        geometry = import_module("pyphys2d.geometry")
        known = f"geometry.{name}" if name in geometry.__all__ else None
    if known is None:
        return ""
    inside = known.startswith(("World", "geometry", "plot.", "jupyter.", *SHAPES))
    return _say(f"pyphys2d.{known}" if inside else known)
