"""Results with named attributes: copies, pickles, and what is made of pickles that lie."""

import copy
import pickle

import numpy as np
import pytest

import pyphys2d as p2
import pyphys2d.geometry as g
from pyphys2d import _core

BOX, STILL = p2.Box(2, 2), (0, 0, 0)
RECORDS = {
    "distance": lambda: g.distance(BOX, p2.Circle(1), pose_b=(5, 1, 0)),
    "impact": lambda: g.cast_shape(BOX, p2.Circle(1), translation_b=(5, 1), pose_b=(-9, 0, 0)),
    "miss": lambda: g.cast_shape(BOX, p2.Circle(1), translation_b=(5, 1), pose_b=(9, 0, 0)),
    "two points": lambda: g.collide(BOX, BOX, pose_b=(1.5, 0.5, 0)),
    "one point": lambda: g.collide(BOX, p2.Circle(1), pose_b=(1.5, 0, 0)),
    "no points": lambda: g.collide(BOX, p2.Circle(1), pose_b=(9, 0, 0)),
    "tile": lambda: g.TileMap([[0, 0, 1]]).cast_ray((0.5, 0.5), (4, 0)),
}


def names(record):
    return [name for name in dir(record) if not name.startswith("_")]


@pytest.mark.parametrize("make", RECORDS.values(), ids=RECORDS.keys())
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_records_can_be_pickled_and_copied(make, protocol):
    record = make()
    for again in (
        pickle.loads(pickle.dumps(record, protocol)),
        copy.copy(record),
        copy.deepcopy(record),
    ):
        assert type(again) is type(record)
        assert repr(again) == repr(record)
        for name in names(record):
            ours, theirs = np.asarray(getattr(record, name)), np.asarray(getattr(again, name))
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            assert ours.tobytes() == theirs.tobytes()
            assert type(getattr(again, name)) is type(getattr(record, name))
        if "points" in names(record):
            assert bool(again) == bool(record)
            assert again._repr_html_() == record._repr_html_()


def test_a_copy_has_arrays_of_its_own():
    record = g.collide(BOX, BOX, pose_b=(1.5, 0, 0))
    again = copy.copy(record)
    again.points[:] = 7
    again.features[:] = 7
    assert not (record.points == 7).any()
    assert not (record.features == 7).any()


def test_what_holds_handles_has_no_pickle():
    world = p2.World()
    world.add_body(BOX)
    hit = world.cast_ray((-5, 0), (10, 0))
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(hit)


V, NO = np.zeros(2), np.zeros(0)


@pytest.mark.parametrize(
    ("name", "fields", "error", "message"),
    [
        ("Circle", (), ValueError, "name"),
        ("Distance", (), ValueError, "fields: must be 4, got 0"),
        ("Distance", ("x", V, V, V), TypeError, "number"),
        ("Distance", (1.0, V, np.zeros(3), V), ValueError, r"fields\[2\]: must have shape \(2,\)"),
        ("Distance", (1.0, None, V, V), TypeError, r"fields\[1\]"),
        ("Impact", ("yes", 1.0, V, V), TypeError, r"fields\[0\]"),
        ("TileHit", (2**40, 0, 1.0, V, V), ValueError, r"fields\[0\]: must be <= 2147483647"),
        ("Manifold", (V, V, V, V), ValueError, r"fields\[1\]"),
        ("Manifold", (V, np.zeros((3, 2)), np.zeros(3), np.zeros(3)), ValueError, r"fields\[1\]"),
        ("Manifold", (V, np.zeros((2, 2)), np.zeros(1), np.zeros(2)), ValueError, r"fields\[2\]"),
        ("Manifold", (V, np.zeros((2, 2)), V, V), TypeError, "uint32"),
        ("Manifold", (V, np.zeros((0, 2)), NO, np.zeros((), np.uint32)), ValueError, "fields"),
    ],
)
def test_fields_that_are_none(name, fields, error, message):
    with pytest.raises(error, match=message):
        _core._record(name, fields)


def test_records_are_made_of_a_name_and_a_tuple():
    for arguments in ((), ("Distance",), (3, ()), ("Distance", [1.0, V, V, V])):
        with pytest.raises(TypeError, match=r"_record\(\) takes a name and a tuple"):
            _core._record(*arguments)
