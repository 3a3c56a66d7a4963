"""A heap of boxes in a window of pygame: drag them with the mouse, Escape ends.

python docs/games/with_pygame.py
"""

import argparse

import pygame

import pyphys2d as p2
from pyphys2d.plot import pygame as debug


def build() -> p2.World:
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(1, 0.8), [(0.2 * (k % 3), 0.4 + 0.9 * k) for k in range(8)])
    world.add_body(p2.Circle(0.5), (-4, 6))
    return world


def main(frames: int) -> None:
    pygame.display.init()
    screen = pygame.display.set_mode((800, 500))
    world = build()
    camera = debug.Camera(screen.get_size(), center=(0, 4), scale=45)
    clock = pygame.time.Clock()
    hand = None
    for _ in range(frames):
        for event in pygame.event.get():
            escape = event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE
            if event.type == pygame.QUIT or escape:
                return
            if event.type == pygame.MOUSEBUTTONDOWN:
                point = camera.to_world(event.pos)
                found = [hit.body for hit in world.at(point) if hit.body.kind == "dynamic"]
                if found:
                    hand = world.add_mouse_joint(found[0], target=point, max_force=5000)
            elif event.type == pygame.MOUSEMOTION and hand is not None:
                hand.target = camera.to_world(event.pos)
            elif event.type == pygame.MOUSEBUTTONUP and hand is not None:
                world.remove(hand)
                hand = None
        world.step(1 / 60)
        screen.fill("white")
        debug.draw(screen, world, camera, contacts=True)
        pygame.display.flip()
        clock.tick(60)
    print(f"{frames} frames, {len(world.contacts)} contact points")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=10**9, help="end after so many")
    main(parser.parse_args().frames)
