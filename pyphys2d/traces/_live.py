"""Traces whose shapes can be dragged: the picture is that of the trace of where they are."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from pyphys2d._core import Shape
    from pyphys2d._live import Message
    from pyphys2d.jupyter import TraceView
    from pyphys2d.traces._svg import Array, Item

# Colours of the canvas (web/renderer.js) for those of the pictures: numbers of hues, or names.
COLORS: dict[str, int | str] = {
    "a": 5,
    "b": 1,
    "accent": 3,
    "muted": "faint",
    "good": 2,
    "bad": "contact",
}
WIDTHS = {"a": 1.5, "b": 1.5, "accent": 3.0, "muted": 1.0, "good": 2.5, "bad": 2.5}  # pixels


class Live:
    """A trace that can be made anew for other poses of its shapes."""

    def live(self, height: int = 420) -> TraceView | Self:
        """A figure whose shapes can be dragged with the mouse, a finger, or by keyboard.

        The extra ``jupyter`` makes it alive; without it this is the trace itself, which a notebook
        shows as a still picture.

        Parameters
        ----------
        height : int
            Of the figure, pixels.
        """
        if find_spec("anywidget") is None:
            return self
        from pyphys2d.jupyter import TraceView

        return TraceView(self, height=height)

    # ------------------------------------------------------------------------ what each kind says
    def _bodies(self) -> list[tuple[str, Shape, Array]]:
        """What can be dragged: name, shape and pose (3,) each."""
        raise NotImplementedError

    def _moved(self, poses: list[Array]) -> Self:
        """The trace with these poses, in the order of `_bodies`."""
        raise NotImplementedError

    def _items(self) -> list[Item]:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        raise NotImplementedError

    def _shift(self) -> Array:
        """What the picture is moved by, (2,), where it stands in a space of its own."""
        return np.zeros(2)

    def _more_items(self) -> list[Item]:
        """What is drawn besides, in the world."""
        return []


def marks(trace: Live, shift: Array) -> list[Message]:
    """The picture of a trace as marks of the live view, but for the outlines of what is dragged."""
    from pyphys2d.traces._svg import outline

    bodies = [outline(shape, pose) for _, shape, pose in trace._bodies()]
    found: list[Message] = []
    for item in trace._items():
        if item[0] == "name" or (item[0] == "text" and item[2] in ("A", "B")):
            continue  # bodies have theirs
        if item[0] == "polygon" and any(np.array_equal(item[1], ring) for ring in bodies):
            continue
        found.append(_mark(item, shift))
    return found + [_mark(item, np.zeros(2)) for item in trace._more_items()]


def _mark(item: Item, shift: Array) -> Message:
    kind, *places, cls = item
    style: dict[str, Any] = {"color": COLORS[cls], "width": WIDTHS[cls]}
    if kind == "text":
        places, style["text"] = places[:1], places[1]
    if kind == "point":
        kind, style["width"] = "dot", 2.0
    points = np.asarray(places, float).reshape(-1, 2) + shift
    return {"kind": "area" if kind == "polygon" else kind, "points": points.tolist(), **style}
