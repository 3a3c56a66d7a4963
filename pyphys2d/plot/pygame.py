"""Debug draw for pygame (extra ``pygame``): a world on a surface.

Examples
--------
In the loop of a game::

    from pyphys2d.plot import pygame as debug

    camera = debug.Camera(screen.get_size(), center=(0, 4), scale=40)
    while running:
        world.step(1 / 60)
        screen.fill("white")
        debug.draw(screen, world, camera)
        pygame.display.flip()
"""

from __future__ import annotations

from pyphys2d import World
from pyphys2d.plot import _debug_draw
from pyphys2d.plot._debug_draw import DownCamera as Camera

try:
    import pygame
except ImportError as error:
    raise ImportError(
        "pyphys2d.plot.pygame needs pygame (the extra 'pygame'): pip install 'pyphys2d[pygame]'"
    ) from error

__all__ = ["Camera", "draw"]


def draw(
    surface: pygame.Surface,
    world: World,
    camera: Camera | None = None,
    *,
    fill: bool = True,
    joints: bool = True,
    contacts: bool = False,
    aabbs: bool = False,
) -> None:
    """Draw a world onto what a surface shows.

    Parameters
    ----------
    surface : pygame.Surface
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
    view = Camera.around(world, surface.get_size()) if camera is None else camera
    made = _debug_draw.picture(
        world, view, fill=fill, joints=joints, contacts=contacts, aabbs=aabbs
    )
    for face, color in made.faces:
        pygame.draw.polygon(surface, color, face.tolist())
    for points, closed, color, width in made.lines:
        pygame.draw.lines(surface, color, closed, points.tolist(), width)
