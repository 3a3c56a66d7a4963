"""Contacts ahead of time: what passes is not touched, what is hit goes as theory says, what lands
flat stays flat, and floors of pieces are floors.
"""

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import geometry

DT = 1 / 60
SHAPES = {
    "ball": lambda s: p2.Circle(s),
    "box": lambda s: p2.Box(2 * s, 0.8 * s),
    "capsule": lambda s: p2.Capsule((-s, 0), (s, 0), 0.3 * s),
    "triangle": lambda s: p2.Polygon([(-s, -0.5 * s), (s, -0.5 * s), (0, s)]),
    "hexagon": lambda s: p2.RegularPolygon(6, s),
    "decagon": lambda s: p2.RegularPolygon(10, s),
    "segment": lambda s: p2.Segment((-s, 0), (s, 0)),
    "chain": lambda s: p2.Chain([(-2 * s, 0), (-s, 0.1 * s), (0, 0), (s, 0)]),
}


def least_distance(a, b, motion_a, pose_b, start, end):
    """Over a time: sampled, and once more around the least of the samples."""
    for count in (801, 401):
        time = np.linspace(start, end, count)
        distance = geometry.distance(a, b, motion_a(time), pose_b)["distance"]
        least = time[distance.argmin()]
        step = time[1] - time[0]
        start, end = least - step, least + step
    return distance.min()


def side_with_gap(a, b, motion, pose_b, gap, end):
    """How far a's way has to be moved sideways for the two to pass with that gap."""
    low, high = 0.0, 8.0
    for _ in range(20):
        side = 0.5 * (low + high)
        if least_distance(a, b, lambda time, y=side: motion(time, y), pose_b, 0, end) < gap:
            low = side
        else:
            high = side
    return high


@pytest.mark.fast_cases(8)
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("spins", [False, True])
def test_what_passes_is_not_touched(name, spins):
    """Gaps of 2 to 45 mm at 1 to 100 m/s, in any phase; the struck one static or dynamic."""
    r = np.random.default_rng(list(SHAPES).index(name))
    for k in range(20):
        b = SHAPES[name](r.uniform(0.1, 1))
        a = list(SHAPES.values())[r.integers(7)](r.uniform(0.1, 1))
        dynamic = name not in ("segment", "chain") and k % 2 == 0
        speed = 10 ** r.uniform(0, 2)
        spin = r.uniform(-10, 10) * min(1, speed / 10) if spins else 0
        angle_a, angle_b = r.uniform(0, 6.28, 2)
        end = 4 * DT + 3 / speed
        start = -speed * (0.5 * end + r.uniform(0, DT))

        def motion(time, y, start=start, speed=speed, angle=angle_a, spin=spin):
            return np.column_stack([start + speed * time, y + 0 * time, angle + spin * time])

        gap = 10 ** r.uniform(np.log10(2.1e-3), np.log10(45e-3))
        y = side_with_gap(a, b, motion, (0, 0, angle_b), gap, end)
        world = p2.World(gravity=(0, 0), sleeping=False)
        kind = "dynamic" if dynamic else "static"
        other = world.add_body(b, (0, 0), angle_b, kind=kind)
        body = world.add_body(
            a, (start, y), angle_a, velocity=(speed, 0), angular_velocity=spin, bullet=k % 3 == 0
        )
        world.step(n=int(end / DT) + 1)
        np.testing.assert_allclose(body.velocity, (speed, 0), atol=1e-5 * speed, err_msg=f"{k}")
        assert body.angular_velocity == pytest.approx(spin, abs=1e-4)
        np.testing.assert_array_equal(other.velocity, (0, 0))


class Passes:
    """Pairs that pass each other, each a body a and a body b, which is static or not."""

    def __init__(self, r, count, gaps):
        kinds, sizes = list(SHAPES.values()), r.uniform(0.1, 0.6, (count, 2))
        names = r.integers(6, size=count), r.integers(len(kinds), size=count)
        self.a = [kinds[k](s) for k, s in zip(names[0], sizes[:, 0], strict=True)]
        self.b = [kinds[k](s) for k, s in zip(names[1], sizes[:, 1], strict=True)]
        self.static = (names[1] >= 6) | (r.random(count) < 0.5)
        self.speed = 10 ** r.uniform(0, 2, count)
        way = r.uniform(0, 2 * np.pi, count)
        forward = np.stack([np.cos(way), np.sin(way)], axis=-1)
        share = np.where(self.static, 0, r.random(count))
        self.velocity = np.stack([1 - share, -share], axis=0)[..., None] * forward
        self.velocity *= self.speed[:, None]
        self.spin = r.uniform(-20, 20, (2, count)) * [r.random(count) < 0.7, ~self.static]
        self.reach = 2.5 * sizes.sum(axis=1)
        self.end = 2 * (r.uniform(0.05, 0.3, count) + self.reach / self.speed)
        self.pose = np.zeros((2, count, 3))
        self.pose[..., 2] = r.uniform(0, 2 * np.pi, (2, count))
        self.pose[..., :2] = -0.5 * self.end[:, None] * self.velocity
        middle, aside = self.pose[0, :, :2].copy(), np.stack([-forward[:, 1], forward[:, 0]], -1)
        side, wanted = self.reach + 0.1, 10 ** r.uniform(*np.log10(gaps), count)
        for _ in range(10):  # distances change by no more than the side does
            self.pose[0, :, :2] = middle + side[:, None] * aside
            self.gap = self.least()
            side -= 0.98 * (self.gap - wanted)

    def least(self):
        """Distances where they are least: sampled, and twice more around the least sample."""
        half = self.reach / self.speed
        start, end = 0.5 * self.end - half, 0.5 * self.end + half
        for count in (2000, 40, 40):  # what spins comes near several times
            time = np.linspace(start, end, count, axis=-1)
            distance = np.empty_like(time)
            for i, (a, b) in enumerate(zip(self.a, self.b, strict=True)):
                rate = np.column_stack([self.velocity[:, i], self.spin[:, i]])
                poses = self.pose[:, i, None] + time[i][:, None] * rate[:, None]
                distance[i] = geometry.distance(a, b, *poses)["distance"]
            least = np.take_along_axis(time, distance.argmin(axis=1)[:, None], 1)[:, 0]
            step = time[:, 1] - time[:, 0]
            start, end = least - step, least + step
        return distance.min(axis=1)

    def changes(self):
        """Of velocities, relative to the speed against each other; rims count too."""
        world, bodies = p2.World((0, 0), sleeping=False), [[], []]
        for i in range(len(self.a)):
            for k, shape in enumerate((self.a[i], self.b[i])):
                fixed = k == 1 and self.static[i]
                body = world.add_body(
                    shape,
                    self.pose[k, i, :2] + (300 * (i % 16), 300 * (i // 16)),
                    self.pose[k, i, 2],
                    velocity=(0, 0) if fixed else self.velocity[k, i],
                    angular_velocity=0 if fixed else self.spin[k, i],
                    kind="static" if fixed else "dynamic",
                    restitution=0.5,
                )
                bodies[k].append(body.index)
        most = np.zeros(len(self.a))
        for step in range(int(self.end.max() / DT) + 1):
            world.step(DT)
            going = world.velocities[bodies] - self.velocity
            turning = (world.angular_velocities[bodies] - self.spin) * 0.3 * self.reach
            change = np.maximum(np.hypot(*np.moveaxis(going, -1, 0)), np.abs(turning)).max(axis=0)
            most = np.maximum(most, np.where(step * DT < self.end, change / self.speed, 0))
        return most


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize(("gaps", "most"), [((2.1e-3, 5e-2), 1e-4), ((5e-4, 2e-3), 0.0087)])
def test_what_passes_and_spins_is_not_touched(gaps, most):
    """All kinds and speeds; below 2 mm nobody is turned by more than half a degree."""
    passes = Passes(np.random.default_rng(15), 250, gaps)
    sound = (passes.gap >= 0.95 * gaps[0]) & (passes.gap <= 2 * gaps[1])
    assert sound.sum() > 240
    changes = passes.changes()[sound]
    assert changes.max() < most, np.flatnonzero(changes >= most)


@pytest.mark.parametrize(
    ("shape", "middle", "place", "angle", "velocity"),
    [
        (p2.Box(0.745, 0.685), (0, -0.0676), (0.4433, 0.2611), -1.8677, (-1.0207, -3.4241)),
        (p2.RegularPolygon(3, 0.2115), (0, 0.1044), (0.2138, 0.094), 3.50987, (-1.3736, -2.5843)),
        (p2.RegularPolygon(3, 0.2431), (0, -0.068), (0.2162, 0.2098), 1.6924, (-2.8808, -11.6395)),
    ],
)
def test_what_passes_the_end_of_a_chain_is_not_touched(shape, middle, place, angle, velocity):
    """It gets below the line there, a few millimetres beyond the end, with its centre above."""
    place, velocity = np.array([1, 0]) + place, np.array(velocity)
    chain = p2.Chain([(-1, 0), middle, (1, 0)])
    time = np.linspace(-4 * DT, 5 * DT, 2000)[:, None]
    poses = np.hstack([place + time * velocity, angle + 0 * time])
    distance = geometry.distance(shape, chain, poses)["distance"]
    assert 2e-3 < distance.min() < 1e-2
    for phase in np.linspace(0, 1, 8, endpoint=False):
        world = p2.World(gravity=(0, 0), sleeping=False)
        world.add_body(chain, (0, 0), kind="static")
        start = place - (3 + phase) * DT * velocity
        body = world.add_body(shape, start, angle, velocity=velocity)
        for _ in range(8):
            world.step(DT)
            assert body.velocity == pytest.approx(velocity, abs=1e-6)


@pytest.mark.parametrize("restitution", [0.0, 1.0])
@pytest.mark.parametrize("speed", [5.0, 10.0, 20.0, 50.0])
@pytest.mark.parametrize("b", [0.3, 0.6, 0.9, 0.95])
def test_glancing_hits_of_discs_are_those_of_theory(b, speed, restitution):
    """Offset b of two radii: the impulse is (1 + e) / 2 m v cos along the line of centres."""
    radius = 0.25
    for phase in np.linspace(0, 1, 7):
        world = p2.World(gravity=(0, 0), sleeping=False, restitution_threshold=0)
        striking, struck = (
            world.add_body(p2.Circle(radius), place, friction=0, restitution=restitution)
            for place in ((-3 - speed * DT * phase, 2 * radius * b), (0, 0))
        )
        striking.velocity = (speed, 0)
        world.step(n=int(6 / speed / DT) + 6)
        normal = np.array([np.sqrt(1 - b * b), -b])
        gained = (1 + restitution) / 2 * speed * normal[0] * normal
        np.testing.assert_allclose(struck.velocity, gained, atol=0.002 * speed)
        np.testing.assert_allclose(striking.velocity, (speed, 0) - gained, atol=0.002 * speed)


@pytest.mark.parametrize("friction", [0.0, 0.6])
@pytest.mark.parametrize("size", [(1, 1), (1, 0.4), (0.3, 2)])
def test_what_hits_a_wall_flat_stays_there(size, friction):
    for speed in (1, 5, 20, 100, 400):
        for phase in np.linspace(0, 1, 5):
            world = p2.World(gravity=(0, 0), sleeping=False)
            world.add_body(p2.Box(100, 1), (0, -0.5), kind="static", friction=friction)
            height = 0.5 * size[1] + 0.01 + speed * DT * (1 + phase)
            body = world.add_body(
                p2.Box(*size), (0, height), velocity=(0, -speed), friction=friction
            )
            world.step(n=10)
            assert np.hypot(*body.velocity) < 1e-3 * speed
            assert abs(body.angular_velocity) * max(size) < 1e-3 * speed


def test_columns_that_are_dropped_upright_stay_upright():
    for k in range(20):
        world = p2.World(gravity=(0, -10))
        world.add_body(p2.Box(100, 1), (0, -0.5), kind="static")
        body = world.add_body(p2.Box(0.4, 2.4), (0, 2.9 + 0.01 * k))
        world.step(n=240)
        assert abs(body.angle) < 1e-3


@pytest.mark.parametrize("restitution", [0.0, 0.8])
def test_balls_land_on_tiles_as_on_one_floor(restitution):
    """Tiles of 1 m, flush: what lies behind the first is no wall. One landing in each run; it may
    come a step earlier or later.
    """
    r = np.random.default_rng(5)
    for _ in range(40):
        vx, vy = 10 ** r.uniform(0.3, 1.5), -r.uniform(2, 8)
        x, y = r.uniform(-15, -14), 0.5 + r.uniform(0.02, 0.3)
        ends = []
        for tiles in (False, True):
            world = p2.World(gravity=(0, -10), sleeping=False)
            for k in range(-20, 20) if tiles else (0,):
                shape = p2.Box(1, 1) if tiles else p2.Box(400, 1)
                world.add_body(shape, (k + 0.5, -0.5), kind="static", restitution=restitution)
            body = world.add_body(
                p2.Circle(0.5), (x, y), velocity=(vx, vy), restitution=restitution
            )
            world.step(n=12)
            ends.append([*body.velocity, body.angular_velocity * 0.5])
        np.testing.assert_allclose(ends[1], ends[0], atol=0.01 * np.hypot(vx, vy) + 10 * DT)
