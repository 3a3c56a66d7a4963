"""More substeps of a world never make a pile softer."""

import pytest

import pyphys2d as p2


def deepest(substeps, load, steps=300):
    """Millimetres, below a block of so many times the mass of each of the ten boxes below it."""
    world = p2.World(substeps=substeps)
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    for k in range(10):
        world.add_body(p2.Box(1, 0.5), (0, 0.25 + 0.5 * k), mass=1)
    world.add_body(p2.Box(2, 2), (0, 6), mass=load)
    world.step(n=steps)
    return -1000 * world.contacts["separation"].min()


@pytest.mark.parametrize("load", [100, 1000])
def test_a_heavy_block_sinks_no_deeper(load):
    usual = deepest(8, load)
    assert usual < 30
    found = {substeps: deepest(substeps, load) for substeps in (16, 32, 64)}
    assert max(found.values()) < usual * 1.02, found
    # The depth goes by the square of the frequency, and that by the substeps that are in use.
    assert found[64] < 0.3 * usual, found
