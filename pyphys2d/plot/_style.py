"""Colours, axes and limits that all pictures share.

The hues are those of Okabe and Ito, "Color Universal Design" (2008), which stay apart for
colour-blind eyes; tones that would meet for some of those are lighter or darker here. Light or dark
follows the background of the axes, whatever style made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from matplotlib import patheffects, rcParams
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba, to_rgba_array
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.quiver import Quiver
from matplotlib.text import Text
from matplotlib.ticker import AutoLocator, MaxNLocator
from matplotlib.transforms import IdentityTransform
from numpy.typing import ArrayLike, NDArray

from pyphys2d import _view
from pyphys2d.plot import _arguments

Array = NDArray[np.float64]
View = tuple[float, float, float, float]  # x_min, y_min, x_max, y_max

ORANGE, SKY, GREEN = "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"

STATES = ("static", "kinematic", "awake", "asleep")
STATIC, KINEMATIC, AWAKE, ASLEEP = range(4)
DYNAMIC = 2  # in world.kinds

# Above everything that lies in the plane of the bodies.
Z_BOXES, Z_MARKS, Z_ARROWS, Z_TEXT = 2.5, 3.0, 3.2, 4.0
HATCH = 7.0  # points between strokes on the solid side of a chain


class Ink(NamedTuple):
    """A colour for lines and one for the area within."""

    line: Any
    fill: Any


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a picture."""

    dark: bool
    text: Any
    paper: Any
    a: Ink
    b: Ink
    accent: Any
    good: Any
    bad: Any
    muted: Any
    cycle: tuple[str, ...]
    states: dict[str, Ink]

    def state_colors(self) -> tuple[Array, Array]:
        """RGBA of faces and edges by the number of the state, (4, 4) each."""
        faces = to_rgba_array([self.states[name].fill for name in STATES])
        edges = to_rgba_array([self.states[name].line for name in STATES])
        return faces, edges


_LIGHT = Theme(
    dark=False,
    text="#1a1a1a",
    paper="#ffffff",
    a=Ink(BLUE, to_rgba(BLUE, 0.16)),
    b=Ink("#C47F00", to_rgba(ORANGE, 0.24)),
    accent="#93367A",
    good="#006B4C",
    bad="#B33A00",
    muted="#8c8c8c",
    cycle=(BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, "#000000"),
    states={
        "static": Ink("#6e6e6a", _view.FACES["static"]),
        "kinematic": Ink("#8f6500", _view.FACES["kinematic"]),
        "awake": Ink("#0b4f7d", _view.FACES["awake"]),
        "asleep": Ink("#6f93a8", _view.FACES["asleep"]),
    },
)
_DARK = Theme(
    dark=True,
    text="#f2f2f2",
    paper="#000000",
    a=Ink(SKY, to_rgba(SKY, 0.25)),
    b=Ink(ORANGE, to_rgba(ORANGE, 0.25)),
    accent=PURPLE,
    good="#35E3AC",
    bad="#FF5F3A",
    muted="#7d7d7d",
    cycle=(SKY, ORANGE, GREEN, VERMILLION, PURPLE, YELLOW, "#ffffff"),
    states={
        "static": Ink("#a3a39c", "#4b4b48"),
        "kinematic": Ink("#ffd36b", "#8a6100"),
        "awake": Ink("#9ed8f8", "#1b6c9c"),
        "asleep": Ink("#54788d", "#1d3644"),
    },
)


def theme(ax: Axes) -> Theme:
    """The colours that can be seen on these axes."""
    color = np.zeros(4)  # what is behind the picture: axes over figures, alpha multiplied in
    for layer in (ax, ax.figure, ax.figure.figure):
        red, green, blue, alpha = to_rgba(layer.get_facecolor())
        color += (1 - color[3]) * alpha * np.array([red, green, blue, 1])
    if color[3] < 0.5:
        # Transparent: on a page that we cannot see, and the style's text was chosen for.
        return _LIGHT if _luminance(to_rgba(rcParams["text.color"])) < 0.5 else _DARK
    paper = color[:3] / color[3]
    return replace(_DARK if _luminance(paper) < 0.5 else _LIGHT, paper=tuple(paper))


def _luminance(color: Iterable[float]) -> float:
    red, green, blue, *_ = color
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# ------------------------------------------------------------------------------------------- axes
def target(ax: Axes | None) -> Axes:
    """The axes to draw into: those given, else the current ones of pyplot."""
    if ax is not None:
        if not isinstance(ax, Axes):
            raise TypeError(f"ax: must be Axes of Matplotlib, got {type(ax).__name__}")
        return ax
    # Only here, so that drawing into given axes neither needs nor touches pyplot.
    from matplotlib import pyplot as plt

    if not plt.get_fignums():
        plt.figure(layout="constrained")
    return plt.gca()


def metres(ax: Axes) -> None:
    """Equal aspect, and names of the axes where they have none."""
    ax.set_aspect("equal")
    for axis in (ax.xaxis, ax.yaxis):
        if type(axis.get_major_locator()) is AutoLocator:
            # Without its quarters, whose numbers are so long that they touch in a narrow picture.
            axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10]))
    if not ax.get_xlabel():
        ax.set_xlabel("x (m)")
    if not ax.get_ylabel():
        ax.set_ylabel("y (m)")


def include(ax: Axes, points: ArrayLike) -> None:
    """Let the automatic limits, while none are set, hold these points (..., 2)."""
    flat = np.asarray(points, float).reshape(-1, 2)
    flat = flat[np.isfinite(flat).all(axis=1)]
    if len(flat):
        ax.update_datalim(flat)
    ax.autoscale_view()


def frame(
    ax: Axes, view: View | None, moving: Array, fixed: Array, wrap: Array | None = None
) -> bool:
    """Set the limits of a picture of bodies, unless the user has set those of the axes; whether.

    ``moving`` and ``fixed`` are boxes (n, 2, 2); ``wrap`` is the size of a wrapped world, which is
    seen as a whole.
    """
    metres(ax)
    if view is None:
        if not (ax.get_autoscalex_on() and ax.get_autoscaley_on()):
            return False
        view = limits(moving, fixed)
        if wrap is not None:
            x0, y0, x1, y1 = view
            width, height = map(float, wrap)
            x0, x1 = (0.0, width) if np.isfinite(width) else (x0, x1)
            y0, y1 = (0.0, height) if np.isfinite(height) else (y0, y1)
            view = x0, y0, x1, y1
    x0, y0, x1, y1 = _arguments.rectangle("view", view)
    ax.set_xlim(x0, x1)
    ax.set_ylim(y0, y1)
    return True


# Limits that a picture of a world chose by itself, until its user sets others.
_CHOSEN: WeakKeyDictionary[Axes, View] = WeakKeyDictionary()


def remember(ax: Axes) -> None:
    """What the axes show was not chosen by the user: `widen` may show more."""
    _CHOSEN[ax] = shown(ax)


def widen(ax: Axes, points: Array) -> bool:
    """Show these points (n, 2), too, with a margin, unless the user has set the limits; whether."""
    x0, y0, x1, y1 = shown(ax)
    if _CHOSEN.get(ax) != (x0, y0, x1, y1):
        return False
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return True
    (left, bottom), (right, top) = points.min(axis=0), points.max(axis=0)
    pad = 0.04 * max(x1 - x0, right - left, y1 - y0, top - bottom)
    ax.set_xlim(min(x0, left - pad), max(x1, right + pad))
    ax.set_ylim(min(y0, bottom - pad), max(y1, top + pad))
    remember(ax)
    return True


def shown(ax: Axes) -> View:
    """What the axes show."""
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    return float(x0), float(y0), float(x1), float(y1)


class HatchedLines(LineCollection):
    """Lines that are solid on the right of who walks along them, where they are hatched."""

    def draw(self, renderer: RendererBase) -> None:
        super().draw(renderer)
        if not self.get_visible() or self.axes is None:
            return
        pixel = float(renderer.points_to_pixels(1.0))  # type: ignore[arg-type]
        paper = np.asarray(self.axes.bbox.get_points(), float)
        place = self.get_transform().transform
        colors = to_rgba_array(self.get_edgecolor())
        widths = np.atleast_1d(np.asarray(self.get_linewidth(), float))
        for number, segment in enumerate(self.get_segments()):
            points = np.asarray(place(segment), float)
            strokes = _view.hatching(
                points[:-1],
                points[1:],
                paper,
                spacing=HATCH * pixel,
                length=0.7 * HATCH * pixel,
                down=False,
            )
            if not len(strokes) or not len(colors):
                continue
            paint = renderer.new_gc()
            paint.set_foreground(tuple(colors[number % len(colors)]))
            paint.set_linewidth(0.5 * float(widths[number % len(widths)]) * pixel)
            paint.set_clip_rectangle(self.axes.bbox)
            codes = np.tile([Path.MOVETO, Path.LINETO], len(strokes))
            renderer.draw_path(paint, Path(strokes.reshape(-1, 2), codes), IdentityTransform())
            paint.restore()


def diagonal(view: View) -> float:
    """Length across what is shown, metres."""
    return float(np.hypot(view[2] - view[0], view[3] - view[1]))


def limits(moving: Array, fixed: Array) -> View:
    """What is worth seeing, with a margin."""
    box = _view.choose(moving, fixed, context=0.5)
    if box is None:
        return -1.0, -1.0, 1.0, 1.0
    seen = moving[_view.finite(moving)]
    inner = _view.near(seen) if len(seen) else box[None]
    pad = 0.04 * max(float((inner[:, 1].max(axis=0) - inner[:, 0].min(axis=0)).max()), 1e-3)
    (x0, y0), (x1, y1) = (box + np.array([[-pad], [pad]])).tolist()
    return x0, y0, x1, y1


def settle(ax: Axes, taken: Array, title: str = "") -> None:
    """Finish a picture whose limits are automatic: a margin, a legend that hides nothing, a title.

    ``taken`` are the points (n, 2) that the legend must not hide. Limits stay automatic.
    """
    metres(ax)
    free = bool(ax.get_autoscalex_on() and ax.get_autoscaley_on())
    box = ax.dataLim
    if free and np.isfinite(box.get_points()).all():
        pad = 0.05 * max(box.width, box.height, 1e-12)
        ax.set_xlim(box.x0 - pad, box.x1 + pad, auto=None)
        ax.set_ylim(box.y0 - pad, box.y1 + pad, auto=None)
    legend(ax, taken, headroom=free)
    if title and not ax.get_title():
        ax.set_title(title, fontsize="medium")


# ------------------------------------------------------------------------------------------ pieces
def of_all(count: int) -> str:
    """What follows a number that counts from 0, as arrays do: which numbers there are."""
    return f" of 0…{count - 1}" if count > 1 else ""


def nice(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is at most this."""
    if not (np.isfinite(value) and value > 0):
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * max(m for m in (1, 2, 5) if m * power <= value * (1 + 1e-12) or m == 1))


def arrows(
    ax: Axes, roots: Array, vectors: Array, color: Any, *, width: float = 1.2, **style: Any
) -> Quiver:
    """Arrows in the units of the axes, with shafts ``width`` points wide, as one collection."""
    style = {"zorder": Z_ARROWS, **style}
    result = Quiver(
        ax,
        *roots.T,
        *vectors.T,
        color=color,
        angles="xy",
        scale_units="xy",
        scale=1,
        units="inches",
        width=width / 72,
        headwidth=4,
        headlength=5,
        headaxislength=4.5,
        minlength=0,
        **style,
    )
    ax.add_collection(result, autolim=False)
    return result


def corners_of(boxes: Array) -> Array:
    """Corners of boxes (n, 2, 2), counter-clockwise, (n, 4, 2)."""
    x, y = boxes[..., 0], boxes[..., 1]
    return np.stack([x[:, [0, 1, 1, 0]], y[:, [0, 0, 1, 1]]], axis=-1)


def boxes_artist(boxes: Array, **style: Any) -> PolyCollection:
    """Outlines of boxes (n, 2, 2)."""
    corners: Any = corners_of(boxes)
    return PolyCollection(corners, **{"facecolors": "none", "zorder": Z_BOXES, **style})


def rim(ax: Axes) -> list[Any]:
    """A rim of the background around words, so that lines do not cross them."""
    return [patheffects.withStroke(linewidth=2.5, foreground=theme(ax).paper)]


def text(ax: Axes, at: Sequence[float] | Array, words: str, color: Any, **style: Any) -> Text:
    """Words in the picture."""
    style = {
        "ha": "center",
        "va": "center",
        "fontsize": "small",
        "zorder": Z_TEXT,
        "clip_on": True,
        "path_effects": rim(ax),
        **style,
    }
    return ax.text(float(at[0]), float(at[1]), words, color=color, **style)


def note(
    ax: Axes, point: Any, words: str, shift: tuple[float, float], color: Any, **style: Any
) -> None:
    """Words beside a point, so many points of type to the right and up."""
    style = {"fontsize": "small", "annotation_clip": True, **style}
    text = ax.annotate(
        words,
        (float(point[0]), float(point[1])),
        xytext=(float(shift[0]), float(shift[1])),
        textcoords="offset points",
        color=color,
        ha="center",
        va="center",
        zorder=Z_TEXT,
        **style,
    )
    text.set_path_effects(rim(ax))


def arrow_key(ax: Axes, color: Any, label: str) -> None:
    """An entry for arrows in the legend of the axes, as an artist that draws nothing."""
    ax.add_artist(
        Line2D(
            [], [], color=color, linestyle="", marker=r"$\rightarrow$", markersize=11, label=label
        )
    )


def along(rings: Array, count: int = 4) -> Array:
    """Points along the edges of rings (..., n, 2), ``count`` on each, for `legend`: (m, 2)."""
    step = np.roll(rings, -1, axis=-2) - rings
    shares = np.arange(0, 1, 1 / count)[:, None, None]
    return np.asarray(rings[..., None, :, :] + shares * step[..., None, :, :]).reshape(-1, 2)


def within(ring: Array) -> Array:
    """Points on the edges of a convex ring (n, 2) and in the area within, for `legend`: (m, 2)."""
    edges, middle = along(ring, 20), ring.mean(axis=0)
    return np.concatenate([middle + share * (edges - middle) for share in (1, 0.75, 0.5, 0.25, 0)])


def legend(ax: Axes, taken: ArrayLike, *, headroom: bool = False) -> Legend | None:
    """A legend of what has a label, where it hides little.

    In a corner without any of the points ``taken`` (n, 2); else, if the limits may be changed for
    ``headroom``, in a strip above all; else in the corner with the fewest.
    """
    known = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    if not known:
        return None
    view = shown(ax)
    width, height = view[2] - view[0], view[3] - view[1]
    space = ax.get_window_extent()
    unit = float(max(width / space.width, height / space.height))  # metres per pixel
    result = _put_legend(ax, known, "upper right", 1)
    size = unit * _legend_size(result)
    counts = _hidden(np.asarray(taken, float).reshape(-1, 2), view, size)
    place = min(counts, key=lambda corner: counts[corner])
    if not (counts[place] and headroom):
        return _put_legend(ax, known, place, 1)
    # As many columns as leave the picture largest, and then the lowest legend.
    chosen: tuple[float, float, float, int] | None = None
    for columns in range(1, len(known) + 1):
        box = _legend_size(_put_legend(ax, known, "upper center", columns))
        across, up = float(box[0]), 1.1 * float(box[1])
        if across > space.width or up > 0.8 * space.height:
            continue
        scale = max(width / space.width, height / (space.height - up))
        if chosen is None or (scale, up) < chosen[:2]:
            chosen = scale, up, across, columns
    if chosen is None:
        return _put_legend(ax, known, place, 1)
    unit, up, across, columns = chosen
    spare = max(0.0, unit * across - width) / 2  # for a picture narrower than its legend
    ax.set_xlim(view[0] - spare, view[2] + spare, auto=None)
    ax.set_ylim(view[1], view[3] + unit * up, auto=None)
    return _put_legend(ax, known, "upper center", columns)


def _put_legend(ax: Axes, known: dict[str, Any], place: Any, columns: int) -> Legend:
    result: Legend = ax.legend(
        list(known.values()),
        list(known),
        loc=place,
        ncols=columns,
        fontsize="small",
        framealpha=0.85,
        borderaxespad=0.4,
        handlelength=1.4,
        labelspacing=0.3,
        columnspacing=1.2,
    )
    result.set_zorder(Z_TEXT + 1)
    return result


def _legend_size(legend: Legend) -> Array:
    """Width and height of a legend with its distance from the edge, pixels."""
    box = legend.get_window_extent()
    return 1.03 * np.array([box.width, box.height]) + 4


def _hidden(points: Array, view: View, size: Array) -> dict[str, int]:
    """How many of the points a box of this size hides in each corner of the view."""
    x, y = points.T
    left, right = x < view[0] + size[0], x > view[2] - size[0]
    below, above = y < view[1] + size[1], y > view[3] - size[1]
    inside = (x >= view[0]) & (x <= view[2]) & (y >= view[1]) & (y <= view[3])
    return {
        "upper right": int((inside & above & right).sum()),
        "upper left": int((inside & above & left).sum()),
        "lower right": int((inside & below & right).sum()),
        "lower left": int((inside & below & left).sum()),
    }
