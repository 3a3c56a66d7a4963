"""IndexError from _repr_html_"""

import copy, gc, pickle, weakref
import numpy as np
from pyphys2d import _core as core, geometry, _call_format, _recording, _replay, mover, scenes, tiles, traces, trajectory
from hostile import *

v0 = core.World()
v7 = v0.add_body()
v8 = v0.add_body()
v9 = v0.add_body()
v82 = trajectory.Trajectory.record(v0, 0)
v111 = v82.sel()
v135 = failing('engine', 3, 2, v111.add_frame, v0)
v184 = v111._repr_html_()
