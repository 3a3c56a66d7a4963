"""The lessons' frame: text and notebook are one, outputs stripped, short cells, a goal, exercises
with hidden answers, figures that are checked.
"""

import ast
import functools
import importlib.util
import re
import sys
from pathlib import Path

import pytest

jupytext = pytest.importorskip("jupytext")
import nbformat  # noqa: E402  (comes with jupytext)

NOTEBOOKS = Path(__file__).parent.parent.parent / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("[0-9][0-9]_*.py"))
MOST_LINES = 25

pytestmark = pytest.mark.skipif(not LESSONS, reason="the notebooks are not here")
each_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


@pytest.fixture(scope="module")
def pair():
    spec = importlib.util.spec_from_file_location("pair", NOTEBOOKS / "pair.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def text_of(path):
    """A lesson as Jupytext reads it; once, as it takes long."""
    return jupytext.read(path, fmt="py:percent")


@functools.cache
def notebook_of(path):
    return nbformat.read(path.with_suffix(".ipynb"), as_version=nbformat.NO_CONVERT)


def cells(path, kind=None):
    found = text_of(path).cells
    return [cell for cell in found if kind in (None, cell.cell_type)]


def code(path):
    return "\n\n".join(cell.source for cell in cells(path, "code"))


def is_answer(cell):
    if cell.cell_type == "markdown":
        return "<details><summary>Answer</summary>" in cell.source
    return "answer" in cell.metadata.get("tags", ())


@each_lesson
def test_text_and_notebook_hold_the_same_cells(path, pair):
    wanted = pair.notebook(path.read_text("utf-8"))
    actual = notebook_of(path)
    assert actual == wanted, "run: python notebooks/pair.py"


def test_no_notebook_without_a_text():
    assert [path.with_suffix(".py") for path in sorted(NOTEBOOKS.glob("*.ipynb"))] == LESSONS


@pytest.mark.fast_cases(5)
@each_lesson
def test_a_notebook_made_again_has_the_same_bytes(path, pair):
    text = path.read_text("utf-8")
    again = jupytext.writes(pair.notebook(text), fmt="py:percent")
    assert nbformat.writes(pair.notebook(again)) == nbformat.writes(pair.notebook(text))


@each_lesson
def test_outputs_are_stripped(path):
    notebook = notebook_of(path)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@each_lesson
def test_cells_are_short(path):
    for cell in cells(path):
        assert len(cell.source.splitlines()) <= MOST_LINES, cell.source


@each_lesson
def test_the_first_cell_says_what_will_be_learnt(path):
    first = cells(path)[0]
    assert first.cell_type == "markdown"
    assert re.match(rf"# {path.stem[:2]} · \S", first.source)
    assert re.search(r"^\*\*Learning goal\.\*\* You can ", first.source, re.MULTILINE)


@each_lesson
def test_two_exercises_or_more_each_with_a_hidden_answer(path):
    number = 0
    open_question = False
    for cell in cells(path):
        heading = re.match(r"#+ (.*)", cell.source) if cell.cell_type == "markdown" else None
        if heading:
            assert not open_question, f"exercise {number} has no answer"
            exercise = re.match(r"Exercise (\d+) · \S", heading[1])
            open_question = exercise is not None
            if exercise:
                number += 1
                assert int(exercise[1]) == number
        if is_answer(cell):
            assert number, "an answer before the first exercise"
            open_question = False
    assert number >= 2
    assert not open_question, f"exercise {number} has no answer"


@each_lesson
def test_answers_are_hidden_and_run_with_a_check(path):
    answers = [cell for cell in cells(path, "code") if is_answer(cell)]
    assert answers, "at least one answer is tried out in code"
    for cell in answers:
        assert cell.metadata.get("jupyter") == {"source_hidden": True}
        assert any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(cell.source)))
    for cell in cells(path, "markdown"):
        if is_answer(cell):
            assert cell.source.startswith("<details>")
            assert cell.source.rstrip().endswith("</details>")


@each_lesson
def test_key_numbers_are_asserted_and_needs_are_few(path):
    tree = ast.parse(code(path))
    shown = [cell for cell in cells(path, "code") if not is_answer(cell)]
    assert sum(cell.source.count("assert ") for cell in shown) >= 5
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module.split(".")[0])
    beyond = imported - set(sys.stdlib_module_names) - {"numpy", "matplotlib", "pyphys2d"}
    assert not beyond, "a lesson runs with pyphys2d[plot] and jupyter alone"


def labels(path):
    """The label of each figure, in order: of plt.subplots, plt.figure and their like."""
    calls = [node for node in ast.walk(ast.parse(code(path))) if isinstance(node, ast.Call)]
    made = []
    for call in calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if name in ("subplots", "figure", "subplot_mosaic"):
            num = [word.value for word in call.keywords if word.arg == "num"]
            assert num, f"line {call.lineno}: a figure needs num='{path.stem[:2]}-1 title'"
            made.append(ast.literal_eval(num[0]))
    return sorted(made, key=lambda label: [int(part) for part in re.findall(r"\d+", label)[:2]])


@each_lesson
def test_every_figure_has_a_label_and_a_check_of_its_data(path):
    found = labels(path)
    assert found
    for number, label in enumerate(found, 1):
        assert re.match(rf"{path.stem[:2]}-{number} \S", label)
    tests = Path(__file__).with_name(f"test_{path.stem}.py").read_text("utf-8")
    for label in found:
        assert f'"{label.split()[0]}"' in tests, f"no test looks at figure {label!r}"


@each_lesson
def test_every_figure_has_a_caption_and_the_end_is_a_list_of_references(path):
    texts = [cell.source for cell in cells(path, "markdown")]
    captions = [re.match(r"\*\*Figure (\d+)\.\*\* \S", text) for text in texts]
    numbers = sorted(int(caption[1]) for caption in captions if caption)
    assert numbers == list(range(1, len(labels(path)) + 1))
    last = cells(path)[-1].source
    assert last.startswith("## References\n")
    assert re.search(r"^\* \S", last, re.MULTILINE)


def test_the_readme_lists_every_lesson():
    text = (NOTEBOOKS / "README.md").read_text("utf-8")
    for path in LESSONS:
        assert f"({path.stem}.ipynb)" in text
