"""Tile maps: levels drawn on a grid, as platform games have them."""

from os import PathLike
from typing import Any, Self, SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt

from pyphys2d import _tiled
from pyphys2d._core import Box, World, tile_rays, tile_rectangles

__all__ = ["TileMap"]

_Floats = npt.NDArray[np.float64]
_Bools = npt.NDArray[np.bool_]

# A box may reach this far into a tile, in tiles, and still only touch it; and a few roundings.
_SLACK = 1e-9
_ROUNDING = 1e-15
_PORTION = 1 << 21  # tiles counted at once
_MOST_DRAWN = 96  # tiles of a picture along its longer side
_FAR = 2.0**52  # tiles: farther than any map, and all whole numbers up to it are floats


def _array(value: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{name}: must be an array of numbers: {error}") from None


def _numbers(
    value: npt.ArrayLike, name: str, tail: tuple[int, ...], *, many: bool = True
) -> _Floats:
    """Finite numbers of shape (..., *tail), or of shape `tail` alone."""
    array = _array(value, name)
    if array.dtype.kind not in "biufO":
        raise TypeError(f"{name}: must hold real numbers, got dtype {array.dtype}")
    if array.dtype.kind == "O":
        for item in array.flat:
            if not isinstance(item, SupportsFloat | SupportsIndex):  # None would become NaN
                kind = type(item).__name__
                raise TypeError(f"{name}: must hold real numbers, got {kind}")
    if many and array.shape == (0,):
        array = array.reshape(0, *tail)  # [] is none of them
    own = array.shape[max(array.ndim - len(tail), 0) :] if many else array.shape
    if own != tail:
        shape = f"(..., {', '.join(map(str, tail))})" if many else f"{tail}"
        raise ValueError(f"{name}: must have shape {shape}, got {array.shape}")
    try:
        numbers = array.astype(np.float64)
    except OverflowError:
        raise ValueError(f"{name}: must be finite, got an integer too large for a float") from None
    if not np.isfinite(numbers).all():
        at = np.argwhere(~np.isfinite(numbers))[0]
        place = f"[{', '.join(map(str, at))}]" if at.size > 0 else ""
        raise ValueError(f"{name}{place}: must be finite, got {numbers[tuple(at)]}")
    return numbers


def _boxes(value: npt.ArrayLike) -> _Floats:
    boxes = _numbers(value, "boxes", (2, 2))
    if not (boxes[..., 0, :] < boxes[..., 1, :]).all():
        raise ValueError("boxes: upper must be beyond lower in both coordinates")
    return boxes


def _plain(truths: _Bools) -> Any:
    """Of a single element a bool, as the functions of geometry give."""
    return truths if truths.ndim > 0 else bool(truths)


class TileMap:
    """A level: solid and free squares on a grid.

    The tile ``cells[row, column]`` covers ``size`` metres from ``origin + size * (column, row)``
    to the right and upwards: row 0 is the lowest. A level typed from the top down is
    ``TileMap(cells[::-1])``. Everything outside is free. A map is a value: it does not change, and
    equal ones are equal, with the same hash.

    Parameters
    ----------
    cells : array_like of bool or int, shape (rows, columns)
        True (not 0) is solid.
    origin : array_like, shape (2,)
        Lower left corner of the map, metres.
    size : float
        Side of a tile, metres.

    Raises
    ------
    ValueError
        For another shape, a size that is not positive, NaN or infinity.

    Examples
    --------
    >>> level = ["..#", "...", "###"]
    >>> tiles = TileMap([[c == "#" for c in line] for line in level[::-1]])
    >>> hit = tiles.cast_ray((0.5, 2.5), (0, -5))
    >>> hit.row, hit.column, hit.fraction
    (0, 0, 0.3)
    """

    __slots__ = ("_bytes", "_cells", "_origin", "_size", "_sums")

    def __init__(
        self, cells: npt.ArrayLike, *, origin: npt.ArrayLike = (0.0, 0.0), size: float = 1.0
    ) -> None:
        given = _array(cells, "cells")
        if given.ndim != 2:
            hint = ""
            if given.dtype.kind in "US":
                hint = "; of lines of text: [[c == '#' for c in line] for line in lines[::-1]]"
            raise ValueError(f"cells: must have shape (rows, columns), got {given.shape}{hint}")
        if given.dtype.kind not in "biu" and given.size > 0:
            raise TypeError(f"cells: must hold bool or int, got dtype {given.dtype}")
        self._bytes = (given != 0).tobytes()
        self._cells: _Bools = np.frombuffer(self._bytes, dtype=np.bool_).reshape(given.shape)
        corner = _numbers(origin, "origin", (2,), many=False)
        side = _numbers(size, "size", (), many=False)
        if not side > 0:
            raise ValueError(f"size: must be a number > 0, got {size}")
        self._origin: _Floats = np.frombuffer(corner.tobytes())
        self._size = float(side)
        # Number of solid tiles below and to the left of each corner of the grid.
        self._sums = np.zeros((given.shape[0] + 1, given.shape[1] + 1), dtype=np.int64)
        rows_at_once = max(1, _PORTION // (given.shape[1] + 1))
        for row in range(0, given.shape[0], rows_at_once):  # between them Ctrl-C is heard
            block = slice(row + 1, row + 1 + rows_at_once)
            self._cells[row : row + rows_at_once].cumsum(0, np.int64, self._sums[block, 1:])
            self._sums[block].cumsum(1, out=self._sums[block])
            self._sums[block] += self._sums[row]

    def __repr__(self) -> str:
        rows, columns = self._cells.shape
        return f"<TileMap of {rows} x {columns} tiles, {np.count_nonzero(self._cells)} solid>"

    def _repr_html_(self) -> str:
        """A picture for notebooks; large maps are drawn coarser, with the share that is solid."""
        rows, columns = self._cells.shape
        side = max(rows, columns, 1)
        stride = -(-side // _MOST_DRAWN)
        first_rows, first_columns = np.arange(0, rows, stride), np.arange(0, columns, stride)
        last_rows = np.minimum(first_rows + stride, rows)[:, None]
        last_columns = np.minimum(first_columns + stride, columns)[None]
        first_rows, first_columns = first_rows[:, None], first_columns[None]
        sums = self._sums
        solid = (
            sums[last_rows, last_columns]
            - sums[first_rows, last_columns]
            - sums[last_rows, first_columns]
            + sums[first_rows, first_columns]
        )
        shares = solid / ((last_rows - first_rows) * (last_columns - first_columns))
        rects = "".join(
            f'<rect x="{column}" y="{len(shares) - 1 - row}" width="1.03" height="1.03" '
            f'fill-opacity="{shares[row, column]:.2g}"/>'
            for row, column in np.argwhere(shares > 0).tolist()
        )
        height, width = shares.shape
        scale = min(24.0, 480 / max(height, width, 1))
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width * scale:.0f}" height="{height * scale:.0f}" fill="#7f7f7a">'
            f'<rect width="{width}" height="{height}" fill="#7f7f7a" fill-opacity="0.12"/>'
            f"{rects}</svg>"
        )
        x, y = self._origin.tolist()
        about = f"{repr(self)[1:-1]}; {self._size:.6g} m each, from ({x:.6g}, {y:.6g})"
        return f"<div>{about}<br>{svg}</div>"

    def _key(self) -> tuple[Any, ...]:
        x, y = map(float, self._origin)
        return self._cells.shape, self._bytes, x, y, self._size

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, TileMap) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (np.array(self._cells), np.array(self._origin), self._size)

    @property
    def cells(self) -> _Bools:
        """Whether each tile is solid, shape (rows, columns); read-only, row 0 is the lowest."""
        return self._cells

    @property
    def origin(self) -> _Floats:
        """Lower left corner of the map, shape (2,), metres; read-only."""
        return self._origin

    @property
    def size(self) -> float:
        """Side of a tile, metres."""
        return self._size

    # ------------------------------------------------------------------ points and boxes

    def _at(self, row: _Floats, column: _Floats) -> _Bools:
        """Whether tiles are solid, by whole numbers that may be far outside."""
        rows, columns = self._cells.shape
        inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        if rows * columns == 0:
            return np.asarray(inside)
        r = np.where(inside, row, 0).astype(np.intp)
        c = np.where(inside, column, 0).astype(np.intp)
        return np.asarray(inside & self._cells[r, c])

    def _place(self, points: _Floats) -> _Floats:
        """Points in tiles from the origin. What is too far away for a whole number stays there."""
        with np.errstate(over="ignore"):
            return np.asarray(np.clip((points - self._origin) / self._size, -_FAR, _FAR))

    def _span(self, boxes: _Floats) -> tuple[_Floats, _Floats]:
        """First and last column and row under boxes, shape (..., 2) each, as whole floats."""
        lower = self._place(boxes[..., 0, :])
        upper = self._place(boxes[..., 1, :])
        first = np.floor(lower + _SLACK + _ROUNDING * np.abs(lower))
        last = np.ceil(upper - _SLACK - _ROUNDING * np.abs(upper)) - 1
        tiny = upper - lower <= 4 * _SLACK
        middle = np.floor(0.5 * (lower + upper))
        return np.where(tiny, middle, first), np.where(tiny, middle, np.maximum(first, last))

    def _count(self, first: _Floats, last: _Floats) -> npt.NDArray[np.int64]:
        """Number of solid tiles from first to last column and row, shape (..., 2) each."""
        most = np.array(self._cells.shape[::-1])
        a = np.clip(first, 0, most).astype(np.intp)
        b = np.maximum(a, np.clip(last + 1, 0, most).astype(np.intp))
        s = self._sums
        full, cut = s[b[..., 1], b[..., 0]], s[a[..., 1], a[..., 0]]
        return np.asarray(full - s[b[..., 1], a[..., 0]] - s[a[..., 1], b[..., 0]] + cut)

    def contains(self, points: npt.ArrayLike) -> Any:
        """Whether points are in solid tiles, by flooring.

        A point on an edge belongs to the tile above, or on the right, of it.

        Parameters
        ----------
        points : array_like, shape (..., 2)
            Metres, world.

        Returns
        -------
        bool or ndarray of bool, shape (...)
        """
        p = _numbers(points, "points", (2,))
        cell = np.floor(self._place(p))
        return _plain(self._at(cell[..., 1], cell[..., 0]))

    def hit(self, boxes: npt.ArrayLike, *, spots: int = 8) -> _Bools:
        """Which hot spots of boxes are in solid tiles.

        The hot spots go counter-clockwise from the lower left corner: 4 are the corners, 8 the
        corners and the middles of the sides between them. A box that only touches a tile (reaches
        less than 1e-9 of a tile into it) does not hit it. Between hot spots nothing is seen: 4 do
        for boxes up to one tile wide and high, 8 for up to two; `overlaps` does for all.

        Parameters
        ----------
        boxes : array_like, shape (..., 2, 2)
            [[lower], [upper]], metres, world.
        spots : {4, 8}

        Returns
        -------
        ndarray of bool, shape (..., spots)

        Examples
        --------
        >>> floor = TileMap([[1, 1, 1]])
        >>> floor.hit([(0.2, 0.9), (0.8, 1.9)], spots=4)
        array([ True,  True, False, False])
        """
        if spots not in (4, 8):
            raise ValueError(f"spots: must be 4 or 8, got {spots!r}")
        box = _boxes(boxes)
        first, last = self._span(box)
        middle = np.floor(self._place(0.5 * box[..., 0, :] + 0.5 * box[..., 1, :]))
        middle = np.clip(middle, first, last)
        column = np.stack([first[..., 0], middle[..., 0], last[..., 0]], axis=-1)
        row = np.stack([first[..., 1], middle[..., 1], last[..., 1]], axis=-1)
        around = np.array([(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)])
        around = around[:: 8 // spots]
        return self._at(row[..., around[:, 1]], column[..., around[:, 0]])

    def overlaps(self, boxes: npt.ArrayLike) -> Any:
        """Whether boxes of any size reach into a solid tile (by more than 1e-9 of a tile).

        Parameters
        ----------
        boxes : array_like, shape (..., 2, 2)
            [[lower], [upper]], metres, world.

        Returns
        -------
        bool or ndarray of bool, shape (...)
        """
        first, last = self._span(_boxes(boxes))
        return _plain(np.asarray(self._count(first, last) > 0))

    def snap(self, boxes: npt.ArrayLike, *, axis: str | None = None) -> _Floats:
        """The shortest shift out of the solid tiles, along one axis, to the edge of a tile.

        Straight above, below, left and right of a box there is a first free place, flush with the
        edge of a tile. The shift leads to the nearest of these; of equals, the first in this
        order. A box that is free stays where it is. A platformer moves along x and snaps
        with axis="x", then along y and snaps with axis="y"; the sign of the shift tells which side
        was hit.

        Parameters
        ----------
        boxes : array_like, shape (..., 2, 2)
            [[lower], [upper]], metres, world.
        axis : {None, 'x', 'y'}
            The only axis along which to shift; None: both.

        Returns
        -------
        ndarray, shape (..., 2)
            Metres, to be added to both corners.

        Examples
        --------
        >>> floor = TileMap([[1, 1, 1]])
        >>> floor.snap([(0.25, 0.75), (0.5, 1.75)])
        array([0.  , 0.25])
        """
        if axis not in (None, "x", "y"):
            raise ValueError(f"axis: must be 'x', 'y' or None, got {axis!r}")
        box = _boxes(boxes)
        shift = np.zeros((*box.shape[:-2], 2))
        first, last = self._span(box)
        stuck = self._count(first, last) > 0
        if not stuck.any():
            return shift
        some, low, high = box[stuck], first[stuck], last[stuck]
        ways = [(1, 1), (1, -1), (0, -1), (0, 1)]  # up, down, left, right
        ways = [(a, sign) for a, sign in ways if axis is None or "xy"[a] == axis]
        shifts = np.stack([self._way_out(some, low, high, a, sign) for a, sign in ways])
        best = np.abs(shifts).argmin(axis=0)
        found = np.zeros((len(some), 2))
        found[np.arange(len(some)), np.array([a for a, _ in ways])[best]] = np.take_along_axis(
            shifts, best[None], axis=0
        )[0]
        shift[stuck] = found
        return shift

    def _way_out(
        self, boxes: _Floats, first: _Floats, last: _Floats, axis: int, sign: int
    ) -> _Floats:
        """Shifts of boxes, shape (n, 2, 2), along an axis to the first free place."""
        with np.errstate(over="ignore"):
            extent = np.minimum((boxes[:, 1, axis] - boxes[:, 0, axis]) / self._size, _FAR)
        tiles = np.maximum(1, np.ceil(extent - _SLACK - _ROUNDING * np.abs(extent)))
        most = self._cells.shape[1 - axis]
        # The line of the grid with which the side that goes behind is flush.
        line = np.clip(first[:, axis] + 1 if sign > 0 else last[:, axis], 0, most)
        a, b = first.copy(), last.copy()
        left = np.arange(len(boxes))
        while left.size > 0:  # each turn moves by a tile, and outside of the map all is free
            begin = line[left] if sign > 0 else line[left] - tiles[left]
            a[left, axis], b[left, axis] = begin, begin + tiles[left] - 1
            left = left[self._count(a[left], b[left]) > 0]
            line[left] += sign
        side = boxes[:, 0 if sign > 0 else 1, axis]
        return np.asarray(self._origin[axis] + line * self._size - side)

    # ------------------------------------------------------------------ rays

    def cast_ray(self, origin: npt.ArrayLike, translation: npt.ArrayLike) -> Any:
        """Where rays first enter the solid.

        The solid is the union of the solid tiles without its boundary: a ray that touches or runs
        along an edge does not hit, one along the edge between two solid tiles does. The tiles are
        walked exactly (for origin (0, 0) and size 1 also through corners, for every float). A
        ray that starts inside hits at fraction 0 with the normal against it; a ray of no length
        hits only there. Through a corner, a face that a solid neighbour covers is not hit.

        Parameters
        ----------
        origin, translation : array_like, shape (..., 2)
            Rays run from origin to origin + translation, metres, world. They broadcast.

        Returns
        -------
        TileHit or None
            For a single ray.
        ndarray of row, column, fraction, point, normal; shape (...)
            For arrays of rays; row and column -1 and NaN for a miss.

        Raises
        ------
        ValueError
            For a wrong shape, NaN or infinity.

        Examples
        --------
        >>> tiles = TileMap([[0, 0, 1]])
        >>> tiles.cast_ray((0.5, 0.5), (4, 0)).point
        array([2. , 0.5])
        >>> tiles.cast_ray((0.5, 0.5), [(4, 0), (0, 4)])["column"]
        array([ 2, -1], dtype=int32)
        """
        rows, columns = self._cells.shape
        return tile_rays(self._bytes, rows, columns, self._origin, self._size, origin, translation)

    # ------------------------------------------------------------------ bodies

    def _blocks(self) -> npt.NDArray[np.int32]:
        rows, columns = self._cells.shape
        return tile_rectangles(self._bytes, rows, columns)

    def rectangles(self) -> _Floats:
        """The solid as few boxes: disjoint, and their union is that of the tiles.

        Greedy: from the lowest left tile that is not yet in a box, as wide as possible, then as
        high.

        Returns
        -------
        ndarray, shape (k, 2, 2)
            [[lower], [upper]], metres, world.
        """
        blocks = self._blocks().astype(np.float64)
        lower = blocks[:, 1::-1]
        upper = lower + blocks[:, 3:1:-1]
        return np.asarray(self._origin + self._size * np.stack([lower, upper], axis=1))

    @classmethod
    def from_tmx(
        cls,
        path: str | PathLike[str],
        layer: str | None = None,
        *,
        solid: str | None = None,
        origin: npt.ArrayLike = (0.0, 0.0),
        size: float = 1.0,
    ) -> Self:
        """A map from a file of Tiled, ``.tmx`` or ``.tmj`` (extra ``tiled``).

        Parameters
        ----------
        path : str or path
            Of an orthogonal map with square tiles.
        layer : str, optional
            Its layer of tiles, within a group ``"group/name"``; needed when there are several.
        solid : str, optional
            Name of a property that solid tiles have in their tileset. By default all tiles are
            solid.
        origin : array_like, shape (2,)
            Lower left corner of the map, metres; of an infinite map that of what is drawn.
        size : float
            Side of a tile, metres, however many pixels it has.

        Raises
        ------
        ImportError
            Without pytiled-parser; the message names the extra.
        OSError
            When the file, or a tileset that it names, cannot be read.
        ValueError
            For what is no such map, and a layer or property that it has not.
        """
        return cls(_tiled.cells(path, layer, solid), origin=origin, size=size)

    def to_bodies(self, world: World, **options: Any) -> npt.NDArray[np.int64]:
        """Add the solid to a world, as one static body per rectangle; all or none.

        Parameters
        ----------
        world : World
        **options
            Keywords of World.add_bodies, such as friction, restitution, category.

        Returns
        -------
        ndarray of int64, shape (k,)
            Slots, in the order of `rectangles`.

        Raises
        ------
        TypeError
            For something that is no World, or an unknown keyword.
        ValueError, CapacityError
            As World.add_bodies.

        Examples
        --------
        >>> world = World()
        >>> slots = TileMap([[1, 1, 1, 1], [1, 0, 0, 1]]).to_bodies(world, friction=0.8)
        >>> len(slots)
        3
        """
        if not isinstance(world, World):
            raise TypeError(f"world: must be a World, got {type(world).__name__}")
        options.setdefault("kind", "static")
        boxes = self.rectangles()
        centers = boxes.mean(axis=1)
        slots = np.empty(len(boxes), dtype=np.int64)
        made: list[int] = []
        sizes, which = np.unique(self._blocks()[:, 2:], axis=0, return_inverse=True)
        try:
            for i, (height, width) in enumerate(sizes):
                same = which.reshape(-1) == i
                shape = Box(float(width) * self._size, float(height) * self._size)
                slots[same] = world.add_bodies(shape, centers[same], **options)
                made.extend(map(int, slots[same]))
        except BaseException:
            for slot in made:
                world.remove(world.bodies[slot])
            raise
        return slots


def _rebuild(cells: _Bools, origin: _Floats, size: float) -> TileMap:
    return TileMap(cells, origin=origin, size=size)
