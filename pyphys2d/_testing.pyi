from typing import Literal

import numpy as np
import numpy.typing as npt

def fail_allocation(n: int, /) -> int: ...
def stop_steps(question: int, /) -> None: ...
def fail_python_allocation(n: int, count: int = 1, /) -> int: ...
def live_allocations() -> int: ...
def rotation(angle: float, /) -> tuple[float, float]: ...
def rotations(*angles: float) -> list[tuple[float, float]]: ...
def atan2(y: float, x: float, /) -> float: ...
def hash_bytes(data: bytes, /) -> int: ...
def orientation(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike, /) -> int: ...
def ring_contains(ring: npt.ArrayLike, points: npt.ArrayLike, /) -> npt.NDArray[np.int8]: ...
def ring_check(ring: npt.ArrayLike, /) -> None: ...
def convex_width(points: npt.ArrayLike, /) -> float: ...
def simd_available() -> list[str]: ...
def simd_found(name: str, /) -> bool: ...
def broad_pairs(
    kind: Literal["grid", "tree", "all_pairs", "grid_lanes"],
    boxes: npt.ArrayLike,
    static: npt.ArrayLike,
    /,
    moved: npt.ArrayLike | None = None,
) -> npt.NDArray[np.uint32]: ...
def chart(
    boxes: npt.ArrayLike, asked: npt.ArrayLike, /
) -> tuple[int, int, npt.NDArray[np.int64], list[int]]: ...
def lane_grazing(
    simd: str,
    cull: bool,
    dt: float,
    rings_a: npt.ArrayLike,
    counts_a: npt.ArrayLike,
    radii_a: npt.ArrayLike,
    poses_a: npt.ArrayLike,
    velocities_a: npt.ArrayLike,
    rings_b: npt.ArrayLike,
    counts_b: npt.ArrayLike,
    radii_b: npt.ArrayLike,
    poses_b: npt.ArrayLike,
    velocities_b: npt.ArrayLike,
    /,
) -> tuple[
    npt.NDArray[np.uint8],
    npt.NDArray[np.uint8],
    npt.NDArray[np.float32],
    npt.NDArray[np.float64],
    npt.NDArray[np.float32],
]: ...
def lane_manifolds(
    simd: str,
    cull: bool,
    dt: float,
    rings_a: npt.ArrayLike,
    counts_a: npt.ArrayLike,
    radii_a: npt.ArrayLike,
    poses_a: npt.ArrayLike,
    velocities_a: npt.ArrayLike,
    rings_b: npt.ArrayLike,
    counts_b: npt.ArrayLike,
    radii_b: npt.ArrayLike,
    poses_b: npt.ArrayLike,
    velocities_b: npt.ArrayLike,
    /,
) -> tuple[
    npt.NDArray[np.uint8],
    npt.NDArray[np.uint8],
    npt.NDArray[np.float32],
    npt.NDArray[np.float64],
    npt.NDArray[np.float32],
]: ...
def row_order(centers: npt.ArrayLike, /) -> npt.NDArray[np.uint32]: ...
def tree_run(
    operations: npt.ArrayLike, boxes: npt.ArrayLike, margin: float, /
) -> dict[str, float]: ...
def impact(
    ring_a: npt.ArrayLike,
    sweep_a: npt.ArrayLike,
    ring_b: npt.ArrayLike,
    sweep_b: npt.ArrayLike,
    target: float,
    limit: float,
    /,
) -> tuple[bool, float, tuple[float, float], tuple[float, float]]: ...
def paths_meet(
    ring_a: npt.ArrayLike,
    radius_a: float,
    path_a: npt.ArrayLike,
    ring_b: npt.ArrayLike,
    radius_b: float,
    path_b: npt.ArrayLike,
    limit: float,
    /,
) -> tuple[float, float]: ...
def run_jobs(
    workers: int, runs: int, chunks: int, rounds: int, /
) -> tuple[npt.NDArray[np.int64], int]: ...
