"""When continuous collision stops a piece: its short cuts say no only where the search does."""

import math

import numpy as np
import pytest
from reference import convex

testing = pytest.importorskip("pyphys2d._testing")

STEPS = 1500


def piece(rng, size):
    """A ring and a radius: circle, capsule, segment, polygon, rounded or not, or a chain."""
    kind = rng.integers(6)
    if kind < 3:
        p, q = rng.uniform(-size, size, (2, 2))
        radius = size * rng.uniform(0.05, 1) if kind < 2 else 0.0
        return (np.array([p]) if kind == 0 else np.array([p, q])), radius
    if kind < 5:
        ring = size * convex(rng, int(rng.integers(3, 20)))
        return ring, (0.0 if kind == 3 else size * rng.uniform(0, 0.5))
    steps = size * np.column_stack([rng.uniform(0.5, 2, 4), rng.uniform(-1, 1, 4)])
    return np.cumsum(steps, axis=0) - size * np.array([3, 0]), -1.0


def motion(rng, ring, way, place, turns):
    """Past the middle between two pieces, or nearly; about a point at or near the piece."""
    pivot = ring.mean(axis=0) + rng.uniform(-1, 1, 2) * rng.choice([0, 0.3])
    angle = rng.uniform(-4, 4) * rng.choice([0, 1])
    heading = rng.uniform(0, 2 * math.pi)
    step = way * np.array([math.cos(heading), math.sin(heading)])
    middle = place + rng.uniform(-1.5, 1.5, 2)
    turn = rng.choice([0, 1e-3, 0.1, 2]) * rng.uniform(-1, 1) * turns
    return [*pivot, *(middle - step / 2), angle, *(middle + step / 2), angle + turn]


@pytest.mark.parametrize("place", [0.0, 1e7, 3e9])
def test_short_cuts_say_no_where_the_search_does(place):
    rng = np.random.default_rng(11)
    met = 0
    for _ in range(STEPS):
        a, radius_a = piece(rng, rng.choice([0.2, 1.0]))
        b, radius_b = piece(rng, 1.0)
        way = rng.choice([0.0, 1e-3, 0.3, 3.0, 1e4])
        path_a = motion(rng, a, way, place, 1)
        rests = rng.integers(4) > 0
        path_b = motion(rng, b, 0.0 if rests else 0.3, place, not rests)
        limit = rng.choice([math.inf, 1.0, rng.uniform(), 0.0])
        quick, full = testing.paths_meet(a, radius_a, path_a, b, radius_b, path_b, limit)
        assert quick == full
        met += full < math.inf
    assert 0.02 * STEPS < met < 0.5 * STEPS


def test_what_is_found_does_not_depend_on_the_limit():
    """Whoever looks for the first of several meetings asks each up to the first one known."""
    rng = np.random.default_rng(12)
    met = 0
    for _ in range(STEPS // 2):
        a, radius_a = piece(rng, rng.choice([0.2, 1.0]))
        b, radius_b = piece(rng, 1.0)
        path_a = motion(rng, a, rng.choice([0.3, 3.0]), 0.0, 1)
        path_b = motion(rng, b, 0.3, 0.0, 1)
        free, _ = testing.paths_meet(a, radius_a, path_a, b, radius_b, path_b, math.inf)
        limit = min(free, 1) * rng.uniform(0.5, 1.5)
        found, full = testing.paths_meet(a, radius_a, path_a, b, radius_b, path_b, limit)
        assert found == full == (free if free <= limit else math.inf)
        met += free <= limit
    assert met > 0.02 * STEPS


def stop_of(path_a, path_b, limit=math.inf, half=0.5):
    """A disc of 0.1 m and a segment of 1 m or so, its middle at the origin."""
    ends = [(-half, 0), (half, 0)]
    return testing.paths_meet([(0, 0)], 0.1, path_a, ends, 0.0, path_b, limit)


REST = [0.0] * 8


@pytest.mark.parametrize("off", [-1e-3, -2e-5, -1e-7, 1e-7, 2e-5, 1e-3])
def test_on_the_brink(off):
    """Discs whose core (7.5 cm) only just comes to a segment, or passes its end, or does not."""
    core, arrival = 0.075, 1e-5
    height = core + arrival + off
    down = [0, 0, 0, height + 1.0, 0, 0, height, 0]
    quick, full = stop_of(down, REST)
    assert quick == full
    assert (full < math.inf) == (off < 0)
    past = [0, 0, 0.5 + height, 1.0, 0, 0.5 + height, -1.0, 0]
    quick, full = stop_of(past, REST)
    assert quick == full
    assert (full < math.inf) == (off < 0)


def test_around_the_end_of_a_segment():
    """Over it at first, past its end when it is no longer: no line keeps both apart all along."""
    for steep in np.linspace(-0.4, 0.1, 21):
        path = [0, 0, 0.1, 0.3, 0, 0.9, steep, 0]
        quick, full = stop_of(path, REST)
        assert quick == full
    assert full == math.inf
