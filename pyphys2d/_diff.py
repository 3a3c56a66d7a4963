"""Where two worlds differ: `World.diff`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyphys2d import _core
from pyphys2d._core import World

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SHOWN = 12  # rows that print

SETTINGS = (
    *("time", "step_count", "gravity", "wrap", "length_unit", "substeps", "solver", "sleeping"),
    "continuous",
    *("contact_hertz", "contact_damping_ratio", "contact_push_speed", "joint_hertz"),
    *("joint_damping_ratio", "restitution_threshold", "hit_event_threshold", "max_speed"),
    *("max_angular_speed", "linear_damping", "angular_damping", "friction_rule"),
    *("restitution_rule", "material_pairs"),
    *("iterations", "baumgarte", "slop", "warm_starting", "accumulate", "positional_correction"),
    "response",
)
BODY = (
    *("kind", "position", "angle", "velocity", "angular_velocity", "mass", "inertia"),
    *("center_of_mass", "awake", "bullet", "fixed_rotation", "gravity_scale", "linear_damping"),
    *("angular_damping", "enabled", "can_sleep", "sleep_threshold", "lock_x", "lock_y"),
    "name",
)
COLLIDER = (
    *("shape", "density", "friction", "restitution", "rolling_resistance", "tangent_speed"),
    *("category", "mask", "group", "sensor", "pre_solve", "material", "friction_rule"),
    *("restitution_rule", "segments"),
)


class Diff(list[tuple[str, Any, Any]]):
    """Rows (path, a, b), which print as a table."""

    def __repr__(self) -> str:
        if not self:
            return "<no difference>"
        rows = [(path, _short(a), _short(b)) for path, a, b in self[:SHOWN]]
        widths = [max(len(row[k]) for row in rows) for k in range(2)]
        lines = [f"{path:<{widths[0]}}  {a:<{widths[1]}}  {b}" for path, a, b in rows]
        more = len(self) - len(rows)
        return "\n".join([*lines, *([f"and {more} more"] if more > 0 else [])])


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 48 else text[:45] + "..."


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _nested(value.tolist()) if value.ndim else value.item()
    return value.item() if isinstance(value, np.generic) else value


def _nested(value: Any) -> Any:
    return tuple(map(_nested, value)) if isinstance(value, list) else value


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b) or (a != a and b != b)


def _rows(path: str, a: Any, b: Any, names: Iterable[str]) -> Iterator[tuple[str, Any, Any]]:
    for name in names:
        x, y = (_plain(getattr(thing, name, None)) for thing in (a, b))
        if not _same(x, y):
            yield f"{path}{name}", x, y


def _pairs(name: str, a: Any, b: Any) -> Iterator[tuple[str, Any, Any]]:
    """Those of both collections by index; what is in one alone has None beside it."""
    ones, others = ({thing.index: thing for thing in things} for things in (a, b))
    for index in sorted(ones.keys() | others.keys()):
        yield f"{name}[{index}]", ones.get(index), others.get(index)


def _table(name: str, a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> Iterator[Any]:
    if len(a) != len(b):
        yield f"len({name})", len(a), len(b)
    count = min(len(a), len(b))
    for field in a.dtype.names or ():
        if field == "id":  # who it is, not how it is: as of bodies
            continue
        x, y = a[field][:count], b[field][:count]
        differs = ~((x == y) | ((x != x) & (y != y)))
        differs = differs.reshape(count, -1).any(axis=1) if count else differs
        for row in np.flatnonzero(differs).tolist():
            yield f"{name}[{row}].{field}", _plain(x[row]), _plain(y[row])


def compare(a: World, b: World) -> Diff:
    """See World.diff."""
    if not isinstance(b, World):
        raise TypeError(f"other: must be a World, got {type(b).__name__}")
    found = Diff(_rows("", a, b, SETTINGS))
    for path, x, y in _pairs("bodies", a.bodies, b.bodies):
        if x is None or y is None:
            found.append((path, x, y))
            continue
        found += _rows(f"{path}.", x, y, BODY)
        ids = [tuple(collider.index for collider in body.colliders) for body in (x, y)]
        if ids[0] != ids[1]:
            found.append((f"{path}.colliders", ids[0], ids[1]))
    for path, x, y in _pairs("colliders", a.colliders, b.colliders):
        found += [(path, x, y)] if x is None or y is None else _rows(f"{path}.", x, y, COLLIDER)
    for name in ("forces", "torques"):
        x, y = getattr(a, name), getattr(b, name)
        for row in range(min(len(x), len(y))):
            if a.alive[row] and b.alive[row] and not _same(_plain(x[row]), _plain(y[row])):
                found.append((f"{name}[{row}]", _plain(x[row]), _plain(y[row])))
    for path, x, y in _pairs("joints", a.joints, b.joints):
        if x is None or y is None or type(x) is not type(y):
            found.append((path, x, y))
    found += _joints(a, b)
    for path, x, y in _pairs("fields", a.fields, b.fields):
        names = () if x is None or type(x) is not type(y) else _parameters(x)
        found += [(path, x, y)] if not names else _rows(f"{path}.", x, y, names)
    found += _table("contacts", a.contacts, b.contacts)
    if not found and a.hash() != b.hash():
        found.append(("hash()", a.hash(), b.hash()))  # of what nothing else shows: timers, records
    return found


def _joints(a: World, b: World) -> Iterator[tuple[str, Any, Any]]:
    for path, x, y in _pairs("joints", a.joints, b.joints):
        if x is None or type(x) is not type(y):
            continue
        for side in ("body_a", "body_b"):
            ends = [getattr(getattr(joint, side, None), "index", None) for joint in (x, y)]
            if ends[0] != ends[1]:
                yield f"{path}.{side}", ends[0], ends[1]
        yield from _rows(f"{path}.", x, y, _parameters(x))


def _parameters(thing: Any) -> list[str]:
    """Properties of a joint or field that are plain values."""
    hidden = {"world", "index", "id", "alive", "body_a", "body_b", "joint_a", "joint_b", "surface"}
    kinds = (_core.Joint, _core.Fluid, _core.Drag, _core.Wind, _core.PointGravity)
    assert isinstance(thing, kinds)
    names = [name for name in dir(type(thing)) if not name.startswith("_") and name not in hidden]
    return [name for name in names if not callable(getattr(type(thing), name))]
