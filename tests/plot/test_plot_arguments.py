"""What no picture can be made of is refused by name, before anything is drawn."""

import numpy as np
import pytest
from scenes_to_draw import axes, landing, poses

import pyphys2d as p2
from pyphys2d import geometry, plot

BOX = p2.Box(1, 1)
NEAR = (0, 0, 0), (0.8, 0.3, 0)
HOUSE = [(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)]


@pytest.fixture(scope="module")
def world():
    return landing(3)


@pytest.fixture(scope="module")
def of(world):
    """Something to draw for each name."""
    manifolds = next(stage for stage in world.stages() if stage.name == "manifolds")
    return {
        "world": world,
        "stage": manifolds,
        "sat": geometry.sat(BOX, BOX, *NEAR),
        "clip": geometry.clip(BOX, BOX, *NEAR),
        "gjk": geometry.gjk(BOX, BOX, *NEAR),
        "toi": geometry.toi(BOX, BOX, (0, 0, 0), (0, 0, 0), (3, 0, 0), (0, 0, 0)),
        "hull": geometry.hull_trace(HOUSE),
    }


def refused(error, message, function, *arguments, **options):
    ax = options.setdefault("ax", axes())
    with pytest.raises(error, match=message):
        function(*arguments, **options)
    if hasattr(ax, "has_data"):
        assert not ax.has_data()
        assert not ax.get_children()[0].get_gid()


@pytest.mark.parametrize("name", ["world", "islands", "velocities"])
@pytest.mark.parametrize("wrong", [3, None, "world", p2.Box(1, 1)])
def test_what_is_no_world(name, wrong):
    kind = type(wrong).__name__
    refused(TypeError, f"^world: must be a World, got {kind}$", getattr(plot, name), wrong)


def test_what_is_no_stage(of, world):
    refused(TypeError, "^stage: must be a Stage, got int$", plot.stage, 3, world)
    refused(TypeError, "^world: must be a World, got int$", plot.stage, of["stage"], 3)
    for wrong in (3, world):
        kind = type(wrong).__name__
        refused(TypeError, f"^manifolds: must be a Stage, got {kind}$", plot.stage, of["stage"],
                world, manifolds=wrong)  # fmt: skip
    other = next(world.stages())
    message = "^manifolds: must be the stage 'manifolds', got 'bounds'$"
    refused(ValueError, message, plot.stage, of["stage"], world, manifolds=other)


@pytest.mark.parametrize("name", ["sat", "clip", "gjk", "toi", "hull"])
def test_what_is_no_trace_of_this_kind(name, of):
    for wrong in (3, None, *(of[other] for other in of if other != name)):
        message = f"^trace: must be a {name.capitalize()}Trace, got {type(wrong).__name__}$"
        refused(TypeError, message, getattr(plot, name), wrong)


def test_what_is_no_source():
    message = "^source: must be a World, a Trajectory or shapes, got int$"
    with pytest.raises(TypeError, match=message):
        plot.Bodies(3, axes())
    for wrong in ("ab", [(0, 0), "x"], [[(0, 0)]]):
        refused((TypeError, ValueError), "^source: ", plot.aabbs, wrong)


DRAWINGS = {
    "world": lambda of, ax: plot.world(of["world"], ax),
    "islands": lambda of, ax: plot.islands(of["world"], ax),
    "velocities": lambda of, ax: plot.velocities(of["world"], ax),
    "contacts": lambda of, ax: plot.contacts(of["world"], ax),
    "aabbs": lambda of, ax: plot.aabbs(of["world"], ax),
    "tree": lambda of, ax: plot.tree(of["world"], ax),
    "stage": lambda of, ax: plot.stage(of["stage"], of["world"], ax),
    "shape": lambda of, ax: plot.shape(BOX, ax=ax),
    "polygon": lambda of, ax: plot.polygon(HOUSE, ax),
    **{name: lambda of, ax, name=name: getattr(plot, name)(of[name], ax)
       for name in ("sat", "clip", "gjk", "toi", "hull")},
    "energy": lambda of, ax: plot.energy([0, 1], [0, 1], ax),
    "animate": lambda of, ax: plot.animate(poses(), BOX, ax),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWINGS)
@pytest.mark.parametrize("wrong", [3, "left", [1, 2]])
def test_what_are_no_axes(name, wrong, of):
    with pytest.raises(TypeError, match=f"^ax: must be Axes .*, got {type(wrong).__name__}$"):
        DRAWINGS[name](of, wrong)


@pytest.mark.parametrize(
    "view",
    [(0, 0, 1), 3, (0, 0, 1, 1, 1), "left", (0, 0, "a", 1), [[0, 0], [1, 1]], (0, 0, 1, np.nan)],
)
def test_what_is_no_view(view, of):
    message = r"^view: must be \(x_min, y_min, x_max, y_max\), finite and rising, got "
    world = of["world"]
    for draw in (
        lambda: plot.world(world, axes(), view=view),
        lambda: plot.islands(world, axes(), view=view),
        lambda: plot.stage(of["stage"], world, axes(), view=view),
        lambda: plot.animate(poses(), BOX, axes(), view=view),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            draw()


@pytest.mark.parametrize("scale", [-1, 0, np.nan, np.inf, "long"])
def test_scales_of_arrows(scale, of):
    world, error = of["world"], TypeError if isinstance(scale, str) else ValueError
    message = f"^normals: must be a bool or a number > 0, got {scale!r}$"
    refused(error, message, plot.world, world, normals=scale)
    refused(error, message, plot.contacts, world, normals=scale)
    message = f"^velocities: must be a bool or a number > 0, got {scale!r}$"
    refused(error, message, plot.world, world, velocities=scale)
    refused(error, message, plot.stage, of["stage"], world, velocities=scale)
    message = f"^scale: must be a number > 0, got {scale!r}$"
    refused(error, message, plot.velocities, world, scale=scale)


def test_vertices_and_poses():
    polygon, shape = plot.polygon, plot.shape
    nan = [(0, 0), (1, np.nan), (1, 1)]
    refused(ValueError, r"^vertices: must be finite, got \(1.0, nan\) in row 1$", polygon, nan)
    message = r"^holes\[1\]: must be finite, got \(1.0, nan\) in row 1$"
    refused(ValueError, message, polygon, HOUSE, holes=[HOUSE, nan])
    for wrong, got in (([], r"\(0,\)"), ([1, 2], r"\(2,\)"), ([(1, 2, 3)], r"\(1, 3\)")):
        message = rf"^vertices: must be of shape \(n, 2\) with n > 0, got {got}$"
        refused(ValueError, message, polygon, wrong)
    refused((TypeError, ValueError), "^vertices: must be numbers", polygon, [(0, 0), (1,)])
    refused((TypeError, ValueError), "^vertices: must be numbers", polygon, "house")
    refused(TypeError, "^holes: must be a sequence of vertices, got int$", polygon, HOUSE, holes=3)
    message = r"^pose: must be of shape \(3,\) or \(n, 3\), got \(2,\)$"
    refused(ValueError, message, shape, BOX, (0, 0))
    message = r"^pose: must be finite, got \(0.0, nan, 0.0\)$"
    refused(ValueError, message, shape, BOX, (0, np.nan, 0))
    message = r"^pose: must be finite, got \(0.0, 0.0, inf\) in row 1$"
    refused(ValueError, message, shape, BOX, [(0, 0, 0), (0, 0, np.inf)])
    refused((TypeError, ValueError), "^pose: must be numbers", shape, BOX, "here")


def test_integers_beyond_all_floats(of):
    huge = 10**5000  # which Python refuses to write
    refused(ValueError, "^pose: must be finite, got an int", plot.shape, BOX, (0, 0, huge))
    with pytest.raises(ValueError, match=r"^view: must be finite, got an int"):
        plot.world(of["world"], axes(), view=(0, 0, 1, huge))


def test_numbers_of_rows(of):
    for name, option in (("sat", "axis"), ("clip", "stage"), ("hull", "stage")):
        for wrong in (1.5, "1", [1], True):
            refused(TypeError, f"^{option}: must be an int, got ", getattr(plot, name), of[name],
                    **{option: wrong})  # fmt: skip
        refused(IndexError, f"^{option}: must be from ", getattr(plot, name), of[name],
                **{option: 99})  # fmt: skip


def test_times_and_values():
    for function in (plot.energy, plot.momentum, plot.penetration):
        refused((TypeError, ValueError), "^times: must be numbers", function, "ab", [1, 2])
        refused((TypeError, ValueError), "^values: must be numbers", function, [0, 1], "ab")
        refused(TypeError, "^label: must be a str or a sequence of str, got int", function, [0, 1],
                [0, 1], label=3)  # fmt: skip
    with pytest.raises((TypeError, ValueError), match=r"^poses: must be numbers"):
        plot.animate("ab", BOX)
    with pytest.raises((TypeError, ValueError), match=r"^times: must be numbers"):
        plot.animate(poses(), BOX, times="ab")
    with pytest.raises(TypeError, match=r"^shapes: must be shapes, got int"):
        plot.animate(poses(), 3)
    for name in ("fps", "speed"):
        with pytest.raises(TypeError, match=rf"^{name}: must be a number > 0, got 'a'"):
            plot.animate(poses(), BOX, **{name: "a"})
