"""The one place that looks for Matplotlib, so that its absence has one message."""

from __future__ import annotations

try:
    import matplotlib as matplotlib
except ImportError as error:
    raise ImportError(
        "pyphys2d.plot needs Matplotlib (the extra 'plot'): pip install 'pyphys2d[plot]'"
    ) from error
