"""The page of ``pyphys2d play``: what it serves, and to whom it does not."""

import http.client
import json
import socket
import struct
import threading
import time
from contextlib import contextmanager

import pytest

from pyphys2d import play
from pyphys2d.play.server import MOST_BYTES, PlayServer
from pyphys2d.scenes import SceneError


@contextmanager
def serving(name="grabbing"):
    server = PlayServer(play.session(name))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(5)
    assert not thread.is_alive()


def ask(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
    headers = {key.replace("_", "-"): value for key, value in headers.items()}
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer.status, data, answer.headers


@pytest.fixture(scope="module")
def server():
    with serving() as made:
        yield made


def test_the_page_is_served_with_strict_headers(server):
    status, data, headers = ask(server, "GET", f"/{server.token}/")
    assert status == 200
    assert b"startPage" in data
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert b"connect-src 'self'" in data


def test_it_listens_on_loopback_alone(server):
    assert server.socket.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("path", ["/", "/x/", "/stream", "//", "/%2e%2e/", "/../", ""])
def test_a_wrong_token_finds_nothing(server, path):
    assert ask(server, "GET", path or "/a")[0] == 404


def test_a_wrong_host_is_refused(server):
    status, data, _ = ask(server, "GET", f"/{server.token}/", Host="evil.example")
    assert (status, data) == (403, b"")


def test_another_origin_is_refused(server):
    assert ask(server, "GET", f"/{server.token}/", Origin="http://evil.example")[0] == 403


class Page:
    """The other side of a WebSocket, by the standard (RFC 6455) and not by the package."""

    KEY = "dGhlIHNhbXBsZSBub25jZQ=="  # of section 1.3, with its answer

    def __init__(self, server, path=None, **headers):
        given = {
            "Host": server.hosts[0],
            "Origin": f"http://{server.hosts[0]}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": self.KEY,
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{name}: {value}" for name, value in given.items() if value is not None]
        self.socket = socket.create_connection(("127.0.0.1", server.server_port), 5)
        path = path or f"/{server.token}/live"
        self.socket.sendall("\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode())
        self.stream = self.socket.makefile("rb")
        self.status = int(self.stream.readline().split()[1])
        self.headers = http.client.parse_headers(self.stream)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stream.close()
        self.socket.close()

    def send(self, data, head=0x81, mask=b"\x01\x82\x03\xc4"):
        size = len(data)
        if size <= 125:
            length = struct.pack("!B", 0x80 | size)
        else:
            length = struct.pack("!BH" if size < 65536 else "!BQ", 0xFE + (size > 65535), size)
        masked = bytes(byte ^ mask[k % 4] for k, byte in enumerate(data))
        self.socket.sendall(bytes([head]) + length + mask + masked)

    def frame(self):
        """Kind and content; (None, b"") where the connection has ended."""
        head = self.stream.read(2)
        if len(head) < 2:
            return None, b""
        size = head[1]
        if size > 125:
            size = int.from_bytes(self.stream.read(2 if size == 126 else 8), "big")
        return head[0] & 15, self.stream.read(size)

    def message(self):
        kind, content = self.frame()
        assert kind == 2
        (size,) = struct.unpack("<I", content[:4])
        assert (4 + size) % 8 == 0  # arrays are aligned
        return json.loads(content[4 : 4 + size]), content[4 + size :]

    def wait_for(self, kind):
        """The next frame of a kind, and all before it are passed over."""
        while True:
            found, content = self.frame()
            if found == kind or found is None:
                return found, content


def test_the_handshake_is_that_of_the_standard(server):
    with Page(server) as page:
        assert page.status == 101
        assert page.headers["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": None}, 403),
        ({"Host": "evil.example"}, 403),
        ({"path": "/x/live"}, 404),
        ({"path": "/live"}, 404),
        ({"Upgrade": None}, 400),
        ({"Sec_WebSocket_Version": "8"}, 400),
        ({"Sec_WebSocket_Key": None}, 400),
        ({"Sec_WebSocket_Key": "c2hvcnQ="}, 400),
        ({"Sec_WebSocket_Key": "not base64 at all!"}, 400),
    ],
)
def test_a_handshake_that_is_none_is_refused(server, headers, status):
    with Page(server, **headers) as page:
        assert page.status == status
        end = time.monotonic() + 10  # the page of the test before may come and go late
        while server.session.clients and time.monotonic() < end:
            time.sleep(0.01)
        assert not server.session.clients


@pytest.mark.parametrize("text", [b"", b"{", b"\x22", b"[" * 50000, b"[1"])
def test_what_is_no_json_ends_the_connection(server, text):
    with Page(server) as page:
        page.send(text)
        kind, content = page.wait_for(8)
        assert kind == 8
        assert int.from_bytes(content[:2], "big") == 1008
        assert page.frame()[0] is None


@pytest.mark.parametrize("text", [b"[]", b"1", b"null", b'{"type":"no"}', b'{"type":"grab"}'])
def test_a_message_that_means_nothing_is_answered(server, text):
    with Page(server) as page:
        page.send(text)
        while (message := page.message()[0])["type"] != "error":
            pass
        assert message["text"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"\x81\x02{}", 1002),  # no mask
        (b"\xc1\x82\0\0\0\0{}", 1002),  # of an extension
        (b"\x82\x82\0\0\0\0{}", 1002),  # bytes, where texts are wanted
        (b"\x80\x82\0\0\0\0{}", 1002),  # goes on with nothing
        (b"\x09\x80\0\0\0\0", 1002),  # a ping in pieces
        (b"\x89\xfe\0\x80\0\0\0\0" + bytes(128), 1002),  # a ping that is long
        (b"\x81\x81\0\0\0\0\xff", 1007),
        (b"\x81\xff" + b"\x7f" + b"\xff" * 7 + bytes(4), 1009),
    ],
)
def test_what_breaks_the_protocol_ends_the_connection(server, raw, code):
    with Page(server) as page:
        page.socket.sendall(raw)
        kind, content = page.wait_for(8)
        assert (kind, int.from_bytes(content[:2], "big")) == (8, code)


def test_a_large_message_is_refused_whole_or_in_pieces(server):
    with Page(server) as page:
        page.send(b" " * (MOST_BYTES + 1))
        assert page.wait_for(8)[1][:2] == (1009).to_bytes(2, "big")
    with Page(server) as page:
        for k in range(3):
            page.send(b" " * (MOST_BYTES // 2), head=0x01 if k == 0 else 0x00)
        assert page.wait_for(8)[1][:2] == (1009).to_bytes(2, "big")


def test_a_message_in_pieces_with_a_ping_between(server):
    with Page(server) as page:
        page.send(b'{"type":"control",', head=0x01)
        page.send(b"?", head=0x89)
        assert page.wait_for(10) == (10, b"?")
        page.send(b'"name":"speed","value":4}', head=0x80)
        while page.message()[0].get("speed") != 4:
            pass
        assert server.session.speed == 4.0


def test_large_requests_are_refused(server):
    with socket.create_connection(("127.0.0.1", server.server_port), 5) as raw:
        raw.sendall(b"GET /" + b"x" * 70000 + b" HTTP/1.1\r\n\r\n")
        assert b" 414 " in raw.recv(4096)
    assert ask(server, "POST", f"/{server.token}/live", "x")[0] == 501


def test_frames_come_and_what_is_sent_acts(server):
    with Page(server) as page:
        kinds = []
        while "frame" not in kinds:
            kinds.append(page.message()[0]["type"])
        assert kinds.index("scene") < kinds.index("frame")
        page.send(json.dumps({"type": "control", "name": "speed", "value": 2}).encode())
        while page.message()[0].get("speed") != 2:
            pass
        assert server.session.speed == 2.0
        name = list(server.session.clients)[-1]
    end = time.monotonic() + 5
    while name in server.session.clients and time.monotonic() < end:
        time.sleep(0.02)
    assert name not in server.session.clients


def test_a_page_that_does_not_read_is_let_go():
    with serving("collision") as server, Page(server) as page:
        while page.message()[0]["type"] != "scene":
            pass
        end, blob = time.monotonic() + 10, "x" * 100000
        while server.session.clients and time.monotonic() < end:
            server.session.tell(note=blob)  # more than what may wait
            time.sleep(0.001)
        assert not server.session.clients


@pytest.mark.parametrize("name", play.names())
def test_every_scene_can_be_played(name):
    live = play.session(name)
    got = []
    live.connect("a", lambda message, data: got.append(message["type"]))
    for k in range(8):
        live.tick(k / 60)
    live.reset()
    live.tick(1.0)
    assert {"scene", "frame"} <= set(got)
    assert live.note == live._first_note  # no exception


@pytest.mark.parametrize(
    ("name", "key", "sign"), [("car", "ArrowRight", 1), ("platformer", "ArrowRight", 1)]
)
def test_keys_drive(name, key, sign):
    def travelled(pressed):
        live = play.session(name)
        live.connect("a", lambda message, data: None)
        if pressed:
            live.receive("a", {"type": "key", "key": key, "down": True})
        body = next(b for b in live.world.bodies if b.name == live.follow)
        start = float(body.position[0])
        for k in range(130):
            live.tick(k / 60)
        return float(body.position[0]) - start

    assert sign * travelled(True) > 2.0
    assert abs(travelled(False)) < 0.5


def test_the_ship_turns_thrusts_and_fires():
    live = play.session("asteroids")
    live.connect("a", lambda message, data: None)
    ship = next(b for b in live.world.bodies if b.name == "ship")
    for key in ("ArrowLeft", "ArrowUp", "x"):
        live.receive("a", {"type": "key", "key": key, "down": True})
    angle = ship.angle
    for k in range(30):
        live.tick(k / 60)
    assert ship.angle > angle + 0.2
    assert any(body.name == "shot" for body in live.world.bodies)


def test_an_unknown_name_names_the_nearest():
    with pytest.raises(SceneError, match="did you mean 'grabbing'"):
        play.session("grabing")
