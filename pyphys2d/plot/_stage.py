"""Draws the stages of a step in slow motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from numpy.lib import recfunctions
from numpy.typing import NDArray

from pyphys2d import Stage, World
from pyphys2d.plot import _arguments, _style
from pyphys2d.plot._bodies import Bodies
from pyphys2d.plot._world import centers_of, draw_aabbs, draw_contacts, draw_velocity_arrows

Array = NDArray[np.float64]

MOST_COLORS = 7  # graph colours told apart, as many as a theme's cycle has


def stage(
    stage: Stage,
    world: World,
    ax: Axes | None = None,
    *,
    manifolds: Stage | None = None,
    velocities: bool | float = True,
    view: tuple[float, float, float, float] | None = None,
) -> Axes:
    """Draw what a stage of a step has found or changed.

    =================== =========================================================================
    stage               in the picture
    =================== =========================================================================
    bounds              tight bounds and predicted AABBs
    pairs               a line from body to body through the overlap of their boxes
    manifolds           contact points and normals
    constraints         contact points by the colour in which they are solved; impulses carried
                        over from the last step (with ``manifolds``)
    substep, iteration, bodies where the pass left them, velocities, impulses of the pass (with
    restitution         ``manifolds``)
    continuous          fast bodies: the path of each without being stopped, and where it ended
    poses               bodies at the end, velocities
    events              contacts that began, ended or hit hard
    =================== =========================================================================

    Parameters
    ----------
    stage : Stage
        Of ``world.stages()``.
    world : World
        Whose stage it is, for the shapes.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    manifolds : Stage, optional
        The stage "manifolds" of the same step, which knows where the contacts are.
    velocities : bool or float
        Draw velocities where the stage has them; see `velocities`.
    view : (x_min, y_min, x_max, y_max), optional
        The part to show, metres.

    Returns
    -------
    Axes
        Equal aspect, metres on both axes; its title is the name of the stage.

    Raises
    ------
    TypeError
        If ``stage`` is no stage or ``world`` no world.
    ValueError
        If ``manifolds`` is another stage, ``view`` no rectangle or a scale not positive.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> world = p2.World()
    >>> floor = world.add_body(p2.Box(10, 1), (0, -0.5), kind="static")
    >>> box = world.add_body(p2.Box(1, 1), (0, 0.5))
    >>> for stage in world.stages():
    ...     if stage.name == "manifolds":
    ...         axes = p2.plot.stage(stage, world)
    """
    _arguments.instance("stage", stage, Stage)
    _arguments.instance("world", world, World)
    if manifolds is not None:
        _arguments.instance("manifolds", manifolds, Stage)
        if manifolds.name != "manifolds":
            raise ValueError(f"manifolds: must be the stage 'manifolds', got {manifolds.name!r}")
    _arguments.scale("velocities", velocities)
    draw = _DRAWINGS[stage.name]
    ax = _style.target(ax)
    arrays = stage.arrays
    # Later than the world's own arrays may be, and theirs is another length after a new body.
    positions = arrays.get("positions", world.positions)
    angles = arrays.get("angles", world.angles)
    bodies = Bodies(world, ax)
    bodies.move(positions, angles, awake=world.awake)
    ours = _style.frame(ax, view, *bodies.boxes(positions, angles), world.wrap)
    rows = None if manifolds is None else manifolds.arrays["contacts"]
    found = draw(ax, world, arrays, rows)
    if "velocities" in arrays and velocities is not False:
        centers = centers_of(world, positions, angles)
        scale = None if velocities is True else float(velocities)
        draw_velocity_arrows(ax, centers, arrays["velocities"], scale)
    _style.legend(ax, bodies.points(positions, angles), headroom=ours)
    if not ax.get_title():
        number = f" {stage.index}" if stage.name in ("substep", "iteration") else ""
        ax.set_title(f"{stage.name}{number}{found}", fontsize="medium")
    return ax


# Each draws its stage's arrays, given the rows of the manifolds or None, and says what there is.
Drawing = Callable[[Axes, World, dict[str, Any], Any], str]


def _bounds(ax: Axes, world: World, arrays: dict[str, Any], rows: Any) -> str:
    draw_aabbs(ax, arrays["fat_aabbs"], _style.theme(ax).muted, "fat bounds", "--")
    draw_aabbs(ax, arrays["aabbs"])
    return f": {len(arrays['aabbs'])} boxes"


def _pairs(ax: Axes, world: World, arrays: dict[str, Any], rows: Any) -> str:
    pairs = arrays["pairs"]
    draw_pairs(ax, world, pairs, _style.theme(ax).accent, "pair")
    return f": {len(pairs)}"


def draw_pairs(ax: Axes, world: World, pairs: Any, color: Any, label: str) -> None:
    """Lines from body to body through the overlap of their bounds; none towards fixed ones."""
    if not len(pairs):
        return
    boxes = world.aabbs
    a, b = boxes[pairs["collider_a"]], boxes[pairs["collider_b"]]
    between = (np.maximum(a[:, 0], b[:, 0]) + np.minimum(a[:, 1], b[:, 1])) / 2
    lines = []
    for box, body in ((a, pairs["body_a"]), (b, pairs["body_b"])):
        moves = world.kinds[body] == _style.DYNAMIC
        lines.append(np.stack([box.mean(axis=1), between], axis=1)[moves])
    segments = np.concatenate(lines)
    ax.add_collection(
        LineCollection(
            segments[np.isfinite(segments).all(axis=(1, 2))].tolist(),
            colors=color,
            linewidths=1.1,
            zorder=_style.Z_MARKS,
            label=label,
            gid=label,
        ),
        autolim=False,
    )
    ax.plot(
        *between.T, linestyle="", marker="o", markersize=2.5, color=color,
        zorder=_style.Z_MARKS, scalex=False, scaley=False,
    )  # fmt: skip


def _manifolds(ax: Axes, world: World, arrays: dict[str, Any], rows: Any) -> str:
    contacts = arrays["contacts"]
    draw_contacts(ax, contacts, True, world.kinds)
    return f": {len(contacts)} points"


def _constraints(ax: Axes, world: World, arrays: dict[str, Any], rows: Any) -> str:
    constraints = arrays["constraints"]
    if rows is not None and len(rows):
        draw_contacts(ax, _with_impulses(rows, constraints["normal_impulse"]), True, world.kinds)
        _draw_colors(ax, rows["point"], constraints["color"])
    islands = len(np.unique(constraints["island"]))
    return f": {len(constraints)} points, {islands} island{'' if islands == 1 else 's'}"


def _draw_colors(ax: Axes, points: Array, numbers: NDArray[np.integer[Any]]) -> None:
    """Dots by graph colour; those of sequential impulses have none (-1)."""
    cycle = _style.theme(ax).cycle
    colors = np.unique(numbers[numbers >= 0]).tolist()
    own = colors if len(colors) <= MOST_COLORS else colors[: MOST_COLORS - 1]
    rest = colors[len(own) :]  # share the last colour
    for k, color in enumerate(colors):
        label = f"color {color}" if color in own else None
        if rest and color == rest[0]:
            label = f"colors {color} to {rest[-1]}"
        ax.plot(
            *points[numbers == color].T,
            linestyle="",
            marker="o",
            markersize=6,
            color=cycle[min(k, MOST_COLORS - 1)],
            zorder=_style.Z_MARKS - 0.1,
            scalex=False,
            scaley=False,
            label=label,
            gid=f"color {color}",
        )


def _pass(ax: Axes, world: World, arrays: dict[str, Any], rows: Any) -> str:
    if rows is not None:
        draw_contacts(ax, _with_impulses(rows, arrays["normal_impulses"]), True, world.kinds)
    return ""


def _with_impulses(rows: Any, impulses: Array) -> Any:
    return recfunctions.append_fields(
        recfunctions.repack_fields(rows), "normal_impulse", impulses, usemask=False
    )


def _continuous(ax: Axes, world: World, arrays: dict[str, Any], rows: Any) -> str:
    fast = arrays["fast"]
    theme = _style.theme(ax)
    stopped = fast["stopped_collider"] >= 0
    for chosen, color, label in ((~stopped, theme.good, "free way"), (stopped, theme.bad, "way")):
        ways = np.stack([fast["start"], fast["end"]], axis=1)[chosen]
        if len(ways):
            ax.add_collection(
                LineCollection(
                    ways.tolist(), colors=color, linewidths=1.1, linestyles="--",
                    zorder=_style.Z_MARKS, label=label, gid=label,
                ),
                autolim=False,
            )  # fmt: skip
    ends = arrays["positions"][fast["body"][stopped]]
    if len(ends):
        ax.plot(
            *ends.T, linestyle="", marker="X", markersize=7, color=theme.bad,
            zorder=_style.Z_MARKS, scalex=False, scaley=False, label="stopped", gid="stopped",
        )  # fmt: skip
    return f": {len(fast)} fast, {int(stopped.sum())} stopped"


def _poses(ax: Axes, world: World, arrays: dict[str, Any], rows: Any) -> str:
    return ""


def _events(ax: Axes, world: World, arrays: dict[str, Any], rows: Any) -> str:
    theme = _style.theme(ax)
    draw_pairs(ax, world, arrays["contact_begin"], theme.good, "began")
    draw_pairs(ax, world, arrays["contact_end"], theme.accent, "ended")
    hits = arrays["contact_hit"]
    if len(hits):
        ax.plot(
            *hits["point"].T, linestyle="", marker="*", markersize=11, color=theme.bad,
            zorder=_style.Z_MARKS, scalex=False, scaley=False, label="hit", gid="hit",
        )  # fmt: skip
    words = {"contact_begin": "began", "contact_end": "ended", "contact_hit": "hit",
             "sleep": "fell asleep", "wake": "woke"}  # fmt: skip
    counts = [f"{len(arrays[key])} {word}" for key, word in words.items() if len(arrays[key])]
    return ": " + (", ".join(counts) or "none")


_DRAWINGS: dict[str, Drawing] = {
    "bounds": _bounds,
    "pairs": _pairs,
    "manifolds": _manifolds,
    "constraints": _constraints,
    "substep": _pass,
    "iteration": _pass,
    "restitution": _pass,
    "continuous": _continuous,
    "poses": _poses,
    "events": _events,
}
