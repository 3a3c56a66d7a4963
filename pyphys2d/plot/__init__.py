"""Pictures of worlds, shapes, traces and runs with Matplotlib (extra ``plot``), and debug draw.

`pyphys2d.plot.pygame`, `pyphys2d.plot.pyglet` and `pyphys2d.plot.arcade` draw worlds in games, each
with an extra of its name; none of them needs Matplotlib.
"""

from typing import TYPE_CHECKING

from pyphys2d.plot import _names

if TYPE_CHECKING:
    from pyphys2d.plot import arcade as arcade
    from pyphys2d.plot import pygame as pygame
    from pyphys2d.plot import pyglet as pyglet
    from pyphys2d.plot._animate import Animation, animate
    from pyphys2d.plot._bodies import Bodies
    from pyphys2d.plot._collision_traces import clip, sat
    from pyphys2d.plot._distance_traces import gjk, hull, toi
    from pyphys2d.plot._joints import joints
    from pyphys2d.plot._series import energy, momentum, paths, penetration
    from pyphys2d.plot._shapes import polygon, shape
    from pyphys2d.plot._stage import stage
    from pyphys2d.plot._world import aabbs, contacts, islands, tree, velocities, world
else:
    __getattr__, __dir__ = _names.attach(globals())

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
