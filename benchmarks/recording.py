"""What recording costs: steps of 1,000 bodies with and without `world.record`, in turns.

python benchmarks/recording.py            # table, kept in results/recording.csv
python benchmarks/recording.py --check    # exit code 1 when a plain recording costs 5 % or more
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from common import parser, write_csv

import pyphys2d as p2

BODIES, STEPS, TURNS = 1000, 300, 15
MOST = 0.05


def pile() -> p2.World:
    """Columns of boxes that stand and do not sleep."""
    world = p2.World(sleeping=False)
    world.add_body(p2.Box(200, 1), (0, -0.5), kind="static")
    x, y = np.meshgrid(np.arange(50) * 1.2, np.arange(BODIES // 50) * 1.0 + 0.5)
    world.add_bodies(p2.Box(1, 1), np.column_stack([x.ravel(), y.ravel()]))
    return world


def rain() -> p2.World:
    """Boxes that fall into a heap."""
    rng = np.random.default_rng(0)
    world = p2.World(sleeping=False)
    world.add_body(p2.Chain([(-25, 60), (-25, 0), (25, 0), (25, 60)]), kind="static")
    places = np.column_stack([rng.uniform(-24, 24, BODIES), rng.uniform(1, 50, BODIES)])
    world.add_bodies(p2.Box(0.8, 0.8), places, rng.uniform(0, 6, BODIES))
    return world


def chains() -> p2.World:
    """Twenty chains of fifty links, which swing."""
    world = p2.World(sleeping=False)
    for row in range(20):
        last = None
        for k in range(BODIES // 20):
            link = world.add_body(p2.Box(0.9, 0.3), (k, 4 * row))
            world.add_revolute_joint(last, link, anchor=(k - 0.5, 4 * row))
            last = link
    return world


WAYS: dict[str, dict[str, Any]] = {
    "frames": {"joints": False},
    "frames, events": {"joints": False, "events": True},
    "frames, contacts": {"joints": False, "contacts": True},
    "frames, joints": {"joints": True},
}


def cost(build: Callable[[], p2.World], single: bool, options: dict[str, Any]) -> dict[str, float]:
    """Microseconds of a step without and with, of the thread that steps; the fastest of the turns,
    which other programs of the machine have disturbed least.
    """
    world = build()
    world.step(n=120)

    def run() -> float:
        start = time.thread_time()  # other programs and the thread that touches memory left out
        if single:
            for _ in range(STEPS):
                world.step()
        else:
            world.step(n=STEPS)
        return time.thread_time() - start

    plain, recorded = [], []
    for _ in range(TURNS):
        plain.append(run())
        with world.record(**options) as trajectory:
            recorded.append(run())
        assert len(trajectory) == STEPS + 1
    return {
        "step_us": round(1e6 * min(plain) / STEPS, 1),
        "recorded_us": round(1e6 * min(recorded) / STEPS, 1),
        "cost_percent": round(100 * (min(recorded) / min(plain) - 1), 1),
    }


def main() -> int:
    options = parser(__doc__, "recording")
    options.add_argument("--check", action="store_true")
    arguments = options.parse_args()
    rows, failed = [], False
    for scene, build in (("pile", pile), ("rain", rain), ("chains", chains)):
        for call, single in (("step(n)", False), ("step()", True)):
            for kept, keywords in WAYS.items():
                row = {"scene": scene, "call": call, "keeps": kept, **cost(build, single, keywords)}
                failed |= kept == "frames" and row["cost_percent"] >= 100 * MOST
                print(*row.values(), sep="\t")
                rows.append({"bodies": BODIES, **row})
    if not arguments.no_csv:
        write_csv("recording", rows)
    return int(arguments.check and failed)


if __name__ == "__main__":
    sys.exit(main())
