"""The figures of lesson 10 show what Archimedes, Newton and second implementations demand."""

import numpy as np
import pytest

LESSON = "10_fluids_slices_tiles"
G, DT = 9.81, 1 / 60


def polygons(ax):
    """The rings (n, 2) that a panel shows, without the closing vertex."""
    from matplotlib.collections import PolyCollection

    found = [a for a in ax.collections if isinstance(a, PolyCollection)]
    return [path.vertices[:-1] for a in found for path in a.get_paths()]


def quivers(ax):
    from matplotlib.quiver import Quiver

    found = [artist for artist in ax.collections if isinstance(artist, Quiver)]
    return [(np.asarray(q.XY), np.column_stack([q.U, q.V])) for q in found]


def shapely_box(angle, width=1.6, height=0.8):
    shapely = pytest.importorskip("shapely")
    box = shapely.box(-width / 2, -height / 2, width / 2, height / 2)
    return shapely.affinity.rotate(box, angle, origin=(0, 0))


def test_the_lever_of_lift_is_that_of_the_submerged_centroid(lesson):
    """Against Shapely's intersection with the water, at every heel."""
    shapely = pytest.importorskip("shapely")
    water = shapely.box(-9, -9, 9, 0)
    degrees, lever = lesson.line("10-1", "engine", 1).T
    assert len(degrees) == 37
    for angle, shown in zip(degrees, lever, strict=True):
        wanted = -shapely_box(angle).intersection(water).centroid.x
        assert shown == pytest.approx(1e3 * wanted, abs=1e-8)
    numpy_line = lesson.line("10-1", "clipping, NumPy", 1)
    np.testing.assert_allclose(numpy_line, np.column_stack([degrees, lever]), atol=1e-8)
    t, formula = lesson.line("10-1", "formula for straight walls", 1).T
    np.testing.assert_allclose(formula, lever[: len(t)], atol=1e-8)
    assert t[-1] < np.degrees(np.arctan(0.5)) < degrees[len(t)]


def test_the_picture_of_the_raft_has_its_forces_where_they_act(lesson):
    shapely = pytest.importorskip("shapely")
    raft, under = (shapely.Polygon(ring) for ring in polygons(lesson.axes("10-1")[0])[-2:])
    assert raft.area == pytest.approx(1.6 * 0.8)
    assert under.area == pytest.approx(raft.area / 2)
    assert under.symmetric_difference(raft.intersection(shapely.box(-9, -9, 9, 0))).area < 1e-12
    (at_lift, lift), (at_weight, weight) = quivers(lesson.axes("10-1")[0])
    np.testing.assert_allclose(lift + weight, 0, atol=1e-12)
    np.testing.assert_allclose(at_lift[0], under.centroid.coords[0], atol=1e-12)
    np.testing.assert_allclose(at_weight[0], raft.centroid.coords[0], atol=1e-12)


def test_a_raft_bobs_as_the_pendulum_of_its_draught(lesson):
    """Against SciPy's solution of the equation of motion, with the area that is truly submerged."""
    integrate = pytest.importorskip("scipy.integrate")
    for name, k in (("engine", 0.0), ("engine, drag", 1.0)):
        t, y = lesson.line("10-2", name).T

        def slope(_, state, k=k):  # draught 0.4; mass 0.4, water of density 1
            return [state[1], -(G * state[0] + k * (0.4 - state[0]) * state[1]) / 0.4]

        exact = integrate.solve_ivp(slope, (0, 6), [0.01, 0], t_eval=t, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(y, 1e3 * exact.y[0], atol=0.2)  # of 10 mm
    for beam in ("beam 0.5 m", "beam 4 m"):
        draught, period = lesson.line("10-2", beam, 1).T
        assert len(draught) == 9
        np.testing.assert_allclose(period, 2 * np.pi * np.sqrt(draught / G), rtol=1.2e-3)


def test_stones_fall_up_to_their_terminal_speed(lesson):
    for mass in (1, 4, 16):
        t, v = lesson.line("10-3", f"{mass} kg").T
        limit = np.sqrt(mass * G / 0.4)
        np.testing.assert_allclose(v, limit * np.tanh(G * t / limit), atol=1e-3)
    engine = lesson.line("10-3", "engine", 1)[:, 1]
    old = lesson.line("10-3", "drag of the old speed", 1)[:, 1]
    limit = np.sqrt(G / 0.4)
    assert (np.diff(engine) < 1e-12).all()
    assert engine.min() > limit * (1 - 1e-12)  # from above, never beyond it
    assert engine[-1] == pytest.approx(limit, rel=1e-3)
    # One step of drag by the old speed: 15 + 0.3 (g - 0.4 * 15^2).
    assert old[1] == pytest.approx(15 + 0.3 * (G - 90))
    assert old[1] < 0


def test_the_comb_falls_into_four_teeth_and_a_back(lesson):
    shapely = pytest.importorskip("shapely")
    comb = shapely.Polygon(lesson.comb)
    across = lesson.q - lesson.p
    left = np.array([-across[1], across[0]])
    half = [lesson.p, lesson.q, lesson.q + 9 * left, lesson.p + 9 * left]
    above, under = comb.intersection(shapely.Polygon(half)), comb - shapely.Polygon(half)
    rings = polygons(lesson.axes("10-4")[0])
    parts = [shapely.Polygon(ring) for ring in polygons(lesson.axes("10-4")[1])]
    assert len(rings) == 2
    assert not shapely.Polygon(rings[0]).is_valid  # its bridges run to and fro on the line
    assert len(parts) == 5
    assert all(part.is_valid for part in parts)
    for teeth, shift, wanted in ((parts[:4], 0.35, above), (parts[4:], -0.35, under)):
        shown = shapely.affinity.translate(shapely.union_all(teeth), 0, -shift)
        assert shown.symmetric_difference(wanted).area < 1e-12
    assert sum(part.area for part in parts) == pytest.approx(comb.area, rel=1e-14)


def test_the_parts_of_the_plate_fly_freely_and_their_centre_with_them(lesson):
    track = lesson.line("10-5", "centre of mass of all parts")
    whole = lesson.line("10-5", "of the plate that is whole")
    t = np.arange(61) * DT
    parabola = np.column_stack([9 * t, 5 * t - 0.5 * G * t**2 - G * t * DT / 16])  # 8 substeps
    np.testing.assert_allclose(whole, parabola, atol=1e-9)
    np.testing.assert_allclose(track, parabola[::3], atol=1e-5)
    rings = polygons(lesson.axes("10-5")[0])
    assert len(rings) == 12
    plate = lesson.geometry.area([(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)])
    assert plate == pytest.approx(8.1)
    for moment in (rings[:4], rings[4:8], rings[8:]):
        assert sum(map(lesson.geometry.area, moment)) == pytest.approx(plate, rel=1e-12)
    # Spin 4 for a second: each part has turned by 4 rad.
    for start, end in zip(rings[:4], rings[8:], strict=True):
        turned = lesson.geometry.rotate(start - start.mean(axis=0), 4.0)
        np.testing.assert_allclose(end - end.mean(axis=0), turned, atol=1e-4)


def test_spots_are_marked_by_what_is_under_them(lesson):
    inside = lesson.line("10-6", "spot in a tile")
    outside = lesson.line("10-6", "spot that is free")
    assert len(inside) + len(outside) == 8 * 5
    for points, wanted in ((inside, True), (outside, False)):
        column, row = np.floor(points).astype(int).T
        assert (lesson.CELLS[row, column] == wanted).all()


def test_snapped_boxes_are_free_and_flush(lesson):
    ax = lesson.axes("10-6")[0]
    assert len(ax.patches) == 10
    for before, after in zip(ax.patches[::2], ax.patches[1::2], strict=True):
        shift = np.subtract(after.get_xy(), before.get_xy())
        assert np.count_nonzero(shift) == 1
        axis = np.flatnonzero(shift)[0]
        low = np.array(after.get_xy())
        high = low + np.array([after.get_width(), after.get_height()])
        side = (low if shift[axis] > 0 else high)[axis]
        assert side == pytest.approx(round(side), abs=1e-12)
        first, last = np.floor(low + 1e-9).astype(int), np.ceil(high - 1e-9).astype(int)
        assert not lesson.CELLS[first[1] : last[1], first[0] : last[0]].any()


def test_the_lamp_lights_what_no_tile_hides(lesson):
    """Against Shapely: the first point of each ray on the union of the tiles."""
    shapely = pytest.importorskip("shapely")
    row, column = np.nonzero(lesson.CELLS)
    solid = shapely.union_all(shapely.box(column, row, column + 1, row + 1))
    points = lesson.line("10-7", "first points of rays")
    lamp = np.array([10.5, 6.3])
    assert len(points) == 481
    for point, way in list(zip(points, lesson.rays, strict=True))[::8]:
        met = shapely.LineString([lamp, lamp + way]).intersection(solid)
        assert shapely.Point(lamp).distance(met) == pytest.approx(np.hypot(*(point - lamp)))
        assert abs((point - lamp)[0] * way[1] - (point - lamp)[1] * way[0]) < 1e-9
    assert len(lesson.merged) < lesson.CELLS.sum() / 5
    boxes = shapely.box(*lesson.merged.reshape(-1, 4).T)
    assert shapely.union_all(boxes).symmetric_difference(solid).area == 0


def test_half_a_step_of_gravity_reaches_the_ledge(lesson):
    v = np.sqrt(2 * G * 3.05)
    for name, start in (("jump_velocity", v), ("half a step more", v + 0.5 * G * DT)):
        t, y = lesson.line("10-8", name, 1).T
        k = np.round(t / DT)
        np.testing.assert_allclose(y, k * start * DT - 0.5 * G * DT**2 * k * (k + 1), atol=1e-9)
    feet = {name: lesson.line("10-8", name) for name in lesson.runs}
    assert feet["jump_velocity"][:, 1].max() < 4
    assert feet["half a step more"][-1, 1] == pytest.approx(4, abs=0.05)
    for path in feet.values():  # never in the ledge: columns 6 to 8, row 3; boxes are 0.8 wide
        in_ledge = (path[:, 0] + 0.8 > 6 + 1e-9) & (path[:, 1] < 4) & (path[:, 1] + 1.4 > 3)
        assert not in_ledge.any()


def test_shot_and_target_fall_alike_and_meet(lesson):
    shot, target = lesson.line("10-9", "shot"), lesson.line("10-9", "target")
    (aim,), (fallen,) = lesson.line("10-9", "lead_target"), lesson.line("10-9", "less $g\\tau^2/2$")
    tau = np.hypot(*(aim - shot[0])) / 16
    np.testing.assert_allclose(aim, target[0] + tau * np.array([-2, 8]), atol=1e-9)
    np.testing.assert_allclose(aim - fallen, [0, 0.5 * G * tau**2], atol=1e-9)
    t = 6 * DT / 4 * np.arange(len(shot))
    fall = np.column_stack([0 * t, 0.5 * G * t**2 + G * t * DT / 64])
    start = shot[0] + t[:, None] * 16 * (aim - shot[0]) / np.hypot(*(aim - shot[0]))
    np.testing.assert_allclose(shot, start - fall, atol=1e-9)
    np.testing.assert_allclose(target, target[0] + t[:, None] * [-2, 8] - fall, atol=1e-9)
    assert np.hypot(*(lesson.paths[-1] - fallen).T).max() < 0.4
