"""Pictures of worlds, shapes, traces and runs with Matplotlib (extra ``plot``)."""

# First, so that its message is the one seen when Matplotlib is missing.
from pyphys2d.plot import _matplotlib as _matplotlib
from pyphys2d.plot._animate import Animation, animate
from pyphys2d.plot._bodies import Bodies
from pyphys2d.plot._collision_traces import clip, sat
from pyphys2d.plot._distance_traces import gjk, hull, toi
from pyphys2d.plot._joints import joints
from pyphys2d.plot._series import energy, momentum, paths, penetration
from pyphys2d.plot._shapes import polygon, shape
from pyphys2d.plot._stage import stage
from pyphys2d.plot._world import aabbs, contacts, islands, tree, velocities, world

__all__ = [
    "Animation",
    "Bodies",
    "aabbs",
    "animate",
    "clip",
    "contacts",
    "energy",
    "gjk",
    "hull",
    "islands",
    "joints",
    "momentum",
    "paths",
    "penetration",
    "polygon",
    "sat",
    "shape",
    "stage",
    "toi",
    "tree",
    "velocities",
    "world",
]
