"""What tests of pages share."""

import base64
import contextlib
import threading

import numpy as np
from selenium.webdriver.support.ui import WebDriverWait

from pyphys2d.play.server import PlayServer

LIVE = "globalThis.view && view.stage.renderer.frame"
SETTLED = f"{LIVE} && !view.stage.request && view.pending === null && !view.waiting"


def wait(browser, script, seconds=30):
    """The value of an expression, as soon as it is true."""
    return WebDriverWait(browser, seconds, 0.02).until(
        lambda driver: driver.execute_script(f"return Boolean({script})")
    )


def until(condition, browser, seconds=30):
    """Waits until something in Python is true."""
    return WebDriverWait(browser, seconds, 0.02).until(lambda _: condition())


@contextlib.contextmanager
def quiet(browser, *advice):
    """Pages write nothing to the console meanwhile, but for advice that has one of these words."""
    browser.get("about:blank")
    browser.get_log("browser")
    yield browser
    log = [each["message"] for each in browser.get_log("browser")]
    assert [each for each in log if not any(words in each for words in advice)] == []


@contextlib.contextmanager
def served(session):
    """The address of a session's page."""
    server = PlayServer(session)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join(5)


def pixel_of(browser, body):
    """Where the middle of a body is, from the middle of the canvas."""
    return browser.execute_script(
        "const r = view.stage.renderer, [x, y] = r.placeOf(arguments[0]);"
        "return [Math.round(x - r.width / 2), Math.round(y - r.height / 2)]",
        body,
    )


def picture(browser, stage="view.stage"):
    """The pixels of the canvas, rows from above: red, green and blue."""
    width, height, data = browser.execute_script(
        f"const {{ canvas, renderer }} = {stage}, {{ width, height }} = canvas;"
        "const { data } = renderer.context.getImageData(0, 0, width, height);"
        "let text = ''; for (let k = 0; k < data.length; k += 4)"
        " text += String.fromCharCode(data[k], data[k + 1], data[k + 2]);"
        "return [width, height, btoa(text)]"
    )
    return np.frombuffer(base64.b64decode(data), np.uint8).reshape(height, width, 3).astype(int)
