"""CPU time that tests allow: it says more than the wall's where other processes are busy, too."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from pyphys2d import _core

# Sanitizers watch each access of memory, and their build has assertions.
SLOWER = 10 if "sanitize" in _core.build_switches.split() else 1


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """The block must end within that CPU time of this process; more under sanitizers."""
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds * SLOWER
