"""The chart of a hierarchy of boxes: the same answers, in the same order, as without it."""

import numpy as np
import pytest
from failing import fail_every_allocation

import pyphys2d as p2

testing = pytest.importorskip("pyphys2d._testing")


def boxes_at(centers, halves):
    return np.stack([centers - halves, centers + halves], axis=1)


def ring(rng, n):
    """Like a bowl of segments, or a wall of tiles round about."""
    at = rng.uniform(0, 2 * np.pi, n)
    centers = 40 * np.column_stack([np.cos(at), np.sin(at)])
    return boxes_at(centers, rng.uniform(0, 0.5, (n, 2)))


def scattered(rng, n):
    return boxes_at(rng.uniform(-50, 50, (n, 2)), rng.uniform(0, 1, (n, 2)))


def uneven(rng, n):
    """A crowd, and some of all sizes far away: most of it is empty."""
    centers = rng.normal(0, 1, (n, 2))
    centers[: n // 10] *= 10 ** rng.uniform(0, 3, (n // 10, 1))
    return boxes_at(centers, 10 ** rng.uniform(-3, 0, (n, 2)))


def flat(rng, n):
    centers = np.column_stack([np.cumsum(rng.uniform(0, 9, n)), np.zeros(n)])
    return boxes_at(centers, np.column_stack([rng.uniform(0, 1, n), np.zeros(n)]))


def covered(rng, n):
    """One that holds all the others, which leaves nothing clear."""
    boxes = scattered(rng, n)
    boxes[0] = [[-60, -60], [60, 60]]
    return boxes


def points(rng, n):
    return np.zeros((n, 2, 2)) + 3.0


def endless(rng, n):
    boxes = scattered(rng, n)
    boxes[0] = [[-np.inf, -3], [np.inf, -2]]
    return boxes


def asked_of(rng, boxes, n):
    """Around the boxes and far from them, small, large and touching; some without numbers."""
    finite = boxes[np.isfinite(boxes).all(axis=(1, 2))] if len(boxes) > 1 else np.zeros((1, 2, 2))
    low, high = finite.min(axis=(0, 1)), finite.max(axis=(0, 1))
    size = (high - low).max() + 1
    centers = rng.uniform(low - 0.2 * size, high + 0.2 * size, (n, 2))
    asked = boxes_at(centers, size * 10 ** rng.uniform(-4, -0.5, (n, 1)))
    near = rng.integers(len(finite), size=n // 4)
    asked[: n // 4, 0] = finite[near, 1]  # corner at corner: closed boxes overlap there
    asked[: n // 4, 1] = finite[near, 1] + size * rng.uniform(0, 0.05, (n // 4, 2))
    asked[-1] = [[-np.inf, -np.inf], [np.inf, np.inf]]
    asked[-2] = [[-1e300, 0], [1e300, 0]]
    asked[-3] = np.nan
    return asked


def overlaps(boxes, asked):
    low = (boxes[None, :, 0] <= asked[:, None, 1]).all(axis=2)
    return low & (asked[:, None, 0] <= boxes[None, :, 1]).all(axis=2)


@pytest.mark.fast_cases(35)
@pytest.mark.parametrize("place", [0.0, 1e7, 1e15])
@pytest.mark.parametrize("make", [ring, scattered, uneven, flat, covered, points, endless])
@pytest.mark.parametrize("n", [1, 31, 32, 360, 2000])
def test_the_same_items_in_the_same_order(make, n, place):
    rng = np.random.default_rng(n)
    boxes = make(rng, n) + place
    if place == 1e15:
        boxes = np.sort(boxes, axis=1)
    asked = asked_of(rng, boxes, 300)
    _, _, counts, ids = testing.chart(boxes, asked)
    order = {int(k): rank for rank, k in enumerate(ids[-sum(counts[-1:, 0]) :])}
    assert len(order) == n  # all of them: the last question
    expected = overlaps(boxes, asked)
    start = 0
    for row, found in enumerate(counts[:, 0]):
        part = ids[start : start + found]
        start += found
        assert sorted(part) == list(np.flatnonzero(expected[row]))
        assert part == sorted(part, key=order.__getitem__)


@pytest.mark.parametrize("make", [ring, scattered, uneven])
def test_most_is_answered_at_once(make):
    """What is two cells away from all boxes and no larger than one has nothing to walk through."""
    rng = np.random.default_rng(5)
    boxes = make(rng, 360)
    columns, rows, _, _ = testing.chart(boxes, boxes[:1])
    assert 360 * 8 < columns * rows <= 3 * 32 * 360
    low, high = boxes.min(axis=(0, 1)), boxes.max(axis=(0, 1))
    cell = ((high - low) / (columns, rows)).max() * 1.01
    centers = rng.uniform(low, high, (2000, 2))
    asked = boxes_at(centers, np.full((2000, 1), 0.5 * cell))
    clear = ~overlaps(boxes, boxes_at(centers, np.full((2000, 1), 3.5 * cell))).any(axis=1)
    assert clear.sum() > 300
    _, _, counts, _ = testing.chart(boxes, asked)
    assert not counts[clear, 1].any()
    if make is ring:  # and the others are led to a part of its 700 nodes or so
        assert counts[~clear, 1].mean() < 150


@pytest.mark.parametrize("make", [covered, points, endless])
def test_none_where_it_says_nothing(make):
    boxes = make(np.random.default_rng(1), 500)
    assert testing.chart(boxes, boxes[:1])[:2] == (0, 0)
    few = ring(np.random.default_rng(1), 31)
    assert testing.chart(few, few[:1])[:2] == (0, 0)


def bowl(broadphase="grid", wrap=None):
    """Things that whirl in a ring of 90 segments, fast enough to be stopped by it."""
    rng = np.random.default_rng(4)
    world = p2.World(broadphase=broadphase, **({} if wrap is None else {"wrap": wrap}))
    at = np.arange(90) * (2 * np.pi / 90)
    rim = 8 * np.column_stack([np.cos(at), np.sin(at)])
    if wrap is None:
        world.add_body(p2.Chain(rim, loop=True), (0, 0), kind="static")
    for k in range(90 if wrap else 0):
        middle = (rim[k - 1] + rim[k]) / 2
        world.add_body(p2.Segment(rim[k - 1] - middle, rim[k] - middle), middle, kind="static")
    for k in range(60):
        shape = [p2.Circle(0.3), p2.Box(0.5, 0.4), p2.Capsule((-0.2, 0), (0.2, 0), 0.2)][k % 3]
        world.add_body(shape, rng.uniform(-4.5, 4.5, 2))
    return world


def whirl(world, rng):
    world.velocities[-60:] = rng.normal(0, 100, (60, 2))
    world.angular_velocities[-60:] = rng.normal(0, 20, 60)


@pytest.mark.parametrize("wrap", [None, (17.0, 15.0)])
def test_worlds_of_a_bowl(wrap):
    """Pairs as by the other broad phases, and nobody leaves, over seams or not."""
    worlds = [bowl(kind, wrap) for kind in ("grid", "tree", "all_pairs")]
    rng = np.random.default_rng(0)
    stopped = 0
    for step in range(60):
        seed = rng.integers(1 << 30)
        for world in worlds:
            if step % 5 == 0:
                whirl(world, np.random.default_rng(seed))
            world.step(1 / 60)
        stopped += worlds[0].counters["stopped"]
        assert len({world.hash() for world in worlds}) == 1
    assert stopped > 100
    if wrap is None:
        assert np.hypot(*worlds[0].positions.T).max() < 8


def test_without_memory_a_step_does_nothing():
    world = bowl()
    whirl(world, np.random.default_rng(0))
    assert fail_every_allocation(world, world.step) > 4
    other = bowl()
    whirl(other, np.random.default_rng(0))
    other.step()
    assert world.hash() == other.hash()
