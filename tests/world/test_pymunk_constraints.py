"""Each line of the table of constraints in docs/coming-from.md runs, and does what pymunk's does.

What it does is told by pymunk's own definition of each constraint, as an equation between the
bodies after a while.
"""

import re

import numpy as np
import pytest

import pyphys2d as p2

DT = 1 / 120


def rows(repository):
    text = (
        (repository / "docs" / "coming-from.md")
        .read_text(encoding="utf-8")
        .split("## Constraints")[1]
    )
    cells = re.findall(r"^\| `(\w+)\((.*?)\)` \| `(world\..*)` ?.*\|$", text, re.M)
    found = []
    for name, arguments, rest in cells:
        call = rest.split("`")[0]
        found.append((f"{name}({arguments})", call))
    return found


def scene():
    world = p2.World(gravity=(0, 0), sleeping=False)
    a = world.add_body(p2.Box(1, 0.5), mass=2)
    b = world.add_body(p2.Box(1, 0.5), (1.5, 0), mass=3)
    b.velocity, b.angular_velocity, a.angular_velocity = (0.3, 1.5), 2, -1
    return world, a, b


def gap(a, b, p, q):
    return float(np.hypot(*np.subtract(b.to_world(q), a.to_world(p))))


P, Q = (0.25, 0.125), (-0.25, 0.0)
POINT = (0.75, 0.0)


def in_groove(a, b):
    x, y = a.to_local(b.to_world(Q))
    return max(abs(y), -x, x - 2, 0)


# By pymunk's constraint: what is 0 (or below) from some steps after it was made.
HOLDS = {
    "PinJoint(a, b, p, q)": lambda a, b, at: abs(gap(a, b, P, Q) - at["gap"]),
    "SlideJoint(a, b, p, q, 1, 2)": lambda a, b, at: max(gap(a, b, P, Q) - 2, 1 - gap(a, b, P, Q)),
    "PivotJoint(a, b, point)": lambda a, b, at: gap(a, b, at["a"], at["b"]),
    "PivotJoint(a, b, p, q)": lambda a, b, at: gap(a, b, P, Q),
    "GrooveJoint(a, b, (0, 0), (2, 0), q)": lambda a, b, at: in_groove(a, b),
    "RotaryLimitJoint(a, b, -1, 1)": lambda a, b, at: abs(b.angle - a.angle) - 1,
    "GearJoint(a, b, 0.3, 2)": lambda a, b, at: abs(b.angle * 2 - a.angle - 0.3),
    "SimpleMotor(a, b, 3)": lambda a, b, at: abs(a.angular_velocity - b.angular_velocity - 3),
    "RatchetJoint(a, b, 0, 0.5)": lambda a, b, at: at["tooth"] - (b.angle - a.angle),
}


def make(call, world, a, b):
    return eval(call, {"world": world, "a": a, "b": b, "p": P, "q": Q, "point": POINT, "np": np})


@pytest.mark.parametrize("name", HOLDS)
def test_it_holds_what_pymunks_does(name, repository):
    call = dict(rows(repository))[name]
    world, a, b = scene()
    if name.startswith("Groove"):
        b.angular_velocity = a.angular_velocity = 0
    at = {"gap": gap(a, b, P, Q), "a": a.to_local(POINT), "b": b.to_local(POINT), "tooth": 0}
    joint = make(call, world, a, b)
    world.step(DT, n=120)
    momentum = world.momentum()
    for k in range(120):
        if name.startswith("Ratchet") and k % 10 == 0:
            at["tooth"] = 0.5 * np.floor((b.angle - a.angle) / 0.5 + 1e-6)
            b.angular_velocity -= 1.0  # turned back
        world.step(DT)
        assert HOLDS[name](a, b, at) < 2e-3
    assert joint.alive
    np.testing.assert_allclose(world.momentum(), momentum, atol=1e-3)


def test_a_damped_spring_follows_its_equation(repository):
    """m u'' = -k (u - 3) - c u', u the distance along one line and m the reduced mass."""
    call = dict(rows(repository))["DampedSpring(a, b, p, q, 3, 50, 2)"]
    world = p2.World(gravity=(0, 0), sleeping=False)
    a = world.add_body(p2.Circle(0.1), mass=2)
    b = world.add_body(p2.Circle(0.1), (4, 0), mass=3)
    make(call.replace("=p", "=(0, 0)").replace("=q", "=(0, 0)"), world, a, b)
    m, k, c = 2 * 3 / (2 + 3), 50, 2
    rate, omega = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
    for n in range(1, 200):
        world.step(DT)
        t = n * DT
        u = np.exp(-rate * t) * (np.cos(omega * t) + rate / omega * np.sin(omega * t))
        assert b.position[0] - a.position[0] - 3 == pytest.approx(u, abs=0.01)


def test_a_damped_rotary_spring_follows_its_equation(repository):
    """pymunk: the torque on b is k (angle_a - angle_b - rest) less the damping."""
    call = dict(rows(repository))["DampedRotarySpring(a, b, 0.5, 50, 2)"]
    world = p2.World(gravity=(0, 0), sleeping=False)
    a = world.add_body(p2.Circle(1), kind="kinematic", angle=0.25)
    b = world.add_body(p2.Circle(1), (4, 0))
    joint = make(call, world, a, b)
    inertia, k, c = b.inertia, 50, 2
    rate, omega = c / (2 * inertia), np.sqrt(k / inertia - (c / (2 * inertia)) ** 2)
    rest = 0.25 - 0.5
    for n in range(1, 200):
        world.step(DT)
        t = n * DT
        u = np.exp(-rate * t) * (np.cos(omega * t) + rate / omega * np.sin(omega * t))
        assert b.angle == pytest.approx(rest - rest * u, abs=0.003)
    assert joint.stiffness == 50


def test_every_constraint_of_pymunk_is_in_the_table(repository):
    names = {name.split("(")[0] for name, _ in rows(repository)}
    assert names == {
        "PinJoint", "SlideJoint", "PivotJoint", "GrooveJoint", "DampedSpring",
        "DampedRotarySpring", "RotaryLimitJoint", "RatchetJoint", "GearJoint", "SimpleMotor",
    }  # fmt: skip
    assert {name for name, _ in rows(repository)} - set(HOLDS) == {
        "DampedSpring(a, b, p, q, 3, 50, 2)", "DampedRotarySpring(a, b, 0.5, 50, 2)",
    }  # fmt: skip
