"""Second implementations the tests compare with: exact rationals, quadrature, plain NumPy, Shapely.

Nothing here calls the engine.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from scipy import integrate

Array = NDArray[np.float64]


class Moments(NamedTuple):
    """Area, centroid and polar second moment about the centroid, unit density."""

    area: float
    centroid: tuple[float, float]
    inertia: float


def _ring_sums(ring: ArrayLike) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Integrals of 1, x, y, x² + y² over a ring (Green's theorem about the origin), exact,
    signed. In whole numbers of the smallest unit of all coordinates, which is faster than a
    fraction for each.
    """
    ratios = [[c.as_integer_ratio() for c in point] for point in np.asarray(ring, float).tolist()]
    unit = max(below for point in ratios for _, below in point)  # all are powers of two
    points = [[above * (unit // below) for above, below in point] for point in ratios]
    area = sx = sy = second = 0
    for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1], strict=True):
        cross = x0 * y1 - x1 * y0
        area += cross
        sx += cross * (x0 + x1)
        sy += cross * (y0 + y1)
        second += cross * (x0 * x0 + x0 * x1 + x1 * x1 + y0 * y0 + y0 * y1 + y1 * y1)
    return (
        Fraction(area, 2 * unit**2),
        Fraction(sx, 6 * unit**3),
        Fraction(sy, 6 * unit**3),
        Fraction(second, 12 * unit**4),
    )


def polygon_moments(outer: ArrayLike, holes: Sequence[ArrayLike] = ()) -> Moments:
    """Mass properties of a polygon with holes in exact rational arithmetic."""
    total = [Fraction(0)] * 4
    for number, ring in enumerate([outer, *holes]):
        sums = _ring_sums(ring)
        sign = (1 if sums[0] > 0 else -1) * (1 if number == 0 else -1)
        total = [t + sign * s for t, s in zip(total, sums, strict=True)]
    area, sx, sy, second = total
    cx, cy = sx / area, sy / area
    return Moments(float(area), (float(cx), float(cy)), float(second - area * (cx * cx + cy * cy)))


def rounded_moments(vertices: ArrayLike, radius: float) -> Moments:
    """Mass properties of a convex ring (or two points) grown by a disc, by quadrature of chords.

    The chord at x runs from the lowest to the highest point of the discs about the vertices and
    of the edges shifted
    outwards.
    """
    points = np.asarray(vertices, float)
    if len(points) > 2:
        x, y = points.T
        if np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) < 0:
            points = points[::-1]
    lines = []
    for p, q in zip(points, np.roll(points, -1, axis=0), strict=True):
        edge = q - p
        normal = np.array([edge[1], -edge[0]]) / np.hypot(*edge)
        lines.append((p + radius * normal, q + radius * normal))

    def chord(x: float) -> tuple[float, float]:
        ys = []
        for vx, vy in points:
            rest = radius * radius - (x - vx) ** 2
            if rest >= 0:
                ys += [vy - rest**0.5, vy + rest**0.5]
        for p, q in lines:
            low, high = min(p[0], q[0]), max(p[0], q[0])
            if low <= x <= high and high > low:
                ys.append(p[1] + (x - p[0]) * (q[1] - p[1]) / (q[0] - p[0]))
        return (min(ys), max(ys)) if ys else (0.0, 0.0)

    marks = sorted(
        {float(v) for vx in points[:, 0] for v in (vx - radius, vx, vx + radius)}
        | {float(p[0]) for line in lines for p in line}
    )

    def integral(f) -> float:  # type: ignore[no-untyped-def]
        pieces = pairwise(marks)
        return sum(
            # x = mid + half sin(t) tames the square roots at both ends
            integrate.quad(
                lambda t, m=(a + b) / 2, h=(b - a) / 2: (
                    f(m + h * np.sin(t), *chord(m + h * np.sin(t))) * h * np.cos(t)
                ),
                -np.pi / 2,
                np.pi / 2,
                epsabs=1e-13,
                epsrel=1e-13,
                limit=200,
            )[0]
            for a, b in pieces
            if b - a > 1e-12
        )

    area = integral(lambda x, lo, hi: hi - lo)
    cx = integral(lambda x, lo, hi: x * (hi - lo)) / area
    cy = integral(lambda x, lo, hi: (hi * hi - lo * lo) / 2) / area
    inertia = integral(
        lambda x, lo, hi: (x - cx) ** 2 * (hi - lo) + ((hi - cy) ** 3 - (lo - cy) ** 3) / 3
    )
    return Moments(area, (cx, cy), inertia)


def star(
    rng: np.random.Generator, count: int, center: ArrayLike = (0, 0), scale: float = 1
) -> Array:
    """A random simple ring, counter-clockwise, mostly concave: sorted angles, random radii."""
    gaps = rng.uniform(0.3, 1, count)
    angles = np.cumsum(gaps) / gaps.sum() * 2 * np.pi + rng.uniform(0, 2 * np.pi)
    radii = scale * rng.uniform(0.35, 1, count)
    return np.asarray(center) + radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])


def convex(
    rng: np.random.Generator, count: int, center: ArrayLike = (0, 0), scale: float = 1
) -> Array:
    """A random convex ring, counter-clockwise, of exactly `count` vertices: points of an
    ellipse.
    """
    gaps = rng.uniform(0.3, 1, count)
    angles = np.cumsum(gaps) / gaps.sum() * 2 * np.pi
    turn = rng.uniform(0, 2 * np.pi)
    points = scale * np.column_stack([np.cos(angles), rng.uniform(0.4, 1) * np.sin(angles)])
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(center) + points @ rotation.T


def random_polygon(rng: np.random.Generator) -> tuple[Array, list[Array]]:
    """A random simple ring of 3 to 24 vertices and up to three disjoint holes inside it."""
    outer = star(rng, int(rng.integers(3, 25)), rng.uniform(-3, 3, 2), rng.uniform(0.5, 5))
    room = shapely.Polygon(outer)
    size = np.sqrt(room.area)
    holes: list[Array] = []
    clear = None  # where a hole may lie, once it is asked for
    for _ in range(int(rng.integers(0, 6))):
        lower, upper = np.reshape(room.bounds, (2, 2))
        hole = star(
            rng, int(rng.integers(3, 9)), rng.uniform(lower, upper), size * rng.uniform(0.05, 0.3)
        )
        if len(holes) == 3:
            continue
        if clear is None:
            clear = room.buffer(-0.01 * size)
        if clear.contains(shapely.Polygon(hole)):
            holes.append(hole)
            room, clear = room.difference(shapely.Polygon(hole)), None
    if rng.random() < 0.5:
        outer = outer[::-1]
    return outer, [hole[::-1] if rng.random() < 0.5 else hole for hole in holes]


def place(points: ArrayLike, x: float, y: float, angle: float) -> Array:
    """Rigid motion of points (n, 2): rotation about the origin, then translation."""
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points, float) @ np.array([[c, s], [-s, c]]) + (x, y)


def is_convex_ring(ring: ArrayLike) -> bool:
    """Whether all turns of a counter-clockwise ring are to the left (straight ones within
    1e-12).
    """
    ring = np.asarray(ring, float)
    edges = np.roll(ring, -1, axis=0) - ring
    following = np.roll(edges, -1, axis=0)
    cross = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
    scale = np.abs(edges).max() ** 2
    return bool((cross >= -1e-12 * scale).all())


def shoelace(ring: ArrayLike) -> float:
    """Signed area in plain NumPy, about the first vertex."""
    x, y = (np.asarray(ring, float) - np.asarray(ring, float)[0]).T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) / 2)


def convex_mtv(a: ArrayLike, b: ArrayLike) -> Array | None:
    """Smallest translation that pushes convex ring b out of a: all edge normals of both, plain
    NumPy.
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    best = None
    for ring in (a, b):
        for edge in np.roll(ring, -1, axis=0) - ring:
            normal = np.array([edge[1], -edge[0]]) / np.hypot(*edge)
            pa, pb = a @ normal, b @ normal
            forward, backward = pa.max() - pb.min(), pb.max() - pa.min()
            if forward <= 0 or backward <= 0:
                return None
            for depth, direction in ((forward, normal), (backward, -normal)):
                if best is None or depth < best[0]:
                    best = (depth, direction)
    assert best is not None
    return best[0] * best[1]


def semi_implicit_euler(
    position: ArrayLike,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    dt: float,
    substeps: int,
    steps: int,
    damping: float = 0,
) -> tuple[Array, Array]:
    """Velocity first, then position, h = dt / substeps; velocity divided by 1 + h damping."""
    x, v, a = (np.array(u, float) for u in (position, velocity, acceleration))
    h = dt / substeps
    for _ in range(steps * substeps):
        v = (v + h * a) * (1 / (1 + h * damping))
        x = x + h * v
    return x, v
