"""A short run of damaged_snapshots.py."""

import damaged_snapshots


def test_damaged_snapshots_are_refused_or_worlds():
    refused, made = damaged_snapshots.fuzz(300, seed=5)
    assert refused + made == 300
    assert refused > 100
