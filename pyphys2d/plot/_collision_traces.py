"""Draws how two shapes are found to touch, and where: separating axes and clipping.

The separating-axis picture (intervals of both shapes side by side along the axis) and the clipping
one (side planes of the reference edge) show what S. Gottschalk, "Separating Axis Theorem" (1996),
and E. Catto, "Contact Manifolds" (2007), describe.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from numpy.typing import NDArray

from pyphys2d import Capsule, Polygon, Segment, Shape
from pyphys2d.plot import _arguments, _style
from pyphys2d.plot._outline import at_pose
from pyphys2d.plot._shapes import draw_shape, name_shape
from pyphys2d.traces import ClipTrace, SatTrace

Array = NDArray[np.float64]

NAMES = ("A", "B")


def sat(trace: SatTrace, ax: Axes | None = None, *, axis: int | None = None) -> Axes:
    """Draw two shapes and their projections on an axis.

    The projections lie side by side along the axis; what lies between the marks is the overlap, or
    the gap that separates the shapes. The edge that the axis is the normal of is drawn thick, and
    the arrow on B is the minimum translation vector.

    Parameters
    ----------
    trace : SatTrace
        Of ``geometry.sat``.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    axis : int, optional
        Row of ``trace.axes``; by default the one of the largest gap or smallest overlap.

    Returns
    -------
    Axes
        Equal aspect, metres on both axes.

    Raises
    ------
    IndexError
        If there is no such axis.
    TypeError
        If ``trace`` is another.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> trace = p2.geometry.sat(p2.Box(2, 1), p2.Box(1, 1), (0, 0, 0), (1.2, 0.7, 0.5))
    >>> axes = p2.plot.sat(trace)
    """
    _arguments.instance("trace", trace, SatTrace)
    count = len(trace.axes)
    which = trace.best if axis is None else _arguments.row("axis", axis, -count, count - 1)
    which %= count
    ax = _style.target(ax)
    theme = _style.theme(ax)
    outlines = [
        draw_shape(ax, trace.shape_a, trace.pose_a, theme.a),
        draw_shape(ax, trace.shape_b, trace.pose_b, theme.b),
    ]
    owner, edge = int(trace.owner[which]), int(trace.edge[which])
    shape, pose = ((trace.shape_a, trace.pose_a), (trace.shape_b, trace.pose_b))[owner]
    ends = edge_of(shape, pose, edge)
    if ends is not None:
        ax.plot(
            *ends.T,
            color=(theme.a, theme.b)[owner].line,
            linewidth=4,
            solid_capstyle="round",
            zorder=1.8,
            label=f"edge {edge} of {NAMES[owner]}",
        )
    overlap = float(trace.overlaps[which])
    taken = _draw_projections(ax, trace, which, outlines)
    busy = [_style.along(ring) for ring in outlines]
    if trace.mtv is not None and which == int(trace.best):
        center = at_pose(np.asarray(trace.shape_b.centroid)[None], np.asarray(trace.pose_b))
        _style.arrows(ax, center, np.asarray(trace.mtv)[None], theme.bad, width=2.0, gid="mtv")
        _style.arrow_key(ax, theme.bad, "minimum translation of B")
        _style.include(ax, center + trace.mtv)
        busy.append(center + np.linspace(0, 1, 12)[:, None] * np.asarray(trace.mtv))
    _name_both(ax, trace, np.concatenate(busy))
    verdict = f"overlap {overlap:.3g} m" if overlap > 0 else f"gap {-overlap:.3g} m"
    best = ""
    if which == int(trace.best):
        best = ", the largest gap" if trace.separated else ", the smallest overlap"
        best = best if count > 1 else ""
    name = f"axis {which}{_style.of_all(count)}: {verdict}{best}"
    taken = np.concatenate([taken, *(_style.within(ring) for ring in outlines)])
    _style.settle(ax, taken, name)
    return ax


def _draw_projections(ax: Axes, trace: SatTrace, which: int, outlines: list[Array]) -> Array:
    """The intervals on an axis beside the shapes, with their marks; the points that they take."""
    theme = _style.theme(ax)
    normal = np.asarray(trace.axes[which])
    along = np.array([-normal[1], normal[0]])
    if along[1] > 0 or (along[1] == 0 and along[0] < 0):
        along = -along  # the projections fall below, or to the right
    everything = np.concatenate(outlines)
    size = float(np.ptp(everything, axis=0).max())
    off = float((everything @ along).max()) + 0.14 * size

    def at(value: Any, shift: float = 0.0) -> Array:
        return np.asarray(np.multiply.outer(value, normal) + (off + shift * size) * along)

    shifts = (0.0, 0.05)
    intervals = (trace.intervals_a[which], trace.intervals_b[which])
    low, high = min(i[0] for i in intervals), max(i[1] for i in intervals)
    margin = 0.1 * size
    ax.plot(*at([low - margin, high + margin], 0.025).T, color=theme.muted, linewidth=0.8, zorder=1)
    rays = []
    for interval, shift, outline, ink, name in zip(
        intervals, shifts, outlines, (theme.a, theme.b), NAMES, strict=True
    ):
        ax.plot(
            *at(interval, shift).T,
            color=ink.line,
            linewidth=4.5,
            solid_capstyle="butt",
            zorder=2.0,
            gid=f"shadow of {name}",
        )
        values = outline @ normal
        for value, corner in zip(
            interval, (outline[values.argmin()], outline[values.argmax()]), strict=True
        ):
            rays.append(np.array([corner, at(value, shift)]))
    ax.add_collection(
        LineCollection(rays, colors=theme.muted, linewidths=0.7, linestyles=":", zorder=1),
        autolim=False,
    )
    # Of the two ways apart the shorter: from where the one begins to where the other ends.
    (start_a, end_a), (start_b, end_b) = intervals
    inner = (start_b, end_a) if end_a - start_b <= end_b - start_a else (start_a, end_b)
    color = theme.bad if trace.overlaps[which] > 0 else theme.good
    marks = [np.array([at(value, -0.05), at(value, 0.1)]) for value in inner]
    marks.append(np.array([at(value, 0.025) for value in inner]))
    ax.add_collection(
        LineCollection(marks, colors=color, linewidths=1.4, zorder=2.2, gid="overlap"),
        autolim=False,
    )
    middle = at(sum(inner) / 2, 0.15)
    _style.text(ax, middle, f"{abs(float(trace.overlaps[which])):.3g} m", color)
    taken = np.concatenate([at([low, high]), at([low, high], 0.19), middle[None]])
    _style.include(ax, np.concatenate([at([low - margin, high + margin]), taken]))
    return taken


def _name_both(ax: Axes, trace: SatTrace | ClipTrace, busy: Array) -> None:
    """Write A and B on the shapes, clear of the points (n, 2) ``busy``."""
    theme = _style.theme(ax)
    first = name_shape(ax, trace.shape_a, trace.pose_a, NAMES[0], theme.a, busy)
    busy = np.append(busy, first[None], axis=0)
    name_shape(ax, trace.shape_b, trace.pose_b, NAMES[1], theme.b, busy)


def edge_of(shape: Shape, pose: Any, edge: int) -> Array | None:
    """Ends (2, 2) of an edge in the world frame; None where the shape has no such edge."""
    if edge < 0:
        return None
    if isinstance(shape, Polygon):
        ring = shape.vertices
    elif isinstance(shape, Capsule | Segment):
        ring = np.array([shape.p, shape.q])
    else:
        return None
    if edge >= len(ring):
        return None
    return at_pose(ring[[edge, (edge + 1) % len(ring)]], np.asarray(pose, float))


CLIP_STAGES = (
    "the incident edge",
    "clipped by the first side plane",
    "clipped by both side planes",
    "kept below the reference face",
)


def clip(trace: ClipTrace, ax: Axes | None = None, *, stage: int | None = None) -> Axes:
    """Draw how contact points come from clipping one edge by another.

    A bar through each point is as long as the shapes overlap there: it ends on their surfaces. The
    arrow shows the direction in which A pushes B, and no length.

    Parameters
    ----------
    trace : ClipTrace
        Of ``geometry.clip``.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    stage : int, optional
        Stop after this many cuts, 0 to 3: the incident edge, cut by one side plane, by both, and
        what of it lies below the reference face. By default the contact points too.

    Returns
    -------
    Axes
        Equal aspect, metres on both axes.

    Raises
    ------
    IndexError
        If there is no such stage.
    TypeError
        If ``trace`` is another.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> trace = p2.geometry.clip(p2.Box(4, 2), p2.Box(1, 1), (0, 0, 0), (1, 1.4, 0.1))
    >>> axes = p2.plot.clip(trace)
    """
    _arguments.instance("trace", trace, ClipTrace)
    stages = [np.asarray(points, float).reshape(-1, 2) for points in trace.stages]
    if stage is not None:
        stage = _arguments.row("stage", stage, 0, max(len(stages) - 1, 0))
    ax = _style.target(ax)
    theme = _style.theme(ax)
    outlines = [
        draw_shape(ax, trace.shape_a, trace.pose_a, theme.a, linewidth=0.9),
        draw_shape(ax, trace.shape_b, trace.pose_b, theme.b, linewidth=0.9),
    ]
    everything = np.concatenate(outlines)
    reference, incident = (_edge(trace.reference_edge), _edge(trace.incident_edge))
    inks = (theme.b, theme.a) if trace.flipped else (theme.a, theme.b)
    names = NAMES[::-1] if trace.flipped else NAMES
    for points, ink, name, role in (
        (reference, inks[0], names[0], "reference"),
        (incident, inks[1], names[1], "incident"),
    ):
        if points is not None:
            ax.plot(
                *points.T,
                color=ink.line,
                linewidth=3.5,
                solid_capstyle="round",
                zorder=1.8,
                label=f"{role} edge ({name})",
            )
    size = float(np.ptp(everything, axis=0).max())
    planes = np.asarray(trace.planes, float).reshape(-1, 2, 2)
    cuts = len(planes) if stage is None else min(stage, len(planes))
    lines = _draw_planes(ax, planes, 0.35 * size, cuts)
    last = len(stages) - 1 if stage is None else stage
    if stages:
        gone = [
            point
            for before, after in itertools.pairwise(stages[: last + 1])
            for point in before
            if not len(after) or np.hypot(*(after - point).T).min() > 1e-9 * size
        ]
        _dots(ax, np.array(gone).reshape(-1, 2), theme.muted, "cut away", hollow=True)
        if stage is not None:
            _dots(ax, stages[last], theme.good, "left over", size=6)
    title = CLIP_STAGES[stage] if stage is not None and stage < len(CLIP_STAGES) else ""
    taken = [_style.within(ring) for ring in outlines] + [lines]
    busy = [_style.along(ring) for ring in outlines]
    busy += [_style.along(edge) for edge in (reference, incident) if edge is not None]
    busy.append(lines)
    if stage is None:
        result = _draw_result(ax, trace, size)
        busy.append(result)
        taken.append(result)
        count = len(trace.points)
        title = f"{count} contact point{'' if count == 1 else 's'} ({trace.kind})"
        title = title if count else "apart, no contact points"
    _name_both(ax, trace, np.concatenate(busy))
    _style.settle(ax, np.concatenate(taken), title)
    return ax


def _edge(points: Any) -> Array | None:
    """An edge (2, 2), or None where a trace has none, as for circles, whose edge is a point."""
    ends = np.asarray(points, float).reshape(-1, 2)
    return ends if len(ends) == 2 and np.isfinite(ends).all() and np.ptp(ends, 0).any() else None


def _draw_planes(ax: Axes, planes: Array, reach: float, done: int) -> Array:
    """Dashed lines where the side planes are; points along them, (n, 2)."""
    theme = _style.theme(ax)
    taken = [np.empty((0, 2))]
    for k, (point, normal) in enumerate(planes):
        if not np.isfinite([point, normal]).all() or not normal.any():
            continue
        along = np.array([-normal[1], normal[0]])
        ends = point + np.multiply.outer([-reach, reach], along)
        _style.include(ax, ends)
        taken.append(point + np.multiply.outer(np.linspace(-reach, reach, 12), along))
        ax.plot(
            *ends.T,
            color=theme.accent if k < done else theme.muted,
            linewidth=1.1,
            linestyle="--",
            zorder=1.7,
            label="side planes" if k == 0 else None,
            gid=f"side plane {k}",
        )
    return np.concatenate(taken)


def _draw_result(ax: Axes, trace: ClipTrace, size: float) -> Array:
    """Contact points, their depths to scale, the normal; where these lie, (n, 2)."""
    theme = _style.theme(ax)
    points = np.asarray(trace.points, float).reshape(-1, 2)
    if not len(points):
        return points
    normal = np.asarray(trace.normal, float)
    tangent = np.array([-normal[1], normal[0]])
    # From the surface of B to that of A: the points are midway.
    half = 0.5 * np.asarray(trace.depths, float)[:, None] * normal
    bars = np.stack([points - half, points + half], axis=1)
    lines: Any = bars
    ax.add_collection(
        LineCollection(
            lines,
            colors=theme.bad,
            linewidths=2.2,
            capstyle="butt",
            zorder=_style.Z_MARKS - 0.1,
            label="depths",
            gid="depths",
        ),
        autolim=False,
    )
    _dots(ax, points, theme.bad, "contact points", size=6)
    root, arm = points.mean(axis=0), 0.16 * size * normal
    _style.arrows(ax, root[None], arm[None], theme.text, width=1.6, gid="normal")
    _style.arrow_key(ax, theme.text, "normal, from A to B")
    # Each depth beyond its bar and any edge through it, on the outer side along the tangent.
    offsets = (points - root) @ tangent
    room = np.array([20.0, 6.0])  # half of the words, points of type
    taken = [bars.reshape(-1, 2), points, root + np.linspace(0, 1, 6)[:, None] * arm]
    for head, depth, offset in zip(bars[:, 1], trace.depths, offsets, strict=True):
        side = np.sign(offset) or 1.0
        shift = (4 + room @ abs(normal)) * normal + (2 + room @ abs(tangent)) * side * tangent
        _style.note(ax, head, f"{float(depth):.3g} m", tuple(shift), theme.bad, gid="depth")
        # About where the words are: a point of type is some 200th of the shapes.
        taken.append(head + 0.005 * size * (shift + np.array([(-18, 0), (0, 0), (18, 0)])))
    busy = np.concatenate(taken)
    _style.include(ax, busy)
    return busy


def _dots(
    ax: Axes, points: Array, color: Any, label: str, *, hollow: bool = False, size: float = 5
) -> None:
    if not len(points):
        return
    ax.plot(
        *points.T,
        linestyle="",
        marker="o",
        markersize=size,
        color=color,
        markerfacecolor=_style.theme(ax).paper if hollow else color,
        zorder=_style.Z_MARKS + (0 if hollow else 0.1),
        label=label,
        gid=label,
    )
