"""2D rigid-body physics: a C engine with live NumPy views of its state.

Everything is SI (metres, kilograms, seconds, radians) in float64, with y up and angles
counter-clockwise.

`pyphys2d.plot` (extra ``plot``), `pyphys2d.scenes` and `pyphys2d.Trajectory` are imported when they
are first used, so that NumPy is all that ``import pyphys2d`` needs.
"""

from typing import TYPE_CHECKING

from pyphys2d import _lazy, geometry
from pyphys2d._core import (
    JOINT_KINDS,
    AABBTree,
    Body,
    Box,
    CapacityError,
    Capsule,
    Chain,
    Circle,
    Collider,
    DistanceJoint,
    Drag,
    DrawList,
    Events,
    FilterJoint,
    Fluid,
    GearJoint,
    Joint,
    MotorJoint,
    MouseJoint,
    PointGravity,
    Polygon,
    PrismaticJoint,
    PulleyJoint,
    RatchetJoint,
    RayHit,
    RegularPolygon,
    RemovedError,
    RevoluteJoint,
    RotaryJoint,
    Segment,
    Shape,
    SnapshotError,
    SpringLaw,
    Stage,
    Stages,
    WeldJoint,
    WheelJoint,
    Wind,
    World,
    WorldLockedError,
    simd,
)
from pyphys2d._filters import category_masks
from pyphys2d.mover import CharacterMover, Ground, MoverState

if TYPE_CHECKING:
    from pyphys2d import plot as plot
    from pyphys2d import scenes as scenes
    from pyphys2d._call_format import CallLogError as CallLogError
    from pyphys2d._geojson import from_geojson as from_geojson
    from pyphys2d._geojson import from_shapely as from_shapely
    from pyphys2d._recording import simulate as simulate
    from pyphys2d._replay import replay as replay
    from pyphys2d.scenes.loader import load_world
    from pyphys2d.scenes.writer import save as save
    from pyphys2d.trajectory import Trajectory as Trajectory

    load = load_world
else:
    __getattr__, __dir__ = _lazy.attach(globals())

__version__ = "0.1.0"

__all__ = [
    "JOINT_KINDS",
    "AABBTree",
    "Body",
    "Box",
    "CapacityError",
    "Capsule",
    "Chain",
    "CharacterMover",
    "Circle",
    "Collider",
    "DistanceJoint",
    "Drag",
    "DrawList",
    "Events",
    "FilterJoint",
    "GearJoint",
    "Fluid",
    "Ground",
    "MoverState",
    "PointGravity",
    "Joint",
    "MotorJoint",
    "MouseJoint",
    "Polygon",
    "PrismaticJoint",
    "PulleyJoint",
    "RatchetJoint",
    "RayHit",
    "RegularPolygon",
    "RemovedError",
    "RevoluteJoint",
    "RotaryJoint",
    "Segment",
    "Shape",
    "SnapshotError",
    "SpringLaw",
    "Stage",
    "Stages",
    "Wind",
    "WeldJoint",
    "WheelJoint",
    "World",
    "WorldLockedError",
    "__version__",
    "category_masks",
    "geometry",
    "simd",
]
