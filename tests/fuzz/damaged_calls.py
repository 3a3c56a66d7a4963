"""Call logs that are damaged under checksums that are right, or wrong; for `files`."""

from __future__ import annotations

import random
import struct
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

import pyphys2d as p2
from pyphys2d import _call_format

Damage = Callable[[random.Random, bytearray], bytearray]
ABSURD = [
    struct.pack("<d", value)
    for value in (np.nan, np.inf, -np.inf, -1.0, 1e308, 5e-324, -0.0, 1e15, 1e-9, 1e9)
] + [struct.pack("<Q", value) for value in (0, 1, 255, 2**31, 2**32 - 1, 2**63, 2**64 - 1)]


def log() -> bytes:
    """A log with records of every kind, in several blocks."""
    world = p2.World()
    world.add_body(p2.Box(9, 1), (0, -0.5), kind="static", name="floor")
    ball = world.add_body(p2.Circle(0.5), (0, 0.6), name="ball", pre_solve=True)
    world.on_pre_solve = lambda contacts: contacts["friction"].fill(0.25)
    world.pair_filter = lambda pairs: pairs["collider_b"] != 2
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.calls"
        with world.record_calls(path, flush=0, state_every=3):
            state = world.snapshot()
            for step in range(6):
                if step == 1:
                    box = world.add_body(p2.Box(1, 1), (3, 1), name="box")
                    hinge = world.add_revolute_joint(None, box, lower=-1, upper=1)
                    world.add_spring_law(hinge, lambda angle, rate: -3 * angle - rate)
                    world.add_fluid([(-5, 0.2), (5, 0.2)], density=1)
                    world.add_bodies([p2.Polygon([(0, 0), (1, 0), (0, 1)])], np.ones((2, 2)))
                if step == 2:
                    hinge.set_limits(-2, 2)
                    hinge.motor_speed = 1
                    box.apply_impulse((1, 2), point=(3, 1))
                    world.velocities[1] = (1, 0)
                if step == 4:
                    world.remove(ball)
                if step == 5:
                    world.restore(state)
                world.step()
        return path.read_bytes()


def blocks_of(data: bytes) -> list[bytes]:
    """The payloads."""
    found, at = [], len(_call_format.MAGIC)
    while at < len(data):
        length, _ = _call_format.BLOCK.unpack_from(data, at)
        at += _call_format.HEAD_SIZE
        found.append(data[at : at + length])
        at += length
    return found


def framed(payloads: list[bytes]) -> bytes:
    """A file of them, with checksums that are right."""
    data, check = bytearray(_call_format.MAGIC), 0
    for payload in payloads:
        body = zlib.crc32(payload, check)
        head = _call_format.BLOCK.pack(len(payload), body)
        data += head + _call_format.CHECK.pack(zlib.crc32(head, check)) + payload
        check = body
    return bytes(data)


def damaged(rng: random.Random, payloads: list[bytes], damage: Damage) -> bytes:
    changed = list(payloads)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        # The first block is a state, mostly, which has a fuzzer of its own.
        k = rng.randrange(1, len(changed)) if rng.random() < 0.9 else 0
        m = rng.randrange(len(changed))
        block = bytearray(changed[k])
        match rng.randrange(9):
            case 0:
                changed[k], changed[m] = changed[m], changed[k]
            case 1 if len(changed) > 2:
                del changed[k]
            case 2:
                changed.insert(k, changed[m])
            case 3 | 4 if len(block) > 8:
                at = rng.randrange(len(block) - 7)
                block[at : at + 8] = rng.choice(ABSURD)
                changed[k] = bytes(block)
            case 5 if block:
                at = rng.randrange(len(block))
                block[at] = rng.choice(b"NTFdisbltmahSCWPXLEB=_")
                changed[k] = bytes(block)
            case 6:
                return bytes(damage(rng, bytearray(framed(changed))))
            case _:
                changed[k] = bytes(damage(rng, block))
    return framed(changed)


def check(path: Path) -> tuple[str, str]:
    """A fault, and the outcome."""
    try:
        replay = p2.replay(path)
    except p2.CallLogError as error:
        message = str(error)
        bad = "\n" in message or len(message) > 500
        return (f"the message {message[:1000]!r}" if bad else ""), "refused"
    if len(str(replay)) > 10_000:
        return "a replay that is told at length", ""
    try:
        replay.world.step()
    except ValueError:
        return ("" if not replay.same else "a world that does not step"), "differs"
    moved = np.isfinite(replay.world.positions[replay.world.alive]).all()
    return ("" if moved else "positions that are not finite"), "same" if replay.same else "differs"
