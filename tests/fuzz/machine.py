"""Runs programs line by line, and checks after each line what no call may break."""

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

import pyphys2d as p2
from pyphys2d import _core, geometry, mover, tiles, traces, trajectory

PREAMBLE = """import copy, gc, pickle, weakref
import numpy as np
from pyphys2d import _core as core, geometry, mover, tiles, traces, trajectory
from hostile import *
"""
SLOWER = 30 if "sanitize" in _core.build_switches else 1
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
LIBRARY = _core.__file__.rpartition("/")[0]

_MISSING = re.compile(r"name 'v\d+' is not defined")
_FAILING = re.compile(r"^failing\(\W\w+\W, \d+, \d+, ")
_ATTRIBUTE = re.compile(r"[sg]etattr[(,] ?[\w\[\].]+, '(\w+)'")
_NAME = re.compile(r"[\w\[\].]*")
_GETTER = re.compile(r"v\d+ = v\d+(\[\d+\])?\.\w+")


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
    return _NAME.match(text)[0].rpartition(".")[2]  # type: ignore[index]


class Machine:
    """A namespace, and the worlds in it."""

    def __init__(self, extra: dict[str, Any] | None = None) -> None:
        self.space: dict[str, Any] = {
            "copy": copy,
            "deepcopy": deepcopy,
            "gc": gc,
            "np": np,
            "pickle": pickle,
            "weakref": weakref,
            "core": _core,
            "geometry": geometry,
            "mover": mover,
            "tiles": tiles,
            "traces": traces,
            "trajectory": trajectory,
            **{name: thing for name, thing in vars(hostile).items() if name[0] != "_"},
            **(extra or {}),
        }
        self.own = set(self.space)
        self.worlds: dict[str, Any] = {}
        self.state: Any = []
        self.refused: BaseException | None = None
        self.skipped = False
        hostile.grave.clear()
        hostile.forget()

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

    def run(self, line: str) -> None:
        """Raises `FaultError`, or nothing. `refused` says what the line raised."""
        space, worlds = self.space, self.worlds
        code = compile(line, "<program>", "exec")
        acts = hostile.acted()
        self.refused, self.skipped = None, False
        start = time.process_time()
        try:
            exec(code, space)
        except REFUSALS as error:
            self.refused = error
        except Exception as error:
            self.refused = error
            self.judge(line, error)
        took = time.process_time() - start
        if hostile.grave:
            raise FaultError(f"{hostile.grave[0]} in {callee(line)}", "\n".join(hostile.grave))
        name, _, rest = line.partition(" = ")
        if rest and self.refused is None:
            thing = space.get(name)
            if isinstance(thing, p2.World):
                worlds[name] = thing
        elif line.startswith("del "):
            for name in [name for name in worlds if name not in space]:
                del worlds[name]
        state = self.look()
        if state != self.state:
            before, self.state = self.state, state
            if hostile.acted() == acts and len(before) == len(state):
                if self.refused is not None and not self.excused(line, before):
                    raise FaultError(
                        f"{type(self.refused).__name__} of {callee(line)} left a change",
                        f"{self.refused}\nbefore {before}\nafter  {state}",
                    )
                if _GETTER.fullmatch(line):
                    raise FaultError(f"reading {callee(line)} changes", f"{before}\n{state}")
        size = sum(row[2] for row in state)
        if took > GRACE + size / 1e4 * SLOWER:
            raise FaultError(f"{callee(line)} is slow", f"{took:.2f} s of CPU time, {size} bodies")

    def excused(self, line: str, before: Any) -> bool:
        """Steps that were made before the one that raised are kept."""
        return callee(line) in ("step", "record", "before_step") and any(
            old[1] != new[1] for old, new in zip(before, self.state, strict=True)
        )

    def judge(self, line: str, error: Exception) -> None:
        """An exception that is no common refusal."""
        if type(error) is NameError and _MISSING.search(str(error)):
            self.skipped = True
            return
        frames = traceback.extract_tb(error.__traceback__)
        within = [each for each in frames if each.filename.startswith((OWN, LIBRARY))]
        own = bool(within) and within[-1].filename == OWN
        if isinstance(error, SystemError) and own and within[-1].name != "failing":
            return  # Python's own, when it has no memory to call a hostile object
        if isinstance(error, PROTOCOL) and (not within or own):
            return
        if type(error).__name__ in documented(callee(line)):
            return
        text = "".join(traceback.format_exception(error))
        raise FaultError(f"{type(error).__name__} from {callee(line)}", text)

    def drop(self) -> None:
        """All that programs have made."""
        self.refused = None
        self.worlds.clear()
        self.state = []
        for name in [name for name in self.space if name not in self.own]:
            del self.space[name]
        hostile.forget()

    def end(self) -> None:
        """Drops everything; what the library has made must be gone."""
        self.drop()
        for _ in range(3):
            gc.collect()
        if hostile.grave:
            raise FaultError(f"{hostile.grave[0]} at the end", "\n".join(hostile.grave))
        left = counts()
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
    owners = [
        thing for space in (_core, trajectory, tiles, mover) for thing in vars(space).values()
    ]
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
