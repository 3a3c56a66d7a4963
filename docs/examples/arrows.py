"""Arrows turn with their flight and stick where they hit hard enough."""

import numpy as np

import pyphys2d as p2

ARROW = p2.Polygon([(-0.6, 0), (0, 0.06), (0.3, 0), (0, -0.06)], recenter=True)


class Range:
    def __init__(self) -> None:
        self.world = p2.World()
        self.world.add_body(p2.Box(60, 1), (20, -0.5), kind="static")
        self.target = self.world.add_body(p2.Box(0.5, 4), (20, 2), kind="static", name="target")
        self.flying: list[p2.Body] = []
        self.stuck: list[p2.Body] = []
        self.world.on_force = self.steer

    def shoot(self, angle: float, speed: float) -> p2.Body:
        arrow = self.world.add_body(ARROW, (0, 1.5), angle, density=30, bullet=True,
                                    velocity=speed * p2.geometry.direction(angle),
                                    angular_damping=3)  # fmt: skip
        self.flying.append(arrow)
        return arrow

    def steer(self, world: p2.World) -> None:
        """Air drags at the feathers: a force across the shaft, at its tail."""
        for arrow in self.flying:
            across = arrow.to_world((0, 1), vectors=True)
            tail = arrow.to_world((-0.5, 0))
            slip = float(arrow.velocity_at(tail) @ across)
            speed = float(np.hypot(*arrow.velocity))
            arrow.apply_force(-0.4 * arrow.mass * speed * slip * across, tail)

    def step(self, dt: float = 1 / 60) -> None:
        self.world.step(dt)
        for arrow in list(self.flying):
            hits = arrow.contacts
            hits = hits[hits["normal_impulse"] > 0.5]
            if not len(hits):
                continue
            slots = {int(slot) for slot in np.concatenate([hits["body_a"], hits["body_b"]])}
            other = self.world.bodies[(slots - {arrow.index}).pop()]
            self.world.add_weld_joint(other, arrow, anchor=hits["point"][0])
            self.flying.remove(arrow)
            self.stuck.append(arrow)


if __name__ == "__main__":
    field = Range()
    for angle in (0.2, 0.25, 0.3):
        field.shoot(angle, 22)
        for _ in range(120):
            field.step()
    print(len(field.stuck), "arrows stick at", [a.position.round(1).tolist() for a in field.stuck])
