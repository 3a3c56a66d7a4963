"""Each function of `pyphys2d.plot` gives the picture it gave when somebody looked at it.

Words and legends are left out: other versions of Matplotlib and FreeType draw letters otherwise,
and legends are as large as their letters. What they say is in the other tests of this folder.

After a wanted change: ``pytest tests/plot --mpl-generate-path=tests/plot/baseline``, and look.
"""

from functools import wraps

import numpy as np
import pytest
import traces_for_tests as traces
from matplotlib import style
from matplotlib.text import Text
from scenes_to_draw import axes, boxes_of_a_tree, every_joint, every_shape, landing, poses, run

import pyphys2d as p2
from pyphys2d import geometry, plot
from pyphys2d.plot import _style


@pytest.fixture(autouse=True)
def no_legend(monkeypatch):
    """Legends move the limits to make room for themselves, by the size of their letters."""
    monkeypatch.setattr(_style, "legend", lambda *arguments, **options: None)


def picture(test):
    """Compare the figure that a test returns with its baseline, without its words."""

    @wraps(test)
    def wordless(*arguments, **options):
        figure = test(*arguments, **options)
        for ax in figure.axes:
            if ax.get_legend() is not None:
                ax.get_legend().remove()
        # Drawn once, or the numbers at the axes do not exist yet.
        figure.canvas.draw()
        for words in figure.findobj(Text):
            words.set_visible(False)
        return figure

    return pytest.mark.mpl_image_compare(savefig_kwargs={"dpi": 60})(wordless)


def test_pictures_are_compared(pytestconfig):
    """And not only drawn, as pytest-mpl does without its option."""
    assert pytestconfig.getoption("mpl")


# The clipping example of the tutorial.
BLOCK = p2.Polygon([(-1, 0), (3, 0), (3, -2), (-1, -2)])
LEANING = p2.Polygon([(3.5, -1.666), (4.5, 0), (1.5, 2), (1.5, -0.333)])


@picture
@pytest.mark.parametrize("look", ["default", "dark_background"])
def test_world(look):
    with style.context(look):
        return plot.world(landing(), axes(), velocities=True).figure


@picture
def test_world_with_every_layer():
    return plot.world(landing(), axes(), aabbs=True, tree=[0, 1], islands=True).figure


@picture
@pytest.mark.parametrize("look", ["default", "dark_background"])
def test_every_kind_of_shape(look):
    with style.context(look):
        return plot.world(every_shape(), axes()).figure


@picture
@pytest.mark.parametrize("look", ["default", "dark_background"])
def test_every_kind_of_joint(look):
    with style.context(look):
        return plot.world(every_joint(), axes(7, 5)).figure


@picture
def test_joints():
    return plot.joints(every_joint(), axes()).figure


@picture
def test_moved_bodies():
    world = every_shape()
    ax = plot.world(world, axes(), legend=False)
    ax.set_title("moved")
    ax.clear()
    ax.set(xlim=(-2, 10), ylim=(-5, 2), aspect="equal")
    bodies = plot.Bodies(world, ax)
    bodies.move(world.positions + np.array([0.5, -0.5]), world.angles + 0.7)
    return ax.figure


@picture
def test_shape():
    ax = axes()
    plot.shape(p2.Box(2, 1, radius=0.2), (0, 0, 0.3), ax, vertices=True, label="rounded box")
    plot.shape(p2.Circle(0.6), [(3, -1, 0), (3, 1, 0)], ax, color="C1", centroid=True)
    star = p2.Polygon(
        [np.multiply((1.2, 0.5)[k % 2], geometry.direction(k * np.pi / 5)) for k in range(10)]
    )
    plot.shape(star, (0, -2.6, 0.2), ax, color="C2", parts=True, normals=True)
    return ax.figure


@picture
def test_polygon():
    ax = axes()
    house = [(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)]
    plot.polygon(house, ax, numbers=True, normals=True, centroid=True, label="house")
    yard = [(4, 1), (7, 1), (7, 4), (4, 4)]
    pond = [(5, 2), (5, 3), (6, 3), (6, 2)]
    plot.polygon(yard, ax, holes=[pond], color="#009E73", numbers=True)
    plot.polygon([(4, 0), (7, 0.5), (7, 0), (4, 0.5)], ax, fill=False)
    return ax.figure


@picture
def test_contacts():
    ax = axes()
    a, b = p2.Box(2, 2), p2.RegularPolygon(3, 1)
    pose = (1.2, 0.4, 0)
    plot.shape(a, ax=ax)
    plot.shape(b, pose, ax, color="C1")
    return plot.contacts(geometry.collide(a, b, pose_b=pose), ax).figure


@picture
def test_aabbs():
    return plot.aabbs(landing(), axes()).figure


@picture
@pytest.mark.parametrize("look", ["default", "dark_background"])
def test_tree(look):
    with style.context(look):
        return plot.tree(boxes_of_a_tree(), axes()).figure


@picture
def test_islands():
    return plot.islands(landing(), axes()).figure


@picture
def test_velocities():
    return plot.velocities(landing(), axes()).figure


@picture
@pytest.mark.parametrize(
    "name", ["bounds", "pairs", "manifolds", "constraints", "substep", "poses", "events"]
)
def test_stage(name):
    world, manifolds = landing(8), None
    for stage in world.stages():
        if stage.name == "manifolds":
            manifolds = stage
        if stage.name == name:
            return plot.stage(stage, world, axes(), manifolds=manifolds).figure
    raise AssertionError(name)


@picture
@pytest.mark.parametrize("look", ["default", "dark_background"])
def test_sat(look):
    with style.context(look):
        return plot.sat(geometry.sat(BLOCK, LEANING), axes(4.5, 4.2)).figure


@picture
def test_sat_of_shapes_apart():
    ball, tile = p2.Circle(1), p2.RegularPolygon(5, 1)
    return plot.sat(geometry.sat(ball, tile, pose_b=(2.4, 1, 0)), axes()).figure


@picture
@pytest.mark.parametrize("look", ["default", "dark_background"])
def test_clip(look):
    with style.context(look):
        return plot.clip(geometry.clip(BLOCK, LEANING), axes(4.5, 4.2)).figure


@picture
def test_clip_in_between():
    return plot.clip(geometry.clip(BLOCK, LEANING), axes(4.5, 4.2), stage=1).figure


def search():
    return traces.gjk(p2.Box(2, 1), p2.RegularPolygon(7, 1), (0, 0, 0.2), (2.5, 1.2, 0.3))


@picture
def test_gjk():
    return plot.gjk(search(), axes()).figure


@picture
def test_gjk_in_the_world():
    return plot.gjk(search(), axes(), space="world").figure


@picture
def test_toi():
    plank, block = p2.Box(1.5, 0.3), p2.Box(1, 1)
    way = (-3, 1, 0), (2, 0, 4), (2, 0, 0), (0, 1, 0.5)
    return plot.toi(traces.toi(plank, block, *way), axes()).figure


CLOUD = np.random.default_rng(1).normal(size=(20, 2))


@picture
def test_hull():
    return plot.hull(traces.hull_trace(CLOUD), axes()).figure


@picture
def test_hull_in_between():
    return plot.hull(traces.hull_trace(CLOUD), axes(), stage=11).figure


@picture
def test_energy():
    return plot.energy(run(), ax=axes()).figure


@picture
def test_momentum():
    return plot.momentum(run(), ax=axes()).figure


@picture
def test_penetration():
    ax = axes()
    plot.penetration(run(), ax=ax, label="soft step")
    plot.penetration(run(solver="sequential_impulses"), ax=ax, label="sequential impulses")
    return ax.figure


@picture
def test_animate():
    film = plot.animate(
        poses(), [p2.Box(1, 1), p2.Circle(0.6), p2.RegularPolygon(3, 0.7)], axes(4, 3)
    )
    film.to_jshtml()
    return film.ax.figure
