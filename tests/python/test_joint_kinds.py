"""Each kind of joint, from the one list: class, method, stub, and properties by name."""

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import _core

STUB = ast.parse((Path(p2.__file__).parent / "_core.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def class_name(kind):
    return f"{kind.capitalize()}Joint"


def make(kind):
    """A world and a joint of the kind, of two bodies 3 m apart."""
    world = p2.World()
    a, b = world.add_body(p2.Circle(1)), world.add_body(p2.Circle(1), (3, 0))
    if kind == "gear":
        return world, world.add_gear_joint(*(world.add_revolute_joint(None, x) for x in (a, b)))
    options = {"pulley": {"ground_a": (0, 5), "ground_b": (3, 5)}, "ratchet": {"tooth": 0.5}}
    bodies = (b,) if kind == "mouse" else (a, b)
    return world, getattr(world, f"add_{kind}_joint")(*bodies, **options.get(kind, {}))


def properties(node):
    """Names of properties in a stub's class, and which of them have a setter."""
    names, settable = set(), set()
    for item in node.body:
        for mark in getattr(item, "decorator_list", []):
            if isinstance(mark, ast.Name) and mark.id == "property":
                names.add(item.name)
            elif isinstance(mark, ast.Attribute) and mark.attr == "setter":
                settable.add(item.name)
    return names, settable


def settable_of(joint):
    found = []
    for name in type(joint).__dict__:
        if name.startswith("_") or callable(getattr(type(joint), name, None)):
            continue
        try:
            setattr(joint, name, getattr(joint, name))
        except AttributeError:
            continue
        found.append(name)
    return set(found)


@pytest.mark.parametrize("kind", p2.JOINT_KINDS)
def test_a_kind_has_a_class_a_method_and_a_number(kind):
    world, joint = make(kind)
    assert type(joint) is getattr(_core, class_name(kind))
    assert class_name(kind) in p2.__all__, "pyphys2d/__init__.py names what users import"
    assert getattr(p2, class_name(kind)) is type(joint)
    assert joint.kind == kind
    assert p2.JOINT_KINDS[world.joint_state["kind"][-1]] == kind
    assert len(world.draw_list().joints)


@pytest.mark.parametrize("kind", p2.JOINT_KINDS)
def test_the_stub_has_its_properties(kind):
    _, joint = make(kind)
    names, settable = properties(CLASSES[class_name(kind)])
    have = {n for n, v in type(joint).__dict__.items() if inspect.isgetsetdescriptor(v)}
    assert have == names
    assert settable_of(joint) == settable
    assert all(getattr(type(joint), name).__doc__ for name in have)


@pytest.mark.parametrize("kind", p2.JOINT_KINDS)
def test_the_stub_has_its_method(kind):
    name = f"add_{kind}_joint"
    method = next(m for m in CLASSES["World"].body if getattr(m, "name", "") == name)
    told = [a.arg for a in method.args.posonlyargs + method.args.args + method.args.kwonlyargs]
    have = inspect.signature(getattr(p2.World, name)).parameters
    assert list(have) == told
    assert p2.World.__dict__[name].__doc__


@pytest.mark.parametrize("kind", p2.JOINT_KINDS)
def test_every_argument_of_its_method_is_taken(kind):
    """The text that users read has the names that the engine takes, no more and no fewer."""
    world, _ = make(kind)
    method = getattr(world, f"add_{kind}_joint")
    for name in inspect.signature(method).parameters:
        with pytest.raises((TypeError, ValueError)) as info:
            method(**{name: object()})
        assert "unexpected" not in str(info.value), name


HERTZ, NEWTONS = {"spring_hertz", "spring_damping_ratio"}, {"stiffness", "damping"}
ANGULAR = (
    {"angular_spring_hertz", "angular_spring_damping_ratio"},
    {"angular_stiffness", "angular_damping"},
)
FOLLOWS = {  # what tells the same in other words
    **dict.fromkeys(HERTZ, NEWTONS),
    **dict.fromkeys(NEWTONS, HERTZ),
    **dict.fromkeys(ANGULAR[0], ANGULAR[1]),
    **dict.fromkeys(ANGULAR[1], ANGULAR[0]),
    "ratio": {"phase"},
}


@pytest.mark.parametrize("kind", p2.JOINT_KINDS)
def test_a_property_is_set_by_its_own_name(kind):
    """Setting one changes it and no other one: none stands in the place of another."""
    _, joint = make(kind)
    _, settable = properties(CLASSES[class_name(kind)])
    for name in sorted(settable):
        before = {n: np.array(getattr(joint, n), float) for n in settable}
        new = np.full(before[name].shape, 0.25)
        if name == "upper":
            new += 40
        setattr(joint, name, new if new.shape else float(new))
        after = {n: np.array(getattr(joint, n), float) for n in settable}
        changed = {n for n in settable if not np.array_equal(before[n], after[n], equal_nan=True)}
        assert name in changed
        derived = {  # from newtons, by what the bodies weigh against them as they lie
            each
            for hertz, newtons in ((HERTZ, NEWTONS), ANGULAR)
            for each in hertz
            if any(before.get(n, 0) > 0 and after[n] > 0 for n in newtons)
        }
        assert changed - {name} - derived <= FOLLOWS.get(name, set())
        assert np.allclose(after[name], new)
