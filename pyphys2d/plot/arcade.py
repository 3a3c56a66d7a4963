"""Debug draw for arcade (extra ``arcade``): a world in a window.

Examples
--------
In ``on_draw`` of a window or a view::

    from pyphys2d.plot import arcade as debug

    def on_draw(self):
        self.clear()
        debug.draw(self.window, self.world, self.camera)
"""

from __future__ import annotations

from pyphys2d import World
from pyphys2d.plot import _debug_draw
from pyphys2d.plot._debug_draw import Camera

try:
    import arcade
    from arcade import shape_list
except ImportError as error:
    raise ImportError(
        "pyphys2d.plot.arcade needs arcade (the extra 'arcade'): pip install 'pyphys2d[arcade]'"
    ) from error

__all__ = ["Camera", "draw"]


def draw(
    window: arcade.Window,
    world: World,
    camera: Camera | None = None,
    *,
    fill: bool = True,
    joints: bool = True,
    contacts: bool = False,
    aabbs: bool = False,
) -> None:
    """Draw a world into a window, in its pixels: with no camera of arcade's in use.

    Parameters
    ----------
    window : arcade.Window
        Nothing of it is cleared.
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
    for create, (points, colors) in (
        (shape_list.create_triangles_filled_with_colors, _debug_draw.triangles(made.faces)),
        (shape_list.create_lines_with_colors, _debug_draw.segments(made.lines)),
    ):
        if len(points):
            shapes: shape_list.ShapeElementList = shape_list.ShapeElementList()
            opaque = [(*color, 255) for color in colors.tolist()]
            shapes.append(create([tuple(point) for point in points.tolist()], opaque))
            shapes.draw()
