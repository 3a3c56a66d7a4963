"""Keyboard, colours, camera and labels of live view and player, and what their pages may do."""

import colorsys

import numpy as np
import pytest
from pages import LIVE, pixel_of, quiet, served, until, wait
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import pyphys2d as p2
from pyphys2d import _view
from pyphys2d._live import Session


@pytest.fixture
def browser(chromium):
    """A message of a page's console is an error, but for advice on canvases that tests read."""
    with quiet(chromium, "getImageData"):
        yield chromium


def some_world():
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static", name="floor")
    world.add_body(p2.Box(1, 1), (0, 0.5), name="box")
    world.add_body(p2.Circle(0.5), (3, 0.5), name="ball", awake=False)
    world.add_body(p2.Polygon([(0, 0), (1, 0), (0, 1)]), (-3, 0), name="wedge", awake=False)
    return world


def open_live(browser, url):
    browser.get(url)
    wait(browser, LIVE)
    return browser.find_element(By.CSS_SELECTOR, "canvas")


def color_at(browser, view, body, dx=0.25, dy=0.25):
    """The colour at a point of a body, which does not turn: metres from its origin."""
    return tuple(
        browser.execute_script(
            f"const r = {view}.stage.renderer, [x, y] = r.placeOf(arguments[0]);"
            "const s = r.camera.scale;"
            "return [...r.context.getImageData((x + arguments[1] * s) * r.ratio,"
            " (y - arguments[2] * s) * r.ratio, 1, 1).data].slice(0, 3)",
            body, dx, dy,
        )
    )  # fmt: skip


def choose_color(browser, canvas, view, name):
    """By the key M, until it is chosen."""
    for _ in range(6):
        if browser.execute_script(f"return {view}.stage.renderer.colorBy") == name:
            break
        canvas.send_keys("m")
    assert browser.execute_script(f"return {view}.stage.colors.value") == name
    wait(browser, f"!{view}.stage.request")


# ------------------------------------------------------------------------------------------ colours
def test_colours_of_a_live_view(browser):
    world = some_world()
    session = Session(world, view=(-5, -1, 5, 5))
    with served(session) as url:
        canvas = open_live(browser, url)
        wait(browser, "view.stage.renderer.camera.scale > 0 && !view.stage.request")
        found = {}
        for name in ("state", "body", "shape", "speed", "island"):
            choose_color(browser, canvas, "view", name)
            until(lambda name=name: session.clients and
                  next(iter(session.clients.values())).color == name, browser)  # fmt: skip
            wait(browser, "!view.stage.request")
            found[name] = [color_at(browser, "view", k, 0.2, 0.2) for k in (1, 2, 3)]
        assert found["state"][0] != found["state"][1] == found["state"][2]  # awake, asleep
        assert len(set(found["body"])) == 3
        assert len(set(found["shape"])) == 3
        # Of speeds: bright is fast, and the scale ends at the highest.
        world.bodies[1].velocity = (8, 0)
        world.bodies[2].velocity = (3, 0)
        choose_color(browser, canvas, "view", "speed")
        wait(browser, "view.stage.renderer.topSpeed > 7.9 && !view.stage.request")
        speeds = [color_at(browser, "view", k, 0.2, 0.2) for k in (1, 2, 3)]
        luminance = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in speeds]
        assert luminance[0] > luminance[1] > luminance[2]
        browser.get("about:blank")


def test_islands_have_colours_of_their_own(browser):
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(0.5, 0.5), [(-3, 0.25), (-3, 0.75), (0, 0.25), (0, 0.75)])
    for _ in range(3):
        world.step()
    session = Session(world, view=(-5, -1, 5, 5))
    with served(session) as url:
        canvas = open_live(browser, url)
        choose_color(browser, canvas, "view", "island")
        wait(browser, "view.stage.renderer.frame.islands && !view.stage.request")
        a, b, c, d = [color_at(browser, "view", k, 0.1, 0.1) for k in (1, 2, 3, 4)]
        assert a == b
        assert c == d
        assert a != c
        # Colours, not greys.
        assert colorsys.rgb_to_hsv(*(value / 255 for value in a))[1] > 0.1
        browser.get("about:blank")


def test_colours_of_the_player(browser, tmp_path):
    world = some_world()
    world.bodies[1].velocity = (4, 0)
    path = tmp_path / "run.html"
    p2.simulate(world, 0.5).to_html(path, autoplay=False)
    browser.get(path.as_uri())
    wait(browser, "globalThis.player")
    canvas = browser.find_element(By.CSS_SELECTOR, "canvas")
    options = [each.get_attribute("value") for each in browser.find_elements(
        By.CSS_SELECTOR, "select[aria-label='Colour by'] option")]  # fmt: skip
    assert options == ["state", "body", "shape", "speed"]  # islands need contacts
    found = {}
    for name in options:
        choose_color(browser, canvas, "player", name)
        found[name] = [color_at(browser, "player", k, 0.2, 0.2) for k in (1, 2, 3)]
    assert found["state"][0] != found["state"][1]
    assert len(set(found["body"])) == len(set(found["shape"])) == 3
    assert found["speed"][0] != found["speed"][1]


# ------------------------------------------------------------------------------------------- layers
def drawn_boxes(browser, view, layer):
    """The boxes that a layer draws, as rows, in the world."""
    rows, columns, origin = browser.execute_script(
        f"const {{ renderer }} = {view}.stage, found = [];"
        "renderer.drawBoxes = (boxes, columns) => found.push([[...boxes], columns]);"
        "const before = {...renderer.layers};"
        "for (const name of ['bounds', 'tree', 'islands']) renderer.layers[name] = false;"
        "renderer.layers[arguments[0]] = true;"
        "renderer.draw();"
        "delete renderer.drawBoxes; renderer.layers = before;"
        "return [...found[0], renderer.drawing.origin]",
        layer,
    )
    boxes = np.reshape(np.array(rows, float), (-1, columns))
    boxes[:, :4] += [*origin, *origin]
    return boxes


def shapes_of_all_kinds():
    world = p2.World()
    world.add_body(p2.Chain([(-9, 1), (-3, 0), (3, 0), (9, 1)]), kind="static")
    shapes = (
        p2.Box(1, 0.5), p2.Circle(0.4), p2.Capsule((-0.4, 0), (0.3, 0.2), 0.2),
        p2.Polygon([(0, 0), (1, 0), (0, 1)]), p2.Box(0.8, 0.8, radius=0.1),
        p2.Polygon([(0, 0), (2, 0), (2, 0.4), (0.4, 0.4), (0.4, 1.2), (0, 1.2)]),
    )  # fmt: skip
    for k, shape in enumerate(shapes):
        world.add_body(shape, (1.5 * k - 4, 1.5 + 0.4 * k), angle=0.4 * k, angular_velocity=2)
    return world


def test_bounds_and_their_tree_in_the_player(browser, tmp_path):
    path = tmp_path / "run.html"
    p2.simulate(shapes_of_all_kinds(), 1.0).to_html(path, autoplay=False)
    browser.get(path.as_uri())
    wait(browser, "globalThis.player")

    def nodes(count):
        return 1 if count <= 4 else 1 + nodes(count // 2) + nodes(count - count // 2)

    world = shapes_of_all_kinds()
    for frame in (0, 31, 60):
        while world.step_count < frame:
            world.step()
        browser.execute_script("player.seek(arguments[0])", frame)
        boxes = drawn_boxes(browser, "player", "bounds")
        # Places are on a lattice of the view, corners of rounded outlines on chords.
        assert np.abs(boxes - world.aabbs.reshape(-1, 4)).max() < 2e-3
        tree = drawn_boxes(browser, "player", "tree")
        assert len(tree) == nodes(len(boxes))
        root = tree[tree[:, 4].argmax()]
        assert (root[:2] == boxes[:, :2].min(axis=0)).all()
        assert (root[2:4] == boxes[:, 2:].max(axis=0)).all()
        # Each of height 1 holds up to four bounds, and each bounds lies in one.
        lowest = tree[tree[:, 4] == 1]
        inside = (lowest[:, None, :2] <= boxes[:, :2]) & (boxes[:, 2:] <= lowest[:, None, 2:4])
        assert inside.all(axis=2).any(axis=0).all()


def test_the_tree_of_a_live_view_is_that_of_the_world(browser):
    world = shapes_of_all_kinds()
    with served(Session(world)) as url:
        canvas = open_live(browser, url)
        canvas.send_keys("e")
        wait(browser, "view.stage.renderer.frame.tree")
        found = drawn_boxes(browser, "view", "tree")
        nodes = world.tree()
        inner = nodes[nodes["height"] > 0]
        expected = np.concatenate([inner["lower"], inner["upper"]], axis=1)
        assert len(found) == len(expected) > 3
        assert np.abs(found[:, :4] - expected).max() < 1e-5
        assert found[:, 4].tolist() == inner["height"].tolist()
        browser.get("about:blank")


def connected(run, frame):
    """Of each body the first that contacts and joints connect it with, -1 if it is not dynamic."""
    pairs = []
    for rows, ends in ((run.contacts, run.contact_offsets), (run.joints, run.joint_offsets)):
        part = rows[ends[frame] : ends[frame + 1]]
        pairs.append(np.column_stack([part["body_a"], part["body_b"]]))
    pairs = np.concatenate(pairs)
    moving = run.kinds == 2
    a, b = pairs[(pairs >= 0).all(axis=1) & moving[pairs].all(axis=1)].T
    count = len(run.kinds)
    graph = csr_array((np.ones(len(a)), (a, b)), (count, count))
    _, labels = connected_components(graph, directed=False)
    first = [labels.tolist().index(label) for label in labels]
    return np.where(moving, first, -1).tolist()


def test_islands_of_the_player(browser, tmp_path):
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(0.5, 0.5), [(-3, 0.25), (-3, 0.75), (0, 0.25), (0, 0.9), (0.6, 2)])
    hanging = world.add_body(p2.Circle(0.2), (3, 3))
    world.add_distance_joint(hanging, world.bodies[4], length=4)
    world.add_revolute_joint(None, hanging, anchor=(3, 3))
    run = p2.simulate(world, 1.0, contacts=True)
    path = tmp_path / "run.html"
    run.to_html(path, autoplay=False)
    browser.get(path.as_uri())
    wait(browser, "globalThis.player")
    canvas = browser.find_element(By.CSS_SELECTOR, "canvas")
    choose_color(browser, canvas, "player", "island")
    seen = set()
    for frame in (0, 5, 20, len(run) - 1):
        browser.execute_script("player.seek(arguments[0])", frame)
        found = browser.execute_script("return [...player.stage.renderer.islandsByRoot()]")
        assert found == connected(run, frame)
        seen.add(tuple(found))
        boxes = drawn_boxes(browser, "player", "islands")
        assert len(boxes) == len(set(found) - {-1})
    assert len(seen) > 1
    # All rest: the engine has the same.
    numbers = world.islands.tolist()
    assert found == [-1 if k < 0 else numbers.index(k) for k in numbers]
    wait(browser, "!player.stage.request")
    a, b, c = [color_at(browser, "player", k, 0.1, 0.1) for k in (1, 2, 3)]
    assert a == b != c


# ------------------------------------------------------------------------------------------- camera
def middle(browser, view):
    return browser.execute_script(f"const c = {view}.stage.renderer.camera; return [c.x, c.y]")


def test_the_camera_goes_along_with_a_body(browser):
    world = p2.World((0, 0))
    flyer = world.add_body(p2.Box(1, 1), (0, 0), velocity=(5, 1), name="flyer")
    other = world.add_body(p2.Box(1, 1), (3, 2), name="other")
    session = Session(world, view=(-6, -4, 6, 4), follow="flyer")
    with served(session) as url:
        canvas = open_live(browser, url)
        wait(browser, "view.stage.renderer.follow === 0")
        session.play()
        until(lambda: flyer.position[0] > 8, browser)
        session.play(False)
        wait(browser, "!view.stage.request")
        until(lambda: np.allclose(middle(browser, "view"), flyer.position - session._origin,
              atol=1e-3), browser)  # fmt: skip
        button = browser.find_element(By.CSS_SELECTOR, "[aria-label='Follow a body']")
        assert button.get_attribute("aria-pressed") == "true"
        canvas.send_keys("0")  # all is shown, and none is followed
        assert button.get_attribute("aria-pressed") == "false"
        # By a double click, to none by a key, to the next by another.
        other.position = flyer.position + np.array([2, 1])
        wait(browser, "view.stage.renderer.placeOf(1)[0] > view.stage.renderer.width")
        canvas.send_keys("0")  # and what has left that view
        wait(browser, "view.stage.renderer.placeOf(1)[0] < view.stage.renderer.width - 10")
        x, y = pixel_of(browser, 1)
        ActionChains(browser).move_to_element_with_offset(canvas, x, y).double_click().perform()
        wait(browser, "view.stage.renderer.follow === 1")
        canvas.send_keys(Keys.ESCAPE)
        assert browser.execute_script("return view.stage.renderer.follow") == -1
        canvas.send_keys("f")
        assert browser.execute_script("return view.stage.renderer.follow") == 0
        # From Python, at any time.
        session.set_follow(other)
        wait(browser, "view.stage.renderer.follow === 1")
        browser.get("about:blank")


def test_the_player_follows(browser, tmp_path):
    world = p2.World((0, 0))
    world.add_body(p2.Box(1, 1), (0, 3))
    world.add_body(p2.Circle(0.5), velocity=(40, 0), name="comet")
    run = p2.simulate(world, 5.0)
    path = tmp_path / "run.html"
    run.to_html(path, autoplay=False, follow="comet")
    browser.get(path.as_uri())
    wait(browser, "globalThis.player")
    scale = browser.execute_script("return player.stage.renderer.camera.scale")
    for frame in (0, len(run) // 2, len(run) - 1):
        browser.execute_script("player.seek(arguments[0])", frame)
        wait(browser, "!player.stage.request")
        x, _ = np.add(middle(browser, "player"),
                      browser.execute_script("return player.run.header.origin"))  # fmt: skip
        assert x == pytest.approx(run.positions[frame, 1, 0], abs=0.1 / scale)
    assert scale > 20  # pixels a metre; the whole way would be 200 m


# ----------------------------------------------------------------------------------------- hatching
def test_strokes_of_chains_are_those_of_the_pictures(browser, tmp_path):
    """Of a line that leaves the paper on all sides, by the second implementation in NumPy."""
    world = p2.World()
    world.add_body(p2.Circle(1))
    path = tmp_path / "run.html"
    page = p2.simulate(world, 0.1).to_html().replace(
        "const root =", "globalThis.hatching = hatching; const root ="
    )  # fmt: skip
    page = page.replace("script-src ", "script-src 'unsafe-inline' ", 1)
    page = page.replace(page[page.index("'sha256-") : page.index("; style-src")], "", 1)
    path.write_text(page)
    browser.get(path.as_uri())
    wait(browser, "globalThis.player")
    random = np.random.default_rng(4)
    for closed in (False, True):
        angles = np.linspace(0, 2 * np.pi, 14, endpoint=False)
        radii = random.uniform(150, 240, 14)
        points = np.column_stack([np.cos(angles), np.sin(angles)]) * radii[:, None] + (200, 150)
        found = browser.execute_script(
            "return hatching(new Float64Array(arguments[0]), arguments[1], 400, 300, 9, 6.3)",
            points.ravel().tolist(), closed,
        )  # fmt: skip
        start = points if closed else points[:-1]
        end = np.roll(points, -1, axis=0) if closed else points[1:]
        wide = np.array([[-1e6, -1e6], [1e6, 1e6]])
        expected = _view.hatching(start, end, wide, spacing=9, length=6.3, down=True)
        # Those whose foot is on the paper; there they are where they are for the whole line.
        feet = expected[:, 0]
        seen = ((feet >= 0) & (feet <= (400, 300))).all(axis=1)
        assert 20 < seen.sum() < len(seen)
        np.testing.assert_allclose(np.reshape(found, (-1, 2, 2)), expected[seen], atol=1e-6)


def test_the_solid_side_of_a_chain_is_hatched(browser):
    world = p2.World()
    ground = world.add_body(kind="static")
    ground.attach(p2.Chain([(-6, 0), (0, 0), (6, 0)]))  # solid below: on the right of who walks
    world.add_body(p2.Circle(0.5), (0, 2))
    session = Session(world, view=(-6, -2, 6, 4))
    with served(session) as url:
        open_live(browser, url)
        wait(browser, "!view.stage.request")
        above, below = browser.execute_script(
            "const r = view.stage.renderer; r.layers.grid = false; r.draw();"
            "const [, y] = r.toPixel(0, 0), [x0] = r.toPixel(-5, 0), [x1] = r.toPixel(5, 0);"
            "const paper = r.context.getImageData(2, 2, 1, 1).data;"
            "const dark = (from, height) => { const d = r.context.getImageData(x0, from, x1 - x0,"
            " height).data; let n = 0; for (let k = 0; k < d.length; k += 4)"
            " n += d[k] < paper[0] - 40; return n; };"
            "return [dark(Math.round(y) - 6, 4), dark(Math.round(y) + 2, 4)]"
        )
        assert above == 0
        assert below > 100
        browser.get("about:blank")


# ----------------------------------------------------------------------------------------- keyboard
def test_frames_of_one_time_and_after_a_rewind_are_played(browser, tmp_path):
    """They follow each other at the pace of the run, each with the time that it has."""
    world = some_world()
    start = world.snapshot()
    with world.record() as rewound:
        world.step(1 / 60, n=6)
        world.restore(start)
        world.step(1 / 60, n=6)
    posed = p2.Trajectory()
    for k in range(12):
        world.bodies[1].position = (0.2 * k, 3)
        posed.add_frame(world)
    for run in (rewound, posed):
        path = tmp_path / "run.html"
        run.to_html(path, autoplay=False)
        browser.get(path.as_uri())
        wait(browser, "globalThis.player?.stage.renderer.frame")
        for k in range(len(run.times)):
            frame, time, x = browser.execute_script(
                f"player.seek({k}); const f = player.stage.renderer.frame;"
                "return [player.frame, f.time, f.poses[3] + player.run.drawing.origin[0]]"
            )
            assert (frame, time) == (k, pytest.approx(run.times[k]))
            assert x == pytest.approx(run.positions[k, 1, 0], abs=0.01)
        pace = np.median(np.diff(run.times)[np.diff(run.times) > 0]) if run is rewound else 1 / 60
        duration = browser.execute_script("return player.run.duration")
        assert duration == pytest.approx((len(run.times) - 1) * pace)
        browser.execute_script("player.seek(0); player.setLoop(false); player.play()")
        wait(browser, f"player.frame === {len(run.times) - 1}")


def test_joints_of_a_wrapped_world_in_the_player(browser, tmp_path):
    """No line is longer than the joint and its arms: none runs across the world at a seam."""
    world = p2.World((0, 0), wrap=(10, np.inf))
    a = world.add_body(p2.Box(1, 1), (9.5, 0), velocity=(1, 0))
    b = world.add_body(p2.Box(1, 1), (0.8, 0), velocity=(1, 0))
    world.add_distance_joint(a, b, anchor_a=(9.7, 0), anchor_b=(0.8, 0))
    path = tmp_path / "run.html"
    p2.simulate(world, 1.0).to_html(path, autoplay=False)
    browser.get(path.as_uri())
    wait(browser, "globalThis.player?.stage.renderer.frame")
    for frame in range(60):
        points = browser.execute_script(
            f"return [...player.run.at({frame}, 0.5).jointPoints].map(Number)"
        )
        lines = np.array(points).reshape(-1, 2, 2)
        assert len(lines) == 3
        lengths = np.hypot(*(lines[:, 1] - lines[:, 0]).T)
        assert sorted(lengths) == pytest.approx([0, 0.2, 1.1], abs=0.03)


def test_a_body_is_thrown_by_keys_alone(browser):
    world = some_world()
    box = world.bodies[1]
    session = Session(world, view=(-8, -1, 8, 8))
    with served(session) as url:
        browser.get(url)
        wait(browser, LIVE)
        keys = ActionChains(browser)
        keys.send_keys(Keys.TAB).perform()  # to the canvas, the first thing of the page
        assert browser.execute_script("return document.activeElement.tagName") == "CANVAS"
        keys.send_keys(" ").perform()
        until(lambda: world.step_count > 0, browser)
        keys.send_keys("f", Keys.ENTER).perform()
        until(lambda: len(world.joints) == 1, browser)
        for _ in range(16):
            keys.send_keys(Keys.ARROW_UP)
        keys.perform()
        until(lambda: box.position[1] > 1.5, browser)
        for _ in range(6):
            keys.send_keys(Keys.ARROW_RIGHT)
        keys.perform()
        until(lambda: box.position[0] > 0.3, browser)
        keys.send_keys(Keys.ENTER).perform()
        until(lambda: len(world.joints) == 0, browser)
        until(lambda: box.position[1] < 1.0, browser)  # it fell
        assert box.position[0] > 0.3
        browser.get("about:blank")


def test_controls_stay_where_they_are_while_bodies_come(browser):
    """A slider keeps its drag, and the focus, when the scene is sent anew."""
    world, taken = some_world(), []

    def more(world, step):
        if step % 10 == 0:
            world.add_body(p2.Circle(0.1), (-4 + step % 7, 6))

    session = Session(world, view=(-8, -1, 8, 8), before_step=more, playing=True)
    session.add_control("slider", "push", None, taken.append, value=0.0, min=0, max=1, step=0.01)
    session.add_control("button", "more", None, lambda _: taken.append("button"))
    with served(session) as url:
        open_live(browser, url)
        slider = browser.find_element(By.CSS_SELECTOR, "input[type=range]")
        count = len(world.bodies)
        drag = ActionChains(browser).click_and_hold(slider)
        for _ in range(8):
            drag.pause(0.15).move_by_offset(5, 0)
        drag.release().perform()
        assert len(world.bodies) > count + 2
        assert len(set(taken)) > 5  # each part of the way
        button = browser.find_element(By.XPATH, "//button[text()='more']")
        button.send_keys(Keys.ENTER)
        count = len(world.bodies)
        until(lambda: len(world.bodies) > count + 2, browser)
        assert browser.execute_script("return document.activeElement.textContent") == "more"
        browser.switch_to.active_element.send_keys(Keys.ENTER)
        until(lambda: taken.count("button") == 2, browser)
        browser.get("about:blank")


def test_layers_speed_and_clicks_by_keys(browser):
    world, clicked = some_world(), []
    session = Session(world, view=(-8, -1, 8, 8))
    session.on_click = lambda point, body: clicked.append((point, body and body.name))
    with served(session) as url:
        canvas = open_live(browser, url)
        layers = [
            "contacts",
            "normals",
            "velocities",
            "bounds",
            "joints",
            "trails",
            "grid",
            "islands",
            "tree",
            "names",
        ]
        for key, layer in zip("cnvbjtgiea", layers, strict=True):
            before = browser.execute_script(f"return view.stage.renderer.layers.{layer}")
            canvas.send_keys(key)
            assert browser.execute_script(f"return view.stage.renderer.layers.{layer}") != before
        canvas.send_keys("[")
        until(lambda: session.speed == 0.5, browser)
        canvas.send_keys("]]")
        until(lambda: session.speed == 2, browser)
        canvas.send_keys("k")
        until(lambda: len(clicked) == 1, browser)
        assert clicked[0][0] == pytest.approx((0, 3.5), abs=0.05)
        canvas.send_keys("f", "k")
        until(lambda: len(clicked) == 2, browser)
        assert clicked[1][1] == "box"
        wait(browser, "view.stage.note.textContent.startsWith('box (dynamic) at (0.00, 0.5')")
        browser.get("about:blank")


def test_a_click_on_a_body_that_could_be_dragged(browser):
    world, clicked = some_world(), []
    session = Session(world, view=(-8, -1, 8, 8))
    session.on_click = lambda point, body: clicked.append(body)
    with served(session) as url:
        canvas = open_live(browser, url)
        x, y = pixel_of(browser, 1)
        ActionChains(browser).move_to_element_with_offset(canvas, x, y).click().perform()
        until(lambda: clicked == [world.bodies[1]], browser)
        assert world.bodies[1].position == pytest.approx((0, 0.5))
        browser.get("about:blank")


def test_the_keys_are_listed(browser):
    with served(Session(some_world())) as url:
        canvas = open_live(browser, url)
        canvas.send_keys("?")
        wait(browser, "view.stage.help.querySelector('dd')")
        text = browser.find_element(By.CSS_SELECTOR, "[role=group][aria-label=Keys]").text
        for words in ("Take the body that is chosen", "Start again", "Arrows", "Full stop"):
            assert words in text
        keys = browser.execute_script(
            "return [...view.stage.keys.values()].map(([label]) => label)"
        )
        assert all(label in text for label in keys)
        ActionChains(browser).send_keys(Keys.ESCAPE).perform()
        wait(browser, "!view.stage.help.open")
        browser.get("about:blank")


def test_a_world_that_waits_says_how_it_runs(browser):
    with served(Session(some_world())) as url:
        canvas = open_live(browser, url)
        wait(browser, "view.stage.note.textContent === 'The world waits.'")
        browser.find_element(By.CSS_SELECTOR, ".start").click()
        wait(browser, "view.playing && view.stage.note.textContent === ''")
        assert not browser.find_element(By.CSS_SELECTOR, ".start").is_displayed()
        # The keys are its own from then on.
        ActionChains(browser).send_keys(" ").perform()
        wait(browser, "!view.playing")
        canvas.send_keys(" ")
        wait(browser, "view.playing")
        browser.get("about:blank")


def test_a_view_says_when_nobody_answers(browser):
    with served(Session(some_world())) as url:
        canvas = open_live(browser, url)
        browser.execute_script("globalThis.kept = view.link; view.link = { send() {} }")
        canvas.send_keys(" ")
        wait(browser, "view.stage.note.textContent.startsWith('Python does not answer')")
        browser.execute_script("view.link = kept")
        canvas.send_keys(" ")
        wait(browser, "view.playing && view.stage.note.textContent === ''")
    wait(browser, "view.stage.note.textContent === 'The program has ended.'")
    canvas.send_keys(" ")
    browser.get("about:blank")


# --------------------------------------------------------------- labels, and what may leave a page
def named(browser):
    """Role and name of all that a keyboard can reach, as screen readers have them."""
    tree = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    found = []
    for node in tree:
        given = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
        role = node.get("role", {}).get("value")
        if given.get("focusable") and role not in ("RootWebArea", "Iframe"):
            found.append((role, node.get("name", {}).get("value", "")))
    return found


def check_page(browser, page):
    """Nothing was loaded, and nothing of elsewhere is named."""
    loaded = browser.execute_script("return performance.getEntriesByType('resource').length")
    assert loaded == 0
    policy = browser.find_element(By.CSS_SELECTOR, "meta[http-equiv]").get_attribute("content")
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    # What the policy forbids does not happen: neither another script nor a request.
    outcome = browser.execute_async_script(
        "const done = arguments[0], script = document.createElement('script');"
        "script.textContent = 'globalThis.injected = true'; document.body.append(script);"
        "fetch('https://example.org/').then(() => done(['sent', globalThis.injected]),"
        " () => done(['refused', globalThis.injected]))"
    )
    assert outcome == ["refused", None]
    log = [each["message"] for each in browser.get_log("browser")]
    assert all("Content Security Policy" in each or "example.org" in each for each in log)
    assert len(log) >= 2


def test_labels_and_policy_of_a_live_page(browser):
    session = Session(some_world(), title="A box, a ball and a wedge")
    session.add_settings()
    session.add_control("button", "Shoot", None, lambda value: None)
    session.add_control("toggle", "Wind", lambda: False, lambda value: None)
    with served(session) as url:
        open_live(browser, url)
        wait(browser, "document.querySelectorAll('.panel label').length >= 4")
        controls = named(browser)
        assert len(controls) > 14
        assert [each for each in controls if not each[1].strip()] == []
        assert ("application", "A box, a ball and a wedge") in [
            (role.lower(), name) for role, name in controls
        ]
        check_page(browser, url)
        browser.get("about:blank")
    browser.get_log("browser")


def test_labels_and_policy_of_the_player(browser, tmp_path):
    path = tmp_path / "run.html"
    p2.simulate(some_world(), 0.5, contacts=True).to_html(path, autoplay=False)
    browser.get(path.as_uri())
    wait(browser, "globalThis.player")
    controls = named(browser)
    assert len(controls) > 10
    assert [each for each in controls if not each[1].strip()] == []
    check_page(browser, path)


def test_without_scripts_there_is_a_picture(browser, tmp_path):
    """As on pages that show notebooks and take scripts out."""
    run = p2.simulate(some_world(), 0.5)
    path = tmp_path / "run.html"
    run.to_html(path)
    (tmp_path / "notebook.html").write_text(
        f"<!DOCTYPE html><meta charset='utf-8'>{run._repr_html_()}"
    )
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        for name in ("run.html", "notebook.html"):
            browser.get((tmp_path / name).as_uri())
            picture = browser.find_element(By.CSS_SELECTOR, "img")
            assert picture.is_displayed()
            assert picture.size["width"] > 200
            assert picture.get_attribute("alt").endswith("the last frame")
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
