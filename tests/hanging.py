"""A weight that hangs by one joint, of each kind that holds a place or a length."""

import pytest

import pyphys2d as p2

G, MASS = 9.81, 2.0
KINDS = ("weld", "revolute", "distance", "rope", "prismatic", "wheel", "pulley")
kinds = pytest.mark.parametrize("kind", KINDS)


def hang(kind, world=None, **keywords):
    """A disc that hangs under a point of the world by one joint, at rest."""
    world = p2.World() if world is None else world
    disc = world.add_body(p2.Circle(0.5), (0, -1), mass=MASS)
    if kind == "distance":
        return world, disc, world.add_distance_joint(None, disc, anchor_a=(0, 0), **keywords)
    if kind == "rope":
        keywords = {"upper": 1, **keywords}
        return world, disc, world.add_distance_joint(None, disc, anchor_a=(0, 0), **keywords)
    if kind == "pulley":  # over it to a body that is not to move
        post = world.add_body(p2.Box(1, 1), (2, -1), kind="static")
        rope = {"ground_a": (0, 0), "ground_b": (2, 0), **keywords}
        return world, disc, world.add_pulley_joint(disc, post, **rope)
    if kind in ("prismatic", "wheel"):
        keywords = {"axis": (1, 0), **keywords}
    return world, disc, getattr(world, f"add_{kind}_joint")(None, disc, **keywords)
