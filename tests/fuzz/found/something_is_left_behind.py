"""something is left behind"""

import copy, gc, pickle, weakref
import numpy as np
from pyphys2d import _core as core, geometry, mover, tiles, traces, trajectory
from hostile import *

v0 = core.World()
v8 = v0.add_body()
v9 = v0.add_body()
v14 = v0.add_body()
v53 = v0.add_prismatic_joint(v8, v9)
v66 = setattr(v14, 'user_data', Interface(v53))
