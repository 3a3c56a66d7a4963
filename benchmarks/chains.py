"""Free chains on springs, kicked once: how many gain kinetic energy, and how much at worst.

    python benchmarks/chains.py                          # writes results/chains.csv; minutes
    python benchmarks/chains.py --only distance mixed    # these kinds alone
    python benchmarks/chains.py --quick                  # a tenth of the chains

Two to six boxes in a row, without gravity and contacts, on spring joints of one kind or of mixed
kinds. One box is kicked, and five seconds pass. The result is the largest kinetic energy after any
step over that of the kick. Nothing else gives energy and all springs begin at rest, so theory has
no more than 1; what is above 1.01 counts as gained. In the sets `held`, a mouse joint to the world
also pulls a random point of one box to where it is.

In half of the chains all springs have one frequency and one damping ratio within a factor of two,
in the others each has its own.
"""

from __future__ import annotations

import itertools
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import common
import numpy as np

import pyphys2d as p2

DT = 1 / 60
STEPS = 300
GAINED = 1.01
APART = 200.0  # metres from chain to chain


class Numbers(NamedTuple):
    """What the numbers of a set are drawn from."""

    chains: int
    hertz: tuple[float, float]
    zeta: tuple[float, float] | None
    ratio: float  # of two masses, at most
    held: bool = False


UNDAMPED = Numbers(500, (0.5, 1e6), None, 100)
EVERYDAY = Numbers(300, (2, 60), None, 100)
DAMPED = Numbers(500, (0.5, 1e6), (0.01, 100), 100)
SETS = {
    "undamped": UNDAMPED,
    "everyday": EVERYDAY,
    "damped": DAMPED,
    "undamped held": UNDAMPED._replace(held=True),
    "everyday held": EVERYDAY._replace(held=True),
    "damped held": DAMPED._replace(held=True),
}
KINDS = (
    "distance", "weld", "weld, two springs", "motor", "prismatic", "wheel", "revolute", "rotary",
    "mixed",
)  # fmt: skip

Draw = np.random.Generator


def log_uniform(random: Draw, low: float, high: float) -> float:
    """Each decade is as likely as any other."""
    return float(10 ** random.uniform(np.log10(low), np.log10(high)))


class Springs:
    """Frequencies and damping ratios of the springs of one chain."""

    def __init__(self, random: Draw, numbers: Numbers) -> None:
        self.random, self.numbers = random, numbers
        self.alike = random.random() < 0.5
        self.hertz = log_uniform(random, *numbers.hertz)
        self.zeta = log_uniform(random, *numbers.zeta) if numbers.zeta else 0.0

    def draw(self) -> tuple[float, float]:
        """Of the next spring."""
        random, numbers = self.random, self.numbers
        if not self.alike:
            zeta = log_uniform(random, *numbers.zeta) if numbers.zeta else 0.0
            return log_uniform(random, *numbers.hertz), zeta
        hertz = self.hertz * 2 ** random.uniform(-0.5, 0.5)
        return float(np.clip(hertz, *numbers.hertz)), self.zeta * 2 ** random.uniform(-0.5, 0.5)


def tie(world: p2.World, springs: Springs, kind: str, a: p2.Body, b: p2.Body, at: Any) -> None:
    """A spring joint of a kind between two boxes that meet below or above a point."""
    random = springs.random
    if kind == "mixed":
        kind = KINDS[int(random.integers(len(KINDS) - 1))]
    hertz, zeta = springs.draw()
    options: dict[str, Any] = {"spring_hertz": hertz, "spring_damping_ratio": zeta}
    if kind == "distance":
        options["anchor_a"] = np.subtract(at, (random.uniform(0.05, 0.5), 0))
        options["anchor_b"] = np.add(at, (random.uniform(0.05, 0.5), 0))
    elif kind != "rotary":
        options["anchor"] = at
    if kind in ("prismatic", "wheel"):
        angle = random.uniform(0, np.pi)
        options["axis"] = (np.cos(angle), np.sin(angle))
    if kind == "weld, two springs" or (kind == "motor" and random.random() < 0.5):
        options["angular_spring_hertz"], options["angular_spring_damping_ratio"] = springs.draw()
    name = "weld" if kind == "weld, two springs" else kind
    getattr(world, f"add_{name}_joint")(a, b, **options)


def add_chain(world: p2.World, random: Draw, kind: str, numbers: Numbers, at: Any) -> int:
    """A chain of which one box is kicked; returns of how many."""
    springs = Springs(random, numbers)
    count = int(random.integers(2, 7))
    sizes = random.uniform(0.2, 1.5, count)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    boxes = [
        world.add_body(
            p2.Box(size, size * random.uniform(0.3, 1)),
            np.add(at, (x + size / 2, 0)),
            mass=log_uniform(random, 1, numbers.ratio),
            mask=0,
        )
        for size, x in zip(sizes, ends[:-1], strict=True)
    ]
    for a, b, x in zip(boxes[:-1], boxes[1:], ends[1:-1], strict=True):
        tie(world, springs, kind, a, b, np.add(at, (x, random.uniform(-0.3, 0.3))))
    if numbers.held:
        held = int(random.integers(count))
        hertz, zeta = springs.draw()
        world.add_mouse_joint(
            boxes[held],
            anchor=boxes[held].position + sizes[held] * random.uniform(-0.5, 0.5, 2),
            spring_hertz=hertz,
            spring_damping_ratio=zeta,
        )
    kicked = boxes[int(random.integers(count))]
    kicked.velocity = random.uniform(-3, 3, 2)
    kicked.angular_velocity = random.uniform(-5, 5)
    return count


def measure(kind: str, name: str, quick: bool = False, substeps: int = 8) -> np.ndarray:
    """The result of each chain of a kind and a set."""
    numbers = SETS[name]
    chains = max(1, numbers.chains // 10) if quick else numbers.chains
    world = p2.World((0, 0), sleeping=False, substeps=substeps)
    side = int(np.ceil(np.sqrt(chains)))
    counts = []
    for k in range(chains):
        random = np.random.default_rng((list(SETS).index(name), KINDS.index(kind), k))
        at = (APART * (k % side), APART * (k // side))
        counts.append(add_chain(world, random, kind, numbers, at))
    owner = np.repeat(np.arange(chains), counts)
    mass = np.array([body.mass for body in world.bodies])
    inertia = np.array([body.inertia for body in world.bodies])

    def energies() -> np.ndarray:
        moving = mass * (world.velocities**2).sum(axis=1) + inertia * world.angular_velocities**2
        return np.bincount(owner, 0.5 * moving)

    kick, most = energies(), np.zeros(chains)
    for _ in range(STEPS):
        world.step(DT)
        most = np.maximum(most, energies())
    return most / kick


def main(arguments: list[str] | None = None) -> int:
    """Command line."""
    parser = common.parser(__doc__, "chains")
    parser.add_argument("--only", nargs="*", default=[], help="kinds of joints")
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--substeps", type=int, default=8)
    parser.add_argument("--chains", action="store_true", help="number the chains that gain")
    parser.add_argument("--threads", type=int, default=1, help="of worlds side by side")
    options = parser.parse_args(arguments)
    rows = []
    kinds = [kind for kind in KINDS if not options.only or kind in options.only]
    pairs = list(itertools.product(kinds, options.sets))
    run = partial(measure, quick=options.quick, substeps=options.substeps)
    with ThreadPoolExecutor(options.threads) as pool:
        results = pool.map(lambda pair: run(*pair), pairs)
        for (kind, name), ratios in zip(pairs, results, strict=True):
            gained = np.flatnonzero(~(ratios <= GAINED))
            rows.append(
                {
                    "kind": kind,
                    "set": name,
                    "chains": len(ratios),
                    "gained": len(gained),
                    "worst": f"{ratios.max():.5g}",
                }
            )
            text = f"{len(gained):4d} of {len(ratios)}, worst {ratios.max():.5g}"
            print(f"{kind:18s} {name:14s} {text}", flush=True)
            if options.chains and len(gained):
                print("   ", *(f"{k}: {ratios[k]:.4g}" for k in gained), flush=True)
    if not options.no_csv and not options.only and options.sets == list(SETS):
        common.write_csv("chains", rows, quick=options.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
