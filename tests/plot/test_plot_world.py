"""What is drawn of a world is what the world says: corners, contacts, boxes, islands, speeds."""

import itertools
import threading

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib import style
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.collections import EllipseCollection, LineCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from scenes_to_draw import axes, boxes_of_a_tree, every_shape, landing

import pyphys2d as p2
from pyphys2d import plot, scenes
from pyphys2d.plot import _style, _world


def named(ax, gid):
    """The one artist with this gid."""
    (artist,) = [child for child in ax.get_children() if child.get_gid() == gid]
    return artist


def arrows(ax, gid):
    """Roots and vectors of a set of arrows, (n, 2) each."""
    found = named(ax, gid)
    return np.column_stack([found.X, found.Y]), np.column_stack([found.U, found.V])


def rings(ax):
    """Vertices (n, 2) of all polygons drawn, without the repeated end."""
    return [
        path.vertices[:-1]
        for artist in ax.collections
        if type(artist) is PolyCollection
        for path in artist.get_paths()
    ]


def legend_texts(ax):
    return [] if ax.get_legend() is None else [text.get_text() for text in ax.get_legend().texts]


@pytest.fixture(autouse=True)
def pyplot_is_left_alone():
    plt.close("all")  # what other tests left
    yield
    assert not plt.get_fignums()


# ---------------------------------------------------------------- bodies


def test_polygons_have_the_corners_that_the_engine_has():
    world = landing()
    ax = plot.world(world, axes(), contacts=False)
    drawn = rings(ax)
    expected = [c.vertices for c in world.colliders if isinstance(c.shape, p2.Polygon)]
    assert len(drawn) == len(expected) == 6
    for corners in expected:
        assert any(np.allclose(corners, ring, atol=1e-12) for ring in drawn)


@pytest.mark.parametrize(
    "shape",
    [
        p2.Box(1, 0.6, center=(1, 0)),
        p2.RegularPolygon(7, 0.6),
        p2.Box(0.6, 0.4, radius=0.2),
        p2.Capsule((-0.4, 0.3), (0.4, 0), 0.25),
    ],
    ids=lambda s: type(s).__name__,
)
def test_outlines_lie_on_their_shapes(shape):
    """A little inside of each edge is the body, a little outside it is not."""
    world = p2.World()
    body = world.add_body(shape, (2, 1), 0.4)
    (ring,) = rings(plot.world(world, axes()))
    edges = (ring + np.roll(ring, -1, axis=0)) / 2
    inward = ring.mean(axis=0) - edges
    inward /= np.hypot(*inward.T)[:, None]
    assert body.contains(edges + 0.01 * inward).all()
    assert not body.contains(edges - 0.01 * inward).any()


def test_circles_are_where_the_bodies_are():
    world = p2.World()
    world.add_body(p2.Circle(0.5, (1, 0)), (3, 4), np.pi / 2)
    world.add_body(p2.Circle(2), (-3, 4), 0.3)
    ax = plot.world(world, axes())
    (circles,) = [c for c in ax.collections if isinstance(c, EllipseCollection)]
    np.testing.assert_allclose(circles.get_offsets(), [(3, 5), (-3, 4)], atol=1e-12)
    # Matplotlib before 3.9 has no way to ask.
    widths = circles.get_widths() if hasattr(circles, "get_widths") else 2 * circles._widths
    np.testing.assert_allclose(widths, [1, 4])
    (spokes,) = ax.lines
    x, y = spokes.get_data()
    ends = np.column_stack([x, y]).reshape(2, 3, 2)
    assert np.isnan(ends[:, 2]).all()
    np.testing.assert_allclose(ends[0, :2], [(3, 5), (3, 5.5)], atol=1e-12)
    np.testing.assert_allclose(ends[1, 1], (-3 + 2 * np.cos(0.3), 4 + 2 * np.sin(0.3)))


def test_holes_and_chains():
    world = every_shape()
    ax = plot.world(world, axes(), legend=False)
    compound = next(
        path
        for artist in ax.collections
        for path in artist.get_paths()
        if path.codes is not None and (path.codes == path.MOVETO).sum() == 2
    )
    body = next(b for b in world.bodies if getattr(b.colliders[0].shape, "holes", ()))
    expected = body.to_world(np.concatenate([body.colliders[0].shape.vertices]))
    np.testing.assert_allclose(compound.vertices[:4], expected, atol=1e-12)
    chain = next(c for c in world.colliders if isinstance(c.shape, p2.Chain))
    lines = [s for a in ax.collections if isinstance(a, LineCollection) for s in a.get_segments()]
    assert any(
        len(s) == len(chain.shape.points) and np.allclose(s, chain.shape.points) for s in lines
    )


def test_closed_chains_are_closed():
    world = p2.World()
    corners = [(-3, -3), (3, -3), (3, 3), (-3, 3)]
    world.add_body(p2.Chain(corners, loop=True), kind="static")
    ax = plot.world(world, axes())
    (line,) = ax.collections[0].get_segments()
    np.testing.assert_allclose(line, [*corners, corners[0]])


def test_collections_and_not_a_patch_per_body():
    counts = []
    for n in (20, 400):
        world = p2.World()
        world.add_body(p2.Box(9, 1), (0, -2), kind="static")
        positions = np.random.default_rng(0).uniform(0, 90, (n, 2))
        for k, shape in enumerate([p2.Box(1, 1), p2.Circle(0.4), p2.RegularPolygon(5, 0.4)]):
            world.add_bodies(shape, positions[k::3])
        world.add_bodies(p2.Box(0.3, 0.7), positions + 0.5)  # as many corners as the others
        ax = plot.world(world, axes())
        counts.append(len(ax.get_children()))
        assert sum(len(a.get_paths()) for a in ax.collections) >= n
    assert counts[0] == counts[1]


def test_colours_follow_kind_and_sleep():
    world = p2.World(gravity=(0, 0))
    kinds = {}
    for k, options in enumerate([{"kind": "static"}, {"kind": "kinematic"}, {}, {"awake": False}]):
        kinds[k] = world.add_body(p2.Box(1, 1), (2 * k, 0), **options)
    ax = plot.world(world, axes())
    names = _style.STATES
    assert legend_texts(ax) == list(names)
    found = {}
    for artist in ax.collections:
        for path, color in zip(artist.get_paths(), artist.get_facecolors(), strict=False):
            found[round(path.vertices[:-1, 0].mean())] = tuple(color)
    states = _style.theme(ax).states
    assert found == {2 * k: to_rgba(states[name].fill) for k, name in enumerate(names)}


def test_sensors_are_hollow():
    world = p2.World()
    world.add_body(p2.Box(1, 1), sensor=True)
    (artist,) = plot.world(world, axes()).collections
    assert len(artist.get_facecolor()) == 0


def test_bodies_follow_the_poses_they_are_given():
    world = landing()
    ax = axes()
    bodies = plot.Bodies(world, ax)
    before = rings(ax)
    angles = world.angles + 0.3
    bodies.move(world.positions + np.array([1, 2]), angles, awake=world.awake)
    world.positions += np.array([1, 2])
    world.angles += 0.3
    expected = [c.vertices for c in world.colliders if isinstance(c.shape, p2.Polygon)]
    after = rings(ax)
    assert len(before) == len(after) == len(expected)
    for corners in expected:
        assert any(np.allclose(corners, ring, atol=1e-9) for ring in after)
    assert not any(np.allclose(a, b) for a, b in zip(before, after, strict=True))


def test_sleepers_change_colour_when_moved():
    world = p2.World()
    world.add_bodies(p2.Box(1, 1), [(0, 0), (2, 0)])
    bodies = plot.Bodies(world, axes())
    faces = bodies.artists[0].get_facecolor().copy()
    np.testing.assert_array_equal(faces[0], faces[1])
    bodies.move(world.positions, world.angles, awake=[True, False])
    np.testing.assert_array_equal(bodies.artists[0].get_facecolor()[0], faces[0])
    assert not np.allclose(bodies.artists[0].get_facecolor()[1], faces[0])
    np.testing.assert_array_equal(bodies.states, [2, 3])
    bodies.paint(np.tile([1, 0, 0, 1], (2, 1)))
    np.testing.assert_array_equal(bodies.artists[0].get_facecolor()[1], [1, 0, 0, 1])


def pixels(ax):
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba())[..., :3].astype(int)


@pytest.mark.parametrize(
    "shape",
    [
        p2.Box(1, 1),
        p2.Circle(0.5),
        p2.Polygon([(-1, -1), (1, -1), (0, 1)], holes=[[(-0.2, -0.5), (0, 0), (0.2, -0.5)]]),
        p2.Segment((-1, 0), (1, 0)),
    ],
    ids=lambda s: type(s).__name__,
)
def test_a_body_at_nan_is_not_drawn(shape):
    ax = axes()
    ax.set(xlim=(-3, 9), ylim=(-3, 3), aspect="equal")
    bare = pixels(ax)
    bodies = plot.Bodies([shape, shape], ax)
    bodies.move([(np.nan, np.nan), (5, 0)], [np.nan, 0])
    seen = (pixels(ax) != bare).any(axis=(0, 2))
    column = np.flatnonzero(seen)
    left, _ = ax.transData.transform((3, 0))
    assert len(column)
    assert column.min() > left
    bodies.move(np.full((2, 2), np.nan), [0, 0])
    np.testing.assert_array_equal(pixels(ax), bare)


def test_removed_bodies_are_gone_and_slots_stay():
    world = p2.World()
    slots = world.add_bodies(p2.Box(1, 1), [(0, 0), (3, 0), (6, 0)])
    world.remove(world.bodies[int(slots[1])])
    ax = plot.world(world, axes())
    assert sorted(round(ring[:, 0].mean()) for ring in rings(ax)) == [0, 6]
    assert legend_texts(ax) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 0]], [0, 0]), r"positions: must be of shape \(2, 2\), got \(1, 2\)"),
        (([0, 0], [0, 0]), r"positions: must be of shape \(2, 2\)"),
        (([[0, 0], [1, 1]], [0]), r"angles: must be of shape \(2,\), got \(1,\)"),
    ],
)
def test_poses_that_do_not_fit(arguments, message):
    bodies = plot.Bodies([p2.Box(1, 1)] * 2, axes())
    with pytest.raises(ValueError, match=message):
        bodies.move(*arguments)


def test_what_is_no_shape():
    with pytest.raises(TypeError, match="shapes: must be shapes, got int"):
        plot.Bodies([p2.Box(1, 1), 3], axes())
    bodies = plot.Bodies([p2.Box(1, 1)] * 2, axes())
    with pytest.raises(ValueError, match=r"awake: must be of shape \(2,\), got \(1,\)"):
        bodies.move(np.zeros((2, 2)), np.zeros(2), awake=[True])


# ---------------------------------------------------------------- limits, axes, colours


def test_what_moves_is_in_view_and_a_floor_does_not_widen_it():
    world = p2.World()
    world.add_body(p2.Box(1000, 2), (0, -1), kind="static")
    world.add_bodies(p2.Box(1, 1), [(-3, 0.5), (4, 6)])
    ax = plot.world(world, axes())
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    # 15 times a box, less half of the 8 m between their outer sides: 11 m and the margin.
    assert x0 == pytest.approx(-3.5 - 11 - 0.04 * 8)
    assert x1 == pytest.approx(4.5 + 11 + 0.04 * 8)
    assert y0 < 0
    assert y1 > 6.5
    assert ax.get_aspect() == 1
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x (m)", "y (m)")


def test_a_ball_is_seen_on_its_whole_floor_and_a_car_between_its_hills():
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    world.add_body(p2.Circle(0.5), (0, 0.5))
    x0, x1 = plot.world(world, axes()).get_xlim()
    assert x0 <= -14.5
    assert x1 >= 14.5
    hills = p2.World()
    x = np.linspace(-200, 200, 801)
    hills.add_body(p2.Chain(np.column_stack([x, 3 * np.sin(x / 6)])), kind="static")
    hills.add_body(p2.Box(3, 1), (0, 2))
    hills.add_bodies(p2.Circle(0.5), [(-1, 1.3), (1, 1.6)])
    ax = plot.world(hills, axes())
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    assert x0 < -6 * np.pi / 2 < 6 * np.pi / 2 < x1  # a valley and a summit
    assert y0 < -3
    assert y1 > 3
    assert x1 - x0 < 50


def strokes_of(line):
    """The strokes that are drawn on axes from (0, 0) to (10, 10), at 10 pixels a metre: where they
    begin and how they run, metres."""
    ax = Figure(figsize=(1, 1), dpi=100).add_axes((0, 0, 1, 1))
    ax.set_xlim(0, 10)
    ax.set_ylim(0, 10)
    world = p2.World()
    world.add_body(line, kind="static")
    plot.Bodies(world, ax)
    found = []

    class Watched(RendererAgg):
        def draw_path(self, paint, path, transform, *rest):
            found.append(transform.transform(path.vertices))
            super().draw_path(paint, path, transform, *rest)

    watched = Watched(100, 100, 100)
    for artist in ax.collections:
        artist.draw(watched)
    strokes = [each.reshape(-1, 2, 2) for each in found if len(each) % 2 == 0]
    ends = np.concatenate([each for each in strokes if len(each) > 1] or [np.empty((0, 2, 2))]) / 10
    return ends[:, 0], ends[:, 1] - ends[:, 0]


@pytest.mark.parametrize(("turn", "low"), [(1, True), (-1, False)])
def test_the_solid_side_of_a_chain_is_hatched(turn, low):
    """Written from left to right it is solid below, the other way above; a segment has no side."""
    points = [(1, 5), (4, 5), (9, 5)][::turn]
    feet, ways = strokes_of(p2.Chain(points))
    assert len(feet) == 8  # 8 m of 10 pixels, a stroke each 7 points of 100 / 72 pixels
    np.testing.assert_allclose(feet[:, 1], 5)
    np.testing.assert_allclose(np.diff(feet[:, 0]), turn * 7 / 7.2)
    assert ((ways[:, 1] < 0) == low).all()
    assert len(strokes_of(p2.Segment(*points[:2]))[0]) == 0


def test_one_lost_body_does_not_shrink_all_others():
    world = p2.World()
    spots = [(x, y) for x in range(6) for y in range(5)]
    world.add_bodies(p2.Box(1, 1), [*spots, (3, -5000)])
    ax = plot.world(world, axes())
    assert ax.get_ylim()[0] > -10
    assert ax.get_ylim()[1] < 12


def test_limits_of_the_user_stay():
    ax = axes()
    ax.set_xlim(-1, 1)
    ax.set_ylim(-2, 3)
    plot.world(landing(), ax)
    assert (ax.get_xlim(), ax.get_ylim()) == ((-1, 1), (-2, 3))
    plot.islands(landing(), ax)
    plot.aabbs(landing(), ax)
    plot.tree(landing(), ax)
    assert (ax.get_xlim(), ax.get_ylim()) == ((-1, 1), (-2, 3))
    plot.world(landing(), ax, view=(0, 0, 4, 2), legend=False)
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 4), (0, 2))


@pytest.mark.parametrize("view", [(0, 0, 0, 1), (0, 1, 1, 0), (0, 0, np.nan, 1), (0, 0, np.inf, 1)])
def test_views_that_are_no_rectangles(view):
    with pytest.raises(ValueError, match="view: must be"):
        plot.world(landing(), axes(), view=view)


def test_empty_worlds_can_be_drawn():
    for function in (plot.world, plot.islands, plot.contacts, plot.aabbs, plot.tree):
        ax = function(p2.World(), axes())
        ax.figure.canvas.draw()
    ax = plot.world(p2.World(), axes(), velocities=True, aabbs=True, tree=True, islands=True)
    ax.figure.canvas.draw()


@pytest.mark.parametrize("size", [(4.5, 3.5), (3, 3), (6.4, 4.8), (11, 3.8)])
def test_numbers_at_the_axes_do_not_touch(size):
    """Neither of an empty world nor of one of any size."""
    for reach in (None, 0.3, 1, 3, 40, 700):
        view = None if reach is None else (-reach, -reach, reach, reach)
        ax = plot.world(p2.World(), axes(*size), view=view)
        ax.figure.canvas.draw()
        numbers = [tick.label1.get_window_extent() for tick in ax.xaxis.get_major_ticks()]
        assert len(numbers) >= 3
        for left, right in itertools.pairwise(numbers):
            assert left.x1 + 4 < right.x0, (size, reach)  # half of a digit


def test_legends_hide_no_body():
    """Whatever is in the corners, the legend finds a place beside it."""
    world = p2.World(gravity=(0, 0))
    spots = itertools.product(np.arange(8), np.arange(6))
    world.add_bodies(p2.Box(0.9, 0.9), list(spots), awake=np.arange(48) % 2 > 0)
    ax = plot.world(world, axes())
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    corners = ax.transData.transform(np.concatenate(rings(ax)))
    inside = (corners > box.min).all(axis=1) & (corners < box.max).all(axis=1)
    assert not inside.any()
    whole = ax.get_window_extent()
    assert whole.x0 <= box.x0
    assert box.x1 <= whole.x1
    assert box.y1 <= whole.y1


def test_no_axes_means_those_of_pyplot():
    world = landing()
    ax = plot.world(world)
    assert plt.gca() is ax
    assert ax.figure.get_layout_engine() is not None
    assert plot.velocities(world) is ax
    _, (left, right) = plt.subplots(1, 2)
    assert plot.aabbs(world) is right
    assert not left.has_data()
    plt.close("all")


def test_given_axes_need_no_pyplot_and_no_main_thread():
    results = []

    def work():
        ax = Figure().add_subplot()
        plot.world(landing(), ax)
        results.append(ax)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 2


def luminance(color):
    """Relative luminance (WCAG 2)."""
    c = np.array(to_rgba(color)[:3])
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("look", ["default", "dark_background", "Solarize_Light2"])
def test_lines_can_be_seen_on_their_background(look):
    with style.context(look):
        theme = _style.theme(axes())
        paper = luminance(theme.paper)
        colors = [theme.a.line, theme.b.line, theme.accent, theme.good, theme.bad, theme.muted]
        colors += [theme.states[name].line for name in ("static", "kinematic", "awake")]
        for color in colors:
            bright, dim = sorted([luminance(color), paper], reverse=True)
            assert (bright + 0.05) / (dim + 0.05) >= 2.6, color
        assert theme.dark == (look == "dark_background")


# What colour-blind eyes see, linear RGB: G. Machado, M. Oliveira, L. Fernandes, "A Physiologically-
# based Model for Simulation of Color Vision Deficiency" (2009), severity 1.
EYES = {
    "all cones": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def seen(color, eyes):
    """Place in OKLab (B. Ottosson, 2020), in which distances are about as large as they look."""
    c = np.array(to_rgba(color)[:3])
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    ) @ np.clip(np.asarray(EYES[eyes]) @ linear, 0, 1)
    return np.cbrt(cones) @ np.transpose(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("look", ["default", "dark_background"])
def test_colours_stay_apart_for_colour_blind_eyes(look, eyes):
    with style.context(look):
        theme = _style.theme(axes())
    marks = [theme.a.line, theme.b.line, theme.accent, theme.good, theme.bad, theme.muted]
    fills = [ink.fill for ink in theme.states.values()]
    for colors, least in ((marks, 0.06), (theme.cycle, 0.06), (fills, 0.035)):
        for one, other in itertools.combinations(colors, 2):
            apart = np.hypot.reduce(seen(one, eyes) - seen(other, eyes))
            assert apart > least, (one, other)


def test_dark_follows_the_background_whoever_made_it():
    ax = axes()
    assert not _style.theme(ax).dark
    ax.set_facecolor("#202020")
    assert _style.theme(ax).dark
    ax.set_facecolor("none")
    assert not _style.theme(ax).dark
    ax.figure.set_facecolor("#102020c0")  # seen through the axes
    assert _style.theme(ax).dark
    ax.figure.set_facecolor("none")
    assert not _style.theme(ax).dark
    with style.context("dark_background"):
        assert _style.theme(ax).dark  # a page that light letters were chosen for
    left, right = Figure().subfigures(1, 2)
    left.set_facecolor("black")
    inner = left.add_subplot()
    inner.set_facecolor("none")
    assert _style.theme(inner).dark
    assert not _style.theme(right.add_subplot()).dark


# ---------------------------------------------------------------- contacts


def test_contact_points_and_arrows():
    world = landing()
    ax = plot.world(world, axes())
    rows = world.contacts
    rows = rows[(rows["normal_impulse"] > 0) | (rows["separation"] <= 0)]
    assert len(rows) >= 8
    np.testing.assert_allclose(named(ax, "contact points").get_xydata(), rows["point"])
    roots, vectors = arrows(ax, "contact normals")
    pushing = rows[rows["normal_impulse"] > 0]
    np.testing.assert_allclose(roots, pushing["point"])
    lengths = np.hypot(*vectors.T)
    impulses = pushing["normal_impulse"]
    small = impulses < np.percentile(impulses, 95)
    ratio = lengths[small] / impulses[small]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)
    assert lengths.max() <= 2 * ratio[0] * np.percentile(impulses, 95) * (1 + 1e-9)
    # Everything that can move is pushed up here, away from the floor.
    assert (vectors[:, 1] > 0).all()


def test_arrows_to_scale():
    world = landing()
    ax = plot.world(world, axes(), normals=0.25)
    rows = world.contacts[world.contacts["normal_impulse"] > 0]
    _, vectors = arrows(ax, "contact normals")
    np.testing.assert_allclose(np.hypot(*vectors.T), 0.25 * rows["normal_impulse"])
    largest = rows["normal_impulse"].max()
    assert f"contact, impulse up to {largest:.2g} N s" in legend_texts(ax)
    none = plot.world(world, axes(), normals=False)
    assert not [c for c in none.collections if c.get_gid() == "contact normals"]


def test_unknown_impulses_are_equal_arrows_and_those_of_0_are_none():
    columns = [("point", "f8", 2), ("normal", "f8", 2), ("separation", "f8")]
    rows = np.zeros(3, columns)
    rows["point"][:, 0], rows["normal"] = np.arange(3), (0, 1)
    _, vectors = arrows(plot.contacts(rows, axes()), "contact normals")
    np.testing.assert_allclose(vectors, [vectors[0]] * 3)
    assert vectors[0, 1] > 0
    at_rest = np.zeros(3, [*columns, ("normal_impulse", "f8")])
    for name, *_ in columns:
        at_rest[name] = rows[name]
    ax = plot.contacts(at_rest, axes())
    assert not [c for c in ax.collections if c.get_gid() == "contact normals"]
    assert legend_texts(ax) == ["contact"]


def test_one_blow_does_not_hide_the_others():
    rows = np.zeros(
        40,
        [("point", "f8", 2), ("normal", "f8", 2), ("separation", "f8"), ("normal_impulse", "f8")],
    )
    rows["point"][:, 0] = np.arange(40)
    rows["normal"] = (0, 1)
    rows["normal_impulse"] = 1
    rows["normal_impulse"][7] = 1000
    ax = plot.contacts(rows, axes())
    lengths = np.hypot(*arrows(ax, "contact normals")[1].T)
    np.testing.assert_allclose(lengths[7] / lengths[0], 2)
    assert legend_texts(ax) == ["contact, impulse up to 2 N s"]


def test_arrows_of_a_battle_can_be_seen():
    """Small ships on a large sea: the arrows suit the picture and not the ships."""
    scene = scenes.build("naval")
    for step in range(200):
        if scene.before_step is not None:
            scene.before_step(scene.world, step)
        scene.world.step(scene.dt)
    ax = plot.world(scene.world, axes(), view=scene.view)
    _, vectors = arrows(ax, "contact normals")
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    assert np.hypot(*vectors.T).max() > 0.03 * np.hypot(x1 - x0, y1 - y0)


def test_contacts_of_a_body_and_of_a_manifold():
    world = landing()
    body = world.bodies[1]
    ax = plot.contacts(body.contacts, axes())
    assert len(named(ax, "contact points").get_xdata()) == len(body.contacts)
    hit = p2.geometry.collide(p2.Box(2, 2), p2.Box(2, 2), pose_b=(1.9, 0.5, 0))
    ax = plot.contacts(hit, axes())
    np.testing.assert_allclose(named(ax, "contact points").get_xydata(), hit.points)
    _, vectors = arrows(ax, "contact normals")
    np.testing.assert_allclose(vectors / np.hypot(*vectors.T)[:, None], [hit.normal] * 2)
    assert plot.contacts(p2.geometry.collide(p2.Circle(1), p2.Circle(1), pose_b=(9, 0, 0)), axes())
    with pytest.raises(TypeError, match="source: must be a World"):
        plot.contacts([1, 2], axes())
    with pytest.raises(TypeError, match="source: must be a World"):
        plot.contacts(np.zeros(3), axes())


# ---------------------------------------------------------------- bounds and trees


def test_bounds_are_those_of_the_world():
    world = landing()
    world.remove(world.bodies[2])
    boxes = world.aabbs
    assert np.isnan(boxes).any()
    drawn = [path.vertices for path in named(plot.aabbs(world, axes()), "bounds").get_paths()]
    boxes = boxes[~np.isnan(boxes[:, 0, 0])]
    np.testing.assert_allclose([v.min(axis=0) for v in drawn], boxes[:, 0])
    np.testing.assert_allclose([v.max(axis=0) for v in drawn], boxes[:, 1])
    with pytest.raises(ValueError, match=r"source: boxes must be of shape \(n, 2, 2\)"):
        plot.aabbs([[1, 2], [3, 4]], axes())


def depth_of(rows, index):
    parent = rows["parent"][index]
    return 0 if parent < 0 else 1 + depth_of(rows, parent)


def test_levels_of_a_tree():
    tree = boxes_of_a_tree()
    tree.remove(1)
    rows = tree.nodes
    ax = plot.tree(tree, axes())
    live = np.flatnonzero(rows["height"] >= 0)
    assert len(live) < len(rows)
    depths = np.array([depth_of(rows, k) for k in live])
    for depth in range(depths.max() + 1):
        drawn = named(ax, f"tree level {depth}").get_paths()
        expected = rows[live[depths == depth]]
        np.testing.assert_allclose([p.vertices.min(axis=0) for p in drawn], expected["lower"])
        np.testing.assert_allclose([p.vertices.max(axis=0) for p in drawn], expected["upper"])
    assert legend_texts(ax)[0] == "level 0 (root)"
    ax = plot.tree(tree, axes(), level=1)
    assert [c.get_gid() for c in ax.collections] == ["tree level 1"]
    assert legend_texts(ax) == ["level 1"]
    deepest = depths.max()
    for level in (deepest + 1, 99, -1, [0, 99]):
        with pytest.raises(IndexError, match=f"level: must be from 0 to {deepest}, got"):
            plot.tree(tree, axes(), level=level)
    for level in (1.0, "1", [None], True):
        with pytest.raises(TypeError, match="level: must be an int or ints, got"):
            plot.tree(tree, axes(), level=level)
    assert not plot.tree(p2.AABBTree(), axes(), level=[0, 1]).collections
    ax = plot.tree(rows, axes(), level=(2, 0), legend=False)
    assert {c.get_gid() for c in ax.collections} == {"tree level 0", "tree level 2"}
    assert ax.get_legend() is None
    with pytest.raises(TypeError, match="source: must be a World, an AABBTree"):
        plot.tree(np.zeros(3), axes())


def chain_of_boxes(count):
    """Rows of a tree that is as deep as it can be: each inner node has one leaf."""
    rows = np.zeros(2 * count - 1, p2.AABBTree().nodes.dtype)
    rows["upper"] = 1 + np.arange(len(rows))[:, None]
    rows["parent"], rows["child_a"], rows["child_b"] = -1, -1, -1
    for k in range(0, len(rows) - 1, 2):  # node k has the leaf k + 1 and the node k + 2
        rows["child_a"][k], rows["child_b"][k] = k + 1, k + 2
        rows["parent"][[k + 1, k + 2]] = k
    return rows


@pytest.mark.parametrize("levels", [1, 2, 7, 9, 10, 11, 12, 23, 40])
def test_every_level_drawn_is_in_the_legend(levels):
    ax = plot.tree(chain_of_boxes(levels), axes(7, 6))
    drawn = {int(c.get_gid().split()[-1]): c.get_edgecolor()[0] for c in ax.collections}
    assert sorted(drawn) == list(range(levels))
    named_levels = []
    for handle, words in zip(ax.get_legend().legend_handles, legend_texts(ax), strict=True):
        first, *last = [int(word) for word in words.split() if word.isdigit()]
        band = range(first, (last or [first])[0] + 1)
        named_levels += band
        for level in band:
            np.testing.assert_allclose(drawn[level], to_rgba(handle.get_edgecolor()))
    assert named_levels == list(range(levels))
    assert len(legend_texts(ax)) <= 10


def test_the_tree_of_a_world():
    world = landing()
    ax = plot.world(world, axes(), tree=0, legend=False)
    (root,) = named(ax, "tree level 0").get_paths()
    assert not [c for c in ax.collections if c.get_gid() == "tree level 1"]
    boxes = world.aabbs
    assert (root.vertices.min(axis=0) <= boxes[:, 0].min(axis=0)).all()
    assert (root.vertices.max(axis=0) >= boxes[:, 1].max(axis=0)).all()


# ---------------------------------------------------------------- islands and velocities


def faces(ax, world):
    """Face colour of each body that is a polygon, by slot."""
    found = {}
    for artist in ax.collections:
        if type(artist) is not PolyCollection:
            continue
        for path, color in zip(artist.get_paths(), artist.get_facecolors(), strict=False):
            middle = path.vertices[:-1].mean(axis=0)
            slot = int(np.nanargmin(np.hypot(*(world.positions - middle).T)))
            found[slot] = tuple(np.round(color, 6))
    return found


def test_islands_by_colour():
    world = landing()
    ax = plot.islands(world, axes())
    colors, islands = faces(ax, world), world.islands
    assert set(islands) == {-1, 0, 1, 2}
    for a, b in itertools.combinations(colors, 2):
        if islands[a] >= 0 and islands[b] >= 0:
            assert (colors[a] == colors[b]) == (islands[a] == islands[b])
    grey = to_rgba(_style.theme(ax).states["static"].fill)
    np.testing.assert_allclose(colors[0], grey, atol=1e-6)
    texts = {t.get_text(): t.get_position() for t in ax.texts}
    assert set(texts) == {"0", "1", "2"}
    for number, place in texts.items():
        owners = world.positions[islands == int(number)]
        assert np.hypot(*(owners - place).T).min() < 1e-9
    assert not plot.islands(world, axes(), numbers=False).texts
    crowd = p2.World()
    crowd.add_bodies(p2.Circle(0.4), [(k, 0) for k in range(40)])
    crowd.step()
    assert not plot.islands(crowd, axes()).texts


def test_sleeping_islands_are_paler():
    ax = axes()
    awake = _world.island_colors(ax, np.arange(6), np.zeros(6, bool))
    asleep = _world.island_colors(ax, np.arange(6), np.ones(6, bool))
    assert (np.abs(1 - asleep[:, :3]).sum(axis=1) < np.abs(1 - awake[:, :3]).sum(axis=1)).all()
    assert len(np.unique(awake.round(6), axis=0)) == 6


@pytest.mark.parametrize("look", ["default", "dark_background"])
def test_what_belongs_to_no_island_looks_like_none(look):
    """Also not kinematic bodies, which are yellow elsewhere, as is a second island."""
    world = p2.World(gravity=(0, 0))
    world.add_bodies(p2.Box(1, 1), [(2 * k, 0) for k in range(8)])
    lift = world.add_body(p2.Box(1, 1), (0, 5), kind="kinematic", velocity=(1, 0))
    floor = world.add_body(p2.Box(9, 1), (0, -5), kind="static")
    world.step()
    with style.context(look):
        colors = faces(plot.islands(world, axes()), world)
        asleep = _world.island_colors(axes(), np.arange(6), np.ones(6, bool))
    outside = {body.index for body in (lift, floor)}
    assert (world.islands[sorted(outside)] == -1).all()
    grey = colors[floor.index]
    assert np.ptp(grey[:3]) < 0.03
    for slot, color in colors.items():
        if slot in outside:
            assert color == grey
        else:
            assert np.hypot.reduce(seen(color, "all cones") - seen(grey, "all cones")) > 0.1
    for color in asleep:
        assert np.hypot.reduce(seen(color, "all cones") - seen(grey, "all cones")) > 0.04


def test_velocities_start_at_the_centre_of_mass():
    world = p2.World()
    world.add_body(p2.Box(1, 1, center=(2, 0)), (1, 1), np.pi / 2, velocity=(3, -1))
    world.add_body(p2.Box(1, 1), (5, 5))  # at rest: no arrow
    world.add_body(p2.Box(1, 1), (-5, 5), kind="kinematic", velocity=(0, 2))
    gone = world.add_body(p2.Box(1, 1), (9, 9), velocity=(1, 1))
    world.remove(gone)
    ax = plot.velocities(world, axes(), scale=0.5)
    roots, vectors = arrows(ax, "velocities")
    np.testing.assert_allclose(roots, [(1, 3), (-5, 5)], atol=1e-12)
    np.testing.assert_allclose(vectors, [(1.5, -0.5), (0, 1)])
    assert legend_texts(ax) == ["displacement in 0.5 s"]
    ax = plot.world(world, axes(), velocities=0.25)
    np.testing.assert_allclose(arrows(ax, "velocities")[1], [(0.75, -0.25), (0, 0.5)])


def test_scales_are_round():
    for value, expected in [(0.034, 0.02), (0.05, 0.05), (7, 5), (1, 1), (1999, 1000)]:
        assert _style.nice(value) == pytest.approx(expected)
    for value in (0, -1, np.nan, np.inf):
        assert _style.nice(value) == 1


def test_drawing_changes_nothing_in_the_world():
    world = landing()
    before = world.hash()
    plot.world(world, axes(), aabbs=True, tree=True, islands=True, velocities=True)
    assert world.hash() == before
