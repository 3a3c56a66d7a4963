"""Checks of single values in scene files, each with what JSON Schema says of it.

A check takes a value and its place in the file, and gives what the value means or raises a
`SceneError` that names the place, as in ``bodies[3].shape.radius: must be > 0, got -1``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Any, NoReturn

from pyphys2d.scenes.scene import SceneError

MAX_POINTS = 10_000  # of one ring or chain
MAX_HOLES = 1_000
MAX_MATERIALS = 256

Check = Callable[[Any, str], Any]
# What JSON Schema says of what a check takes, for pyphys2d.scenes.schema.
SCHEMAS: dict[Check, dict[str, Any]] = {}


def says(check: Check, schema: dict[str, Any]) -> Check:
    """Remember the schema of a check."""
    SCHEMAS[check] = schema
    return check


def fail(path: str, message: str) -> NoReturn:
    """Raise the one error of scene files."""
    raise SceneError(f"{path}: {message}" if path else message)


def fail_from(path: str, error: Exception) -> NoReturn:
    """Pass on what the engine says of an argument, at the place of that argument."""
    named = re.match(r"([a-z_]+(?:\[\d+\])*): ", str(error))
    if named:
        fail(f"{path}.{named[1]}", str(error)[named.end() :])
    fail(path, str(error))


def shown(value: Any) -> str:
    """A value as the file has it, short enough for a message."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


# ------------------------------------------------------------------------------------ single values
def number(
    *, above: float | None = None, low: float | None = None, high: float | None = None
) -> Check:
    """A finite number > above, >= low, <= high."""

    def check(value: Any, path: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            fail(path, f"must be a number, got {shown(value)}")
        try:
            result = float(value)
        except OverflowError:
            fail(path, "the number is too large")
        if not math.isfinite(result):
            fail(path, "the number is too large")
        if above is not None and not result > above:
            fail(path, f"must be > {above:g}, got {shown(value)}")
        if low is not None and result < low:
            fail(path, f"must be >= {low:g}, got {shown(value)}")
        if high is not None and result > high:
            fail(path, f"must be <= {high:g}, got {shown(value)}")
        return result

    bounds = {"exclusiveMinimum": above, "minimum": low, "maximum": high}
    told = {key: bound for key, bound in bounds.items() if bound is not None}
    return says(check, {"type": "number", **told})


def integer(low: int, high: int) -> Check:
    """A whole number from low to high."""

    def check(value: Any, path: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            fail(path, f"must be a whole number, got {shown(value)}")
        if value < low:
            fail(path, f"must be >= {low}, got {shown(value)}")
        if value > high:
            fail(path, f"must be <= {high}, got {shown(value)}")
        return value

    return says(check, {"type": "integer", "minimum": low, "maximum": high})


def boolean(value: Any, path: str) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        fail(path, f"must be true or false, got {shown(value)}")
    return value


def string(longest: int) -> Check:
    """A string of at most ``longest`` characters."""

    def check(value: Any, path: str) -> str:
        if not isinstance(value, str):
            fail(path, f"must be a string, got {shown(value)}")
        if len(value) > longest:
            fail(path, f"must have at most {longest} characters, got {len(value)}")
        if not value.isprintable():
            fail(path, f"must hold printable characters only, got {shown(value)}")
        return value

    return says(check, {"type": "string", "maxLength": longest})


def choice(*names: str) -> Check:
    """One of a few strings."""

    def check(value: Any, path: str) -> str:
        if not isinstance(value, str) or value not in names:
            known = ", ".join(f'"{name}"' for name in names)
            fail(path, f"must be one of {known}, got {shown(value)}{nearest(value, names)}")
        return value

    return says(check, {"enum": list(names)})


def nearest(word: Any, known: Any) -> str:
    """``; did you mean "radius"?`` or nothing."""
    if not isinstance(word, str):
        return ""
    # The comparison is slow, and a file chooses both the word and the names of its shapes.
    names = [name for name in islice(known, 200) if len(name) <= 100]
    near = get_close_matches(word[:100], names, n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def array(value: Any, path: str, shortest: int, longest: int, what: str) -> list[Any]:
    """A list of shortest to longest entries."""
    if not isinstance(value, list):
        fail(path, f"must be a list of {what}, got {shown(value)}")
    if len(value) < shortest:
        fail(path, f"must have at least {shortest} {what}, got {len(value)}")
    if len(value) > longest:
        fail(path, f"must have at most {longest} {what}, got {len(value)}")
    return value


COORDINATE = number(low=-1e7, high=1e7)
ANY_NUMBER = number()
POSITIVE = number(above=0)
NOT_NEGATIVE = number(low=0)


def numbers(count: int, each: Check) -> Check:
    """A list of exactly ``count`` numbers."""

    def check(value: Any, path: str) -> tuple[float, ...]:
        if not isinstance(value, list) or len(value) != count:
            fail(path, f"must be a list of {count} numbers, got {shown(value)}")
        return tuple(each(entry, f"{path}[{k}]") for k, entry in enumerate(value))

    items = {"items": SCHEMAS[each], "minItems": count, "maxItems": count}
    return says(check, {"type": "array", **items})


def size(value: Any, path: str) -> tuple[float, float]:
    """Width and height of a wrapped world; null where it does not wrap."""
    if not isinstance(value, list) or len(value) != 2:
        fail(path, f"must be a list of 2 numbers or nulls, got {shown(value)}")
    width, height = (
        math.inf if side is None else POSITIVE(side, f"{path}[{k}]") for k, side in enumerate(value)
    )
    return width, height


def pairs_of_materials(value: Any, path: str) -> list[list[list[float]]]:
    """Rows of as many pairs of three numbers; null is what the mixing rule says."""
    rows = array(value, path, 1, MAX_MATERIALS, "materials")
    for i, row in enumerate(rows):
        if len(array(row, f"{path}[{i}]", 1, MAX_MATERIALS, "materials")) != len(rows):
            fail(f"{path}[{i}]", f"must have {len(rows)} materials, as there are, got {len(row)}")
    return [
        [
            [
                math.nan if each is None else NOT_NEGATIVE(each, f"{path}[{i}][{j}][{k}]")
                for k, each in enumerate(array(pair, f"{path}[{i}][{j}]", 3, 3, "numbers"))
            ]
            for j, pair in enumerate(row)
        ]
        for i, row in enumerate(rows)
    ]


def segments(value: Any, path: str) -> dict[str, list[float]]:
    """Surfaces of a chain's segments, as columns; null is what the collider has."""
    columns = record(value, path, dict.fromkeys(SEGMENT_COLUMNS, _column))
    for name, column in columns.items():
        for k, each in enumerate(column):
            if each is not None:
                SEGMENT_COLUMNS[name](each, f"{path}.{name}[{k}]")
    return {
        name: [SEGMENT_DEFAULTS[name] if each is None else each for each in column]
        for name, column in columns.items()
    }


def _column(value: Any, path: str) -> list[Any]:
    return array(value, path, 1, MAX_POINTS, "numbers")


SEGMENT_COLUMNS: dict[str, Check] = {
    "friction": NOT_NEGATIVE,
    "restitution": NOT_NEGATIVE,
    "rolling_resistance": NOT_NEGATIVE,
    "tangent_speed": ANY_NUMBER,
    "material": integer(0, MAX_MATERIALS - 1),
}
SEGMENT_DEFAULTS: dict[str, float] = dict.fromkeys(SEGMENT_COLUMNS, math.nan) | {"material": -1}

POINT = numbers(2, COORDINATE)
VECTOR = numbers(2, ANY_NUMBER)


def points(shortest: int) -> Check:
    """A list of at least ``shortest`` points."""

    def check(value: Any, path: str) -> list[tuple[float, float]]:
        entries = array(value, path, shortest, MAX_POINTS, "points")
        return [POINT(entry, f"{path}[{k}]") for k, entry in enumerate(entries)]

    items = {"items": SCHEMAS[POINT], "minItems": shortest, "maxItems": MAX_POINTS}
    return says(check, {"type": "array", **items})


def rings(value: Any, path: str) -> list[list[tuple[float, float]]]:
    """A list of holes."""
    entries = array(value, path, 0, MAX_HOLES, "holes")
    return [points(3)(entry, f"{path}[{k}]") for k, entry in enumerate(entries)]


def record(
    value: Any, path: str, fields: Mapping[str, Check], required: tuple[str, ...] = ()
) -> dict[str, Any]:
    """An object with these fields and no others, each checked."""
    if not isinstance(value, dict):
        fail(path, f"must be an object, got {shown(value)}")
    for key in value:
        if key not in fields:
            fail(path, f"unknown key {shown(key)}{nearest(key, fields)}")
    for key in required:
        if key not in value:
            fail(path, f'the key "{key}" is missing')
    start = f"{path}." if path else ""
    return {key: fields[key](entry, start + key) for key, entry in value.items()}
