"""2D rigid-body physics: a C engine with live NumPy views of its state.

Everything is SI (metres, kilograms, seconds, radians) in float64, with y up and angles
counter-clockwise.
"""

from pyphys2d import geometry
from pyphys2d._core import (
    AABBTree,
    Body,
    Box,
    CapacityError,
    Capsule,
    Chain,
    Circle,
    Collider,
    Events,
    Polygon,
    RayHit,
    RegularPolygon,
    RemovedError,
    Segment,
    Shape,
    SnapshotError,
    Stage,
    Stages,
    World,
    WorldLockedError,
    simd,
)

__version__ = "0.1.0"

__all__ = [
    "AABBTree",
    "Body",
    "Box",
    "CapacityError",
    "Capsule",
    "Chain",
    "Circle",
    "Collider",
    "Events",
    "Polygon",
    "RayHit",
    "RegularPolygon",
    "RemovedError",
    "Segment",
    "Shape",
    "SnapshotError",
    "Stage",
    "Stages",
    "World",
    "WorldLockedError",
    "__version__",
    "geometry",
    "simd",
]
