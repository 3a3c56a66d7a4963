"""The machinery behind the functions of pyphys2d.geometry whose result has a fixed shape."""

import doctest
import inspect
import re
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

import pyphys2d as p2
import pyphys2d.geometry as g

SQUARE = np.array([(0, 0), (2, 0), (2, 2), (0, 2)], float)
BOX = np.array([(0, 0), (2, 2)], float)

# Arguments of every function, one element each; the axes of an element are those of its argument.
CALLS = {
    "aabb_overlap": (BOX, BOX + 1),
    "area": (SQUARE,),
    "centroid": (SQUARE,),
    "circle_vs_aabb": ((3.0, 1), 1.5, BOX),
    "circle_vs_circle": ((3.0, 1), 1.5, (0.0, 1), 1.0),
    "closest_on_aabb": ((3.0, 1), BOX),
    "closest_on_segment": ((3.0, 1), (0.0, 0), (4.0, 4)),
    "direction": (0.5,),
    "edges": (SQUARE,),
    "heading": ((3.0, 1),),
    "is_convex": (SQUARE,),
    "jump_velocity": (3.0, 9.0),
    "lead_target": ((0.0, 0), (5.0, 1), (0.0, 1), 3.0),
    "line_intersection": ((0.0, 0), (1.0, 1), (0.0, 4), (1.0, 3)),
    "normals": (SQUARE,),
    "point_in_aabb": ((1.0, 1), BOX),
    "point_in_circle": ((1.0, 1), (0.0, 1), 2.0),
    "point_in_polygon": ((1.0, 1), SQUARE),
    "project": ((3.0, 1), (1.0, 1)),
    "ray_vs_segment": ((0.0, 0), (1.0, 1), (0.0, 4), (4.0, 0)),
    "rotate": (SQUARE, 0.5, (1.0, 1)),
    "second_moment": (SQUARE, 2.0, (1.0, 3)),
    "segment_intersection": ((0.0, 0), (3.0, 3), (0.0, 4), (4.0, 0)),
    "segment_vs_polygon": ((-1.0, 1), (3.0, 1), SQUARE),
    "signed_area": (SQUARE,),
    "transform": (SQUARE, (1.0, 2, 0.5)),
    "translate": (SQUARE, (1.0, 2)),
    "winding": (SQUARE,),
    "wrap_angle": (7.0,),
}
each_function = pytest.mark.parametrize("name", CALLS)


def names_of(function):
    return [n for n in inspect.signature(function).parameters if n not in ("method", "out")]


def test_all_of_them_are_here():
    signatures = {n: getattr(getattr(g, n), "__text_signature__", None) or "" for n in g.__all__}
    with_out = {n for n, signature in signatures.items() if "out=" in signature}
    assert set(CALLS) <= with_out


@each_function
def test_examples(name):
    text = getattr(g, name).__doc__
    assert ">>>" in text
    names = {n: getattr(g, n) for n in g.__all__}
    test = doctest.DocTestParser().get_doctest(text, names, name, name, 0)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


@each_function
def test_the_manual_lists_it_with_all_its_arguments(name, repository):
    manual = repository / "docs" / "geometry.md"
    if not manual.is_file():
        pytest.skip("the source tree is not here")
    rows = re.findall(rf"`{name}\(([^`]*)\)`", manual.read_text())
    assert rows
    listed = re.findall(r"\b([a-z]\w*)\b(?=[,=]|$)", rows[0])
    assert [n for n in listed if n != "method"] == names_of(getattr(g, name))


# ---------------------------------------------------------------- broadcasting


@each_function
@settings(max_examples=20)
@given(data=st.data())
def test_arrays_give_what_single_calls_give(name, data):
    function, arguments = getattr(g, name), [np.array(a, float) for a in CALLS[name]]
    shapes = data.draw(
        mutually_broadcastable_shapes(num_shapes=len(arguments), max_dims=3, max_side=4, min_side=0)
    )
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    arrays = []
    for argument, shape in zip(arguments, shapes.input_shapes, strict=True):
        noise = rng.uniform(0, 0.4, (*shape, *[1] * argument.ndim))  # keeps boxes and rings right
        arrays.append(argument + noise)
    found = function(*arrays)
    leading = shapes.result_shape
    wide = [np.broadcast_to(a, leading + b.shape) for a, b in zip(arrays, arguments, strict=True)]
    single = np.asarray(function(*arguments))
    assert np.shape(found) == leading + single.shape
    assert np.asarray(found).dtype == single.dtype
    for index in np.ndindex(*leading):
        expected = function(*[a[index] for a in wide])
        expected = np.full(2, np.nan) if expected is None else expected
        np.testing.assert_array_equal(np.asarray(found)[index], expected)


@each_function
def test_layouts_and_dtypes_of_arguments(name):
    function = getattr(g, name)
    arrays = [np.stack([np.asarray(a, float)] * 3) for a in CALLS[name]]
    expected = function(*arrays)
    for change in (
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: a[::-1],
        lambda a: a.astype(">f8"),
        lambda a: a.astype(object),
        lambda a: a.tolist(),
    ):
        np.testing.assert_array_equal(function(*map(change, arrays)), expected)
    halves = [a.astype(np.float32) for a in arrays]
    np.testing.assert_array_equal(function(*halves), function(*[a.astype(float) for a in halves]))


def test_single_calls_give_plain_values():
    assert type(g.area(SQUARE)) is float
    assert type(g.winding(SQUARE)) is int
    assert type(g.is_convex(SQUARE)) is bool
    assert type(g.point_in_polygon((1, 1), SQUARE)) is bool
    assert type(g.wrap_angle(np.array(7.0))) is float
    assert g.centroid(SQUARE).shape == (2,)
    assert g.area([SQUARE]).shape == (1,)
    assert g.winding([SQUARE]).dtype == np.int64
    assert g.point_in_polygon([(1, 1)], SQUARE).dtype == bool


@each_function
def test_arguments_by_name(name):
    function = getattr(g, name)
    names = names_of(function)
    assert len(names) == len(CALLS[name])
    by_name = function(**dict(zip(names, CALLS[name], strict=True)))
    np.testing.assert_array_equal(by_name, function(*CALLS[name]))


def test_arguments_that_may_be_left_out():
    assert g.second_moment(SQUARE, 1.0, None) == g.second_moment(SQUARE)
    assert g.jump_velocity(2.0) == g.jump_velocity(2.0, 9.81)
    np.testing.assert_array_equal(g.rotate(SQUARE, 1), g.rotate(SQUARE, 1, (0, 0)))


@each_function
def test_no_elements_give_an_empty_answer(name):
    function = getattr(g, name)
    arguments = [np.array(a, float) for a in CALLS[name]]
    none = function(np.empty((0, *arguments[0].shape)), *arguments[1:])
    assert np.shape(none)[0] == 0
    assert np.size(none) == 0
    assert none.dtype == np.asarray(function(*arguments)).dtype


def test_an_empty_list_of_points():
    assert g.point_in_polygon([], SQUARE).shape == (0,)
    assert g.heading([]).shape == (0,)
    assert g.closest_on_segment([], (0, 0), (1, 1)).shape == (0, 2)
    assert g.translate([], (1, 2)).shape == (0, 2)
    assert g.translate(SQUARE, []).shape == (0, 4, 2)
    with pytest.raises(ValueError, match=r"^polygon: must have shape"):
        g.point_in_polygon((1, 1), [])


def test_an_empty_list_of_points_is_one_everywhere():
    """Also for shapes, bodies, worlds and tile maps."""
    world = p2.World()
    body, tiles = world.add_body(p2.Box(1, 1), (3, 4)), g.TileMap([[1, 0]])
    for call in (body.contains, p2.Circle(1).contains, tiles.contains, tiles.overlaps):
        assert call([]).shape == (0,)
        assert call([]).dtype == bool
    for call in (body.to_world, body.to_local, body.velocity_at, p2.Box(1, 1).support, tiles.snap):
        assert call([]).shape == (0, 2)
    assert tiles.hit([]).shape == (0, 8)
    assert tiles.hit([], spots=4).shape == (0, 4)
    assert tiles.cast_ray([], (1, 0)).shape == tiles.cast_ray((1, 0), []).shape == (0,)
    assert world.cast_rays([], []).shape == world.cast_rays([], (1, 0)).shape == (0,)
    assert world.cast_rays((0, 0), []).shape == (0,)
    area, centroid, inertia = g.submerged(p2.Box(1, 1), 0, [])
    assert (area.shape, centroid.shape, inertia.shape) == ((0,), (0, 2), (0,))
    assert g.convex_hull([]).shape == (0, 2)
    with pytest.raises(ValueError, match=r"^origin: must have shape \(2,\), got \(0,\)"):
        g.TileMap([[1]], origin=[])
    with pytest.raises(ValueError, match=r"^points: must have shape \(..., 2\), got \(0, 3\)"):
        p2.Circle(1).contains(np.empty((0, 3)))


# ---------------------------------------------------------------- out


@each_function
def test_out(name):
    function = getattr(g, name)
    arguments = [np.stack([np.asarray(a, float)] * 5) for a in CALLS[name]]
    expected = function(*arguments)
    out = np.zeros_like(expected)
    assert function(*arguments, out=out) is out
    np.testing.assert_array_equal(out, expected)
    spread = np.zeros((5, 2, *expected.shape[1:]), np.result_type(expected, np.float32))
    assert function(*arguments, out=spread[::-1, 1]) is not None
    np.testing.assert_array_equal(spread[::-1, 1], expected.astype(spread.dtype))
    assert not spread[:, 0].any()
    single = np.zeros_like(expected[0])[...]
    assert function(*CALLS[name], out=single) is single
    np.testing.assert_array_equal(single, function(*CALLS[name]))


def test_out_may_be_an_argument():
    for shift in (0, 1):
        points = np.arange(20.0).reshape(10, 2)
        source, out = points[shift:], points[: len(points) - shift]
        expected = g.translate(source, (1, 2))
        g.translate(source, (1, 2), out=out)
        np.testing.assert_array_equal(out, expected)
    ring = SQUARE.copy()
    g.rotate(ring, 0.5, out=ring[::-1])
    np.testing.assert_array_equal(ring[::-1], g.rotate(SQUARE, 0.5))


def test_out_of_a_single_aim_that_misses():
    out = np.zeros(2)
    assert g.lead_target((0, 0), (8, 0), (2, 0), 1, out=out) is out
    assert np.isnan(out).all()


def test_out_that_will_not_do():
    rings = np.stack([SQUARE] * 3)
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    for out, error, message in [
        (np.zeros(2), ValueError, r"^out: must have shape \(3,\), got \(2,\)"),
        (np.zeros((3, 1)), ValueError, r"^out: must have shape"),
        (np.zeros((1, 3)), ValueError, r"^out: must have shape"),
        (frozen, ValueError, r"^out: must be writable"),
        (np.zeros(3, int), TypeError, r"^out: must take float64, got dtype int64"),
        (np.zeros(3, "S8"), TypeError, r"^out: must take float64"),
        (np.zeros(3, object), TypeError, r"^out: must take float64"),
        ([0.0] * 3, TypeError, r"^out: must be an array, got list"),
    ]:
        with pytest.raises(error, match=message):
            g.area(rings, out=out)
    assert g.area(rings, out=None).shape == (3,)


# ---------------------------------------------------------------- errors


@each_function
def test_errors_name_the_argument(name):
    function = getattr(g, name)
    names = names_of(function)
    for i, argument in enumerate(CALLS[name]):
        rest = list(CALLS[name])

        def call(bad, rest=rest, i=i):
            return function(*rest[:i], bad, *rest[i + 1 :])

        for bad in (np.nan, np.inf, -np.inf):
            spoilt = np.array(argument, float)
            spoilt.flat[-1] = bad
            with pytest.raises(ValueError, match=rf"^{names[i]}\b.*: must be finite, got {bad}"):
                call(spoilt)
            with pytest.raises(ValueError, match=rf"^{names[i]}\b.*: must be finite"):
                call(tuple(spoilt.tolist()) if spoilt.ndim == 1 else spoilt.tolist())
        for bad in ("no", 1j, object(), [object()] * 2):
            with pytest.raises(TypeError, match=rf"^{names[i]}: "):
                call(bad)
        if np.ndim(argument) > 0:
            for shape in ((), (1,), (4, 5), (2, 4, 5)):
                got = r"\(" if shape else r"the number 1\.0$"
                with pytest.raises(ValueError, match=rf"^{names[i]}: must have shape .*got {got}"):
                    call(np.ones(shape))
    with pytest.raises(TypeError, match="missing required argument"):
        function()
    with pytest.raises(TypeError, match="unexpected keyword"):
        function(*CALLS[name], outt=None)
    with pytest.raises(TypeError, match="at most"):
        function(*CALLS[name], *[1] * 6)


def test_errors_name_the_place_and_the_value():
    for call, message in [
        (lambda: g.point_in_circle((0, 0), (0, 0), -1), r"^radius: must be >= 0, got -1.0"),
        (lambda: g.point_in_circle((0, 0), (0, 0), [1, -2]), r"^radius\[1\]: must be >= 0, got -2"),
        (lambda: g.jump_velocity([[1, 2], [3, -4]]), r"^height\[1, 1\]: must be >= 0, got -4.0"),
        (lambda: g.second_moment(SQUARE, -1), r"^density: must be >= 0, got -1.0"),
        (lambda: g.lead_target((0, 0), (1, 1), (0, 0), -2), r"^speed: must be >= 0, got -2.0"),
        (
            lambda: g.point_in_aabb((0, 0), [BOX, BOX[::-1]]),
            r"^box\[1\]: must be \[\[lower\], \[upper\]\] .* got \[\[2.0, 2.0\], \[0.0, 0.0\]\]",
        ),
        (lambda: g.area([(0, 0), (1, 1)]), r"^vertices: must have shape .* n >= 3, got \(2, 2\)"),
        (lambda: g.translate([[(0, 0), (np.nan, 1)]], (0, 0)), r"^vertices\[0, 1, 0\]: .* got nan"),
        (
            lambda: g.project(np.ones((3, 2)), np.ones((4, 2))),
            r"^onto: leading axes \(4,\) do not broadcast with \(3,\)",
        ),
        (lambda: g.area(SQUARE, out=1), r"^out: must be an array, got int"),
        (lambda: g.wrap_angle(10**400), r"^angle: "),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            call()


def test_results_too_large_for_memory():
    a, b = np.zeros((2**20, 1, 1, 2)), np.zeros((2**20, 1, 2))
    c = np.zeros((2**20, 2))
    with pytest.raises((MemoryError, ValueError)):
        g.closest_on_segment(a, b, c)


# ---------------------------------------------------------------- threads, signals, memory


def long_call(count, out=None):
    angles = np.arange(2000) * 2 * np.pi / 2000
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    points = np.random.default_rng(0).uniform(-1, 1, (count, 2))
    return g.point_in_polygon(points, ring, "naive_crossings", out=out)


def test_other_threads_run_during_a_long_call():
    ticks, running = 0, threading.Event()

    def work():
        running.set()
        long_call(100_000)
        running.clear()

    thread = threading.Thread(target=work)
    thread.start()
    running.wait()
    while running.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 20


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")
def test_a_long_call_can_be_interrupted_and_leaves_out_alone():
    class InterruptError(Exception):
        pass

    def interrupt(*_):
        raise InterruptError

    out = np.full(300_000, 7, np.uint8)
    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(InterruptError):
            long_call(300_000, out)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert (out == 7).all()


def test_failing_allocations():
    testing = pytest.importorskip(
        "pyphys2d._testing",
        reason="LOUD: failing allocations are NOT tested, build with PYPHYS2D_TESTING=1",
    )
    points = np.random.default_rng(0).uniform(-1, 3, (5000, 2))
    expected = g.point_in_polygon(points, SQUARE)
    before, failures = testing.live_allocations(), 0
    for n in range(1, 20):
        out = np.full(5000, 7, np.uint8)
        testing.fail_allocation(n)
        try:
            g.point_in_polygon(points, SQUARE, out=out)
        except MemoryError:
            failures += 1
            assert (out == 7).all()
        else:
            break
        finally:
            testing.fail_allocation(0)
        assert testing.live_allocations() == before
    assert failures >= 3
    np.testing.assert_array_equal(out, expected)


def test_a_subclass_is_taken_as_a_plain_array():
    class Mine(np.ndarray):
        def __array_ufunc__(self, *_, **__):
            raise AssertionError("no ufunc of the subclass is called")

    rings = np.stack([SQUARE] * 3).view(Mine)
    out = np.zeros(3).view(Mine)
    assert g.area(rings, out=out) is out
    assert type(g.area(rings)) is np.ndarray
    assert out.tolist() == [4, 4, 4]
