"""Characters that walk, jump, climb steps and ride platforms, without being bodies: the settings
and the memory of one. How it moves is in _move.py.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, SupportsIndex

import numpy as np
import numpy.typing as npt

from pyphys2d._arguments import number, pair, shown
from pyphys2d._core import Body, Capsule, Circle, Collider, World, direction, heading
from pyphys2d._move import Move, Stand, collider_of, velocity_of

__all__ = ["CharacterMover", "Ground", "MoverState"]

_Floats = npt.NDArray[np.float64]

_ALL = 2**64 - 1


class Ground(NamedTuple):
    """What a mover stands on.

    Attributes
    ----------
    collider : Collider
    normal : ndarray, shape (2,)
        Unit, out of the ground, world. Of the edge of a step: from there to the capsule's axis.
    point : ndarray, shape (2,)
        On its surface, nearest to the mover, metres, world.
    velocity : ndarray, shape (2,)
        Of the ground at that point, m/s, world; with the collider's tangent_speed.
    """

    collider: Collider
    normal: _Floats
    point: _Floats
    velocity: _Floats


class MoverState(NamedTuple):
    """All that a mover remembers from move to move, as plain numbers.

    Attributes
    ----------
    position, velocity : tuple of float
        Metres and m/s, world.
    stand : tuple, optional
        The ground and its body's pose; None in the air.
    dropped : tuple of int
        Ids of the one-way colliders that are being fallen through.
    squeezed : float
        Metres, as CharacterMover.squeezed.
    """

    position: tuple[float, float]
    velocity: tuple[float, float]
    stand: Stand | None
    dropped: tuple[int, ...]
    squeezed: float


class CharacterMover:
    """A capsule that moves as characters of platform games do.

    It is no body, and forces do not act on it: it moves as it is asked to, as far as the world
    allows. It slides along walls and ceilings, walks up and down slopes at the speed given, climbs
    steps, and stays on the ground where that falls away. Platforms carry it. It pushes dynamic
    bodies with a bounded force, and its weight presses on those below it.

    Call `move` once after each step of the world, with the velocity that is wanted: on the ground
    relative to the ground, in the air relative to the world. Gravity is yours to add in the air.

    Parameters
    ----------
    world : World
    capsule : Capsule or Circle
        In the frame of the mover, for up = (0, 1).
    position : array_like, shape (2,)
        Metres, world.
    velocity : array_like, shape (2,)
        m/s, world: the value of `velocity` before the first move.
    up : array_like, shape (2,)
        Against gravity; any length but 0. The capsule turns with it.
    max_slope_angle : float
        Radians, 0 to pi / 2 (exclusive). The mover slides down steeper slopes.
    step_height : float, optional
        Metres, >= 0: higher steps are walls. Edges so low that the round bottom meets them as a
        slope no steeper than max_slope_angle are climbed in any case. Default: 0.25 times the
        world's length_unit.
    snap_distance : float, optional
        Metres, >= 0: by how much the ground may fall away in one move while the mover walks on.
        Default: 0.25 times the world's length_unit.
    skin : float, optional
        Metres, > 0: the distance kept from everything; less than the radius. Default: 0.01 times
        the world's length_unit.
    mass : float, optional
        Kilograms, >= 0: its weight in the world's gravity presses on dynamic bodies below it.
        Default: the capsule's area, the mass of a body of density 1.
    push_force : float, optional
        Newtons, >= 0: the largest force with which it pushes a dynamic body. Default: 20 m/s^2
        times its mass and the world's length_unit.
    mask : int
        Only colliders with category & mask are solid; sensors never are.
    one_way : int
        Colliders with category & one_way are solid only from above, for a mover that was above.
    body : Body, optional
        A kinematic body of the world that follows the mover (it gets there in the next step), so
        that sensors, queries and other bodies meet it. The mover itself ignores it.

    Raises
    ------
    TypeError
        For what is no World, Capsule, Circle, Body or number.
    ValueError
        For a bad number, or a body that is not kinematic or of another world.

    Examples
    --------
    >>> world = World(gravity=(0, -9.81))
    >>> ground = world.add_body(Chain([(-9, 0), (0, 0), (9, 3)]), kind="static")
    >>> hero = CharacterMover(world, Capsule((0, 0.3), (0, 1.5), 0.3), (-3, 0.01))
    >>> for step in range(60):
    ...     hero.move((4, 0), 1 / 60)
    >>> hero.grounded
    True
    """

    __slots__ = (
        "_angle",
        "_body",
        "_capsule",
        "_climb",
        "_dropped",
        "_mask",
        "_mass",
        "_max_slope_angle",
        "_middle",
        "_one_way",
        "_planes",
        "_position",
        "_push_force",
        "_skin",
        "_snap",
        "_squeezed",
        "_stand",
        "_step_height",
        "_up",
        "_velocity",
        "_world",
    )

    if not TYPE_CHECKING:  # which is to find what is not there

        def __getattr__(self, name: str) -> NoReturn:
            from pyphys2d import _hints

            hint = "" if name.startswith("_") else _hints.attribute(type(self), name)
            of = {} if hint else {"obj": self}
            what = f"'{type(self).__name__}' object has no attribute {name!r}{hint}"
            raise AttributeError(what, name=name, **of)

    def __init__(
        self,
        world: World,
        capsule: Capsule | Circle,
        position: npt.ArrayLike = (0, 0),
        *,
        velocity: npt.ArrayLike = (0, 0),
        up: npt.ArrayLike = (0, 1),
        max_slope_angle: float = 0.8,
        step_height: float | None = None,
        snap_distance: float | None = None,
        skin: float | None = None,
        mass: float | None = None,
        push_force: float | None = None,
        mask: SupportsIndex = _ALL,
        one_way: SupportsIndex = 0,
        body: Body | None = None,
    ) -> None:
        if not isinstance(world, World):
            raise TypeError(f"world: must be a World, got {type(world).__name__}")
        if not isinstance(capsule, Capsule | Circle):
            raise TypeError(f"capsule: must be a Capsule or Circle, got {type(capsule).__name__}")
        self._world = world
        self._capsule = capsule
        unit = world.length_unit
        skin = 0.01 * unit if skin is None else skin
        self._skin = number(skin, "skin", above=0)
        if not self._skin < capsule.radius:
            raise ValueError(f"skin: must be < the radius {capsule.radius}, got {skin}")
        self._position = pair(position, "position")
        self._velocity = pair(velocity, "velocity")
        self._stand: Stand | None = None
        self._dropped: tuple[int, ...] = ()
        self._squeezed = 0.0
        self._planes: npt.NDArray[Any] | None = None
        self.up = up
        self.max_slope_angle = max_slope_angle
        self.step_height = 0.25 * unit if step_height is None else step_height
        self.snap_distance = 0.25 * unit if snap_distance is None else snap_distance
        self.mass = capsule.area if mass is None else mass
        self.push_force = 20 * unit * self._mass if push_force is None else push_force
        self.mask = mask
        self.one_way = one_way
        self.body = body

    def __repr__(self) -> str:
        x, y = self._position
        state = "in the air" if self._stand is None else "grounded"
        return f"<CharacterMover at ({x:.6g}, {y:.6g}), {state}>"

    # ------------------------------------------------------------------ settings

    @property
    def world(self) -> World:
        """The world it moves in."""
        return self._world

    @property
    def capsule(self) -> Capsule | Circle:
        """Shape of the character about its position, as it is for up = (0, 1)."""
        return self._capsule

    @property
    def skin(self) -> float:
        """The distance that it keeps from everything, metres."""
        return self._skin

    @property
    def up(self) -> _Floats:
        """Against gravity: unit vector, shape (2,). Takes any length but 0."""
        return np.array(self._up)

    @up.setter
    def up(self, value: npt.ArrayLike) -> None:
        x, y = pair(value, "up")
        size = max(abs(x), abs(y))
        if not size > 0:
            raise ValueError(f"up: must not be of length 0, got {shown(value)}")
        x, y = x / size, y / size
        length = sqrt(x * x + y * y)
        self._up = (x / length, y / length)
        self._angle = 0.0 if self._up == (0.0, 1.0) else float(heading((y, -x)))
        # From the position to the middle of the capsule, world.
        (mx, my), (ux, uy) = self._capsule.centroid.tolist(), self._up
        self._middle = (mx * uy + my * ux, my * uy - mx * ux)

    @property
    def max_slope_angle(self) -> float:
        """The steepest slope that is walked on, radians."""
        return self._max_slope_angle

    @max_slope_angle.setter
    def max_slope_angle(self, value: float) -> None:
        angle = number(value, "max_slope_angle", least=0)
        if not angle < np.pi / 2:
            raise ValueError(f"max_slope_angle: must be < pi / 2, got {value}")
        self._max_slope_angle = angle
        self._climb = float(direction(angle)[0])

    @property
    def step_height(self) -> float:
        """The highest step that is climbed, metres."""
        return self._step_height

    @step_height.setter
    def step_height(self, value: float) -> None:
        self._step_height = number(value, "step_height", least=0)

    @property
    def snap_distance(self) -> float:
        """Largest drop of the ground in one move that the character follows, metres."""
        return self._snap

    @snap_distance.setter
    def snap_distance(self, value: float) -> None:
        self._snap = number(value, "snap_distance", least=0)

    @property
    def mass(self) -> float:
        """Mass with which the character presses on dynamic bodies that it stands on, kilograms."""
        return self._mass

    @mass.setter
    def mass(self, value: float) -> None:
        self._mass = number(value, "mass", least=0)

    @property
    def push_force(self) -> float:
        """The most with which it pushes a dynamic body, newtons."""
        return self._push_force

    @push_force.setter
    def push_force(self, value: float) -> None:
        self._push_force = number(value, "push_force", least=0)

    @property
    def mask(self) -> int:
        """Categories that are solid."""
        return self._mask

    @mask.setter
    def mask(self, value: SupportsIndex) -> None:
        self._mask = _bits(value, "mask")

    @property
    def one_way(self) -> int:
        """Categories that are solid from above alone."""
        return self._one_way

    @one_way.setter
    def one_way(self, value: SupportsIndex) -> None:
        self._one_way = _bits(value, "one_way")

    @property
    def body(self) -> Body | None:
        """The kinematic body that follows, or None."""
        return self._body

    @body.setter
    def body(self, value: Body | None) -> None:
        if value is not None:
            if not isinstance(value, Body):
                raise TypeError(f"body: must be a Body or None, got {type(value).__name__}")
            if value.world is not self._world:
                raise ValueError(f"body: {value!r} belongs to another world")
            if value.kind != "kinematic":
                raise ValueError(f"body: must be kinematic, got {shown(value)}")
        self._body = value

    # ------------------------------------------------------------------ state

    @property
    def position(self) -> _Floats:
        """Origin of the capsule's frame, metres, world; shape (2,). Setting it teleports."""
        return np.array(self._position)

    @position.setter
    def position(self, value: npt.ArrayLike) -> None:
        self._position = pair(value, "position")
        self._stand, self._planes, self._dropped, self._squeezed = None, None, (), 0.0

    @property
    def velocity(self) -> _Floats:
        """Velocity after the last move, m/s, world; shape (2,); less what obstacles stopped."""
        return np.array(self._velocity)

    @velocity.setter
    def velocity(self, value: npt.ArrayLike) -> None:
        self._velocity = pair(value, "velocity")

    @property
    def grounded(self) -> bool:
        """Whether it stands: the last move ended on the ground, and that is still there."""
        return self._ground() is not None

    @property
    def ground(self) -> Ground | None:
        """What the character stands on; None in the air, or when that collider was removed."""
        stand, collider = self._stand, self._ground()
        if stand is None or collider is None:
            return None
        velocity = velocity_of(collider, stand.point, stand.normal)
        return Ground(collider, np.array(stand.normal), np.array(stand.point), np.array(velocity))

    def _ground(self) -> Collider | None:
        return None if self._stand is None else collider_of(self._world, self._stand)

    @property
    def squeezed(self) -> float:
        """Overlap that remains after the last move, metres: > 0 when it is being crushed.

        Static things hold it, others go on into it; once they have gone more than half through, it
        comes out behind them, and this is 0 again.
        """
        return self._squeezed

    @property
    def planes(self) -> npt.NDArray[Any]:
        """Surfaces around the character after the last move: rows of World.overlaps.

        Everything nearer than twice the skin; ``-depth`` is the distance.
        """
        if self._planes is None:
            move = Move(self, 0.0)
            return move.look(2 * self._skin)[1]
        return self._planes.copy()

    @property
    def state(self) -> MoverState:
        """All that it remembers, as plain numbers; setting it brings the mover back there.

        Settings such as `step_height` are not in it, nor is what the world remembers. Takes a
        MoverState, or its content as a tuple, list or mapping (from JSON, say).
        """
        return MoverState(
            self._position, self._velocity, self._stand, self._dropped, self._squeezed
        )

    @state.setter
    def state(self, value: MoverState | Sequence[Any] | Mapping[str, Any]) -> None:
        position, velocity, stand, dropped, squeezed = _fields(value, MoverState, "state")
        if isinstance(dropped, str) or not isinstance(dropped, Sequence):
            raise TypeError(f"state.dropped: must be a tuple of ints, got {shown(dropped)}")
        state = MoverState(
            pair(position, "state.position"),
            pair(velocity, "state.velocity"),
            None if stand is None else _stand(stand),
            tuple(_bits(identity, "state.dropped") for identity in dropped),
            number(squeezed, "state.squeezed", least=0),
        )
        self._position, self._velocity, self._stand, self._dropped, self._squeezed = state
        self._planes = None

    # ------------------------------------------------------------------ moving

    def move(self, velocity: npt.ArrayLike, dt: float, *, drop: bool = False) -> None:
        """Move for a time, as far as the world lets it; once after each step of the world.

        On the ground the velocity is relative to the ground. Without a part along `up` it walks:
        its part across is the speed along the ground, whatever the slope. With one it jumps: it
        leaves the ground with its velocity added to that of the ground. (A velocity straight along
        the ground is taken as it is.) In the air the velocity is relative to the world; usually it
        is the last `velocity` and dt times gravity.

        Parameters
        ----------
        velocity : array_like, shape (2,)
            m/s.
        dt : float
            Seconds, > 0.
        drop : bool
            Whether to fall through one-way colliders that it stands on.

        Raises
        ------
        ValueError
            For a bad number. The mover stays where it is, as after all errors.
        WorldLockedError
            From inside a step of the world.
        RemovedError
            When `body` has been removed.

        Examples
        --------
        >>> world = World(gravity=(0, -9.81))
        >>> ground = world.add_body(Box(20, 1), (0, -0.5), kind="static")
        >>> hero = CharacterMover(world, Capsule((0, 0.3), (0, 1.5), 0.3), (0, 0.01))
        >>> hero.move((0, 0), 1 / 60)
        >>> for step in range(30):
        ...     speed = 0 if hero.grounded else hero.velocity[1] - 9.81 / 60
        ...     hero.move((3, 5 if step == 9 else speed), 1 / 60)
        >>> hero.grounded, hero.position.round(2).tolist()
        (False, [1.5, 1.16])
        """
        wanted = pair(velocity, "velocity")
        seconds = number(dt, "dt", above=0)
        if not (isfinite(wanted[0] * seconds) and isfinite(wanted[1] * seconds)):
            raise ValueError(f"velocity: must go a finite way in dt = {dt}, got {shown(velocity)}")
        move = Move(self, seconds)
        move.carry()
        if self._one_way:
            move.find_passed(bool(drop))
        move.go(wanted)
        result, planes = move.settle_down()
        forces = move.forces()
        if not all(map(isfinite, (move.x, move.y, *result))):
            raise ValueError(f"velocity: must lead to a finite place, got {shown(velocity)}")
        if self._body is not None:
            self._body.move_to((move.x, move.y), self._angle, seconds)
        for body, push, point in forces:
            body.apply_force(push, point)
        self._position, self._velocity = (move.x, move.y), result
        self._stand, self._planes = move.stand, planes
        self._dropped, self._squeezed = move.dropped, move.squeezed


def _fields(value: Any, form: type[MoverState] | type[Stand], name: str) -> list[Any]:
    """The fields of a named tuple from one, from any sequence, or by name from a mapping."""
    names = form._fields
    if isinstance(value, Mapping) and set(value) == set(names):
        return [value[field] for field in names]
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == len(names):
        return list(value)
    what = f"a {form.__name__}" if form is MoverState else "of a mover's state"
    raise TypeError(f"{name}: must be {what}, or hold ({', '.join(names)}), got {shown(value)}")


def _stand(value: Any) -> Stand:
    collider, collider_id, normal, point, pose = _fields(value, Stand, "state.stand")
    if isinstance(pose, str) or not isinstance(pose, Sequence) or len(pose) != 3:
        raise TypeError(f"state.stand.pose: must be (x, y, angle), got {shown(pose)}")
    x, y, angle = (number(each, "state.stand.pose") for each in pose)
    return Stand(
        _bits(collider, "state.stand.collider"),
        _bits(collider_id, "state.stand.collider_id"),
        pair(normal, "state.stand.normal"),
        pair(point, "state.stand.point"),
        (x, y, angle),
    )


def _bits(value: SupportsIndex, name: str) -> int:
    try:
        result = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: must be an int, got {shown(value)}") from None
    if not 0 <= result <= _ALL:
        raise ValueError(f"{name}: must be from 0 to 2**64 - 1, got {shown(value)}")
    return result
