"""Films of the scenes for the site, pages that play a recorded run each."""

from __future__ import annotations

from math import ceil
from pathlib import Path

from pyphys2d import scenes

MOST_POSES = 600_000  # of a film; longer ones leave out frames


def film(name: str, path: Path) -> None:
    """Run a scene and write the page that plays it."""
    scene = scenes.build(name)
    every = ceil(scene.steps * len(scene.world.bodies) / MOST_POSES)
    with scene.world.record(every=every, name=name) as run:
        scene.run()
    run.to_html(path)


def films(folder: Path) -> None:
    """Films of all scenes, as NAME.html."""
    folder.mkdir()
    for name in scenes.SCENES:
        film(name, folder / f"{name}.html")
