"""pyphys2d.geometry against Shapely, pymunk and plain Python, as ratios in one run.

python benchmarks/geometry.py            # table, kept in results/geometry.csv
python benchmarks/geometry.py --check    # exit code 1 when a target is missed
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pymunk
import shapely
from common import best, version, write_csv
from shapely.affinity import affine_transform

from pyphys2d import Polygon, geometry

MANY = 1_000_000
PAIRS = 100_000
SAMPLE = 5_000  # of the pairs, for loops over other libraries
FIVE = np.array([(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)])

Floats = npt.NDArray[np.float64]


class Row(NamedTuple):
    """One comparison; times are seconds of the whole task."""

    task: str
    ours: float
    other: str
    theirs: float
    target: float  # theirs / ours, at least


def great_britain() -> Floats:
    text = (files("pyphys2d.scenes.data") / "british_isles.json").read_text()
    return max((np.array(ring) for ring in json.loads(text)["polygons"]), key=len)


def loop_of_crosses(points: Floats, ring: Floats) -> list[bool]:
    """A loop over the points, each asked by np.cross on all edges (2D as 3D, since NumPy 2)."""
    edges = np.roll(ring, -1, axis=0) - ring
    flat = np.column_stack([edges, np.zeros(len(ring))])
    return [
        bool((np.cross(flat, np.column_stack([p - ring, np.zeros(len(ring))]))[:, 2] > 0).all())
        for p in points
    ]


def in_turns(*calls: Callable[[], object]) -> list[float]:
    """Best of five each, one after the other, so that all meet the same machine."""
    times = [[best(call, 1, 1) for call in calls] for _ in range(5)]
    return [min(column) for column in zip(*times, strict=True)]


def points_in_polygons() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    for name, ring in (("the 5-gon", FIVE), ("Great Britain", great_britain())):
        region = shapely.Polygon(ring)
        shapely.prepare(region)
        points = rng.uniform(ring.min(axis=0), ring.max(axis=0), (MANY, 2))
        x, y = np.ascontiguousarray(points.T)
        ours, theirs = in_turns(
            lambda p=points, r=ring: geometry.point_in_polygon(p, r),  # type: ignore[misc]
            lambda s=region, x=x, y=y: shapely.contains_xy(s, x, y),  # type: ignore[misc]
        )
        found, expected = geometry.point_in_polygon(points, ring), shapely.contains_xy(region, x, y)
        assert (found == expected).all()
        task = f"{MANY:,} points in {name}"
        yield Row(task, ours, f"Shapely {version('shapely')}, prepared", theirs, 1)
        few = points[:2000]
        loop = best(lambda p=few, r=ring: loop_of_crosses(p, r), 1, 3)  # type: ignore[misc]
        yield Row(task, ours, "a loop over np.cross", loop * MANY / len(few), 100)


class Pairs(NamedTuple):
    """Convex polygons of 3 to 8 vertices, all different, at poses (n, 3)."""

    a: list[Polygon]
    b: list[Polygon]
    pose_a: Floats
    pose_b: Floats


def random_pairs(spread: float) -> Pairs:
    rng = np.random.default_rng(1)

    def polygon() -> Polygon:
        turn = np.cumsum(rng.uniform(0.3, 1, rng.integers(3, 9)))
        turn *= 2 * np.pi / turn[-1]
        ring = np.column_stack([np.cos(turn), np.sin(turn)])
        return Polygon(rng.uniform(0.5, 1) * ring)

    def poses() -> Floats:
        return np.column_stack(
            [rng.uniform(-spread, spread, (PAIRS, 2)), rng.uniform(-np.pi, np.pi, PAIRS)]
        )

    shapes = [polygon() for _ in range(2 * PAIRS)]
    return Pairs(shapes[:PAIRS], shapes[PAIRS:], poses(), poses())


def loop_of_singles(function: Callable[..., object], pairs: Pairs) -> list[object]:
    return [function(*pair) for pair in zip(*pairs, strict=True)]


def rows(function: Callable[..., Any], pairs: Pairs) -> Any:
    return function(*pairs)


def place(region: shapely.Polygon, pose: Floats) -> shapely.Polygon:
    x, y, angle = pose
    cos, sin = np.cos(angle), np.sin(angle)
    return affine_transform(region, [cos, -sin, sin, cos, x, y])


def distances_of_pairs() -> Iterator[Row]:
    pairs = random_pairs(2)
    task = f"{PAIRS:,} distances"
    ours, singles = in_turns(
        lambda: rows(geometry.distance, pairs), lambda: loop_of_singles(geometry.distance, pairs)
    )
    yield Row(task, ours, "a loop of single calls", singles, 3)
    few = Pairs(pairs.a[:SAMPLE], pairs.b[:SAMPLE], pairs.pose_a[:SAMPLE], pairs.pose_b[:SAMPLE])
    a, b = ([shapely.Polygon(shape.vertices) for shape in side] for side in few[:2])

    def place_and_measure() -> list[float]:
        return [
            shapely.distance(place(p, x), place(q, y))
            for p, q, x, y in zip(a, b, few.pose_a, few.pose_b, strict=True)
        ]

    expected = place_and_measure()
    assert np.allclose(rows(geometry.distance, few)["distance"], expected, rtol=0, atol=1e-12)
    name = f"a loop over Shapely {version('shapely')}"
    scale = PAIRS / SAMPLE
    yield Row(task, ours, name, best(place_and_measure, 1, 3) * scale, 20)
    placed = [
        [place(p, x) for p, x in zip(side, poses, strict=True)]
        for side, poses in ((a, few.pose_a), (b, few.pose_b))
    ]
    measured = best(lambda: [shapely.distance(p, q) for p, q in zip(*placed, strict=True)], 1, 3)
    yield Row(task, ours, "the same, placed before", measured * scale, 1)


def contacts_of_pairs() -> Iterator[Row]:
    pairs = random_pairs(0.8)
    task = f"{PAIRS:,} manifolds"
    ours, singles = in_turns(
        lambda: rows(geometry.collide, pairs), lambda: loop_of_singles(geometry.collide, pairs)
    )
    yield Row(task, ours, "a loop of single calls", singles, 3)
    # pymunk's answer for shapes that are apart is an AssertionError.
    touching = np.flatnonzero(rows(geometry.collide, pairs)["count"])[:SAMPLE].tolist()
    bodies = [pymunk.Body(body_type=pymunk.Body.KINEMATIC) for _ in range(2 * len(touching))]
    polygons = [side[i].vertices.tolist() for side in pairs[:2] for i in touching]
    shapes = [pymunk.Poly(*pair) for pair in zip(bodies, polygons, strict=True)]
    sides = shapes[: len(touching)], shapes[len(touching) :]
    poses = [side[touching].tolist() for side in pairs[2:]]

    def place_and_collide() -> list[pymunk.ContactPointSet]:
        found = []
        for p, q, x, y in zip(*sides, *poses, strict=True):
            for shape, pose in ((p, x), (q, y)):
                body = shape.body
                body.position = pose[0], pose[1]
                body.angle = pose[2]
                shape.cache_bb()
            found.append(p.shapes_collide(q))
        return found

    assert all(contact.points for contact in place_and_collide())
    scale = PAIRS / len(touching)
    name = f"a loop over pymunk {version('pymunk')}"
    yield Row(task, ours, name, best(place_and_collide, 1, 3) * scale, 20)
    collided = best(lambda: [p.shapes_collide(q) for p, q in zip(*sides, strict=True)], 1, 3)
    yield Row(task, ours, "the same, placed before", collided * scale, 1)


SECTIONS: list[Callable[[], Iterator[Row]]] = [
    points_in_polygons,
    distances_of_pairs,
    contacts_of_pairs,
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when a target is missed")
    check = parser.parse_args().check
    rows = [row for section in SECTIONS for row in section()]
    for row in rows:
        ratio = row.theirs / row.ours
        print(
            f"{row.task:32} {1e3 * row.ours:9.2f} ms  {row.other:28} {1e3 * row.theirs:11.1f} ms"
            f"  {ratio:8.1f} x  (target {row.target:g})"
        )
    write_csv(
        "geometry",
        [
            {
                "task": row.task,
                "milliseconds": f"{1e3 * row.ours:.4g}",
                "other": row.other,
                "other_milliseconds": f"{1e3 * row.theirs:.4g}",
                "ratio": f"{row.theirs / row.ours:.3g}",
                "target": f"{row.target:g}",
            }
            for row in rows
        ],
    )
    missed = any(row.theirs / row.ours < row.target for row in rows)
    return 1 if check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
