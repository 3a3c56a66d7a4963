"""Scene files hold what a world has: what is written comes back with the same hash, and goes on
alike; what is wrong is named with its place and with what would be right.
"""

import json
import pathlib
import pickle
import tracemalloc

import pytest

import pyphys2d as p2
from pyphys2d import scenes
from pyphys2d.scenes import schema, writer


def everything():
    """A world with every kind of shape, joint, field and material."""
    world = p2.World((0, -5), substeps=4, joint_hertz=30, max_speed=50, friction_rule="min")
    world.add_body(p2.Chain([(-20, 5), (-20, 0), (20, 0), (20, 5)]), kind="static", name="ground")
    shapes = [
        p2.Circle(0.3, (0.1, 0)),
        p2.Box(1, 0.4, angle=0.3, radius=0.05),
        p2.Capsule((0, 0), (1, 0), 0.2),
        p2.RegularPolygon(5, 0.5, rounding=0.1), p2.Segment((0, 0), (1, 1)),
        p2.Polygon([(0, 0), (2, 0), (2, 0.6), (0.6, 0.6), (0.6, 1.8), (0, 1.8)], recenter=True),
        p2.Polygon(
            [(-1, -1), (1, -1), (1, 1), (-1, 1)],
            holes=[[(-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.5, -0.5)]],
        ),
    ]  # fmt: skip
    for k, shape in enumerate(shapes):
        kind = "static" if isinstance(shape, p2.Segment) else "dynamic"
        world.add_body(shape, (3 * k - 9, 3), 0.1 * k, kind=kind, friction=0.1 * k, name="again")
    mixed = world.add_body(p2.Box(1, 1), (-15, 4), restitution=0.5, name="mixed", bullet=True)
    mixed.attach(p2.Circle(0.2, (0.8, 0)), density=7, friction=0.1, category=4, mask=3, group=-2)
    mixed.attach(p2.Circle(2), density=0, sensor=True)
    world.add_body(p2.Box(0.5, 0.5), (-16, 9), mass=3.3, gravity_scale=0.5, linear_damping=0.2)
    world.add_body(p2.Circle(0.4), (17, 8), kind="kinematic", velocity=(1, 0))
    world.add_body(None, (1, 2), kind="static", name="nothing")
    a, b = world.add_bodies(p2.Box(0.7, 0.3), [(-12.3, 7.1), (-11.1, 7.7)], [0.3, 2.2])
    a, b = world.bodies[int(a)], world.bodies[int(b)]
    world.add_revolute_joint(a, b, anchor=(-11.7, 7.3), lower=-1, upper=2, motor_speed=3,
                             max_motor_torque=5, break_force=1e5)  # fmt: skip
    pairs = []
    for k in range(8):
        places = [(3 * k - 10.3, 10.1), (3 * k - 9.1, 10.7)]
        pairs.append(
            [world.bodies[int(i)] for i in world.add_bodies(p2.Box(0.7, 0.3), places, [0.4, 1.3])]
        )
    world.add_distance_joint(*pairs[0], spring_hertz=2, spring_damping_ratio=0.3, lower=0.5)
    world.add_prismatic_joint(*pairs[1], axis=(1, 2), upper=2, collide_connected=True)
    world.add_weld_joint(*pairs[2], spring_hertz=3, angular_spring_hertz=4)
    world.add_wheel_joint(*pairs[3], axis=(0.3, 1), spring_hertz=3, spring_target=0.1)
    world.add_motor_joint(*pairs[4], offset=(1, 0.2), max_force=30)
    world.add_motor_joint(None, pairs[4][0], linear_velocity=(1, 0), max_force=30, max_torque=2)
    world.add_mouse_joint(pairs[5][0], target=(2, 9), max_force=40)
    world.add_filter_joint(*pairs[5])
    world.add_pulley_joint(*pairs[6], ground_a=(7, 15), ground_b=(9, 15), ratio=2)
    hinges = [world.add_revolute_joint(None, body, anchor=body.position) for body in pairs[7]]
    world.add_ratchet_joint(None, pairs[7][0], tooth=0.3, phase=0.1)
    world.add_gear_joint(*hinges, -2)
    world.add_rotary_joint(*pairs[0], stiffness=3, damping=0.1, spring_target=0.2, lower=-9)
    turns = [world.add_rotary_joint(None, body) for body in pairs[1]]
    world.add_gear_joint(*turns, 3, phase=0.25)
    world.add_fluid(1.5, 900, 2.0, flow=(0.3, 0))
    world.add_fluid([(-3, 1), (3, 2)], 500)
    world.add_drag(quadratic=0.1, angular=0.2)
    world.add_wind((3, 1), mask=4)
    world.add_point_gravity((0, 20), 5, softening=1)
    return world


def test_everything_comes_back_bit_for_bit(tmp_path):
    world = everything()
    before = world.hash()
    p2.save(world, tmp_path / "all.json", name="all")
    loaded = p2.load(tmp_path / "all.json")
    assert world.hash() == loaded.hash() == before
    assert [body.name for body in loaded.bodies] == [body.name for body in world.bodies]
    assert writer.dumps(loaded, name="all") == (tmp_path / "all.json").read_text()
    for _ in range(20):
        world.step(n=3)
        loaded.step(n=3)
        assert world.hash() == loaded.hash()


@pytest.mark.parametrize("name", scenes.SCENES)
def test_the_scenes_of_the_library_come_back(name, tmp_path):
    world = scenes.build(name).world
    p2.save(world, tmp_path / "scene.json")
    loaded = p2.load(tmp_path / "scene.json")
    assert loaded.hash() == world.hash()
    world.step(n=20)
    loaded.step(n=20)
    assert loaded.hash() == world.hash()


def test_bodies_are_named():
    text = json.loads(writer.dumps(everything()))
    names = {body.get("label", body.get("name")) for body in text["bodies"]}
    for joint in text["joints"]:
        for side in {"a", "b"} & joint.keys():
            assert joint[side] is None or joint[side] in names


SMALL = {
    "bodies": [
        {"name": "wheel", "shape": {"type": "circle", "radius": 1}},
        {"name": "frame", "shape": {"type": "circle", "radius": 1}},
    ],
    "joints": [{"type": "revolute", "a": "frame", "b": "wheel", "anchor": [0, 0]}],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"b": "weel"}, r'joints\[0\]\.b: no body is named "weel"; did you mean "wheel"'),
        ({"type": "revolut"}, r'joints\[0\]\.type: must be one of .*; did you mean "revolute"'),
        ({"motor_sped": 1}, r'joints\[0\]: unknown key "motor_sped"; did you mean "motor_speed"'),
        ({"b": None}, r"joints\[0\]\.b: must be a body"),
        ({"b": 3}, r"joints\[0\]\.b: must be the name of a body"),
        ({"local_axis": [1, 0]}, r"joints\[0\]: give all of local_anchor_a"),
        ({"b": "frame"}, r"joints\[0\]"),
        ({"type": "gear"}, r"joints\[0\]: unknown key"),
    ],
)
def test_what_is_wrong_with_a_joint_is_named(change, message):
    scenes.loads(json.dumps(SMALL))
    joint = {**SMALL["joints"][0], **change}
    with pytest.raises(scenes.SceneError, match=message):
        scenes.loads(json.dumps({**SMALL, "joints": [joint]}))


def test_joints_may_stand_before_the_bodies_and_take_world_anchors():
    scene = scenes.loads(json.dumps(dict(reversed(SMALL.items()))))
    (joint,) = scene.world.joints
    assert joint.body_b.name == "wheel"


def test_only_worlds_are_saved(tmp_path):
    with pytest.raises(TypeError, match="world: must be a World, got int"):
        p2.save(3, tmp_path / "x.json")
    assert not list(tmp_path.iterdir())


def test_files_of_other_kinds_are_named_with_what_reads_them(tmp_path):
    world = everything()
    (tmp_path / "state").write_bytes(world.snapshot())
    with world.record(path=tmp_path / "blocks"), world.record_calls(tmp_path / "calls"):
        world.step()
    p2.simulate(world, 0.1).save(tmp_path / "archive")
    for name, message in (
        ("state", r"a snapshot, which World\.from_snapshot\(data\) reads"),
        (
            "archive",
            r"an \.npz archive, as of a recorded run, which Trajectory\.load\(path\) reads",
        ),
        ("blocks", r"a recorded run, which Trajectory\.load\(path\) reads"),
        ("calls", r"a call log, which pyphys2d\.replay\(path\) reads"),
    ):
        with pytest.raises(scenes.SceneError, match=f"{name}: no scene file but {message}"):
            p2.load(tmp_path / name)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(scenes.SceneError, match=r"not UTF-8 text \(byte 0\)"):
        p2.load(tmp_path / "bytes")


@pytest.mark.parametrize("suffix", [".gif", ".HTML", ".png", ".npz", ".pkl", ".bin"])
def test_the_error_for_another_kind_of_file_says_what_writes_it(suffix, tmp_path):
    world, path = p2.World(), tmp_path / f"a{suffix}"
    world.add_body(p2.Box(1, 1), (0, 1))
    with pytest.raises(ValueError, match=r"^path: must end in \.json, got .* is written") as raised:
        p2.save(world, path)
    assert not list(tmp_path.iterdir())
    call = str(raised.value).partition(" is written by ")[2].replace("seconds=5", "seconds=0.1")
    eval(call, {"p2": p2, "world": world, "pathlib": pathlib, "pickle": pickle})
    assert path.stat().st_size > 0


def test_what_no_scene_can_be_is_refused_and_other_names_are_taken(tmp_path):
    for name in ("a.csv", "a.npy", "a.zarr"):
        with pytest.raises(ValueError, match=r"^path: must end in \.json, got '.*'$"):
            p2.save(p2.World(), tmp_path / name)
    for name in ("a", "a.scene", "a.JSON", "a.v2"):
        p2.save(p2.World(), tmp_path / name)
        assert p2.load(tmp_path / name).hash() == p2.World().hash()


def test_a_folder_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "no" / "a.json"
    with pytest.raises(FileNotFoundError) as raised:
        p2.save(everything(), path)
    assert str(raised.value) == f"[Errno 2] No such file or directory: {str(path)!r}"


def test_the_schema_is_that_of_the_loader_and_takes_what_the_writer_writes(repository):
    assert schema.PATH.read_text() == schema.text()
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(json.loads(schema.text()))
    check.check_schema(check.schema)
    check.validate(json.loads(writer.dumps(everything())))
    check.validate(json.loads((schema.PATH.parent / "mixed.json").read_text()))
    for change in ({"b": None}, {"motor_sped": 1}, {"type": "x"}, {"lower": "low"}):
        joint = {**SMALL["joints"][0], **change}
        assert not check.is_valid({**SMALL, "joints": [joint]})
        with pytest.raises(scenes.SceneError):
            scenes.loads(json.dumps({**SMALL, "joints": [joint]}))


def test_a_small_file_takes_little_memory(tmp_path):
    """Not that of the largest one that may be read."""
    path = tmp_path / "small.json"
    path.write_text('{"bodies": [{"shape": {"type": "circle", "radius": 1}}]}')
    scenes.load(path)
    tracemalloc.start()
    scenes.load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**18
