"""Levels of Tiled, in all ways that it writes them."""

import base64
import gzip
import struct
import sys
import zlib

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d.geometry import TileMap

pytest.importorskip("pytiled_parser")

ROWS = [[0, 0, 2, 0], [0, 0, 0, 1], [1, 2, 0x80000001, 3]]  # the highest first; one is turned
SOLID = np.array([[1, 1, 1, 1], [0, 0, 0, 1], [0, 0, 1, 0]], bool)  # the lowest first
TILESET = """<tileset firstgid="1" name="t" tilewidth="16" tileheight="16" tilecount="3"
  columns="3">
  <tile id="1"><properties><property name="wall" type="bool" value="true"/></properties></tile>
  <tile id="2"><properties><property name="wall" type="bool" value="false"/></properties></tile>
 </tileset>"""


def data(encoding, rows=ROWS):
    flat = [number for row in rows for number in row]
    packed = struct.pack(f"<{len(flat)}I", *flat)
    if encoding == "csv":
        return f'<data encoding="csv">{",".join(map(str, flat))}</data>'
    pack = {"": lambda b: b, "zlib": zlib.compress, "gzip": gzip.compress}[encoding]
    text = base64.b64encode(pack(packed)).decode()
    kind = f' compression="{encoding}"' if encoding else ""
    return f'<data encoding="base64"{kind}>{text}</data>'


def layer(content, name="ground"):
    return f'<layer id="1" name="{name}" width="4" height="3">{content}</layer>'


def level(*layers, attributes='orientation="orthogonal" infinite="0"', tile=16, tilesets=TILESET):
    return (
        f'<?xml version="1.0"?><map version="1.10" tiledversion="1.10" {attributes} '
        f'renderorder="right-down" width="4" height="3" tilewidth="16" tileheight="{tile}" '
        f'nextlayerid="9" nextobjectid="1">{tilesets}{"".join(layers)}</map>'
    )


@pytest.fixture
def write(tmp_path):
    def write(text, name="level.tmx"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.mark.parametrize("encoding", ["csv", "", "zlib", "gzip"])
def test_the_highest_row_comes_first_in_the_file(write, encoding):
    path = write(level(layer(data(encoding))))
    tiles = TileMap.from_tmx(path, size=0.5, origin=(3, -1))
    assert (tiles.cells == SOLID).all()
    assert tiles == TileMap(SOLID, size=0.5, origin=(3, -1))
    assert TileMap.from_tmx(str(path)) == TileMap(SOLID)


def test_tiles_with_a_property(write):
    path = write(level(layer(data("csv"))))
    expected = np.array(ROWS)[::-1] == 2
    assert (TileMap.from_tmx(path, solid="wall").cells == expected).all()
    with pytest.raises(ValueError, match=r"solid: no tile of .* has a property 'hot'"):
        TileMap.from_tmx(path, solid="hot")


def test_a_tileset_in_a_file_of_its_own(write):
    write(TILESET.replace('firstgid="1" ', ""), "tiles.tsx")
    text = level(layer(data("csv")), tilesets='<tileset firstgid="1" source="tiles.tsx"/>')
    assert TileMap.from_tmx(write(text), solid="wall").cells.sum() == 2


def test_layers_are_chosen_by_name(write):
    high = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 5, 0, 0]]
    group = f'<group id="7" name="far">{layer(data("csv", high), "ground")}</group>'
    path = write(level(layer(data("csv")), group))
    assert TileMap.from_tmx(path, "ground").cells.sum() == 6
    assert np.argwhere(TileMap.from_tmx(path, "far/ground").cells).tolist() == [[0, 1]]
    with pytest.raises(ValueError, match=r"must be given, one of \['ground', 'far/ground'\]"):
        TileMap.from_tmx(path)
    with pytest.raises(ValueError, match=r"must be one of \['ground', 'far/ground'\], got 'sky'"):
        TileMap.from_tmx(path, "sky")


def test_maps_without_borders(write):
    def chunk(x, y, numbers):
        text = ",".join(map(str, numbers))
        return f'<chunk x="{x}" y="{y}" width="2" height="2">{text}</chunk>'

    content = chunk(-2, -2, [1, 0, 0, 0]) + chunk(0, 0, [0, 0, 0, 1])
    text = level(
        layer(f'<data encoding="csv">{content}</data>'),
        attributes='orientation="orthogonal" infinite="1"',
    )
    assert np.argwhere(TileMap.from_tmx(write(text)).cells).tolist() == [[0, 3], [3, 0]]
    far = text.replace('x="0" y="0"', 'x="1000000000" y="1000000000"')
    with pytest.raises(ValueError, match="must have at most 67108864 tiles, got 1000000004 by"):
        TileMap.from_tmx(write(far))


def test_bodies_of_a_level(write):
    world = p2.World()
    TileMap.from_tmx(write(level(layer(data("csv")))), size=2).to_bodies(world)
    ball = world.add_body(p2.Circle(0.5), (1, 4))
    world.step(n=180)
    assert ball.position[1] == pytest.approx(2.5, abs=0.01)  # on the floor, a tile high


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is no map of Tiled"),
        ("<map", "is no map of Tiled"),
        ("[1]", "is no map of Tiled"),
        (level(layer('<data encoding="base64">!!</data>')), "is no map of Tiled|is damaged"),
        (level(attributes='orientation="isometric" infinite="0"'), "orthogonal map, got isometric"),
        (level(layer(data("csv")), tile=8), "must have square tiles, got 16 by 8 pixels"),
        (level(), r"layer: must be given, one of \[\]"),
    ],
)
def test_what_is_no_map(write, text, words):
    with pytest.raises(ValueError, match=words):
        TileMap.from_tmx(write(text))


def test_files_that_are_not_there(tmp_path, write):
    with pytest.raises(FileNotFoundError):
        TileMap.from_tmx(tmp_path / "none.tmx")
    text = level(layer(data("csv")), tilesets='<tileset firstgid="1" source="none.tsx"/>')
    with pytest.raises(FileNotFoundError):
        TileMap.from_tmx(write(text))


def test_without_the_reader_the_extra_is_named(monkeypatch, write):
    path = write(level(layer(data("csv"))))
    monkeypatch.setitem(sys.modules, "pytiled_parser", None)
    with pytest.raises(ImportError, match=r"pyphys2d\[tiled\]"):
        TileMap.from_tmx(path)
