from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import (
    Any,
    Literal,
    NoReturn,
    Self,
    SupportsFloat,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    final,
    overload,
)

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from pyphys2d._calls import CallLog
from pyphys2d._check import Finding
from pyphys2d._diff import Diff
from pyphys2d._recording import Recording

_Member = TypeVar("_Member")
_Number: TypeAlias = SupportsFloat | SupportsIndex
_Bool: TypeAlias = bool | np.bool | SupportsIndex
_Floats: TypeAlias = npt.NDArray[np.float64]
_Bools: TypeAlias = npt.NDArray[np.bool]
_Ints: TypeAlias = npt.NDArray[np.int64]
_Rows: TypeAlias = npt.NDArray[np.void]
_Out: TypeAlias = npt.NDArray[Any] | None
_Shapes: TypeAlias = Shape | Sequence[Shape] | None
_Sides: TypeAlias = Shape | Sequence[Shape] | npt.NDArray[Any]  # of pairs
_Ignored: TypeAlias = Body | Collider | Sequence[Body | Collider]  # by queries
_Where: TypeAlias = npt.ArrayLike | Callable[[_Ints], npt.ArrayLike]  # of queries
_Segments: TypeAlias = Mapping[str, npt.ArrayLike] | _Rows | None
_Pose: TypeAlias = tuple[_Number, _Number, _Number]
_Field: TypeAlias = Fluid | Drag | Wind | PointGravity
_Kind: TypeAlias = Literal["static", "kinematic", "dynamic"]
_Solver: TypeAlias = Literal["soft_step", "sequential_impulses"]
# One of each, where arrays have more axes; an array has __float__ too, and is none of these.
_Scalar: TypeAlias = float | np.floating[Any] | np.integer[Any]
_Vector: TypeAlias = tuple[_Scalar, _Scalar]
_Ring: TypeAlias = Sequence[_Vector]
_Box: TypeAlias = tuple[_Vector, _Vector] | list[_Vector] | list[list[float]]
_Rule: TypeAlias = Literal["geometric_mean", "max", "min", "average", "multiply"]
_Rules: TypeAlias = _Rule | Sequence[_Rule | None] | npt.NDArray[np.str_] | None
_JointKind: TypeAlias = Literal[
    "revolute",
    "distance",
    "prismatic",
    "weld",
    "wheel",
    "motor",
    "mouse",
    "filter",
    "pulley",
    "ratchet",
    "gear",
    "rotary",
]
_Response: TypeAlias = Literal["impulse", "translate"]
_Inside: TypeAlias = Literal["winding", "crossings", "cross_products", "naive_crossings"]
_Broadphase: TypeAlias = Literal["grid", "tree", "all_pairs"]
_Removable: TypeAlias = Body | Collider | Joint | _Field

build_switches: str
JOINT_KINDS: tuple[str, ...]
simd: Simd
_testing_interface: object

class RemovedError(ReferenceError):
    """A body, collider, joint or field was used after it had been removed."""

class WorldLockedError(RuntimeError):
    """A world was used from inside its own step, or changed while stages() of it were open."""

class CapacityError(MemoryError):
    """More bodies than max_bodies, or more convex pieces or pairs than a world can hold; the message has the numbers."""

class SnapshotError(ValueError):
    """A snapshot is damaged or of another format."""

@disjoint_base
class Shape:
    """Base class of all shapes: immutable geometry, shared between bodies.

    Lengths are metres in the shape's own frame. Shapes with the same numbers are equal and hash alike.
    """

    __hash__: Any
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def area(self) -> float:
        """Area, m^2; 0 for segments and chains."""
    @property
    def centroid(self) -> _Floats:
        """Centre of the area (of the length for chains and segments), shape (2,), metres."""
    @property
    def inertia(self) -> float:
        """Polar second moment about the centroid for a density of 1 kg/m^2, m^4."""
    @property
    def aabb(self) -> _Floats:
        """Bounds [[lower], [upper]], shape (2, 2), metres, shape's frame."""
    @property
    def __geo_interface__(self) -> dict[str, Any]: ...
    def contains(self, points: npt.ArrayLike, /) -> Any:
        """Whether points are in the closed shape.

        Parameters
        ----------
        points : array_like, shape (..., 2)
            Metres, in the shape's frame.

        Returns
        -------
        bool or ndarray of bool, shape (...)
            Segments and chains hold only the points on them.

        Raises
        ------
        ValueError
            For a wrong shape, NaN or infinity.

        Examples
        --------
        >>> Circle(1).contains([(0, 0), (2, 0)])
        array([ True, False])
        """
    def support(self, direction: npt.ArrayLike, /) -> _Floats:
        """The point of the shape that lies furthest along a direction.

        Parameters
        ----------
        direction : array_like, shape (..., 2)
            Of any length, in the shape's frame.

        Returns
        -------
        ndarray, shape (..., 2)
            Metres; a rounding radius is included.

        Raises
        ------
        ValueError
            For a wrong shape, NaN or infinity.
        """
    def mass_properties(self, density: _Number = 1.0) -> tuple[float, _Floats, float]:
        """Mass, centre and inertia at a density.

        Parameters
        ----------
        density : float
            kg/m^2, >= 0.

        Returns
        -------
        mass : float
            kg.
        center : ndarray, shape (2,)
            Metres, in the shape's frame.
        inertia : float
            kg m^2, about the centre.

        Raises
        ------
        ValueError
            For a density that is negative or not finite.

        Examples
        --------
        >>> mass, center, inertia = Box(2, 1).mass_properties(density=3)
        >>> mass, inertia
        (6.0, 2.5)
        """
    def _repr_svg_(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...

@final
class Circle(Shape):
    """A disc.

    Parameters
    ----------
    radius : float
        Metres, > 0.
    center : array_like, shape (2,)
        Metres, in the body's frame.

    Raises
    ------
    ValueError
        For a radius that is not positive, or a number that is not finite.

    Examples
    --------
    >>> round(Circle(2).area, 6)
    12.566371
    """

    def __new__(cls, radius: _Number, center: npt.ArrayLike = (0, 0)) -> Self: ...
    @property
    def radius(self) -> float:
        """Radius, metres."""
    @property
    def center(self) -> _Floats:
        """Centre, shape (2,), metres, shape's frame."""
    def __reduce__(self, /) -> tuple[Any, ...]: ...

class Polygon(Shape):
    """Any simple polygon.

    Either winding is taken; `vertices` are counter-clockwise and holes clockwise. A concave one
    (or one with holes) is split into convex `parts` once, here.

    Parameters
    ----------
    vertices : array_like, shape (n, 2)
        Metres, in the body's frame; n >= 3. Equal neighbours are merged.
    holes : sequence of array_like, each of shape (k, 2)
        Simple, disjoint polygons inside.
    radius : float
        Grows a convex polygon without holes by a disc of this radius, metres.
    recenter : bool
        Shift everything so that the centroid is the origin.

    Raises
    ------
    ValueError
        For a list that crosses itself, has no area, is narrower than 1e-4 m or is
        not finite; the message names the vertex.

    Examples
    --------
    >>> house = Polygon([(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)])
    >>> house.area
    5.0
    """

    def __new__(
        cls,
        vertices: npt.ArrayLike,
        holes: Sequence[npt.ArrayLike] | npt.NDArray[Any] = (),
        radius: _Number = 0.0,
        recenter: _Bool = False,
    ) -> Self: ...
    @property
    def vertices(self) -> _Floats:
        """Outer ring, counter-clockwise. Read-only array, shape (n, 2), metres, shape's frame."""
    @property
    def edges(self) -> _Floats:
        """Edge i runs from vertex i to vertex i + 1. Read-only array, shape (n, 2), metres."""
    @property
    def normals(self) -> _Floats:
        """Outward unit normals of the edges. Read-only array, shape (n, 2)."""
    @property
    def holes(self) -> tuple[_Floats, ...]:
        """Tuple of holes, clockwise. Read-only arrays, shape (k, 2), metres."""
    @property
    def parts(self) -> tuple[_Floats, ...]:
        """Tuple of the convex parts, counter-clockwise. Read-only arrays, shape (k, 2), metres."""
    @property
    def is_convex(self) -> bool:
        """Whether it is convex and without holes."""
    @property
    def radius(self) -> float:
        """Radius of the rounding disc, metres."""
    def __reduce__(self, /) -> tuple[Any, ...]: ...

@final
class Box(Polygon):
    """A rectangle.

    Parameters
    ----------
    width, height : float
        Metres, > 0, without the rounding.
    center : array_like, shape (2,)
        Metres, in the body's frame.
    angle : float
        Radians, counter-clockwise about the centre.
    radius : float
        Of a rounding disc, metres: the box measures width + 2 radius by
        height + 2 radius.

    Raises
    ------
    ValueError
        For a side that is not positive, a negative radius, or a number that
        is not finite.

    Examples
    --------
    >>> Box(2, 1).vertices
    array([[-1. , -0.5],
           [ 1. , -0.5],
           [ 1. ,  0.5],
           [-1. ,  0.5]])
    """

    def __new__(
        cls,
        width: _Number,
        height: _Number,
        center: npt.ArrayLike = (0, 0),
        angle: _Number = 0.0,
        radius: _Number = 0.0,
    ) -> Self: ...
    @property
    def width(self) -> float:
        """Width without the rounding, metres."""
    @property
    def height(self) -> float:
        """Height without the rounding, metres."""
    @property
    def center(self) -> _Floats:
        """Centre, shape (2,), metres, shape's frame."""
    @property
    def angle(self) -> float:
        """Angle, radians."""
    def __reduce__(self, /) -> tuple[Any, ...]: ...

@final
class RegularPolygon(Polygon):
    """A polygon with n equal sides.

    Parameters
    ----------
    n : int
        Number of corners, >= 3.
    radius : float
        Distance from the centre to a corner, metres, > 0; kept as `circumradius`.
    center : array_like, shape (2,)
        Metres, in the body's frame.
    angle : float
        Angle of the first corner, radians.
    rounding : float
        Radius of a rounding disc, metres; kept as `radius`.

    Raises
    ------
    ValueError
        For n < 3, a radius that is not positive, or a number that is not
        finite.

    Examples
    --------
    >>> round(RegularPolygon(6, 1).area, 6)
    2.598076
    """

    def __new__(
        cls,
        n: SupportsIndex,
        radius: _Number,
        center: npt.ArrayLike = (0, 0),
        angle: _Number = 0.0,
        rounding: _Number = 0.0,
    ) -> Self: ...
    @property
    def n(self) -> int:
        """Number of corners."""
    @property
    def circumradius(self) -> float:
        """From the centre to a corner, metres."""
    @property
    def center(self) -> _Floats:
        """Centre, shape (2,), metres, shape's frame."""
    @property
    def angle(self) -> float:
        """Angle of the first corner, radians."""
    def __reduce__(self, /) -> tuple[Any, ...]: ...

@final
class Capsule(Shape):
    """All points within a radius of a segment.

    Parameters
    ----------
    p, q : array_like, shape (2,)
        Ends of the segment, metres, in the body's frame.
    radius : float
        Metres, > 0.

    Raises
    ------
    ValueError
        For equal ends, a radius that is not positive, or a number that is not finite.

    Examples
    --------
    >>> Capsule((-1, 0), (1, 0), 0.5).aabb
    array([[-1.5, -0.5],
           [ 1.5,  0.5]])
    """

    def __new__(cls, p: npt.ArrayLike, q: npt.ArrayLike, radius: _Number) -> Self: ...
    @property
    def p(self) -> _Floats:
        """First end of the segment, shape (2,), metres, shape's frame."""
    @property
    def q(self) -> _Floats:
        """Second end of the segment, shape (2,), metres, shape's frame."""
    @property
    def radius(self) -> float:
        """Radius, metres."""
    def __reduce__(self, /) -> tuple[Any, ...]: ...

@final
class Segment(Shape):
    """A two-sided line segment, without area.

    Parameters
    ----------
    p, q : array_like, shape (2,)
        Ends, metres, in the body's frame.

    Raises
    ------
    ValueError
        For equal ends, or a number that is not finite.

    Examples
    --------
    >>> Segment((0, 0), (3, 4)).centroid
    array([1.5, 2. ])
    """

    def __new__(cls, p: npt.ArrayLike, q: npt.ArrayLike) -> Self: ...
    @property
    def p(self) -> _Floats:
        """First end, shape (2,), metres, shape's frame."""
    @property
    def q(self) -> _Floats:
        """Second end, shape (2,), metres, shape's frame."""
    def __reduce__(self, /) -> tuple[Any, ...]: ...

@final
class Chain(Shape):
    """One-sided segments in a row: terrain without bumps at the joints.

    Walking along the points, the free side is on the left: a terrain written from left
    to right is solid below, a counter-clockwise loop holds bodies in.

    Parameters
    ----------
    points : array_like, shape (n, 2)
        Metres, in the body's frame; at least 2, or 3 for a loop.
    loop : bool
        Whether the last point is joined to the first.

    Raises
    ------
    ValueError
        For too few points, equal neighbours, or a number that is not finite.

    Examples
    --------
    >>> Chain([(-10, 0), (0, 1), (10, 0)]).loop
    False
    """

    def __new__(cls, points: npt.ArrayLike, loop: _Bool = False) -> Self: ...
    @property
    def points(self) -> _Floats:
        """Read-only array, shape (n, 2), metres, shape's frame."""
    @property
    def loop(self) -> bool:
        """Whether the last point is joined to the first."""
    def __reduce__(self, /) -> tuple[Any, ...]: ...

@final
class Body:
    """A body of a World.

    Made by World.add_body or found in World.bodies. Two handles of one body are equal. Use after
    removal raises RemovedError, except for index, id, world and alive.
    """

    __hash__: Any
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def _repr_svg_(self, /) -> str | None: ...
    def _repr_html_(self, /) -> str | None: ...
    @property
    def index(self) -> int:
        """Slot of the body: its row in the live arrays."""
    @property
    def id(self) -> int:
        """Number that is never used again in its world."""
    @property
    def world(self) -> World:
        """The World."""
    @property
    def alive(self) -> bool:
        """Whether the body still exists."""
    @property
    def kind(self) -> _Kind:
        """'static', 'kinematic' or 'dynamic'."""
    @kind.setter
    def kind(self, value: _Kind, /) -> None: ...
    @property
    def name(self) -> str | None:
        """A string, or None."""
    @name.setter
    def name(self, value: str | None, /) -> None: ...
    @property
    def user_data(self) -> Any:
        """Any object, or None."""
    @user_data.setter
    def user_data(self, value: Any, /) -> None: ...
    @property
    def position(self) -> _Floats:
        """Origin of the body, shape (2,), metres, world. A value: assign to teleport."""
    @position.setter
    def position(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def angle(self) -> float:
        """Angle, radians. Assign to turn at once."""
    @angle.setter
    def angle(self, value: _Number, /) -> None: ...
    @property
    def velocity(self) -> _Floats:
        """Velocity of the centre of mass, shape (2,), m/s. A value: assign to change it."""
    @velocity.setter
    def velocity(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def angular_velocity(self) -> float:
        """Angular velocity, rad/s."""
    @angular_velocity.setter
    def angular_velocity(self, value: _Number, /) -> None: ...
    @property
    def mass(self) -> float:
        """Mass, kg; 0 unless dynamic. Setting it scales the inertia too, unless that was set. What is set
        holds whatever becomes of the colliders; None: the mass is that of the colliders again.
        """
    @mass.setter
    def mass(self, value: _Number | None, /) -> None: ...
    @property
    def inertia(self) -> float:
        """Moment of inertia about the centre of mass, kg m^2; 0 unless dynamic. What is set holds, as a
        mass does, until None is set.
        """
    @inertia.setter
    def inertia(self, value: _Number | None, /) -> None: ...
    @property
    def center_of_mass(self) -> _Floats:
        """Centre of mass, shape (2,), metres, in the body's frame. What is set holds, as a mass does, until
        None is set; the inertia is about it and stays as it is. The body's origin stays where it is.
        """
    @center_of_mass.setter
    def center_of_mass(self, value: npt.ArrayLike | None, /) -> None: ...
    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of motion and rotation, J; 0 unless the body is dynamic."""
    @property
    def transform(self) -> _Floats:
        """Matrix from the body's frame to the world, homogeneous, shape (3, 3)."""
    @property
    def inverse_transform(self) -> _Floats:
        """Matrix from the world to the body's frame, homogeneous, shape (3, 3)."""
    @property
    def awake(self) -> bool:
        """Whether it is simulated; False: it sleeps. Setting False puts its whole island to sleep."""
    @awake.setter
    def awake(self, value: _Bool, /) -> None: ...
    @property
    def bullet(self) -> bool:
        """Whether it is kept from tunnelling through moving bodies too."""
    @bullet.setter
    def bullet(self, value: _Bool, /) -> None: ...
    @property
    def fixed_rotation(self) -> bool:
        """Whether it never turns."""
    @fixed_rotation.setter
    def fixed_rotation(self, value: _Bool, /) -> None: ...
    @property
    def lock_x(self) -> bool:
        """Whether its centre of mass keeps its x, whatever pushes, while it is dynamic."""
    @lock_x.setter
    def lock_x(self, value: _Bool, /) -> None: ...
    @property
    def lock_y(self) -> bool:
        """Whether its centre of mass keeps its y, whatever pushes, while it is dynamic."""
    @lock_y.setter
    def lock_y(self, value: _Bool, /) -> None: ...
    @property
    def enabled(self) -> bool:
        """Whether it takes part at all."""
    @enabled.setter
    def enabled(self, value: _Bool, /) -> None: ...
    @property
    def can_sleep(self) -> bool:
        """Whether it may fall asleep."""
    @can_sleep.setter
    def can_sleep(self, value: _Bool, /) -> None: ...
    @property
    def sleep_threshold(self) -> float | None:
        """Speed of the fastest point below which the body may fall asleep, m/s; None: 0.05; 0: it never
        sleeps.
        """
    @sleep_threshold.setter
    def sleep_threshold(self, value: _Number | None, /) -> None: ...
    @property
    def gravity_scale(self) -> float:
        """Factor of the world's gravity."""
    @gravity_scale.setter
    def gravity_scale(self, value: _Number, /) -> None: ...
    @property
    def linear_damping(self) -> float:
        """Rate at which the velocity decays, 1/s."""
    @linear_damping.setter
    def linear_damping(self, value: _Number, /) -> None: ...
    @property
    def angular_damping(self) -> float:
        """Rate at which the angular velocity decays, 1/s."""
    @angular_damping.setter
    def angular_damping(self, value: _Number, /) -> None: ...
    @property
    def colliders(self) -> tuple[Collider, ...]:
        """Tuple of its colliders in order of creation."""
    @property
    def joints(self) -> tuple[Joint, ...]:
        """Tuple of its joints."""
    @property
    def contacts(self) -> _Rows:
        """Rows of World.contacts that name it."""
    def apply_force(
        self, force: npt.ArrayLike, point: npt.ArrayLike | None = None, *, local: _Bool = False
    ) -> None:
        """Add a force that acts during the next step; wakes the body.

        Parameters
        ----------
        force : array_like, shape (2,)
            N, world.
        point : array_like, shape (2,), optional
            Point at which it acts, metres, world; by default the centre of mass.
        local : bool
            Whether both are in the body's frame.

        Raises
        ------
        ValueError
            For a wrong shape, NaN or infinity.
        RemovedError
            When the body has been removed.
        """
    def apply_impulse(
        self, impulse: npt.ArrayLike, point: npt.ArrayLike | None = None, *, local: _Bool = False
    ) -> None:
        """Change the velocities at once by an impulse; wakes the body.

        Parameters
        ----------
        impulse : array_like, shape (2,)
            N s, world.
        point : array_like, shape (2,), optional
            Point at which it acts, metres, world; by default the centre of mass.
        local : bool
            Whether both are in the body's frame.

        Raises
        ------
        ValueError
            For a wrong shape, NaN or infinity.
        RemovedError
            When the body has been removed.
        """
    def apply_torque(self, torque: _Number, /) -> None:
        """Add a torque (N m) that acts during the next step; wakes the body."""
    def apply_angular_impulse(self, impulse: _Number, /) -> None:
        """Change the angular velocity at once by an angular impulse (N m s); wakes the body."""
    def move_to(self, position: npt.ArrayLike, angle: _Number, dt: _Number) -> None:
        """Give a kinematic body the velocities that bring it to a pose in one step of dt.

        Parameters
        ----------
        position : array_like, shape (2,)
            Position of the origin, metres, world.
        angle : float
            Radians.
        dt : float
            Seconds, > 0: the dt of the next step.

        Raises
        ------
        ValueError
            For a bad number, or a body that is not kinematic.
        RemovedError
            When the body has been removed.
        """
    def attach(
        self,
        shape: Shape,
        *,
        density: _Number = 1.0,
        friction: _Number = 0.6,
        restitution: _Number = 0.0,
        rolling_resistance: _Number = 0.0,
        tangent_speed: _Number = 0.0,
        category: SupportsIndex = 1,
        mask: SupportsIndex = 18446744073709551615,
        group: SupportsIndex = 0,
        sensor: _Bool = False,
        pre_solve: _Bool = False,
        material: SupportsIndex | None = None,
        friction_rule: _Rule | None = None,
        restitution_rule: _Rule | None = None,
        segments: _Segments = None,
        user_data: Any = None,
    ) -> Collider:
        """Add a shape to the body; its mass grows accordingly.

        Parameters
        ----------
        shape : Shape
            In the body's frame.
        density : float
            kg/m^2, >= 0.
        friction, restitution : float
            >= 0.
        rolling_resistance : float
            Torque = coefficient x radius x normal force.
        tangent_speed : float
            Speed of the surface, m/s.
        category, mask : int
            64 bits each: what it is, and what it collides with.
        group : int
            Equal positive numbers always collide, equal negative ones never.
        sensor : bool
            Whether it only sees others (overlaps, events) and touches nothing.
        pre_solve : bool
            Whether its contacts are shown to the pre-solve hook.
        material : int, optional
            Row of the collider in World.material_pairs, 0 to 255.
        friction_rule, restitution_rule : str, optional
            Mixing rule of these colliders, instead of what the world says.
        segments : dict of array_like, optional
            For a Chain of n segments: columns of Collider.segments, each of shape (n,).
        user_data : object, optional
            Anything.

        Returns
        -------
        Collider

        Raises
        ------
        ValueError
            For a number that is negative or not finite.
        RemovedError
            When the body has been removed.
        """
    def to_world(self, points: npt.ArrayLike, *, vectors: _Bool = False) -> _Floats:
        """Points of the body's frame in the world, shape (..., 2), metres. vectors=True: directions,
        forces and the like, which turn with the body and have no place.
        """
    def to_local(self, points: npt.ArrayLike, *, vectors: _Bool = False) -> _Floats:
        """Points of the world in the body's frame, shape (..., 2), metres. vectors=True: directions and
        the like, which have no place.
        """
    def velocity_at(self, points: npt.ArrayLike, *, local: _Bool = False) -> _Floats:
        """Velocities of the body's matter at points of the world, shape (..., 2), m/s, world.
        local=True: at points of the body's frame.
        """
    def contains(self, points: npt.ArrayLike, /) -> Any:
        """Whether points of the world are on the body, shape (..., 2) to (...), metres."""
    def convex_hull(self, /) -> _Floats:
        """Convex hull of all the body's colliders.

        Round shapes are represented by points on their surface, 64 for a full turn.

        Returns
        -------
        ndarray, shape (n, 2)
            Counter-clockwise, metres, world; n is 0 for a body without shapes.

        Raises
        ------
        ValueError
            When the body's rows of the live arrays hold NaN or infinity.
        RemovedError
            When the body has been removed.
        """
    def wake(self, /) -> None:
        """Wake the body and its island."""
    def wake_touching(self, /) -> None:
        """Wake what the body touches or is joined to, whatever its own kind."""
    def sleep(self, /) -> None:
        """Put the body's whole island to sleep."""

@final
class Collider:
    """A shape on a body with its material and filter.

    Made by World.add_body, World.add_bodies and Body.attach. Use after removal raises RemovedError.
    """

    __hash__: Any
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def _repr_svg_(self, /) -> str | None: ...
    def _repr_html_(self, /) -> str | None: ...
    @property
    def index(self) -> int:
        """Number of the collider in its world."""
    @property
    def id(self) -> int:
        """Number that is never used again in its world."""
    @property
    def world(self) -> World:
        """The World."""
    @property
    def alive(self) -> bool:
        """Whether the collider still exists."""
    @property
    def body(self) -> Body:
        """The Body."""
    @property
    def shape(self) -> Shape:
        """The Shape, in the body's frame. Setting another keeps material, filter and id, and the mass of
        the body follows; see set_shape().
        """
    @shape.setter
    def shape(self, value: Shape, /) -> None: ...
    def set_shape(self, shape: Shape, update_mass: _Bool = True) -> None:
        """Give the collider another shape, in place: what `collider.shape = shape` does, with a choice.

        Material, filter, id and joints stay. The body and what it touches wake. Contacts go on if the
        shape has as many convex pieces as the one before, and begin anew otherwise.

        Parameters
        ----------
        shape : Shape
            In the body's frame.
        update_mass : bool
            Whether mass, inertia and centre of mass follow from the new shape. If not, the body keeps them
            as they are from then on, as if they had been set, until None is.

        Raises
        ------
        ValueError
            For a shape with which the body would have a mass out of range, or that surfaces of segments do not fit.
        RemovedError
            When the collider has been removed.
        WorldLockedError
            From inside a step.

        Examples
        --------
        >>> balloon = World().add_body(Circle(0.5)).colliders[0]
        >>> balloon.set_shape(Circle(0.8), update_mass=False)
        >>> round(balloon.body.mass, 3)  # as before
        0.785
        """
    @property
    def user_data(self) -> Any:
        """Any object, or None."""
    @user_data.setter
    def user_data(self, value: Any, /) -> None: ...
    @property
    def density(self) -> float:
        """kg/m^2; setting it changes the mass of the body."""
    @density.setter
    def density(self, value: _Number, /) -> None: ...
    @property
    def friction(self) -> float:
        """Coefficient of friction, >= 0."""
    @friction.setter
    def friction(self, value: _Number, /) -> None: ...
    @property
    def restitution(self) -> float:
        """Coefficient of restitution, >= 0."""
    @restitution.setter
    def restitution(self, value: _Number, /) -> None: ...
    @property
    def rolling_resistance(self) -> float:
        """Torque = coefficient x radius x normal force; no unit."""
    @rolling_resistance.setter
    def rolling_resistance(self, value: _Number, /) -> None: ...
    @property
    def tangent_speed(self) -> float:
        """Speed of the surface, m/s; positive on a floor carries bodies towards +x."""
    @tangent_speed.setter
    def tangent_speed(self, value: _Number, /) -> None: ...
    @property
    def category(self) -> int:
        """Bits of what this collider is."""
    @category.setter
    def category(self, value: SupportsIndex, /) -> None: ...
    @property
    def mask(self) -> int:
        """Bits of the categories that it collides with."""
    @mask.setter
    def mask(self, value: SupportsIndex, /) -> None: ...
    @property
    def group(self) -> int:
        """Equal positive numbers always collide, equal negative ones never; 0 is no group."""
    @group.setter
    def group(self, value: SupportsIndex, /) -> None: ...
    @property
    def sensor(self) -> bool:
        """Whether it only sees others (overlaps, events) and touches nothing."""
    @sensor.setter
    def sensor(self, value: _Bool, /) -> None: ...
    @property
    def pre_solve(self) -> bool:
        """Whether its contacts are shown to the pre-solve hook."""
    @pre_solve.setter
    def pre_solve(self, value: _Bool, /) -> None: ...
    @property
    def material(self) -> int | None:
        """Row of the collider in World.material_pairs, 0 to 255; None: no material."""
    @material.setter
    def material(self, value: SupportsIndex | None, /) -> None: ...
    @property
    def friction_rule(self) -> _Rule | None:
        """Rule by which friction mixes with that of another collider; None: World.friction_rule."""
    @friction_rule.setter
    def friction_rule(self, value: _Rule | None, /) -> None: ...
    @property
    def restitution_rule(self) -> _Rule | None:
        """Rule by which restitution mixes with that of another collider; None: World.restitution_rule."""
    @restitution_rule.setter
    def restitution_rule(self, value: _Rule | None, /) -> None: ...
    @property
    def segments(self) -> _Rows | None:
        """Surfaces of a chain's segments, a structured array (n,), or None.

        Columns friction, restitution, rolling_resistance and tangent_speed, where NaN, and
        material, where -1, is what the collider has. It can be set to a dict of some of the
        columns, each of shape (n,), to such an array, or to None: all are as the collider. The
        array is a copy.
        """
    @segments.setter
    def segments(self, value: _Segments, /) -> None: ...
    @property
    def overlaps(self) -> tuple[Collider, ...]:
        """Tuple of the colliders that overlap this sensor at present, by index.

        They belong to other bodies, and are not sensors. Right after a step they are those whose
        visit has begun by its events and not ended; what is made, moved, changed or removed later
        is seen at once. Empty for a collider that is not a sensor.
        """
    @property
    def contacts(self) -> _Rows:
        """Rows of World.contacts that name it."""
    def ray_cast(self, origin: npt.ArrayLike, translation: npt.ArrayLike) -> RayHit | None:
        """First point of a ray on this collider; others are ignored.

        Sensors are met, too.

        Parameters
        ----------
        origin, translation : array_like, shape (2,)
            Metres, world.

        Returns
        -------
        RayHit or None
            As World.cast_ray gives it.

        Raises
        ------
        RemovedError
            When the collider has been removed.
        ValueError
            For a wrong shape, NaN or infinity.
        """
    def closest_point(self, point: npt.ArrayLike, /) -> _Floats:
        """The point of the collider that is nearest to a point: that point itself when it is inside.

        In a wrapped world the image of the point nearest to the body is asked about.

        Parameters
        ----------
        point : array_like, shape (2,)
            Metres, world.

        Returns
        -------
        ndarray, shape (2,)
            Metres, world.

        Raises
        ------
        RemovedError
            When the collider has been removed.
        ValueError
            For a wrong shape, NaN or infinity.
        """
    @property
    def aabb(self) -> _Floats:
        """Bounds [[lower], [upper]], shape (2, 2), metres, world."""
    @property
    def vertices(self) -> _Floats:
        """Vertices of the outer ring, ends or centre, shape (n, 2), metres, world; without radius."""

@final
class Fluid:
    """Everything under a surface: lifts and drags along what is in it.

    Made by World.add_fluid, taken away by World.remove; use after that raises RemovedError.
    Assigning to a property wakes the bodies that the field reaches.
    """

    __hash__: Any
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def index(self) -> int:
        """Number of the field in its world."""
    @property
    def id(self) -> int:
        """Number that is never used again in its world."""
    @property
    def world(self) -> World:
        """The World."""
    @property
    def alive(self) -> bool:
        """Whether the field still exists."""
    @property
    def mask(self) -> int:
        """Bits of the categories of colliders that it acts on."""
    @mask.setter
    def mask(self, value: SupportsIndex, /) -> None: ...
    @property
    def surface(self) -> float | _Floats:
        """Height of the surface as a float, or a polyline, shape (n, 2); metres."""
    @surface.setter
    def surface(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def density(self) -> float:
        """kg/m^2, >= 0."""
    @density.setter
    def density(self, value: _Number, /) -> None: ...
    @property
    def drag(self) -> float:
        """Drag per displaced mass, 1/s, >= 0."""
    @drag.setter
    def drag(self, value: _Number, /) -> None: ...
    @property
    def quadratic_drag(self) -> float:
        """Drag coefficient per speed, 1/m, >= 0."""
    @quadratic_drag.setter
    def quadratic_drag(self, value: _Number, /) -> None: ...
    @property
    def flow(self) -> _Floats:
        """Velocity of the fluid, shape (2,), m/s. A value: assign to change it."""
    @flow.setter
    def flow(self, value: npt.ArrayLike, /) -> None: ...

@final
class Drag:
    """Drag of still air on whole bodies.

    Made by World.add_drag, taken away by World.remove; use after that raises RemovedError.
    Assigning to a property wakes the bodies that the field reaches.
    """

    __hash__: Any
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def index(self) -> int:
        """Number of the field in its world."""
    @property
    def id(self) -> int:
        """Number that is never used again in its world."""
    @property
    def world(self) -> World:
        """The World."""
    @property
    def alive(self) -> bool:
        """Whether the field still exists."""
    @property
    def mask(self) -> int:
        """Bits of the categories of colliders that it acts on."""
    @mask.setter
    def mask(self, value: SupportsIndex, /) -> None: ...
    @property
    def linear(self) -> float:
        """Force per velocity, N s/m, >= 0."""
    @linear.setter
    def linear(self, value: _Number, /) -> None: ...
    @property
    def quadratic(self) -> float:
        """Force per squared velocity, N s^2/m^2, >= 0."""
    @quadratic.setter
    def quadratic(self, value: _Number, /) -> None: ...
    @property
    def clamped(self) -> float:
        """A velocity v loses clamp_magnitude(v, 1) clamped dt; 1/s, >= 0."""
    @clamped.setter
    def clamped(self, value: _Number, /) -> None: ...
    @property
    def angular(self) -> float:
        """Torque per angular velocity, N m s, >= 0."""
    @angular.setter
    def angular(self, value: _Number, /) -> None: ...

@disjoint_base
class Joint:
    """Base class of all joints: what ties two bodies, or a body to the world.

    Made by World.add_..._joint, taken away by World.remove, with either of its bodies, or
    when it breaks; use after that raises RemovedError. Assigning to a property wakes the bodies.
    """

    __hash__: Any
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def index(self) -> int:
        """Number of the joint in its world."""
    @property
    def id(self) -> int:
        """Number that is never used again in its world."""
    @property
    def world(self) -> World:
        """The World."""
    @property
    def alive(self) -> bool:
        """Whether the joint still exists."""
    @property
    def user_data(self) -> Any:
        """Any object, or None."""
    @user_data.setter
    def user_data(self, value: Any, /) -> None: ...
    @property
    def kind(self) -> _JointKind:
        """Name of the kind, such as 'revolute'."""
    @property
    def body_a(self) -> Body | None:
        """The first Body, or None for the world."""
    @property
    def body_b(self) -> Body:
        """The second Body."""
    @property
    def collide_connected(self) -> bool:
        """Whether the two bodies may collide with each other."""
    @property
    def anchor_a(self) -> _Floats:
        """Where the joint holds a now, shape (2,), metres, world."""
    @property
    def anchor_b(self) -> _Floats:
        """Where the joint holds b now, shape (2,), metres, world."""
    @property
    def local_anchor_a(self) -> _Floats:
        """Where the joint holds a, in the frame of a, shape (2,), metres; of joints with anchors. Setting it
        moves the anchor.
        """
    @local_anchor_a.setter
    def local_anchor_a(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def local_anchor_b(self) -> _Floats:
        """Where the joint holds b, in the frame of b, shape (2,), metres; of joints with anchors. Setting it
        moves the anchor.
        """
    @local_anchor_b.setter
    def local_anchor_b(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def local_axis(self) -> _Floats:
        """The axis in the frame of a, shape (2,), unit; of prismatic and wheel joints. A direction of any
        length > 0 may be set.
        """
    @local_axis.setter
    def local_axis(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def reference_angle(self) -> float:
        """Angle of b less that of a where the joint's angle is 0, radians; of revolute, prismatic, weld, wheel
        and rotary joints.
        """
    @reference_angle.setter
    def reference_angle(self, value: _Number, /) -> None: ...
    @property
    def linear_separation(self) -> float:
        """How far the joint is from the places and lengths that it holds, limits included, metres; springs hold
        nothing.
        """
    @property
    def angular_separation(self) -> float:
        """How far the joint is from the angle that it holds, limits included, radians."""
    @property
    def force(self) -> _Floats:
        """Mean force on b in the last step, shape (2,), N, world."""
    @property
    def torque(self) -> float:
        """Mean torque on b in the last step, without the torque of the force at the anchor, N m."""

@final
class RevoluteJoint(Joint):
    """Two points of two bodies are one; the bodies turn about it.

    Made by World.add_revolute_joint.
    """

    @property
    def angle(self) -> float:
        """Angle of b relative to a, radians, 0 at the start; counts full turns."""
    @property
    def speed(self) -> float:
        """Rate of the angle, rad/s."""
    def set_limits(self, lower: _Number | None, upper: _Number | None) -> None:
        """Move both limits at once, in any direction. Wakes the bodies.

        Parameters
        ----------
        lower, upper : float or None
            In the unit of the properties lower and upper; None: no limit on that side.

        Raises
        ------
        ValueError
            For lower > upper, NaN, or a number out of range: nothing is changed.
        TypeError
            For what is no number.
        RemovedError
            When the joint has been removed.

        Examples
        --------
        >>> world = World()
        >>> door = world.add_body(Box(1, 0.1), (0.5, 0))
        >>> hinge = world.add_revolute_joint(None, door, anchor=(0, 0), lower=0, upper=1)
        >>> hinge.set_limits(2, 3)
        >>> hinge.lower, hinge.upper
        (2.0, 3.0)
        """
    @property
    def lower(self) -> float:
        """Lower limit, radians; -inf (or None): none."""
    @lower.setter
    def lower(self, value: _Number | None, /) -> None: ...
    @property
    def upper(self) -> float:
        """Upper limit, radians; inf (or None): none."""
    @upper.setter
    def upper(self, value: _Number | None, /) -> None: ...
    @property
    def motor_speed(self) -> float:
        """Speed that the motor aims at, rad/s."""
    @motor_speed.setter
    def motor_speed(self, value: _Number, /) -> None: ...
    @property
    def max_motor_torque(self) -> float:
        """The most that the motor gives, N m, >= 0; 0: no motor."""
    @max_motor_torque.setter
    def max_motor_torque(self, value: _Number, /) -> None: ...
    @property
    def spring_hertz(self) -> float:
        """Frequency of the spring of the angle, Hz, >= 0; 0: none."""
    @spring_hertz.setter
    def spring_hertz(self, value: _Number, /) -> None: ...
    @property
    def spring_damping_ratio(self) -> float:
        """Damping ratio of the spring, >= 0; 1 is critical."""
    @spring_damping_ratio.setter
    def spring_damping_ratio(self, value: _Number, /) -> None: ...
    @property
    def stiffness(self) -> float:
        """Stiffness of the spring, N m/rad, >= 0; spring_hertz follows from it. 0: it was given as spring_hertz."""
    @stiffness.setter
    def stiffness(self, value: _Number, /) -> None: ...
    @property
    def damping(self) -> float:
        """Damping of the spring, N m s/rad, >= 0; with stiffness 0 it is a damper."""
    @damping.setter
    def damping(self, value: _Number, /) -> None: ...
    @property
    def spring_target(self) -> float:
        """Angle at which the spring rests, radians."""
    @spring_target.setter
    def spring_target(self, value: _Number, /) -> None: ...
    @property
    def max_force(self) -> float:
        """The most that it holds with, N, >= 0; inf (or None): any. With a bound it is a spring of its joint_hertz, or the world's, where it has no other."""
    @max_force.setter
    def max_force(self, value: _Number | None, /) -> None: ...
    @property
    def joint_hertz(self) -> float | None:
        """Frequency of the spring that holds in place of an exact solution, Hz, > 0. None: the world's; if joint_damping_ratio is None too, it holds exactly."""
    @joint_hertz.setter
    def joint_hertz(self, value: _Number | None, /) -> None: ...
    @property
    def joint_damping_ratio(self) -> float | None:
        """Damping ratio of that spring, >= 0; 1 is critical; None: the world's."""
    @joint_damping_ratio.setter
    def joint_damping_ratio(self, value: _Number | None, /) -> None: ...
    @property
    def break_force(self) -> float:
        """The joint breaks when |force| of a step is more, N, >= 0; inf (or None): never."""
    @break_force.setter
    def break_force(self, value: _Number | None, /) -> None: ...
    @property
    def break_torque(self) -> float:
        """The joint breaks when |torque| of a step is more, N m, >= 0; inf (or None): never."""
    @break_torque.setter
    def break_torque(self, value: _Number | None, /) -> None: ...

@final
class DistanceJoint(Joint):
    """Rod, rope, spring or piston between two points.

    Made by World.add_distance_joint.
    """

    @property
    def length(self) -> float:
        """Distance of the anchors now, metres."""
    @property
    def speed(self) -> float:
        """Rate of the length, m/s."""
    def set_limits(self, lower: _Number | None, upper: _Number | None) -> None:
        """Move both limits at once, in any direction. Wakes the bodies.

        Parameters
        ----------
        lower, upper : float or None
            In the unit of the properties lower and upper; None: no limit on that side.

        Raises
        ------
        ValueError
            For lower > upper, NaN, or a number out of range: nothing is changed.
        TypeError
            For what is no number.
        RemovedError
            When the joint has been removed.

        Examples
        --------
        >>> world = World()
        >>> door = world.add_body(Box(1, 0.1), (0.5, 0))
        >>> hinge = world.add_revolute_joint(None, door, anchor=(0, 0), lower=0, upper=1)
        >>> hinge.set_limits(2, 3)
        >>> hinge.lower, hinge.upper
        (2.0, 3.0)
        """
    @property
    def lower(self) -> float:
        """Lower limit, metres, >= 0; 0 (or None): none."""
    @lower.setter
    def lower(self, value: _Number | None, /) -> None: ...
    @property
    def upper(self) -> float:
        """Upper limit, metres, >= 0; inf (or None): none."""
    @upper.setter
    def upper(self, value: _Number | None, /) -> None: ...
    @property
    def motor_speed(self) -> float:
        """Speed that the motor aims at, m/s; positive lengthens."""
    @motor_speed.setter
    def motor_speed(self, value: _Number, /) -> None: ...
    @property
    def max_motor_force(self) -> float:
        """The most that the motor gives, N, >= 0; 0: no motor."""
    @max_motor_force.setter
    def max_motor_force(self, value: _Number, /) -> None: ...
    @property
    def spring_hertz(self) -> float:
        """Frequency of the spring of the length, Hz, >= 0; 0: none."""
    @spring_hertz.setter
    def spring_hertz(self, value: _Number, /) -> None: ...
    @property
    def spring_damping_ratio(self) -> float:
        """Damping ratio of the spring, >= 0; 1 is critical."""
    @spring_damping_ratio.setter
    def spring_damping_ratio(self, value: _Number, /) -> None: ...
    @property
    def stiffness(self) -> float:
        """Stiffness of the spring, N/m, >= 0; spring_hertz follows from it. 0: it was given as spring_hertz."""
    @stiffness.setter
    def stiffness(self, value: _Number, /) -> None: ...
    @property
    def damping(self) -> float:
        """Damping of the spring, N s/m, >= 0; with stiffness 0 it is a damper."""
    @damping.setter
    def damping(self, value: _Number, /) -> None: ...
    @property
    def spring_target(self) -> float:
        """Length at which the spring rests, metres; None: as it is now."""
    @spring_target.setter
    def spring_target(self, value: _Number | None, /) -> None: ...
    @property
    def max_force(self) -> float:
        """The most that it holds with, N, >= 0; inf (or None): any. With a bound it is a spring of its joint_hertz, or the world's, where it has no other."""
    @max_force.setter
    def max_force(self, value: _Number | None, /) -> None: ...
    @property
    def joint_hertz(self) -> float | None:
        """Frequency of the spring that holds in place of an exact solution, Hz, > 0. None: the world's; if joint_damping_ratio is None too, it holds exactly."""
    @joint_hertz.setter
    def joint_hertz(self, value: _Number | None, /) -> None: ...
    @property
    def joint_damping_ratio(self) -> float | None:
        """Damping ratio of that spring, >= 0; 1 is critical; None: the world's."""
    @joint_damping_ratio.setter
    def joint_damping_ratio(self, value: _Number | None, /) -> None: ...
    @property
    def break_force(self) -> float:
        """The joint breaks when |force| of a step is more, N, >= 0; inf (or None): never."""
    @break_force.setter
    def break_force(self, value: _Number | None, /) -> None: ...

@final
class PrismaticJoint(Joint):
    """A body slides along an axis of another and does not turn against it.

    Made by World.add_prismatic_joint.
    """

    @property
    def axis(self) -> _Floats:
        """Direction of the axis now, shape (2,), unit, world; it turns with a."""
    @property
    def translation(self) -> float:
        """Displacement of b along the axis from the anchor of a, metres."""
    @property
    def speed(self) -> float:
        """Rate of the translation, m/s."""
    def set_limits(self, lower: _Number | None, upper: _Number | None) -> None:
        """Move both limits at once, in any direction. Wakes the bodies.

        Parameters
        ----------
        lower, upper : float or None
            In the unit of the properties lower and upper; None: no limit on that side.

        Raises
        ------
        ValueError
            For lower > upper, NaN, or a number out of range: nothing is changed.
        TypeError
            For what is no number.
        RemovedError
            When the joint has been removed.

        Examples
        --------
        >>> world = World()
        >>> door = world.add_body(Box(1, 0.1), (0.5, 0))
        >>> hinge = world.add_revolute_joint(None, door, anchor=(0, 0), lower=0, upper=1)
        >>> hinge.set_limits(2, 3)
        >>> hinge.lower, hinge.upper
        (2.0, 3.0)
        """
    @property
    def lower(self) -> float:
        """Lower limit, metres; -inf (or None): none."""
    @lower.setter
    def lower(self, value: _Number | None, /) -> None: ...
    @property
    def upper(self) -> float:
        """Upper limit, metres; inf (or None): none."""
    @upper.setter
    def upper(self, value: _Number | None, /) -> None: ...
    @property
    def motor_speed(self) -> float:
        """Speed that the motor aims at, m/s."""
    @motor_speed.setter
    def motor_speed(self, value: _Number, /) -> None: ...
    @property
    def max_motor_force(self) -> float:
        """The most that the motor gives, N, >= 0; 0: no motor."""
    @max_motor_force.setter
    def max_motor_force(self, value: _Number, /) -> None: ...
    @property
    def spring_hertz(self) -> float:
        """Frequency of the spring of the translation, Hz, >= 0; 0: none."""
    @spring_hertz.setter
    def spring_hertz(self, value: _Number, /) -> None: ...
    @property
    def spring_damping_ratio(self) -> float:
        """Damping ratio of the spring, >= 0; 1 is critical."""
    @spring_damping_ratio.setter
    def spring_damping_ratio(self, value: _Number, /) -> None: ...
    @property
    def stiffness(self) -> float:
        """Stiffness of the spring, N/m, >= 0; spring_hertz follows from it. 0: it was given as spring_hertz."""
    @stiffness.setter
    def stiffness(self, value: _Number, /) -> None: ...
    @property
    def damping(self) -> float:
        """Damping of the spring, N s/m, >= 0; with stiffness 0 it is a damper."""
    @damping.setter
    def damping(self, value: _Number, /) -> None: ...
    @property
    def spring_target(self) -> float:
        """Translation at which the spring rests, metres."""
    @spring_target.setter
    def spring_target(self, value: _Number, /) -> None: ...
    @property
    def max_force(self) -> float:
        """The most that it holds with, N, >= 0; inf (or None): any. With a bound it is a spring of its joint_hertz, or the world's, where it has no other."""
    @max_force.setter
    def max_force(self, value: _Number | None, /) -> None: ...
    @property
    def max_torque(self) -> float:
        """The most that it holds the angle with, N m, >= 0; inf (or None): any."""
    @max_torque.setter
    def max_torque(self, value: _Number | None, /) -> None: ...
    @property
    def joint_hertz(self) -> float | None:
        """Frequency of the spring that holds in place of an exact solution, Hz, > 0. None: the world's; if joint_damping_ratio is None too, it holds exactly."""
    @joint_hertz.setter
    def joint_hertz(self, value: _Number | None, /) -> None: ...
    @property
    def joint_damping_ratio(self) -> float | None:
        """Damping ratio of that spring, >= 0; 1 is critical; None: the world's."""
    @joint_damping_ratio.setter
    def joint_damping_ratio(self, value: _Number | None, /) -> None: ...
    @property
    def break_force(self) -> float:
        """The joint breaks when |force| of a step is more, N, >= 0; inf (or None): never."""
    @break_force.setter
    def break_force(self, value: _Number | None, /) -> None: ...
    @property
    def break_torque(self) -> float:
        """The joint breaks when |torque| of a step is more, N m, >= 0; inf (or None): never."""
    @break_torque.setter
    def break_torque(self, value: _Number | None, /) -> None: ...

@final
class WeldJoint(Joint):
    """Two bodies are one, rigidly or softly in place, angle or both.

    Made by World.add_weld_joint.
    """

    @property
    def angle(self) -> float:
        """Angle of b relative to a, radians, 0 when the joint was made."""
    @property
    def spring_hertz(self) -> float:
        """Frequency of the spring of the place, and of the angle where that has none of its own, Hz, >= 0; 0: none."""
    @spring_hertz.setter
    def spring_hertz(self, value: _Number, /) -> None: ...
    @property
    def spring_damping_ratio(self) -> float:
        """Damping ratio of the spring, >= 0; 1 is critical."""
    @spring_damping_ratio.setter
    def spring_damping_ratio(self, value: _Number, /) -> None: ...
    @property
    def angular_spring_hertz(self) -> float | None:
        """Frequency of the angle's own spring, Hz, >= 0; 0: the angle is held; None: place and angle are on one spring."""
    @angular_spring_hertz.setter
    def angular_spring_hertz(self, value: _Number | None, /) -> None: ...
    @property
    def angular_spring_damping_ratio(self) -> float | None:
        """Damping ratio of the angle's spring, >= 0; 1 is critical; None: the other one's."""
    @angular_spring_damping_ratio.setter
    def angular_spring_damping_ratio(self, value: _Number | None, /) -> None: ...
    @property
    def stiffness(self) -> float:
        """Stiffness of the spring, N/m, >= 0; spring_hertz follows from it. 0: it was given as spring_hertz."""
    @stiffness.setter
    def stiffness(self, value: _Number, /) -> None: ...
    @property
    def damping(self) -> float:
        """Damping of the spring, N s/m, >= 0; with stiffness 0 it is a damper."""
    @damping.setter
    def damping(self, value: _Number, /) -> None: ...
    @property
    def angular_stiffness(self) -> float:
        """Stiffness of the angle's own spring, N m/rad, >= 0; angular_spring_hertz follows from it. 0: it was given as angular_spring_hertz."""
    @angular_stiffness.setter
    def angular_stiffness(self, value: _Number, /) -> None: ...
    @property
    def angular_damping(self) -> float:
        """Damping of the angle's own spring, N m s/rad, >= 0; with stiffness 0 it is a damper."""
    @angular_damping.setter
    def angular_damping(self, value: _Number, /) -> None: ...
    @property
    def max_force(self) -> float:
        """The most that it holds with, N, >= 0; inf (or None): any. With a bound it is a spring of its joint_hertz, or the world's, where it has no other."""
    @max_force.setter
    def max_force(self, value: _Number | None, /) -> None: ...
    @property
    def max_torque(self) -> float:
        """The most that it holds the angle with, N m, >= 0; inf (or None): any."""
    @max_torque.setter
    def max_torque(self, value: _Number | None, /) -> None: ...
    @property
    def joint_hertz(self) -> float | None:
        """Frequency of the spring that holds in place of an exact solution, Hz, > 0. None: the world's; if joint_damping_ratio is None too, it holds exactly."""
    @joint_hertz.setter
    def joint_hertz(self, value: _Number | None, /) -> None: ...
    @property
    def joint_damping_ratio(self) -> float | None:
        """Damping ratio of that spring, >= 0; 1 is critical; None: the world's."""
    @joint_damping_ratio.setter
    def joint_damping_ratio(self, value: _Number | None, /) -> None: ...
    @property
    def break_force(self) -> float:
        """The joint breaks when |force| of a step is more, N, >= 0; inf (or None): never."""
    @break_force.setter
    def break_force(self, value: _Number | None, /) -> None: ...
    @property
    def break_torque(self) -> float:
        """The joint breaks when |torque| of a step is more, N m, >= 0; inf (or None): never."""
    @break_torque.setter
    def break_torque(self, value: _Number | None, /) -> None: ...

@final
class WheelJoint(Joint):
    """A wheel on a suspension: b turns freely and slides along an axis of a.

    Made by World.add_wheel_joint.
    """

    @property
    def axis(self) -> _Floats:
        """Direction of the axis now, shape (2,), unit, world; it turns with a."""
    @property
    def translation(self) -> float:
        """Displacement of b along the axis from the anchor of a, metres."""
    @property
    def angle(self) -> float:
        """Angle of b relative to a, radians, 0 when the joint was made."""
    @property
    def speed(self) -> float:
        """Rate of the angle, rad/s."""
    def set_limits(self, lower: _Number | None, upper: _Number | None) -> None:
        """Move both limits at once, in any direction. Wakes the bodies.

        Parameters
        ----------
        lower, upper : float or None
            In the unit of the properties lower and upper; None: no limit on that side.

        Raises
        ------
        ValueError
            For lower > upper, NaN, or a number out of range: nothing is changed.
        TypeError
            For what is no number.
        RemovedError
            When the joint has been removed.

        Examples
        --------
        >>> world = World()
        >>> door = world.add_body(Box(1, 0.1), (0.5, 0))
        >>> hinge = world.add_revolute_joint(None, door, anchor=(0, 0), lower=0, upper=1)
        >>> hinge.set_limits(2, 3)
        >>> hinge.lower, hinge.upper
        (2.0, 3.0)
        """
    @property
    def lower(self) -> float:
        """Lower limit, metres, of the translation; -inf (or None): none."""
    @lower.setter
    def lower(self, value: _Number | None, /) -> None: ...
    @property
    def upper(self) -> float:
        """Upper limit, metres, of the translation; inf (or None): none."""
    @upper.setter
    def upper(self, value: _Number | None, /) -> None: ...
    @property
    def motor_speed(self) -> float:
        """Speed that the motor aims at, rad/s."""
    @motor_speed.setter
    def motor_speed(self, value: _Number, /) -> None: ...
    @property
    def max_motor_torque(self) -> float:
        """The most that the motor gives, N m, >= 0; 0: no motor."""
    @max_motor_torque.setter
    def max_motor_torque(self, value: _Number, /) -> None: ...
    @property
    def spring_hertz(self) -> float:
        """Frequency of the spring of the translation, Hz, >= 0; 0: none."""
    @spring_hertz.setter
    def spring_hertz(self, value: _Number, /) -> None: ...
    @property
    def spring_damping_ratio(self) -> float:
        """Damping ratio of the spring, >= 0; 1 is critical."""
    @spring_damping_ratio.setter
    def spring_damping_ratio(self, value: _Number, /) -> None: ...
    @property
    def stiffness(self) -> float:
        """Stiffness of the spring, N/m, >= 0; spring_hertz follows from it. 0: it was given as spring_hertz."""
    @stiffness.setter
    def stiffness(self, value: _Number, /) -> None: ...
    @property
    def damping(self) -> float:
        """Damping of the spring, N s/m, >= 0; with stiffness 0 it is a damper."""
    @damping.setter
    def damping(self, value: _Number, /) -> None: ...
    @property
    def spring_target(self) -> float:
        """Translation at which the spring rests, metres."""
    @spring_target.setter
    def spring_target(self, value: _Number, /) -> None: ...
    @property
    def max_force(self) -> float:
        """The most that it holds with, N, >= 0; inf (or None): any. With a bound it is a spring of its joint_hertz, or the world's, where it has no other."""
    @max_force.setter
    def max_force(self, value: _Number | None, /) -> None: ...
    @property
    def joint_hertz(self) -> float | None:
        """Frequency of the spring that holds in place of an exact solution, Hz, > 0. None: the world's; if joint_damping_ratio is None too, it holds exactly."""
    @joint_hertz.setter
    def joint_hertz(self, value: _Number | None, /) -> None: ...
    @property
    def joint_damping_ratio(self) -> float | None:
        """Damping ratio of that spring, >= 0; 1 is critical; None: the world's."""
    @joint_damping_ratio.setter
    def joint_damping_ratio(self, value: _Number | None, /) -> None: ...
    @property
    def break_force(self) -> float:
        """The joint breaks when |force| of a step is more, N, >= 0; inf (or None): never."""
    @break_force.setter
    def break_force(self, value: _Number | None, /) -> None: ...
    @property
    def break_torque(self) -> float:
        """The joint breaks when |torque| of a step is more, N m, >= 0; inf (or None): never."""
    @break_torque.setter
    def break_torque(self, value: _Number | None, /) -> None: ...

@final
class MotorJoint(Joint):
    """Pulls b to a pose relative to a, or drives it at a velocity, with bounded force.

    Made by World.add_motor_joint.
    """

    @property
    def angle(self) -> float:
        """Angle of b against a, radians."""
    @property
    def offset(self) -> _Floats:
        """Target of b's anchor relative to a's while spring_hertz > 0; shape (2,), metres, frame of a; None: the present one."""
    @offset.setter
    def offset(self, value: npt.ArrayLike | None, /) -> None: ...
    @property
    def angle_offset(self) -> float:
        """Target of the angle of b relative to a while spring_hertz > 0; radians; None: the present one."""
    @angle_offset.setter
    def angle_offset(self, value: _Number | None, /) -> None: ...
    @property
    def linear_velocity(self) -> _Floats:
        """Target of the velocity of b relative to a while spring_hertz is 0; shape (2,), m/s, world."""
    @linear_velocity.setter
    def linear_velocity(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def angular_velocity(self) -> float:
        """Target of the angular velocity of b relative to a while spring_hertz is 0; rad/s."""
    @angular_velocity.setter
    def angular_velocity(self, value: _Number, /) -> None: ...
    @property
    def max_force(self) -> float:
        """Largest force of its pull, N, >= 0; inf (or None): unbounded."""
    @max_force.setter
    def max_force(self, value: _Number | None, /) -> None: ...
    @property
    def max_torque(self) -> float:
        """Largest torque, N m, >= 0; inf (or None): unbounded."""
    @max_torque.setter
    def max_torque(self, value: _Number | None, /) -> None: ...
    @property
    def spring_hertz(self) -> float:
        """Frequency of the spring to the offsets, Hz, >= 0; 0: it is driven at the velocities; None: 0 where a velocity other than 0 is given, else 5."""
    @spring_hertz.setter
    def spring_hertz(self, value: _Number | None, /) -> None: ...
    @property
    def spring_damping_ratio(self) -> float:
        """Damping ratio of the spring, >= 0; 1 is critical."""
    @spring_damping_ratio.setter
    def spring_damping_ratio(self, value: _Number, /) -> None: ...
    @property
    def angular_spring_hertz(self) -> float | None:
        """Frequency of the angle's own spring, Hz, >= 0; 0: the angle is driven at angular_velocity; None: place and angle are on one spring, or driven."""
    @angular_spring_hertz.setter
    def angular_spring_hertz(self, value: _Number | None, /) -> None: ...
    @property
    def angular_spring_damping_ratio(self) -> float | None:
        """Damping ratio of the angle's spring, >= 0; 1 is critical; None: the other one's."""
    @angular_spring_damping_ratio.setter
    def angular_spring_damping_ratio(self, value: _Number | None, /) -> None: ...
    @property
    def stiffness(self) -> float:
        """Stiffness of the spring, N/m, >= 0; spring_hertz follows from it. 0: it was given as spring_hertz."""
    @stiffness.setter
    def stiffness(self, value: _Number, /) -> None: ...
    @property
    def damping(self) -> float:
        """Damping of the spring, N s/m, >= 0; with stiffness 0 it is a damper."""
    @damping.setter
    def damping(self, value: _Number, /) -> None: ...
    @property
    def angular_stiffness(self) -> float:
        """Stiffness of the angle's own spring, N m/rad, >= 0; angular_spring_hertz follows from it. 0: it was given as angular_spring_hertz."""
    @angular_stiffness.setter
    def angular_stiffness(self, value: _Number, /) -> None: ...
    @property
    def angular_damping(self) -> float:
        """Damping of the angle's own spring, N m s/rad, >= 0; with stiffness 0 it is a damper."""
    @angular_damping.setter
    def angular_damping(self, value: _Number, /) -> None: ...
    @property
    def break_force(self) -> float:
        """The joint breaks when |force| of a step is more, N, >= 0; inf (or None): never."""
    @break_force.setter
    def break_force(self, value: _Number | None, /) -> None: ...
    @property
    def break_torque(self) -> float:
        """The joint breaks when |torque| of a step is more, N m, >= 0; inf (or None): never."""
    @break_torque.setter
    def break_torque(self, value: _Number | None, /) -> None: ...

@final
class MouseJoint(Joint):
    """Pulls a point of a body to a target in the world, with bounded force.

    Made by World.add_mouse_joint.
    """

    @property
    def target(self) -> _Floats:
        """Point that the body is pulled to, shape (2,), metres, world; None: where it is now."""
    @target.setter
    def target(self, value: npt.ArrayLike | None, /) -> None: ...
    @property
    def max_force(self) -> float:
        """Largest force of its pull, N, >= 0; inf (or None): unbounded."""
    @max_force.setter
    def max_force(self, value: _Number | None, /) -> None: ...
    @property
    def spring_hertz(self) -> float:
        """Frequency of the spring of the place, Hz, >= 0; 0: none."""
    @spring_hertz.setter
    def spring_hertz(self, value: _Number, /) -> None: ...
    @property
    def spring_damping_ratio(self) -> float:
        """Damping ratio of the spring, >= 0; 1 is critical."""
    @spring_damping_ratio.setter
    def spring_damping_ratio(self, value: _Number, /) -> None: ...
    @property
    def stiffness(self) -> float:
        """Stiffness of the spring, N/m, >= 0; spring_hertz follows from it. 0: it was given as spring_hertz."""
    @stiffness.setter
    def stiffness(self, value: _Number, /) -> None: ...
    @property
    def damping(self) -> float:
        """Damping of the spring, N s/m, >= 0; with stiffness 0 it is a damper."""
    @damping.setter
    def damping(self, value: _Number, /) -> None: ...
    @property
    def break_force(self) -> float:
        """The joint breaks when |force| of a step is more, N, >= 0; inf (or None): never."""
    @break_force.setter
    def break_force(self, value: _Number | None, /) -> None: ...

@final
class FilterJoint(Joint):
    """Two bodies do not collide with each other.

    Made by World.add_filter_joint.
    """

@final
class PulleyJoint(Joint):
    """A rope from one body over two fixed points to another.

    Made by World.add_pulley_joint.
    """

    @property
    def ground_a(self) -> _Floats:
        """Point over which the rope of a runs, shape (2,), metres, world."""
    @property
    def ground_b(self) -> _Floats:
        """Point over which the rope of b runs, shape (2,), metres, world."""
    @property
    def ratio(self) -> float:
        """How many times the rope of b counts in the length."""
    @property
    def length_a(self) -> float:
        """Length of the rope of a now, metres."""
    @property
    def length_b(self) -> float:
        """Length of the rope of b now, metres."""
    @property
    def length(self) -> float:
        """length_a + ratio length_b now, metres."""
    @property
    def speed(self) -> float:
        """Rate of the length, m/s."""
    def set_limits(self, lower: _Number | None, upper: _Number | None) -> None:
        """Move both limits at once, in any direction. Wakes the bodies.

        Parameters
        ----------
        lower, upper : float or None
            In the unit of the properties lower and upper; None: no limit on that side.

        Raises
        ------
        ValueError
            For lower > upper, NaN, or a number out of range: nothing is changed.
        TypeError
            For what is no number.
        RemovedError
            When the joint has been removed.

        Examples
        --------
        >>> world = World()
        >>> door = world.add_body(Box(1, 0.1), (0.5, 0))
        >>> hinge = world.add_revolute_joint(None, door, anchor=(0, 0), lower=0, upper=1)
        >>> hinge.set_limits(2, 3)
        >>> hinge.lower, hinge.upper
        (2.0, 3.0)
        """
    @property
    def lower(self) -> float:
        """Lower limit, metres, >= 0; 0 (or None): none."""
    @lower.setter
    def lower(self, value: _Number | None, /) -> None: ...
    @property
    def upper(self) -> float:
        """Upper limit, metres, >= 0; inf (or None): none."""
    @upper.setter
    def upper(self, value: _Number | None, /) -> None: ...
    @property
    def motor_speed(self) -> float:
        """Speed that the motor aims at, m/s; positive lets rope out."""
    @motor_speed.setter
    def motor_speed(self, value: _Number, /) -> None: ...
    @property
    def max_motor_force(self) -> float:
        """The most that the motor pulls a with, N, >= 0; 0: no motor."""
    @max_motor_force.setter
    def max_motor_force(self, value: _Number, /) -> None: ...
    @property
    def max_force(self) -> float:
        """The most that it holds with, N, >= 0; inf (or None): any. With a bound it is a spring of its joint_hertz, or the world's, where it has no other."""
    @max_force.setter
    def max_force(self, value: _Number | None, /) -> None: ...
    @property
    def joint_hertz(self) -> float | None:
        """Frequency of the spring that holds in place of an exact solution, Hz, > 0. None: the world's; if joint_damping_ratio is None too, it holds exactly."""
    @joint_hertz.setter
    def joint_hertz(self, value: _Number | None, /) -> None: ...
    @property
    def joint_damping_ratio(self) -> float | None:
        """Damping ratio of that spring, >= 0; 1 is critical; None: the world's."""
    @joint_damping_ratio.setter
    def joint_damping_ratio(self, value: _Number | None, /) -> None: ...
    @property
    def break_force(self) -> float:
        """The joint breaks when |force| of a step is more, N, >= 0; inf (or None): never."""
    @break_force.setter
    def break_force(self, value: _Number | None, /) -> None: ...

@final
class RatchetJoint(Joint):
    """A body turns relative to another in one direction only, tooth by tooth.

    Made by World.add_ratchet_joint.
    """

    @property
    def angle(self) -> float:
        """Angle of b relative to a, radians, 0 at the start; counts full turns."""
    @property
    def speed(self) -> float:
        """Rate of the angle, rad/s."""
    @property
    def tooth(self) -> float:
        """Angle between teeth, radians, not 0; positive teeth let the angle grow."""
    @tooth.setter
    def tooth(self, value: _Number, /) -> None: ...
    @property
    def phase(self) -> float:
        """Angle of a tooth, radians."""
    @phase.setter
    def phase(self, value: _Number, /) -> None: ...
    @property
    def max_torque(self) -> float:
        """The most that it holds the angle with, N m, >= 0; inf (or None): any."""
    @max_torque.setter
    def max_torque(self, value: _Number | None, /) -> None: ...
    @property
    def joint_hertz(self) -> float | None:
        """Frequency of the spring that holds in place of an exact solution, Hz, > 0. None: the world's; if joint_damping_ratio is None too, it holds exactly."""
    @joint_hertz.setter
    def joint_hertz(self, value: _Number | None, /) -> None: ...
    @property
    def joint_damping_ratio(self) -> float | None:
        """Damping ratio of that spring, >= 0; 1 is critical; None: the world's."""
    @joint_damping_ratio.setter
    def joint_damping_ratio(self, value: _Number | None, /) -> None: ...
    @property
    def break_torque(self) -> float:
        """The joint breaks when |torque| of a step is more, N m, >= 0; inf (or None): never."""
    @break_torque.setter
    def break_torque(self, value: _Number | None, /) -> None: ...

@final
class GearJoint(Joint):
    """Angles or translations of two joints move in a fixed ratio.

    body_a and body_b are the bodies b of the two joints; force and torque are those that the
    gear gives body_b, which has the same from its joint. A gear goes with either of its joints.
    Made by World.add_gear_joint.
    """

    @property
    def joint_a(self) -> RevoluteJoint | PrismaticJoint | RotaryJoint:
        """The first joint."""
    @property
    def joint_b(self) -> RevoluteJoint | PrismaticJoint | RotaryJoint:
        """The second joint."""
    @property
    def ratio(self) -> float:
        """Ratio of the gear, not 0. Setting it keeps the present position as phase."""
    @ratio.setter
    def ratio(self, value: _Number, /) -> None: ...
    @property
    def phase(self) -> float:
        """Value at which position is held; None: the present one."""
    @phase.setter
    def phase(self, value: _Number | None, /) -> None: ...
    @property
    def position(self) -> float:
        """Coordinate of joint_a plus ratio times that of joint_b, now."""
    @property
    def speed(self) -> float:
        """Rate of the position."""
    @property
    def max_torque(self) -> float:
        """The most that it gives body b of joint_a, N m, or N where that slides, >= 0; inf (or None): any."""
    @max_torque.setter
    def max_torque(self, value: _Number | None, /) -> None: ...
    @property
    def joint_hertz(self) -> float | None:
        """Frequency of the spring that holds in place of an exact solution, Hz, > 0. None: the world's; if joint_damping_ratio is None too, it holds exactly."""
    @joint_hertz.setter
    def joint_hertz(self, value: _Number | None, /) -> None: ...
    @property
    def joint_damping_ratio(self) -> float | None:
        """Damping ratio of that spring, >= 0; 1 is critical; None: the world's."""
    @joint_damping_ratio.setter
    def joint_damping_ratio(self, value: _Number | None, /) -> None: ...
    @property
    def break_force(self) -> float:
        """The joint breaks when |force| of a step is more, N, >= 0; inf (or None): never."""
    @break_force.setter
    def break_force(self, value: _Number | None, /) -> None: ...
    @property
    def break_torque(self) -> float:
        """The joint breaks when |torque| of a step is more, N m, >= 0; inf (or None): never."""
    @break_torque.setter
    def break_torque(self, value: _Number | None, /) -> None: ...

@final
class RotaryJoint(Joint):
    """The angle between two bodies has limits, a motor or a spring.

    Made by World.add_rotary_joint.
    """

    @property
    def angle(self) -> float:
        """Angle of b relative to a, radians, 0 at the start; counts full turns."""
    @property
    def speed(self) -> float:
        """Rate of the angle, rad/s."""
    def set_limits(self, lower: _Number | None, upper: _Number | None) -> None:
        """Move both limits at once, in any direction. Wakes the bodies.

        Parameters
        ----------
        lower, upper : float or None
            In the unit of the properties lower and upper; None: no limit on that side.

        Raises
        ------
        ValueError
            For lower > upper, NaN, or a number out of range: nothing is changed.
        TypeError
            For what is no number.
        RemovedError
            When the joint has been removed.

        Examples
        --------
        >>> world = World()
        >>> door = world.add_body(Box(1, 0.1), (0.5, 0))
        >>> hinge = world.add_revolute_joint(None, door, anchor=(0, 0), lower=0, upper=1)
        >>> hinge.set_limits(2, 3)
        >>> hinge.lower, hinge.upper
        (2.0, 3.0)
        """
    @property
    def lower(self) -> float:
        """Lower limit, radians; -inf (or None): none."""
    @lower.setter
    def lower(self, value: _Number | None, /) -> None: ...
    @property
    def upper(self) -> float:
        """Upper limit, radians; inf (or None): none."""
    @upper.setter
    def upper(self, value: _Number | None, /) -> None: ...
    @property
    def motor_speed(self) -> float:
        """Speed that the motor aims at, rad/s."""
    @motor_speed.setter
    def motor_speed(self, value: _Number, /) -> None: ...
    @property
    def max_motor_torque(self) -> float:
        """The most that the motor gives, N m, >= 0; 0: no motor."""
    @max_motor_torque.setter
    def max_motor_torque(self, value: _Number, /) -> None: ...
    @property
    def spring_hertz(self) -> float:
        """Frequency of the spring of the angle, Hz, >= 0; 0: none."""
    @spring_hertz.setter
    def spring_hertz(self, value: _Number, /) -> None: ...
    @property
    def spring_damping_ratio(self) -> float:
        """Damping ratio of the spring, >= 0; 1 is critical."""
    @spring_damping_ratio.setter
    def spring_damping_ratio(self, value: _Number, /) -> None: ...
    @property
    def stiffness(self) -> float:
        """Stiffness of the spring, N m/rad, >= 0; spring_hertz follows from it. 0: it was given as spring_hertz."""
    @stiffness.setter
    def stiffness(self, value: _Number, /) -> None: ...
    @property
    def damping(self) -> float:
        """Damping of the spring, N m s/rad, >= 0; with stiffness 0 it is a damper."""
    @damping.setter
    def damping(self, value: _Number, /) -> None: ...
    @property
    def spring_target(self) -> float:
        """Angle at which the spring rests, radians."""
    @spring_target.setter
    def spring_target(self, value: _Number, /) -> None: ...
    @property
    def max_torque(self) -> float:
        """The most that it holds the angle with, N m, >= 0; inf (or None): any."""
    @max_torque.setter
    def max_torque(self, value: _Number | None, /) -> None: ...
    @property
    def joint_hertz(self) -> float | None:
        """Frequency of the spring that holds in place of an exact solution, Hz, > 0. None: the world's; if joint_damping_ratio is None too, it holds exactly."""
    @joint_hertz.setter
    def joint_hertz(self, value: _Number | None, /) -> None: ...
    @property
    def joint_damping_ratio(self) -> float | None:
        """Damping ratio of that spring, >= 0; 1 is critical; None: the world's."""
    @joint_damping_ratio.setter
    def joint_damping_ratio(self, value: _Number | None, /) -> None: ...
    @property
    def break_torque(self) -> float:
        """The joint breaks when |torque| of a step is more, N m, >= 0; inf (or None): never."""
    @break_torque.setter
    def break_torque(self, value: _Number | None, /) -> None: ...

@final
class Wind:
    """Uniform flow of air against the outlines of bodies.

    Made by World.add_wind, taken away by World.remove; use after that raises RemovedError.
    Assigning to a property wakes the bodies that the field reaches.
    """

    __hash__: Any
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def index(self) -> int:
        """Number of the field in its world."""
    @property
    def id(self) -> int:
        """Number that is never used again in its world."""
    @property
    def world(self) -> World:
        """The World."""
    @property
    def alive(self) -> bool:
        """Whether the field still exists."""
    @property
    def mask(self) -> int:
        """Bits of the categories of colliders that it acts on."""
    @mask.setter
    def mask(self, value: SupportsIndex, /) -> None: ...
    @property
    def velocity(self) -> _Floats:
        """Velocity of the air, shape (2,), m/s. A value: assign to change it."""
    @velocity.setter
    def velocity(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def density(self) -> float:
        """Density of the air, kg/m^2, >= 0."""
    @density.setter
    def density(self, value: _Number, /) -> None: ...
    @property
    def drag(self) -> float:
        """Coefficient of the force along the flow, >= 0."""
    @drag.setter
    def drag(self, value: _Number, /) -> None: ...
    @property
    def lift(self) -> float:
        """Coefficient of the pressure on what faces the flow, >= 0."""
    @lift.setter
    def lift(self, value: _Number, /) -> None: ...

@final
class SpringLaw:
    """Springs of a law that is a function of yours.

    Made by World.add_spring_law.
    """

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, a tuple: row i of the arrays is joints[i]."""
    @property
    def function(self) -> Callable[[_Floats, _Floats], npt.ArrayLike]:
        """What says the forces."""
    @property
    def world(self) -> World:
        """The World."""
    @property
    def alive(self) -> bool:
        """Whether it has not been removed."""
    def remove(self, /) -> None:
        """End the law: its joints pull no more by it. Wakes their bodies.

        Raises
        ------
        RemovedError
            When it has been removed already.
        """

@final
class PointGravity:
    """Gravity towards a point.

    Made by World.add_point_gravity, taken away by World.remove; use after that raises RemovedError.
    Assigning to a property wakes the bodies that the field reaches.
    """

    __hash__: Any
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def index(self) -> int:
        """Number of the field in its world."""
    @property
    def id(self) -> int:
        """Number that is never used again in its world."""
    @property
    def world(self) -> World:
        """The World."""
    @property
    def alive(self) -> bool:
        """Whether the field still exists."""
    @property
    def mask(self) -> int:
        """Bits of the categories of colliders that it acts on."""
    @mask.setter
    def mask(self, value: SupportsIndex, /) -> None: ...
    @property
    def center(self) -> _Floats:
        """World point, shape (2,), m. A value: assign to change it."""
    @center.setter
    def center(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def strength(self) -> float:
        """Acceleration towards the center at a distance of 1 m; < 0: away."""
    @strength.setter
    def strength(self, value: _Number, /) -> None: ...
    @property
    def power(self) -> float:
        """The acceleration falls with this power of the distance; -8 to 8, whole."""
    @power.setter
    def power(self, value: _Number, /) -> None: ...
    @property
    def softening(self) -> float:
        """Metres, >= 0: what is nearer is drawn less."""
    @softening.setter
    def softening(self, value: _Number, /) -> None: ...
    @property
    def radius(self) -> float:
        """Metres, >= 0: what is further is left alone."""
    @radius.setter
    def radius(self, value: _Number, /) -> None: ...

@final
class Bodies:
    """Live collection of the bodies of a World.

    Iterating goes over the living ones in slot order; [i] looks slot i up and raises KeyError
    when it is empty. ['name'] is the one body of that name, KeyError when none or several have it.
    """

    def __len__(self) -> int: ...
    def __getitem__(self, index: SupportsIndex | str, /) -> Body: ...
    def __contains__(self, member: object, /) -> bool: ...
    def __iter__(self) -> CollectionIterator[Body]: ...
    def by_id(self, id: SupportsIndex, /) -> Body | None:
        """The member with that id, or None when it has been removed.

        Ids, unlike indices, are never given out again: this tells whether what an event is about is
        still there.

        Parameters
        ----------
        id : int
            As member.id, or a column such as body_id_a of an event.

        Raises
        ------
        TypeError
            When it is no integer.

        Examples
        --------
        >>> world = World()
        >>> ball = world.add_body(Circle(0.5))
        >>> world.bodies.by_id(ball.id) == ball
        True
        >>> world.remove(ball)
        >>> world.bodies.by_id(ball.id) is None
        True
        """
    def _repr_html_(self, /) -> str | None: ...

@final
class Colliders:
    """Live collection of the colliders of a World.

    Iterating goes by index; [i] raises KeyError when there is none.
    """

    def __len__(self) -> int: ...
    def __getitem__(self, index: SupportsIndex, /) -> Collider: ...
    def __contains__(self, member: object, /) -> bool: ...
    def __iter__(self) -> CollectionIterator[Collider]: ...
    def by_id(self, id: SupportsIndex, /) -> Collider | None:
        """The member with that id, or None when it has been removed.

        Ids, unlike indices, are never given out again: this tells whether what an event is about is
        still there.

        Parameters
        ----------
        id : int
            As member.id, or a column such as body_id_a of an event.

        Raises
        ------
        TypeError
            When it is no integer.

        Examples
        --------
        >>> world = World()
        >>> ball = world.add_body(Circle(0.5))
        >>> world.bodies.by_id(ball.id) == ball
        True
        >>> world.remove(ball)
        >>> world.bodies.by_id(ball.id) is None
        True
        """
    def _repr_html_(self, /) -> str | None: ...

@final
class Joints:
    """Live collection of the joints of a World.

    Iterating goes by index; [i] raises KeyError when there is none.
    """

    def __len__(self) -> int: ...
    def __getitem__(self, index: SupportsIndex, /) -> Joint: ...
    def __contains__(self, member: object, /) -> bool: ...
    def __iter__(self) -> CollectionIterator[Joint]: ...
    def by_id(self, id: SupportsIndex, /) -> Joint | None:
        """The member with that id, or None when it has been removed.

        Ids, unlike indices, are never given out again: this tells whether what an event is about is
        still there.

        Parameters
        ----------
        id : int
            As member.id, or a column such as body_id_a of an event.

        Raises
        ------
        TypeError
            When it is no integer.

        Examples
        --------
        >>> world = World()
        >>> ball = world.add_body(Circle(0.5))
        >>> world.bodies.by_id(ball.id) == ball
        True
        >>> world.remove(ball)
        >>> world.bodies.by_id(ball.id) is None
        True
        """
    def _repr_html_(self, /) -> str | None: ...

@final
class Fields:
    """Live collection of the force fields of a World.

    Iterating goes by index; [i] raises KeyError when there is none.
    """

    def __len__(self) -> int: ...
    def __getitem__(self, index: SupportsIndex, /) -> _Field: ...
    def __contains__(self, member: object, /) -> bool: ...
    def __iter__(self) -> CollectionIterator[_Field]: ...
    def by_id(self, id: SupportsIndex, /) -> _Field | None:
        """The member with that id, or None when it has been removed.

        Ids, unlike indices, are never given out again: this tells whether what an event is about is
        still there.

        Parameters
        ----------
        id : int
            As member.id, or a column such as body_id_a of an event.

        Raises
        ------
        TypeError
            When it is no integer.

        Examples
        --------
        >>> world = World()
        >>> ball = world.add_body(Circle(0.5))
        >>> world.bodies.by_id(ball.id) == ball
        True
        >>> world.remove(ball)
        >>> world.bodies.by_id(ball.id) is None
        True
        """
    def _repr_html_(self, /) -> str | None: ...

@final
class CollectionIterator(Iterator[_Member]):
    """Iterator over a live collection."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> _Member: ...

@final
class StateOwner:
    """Memory of a world's live arrays; the base of the views."""

@final
class RayHit:
    """Where a ray or a moving shape first meets a collider."""

    @property
    def collider(self) -> Collider:
        """The Collider that was hit."""
    @property
    def body(self) -> Body:
        """Its Body."""
    @property
    def piece(self) -> int:
        """Number of the convex piece of the shape."""
    @property
    def point(self) -> _Floats:
        """World point, shape (2,), metres."""
    @property
    def normal(self) -> _Floats:
        """Unit normal out of the collider, shape (2,), world; zero where a shape begins deep inside."""
    @property
    def fraction(self) -> float:
        """Part of the translation or motion travelled, 0 to 1."""

@final
class Events:
    """Events of the last call of World.step, each row with its step number."""

    @property
    def contact_begin(self) -> _Rows:
        """Pairs of colliders that began to touch; structured array with columns step, body_a, body_b, collider_a, collider_b (numbers, as of that step) and body_id_a, body_id_b, collider_id_a, collider_id_b, which are never given out again, and id, the number of the contact: that of its hit, its end and its rows in World.contacts."""
    @property
    def contact_end(self) -> _Rows:
        """Pairs of colliders that ceased to touch, also by removal; columns as contact_begin."""
    @property
    def contact_hit(self) -> _Rows:
        """Contacts that began faster than hit_event_threshold; columns as contact_begin, and point and normal (world, from a to b), shape (2,), speed at which they came together (m/s) and impulse of the step (N s)."""
    @property
    def sensor_begin(self) -> _Rows:
        """Colliders b that entered a sensor a, or crossed it within the step; columns as contact_begin, but for id."""
    @property
    def sensor_end(self) -> _Rows:
        """Colliders b that left a sensor a, or crossed it within the step, also by removal or change of either; columns as contact_begin, but for id."""
    @property
    def joint_break(self) -> _Rows:
        """Joints that broke and are gone; structured array with columns step, joint, joint_id, force (N) on body b, shape (2,), and torque (N m)."""
    @property
    def sleep(self) -> _Rows:
        """Bodies that fell asleep; structured array with columns step, body and body_id."""
    @property
    def wake(self) -> _Rows:
        """Bodies that woke up; columns as sleep."""
    @property
    def body_move(self) -> _Rows:
        """Bodies whose pose changed, each once, with the last step that moved them or that came after they had been placed; columns as sleep."""

@final
class DrawList:
    """What a picture of a world needs, at one instant; made by World.draw_list."""

    @property
    def time(self) -> float:
        """Seconds of the world's clock."""
    @property
    def poses(self) -> _Floats:
        """Poses of all bodies by slot, shape (s, 3): x, y (metres, world frame) of the origin and angle (radians). NaN for slots without a body."""
    @property
    def states(self) -> npt.NDArray[np.uint8]:
        """States of all bodies by slot, shape (s,), uint8: 0 static, 1 kinematic, 2 dynamic, 3 dynamic and asleep."""
    @property
    def colliders(self) -> _Rows:
        """A row for each collider, structured array with columns radius (of a circle or of rounded corners, metres), collider, body (its slot), first, count, kind, convex, sensor and one_sided. kind 0: an area, whose outline is ring `first`, and whose holes are the count - 1 rings after it; 1: a circle, row `first` of circles; 2: the open line of ring `first`; 3: the same, closed. The solid side of a chain is to the right of its points. Colliders that share a shape share its rings."""
    @property
    def aabbs(self) -> _Floats:
        """Bounds of the rows of colliders as they are now, shape (c, 2, 2), metres, world frame."""
    @property
    def points(self) -> _Floats:
        """Points of all rings, shape (p, 2), metres, in the frame of the body. Outer rings run counter-clockwise, holes clockwise; no ring repeats its first point. The arcs of capsules and rounded polygons are vertices on the arc at most 1/64 of a turn apart, and at least two steps each."""
    @property
    def rings(self) -> npt.NDArray[np.int32]:
        """Offsets, shape (r + 1,), int32: ring k is points[rings[k]:rings[k + 1]]."""
    @property
    def circles(self) -> _Floats:
        """Shape (k, 3): centre x, y in the frame of the body and radius, metres."""
    @property
    def joints(self) -> _Rows:
        """A row for each drawing primitive of a joint, structured array with columns joint, kind, first and count: the polyline joint_points[first:first + count]. kind 0: a stem from a body to its anchor; 1: a line that holds, or a mark; 2: a line to be dashed, as an axis or a slack rope; 3: a limit."""
    @property
    def joint_points(self) -> _Floats:
        """Shape (q, 2), metres, world frame; not finite where a pose is not."""
    @property
    def contacts(self) -> _Rows:
        """The contact points, as world.contacts has them."""

@final
class Manifold:
    """Contact of two shapes; false when there is none."""

    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def _repr_svg_(self, /) -> str | None: ...
    def _repr_html_(self, /) -> str | None: ...
    @property
    def normal(self) -> _Floats:
        """Unit normal from a to b, shape (2,); NaN when there is no contact."""
    @property
    def points(self) -> _Floats:
        """Midway between the surfaces, shape (k, 2), k <= 2, metres."""
    @property
    def separations(self) -> _Floats:
        """Shape (k,), metres; negative when overlapping."""
    @property
    def features(self) -> npt.NDArray[np.uint32]:
        """Shape (k,), uint32; stable while the same features touch."""
    def __bool__(self) -> bool: ...

@final
class Distance:
    """Distance of two shapes and their closest points."""

    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @property
    def distance(self) -> float:
        """Between the surfaces, metres; 0 when they overlap."""
    @property
    def point_a(self) -> _Floats:
        """Closest point on a, shape (2,), metres."""
    @property
    def point_b(self) -> _Floats:
        """Closest point on b, shape (2,), metres."""
    @property
    def normal(self) -> _Floats:
        """Unit vector from a to b, shape (2,), also when they only touch; zero when they overlap by more than their rounding radii."""

@final
class Impact:
    """When two moving shapes meet; false when they do not."""

    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @property
    def hit(self) -> bool:
        """Whether they come close enough."""
    @property
    def fraction(self) -> float:
        """Part of the motion until then, 0 to 1; NaN without a hit."""
    @property
    def point(self) -> _Floats:
        """Midway between the closest points then, shape (2,), metres, or NaN."""
    @property
    def normal(self) -> _Floats:
        """Unit vector from a to b then, shape (2,), or NaN; zero when they begin in each other by more than their rounding radii."""
    def __bool__(self) -> bool: ...

@final
class TileHit:
    """Where a ray enters the solid of a TileMap."""

    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @property
    def row(self) -> int:
        """Row of the tile."""
    @property
    def column(self) -> int:
        """Column of the tile."""
    @property
    def fraction(self) -> float:
        """Part of the translation travelled, 0 to 1."""
    @property
    def point(self) -> _Floats:
        """Shape (2,), metres."""
    @property
    def normal(self) -> _Floats:
        """Unit normal out of the tile, shape (2,)."""

@final
class Simd:
    """Instruction set of the solver's kernels."""

    @property
    def name(self) -> str:
        """Instruction set that new worlds use."""
    @property
    def available(self) -> tuple[str, ...]:
        """Tuple of those this machine can use, best last."""

@final
class Stage:
    """The results of one stage of a step; made by World.stages.

    Its arrays have memory of their own: they stay as they are when the step goes on.
    """

    @property
    def name(self) -> str:
        """'bounds', 'pairs', 'manifolds', 'constraints', 'substep', 'restitution', 'iteration', 'continuous', 'poses' or 'events'."""
    @property
    def index(self) -> int:
        """Number among the stages of the same name in the step, from 0."""
    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays by name, in a new dict; each is an attribute too."""
    def __getattribute__(self, name: str, /) -> Any: ...
    def __dir__(self, /) -> list[str]: ...
    def _repr_html_(self, /) -> str: ...

@final
class Stages(Iterator[Stage]):
    """Iterator over the stages of one step; made by World.stages.

    The world is locked until the iteration has ended, close is called or the iterator is dropped. Also a context manager.
    """

    def __iter__(self, /) -> Self: ...
    def __next__(self, /) -> Stage: ...
    def __enter__(self, /) -> Self: ...
    def __exit__(self, /, *args: object) -> None: ...
    def close(self, /) -> None:
        """Unlock the world. Before the end of the iteration the step is not made; afterwards this does nothing."""

@final
class _Recorder:
    def __new__(
        cls,
        owner: Callable[[World], object],
        every: SupportsIndex,
        contacts: _Bool,
        joints: _Bool,
        events: _Bool,
        period: _Number,
    ) -> Self: ...
    def start(self, world: World, arena: _Floats, used: SupportsIndex, /) -> _Rows: ...
    def take(self, world: World, /) -> bool: ...
    def keep(self, world: World, arena: _Floats, used: SupportsIndex, /) -> None: ...
    def attach(self, world: World, /) -> None: ...
    def detach(self, world: World, /) -> None: ...
    @property
    def used(self) -> int: ...
    @property
    def frames(self) -> int: ...
    @property
    def frame_size(self) -> int: ...
    @property
    def rows_used(self) -> int: ...
    @property
    def due(self) -> int: ...

@disjoint_base
class World:
    """Bodies that move, collide and rest. Units are SI, y is up, angles counter-clockwise.

    Parameters
    ----------
    gravity : array_like, shape (2,)
        m/s^2.
    substeps : int
        Substeps of a step: more are stiffer and slower.
    workers : int
        Threads that a step may use; the result does not depend on it.
    solver : {'soft_step', 'sequential_impulses'}
        The engine's own, or the textbook's for lessons.
    broadphase : {'grid', 'tree', 'all_pairs'}
        Same pairs, same bits.
    sleeping : bool
        Whether quiet islands fall asleep.
    continuous : bool
        Whether fast bodies are kept from tunnelling.
    max_bodies : int
        Address space is reserved for so many.
    wrap : array_like, shape (2,), optional
        Width and height, 0.1 to 1e9 metres: what leaves on one side comes in on the other, and
        touches what is there. inf: not in that direction. Bodies must be smaller than half of it,
        and positions are in [0, width) x [0, height) after each step.
    length_unit : float
        How many of the units in which positions are given make a metre, 1e-6 to 1e6: 100 where
        boxes are about 100 pixels wide, 0.001 where parts are of a millimetre. All distances and
        speeds that are built in follow from it, and the defaults in m/s and m below; gravity
        and all that is given does not.
    **tuning
        contact_hertz=60, contact_damping_ratio=10, contact_push_speed=3 (m/s), joint_hertz=60,
        joint_damping_ratio=2, restitution_threshold=0.1 (m/s), hit_event_threshold=1 (m/s),
        max_speed=400 (m/s), max_angular_speed=1e5 (rad/s), friction_rule='geometric_mean',
        restitution_rule='max' (also 'min', 'average', 'multiply'); and for
        'sequential_impulses' iterations=10, baumgarte=0.2, slop=0.01 (m),
        warm_starting=True, accumulate=True, positional_correction=0,
        response='impulse' (or 'translate'). Each can be read back as an attribute.

    Raises
    ------
    ValueError
        For a number out of range or an unknown choice.
    TypeError
        For an unknown keyword.

    Examples
    --------
    >>> world = World(gravity=(0, -10))
    >>> ball = world.add_body(Circle(0.5), position=(0, 10))
    >>> world.step(n=60)
    >>> bool(ball.position[1] < 10)
    True
    """

    def __getitem__(self, key: Any, /) -> NoReturn: ...
    def __new__(
        cls,
        gravity: npt.ArrayLike = (0, -9.81),
        *,
        substeps: SupportsIndex = 8,
        workers: SupportsIndex = 1,
        solver: _Solver = "soft_step",
        broadphase: _Broadphase = "grid",
        sleeping: _Bool = True,
        continuous: _Bool = True,
        max_bodies: SupportsIndex = 1048576,
        wrap: npt.ArrayLike | None = None,
        length_unit: _Number = 1.0,
        contact_hertz: _Number = ...,
        contact_damping_ratio: _Number = ...,
        contact_push_speed: _Number = ...,
        joint_hertz: _Number = ...,
        joint_damping_ratio: _Number = ...,
        restitution_threshold: _Number = ...,
        hit_event_threshold: _Number = ...,
        max_speed: _Number = ...,
        max_angular_speed: _Number = ...,
        linear_damping: _Number = ...,
        angular_damping: _Number = ...,
        damping: _Number = ...,
        friction_rule: _Rule = ...,
        restitution_rule: _Rule = ...,
        iterations: SupportsIndex = ...,
        baumgarte: _Number = ...,
        slop: _Number = ...,
        warm_starting: _Bool = ...,
        accumulate: _Bool = ...,
        positional_correction: _Number = ...,
        response: _Response = ...,
    ) -> Self: ...
    def _repr_svg_(self, /) -> str | None: ...
    def _repr_html_(self, /) -> str | None: ...
    @property
    def gravity(self) -> _Floats:
        """Acceleration of free fall, shape (2,), m/s^2. A value: assign to change it; that wakes all."""
    @gravity.setter
    def gravity(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def wrap(self) -> _Floats | None:
        """Width and height of a wrapped world, shape (2,), metres (inf: not in that direction); None for a plane without end."""
    @property
    def length_unit(self) -> float:
        """Number of units of length in a metre: distances and speeds that are built in follow from it."""
    @property
    def substeps(self) -> int:
        """Substeps of a step."""
    @substeps.setter
    def substeps(self, value: SupportsIndex, /) -> None: ...
    @property
    def workers(self) -> int:
        """Number of threads that a step may use; the result does not depend on it."""
    @workers.setter
    def workers(self, value: SupportsIndex, /) -> None: ...
    @property
    def max_bodies(self) -> int:
        """Most bodies that the world can hold."""
    @property
    def iterations(self) -> int:
        """Iterations of sequential_impulses."""
    @iterations.setter
    def iterations(self, value: SupportsIndex, /) -> None: ...
    @property
    def step_count(self) -> int:
        """Number of steps made."""
    @property
    def views_moved(self) -> int:
        """Times that the live arrays have moved, so that older views show old numbers; always 0 where memory can be reserved."""
    @property
    def solver(self) -> _Solver:
        """'soft_step' or 'sequential_impulses'."""
    @solver.setter
    def solver(self, value: _Solver, /) -> None: ...
    @property
    def broadphase(self) -> _Broadphase:
        """'grid', 'tree' or 'all_pairs': same pairs, same bits."""
    @broadphase.setter
    def broadphase(self, value: _Broadphase, /) -> None: ...
    @property
    def friction_rule(self) -> _Rule:
        """Rule by which the frictions of two colliders mix."""
    @friction_rule.setter
    def friction_rule(self, value: _Rule, /) -> None: ...
    @property
    def restitution_rule(self) -> _Rule:
        """Rule by which the restitutions of two colliders mix."""
    @restitution_rule.setter
    def restitution_rule(self, value: _Rule, /) -> None: ...
    @property
    def response(self) -> _Response:
        """'impulse' or 'translate' (bodies are moved apart and keep their velocities: a bad method)."""
    @response.setter
    def response(self, value: _Response, /) -> None: ...
    @property
    def simd(self) -> str:
        """Instruction set of the solver's kernels."""
    @property
    def sleeping(self) -> bool:
        """Whether quiet islands fall asleep."""
    @sleeping.setter
    def sleeping(self, value: _Bool, /) -> None: ...
    @property
    def continuous(self) -> bool:
        """Whether fast bodies are kept from tunnelling."""
    @continuous.setter
    def continuous(self, value: _Bool, /) -> None: ...
    @property
    def warm_starting(self) -> bool:
        """Whether sequential_impulses starts from the last impulses."""
    @warm_starting.setter
    def warm_starting(self, value: _Bool, /) -> None: ...
    @property
    def accumulate(self) -> bool:
        """Whether sequential_impulses clamps the sums of impulses."""
    @accumulate.setter
    def accumulate(self, value: _Bool, /) -> None: ...
    @property
    def contact_hertz(self) -> float:
        """Stiffness of contacts between moving bodies, Hz."""
    @contact_hertz.setter
    def contact_hertz(self, value: _Number, /) -> None: ...
    @property
    def contact_damping_ratio(self) -> float:
        """Damping ratio of contacts; 1 is critical."""
    @contact_damping_ratio.setter
    def contact_damping_ratio(self, value: _Number, /) -> None: ...
    @property
    def contact_push_speed(self) -> float:
        """Highest speed at which overlap is pushed out, m/s."""
    @contact_push_speed.setter
    def contact_push_speed(self, value: _Number, /) -> None: ...
    @property
    def joint_hertz(self) -> float:
        """Stiffness of joints, Hz."""
    @joint_hertz.setter
    def joint_hertz(self, value: _Number, /) -> None: ...
    @property
    def joint_damping_ratio(self) -> float:
        """Damping ratio of joints; 1 is critical."""
    @joint_damping_ratio.setter
    def joint_damping_ratio(self, value: _Number, /) -> None: ...
    @property
    def restitution_threshold(self) -> float:
        """Contacts slower than this do not bounce, m/s."""
    @restitution_threshold.setter
    def restitution_threshold(self, value: _Number, /) -> None: ...
    @property
    def hit_event_threshold(self) -> float:
        """Contacts that begin faster than this are hits, m/s."""
    @hit_event_threshold.setter
    def hit_event_threshold(self, value: _Number, /) -> None: ...
    @property
    def max_speed(self) -> float:
        """Highest speed of a dynamic body, m/s."""
    @max_speed.setter
    def max_speed(self, value: _Number, /) -> None: ...
    @property
    def max_angular_speed(self) -> float:
        """Highest angular speed of a dynamic body, rad/s."""
    @max_angular_speed.setter
    def max_angular_speed(self, value: _Number, /) -> None: ...
    @property
    def linear_damping(self) -> float:
        """Rate at which velocities decay, 1/s; is added to that of each body."""
    @linear_damping.setter
    def linear_damping(self, value: _Number, /) -> None: ...
    @property
    def angular_damping(self) -> float:
        """Rate at which angular velocities decay, 1/s; is added to that of each body."""
    @angular_damping.setter
    def angular_damping(self, value: _Number, /) -> None: ...
    @property
    def damping(self) -> float | None:
        """linear_damping and angular_damping at once, 1/s; None while they differ."""
    @damping.setter
    def damping(self, value: _Number, /) -> None: ...
    @property
    def baumgarte(self) -> float:
        """Part of the overlap that sequential_impulses removes in a step."""
    @baumgarte.setter
    def baumgarte(self, value: _Number, /) -> None: ...
    @property
    def slop(self) -> float:
        """Overlap that sequential_impulses leaves alone, metres."""
    @slop.setter
    def slop(self, value: _Number, /) -> None: ...
    @property
    def positional_correction(self) -> float:
        """Part of the overlap that sequential_impulses moves apart by inverse mass."""
    @positional_correction.setter
    def positional_correction(self, value: _Number, /) -> None: ...
    @property
    def on_force(self) -> Callable[[World], object] | None:
        """None, or what is called with the world before every step, to apply forces; see docs/hooks.md. It may do anything to the world but step it. An exception that it raises comes out of step(), and the step is not made."""
    @on_force.setter
    def on_force(self, value: Callable[[World], object] | None, /) -> None: ...
    @property
    def on_pre_solve(self) -> Callable[[_Rows], object] | None:
        """None, or what is called in every step with a structured array of the contacts of colliders with pre_solve, before they act; see docs/hooks.md. Its columns enabled, friction, restitution and tangent_speed may be written, for this step. An exception that it raises comes out of step(), and the step is not made."""
    @on_pre_solve.setter
    def on_pre_solve(self, value: Callable[[_Rows], object] | None, /) -> None: ...
    @property
    def pair_filter(self) -> Callable[[_Rows], npt.ArrayLike] | None:
        """None, or what says which colliders may collide: in steps in which some come near each other for the first time, it is called with a structured array of these pairs (body_a, body_b, collider_a, collider_b) and returns an array of as many bools. The answer holds as long as the two are near; see docs/hooks.md. An exception that it raises comes out of step(), and the step is not made. Setting it asks about all pairs anew, as refilter does."""
    @pair_filter.setter
    def pair_filter(self, value: Callable[[_Rows], npt.ArrayLike] | None, /) -> None: ...
    @property
    def spring_laws(self) -> tuple[SpringLaw, ...]:
        """The laws of add_spring_law that have not been removed, a tuple of SpringLaw."""
    @property
    def time(self) -> float:
        """Simulated time, seconds."""
    @property
    def material_pairs(self) -> _Floats:
        """Table of pairs of materials, shape (k, k, 3): friction, restitution and rolling resistance of
        colliders whose material is the row and the column, the same in both orders; NaN: as the mixing rules
        say. Read-only; set it as a whole, to None for no materials.
        """
    @material_pairs.setter
    def material_pairs(self, value: npt.ArrayLike | None, /) -> None: ...
    @property
    def positions(self) -> _Floats:
        """Live view: origins of the bodies, shape (n, 2), metres."""
    @positions.setter
    def positions(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def angles(self) -> _Floats:
        """Live view, shape (n,), radians."""
    @angles.setter
    def angles(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def velocities(self) -> _Floats:
        """Live view: velocities of the centres of mass, shape (n, 2), m/s."""
    @velocities.setter
    def velocities(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def angular_velocities(self) -> _Floats:
        """Live view, shape (n,), rad/s."""
    @angular_velocities.setter
    def angular_velocities(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def forces(self) -> _Floats:
        """Live view: forces at the centres of mass, shape (n, 2), N; cleared by each step."""
    @forces.setter
    def forces(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def torques(self) -> _Floats:
        """Live view, shape (n,), N m; cleared by each step."""
    @torques.setter
    def torques(self, value: npt.ArrayLike, /) -> None: ...
    @property
    def masses(self) -> _Floats:
        """Live read-only view, shape (n,), kg; 0 for bodies that are not dynamic."""
    @property
    def inertias(self) -> _Floats:
        """Live read-only view: about the centres of mass, shape (n,), kg m^2."""
    @property
    def awake(self) -> _Bools:
        """Live read-only view, shape (n,), bool."""
    @property
    def alive(self) -> _Bools:
        """Live read-only view: whether the slot holds a body, (n,)."""
    @property
    def kinds(self) -> npt.NDArray[np.uint8]:
        """Live read-only view, shape (n,), uint8: 0 static, 1 kinematic, 2 dynamic."""
    @property
    def contacts(self) -> _Rows:
        """One row per point of touching pairs; structured array of own memory. Impulses are totals of the last step, N s; id is the number of the contact of the two colliders, from its begin to its end."""
    @property
    def pairs(self) -> _Rows:
        """Candidate pairs of the broad phase in their fixed order; structured array."""
    @property
    def events(self) -> Events:
        """Events of the last call of step."""
    @property
    def aabbs(self) -> _Floats:
        """Bounds of the colliders by index, [[lower], [upper]], shape (k, 2, 2), metres; NaN where there is none."""
    @property
    def bounds(self) -> _Floats:
        """Bounds of all colliders, [[lower], [upper]], shape (2, 2), metres; NaN where there is none."""
    @property
    def islands(self) -> npt.NDArray[np.int32]:
        """Number of each body's island, shape (n,), int32; -1 for bodies that are not dynamic."""
    @property
    def profile(self) -> dict[str, float]:
        """Milliseconds per stage of the last step."""
    @property
    def counters(self) -> dict[str, int]:
        """Counts, by name.

        Now: bodies; awake (of these); colliders; proxies (bounding boxes in the broad phase);
        pairs (of proxies near each other); touching (pairs of colliders, asleep or not); visits
        (of colliders to sensors); bytes (of the live arrays). Of the last step: contacts (of what
        is awake alone, where world.contacts has all); islands, bins, colors, blocks and rows (its
        islands, batches of them, colors, wide contacts and solver bodies); substeps (the most of
        an island); stopped (bodies, by continuous collision); limited (bodies, at max_speed or
        max_angular_speed); left_out (contacts beyond what one place may have). Since the world
        was made: pair_rebuilds, layout_rebuilds.
        """
    @property
    def bodies(self) -> Bodies:
        """Live collection of the bodies, by slot."""
    @property
    def colliders(self) -> Colliders:
        """Live collection of the colliders, by index."""
    @property
    def joints(self) -> Joints:
        """Live collection of the joints, by index."""
    @property
    def joint_state(self) -> _Rows:
        """A row per living joint, in the order of their indices, without gaps: its index (column joint), kind (a number: JOINT_KINDS[kind] is its name), bodies (-1: the world), anchors, force on b, torque, position (angle, length or translation; NaN for none), its speed, and the angle of b against a; structured array."""
    @property
    def joint_separations(self) -> _Floats:
        """How far joints are from what they hold: linear (metres) and angular (radians), shape (n, 2), rows as
        joint_state.
        """
    @property
    def fields(self) -> Fields:
        """Live collection of the force fields, by index."""
    def step(self, dt: _Number = 0.016666666666666666, n: SupportsIndex = 1) -> None:
        """Advance by n steps of dt.

        The GIL is released meanwhile; Ctrl-C works. Forces act in the first step and are cleared.
        on_force is called before each of the steps.

        Parameters
        ----------
        dt : float
            Seconds of one step, > 0 and <= 1.
        n : int
            Number of steps, >= 0; best given by name. Substeps belong to the world.

        Raises
        ------
        ValueError
            For a bad argument, or when a live array holds NaN, infinity, a position or angle that
            was written beyond 1e15 (m, rad) or a velocity beyond 1e9 (m/s, rad/s), or when a body
            with joints has come so far: the message names the array and the first such body. Steps
            before the failing one are kept.
        WorldLockedError
            From inside a step of the same world, its hook included.
        Exception
            What on_force, on_pre_solve, pair_filter or a spring law raises, as itself; that
            step is not made.

        Examples
        --------
        >>> world = World()
        >>> world.step(1 / 60, n=60)
        >>> round(world.time, 6)
        1.0
        """
    def stages(self, dt: _Number = 0.016666666666666666) -> Stages:
        """Step in slow motion: iterate over the stages of one step of dt.

        When the loop has ended, the world is in the state that step(dt) gives, bit for bit. Until
        then it shows the state before the step and is locked: reading works, and what would change
        it raises WorldLockedError, in every thread (names and user_data may be set). Leaving the
        loop early, or close(), unlocks the world without a step. Writes through live views are not
        seen by the step; the end of the loop overwrites them. on_force is called at once, before the
        first stage; what it did stays, also without a step.

        The stages, in order, with their arrays (p pieces of colliders, c contact points, n slots;
        world frame, SI):

        'bounds'
            aabbs, fat_aabbs (p, 2, 2); body, collider, piece (p,).
        'pairs'
            pairs, as World.pairs.
        'manifolds'
            contacts: a row per contact point, before the step.
        'constraints'
            constraints: a row per contact point, with effective masses 1 / k and the
            impulses carried from the last step.
        'substep' (index 0, 1, ...), then 'restitution', of soft_step
            normal_impulses, tangent_impulses (c,), given in this pass; positions, velocities (n, 2),
            angles, angular_velocities (n,), after it.
        'iteration' (index 0, 1, ...), of sequential_impulses
            The same; impulses are the sums so far, and bodies move after the last iteration.
        'continuous'
            fast: a row per dynamic body that was fast, or swept over by a fast
            kinematic one: its path without being stopped, the part of the step at which it ended,
            and the collider that ended it (-1: none); positions (n, 2), angles (n,), after it.
        'poses'
            positions, velocities (n, 2); angles, angular_velocities (n,).
        'events'
            contact_begin, contact_end, contact_hit, sensor_begin, sensor_end,
            joint_break, sleep, wake, body_move, as World.events. Bodies that fall asleep stop here.

        Parameters
        ----------
        dt : float
            Seconds, > 0.

        Returns
        -------
        Stages
            An iterator over Stage objects, with close(); also a context manager.

        Raises
        ------
        ValueError
            As step does; nothing is locked then.
        WorldLockedError
            When the world is locked already.
        MemoryError
            When the stages do not fit into memory.

        Examples
        --------
        >>> world = World()
        >>> ball = world.add_body(Circle(0.5), position=(0, 10))
        >>> [stage.name for stage in world.stages()][:4]
        ['bounds', 'pairs', 'manifolds', 'constraints']
        >>> world.step_count
        1
        """
    def add_body(
        self,
        shape_or_shapes: _Shapes = None,
        position: npt.ArrayLike = (0, 0),
        angle: _Number = 0.0,
        *,
        kind: _Kind = "dynamic",
        velocity: npt.ArrayLike = (0, 0),
        angular_velocity: _Number = 0.0,
        density: _Number = 1.0,
        friction: _Number = 0.6,
        restitution: _Number = 0.0,
        rolling_resistance: _Number = 0.0,
        tangent_speed: _Number = 0.0,
        category: SupportsIndex = 1,
        mask: SupportsIndex = 18446744073709551615,
        group: SupportsIndex = 0,
        sensor: _Bool = False,
        pre_solve: _Bool = False,
        name: str | None = None,
        user_data: Any = None,
        bullet: _Bool = False,
        fixed_rotation: _Bool = False,
        gravity_scale: _Number = 1.0,
        linear_damping: _Number = 0.0,
        angular_damping: _Number = 0.0,
        mass: _Number | None = None,
        awake: _Bool = True,
        can_sleep: _Bool = True,
        enabled: _Bool = True,
        inertia: _Number | None = None,
        center_of_mass: npt.ArrayLike | None = None,
        sleep_threshold: _Number | None = None,
        lock_x: _Bool = False,
        lock_y: _Bool = False,
        material: SupportsIndex | None = None,
        friction_rule: _Rule | None = None,
        restitution_rule: _Rule | None = None,
        segments: _Segments = None,
    ) -> Body:
        """Make a body.

        Parameters
        ----------
        shape_or_shapes : Shape or sequence of Shape, optional
            In the body's frame.
        position : array_like, shape (2,)
            Position of the body's origin, metres, world.
        angle : float
            Radians.
        kind : {'dynamic', 'kinematic', 'static'}
        velocity : array_like
            Velocity of the centre of mass, m/s.
        angular_velocity : float
            rad/s.
        density, friction, restitution, rolling_resistance, tangent_speed, category, mask, group,
        sensor, pre_solve, material, friction_rule, restitution_rule, segments
            Of the colliders, as in Body.attach.
        mass : float, optional
            kg; scales mass and inertia instead of the density.
        inertia : float, optional
            About the centre of mass, kg m^2, instead of the shapes'.
        center_of_mass : array_like, optional
            Metres, in the body's frame, instead of the shapes'.
        sleep_threshold : float, optional
            Speed below which it may fall asleep, m/s; by default 0.05. 0: it never does.
        bullet : bool
            Whether it is kept from tunnelling through moving bodies too.
        fixed_rotation : bool
            Whether it never turns.
        lock_x, lock_y : bool
            Whether its centre of mass keeps that coordinate.
        gravity_scale : float
            Factor of the world's gravity.
        linear_damping, angular_damping : float
            Rates of decay, 1/s.
        awake, can_sleep, enabled : bool
        name : str, optional
        user_data : object, optional
            Anything.

        Returns
        -------
        Body

        Raises
        ------
        ValueError
            For a bad number; the message names the argument.
        CapacityError
            When the world is full (max_bodies).

        Examples
        --------
        >>> world = World()
        >>> crate = world.add_body(Box(1, 1), position=(0, 5), name='crate')
        >>> crate.mass
        1.0
        """
    def add_bodies(
        self,
        shape_or_shapes: _Shapes,
        positions: npt.ArrayLike,
        angles: npt.ArrayLike = 0.0,
        *,
        kind: _Kind = "dynamic",
        velocity: npt.ArrayLike = (0, 0),
        angular_velocity: npt.ArrayLike = 0.0,
        density: npt.ArrayLike = 1.0,
        friction: npt.ArrayLike = 0.6,
        restitution: npt.ArrayLike = 0.0,
        rolling_resistance: npt.ArrayLike = 0.0,
        tangent_speed: npt.ArrayLike = 0.0,
        category: SupportsIndex = 1,
        mask: SupportsIndex = 18446744073709551615,
        group: SupportsIndex = 0,
        sensor: _Bool = False,
        pre_solve: _Bool = False,
        bullet: npt.ArrayLike = False,
        fixed_rotation: npt.ArrayLike = False,
        gravity_scale: npt.ArrayLike = 1.0,
        linear_damping: npt.ArrayLike = 0.0,
        angular_damping: npt.ArrayLike = 0.0,
        mass: npt.ArrayLike | None = None,
        awake: npt.ArrayLike = True,
        can_sleep: npt.ArrayLike = True,
        enabled: npt.ArrayLike = True,
        inertia: npt.ArrayLike | None = None,
        center_of_mass: npt.ArrayLike | None = None,
        sleep_threshold: npt.ArrayLike | None = None,
        lock_x: npt.ArrayLike = False,
        lock_y: npt.ArrayLike = False,
        material: npt.ArrayLike | None = None,
        friction_rule: _Rules = None,
        restitution_rule: _Rules = None,
        segments: _Segments = None,
        compound: _Bool = False,
    ) -> _Ints:
        """Make many bodies in one call, all or none.

        Every number may be one for all or an array of n; n comes from whichever has rows. Vectors
        have shape (2,) or (n, 2), numbers of bodies and materials and rules () or (n,); kind,
        category, mask, group, sensor, pre_solve and segments are the same for all.

        Parameters
        ----------
        shape_or_shapes : Shape, sequence of n Shapes, or None
            In the bodies' frames: one for all, or one each. With compound=True, a sequence of any
            length.
        positions : array_like, shape (n, 2)
            Positions of the bodies' origins, metres, world.
        angles : array_like, shape () or (n,)
            Radians.
        kind : {'dynamic', 'kinematic', 'static'}
        velocity : array_like
            Velocity of the centre of mass, m/s.
        angular_velocity : float
            rad/s.
        density, friction, restitution, rolling_resistance, tangent_speed, category, mask, group,
        sensor, pre_solve, material, friction_rule, restitution_rule, segments
            Of the colliders, as in Body.attach.
        mass : float, optional
            kg; scales mass and inertia instead of the density.
        inertia : float, optional
            About the centre of mass, kg m^2, instead of the shapes'.
        center_of_mass : array_like, optional
            Metres, in the body's frame, instead of the shapes'.
        sleep_threshold : float, optional
            Speed below which it may fall asleep, m/s; by default 0.05. 0: it never does.
        bullet : bool
            Whether it is kept from tunnelling through moving bodies too.
        fixed_rotation : bool
            Whether it never turns.
        lock_x, lock_y : bool
            Whether its centre of mass keeps that coordinate.
        gravity_scale : float
            Factor of the world's gravity.
        linear_damping, angular_damping : float
            Rates of decay, 1/s.
        awake, can_sleep, enabled : bool
        compound : bool
            Whether every body gets all of the shapes.

        Returns
        -------
        ndarray of int64, shape (n,)
            The slots.

        Raises
        ------
        ValueError
            For a bad number; the message names the argument and the row. For another number of shapes
            than of bodies.
        CapacityError
            When the world is full (max_bodies, which also limits the shapes).

        Examples
        --------
        >>> world = World()
        >>> world.add_bodies(Box(1, 1), [(0, 0.5), (0, 1.5), (0, 2.5)])
        array([0, 1, 2])
        >>> world.add_bodies([Box(1, 1), Circle(0.5)], [(3, 0.5), (5, 0.5)])  # one each
        array([3, 4])
        >>> dumbbell = [Circle(0.2, (-1, 0)), Capsule((-1, 0), (1, 0), 0.05), Circle(0.2, (1, 0))]
        >>> slots = world.add_bodies(dumbbell, [(7, 1), (9, 1)], compound=True)
        >>> len(world.bodies[5].colliders)
        3
        """
    def add_fluid(
        self,
        level_or_surface: npt.ArrayLike,
        density: _Number,
        drag: _Number = 1.0,
        *,
        quadratic_drag: _Number = 0.0,
        flow: npt.ArrayLike = (0, 0),
        mask: SupportsIndex = 18446744073709551615,
    ) -> Fluid:
        """Fill everything under a surface with a fluid.

        A body is lifted at the centroid of its submerged area with the weight of what it displaces,
        against gravity. Areas are exact for every shape; sensors, segments and chains displace
        nothing. Every bit of submerged area is dragged along with the flow, with the force (drag +
        quadratic_drag |v - flow|) (flow - v) per displaced mass. Where fluids overlap they add up.
        Wakes what it reaches.

        Parameters
        ----------
        level_or_surface : float or array_like, shape (n, 2)
            The height of a flat surface, or points of a polyline with increasing x that goes on
            flat beyond its ends; metres, world.
        density : float
            kg/m^2, >= 0. A body of half that density floats half submerged.
        drag : float
            1/s, >= 0: rate at which a body as dense as the fluid loses speed.
        quadratic_drag : float
            1/m, >= 0.
        flow : array_like, shape (2,)
            Velocity of the fluid, m/s.
        mask : int
            Only colliders with category & mask != 0.

        Returns
        -------
        Fluid
            World.remove takes it away.

        Raises
        ------
        ValueError
            For NaN, a number out of range, or a surface whose x does not increase.

        Examples
        --------
        >>> world = World()
        >>> water = world.add_fluid(0, density=2)
        >>> raft = world.add_body(Box(2, 1), (0, 1))
        >>> world.step(n=1200)
        >>> bool(abs(raft.position[1]) < 1e-3)
        True
        """
    def add_drag(
        self,
        *,
        linear: _Number = 0.0,
        quadratic: _Number = 0.0,
        clamped: _Number = 0.0,
        angular: _Number = 0.0,
        mask: SupportsIndex = 18446744073709551615,
    ) -> Drag:
        """Let still air resist the motion of bodies.

        Implicit in time: no coefficient ever turns a velocity round. At least one must be given;
        they add up. Wakes what it reaches.

        Parameters
        ----------
        linear : float
            Force -linear v at the centre of mass; N s/m, >= 0.
        quadratic : float
            Force -quadratic |v| v; N s^2/m^2, >= 0.
        clamped : float
            A velocity v loses clamp_magnitude(v, 1) clamped dt in a step, whatever the mass; 1/s, >= 0.
        angular : float
            Torque -angular times the angular velocity; N m s, >= 0.
        mask : int
            Only bodies that have a collider with category & mask != 0, or none at all.

        Returns
        -------
        Drag
            World.remove takes it away.

        Raises
        ------
        ValueError
            For NaN or a number out of range.
        TypeError
            For no coefficient at all.

        Examples
        --------
        >>> world = World(gravity=(0, -10))
        >>> air = world.add_drag(linear=2)
        >>> stone = world.add_body(Circle(1), mass=3)
        >>> world.step(n=1200)
        >>> bool(abs(stone.velocity[1] + 3 * 10 / 2) < 1e-3)
        True
        """
    def add_wind(
        self,
        velocity: npt.ArrayLike,
        density: _Number = 1.2,
        *,
        drag: _Number = 0.5,
        lift: _Number = 1.0,
        mask: SupportsIndex = 18446744073709551615,
    ) -> Wind:
        """Let wind blow, or still air resist, by the outlines of bodies.

        Where the outline faces the relative flow u, a bit ds of it with the outward normal n feels
        density / 2 (-u . n) (drag u - lift |u| n) ds at its place: drag along the flow, and a
        pressure that also has a part across it. Torques follow: a vane turns into the wind. Exact
        for edges, circles, capsules and rounded corners of bodies that do not spin fast. Implicit in
        time: in the frame of the air, a body that only wind acts on never gains energy. Sensors and
        holes feel nothing, chains on their free side. Winds add up. Wakes what it reaches.

        Parameters
        ----------
        velocity : array_like, shape (2,)
            Velocity of the air, m/s; (0, 0) is still air.
        density : float
            Density of the air, kg/m^2, >= 0.
        drag : float
            Coefficient of the force along the flow, >= 0.
        lift : float
            Coefficient of the pressure, >= 0. A box that faces the flow has a drag
            coefficient of drag + lift, a circle of drag + pi / 4 lift.
        mask : int
            Only colliders with category & mask != 0.

        Returns
        -------
        Wind
            World.remove takes it away.

        Raises
        ------
        ValueError
            For NaN or a number out of range.

        Examples
        --------
        >>> world = World(gravity=(0, -10))
        >>> air = world.add_wind((3, 0), density=1.2, drag=0.5, lift=1)
        >>> box = world.add_body(Box(1, 1), mass=0.9, fixed_rotation=True)
        >>> world.step(n=1200)
        >>> bool(abs(box.velocity[0] - 3) < 1e-3)
        True
        >>> bool(abs(box.velocity[1] ** 2 - 0.9 * 10 / (0.5 * 1.2 * 1.5)) < 1e-3)
        True
        """
    def add_point_gravity(
        self,
        center: npt.ArrayLike,
        strength: _Number,
        *,
        power: _Number = 2,
        softening: _Number = 0.0,
        radius: _Number = 1e15,
        mask: SupportsIndex = 18446744073709551615,
    ) -> PointGravity:
        """Draw bodies towards a point.

        The acceleration of a centre of mass at the distance d is strength / s^power times d / s,
        s^2 = d^2 + softening^2, times the body's gravity_scale; there is no torque. It is kept below
        d / (30 dt^2), d / dt^2 with power < 0, so that nothing is thrown out of the center. Wakes
        what it reaches.

        Parameters
        ----------
        center : array_like, shape (2,)
            World point, metres.
        strength : float
            m^(1 + power) / s^2: the acceleration at 1 m; G M of a planet with power=2. Negative
            drives away.
        power : int
            -8 to 8. 2 is Newton's law, 1 that of a flat world, 0 the same pull everywhere, -1 a
            spring.
        softening : float
            Metres, >= 0: Plummer's radius, within which the pull gets less.
        radius : float
            Metres, >= 0: bodies further away are left alone.
        mask : int
            Only bodies that have a collider with category & mask != 0, or none at all.

        Returns
        -------
        PointGravity
            World.remove takes it away.

        Raises
        ------
        ValueError
            For NaN or a number out of range, or a power that is not whole.

        Examples
        --------
        >>> world = World(gravity=(0, 0))
        >>> sun = world.add_point_gravity((0, 0), strength=100)
        >>> planet = world.add_body(Circle(0.1), (4, 0), velocity=(0, 5))
        >>> world.step(n=600)
        >>> bool(abs((planet.position ** 2).sum() - 16) < 1e-2)
        True
        """
    def explode(
        self,
        center: npt.ArrayLike,
        radius: _Number,
        impulse: _Number,
        falloff: _Number = 0.0,
        *,
        mask: SupportsIndex = 18446744073709551615,
    ) -> _Rows:
        """Push away what is near a point, once.

        A collider in reach gets an impulse at its point nearest to the center, straight away from
        it: `impulse` per metre of its width across that direction (as far as it lies in reach), in
        full up to `radius`, then less and less until radius + falloff. So it turns what it hits off
        its middle. Nothing is in the lee of anything. Where the center lies inside of a collider, the
        impulse acts at the center, towards the collider's centroid. Sensors and bodies that are not
        dynamic or not enabled are left alone. Wakes what it hits.

        Parameters
        ----------
        center : array_like, shape (2,)
            World point, metres.
        radius : float
            Metres, >= 0.
        impulse : float
            N s per metre; negative draws in.
        falloff : float
            Metres, >= 0.
        mask : int
            Only colliders with category & mask != 0.

        Returns
        -------
        ndarray
            A row per collider that was hit, by index: body, collider, distance (m, 0 around the
            center), point (m, world), impulse (N s).

        Raises
        ------
        ValueError
            For NaN or a number out of range.

        Examples
        --------
        >>> world = World(gravity=(0, 0))
        >>> box = world.add_body(Box(1, 1), (3, 0), mass=2)
        >>> world.explode((0, 0), radius=2, impulse=8, falloff=2)['impulse']
        array([[6., 0.]])
        >>> box.velocity
        array([3., 0.])
        """
    def add_revolute_joint(
        self,
        a: Body | None,
        b: Body,
        *,
        anchor: npt.ArrayLike | None = None,
        anchor_a: npt.ArrayLike | None = None,
        anchor_b: npt.ArrayLike | None = None,
        local_anchor_a: npt.ArrayLike | None = None,
        local_anchor_b: npt.ArrayLike | None = None,
        reference_angle: _Number | None = None,
        lower: _Number | None = None,
        upper: _Number | None = None,
        motor_speed: _Number = 0.0,
        max_motor_torque: _Number = 0.0,
        spring_hertz: _Number = 0.0,
        spring_damping_ratio: _Number = 0.0,
        stiffness: _Number = 0.0,
        damping: _Number = 0.0,
        spring_target: _Number = 0.0,
        max_force: _Number | None = None,
        joint_hertz: _Number | None = None,
        joint_damping_ratio: _Number | None = None,
        break_force: _Number | None = None,
        break_torque: _Number | None = None,
        collide_connected: _Bool = False,
        user_data: Any = None,
    ) -> RevoluteJoint:
        """Let two bodies turn about a common point. Wakes them.

        The joint's angle is that of b relative to a: 0 now, and it counts full turns.

        Parameters
        ----------
        a : Body or None
            None: the world, which does not move.
        b : Body
        anchor : array_like, shape (2,), optional
            World point at which both are held; default: the position of b.
        anchor_a, anchor_b : array_like, shape (2,), optional
            Instead: two world points that the joint brings together.
        local_anchor_a, local_anchor_b : array_like, shape (2,), optional
            Instead of world points: points in the frames of the bodies, metres.
        reference_angle : float, optional
            Angle of b less that of a where the joint's angle is 0, radians; default: as it is now.
        lower, upper : float, optional
            Limits of the angle, radians, of any size.
        motor_speed : float
            Speed that the motor aims at, rad/s.
        max_motor_torque : float
            The most that it gives, N m; 0: no motor, and with speed 0 a friction.
        spring_hertz : float
            Frequency of the bodies on this spring, were they alone, Hz; 0: no spring.
        spring_damping_ratio : float
            1 is critical.
        stiffness, damping : float
            Instead of both: N m/rad and N m s/rad; damping alone is a damper.
        spring_target : float
            Angle at which the spring rests, radians.
        max_force : float, optional
            The most that it holds with, N; what pulls more moves it. With a bound it holds by a
            spring as stiff as joint_hertz says, where it has no other. Default: any.
        joint_hertz, joint_damping_ratio : float, optional
            What max_force and max_torque bound is held by a spring of this frequency (Hz, > 0)
            and damping ratio; where one is given, the other is the world's. Default: hold exactly.
        break_force, break_torque : float, optional
            The joint breaks, and is removed, when the mean force (N) or torque (N m) of a step is
            more; events.joint_break tells. Default: never. In that step it still holds with all
            that it takes; a max_force a little above bounds it.
        collide_connected : bool
            Whether the two bodies may collide with each other.
        user_data : object, optional
            Anything.

        Returns
        -------
        RevoluteJoint

        Raises
        ------
        ValueError
            For NaN, a number out of range, one body twice, or a body of another world.
        TypeError
            For what is no body or no number.
        RemovedError
            For a body that has been removed.

        Examples
        --------
        >>> world = World()
        >>> bob = world.add_body(Circle(0.1), (1, 0))
        >>> pin = world.add_revolute_joint(None, bob, anchor=(0, 0))
        >>> world.step(n=60)
        >>> bool(abs(np.hypot(*bob.position) - 1) < 1e-3)
        True
        """
    def add_distance_joint(
        self,
        a: Body | None,
        b: Body,
        *,
        anchor_a: npt.ArrayLike | None = None,
        anchor_b: npt.ArrayLike | None = None,
        local_anchor_a: npt.ArrayLike | None = None,
        local_anchor_b: npt.ArrayLike | None = None,
        length: _Number | None = None,
        lower: _Number | None = None,
        upper: _Number | None = None,
        motor_speed: _Number = 0.0,
        max_motor_force: _Number = 0.0,
        spring_hertz: _Number = 0.0,
        spring_damping_ratio: _Number = 0.0,
        stiffness: _Number = 0.0,
        damping: _Number = 0.0,
        spring_target: _Number | None = None,
        max_force: _Number | None = None,
        joint_hertz: _Number | None = None,
        joint_damping_ratio: _Number | None = None,
        break_force: _Number | None = None,
        collide_connected: _Bool = False,
        user_data: Any = None,
    ) -> DistanceJoint:
        """Tie two points by a rod, a rope, a spring or a piston. Wakes the bodies.

        Without limits, spring and motor it is a rod of the given length: lower = upper = length.
        With any of them it is what they say: an upper limit alone is a rope.

        Parameters
        ----------
        a : Body or None
            None: the world, which does not move.
        b : Body
        anchor_a, anchor_b : array_like, shape (2,), optional
            World points; default: the positions of the bodies.
        local_anchor_a, local_anchor_b : array_like, shape (2,), optional
            Instead of world points: points in the frames of the bodies, metres.
        length : float, optional
            Length of the rod, or of the spring at rest, > 0; default: as it is now.
        lower, upper : float, optional
            Limits of the length, metres, >= 0.
        motor_speed : float
            Speed that the motor aims at, m/s; positive lengthens.
        max_motor_force : float
            The most that it gives, N; 0: no motor.
        spring_hertz : float
            Frequency of the bodies on this spring, were they alone, Hz; 0: no spring.
        spring_damping_ratio : float
            1 is critical.
        stiffness, damping : float
            Instead of both: N/m and N s/m; damping alone is a damper.
        spring_target : float, optional
            Length of the spring at rest, metres; default: length.
        max_force : float, optional
            The most that it holds with, N; what pulls more moves it. With a bound it holds by a
            spring as stiff as joint_hertz says, where it has no other. Default: any.
        joint_hertz, joint_damping_ratio : float, optional
            What max_force and max_torque bound is held by a spring of this frequency (Hz, > 0)
            and damping ratio; where one is given, the other is the world's. Default: hold exactly.
        break_force : float, optional
            The joint breaks, and is removed, when the mean force of a step is more, N;
            events.joint_break tells.
        collide_connected : bool
            Whether the two bodies may collide with each other.
        user_data : object, optional
            Anything.

        Returns
        -------
        DistanceJoint

        Raises
        ------
        ValueError
            For NaN, a number out of range, one body twice, or a body of another world.
        TypeError
            For what is no body or no number.
        RemovedError
            For a body that has been removed.

        Examples
        --------
        >>> world = World()
        >>> bob = world.add_body(Circle(0.1), (0, -1), mass=2)
        >>> rope = world.add_distance_joint(None, bob, upper=1)
        >>> world.step(n=60)
        >>> bool(abs(rope.force[1] - 2 * 9.81) < 1e-3)
        True
        """
    def add_prismatic_joint(
        self,
        a: Body | None,
        b: Body,
        *,
        anchor: npt.ArrayLike | None = None,
        anchor_a: npt.ArrayLike | None = None,
        anchor_b: npt.ArrayLike | None = None,
        local_anchor_a: npt.ArrayLike | None = None,
        local_anchor_b: npt.ArrayLike | None = None,
        reference_angle: _Number | None = None,
        axis: npt.ArrayLike = (1, 0),
        lower: _Number | None = None,
        upper: _Number | None = None,
        motor_speed: _Number = 0.0,
        max_motor_force: _Number = 0.0,
        spring_hertz: _Number = 0.0,
        spring_damping_ratio: _Number = 0.0,
        stiffness: _Number = 0.0,
        damping: _Number = 0.0,
        spring_target: _Number = 0.0,
        max_force: _Number | None = None,
        max_torque: _Number | None = None,
        joint_hertz: _Number | None = None,
        joint_damping_ratio: _Number | None = None,
        break_force: _Number | None = None,
        break_torque: _Number | None = None,
        collide_connected: _Bool = False,
        user_data: Any = None,
    ) -> PrismaticJoint:
        """Let b slide along an axis of a, without turning against it. Wakes them.

        The joint's translation is the coordinate of b's anchor along the axis, from a's anchor.

        Parameters
        ----------
        a : Body or None
            None: the world, which does not move.
        b : Body
        anchor : array_like, shape (2,), optional
            World point at which both are held; default: the position of b.
        anchor_a, anchor_b : array_like, shape (2,), optional
            Instead: two world points that the joint brings together.
        local_anchor_a, local_anchor_b : array_like, shape (2,), optional
            Instead of world points: points in the frames of the bodies, metres.
        reference_angle : float, optional
            Angle of b less that of a where the joint's angle is 0, radians; default: as it is now.
        axis : array_like, shape (2,)
            Direction, world, of any length > 0; it turns with a.
        lower, upper : float, optional
            Limits of the translation, metres.
        motor_speed : float
            Speed that the motor aims at, m/s.
        max_motor_force : float
            The most that it gives, N; 0: no motor.
        spring_hertz : float
            Frequency of the bodies on this spring, were they alone, Hz; 0: no spring.
        spring_damping_ratio : float
            1 is critical.
        stiffness, damping : float
            Instead of both: N/m and N s/m; damping alone is a damper.
        spring_target : float
            Translation at which the spring rests, metres.
        max_force : float, optional
            The most that it holds with across the axis, N; what pulls more moves it. With a bound it holds by a
            spring as stiff as joint_hertz says, where it has no other. Default: any.
        max_torque : float, optional
            The same of the angle, N m.
        joint_hertz, joint_damping_ratio : float, optional
            What max_force and max_torque bound is held by a spring of this frequency (Hz, > 0)
            and damping ratio; where one is given, the other is the world's. Default: hold exactly.
        break_force, break_torque : float, optional
            The joint breaks, and is removed, when the mean force (N) or torque (N m) of a step is
            more; events.joint_break tells. Default: never. In that step it still holds with all
            that it takes; a max_force a little above bounds it.
        collide_connected : bool
            Whether the two bodies may collide with each other.
        user_data : object, optional
            Anything.

        Returns
        -------
        PrismaticJoint

        Raises
        ------
        ValueError
            For NaN, a number out of range, one body twice, or a body of another world.
        TypeError
            For what is no body or no number.
        RemovedError
            For a body that has been removed.

        Examples
        --------
        >>> world = World()
        >>> lift = world.add_body(Box(1, 0.2), (0, 0))
        >>> rail = world.add_prismatic_joint(None, lift, axis=(0, 1), motor_speed=0.5,
        ...                                  max_motor_force=100)
        >>> world.step(n=120)
        >>> bool(abs(rail.translation - 1) < 0.01)
        True
        """
    def add_weld_joint(
        self,
        a: Body | None,
        b: Body,
        *,
        anchor: npt.ArrayLike | None = None,
        anchor_a: npt.ArrayLike | None = None,
        anchor_b: npt.ArrayLike | None = None,
        local_anchor_a: npt.ArrayLike | None = None,
        local_anchor_b: npt.ArrayLike | None = None,
        reference_angle: _Number | None = None,
        spring_hertz: _Number = 0.0,
        spring_damping_ratio: _Number = 0.0,
        angular_spring_hertz: _Number | None = None,
        angular_spring_damping_ratio: _Number | None = None,
        stiffness: _Number = 0.0,
        damping: _Number = 0.0,
        angular_stiffness: _Number = 0.0,
        angular_damping: _Number = 0.0,
        max_force: _Number | None = None,
        max_torque: _Number | None = None,
        joint_hertz: _Number | None = None,
        joint_damping_ratio: _Number | None = None,
        break_force: _Number | None = None,
        break_torque: _Number | None = None,
        collide_connected: _Bool = False,
        user_data: Any = None,
    ) -> WeldJoint:
        """Make two bodies one, as they lie now, rigidly or on springs. Wakes them.

        Parameters
        ----------
        a : Body or None
            None: the world, which does not move.
        b : Body
        anchor : array_like, shape (2,), optional
            World point at which both are held; default: the position of b.
        anchor_a, anchor_b : array_like, shape (2,), optional
            Instead: two world points that the joint brings together.
        local_anchor_a, local_anchor_b : array_like, shape (2,), optional
            Instead of world points: points in the frames of the bodies, metres.
        reference_angle : float, optional
            Angle of b less that of a where the joint's angle is 0, radians; default: as it is now.
        spring_hertz : float
            Frequency of the bodies on this spring, were they alone, Hz; 0: no spring.
        spring_damping_ratio : float
            1 is critical.
        angular_spring_hertz : float, optional
            Frequency of a spring of the angle alone, were the place held, Hz; 0: the angle is held.
            spring_hertz is then the frequency of the place alone, with the angle held; 0: the place
            is held. Default: one spring of both.
        angular_spring_damping_ratio : float, optional
            Of the angle; default: as spring_damping_ratio. With either of the two, place and angle
            have a spring each.
        stiffness, damping : float
            Of the place, N/m and N s/m, equal in all directions, instead of hertz and ratio.
        angular_stiffness, angular_damping : float
            Of the angle, N m/rad and N m s/rad; with those of the place alone, it is held.
        max_force : float, optional
            The most that it holds with, N; what pulls more moves it. With a bound it holds by a
            spring as stiff as joint_hertz says, where it has no other. Default: any.
        max_torque : float, optional
            The same of the angle, N m.
        joint_hertz, joint_damping_ratio : float, optional
            What max_force and max_torque bound is held by a spring of this frequency (Hz, > 0)
            and damping ratio; where one is given, the other is the world's. Default: hold exactly.
        break_force, break_torque : float, optional
            The joint breaks, and is removed, when the mean force (N) or torque (N m) of a step is
            more; events.joint_break tells. Default: never. In that step it still holds with all
            that it takes; a max_force a little above bounds it.
        collide_connected : bool
            Whether the two bodies may collide with each other.
        user_data : object, optional
            Anything.

        Returns
        -------
        WeldJoint

        Raises
        ------
        ValueError
            For NaN, a number out of range, one body twice, or a body of another world.
        TypeError
            For what is no body or no number.
        RemovedError
            For a body that has been removed.

        Examples
        --------
        >>> world = World()
        >>> shelf = world.add_body(Box(1, 0.1), (0.5, 0), density=10)
        >>> weld = world.add_weld_joint(None, shelf, anchor=(0, 0))
        >>> world.step(n=60)
        >>> bool(abs(weld.torque - 9.81 * 0.5) < 1e-2)
        True
        """
    def add_wheel_joint(
        self,
        a: Body | None,
        b: Body,
        *,
        anchor: npt.ArrayLike | None = None,
        anchor_a: npt.ArrayLike | None = None,
        anchor_b: npt.ArrayLike | None = None,
        local_anchor_a: npt.ArrayLike | None = None,
        local_anchor_b: npt.ArrayLike | None = None,
        reference_angle: _Number | None = None,
        axis: npt.ArrayLike = (0, 1),
        lower: _Number | None = None,
        upper: _Number | None = None,
        motor_speed: _Number = 0.0,
        max_motor_torque: _Number = 0.0,
        spring_hertz: _Number = 0.0,
        spring_damping_ratio: _Number = 0.0,
        stiffness: _Number = 0.0,
        damping: _Number = 0.0,
        spring_target: _Number = 0.0,
        max_force: _Number | None = None,
        joint_hertz: _Number | None = None,
        joint_damping_ratio: _Number | None = None,
        break_force: _Number | None = None,
        break_torque: _Number | None = None,
        collide_connected: _Bool = False,
        user_data: Any = None,
    ) -> WheelJoint:
        """Hang a wheel b on a: it turns freely and slides along an axis of a. Wakes them.

        Parameters
        ----------
        a : Body or None
            None: the world, which does not move.
        b : Body
        anchor : array_like, shape (2,), optional
            World point at which both are held; default: the position of b.
        anchor_a, anchor_b : array_like, shape (2,), optional
            Instead: two world points that the joint brings together.
        local_anchor_a, local_anchor_b : array_like, shape (2,), optional
            Instead of world points: points in the frames of the bodies, metres.
        reference_angle : float, optional
            Angle of b less that of a where the joint's angle is 0, radians; default: as it is now.
        axis : array_like, shape (2,)
            Of the suspension, world, of any length > 0; it turns with a.
        lower, upper : float, optional
            Limits of the translation, metres.
        motor_speed : float
            Spin of b against a that the motor aims at, rad/s.
        max_motor_torque : float
            The most that it gives, N m; 0: no motor.
        spring_hertz : float
            Frequency of the bodies on this spring, were they alone, Hz; 0: no spring.
        spring_damping_ratio : float
            1 is critical.
        stiffness, damping : float
            Instead of both: N/m and N s/m; damping alone is a damper.
        spring_target : float
            Translation at which the spring rests, metres.
        max_force : float, optional
            The most that it holds with across the axis, N; what pulls more moves it. With a bound it holds by a
            spring as stiff as joint_hertz says, where it has no other. Default: any.
        joint_hertz, joint_damping_ratio : float, optional
            What max_force and max_torque bound is held by a spring of this frequency (Hz, > 0)
            and damping ratio; where one is given, the other is the world's. Default: hold exactly.
        break_force, break_torque : float, optional
            The joint breaks, and is removed, when the mean force (N) or torque (N m) of a step is
            more; events.joint_break tells. Default: never. In that step it still holds with all
            that it takes; a max_force a little above bounds it.
        collide_connected : bool
            Whether the two bodies may collide with each other.
        user_data : object, optional
            Anything.

        Returns
        -------
        WheelJoint

        Raises
        ------
        ValueError
            For NaN, a number out of range, one body twice, or a body of another world.
        TypeError
            For what is no body or no number.
        RemovedError
            For a body that has been removed.

        Examples
        --------
        >>> world = World()
        >>> wheel = world.add_body(Circle(0.3), (0, 0))
        >>> hub = world.add_wheel_joint(None, wheel, spring_hertz=2, spring_damping_ratio=1)
        >>> world.step(n=180)
        >>> bool(abs(hub.translation + 9.81 / (4 * np.pi) ** 2) < 1e-3)
        True
        """
    def add_motor_joint(
        self,
        a: Body | None,
        b: Body,
        *,
        anchor: npt.ArrayLike | None = None,
        anchor_a: npt.ArrayLike | None = None,
        anchor_b: npt.ArrayLike | None = None,
        local_anchor_a: npt.ArrayLike | None = None,
        local_anchor_b: npt.ArrayLike | None = None,
        offset: npt.ArrayLike | None = None,
        angle_offset: _Number | None = None,
        linear_velocity: npt.ArrayLike = (0, 0),
        angular_velocity: _Number = 0.0,
        max_force: _Number | None = None,
        max_torque: _Number | None = None,
        spring_hertz: _Number | None = None,
        spring_damping_ratio: _Number = 1.0,
        angular_spring_hertz: _Number | None = None,
        angular_spring_damping_ratio: _Number | None = None,
        stiffness: _Number = 0.0,
        damping: _Number = 0.0,
        angular_stiffness: _Number = 0.0,
        angular_damping: _Number = 0.0,
        break_force: _Number | None = None,
        break_torque: _Number | None = None,
        collide_connected: _Bool = False,
        user_data: Any = None,
    ) -> MotorJoint:
        """Pull b to a pose relative to a, or drive it at a velocity. Wakes them.

        With a spring (spring_hertz > 0) it pulls to the offsets, else it drives at the velocities.
        Offsets and velocities (other than 0) may be given together only if spring_hertz is given.

        Parameters
        ----------
        a : Body or None
            None: the world, which does not move.
        b : Body
        anchor : array_like, shape (2,), optional
            World point of both; default: the positions of the bodies.
        anchor_a, anchor_b : array_like, shape (2,), optional
            Instead: a point of each.
        local_anchor_a, local_anchor_b : array_like, shape (2,), optional
            Instead of world points: points in the frames of the bodies, metres.
        offset : array_like, shape (2,), optional
            Of b's anchor from a's, metres, in the frame of a; default: as it is now.
        angle_offset : float, optional
            Angle of b against a, radians; default: as it is now.
        linear_velocity : array_like, shape (2,)
            Of b relative to a, m/s, world.
        angular_velocity : float
            Of b relative to a, rad/s.
        max_force, max_torque : float, optional
            The most that it pulls (N) and turns with (N m).
        spring_hertz : float, optional
            Default: 5, or 0 where a velocity is given.
        spring_damping_ratio : float
            1 is critical.
        angular_spring_hertz, angular_spring_damping_ratio : float, optional
            Of a spring of the angle alone, that of spring_hertz then being of the place; of each, 0
            Hz: driven. Default: one spring of both.
        stiffness, damping : float
            Of the place, N/m and N s/m, equal in all directions, instead of hertz and ratio.
        angular_stiffness, angular_damping : float
            Of the angle, N m/rad and N m s/rad; with those of the place alone, it is driven at angular_velocity, with max_torque.
        break_force, break_torque : float, optional
            The joint breaks, and is removed, when the mean force (N) or torque (N m) of a step is
            more; events.joint_break tells. Default: never. In that step it still holds with all
            that it takes; a max_force a little above bounds it.
        collide_connected : bool
            Whether the two bodies may collide with each other.
        user_data : object, optional
            Anything.

        Returns
        -------
        MotorJoint

        Raises
        ------
        ValueError
            For NaN, a number out of range, one body twice, or a body of another world.
        TypeError
            For what is no body or no number.
        RemovedError
            For a body that has been removed.

        Examples
        --------
        >>> world = World(gravity=(0, 0))
        >>> drone = world.add_body(Box(1, 0.2))
        >>> pull = world.add_motor_joint(None, drone, offset=(2, 1), spring_hertz=2)
        >>> world.step(n=180)
        >>> bool(np.allclose(drone.position, (2, 1), atol=1e-3))
        True
        """
    def add_mouse_joint(
        self,
        body: Body,
        *,
        target: npt.ArrayLike | None = None,
        anchor: npt.ArrayLike | None = None,
        max_force: _Number | None = None,
        spring_hertz: _Number = 5.0,
        spring_damping_ratio: _Number = 1.0,
        stiffness: _Number = 0.0,
        damping: _Number = 0.0,
        break_force: _Number | None = None,
        user_data: Any = None,
    ) -> MouseJoint:
        """Pull a point of a body to a target in the world. Wakes it.

        Parameters
        ----------
        body : Body
        target : array_like, shape (2,), optional
            World point; default: the anchor.
        anchor : array_like, shape (2,), optional
            World point of the body to pull at; default: the target, else its position.
        max_force : float, optional
            The most that it pulls with, N.
        spring_hertz : float
            Frequency of the bodies on this spring, were they alone, Hz; 0: no spring.
        spring_damping_ratio : float
            1 is critical.
        stiffness, damping : float
            Instead of both: N/m and N s/m; damping alone is a damper.
        break_force : float, optional
            The joint breaks, and is removed, when the mean force of a step is more, N.
        user_data : object, optional
            Anything.

        Returns
        -------
        MouseJoint
            Assign to target to move it.

        Raises
        ------
        ValueError
            For NaN, a number out of range, one body twice, or a body of another world.
        TypeError
            For what is no body or no number.
        RemovedError
            For a body that has been removed.

        Examples
        --------
        >>> world = World()
        >>> body = world.add_body(Circle(0.5))
        >>> mouse = world.add_mouse_joint(body)
        >>> mouse.target = (1, 2)
        >>> world.step(n=240)
        >>> bool(np.allclose(body.position, (1, 2), atol=0.02))
        True
        """
    def add_filter_joint(self, a: Body | None, b: Body, *, user_data: Any = None) -> FilterJoint:
        """Keep two bodies from colliding with each other.

        Parameters
        ----------
        a, b : Body
        user_data : object, optional
            Anything.

        Returns
        -------
        FilterJoint
            World.remove takes it away.

        Raises
        ------
        ValueError
            For NaN, a number out of range, one body twice, or a body of another world.
        TypeError
            For what is no body or no number.
        RemovedError
            For a body that has been removed.

        Examples
        --------
        >>> world = World(gravity=(0, 0))
        >>> a, b = world.add_body(Box(1, 1)), world.add_body(Box(1, 1), (0.5, 0))
        >>> joint = world.add_filter_joint(a, b)
        >>> world.step()
        >>> len(world.contacts)
        0
        """
    def add_pulley_joint(
        self,
        a: Body | None,
        b: Body,
        *,
        ground_a: npt.ArrayLike,
        ground_b: npt.ArrayLike,
        anchor_a: npt.ArrayLike | None = None,
        anchor_b: npt.ArrayLike | None = None,
        local_anchor_a: npt.ArrayLike | None = None,
        local_anchor_b: npt.ArrayLike | None = None,
        ratio: _Number = 1.0,
        lower: _Number | None = None,
        upper: _Number | None = None,
        motor_speed: _Number = 0.0,
        max_motor_force: _Number = 0.0,
        max_force: _Number | None = None,
        joint_hertz: _Number | None = None,
        joint_damping_ratio: _Number | None = None,
        break_force: _Number | None = None,
        collide_connected: _Bool = False,
        user_data: Any = None,
    ) -> PulleyJoint:
        """Tie two bodies by a rope that runs over two fixed points. Wakes them.

        Its length is length_a + ratio length_b, from the ground points to the anchors. Without limits and
        motor it stays what it is now, and the rope also pushes; with upper alone the rope may be slack;
        with a motor it is a winch.

        Parameters
        ----------
        a, b : Body
        ground_a, ground_b : array_like, shape (2,)
            World points over which the rope runs.
        anchor_a, anchor_b : array_like, shape (2,), optional
            World points of the bodies; default: their positions.
        local_anchor_a, local_anchor_b : array_like, shape (2,), optional
            Instead of world points: points in the frames of the bodies, metres.
        ratio : float
            Ratio of the block and tackle, > 0.
        lower, upper : float, optional
            Limits of the length, metres, >= 0.
        motor_speed : float
            Rate of the length that the motor aims at, m/s.
        max_motor_force : float
            The most that it pulls a with, N; 0: no motor.
        max_force : float, optional
            The most that it pulls a with where the length is held or at a limit, N; what pulls more moves it. With a bound it holds by a
            spring as stiff as joint_hertz says, where it has no other. Default: any.
        joint_hertz, joint_damping_ratio : float, optional
            What max_force and max_torque bound is held by a spring of this frequency (Hz, > 0)
            and damping ratio; where one is given, the other is the world's. Default: hold exactly.
        break_force : float, optional
            The joint breaks, and is removed, when the mean force on b of a step is more, N.
        collide_connected : bool
            Whether the two bodies may collide with each other.
        user_data : object, optional
            Anything.

        Returns
        -------
        PulleyJoint

        Raises
        ------
        ValueError
            For NaN, a number out of range, one body twice, or a body of another world.
        TypeError
            For what is no body or no number.
        RemovedError
            For a body that has been removed.

        Examples
        --------
        >>> world = World()
        >>> a = world.add_body(Box(1, 1), (-2, 0), mass=1)
        >>> b = world.add_body(Box(1, 1), (2, 0), mass=3)
        >>> rope = world.add_pulley_joint(a, b, ground_a=(-2, 5), ground_b=(2, 5))
        >>> world.step(n=30)
        >>> bool(abs(a.velocity[1] - 9.81 / 2 * 0.5) < 1e-2)
        True
        """
    def add_ratchet_joint(
        self,
        a: Body | None,
        b: Body,
        *,
        tooth: _Number,
        phase: _Number = 0.0,
        max_torque: _Number | None = None,
        joint_hertz: _Number | None = None,
        joint_damping_ratio: _Number | None = None,
        break_torque: _Number | None = None,
        collide_connected: _Bool = True,
        user_data: Any = None,
    ) -> RatchetJoint:
        """Let b turn relative to a in one direction only. Wakes the bodies.

        Turned back, it stops at the last tooth that it has passed. Holds no points together: use it with a
        revolute joint.

        Parameters
        ----------
        a : Body or None
            None: the world, which does not move.
        b : Body
        tooth : float
            Angle between teeth, radians, not 0; positive teeth let the angle of b against a grow.
        phase : float
            Angle of a tooth, radians; the angle is 0 now.
        max_torque : float, optional
            The most that it stops with, N m; what pulls more moves it. With a bound it holds by a
            spring as stiff as joint_hertz says, where it has no other. Default: any.
        joint_hertz, joint_damping_ratio : float, optional
            What max_force and max_torque bound is held by a spring of this frequency (Hz, > 0)
            and damping ratio; where one is given, the other is the world's. Default: hold exactly.
        break_torque : float, optional
            The joint breaks, and is removed, when the mean torque of a step is more, N m.
        collide_connected : bool
            Whether the two bodies may collide with each other.
        user_data : object, optional
            Anything.

        Returns
        -------
        RatchetJoint

        Raises
        ------
        ValueError
            For NaN, a number out of range, one body twice, or a body of another world.
        TypeError
            For what is no body or no number.
        RemovedError
            For a body that has been removed.

        Examples
        --------
        >>> world = World(gravity=(0, 0))
        >>> wheel = world.add_body(Circle(0.5), angular_velocity=-1)
        >>> pawl = world.add_ratchet_joint(None, wheel, tooth=0.5)
        >>> world.step(n=60)
        >>> bool(abs(pawl.angle) < 1e-3)
        True
        """
    def add_gear_joint(
        self,
        joint_a: RevoluteJoint | PrismaticJoint | RotaryJoint,
        joint_b: RevoluteJoint | PrismaticJoint | RotaryJoint,
        ratio: _Number = 1.0,
        *,
        phase: _Number | None = None,
        max_torque: _Number | None = None,
        joint_hertz: _Number | None = None,
        joint_damping_ratio: _Number | None = None,
        break_force: _Number | None = None,
        break_torque: _Number | None = None,
        collide_connected: _Bool = False,
        user_data: Any = None,
    ) -> GearJoint:
        """Let the coordinates of two joints move in a fixed ratio. Wakes their bodies.

        a + ratio b stays what it is now, or the phase, a and b being the angle of a revolute or rotary joint
        or the translation of a prismatic one: wheels of radii r and s that touch have the ratio s / r, a wheel (joint_a) on
        a rack the ratio 1 / r or -1 / r. Make the gear's bodies the second of their joints.

        Parameters
        ----------
        joint_a, joint_b : RevoluteJoint, RotaryJoint or PrismaticJoint
            The gear goes with either.
        ratio : float
            Not 0; radians or metres of joint_a per one of joint_b.
        phase : float, optional
            What a + ratio b is held at; default: as it is now.
        max_torque : float, optional
            The most that it gives the wheel of joint_a, N m, or N where that slides; what pulls more moves it. With a bound it holds by a
            spring as stiff as joint_hertz says, where it has no other. Default: any.
        joint_hertz, joint_damping_ratio : float, optional
            What max_force and max_torque bound is held by a spring of this frequency (Hz, > 0)
            and damping ratio; where one is given, the other is the world's. Default: hold exactly.
        break_force, break_torque : float, optional
            The joint breaks, and is removed, when the mean force (N) or torque (N m) of a step is
            more; events.joint_break tells. Default: never. In that step it still holds with all
            that it takes; a max_force a little above bounds it.
        collide_connected : bool
            Whether the second bodies of the joints may collide.
        user_data : object, optional
            Anything.

        Returns
        -------
        GearJoint

        Raises
        ------
        ValueError
            For NaN, a number out of range, other kinds of joints, one joint twice, or a joint of
            another world.
        TypeError
            For what is no joint or no number.
        RemovedError
            For a joint that has been removed.

        Examples
        --------
        >>> world = World(gravity=(0, 0))
        >>> small, big = world.add_body(Circle(1)), world.add_body(Circle(2), (3, 0))
        >>> pins = [world.add_revolute_joint(None, wheel) for wheel in (small, big)]
        >>> gear = world.add_gear_joint(*pins, 2)
        >>> small.angular_velocity = 3
        >>> world.step()
        >>> round(float(small.angular_velocity / big.angular_velocity), 3)
        -2.0
        """
    def add_rotary_joint(
        self,
        a: Body | None,
        b: Body,
        *,
        reference_angle: _Number | None = None,
        lower: _Number | None = None,
        upper: _Number | None = None,
        motor_speed: _Number = 0.0,
        max_motor_torque: _Number = 0.0,
        spring_hertz: _Number = 0.0,
        spring_damping_ratio: _Number = 0.0,
        stiffness: _Number = 0.0,
        damping: _Number = 0.0,
        spring_target: _Number = 0.0,
        max_torque: _Number | None = None,
        joint_hertz: _Number | None = None,
        joint_damping_ratio: _Number | None = None,
        break_torque: _Number | None = None,
        collide_connected: _Bool = True,
        user_data: Any = None,
    ) -> RotaryJoint:
        """Limit, drive or spring the angle between two bodies, wherever they are. Wakes them.

        Holds no points together. The joint's angle is that of b against a, 0 now; it counts turns.

        Parameters
        ----------
        a : Body or None
            None: the world, which does not move.
        b : Body
        reference_angle : float, optional
            Angle of b less that of a where the joint's angle is 0, radians; default: as it is now.
        lower, upper : float, optional
            Limits of the angle, radians, of any size.
        motor_speed : float
            Speed that the motor aims at, rad/s.
        max_motor_torque : float
            The most that it gives, N m; 0: no motor, and with speed 0 a friction.
        spring_hertz : float
            Frequency of the bodies on this spring, were they alone, Hz; 0: no spring.
        spring_damping_ratio : float
            1 is critical.
        stiffness, damping : float
            Instead of both: N m/rad and N m s/rad; damping alone is a damper.
        spring_target : float
            Angle at which the spring rests, radians.
        max_torque : float, optional
            The most that it holds, limits and springs with, N m; what pulls more moves it. With a bound it holds by a
            spring as stiff as joint_hertz says, where it has no other. Default: any.
        joint_hertz, joint_damping_ratio : float, optional
            What max_force and max_torque bound is held by a spring of this frequency (Hz, > 0)
            and damping ratio; where one is given, the other is the world's. Default: hold exactly.
        break_torque : float, optional
            The joint breaks, and is removed, when the mean torque of a step is more, N m.
        collide_connected : bool
            Whether the two bodies may collide with each other.
        user_data : object, optional
            Anything.

        Returns
        -------
        RotaryJoint

        Raises
        ------
        ValueError
            For NaN, a number out of range, one body twice, or a body of another world.
        TypeError
            For what is no body or no number.
        RemovedError
            For a body that has been removed.

        Examples
        --------
        >>> world = World(gravity=(0, 0))
        >>> a, b = world.add_body(Circle(1)), world.add_body(Circle(1), (5, 0))
        >>> motor = world.add_rotary_joint(a, b, motor_speed=2, max_motor_torque=100)
        >>> world.step()
        >>> [round(float(body.angular_velocity), 3) for body in (a, b)]
        [-1.0, 1.0]
        """
    def remove(
        self,
        object_or_objects: _Removable | Iterable[_Removable | SupportsIndex] | _Ints,
        /,
    ) -> None:
        """Remove a body (with its colliders and joints), a collider, a joint or a field, or many of
        them: all or none.

        A body's slot may be given to a later one; until then its rows are NaN.

        Parameters
        ----------
        object_or_objects : Body, Collider, Joint, field, or iterable of these and of slots
            An integer is the slot of a body, so that an array of slots removes these bodies.

        Raises
        ------
        RemovedError
            When one has been removed already, or a slot holds no body.
        ValueError
            When one belongs to another world.

        Examples
        --------
        >>> world = World()
        >>> slots = world.add_bodies(Circle(0.5), [(0, 0), (2, 0), (4, 0)])
        >>> world.remove(slots[world.positions[slots, 0] > 1])
        >>> len(world.bodies)
        1
        """
    def kinetic_energy(self, /) -> float:
        """Kinetic energy of all bodies, J."""
    def potential_energy(self, /) -> float:
        """Potential energy of all bodies under gravity, J; 0 at the world's origin."""
    def momentum(self, /) -> _Floats:
        """Momentum of all bodies, shape (2,), kg m/s."""
    def angular_momentum(self, about: npt.ArrayLike = (0, 0)) -> float:
        """Angular momentum of all bodies about a point of the world, kg m^2/s.

        Parameters
        ----------
        about : array_like, shape (2,)
            Metres, world.

        Raises
        ------
        ValueError
            For a wrong shape, NaN or infinity.
        """
    def hash(self, /) -> int:
        """64-bit hash of everything that shapes the future, pending forces and materials included.

        The same for the same history, whatever the workers, the instruction set or the platform.
        """
    def tree(self, kind: str = "query") -> _Rows:
        """Nodes of the tree that answers queries.

        Parameters
        ----------
        kind : {'query'}

        Returns
        -------
        structured ndarray
            Columns lower, upper (metres, world), parent, child_a, child_b (row numbers, -1 for
            none), height (0 for a leaf, -1 for a free node), collider and piece (-1 for inner nodes).

        Raises
        ------
        ValueError
            For an unknown kind.
        """
    def cast_ray(
        self,
        origin: npt.ArrayLike,
        translation: npt.ArrayLike,
        *,
        radius: _Number = 0.0,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> RayHit | None:
        """First point of a ray on a collider.

        Parameters
        ----------
        origin, translation : array_like, shape (2,)
            The ray runs from origin to origin + translation, metres, world.
        radius : float
            Radius of the ray, metres, >= 0.
            With a radius, a disc moves along the ray. The point is where it first touches the
            collider, the fraction is that of its centre. Chains are hit from their free side.
        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        RayHit or None

        Raises
        ------
        ValueError
            For a wrong shape, NaN, infinity or a negative radius.

        Examples
        --------
        >>> world = World()
        >>> wall = world.add_body(Box(1, 10), kind='static')
        >>> world.cast_ray((-10, 0), (20, 0)).point
        array([-0.5,  0. ])
        """
    def cast_ray_all(
        self,
        origin: npt.ArrayLike,
        translation: npt.ArrayLike,
        *,
        radius: _Number = 0.0,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> list[RayHit]:
        """First points of a ray on every collider that it meets, nearest first.

        Parameters
        ----------
        origin, translation : array_like, shape (2,)
            Metres, world.
        radius : float
            Radius of the ray, metres, >= 0.
            With a radius, a disc moves along the ray. The point is where it first touches the
            collider, the fraction is that of its centre. Chains are hit from their free side.
        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        list of RayHit

        Raises
        ------
        ValueError
            For a wrong shape, NaN or infinity.
        """
    def cast_rays(
        self,
        origins: npt.ArrayLike,
        translations: npt.ArrayLike,
        *,
        radius: npt.ArrayLike = 0.0,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> _Rows:
        """First points of many rays in one call; the GIL is released.

        Parameters
        ----------
        origins, translations : array_like, shape (2,) or (n, 2)
            Metres, world; one of them may be the same for all rays.
        radius : float or array_like, shape (n,)
            Radius of the rays, metres, >= 0.
            With a radius, a disc moves along the ray. The point is where it first touches the
            collider, the fraction is that of its centre. Chains are hit from their free side.
        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        structured ndarray, shape (n,)
            Columns collider, body, piece (-1 for a miss), point, normal and fraction (NaN for a miss).

        Raises
        ------
        ValueError
            For a wrong shape, NaN, infinity or a negative radius.
        """
    def cast_shape(
        self,
        shape: Shape,
        pose: npt.ArrayLike,
        translation: npt.ArrayLike,
        *,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> RayHit | None:
        """First touch of a shape that is moved along a straight line.

        It does not turn. What it touches at the start is hit at fraction 0, with a zero normal where
        they are in each other by more than their rounding radii. Chains are met from their free
        side: by pieces whose centroid is there.

        Parameters
        ----------
        shape : Shape
        pose : array_like, shape (3,)
            x, y (metres) and angle (radians) at the start, world.
        translation : array_like, shape (2,)
            Displacement, metres.
        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        RayHit or None
            The point is where they touch, the normal points out of the collider.

        Raises
        ------
        ValueError
            For a wrong shape of an array, NaN, infinity or lengths that do not agree.
        TypeError
            For what is no Shape.

        Examples
        --------
        >>> world = World()
        >>> wall = world.add_body(Box(1, 10), kind='static')
        >>> world.cast_shape(Circle(0.5), (-9, 0, 0), (16, 0)).fraction
        0.5
        """
    def cast_shapes(
        self,
        shapes: _Sides,
        poses: npt.ArrayLike,
        translations: npt.ArrayLike,
        *,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> _Rows:
        """First touches of shapes that are moved along straight lines: cast_shape for many.

        Parameters
        ----------
        shapes : Shape or sequence of n Shapes
        poses : array_like, shape (3,) or (n, 3)
            x, y (metres) and angle (radians), world.
        translations : array_like, shape (2,) or (n, 2)
            Metres.
            Each argument is one for all rows or has n; the GIL is released, and the workers of
            the world share the rows.

        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        structured ndarray, shape (n,)
            Columns collider, body, piece (of the collider; -1 for a miss), point, normal (unit,
            out of the collider) and fraction (NaN for a miss).

        Raises
        ------
        ValueError
            For a wrong shape of an array, NaN, infinity or lengths that do not agree.
        TypeError
            For what is no Shape.

        Examples
        --------
        >>> world = World()
        >>> wall = world.add_body(Box(1, 10), kind='static')
        >>> world.cast_shapes(Circle(0.5), (-9, 0, 0), [(16, 0), (32, 0), (-1, 0)])['fraction']
        array([0.5 , 0.25,  nan])
        """
    @overload
    def time_of_impact(
        self,
        shape: Shape,
        start: npt.ArrayLike,
        end: npt.ArrayLike,
        *,
        target: _Number = 0.005,
        dt: _Number = 0.0,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> RayHit | None:
        """When a moving shape, or a body as it moves, first comes close to a collider.

        Position and angle of a shape blend evenly from start to end; it turns about the origin of
        its frame. A body starts where it is and goes on at its velocities for dt, or to an end;
        it does not meet itself, nor colliders that its own do not collide with. What is as close as
        the target at the start is hit at fraction 0. Chains are met from their free side: by pieces
        whose centroid is there.

        Parameters
        ----------
        shape : Shape or Body
        start, end : array_like, shape (3,)
            x, y (metres) and angle (radians), world; a body has no start.
        target : float
            Metres, >= 0: a hit is when the distance falls to this.
        dt : float
            Seconds the motion takes, in which bodies go on at their present velocities, straight
            and turning evenly about their centres of mass; 0: they stay where they are.
        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        RayHit or None
            The fraction is that of the motion, the point midway between the surfaces then, the
            normal points out of the collider.

        Raises
        ------
        ValueError
            For a wrong shape of an array, NaN, infinity or lengths that do not agree.
        TypeError
            For what is no Shape.
        RemovedError
            When the body has been removed.

        Examples
        --------
        >>> world = World(gravity=(0, 0))
        >>> wall = world.add_body(Box(1, 10), (5, 0), kind='static')
        >>> ball = world.add_body(Circle(0.5), velocity=(8, 0))
        >>> world.time_of_impact(ball, dt=1, target=0).fraction
        0.5
        """
    @overload
    def time_of_impact(
        self,
        shape: Body,
        start: None = None,
        end: npt.ArrayLike | None = None,
        *,
        target: _Number = 0.005,
        dt: _Number = 0.0,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> RayHit | None: ...
    @overload
    def times_of_impact(
        self,
        shapes: _Sides,
        starts: npt.ArrayLike,
        ends: npt.ArrayLike,
        *,
        target: _Number = 0.005,
        dt: _Number = 0.0,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> _Rows:
        """When moving shapes first come close to colliders: time_of_impact for many.

        Parameters
        ----------
        shapes : Shape or sequence of n Shapes
        starts, ends : array_like, shape (3,) or (n, 3)
            x, y (metres) and angle (radians), world.
            Each argument is one for all rows or has n; the GIL is released, and the workers of
            the world share the rows.

        target : float
            Metres, >= 0: a hit is when the distance falls to this.
        dt : float
            Seconds the motion takes, in which bodies go on at their present velocities, straight
            and turning evenly about their centres of mass; 0: they stay where they are.
        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        structured ndarray, shape (n,)
            Columns collider, body, piece (of the collider; -1 for a miss), point, normal (unit,
            out of the collider) and fraction (NaN for a miss).

        Raises
        ------
        ValueError
            For a wrong shape of an array, NaN, infinity or lengths that do not agree.
        TypeError
            For what is no Shape.
        """
    @overload
    def times_of_impact(
        self,
        shapes: list[Body] | tuple[Body, ...],
        starts: None = None,
        ends: npt.ArrayLike | None = None,
        *,
        target: _Number = 0.005,
        dt: _Number = 0.0,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> _Rows: ...
    def nearest(
        self,
        point: npt.ArrayLike | Shape,
        k: SupportsIndex = 1,
        *,
        pose: npt.ArrayLike = (0, 0, 0),
        max_distance: _Number | None = None,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> list[Collider]:
        """The k colliders nearest to a point or a shape, by distance, then by index.

        Colliders that contain or overlap it are at distance 0. Chains count as plain lines.
        World.distances tells the distances and the nearest points.

        Parameters
        ----------
        point : array_like, shape (2,), or Shape
            Metres, world.
        k : int
            Largest number of colliders, 1 to 1048576.
        pose : array_like, shape (3,)
            x, y (metres) and angle (radians) of a shape.
        max_distance : float, optional
            Metres, >= 0; None for any.
        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        list of Collider

        Raises
        ------
        ValueError
            For a wrong shape of an array, NaN, infinity or lengths that do not agree.
        TypeError
            For what is no Shape.

        Examples
        --------
        >>> world = World()
        >>> bodies = [world.add_body(Circle(1), (x, 0)) for x in (0, 5, 9)]
        >>> [collider.body.index for collider in world.nearest((6, 0), k=2)]
        [1, 2]
        """
    def distances(
        self,
        points: npt.ArrayLike | _Sides,
        k: SupportsIndex = 1,
        *,
        poses: npt.ArrayLike = (0, 0, 0),
        max_distance: _Number | None = None,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> _Rows:
        """Distances and nearest points of the k colliders nearest to points or shapes.

        By distance, then by index. Colliders that contain or overlap a point or shape are at
        distance 0. Chains count as plain lines.

        Parameters
        ----------
        points : array_like, shape (2,) or (n, 2), or Shape or sequence of n Shapes
            Metres, world.
        k : int
            Number for each row, 1 to 1048576.
        poses : array_like, shape (3,) or (n, 3)
            x, y (metres) and angle (radians) of the shapes.
            Each argument is one for all rows or has n; the GIL is released, and the workers of
            the world share the rows.

        max_distance : float, optional
            Metres, >= 0; None for any.
        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        structured ndarray, shape (n,), or (n, k) for k > 1
            Columns collider, body, piece (-1 where there is none within max_distance), distance,
            point (on the collider) and normal (unit, from the collider to the point or shape; zero
            where one is inside), NaN where there is none.

        Raises
        ------
        ValueError
            For a wrong shape of an array, NaN, infinity or lengths that do not agree.
        TypeError
            For what is no Shape.

        Examples
        --------
        >>> world = World()
        >>> bodies = [world.add_body(Circle(1), (x, 0)) for x in (0, 5, 9)]
        >>> world.distances([(2, 0), (7, 0)])['distance']
        array([1., 1.])
        >>> world.distances([(2, 0), (7, 0)], k=2)['collider']
        array([[0, 1],
               [1, 2]], dtype=int32)
        """
    def query_aabb(
        self,
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        *,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> list[Collider]:
        """Colliders near a box, by index: those with a convex piece whose own bounds overlap it.

        Parameters
        ----------
        lower, upper : array_like, shape (2,)
            Corners of the box, metres, world.
        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        list of Collider

        Raises
        ------
        ValueError
            For a wrong shape, NaN, infinity, or lower > upper.
        """
    def at(
        self,
        point: npt.ArrayLike,
        *,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> list[Collider]:
        """Colliders that contain a point, by index.

        Parameters
        ----------
        point : array_like, shape (2,)
            Metres, world.
        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        list of Collider

        Raises
        ------
        ValueError
            For a wrong shape, NaN or infinity.
        """
    def overlap(
        self,
        shape: Shape,
        pose: npt.ArrayLike = (0, 0, 0),
        *,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> list[Collider]:
        """Colliders that overlap a shape, by index.

        Parameters
        ----------
        shape : Shape
        pose : array_like, shape (3,)
            x, y (metres) and angle (radians) of the shape, world.
        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        list of Collider

        Raises
        ------
        ValueError
            For a wrong shape of the pose, NaN or infinity.
        """
    def overlaps(
        self,
        shapes: _Sides,
        poses: npt.ArrayLike = (0, 0, 0),
        *,
        margin: _Number = 0.0,
        pieces: _Bool = False,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> _Rows:
        """Which colliders placed shapes overlap, and how: contact points as geometry.collide gives them.

        Of concave shapes the convex pieces that overlap most count. Chains are one-sided, as in
        contacts, so what is behind one does not overlap it; World.overlap takes them for plain lines.

        Parameters
        ----------
        shapes : Shape or sequence of n Shapes
        poses : array_like, shape (3,) or (n, 3)
            x, y (metres) and angle (radians), world.
            Each argument is one for all rows or has n; the GIL is released, and the workers of
            the world share the rows.

        margin : float
            Points with a separation up to this are reported, metres, >= 0.
        pieces : bool
            Whether there is a row for every pair of convex pieces, instead of one per
            collider.
        mask : int
            Only colliders with category & mask != 0.
        include_sensors : bool
            Whether sensors are found too.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count: one value per collider index, as World.aabbs has rows. Or a
            function that is called once for the whole call, with the indices (ascending) of all
            colliders that the filter and `ignore` do not exclude and that may be near enough, and
            returns a boolean for each.
        ignore : Body, Collider or sequence of them, optional
            Bodies and colliders that are not found, such as the body that asks.
        category, group : int
            The filter of who asks: only colliders whose mask has a bit of the category (0: any), as
            for a collider of this category. Whatever the masks say, with a positive group all
            colliders of the same group are found, and with a negative one none of them.

        Returns
        -------
        structured ndarray
            Rows by query (the row of shape and pose), then by collider, piece and own_piece (of the
            shape). More columns: body, normal (unit, out of the collider), depth (metres: by how far
            the shape must go along the normal), count (1 or 2), points (midway between the surfaces)
            and separations, NaN beyond the count.

        Raises
        ------
        ValueError
            For a wrong shape of an array, NaN, infinity or lengths that do not agree.
        TypeError
            For what is no Shape.

        Examples
        --------
        >>> world = World()
        >>> floor = world.add_body(Box(10, 2), kind='static')
        >>> rows = world.overlaps(Circle(1), [(0, 1.75, 0), (3, 5, 0), (2, 1.5, 0)])
        >>> rows['query'], rows['depth']
        (array([0, 2], dtype=int32), array([0.25, 0.5 ]))
        """
    def slice(self, body: Body, p: npt.ArrayLike, q: npt.ArrayLike) -> list[Body]:
        """Cut a body along the infinite line from p to q.

        What hangs together on one side of the line becomes one body: the pieces of one collider where
        their area does, pieces of different colliders where they touch (within 0.1 mm). Sensors hold
        nothing together and go with what they touch. The body is removed, its parts are new bodies
        with their origin at their centre of mass.

        Parts keep the motion (the velocity of the body's matter at their centre of mass, the same
        spin), the angle, the kind and all switches, density, material and filter of each collider, the
        name, and the same `user_data` object (their colliders, which are new, have none). A given `mass` and forces not yet applied are shared
        out. So area, mass, momentum and angular momentum stay as they were, but for rounding. Parts,
        and sleepers that touched the body, are awake.

        Circles, capsules and rounded polygons that are cut become polygons of the same area, with 64
        vertices for a full turn; that adds up to 3 parts in 100,000 to the moment of inertia, and to
        the angular momentum of the spin.
        Segments and chains are parted where they cross. A part that would be thinner than 0.1 mm is
        not cut off. Of a body with mass, shapes without mass stay with the nearest of the others.

        Parameters
        ----------
        body : Body
            Of any kind.
        p, q : array_like, shape (2,)
            Two points of the line, metres, world.

        Returns
        -------
        list of Body
            The parts left of the line, then those right of it, each in order along the line; `[body]`
            itself, unchanged, when the line does not part it.

        Raises
        ------
        ValueError
            When q equals p or a number is not finite; for a shape so intricate that the
            rounding of the cut would make it touch itself.
        RemovedError
            When the body has been removed.
        CapacityError
            When the world cannot hold the parts (max_bodies).

        Examples
        --------
        >>> world = World()
        >>> crate = world.add_body(Box(2, 1), velocity=(3, 0))
        >>> [part.mass for part in world.slice(crate, (0, -1), (0, 1))]
        [1.0, 1.0]
        """
    def snapshot(self, *, user_data: _Bool = True) -> bytes:
        """The state of the world as bytes.

        All that the next step depends on is in them, and names of bodies and user data of
        bodies, colliders and joints; not the hooks. A world that is restored has the same hash after every step, on any platform, with
        any number of workers. Events of the last step are not kept.

        Parameters
        ----------
        user_data : bool
            Whether user data is kept; it is pickled.

        Returns
        -------
        bytes

        Raises
        ------
        TypeError
            For user data that cannot be pickled, as that of worlds that refer to each
            other; the message names its owner.
        ValueError
            When a live array holds a number that a step would refuse.
        WorldLockedError
            From inside a step of the world.

        Examples
        --------
        >>> world = World()
        >>> ball = world.add_body(Circle(0.5), position=(0, 10))
        >>> start = world.snapshot()
        >>> world.step(n=60)
        >>> world.restore(start)
        >>> ball.position.tolist()
        [0.0, 10.0]
        """
    def restore(self, snapshot: Any, /, *, user_data: _Bool = True) -> None:
        """Go back to a snapshot, of this world or of another one.

        Handles stay valid when their body, collider, joint or field lives in the snapshot, by id;
        others become removed. Live arrays stay where they are. Hooks and workers are left as they
        are, and max_bodies.

        Parameters
        ----------
        snapshot : bytes-like
            What `snapshot` gave.
        user_data : bool
            Whether user data is taken over. It is unpickled, which can run code:
            say False for bytes of those you do not trust. Nothing else in a snapshot can.

        Raises
        ------
        SnapshotError
            For what is no snapshot, or damaged: nothing changes.
        CapacityError
            When it has more slots than this world has room for.
        WorldLockedError
            From inside a step of the world.
        """
    @classmethod
    def from_snapshot(cls, snapshot: Any, /, *, user_data: _Bool = True) -> Self:
        """A new world from a snapshot.

        Parameters
        ----------
        snapshot : bytes-like
            What `snapshot` gave.
        user_data : bool
            As for `restore`.

        Returns
        -------
        World

        Raises
        ------
        SnapshotError
            For what is no snapshot, or damaged.

        Examples
        --------
        >>> world = World()
        >>> ball = world.add_body(Circle(0.5), name='ball')
        >>> twin = World.from_snapshot(world.snapshot())
        >>> twin.bodies[0].name, twin.hash() == world.hash()
        ('ball', True)
        """
    def fork(self, n: SupportsIndex, /) -> list[Self]:
        """Copies of the world that share its immutable shapes.

        Each has the same ids, events and future; what is done to one does not show in another.
        User data is the same object in all; hooks are left out.

        Parameters
        ----------
        n : int
            How many, >= 0.

        Returns
        -------
        list of World

        Raises
        ------
        MemoryError
            If so many worlds are more than the machine has memory for.

        Examples
        --------
        >>> world = World()
        >>> [len(copy.bodies) for copy in world.fork(2)]
        [0, 0]
        """
    def diff(self, other: World, /) -> Diff:
        """List the differences of two worlds, as far as the future depends on them.

        Parameters
        ----------
        other : World

        Returns
        -------
        Diff
            A list of (path, a, b), first settings, then bodies, colliders, joints, fields and
            contacts by index; it prints as a table. Empty when nothing differs.

        Examples
        --------
        >>> world = World()
        >>> ball = world.add_body(Circle(0.5))
        >>> twin, = world.fork(1)
        >>> twin.bodies[0].velocity = (1, 0)
        >>> world.diff(twin)[0]
        ('bodies[0].velocity', (0.0, 0.0), (1.0, 0.0))
        """
    def check(self, /, dt: _Number | None = None) -> list[Finding]:
        """Check the scene for common mistakes.

        Parameters
        ----------
        dt : float, optional
            The step that will be used, seconds, to be checked too.

        Returns
        -------
        list of Finding
            Each with `kind`, `message` (what, and what helps) and `objects`.

        Examples
        --------
        >>> world = World()
        >>> for x in (0, 0.1):
        ...     body = world.add_body(Circle(0.5), (x, 0))
        >>> world.check()[0].kind
        'overlap'
        """
    def record_calls(
        self,
        path: str | PathLike[str],
        *,
        flush: _Number = 1.0,
        hash_every: SupportsIndex = 1,
        state_every: SupportsIndex = 0,
    ) -> CallLog:
        """Write a call log: this state, and every call that changes the world from now on.

        `pyphys2d.replay` repeats it and finds the first step that differs. One file is a bug
        report. What hooks did is in it, and what was written to live arrays; user data is not.

        Parameters
        ----------
        path : path
            The file; an old one is replaced.
        flush : float
            Seconds, >= 0: what is older than this is written before the next call. A
            process that is killed leaves a file that is whole up to there.
        hash_every : int
            Steps between hashes, >= 1.
        state_every : int
            Steps between whole states, which a replay that differs is compared
            with; 0: only the last one.

        Returns
        -------
        CallLog
            With close(), flush() and error; also a context manager, which closes it.

        Raises
        ------
        OSError
            If the file cannot be written.
        ValueError
            When the world has a call log already, or for a number out of range.
        WorldLockedError
            From inside a step of the world.
        """
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> Self: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> tuple[Any, ...]: ...
    def _state(
        self, head: Any = b"", /
    ) -> tuple[bytes, dict[int, str], dict[int, Any], dict[int, Any], dict[int, Any]]: ...
    def _set_state(
        self,
        state: Any,
        names: dict[int, str],
        user_data: dict[int, Any],
        collider_data: dict[int, Any] = {},
        joint_data: dict[int, Any] = {},
        /,
    ) -> None: ...
    @classmethod
    def _from_state(
        cls, state: Any, names: dict[int, str], workers: int = 0, floor: int = 0, /
    ) -> Self: ...
    def _floor(self, /) -> int: ...
    def _clone(self, /) -> Self: ...
    def add_spring_law(
        self,
        joints: Joint | Iterable[Joint],
        function: Callable[[_Floats, _Floats], npt.ArrayLike],
    ) -> SpringLaw:
        """Let joints be springs whose force is any function of extension and rate. Wakes their bodies.

        function(extension, rate) is called once in every step in which a body of these joints is
        awake, with arrays of shape (n,): one row for each joint, in the order of joints. It returns
        their forces, shape (n,) or one for all: N along a length or translation, N m about an angle.
        A positive force lengthens, or turns the second body counter-clockwise, so that Hooke's law
        is -k * extension - c * rate.

        extension is the joint's length, translation or angle less its spring_target, m or rad; rate
        is its rate, m/s or rad/s. Both are as they will be near the middle of the step, if bodies go
        on as they move; so no energy comes or goes in the long run. The force is the same for the
        whole step, and a spring of a period below three steps is not stable: give such a stiff part
        of the law to the joint itself (stiffness, damping), to which this force is added.

        Rows of removed joints are NaN, and what is returned for them and for sleeping bodies counts
        for nothing. The world can be read meanwhile, not changed. The law is a hook: no part of
        hash() and of snapshots.

        Parameters
        ----------
        joints : Joint or iterable of Joint
            Distance, revolute, prismatic, wheel or rotary joints that leave free what the law acts
            on: for a length, add_distance_joint(a, b, lower=0).
        function : callable
            function(extension, rate) -> forces.

        Returns
        -------
        SpringLaw
            Its remove() ends it.

        Raises
        ------
        ValueError
            For a joint of another kind or world, or one that is held.
        TypeError
            For what is no joint, or cannot be called.
        RemovedError
            For a joint that has been removed.

        Examples
        --------
        >>> world = World()
        >>> bob = world.add_body(Circle(0.1), (0, -1), mass=2)
        >>> spring = world.add_distance_joint(None, bob, anchor_a=(0, 0), lower=0, length=1)
        >>> law = world.add_spring_law(spring, lambda x, v: -100 * x - 2e4 * x**3 - 20 * v)
        >>> world.step(n=600)
        >>> x = spring.length - 1
        >>> bool(abs(100 * x + 2e4 * x**3 - 2 * 9.81) < 1e-3)
        True
        """
    def _add_spring_law(
        self, joints: Iterable[Joint], function: Callable[[_Floats, _Floats], npt.ArrayLike], /
    ) -> SpringLaw: ...
    def _drop_spring_laws(self, /) -> None: ...
    def _wake_joints(self, joints: Iterable[Joint], /) -> None: ...
    def _set_pair_filter(self, filter: Callable[[_Rows], npt.ArrayLike] | None, /) -> None: ...
    def _has_log(self, /) -> bool: ...
    def _set_log(self, log: Any, lock: Any, records: Any, every: int, /) -> None: ...
    def _written(self, /) -> int: ...
    def _write(self, array: int, rows: Any, numbers: Any, /) -> None: ...
    def draw_list(
        self,
        *,
        shapes: _Bool = True,
        joints: _Bool = True,
        contacts: _Bool = True,
        mark_size: _Number = 0.25,
    ) -> DrawList:
        """Get what a picture of the world needs, as a few arrays: outlines, joints, contacts, poses.

        For a renderer of your own. Outlines stand in the frames of their bodies, so that they need
        to be read once, and again when colliders were added or removed; the frames of a film need
        ``draw_list(shapes=False)`` alone.

        Parameters
        ----------
        shapes : bool
            The outlines of all colliders; without them colliders, aabbs, points and circles are empty.
        joints : bool
            Lines for all joints.
        contacts : bool
            The contact points, as world.contacts has them.
        mark_size : float
            About the size of the marks that joints are drawn with, metres.

        Returns
        -------
        DrawList
            Read-only arrays of its own memory; see there for what they hold.

        Raises
        ------
        ValueError
            If mark_size is not a positive number.
        WorldLockedError
            In the middle of the world's own step; on_force may ask.

        Examples
        --------
        >>> import numpy as np
        >>> import pyphys2d as p2
        >>> world = p2.World()
        >>> body = world.add_body(p2.Box(2, 1), (5, 0))
        >>> drawing = world.draw_list()
        >>> row = drawing.colliders[0]
        >>> outline = drawing.points[drawing.rings[row["first"]]:drawing.rings[row["first"] + 1]]
        >>> x, y, angle = drawing.poses[row["body"]]
        >>> turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        >>> print(outline @ turn.T + (x, y))
        [[ 4.  -0.5]
         [ 6.  -0.5]
         [ 6.   0.5]
         [ 4.   0.5]]
        """
    def record(
        self,
        every: SupportsIndex = 1,
        contacts: _Bool = False,
        events: _Bool = False,
        *,
        joints: _Bool = True,
        path: str | PathLike[str] | None = None,
        flush: _Number = 1.0,
        name: str = "",
    ) -> Recording:
        """Record what steps do: `with world.record() as trajectory`.

        Inside of the block each step adds what came of it to the Trajectory, in whatever call it is
        made. The first frame is the state at the start of the block, the last one that at its end.

        Parameters
        ----------
        every : int
            Steps per frame.
        contacts : bool
            Keep the contact points of each frame, and how deep the deepest is.
        events : bool
            Keep the events of all steps, those between frames too.
        joints : bool
            Keep forces, torques and coordinates of the joints of each frame.
        path : path, optional
            A file to write blocks of frames to, instead of memory. A run that is killed leaves in it
            what was written until then; Trajectory.load reads it.
        flush : float
            Seconds after which frames are written at the latest; 0: in whole blocks.
        name : str
            Of the trajectory.

        Returns
        -------
        Recording
            A context manager that gives the Trajectory.

        Raises
        ------
        ValueError
            For a number out of range.
        OSError
            If the file cannot be written; also from a step, which is then not made.

        Examples
        --------
        >>> world = World()
        >>> ball = world.add_body(Circle(0.5), (0, 5))
        >>> with world.record(every=2) as trajectory:
        ...     world.step(n=10)
        >>> trajectory.positions.shape
        (6, 1, 2)
        """
    def refilter(self, /) -> None:
        """Have pair_filter asked again about all pairs in the next step.

        Call it when what the filter decides by has changed. All bodies wake. Contacts that it now
        refuses end; those that it still allows keep their impulses. For one collider, set its
        category, mask or group.
        """
    def contact(self, id: SupportsIndex, /) -> _Rows | None:
        """The contact with an id, or None when it has ended.

        A contact lasts while two colliders touch, asleep or not. Its id is given out when it
        begins, with the event of that step, and never again in the course of a world.

        Parameters
        ----------
        id : int
            Column id of World.contacts, of Events.contact_begin or of Events.contact_hit.

        Returns
        -------
        structured ndarray or None
            Rows of World.contacts with that id, of own memory. None of them where the two were moved
            apart since the last step, which has not ended the contact yet.

        Raises
        ------
        TypeError
            When it is no integer.

        Examples
        --------
        >>> import pyphys2d as p2
        >>> world = p2.World()
        >>> floor = world.add_body(p2.Box(10, 1), (0, -0.5), kind='static')
        >>> ball = world.add_body(p2.Circle(1), (0, 1))
        >>> world.step(n=60)
        >>> id = world.events.contact_begin['id'][0]
        >>> world.contact(id)['body_a'] == ball.index
        array([ True])
        >>> world.remove(ball)
        >>> world.contact(id) is None
        True
        """
    def contacts_of(self, body_or_collider: Body | Collider, /) -> _Rows:
        """The contacts of a body or a collider, seen from it: it is a, normals point away from it.

        Rows of World.contacts that name it, in their order; where it is b there, a and b have
        changed places here and the normal is turned round. Impulses need no change: each is that
        which a gives to b.

        Parameters
        ----------
        body_or_collider : Body or Collider

        Returns
        -------
        structured ndarray
            Of own memory, with the columns of World.contacts.

        Raises
        ------
        RemovedError
            When it has been removed.
        ValueError
            When it belongs to another world.

        Examples
        --------
        >>> import pyphys2d as p2
        >>> world = p2.World()
        >>> floor = world.add_body(p2.Box(10, 1), (0, -0.5), kind='static')
        >>> ball = world.add_body(p2.Circle(1), (0, 1))
        >>> world.step(n=60)
        >>> world.contacts_of(floor)['normal'].tolist()
        [[0.0, 1.0]]
        """
    def touching(
        self,
        body: Body,
        *,
        mask: SupportsIndex = 18446744073709551615,
        include_sensors: _Bool = False,
        where: _Where | None = None,
        ignore: _Ignored | None = None,
        category: SupportsIndex = 0,
        group: SupportsIndex = 0,
    ) -> list[Body]:
        """Bodies that touched a body in the last step, by slot.

        Parameters
        ----------
        body : Body
        mask : int
            Only touches by colliders with category & mask != 0.
        include_sensors : bool
            Whether bodies count whose sensors it overlaps now.
        where : array_like of bool, shape (c,), or callable, optional
            Which colliders count, as for the other queries; a function is asked about all.
        ignore : Body, Collider or sequence of them, optional
            What does not count.

        Returns
        -------
        list of Body

        Raises
        ------
        RemovedError
            When the body has been removed.
        ValueError
            When it belongs to another world.
        """

@final
class AABBTree:
    """A dynamic tree of bounding boxes.

    A leaf's box is fat: the given one grown by a margin, so that small moves change
    nothing. Answers are exact for the boxes as given.

    Parameters
    ----------
    margin : float
        >= 0, in the unit of the boxes.

    Raises
    ------
    ValueError
        For a negative margin.

    Examples
    --------
    >>> tree = AABBTree()
    >>> a = tree.insert((0, 0), (1, 1), data='first')
    >>> b = tree.insert((2, 0), (3, 1))
    >>> [tree.data(i) for i in tree.query((0.5, 0.5), (0.6, 0.6))]
    ['first']
    """

    def __new__(cls, margin: _Number = 0.1) -> Self: ...
    def __len__(self) -> int: ...
    def insert(self, lower: npt.ArrayLike, upper: npt.ArrayLike, data: Any = None) -> int:
        """Add a box.

        Parameters
        ----------
        lower, upper : array_like, shape (2,)
            Corners.
        data : object, optional
            Anything; `data(id)` gives it back.

        Returns
        -------
        int
            The box's id, never used again.

        Raises
        ------
        ValueError
            For NaN, infinity or lower > upper.
        """
    def move(self, id: SupportsIndex, lower: npt.ArrayLike, upper: npt.ArrayLike) -> bool:
        """Give a box new corners.

        Parameters
        ----------
        id : int
        lower, upper : array_like, shape (2,)
            Corners.

        Returns
        -------
        bool
            Whether it left its fat AABB and was inserted again.

        Raises
        ------
        KeyError
            For an id that is not in use.
        ValueError
            For NaN, infinity or lower > upper.
        """
    def remove(self, id: SupportsIndex, /) -> None:
        """Take a box out. Raises KeyError for an id that is not in use."""
    def data(self, id: SupportsIndex, /) -> Any:
        """The object that was inserted with a box, or None. Raises KeyError for an id that is not in use."""
    def box(self, id: SupportsIndex, /) -> _Floats:
        """The box as it was given, [[lower], [upper]], shape (2, 2). Raises KeyError for an id that is
        not in use.
        """
    def query(self, lower: npt.ArrayLike, upper: npt.ArrayLike) -> _Ints:
        """Boxes that overlap a box; touching counts.

        Parameters
        ----------
        lower, upper : array_like, shape (2,)
            Corners.

        Returns
        -------
        ndarray of int64
            Ids, ascending.

        Raises
        ------
        ValueError
            For NaN, infinity or lower > upper.
        """
    def cast_ray(self, origin: npt.ArrayLike, translation: npt.ArrayLike) -> _Ints:
        """Boxes that a ray meets between origin and origin + translation.

        Parameters
        ----------
        origin, translation : array_like, shape (2,)

        Returns
        -------
        ndarray of int64
            Ids, in the order in which the ray enters them.

        Raises
        ------
        ValueError
            For a wrong shape, NaN or infinity.
        """
    def _repr_html_(self, /) -> str: ...
    def pairs(self, /) -> _Ints:
        """All pairs of boxes that overlap; touching counts.

        Returns
        -------
        ndarray of int64, shape (n, 2)
            Ids, the smaller first, in ascending order.
        """
    def validate(self, /) -> None:
        """Check every link, height and box of the tree.

        Raises
        ------
        ValueError
            Names the first fault.
        """
    @property
    def nodes(self) -> _Rows:
        """All nodes: columns lower, upper (fat), parent, child_a, child_b (row numbers, -1 for none), height (0 for a leaf, -1 for a free node), id (-1 for inner nodes); structured array."""
    @property
    def height(self) -> int:
        """Height of the tree; 0 when it is empty or one leaf."""
    @property
    def cost(self) -> float:
        """Sum of the perimeters of the inner nodes."""
    @property
    def margin(self) -> float:
        """Margin by which the box of a leaf is larger on each side, metres."""

@overload
def aabb_overlap(box_a: _Box, box_b: _Box, *, out: None = None) -> bool:
    """Whether two axis-aligned boxes overlap. Touching counts.

    Parameters
    ----------
    box_a, box_b : array_like, shape (..., 2, 2)
        [[lower], [upper]].
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    bool or ndarray of bool, shape (...)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> aabb_overlap([(0, 0), (2, 2)], [(2, 1), (3, 3)])
    True
    """

@overload
def aabb_overlap(box_a: npt.ArrayLike, box_b: npt.ArrayLike, *, out: _Out = None) -> Any: ...
@overload
def area(vertices: _Ring, *, out: None = None) -> float:
    """Area of a simple polygon, >= 0.

    Parameters
    ----------
    vertices : array_like, shape (..., n, 2)
        Either winding, n >= 3.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    float or ndarray, shape (...)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> area([(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)])
    5.0
    """

@overload
def area(vertices: npt.ArrayLike, *, out: _Out = None) -> Any: ...
def centroid(vertices: npt.ArrayLike, *, out: _Out = None) -> _Floats:
    """Centroid of the area of a simple polygon.

    Of a ring without area: the mean of its vertices.

    Parameters
    ----------
    vertices : array_like, shape (..., n, 2)
        Either winding, n >= 3.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., 2)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> centroid([(0, 0), (3, 0), (0, 3)])
    array([1., 1.])
    """

@overload
def circle_vs_aabb(center: _Vector, radius: _Scalar, box: _Box, *, out: None = None) -> bool:
    """Whether a disc and an axis-aligned box overlap, by the box's point closest to the center.
    Touching counts.

    Parameters
    ----------
    center : array_like, shape (..., 2)
    radius : array_like, shape (...)
        >= 0.
    box : array_like, shape (..., 2, 2)
        [[lower], [upper]].
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    bool or ndarray of bool, shape (...)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> circle_vs_aabb([(5, 6), (5, 5.9)], 5, [(0, 0), (2, 2)])
    array([ True,  True])
    """

@overload
def circle_vs_aabb(
    center: npt.ArrayLike, radius: npt.ArrayLike, box: npt.ArrayLike, *, out: _Out = None
) -> Any: ...
@overload
def circle_vs_circle(
    center_a: _Vector,
    radius_a: _Scalar,
    center_b: _Vector,
    radius_b: _Scalar,
    *,
    out: None = None,
) -> bool:
    """Whether two discs overlap. Touching counts, also from inside, and so does one disc in the
    other.

    Parameters
    ----------
    center_a, center_b : array_like, shape (..., 2)
    radius_a, radius_b : array_like, shape (...)
        >= 0.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    bool or ndarray of bool, shape (...)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> circle_vs_circle((0, 0), 2, [(3, 0), (4, 0), (0.5, 0)], 1)
    array([ True, False,  True])
    """

@overload
def circle_vs_circle(
    center_a: npt.ArrayLike,
    radius_a: npt.ArrayLike,
    center_b: npt.ArrayLike,
    radius_b: npt.ArrayLike,
    *,
    out: _Out = None,
) -> Any: ...
def closest_on_aabb(point: npt.ArrayLike, box: npt.ArrayLike, *, out: _Out = None) -> _Floats:
    """The point of an axis-aligned box that is closest to a point: itself when it is inside.

    Parameters
    ----------
    point : array_like, shape (..., 2)
    box : array_like, shape (..., 2, 2)
        [[lower], [upper]].
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., 2)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> closest_on_aabb((3, 1), [(0, 0), (2, 2)])
    array([2., 1.])
    """

def closest_on_segment(
    point: npt.ArrayLike, a: npt.ArrayLike, b: npt.ArrayLike, *, out: _Out = None
) -> _Floats:
    """The point of a segment that is closest to a point.

    Within the segment's box, exactly an end where that is the answer. A segment without length is
    one point.

    Parameters
    ----------
    point, a, b : array_like, shape (..., 2)
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., 2)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> closest_on_segment([(1, 5), (9, 5)], (0, 0), (4, 0))
    array([[1., 0.],
           [4., 0.]])
    """

def direction(angle: npt.ArrayLike, *, out: _Out = None) -> _Floats:
    """Unit vectors at angles, by the engine's own sine and cosine: the same bits everywhere.

    Parameters
    ----------
    angle : array_like, shape (...)
        Radians, counter-clockwise from the x axis.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., 2)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> direction(0.0)
    array([1., 0.])
    """

def edges(vertices: npt.ArrayLike, *, out: _Out = None) -> _Floats:
    """Edges of a polygon: slot i is the vector from vertex i to the next one.

    Parameters
    ----------
    vertices : array_like, shape (..., n, 2)
        Either winding, n >= 3.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., n, 2)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> edges([(0, 0), (2, 0), (0, 1)])
    array([[ 2.,  0.],
           [-2.,  1.],
           [ 0., -1.]])
    """

@overload
def heading(vector: _Vector, *, out: None = None) -> float:
    """The angle of a vector, in (-pi, pi]; 0 for (0, 0).

    Parameters
    ----------
    vector : array_like, shape (..., 2)
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    float or ndarray, shape (...)
        Radians, counter-clockwise from the x axis.

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> heading((-1, 0))
    3.141592653589793
    """

@overload
def heading(vector: _Ring, *, out: None = None) -> _Floats: ...
@overload
def heading(vector: npt.ArrayLike, *, out: _Out = None) -> Any: ...
@overload
def is_convex(vertices: _Ring, *, out: None = None) -> bool:
    """Whether a polygon is convex and has area; exact.

    Collinear and repeated vertices are allowed. A ring that doubles back or goes round more than
    once, such as a pentagram, is not convex.

    Parameters
    ----------
    vertices : array_like, shape (..., n, 2)
        Either winding, n >= 3.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    bool or ndarray of bool, shape (...)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> is_convex([(0, 0), (2, 0), (2, 2), (1, 0.5)])
    False
    """

@overload
def is_convex(vertices: npt.ArrayLike, *, out: _Out = None) -> Any: ...
@overload
def jump_velocity(height: _Scalar, gravity: _Scalar = 9.81, *, out: None = None) -> float:
    """The upward speed at take-off that reaches a height: sqrt(2 |gravity| height).

    Parameters
    ----------
    height : array_like, shape (...)
        Metres, >= 0.
    gravity : array_like, shape (...)
        m/s^2; its sign does not matter.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    float or ndarray, shape (...)
        m/s.

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> jump_velocity(5, gravity=-10)
    10.0
    """

@overload
def jump_velocity(
    height: npt.ArrayLike, gravity: npt.ArrayLike = 9.81, *, out: _Out = None
) -> Any: ...
def lead_target(
    shooter: npt.ArrayLike,
    target: npt.ArrayLike,
    target_velocity: npt.ArrayLike,
    speed: npt.ArrayLike,
    *,
    out: _Out = None,
) -> _Floats | None:
    """Where to aim so that a shot meets a moving target soonest.

    Parameters
    ----------
    shooter, target : array_like, shape (..., 2)
        Positions, metres.
    target_velocity : array_like, shape (..., 2)
        m/s.
    speed : array_like, shape (...)
        Speed of the shot, m/s, >= 0.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., 2), or None
        Where they meet. When they cannot: None for a single
        call, (NaN, NaN) in arrays.

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> lead_target((0, 0), (0, 4), (3, 0), speed=5)
    array([3., 4.])
    >>> lead_target((0, 0), (0, 4), (3, 0), speed=2) is None
    True
    """

def line_intersection(
    a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike, d: npt.ArrayLike, *, out: _Out = None
) -> _Floats:
    """The point where the infinite lines through a, b and through c, d meet.

    None when they are parallel, which is decided exactly, the same line, or when two points that
    should give a line are equal. The point is off by a few units in the last place of the largest
    coordinate involved, its own included, however flat the angle.

    Parameters
    ----------
    a, b, c, d : array_like, shape (..., 2)
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., 2)
        (NaN, NaN) where there is none, also in a single call.

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> line_intersection((0, 0), (1, 1), (0, 4), (1, 3))
    array([2., 2.])
    >>> line_intersection((0, 0), (1, 1), (0, 4), (1, 5))
    array([nan, nan])
    """

def normals(vertices: npt.ArrayLike, *, out: _Out = None) -> _Floats:
    """Unit outward normals of a polygon: slot i is that of the edge from vertex i to the next one.

    Outward is to the right of the edges of a counter-clockwise polygon and to the left of those
    of a clockwise one. An edge without length has none: NaN.

    Parameters
    ----------
    vertices : array_like, shape (..., n, 2)
        Either winding, n >= 3.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., n, 2)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> normals([(0, 0), (4, 0), (4, 3)])
    array([[ 0. , -1. ],
           [ 1. ,  0. ],
           [-0.6,  0.8]])
    """

@overload
def point_in_aabb(points: _Vector, box: _Box, *, out: None = None) -> bool:
    """Whether points are in an axis-aligned box. Its border belongs to it.

    Parameters
    ----------
    points : array_like, shape (..., 2)
    box : array_like, shape (..., 2, 2)
        [[lower], [upper]].
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    bool or ndarray of bool, shape (...)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> point_in_aabb([(0, 1), (3, 1)], [(0, 0), (2, 2)])
    array([ True, False])
    """

@overload
def point_in_aabb(points: _Ring, box: _Box, *, out: None = None) -> _Bools: ...
@overload
def point_in_aabb(points: npt.ArrayLike, box: npt.ArrayLike, *, out: _Out = None) -> Any: ...
@overload
def point_in_circle(points: _Vector, center: _Vector, radius: _Scalar, *, out: None = None) -> bool:
    """Whether points are in a circle. The circle itself belongs to it.

    Parameters
    ----------
    points : array_like, shape (..., 2)
    center : array_like, shape (..., 2)
    radius : array_like, shape (...)
        >= 0.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    bool or ndarray of bool, shape (...)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> point_in_circle([(3, 4), (4, 4)], (0, 0), 5)
    array([ True, False])
    """

@overload
def point_in_circle(
    points: _Ring, center: _Vector, radius: _Scalar, *, out: None = None
) -> _Bools: ...
@overload
def point_in_circle(
    points: npt.ArrayLike, center: npt.ArrayLike, radius: npt.ArrayLike, *, out: _Out = None
) -> Any: ...
@overload
def point_in_polygon(
    points: _Vector, polygon: _Ring, method: _Inside = "winding", *, out: None = None
) -> bool:
    """Whether points are in a polygon.

    The first two methods are exact, also at the height of vertices and on edges: a point on the
    boundary is inside. They are meant for many points, too: a grid over the polygon is made once
    per call.

    Parameters
    ----------
    points : array_like, shape (..., 2)
    polygon : array_like, shape (..., n, 2)
        Either winding, n >= 3.
    method : {'winding', 'crossings', 'cross_products', 'naive_crossings'}
        'winding': the polygon goes round the point. 'crossings': a ray from the point crosses the
        polygon an odd number of times. They differ where a polygon crosses itself: the middle of a
        pentagram is inside for the first, outside for the second.
        'cross_products': the point is on the inner side of all edges, in plain float64, for convex
        polygons; the boundary is outside. 'naive_crossings': a ray counts vertices at its height
        twice and goes wrong there; it is here to be shown.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    bool or ndarray of bool, shape (...)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.
        For an unknown method, and a polygon that is not convex with
        'cross_products'.

    Examples
    --------
    >>> square = [(0, 0), (2, 0), (2, 2), (0, 2)]
    >>> point_in_polygon([(1, 1), (2, 1), (3, 1)], square)
    array([ True,  True, False])
    >>> point_in_polygon((1, 1), square)
    True
    """

@overload
def point_in_polygon(
    points: _Ring, polygon: _Ring, method: _Inside = "winding", *, out: None = None
) -> _Bools: ...
@overload
def point_in_polygon(
    points: npt.ArrayLike, polygon: npt.ArrayLike, method: _Inside = "winding", *, out: _Out = None
) -> Any: ...
def project(v: npt.ArrayLike, onto: npt.ArrayLike, *, out: _Out = None) -> _Floats:
    """The part of a vector along another one; (0, 0) when that has no length.

    Parameters
    ----------
    v, onto : array_like, shape (..., 2)
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., 2)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> project((3, 4), (2, 0))
    array([3., 0.])
    """

def ray_vs_segment(
    origin: npt.ArrayLike,
    direction: npt.ArrayLike,
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    out: _Out = None,
) -> _Floats:
    """The first point of a ray that is on the segment from a to b.

    Whether they meet is decided exactly; the origin and the ends count. A ray along the segment
    meets it at its origin or at the nearer end. A direction without length makes the ray one
    point. The hit is off by a few units in the last place of the largest coordinate, and in the
    segment's box.

    Parameters
    ----------
    origin : array_like, shape (..., 2)
    direction : array_like, shape (..., 2)
        Of any length.
    a, b : array_like, shape (..., 2)
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., 2)
        (NaN, NaN) where there is none, also in a single call.

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> ray_vs_segment((0, 0), [(1, 1), (-1, -1)], (0, 4), (4, 0))
    array([[ 2.,  2.],
           [nan, nan]])
    """

def rotate(
    vertices: npt.ArrayLike,
    angle: npt.ArrayLike,
    about: npt.ArrayLike = (0, 0),
    *,
    out: _Out = None,
) -> _Floats:
    """Turn points about a point.

    Parameters
    ----------
    vertices : array_like, shape (..., n, 2)
        Metres; any number of points.
    angle : array_like, shape (...)
        Radians, counter-clockwise.
    about : array_like, shape (..., 2)
        Metres.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., n, 2)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> import math
    >>> rotate([(2, 1), (3, 1)], math.pi / 2, about=(2, 1)).round(12)
    array([[2., 1.],
           [2., 2.]])
    """

@overload
def second_moment(
    vertices: _Ring,
    density: _Scalar = 1.0,
    about: _Vector | None = None,
    *,
    out: None = None,
) -> float:
    """Polar second moment of the area of a simple polygon: its rotational inertia.

    Parameters
    ----------
    vertices : array_like, shape (..., n, 2)
        Either winding, n >= 3.
    density : array_like, shape (...)
        kg/m^2, >= 0.
    about : array_like, shape (..., 2), optional
        By default the centroid.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    float or ndarray, shape (...)
        kg m^2.

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> second_moment([(0, 0), (6, 0), (6, 6), (0, 6)])
    216.0
    >>> second_moment([(0, 0), (6, 0), (6, 6), (0, 6)], about=(0, 0))
    864.0
    """

@overload
def second_moment(
    vertices: npt.ArrayLike,
    density: npt.ArrayLike = 1.0,
    about: npt.ArrayLike | None = None,
    *,
    out: _Out = None,
) -> Any: ...
def segment_intersection(
    a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike, d: npt.ArrayLike, *, out: _Out = None
) -> _Floats:
    """The first point of the segment from a to b that is on the segment from c to d.

    Whether they meet is decided exactly. Ends count: where an end touches the other segment, it
    is the answer, without rounding. Of segments that overlap along a line it is the shared point
    nearest to a. A segment without length is one point. Where they cross, the point is off by a
    few units in the last place of the largest coordinate, and in the boxes of both.

    Parameters
    ----------
    a, b, c, d : array_like, shape (..., 2)
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., 2)
        (NaN, NaN) where there is none, also in a single call.

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> segment_intersection((0, 0), (4, 4), (0, 4), (4, 0))
    array([2., 2.])
    >>> segment_intersection((0, 0), (4, 0), (6, 0), (1, 0))
    array([1., 0.])
    >>> segment_intersection((0, 0), (4, 0), (0, 1), (4, 1))
    array([nan, nan])
    """

def segment_vs_polygon(
    a: npt.ArrayLike, b: npt.ArrayLike, polygon: npt.ArrayLike, *, out: _Out = None
) -> _Floats:
    """The first point of the segment from a to b that is on the boundary of a polygon.

    The last and the present position of a cannonball against a hull: the simplest continuous
    collision. A segment that stays inside meets nothing. The polygon may be concave and may cross
    itself. Decided edge by edge as in `segment_intersection`.

    Parameters
    ----------
    a, b : array_like, shape (..., 2)
    polygon : array_like, shape (..., n, 2)
        Either winding, n >= 3.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., 2)
        (NaN, NaN) where there is none, also in a single call.

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> segment_vs_polygon((-5, 1), (5, 1), [(0, 0), (2, 0), (2, 2), (0, 2)])
    array([0., 1.])
    """

@overload
def signed_area(vertices: _Ring, *, out: None = None) -> float:
    """Area of a simple polygon, positive when it winds counter-clockwise.

    Of a polygon that crosses itself: each region times its winding number.

    Parameters
    ----------
    vertices : array_like, shape (..., n, 2)
        Either winding, n >= 3.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    float or ndarray, shape (...)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> signed_area([(0, 0), (0, 1), (1, 0)])
    -0.5
    """

@overload
def signed_area(vertices: npt.ArrayLike, *, out: _Out = None) -> Any: ...
def transform(vertices: npt.ArrayLike, pose: npt.ArrayLike, *, out: _Out = None) -> _Floats:
    """Points of a body's frame in the world: turned by the pose's angle, then moved to its place.

    Parameters
    ----------
    vertices : array_like, shape (..., n, 2)
        Metres; any number of points.
    pose : array_like, shape (..., 3)
        x, y (metres) and angle (radians).
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., n, 2)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> import math
    >>> transform([(1, 0), (2, 0)], (5, 0, math.pi / 2)).round(12)
    array([[5., 1.],
           [5., 2.]])
    """

def translate(vertices: npt.ArrayLike, translation: npt.ArrayLike, *, out: _Out = None) -> _Floats:
    """Move points.

    Parameters
    ----------
    vertices : array_like, shape (..., n, 2)
        Metres; any number of points.
    translation : array_like, shape (..., 2)
        Metres.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    ndarray, shape (..., n, 2)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> translate([(0, 0), (1, 0)], (2, 3))
    array([[2., 3.],
           [3., 3.]])
    """

@overload
def winding(vertices: _Ring, *, out: None = None) -> int:
    """+1 for a counter-clockwise polygon, -1 for a clockwise one, 0 without area.

    The exact sign of the signed area.

    Parameters
    ----------
    vertices : array_like, shape (..., n, 2)
        Either winding, n >= 3.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    int or ndarray of int64, shape (...)

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> winding([(0, 0), (0, 1), (1, 0)])
    -1
    """

@overload
def winding(vertices: npt.ArrayLike, *, out: _Out = None) -> Any: ...
@overload
def wrap_angle(angle: _Scalar, *, out: None = None) -> float:
    """The same direction as an angle in (-pi, pi].

    An angle that is there already stays as it is. Up to 1e6 radians, whole turns of the exact
    2 pi are taken off; beyond, turns of the float64 nearest to 2 pi.

    Parameters
    ----------
    angle : array_like, shape (...)
        Radians.
    out : ndarray, optional
        Array for the result: of its shape, and of a dtype that can take it. It may overlap
        with the arguments.

    Returns
    -------
    float or ndarray, shape (...)
        Radians.

    Raises
    ------
    ValueError
        For a wrong shape, shapes that do not broadcast, NaN or infinity.

    Examples
    --------
    >>> import math
    >>> wrap_angle(-math.pi)
    3.141592653589793
    """

@overload
def wrap_angle(angle: Sequence[_Scalar], *, out: None = None) -> _Floats: ...
@overload
def wrap_angle(angle: npt.ArrayLike, *, out: _Out = None) -> Any: ...
def convex_hull(points: npt.ArrayLike, /) -> _Floats:
    """Convex hull of points, counter-clockwise from the lowest of the leftmost, without collinear
    points. Exact: a point that lies beyond an edge by the least bit is a vertex.

    Parameters
    ----------
    points : array_like, shape (n, 2)
        Any number, repeated ones too.

    Returns
    -------
    ndarray, shape (k, 2)
        Some of the points. k is 0 without points, and 1 or 2 for points in
        one place or on a line.

    Raises
    ------
    ValueError
        For a wrong shape, NaN, infinity, or a number beyond 1e150.

    Examples
    --------
    >>> convex_hull([(0, 0), (2, 0), (1, 1), (2, 2), (0, 2), (1, 2)])
    array([[0., 0.],
           [2., 0.],
           [2., 2.],
           [0., 2.]])
    """

def clip_halfplane(vertices: npt.ArrayLike, point: npt.ArrayLike, normal: npt.ArrayLike) -> _Floats:
    """The part of a polygon behind a line: where (v - point) . normal <= 0.

    Sutherland and Hodgman 1974: the result is one ring, winding as before. Where a concave
    polygon falls into several parts, they stay joined by edges that run to and fro on the
    border; area and centroid are right all the same. `slice_polygon` gives the parts. A vertex
    on the border is kept, and a polygon without area on the kept side gives an empty array.

    Parameters
    ----------
    vertices : array_like, shape (n, 2)
        Either winding, n >= 3; an empty array gives an empty one.
    point : array_like, shape (2,)
        On the line.
    normal : array_like, shape (2,)
        Out of the side that is kept; any length but 0.

    Returns
    -------
    ndarray, shape (k, 2)
        k is 0 or >= 3.

    Raises
    ------
    ValueError
        For a wrong shape, NaN, infinity, a number beyond 1e150 or a normal of 0.

    Examples
    --------
    >>> clip_halfplane([(0, 0), (2, 0), (2, 2), (0, 2)], (0, 1), (0, 1))
    array([[0., 0.],
           [2., 0.],
           [2., 1.],
           [0., 1.]])
    """

def clip_polygon(subject: npt.ArrayLike, clip: npt.ArrayLike) -> _Floats:
    """The part of a polygon inside a convex polygon.

    Sutherland and Hodgman 1974: the result is one ring, winding as before. Where a concave
    polygon falls into several parts, they stay joined by edges that run to and fro on the
    border; area and centroid are right all the same. `slice_polygon` gives the parts. A vertex
    on the border is kept, and a polygon without area on the kept side gives an empty array.

    Parameters
    ----------
    subject : array_like, shape (n, 2)
        Any polygon, n >= 3; an empty array gives an empty one.
    clip : array_like, shape (m, 2)
        A convex polygon, either winding, m >= 3.

    Returns
    -------
    ndarray, shape (k, 2)
        k is 0 or >= 3.

    Raises
    ------
    ValueError
        For a wrong shape, NaN, infinity, a number beyond 1e150, or a clip polygon that
        is not convex.

    Examples
    --------
    >>> clip_polygon([(0, 0), (2, 0), (2, 2), (0, 2)], [(1, 1), (3, 1), (3, 3), (1, 3)])
    array([[2., 1.],
           [2., 2.],
           [1., 2.],
           [1., 1.]])
    """

def decompose(
    vertices: npt.ArrayLike, holes: Sequence[npt.ArrayLike] | npt.NDArray[Any] = ()
) -> list[_Floats]:
    """Split a simple polygon with holes into convex parts: the fewest, or at most four times as many.

    The parts' vertices are the polygon's own, so that nothing is rounded: they are convex and
    disjoint exactly, and their areas add up.

    Parameters
    ----------
    vertices : array_like, shape (n, 2)
        Either winding, n >= 3.
    holes : sequence of array_like, each of shape (k, 2)
        Simple, disjoint polygons inside, either winding.

    Returns
    -------
    list of ndarray, each of shape (k, 2)
        Counter-clockwise, without straight corners.

    Raises
    ------
    ValueError
        For a polygon that crosses or touches itself, has no area, or holes that do
        not lie inside and apart; the message names the vertices.

    Examples
    --------
    >>> len(decompose([(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)]))
    2
    """

def simplify(vertices: npt.ArrayLike, tolerance: _Number, *, closed: _Bool = True) -> _Floats:
    """Fewer vertices: those left out were within `tolerance` of the edge that replaces them.

    Douglas and Peucker 1973, in float64. A path keeps its ends. A polygon keeps its lowest leftmost
    vertex, the one farthest from that, and the one farthest from the segment between both, so that
    the result does not depend on where it begins, and a polygon with area has at least three
    vertices left. It may cross itself where the tolerance is larger than its narrowest parts are wide. On average
    n log n steps; n squared at worst (Ctrl-C works).

    Parameters
    ----------
    vertices : array_like, shape (n, 2)
        A polygon of either winding, n >= 3, or a path.
    tolerance : float
        Greatest distance, >= 0.
    closed : bool
        Whether the last vertex is joined to the first; False: a path, any n.

    Returns
    -------
    ndarray, shape (k, 2)
        Some of the vertices, in order.

    Raises
    ------
    ValueError
        For a wrong shape, NaN, infinity, a number beyond 1e150 or a tolerance < 0.

    Examples
    --------
    >>> simplify([(0, 0), (1, 0.1), (2, 0), (2, 2)], 0.2)
    array([[0., 0.],
           [2., 0.],
           [2., 2.]])
    """

def slice_polygon(
    vertices: npt.ArrayLike, p: npt.ArrayLike, q: npt.ArrayLike
) -> tuple[list[_Floats], list[_Floats]]:
    """Cut a simple polygon along the infinite line from p to q.

    A concave polygon may fall into several parts on each side. Which side a vertex is on, and what
    belongs together, is decided exactly; only the new vertices are rounded, and the parts on both
    sides share them, so that areas add up and no gap opens. A vertex on the line belongs to both
    sides where it bounds both. Parts that rounding has left without area are not given; those of a
    polygon some units in the last place thick may touch themselves.

    Parameters
    ----------
    vertices : array_like, shape (n, 2)
        Either winding, n >= 3.
    p, q : array_like, shape (2,)
        Two points of the line; it looks from p to q.

    Returns
    -------
    left_parts, right_parts : list of ndarray, each of shape (k, 2)
        Simple polygons, counter-clockwise, in order along the line. A polygon that the line does
        not cut is the only part, on its side.

    Raises
    ------
    ValueError
        For a polygon that crosses or touches itself, q equal to p, NaN, infinity, a
        number beyond 1e150 or a wrong shape.

    Examples
    --------
    >>> left, right = slice_polygon([(0, 0), (4, 0), (4, 2), (2, 1), (0, 2)], (0, 1.5), (1, 1.5))
    >>> len(left), len(right)
    (2, 1)
    """

def triangulate(
    vertices: npt.ArrayLike, holes: Sequence[npt.ArrayLike] | npt.NDArray[Any] = ()
) -> _Ints:
    """Triangles that fill a simple polygon with holes, close to Delaunay.

    The result is what matplotlib's `triplot(x, y, triangles)` takes, and `vertices[triangles]` has
    the corners, shape (t, 3, 2). Every vertex is used, also on straight edges; repeated ones once.

    Parameters
    ----------
    vertices : array_like, shape (n, 2)
        Either winding, n >= 3.
    holes : sequence of array_like, each of shape (k, 2)
        Simple, disjoint polygons inside, either winding.

    Returns
    -------
    ndarray of int64, shape (t, 3)
        Rows of `vertices`, counter-clockwise; with holes, of
        `np.concatenate([vertices, *holes])`. t is n - 2, and k + 2 more for each hole.

    Raises
    ------
    ValueError
        For a polygon that crosses or touches itself, has no area, or holes that do
        not lie inside and apart; the message names the vertices.

    Examples
    --------
    >>> triangulate([(0, 0), (2, 0), (2, 2), (0, 1)]).shape
    (2, 3)
    """

def _hull_trace(points: npt.ArrayLike, /) -> tuple[_Floats, _Ints, tuple[_Ints, ...], _Ints]: ...
@overload
def mtv(
    a: Shape, b: Shape, pose_a: _Pose = (0, 0, 0), pose_b: _Pose = (0, 0, 0), *, out: None = None
) -> _Floats | None:
    """Minimum translation vector: the shortest push of b that takes it out of a.

    For concave shapes, of the pair of convex pieces that overlap most.

    Parameters
    ----------
    a, b : Shape or sequence of Shape
    pose_a, pose_b : array_like, shape (3,) or (..., 3)
        x, y (metres) and angle (radians).
    out : ndarray, shape (..., 2), optional
        Where rows go.

    Returns
    -------
    ndarray, shape (2,), or None; or ndarray, shape (..., 2)
        Metres; None, or a row of NaN, when they are apart or only touch.
        With a sequence of shapes or an array of poses anywhere: a row for each pair; leading
        axes broadcast, and the GIL is released.

    Raises
    ------
    ValueError
        For a wrong shape of a pose, NaN, infinity or axes that do not broadcast.
    TypeError
        For what is no Shape.

    Examples
    --------
    >>> mtv(Box(2, 2), Box(2, 2), pose_b=(1.5, 0.25, 0))
    array([0.5, 0. ])
    """

@overload
def mtv(
    a: Sequence[Shape],
    b: _Sides,
    pose_a: npt.ArrayLike = (0, 0, 0),
    pose_b: npt.ArrayLike = (0, 0, 0),
    *,
    out: None = None,
) -> _Floats: ...
@overload
def mtv(
    a: _Sides,
    b: Sequence[Shape],
    pose_a: npt.ArrayLike = (0, 0, 0),
    pose_b: npt.ArrayLike = (0, 0, 0),
    *,
    out: None = None,
) -> _Floats: ...
@overload
def mtv(
    a: _Sides,
    b: _Sides,
    pose_a: npt.ArrayLike = (0, 0, 0),
    pose_b: npt.ArrayLike = (0, 0, 0),
    *,
    out: _Out = None,
) -> Any: ...
@overload
def collide(
    a: Shape,
    b: Shape,
    pose_a: _Pose = (0, 0, 0),
    pose_b: _Pose = (0, 0, 0),
    margin: _Number = 0.0,
    *,
    out: None = None,
) -> Manifold:
    """Contact points of two shapes.

    For concave shapes, of the pair of convex pieces that overlap most. Chains are one-sided.

    Parameters
    ----------
    a, b : Shape or sequence of Shape
    pose_a, pose_b : array_like, shape (3,) or (..., 3)
        x, y (metres) and angle (radians).
    margin : float
        Points with a separation up to this are reported, metres, >= 0.
    out : ndarray, optional
        Array for the rows, of the result's shape and dtype.

    Returns
    -------
    Manifold or structured ndarray, shape (...)
        normal (from a to b), points (midway between the surfaces), separations, features. A
        Manifold is false when there is no point. Rows have two points, those beyond their
        count being NaN.
        With a sequence of shapes or an array of poses anywhere: a row for each pair; leading
        axes broadcast, and the GIL is released.

    Raises
    ------
    ValueError
        For a wrong shape of a pose, NaN, infinity or axes that do not broadcast.
    TypeError
        For what is no Shape.

    Examples
    --------
    >>> collide(Box(2, 2), Box(2, 2), pose_b=(1.5, 0, 0)).separations
    array([-0.5, -0.5])
    """

@overload
def collide(
    a: Sequence[Shape],
    b: _Sides,
    pose_a: npt.ArrayLike = (0, 0, 0),
    pose_b: npt.ArrayLike = (0, 0, 0),
    margin: _Number = 0.0,
    *,
    out: None = None,
) -> _Rows: ...
@overload
def collide(
    a: _Sides,
    b: Sequence[Shape],
    pose_a: npt.ArrayLike = (0, 0, 0),
    pose_b: npt.ArrayLike = (0, 0, 0),
    margin: _Number = 0.0,
    *,
    out: None = None,
) -> _Rows: ...
@overload
def collide(
    a: _Sides,
    b: _Sides,
    pose_a: npt.ArrayLike = (0, 0, 0),
    pose_b: npt.ArrayLike = (0, 0, 0),
    margin: _Number = 0.0,
    *,
    out: _Out = None,
) -> Any: ...
@overload
def distance(
    a: Shape, b: Shape, pose_a: _Pose = (0, 0, 0), pose_b: _Pose = (0, 0, 0), *, out: None = None
) -> Distance:
    """Distance of two shapes and their closest points.

    Chains count as plain lines.

    Parameters
    ----------
    a, b : Shape or sequence of Shape
    pose_a, pose_b : array_like, shape (3,) or (..., 3)
        x, y (metres) and angle (radians).
    out : ndarray, optional
        Array for the rows, of the result's shape and dtype.

    Returns
    -------
    Distance or structured ndarray, shape (...)
        distance, point_a, point_b, normal.
        With a sequence of shapes or an array of poses anywhere: a row for each pair; leading
        axes broadcast, and the GIL is released.

    Raises
    ------
    ValueError
        For a wrong shape of a pose, NaN, infinity or axes that do not broadcast.
    TypeError
        For what is no Shape.

    Examples
    --------
    >>> distance(Circle(1), Circle(1), pose_b=[(3, 0, 0), (0, 5, 0)])["distance"]
    array([1., 3.])
    """

@overload
def distance(
    a: Sequence[Shape],
    b: _Sides,
    pose_a: npt.ArrayLike = (0, 0, 0),
    pose_b: npt.ArrayLike = (0, 0, 0),
    *,
    out: None = None,
) -> _Rows: ...
@overload
def distance(
    a: _Sides,
    b: Sequence[Shape],
    pose_a: npt.ArrayLike = (0, 0, 0),
    pose_b: npt.ArrayLike = (0, 0, 0),
    *,
    out: None = None,
) -> _Rows: ...
@overload
def distance(
    a: _Sides,
    b: _Sides,
    pose_a: npt.ArrayLike = (0, 0, 0),
    pose_b: npt.ArrayLike = (0, 0, 0),
    *,
    out: _Out = None,
) -> Any: ...
@overload
def time_of_impact(
    a: Shape,
    b: Shape,
    start_a: _Pose,
    end_a: _Pose,
    start_b: _Pose,
    end_b: _Pose,
    target: _Number = 0.005,
    *,
    out: None = None,
) -> Impact:
    """When two moving shapes come as close as a target distance.

    Positions and angles blend evenly from start to end; a shape turns about the origin of its
    frame, and an angle of 20 pi more is ten turns. Chains count as plain lines. Shapes that are
    as close as that at the start hit at fraction 0. No moment before the fraction is missed.

    Parameters
    ----------
    a, b : Shape or sequence of Shape
    start_a, end_a, start_b, end_b : array_like, shape (3,) or (..., 3)
        x, y (metres) and angle (radians).
    target : float
        Metres, >= 0; met to 1e-9 of it.
    out : ndarray, optional
        Array for the rows, of the result's shape and dtype.

    Returns
    -------
    Impact or structured ndarray, shape (...)
        hit, fraction, point (midway between the closest points then) and normal (from a to b).
        Without a hit all but hit are NaN, and an Impact is false.
        With a sequence of shapes or an array of poses anywhere: a row for each pair; leading
        axes broadcast, and the GIL is released.

    Raises
    ------
    ValueError
        For a wrong shape of a pose, NaN, infinity or axes that do not broadcast.
    TypeError
        For what is no Shape.

    Examples
    --------
    >>> ball, wall = Circle(0.5), Box(1, 10)
    >>> still = (0, 0, 0)
    >>> time_of_impact(wall, ball, still, still, (-9, 0, 0), (9, 0, 0), target=0).fraction
    0.4444444444444444
    """

@overload
def time_of_impact(
    a: Sequence[Shape],
    b: _Sides,
    start_a: npt.ArrayLike,
    end_a: npt.ArrayLike,
    start_b: npt.ArrayLike,
    end_b: npt.ArrayLike,
    target: _Number = 0.005,
    *,
    out: None = None,
) -> _Rows: ...
@overload
def time_of_impact(
    a: _Sides,
    b: Sequence[Shape],
    start_a: npt.ArrayLike,
    end_a: npt.ArrayLike,
    start_b: npt.ArrayLike,
    end_b: npt.ArrayLike,
    target: _Number = 0.005,
    *,
    out: None = None,
) -> _Rows: ...
@overload
def time_of_impact(
    a: _Sides,
    b: _Sides,
    start_a: npt.ArrayLike,
    end_a: npt.ArrayLike,
    start_b: npt.ArrayLike,
    end_b: npt.ArrayLike,
    target: _Number = 0.005,
    *,
    out: _Out = None,
) -> Any: ...
@overload
def cast_shape(
    a: Shape,
    b: Shape,
    pose_a: _Pose = (0, 0, 0),
    pose_b: _Pose = (0, 0, 0),
    translation_b: tuple[_Number, _Number] | None = None,  # must be given
    *,
    out: None = None,
) -> Impact:
    """Where a shape b that is moved along a straight line first touches a.

    Chains count as plain lines. Shapes that touch at the start hit at fraction 0.

    Parameters
    ----------
    a, b : Shape or sequence of Shape
    pose_a, pose_b : array_like, shape (3,) or (..., 3)
        x, y (metres) and angle (radians).
    translation_b : array_like, shape (2,) or (..., 2)
        By how much b moves, metres. It does not turn. Must be given; by name, where poses are
        left out.
    out : ndarray, optional
        Array for the rows, of the result's shape and dtype.

    Returns
    -------
    Impact or structured ndarray, shape (...)
        hit, fraction, point (where they touch) and normal (from a to b). Without a hit all but
        hit are NaN, and an Impact is false.
        With a sequence of shapes or an array of poses anywhere: a row for each pair; leading
        axes broadcast, and the GIL is released.

    Raises
    ------
    ValueError
        For a wrong shape of a pose, NaN, infinity or axes that do not broadcast.
    TypeError
        For what is no Shape.

    Examples
    --------
    >>> cast_shape(Box(2, 2), Circle(1), (0, 0, 0), (-6, 0, 0), (8, 0)).fraction
    0.5
    """

@overload
def cast_shape(
    a: Sequence[Shape],
    b: _Sides,
    pose_a: npt.ArrayLike = (0, 0, 0),
    pose_b: npt.ArrayLike = (0, 0, 0),
    translation_b: npt.ArrayLike | None = None,  # must be given
    *,
    out: None = None,
) -> _Rows: ...
@overload
def cast_shape(
    a: _Sides,
    b: Sequence[Shape],
    pose_a: npt.ArrayLike = (0, 0, 0),
    pose_b: npt.ArrayLike = (0, 0, 0),
    translation_b: npt.ArrayLike | None = None,  # must be given
    *,
    out: None = None,
) -> _Rows: ...
@overload
def cast_shape(
    a: _Sides,
    b: _Sides,
    pose_a: npt.ArrayLike = (0, 0, 0),
    pose_b: npt.ArrayLike = (0, 0, 0),
    translation_b: npt.ArrayLike | None = None,  # must be given
    *,
    out: _Out = None,
) -> Any: ...
def _gjk(
    a: Shape, b: Shape, pose_a: npt.ArrayLike = (0, 0, 0), pose_b: npt.ArrayLike = (0, 0, 0)
) -> tuple[Any, ...]: ...
def _toi(
    a: Shape,
    b: Shape,
    start_a: npt.ArrayLike,
    end_a: npt.ArrayLike,
    start_b: npt.ArrayLike,
    end_b: npt.ArrayLike,
    target: _Number = 0.005,
) -> tuple[Any, ...]: ...
def _clip(
    a: Shape, b: Shape, pose_a: npt.ArrayLike = (0, 0, 0), pose_b: npt.ArrayLike = (0, 0, 0)
) -> tuple[Any, ...]: ...
def _sat(
    a: Shape, b: Shape, pose_a: npt.ArrayLike = (0, 0, 0), pose_b: npt.ArrayLike = (0, 0, 0)
) -> tuple[Any, ...]: ...
def submerged(
    shape: Shape, level_or_surface: npt.ArrayLike, pose: npt.ArrayLike = (0, 0, 0)
) -> tuple[Any, _Floats, Any]:
    """The part of a shape that lies under the surface of a liquid: where lift acts, and how much.

    Exact for every shape: concave ones, holes, circles and rounded corners included.

    Parameters
    ----------
    shape : Shape
    level_or_surface : float or array_like, shape (n, 2)
        The height of a flat surface, or points of a polyline with increasing x that goes on
        flat beyond its ends; metres, world.
    pose : array_like, shape (..., 3)
        x, y (metres) and angle (radians).

    Returns
    -------
    area : float or ndarray, shape (...)
        m^2.
    centroid : ndarray, shape (..., 2)
        World; NaN where the area is 0.
    inertia : float or ndarray, shape (...)
        Polar second moment of the area about that centroid, m^4.

    Raises
    ------
    ValueError
        For a wrong shape, NaN, or a surface whose x does not increase.

    Examples
    --------
    >>> submerged(Box(2, 2), 0)
    (2.0, array([ 0. , -0.5]), 0.8333333333333333)
    """

def tile_rays(
    cells: bytes,
    rows: SupportsIndex,
    columns: SupportsIndex,
    corner: npt.ArrayLike,
    size: _Number,
    origin: npt.ArrayLike,
    translation: npt.ArrayLike,
) -> Any:
    """First solid tiles on rays; TileMap.cast_ray calls it.

    Parameters
    ----------
    cells : bytes
        Row after row from the lowest; not 0: solid.
    rows, columns : int
    corner : array_like, shape (2,)
        Lower left corner of the map, metres.
    size : float
        Side of a tile, metres.
    origin, translation : array_like, shape (..., 2)

    Returns
    -------
    TileHit or None
        For a single ray.
    ndarray of row, column, fraction, point, normal; shape (...)
        Row and column -1 and NaN for a miss.

    Raises
    ------
    ValueError
        For a wrong shape, NaN or infinity.
    """

def tile_rectangles(
    cells: bytes, rows: SupportsIndex, columns: SupportsIndex
) -> npt.NDArray[np.int32]:
    """Disjoint rectangles whose union is the solid tiles; TileMap.rectangles calls it.

    Parameters
    ----------
    cells : bytes
        Row after row from the lowest; not 0: solid.
    rows, columns : int

    Returns
    -------
    ndarray of int32, shape (k, 4)
        Row and column of the lowest left tile, height, width.
    """

def _given_mass(body: Body, /) -> tuple[bool, bool, bool]: ...
def _joint_frame(joint: Joint, /) -> tuple[float, ...]: ...
def _set_joint_frame(joint: Joint, frame: tuple[float, ...], /) -> None: ...
def _live() -> dict[str, int]: ...
def _record(name: str, fields: tuple[Any, ...], /) -> Any: ...
def _body_names(world: World, most: int, /) -> dict[int, str]: ...
def _handle(world: World, type: type, id: int, /) -> Any: ...
def _draw_shape(shape: Shape, /) -> DrawList: ...
def _rounded(ring: npt.ArrayLike, radius: _Number, /) -> _Floats: ...
def _set_simd(name: str | None, /) -> None: ...
