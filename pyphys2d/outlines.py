"""Outlines of lines, arcs and rounded corners, as points of shapes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pyphys2d._arguments import number, pair, shown
from pyphys2d._core import Chain, Polygon

__all__ = ["Path"]

_Point = tuple[float, float]
_NEAR = 1e-12  # of two points that are one, in parts of their size
_MOST = 2**20  # points


@dataclass(frozen=True, slots=True)
class _Arc:
    center: _Point
    angle: float  # radians, counter-clockwise


class Path:
    """A pen that draws an outline of lines and arcs: a shape's, within a tolerance.

    Each method draws on from where the pen is and returns the path, so that calls can be chained.

    Parameters
    ----------
    start : array_like, shape (2,)
        Where the pen begins, metres.

    Examples
    --------
    >>> import math
    >>> from pyphys2d.geometry import Path
    >>> slot = (
    ...     Path((-1, -0.5)).line_to((1, -0.5)).arc((1, 0), math.pi)
    ...     .line_to((-1, 0.5)).arc((-1, 0), math.pi).close()
    ... )
    >>> abs(slot.polygon(1e-3).area - (2 + math.pi / 4)) < 1e-2
    True
    >>> card = Path.from_points([(0, 0), (3, 0), (3, 2), (0, 2)], fillet=0.2)
    >>> abs(card.polygon(1e-4).area - (6 - (4 - math.pi) * 0.2**2)) < 1e-3
    True
    """

    __slots__ = ("_closed", "_edges", "_fillets", "_points")

    def __init__(self, start: npt.ArrayLike) -> None:
        self._points: list[_Point] = [pair(start, "start")]
        self._fillets: list[float] = [0.0]  # of the corner at each point
        self._edges: list[_Arc | None] = []  # from each point to the next; None: a line
        self._closed = False

    @classmethod
    def from_points(
        cls, points: npt.ArrayLike, *, fillet: float = 0.0, closed: bool = True
    ) -> Self:
        """Lines from point to point, all corners rounded with one radius.

        Parameters
        ----------
        points : array_like, shape (n, 2)
            Metres.
        fillet : float
            Radius of the corners, metres; 0: they are sharp. Ends of an open path have none.
        closed : bool
            Whether a line leads from the last point back to the first.

        Raises
        ------
        ValueError
            For fewer than two points, or a corner that is too tight for the radius.
        """
        places = [pair(place, f"points[{k}]") for k, place in enumerate(np.asarray(points))]
        if len(places) < 2:
            raise ValueError(f"points: must have shape (n, 2) with n >= 2, got {len(places)}")
        radius = number(fillet, "fillet", least=0)
        path = cls(places[0])
        for place in places[1:]:
            path.line_to(place).fillet(radius)
        if closed:
            path.close(fillet=radius)
        else:
            path._fillets[-1] = 0.0
        return path

    # ------------------------------------------------------------------------------------- drawing
    def line_to(self, point: npt.ArrayLike) -> Self:
        """Draw a line to a point, shape (2,), metres."""
        place = pair(point, "point")
        self._open()
        if _same(place, self._points[-1]):
            raise ValueError(f"point: the path is at {place} already")
        return self._add(place, None)

    def arc(self, center: npt.ArrayLike, angle: float) -> Self:
        """Draw an arc around a centre.

        Parameters
        ----------
        center : array_like, shape (2,)
            Metres; the pen's distance from it is the radius.
        angle : float
            Radians to go, positive counter-clockwise, at most a whole turn.
        """
        middle, turn = pair(center, "center"), number(angle, "angle")
        self._open()
        x, y = self._points[-1]
        if _same(middle, (x, y)):
            raise ValueError(f"center: must be away from the path's end, {(x, y)}")
        if not 0 < abs(turn) <= math.tau * (1 + 1e-12):
            raise ValueError(f"angle: must be between -2 pi and 2 pi, and not 0, got {turn}")
        dx, dy, c, s = x - middle[0], y - middle[1], math.cos(turn), math.sin(turn)
        end = (middle[0] + c * dx - s * dy, middle[1] + s * dx + c * dy)
        return self._add(end, _Arc(middle, turn))

    def arc_to(self, point: npt.ArrayLike, through: npt.ArrayLike) -> Self:
        """Draw the arc that passes through one point and ends at another.

        Parameters
        ----------
        point, through : array_like, shape (2,)
            Metres.

        Raises
        ------
        ValueError
            For points on one line with the pen, through which no arc goes.
        """
        end, middle = pair(point, "point"), pair(through, "through")
        self._open()
        x, y = self._points[-1]
        ax, ay, bx, by = middle[0] - x, middle[1] - y, end[0] - x, end[1] - y
        cross = ax * by - ay * bx
        size = math.hypot(ax, ay) * math.hypot(bx, by)
        if not abs(cross) > 1e-9 * size:
            raise ValueError(
                f"through: must be off the line from {(x, y)} to {end}, got {middle}; line_to() "
                "draws lines"
            )
        a2, b2 = ax * ax + ay * ay, bx * bx + by * by
        cx, cy = (by * a2 - ay * b2) / (2 * cross), (ax * b2 - bx * a2) / (2 * cross)
        begin = math.atan2(-cy, -cx)
        turn = math.atan2(by - cy, bx - cx) - begin
        # The one of the two arcs that passes through the point: counter-clockwise where the three
        # points are.
        turn = turn % math.tau if cross > 0 else -(-turn % math.tau)
        return self._add(end, _Arc((x + cx, y + cy), turn))

    def fillet(self, radius: float) -> Self:
        """Round the corner where the pen is, between the line before and the one to come.

        Parameters
        ----------
        radius : float
            Of the arc that touches both lines, metres, >= 0.
        """
        self._open()
        self._fillets[-1] = number(radius, "radius", least=0)
        return self

    def close(self, *, fillet: float = 0.0) -> Self:
        """End the path with a line to where it began, if it is not there.

        Parameters
        ----------
        fillet : float
            Radius of the corner at the start, metres.
        """
        radius = number(fillet, "fillet", least=0)
        self._open()
        if len(self._edges) == 0:
            raise ValueError("close(): the path has drawn nothing yet")
        if _same(self._points[-1], self._points[0]):
            radius = max(radius, self._fillets[-1])
            self._points.pop()
            self._fillets.pop()
        else:
            self._edges.append(None)
        self._fillets[0] = radius
        self._closed = True
        return self

    # ------------------------------------------------------------------------------------- results
    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    def points(self, tolerance: float) -> npt.NDArray[np.float64]:
        """Points along the path, joined by lines that are nowhere farther from it than a tolerance.

        Parameters
        ----------
        tolerance : float
            Metres, > 0. Points lie on the path, so the chords of an arc lie inside of it.

        Returns
        -------
        ndarray, shape (n, 2)
            Of a closed path without its first point at the end.

        Raises
        ------
        ValueError
            For a path without a line or arc, a fillet that has no room, or that stands between what
            are not two lines, and a tolerance so small that there would be over a million points.
        """
        limit = number(tolerance, "tolerance", above=0)
        count = len(self._points)
        if not self._edges:
            raise ValueError("points(): the path has drawn nothing yet")
        cuts = [self._cut(k) for k in range(count)]
        result: list[_Point] = []
        for k, edge in enumerate(self._edges):
            following = (k + 1) % count
            self._check_room(k, following, cuts)
            if k == 0 or edge is not None or cuts[k]:
                self._begin(result, k, cuts[k], limit)
            else:
                result.append(self._points[k])
            if edge is not None:
                result += _walk(self._points[k], edge, limit, len(result))
        if not self._closed:
            result.append(self._points[-1])
        return np.array(result)

    def polygon(self, tolerance: float, **options: Any) -> Polygon:
        """The inside of the path, closed by a line where it is open; see `points`.

        ``options`` go to `Polygon`.
        """
        return Polygon(self.points(tolerance), **options)

    def chain(self, tolerance: float) -> Chain:
        """The path as a `Chain`, a loop if it is closed; see `points`."""
        return Chain(self.points(tolerance), loop=self._closed)

    def __repr__(self) -> str:
        kind = "closed" if self._closed else "open"
        x, y = self._points[0]
        lines = sum(edge is None for edge in self._edges)
        arcs = len(self._edges) - lines
        return f"<Path from ({x:g}, {y:g}), {kind}, {lines} lines, {arcs} arcs>"

    # ------------------------------------------------------------------------------------- private
    def _open(self) -> None:
        if self._closed:
            raise ValueError("the path is closed; begin another one")

    def _add(self, point: _Point, edge: _Arc | None) -> Self:
        self._points.append(point)
        self._fillets.append(0.0)
        self._edges.append(edge)
        return self

    def _cut(self, k: int) -> tuple[float, _Point, _Arc] | None:
        """Of a rounded corner: the length that it takes of both lines, and its arc."""
        radius, count = self._fillets[k], len(self._points)
        inner = self._closed or 0 < k < count - 1
        if radius == 0 or not inner:
            return None
        if self._edges[k - 1] is not None or self._edges[k] is not None:
            raise ValueError(f"fillet of {self._points[k]}: must be between two lines")
        (x, y), before, after = self._points[k], self._points[k - 1], self._points[(k + 1) % count]
        u, v = _unit(before[0] - x, before[1] - y), _unit(after[0] - x, after[1] - y)
        turn = math.atan2(u[1] * v[0] - u[0] * v[1], -(u[0] * v[0] + u[1] * v[1]))
        if turn == 0:
            return None
        if abs(turn) > math.pi - 1e-6:
            raise ValueError(f"fillet of {(x, y)}: the path turns back there")
        length = radius * math.tan(abs(turn) / 2)
        begin = (x + length * u[0], y + length * u[1])
        side = math.copysign(radius, turn)  # to the left of the walk where it turns left
        center = (begin[0] + side * u[1], begin[1] - side * u[0])
        return length, begin, _Arc(center, turn)

    def _check_room(
        self, k: int, following: int, cuts: list[tuple[float, _Point, _Arc] | None]
    ) -> None:
        taken = sum(cut[0] for cut in (cuts[k], cuts[following]) if cut)
        (x, y), end = self._points[k], self._points[following]
        length = math.hypot(end[0] - x, end[1] - y)
        if taken > length * (1 + 1e-9):
            raise ValueError(
                f"fillets of {(x, y)} and {end}: take {taken:g} m of the line between them, which "
                f"is {length:g} m long; make the radius smaller"
            )

    def _begin(
        self, result: list[_Point], k: int, cut: tuple[float, _Point, _Arc] | None, limit: float
    ) -> None:
        if cut is None:
            result.append(self._points[k])
            return
        _, begin, arc = cut
        result.append(begin)
        result += _walk(begin, arc, limit, len(result))
        dx, dy, c, s = (
            begin[0] - arc.center[0],
            begin[1] - arc.center[1],
            math.cos(arc.angle),
            math.sin(arc.angle),
        )
        end = (arc.center[0] + c * dx - s * dy, arc.center[1] + s * dx + c * dy)
        result.append(end)


def _same(a: _Point, b: _Point) -> bool:
    size = max(*map(abs, a), *map(abs, b))
    return math.hypot(a[0] - b[0], a[1] - b[1]) <= _NEAR * size


def _unit(x: float, y: float) -> _Point:
    length = math.hypot(x, y)
    return x / length, y / length


def _walk(begin: _Point, arc: _Arc, limit: float, before: int) -> list[_Point]:
    """Points of an arc between its ends: chords are no farther from it than the limit."""
    dx, dy = begin[0] - arc.center[0], begin[1] - arc.center[1]
    radius = math.hypot(dx, dy)
    # Of a chord over the angle t: radius (1 - cos(t / 2)).
    widest = 4 * math.asin(math.sqrt(min(limit / (2 * radius), 0.25)))  # at most 2 pi / 3
    parts = max(1, math.ceil(abs(arc.angle) / widest * (1 - 1e-12)))
    if before + parts > _MOST:
        raise ValueError(f"tolerance: {shown(limit)} m would need more than {_MOST} points")
    turns = arc.angle / parts * np.arange(1, parts)
    c, s = np.cos(turns), np.sin(turns)
    rows = np.column_stack(
        [arc.center[0] + c * dx - s * dy, arc.center[1] + s * dx + c * dy]
    ).tolist()
    return [(x, y) for x, y in rows]
