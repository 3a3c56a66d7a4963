"""Frame rates of the live view in Chromium, and what a view costs that shows nothing new.

python benchmarks/live.py [--seconds 5]      (extra ``browser``)

Prints for heaps of boxes: frames a second, how many pictures a second the browser's screen has
(more frames than that there cannot be), and CPU milliseconds a frame of the page (its renderer
process), of what paints it (the GPU process, here by software where there is none) and of Python.
The clock of a busy machine says little; the CPU time of each of the three is to stay below the time
of a frame, as they work side by side.
"""

from __future__ import annotations

import argparse
import os
import shutil
import threading
import time
from pathlib import Path

import numpy as np
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

import pyphys2d as p2
from pyphys2d._live import Session
from pyphys2d.play.server import PlayServer

TICKS = os.sysconf("SC_CLK_TCK")
SCREEN = """
const done = arguments[0], times = [];
const count = (now) => {
  times.push(now);
  if (now - times[0] < 1000) requestAnimationFrame(count);
  else done(1000 * (times.length - 1) / (now - times[0]));
};
requestAnimationFrame(count);
"""


def heap(count: int, kind: str) -> p2.World:
    """Boxes that move all the time: a box is stirred, or all fly without gravity."""
    side = int(np.ceil(count**0.5))
    places = np.stack(np.meshgrid(np.arange(side), np.arange(side)), -1).reshape(-1, 2)[:count]
    if kind == "asleep":
        world = p2.World()
        world.add_body(p2.Box(2 * side, 1), (0.5 * side, -0.5), kind="static")
        world.add_bodies(p2.Box(1, 1), places + 0.5, awake=False)
        return world
    world = p2.World((0, 0))
    for x, y, w, h in ((-1, 0, 1, 3), (2, 0, 1, 3), (0.5, -1, 4, 1), (0.5, 2, 4, 1)):
        world.add_body(
            p2.Box(w * side * 1.5, h * side * 1.5),
            (x * side * 1.5, y * side * 1.5),
            kind="static",
            restitution=1,
        )
    random = np.random.default_rng(1)
    world.add_bodies(
        p2.Box(0.7, 0.7),
        places * 1.4 + 0.5,
        velocity=random.normal(0, 3, (count, 2)),
        restitution=1,
    )
    return world


def browser() -> webdriver.Chrome:
    """Chromium without a window."""
    options = webdriver.ChromeOptions()
    for switch in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "window-size=1000,700"):
        options.add_argument(f"--{switch}")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program:
        options.binary_location = program
    return webdriver.Chrome(options, Service(driver) if driver else None)


def seconds_of(found: list[int]) -> float:
    """CPU seconds of processes so far."""
    total = 0
    for process in found:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def processes(driver: int) -> dict[str, list[int]]:
    """The children of the driver by their kind: renderer, gpu-process."""
    parents: dict[int, int] = {}
    found: dict[str, list[int]] = {"renderer": [], "gpu-process": []}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    for process in parents:
        above = process
        while above in parents and above != driver:
            above = parents[above]
        if above == driver:
            words = Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
            for kind, those in found.items():
                if f"--type={kind}" in words:
                    those.append(process)
    return found


def measure(chrome: webdriver.Chrome, world: p2.World, seconds: float) -> dict[str, float]:
    """Frames and pictures of the screen a second, CPU milliseconds a second of each process."""
    server = PlayServer(Session(world, playing=True))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        chrome.get(server.url)
        ready = "return Boolean(globalThis.view && view.stage.renderer.frame)"
        WebDriverWait(chrome, 60).until(lambda _: chrome.execute_script(ready))
        chrome.execute_script(
            "globalThis.drawn = 0; const r = view.stage.renderer, draw = r.draw.bind(r);"
            "r.draw = () => { globalThis.drawn += 1; draw(); }"
        )
        screen = chrome.execute_async_script(SCREEN)
        kinds = processes(chrome.service.process.pid)
        first = {kind: seconds_of(process) for kind, process in kinds.items()}
        own, begin = time.process_time(), time.perf_counter()
        count = chrome.execute_script("return drawn")
        time.sleep(seconds)
        count = chrome.execute_script("return drawn") - count
        passed = time.perf_counter() - begin
        result = {
            "frames": count / passed,
            "screen": screen,
            "python": 1000 * (time.process_time() - own) / passed,
        }
        for kind, process in kinds.items():
            result[kind] = 1000 * (seconds_of(process) - first[kind]) / passed
        return result
    finally:
        chrome.get("about:blank")
        server.stop()
        thread.join(5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    seconds = parser.parse_args().seconds
    chrome = browser()
    try:
        chrome.get("about:blank")
        renderer = chrome.execute_script(
            "const gl = document.createElement('canvas').getContext('webgl2');"
            "const e = gl?.getExtension('WEBGL_debug_renderer_info');"
            "return e ? gl.getParameter(e.UNMASKED_RENDERER_WEBGL) : 'no WebGL2'"
        )
        print(f"Chromium {chrome.capabilities['browserVersion']}, {renderer}")
        heads = " ".join(
            f"{head:>9}" for head in ("frames/s", "screen/s", "page", "painting", "python")
        )
        print(f"{'world':>14} {heads}  CPU ms a frame")
        for kind, count in (("moving", 1000), ("moving", 5000), ("asleep", 1000)):
            found = measure(chrome, heap(count, kind), seconds)
            if kind == "asleep":
                shares = [found[name] / 10 for name in ("renderer", "gpu-process", "python")]
                words = " ".join(f"{share:>8.1f}%" for share in shares)
                rates = f"{found['frames']:>9.1f} {found['screen']:>9.1f}"
                print(f"{count:>7} {kind} {rates} {words}  CPU of a core")
            else:
                rate = max(found["frames"], 1e-9)
                each = [found[name] / rate for name in ("renderer", "gpu-process", "python")]
                words = " ".join(f"{value:>9.1f}" for value in each)
                print(f"{count:>7} {kind} {rate:>9.1f} {found['screen']:>9.1f} {words}")
    finally:
        chrome.quit()


if __name__ == "__main__":
    main()
