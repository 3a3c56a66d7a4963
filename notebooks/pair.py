"""Writes each lesson's notebook from its text: NN_name.py -> NN_name.ipynb.

    python notebooks/pair.py            write the notebooks that differ from their text
    python notebooks/pair.py --check    only say which differ; exit code 1 if any does

The text (percent format of jupytext) is the source. The notebook holds the same cells without
outputs; its metadata and cell ids are a function of the text, so that the same text gives the same
bytes. Needs jupytext (extra 'notebooks').
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from pathlib import Path

import jupytext
import nbformat

HERE = Path(__file__).parent
METADATA = {
    "jupytext": {"formats": "ipynb,py:percent"},
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KEPT = ("tags", "jupyter")  # of a cell's metadata; the rest is about the layout of the text


def lessons(folder: Path = HERE) -> list[Path]:
    """The texts of the lessons, in order."""
    return sorted(folder.glob("[0-9][0-9]_*.py"))


def notebook(text: str) -> nbformat.NotebookNode:
    """The notebook that belongs to a text."""
    node = jupytext.reads(text, fmt="py:percent")
    node.metadata = nbformat.from_dict(METADATA)
    node.nbformat, node.nbformat_minor = 4, 5
    seen: Counter[str] = Counter()
    for cell in node.cells:
        cell.metadata = {key: cell.metadata[key] for key in KEPT if key in cell.metadata}
        # From the content, so that a new cell does not change the ids of those after it.
        name = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
        seen[name] += 1
        cell.id = name if seen[name] == 1 else f"{name}-{seen[name]}"
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.validate(node)
    return node


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    stale = 0
    for source in lessons():
        target = source.with_suffix(".ipynb")
        wanted = nbformat.writes(notebook(source.read_text("utf-8"))) + "\n"
        if target.exists() and target.read_text("utf-8") == wanted:
            continue
        stale += 1
        print(f"{target.name}: {'differs from its text' if check else 'written'}")
        if not check:
            target.write_text(wanted, "utf-8")
    return int(check and stale > 0)


if __name__ == "__main__":
    sys.exit(main())
