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
from pyphys2d.play.server import MOST_BODY, PlayServer
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
    body = json.dumps([])
    found = ask(
        server,
        "POST",
        f"/{server.token}/send",
        body,
        Origin="http://evil.example",
        X_Token=server.token,
    )
    assert found[0] == 403


def test_requests_need_the_token_in_a_header_too(server):
    assert ask(server, "GET", f"/{server.token}/stream")[0] == 403
    assert ask(server, "POST", f"/{server.token}/send", "[]")[0] == 403
    assert ask(server, "POST", f"/{server.token}/send", "[]", X_Token="é".encode())[0] == 403


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"{}", b"[1]", b'[{"type":"no"}]', b"\xff", b"[" * 5000, b"[null]" + b" " * 60000],
)
def test_malformed_messages_are_refused(server, body):
    # Someone listens, so that messages are looked at.
    server.session.connect("listener", lambda message, data: None)
    path = f"/{server.token}/send"
    status, _, _ = ask(server, "POST", path, body, X_Token=server.token, X_Client="listener")
    assert status == 400


def test_large_and_endless_requests_are_refused(server):
    path = f"/{server.token}/send"
    assert ask(server, "POST", path, b"x" * (MOST_BODY + 1), X_Token=server.token)[0] == 413
    with socket.create_connection(("127.0.0.1", server.server_port), 5) as raw:
        head = f"POST {path} HTTP/1.1\r\nHost: {server.hosts[0]}\r\nX-Token: {server.token}\r\n"
        raw.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        assert b" 411 " in raw.recv(4096)


def read_message(answer):
    head = answer.read(8)
    text, data = struct.unpack("<II", head)
    return json.loads(answer.read(text)), answer.read(data)


def test_frames_stream_and_what_is_sent_acts(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
    headers = {"X-Token": server.token, "X-Client": "c"}
    connection.request("GET", f"/{server.token}/stream", headers=headers)
    answer = connection.getresponse()
    kinds = []
    while "frame" not in kinds:
        message, _ = read_message(answer)
        kinds.append(message["type"])
    assert kinds.index("scene") < kinds.index("frame")
    body = json.dumps([{"type": "control", "name": "speed", "value": 2}])
    found = ask(server, "POST", f"/{server.token}/send", body, X_Token=server.token, X_Client="c")
    assert found[0] == 200
    assert server.session.speed == 2.0
    connection.close()
    answer.close()
    end = time.monotonic() + 5
    while "c" in server.session.clients and time.monotonic() < end:
        server.session.world.bodies[4].position = (0, 5 + 0.1 * (time.monotonic() % 1))
        time.sleep(0.05)
    assert "c" not in server.session.clients


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
