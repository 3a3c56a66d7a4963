"""Runs programs line by line, and checks what no call may break: a call that raised has left all
worlds as they were, and so has one that only reads; only documented errors come out; no call takes
long; at the end nothing is left behind.

To look at a world costs as much as a call. So a campaign looks before the lines that are likely to
raise, and holds what only reads to account at the next look: which line it was comes out when the
program is run again, with a look after each line.
"""

import ast
import gc
import pickle
import re
import sys
import time
import traceback
import warnings
import weakref
from collections.abc import Iterable
from copy import copy, deepcopy
from functools import cache
from typing import Any

import hostile
import numpy as np
from catalogue import namespaces, reading

import pyphys2d as p2
from pyphys2d import _core, _hints

SPACES = namespaces()
_AS = {"core": "_core as core"}
PREAMBLE = f"""import copy, gc, pickle, weakref
import numpy as np
from pyphys2d import {", ".join(_AS.get(space, space) for space in SPACES)}
from hostile import *
"""
SLOWER = 30 if "sanitize" in _core.build_switches else 1
SHORT = 0.02  # s of a call that is not looked at
GRACE = 0.25 * SLOWER  # s of CPU time of a call, besides one second for 10,000 bodies

# What calls may raise anywhere; the second row only where Python's own protocols do.
REFUSALS = (
    ValueError,
    TypeError,
    MemoryError,
    p2.RemovedError,
    p2.WorldLockedError,
    hostile.BoomError,
)
PROTOCOL = (
    *(AttributeError, IndexError, KeyError, StopIteration, BufferError, pickle.PicklingError),
    *(RecursionError, OverflowError),
)
OWN = hostile.__file__
NUMPY = np.__file__.rpartition("/")[0]
LIBRARY = _core.__file__.rpartition("/")[0]

_MISSING = re.compile(r"name 'v\d+' is not defined")
_FAILING = re.compile(r"^(failing\(\W\w+\W, \d+, \d+|call\(\w*), ")
_ON_DEMAND = re.compile(r"^(?:v\d+ = )?call\((\w*), ([^,)]*)(?:, )?(.*)\)$", re.DOTALL)
_ATTRIBUTE = re.compile(r"[sg]etattr[(,] ?[\w\[\].]+, '(\w+)'")
_NAME = re.compile(r"[\w\[\].]*")
_GETTER = re.compile(r"v\d+ = (v\d+(\[\d+\])?\.\w+|getattr\(v\d+(\[\d+\])?, '\w+'\))")
_FUNCTION = re.compile(r"v\d+ = (\w+\.\w+)\(")
_PYTHON = re.compile(r"<function \w+\.__\w+__ at \w+> returned NULL without setting")
READING = reading()
Arm = tuple[str, int, int]  # memory, first allocation that fails, how many


class FaultError(Exception):
    """What a program must not do: in short, and at length."""

    def __init__(self, sign: str, text: str) -> None:
        super().__init__(f"{sign}\n{text}")
        self.sign, self.text = sign, text


def callee(line: str) -> str:
    """The name of what a line calls, reads or sets."""
    text = _FAILING.sub("", line.partition(" = ")[2] or line)
    attribute = _ATTRIBUTE.match(text)
    if attribute:
        return attribute[1]
    name: str = _NAME.match(text)[0]  # type: ignore[index]
    return "__getitem__" if name.count("[") > name.count("]") else name.rpartition(".")[2]


class Line:
    """A statement, compiled once. Where `call(core, f, x)` is written, f may be called while
    allocations fail: the text is then that of `failing`, else of `f(x)`. The first argument says
    which allocations may.
    """

    __slots__ = ("callee", "code", "memory", "name", "parts", "reads", "risky", "skipped", "text")

    def __init__(self, text: str) -> None:
        self.name = text.partition(" = ")[0]
        self.parts = _ON_DEMAND.match(text)
        self.memory = ""
        if self.parts:
            self.memory = self.parts[1]
            text = f"{self.name} = {self.parts[2]}({self.parts[3]})"
            rest = f", {self.parts[3]}" if self.parts[3] else ""
            source = f"{self.name} = call({self.parts[2]}{rest})"
        else:
            source = text
        self.text = text
        self.callee = callee(text)
        self.code = compile(source, "<program>", "exec")
        function = _FUNCTION.match(text)
        self.reads = bool(_GETTER.fullmatch(text)) or (
            function is not None and function[1] in READING and "out=" not in text
        )
        self.risky = False  # likely to raise
        self.skipped = False  # lacked a name when it ran last

    def failing(self, arm: Arm) -> str:
        assert self.parts
        rest = f", {self.parts[3]}" if self.parts[3] else ""
        return f"{self.name} = failing({arm[0]!r}, {arm[1]}, {arm[2]}, {self.parts[2]}{rest})"


class Machine:
    """A namespace, and the worlds in it."""

    def __init__(self, extra: dict[str, Any] | None = None, *, strict: bool = True) -> None:
        self.strict = strict  # looks at the worlds after each line
        self.arm: Arm | None = None
        self.space: dict[str, Any] = {
            "copy": copy,
            "deepcopy": deepcopy,
            "gc": gc,
            "np": np,
            "pickle": pickle,
            "weakref": weakref,
            **SPACES,
            "call": self.call,
            **{name: thing for name, thing in vars(hostile).items() if name[0] != "_"},
            **(extra or {}),
        }
        self.own = set(self.space)
        self.refused: BaseException | None = None
        self.skipped = False
        self.marked = (time.perf_counter(), time.process_time())
        self.drop()
        hostile.grave.clear()

    def call(self, function: Any, *args: Any, **options: Any) -> Any:
        """What lines do that may fail on demand."""
        if self.arm is None:
            return function(*args, **options)
        return hostile.failing(*self.arm, function, *args, **options)

    def look(self) -> Any:
        """All that a call which raises must leave as it was."""
        return [
            (
                world.hash(),
                world.step_count,
                len(world.bodies),
                len(world.colliders),
                len(world.joints),
                len(world.fields),
            )
            for world in self.worlds.values()
        ]

    def settle(self) -> None:
        """Makes `state` that of now. What has only read since must not have changed it."""
        if self.state is None:
            self.state = self.look()
        elif self.readers:
            before, self.state = self.state, self.look()
            if before != self.state:
                name = callee(self.readers[-1])
                raise FaultError(f"reading {name} changes", f"{before}\n{self.state}")
        self.readers.clear()

    def run(self, text: str) -> None:
        """Of a program that is at hand as a text."""
        self.do(Line(text))

    def do(self, line: Line, arm: Arm | None = None) -> None:
        """Raises `FaultError`, or nothing. `refused` says what the line raised."""
        self.heed()
        if self.strict or arm is not None or line.risky:
            self.settle()
        self.refused, self.skipped, self.arm = None, False, arm
        start = time.perf_counter()
        if start - self.marked[0] > SHORT:
            self.marked = (start, time.process_time())
        try:
            exec(line.code, self.space)
        except REFUSALS as error:
            self.refused = error
        except Exception as error:
            self.refused = error
            self.arm = None
            self.judge(line.text, error)
        self.arm = None
        took = time.perf_counter() - start
        if hostile.grave:
            sign = f"{hostile.grave[0]} in {callee(line.text)}"
            raise FaultError(sign, "\n".join(hostile.grave))
        line.skipped = self.skipped
        if took > SHORT:
            self.time(line.text)
        if self.heed():
            if self.refused is None:
                self.found(line)
        elif self.refused is None:
            self.found(line)
            if not line.reads:
                self.forget()
            elif self.state is not None:
                self.readers.append(line.text)
                if self.strict:
                    self.settle()
        elif self.state is None:
            line.risky = not self.skipped
        elif not self.skipped:
            line.risky = True
            self.compare(line.text)

    def heed(self) -> bool:
        """Whether anything has acted meanwhile, which may have changed a world."""
        acts = hostile.acted()
        if acts == self.acts:
            return False
        self.acts = acts
        self.forget()
        return True

    def forget(self) -> None:
        """Of the state, which a call may have changed."""
        self.state = None
        self.readers.clear()

    def found(self, line: Line) -> None:
        """Knows the worlds that there are."""
        name = line.name
        if name[:4] == "del ":
            for each in [each for each in self.worlds if each not in self.space]:
                del self.worlds[each]
                self.forget()
        elif isinstance(self.space.get(name), p2.World):
            self.worlds[name] = self.space[name]
            self.forget()
        elif name in self.worlds:
            del self.worlds[name]
            self.forget()

    def compare(self, text: str) -> None:
        """After a call that raised, with what was before."""
        before, after = self.state, self.look()
        self.state = after
        self.readers.clear()
        if before != after and not self.excused(text, before):
            raise FaultError(
                f"{type(self.refused).__name__} of {callee(text)} left a change",
                f"{self.refused}\nbefore {before}\nafter  {after}",
            )

    def time(self, text: str) -> None:
        """The CPU time since the mark bounds that of the last line from above."""
        wall, now = time.perf_counter(), time.process_time()
        took = now - self.marked[1]
        self.marked = (wall, now)
        size = sum(len(world.bodies) for world in self.worlds.values())
        if took > GRACE + size / 1e4 * SLOWER:
            raise FaultError(f"{callee(text)} is slow", f"{took:.2f} s of CPU time, {size} bodies")

    def excused(self, line: str, before: Any) -> bool:
        """Steps that were made before the one that raised are kept."""
        return callee(line) in ("step", "record", "simulate", "before_step") and any(
            old[1] != new[1] for old, new in zip(before, self.state, strict=True)
        )

    def judge(self, line: str, error: Exception) -> None:
        """An exception that is no common refusal."""
        if type(error) is NameError and _MISSING.search(str(error)):
            self.skipped = True
            return
        frames = traceback.extract_tb(error.__traceback__)
        within = [
            each
            for each in frames
            if each.filename.startswith((OWN, LIBRARY)) and each.name != "failing"
        ]
        own = bool(within) and within[-1].filename == OWN
        if type(error) is AttributeError and within and within[-1].filename == _hints.__file__:
            return  # of a name that other engines have
        if isinstance(error, SystemError) and (
            own
            or _PYTHON.match(str(error))
            or (bool(within) and str(error) == "error return without exception set")
            or frames[-1].filename.startswith(NUMPY)
        ):
            return  # Python's own, when it has no memory to call what is written in Python
        if isinstance(error.__cause__, MemoryError) and "configure default ndarray" in str(error):
            return  # NumPy's own, when it has no memory to import what writes arrays as text
        if isinstance(error, PROTOCOL) and (not within or own):
            return
        if isinstance(error, RecursionError) and "repr of an object" in str(error):
            return  # of a list so deep that no message can name it
        if type(error).__name__ in documented(callee(line)):
            return
        text = "".join(traceback.format_exception(error))
        raise FaultError(f"{type(error).__name__} from {callee(line)}", text)

    def drop(self) -> None:
        """All that programs have made."""
        self.refused = None
        self.worlds: dict[str, Any] = {}
        self.state: Any = None  # None: not known
        self.readers: list[str] = []  # that ran since the state was looked at
        self.acts = hostile.acted()  # until now
        for name in [name for name in self.space if name not in self.own]:
            del self.space[name]
        hostile.forget()

    def end(self) -> None:
        """Drops everything; what the library has made must be gone."""
        if not self.heed() and self.readers:
            self.settle()
        self.drop()
        for _ in range(4):
            gc.collect()
            left = counts()
            if left == _before:
                break
        if hostile.grave:
            raise FaultError(f"{hostile.grave[0]} at the end", "\n".join(hostile.grave))
        if left != _before:
            text = f"before {_before}\nafter  {left}"
            _before.update(left)  # the next program is not to blame
            raise FaultError("something is left behind", text)


_before: dict[str, int] = {}  # any program


def counts() -> dict[str, int]:
    live = dict(_core._live())
    if hostile._testing is not None:
        live["blocks"] = hostile._testing.live_allocations()
    return live


@cache
def documented(name: str) -> str:
    """What is said about all that has this name."""
    owners = [thing for space in SPACES.values() for thing in vars(space).values()]
    texts = [getattr(owner, name, None).__doc__ or "" for owner in owners if hasattr(owner, name)]
    return "\n".join(texts)


def prepare() -> None:
    """Of a process that runs programs."""
    warnings.simplefilter("ignore")
    sys.unraisablehook = _unraisable
    gc.collect()
    gc.freeze()
    _before.update(counts())


def _unraisable(found: Any) -> None:
    """Errors that nobody sees. Those of a failing allocation in a destructor are nobody's fault."""
    ours = isinstance(found.object, hostile.Hook) and found.exc_type is not SystemError
    if not ours and not isinstance(found.exc_value, MemoryError | NameError | hostile.BoomError):
        hostile.grave.append(f"unraisable {type(found.exc_value).__name__}")
        hostile.grave.append(f"{found.exc_value} {found.err_msg} {type(found.object)}")


def lines_of(text: str) -> list[str]:
    """The statements of a program, one a line, without imports."""
    body = ast.parse(text).body
    return [
        ast.unparse(node)
        for node in body
        if not isinstance(node, ast.Import | ast.ImportFrom)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]


def run_program(lines: Iterable[str], extra: dict[str, Any] | None = None) -> None:
    """All lines, and the end. Raises `FaultError`."""
    machine = Machine(extra)
    for line in lines:
        machine.run(line)
    machine.end()
