"""Random worlds are replayed from their call logs to the same hashes, by every width."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import calls


def test_some_random_worlds(tmp_path):
    assert [seed for seed in range(3) if calls.of_program(seed, tmp_path)] == []


@pytest.mark.slow
def test_random_worlds(tmp_path):
    assert [seed for seed in range(3, 100) if calls.of_program(seed, tmp_path)] == []
