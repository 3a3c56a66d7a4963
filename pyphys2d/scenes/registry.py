"""The scenes that ship with the library, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from importlib.resources import as_file, files
from types import MappingProxyType

from pyphys2d.scenes import asteroids, builders, floors, heaps, links, machines, naval, platformer
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
        "balls at 5 to 320 m/s against a thin wall, tested once a step: the fast ones pass",
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
        "platformer",
        "a character runs a course of slopes, stairs, crates, a ferry, ledges, a wheel and a slide",
        platformer.platformer,
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
    Entry(
        "car",
        "a car on springs drives over hills, a hanging bridge and a jump",
        machines.car,
    ),
    Entry(
        "bridge",
        "thirty planks on pins carry three boxes of two hundred times a plank's mass",
        links.bridge,
    ),
    Entry("ragdolls", "dolls of eleven bones tumble down a stair", links.ragdolls),
    Entry(
        "newtons_cradle",
        "five balls on rods: as many fly off on one side as came in on the other",
        links.newtons_cradle,
    ),
    Entry("pinball", "two flippers on motors, bumpers that hit back, spinners", machines.pinball),
    Entry(
        "crane",
        "a crane carries a crate over a wall; a lift on a pulley goes up with its counterweight",
        machines.crane,
    ),
    Entry(
        "gears",
        "a motor turns a train of gears with a rack; a lever turns a wheel by a ratchet",
        machines.gears,
    ),
    Entry(
        "conveyor",
        "three belts carry boxes and balls from one to the next into a bin",
        floors.conveyor,
    ),
    Entry(
        "one_way",
        "balls are shot up through platforms that are open from below, and come to rest on them",
        floors.one_way,
    ),
    Entry(
        "theo_jansen",
        "Theo Jansen's beast: a crank walks on six legs of eleven bars' lengths each",
        machines.theo_jansen,
    ),
    Entry("net", "a net of four hundred cords catches balls", links.net),
    Entry(
        "double_pendulum",
        "five double pendulums begin a thousandth of a degree apart and diverge",
        links.double_pendulum,
    ),
    Entry("dominoes", "a row of dominoes falls, runs up a stair and pushes a ball", heaps.dominoes),
    Entry(
        "card_house",
        "a house of cards, five storeys high, stands on friction alone; the cards are 2 mm thick",
        heaps.card_house,
    ),
    Entry("arch", "seventeen loose stones carry themselves and four boxes", heaps.arch),
    Entry("explosion", "a blast in a hut of bricks and planks", heaps.explosion),
)

SCENES: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in _ENTRIES})


def find(name: str) -> Entry:
    """The entry of a scene; SceneError with the nearest name if there is none."""
    entry = SCENES.get(name) if isinstance(name, str) else None
    if entry is None:
        near = get_close_matches(str(name), SCENES, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SceneError(f"no scene {name!r}{hint} (known: {', '.join(SCENES)})")
    return entry


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
    entry = find(name)
    scene = entry.build()
    scene.description = entry.description
    return scene
