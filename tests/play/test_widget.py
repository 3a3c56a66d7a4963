"""The widget without a browser: what it sends, and what it does with what it gets."""

import asyncio
import base64
import re

import numpy as np
import pytest

import pyphys2d as p2

pytest.importorskip("anywidget")

from pyphys2d import jupyter, scenes
from pyphys2d.jupyter import WorldView


@pytest.fixture
def world():
    made = p2.World()
    made.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    made.add_body(p2.Box(1, 1), (0, 0.5))
    return made


@pytest.fixture
def watched(monkeypatch):
    """Messages that views send, with the bytes that go with them."""
    sent = []
    monkeypatch.setattr(
        WorldView, "send", lambda self, content, buffers=None: sent.append((content, buffers))
    )
    return sent


def arrive(view, **message):
    view._received(view, {"client": "a", **message}, [])


def test_a_front_end_gets_the_scene_and_then_frames(world, watched):
    view = WorldView(world)
    arrive(view, type="hello")
    arrive(view, type="view", layers={"contacts": True})
    view.session.tick()
    kinds = [content["type"] for content, _ in watched]
    assert kinds[0] == "state"
    assert kinds[-2:] == ["scene", "frame"]
    assert {content["client"] for content, _ in watched} == {"a"}
    content, (data,) = watched[-1]
    poses = next(row for row in content["arrays"] if row["name"] == "poses")
    found = np.frombuffer(data, np.float32, 6, poses["at"]).reshape(2, 3)
    origin = watched[kinds.index("scene")][0]["origin"]
    np.testing.assert_allclose(found[:, :2] + origin, world.positions, atol=1e-6)


def test_nonsense_is_answered_and_does_no_harm(world, watched):
    view = WorldView(world)
    before = world.hash()
    arrive(view, type="hello")
    for message in ({"type": "x"}, {"type": "grab", "phase": "down", "x": "1"}, {"type": "set"}):
        arrive(view, **message)
        assert watched[-1][0]["type"] == "error"
    view._received(view, "text", [])
    view._received(view, {"type": "hello"}, [])
    assert world.hash() == before


def test_views_of_one_world_show_one_run(world, watched):
    one, two = WorldView(world), WorldView(world)
    one.play()
    assert two.session.playing
    two.pause()
    assert not one.session.playing
    assert WorldView(p2.World()).session is not one.session


def test_it_runs_while_the_loop_does_and_ends_with_its_last_client(world, watched):
    async def notebook():
        view = WorldView(world, playing=True)
        arrive(view, type="hello")
        for _ in range(60):
            await asyncio.sleep(0.01)
            frames = [c["frame"] for c, _ in watched if c["type"] == "frame"]
            if frames:
                arrive(view, type="ack", frame=frames[-1])
        task = view.session.task
        assert not task.done()
        arrive(view, type="bye")
        await asyncio.wait_for(task, 5)

    asyncio.run(notebook())
    assert world.step_count > 10  # of some 36
    assert sum(c["type"] == "frame" for c, _ in watched) > 10


def test_sliders_set_and_follow(world, watched):
    view = WorldView(world)
    body = world.bodies[1]
    view.add_slider("spin", (body, "angular_velocity"), min=-5, max=5)
    arrive(view, type="hello")
    arrive(view, type="set", id="c0", value=3.0)
    assert body.angular_velocity == 3
    arrive(view, type="set", id="c0", value=99.0)  # no further than the slider goes
    assert body.angular_velocity == 5
    with pytest.raises(ValueError, match="min < max"):
        view.add_slider("x", lambda x: None, min=1, max=1)


def test_a_cell_that_is_changed_and_run_again(world, watched):
    """The hook and the step of the last one, and controls of the same labels in their places."""
    calls = []
    for k in range(2):
        view = WorldView(world, before_step=lambda w, step, k=k: calls.append(k), dt=1 / (60 + k))
        view.add_settings()
        view.add_slider("push", lambda value, k=k: calls.append((k, value)))
        view.add_slider("push", lambda value, k=k: calls.append((k, "second", value)))
    assert [c.message["label"] for c in view.session.controls.values()] == [
        *("Gravity", "Substeps", "Iterations", "Solver"), "push", "push",
    ]  # fmt: skip
    arrive(view, type="hello")
    view.step()
    arrive(view, type="set", id="c4", value=0.5)
    arrive(view, type="set", id="c5", value=0.5)
    assert calls == [1, (1, 0.5), (1, "second", 0.5)]
    assert world.time == pytest.approx(1 / 61)
    other = WorldView(world)  # one more view, which says nothing of them
    other.step()
    assert calls[-1] == 1
    assert other.session.dt == 1 / 61


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda world: WorldView(world, before_step=3), TypeError, "before_step: must be callable"),
        (lambda world: WorldView(world, height=420.5), TypeError, "height: must be an integer"),
        (lambda world: WorldView(world).on_click(3), TypeError, "act: must be callable"),
        (lambda world: WorldView(world).on_key(3, "a"), TypeError, "act: must be callable"),
        (lambda world: WorldView(world).add_slider("x", 3), TypeError, "target: must be callable"),
        (lambda world: WorldView(world).add_slider("x", len, step=-1), ValueError, "step: must be"),
        (lambda world: WorldView(world).add_slider("x", len, value=5), ValueError, "value: must"),
    ],
)  # fmt: skip
def test_what_no_view_can_do_is_refused(world, watched, make, error, words):
    with pytest.raises(error, match=words):
        make(world)


def test_bodies_come_where_one_clicks(world, watched):
    view = WorldView(world)
    view.add_body_on_click(p2.Circle(0.3), density=2)
    arrive(view, type="hello")
    arrive(view, type="click", x=3.0, y=2.0, body=-1)
    assert world.bodies[2].position == pytest.approx((3, 2))
    assert world.bodies[2].mass == pytest.approx(2 * np.pi * 0.09)


def test_arguments():
    with pytest.raises(TypeError, match="world: must be a World"):
        WorldView(3)
    with pytest.raises(ValueError, match="dt: must be > 0"):
        WorldView(p2.World(), dt=0)
    with pytest.raises(ValueError, match="height"):
        WorldView(p2.World(), height=3)
    world, other = p2.World(), p2.World()
    world.add_body(p2.Circle(1), name="ball")
    stranger = other.add_body(p2.Circle(1))
    for wrong, error, words in (
        ({"view": (1, 0, 0, 1)}, ValueError, "x_min < x_max"),
        ({"view": (0, 0, 1)}, ValueError, "x_min, y_min"),
        ({"view": (0, 0, 1, np.inf)}, ValueError, "x_min, y_min"),
        ({"follow": "bal"}, ValueError, "no body of the name 'bal'"),
        ({"follow": 0}, TypeError, "must be a Body, a name or None, got int"),
        ({"follow": stranger}, ValueError, "of this world"),
        ({"color": "mass"}, ValueError, "one of state, body"),
        ({"layers": ["arrows"]}, ValueError, "got 'arrows'"),
    ):
        with pytest.raises(error, match=words):
            WorldView(world, **wrong)


def stilled(text):
    """With drawings in place of the pictures that hold them."""
    return re.sub(
        '<img alt="[^"]*" src="data:image/svg.xml;base64,([^"]*)">',
        lambda found: base64.b64decode(found[1]).decode(),
        text,
    )


def scene_of(watched):
    return [content for content, _ in watched if content["type"] == "scene"][-1]


def test_a_view_says_what_is_seen_at_first(world, watched):
    world.bodies[1].name = "box"
    view = WorldView(
        world, view=(-3, -1, 5, 3), follow="box", color="speed", layers=["velocities", "names"]
    )
    arrive(view, type="hello")
    view.session.tick()
    scene = scene_of(watched)
    assert np.add(scene["view"], [*scene["origin"], *scene["origin"]]) == pytest.approx(
        (-3, -1, 5, 3)
    )
    assert (scene["follow"], scene["color"]) == (1, "speed")
    assert scene["layers"] == ["velocities", "names"]
    view.follow(None)
    assert watched[-1][0]["follow"] == -1
    view.follow(world.bodies[1])
    assert watched[-1][0]["follow"] == 1
    world.remove(world.bodies[1])
    view.session.tick()
    view.session.refresh()
    view.session.tick()
    assert scene_of(watched)["follow"] == -1


def test_chains_are_told_to_be_solid_on_one_side(watched):
    world = p2.World()
    world.add_body(p2.Segment((0, 0), (3, 0)), kind="static")
    world.add_body(kind="static").attach(p2.Chain([(0, 0), (1, 0), (2, 0)]))
    view = WorldView(world)
    arrive(view, type="hello")
    view.session.tick()
    row = next(each for each in scene_of(watched)["arrays"] if each["name"] == "colliders")
    data = next(buffers[0] for content, buffers in watched if content["type"] == "scene")
    flags = np.frombuffer(data, "<i4", 10, row["at"]).reshape(2, 5)[:, 4]
    assert (flags & 4 > 0).tolist() == [False, True]


def test_the_picture_of_the_world_goes_with_its_view(world):
    data, _ = WorldView(world)._repr_mimebundle_()
    assert stilled(data["text/html"]) == world._repr_html_()
    assert "application/vnd.jupyter.widget-view+json" in data


def test_demos_and_scenes_are_shown_by_name(watched):
    view = jupyter.play("tunneling")
    arrive(view, type="hello")
    view.session.tick()
    scene = next(content for content, _ in watched if content["type"] == "scene")
    assert [control["label"] for control in scene["controls"]][:2] == ["Shoot", "Speed"]
    arrive(view, type="set", id="c0", value=True)
    assert len(view.world.bodies) == 6
    assert len(jupyter.play("pyramid").world.bodies) > 100
    with pytest.raises(scenes.SceneError, match="did you mean 'tunneling'"):
        jupyter.play("tuneling")


def test_settings_change_while_the_world_runs(world, watched):
    view = WorldView(world)
    view.add_settings()
    arrive(view, type="hello")
    labels = {c.message["label"]: id for id, c in view.session.controls.items()}
    assert list(labels) == ["Gravity", "Substeps", "Iterations", "Solver"]
    arrive(view, type="set", id=labels["Gravity"], value=3.5)
    arrive(view, type="set", id=labels["Substeps"], value=3)
    arrive(view, type="set", id=labels["Iterations"], value=20)  # soft_step has none
    assert (world.gravity.tolist(), world.substeps, world.iterations) == ([0, -3.5], 3, 10)
    arrive(view, type="set", id=labels["Solver"], value="sequential_impulses")
    arrive(view, type="set", id=labels["Iterations"], value=20)
    assert (world.solver, world.iterations) == ("sequential_impulses", 20)
    view.step()
    assert world.step_count == 1
    view.reset()
    assert (world.solver, world.substeps, world.gravity[1]) == ("soft_step", 8, -9.81)
