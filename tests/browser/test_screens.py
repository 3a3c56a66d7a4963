"""Screens of all kinds: with more pixels than the page counts, as small as a phone, and touched."""

import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from pages import LIVE, SETTLED, picture, pixel_of, quiet, served, until, wait
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

import pyphys2d as p2
from pyphys2d import geometry, play
from pyphys2d._live import Session


@pytest.fixture
def screen(chromium):
    """Makes the screen another one: width, height, pixels to one of the page, whether a phone."""

    def choose(width, height, ratio, phone=False):
        size = {"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": phone}
        chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        touch = {"enabled": phone, "maxTouchPoints": 5 if phone else 1}
        chromium.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", touch)

    with quiet(chromium, "getImageData"):
        yield choose
        chromium.get("about:blank")
        chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        chromium.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


SHAPES = [
    p2.Box(1.3, 0.7),
    p2.Circle(0.45),
    p2.Polygon([(-0.5, -0.4), (0.7, -0.3), (0.1, 0.8)]),
    p2.Capsule((-0.4, 0), (0.4, 0.2), 0.25),
]
VIEW = (-4, -2, 4, 2)


def shapes_that_wait():
    world = p2.World((0, 0))
    for k, shape in enumerate(SHAPES):
        world.add_body(shape, (2 * k - 3, 0.5 * (k % 2)), angle=0.4 * k + 0.2)
    return world


@pytest.mark.parametrize("ratio", [1, 2, 3])
def test_the_canvas_has_the_pixels_of_the_screen(chromium, screen, ratio):
    browser = chromium
    screen(400, 300, ratio)
    with served(Session(shapes_that_wait(), view=VIEW)) as url:
        browser.get(url)
        wait(browser, SETTLED)
        browser.execute_script("view.stage.say(''); view.start.hidden = true")
        size, css, corner = browser.execute_script(
            "const { canvas } = view.stage, box = canvas.getBoundingClientRect();"
            "return [[canvas.width, canvas.height], [box.width, box.height], [box.left, box.top]]"
        )
        assert size == [ratio * value for value in css]
        # Each of them is one of the screen, as it is: nothing is scaled and blurred.
        own = picture(browser)
        shot = plt.imread(io.BytesIO(browser.get_screenshot_as_png()), "png")[..., :3]
        left, top = (round(ratio * value) for value in corner)
        shown = np.rint(255 * shot[top : top + size[1], left : left + size[0]])
        inner = slice(8 * ratio, -8 * ratio)  # without round corners and the line around
        assert np.abs(shown - own)[inner, inner].max() <= 1
        assert len(np.unique(own.reshape(-1, 3), axis=0)) > 3
        browser.get("about:blank")


@pytest.mark.parametrize("ratio", [1, 2, 3])
def test_bodies_are_drawn_and_picked_where_they_are(chromium, screen, ratio):
    """By the distances of shapes from points: picked from 4 pixels beside their outlines on."""
    browser = chromium
    screen(400, 300, ratio)
    world = shapes_that_wait()
    poses = [(*body.position.tolist(), body.angle) for body in world.bodies]
    points = np.random.default_rng(ratio).uniform((-4, -1.5), (4, 1.5), (400, 2))
    gaps = [
        [
            geometry.distance(shape, p2.Circle(1e-9), pose, (*point, 0)).distance
            for shape, pose in zip(SHAPES, poses, strict=True)
        ]
        for point in points.tolist()
    ]
    with served(Session(world, view=VIEW)) as url:
        browser.get(url)
        wait(browser, SETTLED)
        browser.execute_script("view.stage.setLayer('grid', false)")
        wait(browser, SETTLED)
        scale, picked, pixels = browser.execute_script(
            "const { renderer } = view.stage;"
            "const places = arguments[0].map((p) => renderer.toPixel(...p));"
            "return [renderer.camera.scale, places.map((p) => renderer.pick(...p)), places]",
            points.tolist(),
        )
        own = picture(browser)
        browser.get("about:blank")
    beside = np.min(gaps, axis=1) * scale
    nearest = np.argmin(gaps, axis=1)
    sure = np.abs(beside - 4) > 0.5
    expected = np.where(beside < 4, nearest, -1)
    assert (np.array(picked) == expected)[sure].all()
    assert 60 < (beside < 4).sum() < 340
    x, y = np.floor(np.array(pixels) * ratio).astype(int).T
    drawn = (own[y, x] != own[0, 0]).any(axis=1)
    assert drawn[beside == 0].all()
    # A line of 0.6 pixels of the page to both sides, and one of the screen that is shaded.
    assert not drawn[beside > 0.6 + 1.5 / ratio].any()


@pytest.mark.parametrize("ratio", [2, 3])
def test_a_body_is_thrown_on_a_fine_screen(chromium, screen, ratio):
    browser = chromium
    screen(600, 420, ratio)
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    box = world.add_body(p2.Box(1, 1), (0, 0.5))
    session = Session(world, playing=True, view=(-8, -1, 8, 8))
    with served(session) as url:
        browser.get(url)
        wait(browser, LIVE)
        canvas = browser.find_element(By.CSS_SELECTOR, "canvas")
        x, y = pixel_of(browser, box.index)
        scale = browser.execute_script("return view.stage.renderer.camera.scale")
        hand = ActionChains(browser, duration=20)
        hand.move_to_element_with_offset(canvas, x, y).click_and_hold()
        hand.move_by_offset(0, -round(4 * scale)).perform()
        until(lambda: abs(box.position[1] - 4.5) < 0.2, browser)  # it hangs below the pointer
        hand = ActionChains(browser, duration=10)
        for _ in range(6):
            hand.move_by_offset(20, 0)
        hand.release().perform()
        until(lambda: len(world.joints) == 0, browser)
        until(lambda: box.position[1] < 1, browser)
        assert box.position[0] > 0.5
        browser.get("about:blank")


# Chromium tells pages of another ratio, but not where it is emulated: the test tells them.
TELL = """
const match = globalThis.matchMedia.bind(globalThis);
globalThis.matchMedia = (query) => {
  const list = match(query);
  if (query.includes("dppx")) globalThis.tell = () => list.dispatchEvent(new Event("change"));
  return list;
};
"""


def test_a_window_that_comes_to_a_finer_screen_is_drawn_anew(chromium, screen):
    browser = chromium
    add = {"source": TELL}
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", add)
    screen(400, 300, 1)
    with served(Session(shapes_that_wait(), view=VIEW)) as url:
        browser.get(url)
        wait(browser, SETTLED)
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        camera = "return [view.stage.renderer.camera.x, view.stage.renderer.camera.scale]"
        before = browser.execute_script(camera)
        for ratio in (2, 3, 1):
            screen(400, 300, ratio)
            browser.execute_script("tell()")
            wait(browser, f"view.stage.canvas.width === {ratio} * view.stage.canvas.clientWidth")
            assert browser.execute_script(camera) == before
        browser.get("about:blank")


# ------------------------------------------------------------------------------------------- phones
def touch(browser, kind, *points):
    rows = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
    browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": rows})


def outside(browser):
    """Controls that are not on the page as a whole."""
    return browser.execute_script(
        "return [...document.querySelectorAll('button, select, summary, input')]"
        ".filter((each) => each.checkVisibility()).map((each) =>"
        " [each.getAttribute('aria-label') ?? each.textContent, each.getBoundingClientRect()])"
        ".filter(([, box]) => box.left < 0 || box.right > innerWidth || box.top < 0"
        " || box.bottom > innerHeight).map(([name]) => name)"
    )


def small(browser):
    """Buttons and choices that are lower than a finger needs."""
    return browser.execute_script(
        "return [...document.querySelectorAll('.bar button, select, .bar summary')]"
        ".filter((each) => each.getBoundingClientRect().height < 36)"
        ".map((each) => each.getAttribute('aria-label'))"
    )


@pytest.mark.parametrize("size", [(360, 640), (640, 360)])
@pytest.mark.parametrize("name", ["grabbing", "normals", "collision", "tunneling"])
def test_demos_fit_a_phone(chromium, screen, name, size):
    browser = chromium
    screen(*size, 2, phone=True)
    with served(play.session(name)) as url:
        browser.get(url)
        wait(browser, LIVE)
        assert outside(browser) == []
        assert small(browser) == []
        wide = "return document.documentElement.scrollWidth - innerWidth"
        assert browser.execute_script(wide) == 0
        assert browser.execute_script("return view.stage.canvas.clientHeight") > 100
        browser.get("about:blank")


def test_the_player_fits_a_phone(chromium, screen, tmp_path):
    browser = chromium
    path = tmp_path / "run.html"
    p2.simulate(shapes_that_wait(), 0.5, contacts=True).to_html(path, autoplay=False)
    for size in ((360, 640), (640, 360)):
        screen(*size, 3, phone=True)
        browser.get(path.as_uri())
        wait(browser, "globalThis.player")
        assert outside(browser) == []
        assert small(browser) == []


def test_a_finger_throws_a_body_and_two_zoom(chromium, screen):
    browser = chromium
    screen(360, 640, 3, phone=True)
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    box = world.add_body(p2.Box(1, 1), (0, 0.5))
    with served(Session(world, playing=True, view=(-4, -1, 4, 8))) as url:
        browser.get(url)
        wait(browser, LIVE)
        x, y = browser.execute_script(
            "const box = view.stage.canvas.getBoundingClientRect();"
            "const [x, y] = view.stage.renderer.placeOf(1); return [x + box.left, y + box.top]"
        )
        touch(browser, "touchStart", (x, y))
        until(lambda: len(world.joints) == 1, browser)
        for k in range(1, 13):
            touch(browser, "touchMove", (x, y - 10 * k))
        until(lambda: box.position[1] > 2, browser)
        for k in range(1, 7):
            touch(browser, "touchMove", (x + 12 * k, y - 120))
        touch(browser, "touchEnd")
        until(lambda: len(world.joints) == 0, browser)
        until(lambda: box.position[1] < 1, browser)
        assert box.position[0] > 0.3
        scale = "return view.stage.renderer.camera.scale"
        before = browser.execute_script(scale)
        touch(browser, "touchStart", (150, 200), (210, 200))
        for k in range(1, 7):
            touch(browser, "touchMove", (150 - 10 * k, 200), (210 + 10 * k, 200))
        touch(browser, "touchEnd")
        # The fingers were 60 pixels apart, and are 180 apart.
        assert browser.execute_script(scale) == pytest.approx(3 * before, rel=0.02)
        browser.get("about:blank")
