"""What the engine asks of the processor itself, against what the system says of it."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

import pyphys2d as p2

FLAGS = {
    "scalar": set(),
    "sse2": {"sse2"},
    "avx2": {"avx2"},
    "avx512vl": {"avx512f", "avx512vl", "avx512bw", "avx512dq"},
}


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not Path("/proc/cpuinfo").exists(), reason="x86-64, Linux"
)
def test_kernels_are_those_that_the_system_names():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    flags = set(next(line for line in lines if line.startswith("flags")).split())
    assert p2.simd.available == tuple(name for name, needs in FLAGS.items() if needs <= flags)
