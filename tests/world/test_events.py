"""Events and contacts agree: what begins, ends."""

import numpy as np
import pytest
from scenes_for_tests import ground, mixed

import pyphys2d as p2


def key(row):
    return tuple(int(row[name]) for name in ("body_a", "body_b", "collider_a", "collider_b"))


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
@pytest.mark.parametrize("sleeping", [True, False])
def test_begins_less_ends_are_the_touching_pairs_at_all_times(solver, sleeping):
    """Of colliders: a concave shape is one collider, whichever of its pieces touch."""
    world = mixed(solver=solver, sleeping=sleeping)
    touching = set()
    begins = ends = 0
    rng = np.random.default_rng(0)
    for step in range(260):
        world.step()
        events = world.events
        for row in events.contact_end:
            assert key(row) in touching
            touching.discard(key(row))
            ends += 1
        for row in events.contact_begin:
            assert key(row) not in touching
            touching.add(key(row))
            begins += 1
        assert begins - ends == len(touching)
        # contacts have the poses after the step: what has points, touches
        assert {key(row) for row in world.contacts} <= touching
        if step % 40 == 20:
            bodies = [b for b in world.bodies if b.kind == "dynamic"]
            world.remove(bodies[int(rng.integers(len(bodies)))])
    assert begins > 100
    assert ends > 20


def test_events_have_their_step_numbers():
    world = p2.World(gravity=(0, -10))
    ground(world)
    world.add_body(p2.Circle(0.5), (0, 1.5))
    world.add_body(p2.Circle(0.5), (3, 3))
    world.step(n=120)
    begins = world.events.contact_begin
    assert len(begins) == 2
    steps = list(begins["step"])
    assert steps == sorted(steps)
    assert 0 < steps[0] < steps[1] < 120
    # free fall: 1 m and 2.5 m at 10 m/s²
    assert steps[0] == pytest.approx(np.sqrt(2 * 1.0 / 10) * 60, abs=2.5)
    assert steps[1] == pytest.approx(np.sqrt(2 * 2.5 / 10) * 60, abs=2.5)
    world.step()
    assert len(world.events.contact_begin) == 0


def test_events_of_one_call_are_the_events_of_its_steps():
    worlds = [mixed(), mixed()]
    worlds[0].step(n=100)
    rows = []
    for _ in range(100):
        worlds[1].step()
        rows.append(worlds[1].events.contact_begin)
    np.testing.assert_array_equal(worlds[0].events.contact_begin, np.concatenate(rows))


def test_hit_events_carry_speed_point_and_impulse():
    world = p2.World(gravity=(0, 0))
    floor = ground(world)
    body = world.add_body(p2.Circle(0.5), (2, 1), velocity=(0, -8))
    slow = world.add_body(p2.Circle(0.5), (6, 0.6), velocity=(0, -0.5))
    world.step(n=30)
    (hit,) = world.events.contact_hit
    assert {int(hit["body_a"]), int(hit["body_b"])} == {floor.index, body.index}
    assert hit["speed"] == pytest.approx(8, rel=0.05)
    assert hit["impulse"] == pytest.approx(8 * body.mass, rel=0.1)
    np.testing.assert_allclose(hit["point"], (2, 0), atol=0.1)
    np.testing.assert_allclose(np.abs(hit["normal"]), (0, 1), atol=1e-6)
    assert slow.position[1] < 0.6


def test_hit_threshold():
    world = p2.World(gravity=(0, 0), hit_event_threshold=10)
    ground(world)
    world.add_body(p2.Circle(0.5), (2, 1), velocity=(0, -8))
    world.step(n=30)
    assert len(world.events.contact_hit) == 0
    assert len(world.events.contact_begin) == 1


def test_sleep_and_wake_alternate():
    world = p2.World(gravity=(0, -10))
    ground(world)
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=200)
    assert list(world.events.sleep["body"]) == [body.index]
    assert len(world.events.wake) == 0
    body.apply_impulse((0, 1))
    world.step(n=200)
    assert list(world.events.wake["body"]) == [body.index]
    assert world.events.wake["step"][0] < world.events.sleep["step"][0]


def test_removal_ends_contacts():
    world = p2.World(gravity=(0, -10))
    ground(world)
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=10)
    number = body.index
    world.remove(body)
    world.step()
    ends = world.events.contact_end
    assert len(ends) == 1
    assert number in (ends[0]["body_a"], ends[0]["body_b"])


def test_tables_own_their_memory():
    world = mixed()
    world.step(n=100)
    rows, copy = world.contacts, world.contacts.copy()
    begins, begins_copy = world.events.contact_begin, world.events.contact_begin.copy()
    world.step(n=50)
    np.testing.assert_array_equal(rows, copy)
    np.testing.assert_array_equal(begins, begins_copy)
    assert not np.shares_memory(world.contacts, world.contacts)


def test_columns():
    world = mixed()
    world.step(n=100)
    assert set(world.contacts.dtype.fields) >= {
        "body_a", "body_b", "collider_a", "collider_b", "piece_a", "piece_b", "normal", "point",
        "separation", "normal_impulse", "tangent_impulse", "feature", "age",
    }  # fmt: skip
    events = world.events
    for name in ("contact_begin", "contact_end"):
        assert set(getattr(events, name).dtype.names) >= {
            "step",
            "body_a",
            "body_b",
            "collider_a",
            "collider_b",
        }
    assert set(events.contact_hit.dtype.fields) >= {
        "step",
        "body_a",
        "body_b",
        "point",
        "normal",
        "speed",
        "impulse",
    }
    for name in ("sensor_begin", "sensor_end", "joint_break", "sleep", "wake", "body_move"):
        assert "step" in getattr(events, name).dtype.names


# ---------------------------------------------------------------- hits by formula


def first_hit(world):
    """The first hit, and the velocities that all bodies had before its step."""
    for _ in range(120):
        before = world.velocities.copy(), world.angular_velocities.copy()
        world.step()
        if len(world.events.contact_hit):
            (hit,) = world.events.contact_hit
            return hit, *before
    raise AssertionError("no hit")


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
@pytest.mark.parametrize("restitution", [0.3, 1.0])
def test_a_ball_on_a_slope(solver, restitution):
    world = p2.World(gravity=(0, 0), solver=solver)
    material = {"friction": 0, "restitution": restitution}
    slope = 0.3
    out = np.array([-np.sin(slope), np.cos(slope)])  # of the slope
    ramp = world.add_body(p2.Box(40, 2, (0, -1)), angle=slope, kind="static", **material)
    ball = world.add_body(p2.Circle(0.5), (0.3, 2), velocity=(3, -8), **material)
    hit, velocity, _ = first_hit(world)
    assert (hit["body_a"], hit["body_b"]) == (ball.index, ramp.index)
    np.testing.assert_allclose(hit["normal"], -out, atol=1e-6)
    approach = -velocity[ball.index] @ out
    assert hit["speed"] == pytest.approx(approach, rel=1e-6)
    assert hit["impulse"] == pytest.approx(ball.mass * approach * (1 + restitution), rel=1e-5)
    # The ball has bounced off when the step ends: it hit where its straight way met the slope.
    start, way = np.array([0.3, 2]), np.array([3, -8])
    time = (start @ out - 0.5) / -(way @ out)
    if solver == "soft_step":  # the other one turns the ball round before it has arrived
        np.testing.assert_allclose(hit["point"], start + time * way - 0.5 * out, atol=1e-5)


def test_two_balls_meet_off_centre():
    """Reduced mass, and the normal that the impulse acts along."""
    world = p2.World(gravity=(0, 0))
    a = world.add_body(p2.Circle(0.5), velocity=(5, 0), restitution=0.4, density=2, friction=0)
    b = world.add_body(p2.Circle(0.3), (2, 0.2), velocity=(-7, 1), restitution=0.4, friction=0)
    hit, velocity, _ = first_hit(world)
    assert (hit["body_a"], hit["body_b"]) == (a.index, b.index)
    approach = (velocity[0] - velocity[1]) @ hit["normal"]
    reduced = a.mass * b.mass / (a.mass + b.mass)
    assert hit["speed"] == pytest.approx(approach, rel=1e-6)
    assert hit["impulse"] == pytest.approx(1.4 * reduced * approach, rel=1e-5)
    push = hit["impulse"] * hit["normal"]
    np.testing.assert_allclose(a.mass * (a.velocity - velocity[0]), -push, rtol=1e-5)
    np.testing.assert_allclose(b.mass * (b.velocity - velocity[1]), push, rtol=1e-5)
    # Between the centres, on both surfaces, when |gap + time * way| = 0.8.
    gap, way = np.array([2, 0.2]), np.array([-12, 1])
    half, rest = gap @ way, gap @ gap - 0.8**2
    time = (-half - np.sqrt(half**2 - way @ way * rest)) / (way @ way)
    centers = np.array([(5 * time, 0), (2 - 7 * time, 0.2 + time)])
    normal = (centers[1] - centers[0]) / 0.8
    np.testing.assert_allclose(hit["normal"], normal, atol=1e-5)
    np.testing.assert_allclose(hit["point"], centers[0] + 0.5 * normal, atol=1e-5)


def test_a_turning_rod_hits_with_its_end():
    """The speed is that of the end, the impulse what stops it: v / (1 / m + r^2 / I)."""
    world = p2.World(gravity=(0, 0))
    ground(world, friction=0)
    rod = world.add_body(
        p2.Box(2, 0.2), (0, 1.5), 0.5, velocity=(0, -4), angular_velocity=-3, friction=0
    )
    hit, velocity, spin = first_hit(world)
    arm = hit["point"] - rod.position
    approach = -(velocity[rod.index, 1] + spin[rod.index] * arm[0])
    assert hit["speed"] == pytest.approx(approach, rel=0.01)
    stopped = approach / (1 / rod.mass + arm[0] ** 2 / rod.inertia)
    assert hit["impulse"] == pytest.approx(stopped, rel=0.01)
    np.testing.assert_allclose(hit["normal"], (0, -1), atol=1e-6)
    assert hit["point"][1] == pytest.approx(0, abs=1e-3)


def test_the_impulse_of_a_hit_is_that_of_all_pieces():
    world = p2.World(gravity=(0, 0))
    world.add_body(p2.Chain([(x, 0) for x in range(-9, 10)]), kind="static")
    plank = world.add_body(p2.Box(5, 1), (0.3, 1), velocity=(0, -6))
    hit, velocity, _ = first_hit(world)
    assert len(set(world.contacts["piece_b"])) > 1
    change = plank.velocity - velocity[plank.index]
    assert hit["impulse"] == pytest.approx(plank.mass * change[1], rel=1e-4)
    assert hit["impulse"] > 29


# ---------------------------------------------------------------- what is gone, what is new


def test_ids_tell_what_is_gone_from_what_has_its_number():
    world = p2.World(gravity=(0, -10))
    floor = ground(world)
    ball = world.add_body(p2.Circle(0.5), (0, 0.49))
    floor_id, ball_id, circle_id = floor.id, ball.id, ball.colliders[0].id
    world.step()
    (begin,) = world.events.contact_begin
    assert (begin["body_id_a"], begin["body_id_b"]) == (ball_id, floor_id)
    assert begin["collider_id_a"] == circle_id
    assert begin["collider_id_b"] == floor.colliders[0].id
    world.remove(ball)
    again = world.add_body(p2.Box(1, 1), (0, 0.49))
    assert again.index == begin["body_a"]
    assert again.colliders[0].index == begin["collider_a"]
    assert world.bodies.by_id(begin["body_id_a"]) is None
    assert world.colliders.by_id(begin["collider_id_a"]) is None
    assert world.bodies.by_id(begin["body_id_b"]) == floor
    world.step()
    (end,), (begin,) = world.events.contact_end, world.events.contact_begin
    assert (end["body_a"], end["body_id_a"], end["collider_id_a"]) == (
        again.index,
        ball_id,
        circle_id,
    )
    assert world.bodies.by_id(begin["body_id_a"]) == again
    assert world.colliders.by_id(int(begin["collider_id_a"])) == again.colliders[0]


def test_parts_of_a_sliced_body_have_its_number_but_not_its_id():
    world = p2.World(gravity=(0, -10))
    ground(world)
    box = world.add_body(p2.Box(2, 1), (0, 0.49))
    world.step(n=2)
    box_id = box.id
    left, right = world.slice(box, (0, -1), (0, 2))
    world.step()
    (end,) = world.events.contact_end
    assert end["body_id_a"] == box_id
    assert end["body_a"] in (left.index, right.index)
    begins = world.events.contact_begin
    assert {int(i) for i in begins["body_id_a"]} == {left.id, right.id}


def test_ids_of_sleep_and_wake():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Circle(0.5))
    world.step(n=60)
    (row,) = world.events.sleep
    assert row["body_id"] == body.id
    body.wake()
    assert len(world.events.wake) == 0
    world.step(n=3)
    (row,) = world.events.wake  # of the next step
    assert (row["step"], row["body_id"]) == (60, body.id)


def test_by_id_takes_any_integer():
    world = p2.World()
    body = world.add_body(p2.Circle(0.5))
    for collection, member in (
        (world.bodies, body),
        (world.colliders, body.colliders[0]),
        (world.fields, world.add_fluid(0, 1000)),
    ):
        assert collection.by_id(member.id) == member
        assert collection.by_id(np.uint64(member.id)) == member
        for number in (-1, 0, 1, 2**32 - 1, 2**64 - 1, 2**64, -(2**70), 10**30, member.id + 2**32):
            assert collection.by_id(number) is None
        for nothing in (None, 1.5, "1", [1], object()):
            with pytest.raises(TypeError, match="id"):
                collection.by_id(nothing)
    assert world.joints.by_id(0) is None


TABLES = ["contact_begin", "contact_end", "contact_hit", "sensor_begin", "sensor_end"]


@pytest.mark.parametrize("seed", range(3))
def test_remove_anything_in_any_event_loop(seed):
    """Bodies and colliders, of either side, once or twice, and new ones in their places."""
    rng = np.random.default_rng(seed)
    world = mixed()
    world.add_body(p2.Box(9, 4), (0, 2), kind="static", sensor=True)
    removed = 0
    for _ in range(200):
        world.step()
        events = world.events
        for name in rng.permutation([*TABLES, "sleep", "wake", "body_move"]):
            for row in getattr(events, name):
                if rng.random() > 0.02:
                    continue
                side = "" if "body_id" in row.dtype.names else rng.choice(["_a", "_b"])
                body = world.bodies.by_id(row["body_id" + side])
                if body is None or body.kind == "static":
                    continue
                shape = body.colliders[0].shape if len(body.colliders) else p2.Circle(0.3)
                if side and rng.random() < 0.5:
                    collider = world.colliders.by_id(row["collider_id" + side])
                    if collider is not None:
                        world.remove(collider)
                else:
                    world.remove(body)
                    assert world.bodies.by_id(row["body_id" + side]) is None
                    with pytest.raises(p2.RemovedError):
                        body.wake()
                    if rng.random() < 0.8:
                        world.add_body(shape, (rng.uniform(-5, 5), 9), kind="dynamic")
                removed += 1
    assert removed > 40


def test_begins_and_ends_balance_whatever_is_removed():
    """By ids, which also tells numbers that were given out again."""
    world = mixed()
    rng = np.random.default_rng(1)
    touching = set()
    for step in range(200):
        world.step()
        for rows, change in (
            (world.events.contact_end, touching.remove),
            (world.events.contact_begin, touching.add),
        ):
            for row in rows:
                change((int(row["collider_id_a"]), int(row["collider_id_b"])))
        assert world.counters["touching"] == len(touching)
        bodies = [b for b in world.bodies if b.kind == "dynamic"]
        if step % 3 == 0:
            victim = bodies[int(rng.integers(len(bodies)))]
            shape = victim.colliders[0].shape
            world.remove(victim)
            world.add_body(shape, (rng.uniform(-4, 4), 6))
    alive = {c.id for c in world.colliders}
    assert {a for pair in touching for a in pair} - alive <= {c for pair in touching for c in pair}
    assert len(touching) > 20


def test_a_static_body_that_is_moved_needs_no_other_call():
    world = p2.World(gravity=(0, -10))
    shelf = world.add_body(p2.Box(4, 1), (0, -0.5), kind="static")
    eye = world.add_body(p2.Box(4, 1), (9, -0.5), kind="static", sensor=True).colliders[0]
    box = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=120)
    assert not box.awake
    shelf.position = (9, -0.5)
    assert world.at((9, -0.5)) == [shelf.colliders[0]]
    assert eye.overlaps == (shelf.colliders[0],)
    world.step(n=30)
    assert box.awake
    assert box.position[1] < 0
    assert list(world.events.wake["body"]) == [box.index]
    assert list(world.events.contact_end["body_b"]) == [shelf.index]
    assert list(world.events.sensor_begin["body_b"]) == [shelf.index]


# ---------------------------------------------------------------- who moved


def moves(world):
    rows = world.events.body_move
    assert list(rows["body_id"]) == [world.bodies[int(i)].id for i in rows["body"]]
    return {int(row["body"]): int(row["step"]) for row in rows}


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_who_moved_is_who_has_another_pose(solver):
    world = mixed(solver=solver)
    last = {}
    for step in range(150):
        before = np.column_stack([world.positions, world.angles])
        world.step()
        after = np.column_stack([world.positions, world.angles])
        changed = np.flatnonzero((before != after).any(axis=1))
        assert list(moves(world)) == list(changed)
        last.update(dict.fromkeys(changed, step))
    world = mixed(solver=solver)
    world.step(n=150)
    assert moves(world) == last
    rows = world.events.body_move
    order = list(zip(rows["step"].tolist(), rows["body"].tolist(), strict=True))
    assert order == sorted(order)


def test_who_was_moved_by_a_call_is_told_by_the_step_that_follows():
    world = p2.World(gravity=(0, 0))
    still, placed, through_a_view = (
        world.add_body(p2.Circle(0.1), (i, 0), kind=kind)
        for i, kind in enumerate(["dynamic", "static", "static"])
    )
    stops = world.add_body(p2.Circle(0.1), (5, 5), kind="kinematic", velocity=(1, 0))
    assert moves(world) == {}
    world.step()
    assert moves(world) == {stops.index: 0}
    placed.position = (9, 9)
    world.positions[through_a_view.index] = (8, 8)
    stops.velocity = (0, 0)
    assert moves(world) == {stops.index: 0}  # still of the last step
    world.step()
    assert moves(world) == {placed.index: 1, through_a_view.index: 1}
    world.step(n=0)
    assert moves(world) == {}
    world.step()
    assert moves(world) == {}
    assert still.awake
    index = placed.index
    placed.position = (1, 2)
    world.remove(placed)
    assert world.add_body(p2.Circle(0.1), (20, 20), kind="static").index == index
    world.step()
    assert moves(world) == {}


def test_counters_and_profile():
    world = mixed(sleeping=False)
    world.step(n=50)
    counters, profile = dict(world.counters), dict(world.profile)
    assert counters["bodies"] == len(world.bodies)
    assert counters["colliders"] == len(world.colliders)
    assert counters["pairs"] == len(world.pairs)
    events = world.events  # of all 50 steps
    assert counters["touching"] == len(events.contact_begin) - len(events.contact_end) > 10
    # contacts have the poses after the step: what bounced off in it has none
    assert counters["touching"] >= len({key(row) for row in world.contacts})
    assert counters["islands"] >= world.islands.max() + 1
    assert all(value >= 0 for value in profile.values())
    assert profile["step"] > 0


def test_the_page_on_events_runs(capsys, repository):
    text = (repository / "docs" / "events.md").read_text(encoding="utf-8")
    blocks = [part.split("```")[0] for part in text.split("```python\n")[1:]]
    space = {}
    exec(compile("\n".join(blocks), "events.md", "exec"), space)
    assert space["crossed"] == [13]
    assert len(space["events"].contact_hit) > 1
    out = capsys.readouterr().out
    assert "goal in step" in out
    assert "in the zone: [4, 5, 6]" in out


def test_events_of_many_pieces_cost_little():
    """A shape of 201 pieces comes to touch 300 others: their pairs are looked at once, not each for
    each, which took twenty times as long as the rest of the step."""
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    radius = np.where(np.arange(400) % 2, 1, 0.6)
    star = p2.Polygon(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1))
    world = p2.World(gravity=(0, 0), continuous=False)
    body = world.add_body(star)
    for i in range(300):
        world.add_body(p2.Box(1, 1), (0.001 * i, 0.001 * i), kind="static")
    world.step()
    assert len(world.events.contact_begin) == 300
    assert world.profile["finish"] < 0.5 * world.profile["step"]
    body.position = (50, 0)
    world.step()
    assert len(world.events.contact_end) == 300
