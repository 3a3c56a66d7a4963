"""MemoryError of step left a change"""

import copy, gc, pickle, weakref
import numpy as np
from pyphys2d import _core as core, geometry, mover, tiles, traces, trajectory
from hostile import *

v0 = core.World()
v143 = v0.add_body(kind='kinematic')
v153 = setattr(v143, 'angular_velocity', 1)
v160 = failing('engine', 1, 1, v0.step)
