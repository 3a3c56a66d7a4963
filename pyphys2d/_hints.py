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
    "is_bullet": "bullet",
    "is_awake": "awake",
    "enable_sleep": "can_sleep",
    "allow_sleep": "can_sleep",
    "sleep": "can_sleep",
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
    "collision_type": "category",
    "category_bits": "category",
    "categories": "category",
    "mask_bits": "mask",
    "masks": "mask",
    "group_index": "group",
    "userdata": "user_data",
    "data": "user_data",
    "sub_steps": "substeps",
    "sub_step_count": "substeps",
    "velocity_iterations": "iterations",
    "num_threads": "workers",
    "threads": "workers",
    "worker_count": "workers",
    "maximum_linear_speed": "max_speed",
    "sleep_time_threshold": "sleeping",
    "do_sleep": "sleeping",
    "steps": "n",
    "num_steps": "n",
    "time_step": "dt",
    "timestep": "dt",
    "delta_time": "dt",
    "filter": "mask",
    "shape_filter": "mask",
    "max_distance": "k",
    "start": "origin",
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
    "rate": "motor_speed",
    "rest_length": "length",
    "hertz": "spring_hertz",
    "damping_ratio": "spring_damping_ratio",
    "collide_bodies": "collide_connected",
    "collideconnected": "collide_connected",
    "pivot": "anchor",
    "width": "width",
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
# Of arguments that there are not, and why.
NONE_THERE = {
    ("Segment", "radius"): "a segment with a radius is a Capsule(p, q, radius)",
    ("Circle", "position"): "where it is in its body is center=; where the body is, add_body says",
    ("Circle", "density"): "a shape has no material; density= belongs to add_body and attach",
    ("Circle", "friction"): "a shape has no material; friction= belongs to add_body and attach",
    ("Box", "density"): "a shape has no material; density= belongs to add_body and attach",
    ("Box", "friction"): "a shape has no material; friction= belongs to add_body and attach",
    ("Polygon", "density"): "a shape has no material; density= belongs to add_body and attach",
    ("Polygon", "friction"): "a shape has no material; friction= belongs to add_body and attach",
    ("cast_ray", "end"): "a ray runs from origin to origin + translation: give end - origin",
    ("cast_ray", "direction"): "translation= is the whole way: a direction times a length",
    ("step", "substeps"): "they belong to the world: World(substeps=...)",
    ("step", "iterations"): "they belong to the world: World(substeps=...)",
}
# By too many positional arguments.
TOO_MANY = {
    "Segment": "a segment with a radius is a Capsule(p, q, radius)",
    "Circle": "Circle(radius, center)",
    "World": "gravity is one pair: World((0, -9.81))",
    "cast_ray": "origin and translation are pairs: cast_ray((x, y), (dx, dy))",
    "add_body": "position is one pair: add_body(shape, (x, y), angle)",
}


def keyword(function: str, name: str, names: tuple[str, ...], positional: int) -> str:
    """Text for the end of the message about an argument that there is not."""
    known = NONE_THERE.get((function, name))
    if known is not None:
        return f"; {known}"
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
