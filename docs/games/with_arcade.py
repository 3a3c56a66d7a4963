"""A heap of boxes in a window of arcade: drag them with the mouse, Escape ends.

python docs/games/with_arcade.py
"""

import argparse

import arcade

import pyphys2d as p2
from pyphys2d.plot import arcade as debug


def build() -> p2.World:
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(1, 0.8), [(0.2 * (k % 3), 0.4 + 0.9 * k) for k in range(8)])
    world.add_body(p2.Circle(0.5), (-4, 6))
    return world


class Game(arcade.Window):
    def __init__(self, frames: int) -> None:
        super().__init__(800, 500, "pyphys2d", update_rate=1 / 60)
        self.world = build()
        self.view_camera = debug.Camera(self.get_size(), center=(0, 4), scale=45)
        self.hand: p2.MouseJoint | None = None
        self.left = frames
        self.background_color = arcade.color.WHITE

    def on_update(self, delta_time: float) -> None:
        self.world.step(1 / 60)
        self.left -= 1
        if self.left <= 0:
            self.close()

    def on_draw(self) -> None:
        self.clear()
        debug.draw(self, self.world, self.view_camera, contacts=True)

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        if symbol == arcade.key.ESCAPE:
            self.close()

    def on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> None:
        point = self.view_camera.to_world((x, y))
        found = [hit.body for hit in self.world.at(point) if hit.body.kind == "dynamic"]
        if found:
            self.hand = self.world.add_mouse_joint(found[0], target=point, max_force=5000)

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, *held: int) -> None:
        if self.hand is not None:
            self.hand.target = self.view_camera.to_world((x, y))

    def on_mouse_release(self, x: int, y: int, button: int, modifiers: int) -> None:
        if self.hand is not None:
            self.world.remove(self.hand)
            self.hand = None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=10**9, help="end after so many")
    number = parser.parse_args().frames
    game = Game(number)
    arcade.run()
    print(f"{number} frames, {len(game.world.contacts)} contact points")
