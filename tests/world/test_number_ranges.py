"""Numbers that enter the state of a body: each has a range, and nothing within it costs much.

The ranges: positions and angles 1e15 (m, rad), velocities 1e9 (m/s, rad/s).
"""

import numpy as np
import pytest

import pyphys2d as p2

POSITION, VELOCITY = 1e15, 1e9


def crowd(broadphase="grid", **options):
    """A world of small bodies on some levels of the grid, which is where large ones look."""
    world = p2.World(gravity=(0, 0), broadphase=broadphase, **options)
    x, y = np.meshgrid(np.arange(16.0), np.arange(16.0))
    places = np.column_stack([x.ravel(), y.ravel()])
    world.add_bodies(p2.Circle(0.3), places)
    world.add_bodies(p2.Circle(0.01), places + 0.5, kind="kinematic", velocity=(0, 0.1))
    world.step()
    return world


ARRAYS = [
    ("positions", POSITION, "m"),
    ("angles", POSITION, "rad"),
    ("velocities", VELOCITY, "m/s"),
    ("angular_velocities", VELOCITY, "rad/s"),
]


@pytest.mark.parametrize(("name", "most", "unit"), ARRAYS)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("sleeping", [False, True])
def test_a_live_array_refuses_what_is_out_of_range_and_names_the_row(
    name, most, unit, sign, sleeping
):
    world = crowd()
    row = 37
    if sleeping:
        world.bodies[row].sleep()
    array = getattr(world, name)
    good = array[row].copy()
    hashed = world.hash()
    array[row] = sign * most * 1.001
    with pytest.raises(
        ValueError, match=rf"^{name}: body {row} has -?1.001e\+\d+; must be within "
    ):
        world.step()
    assert world.step_count == 1
    array[row] = good
    assert world.hash() == hashed
    array[row] = sign * most
    world.step()  # the bound itself is within
    assert world.step_count == 2


@pytest.mark.parametrize("name", [name for name, *_ in ARRAYS])
@pytest.mark.parametrize("kind", ["dynamic", "kinematic", "static"])
def test_attributes_and_new_bodies_are_refused_likewise(name, kind):
    single = {"positions": "position", "velocities": "velocity", "angles": "angle"}
    single["angular_velocities"] = "angular_velocity"
    most = POSITION if name in ("positions", "angles") else VELOCITY
    vector = name in ("positions", "velocities")
    world = p2.World()
    body = world.add_body(p2.Box(1, 1), kind=kind)
    hashed = world.hash()
    for value in (1.001 * most, -1e300, np.inf, np.nan):
        for bad in ((value, 0), (0, value)) if vector else (value,):
            with pytest.raises(ValueError, match=rf"^{single[name]}\b"):
                setattr(body, single[name], bad)
            with pytest.raises(ValueError, match=rf"^{single[name]}\b"):
                world.add_body(p2.Box(1, 1), kind=kind, **{single[name]: bad})
    assert world.hash() == hashed


def test_a_body_that_moves_out_of_range_by_itself_is_let_go():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Circle(0.5), (POSITION - 1e8, 0), kind="kinematic", velocity=(1e9, 0))
    world.positions  # noqa: B018  (a view that is alive has every row looked at)
    view = world.velocities
    world.step(dt=1)
    assert body.position[0] > POSITION
    world.step(n=3)
    view[body.index] = 0
    world.step()
    assert world.step_count == 5


def test_an_impulse_gives_no_velocity_out_of_range():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Circle(0.5))
    hashed = world.hash()
    for act in (
        lambda: body.apply_impulse((1e300, 0)),
        lambda: body.apply_impulse((1e10, 0)),
        lambda: body.apply_impulse((0, 1), point=(1e12, 0)),
        lambda: body.apply_angular_impulse(1e12),
    ):
        with pytest.raises(ValueError, match=r"^impulse: gives the body a velocity of .* within"):
            act()
    assert world.hash() == hashed
    platform = world.add_body(p2.Box(1, 1), kind="kinematic")
    for pose in (((1e12, 0), 0), ((0, 0), 1e12)):
        with pytest.raises(ValueError, match=r"^(position|angle) / dt: must be within"):
            platform.move_to(*pose, 1 / 60)


ABSURD = [2e30, -2e30, 1e15, -1e15, 1e12, 1e9, 1e32]


@pytest.mark.parametrize("broadphase", ["grid", "tree", "all_pairs"])
@pytest.mark.parametrize("value", ABSURD)
def test_one_absurd_body_among_small_ones_holds_nobody_up(broadphase, value):
    """Each of its numbers is refused or costs no more than others do."""
    for name, most, _ in ARRAYS:
        world = crowd(broadphase)
        array = getattr(world, name)
        array[5] = value
        if abs(value) > most:
            with pytest.raises(ValueError, match=name):
                world.step()
        else:
            world.step(n=3)
            assert world.step_count == 4


def test_a_fast_kinematic_body_among_small_ones_finds_the_pairs_that_all_pairs_finds():
    """Its box spans more cells of the finest level than there are integers."""
    tables = []
    for broadphase in ("grid", "tree", "all_pairs"):
        world = crowd(broadphase)
        for reach, at in ((1e9, (3.3, 8.2)), (1e7, (-1e12, 0)), (-1e9, (2.0, 1e15))):
            world.add_body(p2.Box(20, 1), at, kind="kinematic", velocity=(reach, 0.2))
            world.add_body(p2.Box(20, 1), at, velocity=(reach, 0.2))
        world.step(dt=1.0)
        tables.append(world.pairs)
    assert len(tables[0]) > 0
    for table in tables[1:]:
        np.testing.assert_array_equal(table, tables[0])


def test_max_angular_speed_is_a_limit_that_is_counted():
    world = p2.World(gravity=(0, 0), max_angular_speed=50, max_speed=100)
    slow = world.add_body(p2.Circle(0.5), (0, 0), velocity=(99, 0), angular_velocity=49)
    fast = world.add_body(p2.Circle(0.5), (0, 5), angular_velocity=51)
    quick = world.add_body(p2.Circle(0.5), (0, 10), velocity=(101, 0))
    platform = world.add_body(p2.Circle(0.5), (0, 20), kind="kinematic", angular_velocity=80)
    world.step()
    assert (slow.angular_velocity, fast.angular_velocity) == (49, 50)
    assert quick.velocity[0] == pytest.approx(100, rel=1e-15)
    assert platform.angular_velocity == 80  # goes as it is told
    assert world.counters["limited"] == 2
    world.step()
    assert world.counters["limited"] == 0  # they are within now
    fast.apply_torque(1e6)
    world.step()
    assert fast.angular_velocity == pytest.approx(50)
    assert world.counters["limited"] == 1


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_limits_hold_and_count_for_bodies_in_contact(solver):
    world = p2.World(gravity=(0, 0), solver=solver, max_angular_speed=50, max_speed=100)
    world.add_body(p2.Box(40, 1), (0, -0.5), kind="static")
    ball = world.add_body(p2.Circle(0.5), (0, 0.5), velocity=(150, 0), angular_velocity=-300)
    world.step()
    assert world.counters["contacts"] == 1
    assert abs(ball.angular_velocity) <= 50 * (1 + 1e-6)
    assert np.hypot(*ball.velocity) <= 100 * (1 + 1e-6)
    assert world.counters["limited"] == 1


def test_max_angular_speed_is_a_setting_like_others():
    assert p2.World().max_angular_speed == 1e5
    assert p2.World(max_angular_speed=3).max_angular_speed == 3
    assert p2.World(max_angular_speed=3).hash() != p2.World().hash()
    for bad in (0, -1, np.nan, 2e9):
        with pytest.raises(ValueError, match="max_angular_speed"):
            p2.World(max_angular_speed=bad)


# ------------------------------------------------------ rows that no step has refused so far


def spoilt(name, value, **settings):
    """A world, its body, and what the live array's row of the body was before."""
    world = p2.World(gravity=(0, 0), **settings)
    shapes = [p2.Box(2, 1), p2.Circle(0.5, (1, 0))]
    body = world.add_body(shapes, (3, 4), 0.5, velocity=(1, 2), angular_velocity=3)
    other = world.add_body(p2.Circle(1), (9, 4))
    row = getattr(world, name)[0].copy()
    getattr(world, name)[0] = value
    return world, body, other, row


NOWHERE = [("angles", np.nan), ("angles", np.inf), ("positions", (np.nan, 0))]
NOWHERE += [("positions", (0, np.nan)), ("positions", np.nan), ("positions", (np.inf, 0))]


@pytest.mark.parametrize(("name", "value"), NOWHERE)
@pytest.mark.parametrize("settings", [{}, {"wrap": (50, 60)}])
def test_what_is_asked_of_a_body_that_is_nowhere(name, value, settings):
    """Numbers that depend on the place are none; it is not where the angle zero would put it."""
    _, body, _, _ = spoilt(name, value, **settings)
    assert not np.isfinite(body.to_world([(1.0, 1.0)])).all()
    assert not np.isfinite(body.to_local([(1.0, 1.0)])).all()
    assert not np.isfinite(body.colliders[0].aabb).all()
    assert not body.contains([(3.0, 4.0), (0.0, 0.0)]).any()
    with pytest.raises(ValueError, match=r"^positions\[0\] and angles\[0\]: must be finite"):
        body.convex_hull()


JOINTS = {
    "revolute": {"anchor": (1, 1)},
    "distance": {"anchor_a": (1, 1), "anchor_b": (2, 1), "length": 2},
    "prismatic": {"anchor": (1, 1), "axis": (1, 0)},
    "weld": {"anchor": (1, 1)},
    "wheel": {"anchor": (1, 1), "axis": (1, 0)},
    "motor": {"anchor": (1, 1)},
    "filter": {},
    "pulley": {"ground_a": (1, 9), "ground_b": (5, 9), "anchor_a": (0, 0), "anchor_b": (1, 0)},
    "ratchet": {"tooth": 0.5},
    "rotary": {"lower": -1, "stiffness": 2},
}


@pytest.mark.fast_cases(40)
@pytest.mark.parametrize("kind", JOINTS)
@pytest.mark.parametrize(("name", "value"), NOWHERE)
@pytest.mark.parametrize("side", ["a", "b"])
def test_no_joint_holds_on_to_a_body_that_is_nowhere(kind, name, value, side):
    """Its anchors on the body would stay numbers that are none after the row is mended."""
    world, body, other, row = spoilt(name, value)
    bodies = (body, other) if side == "a" else (other, body)
    add = getattr(world, f"add_{kind}_joint")
    with pytest.raises(ValueError, match=rf"^{side}: a body with joints must be within .* got "):
        add(*bodies, **JOINTS[kind])
    assert len(world.joints) == 0
    getattr(world, name)[0] = row
    add(*bodies, **JOINTS[kind])
    world.step(n=5)
    assert np.isfinite(world.positions).all()


@pytest.mark.parametrize(("name", "value"), NOWHERE)
def test_a_body_with_a_joint_that_is_nowhere_stops_the_step(name, value):
    world, body, other, _ = spoilt("angles", 0)
    world.add_weld_joint(body, other)
    getattr(world, name)[0] = value
    with pytest.raises(ValueError, match=rf"^{name}: body 0 has "):
        world.step()
    with pytest.raises(ValueError, match=r"^body: a body with joints|^b: a body with joints"):
        world.add_mouse_joint(body, target=(1, 1))


@pytest.mark.parametrize(("name", "value"), NOWHERE)
def test_a_force_at_a_point_of_a_body_that_is_nowhere_is_refused(name, value):
    """And not kept as a torque that is no number when the row is mended."""
    world, body, _, row = spoilt(name, value)
    with pytest.raises(ValueError, match=rf"^{name}: body 0 has "):
        body.apply_force((1, 0), (0, 3))
    assert world.forces.tolist() == [[0, 0]] * 2
    assert world.torques.tolist() == [0, 0]
    getattr(world, name)[0] = row
    world.step()


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("kind", ["dynamic", "kinematic"])
def test_a_spin_that_is_no_number_stays_in_its_row(value, kind):
    """Where the centre of mass moves, the body takes the velocity that this point had."""
    world, body, _, row = spoilt("angular_velocities", value)
    body.attach(p2.Circle(1, (3, 0)))
    body.colliders[0].density = 3
    body.mass = 9
    world.remove(body.colliders[1])
    body.kind = kind
    assert world.velocities[0].tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"^angular_velocities: body 0 has "):
        world.step()
    world.angular_velocities[0] = row
    world.step()
