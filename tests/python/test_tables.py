"""Tables: every structured array that the library gives out is what data frames take, and has its
vectors as arrays (n, 2)."""

import copy
import io
import pickle

import numpy as np
import pytest
from matplotlib.figure import Figure

import pyphys2d as p2
from pyphys2d import _tables, geometry, tiles

EVENTS = [name for name in dir(p2.Events) if not name.startswith("_")]


def busy_world():
    """Something of everything: contacts, hits, sensors, joints, one that breaks, sleepers."""
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(1, 1), [(0, 0.5), (0, 1.5), (3, 0.5)])
    world.add_body(p2.Circle(0.3), (-3, 4), velocity=(0, -5))
    zone = world.add_body(p2.Box(2, 2), (-3, 1), kind="static", sensor=True)
    bob = world.add_body(p2.Circle(0.2), (6, 3))
    world.add_revolute_joint(None, bob, anchor=(5, 3))
    weak = world.add_body(p2.Circle(0.2), (8, 3))
    world.add_revolute_joint(None, weak, anchor=(7, 3), break_force=0.1)
    world.step(n=90)
    return world, zone


def tables():
    """Name and structured array of each."""
    world, _ = busy_world()
    rows = {f"events.{name}": getattr(world.events, name) for name in EVENTS}
    seen = []
    world.bodies[1].colliders[0].pre_solve = True
    world.on_pre_solve = lambda contacts: seen.append(contacts.copy())
    world.step()
    world.on_pre_solve = None
    drawing = world.draw_list()
    tree = p2.AABBTree()
    tree.insert((0, 0), (1, 1))
    pile = [p2.Box(1, 1), p2.Circle(1)]
    poses = np.array([(0, 0, 0), (0.2, 1.2, 0.3)])
    grid = tiles.TileMap(np.eye(3, dtype=bool))
    rows |= {
        "contacts": world.contacts,
        "body.contacts": world.bodies[1].contacts,
        "pairs": world.pairs,
        "joint_state": world.joint_state,
        "tree": world.tree(),
        "nodes": tree.nodes,
        "pre_solve": seen[0],
        "rays": world.cast_rays([(0, 9), (1, 9)], [(0, -20), (0, 20)]),
        "casts": world.cast_shapes(p2.Circle(0.1), (0, 9, 0), [(0, -20), (0, 20)]),
        "impacts": world.times_of_impact(p2.Circle(0.1), (0, 9, 0), [(0, -9, 0), (0, 20, 0)]),
        "distances": world.distances([(0, 9), (1, 9)], k=2).ravel(),
        "overlaps": world.overlaps(p2.Box(9, 9)),
        "explosion": world.explode((0, 3), 5, 1),
        "drawing.colliders": drawing.colliders,
        "drawing.joints": drawing.joints,
        "drawing.contacts": drawing.contacts,
        "tiles": grid.cast_ray(np.zeros((2, 2)), [(1, 1), (2, 1)]),
        "geometry.distance": geometry.distance(pile, p2.Circle(1), poses),
        "geometry.collide": geometry.collide(pile, p2.Circle(1), poses),
        "geometry.toi": geometry.time_of_impact(pile, p2.Circle(1), poses, poses, poses, poses),
    }
    for stage in world.stages():
        for name, array in stage.arrays.items():
            if array.dtype.names:
                rows[f"stage.{stage.name}.{stage.index}.{name}"] = array
    return rows


TABLES = tables()


def test_the_tables_hold_something():
    empty = {name for name, rows in TABLES.items() if not len(rows)}
    some = ("stage.", "events.wake", "events.contact_end", "events.sensor_end")
    assert not {name for name in empty if not name.startswith(some)}


@pytest.mark.parametrize("name", TABLES)
def test_a_data_frame_has_a_column_for_each_number(name):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = TABLES[name]
    for frame in (pandas.DataFrame(rows), polars.DataFrame(rows)):
        assert list(frame.columns) == list(rows.dtype.names)
        assert len(frame) == len(rows)
        for column in rows.dtype.names:
            values = frame[column].to_numpy()
            np.testing.assert_array_equal(values, rows[column])
            assert values.dtype == rows.dtype[column]


@pytest.mark.parametrize("name", TABLES)
def test_vectors_are_keys_over_their_columns(name):
    """A key that is no column is the columns x and y, or 0 and 1, or both, over the same bytes."""
    rows = TABLES[name]
    for key in set(rows.dtype.fields) - set(rows.dtype.names):
        vectors = rows[key]
        shape = vectors.shape[1:]
        parts = {
            ((2,), False): ["x", "y"],
            ((2,), True): ["0", "1"],
            ((2, 2), True): ["0_x", "0_y", "1_x", "1_y"],
        }[shape, key.endswith("s")]
        assert [column for column in rows.dtype.names if column.startswith(key + "_")][
            : len(parts)
        ] == [f"{key}_{part}" for part in parts]
        for part, k in zip(parts, np.ndindex(shape), strict=True):
            np.testing.assert_array_equal(rows[f"{key}_{part}"], vectors[(slice(None), *k)])
        if len(rows):
            assert np.shares_memory(rows, vectors)


@pytest.fixture(scope="module")
def contacts():
    world, _ = busy_world()
    return world.contacts


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t[1:],
        lambda t: t[t["age"] > 0],
        lambda t: t.copy(),
        copy.deepcopy,
        lambda t: pickle.loads(pickle.dumps(t)),
        lambda t: np.concatenate([t, t]),
        lambda t: np.sort(t, order="body_b"),
        lambda t: np.append(t, t[:1]),
        lambda t: np.zeros(3, t.dtype),
        lambda t: np.stack([t, t]),
        lambda t: t.view(np.recarray),
        lambda t: t[["body_a", "normal"]],
        lambda t: _tables.join([t]),
        lambda t: _tables.join([t, t[:0], t]),
    ],
)
def test_vectors_survive(contacts, change):
    changed = change(contacts)
    assert changed["normal"].shape == (*changed.shape, 2)


def test_a_row_has_its_vectors(contacts):
    row = contacts[0]
    np.testing.assert_array_equal(row["point"], (row["point_x"], row["point_y"]))
    row["normal"] = (3, 4)
    assert (contacts["normal_x"][0], contacts["normal_y"][0]) == (3, 4)
    contacts["point"][:, 1] = 7
    assert (contacts["point_y"] == 7).all()


def test_what_has_lost_its_vectors_can_be_read_and_drawn(contacts):
    file = io.BytesIO()
    np.save(file, contacts)
    file.seek(0)
    lost = np.load(file)
    assert "normal" not in lost.dtype.fields
    for name in ("normal", "point"):
        assert _tables.has(lost, name)
        np.testing.assert_array_equal(_tables.vector(lost, name), contacts[name])
    assert not _tables.has(lost, "nothing")
    drawn = [p2.plot.contacts(rows, Figure().add_subplot()) for rows in (contacts, lost)]
    offsets = [[c.get_offsets().tolist() for c in axes.collections] for axes in drawn]
    assert offsets[0] == offsets[1]
    assert any(offsets[0])
