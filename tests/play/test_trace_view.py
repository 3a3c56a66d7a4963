"""Traces whose shapes are dragged: what is shown is the trace of where they are."""

import base64
import re

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import geometry
from pyphys2d.traces import _live

pytest.importorskip("anywidget")

from pyphys2d.jupyter import TraceView

KITE = p2.Polygon([(0, 0), (2, 0), (2.3, 1.2), (1, 2)])
BOX = p2.Box(2, 1)
STILL = (0.0, 0.0, 0.0)
MAKE = {
    "sat": lambda pose: geometry.sat(KITE, BOX, pose_b=pose),
    "clip": lambda pose: geometry.clip(KITE, BOX, pose_b=pose),
    "gjk": lambda pose: geometry.gjk(KITE, BOX, pose_b=pose),
    "toi": lambda pose: geometry.toi(KITE, BOX, STILL, STILL, pose, (0, -3, 1)),
}


def drag(view, body, by):
    """As the pointer does it, from the middle of a body."""
    session = view.session
    session.connect("hand", lambda message, data: None)
    x, y = body.position
    for phase, step in (("down", (0, 0)), ("move", by), ("up", by)):
        at = {"x": float(x + step[0]), "y": float(y + step[1])}
        session.receive("hand", {"type": "grab", "phase": phase, "body": body.index, **at})


@pytest.mark.parametrize("kind", MAKE)
def test_a_dragged_shape_has_the_trace_of_its_place(kind):
    view = MAKE[kind]((0.5, 2.5, 0.2)).live()
    assert isinstance(view, TraceView)
    drag(view, view.world.bodies[1], (0.25, -0.5))
    expected = MAKE[kind]((0.75, 2.0, 0.2))
    assert repr(view.trace) == repr(expected)
    for name in vars(expected):
        found, wanted = getattr(view.trace, name), getattr(expected, name)
        if isinstance(wanted, np.ndarray):
            np.testing.assert_array_equal(found, wanted)
    assert view.session.marks()[-1]["text"] == repr(expected)[1:-1]


def test_angles_are_turned_by_sliders():
    view = MAKE["sat"]((0.5, 2.0, 0.0)).live()
    (slider,) = (c for c in view.session.controls.values() if c.message["label"] == "Angle of B")
    slider.set(30.0)
    assert repr(view.trace) == repr(MAKE["sat"]((0.5, 2.0, np.radians(30))))
    assert slider.get() == 30.0


def test_ends_of_a_motion_are_dragged_too():
    view = MAKE["toi"]((0.5, 4.0, 0.0)).live()
    assert [body.name for body in view.world.bodies] == ["A", "B", "B, end"]
    drag(view, view.world.bodies[2], (1.0, 0.5))
    expected = geometry.toi(KITE, BOX, STILL, STILL, (0.5, 4, 0), (1, -2.5, 1))
    np.testing.assert_allclose(view.trace.end_b, (1, -2.5, 1))
    assert repr(view.trace) == repr(expected)


def test_marks_are_the_picture_of_the_trace():
    trace = MAKE["sat"]((0.5, 2.0, 0.2))
    found = _live.marks(trace, np.zeros(2))
    (arrow,) = (mark for mark in found if mark["kind"] == "arrow")
    assert np.subtract(*arrow["points"][::-1]) == pytest.approx(trace.mtv)
    assert sum(mark["kind"] == "area" for mark in found) == 2  # the intervals, not the shapes
    # Of the difference all distances are those of the trace, wherever it stands.
    trace = MAKE["gjk"]((4, 1.5, 0.2))
    found = _live.marks(trace, np.array([7.0, 1.0]))
    lines = [np.array(mark["points"]) for mark in found if mark["color"] == 2]
    lengths = [np.hypot(*(q - p)) for p, q in (line for line in lines if len(line) == 2)]
    assert lengths == pytest.approx([trace.distances[-1], trace.distance])
    assert any((line[0] == (7, 1)).all() for line in lines)  # from the origin of the difference


def test_the_still_picture_goes_with_the_view():
    trace = MAKE["clip"]((0.5, 2.0, 0.2))
    data, _ = trace.live()._repr_mimebundle_()
    picture = re.search(r"<svg.*</svg>", trace._repr_html_(), re.DOTALL)[0]
    assert base64.b64encode(picture.encode()).decode() in data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in data


def test_without_the_extra_a_trace_stays_what_it_is(monkeypatch):
    monkeypatch.setattr(_live, "find_spec", lambda name: None)
    trace = MAKE["gjk"]((4, 1.5, 0.2))
    assert trace.live() is trace


def test_only_traces_can_be_shown():
    with pytest.raises(TypeError, match=r"trace: must be one with live\(\), got World"):
        TraceView(p2.World())


@pytest.mark.parametrize(
    "shapes", [(p2.Segment((0, 0), (2, 0)), p2.Circle(0.5)), (p2.Capsule((0, 0), (1, 0), 0.2), BOX)]
)
def test_every_convex_shape_can_be_dragged(shapes):
    view = geometry.sat(*shapes, pose_b=(1, 0.3, 0)).live()
    drag(view, view.world.bodies[1], (0.5, 0.5))
    assert repr(view.trace) == repr(geometry.sat(*shapes, pose_b=(1.5, 0.8, 0)))
