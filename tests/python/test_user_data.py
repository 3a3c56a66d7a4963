"""User data of colliders and joints: as that of bodies, for as long as they live."""

import copy
import gc
import pickle
import weakref
import zlib

import pytest

import pyphys2d as p2
from pyphys2d import _core, _live, _snapshot
from pyphys2d._snapshot import HEAD


class Tag:
    """Something that tells when it is let go."""


def pair(world=None):
    """A world, and two bodies a metre apart."""
    world = p2.World() if world is None else world
    return world, *(world.add_body(p2.Box(0.5, 0.5), (x, 5)) for x in (0, 1))


def joints_of_all_kinds(world):
    """Functions that make one of each, with given keywords."""
    hinges = []
    for x in (20, 22):
        wheel = world.add_body(p2.Circle(1), (x, 0))
        hinges.append(world.add_revolute_joint(None, wheel))
    a, b = (world.add_body(p2.Circle(0.2), (x, 9)) for x in (-9, -8))
    wants = {
        "prismatic": {"axis": (1, 0)},
        "wheel": {"axis": (0, 1)},
        "pulley": {"ground_a": (-9, 12), "ground_b": (-8, 12)},
        "ratchet": {"tooth": 0.1},
    }

    def maker(kind):
        add = getattr(world, f"add_{kind}_joint")
        if kind == "gear":
            return lambda **more: add(*hinges, **more)
        if kind == "mouse":
            return lambda **more: add(b, target=(-8, 9), max_force=10, **more)
        return lambda **more: add(a, b, **wants.get(kind, {}), **more)

    return {kind: maker(kind) for kind in _core.JOINT_KINDS}


def test_colliders_have_user_data():
    world, a, b = pair()
    thing = Tag()
    plain, told = a.colliders[0], b.attach(p2.Circle(0.3), user_data=thing)
    assert plain.user_data is None
    assert told.user_data is thing
    assert world.colliders[told.index].user_data is thing
    plain.user_data = [1]
    told.user_data = None
    assert [c.user_data for c in world.colliders] == [[1], None, None]
    with pytest.raises(TypeError, match="user_data cannot be deleted"):
        del plain.user_data
    assert a.user_data is None


@pytest.mark.parametrize("kind", _core.JOINT_KINDS)
def test_joints_have_user_data(kind):
    world = p2.World()
    make = joints_of_all_kinds(world)[kind]
    thing = Tag()
    plain, told = make(), make(user_data=thing)
    assert (plain.user_data, told.user_data) == (None, thing)
    plain.user_data, told.user_data = 3, None
    assert (plain.user_data, told.user_data) == (3, None)
    with pytest.raises(TypeError, match="user_data cannot be deleted"):
        del plain.user_data
    world.remove(plain)
    with pytest.raises(p2.RemovedError):
        plain.user_data  # noqa: B018
    with pytest.raises(p2.RemovedError):
        plain.user_data = 1


def test_equal_numbers_of_different_things_are_not_mixed_up():
    """The first body, collider and joint have the same index and generation."""
    world, a, b = pair()
    joint = world.add_weld_joint(a, b)
    owners = (a, a.colliders[0], joint)
    assert len({owner.id for owner in owners}) == 1
    for i, owner in enumerate(owners):
        owner.user_data = i
    assert [owner.user_data for owner in owners] == [0, 1, 2]
    twin = p2.World.from_snapshot(world.snapshot())
    assert [(*twin.bodies,)[0].user_data, twin.colliders[0].user_data] == [0, 1]
    assert twin.joints[0].user_data == 2


def test_a_slot_that_is_used_again_has_no_data():
    world, a, b = pair()
    for _ in range(3):
        collider = a.attach(p2.Circle(1))
        joint = world.add_weld_joint(a, b)
        assert (collider.user_data, joint.user_data) == (None, None)
        collider.user_data = joint.user_data = 7
        world.remove([collider, joint])


# --------------------------------------------------------------------------------------- letting go
LEAVING = {
    "collider": lambda world, a, b, collider, joint: world.remove(collider),
    "joint": lambda world, a, b, collider, joint: world.remove(joint),
    "body": lambda world, a, b, collider, joint: world.remove(a),
    "many": lambda world, a, b, collider, joint: world.remove([b, collider]),
    "slots": lambda world, a, b, collider, joint: world.remove([a.index, b.index]),
    "cut": lambda world, a, b, collider, joint: world.slice(a, (0, 0), (0, 9)),
    "snapshot": lambda world, a, b, collider, joint: world.restore(p2.World().snapshot()),
    "None": lambda world, a, b, collider, joint: [
        setattr(owner, "user_data", None) for owner in (collider, joint)
    ],
}


@pytest.mark.parametrize("way", LEAVING)
def test_data_is_let_go_with_its_owner(way):
    world, a, b = pair()
    things = Tag(), Tag()
    collider = a.attach(p2.Circle(0.3), user_data=things[0])
    joint = world.add_weld_joint(a, b, user_data=things[1])
    kept = Tag()
    other = b.attach(p2.Circle(0.1), user_data=kept)
    seen = [weakref.ref(thing) for thing in things]
    del things
    LEAVING[way](world, a, b, collider, joint)
    assert [ref() is None for ref in seen] == [way != "joint", way != "collider"]
    assert not other.alive or other.user_data is kept


def test_the_data_of_a_gear_goes_with_a_hinge_of_it():
    world = p2.World()
    thing = Tag()
    gear = joints_of_all_kinds(world)["gear"](user_data=thing)
    hinge, wheel, seen = gear.joint_a, gear.joint_b.body_b, weakref.ref(thing)
    hinge.user_data = other = Tag()
    del thing
    world.remove(hinge)
    assert not gear.alive
    assert seen() is None
    seen = weakref.ref(other)
    del other
    assert seen() is None
    world.remove(wheel)


@pytest.mark.parametrize("way", ["step", "stages", "hook that raises"])
def test_the_data_of_a_joint_that_breaks_is_let_go(way):
    world, a, b = pair()
    rod = world.add_weld_joint(None, a, break_force=1, user_data=Tag())
    kept = world.add_weld_joint(None, b, user_data=Tag())
    seen = weakref.ref(rod.user_data)
    if way == "stages":
        with world.stages() as stages:
            for _ in stages:
                assert seen() is not None
    else:

        def hook(world):
            if world.step_count == 2:
                raise KeyError("enough")

        world.on_force = hook
        if way == "step":
            world.step(n=2)
        else:
            with pytest.raises(KeyError, match="enough"):
                world.step(n=5)
    assert not rod.alive
    assert seen() is None
    assert isinstance(kept.user_data, Tag)


def test_code_that_runs_as_data_is_let_go_may_use_the_world():
    world, a, b = pair()
    seen = []

    class Last:
        def __del__(self):
            seen.append(len(world.joints))
            world.add_body(p2.Circle(1), user_data=1)
            world.bodies[1].attach(p2.Circle(0.1), user_data=2)

    a.attach(p2.Circle(0.1), user_data=Last())
    world.add_weld_joint(a, b, user_data=Last())
    world.remove(a)
    assert seen == [0, 0]
    assert [c.user_data for c in world.colliders].count(2) == 2


@pytest.mark.parametrize("place", ["collider", "joint"])
def test_a_cycle_through_user_data_is_collected(place):
    class Own(p2.World):
        pass

    world, a, b = pair(Own())
    owner = a.colliders[0] if place == "collider" else world.add_weld_joint(a, b)
    owner.user_data = (world, owner)
    seen = weakref.ref(world)
    del world, a, b, owner
    gc.collect()
    assert seen() is None


# -------------------------------------------------------------------------------- snapshots, copies
def labelled():
    world, a, b = pair()
    collider = a.attach(p2.Circle(0.3), user_data={"hits": 2})
    joint = world.add_weld_joint(a, b, user_data=[collider, b])
    collider.user_data["joint"] = joint
    return world, collider, joint


@pytest.mark.parametrize(
    "way",
    [
        lambda world: p2.World.from_snapshot(world.snapshot()),
        lambda world: pickle.loads(pickle.dumps(world)),
        copy.deepcopy,
    ],
)
def test_copies_have_data_of_their_own(way):
    world, collider, _joint = labelled()
    twin = way(world)
    own, link = twin.colliders[collider.index], twin.joints[0]
    assert own.user_data == {"hits": 2, "joint": link}
    assert own.user_data["joint"].world is twin
    assert link.user_data == [own, twin.bodies[1]]
    assert twin.hash() == world.hash()


def test_forks_share_the_objects():
    world, collider, joint = labelled()
    for twin in (*world.fork(2), copy.copy(world)):
        assert twin.colliders[collider.index].user_data is collider.user_data
        assert twin.joints[0].user_data is joint.user_data


def test_restore_brings_data_back_or_leaves_it_out():
    world, collider, joint = labelled()
    data = world.snapshot()
    joint.user_data = None
    world.remove(collider)
    world.restore(data)
    assert collider.user_data == {"hits": 2, "joint": joint}
    assert joint.user_data == [collider, world.bodies[1]]
    world.restore(data, user_data=False)
    assert (collider.user_data, joint.user_data) == (None, None)
    assert p2.World.from_snapshot(data, user_data=False).joints[0].user_data is None


def test_snapshots_without_such_data_are_as_they_were():
    world, collider, joint = labelled()
    world.bodies[0].user_data = "body"
    assert world.snapshot()[8] == 2
    assert world.snapshot(user_data=False)[8] == 1
    collider.user_data = joint.user_data = None
    assert world.snapshot()[8] == 1
    assert p2.World.from_snapshot(world.snapshot()).bodies[0].user_data == "body"


@pytest.mark.parametrize(("place", "name"), [("collider", "Collider 2 of"), ("joint", "WeldJoint")])
def test_what_cannot_be_pickled_names_its_owner(place, name):
    world, collider, joint = labelled()
    world.bodies[0].user_data = 1
    owner = {"collider": collider, "joint": joint}[place]
    owner.user_data = lambda: 1
    with pytest.raises(TypeError, match=rf"user_data of <{name}.*user_data=False"):
        world.snapshot()
    assert world.snapshot(user_data=False)


@pytest.mark.parametrize(
    "tables",
    [
        *(({}, {}), ({}, {}, {}, {}), ({}, {}, []), ({}, {-1: 1}, {}), ({}, {}, {"a": 1})),
        *(({}, {2**64: 1}, {}), [{}, {}, {}], None, 5, ({}, {1.5: 1}, {})),
    ],
)
def test_damaged_tables_are_refused(tables):
    world, collider, joint = labelled()
    data = world.snapshot()
    before = collider.user_data
    bad = _forged(data, pickle.dumps(tables, protocol=5))
    with pytest.raises(p2.SnapshotError, match="user data"):
        world.restore(bad)
    with pytest.raises(p2.SnapshotError, match="user data"):
        p2.World.from_snapshot(bad)
    assert collider.user_data == before
    assert joint.user_data


def test_data_of_what_is_not_in_the_snapshot_is_left_out():
    world, collider, _ = labelled()
    stray = {collider.id + 1000: "stray"}
    twin = p2.World.from_snapshot(_forged(world.snapshot(), pickle.dumps((stray, stray, stray))))
    assert {c.user_data for c in twin.colliders} == {None}
    assert twin._state()[2:] == ({}, {}, {})


def _forged(data, pickled):
    """A snapshot with other user data."""
    magic, version, _, state, names, size = HEAD.unpack(data[: HEAD.size])
    body = data[HEAD.size : len(data) - size]
    check = zlib.crc32(pickled, zlib.crc32(body[state:]))
    return HEAD.pack(magic, version, check, state, names, len(pickled)) + body + pickled


def test_a_live_session_puts_back_the_same_objects():
    world, collider, joint = labelled()
    first = collider.user_data, joint.user_data
    live = _live.Session(world)
    collider.user_data = joint.user_data = None
    world.colliders[0].user_data = "new"
    live.reset()
    assert collider.user_data is first[0]
    assert joint.user_data is first[1]
    assert world.colliders[0].user_data is None


def test_call_logs_leave_data_out(tmp_path):
    world, a, b = pair()
    with world.record_calls(tmp_path / "run.calls"):
        a.attach(p2.Circle(0.3), user_data=Tag())
        world.add_weld_joint(a, b, user_data=Tag()).user_data = Tag()
        world.step()
    result = p2.replay(tmp_path / "run.calls")
    assert result.same
    assert result.world.hash() == world.hash()
    assert [joint.user_data for joint in result.world.joints] == [None]


def test_inside_a_step_data_is_read_and_not_written():
    world, a, _b = pair()
    collider = a.colliders[0]
    collider.user_data = 4
    floor = world.add_body(p2.Box(9, 1), (0, 4.3), kind="static", pre_solve=True)
    seen = []

    def hook(contacts):
        seen.append(collider.user_data)
        with pytest.raises(p2.WorldLockedError):
            floor.colliders[0].user_data = 1

    world.on_pre_solve = hook
    world.step(n=2)
    assert seen == [4, 4]


def test_a_call_that_fails_leaves_no_data():
    world, a, b = pair()
    thing = Tag()
    seen = weakref.ref(thing)
    with pytest.raises(ValueError, match="density"):
        a.attach(p2.Circle(1), density=-1, user_data=thing)
    with pytest.raises(ValueError, match="lower"):
        world.add_revolute_joint(a, b, lower=1, upper=0, user_data=thing)
    assert world._state()[2:] == ({}, {}, {})
    del thing
    gc.collect()
    assert seen() is None


def test_data_of_a_joint_that_is_gone_stops_no_snapshot():
    """It stays until the next step where memory was short when the joint broke."""
    world, a, b = pair()
    joint = world.add_distance_joint(a, b)
    gone = joint.id
    world.remove(joint)
    other = world.add_distance_joint(a, b)
    a.user_data = "kept"
    tables = {a.id: "kept"}, {}, {gone: lambda: 1, other.id: "also"}
    twin = p2.World.from_snapshot(world.snapshot(user_data=False))
    pickled = _snapshot._pickled(world, tables)
    assert _snapshot._tables(twin, memoryview(pickled)) == ({a.id: "kept"}, {}, {other.id: "also"})
    with pytest.raises(TypeError, match=r"DistanceJoint.*cannot be pickled"):
        _snapshot._pickled(world, ({}, {}, {other.id: lambda: 1}))
