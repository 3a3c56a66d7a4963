"""Writes the tables and plots of docs/performance.md, and the tables of docs/benchmarks.md and
docs/physics.md, from the files in results/.

    python benchmarks/page.py            # tables and plots
    python benchmarks/page.py --check    # exit code 1 when a table is not what the files say

Text between `<!-- begin NAME -->` and `<!-- end NAME -->` belongs to this program, the rest of the
page to its authors. What has not been measured says so.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import common
import compare
import stages
import summary
from engines import SETTINGS

Row = dict[str, str]
DOCS = Path(__file__).parent.parent / "docs"
PAGE = "performance.md"
PAGES = ("benchmarks.md", PAGE, "physics.md")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table in Markdown; the first `left` columns are words, the others numbers."""
    lines = [head, ["---" if k < left else "--:" for k in range(len(head))], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def source(name: str, rows: Sequence[Row]) -> str:
    """A line that says where and when the numbers come from."""
    row = rows[0]
    dates = sorted({r["date"] for r in rows})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    commits = " and ".join(dict.fromkeys(r["commit"] for r in rows))
    parts = [f"`results/{name}.csv`", when, row["machine"], row["kernel"]]
    parts.append(f"Python {row['python']}")
    if row.get("simd"):
        parts.append(row["simd"])
    parts.append(f"commit {commits}")
    if row.get("run") == "quick":
        parts.append("**a quick run: fewer steps, fewer repetitions**")
    return "_" + " · ".join(parts) + "_"


def measured(name: str, make: Callable[[list[Row]], str], command: str = "") -> str:
    """What `make` says of a results file and where it comes from, or that there is no such file."""
    rows = common.read_csv(name)
    if not rows:
        return f"Not measured yet: `python benchmarks/{command or name + '.py'}`."
    return f"{make(rows)}\n\n{source(name, rows)}"


def by_scene(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows in groups of one scene, in the order of the file."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["scene"], []).append(row)
    return groups


# ------------------------------------------------------------------- the tables


def engines_table(rows: list[Row]) -> str:
    """Milliseconds per step of every engine in every scene."""
    labels = [label for label in SETTINGS if any(row["engine"] == label for row in rows)]
    versions = {row["engine"]: row["version"] for row in rows}
    head = ["scene", "bodies", "steps"]
    head += [f"{label} {versions[label]}, {SETTINGS[label][3]}" for label in labels]
    body = []
    for scene, group in by_scene(rows).items():
        times = {row["engine"]: f"{float(row['ms_per_step']):.2f}" for row in group}
        first = group[0]
        body.append(
            [scene, first["bodies"], first["steps"], *(times.get(label, "") for label in labels)]
        )
    return table(head, body)


def ratios_table(rows: list[Row]) -> str:
    """Geometric means and ranges of the ratios."""
    head = ["engine", "poses read", "against", "geometric mean", "lowest", "highest"]
    body = [
        [
            each.engine,
            each.reading or "no",
            each.ours,
            f"{each.mean:.2f}",
            f"{each.lowest:.2f}",
            f"{each.highest:.2f}",
        ]
        for each in compare.ratios(rows)
        if not each.engine.startswith("pyphys2d")
    ]
    return table(head, body, left=3)


def quality_table(rows: list[Row]) -> str:
    """Penetration and what became of the top body."""
    head = ["scene", "engine", "mean mm", "99 % mm", "deepest mm", "top sinks m", "top drifts m"]
    keys = ["penetration_mean_mm", "penetration_p99_mm", "penetration_max_mm"]
    keys += ["top_drop_m", "top_drift_m"]
    body = [[row["scene"], row["engine"], *(row[key] for key in keys)] for row in rows]
    return table(head, body, left=2)


def study_table(rows: list[Row]) -> str:
    """Whole steps against the study."""
    head = ["scene", "substeps", "steps", "ours ms", "study ms", "ours / study", "median of runs"]
    keys = ["scene", "substeps", "steps", "ours_ms", "study_ms", "ratio", "ratio_median"]
    return table(head, [[row[key] for key in keys] for row in rows])


def stages_table(rows: list[Row]) -> str:
    """Shares of the stages at the default number of substeps, and what pairs cost a body."""
    names = list(dict.fromkeys(row["stage"] for row in rows if row["stage"] != "step"))
    head = ["scene", "awake", "contacts", "ms/step", *(f"{name} %" for name in names)]
    head += ["pairs ns/body"]
    body = []
    for scene, group in by_scene([row for row in rows if row["substeps"] == "8"]).items():
        parts = {row["stage"]: row for row in group}
        summed = sum(float(parts[name]["ms_per_step"]) for name in names)
        shares = [f"{float(parts[name]['share_percent']):.0f}" for name in names]
        pairs = parts["pairs"]["ns_per_body"] if "pairs" in parts else ""
        first = group[0]
        body.append([scene, first["bodies"], first["contacts"], f"{summed:.2f}", *shares, pairs])
    return table(head, body)


def growth_table(rows: list[Row]) -> str:
    """Cost of a body by the number of bodies."""
    head = [
        "bodies",
        "contacts",
        "ms/step",
        "ns per body and step",
        "median",
        "ratio",
        "bytes/body",
    ]
    keys = ["ms_per_step", "ns_per_body", "ns_per_body_median", "ratio", "bytes_per_body"]
    body = [
        [f"{int(row['bodies']):,}", f"{int(row['contacts']):,}", *(row[key] for key in keys)]
        for row in rows
    ]
    return table(head, body, left=0)


def memory_table(rows: list[Row]) -> str:
    """Bytes of a body and of a contact."""
    keys = ["engine", "bodies", "contacts", "bytes_per_body", "bytes_per_contact"]
    head = ["engine", "bodies", "contacts", "bytes/body", "bytes/contact"]
    return table(head, [[row[key] for key in keys] for row in rows])


def threads_table(rows: list[Row]) -> str:
    """Speedups by the number of workers."""
    head = ["scene", "a core busy", "workers", "ms/step, best", "median", "speedup"]
    keys = ["scene", "busy", "workers", "ms_per_step", "ms_per_step_median", "speedup"]
    return table(head, [[row[key] for key in keys] for row in rows], left=2)


def sleepers_table(rows: list[Row]) -> str:
    """Cost of sleeping bodies."""
    head = ["views held", "awake", "asleep", "µs/step", "ratio", "ns per sleeper"]
    keys = ["views_held", "awake", "sleepers", "us_per_step", "ratio", "ns_per_sleeper"]
    return table(head, [[row[key] for key in keys] for row in rows])


def rays_table(rows: list[Row]) -> str:
    """Many rays at once against loops."""
    head = ["scene", "what", "ns per ray", "", "goal"]
    body = []
    for row in rows:
        sign = "≤" if row["unit"] == "ns" else "≥"
        goal = f"{sign} {row['target']}" if row["target"] else ""
        value = "" if row["unit"] == "ns" else f"{row['value']} ×"
        body.append([row["scene"], row["what"], row["ns_per_ray"], value, goal])
    return table(head, body, left=2)


def queries_table(rows: list[Row]) -> str:
    """Questions with shapes."""
    body = [[row["question"], row["what"], row["ns"], f"{row['ratio']} ×"] for row in rows]
    return table(["question", "what", "ns per question", "ratio"], body, left=2)


def list_table(rows: list[Row]) -> str:
    """A file with a row per thing measured, and its goal."""
    body = [
        [
            row["what"],
            f"{row['value']} {row['unit']}",
            f"≤ {row['target']}" if row["target"] else "",
        ]
        for row in rows
    ]
    return table(["what", "measured", "goal"], body)


def instructions_table(rows: list[Row]) -> str:
    """Instruction counts."""
    keys = ["scene", "steps", "million per step"]
    return table(
        ["scene", "steps", "million instructions a step"], [[r[k] for k in keys] for r in rows]
    )


# ------------------------------------------------------------------- the goals

Goal = tuple[str, str, str, bool]  # what, goal, measured, reached

# Mean penetration in Box2D v3.2 at its defaults, millimetres.
REFERENCE_DEPTHS = {
    "large_pyramid": 5.6,
    "many_pyramids": 0.6,
    "tumbler": 4.8,
    "washer": 9.6,
    "circles": 17,
}


def at_most(what: str, goal: float, value: float, detail: str = "") -> Goal:
    """A goal that is reached from above."""
    return what, f"≤ {goal:g}", f"{value:.2f}{detail}", value <= goal


def at_least(what: str, goal: float, value: float, detail: str = "") -> Goal:
    """A goal that is reached from below."""
    return what, f"≥ {goal:g}", f"{value:.2f}{detail}", value >= goal


def study_goals() -> list[Goal]:
    """Time of ours over time of the study, same settings."""
    rows = [row for row in common.read_csv("study") if row["substeps"] == "4"]
    return [
        at_most(f"whole step / study, 4 substeps, {row['scene']}", 1.35, float(row["ratio"]))
        for row in rows
    ]


def engine_goals() -> list[Goal]:
    """Times of other engines over ours, and penetration of ours over theirs."""
    rows = common.read_csv("compare")
    found = {(each.engine, each.reading, each.ours): each for each in compare.ratios(rows)}
    goals = []

    def worst(each: compare.Ratios) -> str:
        return f" ({min(each.by_scene, key=lambda scene: each.by_scene[scene])})"

    if each := found.get(("pymunk", "batch", "pyphys2d-4")):
        what = "pymunk by batch / ours at 4 substeps by view, every scene"
        goals.append(at_least(what, 6, each.lowest, worst(each)))
    if each := found.get(("pyb2d3", "", "pyphys2d-4")):
        what = "pyb2d3 / ours at 4 substeps, geometric mean"
        goals.append(at_least(what, 3, each.mean))
        wanted = {"joint_grid": 4, "rain": 2, "spinner": 3, "jointed_tumbler": 4.5}
        for scene, least in wanted.items():
            if scene in each.by_scene:
                what = f"pyb2d3 / ours at 4 substeps, {scene}"
                goals.append(at_least(what, least, each.by_scene[scene]))
    if each := found.get(("pyb2d3", "", "pyphys2d")):
        what = "pyb2d3 at 4 / ours at 8 substeps, every scene"
        goals.append(at_least(what, 1.5, each.lowest, worst(each)))
    for scene in compare.STANDING:
        depth = {
            row["engine"]: float(row["penetration_mean_mm"])
            for row in rows
            if row["scene"] == scene
        }
        if depth.get("pyb2d3") and "pyphys2d" in depth:
            what = f"mean penetration, ours at 8 / pyb2d3 at 4 substeps, {scene}"
            goals.append(at_most(what, 0.5, depth["pyphys2d"] / depth["pyb2d3"]))
    for row in rows:
        if row["engine"] == "pyphys2d" and row["scene"] in REFERENCE_DEPTHS:
            what = f"mean penetration at our defaults, mm, {row['scene']}"
            depth_mm = float(row["penetration_mean_mm"])
            goals.append(at_most(what, REFERENCE_DEPTHS[row["scene"]], depth_mm))
    return goals


def thread_goals() -> list[Goal]:
    """Two workers, on a free machine and beside a busy process."""
    goals = []
    free = {"many_pyramids": 1.8, "large_pyramid": 1.2, "washer": 1.2}
    for row in common.read_csv("threads"):
        if row["workers"] != "2" or row["scene"] not in free:
            continue
        if row["busy"] == "no":
            what = f"speedup by two workers, {row['scene']}"
            goals.append(at_least(what, free[row["scene"]], float(row["speedup"])))
        else:
            what = f"time of two workers / one, a core busy elsewhere, {row['scene']}"
            goals.append(at_most(what, 1.15, 1 / float(row["speedup"])))
    return goals


def joint_goals() -> list[Goal]:
    """What chains cost beside Box2D's, and whether joints and stacks are as stiff as promised."""
    rows = common.read_csv("stiffness")
    cost = {row["scene"]: int(row["ns_per_step"]) for row in rows if row["substeps"] == "4"}
    goals = []
    for scene, wanted in (("chain 30 x 1:1000", 1.5), ("64 chains 30 x 1:1000", 6)):
        if scene in cost and (theirs := cost.get(f"{scene}, Box2D")):
            what = f"Box2D / ours at 4 substeps, {scene}"
            goals.append(at_least(what, wanted, theirs / cost[scene]))
    if promised := [row for row in rows if row["promise"]]:
        kept = sum(row["verdict"] == "met" for row in promised)
        text = f"{kept} of {len(promised)}"
        goals.append(("stiffness, scenes as promised", "all", text, kept == len(promised)))
    return goals


def other_goals() -> list[Goal]:
    """Growth, pairs and sleepers."""
    goals = []
    if rows := common.read_csv("growth"):
        largest = max(rows, key=lambda row: int(row["bodies"]))
        what = f"ns per body and step at {int(largest['bodies']):,} bodies / at about 5,000"
        goals.append(at_most(what, 1.5, float(largest["ratio"])))
    for row in common.read_csv("stages"):
        if row["scene"] in stages.MIXED and row["stage"] == "pairs" and row["substeps"] == "8":
            share, cost = float(row["share_percent"]), float(row["ns_per_body"])
            what = f"finding pairs, {row['bodies']} mixed moving bodies, {row['scene']}"
            text = f"{share:.1f} %, {cost:.0f} ns"
            goals.append((what, "< 5 % or < 60 ns a body", text, share < 5 or cost < 60))
    for row in common.read_csv("sleepers"):
        if row["sleepers"] != "0" and row["views_held"] == "none":
            what = f"{int(row['sleepers']):,} sleepers and {row['awake']} awake / the awake alone"
            goals.append(at_most(what, 2, float(row["ratio"])))
    for row in common.read_csv("rays"):
        if row["target"]:
            goal = at_most if row["unit"] == "ns" else at_least
            words = {
                "cast_rays": "`cast_rays`, ns per ray",
                "loop": "our loop of single rays / `cast_rays`",
                "pymunk": "pymunk's loop / `cast_rays`",
                "two workers": "speedup of `cast_rays` by two workers",
            }
            what = f"{words[row['what']]}, {row['scene']}"
            goals.append(goal(what, float(row["target"]), float(row["value"])))
    return goals


def goals_table() -> str:
    """What is wanted, what was measured."""
    goals = [*study_goals(), *engine_goals(), *joint_goals(), *thread_goals(), *other_goals()]
    body = [[what, goal, text, "yes" if reached else "no"] for what, goal, text, reached in goals]
    if not body:
        return "Not measured yet."
    names = ["study", "compare", "threads", "growth", "stages", "sleepers", "queries", "stiffness"]
    quick = [name for name in names if any(r.get("run") == "quick" for r in common.read_csv(name))]
    note = f"\n\n**From quick runs: {', '.join(quick)}.**" if quick else ""
    return table(["what", "goal", "measured", "reached"], body) + note


def experiments_table(rows: list[Row]) -> str:
    """A line for every experiment: theory, and what each engine gives; the nearest in bold."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["experiment"], []).append(row)
    engines = list(dict.fromkeys(row["engine"] for row in rows))
    lines = []
    for group in groups.values():
        theory = float(group[0]["theory"])
        value = {row["engine"]: float(row["value"]) for row in group}
        least = min(abs(each - theory) for each in value.values())
        cells = []
        for engine in engines:
            text = f"{value[engine]:.2f}" if abs(value[engine]) < 1e4 else "diverges"
            near = abs(value[engine] - theory) <= least + 0.005
            cells.append(f"**{text}**" if near else text)
        what = f"{group[0]['text']}, {group[0]['unit']}"
        lines.append([what, f"{theory:g}", *cells])
    heads = [f"{row['engine']} {row['version']}" for row in next(iter(groups.values()))]
    return table(["experiment", "theory", *heads], lines)


def chains_table(rows: list[Row]) -> str:
    """A line for every kind of joint: of each set how many chains gain, and the most."""
    sets = list(dict.fromkeys(row["set"] for row in rows))
    cells: dict[str, list[str]] = {}
    for row in rows:
        worst = f"{float(row['worst']):.3f}" if float(row["worst"]) < 1e3 else "without end"
        text = f"{row['gained']} ({worst})" if int(row["gained"]) else "0"
        cells.setdefault(row["kind"], []).append(text)
    count = {row["set"]: f"{int(row['chains']):,}" for row in rows}
    return table(
        ["joints", *(f"{each}, of {count[each]}" for each in sets)],
        [[kind, *line] for kind, line in cells.items()],
    )


BLOCKS: dict[str, Callable[[], str]] = {
    "summary": lambda: table(["what", "result", "more"], summary.rows(), left=3),
    "goals": goals_table,
    "engines": lambda: measured("compare", engines_table),
    "ratios": lambda: measured("compare", ratios_table),
    "quality": lambda: measured("compare", quality_table),
    "study": lambda: measured("study", study_table, "compare.py --study SOURCE.c"),
    "stages": lambda: measured("stages", stages_table),
    "growth": lambda: measured("growth", growth_table),
    "memory": lambda: measured("memory", memory_table),
    "threads": lambda: measured("threads", threads_table, "threads.py --busy"),
    "sleepers": lambda: measured("sleepers", sleepers_table),
    "rays": lambda: measured("rays", rays_table),
    "queries": lambda: measured("queries", queries_table),
    "calls": lambda: measured("calls", list_table),
    "instructions": lambda: measured("instructions", instructions_table),
    "experiments": lambda: measured("physics", experiments_table, "physics.py"),
    "chains": lambda: measured("chains", chains_table),
}


def fill(text: str) -> str:
    """The page with every block written anew."""

    def block(match: re.Match[str]) -> str:
        name = match[1]
        if name not in BLOCKS:
            raise SystemExit(f"{PAGE}: no table is called {name!r}; known: {', '.join(BLOCKS)}")
        return f"<!-- begin {name} -->\n\n{BLOCKS[name]()}\n\n<!-- end {name} -->"

    pattern = r"<!-- begin (\w+) -->.*?<!-- end \1 -->"
    return re.sub(pattern, block, text, flags=re.DOTALL)


# ------------------------------------------------------------------- the plots


def plot_growth(path: Path) -> None:
    """ns per body and step over the number of bodies."""
    from matplotlib.figure import Figure

    rows = common.read_csv("growth")
    bodies = [int(row["bodies"]) for row in rows]
    figure = Figure(figsize=(7, 3.2), dpi=100, layout="constrained")
    axes = figure.subplots()
    median = [float(row["ns_per_body_median"]) for row in rows]
    best = [float(row["ns_per_body"]) for row in rows]
    axes.plot(bodies, median, "o--", color="#999999", label="median of the rounds")
    axes.plot(bodies, best, "o-", color="#0072B2", label="best of the rounds")
    axes.set(xscale="log", xlabel="bodies", ylabel="ns per body and step")
    axes.set_ylim(0, 1.15 * max(median))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Software": None})


def plot_stages(path: Path) -> None:
    """Shares of the stages, a bar for every scene."""
    from matplotlib.figure import Figure

    scenes = by_scene([row for row in common.read_csv("stages") if row["substeps"] == "8"])
    names = list(dict.fromkeys(row["stage"] for row in next(iter(scenes.values()))))
    # Okabe and Ito, "Color Universal Design" (2008)
    hues = ["#E69F00", "#D55E00", "#56B4E9", "#009E73", "#0072B2", "#CC79A7", "#F0E442", "#999999"]
    figure = Figure(figsize=(7, 0.8 + 0.32 * len(scenes)), dpi=100, layout="constrained")
    axes = figure.subplots()
    left = [0.0] * len(scenes)
    for number, name in enumerate(name for name in names if name != "step"):
        shares = [
            sum(float(row["share_percent"]) for row in group if row["stage"] == name)
            for group in scenes.values()
        ]
        axes.barh(list(scenes), shares, left=left, color=hues[number % len(hues)], label=name)
        left = [a + b for a, b in zip(left, shares, strict=True)]
    axes.set(xlim=(0, 100), xlabel="share of the step, %")
    axes.invert_yaxis()
    figure.legend(loc="outside upper center", ncols=len(names) - 1, fontsize="small")
    figure.savefig(path, metadata={"Software": None})


PLOTS = {"growth": plot_growth, "stages": plot_stages}


def main(arguments: list[str] | None = None) -> int:
    """Writes the page and its plots; or only looks, with --check."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare the tables")
    options = parser.parse_args(arguments)
    wrong = 0
    for page in (DOCS / name for name in PAGES if (DOCS / name).exists()):
        before = page.read_text()
        after = fill(before)
        if options.check and before != after:
            print(f"docs/{page.name} is not what the results say: python benchmarks/page.py")
            wrong = 1
        elif not options.check:
            page.write_text(after)
            print(f"wrote docs/{page.name}")
    if options.check:
        return wrong
    for name, plot in PLOTS.items():
        if common.read_csv(name):
            path = DOCS / "images" / f"performance-{name}.png"
            plot(path)
            print(f"wrote docs/images/{path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
