"""CPU time that tests allow: it says more than the wall's where other processes are busy, too."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pyphys2d import _core

# Sanitizers watch each access of memory, and their build has assertions.
SLOWER = 10 if "sanitize" in _core.build_switches.split() else 1

# s, the loops of `slowness` on an idle machine that keeps all bounds (AMD EPYC)
COUNTED = 0.068
SHUFFLED = 0.4


def slowness() -> float:
    """How many times longer than there two loops take here and now, the slower of them.

    One counts, one goes through much memory: neighbours slow a core and its memory, too.
    """
    start = time.process_time()
    total = 0
    for number in range(1_000_000):
        total += number & 7
    counted = time.process_time() - start
    start = time.process_time()
    cells = [[number] for number in range(200_000)]
    random.Random(1).shuffle(cells)
    for cell in cells:
        total += cell[0]
    return max(1.0, counted / COUNTED, (time.process_time() - start) / SHUFFLED)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """The block must end within that CPU time of this process.

    More under sanitizers, and where a machine is slower than the one that the times were taken on,
    which is asked only when it matters.
    """
    start = time.process_time()
    yield
    taken = time.process_time() - start
    assert taken < seconds * SLOWER or taken < seconds * SLOWER * slowness()
