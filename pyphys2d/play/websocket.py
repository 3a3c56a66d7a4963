"""The server's side of a WebSocket (I. Fette and A. Melnikov, RFC 6455, 2011), without extensions.

A connection costs one handshake; after it a message costs a few bytes and one call in the browser,
where a request costs a millisecond and more on both sides.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
from collections.abc import Callable, Iterator
from io import BufferedIOBase

VERSION = "13"
_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # of the standard, after the client's key
_KEY_BYTES = 16
_CONTINUED, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
MOST_CONTROL = 125  # bytes of a close, ping or pong

# Reasons to close.
PROTOCOL_ERROR, NOT_UTF8, REFUSED, TOO_LARGE = 1002, 1007, 1008, 1009


class RefusedError(Exception):
    """What came is no message; ``code`` says why."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def accepted(key: str) -> str | None:
    """The answer to the key of a handshake; None where it is none."""
    try:
        if len(base64.b64decode(key.encode("ascii"), validate=True)) != _KEY_BYTES:
            return None
    except (UnicodeEncodeError, binascii.Error):
        return None
    return base64.b64encode(hashlib.sha1(key.encode() + _SUFFIX).digest()).decode()


def framed(data: bytes, kind: int = BINARY) -> bytes:
    """A message in one frame."""
    size = len(data)
    if size <= MOST_CONTROL:
        head = struct.pack(">BB", 0x80 | kind, size)
    elif size < 1 << 16:
        head = struct.pack(">BBH", 0x80 | kind, 126, size)
    else:
        head = struct.pack(">BBQ", 0x80 | kind, 127, size)
    return head + data


def closing(code: int, reason: str = "") -> bytes:
    """A frame that says farewell."""
    words = reason.encode("utf-8", "replace")[: MOST_CONTROL - 2].decode("utf-8", "ignore")
    return framed(struct.pack(">H", code) + words.encode(), CLOSE)


def texts(stream: BufferedIOBase, most: int, answer: Callable[[bytes], None]) -> Iterator[str]:
    """The text messages that come, until the other side closes.

    Parameters
    ----------
    stream : binary stream
        What the client sends; ``read(n)`` gives n bytes unless it ends.
    most : int
        Bytes of a message, all its frames together.
    answer : callable
        Sends bytes: answers to pings.

    Raises
    ------
    RefusedError
        For what breaks the protocol, is larger, or no text.
    """
    parts: list[bytes] = []
    while True:
        head = stream.read(2)
        if len(head) < 2:
            return
        last, kind, size = head[0] & 0x80, head[0] & 0x0F, head[1] & 0x7F
        if head[0] & 0x70 or not head[1] & 0x80:
            raise RefusedError(PROTOCOL_ERROR, "frames of a client are masked and of no extension")
        if kind >= CLOSE and (size > MOST_CONTROL or not last):
            raise RefusedError(PROTOCOL_ERROR, "a control frame is short and whole")
        if size > MOST_CONTROL:
            size = int.from_bytes(_exactly(stream, 2 if size == 126 else 8), "big")
        if size + sum(map(len, parts)) > most:
            raise RefusedError(TOO_LARGE, f"a message has at most {most} bytes")
        mask = _exactly(stream, 4)
        data = _unmasked(_exactly(stream, size), mask)
        if kind == CLOSE:
            return
        if kind == PING:
            answer(framed(data, PONG))
        elif kind != PONG:
            if kind != (_CONTINUED if parts else TEXT):
                raise RefusedError(PROTOCOL_ERROR, f"no frame of kind {kind} can come here")
            parts.append(data)
            if last:
                try:
                    text = b"".join(parts).decode()
                except UnicodeDecodeError:
                    raise RefusedError(NOT_UTF8, "a text is UTF-8") from None
                parts = []
                yield text


def _exactly(stream: BufferedIOBase, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise RefusedError(PROTOCOL_ERROR, "the connection ended in the middle of a frame")
    return data


def _unmasked(data: bytes, mask: bytes) -> bytes:
    pad = (mask * (len(data) // 4 + 1))[: len(data)]
    return (int.from_bytes(data, "big") ^ int.from_bytes(pad, "big")).to_bytes(len(data), "big")
