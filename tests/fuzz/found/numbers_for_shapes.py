"""SystemError from mtv"""

import copy, gc, pickle, weakref
import numpy as np
from pyphys2d import _core as core, geometry, mover, tiles, traces, trajectory
from hostile import *

v0 = core.Circle(1)
v1 = failing('python', 4, 1, core.mtv, np.ones((1, 2)), v0, out=None)
