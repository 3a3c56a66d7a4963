"""The tables for those who come from another engine: every line of them runs."""

import re

import numpy as np
import pytest

import pyphys2d as p2

PAGES = ("from-pymunk", "from-box2d")
CODE = re.compile(r"`([^`]+)`")


def rows_of(page, repository):
    """What is theirs and what is ours, of each row of a page's tables."""
    text = (repository / "docs" / f"{page}.md").read_text()
    rows = []
    for line in text.splitlines():
        if line.startswith("## Examples"):
            break
        if not line.startswith("|") or set(line) <= set("|- "):
            continue
        theirs, ours, remark = (cell.strip() for cell in line.strip("|").split(" | ", 2))
        if "`" not in theirs:
            continue  # the head
        rows.append((CODE.findall(theirs), ours.strip(), remark.rstrip("| ").strip()))
    return rows


def scene():
    """What the lines name, some steps old."""
    world = p2.World(gravity=(0, -9.81))
    ground = world.add_body(p2.Segment((-20, 0), (20, 0)), kind="static")
    box = world.add_body(p2.Box(1, 1), (0, 0.5), name="box", user_data={"points": 3})
    ball = world.add_body(p2.Circle(0.5), (2, 0.5), restitution=0.5)
    collider = box.colliders[0]
    names = {"p2": p2, "np": np, "world": world, "ground": ground, "box": box, "ball": ball}
    names |= {"collider": collider, "shape": collider.shape}
    names["joint"] = world.add_revolute_joint(None, box, anchor=(0, 0.5))
    names["spring"] = world.add_distance_joint(box, ball, spring_hertz=2)
    for _ in range(10):
        world.step(1 / 60)
    return names


@pytest.mark.parametrize("page", PAGES)
def test_every_line_runs(page, repository):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    rows = rows_of(page, repository)
    assert len(rows) > 100
    wrong = []
    for theirs, ours, remark in rows:
        if ours == "—":
            assert remark, f"{theirs}: says neither what nor why"
            continue
        code = CODE.fullmatch(ours)
        assert code, f"{theirs}: {ours} is not one line of code"
        names = scene()
        try:
            world = names["world"]
            exec(compile(code[1], theirs[0], "exec"), names)
            world.step(1 / 60)
        except Exception as error:
            wrong.append(f"{theirs[0]}: {code[1]}: {error!r}")
        pyplot.close("all")
    assert not wrong, "\n".join(wrong)


def test_every_name_of_pymunk_is_there(repository):
    """Of the version that is installed, which may be older than the table's."""
    pymunk = pytest.importorskip("pymunk")
    listed = {name for theirs, _, _ in rows_of("from-pymunk", repository) for name in theirs}
    missing = []
    for name, value in vars(pymunk).items():
        if name.startswith("_") or getattr(value, "__module__", "pymunk").split(".")[0] != "pymunk":
            continue
        if isinstance(value, type):
            members = [each for each in vars(value) if not each.startswith("_")]
            missing += [f"{name}.{each}" for each in members if f"{name}.{each}" not in listed]
        if isinstance(value, type) or callable(value):
            missing += [name] if name not in listed else []
    assert not missing
