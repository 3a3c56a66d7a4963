"""Numbers that callers give to the Python part: finite, or an error that names the argument."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isfinite
from typing import Any

import numpy as np
import numpy.typing as npt


def number(
    value: Any, name: str, *, above: float | None = None, least: float | None = None
) -> float:
    """A finite number > above or >= least."""
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{name}: must be one number: {error}") from None
    too_large(array, name)
    if array.dtype.kind not in "iuf" and not (array.shape == () and isinstance(value, Fraction)):
        raise TypeError(f"{name}: must be a real number, got {shown(value)}")
    if array.shape != ():
        raise ValueError(f"{name}: must be one number, got shape {array.shape}")
    result = float(value)
    if above is not None and not above < result < inf:
        raise ValueError(f"{name}: must be > {above} and finite, got {shown(value)}")
    if least is not None and not least <= result < inf:
        raise ValueError(f"{name}: must be >= {least} and finite, got {shown(value)}")
    if not isfinite(result):
        raise ValueError(f"{name}: must be finite, got {shown(value)}")
    return result


def bound(value: Any, name: str, *, least: float | None = None) -> float:
    """A number >= least, or an infinite one."""
    if isinstance(value, float) and value in (inf, -inf) and (least is None or value > least):
        return value
    return number(value, name, least=least)


def pair(value: npt.ArrayLike, name: str) -> tuple[float, float]:
    """Two finite numbers."""
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{name}: must have shape (2,): {error}") from None
    too_large(array, name)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: must hold real numbers, got {shown(value)}")
    if array.shape != (2,):
        raise ValueError(f"{name}: must have shape (2,), got {array.shape}")
    x, y = map(float, array.tolist())
    if not (isfinite(x) and isfinite(y)):
        raise ValueError(f"{name}: must be finite, got {shown(value)}")
    return x, y


def too_large(array: npt.NDArray[Any], name: str) -> None:
    """Raise a ValueError where an array of objects holds a number beyond all floats."""
    for item in array.flat if array.dtype.kind == "O" else ():
        try:
            if isinstance(item, int | Fraction):
                float(item)
        except OverflowError:
            words = f"{name}: must be finite, got an integer too large for a float"
            raise ValueError(words) from None


def shown(value: object) -> str:
    """A value in the words of an error: lists may hold lists without end."""
    try:
        return repr(value)
    except RecursionError:
        return f"a {type(value).__name__} nested too deeply to be shown"
