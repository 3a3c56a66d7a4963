"""Where the names of pyphys2d.plot are: games that draw with pygame need no Matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from pyphys2d import _lazy

_MATPLOTLIB = {
    "_animate": ("Animation", "animate"),
    "_bodies": ("Bodies",),
    "_collision_traces": ("clip", "sat"),
    "_distance_traces": ("gjk", "hull", "toi"),
    "_joints": ("joints",),
    "_series": ("energy", "momentum", "paths", "penetration"),
    "_shapes": ("polygon", "shape"),
    "_stage": ("stage",),
    "_world": ("aabbs", "contacts", "islands", "tree", "velocities", "world"),
}
_GAMES = ("arcade", "pygame", "pyglet")


def attach(namespace: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of pyphys2d.plot."""
    drawn = {name: f"pyphys2d.plot.{file}" for file, names in _MATPLOTLIB.items() for name in names}
    games = {name: f"pyphys2d.plot.{name}" for name in _GAMES}
    needs = dict.fromkeys(drawn, "matplotlib") | {name: name for name in _GAMES}
    find, names = _lazy.attach(namespace, drawn | games, {name: name for name in drawn}, needs)

    def get(name: str) -> Any:
        if name in drawn:
            import_module("pyphys2d.plot._matplotlib")  # its message is the one seen
        return find(name)

    return get, names
