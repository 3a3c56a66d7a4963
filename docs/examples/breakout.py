"""Breakout: a ball that never slows down breaks bricks, a paddle follows it."""

import numpy as np

import pyphys2d as p2

SPEED, BRICK = 8.0, 2  # m/s; category of the bricks
WIDTH, HEIGHT = 10.0, 12.0


class Breakout:
    def __init__(self) -> None:
        self.world = p2.World(gravity=(0, 0), restitution_threshold=0.0, sleeping=False)
        smooth = {"friction": 0.0, "restitution": 1.0}
        walls = [(WIDTH, -5), (WIDTH, HEIGHT), (0, HEIGHT), (0, -5)]
        self.world.add_body(p2.Chain(walls), kind="static", **smooth)
        spots = [(0.75 + 1.05 * i, 8 + 0.5 * j) for i in range(9) for j in range(5)]
        self.world.add_bodies(p2.Box(1, 0.4), spots, kind="static", category=BRICK, **smooth)
        round_top = p2.Capsule((-0.8, 0), (0.8, 0), 0.2)
        self.paddle = self.world.add_body(round_top, (5, 1), kind="kinematic", **smooth)
        self.ball = self.world.add_body(
            p2.Circle(0.2), (5, 2), velocity=(3, 7), fixed_rotation=True, bullet=True, **smooth
        )

    @property
    def bricks(self) -> list[p2.Body]:
        return [body for body in self.world.bodies if body.colliders[0].category == BRICK]

    def step(self, dt: float = 1 / 60) -> None:
        # The paddle runs after the ball, a little beside it, so that it comes back at an angle.
        goal = np.clip(self.ball.position[0] + 0.4 * np.sin(self.world.time), 1, WIDTH - 1)
        speed = np.clip((goal - self.paddle.position[0]) / dt, -12, 12)
        self.paddle.velocity = (speed, 0)
        self.world.step(dt)
        for hit in self.world.events.contact_begin:
            for name in ("collider_id_a", "collider_id_b"):
                collider = self.world.colliders.by_id(int(hit[name]))
                if collider is not None and collider.category == BRICK:
                    self.world.remove(collider.body)
        velocity = self.ball.velocity
        self.ball.velocity = SPEED * velocity / np.hypot(*velocity)


if __name__ == "__main__":
    game = Breakout()
    for _ in range(60 * 20):
        game.step()
    print(len(game.bricks), "bricks left after", round(game.world.time), "s")
