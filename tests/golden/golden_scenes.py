"""The scenes of `hashes.json`: world.hash() after a full run, the same on every machine.

Write the file anew, after a change that is meant to change the bits, with

    python tests/golden/golden_scenes.py

and say in the commit why they changed; with ``--check`` it is compared instead. Angles of turned
bodies are literals, never libm's sine or cosine.
"""

import itertools
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from scenes_for_tests import fast_crowd, ground, jointed, mixed, pyramid

import pyphys2d as p2
from pyphys2d import scenes
from pyphys2d.scenes import benchmark

Start = tuple[p2.World, int]  # a world, and the steps of 1/60 s that it is to make


def build_pyramid() -> Start:
    world, _ = pyramid(30)
    return world, 200


def build_mixed() -> Start:
    world = mixed()
    return world, 400


def build_mixed_tree() -> Start:
    world = mixed(broadphase="tree")
    return world, 400


def build_tutorial() -> Start:
    world = mixed(solver="sequential_impulses")
    return world, 200


def build_drum() -> Start:
    world = p2.World(gravity=(0, -10))
    drum = [
        p2.Box(1, 20, (10, 0)),
        p2.Box(1, 20, (-10, 0)),
        p2.Box(20, 1, (0, 10)),
        p2.Box(20, 1, (0, -10)),
    ]
    world.add_body(drum, kind="kinematic", angular_velocity=0.4363323129985824)
    grid = np.stack(np.meshgrid(np.arange(20), np.arange(20)), axis=-1).reshape(-1, 2)
    world.add_bodies(p2.Box(0.25, 0.25), grid * 0.4 - 4)
    return world, 300


def build_materials() -> Start:
    """Restitution, rolling resistance, conveyor, damping: the cold fields."""
    world = p2.World(gravity=(0, -10), substeps=4)
    ground(world, tangent_speed=1.5, rolling_resistance=0.05)
    rng = np.random.default_rng(3)
    for i, x in enumerate(rng.uniform(-20, 20, 150)):
        shape = [p2.Circle(0.4), p2.Box(0.6, 0.8), p2.Capsule((-0.3, 0), (0.3, 0), 0.25)][i % 3]
        world.add_body(
            shape,
            (x, 1 + 0.3 * i),
            0.1 * i,
            restitution=0.1 * (i % 8),
            rolling_resistance=0.02 * (i % 5),
            friction=0.1 * (i % 11),
            linear_damping=0.01 * (i % 4),
            angular_damping=0.02 * (i % 3),
            gravity_scale=1 + 0.1 * (i % 2),
            fixed_rotation=i % 17 == 0,
        )
    return world, 300


def build_heavy() -> Start:
    """Islands of several efforts, with materials, one of them struck from above."""
    world = p2.World(gravity=(0, -10), sleeping=False)
    ground(world, rolling_resistance=0.02)
    for column, ratio in enumerate([1, 10, 100, 1000, 10_000]):
        x = 4.0 * column - 10
        for i in range(6):
            world.add_body(p2.Box(1, 1), (x + 0.01 * i, 0.5 + i), friction=0.1 + 0.1 * i)
        world.add_body(
            p2.Box(1.2, 0.8), (x, 6.6 + 0.5 * column), density=ratio, restitution=0.1 * column
        )
    for i in range(12):
        world.add_body(p2.Circle(0.4), (15 + 0.5 * (i % 3), 0.5 + 0.7 * i), density=5.0**i)
    return world, 300


def build_crowd() -> Start:
    """Bodies in one place: more contacts at a body than there are colors."""
    world = p2.World(gravity=(0, -10), sleeping=False)
    ground(world)
    places = [(0.01 * (i % 12), 0.6 + 0.01 * (i // 12)) for i in range(120)]
    world.add_bodies(p2.Circle(0.5), places)
    world.add_bodies(p2.Box(0.5, 0.5), places, restitution=0.2, rolling_resistance=0.1)
    return world, 60


def build_forces() -> Start:
    """Every kind of field, explosions, and a hook."""
    world = p2.World(gravity=(0, -10))
    ground(world)
    world.add_fluid([(-20, 1), (0, 2), (20, 1.5)], 2, 0.5, quadratic_drag=0.1, flow=(0.5, 0))
    world.add_drag(linear=0.02, quadratic=0.01, clamped=0.05, angular=0.01)
    wind = world.add_wind((4, -1))
    world.add_point_gravity((3, 9), 60, softening=0.5, radius=12)
    world.add_point_gravity((-8, 5), -3, power=0, radius=5)
    star = p2.Polygon([(0, 0.7), (-0.2, 0.1), (-0.6, -0.5), (0, -0.2), (0.6, -0.5), (0.2, 0.1)])
    shapes = [
        p2.Circle(0.4),
        p2.Box(0.9, 0.3),
        p2.Capsule((-0.4, 0), (0.3, 0.1), 0.2),
        p2.Box(0.5, 0.4, radius=0.1),
        star,
        p2.Segment((-0.5, 0), (0.5, 0.2)),
    ]
    for i in range(90):
        place = (1.3 * (i % 15) - 9, 3 + 1.2 * (i // 15))
        world.add_body(shapes[i % 6], place, 0.3 * i, density=0.5 + 0.4 * (i % 7))

    def push(now: p2.World) -> None:
        now.torques[::4] += 0.25
        wind.velocity = (4 - 0.0625 * (now.step_count % 64), -1)
        if now.step_count % 50 == 25:
            now.explode((2, 1.5), 1.5, 3, 2)

    world.on_force = push
    return world, 200


def build_judged() -> Start:
    """Contacts that a hook switches off and gives other materials."""
    world = mixed()
    for collider in world.colliders:
        collider.pre_solve = collider.index % 3 != 1

    def judge(contacts: np.ndarray) -> None:
        kind = (contacts["collider_a"] + contacts["collider_b"]) % 7
        contacts["enabled"] = (kind != 0) | (contacts["approach"] < 0.5)
        contacts["friction"][kind == 1] = 0.05
        contacts["restitution"][kind == 2] = 0.5
        contacts["tangent_speed"][kind == 3] = 0.25

    world.on_pre_solve = judge
    return world, 200


def build_joints() -> Start:
    """Trees, loops, springs, motors, limits, a net, and joints that break."""
    world = jointed()
    body = {}
    for k in range(6):
        for i in range(6):
            kind = "static" if i == 0 and k in (2, 3) else "dynamic"
            body[k, i] = world.add_body(p2.Circle(0.4), (30 + k, 9 - i), kind=kind, mask=0)
            if i:
                world.add_revolute_joint(body[k, i - 1], body[k, i], anchor=(30 + k, 9.5 - i))
            if k:
                world.add_distance_joint(body[k - 1, i], body[k, i], break_force=400)
    return world, 300


def build_sensors() -> Start:
    """Sensors on bodies of every kind, swept, crossed and left; the visits are part of the hash."""
    world = p2.World(gravity=(0, -10))
    ground(world, 15)
    rng = np.random.default_rng(7)
    for i, (x, y) in enumerate(rng.uniform((-8, 0.5), (8, 12), (120, 2))):
        shape = [p2.Circle(0.3), p2.Box(0.6, 0.4), p2.RegularPolygon(6, 0.35)][i % 3]
        body = world.add_body(shape, (x, y), 0.3 * i, velocity=(40.0 * (i % 9 == 4), 0))
        if i % 6 == 0:
            body.attach(p2.Circle(1.5, (0.2, 0)), sensor=True, density=0, mask=1 + i % 4)
    world.add_body(p2.Box(0.02, 9, (0, 5)), kind="static", sensor=True)
    world.add_body(
        p2.Box(12, 0.05, (6, 0)), (0, 2), kind="kinematic", angular_velocity=3.0, sensor=True
    )
    return world, 200


def build_platformer() -> Start:
    """A character mover's way through its course, by the body that follows it."""
    scene = scenes.build("platformer")
    scene.run()
    return scene.world, 0


def build_fast() -> Start:
    """Continuous collision: times of impact, bullets, paddles."""
    world = fast_crowd(gravity=(0, -10))
    return world, 60


def build_ragdolls() -> Start:
    """Twenty-five equal trees with limits, springs and motors fall on their floors."""
    rain = benchmark.rain()
    world = benchmark.build_world(rain, substeps=4)
    benchmark.Arrivals(world, rain).step()
    return world, 240


def build_struck() -> Start:
    """Chains side by side in lanes of equal trees, each struck by heavy balls at its own time.

    Some need more inertia in a push where their neighbours need none.
    """
    world = p2.World(gravity=(0, -10), substeps=4)
    for k in range(12):
        last = world.add_body(p2.Box(0.2, 0.2), (8 * k, 8), kind="static")
        for link in range(10):
            body = world.add_body(p2.Box(0.38, 0.1), (8 * k + 0.2 + 0.4 * link, 8), density=0.5)
            world.add_revolute_joint(last, body, anchor=(8 * k + 0.4 * link, 8))
            last = body
        for ball in range(3):
            place = (8 * k + 1 + 0.9 * ball, 9 + 0.3 * k + 0.7 * ball)
            world.add_body(p2.Circle(0.3), place, density=60, velocity=(0, -12))
    return world, 120


def build_net() -> Start:
    """Pins that are solved color by color."""
    grid = benchmark.joint_grid(24)
    world = benchmark.build_world(grid, substeps=4)
    return world, 120


def build_cloth() -> Start:
    """Rods, ropes and springs that are solved color by color, and a chain that hangs on them."""
    world = p2.World(gravity=(0, -10), substeps=4)
    size = 14
    for part, options in enumerate([{}, {"spring_hertz": 4, "spring_damping_ratio": 0.3}]):
        body = {}
        for i, j in itertools.product(range(size), range(size)):
            kind = "static" if j == 0 and i % 4 == 0 else "dynamic"
            place = (10 * part + 0.5 * i, 20 - 0.5 * j)
            body[i, j] = world.add_body(p2.Circle(0.15), place, kind=kind)
        for i, j in body:
            for side in ((i + 1, j), (i, j + 1)):
                if side in body:
                    world.add_distance_joint(body[i, j], body[side], **options)
            if (i + 1, j + 1) in body:
                world.add_distance_joint(body[i, j], body[i + 1, j + 1], upper=0.75)
        last = body[5, size - 1]
        for k in range(6):
            link = world.add_body(p2.Box(0.1, 0.4), (10 * part + 2.5, 13.2 - 0.4 * k), mask=0)
            world.add_revolute_joint(last, link, anchor=(10 * part + 2.5, 13.4 - 0.4 * k))
            last = link
    return world, 200


def build_units() -> Start:
    """Cars and closed linkages four at a time, one of them hit; a lattice of welds that tears, soft
    and rigid, color by color.
    """
    world = p2.World(gravity=(0, -10), substeps=4)
    world.add_body(p2.Box(200, 1), (50, -0.5), kind="static")
    for k in range(7):
        x = 8 * k
        chassis = world.add_body(p2.Box(3, 0.6), (x, 1.2), density=1 + 0.3 * k)
        for side in (-1, 1):
            wheel = world.add_body(p2.Circle(0.4), (x + side, 0.8))
            options = {"spring_hertz": 4, "spring_damping_ratio": 0.7, "lower": -0.1, "upper": 0.2}
            motor = {"motor_speed": -5 - k, "max_motor_torque": 5}
            at = {"anchor": (x + side, 0.8), "axis": (0, 1)}
            world.add_wheel_joint(chassis, wheel, **at, **options, **motor)
        bars = [world.add_body(p2.Box(1, 0.2), (x + d, 6 + e), mask=2) for d, e in ((0, 0), (1, 1))]
        world.add_prismatic_joint(None, bars[0], anchor=(x, 6), axis=(1, 0), lower=-1, upper=1)
        world.add_weld_joint(*bars, anchor=(x + 0.5, 6.5), spring_hertz=3)
        world.add_revolute_joint(None, bars[1], anchor=(x + 1, 7), spring_hertz=2)
    world.add_body(p2.Circle(0.5), (24, 4), density=50, velocity=(0, -30))
    body = {}
    for i, j in itertools.product(range(9), range(6)):
        kind = "static" if j == 0 and i % 4 == 0 else "dynamic"
        body[i, j] = world.add_body(p2.Box(0.4, 0.4), (70 + 0.5 * i, 12 - 0.5 * j), kind=kind)
    for i, j in body:
        for n, side in enumerate(((i + 1, j), (i, j + 1))):
            if side in body:
                options = {"spring_hertz": 9.0 * ((i + j + n) % 3 == 0), "break_force": 400}
                world.add_weld_joint(body[i, j], body[side], **options)
    world.add_body(p2.Circle(0.4), (73, 18), density=20, velocity=(0, -25))
    return world, 120


def build_laden() -> Start:
    """Heavy bodies on light ones with joints: a truck, a platform on ropes, a hammock, a bridge."""
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static", friction=0.9)
    chassis = world.add_body(p2.Box(2, 0.5), (-20, 0.9), mass=300, velocity=(2, 0))
    for x in (-20.7, -19.3):
        wheel = world.add_body(p2.Circle(0.3), (x, 0.6), mass=1, friction=0.9)
        world.add_wheel_joint(chassis, wheel, spring_hertz=4, lower=-0.1, upper=0.1)
    plank = world.add_body(p2.Box(2, 0.2), (-10, 2), mass=1)
    for x in (-10.9, -9.1):
        world.add_distance_joint(None, plank, anchor_a=(x, 4), anchor_b=(x, 2.1), upper=1.9)
    world.add_body(p2.Box(0.5, 0.5), (-9.8, 2.6), mass=60)
    world.add_body(p2.Box(0.5, 0.5), (-9.9, 3.3), mass=20, restitution=0.4)
    last = None
    for k in range(9):
        x = 0.5 * k
        point = world.add_body(p2.Circle(0.1), (x, 3), mass=0.1)
        world.add_distance_joint(last, point, anchor_a=(x - 0.5, 3), anchor_b=(x, 3), upper=0.55)
        last = point
    world.add_distance_joint(None, last, anchor_a=(4.5, 3), anchor_b=(4, 3), upper=0.55)
    world.add_body(p2.Circle(0.5), (2.1, 4.5), mass=10, rolling_resistance=0.05)
    last = None
    for k in range(10):
        board = world.add_body(p2.Box(0.5, 0.1), (10.25 + 0.5 * k, 4), mass=1)
        world.add_revolute_joint(last, board, anchor=(10 + 0.5 * k, 4))
        last = board
    world.add_revolute_joint(None, last, anchor=(15, 4))
    world.add_body(p2.Box(0.6, 0.6), (12, 5.5), mass=40, angle=0.3)
    return world, 150


def build_wrapped() -> Start:
    """Every kind of lane kernel, pieces without one, a field and moving ground across the seams."""
    world = p2.World(gravity=(0.5, -2), wrap=(22, 18))
    world.add_point_gravity((1, 17), 30, softening=0.5, radius=9)
    world.add_body(p2.Box(7, 1), (21, 0.25), kind="static")
    world.add_body(
        [p2.Box(6, 0.5), p2.Box(0.5, 6)], (0.5, 9), kind="kinematic", angular_velocity=0.5
    )
    shapes = [
        p2.Circle(0.4),
        p2.Box(0.9, 0.5),
        p2.Box(0.5, 0.4, radius=0.1),
        p2.Capsule((-0.4, 0), (0.3, 0.1), 0.2),
        p2.Polygon([(-0.5, -0.4), (0.5, -0.4), (0, 0.6)]),
        p2.Polygon([(-0.5, -0.4), (0.5, -0.4), (0.6, 0.2), (0.1, 0.6), (-0.4, 0.3)]),
        p2.Polygon([(-0.6, -0.5), (0.6, -0.5), (0.6, 0.5), (0, 0), (-0.6, 0.5)]),
        p2.RegularPolygon(12, 0.5),
    ]
    for i in range(130):
        world.add_body(
            shapes[i % 8],
            (1.65 * (i % 13) - 9, 1.65 * (i // 13) + 0.4),
            0.3 * i,
            velocity=((i % 5) - 2, (i % 7) - 3),
            restitution=0.1 * (i % 4),
        )
    links = [world.add_body(p2.Box(1, 0.2), (17.5 + i, 12), mask=0) for i in range(9)]
    for i, (a, b) in enumerate(itertools.pairwise(links)):
        world.add_revolute_joint(a, b, anchor=(18 + i, 12))
    world.add_mouse_joint(links[4], target=(0.5, 13), max_force=200)
    world.add_distance_joint(links[0], links[8], lower=2, upper=8)
    links[2].attach(p2.Circle(1.2), sensor=True, density=0)
    return world, 300


def build_fast_wrapped() -> Start:
    """Times of impact across seams; springs that share bodies; a hook that sees who is fast."""
    world = p2.World(gravity=(0, -10), wrap=(30, 24))
    shapes = [p2.Circle(0.3), p2.Box(0.7, 0.5), p2.Capsule((-0.6, 0), (0.6, 0), 0.05)]
    for i in range(6):
        world.add_body(p2.Box(0.05, 6), (5 * i, 4 * i), i, kind="static", pre_solve=i == 2)
    world.add_body(p2.Box(0.1, 8), (29, 5), kind="kinematic", angular_velocity=25)
    for i in range(45):
        world.add_body(
            shapes[i % 3],
            (7 * i % 30, 11 * i % 24),
            0.5 * i,
            velocity=(97 * i % 400 - 200, 61 * i % 400 - 200),
            angular_velocity=i - 20,
            bullet=i % 5 == 0,
            restitution=0.1 * (i % 4),
        )
    load = world.add_body(p2.Box(2, 1), (15, 12), mass=3)
    for x, hertz in ((-1, 4), (1, 5), (0, 30)):
        world.add_distance_joint(
            None, load, anchor_a=(15 + x, 14), anchor_b=(15 + x, 12.5), spring_hertz=hertz
        )
    world.on_pre_solve = lambda rows: rows["enabled"].__setitem__(rows["approach"] > 100, False)
    return world, 120


SCENES: dict[str, Callable[[], Start]] = {
    "pyramid": build_pyramid,
    "mixed": build_mixed,
    "mixed_tree": build_mixed_tree,
    "tutorial": build_tutorial,
    "drum": build_drum,
    "fast": build_fast,
    "fast_wrapped": build_fast_wrapped,
    "materials": build_materials,
    "heavy": build_heavy,
    "crowd": build_crowd,
    "forces": build_forces,
    "judged": build_judged,
    "joints": build_joints,
    "sensors": build_sensors,
    "platformer": build_platformer,
    "ragdolls": build_ragdolls,
    "struck": build_struck,
    "net": build_net,
    "cloth": build_cloth,
    "units": build_units,
    "laden": build_laden,
    "wrapped": build_wrapped,
}


def hash_text(world: p2.World) -> str:
    """The hash of a world as hexadecimal text."""
    return f"{world.hash() & (2**64 - 1):016x}"


def run(name: str) -> p2.World:
    """The world of a scene after its steps."""
    world, steps = SCENES[name]()
    world.step(1 / 60, n=steps)
    if name == "sensors":
        assert world.counters["visits"] > 20
    return world


def hashes(names: Sequence[str] | None = None) -> dict[str, str]:
    """Hashes by scene, as hexadecimal text."""
    return {name: hash_text(run(name)) for name in names or SCENES}


if __name__ == "__main__":
    file, found = Path(__file__).with_name("hashes.json"), hashes()
    if "--check" in sys.argv[1:]:
        expected = json.loads(file.read_text())
        other = sorted(name for name in expected if found.get(name) != expected[name])
        print(f"{len(expected)} golden hashes, {len(other)} differ", *other)
        sys.exit(bool(other))
    file.write_text(json.dumps(found, indent=2) + "\n")
