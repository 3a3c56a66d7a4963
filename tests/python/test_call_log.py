"""Call logs: what changes a world is in them, and a replay has the same hash behind every step."""

import ast
import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import warnings
import zlib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import _call_format, _calls, _core, _replay

STUB = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text())

# Methods that leave a world as it is. What is in neither table has to be judged.
READING = {
    "World": {
        *("_repr_svg_", "_repr_html_", "angular_momentum", "kinetic_energy", "potential_energy"),
        *("momentum", "hash", "tree", "cast_ray", "cast_ray_all", "cast_rays", "cast_shape"),
        *("cast_shapes", "time_of_impact", "times_of_impact", "nearest", "distances", "at"),
        *("query_aabb", "overlap", "overlaps", "touching", "snapshot", "from_snapshot", "fork"),
        *("diff", "check", "record_calls", "__copy__", "__deepcopy__", "__reduce_ex__", "_state"),
        *(
            "__getitem__",
            "_from_state",
            "_floor",
            "_clone",
            "_has_log",
            "_set_log",
            "_written",
            "draw_list",
        ),
        *("record", "__new__", "contact", "contacts_of"),
    },
    "Body": {
        *("__reduce__", "__eq__", "_repr_svg_", "_repr_html_", "to_world", "to_local"),
        *("velocity_at", "contains", "convex_hull"),
    },
    "Collider": {
        *("__reduce__", "__eq__", "_repr_svg_", "_repr_html_", "ray_cast", "closest_point"),
    },
    "Joint": {"__reduce__", "__eq__"},
    "Field": {"__reduce__", "__eq__"},
}
LAWS = {"add_spring_law", "_add_spring_law", "_drop_spring_laws"}
# These go by records of their own, or by what they call.
OTHERWISE = {"World": {"step", "stages", "restore", "_write", "_set_pair_filter", *LAWS}}


def family(name):
    if name.endswith("Joint"):
        return "Joint"
    return "Field" if name in ("Fluid", "Drag", "Wind", "PointGravity") else name


CLASSES = [
    node for node in STUB.body if isinstance(node, ast.ClassDef) and family(node.name) in READING
]


def methods(node):
    return {
        item.name
        for item in node.body
        if isinstance(item, ast.FunctionDef)
        and not any(
            ast.unparse(mark) == "property" or ast.unparse(mark).endswith(".setter")
            for mark in item.decorator_list
        )
    }


def setters(node):
    return [
        item.name
        for item in node.body
        if isinstance(item, ast.FunctionDef)
        and any(ast.unparse(mark).endswith(".setter") for mark in item.decorator_list)
    ]


@pytest.mark.parametrize("node", CLASSES, ids=lambda node: node.name)
def test_every_method_is_logged_or_reads(node):
    kind = family(node.name)
    logged, otherwise = _call_format.METHODS.get(kind, set()), OTHERWISE.get(kind, set())
    assert methods(node) <= logged | READING[kind] | otherwise
    assert not READING[kind] & (logged | otherwise)


def test_no_method_is_listed_in_vain():
    there = {kind: set() for kind in READING}
    for node in CLASSES:
        there[family(node.name)] |= methods(node)
    functions = {node.name for node in STUB.body if isinstance(node, ast.FunctionDef)}
    for kind, names in _call_format.METHODS.items():
        assert names <= there[kind] | functions
    for kind, names in READING.items():
        assert names <= there[kind]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.calls"


def replayed(path, world=None, widths=p2.simd.available):
    """By every width, with 1, 2 and 3 workers in turn: the same, up to the end of the world."""
    result = None
    for k, width in enumerate(widths):
        _core._set_simd(width)
        try:
            result = p2.replay(path, workers=k % 3 + 1)
        finally:
            _core._set_simd(None)
        assert result.same, str(result)
        assert result.complete
        if world is not None:
            assert result.world.hash() == world.hash()
            assert world.diff(result.world) == []
    return result


def pile(**options):
    world = p2.World(**options)
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static", name="floor")
    for k in range(12):
        world.add_body(p2.Box(1, 1), (k % 3 - 1, 0.5 + k // 3), name=f"b{k}")
    return world


def one_of_each():
    """A world, and an object of every class of handles in it."""
    world = pile(sleeping=False)
    a, b, c = (world.add_body(p2.Circle(0.3), (x, 5)) for x in (-3, 0, 3))
    hinge = world.add_revolute_joint(None, a)
    slide = world.add_prismatic_joint(a, b, axis=(1, 0))
    things = [
        *(world, a, a.colliders[0], hinge, slide),
        *(world.add_distance_joint(a, b), world.add_weld_joint(a, c)),
        *(world.add_wheel_joint(a, c, axis=(0, 1)), world.add_motor_joint(a, c)),
        *(world.add_mouse_joint(c), world.add_filter_joint(b, c)),
        world.add_pulley_joint(a, b, ground_a=(-3, 9), ground_b=(0, 9)),
        *(world.add_ratchet_joint(a, b, tooth=0.5), world.add_gear_joint(hinge, slide, 1.5)),
        world.add_rotary_joint(a, c, stiffness=2),
        *(world.add_fluid(-10, density=1), world.add_drag(linear=1), world.add_wind((1, 0))),
        world.add_point_gravity((0, 0), 1),
    ]
    return world, things


# Settings of the other solver.
SEQUENTIAL = {
    "iterations": 3,
    "baumgarte": 0.5,
    "slop": 0.001,
    "warm_starting": False,
    "accumulate": False,
    "positional_correction": 0.1,
    "response": "translate",
}


def test_settings_of_the_other_solver_are_logged(path):
    world = pile(solver="sequential_impulses")
    with world.record_calls(path):
        for name, value in SEQUENTIAL.items():
            setattr(world, name, value)
            world.step(n=2)
        world.solver = "soft_step"
        world.substeps = 3
        world.step(n=2)
    assert replayed(path, world).calls == len(SEQUENTIAL) + 2


def test_every_attribute_that_can_be_set_is_logged(path):
    world, things = one_of_each()
    by_class = {type(thing).__name__: thing for thing in things}
    done = []
    with world.record_calls(path):
        for node in CLASSES:
            for name in setters(node):
                if node.name == "Joint" or name in _call_format.UNLOGGED or name in SEQUENTIAL:
                    continue
                thing = by_class[node.name]
                setattr(thing, name, getattr(thing, name))
                done.append((node.name, name))
        world.step(n=3)
    assert len(done) > 80
    assert replayed(path, world).calls == len(done)


def test_every_method_that_changes_is_logged(path):
    world, things = one_of_each()
    body, hinge = things[1], things[3]
    joints = {kind: things[3 + k] for k, kind in enumerate(_core.JOINT_KINDS)}
    with world.record_calls(path):
        before = 0
        body.apply_force((1, 2), point=[0, 5])
        body.apply_impulse(np.array([0.1, 0]))
        body.apply_torque(0.5)
        body.apply_angular_impulse(0.25)
        body.attach(p2.Circle(0.1, (0.2, 0)), density=2)
        body.wake()
        body.sleep()
        hinge.set_limits(-1, None)
        world.explode((0, 3), 2, 1)
        plank = world.add_body(p2.Box(2, 0.4), (-6, 4), user_data=object())
        world.slice(plank, (-6, 0), (-6, 9))
        hand = world.add_body(p2.Circle(0.2), (8, 8), kind="kinematic")
        hand.move_to((8, 8.1), 0.1, 1 / 60)
        world.add_bodies([p2.Circle(0.2)], np.array([[4.0, 4], [5, 5]]))
        world.add_revolute_joint(hand, body)
        _core._set_joint_frame(hinge, _core._joint_frame(hinge))
        world.add_drag(linear=1)
        world.add_wind((1, 0))
        world.add_fluid([(-9.0, -3.0), (9, -3)], density=2)
        world.add_point_gravity((0, 9), 2)
        world._wake_joints([hinge, joints["weld"]])
        state = world.snapshot()
        world.step(n=4)
        world.remove(joints["gear"])
        world.remove(body)
        world.step(n=4)
        world.restore(state)
        world.step()
        before = 24
    result = replayed(path, world)
    assert (result.calls, result.steps) == (before, 9)


def test_setting_what_cannot_be_set_changes_nothing(path):
    world = pile()
    body = world.bodies[1]
    with world.record_calls(path):
        for name, value in (("velocity", "fast"), ("mass", -1), ("kind", "gas"), ("angle", None)):
            with pytest.raises((TypeError, ValueError)):
                setattr(body, name, value)
        with pytest.raises(TypeError):
            del body.velocity
        with pytest.raises(TypeError):
            world.add_body(object())
        with pytest.raises(ValueError, match="another world"):
            world.remove(p2.World().add_body())
        world.step()
    assert replayed(path, world).calls == 0


# ------------------------------------------------------------------------------------------- values
@pytest.mark.parametrize(
    "make",
    [
        *(lambda: (1, -2.5), lambda: [1, 2], lambda: np.array([1, 2]), lambda: range(2)),
        *(lambda: np.array([1, 2], ">f4"), lambda: np.array([3, 1], object)),
        *(lambda: (np.float32(0.1), np.int16(2)), lambda: (Fraction(1, 3), Decimal("0.1"))),
        *(lambda: np.ones(2, "f2"), lambda: (x for x in (0.5, -0.5)), lambda: (-0.0, 5e-324)),
        *(lambda: np.ma.array([1.0, 2.0]), lambda: (2**40, -(2**40)), lambda: bytearray(2)),
        *(lambda: np.array([1.0, 9, 2, 9])[::2], lambda: memoryview(np.array([1.5, 2.5]))),
        *(lambda: (np.bool_(True), False), lambda: "ab", lambda: {1: 2}, lambda: {1.0, 2.0}),
        *(lambda: np.longdouble([1, 2]), lambda: (1, np.longdouble(0.1)), lambda: None),
    ],
)
def test_arguments_of_any_type_are_kept_exactly(make, path):
    """What is taken without a log is taken with one, and as the same numbers."""
    outcomes = []
    for logged in (False, True):
        world = pile()
        with world.record_calls(path) if logged else contextlib.nullcontext():
            try:
                world.bodies[1].velocity = make()
            except (TypeError, ValueError) as error:
                outcomes.append(type(error))
            else:
                outcomes.append(world.bodies[1].velocity.tobytes())
    assert outcomes[0] == outcomes[1]
    result = p2.replay(path)
    assert result.same
    assert result.calls == isinstance(outcomes[0], bytes)
    assert result.world.hash() == world.hash()


@pytest.mark.parametrize(
    "shape",
    [
        p2.Circle(0.5, (0.1, 0.2)),
        p2.Polygon([(0, 0), (3, 0), (3, 0.7), (1, 1), (0.3, 3)], recenter=True),
        p2.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], holes=[[(1, 1), (1, 2), (2, 2), (2, 1)]]),
        p2.Polygon([(0, 0), (1, 0), (0, 1)], radius=0.1),
        p2.Box(1, 2, (0.1, 0.2), 0.3, 0.05),
        p2.RegularPolygon(7, 0.5, (0.1, 0), 0.2, 0.05),
        p2.Capsule((0, 0), (1, 0.3), 0.2),
        p2.Segment((0, 0), (1, 1)),
        p2.Chain([(0, 0), (1, 1), (2, 0)], loop=True),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_shapes_are_kept_exactly(shape, path):
    world = pile()
    with world.record_calls(path):
        world.add_body(shape, (0, 8), mass=2, angle=0.3)
        world.step(n=30)
    replayed(path, world)


class Odd:
    """Taken for two numbers, once."""

    def __init__(self):
        self.left = 1

    def __array__(self, dtype=None, copy=None):
        self.left -= 1
        return np.array([self.left, 2.0])


def test_an_argument_is_asked_for_its_numbers_once(path):
    world = pile()
    odd = Odd()
    with world.record_calls(path):
        world.bodies[1].velocity = odd
    assert odd.left == 0
    replayed(path, world)


def test_what_was_changed_behind_the_call_was_not_called_with(path):
    world = pile()
    velocity = np.array([1.0, 2.0])
    with world.record_calls(path):
        world.bodies[1].velocity = velocity
        velocity[:] = 9
        world.step()
    replayed(path, world)


# -------------------------------------------------------------------------------------- live arrays
def test_writes_to_live_arrays(path):
    world = pile(sleeping=False)
    velocities = world.velocities
    with world.record_calls(path) as log:
        velocities[3] = (1, 2)
        world.step()
        world.positions[4] += (0, 3)  # of a view that is dropped at once
        world.bodies[4].apply_impulse((1, 0))  # behind it
        velocities[3] *= 2
        world.bodies[3].apply_impulse((0, 1))
        velocities[3] *= 2  # behind that
        world.step(n=3)
        world.torques[:] = 0.5
        world.forces[5, 1] = -0.0
        world.step()
        log.flush()
        world.angles[2] = 1
        world.angular_velocities = np.linspace(0, 1, len(world.angles))
        world.step()
        velocities[6] = 3  # and nothing behind it
    result = replayed(path, world)
    assert result.writes >= 7
    assert result.calls == 3


def test_rows_that_no_body_has_are_not_written(path):
    world = pile()
    world.remove(world.bodies[3])
    with world.record_calls(path):
        world.velocities[3] = 5
        world.step()
    assert replayed(path, world).writes == 0


def test_a_number_that_a_step_refuses_is_written_and_mended(path):
    world = pile()
    velocities = world.velocities
    with world.record_calls(path):
        velocities[2] = np.nan
        for _ in range(2):
            with pytest.raises(ValueError, match="velocities: body 2"):
                world.step()
        velocities[2] = 1
        world.step()
    result = replayed(path, world)
    assert (result.writes, result.steps) == (2, 1)


def test_slots_that_come_while_views_are_about(path):
    world = pile()
    view = world.positions
    with world.record_calls(path):
        for k in range(100):
            body = world.add_body(p2.Circle(0.2), (0, 20 + k))
            world.positions[body.index] += 1
            world.velocities[1:, 0] += 0.01
            world.step()
            view = world.velocities if k % 2 else view
    replayed(path, world, widths=p2.simd.available[-1:])


# -------------------------------------------------------------------------------------------- hooks
def test_what_an_on_force_hook_does(path):
    world = pile()
    seen = []

    def lift(world):
        seen.append(world.step_count)
        body = world.bodies[1 + len(seen) % 5]
        body.apply_force((0, 20 * len(seen)))
        world.forces[2] += 3
        if len(seen) == 4:
            world.remove(world.bodies[12])

    world.on_force = lift
    with world.record_calls(path):
        world.step(n=6)
        world.on_force = None
        world.step(n=2)
    assert len(seen) == 6
    assert replayed(path, world).steps == 8


@pytest.mark.parametrize("stages", [False, True])
def test_what_a_pre_solve_hook_does(stages, path):
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    for k in range(6):
        world.add_body(p2.Box(1, 1), (2 * k - 5, 0.6), pre_solve=True, velocity=(2, 0))
    calls = []

    def judge(contacts):
        calls.append(len(contacts))
        contacts["friction"][::2] = 0.01 * len(calls)
        contacts["tangent_speed"][1:2] = 1.5
        contacts["restitution"][2:3] = 0.7
        contacts["enabled"][3:4] = len(calls) % 3 == 0

    world.on_pre_solve = judge
    with world.record_calls(path):
        for k in range(60):
            if k == 40:
                world.on_pre_solve = None
            if stages:
                list(world.stages())
            else:
                world.step()
    assert sum(calls) > 30
    replayed(path, world)


def test_a_step_that_a_hook_failed_is_not_made(path):
    world = pile()
    world.colliders[3].pre_solve = True

    def fail(contacts):
        contacts["friction"][:] = 0
        raise KeyError("no")

    with world.record_calls(path):
        world.step(n=3)
        world.on_pre_solve = fail
        with pytest.raises(KeyError):
            world.step(n=3)
        world.on_pre_solve = None
        world.on_force = lambda world: (world.bodies[2].apply_force((5, 5)), 1 / 0)
        with pytest.raises(ZeroDivisionError):
            world.step()
        world.on_force = None
        world.step()
    result = replayed(path, world)
    assert (result.steps, result.calls) == (4, 1)


def test_stages(path):
    world = pile()
    velocities = world.velocities
    with world.record_calls(path):
        velocities[3] = (1, 0)
        with world.stages() as stages:
            velocities[4] = 7  # lost: the step takes over
            list(stages)
        with world.stages() as stages:
            next(stages)
            velocities[5] = 2  # stays: there is no step
            world.bodies[5].name = "written"
        world.step()
    assert replayed(path, world).steps == 2


# ------------------------------------------------------------------------------------- what differs
def test_the_first_difference_is_found(path):
    world = pile()
    with world.record_calls(path, state_every=4):
        for k in range(12):
            world.bodies[2].velocity = (k / 10, 0)
            world.step()
    records = decoded(path)
    steps = [k for k, record in enumerate(records) if record[:1] == b"S"]
    at = steps[6] - 1
    while records[at][:1] != b"C":
        at -= 1
    wrong = bytearray(records[at])
    place = wrong.index(_call_format.REAL.pack(0.6))
    wrong[place : place + 8] = _call_format.REAL.pack(0.7)
    records[at] = bytes(wrong)
    write(path, [records[:-1], [b"E"]])
    result = p2.replay(path)
    assert not result.same
    assert result.complete
    difference = result.difference
    assert (difference.step, difference.at) == (7, 8)
    assert [row[0] for row in difference.diff][:1] == ["bodies[2].position"]
    assert "step 7: hash" in str(result)
    assert "bodies[" in str(result)


def test_ids_are_compared(path):
    world = pile()
    with world.record_calls(path):
        world.add_body(p2.Circle(1))
    records = decoded(path)
    call = bytearray(next(record for record in records if record[:1] == b"C"))
    call[-8] ^= 1
    write(path, [[*(record if record[:1] != b"C" else bytes(call) for record in records)]])
    assert "gave ids" in str(p2.replay(path))


def test_ids_behind_a_restore(path):
    world = pile()
    state = world.snapshot()
    world.remove(world.bodies[3])
    world.restore(state)
    with world.record_calls(path):
        world.add_body(p2.Circle(1), (9, 9))
        world.remove(world.bodies[4])
        world.step()
        world.restore(state)
        world.add_body(p2.Circle(1), (8, 9))
        world.step()
    replayed(path, world)


def test_islands_of_before_the_log(path):
    world = pile(sleeping=True)
    world.step(n=20)
    with world.record_calls(path):
        world.bodies[3].sleep()
        world.step()
        world.bodies[5].sleep()
        world.step()
    replayed(path, world)


# -------------------------------------------------------------------------------------------- files
class Split(_replay._Player):
    """Keeps the bytes of each record."""

    def __init__(self, path):
        super().__init__(str(path), 1, None)
        self.records = []

    def play(self, data):
        at, reader = 0, _call_format.Reader(data)
        while at < len(data):
            with contextlib.suppress(_replay._Stop):
                self.play_one(reader)
            self.records.append(data[at : reader.at])
            at = reader.at


def decoded(path):
    """The records of a file."""
    split = Split(path)
    with _replay._open(path) as file:
        for data in _replay._blocks(file):
            split.play(data)
    return split.records


def write(path, blocks):
    data, check = bytearray(_call_format.MAGIC), 0
    for records in blocks:
        payload = b"".join(records)
        body = zlib.crc32(payload, check)
        head = _call_format.BLOCK.pack(len(payload), body)
        data += head + _call_format.CHECK.pack(zlib.crc32(head, check)) + payload
        check = body
    path.write_bytes(data)


RUN = """
import os, sys, time
import pyphys2d as p2
world = p2.World()
world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
log = world.record_calls(sys.argv[1], flush=0)
for k in range(10**6):
    world.add_body(p2.Circle(0.2), (0, 5 + k))
    world.step(n=5)
    if k == 20:
        print(world.step_count, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_a_killed_process_leaves_a_readable_file(path):
    run = subprocess.Popen([sys.executable, "-c", RUN, str(path)], stdout=subprocess.PIPE)
    try:
        steps = int(run.stdout.readline())
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdout.close()
    result = p2.replay(path)
    assert result.same
    assert not result.complete
    assert result.steps >= steps - 1
    assert "the log was not closed" in str(result)


def test_every_cut_is_read_up_to_the_last_whole_block(path, tmp_path):
    world = pile()
    with world.record_calls(path, flush=0):
        for _ in range(4):
            world.step()
    data = path.read_bytes()
    cut = tmp_path / "cut.calls"
    outcomes = set()
    for size in (*range(len(_call_format.MAGIC), len(data), 37), len(data)):
        cut.write_bytes(data[:size])
        try:
            result = p2.replay(cut)
        except p2.CallLogError:
            outcomes.add("none")
            continue
        assert result.same
        assert result.complete == (size == len(data))
        outcomes.add(result.steps)
    assert outcomes == {"none", *range(1, 5)}


def test_every_changed_bit_is_found(path):
    world = p2.World()
    with world.record_calls(path, flush=0):
        world.add_body(p2.Circle(1))
        world.step()
    data = path.read_bytes()
    rng = np.random.default_rng(1)
    for at in rng.choice(len(data), 300, replace=False):
        changed = bytearray(data)
        changed[at] ^= 1 << rng.integers(8)
        path.write_bytes(changed)
        with pytest.raises(p2.CallLogError):
            p2.replay(path)


def test_blocks_that_changed_places(path):
    world = pile()
    with world.record_calls(path, flush=0):
        for _ in range(6):
            world.step()
    blocks, at = [], len(_call_format.MAGIC)
    data = path.read_bytes()
    while at < len(data):
        size = _call_format.HEAD_SIZE + _call_format.BLOCK.unpack_from(data, at)[0]
        blocks.append(data[at : at + size])
        at += size
    assert len(blocks) > 5
    for changed in (
        [*blocks[:2], blocks[3], blocks[2], *blocks[4:]],
        [*blocks[:2], *blocks[3:]],
        [*blocks[:3], blocks[2], *blocks[3:]],
    ):
        path.write_bytes(_call_format.MAGIC + b"".join(changed))
        with pytest.raises(p2.CallLogError, match="head of block"):
            p2.replay(path)


@pytest.mark.parametrize(
    "record",
    [
        b"Cnope",
        b"C" + b"N" + b"\4\0\0\0exec" + b"t\0\0\0\0" + b"m\0\0\0\0" + bytes(4),
        b"C" + b"N" + b"\x0d\0\0\0=on_pre_solve" + b"t\1\0\0\0N" + b"m\0\0\0\0" + bytes(4),
        b"C" + b"N" + b"\x09\0\0\0=__class__" + b"t\1\0\0\0N" + b"m\0\0\0\0" + bytes(4),
        b"C" + b"N" + b"\4\0\0\0step" + b"t\0\0\0\0" + b"m\0\0\0\0" + bytes(4),
        b"C" + b"N" + b"\x0a\0\0\0_set_state" + b"t\0\0\0\0" + b"m\0\0\0\0" + bytes(4),
        b"C" + b"l\1\0\0\0" * 40,
        b"C" + b"l\xff\xff\xff\xff",
        b"C" + b"b" + b"\xff" * 8,
        b"C" + b"a\3\0\0\0<f8\2" + b"\0" * 8 + b"\xff" * 8,
        b"C" + b"a\3\0\0\0|O8\0" + b"\0" * 8,
        b"C" + b"S\4\0\0\0Body" + b"t\0\0\0\0",
        b"C" + b"h\4\0\0\0Evil" + b"\0" * 8,
        *(b"W\x09" + b"\1\0\0\0" + bytes(12), b"P" + b"\xff" * 8, b"X", b"?", b"B"),
    ],
)
def test_forged_records_are_refused(record, path):
    world = pile()
    with world.record_calls(path):
        pass
    start = decoded(path)[0]
    write(path, [[start], [record]])
    with pytest.raises(p2.CallLogError):  # and whatever Python does once
        p2.replay(path)
    tracemalloc.start()
    with pytest.raises(p2.CallLogError, match="damaged"):
        p2.replay(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**6


def test_no_call_log(path):
    for data in (b"", b"PYPHYS2D" * 9, _call_format.MAGIC, _call_format.MAGIC + b"\0" * 7):
        path.write_bytes(data)
        with pytest.raises(p2.CallLogError):
            p2.replay(path)
    with pytest.raises(FileNotFoundError):
        p2.replay(path.with_name("none"))
    with pytest.raises(ValueError, match="workers: must be from 1 to 256"):
        p2.replay(path, workers=0)


# --------------------------------------------------------------------------------------------- life
def test_a_second_log_is_refused(path, tmp_path):
    world = pile()
    log = world.record_calls(path)
    with pytest.raises(ValueError, match="has a call log already"):
        world.record_calls(tmp_path / "other.calls")
    assert not (tmp_path / "other.calls").exists()
    log.close()
    log.close()
    world.step()
    with world.record_calls(tmp_path / "other.calls"):
        world.step()
    assert replayed(path).steps == 0
    assert replayed(tmp_path / "other.calls", world).steps == 1


def test_a_world_that_is_dropped_closes_its_log(path):
    world = pile()
    world.record_calls(path)
    world.step(n=3)
    del world
    gc.collect()
    result = p2.replay(path)
    assert (result.steps, result.complete) == (3, True)


def test_a_log_does_not_hold_its_world(path):
    world = pile()
    log = world.record_calls(path)
    world.add_body(p2.Circle(1))
    before = _core._live()["worlds"]
    del world
    assert _core._live()["worlds"] == before - 1
    log.close()
    assert replayed(path).calls == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"flush": -1}, "flush: must be >= 0"),
        ({"flush": np.nan}, "flush: must be >= 0"),
        ({"hash_every": 0}, "hash_every: must be >= 1"),
        ({"state_every": -1}, "state_every: must be >= 0"),
    ],
)
def test_bad_options(options, message, path):
    with pytest.raises(ValueError, match=message):
        pile().record_calls(path, **options)
    assert not path.exists()


def test_not_from_inside_a_step(path):
    world = pile()
    world.on_force = lambda world: world.record_calls(path)
    with pytest.raises(p2.WorldLockedError):
        world.step()
    world.on_force = None
    world.step()
    with world.record_calls(path):
        world.step()
    replayed(path, world)


def test_hashes_of_some_steps(path):
    world = pile()
    with world.record_calls(path, hash_every=5):
        world.step(n=12)
    assert replayed(path, world).steps == 12
    sizes = [len(record) for record in decoded(path) if record[:1] == b"S"]
    assert sorted(set(sizes)) == [10, 18]
    assert sizes.count(18) == 2


def test_states_and_blocks_of_every_step(path):
    world = pile()
    with world.record_calls(path, flush=0, state_every=1):
        for k in range(4):
            world.bodies[2].velocity = (k, 0)
            world.step()
    kinds = b"".join(record[:1] for record in decoded(path))
    assert kinds == b"BX" + b"CSX" * 3 + b"CSXE"
    replayed(path, world)


def test_workers_of_the_log_and_of_the_replay(path):
    world = pile()
    with world.record_calls(path):
        world.workers = 3
        world.step()
    assert p2.replay(path).world.workers == 3
    assert p2.replay(path, workers=2).world.workers == 2


def test_on_step(path):
    world = pile()
    with world.record_calls(path):
        world.step(1 / 30, n=4)
    times = []
    p2.replay(path, on_step=lambda world: times.append(round(world.time * 30)))
    assert times == [1, 2, 3, 4]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_does_not_write(path):
    world = pile()
    log = world.record_calls(path, flush=0)
    world.step()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            world.step(n=5)
            world.add_body(p2.Circle(1))
            log.close()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    world.step(n=2)
    log.close()
    assert replayed(path, world).steps == 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_ends_the_log_not_the_run(path, monkeypatch):
    world, twin = pile(), pile()
    log = world.record_calls(path, flush=0)
    world.step()
    log._file.close()
    log._file = open("/dev/full", "wb", buffering=0)  # noqa: SIM115
    world.step(n=3)
    world.bodies[1].velocity = (1, 0)
    world.step()
    with pytest.raises(OSError, match="No space"):
        log.flush()
    with pytest.raises(OSError, match="No space"):
        log.close()
    log.close()
    twin.step(n=4)
    twin.bodies[1].velocity = (1, 0)
    twin.step()
    assert world.hash() == twin.hash()


def test_threads(path):
    world = pile(sleeping=False)
    stop = threading.Event()

    def push(k):
        body = world.bodies[k]
        while not stop.is_set():
            body.apply_impulse((0.01 * k, 0))

    threads = [threading.Thread(target=push, args=(k,)) for k in (2, 5)]
    with world.record_calls(path):
        for thread in threads:
            thread.start()
        world.step(n=60)
        stop.set()
        for thread in threads:
            thread.join()
        world.step()
    replayed(path, world, widths=p2.simd.available[-1:])


def test_memory_is_bounded(path):
    world = pile()
    with world.record_calls(path):
        tracemalloc.start()
        world.step(n=3 * _calls.MOST_RECORDS)
        big = np.zeros((1, 2))
        for _ in range(300):
            world.add_fluid(np.linspace((0, -9), (1, -9), 5000), density=0)
            world.remove(world.fields[len(world.fields) - 1])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(big)
    assert path.stat().st_size > 20 * 2**20
    assert peak < 6 * 2**20


def test_what_is_written_within_the_period(path):
    world = pile()
    log = world.record_calls(path, flush=0.05)
    size = path.stat().st_size
    world.step()
    time.sleep(0.06)
    world.step()
    assert path.stat().st_size > size
    log.close()


@pytest.mark.slow
def test_ten_minutes_with_removals(path):
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    rng = np.random.default_rng(7)
    bodies = []
    with world.record_calls(path):
        for k in range(36_000):
            if k % 60 == 0:
                shape = p2.Box(*rng.uniform(0.3, 0.8, 2)) if k % 120 else p2.Circle(0.4)
                bodies.append(world.add_body(shape, (rng.uniform(-5, 5), 6)))
            if len(bodies) > 15:
                world.remove(bodies.pop(int(rng.integers(len(bodies)))))
            if k % 250 == 0:
                world.velocities[1:, 0] += 1
            world.step()
    assert path.stat().st_size < 2 * 2**20
    result = p2.replay(path, workers=2)
    assert result.same
    assert result.complete
    assert result.steps == 36_000
    assert result.world.hash() == world.hash()
