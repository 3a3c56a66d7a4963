"""Pictures of the stages of a step show the arrays of the stage."""

import numpy as np
import pytest
from scenes_to_draw import axes, landing

import pyphys2d as p2
from pyphys2d import plot
from pyphys2d.plot import _stage, _style

NAMES = ["bounds", "pairs", "manifolds", "constraints", "substep", "restitution"]
NAMES += ["continuous", "poses", "events"]


@pytest.fixture(scope="module")
def step():
    """World after a step, with its stages: the first of each name."""
    world = landing(8)
    stages = {}
    for stage in world.stages():
        stages.setdefault(stage.name, stage)
    return world, stages


def named(ax, gid):
    return [child for child in ax.get_children() if child.get_gid() == gid]


def labels(ax):
    return [text.get_text() for text in ax.get_legend().texts]


def arrows(ax, gid):
    (found,) = named(ax, gid)
    return np.column_stack([found.X, found.Y]), np.column_stack([found.U, found.V])


def test_bounds(step):
    world, stages = step
    ax = plot.stage(stages["bounds"], world, axes())
    tight, fat = [
        np.array([path.vertices for path in artist.get_paths()])
        for linestyle in ("-", "--")
        for artist in named(ax, "bounds")
        if (artist.get_linestyle()[0][1] is None) == (linestyle == "-")
    ]
    for drawn, boxes in ((tight, stages["bounds"].aabbs), (fat, stages["bounds"].fat_aabbs)):
        np.testing.assert_allclose(drawn.min(axis=1), boxes[:, 0])
        np.testing.assert_allclose(drawn.max(axis=1), boxes[:, 1])
    assert labels(ax) == ["fat bounds", "bounds"]
    assert ax.get_title() == f"bounds: {len(world.bodies)} boxes"


def test_continuous():
    world = p2.World((0, 0))
    world.add_body(p2.Box(0.1, 4), (2, 0), kind="static")
    for y in (0, 5):
        world.add_body(p2.Circle(0.3), (0, y), velocity=(300, 0))
    (stage,) = (stage for stage in world.stages() if stage.name == "continuous")
    ax = plot.stage(stage, world, axes())
    for gid, y in (("way", 0), ("free way", 5)):
        (lines,) = named(ax, gid)
        np.testing.assert_allclose(lines.get_segments(), [[(0, y), (5, y)]])
    (marks,) = named(ax, "stopped")
    np.testing.assert_allclose(marks.get_xydata(), [(2 - 0.05 - 0.3 - 1e-3, 0)], atol=1e-6)
    assert {"way", "free way", "stopped"} <= set(labels(ax))
    assert ax.get_title() == "continuous: 2 fast, 1 stopped"


def test_pairs(step):
    world, stages = step
    ax = plot.stage(stages["pairs"], world, axes())
    pairs = stages["pairs"].pairs
    (lines,) = named(ax, "pair")
    # One line for each body of a pair that moves, from the middle of its bounds.
    dynamic = [
        row[f"body_{k}"] for k in "ab" for row in pairs if world.kinds[row[f"body_{k}"]] == 2
    ]
    starts = sorted(map(tuple, np.round([s[0] for s in lines.get_segments()], 9)))
    middles = world.aabbs.mean(axis=1)
    expected = [tuple(np.round(middles[world.bodies[b].colliders[0].index], 9)) for b in dynamic]
    assert starts == sorted(expected)
    assert ax.get_title() == f"pairs: {len(pairs)}"


def test_manifolds(step):
    world, stages = step
    ax = plot.stage(stages["manifolds"], world, axes())
    contacts = stages["manifolds"].contacts
    (points,) = named(ax, "contact points")
    np.testing.assert_allclose(points.get_xydata(), contacts["point"])
    _, vectors = arrows(ax, "contact normals")
    np.testing.assert_allclose(np.abs(vectors[:, 0]), 0, atol=1e-3)
    assert (vectors[:, 1] > 0).all()  # what rests on something is pushed up
    assert ax.get_title() == f"manifolds: {len(contacts)} points"


def test_constraints_by_colour(step):
    world, stages = step
    rows, places = stages["constraints"].constraints, stages["manifolds"].contacts["point"]
    ax = plot.stage(stages["constraints"], world, axes(), manifolds=stages["manifolds"])
    for color in np.unique(rows["color"]):
        (dots,) = named(ax, f"color {color}")
        np.testing.assert_allclose(dots.get_xydata(), places[rows["color"] == color])
        assert f"color {color}" in labels(ax)
    islands = len(np.unique(rows["island"]))
    assert ax.get_title() == f"constraints: {len(rows)} points, {islands} islands"
    bare = plot.stage(stages["constraints"], world, axes())  # where contacts are is not known
    assert not named(bare, "contact points")


class Constraints:
    """As many contacts of each of the colors given."""

    def __init__(self, colors):
        self.dtype = [("island", "i4"), ("color", "i4"), ("normal_impulse", "f8")]
        self.rows = np.zeros(2 * len(colors), self.dtype)
        self.rows["color"] = np.repeat(colors, 2)
        self.contacts = np.zeros(
            len(self.rows),
            [("body_a", "i4"), ("body_b", "i4"), ("point", "f8", 2), ("normal", "f8", 2),
             ("separation", "f8")],
        )  # fmt: skip
        self.contacts["point"][:, 0] = np.arange(len(self.rows))


@pytest.mark.parametrize("colors", [[-1], [0, 65], [0, 1, 2, 3, 4, 5, 65], [*range(12), 40, 65]])
def test_every_color_drawn_is_in_the_legend(colors):
    made = Constraints(colors)
    world = p2.World()
    world.add_body(p2.Circle(1))
    ax = axes(7, 6)
    _stage._constraints(ax, world, {"constraints": made.rows}, made.contacts)
    _style.legend(ax, np.empty((0, 2)))
    drawn = {line.get_gid(): line.get_color() for line in ax.lines if "color " in line.get_gid()}
    colors = [color for color in colors if color >= 0]  # sequential impulses know none
    assert sorted(drawn) == sorted(f"color {color}" for color in colors)
    keys = dict(zip(labels(ax), ax.get_legend().legend_handles, strict=True))
    for color in colors:
        (name,) = [
            words for words in keys if words == f"color {color}"
            or ("to" in words and int(words.split()[1]) <= color <= int(words.split()[3]))
        ]  # fmt: skip
        assert keys[name].get_color() == drawn[f"color {color}"]
    shown = {drawn[f"color {color}"] for color in colors[:6]}
    assert len(shown) == min(len(colors), 6)


@pytest.mark.parametrize("name", ["substep", "restitution"])
def test_passes(step, name):
    world, stages = step
    stage = stages[name]
    ax = plot.stage(stage, world, axes(), manifolds=stages["manifolds"])
    pushing = stage.normal_impulses > 0
    roots, vectors = arrows(ax, "contact normals")
    np.testing.assert_allclose(roots, stages["manifolds"].contacts["point"][pushing])
    largest = stage.normal_impulses.argmax() == np.flatnonzero(pushing)
    assert np.hypot(*vectors.T).argmax() == largest.argmax()
    # All bodies here have their centre of mass at their origin.
    moving = np.hypot(*stage.velocities.T) > 0
    roots, vectors = arrows(ax, "velocities")
    np.testing.assert_allclose(roots, stage.positions[moving], atol=1e-12)
    velocities = stage.velocities[moving]
    length = np.hypot(*vectors[0]) / np.hypot(*velocities[0])
    np.testing.assert_allclose(vectors, length * velocities, atol=1e-9 * np.abs(vectors).max())
    assert ax.get_title() == ("substep 0" if name == "substep" else name)


def test_no_impulse_is_no_arrow():
    """A heap at rest bounces nowhere: all impulses of its restitution are 0."""
    world = p2.World()
    world.add_body(p2.Box(9, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(1, 1), [(0, 0.5), (0, 1.5), (2, 0.5)])
    world.step(1 / 60, n=10)
    seen = set()
    for stage in world.stages(1 / 60):
        if stage.name == "manifolds":
            manifolds = stage
        if stage.name in ("substep", "restitution"):
            ax = plot.stage(stage, world, axes(), manifolds=manifolds)
            pushing = int((stage.normal_impulses > 0).sum())
            drawn = [arrows(ax, "contact normals")[0]] if pushing else []
            assert len(named(ax, "contact normals")) == len(drawn)
            assert sum(map(len, drawn)) == pushing
            assert len(named(ax, "contact points")) == 1
            seen.add((stage.name, pushing > 0))
    assert seen == {("substep", True), ("restitution", False)}


def test_iterations_of_sequential_impulses():
    world = landing(8, solver="sequential_impulses")
    titles = [
        plot.stage(stage, world, axes()).get_title()
        for stage in world.stages()
        if stage.name == "iteration"
    ]
    assert titles[:2] == ["iteration 0", "iteration 1"]


def test_bodies_are_where_the_stage_left_them(step):
    world, stages = step
    scale = 0.25
    ax = plot.stage(stages["poses"], world, axes(), velocities=scale)
    _, vectors = arrows(ax, "velocities")
    velocities = stages["poses"].velocities
    np.testing.assert_allclose(vectors, scale * velocities[np.hypot(*velocities.T) > 0])
    assert not named(plot.stage(stages["poses"], world, axes(), velocities=False), "velocities")


def test_events(step):
    world, stages = step
    ax = plot.stage(stages["events"], world, axes())
    (hits,) = named(ax, "hit")
    np.testing.assert_allclose(hits.get_xydata(), stages["events"].contact_hit["point"])
    assert ax.get_title() == "events: 1 began, 1 hit"
    assert labels(ax) == ["began", "hit"]
    quiet = p2.World(gravity=(0, 0))
    quiet.add_body(p2.Circle(1))
    *_, last = quiet.stages()
    assert plot.stage(last, quiet, axes()).get_title() == "events: none"


@pytest.mark.fast_cases(4)
@pytest.mark.parametrize("name", NAMES)
def test_stages_of_worlds_without_contacts(name):
    for world in (p2.World(), p2.World(gravity=(0, -10))):
        if world.gravity[1]:
            world.add_body(p2.Circle(1))
        manifolds = None
        for stage in world.stages():
            manifolds = stage if stage.name == "manifolds" else manifolds
            if stage.name == name:
                plot.stage(stage, world, axes(), manifolds=manifolds).figure.canvas.draw()


def test_drawing_in_the_middle_of_a_step_changes_nothing():
    seen, unseen = landing(8), landing(8)
    for stage in seen.stages():
        plot.stage(stage, seen, axes())
    unseen.step()
    assert seen.hash() == unseen.hash()
