"""Damages snapshots of worlds and looks at what is made of them.

    python tests/fuzz/damaged_snapshots.py --count 100000 --seed 0

Bits, cuts, swaps and numbers put in anywhere, with the checksums worked out anew, so that the
numbers themselves are what is looked at. A damaged snapshot is refused with SnapshotError (or for
memory), or is a world that can be stepped, asked and saved again.
"""

import argparse
import contextlib
import struct
import sys
import time
import zlib
from pathlib import Path

import numpy as np

import pyphys2d as p2

try:
    from pyphys2d import _testing
except ImportError:  # a build without it
    _testing = None

HEAD = struct.Struct("<8sIIQQQ")
INNER = 32  # bytes of the engine's head
SETTINGS, BODY, COLLIDER = 18 * 8 + 8 * 4 + 8 + 22 * 4, 31 * 8 + 4 * 4 + 16, 7 * 8 + 4 * 4 + 8
NUMBERS = [0, 1, 2, 3, 7, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]
FLOATS = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, np.nan, np.inf, -np.inf, 1e15, 2.0**53]


def fnv(data):
    """As csrc/base/hash.c has it."""
    if _testing is not None:  # in Python it takes most of the time
        return _testing.hash_bytes(data)
    value, size = 14695981039346656037, len(data) // 8 * 8
    for (word,) in struct.iter_unpack("<Q", data[:size]):
        value = ((value ^ word) * 1099511628211) & 0xFFFFFFFFFFFFFFFF
        value ^= value >> 32
    for byte in data[size:]:
        value = ((value ^ byte) * 1099511628211) & 0xFFFFFFFFFFFFFFFF
        value ^= value >> 32
    return value


def checksum(data):
    """Of four interleaved parts, and of them and the rest."""
    words = np.frombuffer(data, "<u8", len(data) // 32 * 4).reshape(-1, 4)
    parts = b"".join(struct.pack("<Q", fnv(words[:, k].tobytes())) for k in range(4))
    return fnv(parts + data[len(words) * 32 :])


def forge(data, state):
    """A snapshot with another state, whose checksums and sizes are right."""
    _, version, _, size, names, values = HEAD.unpack(data[: HEAD.size])
    rest = data[HEAD.size + size :]
    if len(state) >= INNER:
        head = state[:16] + struct.pack("<QQ", len(state), checksum(state[INNER:]))
        state = head + state[INNER:]
    head = HEAD.pack(b"PYPHYS2D", version, zlib.crc32(rest), len(state), names, values)
    return head + state + rest


def state_of(data):
    size = HEAD.unpack(data[: HEAD.size])[3]
    return data[HEAD.size : HEAD.size + size]


def damage(state, random):
    changed = bytearray(state)
    for _ in range(int(random.integers(1, 4))):
        kind, at = (
            int(random.integers(6)),
            int(random.integers(INNER, max(INNER + 1, len(changed)))),
        )
        if kind == 0:
            changed[at % len(changed)] ^= 1 << int(random.integers(8))
        elif kind == 1:
            at -= at % 4
            number = NUMBERS[int(random.integers(len(NUMBERS)))] & 0xFFFFFFFF
            changed[at : at + 4] = struct.pack("<I", number)
        elif kind == 2:
            at -= at % 8
            number = FLOATS[int(random.integers(len(FLOATS)))]
            changed[at : at + 8] = struct.pack("<d", number)
        elif kind == 3:
            del changed[at : at + int(random.integers(1, 65))]
        elif kind == 4:
            other = int(random.integers(INNER, len(changed)))
            size = int(random.integers(1, 65))
            changed[at : at + size] = changed[other : other + size]
        else:
            changed[at:at] = random.bytes(int(random.integers(1, 33)))
    return bytes(changed)


def pieces(data):
    """Places of pieces that a snapshot speaks of: those between the ones that live, too."""
    state = state_of(data)
    try:
        (version,) = struct.unpack_from("<I", state, 8)
        at = INNER + 18 * 8 + 8 * 4 + 8
        shapes, slots, bodies, limit, colliders = struct.unpack_from("<5I", state, at)
        at = INNER + SETTINGS
        while version > 1:  # sections
            tag, size, count = struct.unpack_from("<IIQ", state, at)
            at += 16 + size * count
            if tag == 0:
                break
        for _ in range(shapes):
            vertices, holes = struct.unpack_from("<II", state, at + 48)
            counts = struct.unpack_from(f"<{holes}Q", state, at + 56)
            at += 56 + 8 * holes + 16 * (vertices + sum(counts))
        at += 4 * slots + BODY * bodies + 4 * limit
        firsts = [struct.unpack_from("<I", state, at + COLLIDER * k + 64) for k in range(colliders)]
    except (struct.error, OverflowError):  # it ends early, and is refused for that
        return 0
    return max((first for (first,) in firsts), default=0)


def use(world):
    """What a user does with a world."""
    world.step(n=3)
    _ = world.contacts, world.contact(1), world.joint_state, world.events.contact_end, world.islands
    world.query_aabb((-5, -5), (5, 5))
    world.cast_ray((-50, 1), (100, 0))
    world.add_body(p2.Box(1, 1), (0, 3))
    if len(world.bodies) > 3:
        world.remove(next(iter(world.bodies)))
    world.step()
    world.snapshot()


def worlds():
    """Small ones, so that a hit is likely."""
    tests = Path(__file__).parents[1]
    sys.path[:0] = [str(tests / "world"), str(tests)]  # under pytest conftest.py does it
    import test_snapshots

    yield test_snapshots.everything()
    plain = p2.World()
    plain.add_body(p2.Box(9, 1), (0, -0.5), kind="static")
    plain.add_bodies(p2.Box(1, 1), [(0, 0.5 + k) for k in range(3)])
    plain.step(n=60)
    yield plain
    alike = p2.World()  # of several shapes and pieces each, with a gap
    alike.add_body(p2.Box(40, 1), (0, -0.5), kind="static")
    hook = p2.Polygon([(0, 0), (1, 0), (1, 1), (0.5, 0.2), (0, 1)])
    bodies = [alike.add_body([p2.Circle(0.2), hook], (1.5 * k - 8, 0.5)) for k in range(9)]
    alike.remove(bodies[5])
    alike.step(n=20)
    yield alike


def damaged(whole, random):
    return forge(whole, damage(state_of(whole), random))


def check(data, heirs=()):
    """Whether it is refused, or a world that can be used. heirs: others that take it over, too."""
    world = None
    with contextlib.suppress(p2.SnapshotError, MemoryError):
        world = p2.World.from_snapshot(data)
    for heir in heirs:
        before, taken = heir.hash(), False
        with contextlib.suppress(p2.SnapshotError, MemoryError):
            heir.restore(data)
            taken = True
        assert taken == (world is not None)
        assert heir.hash() == (world.hash() if world else before)
    if world is None:
        return "refused"
    with contextlib.suppress(ValueError, MemoryError):  # numbers that a step refuses
        use(world)
    return "loaded"


def fuzz(count, seed):
    """How many were refused and how many became worlds."""
    random = np.random.default_rng(seed)
    data = [world.snapshot(user_data=False) for world in worlds()]
    heir, own = p2.World(), [p2.World.from_snapshot(whole) for whole in data]
    refused = made = 0
    for k in range(count):
        whole, same = data[k % len(data)], own[k % len(data)]
        wrong = damaged(whole, random)
        begin = time.process_time()
        outcome = check(wrong, [heir, same])
        if outcome == "loaded":
            same.restore(whole)  # that it has the bodies of the next one
        if outcome == "refused":
            refused += 1
        else:
            made += 1
        assert time.process_time() - begin < 5, wrong
    return refused, made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    begin = time.perf_counter()
    refused, made = fuzz(options.count, options.seed)
    print(f"{refused} refused, {made} worlds, {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
