"""Traces to draw: those of `pyphys2d.geometry`, or, where it has none, the same fields worked out
here the plain way for convex polygons and circles.
"""

from itertools import combinations
from types import SimpleNamespace

import numpy as np

import pyphys2d as p2
from pyphys2d import geometry


def _world(shape, pose):
    """Core vertices (n, 2) in the world frame and radius."""
    ring = shape.center[None] if isinstance(shape, p2.Circle) else shape.vertices
    x, y, angle = pose
    cos, sin = np.cos(angle), np.sin(angle)
    return ring @ np.array([[cos, sin], [-sin, cos]]) + (x, y), shape.radius


def _nearest(simplex):
    """Point of the hull of at most three points that is nearest to the origin, and its corners."""
    best = None
    for size in range(1, len(simplex) + 1):
        for corners in combinations(range(len(simplex)), size):
            points = simplex[list(corners)]
            # Least |sum w p| with sum w = 1, kept if no weight is negative.
            system = np.zeros((size + 1, size + 1))
            system[:size, :size] = points @ points.T
            system[size, :size] = system[:size, size] = 1
            weights = np.linalg.lstsq(system, np.r_[np.zeros(size), 1], rcond=None)[0][:size]
            if (weights >= -1e-12).all():
                point = weights @ points
                if best is None or np.hypot(*point) < np.hypot(*best[0]) - 1e-12:
                    best = point, list(corners)
    return best


def gjk(a, b, pose_a=(0, 0, 0), pose_b=(0, 0, 0)):
    if hasattr(geometry, "gjk"):
        return geometry.gjk(a, b, pose_a, pose_b)
    ring_a, ring_b = _world(a, pose_a)[0], _world(b, pose_b)[0]
    difference = geometry.convex_hull((ring_b[None] - ring_a[:, None]).reshape(-1, 2))
    simplex = difference[:1]
    directions, supports, simplices, closest = [], [], [], []
    for _ in range(20):
        point, corners = _nearest(simplex)
        simplex = simplex[corners]
        if np.hypot(*point) < 1e-12:
            break
        support = difference[(difference @ -point).argmax()]
        if supports and -(support - point) @ point < 1e-9:
            break
        simplex = np.unique(np.vstack([simplex, support]), axis=0)
        directions.append(-point)
        supports.append(support)
        simplices.append(simplex)
        closest.append(_nearest(simplex)[0])
    result = geometry.distance(a, b, pose_a, pose_b)
    return SimpleNamespace(
        shape_a=a,
        shape_b=b,
        pose_a=np.array(pose_a, float),
        pose_b=np.array(pose_b, float),
        difference=difference,
        directions=np.array(directions),
        supports=np.array(supports),
        simplices=tuple(simplices),
        closest=np.array(closest),
        distances=np.hypot(*np.array(closest).T),
        overlapping=bool(result.distance <= 0),
        distance=float(result.distance),
        point_a=result.point_a,
        point_b=result.point_b,
    )


def toi(a, b, start_a, end_a, start_b, end_b, target=0.005):
    if hasattr(geometry, "toi"):
        return geometry.toi(a, b, start_a, end_a, start_b, end_b, target=target)
    ends = [np.array(pose, float) for pose in (start_a, end_a, start_b, end_b)]
    # No point of the shapes moves faster than this, per unit of the fraction.
    reach = [np.hypot(*_world(s, (0, 0, 0))[0].T).max() + s.radius for s in (a, b)]
    motion = [ends[1] - ends[0], ends[3] - ends[2]]
    bound = np.hypot(*(motion[0] - motion[1])[:2])
    bound += sum(abs(m[2]) * r for m, r in zip(motion, reach, strict=True))
    fraction, rows = 0.0, []
    while len(rows) < 40:
        poses = ends[0] + fraction * motion[0], ends[2] + fraction * motion[1]
        found = geometry.distance(a, b, *poses)
        rows.append((fraction, found, *poses))
        if found.distance <= target * 1.01 or fraction >= 1:
            break
        fraction = min(1.0, fraction + max(found.distance - target, 0.005 * target) / bound)
    return SimpleNamespace(
        shape_a=a,
        shape_b=b,
        fractions=np.array([row[0] for row in rows]),
        distances=np.array([row[1].distance for row in rows]),
        points_a=np.array([row[1].point_a for row in rows]),
        points_b=np.array([row[1].point_b for row in rows]),
        normals=np.array([row[1].normal for row in rows]),
        poses_a=np.array([row[2] for row in rows]),
        poses_b=np.array([row[3] for row in rows]),
        target=target,
        hit=bool(rows[-1][1].distance <= target * 1.01),
        fraction=rows[-1][0],
    )


def hull_trace(points):
    points = np.array(points, float)
    if hasattr(geometry, "hull_trace"):
        return geometry.hull_trace(points)
    order = np.lexsort((points[:, 1], points[:, 0]))
    stages, chains = [], []
    for run in (order, order[::-1]):
        chain = []
        for index in run.tolist():
            while len(chain) > 1:
                u = points[chain[-1]] - points[chain[-2]]
                v = points[index] - points[chain[-2]]
                if u[0] * v[1] - u[1] * v[0] > 0:
                    break
                chain.pop()
            chain.append(index)
            stages.append(np.array((chains[0] if chains else []) + chain))
        chains.append(chain[:-1])
    return SimpleNamespace(
        points=points, order=order, stages=tuple(stages), hull=np.array(chains[0] + chains[1])
    )
