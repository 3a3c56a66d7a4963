"""Bodies, colliders, handles and collections: what can be made, read, set and removed."""

import numpy as np
import pytest
from failing import fail_every_allocation
from reference import place, polygon_moments
from scenes_for_tests import ground

import pyphys2d as p2


@pytest.fixture
def world():
    return p2.World(gravity=(0, -10))


def test_mass_comes_from_shape_and_density(world):
    ring = np.array([(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)])
    expected = polygon_moments(ring)
    body = world.add_body(p2.Polygon(ring), density=2.5)
    assert body.mass == pytest.approx(2.5 * expected.area, rel=1e-12)
    assert body.inertia == pytest.approx(2.5 * expected.inertia, rel=1e-12)
    np.testing.assert_allclose(body.center_of_mass, expected.centroid, rtol=1e-12)
    assert world.masses[body.index] == body.mass
    assert world.inertias[body.index] == body.inertia


def test_mass_of_several_shapes_by_steiner(world):
    shapes = [p2.Box(1, 2, (3, 0)), p2.Circle(0.5, (-1, 1)), p2.Capsule((0, 0), (1, 1), 0.25)]
    body = world.add_body(shapes, density=2)
    areas = np.array([s.area for s in shapes])
    centers = np.array([s.centroid for s in shapes])
    center = (areas @ centers) / areas.sum()
    inertia = 2 * sum(
        s.inertia + s.area * float((c - center) @ (c - center))
        for s, c in zip(shapes, centers, strict=True)
    )
    assert body.mass == pytest.approx(2 * areas.sum(), rel=1e-12)
    np.testing.assert_allclose(body.center_of_mass, center, rtol=1e-12)
    assert body.inertia == pytest.approx(inertia, rel=1e-12)
    assert len(body.colliders) == 3


def test_mass_instead_of_density_scales_the_inertia(world):
    a = world.add_body(p2.Box(1, 2), mass=8)
    assert a.mass == 8
    assert a.inertia == pytest.approx(8 * (1 + 4) / 12, rel=1e-12)
    a.mass = 2
    assert a.mass == 2
    assert a.inertia == pytest.approx(2 * 5 / 12, rel=1e-12)


@pytest.mark.parametrize("kind", ["static", "kinematic"])
def test_fixed_bodies_carry_no_mass(world, kind):
    body = world.add_body(p2.Box(1, 1), kind=kind, density=5)
    assert body.mass == 0
    assert body.inertia == 0
    assert body.kind == kind
    body.kind = "dynamic"
    assert body.mass == pytest.approx(5)
    assert body.kind == "dynamic"


def test_attach_changes_the_mass(world):
    body = world.add_body(p2.Box(1, 1))
    collider = body.attach(p2.Circle(0.5, (2, 0)), density=4, friction=0.1, restitution=0.2)
    assert body.mass == pytest.approx(1 + 4 * np.pi / 4, rel=1e-12)
    assert collider.body == body
    assert collider in list(body.colliders)
    assert (collider.friction, collider.restitution, collider.density) == (0.1, 0.2, 4)
    world.remove(collider)
    assert body.mass == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(body.center_of_mass, (0, 0), atol=1e-15)


def test_transform_and_its_inverse(world):
    body = world.add_body(p2.Box(1, 1), (3, -2), 0.7)
    c, s = np.cos(0.7), np.sin(0.7)
    np.testing.assert_allclose(body.transform, [(c, -s, 3), (s, c, -2), (0, 0, 1)], atol=1e-15)
    np.testing.assert_allclose(body.transform @ body.inverse_transform, np.eye(3), atol=1e-14)
    points = np.random.default_rng(0).normal(size=(5, 4, 2))
    world_points = body.to_world(points)
    np.testing.assert_allclose(
        world_points.reshape(-1, 2), place(points.reshape(-1, 2), 3, -2, 0.7), atol=1e-14
    )
    np.testing.assert_allclose(body.to_local(world_points), points, atol=1e-14)
    assert body.to_world((1, 0)).shape == (2,)


def test_velocity_at_a_point(world):
    body = world.add_body(p2.Box(1, 1, (1, 0)), (3, 4), velocity=(1, 2), angular_velocity=3)
    points = np.array([(4, 4), (4, 6), (0, 0)], float)
    r = points - (4, 4)
    expected = np.array([1, 2]) + 3 * np.column_stack([-r[:, 1], r[:, 0]])
    np.testing.assert_allclose(body.velocity_at(points), expected, atol=1e-14)
    np.testing.assert_allclose(body.velocity_at((4, 6)), expected[1], atol=1e-14)


def test_contains_in_world_frame(world):
    body = world.add_body([p2.Box(2, 1), p2.Circle(0.5, (3, 0))], (10, 10), np.pi / 2)
    inside = body.contains([(10, 10.9), (10, 13), (10.9, 10), (10, 11.5)])
    assert list(inside) == [True, True, False, False]


def test_collider_in_world_frame(world):
    body = world.add_body(p2.Box(2, 1), (5, 6), 0.4)
    (collider,) = body.colliders
    corners = place([(-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5)], 5, 6, 0.4)
    np.testing.assert_allclose(collider.vertices, corners, atol=1e-14)
    np.testing.assert_allclose(collider.aabb, [corners.min(0), corners.max(0)], atol=1e-14)
    assert collider.shape == p2.Box(2, 1)
    np.testing.assert_allclose(world.aabbs[collider.index], collider.aabb, atol=1e-14)


def test_defaults(world):
    body = world.add_body(p2.Circle(1))
    (collider,) = body.colliders
    assert (collider.density, collider.friction, collider.restitution) == (1, 0.6, 0)
    assert (collider.rolling_resistance, collider.tangent_speed) == (0, 0)
    assert (collider.group, collider.sensor, collider.pre_solve) == (0, False, False)
    assert body.name is None
    assert body.user_data is None
    assert body.kind == "dynamic"
    assert body.awake
    assert body.can_sleep
    assert body.enabled
    assert not body.bullet
    assert not body.fixed_rotation
    assert (body.gravity_scale, body.linear_damping, body.angular_damping) == (1, 0, 0)
    assert body.world is world
    assert tuple(p2.World().gravity) == (0, -9.81)


SETTABLE = {
    "name": "crate",
    "user_data": {"hp": 3},
    "angle": 1.25,
    "angular_velocity": -2.0,
    "mass": 7.0,
    "inertia": 3.0,
    "sleep_threshold": 0.2,
    "bullet": True,
    "fixed_rotation": True,
    "gravity_scale": 0.5,
    "linear_damping": 0.1,
    "angular_damping": 0.2,
    "enabled": False,
    "can_sleep": False,
    "kind": "kinematic",
}


@pytest.mark.parametrize("name", SETTABLE)
def test_settable_attributes(world, name):
    body = world.add_body(p2.Box(1, 1))
    setattr(body, name, SETTABLE[name])
    assert getattr(body, name) == SETTABLE[name]
    world.step()


@pytest.mark.parametrize("name", [n for n in SETTABLE if n not in ("mass",)])
def test_settable_attributes_can_be_given_at_creation(world, name):
    body = world.add_body(p2.Box(1, 1), **{name: SETTABLE[name]})
    assert getattr(body, name) == SETTABLE[name]


@pytest.mark.parametrize(
    "name",
    ["index", "id", "world", "kinetic_energy", "transform", "colliders", "joints", "contacts"],
)
def test_read_only_attributes(world, name):
    body = world.add_body(p2.Box(1, 1))
    with pytest.raises(AttributeError):
        setattr(body, name, 1)
    with pytest.raises(AttributeError):
        body.nonsense = 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("friction", 0.9),
        ("restitution", 0.5),
        ("density", 3.0),
        ("rolling_resistance", 0.1),
        ("tangent_speed", -1.0),
        ("category", 4),
        ("mask", 2**64 - 1),
        ("group", -3),
        ("sensor", True),
        ("pre_solve", True),
    ],
)
def test_collider_settings(world, name, value):
    (collider,) = world.add_body(p2.Box(1, 1)).colliders
    setattr(collider, name, value)
    assert getattr(collider, name) == value
    (other,) = world.add_body(p2.Box(1, 1), **{name: value}).colliders
    assert getattr(other, name) == value


@pytest.mark.parametrize("name", ["max_bodies", "wrap"])
def test_settings_of_a_world_say_where_they_are_made(world, name):
    with pytest.raises(AttributeError, match=rf"{name} is settled when .* World\({name}=\.\.\.\)"):
        setattr(world, name, getattr(world, name))
    with pytest.raises(AttributeError, match=name):
        delattr(world, name)


def test_density_set_later_changes_the_mass(world):
    body = world.add_body(p2.Box(2, 2))
    body.colliders[0].density = 3
    assert body.mass == pytest.approx(12)


def test_a_disabled_body_neither_moves_nor_collides(world):
    ground(world)
    ghost = world.add_body(p2.Box(1, 1), (0, 3), enabled=False)
    falling = world.add_body(p2.Box(1, 1), (0, 5))
    world.step(n=120)
    assert falling.position[1] == pytest.approx(0.5, abs=0.01)
    np.testing.assert_array_equal(ghost.position, (0, 3))
    ghost.enabled = True
    world.step(n=120)
    assert ghost.position[1] == pytest.approx(1.5, abs=0.01)


# ---------------------------------------------------------------- collections


def test_collections_are_live(world):
    bodies = world.bodies
    assert len(bodies) == 0
    assert list(bodies) == []
    a, b, c = (world.add_body(p2.Box(1, 1), (i, 0)) for i in range(3))
    assert len(bodies) == 3
    assert list(bodies) == [a, b, c]
    assert bodies[1] == b
    assert bodies[1].index == 1
    assert a in bodies
    world.remove(b)
    assert list(bodies) == [a, c]
    assert len(bodies) == 2
    assert b not in bodies
    for bad in (1, 3, -1, 10**20):
        with pytest.raises(KeyError):
            bodies[bad]
    with pytest.raises(KeyError):
        bodies["x"]
    with pytest.raises(TypeError):
        bodies[1.0]
    assert len(world.colliders) == 2
    assert [collider.body for collider in world.colliders] == [a, c]
    assert len(world.joints) == 0
    assert list(world.joints) == []


def test_removing_while_iterating(world):
    for i in range(10):
        world.add_body(p2.Circle(1), (i, 0))
    for body in world.bodies:
        world.remove(body)
    assert len(world.bodies) == 0
    for _ in range(5):
        world.add_body(p2.Circle(1))
    for count, _ in enumerate(world.bodies):
        if count < 5:
            world.add_body(p2.Circle(1))
        assert count < 100


def test_handles_are_values(world):
    a = world.add_body(p2.Box(1, 1))
    again = world.bodies[a.index]
    assert a == again
    assert hash(a) == hash(again)
    assert a != world.add_body(p2.Box(1, 1))
    assert a.colliders[0] == again.colliders[0]
    assert str(a.index) in repr(a)
    other = p2.World().add_body(p2.Box(1, 1))
    assert other != a


def test_handles_survive_weak_references_and_user_data(world):
    import gc
    import weakref

    class Tag:
        pass

    tag = Tag()
    body = world.add_body(p2.Box(1, 1), user_data=tag)
    ghost = weakref.ref(tag)
    del tag
    assert body.user_data is ghost()
    world.remove(body)
    gc.collect()
    assert ghost() is None


def test_a_cycle_through_user_data_is_collected():
    import gc
    import weakref

    world = p2.World()
    body = world.add_body(p2.Box(1, 1))
    body.user_data = (world, body)
    ghost = weakref.ref(world)
    del world, body
    gc.collect()
    assert ghost() is None


# ---------------------------------------------------------------- many at once


def test_add_bodies_is_add_body_many_times():
    rng = np.random.default_rng(2)
    positions, angles = rng.uniform(-20, 20, (50, 2)), rng.uniform(-3, 3, 50)
    velocities, density = rng.normal(size=(50, 2)), rng.uniform(1, 4, 50)
    one, many = p2.World(), p2.World()
    for i in range(50):
        one.add_body(
            p2.Box(1, 1),
            positions[i],
            angles[i],
            velocity=velocities[i],
            density=density[i],
            friction=0.3,
        )
    slots = many.add_bodies(
        p2.Box(1, 1), positions, angles, velocity=velocities, density=density, friction=0.3
    )
    np.testing.assert_array_equal(slots, np.arange(50))
    assert np.issubdtype(slots.dtype, np.integer)
    assert one.hash() == many.hash()
    for world in (one, many):
        world.step(n=60)
    np.testing.assert_array_equal(one.positions, many.positions)
    assert one.hash() == many.hash()


def test_add_bodies_broadcasts_and_shares_shapes(world):
    shape = p2.Polygon([(0, 0), (1, 0), (0, 1)])
    slots = world.add_bodies(
        [shape, p2.Circle(0.2)],
        [(0, 0), (5, 5)],
        0.5,
        kind="kinematic",
        angular_velocity=2,
        compound=True,
    )
    assert len(world.colliders) == 4
    assert (world.angles[slots] == 0.5).all()
    assert (world.angular_velocities[slots] == 2).all()
    assert (world.kinds[slots] == 1).all()


def test_add_no_bodies(world):
    assert len(world.add_bodies(p2.Circle(1), np.empty((0, 2)))) == 0
    assert len(world.bodies) == 0


def test_add_bodies_is_all_or_nothing(world):
    world.add_body(p2.Circle(1))
    before = world.hash()
    positions = np.zeros((10, 2))
    positions[7, 1] = np.nan
    with pytest.raises(ValueError, match="positions"):
        world.add_bodies(p2.Circle(1), positions)
    with pytest.raises(ValueError):
        world.add_bodies(p2.Circle(1), np.zeros((10, 2)), np.zeros(9))
    with pytest.raises(ValueError):
        world.add_bodies(p2.Circle(1), np.zeros((10, 2)), density=[1] * 9 + [-1])
    assert len(world.bodies) == 1
    assert world.hash() == before


def test_a_concave_shape_is_one_collider(world):
    ground(world)
    shape = p2.Polygon([(-1, 0), (1, 0), (1, 1), (0.6, 0.3), (-0.6, 0.3), (-1, 1)])
    body = world.add_body(shape, (0, 1))
    assert len(body.colliders) == 1
    ball = world.add_body(p2.Circle(0.3), (0, 2.5))
    world.step(n=200)
    # the ball lies in the hollow, not on the hull
    assert ball.position[1] == pytest.approx(0.3 + 0.3, abs=0.02)


def test_contacts_of_a_body(world):
    ground(world)
    a = world.add_body(p2.Box(1, 1), (0, 0.5))
    b = world.add_body(p2.Box(1, 1), (0, 1.5))
    world.step(n=60)
    rows = a.contacts
    assert rows.dtype == world.contacts.dtype
    assert all(a.index in (row["body_a"], row["body_b"]) for row in rows)
    assert len(rows) == len(world.contacts) == 4
    assert len(b.contacts) == 2
    assert [t.index for t in world.touching(a)] == [0, b.index]


def test_contacts_of_each_body_are_its_rows_of_the_world(world):
    floor = ground(world)
    for i in range(20):
        world.add_body(
            [p2.Box(1, 1), p2.Circle(0.4, (0, 0.6))], (0.7 * (i % 5), 1 + 1.2 * (i // 5))
        )
    world.step(n=90)
    every = world.contacts
    assert len(every) > 10
    for body in world.bodies:
        mine = (every["body_a"] == body.index) | (every["body_b"] == body.index)
        assert body.contacts.tobytes() == every[mine].tobytes()
    world.remove(floor)
    assert all((b.contacts["body_b"] != 0).all() for b in world.bodies)


# ---------------------------------------------------------------- filters


def meets(world_options=(), **options):
    world = p2.World(gravity=(0, -10))
    floor = dict(options.get("floor", {}))
    body = dict(options.get("body", {}))
    ground(world, **floor)
    falling = world.add_body(p2.Box(1, 1), (0, 1), **body)
    world.step(n=60)
    return falling.position[1] > 0


@pytest.mark.parametrize(
    ("floor", "body", "expected"),
    [
        ({}, {}, True),
        ({"category": 2}, {"mask": 2}, True),
        ({"category": 2}, {"mask": 4}, False),
        ({"mask": 4}, {"category": 2}, False),
        ({"category": 2, "mask": 4}, {"category": 4, "mask": 2}, True),
        ({"category": 1 << 63}, {"mask": 1 << 63}, True),
        ({"group": -1}, {"group": -1}, False),
        ({"group": 7, "mask": 0}, {"group": 7, "mask": 0}, True),
        ({"group": -1}, {"group": -2}, True),
        ({"group": 0, "mask": 0}, {"group": 0}, False),
        ({"group": 1, "mask": 0}, {"group": 2}, False),
    ],
)
def test_filters(floor, body, expected):
    assert meets(floor=floor, body=body) == expected


def test_changing_a_filter_later_counts():
    world = p2.World(gravity=(0, -10))
    floor = ground(world)
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=200)
    floor.colliders[0].mask = 0
    world.step(n=60)
    assert body.position[1] < 0


def test_colliders_of_one_body_do_not_collide(world):
    body = world.add_body([p2.Box(1, 1), p2.Box(1, 1, (0.5, 0))])
    world.step(n=10)
    assert len(world.pairs) == 0
    assert len(world.contacts) == 0
    np.testing.assert_allclose(body.angle, 0)


@pytest.mark.parametrize("count", [10_000, 100_000])
def test_shapes_by_places_beyond_all_bounds_are_refused_before_anything_is_made(world, count):
    shapes = [p2.Circle(1)] * count
    before = world.hash()
    with pytest.raises(p2.CapacityError, match=rf"{count**2} more shapes .* at most \d+ pieces"):
        world.add_bodies(shapes, np.zeros((count, 2)), compound=True)
    assert world.hash() == before
    assert len(world.bodies) == 0
    world.add_bodies(p2.Circle(1), np.zeros((10, 2)))


@pytest.mark.parametrize("by_view", [False, True])
def test_a_kinematic_body_begins_or_ceases_to_move_in_a_step_or_not_at_all(by_view):
    """Hash and awake after each step that fails are those before, and the next sees the change."""
    world, reference = p2.World(), p2.World()

    def change(world, speeds):
        for index, speed in enumerate(speeds):
            if by_view:
                world.angular_velocities[index] = speed
            else:
                world.bodies[index].angular_velocity = speed

    for each in (world, reference):
        for x in (0, 10, 20):
            each.add_body(p2.Box(2, 1), (x, 0), kind="kinematic")
        each.add_body(p2.Box(1, 1), (0, 0.9))
    failures = 0
    for speeds in ((1, 0, 2), (0, 1, 2), (0, 0, 0), (3, 0, 0)):
        change(world, speeds)
        change(reference, speeds)
        failures += fail_every_allocation(world, world.step)
        reference.step()
        assert world.hash() == reference.hash()
        assert world.awake.tolist() == reference.awake.tolist()
        assert world.awake[:3].tolist() == [speed != 0 for speed in speeds]
    assert failures > 0
