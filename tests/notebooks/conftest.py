"""Runs the text of a lesson once per module and keeps its names and figures for the tests."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = Path(__file__).parent.parent.parent / "notebooks"


@dataclass
class Lesson:
    """What a lesson leaves behind: its global names, and its figures by number ("05-1")."""

    names: dict[str, Any]
    figures: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.names[name]
        except KeyError:
            raise AttributeError(f"the lesson has no name {name!r}") from None

    def axes(self, number: str) -> list[Any]:
        """The axes of a figure, without colour bars."""
        return [ax for ax in self.figures[number].axes if ax.get_label() != "<colorbar>"]

    def line(self, number: str, label: str, panel: int = 0) -> Any:
        """Data (n, 2) of the line with this label."""
        lines = {line.get_label(): line for line in self.axes(number)[panel].lines}
        assert label in lines, f"{number} has {sorted(map(str, lines))}"
        return lines[label].get_xydata()


def pytest_collection_modifyitems(items):
    for item in items:
        if "lesson" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="module")
def lesson(request, tmp_path_factory):
    """The lesson that the module names in LESSON, after a run from top to bottom."""
    matplotlib = pytest.importorskip("matplotlib")
    from matplotlib import pyplot as plt
    from matplotlib.animation import Animation

    source = NOTEBOOKS / f"{request.module.LESSON}.py"
    if not source.exists():
        pytest.skip("the notebooks are not here")
    folder, before = tmp_path_factory.mktemp("lesson"), Path.cwd()
    backend, show = matplotlib.get_backend(), plt.show
    with matplotlib.rc_context():
        plt.close("all")
        plt.switch_backend("agg")
        plt.show = lambda *args, **kwargs: None  # figures stay open, to be looked at
        os.chdir(folder)
        try:
            names: dict[str, Any] = {"__name__": "__main__"}
            exec(compile(source.read_text("utf-8"), source, "exec"), names)
            for film in names.values():
                if isinstance(film, Animation):
                    film._draw_was_started = True  # or Matplotlib complains that nobody saw it
            figures = {label.split()[0]: plt.figure(label) for label in plt.get_figlabels()}
            assert not list(folder.iterdir()), "a lesson leaves no files behind"
            yield Lesson(names, figures)
        finally:
            os.chdir(before)
            plt.show = show
            plt.close("all")
            plt.switch_backend(backend)
