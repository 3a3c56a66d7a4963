"""A world makes the same bits whatever computes it: by every instruction set of the machine, with
any number of workers and every broad phase.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pyphys2d as p2

BROAD_PHASES: tuple[Mapping[str, Any], ...] = ({"broadphase": "tree"}, {"broadphase": "all_pairs"})


def check_same_bits(
    run: Callable[..., p2.World],
    workers: Iterable[int] = (1,),
    others: Iterable[Mapping[str, Any]] = (),
) -> None:
    """`run` makes a world with the options it is given, steps and returns it: by every instruction
    set with each number of workers, then once with each of `others`. All must have one hash.
    """
    hashes = {}
    try:
        for simd in p2.simd.available:
            p2._core._set_simd(simd)
            for number in workers:
                hashes[simd, number] = run(workers=number).hash()
    finally:
        p2._core._set_simd(None)
    for options in others:
        hashes[str(options)] = run(**options).hash()
    assert len(set(hashes.values())) == 1, hashes
