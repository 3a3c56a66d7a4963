"""The scenes that ship with the library, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from importlib.resources import as_file, files
from types import MappingProxyType

from pyphys2d.scenes import asteroids, builders, naval
from pyphys2d.scenes.loader import load
from pyphys2d.scenes.scene import Scene, SceneError

DEFAULT = "collision"


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the list: a scene that can be built."""

    name: str
    description: str
    build: Callable[[], Scene]


def _from_file(name: str) -> Scene:
    with as_file(files("pyphys2d.scenes").joinpath(f"{name}.json")) as path:
        return load(path)


_ENTRIES = (
    Entry(
        "collision",
        "convex polygons and circles fall into a tray, collide and come to rest",
        builders.collision,
    ),
    Entry(
        "tunneling",
        "balls at 5 to 320 m/s against a thin wall, looked at once a step: the fast ones pass",
        builders.tunneling,
    ),
    Entry(
        "pyramid",
        "210 boxes in a pyramid of base 20 stand and fall asleep",
        builders.pyramid,
    ),
    Entry(
        "naval",
        "four fleets fight off the British Isles; ships run aground on the real coastline",
        naval.naval,
    ),
    Entry(
        "asteroids",
        "a ship splits rocks in a world whose opposite sides are one",
        asteroids.asteroids,
    ),
    Entry(
        "tumbler",
        "a square drum turns with 2,025 small boxes inside",
        builders.tumbler,
    ),
    Entry(
        "mixed",
        "every kind of shape on one terrain",
        partial(_from_file, "mixed"),
    ),
)

SCENES: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in _ENTRIES})


def build(name: str = DEFAULT) -> Scene:
    """Build a scene that ships with the library.

    Parameters
    ----------
    name : str
        One of ``SCENES``.

    Raises
    ------
    SceneError
        If there is no such scene.

    Examples
    --------
    >>> from pyphys2d import scenes
    >>> scenes.build("tunneling").name
    'tunneling'
    """
    entry = SCENES.get(name)
    if entry is None:
        near = get_close_matches(name, SCENES, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SceneError(f"no scene {name!r}{hint} (known: {', '.join(SCENES)})")
    scene = entry.build()
    scene.description = entry.description
    return scene
