"""Makes the pictures of pages from their own examples: ``python docs/make_pictures.py [PAGE...]``.

The blocks of a page run from top to bottom, as the cells of a notebook: a figure that a block draws
is shown when it ends, here as ``docs/images/PAGE-N.png``.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
from matplotlib import pyplot as plt

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent)]
PAGES = (
    "quickstart",
    "bodies",
    "shapes",
    "forces",
    "contacts",
    "joints",
    "queries",
    "recipes",
    "determinism",
    "large",
    "learning",
    "geometry",
    "physics",
)


def draw(page: str) -> None:
    """Run a page and save its figures."""
    text = (DOCS / f"{page}.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    names = {"__name__": "page"}
    folder = Path.cwd()
    number = 0
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        try:
            for block in blocks:
                exec(compile(block, f"docs/{page}.md", "exec"), names)
                for figure in map(plt.figure, plt.get_fignums()):
                    number += 1
                    path = DOCS / "images" / f"{page}-{number}.png"
                    figure.savefig(path, dpi=160, bbox_inches="tight")
                    print(f"wrote docs/images/{path.name}")
                plt.close("all")
        finally:
            os.chdir(folder)


if __name__ == "__main__":
    for each in sys.argv[1:] or PAGES:
        draw(each)
