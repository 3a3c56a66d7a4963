"""Draws single shapes and polygons, with what lessons point at: numbers, normals, centroids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_rgba
from matplotlib.path import Path
from numpy.typing import ArrayLike, NDArray

from pyphys2d import Chain, Polygon, Segment, Shape, geometry
from pyphys2d.plot import _arguments, _style
from pyphys2d.plot._outline import Outline, at_pose, outline, placed

Array = NDArray[np.float64]


def shape(
    shape: Shape,
    pose: ArrayLike = (0, 0, 0),
    ax: Axes | None = None,
    *,
    color: Any = None,
    label: str | None = None,
    vertices: bool = False,
    normals: bool = False,
    centroid: bool = False,
    parts: bool = False,
    linewidth: float = 1.3,
) -> Axes:
    """Draw a shape at one pose or at many.

    Parameters
    ----------
    shape : Shape
    pose : array_like, shape (3,) or (n, 3)
        Where: x, y (metres), angle (radians).
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    color : color, optional
        Colour of the outline; the area within is paler.
    label : str, optional
        Written on the shape.
    vertices : bool
        Number the vertices of a polygon, a chain or a segment.
    normals : bool
        Draw the outward normals of a polygon's edges, all equally long; those of a chain point to
        its free side.
    centroid : bool
        Mark the centroid.
    parts : bool
        Draw the convex parts that a polygon consists of.
    linewidth : float
        Points.

    Returns
    -------
    Axes
        Equal aspect, metres on both axes.

    Raises
    ------
    TypeError
        If it is no shape.
    ValueError
        If the poses are of another shape or not finite.

    Examples
    --------
    >>> import numpy as np
    >>> import pyphys2d as p2
    >>> axes = p2.plot.shape(p2.Capsule((0, 0), (2, 0), 0.5), (0, 1, np.pi / 6), label="capsule")
    """
    if not isinstance(shape, Shape):
        raise TypeError(f"shape: must be a Shape, got {type(shape).__name__}")
    poses = _arguments.numbers("pose", pose)
    if poses.ndim not in (1, 2) or poses.shape[-1] != 3:
        raise ValueError(f"pose: must be of shape (3,) or (n, 3), got {poses.shape}")
    _arguments.finite("pose", poses)
    ax = _style.target(ax)
    _style.metres(ax)
    ink = _ink(ax, color)
    poses = poses.reshape(-1, 3)
    draw_outline(ax, outline(shape), poses, ink, linewidth=linewidth)
    rings = [shape.vertices, *shape.holes] if isinstance(shape, Polygon) else []
    pieces = shape.parts if parts and isinstance(shape, Polygon) else ()
    for each in poses:
        if len(pieces) > 1:
            _draw_parts(ax, [at_pose(piece, each) for piece in pieces], ink)
        _annotate(ax, [at_pose(ring, each) for ring in rings], ink, vertices, normals)
        if isinstance(shape, Chain | Segment):
            line = at_pose(outline(shape).rings[0], each)
            _annotate_line(ax, line, ink, vertices, normals and isinstance(shape, Chain))
        _mark_middle(ax, at_pose(shape.centroid[None], each)[0], ink, label, centroid)
    return ax


def polygon(
    vertices: ArrayLike,
    ax: Axes | None = None,
    *,
    holes: Sequence[ArrayLike] = (),
    color: Any = None,
    label: str | None = None,
    numbers: bool = False,
    normals: bool = False,
    centroid: bool = False,
    fill: bool = True,
    linewidth: float = 1.3,
) -> Axes:
    """Draw a polygon given by its vertices; it need not be a sound one.

    Parameters
    ----------
    vertices : array_like, shape (n, 2)
        Metres, in either winding.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    holes : sequence of array_like, shape (m, 2)
    color : color, optional
        Colour of the outline; the area within is paler.
    label : str, optional
        Written on the polygon.
    numbers : bool
        Number the vertices.
    normals : bool
        Draw the outward normals of the edges, all equally long.
    centroid : bool
        Mark the centroid of the area.
    fill : bool
        Colour the area.
    linewidth : float
        Points.

    Returns
    -------
    Axes
        Equal aspect, metres on both axes.

    Raises
    ------
    ValueError
        If the vertices are not finite or not of shape (n, 2).

    Examples
    --------
    >>> import pyphys2d as p2
    >>> house = [(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)]
    >>> axes = p2.plot.polygon(house, numbers=True, centroid=True)
    """
    rings = [_ring("vertices", vertices)]
    if not isinstance(holes, Iterable):
        raise TypeError(f"holes: must be a sequence of vertices, got {type(holes).__name__}")
    rings += [_ring(f"holes[{k}]", hole) for k, hole in enumerate(holes)]
    ax = _style.target(ax)
    _style.metres(ax)
    ink = _ink(ax, color)
    if not fill:
        ink = _style.Ink(ink.line, "none")
    draw_outline(ax, Outline(rings, area=True), np.zeros(3), ink, linewidth=linewidth)
    _annotate(ax, rings, ink, numbers, normals)
    if label is not None or centroid:
        _mark_middle(ax, _centroid(rings), ink, label, centroid)
    return ax


def _ring(name: str, vertices: ArrayLike) -> Array:
    ring = _arguments.numbers(name, vertices)
    if ring.ndim != 2 or ring.shape[1] != 2 or not len(ring):
        raise ValueError(f"{name}: must be of shape (n, 2) with n > 0, got {ring.shape}")
    _arguments.finite(name, ring)
    return ring


def _centroid(rings: list[Array]) -> Array:
    """Of the area within the first ring and outside the others; the mean where there is none."""
    areas = np.array([abs(geometry.signed_area(ring)) if len(ring) > 2 else 0.0 for ring in rings])
    areas[1:] *= -1
    if areas[0] == 0 or areas.sum() <= 0:
        return np.asarray(rings[0].mean(axis=0))
    centers = np.array([
        geometry.centroid(ring) if area else ring[0]
        for ring, area in zip(rings, areas, strict=True)
    ])  # fmt: skip
    return np.asarray(areas @ centers / areas.sum())


def _ink(ax: Axes, color: Any) -> _style.Ink:
    if color is None:
        return _style.theme(ax).a
    return _style.Ink(color, to_rgba(color, 0.2))


def draw_outline(
    ax: Axes,
    what: Outline,
    poses: Array,
    ink: _style.Ink,
    *,
    linewidth: float = 1.3,
    linestyle: str = "-",
    alpha: float = 1.0,
    zorder: float = 1.5,
) -> Array:
    """An outline at poses (3,) or (m, 3), as one collection; its vertices (n, 2), world frame."""
    poses = poses.reshape(-1, 3)
    rings = [placed(ring, poses[:, :2], poses[:, 2]) for ring in what.rings]
    style: dict[str, Any] = {
        "linewidths": linewidth,
        "linestyles": linestyle,
        "edgecolors": to_rgba(ink.line, alpha),
        "zorder": zorder,
    }
    if what.area:
        paths = [
            Path.make_compound_path(*(_closed(ring) for ring in one))
            for one in zip(*rings, strict=True)
        ]
        fill = ink.fill
        if fill != "none":
            fill = to_rgba(fill, alpha * to_rgba(fill)[3])
        ax.add_collection(PathCollection(paths, facecolors=fill, **style), autolim=False)
    else:
        style["linewidths"] = 1.4 * linewidth
        lines: Any = rings[0]
        make = _style.HatchedLines if what.one_sided else LineCollection
        ax.add_collection(make(lines, capstyle="round", **style), autolim=False)
    points = np.concatenate([ring.reshape(-1, 2) for ring in rings])
    _style.include(ax, points)
    return points


def _closed(ring: Array) -> Path:
    return Path(np.append(ring, ring[:1], axis=0), closed=True)


def draw_shape(
    ax: Axes, shape: Shape, pose: ArrayLike, ink: _style.Ink, label: str = "", **style: Any
) -> Array:
    """A shape at a pose, with its name on it; the points (n, 2) of its outline, world frame."""
    where = np.asarray(pose, float)
    points = draw_outline(ax, outline(shape), where, ink, **style)
    if label:
        name_shape(ax, shape, where, label, ink)
    return points


def name_shape(
    ax: Axes, shape: Shape, pose: Array, label: str, ink: _style.Ink, avoid: Array | None = None
) -> Array:
    """Write a name at the centroid of a convex shape, or where it is far from the points ``avoid``.

    Those are (n, 2), as what is returned (2,) where the name is: metres, world frame.
    """
    where = np.asarray(pose, float)
    middle = at_pose(np.asarray(shape.centroid)[None], where)[0]
    if avoid is not None and len(avoid):
        rim = _style.along(at_pose(outline(shape).rings[0], where))
        places = np.concatenate([middle[None], middle + 0.5 * (rim - middle)])
        gaps = np.hypot(*(places[:, None] - avoid).transpose(2, 0, 1)).min(axis=1)
        enough = 0.12 * float(np.ptp(rim, axis=0).max())
        middle = places[0 if gaps[0] >= enough else int(gaps.argmax())]
    _style.text(ax, middle, label, ink.line, fontweight="bold", fontsize="medium")
    return np.asarray(middle)


def _draw_parts(ax: Axes, parts: list[Array], ink: _style.Ink) -> None:
    ax.add_collection(
        PathCollection(
            [_closed(part) for part in parts],
            facecolors="none",
            edgecolors=ink.line,
            linewidths=0.8,
            linestyles=":",
            zorder=1.6,
            gid="parts",
        ),
        autolim=False,
    )


def _annotate(ax: Axes, rings: list[Array], ink: _style.Ink, numbers: bool, normals: bool) -> None:
    if not (numbers or normals):
        return
    length = 0.12 * float(np.ptp(rings[0], axis=0).max()) if rings else 0.0
    for k, ring in enumerate(rings):
        middles, directions = edge_normals(ring, hole=k > 0)
        if normals:
            _style.arrows(ax, middles, length * directions, _style.theme(ax).bad, gid="normals")
            _style.include(ax, middles + 1.2 * length * directions)
        if numbers:
            number_points(ax, ring, np.roll(directions, 1, axis=0) + directions, ink.line)


def _annotate_line(ax: Axes, line: Array, ink: _style.Ink, numbers: bool, normals: bool) -> None:
    """Numbers and free side of a chain (n, 2), which repeats its first point if it is a loop."""
    edges = np.diff(line, axis=0)
    units = edges / np.hypot(edges[:, 0], edges[:, 1])[:, None]
    left = np.column_stack([-units[:, 1], units[:, 0]])
    if normals:
        length = 0.12 * float(np.ptp(line, axis=0).max())
        middles = (line[1:] + line[:-1]) / 2
        _style.arrows(ax, middles, length * left, _style.theme(ax).bad, gid="normals")
        _style.include(ax, middles + 1.2 * length * left)
    if not numbers:
        return
    if np.array_equal(line[0], line[-1]):
        number_points(ax, line[:-1], -(left + np.roll(left, 1, axis=0)), ink.line)
        return
    # On the side that is not free; at the ends beyond them.
    inner = -(left[1:] + left[:-1])
    number_points(ax, line, np.concatenate([-units[:1], inner, units[-1:]]), ink.line)


def number_points(ax: Axes, points: Array, away: Array, color: Any) -> None:
    """Mark points (n, 2) and write their numbers beside them, in the directions ``away``."""
    away = away / np.maximum(np.hypot(away[:, 0], away[:, 1]), 1e-12)[:, None]
    ax.plot(
        *points.T,
        "o",
        color=color,
        markersize=3.5,
        zorder=_style.Z_MARKS,
        scalex=False,
        scaley=False,
        gid="numbered points",
    )
    for number, (point, shift) in enumerate(zip(points, away, strict=True)):
        _style.note(ax, point, str(number), tuple(9 * shift), _style.theme(ax).text)
    _style.include(ax, points + 0.06 * float(np.ptp(points, axis=0).max()) * away)


def edge_normals(ring: Array, *, hole: bool = False) -> tuple[Array, Array]:
    """Middles of the edges and unit normals away from the area, (n, 2) each."""
    ahead = np.roll(ring, -1, axis=0)
    edges = ahead - ring
    lengths = np.hypot(edges[:, 0], edges[:, 1])
    clockwise = len(ring) > 2 and geometry.signed_area(ring) < 0
    sign = -1.0 if clockwise != hole else 1.0
    normals = sign * np.column_stack([edges[:, 1], -edges[:, 0]])
    return (ring + ahead) / 2, normals / np.where(lengths > 0, lengths, 1)[:, None]


def _mark_middle(
    ax: Axes, middle: Array, ink: _style.Ink, label: str | None, centroid: bool
) -> None:
    if centroid:
        ax.plot(
            *middle,
            marker="o",
            markersize=5,
            markerfacecolor=_style.theme(ax).paper,
            markeredgecolor=ink.line,
            markeredgewidth=1.5,
            linestyle="",
            zorder=_style.Z_MARKS,
            gid="centroid",
        )
    if label is not None:
        shift = (0.0, 11.0 if centroid else 0.0)
        _style.note(ax, middle, label, shift, ink.line, fontweight="bold", fontsize="medium")
