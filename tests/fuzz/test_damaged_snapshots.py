"""A short run of damaged_snapshots.py."""

import math
import struct

import damaged_snapshots
import pytest

import pyphys2d as p2


def test_damaged_snapshots_are_refused_or_worlds():
    refused, made = damaged_snapshots.fuzz(300, seed=5)
    assert refused + made == 300
    assert refused > 100


def test_lengths_of_substeps_that_there_are_not_are_refused():
    """Found by seed 1807: a level above those that there are was an index. There are 9."""
    world = p2.World()
    world.add_body()  # without a shape: its row comes behind one generation
    whole = world.snapshot()
    level = 32 + 272 + 4 + 31 * 8 + 4 * 4 + 9  # head, settings, generation; of the row
    for number in (0, 1, 7, 8, 9, 10, 16, 255):
        state = bytearray(damaged_snapshots.state_of(whole))
        assert state[level] == 0
        state[level] = number
        forged = damaged_snapshots.forge(whole, bytes(state))
        if number < 9:
            p2.World.from_snapshot(forged).step()
        else:
            with pytest.raises(p2.SnapshotError, match="a body"):
                p2.World.from_snapshot(forged)


def test_tunings_of_joints_that_cannot_be_are_refused():
    """None that is told, a frequency of 0, less than 0, a joint that is not there."""
    world = p2.World()
    world.add_weld_joint(None, world.add_body(p2.Circle(1)), joint_hertz=1234.5)
    whole = world.snapshot()
    state = damaged_snapshots.state_of(whole)
    at = state.index(struct.pack("<d", 1234.5))  # hertz, damping ratio, number of the joint
    assert p2.World.from_snapshot(damaged_snapshots.forge(whole, state)).hash() == world.hash()
    for offset, number in (
        *((0, struct.pack("<d", value)) for value in (math.nan, math.inf, 0, -1)),
        (8, struct.pack("<d", -1)),
        (16, struct.pack("<I", 1)),
    ):
        changed = state[: at + offset] + number + state[at + offset + len(number) :]
        with pytest.raises(p2.SnapshotError, match="joint"):
            p2.World.from_snapshot(damaged_snapshots.forge(whole, changed))


def test_last_substeps_that_cannot_be_are_refused():
    world = p2.World()
    world.add_body(p2.Box(1, 1))
    world.step(1 / 100)
    whole = world.snapshot()
    state = damaged_snapshots.state_of(whole)
    length = struct.pack("<d", 1 / 100 / world.substeps)
    assert state.count(length) == 1
    for number in (0.0, -1.0, math.nan, math.inf, 2.0, 1e-300):
        changed = state.replace(length, struct.pack("<d", number))
        with pytest.raises(ValueError, match="last substep"):
            p2.World.from_snapshot(damaged_snapshots.forge(whole, changed))
