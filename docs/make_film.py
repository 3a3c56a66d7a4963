"""Makes the film of the README, docs/images/collision.gif: ``python docs/make_film.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt

from pyphys2d import plot, scenes

IMAGES = Path(__file__).parent / "images"
STEPS = 200


def main() -> None:
    scene = scenes.build("collision")
    with scene.world.record(contacts=True) as run:
        scene.world.step(1 / 60, n=STEPS)
    figure, ax = plt.subplots(figsize=(6.4, 3.6), dpi=84)
    ax.axis("off")
    figure.subplots_adjust(0, 0, 1, 1)
    film = plot.animate(run, ax=ax, fps=15, clock=False, view=(-9, -1.8, 9, 8.3))
    film.save(IMAGES / "collision.gif")
    plt.close(figure)


if __name__ == "__main__":
    main()
