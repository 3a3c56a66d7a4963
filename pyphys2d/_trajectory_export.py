"""Trajectories as data frames, datasets and stores of other libraries, and as HTML.

The libraries are imported when they are used; without one, the error names the extra.
"""

from __future__ import annotations

import os
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyphys2d import _files
from pyphys2d._recording import EVENT_TABLES

if TYPE_CHECKING:
    import pandas
    import xarray

    from pyphys2d.trajectory import Trajectory

# What of a trajectory writes files of other kinds, by suffix; "" where nothing does.
WRITTEN_BY = {
    **dict.fromkeys((".gif", ".mp4"), "run.animate().save({})"),
    **dict.fromkeys((".html", ".htm"), "run.to_html({})"),
    **dict.fromkeys(
        (".png", ".svg", ".pdf", ".jpg", ".jpeg", ".webp"), "run.plot_paths().figure.savefig({})"
    ),
    **dict.fromkeys((".csv", ".txt"), "run.to_dataframe().to_csv({})"),
    ".json": "run.to_dataframe().to_json({})",
    ".npz": "run.save({})",
    ".parquet": "run.to_parquet({})",
    ".zarr": "run.to_zarr({})",
    **dict.fromkeys((".bin", ".npy", ".pickle", ".pkl", ".webm"), ""),
}

MOST_PLAYED = 3_000_000  # poses that are put into a notebook
MOST_PATHS, MOST_POINTS = 200, 200  # of the picture in notebooks


def needs(module: str, what: str) -> Any:
    """A module of the extra ``data``."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {module}: install pyphys2d with its extra data, pyphys2d[data]"
        ) from error


# ------------------------------------------------------------------------------------ tables
def columns(trajectory: Trajectory, table: str) -> dict[str, NDArray[Any]]:
    """The columns of a table by name."""
    if table == "bodies":
        return _bodies(trajectory)
    if table == "frames":
        return {
            "time": trajectory.times,
            "step": trajectory.steps,
            "kinetic_energy": trajectory.kinetic_energy,
            "potential_energy": trajectory.potential_energy,
            "momentum_x": trajectory.momentum[:, 0],
            "momentum_y": trajectory.momentum[:, 1],
            "angular_momentum": trajectory.angular_momentum,
            "penetration": trajectory.penetration,
        }
    if table in ("contacts", "joints"):
        rows = getattr(trajectory, table)
        counts = np.diff(getattr(trajectory, f"{table[:-1]}_offsets"))
        frame = np.repeat(np.arange(len(counts)), counts)
        own = {name: rows[name] for name in rows.dtype.names}
        return {"frame": frame, "time": trajectory.times[frame], **own}
    if table in EVENT_TABLES:
        rows = trajectory.events[table]
        return {name: rows[name] for name in rows.dtype.names or ()}
    known = ", ".join(("bodies", "frames", "contacts", "joints", *EVENT_TABLES))
    raise ValueError(f"table: must be one of {known}, got {table!r}")


def _bodies(trajectory: Trajectory) -> dict[str, NDArray[Any]]:
    frame, body = np.nonzero(~np.isnan(trajectory.angles))
    at = frame, body
    return {
        "frame": frame,
        "time": trajectory.times[frame],
        "body": body,
        "name": np.array(trajectory.body_names, object)[body],
        "x": trajectory.positions[..., 0][at],
        "y": trajectory.positions[..., 1][at],
        "angle": trajectory.angles[at],
        "velocity_x": trajectory.velocities[..., 0][at],
        "velocity_y": trajectory.velocities[..., 1][at],
        "angular_velocity": trajectory.angular_velocities[at],
        "awake": trajectory.awake[at],
    }


def dataframe(trajectory: Trajectory, table: str) -> pandas.DataFrame:
    pandas = needs("pandas", "to_dataframe")
    return pandas.DataFrame(columns(trajectory, table))


def parquet(trajectory: Trajectory, path: str | os.PathLike[str], table: str) -> None:
    needs("pyarrow", "to_parquet")
    frame = dataframe(trajectory, table)
    _files.save(path, lambda place: frame.to_parquet(place, index=False, engine="pyarrow"))


# ------------------------------------------------------------------------------------ datasets
def dataset(trajectory: Trajectory) -> xarray.Dataset:
    xarray = needs("xarray", "to_xarray")
    variables: dict[str, Any] = {
        "step": ("time", trajectory.steps),
        "position": (("time", "body", "axis"), trajectory.positions),
        "angle": (("time", "body"), trajectory.angles),
        "velocity": (("time", "body", "axis"), trajectory.velocities),
        "angular_velocity": (("time", "body"), trajectory.angular_velocities),
        "awake": (("time", "body"), trajectory.awake),
        "kinetic_energy": ("time", trajectory.kinetic_energy),
        "potential_energy": ("time", trajectory.potential_energy),
        "momentum": (("time", "axis"), trajectory.momentum),
        "angular_momentum": ("time", trajectory.angular_momentum),
        "penetration": ("time", trajectory.penetration),
        "kind": ("body", trajectory.kinds),
    }
    for table in ("contacts", "joints", *EVENT_TABLES):
        own = columns(trajectory, table)
        own.pop("time", None)
        if len(next(iter(own.values()))) or (table == "contacts" and trajectory.has_contacts):
            variables |= {f"{table}_{name}": (table, values) for name, values in own.items()}
    coordinates = {
        "time": ("time", trajectory.times, {"units": "s"}),
        "axis": ("axis", np.array([0, 1], np.int8), {"meaning": "0: x, 1: y"}),
        "body": ("body", np.arange(len(trajectory.body_names))),
    }
    facts: dict[str, Any] = {"name": trajectory.name, "body_names": list(trajectory.body_names)}
    if trajectory.wrap is not None:
        facts["wrap"] = [float(side) for side in trajectory.wrap]
    return xarray.Dataset(variables, coordinates, facts)  # type: ignore[no-any-return]


def zarr(trajectory: Trajectory, path: str | os.PathLike[str]) -> None:
    needs("zarr", "to_zarr")
    dataset(trajectory).to_zarr(os.fspath(path), mode="w", consolidated=False)


# ------------------------------------------------------------------------------------ HTML
def summary(trajectory: Trajectory) -> str:
    frames, bodies = len(trajectory), len(trajectory.body_names)
    name = f"{trajectory.name!r}, " if trajectory.name else ""
    if not frames:
        return f"{name}no frames"
    first, last = (f"{round(float(time), 3):g}" for time in trajectory.times[[0, -1]])
    when = f"{first} to {last} s" if frames > 1 else f"at {first} s"
    return f"{name}{_count(frames, 'frame')} of {_count_bodies(bodies)}, {when}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _count_bodies(number: int) -> str:
    return "1 body" if number == 1 else f"{number} bodies"


def html(trajectory: Trajectory) -> str:
    """A line of words, a table of what was recorded, and a player; of long runs paths."""
    rows = {"frames": len(trajectory), "bodies": len(trajectory.body_names)}
    if trajectory.has_contacts:
        rows["contact points"] = len(trajectory.contacts)
    if len(trajectory.joints):
        rows["joints, of all frames"] = len(trajectory.joints)
    rows |= {f"events, {k}": len(v) for k, v in trajectory.events.items() if len(v)}
    table = "".join(f"<tr><td>{escape(k)}</td><td>{v}</td></tr>" for k, v in rows.items())
    return (
        f"<div><strong>Trajectory</strong> {escape(summary(trajectory))}"
        f"<table>{table}</table>{_moving(trajectory)}</div>"
    )


def _moving(trajectory: Trajectory) -> str:
    poses = len(trajectory) * len(trajectory.body_names)
    if len(trajectory) < 2 or not 0 < poses <= MOST_PLAYED:
        return _paths(trajectory)
    from pyphys2d import _player

    return _player.notebook_html(trajectory)


def _paths(trajectory: Trajectory) -> str:
    moving = np.flatnonzero(trajectory.kinds == 2)[:MOST_PATHS]
    some = np.unique(np.linspace(0, max(len(trajectory) - 1, 0), MOST_POINTS).astype(int))
    if not len(moving) or not len(trajectory):
        return ""
    places = trajectory.positions[some][:, moving]
    lived = np.isfinite(places).all(axis=-1)
    if not lived.any():
        return ""
    low, high = places[lived].min(axis=0), places[lived].max(axis=0)
    size = float(max((high - low).max(), 1e-9))
    with np.errstate(invalid="ignore", over="ignore"):
        drawn = np.round((places - low) / size * 300, 1)
    lines = []
    for k in range(len(moving)):
        points = drawn[lived[:, k], k]
        line = " ".join(f"{x:g},{300 - y:g}" for x, y in points if np.isfinite([x, y]).all())
        lines.append(f'<polyline points="{line}"/>')
    top = 300 - 300 * float((high - low)[1]) / size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="320" viewBox="-8 {top - 8:.1f} 316 '
        f'{316 - top:.1f}"><g fill="none" stroke="#3a7ca5" stroke-opacity="0.6">'
        f"{''.join(lines)}</g></svg>"
    )
