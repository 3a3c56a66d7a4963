"""Colours of bodies that say something else than what they do: their shape, their speed, or what
the caller wants.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, is_color_like, to_rgb, to_rgba_array
from numpy.typing import NDArray

from pyphys2d.plot import _style
from pyphys2d.plot._bodies import Bodies

Array = NDArray[np.float64]

WAYS = ("state", "shape", "speed")
PALE = 0.55  # how much of the paper is in the colour of what sleeps
SOFT = 0.25  # and in that of areas


class Painter:
    """Gives bodies their colours, again for each picture.

    Parameters
    ----------
    color : str, color or sequence of n colors
        ``"shape"``, ``"speed"``, one colour for all that moves, or one for each body.
    ax : Axes
    count : int
        Of the bodies.
    fastest : float, optional
        m/s, the end of the scale of ``"speed"``; without one there are no speeds.

    Raises
    ------
    ValueError
        For what is none of these, too few colours, or speeds that are not there.
    """

    def __init__(self, color: Any, ax: Axes, count: int, fastest: float | None) -> None:
        self._theme = _style.theme(ax)
        self._paper = np.array(to_rgb(self._theme.paper))
        self._norm = Normalize(0, fastest or 1.0)
        self._map = colormaps["inferno" if self._theme.dark else "YlOrRd"]
        self._what = color if isinstance(color, str) and color in WAYS else "given"
        self._ink = np.zeros((count, 3))  # of each body, unless it follows from its speed
        self._all = False  # those too that never move
        if self._what == "speed" and fastest is None:
            raise ValueError("color: poses have no speeds; 'speed' needs a Trajectory")
        if self._what != "given":
            return
        if is_color_like(color):
            self._ink[:] = to_rgb(color)
        elif isinstance(color, str):
            raise ValueError(f"color: must be a color or one of {', '.join(WAYS)}, got {color!r}")
        else:
            self._ink, self._all = _each(color, count), True

    def spread(self, columns: NDArray[np.intp]) -> None:
        """What is painted goes along with these bodies, and has their colours."""
        self._ink = self._ink[columns]

    def paint(self, bodies: Bodies, speeds: Array | None) -> None:
        """Colour the bodies, which have been moved, by these speeds (n,), m/s."""
        states = bodies.states
        faces, edges = (table[states] for table in self._theme.state_colors())
        ours = np.ones(len(states), bool) if self._all else states != _style.STATIC
        if self._what == "speed" and speeds is not None:
            known = np.where(np.isfinite(speeds), speeds, 0.0)
            ink = face = np.asarray(self._map(self._norm(known)))[:, :3]
        else:
            if self._what == "shape" and not self._ink.any():
                cycle = np.array([to_rgb(color) for color in self._theme.cycle[:-1]])
                self._ink = cycle[_forms(bodies) % len(cycle)]
            ink = self._ink
            share = np.where(states == _style.ASLEEP, PALE, SOFT)[:, None]
            face = (1 - share) * ink + share * self._paper
        line = 0.5 * ink + 0.5 * np.array(to_rgb(self._theme.text))
        faces[ours, :3], edges[ours, :3] = face[ours], line[ours]
        bodies.paint(faces, edges)

    def scale(self, ax: Axes) -> None:
        """Add the scale of speeds beside the axes, if that is what colours mean."""
        if self._what == "speed":
            beside = ax.inset_axes((1.02, 0.0, 0.025, 1.0))  # as high as axes of equal aspect are
            ax.figure.figure.colorbar(
                ScalarMappable(self._norm, self._map), cax=beside, label="speed (m/s)"
            )


def painter(color: Any, ax: Axes, count: int, fastest: float | None) -> Painter | None:
    """What paints; None for ``"state"``, which bodies show by themselves."""
    if isinstance(color, str) and color == "state":
        return None
    return Painter(color, ax, count, fastest)


def _each(colors: Any, count: int) -> Array:
    try:
        given = np.asarray(to_rgba_array(colors), float)[:, :3]
    except (TypeError, ValueError) as error:
        raise ValueError(f"color: must be colors, one for each body: {error}") from error
    if len(given) != count:
        raise ValueError(f"color: must be one for each of {count} bodies, got {len(given)}")
    return given


def _forms(bodies: Bodies) -> NDArray[np.intp]:
    """A number for each body, equal where the first shapes have as many vertices."""
    forms = np.zeros(len(bodies.kinds), np.intp)
    numbers: dict[tuple[str, int], int] = {}
    for group in reversed(bodies._groups):
        if not group.sensor:
            key = (group.kind, group.local.shape[1])
            forms[group.rows] = numbers.setdefault(key, len(numbers))
    return forms
