"""A scene: a world ready to run, with how long and how finely to run it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from math import sqrt
from typing import TYPE_CHECKING

from pyphys2d import World

if TYPE_CHECKING:
    import numpy as np

BeforeStep = Callable[[World, int], None]


class SceneError(ValueError):
    """A scene file or a scene's name that cannot be used; the message says where and why."""


def length(vector: np.ndarray) -> float:
    """Of (x, y). What ``vector @ vector`` rounds to is a matter of the processor."""
    x, y = map(float, vector)
    return sqrt(x * x + y * y)


@dataclass(slots=True, repr=False)
class Scene:
    """A world and the run that shows it.

    Attributes
    ----------
    name : str
        Short, fit for a file name.
    world : World
        As it is before the first step.
    description : str
        One sentence.
    dt : float
        Seconds per step.
    steps : int
        How many steps tell the story.
    before_step : callable, optional
        Called as ``before_step(world, k)`` before step ``k`` = 0, 1, 2 ...
    view : tuple of float, optional
        The part worth seeing: ``(x_min, y_min, x_max, y_max)`` in metres. None: what the plot
        finds.

    Examples
    --------
    >>> from pyphys2d import scenes
    >>> scene = scenes.build("pyramid")
    >>> scene.run(10)
    >>> scene.world.step_count
    10
    """

    name: str
    world: World
    description: str = ""
    dt: float = 1 / 60
    steps: int = 300
    before_step: BeforeStep | None = None
    view: tuple[float, float, float, float] | None = None

    def __repr__(self) -> str:
        bodies, seconds = len(self.world.bodies), round(self.steps * self.dt, 3)
        count = "1 body" if bodies == 1 else f"{bodies} bodies"
        steps = "1 step" if self.steps == 1 else f"{self.steps} steps"
        return f"<Scene {self.name!r}: {count}, {steps} in {seconds:g} s>"

    def _repr_html_(self) -> str:
        """What it is, and its world as it is now, for notebooks."""
        picture = self.world._repr_html_() or ""
        about = escape(self.description or "")
        return f"<div><strong>{escape(repr(self)[1:-1])}</strong><br>{about}{picture}</div>"

    def run(self, steps: int | None = None) -> None:
        """Advance the world by ``steps`` steps (default: all of ``self.steps``)."""
        count = self.steps if steps is None else steps
        if self.before_step is None:
            self.world.step(self.dt, count)
            return
        for _ in range(count):
            self.before_step(self.world, self.world.step_count)
            self.world.step(self.dt)
