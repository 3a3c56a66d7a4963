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
    "geometry": (),
    "mistakes": (),
    "trajectory-format": (),
    "physics": (),
    "performance": (),
    "saving": (),
    "wrap": (),
    "reliability": (),
}


# Pages whose examples run elsewhere, with more to say about what comes out.
ELSEWHERE = {
    "character": "python/test_mover.py",
    "events": "world/test_events.py",
    "fields": "world/test_fields.py",
    "hooks": "world/test_on_force.py",
    "plotting": "plot/test_plotting_manual.py",
    "scenes": "python/test_scenes.py",
    "stages": "world/test_stages.py",
    "tiles": "geometry/test_tiles.py",
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


def test_no_page_is_left_out(repository):
    if not (repository / "docs").is_dir():
        pytest.skip("the source tree is not here")
    pages = (repository / "docs").glob("*.md")
    with_code = {page.stem for page in pages if "\n```python\n" in page.read_text()}
    assert with_code == PAGES.keys() | ELSEWHERE.keys()
    for page, file in ELSEWHERE.items():
        assert f'"{page}.md"' in (repository / "tests" / file).read_text(), f"{page}: {file}"
