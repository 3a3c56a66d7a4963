"""What a frame of the live view costs, in CPU time, which a busy machine does not change much.

`benchmarks/live.py` prints the numbers that docs/live.md has. Chromium paints by software here.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from live import heap, measure

PARTS = ("renderer", "gpu-process", "python")


@pytest.fixture
def browser(chromium):
    """Chromium itself warns of a large world that it gives WebGL by software; of no other thing."""
    chromium.get("about:blank")
    chromium.get_log("browser")
    yield chromium
    log = chromium.get_log("browser")
    assert [each for each in log if "software" not in each["message"]] == []


@pytest.mark.parametrize(("count", "rate"), [(1000, 60), (5000, 30)])
def test_a_frame_costs_less_than_it_may_last(browser, count, rate):
    """Page, painting and Python work side by side, each in less time than a frame has."""
    found = measure(browser, heap(count, "moving"), 3.0)
    assert found["frames"] > 2
    for part in PARTS:
        assert found[part] / found["frames"] < 1000 / rate, part


def test_a_view_of_what_sleeps_is_idle(browser):
    found = measure(browser, heap(1000, "asleep"), 4.0)
    assert found["frames"] < 1
    assert sum(found[part] for part in PARTS) < 20  # ms a second: 2 % of a core
