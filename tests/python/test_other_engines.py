"""The tables for those who come from another engine: every line of them runs."""

import importlib.util
import re
import sysconfig
from pathlib import Path

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


def public(module):
    """What a module of pymunk has of its own: names of classes, their members, and functions."""
    for name, value in vars(module).items():
        own = getattr(value, "__module__", "pymunk").split(".")[0] == "pymunk"
        if name.startswith("_") or not own or not callable(value):
            continue
        yield name
        if isinstance(value, type) and module.__name__ == "pymunk":
            yield from (f"{name}.{each}" for each in vars(value) if not each.startswith("_"))


def test_every_name_of_pymunk_is_there(repository):
    """Of the version that is installed, which may be older or younger than the table's."""
    pymunk = pytest.importorskip("pymunk")
    listed = {name for theirs, _, _ in rows_of("from-pymunk", repository) for name in theirs}
    names = list(public(pymunk))
    for part in ("autogeometry", "batch", "util"):
        if importlib.util.find_spec(f"pymunk.{part}"):
            module = importlib.import_module(f"pymunk.{part}")
            own = [n for n in public(module) if getattr(module, n).__module__ == module.__name__]
            names += [f"{part}.{name}" for name in own]
    kinds = [each for each in vars(pymunk).values() if isinstance(each, type)]
    assert sum(issubclass(each, pymunk.Constraint) for each in kinds) >= 11
    assert len(names) > 250
    assert not [name for name in names if name not in listed]


def test_each_pair_of_box2d_is_whole(repository):
    """What can be set there can be read, and switched on: both names of a pair are listed."""
    rows = rows_of("from-box2d", repository)
    listed = {name for theirs, _, _ in rows for name in theirs}
    joints = [name for name in listed if re.match(r"b2(Joint|\w+Joint)_", name)]
    assert len(joints) > 100
    for name in joints:
        kind, _, verb = name.partition("_")
        assert not verb.startswith("Enable") or f"{kind}_Is{verb[6:]}Enabled" in listed, name
        ranges = ("Limits", "LengthRange")  # read by two names
        if verb.startswith("Set") and not verb.endswith(ranges):
            assert f"{kind}_Get{verb[3:]}" in listed, name
    kinds = {re.match(r"b2(\w+)JointDef", n)[1] for n in listed if re.match(r"b2\w+JointDef", n)}
    assert {k.removeprefix("Default") for k in kinds} == {
        "Distance", "Filter", "Motor", "Mouse", "Mover", "Pogo", "Prismatic", "Revolute", "Weld",
        "Wheel",
    }  # fmt: skip


# What the headers of 3.2 have beside those of the version before, which the extra `bench` brings.
NEW_IN_3_2 = """
    b2Body_EnableContactRecycling b2Body_GetMaxExtent b2Body_GetMaxExtentOrigin b2Body_GetMinExtent
    b2Body_GetSafetyFactor b2Body_IsContactRecyclingEnabled b2Body_SetSafetyFactor b2Capacity
    b2Chain_GetSurfaceMaterialCount b2Contact_GetData b2Contact_IsValid b2CreateChainSegmentShape
    b2CreateMoverJoint b2CreatePogoJoint b2CreateRecording b2CreateWorldFromSnapshot
    b2DestroyRecording b2DistanceJoint_GetSpringForceRange b2DistanceJoint_SetSpringForceRange
    b2IsDoublePrecision b2JointDef b2LoadRecordingFromFile b2LogFcn b2MotionLocks
    b2MoverJoint_GetLinearVelocity b2MoverJoint_GetMaxVelocityForce b2MoverJoint_SetLinearVelocity
    b2MoverJoint_SetMaxVelocityForce b2PogoJoint_GetImpulse b2PogoJoint_GetLength
    b2PogoJoint_GetRestLength b2PogoJoint_GetSpringDampingRatio b2PogoJoint_GetSpringHertz
    b2PogoJoint_GetVelocity b2PogoJoint_SetRestLength b2PogoJoint_SetSpringDampingRatio
    b2PogoJoint_SetSpringHertz b2PreContinuousFcn b2RecPlayer b2RecPlayerInfo b2RecPlayer_Create
    b2RecPlayer_Destroy b2RecPlayer_DrawFrameQueries b2RecPlayer_GetBodyCount b2RecPlayer_GetBodyId
    b2RecPlayer_GetDivergeFrame b2RecPlayer_GetFrame b2RecPlayer_GetFrameQuery
    b2RecPlayer_GetFrameQueryCount b2RecPlayer_GetFrameQueryHit b2RecPlayer_GetInfo
    b2RecPlayer_GetKeyframeBudget b2RecPlayer_GetKeyframeBytes b2RecPlayer_GetKeyframeInterval
    b2RecPlayer_GetKeyframeMinInterval b2RecPlayer_GetWorldId b2RecPlayer_HasDiverged
    b2RecPlayer_IsAtEnd b2RecPlayer_Restart b2RecPlayer_SeekFrame b2RecPlayer_SetKeyframePolicy
    b2RecPlayer_StepFrame b2RecQueryHit b2RecQueryInfo b2RecQueryType b2Recording_GetData
    b2Recording_GetSize b2SaveRecordingToFile b2SetLogFcn b2Shape_GetUserMaterial
    b2Shape_SetChainSegment b2Shape_SetUserMaterial b2UnwindLargeAngle b2ValidateReplay
    b2WorldCastOutput b2WorldTransform b2World_GetBounds b2World_GetContactRecycleDistance
    b2World_GetMaxCapacity b2World_GetStateHash b2World_GetWorkerCount b2World_Restore
    b2World_SetContactRecycleDistance b2World_SetWorkerCount b2World_Snapshot
    b2World_StartRecording b2World_StopRecording B2_HUGE B2_LINEAR_SLOP B2_SPECULATIVE_DISTANCE
    B2_CONTACT_RECYCLE_DISTANCE B2_MAX_AABB_MARGIN B2_AABB_MARGIN_FRACTION B2_MAX_ROTATION
    B2_TIME_TO_SLEEP B2_GRAPH_COLOR_COUNT
"""


def test_every_name_of_box2d_is_there(repository):
    """Of the headers that are installed with its binding, and what is newer."""
    headers = sorted(Path(sysconfig.get_path("purelib"), "include", "box2d").glob("*.h"))
    if not headers:
        pytest.skip("the headers of Box2D come with pyb2d3, of the extra bench")
    listed = {name for theirs, _, _ in rows_of("from-box2d", repository) for name in theirs}
    names = set(NEW_IN_3_2.split())
    for header in headers:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(), flags=re.DOTALL)
        names |= set(re.findall(r"\b(?:b2|B2_)\w+", text))
    assert len(names) > 600
    missing = {name for name in names - listed if not name.startswith("b2_color")}
    assert not missing, sorted(missing)


def test_each_kind_of_joint_is_the_twin_of_one(repository):
    """And every number that theirs have: what ours can be told beside has no row to fill."""
    ours = " ".join(our for page in PAGES for _, our, _ in rows_of(page, repository))
    for kind in p2.JOINT_KINDS:
        if kind != "pulley":  # neither has one any more
            assert f"add_{kind}_joint(" in ours, kind
