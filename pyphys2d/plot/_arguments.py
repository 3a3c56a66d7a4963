"""Refuses what a picture cannot be made of, by the name of the argument and before it is drawn."""

from __future__ import annotations

from operator import index
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def instance(name: str, value: object, kind: type) -> None:
    """Raise a TypeError for what is not of this kind."""
    if not isinstance(value, kind):
        raise TypeError(f"{name}: must be a {kind.__name__}, got {type(value).__name__}")


def numbers(name: str, value: Any) -> Array:
    """An array of floats, of any shape and not necessarily finite."""
    try:
        return np.asarray(value, float)
    except OverflowError:
        raise ValueError(f"{name}: must be finite, got an integer too large for a float") from None
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: must be numbers, got {short(value)}") from error


def finite(name: str, array: Array) -> None:
    """Raise a ValueError with the first row of an array (n,) or (m, n) that is not finite."""
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        at = tuple(bad[0, :-1].tolist())
        row = ", ".join(map(str, array[at].tolist()))
        where = f" in row {at[0]}" if at else ""
        raise ValueError(f"{name}: must be finite, got ({row}){where}")


def row(name: str, value: Any, lowest: int, highest: int) -> int:
    """A row between these two, ends included."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = index(value)
    except TypeError:
        raise TypeError(f"{name}: must be an int, got {value!r}") from None
    if not lowest <= number <= highest:
        raise IndexError(f"{name}: must be from {lowest} to {highest}, got {number}")
    return number


def scale(name: str, value: Any, *, flag: bool = True) -> None:
    """Raise for what is no finite number > 0, nor, where it may be a ``flag``, a bool."""
    if flag and isinstance(value, bool):
        return
    words = f"{name}: must be {'a bool or ' if flag else ''}a number > 0, got {value!r}"
    try:
        fits = bool(np.isfinite(value) and value > 0)
    except (TypeError, ValueError):
        raise TypeError(words) from None
    if not fits:
        raise ValueError(words)


def rectangle(name: str, value: Any) -> tuple[float, float, float, float]:
    """x_min, y_min, x_max, y_max."""
    words = f"{name}: must be (x_min, y_min, x_max, y_max), finite and rising, got "
    try:
        array = np.asarray(value, float)
    except OverflowError:
        raise ValueError(f"{name}: must be finite, got an integer too large for a float") from None
    except (TypeError, ValueError) as error:
        raise type(error)(words + short(value)) from error
    if array.shape != (4,) or not (np.isfinite(array).all() and (array[:2] < array[2:]).all()):
        raise ValueError(words + short(value))
    x0, y0, x1, y1 = array.tolist()
    return x0, y0, x1, y1
