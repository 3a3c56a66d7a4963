"""The figures of lesson 06 show true pairs, true trees and true counts."""

from itertools import pairwise

import numpy as np
import pytest
import shapely

import pyphys2d as p2

LESSON = "06_broad_phase"


def boxes(ax):
    """The sets of rectangles drawn in a panel, each as lower and upper corners (n, 2)."""
    from matplotlib.collections import PolyCollection

    found = []
    for artist in ax.collections:
        if isinstance(artist, PolyCollection):
            corners = [path.vertices[:4] for path in artist.get_paths()]
            corners = np.array(corners).reshape(-1, 4, 2)
            found.append((corners.min(axis=1), corners.max(axis=1)))
    return found


def inside(inner, outer):
    """Which of the boxes `inner` lie in which of `outer`: (n, m)."""
    low = inner[0][:, None] >= outer[0][None] - 1e-9
    return (low & (inner[1][:, None] <= outer[1][None] + 1e-9)).all(axis=2)


def core(body):
    """A body's shape in Shapely without its radius, and the radius."""
    shape = body.colliders[0].shape
    if isinstance(shape, p2.Circle):
        return shapely.Point(body.to_world(shape.center)), shape.radius
    if isinstance(shape, p2.Capsule):
        return shapely.LineString(body.to_world([shape.p, shape.q])), shape.radius
    return shapely.Polygon(body.to_world(shape.vertices)), 0.0


def test_lines_join_the_pairs_that_touch_and_those_whose_boxes_do(lesson):
    world = lesson.crowd(6)
    cores = [core(body) for body in world.bodies]
    box, touch = set(), set()
    for i in range(36):
        for j in range(i + 1, 36):
            (a, r), (b, s) = cores[i], cores[j]
            if shapely.box(*world.aabbs[i].ravel()).intersects(
                shapely.box(*world.aabbs[j].ravel())
            ):
                box.add((i, j))
            if a.distance(b) <= r + s:
                touch.add((i, j))
    drawn = {}
    for lines in lesson.axes("06-1")[0].collections:
        if lines.get_label() in ("shapes touch", "only their boxes overlap"):
            ends = np.array(lines.get_segments())
            who = np.linalg.norm(ends[:, :, None] - world.positions, axis=-1).argmin(axis=-1)
            drawn[lines.get_label()] = {tuple(sorted(pair)) for pair in who.tolist()}
    assert drawn["shapes touch"] == touch
    assert drawn["only their boxes overlap"] == box - touch
    assert touch < box


def test_the_levels_hold_all_leaves_and_each_lies_in_the_one_above(lesson):
    leaves, above, inner = [], None, 0
    for ax in lesson.axes("06-2"):
        everything, level, leaf = boxes(ax)
        assert inside(leaf, level).any(axis=1).all()
        if above is None:
            np.testing.assert_allclose(level[0][0], everything[0].min(axis=0))
            np.testing.assert_allclose(level[1][0], everything[1].max(axis=0))
        else:
            assert len(level[0]) == 2 * inner
            assert inside(level, above).any(axis=1).all()
        leaves.append(np.column_stack(leaf))
        above, inner = level, len(level[0]) - len(leaf[0])
    leaves = np.concatenate(leaves)
    aabbs = lesson.crowd(6).aabbs.reshape(-1, 4)
    order = [np.lexsort(rows.T) for rows in (leaves, aabbs)]
    np.testing.assert_allclose(leaves[order[0]], aabbs[order[1]])


def test_a_query_looks_at_the_children_of_the_nodes_it_enters(lesson):
    """Nodes visited: the root, and two for each inner node that overlaps what is asked."""
    for n, visited in lesson.line("06-3", "nodes visited", 1):
        tree, side, *_ = lesson.random_tree(int(n))
        inner = tree.nodes[tree.nodes["height"] > 0]
        asked = np.random.default_rng(1).uniform(0, side, (50, 2))[:, None]
        entered = ((inner["lower"] <= asked + 1) & (asked <= inner["upper"])).all(axis=2)
        assert visited == pytest.approx(1 + 2 * entered.sum(axis=1).mean())


def test_the_boxes_found_are_those_that_overlap(lesson):
    ground, _, found, (low, high) = boxes(lesson.axes("06-3")[0])
    overlap = ((ground[0] <= high) & (low <= ground[1])).all(axis=1)
    assert len(ground[0]) == 200
    assert {tuple(row) for row in found[0]} == {tuple(row) for row in ground[0][overlap]}


def test_fat_boxes_are_renewed_when_they_must(lesson):
    path, fat = boxes(lesson.axes("06-4")[0])
    assert inside(path, fat).any(axis=1).all()
    # Each was made around one place of the path, and is left only where the next is made.
    start = np.abs(path[0][:, None] - 0.3 - fat[0]).max(axis=2).argmin(axis=0)
    np.testing.assert_allclose(fat[0], path[0][start] - 0.3, atol=1e-12)
    np.testing.assert_allclose(fat[1], path[1][start] + 0.3, atol=1e-12)
    contained = inside(path, fat)
    for k, begin in enumerate(start[1:], 1):
        assert not contained[begin, k - 1]
        assert contained[begin - 1, k - 1]


def test_changes_fall_with_the_margin(lesson):
    margins, changes = lesson.line("06-4", "AABBTree", 1).T
    fastest = np.abs(lesson.velocities).max(axis=1) / 60
    for margin, change in zip(margins, changes, strict=True):
        period = np.floor(margin / fastest) + 1
        assert change == pytest.approx((240 // period).mean() / 240, abs=1 / 240)


def test_the_tree_holds_the_bodies_wherever_they_go(lesson):
    panels = np.array(lesson.axes("06-5")).reshape(3, 3)
    seen = []
    for row in panels:
        points = [np.concatenate([line.get_xydata() for line in ax.lines]) for ax in row]
        for other in points[1:]:
            np.testing.assert_array_equal(other, points[0])
        levels = [boxes(ax)[0] for ax in row]
        assert len(levels[0][0]) == 2
        places = (points[0], points[0])
        assert inside(places, levels[0]).any(axis=1).all()
        for upper, lower in pairwise(levels):
            assert inside(lower, upper).any(axis=1).all()
        seen.append(points[0])
    assert len(seen[0]) == 121
    # The force keeps the centre of mass, and so nearly the mean, where it is; the swirl turns.
    for later in seen[1:]:
        np.testing.assert_allclose(later.mean(axis=0), seen[0].mean(axis=0), atol=0.05)
        assert np.abs(later - seen[0]).mean() > 1


def test_no_overlap_is_missed_around_the_marked_box(lesson):
    _, far, near, (low, high) = boxes(lesson.axes("06-6")[0])
    assert len(far[0]) + len(near[0]) == 200
    assert not ((far[0] <= high) & (low <= far[1])).all(axis=1).any()
    assert ((near[0] <= high) & (low <= near[1])).all(axis=1).any()  # itself at least


def test_the_work_is_counted_right(lesson):
    n, work = lesson.axes("06-7")[0].lines[0].get_xydata().T
    np.testing.assert_array_equal(work, n * (n - 1) / 2)
    for n, work in lesson.axes("06-7")[0].lines[2].get_xydata()[:4]:
        _, _, low, high, _ = lesson.random_tree(int(n))
        cell = np.floor((low + high) / 2 / (high - low).max())
        near = np.abs(cell[:, None] - cell).max(axis=2) <= 1
        assert work == (near.sum() - n) / 2
    for line in lesson.axes("06-7")[1].lines:
        times = line.get_ydata()
        assert np.isfinite(times).all()
        assert (times > 0).all()
