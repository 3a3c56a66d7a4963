"""Scenes of machines: a car, a crane, gears, a walker, a pinball table."""

from __future__ import annotations

from math import sqrt

from pyphys2d import (
    Body,
    Box,
    Capsule,
    Chain,
    Circle,
    DistanceJoint,
    Polygon,
    PrismaticJoint,
    RevoluteJoint,
    WeldJoint,
    World,
)
from pyphys2d.geometry import direction
from pyphys2d.scenes.benchmark import DEGREE
from pyphys2d.scenes.scene import Scene

Point = tuple[float, float]


def car() -> Scene:
    """A car on springs drives over hills, a gap in the road on a hanging bridge, and a jump."""
    world = World(gravity=(0, -10))
    left: list[Point] = [(-12, 6), (-10, 0), (6, 0)]
    for k, height in enumerate((0.25, 1, 2.5, 1, 0, -1, -2, -2, -1.25, 0)):
        left.append((11 + 5.0 * k, height))
    left.append((60, 0))
    world.add_body(Chain([*left, (60, -6)]), kind="static", friction=0.9, name="road")
    right: list[Point] = [(80, -6), (80, 0), (105, 0), (115, 4), (115, -1), (160, -1), (160, 8)]
    world.add_body(Chain(right), kind="static", friction=0.9, name="road beyond")
    before = None
    for k in range(20):
        plank = world.add_body(
            Box(1, 0.25), (60.5 + k, -0.125), density=5, friction=0.9, group=-1, name="plank"
        )
        world.add_revolute_joint(before, plank, anchor=(60.0 + k, -0.125))
        before = plank
    assert before is not None
    world.add_revolute_joint(None, before, anchor=(80, -0.125))

    outline = [(-1.5, -0.5), (1.5, -0.5), (1.5, 0), (0, 0.9), (-1.15, 0.9), (-1.5, 0.2)]
    chassis = world.add_body(Polygon(outline), (0, 1), group=-2, name="car")
    for x, torque in ((-1.0, 12.0), (1.0, 8.0)):
        wheel = world.add_body(
            Circle(0.4), (x, 0.4), density=1, friction=1.5, group=-2, name="wheel"
        )
        world.add_wheel_joint(
            chassis,
            wheel,
            axis=(0, 1),
            lower=-0.25,
            upper=0.25,
            spring_hertz=4,
            spring_damping_ratio=0.7,
            motor_speed=-20,
            max_motor_torque=torque,
        )
    return Scene("car", world, steps=1200, view=(-14, -8, 162, 12))


class Crane:
    """Drives the trolley, the winch and the grip of the crane, by the clock."""

    # from second, trolley's speed (m/s), winch's speed (m/s, < 0 hauls in), grip closed
    PLAN = (
        (0.0, 0.0, 0.8, False),
        (4.3, 0.0, 0.0, True),
        (4.6, 0.0, -1.0, True),
        (8.0, 2.0, 0.0, True),
        (12.0, 0.0, 0.9, True),
        (15.5, 0.0, 0.0, False),
        (16.0, 0.0, -1.0, False),
        (18.0, 0.0, 0.0, False),
    )

    def __init__(
        self, trolley: PrismaticJoint, winch: DistanceJoint, hook: Body, load: Body
    ) -> None:
        self._trolley, self._winch, self._hook, self._load = trolley, winch, hook, load
        self._grip: WeldJoint | None = None

    def __call__(self, world: World, step: int) -> None:
        speed, haul, closed = next(row[1:] for row in reversed(self.PLAN) if world.time >= row[0])
        self._trolley.motor_speed = speed
        self._winch.motor_speed = haul
        if closed and self._grip is None:
            self._grip = world.add_weld_joint(self._hook, self._load, anchor=self._hook.position)
        elif not closed and self._grip is not None:
            world.remove(self._grip)
            self._grip = None


def crane() -> Scene:
    """A crane carries a crate over a wall, while a lift goes up as its counterweight goes down."""
    world = World(gravity=(0, -10))
    world.add_body(Box(30, 1), (4, -0.5), kind="static", name="ground")
    world.add_body(Box(0.5, 3), (2.5, 1.5), kind="static", name="wall")
    world.add_body(Box(0.8, 10), (-7, 5), kind="static", mask=0, name="mast")
    jib = world.add_body(Box(18, 0.5), (1, 10.25), kind="static", mask=0, name="jib")

    trolley = world.add_body(Box(1, 0.4), (-2, 9.8), group=-1, name="trolley")
    rail = world.add_prismatic_joint(
        jib, trolley, axis=(1, 0), lower=-2.0, upper=10.0, motor_speed=0, max_motor_force=4000
    )
    hook = world.add_body(Circle(0.2), (-2, 5.0), density=20, group=-1, name="hook")
    rope = world.add_distance_joint(
        trolley, hook, lower=0.5, upper=9.5, motor_speed=0, max_motor_force=4000
    )
    crate = world.add_body(Box(1.4, 1.2), (-2, 0.6), density=8, name="crate")

    # The lift: a counterweight of 1.2 times its mass on the other end of the rope.
    cage = world.add_body(Box(1.6, 0.2), (12.0, 0.1), density=40, name="lift")
    weight = world.add_body(Box(0.6, 1.6), (15.0, 7.2), density=16, name="counterweight")
    for body, x in ((cage, 12.0), (weight, 15.0)):
        world.add_prismatic_joint(None, body, anchor=(x, 0), axis=(0, 1))
    world.add_pulley_joint(cage, weight, ground_a=(12.0, 10.0), ground_b=(15.0, 10.0))
    world.add_drag(linear=6)
    world.add_bodies(Box(0.4, 0.4), [(11.6 + 0.4 * k, 0.4) for k in range(3)], density=1)
    return Scene(
        "crane",
        world,
        steps=1140,
        before_step=Crane(rail, rope, hook, crate),
        view=(-11, -1.2, 19, 11.5),
    )


MODULE = 1 / 6  # pitch diameter over number of teeth, metres
PITCH = 0.5235987755982988  # pi * MODULE, from tooth to tooth


def _gear(teeth: int, hole: float = 0.0) -> Polygon:
    """A toothed wheel with straight flanks; its pitch radius is teeth * MODULE / 2."""
    radius = 0.5 * teeth * MODULE
    low, high = radius - 0.5 * MODULE, radius + 0.4 * MODULE
    outline = []
    for k in range(teeth):
        for share, r in ((-0.34, low), (-0.14, high), (0.14, high), (0.34, low)):
            c, s = direction((k + share) * 360 / teeth * DEGREE)
            outline.append((r * c, r * s))
    ring = []
    for k in range(12 if hole else 0):
        c, s = direction(30 * k * DEGREE)
        ring.append((hole * c, hole * s))
    return Polygon(outline, holes=[ring] if ring else ())


def gears() -> Scene:
    """A motor turns gears and a rack; an arm and a ratchet turn a wheel that never goes back."""
    world = World(gravity=(0, -10))
    train: list[tuple[Body, RevoluteJoint, float]] = []
    for teeth, place, hole in (
        (12, (-3.0, 0.0), 0.5),
        (24, (0.0, 0.0), 1.4),
        (9, (2.75, 0.0), 0.3),
    ):
        # Half a tooth further on where the number of teeth asks for it, so that they mesh.
        wheel = world.add_body(
            _gear(teeth, hole),
            place,
            0.5 * 360 / teeth * DEGREE if teeth != 12 else 0.0,
            mask=0,
            name=f"{teeth} teeth",
        )
        axle = world.add_revolute_joint(None, wheel, anchor=place)
        if train:
            _, before, radius = train[-1]
            world.add_gear_joint(before, axle, 0.5 * teeth * MODULE / radius)
        train.append((wheel, axle, 0.5 * teeth * MODULE))
    motor = train[0][1]
    motor.max_motor_torque = 2000

    outline: list[Point] = [(-4.0, -0.35)]
    for k in range(15):
        x = (k - 7.34) * PITCH
        outline += [(x, -0.5 * MODULE), (x + 0.2 * PITCH, 0.4 * MODULE)]
        outline += [(x + 0.48 * PITCH, 0.4 * MODULE), (x + 0.68 * PITCH, -0.5 * MODULE)]
    outline.append((outline[-1][0], -0.35))
    rack = world.add_body(Polygon(outline), (0.0, -2.0), mask=0, name="rack")
    slide = world.add_prismatic_joint(None, rack, anchor=(0.0, -2.0), axis=(1, 0))
    world.add_gear_joint(train[1][1], slide, -1 / train[1][2])

    # The arm swings to and fro; its pawl takes the wheel along one way, another holds it.
    wheel = world.add_body(_gear(18, 0.7), (6.0, 0.0), mask=0, name="ratchet wheel")
    world.add_revolute_joint(None, wheel, anchor=(6.0, 0.0))
    arm = world.add_body(Box(2.6, 0.2, (1.1, 0)), (6.0, 0.0), 1.2, mask=0, name="arm")
    lever = world.add_revolute_joint(None, arm, anchor=(6.0, 0.0), max_motor_torque=2000)
    world.add_ratchet_joint(arm, wheel, tooth=20 * DEGREE)
    world.add_ratchet_joint(None, wheel, tooth=20 * DEGREE)

    def drive(world: World, step: int) -> None:
        motor.motor_speed = 2.0 if step // 120 % 2 == 0 else -2.0
        lever.motor_speed = 1.0 if step // 60 % 2 == 0 else -1.0

    return Scene("gears", world, steps=600, before_step=drive, view=(-8.5, -3.5, 9.5, 3.5))


# Theo Jansen's eleven numbers: the lengths of the bars of one leg.
JANSEN = dict(
    zip(
        "abcdefghijklm",
        (38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 7.8, 15.0),
        strict=True,
    )
)


def _meet(p: Point, r: float, q: Point, s: float) -> Point:
    """The point at the distances r from p and s from q, to the left of the way from p to q."""
    x, y = q[0] - p[0], q[1] - p[1]
    d2 = x * x + y * y
    along = (r * r - s * s + d2) / (2 * d2)
    across = sqrt(max(r * r / d2 - along * along, 0.0))
    return p[0] + along * x - across * y, p[1] + along * y + across * x


def theo_jansen() -> Scene:
    """Theo Jansen's beast: a crank walks on six legs of eleven bars' lengths each."""
    world = World(gravity=(0, -10))
    scale = 0.05
    n = {key: scale * value for key, value in JANSEN.items()}
    height = 5.0  # of the crank above the floor
    road: list[Point] = [(-60, 9), (-60, 0), (60, 0), (60, 9)]
    world.add_body(Chain(road), kind="static", friction=0.9, name="floor")
    pebbles = [(10 + 1.3 * k, 0.06) for k in range(12)]
    world.add_bodies(Circle(0.12), pebbles, density=2)

    def at(point: Point) -> Point:
        return point[0], point[1] + height

    chassis = world.add_body(Box(2 * n["a"], 0.6), at((0, 0)), density=1, group=-1, name="chassis")
    crank = world.add_body(Circle(n["m"]), at((0, 0)), density=1, group=-1, name="crank")
    world.add_revolute_joint(
        chassis, crank, anchor=at((0, 0)), motor_speed=-2.0, max_motor_torque=4000
    )
    for leg in range(3):
        c, s = direction((90 + 120 * leg) * DEGREE)
        wrist = (n["m"] * c, n["m"] * s)
        for side in (-1, 1):  # the left leg as the books draw it, and its mirror image

            def flip(p: Point, side: int = side) -> Point:
                return -side * p[0], p[1]

            pin, tip = (-n["a"], -n["l"]), flip(wrist)
            top = _meet(pin, n["b"], tip, n["j"])
            knee = _meet(tip, n["k"], pin, n["c"])
            out = _meet(pin, n["d"], top, n["e"])
            low = _meet(knee, n["g"], out, n["f"])
            foot = _meet(knee, n["i"], low, n["h"])
            upper = _triangle(world, [at(flip(p)) for p in (pin, top, out)], "upper leg")
            lower = _triangle(world, [at(flip(p)) for p in (knee, low, foot)], "lower leg")
            world.add_revolute_joint(chassis, upper, anchor=at(flip(pin)))
            bars = (
                (crank, upper, tip, top),
                (crank, lower, tip, knee),
                (chassis, lower, pin, knee),
                (upper, lower, out, low),
            )
            for a, b, p, q in bars:
                world.add_distance_joint(a, b, anchor_a=at(flip(p)), anchor_b=at(flip(q)))
    return Scene("theo_jansen", world, steps=900, view=(-8, -1, 38, 9))


def _triangle(world: World, corners: list[Point], name: str) -> Body:
    shape = Polygon(corners)
    center = shape.centroid
    return world.add_body(
        Polygon(shape.vertices - center), center, density=1, friction=0.9, group=-1, name=name
    )


class Flippers:
    """Hits when a ball is near; throws in another when all are lost."""

    def __init__(self, joints: list[tuple[RevoluteJoint, int]]) -> None:
        self._joints = joints
        self._ball: Body | None = None

    def __call__(self, world: World, step: int) -> None:
        if self._ball is not None and self._ball.position[1] < -1:
            world.remove(self._ball)
            self._ball = None
        if self._ball is None:
            self._ball = world.add_body(
                Circle(0.2),
                (3.0 + 0.37 * (step % 3), 17),
                velocity=(-2, 0),
                density=5,
                friction=0.1,
                restitution=0.3,
                bullet=True,
                name="ball",
            )
        x, y = self._ball.position
        for joint, side in self._joints:
            hit = 0.4 < side * x < 2.3 and 0 < y < 2.6
            joint.motor_speed = side * (30.0 if hit else -12.0)


def pinball() -> Scene:
    """A pinball table: two flippers on motors, bumpers that hit back, spinners."""
    world = World(gravity=(0, -7))
    outline: list[Point] = [(-1.2, -2), (-1.2, 0), (-8, 5), (-8, 17), (-5, 20), (5, 20), (8, 17)]
    outline += [(8, 5), (1.2, 0), (1.2, -2)]
    outline[1:2] = [(-4.2, 1.6)]
    outline[-2:-1] = [(4.2, 1.6)]
    outline[0], outline[-1] = (-4.2, -2), (4.2, -2)
    # Holds in: counter-clockwise.
    world.add_body(Chain(outline[::-1]), kind="static", friction=0.2, restitution=0.4, name="table")
    joints = []
    for side in (-1, 1):
        pivot = (side * 3.6, 2.0)
        # From the pivot inwards, hanging down by 30 degrees.
        c, s = direction(-30 * DEGREE)
        flipper = world.add_body(
            Capsule((0, 0), (-side * 2.6 * c, 2.6 * s), 0.25),
            pivot,
            density=4,
            friction=0.4,
            restitution=0.1,
            name="flipper",
        )
        lower, upper = (-60 * DEGREE, 0.0) if side == 1 else (0.0, 60 * DEGREE)
        joint = world.add_revolute_joint(
            None, flipper, anchor=pivot, lower=lower, upper=upper, max_motor_torque=5000
        )
        joints.append((joint, -side))
    for place in ((-3, 13), (3, 13), (0, 16), (0, 10.5)):
        world.add_body(Circle(0.8), place, kind="static", restitution=1.5, name="bumper")
    for x in (-4.5, 4.5):
        cross = world.add_body(Box(2.6, 0.25), (x, 8), density=1, restitution=0.3, name="spinner")
        cross.attach(Box(0.25, 2.6), density=1, restitution=0.3)
        world.add_revolute_joint(None, cross, anchor=(x, 8), max_motor_torque=2)
    return Scene("pinball", world, steps=1200, before_step=Flippers(joints), view=(-9, -2.5, 9, 21))
