"""Pictures of traces as small self-contained SVG, without Matplotlib.

Colours are from the palette of M. Okabe and K. Ito, *Color Universal Design* (2008), in those of
its tones that can be seen on a white and on a black page. Everything is styled by attributes: a
style sheet inside a notebook would be one for the whole page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pyphys2d._core import Capsule, Circle, Polygon, Segment, Shape, _rounded

if TYPE_CHECKING:
    import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[np.float64]"
# ("polygon", points (n, 2), cls) · ("line", p, q, cls) · ("arrow", p, q, cls) · ("point", p, cls) ·
# ("text", p, string, cls) · ("name", p, string, cls)
Item: TypeAlias = tuple[Any, ...]

COLORS = {
    "a": "#0072B2",
    "b": "#E69F00",
    "accent": "#CC79A7",
    "muted": "#7F7F7F",
    "good": "#009E73",
    "bad": "#D55E00",
}
LINE = {"a": 1.5, "b": 1.5, "accent": 2.5, "muted": 1.0, "good": 2.5, "bad": 2.5}  # pixels
FAR = 1e7  # pixels; what is further away is left out
LETTER = 6.6  # pixels, a letter's width, rather too much
ROW = 17.0  # pixels from line to line of a key
MARGIN = 14.0  # pixels around what is drawn
ARROW_HEAD = 9.0  # pixels
# Everything below blank but tab and line ends, and the code points that are no characters.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def outline(shape: Shape, pose: npt.ArrayLike = (0, 0, 0)) -> Array:
    """Outline of a convex shape at a pose, arcs as chords.

    Parameters
    ----------
    shape : Shape
        A circle, capsule, segment or convex polygon.
    pose : array_like, shape (3,)
        x, y (metres) and angle (radians).

    Returns
    -------
    ndarray, shape (n, 2)
        Counter-clockwise, world frame, metres; two points for a segment.
    """
    ring, radius = _core_of(shape)
    x, y, angle = np.asarray(pose, float)
    if radius > 0:
        ring = _rounded(ring, radius)
    cos, sin = np.cos(angle), np.sin(angle)
    return np.asarray(ring @ np.array([[cos, sin], [-sin, cos]]) + (x, y))


def _core_of(shape: Shape) -> tuple[Array, float]:
    if isinstance(shape, Circle):
        return shape.center[None], shape.radius
    if isinstance(shape, Capsule):
        return np.stack([shape.p, shape.q]), shape.radius
    if isinstance(shape, Segment):
        return np.stack([shape.p, shape.q]), 0.0
    if isinstance(shape, Polygon) and shape.is_convex:
        return shape.vertices, shape.radius
    raise ValueError(f"shape: must be convex, got {shape!r}")


def names(a: Array, b: Array, avoid: Array | None = None) -> list[Item]:
    """A and B for two convex outlines (n, 2): in their middle, or where more is free.

    That is, far from each other, from the other outline and from the points ``avoid`` (m, 2).
    """
    busy = np.empty((0, 2)) if avoid is None else avoid
    items: list[Item] = []
    for cls, ring, other in (("a", a, b), ("b", b, a)):
        kind = "name" if len(ring) > 2 else "text"  # on a segment it could not be read
        middle = ring.mean(axis=0)
        places = np.concatenate([middle[None], middle + 0.5 * (ring - middle)])
        steps = np.linspace(0, 1, 8)[:, None, None]
        rim = (other + steps * (np.roll(other, -1, axis=0) - other)).reshape(-1, 2)
        away = places[:, None] - np.concatenate([rim, busy])
        gaps = np.hypot(away[..., 0], away[..., 1]).min(axis=1)
        free = gaps[0] >= 0.15 * np.ptp(ring, axis=0).max()
        place = places[0 if free else int(gaps.argmax())]
        items.append((kind, place, cls.upper(), cls))
        busy = np.append(busy, place[None], axis=0)
    return items


class _Page:
    """From metres, y up, to pixels, y down."""

    def __init__(self, view: Array, width: float) -> None:
        self.center = 0.5 * view[0] + 0.5 * view[1]
        half = 0.5 * view[1] - 0.5 * view[0]
        size = float(half.max())
        if not size > 0:  # a single point
            size = max(0.5, 1e-6 * float(np.abs(self.center).max()))
        half = np.maximum(half, 0.25 * size)  # neither a strip nor a tower
        self.scale = min((0.5 * width - MARGIN) / float(half[0]), 0.5 * width / float(half[1]))
        self.width = width
        self.height = round(2 * (self.scale * float(half[1]) + MARGIN), 2)

    def place(self, points: Array) -> Array:
        with np.errstate(over="ignore"):
            offset = (points - self.center) * self.scale
        return np.asarray(offset * (1, -1) + (0.5 * self.width, 0.5 * self.height))


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _pairs(points: Array) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _polygon(points: Array, cls: str) -> str:
    color, width = COLORS[cls], LINE[cls]
    if len(points) < 3:
        return _line(points[0], points[-1], cls)
    return (
        f'<polygon points="{_pairs(points)}" fill="{color}" fill-opacity="0.25" stroke="{color}" '
        f'stroke-width="{width}"/>'
    )


def _line(p: Array, q: Array, cls: str) -> str:
    dashes = ' stroke-dasharray="4 3"' if cls == "muted" else ""
    (x1, y1), (x2, y2) = p, q
    return (
        f'<line x1="{_number(x1)}" y1="{_number(y1)}" x2="{_number(x2)}" y2="{_number(y2)}" '
        f'stroke="{COLORS[cls]}" stroke-width="{LINE[cls]}"{dashes}/>'
    )


def _arrow(p: Array, q: Array, cls: str) -> str:
    length = float(np.hypot(*(q - p)))
    if length < 0.5:
        return _point(q, cls)
    along = (q - p) / length
    head = min(ARROW_HEAD, length)
    base = q - head * along
    side = 0.4 * head * np.array([-along[1], along[0]])
    shaft = f'<polyline points="{_pairs(np.stack([p, base]))}" stroke="{COLORS[cls]}"'
    return (
        f'{shaft} stroke-width="{max(LINE[cls], 1.5)}"/>'
        f'<polygon points="{_pairs(np.stack([q, base + side, base - side]))}" '
        f'fill="{COLORS[cls]}"/>'
    )


def _point(p: Array, cls: str) -> str:
    x, y = p
    radius = 2.5 if cls == "muted" else 3.5
    return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{radius}" fill="{COLORS[cls]}"/>'


def _text(p: Array, string: str, cls: str, page: _Page) -> str:
    right = p[0] > 0.6 * page.width
    x = p[0] + (-7 if right else 7)
    y = float(np.clip(p[1] - 6, 12, page.height - 4))
    inside = escape(NOT_XML.sub("\ufffd", str(string)))
    return (
        f'<text x="{_number(x)}" y="{_number(y)}" fill="{COLORS[cls]}" stroke="none" '
        f'text-anchor="{"end" if right else "start"}">{inside}</text>'
    )


def _name(p: Array, string: str, cls: str) -> str:
    x, y = p
    return (
        f'<text x="{_number(x)}" y="{_number(y + 4)}" fill="{COLORS[cls]}" stroke="none" '
        f'text-anchor="middle" font-weight="bold">{escape(NOT_XML.sub(chr(0xFFFD), str(string)))}'
        "</text>"
    )


def _key(entries: Sequence[tuple[str, str]], width: float, top: float) -> tuple[str, float]:
    """A dot and words of each colour, in lines below ``top``, and where the last line ends."""
    parts = []
    x, y = MARGIN, top + ROW
    for cls, words in entries:
        if cls not in COLORS:
            raise ValueError(f"key: no class {cls!r}")
        room = 15 + LETTER * len(words)
        if x > MARGIN and x + room > width:
            x, y = MARGIN, y + ROW
        parts.append(
            f'<circle cx="{_number(x + 5)}" cy="{_number(y - 4)}" r="5" fill="{COLORS[cls]}"/>'
            f'<text x="{_number(x + 15)}" y="{_number(y)}" fill="{COLORS[cls]}" stroke="none">'
            f"{escape(NOT_XML.sub(chr(0xFFFD), words))}</text>"
        )
        x += room + 12
    return f'<g class="key">{"".join(parts)}</g>', round(y + 5, 2)


def _points_of(item: Item) -> Array:
    """All points that an item names, (n, 2)."""
    kind = item[0]
    if kind not in ("polygon", "line", "arrow", "point", "text", "name"):
        raise ValueError(f"items: no kind {kind!r}")
    if item[-1] not in COLORS:
        raise ValueError(f"items: no class {item[-1]!r}")
    points = item[1] if kind == "polygon" else item[1:3] if kind in ("line", "arrow") else item[1]
    return np.asarray(points, float).reshape(-1, 2)


def picture(
    items: Iterable[Item],
    view: Sequence[float] | None = None,
    width: float = 360,
    *,
    key: Sequence[tuple[str, str]] = (),
) -> str:
    """Draw items as one SVG element.

    Parameters
    ----------
    items : iterable of tuple
        ``("polygon", points, cls)``, ``("line", p, q, cls)``, ``("arrow", p, q, cls)``,
        ``("point", p, cls)``, ``("text", p, string, cls)`` beside p, ``("name", p, string, cls)``
        on it, drawn in this order. Points in metres, y up; `cls` is a key of `COLORS`. Items with a
        number that is not finite, or absurdly far from the view, are left out.
    view : (x_min, y_min, x_max, y_max), optional
        What must be seen, metres; by default all that is drawn.
    width : float
        Of the picture, pixels; its height follows.
    key : sequence of (cls, words)
        What colours mean, written below.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        For an unknown kind of item or class.

    Examples
    --------
    >>> picture([("line", (0, 0), (1, 1), "a")])[:4]
    '<svg'
    """
    drawn = [
        (item, points)
        for item in items
        if len(points := _points_of(item)) and np.isfinite(points).all()
    ]
    if view is not None:
        box = np.asarray(view, float).reshape(2, 2)
    elif drawn:
        every = np.concatenate([points for _, points in drawn])
        box = np.stack([every.min(axis=0), every.max(axis=0)])
    else:
        box = np.array([(0.0, 0.0), (1.0, 1.0)])
    page = _Page(box, width)
    words, height = _key(key, width, page.height) if len(key) else ("", page.height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_number(width)}" '
        f'height="{_number(height)}" viewBox="0 0 {_number(width)} {_number(height)}" '
        'font-family="sans-serif" font-size="12">'
        '<g fill="none" stroke-linejoin="round" stroke-linecap="round">'
    ]
    for item, points in drawn:
        placed, kind, cls = page.place(points), item[0], item[-1]
        if np.abs(placed).max() > FAR:
            continue
        if kind == "polygon":
            parts.append(_polygon(placed, cls))
        elif kind == "line":
            parts.append(_line(placed[0], placed[1], cls))
        elif kind == "arrow":
            parts.append(_arrow(placed[0], placed[1], cls))
        elif kind == "point":
            parts.append(_point(placed[0], cls))
        elif kind == "name":
            parts.append(_name(placed[0], item[2], cls))
        else:
            parts.append(_text(placed[0], item[2], cls, page))
    parts += [words, "</g></svg>"]
    return "".join(parts)


def with_caption(svg: str, caption: str) -> str:
    """A picture with a line of text below, as HTML."""
    return f"<div>{svg}<div>{escape(NOT_XML.sub(chr(0xFFFD), caption))}</div></div>"
