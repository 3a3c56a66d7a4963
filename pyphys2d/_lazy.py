"""Names of the package that are imported when they are first used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

MODULES = {
    "Trajectory": "pyphys2d.trajectory",
    "plot": "pyphys2d.plot",
    "scenes": "pyphys2d.scenes",
    "simulate": "pyphys2d._recording",
    "save": "pyphys2d.scenes.writer",
    "load": "pyphys2d.scenes.loader",
}
# Of their modules, by the name there; the others are modules.
OBJECTS = {
    "Trajectory": "Trajectory",
    "simulate": "simulate",
    "save": "save",
    "load": "load_world",
}


def attach(namespace: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of the package with this namespace."""

    def get(name: str) -> Any:
        if name not in MODULES:
            raise AttributeError(f"module 'pyphys2d' has no attribute {name!r}")
        module = import_module(MODULES[name])  # an ImportError names the missing extra
        value = getattr(module, OBJECTS[name]) if name in OBJECTS else module
        namespace[name] = value
        return value

    def names() -> list[str]:
        # One that would fail is not offered: tools that look at every name take no ImportError.
        lazy = set(MODULES) if find_spec("matplotlib") else set(MODULES) - {"plot"}
        return sorted(lazy.union(namespace))

    return get, names
