"""AttributeError from record"""

import copy, gc, pickle, weakref
import numpy as np
from pyphys2d import _core as core, geometry, mover, tiles, traces, trajectory
from hostile import *

v0 = trajectory.Trajectory.record(1, None)
v1 = trajectory.Trajectory()
v2 = v1.add_frame(1)
v3 = v1.path(0)
