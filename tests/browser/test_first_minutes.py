"""From nothing to a body that flies, as somebody does it who has docs/live.md before them.

With ``PYPHYS2D_WHEEL=path`` the way begins at ``pip install`` into an empty environment; else
JupyterLab is the one of the tests. `-s` shows how long each part took.
"""

import os
import re
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from lab import Pause, started
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).parents[2]
WHEEL = os.environ.get("PYPHYS2D_WHEEL")
pytestmark = pytest.mark.skipif(
    not WHEEL and (find_spec("jupyterlab") is None or find_spec("ipykernel") is None),
    reason="no JupyterLab",
)
COLORS = [(127, 184, 220), (205, 222, 234)]  # of bodies that are awake, and asleep


class Stopwatch:
    """How long each part took."""

    def __init__(self):
        self.begin = self.last = time.monotonic()

    def lap(self, name):
        now = time.monotonic()
        print(f"{now - self.begin:6.1f} s  {name} ({now - self.last:.1f} s)")
        self.last = now


@pytest.fixture(scope="module")
def watch():
    return Stopwatch()


@pytest.fixture(scope="module")
def python(watch, tmp_path_factory):
    """The Python that has what the page tells to install, and what it is to be run with."""
    if not WHEEL:
        return sys.executable, {"PYTHONPATH": str(ROOT)}
    home = tmp_path_factory.mktemp("clean") / "env"
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    command = re.search(r"pip install '(pyphys2d\[jupyter\])' (\w+)", page())
    named = command[1].replace("pyphys2d", str(Path(WHEEL).resolve()))
    own = str(home / "bin" / "python")
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    install = [own, "-m", "pip", "install", "-q", named, command[2]]
    subprocess.run(install, check=True, env=clean)
    watch.lap("pip install")
    return own, {"PYTHONPATH": ""}


def page():
    return (ROOT / "docs" / "live.md").read_text(encoding="utf-8")


def highest(browser, canvas):
    """The pixel of the canvas a little below the top of all bodies, from its middle."""
    return browser.execute_script(
        "const [canvas, colors] = arguments, { width, height } = canvas;"
        "const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);"
        "const at = (i) => colors.some((color) =>"
        " color.every((value, k) => Math.abs(data[i + k] - value) < 4));"
        "let i = 0; while (i < data.length && !at(i)) i += 4;"
        "if (i >= data.length) return null;"
        "let end = i; while (at(end)) end += 4;"
        "const x = (i + end) / 8 % width, y = Math.floor(i / 4 / width) + 8;"
        "const ratio = canvas.clientWidth / width;"
        "return [Math.round(x * ratio - canvas.clientWidth / 2),"
        " Math.round(y * ratio - canvas.clientHeight / 2)]",
        canvas, COLORS,
    )  # fmt: skip


def click(browser, css, number=0):
    """As soon as it is there and nothing in its way."""

    def try_it(_):
        found = browser.find_elements(By.CSS_SELECTOR, css)
        if len(found) <= number:
            return False
        found[number].click()
        return True

    WebDriverWait(browser, 60, 0.1, [WebDriverException]).until(try_it)


def run(browser, number, text, outcome):
    """Pastes a text in a cell and runs it, again where JupyterLab has not heard it; its outcome."""
    click(browser, ".jp-Notebook .cm-content", number)
    browser.execute_cdp_cmd("Input.insertText", {"text": text})
    prompt = f"return document.querySelectorAll('.jp-InputPrompt')[{number}].textContent"

    def try_it(_):
        if browser.execute_script(prompt) == "[ ]:" and again.over():
            click(browser, ".jp-Notebook .cm-content", number)
            keys = ActionChains(browser)
            keys.key_down(Keys.SHIFT).send_keys(Keys.ENTER).key_up(Keys.SHIFT).perform()
        return outcome(browser)

    again = Pause(5)
    return WebDriverWait(browser, 60, 0.1).until(try_it)


def shown(browser):
    """The canvas, when something is on it."""
    found = browser.find_elements(By.CSS_SELECTOR, ".pp canvas")
    return found[0] if found and highest(browser, found[0]) else None


def printed(browser):
    """What the second cell has printed."""
    for each in browser.find_elements(By.CSS_SELECTOR, ".jp-OutputArea-output pre"):
        if each.text.startswith("box ["):
            return each.text
    return None


def test_a_teacher_throws_a_body(chromium, python, watch, tmp_path):
    browser, (interpreter, environment) = chromium, python
    code = re.search(r"Paste this.*?```python\n(.*?)```", page(), re.DOTALL)[1]
    folder = tmp_path / "lesson"
    folder.mkdir()
    wait = WebDriverWait(browser, 60, 0.1)
    with started(folder, tmp_path / "state", interpreter, **environment) as (address, token):
        browser.get(f"{address}/lab?token={token}&reset")
        click(browser, ".jp-LauncherCard[data-category='Notebook']")
        idle = "return document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status"
        wait.until(lambda _: browser.execute_script(idle) == "idle")
        watch.lap("a new notebook")
        canvas = run(browser, 0, code, shown)
        assert browser.find_element(By.CSS_SELECTOR, ".pp .note").text == "The world waits."
        watch.lap("a world to be seen")

        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        browser.find_element(By.CSS_SELECTOR, ".pp .start").click()
        clock = "return document.querySelector('.pp .time').textContent"
        wait.until(lambda _: float(browser.execute_script(clock).split()[0]) > 0.2)
        x, y = wait.until(lambda _: highest(browser, canvas))
        hand = ActionChains(browser, duration=20)
        hand.move_to_element_with_offset(canvas, x, y).click_and_hold()
        for _ in range(12):
            hand.move_by_offset(12, -4)
        hand.perform()
        # It comes along while it is held: what is let go before that has not been moved.
        wait.until(lambda _: (highest(browser, canvas) or (x,))[0] > x + 60)
        ActionChains(browser).release().perform()
        watch.lap("a body that flies")
        assert not browser.find_elements(By.CSS_SELECTOR, ".pp .before")  # it has given way

        # The next cell, which runs while the world does: the uppermost box has gone.
        text = "print('box', world.bodies[8].position.tolist(), len(world.joints))"
        output = run(browser, 1, text, printed)
        where = [float(number) for number in re.findall(r"-?\d+\.?[\de-]*", output)]
        assert where[0] > 0.5  # from x = 0
        assert where[2] == 0  # and nothing holds it
        errors = browser.find_elements(By.CSS_SELECTOR, ".jp-OutputArea [data-mime-type*=stderr]")
        assert [each.text for each in errors] == []
        browser.get("about:blank")
    watch.lap("all")
    if WHEEL:
        assert watch.last - watch.begin < 300  # two minutes where nothing else runs


def test_a_student_has_the_page_of_a_run_alone(chromium, tmp_path):
    """With the mouse, and nothing to read: a file that somebody sent."""
    browser = chromium
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    demo = [sys.executable, "-m", "pyphys2d", "demo", "collision", "--out", str(tmp_path / "own")]
    subprocess.run(demo, check=True, env=environment, stdout=subprocess.DEVNULL)
    alone = tmp_path / "sent.html"
    (tmp_path / "own" / "collision.html").rename(alone)
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get(alone.as_uri())
    wait = WebDriverWait(browser, 20, 0.05)
    wait.until(lambda _: browser.execute_script("return globalThis.player?.frame > 5"))  # it plays
    browser.find_element(By.CSS_SELECTOR, "button[aria-label=Pause]").click()
    assert not browser.execute_script("return player.playing")

    # The slider is drawn to the middle of the run, and the picture goes along.
    slider = browser.find_element(By.CSS_SELECTOR, "input[aria-label=Frame]")
    browser.execute_script("player.seek(0)")
    width = slider.size["width"]
    hand = ActionChains(browser, duration=50)
    hand.move_to_element_with_offset(slider, -width // 2 + 9, 0).click_and_hold()
    hand.move_by_offset(width // 2 - 9, 0).release().perform()
    frames = browser.execute_script("return player.run.frames")
    assert browser.execute_script("return player.frame") == pytest.approx(frames / 2, abs=3)

    # A click on a body says what it is, the menu of layers shows what else there is.
    canvas = browser.find_element(By.CSS_SELECTOR, "canvas")
    wait.until(lambda _: browser.execute_script("return !player.stage.request"))
    x, y = highest(browser, canvas)
    ActionChains(browser).move_to_element_with_offset(canvas, x, y).click().perform()
    assert re.search(r" at \(.*\) m, .* m/s", browser.find_element(By.CSS_SELECTOR, ".note").text)
    browser.find_element(By.CSS_SELECTOR, "summary[aria-label=Layers]").click()
    box = browser.find_element(By.CSS_SELECTOR, "input[data-layer=bounds]")
    box.click()
    assert browser.execute_script("return player.stage.renderer.layers.bounds")
    log = [each for each in browser.get_log("browser") if "getImageData" not in each["message"]]
    assert log == []
