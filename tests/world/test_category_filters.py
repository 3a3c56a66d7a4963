"""Questions with a category and a group of their own, and masks of a table of kinds."""

import itertools

import numpy as np
import pytest

import pyphys2d as p2

FILTERS = [
    {"category": c, "mask": m, "group": g}
    for c, m, g in itertools.product((1, 2, 3), (0, 1, 2, 2**64 - 1), (0, -5, 5))
]


def collides(a, b):
    """The rule of docs/contacts.md, in its words."""
    if a["group"] == b["group"] != 0:
        return a["group"] > 0
    return bool(a["category"] & b["mask"]) and bool(b["category"] & a["mask"])


@pytest.fixture
def row():
    """A disc 3 m from the next one for each filter."""
    world = p2.World(gravity=(0, 0))
    for k, words in enumerate(FILTERS):
        world.add_body(p2.Circle(1), (3 * k, 0), **words)
    return world


@pytest.mark.parametrize("who", FILTERS[::5])
def test_every_question_finds_what_a_collider_would_meet(row, who):
    expected = [k for k, words in enumerate(FILTERS) if collides(words, who)]
    n = len(FILTERS)
    places = np.stack([3.0 * np.arange(n), np.zeros(n)], 1)
    poses = np.column_stack([places, np.zeros(n)])
    down = np.tile((0.0, -4), (n, 1))

    def bodies(colliders):
        return sorted(c.body.index for c in colliders)

    assert bodies(row.query_aabb((-9, -9), (999, 9), **who)) == expected
    assert bodies(row.overlap(p2.Box(999, 1), **who)) == expected
    assert [k for k in range(n) if row.at(places[k], **who)] == expected
    assert bodies(row.nearest((0, 0), k=n, **who)) == expected
    assert [h.body.index for h in row.cast_ray_all((-5, 0), (999, 0), **who)] == expected
    first = row.cast_ray((-5, 0), (999, 0), **who)
    assert (first.body.index if first else None) == next(iter(expected), None)
    hits = row.cast_rays(np.add(places, (0, 2)), down, **who)["body"]
    assert np.flatnonzero(hits >= 0).tolist() == expected
    hits = row.cast_shapes(p2.Circle(0.1), np.add(poses, (0, 2, 0)), down, **who)["body"]
    assert np.flatnonzero(hits >= 0).tolist() == expected
    assert sorted(set(row.overlaps(p2.Circle(0.1), poses, **who)["body"].tolist())) == expected


def test_category_and_group_go_with_the_other_filters(row):
    everything = {"category": 3}
    found = row.query_aabb((-9, -9), (999, 9), **everything)
    less = row.query_aabb((-9, -9), (999, 9), **everything, ignore=[c.body for c in found[:2]])
    assert less == found[2:]
    where = np.zeros(len(row.colliders), bool)
    where[found[0].index] = where[0] = True  # collider 0 has the mask 0
    assert row.query_aabb((-9, -9), (999, 9), **everything, where=where) == found[:1]
    asked = []
    row.query_aabb((-9, -9), (999, 9), **everything, where=lambda k: asked.append(k) or k % 2 == 0)
    assert len(asked) == 1
    assert row.query_aabb((-9, -9), (999, 9), **everything, where=lambda k: k % 2 == 0) == [
        c for c in found if c.index % 2 == 0
    ]
    # Nothing told: as ever, whatever the masks of the others.
    assert len(row.query_aabb((-9, -9), (999, 9))) == len(FILTERS)


def test_bad_categories_and_groups_are_named(row):
    with pytest.raises((ValueError, TypeError), match=r"^category: "):
        row.at((0, 0), category=1.5)
    with pytest.raises((ValueError, TypeError), match=r"^group: "):
        row.at((0, 0), group=2**40)


def test_masks_of_a_table_collide_as_it_says():
    rng = np.random.default_rng(5)
    half = rng.random((7, 7)) < 0.5
    table = half | half.T
    masks = p2.category_masks(table)
    world = p2.World(gravity=(0, 0))
    for i, j in itertools.product(range(7), repeat=2):
        place = (10 * i, 10 * j)
        for kind, shift in ((i, 0), (j, 0.5)):
            world.add_body(
                p2.Circle(1), np.add(place, (shift, 0)), category=1 << kind, mask=masks[kind]
            )
    world.step()
    met = np.zeros((7, 7), bool)
    pairs = np.unique(world.contacts["body_a"] // 2)
    met.flat[pairs] = True
    np.testing.assert_array_equal(met, table)


def test_tables_that_are_none_are_refused():
    with pytest.raises(ValueError, match=r"symmetric.*\[0, 1\] = True and \[1, 0\] = False"):
        p2.category_masks([[1, 1], [0, 1]])
    with pytest.raises(ValueError, match=r"shape \(k, k\), got \(2, 3\)"):
        p2.category_masks(np.ones((2, 3), bool))
    with pytest.raises(ValueError, match="at most 64"):
        p2.category_masks(np.ones((65, 65), bool))
    with pytest.raises(TypeError, match="booleans"):
        p2.category_masks([[2, 0], [0, 2]])
    with pytest.raises(TypeError, match="booleans"):
        p2.category_masks([["a"]])
    assert p2.category_masks(np.ones((64, 64))).tolist() == [2**64 - 1] * 64
