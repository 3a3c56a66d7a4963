"""The benchmarks run, on little work; what they write can be read, and the page says what it says.
Nothing here looks at how long anything takes.
"""

import csv
import platform
import re
import shutil
import sys
from importlib.util import find_spec

import numpy as np
import pytest

ROWS = {"date", "machine", "kernel", "commit", "simd", "run"}


@pytest.fixture(autouse=True)
def results(repository, tmp_path, monkeypatch):
    """A folder for the results; the benchmarks can be imported."""
    if not (repository / "benchmarks" / "common.py").is_file():
        pytest.skip("the benchmarks are not here")
    monkeypatch.setattr(sys, "path", [*sys.path, str(repository / "benchmarks")])
    import common

    monkeypatch.setattr(common, "RESULTS", tmp_path / "results")
    return tmp_path / "results"


def read(results, name):
    with (results / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0].keys() >= ROWS
    return rows


@pytest.mark.slow
def test_compare_measures_ours_at_both_settings(results):
    import compare

    arguments = ["tumbler", "large_pyramid", "--engines", "pyphys2d", "pyphys2d-4"]
    compare.main([*arguments, "--steps", "3", "--repeats", "2"])
    rows = read(results, "compare")
    assert [(row["scene"], row["engine"]) for row in rows] == [
        (scene, engine)
        for scene in ("large_pyramid", "tumbler")
        for engine in ("pyphys2d", "pyphys2d-4")
    ]
    assert all(float(row["ms_per_step"]) > 0 and float(row["read_view_ms"]) > 0 for row in rows)
    assert all(row["top_drop_m"] != "" for row in rows if row["scene"] == "large_pyramid")
    assert {row["read_loop_ms"] for row in rows} == {""}
    compare.main(["tumbler", *arguments[2:], "--steps", "2", "--repeats", "1"])
    again = read(results, "compare")
    assert again[:2] == rows[:2]
    assert [row["steps"] for row in again] == ["3", "3", "2", "2"]


def test_ratios_are_geometric_means_with_reading():
    import compare

    def row(scene, engine, step, view="", batch=""):
        return {
            "scene": scene,
            "engine": engine,
            "ms_per_step": str(step),
            "read_view_ms": str(view),
            "read_batch_ms": str(batch),
            "read_loop_ms": "",
        }

    rows = [
        row("a", "pyphys2d", 1, view=1),
        row("a", "pymunk", 4, batch=2),
        row("b", "pyphys2d", 3, view=1),
        row("b", "pymunk", 16, batch=8),
        row("c", "pymunk", 100, batch=1),  # without a time of ours: not counted
    ]
    found = {(each.engine, each.reading, each.ours): each for each in compare.ratios(rows)}
    assert found.keys() == {("pymunk", "", "pyphys2d"), ("pymunk", "batch", "pyphys2d")}
    plain, batch = found["pymunk", "", "pyphys2d"], found["pymunk", "batch", "pyphys2d"]
    assert plain.by_scene == {"a": 2, "b": 4}
    assert batch.by_scene == {"a": 3, "b": 6}
    assert plain.mean == pytest.approx(8**0.5, rel=1e-12)
    assert (plain.lowest, plain.highest) == (2, 4)


STUDY = r"""// A program that knows the scenes by name and is busy for 20 ms a step.
// Build:
//   gcc -O1 -msse2 busy.c -o busy -lm
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv) {
    if (argc != 5) return 1;
    clock_t start = clock();
    while (clock() - start < atoi(argv[2] + 6) * (CLOCKS_PER_SEC / 50)) {}
    printf("%s: 2.5 ms/step with %s %s %s\n", argv[1], argv[2], argv[3], argv[4]);
    return 0;
}
"""


@pytest.mark.skipif(not shutil.which("gcc"), reason="the study is built with gcc")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the line that builds it is for x86")
def test_a_study_is_built_by_the_line_in_its_head_and_runs_beside_ours(results, tmp_path):
    import compare

    source = tmp_path / "busy.c"
    source.write_text(STUDY)
    small = ["--steps", "3", "--repeats", "1"]
    compare.main(["tumbler", "circles", "--study-only", "--study", str(source), *small])
    rows = read(results, "study")
    assert [(row["scene"], row["substeps"]) for row in rows] == [("tumbler", "4"), ("tumbler", "8")]
    assert {row["study_wall_ms"] for row in rows} == {"2.5"}
    for row in rows:
        ours, study = float(row["ours_ms"]), float(row["study_ms"])
        assert ours > 0
        assert study == pytest.approx(20, rel=0.5)  # processor time, which it counts itself
        assert float(row["ratio"]) == pytest.approx(ours / study, abs=6e-4)


@pytest.mark.parametrize("steps", [1, 3])
def test_a_study_too_short_to_be_timed_is_refused(steps, tmp_path, monkeypatch):
    import study

    monkeypatch.setattr(study, "run_study", lambda *_: (0.01, 2.5))
    with pytest.raises(SystemExit, match=f"tumbler: {steps} steps of the study are too short"):
        study.time_study(tmp_path, "tumbler", steps, 4)


def test_a_study_without_a_build_line_is_refused(tmp_path):
    import compare

    source = tmp_path / "mute.c"
    source.write_text("int main(void) { return 0; }\n")
    with pytest.raises(SystemExit, match="no line with the compiler's command"):
        compare.main(["--study-only", "--study", str(source)])


@pytest.mark.slow
def test_growth_counts_bodies_and_memory(results):
    import growth

    growth.main(["--copies", "2", "1", "--rounds", "2", "--warm-up", "2"])
    rows = read(results, "growth")
    assert [int(row["bodies"]) for row in rows] == [56, 221]  # and the ground
    assert [int(row["contacts"]) for row in rows] == [145, 580]  # 10 on the floor, 135 between
    assert all(float(row["ns_per_body"]) <= float(row["ns_per_body_median"]) for row in rows)


@pytest.mark.slow
def test_memory_counts_what_a_body_and_a_contact_take(results, monkeypatch):
    import memory

    monkeypatch.setattr(memory, "ENGINES", ("pyphys2d-4",))
    memory.main(["--copies", "6"])
    (row,) = read(results, "memory")
    assert row["engine"] == "pyphys2d"
    assert (int(row["bodies"]), int(row["contacts"])) == (1980, 5220)
    assert int(row["bytes_per_body"]) > 91  # its live arrays alone
    assert int(row["bytes_per_contact"]) > 64  # its manifold alone


def test_threads_ends_alike_also_beside_a_busy_process(results):
    import threads

    threads.main(
        ["--scenes", "large_pyramid", "--runs", "1", "--steps", "2", "--warm-up", "1", "--busy"]
    )
    rows = read(results, "threads")
    assert [(row["workers"], row["busy"]) for row in rows] == [
        ("1", "no"),
        ("2", "no"),
        ("1", "yes"),
        ("2", "yes"),
    ]
    assert len({row["hash"] for row in rows}) == 1
    assert float(rows[0]["speedup"]) == 1


def test_stages_share_out_the_step(results):
    import stages

    stages.main(["tumbler", "junkyard", "--steps", "3", "--worlds", "2"])
    rows = read(results, "stages")
    for substeps in ("8", "4"):
        for scene in ("tumbler", "junkyard"):
            parts = {
                row["stage"]: float(row["ms_per_step"])
                for row in rows
                if row["scene"] == scene and row["substeps"] == substeps
            }
            whole = parts.pop("step")
            assert len(parts) >= 6
            assert sum(parts.values()) == pytest.approx(whole, abs=1e-4)


def test_the_mixed_scenes_move_and_stay_in_their_pens():
    import stages

    for make in stages.MIXED.values():
        world = make(60)
        world.step(1 / 60, 120)
        moving = world.kinds == 2
        assert moving.sum() == 60
        assert (np.hypot(*world.velocities[moving].T) > 0).all()
        assert (np.abs(world.positions[moving, 0]) < 5).all()  # 8 columns and half a metre of air
        assert (np.abs(world.positions[moving, 1] - 5) < 6).all()


def test_sleepers_do_not_change_what_the_awake_do(results):
    import sleepers

    sleepers.main(["--awake", "5", "--sleepers", "120", "--rounds", "2", "--steps", "3"])
    rows = read(results, "sleepers")
    assert [row["sleepers"] for row in rows] == ["0", "120", "120", "120"]
    assert float(rows[0]["ratio"]) == 1


def test_stiffness_tells_what_is_promised_and_kept(results):
    import stiffness

    stiffness.main(["--only", "ring 1:1", "--substeps", "8", "--quick"])
    rows = read(results, "stiffness")
    assert [row["scene"] for row in rows] == ["ring 1:100", "ring 1:1000"]
    assert all(row["verdict"] == "met" and float(row["joint"]) < 0.02 for row in rows)
    assert all(int(row["ns_per_step"]) > 0 for row in rows)


def test_the_page_is_made_from_the_files(results, repository, tmp_path, monkeypatch):
    import page
    import sleepers

    sleepers.main(["--awake", "5", "--sleepers", "120", "--rounds", "2", "--steps", "3", "--quick"])
    docs = tmp_path / "docs"
    (docs / "images").mkdir(parents=True)
    (docs / "performance.md").write_text(
        "# Words stay\n<!-- begin sleepers -->old<!-- end sleepers -->\nand stay.\n"
        "<!-- begin growth -->\n<!-- end growth -->\n<!-- begin goals --><!-- end goals -->"
    )
    monkeypatch.setattr(page, "DOCS", docs)
    assert page.main(["--check"]) == 1
    assert page.main([]) == 0
    assert page.main(["--check"]) == 0
    text = (docs / "performance.md").read_text()
    assert text.startswith("# Words stay\n")
    assert "\nand stay.\n" in text
    assert "old" not in text
    for row in read(results, "sleepers"):
        line = f"| {row['awake']} | {row['sleepers']} | {row['us_per_step']} | {row['ratio']} |"
        assert line in text
    assert "a quick run" in text
    assert "Not measured yet: `python benchmarks/growth.py`." in text
    assert "| 120 sleepers and 5 awake / the awake alone | ≤ 2 |" in text
    assert "**From quick runs: sleepers.**" in text


def test_the_summary_says_what_the_files_say(repository):
    folder = repository / "benchmarks" / "results"
    if not folder.is_dir():
        pytest.skip("the results are not here")
    text = (repository / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    times = {(r["scene"], r["engine"]): float(r["ms_per_step"]) for r in read(folder, "compare")}
    scenes = [scene for scene, engine in times if engine == "pyb2d3"]
    ratios = [times[scene, "pyb2d3"] / times[scene, "pyphys2d-4"] for scene in scenes]
    mean = np.prod(ratios) ** (1 / len(ratios))
    line = f"4 substeps each | {mean:.1f} times as long ({len(ratios)} scenes: {min(ratios):.1f} to"
    assert line in text
    most = read(folder, "growth")[-1]
    assert f"{int(most['bodies']):,} bodies" in text
    assert f"{float(most['ms_per_step']):.0f} ms" in text
    rays = [float(r["ns_per_ray"]) for r in read(folder, "rays") if r["what"] == "cast_rays"]
    assert f"| {min(rays):.0f} to {max(rays):.0f} ns |" in text


def test_the_page_in_docs_is_what_the_results_say(repository, monkeypatch, capsys):
    import common
    import page

    folder = repository / "benchmarks" / "results"
    if not folder.is_dir():
        pytest.skip("the results are not here")
    monkeypatch.setattr(common, "RESULTS", folder)
    assert page.main(["--check"]) == 0, capsys.readouterr().out
    text = "".join((repository / "docs" / name).read_text() for name in page.PAGES)
    assert re.findall(r"<!-- begin (\w+) -->", text) == list(page.BLOCKS)
    for picture in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text):
        assert (repository / "docs" / picture).is_file()


def test_questions_with_shapes_are_measured(results):
    import queries

    queries.main(["--quick"])
    rows = read(results, "queries")
    other = {"pymunk"} if find_spec("pymunk") else set()
    assert {row["what"] for row in rows} >= {"at once", "loop", "two workers"} | other
    assert all(float(row["ns"]) > 0 and float(row["ratio"]) > 0 for row in rows)
    assert {row["run"] for row in rows} == {"quick"}


def test_free_chains_of_springs_gain_nothing(results):
    import chains

    weld = chains.measure("weld", "damped", quick=True)
    assert len(weld) == 50
    assert weld.max() <= chains.GAINED  # theory: nothing gives energy
    again = chains.measure("weld", "damped", quick=True)
    np.testing.assert_array_equal(weld, again)
    held = chains.measure("revolute", "undamped held", quick=True)
    assert held.max() <= chains.GAINED


@pytest.mark.slow
def test_chains_of_every_kind_and_set_have_a_row(results):
    import chains

    chains.main(["--quick", "--threads", "2"])
    rows = read(results, "chains")
    assert len(rows) == len(chains.KINDS) * len(chains.SETS)
    for row in rows:
        assert (int(row["gained"]) > 0) == (float(row["worst"]) > chains.GAINED)
        assert int(row["chains"]) == chains.SETS[row["set"]].chains // 10
        if row["set"] == "damped":
            assert int(row["gained"]) == 0, row["kind"]


@pytest.mark.slow
def test_experiments_are_compared_with_theory(results):
    import physics

    physics.main(["--quick"])
    rows = read(results, "physics")
    ours = {row["experiment"]: row for row in rows if row["engine"] == "pyphys2d"}
    assert list(ours) == [each.run.__name__ for each in physics.EXPERIMENTS]
    for name in "near_misses", "glancing_hits", "flat_impact", "balls_on_tiles", "columns":
        assert float(ours[name]["value"]) < 0.1
    for name in "cradle", "slow_fall":
        assert float(ours[name]["value"]) == pytest.approx(100, abs=0.1)
