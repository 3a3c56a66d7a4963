"""What each layer of a view draws, and that bodies look the same by WebGL2 and by Canvas2D."""

import contextlib
import io
import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from pages import LIVE, SETTLED, picture, quiet, served, wait

import pyphys2d as p2
from pyphys2d._live import Session


@pytest.fixture
def browser(chromium):
    """A message of a page's console is an error, but for advice on what tests do."""
    with quiet(chromium, "getImageData", "ReadPixels", "software WebGL"):
        yield chromium


@contextlib.contextmanager
def shown(browser, session):
    """The page of a session that waits, without a grid and without words."""
    with served(session) as url:
        browser.get(url)
        wait(browser, LIVE)
        browser.execute_script(
            "view.stage.say(''); view.start.hidden = true; view.stage.setLayer('grid', false)"
        )
        wait(browser, SETTLED)
        yield
        browser.get("about:blank")


def points_of(browser, layer, needs="true"):
    """Where a layer changes the picture, in the world: points, and the metres of a pixel."""
    before = picture(browser)
    browser.execute_script(f"view.stage.setLayer('{layer}', true)")
    wait(browser, f"view.stage.renderer.layers.{layer} && ({needs}) && {SETTLED}")
    y, x = np.nonzero(np.abs(picture(browser) - before).max(axis=-1) > 24)
    browser.execute_script(f"view.stage.setLayer('{layer}', false)")
    wait(browser, SETTLED)
    ratio = browser.execute_script("return view.stage.renderer.ratio")
    left, top, scale = browser.execute_script(
        "const r = view.stage.renderer; return [...r.toWorld(0, 0), r.camera.scale]"
    )
    pixel = 1 / scale
    x, y = (x + 0.5) / ratio * pixel, (y + 0.5) / ratio * pixel
    return np.stack([left + x, top - y], axis=-1), pixel


def gaps(points, p, q):
    """Distances of points from a segment."""
    along = np.subtract(q, p)
    t = np.clip((points - p) @ along / (along @ along), 0, 1)
    return np.hypot(*(points - p - t[:, None] * along).T)


def test_velocities_are_arrows_along_them(browser):
    world = p2.World((0, 0))
    ball = world.add_body(p2.Circle(0.2), (-2, 0), velocity=(6, 8))
    world.add_body(p2.Circle(0.2), (2, 0))
    with shown(browser, Session(world, view=(-4, -2, 4, 4))):
        points, pixel = points_of(browser, "velocities", "view.stage.renderer.frame.velocities")
    tip = ball.position + 0.15 * ball.velocity
    assert gaps(points, ball.position, tip).max() < 8 * pixel
    for end in (ball.position, tip):
        assert np.hypot(*(points - end).T).min() < 3 * pixel


def test_contacts_and_normals_are_where_bodies_touch(browser):
    world = p2.World()
    world.add_body(p2.Box(8, 1), (0, -0.5), kind="static")
    world.add_body(p2.Box(2, 1), (0, 0.5))
    world.step(n=60)
    places = world.contacts["point"]
    assert len(places) == 2
    with shown(browser, Session(world, view=(-4, -2, 4, 3))):
        has = "view.stage.renderer.frame.contacts?.length"
        points, pixel = points_of(browser, "contacts", has)
        arrows, _ = points_of(browser, "normals", has)
    far = np.hypot(*(points[:, None] - places).T)
    assert far.min(axis=0).max() < 6 * pixel
    assert far.min(axis=1).max() < pixel
    ends = np.stack([places, places + 22 * pixel * world.contacts["normal"]], axis=1)
    along = np.array([gaps(arrows, *end) for end in ends])
    assert along.min(axis=0).max() < 7 * pixel
    for end in ends[:, 1]:
        assert np.hypot(*(arrows - end).T).min() < 3 * pixel


def test_joints_are_drawn_from_body_to_body(browser):
    world = p2.World((0, 0))
    a = world.add_body(p2.Circle(0.2), (-2, 1))
    b = world.add_body(p2.Circle(0.2), (2, -1))
    world.add_distance_joint(a, b)
    with shown(browser, Session(world, view=(-4, -2, 4, 3))):
        browser.execute_script("view.stage.setLayer('joints', false)")
        wait(browser, SETTLED)
        points, pixel = points_of(browser, "joints", "view.stage.renderer.frame.joints?.length")
    assert gaps(points, a.position, b.position).max() < 12 * pixel
    for share in np.linspace(0.2, 0.8, 7):
        at = a.position + share * (b.position - a.position)
        assert np.hypot(*(points - at).T).min() < 2 * pixel


def test_bounds_are_the_boxes_of_colliders(browser):
    world = p2.World((0, 0))
    world.add_body(p2.Box(2, 1), (-2, 1), angle=0.5)
    world.add_body(p2.Circle(0.7), (2, -0.5))
    boxes = world.draw_list().aabbs.reshape(-1, 2, 2)
    with shown(browser, Session(world, view=(-4, -2, 4, 3))):
        points, pixel = points_of(browser, "bounds")
    sides = []
    for (x0, y0), (x1, y1) in boxes.tolist():
        corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
        sides += [gaps(points, p, q) for p, q in zip(corners, np.roll(corners, -1, 0), strict=True)]
    assert np.min(sides, axis=0).max() < 2 * pixel
    assert np.min(sides, axis=1).max() < pixel


def test_names_stand_at_their_bodies(browser):
    world = p2.World((0, 0))
    world.add_body(p2.Circle(0.4), (-2, 1), name="hub")
    world.add_body(p2.Circle(0.4), (2, -0.5))
    with shown(browser, Session(world, view=(-4, -2, 4, 3))):
        points, pixel = points_of(browser, "names")
    assert len(points) > 20
    assert np.hypot(*(points - (-2, 1)).T).max() < 40 * pixel


def test_trails_are_the_paths_of_bodies(browser):
    """A throw, by its steps."""
    world = p2.World()
    ball = world.add_body(p2.Circle(0.1), (-3, 0), velocity=(3, 6))
    session = Session(world, view=(-4, -2, 4, 3))
    with shown(browser, session):
        browser.execute_script("view.stage.setLayer('trails', true)")
        wait(browser, SETTLED)
        path = [ball.position.copy()]
        for _ in range(40):
            with session.lock:
                world.step(1 / 60)
            path.append(ball.position.copy())
            wait(browser, f"Math.abs(view.stage.renderer.frame.time - {world.time}) < 1e-6")
            wait(browser, SETTLED)
        browser.execute_script("view.stage.setLayer('trails', false)")
        wait(browser, SETTLED)
        without = picture(browser)
        browser.execute_script("view.stage.renderer.layers.trails = true; view.stage.invalidate()")
        wait(browser, SETTLED)
        y, x = np.nonzero(np.abs(picture(browser) - without).max(axis=-1) > 24)
        left, top, scale, ratio = browser.execute_script(
            "const r = view.stage.renderer; return [...r.toWorld(0, 0), r.camera.scale, r.ratio]"
        )
    points = np.stack([left + (x + 0.5) / ratio / scale, top - (y + 0.5) / ratio / scale], axis=-1)
    path = np.array(path)
    parts = np.array([gaps(points, p, q) for p, q in itertools.pairwise(path)])
    assert parts.min(axis=0).max() < 3 / scale
    assert (parts.min(axis=1) < 2 / scale)[:-3].all()  # the ball itself lies on the last ones


def test_bodies_by_webgl_look_as_by_canvas(browser):
    """All that WebGL draws: where one polygon is concave, the scene is left to Canvas2D."""
    world = p2.World((0, 0))
    random = np.random.default_rng(5)
    shapes = [
        p2.Box(0.5, 0.3),
        p2.Circle(0.22),
        p2.Polygon([(-0.3, -0.2), (0.3, -0.2), (0.35, 0.1), (0, 0.3)]),
        p2.Capsule((-0.15, 0), (0.15, 0.1), 0.1),
    ]
    for k in range(120):
        world.add_body(
            shapes[k % 4],
            (0.7 * (k % 12) - 3.9, 0.7 * (k // 12) - 3.2),
            angle=random.uniform(0, 6),
            kind="static" if k % 7 == 0 else "dynamic",
            awake=k % 3 > 0,
        )
    with shown(browser, Session(world, view=(-5, -4, 5, 4))):

        def screenshot():
            shot = plt.imread(io.BytesIO(browser.get_screenshot_as_png()), "png")
            return np.rint(255 * shot[..., :3]).astype(int)

        plain = screenshot()
        browser.execute_script(
            "const r = view.stage.renderer; r.batchFrom = 1; r.anyGl = true;"
            "r.setDrawing(r.drawing); view.stage.invalidate()"
        )
        wait(browser, f"view.stage.renderer.batch && {SETTLED}")
        batch = screenshot()
    assert len(np.unique(plain.reshape(-1, 3), axis=0)) > 5
    differs = np.abs(plain - batch).max(axis=-1)
    # Only where lines are shaded, which both do in their own manner.
    assert (differs > 8).mean() < 0.02
    assert (differs > 100).mean() < 3e-4
