"""What type checkers make of the stubs."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
from typing import Any, Literal, assert_type

import numpy as np
import numpy.typing as npt

import pyphys2d as p2
from pyphys2d import geometry

Floats = npt.NDArray[np.float64]
Rule = Literal["geometric_mean", "max", "min", "average", "multiply"]
square = [(0, 0), (1, 0), (1, 1), (0, 1)]
many = np.zeros((5, 4, 2))
assert_type(geometry.area(square), float)
assert_type(geometry.area(many), Any)
assert_type(geometry.winding(square), int)
assert_type(geometry.is_convex(square), bool)
assert_type(geometry.second_moment(square, 2.0, about=(0, 0)), float)
assert_type(geometry.heading((1, 2)), float)
assert_type(geometry.heading([(1, 2), (3, 4)]), Floats)
assert_type(geometry.heading(np.zeros((3, 2))), Any)
assert_type(geometry.wrap_angle(7.0), float)
assert_type(geometry.wrap_angle([7.0, 8.0]), Floats)
assert_type(geometry.wrap_angle(np.zeros(3)), Any)
assert_type(geometry.point_in_circle((0, 0), (1, 1), 2), bool)
assert_type(geometry.point_in_polygon([(0, 0), (2, 2)], square), npt.NDArray[np.bool])
assert_type(geometry.mtv(p2.Circle(1), p2.Circle(1)), Floats | None)
assert_type(geometry.mtv([p2.Circle(1)], p2.Circle(1)), Floats)
assert_type(geometry.distance(p2.Circle(1), [p2.Circle(1)] * 3), npt.NDArray[np.void])
world = p2.World(solver="soft_step", friction_rule="max")
assert_type(world.friction_rule, Rule)
assert_type(world.bounds, Floats)
collider = world.add_body(p2.Circle(1), friction_rule=None).colliders[0]
assert_type(collider.friction_rule, Rule | None)
collider.shape = p2.Box(1, 1)
collider.segments = {"friction": [0.1, 0.2]}
world.add_bodies(p2.Circle(1), many[0], friction_rule=["max", None, "min", "max"])
for joint in world.joints:
    if joint.kind == "weld":
        print(joint)
run = p2.simulate(world, 1.0)
assert_type(run[world.bodies[0]], p2.Trajectory)
geometry.Path((0, 0)).line_to((1, 0)).fillet(0.1).close().polygon(0.01)
"""
WRONG = {
    'p2.World(friction_rule="sum")': "friction_rule",
    'p2.World(response="push")': "response",
    'geometry.point_in_polygon((0, 0), [(0, 0)], method="rays")': "point_in_polygon",
    'next(iter(p2.World().joints)).kind == "welded"': "overlap",
}


@pytest.mark.slow
def test_a_program_is_typed_as_it_runs(tmp_path):
    pytest.importorskip("mypy")
    lines = PROGRAM.strip().splitlines() + list(WRONG)
    program = tmp_path / "program.py"
    program.write_text("\n".join(lines) + "\n")
    root = Path(__file__).parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(program)],
        cwd=root, capture_output=True, text=True, env={"MYPYPATH": str(root), "PATH": ""},
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    for k, (source, word) in enumerate(WRONG.items()):
        number = len(lines) - len(WRONG) + 1 + k
        own = [line for line in errors if f"program.py:{number}:" in line]
        assert any(word in line for line in own), (source, errors, done.stderr)
        errors = [line for line in errors if line not in own]
    assert errors == []
