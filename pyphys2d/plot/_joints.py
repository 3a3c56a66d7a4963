"""Draws joints: what they hold, their limits and axes."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from numpy.typing import NDArray

from pyphys2d import JOINT_KINDS, PulleyJoint, World
from pyphys2d.plot import _arguments, _style

Array = NDArray[np.float64]

NAMES = ("stems", "lines", "dashes", "limits")  # by the kind of the drawing primitive
PULLEY = JOINT_KINDS.index("pulley")  # by their numbers in joint_state
FAR = (JOINT_KINDS.index("filter"), JOINT_KINDS.index("gear"))


def joints(source: World, ax: Axes | None = None, *, legend: bool = True) -> Axes:
    """Draw the joints of a world.

    Every joint has a thin line from each of its bodies to its anchor; the anchor of the world
    stands on a triangle. A revolute joint is a small circle, with an arc where it has limits and a
    round arrow where its motor turns; a distance joint a line, dashed where it is a slack rope; a
    spring a zigzag; a prismatic joint a square on its dashed axis, a wheel joint a circle; a weld a
    square; a motor and a mouse joint a dashed line to a cross, where they pull to; a filter a
    dashed line; a pulley its rope; a ratchet its teeth; gears have their pitch circles. Limits of
    lengths and translations are lines across.

    Parameters
    ----------
    source : World
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    legend : bool
        Say what the colours mean.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError
        If ``source`` is no world.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> w = p2.World()
    >>> pin = w.add_revolute_joint(None, w.add_body(p2.Box(2, 0.2)), anchor=(-1, 0), upper=1)
    >>> axes = p2.plot.joints(w)
    """
    _arguments.instance("source", source, World)
    ax = _style.target(ax)
    _style.metres(ax)
    boxes = source.aabbs
    sizes = (boxes[:, 1] - boxes[:, 0]).max(axis=1) if len(boxes) else np.ones(1)
    places = joint_points(source)
    _style.include(ax, places)
    draw_joints(ax, source, float(np.nanmedian(sizes)))
    if legend:
        _style.settle(ax, places)
    return ax


def joint_points(world: World) -> Array:
    """Where joints hold, and where ropes of pulleys run to, (n, 2)."""
    state = world.joint_state
    acts = ~np.isin(state["kind"], FAR)  # filters hold nothing, gears have their joints' places
    found = [state["anchor_a"][acts], state["anchor_b"][acts]]
    some = state["joint"][state["kind"] == PULLEY].tolist()
    pulleys = [joint for joint in (world.joints[k] for k in some) if isinstance(joint, PulleyJoint)]
    grounds = [(joint.ground_a, joint.ground_b) for joint in pulleys]
    return np.concatenate([*found, np.array(grounds).reshape(-1, 2)])


def draw_joints(ax: Axes, world: World, size: float) -> None:
    """``size`` is that of a typical body, metres."""
    if not len(world.joints):
        return
    theme, across = _style.theme(ax), _style.diagonal(_style.shown(ax))
    mark = float(np.clip(0.45 * size, 0.01 * across, 0.03 * across))
    mark = mark if 0 < mark < np.inf else 1.0
    drawing = world.draw_list(shapes=False, contacts=False, mark_size=mark)
    rows = drawing.joints
    lines = np.split(drawing.joint_points, rows["first"][1:])
    width = float(np.clip(30 / np.sqrt(len(world.joints)), 0.5, 1.5))
    styles = (
        (theme.muted, 0.5, "-", None),
        (theme.good, 1.0, "-", "joint"),
        (theme.good, 0.7, "--", None),
        (theme.accent, 1.0, "-", "limit of a joint"),
    )
    for number, (color, share, dashes, label) in enumerate(styles):
        mine = [lines[k] for k in np.flatnonzero(rows["kind"] == number)]
        artist = LineCollection(
            [each for each in mine if np.isfinite(each).all()],
            colors=[color],
            linewidths=share * width,
            linestyles=dashes,
            capstyle="round",
            zorder=_style.Z_BOXES + 0.1 * (number + 1),
            label=label if mine else None,
            gid=f"joint {NAMES[number]}",
        )
        ax.add_collection(artist, autolim=False)
