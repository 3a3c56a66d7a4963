"""Makes what an extension for Windows is compiled and linked with, where there is no Windows.

    windows_python.py FOLDER COMPILER...

Python's headers are the same on all systems, but for ``pyconfig.h``: FOLDER/include has copies of
this Python's with one of Windows (x86-64). FOLDER/libs has an import library with every name that
these headers declare as exported, and with no other.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

# What Python's headers ask of the machine: LLP64, a C99 compiler, functions imported from a DLL.
CONFIG = """
#ifndef Py_CONFIG_H
#define Py_CONFIG_H
#define MS_WINDOWS
#define MS_WIN32
#define MS_WIN64
#define NT_THREADS
#define WITH_THREAD 1
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL 1
#define STDC_HEADERS 1
#define HAVE_STDDEF_H 1
#define HAVE_STDINT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_ERRNO_H 1
#define HAVE_STRFTIME 1
#define HAVE_LONG_LONG 1
#define HAVE_PROTOTYPES 1
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_TIME_T 8
#define SIZEOF_OFF_T 4
#define SIZEOF_FPOS_T 8
#define SIZEOF_HKEY 8
#define SIZEOF_PID_T 4
#define ALIGNOF_SIZE_T 8
#define ALIGNOF_MAX_ALIGN_T 8
#define PY_FORMAT_SIZE_T "z"
#define PLATLIBDIR "lib"
typedef long long Py_ssize_t;
#define HAVE_SSIZE_T 1
#define HAVE_PY_SSIZE_T 1
#define PY_SSIZE_T_MAX 0x7fffffffffffffffLL
#endif
"""

folder, compiler = Path(sys.argv[1]).resolve(), sys.argv[2:]
include, libs = folder / "include", folder / "libs"
shutil.copytree(sysconfig.get_path("include"), include)
(include / "pyconfig.h").write_text(CONFIG)
libs.mkdir()

program = folder / "names.c"
program.write_text("#define PY_SSIZE_T_CLEAN\n#include <Python.h>\n#include <structmember.h>\n")
text = subprocess.run(
    [*compiler, f"-I{include}", "-E", "-P", str(program)],
    check=True,
    capture_output=True,
    text=True,
).stdout
# Functions, then data; a declaration ends with its semicolon.
declared = re.findall(r"__(?:declspec\(|attribute__\(\()dllimport\)+([^;{]*)[;{]", text)
functions, data = set(), set()
for words in declared:
    if found := re.search(r"\b(_?Py\w*)\s*\(", words):
        functions.add(found[1])
    elif found := re.search(r"\b(_?Py\w*)\s*(\[[^]]*\])?\s*$", words):
        data.add(found[1])
version = f"python{sys.version_info[0]}{sys.version_info[1]}"
exports = sorted(functions) + sorted(f"{name} DATA" for name in data)
definition = libs / f"{version}.def"
definition.write_text(f"LIBRARY {version}.dll\nEXPORTS\n" + "\n".join(exports) + "\n")
library = ["-d", str(definition), "-l", str(libs / f"lib{version}.a")]
zig = compiler[: compiler.index("cc")]
subprocess.run([*zig, "dlltool", "-m", "i386:x86-64", *library], check=True)
print(f"  {len(functions)} functions and {len(data)} variables of {version}.dll")
