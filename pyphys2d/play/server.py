"""The page of ``pyphys2d play``: a server for this machine alone.

It listens on 127.0.0.1 and answers only to addresses that begin with a random token, from pages of
its own origin, with its own name in the Host header: other programs' pages in the same browser can
neither read nor send anything. Frames go as one endless answer, what the user does comes as short
requests; see ``web/page.js``.
"""

from __future__ import annotations

import json
import queue
import secrets
import struct
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pyphys2d import _page
from pyphys2d._live import Message, Session

MOST_BODY = 65536  # bytes of a request
MOST_MESSAGES = 100  # in a request
MOST_CONNECTIONS = 24
SILENCE = 30.0  # seconds that a connection may be silent in the middle of a request
WAITING = 200  # messages that may wait for a client

START = """
const root = document.getElementById("stage");
const setup = JSON.parse(document.getElementById("setup").textContent);
startPage(root, setup).catch((error) => { root.textContent = `No connection: ${error.message}`; });
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
        self._ready = threading.Event()
        session.wake = self._ready.set
        title = f"{session.title or 'World'} · pyphys2d"
        self.page = _page.page(
            title,
            _page.bundle("page") + START,
            '<div id="stage"></div>' + _page.data_block("setup", {"token": self.token}),
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
        if self.headers.get("Host") not in server.hosts or origin not in {None, "null", *own}:
            self._answer(HTTPStatus.FORBIDDEN)
            return None
        token, slash, part = self.path.removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(token.encode(), server.token.encode()):
            self._answer(HTTPStatus.NOT_FOUND)
            return None
        if part:
            header = self.headers.get("X-Token", "")
            if not secrets.compare_digest(header.encode(), server.token.encode()):
                self._answer(HTTPStatus.FORBIDDEN)
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
        """The page, or the stream of messages."""
        part = self._part()
        if part == "":
            self._answer(HTTPStatus.OK, self.server.page, "text/html")
        elif part == "stream":
            self._stream()
        elif part is not None:
            self._answer(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """What the user did."""
        part = self._part()
        if part is None:
            return
        if part != "send":
            self._answer(HTTPStatus.NOT_FOUND)
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > 9:
            self._answer(HTTPStatus.LENGTH_REQUIRED)
            return
        if int(length) > MOST_BODY:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        try:
            messages = json.loads(self.rfile.read(int(length)))
            if not isinstance(messages, list) or len(messages) > MOST_MESSAGES:
                raise ValueError(f"must be a list of at most {MOST_MESSAGES} messages")
            name = self.headers.get("X-Client", "page")[:64]
            for message in messages:
                self.server.session.receive(name, message)
        except (ValueError, RecursionError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, str(error).encode("utf-8", "replace")[:500])
            return
        self._answer(HTTPStatus.OK)

    def _stream(self) -> None:
        session, server = self.server.session, self.server
        waiting: queue.Queue[bytes | None] = queue.Queue(WAITING)
        name = self.headers.get("X-Client", "page")[:64]
        lost = threading.Event()

        def send(message: Message, data: bytes) -> None:
            text = json.dumps(message, separators=(",", ":")).encode()
            try:
                waiting.put_nowait(struct.pack("<II", len(text), len(data)) + text + data)
            except queue.Full:
                lost.set()

        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self._safe_headers("application/octet-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        session.connect(name, send)
        try:
            while not server.closing.is_set() and not lost.is_set():
                try:
                    part = waiting.get(timeout=0.5)
                except queue.Empty:
                    continue
                if part is not None:
                    self.wfile.write(part)
        finally:
            session.disconnect(name)
