"""The fuzzer of determinism: a few of its worlds, that it finds and reduces what differs, and what
it has found.
"""

import contextlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import determinism
import determinism_worlds

import pyphys2d as p2


@pytest.fixture(scope="module")
def team() -> Iterator[determinism.Team]:
    with determinism.Team() as children:
        yield children


@pytest.mark.slow
def test_random_worlds_give_the_same_bits(team):
    assert determinism.fuzz(range(48), team) == []


@pytest.mark.slow
def test_worlds_of_thousands_of_bodies_give_the_same_bits(team):
    lines = determinism_worlds.program(1, large=1)
    assert team.differ(lines) == ""


@pytest.mark.slow
def test_random_worlds_are_the_same_beside_others(team):
    assert determinism.fuzz(range(12), team, beside=True) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 5])
@pytest.mark.parametrize("what", ["WIDTH == 'scalar'", "WORKERS == 2"])
def test_a_difference_is_found_and_reduced(team, seed, what):
    if p2.simd.available == ("scalar",) and "WIDTH" in what:
        pytest.skip("one width")
    lines = determinism_worlds.program(seed, large=0)
    other = f"w.add_body(p2.Circle(1), ({what}, 0.5))"
    lines.insert(random.Random(seed).randint(len(lines) // 3, 2 * len(lines) // 3), other)
    assert "!=" in team.differ(lines)
    small = determinism.reduce(lines, lambda shorter: team.differ(shorter) != "")
    assert len(small) <= 3
    assert other in small
    printed = determinism.as_python(small, [("scalar", 1, True), (p2.simd.available[-1], 2, False)])
    outputs = determinism.run_python(printed).split("\n")
    assert len({line.split()[-1] for line in outputs if line}) == 2


def test_a_child_that_ends_is_a_fault(team):
    assert team.differ(["import os", "os._exit(WORKERS == 2)"]).startswith("crash")
    assert team.differ(["w = p2.World()", "w.step()"]) == ""


def test_what_is_read_must_not_matter(team):
    lines = determinism_worlds.program(3, large=0)
    lines.insert(-5, "see(w.add_body(p2.Circle(1)).index)")
    assert "/blind" in team.differ(lines, blind=2)


def test_large_worlds_are_shared_out_by_bins_and_within_one():
    bins, islands = [], []
    for seed in range(4):
        space: dict[str, object] = {"WORKERS": 3, "b": {}, "j": {}, "f": {}}
        exec(determinism.PREAMBLE, space)
        for line in determinism_worlds.program(seed, large=1):
            exec(line, space)
        world = space["w"]
        assert isinstance(world, p2.World)
        bins.append(world.counters["bins"])
        rows = world.contacts
        of = np.maximum(world.islands[rows["body_a"]], world.islands[rows["body_b"]])
        islands.append(np.bincount(of[of >= 0]).max())
    assert max(bins) > 2
    assert max(islands) > 4096  # contacts, so that the team shares the bin, see test_workers.py


# What the fuzzer has found, each as lines alone and lines of neighbours.
T = "p2.Polygon([(-0.4983, -0.2199), (0.4983, -0.2199), (0, 0.4983)])"
SPOON = "[p2.Circle(0.384), p2.Box(0.4178, 0.05631, center=(0.384, 0))]"
BESIDE = {
    "a group of movers that is no row": (
        [
            "w = p2.World(gravity=(-1.726, -10), substeps=1, workers=WORKERS)",
            f"b[1] = w.add_body({T}, (-40, 3.86), velocity=(-9500.3, 1983.3))",
            "b[2] = w.add_body(p2.Circle(0.2), (-49, 3.86), kind='kinematic', mask=0, "
            "angular_velocity=-2.3679)",
            f"b[3] = w.add_body({T}, (-36, 7.9), velocity=(6255.8, -4715.6), density=0.01679)",
        ],
        [f"b[1001] = w.add_body({T}, (9966, 7.9), velocity=(-7647.5, -4241.6), restitution=1)"],
        ["w.step(1 / 60)"] * 3,
    ),
    "a fast kinematic body elsewhere": (
        [
            "w = p2.World(gravity=(0, -10), substeps=1, workers=WORKERS)",
            "b[1] = w.add_body(p2.Segment((-30, 0), (30, 1)), (0, 0), kind='kinematic')",
            "b[2] = w.add_body(p2.Box(0.5, 0.3), (-4.8, 4.2), angular_velocity=-50263)",
        ],
        [
            "b[1001] = w.add_body(p2.Box(6, 0.5), (15009, 4.9), kind='kinematic', "
            "velocity=(1.26, -0.31), angular_velocity=-1.93)"
        ],
        ["w.step(0.1)"] * 10,
    ),
    "a spring elsewhere": (
        [
            "w = p2.World(gravity=(0, -10), substeps=1, workers=WORKERS)",
            "b[1] = w.add_body(p2.Box(0.257, 0.2754), (0, 7), density=0.015, mask=0)",
            "b[2] = w.add_body(p2.Box(0.3443, 0.2034), (5, 7), angular_velocity=0.176, mask=0)",
            "w.add_wheel_joint(b[1], b[2], spring_hertz=4.724, spring_damping_ratio=0.03, "
            "anchor=(2.6375, 7.5533), axis=(0.89023, -0.81246))",
        ],
        [
            "b[1001] = w.add_body(p2.Box(1, 1), (4988, 4), mask=0)",
            "w.add_distance_joint(None, b[1001], anchor_a=(4988, 7), spring_hertz=0.3)",
        ],
        ["w.step(1 / 60)"] * 8,
    ),
    "heavy on light elsewhere, while nothing touches here": (
        [
            "w = p2.World(gravity=(0, -10), sleeping=False, substeps=1, contact_hertz=120, "
            "workers=WORKERS)",
            f"b[1] = w.add_body({SPOON}, (-48, 6.2392), velocity=(6.514, -9.3577))",
            "b[2] = w.add_body(p2.RegularPolygon(11, 1.032), (-47, 6.2392), "
            "velocity=(11.099, 17.334), angular_velocity=-4.0555, friction=5)",
            f"b[3] = w.add_body({SPOON}, (-46, 6.2392), density=0.1492, friction=1, group=-1)",
            "b[4] = w.add_body(p2.Circle(0.5439), (-46, 3.6643), density=0.1254, restitution=0.5,"
            " fixed_rotation=True)",
        ],
        [
            "b[1001] = w.add_body(p2.Box(9, 1), (5000, 0), kind='static')",
            "b[1002] = w.add_body(p2.Box(1, 1), (5000, 1))",
            "b[1003] = w.add_body(p2.Box(1, 1), (5000, 2), density=1000)",
        ],
        ["w.step(0.1)"] * 3,
    ),
}


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("name", BESIDE)
def test_what_differed_beside_others_does_no_more(team, name):
    own, others, steps = BESIDE[name]
    assert team.differ_beside(own + steps, own + others + steps) == ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [200320, 201394, 202151])
def test_what_nothing_could_hold_stays_in_numbers(seed):
    """Hinges many lengths from the bodies that they hold: errors taken back grew without end."""
    space: dict[str, object] = {"WORKERS": 1, "b": {}, "j": {}, "f": {}}
    exec(determinism.PREAMBLE, space)
    world = None
    for line in determinism_worlds.neighbours(seed)[1]:
        with contextlib.suppress(KeyError, AttributeError, ValueError):  # of what is refused
            exec(line, space)
        world = space.get("w")
        if isinstance(world, p2.World):
            assert np.abs(world.positions).max(initial=0) < 1e15
            assert np.isfinite(world.angles).all()
    assert isinstance(world, p2.World)
    assert world.step_count >= 10
