"""Reads scene files: JSON in, a `Scene` or a `SceneError` out, never anything else.

The format is described in docs/scene-format.md. Everything in a file is checked before a world is
made: types, ranges, unknown keys, sizes; a message names the place, as in ``bodies[3].shape.radius:
must be > 0, got -1``. Vertices are counted before shapes are made of them, so that a file costs a
fair multiple of its size: a vertex costs up to 2 kB and 10 µs, a byte of text up to 40 bytes. What
only the engine can know (a polygon that crosses itself) comes back as its message at the place of
the shape.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from pyphys2d import (
    Body,
    Joint,
    Shape,
    World,
    _call_format,
    _core,
    _files,
    _snapshot,
    _trajectory_files,
    npz,
)
from pyphys2d.scenes.checks import (
    COORDINATE,
    array,
    boolean,
    choice,
    fail,
    fail_from,
    integer,
    nearest,
    number,
    numbers,
    record,
    shown,
    string,
)
from pyphys2d.scenes.scene import Scene, SceneError
from pyphys2d.scenes.tables import (
    ANCHOR_CHECKS,
    ANCHORS,
    BODY,
    FIELDS,
    JOINTS,
    LOCAL,
    MATERIAL,
    MAX_FIELDS,
    MAX_JOINTS,
    SHAPES,
    WORLD,
)

CHUNK = 2**16  # bytes read at once
MAX_BYTES = 16 * 2**20
# How files of other kinds begin that this library writes, what they are and what reads them.
BINARIES = (
    (_snapshot.MAGIC, "a snapshot", "World.from_snapshot(data)"),
    (npz.FIRST, "an .npz archive, as of a recorded run", "Trajectory.load(path)"),
    (_trajectory_files.MAGIC, "a recorded run", "Trajectory.load(path)"),
    (_call_format.MAGIC, "a call log", "pyphys2d.replay(path)"),
)
MAX_BODIES = 100_000
MAX_SHAPES_PER_BODY = 10_000
MAX_COLLIDERS = 500_000
MAX_STEPS = 1_000_000
# Vertices in all, shapes counted once for each body that has them: some for every file, and one
# more for so many bytes.
MAX_VERTICES = 1_000_000
FREE_VERTICES = 200_000
BYTES_PER_VERTEX = 4
MAX_KEY_SHOWN = 40


class _Bodies:
    """Checks the list of bodies; named shapes are made once and shared."""

    def __init__(self, max_vertices: int) -> None:
        self.named: dict[str, tuple[Shape, int]] = {}
        self.colliders = 0
        self.vertices = 0
        self.max_vertices = max_vertices
        self.labels: dict[str, int] = {}
        self.called: dict[str, list[int]] = {}

    def spend(self, vertices: int, path: str) -> None:
        """Count vertices, before any memory is taken for them."""
        self.vertices += vertices
        if self.vertices > self.max_vertices:
            fail(
                path,
                f"the shapes so far, counted once for each body, have {self.vertices} vertices, "
                f"must be <= {self.max_vertices} (see max_vertices)",
            )

    def shape(self, value: Any, path: str) -> tuple[Shape, int]:
        """A shape from an object with a type, and the number of its vertices."""
        if not isinstance(value, dict):
            fail(path, f"must be an object, got {shown(value)}")
        if "type" not in value:
            fail(path, 'the key "type" is missing')
        kind = SHAPES[choice(*SHAPES)(value["type"], f"{path}.type")]
        given = {k: v for k, v in value.items() if k != "type"}
        arguments = record(given, path, kind.fields, kind.required)
        vertices = kind.vertices(arguments)
        self.spend(vertices, path)
        try:
            return kind.make(**arguments), vertices
        except (ValueError, TypeError) as error:
            fail_from(path, error)

    def shapes(self, value: Any, path: str) -> None:
        """The table of named shapes."""
        if not isinstance(value, dict):
            fail(path, f"must be an object, got {shown(value)}")
        if len(value) > MAX_BODIES:
            fail(path, f"must have at most {MAX_BODIES} shapes, got {len(value)}")
        for key, entry in value.items():
            plain = key.isidentifier() and len(key) <= MAX_KEY_SHOWN
            self.named[key] = self.shape(
                entry, f"{path}.{key}" if plain else f"{path}[{shown(key)}]"
            )

    def one_shape(self, value: Any, path: str) -> Shape:
        """A shape, or the name of one."""
        if not isinstance(value, str):
            return self.shape(value, path)[0]
        if value not in self.named:
            fail(path, f"no shape is named {shown(value)}{nearest(value, self.named)}")
        shape, vertices = self.named[value]
        self.spend(vertices, path)
        return shape

    def several(self, value: Any, path: str) -> list[Shape]:
        """The shapes of one body."""
        entries = array(value, path, 0, MAX_SHAPES_PER_BODY, "shapes")
        return [self.one_shape(entry, f"{path}[{k}]") for k, entry in enumerate(entries)]

    def bodies(self, value: Any, path: str) -> list[dict[str, Any]]:
        """All bodies, as keywords for `World.add_body`."""
        fields = {
            **BODY, "shape": self.one_shape, "shapes": self.several, "colliders": self.attached,
        }  # fmt: skip
        result = []
        for k, entry in enumerate(array(value, path, 0, MAX_BODIES, "bodies")):
            place = f"{path}[{k}]"
            body = record(entry, place, fields)
            if sum(key in body for key in ("shape", "shapes", "colliders")) != 1:
                fail(place, 'give either "shape" or "shapes" (or "colliders")')
            self.name(body, k, place)
            if "mass" in body and "density" in body:
                fail(place, 'give either "mass" or "density"')
            attached = body.pop("colliders", None)
            made = attached if attached is not None else body.pop("shapes", None)
            made = made if made is not None else body.pop("shape")
            self.colliders += len(made) if isinstance(made, list) else 1
            if self.colliders > MAX_COLLIDERS:
                fail(place, f"more than {MAX_COLLIDERS} shapes on bodies")
            if attached is None:
                result.append({"shape_or_shapes": made or None, **body})
            else:
                if any(key in body for key in MATERIAL):
                    fail(place, 'materials belong into "colliders", where there is such a list')
                result.append({"colliders": attached, **body})
        return result

    def attached(self, value: Any, path: str) -> list[dict[str, Any]]:
        """The shapes of one body, each with its material."""
        fields = {"shape": self.one_shape, **MATERIAL}
        entries = array(value, path, 1, MAX_SHAPES_PER_BODY, "colliders")
        return [record(e, f"{path}[{k}]", fields, ("shape",)) for k, e in enumerate(entries)]

    def name(self, body: dict[str, Any], k: int, place: str) -> None:
        """Remember what joints call it: its label, else its name if no other body has it."""
        label = body.pop("label", None)
        if label is not None:
            if label in self.labels:
                fail(f"{place}.label", f"another body has the label {shown(label)}")
            self.labels[label] = k
        elif body.get("name"):
            self.called.setdefault(body["name"], []).append(k)

    def body(self, value: Any, path: str) -> int | None:
        """The number of the body of a name; None for null, the world."""
        if value is None:
            return None
        if not isinstance(value, str):
            fail(path, f"must be the name of a body, or null for the world, got {shown(value)}")
        found = [self.labels[value]] if value in self.labels else self.called.get(value, [])
        if not found:
            known = [*self.labels, *self.called]
            fail(path, f"no body is named {shown(value)}{nearest(value, known)}")
        if len(found) > 1:
            fail(path, f"{len(found)} bodies are named {shown(value)}; give the one a label")
        return found[0]

    def joints(self, value: Any, path: str) -> list[dict[str, Any]]:
        """All joints."""
        result, seen = [], set()  # type: ignore[var-annotated]
        for k, entry in enumerate(array(value, path, 0, MAX_JOINTS, "joints")):
            place = f"{path}[{k}]"
            kind, given = typed(entry, place, JOINTS)
            gear, mouse = kind == "gear", kind == "mouse"
            fields = {"label": string(200), "collide_connected": boolean, **JOINTS[kind]}
            fields |= {key: ANCHOR_CHECKS[key] for key in ANCHORS[kind]}
            if gear:
                fields |= dict.fromkeys(("joint_a", "joint_b"), string(200))
                required: tuple[str, ...] = ("joint_a", "joint_b")
            else:
                fields |= {"a": self.body, "b": self.body, **LOCAL}
                required = ("b",) if mouse else ("a", "b")
            joint = record(given, place, fields, required)
            for side in ("joint_a", "joint_b") if gear else ():
                if joint[side] not in seen:
                    what = f"no joint before has the label {shown(joint[side])}"
                    fail(f"{place}.{side}", what + nearest(joint[side], seen))
            if not gear and joint["b"] is None:
                fail(f"{place}.b", "must be a body; only a can be the world")
            local = [key for key in LOCAL if key in joint]
            if local and len(local) < len(LOCAL):
                fail(place, f"give all of {', '.join(LOCAL)}, or none of them")
            if "label" in joint:
                if joint["label"] in seen:
                    fail(f"{place}.label", f"another joint has the label {shown(joint['label'])}")
                seen.add(joint["label"])
            result.append({"type": kind, **joint})
        return result


def typed(entry: Any, path: str, kinds: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The type of an object, and its other keys."""
    if not isinstance(entry, dict):
        fail(path, f"must be an object, got {shown(entry)}")
    if "type" not in entry:
        fail(path, 'the key "type" is missing')
    kind: str = choice(*kinds)(entry["type"], f"{path}.type")
    return kind, {key: value for key, value in entry.items() if key != "type"}


def force_fields(value: Any, path: str) -> list[dict[str, Any]]:
    """Fluids, winds and the like."""
    required = {"fluid": ("surface", "density"), "wind": ("velocity",)}
    required["point_gravity"] = ("center", "strength")
    result = []
    for k, entry in enumerate(array(value, path, 0, MAX_FIELDS, "fields")):
        kind, given = typed(entry, f"{path}[{k}]", FIELDS)
        made = record(given, f"{path}[{k}]", FIELDS[kind], required.get(kind, ()))
        result.append({"type": kind, **made})
    return result


# What is of a body with all its shapes.
LATE = ("mass", "inertia", "center_of_mass", "lock_x", "lock_y", "awake")


def add_body(world: World, body: dict[str, Any]) -> Body:
    """A body from what `_Bodies.bodies` gives."""
    attached = body.get("colliders")
    if attached is None:
        return world.add_body(**body)
    late = {key: body[key] for key in LATE if key in body}
    if "center_of_mass" in late:  # velocities are of the centre of mass, wherever that is
        late |= {key: body[key] for key in ("velocity", "awake") if key in body}
    early = {key: value for key, value in body.items() if key not in ("colliders", *late)}
    made = world.add_body(**early)
    for collider in attached:
        made.attach(**collider)
    for key, value in late.items():
        setattr(made, key, value)
    return made


def add_joint(
    world: World, joint: dict[str, Any], bodies: list[Body], labels: dict[str, Joint]
) -> None:
    """A joint from what `_Bodies.joints` gives."""
    kind, given = joint["type"], dict(joint)
    for key in ("type", "label", *LOCAL):
        given.pop(key, None)
    add = getattr(world, f"add_{kind}_joint")
    if kind == "gear":
        sides = [labels[given.pop(side)] for side in ("joint_a", "joint_b")]
    else:
        ends = [given.pop("a", None), given.pop("b")]
        sides = [None if end is None else bodies[end] for end in ends]  # type: ignore[misc]
        sides = sides[1:] if kind == "mouse" else sides
    if kind in ("mouse", "filter"):
        given.pop("collide_connected", None)
    made = add(*sides, **given)
    if "reference_angle" in joint:
        anchors = (*joint["local_anchor_a"], *joint["local_anchor_b"])
        frame = (*anchors, *joint["local_axis"], joint["reference_angle"])
        _core._set_joint_frame(made, frame)
    if "label" in joint:
        labels[joint["label"]] = made


def add_field(world: World, field: dict[str, Any]) -> None:
    """A field from what `force_fields` gives."""
    given = {key: value for key, value in field.items() if key != "type"}
    if field["type"] == "fluid":
        given["level_or_surface"] = given.pop("surface")
    getattr(world, f"add_{field['type']}")(**given)


# -------------------------------------------------------------------------------------------- files
def _no_constant(name: str) -> NoReturn:
    raise SceneError(f"{name} is not a number that JSON knows")


def _whole(digits: str) -> int:
    if len(digits) > 400:
        raise SceneError(f"the number {digits[:20]}... is too large")
    return int(digits)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise SceneError(f"the key {shown(key)} is given twice in one object")
        result[key] = value
    return result


def _parse(text: str) -> Any:
    try:
        return json.loads(
            text, parse_constant=_no_constant, parse_int=_whole, object_pairs_hook=_unique
        )
    except json.JSONDecodeError as error:
        raise SceneError(
            f"not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        ) from None
    except RecursionError:
        raise SceneError("objects or lists are nested too deeply") from None


def loads(text: str, name: str = "scene", *, max_vertices: int | None = None) -> Scene:
    """Make a scene from the text of a scene file.

    Parameters
    ----------
    text : str
        JSON as docs/scene-format.md describes it.
    name : str
        The scene's name if the text gives none.
    max_vertices : int, optional
        How many vertices all shapes together may have, each counted once for each body that has it;
        by default 200,000 and one more for every 4 bytes of text, up to 1,000,000.

    Raises
    ------
    SceneError
        If anything in the text cannot be used; the message names the place.

    Examples
    --------
    >>> from pyphys2d import scenes
    >>> scene = scenes.loads('{"bodies": [{"shape": {"type": "circle", "radius": 1}}]}')
    >>> len(scene.world.bodies)
    1
    """
    if len(text) > MAX_BYTES:
        raise SceneError(f"larger than {MAX_BYTES // 2**20} MiB")
    if max_vertices is None:
        max_vertices = min(MAX_VERTICES, FREE_VERTICES + len(text) // BYTES_PER_VERTEX)
    table = _Bodies(max_vertices)
    document = _parse(text)
    if isinstance(document, dict) and "shapes" in document:
        # Bodies refer to named shapes, wherever in the file these stand.
        document = {"shapes": document["shapes"], **document}
    if isinstance(document, dict) and "joints" in document:
        # Joints refer to bodies.
        document = {k: document[k] for k in sorted(document, key=lambda k: k == "joints")}
    data = record(
        document,
        "",
        {
            "name": string(100),
            "description": string(1000),
            "dt": number(low=1e-9, high=1),
            "steps": integer(1, MAX_STEPS),
            "view": numbers(4, COORDINATE),
            "world": lambda value, path: record(value, path, WORLD),
            "shapes": table.shapes,
            "bodies": table.bodies,
            "joints": table.joints,
            "fields": force_fields,
        },
        ("bodies",),
    )
    view = data.get("view")
    if view is not None and not (view[0] < view[2] and view[1] < view[3]):
        fail("view", "must be [x_min, y_min, x_max, y_max] with x_min < x_max and y_min < y_max")
    try:
        settings = data.get("world", {})
        pairs = settings.pop("material_pairs", None)
        world = World(**settings)
        world.material_pairs = pairs
    except (ValueError, TypeError) as error:
        fail_from("world", error)
    bodies: list[Body] = []
    labels: dict[str, Joint] = {}
    for place, entries, add in (
        ("bodies", data["bodies"], lambda entry: bodies.append(add_body(world, entry))),
        ("joints", data.get("joints", ()), lambda j: add_joint(world, j, bodies, labels)),
        ("fields", data.get("fields", ()), lambda field: add_field(world, field)),
    ):
        for k, entry in enumerate(entries):
            try:
                add(entry)  # type: ignore[no-untyped-call]
            except (ValueError, TypeError) as error:
                fail_from(f"{place}[{k}]", error)
    for body, entry in zip(bodies, data["bodies"], strict=True):
        if not entry.get("awake", True):  # joints wake
            body.awake = False
    return Scene(
        data.get("name", name),
        world,
        data.get("description", ""),
        data.get("dt", 1 / 60),
        data.get("steps", 300),
        view=view,
    )


def load(path: str | os.PathLike[str], *, max_vertices: int | None = None) -> Scene:
    """Make a scene from a scene file.

    Parameters
    ----------
    path : path
    max_vertices : int, optional
        As for `loads`.

    Raises
    ------
    SceneError
        If the file cannot be read or anything in it cannot be used; the message names the file and
        the place in it.
    """
    place = os.fsdecode(path)
    try:
        return loads(_read(path), Path(place).stem, max_vertices=max_vertices)
    except SceneError as error:
        raise SceneError(f"{place}: {error}") from None


def _read(path: str | os.PathLike[str]) -> str:
    data = bytearray()
    try:
        with _files.open_regular(path) as file:
            # One call for all would take the memory of the largest file for the smallest, too.
            while len(data) <= MAX_BYTES and (piece := file.read(CHUNK)):
                data += piece
    except OSError as error:
        raise SceneError(f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # no regular file, or a null character in the path
        raise SceneError(f"cannot be read: {error}") from None
    for magic, what, reader in BINARIES:
        if data.startswith(magic):
            raise SceneError(f"no scene file but {what}, which {reader} reads")
    if len(data) > MAX_BYTES:
        raise SceneError(f"larger than {MAX_BYTES // 2**20} MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SceneError(f"not UTF-8 text (byte {error.start})") from None


def load_world(path: str | os.PathLike[str]) -> World:
    """The world of a scene file; `pyphys2d.load`.

    Parameters
    ----------
    path : path

    Raises
    ------
    SceneError
        A ValueError: if the file cannot be read or anything in it cannot be used; the message names
        the file and the place in it.
    """
    return load(path).world
