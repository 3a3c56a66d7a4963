"""The page of ``pyphys2d play``: a server for this machine alone.

It listens on 127.0.0.1 and answers only to addresses that begin with a random token, from pages of
its own origin, with its own name in the Host header: other programs' pages in the same browser can
neither read nor send anything. The page is one file; frames and what the user does go over one
WebSocket; see ``web/page.js``.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import secrets
import socket
import struct
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pyphys2d import _page
from pyphys2d._live import Message, Session
from pyphys2d.play import websocket

MOST_BYTES = 65536  # of a message
MOST_CONNECTIONS = 24
SILENCE = 30.0  # seconds that a connection may be silent in the middle of a request
WAITING = 200  # messages that may wait for a client

START = """
const root = document.getElementById("stage");
startPage(root);
"""


class PlayServer(ThreadingHTTPServer):
    """Serves one session; `url` is the page's address."""

    daemon_threads = True
    allow_reuse_address = False
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, session: Session, *, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.session = session
        self.token = secrets.token_urlsafe(24)
        self.closing = threading.Event()
        self._slots = threading.BoundedSemaphore(MOST_CONNECTIONS)
        name = f"127.0.0.1:{self.server_port}"
        self.hosts = (name, f"localhost:{self.server_port}")
        self.url = f"http://{name}/{self.token}/"
        self.numbers = itertools.count()
        self._ready = threading.Event()
        session.wake = self._ready.set
        title = f"{session.title or 'World'} · pyphys2d"
        self.page = _page.page(
            title,
            _page.bundle("page") + START,
            '<div id="stage"></div><noscript>A live world needs JavaScript.</noscript>',
            connect="'self'",
        ).encode()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Beyond the most connections, new ones are closed."""
        if self._slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks is no news."""

    def run(self) -> None:
        """Serve, and step the world, until `stop` or Ctrl-C."""
        thread = threading.Thread(target=self.serve_forever, args=(0.2,), daemon=True)
        thread.start()
        try:
            while not self.closing.is_set():
                self._ready.clear()
                pause = self.session.tick()
                self._ready.wait(pause)
        finally:
            self.stop()
            self.shutdown()
            thread.join()
            self.server_close()

    def stop(self) -> None:
        """End `run`."""
        self.closing.set()
        self._ready.set()


class _Handler(BaseHTTPRequestHandler):
    server: PlayServer
    protocol_version = "HTTP/1.1"
    timeout = SILENCE
    server_version = "pyphys2d"
    sys_version = ""

    def log_message(self, format: str, *arguments: Any) -> None:
        """Requests are not told."""

    # --------------------------------------------------------------------------------------- checks
    def _part(self) -> str | None:
        """What is asked for behind the token; None: refused, and answered."""
        server = self.server
        origin = self.headers.get("Origin")
        own = {f"http://{host}" for host in server.hosts}
        if self.headers.get("Host") not in server.hosts or origin not in {None, *own}:
            self._answer(HTTPStatus.FORBIDDEN)
            return None
        token, slash, part = self.path.removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(token.encode(), server.token.encode()):
            self._answer(HTTPStatus.NOT_FOUND)
            return None
        if part and origin is None:
            self._answer(HTTPStatus.FORBIDDEN)  # browsers say it of every WebSocket
            return None
        return part

    def _answer(self, status: HTTPStatus, body: bytes = b"", kind: str = "text/plain") -> None:
        self.send_response(status)
        self._safe_headers(kind)
        self.send_header("Content-Length", str(len(body)))
        if status >= HTTPStatus.BAD_REQUEST:
            self.close_connection = True
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _safe_headers(self, kind: str) -> None:
        for name, value in (
            ("Content-Type", f"{kind}; charset=utf-8" if kind.startswith("text") else kind),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ):
            self.send_header(name, value)

    # ------------------------------------------------------------------------------------- requests
    def do_GET(self) -> None:
        """The page, or the connection that it lives by."""
        part = self._part()
        if part == "":
            self._answer(HTTPStatus.OK, self.server.page, "text/html")
        elif part == "live":
            self._upgrade()
        elif part is not None:
            self._answer(HTTPStatus.NOT_FOUND)

    def _upgrade(self) -> None:
        accepted = websocket.accepted(self.headers.get("Sec-WebSocket-Key", ""))
        version = self.headers.get("Sec-WebSocket-Version")
        upgrade = self.headers.get("Upgrade", "").lower()
        if upgrade != "websocket" or version != websocket.VERSION or accepted is None:
            self._answer(HTTPStatus.BAD_REQUEST)
            return
        self.close_connection = True
        self.send_response(HTTPStatus.SWITCHING_PROTOCOLS)
        for name, value in (
            ("Upgrade", "websocket"),
            ("Connection", "Upgrade"),
            ("Sec-WebSocket-Accept", accepted),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.connection.settimeout(None)  # a page may be silent as long as it likes
        self._converse()

    def _converse(self) -> None:
        """Frames go out by a thread of their own, what the user does is read by this one."""
        session, name = self.server.session, f"page {next(self.server.numbers)}"
        waiting: queue.Queue[bytes | None] = queue.Queue(WAITING)

        def put(part: bytes) -> None:
            try:
                waiting.put_nowait(part)
            except queue.Full:  # it does not read
                self._hang_up()

        def send(message: Message, data: bytes) -> None:
            put(websocket.framed(packed(message, data)))

        writer = threading.Thread(target=self._write, args=(waiting,), daemon=True)
        writer.start()
        session.connect(name, send)
        farewell = None
        try:
            for text in websocket.texts(self.rfile, MOST_BYTES, put):
                message = json.loads(text)
                try:
                    session.receive(name, message)
                except ValueError as error:
                    send({"type": "error", "text": str(error)}, b"")
        except websocket.RefusedError as error:
            farewell = websocket.closing(error.code, str(error))
        except (ValueError, RecursionError) as error:
            farewell = websocket.closing(websocket.REFUSED, f"not JSON: {error}")
        finally:
            session.disconnect(name)  # nothing comes after a farewell
            with contextlib.suppress(queue.Full):
                if farewell is not None:
                    waiting.put_nowait(farewell)
                waiting.put_nowait(None)
            writer.join(1)
            self._hang_up()

    def _write(self, waiting: queue.Queue[bytes | None]) -> None:
        try:
            while not self.server.closing.is_set():
                try:
                    part = waiting.get(timeout=0.5)
                except queue.Empty:
                    continue
                if part is None:
                    return
                self.wfile.write(part)
        except OSError:
            pass  # it is gone
        self._hang_up()

    def _hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


def packed(message: Message, data: bytes) -> bytes:
    """A message and its arrays: the length of its JSON, the JSON, and the bytes at a multiple of 8.

    The JSON is filled up with spaces.
    """
    text = json.dumps(message, separators=(",", ":")).encode()
    text += b" " * (-(4 + len(text)) % 8)
    return struct.pack("<I", len(text)) + text + data
