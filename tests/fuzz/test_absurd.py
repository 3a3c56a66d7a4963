"""Worlds of absurd numbers against the clock: a few of them, and programs that were once slow."""

import sys
import time
from pathlib import Path

import pytest
from clock import SLOWER

import pyphys2d as p2

sys.path.insert(0, str(Path(__file__).parent))
import absurd

# s beside the bound, for what else is busy while the tests run; the command has none.
SLACK = 1.0 * SLOWER

# Seeds whose programs had a call beyond its bound: bullets that compared all their ways, pairs of
# sensors, and piles.
FOUND = [1051, 1563, 1597, 1686, 1727, 1861, 1914, 2391, 2515]


def test_worlds_answer_in_time():
    faults = [fault for seed in range(30) for fault in absurd.run(seed, slack=SLACK)]
    assert not faults, faults[0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", FOUND)
def test_what_was_slow_answers_in_time(seed):
    faults = absurd.run(seed, slack=SLACK)
    assert not faults, faults[0]


def test_a_seed_is_a_program():
    assert list(absurd.program(7)) == list(absurd.program(7))
    assert list(absurd.program(7)) != list(absurd.program(8))


def test_a_slow_call_is_found(monkeypatch):
    def linger(world, dt):
        until = time.process_time() + 0.5
        while time.process_time() < until:
            pass

    lines = [(1, "world = p2.World()"), (1, "linger(world, 0.1)"), (1, "world.step(0.1)")]
    monkeypatch.setattr(absurd, "program", lambda seed: iter(lines))
    monkeypatch.setattr(absurd, "slowness", lambda: 1.0)
    monkeypatch.setattr(p2, "linger", linger, raising=False)
    monkeypatch.setattr(absurd, "PREAMBLE", absurd.PREAMBLE + "from pyphys2d import linger\n")
    (fault,) = absurd.run(0)
    assert fault.startswith("0.5")
    assert fault.endswith("linger(world, 0.1)")


def test_an_error_of_another_kind_is_found(monkeypatch):
    lines = [(1, "world = p2.World()"), (1, "world.step('a')"), (1, "world.step(-1)")]
    monkeypatch.setattr(absurd, "program", lambda seed: iter(lines))
    (fault,) = absurd.run(0)
    assert fault.startswith("TypeError")


@pytest.mark.slow
def test_a_hang_and_a_crash_are_found(capfd, monkeypatch):
    monkeypatch.setattr(absurd, "WATCH", 5.0)  # a child also has to start
    for planted, found in (
        ("while True: pass", "hangs"),
        ("import os; os._exit(3)", "ends with 3"),
    ):
        script = (
            f"import sys; sys.path.insert(0, {str(Path(absurd.__file__).parent)!r}); import absurd;"
            f"absurd.program = lambda seed, most: iter([(1, {planted!r})] if seed == 5 else []);"
            "absurd.child(int(sys.argv[-2]), int(sys.argv[-1]))"
        )
        monkeypatch.setattr(absurd, "COMMAND", [sys.executable, "-c", script])
        assert absurd.campaign(4, 7) == 1
        assert f"seed 5: {found}" in capfd.readouterr().out
