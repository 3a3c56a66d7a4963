"""What docs/engine.md says of the code is so: constants that it quotes, files and functions that it
names.

A number that links to a file of csrc/ is a constant of that file; the title of the link says which,
or how it follows from it: ``[11](../csrc/base/length_list.h "1000 * box_slack") mm``.
"""

import ast
import math
import operator
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
CSRC = ROOT / "csrc"
DOCS = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "CONTRIBUTING.md"])

pytestmark = pytest.mark.skipif(not CSRC.is_dir(), reason="the source tree is not here")

QUOTE = re.compile(r'\[([^\]\[]+)\]\((?:\.\./)?csrc/([\w/]+\.[ch])\s+"([^"]+)"\)')
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.LShift: operator.lshift,
}


def constant(text, name):
    """The expression that a macro, an enumerator or a length of a file stands for."""
    found = re.findall(rf"^\s*#define {name} +([^/\n]+)", text, flags=re.MULTILINE)
    found += re.findall(rf"\b{name} =\s+([^,}}/\n]+)", text)
    found += re.findall(rf"^PH_LENGTH\({name}, ([^)]+)\)", text, flags=re.MULTILINE)
    values = {re.sub(r"(?<=[\d.])[fu]\b", "", each).strip() for each in found}
    assert len(values) == 1, f"{name} is {sorted(values) or 'not there'}"
    return values.pop()


def evaluate(expression, text):
    """The value of an arithmetic expression in numbers and constants of a file."""

    def value(node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return evaluate(constant(text, node.id), text)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        assert isinstance(node, ast.BinOp), ast.dump(node)
        return OPERATORS[type(node.op)](value(node.left), value(node.right))

    return value(ast.parse(expression.strip(), mode="eval").body)


def quotes_of(path):
    return QUOTE.findall(path.read_text())


@pytest.mark.parametrize(
    "path", [path for path in DOCS if quotes_of(path)], ids=lambda path: path.name
)
def test_constants_in_the_docs_are_those_of_the_code(path):
    for number, file, expression in quotes_of(path):
        quoted = float(number.replace(",", ""))
        value = evaluate(expression, (CSRC / file).read_text())
        assert math.isclose(quoted, value, rel_tol=1e-6), f"{number}, but {expression} is {value}"


def test_constants_are_found_and_differ():
    text = (
        "#define PH_A 2.5e-3f // m\nenum { FEW = 3, MANY = 1 << 4, // of them\n LAST = 2 * FEW };"
    )
    assert evaluate("1000 * PH_A", text) == 2.5
    assert evaluate("MANY + LAST", text) == 22
    with pytest.raises(AssertionError, match="not there"):
        evaluate("PH_B", text)
    assert len(quotes_of(ROOT / "docs" / "engine.md")) > 30


def chapter(title):
    text = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    return re.search(rf"^## {title}\n(.*?)(?=^## )", text, flags=re.MULTILINE | re.DOTALL)[1]


def is_defined(function, text):
    start = rf"^(?:[\w*() ]+[ *])?{function}\([^;]*?\)\s*\{{"
    made_by_macro = rf"^[A-Z_]+\({function}[,)]"
    return re.search(start + "|" + made_by_macro, text, flags=re.MULTILINE)


def test_the_path_of_a_contact_names_what_is_there():
    hops = re.findall(
        r"^\| (\d+\w?) \| (`.*?) \| `([\w/.]+)` \|", chapter("The path of a contact.*?"), re.M
    )
    assert [hop for hop, _, _ in hops if hop.isdigit()] == [str(k + 1) for k in range(16)]
    for hop, functions, file in hops:
        text = (CSRC / file).read_text()
        for function in re.findall(r"`(\w+)`", functions):
            assert is_defined(function, text), f"hop {hop}: {function} is not in {file}"


def test_files_types_and_functions_that_are_named_are_there():
    text = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    code = "\n".join(path.read_text() for path in CSRC.rglob("*.[ch]"))
    for file in set(re.findall(r"`((?:csrc/)?\w+/\w+\.[ch])`", text)):
        assert (CSRC / file.removeprefix("csrc/")).is_file(), file
    for name in set(re.findall(r"`((?:ph_|core_|Ph|PH_)\w+)`", text)):
        assert re.search(rf"\b{name}\b", code), name
    for holder, field in re.findall(r"`(Ph\w+)\.(\w+)`", text):
        struct = re.search(
            rf"^(?:typedef )?struct {holder} \{{(.*?)^\}}", code, flags=re.MULTILINE | re.DOTALL
        )
        assert struct, holder
        assert re.search(rf"\b{field}\b", struct[1]), f"{holder}.{field}"
