"""Worlds of few bodies, the same on every machine, to draw."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import pyphys2d as p2


def axes(width=4.5, height=3.5):
    """Axes of a small figure that is drawn in memory and that pyplot does not know.

    Their place does not depend on the size of letters, which other versions of Matplotlib change.
    """
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure.add_axes((0.19, 0.16, 0.78, 0.76))


def landing(steps=9, **options):
    """A tower and a box at rest, a ball that hits the floor in step 9, a paddle that turns."""
    world = p2.World(gravity=(0, -10), **options)
    world.add_body(p2.Box(9, 1), (0, -0.5), kind="static", name="floor")
    world.add_bodies(p2.Box(1, 1), [(-2 + 0.1 * k, 0.5 + 1.01 * k) for k in range(3)])
    world.add_body(p2.Circle(0.5), (1.5, 1.0), velocity=(-2, -3), restitution=0.5)
    world.add_body(p2.Box(1, 0.8), (2.6, 0.4))
    world.add_body(p2.Box(1.6, 0.2), (3.2, 2), kind="kinematic", angular_velocity=2)
    world.step(n=steps)
    return world


def every_shape():
    """One body of each kind of shape, at rest in the air; two sleep, one is a sensor."""
    world = p2.World(gravity=(0, 0))
    ring = p2.Polygon(
        [(-0.6, -0.6), (0.6, -0.6), (0.6, 0.6), (-0.6, 0.6)],
        holes=[[(-0.3, -0.3), (-0.3, 0.3), (0.3, 0.3), (0.3, -0.3)]],
    )
    arrow = p2.Polygon([(-0.6, -0.5), (0.7, 0), (-0.6, 0.5), (-0.2, 0)])
    shapes = [
        p2.Circle(0.5, (0.1, 0)),
        p2.Box(1, 0.6),
        p2.RegularPolygon(7, 0.6),
        p2.Box(0.6, 0.4, radius=0.2),
        p2.Capsule((-0.4, 0), (0.4, 0), 0.25),
        ring,
        arrow,
        p2.Segment((-0.5, -0.3), (0.5, 0.3)),
    ]
    for k, shape in enumerate(shapes):
        world.add_body(shape, (2 * (k % 4), -2 * (k // 4)), 0.3 * k, awake=k % 5 > 0)
    world.add_body(p2.Circle(0.4), (8, -1), sensor=True)
    world.add_body(p2.Chain([(-1, -3), (2, -3.4), (5, -3), (9, -3.3)]), kind="static")
    world.add_body([p2.Circle(0.3, (-0.3, 0)), p2.Circle(0.3, (0.3, 0))], (8, 0), kind="kinematic")
    return world


def every_joint():
    """One joint of each kind, or more, where they were made."""
    world = p2.World(gravity=(0, 0))

    def box(x, y, width=1.2, height=0.3):
        return world.add_body(p2.Box(width, height), (x, y))

    def disk(x, y, radius=0.5):
        return world.add_body(p2.Circle(radius), (x, y), mask=0)

    world.add_revolute_joint(None, box(0.6, 0), anchor=(0, 0))
    world.add_revolute_joint(
        None, box(2.6, 0), anchor=(2, 0), lower=-0.5, upper=1, motor_speed=1, max_motor_torque=5
    )
    world.add_distance_joint(box(4.5, 0.8, 0.6), box(4.5, -0.6, 0.6))
    world.add_distance_joint(None, disk(6, -0.6, 0.2), anchor_a=(6, 1), lower=1, upper=2)
    world.add_distance_joint(None, disk(7.4, -0.6, 0.3), anchor_a=(7.4, 1), spring_hertz=1)
    world.add_prismatic_joint(
        None, box(0.5, -2, 0.5), anchor=(0.5, -2), axis=(2, 1), lower=-0.5, upper=1,
        motor_speed=1, max_motor_force=1,
    )  # fmt: skip
    hull = box(2.7, -1.9, 1.4)
    world.add_wheel_joint(
        hull, disk(2.7, -2.6, 0.35), anchor_a=(2.7, -2.2), anchor_b=(2.7, -2.6),
        spring_hertz=2, lower=-0.7, upper=0.2, motor_speed=-1, max_motor_torque=1,
    )  # fmt: skip
    world.add_weld_joint(box(4.2, -2, 0.8), box(5, -2, 0.8), anchor=(4.6, -2))
    world.add_motor_joint(None, box(6, -2.3, 0.6), offset=(6.4, -1.7))
    world.add_mouse_joint(box(7.4, -2.3, 0.6), anchor=(7.2, -2.3), target=(7.8, -1.6))
    world.add_filter_joint(box(0.2, -4, 0.6), box(1.2, -4.4, 0.6))
    world.add_pulley_joint(
        box(2, -4.6, 0.6), box(3.4, -4.3, 0.6), ground_a=(2, -3.3), ground_b=(3.4, -3.3)
    )
    world.add_ratchet_joint(None, disk(4.7, -4.2), tooth=0.5)
    pins = [world.add_revolute_joint(None, disk(x, -4.2, r)) for x, r in ((6, 0.4), (7.2, 0.8))]
    world.add_gear_joint(*pins, 2)
    rack = box(6.6, -5.4, 2)
    world.add_gear_joint(pins[1], world.add_prismatic_joint(None, rack), 1 / 0.8)
    return world


def boxes_of_a_tree():
    """A tree of eight boxes in two groups."""
    tree = p2.AABBTree()
    for k in range(8):
        x, y = 1.5 * (k % 4), 4 * (k // 4) + 0.7 * (k % 2)
        tree.insert((x, y), (x + 1, y + 1))
    return tree


def run(**options):
    """Half a second of `landing`."""
    return p2.Trajectory.record(landing(**options), 30)


def poses(frames=5, bodies=3):
    """Poses (frames, bodies, 3) on circles around each other; the last body comes late."""
    turn = np.linspace(0, 1.5, frames)[:, None] + 2 * np.pi * np.arange(bodies) / bodies
    result = np.stack([2 * np.cos(turn), 2 * np.sin(turn), turn], axis=-1)
    result[: frames // 2, -1] = np.nan
    return result
