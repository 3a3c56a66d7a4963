"""Bodies of many shapes that come and go one by one: what follows from all of them is right."""

import numpy as np
import pytest
from clock import within

import pyphys2d as p2


def make(places, kind="dynamic", spin=0.0, **options):
    world = p2.World(gravity=(0, 0), **options)
    body = world.add_body(kind=kind, angular_velocity=spin)
    rng = np.random.default_rng(3)
    for x, y in places:
        shape = p2.Circle(0.1, center=(x, y)) if rng.random() < 0.5 else p2.Box(0.2, 0.1, (x, y))
        body.attach(shape, density=float(rng.uniform(0.5, 2)))
    return world, body


def far_probe(world, reach):
    """Meets a body that sweeps around its centre at that reach, if its extent is known."""
    return world.add_body(p2.Circle(0.05), (0, reach), kind="static")


PLACES = np.random.default_rng(1).normal(size=(40, 2))


@pytest.mark.parametrize("kind", ["dynamic", "kinematic"])
def test_a_body_made_shape_by_shape_weighs_and_moves_as_one_made_at_once(kind):
    world, body = make(PLACES, kind)
    plain = p2.World(gravity=(0, 0))
    other = plain.add_body(kind=kind)
    for collider in body.colliders:
        other.attach(collider.shape, density=collider.density)
        plain.at((50, 50))  # everything is measured after each
    for w in (world, plain):
        far_probe(w, 3.0)
        w.angular_velocities[0] = 20.0
        w.velocities[0] = (0.5, 3.0)
        w.step(n=20)
    assert world.hash() == plain.hash()


def test_masses_and_spins_follow_each_shape():
    world, body = make(PLACES, spin=2.0)
    colliders = list(body.colliders)
    np.random.default_rng(5).shuffle(colliders)
    for collider in colliders[:-1]:
        world.remove(collider)
        areas = np.array([c.shape.area * c.density for c in body.colliders])
        centers = np.array([c.shape.centroid for c in body.colliders])
        mass, center = areas.sum(), (areas[:, None] * centers).sum(0) / areas.sum()
        moments = np.array([c.shape.inertia * c.density for c in body.colliders])
        inertia = (moments + areas * ((centers - center) ** 2).sum(1)).sum()
        assert world.masses[0] == pytest.approx(mass, rel=1e-12)
        assert world.inertias[0] == pytest.approx(inertia, rel=1e-11)
        # Each removal has shifted the centre of mass, which keeps the velocity of its place: the
        # whole turns about the body's origin as before.
        np.testing.assert_allclose(
            world.velocities[0], 2.0 * np.array([-center[1], center[0]]), atol=1e-12
        )


def test_a_density_counts_for_shapes_that_come_later():
    world, body = make(PLACES[:3])
    body.colliders[0].density = 50.0
    body.attach(p2.Circle(0.3, center=(1, 1)), density=2.0)
    plain = p2.World(gravity=(0, 0))
    other = plain.add_body()
    for collider in body.colliders:
        other.attach(collider.shape, density=collider.density)
    assert (world.masses[0], world.inertias[0]) == (plain.masses[0], plain.inertias[0])


def test_rods_weigh_nothing_once_something_has_area():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Segment((0, 0), (2, 0)), density=3.0)
    body.attach(p2.Segment((0, 0), (0, 2)), density=3.0)
    assert world.masses[0] == pytest.approx(12.0)
    disc = body.attach(p2.Circle(1.0), density=1.0)
    assert world.masses[0] == pytest.approx(np.pi)
    world.remove(disc)
    assert world.masses[0] == pytest.approx(12.0)


@pytest.mark.parametrize("last", [False, True])
def test_the_way_of_a_far_shape_is_seen_however_it_came(last):
    """A fast body that grows by a long arm: the arm's end meets what it sweeps over."""
    hits = []
    for attached in (False, True):
        world = p2.World(gravity=(0, 0))
        arm = p2.Box(0.2, 0.2, (5, 0))
        if attached:
            body = world.add_body(p2.Circle(0.2))
            body.attach(arm)
        else:
            body = world.add_body([p2.Circle(0.2), arm])
        other = world.add_body(p2.Circle(0.1), (5, 2))
        cast = world.cast_shape(p2.Circle(0.05), (20, 0, 0), (-40, 0))
        hits.append((cast.collider.body == body, cast.fraction))
        if last:
            world.remove(other)
            other = world.add_body(p2.Circle(0.1), (5, 2))
        body.angular_velocity = 60.0
        world.step(n=3)
        hits.append((world.hash(), tuple(other.position)))
    assert hits[:2] == hits[2:]


def test_removed_bodies_and_their_successors_are_measured():
    world = p2.World(gravity=(0, 0))
    first, second = world.add_body(p2.Circle(0.1)), world.add_body(p2.Circle(0.1), (9, 0))
    second.attach(p2.Circle(0.1, center=(3, 0)))
    first.attach(p2.Circle(0.1, center=(2, 0)))
    world.remove(first)
    world.add_body(p2.Circle(0.1))
    world.remove(second)
    world.step()
    assert len(world.bodies) == 1
    assert world.cast_ray((-5, 0), (10, 0)).fraction == pytest.approx(0.49)


@pytest.mark.parametrize("kind", ["dynamic", "static"])
def test_twenty_thousand_shapes_of_a_body_are_no_cliff(kind):
    """CPU time: 12 s where each new one looked at all others."""
    world = p2.World(gravity=(0, 0))
    body = world.add_body(kind=kind)
    with within(4):
        colliders = [body.attach(p2.Circle(0.1)) for _ in range(20_000)]
        for collider in colliders:
            collider.category = 2
        for collider in colliders[:: 1 if kind == "static" else 10]:
            world.remove(collider)
