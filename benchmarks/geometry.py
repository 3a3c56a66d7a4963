"""pyphys2d.geometry against Shapely and plain Python, as ratios in one run.

python benchmarks/geometry.py            # table, kept in results/geometry.csv
python benchmarks/geometry.py --check    # exit code 1 when a target is missed
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import shapely
from common import best, version, write_csv

from pyphys2d import geometry

MANY = 1_000_000
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


SECTIONS: list[Callable[[], Iterator[Row]]] = [points_in_polygons]


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
