"""Draws a world: a handful of collections, whatever the number of bodies."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import (
    EllipseCollection,
    LineCollection,
    PathCollection,
    PolyCollection,
)
from matplotlib.figure import Figure
from matplotlib.path import Path
from numpy.typing import NDArray

from pyphys2d.plot._outline import placed, rounded
from pyphys2d.trajectory import describe

if TYPE_CHECKING:
    from pyphys2d import Shape, World

Array = NDArray[np.float64]

# Face and edge by state, from the palette of Okabe and Ito (2008), which stays apart for
# colour-blind eyes.
FACES = {"static": "#d9d9d4", "kinematic": "#f2c14e", "awake": "#7fb8dc", "asleep": "#bcd4e4"}
EDGES = {"static": "#6e6e6a", "kinematic": "#8f6500", "awake": "#0b4f7d", "asleep": "#43708e"}
CONTACT = "#d55e00"
DYNAMIC = 2  # in world.kinds
STATES = ("static", "kinematic", "awake", "asleep")


class _Pieces:
    """What is to be drawn, gathered by state and by the kind of collection that draws it."""

    def __init__(self) -> None:
        self.polygons: dict[str, list[Array]] = defaultdict(list)
        self.compounds: dict[str, list[Path]] = defaultdict(list)
        self.circles: dict[str, list[tuple[Array, float]]] = defaultdict(list)
        self.lines: dict[str, list[Array]] = defaultdict(list)
        self.spokes: dict[str, list[Array]] = defaultdict(list)

    def add(self, state: str, shape: Shape, positions: Array, angles: Array) -> None:
        """A shape at m poses."""
        kind, rings, radius, loop = describe(shape)
        if kind == "circle":
            centers = placed(rings[0], positions, angles)[:, 0]
            rims = placed(rings[0] + (radius, 0.0), positions, angles)[:, 0]
            self.circles[state].extend((center, radius) for center in centers)
            self.spokes[state].extend(np.stack([centers, rims], axis=1))
        elif kind in ("segment", "chain"):
            points = np.concatenate([rings[0], rings[0][:1]]) if loop else rings[0]
            self.lines[state].extend(placed(points, positions, angles))
        elif len(rings) > 1:
            for position, angle in zip(positions, angles, strict=True):
                whole = [placed(ring, position[None], np.array([angle]))[0] for ring in rings]
                paths = [Path(np.concatenate([ring, ring[:1]]), closed=True) for ring in whole]
                self.compounds[state].append(Path.make_compound_path(*paths))
        else:
            ring = rounded(rings[0], radius) if radius > 0 else rings[0]
            self.polygons[state].extend(placed(ring, positions, angles))


def _gather(world: World) -> tuple[_Pieces, Array, Array]:
    """Everything to draw, and the boxes (n, 2, 2) of what moves and of what does not."""
    poses: dict[tuple[str, Shape], list[int]] = defaultdict(list)
    moving: list[Array] = []
    fixed: list[Array] = []
    awake = world.awake
    for body in world.bodies:
        state = body.kind
        if state == "dynamic":
            state = "awake" if awake[body.index] else "asleep"
        for collider in body.colliders:
            poses[state, collider.shape].append(body.index)
            (fixed if state == "static" else moving).append(collider.aabb)
    pieces = _Pieces()
    positions, angles = world.positions, world.angles
    for (state, shape), slots in poses.items():
        pieces.add(state, shape, positions[slots], angles[slots])
    return pieces, np.array(moving).reshape(-1, 2, 2), np.array(fixed).reshape(-1, 2, 2)


def _limits(moving: Array, fixed: Array) -> tuple[float, float, float, float]:
    """What is worth seeing: all that moves, and what stands still nearby."""
    boxes = moving if len(moving) else fixed
    if not len(boxes):
        return -1.0, -1.0, 1.0, 1.0
    lower, upper = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    size = max(float((upper - lower).max()), 1e-3)
    if len(moving) and len(fixed):
        lower = np.maximum(np.minimum(lower, fixed[:, 0].min(axis=0)), lower - 0.5 * size)
        upper = np.minimum(np.maximum(upper, fixed[:, 1].max(axis=0)), upper + 0.5 * size)
    pad = 0.04 * size
    return (
        float(lower[0] - pad),
        float(lower[1] - pad),
        float(upper[0] + pad),
        float(upper[1] + pad),
    )


def world(
    world: World,
    ax: Axes | None = None,
    *,
    contacts: bool = True,
    normals: bool = True,
    view: tuple[float, float, float, float] | None = None,
    linewidth: float | None = None,
) -> Axes:
    """Draw all bodies, with contact points and their normals.

    Parameters
    ----------
    world : World
    ax : Axes, optional
        Where to draw; a new figure if None.
    contacts : bool
        Mark the contact points of the last step.
    normals : bool
        Draw each contact's normal, the way it pushes, the longer the larger the impulse.
    view : (x_min, y_min, x_max, y_max), optional
        The part to show, metres; by default what moves and what is near to it.
    linewidth : float, optional
        Of the outlines, points; by default finer the more bodies there are.

    Returns
    -------
    Axes
        Equal aspect, metres on both axes.

    Examples
    --------
    >>> import pyphys2d as p2, pyphys2d.plot
    >>> w = p2.World()
    >>> ball = w.add_body(p2.Circle(1))
    >>> axes = p2.plot.world(w)
    """
    if ax is None:
        ax = Figure(figsize=(8, 6), layout="constrained").add_subplot()
    pieces, moving, fixed = _gather(world)
    x0, y0, x1, y1 = _limits(moving, fixed) if view is None else view
    if linewidth is None:
        linewidth = float(np.clip(24 / np.sqrt(len(moving) + len(fixed) + 1), 0.15, 1.1))
    for order, state in enumerate(STATES):
        _draw(ax, pieces, state, linewidth, zorder=1 + 0.1 * order)
    if contacts:
        # As long as suits the picture, but no longer than a typical body is large.
        length = 0.05 * float(np.hypot(x1 - x0, y1 - y0))
        if len(moving):
            length = min(length, float(np.median((moving[:, 1] - moving[:, 0]).max(axis=1))))
        _draw_contacts(ax, world, length, normals, linewidth)
    ax.set_aspect("equal")
    ax.set_xlim(x0, x1)
    ax.set_ylim(y0, y1)
    ax.set_xlabel("x (m)")
    ax.set_ylabel("y (m)")
    return ax


def _draw(ax: Axes, pieces: _Pieces, state: str, linewidth: float, zorder: float) -> None:
    face, edge = FACES[state], EDGES[state]
    style: dict[str, Any] = {
        "facecolors": face,
        "edgecolors": edge,
        "linewidths": linewidth,
        "zorder": zorder,
    }
    if pieces.polygons[state]:
        ax.add_collection(PolyCollection(pieces.polygons[state], **style))
    if pieces.compounds[state]:
        ax.add_collection(PathCollection(pieces.compounds[state], **style))
    if pieces.circles[state]:
        centers = np.array([center for center, _ in pieces.circles[state]])
        widths = 2 * np.array([radius for _, radius in pieces.circles[state]])
        ax.add_collection(
            EllipseCollection(
                widths,
                widths,
                np.zeros(len(widths)),
                units="xy",
                offsets=centers,
                offset_transform=ax.transData,
                **style,
            )
        )
        ax.add_collection(
            LineCollection(
                pieces.spokes[state], colors=edge, linewidths=linewidth, zorder=zorder + 0.05
            )
        )
    if pieces.lines[state]:
        ax.add_collection(
            LineCollection(
                pieces.lines[state],
                colors=edge,
                linewidths=2 * linewidth,
                capstyle="round",
                joinstyle="round",
                zorder=zorder,
            )
        )


def _draw_contacts(ax: Axes, world: World, length: float, normals: bool, linewidth: float) -> None:
    rows = world.contacts
    rows = rows[(rows["normal_impulse"] > 0) | (rows["separation"] <= 0)]
    if not len(rows):
        return
    points, impulses = rows["point"], rows["normal_impulse"]
    # The normal is the push on body b; where b cannot move, what is worth seeing is the push on a.
    sign = np.where(world.kinds[rows["body_b"]] == DYNAMIC, 1.0, -1.0)
    # The longest line stands for the 95th percentile of the impulses, so that one blow does not
    # dwarf the rest.
    full = float(np.percentile(impulses, 95))
    if normals and full > 0:
        reach = (length * sign * np.minimum(impulses / full, 1.5))[:, None] * rows["normal"]
        ax.add_collection(
            LineCollection(
                np.stack([points, points + reach], axis=1).tolist(),
                colors=CONTACT,
                linewidths=max(linewidth, 0.4),
                zorder=3,
            )
        )
    size = float(np.clip(250 / np.sqrt(len(rows)) / 3, 0.5, 12))
    ax.scatter(points[:, 0], points[:, 1], s=size, color=CONTACT, linewidths=0, zorder=3.1)
