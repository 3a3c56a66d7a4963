"""Characters that walk, jump, climb steps and ride platforms, without being bodies.

A move is geometry, not dynamics: it asks the world where the capsule may go (World.cast_shape,
World.overlaps) and goes there. Invariants of a finished move, unless the mover is squeezed: the
surface of the capsule keeps the distance ``skin`` from everything solid, so that casts along a
floor or a wall never touch it; and nothing is passed, because all ways but those out of an overlap
(shorter than half a radius at a time) are cast.

The order of a move: the ground carries, overlaps are solved, the capsule walks or flies, then it
settles: snaps to the ground, regains its distance, looks what it stands on.

Sources: P. Jonathan, K. Fauerby, *Improved Collision Detection and Response* (2003) for sliding;
J. Carmack, the player movement of *Quake* (1996) for steps and clipping; E. Catto, the character
mover of *Box2D* 3 (2025) for planes that are solved together; R. Seidel, *Small-Dimensional Linear
Programming and Convex Hulls Made Easy* (1991) for how they are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import isfinite, sqrt
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from pyphys2d._core import Body, Capsule, Circle, Collider, RayHit, World, direction, heading

__all__ = ["CharacterMover", "Ground", "MoverState"]

_Floats = npt.NDArray[np.float64]
_Cut = tuple[float, float, float]  # normal and bound: the half-plane n . x >= b

_ALL = 2**64 - 1
_BENDS = 8  # of one move; a way with more ends there
_PUSHES = 6  # out of overlaps, in one settling
_SLIGHT = 1e-3  # of the skin: what need not be corrected
_STANDSTILL = 1e-9  # m
_WALL = 0.05  # n . up of walls that lean a little
_ACCEPT = 1e-7  # of cosines


class Ground(NamedTuple):
    """What a mover stands on.

    Attributes
    ----------
    collider : Collider
    normal : ndarray, shape (2,)
        Unit, out of the ground, world. Of the edge of a step: from there to the capsule's axis.
    point : ndarray, shape (2,)
        Where they nearly touch, metres, world.
    velocity : ndarray, shape (2,)
        Of the ground at that point, m/s, world; with the collider's tangent_speed.
    """

    collider: Collider
    normal: _Floats
    point: _Floats
    velocity: _Floats


class _Stand(NamedTuple):
    """The ground as plain values, with the pose of its body when it was stood on."""

    collider: int
    collider_id: int
    normal: tuple[float, float]
    point: tuple[float, float]
    pose: tuple[float, float, float]


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
    stand: _Stand | None
    dropped: tuple[int, ...]
    squeezed: float


class _Plane(NamedTuple):
    """A surface close by: the mover has the gap to it along the normal."""

    nx: float
    ny: float
    gap: float
    point: tuple[float, float]
    collider: int
    body: int
    kind: int  # 0 static, 1 kinematic, 2 dynamic


class _Hit(NamedTuple):
    """What stopped a way."""

    nx: float
    ny: float
    point: tuple[float, float]
    collider: Collider
    body: Body


def _nearest(x: float, y: float, cuts: Sequence[_Cut]) -> tuple[float, float] | None:
    """The point nearest to (x, y) in all half-planes, or None when they have none in common.

    Incremental: while a point is the best for the first cuts, the next one either holds it, or the
    best lies on its border (R. Seidel, 1991).
    """
    goal_x, goal_y = x, y
    for i, (nx, ny, b) in enumerate(cuts):
        if nx * x + ny * y >= b - 1e-12:
            continue
        # Points of the border: b n + s (-ny, nx).
        low, high = -np.inf, np.inf
        for mx, my, c in cuts[:i]:
            slope = my * nx - mx * ny
            rest = c - b * (mx * nx + my * ny)
            if abs(slope) < 1e-9:
                if rest > 1e-9:
                    return None
            elif slope > 0:
                low = max(low, rest / slope)
            else:
                high = min(high, rest / slope)
        if low > high + 1e-12:
            return None
        s = min(max(goal_y * nx - goal_x * ny, low), high)
        x, y = b * nx - s * ny, b * ny + s * nx
    return x, y


def _without(skipped: Sequence[int]) -> Callable[[npt.NDArray[Any]], npt.NDArray[np.bool_]] | None:
    """The `where` of a query that leaves out colliders."""
    if not skipped:
        return None
    return lambda indices: np.array([i not in skipped for i in indices.tolist()], dtype=np.bool_)


class CharacterMover:
    """A capsule that moves as characters of platform games do.

    It is no body: forces do not act on it, it goes where it is told as far as the world lets it. It
    slides along walls and ceilings, walks up and down slopes at the speed it is given, climbs
    steps, stays on the ground where that falls away, is carried by platforms, pushes dynamic bodies
    with a bounded force and presses on those it stands on.

    Call `move` once after each step of the world, with the velocity that is wanted: on the ground
    relative to the ground, in the air relative to the world. Gravity is yours to add in the air.

    Parameters
    ----------
    world : World
    capsule : Capsule or Circle
        About the mover's position; drawn for up = (0, 1).
    position : array_like, shape (2,)
        Metres, world.
    velocity : array_like, shape (2,)
        m/s, world: what `velocity` says before the first move.
    up : array_like, shape (2,)
        Against gravity; any length but 0. The capsule turns with it.
    max_slope_angle : float
        Radians, 0 to pi / 2 (exclusive): steeper slopes are slid down.
    step_height : float
        Metres, >= 0: higher steps are walls. Edges so low that the round bottom meets them as a
        slope no steeper than max_slope_angle are climbed in any case.
    snap_distance : float
        Metres, >= 0: by how much the ground may fall away in one move without an end of walking.
    skin : float
        Metres, > 0: the distance kept from everything; less than the radius.
    mass : float, optional
        Kilograms, >= 0: its weight, by the world's gravity, presses on dynamic bodies it stands
        on. Default: the capsule's area, the mass of a body of density 1.
    push_force : float, optional
        Newtons, >= 0: the most with which it pushes a dynamic body. Default: 20 m/s^2 of its mass.
    mask : int
        Only colliders with category & mask are solid; sensors never are.
    one_way : int
        Colliders with category & one_way are solid from above alone, when the mover was above.
    body : Body, optional
        A kinematic body of the world that follows the mover (it gets there in the next step), so
        that sensors, queries and other bodies meet it. The mover passes it by.

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

    def __init__(
        self,
        world: World,
        capsule: Capsule | Circle,
        position: npt.ArrayLike = (0, 0),
        *,
        velocity: npt.ArrayLike = (0, 0),
        up: npt.ArrayLike = (0, 1),
        max_slope_angle: float = 0.8,
        step_height: float = 0.25,
        snap_distance: float = 0.25,
        skin: float = 0.01,
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
        self._skin = _number(skin, "skin", above=0)
        if not self._skin < capsule.radius:
            raise ValueError(f"skin: must be < the radius {capsule.radius}, got {skin}")
        self._position = _pair(position, "position")
        self._velocity = _pair(velocity, "velocity")
        self._stand: _Stand | None = None
        self._dropped: tuple[int, ...] = ()
        self._squeezed = 0.0
        self._planes: npt.NDArray[Any] | None = None
        self.up = up
        self.max_slope_angle = max_slope_angle
        self.step_height = step_height
        self.snap_distance = snap_distance
        self.mass = capsule.area if mass is None else mass
        self.push_force = 20 * self._mass if push_force is None else push_force
        self.mask = mask
        self.one_way = one_way
        self.body = body

    def __repr__(self) -> str:
        x, y = self._position
        state = "grounded" if self.grounded else "in the air"
        return f"<CharacterMover at ({x:.6g}, {y:.6g}), {state}>"

    # ------------------------------------------------------------------ settings

    @property
    def world(self) -> World:
        """The world it moves in."""
        return self._world

    @property
    def capsule(self) -> Capsule | Circle:
        """Its shape, about its position, drawn for up = (0, 1)."""
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
        x, y = _pair(value, "up")
        size = max(abs(x), abs(y))
        if not size > 0:
            raise ValueError(f"up: must not be of length 0, got {value!r}")
        x, y = x / size, y / size
        length = sqrt(x * x + y * y)
        self._up = (x / length, y / length)
        self._angle = 0.0 if self._up == (0.0, 1.0) else float(heading((y, -x)))

    @property
    def max_slope_angle(self) -> float:
        """The steepest slope that is walked on, radians."""
        return self._max_slope_angle

    @max_slope_angle.setter
    def max_slope_angle(self, value: float) -> None:
        angle = _number(value, "max_slope_angle", least=0)
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
        self._step_height = _number(value, "step_height", least=0)

    @property
    def snap_distance(self) -> float:
        """By how much the ground may fall away in one move, metres."""
        return self._snap

    @snap_distance.setter
    def snap_distance(self, value: float) -> None:
        self._snap = _number(value, "snap_distance", least=0)

    @property
    def mass(self) -> float:
        """What presses on dynamic bodies it stands on, kilograms."""
        return self._mass

    @mass.setter
    def mass(self, value: float) -> None:
        self._mass = _number(value, "mass", least=0)

    @property
    def push_force(self) -> float:
        """The most with which it pushes a dynamic body, newtons."""
        return self._push_force

    @push_force.setter
    def push_force(self, value: float) -> None:
        self._push_force = _number(value, "push_force", least=0)

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
                raise ValueError(f"body: must be kinematic, got {value!r}")
        self._body = value

    # ------------------------------------------------------------------ state

    @property
    def position(self) -> _Floats:
        """Of the capsule's frame, metres, world; shape (2,). Setting it teleports."""
        return np.array(self._position)

    @position.setter
    def position(self, value: npt.ArrayLike) -> None:
        self._position = _pair(value, "position")
        self._stand, self._planes, self._dropped, self._squeezed = None, None, (), 0.0

    @property
    def velocity(self) -> _Floats:
        """As the last move left it, m/s, world; shape (2,). What was run into is taken off."""
        return np.array(self._velocity)

    @velocity.setter
    def velocity(self, value: npt.ArrayLike) -> None:
        self._velocity = _pair(value, "velocity")

    @property
    def grounded(self) -> bool:
        """Whether the last move ended on the ground."""
        return self._stand is not None

    @property
    def ground(self) -> Ground | None:
        """What it stands on; None in the air, or when that has been removed."""
        stand = self._stand
        collider = None if stand is None else _collider(self._world, stand)
        if stand is None or collider is None:
            return None
        velocity = _ground_velocity(collider, stand.point, stand.normal)
        return Ground(collider, np.array(stand.normal), np.array(stand.point), np.array(velocity))

    @property
    def squeezed(self) -> float:
        """How deep it still overlaps after the last move, metres: > 0 when it is being crushed."""
        return self._squeezed

    @property
    def planes(self) -> npt.NDArray[Any]:
        """What is around, as the last move left it: rows of World.overlaps.

        Everything nearer than twice the skin; ``-depth`` is the distance.
        """
        if self._planes is None:
            move = _Move(self, 0.0)
            return move.look(2 * self._skin)[1]
        return self._planes.copy()

    @property
    def state(self) -> MoverState:
        """All that it remembers, as plain numbers; setting it brings the mover back there.

        Settings such as `step_height` are not in it, nor is what the world remembers.
        """
        return MoverState(
            self._position, self._velocity, self._stand, self._dropped, self._squeezed
        )

    @state.setter
    def state(self, value: MoverState) -> None:
        if not isinstance(value, MoverState):
            raise TypeError(f"state: must be a MoverState, got {type(value).__name__}")
        position = _pair(value.position, "state.position")
        self._velocity = _pair(value.velocity, "state.velocity")
        self._position, self._stand, self._planes = position, value.stand, None
        self._dropped, self._squeezed = value.dropped, value.squeezed

    # ------------------------------------------------------------------ moving

    def move(self, velocity: npt.ArrayLike, dt: float, *, drop: bool = False) -> None:
        """Move for a time, as far as the world lets it; once after each step of the world.

        On the ground the velocity is relative to the ground. Without a part along `up` it walks:
        its part across is the speed along the ground, whatever the slope. With one it jumps: it
        leaves the ground with its velocity added to that of the ground. In the air the velocity is
        relative to the world; usually it is the last `velocity` and dt times gravity.

        Parameters
        ----------
        velocity : array_like, shape (2,)
            m/s.
        dt : float
            Seconds, > 0.
        drop : bool
            Whether to fall through the one-way collider it stands on.

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
        wanted = _pair(velocity, "velocity")
        seconds = _number(dt, "dt", above=0)
        move = _Move(self, seconds)
        move.carry()
        move.begin(bool(drop))
        move.go(wanted)
        result = move.velocity_after()
        planes = move.settle_down(result)
        forces = move.forces()
        if self._body is not None:
            self._body.move_to((move.x, move.y), self._angle, seconds)
        for body, push, point in forces:
            body.apply_force(push, point)
        self._position, self._velocity = (move.x, move.y), result
        self._stand, self._planes = move.stand, planes
        self._dropped, self._squeezed = move.dropped, move.squeezed


class _Move:
    """One move: where the mover has come to, and what it has met."""

    def __init__(self, mover: CharacterMover, dt: float) -> None:
        self.mover = mover
        self.dt = dt
        self.world = mover._world
        self.x, self.y = mover._position
        self.ux, self.uy = mover._up
        self.skin = mover._skin
        self.stand = mover._stand
        self.dropped = mover._dropped
        self.squeezed = 0.0
        self.solid = mover._mask & ~mover._one_way
        self.own: tuple[int, ...] = ()
        if mover._body is not None:
            self.own = tuple(collider.index for collider in mover._body.colliders)
        self.through: tuple[int, ...] = ()  # one-way colliders that it was not above
        self.met: list[_Hit] = []
        self.walking = False
        self.ground_velocity = (0.0, 0.0)
        self.wanted = (0.0, 0.0)  # velocity, world
        self.speed: float | None = None  # along the ground
        self.normal = (0.0, 0.0)  # of the ground that was walked on last

    # ------------------------------------------------------------------ questions

    def walkable(self, nx: float, ny: float) -> bool:
        return nx * self.ux + ny * self.uy >= self.mover._climb - _ACCEPT

    def look(self, margin: float) -> tuple[list[_Plane], npt.NDArray[Any]]:
        """What is nearer than the margin: planes, rigid ones first, and rows."""
        world, shape = self.world, self.mover._capsule
        pose = (self.x, self.y, self.mover._angle)
        where = _without(self.own)
        rows = world.overlaps(shape, pose, margin=margin, pieces=True, mask=self.solid, where=where)
        if self.mover._one_way:
            where = _without((*self.own, *self.through))
            mask = self.mover._one_way
            more = world.overlaps(shape, pose, margin=margin, pieces=True, mask=mask, where=where)
            across = more["normal"] @ np.array(self.mover._up)
            rows = np.concatenate([rows, more[across >= self.mover._climb - _ACCEPT]])
        if not len(rows):
            return [], rows
        kinds = world.kinds[rows["body"]].tolist()
        planes = [
            _Plane(n[0], n[1], -depth, (p[0][0], p[0][1]), collider, body, kind)
            for n, depth, p, collider, body, kind in zip(
                rows["normal"].tolist(),
                rows["depth"].tolist(),
                rows["points"].tolist(),
                rows["collider"].tolist(),
                rows["body"].tolist(),
                kinds,
                strict=True,
            )
        ]
        if len(planes) > 1:
            planes.sort(key=lambda plane: plane.kind)
        return planes, rows

    def cast(
        self, dx: float, dy: float, *, one_way: bool = False, beside: tuple[int, ...] = ()
    ) -> RayHit | None:
        """The first thing in the way, from where it is."""
        pose = (self.x, self.y, self.mover._angle)
        skipped = self.own + beside
        hit = None
        for _ in range(_BENDS):
            hit = self.world.cast_shape(
                self.mover._capsule, pose, (dx, dy), mask=self.solid, where=_without(skipped)
            )
            if hit is None or hit.fraction > 0 or hit.body.kind == "static":
                break
            nx, ny = hit.normal.tolist()
            if nx * dx + ny * dy < 0:
                break
            # Out of a body that has come into it, or that it is leaving.
            skipped = (*skipped, hit.collider.index)
        if not (one_way and self.mover._one_way):
            return hit
        skipped = self.own + beside + self.through
        for _ in range(_BENDS):
            other = self.world.cast_shape(
                self.mover._capsule,
                pose,
                (dx, dy),
                mask=self.mover._one_way,
                where=_without(skipped),
            )
            if other is None or (hit is not None and hit.fraction <= other.fraction):
                return hit
            nx, ny = other.normal.tolist()
            if self.walkable(nx, ny) and nx * dx + ny * dy < 0:
                return other
            skipped = (*skipped, other.collider.index)
        return hit

    def sweep(
        self, dx: float, dy: float, *, one_way: bool = False, beside: tuple[int, ...] = ()
    ) -> tuple[float, _Hit | None]:
        """Goes along as far as the skin lets it: the fraction of the way, and what stopped it."""
        length = sqrt(dx * dx + dy * dy)
        if length < _STANDSTILL:
            return 1.0, None
        longer = 1 + 2 * self.skin / length
        hit = self.cast(dx * longer, dy * longer, one_way=one_way, beside=beside)
        if hit is None:
            self.x, self.y = self.x + dx, self.y + dy
            return 1.0, None
        nx, ny = hit.normal.tolist()
        closing = max(-(nx * dx + ny * dy) / length, 0.05)
        fraction = hit.fraction * longer - self.skin / closing / length
        if fraction >= 1:
            self.x, self.y = self.x + dx, self.y + dy
            return 1.0, None
        fraction = max(fraction, 0.0)
        self.x, self.y = self.x + dx * fraction, self.y + dy * fraction
        px, py = hit.point.tolist()
        return fraction, _Hit(nx, ny, (px, py), hit.collider, hit.body)

    def ray(self, point: tuple[float, float], length: float) -> RayHit | None:
        """What is straight below a point; also one-way colliders."""
        return self.world.cast_ray(
            point,
            (-self.ux * length, -self.uy * length),
            mask=self.solid | self.mover._one_way,
            where=_without(self.own + self.through),
        )

    def height(self, point: Sequence[float]) -> float:
        return point[0] * self.ux + point[1] * self.uy

    def top_of(self, hit: _Hit) -> float | None:
        """The height of the walkable surface that begins at an edge, or None."""
        across = hit.nx * self.uy - hit.ny * self.ux  # the surface is on the other side
        inside = -self.skin if across > 0 else self.skin
        above = self.skin * (2 + 1 / self.mover._climb)  # more than a walkable slope rises there
        px, py = hit.point
        at = (px + inside * self.uy + above * self.ux, py - inside * self.ux + above * self.uy)
        top = self.ray(at, 2 * above)
        if top is None or top.fraction == 0 or not self.walkable(*top.normal.tolist()):
            return None
        return self.height(top.point.tolist())

    def supports(self, hit: _Hit) -> bool:
        """Whether it can stand on what it touches.

        On slopes that are not too steep. And on the edge of a step: a walkable surface begins
        there, and below the middle of the mover is another, not lower than a step. Then it rolls
        over the edge, up as well as down. Low things that can be pushed are no steps.
        """
        if self.walkable(hit.nx, hit.ny):
            return True
        if hit.nx * self.ux + hit.ny * self.uy < _WALL or self.mover._step_height == 0:
            return False
        if hit.body.kind == "dynamic" or self.top_of(hit) is None:
            return False
        above = self.height(hit.point) - self.height((self.x, self.y)) + 2 * self.skin
        start = (self.x + above * self.ux, self.y + above * self.uy)
        below = self.ray(start, self.mover._step_height + 3 * self.skin)
        return below is not None and self.walkable(*below.normal.tolist())

    # ------------------------------------------------------------------ the beginning

    def carry(self) -> None:
        """Goes along with the ground as it has moved since the last move."""
        stand = self.stand
        if stand is None:
            return
        collider = _collider(self.world, stand)
        if collider is None:  # removed, disabled or of another kind of being
            self.stand = None
            return
        body = collider.body
        (bx, by), angle = body.position.tolist(), body.angle
        old_x, old_y, old_angle = stand.pose
        px, py = stand.point
        dx, dy = bx - old_x, by - old_y
        nx, ny = stand.normal
        if angle != old_angle:
            c, s = direction(angle - old_angle).tolist()
            ax, ay = px - old_x, py - old_y
            dx += (c - 1) * ax - s * ay
            dy += s * ax + (c - 1) * ay
            nx, ny = c * nx - s * ny, s * nx + c * ny
        slip = collider.tangent_speed * self.dt
        if slip:
            dx, dy = dx + slip * ny, dy - slip * nx
        if dx or dy:
            beside = tuple(other.index for other in body.colliders)
            for _ in range(2):
                done, hit = self.sweep(dx, dy, beside=beside)
                if hit is None:
                    break
                left = 1 - done
                into = min(hit.nx * dx + hit.ny * dy, 0.0)
                dx, dy = left * (dx - into * hit.nx), left * (dy - into * hit.ny)
        self.stand = stand._replace(point=(px + dx, py + dy), normal=(nx, ny))
        self.ground_velocity = _ground_velocity(collider, self.stand.point, (nx, ny))

    def begin(self, drop: bool) -> None:
        """Learns what it passes through, and leaves what has come into it."""
        if self.mover._one_way:
            self.find_passed(drop)
        planes = self.push_out()[0]
        # What has come into it moves it along, also in the air.
        for plane in planes:
            if plane.gap < 0.5 * self.skin and plane.kind == 1:
                self.note(plane.nx, plane.ny, plane.point, plane.collider)

    def find_passed(self, drop: bool) -> None:
        """One-way colliders that it is in, and not just above."""
        world, mover = self.world, self.mover
        pose = (self.x, self.y, mover._angle)
        rows = world.overlaps(
            mover._capsule,
            pose,
            margin=2 * self.skin,
            pieces=True,
            mask=mover._one_way,
            where=_without(self.own),
        )
        passed: list[int] = []
        dropped: list[int] = []
        for index, n, depth in zip(
            rows["collider"].tolist(), rows["normal"].tolist(), rows["depth"].tolist(), strict=True
        ):
            collider = world.colliders[index]
            identity = collider.id
            stood = self.stand is not None and self.stand.collider == index
            if identity in self.dropped or (drop and stood):
                dropped.append(identity)
                passed.append(index)
                continue
            # A platform that rises may have come this far into it in the last step.
            point = (self.x, self.y)
            rise = _ground_velocity(collider, point, (0.0, 0.0))
            speed = max(rise[0] * self.ux + rise[1] * self.uy, 0.0)
            if depth > self.skin + speed * self.dt or not (stood or self.walkable(*n)):
                passed.append(index)
        self.through = tuple(passed)
        self.dropped = tuple(dict.fromkeys(dropped))
        if self.stand is not None and self.stand.collider in self.through:
            self.stand = None

    def note(self, nx: float, ny: float, point: tuple[float, float], collider: int) -> None:
        handle = self.world.colliders[collider]
        self.met.append(_Hit(nx, ny, point, handle, handle.body))

    def push_out(self) -> tuple[list[_Plane], npt.NDArray[Any]]:
        """Regains the distance to everything; of planes that contradict, rigid ones win."""
        enough = self.skin * (1 - _SLIGHT)
        most = 0.5 * self.mover._capsule.radius
        for _ in range(_PUSHES):
            planes, rows = self.look(2 * self.skin)
            if not planes or min(plane.gap for plane in planes) >= enough:
                break
            dx, dy = self.way_out(planes)
            length = sqrt(dx * dx + dy * dy)
            if length < _STANDSTILL:
                break
            shorter = min(1.0, most / length)
            self.x, self.y = self.x + dx * shorter, self.y + dy * shorter
        else:
            planes, rows = self.look(2 * self.skin)
        return planes, rows

    def way_out(self, planes: list[_Plane]) -> tuple[float, float]:
        """The shortest way that keeps the skin to all planes, or as much as can be."""
        for share in (1.0, 0.5, 0.25, 0.125):
            keep = self.skin * share
            found = _nearest(0, 0, [(p.nx, p.ny, keep - p.gap) for p in planes])
            if found is not None:
                return found
        for most in (1, 0):  # what yields last is static
            rigid = [p for p in planes if p.kind <= most]
            keep = 0.125 * self.skin
            found = _nearest(0, 0, [(p.nx, p.ny, keep - p.gap) for p in rigid])
            if found is not None:
                return found
        return 0.0, 0.0

    # ------------------------------------------------------------------ the way

    def go(self, wanted: tuple[float, float]) -> None:
        """Walks, jumps or flies for the time."""
        vx, vy = wanted
        gx, gy = self.ground_velocity
        if self.stand is None:
            self.wanted = wanted
            self.fly(vx * self.dt, vy * self.dt)
        elif vx * self.ux + vy * self.uy > 0:
            # The ground has already carried it for this time.
            self.stand = None
            self.wanted = vx + gx, vy + gy
            self.fly(vx * self.dt, vy * self.dt)
        else:
            self.speed = vx * self.uy - vy * self.ux
            self.walk(self.stand.normal, self.stand.point, self.speed * self.dt)
            nx, ny = self.normal
            self.wanted = gx + self.speed * ny, gy - self.speed * nx

    def walk(
        self, normal: tuple[float, float], point: tuple[float, float], distance: float
    ) -> None:
        """Follows the ground, to the right when distance > 0."""
        sign = 1.0 if distance > 0 else -1.0
        left = abs(distance)
        level = self.height(point)
        self.walking = True
        self.normal = nx, ny = normal
        for _ in range(_BENDS):
            if left < _STANDSTILL:
                return
            done, hit = self.sweep(sign * left * ny, -sign * left * nx, one_way=True)
            left *= 1 - done
            if hit is None:
                return
            if not self.supports(hit):
                ahead = self.step_up(sign, left, level)
                if ahead is None:
                    self.met.append(hit)
                    return
                hit, left = ahead, 0.0
            self.normal = nx, ny = hit.nx, hit.ny
            level = self.height(hit.point)

    def step_up(self, sign: float, left: float, level: float) -> _Hit | None:
        """Up, ahead and down onto a step: what it stands on then; or None, and back."""
        start = self.x, self.y
        most = self.mover._step_height
        if most > 0:
            self.sweep(self.ux * most, self.uy * most)
            ahead = max(left, 3 * self.skin)  # past the distance kept from the wall
            done, _ = self.sweep(sign * ahead * self.uy, -sign * ahead * self.ux)
            if done * ahead > 2 * self.skin:
                down = most + 2 * self.skin
                hit = self.sweep(-self.ux * down, -self.uy * down, one_way=True)[1]
                if hit is not None and self.is_step(hit, level):
                    return hit
        self.x, self.y = start
        return None

    def is_step(self, hit: _Hit, level: float) -> bool:
        across = hit.nx * self.ux + hit.ny * self.uy
        if hit.body.kind == "dynamic" or across < _ACCEPT:
            return False
        top = self.height(hit.point) if self.walkable(hit.nx, hit.ny) else self.top_of(hit)
        return top is not None and top - level <= self.mover._step_height + _SLIGHT * self.skin

    def fly(self, dx: float, dy: float) -> None:
        """Slides along what it meets; where it lands it goes on walking."""
        cuts: list[_Cut] = []
        for _ in range(_BENDS):
            falling = dx * self.ux + dy * self.uy < 0
            done, hit = self.sweep(dx, dy, one_way=falling)
            if hit is None:
                return
            self.met.append(hit)
            dx, dy = dx * (1 - done), dy * (1 - done)
            if falling and self.walkable(hit.nx, hit.ny):
                self.walk((hit.nx, hit.ny), hit.point, dx * self.uy - dy * self.ux)
                return
            cuts.append((hit.nx, hit.ny, 0.0))
            dx, dy = self.slide(dx, dy, cuts)

    def slide(self, x: float, y: float, cuts: list[_Cut]) -> tuple[float, float]:
        """A vector without what goes into planes; steep slopes do not turn it upwards."""
        found = _nearest(x, y, cuts)
        if found is None:
            return 0.0, 0.0
        rise = x * self.ux + y * self.uy
        if found[0] * self.ux + found[1] * self.uy <= max(rise, 0.0) + _STANDSTILL:
            return found
        # Take off what goes into the steep ones across, as walls do, and slide down by the rest.
        walls = list(cuts)
        for nx, ny, b in cuts:
            if 0 < nx * self.ux + ny * self.uy < self.mover._climb and b <= 0:
                side = 1.0 if nx * self.uy - ny * self.ux > 0 else -1.0
                walls.insert(0, (side * self.uy, -side * self.ux, 0.0))
        found = _nearest(x, y, walls[: len(walls) - len(cuts)])
        if found is not None:
            found = _nearest(*found, walls)
        return found if found is not None else (0.0, 0.0)

    # ------------------------------------------------------------------ the end

    def velocity_after(self) -> tuple[float, float]:
        """The velocity without what goes into what was met; world."""
        vx, vy = self.wanted
        if not self.met:
            return vx, vy
        cuts = [(hit.nx, hit.ny, self.yielding(hit)) for hit in self.met]
        if self.speed is None:
            return self.slide(vx, vy, cuts)
        # Along the ground it is one number that is cut.
        (gx, gy), (nx, ny), speed = self.ground_velocity, self.normal, self.speed
        for mx, my, b in cuts:
            along = mx * ny - my * nx
            least = b - mx * gx - my * gy
            if along * speed < min(least, -_ACCEPT):
                limit = least / along
                speed = max(min(limit, speed), 0.0) if speed > 0 else min(max(limit, speed), 0.0)
        return gx + speed * ny, gy - speed * nx

    def yielding(self, hit: _Hit) -> float:
        """How fast at least it goes along the normal of what it has met.

        Kinematic bodies push it; dynamic ones do not, but let it follow.
        """
        if hit.body.kind == "static":
            return 0.0
        gx, gy = hit.body.velocity_at(hit.point).tolist()
        speed: float = gx * hit.nx + gy * hit.ny
        return speed if hit.body.kind == "kinematic" else min(speed, 0.0)

    def forces(self) -> list[tuple[Body, tuple[float, float], tuple[float, float]]]:
        """What it does to dynamic bodies: body, force, point."""
        result = []
        most = self.mover._push_force
        seen = set()
        for hit in self.met:
            body = hit.body
            if body.kind != "dynamic" or body.id in seen or most == 0:
                continue
            seen.add(body.id)
            cx, cy = body.to_world(body.center_of_mass).tolist()
            gx, gy = body.velocity_at(hit.point).tolist()
            closing = (gx - self.wanted[0]) * hit.nx + (gy - self.wanted[1]) * hit.ny
            if closing > 0:
                # What brings that point of the body to the mover's speed in one step.
                arm = (hit.point[0] - cx) * hit.ny - (hit.point[1] - cy) * hit.nx
                inertia = body.inertia
                give = 1 / body.mass + (arm * arm / inertia if inertia > 0 else 0.0)
                force = min(closing / give / self.dt, most)
                result.append((body, (-force * hit.nx, -force * hit.ny), hit.point))
        stand = self.stand
        if stand is not None and self.mover._mass > 0:
            body = self.world.colliders[stand.collider].body
            if body.kind == "dynamic":
                gx, gy = (self.mover._mass * self.world.gravity).tolist()
                if gx or gy:
                    result.append((body, (gx, gy), stand.point))
        return result

    def settle_down(self, velocity: tuple[float, float]) -> npt.NDArray[Any]:
        """Finds the ground and the right distance to everything; rows of what is around."""
        stand = self.snap() if self.walking else None
        planes, rows = self.push_out()
        self.stand = stand if stand is not None else self.find_ground(planes, velocity)
        self.squeezed = max([0.0, *(-plane.gap for plane in planes)])
        return rows

    def snap(self) -> _Stand | None:
        """Down to the ground, if it is near."""
        x, y = self.x, self.y
        down = self.mover._snap + 2 * self.skin
        hit = self.sweep(-self.ux * down, -self.uy * down, one_way=True)[1]
        if hit is not None and self.supports(hit):
            return _stand_on(hit.collider, (hit.nx, hit.ny), hit.point)
        self.x, self.y = x, y
        return None

    def find_ground(self, planes: list[_Plane], velocity: tuple[float, float]) -> _Stand | None:
        """What it touches that holds it: a slope, or two that it is stuck between."""
        held: list[_Plane] = []
        best: _Plane | None = None
        highest = 0.0
        for plane in planes:
            across = plane.nx * self.ux + plane.ny * self.uy
            if across < _ACCEPT or plane.gap > 1.5 * self.skin:
                continue
            collider = self.world.colliders[plane.collider]
            gx, gy = _ground_velocity(collider, plane.point, (plane.nx, plane.ny))
            if (velocity[0] - gx) * plane.nx + (velocity[1] - gy) * plane.ny > 1e-6:
                continue
            held.append(plane)
            if across > highest and self.walkable(plane.nx, plane.ny):
                best, highest = plane, across
        if best is not None:
            collider = self.world.colliders[best.collider]
            return _stand_on(collider, (best.nx, best.ny), best.point)
        if len(held) > 1:
            rest = _nearest(-self.ux, -self.uy, [(plane.nx, plane.ny, 0.0) for plane in held])
            if rest is not None and rest[0] * rest[0] + rest[1] * rest[1] < 1e-12:
                collider = self.world.colliders[held[0].collider]
                return _stand_on(collider, (self.ux, self.uy), held[0].point)
        return None


# ---------------------------------------------------------------------- the world, arguments


def _stand_on(
    collider: Collider, normal: tuple[float, float], point: tuple[float, float]
) -> _Stand:
    body = collider.body
    x, y = body.position.tolist()
    return _Stand(collider.index, collider.id, normal, point, (x, y, body.angle))


def _collider(world: World, stand: _Stand) -> Collider | None:
    """The collider that was stood on, if it is still there."""
    try:
        collider = world.colliders[stand.collider]
    except KeyError:
        return None
    there = collider.id == stand.collider_id and collider.body.enabled and not collider.sensor
    return collider if there else None


def _ground_velocity(
    collider: Collider, point: tuple[float, float], normal: tuple[float, float]
) -> tuple[float, float]:
    """Of the surface at a point, m/s, world."""
    body = collider.body
    x, y = (0.0, 0.0) if body.kind == "static" else body.velocity_at(point).tolist()
    slip = collider.tangent_speed
    return (x + slip * normal[1], y - slip * normal[0]) if slip else (x, y)


def _pair(value: npt.ArrayLike, name: str) -> tuple[float, float]:
    """Two finite numbers."""
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{name}: must have shape (2,): {error}") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: must hold real numbers, got {value!r}")
    if array.shape != (2,):
        raise ValueError(f"{name}: must have shape (2,), got {array.shape}")
    x, y = map(float, array.tolist())
    if not (isfinite(x) and isfinite(y)):
        raise ValueError(f"{name}: must be finite, got {value!r}")
    return x, y


def _number(
    value: Any, name: str, *, above: float | None = None, least: float | None = None
) -> float:
    """A finite number > above or >= least."""
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: must be a real number, got {value!r}")
    if array.shape != ():
        raise ValueError(f"{name}: must be one number, got shape {array.shape}")
    result = float(array)
    if not isfinite(result):
        raise ValueError(f"{name}: must be finite, got {value!r}")
    if above is not None and not result > above:
        raise ValueError(f"{name}: must be > {above}, got {value!r}")
    if least is not None and not result >= least:
        raise ValueError(f"{name}: must be >= {least}, got {value!r}")
    return result


def _bits(value: SupportsIndex, name: str) -> int:
    try:
        result = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: must be an int, got {value!r}") from None
    if not 0 <= result <= _ALL:
        raise ValueError(f"{name}: must be from 0 to 2**64 - 1, got {value!r}")
    return result
