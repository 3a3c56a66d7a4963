"""Every page is in the navigation of the site, and every public name in its reference.

The lane `docs` builds the site and also looks at members and links; this needs no Sphinx.
"""

import re
from pathlib import Path

import pytest

import pyphys2d as p2
import pyphys2d.geometry
import pyphys2d.scenes
from pyphys2d import _lazy

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the source tree is not here")


def test_every_page_is_in_the_navigation():
    index = (DOCS / "index.md").read_text()
    blocks = re.findall(r"```\{toctree\}(.*?)```", index, flags=re.DOTALL)
    named = {line for block in blocks for line in block.split() if not line.startswith(":")}
    pages = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    assert pages <= named, f"not in a toctree of docs/index.md: {pages - named}"


@pytest.mark.parametrize("module", [p2, p2.geometry, p2.scenes, "plot"], ids=str)
def test_every_public_name_is_in_the_reference(module):
    if module == "plot":
        pytest.importorskip("matplotlib")
        module = p2.plot
    text = "\n".join(path.read_text() for path in (DOCS / "reference").glob("*.rst"))
    names = set(module.__all__) | (set(_lazy.MODULES) if module is p2 else set())
    modules = {"geometry", "plot", "scenes"}
    for name in sorted(names - modules):
        listed = re.search(rf"^ *(?:\.\. py:data:: )?{name}$", text, flags=re.MULTILINE)
        assert listed, f"{module.__name__}.{name} is not in docs/reference"
