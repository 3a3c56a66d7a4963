"""The fuzzer of the interface, in short; that it reaches all there is and finds what is wrong; and
what it has found before.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pyphys2d as p2

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import catalogue  # noqa: E402

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs run in forked children")


def run(*arguments):
    """In a process of its own, since a fork of this one would take pytest along."""
    command = [sys.executable, *map(str, arguments)]
    here = {**os.environ, "PYTHONPATH": str(Path(p2.__file__).parent.parent)}
    done = subprocess.run(command, env=here, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def run_script(text, folder):
    script = folder / "script.py"
    script.write_text(text)
    run(script, HERE)


SHORT = """
import sys
sys.path.insert(0, sys.argv[1])
import api, generate

campaign = api.Campaign(15, found=None, times=2, programs=30)
LUCK = ("Contour", "Ground", "TileHit")
everything = {each.key for each in generate.ENTRIES if each.owner not in LUCK}
for calls in 45_000, 90_000, 180_000:  # those are met by luck alone, others need some
    assert campaign.run(calls=calls) == 0
    missing = everything - campaign.tried
    if not missing:
        break
assert not missing, sorted(missing)
assert campaign.failing > campaign.calls / 10
assert campaign.refused < campaign.calls / 2
"""


@pytest.mark.slow
def test_thousands_of_calls_reach_everything_and_find_nothing(tmp_path):
    """Most of them succeed: those that are refused at once find nothing."""
    run_script(SHORT, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((HERE / "found").glob("*.py")), ids=lambda path: path.stem)
def test_programs_that_had_faults(path):
    run(HERE / "api.py", "--replay", path)


def test_the_catalogue_follows_the_stubs():
    text = """
_Some: TypeAlias = float | None
class World:
    def new_method(self, point: npt.ArrayLike, *, size: _Number = 1.0, mode: _Some) -> Body: ...
    @property
    def weight(self) -> float: ...
    @weight.setter
    def weight(self, value: _Number, /) -> None: ...
_Number: TypeAlias = SupportsFloat | SupportsIndex
"""
    new, get, put = catalogue.Source(text, "core").entries()
    assert (new.key, get.key, put.key) == ("World.new_method", "World.weight", "World.weight=")
    assert [each.name for each in new.parameters] == ["point", "size", "mode"]
    assert [each.kinds for each in new.parameters] == [
        ("ArrayLike",),
        ("float", "int"),
        ("float", "None"),
    ]
    assert [each.required for each in new.parameters] == [True, False, True]
    assert new.returns == ("Body",)


PLANTED = """
import sys
sys.path.insert(0, sys.argv[1])
import os
import api, catalogue, generate

class Space:
    @staticmethod
    def spoil(world, factor):
        world.bodies[0].angle = 1.5
        raise ValueError("factor: must be another")

    @staticmethod
    def crash(world, factor):
        os.abort()

STUB = "def {0}(world: World, factor: _Number) -> None: ..."
for name, sign in (("spoil", "ValueError of spoil left a change"), ("crash", "SIGABRT")):
    entries = list(catalogue.Source(STUB.format(name), "space").entries())
    campaign = api.Campaign(1, [*generate.ENTRIES, *entries * 40], {"space": Space}, found=None)
    assert campaign.run(calls=1)
    (lines,) = (small for found, small in campaign.small.items() if sign in found)
    assert len(lines) <= 4 and f"space.{name}(" in lines[-1], lines
"""


@pytest.mark.slow
def test_a_planted_fault_is_found_and_made_small(tmp_path):
    """A call that raises after it has changed the world, and one that ends the process."""
    run_script(PLANTED, tmp_path)
