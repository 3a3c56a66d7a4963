"""Files: a save leaves the old file or the new one, and only regular files are read.

What is saved goes into a new file beside the target, which takes the target's place in one step
once all of it is on the disk (`rename` of POSIX). Whatever stops the save before, an error, a full
disk, Ctrl-C, leaves the target as it was and removes the new file; a process that is killed may
leave ``.pyphys2d-*`` behind, a file or a film's folder, never a broken target.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

MOST_LINKS = 40  # of symbolic links in a row, as Linux has it


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file to read its bytes.

    Raises
    ------
    ValueError
        If it is something else: a device or a pipe could be without end, or never begin.
    OSError
        If it cannot be opened.
    """
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 (the caller closes)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError("not a regular file")
    return file


def _without_waiting(path: str, flags: int) -> int:
    # To open a pipe waits for its other end, if not told otherwise.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def refuse_other_kinds(
    path: str | os.PathLike[str], right: tuple[str, ...], written_by: Mapping[str, str]
) -> None:
    """Raise if a path has the suffix of a known kind of file that is none of ``right``.

    Parameters
    ----------
    path : path
    right : tuple of str
        Suffixes of the kind that is to be written; others that nobody knows are free.
    written_by : mapping
        Of the suffixes of other kinds: what writes them, with ``{}`` for the path, or nothing.
    """
    name = os.fsdecode(path)
    suffix = os.path.splitext(name)[1].lower()
    if suffix in right or suffix not in written_by:
        return
    other = written_by[suffix].format(repr(name))
    hint = f"; {suffix} is written by {other}" if other else ""
    raise ValueError(f"path: must end in {right[0]}, got {name!r}{hint}")


def save(path: str | os.PathLike[str], write: Callable[[Path], object]) -> None:
    """Let ``write(place)`` fill a file at ``place``, which then becomes the one at ``path``.

    A new file has the mode that `open` gives it, a replaced one keeps mode and owner. A symbolic
    link is followed; other hard links keep the old contents. What is no regular file (a pipe, a
    device, an open descriptor as ``/dev/stdout``) cannot be replaced: there ``place`` is ``path``.

    Parameters
    ----------
    path : path
    write : callable
        Gets a path with the suffix of ``path``, at which there is an empty file.

    Raises
    ------
    OSError
        If the folder or the file cannot be written, or the disk is full.
    """
    target = _behind_links(os.fsdecode(path))
    old = _status(target) if target is not None else None
    if target is None or (old is not None and not stat.S_ISREG(old.st_mode)):
        write(Path(os.fsdecode(path)))
        return
    if old is not None:
        # A file that may not be written may not be replaced either.
        open(target, "ab").close()
    place = target.with_name(f".pyphys2d-{secrets.token_hex(8)}{target.suffix[:16]}")
    try:
        open(place, "xb").close()
        if old is not None:
            _keep(place, old)
        write(place)
        with open(place, "ab") as file:
            os.fsync(file.fileno())
        os.replace(place, target)
        _sync_folder(target.parent)
    except OSError as error:
        if error.filename is not None and os.fsdecode(error.filename) == str(place):
            error.filename = os.fspath(path)
            if error.filename2 is not None:
                del error.filename2  # the message would say "-> None" of a None
        raise
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place)


def _behind_links(path: str) -> Path | None:
    """The path of the file itself; None if it is an open descriptor's, which has no place."""
    for _ in range(MOST_LINKS):
        folder = os.path.realpath(os.path.dirname(path))
        if folder.startswith("/proc/"):
            return None
        path = os.path.join(folder, os.path.basename(path))
        if not os.path.islink(path):
            return Path(path)
        path = os.path.join(folder, os.readlink(path))
    return Path(path)  # a ring of links: the system says so


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _keep(place: Path, old: os.stat_result) -> None:
    """Give a new file the owner and the mode of the one that it is to replace."""
    new = os.stat(place)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        # Only root gives files away.
        with contextlib.suppress(PermissionError):
            os.chown(place, old.st_uid, old.st_gid)
    os.chmod(place, stat.S_IMODE(old.st_mode) & 0o777)


def _sync_folder(folder: Path) -> None:
    # Windows does not open folders, some network file systems do not sync them.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
