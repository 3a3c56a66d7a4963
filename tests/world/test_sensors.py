"""Sensors against brute force: after every step the visits are the pairs at distance zero."""

import itertools

import numpy as np
import pytest
from clock import within
from scenes_for_tests import ground, mixed

import pyphys2d as p2
from pyphys2d import geometry

KINDS = ["static", "kinematic", "dynamic"]


def pose(body):
    return (*body.position, body.angle)


def sees(sensor, other):
    """The rule, written down once more."""
    if sensor.body == other.body or not sensor.sensor or other.sensor:
        return False
    if not (sensor.body.enabled and other.body.enabled):
        return False
    if sensor.group != 0 and sensor.group == other.group:
        return sensor.group > 0
    return bool(sensor.category & other.mask and other.category & sensor.mask)


def brute_force(world):
    """All pairs of a sensor and a visitor that overlap as everything is now, by index."""
    colliders = list(world.colliders)
    return {
        (a.index, b.index)
        for a, b in itertools.product(colliders, repeat=2)
        if sees(a, b)
        and geometry.distance(a.shape, b.shape, pose(a.body), pose(b.body)).distance == 0
    }


def overlaps(world):
    return {(a.index, b.index) for a in world.colliders for b in a.overlaps}


def pairs(rows):
    return [(int(row["collider_a"]), int(row["collider_b"])) for row in rows]


class Book:
    """Who is in which sensor, as the events tell it, by ids."""

    def __init__(self, world):
        self.world = world
        self.inside = set()

    def step(self, dt=1 / 60):
        self.world.step(dt)
        events = self.world.events
        for rows in (events.sensor_begin, events.sensor_end):
            assert pairs(rows) == sorted(pairs(rows))
            assert (rows["step"] == self.world.step_count - 1).all()
        begins = [self.key(row) for row in events.sensor_begin]
        ends = [self.key(row) for row in events.sensor_end]
        assert not self.inside & set(begins)
        assert set(ends) <= self.inside | set(begins)
        self.inside = (self.inside | set(begins)) - set(ends)
        return begins, ends

    @staticmethod
    def key(row):
        return int(row["collider_id_a"]), int(row["collider_id_b"])

    def check(self):
        ids = self.world.colliders
        expected = {(ids[a].id, ids[b].id) for a, b in brute_force(self.world)}
        assert self.inside == expected
        assert overlaps(self.world) == brute_force(self.world)
        assert self.world.counters["visits"] == len(expected)


def crowd(seed=0, **options):
    """Sensors and visitors of every kind of body, with filters, in a bin."""
    options.setdefault("gravity", (0, -10))
    rng = np.random.default_rng(seed)
    world = p2.World(**options)
    ground(world, 12)
    star = p2.Polygon([(0.6, 0), (0.15, 0.15), (0, 0.6), (-0.15, 0.15), (-0.6, 0), (0, -0.5)])
    shapes = [
        p2.Circle(0.4),
        p2.Box(0.8, 0.5),
        star,
        p2.Capsule((-0.3, 0), (0.3, 0), 0.2),
        p2.Box(0.5, 0.3, radius=0.1),
        p2.Segment((-0.5, 0), (0.5, 0.2)),
        p2.Chain([(-0.6, 0.3), (0, 0), (0.6, 0.3)]),
    ]
    for i in range(42):
        kind = KINDS[i % 3]
        moving = {"velocity": rng.uniform(-3, 3, 2), "angular_velocity": rng.uniform(-4, 4)}
        body = world.add_body(
            shapes[i % len(shapes)],
            rng.uniform((-6, 0.5), (6, 5)),
            rng.uniform(-3, 3),
            kind=kind,
            sensor=i % 4 == 0,
            category=1 + i % 2,
            mask=3 if i % 5 else 1,
            group=(0, 0, 0, 2, -2, 0)[i % 6],
            **(moving if kind != "static" else {}),
        )
        if i % 7 == 3:
            body.attach(p2.Circle(1.2, (0.3, 0)), sensor=True, density=0)
    world.add_body(p2.Box(4, 3), (0, 1.5), kind="static", sensor=True)
    return world


def change_something(world, rng):
    bodies = list(world.bodies)
    colliders = list(world.colliders)
    body = bodies[rng.integers(len(bodies))]
    collider = colliders[rng.integers(len(colliders))]
    what = rng.integers(9)
    if what == 0 and len(bodies) > 25:
        world.remove(body)
    elif what == 1 and len(colliders) > 25:
        world.remove(collider)
    elif what == 2:
        body.position = rng.uniform((-5, 0), (5, 4))
    elif what == 3:
        world.positions[body.index] = rng.uniform((-5, 0), (5, 4))
    elif what == 4:
        body.enabled = not body.enabled
    elif what == 5:
        collider.sensor = not collider.sensor
    elif what == 6:
        collider.mask = int(rng.integers(4))
    elif what == 7:
        body.kind = KINDS[rng.integers(3)]
    else:
        made = world.add_body(p2.Box(1, 0.6), rng.uniform((-5, 0), (5, 4)), kind=body.kind)
        made.attach(p2.Circle(0.9), sensor=True, density=0)


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_after_every_step_the_visits_are_the_overlaps(solver):
    book = Book(crowd(solver=solver))
    changed = 0
    for step in range(150):
        begins, ends = book.step()
        changed += len(begins) + len(ends)
        if step % 6 == 0:
            book.check()
    assert changed > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_changed_between_steps(seed):
    world = crowd(seed)
    book = Book(world)
    rng = np.random.default_rng(100 + seed)
    for step in range(120):
        for _ in range(int(rng.integers(3))):
            change_something(world, rng)
        assert step % 5 or overlaps(world) == brute_force(world)  # at once
        book.step(0.05 if step % 10 == 0 else 1 / 60)
        if step % 4 == 0:
            book.check()


def test_kinds_that_see_each_other():
    """Also static in static, and on bodies that sleep."""
    for a, b in itertools.product(KINDS, repeat=2):
        world = p2.World(gravity=(0, 0))
        sensor = world.add_body(p2.Box(1, 1), kind=a, sensor=True).colliders[0]
        visitor = world.add_body(p2.Circle(0.3), (0.2, 0), kind=b).colliders[0]
        assert sensor.overlaps == (visitor,)
        assert visitor.overlaps == ()
        world.step()
        assert pairs(world.events.sensor_begin) == [(sensor.index, visitor.index)]
        world.step(n=60)  # asleep, where it can
        assert world.counters["awake"] == 0
        assert sensor.overlaps == (visitor,)
        assert len(world.events.sensor_begin) == len(world.events.sensor_end) == 0
        assert len(world.contacts) == len(world.pairs) == len(world.events.contact_begin) == 0
        assert world.touching(sensor.body) == []
        assert len(sensor.body.contacts) == 0
        visitor.body.position = (5, 0)
        assert sensor.overlaps == ()
        world.step()
        assert pairs(world.events.sensor_end) == [(sensor.index, visitor.index)]


def test_sensors_do_not_see_sensors_nor_their_own_body():
    world = p2.World(gravity=(0, 0))
    a = world.add_body(p2.Box(1, 1))
    eye = a.attach(p2.Circle(2), sensor=True, density=0)
    other = world.add_body(p2.Box(1, 1), (1.2, 0), sensor=True)
    world.step()
    assert eye.overlaps == other.colliders[0].overlaps == ()
    assert len(world.events.sensor_begin) == 0


@pytest.mark.parametrize(
    "how",
    [
        "remove the visitor",
        "remove its body",
        "remove the sensor",
        "disable the visitor",
        "disable the sensor",
        "mask",
        "category of the sensor",
        "group",
        "teleport",
        "teleport through a view",
        "move the sensor",
        "no sensor any more",
        "a visitor becomes a sensor",
        "replaced",
    ],
)
@pytest.mark.parametrize("asleep", [False, True])
def test_a_visit_ends_with_an_event_however_it_ends(how, asleep):
    world = p2.World(gravity=(0, 0))
    sensor = world.add_body(p2.Box(2, 2), kind="static", sensor=True).colliders[0]
    visitor = world.add_body(p2.Circle(0.3)).colliders[0]
    world.step(n=40 if asleep else 1)
    assert visitor.body.awake != asleep
    number = (sensor.index, visitor.index)
    ids = (sensor.id, visitor.id)
    begins = 0
    if how == "remove the visitor":
        world.remove(visitor)
    elif how == "remove its body":
        world.remove(visitor.body)
    elif how == "remove the sensor":
        world.remove(sensor)
    elif how == "disable the visitor":
        visitor.body.enabled = False
    elif how == "disable the sensor":
        sensor.body.enabled = False
    elif how == "mask":
        visitor.mask = 2
    elif how == "category of the sensor":
        sensor.category = 0
    elif how == "group":
        sensor.group = visitor.group = -1
    elif how == "teleport":
        visitor.body.position = (9, 0)
    elif how == "teleport through a view":
        world.positions[visitor.body.index] = (9, 0)
    elif how == "move the sensor":
        sensor.body.position = (9, 0)
    elif how == "no sensor any more":
        sensor.sensor = False
    elif how == "a visitor becomes a sensor":
        visitor.sensor = True
    else:
        world.remove(visitor.body)
        again = world.add_body(p2.Circle(0.3))
        assert again.colliders[0].index == number[1]
        assert again.colliders[0].id != ids[1]
        begins = 1
    if sensor.alive:
        assert len(sensor.overlaps) == begins
    world.step()
    events = world.events
    assert pairs(events.sensor_end) == [number]
    assert [Book.key(row) for row in events.sensor_end] == [ids]
    assert len(events.sensor_begin) == begins
    assert world.counters["visits"] == begins
    world.step()
    assert len(world.events.sensor_end) == 0


def test_what_is_made_in_a_sensor_is_there_at_once():
    world = p2.World()
    sensor = world.add_body(p2.Box(2, 2), kind="static", sensor=True).colliders[0]
    world.step()
    visitor = world.add_body(p2.Circle(0.3)).colliders[0]
    assert sensor.overlaps == (visitor,)
    visitor.body.position = (5, 0)
    assert sensor.overlaps == ()
    world.positions[visitor.body.index] = (0.5, 0)
    assert sensor.overlaps == (visitor,)
    assert len(world.events.sensor_begin) == 0
    world.step()
    assert pairs(world.events.sensor_begin) == [(sensor.index, visitor.index)]


# ---------------------------------------------------------------- crossing within a step

SHOTS = [
    (p2.Circle(0.1), 0.0),
    (p2.Box(0.3, 0.1), 30.0),
    (p2.Polygon([(0, 0), (0.4, 0), (0.4, 0.4), (0.2, 0.1), (0, 0.4)]), -20.0),
    (p2.Capsule((-0.2, 0), (0.2, 0), 0.05), 3.0),
]


def crossed(world, sensor, n=1):
    world.step(n=n)
    key = sensor.index
    begins = [row for row in world.events.sensor_begin if row["collider_a"] == key]
    ends = [row for row in world.events.sensor_end if row["collider_a"] == key]
    return begins, ends


@pytest.mark.parametrize("width", [0.001, 0.1, 1.0])
@pytest.mark.parametrize("far", [0.0, 1e6])
@pytest.mark.parametrize("kind", KINDS)
def test_a_fast_body_begins_and_ends_in_the_step_in_which_it_crosses(width, far, kind):
    for shape, spin in SHOTS:
        world = p2.World(gravity=(0, 0))
        sensor = world.add_body(p2.Box(width, 4), (far + 5, 0), kind=kind, sensor=True).colliders[0]
        shot = world.add_body(shape, (far + 1, 0), velocity=(390, 0), angular_velocity=spin)
        begins, ends = crossed(world, sensor)
        assert shot.position[0] > far + 7
        assert [row["body_b"] for row in begins] == [shot.index]
        assert [row["body_b"] for row in ends] == [shot.index]
        assert begins[0]["step"] == ends[0]["step"] == 0
        assert sensor.overlaps == ()
        assert crossed(world, sensor, 5) == ([], [])


def test_a_sensor_sweeps_over_what_rests():
    """On every kind of body that moves, over every kind, asleep too."""
    for kind in KINDS:
        world = p2.World(gravity=(0, 0))
        visitor = world.add_body(p2.Circle(0.1), kind=kind)
        world.step(n=60)
        sensor = world.add_body(
            p2.Box(0.01, 3), (-2, 0), kind="kinematic", velocity=(240, 0), sensor=True
        ).colliders[0]
        begins, ends = crossed(world, sensor)
        assert sensor.body.position[0] == pytest.approx(2)
        assert [row["body_b"] for row in begins] == [visitor.index]
        assert [row["body_b"] for row in ends] == [visitor.index]


def test_a_turning_sensor_sweeps_too():
    """A radar beam of 10 m turns by 0.5 rad in a step over a body that neither end of it meets."""
    world = p2.World(gravity=(0, 0))
    beam = world.add_body(
        p2.Box(10, 0.02, (5, 0)), kind="kinematic", angular_velocity=30, sensor=True
    ).colliders[0]
    hit = world.add_body(p2.Circle(0.05), (9 * np.cos(0.25), 9 * np.sin(0.25)), kind="static")
    # Beyond the arc, within the chord's neighbour: the corner of the box around both ends.
    world.add_body(p2.Circle(0.05), (10.2 * np.cos(0.25), 10.2 * np.sin(0.25)), kind="static")
    # Between chord and arc: the beam's tip reaches 9.98 m there.
    tip = world.add_body(p2.Circle(0.05), (9.98, 9.98 * np.tan(0.25 / 9)), kind="static")
    begins, ends = crossed(world, beam)
    assert [row["body_b"] for row in begins] == [hit.index, tip.index]
    assert [row["body_b"] for row in ends] == [hit.index, tip.index]


def test_the_bulge_of_a_turning_sensor():
    """The arc leaves the box around start and end: half a turn brings the far end around."""
    world = p2.World(gravity=(0, 0))
    beam = world.add_body(
        p2.Box(4, 0.02, (2, 0)), kind="kinematic", angular_velocity=60 * np.pi, sensor=True
    ).colliders[0]
    above = world.add_body(p2.Circle(0.1), (0, 3.9), kind="static")
    world.add_body(p2.Circle(0.1), (0, -3.9), kind="static")
    begins, _ = crossed(world, beam)
    assert [row["body_b"] for row in begins] == [above.index]


def test_both_move():
    """Where they pass each other counts, not where their ways cross."""
    world = p2.World(gravity=(0, 0))
    sensor = world.add_body(
        p2.Circle(0.2), (0, 0), kind="kinematic", velocity=(120, 0), sensor=True
    ).colliders[0]
    meets = world.add_body(p2.Circle(0.2), (2, 0.3), velocity=(-120, 0))
    world.add_body(p2.Circle(0.2), (1.6, -2), velocity=(0, 300))  # crosses that way, later
    world.add_body(p2.Circle(0.2), (-1, 0), velocity=(120, 0))  # goes along
    begins, _ = crossed(world, sensor)
    assert [row["body_b"] for row in begins] == [meets.index]


def test_random_crossings_against_the_time_of_impact():
    """Random motions: a pair that is apart at both ends begins and ends as geometry tells."""
    rng = np.random.default_rng(5)
    shapes = [
        p2.Circle(0.3),
        p2.Box(1.5, 0.2),
        p2.Capsule((-0.5, 0), (0.5, 0), 0.1),
        p2.Polygon([(0, 0), (1, 0), (1, 1), (0.5, 0.2), (0, 1)]),
        p2.RegularPolygon(5, 0.5),
    ]
    world = p2.World(gravity=(0, 0))
    for i in range(60):
        world.add_body(
            shapes[i % 5],
            rng.uniform(-3, 3, 2),
            rng.uniform(-3, 3),
            kind=("kinematic", "dynamic")[i % 3 == 2],
            velocity=rng.normal(0, 150, 2),
            angular_velocity=rng.normal(0, 60),
            sensor=i % 4 == 0,
            mask=0 if i % 4 else 2**64 - 1,  # only sensors see
            category=1,
        )
    for collider in world.colliders:
        collider.mask, collider.category = (2, 1) if collider.sensor else (1, 2)
    start = {b.index: pose(b) for b in world.bodies}
    before = brute_force(world)
    world.step()
    end = {b.index: pose(b) for b in world.bodies}
    events = world.events
    begins, ends = set(pairs(events.sensor_begin)), set(pairs(events.sensor_end))
    after = brute_force(world)
    assert begins - ends == after
    # Nobody was seen before the first step: who was in a sensor and left it, crossed it.
    expected = set(after)
    for a, b in itertools.product(world.colliders, repeat=2):
        if sees(a, b):
            i, j = a.body.index, b.body.index
            # Poses are of the origin, the ways are those of the centre of mass.
            ways = [
                (a.shape, a.body, start[i], end[i]),
                (b.shape, b.body, start[j], end[j]),
            ]
            if _meet(ways):
                expected.add((a.index, b.index))
    assert begins == expected
    assert before - after <= ends
    assert len(begins - after - before) > 20


def _meet(ways):
    """Whether two shapes come within 1 nm at one of 4,000 moments, looked at more closely where
    they come near."""
    times = np.linspace(0, 1, 401)
    (shape_a, *way_a), (shape_b, *way_b) = ways
    for _ in range(5):
        d = geometry.distance(shape_a, shape_b, _poses(*way_a, times), _poses(*way_b, times))
        gaps = d["distance"]
        if (gaps == 0).any():
            return True
        k = int(np.argmin(gaps))
        times = np.linspace(times[max(k - 2, 0)], times[min(k + 2, len(times) - 1)], 401)
    return False


def _poses(body, start, end, times):
    arm = body.center_of_mass
    centers = [np.array(p[:2]) + _turn(arm, p[2]) for p in (start, end)]
    angle = start[2] + times * (end[2] - start[2])
    center = centers[0] + times[:, None] * (centers[1] - centers[0])
    c, s = np.cos(angle), np.sin(angle)
    origin = center - np.stack([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]], axis=-1)
    return np.column_stack([origin, angle])


def _turn(arm, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]])


def test_beside_a_sensor_nothing_is_crossed():
    """Sliding along its edge, at rounding distance or touching."""
    for gap in (0.0, 1e-15, 1e-14, 1e-12, 1e-9):
        world = p2.World(gravity=(0, 0))
        sensor = world.add_body(p2.Box(50, 1), kind="static", sensor=True).colliders[0]
        world.add_body(p2.Box(1, 1), (0, 1 + gap), velocity=(1, 0))
        world.step(n=50)
        inside = len(sensor.overlaps)
        assert len(world.events.sensor_begin) == inside
        assert len(world.events.sensor_end) == 0


def test_a_teleport_is_no_way():
    world = p2.World(gravity=(0, 0))
    world.add_body(p2.Box(1, 1), kind="static", sensor=True)
    body = world.add_body(p2.Circle(0.1), (-5, 0))
    world.step()
    body.position = (5, 0)
    world.step()
    assert len(world.events.sensor_begin) == 0


def test_what_is_made_in_a_sensor_and_leaves_it_in_its_first_step():
    world = p2.World(gravity=(0, 0))
    sensor = world.add_body(p2.Box(1, 1), kind="static", sensor=True).colliders[0]
    world.add_body(p2.Circle(0.1), velocity=(300, 0))
    begins, ends = crossed(world, sensor)
    assert len(begins) == len(ends) == 1


# ---------------------------------------------------------------- state


def test_same_events_for_all_broad_phases_workers_and_instruction_sets():
    def run(**options):
        world = crowd(3, **options)
        world.step(n=90)
        return world.hash(), world.events.sensor_begin, world.events.sensor_end

    reference = run()
    assert len(reference[1]) > 30
    for options in ({"broadphase": "tree"}, {"broadphase": "all_pairs"}, {"workers": 3}):
        other = run(**options)
        assert other[0] == reference[0]
        np.testing.assert_array_equal(other[1], reference[1])
        np.testing.assert_array_equal(other[2], reference[2])


def test_a_step_in_slow_motion_tells_the_same():
    worlds = [crowd(2), crowd(2)]
    seen = 0
    for _ in range(25):
        *_, last = worlds[0].stages()
        worlds[1].step()
        for name, rows in last.arrays.items():
            np.testing.assert_array_equal(rows, getattr(worlds[1].events, name))
            np.testing.assert_array_equal(rows, getattr(worlds[0].events, name))
        seen += len(last.sensor_begin)
        assert worlds[0].hash() == worlds[1].hash()
        assert overlaps(worlds[0]) == overlaps(worlds[1])
    assert seen > 10


def test_visits_are_part_of_the_hash():
    """Two worlds that look alike, but in one of them an event is due."""
    worlds = []
    for inside in (True, False):
        world = p2.World(gravity=(0, 0))
        world.add_body(p2.Box(1, 1), kind="static", sensor=True)
        body = world.add_body(p2.Circle(0.1), (0 if inside else 5, 0), awake=True, can_sleep=False)
        world.step()
        body.position = (5, 0)
        world.step(1e-9, 0)
        worlds.append(world)
    assert worlds[0].hash() != worlds[1].hash()
    for world in worlds:
        world.step()
    assert worlds[0].hash() == worlds[1].hash()


def test_a_world_without_sensors_has_the_hash_it_had():
    world, other = mixed(), mixed()
    eye = other.add_body(p2.Box(40, 40), kind="static", sensor=True)
    other.step(n=10)
    other.remove(eye)
    world.step(n=10)
    world.step()
    other.step()
    np.testing.assert_array_equal(world.positions, other.positions[:-1])


def test_every_allocation_may_fail_and_no_event_is_lost():
    testing = pytest.importorskip(
        "pyphys2d._testing", reason="LOUD: needs a build with PYPHYS2D_TESTING=1"
    )
    world, reference = crowd(1), crowd(1)
    rng, twin = np.random.default_rng(0), np.random.default_rng(0)
    failures = 0
    try:
        for k in range(60):
            change_something(world, rng)
            change_something(reference, twin)
            reference.step()
            expected = reference.events
            for n in itertools.count(1):
                before = world.hash()
                testing.fail_allocation(n)
                try:
                    world.step()
                    break
                except MemoryError:
                    failures += 1
                    testing.fail_allocation(0)
                    assert world.hash() == before
            for _ in range(9):  # reading may fail too, and loses nothing
                testing.fail_allocation(1 + k % 3)
                try:
                    events = world.events
                    testing.fail_allocation(0)
                    break
                except MemoryError:
                    pass
            testing.fail_allocation(0)
            events = world.events
            for name in ("sensor_begin", "sensor_end", "contact_end", "body_move"):
                np.testing.assert_array_equal(getattr(events, name), getattr(expected, name))
            assert world.hash() == reference.hash()
    finally:
        testing.fail_allocation(0)
    assert failures > 20


def test_every_allocation_of_overlaps_may_fail():
    testing = pytest.importorskip(
        "pyphys2d._testing", reason="LOUD: needs a build with PYPHYS2D_TESTING=1"
    )
    world = crowd()
    sensor = max(world.colliders, key=lambda c: len(c.overlaps))
    expected = sensor.overlaps
    assert len(expected) > 8
    sensor.body.position = sensor.body.position  # the query tree has to look again
    failures = 0
    try:
        for n in range(1, 100):
            testing.fail_allocation(n)
            try:
                assert sensor.overlaps == expected
                break
            except MemoryError:
                failures += 1
    finally:
        testing.fail_allocation(0)
    assert failures > 1


def test_nothing_but_finite_numbers():
    """Poses at the ends of their ranges: no crash; the next step names one that is no number."""
    world = p2.World(gravity=(0, 0))
    sensor = world.add_body(p2.Box(2, 2), kind="kinematic", sensor=True).colliders[0]
    world.add_body(p2.Circle(0.3), kind="kinematic", velocity=(1e9, 0))
    far = world.add_body(p2.Circle(0.3), (1e15, 0))
    world.step(1)
    world.positions[far.index] = np.nan
    assert isinstance(sensor.overlaps, tuple)
    with pytest.raises(ValueError, match="positions"):
        world.step()
    spinning = p2.World(gravity=(0, 0))
    spinning.add_body(p2.Box(9, 0.1), kind="kinematic", sensor=True, angular_velocity=1e9)
    spinning.add_body(p2.Circle(0.3), (3, 3))
    spinning.step(n=2)


def test_overlaps_are_a_tuple_of_handles_in_order():
    world = p2.World(gravity=(0, 0))
    bodies = [world.add_body(p2.Circle(0.2), (0.1 * i, 0)) for i in range(9)]
    sensor = world.add_body(p2.Box(3, 3), kind="static", sensor=True).colliders[0]
    assert sensor.overlaps == tuple(body.colliders[0] for body in bodies)
    for collider in sensor.overlaps:  # what is removed on the way changes nothing of the tuple
        world.remove(collider.body)
    assert sensor.overlaps == ()
    world.remove(sensor)
    with pytest.raises(p2.RemovedError):
        _ = sensor.overlaps


def test_filters_of_sensors_are_those_of_contacts():
    world = p2.World(gravity=(0, 0))
    sensor = world.add_body(p2.Box(3, 3), kind="static", sensor=True).colliders[0]
    body = world.add_body(p2.Circle(0.2)).colliders[0]
    for category, mask, group, seen in [
        (1, 1, 0, True),
        (2, 1, 0, False),
        (1, 2, 0, False),
        (2, 2, 7, True),
        (1, 1, -7, False),
    ]:
        sensor.category = sensor.mask = 1
        sensor.group = group
        body.category, body.mask, body.group = category, mask, group
        assert sensor.overlaps == ((body,) if seen else ())
        world.step()
        assert world.counters["visits"] == seen


def spinning(spin, count=1, **options):
    """Bars that spin beside sensors, which they sweep over or not."""
    world = p2.World(gravity=(0, 0), **options)
    bar = p2.Segment((1, 0), (2, 0))
    for i in range(count):
        inner, rim, beyond = (
            world.add_body(p2.Circle(0.05), (10 * i + x, 0), kind="static", sensor=True)
            for x in (0.5, 1.5, 2.5)
        )
        world.add_body(bar, (10 * i, 0), 1.0, kind="kinematic", angular_velocity=spin)
    return world, (inner, rim, beyond)


@pytest.mark.parametrize("spin", [1e4, 1e6, 1e9])
def test_a_body_that_spins_beyond_measure_meets_what_is_in_its_ring(spin):
    """Such a pair took 10 ms to 1 s, 200 of them in 3 steps minutes."""
    world, (inner, rim, beyond) = spinning(spin, 200)
    for _ in range(3):
        with within(4):
            world.step(1 / 60)
        begun = world.events.sensor_begin["collider_a"].tolist()
        assert rim.colliders[0].index in begun
        assert inner.colliders[0].index not in begun
        assert beyond.colliders[0].index not in begun


def test_where_the_rounds_are_used_up_the_ends_of_a_step_count():
    """Whoever is in a sensor then is seen, whoever has crossed it is not."""
    count = 700
    world = p2.World(gravity=(0, 0), max_speed=1e9)
    rng = np.random.default_rng(5)
    world.add_bodies(p2.Box(0.01, 0.01), rng.normal(size=(count, 2)), kind="static", sensor=True)
    world.add_bodies(
        p2.Capsule((0, 0), (0.02, 0), 0.001),
        rng.normal(size=(count, 2)),
        velocity=rng.normal(size=(count, 2)) * 200,
        angular_velocity=rng.normal(size=count) * 1e5,
        group=-1,
    )
    visits = 0
    for _ in range(3):
        with within(5):
            world.step(1 / 60)
        events = world.events
        assert len(events.sensor_begin) > 0
        visits += len(events.sensor_begin) - len(events.sensor_end)
        assert visits == len(overlaps(world)) == world.counters["visits"]


def test_too_many_pairs_of_sensors_are_refused_and_fewer_are_looked_at_again():
    world = p2.World(gravity=(0, 0))
    places = np.zeros((1500, 2))
    world.add_bodies(p2.Circle(5), places, kind="static", sensor=True)
    world.add_bodies(p2.Circle(0.5), places, group=-1)
    world.step()
    before = world.step_count
    with pytest.raises(p2.CapacityError, match="1500 sensors and 3000 bodies had more than"):
        world.step()
    assert world.step_count == before
    for body in list(world.bodies)[10:1500]:
        world.remove(body)
    world.step()
    assert world.step_count == before + 1
    assert world.counters["visits"] == 10 * 1500
