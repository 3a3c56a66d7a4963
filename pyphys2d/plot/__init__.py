"""Pictures of worlds with Matplotlib (extra ``plot``)."""

# First, so that its message is the one seen when Matplotlib is missing.
from pyphys2d.plot import _matplotlib as _matplotlib
from pyphys2d.plot._world import world

__all__ = ["world"]
