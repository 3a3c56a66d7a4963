"""Surfaces of the segments of chains."""

import copy
import json
import math
import pickle

import numpy as np
import pytest

import pyphys2d as p2

NAN = math.nan
ROAD = p2.Chain([(-20, 0), (0, 0), (20, 0)])
COLUMNS = ("friction", "restitution", "rolling_resistance", "tangent_speed", "material")
TOLD = {
    "friction": [0.25, NAN],
    "restitution": [NAN, 0.5],
    "rolling_resistance": [0.1, 0.2],
    "tangent_speed": [-1, NAN],
    "material": [-1, 7],
}


def road(segments=None, **material):
    world = p2.World()
    return world, world.add_body(ROAD, kind="static", segments=segments, **material).colliders[0]


def mixed(world, x):
    """(friction, restitution, tangent_speed) of a ball of friction 1 that lands at x."""
    world.add_body(p2.Circle(0.5), (x, 0.6), velocity=(0, -1), friction=1, pre_solve=True)
    rows = []
    world.on_pre_solve = lambda contacts: rows.extend(
        contacts[["friction", "restitution", "tangent_speed"]].tolist()
    )
    world.step(n=15)
    world.on_pre_solve = None
    return rows[0]


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_blocks_slide_by_the_friction_of_their_segment(solver):
    world = p2.World(solver=solver)
    world.add_body(ROAD, kind="static", segments={"friction": [0.5, 0.02]})
    slots = world.add_bodies(
        p2.Box(1, 0.25), [(-15, 0.125), (2, 0.125)], velocity=(5, 0), friction=0.5
    )
    world.step(n=30)
    coefficients = np.sqrt([0.5 * 0.5, 0.02 * 0.5])
    assert world.velocities[slots, 0] == pytest.approx(5 - coefficients * 9.81 / 2, rel=0.02)


def test_a_block_that_passes_on_is_slowed_by_what_is_under_it():
    world = p2.World()
    world.add_body(ROAD, kind="static", segments={"friction": [0, 0.5]})
    block = world.add_body(p2.Box(0.2, 0.2), (-1.1, 0.1), velocity=(3, 0), friction=0.5)
    world.step(n=15)  # to -0.35
    assert block.velocity[0] == pytest.approx(3, rel=1e-6)
    world.step(n=60)  # which is long enough to stop on the other
    assert block.velocity[0] == pytest.approx(0, abs=1e-3)
    way = block.position[0]  # the centre over the joint: half of the weight is on either side
    assert way == pytest.approx(3**2 / (2 * 0.5 * 9.81), abs=0.12)


def test_what_is_not_told_is_the_colliders():
    own = {"friction": 0.36, "restitution": 0.125, "tangent_speed": 2}
    assert mixed(road(TOLD, **own)[0], -10) == pytest.approx((0.5, 0.125, -1), rel=1e-6)
    assert mixed(road(TOLD, **own)[0], 10) == pytest.approx((0.6, 0.5, 2), rel=1e-6)


def test_a_segment_has_a_material():
    world, _ = road({"material": [1, -1]}, material=0)
    pairs = np.full((2, 2, 3), NAN)
    pairs[0, 0] = (0.25, 0.5, 0)
    pairs[0, 1] = pairs[1, 0] = (0.75, 0.125, 0)
    world.material_pairs = pairs
    rows = []
    world.on_pre_solve = lambda contacts: rows.append(contacts[["friction", "restitution"]].copy())
    world.add_bodies(
        p2.Circle(0.5), [(-10, 0.5), (10, 0.5)], material=0, pre_solve=True, velocity=(0, -1)
    )
    world.step()
    assert [row.tolist() for row in rows] == [[(0.75, 0.125), (0.25, 0.5)]]


def test_the_table_is_a_copy_of_what_was_told():
    _, collider = road(TOLD)
    table = collider.segments
    assert table.dtype.names == COLUMNS
    assert table.shape == (2,)
    for name in COLUMNS:
        np.testing.assert_array_equal(table[name], TOLD[name])
    table["friction"] = 9
    assert collider.segments["friction"][0] == 0.25
    collider.segments = table
    assert (collider.segments["friction"] == 9).all()
    collider.segments = None
    assert collider.segments is None


def test_all_that_tells_surfaces_tells_the_same():
    pandas = pytest.importorskip("pandas")
    worlds = []
    for told in (TOLD, road(TOLD)[1].segments, road(TOLD)[1].segments.tolist(),
                 pandas.DataFrame(TOLD)):  # fmt: skip
        world, collider = road()
        before = world.hash()
        collider.segments = told
        assert world.hash() != before
        worlds.append(world)
    attached = p2.World()
    attached.add_body(kind="static").attach(ROAD, segments=TOLD)
    many = p2.World()
    many.add_bodies(ROAD, [(0, 0)], kind="static", segments=TOLD)
    hashes = {world.hash() for world in (*worlds, attached, many)}
    assert len(hashes) == 1


def test_a_change_wakes_what_lies_there():
    world, collider = road()
    block = world.add_body(p2.Box(1, 1), (5, 0.5))
    world.step(n=200)
    assert not block.awake
    collider.segments = {"tangent_speed": [0, 2]}
    assert block.awake
    world.step(n=60)
    assert block.velocity[0] == pytest.approx(2, rel=0.05)


def test_worlds_without_are_as_if_there_were_none():
    """A table that says nothing changes no motion."""
    worlds = [road(told)[0] for told in (None, {"friction": [NAN, NAN]})]
    for world in worlds:
        world.add_bodies(p2.Box(1, 1), [(-3, 2), (0.2, 2), (4, 3)], [0.1, 0.7, 1.5])
        world.step(n=60)
    assert (worlds[0].positions == worlds[1].positions).all()


# ------------------------------------------------------------------------------------------- state
def scene():
    world, _ = road(TOLD, friction=0.3)
    second = world.add_body(kind="static", position=(0, -5))
    second.attach(p2.Box(1, 1))
    second.attach(p2.Chain([(0, 0), (1, 0), (2, 1), (0, 3)], loop=True),
                  segments={"friction": [1, 2, 3, 4]})  # fmt: skip
    world.add_bodies(p2.Circle(0.4), [(-5, 0.5), (5, 0.5)], velocity=(2, 0))
    world.step(n=5)
    return world


@pytest.mark.parametrize(
    "again",
    [
        lambda world: p2.World.from_snapshot(world.snapshot()),
        copy.copy,
        lambda world: pickle.loads(pickle.dumps(world)),
        lambda world: world.fork(1)[0],
    ],
    ids=["snapshot", "copy", "pickle", "fork"],
)
def test_copies_have_them(again):
    world = scene()
    twin = again(world)
    assert twin.hash() == world.hash()
    assert not twin.diff(world)
    world.bodies[0].colliders[0].segments = None  # of the one alone
    for each in (world, twin):
        each.step(n=20)
    assert twin.hash() != world.hash()


def test_copies_go_on_alike():
    world = scene()
    twin = p2.World.from_snapshot(world.snapshot())
    for each in (world, twin):
        each.step(n=30)
    assert twin.hash() == world.hash()


def test_restore_brings_them_back():
    world = scene()
    state, before = world.snapshot(), world.hash()
    collider = world.bodies[0].colliders[0]
    collider.segments = {"friction": [7, 7]}
    world.remove(world.bodies[1])
    world.restore(state)
    assert world.hash() == before
    assert collider.segments["friction"][0] == 0.25


def test_a_removed_collider_takes_them_along():
    world = scene()
    world.remove(world.bodies[1].colliders[1])
    twin = p2.World.from_snapshot(world.snapshot())
    assert twin.hash() == world.hash()


def test_a_body_that_is_cut_keeps_them():
    world = p2.World(gravity=(0, 0))
    body = world.add_body([p2.Box(4, 1)])
    body.attach(p2.Chain([(-3, 3), (-2.5, 3), (-2, 4)]), segments={"friction": [1, 2]})
    parts = world.slice(body, (0, -2), (0, 2))
    assert len(parts) == 2
    kept = [c.segments for part in parts for c in part.colliders if isinstance(c.shape, p2.Chain)]
    assert [table["friction"].tolist() for table in kept] == [[1, 2]]


def test_scene_files_have_them(tmp_path):
    world = scene()
    p2.save(world, tmp_path / "scene.json")
    told = json.loads((tmp_path / "scene.json").read_text())["bodies"][0]["segments"]
    assert told["friction"] == [0.25, None]
    assert told["material"] == [None, 7]
    twin = p2.load(tmp_path / "scene.json")
    for one, other in zip(world.colliders, twin.colliders, strict=True):
        assert repr(one.segments) == repr(other.segments)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"friction": [0.1, -1]}, r"segments.friction\[1\]"),
        ({"colour": [1, 2]}, 'unknown key "colour"'),
        ({"material": [0.5, None]}, r"segments.material\[0\]"),
    ],
)
def test_scene_files_are_checked(tmp_path, told, message):
    body = {"kind": "static", "shape": {"type": "chain", "points": [[0, 0], [1, 0], [2, 0]]}}
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({"bodies": [{**body, "segments": told}]}))
    with pytest.raises(ValueError, match=message):
        p2.load(path)


def test_call_logs_have_them(tmp_path):
    world = p2.World()
    with world.record_calls(tmp_path / "run.calls"):
        body = world.add_body(ROAD, kind="static", segments=TOLD)
        world.add_body(p2.Circle(0.5), (3, 0.5), velocity=(1, 0))
        world.step(n=3)
        body.colliders[0].segments = {"friction": np.array([0.1, 0.2])}
        body.attach(p2.Chain([(0, 5), (1, 5)]), segments={"restitution": [0.5]})
        table = body.colliders[0].segments
        body.colliders[0].segments = table
        world.step(n=3)
    assert p2.replay(tmp_path / "run.calls").world.hash() == world.hash()


def test_diff_names_them():
    worlds = [scene(), scene()]
    worlds[0].colliders[0].segments = None
    assert [path for path, _, _ in worlds[0].diff(worlds[1])] == ["colliders[0].segments"]


# ------------------------------------------------------------------------------------------ errors
@pytest.mark.parametrize(
    ("told", "error", "message"),
    [
        ({"friction": [1]}, ValueError, "each of the 2 segments"),
        ({"friction": []}, ValueError, "each of the 2 segments"),
        ({"friction": [1, 2], "restitution": [1]}, ValueError, r"\['restitution'\].*\(2,\)"),
        ({"friction": 1}, ValueError, r"\['friction'\].*\(n,\)"),
        ({"friction": [1, -2]}, ValueError, r"friction\[1\].*-2"),
        ({"friction": [math.inf, 2]}, ValueError, r"friction\[0\].*inf"),
        ({"elasticity": [1, 2]}, ValueError, "restitution.*'elasticity'"),
        ({1: [1, 2]}, ValueError, "segments: has the columns"),
        ({"material": [1, 256]}, ValueError, "from 0 to 255.*256"),
        ({"material": [1, NAN]}, ValueError, "from 0 to 255"),
        ([0.1, 0.2], TypeError, "dict of arrays"),
        ("ice", TypeError, "segments"),
        (3, TypeError, "dict of arrays"),
    ],
)
def test_what_tells_no_surfaces_is_refused(told, error, message):
    world, collider = road(TOLD)
    before = world.hash()
    with pytest.raises(error, match=message):
        collider.segments = told
    with pytest.raises(error, match=message):
        world.add_body(ROAD, segments=told)
    with pytest.raises(error, match=message):
        world.bodies[0].attach(ROAD, segments=told)
    assert world.hash() == before


@pytest.mark.parametrize("shape", [p2.Box(1, 1), p2.Segment((0, 0), (1, 0)), [ROAD, p2.Circle(1)]])
def test_only_chains_have_segments(shape):
    world = p2.World()
    with pytest.raises(ValueError, match="only a Chain"):
        world.add_body(shape, segments={"friction": [1, 2]})
    assert len(world.bodies) == 0


def test_a_locked_world_refuses():
    world, collider = road()
    world.add_body(p2.Circle(0.5), (0, 0.5), pre_solve=True)

    def hook(contacts):
        collider.segments = TOLD

    world.on_pre_solve = hook
    with pytest.raises(p2.WorldLockedError):
        world.step()
