"""MemoryError of step left a change"""

import copy, gc, pickle, weakref
import numpy as np
from pyphys2d import _core as core, geometry, mover, tiles, traces, trajectory
from hostile import *

v0 = core.World()
v1 = v0.add_body(kind='static')
v2 = v0.velocities.fill(1)
v3 = failing('engine', 1, 9, v0.step)
