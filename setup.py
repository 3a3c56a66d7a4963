"""Builds the extension ``pyphys2d._core`` from ``csrc/`` and, on request, ``pyphys2d._testing``.

Build switches are environment variables, on when set to anything but the empty string or 0:

PYPHYS2D_TESTING     also build ``pyphys2d._testing`` (engine internals for the tests)
PYPHYS2D_SANITIZE    AddressSanitizer and UndefinedBehaviorSanitizer
PYPHYS2D_COVERAGE    gcov counters
PYPHYS2D_DEBUG       the engine's own checks (``PH_DEBUG``), assertions on
PYPHYS2D_NO_THREADS  one worker only, no thread library
PYPHYS2D_NO_RESERVE  growable arrays instead of one reserved mapping per world
PYPHYS2D_WERROR      the full list of warnings, as errors

Two more have numbers: PYPHYS2D_JOBS, of compilers side by side, and PYPHYS2D_PRECOMPILE, 0 for no
precompiled headers, which caches of compilers do not see through.

The sources want gcc or clang: lanes are vectors of theirs. For Windows it is clang, because there
gcc does not align the stack for AVX.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sysconfig
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ENGINE = ("base", "math", "geometry", "broad", "narrow", "solve", "world")
SWITCHES = ("TESTING", "SANITIZE", "COVERAGE", "DEBUG", "NO_THREADS", "NO_RESERVE", "WERROR")

# Units for one instruction set: under the sanitizers gcc takes minutes for some. Those for any
# machine have the same sources, and are watched.
UNWATCHED = re.compile(r"_(sse2|avx2|avx512vl|neon)\.c$")

# Short files with much code: they include it, for an instruction set each.
KERNELS = re.compile(r"/(lane|kernels|articulations|joint_units)_\w+\.c$")

# How GCC is to build some units, for which -O3 alone takes up to twice as long. Of what -O2 and -O3
# add, kernels of the narrow phase need the unrolling of short loops (-fpeel-loops) and little else,
# because they are in lanes already and say what is inlined. Not those of the solver: so built, they
# have hardly more instructions, but take 4 to 9 % more time.
GCC_LEVELS = (
    (r"/lane_\w+\.c$", ["-O1", "-fpeel-loops", "-ftree-loop-vectorize", "-fgcse", "-fipa-ra"]),
    (r"/python/(?!elementwise)\w+\.c$", ["-O1"]),
)

# A header that nearly all units of a folder include, which GCC reads once. No bit of what is built
# changes by it.
PRECOMPILED = {
    "geometry": "geometry/build.h",
    "python": "python/core.h",
    "solve": "solve/joint_solve.h",
    "world": "world/internal.h",
}
# It tells NumPy's headers something before it includes them.
NOT_PRECOMPILED = "csrc/python/module.c"

# No fused multiply-add and no value-changing options: every machine computes the same bits.
STRICT_BITS = ["-ffp-contract=off", "-fno-math-errno"]
# GCC remarks on how lanes would be passed to functions; all of those are inlined.
WARNINGS = ["-Wall", "-Wextra", "-Wno-psabi"]
MORE_WARNINGS = [
    "-Wshadow",
    "-Wconversion",
    "-Wstrict-prototypes",
    "-Wmissing-prototypes",
    "-Wundef",
    "-Wvla",
    "-Werror",
]


def switches() -> list[str]:
    return [s for s in SWITCHES if os.environ.get(f"PYPHYS2D_{s}", "0") not in ("", "0")]


def sources(*folders: str) -> list[str]:
    found = (path for folder in folders for path in Path("csrc", folder).rglob("*.c"))
    return sorted(path.as_posix() for path in found)


def headers() -> list[str]:
    return sorted(path.as_posix() for path in Path("csrc").rglob("*.h"))


def size_of(file: str) -> int:
    return Path(file).stat().st_size


def is_gcc(compiler: list[str]) -> bool:
    """Whether a compiler says that it is GCC; False where it cannot be asked."""
    command = [*compiler, "-E", "-dM", "-x", "c", os.devnull]
    try:
        macros = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    return "__GNUC__" in macros and "__clang__" not in macros


def own_args(file: str, gcc: bool) -> list[str]:
    """The arguments for one unit that others do not have."""
    if "SANITIZE" in switches():
        return ["-fno-sanitize=all"] if UNWATCHED.search(file) else []
    if not gcc or "COVERAGE" in switches():
        return []
    return next((args for names, args in GCC_LEVELS if re.search(names, file)), [])


def extension(name: str, files: list[str]) -> Extension:
    on = switches()
    compile_args = ["-std=c11", "-D_GNU_SOURCE", "-fvisibility=hidden", *STRICT_BITS, *WARNINGS]
    link_args: list[str] = []
    macros: list[tuple[str, str | None]] = [
        ("PH_BUILD_SWITCHES", '"' + " ".join(s.lower() for s in on) + '"'),
    ]
    undefine: list[str] = []
    if "SANITIZE" in on:
        # A number that is cast out of range is not among the undefined by default.
        kinds = "undefined,float-cast-overflow"
        sanitizers = [f"-fsanitize=address,{kinds}", f"-fno-sanitize-recover={kinds}"]
        # Python's own flags have signed integers wrap around, which would hide that they do.
        compile_args += ["-O1", "-g", "-fno-omit-frame-pointer", "-fno-wrapv", *sanitizers]
        link_args += sanitizers
    elif "COVERAGE" in on:
        compile_args += ["-O0", "-g", "--coverage"]
        link_args += ["--coverage"]
    else:
        # Python's own flags ask for debug information, which doubles the time that kernels take.
        compile_args += ["-O3"] if "DEBUG" in on else ["-O3", "-g0"]
    if "DEBUG" in on:
        macros.append(("PH_DEBUG", "1"))
        undefine.append("NDEBUG")
    if "NO_THREADS" in on:
        macros.append(("PH_THREADS", "0"))
    else:
        compile_args.append("-pthread")
        link_args.append("-pthread")
    if "NO_RESERVE" in on:
        macros.append(("PH_NO_RESERVE", "1"))
    if "WERROR" in on:
        # A folder named by -isystem counts as one even when it is also named by -I, so the
        # warnings are about the engine and not about the headers of Python and NumPy.
        system = {sysconfig.get_path("include"), sysconfig.get_path("platinclude")}
        compile_args += MORE_WARNINGS
        for folder in sorted(system | {numpy.get_include()}):
            compile_args += ["-isystem", folder]
    return Extension(
        name,
        files,
        include_dirs=["csrc", numpy.get_include()],
        define_macros=macros,
        undef_macros=undefine,
        extra_compile_args=compile_args,
        extra_link_args=link_args,
        libraries=["m"],
        depends=[*headers(), "setup.py"],
    )


class BuildExt(build_ext):
    """Compiles the files of an extension side by side; rebuilds when the switches change.

    What was built is also put beside the sources: in a checkout ``python -m pyphys2d`` and
    ``python -m pytest`` find the package in the current folder before the installed one.
    """

    def build_extensions(self) -> None:
        stamp = Path(self.build_temp, "switches.txt")
        wanted = " ".join(switches())
        if not stamp.is_file() or stamp.read_text() != wanted:
            self.force = True
        compile_files = self.compiler.compile
        workers = int(os.environ.get("PYPHYS2D_JOBS", 0)) or min(os.cpu_count() or 1, 8)
        gcc = is_gcc(getattr(self.compiler, "compiler_so", []))
        start = time.monotonic()

        done: dict[str, list[str]] = {}  # both extensions have the engine's files, with equal flags
        precompiled: dict[str, list[str]] = {}

        def compile_one(file: str, *args: Any, **kwargs: Any) -> list[str]:
            if file not in done:
                folder, own = Path(file).parent.name, own_args(file, gcc)
                # Only with equal arguments is the header the same.
                if file != NOT_PRECOMPILED and own == own_args(f"/{folder}/any.c", gcc):
                    own = [*own, *precompiled.get(folder, [])]
                kwargs["extra_postargs"] = [*kwargs["extra_postargs"], *own]
                done[file] = compile_files([file], *args, **kwargs)
            return done[file]

        def compile_in_parallel(files: list[str], *args: Any, **kwargs: Any) -> list[str]:
            ended = itertools.count(1)

            def precompile(folder: str) -> str:
                return self.precompile(folder, compile_files, *args, **kwargs)

            def compile_and_tell(file: str) -> list[str]:
                objects = compile_one(file, *args, **kwargs)
                if self.verbose:
                    seconds = time.monotonic() - start
                    print(f"[{next(ended)}/{len(files)}] {seconds:3.0f} s  {file}", flush=True)
                return objects

            # The longest first, or the last one keeps a single processor busy.
            order = sorted(files, key=lambda file: (not KERNELS.search(file), -size_of(file)))
            with ThreadPoolExecutor(workers) as pool:
                if gcc and not precompiled and os.environ.get("PYPHYS2D_PRECOMPILE") != "0":
                    found = pool.map(precompile, PRECOMPILED)
                    includes = (["-include", file] for file in found)
                    precompiled.update(zip(PRECOMPILED, includes, strict=True))
                parts = dict(zip(order, pool.map(compile_and_tell, order), strict=True))
            return [name for file in files for name in parts[file]]

        self.compiler.compile = compile_in_parallel
        super().build_extensions()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(wanted)
        if not self.inplace:
            for ext in self.extensions:
                self.copy_beside_sources(Path(self.get_ext_fullpath(ext.name)))

    def precompile(
        self, folder: str, compile_files: Callable[..., list[str]], *args: Any, **kwargs: Any
    ) -> str:
        """What units of a folder include first. Where it suits no unit, GCC reads the header."""
        file = Path(self.build_temp, "precompiled", f"{folder}.h")
        file.parent.mkdir(parents=True, exist_ok=True)
        source = file.with_suffix(".c")
        for path in (file, source):
            path.write_text(f'#include "{PRECOMPILED[folder]}"\n')
        kwargs["extra_preargs"] = ["-x", "c-header"]
        kwargs["extra_postargs"] = [
            *kwargs["extra_postargs"],
            *own_args(f"/{folder}/any.c", gcc=True),
        ]
        (made,) = compile_files([source.as_posix()], *args, **kwargs)
        os.replace(made, f"{file}.gch")
        return file.as_posix()

    def copy_beside_sources(self, built: Path) -> None:
        target = Path("pyphys2d", built.name)
        new = target.with_suffix(".new")
        try:
            shutil.copyfile(built, new)
            # Renamed, not overwritten: a running process may have the old file mapped.
            os.replace(new, target)
        except OSError as error:
            self.warn(f"{target} was not written: {error}")


extensions = [extension("pyphys2d._core", sources(*ENGINE, "python"))]
if "TESTING" in switches():
    extensions.append(extension("pyphys2d._testing", sources(*ENGINE, "testing")))

setup(ext_modules=extensions, cmdclass={"build_ext": BuildExt})
