#!/usr/bin/env bash
# Builds the engine as a WebAssembly module with Debian's emscripten (apt-get install emscripten).
#   web/build.sh FOLDER            FOLDER/engine.wasm, with SIMD128 and scalar kernels
#   web/build.sh FOLDER FILE.c     FOLDER/FILE.wasm: a program of its own, for WASI
# SIMD=0: scalar kernels alone. JOBS: compilers side by side. Objects are kept in the folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$1 program=${2:-}
objects=$folder/objects
mkdir -p "$objects"
# No thread, no reserved memory; one rounding an operation, as everywhere.
options=(-std=c11 -D_GNU_SOURCE -O2 -DNDEBUG -DPH_THREADS=0 -DPH_NO_RESERVE -ffp-contract=off
    -fno-math-errno -Icsrc)
[ "${SIMD:-1}" = 0 ] || options+=(-msimd128)

# An object is made again when its source or any header is newer. The large ones first, and not those
# of other processors.
newest=$(find csrc -name '*.h' -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2)
find csrc/{base,math,geometry,broad,narrow,solve,world} -name '*.c' ! -name '*avx*' ! -name '*sse2*' \
    ! -name '*neon*' -printf '%s %p\n' | sort -rn | cut -d' ' -f2 |
    xargs -P "${JOBS:-$(nproc)}" -I{} bash -c '
        out=$0/$(tr / _ <<<"$1").o
        [[ "$out" -nt "$1" && "$out" -nt "$2" ]] || emcc "${@:3}" -c "$1" -o "$out"' \
        "$objects" {} "$newest" "${options[@]}"

link=(-sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=1MB)
if [ -n "$program" ]; then
    name=$(basename "$program" .c)
    emcc "${options[@]}" "${link[@]}" "$program" "$objects"/*.o -o "$folder/$name.wasm"
else
    exported=$(grep -oE '^EXPORT .*' web/engine.c | grep -oE '(engine|page)_\w+\(' | tr -d '(' | sed 's/^/_/' | paste -sd,)
    emcc "${options[@]}" "${link[@]}" --no-entry -sEXPORTED_FUNCTIONS="$exported" web/engine.c \
        "$objects"/*.o -o "$folder/engine.wasm"
fi
