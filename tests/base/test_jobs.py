"""The team of threads: every chunk once a run, whatever the team, the load and the processes."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scenes_for_tests import run_python

from pyphys2d import _core

run_jobs = pytest.importorskip("pyphys2d._testing").run_jobs
NO_THREADS = "no_threads" in _core.build_switches.split()


@pytest.mark.parametrize("workers", [2, 3, 8])
@pytest.mark.parametrize("chunks", [0, 1, 2, 3, 7, 100, 1000])
def test_every_chunk_is_done_once_a_run(workers, chunks):
    seen, threads = run_jobs(workers, 50, chunks, 20)
    assert threads == (0 if NO_THREADS else workers - 1)
    np.testing.assert_array_equal(seen, np.full(chunks, 50))


@pytest.mark.parametrize("chunks", [65534, 65535, 65536, 200_001])
def test_more_chunks_than_a_claim_can_name(chunks):
    seen, _ = run_jobs(2, 3, chunks, 0)
    np.testing.assert_array_equal(seen, np.full(chunks, 3))


def test_many_short_runs():
    """Threads that look for work, that fall asleep, and that are about to."""
    seen, _ = run_jobs(3, 20_000, 4, 10)
    np.testing.assert_array_equal(seen, np.full(4, 20_000))


def test_more_teams_than_cores():
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: run_jobs(4, 300, 13, 200), range(6)))
    for seen, _ in results:
        np.testing.assert_array_equal(seen, np.full(13, 300))


@pytest.mark.skipif(NO_THREADS or not os.path.isdir("/proc/self/task"), reason="counts threads")
def test_threads_end_with_their_team():
    code = """
import os, pyphys2d as p2
count = lambda: len(os.listdir("/proc/self/task"))
before = count()
world = p2.World(workers=5)
world.add_body(p2.Circle(1))
assert count() == before, "no threads before they are wanted"
world.step()
assert count() == before + 4, count()
other = p2.World(workers=2)
other.add_body(p2.Circle(1))
other.step()
assert count() == before + 5
del world, other
assert count() == before, count()
"""
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr
