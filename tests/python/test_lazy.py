"""Names that the package imports when they are first used, and what is said without an extra."""

import sys

import pytest
from scenes_for_tests import run_python

import pyphys2d as p2

LAZY = ["Trajectory", "load", "plot", "save", "scenes", "simulate"]


def output_of(code):
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_brings_numpy_and_nothing_else():
    """Of what is not Python's own, in an interpreter that has all extras."""
    found = output_of("""
import sys, numpy
before = {name.partition(".")[0] for name in sys.modules}
import pyphys2d
after = {name.partition(".")[0] for name in sys.modules}
print(*sorted(after - before - set(sys.stdlib_module_names)))
print(*[name for name in sys.modules if name.startswith(("pyphys2d.plot", "pyphys2d.scenes"))])
""")
    assert found == "pyphys2d"


@pytest.mark.parametrize("name", LAZY)
def test_lazy_names_are_there_after_a_plain_import(name):
    expected = {
        "Trajectory": "type",
        "simulate": "function",
        "save": "function",
        "load": "function",
    }.get(name, "module")
    found = output_of(f"""
import pyphys2d as p2
assert {name!r} in dir(p2)
assert {name!r} not in vars(p2)
first = p2.{name}
assert vars(p2)[{name!r}] is first is p2.{name}
from pyphys2d import {name}
assert {name} is first
print(type(first).__name__)
""")
    assert found == expected


def test_every_plot_function_is_reached_lazily():
    code = """
import pyphys2d as p2
world = p2.World()
world.add_body(p2.Circle(1))
print(p2.plot.world(world).has_data())
print(*sorted(name for name in p2.plot.__all__ if name.islower()))
"""
    drawn, names = output_of(code).splitlines()
    assert drawn == "True"
    assert names == (
        "aabbs animate clip contacts energy gjk hull islands joints momentum paths penetration "
        "polygon sat shape stage toi tree velocities world"
    )


def test_without_matplotlib_the_extra_is_named():
    found = output_of("""
import sys
sys.modules["matplotlib"] = None
import pyphys2d as p2
from pyphys2d import geometry
world = p2.World()
world.add_body(p2.Circle(1))
trace = geometry.sat(p2.Circle(1), p2.Circle(1))
assert trace._repr_html_() and world._repr_svg_()
for look in (lambda: p2.plot.Bodies, lambda: p2.plot.world(world), trace.plot):
    try:
        look()
    except ImportError as error:
        print(error)
assert "scenes" in dir(p2)
""")
    message = "pyphys2d.plot needs Matplotlib (the extra 'plot'): pip install 'pyphys2d[plot]'"
    assert found.splitlines() == [message] * 3


def test_names_are_not_offered_that_would_fail():
    found = output_of("""
import pyphys2d as p2
p2._lazy.find_spec = lambda name: name == "pygame" or None
print([name in dir(p2) for name in ("Trajectory", "plot", "scenes")])
print([name for name in dir(p2.plot) if name[0] != "_" and name != "TYPE_CHECKING"])
""")
    assert found.splitlines() == ["[True, True, True]", "['pygame']"]


@pytest.mark.parametrize("library", ["arcade", "pygame", "pyglet"])
def test_debug_draw_needs_its_own_library_alone(library):
    found = output_of(f"""
import sys
sys.modules["matplotlib"] = sys.modules["{library}"] = None
import pyphys2d as p2
import pyphys2d.plot._debug_draw
try:
    p2.plot.{library}
except ImportError as error:
    print(error)
""")
    assert f"pip install 'pyphys2d[{library}]'" in found


def test_other_names_are_still_wrong():
    with pytest.raises(AttributeError, match="module 'pyphys2d' has no attribute 'plots'"):
        p2.plots  # noqa: B018
    assert "pyphys2d.plots" not in sys.modules
