"""Notebooks where nothing runs: on pages that show them, without scripts, without a kernel."""

import base64
import io
import json
import re
import shlex
import subprocess
import sys
from html import escape
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from pages import wait
from selenium.webdriver.common.by import By

import pyphys2d as p2
from pyphys2d import _page, _view

KINDS = ("run", "world", "trace")


def stack():
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(1, 0.8), [(0, 0.4 + 0.8 * k) for k in range(5)])
    return world


def notebook(*outputs):
    """One as it is saved, with such outputs: what IPython makes of their representations."""
    nbformat = pytest.importorskip("nbformat").v4
    cells = [
        nbformat.new_code_cell(
            "it", outputs=[nbformat.new_output("execute_result", data, execution_count=1)]
        )
        for data in outputs
    ]
    return nbformat.new_notebook(cells=cells)


def seen(picture):
    """Whether it is on the page, loaded and of some size."""
    size = "return [arguments[0].complete, arguments[0].naturalWidth]"
    complete, width = picture.parent.execute_script(size, picture)
    return complete and width > 100 and picture.is_displayed() and picture.size["width"] > 100


@pytest.fixture
def without_scripts(chromium):
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    yield chromium
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_run_in_an_exported_notebook_without_scripts(without_scripts, tmp_path):
    nbconvert = pytest.importorskip("nbconvert")
    run = p2.simulate(stack(), 0.5)
    saved = notebook({"text/plain": repr(run), "text/html": run._repr_html_()})
    text, _ = nbconvert.HTMLExporter().from_notebook_node(saved)
    (tmp_path / "notebook.html").write_text(text)
    without_scripts.get((tmp_path / "notebook.html").as_uri())
    picture = without_scripts.find_element(By.CSS_SELECTOR, "img[alt='the last frame']")
    assert seen(picture)


def bundle(thing):
    """What a notebook holds of a thing that is shown: from IPython, with bytes as text."""
    formatters = pytest.importorskip("IPython.core.formatters")
    data, _ = formatters.DisplayFormatter().format(thing)
    return {
        name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
        for name, value in data.items()
    }


def shown(kind):
    """A run, a view of a world or a trace that can be dragged."""
    if kind == "run":
        return p2.simulate(stack(), 0.5)
    pytest.importorskip("anywidget")
    from pyphys2d.jupyter import WorldView

    if kind == "world":
        return WorldView(stack())
    return p2.geometry.sat(p2.Box(1, 1), p2.Circle(0.5), pose_b=(0.8, 0, 0)).live()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_that_takes_scripts_frames_and_drawings_out(without_scripts, kind, tmp_path):
    """As those do that show notebooks of strangers; pictures in the text of a page may stay."""
    bleach = pytest.importorskip("bleach")
    tags = {"div", "img", "table", "tr", "td", "th", "b", "p", "span"}
    clean = bleach.clean(
        bundle(shown(kind))["text/html"],
        tags=tags,
        attributes={"img": ["src", "alt"]},
        protocols={"https", "data"},
        strip=True,
    )
    assert "<iframe" not in clean
    assert "<svg" not in clean
    assert "script" not in clean
    assert len(clean) < 10_000  # nothing of the player is left as text
    (tmp_path / "clean.html").write_text(f"<!DOCTYPE html><meta charset='utf-8'>{clean}")
    without_scripts.get((tmp_path / "clean.html").as_uri())
    assert seen(without_scripts.find_element(By.CSS_SELECTOR, "img"))
    words = {"run": "31 frames", "world": "World of 6 bodies", "trace": "overlap"}
    assert words[kind] in without_scripts.find_element(By.TAG_NAME, "body").text


@pytest.mark.parametrize("kind", KINDS)
def test_a_sanitized_export_has_pictures_where_they_come_first(without_scripts, kind, tmp_path):
    """By the command of docs/live.md; the option leaves no picture in HTML."""
    nbformat = pytest.importorskip("nbformat")
    page = (Path(__file__).parents[2] / "docs" / "live.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^jupyter (nbconvert .*--sanitize-html.*) (\S+\.ipynb)$", page, re.M)
    words = [word for word in shlex.split(command[0]) if word != "\\"]
    nbformat.write(notebook(bundle(shown(kind))), tmp_path / command[1])
    subprocess.run([sys.executable, "-m", *words, command[1]], cwd=tmp_path, check=True)
    path = (tmp_path / command[1]).with_suffix(".html")
    assert "srcdoc" not in path.read_text(encoding="utf-8")
    without_scripts.get(path.as_uri())
    (picture,) = without_scripts.find_elements(By.CSS_SELECTOR, ".jp-OutputArea img")
    assert seen(picture)


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_as_pdf_has_pictures(kind):
    nbconvert = pytest.importorskip("nbconvert")
    _, resources = nbconvert.LatexExporter().from_notebook_node(notebook(bundle(shown(kind))))
    ((name, data),) = resources["outputs"].items()
    assert name.endswith(".png")
    pixels = plt.imread(io.BytesIO(data), "png")[..., :3]
    assert pixels.shape[1] == 640
    assert len(np.unique(np.rint(255 * pixels).reshape(-1, 3), axis=0)) > 3


def test_the_picture_of_a_run_is_its_last_frame():
    """By the middle of a body that falls: where its face is in the pixels."""
    world = p2.World()
    world.add_body(p2.Circle(0.5), (0, 5))
    world.add_body(p2.Box(1, 1), (0, -5), kind="static")
    run = p2.simulate(world, 1.0)
    pixels = plt.imread(io.BytesIO(run._repr_png_()), "png")[..., :3]
    face = np.abs(pixels - to_rgb(_view.FACES["awake"])).max(axis=2) < 0.02
    rows, ground = (np.nonzero(mask)[0].mean() for mask in (
        face, np.abs(pixels - to_rgb(_view.FACES["static"])).max(axis=2) < 0.02))  # fmt: skip
    height = np.ptp(np.nonzero(face)[0]) + 1  # pixels of a metre, almost
    assert (ground - rows) / height == pytest.approx(run.positions[-1, 0, 1] + 5, rel=0.05)
    assert p2.simulate(p2.World(), 0.1)._repr_png_() is None


START = """
const state = JSON.parse(document.getElementById("state").textContent);
const model = { get: (name) => state[name], send: () => {}, off: () => {},
                on: (name, act) => { globalThis.arrive = act; } };
renderWidget({ model, el: document.getElementById("stage") });
"""


@pytest.mark.parametrize("kind", ["world", "trace"])
def test_a_view_whose_kernel_is_gone_shows_what_was(browser, kind, tmp_path):
    pytest.importorskip("anywidget")
    from pyphys2d.jupyter import WorldView

    if kind == "world":
        view = WorldView(stack())
    else:
        view = p2.geometry.sat(p2.Box(1, 1), p2.Circle(0.5), pose_b=(0.8, 0, 0)).live()
    view._repr_mimebundle_()
    state = {name: getattr(view, name) for name in ("height", "theme", "still")}
    script = _page.bundle("widget") + START
    (tmp_path / "view.html").write_text(
        f"<!DOCTYPE html><meta charset='utf-8'>{_page.data_block('state', state)}"
        f"<div id='stage'></div><script type='module'>{script}</script>"
    )
    browser.get((tmp_path / "view.html").as_uri())
    wait(browser, "document.querySelector('.pp .before')?.complete")
    assert seen(browser.find_element(By.CSS_SELECTOR, ".pp .before"))
    # It gives way to the first frame.
    frame = {"type": "frame", "frame": 1, "time": 0, "arrays": []}
    browser.execute_script(
        "arrive(JSON.parse(arguments[0]), [new DataView(new ArrayBuffer(0))])", json.dumps(frame)
    )
    assert not browser.find_elements(By.CSS_SELECTOR, ".pp .before")


def test_a_player_whose_scripts_a_page_forbids_lets_the_picture_through(browser, tmp_path):
    """A policy of the page around it holds inside of the frame too, where scripts then seem on."""
    run = p2.simulate(stack(), 0.5)
    policy = escape("default-src 'none'; img-src data:; style-src 'unsafe-inline'")
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
    (tmp_path / "strict.html").write_text(f"<!DOCTYPE html>{head}{run._repr_html_()}")
    browser.get((tmp_path / "strict.html").as_uri())
    picture = browser.find_element(By.CSS_SELECTOR, "img")
    assert seen(picture)
    # And nothing lies over it: the faces of bodies, awake or asleep, are on the screen.
    screen = plt.imread(io.BytesIO(browser.get_screenshot_as_png()), "png")[..., :3]
    faces = [to_rgb(_view.FACES[state]) for state in ("awake", "asleep")]
    found = [(np.abs(screen - face).max(axis=2) < 0.02).sum() for face in faces]
    assert max(found) > 500
    browser.get_log("browser")  # it complains of what was refused
