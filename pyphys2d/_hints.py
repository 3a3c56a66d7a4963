"""What may have been meant by a call that cannot be bound.

Called by the extension when an argument has no such name or there are too many of them, to end the
message: nothing here costs anything before that.
"""

from __future__ import annotations

import difflib

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
    "stiffness": "spring_hertz",
    "damping_ratio": "spring_damping_ratio",
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
    ("Circle", "position"): "where it is in its body is center=; where the body is, add_body says",
    ("attach", "mass"): "a mass is that of the whole body, body.mass; here it is density=",
    ("attach", "position"): "where it is in its body is part of the shape, as center=",
    ("attach", "offset"): "where it is in its body is part of the shape, as center=",
    ("add_bodies", "names"): "bodies get names one by one: world.bodies[slot].name = ...",
    ("add_bodies", "name"): "bodies get names one by one: world.bodies[slot].name = ...",
    ("add_bodies", "n"): "how many is the number of rows of positions",
    ("cast_ray", "end"): "a ray runs from origin to origin + translation: give end - origin",
    ("cast_ray", "direction"): "translation= is the whole way: a direction times a length",
    ("cast_ray", "max_distance"): "translation= is the whole way: a direction times a length",
    ("cast_ray", "length"): "translation= is the whole way: a direction times a length",
    ("cast_shape", "end"): "translation= is the way from the pose: the end less the start",
    ("overlap", "position"): "where the shape is, is pose=(x, y, angle)",
    ("step", "substeps"): "substeps belong to the world: world.substeps = ...",
    ("step", "iterations"): "iterations belong to the world: world.substeps = ...",
}
# Of arguments that no function has, by the name alone.
NOWHERE = {
    "enable_motor": "a motor runs where max_motor_torque= or max_motor_force= is above 0",
    "enable_limit": "limits hold where lower= or upper= is given",
    "enable_spring": "a spring acts where spring_hertz= is above 0",
    "local_anchor_a": "anchors are points of the world: anchor_a=a.to_world(point)",
    "local_anchor_b": "anchors are points of the world: anchor_b=b.to_world(point)",
    "collision_type": "events and queries choose by category=, mask= and group=",
}
# By too many positional arguments.
TOO_MANY = {
    "Segment": "a segment with a radius is a Capsule(p, q, radius)",
    "Circle": "Circle(radius, center)",
    "World": "gravity is one pair: World((0, -9.81))",
    "cast_ray": "origin and translation are pairs: cast_ray((x, y), (dx, dy))",
    "query_aabb": "the corners are pairs: query_aabb((x0, y0), (x1, y1))",
    "at": "the point is one pair: at((x, y))",
    "touching": "it lists what touches one body: other in touching(body)",
    "add_body": "position is one pair: add_body(shape, (x, y), angle)",
    "add_mouse_joint": "it pulls one body: add_mouse_joint(body, target=(x, y))",
    "apply_force": "apply_force(force, point): both are pairs, in the world's frame",
    "apply_impulse": "apply_impulse(impulse, point): both are pairs, in the world's frame",
}
# By an argument that is missing.
MISSING = {
    ("cast_ray", "translation"): "from origin to origin + translation: cast_ray((x, y), (dx, dy))",
    ("query_aabb", "upper"): "the corners are pairs: query_aabb((x0, y0), (x1, y1))",
    ("time_of_impact", "end"): "poses at both ends, or one body alone with dt=",
    ("explode", "impulse"): "explode(center, radius, impulse), N s",
    ("move_to", "angle"): "move_to(position, angle, dt): the pose to reach in one step of dt",
    ("move_to", "dt"): "move_to(position, angle, dt): the pose to reach in one step of dt",
    ("add_bodies", "positions"): "one row for each body: [(x, y), ...]",
    ("add_pulley_joint", "ground_a"): "where its ropes hang: ground_a=(x, y), ground_b=(x, y)",
    ("add_ratchet_joint", "tooth"): "radians from tooth to tooth, as tooth=np.radians(30)",
}


def keyword(function: str, name: str, names: tuple[str, ...], positional: int) -> str:
    """Text for the end of the message about an argument that there is not."""
    known = NONE_THERE.get((function.removesuffix("s").removesuffix("_all"), name))
    known = known or NONE_THERE.get((function, name)) or NOWHERE.get(name)
    if known is not None and name not in names:
        return f"; {known}"
    if name in ("density", "friction", "restitution") and function[:1].isupper():
        return f"; {NO_MATERIAL.format(name)}"
    plain = name.lower().lstrip("_")
    value = MEANT_VALUES.get(plain)
    if value is not None and "kind" in names:
        return f"; did you mean {value}?"
    meant = MEANT.get(plain)
    if meant not in names:
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
