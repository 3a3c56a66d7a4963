"""What debug draw for games puts on a screen: a world as convex polygons and lines in pixels.

The adapters for pygame, pyglet and arcade hand these to what their library draws with. Needs NumPy
alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from pyphys2d import DrawList, World, _view, geometry
from pyphys2d.plot import _arguments

Array = NDArray[np.float64]
Color = tuple[int, int, int]

AREA, CIRCLE, LINE, LOOP = range(4)  # kind of a row of DrawList.colliders
# Faces and edges of bodies that are static, kinematic, dynamic, asleep: those of all pictures.
FACES: list[Color] = [(217, 217, 212), (242, 193, 78), (127, 184, 220), (188, 212, 228)]
EDGES: list[Color] = [(127, 127, 122), (168, 122, 16), (30, 100, 150), (111, 154, 184)]
SENSOR: Color = (176, 71, 154)
CONTACT: Color = (213, 64, 14)
BOUNDS: Color = (150, 120, 0)
JOINTS: list[Color] = [(140, 140, 140), (0, 128, 94), (0, 128, 94), (176, 71, 154)]
CORNERS = 32  # of a circle
FAR = 4096.0  # pixels beyond the view that polygons and lines may reach
MARK = 12.0  # pixels: about the size of the marks of joints


class Camera:
    """Which part of a world a view of so many pixels shows.

    Parameters
    ----------
    size : (2,) float
        Width and height of the view, pixels.
    center : (2,) float
        The point of the world in its middle, metres. It may be changed.
    scale : float
        Pixels per metre. It may be changed.

    Raises
    ------
    ValueError
        If size or scale is not finite and above zero, or center is not finite.
    """

    _up: ClassVar[float] = 1.0  # the direction of y in pixels
    __slots__ = ("_center", "_scale", "_size")

    def __init__(
        self,
        size: tuple[float, float],
        center: tuple[float, float] = (0.0, 0.0),
        scale: float = 50.0,
    ) -> None:
        sides = _pair("size", size)
        if not (sides > 0).all():
            raise ValueError(f"size: must be > 0, got {size!r}")
        self._size = sides
        self.center = center
        self.scale = scale

    @classmethod
    def around(cls, world: World, size: tuple[float, float]) -> Self:
        """The camera that shows what moves in a world, and what is near to it."""
        _arguments.instance("world", world, World)
        camera = cls(size)
        drawing = world.draw_list(joints=False, contacts=False)
        moving = drawing.states[drawing.colliders["body"]] != 0
        box = _view.choose(drawing.aabbs[moving], drawing.aabbs[~moving], context=0.1)
        if box is not None:
            lower, upper = box
            room = 0.9 * camera._size / np.maximum(upper - lower, 1e-9)
            camera.center = (0.5 * (lower[0] + upper[0]), 0.5 * (lower[1] + upper[1]))
            camera.scale = float(room.min())
        return camera

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the view, pixels."""
        return float(self._size[0]), float(self._size[1])

    @property
    def center(self) -> tuple[float, float]:
        """The point in the middle of the view, metres."""
        return float(self._center[0]), float(self._center[1])

    @center.setter
    def center(self, value: tuple[float, float]) -> None:
        self._center = _pair("center", value)

    @property
    def scale(self) -> float:
        """Pixels per metre."""
        return self._scale

    @scale.setter
    def scale(self, value: float) -> None:
        _arguments.scale("scale", value, flag=False)
        self._scale = float(value)

    def to_pixels(self, points: Array | tuple[float, float]) -> Array:
        """Points of the world, (2,) or (n, 2), in pixels of the view."""
        away = (_arguments.numbers("points", points) - self._center) * self._scale
        return np.asarray(away * (1, self._up) + 0.5 * self._size)

    def to_world(self, pixels: Array | tuple[float, float]) -> Array:
        """Pixels of the view, (2,) or (n, 2), in the world, metres."""
        away = _arguments.numbers("pixels", pixels) - 0.5 * self._size
        return np.asarray(away * (1, self._up) / self._scale + self._center)


class DownCamera(Camera):
    """The same where y of pixels grows downwards."""

    _up = -1.0
    __slots__ = ()


class Polyline(NamedTuple):
    """A line through points (n, 2) in pixels; one that is closed comes back to the first."""

    points: Array
    closed: bool
    color: Color
    width: int  # pixels


class Picture(NamedTuple):
    """What is to be drawn, in this order: convex polygons (n, 2) in pixels, and lines."""

    faces: list[tuple[Array, Color]]
    lines: list[Polyline]


def picture(
    world: World,
    camera: Camera,
    *,
    fill: bool = True,
    joints: bool = True,
    contacts: bool = False,
    aabbs: bool = False,
) -> Picture:
    """A world as its camera sees it."""
    _arguments.instance("world", world, World)
    drawing = world.draw_list(joints=joints, contacts=contacts, mark_size=MARK / camera.scale)
    made = Picture([], [])
    _add_bodies(made, drawing, camera, fill)
    if aabbs:
        for lower, upper in drawing.aabbs[_in_sight(drawing, camera)]:
            corners = np.array([lower, (upper[0], lower[1]), upper, (lower[0], upper[1])])
            made.lines.append(Polyline(_near(camera, corners), True, BOUNDS, 1))
    if joints:
        points = _near(camera, drawing.joint_points)
        for row in drawing.joints:
            line = points[row["first"] : row["first"] + row["count"]]
            made.lines.append(Polyline(line, False, JOINTS[row["kind"]], 2))
    if contacts:
        _add_contacts(made, drawing, camera)
    return made


def _add_bodies(made: Picture, drawing: DrawList, camera: Camera, fill: bool) -> None:
    for number in np.flatnonzero(_in_sight(drawing, camera)):
        row = drawing.colliders[number]
        state = drawing.states[row["body"]]
        edge = SENSOR if row["sensor"] else EDGES[state]
        rings = [
            _near(camera, _placed(ring, drawing.poses[row["body"]]))
            for ring in _rings(drawing, row)
        ]
        area = row["kind"] in (AREA, CIRCLE)
        if fill and area and not row["sensor"]:
            if row["convex"]:
                faces = [rings[0]]
            else:
                corners = np.concatenate(rings)
                faces = [corners[three] for three in _triangles(drawing, row)]
            made.faces.extend(
                (each, FACES[state]) for each in map(_cut(camera), faces) if len(each)
            )
        for ring in rings:
            made.lines.append(Polyline(ring, row["kind"] != LINE, edge, 1 if area else 2))
        if row["kind"] == CIRCLE:  # a mark, so that it is seen to turn
            middle = 0.5 * (rings[0][0] + rings[0][CORNERS // 2])
            made.lines.append(Polyline(np.stack([middle, rings[0][0]]), False, edge, 1))


def _add_contacts(made: Picture, drawing: DrawList, camera: Camera) -> None:
    rows = drawing.contacts
    most = float(rows["normal_impulse"].max(initial=0.0)) or 1.0
    for point, row in zip(_near(camera, rows["point"]), rows, strict=True):
        reach = 6 + 20 * (row["normal_impulse"] / most) ** 0.5
        end = point + reach * row["normal"] * (1, camera._up)
        square = point + 2.5 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        made.faces.append((square, CONTACT))
        made.lines.append(Polyline(np.stack([point, end]), False, CONTACT, 1))


# ------------------------------------------------------------------------------ as OpenGL has it
def triangles(faces: list[tuple[Array, Color]]) -> tuple[Array, NDArray[np.uint8]]:
    """Corners (3 n, 2) of triangles that fill the polygons, and a colour (3 n, 3) for each."""
    fans = [
        np.stack([face[:1].repeat(len(face) - 2, 0), face[1:-1], face[2:]], 1) for face, _ in faces
    ]
    return _coloured([fan.reshape(-1, 2) for fan in fans], [color for _, color in faces])


def segments(lines: list[Polyline]) -> tuple[Array, NDArray[np.uint8]]:
    """Ends (2 n, 2) of the segments of the lines, and a colour (2 n, 3) for each."""
    parts = []
    for line in lines:
        ends = np.roll(line.points, -1, axis=0)
        pairs = np.stack([line.points, ends], 1)
        parts.append((pairs if line.closed else pairs[:-1]).reshape(-1, 2))
    return _coloured(parts, [line.color for line in lines])


def _coloured(parts: list[Array], colors: list[Color]) -> tuple[Array, NDArray[np.uint8]]:
    points = np.concatenate([np.empty((0, 2)), *parts])
    each = np.array(colors, np.uint8).reshape(-1, 3)
    return points, each.repeat([len(part) for part in parts], axis=0)


# ---------------------------------------------------------------------------------------- outlines
def _rings(drawing: DrawList, row: np.void) -> list[Array]:
    first = int(row["first"])
    if row["kind"] == CIRCLE:
        x, y, radius = drawing.circles[first]
        return [UNIT_CIRCLE * radius + (x, y)]
    offsets = drawing.rings[first : first + row["count"] + 1]
    return np.split(drawing.points[offsets[0] : offsets[-1]], offsets[1:-1] - offsets[0])


def _triangles(drawing: DrawList, row: np.void) -> NDArray[np.int64]:
    rings = _rings(drawing, row)
    return _cached_triangles(tuple(ring.tobytes() for ring in rings))


@lru_cache(maxsize=1024)  # outlines do not change while bodies move
def _cached_triangles(rings: tuple[bytes, ...]) -> NDArray[np.int64]:
    outer, *holes = (np.frombuffer(ring).reshape(-1, 2) for ring in rings)
    return np.asarray(geometry.triangulate(outer, holes))


def _placed(points: Array, pose: Array) -> Array:
    x, y, angle = pose
    cos, sin = np.cos(angle), np.sin(angle)
    return np.asarray(points @ np.array([(cos, sin), (-sin, cos)]) + (x, y))


def _in_sight(drawing: DrawList, camera: Camera) -> NDArray[np.bool_]:
    """Which rows of colliders may be seen."""
    half = 0.5 * camera._size / camera.scale + 2 / camera.scale
    lower, upper = camera._center - half, camera._center + half
    boxes = drawing.aabbs
    return np.asarray(((boxes[:, 0] <= upper) & (boxes[:, 1] >= lower)).all(axis=1))


def _near(camera: Camera, points: Array) -> Array:
    """Points in pixels that any library can count; what is farther away is drawn there."""
    return np.clip(np.nan_to_num(camera.to_pixels(points)), -1e6, 1e6)


def _cut(camera: Camera) -> Callable[[Array], Array]:
    """Cuts faces that reach far out of the view: filling them would take as long as they are."""
    lower, upper = -FAR, camera._size + FAR
    window = np.array(
        [(lower, lower), (upper[0], lower), (upper[0], upper[1]), (lower, upper[1])], float
    )

    def cut(face: Array) -> Array:
        if (face >= lower).all() and (face <= upper).all():
            return face
        return np.asarray(geometry.clip_polygon(face[:: int(camera._up)], window))

    return cut


def _pair(name: str, value: tuple[float, float]) -> Array:
    pair = _arguments.numbers(name, value)
    if pair.shape != (2,):
        raise ValueError(f"{name}: must be two numbers, got {value!r}")
    _arguments.finite(name, pair)
    return pair


UNIT_CIRCLE = np.stack(
    [f(np.arange(CORNERS) * (2 * np.pi / CORNERS)) for f in (np.cos, np.sin)], axis=1
)
