"""RuntimeError from cast_ray"""

import copy, gc, pickle, weakref
import numpy as np
from pyphys2d import _core as core, geometry, mover, tiles, traces, trajectory
from hostile import *

v0 = tiles.TileMap([[]])
v1 = v0.cast_ray(deep((1, 2), 33), [])
