"""The command line: ``demo``, ``run``, ``play``, ``replay``, ``scenes``, ``bench``, ``info``.

Exit codes: 0 done, 1 something failed on the way (an output that cannot be written, memory, a
replay that differs), 2 the call or the file is wrong, 130 interrupted. Errors are one line on the
error output.
"""

from __future__ import annotations

import argparse
import io
import platform
import sys
from collections.abc import Sequence
from importlib import metadata, util
from pathlib import Path
from time import perf_counter

import numpy as np

import pyphys2d
from pyphys2d import _core
from pyphys2d.cli_run import OutputError, show
from pyphys2d.scenes import DEFAULT, SCENES, SceneError, benchmark, build, load, source

MAX_STEPS = 10_000_000


def _step_count(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}") from None
    if not 1 <= value <= MAX_STEPS:
        raise argparse.ArgumentTypeError(f"must be from 1 to {MAX_STEPS}, got {value}")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pyphys2d", description="2D rigid-body physics: scenes, measurements, facts."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run_options = argparse.ArgumentParser(add_help=False)
    run_options.add_argument(
        "--steps", type=_step_count, help="steps to run (default: the scene's)"
    )
    run_options.add_argument(
        "--out", type=Path, default=Path(), help="folder for the files (default: the current one)"
    )

    demo = commands.add_parser(
        "demo",
        parents=[run_options],
        help="run a scene that ships with the library",
        description="Simulates a scene, prints a summary and writes NAME.npz, NAME.html"
        " (a page that plays it) and NAME.png.",
    )
    demo.add_argument("name", nargs="?", default=DEFAULT, help=f"scene (default: {DEFAULT})")
    demo.set_defaults(act=_demo)

    run = commands.add_parser(
        "run",
        parents=[run_options],
        help="run a scene file",
        description="Simulates a scene file (docs/scene-format.md) as demo does.",
    )
    run.add_argument("file", type=Path, metavar="SCENE.json")
    run.set_defaults(act=_run)

    play = commands.add_parser(
        "play",
        help="open a scene in the browser, to be grabbed and thrown",
        description="Opens a page on this machine that shows a demo (grabbing, normals, collision,"
        " tunneling), a scene of the library or a scene file, alive under the mouse. Ctrl-C ends"
        " it.",
    )
    play.add_argument("name", nargs="?", default="grabbing", help="default: grabbing")
    play.add_argument("--port", type=int, default=0, help="of the page (default: any free one)")
    play.add_argument(
        "--no-browser", action="store_true", help="only print the address of the page"
    )
    play.set_defaults(act=_play)

    again = commands.add_parser(
        "replay",
        help="repeat the run of a call log",
        description="Repeats the run of a call log (World.record_calls) and tells the first step"
        " that differs.",
    )
    again.add_argument("file", type=Path, metavar="FILE")
    again.add_argument("--workers", type=int, help="threads of a step (default: as in the log)")
    again.set_defaults(act=_replay)

    scenes = commands.add_parser(
        "scenes",
        help="list the scenes for demo and bench, or show the source of one",
        description="Lists the scenes for demo and bench.",
    )
    scenes.add_argument(
        "--source", metavar="NAME", help="print the source of this scene for demo instead"
    )
    scenes.set_defaults(act=_scenes)

    bench = commands.add_parser(
        "bench",
        help="time the benchmark scenes",
        description="Milliseconds per step on the benchmark scenes, this engine alone.",
    )
    bench.add_argument("names", nargs="*", metavar="SCENE", help="scenes (default: all)")
    bench.add_argument("--steps", type=_step_count, default=100, help="steps per scene (100)")
    bench.set_defaults(act=_bench)

    info = commands.add_parser("info", help="versions, SIMD path, build switches")
    info.set_defaults(act=_info)
    return parser


def _demo(options: argparse.Namespace) -> None:
    show(build(options.name), options.steps, options.out)


def _run(options: argparse.Namespace) -> None:
    # The outputs are named after the file: a name inside it could be any path.
    show(load(options.file), options.steps, options.out, stem=options.file.stem)


def _play(options: argparse.Namespace) -> None:
    from pyphys2d import play

    if not 0 <= options.port <= 65535:
        raise SceneError(f"port: must be from 0 to 65535, got {options.port}")
    try:
        play.play(options.name, port=options.port, browser=not options.no_browser)
    except OSError as error:
        raise OutputError(f"cannot serve the page: {error.strerror or error}") from error


def _replay(options: argparse.Namespace) -> None:
    from pyphys2d import _replay

    try:
        result = _replay.replay(options.file, workers=options.workers)
    except OSError as error:
        raise SceneError(f"{options.file}: {error.strerror or error}") from error
    except ValueError as error:
        raise SceneError(str(error)) from error
    print(result)
    if not result.same:
        raise OutputError(f"{options.file}: the replay differs")


def _scenes(options: argparse.Namespace) -> None:
    if options.source is not None:
        print(source(options.source), end="")
        return
    print("demo:")
    for entry in SCENES.values():
        print(f"  {entry.name:<14} {entry.description}")
    print("bench:")
    for name, make in benchmark.DESCRIPTIONS.items():
        print(f"  {name:<14} {(make.__doc__ or '').strip().rstrip('.')}")


def _bench(options: argparse.Namespace) -> None:
    known = benchmark.DESCRIPTIONS
    for name in options.names:
        if name not in known:
            raise SceneError(f"no benchmark scene {name!r} (known: {', '.join(known)})")
    print(f"{'scene':<14} {'bodies':>7} {'points':>7} {'steps':>6} {'ms/step':>9} {'steps/s':>9}")
    for name in options.names or known:
        description = known[name]()
        world = benchmark.build_world(description)
        start = perf_counter()
        benchmark.run(world, description, options.steps)
        ms = 1000 * (perf_counter() - start) / options.steps
        print(
            f"{name:<14} {description.body_count:>7} {len(world.contacts):>7} {options.steps:>6} "
            f"{ms:>9.3f} {1000 / ms:>9.0f}",
            flush=True,
        )


def _version(package: str, extra: str) -> str:
    if util.find_spec(package) is None:
        return f"not installed (extra {extra!r})"
    return metadata.version(package)


def _info(options: argparse.Namespace) -> None:
    simd = pyphys2d.simd
    switches = getattr(_core, "build_switches", "")
    print(f"pyphys2d: {pyphys2d.__version__}")
    print(f"python: {platform.python_version()} ({platform.system()} {platform.machine()})")
    print(f"numpy: {np.__version__}")
    print(f"simd: {simd.name} (available: {', '.join(simd.available)})")
    print(f"build switches: {switches or 'none'}")
    print(f"matplotlib: {_version('matplotlib', 'demo')}")
    print(f"tqdm: {_version('tqdm', 'demo')}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Examples
    --------
    >>> from pyphys2d.cli import main
    >>> main(["run", "no-such-file.json"])
    2
    """
    try:
        try:
            return _perform(arguments)
        finally:
            if sys.stdout is not None and not sys.stdout.closed:
                sys.stdout.flush()
    except SceneError as error:
        return _complain(str(error), 2)
    except OutputError as error:
        return _complain(str(error), 1)
    except MemoryError as error:
        return _complain(f"out of memory: {error}" if str(error) else "out of memory", 1)
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    except BrokenPipeError:
        # Whoever read our output has left.
        _drop_output()
        return 1
    except OSError as error:
        # Files have their own errors (OutputError): what is left is the standard output.
        _drop_output()
        return _complain(f"cannot write to standard output: {error.strerror or error}", 1)


def _perform(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    if sys.stdout is None or sys.stdout.closed:
        _drop_output()
        return _complain("cannot write to standard output: it is closed", 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names of scenes and files are shown as well as the terminal can.
        sys.stdout.reconfigure(errors="backslashreplace")
    options.act(options)
    return 0


def _drop_output() -> None:
    # What is still in its buffer cannot be written: without this the interpreter tries at exit, and
    # tells of the failure in its own words.
    sys.stdout = None


def _complain(message: str, code: int) -> int:
    if sys.stderr is None:
        return code
    try:
        print(f"error: {message}", file=sys.stderr, flush=True)
    except OSError:
        sys.stderr = None
    return code
