"""Characters that walk, jump, climb steps and ride platforms, without being bodies.

A move is geometry, not dynamics: it asks the world where the capsule may go (World.cast_shape,
World.overlaps) and goes there. Invariants of a finished move, unless the mover is squeezed: the
surface of the capsule keeps the distance ``skin`` from everything solid, so that casts along a
floor or a wall never touch it; and nothing is passed, because all ways but those out of an overlap
(shorter than half a radius at a time) are cast.

The order of a move: the ground carries, the capsule walks or flies, then it settles: snaps to the
ground, regains its distance from what has come too near, looks what it stands on.

Sources: K. Fauerby, *Improved Collision Detection and Response* (2003) for sliding; id Software,
the player movement of *Quake* (1996) for steps and clipping; E. Catto, the character
mover of *Box2D* 3 (2025) for planes that are solved together; R. Seidel, *Small-Dimensional Linear
Programming and Convex Hulls Made Easy* (1991) for how they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, sqrt
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pyphys2d._core import Body, Collider, RayHit, World, direction

if TYPE_CHECKING:
    from pyphys2d.mover import CharacterMover

_Cut = tuple[float, float, float]  # normal and bound: the half-plane n . x >= b

_BENDS = 8  # of one move; a way with more ends there
_PUSHES = 6  # out of overlaps, in one settling
_SLIGHT = 1e-3  # of the skin: what need not be corrected
_STANDSTILL = 1e-9  # m, where a world's unit is 1
_WALL = 0.05  # n . up of walls that lean a little
_ACCEPT = 1e-7  # of cosines
# A row of World.overlaps: six integers; normal, depth, points, separations.
_ROW = Struct("=6i9d")


class Stand(NamedTuple):
    """The ground as plain values, with the pose of its body when it was stood on."""

    collider: int
    collider_id: int
    normal: tuple[float, float]
    point: tuple[float, float]  # on its surface
    pose: tuple[float, float, float]


class _Plane(NamedTuple):
    """A surface close by: the mover has the gap to it along the normal."""

    nx: float
    ny: float
    gap: float
    point: tuple[float, float]  # midway
    collider: int
    body: int

    @property
    def surface(self) -> tuple[float, float]:
        """The nearest point of it."""
        half = 0.5 * self.gap
        return self.point[0] - half * self.nx, self.point[1] - half * self.ny


class _Hit(NamedTuple):
    """What stopped a way."""

    nx: float
    ny: float
    point: tuple[float, float]
    collider: Collider
    body: Body


def _nearest(x: float, y: float, cuts: Sequence[_Cut], unit: float) -> tuple[float, float] | None:
    """The point nearest to (x, y) in all half-planes, or None when they have none in common; unit:
    of length.

    Incremental: while a point is the best for the first cuts, the next one either holds it, or the
    best lies on its border (R. Seidel, 1991).
    """
    goal_x, goal_y = x, y
    for i, (nx, ny, b) in enumerate(cuts):
        if nx * x + ny * y >= b - 1e-12 * unit:
            continue
        # Points of the border: b n + s (-ny, nx).
        low, high = -np.inf, np.inf
        for mx, my, c in cuts[:i]:
            slope = my * nx - mx * ny
            rest = c - b * (mx * nx + my * ny)
            if abs(slope) < 1e-9:
                if rest > 1e-9 * unit:
                    return None
            elif slope > 0:
                low = max(low, rest / slope)
            else:
                high = min(high, rest / slope)
        if low > high + 1e-12 * unit:
            return None
        s = min(max(goal_y * nx - goal_x * ny, low), high)
        x, y = b * nx - s * ny, b * ny + s * nx
    return x, y


def _without(skipped: Sequence[int]) -> Callable[[npt.NDArray[Any]], npt.NDArray[np.bool_]] | None:
    """The `where` of a query that leaves out colliders."""
    if not skipped:
        return None
    return lambda indices: np.array([i not in skipped for i in indices.tolist()], dtype=np.bool_)


class Move:
    """One move: where the mover has come to, and what it has met."""

    def __init__(self, mover: CharacterMover, dt: float) -> None:
        self.mover = mover
        self.dt = dt
        self.world = mover._world
        self.unit = self.world.length_unit
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
        self.leaving = False  # the ground, by falling through it
        self.walking = False
        self.ground_velocity = (0.0, 0.0)
        self.wanted = (0.0, 0.0)  # velocity, world
        self.speed: float | None = None  # along the ground
        self.normal = (0.0, 0.0)  # of the ground that was walked on last

    # ------------------------------------------------------------------ questions

    def walkable(self, nx: float, ny: float) -> bool:
        return nx * self.ux + ny * self.uy >= self.mover._climb - _ACCEPT

    def look(self, margin: float) -> tuple[list[_Plane], npt.NDArray[Any]]:
        """What is nearer than the margin: as planes and as rows."""
        world, shape = self.world, self.mover._capsule
        pose = (self.x, self.y, self.mover._angle)
        where = _without(self.own)
        rows = world.overlaps(shape, pose, margin=margin, pieces=True, mask=self.solid, where=where)
        if self.mover._one_way:
            where = _without((*self.own, *self.through))
            mask = self.mover._one_way
            more = world.overlaps(shape, pose, margin=margin, pieces=True, mask=mask, where=where)
            if len(more):
                # Not by a product of matrices, whose bits are the machine's.
                upwards = more["normal"][:, 0] * self.ux + more["normal"][:, 1] * self.uy
                more = more[upwards >= self.mover._climb - _ACCEPT]
                both = np.empty(len(rows) + len(more), dtype=rows.dtype)
                both[: len(rows)], both[len(rows) :] = rows, more
                rows = both
        if not len(rows):
            return [], rows
        return [
            _Plane(nx, ny, -depth, (px, py), collider, body)
            for _, collider, body, _, _, _, nx, ny, depth, px, py, *_ in _ROW.iter_unpack(
                rows.tobytes()
            )
        ], rows

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
        if length < _STANDSTILL * self.unit:
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
        above = self.skin * (2 + 1 / max(self.mover._climb, 0.1))  # more than a slope rises there
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
        x, y = self.x + self.mover._middle[0], self.y + self.mover._middle[1]
        above = self.height(hit.point) - self.height((x, y)) + 2 * self.skin
        start = (x + above * self.ux, y + above * self.uy)
        below = self.ray(start, self.mover._step_height + (2 + _SLIGHT) * self.skin)
        if below is None or below.fraction == 0:
            return False
        return self.walkable(*below.normal.tolist())

    # ------------------------------------------------------------------ the beginning

    def carry(self) -> None:
        """Goes along with the ground as it has moved since the last move."""
        stand = self.stand
        if stand is None:
            return
        collider = collider_of(self.world, stand)
        if collider is None:  # removed, disabled or made a sensor
            self.stand = None
            return
        body = collider.body
        (bx, by), angle = body.position.tolist(), body.angle
        old_x, old_y, old_angle = stand.pose
        px, py = stand.point
        dx, dy = bx - old_x, by - old_y
        nx, ny = stand.normal
        # What stays over its place is the centre of the rounding that touches the ground: so it
        # keeps the distance however the ground turns.
        reach = self.mover._capsule.radius + self.skin
        ax, ay = px + reach * nx, py + reach * ny
        if angle != old_angle:
            c, s = direction(angle - old_angle).tolist()
            rx, ry = ax - old_x, ay - old_y
            dx += (c - 1) * rx - s * ry
            dy += s * rx + (c - 1) * ry
            nx, ny = c * nx - s * ny, s * nx + c * ny
        ax, ay = ax + dx, ay + dy
        self.ground_velocity = velocity_of(collider, (ax, ay), (nx, ny))
        if dx or dy or angle != old_angle:
            point = (ax - reach * nx, ay - reach * ny)
            self.stand = stand._replace(point=point, normal=(nx, ny))
            self.shift(dx, dy, tuple(other.index for other in body.colliders))
        slip = collider.tangent_speed * self.dt
        if slip:
            self.shift(slip * ny, -slip * nx, ())

    def shift(self, dx: float, dy: float, beside: tuple[int, ...]) -> None:
        """Is carried that far, or along what is in the way."""
        for _ in range(2):
            done, hit = self.sweep(dx, dy, beside=beside)
            if hit is None:
                return
            left = 1 - done
            into = min(hit.nx * dx + hit.ny * dy, 0.0)
            dx, dy = left * (dx - into * hit.nx), left * (dy - into * hit.ny)

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
        if not len(rows):
            self.dropped = ()
            return
        passed: list[int] = []
        dropped: list[int] = []
        for index, n, depth in zip(
            rows["collider"].tolist(), rows["normal"].tolist(), rows["depth"].tolist(), strict=True
        ):
            collider = world.colliders[index]
            identity = collider.id
            stood = self.stand is not None and self.stand.collider == index
            if identity in self.dropped or (drop and self.stand is not None):
                dropped.append(identity)
                passed.append(index)
                continue
            # A platform that rises may have come this far into it in the last step.
            point = (self.x, self.y)
            rise = velocity_of(collider, point, (0.0, 0.0))
            speed = max(rise[0] * self.ux + rise[1] * self.uy, 0.0)
            if depth > self.skin + speed * self.dt or not (stood or self.walkable(*n)):
                passed.append(index)
        self.through = tuple(passed)
        self.dropped = tuple(dict.fromkeys(dropped))
        self.leaving = self.stand is not None and self.stand.collider in self.through

    # ------------------------------------------------------------------ the way

    def go(self, wanted: tuple[float, float]) -> None:
        """Walks, jumps or flies for the time."""
        vx, vy = wanted
        gx, gy = self.ground_velocity
        if self.stand is None:
            self.wanted = wanted
            self.fly(vx * self.dt, vy * self.dt)
        elif self.leaving or self.is_jump(vx, vy):
            # The ground has already carried it for this time.
            self.stand = None
            self.wanted = vx + gx, vy + gy
            self.fly(vx * self.dt, vy * self.dt)
        else:
            nx, ny = self.stand.normal
            if not self.is_along(vx, vy):
                self.speed = vx * self.uy - vy * self.ux
            else:
                self.speed = vx * ny - vy * nx
            self.walk(self.stand.normal, self.stand.point, self.speed * self.dt)
            nx, ny = self.normal
            self.wanted = gx + self.speed * ny, gy - self.speed * nx

    def is_along(self, vx: float, vy: float) -> bool:
        """Whether a velocity is that of walking on the slope already."""
        nx, ny = self.stand.normal if self.stand is not None else (0.0, 0.0)
        return abs(vx * nx + vy * ny) <= 1e-9 * (abs(vx) + abs(vy))

    def is_jump(self, vx: float, vy: float) -> bool:
        return vx * self.ux + vy * self.uy > 0 and not self.is_along(vx, vy)

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
            if left < _STANDSTILL * self.unit:
                return
            done, hit = self.sweep(sign * left * ny, -sign * left * nx, one_way=True)
            left *= 1 - done
            if hit is None:
                return
            if not self.supports(hit):
                pushed = hit.body.kind == "dynamic"
                ahead = None if pushed else self.step_up(sign, left, level)
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
        found = _nearest(x, y, cuts, self.unit)
        if found is None:
            return 0.0, 0.0
        rise = x * self.ux + y * self.uy
        if found[0] * self.ux + found[1] * self.uy <= max(rise, 0.0) + _STANDSTILL * self.unit:
            return found
        # Take off what goes into the steep ones across, as walls do, and slide down by the rest.
        walls = list(cuts)
        for nx, ny, b in cuts:
            if 0 < nx * self.ux + ny * self.uy < self.mover._climb and b <= 0:
                side = 1.0 if nx * self.uy - ny * self.ux > 0 else -1.0
                walls.insert(0, (side * self.uy, -side * self.ux, 0.0))
        found = _nearest(x, y, walls[: len(walls) - len(cuts)], self.unit)
        if found is not None:
            found = _nearest(*found, walls, self.unit)
        return found if found is not None else (0.0, 0.0)

    # ------------------------------------------------------------------ the end

    def settle_down(self) -> tuple[tuple[float, float], npt.NDArray[Any]]:
        """Finds the ground and the right distance to everything.

        Returns the velocity and rows of what is around.
        """
        stand = self.snap() if self.walking else None
        planes, rows = self.push_out()
        velocity = self.velocity_after()
        self.stand = stand if stand is not None else self.find_ground(planes, velocity)
        if self.stand is not None and self.speed is None:
            velocity = self.landed(self.stand)
        if planes and min(plane.gap for plane in planes) < 0:
            for plane, _, keep in self.ranked(planes):
                self.squeezed = max(self.squeezed, min(keep, 0.0) - plane.gap)
        return velocity, rows

    def landed(self, stand: Stand) -> tuple[float, float]:
        """The velocity after a landing: what it had across the ground stays, along the ground."""
        ground = velocity_of(self.world.colliders[stand.collider], stand.point, stand.normal)
        x, y = self.wanted[0] - ground[0], self.wanted[1] - ground[1]
        self.ground_velocity, self.normal = ground, stand.normal
        self.speed = x * self.uy - y * self.ux
        return self.velocity_along()

    def push_out(self) -> tuple[list[_Plane], npt.NDArray[Any]]:
        """Regains the distance to everything; of planes that contradict, rigid ones win."""
        most = 0.5 * self.mover._capsule.radius
        planes, rows = self.look(2 * self.skin)
        for turn in range(_PUSHES):
            if not planes or min(plane.gap for plane in planes) >= self.skin * (1 - _SLIGHT):
                break
            ranked = self.ranked(planes)
            close = [plane for plane, _, keep in ranked if plane.gap < keep - _SLIGHT * self.skin]
            if not close:
                break
            if turn == 0:
                self.met += self.felt(close)
            dx, dy = self.way_out(ranked)
            length = sqrt(dx * dx + dy * dy)
            if length < _STANDSTILL * self.unit:
                break
            shorter = min(1.0, most / length)
            self.x, self.y = self.x + dx * shorter, self.y + dy * shorter
            planes, rows = self.look(2 * self.skin)
        return planes, rows

    def ranked(self, planes: list[_Plane]) -> list[tuple[_Plane, int, float]]:
        """Planes with the kind of their bodies and the distance to keep, rigid ones first.

        What lies or leans on it may come as near as contacts of bodies do, and does not shove it.
        """
        kinds = self.world.kinds
        result = []
        for plane in planes:
            kind = int(kinds[plane.body])
            soft = kind == 2 and not self.walkable(plane.nx, plane.ny)
            result.append((plane, kind, -self.skin if soft else self.skin))
        return sorted(result, key=lambda row: row[1])

    def felt(self, planes: list[_Plane]) -> list[_Hit]:
        """Those that take part in its velocity: in the air what it has come too near along the way,
        and always kinematic bodies that have come into it.
        """
        hits = []
        for plane in planes:
            collider = self.world.colliders[plane.collider]
            body = collider.body
            come = plane.gap < 0.5 * self.skin and body.kind == "kinematic"
            if come or self.speed is None:
                hits.append(_Hit(plane.nx, plane.ny, plane.point, collider, body))
        return hits

    def way_out(self, ranked: list[tuple[_Plane, int, float]]) -> tuple[float, float]:
        """The shortest way that keeps the distance to all planes, or as much as can be."""
        # What yields first is how much, then what is dynamic, then what is kinematic.
        for most, share in ((2, 1.0), (2, 0.5), (2, 0.25), (2, 0.125), (1, 0.125), (0, 0.125)):
            cuts = [
                (plane.nx, plane.ny, min(keep, share * self.skin) - plane.gap)
                for plane, kind, keep in ranked
                if kind <= most
            ]
            found = _nearest(0, 0, cuts, self.unit)
            if found is not None:
                return found
        return 0.0, 0.0

    def velocity_after(self) -> tuple[float, float]:
        """The velocity without what goes into what was met; world."""
        if not self.met:
            return self.wanted
        if self.speed is not None:
            return self.velocity_along()
        vx, vy = self.wanted
        return self.slide(vx, vy, [(hit.nx, hit.ny, self.yielding(hit)) for hit in self.met])

    def velocity_along(self) -> tuple[float, float]:
        """The same on the ground, where it is one number that is cut."""
        (gx, gy), (nx, ny), speed = self.ground_velocity, self.normal, self.speed or 0.0
        for hit in self.met:
            along = hit.nx * ny - hit.ny * nx
            least = self.yielding(hit) - hit.nx * gx - hit.ny * gy
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
                mass, inertia = body.mass, body.inertia
                give = 1 / mass if mass > 0 else 0.0
                if not body.fixed_rotation and inertia > 0:
                    give += arm * arm / inertia
                force = min(closing / (give * self.dt), most) if give > 0 else most
                result.append((body, (-force * hit.nx, -force * hit.ny), hit.point))
        stand = self.stand
        if stand is not None and self.mover._mass > 0:
            body = self.world.colliders[stand.collider].body
            if body.kind == "dynamic":
                gx, gy = (self.mover._mass * gravity for gravity in self.world.gravity.tolist())
                if not (isfinite(gx) and isfinite(gy)):
                    raise ValueError(f"mass: must have a finite weight, got {self.mover._mass}")
                if gx or gy:
                    result.append((body, (gx, gy), stand.point))
        return result

    def snap(self) -> Stand | None:
        """Down to the ground, if it is near."""
        x, y = self.x, self.y
        down = self.mover._snap + _SLIGHT * self.skin
        edge = None
        if not self.walkable(*self.normal):
            # Rolling over an edge: a cast straight down passes it by, within the skin.
            for plane in self.look(2 * self.skin)[0]:
                across = plane.nx * self.ux + plane.ny * self.uy
                if across > _WALL and plane.gap - self.skin < down * across:
                    edge, down = plane, max(plane.gap - self.skin, 0.0) / across
        hit = self.sweep(-self.ux * down, -self.uy * down, one_way=True)[1]
        if hit is None and edge is not None:
            collider = self.world.colliders[edge.collider]
            hit = _Hit(edge.nx, edge.ny, edge.surface, collider, collider.body)
        if hit is not None and self.supports(hit):
            return _stand_on(hit.collider, (hit.nx, hit.ny), hit.point)
        self.x, self.y = x, y
        return None

    def find_ground(self, planes: list[_Plane], velocity: tuple[float, float]) -> Stand | None:
        """What it touches that holds it: a slope, or two that it is stuck between."""
        held: list[_Plane] = []
        best: _Plane | None = None
        highest = 0.0
        for plane in planes:
            across = plane.nx * self.ux + plane.ny * self.uy
            if across < _ACCEPT or plane.gap > 1.5 * self.skin:
                continue
            collider = self.world.colliders[plane.collider]
            gx, gy = velocity_of(collider, plane.point, (plane.nx, plane.ny))
            if (velocity[0] - gx) * plane.nx + (velocity[1] - gy) * plane.ny > 1e-6 * self.unit:
                continue
            held.append(plane)
            if across > highest and self.walkable(plane.nx, plane.ny):
                best, highest = plane, across
        if best is not None:
            collider = self.world.colliders[best.collider]
            return _stand_on(collider, (best.nx, best.ny), best.surface)
        if len(held) > 1:
            rest = _nearest(-self.ux, -self.uy, [(plane.nx, plane.ny, 0.0) for plane in held], 1.0)
            if rest is not None and rest[0] * rest[0] + rest[1] * rest[1] < 1e-12:
                collider = self.world.colliders[held[0].collider]
                return _stand_on(collider, (self.ux, self.uy), held[0].surface)
        return None


def _stand_on(collider: Collider, normal: tuple[float, float], point: tuple[float, float]) -> Stand:
    body = collider.body
    x, y = body.position.tolist()
    return Stand(collider.index, collider.id, normal, point, (x, y, body.angle))


def collider_of(world: World, stand: Stand) -> Collider | None:
    """The collider that was stood on, if it is still there."""
    try:
        collider = world.colliders[stand.collider]
    except KeyError:
        return None
    there = collider.id == stand.collider_id and collider.body.enabled and not collider.sensor
    return collider if there else None


def velocity_of(
    collider: Collider, point: tuple[float, float], normal: tuple[float, float]
) -> tuple[float, float]:
    """Of the surface at a point, m/s, world."""
    body = collider.body
    x, y = (0.0, 0.0) if body.kind == "static" else body.velocity_at(point).tolist()
    slip = collider.tangent_speed
    return (x + slip * normal[1], y - slip * normal[0]) if slip else (x, y)
