"""What programs of the fuzzer are made of besides the library: arrays in odd layouts, and objects
that act while they are being converted, called, compared or collected.

An act is a function without arguments. `acted` counts those that may have changed a world, so that
a call which raises afterwards is not blamed for the change; `boom` only raises.
"""

import gc
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import pyphys2d as p2

try:
    from pyphys2d import _testing
except ImportError:  # built without PYPHYS2D_TESTING: no allocation fails
    _testing = None  # type: ignore[assignment]

Act = Callable[[], object]
nan, inf = float("nan"), float("inf")
DEPTH = 3  # of acts in acts


class BoomError(Exception):
    """What hostile objects raise."""


grave: list[str] = []  # faults that nobody would see otherwise
_kept: list[Any] = []  # by acts, until the program ends


class _Count:
    acts = 0
    deep = 0


def keep(thing: Any) -> None:
    """Until the program ends."""
    _kept.append(thing)


def forget() -> None:
    _kept.clear()


def acted() -> int:
    """How many acts there were."""
    return _Count.acts


def boom() -> None:
    raise BoomError


def nothing() -> None:
    pass


def _do(act: Act) -> None:
    if act is nothing:
        return
    if act is boom:
        raise BoomError
    if _Count.deep < DEPTH:
        _Count.acts += 1
        _Count.deep += 1
        try:
            act()
        finally:
            _Count.deep -= 1


def quiet(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """The result, or None for what is refused."""
    try:
        return function(*args, **options)
    except SystemError as error:
        grave.append(f"SystemError: {error}")
    except Exception:
        pass
    return None


# ---------------------------------------------------------------------------------- allocations


def _unwarned(*_args: Any, **_options: Any) -> None:
    """In place of a warning."""


def failing(
    memory: str, n: int, count: int, function: Callable[..., Any], *args: Any, **options: Any
) -> Any:
    """The function's result, with allocation n (and count - 1 more) of a memory failing."""
    if _testing is None:
        return function(*args, **options)
    # CPython 3.11 crashes by itself where it has no memory for a warning (setup_context of
    # Python/_warnings.c): NumPy warns of masked numbers.
    warn, warnings.warn = warnings.warn, _unwarned
    if memory == "engine":
        _testing.fail_allocation(n)
    else:
        _testing.fail_python_allocation(n, count)
    try:
        return function(*args, **options)
    finally:
        _testing.fail_python_allocation(0)
        _testing.fail_allocation(0)
        warnings.warn = warn


# --------------------------------------------------------------------------------------- objects


class Number:
    """A number by all protocols; acts first."""

    def __init__(self, value: float, act: Act = nothing) -> None:
        self.value, self.act = value, act

    def __float__(self) -> float:
        _do(self.act)
        return float(self.value)

    def __index__(self) -> int:
        _do(self.act)
        return int(self.value)

    def __bool__(self) -> bool:
        _do(self.act)
        return bool(self.value)

    def __eq__(self, other: object) -> bool:
        _do(self.act)
        return self is other

    def __hash__(self) -> int:
        _do(self.act)
        return 7


class Array:
    """An array by `__array__`; acts first."""

    def __init__(self, value: Any, act: Act = nothing) -> None:
        self.value, self.act = value, act

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        _do(self.act)
        return np.asarray(self.value, dtype)


class Interface:
    """An array by `__array_interface__`; acts first."""

    def __init__(self, value: Any, act: Act = nothing) -> None:
        self.array, self.act = seen(np.array(value)), act

    @property
    def __array_interface__(self) -> Any:
        _do(self.act)
        return self.array.__array_interface__


class Row:
    """A sequence that acts at each look, and may lie about its length."""

    def __init__(self, values: Sequence[Any], act: Act = nothing, lie: int = 0) -> None:
        self.values, self.act, self.lie = values, act, lie

    def __len__(self) -> int:
        _do(self.act)
        return max(0, len(self.values) + self.lie)

    def __getitem__(self, index: Any) -> Any:
        _do(self.act)
        return self.values[index]

    def __iter__(self) -> Iterator[Any]:
        for value in self.values:
            _do(self.act)
            yield value


class Hook:
    """Called with anything, acts, and answers."""

    def __init__(self, answer: Any = None, act: Act = nothing) -> None:
        self.answer, self.act = answer, act

    def __call__(self, *args: Any, **options: Any) -> Any:
        _do(self.act)
        return self.answer(*args) if callable(self.answer) else self.answer


class Dying:
    """Acts when it is collected."""

    def __init__(self, act: Act = nothing) -> None:
        self.act = act

    def __del__(self) -> None:
        quiet(_do, self.act)


class Word(str):
    def __eq__(self, other: object) -> bool:
        return str(self) == other

    def __hash__(self) -> int:
        raise BoomError


class Real(float):
    def __float__(self) -> float:
        raise BoomError


class Whole(int):
    def __index__(self) -> int:
        raise BoomError


class Sub(np.ndarray[Any, Any]):
    """A subclass of arrays that acts when views of it are made."""

    act: Act = nothing

    def __array_finalize__(self, other: Any) -> None:
        if other is not None:
            _do(getattr(other, "act", nothing))


class OddWorld(p2.World):
    """A subclass that looks at itself when it is collected, half made or not."""

    def __del__(self) -> None:
        quiet(self.hash)
        quiet(len, self.bodies) if hasattr(self, "bodies") else None


class OddPolygon(p2.Polygon):
    def __del__(self) -> None:
        quiet(repr, self)
        quiet(self.contains, (0, 0))


def clearing(values: list[Any], at: int) -> list[Any]:
    """A list that empties itself when its element at that place is converted."""
    values = list(values)
    if values:
        values[at % len(values)] = Number(1.0, values.clear)
    return values


def endless(depth: int) -> list[Any]:
    """Lists in lists."""
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


# ---------------------------------------------------------------------------------------- arrays


def seen(array: Any) -> Any:
    """The array, or what it says where it holds things of the library: the garbage collector does
    not look into arrays of NumPy, so a world that holds one which holds it would stay for ever.
    """
    if array.dtype.hasobject and any(
        type(each).__module__.startswith("pyphys2d") or isinstance(each, p2.World)
        for each in array.flat
    ):
        return np.asarray(str(array))
    return array


def strided(value: Any) -> Any:
    """Every second number of a longer array."""
    given = np.asarray(value, float)
    wide = np.full((*given.shape, 2), nan)
    wide[..., 0] = given
    return wide[..., 0]


def backward(value: Any) -> Any:
    """Strides that are negative."""
    given = np.asarray(value, float)
    return np.flip(np.flip(given).copy())


def swapped(value: Any) -> Any:
    """The other order of bytes."""
    given = np.asarray(value, float)
    return given.astype(given.dtype.newbyteorder())


def unaligned(value: Any) -> Any:
    given = np.asarray(value, float)
    raw = np.zeros(given.nbytes + 1, np.uint8)[1:]
    raw[:] = np.frombuffer(given.tobytes(), np.uint8)
    return raw.view(float).reshape(given.shape)


def objects(value: Any) -> Any:
    return seen(np.asarray(value, object))


def single(value: Any) -> Any:
    return np.asarray(value, np.float32)


def whole(value: Any) -> Any:
    return np.nan_to_num(np.asarray(value, float), posinf=9, neginf=9).clip(-99, 99).astype(np.int8)


def fortran(value: Any) -> Any:
    return np.asfortranarray(value, float)


def frozen(value: Any) -> Any:
    given = np.array(value, float)
    given.flags.writeable = False
    return given


def sub(value: Any, act: Act = nothing) -> Any:
    given = np.array(value, float).view(Sub)
    given.act = act
    return given


def deep(value: Any, axes: int) -> Any:
    """With so many axes in front."""
    given = np.asarray(value, float)
    return given.reshape((1,) * (axes - given.ndim) + given.shape)


def buffer(value: Any) -> Any:
    """Memory of a bytearray."""
    given = np.asarray(value, float)
    return np.frombuffer(bytearray(given.tobytes()), float).reshape(given.shape)


def repeated(value: Any, rows: int) -> Any:
    """Rows that are the same memory."""
    given = np.asarray(value, float)
    return np.broadcast_to(given, (rows, *given.shape))


def masked(value: Any) -> Any:
    return np.ma.masked_invalid(np.asarray(value, float))


# ------------------------------------------------------------------------- what Python can do too


def read(array: Any) -> None:
    """Every byte of an array, and of what it holds."""
    array.tobytes()
    if array.dtype.hasobject:
        repr(array.tolist())


def put(array: Any, index: Any, value: Any) -> None:
    _Count.acts += 1  # a live array is a world's state
    array[index] = value


def half_made(thing: Any) -> Any:
    """What `__new__` of its class gives without arguments, for those in C."""
    if type(thing).__new__ is object.__new__:
        return None
    return type(thing).__new__(type(thing))


def again(thing: Any, *args: Any) -> None:
    thing.__init__(*args)


def parallel(*acts: Act) -> None:
    """All at the same time."""
    _Count.acts += 1
    threads = [threading.Thread(target=quiet, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def collect() -> None:
    _Count.acts += 1  # what is collected may act
    gc.collect()


def references(thing: Any) -> int:
    return sys.getrefcount(thing)
