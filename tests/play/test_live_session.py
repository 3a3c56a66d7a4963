"""Sessions: what clients get, what they may do, and that nothing they send does harm."""

import contextlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyphys2d as p2
from pyphys2d._live import FRAMES_UNDER_WAY, Session


class Watcher:
    """A client that keeps what it gets."""

    def __init__(self, session, name="a"):
        self.name, self.session, self.got = name, session, []
        session.connect(name, lambda message, data: self.got.append((message, data)))

    def of(self, kind):
        return [message for message, _ in self.got if message["type"] == kind]

    def send(self, **message):
        self.session.receive(self.name, json.loads(json.dumps(message)))

    def acknowledge(self):
        for message in self.of("frame"):
            self.send(type="ack", frame=message["frame"])


def boxes():
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_body(p2.Box(1, 1), (0, 0.5), name="box")
    return world, None


def session(**options):
    return Session(boxes()[0], remake=boxes, **options)


def last_poses(watcher):
    message, data = next(pair for pair in reversed(watcher.got) if pair[0]["type"] == "frame")
    row = next(row for row in message["arrays"] if row["name"] == "poses")
    count = int(np.prod(row["shape"]))
    poses = np.frombuffer(data, "<f4", count, row["at"]).reshape(row["shape"]).astype(float)
    poses[:, :2] += watcher.of("scene")[-1]["origin"]
    return poses


def test_a_client_gets_the_scene_once_and_then_frames():
    live = session(playing=True)
    watcher = Watcher(live)
    for k in range(40):
        live.tick(k / 60)
        watcher.acknowledge()
    assert len(watcher.of("scene")) == 1
    assert len(watcher.of("frame")) >= 1
    assert watcher.of("scene")[0]["names"] == ["", "box"]


def test_time_is_real_time():
    live = session(playing=True)
    Watcher(live)
    for k in range(121):
        live.tick(k / 60 + 1e-9)
    assert live.world.time == pytest.approx(2.0, abs=2 / 60)
    live.receive("a", {"type": "control", "name": "speed", "value": 0.5})
    for k in range(121, 242):
        live.tick(k / 60 + 1e-9)
    assert live.world.time == pytest.approx(3.0, abs=3 / 60)


def test_at_most_two_frames_are_under_way_and_lost_ones_are_forgotten():
    live = session(playing=True)
    live.world.add_body(p2.Circle(0.5), (5, 40))
    watcher = Watcher(live)
    for k in range(30):
        live.tick(k / 60)
    assert len(watcher.of("frame")) == FRAMES_UNDER_WAY
    live.tick(31 / 60 + 1.0)
    assert len(watcher.of("frame")) == FRAMES_UNDER_WAY + 1
    watcher.acknowledge()
    live.tick(33 / 60 + 1.0)
    assert len(watcher.of("frame")) == FRAMES_UNDER_WAY + 2


def test_an_idle_view_gets_no_frames_and_an_unseen_one_does_not_run():
    live = session()
    watcher = Watcher(live)
    for k in range(20):
        live.tick(k / 10)
        watcher.acknowledge()
    assert len(watcher.of("frame")) == 1
    live.play()
    watcher.send(type="view", visible=False)
    steps = live.world.step_count
    assert live.tick(5.0) >= 0.25
    assert live.world.step_count == steps


def test_what_a_cell_changes_is_shown():
    live = session()
    watcher = Watcher(live)
    live.tick(0.0)
    watcher.acknowledge()
    live.world.bodies[1].position = (3, 2)
    live.tick(1.0)
    assert last_poses(watcher)[1] == pytest.approx((3, 2, 0), abs=1e-5)
    live.world.add_body(p2.Circle(1), (0, 5))
    watcher.acknowledge()
    live.tick(2.0)
    live.tick(2.5)
    assert len(watcher.of("scene")) == 2
    assert len(last_poses(watcher)) == 3


def test_a_body_follows_the_pointer_and_flies_on():
    live = session(playing=True)
    watcher = Watcher(live)
    live.tick(0.0)
    body = live.world.bodies[1]
    watcher.send(type="grab", phase="down", body=1, x=0.2, y=0.5)
    for k in range(1, 61):
        watcher.send(type="grab", phase="move", x=0.2 + 0.05 * k, y=0.5 + 0.08 * k)
        live.tick(k / 60)
    assert np.allclose(body.to_world((0.2, 0)), (3.2, 5.3), atol=0.5)
    watcher.send(type="grab", phase="up")
    assert len(live.world.joints) == 0
    assert body.velocity == pytest.approx((3.0, 4.8), abs=0.7)  # that of the pointer


def test_a_body_stays_in_the_hand_when_the_world_pauses_and_runs():
    live = session(playing=True)
    watcher = Watcher(live)
    live.tick(0.0)
    body = live.world.bodies[1]
    watcher.send(type="grab", phase="down", body=1, x=0.2, y=0.5)
    live.tick(1 / 60)
    live.play(False)
    assert len(live.world.joints) == 0
    x, y = body.position
    watcher.send(type="grab", phase="move", x=2.2, y=3.5)
    assert body.position == pytest.approx((x + 2, y + 3), abs=0.02)
    live.play(True)
    assert len(live.world.joints) == 1
    for k in range(60):
        live.tick(1 + k / 60)
    assert body.position[1] > 2.5  # it would be on the floor
    watcher.send(type="grab", phase="up")
    assert len(live.world.joints) == 0


def test_what_a_cell_changes_of_joints_names_and_velocities_is_shown():
    live = session()
    watcher = Watcher(live)
    watcher.send(type="view", visible=True, layers={"joints": True, "velocities": True})
    now = 0.0

    def frames():
        nonlocal now
        for _ in range(4):
            now += 0.3
            live.tick(now)
            watcher.acknowledge()
        return len(watcher.of("frame"))

    before = frames()
    assert frames() == before
    joint = live.world.add_revolute_joint(None, live.world.bodies[1], anchor=(0, 0.5))
    assert frames() == before + 1
    live.world.bodies[1].velocity = (3, 0)
    assert frames() == before + 2
    live.world.remove(joint)
    assert frames() == before + 3
    live.world.bodies[1].name = "crate"
    frames()
    assert watcher.of("scene")[-1]["names"] == ["", "crate"]


def test_a_control_of_a_removed_body_is_off_and_the_world_runs_on():
    live = session(playing=True)
    watcher = Watcher(live)
    body = live.world.bodies[1]
    state = live.world.snapshot()
    live.add_control(
        "slider", "spin", lambda: body.angular_velocity,
        lambda value: setattr(body, "angular_velocity", value), min=-5, max=5,
    )  # fmt: skip
    live.tick(0.0)
    live.world.remove(body)
    for k in range(1, 61):
        live.tick(k / 60)
        watcher.acknowledge()
    assert live.world.time == pytest.approx(1, abs=0.1)
    assert watcher.of("scene")[-1]["controls"][0]["disabled"]
    live.world.restore(state)
    for k in range(61, 121):
        live.tick(k / 60)
    assert not live.controls["c0"].message["disabled"]
    assert {"c0": False} in [message.get("disabled") for message in watcher.of("state")]


def test_the_note_of_an_error_goes_when_the_world_runs_again():
    wrong = [True]

    def push(world, step):
        if wrong:
            raise ZeroDivisionError

    live = Session(boxes()[0], before_step=push, playing=True, note="push it")
    watcher = Watcher(live)
    for k in range(4):
        live.tick(k / 60)
    assert not live.playing
    assert "ZeroDivisionError" in watcher.of("state")[-1]["note"]
    wrong.clear()
    live.play()
    assert live.note == "push it"


def test_a_body_that_is_removed_in_the_hand():
    live = session(playing=True)
    watcher = Watcher(live)
    live.tick(0.0)
    watcher.send(type="grab", phase="down", body=1, x=0, y=0.5)
    live.world.remove(live.world.bodies[1])
    watcher.send(type="grab", phase="move", x=1, y=1)
    watcher.send(type="grab", phase="up")
    live.tick(0.1)
    assert len(live.world.bodies) == 1


def test_a_client_that_leaves_lets_go():
    live = session(playing=True)
    watcher = Watcher(live)
    watcher.send(type="grab", phase="down", body=1, x=0, y=0.5)
    assert len(live.world.joints) == 1
    watcher.send(type="bye")
    assert len(live.world.joints) == 0
    assert not live.clients


def test_a_click_tells_what_is_there():
    live = session()
    watcher = Watcher(live)
    watcher.send(type="click", x=0.1, y=0.5, body=1)
    note = watcher.of("state")[-1]["note"]
    assert note == "box (dynamic) at (0.00, 0.50) m, 0.00 m/s"
    watcher.send(type="click", x=5, y=5, body=-1)
    assert watcher.of("state")[-1]["note"] == ""


def test_only_one_client_holds_a_body():
    live = session(playing=True)
    one, two = Watcher(live, "1"), Watcher(live, "2")
    one.send(type="grab", phase="down", body=1, x=0, y=0.5)
    two.send(type="grab", phase="down", body=1, x=0, y=0.5)
    two.send(type="grab", phase="up")
    assert len(live.world.joints) == 1


def test_reset_and_step():
    live = session()
    watcher = Watcher(live)
    live.world.bodies[1].position = (0, 4)
    watcher.send(type="control", name="step")
    assert live.world.step_count == 1
    watcher.send(type="control", name="reset")
    assert live.world.step_count == 0
    assert live.world.bodies[1].position == pytest.approx((0, 0.5))


def test_user_data_is_the_same_object_after_a_start_again():
    """What cannot be pickled is no hindrance."""
    live = session()
    thing = lambda: None  # noqa: E731
    live.world.bodies[1].user_data = thing
    live = Session(live.world)
    live.world.bodies[1].user_data = None
    live.step()
    live.reset()
    assert live.world.bodies[1].user_data is thing


def test_an_exception_of_a_hook_pauses_and_is_told():
    def fail(world, k):
        raise ZeroDivisionError("oh")

    live = session(playing=True, before_step=fail)
    watcher = Watcher(live)
    for k in range(5):
        live.tick(k / 30)
    assert not live.playing
    assert watcher.of("state")[-1]["note"] == "ZeroDivisionError: oh"


def test_controls_are_bounded_by_what_they_say():
    live = session()
    watcher = Watcher(live)
    values = []
    slider = live.add_control(
        "slider", "x", None, values.append, value=0.0, min=0.0, max=2.0, step=0.1
    )
    choice = live.add_control("choice", "y", None, values.append, choices=["p", "q"])
    watcher.send(type="set", id=slider, value=9)
    watcher.send(type="set", id=slider, value=-9)
    watcher.send(type="set", id=choice, value="q")
    assert values == [2.0, 0.0, "q"]
    for wrong in ({"id": "no", "value": 1}, {"id": choice, "value": "r"}, {"id": slider}):
        with pytest.raises(ValueError):
            watcher.send(type="set", **wrong)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
WORDS = ("ack", "view", "grab", "control", "set", "key", "click", "hello", "move", "down", "up")
MESSAGE = st.dictionaries(
    st.sampled_from(
        ["type", "frame", "layers", "visible", "phase", "body", "x", "y", "name", "value", "id"]
    ),
    st.sampled_from(WORDS) | JSON,
)


@pytest.mark.slow
@given(st.lists(MESSAGE | JSON, max_size=8))
def test_any_message_is_taken_or_refused(messages):
    live = session(playing=True)
    watcher = Watcher(live)
    for k, message in enumerate(messages):
        with contextlib.suppress(ValueError):  # any other is an error
            live.receive("a", message)
        live.tick(k / 60)
    assert np.isfinite(live.world.positions).all()
    watcher.acknowledge()


def test_what_sleeps_is_looked_at_less_often_and_keeps_time():
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_body(p2.Box(1, 1), (0, 0.5), awake=False)
    live = Session(world, playing=True)
    watcher = Watcher(live)
    now, ticks = 0.0, 0
    while now < 3.0:
        last = now
        now += live.tick(now)
        watcher.acknowledge()
        ticks += 1
    assert ticks < 40  # of 180 steps
    assert len(watcher.of("frame")) == 1
    assert world.time == pytest.approx(last, abs=1.01 / 60)
    told = [message["time"] for message in watcher.of("state") if "time" in message]
    assert 2 <= len(told) <= 3
    assert told[-1] > 1.5


def test_ticks_come_when_steps_are_due():
    live = session(playing=True)
    live.world.add_body(p2.Circle(0.5), (5, 400))
    watcher = Watcher(live)
    now, ticks = 0.0, 0
    while now < 1.0:
        now += live.tick(now) + 1e-4  # what waits wakes a little late
        watcher.acknowledge()
        ticks += 1
    assert live.world.step_count == pytest.approx(60, abs=2)
    assert ticks <= 64
    assert len(watcher.of("frame")) >= 58


def test_an_acknowledgement_counts_for_those_before_it():
    live = session(playing=True)
    live.world.add_body(p2.Circle(0.5), (5, 40))
    watcher = Watcher(live)
    for k in range(10):
        live.tick(k / 60)
    assert live.clients["a"].waits
    watcher.send(type="ack", frame=watcher.of("frame")[-1]["frame"])
    assert not live.clients["a"].frames
