"""Recorded runs as pages: what the page holds is the trajectory, to a tenth of a pixel."""

import base64
import copy
import hashlib
import json
import re
import zlib

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import _page, _player
from pyphys2d.trajectory import Trajectory

PIXELS = 1000  # across the view


def unpack(trajectory):
    """Positions, angles and presence as the page decodes them: a second implementation."""
    header, blob = _player.pack(trajectory)
    raw = zlib.decompress(blob)
    arrays = {}
    for row in header["arrays"]:
        count = int(np.prod(row["shape"]))
        found = np.frombuffer(raw, "<" + row["type"], count, row["at"])
        arrays[row["name"]] = found.reshape(row["shape"])
    escapes = iter(arrays["escapes"].tolist())

    def channel(name):
        values = np.zeros((header["frames"], header["bodies"]), np.int64)
        for f in range(header["frames"]):
            for b in range(header["bodies"]):
                residual = int(arrays[name][f, b])
                residual = next(escapes) if residual == -128 else residual
                last = values[f - 1, b] if f > 0 else 0
                older = values[f - 2, b] if f > 1 else last
                values[f, b] = residual + 2 * last - older
        return values

    x, y, angle = channel("x"), channel("y"), channel("angle")
    places = np.stack([x, y], axis=2) * header["step"] + header["origin"]
    return header, arrays, places, angle * header["turn"]


def heap(count, frames, seed=3):
    random = np.random.default_rng(seed)
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static", name="floor")
    shapes = [p2.Box(1, 0.6), p2.Circle(0.4), p2.Capsule((-0.4, 0), (0.4, 0), 0.2)]
    for k in range(count):
        world.add_body(shapes[k % 3], (random.uniform(-8, 8), 1 + 0.4 * k), angle=k)
    return Trajectory.record(world, frames)


def pixel(header):
    return (header["view"][2] - header["view"][0]) / PIXELS


def test_poses_are_those_of_the_trajectory_to_a_tenth_of_a_pixel():
    trajectory = heap(20, 90)
    header, _, places, angles = unpack(trajectory)
    assert np.abs(places - trajectory.positions).max() < 0.1 * pixel(header)
    # The outermost point of a body of 0.6 m radius turns by less than that, too.
    assert 0.6 * np.abs(angles - trajectory.angles).max() < 0.1 * pixel(header)


def test_fast_and_far_bodies_are_exact_too():
    world = p2.World(gravity=(0, 0))
    world.add_body(p2.Circle(0.5), velocity=(390, 0), angular_velocity=150)
    world.add_body(p2.Circle(0.5), (0, 3))
    trajectory = Trajectory.record(world, 30)
    header, _, places, angles = unpack(trajectory)
    assert np.abs(places - trajectory.positions).max() <= 0.5001 * header["step"]
    assert np.abs(angles - trajectory.angles).max() <= 0.5001 * header["turn"]


def test_bodies_that_come_and_go_are_absent_meanwhile():
    world = p2.World()
    first = world.add_body(p2.Circle(1))
    trajectory = Trajectory()
    for k in range(6):
        if k == 2:
            second = world.add_body(p2.Circle(1), (3, 0))
        if k == 4:
            world.remove(first)
        trajectory.add_frame(world)
        world.step()
    assert second.index == 1
    _, arrays, places, _ = unpack(trajectory)
    assert arrays["absent"].tolist() == [[0, 4, 6], [1, 0, 2]]
    there = ~np.isnan(trajectory.angles)
    assert np.allclose(places[there], trajectory.positions[there], atol=1e-3)


def test_awake_bits_and_kinds():
    trajectory = heap(9, 40)
    _, arrays, _, _ = unpack(trajectory)
    bits = np.unpackbits(arrays["awake"], axis=1, bitorder="little")[:, :10].astype(bool)
    assert (bits == trajectory.awake).all()
    assert (arrays["kinds"] == trajectory.kinds).all()


def test_a_thousand_bodies_for_600_frames_take_less_than_5_megabytes():
    # A gas that never rests, so that nothing can be left out.
    random = np.random.default_rng(1)
    world = p2.World(gravity=(0, 0), restitution_threshold=0)
    for x, y, w, h in ((0, -26, 104, 2), (0, 26, 104, 2), (-51, 0, 2, 54), (51, 0, 2, 54)):
        world.add_body(p2.Box(w, h), (x, y), kind="static")
    places = np.stack(np.meshgrid(np.arange(40), np.arange(25)), axis=-1).reshape(-1, 2)
    world.add_bodies(
        p2.Box(1, 1),
        (places - (19.5, 12)) * 1.9,
        velocity=random.normal(0, 6, (1000, 2)),
        restitution=1.0,
        friction=0.0,
    )
    html = _player.to_html(Trajectory.record(world, 599))
    assert len(html) < 5e6


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_short_runs(frames):
    trajectory = Trajectory()
    world = p2.World()
    world.add_body(p2.Box(1, 1), (2, 3))
    for _ in range(frames):
        trajectory.add_frame(world)
        world.step()
    header, _, places, _ = unpack(trajectory)
    assert header["frames"] == frames
    assert np.allclose(places, trajectory.positions, atol=header["step"])
    assert "<svg" in _player.still_picture(trajectory)


def test_the_page_needs_nothing_else_and_allows_nothing_else():
    html = _player.to_html(heap(3, 3))
    addresses = set(re.findall(r"\w+://[^\s\"'<>)]+", html))
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name space
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html).group(1)
    script = re.search(r'<script type="module">(.*?)</script>', html, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy
    assert "style=" not in html


def test_names_cannot_leave_their_block():
    world = p2.World()
    world.add_body(p2.Circle(1), name="</script><script>alert(1)</script><!--")
    trajectory = Trajectory.record(world, 2, name="<b>&")
    html = _player.to_html(trajectory)
    assert "alert(1)</script>" not in html
    block = re.search(r'id="header">(.*?)</script>', html, re.DOTALL).group(1)
    assert json.loads(block)["names"] == ["</script><script>alert(1)</script><!--"]
    assert "<title>&lt;b&gt;&amp;</title>" in html


def test_modules_share_no_top_level_name():
    """They are put into one scope."""
    owners = {}
    for name in ("drawing", "batch", "renderer", "controls", "player", "live", "widget", "page"):
        text = _page.source(name)
        pattern = r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)"
        for each in re.findall(pattern, text, re.MULTILINE):
            assert owners.setdefault(each, name) == name, each


def test_rounded_outlines_lie_at_the_radius():
    ring = np.array([(0.0, 0.0), (2.0, 0.0), (1.0, 1.0)])
    grown = _player._rounded(ring, 0.25)
    shape = p2.Polygon(ring)
    for x, y in grown:
        gap = p2.geometry.distance(shape, p2.Circle(1e-9, (x, y))).distance
        assert gap == pytest.approx(0.25, abs=1e-6)


def test_shapes_of_a_file_beyond_single_precision_are_drawn_at_its_end(tmp_path):
    world = p2.World()
    world.add_body([p2.Box(1, 1), p2.Circle(0.5)], (0, 2))
    p2.simulate(world, 0.1).save(tmp_path / "run.npz")
    arrays = dict(np.load(tmp_path / "run.npz"))
    arrays["vertices"][0] = 1e300
    arrays["shape_radii"] = np.where(arrays["shape_radii"] > 0, 1e300, 0)
    np.savez(tmp_path / "run.npz", **arrays)
    page = Trajectory.load(tmp_path / "run.npz")._repr_html_()
    assert "<iframe" in page


def test_a_page_that_follows_a_body():
    world = p2.World((0, 0))
    world.add_body(p2.Circle(0.5), (0, 3), name="twin")
    world.add_body(p2.Circle(0.5), (2, 1), velocity=(9, 0), name="comet")
    world.add_body(p2.Circle(0.5), (0, 5), name="twin")
    run = Trajectory.record(world, 30)
    header, _ = _player.pack(run, 1)
    assert header["follow"] == 1
    assert header["origin"] == pytest.approx((2, 1))
    height = header["view"][3] - header["view"][1]
    assert height == pytest.approx(6 * 2 * 0.5)  # of which the body is a sixth
    assert '"follow":1' in run.to_html(follow="comet")
    assert '"follow":2' in run.to_html(follow=-1)
    assert '"follow":-1' in run.to_html()
    for wrong, error, words in (
        ("commet", KeyError, "did you mean 'comet'"),
        (3, IndexError, "must be a column"),
        ("twin", ValueError, "one body"),
        (1.5, TypeError, "got float"),
    ):
        with pytest.raises(error, match=words):
            run.to_html(follow=wrong)


def test_contacts_go_along_where_they_were_recorded():
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    for k in range(6):
        world.add_body(p2.Box(1, 0.6), (0.2 * k, 0.35 + 0.65 * k), angle=0.1 * k)
    run = p2.simulate(world, 1.5, contacts=True)
    header, arrays, _, _ = unpack(run)
    rows = run.contacts
    assert len(rows) > 100
    assert (arrays["contact_ends"] == run.contact_offsets).all()
    places = arrays["contacts"] * header["coarse_step"] + header["origin"]
    assert np.abs(places - rows["point"]).max() <= 0.5 * pixel(header)
    heading = arrays["contact_normals"] * (2 * np.pi / 256)
    normals = np.column_stack([np.cos(heading), np.sin(heading)])
    assert (normals * rows["normal"]).sum(axis=1).min() > np.cos(np.pi / 200)
    impulses = (arrays["contact_impulses"] / 255.0) ** 2 * header["impulse"]
    strongest = rows["normal_impulse"].max()
    assert np.abs(impulses - rows["normal_impulse"]).max() < 0.005 * strongest
    assert "contacts" not in unpack(heap(3, 5))[1]


def test_contacts_of_a_damaged_file_are_drawn_somewhere():
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    world.add_body(p2.Box(1, 1), (0, 0.5))
    run = p2.simulate(world, 0.2, contacts=True)
    rows = run.contacts.copy()
    rows["point"][0], rows["normal"][0], rows["normal_impulse"][0] = np.nan, np.inf, -1e300
    damaged = copy.copy(run)
    damaged._data = lambda: run._data() | {"contacts": rows}
    assert (damaged.contacts["normal_impulse"] == -1e300).any()
    header, blob = _player.pack(damaged)
    assert np.isfinite(header["impulse"])
    assert len(blob) > 0


def test_joints_go_along():
    world = p2.World()
    pivot = world.add_body(p2.Circle(0.1), (0, 3), kind="static")
    first = world.add_body(p2.Box(1, 0.2), (0.5, 3))
    second = world.add_body(p2.Circle(0.2), (2, 3))
    world.add_revolute_joint(pivot, first, anchor=(0, 3))
    world.add_distance_joint(first, second, anchor_a=(1, 3), anchor_b=(2, 3))
    run = p2.simulate(world, 1.0)
    rows = run.joints
    assert len(rows) == 2 * len(run)
    header, arrays, _, _ = unpack(run)
    assert (arrays["joint_ends"] == run.joint_offsets).all()
    assert (arrays["joint_bodies"] == np.column_stack([rows["body_a"], rows["body_b"]])).all()
    anchors = arrays["joint_anchors"].reshape(-1, 2, 2) * header["coarse_step"] + header["origin"]
    for k, name in enumerate(("anchor_a", "anchor_b")):
        assert np.abs(anchors[:, k] - rows[name]).max() <= 0.5 * pixel(header)
    assert "joint_ends" not in unpack(heap(3, 5))[1]


def test_joints_of_wrapped_worlds_are_next_to_their_bodies():
    world = p2.World((0, 0), wrap=(10, np.inf))
    a = world.add_body(p2.Box(1, 1), (9.5, 0), velocity=(1, 0))
    b = world.add_body(p2.Box(1, 1), (0.8, 0), velocity=(1, 0))
    world.add_distance_joint(a, b, anchor_a=(9.7, 0), anchor_b=(0.8, 0))
    run = p2.simulate(world, 1.0)
    header, arrays, places, _ = unpack(run)
    assert header["wrap"][0] == 10
    anchors = arrays["joint_anchors"].reshape(-1, 2, 2) * header["coarse_step"] + header["origin"]
    coarse = 2 * header["coarse_step"]
    assert np.abs(anchors[:, 0] - places[:, 0] - (0.2, 0)).max() < coarse
    assert np.abs(anchors[:, 1] - anchors[:, 0] - (1.1, 0)).max() < coarse
