"""The source of a scene as one readable program: its builder, and what that uses of its module."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import partial
from importlib.resources import files

from pyphys2d.scenes.registry import find


def source(name: str) -> str:
    """The source of a scene that ships with the library.

    Of a scene in Python: the imports, constants, functions and classes that it needs, in the order
    of its file. Of a scene file: its JSON.

    Parameters
    ----------
    name : str
        One of ``SCENES``.

    Raises
    ------
    SceneError
        If there is no such scene.

    Examples
    --------
    >>> from pyphys2d import scenes
    >>> print(scenes.source("pyramid").splitlines()[0])
    from pyphys2d import Box, World
    """
    build = find(name).build
    if isinstance(build, partial):
        return files("pyphys2d.scenes").joinpath(f"{name}.json").read_text("utf-8")
    module = inspect.getmodule(build)
    assert module is not None
    text = inspect.getsource(module)
    return "\n".join(_parts(text, build.__name__)) + "\n"


def _parts(text: str, wanted: str) -> Iterator[str]:
    """Statements of a module that a function needs, itself included."""
    body = [node for node in ast.parse(text).body if not _is_future(node)]
    makers = {name: node for node in body for name in _defined(node)}
    needed: set[ast.stmt] = set()
    waiting = [wanted]
    while waiting:
        node = makers.get(waiting.pop())
        if node is not None and node not in needed:
            needed.add(node)
            if not isinstance(node, ast.Import | ast.ImportFrom):
                waiting += _names(node)
    used = {name for node in needed for name in _names(node)}
    lines = text.splitlines()
    before: ast.stmt | None = None
    for node in body:
        if node not in needed:
            continue
        block = isinstance(node, ast.FunctionDef | ast.ClassDef)
        if before is not None and (block or isinstance(before, ast.FunctionDef | ast.ClassDef)):
            yield "\n"
        elif isinstance(before, ast.Import | ast.ImportFrom) and not isinstance(node, type(before)):
            yield ""
        if isinstance(node, ast.ImportFrom):
            taken = [alias for alias in node.names if (alias.asname or alias.name) in used]
            yield ast.unparse(ast.ImportFrom(node.module, taken, node.level))
        else:
            decorators = getattr(node, "decorator_list", [])
            first = decorators[0].lineno if decorators else node.lineno
            yield "\n".join(lines[_comment(lines, first - 1) : node.end_lineno])
        before = node


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _comment(lines: list[str], first: int) -> int:
    """Where the comment above a line begins."""
    while first > 0 and lines[first - 1].startswith("#"):
        first -= 1
    return first


def _defined(node: ast.stmt) -> Iterator[str]:
    """Names that a statement of a module makes."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))


def _names(node: ast.stmt) -> list[str]:
    """Names that a statement uses."""
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
