"""Saves replace a file at once or not at all, whatever stops them; modes and links stay."""

import os
import random
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
import saves

from pyphys2d import _files
from pyphys2d.plot import animate
from pyphys2d.trajectory import Trajectory


def fill(text):
    return lambda place: place.write_text(text)


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


# What is interrupted between the opening of a file and its name is closed by the collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("stop", ["signal", "limit", "disk", "kill"])
@pytest.mark.parametrize("kind", ["npz", pytest.param("html", marks=pytest.mark.slow)])
def test_a_save_that_is_stopped_leaves_the_old_file_or_the_new_one(kind, stop):
    count = 4 if kind != "npz" or stop == "kill" else 40
    try:
        with saves.folder_for(stop) as folder:
            stopped = saves.Stopped(kind, folder, large=stop == "disk" and kind == "npz")
            saves.STOPS[stop](stopped, count, random.Random(1))
    except PermissionError as error:
        pytest.skip(f"no file system of 1 MB could be mounted: {error.strerror}")
    assert stopped.stopped > count // 4
    assert stopped.kept > 0 or stop in ("signal", "kill")


@pytest.mark.parametrize("error", [OSError(28, "No space"), KeyboardInterrupt(), SystemExit()])
@pytest.mark.parametrize("old", [None, "old"])
def test_an_exception_in_the_middle_leaves_the_folder_as_it_was(error, old, tmp_path):
    path = tmp_path / "file.txt"
    if old is not None:
        path.write_text(old)

    def write(place):
        place.write_text("half")
        raise error

    with pytest.raises(type(error)):
        _files.save(path, write)
    assert os.listdir(tmp_path) == ([] if old is None else ["file.txt"])
    assert old is None or path.read_text() == old


def test_a_file_that_is_written_is_not_seen_before_it_is_whole(tmp_path):
    path = tmp_path / "file.gif"
    path.write_text("old")

    def write(place):
        assert place.parent == tmp_path.resolve()
        assert place.suffix == ".gif"
        assert place.name.startswith(".pyphys2d-")
        place.write_text("half")
        assert path.read_text() == "old"
        place.write_text("new")

    _files.save(str(path), write)
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["file.gif"]


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o000])
def test_a_new_file_has_the_mode_that_open_gives_and_an_old_one_keeps_its_own(mask, tmp_path):
    before = os.umask(mask)
    try:
        _files.save(tmp_path / "new", fill("1"))
        assert mode(tmp_path / "new") == 0o666 & ~mask
        for old in (0o600, 0o664, 0o640, 0o755):
            os.chmod(tmp_path / "new", old)
            _files.save(tmp_path / "new", fill("2"))
            assert mode(tmp_path / "new") == old
    finally:
        os.umask(before)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_an_old_file_keeps_its_owner(tmp_path):
    path = tmp_path / "file"
    path.write_text("1")
    os.chown(path, 1234, 2345)
    _files.save(path, fill("2"))
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)
    assert path.read_text() == "2"


@pytest.mark.parametrize("there", [True, False])
def test_the_file_behind_symbolic_links_is_replaced(there, tmp_path):
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / "file.txt"
    if there:
        file.write_text("old")
    (tmp_path / "one").symlink_to("data/file.txt")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    _files.save(tmp_path / "two", fill("new"))
    assert file.read_text() == "new"
    assert not file.is_symlink()
    assert os.readlink(tmp_path / "one") == "data/file.txt"
    assert sorted(os.listdir(tmp_path)) == ["data", "one", "two"]
    assert os.listdir(tmp_path / "data") == ["file.txt"]


def test_a_ring_of_links_a_folder_and_a_missing_folder_are_errors_that_name_the_path(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for path in (tmp_path / "a", tmp_path, tmp_path / "absent" / "file"):
        with pytest.raises(OSError) as raised:
            _files.save(path, fill("new"))
        assert str(path) in str(raised.value)
        assert "->" not in str(raised.value)
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_a_file_that_may_not_be_written_is_not_replaced():
    before = os.geteuid()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = Path(folder) / "file"
        path.write_text("old")
        path.chmod(0o444)
        try:
            if before == 0:
                os.seteuid(65534)  # root may write anything
            with pytest.raises(PermissionError):
                _files.save(path, fill("new"))
        finally:
            os.seteuid(before)
        assert path.read_text() == "old"
        assert os.listdir(folder) == ["file"]


def test_pipes_and_descriptors_are_written_directly(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    _files.save(pipe, fill("piped"))
    reader.join()
    assert read == ["piped"]
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    code = (
        "from pyphys2d import _files; from pathlib import Path\n"
        "print('one', flush=True)\n"
        "_files.save('/dev/stdout', lambda p: p.open('a').write('two\\n'))"
    )
    path = str(Path(_files.__file__).parents[1])
    log = tmp_path / "log"
    with log.open("w") as output:
        node = os.fstat(output.fileno()).st_ino
        subprocess.run(
            [sys.executable, "-c", code],
            stdout=output,
            check=True,
            env={**os.environ, "PYTHONPATH": path},
        )
    assert log.read_text() == "one\ntwo\n"
    assert log.stat().st_ino == node


def test_a_name_as_long_as_the_system_takes(tmp_path):
    for name in ("n" * 251 + ".npz", "n." + "z" * 253):
        _files.save(tmp_path / name, fill("new"))
        assert (tmp_path / name).read_text() == "new"


def test_all_saves_of_the_package_replace(tmp_path, monkeypatch):
    """Each goes through the one way, with the old file whole until then."""
    seen = []
    replace = os.replace

    def watched(source, target):
        seen.append(Path(target).name)
        assert Path(target).read_text() == "old"
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    for kind in saves.KINDS:
        path = tmp_path / f"file.{kind}"
        path.write_text("old")
        saves.KINDS[kind](1, False)(path)
        assert path.stat().st_size > 100
    film = animate(saves.trajectory(1, 1, 2))
    (tmp_path / "film.webp").write_text("old")
    film.save(tmp_path / "film.webp", writer="pillow", dpi=30)
    assert seen == [*(f"file.{kind}" for kind in saves.KINDS), "film.webp"]
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


@pytest.mark.parametrize("load", [_files.open_regular, Trajectory.load])
def test_a_pipe_is_refused_at_once(load, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="not a regular file"):
        load(tmp_path / "pipe")
