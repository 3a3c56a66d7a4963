"""A short run of damaged_snapshots.py."""

import damaged_snapshots
import pytest

import pyphys2d as p2


def test_damaged_snapshots_are_refused_or_worlds():
    refused, made = damaged_snapshots.fuzz(300, seed=5)
    assert refused + made == 300
    assert refused > 100


def test_lengths_of_substeps_that_there_are_not_are_refused():
    """Found by seed 1807: a level of 9, where there are 8, was an index."""
    world = p2.World()
    world.add_body()  # without a shape: its row comes behind one generation
    whole = world.snapshot()
    level = 32 + 272 + 4 + 31 * 8 + 4 * 4 + 9  # head, settings, generation; of the row
    for number in (0, 1, 7, 8, 9, 16, 255):
        state = bytearray(damaged_snapshots.state_of(whole))
        assert state[level] == 0
        state[level] = number
        forged = damaged_snapshots.forge(whole, bytes(state))
        if number < 8:
            p2.World.from_snapshot(forged).step()
        else:
            with pytest.raises(p2.SnapshotError, match="a body"):
                p2.World.from_snapshot(forged)
