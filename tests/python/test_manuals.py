"""The examples of pages that have no test file of their own run from top to bottom."""

import re

import pytest
from matplotlib import pyplot as plt


@pytest.mark.parametrize("page", ["scene-format", "tables", "trajectories"])
def test_a_page_runs(page, repository, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(plt.rcParams, "figure.dpi", 40)
    text = (repository / "docs" / f"{page}.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    assert blocks
    names = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, f"docs/{page}.md", "exec"), names)
    assert capsys.readouterr().out
    plt.close("all")
