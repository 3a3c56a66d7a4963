"""Recorded runs as pages that play them: `Trajectory.to_html` and its picture in notebooks.

Positions go on a lattice whose step is a sixteen-thousandth of the view, angles on 1/65536 of a
turn. Of each number the difference to a straight continuation of the two frames before is kept, in
a byte where it fits; all is deflated. Contacts and joints have a lattice a quarter as fine.
``web/player.js`` undoes it.
"""

from __future__ import annotations

import base64
import zlib
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pyphys2d import _page, _png, _view, geometry

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from matplotlib.axes import Axes

    from pyphys2d.trajectory import Trajectory

Array: TypeAlias = "npt.NDArray[np.float64]"
Ints: TypeAlias = "npt.NDArray[np.int64]"

FORMAT = 1
LATTICE = 16384  # steps of the lattice across the view
TURN = 65536  # steps of a full turn
COARSER = 4  # steps of the lattice in one of that of contacts and joints
ESCAPE = -128
FARTHEST = 2**29  # lattice steps from the middle of the view; what is farther away is drawn there
ARC_ERROR = 1e-3  # of the radius, of rounded corners
MOST_STILL = 3000  # bodies in the still picture
AREA, CIRCLE, LINE, LOOP = range(4)  # kinds of colliders in web/drawing.js
SENSOR, CONCAVE, ONE_SIDED = 1, 2, 4  # flags

START = """
const root = document.getElementById("stage");
const read = (name) => JSON.parse(document.getElementById(name).textContent);
start(root, read("header"), read("data"), read("options")).then(
  (player) => { globalThis.player = player; },
  (error) => { root.textContent = `This run cannot be shown: ${error.message}`; });
"""


def pack(
    trajectory: Trajectory, follow: int = -1, asked: Sequence[float] | None = None
) -> tuple[dict[str, Any], bytes]:
    """The header and the deflated arrays of a run, seen from a column, or as it was asked for."""
    positions, angles = trajectory.positions, trajectory.angles
    frames, bodies = angles.shape if angles.ndim == 2 else (0, 0)
    absent = np.isnan(angles)
    outlines = _outlines(trajectory)
    reach = _reach(trajectory, bodies)
    view = _choose_view(trajectory, positions, reach)
    if follow >= 0:
        view = _around(positions[:, follow], float(reach[follow]))
    if asked is not None:
        view = np.reshape(_view.checked(asked), (2, 2))
    center = 0.5 * (view[0] + view[1])
    step = float((view[1] - view[0]).max()) / LATTICE
    turn = 2 * np.pi / TURN

    lattice = np.rint((_filled(positions, absent) - center) / step)
    lattice = np.clip(np.nan_to_num(lattice), -FARTHEST, FARTHEST).astype(np.int64)
    turns = np.nan_to_num(np.rint(_filled(angles, absent) / turn))
    turns = np.clip(turns, -FARTHEST, FARTHEST).astype(np.int64)

    arrays: dict[str, np.ndarray[Any, Any]] = {"times": trajectory.times, **outlines}
    escapes = []
    for name, values in (("x", lattice[..., 0]), ("y", lattice[..., 1]), ("angle", turns)):
        arrays[name], escaped = _residuals(values)
        escapes.append(escaped)
    arrays["escapes"] = np.concatenate(escapes).astype(np.int32)
    arrays["awake"] = np.packbits(trajectory.awake, axis=1, bitorder="little")
    arrays["absent"] = _intervals(absent)
    arrays["kinds"] = trajectory.kinds
    drawn = trajectory._drawn()
    if len(drawn.columns) > bodies:
        late = np.column_stack([drawn.columns, drawn.frames])[bodies:]
        arrays["dressed"] = late.astype(np.int32)
    strongest = 0.0
    if trajectory.has_contacts:
        contacts, strongest = _contacts(trajectory, center, COARSER * step)
        arrays |= contacts
    if len(trajectory.joints):
        arrays |= _joints(trajectory, center, COARSER * step)
    listed, raw = joined(arrays)
    moves = np.diff(positions, axis=0)[~(absent[1:] | absent[:-1])]
    gaps = np.diff(trajectory.times)
    gap = float(np.median(gaps)) if len(gaps) else 1.0
    gap = gap if gap > 0 else 1.0  # a file may say that no time passed
    speeds = np.hypot(*moves.T)
    speed = float(np.percentile(speeds[speeds > 0], 99)) / gap if (speeds > 0).any() else 1.0
    names = trajectory.body_names
    header = {
        "format": FORMAT,
        "name": str(trajectory.name),
        "frames": frames,
        "bodies": bodies,
        "names": names if any(names) else None,
        "origin": center.tolist(),
        "view": [*(view[0] - center).tolist(), *(view[1] - center).tolist()],
        "step": step,
        "turn": turn,
        "coarse_step": COARSER * step,
        "impulse": strongest,
        "speed": speed if np.isfinite(speed) else 1.0,
        "follow": follow,
        "wrap": None
        if trajectory.wrap is None
        else [float(w) if np.isfinite(w) else 1e300 for w in trajectory.wrap],
        "arrays": listed,
    }
    return header, zlib.compress(raw, 6)


def to_html(
    trajectory: Trajectory,
    *,
    autoplay: bool = True,
    follow: str | int | None = None,
    view: Sequence[float] | None = None,
    frame: bool = False,
) -> str:
    """A page that plays the run; needs nothing but itself.

    ``frame``: for a frame that lies over the still picture, which the page does not have then.
    """
    header, blob = pack(trajectory, _column(trajectory, follow), view)
    title = str(trajectory.name or "A recorded run")
    picture = (
        f'<noscript><img class="still" alt="{escape(title)}: the last frame" '
        f'src="{_address(trajectory)}"></noscript>'
    )
    body = (
        '<div id="stage"></div>'
        + ("" if frame else picture)
        + _page.data_block("header", header)
        + _page.data_block("data", base64.b64encode(blob).decode())
        + _page.data_block("options", {"autoplay": autoplay})
    )
    return _page.page(title, _page.bundle("player") + START, body, frame=frame)


def _address(trajectory: Trajectory) -> str:
    """Of the still picture, which it holds."""
    return _page.address(still_picture(trajectory))


def notebook_html(trajectory: Trajectory, *, height: int = 420) -> str:
    """The player in a frame of its own; where scripts or frames are taken out, a still picture."""
    document = escape(to_html(trajectory, autoplay=False, frame=True))
    return (
        f'<div style="position:relative;height:{height}px;max-width:860px">'
        '<img style="position:absolute;max-width:100%;max-height:100%" alt="the last frame" '
        f'src="{_address(trajectory)}">'
        '<iframe title="player of a recorded run" sandbox="allow-scripts" loading="lazy" '
        'style="position:absolute;width:100%;height:100%;border:0;background:transparent" '
        f'srcdoc="{document}"></iframe></div>'
    )


# ----------------------------------------------------------------------------------------- outlines
def _outlines(trajectory: Trajectory) -> dict[str, np.ndarray[Any, Any]]:
    """Colliders and outlines as ``renderer.js`` reads them."""
    points: list[Array] = []
    ends = [0]
    circles: list[tuple[float, ...]] = []
    of_shape = []
    for kind, rings, radius, loop in trajectory.shapes:
        if kind == "circle":
            of_shape.append((CIRCLE, len(circles), 1, 0))
            circles.append((*rings[0][0].tolist(), radius))
            continue
        first = len(ends) - 1
        if radius > 0:
            rings = [_rounded(rings[0], radius)]
        for ring in rings:
            points.append(ring)
            ends.append(ends[-1] + len(ring))
        line = kind in ("segment", "chain")
        flags = 0 if line or (len(rings) == 1 and geometry.is_convex(rings[0])) else CONCAVE
        flags |= ONE_SIDED if kind == "chain" else 0
        of_shape.append(((LOOP if loop else LINE) if line else AREA, first, len(rings), flags))
    number, shapes = trajectory._drawn().number.tolist(), trajectory.colliders[:, 1].tolist()
    rows = np.array(
        [(drawn, *of_shape[shape]) for drawn, shape in zip(number, shapes, strict=True)], np.int32
    ).reshape(-1, 5)
    rows[:, 4] |= np.where(trajectory.collider_sensors, SENSOR, 0).astype(np.int32)
    return {
        "colliders": rows,
        "points": _single(np.concatenate([np.empty((0, 2)), *points])),
        "rings": np.array(ends, np.int32),
        "circles": _single(np.array(circles, float).reshape(-1, 3)),
    }


def _single(values: Array) -> npt.NDArray[np.float32]:
    """In single precision; a file may have numbers beyond its range."""
    most = np.finfo(np.float32).max
    return np.clip(values, -most, most).astype(np.float32)


def _rounded(ring: Array, radius: float) -> Array:
    """The outline of a convex ring, or of a line of two points, grown by a radius."""
    edges = np.roll(ring, -1, axis=0) - ring
    heading = np.arctan2(-edges[:, 0], edges[:, 1])  # of the outward normal of each edge
    chords = int(np.ceil(np.pi / np.arccos(1 - ARC_ERROR)))  # of a full turn
    grown = []
    for vertex, before, after in zip(ring, np.roll(heading, 1), heading, strict=True):
        turn = (after - before) % (2 * np.pi)
        count = max(1, int(np.ceil(chords * turn / (2 * np.pi))))
        angles = before + turn * np.arange(count + 1) / count
        grown.append(vertex + radius * np.column_stack([np.cos(angles), np.sin(angles)]))
    return np.concatenate(grown)


def _reach(trajectory: Trajectory, bodies: int) -> Array:
    """How far the outlines of each body reach from its origin."""
    of_shape = np.array(
        [
            max(float(np.hypot(*ring.T).max()) for ring in rings) + radius
            for _, rings, radius, _ in trajectory.shapes
        ]
    )
    reach = np.zeros(bodies)
    colliders = trajectory.colliders
    if len(colliders):
        np.maximum.at(reach, colliders[:, 0], of_shape[colliders[:, 1]])
    return reach


def _choose_view(trajectory: Trajectory, positions: Array, reach: Array) -> Array:
    """The box that the player opens with: what moves, at some moments of the run."""
    if not len(positions):
        return np.array([[-1.0, -1.0], [1.0, 1.0]])
    picked = positions[np.unique(np.linspace(0, len(positions) - 1, 7).astype(int))]
    boxes = np.stack([picked - reach[:, None], picked + reach[:, None]], axis=2)
    moving, drawn = trajectory.kinds != 0, reach > 0
    flat = [boxes[:, chosen & drawn].reshape(-1, 2, 2) for chosen in (moving, ~moving)]
    present = [part[np.isfinite(part).all(axis=(1, 2))] for part in flat]
    view = _view.choose(*present, context=0.1)
    if view is None or not np.isfinite(view).all() or not (view[1] > view[0]).any():
        middle = np.zeros(2) if view is None else np.nan_to_num(view[0])
        return np.stack([middle - 1, middle + 1])
    return view


def _column(trajectory: Trajectory, follow: str | int | None) -> int:
    """The column of the body to follow, -1 for none."""
    if follow is None:
        return -1
    if not isinstance(follow, str | int | np.integer) or isinstance(follow, bool):
        kind = type(follow).__name__
        raise TypeError(f"follow: must be the name of a body or its column, got {kind}")
    columns = trajectory._columns_of(follow).tolist()
    if len(columns) != 1:
        raise ValueError(f"follow: must be one body, got {follow!r}, which are columns {columns}")
    if not np.isfinite(trajectory.angles[:, columns[0]]).any():
        raise ValueError(f"follow: the body {follow!r} lives in no frame")
    return int(columns[0])


def _around(places: Array, reach: float) -> Array:
    """What is around a body where it first is, so that it is a sixth of the height."""
    first = places[np.isfinite(places).all(axis=1)][0]
    half = np.array([32 / 3, 6.0]) * (reach if reach > 0 else 0.5)
    return np.stack([first - half, first + half])


# ------------------------------------------------------------------------------------------ numbers
def _filled(values: Array, absent: npt.NDArray[np.bool_]) -> Array:
    """Where a body is absent, as it was last or will be first; 0 where it is never there."""
    frames = np.arange(len(values))[:, None]
    last = np.maximum.accumulate(np.where(absent, -1, frames), axis=0)
    first = np.minimum.accumulate(np.where(absent, len(values), frames)[::-1], axis=0)[::-1]
    source = np.where(last >= 0, last, np.where(first < len(values), first, 0))
    return np.take_along_axis(values, source if values.ndim == 2 else source[..., None], axis=0)


def _residuals(values: Ints) -> tuple[npt.NDArray[np.int8], Ints]:
    """Differences to a straight continuation, as bytes, and those that fit no byte."""
    expected = np.zeros_like(values)
    expected[1:2] = values[:1]
    expected[2:] = 2 * values[1:-1] - values[:-2]
    residual = values - expected
    large = (residual < -127) | (residual > 127)
    return np.where(large, ESCAPE, residual).astype(np.int8), residual[large]


def _contacts(
    trajectory: Trajectory, center: Array, step: float
) -> tuple[dict[str, np.ndarray[Any, Any]], float]:
    """Contacts of all frames: places on a lattice, directions in 1/256 of a turn, impulses as the
    roots of their shares of the strongest in 1/255, the columns of both bodies; and the
    strongest."""
    rows = trajectory.contacts
    x, y = np.nan_to_num(rows["normal"]).T
    impulses = np.maximum(np.nan_to_num(rows["normal_impulse"]), 0.0)
    strongest = float(impulses.max(initial=0.0))
    shares = np.sqrt(impulses / strongest) if strongest > 0 else impulses
    few = len(trajectory.kinds) <= np.iinfo(np.uint16).max
    bodies = {
        f"contact_{end}": rows[f"body_{end}"].astype(np.uint16 if few else np.int32) for end in "ab"
    }
    return bodies | {
        "contact_ends": trajectory.contact_offsets.astype(np.int32),
        "contacts": _coarse(rows["point"], center, step),
        "contact_normals": np.rint(np.arctan2(y, x) * (128 / np.pi)).astype(np.int64).astype("u1"),
        "contact_impulses": np.rint(255 * shares).astype(np.uint8),
    }, strongest


def _joints(trajectory: Trajectory, center: Array, step: float) -> dict[str, np.ndarray[Any, Any]]:
    """Joints of all frames: the bodies (-1: the world), and both anchors on a lattice. In a wrapped
    world the first is where its body is, and the second its image that is next to that."""
    rows = trajectory.joints
    return {
        "joint_ends": trajectory.joint_offsets.astype(np.int32),
        "joint_bodies": np.column_stack([rows["body_a"], rows["body_b"]]).astype(np.int32),
        "joint_anchors": np.concatenate(
            [_coarse(rows[name], center, step) for name in ("anchor_a", "anchor_b")], axis=1
        ),
    }


def _coarse(points: Array, center: Array, step: float) -> npt.NDArray[np.int16]:
    places = np.rint(np.nan_to_num((points - center) / step))
    return np.clip(places, -32768, 32767).astype(np.int16)


def _intervals(absent: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """Rows (body, first frame, frame after the last) of the times in which bodies are not there."""
    padded = np.zeros((absent.shape[1], absent.shape[0] + 2), np.int8)
    padded[:, 1:-1] = absent.T
    change = np.diff(padded, axis=1)
    body, begin = np.nonzero(change == 1)
    _, end = np.nonzero(change == -1)
    return np.column_stack([body, begin, end]).astype(np.int32)


def joined(arrays: dict[str, np.ndarray[Any, Any]]) -> tuple[list[dict[str, Any]], bytes]:
    """The list of arrays for ``readArrays`` and their bytes, little endian, aligned to 8."""
    listed, parts, at = [], [], 0
    for name, array in arrays.items():
        code = array.dtype.str[1:]
        data = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        listed.append({"name": name, "type": code, "shape": list(array.shape), "at": at})
        padding = bytes(-len(data) % 8)
        parts += [data, padding]
        at += len(data) + len(padding)
    return listed, b"".join(parts)


# -------------------------------------------------------------------------------------------- still
def still_picture(trajectory: Trajectory, frame: int = -1) -> str:
    """A frame as SVG, for where no script runs."""
    positions, angles, kinds = trajectory.positions, trajectory.angles, trajectory.kinds
    awake = trajectory.awake
    bodies = angles.shape[1] if angles.ndim == 2 else 0
    view = _choose_view(trajectory, positions, _reach(trajectory, bodies))
    size = view[1] - view[0]
    scale = float(640 / max(size[0], 1.4 * size[1], 1e-9))
    width, height = (size * scale).tolist()
    parts = []
    outlines = _outlines(trajectory)
    drawn = trajectory._drawn()
    chosen: list[list[int]] = []
    if len(positions):
        there = np.isfinite(drawn.rows(angles[frame], frame % len(positions)))
        rows = outlines["colliders"]
        chosen = np.column_stack([drawn.columns[rows[:, 0]], rows[:, 1:]])[
            there[rows[:, 0]]
        ].tolist()
    for body, kind, first, count, flags in chosen[:MOST_STILL]:
        state = "static"
        if kinds[body]:
            awake_or_not = "awake" if awake[frame, body] else "asleep"
            state = "kinematic" if kinds[body] == 1 else awake_or_not
        x, y = ((positions[frame, body] - view[0]) * scale).tolist()
        if not (abs(x) < 1e5 and abs(y) < 1e5):
            continue
        place = (
            f"translate({x:.2f} {height - y:.2f}) rotate({-np.degrees(angles[frame, body]):.2f})"
        )
        paint = f'fill="{_view.FACES[state]}" stroke="#666"'
        if flags & SENSOR:
            paint = 'fill="none" stroke="#b0479a" stroke-dasharray="4 3"'
        if kind == CIRCLE:
            cx, cy, r = (outlines["circles"][first] * (scale, -scale, scale)).tolist()
            parts.append(
                f'<circle cx="{cx:.2f}" cy="{cy:.2f}" r="{r:.2f}" transform="{place}" {paint}/>'
            )
            continue
        path = ""
        for ring in range(first, first + count):
            begin, end = outlines["rings"][ring : ring + 2].tolist()
            corners = (outlines["points"][begin:end] * (scale, -scale)).tolist()
            path += "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in corners)
            path += "" if kind == LINE else "Z"
        if kind in (LINE, LOOP) and not flags & SENSOR:
            paint = 'fill="none" stroke="#666" stroke-width="2"'
        parts.append(f'<path d="{path}" fill-rule="evenodd" transform="{place}" {paint}/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.2f} {height:.2f}">{"".join(parts)}</svg>'
    )


def still_png(trajectory: Trajectory) -> bytes | None:
    """The last frame as PNG; None without Matplotlib, and of a run without frames or bodies."""
    last = trajectory[-1:]
    if not len(last) or not last.angles.shape[1]:
        return None

    def draw(axes: Axes) -> None:
        from pyphys2d.plot import Bodies

        Bodies(last, axes).move(last.positions[0], last.angles[0], awake=last.awake[0])
        view = _choose_view(
            trajectory, trajectory.positions, _reach(trajectory, last.angles.shape[1])
        )
        axes.set(xlim=view[:, 0], ylim=view[:, 1])

    return _png.png(draw)
