"""Levels drawn with Tiled (T. Lindeijer), read by pytiled-parser (extra ``tiled``)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_NUMBER = 0x0FFFFFFF  # of a tile; the bits above say how it is turned
_MOST = 1 << 26  # tiles


def cells(
    path: str | os.PathLike[str], layer: str | None, solid: str | None
) -> npt.NDArray[np.bool_]:
    """Which tiles of a layer are solid, shape (rows, columns), the lowest row first."""
    level = _parsed(Path(path))
    if level.orientation != "orthogonal":
        raise ValueError(f"{path}: must be an orthogonal map, got {level.orientation}")
    if level.tile_size.width != level.tile_size.height:
        width, height = level.tile_size
        raise ValueError(f"{path}: must have square tiles, got {width:g} by {height:g} pixels")
    layers = dict(_tile_layers(level.layers or [], ""))
    if layer is None and len(layers) != 1:
        raise ValueError(f"layer: must be given, one of {list(layers)}")
    name = next(iter(layers)) if layer is None else layer
    if name not in layers:
        raise ValueError(f"layer: must be one of {list(layers)}, got {layer!r}")
    numbers = _numbers(layers[name], path)
    size = (int(level.map_size.height), int(level.map_size.width))
    if layers[name].chunks is None and numbers.shape != size:
        raise ValueError(
            f"{path}: layer {name!r} is damaged: it has {numbers.shape} tiles and the map {size}"
        )
    found: npt.NDArray[np.bool_]
    if solid is None:
        found = numbers != 0
        return found[::-1]
    chosen = [
        first + int(number)
        for first, tileset in level.tilesets.items()
        for number, tile in (tileset.tiles or {}).items()
        if (tile.properties or {}).get(solid) not in (None, False)
    ]
    if not chosen:
        raise ValueError(f"solid: no tile of {path} has a property {solid!r} that is on")
    found = np.isin(numbers, chosen)
    return found[::-1]


def _parsed(path: Path) -> Any:
    try:
        tiled = import_module("pytiled_parser")
    except ImportError as error:
        raise ImportError(
            "TileMap.from_tmx needs pytiled-parser: install pyphys2d with its extra tiled, "
            "pyphys2d[tiled]"
        ) from error
    try:
        return tiled.parse_map(path)
    except (OSError, MemoryError):
        raise
    except Exception as error:  # whatever a damaged file makes of it
        raise ValueError(f"{path}: is no map of Tiled: {type(error).__name__}: {error}") from error


def _tile_layers(layers: list[Any], group: str) -> Iterator[tuple[str, Any]]:
    """Layers of tiles by name, those in groups as ``"group/name"``."""
    for layer in layers:
        name = f"{group}{layer.name}"
        if type(layer).__name__ == "LayerGroup":
            yield from _tile_layers(layer.layers or [], f"{name}/")
        elif type(layer).__name__ == "TileLayer":
            yield name, layer


def _numbers(layer: Any, path: str | os.PathLike[str]) -> npt.NDArray[np.int64]:
    """Numbers of tiles, 0 for none, the highest row first."""
    if layer.chunks is None:
        blocks = [(0, 0, layer.data or [])]
    else:  # of a map without borders
        blocks = [(int(c.coordinates.x), int(c.coordinates.y), c.data) for c in layer.chunks]
    try:
        arrays = [(x, y, np.array(data, np.int64) & _NUMBER) for x, y, data in blocks]
    except (ValueError, OverflowError) as error:  # rows of different lengths
        raise ValueError(f"{path}: layer {layer.name!r} is damaged: {error}") from None
    arrays = [each for each in arrays if each[2].ndim == 2]
    if not arrays:
        return np.zeros((0, 0), np.int64)
    left, top = min(x for x, _, _ in arrays), min(y for _, y, _ in arrays)
    width = max(x + a.shape[1] for x, _, a in arrays) - left
    height = max(y + a.shape[0] for _, y, a in arrays) - top
    if width * height > _MOST:
        raise ValueError(f"{path}: must have at most {_MOST} tiles, got {width} by {height}")
    whole = np.zeros((height, width), np.int64)
    for x, y, numbers in arrays:
        rows, columns = numbers.shape
        whole[y - top : y - top + rows, x - left : x - left + columns] = numbers
    return whole
