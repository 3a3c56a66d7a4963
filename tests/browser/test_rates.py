"""What a frame of the live view costs, in CPU time, which a busy machine does not change much.

`benchmarks/live.py` prints the numbers that docs/live.md has. Chromium paints by software here.
"""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from live import heap, measure
from pages import SETTLED, quiet, served, wait

from pyphys2d._live import Session

PARTS = ("renderer", "gpu-process", "python")


@pytest.fixture
def browser(chromium):
    """Chromium itself warns of a large world that it gives WebGL by software; of no other thing."""
    with quiet(chromium, "software"):
        yield chromium


def check(browser, count, kind, seconds, is_good):
    """One of three measurements has to be good: other programs add to what caches cost."""
    found = []
    while not found or not is_good(found[-1]):
        assert len(found) < 3, found
        found.append(measure(browser, heap(count, kind), seconds))


@pytest.mark.parametrize(("count", "rate"), [(1000, 60), (5000, 30)])
def test_a_frame_costs_less_than_it_may_last(browser, count, rate):
    """Page, painting and Python work side by side, each in less time than a frame has."""

    def is_good(found):
        return found["frames"] > 2 and all(
            found[part] / found["frames"] < 1000 / rate for part in PARTS
        )

    check(browser, count, "moving", 3.0, is_good)


COUNT = """
globalThis.counted = { frames: 0, messages: 0, "animation frames": 0, timers: 0 };
const count = (owner, name, what) => {
  const made = owner[name].bind(owner);
  owner[name] = (...given) => { counted[what] += 1; return made(...given); };
};
count(view.stage.renderer, "draw", "frames");
count(view, "receive", "messages");
count(globalThis, "requestAnimationFrame", "animation frames");
count(globalThis, "setTimeout", "timers");
count(globalThis, "setInterval", "timers");
"""


class Counted(Session):
    ticks = 0

    def tick(self, now=None):
        self.ticks += 1
        return super().tick(now)


def test_a_view_of_what_sleeps_is_idle(browser):
    """It draws nothing and is told the time alone, once a second; bodies that wake are seen."""
    world = heap(1000, "asleep")
    session = Counted(world, playing=True)
    with served(session) as url:
        browser.get(url)
        wait(browser, SETTLED)
        time.sleep(0.5)  # observers of the page's size and visibility are heard late
        browser.execute_script(COUNT)
        steps, ticks = world.step_count, session.ticks
        time.sleep(3)
        found = browser.execute_script("return counted")
        assert found.pop("messages") <= 4
        assert not any(found.values()), found
        assert world.step_count > steps + 60
        assert session.ticks <= ticks + 3 * 10

        list(world.bodies)[-1].awake = True
        time.sleep(0.5)
        found = browser.execute_script("return counted")
        assert min(found["frames"], found["messages"], found["animation frames"]) > 5
