"""The figures of lesson 07: towers, springs, islands and sleep as the laws have them."""

import zlib

import numpy as np
import pytest
import shapely
from matplotlib.collections import LineCollection, PolyCollection

from pyphys2d import _player

LESSON = "07_piles_and_sleep"
G, DT = 9.81, 1 / 60
OMEGA = 2 * np.pi * 60  # of contacts between moving bodies; twice that against fixed ones


def polygons(ax, least_order=0.0):
    """The polygons drawn in a panel, at or above an order, each (n, 2)."""
    return [
        path.vertices[:-1]
        for artist in ax.collections
        if isinstance(artist, PolyCollection) and artist.get_zorder() >= least_order
        for path in artist.get_paths()
    ]


def hooke_of_a_tower(boxes):
    """Depth of each level of a tower of unit boxes of 1 kg, from the floor.

    A contact point half a metre off the centre has 1/m + r²/I = 2.5/kg on each moving side.
    """
    load = np.arange(boxes, 0, -1) * G
    return 0.5 * load * np.append(2.5 / 4, np.full(boxes - 1, 5.0)) / OMEGA**2


def test_the_picture_shows_two_towers_and_a_heap(lesson):
    heights = []
    for ax in lesson.axes("07-1"):
        boxes = [ring for ring in polygons(ax) if np.ptp(ring[:, 0]) < 2]
        assert len(boxes) == 10
        centers = np.array([ring.mean(axis=0) for ring in boxes])
        heights.append(centers[:, 1].max())
    assert heights[0] < 5
    assert heights[1] == pytest.approx(9.5, abs=0.03)
    assert heights[2] == pytest.approx(9.5 - hooke_of_a_tower(10).sum(), abs=1e-4)


def test_only_the_soft_step_comes_to_rest_where_it_should(lesson):
    def last(panel):
        names = ("impulses, cold", "impulses, warm", "soft step")
        return [lesson.line("07-2", name, panel)[-1, 1] for name in names]

    depth, shift, energy = (last(panel) for panel in range(3))
    assert depth[2] == pytest.approx(1e3 * hooke_of_a_tower(10).max(), rel=0.01)
    assert shift[2] < 1 < shift[1] < shift[0]
    assert energy[2] < 1e-8 < energy[1]
    times = lesson.line("07-2", "soft step")[:, 0]
    np.testing.assert_allclose(times, np.arange(1, 601) * DT, rtol=1e-9)


def test_a_soft_push_shrinks_the_overlap_and_leaves_no_energy(lesson):
    """One spring and damper, implicit Euler in substeps of DT / 8, then at rest again."""
    h, zeta, depth, wanted = DT / 8, 10.0, 0.1, []
    for _ in range(30):
        wanted.append(depth)
        for _ in range(8):
            # v' = v + h a of a damped spring with mass 1: v' (1 + 2 zeta w h + (w h)²) = w² h d
            v = OMEGA**2 * h * depth / (1 + 2 * zeta * OMEGA * h + (OMEGA * h) ** 2)
            depth -= h * v
    soft = lesson.line("07-3", "soft step")
    np.testing.assert_allclose(soft[:, 1], wanted, atol=2e-6)
    np.testing.assert_allclose(lesson.line("07-3", "formula")[:, 1], wanted, atol=1e-9)
    hard = lesson.line("07-3", "impulses with bias")
    np.testing.assert_allclose(hard[:, 1], 0.1 - 0.018 * np.arange(8), atol=1e-6)
    calm, left = (line.get_ydata() for line in lesson.axes("07-3")[1].lines)
    assert calm.max() < 1e-10
    reduced = 0.5 * np.pi * 0.25
    np.testing.assert_allclose(left[1:], 0.5 * reduced * (0.2 * 60 * 0.09) ** 2, rtol=1e-5)


def test_each_level_carries_what_is_above_and_gives_way_like_a_spring(lesson):
    weight = np.arange(10, 0, -1) * G
    np.testing.assert_allclose(lesson.line("07-4", "soft step")[:, 1], weight, rtol=1e-4)
    np.testing.assert_allclose(lesson.line("07-4", "impulses, warm")[:, 1], weight, rtol=0.02)
    depth = lesson.line("07-4", "soft step", 1)[:, 1]
    np.testing.assert_allclose(depth, 1e3 * hooke_of_a_tower(10), rtol=1e-3)


def test_more_substeps_are_no_stiffer_and_mass_adds_up(lesson):
    depth = lesson.line("07-5", "substeps")[:, 1]
    spring = 1e3 * hooke_of_a_tower(10).max()
    np.testing.assert_allclose(depth, spring, rtol=0.1)  # towers get what they need to stand
    softer = lesson.line("07-5", "Hooke's law, as asked for")[:, 1]
    np.testing.assert_allclose(softer / spring, [(8 / 2) ** 2, (8 / 4) ** 2, 1, 1, 1], rtol=1e-9)
    iterations = lesson.line("07-5", "iterations")[:, 1]
    assert (np.diff(iterations) < 0).all()

    ratio, sunk = lesson.line("07-5", "soft step", 1).T
    upper = 0.5 * ratio * G * 2.5 * (1 + 1 / ratio) / OMEGA**2
    lower = 0.5 * (ratio + 1) * G * 2.5 / (4 * OMEGA**2)
    spring = 1e3 * (upper + lower)
    np.testing.assert_allclose(
        lesson.line("07-5", "Hooke's law, 60 Hz", 1)[:, 1], spring, rtol=1e-12
    )
    doublings = np.round(np.log2(spring / sunk) / 2)  # of the frequency; each leaves a quarter
    assert doublings[0] == 0 < doublings[-1]
    assert (np.diff(doublings) >= 0).all()
    np.testing.assert_allclose(sunk, spring / 4**doublings, rtol=0.02)
    assert sunk.max() < 10 * 1.5  # two contacts of about a centimetre
    held = lesson.line("07-5", "impulses, warm (it falls beyond)", 1)[:, 0]
    assert set(held) >= {1, 2, 5, 10, 20}
    assert max(held) < 100


def test_islands_are_what_hangs_together(lesson):
    ax = lesson.axes("07-6")[0]
    groups = {}
    for artist in ax.collections:
        if isinstance(artist, PolyCollection):
            colors = np.broadcast_to(artist.get_facecolor(), (len(artist.get_paths()), 4))
            for path, color in zip(artist.get_paths(), colors, strict=True):
                groups.setdefault(tuple(color), []).append(path.vertices[:-1])
    ground = [ring for ring in polygons(ax) if np.ptp(ring[:, 0]) > 10]
    rings = [group for group in groups.values() if np.ptp(group[0][:, 0]) < 10]
    rings.sort(key=lambda group: group[0][0, 0])
    assert len(ground) == 1
    assert [len(group) for group in rings] == [6, 5, 1, 4]
    numbers = {int(text.get_text()): text.get_position() for text in ax.texts}
    for number, group in enumerate(rings):
        assert any(shapely.Polygon(ring).covers(shapely.Point(numbers[number])) for ring in group)
    wholes = [shapely.union_all([shapely.Polygon(r).buffer(0.02) for r in g]) for g in rings]
    assert all(whole.geom_type == "Polygon" for whole in wholes)
    for i, one in enumerate(wholes):
        for other in wholes[i + 1 :]:
            assert one.distance(other) > 0.5
    (links,) = [artist for artist in ax.collections if isinstance(artist, LineCollection)]
    for ends in links.get_segments():
        assert sum(whole.covers(shapely.MultiPoint(ends)) for whole in wholes) == 1


def test_an_island_sleeps_half_a_second_after_its_last_fast_moment(lesson):
    lines = [line for line in lesson.axes("07-7")[0].lines if len(line.get_xdata()) > 2]
    dots = [
        line.get_xdata()[0] for line in lesson.axes("07-7")[0].lines if len(line.get_xdata()) == 1
    ]
    assert len(lines) == len(dots) == 4
    for line, dot in zip(lines, dots, strict=True):
        t, speed = line.get_data()
        fast = t[speed >= 0.05]
        assert dot == pytest.approx((fast.max() if len(fast) else 0) + 0.5, abs=1.01 * DT)
        assert (speed[t > dot - 0.5 + DT] < 0.05).all()
    # The tower fell freely from 0.4 m (base at 0.4, first steps): v = g t.
    t, speed = lines[3].get_data()
    np.testing.assert_allclose(speed[:12], G * t[:12], rtol=1e-6)


def test_the_count_jumps_when_an_island_wakes(lesson):
    ax = lesson.axes("07-8")[0]
    t, awake = lesson.line("07-8", "awake").T
    assert awake[0] == 1
    first = {line.get_label(): line.get_xdata()[0] for line in ax.lines}
    assert "island 3 wakes" in first
    assert "island 0 wakes" not in first
    for island, size in {1: 5, 2: 1, 3: 4}.items():
        when = first.get(f"island {island} wakes")
        if when is not None:
            at = int(np.argmin(abs(t - when)))
            assert awake[at] - awake[at - 1] == size


def test_energy_is_only_lost_while_the_ball_rolls(lesson):
    t, total = lesson.line("07-8", "total", 1).T
    kinetic, potential = (lesson.line("07-8", name, 1)[:, 1] for name in ("kinetic", "potential"))
    np.testing.assert_allclose(total, kinetic + potential, rtol=1e-12)
    np.testing.assert_allclose(t, np.arange(1, 401) * DT, atol=1e-9)
    ball = 4 * np.pi * 0.64
    assert kinetic[0] == pytest.approx(0.5 * ball * 14**2, rel=0.02)  # friction has just begun
    assert np.diff(total).max() < 1e-3 * total[0]
    speed = np.linalg.norm(lesson.ball.velocity)  # at the end only the ball rolls, with omega r
    assert kinetic[-1] == pytest.approx(0.75 * ball * speed**2, rel=0.05, abs=1e-3)


def test_the_player_has_the_run_and_who_sleeps(lesson):
    run = lesson.run
    header, blob = _player.pack(run)
    raw = zlib.decompress(blob)
    array = next(each for each in header["arrays"] if each["name"] == "awake")
    shape = array["shape"]
    packed = np.frombuffer(raw, np.uint8, np.prod(shape), array["at"]).reshape(shape)
    awake = np.unpackbits(packed, axis=1, count=header["bodies"], bitorder="little")
    assert header["frames"] == len(run)
    np.testing.assert_array_equal(awake, run.awake)
    some = awake[:, :17].sum(axis=1)
    assert ((some > 1) & (some < 17)).any()  # the islands wake one after the other
