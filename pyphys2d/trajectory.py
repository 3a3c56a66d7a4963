"""Trajectories: the poses of all bodies over time, with their shapes, in memory and as .npz files.

A file holds plain arrays, no pickled objects; docs/trajectory-format.md describes them for players
in other languages.
"""

from __future__ import annotations

import operator
import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, cast, overload

import numpy as np
from numpy.typing import NDArray

from pyphys2d import (
    Body,
    World,
    _files,
    _hints,
    _recording,
)
from pyphys2d import _trajectory_export as _export
from pyphys2d import _trajectory_files as _arrays
from pyphys2d._arguments import bound, number
from pyphys2d._recording import Writer
from pyphys2d._trajectory_colliders import SHAPE_KINDS, Colliders, Drawn

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.axes import Axes

    from pyphys2d.plot import Animation

DYNAMIC = 2

Array = NDArray[np.float64]


class Trajectory:
    """Poses of bodies over time.

    A body has one column for its whole life, whatever slot it lives in; frames in which it does not
    live show NaN.

    Attributes
    ----------
    name : str
        Of the scene.
    times : ndarray, shape (frames,)
        Seconds of world time.
    positions : ndarray, shape (frames, bodies, 2)
        Of the bodies' origins, metres.
    angles : ndarray, shape (frames, bodies)
        Radians.
    awake : ndarray of bool, shape (frames, bodies)
    kinetic_energy, potential_energy : ndarray, shape (frames,)
        Joules.
    momentum : ndarray, shape (frames, 2)
        Newton seconds.
    angular_momentum : ndarray, shape (frames,)
        About the world's origin, kg m²/s.
    penetration : ndarray, shape (frames,)
        Depth of the deepest contact, metres, >= 0; NaN where it was not recorded.
    kinds : ndarray of uint8, shape (bodies,)
        0 static, 1 kinematic, 2 dynamic; as when the body was first seen.
    body_names : list of str
        Empty where a body has no name.
    shapes : list of tuple
        ``(kind, rings, radius, loop)`` of each distinct shape, in the body's frame.
    colliders : ndarray of int32, shape (colliders, 2)
        Column of the body and number of the shape.
    collider_frames : ndarray of int64, shape (colliders, 2)
        First frame in which the body has that shape, and the frame after the last.
    collider_sensors : ndarray of bool, shape (colliders,)
        Whether it is a sensor.
    wrap : ndarray, shape (2,), or None
        Width and height of a wrapped world, metres (inf: not in that direction), as when the first
        frame was added; None: no wrap.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> from pyphys2d.trajectory import Trajectory
    >>> world = p2.World()
    >>> ball = world.add_body(p2.Circle(1))
    >>> trajectory = Trajectory.record(world, steps=10, every=5)
    >>> trajectory.positions.shape
    (3, 1, 2)
    """

    def __init__(self, name: str = "") -> None:
        if not isinstance(name, str):
            raise TypeError(f"name: must be a str, got {type(name).__name__}")
        self.name = name
        self.wrap: Array | None = None
        self.body_names: list[str] = []
        self._colliders = Colliders()
        self._kinds: list[int] = []
        self._columns: dict[int, int] = {}  # by id, of bodies of
        self._world: weakref.ref[World] | None = None
        self._last: tuple[NDArray[np.void], NDArray[np.int32]] | None = None  # of _meet
        self._loaded: dict[str, Any] | None = None  # frames before those of the writer
        self._writer: Writer | None = None
        self._depths: dict[int, float] = {}  # penetration, by frame of the writer
        self._stream: _arrays.Stream | None = None
        self._cache: tuple[Any, dict[str, Any]] | None = None

    if not TYPE_CHECKING:  # which is to find what is not there

        def __getattr__(self, name: str) -> NoReturn:
            hint = "" if name.startswith("_") else _hints.attribute(type(self), name)
            of = {} if hint else {"obj": self}
            raise AttributeError(
                f"'Trajectory' object has no attribute {name!r}{hint}", name=name, **of
            )

    # ------------------------------------------------------------------------------------ recording
    def add_frame(self, world: World) -> None:
        """Append the world's present state as a frame.

        Raises
        ------
        TypeError
            For something that is no World.
        """
        if not isinstance(world, World):
            raise TypeError(f"world: must be a World, got {type(world).__name__}")
        if not len(self):
            self.wrap = world.wrap
        if self._writer is None:
            self._writer = Writer(self._meet)
        self._world = weakref.ref(world)
        depth = max(0.0, -float(world.contacts["separation"].min(initial=0.0)))
        self._writer.take(world)
        self._depths[len(self._writer) - 1] = depth

    def _prepare(self, *, path: str | os.PathLike[str] | None, **options: Any) -> None:
        """For `World.record`."""
        if path is None:
            self._writer = Writer(self._meet, **options)
            return
        self._writer = Writer(self._meet, full=self._flush, **options)
        self._stream = _arrays.Stream(path)

    def _begin(self, world: World) -> None:
        writer = self._writer
        assert writer is not None
        if self._stream is not None:
            self._stream.open()
        self.wrap = world.wrap
        self._world = weakref.ref(world)
        writer.first_step = world.step_count
        writer.take(world)
        writer.recorder.attach(world)

    def _end(self, world: World) -> None:
        writer = self._writer
        assert writer is not None
        writer.recorder.detach(world)
        if writer.events:
            writer.read_events(world)
        if world.step_count != writer.last_step():
            writer.take(world)
        if self._stream is not None:
            writer.close_segment()
            self._flush()
            self._stream.close()

    def _flush(self) -> None:
        """Write the segments to the stream, and forget them."""
        assert self._writer is not None
        if self._stream is not None and (self._writer.segments or self._writer.extras.events):
            bodies = len(self._kinds)
            data = _arrays.of_writer(self._writer, bodies, self._columns, self._depths)
            self._stream.write(self, data)
            self._writer.drop()

    def _of_columns(self, columns: NDArray[np.intp], frames: NDArray[np.intp]) -> Trajectory:
        """Without frames: what is known of some columns, as it is in some frames."""
        part = Trajectory(self.name)
        part.wrap = self.wrap
        part._kinds = [self._kinds[k] for k in columns]
        part.body_names = [self.body_names[k] for k in columns]
        number = {column: k for k, column in enumerate(columns.tolist())}
        part._colliders = self._colliders.select(number, frames)
        part._columns = {id: number[c] for id, c in self._columns.items() if c in number}
        part._world = self._world
        return part

    def _meet(self, world: World, rows: NDArray[np.void]) -> NDArray[np.int32]:
        """Columns of the slots; bodies and colliders that were never seen get theirs."""
        columns = np.full(len(rows), -1, np.int32)
        alive = rows["kind"] >= 0
        if self._last is not None:
            last, last_columns = self._last
            n = min(len(rows), len(last))
            same = alive[:n] & (last["kind"][:n] >= 0)
            for name in ("id", "last_collider", "version", "collider_count"):
                same &= rows[name][:n] == last[name][:n]
            columns[:n][same] = last_columns[:n][same]
        for slot in np.flatnonzero(alive & (columns < 0)).tolist():
            body = world.bodies[slot]
            column = self._columns.setdefault(body.id, len(self._kinds))
            if column == len(self._kinds):
                self._kinds.append(("static", "kinematic", "dynamic").index(body.kind))
                self.body_names.append(body.name or "")
            columns[slot] = column
            self._colliders.dress(body, column, len(self))
        self._last = rows, columns
        return columns

    @classmethod
    def record(
        cls,
        world: World,
        steps: int,
        *,
        dt: float = 1 / 60,
        every: int = 1,
        name: str = "",
        before_step: Callable[[World, int], None] | None = None,
    ) -> Trajectory:
        """Step a world; keep a frame at the start, after each ``every`` steps and at the end.

        Parameters
        ----------
        world : World
        steps : int
        dt : float
            Seconds per step.
        every : int
            Steps per frame.
        before_step : callable, optional
            Called as ``before_step(world, k)`` before step k = 0, 1, 2 ...
        """
        if every < 1:
            raise ValueError(f"every must be >= 1, got {every}")
        trajectory = cls(name)
        trajectory.add_frame(world)
        for step in range(steps):
            if before_step is not None:
                before_step(world, step)
            world.step(dt)
            if (step + 1) % every == 0 or step + 1 == steps:
                trajectory.add_frame(world)
        return trajectory

    # -------------------------------------------------------------------------------------- reading
    def __len__(self) -> int:
        return self._written() + (0 if self._writer is None else len(self._writer))

    def _written(self) -> int:
        if self._stream is not None:
            return self._stream.frames
        return 0 if self._loaded is None else len(self._loaded["times"])

    def _data(self) -> dict[str, Any]:
        """All arrays; made when something was added since the last time, and read-only."""
        key = (len(self), len(self._kinds), self._writer and self._writer.extras.count())
        if self._cache is None or self._cache[0] != key:
            data = self._assemble()
            for array in data.values():
                if isinstance(array, np.ndarray):
                    array.flags.writeable = False
            self._cache = key, data
        return self._cache[1]

    def _assemble(self) -> dict[str, Any]:
        bodies = len(self._kinds)
        parts = []
        if self._stream is not None and self._stream.frames:
            written = Trajectory.load(self._stream.path, max_bytes=2**62)
            parts.append(written._data())
        elif self._loaded is not None:
            parts.append(self._loaded)
        if self._writer is not None and (len(self._writer) or self._writer.extras.events):
            parts.append(_arrays.of_writer(self._writer, bodies, self._columns, self._depths))
        if len(parts) == 1 and parts[0]["positions"].shape[1] == bodies:
            return parts[0]
        return _arrays.join_parts(parts, bodies)  # widened where a frame failed that had new bodies

    @property
    def times(self) -> Array:
        """Seconds of world time, shape (frames,)."""
        return self._array("times")

    def _array(self, name: str) -> NDArray[Any]:
        array: NDArray[Any] = self._data()[name]
        return array

    @property
    def steps(self) -> NDArray[np.int64]:
        """Number of steps that the world had made, shape (frames,); -1 in older files."""
        return self._array("steps")

    @property
    def positions(self) -> Array:
        """Metres, shape (frames, bodies, 2); NaN where a body does not live."""
        return self._array("positions")

    @property
    def velocities(self) -> Array:
        """Of the centres of mass, m/s, shape (frames, bodies, 2); NaN as positions are.

        NaN of all bodies in older files, which do not have them.
        """
        return self._array("velocities")

    @property
    def angular_velocities(self) -> Array:
        """rad/s, shape (frames, bodies); NaN as velocities are."""
        return self._array("angular_velocities")

    @property
    def unwrapped(self) -> Array:
        """As `positions`, but continued past the periodic boundary of a wrapped world.

        From frame to frame a body is assumed to have moved by the shortest displacement.
        """
        positions = self.positions
        return positions if self.wrap is None else _unfold(positions, self.wrap)[0]

    # ------------------------------------------------------------------------------------ selection
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_world": None}  # of another process handles mean nothing

    def __getitem__(self, key: slice | str | Body) -> Trajectory:
        """Some frames, ``trajectory[10:20]``, or a body, by name or handle: ``trajectory["ball"]``.

        An integer is refused, as it could be a frame, ``trajectory[k : k + 1]``, or a column,
        ``trajectory.sel(body=k)``.

        Raises
        ------
        KeyError
            For a name that no body has.
        TypeError
            For a handle of which the run knows nothing, as one from a file does.
        """
        if isinstance(key, str) or (isinstance(key, Body) and self._column_of(key) is not None):
            return self.sel(body=key)
        if not isinstance(key, slice):
            kind = type(key).__name__
            raise TypeError(
                f"trajectory[...]: must be a slice of frames or a name, got {kind}; "
                f"{_instead_of(key)}"
            )
        return self._select(np.arange(len(self))[key], np.arange(len(self._kinds)))

    def __iter__(self) -> NoReturn:
        # Without it, Python would ask for [0] and so on, and complain of an int.
        raise TypeError(
            "a Trajectory is not iterable, as it has frames and bodies: frames are rows of its "
            "arrays, run.positions[3], or run[3:4]; bodies are run['ball'] or run.sel(body=0)"
        )

    def sel(
        self,
        time: slice | float | None = None,
        body: str | int | Body | Sequence[str | int | Body] | None = None,
    ) -> Trajectory:
        """Some time and some bodies, as a trajectory of its own.

        Contacts and joints are those of which one body at least is chosen; events those of the
        steps between the frames. Bodies that are not chosen are -1 in them.

        Parameters
        ----------
        time : slice or float, optional
            Seconds, ``slice(1, 2.5)``, both ends included; or the frame next to one instant.
        body : str, int, Body or sequence of them, optional
            Names, columns or handles. A name that several bodies have means all of them. Handles
            are of the world that was recorded; a run that was read from a file knows none.

        Raises
        ------
        KeyError
            For a name that no body has.
        IndexError
            For a column that is not there.
        ValueError, TypeError
            For a time that is no number; the bounds of a slice may be infinite.

        Examples
        --------
        >>> import pyphys2d as p2
        >>> world = p2.World()
        >>> ball = world.add_body(p2.Circle(1), name="ball")
        >>> other = world.add_body(p2.Circle(1), (3, 0))
        >>> run = p2.simulate(world, 1.0)
        >>> run.sel(time=slice(0.5, 1), body="ball").positions.shape
        (31, 1, 2)
        """
        times = self.times
        if time is None:
            frames = np.arange(len(times))
        elif isinstance(time, slice):
            if time.step is not None:
                raise ValueError("time: must be a slice without step; take every k-th by [::k]")
            tolerance = 1e-9 * max(1.0, float(np.abs(times).max(initial=0.0)))
            inside = np.ones(len(times), bool)
            if time.start is not None:
                inside &= times >= bound(time.start, "time.start") - tolerance
            if time.stop is not None:
                inside &= times <= bound(time.stop, "time.stop") + tolerance
            frames = np.flatnonzero(inside)
        else:
            frames = np.abs(times - number(time, "time")).argsort(kind="stable")[:1]
        return self._select(frames, self._columns_of(body))

    def _column_of(self, body: Body) -> int | None:
        """Of a handle of the world that was recorded."""
        world = None if self._world is None else self._world()
        return self._columns.get(body.id) if world is not None and world is body.world else None

    def _columns_of(
        self, body: str | int | Body | Sequence[str | int | Body] | None
    ) -> NDArray[np.intp]:
        count = len(self._kinds)
        if body is None:
            return np.arange(count)
        columns: list[int] = []
        many = isinstance(body, Iterable) and not isinstance(body, str)
        for which in cast("Iterable[Any]", body if many else [body]):
            if isinstance(which, str):
                found = [k for k, name in enumerate(self.body_names) if name == which]
                if not found:
                    near = get_close_matches(which, filter(None, self.body_names), n=1)
                    hint = f"; did you mean {near[0]!r}?" if near else ""
                    raise KeyError(f"body: no body is named {which!r}{hint}")
                columns += found
                continue
            known = self._column_of(which) if isinstance(which, Body) else None
            if known is not None:
                columns.append(known)
                continue
            if not isinstance(which, SupportsIndex):
                kind = type(which).__name__
                raise TypeError(
                    f"body: must be a name or a column, got {kind}; {_instead_of(which)}"
                )
            column = operator.index(which)
            if not -count <= column < count:
                raise IndexError(f"body: must be a column, < {count}, got {which}")
            columns.append(column % count)
        return np.array(list(dict.fromkeys(columns)), np.intp)

    def _select(self, frames: NDArray[np.intp], columns: NDArray[np.intp]) -> Trajectory:
        result = self._of_columns(columns, frames)
        result._loaded = _arrays.select(self._data(), frames, columns)
        return result

    # -------------------------------------------------------------------------------- other formats
    def to_dataframe(self, table: str = "bodies") -> pandas.DataFrame:
        """A table as a data frame of pandas (extra ``data``).

        Parameters
        ----------
        table : str
            ``"bodies"``: a row for each body of each frame in which it lives; ``"frames"``:
            energies and the like; ``"contacts"``, ``"joints"``; or the name of a table of events.

        Raises
        ------
        ImportError
            Without pandas; the message names the extra.
        """
        return _export.dataframe(self, table)

    def to_parquet(self, path: str | os.PathLike[str], table: str = "bodies") -> None:
        """Write `to_dataframe` as a Parquet file (extra ``data``)."""
        _export.parquet(self, path, table)

    def to_xarray(self) -> xarray.Dataset:
        """All arrays with named dimensions, as a dataset of xarray (extra ``data``)."""
        return _export.dataset(self)

    def to_zarr(self, path: str | os.PathLike[str]) -> None:
        """Write `to_xarray` as a Zarr store, a folder (extra ``data``)."""
        _export.zarr(self, path)

    def __repr__(self) -> str:
        return f"<Trajectory {_export.summary(self)}>"

    def _repr_html_(self) -> str:
        """A player of the run, and what it holds, for notebooks.

        Long runs of many bodies (3 million poses) show the paths of what moves instead.
        """
        return _export.html(self)

    def _repr_png_(self) -> bytes | None:
        """The last frame, for where notebooks lose their HTML; None without Matplotlib."""
        from pyphys2d import _player

        return _player.still_png(self)

    @overload
    def to_html(
        self,
        path: None = None,
        *,
        autoplay: bool = True,
        follow: str | int | None = None,
        view: Sequence[float] | None = None,
    ) -> str: ...
    @overload
    def to_html(
        self,
        path: str | os.PathLike[str],
        *,
        autoplay: bool = True,
        follow: str | int | None = None,
        view: Sequence[float] | None = None,
    ) -> None: ...
    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        autoplay: bool = True,
        follow: str | int | None = None,
        view: Sequence[float] | None = None,
    ) -> str | None:
        """A page that plays the run: one file, which needs neither a server nor Python.

        It has play, pause, steps, a slider of time, speed, layers and keys; where no script runs
        it shows the last frame. Poses are rounded to 1/16384 of the view and 1/65536 of a turn.

        Parameters
        ----------
        path : path, optional
            The file to write; an old one is replaced when the new one is whole.
        autoplay : bool
            Whether it plays at once.
        follow : str or int, optional
            A body that the camera goes along with at first, by its name or column; it is a sixth of
            the height of the picture. On the page, another body can be chosen.
        view : (x_min, y_min, x_max, y_max), optional
            The part that is shown at first and by *Show all*, metres; by default where something
            moves. Beside ``follow``, its size alone counts: the body is in the middle.

        Returns
        -------
        str
            The page, if no path is given.

        Raises
        ------
        ValueError
            If the body to follow never lives, or the name is of several; if the view is no such
            part; for a path with the suffix of another kind of file.
        TypeError
            For a view that holds no numbers, and what is neither a name nor a column.
        KeyError, IndexError
            If there is no body of that name or column to follow.
        OSError
            If the file cannot be written; an old one is left as it was.

        Examples
        --------
        >>> import pyphys2d as p2
        >>> world = p2.World()
        >>> ball = world.add_body(p2.Circle(0.5), (0, 5))
        >>> p2.simulate(world, 0.5).to_html()[:15]
        '<!DOCTYPE html>'
        """
        from pyphys2d import _player

        if path is not None:
            _files.refuse_other_kinds(path, (".html", ".htm"), _export.WRITTEN_BY)
        text = _player.to_html(self, autoplay=bool(autoplay), follow=follow, view=view)
        if path is None:
            return text
        _files.save(path, lambda place: place.write_text(text, encoding="utf-8"))
        return None

    # ------------------------------------------------------------------------------------- pictures
    def animate(self, **options: Any) -> Animation:
        """A film, by `pyphys2d.plot.animate` (extra ``plot``)."""
        from pyphys2d import plot

        return plot.animate(self, **options)

    def plot_energy(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Energies over time, by `pyphys2d.plot.energy` (extra ``plot``)."""
        from pyphys2d import plot

        return plot.energy(self, ax=ax, **options)

    def plot_momentum(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Momentum over time, by `pyphys2d.plot.momentum` (extra ``plot``)."""
        from pyphys2d import plot

        return plot.momentum(self, ax=ax, **options)

    def plot_penetration(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Depth of the deepest contact over time, by `pyphys2d.plot.penetration`."""
        from pyphys2d import plot

        return plot.penetration(self, ax=ax, **options)

    def plot_paths(
        self, body: str | int | Sequence[str | int] | None = None, ax: Axes | None = None
    ) -> Axes:
        """The paths of bodies, by default of all that are dynamic (extra ``plot``)."""
        from pyphys2d import plot

        columns = self._columns_of(body)
        if body is None:
            columns = columns[self.kinds == DYNAMIC]
        return plot.paths(self, columns.tolist(), ax=ax)

    def path(self, body: int | str | Body) -> Array:
        """The path of a body's origin, as a line to draw, shape (points, 2), metres.

        In a wrapped world the line ends at the periodic boundary, has a row of NaN, and continues
        on the other side.

        Parameters
        ----------
        body : int, str or Body
            Its column, name or handle.

        Raises
        ------
        IndexError
            When there is no such column.
        KeyError
            For a name that is not that of one body.

        Examples
        --------
        >>> import numpy as np
        >>> import pyphys2d as p2
        >>> world = p2.World((0, 0), wrap=(10, 10))
        >>> ball = world.add_body(p2.Circle(1), (9, 5), velocity=(2, 0))
        >>> p2.Trajectory.record(world, 1, dt=1.0).path(0)
        array([[ 9.,  5.],
               [10.,  5.],
               [nan, nan],
               [ 0.,  5.],
               [ 1.,  5.]])
        """
        columns = self._columns_of(body)
        if len(columns) != 1:
            raise KeyError(f"body: must be one body, got {len(columns)} of the name {body!r}")
        column = int(columns[0])
        places = self.positions[:, column]
        if self.wrap is None or not len(places):
            return places
        size = np.where(np.isfinite(self.wrap), self.wrap, 0.0)
        places = np.where(size > 0, np.mod(places, np.where(size > 0, size, 1)), places)
        turns = _unfold(places, self.wrap)[1]
        rows = [places[0]]
        for k in np.arange(1, len(places)):
            change = turns[k] - turns[k - 1]
            way = places[k] + change * size - places[k - 1]
            # Of a side that it goes over: when, in parts of the way, and which direction it is.
            cuts = [
                ((max(change[axis], 0) * size[axis] - places[k - 1, axis]) / way[axis], axis)
                for axis in np.flatnonzero(change)
            ]
            shift = np.zeros(2)
            for part, axis in sorted(cuts):
                at = places[k - 1] + part * way - shift
                at[axis] = max(change[axis], 0) * size[axis]
                beyond = at.copy()
                beyond[axis] -= change[axis] * size[axis]
                shift[axis] += change[axis] * size[axis]
                rows += [at, np.full(2, np.nan), beyond]
            rows.append(places[k])
        return np.array(rows)

    @property
    def angles(self) -> Array:
        """Radians, shape (frames, bodies); NaN where a body does not live."""
        return self._array("angles")

    @property
    def awake(self) -> NDArray[np.bool_]:
        """Shape (frames, bodies); False where a body does not live."""
        return self._array("awake")

    @property
    def kinetic_energy(self) -> Array:
        """Joules, shape (frames,)."""
        return self._array("kinetic_energy")

    @property
    def potential_energy(self) -> Array:
        """Joules, shape (frames,)."""
        return self._array("potential_energy")

    @property
    def momentum(self) -> Array:
        """Newton seconds, shape (frames, 2)."""
        return self._array("momentum")

    @property
    def angular_momentum(self) -> Array:
        """About the world's origin, kg m²/s, shape (frames,)."""
        return self._array("angular_momentum")

    @property
    def penetration(self) -> Array:
        """Depth of the deepest contact, metres, >= 0, shape (frames,); NaN where not recorded."""
        return self._array("penetration")

    @property
    def contacts(self) -> NDArray[np.void]:
        """Contact points of all frames, one frame after the other; columns as `World.contacts`.

        body_a and body_b are columns of the trajectory. Those of frame k are
        ``contacts[contact_offsets[k] : contact_offsets[k + 1]]``.
        """
        return self._array("contacts")

    @property
    def contact_offsets(self) -> NDArray[np.int64]:
        """Where the contacts of each frame begin, shape (frames + 1,)."""
        return self._array("contact_offsets")

    @property
    def joints(self) -> NDArray[np.void]:
        """Joints of all frames, one frame after the other; columns as `World.joint_state`.

        body_a (-1: the world) and body_b are columns of the trajectory.
        """
        return self._array("joints")

    @property
    def joint_offsets(self) -> NDArray[np.int64]:
        """Where the joints of each frame begin, shape (frames + 1,)."""
        return self._array("joint_offsets")

    @property
    def events(self) -> dict[str, NDArray[np.void]]:
        """Events of all steps, as `World.events` has them, by the name of the table.

        Bodies are columns of the trajectory; -1 for one that lived between two frames.
        """
        data = self._data()
        return {name: data[f"events_{name}"] for name in _recording.EVENT_TABLES}

    @property
    def has_contacts(self) -> bool:
        """Whether contacts were recorded."""
        return bool(self._data()["has_contacts"])

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """0 static, 1 kinematic, 2 dynamic, shape (bodies,)."""
        return np.array(self._kinds, np.uint8)

    @property
    def colliders(self) -> NDArray[np.int32]:
        """Column of the body and number of the shape, shape (colliders, 2)."""
        return np.array([row[:2] for row in self._colliders.rows], np.int32).reshape(-1, 2)

    @property
    def collider_frames(self) -> NDArray[np.int64]:
        """The first frame of each collider and the frame after its last, shape (colliders, 2).

        A collider that is given another shape, or becomes a sensor, is another row from then on.
        """
        return self._colliders.frames(len(self))

    @property
    def collider_sensors(self) -> NDArray[np.bool_]:
        """Whether each collider is a sensor, shape (colliders,)."""
        return np.array([row[2] for row in self._colliders.rows], bool)

    def _drawn(self) -> Drawn:
        """What a picture of the run moves."""
        return self._colliders.drawn(len(self._kinds), len(self))

    @property
    def shapes(self) -> list[tuple[str, list[Array], float, bool]]:
        """``(kind, rings, radius, loop)`` of each distinct shape, in the body's frame."""
        table = self._colliders.shapes
        return [
            (
                SHAPE_KINDS[kind],
                table.rings[table.ring_starts[k] : table.ring_starts[k + 1]],
                table.radii[k],
                table.loops[k],
            )
            for k, kind in enumerate(table.kinds)
        ]

    # ---------------------------------------------------------------------------------------- files
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a compressed .npz file, as docs/trajectory-format.md describes it.

        A file that is there is replaced once the new one is complete: whatever stops the call
        leaves the old one.

        Raises
        ------
        ValueError
            For the suffix of another kind of file, as ``.gif``; the message names what writes it.
        OSError
            If the file cannot be written.
        """
        _files.refuse_other_kinds(path, (".npz",), _export.WRITTEN_BY)
        arrays = _arrays.to_save(self, self._data())

        def write(place: Path) -> None:
            with open(place, "wb") as file:
                np.savez_compressed(file, **arrays)

        _files.save(path, write)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Trajectory:
        """Read a file that `save` wrote. Nothing in it is executed.

        Parameters
        ----------
        path : path
        max_bytes : int, optional
            How much memory the trajectory may take, estimated from the lengths of its arrays
            before anything is unpacked; by default 256 MiB and 64 bytes for each of the file's.

        Raises
        ------
        ValueError
            If the file is not such a file, or takes more than ``max_bytes``; the message names it
            and what is wrong.
        OSError
            If it cannot be opened or read.
        """
        try:
            with _files.open_regular(path) as file:
                if max_bytes is None:
                    size = os.fstat(file.fileno()).st_size
                    max_bytes = _arrays.FREE_BYTES + _arrays.MEMORY_PER_BYTE * size
                if _arrays.is_stream(file):
                    return cls._from_blocks(_arrays.read_blocks(file, max_bytes), max_bytes)
                data = _arrays.read_archive(file, max_bytes)
            return cls._from_arrays(data)
        except ValueError as error:
            raise ValueError(f"{os.fsdecode(path)} is not a trajectory: {error}") from None

    @classmethod
    def _from_arrays(cls, data: dict[str, NDArray[Any]]) -> Trajectory:
        _arrays.check_frames(data)
        _arrays.check_shapes(data)
        trajectory = cls(str(data["name"]))
        trajectory.wrap = data.get("wrap")
        trajectory.body_names = data["body_names"].tolist()
        trajectory._colliders = Colliders.of_arrays(data)
        trajectory._kinds = data["kinds"].tolist()
        awake = data["awake"] & ~np.isnan(data["angles"])  # where it does not live it is not
        trajectory._loaded = _arrays.complete({**data, "awake": awake})
        return trajectory

    @classmethod
    def _from_blocks(cls, blocks: Iterator[dict[str, Any]], max_bytes: int) -> Trajectory:
        """Of a file that was written while the run went on."""
        trajectory, parts, last = cls(), [], 0
        for data in blocks:
            part = cls._from_arrays(data)
            assert part._loaded is not None
            end = last + len(part._loaded["times"])
            trajectory._add_columns(part, data["columns"].tolist())
            trajectory._colliders.add_block(part._colliders, data["columns"].tolist(), last, end)
            last = end
            parts.append((part._loaded, data["columns"]))
        size = last * len(trajectory._kinds) * 50
        if size > max_bytes:
            raise ValueError(
                f"it takes {size} bytes of memory, must be <= {max_bytes} (see max_bytes)"
            )
        trajectory._loaded = _arrays.join_blocks(parts, len(trajectory._kinds))
        trajectory._colliders.end_blocks(last)
        return trajectory

    def _add_columns(self, part: Trajectory, columns: list[int]) -> None:
        """Take over names and kinds of a block's columns."""
        self.name, self.wrap = part.name, part.wrap
        for k in range(len(self._kinds), max(columns, default=-1) + 1):
            self._kinds.append(0)
            self.body_names.append("")
            self._columns[-1 - k] = k  # no body of a world
        for own, column in enumerate(columns):
            self._kinds[column] = part._kinds[own]
            self.body_names[column] = part.body_names[own]


def _instead_of(key: object) -> str:
    """What to write instead of something that is no name and no column."""
    if isinstance(key, int | np.integer) and not isinstance(key, bool):
        end = key + 1 or ""  # [-1:], as [-1:0] would be empty
        return (
            f"one frame is [{key}:{end}], or .positions[{key}] and so on, and the body of a column "
            f".sel(body={key})"
        )
    if not isinstance(key, Body):
        return "bodies by column are .sel(body=[...])"
    name = key.name if key.alive else None
    if name is not None:
        return f"of a body take the name, {name!r}"
    return "give the body a name before it is recorded, world.add_body(..., name='ball')"


def _unfold(positions: Array, wrap: Array) -> tuple[Array, Array]:
    """Places (f, ..., 2) counted on past the seams of a wrapped world, and how often around it."""
    finite = np.isfinite(wrap)
    change = -np.rint(np.nan_to_num(np.diff(positions, axis=0)) / wrap)
    turns = np.concatenate([np.zeros_like(positions[:1]), np.cumsum(change, axis=0)])
    return positions + np.where(finite, wrap, 0.0) * turns, turns
