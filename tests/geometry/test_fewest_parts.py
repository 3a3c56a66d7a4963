"""Polygons are split into as few convex parts as can be, or nearly so."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from random_polygons import any_ring, arms, lattice

import pyphys2d as p2
from pyphys2d import geometry as g


def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def inside(ring, point):
    """Whether a point on no edge is inside, by a ray to the right; exact."""
    x, y = point
    found = False
    for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True):
        if (ay > y) != (by > y) and x < ax + (y - ay) * Fraction(bx - ax, by - ay):
            found = not found
    return found


def sees(ring, i, j):
    """Whether the open line between two vertices lies inside; whole numbers."""
    p, q = ring[i], ring[j]
    for k, v in enumerate(ring):
        w = ring[(k + 1) % len(ring)]
        if turn(p, q, v) * turn(p, q, w) < 0 and turn(v, w, p) * turn(v, w, q) < 0:
            return False
        if k not in (i, j) and turn(p, q, v) == 0:
            along = (v[0] - p[0]) * (q[0] - p[0]) + (v[1] - p[1]) * (q[1] - p[1])
            if 0 < along < (q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2:
                return False
    return inside(ring, (Fraction(p[0] + q[0], 2), Fraction(p[1] + q[1], 2)))


def fewest(ring):
    """The smallest number of convex parts by diagonals between vertices (after Keil, Decomposing a
    polygon into simpler components, 1985).

    The part beside a base (i, j) is a chain of corners i, ..., j, each convex or straight; beyond
    each of its edges lies a polygon of the same sort. Chains with the same first corner and the
    same last edge can be continued alike, so the cheapest stands for all.
    """
    n = len(ring)
    edge = {(i, j): j == i + 1 or sees(ring, i, j) for j in range(n) for i in range(j)}
    edge[0, n - 1] = True
    parts = {(i, i + 1): 0 for i in range(n - 1)}
    for span in range(2, n):
        for i in range(n - span):
            j = i + span
            if not edge[i, j]:
                continue
            best = np.inf
            for first in range(i + 1, j):
                if not edge[i, first] or turn(ring[j], ring[i], ring[first]) < 0:
                    continue
                ends = {first: {i: parts[i, first]}}  # by last corner and the one before
                for v in range(first, j):
                    for u, cost in ends.get(v, {}).items():
                        for w in range(v + 1, j + 1):
                            if edge[v, w] and turn(ring[u], ring[v], ring[w]) >= 0:
                                old = ends.setdefault(w, {})
                                old[v] = min(old.get(v, np.inf), cost + parts[v, w])
                for u, cost in ends.get(j, {}).items():
                    if turn(ring[u], ring[j], ring[i]) >= 0:
                        best = min(best, cost)
            parts[i, j] = best + 1
    return parts[0, n - 1]


def whole(ring):
    """On a grid of whole numbers, counter-clockwise; None where it crosses itself there."""
    points = [tuple(map(int, p)) for p in np.round(1000 * np.asarray(ring))]
    try:
        p2.geometry.decompose(points)
    except ValueError:
        return None
    area = sum(
        a[0] * b[1] - a[1] * b[0] for a, b in zip(points, points[1:] + points[:1], strict=True)
    )
    return points if area > 0 else points[::-1]


def check(ring, parts):
    """The parts are convex and have the area of the ring, in whole numbers."""
    total = 0
    for part in parts:
        corners = [tuple(map(int, p)) for p in part]
        around = zip(corners, corners[1:] + corners[:1], corners[2:] + corners[:2], strict=True)
        assert all(turn(a, b, c) > 0 for a, b, c in around)
        total += sum(turn(corners[0], b, c) for b, c in itertools.pairwise(corners[1:]))
    assert total == sum(
        a[0] * b[1] - a[1] * b[0] for a, b in zip(ring, ring[1:] + ring[:1], strict=True)
    )


def star(count, inner, outer=1000):
    angles = np.arange(2 * count) * np.pi / count
    radii = np.where(np.arange(2 * count) % 2, inner, outer)
    return np.round(np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])).tolist()


def comb(teeth):
    ring = [(2 * teeth - 1, -1), (2 * teeth - 1, 2)]
    for k in range(teeth - 1, 0, -1):
        ring += [(2 * k, 2), (2 * k, 0), (2 * k - 1, 0), (2 * k - 1, 2)]
    return [(0, -1), *ring, (0, 2)]


def stairs(steps):
    ring = [(0, 0), (steps, 0)]
    for k in range(steps):
        ring += [(steps - k, k + 1), (steps - k - 1, k + 1)]
    return ring


def arc(count, inner, outer):
    """A C of straight pieces."""
    angles = np.linspace(0.5, 2 * np.pi - 0.5, count)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    return np.round(np.concatenate([outer * ring, inner * ring[::-1]])).tolist()


WELL_KNOWN = {
    "L": [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)],
    "T": [(1, 0), (2, 0), (2, 2), (3, 2), (3, 3), (0, 3), (0, 2), (1, 2)],
    "U": [(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)],
    "plus": [(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2), (2, 3), (1, 3), (1, 2), (0, 2),
             (0, 1), (1, 1)],
    "H": [(0, 0), (1, 0), (1, 2), (2, 2), (2, 0), (3, 0), (3, 5), (2, 5), (2, 3), (1, 3), (1, 5),
          (0, 5)],
    "E": [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (3, 2), (3, 3), (1, 3), (1, 4), (3, 4), (3, 5),
          (0, 5)],
    "F": [(0, 0), (1, 0), (1, 2), (3, 2), (3, 3), (1, 3), (1, 4), (3, 4), (3, 5), (0, 5)],
    "Z": [(0, 0), (3, 0), (3, 1), (1, 1), (3, 4), (3, 5), (0, 5), (0, 4), (2, 4), (0, 1)],
    "S of tetris": [(0, 0), (2, 0), (2, 1), (3, 1), (3, 2), (1, 2), (1, 1), (0, 1)],
    "arrow": [(0, 1), (3, 1), (3, 0), (5, 2), (3, 4), (3, 3), (0, 3)],
    "dart": [(0, 0), (4, 2), (0, 4), (1, 2)],
    "M": [(0, 0), (1, 0), (1, 3), (3, 1), (5, 3), (5, 0), (6, 0), (6, 5), (5, 5), (3, 3), (1, 5),
          (0, 5)],
    "house with a chimney": [(0, 0), (6, 0), (6, 4), (5, 5), (5, 7), (4, 7), (4, 6), (3, 7),
                             (0, 4)],
    "star of five": star(5, 382),
    "star of eight": star(8, 600),
    "gear": star(12, 800),
    "comb": comb(5),
    "stairs": stairs(6),
    "C": arc(8, 600, 1000),
    "spiral": [(0, 0), (7, 0), (7, 7), (2, 7), (2, 2), (5, 2), (5, 5), (4, 5), (4, 3), (3, 3),
               (3, 6), (6, 6), (6, 1), (1, 1), (1, 8), (0, 8)],
}  # fmt: skip


@pytest.mark.parametrize("name", WELL_KNOWN)
def test_well_known_shapes_have_the_fewest_parts_from_every_first_vertex(name):
    ring = [tuple(map(int, p)) for p in WELL_KNOWN[name]]
    best = fewest(ring)
    for start in range(len(ring)):
        turned = ring[start:] + ring[:start]
        parts = g.decompose(turned)
        check(turned, parts)
        assert len(parts) == best
    shape = p2.Polygon(ring)
    assert len(shape.parts) == best
    assert len(p2.Polygon(ring[::-1]).parts) == best


def test_there_are_twenty_and_the_numbers_of_some_are_known():
    assert len(WELL_KNOWN) == 20
    known = {"L": 2, "T": 2, "U": 3, "plus": 3, "H": 3, "dart": 2, "arrow": 2, "S of tetris": 2}
    assert {name: fewest(WELL_KNOWN[name]) for name in known} == known


@pytest.mark.parametrize("seed", range(20))
def test_random_shapes_have_the_fewest_parts(seed):
    rng = np.random.default_rng(seed)
    done = 0
    while done < 10:
        make = (any_ring, arms, lattice)[done % 3]
        ring = whole(make(rng, int(rng.integers(5, 17))))
        if ring is None or len(ring) > 18:
            continue
        parts = g.decompose(ring)
        check(ring, parts)
        assert len(parts) == fewest(ring)
        done += 1


@pytest.mark.parametrize("seed", range(6))
def test_large_shapes_have_few_parts(seed):
    """At most one diagonal more at each reflex corner than there must be, so at most 2 r + 1 parts
    and four times the fewest (Hertel and Mehlhorn 1983)."""
    rng = np.random.default_rng(seed)
    ring = (arms, lattice)[seed % 2](rng, 300)
    around = zip(np.roll(ring, 1, axis=0), ring, np.roll(ring, -1, axis=0), strict=True)
    reflex = sum(turn(a, b, c) < 0 for a, b, c in around)
    assert reflex > 50
    assert len(g.decompose(ring)) <= 2 * reflex + 1


def test_small_and_large_numbers_give_the_same_parts():
    ring = np.array(WELL_KNOWN["spiral"], float)
    expected = [sorted(part.tolist()) for part in g.decompose(ring)]
    for scale in (2.0**-300, 2.0**-40, 2.0**40, 2.0**200):
        found = [sorted((part / scale).tolist()) for part in g.decompose(scale * ring)]
        assert found == expected
