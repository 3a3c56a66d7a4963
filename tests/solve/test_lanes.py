"""Same bits: every SIMD width, two processes, every broad phase, the golden file."""

import json
from pathlib import Path

import pytest
from scenes_for_tests import run_python

import pyphys2d as p2

GOLDEN = Path(__file__).parent.parent / "golden"

CODE = """
import sys; sys.path.insert(0, {folder!r})
import json
from golden_scenes import hashes
print(json.dumps(hashes({names!r})))
"""


def hashes_in_a_new_process(names=None, **environment):
    done = run_python("-c", CODE.format(folder=str(GOLDEN), names=names), **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def golden():
    return json.loads((GOLDEN / "hashes.json").read_text())


WIDTHS = ["scalar", "sse2", "avx2", "avx512vl", "neon"]


@pytest.mark.parametrize(
    "width",
    [
        pytest.param(width, marks=[pytest.mark.slow] * (width != p2.simd.available[-1]))
        for width in WIDTHS
    ],
)
def test_every_width_gives_the_golden_bits(width, golden):
    if width not in p2.simd.available:
        pytest.skip(f"this machine has no {width}")
    assert hashes_in_a_new_process(PYPHYS2D_SIMD=width) == golden


def test_two_processes_give_the_same_bits():
    names = ["mixed", "pyramid"]
    assert hashes_in_a_new_process(names) == hashes_in_a_new_process(names)


def test_an_unknown_width_is_refused_or_named():
    done = run_python("-c", "import pyphys2d as p2; p2.World()", PYPHYS2D_SIMD="mmx")
    assert "mmx" in done.stderr
    assert "Segmentation" not in done.stderr


def test_the_widths_of_a_machine_begin_with_plain_c():
    widths = ["scalar", "sse2", "avx2", "avx512vl"]
    assert p2.simd.available in [tuple(widths[:k]) for k in range(1, 5)] + [("scalar", "neon")]
    assert p2.simd.name in p2.simd.available


def test_the_width_in_use_is_shown():
    done = run_python("-c", "import pyphys2d as p2; print(p2.simd)", PYPHYS2D_SIMD="scalar")
    assert "scalar" in done.stdout
