"""What may have been meant by a call that cannot be bound, or by an attribute that is not there.

Called when an argument or an attribute has no such name or there are too many arguments, to end the
message: nothing here costs anything before that, but for a class of names for each of five types.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from importlib import import_module
from types import FunctionType
from typing import Any, NoReturn

from pyphys2d._hint_tables import (
    ATTRIBUTES,
    BOX2D,
    BOX2D_JOINTS,
    FILTERS,
    HOOKS,
    MATERIAL,
    MEANT,
    MEANT_VALUES,
    MISSING,
    NO_MATERIAL,
    NONE_THERE,
    NOT_SET,
    NOWHERE,
    OF_BODIES,
    OF_MODULE,
    OF_SHAPES,
    OWNERS,
    SHAPES,
    TOO_MANY,
)


def _plain(name: str) -> str:
    """A name of another language, as ``linearVelocity`` or ``GetLinearVelocity``, in ours."""
    plain = re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().lstrip("_")
    if plain.startswith("create_"):
        return f"add_{plain.removeprefix('create_')}"
    return re.sub("^(get|set|is)_", "", plain) if name[:1].isupper() else plain


def keyword(function: str, name: str, names: tuple[str, ...], positional: int) -> str:
    """Text for the end of the message about an argument that there is not."""
    plain = _plain(name)
    for each in (name, plain):
        known = NONE_THERE.get((function.removesuffix("s").removesuffix("_all"), each))
        known = known or NONE_THERE.get((function, each)) or NOWHERE.get(each)
        if known is not None and name not in names:
            return f"; {known}"
    if name == "body" and function[:1].isupper():
        return given_body(function, None, names, positional)
    if name in ("density", "friction", "restitution") and function[:1].isupper():
        return f"; {NO_MATERIAL.format(name)}"
    value = MEANT_VALUES.get(plain)
    if value is not None and "kind" in names:
        return f"; did you mean {value}?"
    meant = MEANT.get(plain)
    if meant not in names:
        import difflib

        near = difflib.get_close_matches(plain, names, 1, 0.7)
        meant = near[0] if near else None
    return f"; did you mean {meant}=?" if meant is not None else ""


def positional(function: str, _: None, names: tuple[str, ...], count: int) -> str:
    """Text for the end of the message about too many positional arguments."""
    known = TOO_MANY.get(function)
    if known is not None:
        return f"; {known}"
    rest = names[count:]
    if not rest:
        return ""
    some = ", ".join(f"{name}=" for name in rest[:4])
    return f"; the others are given by name: {some}{', ...' if len(rest) > 4 else ''}"


def missing(function: str, name: str, names: tuple[str, ...], count: int) -> str:
    """Text for the end of the message about an argument that is not given."""
    known = MISSING.get((function, name))
    if known is None and function.endswith("_joint") and name == "b":
        known = "a joint to the world has None as its first body: (None, body)"
    return f"; {known}" if known is not None else ""


def instance(name: str, _: None, names: tuple[str, ...], count: int) -> str:
    """Text for the end of the message about a class that is not called."""
    if name == "Body":
        return "; a world makes them: body = world.add_body(shape, (x, y))"
    if name == "Collider":
        return "; they come with a body: world.add_body(shape, (x, y)) or body.attach(shape)"
    kind = name.removesuffix("Joint").lower() or "..."
    return f"; a world makes them: joint = world.add_{kind}_joint(a, b, ...)"


def given_body(function: str, _: None, names: tuple[str, ...], count: int) -> str:
    """Text for the end of the message about a class that is given a body."""
    if function not in SHAPES:
        return ""
    some = ", ".join(names[:2])
    return (
        f"; a shape is geometry alone: body.attach({function}({some}, ...)) or "
        "world.add_body(shape, (x, y))"
    )


def item(key: object) -> str:
    """Text for the end of the message about ``world[key]``."""
    if isinstance(key, str):
        return f"; bodies are found by name in world.bodies[{key!r}]"
    return "; by slot there are world.bodies[i], world.colliders[i] and world.joints[i]"


def body_name(name: str, names: tuple[str, ...]) -> str:
    """Text for the end of the message about ``world.bodies[name]``."""
    near = get_close_matches(name, names, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


class Elsewhere:
    """A name that other engines have: reading it is an AttributeError that tells that of this one.

    It is no data descriptor, so that subclasses of World may have attributes of this name.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        what = (
            f"type object {owner.__name__!r}" if instance is None else f"{owner.__name__!r} object"
        )
        hint = attribute(owner, self.name)
        # With a hint the interpreter is given nothing to guess from.
        of: dict[str, Any] = {} if hint else {"obj": owner if instance is None else instance}
        raise AttributeError(f"{what} has no attribute {self.name!r}{hint}", name=self.name, **of)


def _of_box2d(base: str) -> set[str]:
    names = {f"Create{kind}Joint" for kind in BOX2D_JOINTS.split()} if base == "World" else set()
    for name in BOX2D.get(base, "").split():
        words = "".join(word.capitalize() for word in name.split("_"))
        names |= {words[0].lower() + words[1:], f"Get{words}", f"Set{words}"}
    return names | ({"QueryAABB", "SetContactListener"} if base == "World" else set())


def names_elsewhere(base: str) -> type:
    """The class that answers for a class of the extension, by the name of that."""
    names = {*ATTRIBUTES[base], *MEANT, *_of_box2d(base)}
    if base in ("Body", "Shape"):
        names.update(MATERIAL, FILTERS)
    if base == "Collider":
        names.update(OF_BODIES, OF_SHAPES)
    if base == "Joint":
        names.update(NOWHERE)
    # Of an old name of this library that a class has, none may come between.
    found = type(
        "NamesElsewhere", (), {"__slots__": (), **{name: Elsewhere(name) for name in names}}
    )
    if base == "World":
        found.__init_subclass__ = classmethod(  # type: ignore[assignment]
            lambda new, **options: _check_subclass(super(found, new), new, options)
        )
    return found


def _check_subclass(above: Any, new: type, options: dict[str, Any]) -> None:
    """Refuse methods under the names of hooks: no step would call them."""
    above.__init_subclass__(**options)
    for name in HOOKS:
        if isinstance(vars(new).get(name), FunctionType | staticmethod):
            raise TypeError(
                f"{new.__name__}.{name}: a method of this name would never be called; a hook is "
                f"set on each world, as self.{name} = self.another_method in __init__"
            )


def _has(owner: type, name: str) -> bool:
    found = [vars(each)[name] for each in owner.__mro__ if name in vars(each)]
    return bool(found) and not isinstance(found[0], Elsewhere)


def attribute(owner: type, name: str) -> str:
    """Text for the end of the message about an attribute that objects of a class have not."""
    classes = [each.__name__ for each in owner.__mro__ if each.__module__.startswith("pyphys2d")]
    base = next((each for each in classes if each in ATTRIBUTES), None)
    if base is None or _has(owner, name):  # it is there, and cannot be set
        known = NOT_SET.get((base or "", name))
        return f"!; {known}" if known else ""
    if base == "Joint" and name in NOWHERE:
        return f"; {NOWHERE[name]}"
    own, plain = OWNERS.get(base, "shape"), _plain(name)
    table = ATTRIBUTES[base]
    for known in table.get(name, table.get(plain, "")).split("|"):
        if known.startswith(";"):
            return known
        # The tables are of all joints and all shapes, and not each has all that they name.
        if known and (not known.isidentifier() or _has(owner, known)):
            word = (
                known.replace("(", ".")
                .replace("[", ".")
                .replace(",", ".")
                .replace(" ", ".")
                .split(".")[0]
            )
            return _say(f"{own}.{known}" if word != "world" and _has(owner, word) else known)
    for each in (name, MEANT.get(name, name), plain, MEANT.get(plain, plain)):
        if base in ("Body", "Shape") and each in (*MATERIAL, *FILTERS):
            which = f", as body.colliders[0].{each}" if each in MATERIAL else ""
            return f"; materials and filters belong to colliders{which}"
        if _has(owner, each):
            return _say(f"{own}.{each}")
        if base == "Collider" and each in OF_BODIES:
            return f"; it is its body's: collider.body.{each}"
        if base == "Collider" and each in OF_SHAPES:
            return f"; it is its shape's: collider.shape.{each}"
    return ""


def _say(what: str) -> str:
    """As a guess where it is a name, else as a fact."""
    return f"; did you mean {what}?" if what.replace(".", "").isidentifier() else f"; here: {what}"


def module(name: str) -> str:
    """Text for the end of the message about a name that the package has not."""
    plain = name.removeprefix("b2")
    known = OF_MODULE.get(name) or OF_MODULE.get(plain)
    if known is None and plain != name:
        known = plain if plain in SHAPES else None
    if known is None:
        geometry = import_module("pyphys2d.geometry")
        known = f"geometry.{name}" if name in geometry.__all__ else None
    if known is None:
        return ""
    inside = known.startswith(("World", "geometry", "plot.", "jupyter.", *SHAPES))
    return _say(f"pyphys2d.{known}" if inside else known)
