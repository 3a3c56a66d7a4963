"""Shared settings of the test suite. The helpers live in `reference.py` and
`scenes_for_tests.py`.
"""

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent
sys.path.insert(0, str(TESTS))

# `python -m pytest` puts the source tree in front of the installed package. Without an extension
# built inside it, the tree cannot be what is meant.
if not list((TESTS.parent / "pyphys2d").glob("_core.*.so")):
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != TESTS.parent]

settings.register_profile(
    "default",
    deadline=None,  # no timed assertions: a slow machine is not a wrong engine
    derandomize=True,  # the same examples everywhere; explore with PYPHYS2D_HYPOTHESIS=search
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("search", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("PYPHYS2D_HYPOTHESIS", "default"))


def pytest_addoption(parser):
    """`--cases 6`: of a test with more cases, that many, the first and the last among them."""
    parser.addoption("--cases", type=int, metavar="N", help="of each test, at most N cases")


def spread(items, most):
    """Of these, at most so many, the first and the last among them."""
    count = min(most, len(items))
    return [items[k * (len(items) - 1) // max(count - 1, 1)] for k in range(count)]


def by_test(items):
    """Lists of the cases of a test."""
    cases = {}
    for item in items:
        cases.setdefault(item.nodeid.split("[")[0], []).append(item)
    return cases.values()


@pytest.hookimpl(hookwrapper=True)
def pytest_collection_modifyitems(config, items):
    """Marks as slow what `fast_cases` leaves. `--cases` is for lanes where a case takes ten times
    as long and shows faults of code, not of numbers.
    """
    for cases in by_test(items):
        if mark := cases[0].get_closest_marker("fast_cases"):
            cases = [item for item in cases if not item.get_closest_marker("slow")]
            fast = set(spread(cases, *mark.args))
            for item in cases:
                if item not in fast:
                    item.add_marker("slow")
    yield  # what `-m` does not want goes
    if most := config.getoption("--cases"):
        kept = {item for cases in by_test(items) for item in spread(cases, most)}
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]


def pytest_configure(config):
    """Speeds above a world's limits are set by many tests that are about something else."""
    config.addinivalue_line("markers", "fast_cases(n): all but n cases of the test are slow")
    config.addinivalue_line("filterwarnings", "ignore:.*which steps limit it to:RuntimeWarning")


@pytest.fixture(scope="module", autouse=True)
def set_aside():
    """Sets aside all that modules, thousands of tests and those before have left alive: what the
    tests of a module make and drop is collected without a look at each of these many objects.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_collection_hears_signals(request):
    """What a handler raises while garbage is collected is lost: callbacks of a collection, as
    hypothesis has one, and finalizers only print it.
    """
    if not hasattr(request.module, "signal"):
        yield
        return
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def repository() -> Path:
    """Root of the source tree."""
    return Path(__file__).parent.parent


@pytest.fixture(scope="session")
def engine_wasm() -> Path:
    """The engine as a WebAssembly module, which CI lane `wasm` builds."""
    path = os.environ.get("PYPHYS2D_WASM")
    if not path:
        pytest.skip("PYPHYS2D_WASM names no engine.wasm (web/build.sh)")
    return Path(path).resolve()
