"""The lessons on the site: links to the notebooks lead to what `docs/run_lessons.py` made of them.

In a checkout ``docs/lessons.md`` links to ``../notebooks``; on the site the executed notebooks are
pages below it.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

TREE = """

```{toctree}
:hidden:
:glob:

lessons/*
```
"""


def lead_to_pages(app: Sphinx, name: str, source: list[str]) -> None:
    """Before a page is read."""
    if not name.startswith("lessons/"):
        source[0] = source[0].replace("(../notebooks/", "(lessons/")
    if name == "lessons":
        source[0] += TREE


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("source-read", lead_to_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
