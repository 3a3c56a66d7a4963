"""The filter of pairs: against categories and masks that say the same, and its misuse."""

import os
import re
import signal

import numpy as np
import pytest
from failing import check_collected, fail_every_allocation
from same_bits import BROAD_PHASES

import pyphys2d as p2

DT = 1 / 60
ALL = 2**64 - 1


class OurError(Exception):
    pass


def allow(pairs):
    return np.ones(len(pairs), bool)


def refuse(pairs):
    return np.zeros(len(pairs), bool)


class Asked:
    """A filter that remembers what it was asked; answers as another one does."""

    def __init__(self, answer=allow):
        self.answer, self.calls = answer, []

    def __call__(self, pairs):
        self.calls.append(pairs[["collider_a", "collider_b"]].tolist())
        return self.answer(pairs)

    @property
    def pairs(self):
        return [pair for call in self.calls for pair in call]


@pytest.fixture
def world():
    """Three discs of 1 m over a floor: two of them in a column."""
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Circle(0.5), [(0, 0.505), (0, 1.51), (5, 0.505)])
    return world


# ---------------------------------------------------------------- when it is asked, and what


def test_it_gets_the_pairs_that_come_near_once_and_in_order(world):
    tables = []
    world.pair_filter = lambda pairs: tables.append(pairs) or allow(pairs)
    world.step(DT, n=100)
    (first, *later) = tables
    assert first.dtype.names == ("body_a", "body_b", "collider_a", "collider_b")
    rows = [row for table in tables for row in table.tolist()]
    assert all(a < b for _, _, a, b in rows)
    assert len(set(rows)) == len(rows)  # none twice
    assert set(rows) == {(0, 1, 0, 1), (0, 3, 0, 3), (1, 2, 1, 2)} | (
        {(0, 2, 0, 2)} & set(rows)  # if the upper disc looks so far ahead
    )
    assert all(table.tolist() == sorted(table.tolist()) for table in tables)
    assert len(later) <= 2
    world.step(DT, n=100)
    assert len(tables) == 1 + len(later)  # nothing new comes near: no call


def test_pieces_that_come_and_go_are_one_question():
    world = p2.World(gravity=(0, -10))
    x = np.linspace(-20, 20, 161)
    world.add_body(p2.Chain(np.column_stack([x[::-1], 0 * x])[::-1]), kind="static")
    world.add_body(p2.Circle(0.2), (-15, 0.25), velocity=(10, 0))
    world.pair_filter = asked = Asked()
    world.step(DT, n=120)
    assert world.positions[1, 0] > -5  # over dozens of pieces
    assert asked.calls == [[(0, 1)]]


def test_it_is_not_asked_about_what_other_filters_rule_out(world):
    for collider in world.colliders:
        collider.group = -1
    world.pair_filter = asked = Asked()
    world.step(DT, n=10)
    assert asked.calls == []


def test_what_it_refuses_has_no_pair_and_no_contact(world):
    world.pair_filter = refuse
    world.step(DT, n=60)
    assert len(world.pairs) == len(world.contacts) == 0
    fallen = -10 * DT * DT * 60 * (60 + 1 / 8) / 2  # by steps of 8 substeps
    np.testing.assert_allclose(
        world.positions[1:, 1], np.add([0.505, 1.51, 0.505], fallen), rtol=1e-9
    )


def test_teams_by_a_table(world):
    """The example of docs/hooks.md: who of two meets is looked up in arrays."""
    team = np.array([0, 1, 2, 1])  # floor, red, blue, red
    meets = np.array([[0, 1, 1], [1, 1, 0], [1, 0, 1]], bool)
    world.pair_filter = lambda pairs: meets[team[pairs["body_a"]], team[pairs["body_b"]]]
    world.step(DT, n=180)
    np.testing.assert_allclose(world.positions[1:, 1], 0.5, atol=2e-3)  # the column fell into one
    bodies = world.contacts[["body_a", "body_b"]].tolist()
    assert sorted(bodies) == [(1, 0), (2, 0), (3, 0)]


# ---------------------------------------------------------------- a second implementation: masks


def crowd(random, table, by_filter, **options):
    """Things of all sorts, of four kinds that meet by a table: by masks, or by a filter."""
    world = p2.World(gravity=(0, -10), **options)
    masks = [ALL] * 4 if by_filter else p2.category_masks(table).tolist()
    kinds = []

    def add(shape, *args, **words):
        kind = int(random.integers(4))
        kinds.append(kind)
        return world.add_body(
            shape, *args, category=1 << kind, mask=masks[kind], friction=0.5, **words
        )

    for side in (-6, 6):
        add(p2.Box(0.2, 12), (side, 5), kind="static")
        add(p2.Box(0.02, 9), (side * 0.7, 4), kind="static")
    terrain = p2.Chain(np.column_stack([np.linspace(-7, 7, 15), np.zeros(15)]))
    if world.wrap is not None:
        terrain = p2.Box(14, 0.05)
    for _ in range(3):
        add(terrain, (0, -0.1 * len(kinds)), kind="static")
    add(p2.Box(0.3, 3), (0, 3), kind="kinematic", angular_velocity=12)
    add(p2.Box(0.1, 1), (-5, 2), kind="kinematic", velocity=(40, 0))
    shapes = [
        p2.Circle(0.2),
        p2.Box(0.4, 0.3),
        p2.Capsule((-0.2, 0), (0.2, 0), 0.1),
        p2.Polygon([(0, 0), (0.6, 0), (0.6, 0.2), (0.2, 0.2), (0.2, 0.6), (0, 0.6)]),
        [p2.Circle(0.15, (-0.2, 0)), p2.Circle(0.15, (0.2, 0))],
    ]
    for _ in range(70):
        fast = random.random() < 0.3
        add(
            shapes[int(random.integers(5))],
            random.uniform((-5, 0.3), (5, 8)),
            random.uniform(-3, 3),
            velocity=random.normal(0, 60 if fast else 2, 2),
            bullet=fast and random.random() < 0.6,
        )
    kinds = np.array(kinds)
    if by_filter:
        world.pair_filter = lambda pairs: table[kinds[pairs["body_a"]], kinds[pairs["body_b"]]]
    return world


@pytest.mark.parametrize("options", [
    {},
    {"workers": 3},
    *BROAD_PHASES[1:],
    {"solver": "sequential_impulses"},
    {"wrap": (32, np.inf)},
], ids=str)  # fmt: skip
def test_a_filter_that_says_what_masks_say_gives_the_same_bits(options):
    """Until a fast body that was deflected within a step is stopped by a collider of which the
    filter has not been asked: that is so in one of three wrapped worlds."""
    stopped = 0
    for seed in range(3):
        random = np.random.default_rng(seed)
        table = random.random((4, 4)) < 0.6
        table |= table.T
        worlds = [
            crowd(np.random.default_rng(seed), table, by_filter, **options)
            for by_filter in (False, True)
        ]
        for step in range(60):
            for world in worlds:
                world.step(DT)
            if worlds[0].counters["stopped"] < worlds[1].counters["stopped"]:
                assert step > 10
                stopped += 1
                break
            masked, filtered = (
                (world.positions.tobytes(), world.velocities.tobytes(), world.angles.tobytes())
                for world in worlds
            )
            assert masked == filtered, (seed, step)
        assert len(worlds[0].pairs) == len(worlds[1].pairs) > 20
    assert stopped <= ("wrap" in options)


def test_a_filter_that_allows_all_changes_no_bit():
    worlds = [crowd(np.random.default_rng(1), np.ones((4, 4), bool), True) for _ in range(3)]
    worlds[1].pair_filter = None
    worlds[2].workers = 2
    for _ in range(60):
        hashes = set()
        for world in worlds:
            world.step(DT)
            hashes.add(world.hash())
        assert len(hashes) == 1


def test_calls_do_not_depend_on_workers_or_the_broad_phase():
    calls = []
    table = np.eye(4, dtype=bool)
    for options in ({}, {"workers": 3}, *BROAD_PHASES):
        world = crowd(np.random.default_rng(5), table, True, **options)
        world.pair_filter = asked = Asked(world.pair_filter)
        world.step(DT, n=40)
        calls.append(asked.calls)
    assert all(each == calls[0] for each in calls)
    assert len(calls[0]) > 10


def test_hundreds_of_bodies_go_through_each_other():
    """Far more pairs than the first table has room for, most of them left behind."""
    world = p2.World(gravity=(0, 0))
    n = 40
    y, x = np.divmod(np.arange(n * n // 2), n)
    world.add_bodies(p2.Circle(0.4), np.column_stack([x, y]), velocity=(10, 0))
    world.add_bodies(p2.Circle(0.4), np.column_stack([x + n, y]), velocity=(-10, 0))
    start = world.positions.copy()
    world.pair_filter = asked = Asked(refuse)
    world.step(DT, n=120)
    np.testing.assert_allclose(world.positions, start + world.velocities * 2, rtol=0, atol=1e-9)
    assert len(asked.pairs) > 10_000


# ---------------------------------------------------------------- fast bodies


def flight(x, filter, kind="static", speed=300, wall_speed=0):
    world = p2.World(gravity=(0, 0))
    world.add_body(p2.Box(0.02, 10), (0, 0), kind=kind, velocity=(wall_speed, 0))
    world.add_body(p2.Circle(0.1), (x, 0), velocity=(speed, 0), bullet=True)
    world.pair_filter = filter
    world.step(DT, n=3)
    return world


@pytest.mark.parametrize("start", [-1, -6, -9, -14])
def test_a_fast_body_passes_what_is_refused_without_a_halt(start):
    free = flight(start, refuse)
    assert free.positions[1, 0] == pytest.approx(start + 15, abs=1e-9)
    assert free.velocities[1].tolist() == [300, 0]
    held = flight(start, allow)
    assert held.positions[1, 0] < 0


@pytest.mark.parametrize("start", [-1, -6, -9, -14])
def test_bullets_pass_dynamic_bodies_and_fast_kinematic_ones_bodies_at_rest(start):
    free = flight(start, refuse, "dynamic")
    assert free.positions[1, 0] == pytest.approx(start + 15, abs=1e-9)
    assert free.positions[0].tolist() == [0, 0]
    for filter, moves in ((refuse, False), (allow, True)):
        world = flight(-start, filter, "kinematic", 0, 300)
        assert (world.positions[1, 0] != -start) == moves


# ---------------------------------------------------------------- asking again


def test_refilter_asks_about_all_and_wakes(world):
    open_floor = np.zeros(4, bool)
    world.pair_filter = asked = Asked(lambda pairs: ~open_floor[pairs["body_b"]])
    world.step(DT, n=400)
    assert not world.awake[1:].any()
    asked.calls.clear()
    open_floor[3] = True
    world.step(DT, n=5)
    assert asked.calls == []  # remembered
    world.refilter()
    assert world.awake[1:].all()
    world.step(DT)
    assert {(0, 1), (0, 3), (1, 2)} <= set(asked.pairs)
    ends = world.events.contact_end[["body_a", "body_b"]].tolist()
    assert ends == [(3, 0)]
    world.step(DT, n=60)
    assert world.positions[3, 1] < -1
    np.testing.assert_allclose(world.positions[1:3, 1], [0.5, 1.5], atol=2e-3)


def test_contacts_that_stay_allowed_keep_their_impulses(world):
    world.sleeping = False
    world.pair_filter = allow
    world.step(DT, n=100)
    before = world.contacts
    for change in (world.refilter, lambda: setattr(world, "pair_filter", Asked())):
        change()
        world.step(DT)
        now = world.contacts
        assert (now["age"] > before["age"]).all()
        np.testing.assert_allclose(now["normal_impulse"], before["normal_impulse"], rtol=1e-4)
        assert len(world.events.contact_begin) == len(world.events.contact_end) == 0


def test_another_filter_and_none_begin_anew(world):
    world.pair_filter = refuse
    world.step(DT, n=2)
    world.pair_filter = asked = Asked(allow)
    assert world.pair_filter is asked
    world.step(DT)
    assert (0, 1) in asked.pairs
    assert len(world.pairs) > 0
    world.pair_filter = refuse
    world.step(DT)
    assert len(world.pairs) == 0
    world.pair_filter = None
    assert world.pair_filter is None
    world.step(DT)
    assert len(world.pairs) > 0


@pytest.mark.parametrize(
    ("name", "value"), [("category", 2), ("mask", 7), ("group", 4), ("shape", p2.Circle(0.52))]
)
def test_a_collider_whose_filter_or_shape_changes_is_asked_about_again(world, name, value):
    world.pair_filter = asked = Asked()
    world.step(DT)
    first = set(asked.pairs)
    asked.calls.clear()
    setattr(world.bodies[1].colliders[0], name, value)
    world.step(DT)
    assert asked.calls == [sorted(pair for pair in first if 1 in pair)]


def test_the_next_in_a_place_is_another(world):
    world.pair_filter = asked = Asked(lambda pairs: pairs["collider_b"] != 3)
    world.step(DT)
    world.remove(world.bodies[3])
    world.step(DT)
    asked.calls.clear()
    asked.answer = allow
    again = world.add_body(p2.Circle(0.5), (5, 0.505))
    assert again.colliders[0].index == 3
    world.step(DT)
    assert asked.calls == [[(0, 3)]]


# ---------------------------------------------------------------- what it does not concern


def test_questions_and_sensors_go_by_their_own_filters(world):
    zone = world.add_body(p2.Circle(1), (5, 0.6), kind="static", sensor=True)
    world.pair_filter = asked = Asked(refuse)
    world.step(DT)
    assert [hit.body.index for hit in world.cast_ray_all((0, 5), (0, -10))] == [2, 1, 0]
    assert zone.colliders[0].overlaps
    assert not any(4 in pair for pair in asked.pairs)


# ---------------------------------------------------------------- state


def test_a_world_that_is_restored_asks_anew_and_has_the_same_future(world):
    world.pair_filter = asked = Asked(lambda pairs: pairs["collider_a"] == 0)
    world.step(DT, n=3)
    state = world.snapshot()
    world.step(DT, n=60)
    future = world.hash()
    asked.calls.clear()
    world.restore(state)
    assert world.pair_filter is asked
    world.step(DT, n=60)
    assert {(0, 1), (1, 2)} <= set(asked.calls[0])
    assert world.hash() == future


def test_copies_have_no_filter(world):
    world.pair_filter = refuse
    world.step(DT, n=3)
    twin = p2.World.from_snapshot(world.snapshot())
    for copied in (world.fork(1)[0], twin):
        assert copied.pair_filter is None
        copied.step(DT)
        assert len(copied.pairs) > 0
    assert len(world.pairs) == 0


def test_stages_ask(world):
    world.step(DT)  # with pairs that are to end
    world.pair_filter = asked = Asked(refuse)
    with world.stages(DT) as stages:
        next(stages)
    assert asked.calls
    for _ in world.stages(DT):
        pass
    assert len(world.pairs) == 0
    world.step(DT, n=30)
    assert world.positions[1, 1] < 0


def test_a_call_log_has_the_answers(world, tmp_path):
    refused = np.zeros(9, bool)
    filter = Asked(lambda pairs: ~refused[pairs["body_b"]])
    world.pair_filter = filter
    world.step(DT, n=20)
    path = tmp_path / "run.calls"
    with world.record_calls(path):
        world.step(DT, n=20)
        refused[3] = True
        world.refilter()
        world.step(DT, n=10)
        world.on_pre_solve = lambda _: 1 / 0
        for collider in world.colliders:
            collider.pre_solve = True
        world.add_body(p2.Box(1, 1), (0.2, 3))  # asked about in a step that is not made
        with pytest.raises(ZeroDivisionError):
            world.step(DT)
        world.on_pre_solve = None
        world.step(DT, n=60)
        world.pair_filter = None
        world.step(DT, n=5)
        world.bodies[1].sleep()
        world.pair_filter = lambda pairs: ~filter(pairs)
        world.step(DT, n=30)
    for workers in (1, 2):
        again = p2.replay(path, workers=workers)
        assert again.same, again
        assert again.steps == 125
        assert again.world.pair_filter is None
        assert again.world.hash() == world.hash()


def test_a_replay_tells_of_pairs_that_were_not_asked_about(world, tmp_path):
    path = tmp_path / "run.calls"
    world.pair_filter = Asked()
    with world.record_calls(path):
        world.step(DT)

    def move(replayed):
        replayed.bodies[3].position = (0.9, 0.505)

    with world.record_calls(path):
        world.step(DT, n=3)
    difference = p2.replay(path, on_step=move).difference
    assert "the pair filter was asked about colliders 1 and 3" in str(difference)


# ---------------------------------------------------------------- misuse


@pytest.mark.parametrize(("answer", "error", "text"), [
    (lambda pairs: None, TypeError, "got NoneType of object, shape ()"),
    (lambda pairs: True, ValueError, "got bool of bool, shape ()"),
    (lambda pairs: np.ones(len(pairs)), TypeError, "got ndarray of float64, shape (3,)"),
    (lambda pairs: [1] * len(pairs), TypeError, "got list of int64, shape (3,)"),
    (lambda pairs: np.ones(len(pairs) + 1, bool), ValueError, "got ndarray of bool, shape (4,)"),
    (lambda pairs: np.ones((len(pairs), 1), bool), ValueError, "shape (3, 1)"),
    (lambda pairs: 1 / 0, ZeroDivisionError, "division by zero"),
])  # fmt: skip
def test_a_wrong_answer_makes_no_step_and_says_what_is_right(world, answer, error, text):
    world.gravity = 0, 0
    before = world.hash()
    world.pair_filter = answer
    for _ in range(2):
        with pytest.raises(error, match=re.escape(text)) as caught:
            world.step(DT)
        if error is not ZeroDivisionError:
            assert "must return an array of bool, shape (3,)" in str(caught.value)
        assert (world.hash(), world.step_count) == (before, 0)
    world.pair_filter = lambda pairs: [True] * len(pairs)  # a list will do
    world.step(DT)
    assert len(world.pairs) == 3


@pytest.mark.parametrize("act", [
    lambda world: world.add_body(p2.Circle(1)),
    lambda world: world.remove(world.bodies[1]),
    lambda world: world.step(),
    lambda world: world.refilter(),
    lambda world: setattr(world, "pair_filter", None),
    lambda world: setattr(world.bodies[1], "velocity", (1, 0)),
    lambda world: world.cast_ray((0, 5), (0, -9)),
    lambda world: world.snapshot(),
])  # fmt: skip
def test_the_world_is_locked_meanwhile(world, act):
    before = world.hash()
    world.pair_filter = filter = lambda pairs: act(world)
    with pytest.raises(p2.WorldLockedError):
        world.step(DT)
    assert (world.hash(), world.step_count) == (before, 0)
    assert world.pair_filter is filter


def test_handles_and_arrays_can_be_read_but_not_written(world):
    seen, positions = [], world.positions

    def look(pairs):
        seen.append([world.colliders[int(c)].body.position[1] for c in pairs["collider_b"]])
        assert not pairs.flags.writeable
        return allow(pairs)

    world.pair_filter = look
    world.step(DT)
    assert seen[0][0] == 0.505
    before = world.hash()
    world.pair_filter = lambda pairs: positions.fill(0)
    with pytest.raises(TypeError, match="must return"):  # its own fault goes first
        world.step(DT)
    world.pair_filter = lambda pairs: (positions.fill(0), allow(pairs))[1]
    with pytest.raises(p2.WorldLockedError, match=r"positions\[0\]"):
        world.step(DT)
    assert world.hash() == before


def test_only_what_can_be_called_is_taken(world):
    world.pair_filter = allow
    with pytest.raises(TypeError, match="pair_filter: must be callable or None, got int"):
        world.pair_filter = 3
    with pytest.raises(TypeError, match="cannot be deleted"):
        del world.pair_filter
    assert world.pair_filter is allow


def test_a_filter_can_be_set_by_on_force(world):
    def force(world):
        world.on_force = None
        world.pair_filter = refuse

    world.on_force = force
    world.step(DT, n=2)
    assert len(world.pairs) == 0


def test_ctrl_c_is_heard_in_it(world):
    before = world.hash()
    known = signal.signal(signal.SIGINT, signal.default_int_handler)  # shells may have it ignored

    def stop(pairs):
        os.kill(os.getpid(), signal.SIGINT)
        return allow(pairs)

    world.pair_filter = stop
    try:
        with pytest.raises(KeyboardInterrupt):
            world.step(DT)
    finally:
        signal.signal(signal.SIGINT, known)
    world.pair_filter = None
    assert (world.hash(), world.step_count) == (before, 0)


def test_a_step_that_is_not_made_asks_no_worse_later(world):
    """Answers to a step that another hook takes back hold."""
    for collider in world.colliders:
        collider.pre_solve = True
    world.pair_filter = asked = Asked(lambda pairs: pairs["collider_b"] != 3)

    def fail(_):
        raise OurError

    world.on_pre_solve = fail
    world.bodies[1].position = (0, 0.5)
    with pytest.raises(OurError):
        world.step(DT)
    count = len(asked.calls)
    world.on_pre_solve = None
    world.step(DT)
    assert len(asked.calls) == count
    assert 3 not in world.pairs["collider_a"]


def test_failing_allocations(world):
    world.pair_filter = refuse
    assert fail_every_allocation(world, lambda: world.step(DT)) > 5
    assert len(world.pairs) == 0


def test_a_world_in_its_filter_is_collected():
    def make():
        world = p2.World()
        world.pair_filter = lambda pairs: world
        return world

    check_collected(make)
