"""How lessons are run for the site: their figures are in them, or the build fails."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(find_spec(name) for name in ("nbformat", "nbclient", "ipykernel", "matplotlib")),
        reason="extra 'docs'",
    ),
]

FIGURE = "import matplotlib.pyplot as plt\nplt.plot([0, 1])\nplt.show()"


@pytest.fixture
def tree(repository, tmp_path):
    """A tree with the program that runs lessons, and no library."""
    program = repository / "docs" / "run_lessons.py"
    if not program.is_file():
        pytest.skip("the documentation is not here")
    for folder in ("docs", "notebooks", "pyphys2d"):
        (tmp_path / folder).mkdir()
    shutil.copy(program, tmp_path / "docs")
    return tmp_path


def run_lesson(tree, code):
    """Run a lesson of this code and a caption, with no screen; the process, and its outputs."""
    import nbformat

    made = nbformat.v4
    cells = [made.new_code_cell(code), made.new_markdown_cell("**Figure 1.** A line.")]
    nbformat.write(made.new_notebook(cells=cells), tree / "notebooks" / "01_lines.ipynb")
    done = subprocess.run(
        [sys.executable, "docs/run_lessons.py", "--jobs", "1"],
        cwd=tree,
        env={**os.environ, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    lesson = tree / "docs" / "lessons" / "01_lines.ipynb"
    if not lesson.is_file():
        return done, []
    return done, nbformat.read(lesson, as_version=4).cells[0].outputs


def test_figures_are_kept_where_there_is_no_screen(tree):
    done, outputs = run_lesson(tree, FIGURE)
    assert done.returncode == 0, done.stderr
    assert any("image/png" in output.get("data", {}) for output in outputs)


def test_a_caption_without_its_figure_is_refused(tree):
    done, outputs = run_lesson(tree, "1 + 1")
    assert done.returncode == 1
    assert "01_lines.ipynb has 1 figures and drew 0" in done.stderr
    assert outputs == []
