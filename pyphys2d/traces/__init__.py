"""Algorithms with their working shown: the numbers of each stage, and a picture of them.

Everything here is recorded by the functions that the engine itself runs. Import the names from
:mod:`pyphys2d.geometry`.
"""

from pyphys2d.traces._clip import ClipTrace, clip
from pyphys2d.traces._gjk import GjkTrace, gjk
from pyphys2d.traces._hull import HullTrace, hull_trace
from pyphys2d.traces._sat import SatTrace, sat
from pyphys2d.traces._toi import ToiTrace, toi

__all__ = [
    "ClipTrace",
    "GjkTrace",
    "HullTrace",
    "SatTrace",
    "ToiTrace",
    "clip",
    "gjk",
    "hull_trace",
    "sat",
    "toi",
]
