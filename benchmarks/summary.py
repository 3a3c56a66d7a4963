"""The table at the head of docs/benchmarks.md, from the files in results/."""

from __future__ import annotations

from collections.abc import Iterator

import common
import compare

Row = tuple[str, str, str]  # question, answer, page


def range_of(values: list[float], digits: int) -> str:
    """Smallest and largest."""
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def speed() -> Iterator[Row]:
    """Steps beside those of other engines."""
    page = "[engines](performance.md#against-other-engines)"
    rows = common.read_csv("compare")
    wanted = {
        ("pyb2d3", "pyphys2d-4"): "Box2D v3.1 (pyb2d3) takes, 4 substeps each",
        ("pyb2d3", "pyphys2d"): "Box2D with its 4 substeps takes, ours the default of 8",
        ("pymunk", "pyphys2d"): "Chipmunk (pymunk) takes, both with their defaults",
    }
    for each in compare.ratios(rows):
        what = wanted.get((each.engine, each.ours))
        if what and not each.reading:
            span = f"{each.lowest:.1f} to {each.highest:.1f}"
            scenes = len(each.by_scene)
            yield what, f"{each.mean:.1f} times as long ({scenes} scenes: {span})", page
    depth = {(row["scene"], row["engine"]): float(row["penetration_mean_mm"]) for row in rows}
    scene = "large_pyramid"
    if (scene, "pyb2d3") in depth:
        ours, box2d, chipmunk = (
            f"{depth[scene, name]:.1f} mm" for name in ("pyphys2d", "pyb2d3", "pymunk")
        )
        answer = f"{ours} (Box2D {box2d}, Chipmunk {chipmunk})"
        yield "mean penetration in a pyramid of 5,050 boxes, defaults", answer, page


def size() -> Iterator[Row]:
    """Many bodies: time, memory, threads, sleep."""
    if rows := common.read_csv("growth"):
        most = max(rows, key=lambda row: int(row["bodies"]))
        what = f"a step of {int(most['bodies']):,} bodies, 4 substeps, one thread"
        answer = f"{float(most['ms_per_step']):.0f} ms, {float(most['ns_per_body']):.0f} ns a body"
        yield what, answer, "[a million bodies](performance.md#a-million-bodies)"
    memory = {row["engine"]: row for row in common.read_csv("memory")}
    if "pyphys2d" in memory:
        ours, box2d, chipmunk = (
            f"{int(memory[name]['bytes_per_body']):,}" for name in ("pyphys2d", "pyb2d3", "pymunk")
        )
        answer = f"{ours} bytes (Box2D {box2d}, Chipmunk {chipmunk})"
        yield "memory of a body with one shape", answer, "[memory](performance.md#memory)"
    rows = [r for r in common.read_csv("threads") if r["workers"] == "2" and r["busy"] == "no"]
    if rows:
        answer = f"{range_of([float(row['speedup']) for row in rows], 1)} times as fast"
        yield f"two threads, {len(rows)} scenes", answer, "[workers](performance.md#workers)"
    for row in common.read_csv("sleepers"):
        if row["sleepers"] != "0" and row["views_held"] == "none":
            what = f"a step of {row['awake']} bodies beside {int(row['sleepers']):,} asleep"
            answer = f"{float(row['ratio']):.2f} times as long as without them"
            yield what, answer, "[sleepers](performance.md#sleepers)"


def questions() -> Iterator[Row]:
    """Rays."""
    rows = common.read_csv("rays")
    page = "[rays](performance.md#rays)"
    if each := [float(row["value"]) for row in rows if row["what"] == "cast_rays"]:
        yield "a ray among 10,000 bodies, in one call", f"{range_of(each, 0)} ns", page
    if each := [float(row["value"]) for row in rows if row["what"] == "pymunk"]:
        yield "the same in a loop of pymunk takes", f"{range_of(each, 0)} times as long", page


def accuracy() -> Iterator[Row]:
    """Experiments in which each engine is nearest to theory."""
    errors: dict[str, dict[str, float]] = {}
    for row in common.read_csv("physics"):
        error = abs(float(row["value"]) - float(row["theory"]))
        errors.setdefault(row["experiment"], {})[row["engine"]] = error
    if errors:
        nearest = {
            engine: sum(each[engine] <= min(each.values()) + 0.005 for each in errors.values())
            for engine in ("pyphys2d", "pymunk", "pyb2d3")
        }
        answer = "; ".join(f"{engine} {count}" for engine, count in nearest.items())
        what = f"of {len(errors)} experiments, nearest to theory (ties count for all)"
        yield what, answer, "[physics](physics.md)"


def rows() -> list[Row]:
    """All rows of the table."""
    return [*speed(), *size(), *questions(), *accuracy()]
