"""The hook that judges contacts: against the same materials on colliders, and its misuse."""

import re
import threading

import numpy as np
import pytest
from failing import check_collected, fail_every_allocation
from same_bits import BROAD_PHASES, check_same_bits
from scenes_for_tests import ground, mixed

import pyphys2d as p2

DT = 1 / 60
SOLVERS = ["soft_step", "sequential_impulses"]


class OurError(Exception):
    pass


@pytest.fixture(params=SOLVERS)
def world(request):
    world = p2.World(gravity=(0, -10), solver=request.param)
    ground(world)
    return world


def ask(world):
    """Lets every collider be asked for."""
    for collider in world.colliders:
        collider.pre_solve = True
    return world


# ---------------------------------------------------------------- what is shown


def test_the_table_of_a_box_on_the_ground(world):
    box = world.add_body(p2.Box(2, 1), (3, 0.5), 0, velocity=(1, -2), friction=0.9)
    box.colliders[0].pre_solve = True
    seen = []
    world.on_pre_solve = seen.append
    world.step(DT)
    (rows,) = seen
    assert rows.dtype.names == (
        *("body_a", "body_b", "collider_a", "collider_b", "piece_a", "piece_b"),
        *("normal_x", "normal_y", "point_x", "point_y", "separation", "approach", "id"),
        *("friction", "restitution", "tangent_speed", "enabled"),
    )
    (row,) = rows
    up = 1 if row["body_b"] == box.index else -1
    assert {row["body_a"], row["body_b"]} == {0, box.index}
    np.testing.assert_allclose(row["normal"], (0, up), atol=1e-6)
    assert row["separation"] == pytest.approx(0, abs=1e-6)
    assert row["approach"] == pytest.approx(2, rel=1e-5)
    assert row["point"][1] == pytest.approx(0, abs=1e-6)
    assert abs(row["point"][0] - 3) == pytest.approx(1, abs=1e-6)
    floor = world.colliders[0]
    assert row["friction"] == pytest.approx(np.sqrt(0.9 * floor.friction), rel=1e-6)
    assert row["enabled"]


def test_only_those_that_asked_are_shown(world):
    a = world.add_body(p2.Box(1, 1), (0, 0.5))
    b = world.add_body(p2.Box(1, 1), (0, 1.5))
    world.add_body(p2.Box(1, 1), (5, 0.5))
    seen = []
    world.on_pre_solve = lambda rows: seen.append(sorted({*rows["body_a"], *rows["body_b"]}))
    world.step(DT)
    assert seen == []  # nobody has asked: no call
    b.colliders[0].pre_solve = True
    world.step(DT, n=2)
    assert seen == [[a.index, b.index]] * 2
    a.colliders[0].pre_solve = True
    world.step(DT)
    assert seen[-1] == [0, a.index, b.index]


def test_contacts_of_sleepers_are_not_shown():
    world = p2.World()
    ground(world)
    box = world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True)
    count = [0]
    world.on_pre_solve = lambda _: count.__setitem__(0, count[0] + 1)
    world.step(DT, n=240)
    assert not box.awake
    before = count[0]
    world.step(DT, n=10)
    assert count[0] == before


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_hook_that_changes_nothing_changes_no_bit(solver, workers):
    world, twin = (ask(mixed(solver=solver, workers=workers)) for _ in range(2))
    sizes = []
    world.on_pre_solve = lambda rows: sizes.append(len(rows))
    world.step(DT, n=60)
    world.step(DT)
    twin.step(DT, n=61)
    assert world.hash() == twin.hash()
    assert len(sizes) > 50
    assert max(sizes) > 20


def test_the_order_is_that_of_the_pairs():
    world = ask(mixed())
    names = ["body_a", "body_b", "collider_a", "collider_b", "piece_a", "piece_b"]
    seen = []
    world.on_pre_solve = lambda rows: seen.append(rows[names].tolist())
    world.step(DT, n=30)
    pairs = {row: i for i, row in enumerate(world.pairs[names].tolist())}
    places = [pairs[row] for row in seen[-1]]
    assert places == sorted(places)
    assert len(set(places)) == len(places)


# ---------------------------------------------------------------- what is written


@pytest.mark.parametrize(
    ("column", "value"),
    [("friction", 0.05), ("friction", 3), ("restitution", 0.7), ("tangent_speed", 1.5)],
)
def test_a_number_of_the_contact_is_that_of_the_material(world, column, value):
    """Written in the hook, or given to the collider of the ground: the same motion."""
    twin = p2.World(gravity=(0, -10), solver=world.solver)
    given = {"friction": value**2 / 0.6} if column == "friction" else {column: value}
    ground(twin, **given)
    boxes = [
        w.add_body(p2.Box(1, 1), (0, 1.2), velocity=(3, 0), pre_solve=True, restitution=0)
        for w in (world, twin)
    ]

    def judge(rows):
        rows[column] = value

    world.on_pre_solve = judge
    world.step(DT, n=60)
    twin.step(DT, n=60)
    np.testing.assert_allclose(boxes[0].position, boxes[1].position, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(boxes[0].velocity, boxes[1].velocity, rtol=1e-4, atol=1e-4)
    assert abs(boxes[0].position[0]) > 0.05


def test_it_holds_for_one_step(world):
    """Without the hook the materials are back."""
    box = world.add_body(p2.Box(1, 1), (0, 0.5), velocity=(4, 0), pre_solve=True)
    world.on_pre_solve = lambda rows: rows["friction"].fill(0)
    world.step(DT, n=30)
    assert box.velocity[0] == pytest.approx(4, rel=1e-3)
    world.on_pre_solve = None
    world.step(DT, n=60)
    assert abs(box.velocity[0]) < 1e-2


def test_what_is_not_enabled_is_no_contact(world):
    ghost = world.add_body(p2.Box(1, 1), (0, 1), pre_solve=True)
    solid = world.add_body(p2.Box(1, 1), (5, 1))
    world.on_pre_solve = lambda rows: rows["enabled"].fill(False)
    world.step(DT, n=60)
    assert ghost.position[1] == pytest.approx(1 - 10 / 2, abs=0.1)
    assert solid.position[1] == pytest.approx(0.5, abs=1e-2)
    assert {*world.contacts["body_a"], *world.contacts["body_b"]} == {0, solid.index}
    assert (world.events.contact_begin["body_a"] != ghost.index).all()
    assert (world.events.contact_begin["body_b"] != ghost.index).all()


def test_events_of_a_contact_that_is_switched(world):
    box = world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True, can_sleep=False)
    on = True
    world.on_pre_solve = lambda rows: rows["enabled"].fill(on)
    world.step(DT, n=10)
    assert len(box.contacts) > 0
    on = False
    world.step(DT)
    assert len(world.events.contact_end) == 1
    assert len(box.contacts) == 0
    on = True
    world.step(DT)
    assert len(world.events.contact_begin) == 1
    world.step(DT, n=60)
    assert box.position[1] == pytest.approx(0.5, abs=1e-2)


def test_contacts_that_stay_switched_off_leave_the_layout_alone(world):
    other = p2.World(gravity=(0, -10), solver=world.solver)
    ground(other)
    for each in (world, other):
        each.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True)
        each.add_body(p2.Box(1, 1), (4, 0.5))
        each.on_pre_solve = lambda rows: rows["enabled"].fill(False)
        each.step(DT, n=2)
    made = world.counters["layout_rebuilds"]
    for _ in range(8):
        world.step(DT)
        other.remove(other.add_body(p2.Circle(1), (9, 99), kind="static"))  # made anew
        other.step(DT)
        assert np.array_equal(world.positions[:3], other.positions[:3])
    assert world.counters["layout_rebuilds"] == made
    assert world.bodies[1].position[1] < 0.4  # falls through
    assert world.bodies[2].position[1] == pytest.approx(0.5, abs=1e-2)
    # One of several that are switched, to and fro.
    world.bodies[1].position = (0, 0.5)
    world.bodies[1].velocity = (0, 0)
    on = False

    def switch(rows):
        rows["enabled"] = on

    world.on_pre_solve = switch
    for step in range(12):
        on = step % 3 == 2
        before = world.counters["layout_rebuilds"]
        world.step(DT)
        assert (world.counters["layout_rebuilds"] > before) == (step > 0 and step % 3 != 1), step


def test_a_one_way_platform(world):
    """Jumped through from below, stood on from above, left by a switch."""
    world.add_body(p2.Box(6, 0.2), (0, 3), kind="static", pre_solve=True)
    platform = world.bodies[1].index
    hero = world.add_body(p2.Box(0.5, 1), (0, 0.5), fixed_rotation=True)
    drop = False

    def one_way(rows):
        up = np.where(rows["body_a"] == platform, rows["normal"][:, 1], -rows["normal"][:, 1])
        rows["enabled"] = (up > 0.7) & (rows["separation"] > -0.05) & (not drop)

    world.on_pre_solve = one_way
    world.step(DT, n=20)
    hero.velocity = (0, 9.5)
    heights = []
    for _ in range(180):
        world.step(DT)
        heights.append(hero.position[1])
    assert max(heights) > 4.2
    assert heights[-1] == pytest.approx(3.6, abs=0.02)
    # The way up is that of free flight.
    peak = 0.5 + 9.5**2 / 20
    assert max(heights) == pytest.approx(peak, abs=0.15)
    drop = True
    hero.wake()
    world.step(DT, n=90)
    assert hero.position[1] == pytest.approx(0.5, abs=0.02)


def test_a_conveyor_by_place(world):
    """The floor carries to the right on the left side, and to the left on the right: all meet."""
    floor = world.bodies[0].index
    bodies = [world.add_body(p2.Box(0.5, 0.5), (x, 0.25), pre_solve=True) for x in (-6, -4, 4, 6)]

    def carry(rows):
        assert ((rows["body_a"] == floor) | (rows["body_b"] == floor)).all()
        side = rows["point"][:, 0]
        rows["tangent_speed"] = np.where(side < -2, 2, np.where(side > 2, -2, 0))

    world.on_pre_solve = carry
    world.step(DT, n=20)
    assert bodies[0].velocity[0] == pytest.approx(2, rel=0.05)
    assert bodies[3].velocity[0] == pytest.approx(-2, rel=0.05)


def test_the_example_of_the_docs_runs(repository):
    text = (repository / "docs" / "hooks.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    space = {}
    exec(compile("\n".join(blocks), "hooks.md", "exec"), space)
    assert space["hero"].position[1] == pytest.approx(3.6, abs=0.02)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_same_bits_at_every_width_and_for_any_workers(solver):
    def judge(rows):
        kind = (rows["collider_a"] + rows["collider_b"]) % 5
        rows["enabled"] = kind != 0
        rows["friction"][kind == 1] = 0.05
        rows["restitution"][kind == 2] = 0.5
        rows["tangent_speed"][kind == 3] = 0.25

    def run(**options):
        world = ask(mixed(solver=solver, **options))
        world.on_pre_solve = judge
        world.step(DT, n=60)
        return world

    check_same_bits(run, workers=(1, 2), others=BROAD_PHASES)


def test_stages_ask_it_too():
    world, twin = ask(mixed()), ask(mixed())
    calls = []

    def judge(rows):
        calls.append(len(rows))
        rows["friction"] = 0.1
        rows["enabled"][::3] = False

    world.on_pre_solve = twin.on_pre_solve = judge
    for _ in range(20):
        stages = {stage.name: stage for stage in world.stages(DT)}
        twin.step(DT)
        assert calls[-1] == calls[-2]
        shown = stages["constraints"].constraints["friction"]
        assert len(shown) == 0 or (shown == np.float32(0.1)).any()
    assert world.hash() == twin.hash()


# ---------------------------------------------------------------- misuse


@pytest.mark.parametrize("stages", [False, True])
@pytest.mark.parametrize("error", [OurError("x"), KeyboardInterrupt(), MemoryError()])
def test_an_exception_leaves_step_as_itself(error, stages):
    world, twin = ask(mixed()), ask(mixed())

    def fail(_):
        if armed:
            raise error

    world.step(DT, n=25)
    twin.step(DT, n=25)
    armed = True
    world.on_pre_solve = fail
    call = world.stages if stages else world.step
    with pytest.raises(type(error)) as caught:
        call(DT)
    assert caught.value is error
    assert world.step_count == 25
    assert world.hash() == twin.hash()
    armed = False
    world.step(DT, n=20)
    twin.step(DT, n=20)
    assert world.hash() == twin.hash()


def test_a_failing_step_among_many_keeps_the_steps_before(world):
    world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True)
    calls = []

    def fail(rows):
        calls.append(rows)
        if len(calls) == 4:
            raise OurError

    world.on_pre_solve = fail
    with pytest.raises(OurError):
        world.step(DT, n=10)
    assert world.step_count == 3


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("friction", -1),
        ("friction", np.nan),
        ("friction", np.inf),
        ("restitution", -0.1),
        ("restitution", np.nan),
        ("tangent_speed", 1e10),
        ("tangent_speed", np.nan),
    ],
)
def test_numbers_out_of_range_are_named(world, column, value):
    world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True)
    before = world.hash()

    def spoil(rows):
        rows[column][0] = value

    world.on_pre_solve = spoil
    with pytest.raises(ValueError, match=rf"on_pre_solve: {column}\[0\]: must be within \("):
        world.step(DT)
    assert world.hash() == before


@pytest.mark.parametrize(
    ("name", "value"), [("body_a", 10**6), ("piece_b", -1), ("normal", np.nan), ("approach", 9)]
)
def test_other_columns_are_refused(world, name, value):
    world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True)
    before = world.hash()

    def scribble(rows):
        rows[name] = value

    world.on_pre_solve = scribble
    with pytest.raises(ValueError, match=rf"on_pre_solve: {name}\[0\]: cannot be changed"):
        world.step(DT, n=30)
    assert world.hash() == before


def test_an_array_that_was_given_another_size_is_refused(world):
    world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True)
    world.on_pre_solve = lambda rows: rows.resize(0, refcheck=False)
    before = world.hash()
    with pytest.raises(ValueError, match="on_pre_solve: the array of contacts"):
        world.step(DT)
    assert world.hash() == before


def test_arrays_may_be_kept(world):
    world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True)
    kept = []
    world.on_pre_solve = kept.append
    world.step(DT, n=5)
    copies = [rows.copy() for rows in kept]
    world.step(DT, n=5)
    for rows, copy in zip(kept, copies, strict=False):
        np.testing.assert_array_equal(rows, copy)
        rows["friction"] = -5  # too late
    world.step(DT)


def test_the_world_is_locked_in_it(world):
    box = world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True, name="box")
    floor = world.colliders[0]
    others = [world.add_fluid(-5, 1)]
    if world.solver == "soft_step":
        others.append(world.add_mouse_joint(box, max_force=0))
    refused = []

    def meddle(_):
        for call in (
            world.step,
            world.stages,
            world.hash,
            box.wake,
            lambda: world.remove(box),
            lambda: world.add_body(p2.Circle(1)),
            lambda: setattr(box, "position", (0, 9)),
            lambda: world.explode((0, 0), 1, 1),
            lambda: box.contacts,
        ):
            with pytest.raises(p2.WorldLockedError, match="do it in on_force, or after the step"):
                call()
            refused.append(call)
        for thing in (box, world.bodies, world.joints, floor, *others):
            assert repr(thing).startswith("<")
        assert repr(world) == "<World inside its step>"
        velocities = world.velocities  # views are at hand
        assert velocities.shape == (2, 2)
        assert not velocities.flags.writeable

    world.on_pre_solve = meddle
    world.step(DT)
    assert len(refused) == 9


@pytest.mark.parametrize("stages", [False, True])
@pytest.mark.parametrize(
    "name", ["positions", "angles", "velocities", "angular_velocities", "forces", "torques"]
)
def test_what_it_writes_to_live_arrays_is_undone_and_refused(name, stages):
    def make():
        world = p2.World()
        ground(world)
        world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True, velocity=(2, 0))
        world.add_bodies(p2.Circle(0.2), [(3, 5), (4, 5)])
        world.remove(world.bodies[2])
        return world

    world, twin = make(), make()
    view = getattr(world, name)
    before = world.hash()

    def write(_):
        view[2] = 7  # of nobody
        view[1] += 1

    world.on_pre_solve = write
    for _ in range(2):
        with pytest.raises(p2.WorldLockedError, match=rf"^on_pre_solve: {name}\[1\] was written"):
            list(world.stages(DT)) if stages else world.step(DT)
        assert world.hash() == before
    world.on_pre_solve = lambda _: None
    world.step(DT, n=3)
    twin.step(DT, n=3)
    assert world.hash() == twin.hash()


def test_an_exception_of_the_hook_goes_before_what_it_wrote(world):
    world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True)
    view, before = world.velocities, world.hash()

    def write(_):
        view[1] = 7
        raise OurError

    world.on_pre_solve = write
    with pytest.raises(OurError):
        world.step(DT)
    assert world.hash() == before


def test_a_read_only_view_of_it_refuses_at_once(world):
    world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True)

    def write(_):
        world.velocities[1] = 7

    world.on_pre_solve = write
    with pytest.raises(ValueError, match="read-only"):
        world.step(DT)


def test_it_may_replace_itself(world):
    box = world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True, velocity=(3, 0))
    calls = []

    def second(rows):
        calls.append(2)
        world.on_pre_solve = None

    def first(rows):
        calls.append(1)
        world.on_pre_solve = second

    world.on_pre_solve = first
    for _ in range(4):
        world.step(DT)
    assert calls == [1, 2]
    assert box.alive


@pytest.mark.parametrize("bad", [3, "judge", []])
def test_what_cannot_be_called_is_refused(world, bad):
    with pytest.raises(TypeError, match="on_pre_solve: must be callable or None, got"):
        world.on_pre_solve = bad
    with pytest.raises(TypeError, match="on_pre_solve cannot be deleted"):
        del world.on_pre_solve
    assert world.on_pre_solve is None


def test_both_hooks_together(world):
    box = world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True)
    order = []

    def push(w):
        order.append("force")
        box.apply_force((5, 0))

    def judge(rows):
        order.append("judge")
        rows["friction"] = 0

    world.on_force = push
    world.on_pre_solve = judge
    world.step(DT, n=3)
    assert order == ["force", "judge"] * 3
    assert box.velocity[0] == pytest.approx(3 * DT * 5, rel=1e-3)


def test_threads_with_hooks():
    worlds = [ask(mixed()) for _ in range(3)]
    errors = []

    def judge(rows):
        rows["friction"] *= 0.5

    def work(world):
        try:
            for _ in range(20):
                world.step(DT, n=2)
        except Exception as error:
            errors.append(error)

    twin = ask(mixed())
    for world in (*worlds, twin):
        world.on_pre_solve = judge
    threads = [threading.Thread(target=work, args=(w,)) for w in (*worlds, worlds[0])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors
    twin.step(DT, n=40)
    assert worlds[1].hash() == worlds[2].hash() == twin.hash()
    assert worlds[0].step_count == 80


def test_a_world_and_its_hook_are_collected_together():
    def make():
        world = p2.World()
        ground(world)
        world.add_body(p2.Circle(1), (0, 1), pre_solve=True)
        world.on_pre_solve = lambda rows: world.gravity
        world.step(DT)
        return world

    check_collected(make)


def test_every_allocation_may_fail():
    world, reference = ask(mixed()), ask(mixed())

    def judge(rows):
        rows["enabled"][::2] = False

    for each in (world, reference):
        each.step(DT, n=30)
        each.on_pre_solve = judge
    failures = fail_every_allocation(world, lambda: world.step(DT))
    assert failures > 0
    reference.step(DT)
    assert world.hash() == reference.hash()
