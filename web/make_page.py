"""Makes a page in which a scene is alive without a server: engine, world and picture in one file.

web/build.sh build/wasm && python web/make_page.py collision build/wasm/engine.wasm page.html
"""

from __future__ import annotations

import argparse
import base64
import zlib
from pathlib import Path

from pyphys2d import World, _page
from pyphys2d._live import Session
from pyphys2d.scenes import SceneError, build, load

START = """
const root = document.getElementById("stage");
const read = (name) => JSON.parse(document.getElementById(name).textContent);
startEngine(root, read("world"), read("options")).then(
  (view) => { globalThis.view = view; },
  (error) => { root.textContent = `This world cannot be shown: ${error.message}`; });
"""


def packed(data: bytes) -> str:
    """Deflated, in base64."""
    return base64.b64encode(zlib.compress(data, 9)).decode()


def page(
    world: World,
    wasm: bytes,
    *,
    title: str = "A live world",
    view: tuple[float, float, float, float] | None = None,
    dt: float = 1 / 60,
    playing: bool = True,
) -> str:
    """The page of a world, from the state that it has now. Hooks do not come along."""
    scene, arrays = Session(world, title=title, view=view)._make_scene(
        world.draw_list(joints=False, contacts=False)
    )
    content = {
        "wasm": packed(wasm),
        "snapshot": packed(world.snapshot(user_data=False)),
        "scene": scene,
        "arrays": packed(arrays),
    }
    body = (
        '<div id="stage"></div><noscript>This world needs JavaScript.</noscript>'
        + _page.data_block("world", content)
        + _page.data_block("options", {"dt": dt, "playing": playing})
    )
    return _page.page(title, _page.bundle("engine") + START, body, wasm=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene", help="a scene of the library, or a scene file")
    parser.add_argument("wasm", type=Path, help="engine.wasm of web/build.sh")
    parser.add_argument("page", type=Path)
    given = parser.parse_args()
    name = given.scene
    scene = load(Path(name)) if name.endswith(".json") else build(name)
    if scene.before_step is not None:
        raise SceneError(f"{name}: is moved by Python before each step; a page has none")
    title = f"{scene.name}: {scene.description}" if scene.description else scene.name
    text = page(scene.world, given.wasm.read_bytes(), title=title, view=scene.view, dt=scene.dt)
    given.page.write_text(text, encoding="utf-8")
    print(f"{given.page}: {len(text) / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
