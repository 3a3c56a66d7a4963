"""OverflowError from check"""

import copy, gc, pickle, weakref
import numpy as np
from pyphys2d import _core as core, geometry, _call_format, _recording, _replay, mover, scenes, tiles, traces, trajectory
from hostile import *

v0 = core.World()
v142 = v0.check(10**400)
