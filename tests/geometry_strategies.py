"""Numbers that are hard on geometry, and exact rational geometry to compare with.

Nothing here calls the engine.
"""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

EPSILON = 2.0**-53
SCALES = (1.0, 1e8, 1e-8)


@st.composite
def point_lists(draw, least, most=None):
    """An array of points: on a coarse grid (degenerate), or anywhere, near 1, 1e8 or 1e-8, or in
    a small place 1e8 away.
    """
    scale = draw(st.sampled_from(SCALES))
    coarse = draw(st.booleans())
    numbers = st.integers(-4, 4) if coarse else st.floats(-4, 4)
    count = draw(st.integers(least, most or least))
    flat = draw(st.lists(numbers, min_size=2 * count, max_size=2 * count))
    points = scale * np.array(flat, float).reshape(-1, 2)
    return points + 1e8 if draw(st.integers(0, 4)) == 0 else points


anywhere = st.floats(allow_nan=False, allow_infinity=False)
any_point = st.tuples(anywhere, anywhere)


def exact(point):
    return tuple(Fraction(float(v)) for v in point)


def minus(p, q):
    return p[0] - q[0], p[1] - q[1]


def cross(u, v):
    return u[0] * v[1] - u[1] * v[0]


def dot(u, v):
    return u[0] * v[0] + u[1] * v[1]


def along(p, t, u):
    return p[0] + t * u[0], p[1] + t * u[1]


def sign(value):
    return (value > 0) - (value < 0)


def largest(*points):
    return float(np.max(np.abs(np.array(points, float))))


def exact_line_intersection(a, b, c, d):
    """None or a point, all rational."""
    a, b, c, d = map(exact, (a, b, c, d))
    u, v = minus(b, a), minus(d, c)
    if cross(u, v) == 0:
        return None
    return along(a, cross(minus(c, a), v) / cross(u, v), u)


def exact_on_segment(p, a, b):
    return (
        cross(minus(b, a), minus(p, a)) == 0
        and min(a[0], b[0]) <= p[0] <= max(a[0], b[0])
        and min(a[1], b[1]) <= p[1] <= max(a[1], b[1])
    )


def exact_first_hit(a, u, t_most, c, d):
    """The least t in [0, t_most] with a + t u on the segment c d; None without one."""
    if u == (0, 0):
        return Fraction(0) if exact_on_segment(a, c, d) else None
    v = minus(d, c)
    if cross(u, v) != 0:
        t = cross(minus(c, a), v) / cross(u, v)
        s = cross(minus(c, a), u) / cross(u, v)
        return t if t >= 0 and (t_most is None or t <= t_most) and 0 <= s <= 1 else None
    if cross(u, minus(c, a)) != 0:
        return None
    first, last = sorted(dot(minus(p, a), u) / dot(u, u) for p in (c, d))
    t = max(first, Fraction(0))
    return t if t <= last and (t_most is None or t <= t_most) else None


def exact_segment_intersection(a, b, c, d):
    a, b, c, d = map(exact, (a, b, c, d))
    u = minus(b, a)
    t = exact_first_hit(a, u, 1, c, d)
    return None if t is None else along(a, t, u)


def exact_ray_hit(origin, direction, a, b):
    origin, direction, a, b = map(exact, (origin, direction, a, b))
    t = exact_first_hit(origin, direction, None, a, b)
    return None if t is None else along(origin, t, direction)


def exact_twice_area(ring):
    ring = [exact(p) for p in ring]
    return sum(cross(p, q) for p, q in zip(ring, ring[1:] + ring[:1], strict=True))


def exact_winding_number(ring, p):
    """None on the boundary."""
    p, ring = exact(p), [exact(q) for q in ring]
    number = 0
    for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
        if exact_on_segment(p, a, b):
            return None
        if (a[1] <= p[1]) != (b[1] <= p[1]):
            side = cross(minus(b, a), minus(p, a))
            if (side > 0) == (b[1] > a[1]):
                number += 1 if b[1] > a[1] else -1
    return number
