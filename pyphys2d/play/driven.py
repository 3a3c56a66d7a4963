"""Scenes of the library that a player drives by keys: platformer, car, asteroids."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pyphys2d import WheelJoint, World
from pyphys2d._live import Session
from pyphys2d.scenes import Scene, build, platformer
from pyphys2d.scenes.asteroids import RELOAD, Pilot

LEFT, RIGHT, UP, DOWN = "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"
FIRE = "x"
CAR_SPEED = 25.0  # rad/s of the wheels

Step = Callable[[World, int], None]


def _session(
    name: str,
    keys: tuple[str, ...],
    words: str,
    drive: Callable[[Scene, set[str]], Step],
    follow: str | None = None,
    across: float = 0.0,
) -> Session:
    """A session of a scene whose script is replaced by ``drive(scene, pressed)``."""
    pressed: set[str] = set()

    def make() -> tuple[World, Step]:
        scene = build(name)
        return scene.world, drive(scene, pressed)

    scene = build(name)
    view = scene.view
    if follow is not None:
        x, y = next(body for body in scene.world.bodies if body.name == follow).position.tolist()
        view = (x - across / 2, y - across / 4, x + across / 2, y + across / 4)
    session = Session(
        scene.world,
        dt=scene.dt,
        before_step=drive(scene, pressed),
        remake=make,
        view=view,
        title=f"{name}: {words}",
        note=words,
        follow=follow,
        keys=keys,
        playing=True,
    )
    session.pressed = pressed
    return session


def _run(scene: Scene, pressed: set[str]) -> Step:
    script = scene.before_step
    assert isinstance(script, platformer.Run)

    def step(world: World, k: int) -> None:
        script.sail(k)
        mover = script.mover
        side = (RIGHT in pressed) - (LEFT in pressed)
        if mover.ground is None:
            fall = float(mover.velocity[1]) - platformer.GRAVITY * scene.dt
            wanted = (side * platformer.SPEED, fall)
        else:
            wanted = (side * platformer.SPEED, platformer.JUMP if UP in pressed else 0.0)
        mover.move(wanted, scene.dt)

    return step


def _drive(scene: Scene, pressed: set[str]) -> Step:
    wheels = [joint for joint in scene.world.joints if isinstance(joint, WheelJoint)]

    def step(world: World, k: int) -> None:
        speed = -CAR_SPEED * ((RIGHT in pressed) - (LEFT in pressed))
        for wheel in wheels:
            if float(wheel.motor_speed or 0.0) != speed:
                wheel.motor_speed = speed

    return step


def _fly(scene: Scene, pressed: set[str]) -> Step:
    script = scene.before_step
    assert isinstance(script, Pilot)
    ready = 0

    def step(world: World, k: int) -> None:
        nonlocal ready
        script.tidy(world, k)
        ship = script.ship
        turn = (LEFT in pressed) - (RIGHT in pressed)
        ship.apply_torque(ship.inertia * (40.0 * turn - 12.0 * ship.angular_velocity))
        heading = np.array([np.cos(ship.angle), np.sin(ship.angle)])
        if UP in pressed:
            ship.apply_force(12.0 * ship.mass * heading)
        if FIRE in pressed and k >= ready:
            script.fire(world, heading)
            ready = k + RELOAD

    return step


DRIVEN: dict[str, Callable[[], Session]] = {
    "platformer": lambda: _session(
        "platformer", (LEFT, RIGHT, UP), "arrow keys run and jump", _run, "runner", 24.0
    ),
    "car": lambda: _session(
        "car", (LEFT, RIGHT), "left and right arrow keys drive", _drive, "car", 40.0
    ),
    "asteroids": lambda: _session(
        "asteroids", (LEFT, RIGHT, UP, FIRE), "arrow keys turn and thrust, X fires", _fly
    ),
}
