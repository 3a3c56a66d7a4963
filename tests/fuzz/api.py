"""Random calls of everything public, with hostile arguments and failing allocations.

    python tests/fuzz/api.py --calls 100000 --seed 1
    python tests/fuzz/api.py --minutes 120 --seed 7 --jobs 2
    python tests/fuzz/api.py --replay tests/fuzz/found/some.py

What there is to call is read from the stubs (catalogue.py). A program of some 250 lines is written
while it runs, and runs again, each time a little changed (generate.py); the machine looks whether
what no call may break still holds (machine.py): a call that raised has left the worlds as they
were; only documented errors come out; none takes long; at the end nothing is left behind. Programs
run in child processes, so that crashes, hangs and the reports of sanitizers are found, too. A
program with a fault is made small (reduce.py), printed, and kept in tests/fuzz/found/, which the
tests replay.
"""

import argparse
import contextlib
import mmap
import os
import random
import re
import resource
import selectors
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
if __name__ == "__main__" and list((ROOT / "pyphys2d").glob("_core.*.so")):
    sys.path.insert(0, str(ROOT))  # a build beside the sources is what is meant

import generate  # noqa: E402
import machine  # noqa: E402
from catalogue import Entry  # noqa: E402
from reduce import reduced  # noqa: E402

FOUND = Path(__file__).parent / "found"
PROGRAMS = 4  # of a child process
WATCH = 20.0 * min(machine.SLOWER, 6)  # s, of a child's silence
MEMORY = 6 << 30  # bytes of address space of a child; a sanitizer needs more
JOURNAL = 1 << 20  # bytes
TRIALS = 1500  # of one reduction

_REPORT = re.compile(r"SUMMARY: (\w+): (\S+) .*?([\w.]+:\d+)|(runtime error): (.*)")


@dataclass
class Child:
    """A process that runs programs, and what it says about them."""

    pid: int
    pipe: int
    folder: tempfile.TemporaryDirectory[str]
    heard: float = field(default_factory=time.monotonic)
    text: str = ""
    ended: bool = False

    def journal(self) -> list[str]:
        """The lines of its last program, the last of which it did not survive."""
        written = (Path(self.folder.name) / "journal").read_bytes().partition(b"\0")[0]
        return written.decode(errors="replace").splitlines()

    def complaint(self) -> str:
        return (Path(self.folder.name) / "stderr").read_text(errors="replace")

    def close(self) -> int:
        """Its exit status; it is killed when it has not ended."""
        if not self.ended:
            os.kill(self.pid, signal.SIGKILL)
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.pipe)
        return status


class Journal:
    """The lines of the program that runs, in memory that outlives the process."""

    def __init__(self, path: str) -> None:
        with open(path, "wb+") as file:
            file.truncate(JOURNAL)
            self.memory = mmap.mmap(file.fileno(), JOURNAL)
        self.end = 0

    def note(self, text: str) -> None:
        line = text.encode(errors="backslashreplace") + b"\n\0"
        if self.end + len(line) <= JOURNAL:
            self.memory[self.end : self.end + len(line)] = line
            self.end += len(line) - 1

    def begin(self) -> None:
        """Another program."""
        self.memory[0] = self.end = 0


def start(work: Callable[[Callable[[str], object], Journal], object]) -> Child:
    """Forks a child that calls work(say, journal): say is heard by the parent."""
    folder = tempfile.TemporaryDirectory(prefix="pyphys2d-fuzz.")
    reading, writing = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        os.close(writing)
        return Child(pid, reading, folder)
    status = 1
    try:
        os.close(reading)
        errors = os.open(f"{folder.name}/stderr", os.O_WRONLY | os.O_CREAT)
        os.dup2(errors, 2)
        if machine.SLOWER == 1:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(folder.name)

        def say(text: str) -> None:
            os.write(writing, text.replace("\n", "\x00").encode(errors="replace") + b"\n")

        machine.prepare()
        work(say, Journal(f"{folder.name}/journal"))
        say("end")
        status = 0
    except BaseException as error:
        os.write(2, repr(error).encode())
    finally:
        os._exit(status)


def listen(children: dict[int, Child], seconds: float) -> list[tuple[Child, str]]:
    """What they say meanwhile; an empty line for one that has ended or has been silent."""
    heard: list[tuple[Child, str]] = []
    with selectors.DefaultSelector() as selector:
        for pipe in children:
            selector.register(pipe, selectors.EVENT_READ)
        for key, _ in selector.select(seconds):
            child = children[key.fd]
            data = os.read(key.fd, 1 << 16)
            child.heard = time.monotonic()
            child.text += data.decode(errors="replace")
            *lines, child.text = child.text.split("\n")
            heard += [(child, line.replace("\x00", "\n")) for line in lines]
            if not data:
                child.ended = True
                heard.append((child, ""))
    for child in children.values():
        if time.monotonic() - child.heard > WATCH:
            heard.append((child, ""))
    return heard


def ending(child: Child, status: int, line: str) -> tuple[str, str]:
    """How a process ended that should not have, in short and at length."""
    complaint = child.complaint()
    found = _REPORT.search(complaint)
    if found:
        short = " ".join(part for part in found.groups() if part)
        return short, complaint
    if not child.ended:
        return f"{machine.callee(line)} hangs", f"silent for {WATCH} s"
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return f"{name} in {machine.callee(line)}", complaint
    return f"exit status {os.waitstatus_to_exitcode(status)}", complaint


def sign_of(lines: Sequence[str], extra: dict[str, Any] | None = None) -> tuple[str, str]:
    """The fault that a program has, run in a child: in short, and at length; empty: none."""

    def work(say: Callable[[str], object], journal: Journal) -> None:
        def told() -> Any:
            for line in lines:
                journal.note(line)
                yield line

        try:
            machine.run_program(told(), extra)
        except machine.FaultError as fault:
            say(f"fault {fault.sign}\n{fault.text}")

    child = start(work)
    found: tuple[str, str] | None = None
    with child.folder:
        while found is None:
            for _, text in listen({child.pipe: child}, WATCH):
                if text.startswith("fault "):
                    short, _, rest = text[6:].partition("\n")
                    found = short, rest
                elif text == "end":
                    found = found or ("", "")
                elif not text and found is None:
                    journal = child.journal()
                    return ending(child, child.close(), journal[-1] if journal else "")
        child.ended = False  # or just about to
        child.close()
    return found


@dataclass
class Campaign:
    """Programs from a seed on, and the faults that they had."""

    seed: int
    entries: Sequence[Entry] = tuple(generate.ENTRIES)
    extra: dict[str, Any] | None = None
    found: Path | None = FOUND
    times: int = 24  # that a program runs, each time a little changed
    programs: int = PROGRAMS
    calls: int = 0
    refused: int = 0
    failing: int = 0
    chunks: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    small: dict[str, list[str]] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)

    def work(self, number: int) -> Callable[..., object]:
        """What a child does."""

        def run(say: Callable[[str], object], journal: Journal) -> None:
            rng = random.Random(f"{self.seed} {number}")
            tried: dict[str, int] = {}
            for _ in range(self.programs):
                box = machine.Machine(self.extra)
                writer = generate.Generator(rng, box, self.entries, tried)
                program: list[machine.Line] = []
                for run_before in range(self.times):
                    box.strict = not run_before
                    lines = writer.lines_again(program) if run_before else writer.lines()
                    program, sound = self.once(say, journal, writer, lines)
                    if not sound:
                        break
            say("tried " + " ".join(tried))

        return run

    def once(
        self,
        say: Callable[[str], object],
        journal: Journal,
        writer: generate.Generator,
        lines: Iterator[machine.Line],
    ) -> tuple[list[machine.Line], bool]:
        """Runs a program; what it was, and whether it had no fault."""
        box, sound = writer.machine, True
        journal.begin()
        program: list[machine.Line] = []
        texts: list[str] = []
        skipped = refused = failing = 0
        try:
            for line in lines:
                arm = writer.arm(line)
                text = line.failing(arm) if arm else line.text
                program.append(line)
                texts.append(text)
                journal.note(text)
                box.do(line, arm)
                if box.skipped:
                    skipped += 1
                else:
                    refused += box.refused is not None
                    failing += arm is not None
            writer.forget()
            box.end()
        except machine.FaultError as fault:
            say("\n".join([f"fault {fault.sign}", fault.text, "\x01", *texts]))
            sound = False
        writer.forget()
        box.drop()
        say(f"calls {len(texts) - skipped} {refused} {failing}")
        return program, sound

    def fault(self, sign: str, text: str, lines: list[str]) -> None:
        """Reports one; the first of its kind is made small."""
        self.faults[sign] = self.faults.get(sign, 0) + 1
        if self.faults[sign] > 1:
            return
        print(f"--- {sign}\n{text.strip()[-4000:]}", flush=True)
        seen, _ = sign_of(lines, self.extra)  # where a look after each line may tell more
        if seen != sign:
            print(f"--- run again, its program gives {seen or 'nothing'!r}")
        if seen:
            lines = reduced(lines, lambda each: sign_of(each, self.extra)[0] == seen, TRIALS)
        self.small[sign] = lines
        program = written(sign, lines)
        print(program, flush=True)
        if self.found is not None:
            self.found.mkdir(exist_ok=True)
            name = re.sub(r"\W+", "_", sign).strip("_").lower()[:60]
            (self.found / f"{name}.py").write_text(program)

    def run(self, calls: int = 0, seconds: float = 0.0, jobs: int = 1) -> int:
        """Until so many calls are made, or so much time has passed; how many faults."""
        end = time.monotonic() + seconds
        children: dict[int, Child] = {}
        while True:
            more = time.monotonic() < end if seconds else self.calls < calls
            while more and len(children) < jobs:
                child = start(self.work(self.chunks))
                self.chunks += 1
                children[child.pipe] = child
            if not children:
                return sum(self.faults.values())
            for child, text in listen(children, 1.0):
                self.hear(children, child, text)

    def hear(self, children: dict[int, Child], child: Child, text: str) -> None:
        word, _, rest = text.partition(" ")
        if word == "calls":
            made, refused, failing = map(int, rest.split())
            self.calls += made
            self.refused += refused
            self.failing += failing
        elif word == "tried":
            self.tried.update(rest.split())
        elif word == "fault":
            rest, _, program = rest.partition("\n\x01\n")
            sign, _, text = rest.partition("\n")
            self.fault(sign, text, program.splitlines())
            for each in children.values():  # they were not asked meanwhile
                each.heard = time.monotonic()
        elif word == "end":
            child.ended = True
            del children[child.pipe]
            child.close()
            child.folder.cleanup()
        elif not text and child.pipe in children:
            del children[child.pipe]
            status, lines = child.close(), child.journal()
            self.calls += len(lines)
            sign, complaint = ending(child, status, lines[-1] if lines else "")
            self.fault(sign, complaint, lines)
            child.folder.cleanup()


def written(sign: str, lines: Sequence[str]) -> str:
    """A program as a file that runs by itself."""
    quoted = sign.replace("\\", "\\\\").replace('"', "'")
    return f'"""{quoted}"""\n\n{machine.PREAMBLE}\n' + "\n".join(lines) + "\n"


def replay(path: Path) -> tuple[str, str]:
    """The fault that a kept program has today."""
    return sign_of(machine.lines_of(path.read_text()))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=0.0, help="instead of a number of calls")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--found", type=Path, default=FOUND, help="where programs are kept")
    parser.add_argument("--replay", type=Path)
    options = parser.parse_args()
    if options.replay:
        sign, text = replay(options.replay)
        print(f"{sign}\n{text}" if sign else "no fault")
        return 1 if sign else 0
    began = time.monotonic()
    campaign = Campaign(options.seed, found=options.found)
    with contextlib.suppress(KeyboardInterrupt):
        campaign.run(options.calls, 60 * options.minutes, options.jobs)
    seconds = time.monotonic() - began
    print(
        f"{campaign.calls} calls from seed {options.seed}, {campaign.failing} with failing "
        f"allocations, {campaign.refused} refused: {sum(campaign.faults.values())} faults of "
        f"{len(campaign.faults)} kinds, {seconds:.0f} s, {campaign.calls / seconds:.0f} calls/s"
    )
    for sign, count in sorted(campaign.faults.items()):
        print(f"{count:6} {sign}")
    return 1 if campaign.faults else 0


if __name__ == "__main__":
    sys.exit(main())
