"""Grid, tree and all pairs on boxes alone, against brute force in NumPy."""

import functools

import numpy as np
import pytest

testing = pytest.importorskip(
    "pyphys2d._testing",
    reason="LOUD: internals are NOT tested, build with PYPHYS2D_TESTING=1",
)


def boxes_of(rng, count, spread, sizes):
    lower = rng.uniform(-spread, spread, (count, 2))
    size = 10 ** rng.uniform(*sizes, (count, 1)) * rng.uniform(0.2, 1, (count, 2))
    return np.stack([lower, lower + size], axis=1)


def brute(boxes, static):
    low, high = boxes[:, 0], boxes[:, 1]
    meet = (low[:, None] <= high[None]).all(axis=2) & (low[None] <= high[:, None]).all(axis=2)
    a, b = np.nonzero(np.triu(meet, 1))
    # the owner is dynamic, and the lower one if both are
    pairs = np.where(static[a], [b, a], [a, b]).T[~(static[a] & static[b])]
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


@functools.cache
def boxes_that_move(origin, spread, sizes):
    """Which are static, where all begin, where shares of the dynamic ones go."""
    rng = np.random.default_rng(3)
    static = rng.random(300) < 0.3
    boxes = boxes_of(rng, 300, spread, sizes) + origin
    ways = []
    for share in (1.0, 0.2, 0.01):
        moved = boxes.copy()
        strays = np.nonzero(~static & (rng.random(300) < share))[0]
        moved[strays] += rng.normal(0, spread / 20, (len(strays), 1, 2))
        ways.append((moved, brute(moved, static)))
    return static, boxes, brute(boxes, static), ways


@pytest.mark.parametrize("kind", ["grid", "grid_lanes", "tree", "all_pairs"])
@pytest.mark.parametrize("origin", [0.0, 1e7])
@pytest.mark.parametrize(
    ("spread", "sizes"),
    [(20, (0, 0.3)), (15, (-0.3, 0)), (500, (-2, 2.5)), (0.01, (-3, 3)), (1e5, (-1, 4))],
)
def test_every_pair_and_no_other(kind, origin, spread, sizes):
    static, boxes, expected, ways = boxes_that_move(origin, spread, sizes)
    np.testing.assert_array_equal(testing.broad_pairs(kind, boxes, static), expected)
    for moved, expected in ways:
        pairs = testing.broad_pairs(kind, boxes, static, moved)
        np.testing.assert_array_equal(pairs, expected)


@pytest.mark.parametrize("kind", ["grid", "grid_lanes", "tree", "all_pairs"])
def test_equal_boxes_and_points(kind):
    boxes = np.zeros((60, 2, 2))
    assert len(testing.broad_pairs(kind, boxes, np.zeros(60, bool))) == 60 * 59 // 2


@pytest.mark.parametrize("at_once", [False, True])
def test_a_tree_stays_sound_under_random_operations(at_once):
    rng = np.random.default_rng(0)
    operations = [(0, i) for i in range(200)]
    alive = set(range(200))
    for _ in range(1300):
        key = int(rng.choice(sorted(alive))) if alive else 0
        operations.append((int(rng.integers(1, 3)), key))
        if operations[-1][0] == 2:
            alive.discard(key)
            if len(alive) < 50:
                dead = sorted(set(range(200)) - alive)
                operations += [(0, k) for k in dead[:50]]
                alive |= set(dead[:50])
    if at_once:  # built anew now and then
        places = range(100, len(operations), 150)
        operations = [*np.insert(np.array(operations), places, (3, 0), axis=0)]
    boxes = boxes_of(rng, len(operations), 50, (-1, 1))
    result = testing.tree_run(operations, boxes, 0.1)
    assert result["leaves"] == len(alive)
