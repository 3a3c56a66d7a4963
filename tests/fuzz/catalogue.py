"""Everything public that can be called, read or set, with its parameters: read from the stub of the
extension and from the modules in Python that the package exports, so that what is new is there
without being listed.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pyphys2d as p2
from pyphys2d import _core, _lazy, geometry

# Left to other tests: what draws with Matplotlib (tests/plot), what writes files
# (tests/fuzz/saves.py, tests/python/test_call_log.py) or reads those of others
# (tests/python/test_tiled.py), and what hands tables to other libraries
# (tests/python/test_exports.py).
LEFT_OUT = re.compile(
    r"plot(_\w+)?|_repr_png_|animate|save|load|from_tmx|record_calls|_set_log|replay|to_(dataframe|parquet|xarray|zarr|html)"
)
FILES = {"path"}  # parameters that are not given, in functions of the same name
WITH_FILES = {"record", "simulate"}

# What the type names of the stubs come down to.
KINDS = {
    "SupportsFloat": "float",
    "SupportsIndex": "int",
    "NDArray": "ArrayLike",
    "Array": "ArrayLike",
    "_Floats": "ArrayLike",
    "floating": "float",
    "integer": "int",
    "str_": "str",
    "object": "Any",
    "Self": "",
}


@dataclass(frozen=True)
class Parameter:
    name: str
    kinds: tuple[str, ...]  # float, int, bool, str, ArrayLike, Callable, None, Any, or a class
    required: bool
    place: str  # "before" the slash, "either" way, "named" only


@dataclass(frozen=True)
class Entry:
    """A function, a method, or the getter or setter of an attribute."""

    owner: str  # class, or empty
    name: str
    kind: str  # "call", "new", "get", "set"
    where: str  # namespace of programs in which it is found
    parameters: tuple[Parameter, ...]
    returns: tuple[str, ...]

    @property
    def key(self) -> str:
        mark = "=" if self.kind == "set" else ""
        return f"{self.owner}.{self.name}{mark}" if self.owner else self.name


class Source:
    """One file of declarations."""

    def __init__(self, text: str, where: str, names: set[str] | None = None) -> None:
        self.tree, self.where, self.names = ast.parse(text), where, names
        self.aliases: dict[str, ast.expr] = {}
        for node in self.tree.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
                self.aliases[node.target.id] = node.value
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.aliases[node.targets[0].id] = node.value

    def kinds(self, node: ast.expr | None) -> list[str]:
        """Of an annotation, without what is inside of containers."""
        if node is None:
            return ["Any"]
        if isinstance(node, ast.BinOp):
            return self.kinds(node.left) + self.kinds(node.right)
        if isinstance(node, ast.Constant):
            return (
                ["None"] if node.value is None else self.kinds(ast.parse(node.value).body[0].value)
            )  # type: ignore[attr-defined]
        if isinstance(node, ast.Subscript):
            outer = self.kinds(node.value)
            if outer == ["Literal"]:
                values = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                return [f"'{ast.literal_eval(value)}'" for value in values]
            if outer[0] in ("Sequence", "Iterable", "list", "tuple"):
                inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                return [f"{outer[0]}:{'|'.join(self.kinds(each))}" for each in inner[:1]]
            return outer
        if isinstance(node, ast.Attribute):
            return [KINDS.get(node.attr, node.attr)]
        if isinstance(node, ast.Name):
            if node.id in KINDS:
                return [KINDS[node.id]]
            if node.id in self.aliases:
                return self.kinds(self.aliases[node.id])
            return [node.id]
        return ["Any"]

    def parameters(self, node: ast.FunctionDef, skip: int) -> Iterator[Parameter]:
        given = node.args
        both = [*given.posonlyargs, *given.args]
        first = len(both) - len(given.defaults)
        for i, argument in enumerate(both):
            if i >= skip:
                yield Parameter(
                    argument.arg,
                    tuple(self.kinds(argument.annotation)),
                    i < first,
                    "before" if i < len(given.posonlyargs) else "either",
                )
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
            if argument.arg in FILES and node.name in WITH_FILES:
                continue
            kinds = tuple(self.kinds(argument.annotation))
            yield Parameter(argument.arg, kinds, default is None, "named")

    def function(self, node: ast.FunctionDef, owner: str) -> Entry | None:
        marks = [
            mark.attr if isinstance(mark, ast.Attribute) else getattr(mark, "id", "")
            for mark in node.decorator_list
        ]
        kind = "call"
        if node.name in ("__new__", "__init__"):
            kind = "new"
        elif "property" in marks:
            kind = "get"
        elif "setter" in marks:
            kind = "set"
        unbound = not owner or "staticmethod" in marks
        parameters = tuple(self.parameters(node, 0 if unbound else 1))
        where, returns = self.where, self.kinds(node.returns)
        if "classmethod" in marks or "staticmethod" in marks:
            owner, where = "", f"{where}.{owner}"
        if kind == "new":
            returns = [owner]
        return Entry(owner, node.name, kind, where, parameters, tuple(returns))

    def entries(self) -> Iterator[Entry]:
        for node in self.tree.body:
            if self.names is not None and getattr(node, "name", "") not in self.names:
                continue
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                kinds = self.kinds(node.annotation)
                if kinds != ["TypeAlias"]:
                    yield Entry("", node.target.id, "get", self.where, (), tuple(kinds))
            if isinstance(node, ast.FunctionDef):
                yield self.function(node, "")
            elif isinstance(node, ast.ClassDef) and is_documented(node.name):
                for each in node.body:
                    if isinstance(each, ast.FunctionDef):
                        if self.names is None or is_public(each.name):
                            yield self.function(each, node.name)
                    elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                        kinds = tuple(self.kinds(each.annotation))
                        if not each.target.id.startswith("_"):
                            yield Entry(node.name, each.target.id, "get", self.where, (), kinds)


def is_public(name: str) -> bool:
    return not name.startswith("_") or (name.endswith("_") and name != "__post_init__")


def is_documented(name: str) -> bool:
    """Whether a class is for users. Those that are private keep a protocol with their callers."""
    return not name.startswith("_") and not name.endswith("Error")


def exported() -> dict[str, set[str]]:
    """Names of what is public and written in Python, by module."""
    modules: dict[str, set[str]] = {}
    lazy = [name for name in _lazy.MODULES if name not in ("plot", "scenes")]
    for name in [*p2.__all__, *geometry.__all__, *lazy]:
        thing = getattr(p2, name, None) or getattr(geometry, name)
        module = getattr(thing, "__module__", "")
        if (inspect.isclass(thing) or inspect.isfunction(thing)) and (
            module.startswith("pyphys2d.") and module != "pyphys2d._core"
        ):
            modules.setdefault(module, set()).add(name)
    return modules


def everything() -> list[Entry]:
    """All entries, in a fixed order."""
    stub = Path(_core.__file__).with_name("_core.pyi")
    found = list(Source(stub.read_text(), "core").entries())
    for module, names in sorted(exported().items()):
        space = module.removeprefix("pyphys2d.").split(".")[0]
        path = inspect.getsourcefile(__import__(module, fromlist=["x"]))
        assert path is not None
        found += Source(Path(path).read_text(), space, names).entries()
    return [entry for entry in found if not LEFT_OUT.fullmatch(entry.name)]


def namespaces() -> dict[str, ModuleType]:
    """Modules in which what is exported is found, by the name that programs use."""
    modules = {"core": _core, "geometry": geometry}
    for module in sorted(exported()):
        space = module.removeprefix("pyphys2d.").split(".")[0]
        modules[space] = import_module(f"pyphys2d.{space}")
    return modules


def reading() -> set[str]:
    """Functions that no world can be given to, by namespace and name."""
    return {
        f"{entry.where}.{entry.name}"
        for entry in everything()
        if not entry.owner
        and entry.kind == "call"
        and not any(
            kind.rpartition(":")[2] in ("World", "Any", "Callable")
            for parameter in entry.parameters
            for kind in parameter.kinds
        )
    }


def bases() -> dict[str, list[str]]:
    """By class, those that it derives from, itself first."""
    classes = [thing for thing in vars(_core).values() if inspect.isclass(thing)]
    for module, names in exported().items():
        space = __import__(module, fromlist=["x"])
        classes += [getattr(space, name) for name in sorted(names)]
    return {
        cls.__name__: [base.__name__ for base in cls.__mro__ if base is not object]
        for cls in classes
        if inspect.isclass(cls)
    }
