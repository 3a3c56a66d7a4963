"""Draws a world and what the engine knows about it: contacts, bounds, tree, islands, velocities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba_array
from numpy.typing import ArrayLike, NDArray

from pyphys2d import AABBTree, World, _tables
from pyphys2d.geometry import Manifold
from pyphys2d.plot import _arguments, _style
from pyphys2d.plot._bodies import Bodies
from pyphys2d.plot._joints import draw_joints, joint_points
from pyphys2d.plot._paint import painter

Array = NDArray[np.float64]

MOST_NUMBERS = 24  # islands that get their number written on them
MOST_LEVELS = 10  # levels of a tree that have a colour of their own; of more, some share one


def world(
    world: World,
    ax: Axes | None = None,
    *,
    contacts: bool = True,
    normals: bool | float = True,
    joints: bool = True,
    aabbs: bool = False,
    tree: bool | int | Iterable[int] = False,
    velocities: bool | float = False,
    islands: bool = False,
    color: Any = "state",
    legend: bool = True,
    view: tuple[float, float, float, float] | None = None,
    linewidth: float | None = None,
) -> Axes:
    """Draw all bodies of a world, with its contacts, and more on demand.

    Parameters
    ----------
    world : World
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    contacts : bool
        Mark the contact points of the last step.
    normals : bool or float
        Draw an arrow along each contact's normal, with a length proportional to its impulse; see
        `contacts`.
    joints : bool
        Draw the joints; see `joints`.
    aabbs : bool
        Draw the bounds of the colliders.
    tree : bool, int or iterable of int
        Draw the boxes of the tree that answers queries: all levels, or those named; see `tree`.
    velocities : bool or float
        Draw the velocities; see `velocities`.
    islands : bool
        Colour bodies by island instead of by what they do; see `islands`.
    color : str, color or sequence of n colors
        What colours say: ``"state"`` (static, kinematic, awake, asleep), ``"shape"`` (how many
        vertices), ``"speed"`` (of the centre of mass, with a scale); or a colour of Matplotlib for
        all that moves; or one for each slot of the world.
    legend : bool
        Say what the colours mean, if there are several.
    view : (x_min, y_min, x_max, y_max), optional
        The part to show, metres, to which a strip for the legend may be added. By default what
        moves and what is near to it; limits that were set on ``ax`` before are kept. A wrapped
        world is shown from side to side, bodies on a seam on both.
    linewidth : float, optional
        Width of the outlines, points; by default finer the more bodies there are.

    Returns
    -------
    Axes
        Equal aspect, metres on both axes.

    Raises
    ------
    ValueError
        If ``view`` is no rectangle, a scale not positive, ``color`` none of these, or given beside
        ``islands``.
    IndexError
        If the tree has no such level.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> w = p2.World()
    >>> ball = w.add_body(p2.Circle(1))
    >>> axes = p2.plot.world(w)
    """
    _arguments.instance("world", world, World)
    _arguments.scale("normals", normals)
    _arguments.scale("velocities", velocities)
    ax = _style.target(ax)
    speeds = np.hypot(*world.velocities.T)
    paint = painter(color, ax, len(speeds), float(speeds.max(initial=0.0)))
    if islands and paint is not None:
        raise ValueError("color: must be 'state' beside islands=True, which colours too")
    bodies = Bodies(world, ax, linewidth=linewidth)
    moving, fixed = bodies.boxes(world.positions, world.angles)
    places = joint_points(world) if joints else np.empty((0, 2))
    held = np.stack([places, places], axis=1)
    ours = _style.frame(ax, view, np.concatenate([moving, held]), fixed, world.wrap)
    if islands:
        _paint_islands(ax, world, bodies)
    elif paint is not None:
        paint.paint(bodies, speeds)
        if legend:
            paint.scale(ax)
    elif legend:
        bodies.key()
    if aabbs:
        draw_aabbs(ax, world.aabbs)
    if tree is not False:
        _draw_tree(ax, world.tree(), None if tree is True else tree)
    if velocities is not False:
        _draw_velocities(ax, world, None if velocities is True else velocities)
    sizes = np.append((moving[:, 1] - moving[:, 0]).max(axis=1), 0)
    if joints:
        draw_joints(ax, world, float(np.nanmedian(sizes)))
    if contacts:
        rows = world.contacts
        if world.wrap is not None:
            finite = np.isfinite(world.wrap)
            rows["point"][:, finite] %= world.wrap[finite]
        draw_contacts(ax, rows, normals, world.kinds, float(np.nanmedian(sizes)))
    if legend:
        taken = bodies.points(world.positions, world.angles)
        _style.legend(ax, np.concatenate([taken, places]), headroom=ours)
    if ours and view is None:
        _style.remember(ax)
    return ax


# ---------------------------------------------------------------------------------------- contacts
def contacts(
    source: World | Manifold | NDArray[np.void],
    ax: Axes | None = None,
    *,
    normals: bool | float = True,
    legend: bool = True,
) -> Axes:
    """Draw contact points, and their normal impulses as arrows.

    The length of an arrow is proportional to the normal impulse of the contact. It shows the
    impulse on body b, or, in the picture of a world where body b cannot move, that on body a.

    Parameters
    ----------
    source : World, structured ndarray or Manifold
        A world, rows like those of ``world.contacts`` or ``body.contacts``, or what
        ``geometry.collide`` gives. Without a column of impulses all arrows are equally long; an
        impulse of 0 has none.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    normals : bool or float
        Whether to draw arrows. A number is their scale in metres per newton second, and lets
        pictures be compared. By default 95 of 100 arrows are shorter than 6 % of the picture, and
        none is longer than twice that.
    legend : bool
        Say how many newton seconds the longest arrow means.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError
        If there are no contacts in ``source``.
    ValueError
        If the scale of the arrows is not positive.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> hit = p2.geometry.collide(p2.Circle(1), p2.Circle(1), (0, 0, 0), (1.9, 0, 0))
    >>> axes = p2.plot.contacts(hit)
    """
    _arguments.scale("normals", normals)
    ax = _style.target(ax)
    kinds = None
    match source:
        case World():
            rows: Any = source.contacts
            kinds = source.kinds
        case Manifold():
            rows = _manifold_rows(source)
        case np.ndarray() if _tables.has(source, "point") and _tables.has(source, "normal"):
            rows = source
        case _:
            raise TypeError(
                "source: must be a World, a Manifold or rows of contacts with columns point and "
                f"normal, got {type(source).__name__}"
            )
    _style.metres(ax)
    points = _tables.vector(rows, "point")
    _style.include(ax, points)
    draw_contacts(ax, rows, normals, kinds)
    if legend:
        _style.settle(ax, points)
    return ax


def _manifold_rows(manifold: Manifold) -> NDArray[np.void]:
    points = manifold.points
    rows = np.zeros(len(points), [("normal", "f8", 2), ("point", "f8", 2), ("separation", "f8")])
    if len(points):
        rows["normal"], rows["point"] = manifold.normal, points
        rows["separation"] = manifold.separations
    return rows


def draw_contacts(
    ax: Axes,
    rows: Any,
    normals: bool | float,
    kinds: NDArray[np.uint8] | None,
    size: float = np.inf,
) -> None:
    """``size`` is that of a typical body, metres: in a pile the arrows stay about as short."""
    names = rows.dtype.names
    impulses = rows["normal_impulse"] if "normal_impulse" in names else None
    if impulses is not None:
        # Those that only wait for the bodies to come closer say nothing.
        touching = (impulses > 0) | (rows["separation"] <= 0)
        rows, impulses = rows[touching], impulses[touching]
    if not len(rows):
        return
    color, view = _style.theme(ax).bad, _style.shown(ax)
    points = _tables.vector(rows, "point")
    directions = normals_to_b = _tables.vector(rows, "normal")
    if kinds is not None:
        # Where b cannot move, what is worth seeing is the push on a.
        directions = np.where((kinds[rows["body_b"]] == _style.DYNAMIC)[:, None], 1, -1)
        directions = directions * normals_to_b
    label = "contact"
    if normals is not False:
        across = _style.diagonal(view)
        least = float(np.clip(0.38 / np.sqrt(len(rows)), 0.02, 0.06))  # a few are seen from afar
        reach = float(np.clip(size, least * across, 0.06 * across))
        lengths, meaning = _lengths(impulses, reach, len(rows), normals)
        label += meaning
        far = lengths > 0
        vectors = lengths[far, None] * directions[far]
        width = float(np.clip(24 / np.sqrt(len(rows)), 0.5, 1.4))
        if far.any():
            _style.arrows(ax, points[far], vectors, color, width=width, gid="contact normals")
    ax.plot(
        points[:, 0],
        points[:, 1],
        "o",
        color=color,
        markersize=float(np.clip(13 / len(rows) ** 0.25, 1.0, 3.7)),
        markeredgewidth=0,
        zorder=_style.Z_MARKS,
        label=label,
        scalex=False,
        scaley=False,
        gid="contact points",
    )


def _lengths(
    impulses: Array | None, reach: float, count: int, normals: bool | float
) -> tuple[Array, str]:
    """Length of each arrow, metres, and what the longest one means."""
    if impulses is None:
        return np.full(count, reach), ""
    if not (impulses > 0).any():
        return np.zeros(count), ""
    if normals is not True:
        scale, most = float(normals), np.inf
    else:
        # By most of them, so that one blow does not make all others invisible.
        scale = reach / float(np.percentile(impulses[impulses > 0], 95))
        most = 2 * reach
    lengths = np.minimum(scale * impulses, most)
    return lengths, f", impulse up to {float(lengths.max()) / scale:.2g} N s"


# ------------------------------------------------------------------------------------------ bounds
def aabbs(
    source: World | ArrayLike,
    ax: Axes | None = None,
    *,
    color: Any = None,
    label: str | None = "bounds",
    linestyle: str = "-",
) -> Axes:
    """Draw axis-aligned boxes.

    Parameters
    ----------
    source : World or array_like, shape (n, 2, 2)
        A world, of which the bounds of all colliders are drawn, or boxes ``[[lower], [upper]]``,
        metres. Boxes of NaN are left out.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    color : color, optional
    label : str, optional
        Text in the legend, if the axes have one.
    linestyle : str

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If the boxes are of another shape.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> axes = p2.plot.aabbs([[(0, 0), (1, 2)], [(3, 0), (4, 1)]])
    """
    boxes = source.aabbs if isinstance(source, World) else _arguments.numbers("source", source)
    if boxes.ndim != 3 or boxes.shape[1:] != (2, 2):
        raise ValueError(f"source: boxes must be of shape (n, 2, 2), got {boxes.shape}")
    ax = _style.target(ax)
    _style.metres(ax)
    _style.include(ax, boxes)
    draw_aabbs(ax, boxes, color, label, linestyle)
    return ax


def draw_aabbs(
    ax: Axes,
    boxes: Array,
    color: Any = None,
    label: str | None = "bounds",
    linestyle: str = "-",
) -> None:
    boxes = boxes[np.isfinite(boxes).all(axis=(1, 2))]
    artist = _style.boxes_artist(
        boxes,
        edgecolors=_style.theme(ax).accent if color is None else color,
        linewidths=float(np.clip(24 / np.sqrt(len(boxes) + 1), 0.3, 1.0)),
        linestyles=linestyle,
        label=label,
        gid="bounds",
    )
    ax.add_collection(artist, autolim=False)


def tree(
    source: World | AABBTree | NDArray[np.void],
    ax: Axes | None = None,
    *,
    level: int | Iterable[int] | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the boxes of a tree, coloured by level.

    Parameters
    ----------
    source : World, AABBTree or structured ndarray
        A world, of which the tree that answers queries is drawn; a tree; or its rows as
        ``world.tree()`` and ``AABBTree.nodes`` give them.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    level : int or iterable of int, optional
        Draw these levels only; 0 is the root. By default all.
    legend : bool
        Name the levels. If they are more than ten, neighbours share a colour and an entry.

    Returns
    -------
    Axes

    Raises
    ------
    IndexError
        If the tree has no such level.
    TypeError
        If ``source`` is no tree or a level no int.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> boxes = p2.AABBTree()
    >>> for x in range(8):
    ...     _ = boxes.insert((x, 0), (x + 0.5, 1))
    >>> axes = p2.plot.tree(boxes, level=[0, 1])
    """
    match source:
        case World():
            rows: Any = source.tree()
        case AABBTree():
            rows = source.nodes
        case np.ndarray() if source.dtype.names and "parent" in source.dtype.names:
            rows = source
        case _:
            raise TypeError(
                "source: must be a World, an AABBTree or the rows of one, "
                f"got {type(source).__name__}"
            )
    ax = _style.target(ax)
    _style.metres(ax)
    alive = rows["height"] >= 0
    _style.include(ax, np.concatenate([rows["lower"][alive], rows["upper"][alive]]))
    _draw_tree(ax, rows, level)
    if legend:
        boxes = np.stack([rows["lower"][alive], rows["upper"][alive]], axis=1)
        _style.settle(ax, _style.along(_style.corners_of(boxes)))
    return ax


def levels_of(rows: Any) -> NDArray[np.intp]:
    """Level of each node of a tree, 0 for the root and -1 for free rows, shape (n,)."""
    levels = np.full(len(rows), -1, np.intp)
    front = np.flatnonzero((rows["height"] >= 0) & (rows["parent"] < 0))
    depth = 0
    while len(front):
        levels[front] = depth
        depth += 1
        children = np.concatenate([rows["child_a"][front], rows["child_b"][front]])
        front = children[children >= 0]
    return levels


def _draw_tree(ax: Axes, rows: Any, level: int | Iterable[int] | None) -> None:
    levels = levels_of(rows)
    deepest = int(levels.max(initial=-1))
    wanted = _wanted(level, deepest)
    boxes = np.stack([rows["lower"], rows["upper"]], axis=1)
    # The map's darkest or lightest end, whichever cannot be seen, is left out.
    low, high = (0.25, 1.0) if _style.theme(ax).dark else (0.0, 0.8)
    bands = np.array_split(wanted, min(MOST_LEVELS, len(wanted))) if len(wanted) else []
    for band in bands:
        share = float(band.mean()) / max(deepest, 1)
        first, last = int(band[0]), int(band[-1])
        name = f"level {first}" if first == last else f"levels {first} to {last}"
        for depth in band.tolist():
            artist = _style.boxes_artist(
                boxes[levels == depth],
                edgecolors=[colormaps["viridis"](low + (high - low) * share)],
                linewidths=float(np.clip(2.0 - 0.35 * depth, 0.5, 2.0)),
                zorder=_style.Z_BOXES + 0.01 * depth,  # thin lines on the thick ones they share
                label=name + (" (root)" if last == 0 else "") if depth == first else None,
                gid=f"tree level {depth}",
            )
            ax.add_collection(artist, autolim=False)


def _wanted(level: int | Iterable[int] | None, deepest: int) -> NDArray[np.intp]:
    """The levels to draw, rising; of an empty tree (``deepest`` -1) none, whatever was asked."""
    if level is None:
        return np.arange(deepest + 1)
    found = set()
    for each in level if isinstance(level, Iterable) else [level]:
        if isinstance(each, bool | np.bool_) or not isinstance(each, SupportsIndex):
            raise TypeError(f"level: must be an int or ints, got {each!r}")
        number = each.__index__()
        if number < 0 or number > deepest >= 0:
            raise IndexError(f"level: must be from 0 to {max(deepest, 0)}, got {number}")
        found.add(number)
    return np.array(sorted(found) if deepest >= 0 else [], np.intp)


# ----------------------------------------------------------------------------------------- islands
def islands(
    world: World,
    ax: Axes | None = None,
    *,
    view: tuple[float, float, float, float] | None = None,
    numbers: bool = True,
) -> Axes:
    """Draw the bodies of a world, coloured by the island they belong to.

    An island is a set of moving bodies that touch each other, directly or through others; what does
    not move belongs to none and is grey. Islands that sleep are paler. Six colours take turns.

    Parameters
    ----------
    world : World
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    view : (x_min, y_min, x_max, y_max), optional
        The part to show, metres.
    numbers : bool
        Write each island's number on it, if there are at most 24.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pyphys2d as p2
    >>> w = p2.World()
    >>> slots = w.add_bodies(p2.Box(1, 1), [(0, 0), (0, 1), (4, 0)])
    >>> w.step()
    >>> axes = p2.plot.islands(w)
    """
    _arguments.instance("world", world, World)
    ax = _style.target(ax)
    bodies = Bodies(world, ax)
    _style.frame(ax, view, *bodies.boxes(world.positions, world.angles), world.wrap)
    _paint_islands(ax, world, bodies, numbers)
    return ax


def island_colors(ax: Axes, numbers: NDArray[np.integer[Any]], pale: NDArray[np.bool_]) -> Array:
    """RGBA of the islands with these numbers, (n, 4); mixed with the paper where pale."""
    colors = _style.theme(ax)
    cycle = to_rgba_array(colors.cycle)[:6]  # the next is black or white, pale: grey
    result = cycle[numbers % len(cycle)]
    paper = to_rgba_array(colors.paper)
    share = np.where(pale[:, None], 0.35, 0.7)
    return np.asarray(share * result + (1 - share) * paper)


def _paint_islands(ax: Axes, world: World, bodies: Bodies, numbers: bool = True) -> None:
    members = world.islands[: len(bodies.kinds)]
    states = bodies.states
    table, lines = _style.theme(ax).state_colors()
    # Whatever has no island is grey: the colours of kinds and sleep look like those of islands.
    faces, edges = table[np.full(len(states), _style.STATIC)], lines[states]
    inside = members >= 0
    pale = states[inside] == _style.ASLEEP
    faces[inside] = island_colors(ax, members[inside], pale)
    edges[inside] = to_rgba_array(_style.theme(ax).muted if _style.theme(ax).dark else "#404040")
    bodies.paint(faces, edges)
    known, index = np.unique(members[inside], return_inverse=True)
    if not numbers or len(known) > MOST_NUMBERS:
        return
    places = world.positions[: len(members)][inside]
    for k, number in enumerate(known):
        mine = places[index == k]
        middle = mine.mean(axis=0)
        at = mine[np.argmin(((mine - middle) ** 2).sum(axis=1))]  # on a body, also in an arch
        _style.text(ax, at, str(number), _style.theme(ax).text, fontweight="bold", gid="island")


# -------------------------------------------------------------------------------------- velocities
def velocities(
    world: World,
    ax: Axes | None = None,
    *,
    scale: float | None = None,
    color: Any = None,
    legend: bool = True,
) -> Axes:
    """Draw the velocities of bodies as arrows from their centres of mass.

    Parameters
    ----------
    world : World
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    scale : float, optional
        Seconds: an arrow is the displacement of the body in this time. By default a round number
        that makes the arrows fit the picture.
    color : color, optional
    legend : bool
        Say how many seconds it is.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If ``scale`` is not a positive number.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> w = p2.World()
    >>> ball = w.add_body(p2.Circle(1), velocity=(3, 1))
    >>> axes = p2.plot.velocities(w, p2.plot.world(w))
    """
    _arguments.instance("world", world, World)
    if scale is not None:
        _arguments.scale("scale", scale, flag=False)
    ax = _style.target(ax)
    _style.metres(ax)
    centers = centers_of(world, world.positions, world.angles)
    _style.include(ax, centers)
    _draw_velocities(ax, world, scale, color)
    if legend:
        _style.settle(ax, centers)
    return ax


def centers_of(world: World, positions: Array, angles: Array) -> Array:
    """Centres of mass of a world's bodies at these poses, (n, 2), metres; NaN for no body."""
    local = np.full((len(positions), 2), np.nan)
    for body in world.bodies:
        if body.index < len(local):
            local[body.index] = body.center_of_mass
    cos, sin = np.cos(angles), np.sin(angles)
    turned = [cos * local[:, 0] - sin * local[:, 1], sin * local[:, 0] + cos * local[:, 1]]
    return np.asarray(positions + np.column_stack(turned))


def _draw_velocities(ax: Axes, world: World, scale: float | None = None, color: Any = None) -> None:
    centers = centers_of(world, world.positions, world.angles)
    draw_velocity_arrows(ax, centers, world.velocities, scale, color)


def draw_velocity_arrows(
    ax: Axes, centers: Array, rates: Array, scale: float | None = None, color: Any = None
) -> None:
    """Arrows for velocities (n, 2) at the centres (n, 2); rows at rest or of NaN have none."""
    speeds = np.hypot(rates[:, 0], rates[:, 1])
    moving = (speeds > 0) & np.isfinite(centers).all(axis=1)
    if not moving.any():
        return
    if scale is None:
        fast = float(np.percentile(speeds[moving], 95))
        scale = _style.nice(0.1 * _style.diagonal(_style.shown(ax)) / fast)
    color = _style.theme(ax).good if color is None else color
    _style.arrows(
        ax,
        centers[moving],
        scale * rates[moving],
        color,
        width=float(np.clip(24 / np.sqrt(moving.sum()), 0.6, 1.4)),
        gid="velocities",
    )
    _style.arrow_key(ax, color, f"displacement in {scale:g} s")
