"""Builds the site and checks it: ``python docs/build.py`` (extra ``docs``).

The pages go to ``build/site``; ``build/site/index.html`` opens in a browser without a server, and
its search works without a network. The lessons are executed on the way. With ``--engine``, worlds
in it run in the browser. Warnings are errors. What was built must have no dead link, no file from
elsewhere, no formula that was not read, and every public name in its reference.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

DOCS = Path(__file__).parent
SITE = DOCS.parent / "build" / "site"
sys.path[:0] = [str(DOCS.parent), str(DOCS)]

# What users import from.
MODULES = (
    "pyphys2d",
    "pyphys2d.geometry",
    "pyphys2d.plot",
    "pyphys2d.scenes",
    "pyphys2d.play",
)
# Pictures that `--engine` brings to life, and their scenes.
LIVE = {"live-engine.png": "collision"}
VERBATIM = ("pre", "code", "script", "style")
# Of pyphys2d._core, what the package itself uses.
INTERNAL = {"CollectionIterator", "StateOwner", "tile_rays", "tile_rectangles"}


class Page(HTMLParser):
    """Links, anchors and files of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors = {""}
        self.links: list[str] = []
        self.files: list[str] = []
        self.dollars: list[str] = []  # text with what should have been a formula
        self.verbatim = 0
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.verbatim += tag in VERBATIM
        given = {key: value or "" for key, value in attrs}
        self.anchors |= {given[key] for key in ("id", "name") if key in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in ("img", "script", "source", "video", "iframe") and "src" in given:
            self.files.append(given["src"])
        if tag == "link" and given.get("rel") != "canonical":
            self.files.append(given.get("href", ""))

    def handle_endtag(self, tag: str) -> None:
        self.verbatim -= tag in VERBATIM

    def handle_data(self, data: str) -> None:
        if "$" in data and not self.verbatim:
            self.dollars.append(" ".join(data.split()))


def faults_of(site: Path) -> Iterator[str]:
    """Links and files that lead nowhere or to another machine, and formulas that were not read."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site)
        yield from (f"{name}: not read as a formula: {text}" for text in page.dollars)
        for link in page.links + page.files:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.files and parts.scheme != "data":
                    yield f"{name}: {link} comes from elsewhere"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                yield f"{name}: {link} does not exist"
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{name}: {link} has no such anchor"


def exported(module: ModuleType) -> list[str]:
    """What the module offers."""
    names = set(module.__all__)
    if module.__name__ == "pyphys2d":
        from pyphys2d import _lazy

        names |= set(_lazy.MODULES)
    return sorted(names)


def public_names() -> Iterator[str]:
    """Full names of all that is public, members of classes included."""
    from pyphys2d import _core

    owners = [(import_module(name), name) for name in MODULES]
    owners.append((_core, "pyphys2d._core"))
    exports = set(exported(owners[0][0])) | set(owners[1][0].__all__)
    for module, prefix in owners:
        if module is _core:
            names = [
                n for n in vars(_core) if not n.startswith("_") and n not in exports | INTERNAL
            ]
        else:
            names = exported(module)
        for name in names:
            value = getattr(module, name)
            if isinstance(value, ModuleType):
                continue
            if module is _core and not (inspect.isclass(value) or callable(value)):
                continue
            yield f"{prefix}.{name}"
            if inspect.isclass(value):
                yield from (f"{prefix}.{name}.{each}" for each in members(value))


def members(cls: type) -> Iterator[str]:
    """Methods and properties that a class defines."""
    fields = getattr(cls, "_fields", ())  # of a named tuple: its text has them
    for name, value in vars(cls).items():
        described = inspect.isroutine(value) or inspect.isdatadescriptor(value)
        if (
            not name.startswith("_")
            and name not in fields
            and described
            and not inspect.ismemberdescriptor(value)
        ):
            yield name


def missing_names(site: Path) -> list[str]:
    """Public names that the reference lacks."""
    from sphinx.util.inventory import InventoryFile

    with (site / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, path: path)
    known = {name for kind, names in inventory.items() if kind.startswith("py:") for name in names}
    return [name for name in public_names() if name not in known]


def build(site: Path, *, jobs: str) -> int:
    """Sphinx, from nothing, with warnings as errors."""
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        sys.exit("the site needs the extra 'docs': pip install -e '.[docs]'")
    from run_lessons import run_all

    processes = (os.cpu_count() or 1) if jobs == "auto" else int(jobs)
    print(f"{run_all(processes)} lessons run", flush=True)
    if (site / "objects.inv").is_file():  # made by Sphinx
        shutil.rmtree(site)
    options = ["-q", "-W", "--keep-going", "-j", jobs, "-b", "html"]
    return build_main([*options, str(DOCS), str(site)])


def bring_to_life(site: Path, wasm: Path) -> None:
    """Puts worlds that run in the browser in the places of their pictures."""
    sys.path.append(str(DOCS.parent / "web"))
    from make_page import page

    from pyphys2d.scenes import build as build_scene

    (site / "live").mkdir()
    for picture, name in LIVE.items():
        scene = build_scene(name)
        text = page(scene.world, wasm.read_bytes(), title=scene.description, view=scene.view)
        (site / "live" / f"{name}.html").write_text(text, encoding="utf-8")
        found = 0
        for path in site.glob("*.html"):
            html = path.read_text("utf-8")
            frame = (
                rf'<iframe class="live" title="\1" loading="lazy" src="live/{name}.html"></iframe>'
            )
            made, count = re.subn(rf'<img alt="([^"]*)" src="_images/{picture}" ?/?>', frame, html)
            if count:
                path.write_text(made, encoding="utf-8")
                found += count
        if not found:
            raise SystemExit(f"no page shows {picture}")


def add_films(site: Path) -> None:
    """Makes the pictures of scenes links to their films, which `_static/films.js` plays there."""
    from run_scenes import films

    films(site / "films")
    for path in site.glob("*.html"):
        made, count = re.subn(
            r'(<img alt="[^"]*" src="_images/scene-(\w+)\.png" ?/?>)',
            r'<a class="film" href="films/\2.html">\1</a>',
            path.read_text("utf-8"),
        )
        if count:
            path.write_text(made, encoding="utf-8")


def main() -> int:
    """Build, check, and say what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=SITE, help="folder (default: build/site)")
    parser.add_argument("--jobs", default="auto", help="processes (default: one per processor)")
    parser.add_argument("--engine", type=Path, help="engine.wasm of web/build.sh: worlds are alive")
    options = parser.parse_args()
    site = options.out.resolve()
    if build(site, jobs=options.jobs):
        return 1
    add_films(site)
    if options.engine is not None:
        bring_to_life(site, options.engine)
    faults = list(faults_of(site))
    faults += [f"not in the reference: {each}" for each in missing_names(site)]
    print(*faults, sep="\n", end="\n" if faults else "")
    pages = len(list(site.rglob("*.html")))
    print(f"{pages} pages in {site}, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
