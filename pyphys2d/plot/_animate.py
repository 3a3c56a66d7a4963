"""Pictures that move: from arrays of poses to a player in a notebook, a GIF or an MP4."""

from __future__ import annotations

import contextlib
import operator
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.animation import (
    AbstractMovieWriter,
    FFMpegWriter,
    FuncAnimation,
    HTMLWriter,
    PillowWriter,
    writers,
)
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from pyphys2d import Shape, World, _files, _tables
from pyphys2d._trajectory_colliders import Drawn
from pyphys2d.plot import _arguments, _style
from pyphys2d.plot._bodies import Bodies, Cast
from pyphys2d.plot._paint import Painter, painter
from pyphys2d.trajectory import Trajectory

Array = NDArray[np.float64]

SUFFIXES = (".gif", ".html", ".mp4")
GIF_WRITER = "pyphys2d gif"  # the name that Matplotlib knows `GifWriter` by
GIF_RATE = 100  # units of a GIF's durations per second
GIF_SHORTEST = 2  # units: browsers show what is shorter for 100 ms
MOST_TRIES = 1000  # to remove a folder in which another process begins a file

# What is written on the player's buttons. Matplotlib takes icons from a font on the web, without
# which, or without a web, its buttons are blank.
BUTTONS = {
    "fa-minus": "−",
    "fa-fast-backward": "«",
    "fa-step-backward": "‹",
    "fa-play fa-flip-horizontal": "◀",
    "fa-pause": "❚❚",
    "fa-play": "▶",
    "fa-step-forward": "›",
    "fa-fast-forward": "»",
    "fa-plus": "+",
}


def _remove(folder: Path) -> None:
    for _ in range(MOST_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            break


def gif_frames(count: int, fps: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which of ``count`` frames a GIF shows, and for how many hundredths of a second each.

    Together they last as long as the film, count / fps, to half a hundredth; each lasts at least
    two. Above 50 frames per second fewer are shown, the first and the last among them.
    """
    total = max(round(count * GIF_RATE / fps), GIF_SHORTEST)
    shown = min(count, total // GIF_SHORTEST)
    ends = np.arange(shown + 1) * total // shown
    return np.rint(np.linspace(0, count - 1, shown)).astype(np.intp), np.diff(ends)


class GifWriter(PillowWriter):
    """A GIF that lasts as long as the film: Matplotlib's cuts 1 / fps to whole hundredths."""

    _frames: list[Any]  # pictures, as `PillowWriter` keeps them

    def finish(self) -> None:
        """Write the file."""
        numbers, lengths = gif_frames(len(self._frames), self.fps)
        first, *others = [self._frames[k] for k in numbers]
        first.save(
            self.outfile,
            save_all=True,
            append_images=others,
            duration=(lengths * (1000 // GIF_RATE)).tolist(),  # milliseconds
            loop=0,
        )


writers.register(GIF_WRITER)(GifWriter)


class Animation(FuncAnimation):
    """A run that plays: in a notebook, which shows a player, or from the file that `save` writes.

    A `matplotlib.animation.FuncAnimation` with a default player and a choice of writer by the name
    of the file. Made by `animate`.

    Attributes
    ----------
    ax : Axes
    bodies : Bodies
    times : ndarray, shape (f,)
        Seconds of the frames that are shown.
    """

    def __init__(
        self,
        bodies: Bodies,
        times: Array,
        frames: _Frames,
        fps: float,
        clock: bool,
        contacts: _Contacts | None = None,
        shifts: Array | None = None,
        paint: Painter | None = None,
    ) -> None:
        self.ax = bodies.ax
        self._shifts = shifts  # of what is shown, for each frame
        self._corners = np.array(_style.shown(self.ax)).reshape(2, 2)
        self.bodies = bodies
        self.times = times
        self._data = frames
        self._contacts = contacts
        self._paint = paint
        self._fps = fps
        # In a corner of the axes, so that a title can be set.
        self._clock = self.ax.text(
            0.01,
            0.985,
            "",
            transform=self.ax.transAxes,
            ha="left",
            va="top",
            fontsize="small",
            color=_style.theme(self.ax).text,
            zorder=_style.Z_TEXT,
            path_effects=_style.rim(self.ax),
            visible=clock,
        )
        figure = self.ax.figure.figure
        super().__init__(
            figure,
            self._show,
            frames=len(times),
            init_func=lambda: self._show(0),
            interval=1000 / fps,
            repeat=True,
            cache_frame_data=False,
        )

    def __del__(self) -> None:
        # Matplotlib's own warns of an animation that was never drawn. Ours may be made for its
        # times alone, and the error of a save that is refused says enough.
        self._draw_was_started = True
        super().__del__()

    def _show(self, k: int) -> list[Any]:
        positions, angles, awake = self._data.at(k)
        self.bodies.move(positions, angles, awake=awake)
        if self._paint is not None:
            self._paint.paint(self.bodies, self._data.speeds(k))
        if self._shifts is not None:
            (x0, y0), (x1, y1) = self._corners + self._shifts[k]
            self.ax.set_xlim(x0, x1)
            self.ax.set_ylim(y0, y1)
        self._clock.set_text(f"t = {self.times[k]:.2f} s")
        marks = [] if self._contacts is None else self._contacts.show(k)
        return [*self.bodies.artists, *marks, self._clock]

    def _repr_html_(self) -> str:
        """The player."""
        return self._player(self._fps)

    def _player(self, fps: Any) -> str:
        # Matplotlib takes fractions of a frame per second, though its types say int.
        return self.to_jshtml(fps=fps)

    def to_jshtml(self, *args: Any, **options: Any) -> str:
        """The player as HTML that loads nothing from elsewhere.

        Parameters
        ----------
        *args, **options
            As for `matplotlib.animation.Animation.to_jshtml`.
        """
        page = str(super().to_jshtml(*args, **options))
        page = re.sub(r"<link[^>]*font-awesome[^>]*>", "", page)
        for name, sign in BUTTONS.items():
            page = page.replace(f'<i class="fa {name}"></i>', sign)
        return page

    def save(
        self,
        filename: str | os.PathLike[str],
        writer: AbstractMovieWriter | str | None = None,
        fps: float | None = None,
        *args: Any,
        **options: Any,
    ) -> None:
        """Write a file; ``.gif``, ``.mp4`` or ``.html`` (a page with the player).

        A file that is there is replaced once the new one is complete: whatever stops the call
        leaves the old one. Matplotlib's `HTMLWriter` alone writes in place, a page and a folder.

        A GIF has durations of whole hundredths of a second, at least two: frames take turns so
        that the film is as long as it should be (30, 30, 40 ms at 30 fps), and above 50 fps some
        are left out.

        Parameters
        ----------
        filename : path
        writer : MovieWriter or str, optional
            As for `matplotlib.animation.Animation.save`; by default Pillow for GIF, FFmpeg for MP4.
        fps : float, optional
            Frames per second; by default those given to `animate`.
        *args, **options
            Passed on to Matplotlib, as ``dpi``.

        Raises
        ------
        ValueError
            For another suffix, without a writer.
        RuntimeError
            If FFmpeg is needed and is not there.
        """
        rate: Any = fps
        path = Path(filename)
        if writer == "pillow" and path.suffix.lower() == ".gif":
            writer = GIF_WRITER
        if writer is None:
            rate = self._fps if fps is None else fps
            match path.suffix.lower():
                case ".gif":
                    writer = GIF_WRITER
                case ".mp4":
                    if not FFMpegWriter.isAvailable():
                        raise RuntimeError(
                            f"{path}: MP4 needs the program ffmpeg, which is not on the PATH; "
                            "install it, or write .gif or .html"
                        )
                    writer = "ffmpeg"
                case ".html":
                    page = self._page(rate)
                    _files.save(path, lambda place: place.write_text(page, encoding="utf-8"))
                    return
                case suffix:
                    raise ValueError(
                        f"filename: must end in one of {', '.join(SUFFIXES)}, got {suffix!r}"
                    )
        frames_beside = writer == "html" or isinstance(writer, HTMLWriter)
        film = super().save

        def write(place: Path) -> None:
            if frames_beside or writer in ("pillow", GIF_WRITER):
                film(os.fspath(place), writer, rate, *args, **options)
                return
            # Another process may write the film, and go on when this one is stopped: in a folder
            # of its own, which goes with it.
            folder = place.with_name(f".pyphys2d-{secrets.token_hex(8)}")
            try:
                folder.mkdir(mode=0o700)
                made = os.path.join(folder, "film" + place.suffix)
                film(made, writer, rate, *args, **options)
                shutil.copyfile(made, place)
            finally:
                try:
                    _remove(folder)
                except BaseException:  # Ctrl-C, of all moments
                    _remove(folder)
                    raise

        with self._still_layout():
            if frames_beside:
                write(path)
            else:
                _files.save(path, write)

    @contextlib.contextmanager
    def _still_layout(self) -> Iterator[None]:
        """Find the places of axes before the first picture, and keep them.

        A figure with a layout engine is drawn twice for each picture to learn its sizes, and the
        size of all axes is found anew, though nothing changes that they depend on.
        """
        figure = self.ax.figure.figure
        engine = figure.get_layout_engine()
        if engine is None:
            yield
            return
        figure.draw_without_rendering()
        with rc_context({"figure.autolayout": False, "figure.constrained_layout.use": False}):
            figure.set_layout_engine(None)  # "none" is an engine, too
        try:
            yield
        finally:
            figure.set_layout_engine(engine)

    def _page(self, fps: float) -> str:
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f"<title>pyphys2d</title></head>\n<body>\n{self._player(fps)}\n</body></html>\n"
        )


class _Frames:
    """The poses of the frames that are shown, by their number."""

    def __init__(
        self,
        positions: Array,
        angles: Array,
        awake: NDArray[np.bool_] | None,
        velocities: Array | None,
        drawn: Drawn | None,
        numbers: NDArray[np.intp],
    ) -> None:
        self.drawn = drawn  # None: each body
        self.numbers = numbers  # of the frames, in the trajectory
        self.positions = positions
        self.angles = angles
        self.awake = awake
        self.velocities = velocities

    def speeds(self, k: int) -> Array | None:
        if self.velocities is None:
            return None
        velocities = _rows(self.drawn, self.velocities[k], self.numbers[k])
        speeds: Array = np.hypot(velocities[:, 0], velocities[:, 1])
        return speeds

    def at(self, k: int) -> tuple[Array, Array, NDArray[np.bool_] | None]:
        frame = self.numbers[k]
        awake = None if self.awake is None else self.awake[k]
        if awake is not None and self.drawn is not None:
            awake = awake[self.drawn.columns]
        positions = _rows(self.drawn, self.positions[k], frame)
        return positions, _rows(self.drawn, self.angles[k], frame), awake


def _rows(drawn: Drawn | None, array: Array, frame: int) -> Array:
    return array if drawn is None else drawn.rows(array, frame)


class _Contacts:
    """Contact points of the frames that are shown, with the push of each as a line.

    Lines are as long as the impulses of the run are large, so that pictures can be compared.
    """

    def __init__(
        self,
        ax: Axes,
        tables: Sequence[NDArray[Any]],
        kinds: NDArray[np.uint8],
        normals: bool | float,
        reach: float,
        wrap: Array | None,
    ) -> None:
        self.tables = tables
        self.kinds = kinds
        self.wrap = wrap
        color = _style.theme(ax).bad
        pushes = [t["normal_impulse"] for t in tables if "normal_impulse" in (t.dtype.names or ())]
        found = np.concatenate([np.empty(0), *pushes])
        found = found[found > 0]
        self.scale = float(normals) if normals is not True else 0.0
        self.most = np.inf
        if normals is True and len(found):
            # By most of them, so that one impact does not make all others invisible.
            self.scale, self.most = reach / float(np.percentile(found, 95)), 2 * reach
        (self.points,) = ax.plot(
            [], [], "o", color=color, markersize=2.4, markeredgewidth=0, zorder=_style.Z_MARKS,
            scalex=False, scaley=False, gid="contact points",
        )  # fmt: skip
        self.lines = LineCollection(
            [], colors=[color], linewidths=1.1, zorder=_style.Z_ARROWS, gid="contact normals"
        )
        ax.add_collection(self.lines, autolim=False)

    def show(self, k: int) -> list[Any]:
        table = self.tables[k]
        points, normals = _tables.vector(table, "point"), _tables.vector(table, "normal")
        if "normal_impulse" in (table.dtype.names or ()):
            impulses = table["normal_impulse"]
            touching = (impulses > 0) | (table["separation"] <= 0)
            table, points, normals = table[touching], points[touching], normals[touching]
            lengths = np.minimum(self.scale * impulses[touching], self.most)
        else:
            lengths = np.zeros(len(points))
        if self.wrap is not None:
            finite = np.isfinite(self.wrap)
            points = points.copy()
            points[:, finite] %= self.wrap[finite]
        # Where b cannot move, what is worth seeing is the push on a.
        b = table["body_b"]
        known = (b >= 0) & (b < len(self.kinds))
        moves = known & (self.kinds[np.where(known, b, 0)] == _style.DYNAMIC)
        ends = points + np.where(moves, lengths, -lengths)[:, None] * normals
        self.points.set_data(points[:, 0], points[:, 1])
        self.lines.set_segments(list(np.stack([points, ends], axis=1)[lengths > 0]))
        return [self.points, self.lines]


def _contacts_of(
    contacts: bool | Sequence[NDArray[Any]] | None, poses: Any, frames: int
) -> list[NDArray[Any]] | None:
    """A table of contacts for each frame, or None."""
    if contacts is None:
        contacts = isinstance(poses, Trajectory) and poses.has_contacts
    if isinstance(contacts, bool | np.bool_):
        if not contacts:
            return None
        if not isinstance(poses, Trajectory):
            raise TypeError(
                "contacts: must be a table for each frame, unless poses is a Trajectory"
            )
        if not poses.has_contacts:
            raise ValueError(
                "contacts: the trajectory has none; record it with world.record(contacts=True)"
            )
        rows, ends = poses.contacts, poses.contact_offsets
        return [rows[ends[k] : ends[k + 1]] for k in range(frames)]
    if not isinstance(contacts, Sequence):
        kind = type(contacts).__name__  # type: ignore[unreachable]
        raise TypeError(f"contacts: must be a bool or a table for each frame, got {kind}")
    if len(contacts) != frames:
        raise ValueError(f"contacts: must be {frames} tables, got {len(contacts)}")
    for k, table in enumerate(contacts):
        if not (isinstance(table, np.ndarray) and _tables.has(table, "point")):
            raise TypeError(f"contacts[{k}]: must be a table as world.contacts")
    return list(contacts)


def animate(
    poses: Trajectory | ArrayLike,
    shapes: Shape | Sequence[Shape] | World | None = None,
    ax: Axes | None = None,
    *,
    times: ArrayLike | None = None,
    fps: float = 30,
    speed: float = 1,
    view: tuple[float, float, float, float] | None = None,
    follow: str | int | None = None,
    color: Any = "state",
    clock: bool = True,
    linewidth: float | None = None,
    contacts: bool | Sequence[NDArray[Any]] | None = None,
    normals: bool | float = True,
) -> Animation:
    """Play a run.

    Parameters
    ----------
    poses : Trajectory or array_like, shape (f, n, 3)
        A trajectory, or f frames of n bodies: x, y (metres), angle (radians). A body at NaN is not
        drawn.
    shapes : Shape, sequence of n Shape, or World
        Of the bodies, if ``poses`` is an array: one for all, one for each, or those of a world's
        bodies by slot.
    ax : Axes, optional
        Where to draw; by default those of a figure that pyplot does not know, so that a notebook
        shows the player alone.
    times : array_like, shape (f,), optional
        Seconds of the frames, rising; by default 1/60 s apart. Those of a trajectory are its own.
    fps : float
        Pictures per second.
    speed : float
        Seconds of the run per second of the film. The picture for each instant is the last frame
        until then; none are made up in between.
    view : (x_min, y_min, x_max, y_max), optional
        The part to show, metres; by default where something moves. A wrapped world is shown from
        side to side, bodies on a seam on both.
    follow : str or int, optional
        A body that the camera goes along with, by its name in the trajectory or its column: what
        ``view`` shows in the first frame moves as the body does, without turning. Without a view
        it is in the middle. While it does not live the camera waits.
    color : str, color or sequence of n colors
        What colours say, as for `world`; ``"speed"`` needs a trajectory, and its scale ends at the
        highest speed of the frames that are shown.
    clock : bool
        Write the time into the corner.
    linewidth : float, optional
        Width of the outlines, points.
    contacts : bool or sequence of f tables, optional
        Draw contact points: those of the trajectory, by default if it has any, or tables like
        `World.contacts`, one for each frame.
    normals : bool or float
        Draw the push at each contact as a line, as long as most impulses of the run allow, or of so
        many metres per newton second.

    Returns
    -------
    Animation
        A `matplotlib.animation.FuncAnimation` that shows a player at the end of a notebook's cell.
        ``save("run.gif")`` writes it as GIF, ``.mp4`` (where there is FFmpeg) or ``.html``;
        ``to_jshtml()`` gives the player as text. Keep a reference to it while it plays in a window.

    Raises
    ------
    ValueError
        If arrays are empty or do not fit each other, or a number is out of range; if the body to
        follow never lives, or the world is a wrapped one, which is seen from side to side; for
        ``color`` as of `world`.
    TypeError
        If poses are given without shapes.
    KeyError, IndexError
        If there is no body of that name or column to follow.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> world = p2.World()
    >>> ball = world.add_body(p2.Circle(1))
    >>> film = p2.plot.animate(p2.Trajectory.record(world, steps=60))
    >>> film.save("/tmp/ball.gif")  # doctest: +SKIP
    """
    _arguments.scale("fps", fps, flag=False)
    _arguments.scale("speed", speed, flag=False)
    if isinstance(poses, World):
        raise TypeError("poses: must be a recorded run or an array, got a World; "
                        "animate(simulate(world, 3)) records three seconds")  # fmt: skip
    awake: NDArray[np.bool_] | None = None
    drawn = None
    if isinstance(poses, Trajectory):
        drawn = poses._drawn()
        cast = Cast.of_trajectory(poses, drawn)
        positions, angles, awake, seconds = poses.positions, poses.angles, poses.awake, poses.times
    else:
        array = _arguments.numbers("poses", poses)
        if array.ndim != 3 or array.shape[2] != 3:
            raise ValueError(f"poses: must be of shape (f, n, 3), got {array.shape}")
        positions, angles = array[..., :2], array[..., 2]
        cast = _cast(shapes, array.shape[1])
        seconds = np.arange(len(array)) / 60
        if times is not None:
            seconds = _arguments.numbers("times", times)
    if not len(positions):
        raise ValueError("poses: must have at least one frame")
    if seconds.shape != (len(positions),) or not (np.diff(seconds) >= 0).all():
        raise ValueError(f"times: must be {len(positions)} rising numbers")
    _arguments.scale("normals", normals)
    tables = _contacts_of(contacts, poses, len(positions))
    chosen = _at_rate(seconds, speed / fps)
    own = ax is None
    ax = Figure(layout="constrained").add_subplot() if ax is None else _style.target(ax)
    velocities = poses.velocities[chosen] if isinstance(poses, Trajectory) else None
    fastest = None
    if velocities is not None:
        speeds = np.hypot(velocities[..., 0], velocities[..., 1])
        fastest = float(speeds[np.isfinite(speeds)].max(initial=0.0))
    paint = painter(color, ax, positions.shape[1], fastest)
    if paint is not None and drawn is not None:
        paint.spread(drawn.columns)
    bodies = Bodies._of_cast(cast, ax, linewidth)
    # Limits that hold all frames; a few are enough to know them.
    few = np.unique(np.linspace(0, len(chosen) - 1, 60).astype(int))
    seen = [
        bodies.boxes(_rows(drawn, positions[k], k), _rows(drawn, angles[k], k)) for k in chosen[few]
    ]
    moving = np.concatenate([m for m, _ in seen])
    shifts = None
    if follow is not None:
        column = _column(follow, poses, positions.shape[1])
        if cast.wrap is not None:
            raise ValueError("follow: a wrapped world is seen from side to side")
        lives, shifts = _way(positions[:, column], chosen)
        if view is None and ax.get_autoscalex_on() and ax.get_autoscaley_on():
            pose = _rows(drawn, positions[lives], lives), _rows(drawn, angles[lives], lives)
            rows = [column] if drawn is None else np.flatnonzero(drawn.columns == column).tolist()
            view = _around(bodies, rows, *pose)
    ours = _style.frame(ax, view, moving, seen[0][1], cast.wrap)
    shown = None if awake is None else awake[chosen]
    frames = _Frames(positions[chosen], angles[chosen], shown, velocities, drawn, chosen)
    places, turns, wake = frames.at(0)
    bodies.move(places, turns, awake=wake)
    if ours and view is None and clock:
        x0, y0, x1, y1 = _style.shown(ax)
        ax.set_ylim(y0, y1 + 0.06 * max(x1 - x0, y1 - y0))
    if own:
        _fit(ax)
        if paint is not None:
            paint.scale(ax)
        if shifts is not None:  # numbers on the axes change their width, and the picture must not
            ax.figure.figure.draw_without_rendering()
            ax.figure.figure.set_layout_engine("none")
    marks = None
    if tables is not None:
        sizes = np.append((moving[:, 1] - moving[:, 0]).max(axis=1), 0)
        across = _style.diagonal(_style.shown(ax))
        reach = float(np.clip(np.nanmedian(sizes), 0.03 * across, 0.06 * across))
        picked = [tables[k] for k in chosen]
        marks = _Contacts(ax, picked, cast.kinds, normals, reach, cast.wrap)
    return Animation(bodies, seconds[chosen], frames, fps, clock, marks, shifts, paint)


def _column(follow: str | int, poses: Any, count: int) -> int:
    """The one column of the body to follow."""
    if not isinstance(follow, str | int | np.integer):
        kind = type(follow).__name__  # type: ignore[unreachable]
        raise TypeError(f"follow: must be the name of a body or its column, got {kind}")
    if isinstance(poses, Trajectory):
        columns = poses._columns_of(follow).tolist()
        if len(columns) != 1:
            raise ValueError(
                f"follow: must be one body, got {follow!r}, which are columns {columns}"
            )
        return int(columns[0])
    if isinstance(follow, str):
        raise TypeError("follow: poses have no names; give the column of the body")
    column = operator.index(follow)
    if not -count <= column < count:
        raise IndexError(f"follow: must be a column, < {count}, got {follow}")
    return column % count


def _way(places: Array, chosen: NDArray[np.intp]) -> tuple[int, Array]:
    """The first frame in which a body lives, and how far it has come since (f, 2), frame by frame
    of the chosen ones; where it does not live, as far as it was last."""
    lives = np.isfinite(places).all(axis=1)
    if not lives.any():
        raise ValueError("follow: the body lives in no frame")
    first = int(lives.argmax())
    last = np.maximum.accumulate(np.where(lives, np.arange(len(places)), first))
    return first, places[last[chosen]] - places[first]


def _around(
    bodies: Bodies, rows: list[int], positions: Array, angles: Array
) -> tuple[float, float, float, float]:
    """What is around a body, so that it is a sixth of the height of the picture."""
    boxes = np.array([bodies._box_of(k, positions, angles) for k in rows])
    box = np.stack([np.nanmin(boxes[:, 0], axis=0), np.nanmax(boxes[:, 1], axis=0)])
    size = float(np.hypot(*(box[1] - box[0]))) or 1.0
    x, y = positions[rows[0]]
    return x - 16 / 3 * size, y - 3 * size, x + 16 / 3 * size, y + 3 * size


def _fit(ax: Axes) -> None:
    """Give the figure the shape of what it shows, so that no picture is mostly margin."""
    x0, y0, x1, y1 = _style.shown(ax)
    width = float(ax.figure.figure.get_figwidth())
    height = (width - 1.0) * (y1 - y0) / (x1 - x0) + 0.7  # room for the numbers, inches
    ax.figure.figure.set_figheight(min(max(height, 0.4 * width), 1.1 * width))


def _cast(shapes: Shape | Sequence[Shape] | World | None, count: int) -> Cast:
    if shapes is None:
        raise TypeError("shapes: must be given beside poses, unless poses is a Trajectory")
    if not isinstance(shapes, World):
        return Cast.of_shapes(shapes, count)
    cast = Cast.of_world(shapes)
    if len(cast.kinds) != count:
        raise ValueError(f"poses: must have {len(cast.kinds)} bodies, one for each slot of the "
                         f"world, got {count}")  # fmt: skip
    return cast


def _at_rate(times: Array, step: float) -> NDArray[np.intp]:
    """Numbers of the frames to show at even instants, the first and the last among them."""
    count = int(np.ceil((times[-1] - times[0]) / step - 1e-9)) + 1
    instants = times[0] + step * np.arange(count)
    chosen = np.searchsorted(times, instants + 1e-9 * step, side="right") - 1
    chosen[-1] = len(times) - 1
    return np.asarray(chosen)
