"""A tank seen from above: it follows a target by a motor joint, and pushes crates about."""

import numpy as np

import pyphys2d as p2


class Tank:
    def __init__(self, *, seed: int = 0) -> None:
        self.world = p2.World(gravity=(0, 0))
        rng = np.random.default_rng(seed)
        # Crates rub on the floor: drag stands for friction with it.
        self.crates = self.world.add_bodies(p2.Box(1, 1), rng.uniform(-12, 12, (40, 2)),
                                            rng.uniform(0, 3, 40), linear_damping=4,
                                            angular_damping=4)  # fmt: skip
        self.body = self.world.add_body(p2.Box(1.6, 1.2), (-14, 0), density=5)
        # What the driver wants: the tank is drawn after it, with a bounded force.
        self.driver = self.world.add_body(None, (-14, 0), kind="kinematic")
        self.world.add_motor_joint(self.driver, self.body, offset=(0, 0), angle_offset=0,
                                   max_force=2000, max_torque=500, spring_hertz=4)  # fmt: skip

    def drive(self, target: tuple[float, float], dt: float = 1 / 60) -> None:
        """One step towards a target: turn to it, and go where the nose points."""
        way = np.subtract(target, self.body.position)
        turn = float(p2.geometry.wrap_angle(p2.geometry.heading(way) - self.body.angle))
        near = float(np.hypot(*way)) < 0.5
        speed = 0.0 if near or abs(turn) > 1 else 3.0
        self.driver.position = self.body.position
        self.driver.angle = self.body.angle
        self.driver.velocity = speed * p2.geometry.direction(self.body.angle)
        self.driver.angular_velocity = 0.0 if near else np.clip(6 * turn, -3, 3)
        self.world.step(dt)


if __name__ == "__main__":
    tank = Tank()
    for _ in range(60 * 15):
        tank.drive((12, 4))
    print("the tank is at", tank.body.position.round(1))
