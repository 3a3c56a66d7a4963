"""Names of the packages that are imported when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

MODULES = {
    "Trajectory": "pyphys2d.trajectory",
    "plot": "pyphys2d.plot",
    "scenes": "pyphys2d.scenes",
    "simulate": "pyphys2d._recording",
    "CallLogError": "pyphys2d._call_format",
    "replay": "pyphys2d._replay",
    "save": "pyphys2d.scenes.writer",
    "load": "pyphys2d.scenes.loader",
    "from_geojson": "pyphys2d._geojson",
    "from_shapely": "pyphys2d._geojson",
}
# Of their modules, by the name there; the others are modules.
OBJECTS = {
    "Trajectory": "Trajectory",
    "simulate": "simulate",
    "CallLogError": "CallLogError",
    "replay": "replay",
    "save": "save",
    "load": "load_world",
    "from_geojson": "from_geojson",
    "from_shapely": "from_shapely",
}


def attach(
    namespace: dict[str, Any],
    modules: Mapping[str, str] = MODULES,
    objects: Mapping[str, str] = OBJECTS,
    needs: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of the package with this namespace.

    ``needs`` names the module of an extra that a name is of no use without.
    """

    def get(name: str) -> Any:
        if name not in modules:
            where = namespace["__name__"]
            hint = ""
            if modules is MODULES and not name.startswith("_"):
                hint = import_module("pyphys2d._hints").module(name)
            # With a hint the interpreter is given nothing to guess from.
            of = {"name": name} if hint else {}
            raise AttributeError(f"module {where!r} has no attribute {name!r}{hint}", **of)
        module = import_module(modules[name])  # an ImportError names the missing extra
        value = getattr(module, objects[name]) if name in objects else module
        namespace[name] = value
        return value

    def names() -> list[str]:
        # One that would fail is not offered: tools that look at every name take no ImportError.
        wanted = needs or {}
        found = {need: find_spec(need) is not None for need in set(wanted.values())}
        lazy = {name for name in modules if name not in wanted or found[wanted[name]]}
        return sorted(lazy.union(namespace))

    return get, names
