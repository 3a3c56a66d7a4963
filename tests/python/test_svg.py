"""How things show themselves in a notebook: well-formed, on the page, true, bounded, safe."""

import re
import signal
import threading
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import shapely
from scenes_for_tests import ground, mixed

import pyphys2d as p2
import pyphys2d.geometry as g
from pyphys2d.traces._svg import COLORS, outline, picture

SVG = "{http://www.w3.org/2000/svg}"
OUTSIDE = 8.0  # pixels around the page where outlines may end
TOKEN = re.compile(r"([MLHVZhv])|(-?\d+(?:\.\d+)?)")

STATIC, KINEMATIC, ASLEEP, AWAKE = "#d9d9d4", "#f2c14e", "#bcd4e4", "#7fb8dc"
DOT = "#d55e00"

SHAPES = [
    p2.Circle(2, (3, 4)),
    p2.Box(2, 1, angle=0.3),
    p2.Box(2, 1, radius=0.4),
    p2.Box(100, 0.01),
    p2.Polygon([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)]),
    p2.Polygon(
        [(0, 0), (4, 0), (4, 4), (0, 4)], [[(1, 1), (2, 1), (2, 2)], [(3, 3), (3.5, 3), (3, 3.5)]]
    ),
    p2.RegularPolygon(500, 1),
    p2.Capsule((0, 0), (3, 1), 0.5),
    p2.Capsule((0, 0), (1e-6, 0), 0.5),
    p2.Segment((0, 0), (0, 3)),
    p2.Chain([(0, 0), (1, 0), (1, 2)]),
    p2.Chain([(0, 0), (1, 0), (1, 2)], loop=True),
    p2.Circle(1e-6, (1e6, -1e6)),
    p2.Box(1, 1, (9e6, 9e6)),
]


def path_points(data):
    """All points of path data: absolute M, L, H, V, Z, and h, v relative."""
    points, here, start = [], np.zeros(2), np.zeros(2)
    tokens = [m.group() for m in TOKEN.finditer(data)]
    assert "".join(tokens) == data.replace(" ", "")
    command, i = "", 0
    while i < len(tokens):
        if tokens[i].isalpha():
            command = tokens[i]
            i += 1
            if command == "Z":
                here = start
                continue
        take = 2 if command in "ML" else 1
        numbers = [float(t) for t in tokens[i : i + take]]
        i += take
        here = here.copy()
        if command in "ML":
            here[:] = numbers
        elif command in "Hh":
            here[0] = numbers[0] + (here[0] if command == "h" else 0)
        else:
            here[1] = numbers[0] + (here[1] if command == "v" else 0)
        if command == "M":
            start = here
        points.append(here)
    return np.array(points).reshape(-1, 2)


def read(text):
    """The one SVG element of a picture, and width and height of its page."""
    root = ET.fromstring(text)
    svg = root if root.tag == SVG + "svg" else next(root.iter(SVG + "svg"))
    x, y, width, height = map(float, svg.get("viewBox").split())
    assert (x, y) == (0, 0)
    assert 0 < width <= 500
    assert 0 < height <= 500
    assert float(svg.get("width")) == width
    return svg, width, height


def drawn_points(svg):
    """Every point of every element but text; circles with their centres only."""
    for element in svg.iter():
        tag = element.tag.removeprefix(SVG)
        if tag == "path":
            yield from path_points(element.get("d"))
        elif tag in ("polygon", "polyline"):
            yield from np.array(element.get("points").replace(",", " ").split(), float).reshape(
                -1, 2
            )
        elif tag == "line":
            yield from np.array([element.get(k) for k in ("x1", "y1", "x2", "y2")], float).reshape(
                2, 2
            )
        elif tag == "circle":
            yield np.array([element.get("cx"), element.get("cy")], float)
        else:
            assert tag in ("svg", "g", "text", "title"), tag


def check(text, outside=OUTSIDE):
    """Parses, and nothing is beyond the page; returns the points."""
    assert "nan" not in re.sub(r"<title>.*?</title>|<div>[^<]*</div>", "", text)
    svg, width, height = read(text)
    points = np.array(list(drawn_points(svg))).reshape(-1, 2)
    assert np.isfinite(points).all()
    assert (points >= -outside - 0.01).all()
    assert (points <= np.array([width, height]) + outside + 0.01).all()
    return points


def group(svg, fill):
    """The elements with this face."""
    return [e for each in svg.iter(SVG + "g") if each.get("fill") == fill for e in each]


def to_pixels(points, page):
    """The map from metres that carries the first shape to the page, by least squares."""
    world, pixels = points
    rows = np.zeros((2 * len(world), 3))
    rows[0::2, 0], rows[0::2, 1] = world[:, 0], 1
    rows[1::2, 0], rows[1::2, 2] = -world[:, 1], 1
    fit, *_ = np.linalg.lstsq(rows, pixels.ravel(), rcond=None)
    scale, x, y = fit
    return page * (scale, -scale) + (x, y)


# ---------------------------------------------------------------- shapes


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_shapes(shape):
    assert shape._repr_html_() == shape._repr_svg_()
    _, width, height = read(shape._repr_svg_())
    points = check(shape._repr_svg_())
    if isinstance(shape, p2.Circle):
        return
    # what is drawn fills the page up to its margin, whatever the shape's size and place
    low, high = points.min(axis=0), points.max(axis=0)
    size = shape.aabb[1] - shape.aabb[0]
    off = 0.06 if isinstance(shape, p2.Chain) else 0.02  # the strokes on the solid side
    assert max((high - low) / (width, height)) == pytest.approx(1 / 1.1, abs=off)
    assert (high - low)[0] / (high - low).max() == pytest.approx(size[0] / size.max(), abs=off)
    assert len(shape._repr_svg_()) < 20_000


def test_the_solid_side_of_a_chain_is_hatched():
    """Below a chain written from left to right."""
    chain = p2.Chain([(0, 0), (5, 0), (9, 0)])
    points = check(chain._repr_svg_())
    line = points[:2, 1]  # without the corner that is none
    np.testing.assert_allclose(line, line[0])
    strokes = points[2:].reshape(-1, 2, 2)
    assert len(strokes) == pytest.approx(np.ptp(points[:2, 0]) / 9, abs=1)
    np.testing.assert_allclose(strokes[:, 0, 1], line[0], atol=0.01)
    np.testing.assert_allclose(strokes[:, 1, 1] - line[0], 6.3 / np.sqrt(2), atol=0.02)
    assert len(check(p2.Segment((0, 0), (9, 0))._repr_svg_())) == 2


def test_an_outline_of_a_rounded_shape_keeps_its_distance():
    box = p2.Box(4, 2, radius=0.5)
    pixels = check(box._repr_svg_())
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    scale = (high - low)[0] / 5
    metres = (pixels - 0.5 * (low + high)) / scale
    beyond = np.hypot(*np.maximum(np.abs(metres) - (2, 1), 0).T)
    np.testing.assert_allclose(beyond, 0.5, atol=0.02)
    assert len(pixels) > 20


def test_holes_are_drawn():
    svg, *_ = read(SHAPES[5]._repr_svg_())
    (path,) = svg.iter(SVG + "path")
    assert path.get("d").count("Z") == 3
    assert any(e.get("fill-rule") == "evenodd" for e in svg.iter())


# ---------------------------------------------------------------- worlds


def test_a_world_is_drawn_where_its_bodies_are():
    world = p2.World()
    ground(world)
    world.add_bodies(p2.Box(1, 0.5), [(-3, 3), (0, 4), (2, 7)], [0.3, 1, 2])
    world.step(n=5)
    html = world._repr_html_()
    assert world._repr_svg_() in html
    check(html)
    assert f"World of 4 bodies at {world.time:.6g} s" in html
    svg, *_ = read(html)
    paths = group(svg, AWAKE)
    corners = np.concatenate([path_points(path.get("d")) for path in paths])
    expected = np.concatenate([world.bodies[i].colliders[0].vertices for i in (1, 2, 3)])
    assert corners.shape == expected.shape
    np.testing.assert_allclose(to_pixels((expected, corners), expected), corners, atol=0.02)


def test_looks_tell_the_state():
    world = p2.World(gravity=(0, 0))
    box = p2.Box(1, 1)
    world.add_body(box, (0, 0), kind="static")
    world.add_body(box, (3, 0), kind="kinematic")
    world.add_body(box, (6, 0))
    world.add_body(box, (9, 0)).sleep()
    world.add_body(box, (12, 0), sensor=True)
    svg, *_ = read(world._repr_svg_())
    for fill in (STATIC, KINEMATIC, AWAKE, ASLEEP, "none"):
        assert len(group(svg, fill)) == 1, fill


def test_contacts_are_dots_where_they_are():
    world = p2.World()
    ground(world)
    world.add_bodies(p2.Box(1, 1), [(0, 0.5), (0.25, 1.5), (3, 0.5)])
    world.step(n=30)
    svg, *_ = read(world._repr_svg_())
    (path,) = [e for e in svg.iter(SVG + "path") if e.get("stroke") == DOT]
    dots = path_points(path.get("d"))[::2]
    assert len(dots) == len(world.contacts) > 0
    corners, pixels = [], []
    for i, box in zip((1, 2, 3), group(svg, AWAKE), strict=True):
        corners.append(world.bodies[i].colliders[0].vertices)
        pixels.append(path_points(box.get("d")))
    both = np.concatenate(corners), np.concatenate(pixels)
    expected = to_pixels(both, world.contacts["point"])
    np.testing.assert_allclose(dots, expected, atol=0.02)


@pytest.mark.parametrize("scene", [mixed, p2.World], ids=["mixed", "empty"])
def test_looking_changes_nothing(scene):
    one, other = scene(), scene()
    for world in (one, other):
        world.step(n=20)
    assert one.hash() == other.hash()
    check(one._repr_html_())
    for body in one.bodies:
        check(body._repr_html_())
    for collider in one.colliders:
        check(collider._repr_html_())
    assert one.hash() == other.hash()
    for world in (one, other):
        world.step(n=20)
    assert one.hash() == other.hash()


def test_writes_through_a_view_are_seen():
    world = p2.World()
    world.add_bodies(p2.Box(1, 1), [(0, 0), (5, 0)])
    before = world._repr_svg_()
    world.positions[1] = (2, 0)
    after = world._repr_svg_()
    assert after != before
    check(after)


@pytest.mark.parametrize("far", [1e7, -3e11])
def test_far_from_the_origin_the_picture_is_the_same(far):
    def at(x):
        world = p2.World(gravity=(0, 0))
        world.add_bodies(p2.Box(1, 1), [(x, 0), (x + 1.5, 0.25)], [0, 0.5])
        return check(world._repr_svg_())

    np.testing.assert_allclose(at(far), at(0), atol=0.1)


def test_one_that_fell_off_does_not_spoil_the_view():
    world = p2.World()
    ground(world)
    x, y = np.meshgrid(np.arange(5), np.arange(1, 5))
    world.add_bodies(p2.Box(0.9, 0.9), np.column_stack([x.ravel(), y.ravel()]))
    near = check(world._repr_html_())
    assert "not seen" not in world._repr_html_()
    world.add_body(p2.Box(1, 1), (0, -1e6))
    html = world._repr_html_()
    np.testing.assert_array_equal(check(html), near)
    assert "far away and not seen: 1" in html


def test_a_ground_without_end_is_cut_at_the_page():
    world = p2.World()
    world.add_body(p2.Box(1e6, 1), (0, -0.5), kind="static")
    world.add_body(p2.Chain([(1e6, 3), (0, 0), (-1e6, 3)]), kind="static")
    world.add_body(p2.Circle(1e6, (0, -1e6)), kind="static")
    world.add_body(p2.Circle(0.5), (0, 3))
    world.add_body(p2.Circle(0.5), (8, 3))
    svg, width, _ = read(world._repr_svg_())
    check(world._repr_svg_())
    box, chain, circle = [
        points for path in group(svg, STATIC) if len(points := path_points(path.get("d")))
    ][:3]
    for line in (box, chain, circle):
        assert np.ptp(line[:, 0]) >= width  # from edge to edge
    # the big circle's top is where the box's top is, on the height 0
    assert circle[:, 1].min() == pytest.approx(box[:, 1].min(), abs=0.2)


def test_the_ground_below_a_falling_ball_is_seen():
    world = p2.World()
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static")
    world.add_body(p2.Circle(0.5), (0, 10))
    svg, width, height = read(world._repr_svg_())
    ground_line = path_points(group(svg, STATIC)[0].get("d"))[:, 1].min()
    assert 0.8 * height < ground_line < height
    assert width < 3.2 * height  # and no more of it than 15 m on both sides


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e308])
def test_poses_that_are_no_numbers(bad):
    world = p2.World()
    world.add_bodies(p2.Box(1, 1), [(0, 0), (3, 0), (6, 0)])
    world.add_bodies(p2.Circle(1), [(9, 0), (12, 0)])
    world.positions[1] = (bad, 0)
    world.positions[3] = (0, -bad)
    world.angles[2] = bad
    html = world._repr_html_()
    check(html)
    assert "without a finite pose" in html
    for body in world.bodies:
        check(body._repr_html_())
        check(body.colliders[0]._repr_html_())


def test_many_bodies_are_boxes_and_more_a_sample():
    world = p2.World(gravity=(0, 0))
    world.add_body(p2.Box(200, 1, angle=0.1), (0, -80), kind="static")

    def add(count):
        x, y = np.meshgrid(np.arange(count), np.arange(60))
        world.add_bodies(p2.Circle(0.4), np.column_stack([x.ravel(), y.ravel()]))

    add(40)
    assert "boxes" not in world._repr_html_()
    add(20)
    html = world._repr_html_()
    check(html)
    assert "boxes instead of shapes</div>" in html
    svg, *_ = read(html)
    (path,) = group(svg, AWAKE)
    assert path.get("d").count("Z") == 3600
    # the ground stays what it is
    assert len(path_points(group(svg, STATIC)[0].get("d"))) == 4
    add(500)
    html = world._repr_html_()
    check(html)
    assert "about one in 4 drawn" in html
    svg, *_ = read(html)
    (path,) = group(svg, AWAKE)
    assert 33600 / 4 * 0.9 < path.get("d").count("Z") < 33600 / 4 * 1.1
    assert len(html) < 500_000


def test_many_vertices_are_boxes():
    world = p2.World()
    shape = p2.RegularPolygon(1000, 1)
    world.add_bodies(shape, [(2.5 * i, 0) for i in range(70)])
    html = world._repr_html_()
    assert "boxes instead of shapes" in html
    assert len(html) < 20_000
    # vertices on top of each other are left out
    few = p2.World()
    few.add_bodies(shape, [(2.5 * i, 0) for i in range(50)])
    assert len(few._repr_html_()) < 80_000


def test_many_contacts():
    world = p2.World(gravity=(0, 0))
    world.add_bodies(p2.Circle(1), np.zeros((80, 2)))
    world.step(1e-6)
    assert len(world.contacts) > 3000
    html = world._repr_html_()
    check(html)
    assert "one contact point in 2 drawn" in html


# ---------------------------------------------------------------- names, states, moments


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert('1')</script>",
        '"&quot;&',
        "]]>",
        "\x00\x01\x1f\x7f",
        "tab\tand\nline",
        "\ud800 lone \udfff",
        "\ufffe\uffff",
        "Ω 𝛀 é",
        "",
        "x" * 10_000,
    ],
)
def test_names_are_escaped(name):
    world = p2.World()
    body = world.add_body(p2.Box(1, 1), name=name)
    world.add_body(p2.Circle(1), (3, 0), name=name)
    shown = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", name)
    shown = re.sub("[\ud800-\udfff]", "?", shown)
    for html in (world._repr_html_(), body._repr_html_()):
        check(html)
        titles = [t.text or "" for t in ET.fromstring(html).iter(SVG + "title")]
        assert set(titles) == {shown}
    assert f'Body 0 "{shown}"' in "".join(ET.fromstring(body._repr_html_()).itertext())


def test_names_follow_their_bodies():
    world = p2.World()
    first = world.add_body(p2.Box(1, 1), name="first")
    world.remove(first)
    second = world.add_body(p2.Box(1, 1))
    assert second.index == first.index
    assert "first" not in world._repr_html_()
    assert "first" not in second._repr_html_()


def test_what_is_gone_has_no_picture():
    world = p2.World()
    body = world.add_body(p2.Box(1, 1))
    collider = body.colliders[0]
    check(collider._repr_html_())
    world.remove(body)
    for handle in (body, collider):
        assert handle._repr_svg_() is None
        assert handle._repr_html_() is None
        assert "removed" in repr(handle)


def test_bodies_and_colliders():
    world = p2.World()
    body = world.add_body([p2.Box(2, 1), p2.Circle(0.5, (1, 1))], (3, 4), 0.5, name="cart")
    bare = world.add_body(position=(1, 2), kind="static")
    html = body._repr_html_()
    check(html)
    assert len(group(read(html)[0], AWAKE)) == 3  # a box, a circle and its spoke
    text = "".join(ET.fromstring(html).itertext())
    assert f'Body 0 "cart": dynamic, {body.mass:.6g} kg, at (3, 4) m, angle 0.5 rad' in text
    check(bare._repr_html_())
    assert "Body 1: static, at (1, 2) m, angle 0 rad" in bare._repr_html_()
    html = body.colliders[1]._repr_html_()
    check(html)
    assert len(group(read(html)[0], AWAKE)) == 2
    assert "Collider 1 of body 0: density 1, friction 0.6, restitution 0" in html
    body.sleep()
    assert "asleep" in body._repr_html_()


def test_a_world_inside_its_step_has_no_picture():
    """A signal handler runs in the middle of a call that would last for hours."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        pytest.skip("signals reach the main thread of a POSIX system only")
    world = mixed(sleeping=False)
    body = world.bodies[1]
    things = (world, body, body.colliders[0])
    seen = []

    class Done(Exception):  # noqa: N818
        pass

    def handler(signum, frame):
        for thing in things:
            seen.extend([thing._repr_html_(), thing._repr_svg_(), repr(thing)])
        raise Done

    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(Done):
            world.step(n=10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert seen[0::3] == seen[1::3] == [None] * 3
    assert seen[2] == "<World inside its step>"
    for thing in things:
        check(thing._repr_html_())


def test_a_world_in_slow_motion_shows_itself():
    one, other = mixed(), mixed()
    for world in (one, other):
        world.step(n=20)
    for _ in one.stages():
        check(one._repr_html_())
        check(one.bodies[3]._repr_html_())
    other.step()
    assert one.hash() == other.hash()


def test_another_thread_waits_for_the_step():
    world = mixed(sleeping=False)
    stop = threading.Event()
    errors = []

    def look():
        try:
            while not stop.is_set():
                check(world._repr_html_())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=look)
    thread.start()
    for i in range(30):
        world.step(n=20)
        world.add_body(p2.Box(1, 1), (0, 20 + i), name=str(i))
    stop.set()
    thread.join()
    assert errors == []


def test_ipython_takes_what_there_is():
    formatters = pytest.importorskip("IPython.core.formatters")
    world = p2.World()
    body = world.add_body(p2.Box(1, 1))
    format_ = formatters.DisplayFormatter().format
    for thing in (world, body, body.colliders[0], p2.Box(1, 1), g.sat(p2.Box(1, 1), p2.Circle(1))):
        data, _ = format_(thing)
        assert "<svg" in data["text/html"]
    world.remove(body)
    data, _ = format_(body)
    assert list(data) == ["text/plain"]


# ---------------------------------------------------------------- manifolds


def test_a_manifold_shows_its_points():
    manifold = g.collide(p2.Box(4, 2), p2.Box(2, 2), pose_b=(0.5, 1.9, 0))
    html = manifold._repr_html_()
    assert manifold._repr_svg_() in html
    points = check(html)
    svg, *_ = read(html)
    arrows = [e for e in svg.iter(SVG + "path") if e.get("stroke") == DOT]
    assert len(arrows) == 2
    for arrow in arrows:  # upwards, y is down on the page
        shaft = path_points(arrow.get("d"))
        assert shaft[1][1] < shaft[0][1]
        assert shaft[1][0] == shaft[0][0]
    assert len(points) > 10
    cells = [cell.text for cell in ET.fromstring(html).iter("td")]
    expected = np.column_stack([manifold.points, manifold.separations]).ravel()
    np.testing.assert_allclose([float(cell) for cell in cells], expected, rtol=1e-5)
    assert "normal (0, 1) from a to b" in html


def test_a_manifold_without_points():
    manifold = g.collide(p2.Circle(1), p2.Circle(1), pose_b=(5, 0, 0))
    assert manifold._repr_svg_() is None
    assert manifold._repr_html_() == "<div>Manifold: no contact</div>"


def test_a_manifold_that_was_tampered_with():
    def fresh():
        return g.collide(p2.Box(1, 1), p2.Box(1, 1), pose_b=(0.2, 0.9, 0))

    manifold = fresh()
    for value in (np.nan, np.inf, -1e308, 1e200):
        manifold.points[:] = value
        manifold.normal[:] = (value, 0)
        manifold.separations[:] = value
        assert manifold._repr_svg_() is None
        ET.fromstring(manifold._repr_html_())
    manifold = fresh()
    manifold.points.shape = (4,)
    assert manifold._repr_svg_() is not None  # the same numbers
    manifold = fresh()
    manifold.separations.dtype = np.int32
    assert manifold._repr_html_() is None
    manifold = fresh()
    manifold.points.dtype = ">f8"
    assert manifold._repr_html_() is None
    manifold = fresh()
    manifold.separations.resize(0, refcheck=False)
    assert manifold._repr_html_() is None


# ---------------------------------------------------------------- memory


@pytest.mark.parametrize("kind", ["world", "body", "boxes", "shape", "manifold", "sat"])
def test_every_allocation_may_fail(kind):
    testing = pytest.importorskip(
        "pyphys2d._testing",
        reason="LOUD: failing allocations are NOT tested, build with PYPHYS2D_TESTING=1",
    )
    world = mixed()
    world.step(n=10)
    world.bodies[1].name = "one"
    if kind == "boxes":
        world.add_bodies(p2.Box(1, 1), np.arange(7000.0).reshape(-1, 2))
    box = p2.Box(1, 1)
    calls = {
        "world": world._repr_html_,
        "body": world.bodies[1]._repr_html_,
        "boxes": world._repr_html_,
        "shape": p2.Box(1, 1, radius=1)._repr_svg_,
        "manifold": g.collide(box, box)._repr_html_,
        "sat": lambda: repr(g.sat(box, p2.Circle(1)).axes),
    }
    expected, failures = calls[kind](), 0
    live = testing.live_allocations()
    try:
        for n in range(1, 200):
            testing.fail_allocation(n)
            try:
                text = calls[kind]()
            except MemoryError:
                failures += 1
                continue
            break
    finally:
        testing.fail_allocation(0)
    assert failures > 0 or kind == "manifold"  # which has nothing of the engine
    assert text == expected
    assert testing.live_allocations() == live


# ---------------------------------------------------------------- traces


@pytest.mark.parametrize("function", [g.sat, g.clip])
@pytest.mark.parametrize("a", [p2.Box(2, 1), p2.Circle(1), p2.Capsule((0, 0), (2, 0), 0.3)])
@pytest.mark.parametrize(
    "b", [p2.Segment((0, 0), (1, 1)), p2.Box(1, 1, radius=0.2), p2.Circle(0.3)]
)
def test_traces(function, a, b):
    for pose in [(0, 0, 0), (0.5, 0.6, 1), (1.4, 0.2, 2), (30, 5, 0)]:
        trace = function(a, b, (0.1, 0.2, 0.3), pose)
        check(trace._repr_html_(), outside=0)


def test_a_trace_draws_the_shapes_where_they_are():
    a, b = p2.Box(3, 1), p2.Capsule((0, 0), (2, 0), 0.3)
    pose = (0.5, 0.6, 1)
    svg, *_ = read(g.clip(a, b, pose_b=pose)._repr_html_())
    polygons = [
        np.array(e.get("points").replace(",", " ").split(), float).reshape(-1, 2)
        for e in svg.iter(SVG + "polygon")
        if e.get("fill-opacity")
    ]
    both = np.concatenate([outline(a), outline(b, pose)])
    pixels = np.concatenate(polygons)
    np.testing.assert_allclose(to_pixels((both, pixels), both), pixels, atol=0.02)


def test_outlines():
    np.testing.assert_allclose(
        outline(p2.Box(2, 4), (5, 6, np.pi / 2)), [(7, 5), (7, 7), (3, 7), (3, 5)]
    )
    assert outline(p2.Segment((0, 0), (1, 0))).shape == (2, 2)
    for shape, core in [
        (p2.Circle(0.5, (1, 2)), lambda p: np.hypot(*(p - (1, 2)).T)),
        (
            p2.Capsule((0, 0), (2, 0), 0.5),
            lambda p: np.hypot(p[:, 0] - p[:, 0].clip(0, 2), p[:, 1]),
        ),
    ]:
        ring = outline(shape)
        np.testing.assert_allclose(core(ring), 0.5, rtol=1e-12)
        assert g.signed_area(ring) == pytest.approx(shape.area, rel=0.01)
    with pytest.raises(ValueError, match="convex"):
        outline(p2.Polygon([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)]))


def test_pictures_leave_out_what_is_no_number():
    items = [
        ("polygon", [(0, 0), (1, 0), (1, 1)], "a"),
        ("polygon", [(0, 0), (np.nan, 0), (1, 1)], "b"),
        ("line", (0, 0), (np.inf, 0), "muted"),
        ("arrow", (0, np.nan), (1, 1), "good"),
        ("point", (-np.inf, 0), "bad"),
        ("text", (np.nan, 0), "lost", "accent"),
        ("polygon", np.zeros((0, 2)), "a"),
    ]
    text = picture(items)
    assert text == picture(items[:1])
    check(text, outside=0)


def test_pictures_of_little():
    for items in (
        [],
        [("point", (3, 4), "a")],
        [("point", (1e17, -1e17), "a")],
        [("line", (1, 1), (1, 1), "a")],
        [("arrow", (1, 1), (1, 1), "a")],
        [("polygon", [(2, 2)], "b")],
        [("polygon", [(2, 2), (3, 3)], "b")],
        [("line", (-1e308, -1e308), (1e308, 1e308), "b")],
        [("line", (0, 0), (5e-324, 0), "b")],
    ):
        check(picture(items), outside=0)


def test_pictures_of_a_view():
    line = ("line", (0, 0), (4, 2), "a")
    svg, width, _ = read(picture([line], view=(0, 0, 4, 2), width=200))
    assert width == 200
    (element,) = svg.iter(SVG + "line")
    assert float(element.get("x1")) == 14
    assert float(element.get("x2")) == 186
    assert float(element.get("y1")) - float(element.get("y2")) == pytest.approx(86)
    # what is absurdly far from the view is left out
    assert (
        picture([line, ("point", (1e300, 0), "a")], view=(0, 0, 4, 2), width=200).count("<l") == 1
    )


def test_pictures_escape_their_text():
    text = picture([("text", (0, 0), "<b>&\x00\ud800\uffff", "a"), ("text", (9, 9), "right", "b")])
    check(text, outside=0)
    left, right = ET.fromstring(text).iter(SVG + "text")
    assert left.text == "<b>&\ufffd\ufffd\ufffd"
    assert left.get("text-anchor") == "start"
    assert right.get("text-anchor") == "end"


def test_pictures_say_what_their_colours_mean():
    items = [("line", (0, 0), (4, 2), "a"), ("point", (1, 1), "bad")]
    key = [("a", "the way"), ("bad", "a <point>"), ("good", "a rather long explanation"),
           ("muted", "one more word"), ("accent", "and the last one")]  # fmt: skip
    text, bare = picture(items, key=key), picture(items)
    check(text, outside=0)
    svg, width, height = read(text)
    drawn = read(bare)[2]
    assert height > drawn
    texts = list(svg.iter(SVG + "text"))
    assert [(t.text, t.get("fill")) for t in texts] == [(words, COLORS[cls]) for cls, words in key]
    places = [(float(t.get("x")), float(t.get("y"))) for t in texts]
    assert places == sorted(places, key=lambda place: (place[1], place[0]))
    for (x, y), (_, words), after in zip(places, key, [*places[1:], None], strict=True):
        assert drawn < y <= height - 3
        assert x + 6 * len(words) <= width  # 12 pixels high, some 6 wide
        assert after is None or after[1] > y or after[0] > x + 6 * len(words)
    # The picture itself is the one without the key.
    assert picture(items, key=[]) == bare
    assert next(svg.iter(SVG + "line")).attrib == next(read(bare)[0].iter(SVG + "line")).attrib
    with pytest.raises(ValueError, match="no class 'red'"):
        picture(items, key=[("red", "nothing")])


PAIR = p2.Box(2, 1), p2.Box(1, 1), (0, 0, 0), (1.2, 0.7, 0.5)


def test_pictures_of_traces_name_the_shapes_and_the_colours():
    for trace, words in (
        (g.sat(*PAIR), {"A", "B", "overlap and minimum translation of B"}),
        (g.sat(*PAIR[:3], (9, 0, 0)), {"A", "B", "gap"}),
        (g.clip(*PAIR), {"A", "B", "reference edge", "what the planes leave of it",
                         "incident edge, side planes", "contact points, normal"}),
        (g.clip(*PAIR[:3], (9, 0, 0)), {"A", "B", "reference edge", "incident edge"}),
        (g.clip(p2.Circle(1), p2.Circle(1), (0, 0, 0), (1.5, 0, 0)),
         {"A", "B", "reference point", "incident point", "contact points, normal"}),
        (g.toi(*PAIR[:2], *[(0, 0, 0)] * 2, (4, 0, 0), (0, 0, 0)),
         {"A", "B", "start, nearest points on the way", "touch"}),
        (g.toi(*PAIR[:2], *[(0, 0, 0)] * 2, (4, 0, 0), (5, 0, 0)),
         {"A", "B", "nearest points"}),
        (g.gjk(*PAIR[:3], (4, 0, 0)), {"origin", "distance", "simplex, round by round",
                                       "difference of the shapes"}),
        (g.hull_trace([(0, 0), (1, 0), (1, 1), (0.6, 0.5), (0, 1)]), {"hull", "given up, inside"}),
    ):  # fmt: skip
        html = trace._repr_html_()
        svg = next(ET.fromstring(html).iter(SVG + "svg"))
        texts = {t.text: t for t in svg.iter(SVG + "text")}
        assert words <= set(texts), trace
        # A colour that is drawn for something is explained, and only such a one.
        (key,) = [e for e in svg.iter(SVG + "g") if e.get("class") == "key"]
        items = set(svg.iter()) - set(key.iter()) - set(svg.iter(SVG + "text"))
        drawn = {item.get(name) for item in items for name in ("fill", "stroke")}
        for name, element in texts.items():
            assert element.get("fill") in drawn, name
        for cls in ("accent", "good", "bad"):
            used = COLORS[cls] in drawn
            assert used == any(e.get("fill") == COLORS[cls] for e in texts.values()), (trace, cls)


def test_names_in_pictures_of_traces_are_within_their_shapes():
    for pose in (PAIR[3], (9, 0, 0)):
        trace = g.sat(*PAIR[:3], pose)
        svg = next(ET.fromstring(trace._repr_html_()).iter(SVG + "svg"))
        rings = [
            np.array(e.get("points").replace(",", " ").split(), float).reshape(-1, 2)
            for e in svg.iter(SVG + "polygon")
        ]
        for name, ring in zip("AB", rings, strict=False):
            (text,) = [t for t in svg.iter(SVG + "text") if t.text == name]
            assert text.get("text-anchor") == "middle"
            at = shapely.Point(float(text.get("x")), float(text.get("y")) - 4)
            assert shapely.Polygon(ring).contains(at)


def test_pictures_refuse_what_they_do_not_know():
    with pytest.raises(ValueError, match="no kind 'blob'"):
        picture([("blob", (0, 0), "a")])
    with pytest.raises(ValueError, match="no class 'red'"):
        picture([("point", (0, 0), "red")])


def contrast(color, page):
    def luminance(c):
        parts = np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ (0.2126, 0.7152, 0.0722)

    light, dark = sorted([luminance(color), luminance(page)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("page", ["#ffffff", "#111111"])
def test_colours_can_be_seen_on_light_and_on_dark(page):
    """Relative luminance as in WCAG 2.1; 2 is little, but all lines are wide."""
    for color in COLORS.values():
        assert contrast(color, page) > 2
    svg = mixed()._repr_svg_()
    strokes = set(re.findall(r'stroke="(#\w+)"', svg))
    assert len(strokes) > 3
    for color in strokes:
        assert contrast(color, page) > 2, color
