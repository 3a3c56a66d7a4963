"""Makes programs small: drops lines, then simplifies what is left of each, as long as the same
fault comes out.
"""

import ast
import copy
from collections.abc import Callable, Iterator

Same = Callable[[list[str]], bool]  # whether a program has the fault

_ADORNED = {
    *("strided", "backward", "swapped", "unaligned", "objects", "single", "whole", "fortran"),
    *("frozen", "sub", "buffer", "masked", "list", "tuple", "Array", "Interface", "Row"),
    *("Number", "quiet", "repeated", "deep", "clearing"),
}


def fewer_lines(lines: list[str], same: Same) -> list[str]:
    """Halves, quarters ... single lines are left out (A. Zeller's delta debugging, 2002)."""
    size = max(1, len(lines) // 2)
    while True:
        at, shorter = 0, False
        while at < len(lines):
            rest = lines[:at] + lines[at + size :]
            if rest and same(rest):
                lines, shorter = rest, True
            else:
                at += size
        if size == 1 and not shorter:
            return lines
        size = max(1, size // 2)


def simpler(line: str) -> Iterator[str]:
    """The line with one thing less, or one that is plainer."""
    tree = ast.parse(line)

    def variants(node: ast.AST) -> Iterator[ast.AST]:
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                for i, each in enumerate(value):
                    if field in ("args", "keywords", "elts"):
                        yield changed(node, field, value[:i] + value[i + 1 :])
                    if isinstance(each, ast.AST):
                        for plainer in [*plain(each), *variants(each)]:
                            yield changed(node, field, [*value[:i], plainer, *value[i + 1 :]])
            elif isinstance(value, ast.AST):
                for plainer in [*plain(value), *variants(value)]:
                    yield changed(node, field, plainer)

    for variant in variants(tree):
        try:
            text = ast.unparse(variant)
        except Exception:  # a part that cannot be missing
            continue
        if len(text) < len(line) or text.count(".") < line.count("."):
            yield text


def earlier(lines: list[str], at: int) -> Iterator[str]:
    """A line with one of its names replaced by what an earlier line made: lines between may go."""
    tree = ast.parse(lines[at])
    made = [line.split(" = ")[0] for line in lines[:at] if " = " in line]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in made:
            own = node.id
            for node.id in made[: made.index(own)]:
                yield ast.unparse(tree)
            node.id = own


def changed(node: ast.AST, field: str, value: object) -> ast.AST:
    twin = copy.copy(node)
    setattr(twin, field, value)
    return twin


def plain(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of an expression."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, float):
            yield ast.Constant(round(node.value))
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in _ADORNED and node.args:
            yield node.args[0]
        if node.func.id == "failing" and len(node.args) > 3:
            yield ast.Call(node.args[3], node.args[4:], node.keywords)
    if isinstance(node, ast.Subscript):
        yield node.value
    if isinstance(node, ast.Lambda):
        yield ast.Name("nothing", ast.Load())
    elif isinstance(node, ast.List | ast.Tuple | ast.Call | ast.BinOp | ast.Dict):
        yield ast.Constant(1)


def reduced(lines: list[str], same: Same, most: int = 2000) -> list[str]:
    """A small program with the same fault; `most` bounds how often it is run."""
    left = most

    def try_it(program: list[str]) -> bool:
        nonlocal left
        left -= 1
        return left > 0 and same(program)

    lines = fewer_lines(lines, try_it)
    again = True
    while again and left > 0:
        again = False
        for i, line in enumerate(lines):
            for text in [*simpler(line), *earlier(lines, i)]:
                if try_it([*lines[:i], text, *lines[i + 1 :]]):
                    lines, again = [*lines[:i], text, *lines[i + 1 :]], True
                    break
        if again:
            lines = fewer_lines(lines, try_it)
    return lines
