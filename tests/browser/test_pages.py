"""The player's page and the live page as their users have them."""

import time

import numpy as np
import pytest
from pages import pixel_of, served, wait
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

import pyphys2d as p2
from pyphys2d._live import Session

DRAWN = "globalThis.player && !player.stage.request"


def heap(count=12):
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(1, 0.6), [(0.3 * (k % 3), 0.5 + 0.8 * k) for k in range(count)])
    return world


def colors(browser):
    """How many colours the canvas shows."""
    return browser.execute_script(
        "const c = document.querySelector('canvas');"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "const seen = new Set();"
        "for (let k = 0; k < d.length; k += 4) seen.add(d[k] << 16 | d[k + 1] << 8 | d[k + 2]);"
        "return seen.size"
    )


# ------------------------------------------------------------------------------------------- player
@pytest.fixture(scope="module")
def run():
    return p2.simulate(heap(), 2.0)


@pytest.fixture(scope="module")
def page(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "run.html"
    run.to_html(path, autoplay=False)
    return path


def test_a_run_plays_from_a_file(browser, page):
    browser.get(page.as_uri())
    wait(browser, DRAWN)
    assert colors(browser) > 3
    assert browser.execute_script("return player.frame") == 0
    body = browser.find_element(By.CSS_SELECTOR, "canvas")
    body.send_keys(" ")
    wait(browser, "player.frame > 20")
    body.send_keys(" ")
    frame = browser.execute_script("return player.frame")
    time.sleep(0.2)
    assert browser.execute_script("return player.frame") == frame
    body.send_keys(".")
    assert browser.execute_script("return player.frame") == frame + 1


def test_every_frame_is_where_the_trajectory_has_it(browser, page, run):
    browser.get(page.as_uri())
    wait(browser, "globalThis.player")
    pixels = browser.execute_script("return player.stage.renderer.camera.scale")
    origin = browser.execute_script("return player.run.header.origin")
    for frame in (0, 1, 57, len(run) - 1):
        poses = browser.execute_script(
            "player.seek(arguments[0]); return [...player.stage.renderer.frame.poses]", frame
        )
        poses = np.reshape(poses, (-1, 3))
        off = poses[:, :2] + origin - run.positions[frame]
        assert np.abs(off).max() * pixels < 0.1
        assert np.abs(poses[:, 2] - run.angles[frame]).max() < 1e-4


def test_contacts_are_where_the_trajectory_has_them(browser, tmp_path):
    run = p2.simulate(heap(), 1.0, contacts=True)
    run.to_html(tmp_path / "run.html", autoplay=False)
    browser.get((tmp_path / "run.html").as_uri())
    wait(browser, "globalThis.player")
    browser.find_element(By.CSS_SELECTOR, "canvas").send_keys("c")
    for frame in (40, len(run) - 1):
        browser.execute_script("player.seek(arguments[0])", frame)
        found = browser.execute_script("return [...player.stage.renderer.frame.contacts]")
        origin = browser.execute_script("return player.run.header.origin")
        first, end = run.contact_offsets[frame : frame + 2]
        rows = run.contacts[first:end]
        assert len(rows) > 0
        places = np.reshape(found, (-1, 6))[:, :2] + origin
        assert np.abs(places - rows["point"]).max() < 0.01
    assert browser.execute_script("return player.stage.renderer.layers.contacts")


def test_joints_are_drawn_between_their_bodies(browser, tmp_path):
    world = p2.World()
    pivot = world.add_body(p2.Circle(0.1), (0, 3), kind="static")
    bob = world.add_body(p2.Circle(0.3), (2, 3))
    world.add_distance_joint(pivot, bob, length=2)
    run = p2.simulate(world, 1.0)
    run.to_html(tmp_path / "run.html", autoplay=False)
    browser.get((tmp_path / "run.html").as_uri())
    wait(browser, "globalThis.player")
    for frame in (0, 31, len(run) - 1):
        browser.execute_script("player.seek(arguments[0])", frame)
        joints, points, origin = browser.execute_script(
            "const { joints, jointPoints } = player.stage.renderer.frame;"
            "return [[...joints], [...jointPoints], player.run.header.origin]"
        )
        rows = np.reshape(joints, (-1, 3))
        (line,) = rows[rows[:, 0] == 1]
        a, b = np.reshape(points, (-1, 2))[line[1] : line[1] + 2] + origin
        assert np.abs(a - (0, 3)).max() < 0.01
        assert np.abs(b - run.positions[frame, 1]).max() < 0.01
    assert browser.execute_script("return player.stage.layerBoxes.joints.isConnected")


def test_a_long_run_opens_in_a_second(browser, tmp_path):
    world = p2.World((0, 0))
    random = np.random.default_rng(2)
    for side, place in (
        ((60, 1), (0, 30)),
        ((60, 1), (0, -30)),
        ((1, 60), (30, 0)),
        ((1, 60), (-30, 0)),
    ):
        world.add_body(p2.Box(*side), place, kind="static", restitution=1)
    grid = np.stack(np.meshgrid(np.linspace(-28, 28, 32), np.linspace(-28, 28, 31)), -1)
    world.add_bodies(
        p2.Circle(0.3),
        grid.reshape(-1, 2),
        velocity=random.normal(0, 5, (32 * 31, 2)),
        restitution=1,
        friction=0,
    )
    path = tmp_path / "gas.html"
    p2.simulate(world, 10).to_html(path)
    assert path.stat().st_size < 5e6
    browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    browser.get(path.as_uri())
    wait(browser, "globalThis.player && player.frame > 0")
    # CPU time of the page since it began to load, which is what it takes where nothing else runs.
    rows = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    browser.execute_cdp_cmd("Performance.disable", {})
    spent = {row["name"]: row["value"] for row in rows}
    assert 0.01 < spent["TaskDuration"] < 1
    assert colors(browser) > 3


def test_the_notebook_frame_plays_inside_a_page(browser, run, tmp_path):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><meta charset='utf-8'>{run._repr_html_()}")
    browser.get(path.as_uri())
    browser.switch_to.frame(browser.find_element(By.TAG_NAME, "iframe"))
    wait(browser, DRAWN)
    assert colors(browser) > 3
    browser.switch_to.default_content()


# --------------------------------------------------------------------------------------------- live
def test_a_body_is_dragged_and_thrown(browser):
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    box = world.add_body(p2.Box(1, 1), (0, 0.5), name="box")
    session = Session(world, playing=True, view=(-8, -1, 8, 8))
    with served(session) as url:
        browser.get(url)
        wait(browser, "globalThis.view && view.stage.renderer.frame")
        canvas = browser.find_element(By.CSS_SELECTOR, "canvas")
        x, y = pixel_of(browser, box.index)
        hand = ActionChains(browser, duration=20)
        hand.move_to_element_with_offset(canvas, x, y).click_and_hold()
        for _ in range(12):
            hand.move_by_offset(12, -12)
        hand.perform()
        WebDriverWait(browser, 10).until(lambda _: box.position[1] > 1.5)
        assert box.position[0] > 0.5
        hand = ActionChains(browser, duration=10)
        for _ in range(6):
            hand.move_by_offset(25, -5)
        hand.release().perform()
        WebDriverWait(browser, 5).until(lambda _: len(world.joints) == 0)
        assert len(world.joints) == 0
        browser.get("about:blank")


def test_buttons_pause_step_and_start_again(browser):
    world = heap()
    with served(Session(world, playing=True)) as url:
        browser.get(url)
        wait(browser, "globalThis.view && view.stage.renderer.frame && view.playing")
        canvas = browser.find_element(By.CSS_SELECTOR, "canvas")
        WebDriverWait(browser, 10).until(lambda _: world.step_count > 5)
        canvas.send_keys(" ")
        wait(browser, "!view.playing")
        count = world.step_count
        canvas.send_keys(".")
        WebDriverWait(browser, 5).until(lambda _: world.step_count == count + 1)
        canvas.send_keys("r")
        WebDriverWait(browser, 5).until(lambda _: world.step_count == 0)
        browser.get("about:blank")


def test_frames_come_at_the_rate_of_the_screen(browser):
    """Of a world of 300 boxes; the page counts what it has drawn."""
    world = heap(300)
    with served(Session(world, playing=True)) as url:
        browser.get(url)
        wait(browser, "globalThis.view && view.stage.renderer.frame")
        count = browser.execute_async_script(
            "const done = arguments[0], receive = view.showFrame.bind(view); let n = 0;"
            "view.showFrame = (...a) => { n += 1; receive(...a); };"
            "setTimeout(() => done(n), 2000)"
        )
        assert count > 20  # some 60 a second on an idle machine
        browser.get("about:blank")


def test_a_trace_follows_the_shape_that_is_dragged(browser):
    pytest.importorskip("anywidget")
    kite = p2.Polygon([(0, 0), (2, 0), (2.3, 1.2), (1, 2)])
    view = p2.geometry.sat(kite, p2.Box(2, 1), pose_b=(1, 3, 0.2)).live()
    box = view.world.bodies[1]
    with served(view.session) as url:
        browser.get(url)
        wait(browser, "globalThis.view && view.stage.renderer.frame")
        assert view.trace.separated
        canvas = browser.find_element(By.CSS_SELECTOR, "canvas")
        x, y = pixel_of(browser, box.index)
        metre = browser.execute_script("return view.stage.renderer.camera.scale")
        hand = ActionChains(browser, duration=20)
        hand.move_to_element_with_offset(canvas, x, y).click_and_hold()
        hand.move_by_offset(0, round(1.2 * metre)).release().perform()
        WebDriverWait(browser, 10).until(lambda _: not view.trace.separated)
        assert box.position == pytest.approx((1, 1.8), abs=2 / metre)
        shown = "view.stage.renderer.marks.at(-1).text"
        wait(browser, f"{shown} === {repr(view.trace)[1:-1]!r}")
        browser.get("about:blank")
