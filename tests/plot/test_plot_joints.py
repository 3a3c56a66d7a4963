"""Joints in pictures: lines where the joints' numbers say, with Matplotlib and as SVG."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from scenes_to_draw import axes, every_joint

import pyphys2d as p2
from pyphys2d import plot

STEM, LINE, DASH, LIMIT = range(4)


def rows_of(world):
    return world.draw_list(shapes=False, contacts=False).joints


def primitives(world, size=0.1):
    """Polylines of all joints by what they say."""
    drawing = world.draw_list(shapes=False, contacts=False, mark_size=size)
    rows, points = drawing.joints, drawing.joint_points
    assert rows["count"].sum() == len(points)
    found = {STEM: [], LINE: [], DASH: [], LIMIT: []}
    for row, line in zip(rows, np.split(points, rows["first"][1:]), strict=True):
        found[row["kind"]].append(line)
    return found


@pytest.fixture
def world():
    return p2.World(gravity=(0, 0))


def test_every_kind_is_drawn():
    world = every_joint()
    kinds = {joint.kind for joint in world.joints}
    assert len(kinds) == 11
    for joint in list(world.joints):
        before = len(rows_of(world))
        if joint.alive:
            world.remove(joint)
            assert len(rows_of(world)) < before
    assert not len(rows_of(world))


def test_limits_of_a_slide_are_across_its_axis(world):
    base = world.add_body(p2.Box(1, 1), (1, 2), np.pi / 2)
    sled = world.add_body(p2.Box(1, 1), (3, 2))
    rail = world.add_prismatic_joint(base, sled, anchor=(2, 2), axis=(3, 4), lower=-1, upper=2)
    np.testing.assert_allclose(rail.axis, (0.6, 0.8), atol=1e-12)
    ends = primitives(world)[LIMIT]
    middles = np.array([line.mean(axis=0) for line in ends])
    np.testing.assert_allclose(middles, [(1.4, 1.2), (3.2, 3.6)], atol=1e-12)
    for line in ends:
        assert np.dot(line[1] - line[0], rail.axis) == pytest.approx(0, abs=1e-12)
    base.angle = np.pi
    np.testing.assert_allclose(rail.axis, (-0.8, 0.6), atol=1e-12)
    (axis,) = primitives(world)[DASH]
    along = (axis[1] - axis[0]) / np.hypot(*(axis[1] - axis[0]))
    np.testing.assert_allclose(along, rail.axis, atol=1e-9)


def test_limits_of_a_hinge_are_where_the_body_stops(world):
    arm = world.add_body(p2.Box(2, 0.2), (1, 0))
    hinge = world.add_revolute_joint(None, arm, anchor=(0, 0), lower=-0.5, upper=1)
    arm.position, arm.angle = (np.cos(0.4), np.sin(0.4)), 0.4
    assert hinge.angle == pytest.approx(0.4)
    arc, *ends = primitives(world)[LIMIT]
    np.testing.assert_allclose(np.hypot(*arc.T), 0.1)
    turns = np.arctan2(*arc.T[::-1])
    assert (turns[0], turns[-1]) == (pytest.approx(-0.5), pytest.approx(1))
    assert [np.arctan2(*line[1][::-1]) for line in ends] == pytest.approx([-0.5, 1])
    hinge.upper = 30  # more than a turn: a whole circle, once round
    arc = primitives(world)[LIMIT][0]
    np.testing.assert_allclose(arc[0], arc[-1], atol=1e-12)
    assert np.hypot(*np.diff(arc, axis=0).T).sum() == pytest.approx(0.2 * np.pi, rel=2e-2)


def test_ropes_are_dashed_while_they_are_slack(world):
    ball = world.add_body(p2.Circle(0.2), (1, 0))
    world.add_distance_joint(None, ball, anchor_a=(0, 0), upper=2)
    found = primitives(world)
    np.testing.assert_allclose(found[DASH], [[(0, 0), (1, 0)]])
    np.testing.assert_allclose(found[LIMIT][0].mean(axis=0), (2, 0))
    ball.position = (0, 2)
    found = primitives(world)
    assert not found[DASH]
    assert any(np.array_equal(line, [(0, 0), (0, 2)]) for line in found[LINE])


@pytest.mark.parametrize(("ratio", "radii"), [(2, (1, 2)), (-3, (1.5, 4.5)), (-1, ())])
def test_gears_have_their_pitch_circles(world, ratio, radii):
    pins = [world.add_revolute_joint(None, world.add_body(p2.Circle(0.2), (x, 0))) for x in (0, 3)]
    world.add_gear_joint(*pins, ratio)
    found = [np.ptp(line[:, 0]) / 2 for line in primitives(world)[DASH]]
    assert found == pytest.approx(radii, rel=0.01)


def test_what_is_not_finite_is_left_out(world):
    body = world.add_body(p2.Circle(1))
    world.add_revolute_joint(None, body, lower=-1e15, upper=1e15)
    world.add_mouse_joint(body, target=(1e15, 0))
    for size in (1.0, 1e-300, 1e300):
        primitives(world, size)
    for size in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="mark_size: must be"):
            primitives(world, size)
    plot.world(world, axes()).figure.canvas.draw()
    ElementTree.fromstring(world._repr_svg_())
    with pytest.raises(TypeError):
        primitives(world, None)


def test_worlds_are_drawn_with_their_joints():
    world = every_joint()
    names = {"joint stems", "joint lines", "joint dashes", "joint limits"}
    ax = plot.world(world, axes())
    assert names <= {artist.get_gid() for artist in ax.collections}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "joint",
        "limit of a joint",
    ]
    x0, x1 = ax.get_xlim()
    assert x0 < 0
    assert x1 > 8
    ax = plot.world(world, axes(), joints=False)
    assert not names & {artist.get_gid() for artist in ax.collections}
    with pytest.raises(TypeError, match="source"):
        plot.joints(None)


def test_anchors_are_in_view(world):
    bob = world.add_body(p2.Circle(0.1), (0, -3))
    world.add_distance_joint(None, bob, anchor_a=(0, 0))
    ax = plot.world(world, axes())
    assert ax.get_ylim()[1] > 0
    height = float(ElementTree.fromstring(world._repr_svg_()).get("height"))
    ball = ElementTree.fromstring(bob.colliders[0]._repr_svg_())
    assert height > 100
    assert ball is not None


def test_svg_has_the_joints():
    world = every_joint()
    picture = ElementTree.fromstring(world._repr_svg_())
    green = [e for e in picture.iter() if e.get("stroke") == "#00916a"]
    limits = [e for e in picture.iter() if e.get("stroke") == "#b0479a"]
    assert len(green) == 2
    assert len(limits) == 1
    assert len(re.findall("M", limits[0].get("d"))) == len(primitives(world)[LIMIT])
    body = next(joint for joint in world.joints if joint.kind == "wheel").body_b
    assert "#00916a" in body._repr_svg_()
    assert "#00916a" not in body.colliders[0]._repr_svg_()
    for joint in list(world.joints):
        if joint.alive:
            world.remove(joint)
    assert "#00916a" not in world._repr_svg_()


def test_many_joints_are_a_sample(world):
    body = world.add_body(p2.Box(1, 1))
    for _ in range(2500):
        world.add_mouse_joint(body)
    assert len(world._repr_svg_()) < 500_000
    assert "one joint in 3 drawn" in world._repr_html_()
