"""Draws the way to the nearest points (GJK), to the first touch, and around a hull.

The pictures follow E. Gilbert, D. Johnson and S. Keerthi, "A Fast Procedure for Computing the
Distance between Complex Objects" (1988), B. Mirtich, "Impulse-based Dynamic Simulation" (1996,
conservative advancement), and A. Andrew, "Another Efficient Algorithm for Convex Hulls in Two
Dimensions" (1979).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba
from numpy.typing import NDArray

from pyphys2d.plot import _arguments, _style
from pyphys2d.plot._outline import Outline, outline
from pyphys2d.plot._shapes import draw_outline, draw_shape, name_shape
from pyphys2d.traces import GjkTrace, HullTrace, ToiTrace

Array = NDArray[np.float64]


def gjk(trace: GjkTrace, ax: Axes | None = None, *, space: str = "difference") -> Axes:
    """Draw the search for the distance of two shapes.

    Parameters
    ----------
    trace : GjkTrace
        Of ``geometry.gjk``.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    space : {'difference', 'world'}
        The difference of the shapes, whose distance from the origin is sought, with the support
        points in the order in which they were found and each round's simplex; or the shapes
        themselves with the nearest points.

    Returns
    -------
    Axes
        Equal aspect, metres on both axes.

    Raises
    ------
    TypeError
        If ``trace`` is another.
    ValueError
        For another ``space``.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> trace = p2.geometry.gjk(p2.Box(2, 1), p2.RegularPolygon(5, 1), (0, 0, 0), (3, 1, 0))
    >>> axes = p2.plot.gjk(trace)
    """
    _arguments.instance("trace", trace, GjkTrace)
    if space not in ("difference", "world"):
        raise ValueError(f"space: must be 'difference' or 'world', got {space!r}")
    ax = _style.target(ax)
    taken = (_draw_search if space == "difference" else _draw_nearest)(ax, trace)
    rounds = len(trace.supports)
    result = "overlapping" if trace.overlapping else f"distance {float(trace.distance):.4g} m"
    _style.settle(ax, taken, f"{result}, {rounds} round{'' if rounds == 1 else 's'}")
    return ax


def _shades(ax: Axes, count: int) -> Array:
    """Colours from first to last (count, 4), the last the strongest."""
    low, high = (0.35, 1.0) if _style.theme(ax).dark else (0.8, 0.05)
    return np.asarray(colormaps["viridis"](np.linspace(low, high, max(count, 1))))


def _draw_search(ax: Axes, trace: GjkTrace) -> Array:
    theme = _style.theme(ax)
    difference = np.asarray(trace.difference, float).reshape(-1, 2)
    ink = _style.Ink(theme.muted, to_rgba(theme.muted, 0.15))
    if len(difference) > 2:
        taken = draw_outline(ax, Outline([difference], area=True), np.zeros(3), ink, linewidth=1)
    else:
        taken = difference
        ax.plot(*difference.T, color=theme.muted, linewidth=1)
        _style.include(ax, difference)
    _style.include(ax, np.zeros((1, 2)))
    shades = _shades(ax, len(trace.simplices))
    simplices = [np.asarray(simplex, float).reshape(-1, 2) for simplex in trace.simplices]
    for number, (simplex, shade) in enumerate(zip(simplices, shades, strict=True)):
        ring = np.append(simplex, simplex[:1], axis=0) if len(simplex) > 2 else simplex
        ax.plot(
            *ring.T,
            color=shade,
            linewidth=1.0 + 1.2 * (number + 1) / len(simplices),
            solid_joinstyle="round",
            zorder=1.8 + 0.01 * number,
            gid=f"simplex {number}",
        )
    closest = np.asarray(trace.closest, float).reshape(-1, 2)
    ax.plot(
        *closest.T,
        linestyle=":",
        linewidth=1.0,
        marker="o",
        markersize=3.5,
        color=theme.accent,
        zorder=2.6,
        label="nearest to the origin so far",
        gid="closest",
    )
    if not trace.overlapping and len(closest):
        ax.plot(
            *np.array([[0.0, 0.0], closest[-1]]).T,
            color=theme.good,
            linewidth=2,
            zorder=2.5,
            label="distance",
            gid="distance",
        )
    supports = np.asarray(trace.supports, float).reshape(-1, 2)
    _number(ax, supports, shades, difference)
    ax.plot(
        0, 0, linestyle="", marker="P", markersize=8, color=theme.bad,
        markeredgecolor=theme.paper, zorder=_style.Z_MARKS, label="origin", gid="origin",
    )  # fmt: skip
    ax.set_xlabel("difference, x (m)")
    ax.set_ylabel("difference, y (m)")
    return np.concatenate([_style.within(taken), np.zeros((1, 2))])


def _number(ax: Axes, supports: Array, shades: Array, difference: Array) -> None:
    """Write beside each support point in which rounds, from 0, it was found."""
    middle, size = difference.mean(axis=0), float(np.ptp(difference, axis=0).max())
    places: dict[tuple[float, float], list[int]] = {}
    for number, point in enumerate(supports):
        places.setdefault((float(point[0]), float(point[1])), []).append(number)
    for place, numbers in places.items():
        away = np.subtract(place, middle)
        away = away / max(float(np.hypot(*away)), 1e-12)
        words = ", ".join(map(str, numbers))
        _style.note(ax, place, words, tuple(11 * away), _style.theme(ax).text, gid="support")
        _style.include(ax, place + 0.06 * size * away)  # room for the number
    x, y = supports.T
    ax.scatter(x, y, c=shades[: len(supports)], s=26, zorder=2.7)


def _draw_nearest(ax: Axes, trace: GjkTrace) -> Array:
    theme = _style.theme(ax)
    taken = [
        draw_shape(ax, trace.shape_a, trace.pose_a, theme.a, "A"),
        draw_shape(ax, trace.shape_b, trace.pose_b, theme.b, "B"),
    ]
    ends = np.array([trace.point_a, trace.point_b], float)
    if not trace.overlapping and np.isfinite(ends).all():
        ax.plot(
            *ends.T,
            color=theme.good,
            linewidth=2,
            marker="o",
            markersize=4,
            zorder=2.5,
            label="nearest points",
            gid="distance",
        )
    return np.concatenate([_style.within(ring) for ring in taken])


def toi(trace: ToiTrace, ax: Axes | None = None) -> Axes:
    """Draw two moving shapes up to their first touch.

    Both at the start (thin) and the end (dashed) of the motion and at every fraction that was
    tried, the later the stronger, each with its nearest points.

    Parameters
    ----------
    trace : ToiTrace
        Of ``geometry.toi``.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.

    Returns
    -------
    Axes
        Equal aspect, metres on both axes.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> ball, wall = p2.Circle(0.3), p2.Box(0.2, 4)
    >>> trace = p2.geometry.toi(ball, wall, (-3, 0, 0), (3, 1, 0), (0, 0, 0), (0, 0, 0))
    >>> axes = p2.plot.toi(trace)
    """
    _arguments.instance("trace", trace, ToiTrace)
    ax = _style.target(ax)
    theme = _style.theme(ax)
    poses = (np.asarray(trace.poses_a, float), np.asarray(trace.poses_b, float))
    shapes = (trace.shape_a, trace.shape_b)
    ends = _ends(trace)
    taken = []
    for shape, tried, end, ink in zip(shapes, poses, ends, (theme.a, theme.b), strict=True):
        what = outline(shape)
        hollow = _style.Ink(ink.line, "none")
        if end is not None and not np.allclose(end, tried[-1]):
            taken.append(
                draw_outline(ax, what, end, hollow, linewidth=0.9, linestyle="--", alpha=0.8)
            )
        still = len(tried) > 1 and np.ptp(tried, axis=0).max() == 0
        for number, pose in enumerate(tried):
            last = number == len(tried) - 1
            if still and not last:
                continue
            share = (number + 1) / len(tried)
            strength: dict[str, Any] = {"linewidth": 1.6}
            if not last:
                strength = {"linewidth": 0.8, "alpha": 0.35 + 0.45 * share}
            drawn = ink if last else hollow
            taken.append(draw_outline(ax, what, pose, drawn, zorder=1.5 + 0.1 * share, **strength))
        travel = np.array([tried[0], tried[-1] if end is None else end])
        if not still:
            ax.plot(*travel[:, :2].T, color=ink.line, linewidth=0.8, linestyle=":", zorder=1.4)
    pairs = np.stack([trace.points_a, trace.points_b], axis=1).astype(float)
    pairs = pairs[np.isfinite(pairs).all(axis=(1, 2))]
    ax.add_collection(
        LineCollection(
            pairs.tolist(),
            colors=theme.good,
            linewidths=1.2,
            zorder=2.5,
            label="nearest points",
            gid="nearest points",
        ),
        autolim=False,
    )
    for shape, tried, name, ink in zip(shapes, poses, "AB", (theme.a, theme.b), strict=True):
        name_shape(ax, shape, tried[-1], name, ink)
    rounds = len(trace.fractions)
    verdict = f"touch at {float(trace.fraction):.4g} of the path" if trace.hit else "no touch"
    title = f"{verdict}, {rounds} round{'' if rounds == 1 else 's'}"
    _style.settle(ax, np.concatenate([_style.along(ring) for ring in taken]), title)
    return ax


def _ends(trace: ToiTrace) -> tuple[Array | None, Array | None]:
    """Poses at the end of the motion, which blend evenly; None where nothing moved while traced."""
    fractions = np.asarray(trace.fractions, float)
    later = np.flatnonzero(fractions > fractions[:1])
    if not len(later):
        return None, None
    k = int(later[-1])
    stretch = (1 - fractions[0]) / (fractions[k] - fractions[0])
    first_a, first_b = np.asarray(trace.poses_a[0], float), np.asarray(trace.poses_b[0], float)
    return (
        first_a + stretch * (np.asarray(trace.poses_a[k], float) - first_a),
        first_b + stretch * (np.asarray(trace.poses_b[k], float) - first_b),
    )


def hull(trace: HullTrace, ax: Axes | None = None, *, stage: int | None = None) -> Axes:
    """Draw how the convex hull of points is found.

    Parameters
    ----------
    trace : HullTrace
        Of ``geometry.hull_trace``.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    stage : int, optional
        Show the chain as it was after this many points, counted from 0. By default the hull, with
        the edges that were tried and given up dotted.

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
    >>> import numpy as np
    >>> import pyphys2d as p2
    >>> trace = p2.geometry.hull_trace(np.random.default_rng(1).normal(size=(20, 2)))
    >>> axes = p2.plot.hull(trace)
    """
    _arguments.instance("trace", trace, HullTrace)
    count = len(trace.stages)
    if stage is not None:
        stage = _arguments.row("stage", stage, -count, count - 1)
    ax = _style.target(ax)
    theme = _style.theme(ax)
    points = np.asarray(trace.points, float).reshape(-1, 2)
    if stage is None:
        ring = points[np.asarray(trace.hull)]
        ax.add_collection(
            PolyCollection(
                [ring],
                facecolors=[theme.a.fill],
                edgecolors=[theme.a.line],
                linewidths=1.8,
                zorder=1.5,
                label="hull",
                gid="hull",
            ),
            autolim=False,
        )
        given_up = sorted(_edges_tried(trace) - _edges_of(trace.hull, closed=True))
        ax.add_collection(
            LineCollection(
                points[np.array(given_up, int).reshape(-1, 2)].tolist(),
                colors=theme.muted,
                linewidths=0.9,
                linestyles=":",
                zorder=1.6,
                label="given up",
                gid="given up",
            ),
            autolim=False,
        )
        chosen = np.asarray(trace.hull)
        title = f"hull of {len(points)} points: {len(chosen)} vertices"
    else:
        chosen = np.asarray(trace.stages[stage])
        ax.plot(
            *points[chosen].T,
            color=theme.a.line,
            linewidth=1.8,
            solid_joinstyle="round",
            zorder=1.6,
            label="chain",
            gid="chain",
        )
        ax.plot(
            *points[chosen[-1:]].T,
            linestyle="",
            marker="o",
            markersize=8,
            color=theme.bad,
            zorder=_style.Z_MARKS - 0.1,
            label="last point",
            gid="last point",
        )
        title = f"stage {stage % count}{_style.of_all(count)}"
    on = np.zeros(len(points), bool)
    on[chosen] = True
    for part, color, size in ((~on, theme.muted, 3.5), (on, theme.a.line, 5.5)):
        ax.plot(*points[part].T, "o", color=color, markersize=size, zorder=_style.Z_MARKS)
    _style.include(ax, points)
    _style.settle(ax, points, title)
    return ax


def _edges_of(indices: Any, *, closed: bool = False) -> set[tuple[int, int]]:
    chain = [int(i) for i in indices]
    ahead = chain[1:] + chain[:1] if closed else chain[1:]
    return {(min(a, b), max(a, b)) for a, b in zip(chain, ahead, strict=False)}


def _edges_tried(trace: HullTrace) -> set[tuple[int, int]]:
    tried: set[tuple[int, int]] = set()
    for chain in trace.stages:
        tried |= _edges_of(chain)
    return tried
