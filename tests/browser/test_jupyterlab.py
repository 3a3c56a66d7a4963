"""A world under the mouse in JupyterLab, from the server to the kernel and back."""

import json
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from lab import Pause, started
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.expected_conditions import staleness_of
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = pytest.mark.skipif(
    find_spec("jupyterlab") is None or find_spec("ipykernel") is None, reason="no JupyterLab"
)
VIEW = (-8.0, -1.0, 8.0, 8.0)
CELL = f"""
import json, pathlib
import pyphys2d as p2
from pyphys2d.jupyter import WorldView

world = p2.World()
world.add_body(p2.Box(60, 1), (0, -0.5), kind="static")
box = world.add_body(p2.Box(1, 1), (0, 0.5))
places = []

def note(world, step):
    places.append([*box.position.tolist(), len(world.joints)])
    if step % 10 == 0:
        pathlib.Path("new").write_text(json.dumps(places))
        pathlib.Path("new").rename("places.json")

view = WorldView(world, before_step=note, playing=True, height=420)
view.session.view = {VIEW}
view
"""
FREE = "print('the kernel is free:', world.step_count > 0)"
RUN = """
falling = p2.World()
falling.add_body(p2.Circle(1), (0, 9))
p2.simulate(falling, 1.0)
"""
IDLE = "return document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a server, and the folder that it shows, with a notebook in it."""
    folder = tmp_path_factory.mktemp("lab")
    cells = [
        {"cell_type": "code", "id": f"c{k}", "metadata": {}, "outputs": [], "execution_count": None,
         "source": source}
        for k, source in enumerate((CELL, FREE, RUN))
    ]  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}}
    text = json.dumps(notebook | {"nbformat": 4, "nbformat_minor": 5})
    (folder / "world.ipynb").write_text(text)
    root = str(Path(__file__).parents[2])
    with started(folder, folder.with_name("state"), PYTHONPATH=root) as (address, token):
        yield address, token, folder


def canvases(browser, again):
    """Those that are shown; a notebook whose panel is not yet the current one runs no cells."""
    shown = browser.find_elements(By.CSS_SELECTOR, ".pp canvas")
    if not shown and again.over():
        browser.execute_script("jupyterapp.commands.execute('notebook:run-all-cells')")
    return shown


def run_all(browser, lab):
    """Opens the notebook, runs its cells and returns the canvas."""
    address, token, _ = lab
    browser.get(f"{address}/lab/tree/world.ipynb?token={token}&reset")
    wait = WebDriverWait(browser, 90, 0.2)
    ready = "return document.querySelectorAll('.jp-Notebook .jp-CodeCell').length >= 2"
    wait.until(lambda _: browser.execute_script(ready))
    wait.until(lambda _: browser.execute_script(IDLE) == "idle")
    browser.execute_script("jupyterapp.commands.execute('application:toggle-left-area')")
    canvas = wait.until(partial(canvases, again=Pause(15)))[0]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    return canvas


def places(lab):
    try:
        return json.loads((lab[2] / "places.json").read_text())
    except FileNotFoundError:
        return []


def test_a_body_is_thrown_in_a_notebook(chromium, lab):
    browser = chromium
    browser.get("about:blank")
    browser.get_log("browser")
    canvas = run_all(browser, lab)
    wait = WebDriverWait(browser, 60, 0.1)
    wait.until(lambda _: len(places(lab)) > 20)  # it runs, and is seen
    output = wait.until(
        lambda _: [
            each.text
            for each in browser.find_elements(By.CSS_SELECTOR, ".jp-OutputArea-output pre")
            if "the kernel is free" in each.text
        ]
    )
    assert output  # the second cell ran while the world did

    # The pixel of a point, from the middle of the canvas: the view fits with a margin.
    width, height = canvas.size["width"], canvas.size["height"]
    x0, y0, x1, y1 = VIEW
    scale = 0.88 * min(width / (x1 - x0), height / (y1 - y0))
    x, y = places(lab)[-1][:2]
    down = round((0.5 * (y0 + y1) - y) * scale)
    hand = ActionChains(browser, duration=20)
    hand.move_to_element_with_offset(canvas, round(x * scale), down).click_and_hold()
    for _ in range(10):
        hand.move_by_offset(10, -10)
    hand.perform()
    wait.until(lambda _: places(lab)[-1][1] > 1.5)
    assert places(lab)[-1][2] == 1  # the mouse joint
    hand = ActionChains(browser, duration=10)
    for _ in range(5):
        hand.move_by_offset(20, -5)
    hand.release().perform()
    wait.until(lambda _: places(lab)[-1][2] == 0 and places(lab)[-1][1] < 0.8)
    rows = places(lab)
    last_held = max(k for k, row in enumerate(rows) if row[2])
    highest = max(row[1] for row in rows)
    assert highest > 1.5
    assert rows[-1][0] > rows[last_held][0] > 0.5  # it flew on
    # Nothing of ours is to be complained of, and nothing came from elsewhere.
    ours = [each for each in browser.get_log("browser") if "pyphys2d" in str(each).lower()]
    assert ours == []
    fetched = browser.execute_script(
        "return performance.getEntriesByType('resource').map((each) => each.name)"
    )
    outside = [each for each in fetched if not each.startswith((lab[0], "data:", "blob:"))]
    assert outside == []


def test_what_is_shown_is_shown_once(chromium, lab):
    """Views and runs come with pictures of themselves, for elsewhere."""
    browser = chromium
    run_all(browser, lab)
    wait = WebDriverWait(browser, 60, 0.1)
    count = (
        "return [...document.querySelectorAll('.jp-Notebook .jp-CodeCell')].map((cell) =>"
        " ['.jp-OutputArea-output', '.pp canvas', 'iframe', 'img'].map((each) =>"
        " cell.querySelectorAll(each).length))"
    )
    # The player lies over the picture that is seen where there are no frames.
    wanted = [[1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 1, 1]]
    wait.until(lambda _: browser.execute_script(count) == wanted)
    frame = browser.find_element(By.CSS_SELECTOR, ".jp-OutputArea-output iframe")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", frame)
    browser.switch_to.frame(frame)
    wait.until(lambda _: browser.execute_script("return Boolean(globalThis.player)"))
    browser.find_element(By.CSS_SELECTOR, "button[aria-label=Play]").click()
    wait.until(lambda _: browser.execute_script("return player.frame > 5"))
    browser.switch_to.default_content()
    assert browser.execute_script(count) == wanted
    assert ours(browser) == []


CLOCK = "document.querySelector('.pp .time')?.textContent ?? ''"


def runs(browser, wait):
    """Waits until one view is shown and its clock goes on."""
    shown = "return document.querySelectorAll('.pp canvas').length"
    wait.until(lambda _: browser.execute_script(shown) == 1)
    wait.until(lambda _: browser.execute_script(f"return {CLOCK}").endswith("s"))
    before = browser.execute_script(f"return {CLOCK}")
    # What is out of sight waits.
    show = "document.querySelector('.pp canvas').scrollIntoView({block: 'center'});"
    wait.until(lambda _: browser.execute_script(f"{show} return {CLOCK}") != before)


def ours(browser):
    """What the console says of this package."""
    return [each for each in browser.get_log("browser") if "pyphys2d" in str(each).lower()]


def test_a_view_survives_cells_run_again_a_restart_and_a_reload(chromium, lab):
    browser = chromium
    run_all(browser, lab)
    wait = WebDriverWait(browser, 60, 0.1)
    runs(browser, wait)
    wide = "const e = document.querySelector('.jp-OutputArea-output:has(.pp)');"
    assert browser.execute_script(f"{wide} return e.scrollWidth - e.clientWidth") == 0
    # The cells run again: one view in place of the other.
    run = "jupyterapp.commands.execute('notebook:run-all-cells')"
    old = browser.find_element(By.CSS_SELECTOR, ".pp canvas")
    browser.execute_script(run)
    wait.until(staleness_of(old))
    runs(browser, wait)
    # The kernel is another one: the old view waits, and the next run has one that lives.
    browser.execute_async_script(
        "const done = arguments[0], panel = jupyterapp.shell.currentWidget;"
        "panel.sessionContext.session.kernel.restart().then(() => done(true))"
    )
    old = browser.find_element(By.CSS_SELECTOR, ".pp canvas")
    assert old.is_displayed()
    browser.execute_script(run)
    wait.until(staleness_of(old))
    runs(browser, wait)
    # The page is loaded again: the view is there, of the world that went on in the kernel. A kernel
    # that is busy with a cell answers too late what views it has.
    wait.until(lambda _: browser.execute_script(IDLE) == "idle")
    browser.execute_async_script(
        "const done = arguments[0];"
        "jupyterapp.commands.execute('docmanager:save').then(() => done(true))"
    )
    steps = len(places(lab))
    browser.execute_script("window.onbeforeunload = null")
    address, token, _ = lab
    browser.get("about:blank")
    browser.get(f"{address}/lab/tree/world.ipynb?token={token}")
    runs(browser, wait)
    wait.until(lambda _: len(places(lab)) > steps)  # it is written every tenth step
    assert ours(browser) == []
    browser.get("about:blank")
