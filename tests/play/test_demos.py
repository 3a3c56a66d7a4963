"""The four demos of the tutorial: what their controls do, and that what they draw is right."""

import json

import numpy as np
import pytest
import shapely

import pyphys2d as p2
from pyphys2d import geometry
from pyphys2d.play.demos import DEMOS, PAIRS


class Hand:
    """A client of a demo that uses its controls by their labels."""

    def __init__(self, name):
        self.session = DEMOS[name]()
        self.session.connect("hand", lambda message, data: None)
        self.now = 0.0

    @property
    def world(self):
        return self.session.world

    def send(self, **message):
        self.session.receive("hand", json.loads(json.dumps(message)))

    def put(self, label, value):
        controls = self.session.controls
        id = next(id for id, each in controls.items() if each.message["label"] == label)
        self.send(type="set", id=id, value=value)

    def wait(self, seconds):
        end = self.now + seconds
        while self.now < end:
            self.now += 1 / 60
            self.session.tick(self.now)

    def marks(self, kind):
        return [mark for mark in self.session.marks() if mark["kind"] == kind]

    def words(self):
        return [mark["text"] for mark in self.marks("legend")]


def test_grabbing_a_body_and_gravity():
    hand = Hand("grabbing")
    bodies = [body for body in hand.world.bodies if body.kind == "dynamic"]
    assert len(bodies) == 7
    body = hand.world.bodies["body 4"]
    x, y = body.position.tolist()
    hand.send(type="grab", phase="down", body=body.index, x=x, y=y)
    hand.send(type="grab", phase="move", x=x, y=y + 3)
    hand.wait(2)
    np.testing.assert_allclose(body.position, (x, y + 3), atol=0.05)
    for k in range(6):
        hand.send(type="grab", phase="move", x=x, y=y + 3 + 0.2 * k)
        hand.wait(1 / 60)
    hand.send(type="grab", phase="up")
    hand.wait(1 / 60)
    assert body.velocity[1] > 1  # it flies on
    before = {each.index: each.velocity[1] for each in bodies}
    hand.put("Gravity", 10)
    hand.wait(0.2)
    falls = [each.velocity[1] - before[each.index] for each in bodies]
    assert sorted(falls)[3] == pytest.approx(-2, abs=0.4)  # most have met nothing


def outline(body):
    collider = body.colliders[0]
    ring = np.asarray(collider.vertices, float).reshape(-1, 2)
    return shapely.Polygon(ring)


@pytest.mark.parametrize("pair", PAIRS)
def test_normals_follow_the_shapes(pair):
    hand = Hand("normals")
    hand.put("Shapes", pair)
    random = np.random.default_rng(3)
    for _ in range(12):
        a, b = hand.world.bodies
        x, y = random.uniform((-1.5, -2.5), (2.5, 2.5)).tolist()
        where = b.position.tolist()
        hand.send(type="grab", phase="down", body=b.index, x=where[0], y=where[1])
        hand.send(type="grab", phase="move", x=x, y=y)
        hand.send(type="grab", phase="up")
        hand.put("Angle of b", float(random.uniform(-180, 180)))
        np.testing.assert_allclose(b.position, (x, y), atol=1e-9)
        shapes = [body.colliders[0].shape for body in (a, b)]
        poses = [(*body.position.tolist(), body.angle) for body in (a, b)]
        manifold = geometry.collide(*shapes, *poses)
        trace = geometry.sat(*shapes, *poses)
        dots = np.array([mark["points"][0] for mark in hand.marks("dot")]).reshape(-1, 2)
        np.testing.assert_allclose(dots, manifold.points, atol=1e-6)
        lines = [mark for mark in hand.marks("line") if mark["color"] in (0, 1)]
        assert len(lines) == 2 * len(trace.axes)
        words = hand.words()[-1]
        if "circle" not in pair and "capsule" not in pair:
            overlaps = outline(a).intersection(outline(b)).area > 1e-9
            assert words.startswith("Least: overlap" if overlaps else "Least: apart")
            if not overlaps:  # an axis of an edge is no nearer than the distance
                gap = float(words.split()[-2])
                assert gap <= outline(a).distance(outline(b)) + 1e-3
    for label in ("Axes and projections", "Clipping", "Contacts"):
        hand.put(label, False)
    arrows = hand.marks("arrow")
    edges = [len(s.vertices) for s in shapes if isinstance(s, p2.Polygon)]
    assert len(arrows) == sum(edges)
    for body, shape in zip((a, b), shapes, strict=True):
        if isinstance(shape, p2.Polygon):
            for mark in arrows[: len(shape.vertices)]:  # from an edge outwards, across it
                foot, tip = np.array(mark["points"])
                assert body.contains(foot - 1e-3 * (tip - foot))
                assert not body.contains(foot + 1e-3 * (tip - foot))
            del arrows[: len(shape.vertices)]
    hand.put("Normals of edges", False)
    assert {mark["kind"] for mark in hand.session.marks()} <= {"legend"}


def test_collision_has_its_options():
    hand = Hand("collision")
    hand.wait(3)
    clipped = len(hand.world.contacts)
    assert len(hand.marks("dot")[0]["points"]) == clipped
    hand.put("Contact points", "crude average")
    rows = hand.world.contacts
    touching = np.unique(np.column_stack([rows["collider_a"], rows["collider_b"]]), axis=0)
    assert len(hand.marks("dot")[0]["points"]) == len(touching) < clipped
    hand.put("Contact points", "none")
    assert hand.session.marks() == []
    places = hand.world.positions.copy()
    hand.put("Solver", "sequential_impulses")
    hand.put("Response (sequential)", "translate")
    hand.put("Iterations (sequential)", 3)
    assert hand.world.solver == "sequential_impulses"
    assert hand.world.response == "translate"
    assert hand.world.iterations == 3
    np.testing.assert_allclose(hand.world.positions, places, atol=1e-12)
    hand.put("Friction", 1.2)
    hand.put("Restitution", 0.7)
    for body in hand.world.bodies:
        if body.kind == "dynamic":
            assert [each.friction for each in body.colliders] == [pytest.approx(1.2)]
            assert [each.restitution for each in body.colliders] == [pytest.approx(0.7)]
    hand.wait(1)
    assert np.isfinite(hand.world.positions).all()


def passed(continuous, speed=390, thickness=0.005):
    hand = Hand("tunneling")
    hand.put("Thickness of the wall", thickness)
    hand.put("Continuous", continuous)
    hand.put("Speed", speed)
    assert hand.world.continuous is continuous
    for _ in range(12):
        hand.put("Shoot", True)
        hand.wait(0.1)
    return int(hand.words()[0].split()[0])


def test_tunneling_ends_where_the_world_is_continuous():
    assert passed(False) >= 6
    assert passed(True) == 0
    assert passed(False, 120, 0.02) >= 9  # as the demo begins
    assert passed(True, 120, 0.02) == 0
