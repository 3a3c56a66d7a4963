"""Draws quantities of a run over time: energy, momentum, penetration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter
from numpy.typing import ArrayLike, NDArray

from pyphys2d.plot import _arguments, _style
from pyphys2d.trajectory import Trajectory

Array = NDArray[np.float64]
Labels = str | Sequence[str] | None

STYLES = ("-", "--", ":", "-.")  # so that lines also differ in print


def energy(
    times: Trajectory | ArrayLike,
    values: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    label: Labels = None,
) -> Axes:
    """Draw energy over time.

    Parameters
    ----------
    times : Trajectory or array_like, shape (n,)
        A trajectory, of which kinetic and potential energy and their sum are drawn; or seconds.
    values : array_like, shape (n,) or (n, k), optional
        Joules, a column for each line. Two columns without labels are kinetic and potential energy,
        and their sum is drawn too.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes. Runs to be compared go into the same axes.
    label : str or sequence of str, optional
        Name of the line or of each line; for a trajectory the name of the run, of which then only
        the sum is drawn.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    TypeError
        If times are given without values.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> world = p2.World()
    >>> ball = world.add_body(p2.Circle(1))
    >>> axes = p2.plot.energy(p2.Trajectory.record(world, steps=30))
    """
    if isinstance(times, Trajectory):
        run = times
        kinetic, potential = run.kinetic_energy, run.potential_energy
        with np.errstate(invalid="ignore", over="ignore"):
            total = kinetic + potential
        if label is None:
            columns, names = np.column_stack([kinetic, potential, total]), list(ENERGIES)
        else:
            columns, names = total[:, None], _names(label, 1)
        seconds = run.times
    else:
        seconds, columns = _table(times, values)
        if columns.shape[1] == 2 and label is None:
            columns = np.column_stack([columns, columns.sum(axis=1)])
            label = ENERGIES
        names = _names(label, columns.shape[1])
    return _draw(seconds, columns, names, ax, "energy", "J")


ENERGIES = ("kinetic", "potential", "total")


def momentum(
    times: Trajectory | ArrayLike,
    values: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    angular: bool = False,
    label: Labels = None,
) -> Axes:
    """Draw momentum over time.

    Parameters
    ----------
    times : Trajectory or array_like, shape (n,)
        A trajectory or seconds.
    values : array_like, shape (n,) or (n, k), optional
        Newton seconds, a column for each line; two columns without labels are x and y. With
        ``angular`` in kg m²/s.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    angular : bool
        Draw angular momentum (of a trajectory: about the origin) instead.
    label : str or sequence of str, optional
        Name of the line or of each line; for a trajectory the name of the run.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    TypeError
        If times are given without values.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> axes = p2.plot.momentum([0, 1, 2], [(1, 0), (1, -9.81), (1, -19.62)])
    """
    if isinstance(times, Trajectory):
        values = times.angular_momentum if angular else times.momentum
        times, prefix = times.times, "" if label is None else f"{label}, "
        label = [f"{prefix}{axis}" for axis in "xy"] if not angular else label
    seconds, columns = _table(times, values)
    if columns.shape[1] == 2 and label is None and not angular:
        label = ("x", "y")
    names = _names(label, columns.shape[1])
    if angular:
        return _draw(seconds, columns, names, ax, "angular momentum", "kg m²/s")
    return _draw(seconds, columns, names, ax, "momentum", "N s")


def penetration(
    times: Trajectory | ArrayLike,
    values: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    label: Labels = None,
) -> Axes:
    """Draw over time how deep bodies overlap.

    Parameters
    ----------
    times : Trajectory or array_like, shape (n,)
        A trajectory, of which the deepest contact of each frame is drawn; or seconds.
    values : array_like, shape (n,) or (n, k), optional
        Metres, >= 0, a column for each line.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.
    label : str or sequence of str, optional
        Name of the line or of each line.

    Returns
    -------
    Axes
        Its vertical axis starts at 0.

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    TypeError
        If times are given without values.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> axes = p2.plot.penetration([0, 1, 2], [0, 0.002, 0.001], label="soft step")
    """
    if isinstance(times, Trajectory):
        values, times = times.penetration, times.times
    seconds, columns = _table(times, values)
    ax = _draw(seconds, columns, _names(label, columns.shape[1]), ax, "penetration", "m")
    ax.set_ylabel("penetration")
    ax.yaxis.set_major_formatter(EngFormatter(unit="m"))  # 2 mm is easier to read than 0.002
    ax.set_ylim(bottom=0, auto=None)
    return ax


def paths(
    trajectory: Trajectory,
    bodies: str | int | Sequence[str | int] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the paths of bodies of a trajectory.

    Over a picture of `world` that chose its own limits, these grow so that the paths are seen.

    Parameters
    ----------
    trajectory : Trajectory
    bodies : str, int or sequence of them, optional
        Names or columns, as in `Trajectory.sel`; by default all bodies.
    ax : Axes, optional
        Where to draw; by default pyplot's current axes.

    Returns
    -------
    Axes

    Raises
    ------
    KeyError
        For a name that no body has.
    IndexError
        For a column that is not there.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> world = p2.World()
    >>> ball = world.add_body(p2.Circle(1), velocity=(3, 5))
    >>> axes = p2.plot.paths(p2.simulate(world, 1.0), [0])
    """
    columns = trajectory._columns_of(bodies).tolist()
    ax = _style.target(ax)
    _style.metres(ax)
    cycle = _style.theme(ax).cycle
    lines = [trajectory.path(body) for body in columns]
    for k, (body, line) in enumerate(zip(columns, lines, strict=True)):
        name = trajectory.body_names[body]
        style: dict[str, Any] = {"label": name} if name and len(columns) <= len(cycle) else {}
        ax.plot(*line.T, color=cycle[k % len(cycle)], linewidth=1.2, **style)
    points = np.concatenate([np.empty((0, 2)), *lines])
    if _style.widen(ax, points):
        _style.legend(ax, points, headroom=True)
        _style.remember(ax)
    elif ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize="small", framealpha=0.85)
    return ax


def _table(times: ArrayLike, values: ArrayLike | None) -> tuple[Array, Array]:
    """Seconds (n,) and columns (n, k)."""
    if values is None:
        raise TypeError("values: must be given beside times, unless times is a Trajectory")
    seconds, columns = _arguments.numbers("times", times), _arguments.numbers("values", values)
    if seconds.ndim != 1:
        raise ValueError(f"times: must be of shape (n,), got {seconds.shape}")
    if columns.ndim not in (1, 2) or len(columns) != len(seconds):
        n = len(seconds)
        raise ValueError(f"values: must be of shape ({n},) or ({n}, k), got {columns.shape}")
    return seconds, columns.reshape(len(seconds), -1 if columns.size else 1)


def _names(label: Any, count: int) -> list[str]:
    """A label for each column; empty for none."""
    if label is None:
        return [""] * count
    if not isinstance(label, Iterable):
        kind = type(label).__name__
        raise TypeError(f"label: must be a str or a sequence of str, got {kind}")
    names = [label] if isinstance(label, str) else list(label)
    if len(names) != count:
        raise ValueError(f"label: must name {count} line{'s' * (count != 1)}, got {label!r}")
    return names


def _draw(
    seconds: Array, columns: Array, names: list[str], ax: Axes | None, quantity: str, unit: str
) -> Axes:
    ax = _style.target(ax)
    cycle = _style.theme(ax).cycle
    before = len(ax.lines)
    for k, (column, name) in enumerate(zip(columns.T, names, strict=True)):
        style: dict[str, Any] = {"label": name} if name else {}
        ax.plot(
            seconds,
            column,
            color=cycle[(before + k) % len(cycle)],
            linestyle=STYLES[(before + k) % len(STYLES)],
            linewidth=1.6,
            **style,
        )
    ax.set_xlabel("time (s)")
    ax.set_ylabel(f"{quantity} ({unit})")
    if any(names):
        ax.legend(fontsize="small", framealpha=0.85)
    return ax
