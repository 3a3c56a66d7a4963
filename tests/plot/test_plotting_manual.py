"""The examples of docs/plotting.md run from top to bottom, and so do those of the docstrings."""

import doctest
import re

import pytest
from matplotlib import pyplot as plt

from pyphys2d import geometry, plot


@pytest.fixture(autouse=True)
def a_folder_and_no_figures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    plt.close("all")


def test_the_manual_runs(repository, tmp_path, monkeypatch):
    """With small pictures and few of them in a film: nobody looks at these."""
    for setting in ("figure.dpi", "savefig.dpi"):
        monkeypatch.setitem(plt.rcParams, setting, 40)
    text = (repository / "docs" / "plotting.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 7
    assert sum("fps=10)" in block for block in blocks) == 2
    names = {}
    for block in blocks:
        exec(compile(block.replace("fps=10)", "fps=2)"), "docs/plotting.md", "exec"), names)
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {
        "world.png",
        "layers.png",
        "traces.png",
        "colors.png",
        "pile.gif",
        "pile.html",
        "trip.gif",
    }


def test_the_manual_names_every_function_and_its_pictures(repository):
    text = (repository / "docs" / "plotting.md").read_text(encoding="utf-8")
    for name in plot.__all__:
        assert re.search(rf"\b{name}\b", text) or name == "Animation", name
    for picture in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text):
        assert (repository / "docs" / picture).is_file()


@pytest.mark.parametrize("name", [name for name in plot.__all__ if name != "Animation"])
def test_examples_of_the_docstrings(name):
    if name in ("gjk", "toi") and not hasattr(geometry, name):
        pytest.skip(f"no geometry.{name}")
    function = getattr(plot, name)
    (example,) = doctest.DocTestFinder(recurse=False).find(function, name, globs={})
    runner = doctest.DocTestRunner(verbose=False)
    assert example.examples
    runner.run(example, clear_globs=False)
    assert runner.failures == 0
