"""Debug draw for pyglet (extra ``pyglet``): a world in a window.

Examples
--------
In a window's ``on_draw``::

    from pyphys2d.plot import pyglet as debug

    camera = debug.Camera(window.get_size(), center=(0, 4), scale=40)

    @window.event
    def on_draw():
        window.clear()
        debug.draw(window, world, camera)
"""

from __future__ import annotations

import numpy as np

from pyphys2d import World
from pyphys2d.plot import _debug_draw
from pyphys2d.plot._debug_draw import Camera

try:
    import pyglet
except ImportError as error:
    raise ImportError(
        "pyphys2d.plot.pyglet needs pyglet (the extra 'pyglet'): pip install 'pyphys2d[pyglet]'"
    ) from error

__all__ = ["Camera", "draw"]


def draw(
    window: pyglet.window.BaseWindow,
    world: World,
    camera: Camera | None = None,
    *,
    fill: bool = True,
    joints: bool = True,
    contacts: bool = False,
    aabbs: bool = False,
) -> None:
    """Draw a world into a window.

    Parameters
    ----------
    window : pyglet.window.BaseWindow
        The one whose context is current. Nothing of it is cleared; lines are one pixel wide.
    world : World
    camera : Camera, optional
        Default: one that shows what moves, chosen anew by each call.
    fill : bool
        Whether bodies are filled; their outlines are drawn in any case.
    joints, contacts, aabbs : bool
        What else is drawn: joints; contact points with their normals; bounds of colliders.

    Raises
    ------
    TypeError
        If the world is none.
    """
    view = Camera.around(world, window.get_size()) if camera is None else camera
    made = _debug_draw.picture(
        world, view, fill=fill, joints=joints, contacts=contacts, aabbs=aabbs
    )
    for mode, (points, colors) in (
        (pyglet.gl.GL_TRIANGLES, _debug_draw.triangles(made.faces)),
        (pyglet.gl.GL_LINES, _debug_draw.segments(made.lines)),
    ):
        if len(points):
            flat = np.column_stack([points, np.zeros(len(points))]).ravel().tolist()
            opaque = np.column_stack([colors, np.full(len(colors), 255)]).ravel().tolist()
            pyglet.graphics.draw(len(points), mode, position=("f", flat), colors=("Bn", opaque))
