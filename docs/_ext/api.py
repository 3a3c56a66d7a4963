"""The directive ``api``: the reference of public names, from docstrings and annotations.

Texts are those of the live objects. Signatures and types are read from the source: from the stub
``_core.pyi`` for what is written in C, from the module itself for what is written in Python. So
every signature has its types, and none is written twice.

    .. api:: pyphys2d
       World
       Body
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config, NumpyDocstring
from sphinx.util.docutils import SphinxDirective

import pyphys2d
from pyphys2d import _core

PACKAGE = Path(pyphys2d.__file__).parent
STUB = PACKAGE / "_core.pyi"
NAPOLEON = Config(
    napoleon_use_rtype=False, napoleon_custom_sections=[("Attributes", "returns_style")]
)

# What the private aliases of the stub stand for.
ALIASES = {
    "_Number": "float",
    "_Bool": "bool",
    "_Floats": "NDArray[float64]",
    "_Bools": "NDArray[bool]",
    "_Ints": "NDArray[int64]",
    "_Rows": "NDArray[void]",
    "_Out": "NDArray | None",
    "_Shapes": "Shape | Sequence[Shape] | None",
    "_Sides": "Shape | Sequence[Shape] | NDArray",
    "_Where": "ArrayLike | Callable[[NDArray[int64]], ArrayLike]",
    "_Pose": "tuple[float, float, float]",
    "_Field": "Fluid | Drag | Wind | PointGravity",
    "_Member": "Any",
    "SupportsIndex": "int",
    "SupportsFloat": "float",
    # Types that are not exported: instances are got from a world.
    "Bodies": "_core.Bodies",
    "Colliders": "_core.Colliders",
    "Joints": "_core.Joints",
    "Fields": "_core.Fields",
    "Simd": "_core.Simd",
    "Diff": "_diff.Diff",
    "Finding": "_check.Finding",
    "Recording": "_recording.Recording",
    "Session": "_live.Session",
    "Manifold": "geometry.Manifold",
    "Distance": "geometry.Distance",
    "Impact": "geometry.Impact",
    "TileHit": "geometry.TileHit",
}
ALL_BITS = 2**64 - 1


class Spell(ast.NodeTransformer):
    """Annotations and defaults as a reader wants them."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(ALIASES.get(node.id, node.id), mode="eval").body

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id in ("np", "npt"):
            return ast.Name(node.attr)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if node.value == ALL_BITS and not isinstance(node.value, bool):
            return ast.Name("ALL_BITS")
        return node


def spelled(node: ast.AST | None) -> str:
    """The source of an expression."""
    return "" if node is None else ast.unparse(Spell().visit(ast.parse(ast.unparse(node)).body[0]))


@cache
def definitions(path: Path) -> dict[str, list[Any]]:
    """Classes and functions of a file by name; a name that is overloaded has several."""
    return members(ast.parse(path.read_text("utf-8")).body)


def members(body: Iterable[ast.stmt]) -> dict[str, list[Any]]:
    """Classes, functions and annotated names of a block."""
    found: dict[str, list[Any]] = {}
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, []).append(node)
    return found


def source_of(value: Any) -> Path:
    """The file that holds the annotations of a class or function."""
    if inspect.isbuiltin(value) or getattr(_core, value.__name__, None) is value:
        return STUB
    path = inspect.getsourcefile(value)
    assert path is not None
    return Path(path)


def decorators(node: Any) -> set[str]:
    """Names of the decorators, without arguments."""
    return {ast.unparse(each).split("(")[0] for each in node.decorator_list}


def signature(node: ast.FunctionDef, *, bound: bool) -> str:
    """``(a: float, b: int = 3) -> float``."""
    node = ast.parse(ast.unparse(node)).body[0]  # a copy
    arguments = node.args
    if bound and "staticmethod" not in decorators(node):
        (arguments.posonlyargs or arguments.args).pop(0)
    Spell().visit(arguments)
    result = ""
    if node.returns is not None and node.name not in ("__new__", "__init__"):
        result = f" -> {spelled(node.returns)}"
    return f"({ast.unparse(arguments)}){result}"


def plain(line: str) -> str:
    """A line of a docstring without what reStructuredText would take for markup: |v|, add_..."""
    if line.lstrip().startswith((">>>", "...")):
        return line
    parts = re.split(r"(`+[^`]*`+)", line)
    parts[::2] = [re.sub(r"(\||(?<=\w)_(?!\w))", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def text(value: Any, what: str, name: str) -> list[str]:
    """A docstring, of an object or of its definition, as reStructuredText."""
    if isinstance(value, ast.AST):
        docstring, value = ast.get_docstring(value) or "", None
    else:
        docstring = inspect.getdoc(value) or ""
    docstring = re.sub(r"^(\w+(?:, \w+)*),\n(?=\w+(?:, \w+)*\n)", r"\1, ", docstring, flags=re.M)
    docstring = "\n".join(plain(line) for line in docstring.splitlines())
    return NumpyDocstring(docstring, NAPOLEON, what=what, name=name, obj=value).lines()


def entry(kind: str, lines: list[str], options: list[str], content: Iterable[str]) -> Iterator[str]:
    """A directive of the Python domain."""
    head = f".. py:{kind}:: "
    for line in lines:
        yield (head if line is lines[0] else " " * len(head)) + line
    for option in options:
        yield f"   {option}"
    yield ""
    for line in content:
        yield f"   {line}" if line else ""
    yield ""


def setter_text(found: list[Any]) -> list[str]:
    """What may be written to a property."""
    getter = found[0]
    for node in found[1:]:
        if any(each.endswith(".setter") for each in decorators(node)):
            taken = spelled((node.args.posonlyargs + node.args.args)[-1].annotation)
            if taken in (spelled(getter.returns), "ArrayLike"):
                return ["", "Can be set."]
            return ["", f"Can be set to ``{taken}``."]
    return []


def function(name: str, value: Any, found: list[Any]) -> Iterator[str]:
    """A function of a module."""
    nodes_ = [n for n in found if "overload" in decorators(n)] or found[-1:]
    lines = [name + signature(node, bound=False) for node in nodes_]
    yield from entry("function", lines, [], text(value, "function", name))


def member(cls: type, name: str, found: list[Any]) -> Iterator[str]:
    """A method, a property or a field of a class."""
    value = inspect.getattr_static(cls, name, None)
    first = found[0]
    if isinstance(first, ast.AnnAssign):  # a field of a record
        if "\nAttributes\n----" not in (inspect.getdoc(cls) or ""):
            yield from entry("attribute", [name], [f":type: {spelled(first.annotation)}"], [])
        return
    if decorators(first) & {"property", "cached_property", "functools.cached_property"}:
        content = text(value, "method", name) + setter_text(found)
        yield from entry("property", [name], [f":type: {spelled(first.returns)}"], content)
        return
    nodes_ = [n for n in found if "overload" in decorators(n)] or found[-1:]
    lines = [name + signature(node, bound=True) for node in nodes_]
    options = [f":{each}:" for each in ("classmethod", "staticmethod") if each in decorators(first)]
    content = text(getattr(cls, name), "method", name)
    yield from entry("method", lines, options, content)


def class_(name: str, cls: type, node: ast.ClassDef) -> Iterator[str]:
    """A class with its public members, in the order of the source."""
    within = members(node.body)
    maker = within.get("__new__") or within.get("__init__")
    head = name + (signature(maker[-1], bound=True) if maker else "")
    content: list[str] = []
    bases = [b for b in cls.__bases__ if b is not object and not b.__name__.startswith("_")]
    if bases:
        content += ["Bases: " + ", ".join(f"`{base.__name__}`" for base in bases), ""]
    content += text(cls, "class", name)
    content.append("")
    for each, found in within.items():
        if not each.startswith("_"):
            content += member(cls, each, found)
    kind = "exception" if issubclass(cls, BaseException) else "class"
    yield from entry(kind, [head], [], content)


def lines_of(module: str, name: str) -> Iterator[str]:
    """The reference of one name."""
    try:
        value = getattr(import_module(module), name)
    except ImportError:  # of an extra that is not here: a function of the file itself
        found = find_spec(module)
        assert found is not None
        assert found.origin is not None
        node = definitions(Path(found.origin))[name]
        yield from function(name, node[-1], node)
        return
    node = definitions(source_of(value))[value.__name__]
    if inspect.isclass(value):
        yield from class_(name, value, node[-1])
    else:
        yield from function(name, value, node)


class Api(SphinxDirective):
    """See the module."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        module, *names = self.arguments[0].split()
        lines = [f".. py:currentmodule:: {module}", ""]
        for name in names:
            lines += lines_of(module, name)
        self.env.note_dependency(str(STUB))
        parsed = self.parse_text_to_nodes(StringList(lines, source=f"{module} (docstrings)"))
        # A class is found from any module; other words of a type ("body", "name") are no names.
        for node in parsed:
            for link in node.findall(pending_xref):
                link.attributes.pop("refspecific", None)
                if link["reftarget"][:1].isupper():
                    link["refspecific"] = True
                elif link["reftarget"].partition(".")[0] in (
                    "geometry",
                    "_core",
                    "_diff",
                    "_check",
                ):
                    link["reftarget"] = f"pyphys2d.{link['reftarget']}"  # as ALIASES has them
        return parsed


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("api", Api)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
