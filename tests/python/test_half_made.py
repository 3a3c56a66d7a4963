"""Objects that are seen before they are finished, or that the collector has taken apart."""

import copy
import gc
import pickle
import threading
import time

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import _core

TYPES = [each for each in vars(_core).values() if isinstance(each, type)]


def test_a_world_whose_settings_are_refused_has_no_finalizer_to_run():
    seen = []

    class Mine(p2.World):
        def __del__(self):
            seen.append((len(self.bodies), self.time, self.positions.shape, self.hash()))
            self.step()
            self.add_body(p2.Circle(1))

    with pytest.raises(ValueError, match="contact_hertz"):
        Mine(contact_hertz=-1.0)
    with pytest.raises(ValueError, match="gravity"):
        Mine(5)
    with pytest.raises(ValueError, match="wrap"):
        Mine(wrap=(1e-9, 1e-9))
    assert seen == []
    Mine()
    assert len(seen) == 1


@pytest.mark.parametrize("make", [p2.World, p2.AABBTree, lambda: p2.Circle(1)])
def test_a_new_object_is_whole_as_soon_as_the_collector_can_show_it(make):
    """Collections in the middle of construction, with Python code that looks at everything."""
    threshold = gc.get_threshold()
    errors = []

    def look(phase, info):
        for each in gc.get_objects():
            if isinstance(each, p2.World | p2.AABBTree | p2.Shape):
                try:
                    repr(each)
                    if isinstance(each, p2.World):
                        each.hash()
                except Exception as error:
                    errors.append(error)

    gc.callbacks.append(look)
    gc.set_threshold(1)
    try:
        objects = [make() for _ in range(50)]
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(look)
    assert len(objects) == 50
    assert errors == []


@pytest.mark.parametrize("cls", TYPES, ids=lambda cls: cls.__name__)
def test_new_alone_gives_a_whole_object_or_none(cls):
    """`cls.__new__(cls)`, `object.__new__(cls)` and subclasses that skip the constructor."""
    if issubclass(cls, Exception):
        return
    makers = [lambda: cls.__new__(cls), lambda: object.__new__(cls)]
    try:
        sub = type("Sub", (cls,), {"__new__": lambda c: object.__new__(c)})
    except TypeError:
        pass
    else:
        makers += [sub, lambda: super(cls, sub).__new__(sub), lambda: cls.__new__(sub)]
    for make in makers:
        try:
            thing = make()
        except TypeError:
            continue
        assert isinstance(thing, p2.World | p2.AABBTree)
        for name in dir(thing):
            getattr(thing, name)
        assert repr(thing)
        assert hash(thing) == hash(thing)


def test_worlds_and_handles_are_not_copied_by_halves():
    world = p2.World()
    body = world.add_body(p2.Circle(1))
    assert copy.copy(world).hash() == world.hash()
    assert copy.copy(body) == body
    for thing in (world.bodies, p2.AABBTree(), world.positions.base):
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="pickle"):
                way(thing)


def test_a_handle_that_is_not_yet_given_a_body_is_that_of_a_removed_one():
    """A thread waits to enter the world, the handle that it will return in hand."""
    world, made = p2.World(), []
    thread = threading.Thread(target=lambda: made.append(world.add_body(p2.Circle(1))))
    found = []

    def look(world):
        thread.start()
        end = time.monotonic() + 60
        while not found and time.monotonic() < end:
            time.sleep(0.001)
            found.extend(each for each in gc.get_objects() if type(each) is p2.Body)
        assert not found[0].alive
        assert found[0] not in world.bodies
        with pytest.raises(p2.RemovedError):
            assert found[0].position is None
        with pytest.raises(p2.RemovedError):
            world.remove(found[0])

    world.on_force = look
    world.step()
    thread.join()
    assert made[0].alive
    assert found[0] is made[0]
    assert made[0] in world.bodies


def test_no_bodies_with_numbers_of_their_own():
    world = p2.World()
    for name in ("density", "friction", "restitution", "rolling_resistance", "tangent_speed"):
        empty = {name: np.zeros(0)}
        assert world.add_bodies(p2.Circle(1), np.zeros((0, 2)), **empty).shape == (0,)
        assert world.add_bodies(p2.Circle(1), np.zeros((0, 2)), mass=np.zeros(0)).shape == (0,)
    assert len(world.bodies) == 0
