"""Writes programs: mostly calls that can succeed, so that worlds become rich, and among them
hostile ones. A program is a list of lines; `v7` is what the line that begins with it gave.

To write and to compile a line costs some ten times as much as to run it. So a program runs several
times, and each time a little else: lines are left out, repeated at other places, and added, and
other allocations fail.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import catalogue
import numpy as np
from catalogue import Entry, Parameter
from machine import Arm, Line, Machine

import pyphys2d as p2
from pyphys2d import _core

LINES = 250  # of a program
MOST_LINES = 300  # of what becomes of it
ADDED, LEFT_OUT, REPEATED = 0.035, 0.035, 0.04  # lines of a program that runs again
SLOW = {"_repr_html_", "snap", "stages", "collect", "record", "to_bodies", "parallel"}  # half go
FAILING = 0.15  # of the calls that can, so that a tenth of all do
RAGGED = "[(0, 1), (2,)]"
MOST_BODIES = 40
POOL = 24  # things of a class that are at hand
MANY = 48  # bodies that worlds are made for

ENTRIES = catalogue.everything()
BASES = catalogue.bases()
HANDLES = tuple(
    cls
    for cls in vars(_core).values()
    if isinstance(cls, type) and hasattr(cls, "alive") and cls is not p2.World
)

# What texts are for which names; all of them are tried for other names, too.
WORDS = {
    "kind": ("dynamic", "dynamic", "dynamic", "kinematic", "static"),
    "solver": ("soft_step", "soft_step", "sequential_impulses"),
    "broadphase": ("grid", "tree", "all_pairs"),
    "friction_rule": ("geometric_mean", "max", "min", "average", "multiply"),
    "restitution_rule": ("geometric_mean", "max", "min", "average", "multiply"),
    "response": ("impulse", "translate"),
    "method": ("winding", "crossings", "cross_products"),
    "axis": ("x", "y"),
    "name": ("crate", ""),
}

# Numbers that succeed, by what is in a parameter's name; the first that fits.
NUMBERS = [
    (r"^dt$", 0.001, 0.04),
    (r"^seconds$", 0.01, 0.2),
    (r"^fps$", 10.0, 60.0),
    (r"hertz|threshold|speed|damping", 0.0, 9.0),
    (r"radius|width|height|size|length|tooth", 0.2, 1.5),
    (r"skin|margin|tolerance|slop|target$", 0.005, 0.1),
    (r"baumgarte|positional", 0.1, 0.9),
    (r"friction|restitution|resistance|falloff|density|mass|drag|linear|quadratic", 0.1, 1.5),
    (r"^lower", -2.0, 0.0),
    (r"^upper|power|strength|max_|break", 0.1, 99.0),
    (r"slope", 0.1, 1.5),
]
WHOLE = {
    "n": (1, 4),
    "k": (1, 4),
    "steps": (0, 3),
    "every": (1, 3),
    "substeps": (1, 8),
    "iterations": (1, 9),
    "workers": (1, 2),
    "max_bodies": (MANY, MANY),
    "rows": (2, 2),
    "columns": (3, 3),
    "spots": (1, 8),
    "group": (-1, 1),
}
ALWAYS = {"max_bodies", "translation_b"}  # given
REPEATING = {
    *("n", "steps", "seconds", "fps", "substeps", "iterations", "workers", "spots", "every", "k"),
}
RINGS = {"vertices", "polygon", "subject", "clip", "ring", "holes"}
SCALARS = {
    *("angle", "angles", "angular_velocity", "density", "friction", "restitution", "height"),
    *("rolling_resistance", "tangent_speed", "gravity_scale", "linear_damping", "mass"),
    *("angular_damping", "radius", "radius_a", "radius_b", "speed"),
    *("angular_velocities", "torques", "material"),
}
TRUTHS = {"bullet", "fixed_rotation", "awake", "can_sleep", "enabled"}
MATRICES = {"box", "boxes", "box_a", "box_b"}

SPECIAL = (
    *(
        "nan",
        "inf",
        "-inf",
        "0",
        "-1",
        "1e300",
        "-1e300",
        "1e-320",
        "1e15",
        "1e16",
        "2**63",
        "-2**63",
    ),
    *("2**70", "10**400", "None", "'x'", "b'x'", "()", "[]", "{}", "object()", "1j", "True", "..."),
    *(
        "np.float32(1)",
        "np.datetime64(1, 's')",
        "np.array(None)",
        "np.str_('1')",
        "Word('dynamic')",
    ),
    *("Real(1)", "Whole(1)", "type", "int", "np.zeros(0)", "np.zeros((0, 2))", "np.empty((2, 0))"),
    *("deep((1, 2), 33)", "deep((1, 2), 40)", "deep(1, 64)", "endless(70)", "endless(1500)"),
    *("np.zeros((3, 3, 3))", "np.zeros(5)", "np.full((3, 2), nan)", RAGGED, "'\\udc80'"),
    *("np.zeros((2, 2), complex)", "np.zeros(2, 'U3')", "np.zeros(2, 'i4,f8')", "range(10**4)"),
    *(
        "repeated((0, 1), 1000)",
        "np.zeros((1, 2), bool)",
        "bytearray(16)",
        "memoryview(b'12345678')",
    ),
    *(
        "Number(nan)",
        "Number(1, boom)",
        "Array((0, 1), boom)",
        "Row((0, 1), boom)",
        "Row((1, 2), lie=1)",
    ),
    *("Row((1, 2), lie=10**6)", "Row([(1, 2), (3, 4)], lie=-1)", "Interface((0, 1), boom)"),
    *("clearing([1, 2], 0)", "clearing([1, 2], 1)", "[clearing([1, 2], 1), (0, 1)]"),
)
LAYOUTS = (
    *("strided", "backward", "swapped", "unaligned", "objects", "single", "whole", "fortran"),
    *("frozen", "sub", "buffer", "masked", "list", "tuple", "Array", "Interface", "Row"),
)
# Of World, and written in Python.
IN_PYTHON = {
    *("copy", "deepcopy", "reduce_ex", "snapshot", "restore", "from_snapshot"),
    *("fork", "diff", "check", "record"),
}
# NumPy crashes on them without memory; pictures are drawn with it.
FATAL = (
    *("Interface(", "clearing(", "datetime64(", "._repr_svg_", "._repr_html_"),
    *("[0],", "[0])"),  # a row of a table, as a sequence
)
VIEWS = ("positions", "angles", "velocities", "angular_velocities", "forces", "torques", "awake")
SLICES = ("", "[::-1]", "[::2]", "[1:]", "[:1]", "[0]", ".T", "[:, 0]", "[:, ::-1]")


class Generator:
    """Writes the lines of one program while it runs, since it must know what there is."""

    def __init__(
        self,
        rng: random.Random,
        machine: Machine,
        entries: Sequence[Entry] = ENTRIES,
        tried: dict[str, int] | None = None,
    ) -> None:
        self.rng, self.machine = rng, machine
        self.tried = {} if tried is None else tried  # entries, how often
        self.pools: dict[str, list[tuple[str, Any]]] = {}
        self.number = 0
        self.first_lines = 0  # that others need
        self.world: Any = None  # of the receiver
        self.rows: int | None = None
        self.hostile = False
        self.wanted = ""  # class that there is nothing of yet
        self.calls = [each for each in entries if each.kind in ("call", "new")]
        self.reads = [each for each in entries if each.kind == "get"]
        self.writes = [each for each in entries if each.kind == "set"]
        self.makers: dict[str, list[Entry]] = {}
        for each in [*self.calls, *self.reads]:
            for returned in each.returns:
                for name in BASES.get(returned.rpartition(":")[2], ()):
                    self.makers.setdefault(name, []).append(each)
        weights = {"step": 12, "add_body": 12, "attach": 3, "remove": 3, "add_bodies": 3}
        self.weights = list(cumulated([weights.get(each.name, 1) for each in self.calls]))

    # ------------------------------------------------------------------------------- what there is

    def keep(self, text: str, thing: Any) -> None:
        """Puts what a line gave into the pools."""
        names = BASES.get(type(thing).__name__)
        if names is None and isinstance(thing, p2.World | p2.Polygon):
            names = BASES[type(thing).__mro__[1].__name__]
        if names is None:
            if isinstance(thing, np.ndarray):
                names = ["ndarray"]
            elif isinstance(thing, list | tuple):
                for i, each in enumerate(thing[:4]):
                    if not isinstance(each, str | int | float):
                        self.keep(f"{text}[{i}]", each)
                return
            else:
                return
        for name in names:
            pool = self.pools.setdefault(name, [])
            if len(pool) < POOL:
                pool.append((text, thing))
            else:
                pool[self.rng.randrange(POOL)] = (text, thing)

    def pick(self, name: str) -> str | None:
        """A thing of a class; mostly of the world at hand, and alive."""
        pool = self.pools.get(name)
        if not pool:
            return None
        rng, text = self.rng, None
        for _ in range(4):
            text, thing = pool[int(rng.random() * len(pool))]
            if self.hostile and rng.random() < 0.3:
                break
            if not isinstance(thing, HANDLES):
                break
            if (self.world is None or thing.world is self.world) and thing.alive:
                break
        return text

    # ----------------------------------------------------------------------------------- arguments

    def real(self, name: str) -> str:
        for pattern, low, high in NUMBERS:
            if re.search(pattern, name):
                return f"{low + (high - low) * self.rng.random():.3g}"
        return f"{6 * self.rng.random() - 3:.3g}"

    def whole(self, name: str) -> str:
        rng = self.rng
        if name in WHOLE:
            return str(rng.randint(*WHOLE[name]))
        if name in ("mask", "category", "one_way"):
            return rng.choice(("1", "3", "2**64 - 1"))
        if name == "id" and rng.random() < 0.6:
            thing = self.pick(rng.choice(("Body", "Collider", "Joint")))
            if thing:
                return f"{thing}.id"
        return str(int(rng.random() * 5))

    def pair(self) -> str:
        rng = self.rng
        return f"({rng.random() * 8 - 4:.3g}, {rng.random() * 8 - 4:.3g})"

    def triple(self) -> str:
        rng = self.rng
        return (
            f"({rng.random() * 8 - 4:.3g}, {rng.random() * 8 - 4:.3g}, {rng.random() * 6 - 3:.3g})"
        )

    def ring(self) -> str:
        """A polygon, mostly simple."""
        rng = self.rng
        if rng.random() < 0.1:
            return f"[{', '.join(self.pair() for _ in range(rng.randint(1, 6)))}]"
        count = rng.randint(3, 8)
        x, y = rng.random() * 2 - 1, rng.random() * 2 - 1
        angles = sorted(rng.random() * 6.283 for _ in range(count))
        points = [
            f"({x + (0.4 + rng.random()) * float(np.cos(a)):.3g}, "
            f"{y + (0.4 + rng.random()) * float(np.sin(a)):.3g})"
            for a in angles
        ]
        return f"[{', '.join(points)}]"

    def many(self, one: Callable[[], str], rows: int | None) -> str:
        return one() if rows is None else f"[{', '.join([one() for _ in range(rows)])}]"

    def array(self, entry: Entry, name: str) -> str:
        rng, rows = self.rng, self.rows
        if name == "cells":
            return "[[0, 1, 1], [1, 0, 1]]" if rng.random() < 0.7 else "np.eye(5, dtype=bool)"
        if name in RINGS:
            return self.ring()
        if name in MATRICES:
            return self.many(lambda: f"[({self.pair()}), (5, 6)]", rows)
        if name in TRUTHS:
            return rng.choice(("True", "False"))
        if "surface" in name:
            if rng.random() < 0.5:
                return self.real("")
            return f"[({-5 - rng.random():.3g}, 0), (0, {rng.random():.3g}), (6, 0)]"
        if "pose" in name or re.match(r"(start|end)s?(_|$)", name):
            return self.many(self.triple, rows)
        if name in SCALARS or (name == "gravity" and entry.owner != "World"):
            return self.many(lambda: self.real(name), rows)
        if name == "points" and rows is None and entry.name != "contains":
            rows = rng.randint(2, 6)
        if name == "positions" and rows is None:
            rows = rng.randint(1, 3)
        if name in ("wrap",):
            return rng.choice(("None", "(50, 60)", "(30, inf)"))
        return self.many(self.pair, rows)

    def shape(self) -> str:
        rng = self.rng
        found = self.pick("Shape")
        if found is not None and rng.random() < 0.8:
            return found
        return rng.choice(
            (
                f"core.Circle({self.real('radius')})",
                f"core.Box({self.real('width')}, {self.real('width')})",
                f"core.Capsule((0, 0), (0, 1), {self.real('radius')})",
                f"core.Polygon({self.ring()})",
            )
        )

    def act(self) -> str:
        """What a hostile object does."""
        rng, world = self.rng, self.pick("World") or "None"
        body = self.pick("Body") or "None"
        kind = int(rng.random() * 16)
        if kind < 3:
            return "boom"
        return (
            "lambda: "
            + (
                f"{world}.remove({body})",
                f"{world}.remove({body})",
                f"{world}.step()",
                "collect()",
                f"keep({world}.add_body({self.shape()}, {self.pair()}))",
                f"{world}.velocities.fill({self.real('')})",
                f"keep(list({world}.stages()))",
                f"{body}.attach({self.shape()})",
                f"setattr({world}, 'on_force', None)",
                f"keep({world}.positions)",
                f"{world}.remove({self.pick('Collider') or body})",
                f"{world}.remove({self.pick('Joint') or body})",
                f"keep({world}.add_bodies({self.shape()}, np.zeros((9, 2))))",
            )[kind - 3]
        )

    def hook(self, name: str) -> str:
        rng = self.rng
        act = self.act() if self.hostile and rng.random() < 0.7 else "nothing"
        answer = "None"
        if name == "where":
            answer = rng.choice(
                ("lambda i: i >= 0", "lambda i: i % 2 == 0", "True", "np.ones(9, bool)")
            )
        elif name == "on_pre_solve" and rng.random() < 0.6:
            answer = "lambda c: c['enabled'].fill(False)"
        elif name == "function" and rng.random() < 0.8:
            answer = rng.choice(("lambda x, *v: -9 * x", "lambda *a: 0", "lambda *a: np.ones(2)"))
        elif name == "pair_filter" and rng.random() < 0.8:
            answer = rng.choice(
                ("lambda p: p['body_a'] % 2 == 0", "lambda p: [True] * len(p)", "np.ones(3, bool)")
            )
        return f"Hook({answer}, {act})"

    def valid(self, entry: Entry, parameter: Parameter, name: str) -> str:
        """An argument that is meant."""
        rng = self.rng
        kinds = parameter.kinds
        kind = kinds[0] if len(kinds) == 1 else kinds[int(rng.random() * len(kinds))]
        if kind == "None" and rng.random() < 0.5:
            kind = kinds[0]
        if kind == "float":
            return self.real(name)
        if kind == "ArrayLike":
            if name == "out":
                return self.pick("ndarray") or "None"
            return self.array(entry, name)
        if kind == "int":
            return self.real(name) if "float" in kinds else self.whole(name)
        if kind == "bool":
            return "True" if rng.random() < 0.5 else "False"
        if kind == "None":
            return "None"
        if kind == "str":
            return repr(rng.choice(WORDS.get(name, ("x", "query", *WORDS["kind"]))))
        if kind[0] == "'":
            return kind
        if kind == "Callable":
            return self.hook(name)
        if kind == "bytes":
            return "b'\\0\\1\\1\\1\\0\\1'"
        if kind == "Shape":
            return self.shape()
        outer, _, inner = kind.partition(":")
        if inner:
            if inner == "Shape":
                return f"[{', '.join(self.shape() for _ in range(self.rows or rng.randint(1, 2)))}]"
            if inner == "ArrayLike":
                return rng.choice(("()", f"[{self.ring()}]"))
            if inner == "float|int":
                return self.triple() if "translation" not in name else self.pair()
            found = self.pick(inner)
            if found is None:
                return "()"
            return f"[{found}]" if outer == "list" else f"({found},)"
        if kind == "Any":
            if rng.random() < 0.4 and self.hostile:
                return f"Dying({self.act()})"
            return self.pick(rng.choice(("Shape", "Body", "Joint", "World"))) or "Number(1)"
        found = self.pick(kind)
        if found is not None:
            return found
        if "None" not in kinds:
            self.wanted = kind
        return "None"

    def bad(self, entry: Entry, parameter: Parameter, name: str) -> str:
        """An argument that is not, or is in an odd form."""
        rng, choice = self.rng, self.rng.random()
        if name in REPEATING and choice < 0.9:
            huge = "2**70" if entry.where == "core" else "-2**70"  # Python would go on for ever
            return rng.choice(("0", "-1", "None", "1.5", huge, "nan", "True", "'x'", "Number(2)"))
        if choice < 0.3:
            return rng.choice(SPECIAL)
        good = self.valid(entry, parameter, name)
        if choice < 0.4:
            return f"Number({self.real(name)}, {self.act()})"
        kinds = "".join(parameter.kinds)
        if "Array" in kinds or "Sequence" in kinds or choice < 0.5:
            if choice < 0.7:
                layout = rng.choice(LAYOUTS)
                if layout in ("Array", "Interface", "Row", "sub") and rng.random() < 0.7:
                    return f"{layout}({good}, {self.act()})"
                return f"{layout}({good})"
            if choice < 0.75:
                return f"[Number(1, {self.act()}), Number(0, {self.act()})]"
            if choice < 0.8:
                return f"clearing({good}, {rng.randrange(3)})"
            found = self.pick("ndarray")
            if choice < 0.87 and found:
                return found + rng.choice(SLICES)
            world = self.pick("World")
            if world and choice < 0.97:
                return f"{world}.{rng.choice(VIEWS)}{rng.choice(SLICES)}"
            return good
        if "Callable" in kinds:
            return f"Hook({rng.choice(SPECIAL)}, {self.act()})"
        return self.pick(rng.choice(tuple(BASES))) or good

    def arguments(self, entry: Entry) -> list[str]:
        rng, given = self.rng, []
        named = False  # from here on
        generous = 0.5 if rng.random() < 0.3 else 0.15
        for parameter in entry.parameters:
            name = entry.name if entry.kind == "set" else parameter.name
            named = named or parameter.place == "named"
            if not parameter.required and name not in ALWAYS and rng.random() > generous:
                if parameter.place == "before":
                    break
                named = True
                continue
            if self.hostile and rng.random() < 0.4:
                text = self.bad(entry, parameter, name)
            else:
                text = self.valid(entry, parameter, name)
            given.append(f"{parameter.name}={text}" if named else text)
        if self.hostile and rng.random() < 0.04:
            given.append(rng.choice(("no_such=1", "**{}", "*()", "**{'x': 1, '\\udc80': 2}")))
        return given

    # --------------------------------------------------------------------------------------- lines

    def line_of(self, entry: Entry, depth: int = 0) -> str | None:
        """A line with a call of an entry, or with one that makes what it needs."""
        rng = self.rng
        self.world, receiver = None, ""
        if entry.owner and entry.kind != "new":
            found = self.pick(entry.owner)
            if found is None:
                makers = self.makers.get(entry.owner)
                if not makers or depth > 3:
                    return None
                return self.line_of(rng.choice(makers), depth + 1)
            receiver = found
            thing = next((t for text, t in self.pools[entry.owner] if text == found), None)
            if isinstance(thing, p2.World):
                self.world = thing
            elif isinstance(thing, (*HANDLES, p2.CharacterMover)):
                self.world = thing.world
        self.hostile = rng.random() < 0.22
        self.rows = rng.choice((None, None, 1, 3)) if entry.where != "mover" else None
        if entry.name in ("times_of_impact", "cast_shapes"):
            self.rows = 3
        elif entry.owner == "World" and entry.name not in ("add_bodies", "overlaps", "distances"):
            self.rows = 3 if entry.name == "cast_rays" else None
        self.tried[entry.key] = self.tried.get(entry.key, 0) + 1
        receiver = receiver or entry.where
        if entry.kind == "get":
            if rng.random() < 0.2:
                return on_demand(entry, ["getattr", receiver, repr(entry.name)])
            return f"{receiver}.{entry.name}"
        self.wanted = ""
        given = self.arguments(entry)
        if self.wanted in self.makers and depth < 3:
            return self.line_of(rng.choice(self.makers[self.wanted]), depth + 1)
        if entry.kind == "set":
            value = given[0]
            if not self.hostile and self.world is not None and rng.random() < 0.2:
                value = f"{receiver}.{entry.name}"
            return on_demand(entry, ["setattr", receiver, repr(entry.name), value])
        name = entry.name
        if entry.kind == "new":
            name = f"{entry.where}.{entry.owner}"
            if self.hostile and entry.owner in ("World", "Polygon"):
                name = f"Odd{entry.owner}"
        else:
            name = f"{receiver}.{name}"
        return on_demand(entry, [name, *given])

    def arm(self, line: Line) -> Arm | None:
        """Which allocations are to fail in a line; None: none."""
        rng = self.rng
        if line.parts is None or rng.random() > FAILING:
            return None
        memory = "python" if line.memory == "core" and rng.random() < 0.5 else "engine"
        if RAGGED in line.text:  # NumPy without memory ends the process over these
            memory = "engine"
        n = int(1 / (1 - rng.random())) if rng.random() < 0.5 else 1 + int(25 * rng.random())
        return memory, min(n, 60), (1, 1, 2, 9)[int(4 * rng.random())]

    def odd(self) -> str | None:
        """What Python can do with anything, besides what the stubs say."""
        rng = self.rng
        thing = self.pick(rng.choice(tuple(self.pools) or ("World",)))
        other = self.pick(rng.choice(tuple(self.pools) or ("World",)))
        array = self.pick("ndarray")
        if thing is None or other is None:
            return None
        kind = rng.randrange(28)
        if kind < 10 and array is not None:
            if kind < 5:
                return f"read({array}{rng.choice(SLICES)})"
            if kind < 8:
                value = rng.choice((self.real(""), self.pair(), f"{array}{rng.choice(SLICES)}"))
                if rng.random() < 0.15:
                    value = rng.choice(("nan", "1e300", "-inf", "Array(0, boom)"))
                return f"put({array}, {rng.choice(('...', '0', '-1', 'slice(1, 3)'))}, {value})"
            if kind == 8:
                return f"memoryview({array})"
            return f"{array}.base"
        return (
            f"repr({thing})",
            f"hash({thing})",
            f"copy({thing})",
            f"deepcopy({thing})" if rng.random() < 0.5 else f"str({thing})",
            f"pickle.loads(pickle.dumps({thing}, {rng.randrange(2, 6)}))",
            f"{thing} == {other}",
            f"weakref.ref({thing}, Hook(None, {self.act()}))",
            f"dir({thing})",
            f"iter({thing})",
            f"next({thing})",
            f"len({thing})",
            f"{thing}[{rng.choice(SPECIAL)}]",
            f"{other} in {thing}",
            f"half_made({thing})",
            f"again({thing}, {rng.choice(SPECIAL)})",
            f"setattr({thing}, {rng.choice(('x', '__class__', 'alive', 'world'))!r}, {other})",
            f"references({thing})",
            f"format({thing}, '>9')",
        )[kind - 10]

    def rare(self) -> str | None:
        rng, choice = self.rng, self.rng.random()
        if choice < 0.3:
            world = self.pick("World")
            body, ray = self.pick("Body"), f"{self.pair()}, {self.pair()}"
            acts = (f"{world}.step", f"{world}.hash", f"lambda: {body}.contacts")
            return f"parallel({', '.join(acts)}, lambda: {world}.cast_ray({ray}))"
        if choice < 0.5:
            return "collect()"
        found = self.pick(rng.choice(tuple(self.pools)))
        if found is None or found == "v0":
            return None
        name = found.partition("[")[0]
        for each in self.pools.values():
            each[:] = [item for item in each if item[0].partition("[")[0] != name]
        return f"del {name}"

    def first(self) -> Iterator[str]:
        rng = self.rng
        new = next(entry for entry in self.calls if entry.key == "World.__new__")
        self.rows = None
        given = self.arguments(new) if rng.random() < 0.7 else []
        yield f"core.World({', '.join(dict.fromkeys([*given, f'max_bodies={MANY}']))})"
        if "v0" not in self.machine.space:
            self.number = 0
            yield f"core.World(max_bodies={MANY})"
        yield "core.Box(30, 1)"
        yield "core.Circle(0.5)"
        yield f"core.Box({self.real('width')}, {self.real('height')})"
        yield "core.Polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)])"
        yield "core.Chain([(-9, 0), (0, -1), (9, 0)])"
        yield "core.Capsule((-0.5, 0), (0.5, 0), 0.3)"
        yield "v0.add_body(v1, (0, -3), kind='static')"
        for i in range(rng.randint(0, 8)):
            yield f"v0.add_body(v{rng.choice((2, 3, 4, 6))}, {self.pair()})"
            if i > 1 and rng.random() < 0.5:
                yield f"v0.add_{rng.choice(('revolute', 'distance', 'weld'))}_joint(v8, v9)"

    def next(self) -> str | None:
        rng, choice = self.rng, self.rng.random()
        if isinstance(self.machine.refused, p2.WorldLockedError) and rng.random() < 0.5:
            stages = self.pick("Stages")
            return f"{stages}.close()" if stages else None
        if choice < 0.02:
            return self.rare() if rng.random() < 0.2 else self.crowded()
        if choice < 0.12:
            return self.odd()
        if choice < 0.27:
            entry = self.newer(self.reads)
        elif choice < 0.4:
            entry = self.newer(self.writes)
        elif choice < 0.55:
            entry = self.newer(self.calls)
        else:
            entry = rng.choices(self.calls, cum_weights=self.weights)[0]
        return self.line_of(entry)

    def newer(self, entries: Sequence[Entry]) -> Entry:
        """Of a few, that which has been tried least."""
        some = [entries[int(self.rng.random() * len(entries))] for _ in range(4)]
        return min(some, key=lambda each: self.tried.get(each.key, 0))

    def crowded(self) -> str | None:
        """Takes away what is too much."""
        world = self.machine.space.get("v0")
        body = self.pick("Body")
        if isinstance(world, p2.World) and body and len(world.bodies) > MOST_BODIES // 2:
            return f"v0.remove({body})"
        return None

    def lines(self, count: int = LINES) -> Iterator[Line]:
        """A new program; each line is to be run before the next is asked for."""
        for text in self.first():
            yield from self.line(text)
        self.first_lines = self.number
        while self.number < count:
            text = self.next()
            if text is not None:
                yield from self.line(text)

    def lines_again(self, program: Sequence[Line]) -> Iterator[Line]:
        """A program that has run, a little changed."""
        rng = self.rng
        for i, line in enumerate(program):
            choice = rng.random() if i >= self.first_lines else 0.5
            leave = 0.5 if line.callee in SLOW else LEFT_OUT
            if choice < leave or (line.skipped and i >= self.first_lines):
                continue
            if choice > 1 - REPEATED and len(program) < MOST_LINES:
                other = program[int(rng.random() * len(program))]
                yield other
                self.known(other)
            elif choice < leave + ADDED:
                text = self.next()
                if text is not None:
                    yield from self.line(text)
            yield line
            self.known(line)

    def forget(self) -> None:
        """Drops all that it knows of."""
        self.pools.clear()
        self.world = None

    def line(self, text: str) -> Iterator[Line]:
        if not text.startswith("del "):
            text = f"v{self.number} = {text}"
            self.number += 1
        try:
            line = Line(text)
        except SyntaxError:
            return
        yield line
        self.known(line)

    def known(self, line: Line) -> None:
        """Puts what a line gave into the pools."""
        machine = self.machine
        if machine.refused is None:
            thing = machine.space.get(line.name)
            if thing is not None and not isinstance(thing, int | float | str):
                self.keep(line.name, thing)


def on_demand(entry: Entry, call: Sequence[str]) -> str:
    """A call whose allocations may fail: those of the engine, or Python's, too. What is written in
    Python calls NumPy, which raises SystemError when memory is short, and crashes on some objects;
    and Python 3.11 loses a reference when it has no memory for the cell of a variable.
    """
    text = ", ".join(call)
    spared = (
        entry.where != "core"
        or (entry.owner in ("World", "") and entry.name.strip("_") in IN_PYTHON)
        or any(each in text for each in FATAL)
    )
    return f"call({'' if spared else 'core'}, {text})"


def cumulated(values: Sequence[int]) -> Iterator[int]:
    total = 0
    for value in values:
        total += value
        yield total
