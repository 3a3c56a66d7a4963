"""Ids of contacts: one from begin to end, none twice, the same whatever is asked or how it runs."""

import copy
import os
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes_for_tests import ground, mixed

import pyphys2d as p2


def colliders(row):
    return int(row["collider_a"]), int(row["collider_b"])


class Followed:
    """Contacts as the events of a world tell of them: ids by colliders."""

    def __init__(self, world):
        self.world, self.ids, self.last, self.ended = world, {}, 0, []

    def step(self, n=1):
        self.world.step(n=n)
        events = self.world.events
        rows = [*(("end", row) for row in events.contact_end)]
        rows += [("begin", row) for row in events.contact_begin]
        for what, row in sorted(rows, key=lambda each: each[1]["step"]):  # stable: ends are first
            if what == "end":
                assert self.ids.pop(colliders(row)) == row["id"]
                self.ended.append(int(row["id"]))
            else:
                assert colliders(row) not in self.ids
                self.last += 1
                assert row["id"] == self.last  # counted from 1, in the order of begins
                self.ids[colliders(row)] = self.last
        for row in events.contact_hit:
            begins = events.contact_begin[events.contact_begin["id"] == row["id"]]
            assert [colliders(each) for each in begins] == [colliders(row)]
        self.check()

    def check(self):
        rows = self.world.contacts
        for row in rows:
            assert self.ids[colliders(row)] == row["id"]
        assert self.world.counters["touching"] == len(self.ids)


@pytest.mark.parametrize("options", [{}, {"solver": "sequential_impulses"}, {"sleeping": False}])
def test_an_id_lasts_as_long_as_its_contact(options):
    followed = Followed(mixed(**options))
    for step in range(160):
        followed.step()
        if step % 40 == 20:
            bodies = [body for body in followed.world.bodies if body.kind == "dynamic"]
            followed.world.remove(bodies[7 * step % len(bodies)])
    assert followed.last > 300
    assert len(followed.ended) > 50
    world = followed.world
    for id in followed.ids.values():
        np.testing.assert_array_equal(world.contact(id), world.contacts[world.contacts["id"] == id])
    assert all(world.contact(id) is None for id in (*followed.ended, 0, -1, followed.last + 1))


def test_one_fall_one_rest_and_another():
    """Begin, hit and rows have one id; through sleep and waking; then another one."""
    world = p2.World(gravity=(0, -10))
    floor = world.add_body(p2.Box(10, 1), (0, -0.5), kind="static")
    box = world.add_body(p2.Box(1, 1), (0, 1.5))
    world.step(n=200)
    events = world.events
    assert not box.awake
    assert list(events.contact_begin["id"]) == list(events.contact_hit["id"]) == [1]
    assert len(events.contact_end) == 0
    for rows in (world.contacts, box.contacts, floor.contacts, world.contacts_of(floor)):
        assert list(rows["id"]) == [1, 1]
    assert list(box.colliders[0].contacts["id"]) == [1, 1]
    assert list(world.draw_list().contacts["id"]) == [1, 1]
    box.wake()
    world.step(n=10)
    assert list(world.contacts["id"]) == [1, 1]
    box.position = (0, 3)
    assert world.contact(1) is not None  # apart, and not ended yet
    world.step()
    assert list(world.events.contact_end["id"]) == [1]
    assert world.contact(1) is None
    world.step(n=100)
    assert list(world.events.contact_begin["id"]) == list(world.events.contact_hit["id"]) == [2]
    assert set(world.contacts["id"]) == {2}
    world.remove(box)
    assert world.contact(2) is None
    again = world.add_body(p2.Box(1, 1), (0, 0.5))
    assert again.index == box.index
    world.step()
    assert list(world.events.contact_end["id"]) == [2]
    assert list(world.events.contact_begin["id"]) == [3]


def test_pieces_share_the_id_of_their_colliders():
    world = p2.World(gravity=(0, -10))
    ground(world)
    table = world.add_body(p2.Polygon([(-2, -1), (-1.5, -1), (-1.5, 0.5), (1.5, 0.5), (1.5, -1),
                                       (2, -1), (2, 1), (-2, 1)]), (0, 1.02))  # fmt: skip
    two = world.add_body([p2.Box(1, 1, (-1, 0)), p2.Box(1, 1, (1, 0))], (6, 0.5))
    world.step(n=30)
    assert len(set(table.contacts["piece_a"])) > 1
    assert len(set(table.contacts["id"])) == 1
    assert len(set(two.contacts["id"])) == 2  # of two colliders
    id = int(table.contacts["id"][0])
    np.testing.assert_array_equal(world.contact(id), table.contacts)


def test_other_numbers_of_pairs_change_nothing():
    """Bodies that come and go below and above renumber pairs; shapes of as many pieces go on."""
    world = p2.World(gravity=(0, -10))
    others = world.add_bodies(p2.Box(1, 1), [(3 * k, 0.5) for k in range(1, 6)])
    floor = ground(world)
    box = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=3)
    id = int(box.contacts["id"][0])
    world.remove(others[1:3])
    world.step(n=3)
    world.add_bodies(p2.Circle(0.5), [(-3, 0.4), (-3, 1.4)])
    world.step(n=3)
    box.colliders[0].shape = p2.Box(1.2, 1)
    world.step(n=3)
    assert set(box.contacts["id"]) == {id}
    assert id in floor.contacts["id"]
    box.kind = "static"
    world.add_body(p2.Circle(0.5), (0, 1.4))
    world.step(n=3)
    assert world.contact(id) is None


def ways(world):
    data = world.snapshot()
    yield p2.World.from_snapshot(data)
    yield pickle.loads(pickle.dumps(world))
    yield copy.copy(world)
    yield world.fork(1)[0]
    other = mixed()
    other.step(n=90)
    other.restore(data)
    yield other


def test_copies_go_on_with_the_same_ids():
    world = mixed(hit_event_threshold=0.2)
    world.step(n=110)
    world.remove(world.bodies[20])  # whose contacts end with the next step
    data = world.snapshot()
    twins = list(ways(world))
    for twin in twins:
        assert twin.snapshot() == data
        assert twin.contacts.tobytes() == world.contacts.tobytes()
        assert twin.diff(world) == []
    world.step(n=60)
    assert len(world.events.contact_begin) > 20
    assert len(world.events.contact_end) > 20
    for twin in twins:
        twin.step(n=60)
        for name in ("contact_begin", "contact_end", "contact_hit"):
            told, own = getattr(twin.events, name), getattr(world.events, name)
            assert told.tobytes() == own.tobytes()
        assert twin.snapshot() == world.snapshot()


def ids_of(world):
    world.step(n=100)
    events = world.events
    return [events.contact_begin["id"], events.contact_end["id"], world.contacts["id"]]


def test_workers_broad_phases_and_widths():
    plain = ids_of(mixed())
    others = [mixed(workers=2), mixed(workers=3), mixed(broadphase="tree")]
    others.append(mixed(broadphase="all_pairs"))
    widest = p2.simd.name
    try:
        for width in p2.simd.available:
            p2._core._set_simd(width)
            others.append(mixed())
    finally:
        p2._core._set_simd(widest)
    for other in others:
        for a, b in zip(plain, ids_of(other), strict=True):
            np.testing.assert_array_equal(a, b)


def test_ids_are_no_part_of_what_is_compared():
    """Two worlds in one state, of which one has seen a contact more: hash and diff say the same."""
    a, b = (p2.World(gravity=(0, 0)) for _ in range(2))
    for world in (a, b):
        world.add_body(p2.Box(2, 2), kind="static")
        world.add_body(p2.Circle(0.5), (5, 0))
    b.bodies[1].position = (1.45, 0)
    for world in (a, b):
        world.step()
        world.bodies[1].position, world.bodies[1].velocity = (5, 0), (0, 0)
        world.step()
        world.bodies[1].position, world.bodies[1].velocity = (1.45, 0), (0, 0)
        world.step()
    assert (list(a.contacts["id"]), list(b.contacts["id"])) == ([1], [2])
    assert a.diff(b) == []
    assert a.hash() == b.hash()


def test_the_hook_is_told():
    """0 for what has not begun; nothing is to be written there."""
    world = p2.World(gravity=(0, -10))
    ground(world)
    box = world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True)
    seen = []
    world.on_pre_solve = lambda rows: seen.append(rows["id"].tolist())
    world.step(n=3)
    assert seen == [[0], [1], [1]]
    assert list(world.events.contact_begin["id"]) == [1]
    world.on_pre_solve = lambda rows: rows["enabled"].fill(False)
    world.step()
    assert list(world.events.contact_end["id"]) == [1]
    assert len(box.contacts) == 0

    def write(rows):
        rows["id"] = 5

    world.on_pre_solve = write
    with pytest.raises(ValueError, match=r"id\[0\]: cannot be changed"):
        world.step()


def test_stages_have_ids():
    world = p2.World(gravity=(0, -10))
    ground(world)
    world.add_body(p2.Box(1, 1), (0, 0.5))
    found = []
    for _ in range(2):
        stages = {stage.name: stage for stage in world.stages(1 / 60)}
        found.append(stages["manifolds"].contacts["id"].tolist())
    assert found == [[0, 0], [1, 1]]
    assert stages["events"].contact_begin.dtype == world.events.contact_begin.dtype


def test_recorded_contacts_have_ids(tmp_path):
    world = p2.World(gravity=(0, -10))
    ground(world)
    world.add_body(p2.Circle(0.5), (0, 1))
    with world.record(contacts=True, events=True) as run:
        world.step(n=40)
    assert set(run.contacts["id"]) == {1}
    assert list(run.events["contact_begin"]["id"]) == [1]
    run.save(tmp_path / "run.npz")
    loaded = p2.Trajectory.load(tmp_path / "run.npz")
    np.testing.assert_array_equal(loaded.contacts, run.contacts)
    with np.load(tmp_path / "run.npz") as file:
        older = {name: file[name] for name in file.files if not name.endswith("_id")}
    assert "contacts_age" in older
    np.savez(tmp_path / "older.npz", **older)  # as it was before there were ids
    loaded = p2.Trajectory.load(tmp_path / "older.npz")
    assert set(loaded.contacts["id"]) == {0}
    np.testing.assert_array_equal(loaded.contacts["age"], run.contacts["age"])


def test_snapshots_without_ids_are_given_some():
    with open(os.path.join(os.path.dirname(__file__), "snapshot-1.bin"), "rb") as file:
        data = file.read()
    world, twin = p2.World.from_snapshot(data), p2.World.from_snapshot(data)
    ids = world.contacts["id"].tolist()
    assert sorted(set(ids)) == list(range(1, len(set(map(colliders, world.contacts))) + 1))
    assert ids == sorted(ids)  # as pairs come
    for each in (world, twin):
        each.step(n=5)
    assert world.snapshot() == twin.snapshot()
    assert set(world.events.contact_begin["id"]).isdisjoint(ids)


def test_a_wrong_id():
    world = p2.World()
    with pytest.raises(TypeError, match="id: must be an integer, got str"):
        world.contact("1")
    with pytest.raises(TypeError, match="id: must be an integer, got float"):
        world.contact(1.0)
    assert world.contact(2**70) is None


SHAPES = [
    p2.Circle(0.6),
    p2.Box(1.2, 0.8),
    p2.Polygon([(-1, -1), (1, -1), (1, 1), (0.5, -0.5), (-0.5, -0.5), (-1, 1)]),
    p2.Segment((-1, 0), (1, 0)),
]
place = st.tuples(st.floats(-3, 3), st.floats(0, 4))
which = st.integers(0, 30)
ACTS = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(SHAPES), place),
    st.tuples(st.just("remove"), which),
    st.tuples(st.just("move"), which, place),
    st.tuples(st.just("shape"), which, st.sampled_from(SHAPES)),
    st.tuples(st.just("kind"), which, st.sampled_from(["static", "kinematic", "dynamic"])),
    st.tuples(st.just("enable"), which, st.booleans()),
    st.tuples(st.just("sensor"), which, st.booleans()),
    st.tuples(st.just("sleep"), which),
    st.tuples(st.just("apart"), which, which),
    st.tuples(st.just("copy")),
    st.tuples(st.just("step"), st.integers(1, 20)),
)


def act(followed, what, *values):
    world = followed.world
    bodies = [body for body in world.bodies if body.index]
    if what == "add":
        world.add_body(*values)
    elif what == "step":
        followed.step(*values)
    elif what == "copy":
        data = world.snapshot()
        followed.world = p2.World.from_snapshot(data)
        assert followed.world.snapshot() == data
    elif bodies:
        body = bodies[values[0] % len(bodies)]
        if what == "remove":
            world.remove(body)
        elif what == "move":
            body.position = values[1]
        elif what == "shape":
            body.colliders[0].shape = values[1]
        elif what == "kind":
            body.kind = values[1]
        elif what == "enable":
            body.enabled = values[1]
        elif what == "sensor":
            body.colliders[0].sensor = values[1]
        elif what == "sleep" and body.kind == "dynamic":
            body.sleep()
        elif what == "apart" and (other := bodies[values[1] % len(bodies)]) != body:
            world.add_filter_joint(body, other)


@settings(deadline=None, max_examples=30)
@given(st.lists(ACTS, min_size=5, max_size=40))
def test_whatever_happens_begins_and_ends_agree(acts):
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Chain([(6, 6), (5, 0), (-5, 0), (-6, 6)][::-1]), kind="static")
    for k in range(6):
        world.add_body(SHAPES[k % 3], (k - 2.5, 0.8 + k % 2))
    followed = Followed(world)
    followed.step(20)
    for each in acts:
        act(followed, *each)
    followed.step()
