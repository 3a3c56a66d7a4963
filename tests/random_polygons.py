"""Random simple polygons of every sort, for tests. Nothing here calls the engine."""

import numpy as np
import scipy.spatial
from numpy.typing import NDArray
from reference import convex, star

Array = NDArray[np.float64]


def _grow(points: Array, count: int, rng: np.random.Generator) -> list[int]:
    """Boundary of a random tree of Delaunay triangles with `count` vertices in all.

    A triangle joins the region over one edge, and only while its third corner is new: so the
    boundary never meets itself, and every vertex of the region is on it. Depth first now and then,
    which makes long arms.
    """
    mesh = scipy.spatial.Delaunay(points)
    simplices, neighbors = mesh.simplices.tolist(), mesh.neighbors.tolist()
    start = int(rng.integers(len(simplices)))
    a, b, c = simplices[start]
    (x, y), (u, v) = points[b] - points[a], points[c] - points[a]
    if x * v - y * u < 0:
        b, c = c, b
    after = {a: b, b: c, c: a}
    # an open edge of the region: (its triangle inside, from, to)
    edges = [(start, a, b), (start, b, c), (start, c, a)]
    reach = rng.random()
    while edges and len(after) < count:
        place = len(edges) - 1 if rng.random() < reach else int(rng.integers(len(edges)))
        edges[place], edges[-1] = edges[-1], edges[place]
        inner, u, v = edges.pop()
        corners = simplices[inner]
        opposite = next(k for k in range(3) if corners[k] not in (u, v))
        outer = neighbors[inner][opposite]
        if outer < 0:
            continue
        w = next(k for k in simplices[outer] if k not in (u, v))
        if w in after:
            continue
        after[u], after[w] = w, v
        new = [(outer, u, w), (outer, w, v)]
        edges += new if rng.random() < 0.5 else new[::-1]
    ring = [a]
    while after[ring[-1]] != a:
        ring.append(after[ring[-1]])
    return ring


def arms(rng: np.random.Generator, count: int) -> Array:
    """A tree of triangles between random points: many arms, narrow and wide."""
    points = rng.random((max(count + count // 4, 4), 2))
    return points[_grow(points, count, rng)]


def lattice(rng: np.random.Generator, count: int) -> Array:
    """The same between whole numbers: straight corners, equal heights, parallel edges."""
    side = int(np.ceil(np.sqrt(2 * count))) + 2
    cells = rng.choice(side * side, min(2 * count + 4, side * side), replace=False)
    points = np.column_stack([cells % side, cells // side]).astype(float)
    ring = points[_grow(points, count, rng)]
    x, y = (ring - ring[0]).T
    area = np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)
    return ring if area > 0 else lattice(rng, count)


def comb(rng: np.random.Generator, count: int) -> Array:
    """Teeth of random heights, all reaching down to the same level."""
    teeth = max(count // 4, 1)
    tops = rng.uniform(0.2, 3, teeth)
    ring = []
    for i, top in enumerate(tops):
        ring += [(2 * i, 0), (2 * i, top), (2 * i + 1, top), (2 * i + 1, 0)]
    return np.array([*ring, (2 * teeth, -1), (-1, -1)], float)[::-1]


def spikes(count: int, inner: float = 0.3, turn: float = 0.1) -> Array:
    """A star with count / 2 spikes."""
    angles = np.arange(count) / count * 2 * np.pi + turn
    radii = np.where(np.arange(count) % 2, 1.0, inner)
    return radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])


def spiral(count: int) -> Array:
    """Two nested spirals joined at their ends."""
    t = np.linspace(1, 1 + count / 50, max(count // 2, 4))
    angle = 2 * np.pi * t
    out = np.column_stack([t * np.cos(angle), t * np.sin(angle)])
    back = np.column_stack([(t + 0.4) * np.cos(angle), (t + 0.4) * np.sin(angle)])
    return np.vstack([back, out[::-1]])


def any_ring(rng: np.random.Generator, most: int = 500) -> Array:
    """One of all these, of up to `most` vertices, counter-clockwise."""
    count = int(np.exp(rng.uniform(np.log(4), np.log(most))))
    kind = int(rng.integers(7))
    if kind == 0:
        return star(rng, count)
    if kind == 1:
        return convex(rng, count)
    if kind == 2:
        return comb(rng, count)
    if kind == 3:
        return spiral(max(count, 8))
    return arms(rng, count) if kind < 6 else lattice(rng, count)
