"""The fuzzer of files: some of its files, and that it finds what is planted."""

import json
import mmap
import random
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import files

from pyphys2d import _trajectory_files, npz
from pyphys2d.scenes import checks, loader, tables

PAGES = bytes(2**20)


def faults(folder, kind, count, most=1, seed=1):
    """What is found, up to so many, and how files came out."""
    found = []
    damaged = files.Files(folder, kind)
    with files.bounds():
        for number in range(count):
            if len(found) == most:
                break
            try:
                damaged.check(seed, number)
            except files.FaultError as fault:
                found.append(str(fault))
    return found, damaged.outcomes


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["scene", "archive"])
def test_damaged_files_are_refused_or_sound(kind, tmp_path):
    found, outcomes = faults(tmp_path, kind, 1000)
    assert found == []
    # Neither is rare: both ways are looked at.
    assert min(outcomes.values()) > 50
    assert len(outcomes) == 2


def test_lengths_with_zeros_before_them_are_refused(tmp_path):
    """What was found: `(4,05)`, which the archive was read with, and which numpy refuses."""
    members = files.members_of(files.trajectory())
    path = tmp_path / "small.npz"
    data, plain = members[b"angles.npy"], b"(4, 5), }"
    assert data.count(plain) == 1
    for shape, loads in ((b"(4, 5)", True), (b"(4,5)", True), (b"(4,05)", False)):
        header = (shape + b", }").ljust(len(plain))
        changed = members | {b"angles.npy": data.replace(plain, header)}
        path.write_bytes(files.packed(random.Random(0), list(changed.items())))
        assert (files.load(path) is not None) == loads


@pytest.mark.slow
@pytest.mark.skipif(files.SANITIZED, reason="sanitizers keep memory that is free")
@pytest.mark.parametrize("kind", ["scene", "archive", "stream", "calls", "snapshot"])
def test_damaged_files_take_no_more_than_twice_the_memory_of_honest_ones(kind, tmp_path):
    damaged = files.Files(tmp_path, kind, memory=True)
    with files.bounds():
        for number in range(100 if kind == "stream" else 500):
            damaged.check(2, number)
    assert sum(map(bool, damaged.most.values())) == 1
    assert max(damaged.most.values()) > 0.05


@pytest.mark.slow
@pytest.mark.skipif(files.SANITIZED, reason="sanitizers keep memory that is free")
def test_memory_for_what_a_file_has_not_is_a_fault(monkeypatch, tmp_path):
    """In Python's memory, and in the pages of the engine."""
    damaged = files.Files(tmp_path, "scene,snapshot", memory=True)
    monkeypatch.setitem(files.READERS, "json", lambda path: bytes(2**20))
    monkeypatch.setitem(files.READERS, "snapshot", lambda path: mmap.mmap(-1, 2**20).write(PAGES))
    for number in range(2):
        with pytest.raises(files.FaultError, match="bytes of memory for a file that needs"):
            damaged.check(1, number)


def test_damaged_call_logs_are_refused_or_sound(tmp_path):
    found, outcomes = faults(tmp_path, "calls", 400)
    assert found == []
    assert outcomes["calls refused"] > 100
    assert outcomes["calls differs"] > 20
    assert outcomes["calls same"] > 10


def test_the_same_number_is_the_same_file(tmp_path):
    one, other = files.Files(tmp_path), files.Files(tmp_path)
    assert all(one.make(3, number) == other.make(3, number) for number in range(100))
    assert one.make(3, 5) != one.make(4, 5)


def test_what_is_not_damaged_loads(tmp_path):
    for number, text in enumerate(files.TEXTS):
        path = tmp_path / f"{number}.json"
        path.write_text(text)
        assert files.check_scene(path, text.encode()) == "loaded"
    path = tmp_path / "small.npz"
    files.trajectory().save(path)
    assert files.check_archive(path, path.read_bytes()) == "loaded"


PLANTED = {
    "a check that meets a string": lambda patch: patch.setitem(
        tables.BODY, "friction", lambda value, path: abs(value)
    ),
    "long numbers": lambda patch: patch.setattr(loader, "_whole", int),
    "deep objects": lambda patch: patch.setattr(
        loader, "_parse", lambda text: json.loads(text, object_pairs_hook=dict)
    ),
    "another place": lambda patch: patch.setitem(
        tables.BODY, "position", lambda value, path: checks.POINT(value, path)[::-1]
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", PLANTED)
def test_faults_of_scenes_are_found(fault, monkeypatch, tmp_path):
    PLANTED[fault](monkeypatch)
    assert faults(tmp_path, "scene", 4000)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name", "other"),
    [
        (_trajectory_files, "check_shapes", lambda data: None),
        (_trajectory_files, "check_frames", lambda data: None),
        (npz, "MOST_SHOWN", 10**9),
        (npz, "HEADER", None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_faults_of_archives_are_found(module, name, other, monkeypatch, tmp_path):
    if name == "HEADER":  # a byte order that is passed over

        def blind(archive, *arguments):
            member = header(archive, *arguments)
            native = np.dtype(member.dtype.str.replace(">", "<"))
            object.__setattr__(member, "dtype", native)
            return member

        header = npz._header
        name, other = "_header", blind
    monkeypatch.setattr(module, name, other)
    assert faults(tmp_path, "archive", 6000)[0]


@pytest.mark.slow
def test_faults_of_blocks_are_found(monkeypatch, tmp_path):
    monkeypatch.setattr(_trajectory_files, "check_frames", lambda data: None)
    assert faults(tmp_path, "stream", 6000, seed=4)[0]  # which meets one early


def test_what_takes_for_ever_is_a_fault(monkeypatch, tmp_path):
    def endless(text):
        while True:
            pass

    monkeypatch.setattr(files, "SECONDS", 0.05)
    monkeypatch.setattr(loader, "_parse", endless)
    found, _ = faults(tmp_path, "scene", 2, most=2)
    assert len(found) == 2
    assert "more than 0.05 s" in found[0]
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


@pytest.mark.skipif(files.SANITIZED, reason="sanitizers end the process")
def test_what_takes_all_memory_is_a_fault(monkeypatch, tmp_path):
    monkeypatch.setattr(loader, "_parse", lambda text: bytes(2**31))
    assert "MemoryError" in faults(tmp_path, "scene", 1)[0][0]
