"""The examples of pages that have no test file of their own run from top to bottom."""

import re

import pytest
from matplotlib import pyplot as plt

# Pages, and what their examples hand things to.
PAGES = {
    "scene-format": (),
    "tables": ("pandas", "polars"),
    "trajectories": ("pandas", "pyarrow", "xarray", "zarr"),
    "live": ("anywidget",),
    "index": (),
    "quickstart": (),
    "bodies": (),
    "shapes": (),
    "forces": (),
    "contacts": (),
    "joints": (),
    "queries": (),
    "recipes": (),
    "traces": (),
    "continuous": (),
    "tiles": (),
    "coming-from": (),
    "from-pymunk": (),
    "from-box2d": (),
    "determinism": (),
    "large": (),
    "learning": ("gymnasium",),
    "pygame": ("pygame",),
}


SLOW = {"pygame"}  # at the pace of a game


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] * (page in SLOW)) for page in PAGES]
)
def test_a_page_runs(page, repository, tmp_path, monkeypatch, capsys):
    for library in PAGES[page]:
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(plt.rcParams, "figure.dpi", 40)
    for what in ("VIDEO", "AUDIO"):  # games need no screen
        monkeypatch.setenv(f"SDL_{what}DRIVER", "dummy")
    text = (repository / "docs" / f"{page}.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    assert blocks
    names = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, f"docs/{page}.md", "exec"), names)
    assert capsys.readouterr().out or page == "live"  # which shows things, and prints none
    plt.close("all")
