"""The public AABBTree against brute force over a list."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import pyphys2d as p2


def brute_query(boxes, lower, upper):
    return sorted(i for i, (lo, hi) in boxes.items() if (lo <= upper).all() and (hi >= lower).all())


def test_the_cost_of_a_tree_stays_logarithmic():
    tree = p2.AABBTree(margin=0)
    for i in range(2000):  # sorted input: the worst for a tree without balance
        tree.insert((i, 0), (i + 0.5, 1))
    tree.validate()
    assert 11 <= tree.height <= 26
    assert len(tree.nodes) == 3999
    assert list(tree.query((700.6, 0), (702.2, 1))) == [*sorted(tree.query((700.6, 0), (702.2, 1)))]
    assert len(tree.query((700.6, 0), (702.2, 1))) == 2


def test_move_reports_re_insertion():
    tree = p2.AABBTree(margin=0.1)
    box = tree.insert((0, 0), (1, 1), data="a")
    assert tree.move(box, (0.05, 0), (1.05, 1)) is False
    assert tree.move(box, (5, 0), (6, 1)) is True
    assert list(tree.query((5.5, 0.5), (5.6, 0.6))) == [box]
    assert list(tree.query((0, 0), (1, 1))) == []


def test_stale_ids_are_key_errors():
    tree = p2.AABBTree()
    box = tree.insert((0, 0), (1, 1))
    tree.remove(box)
    for bad in (box, 99, -1, 2**40):
        with pytest.raises(KeyError):
            tree.remove(bad)
        with pytest.raises(KeyError):
            tree.move(bad, (0, 0), (1, 1))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_boxes_are_refused(bad):
    tree = p2.AABBTree()
    with pytest.raises(ValueError):
        tree.insert((0, bad), (1, 1))
    with pytest.raises(ValueError):
        tree.insert((2, 0), (1, 1))  # lower above upper
    with pytest.raises(ValueError):
        p2.AABBTree(margin=-1)
    with pytest.raises(ValueError):
        p2.AABBTree(margin=bad)
    tree.validate()


def test_pairs_and_rays_against_brute_force():
    rng = np.random.default_rng(0)
    tree, boxes = p2.AABBTree(margin=0), {}
    for _ in range(300):
        lower = rng.uniform(-20, 20, 2)
        upper = lower + rng.uniform(0, 3, 2)
        boxes[tree.insert(lower, upper)] = (lower, upper)
    expected = {
        tuple(sorted((i, j)))
        for i in boxes
        for j in boxes
        if i < j and (boxes[i][0] <= boxes[j][1]).all() and (boxes[j][0] <= boxes[i][1]).all()
    }
    assert {tuple(sorted(map(int, pair))) for pair in tree.pairs()} == expected
    assert len(tree.pairs()) == len(expected)
    for _ in range(200):
        origin, translation = rng.uniform(-25, 25, 2), rng.uniform(-40, 40, 2)
        hit = set()
        for i, (lower, upper) in boxes.items():
            times = np.array([lower - origin, upper - origin]) / translation
            if max(times.min(axis=0).max(), 0) <= min(times.max(axis=0).min(), 1):
                hit.add(i)
        assert set(map(int, tree.cast_ray(origin, translation))) == hit


boxes_strategy = st.tuples(*[st.integers(-40, 40)] * 2, *[st.integers(0, 12)] * 2)


class TreeMachine(RuleBasedStateMachine):
    """Any sequence of insertions, moves and removals keeps the invariants and the answers of a
    plain list.
    """

    @initialize(margin=st.sampled_from([0, 0.5, 2]))
    def make(self, margin):
        self.tree = p2.AABBTree(margin=margin)
        self.margin = margin
        self.boxes = {}

    @rule(box=boxes_strategy)
    def insert(self, box):
        lower, upper = np.array(box[:2], float), np.array(box[:2], float) + box[2:]
        new = self.tree.insert(lower, upper)
        assert new not in self.boxes
        self.boxes[new] = (lower, upper)

    @precondition(lambda self: self.boxes)
    @rule(pick=st.integers(0, 10**6))
    def remove(self, pick):
        victim = sorted(self.boxes)[pick % len(self.boxes)]
        self.tree.remove(victim)
        del self.boxes[victim]

    @precondition(lambda self: self.boxes)
    @rule(pick=st.integers(0, 10**6), box=boxes_strategy)
    def move(self, pick, box):
        which = sorted(self.boxes)[pick % len(self.boxes)]
        lower, upper = np.array(box[:2], float), np.array(box[:2], float) + box[2:]
        self.tree.move(which, lower, upper)
        self.boxes[which] = (lower, upper)

    @rule(box=boxes_strategy)
    def query(self, box):
        lower, upper = np.array(box[:2], float), np.array(box[:2], float) + box[2:]
        found = set(map(int, self.tree.query(lower, upper)))
        assert found >= set(brute_query(self.boxes, lower, upper))
        if self.margin == 0:
            assert found == set(brute_query(self.boxes, lower, upper))

    @invariant()
    def sound(self):
        if hasattr(self, "tree"):
            self.tree.validate()


TestTree = TreeMachine.TestCase
TestTree.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
