"""Runs the lessons for the site: ``python docs/run_lessons.py [--jobs N]`` (extra ``docs``).

Each notebook is executed once, in a kernel and a folder of its own, into ``docs/lessons/``, which
is not kept in the repository. One whose text and library are those of its last run is left alone.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
NOTEBOOKS = DOCS.parent / "notebooks"
LESSONS = DOCS / "lessons"
PACKAGE = DOCS.parent / "pyphys2d"
TIMEOUT = 300  # seconds a cell may take
WIDGET = "application/vnd.jupyter.widget-view+json"
# Before the first cell: figures sharp enough for screens of today.
SETUP = "%config InlineBackend.print_figure_kwargs = {'bbox_inches': 'tight', 'dpi': 110}"


def library() -> bytes:
    """A digest of all that the lessons import from here."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in (".py", ".so", ".pyd", ".js", ".json"):
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + path.read_bytes())
    return digest.digest()


def shown(outputs: list[Any]) -> list[Any]:
    """Outputs as a page shows them: live views as their still pictures, bars without progress."""
    for output in outputs:
        output.get("data", {}).pop(WIDGET, None)
    return [each for each in outputs if each.output_type != "stream" or each.name != "stderr"]


def pictures(outputs: list[Any]) -> int:
    """How many of the outputs are pictures."""
    return sum("image/png" in output.get("data", {}) for output in outputs)


def run(source: Path, target: Path, key: str) -> bool:
    """Execute a notebook unless that was done; whether it was executed."""
    import nbformat
    from nbclient import NotebookClient

    if target.is_file() and nbformat.read(target, as_version=4).metadata.get("key") == key:
        return False
    notebook = nbformat.read(source, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(SETUP))
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            notebook,
            timeout=TIMEOUT,
            resources={"metadata": {"path": folder}},
            extra_arguments=["--log-level=ERROR"],
        ).execute()
    del notebook.cells[0]
    drawn = sum(pictures(cell.outputs) for cell in notebook.cells if cell.cell_type == "code")
    captions = sum(cell.source.startswith("**Figure ") for cell in notebook.cells)
    if drawn < captions:
        raise RuntimeError(f"{source.name} has {captions} figures and drew {drawn}")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = shown(cell.outputs)
            if "answer" in cell.metadata.get("tags", []):
                cell.metadata.tags = [*cell.metadata.tags, "hide-cell"]
    notebook.metadata.pop("widgets", None)
    notebook.metadata["key"] = key
    partial = target.with_suffix(".part")
    nbformat.write(notebook, partial)
    partial.replace(target)
    return True


def run_all(jobs: int) -> int:
    """All lessons, so many at once; how many were executed."""
    LESSONS.mkdir(exist_ok=True)
    sources = sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
    for stale in LESSONS.iterdir():
        if stale.name not in {source.name for source in sources}:
            stale.unlink()
    # Kernels import the library of this tree, and leave a processor to each other.
    paths = [str(DOCS.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    # Figures go into the notebook, whatever is set for programs without a screen.
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    base = library()

    def one(source: Path) -> bool:
        key = hashlib.sha256(base + source.read_bytes()).hexdigest()
        return run(source, LESSONS / source.name, key)

    with ThreadPoolExecutor(jobs) as pool:
        return sum(pool.map(one, sources))


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="kernels at once")
    print(f"{run_all(parser.parse_args().jobs)} lessons run into {LESSONS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
