"""Scenes under the mouse in a browser, without Jupyter: ``python -m pyphys2d play NAME``."""

from __future__ import annotations

import webbrowser
from difflib import get_close_matches
from pathlib import Path

from pyphys2d._live import Session
from pyphys2d.play.demos import DEMOS
from pyphys2d.play.driven import DRIVEN
from pyphys2d.play.server import PlayServer
from pyphys2d.scenes import SCENES, Scene, SceneError, build, load

__all__ = ["DEMOS", "DRIVEN", "PlayServer", "names", "play", "session"]


def names() -> list[str]:
    """What can be played, but for scene files."""
    return [*DEMOS, *(name for name in SCENES if name not in DEMOS)]


def session(name: str) -> Session:
    """The session of a demo, of a scene of the library or of a scene file.

    Raises
    ------
    SceneError
        If there is no such scene, or the file is wrong.
    """
    if name in DEMOS:
        return DEMOS[name]()
    if name in DRIVEN:
        return DRIVEN[name]()
    if name not in SCENES and not name.endswith(".json"):
        near = get_close_matches(name, names(), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SceneError(f"no scene {name!r} to play{hint} (known: {', '.join(names())})")

    def make() -> Scene:
        return build(name) if name in SCENES else load(Path(name))

    first = make()

    def remake() -> tuple[object, object]:
        scene = make()
        return scene.world, scene.before_step

    return Session(
        first.world,
        dt=first.dt,
        before_step=first.before_step,
        remake=remake,  # type: ignore[arg-type]
        view=first.view,
        title=f"{first.name}: {first.description}" if first.description else first.name,
        playing=True,
    )


def play(name: str, *, port: int = 0, browser: bool = True) -> None:
    """Open a scene in the browser and run it until Ctrl-C.

    Parameters
    ----------
    name : str
        One of `names`, or the path of a scene file.
    port : int
        0: any that is free.
    browser : bool
        Whether to open the page; its address is printed in any case.
    """
    server = PlayServer(session(name), port=port)
    print(f"{server.session.title or name}\n{server.url}\nCtrl-C ends it.", flush=True)
    if browser:
        webbrowser.open(server.url)
    server.run()
