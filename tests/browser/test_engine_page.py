"""A page in which a world is alive without a server: the engine as WebAssembly in Chromium."""

import sys
import time
from pathlib import Path

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

import pyphys2d as p2

sys.path.insert(0, str(Path(__file__).parents[2] / "web"))

from make_page import page

VIEW = (-8, -1, 8, 8)


@pytest.fixture
def world():
    made = p2.World()
    made.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    made.add_body(p2.Box(1, 1), (0, 0.5), name="box")
    made.add_bodies(p2.Circle(0.3), [(3, 0.5 + 0.7 * k) for k in range(8)])
    return made


def open_page(browser, tmp_path, text):
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    browser.get(path.as_uri())
    ready = "return Boolean(globalThis.view && view.stage.renderer.frame)"
    WebDriverWait(browser, 20, 0.02).until(lambda _: browser.execute_script(ready))
    return browser.find_element(By.CSS_SELECTOR, "canvas")


def test_a_page_makes_the_steps_of_python(browser, engine_wasm, world, tmp_path):
    canvas = open_page(
        browser, tmp_path, page(world, engine_wasm.read_bytes(), playing=False, view=VIEW)
    )
    for _ in range(5):
        canvas.send_keys(".")
        world.step(1 / 60)
    browser.execute_script("view.session.world.step(1 / 60, 120); view.session.show()")
    world.step(1 / 60, n=120)
    assert browser.execute_script("return view.session.world.kernels") == "simd128"
    found = browser.execute_script("return view.session.world.hash")
    assert found == f"{world.hash() & (2**64 - 1):016x}"
    # What is drawn is where the bodies are, once the page has got to it.
    drawn = "return !view.waiting && view.pending === null"
    WebDriverWait(browser, 20, 0.02).until(lambda _: browser.execute_script(drawn))
    places = browser.execute_script(
        "const r = view.stage.renderer; return [...Array(r.drawing.count).keys()]"
        ".map((k) => r.toWorld(...r.placeOf(k).slice(0, 2)))"
    )
    for body in world.bodies:
        assert places[body.index] == pytest.approx(body.position, abs=1e-4)
    canvas.send_keys("r")
    assert browser.execute_script("return view.session.world.stepCount") == 0
    # Nothing was fetched.
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_a_body_is_thrown_in_a_page(browser, engine_wasm, world, tmp_path):
    canvas = open_page(browser, tmp_path, page(world, engine_wasm.read_bytes(), view=VIEW))
    place = "return view.session.world.position(1)"
    x, y = browser.execute_script(
        "const r = view.stage.renderer, [x, y] = r.placeOf(1);"
        "return [Math.round(x - r.width / 2), Math.round(y - r.height / 2)]"
    )
    hand = ActionChains(browser, duration=20)
    hand.move_to_element_with_offset(canvas, x, y).click_and_hold()
    for _ in range(12):
        hand.move_by_offset(-12, -12)
    hand.perform()
    WebDriverWait(browser, 10).until(lambda _: browser.execute_script(place)[1] > 1.5)
    hand = ActionChains(browser, duration=10)
    for _ in range(6):
        hand.move_by_offset(-25, -5)
    hand.release().perform()
    held = browser.execute_script(place)
    WebDriverWait(browser, 10).until(lambda _: browser.execute_script(place)[1] < 0.6)
    assert browser.execute_script(place)[0] < held[0] < -0.5  # it flew on


def test_a_page_that_waits_does_nothing(browser, engine_wasm, world, tmp_path):
    open_page(browser, tmp_path, page(world, engine_wasm.read_bytes(), playing=False, view=VIEW))
    time.sleep(0.5)  # observers of the page's size and visibility are heard late
    frames = browser.execute_async_script(
        "const done = arguments[0], ask = globalThis.requestAnimationFrame; let asked = 0;"
        "globalThis.requestAnimationFrame = (act) => { asked += 1; return ask(act); };"
        "setTimeout(() => done(asked), 500)"
    )
    assert frames == 0
