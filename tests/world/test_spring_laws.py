"""Springs whose force is a function of the caller's: against the built-in spring and quadrature."""

import functools
import pickle
import re

import numpy as np
import pytest
from failing import check_collected, fail_every_allocation
from same_bits import check_same_bits
from scipy.integrate import quad

import pyphys2d as p2

DT = 1 / 60


class OurError(Exception):
    pass


def hang(law=None, sleeping=False, **options):
    """A bob of 2 kg, 1 m below a nail: (world, bob, spring)."""
    world = p2.World(gravity=(0, -10), sleeping=sleeping, **options)
    bob = world.add_body(p2.Circle(0.1), (0, -1), mass=2)
    spring = world.add_distance_joint(None, bob, anchor_a=(0, 0), lower=0, length=1)
    if law is not None:
        world.add_spring_law(spring, law)
    return world, bob, spring


def pair(stretch=0.5, masses=(1, 3), **options):
    """Two discs that a joint of 1 m at rest ties, stretched, without gravity."""
    world = p2.World(gravity=(0, 0), sleeping=False, **options)
    length = 1 + stretch
    a = world.add_body(p2.Circle(0.1), (0, 0), mass=masses[0])
    b = world.add_body(p2.Circle(0.1), (length, 0), mass=masses[1])
    spring = world.add_distance_joint(a, b, lower=0, length=1)
    return world, spring


def period_of(world, spring, steps):
    """Between the first and the last crossing of the rest length from below."""
    x = np.empty(steps)
    for k in range(steps):
        world.step(DT)
        x[k] = spring.length - 1
    up = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    times = up + x[up] / (x[up] - x[up + 1])
    return DT * (times[-1] - times[0]) / (len(times) - 1), x


# ---------------------------------------------------------------- what it does


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_a_load_hangs_where_the_law_says(solver):
    """Hooke's: m g / k. A cubic one: k x + q x^3 = m g."""
    for k, q in ((100, 0), (50, 3e4)):
        world, _, spring = hang(lambda x, v, k=k, q=q: -k * x - q * x**3 - 20 * v, solver=solver)
        world.step(DT, n=900)
        x = spring.length - 1
        assert abs(k * x + q * x**3 - 2 * 10) < 1e-6 * 20


def test_hookes_law_is_the_built_in_spring():
    """Sag and period of both; the law is leapfrog, whose period is short by (w dt)^2 / 24."""
    stiffness, mass = 150.0, 0.75  # of 1 and 3 kg: 14.1 rad/s
    law, spring = pair()
    law.add_spring_law(spring, lambda x, v: -stiffness * x)
    exact = 2 * np.pi * np.sqrt(mass / stiffness)
    period, _ = period_of(law, spring, 1200)
    own = p2.World(gravity=(0, 0), sleeping=False)
    a = own.add_body(p2.Circle(0.1), (0, 0), mass=1)
    b = own.add_body(p2.Circle(0.1), (1.5, 0), mass=3)
    built_in = own.add_distance_joint(a, b, stiffness=stiffness, length=1)
    other, _ = period_of(own, built_in, 1200)
    late = (DT * 2 * np.pi / exact) ** 2 / 24
    assert abs(period / exact - (1 - late)) < 2e-4
    assert abs(other / exact - 1) < 2e-4
    for stretched in (hang(lambda x, v: -80 * x - 8 * v), hang()):
        world, _, joint = stretched
        if not world.spring_laws:
            joint.stiffness, joint.damping = 80, 8
        world.step(DT, n=900)
        assert abs(joint.length - 1 - 20 / 80) < 1e-6


def test_the_period_of_a_cubic_spring():
    """Four times the integral of dx / v over a quarter, by SciPy."""
    k, q, mass, amplitude = 20.0, 40.0, 0.75, 0.5
    world, spring = pair(amplitude)
    world.add_spring_law(spring, lambda x, v: -(k * x + q * x**3))

    def energy(x):
        return k * x**2 / 2 + q * x**4 / 4

    def slowness(angle):  # x = amplitude sin(angle), so that nothing is singular
        x = amplitude * np.sin(angle)
        lost = energy(amplitude) - energy(x)
        return amplitude * np.cos(angle) / np.sqrt(2 * lost / mass)

    exact = 4 * quad(slowness, 0, np.pi / 2)[0]
    period, _ = period_of(world, spring, 1200)
    assert abs(period / exact - 1) < (2 * np.pi * DT / exact) ** 2 / 12


@pytest.mark.parametrize("masses", [(1, 3), (0.2, 5)])
def test_energy_and_momentum_stay(masses):
    """A minute of a cubic spring between discs that turn about each other and themselves."""
    world, spring = pair(0.5, masses)
    for body, velocity in zip(world.bodies, ((0, -1.5), (0, 0.7)), strict=True):
        body.velocity = velocity
    spring.local_anchor_a, spring.local_anchor_b = (0.05, 0.08), (-0.06, 0.02)
    world.add_spring_law(spring, lambda x, v: -(20 * x + 40 * x**3))

    def energy():
        x = spring.length - 1
        return world.kinetic_energy() + 10 * x**2 + 10 * x**4

    momentum, turning, before = world.momentum(), world.angular_momentum(), energy()
    found = []
    for _ in range(3600):
        world.step(DT)
        found.append(energy())
    found = np.array(found)
    assert abs(found[-300:].mean() / found[:300].mean() - 1) < 2e-3  # in the long run: nothing
    assert abs(found / before - 1).max() < 0.1  # of a step's length
    np.testing.assert_allclose(world.momentum(), momentum, atol=1e-4)
    assert abs(world.angular_momentum() - turning) < 1e-4 * abs(turning)


def test_half_the_step_a_quarter_of_the_error():
    found = []
    for parts in (1, 2):
        world, spring = pair()
        world.add_spring_law(spring, lambda x, v: -60 * x)
        before = 30 * (spring.length - 1) ** 2
        most = 0
        for _ in range(240 * parts):
            world.step(DT / parts)
            energy = world.kinetic_energy() + 30 * (spring.length - 1) ** 2
            most = max(most, abs(energy / before - 1))
        found.append(most)
    assert 1.7 < found[0] / found[1] < 4.6


def test_a_rubber_band_that_breaks():
    """It pulls when longer than at rest, and no more once it was stretched twofold."""
    world, bob, spring = hang()
    broken = np.zeros(1, bool)

    def rubber(x, rate):
        np.logical_or(broken, x > 1, out=broken)
        return np.where(broken, 0, -np.maximum(0, 60 * x))

    world.add_spring_law(spring, rubber)
    world.step(DT, n=120)
    assert not broken
    assert -2 < bob.position[1] < -0.9
    bob.apply_impulse((0, -20))
    world.step(DT, n=60)
    assert broken
    speed = bob.velocity[1]
    world.step(DT, n=60)
    np.testing.assert_allclose(bob.velocity[1], speed - 10, rtol=1e-4)  # falls


def test_an_angle_has_a_torque():
    """A hinge and a rotary joint: the period of a torsion pendulum, and where a weight turns it."""
    world = p2.World(gravity=(0, 0), sleeping=False)
    wheel = world.add_body(p2.Circle(0.5), (0, 0), mass=2)
    base = world.add_body(p2.Circle(0.5), (3, 0), mass=4)
    hinge = world.add_revolute_joint(None, wheel, anchor=(0, 0))
    turn = world.add_rotary_joint(wheel, base)
    wheel.angle = 0.3
    inertia, stiffness = wheel.inertia, 5.0
    seen = []

    def law(x, v):
        seen.append((x.copy(), v.copy()))
        return [-stiffness * x[0], 0]

    world.add_spring_law([hinge, turn], law)
    before, angles = world.angular_momentum(), []
    for _ in range(600):
        world.step(DT)
        angles.append(wheel.angle)
    angles = np.array(angles)
    up = np.flatnonzero((angles[:-1] < 0) & (angles[1:] >= 0))
    times = up + angles[up] / (angles[up] - angles[up + 1])
    period = DT * (times[-1] - times[0]) / (len(times) - 1)
    assert abs(period / (2 * np.pi * np.sqrt(inertia / stiffness)) - 1) < 2e-3
    assert seen[0][0].tolist() == [0.3, -0.3]
    assert seen[0][1].tolist() == [0, 0]
    assert base.angle == 0
    assert before == 0


def test_translations_of_slides_and_wheels():
    """Along the axis, and the base is pushed back."""
    for kind in ("prismatic", "wheel"):
        world = p2.World(gravity=(0, 0))
        base = world.add_body(p2.Box(1, 1), (0, 0), mass=3)
        slider = world.add_body(p2.Box(1, 1), (2, 0), mass=1)
        add = getattr(world, f"add_{kind}_joint")
        joint = add(base, slider, anchor=(2, 0), axis=(1, 0))
        law = world.add_spring_law(joint, lambda x, v: 6.0)
        world.step(DT, n=30)
        np.testing.assert_allclose(slider.velocity, (6 * 0.5, 0), atol=1e-5)
        np.testing.assert_allclose(base.velocity, (-6 * 0.5 / 3, 0), atol=1e-5)
        law.remove()
        world.step(DT, n=30)
        np.testing.assert_allclose(slider.velocity, (3, 0), atol=1e-5)


def test_it_is_added_to_the_spring_of_the_joint():
    world, _, spring = hang(lambda x, v: -40 * x)
    spring.stiffness, spring.damping = 60, 12
    world.step(DT, n=900)
    assert abs(spring.length - 1 - 20 / 100) < 1e-6


def test_two_laws_add_and_one_may_have_a_joint_twice():
    world, _, spring = hang(lambda x, v: -20 * x - 8 * v)
    world.add_spring_law([spring, spring], lambda x, v: -40 * x)
    world.step(DT, n=900)
    assert abs(spring.length - 1 - 20 / 100) < 1e-6


# ---------------------------------------------------------------- when it is called, and with what


def test_once_a_step_with_arrays_in_the_order_given():
    world = p2.World(gravity=(0, 0))
    slots = world.add_bodies(p2.Circle(0.1), [(k, 0) for k in range(6)])
    bodies = [world.bodies[k] for k in slots]
    joints = [
        world.add_distance_joint(a, b, lower=0, length=0.25 * (k + 1))
        for k, (a, b) in enumerate(zip(bodies[::2], bodies[1::2], strict=True))
    ]
    calls = []
    law = world.add_spring_law(joints[::-1], lambda x, v: calls.append((x, v)) or 0 * x)
    bodies[1].velocity = (0.4, 0)
    world.step(DT, n=3)
    assert len(calls) == 3
    (x, v), *_ = calls
    ahead = DT * 7 / 16  # of 8 substeps
    np.testing.assert_allclose(x, [0.25, 0.5, 0.75 + 0.4 * ahead], rtol=1e-12)
    np.testing.assert_allclose(v, [0, 0, 0.4], rtol=1e-12)
    assert x.dtype == v.dtype == float
    assert law.joints == tuple(joints[::-1])
    assert repr(law) == "<SpringLaw of 3 joints>"
    assert law.world is world
    assert law.alive
    assert world.spring_laws == (law,)
    world.step(n=0)
    assert len(calls) == 3


def test_rows_of_removed_joints_are_nan_and_count_for_nothing():
    world = p2.World(gravity=(0, 0))
    world.add_bodies(p2.Circle(0.1), [(0, 0), (1, 0), (5, 0), (6, 0)])
    bodies = list(world.bodies)
    joints = [world.add_distance_joint(*bodies[k : k + 2], lower=0) for k in (0, 2)]
    calls = []
    world.add_spring_law(joints, lambda x, v: calls.append(x.copy()) or 1 + 0 * x)
    world.remove(bodies[0])
    world.step(DT)
    assert np.isnan(calls[0]).tolist() == [True, False]
    assert world.velocities[1].tolist() == [0, 0]
    assert world.velocities[3, 0] > 0
    again = world.add_body(p2.Circle(0.1), (0, 0))
    new = world.add_distance_joint(again, bodies[1], lower=0)  # in the place of the other one
    assert new.index == joints[0].index
    world.step(DT)
    assert np.isnan(calls[1]).tolist() == [True, False]
    world.remove(joints[1])
    world.step(DT)
    assert len(calls) == 2  # nothing is left to ask about


def test_what_sleeps_goes_on_sleeping_and_wakes_under_load():
    """A bob that hangs at rest is not called for; when it is hit, it has its spring at once."""
    calls = []
    world, bob, _spring = hang(lambda x, v: calls.append(1) or -500 * x - 60 * v, True)
    world.step(DT, n=600)
    assert not bob.awake
    before = len(calls)
    world.step(DT, n=60)
    assert len(calls) == before
    assert not bob.awake
    low = bob.position[1]
    ball = world.add_body(p2.Circle(0.05), (bob.position[0] + 0.4, low), mass=1e-6, gravity_scale=0)
    ball.velocity = (-6, 0)
    lowest = low
    while not bob.awake:
        world.step(DT)
    for _ in range(10):
        world.step(DT)
        lowest = min(lowest, bob.position[1])
    assert low - lowest < 1e-4  # a step without its spring: 1.5 mm at once, 160 mm/s
    world.spring_laws[0].remove()
    world.step(DT)
    assert bob.awake


def test_a_law_for_many_joints_is_one_call():
    n = 500
    world = p2.World(gravity=(0, -10))
    slots = world.add_bodies(p2.Circle(0.1), [(k, -1) for k in range(n)], mass=2)
    joints = [
        world.add_distance_joint(None, world.bodies[k], anchor_a=(i, 0), lower=0, length=1)
        for i, k in enumerate(slots)
    ]
    stiffness = np.linspace(50, 400, n)
    calls = []
    world.add_spring_law(
        joints, lambda x, v: calls.append(1) or -stiffness * x - np.sqrt(8 * stiffness) * v
    )
    world.step(DT, n=300)
    assert len(calls) <= 300
    lengths = np.array([joint.length for joint in joints])
    np.testing.assert_allclose(lengths - 1, 20 / stiffness, atol=2e-5)


# ---------------------------------------------------------------- state


def test_it_does_not_cost_bits():
    """A law that gives nothing leaves every bit as it is; so does one that was removed."""
    runs = []
    for kind in ("none", "zero", "gone"):
        world, spring = pair()
        world.bodies[0].velocity = (0.3, 0.4)
        if kind != "none":
            law = world.add_spring_law(spring, lambda x, v: 0 * x)
        if kind == "gone":
            law.remove()
        world.step(DT, n=60)
        runs.append(world.hash())
    assert runs[0] == runs[1] == runs[2]


def test_the_same_bits_by_every_instruction_set_and_number_of_workers():
    """Of a net of springs that falls onto a floor: each body has several, and contacts."""

    def run(**options):
        world = p2.World(gravity=(0, -10), **options)
        world.add_body(p2.Box(40, 1), (0, -0.5), kind="static")
        places = [(0.8 * k + 0.1 * row, 1 + 0.7 * row) for row in range(4) for k in range(5)]
        slots = world.add_bodies(p2.Circle(0.3), places, mass=1)
        net = [world.bodies[k] for k in slots]
        joints = [
            world.add_distance_joint(net[i], net[j], lower=0, length=0.8)
            for i in range(20)
            for j in (i + 1, i + 5)
            if j < 20 and (j - i == 5 or j % 5)
        ]
        stiffness = np.linspace(100, 300, len(joints))
        world.add_spring_law(joints, lambda x, v: -stiffness * (x + x**3) - 4 * v)
        world.step(DT, n=100)
        return world

    check_same_bits(run, workers=(1, 2, 3))


def test_a_spring_across_the_edge_of_a_wrapped_world():
    """Its extension is that of the nearest image: two discs draw near over the edge."""
    world = p2.World(gravity=(0, 0), wrap=(10, np.inf), sleeping=False)
    a = world.add_body(p2.Circle(0.1), (0.5, 0), mass=1)
    b = world.add_body(p2.Circle(0.1), (9.0, 0), mass=1)
    spring = world.add_distance_joint(a, b, lower=0, length=1)
    seen = []
    world.add_spring_law(spring, lambda x, v: seen.append(x[0]) or -20 * x)
    world.step(DT)
    assert abs(seen[0] - 0.5) < 1e-12
    np.testing.assert_allclose(world.velocities[:, 0], (-10 * DT, 10 * DT), rtol=1e-6)


def test_snapshots_copies_and_forks_are_without():
    """Hooks are left out, by rule; restore() keeps those of the world."""
    world, spring = pair()
    calls = []
    law = world.add_spring_law(spring, lambda x, v: calls.append(1) or -20 * x)
    start = world.snapshot()
    world.step(DT, n=30)
    hash = world.hash()
    world.restore(start)
    assert world.spring_laws == (law,)
    assert world.fork(2)[0].spring_laws == ()
    assert pickle.loads(pickle.dumps(world)).spring_laws == ()
    world.step(DT, n=30)
    assert world.hash() == hash
    assert len(calls) == 60
    other = p2.World.from_snapshot(start)
    assert other.spring_laws == ()
    other.add_spring_law(other.joints[spring.index], lambda x, v: -20 * x)
    other.step(DT, n=30)
    assert other.hash() == hash
    world.restore(p2.World().snapshot())  # the joint is in no such world
    world.add_body(p2.Circle(1))
    world.step(DT)
    assert len(calls) == 60
    with pytest.raises(TypeError):
        pickle.dumps(law)


def test_stages_show_it():
    world, spring = pair()
    world.add_spring_law(spring, lambda x, v: -20 * x)
    twin = p2.World.from_snapshot(world.snapshot())
    twin.add_spring_law(twin.joints[0], lambda x, v: -20 * x)
    for _ in world.stages(DT):
        with pytest.raises(p2.WorldLockedError):
            world.spring_laws[0].remove()
    twin.step(DT)
    assert world.hash() == twin.hash()
    assert world.spring_laws[0].alive


def test_a_call_log_has_the_forces(tmp_path):
    """A replay needs no function; a joint goes, and a law, under way."""
    world = p2.World(gravity=(0, -10))
    world.add_bodies(p2.Circle(0.1), [(0, 0), (0.5, -1), (3, 0), (4, 0)])
    bodies = list(world.bodies)
    joints = [
        world.add_distance_joint(None, bodies[0], anchor_a=(0, 1), lower=0),
        world.add_distance_joint(bodies[0], bodies[1], lower=0),
        world.add_revolute_joint(bodies[2], bodies[3], anchor=(3.5, 0)),
    ]
    path = tmp_path / "run.calls"
    with world.record_calls(path):
        world.step(DT, n=5)
        law = world.add_spring_law(joints, lambda x, v: -30 * x - v)
        other = world.add_spring_law(joints[0], lambda x, v: -3 * x)
        world.step(DT, n=50)
        world.remove(joints[1])
        world.step(DT, n=50)
        law.remove()
        world.step(DT, n=20)
        other.remove()
        world.step(DT, n=20)
    again = p2.replay(path)
    assert again.same, again
    assert again.steps == 145
    assert again.world.hash() == world.hash()
    assert again.world.spring_laws == ()


def test_a_recording_goes_on(tmp_path):
    world, spring = pair()
    world.add_spring_law(spring, lambda x, v: -20 * x)
    with world.record() as trajectory:
        world.step(DT, n=20)
    assert len(trajectory.positions) == 21


# ---------------------------------------------------------------- misuse


RETURNS = {
    "nothing": (lambda x: None, TypeError, "must return forces, shape (2,), got None"),
    "a wrong shape": (lambda x: x[:1], ValueError, "shape (2,): one for each of its joints; got"),
    "two columns": (lambda x: np.zeros((2, 2)), ValueError, "got shape (2, 2)"),
    "NaN": (lambda x: x * np.nan, ValueError, "force[0]: must be within +-1e15, got nan"),
    "infinity": (lambda x: [0, np.inf], ValueError, "force[1]: must be within +-1e15, got inf"),
    "text": (lambda x: "strong", TypeError, "spring law: must hold"),
    "an object": (lambda x: object(), TypeError, "spring law: must hold"),
}


@pytest.mark.parametrize("name", RETURNS)
def test_a_wrong_answer_is_refused_by_name(name):
    answer, error, text = RETURNS[name]
    world, _, spring = hang()
    bob = world.add_body(p2.Circle(0.1), (4, 0))
    other = world.add_distance_joint(None, bob, anchor_a=(4, 1), lower=0)
    law = world.add_spring_law([spring, other], lambda x, v: answer(x))
    before = world.hash()
    with pytest.raises(error, match=re.escape(text)):
        world.step(DT)
    assert world.hash() == before
    assert world.step_count == 0
    law.remove()
    world.step(DT)


def test_an_exception_leaves_step_as_itself():
    world, spring = pair()
    calls = []

    def law(x, v):
        calls.append(1)
        if len(calls) == 4:
            raise OurError("now")
        return -20 * x

    world.add_spring_law(spring, law)
    with pytest.raises(OurError, match="now"):
        world.step(DT, n=10)
    assert world.step_count == 3  # those before it are kept
    twin, other = pair()
    twin.add_spring_law(other, lambda x, v: -20 * x)
    twin.step(DT, n=3)
    assert world.hash() == twin.hash()
    world.step(DT, n=4)
    twin.step(DT, n=4)
    assert world.hash() == twin.hash()


def test_the_world_can_be_read_and_not_changed():
    world, spring = pair()
    read, live = [], world.velocities

    def law(x, v):
        read.append((world.bodies[0].position[0], spring.length, spring.speed))
        with pytest.raises(p2.WorldLockedError):
            _ = spring.force  # the step has yet to find it
        for change in (
            lambda: world.add_body(p2.Circle(1)),
            lambda: world.remove(spring),
            lambda: world.step(DT),
            lambda: world.spring_laws[0].remove(),
            lambda: world.add_spring_law(spring, law),
        ):
            with pytest.raises(p2.WorldLockedError):
                change()
        return 0 * x

    law_handle = world.add_spring_law(spring, law)
    world.step(DT)
    assert read == [(0, 1.5, 0)]
    law_handle.remove()

    def writes(x, v):
        live[0] = 1
        return 0 * x

    world.add_spring_law(spring, writes)
    before = world.hash()
    with pytest.raises(p2.WorldLockedError, match=r"spring law: velocities\[0\] was written"):
        world.step(DT)
    assert world.hash() == before


def test_joints_that_it_cannot_pull_at():
    world = p2.World()
    a, b = world.add_body(p2.Circle(1)), world.add_body(p2.Circle(1), (3, 0))
    rod = world.add_distance_joint(a, b)
    hinge = world.add_revolute_joint(a, b, lower=0.5, upper=0.5)
    weld = world.add_weld_joint(a, b)
    rope = world.add_distance_joint(a, b, upper=4)
    elsewhere = pair()[1]

    def law(x, v):
        return x

    for joints, error, text in (
        (rod, ValueError, "joints[0]: its length is held at 3; make it with lower=0"),
        ([rope, hinge], ValueError, "joints[1]: its angle is held at 0.5"),
        (weld, ValueError, "must be a distance, revolute, prismatic, wheel or rotary joint, got a"),
        (elsewhere, ValueError, "belongs to another world"),
        ([], ValueError, "joints: must be one at least"),
        ([0], TypeError, "the joint of a number is world.joints[number]"),
        (a, TypeError, "joints: must be a Joint or several of them, got pyphys2d._core.Body"),
        ("spring", TypeError, "joints: must be a Joint"),
    ):
        with pytest.raises(error, match=re.escape(text)):
            world.add_spring_law(joints, law)
    with pytest.raises(TypeError, match=r"function: must be callable, function\(extension, rate\)"):
        world.add_spring_law(rope, 5)
    world.remove(rope)
    with pytest.raises(p2.RemovedError, match=re.escape("joints[0]")):
        world.add_spring_law(rope, law)
    assert world.spring_laws == ()


def test_a_law_ends_once():
    world, spring = pair()
    law = world.add_spring_law(spring, lambda x, v: -20 * x)
    law.remove()
    assert not law.alive
    assert world.spring_laws == ()
    assert "removed" in repr(law)
    with pytest.raises(p2.RemovedError, match="has been removed already"):
        law.remove()
    with pytest.raises(TypeError, match=r"law\.remove\(\)"):
        world.remove(law)
    with pytest.raises(TypeError, match="SpringLaw"):
        type(law)()


def test_on_force_may_add_and_remove_laws():
    world, spring = pair()

    def change(world):
        if world.step_count == 2:
            world.add_spring_law(spring, lambda x, v: 0 * x + 3)
        if world.step_count == 4:
            world.spring_laws[0].remove()

    world.on_force = change
    world.step(DT, n=10)
    np.testing.assert_allclose(world.velocities[1, 0], 3 / 3 * 2 * DT, rtol=1e-5)


# ---------------------------------------------------------------- memory


def test_cycles_are_collected():
    class Law:
        def __call__(self, x, v):
            return 0 * x

    def make():
        world, spring = pair()
        function = Law()
        function.law = world.add_spring_law(spring, function)
        removed = world.add_spring_law(spring, functools.partial(lambda own, x, v: 0 * x, [world]))
        removed.function.args[0].append(removed)
        removed.remove()
        return world

    check_collected(make)


def test_failing_allocations_leave_all_as_it_was():
    world, spring = pair()
    added = fail_every_allocation(world, lambda: world.add_spring_law(spring, lambda x, v: -20 * x))
    assert added >= 1
    fail_every_allocation(world, lambda: world.step(DT))
    fail_every_allocation(world, world.spring_laws[0].remove)
    assert world.spring_laws == ()
