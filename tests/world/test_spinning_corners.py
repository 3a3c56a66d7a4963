"""Corners of spinning boxes that meet a floor, held against the plastic or elastic corner."""

import numpy as np

import pyphys2d as p2

DT = 1 / 60


def rotation(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


class Fall:
    """A box that spins and moves freely until its first corner meets the floor."""

    def __init__(self, rng):
        half_x = rng.uniform(0.1, 0.8)
        self.half = np.array([half_x, half_x * rng.uniform(0.4, 1)])
        self.corners = self.half * [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        self.speed = rng.uniform(2, 20)
        self.spin = rng.uniform(-1, 1) * rng.choice([5, 15, 40])
        self.angle = rng.uniform(0, 2 * np.pi)
        self.restitution = float(rng.choice([0, 0.5, 1]))
        self.height = np.hypot(*self.half) + 0.3 + self.speed * DT * rng.random()
        self.time = self.meeting()

    def lowest(self, time):
        heights = (self.corners @ rotation(self.angle + self.spin * time).T)[:, 1]
        return heights.min() + self.height - self.speed * time

    def meeting(self):
        late = 0
        while self.lowest(late) > 0:
            late += 2e-4
        early = late - 2e-4
        for _ in range(50):
            middle = (early + late) / 2
            early, late = (middle, late) if self.lowest(middle) > 0 else (early, middle)
        return late

    def after(self):
        """The corner that meets, its speed of approach, and velocity and spin after the impact."""
        arms = self.corners @ rotation(self.angle + self.spin * self.time).T
        corner = arms[:, 1].argmin()
        mass = 4 * self.half.prod()
        inertia = mass * (self.half**2).sum() / 3
        lever = arms[corner, 0]
        approach = self.speed - self.spin * lever
        impulse = (1 + self.restitution) * approach / (1 / mass + lever**2 / inertia)
        return (
            corner,
            approach,
            -self.speed + impulse / mass,
            self.spin + impulse * lever / inertia,
        )

    def meets_alone(self, corner, velocity, spin, until):
        """Whether no other corner comes near the floor until then."""
        for time in np.linspace(0, until, 60)[1:]:
            turned = self.corners @ rotation(self.angle + self.spin * self.time + spin * time).T
            heights = turned[:, 1] + self.height - self.speed * self.time + velocity * time
            if np.delete(heights, corner).min() < 1e-3:
                return False
        return True


def test_a_corner_that_comes_down_by_its_spin_meets_the_floor():
    """Boxes and pairs looked ahead by the way of the centre alone: a corner that came down faster
    was first seen inside the floor: 28 of these left wrongly, and sank in by up to 17 cm.
    """
    rng = np.random.default_rng(5)
    off, deepest, count = [], [], 0
    while count < 300:
        fall = Fall(rng)
        corner, approach, velocity, spin = fall.after()
        steps = int(np.ceil(fall.time / DT))
        if not fall.meets_alone(corner, velocity, spin, steps * DT - fall.time + DT / 8):
            continue
        count += 1
        world = p2.World(gravity=(0, 0))
        world.add_body(p2.Box(60, 2), (0, -1), kind="static", friction=0)
        body = world.add_body(
            p2.Box(*2 * fall.half),
            (0, fall.height),
            fall.angle,
            velocity=(0, -fall.speed),
            angular_velocity=fall.spin,
            friction=0,
            restitution=fall.restitution,
        )
        errors = []
        world.step(DT, n=steps)
        deepest.append(min(body.to_world(tuple(c))[1] for c in fall.corners))
        for _ in range(2):  # one that meets as the step ends has its impact in the next
            turned = abs(body.angular_velocity - spin) * np.hypot(*fall.half)
            errors.append(max(abs(body.velocity[1] - velocity), turned) / approach)
            world.step(DT)
        off.append(min(errors))
    assert min(deepest) > -1e-3
    assert np.median(off) < 1e-4
    assert np.mean(np.array(off) > 0.01) < 0.02


def test_a_body_spins_about_its_centre_of_mass_whatever_is_beside_it():
    """A box on a long weightless arm: its corner comes down by the way of the arm. Boxes that are
    found four at a time looked ahead by their own size, unless another shape was among the four.
    """

    def swing(start, beside):
        world = p2.World(gravity=(0, 0))
        world.add_body(p2.Box(60, 2), (0, -1), kind="static", friction=0)
        body = world.add_body(
            p2.Box(0.2, 0.2),
            (-3 * np.cos(start), 2 - 3 * np.sin(start)),
            start,
            mass=1,
            inertia=2,
            center_of_mass=(3, 0),
            angular_velocity=12,
            friction=0,
            restitution=1,
        )
        world.add_body(beside, (900, 900))
        seen, deepest = [], 0
        for _ in range(12):
            world.step(DT)
            seen.append((*body.position, body.angle, body.angular_velocity))
            corners = [body.to_world((x, y))[1] for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
            deepest = min(deepest, *corners)
        assert deepest > -1e-3
        return np.array(seen)

    triangle = p2.Polygon([(0, 0), (1, 0), (0, 1)])
    for start in np.linspace(-0.3, 0.3, 30):
        np.testing.assert_array_equal(swing(start, p2.Box(1, 1)), swing(start, triangle))
