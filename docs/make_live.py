"""Makes the pictures of docs/live.md: screenshots of the pages in Chromium (extra ``browser``).

python docs/make_live.py
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

import pyphys2d as p2
from pyphys2d import play
from pyphys2d.play.server import PlayServer
from pyphys2d.scenes import build

IMAGES = Path(__file__).parent / "images"
SIZE = (820, 560)


def chromium() -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    size = "{},{}".format(*SIZE)
    for switch in ("headless=new", "no-sandbox", "disable-dev-shm-usage", f"window-size={size}"):
        options.add_argument(f"--{switch}")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program:
        options.binary_location = program
    return webdriver.Chrome(options, Service(driver) if driver else None)


def wait(browser: webdriver.Chrome, script: str) -> None:
    WebDriverWait(browser, 20).until(lambda _: browser.execute_script(f"return Boolean({script})"))


def save(browser: webdriver.Chrome, name: str) -> None:
    browser.save_screenshot(str(IMAGES / f"live-{name}.png"))


def theme(browser: webdriver.Chrome, value: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": value}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def demo(browser: webdriver.Chrome, name: str, seconds: float) -> None:
    """A picture of a demo after so much time of its world."""
    session = play.session(name)
    if name == "tunneling":  # a few shots to look at
        shoot = next(c for c in session.controls.values() if c.message["label"] == "Shoot")
        session.before_step = lambda _, step: shoot.set(True) if step % 20 == 0 else None
    server = PlayServer(session)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        browser.get(server.url)
        wait(browser, "globalThis.view && view.stage.renderer.frame")
        if session.playing:
            WebDriverWait(browser, 30).until(lambda _: session.world.time > seconds)
        save(browser, name)
        if name == "collision":
            theme(browser, "dark")
            wait(browser, "view.stage.renderer.theme.dark && !view.stage.request")
            save(browser, f"{name}-dark")
            theme(browser, "light")
        browser.get("about:blank")
    finally:
        server.stop()
        thread.join(5)


def player(browser: webdriver.Chrome, folder: Path) -> None:
    """The player in the middle of a run: light, dark, and with islands."""
    path = folder / "run.html"
    scene = build("collision")
    run = p2.simulate(scene.world, 5, contacts=True, name="collision")
    run.to_html(path, autoplay=False)
    for name, frame, color, layers in (
        ("light", 57, "state", ["contacts"]),
        ("dark", 57, "speed", ["velocities"]),
        ("islands", 90, "island", ["islands", "bounds"]),
    ):
        theme(browser, "dark" if name == "dark" else "light")
        browser.get(path.as_uri())
        wait(browser, "globalThis.player")
        browser.execute_script(
            "player.seek(arguments[0]); player.stage.setColorBy(arguments[1]);"
            "for (const layer of arguments[2]) player.stage.setLayer(layer, true)",
            frame,
            color,
            layers,
        )
        wait(browser, f"player.frame === {frame} && !player.stage.request")
        save(browser, f"player-{name}")
    theme(browser, "light")


def main() -> None:
    browser = chromium()
    try:
        for name, seconds in (("grabbing", 1), ("normals", 0), ("collision", 3), ("tunneling", 2)):
            demo(browser, name, seconds)
        with tempfile.TemporaryDirectory() as folder:
            player(browser, Path(folder))
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
