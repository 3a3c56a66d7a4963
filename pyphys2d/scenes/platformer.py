"""A platform game that plays itself: a course and the character mover that runs it."""

from __future__ import annotations

from pyphys2d import Body, Box, Capsule, Chain, CharacterMover, Circle, World
from pyphys2d.scenes.scene import Scene

DT = 1 / 60
GRAVITY = 9.81
ONE_WAY = 2  # category of platforms that are open from below
SPEED = 4.0  # m/s
JUMP = 6.4  # m/s: 2 m high

# The ground from left to right: a hill of 25 and 35 degrees, stairs, a pit, a tower with a slide of
# 60 degrees behind it.
STAIRS = [(22 + 0.5 * (k // 2), 0.22 * ((k + 1) // 2)) for k in range(11)]
GROUND = [
    *((-8, 7), (-8, 0), (4, 0), (10, 2.8), (13, 2.8), (17, 0)),
    *STAIRS,
    *((30, 1.1), (30, -2), (38.6, -2), (38.6, 1.1), (50.2, 1.1), (50.2, 5.5)),
    *((55, 5.5), (58.06, 0.2), (66, 0.2), (66, 7)),
]
LEFT_END, RIGHT_END = 31.55, 37.05  # of the ferry's middle
FERRY_SPEED = 2.5
STAY, WAY = 60, 132  # steps that the ferry stays at an end, and that a crossing takes
LEDGES = (2.7, 4.1, 5.5)  # tops of the platforms to jump up


class Run:
    """Moves the ferry and the runner; called before every step.

    Attributes
    ----------
    mover : CharacterMover
        The runner.
    path : list of tuple of float
        Where it has been, one position per step, metres.
    """

    def __init__(self, mover: CharacterMover, ferry: Body) -> None:
        self.mover = mover
        self.path: list[tuple[float, float]] = []
        self._ferry = ferry

    def __call__(self, world: World, step: int) -> None:
        self.sail(step)
        self.mover.move(self._wanted(), DT)
        x, y = map(float, self.mover.position)
        self.path.append((x, y))

    def sail(self, step: int) -> None:
        """Give the ferry its velocity for a step."""
        leg, time = divmod(step, STAY + WAY)
        sailing = time >= STAY
        self._ferry.velocity = (-((-1) ** leg) * FERRY_SPEED if sailing else 0.0, 0)

    def _wanted(self) -> tuple[float, float]:
        """What a player would press, as the velocity that it means."""
        x, y = map(float, self.mover.position)
        ground = self.mover.ground
        if ground is None:
            vx, vy = map(float, self.mover.velocity)
            return vx, vy - GRAVITY * DT
        ferry, docked = float(self._ferry.position[0]), self._ferry.velocity[0] == 0
        if ground.collider.body == self._ferry:
            ashore = docked and ferry > RIGHT_END - 0.1
            return (SPEED if ashore or x < ferry - 0.1 else 0.0), 0.0
        if 29.5 < x < 30 and not (docked and ferry < LEFT_END + 0.1):
            return 0.0, 0.0  # waits for the ferry
        if 43 < x < 44 and y < LEDGES[-1] - 0.1:
            return 0.0, JUMP  # up through the platforms
        return SPEED, 0.0


def platformer() -> Scene:
    """A character runs a course of slopes, stairs, crates, a ferry, ledges, a wheel and a slide."""
    world = World(gravity=(0, -GRAVITY))
    world.add_body(Chain(GROUND), kind="static", name="ground")
    for x in (26.5, 27.8):
        world.add_body(Box(0.8, 0.8), (x, 1.5), density=20, name="crate")
    ferry = world.add_body(Box(3, 0.3), (RIGHT_END, 0.95), kind="kinematic", name="ferry")
    for top in LEDGES:
        left, right = 42.0, 48.2 if top == LEDGES[-1] else 45.0
        world.add_body(
            Box(right - left, 0.2),
            (0.5 * (left + right), top - 0.1),
            kind="static",
            category=ONE_WAY,
            name="ledge",
        )
    world.add_body(Circle(1.6), (49.2, 3.9), kind="kinematic", angular_velocity=-1, name="wheel")
    capsule = Capsule((0, 0.3), (0, 1.1), 0.3)
    start = (-6.0, 0.01)
    runner = world.add_body(capsule, start, kind="kinematic", name="runner")
    mover = CharacterMover(
        world,
        capsule,
        start,
        mass=60,
        push_force=250,
        one_way=ONE_WAY,
        body=runner,
    )
    return Scene(
        "platformer", world, dt=DT, steps=1360, before_step=Run(mover, ferry), view=(-9, -3, 67, 9)
    )
