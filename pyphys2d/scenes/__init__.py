"""Scenes: worlds ready to run, built in Python or read from JSON files."""

from pyphys2d.scenes.listing import source
from pyphys2d.scenes.loader import load, loads
from pyphys2d.scenes.registry import DEFAULT, SCENES, Entry, build
from pyphys2d.scenes.scene import Scene, SceneError

__all__ = ["DEFAULT", "SCENES", "Entry", "Scene", "SceneError", "build", "load", "loads", "source"]
