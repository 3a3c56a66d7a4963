"""Pictures as PNG, for what shows notebooks and keeps neither scripts nor frames nor SVG.

PDF by LaTeX is such, and pages that are made safe. Without Matplotlib there are none.
"""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

DPI = 100
WIDTH = 6.4  # inches
HEIGHTS = (1.6, 6.4)


def png(draw: Callable[[Axes], object]) -> bytes | None:
    """What a function draws on axes without a frame, as PNG; None without Matplotlib.

    Parameters
    ----------
    draw : callable
        Sets the limits of the axes, too: the picture takes their shape.
    """
    if find_spec("matplotlib") is None:
        return None
    from matplotlib.figure import Figure

    figure = Figure(dpi=DPI)
    axes = figure.add_axes((0, 0, 1, 1), aspect="equal")
    draw(axes)
    axes.set_axis_off()
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    low, high = HEIGHTS
    figure.set_size_inches(WIDTH, min(max(WIDTH * (y1 - y0) / (x1 - x0), low), high))
    made = io.BytesIO()
    figure.savefig(made, format="png")
    return made.getvalue()
