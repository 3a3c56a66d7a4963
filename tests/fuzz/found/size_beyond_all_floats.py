"""OverflowError from TileMap"""

import copy, gc, pickle, weakref
import numpy as np
from pyphys2d import _core as core, geometry, mover, tiles, traces, trajectory
from hostile import *

v0 = tiles.TileMap([[]], size=10**400)
