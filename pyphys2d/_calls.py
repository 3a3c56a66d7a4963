"""Writing call logs: `World.record_calls`. The file is described in _call_format.py."""

from __future__ import annotations

import contextlib
import math
import operator
import os
import threading
import time
import weakref
import zlib
from typing import Any, BinaryIO

from pyphys2d import _core
from pyphys2d._arguments import bound
from pyphys2d._call_format import (
    BLOCK,
    CHECK,
    COUNT,
    END,
    MAGIC,
    UNLOGGED,
    VERSION,
    Unkept,
    plain,
    put,
    put_text,
)
from pyphys2d._core import World
from pyphys2d._snapshot import HANDLES

MOST_BYTES = 2**20  # of records, before they are written
MOST_RECORDS = 4096


class CallLog:
    """The call log of a world, made by `World.record_calls`; a context manager, which closes it.

    A failure to write (a full disk) does not disturb the calls: the log ends there, ``error`` holds
    the exception, and `flush` and `close` raise it. A log whose world is dropped is closed, and a
    process that was forked off does not write to it.
    """

    def __init__(
        self, path: str | os.PathLike[str], flush: float, hash_every: int, state_every: int
    ) -> None:
        self.path = os.fspath(path)
        self.error: BaseException | None = None
        self._period, self._hash_every, self._state_every = flush, hash_every, state_every
        self._process = os.getpid()
        self._lock = threading.RLock()
        # Records, behind the number of those that are no longer in the list.
        self._records: list[Any] = [0]
        self._size = 0
        self._deadline = math.inf
        self._state_at = -1  # count of steps at the last state
        self._world: weakref.ref[World] | None = None
        self._file: BinaryIO | None = open(self.path, "wb", buffering=0)  # noqa: SIM115
        _write_all(self._file, MAGIC)
        # Where the next block goes, the checksum before it, the number of records before it.
        self._written = (len(MAGIC), 0, 0)

    def _start(self, world: World) -> None:
        with self._lock:
            # What a state lacks, as the islands of the last step, a replay has to find anew: this
            # world does too.
            world._set_state(*world._state())
            world._set_log(self, self._lock, self._records, self._hash_every)
            try:
                state, names, *_ = world._state()
                world._written()
                out = bytearray(b"B")
                out += COUNT.pack(VERSION)
                for value in (state, names, world._floor(), _version()):
                    put(out, value)
                self._append(bytes(out))
                self._write()
            except BaseException:
                world._set_log(None, None, None, 1)
                raise
            self._world = weakref.ref(world)

    # ----------------------------------------------------------------------------- called by worlds
    def _begin(
        self,
        world: World,
        receiver: Any,
        name: str,
        values: tuple[Any, ...],
        keywords: tuple[str, ...] | None,
    ) -> tuple[tuple[Any, ...], bytes] | None:
        """Before a call: the arguments it is to take, and its record if it succeeds."""
        if name == "step":  # which calls _before_step
            return None
        self._before_step(world)
        try:
            return self._prepare(receiver, name, values, keywords or ())
        except Unkept as unkept:
            out = bytearray(b"L")
            put_text(out, name)
            put_text(out, str(unkept)[:200])
            return values, bytes(out)

    def _before_step(self, world: World) -> None:
        """Before a call or a step: what was written to live arrays; the file, when it is time."""
        size = world._written()
        if size:
            self._size += size
            self._wait()
        count = world.step_count
        if self._state_every and count % self._state_every == 0 and count != self._state_at:
            self._add_state(world, count)
        due = self._size > MOST_BYTES or len(self._records) > MOST_RECORDS
        if due or time.monotonic() >= self._deadline:
            self._write()

    def _prepare(
        self, receiver: Any, name: str, values: tuple[Any, ...], keywords: tuple[str, ...]
    ) -> tuple[tuple[Any, ...], bytes]:
        first = len(values) - len(keywords)
        if name == "_set_state":
            kept: tuple[Any, ...] = (bytes(values[0]), dict(values[1]), {})
        else:
            names = ("",) * first + keywords
            kept = values = tuple(
                value if name in UNLOGGED else plain(value)
                for name, value in zip(names, values, strict=True)
            )
        named = dict(zip(keywords, kept[first:], strict=True))
        named.pop("user_data", None)
        out = bytearray(b"C")
        put(out, receiver if isinstance(receiver, HANDLES) else None)
        put_text(out, name)
        put(out, kept[:first])
        put(out, named)
        self._size += len(out)
        self._wait()
        return values, bytes(out)

    # -------------------------------------------------------------------------------------- writing
    def _append(self, record: bytes) -> None:
        self._records.append(record)
        self._size += len(record)
        self._wait()

    def _wait(self) -> None:
        """What is about to come is written within the period."""
        if self._deadline == math.inf:
            self._deadline = time.monotonic() + self._period

    def _add_state(self, world: World, count: int) -> None:
        out = bytearray(b"X")
        state, names, *_ = world._state()
        for value in (state, names):
            put(out, value)
        self._append(bytes(out))
        self._state_at = count

    def _write(self) -> None:
        """All records as a block. Stopped anywhere, it is done anew the next time."""
        if self._file is None or os.getpid() != self._process:
            return
        place, check, done = self._written
        records = self._records
        first = 1 + done - records[0]
        items = records[first:]
        try:
            if items:
                payload = b"".join(items)
                body = zlib.crc32(payload, check)
                head = BLOCK.pack(len(payload), body)
                data = head + CHECK.pack(zlib.crc32(head, check)) + payload
                self._file.seek(place)
                _write_all(self._file, data)
                self._written = (place + len(data), body, done + len(items))
            end = first + len(items)
            records[:end] = [records[0] + end - 1]
            self._size, self._deadline = 0, time.monotonic() + self._period
        except (OSError, MemoryError) as error:
            self.error = error
            self._release()

    def _release(self) -> None:
        """Let go of file and world."""
        file, self._file = self._file, None
        world = self._world() if self._world is not None else None
        if file is not None:
            file.close()
        if world is not None and os.getpid() == self._process:
            world._set_log(None, None, None, 1)
        del self._records[1:]

    def flush(self) -> None:
        """Give all calls so far to the system.

        Raises
        ------
        OSError
            When the file could not be written, now or earlier.
        """
        with self._lock:
            self._write()
            if self.error is not None:
                raise self.error

    def close(self) -> None:
        """End the log; a second time does nothing.

        Raises
        ------
        OSError
            When the file could not be written, now or earlier.
        """
        if os.getpid() != self._process:
            return
        with self._lock:
            if self._file is not None:
                world = self._world() if self._world is not None else None
                if self.error is None:
                    self._finish(world)
                self._release()
            error, self.error = self.error, None
            if error is not None:
                raise error

    def _finish(self, world: World | None) -> None:
        if world is not None:
            # Inside of its stages() or of its step a world has no state to be had.
            self._state_every = 0
            with contextlib.suppress(_core.WorldLockedError, ValueError):
                self._before_step(world)
                self._add_state(world, -1)
        self._write()
        self._append(END)  # a block of its own: the end of a file is seen without all before
        self._write()

    def __enter__(self) -> CallLog:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Not made whole, or of another process; and nobody is left to hear of an error.
        if getattr(self, "_file", None) is not None and os.getpid() == self._process:
            with contextlib.suppress(Exception):
                self.close()

    def __repr__(self) -> str:
        steps = "closed" if self._file is None else "open"
        return f"<CallLog {self.path!r}, {steps}>"


def _version() -> str:
    import pyphys2d

    return pyphys2d.__version__


def _write_all(file: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while len(view):
        view = view[file.write(view) :]


def record_calls(
    world: World,
    /,
    path: str | os.PathLike[str],
    *,
    flush: float = 1.0,
    hash_every: int = 1,
    state_every: int = 0,
) -> CallLog:
    """See World.record_calls."""
    seconds = bound(flush, "flush", least=0)
    every, states = operator.index(hash_every), operator.index(state_every)
    for name, value, least in (("hash_every", every, 1), ("state_every", states, 0)):
        if not least <= value < 2**63:
            raise ValueError(f"{name}: must be >= {least} and < 2**63, got {value}")
    if world._has_log():
        raise ValueError("the world has a call log already; close it first")
    log = CallLog(path, seconds, every, states)
    try:
        log._start(world)
    except BaseException:
        log._release()
        raise
    return log
