"""Puts the docstrings of the extension into its stub, where editors look for them.

    python tests/house/stub_docs.py            # writes pyphys2d/_core.pyi
    python tests/house/stub_docs.py --check    # says whether it would change

Of public classes, their methods and attributes, and functions; of overloads the first has it.
Everything else in the stub is written by hand and stays as it is.
"""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path
from typing import Any

STUB = Path(__file__).parent.parent.parent / "pyphys2d" / "_core.pyi"

Function = ast.FunctionDef | ast.AsyncFunctionDef


def decorators(node: Function) -> set[str]:
    return {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}


def is_docstring(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def first_line(node: ast.stmt) -> int:
    found = [each.lineno for each in getattr(node, "decorator_list", [])]
    return min([node.lineno, *found])


def quoted(text: str, indent: str) -> str:
    """A docstring as lines of source, after a line that ends with a colon."""
    lines = inspect.cleandoc(text).rstrip().split("\n")
    raw = "r" if "\\" in text else ""
    end = "" if len(lines) == 1 and not lines[0].endswith('"') else f"\n{indent}"
    body = "\n".join(f"{indent}{line}".rstrip() if k else line for k, line in enumerate(lines))
    assert '"""' not in text, text
    return f'{indent}{raw}"""{body}{end}"""\n'


def documented(source: str, module: Any) -> str:
    """The stub with the docstrings of the module, and without those that it had."""
    lines = source.splitlines(keepends=True)
    edits: list[tuple[int, int, str]] = []  # lines from, to (one-based, to is left out), text

    def rewrite(node: Function | ast.ClassDef, text: str | None) -> None:
        indent = " " * (node.col_offset + 4)
        body = node.body[1:] if is_docstring(node.body[0]) else node.body
        start = node.body[0]
        header_end = first_line(start)
        if start.lineno == header_end and lines[header_end - 1][: start.col_offset].strip():
            # The body stands on the line of the colon.
            header = lines[header_end - 1].encode()[: start.col_offset].decode().rstrip()
            rest = "" if text else " ..."
            docs = quoted(text, indent) if text else ""
            edits.append((header_end, header_end + 1, f"{header}{rest}\n{docs}"))
            return
        until = first_line(body[0]) if body else (node.end_lineno or 0) + 1
        docs = quoted(text, indent) if text else ""
        if docs and body and isinstance(node, ast.ClassDef):
            docs += "\n"
        if body or docs:
            edits.append((header_end, until, docs))
        else:  # of nothing but a docstring that is no more
            header = lines[header_end - 2].rstrip()
            edits.append((header_end - 1, until, f"{header} ...\n"))

    def visit(nodes: list[ast.stmt], owner: Any) -> None:
        seen: set[str] = set()
        for node in nodes:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            public = not node.name.startswith("_")
            found = inspect.getattr_static(owner, node.name, None) if public else None
            text = getattr(found, "__doc__", None)
            if isinstance(node, ast.ClassDef):
                own = vars(found).get("__doc__") if inspect.isclass(found) else None
                rewrite(node, own)
                visit(node.body, found)
            else:
                rewrite(node, None if node.name in seen or "setter" in decorators(node) else text)
            seen.add(node.name)

    visit(ast.parse(source).body, module)
    for start, end, text in sorted(edits, reverse=True):
        lines[start - 1 : end - 1] = [text] if text else []
    return "".join(lines)


def main(arguments: list[str]) -> int:
    from pyphys2d import _core

    before = STUB.read_text()
    after = documented(before, _core)
    if after == before:
        return 0
    if "--check" in arguments:
        print(f"{STUB.name} lacks docstrings of the extension: python tests/house/stub_docs.py")
        return 1
    STUB.write_text(after)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
