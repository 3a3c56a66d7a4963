"""Wind against sums over the outline in NumPy, formulas, and the energy in the frame of the air."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes_for_tests import ground

import pyphys2d as p2

DT = 1 / 60
G = 9.81
COMB = [(0, 0), (3, 0), (3, 1.5), (2, 0.4), (1.5, 1.5), (1, 0.4), (0, 1.5)]
HOLE = [(-0.5, -0.5), (0.5, -0.5), (0, 0.5)]
FRAME = [(-1, -1), (1, -1), (1.2, 1), (-1, 1)]
SHAPES = {
    "box": p2.Box(1, 0.6),
    "offset box": p2.Box(1, 0.6, (0.7, -0.2)),
    "circle": p2.Circle(0.5, (0.3, 0.1)),
    "capsule": p2.Capsule((-0.5, 0), (0.5, 0.2), 0.3),
    "rounded": p2.Box(0.8, 0.4, radius=0.15),
    "sharp": p2.Polygon([(-1, 0), (1, -0.1), (1, 0.1)], radius=0.2),
    "comb": p2.Polygon(COMB, recenter=True),
    "frame": p2.Polygon(FRAME, [HOLE]),
    "segment": p2.Segment((-0.5, 0.2), (0.8, -0.3)),
    "chain": p2.Chain([(-1, 0), (0, 0.5), (1, 0), (2, -0.5)]),
}


def ring(vertices, count):
    """Midpoints, outward normals and lengths of the parts of a counter-clockwise ring."""
    p = np.asarray(vertices, float)
    step = np.roll(p, -1, axis=0) - p
    length = np.linalg.norm(step, axis=1)
    normal = np.column_stack([step[:, 1], -step[:, 0]]) / length[:, None]
    t = (np.arange(count) + 0.5) / count
    points = (p[:, None] + t[:, None] * step[:, None]).reshape(-1, 2)
    return points, np.repeat(normal, count, axis=0), np.repeat(length / count, count)


def arc(center, radius, start, end, count):
    angle = start + (np.arange(count) + 0.5) / count * (end - start)
    normal = np.column_stack([np.cos(angle), np.sin(angle)])
    ds = np.full(count, radius * (end - start) / count)
    return np.asarray(center) + radius * normal, normal, ds, np.tile(center, (count, 1))


def outline(name, count=4000):
    """Points, normals, lengths, and the point whose speed makes the pressure, body frame."""
    shape = SHAPES[name]
    if name == "circle":
        return arc((0.3, 0.1), 0.5, 0, 2 * np.pi, 4 * count)
    if name == "chain":
        parts = [ring(np.array([b, a]), count) for a, b in [
            ((-1, 0), (0, 0.5)), ((0, 0.5), (1, 0)), ((1, 0), (2, -0.5))]]  # fmt: skip
        parts = [tuple(x[:count] for x in part) for part in parts]
        return *(np.concatenate(x) for x in zip(*parts, strict=True)), np.concatenate(
            [part[0] for part in parts]
        )
    core, radius = {
        "capsule": ([(-0.5, 0), (0.5, 0.2)], 0.3),
        "rounded": ([(-0.4, -0.2), (0.4, -0.2), (0.4, 0.2), (-0.4, 0.2)], 0.15),
        "sharp": ([(-1, 0), (1, -0.1), (1, 0.1)], 0.2),
        "segment": ([(-0.5, 0.2), (0.8, -0.3)], 0),
    }.get(name, (None, 0))
    if core is None:
        points, normals, ds = ring(shape.vertices, count)
        return points, normals, ds, points
    points, normals, ds = ring(core, count)
    points = points + radius * normals
    parts = [(points, normals, ds, points)]
    sides = normals[::count]
    angles = np.arctan2(sides[:, 1], sides[:, 0])
    for i, corner in enumerate(core):
        turn = (angles[i] - angles[i - 1]) % (2 * np.pi)
        if radius > 0:
            parts.append(arc(corner, radius, angles[i - 1], angles[i - 1] + turn, count))
    return tuple(np.concatenate(x) for x in zip(*parts, strict=True))


def load(name, body, wind, density, drag, lift):
    """Force and torque about the centre of mass, by the sum over the outline."""
    points, normals, ds, seats = outline(name)
    center = body.to_world(body.center_of_mass)
    c, s = np.cos(body.angle), np.sin(body.angle)
    turn = np.array([[c, -s], [s, c]])
    r = body.to_world(points) - center
    seat = body.to_world(seats) - center
    n = normals @ turn.T

    def air(at):
        w = body.angular_velocity
        return wind - body.velocity - w * np.column_stack([-at[:, 1], at[:, 0]])

    u = air(r)
    facing = np.maximum(-(u * n).sum(1), 0)
    speed = np.linalg.norm(air(seat), axis=1)
    df = (density / 2 * facing * ds)[:, None] * (drag * u - lift * speed[:, None] * n)
    return df.sum(0), (r[:, 0] * df[:, 1] - r[:, 1] * df[:, 0]).sum()


def energy(body, frame=(0, 0)):
    v = body.velocity - frame
    return 0.5 * (body.mass * float(v @ v) + body.inertia * body.angular_velocity**2)


@pytest.fixture
def world():
    return p2.World(gravity=(0, 0), sleeping=False)


# ---------------------------------------------------------------- force and torque


@pytest.mark.fast_cases(30)
@pytest.mark.parametrize("spin", [0, 2, -9])
@pytest.mark.parametrize(("drag", "lift"), [(0.7, 0), (0, 1.3), (0.4, 1.1)])
@pytest.mark.parametrize("name", SHAPES)
def test_force_and_torque_are_the_sums_over_the_outline(world, name, drag, lift, spin):
    wind = np.array([6.0, -2.0])
    world.add_wind(wind, 1.7, drag=drag, lift=lift)
    body = world.add_body(
        SHAPES[name], (1, 2), 0.7, velocity=(1, -3), angular_velocity=spin, density=1e3
    )
    force, torque = load(name, body, wind, 1.7, drag, lift)
    scale = np.linalg.norm(force) + 1
    v, w, dt = body.velocity, spin, 1e-6
    world.step(dt)
    got = (body.velocity - v) / dt * body.mass
    # Three points an edge: exact but for the speed in the pressure, which spin makes uneven.
    near = 3e-5 if lift == 0 or abs(spin) < 3 else 1e-3
    np.testing.assert_allclose(got, force, atol=near * scale)
    turn = (body.angular_velocity - w) / dt * body.inertia
    assert turn == pytest.approx(torque, abs=near * scale)


@pytest.mark.parametrize("angle", [0.1, 0.5, 1.2])
def test_a_plate_has_the_drag_and_lift_of_the_formula(world, angle):
    world.add_wind((8, 0), 1.2, drag=0.3, lift=1.4)
    plate = world.add_body(p2.Segment((-1, 0), (1, 0)), angle=-angle, mass=1e6)
    world.step(DT)
    force = plate.velocity * 1e6 / DT
    q, s, c = 0.5 * 1.2 * 8**2 * 2, np.sin(angle), np.cos(angle)
    np.testing.assert_allclose(force, q * s * np.array([0.3 + 1.4 * s, 1.4 * c]), rtol=1e-4)


@pytest.mark.parametrize(
    ("shape", "coefficient", "width"),
    [(p2.Box(0.5, 2), 0.5 + 1, 2), (p2.Circle(0.7), 0.5 + np.pi / 4, 1.4)],
)
def test_coefficients_of_a_box_and_a_circle(world, shape, coefficient, width):
    world.add_wind((0, 0))
    body = world.add_body(shape, velocity=(-3, 0), mass=1e6)
    world.step(DT)
    gain = (body.velocity[0] + 3) * 1e6 / DT
    assert gain == pytest.approx(0.5 * 1.2 * coefficient * width * 9, rel=1e-5)


def test_an_edge_cut_in_pieces_feels_the_same():
    motions = []
    for cuts in (1, 7):
        x = np.linspace(-1, 1, cuts + 1)
        points = [*((a, -0.3) for a in x), *((a, 0.3) for a in x[::-1])]
        world = p2.World(gravity=(0, 0))
        world.add_wind((5, 9))
        body = world.add_body(p2.Polygon(points), angle=0.3, angular_velocity=2, density=2)
        world.step(DT, n=30)
        motions.append([*body.position, body.angle])
    np.testing.assert_allclose(*motions, atol=1e-5)


BAR = p2.Segment((-1, 0), (1, 0))


@pytest.mark.parametrize(
    ("drag", "lift", "shape"),
    [
        *((1, 0, s) for s in (p2.Box(1, 0.4), p2.Box(1, 0.6, radius=0.2), BAR)),
        *((0, 1, s) for s in (p2.Box(1, 0.4), p2.RegularPolygon(5, 0.5), BAR)),
        (1, 1, p2.Circle(0.5)),
    ],
)
def test_a_symmetrical_shape_without_spin_gets_no_torque(world, drag, lift, shape):
    world.add_wind((3, 7), drag=drag, lift=lift)
    body = world.add_body(shape, angle=0.4)
    world.step(DT, n=30)
    assert abs(body.angular_velocity) < 1e-12
    assert np.linalg.norm(body.velocity) > 1


def test_drag_and_lift_together_turn_it_less_with_the_step():
    """Lift moves the body sideways during the step, out of the shadow that drag was taken of."""
    spins = []
    for steps in (30, 60, 120):
        world = p2.World(gravity=(0, 0))
        world.add_wind((7, 3))
        body = world.add_body(p2.Box(1, 0.4), angle=0.4)
        world.step(0.5 / steps, n=steps)
        spins.append(abs(body.angular_velocity))
    assert spins[0] < 1e-3
    assert spins[0] > 1.8 * spins[1] > 3.2 * spins[2]


@pytest.mark.parametrize("angle", [0.2, 1, -2])
def test_a_symmetrical_shape_along_the_wind_is_not_turned(world, angle):
    """Mirrored at the wind, any shape."""
    world.add_wind((7 * np.cos(angle), 7 * np.sin(angle)))
    arrow = p2.Polygon([(-1, 0), (0.2, -0.5), (0, 0), (0.2, 0.5)], recenter=True)
    body = world.add_body(arrow, angle=angle)
    world.step(DT, n=60)
    assert body.angle == pytest.approx(angle, abs=1e-9)


def vane(world, **options):
    """A heavy head and a light fin at +x."""
    body = world.add_body(p2.Circle(0.2), density=400, **options)
    body.attach(p2.Box(1, 0.04, (0.8, 0)), density=1)
    return body


@pytest.mark.parametrize("start", [0.4, 2, -3])
def test_a_vane_turns_into_the_wind(world, start):
    world.add_wind((12, 0))
    body = vane(world, angle=start)
    angles = []
    for _ in range(900):
        world.step(DT)
        angles.append(body.angle)
    assert np.abs(angles).max() <= abs(start) + 0.05
    swing = np.abs(angles[-120:]).max()
    assert swing < 0.25 * min(abs(start), 1)


def test_what_falls_head_heavy_flutters_and_ends_upright(world):
    """A plate with its weight at one end swings about the path of its head."""
    world.gravity = (0, -G)
    world.add_wind((0, 0))
    body = world.add_body(p2.Box(1, 0.02, (0.5, 0)), density=5)
    body.attach(p2.Circle(0.1), density=100)
    angles = []
    for _ in range(600):
        world.step(DT)
        angles.append(body.angle)
    final = np.pi / 2  # the tail up
    assert np.abs(np.array(angles[-60:]) - final).max() < 0.15
    assert (np.diff(np.sign(np.array(angles) - final)) != 0).sum() >= 2


# ---------------------------------------------------------------- motion in time


def test_terminal_speed_is_exact_for_any_step(world):
    """m g = density / 2 (drag + lift) width v^2."""
    world.gravity = (0, -G)
    world.add_wind((0, 0), 1.2, drag=0.3, lift=0.9)
    for dt in (0.01, 0.3):
        body = world.add_body(p2.Box(2, 1), fixed_rotation=True)
        world.step(dt, n=300)
        expected = np.sqrt(2 * G / (0.5 * 1.2 * 1.2 * 2))
        assert body.velocity[1] == pytest.approx(-expected, rel=1e-6)
        world.remove(body)


def test_a_ball_is_carried_along_by_the_closed_form(world):
    """u' = -k u^2 for the speed u relative to the air: 1 / u grows evenly."""
    wind = np.array([6, -8.0])
    world.add_wind(wind)
    body = world.add_body(p2.Circle(0.5), mass=3, can_sleep=False)
    k = 0.5 * 1.2 * (0.5 + np.pi / 4) * 1.0 / 3
    world.step(1e-3, n=2000)
    u = np.linalg.norm(wind - body.velocity)
    assert u == pytest.approx(1 / (1 / 10 + k * 2), rel=1e-3)
    assert body.velocity[1] / body.velocity[0] == pytest.approx(-8 / 6, rel=1e-9)


def test_winds_add_up_with_drag_and_fluids(world):
    """On a neutral ball in water: forces of all three, against their sum."""
    world.add_wind((4, 0), drag=1, lift=0)
    world.add_wind((0, 2), 0.6, drag=1, lift=0)
    world.add_drag(linear=0.5)
    world.add_fluid(100, 1, 0.25, flow=(1, 1))
    body = world.add_body(p2.Circle(0.5), mass=2, velocity=(1, -1))
    area = np.pi / 4
    expected = (
        0.6 * 3.1622776601683795 * np.array([3, 1])
        + 0.3 * 3.1622776601683795 * np.array([-1, 3])
        - 0.5 * np.array([1, -1])
        + 0.25 * area * np.array([0, 2])
    )
    world.step(1e-6)
    np.testing.assert_allclose((body.velocity - (1, -1)) * 2e6, expected, rtol=1e-5)


def test_a_sail_on_water_finds_its_speed(world):
    """The wind pushes, the water holds: terminal speed for any step."""
    world.add_wind((10, 0), 1.2, drag=1, lift=0, mask=2)
    world.add_fluid(0.5, 1, 0.8, mask=1)
    body = world.add_body(p2.Box(2, 1), fixed_rotation=True)
    body.attach(p2.Box(0.1, 3, (0, 2)), density=0, category=2)
    world.step(0.2, n=300)
    v = body.velocity[0]
    assert 0.5 * 1.2 * 3 * (10 - v) ** 2 == pytest.approx(0.8 * 2 * v, rel=1e-6)


@settings(max_examples=80, deadline=None)
@given(
    name=st.sampled_from(list(SHAPES)),
    wind=st.tuples(st.floats(-30, 30), st.floats(-30, 30)),
    air=st.sampled_from([1e-6, 1.2, 1e6, 1e15]),
    lift=st.sampled_from([0, 0.5, 30, 1e15]),
    drag=st.sampled_from([0, 0.5, 30, 1e15]),
    dt=st.sampled_from([1e-3, DT, 1.0]),
    velocity=st.tuples(st.floats(-50, 50), st.floats(-50, 50)),
    spin=st.floats(-20, 20),
    density=st.sampled_from([1e-3, 1, 1e6]),
    fixed=st.booleans(),
)
def test_wind_only_ever_takes_energy(
    name, wind, air, lift, drag, dt, velocity, spin, density, fixed
):
    """In the frame of the air, whatever the coefficients, the step and the shape."""
    world = p2.World(gravity=(0, 0), max_speed=1e6)
    world.add_wind(wind, air, drag=drag, lift=lift)
    body = world.add_body(
        SHAPES[name], (0, 1), 0.3, velocity=velocity, density=density, fixed_rotation=fixed,
        angular_velocity=0 if fixed else spin,
    )  # fmt: skip
    before = energy(body, wind)
    for _ in range(6):
        world.step(dt)
        after = energy(body, wind)
        assert after <= before * (1 + 1e-9) + 1e-20
        before = after


def test_a_storm_takes_along_and_does_not_turn_round(world):
    world.add_wind((30, -40), 1e15, drag=1e15, lift=1e15)
    body = world.add_body(p2.Box(1, 2), velocity=(-30, 10))
    world.step(DT)
    np.testing.assert_allclose(body.velocity, (30, -40), rtol=1e-5)


def test_the_mask_and_sensors(world):
    wind = world.add_wind((5, 0), mask=2)
    inside = world.add_body(p2.Box(1, 1), category=2)
    outside = world.add_body(p2.Box(1, 1), (5, 0), category=1)
    ghost = world.add_body(p2.Box(1, 1), (9, 0), category=2, sensor=True)
    bare = world.add_body(None, (15, 0))
    world.step(DT)
    assert inside.velocity[0] > 0
    assert (outside.velocity[0], ghost.velocity[0], bare.velocity[0]) == (0, 0, 0)
    wind.mask = 1
    before = inside.velocity[0]
    world.step(DT)
    assert outside.velocity[0] > 0
    assert inside.velocity[0] == before


def test_what_stands_on_the_ground_weighs_the_same_in_the_wind(world):
    """Friction holds it; the wind from above adds its pressure."""
    world.gravity = (0, -G)
    ground(world)
    world.add_wind((4, -6), 1.2, drag=0.4, lift=0.8)
    body = world.add_body(p2.Box(1, 1), (0, 0.5), density=50)
    force, _ = load("box", body, np.array([4.0, -6.0]), 1.2, 0.4, 0.8)
    world.step(DT, n=240)
    u = np.hypot(4, 6)
    down = 0.6 * (6 * (0.4 * 6 + 0.8 * u) + 4 * 0.4 * 6)
    normal = world.contacts["normal_impulse"].sum() / DT
    assert normal == pytest.approx(50 * G + down, rel=1e-3)
    assert abs(body.position[0]) < 1e-2
    assert force[0] > 0


# ---------------------------------------------------------------- sleep, handles


def test_the_wind_lets_what_it_cannot_move_sleep_and_a_gust_wakes():
    world = p2.World()
    ground(world)
    wind = world.add_wind((1, 0))
    body = world.add_body(p2.Box(1, 1), (0, 0.5), density=5)
    world.step(DT, n=240)
    assert not body.awake
    wind.velocity = (1, 0)
    assert not body.awake
    wind.velocity = (60, 0)
    assert body.awake
    world.step(DT, n=60)
    assert body.velocity[0] > 1


def test_a_balloon_in_still_air_may_sleep_and_one_in_wind_may_not():
    world = p2.World(gravity=(0, 0))
    wind = world.add_wind((0, 0))
    body = world.add_body(p2.Circle(0.5))
    world.step(DT, n=120)
    assert not body.awake
    wind.velocity = (0.04, 0)
    world.step(DT, n=600)
    assert body.awake
    assert body.velocity[0] > 0.005


def test_a_wind_is_a_handle(world):
    wind = world.add_wind((1, 2), 1.5, drag=0.1, lift=0.2, mask=6)
    assert isinstance(wind, p2.Wind)
    assert repr(wind) == "<Wind 0, velocity=(1.0, 2.0), density=1.5, drag=0.1, lift=0.2, mask=6>"
    np.testing.assert_array_equal(wind.velocity, (1, 2))
    hashes = {world.hash()}
    for name, value in [
        ("velocity", (3, 4)),
        ("density", 2),
        ("drag", 3),
        ("lift", 4),
        ("mask", 1),
    ]:
        setattr(wind, name, value)
        np.testing.assert_array_equal(getattr(wind, name), value)
        hashes.add(world.hash())
    assert len(hashes) == 6
    assert list(world.fields) == [wind]
    world.remove(wind)
    with pytest.raises(p2.RemovedError):
        wind.velocity = (0, 0)
    assert repr(wind) == "<Wind 0, removed>"


@pytest.mark.parametrize(
    ("args", "options", "message"),
    [
        (((1, np.nan),), {}, "velocity"),
        (((1e16, 0),), {}, "velocity: must be between -1e\\+15 and 1e\\+15, got 1e\\+16"),
        (((1, 0), -1), {}, "density: must be between 0"),
        (((1, 0),), {"drag": -0.5}, "drag"),
        (((1, 0),), {"lift": np.inf}, "lift"),
        (((1, 0, 0),), {}, "velocity"),
    ],
)
def test_bad_numbers_are_refused(world, args, options, message):
    before = world.hash()
    with pytest.raises(ValueError, match=message):
        world.add_wind(*args, **options)
    assert world.hash() == before
    assert len(world.fields) == 0


def test_wrong_types_are_refused(world):
    with pytest.raises(TypeError, match="velocity"):
        world.add_wind()
    with pytest.raises(TypeError, match="velocity"):
        world.add_wind("north")
    with pytest.raises(TypeError, match="mask"):
        world.add_wind((1, 0), mask=1.5)
    with pytest.raises(TypeError, match="direction"):
        world.add_wind((1, 0), direction=1)
