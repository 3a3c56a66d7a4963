"""What the frames of a `WorldView` cost in JupyterLab, in Chromium.

python benchmarks/live_jupyterlab.py [--seconds 8]      (extras ``browser`` and ``jupyter``)

Prints for heaps of boxes: frames and steps a second, and CPU milliseconds a frame of the kernel, of
JupyterLab's server, of the page and of what paints it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from live import browser, processes, seconds_of
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "browser"))

from lab import Pause, started  # noqa: E402

CELL = """
import json, os, pathlib, sys, threading, time
sys.path.insert(0, {benchmarks!r})
from live import heap
from pyphys2d.jupyter import WorldView

world = heap({count}, "moving")
view = WorldView(world, playing=True, height=480)

def note():
    while True:
        frames = sum(client.number for client in view.session.clients.values())
        found = [time.monotonic(), world.step_count, frames, time.process_time(), os.getppid()]
        pathlib.Path("new").write_text(json.dumps(found))
        pathlib.Path("new").rename("now.json")
        time.sleep(0.2)

threading.Thread(target=note, daemon=True).start()
view
"""


def notebook(count: int) -> str:
    """With one cell."""
    source = CELL.format(benchmarks=str(ROOT / "benchmarks"), count=count)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "source": source}
    cells = [cell | {"execution_count": None}]
    head = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}}
    return json.dumps(head | {"cells": cells})


def run(chrome: webdriver.Chrome, address: str, token: str) -> None:
    """Opens the notebook, runs it and waits for its canvas."""
    chrome.get(f"{address}/lab/tree/heap.ipynb?token={token}&reset")
    wait, again = WebDriverWait(chrome, 90, 0.2), Pause(15)
    idle = "return document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status"
    wait.until(lambda _: chrome.execute_script(idle) == "idle")
    chrome.execute_script("jupyterapp.commands.execute('application:toggle-left-area')")

    def canvas(_: object) -> object:
        found = chrome.find_elements(By.CSS_SELECTOR, ".pp canvas")
        if not found and again.over():
            chrome.execute_script("jupyterapp.commands.execute('notebook:run-all-cells')")
        return found and found[0]

    chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", wait.until(canvas))
    time.sleep(3)


def measure(chrome: webdriver.Chrome, count: int, seconds: float) -> list[float]:
    """Frames and steps a second; CPU milliseconds a frame of kernel, server, page and painting."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name) / "folder"
        folder.mkdir()
        (folder / "heap.ipynb").write_text(notebook(count))
        with started(folder, Path(name) / "state", PYTHONPATH=str(ROOT)) as (address, token):
            run(chrome, address, token)
            server = json.loads((folder / "now.json").read_text())[4]
            kinds = processes(chrome.service.process.pid)
            found = []
            for pause in (seconds, 0.0):
                now, steps, frames, kernel, _ = json.loads((folder / "now.json").read_text())
                costs = [seconds_of(those) for those in ([server], *kinds.values())]
                found.append([now, steps, frames, kernel, *costs])
                time.sleep(pause)
            chrome.get("about:blank")
    passed, steps, frames, *costs = (b - a for a, b in zip(*found, strict=True))
    return [frames / passed, steps / passed, *(1000 * cost / max(frames, 1) for cost in costs)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    seconds = parser.parse_args().seconds
    chrome = browser()
    try:
        heads = ("frames/s", "steps/s", "kernel", "server", "page", "painting")
        print(f"{'boxes':>7} {' '.join(f'{head:>9}' for head in heads)}  CPU ms a frame")
        for count in (1000, 5000):
            found = measure(chrome, count, seconds)
            print(f"{count:>7} {' '.join(f'{value:>9.1f}' for value in found)}")
    finally:
        chrome.quit()


if __name__ == "__main__":
    main()
