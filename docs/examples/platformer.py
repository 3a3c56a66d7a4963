"""A platform game: walk, jump, pass a ledge from below, ride a platform that moves."""

import pyphys2d as p2

LEDGE, GRAVITY = 2, 20.0


class Platformer:
    def __init__(self) -> None:
        self.world = p2.World(gravity=(0, -GRAVITY))
        ground = [(-10, 8), (-10, 0), (0, 0), (3, 1.5), (6, 1.5), (6, 0), (20, 0), (20, 8)]
        self.world.add_body(p2.Chain(ground), kind="static")
        self.world.add_body(p2.Box(3, 0.2), (-5, 2), kind="static", category=LEDGE)
        self.lift = self.world.add_body(p2.Box(2, 0.2), (9, 1), kind="kinematic", velocity=(1.5, 0))
        body = p2.Capsule((0, 0.3), (0, 1.1), 0.3)
        self.hero = p2.CharacterMover(self.world, body, (-8, 0.01), one_way=LEDGE)

    def step(self, walk: float = 0.0, jump: float = 0.0, dt: float = 1 / 60) -> None:
        """A frame: ``walk`` is a speed, m/s, ``jump`` that of a jump that begins."""
        x = self.lift.position[0]
        if x < 8 or x > 14:
            self.lift.velocity = (1.5 if x < 8 else -1.5, 0)
        self.world.step(dt)
        if self.hero.grounded:
            self.hero.move((walk, jump), dt)
        else:
            self.hero.move((walk, self.hero.velocity[1] - GRAVITY * dt), dt)


if __name__ == "__main__":
    game = Platformer()
    for _ in range(60):
        game.step(walk=3)
    game.step(jump=10)
    for _ in range(90):
        game.step()
    print("the hero stands at", game.hero.position.round(2))
