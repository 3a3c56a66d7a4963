"""Worlds as values: a restored, copied or pickled world has the future of the one it came from."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from failing import fail_every_allocation

import pyphys2d as p2
from pyphys2d import scenes
from pyphys2d.scenes import benchmark

EVENTS = ("contact_begin", "contact_end", "contact_hit", "sensor_begin", "sensor_end")
EVENTS += ("sleep", "wake", "body_move", "joint_break")


def assert_same_future(a, b, steps, dt=1 / 60):
    assert a.hash() == b.hash()
    for k in range(steps):
        a.step(dt)
        b.step(dt)
        assert a.hash() == b.hash(), k
        for name in EVENTS:
            np.testing.assert_array_equal(getattr(a.events, name), getattr(b.events, name), name)
    np.testing.assert_array_equal(a.contacts, b.contacts)
    assert a.joint_state.tobytes() == b.joint_state.tobytes()  # NaN for what a kind has not


def moments(name, count, seed):
    """A scene at some moments: with its script at first, and then left alone."""
    scene, random = scenes.build(name), np.random.default_rng(seed)
    if scene.before_step is not None:
        scene.run(int(random.integers(1, 150)))
    for _ in range(count):
        scene.world.step(scene.dt, n=int(random.integers(0, 70)))
        yield scene


@pytest.mark.slow
@pytest.mark.parametrize("name", scenes.SCENES)
def test_scenes_of_the_library_go_on_as_they_were(name):
    seed = len(name)
    for scene in moments(name, 3, seed):
        data = scene.world.snapshot()
        twin = p2.World.from_snapshot(data)
        assert twin.snapshot() == data
        assert_same_future(copy.copy(scene.world), twin, 60, scene.dt)


@pytest.mark.parametrize("name", ["tumbler", "compounds", "jointed_tumbler", "rain"])
def test_benchmark_scenes_go_on_as_they_were(name):
    description = benchmark.DESCRIPTIONS[name]()
    world = benchmark.build_world(description)
    benchmark.run(world, description, 25)
    twin = p2.World.from_snapshot(world.snapshot())
    assert_same_future(copy.copy(world), twin, 8)


def everything():
    """A world with something of each sort, some of it removed again."""
    world = p2.World(substeps=6, max_bodies=500, hit_event_threshold=0.5)
    world.add_body(p2.Chain([(-20, 4), (-10, 0), (10, 0), (20, 4)]), kind="static", name="ground")
    ring = [(0, 0), (2, 0), (2, 2), (1, 0.7), (0, 2)]
    hole = [(-0.2, -0.2), (0.2, -0.2), (0, 0.2)]
    shapes = [
        p2.Circle(0.4, (0.1, 0)),
        p2.Box(1, 0.6, radius=0.1),
        p2.Capsule((-0.5, 0), (0.5, 0), 0.2),
        p2.Polygon(ring, recenter=True),
        p2.Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)], holes=[hole]),
    ]
    for k in range(20):
        world.add_body(
            shapes[k % 5],
            (-8 + 0.8 * k, 2 + 0.5 * (k % 3)),
            0.3 * k,
            friction=0.1 * (k % 7),
            restitution=0.1 * (k % 5),
            bullet=k == 3,
            linear_damping=0.01 * (k % 2),
            name=f"body {k}" if k % 2 else None,
            user_data={"k": k} if k % 3 == 0 else None,
        )
    bodies = list(world.bodies)
    world.add_revolute_joint(bodies[2], bodies[3], lower=-1, upper=1, motor_speed=1)
    world.add_distance_joint(bodies[4], bodies[5], spring_hertz=3)
    world.add_weld_joint(bodies[6], bodies[7], spring_hertz=5)
    slide_a = world.add_prismatic_joint(None, bodies[8], axis=(1, 0), lower=-2, upper=2)
    slide_b = world.add_revolute_joint(None, bodies[9])
    world.add_gear_joint(slide_a, slide_b, ratio=2)
    world.add_mouse_joint(bodies[10], target=(0, 6))
    world.add_pulley_joint(bodies[11], bodies[12], ground_a=(-1, 9), ground_b=(1, 9))
    world.add_filter_joint(bodies[13], bodies[14])
    world.add_fluid(0.3, density=800)
    wind = world.add_wind((1, 0.2))
    world.add_point_gravity((0, 5), strength=3)
    world.add_drag(linear=0.05)
    bodies[1].attach(p2.Circle(2), sensor=True)
    lift = world.add_body(p2.Box(3, 0.2), (12, 3), kind="kinematic")
    lift.move_to((12, 4), 0.2, 1.0)
    world.step(n=20)
    world.remove(bodies[15])
    world.remove(wind)
    bodies[16].enabled = False
    world.remove(bodies[17].colliders[0])
    world.step(n=3)
    return world


def test_everything_goes_on_as_it_was():
    world = everything()
    twin = p2.World.from_snapshot(world.snapshot())
    assert [body.name for body in twin.bodies] == [body.name for body in world.bodies]
    assert [b.user_data for b in twin.bodies] == [b.user_data for b in world.bodies]
    assert world.diff(twin) == []
    assert_same_future(world, twin, 200)


def test_what_was_not_yet_stepped_is_kept():
    world = everything()
    world.step(n=200)  # some sleep
    body = next(b for b in world.bodies if b.name == "body 1")
    body.position = (0, 8)
    world.remove(next(b for b in world.bodies if b.name == "body 3"))
    world.velocities[4] = (3, 2)
    world.forces[5] = (10, 0)
    world.add_body(p2.Box(1, 1), (0, 10))
    twin = p2.World.from_snapshot(world.snapshot())
    assert_same_future(world, twin, 60)


def test_numbers_of_what_comes_next_are_the_same():
    world = everything()
    twin = p2.World.from_snapshot(world.snapshot())
    for w in (world, twin):
        w.remove(next(b for b in w.bodies if b.name == "body 5"))
        for k in range(6):
            w.add_body(
                [p2.Box(1, 1), p2.Polygon([(0, 0), (2, 0), (2, 2), (1, 0.7), (0, 2)])], (k, 9)
            )
    assert [b.index for b in world.bodies] == [b.index for b in twin.bodies]
    assert_same_future(world, twin, 40)


@pytest.mark.parametrize("solver", ["sequential_impulses"])
def test_other_solvers(solver):
    world = p2.World(solver=solver, iterations=12, broadphase="tree", workers=2)
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(1, 1), [(0.3 * (k % 2), 0.5 + 1.01 * k) for k in range(8)])
    world.step(n=40)
    assert_same_future(world, p2.World.from_snapshot(world.snapshot()), 60)


def test_joints_of_the_readable_solver():
    world = p2.World(solver="sequential_impulses", iterations=12)
    before = None
    for k in range(5):
        link = world.add_body(p2.Box(1, 0.2), (k + 0.5, 0))
        world.add_revolute_joint(before, link, anchor=(k, 0))
        before = link
    world.add_distance_joint(before, world.add_body(p2.Circle(0.3), (6, 1)))
    world.step(n=40)
    assert_same_future(world, p2.World.from_snapshot(world.snapshot()), 60)


def test_floors_of_several_pieces():
    world = p2.World()
    world.add_bodies(p2.Box(1, 1), [(k, -0.5) for k in range(9)], kind="static")
    world.add_bodies(p2.Box(0.7, 0.5), [(2 + k, 1.5) for k in range(4)], angles=0.4)
    for _ in range(6):
        world.step(n=9)
        assert_same_future(world.fork(1)[0], p2.World.from_snapshot(world.snapshot()), 20)


def test_wrapped_worlds():
    world = p2.World(gravity=(1, 0), wrap=(10, 8))
    world.add_bodies(p2.Box(1, 0.7), [(1.3 * k, 0.9 * k) for k in range(7)], velocity=(2, 1))
    world.step(n=50)
    assert_same_future(world, p2.World.from_snapshot(world.snapshot()), 60)


# ------------------------------------------------------------------------------------------ restore
def test_restore_takes_all_back():
    world = everything()
    start, hash = world.snapshot(), world.hash()
    positions = world.positions
    world.step(n=100)
    later = world.hash()
    world.restore(start)
    assert world.hash() == hash
    world.step(n=100)
    assert world.hash() == later
    assert world.positions is not None
    assert np.shares_memory(positions, world.positions)


def test_restored_again_and_again():
    """What a world was before leaves nothing in the room that the next restore uses."""
    states = [everything().snapshot()]
    world = everything()
    world.step(n=60)
    for body in list(world.bodies)[::2]:  # slots and proxies with gaps
        world.remove(body)
    states.append(world.snapshot())
    states.append(p2.World().snapshot())
    world = p2.World()
    for k in range(12):
        world.restore(states[k * k % 3])
        world.add_bodies(p2.Box(0.5, 0.5), [(30 + i, 30 + k) for i in range(5 * k + 1)])
        world.step(n=k)
        world.restore(states[k % 3])
        twin = p2.World.from_snapshot(states[k % 3])
        assert not twin.diff(world)
        for each in (twin, world):
            each.add_body(p2.Box(1, 1), (0, 20), velocity=(0, -30))  # of another id
        for _ in range(20):
            twin.step()
            world.step()
            assert twin.hash() == world.hash()


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("times", [0, 1, 2])
def test_memory_that_fails_in_a_restore(times, anew):
    start = everything().snapshot()
    world = everything()
    for _ in range(times):  # with no room yet, with that of a world that stepped, with its own
        world.restore(start)
    world.step(n=20)
    if anew:
        world.remove(world.bodies[3])
    failures = fail_every_allocation(world, lambda: world.restore(start))
    assert failures > (10 if anew else 5)
    assert_same_future(world, p2.World.from_snapshot(start), 20)


def test_handles_by_id():
    world = p2.World()
    kept, gone = world.add_body(p2.Circle(1)), world.add_body(p2.Circle(1), (3, 0))
    world.remove(gone)
    start = world.snapshot()
    made = world.add_body(p2.Circle(1), (6, 0))
    kept.position = (0, 5)
    world.restore(start)
    assert kept.position == pytest.approx((0, 0))
    for body in (gone, made):
        with pytest.raises(p2.RemovedError):
            body.position  # noqa: B018
    again = world.add_body(p2.Circle(1), (6, 0))
    assert again.index == made.index
    assert again != made  # an id is never given out twice
    with pytest.raises(p2.RemovedError):
        made.position  # noqa: B018


def test_ids_of_later_objects_are_new_after_a_restore():
    """No handle of what was made after the snapshot refers to what is made in its place."""
    world = p2.World()
    box = world.add_body(p2.Box(2, 2), (0, 0))
    state = world.snapshot()
    old = []
    for _ in range(9):  # in one place after the other, each time with a higher generation
        body = world.add_body(p2.Circle(1), (9, 9))
        old += [body, body.colliders[0], world.add_distance_joint(box, body)]
        world.remove(body)
    world.restore(state)
    parts = world.slice(box, (-5, 0), (5, 0.1))
    assert [part.alive for part in parts] == [True, True]
    assert [part.index for part in world.bodies] == [part.index for part in parts]
    new = [world.add_body(p2.Circle(1), (9, 9)) for _ in range(9)]
    assert all(body.alive for body in new)
    assert not any(thing.alive for thing in [*old, box])


def test_old_views_see_the_restored_world():
    world = p2.World()
    world.add_body(p2.Circle(1))
    start = world.snapshot()
    world.add_body(p2.Circle(1), (3, 0))
    views = world.positions, world.alive
    world.restore(start)
    assert np.isnan(views[0][1]).all()
    assert views[1].tolist() == [1, 0]
    views[0][0] = (4, 4)
    world.step()
    assert world.bodies[0].position == pytest.approx((4, 4), abs=0.01)


def test_a_recording_sees_bodies_that_a_restore_brings():
    """Another body in the same slot is another column."""
    world = p2.World()
    old = world.add_body(p2.Circle(0.5), (0, 5), name="old")
    data = world.snapshot()
    world.remove(old)
    world.add_body(p2.Circle(0.5), (3, 5), name="new")
    with world.record() as trajectory:
        world.step()
        world.restore(data)
        world.step()
    assert trajectory.body_names == ["new", "old"]
    lives = np.isfinite(trajectory.angles)
    assert lives[:2].tolist() == [[True, False]] * 2
    assert lives[-1].tolist() == [False, True]
    assert trajectory.positions[-1, 1, 0] == 0


def test_a_world_with_less_room_refuses():
    big = p2.World()
    big.add_bodies(p2.Circle(0.1), np.zeros((20, 2)))
    small = p2.World(max_bodies=10)
    body = small.add_body(p2.Circle(1))
    with pytest.raises(p2.CapacityError, match=r"20 slots.*max_bodies = 10"):
        small.restore(big.snapshot())
    assert body.position == pytest.approx((0, 0))


def test_hooks_and_workers_stay():
    world = p2.World(workers=2)
    world.add_body(p2.Circle(1))
    called = []
    world.on_force = lambda w: called.append(1)
    world.restore(p2.World.from_snapshot(world.snapshot()).snapshot())
    world.step()
    assert (called, world.workers) == ([1], 2)
    copied = copy.copy(world)
    assert copied.on_force is None


def test_not_from_inside_a_step():
    world = p2.World()
    world.add_body(p2.Circle(1))
    start = world.snapshot()

    def hook(w):
        w.restore(start)

    world.on_force = hook
    with pytest.raises(p2.WorldLockedError):
        world.step()
    assert world.step_count == 0


def test_numbers_that_a_step_refuses():
    world = p2.World()
    world.add_body(p2.Circle(1))
    world.positions[0] = np.nan
    with pytest.raises(ValueError, match="positions"):
        world.snapshot()


# ------------------------------------------------------------------------------- user data, pickles
def test_user_data_may_refer_to_the_world():
    world = p2.World()
    ball = world.add_body(p2.Circle(1))
    box = world.add_body(p2.Box(1, 1), (3, 0))
    joint = world.add_distance_joint(ball, box)
    ball.user_data = [world, box, joint, ball.colliders[0]]
    for twin in (
        p2.World.from_snapshot(world.snapshot()),
        pickle.loads(pickle.dumps(world)),
        copy.deepcopy(world),
    ):
        data = twin.bodies[0].user_data
        assert data[0] is twin
        assert data[1:] == [twin.bodies[1], twin.joints[0], twin.colliders[0]]
    world.restore(world.snapshot())
    assert ball.user_data == [world, box, joint, ball.colliders[0]]


def test_what_cannot_be_pickled_names_its_body():
    world = p2.World()
    world.add_body(p2.Circle(1), user_data=3)
    world.add_body(p2.Circle(1), name="door", user_data=lambda: 1)
    with pytest.raises(TypeError, match="door"):
        world.snapshot()
    twin = p2.World.from_snapshot(world.snapshot(user_data=False))
    assert [b.user_data for b in twin.bodies] == [None, None]


@pytest.mark.parametrize("way", [p2.World.snapshot, pickle.dumps])
def test_worlds_that_refer_to_each_other_are_refused_at_once(way):
    one, two = p2.World(), p2.World()
    body = one.add_body(p2.Circle(1), user_data=two)
    two.add_body(p2.Circle(1), user_data=[body])
    with pytest.raises(TypeError, match=r"user_data of .* refer to each other"):
        way(one)
    assert copy.deepcopy(one).bodies[0].user_data is not two
    assert len(one.snapshot(user_data=False)) > 100


def test_what_cannot_be_pickled_deep_inside_is_found_in_one_pass():
    """Each world holds the next; trying again at each level would take 2 to the 40th passes."""
    inner = p2.World()
    inner.add_body(p2.Circle(1), user_data=lambda: None)
    for _ in range(40):
        outer = p2.World()
        outer.add_body(p2.Circle(1), user_data=1)
        outer.add_body(p2.Circle(1), name="holder", user_data=inner)
        inner = outer
    with pytest.raises(TypeError, match=r"user_data of .*'holder'.* cannot be pickled"):
        inner.snapshot()


def test_user_data_of_others_is_left_out_when_told():
    world = p2.World()
    world.add_body(p2.Circle(1), user_data="x")
    data = world.snapshot()
    assert p2.World.from_snapshot(data, user_data=False).bodies[0].user_data is None
    world.restore(data, user_data=False)
    assert world.bodies[0].user_data is None


class Stamped(p2.World):
    label = None


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol):
    world = Stamped()
    world.label = "mine"
    ball = world.add_body(p2.Circle(1), (0, 3), name="ball", velocity=(1, 2))
    hinge = world.add_revolute_joint(None, ball, anchor=(1, 3))
    wind = world.add_wind((1, 0))
    world.step(n=7)
    again = pickle.loads(
        pickle.dumps([world, ball, ball.colliders[0], hinge, wind], protocol=protocol)
    )
    twin, body, collider, joint, field = again
    assert type(twin) is Stamped
    assert twin.label == "mine"
    assert (body.world, body.name, body.id) == (twin, "ball", ball.id)
    assert (collider.world, collider.body) == (twin, body)
    assert (type(joint), joint.body_b) == (p2.RevoluteJoint, body)
    assert field.world is twin
    assert_same_future(world, twin, 20)


def test_buffers_out_of_band():
    world = everything()
    buffers = []
    data = pickle.dumps(world, protocol=5, buffer_callback=buffers.append)
    assert len(data) < 500
    assert pickle.loads(data, buffers=buffers).hash() == world.hash()


def test_removed_handles_do_not_pickle_into_others():
    world = p2.World()
    ball = world.add_body(p2.Circle(1))
    world.remove(ball)
    world.add_body(p2.Circle(1))
    twin = pickle.loads(pickle.dumps(ball))
    twin.world.step()
    with pytest.raises(p2.RemovedError):
        twin.position  # noqa: B018


def test_forks_are_apart():
    world = everything()
    one, two = world.fork(2)
    assert one.colliders[2].shape == world.colliders[2].shape
    one.step(n=5)
    assert two.hash() == world.hash() != one.hash()
    assert world.fork(0) == []
    with pytest.raises(ValueError, match="n: must be >= 0"):
        world.fork(-1)
    with pytest.raises(TypeError, match=r"^n: must be an integer, got float$"):
        world.fork(2.0)


def test_another_process_and_width_and_workers():
    world = everything()
    program = (
        "import sys, pyphys2d as p2\n"
        "world = p2.World.from_snapshot(sys.stdin.buffer.read())\n"
        "world.step(n=60)\n"
        "print(world.hash())\n"
    )
    data = world.snapshot(user_data=False)
    world.step(n=60)
    for width in ("scalar", p2.simd.name):
        found = subprocess.run(
            [sys.executable, "-c", program],
            input=data,
            capture_output=True,
            check=True,
            env={**os.environ, "PYPHYS2D_SIMD": width},
        )
        assert int(found.stdout) == world.hash()


# ------------------------------------------------------------------------------------------- damage
def test_damage_is_refused_and_changes_nothing():
    world = everything()
    data, hash = world.snapshot(), world.hash()
    random = np.random.default_rng(2)
    wrong = [b"", b"x", data[:40], data[:-1], data + b"\0", bytes(len(data))]
    for _ in range(60):
        changed = bytearray(data)
        changed[int(random.integers(len(data)))] ^= 1 << int(random.integers(8))
        wrong.append(bytes(changed))
    for each in wrong:
        with pytest.raises(p2.SnapshotError):
            world.restore(each)
        with pytest.raises(p2.SnapshotError):
            p2.World.from_snapshot(each)
        assert world.hash() == hash
    with pytest.raises(TypeError):
        world.restore("text")


def test_the_first_version_is_read_for_ever():
    """A file of version 1: what it says, not what steps make of it, which may change."""
    path = os.path.join(os.path.dirname(__file__), "snapshot-1.bin")
    with open(path, "rb") as file:
        world = p2.World.from_snapshot(file.read())
    assert (len(world.bodies), len(world.joints), len(world.fields)) == (21, 9, 3)
    assert world.bodies[2].name == "body 1"
    assert world.bodies[1].user_data == {"k": 0}
    assert world.time == pytest.approx(23 / 60)
    assert len(world.contacts) > 5
    world.step(n=10)


DIFFERENCES = {
    "shape": {},
    "density": {"density": 3.0},
    "mass": {"mass": 7.0},
    "inertia": {"inertia": 2.0},
    "centre of mass": {"center_of_mass": (0.2, 0.1)},
    "fixed rotation": {"fixed_rotation": True},
    "awake for ever": {"can_sleep": False},
    "meets nothing": {"mask": 0},
    "sensor": {},
    "kind": {"kind": "kinematic"},
    "static": {"kind": "static", "velocity": (0, 0)},
    "friction": {"friction": 0.1},
    "category": {"category": 2},
    "group": {"group": 3},
    "bullet": {"bullet": True},
    "gravity scale": {"gravity_scale": 0.5},
    "damping": {"linear_damping": 0.5},
    "angular damping": {"angular_damping": 0.5},
    "threshold of sleep": {"sleep_threshold": 0.3},
    "asleep": {"awake": False},
    "disabled": {"enabled": False},
    "lock": {},
    "target": {"kind": "kinematic"},
    "two shapes": {},
}


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("what", DIFFERENCES)
def test_a_body_is_not_taken_for_the_one_before(what, first):
    """What follows from shapes and masses is copied from the body before, if it is the same."""
    world = p2.World()
    world.add_body(p2.Box(60, 0.1), (0, -0.05), kind="static")
    box, other = p2.Box(1, 1), p2.Box(0.6, 1.4)
    for k in range(4):  # the last ones are so fast that they have to be stopped at the floor
        odd = (k % 2 == 1) != first
        shape = other if odd and what == "shape" else box
        velocity = (0, -9) if k < 2 else (1, -350)
        body = world.add_body(
            [shape, shape] if odd and what == "two shapes" else shape,
            (3.0 * k, 0.75 if k < 2 else 12),
            **{"velocity": velocity, **(DIFFERENCES[what] if odd else {})},
        )
        if odd and what == "sensor":
            body.colliders[0].sensor = True
        if odd and what == "lock":
            body.lock_x = True
        if odd and what == "target":
            body.move_to((3.0 * k, 2), 0.3, 1 / 60)
    twin = p2.World.from_snapshot(world.snapshot())
    assert not world.diff(twin)
    assert twin.snapshot() == world.snapshot()
    for _ in range(90):
        world.step()
        twin.step()
        assert world.hash() == twin.hash()


CONCAVE = p2.Polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)])
ALIKE = {  # of what 200 bodies are made: shapes, and the numbers of those that are removed
    "boxes": (p2.Box(0.5, 0.5), []),
    "discs": (p2.Circle(0.3), []),
    "polygons": (p2.RegularPolygon(5, 0.4), []),
    "of several pieces": (CONCAVE, []),
    "of several shapes": ([p2.Circle(0.2), CONCAVE, p2.Box(0.2, 1)], []),
    "with gaps": (p2.Box(0.5, 0.5), [0, 3, 4, 70, 71, 130, 199]),
    "of several shapes with gaps": ([CONCAVE, p2.Circle(0.2)], [1, 64, 65, 66, 150]),
}


@pytest.mark.fast_cases(12)
@pytest.mark.parametrize(
    "kind", ["dynamic", *(pytest.param(k, marks=pytest.mark.slow) for k in ("static", "kinematic"))]
)
@pytest.mark.parametrize("state", ["moving", "asleep", "refilled", "wrapped"])
@pytest.mark.parametrize("what", ALIKE)
def test_bodies_that_are_alike(what, state, kind):
    """They are read many at once: each is still itself, in new memory and in used one."""
    shape, gaps = ALIKE[what]
    rng = np.random.default_rng(3)
    world = p2.World(wrap=(210, 210) if state == "wrapped" else None)
    world.add_body(p2.Box(100, 1), (0, -0.5), kind="static")
    bodies = []
    for k in range(200):
        body = world.add_body(
            shape,
            (2.5 * (k % 20) - 25, 2.5 * (k // 20) + 2),
            kind=kind,
            angle=rng.uniform(-3, 3),
            velocity=(0, 0) if kind == "static" else tuple(rng.normal(0, 1, 2)),
            angular_velocity=0 if kind == "static" else rng.normal(),
            awake=state != "asleep",
        )
        bodies.append(body)
    for k in gaps:
        world.remove(bodies[k])
    if state == "refilled":
        for k in gaps[::-1]:
            world.add_body(shape, (2.5 * k, 40), kind=kind)
    world.step(n=10)
    data = world.snapshot()
    for _ in range(3):
        twin = p2.World.from_snapshot(data)
        assert not world.diff(twin)
        assert twin.snapshot() == data
        twin.step(n=20)  # the next one finds memory that was used
        twin.restore(data)
        assert not world.diff(twin)
        assert twin.snapshot() == data
    for _ in range(40):
        world.step()
        twin.step()
        assert world.hash() == twin.hash()
    assert not world.diff(twin)


@pytest.mark.parametrize("at", [10, 20, 28, 31, 40, 50])
def test_a_wheel_that_is_about_to_land_again_has_the_same_future(at):
    """Its contact is there already, so nothing but the impact asks for another layout."""
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    car = world.add_body(p2.Box(2, 0.4), (-5, 1))
    for x in (-5.7, -4.3):
        wheel = world.add_body(p2.Circle(0.4), (x, 0.5), friction=1)
        world.add_wheel_joint(
            car,
            wheel,
            axis=(0, 1),
            spring_hertz=4,
            motor_speed=-5,
            max_motor_torque=3,
            lower=-0.2,
            upper=0.2,
        )
    world.step(n=at)
    other = p2.World.from_snapshot(world.snapshot())
    for _ in range(60):
        world.step()
        other.step()
        assert other.hash() == world.hash()


def test_sequential_impulses_take_no_spring_in_newtons():
    """One was taken, and then the world's own snapshot was refused."""
    world = p2.World(solver="sequential_impulses")
    ball = world.add_body(p2.Circle(0.1))
    rod = world.add_distance_joint(None, ball, anchor_a=(0, 2))
    with pytest.raises(ValueError, match=r"stiffness: .* needs a world of solver='soft_step'"):
        world.add_distance_joint(None, ball, anchor_a=(0, 2), stiffness=100)
    with pytest.raises(ValueError, match=r"stiffness: .* needs a world of solver='soft_step'"):
        rod.stiffness = 100
    assert p2.World.from_snapshot(world.snapshot()).hash() == world.hash()


@pytest.mark.parametrize("data", [None, 3, "PYPHYS2D"])
def test_what_is_no_bytes_is_named(data):
    world = p2.World()
    for read in (world.restore, p2.World.from_snapshot):
        with pytest.raises(TypeError, match=f"^data: must be bytes, .* got {type(data).__name__}$"):
            read(data)


def test_what_a_force_presses_is_not_predicted_again():
    world = p2.World(gravity=(0, -10), max_speed=10000.0, substeps=1)
    spin = {"angular_velocity": 1150.7}
    world.add_body(p2.RegularPolygon(3, 0.3017), (-2.9579, 3.8349), -2.0656, **spin)
    heavier = {
        "velocity": (-0.84457, 0.78015),
        "angular_velocity": 0.91934,
        "gravity_scale": 1.8607,
    }
    world.add_body(p2.Circle(0.3358), (-2.872, 4.267), 2.861, **heavier)
    world.step(1 / 60)
    assert_same_future(world, p2.World.from_snapshot(world.snapshot()), 60)


# A restore keeps the bodies of a world if the snapshot has the same ones, made in the same way.


def crowd(seed, joints=True, wrap=None):
    """Forty bodies of all kinds and sorts, some of them removed, some asleep, some jointed."""
    rng = np.random.default_rng(seed)
    world = p2.World(wrap=wrap)
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static")
    if seed % 2:
        world.material_pairs = np.full((3, 3, 3), 0.4)
    if seed == 1:
        ramp = p2.Chain([(30, 9), (27, 2), (24, 1), (20, 0)])
        world.add_body(ramp, kind="static", segments={"friction": [0.1, 0.5, 0.9]})
    shapes = [p2.Box(0.6, 0.6), p2.Circle(0.3), p2.RegularPolygon(6, 0.4), CONCAVE]
    bodies = []
    for k in range(40):
        shape = shapes[rng.integers(4)]
        bodies.append(
            world.add_body(
                [shape, p2.Circle(0.2)] if rng.random() < 0.2 else shape,
                (2.3 * (k % 10) - 10, 2.3 * (k // 10) + 1),
                kind="dynamic" if rng.random() < 0.9 else "kinematic",
                velocity=tuple(rng.normal(0, 2, 2)),
                angular_velocity=rng.normal(0, 2),
                friction=rng.choice([0.2, 0.6]),
                restitution=rng.choice([0.0, 0.5]),
                awake=bool(rng.random() < 0.8),
                bullet=bool(rng.random() < 0.1),
                fixed_rotation=bool(rng.random() < 0.1),
                linear_damping=rng.choice([0.0, 0.1]),
            )
        )
    for k in rng.choice(40, 6, replace=False):
        world.remove(bodies[k])
    if seed % 2:
        for body in list(world.bodies)[5:30:4]:
            body.colliders[0].material = int(rng.integers(3))
        for body in list(world.bodies)[6:30:5]:
            if body.kind == "dynamic":
                body.inertia = 0.3
        for body in list(world.bodies)[7:30:6]:
            body.lock_x = body.kind == "dynamic"
        for body in list(world.bodies)[8:30:7]:
            body.attach(p2.Circle(2), sensor=True)
        for body in list(world.bodies)[9:30:8]:
            body.sleep_threshold = 0.2
    moving = [b for b in world.bodies if b.kind == "dynamic"]
    if joints:
        world.add_revolute_joint(moving[0], moving[1], spring_hertz=2)
        world.add_distance_joint(moving[2], moving[3])
        world.add_motor_joint(moving[4], moving[5])
        world.add_weld_joint(moving[6], moving[7], stiffness=300)
        a = world.add_revolute_joint(None, moving[8])
        b = world.add_revolute_joint(None, moving[9])
        world.add_gear_joint(a, b, ratio=2)
        world.remove(world.add_revolute_joint(None, moving[10]))
    world.step(n=int(rng.integers(1, 90)))
    return world


def assert_restored(world, data):
    world.restore(data)
    twin = p2.World.from_snapshot(data)
    assert not world.diff(twin)
    assert world.snapshot() == data
    for body, other in zip(world.bodies, twin.bodies, strict=True):
        assert (body.mass, body.inertia) == (other.mass, other.inertia)
        np.testing.assert_array_equal(
            [c.aabb for c in body.colliders], [c.aabb for c in other.colliders]
        )
    for _ in range(2):
        start = np.linspace((-12, 9), (12, 9), 30)
        hits, others = (w.cast_rays(start, (0.5, -20)) for w in (world, twin))
        assert hits.tobytes() == others.tobytes()  # NaN for what hits nothing
        assert_same_future(world, twin, 8)
    for each in (world, twin):  # takes the same places, under other ids
        each.add_bodies([p2.Circle(0.3), CONCAVE, p2.Box(0.4, 0.4)], [(0, 12), (3, 13), (6, 12)])
    for _ in range(8):
        world.step()
        twin.step()
        assert world.hash() == twin.hash()


DISTURBANCES = {
    "nothing": lambda world: None,
    "steps": lambda world: world.step(n=50),
    "teleports": lambda world: world.positions.__setitem__(5, (4, 9)),
    "no numbers": lambda world: world.positions.__setitem__(slice(None), np.nan),
    "far away": lambda world: world.positions.__setitem__(slice(None), 1e200),
    "velocities": lambda world: world.velocities.__setitem__(slice(None), (1, 5)),
    "forces": lambda world: world.forces.__setitem__(slice(1, None), (3, 50)),
    "sleep": lambda world: [setattr(b, "awake", False) for b in list(world.bodies)[1:]],
    "gravity": lambda world: setattr(world, "gravity", (3, 3)),
    "fields": lambda world: world.add_wind((5, 0)),
}


@pytest.mark.parametrize("what", DISTURBANCES)
@pytest.mark.parametrize("seed", [1, 3, *(pytest.param(k, marks=pytest.mark.slow) for k in (0, 2))])
def test_bodies_that_are_kept_are_as_those_that_are_made_anew(seed, what):
    world = crowd(seed, joints=seed > 0, wrap=(130, 130) if seed == 3 else None)
    data = world.snapshot()
    for _ in range(2):
        world.restore(data)  # again the bodies of the snapshot alone
        world.step(n=3)
        DISTURBANCES[what](world)
        assert_restored(world, data)
    world.restore(data)
    assert fail_every_allocation(world, lambda: world.restore(data)) < 15  # none for bodies


def first(world):
    return next(b for b in world.bodies if b.kind == "dynamic")


def exchange_shape(world):
    first(world).colliders[0].shape = p2.Circle(0.7)


def replace_body(world):
    body = first(world)
    world.remove(body)
    world.add_body(p2.Box(0.6, 0.6), (0, 12))


def swap_shapes(world):
    body = first(world)
    shape = body.colliders[0].shape
    body.attach(shape)
    world.remove(body.colliders[0])


def set_materials(world):
    world.material_pairs = np.full((2, 2, 3), 0.5)


def set_surfaces(world):
    ground = world.bodies[1].colliders[0]
    if ground.segments is None:  # of a world without a chain
        ground.friction = 0.01
    else:
        ground.segments = {"friction": [0.1, 0.5, 0.8]}


def give_target(world):
    lift = next(b for b in world.bodies if b.kind == "kinematic")
    lift.move_to((0, 20), 1.0, 0.5)


CHANGES = {
    name: (lambda world, name=name, value=value: setattr(first(world), name, value))
    for name, value in {
        "kind": "kinematic",
        "mass": 9.0,
        "inertia": 3.0,
        "center_of_mass": (0.1, 0.1),
        "gravity_scale": 0.3,
        "linear_damping": 0.7,
        "angular_damping": 0.7,
        "can_sleep": False,
        "bullet": True,
        "enabled": False,
        "sleep_threshold": 0.5,
        "lock_x": True,
    }.items()
}
CHANGES |= {
    f"collider's {name}": (
        lambda world, name=name, value=value: setattr(first(world).colliders[0], name, value)
    )
    for name, value in {
        "density": 5.0,
        "friction": 0.93,
        "restitution": 0.93,
        "rolling_resistance": 0.2,
        "tangent_speed": 2.0,
        "category": 4,
        "mask": 6,
        "group": 3,
        "sensor": True,
        "friction_rule": "max",
        "material": 1,
    }.items()
}
CHANGES |= {
    "rotation": lambda world: setattr(
        first(world), "fixed_rotation", not first(world).fixed_rotation
    ),
    "a body more": lambda world: world.add_body(p2.Box(1, 1), (0, 12)),
    "a body less": lambda world: world.remove(first(world)),
    "another body": replace_body,
    "a collider more": lambda world: first(world).attach(p2.Circle(0.5)),
    "another collider": swap_shapes,
    "another shape": exchange_shape,
    "a target": give_target,
    "a joint more": lambda world: world.add_revolute_joint(None, first(world)),
    "a joint less": lambda world: world.remove(next(iter(world.joints))),
    "a joint that is set": lambda world: setattr(next(iter(world.joints)), "break_force", 1e5),
    "materials": set_materials,
    "surfaces": set_surfaces,
    "a rule": lambda world: setattr(world, "friction_rule", "max"),
    "a solver's number": lambda world: setattr(world, "substeps", 3),
    "room": lambda world: [world.remove(b) for b in list(world.bodies)[3:]],
}


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("what", CHANGES)
def test_whatever_was_changed_a_restore_takes_back(what, seed):
    world = crowd(seed)
    data = world.snapshot()
    for steps in (0, 20):
        CHANGES[what](world)
        world.step(n=steps)
        assert world.snapshot() != data
        assert_restored(world, data)


def test_worlds_without_bodies_go_back():
    world = p2.World()
    empty = world.snapshot()
    for _ in range(2):
        world.restore(empty)
    body = world.add_body()  # without a shape
    bare = world.snapshot()
    for data in (bare, bare, empty, empty, bare, empty):
        world.restore(data)
        assert world.snapshot() == data
        world.step(n=2)
        assert world.hash() != 0
    with pytest.raises(p2.RemovedError):
        _ = body.position


def test_a_restore_makes_shapes_anew_only_where_it_must():
    """Told by how much memory it asks for."""
    world = p2.World()
    for k in range(15):
        world.add_body(p2.RegularPolygon(5, 0.3 + 0.001 * k), (k, 1))
    world.step(n=5)
    data = world.snapshot()
    world.restore(data)  # there is room to come back to
    world.step(n=5)
    assert fail_every_allocation(world, lambda: world.restore(data)) < 10
    assert_restored(world, data)
    world.bodies[7].mass = 3
    assert fail_every_allocation(world, lambda: world.restore(data)) > 15
    assert_restored(world, data)
