"""Debug draw for games: cameras, what is drawn where, and the examples without a screen."""

import os
import subprocess
import sys
from ctypes.util import find_library
from importlib.util import find_spec

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d.plot import _debug_draw
from pyphys2d.plot._debug_draw import Camera, DownCamera

STAR = p2.Polygon([(0, 0.7), (-0.2, 0.1), (-0.6, -0.5), (0, -0.2), (0.6, -0.5), (0.2, 0.1)])
FRAME = p2.Polygon(
    [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    holes=[[(-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.5, -0.5)]],
)


def area(faces):
    """Of all polygons, by the shoelace formula; without sign."""
    total = 0.0
    for points, _ in faces:
        x, y = points.T
        total += abs(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    return total


@pytest.mark.parametrize("kind", [Camera, DownCamera])
def test_a_camera_goes_there_and_back(kind):
    camera = kind((800, 500), center=(3, -2), scale=40)
    assert camera.to_pixels((3, -2)) == pytest.approx((400, 250))
    up = 1 if kind is Camera else -1
    assert camera.to_pixels((4, -1)) == pytest.approx((440, 250 + up * 40))
    points = np.array([(0, 0), (17, 3.5)])
    assert camera.to_world(camera.to_pixels(points)) == pytest.approx(points)


def test_a_camera_refuses_what_shows_nothing():
    with pytest.raises(ValueError, match="size: must be > 0"):
        Camera((0, 5))
    with pytest.raises(ValueError, match="scale: must be a number > 0, got 0"):
        Camera((5, 5), scale=0)
    with pytest.raises(ValueError, match="center: must be finite"):
        Camera((5, 5), center=(0, float("nan")))
    with pytest.raises(TypeError, match="world: must be a World"):
        Camera.around(None, (5, 5))


@pytest.mark.parametrize("shape", [p2.Box(2, 1), p2.Box(1, 1, radius=0.2), STAR, FRAME])
def test_faces_have_the_area_of_their_shape(shape):
    world = p2.World()
    world.add_body(shape, (1, 2), 0.7)
    camera = DownCamera((800, 600), scale=20)
    made = _debug_draw.picture(world, camera)
    assert area(made.faces) == pytest.approx(shape.area * 400, rel=2e-3)  # arcs are vertices
    points, colors = _debug_draw.triangles(made.faces)
    assert len(points) == len(colors) == 3 * sum(len(face) - 2 for face, _ in made.faces)
    assert area([(three, None) for three in points.reshape(-1, 3, 2)]) == pytest.approx(
        area(made.faces)
    )


@pytest.mark.parametrize("kind", [Camera, DownCamera])
def test_what_reaches_far_out_of_the_view_is_cut_where_it_is_not_seen(kind):
    world = p2.World()
    world.add_body(p2.Box(1e6, 1e6), (0, -5e5), kind="static")
    world.add_body(p2.Box(1, 1), (5000, 0.5))
    made = _debug_draw.picture(world, kind((800, 600), scale=100))
    ((face, _),) = made.faces
    assert np.abs(face).max() < 800 + _debug_draw.FAR + 1
    assert np.ptp(face[:, 0]) > 800
    up = kind._up
    assert (up * (face[:, 1] - 300)).max() == pytest.approx(0, abs=1e-6)  # the ground ends at y = 0


def test_only_what_is_asked_for_is_drawn():
    world = p2.World()
    world.add_body(p2.Box(9, 1), (0, -0.5), kind="static")
    box = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.add_distance_joint(None, box, anchor_a=(0, 3), anchor_b=(0, 1))
    world.step()
    camera = Camera.around(world, (400, 300))

    def count(**options):
        made = _debug_draw.picture(world, camera, **options)
        return len(made.faces), len(made.lines)

    plain = count(joints=False)
    assert plain == (2, 2)
    assert count(joints=False, fill=False) == (0, 2)
    assert count()[1] > 2
    assert count(joints=False, aabbs=True) == (2, 4)
    points = len(world.contacts)
    assert points == 2
    assert count(joints=False, contacts=True) == (2 + points, 2 + points)


def test_segments_close_what_is_closed():
    ring = np.array([(0.0, 0), (1, 0), (1, 1)])
    line = _debug_draw.Polyline(ring, False, (1, 2, 3), 1)
    points, colors = _debug_draw.segments([line, line._replace(closed=True)])
    assert points.tolist() == [
        *([0, 0], [1, 0], [1, 0], [1, 1]),
        *([0, 0], [1, 0], [1, 0], [1, 1], [1, 1], [0, 0]),
    ]
    assert colors.tolist() == [[1, 2, 3]] * 10


def test_bodies_are_where_pygame_shows_them():
    pygame = pytest.importorskip("pygame")
    surface = pygame.Surface((400, 300))
    surface.fill("white")
    world = p2.World()
    bodies = [
        world.add_body(p2.Box(1, 1), (-2, 1), 0.3),
        world.add_body(STAR, (2, -1)),
        world.add_body(p2.Box(1, 1), (0, 0), kind="kinematic"),
    ]
    camera = p2.plot.pygame.Camera(surface.get_size(), scale=40)
    p2.plot.pygame.draw(surface, world, camera)
    for body in bodies:
        x, y = camera.to_pixels(body.to_world((0.03, 0.07)))
        expected = _debug_draw.FACES[1 if body.kind == "kinematic" else 2]
        assert surface.get_at((round(x), round(y)))[:3] == expected
    assert surface.get_at((200, 290))[:3] == (255, 255, 255)


HEADLESS = {
    "pygame": {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"},
    "pyglet": {"PYGLET_HEADLESS": "1"},
    "arcade": {"ARCADE_HEADLESS": "True"},
}


@pytest.mark.slow
@pytest.mark.parametrize("library", HEADLESS)
def test_examples_run_without_a_screen(library, repository):
    if find_spec(library) is None or (library != "pygame" and find_library("EGL") is None):
        pytest.skip(f"no {library}, or no EGL")
    path = repository / "docs" / "games" / f"with_{library}.py"
    done = subprocess.run(
        [sys.executable, path, "--frames", "20"],
        env=os.environ | HEADLESS[library] | {"PYTHONPATH": str(repository)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "20 frames, " in done.stdout
    assert int(done.stdout.split("20 frames, ")[1].split()[0]) > 0


PIXELS = """
import numpy as np
import pyphys2d as p2
{window}
world = p2.World()
world.add_body(p2.Box(2, 1), (-2, 1), 0.3)
camera = p2.plot.{library}.Camera(window.get_size(), scale=40)
window.clear()
p2.plot.{library}.draw(window, world, camera)
x, y = np.rint(camera.to_pixels((-1.9, 1.1))).astype(int)
pixels = pyglet.image.get_buffer_manager().get_color_buffer().get_image_data()
row = pixels.width * 4
data = pixels.get_data("RGBA", row)
print(*data[row * y + 4 * x:][:3], *data[:3])
"""
WINDOWS = {
    "pyglet": "import pyglet\nwindow = pyglet.window.Window(400, 300)",
    "arcade": "import arcade, pyglet\nwindow = arcade.Window(400, 300)",
}


@pytest.mark.slow
@pytest.mark.parametrize("library", WINDOWS)
def test_bodies_are_where_windows_show_them(library, repository):
    if find_spec(library) is None or (library != "pygame" and find_library("EGL") is None):
        pytest.skip(f"no {library}, or no EGL")
    done = subprocess.run(
        [sys.executable, "-c", PIXELS.format(library=library, window=WINDOWS[library])],
        env=os.environ | HEADLESS[library] | {"PYTHONPATH": str(repository)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = [int(value) for value in done.stdout.splitlines()[-1].split()]
    # A screen may have 5 bits a colour.
    assert found == pytest.approx([*_debug_draw.FACES[2], 0, 0, 0], abs=8)
