"""Memory that fails on demand, and worlds that are given up: what both must leave behind."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from pyphys2d import World, _core


def fail_every_allocation(world: World, act: Callable[[], Any], most: int = 300) -> int:
    """Lets the first, then the second allocation fail, until the act succeeds.

    Each failure leaves the world as it was, hash and who is awake. Returns how many there were.
    """
    testing = pytest.importorskip(
        "pyphys2d._testing",
        reason="LOUD: failing allocations are NOT tested, build with PYPHYS2D_TESTING=1",
    )
    for failures in range(most):
        before, awake = world.hash(), world.awake.tolist()
        testing.fail_allocation(failures + 1)
        try:
            act()
        except MemoryError:
            testing.fail_allocation(0)
            assert world.hash() == before
            assert world.awake.tolist() == awake
        else:
            return failures
        finally:
            testing.fail_allocation(0)
    pytest.fail(f"still failing after {most} allocations")


def check_collected(make: Callable[[], World], count: int = 20) -> None:
    """Worlds that nobody holds are gone, with all that they held, whatever refers to what."""
    gc.collect()
    before = _core._live()
    worlds = [weakref.ref(make()) for _ in range(count)]
    gc.collect()
    assert all(world() is None for world in worlds)
    assert _core._live() == before
