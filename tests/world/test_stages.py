"""World.stages: a step in slow motion gives the bits of a step, shows what happened, and locks the
world meanwhile.
"""

import contextlib
import functools
import gc
import multiprocessing
import os
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from scenes_for_tests import ground, mixed, pyramid, run_python

import pyphys2d as p2
from pyphys2d import _core

DT = 1 / 60
LOCKED = r"locked by stages\(\); finish or close\(\) it first"


def slowly(world, dt=DT):
    """All stages of a step: {name: stage} of those that come once, and the passes of the solver."""
    stages = list(world.stages(dt))
    passes = [stage for stage in stages if stage.name in ("substep", "iteration")]
    return {stage.name: stage for stage in stages if stage not in passes}, passes


def small():
    world = p2.World(gravity=(0, -10))
    ground(world)
    world.add_bodies(p2.Box(1, 1), [(0, 0.5), (0, 1.5), (5, 3)])
    world.add_body(p2.Box(2, 0.2), (-4, 1), kind="kinematic", velocity=(1, 0.5))
    world.step(n=5)
    return world


# ---------------------------------------------------------------- the same bits


def tumbler(**options):
    world = p2.World(gravity=(0, -10), **options)
    box = [(-3, -3), (3, -3), (3, 3), (-3, 3)]
    world.add_body(p2.Chain(box[::-1], loop=True), kind="kinematic", angular_velocity=1.5)
    world.add_bodies(p2.Box(0.6, 0.6), [(-1.5 + x, -1.5 + y) for x in range(4) for y in range(4)])
    return world


def rolling(**options):
    world = p2.World(gravity=(0, -10), **options)
    world.add_body(p2.Segment((-20, 2), (20, -2)), kind="static", tangent_speed=0.5)
    for i in range(6):
        world.add_body(p2.Circle(0.4), (-8 + 2 * i, 3), rolling_resistance=0.01 * i, density=1 + i)
    return world


def bouncing(**options):
    world = p2.World(gravity=(0, -10), **options)
    ground(world, restitution=0.5)
    world.add_bodies(p2.Box(1, 1), [(2 * i, 2 + i) for i in range(5)], 0.1, restitution=0.8)
    return world


SCENES = {
    "mixed": mixed,
    "pyramid": lambda **options: pyramid(8, sleeping=True, **options)[0],
    "tumbler": tumbler,
    "rolling": rolling,
    "bouncing": bouncing,
    "empty": p2.World,
}
SOLVERS: list[dict[str, Any]] = [
    {},
    {"substeps": 1},
    {"solver": "sequential_impulses"},
    {"solver": "sequential_impulses", "accumulate": False, "warm_starting": False},
    {"solver": "sequential_impulses", "response": "translate"},
]


@pytest.mark.parametrize("options", SOLVERS, ids=lambda o: "-".join(map(str, o.values())))
@pytest.mark.parametrize("scene", SCENES)
def test_slow_motion_gives_the_bits_of_a_step(scene, options):
    world, reference = SCENES[scene](**options), SCENES[scene](**options)
    positions = world.positions
    for k in range(90):
        reference.step(1 / 40)
        if k % 3 == 2:
            world.step(1 / 40)
        else:
            assert [*world.stages(1 / 40)][-1].name == "events"
        assert world.hash() == reference.hash()
    assert np.shares_memory(positions, world.positions) or not len(positions)
    np.testing.assert_array_equal(world.contacts, reference.contacts)
    assert world.counters == reference.counters
    assert (world.time, world.step_count) == (reference.time, reference.step_count)


@pytest.mark.parametrize("width", p2.simd.available)
def test_every_instruction_set_shows_the_same_arrays(width):
    def show():
        world = mixed()
        world.step(n=60)
        return [stage.arrays for stage in world.stages()]

    _core._set_simd(width)
    try:
        stages = show()
    finally:
        _core._set_simd("scalar")
    try:
        expected = show()
    finally:
        _core._set_simd(None)
    for stage, other in zip(stages, expected, strict=True):
        for name, array in stage.items():
            np.testing.assert_array_equal(array, other[name])


class Twins:
    """Two worlds to which the same things happen; one steps, the other is shown in slow motion."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        options = {
            "solver": ["soft_step", "sequential_impulses"][seed % 2],
            "broadphase": ["grid", "tree", "all_pairs"][seed % 3],
            "substeps": 4,
        }
        self.worlds = [p2.World(gravity=(0, -10), **options) for _ in range(2)]
        for world in self.worlds:
            world.add_body(p2.Box(30, 2), (0, -1), kind="static")
        self.shapes = [
            p2.Circle(0.4),
            p2.Box(1, 0.6),
            p2.Polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)]),
            p2.Capsule((-0.4, 0), (0.4, 0), 0.2),
        ]

    def happen(self):
        rng, first = self.rng, self.worlds[0]
        living = np.flatnonzero(first.alive)
        slot, x, y = int(rng.choice(living)), rng.uniform(-8, 8), rng.uniform(0, 6)
        colliders = [c.index for c in first.colliders]
        collider = int(rng.choice(colliders)) if colliders else None
        shape = self.shapes[rng.integers(4)]
        kind = str(rng.choice(["dynamic", "dynamic", "kinematic", "static"]))
        what = rng.integers(16)
        for world in self.worlds:
            body = world.bodies[slot]
            if what <= 3:
                velocity = (y, 0) if kind != "static" else (0, 0)
                world.add_body(shape, (x, y), x, kind=kind, restitution=0.5, velocity=velocity)
            elif what == 4 and len(living) > 3:
                world.remove(body)
            elif what == 5 and collider is not None:
                world.remove(world.colliders[collider])
            elif what == 6:
                world.positions[slot] = (x, y)
            elif what == 7:
                world.velocities[slot] = (y, x)
            elif what == 8:
                body.sleep()
            elif what == 9:
                body.apply_force((20 * x, y), (x, y))
            elif what == 10 and body.kind == "kinematic":
                body.move_to((x, y), x, DT)
            elif what == 11:
                body.kind = kind
            elif what == 12:
                body.enabled = not body.enabled
            elif what == 13:
                body.attach(shape, sensor=x > 0)
            elif what == 14:
                world.gravity = (0, -y)
            else:
                world.cast_ray((x, y), (-x, -y))

    def step(self):
        dt = float(self.rng.choice([DT, DT, 0.1]))
        stepped, slow = self.worlds
        for _ in range(self.rng.integers(1, 5)):
            stepped.step(dt)
            shown, _ = slowly(slow, dt)
            assert slow.hash() == stepped.hash()
        for name in ("contact_begin", "contact_end", "contact_hit", "sleep", "wake"):
            rows = getattr(stepped.events, name)
            np.testing.assert_array_equal(getattr(shown["events"], name), rows)
            np.testing.assert_array_equal(getattr(slow.events, name), rows)
        np.testing.assert_array_equal(slow.pairs, stepped.pairs)
        np.testing.assert_array_equal(slow.islands, stepped.islands)
        assert slow.counters == stepped.counters


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_in_between(seed):
    twins = Twins(seed)
    for _ in range(40):
        for _ in range(twins.rng.integers(1, 4)):
            twins.happen()
        twins.step()


def test_new_bodies_get_the_same_numbers_afterwards():
    worlds = [small(), small()]
    for world in worlds:
        world.remove(world.bodies[1])
        world.remove(world.bodies[3])
    list(worlds[0].stages())
    worlds[1].step()
    new = [[world.add_body(p2.Circle(0.2), (9, 9)) for _ in range(3)] for world in worlds]
    for a, b in zip(*new, strict=True):
        assert (a.id, a.colliders[0].id) == (b.id, b.colliders[0].id)


def test_one_giant_and_many_small_islands_in_several_bins():
    world, reference = (pyramid(4)[0] for _ in range(2))
    for each in (world, reference):
        each.add_bodies(
            p2.Circle(0.2), [(6 + 0.5 * (i % 8), 0.2 + 0.4 * (i // 8)) for i in range(40)]
        )
        ground = p2.Box(9000, 2)
        each.add_body(ground, (5000, -1), kind="static")
        each.add_bodies(p2.Box(1, 1), [(600 + 2 * i, 0.5) for i in range(2100)])
        each.step(n=2)
    velocities = world.velocities.copy()
    shown, passes = slowly(world)
    reference.step()
    assert world.hash() == reference.hash()
    assert set(shown["constraints"].constraints["bin"]) == {0, 1}
    push = check_momentum(world, velocities, shown, passes, soft=True)
    assert np.abs(push).max() > 0.01


# ---------------------------------------------------------------- what is shown


def test_names_and_numbers():
    for solver, middle in [
        ("soft_step", ["substep"] * 8 + ["restitution"]),
        ("sequential_impulses", ["iteration"] * 10),
    ]:
        world = p2.World(solver=solver)
        expected = ["bounds", "pairs", "manifolds", "constraints", *middle]
        expected += ["continuous", "poses", "events"]
        stages = list(world.stages())
        assert [stage.name for stage in stages] == expected
        counts = [expected[:i].count(name) for i, name in enumerate(expected)]
        assert [stage.index for stage in stages] == counts


def continuous(world, dt=1 / 60):
    (stage,) = (stage for stage in world.stages(dt) if stage.name == "continuous")
    return stage


@pytest.mark.parametrize("wrap", [None, (40, 30)])
def test_who_was_fast_and_what_stopped_it(wrap):
    """Ways and parts of them by formulas: a gap over a speed."""
    world = p2.World((0, 0), wrap=wrap)
    x = 39.5 if wrap else 0.0  # beyond a seam
    wall = world.add_body([p2.Box(1, 1, (0, 9)), p2.Box(0.2, 4)], (x, 5), kind="static")
    slow = world.add_body(p2.Circle(0.5), (5, 12), velocity=(1, 0))
    ball = world.add_body(p2.Circle(0.5), (x + 3, 5), velocity=(-300, 0), angular_velocity=6)
    free = world.add_body(p2.Circle(0.5), (10, 20), velocity=(300, 60))
    one = world.add_body(p2.Circle(0.1), (10, 25), velocity=(300, 0), bullet=True)
    two = world.add_body(p2.Circle(0.1), (14, 25), velocity=(-100, 0))
    crate = world.add_body(p2.Box(0.2, 1), (33, 25), density=9)
    shot = world.add_body(p2.Circle(0.1), (30, 25), velocity=(300, 0), bullet=True)
    stage = continuous(world)
    rows = {int(row["body"]): row for row in stage.fast}
    assert list(rows) == [ball.index, free.index, one.index, two.index, shot.index]
    assert slow.index not in rows
    ways = {  # what stopped it, how far it came, towards +x
        ball: (wall.colliders[1], (3 - 0.5 - 0.1 - 1e-3), -300),
        free: (None, 5, 300),
        one: (two.colliders[0], (4 - 0.2 - 1e-3) * 3 / 4, 300),
        two: (one.colliders[0], (4 - 0.2 - 1e-3) / 4, -100),
        shot: (crate.colliders[0], 3 - 0.2 - 1e-3, 300),
    }
    for body, (collider, way, speed) in ways.items():
        row = rows[body.index]
        assert row["fraction"] == pytest.approx(way / (abs(speed) / 60), abs=1e-6)
        assert row["stopped_collider"] == (-1 if collider is None else collider.index)
        assert row["stopped_body"] == (-1 if collider is None else collider.body.index)
        assert (row["end"] - row["start"])[0] == pytest.approx(speed / 60)
        assert (row["end_angle"] - row["start_angle"]) * 60 == pytest.approx(
            6 if body is ball else 0
        )
        there = row["start"] + row["fraction"] * (row["end"] - row["start"])
        size = np.inf if wrap is None else np.array(wrap)
        away = there - body.position
        np.testing.assert_allclose(
            away - size * np.round(away / size) if wrap else away, 0, atol=1e-6
        )
    assert (stage.fast["stopped_collider"] >= 0).sum() == world.counters["stopped"] == 4
    np.testing.assert_array_equal(stage.positions, world.positions)
    np.testing.assert_array_equal(stage.angles, world.angles)


def test_nobody_is_fast_without_continuous_collision():
    for options in ({"continuous": False}, {}):
        world = p2.World((0, 0), **options)
        assert len(continuous(world).fast) == 0  # no bodies
        world.add_body(p2.Box(0.1, 9), (1, 0), kind="static")
        ball = world.add_body(p2.Circle(0.1), velocity=(300, 0))
        rest = world.add_body(p2.Circle(0.1), (5, 5), awake=False)
        fast = continuous(world).fast
        assert [row["body"] for row in fast] == ([] if options else [ball.index])
    # Who is swept over is listed too, asleep or not.
    world.add_body(p2.Box(0.1, 9), (3, 5), kind="kinematic", velocity=(180, 0))
    (row,) = (row for row in continuous(world).fast if row["body"] == rest.index)
    assert row["stopped_body"] == world.bodies[3].index
    assert row["fraction"] == pytest.approx((2 - 0.15 - 1e-3) / 3, abs=1e-6)
    assert tuple(row["start"]) == tuple(row["end"]) == (5, 5)
    assert rest.position[0] == pytest.approx(6 + 0.15 + 1e-3)


def test_a_stage_shows_itself():
    world = small()
    stages = list(world.stages())
    for stage in stages:
        assert set(stage.arrays) <= set(dir(stage))
        for name, array in stage.arrays.items():
            assert getattr(stage, name) is array
            assert array.flags.owndata
            assert f"{name} {array.shape}" in repr(stage)
            assert f"<code>{name}</code>" in stage._repr_html_()
        with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
            _ = stage.nonsense
        with pytest.raises(AttributeError):
            stage.name = "x"
        stage.arrays.clear()
        assert stage.arrays
    assert repr(stages[4]).startswith("<Stage substep 0: normal_impulses (")
    assert repr(stages[0]).startswith("<Stage bounds: aabbs (5, 2, 2), ")
    assert "normal_mass" in stages[3]._repr_html_()


def test_bounds_and_pairs_against_brute_force():
    world = mixed()
    world.step(n=40)
    tight, velocities = world.aabbs, world.velocities.copy()
    shown, _ = slowly(world)
    bounds = shown["bounds"]
    box, fat = bounds.aabbs, bounds.fat_aabbs
    assert (box[:, 0] >= fat[:, 0]).all()
    assert (box[:, 1] <= fat[:, 1]).all()
    for collider in range(len(tight)):
        mine = box[bounds.collider == collider]
        assert (mine[:, 0].min(0) <= tight[collider, 0]).all()
        assert (mine[:, 1].max(0) >= tight[collider, 1]).all()
        np.testing.assert_array_equal(bounds.piece[bounds.collider == collider], range(len(mine)))
    lower, upper = fat[:, None], fat[None, :]
    gaps = np.maximum(lower[..., 0, :] - upper[..., 1, :], upper[..., 0, :] - lower[..., 1, :])
    gaps = gaps.max(-1)
    way = velocities[bounds.body] / 60
    ways = np.linalg.norm(way[:, None] - way[None, :], axis=-1)
    # A body's way may differ by 5 mm from what it was when the pairs were found, which count on it,
    # and pairs are found for up to 8 steps ahead.
    meets, may_meet = gaps <= 0, gaps <= 9 * (ways + 0.02)
    dynamic = world.kinds[bounds.body] == 2
    allowed = dynamic[:, None] | dynamic[None, :]
    allowed &= bounds.body[:, None] != bounds.body[None, :]
    names = list(zip(bounds.collider.tolist(), bounds.piece.tolist(), strict=True))
    expected, possible = (
        {
            frozenset((names[i], names[j]))
            for i, j in zip(*np.nonzero(np.triu(which & allowed)), strict=True)
        }
        for which in (meets, may_meet)
    )
    pairs = shown["pairs"].pairs
    found = [
        frozenset(((r["collider_a"], r["piece_a"]), (r["collider_b"], r["piece_b"]))) for r in pairs
    ]
    assert len(found) == len(set(found))
    assert expected <= set(found) <= possible
    assert len(expected) > 20
    np.testing.assert_array_equal(pairs, world.pairs)


def test_manifolds_are_those_of_the_shapes():
    world = small()
    world.add_bodies([p2.Circle(0.5)], [(5, 0.49), (5.9, 0.5)])
    world.add_body(p2.Capsule((-1, 0), (1, 0), 0.2), (9, 0.2), 0.02)
    world.step(n=3)
    colliders = list(world.colliders)
    poses = np.column_stack([world.positions, world.angles])
    rows = slowly(world)[0]["manifolds"].contacts
    assert len(rows) >= 8
    for row in rows:
        a, b = colliders[row["collider_a"]], colliders[row["collider_b"]]
        assert (a.body.index, b.body.index) == (row["body_a"], row["body_b"])
        known = p2.geometry.collide(
            a.shape, b.shape, poses[row["body_a"]], poses[row["body_b"]], margin=0.5
        )
        np.testing.assert_allclose(row["normal"], known.normal, atol=1e-12)
        nearest = np.abs(known.points - row["point"]).sum(1).argmin()
        np.testing.assert_allclose(row["point"], known.points[nearest], atol=1e-12)
        np.testing.assert_allclose(row["separation"], known.separations[nearest], atol=1e-12)
        assert row["feature"] == known.features[nearest]


def centers(world):
    offset = np.array([world.bodies[i].center_of_mass for i in range(len(world.angles))])
    c, s = np.cos(world.angles), np.sin(world.angles)
    turned = np.column_stack(
        [c * offset[:, 0] - s * offset[:, 1], s * offset[:, 0] + c * offset[:, 1]]
    )
    return world.positions + turned


def inverses(world):
    with np.errstate(divide="ignore"):
        return [np.where(numbers > 0, 1 / numbers, 0) for numbers in (world.masses, world.inertias)]


def cross(a, b):
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_effective_masses(solver):
    """1 / k with k = sum of 1/m + (r x u)^2 / I over both bodies, u the normal or tangent."""
    world = mixed(solver=solver)
    world.step(n=90)
    center = centers(world)
    velocities, spins = world.velocities.copy(), world.angular_velocities.copy()
    shown, _ = slowly(world)
    rows, constraints = shown["manifolds"].contacts, shown["constraints"].constraints
    assert len(rows) > 100
    inverse_mass, inverse_inertia = inverses(world)
    normal = rows["normal"]
    tangent = np.column_stack([normal[:, 1], -normal[:, 0]])
    # of what rolls or tips, arms are those of the middle of the step
    way, rolls = np.zeros(len(rows)), is_rolling(world, rows) & (solver == "soft_step")
    for side in "ab":
        body, arm = rows[f"body_{side}"], rows[f"arm_{side}"]
        way += DT * (np.hypot(*velocities[body].T) + np.abs(spins[body]) * np.hypot(*arm.T))
    for name, direction in (("normal_mass", normal), ("tangent_mass", tangent)):
        k, off = 0, 0
        for body, arm in ((rows["body_a"], rows["arm_a"]), (rows["body_b"], rows["arm_b"])):
            across = cross(arm, direction)
            k = k + inverse_mass[body] + inverse_inertia[body] * across**2
            off = off + inverse_inertia[body] * (2 * np.abs(across) + way) * way
        error = np.abs(1 / constraints[name] - k)
        assert (error <= 3e-4 * k + np.where(rolls, off, 0)).all()  # arms are float32
    assert (~rolls).sum() > 20 or solver != "soft_step"
    # of what overlaps, and is not seen where it will meet, they are those of now
    apart = (rows["arm_a"] - rows["arm_b"]) - (center[rows["body_b"]] - center[rows["body_a"]])
    met = (rows["separation"] < 0) & (np.abs(apart).max(axis=1) < 1e-4)
    assert met.sum() > 20
    for body, arm in ((rows["body_a"], rows["arm_a"]), (rows["body_b"], rows["arm_b"])):
        np.testing.assert_allclose(arm[met], (rows["point"] - center[body])[met], atol=2e-3)
    colliders = list(world.colliders)
    pairs = [(colliders[r["collider_a"]], colliders[r["collider_b"]]) for r in rows]
    friction = [np.sqrt(a.friction * b.friction) for a, b in pairs]
    restitution = [max(a.restitution, b.restitution) for a, b in pairs]
    np.testing.assert_allclose(constraints["friction"], friction, rtol=1e-6)
    np.testing.assert_allclose(constraints["restitution"], restitution, rtol=1e-6)
    np.testing.assert_array_equal(constraints["island"], world.islands[rows["body_a"]])
    if solver == "sequential_impulses":
        assert (constraints["bin"] == -1).all()
        assert (constraints["color"] == -1).all()


def test_a_color_has_every_moving_body_once():
    world, _ = pyramid(12)
    world.step(n=3)
    shown, _ = slowly(world)
    rows, constraints = shown["manifolds"].contacts, shown["constraints"].constraints
    _, first = np.unique(
        np.stack([rows["collider_a"], rows["collider_b"]]), axis=1, return_index=True
    )
    fixed = world.kinds[rows["body_b"]] == 0
    assert (constraints["color"][fixed] >= 34).all()
    assert (constraints["color"][~fixed] < 32).all()
    for color in np.unique(constraints["color"]):
        mine = rows[first][constraints["color"][first] == color]
        bodies = np.concatenate([mine["body_a"], mine["body_b"]])
        bodies = bodies[world.kinds[bodies] == 2]
        assert len(np.unique(bodies)) == len(bodies)


def test_the_warm_start_is_what_the_last_pass_gave():
    for solver in ("soft_step", "sequential_impulses"):
        world, _ = pyramid(6, solver=solver)
        world.step(n=60)
        first, passes = slowly(world)
        second, _ = slowly(world)
        keys = ["collider_a", "collider_b", "feature"]
        rows = second["manifolds"].contacts[keys]
        assert rows.tolist() == first["manifolds"].contacts[keys].tolist()
        carried = second["constraints"].constraints
        assert carried["normal_impulse"].max() > 0.01
        np.testing.assert_array_equal(carried["normal_impulse"], passes[-1].normal_impulses)
        np.testing.assert_array_equal(carried["tangent_impulse"], passes[-1].tangent_impulses)


def is_rolling(world, rows):
    """Contacts whose arms are those of the middle of the step: round ones, or of one point."""
    colliders = list(world.colliders)
    round_ = np.array([getattr(c.shape, "radius", 0) > 0 for c in colliders])
    pair = rows["collider_a"] * len(colliders) + rows["collider_b"]
    pair = pair * 1000 + rows["piece_a"] * 30 + rows["piece_b"]
    _, at, count = np.unique(pair, return_inverse=True, return_counts=True)
    return (count[at] == 1) | round_[rows["collider_a"]] | round_[rows["collider_b"]]


def most_turns(world, rows, velocities, after):
    """How far normals of contacts that roll or tip may have turned by the middle of the step."""
    turns = np.zeros(len(rows))
    for body in (rows["body_a"], rows["body_b"]):
        turns += np.abs(after.angular_velocities[body])
        for v in (velocities, after.velocities):  # of round surfaces: by speed / radius
            turns += np.hypot(*v[body].T) / 0.2
    return np.where(is_rolling(world, rows), DT / 2 * turns, 0)


def check_momentum(world, velocities, shown, passes, soft):
    """m (v1 - v0) = m g dt + the sum of the impulses, and nothing is applied to others."""
    rows = shown["manifolds"].contacts
    jn = sum(each.normal_impulses for each in passes) if soft else passes[-1].normal_impulses
    jt = sum(each.tangent_impulses for each in passes) if soft else passes[-1].tangent_impulses
    if soft:
        jn = jn + shown["restitution"].normal_impulses
        jt = jt + shown["restitution"].tangent_impulses
    normal = rows["normal"]
    push = jn[:, None] * normal + jt[:, None] * np.column_stack([normal[:, 1], -normal[:, 0]])
    sums = np.zeros_like(velocities)
    np.add.at(sums, rows["body_b"], push)
    np.add.at(sums, rows["body_a"], -push)
    inverse_mass = inverses(world)[0]
    moving = inverse_mass > 0
    change = shown["poses"].velocities - velocities
    expected = sums * inverse_mass[:, None] + moving[:, None] * world.gravity * DT
    turned, slower = np.zeros((2, len(velocities)))
    if soft:
        most = np.hypot(*push.T) * most_turns(world, rows, velocities, shown["poses"])
        np.add.at(turned, rows["body_b"], most)
        np.add.at(turned, rows["body_a"], most)
        # what bounces and is moved apart, and nothing fixed holds, slides slower by as much as
        # keeps its angular momentum: 1 cm in 0.5 m at 0.05 m/s
        apart = is_free(world, rows) & (rows["separation"] < -1e-3)
        for side in ("body_a", "body_b"):
            np.add.at(slower, rows[side], np.where(apart, 1e-3, 0))
    error = np.abs(change - expected)
    assert (error <= 2e-4 + (turned * inverse_mass + slower)[:, None]).all()
    assert (error <= 2e-4).mean() > 0.5
    assert (jn >= -1e-9).all()
    return push


def is_free(world, rows):
    """Contacts of islands that touch nothing fixed."""
    island = world.islands[rows["body_a"]]
    return ~np.isin(island, island[world.kinds[rows["body_b"]] != 2])


def most_ways(world, rows, velocities, spins, later_velocities, later_spins):
    """How far points of contacts that come faster than 0.5 m/s, roll or tip, or whose island
    touches nothing fixed, can move against a centre of mass in the step; 0 for others.
    """
    speeds, ways = [], np.zeros(len(rows))
    for side in "ab":
        body, arm = rows[f"body_{side}"], rows[f"arm_{side}"]
        turn = np.column_stack([-arm[:, 1], arm[:, 0]])
        speeds.append(velocities[body] + spins[body, None] * turn)
        for v, w in ((velocities, spins), (later_velocities, later_spins)):
            ways += DT * (np.hypot(*v[body].T) + np.abs(w[body]) * np.hypot(*arm.T))
    approach = -((speeds[1] - speeds[0]) * rows["normal"]).sum(axis=1)
    # what a body meets may be one floor of several pieces
    fast = rows["body_a"][approach > 0.49]
    free = is_free(world, rows)
    return np.where(np.isin(rows["body_a"], fast) | free | is_rolling(world, rows), ways, 0)


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
@pytest.mark.parametrize("scene", [mixed, bouncing])
def test_momentum_is_what_the_impulses_give(scene, solver):
    world = scene(solver=solver, sleeping=False)
    bounced, hardest = 0, 0
    for _ in range(10):
        world.step(n=9)
        velocities, spins = world.velocities.copy(), world.angular_velocities.copy()
        shown, passes = slowly(world)
        push = check_momentum(world, velocities, shown, passes, soft=solver == "soft_step")
        hardest = max(hardest, np.abs(push).max(initial=0))
        # and I (w1 - w0) = the sum of their moments; lever arms are those of the step's start, of
        # what will meet those of the meeting; of what comes fast, or is held by nothing fixed, they
        # go along with the bodies; of what rolls or tips they are those of the middle of the step
        rows = shown["manifolds"].contacts
        moments, moved = np.zeros_like(spins), np.zeros_like(spins)
        np.add.at(moments, rows["body_b"], cross(rows["arm_b"], push))
        np.add.at(moments, rows["body_a"], -cross(rows["arm_a"], push))
        after = shown["poses"]
        ways = most_ways(world, rows, velocities, spins, after.velocities, after.angular_velocities)
        for side in ("body_a", "body_b") if solver == "soft_step" else ():
            np.add.at(moved, rows[side], ways * np.hypot(*push.T))
        change = after.angular_velocities - spins
        # 0.1 kg m2 and less: 1e-7 of an impulse is 1e-3 rad/s
        inverse_inertia = inverses(world)[1]
        error = np.abs(change - moments * inverse_inertia)
        assert (error <= 4e-3 + moved * inverse_inertia).all()
        assert (error <= 4e-3).mean() > 0.4
        limit = shown["constraints"].constraints["friction"] * passes[-1].normal_impulses
        assert (np.abs(passes[-1].tangent_impulses) <= limit + 1e-5).all()
        if solver == "soft_step":
            bounced += (shown["restitution"].normal_impulses > 0).sum()
    assert hardest > 0.1
    assert bounced > 0 or solver != "soft_step"


def test_totals_are_those_of_the_contacts():
    world = mixed(sleeping=False)
    world.step(n=90)
    shown, passes = slowly(world)
    rows, contacts = shown["manifolds"].contacts, world.contacts
    total = sum(each.normal_impulses for each in passes) + shown["restitution"].normal_impulses
    keys = ["collider_a", "collider_b", "piece_a", "piece_b"]

    def by_pair(table, impulses):
        sums = {}
        for key, impulse in zip(table[keys].tolist(), impulses, strict=True):
            sums[key] = sums.get(key, 0) + impulse
        return sums

    told = by_pair(contacts, contacts["normal_impulse"])
    given = by_pair(rows, total)
    assert len(told) > 50
    for key, impulse in told.items():
        assert impulse == pytest.approx(given[key], rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("substeps", [1, 8])
def test_free_fall_and_kinematic_ways(substeps):
    world = p2.World(gravity=(0, -10), substeps=substeps)
    ball = world.add_body(
        p2.Circle(0.5, (0.3, 0)),
        (1, 50),
        0.4,
        velocity=(3, 1),
        angular_velocity=2,
        linear_damping=0.5,
    ).index
    lift = world.add_body(p2.Box(1, 1), (9, 9), kind="kinematic", velocity=(1, 2)).index
    carried = world.add_body(p2.Box(1, 1), (-9, 9), kind="kinematic")
    carried.move_to((-8.3, 9.7), 0.1, DT)
    gone = world.add_body(p2.Circle(1), (30, 30))
    world.remove(gone)
    still = world.add_body(p2.Box(1, 1), (20, 0), kind="static").index
    start = world.positions.copy()
    h = DT / substeps
    velocity, angle = np.array([3.0, 1.0]), 0.4
    center = centers(world)[ball]
    shown, passes = slowly(world)
    assert len(passes) == substeps
    for k, stage in enumerate(passes):
        velocity = (velocity + h * np.array([0, -10])) / (1 + h * 0.5)
        center, angle = center + h * velocity, angle + h * 2
        part = (k + 1) / substeps
        np.testing.assert_allclose(stage.velocities[ball], velocity, rtol=1e-14)
        origin = center - 0.3 * np.array([np.cos(angle), np.sin(angle)])
        np.testing.assert_allclose(stage.positions[ball], origin, rtol=1e-14)
        np.testing.assert_allclose(stage.angles[ball], angle, rtol=1e-14)
        np.testing.assert_allclose(
            stage.positions[lift], start[lift] + part * DT * np.array([1, 2])
        )
        np.testing.assert_allclose(
            stage.positions[carried.index], [-9 + 0.7 * part, 9 + 0.7 * part]
        )
        np.testing.assert_allclose(stage.angles[carried.index], 0.1 * part)
        np.testing.assert_array_equal(stage.positions[still], start[still])
        np.testing.assert_array_equal(stage.velocities[still], 0)
    for name in ("positions", "angles", "velocities", "angular_velocities"):
        np.testing.assert_array_equal(getattr(shown["restitution"], name), getattr(world, name))


def test_rows_of_removed_bodies_are_nan():
    for solver in ("soft_step", "sequential_impulses"):
        world = mixed(solver=solver)
        world.step(n=30)
        world.remove(world.bodies[20])
        shown, passes = slowly(world)
        for stage in [*passes, shown["poses"]]:
            for name in ("positions", "angles", "velocities", "angular_velocities"):
                array = getattr(stage, name).reshape(len(world.alive), -1)
                np.testing.assert_array_equal(np.isnan(array).any(1), ~world.alive)


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_the_last_pass_is_where_the_bodies_end(solver):
    world = mixed(solver=solver, sleeping=False)
    world.step(n=70)
    before = world.positions.copy()
    shown, passes = slowly(world)
    last = shown["restitution"] if solver == "soft_step" else passes[-1]
    np.testing.assert_array_equal(last.velocities, world.velocities)
    np.testing.assert_array_equal(last.angular_velocities, world.angular_velocities)
    if solver == "soft_step":
        np.testing.assert_array_equal(last.positions, world.positions)
        np.testing.assert_array_equal(last.angles, world.angles)
        # the end of the last substep is the end of the step, but for the last bit
        np.testing.assert_allclose(passes[-1].positions, world.positions, rtol=0, atol=1e-12)
    else:
        for each in passes:
            np.testing.assert_array_equal(each.positions, before)
    for name in ("positions", "angles", "velocities", "angular_velocities"):
        np.testing.assert_array_equal(getattr(shown["poses"], name), getattr(world, name))


def test_a_bounce_is_in_the_restitution():
    world = p2.World(gravity=(0, 0))
    ground(world)
    ball = world.add_body(p2.Circle(0.5), (0, 0.52), velocity=(0, -4), restitution=0.75)
    shown, passes = slowly(world)
    # The gap of 20 mm closes after 5 ms, in the third substep of 2.08 ms.
    speeds = [each.velocities[ball.index, 1] for each in passes]
    assert speeds == pytest.approx([-4, -4, *[3] * 6], abs=1e-5)
    heights = [each.positions[ball.index, 1] for each in passes]
    time = (np.arange(8) + 1) / 480
    expected = 0.5 + np.where(time < 0.005, 4 * (0.005 - time), 3 * (time - 0.005))
    assert heights == pytest.approx(expected, abs=1e-6)
    assert all(each.normal_impulses == 0 for each in passes)
    assert shown["restitution"].velocities[ball.index] == pytest.approx([0, 3], abs=1e-5)
    assert shown["restitution"].normal_impulses == pytest.approx([7 * ball.mass], rel=1e-5)


def test_iterations_converge():
    """The relative normal velocity that is left at the contacts of a pile shrinks."""
    world = pyramid(6, solver="sequential_impulses", iterations=30, baumgarte=0)[0]
    shown, passes = slowly(world)
    rows = shown["manifolds"].contacts
    speeds = []
    for stage in passes:
        relative = stage.velocities[rows["body_b"]] - stage.velocities[rows["body_a"]]
        speeds.append(np.abs((relative * rows["normal"]).sum(1)).max())
    assert speeds[0] > 0.02
    assert speeds[-1] < 0.1 * speeds[0]


def test_sleep_comes_with_the_events():
    world = p2.World(gravity=(0, -10))
    ground(world)
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    body.velocity = (0.04, 0)
    world.gravity = (0, 0)
    for _ in range(100):
        shown, _ = slowly(world)
        if len(shown["events"].sleep):
            break
    assert list(shown["events"].sleep["body"]) == [body.index]
    assert not body.awake
    assert shown["poses"].velocities[body.index, 0] != 0
    np.testing.assert_array_equal(world.velocities[body.index], 0)


# ---------------------------------------------------------------- locked meanwhile


JOINTS = {
    **{kind: {} for kind in ("revolute", "distance", "prismatic", "weld", "wheel", "motor")},
    "mouse": {},
    "filter": {},
    "pulley": {"ground_a": (0, 5), "ground_b": (1, 5)},
    "ratchet": {"tooth": 0.1},
    "rotary": {},
}


def changes(world, body, collider, other):
    """Every call of the public face that changes a world."""
    return {
        "World.step": lambda: world.step(n=0),
        "World.snapshot": lambda: world.snapshot(),
        "World.stages": lambda: world.stages(),
        "World.add_body": lambda: world.add_body(p2.Circle(1)),
        "World.add_bodies": lambda: world.add_bodies(p2.Circle(1), [(0, 9)]),
        "World.add_drag": lambda: world.add_drag(linear=1),
        "World.add_point_gravity": lambda: world.add_point_gravity((0, 0), 1),
        "World.add_wind": lambda: world.add_wind((1, 0)),
        "World.explode": lambda: world.explode((0, 0), 9, 1),
        "World.add_fluid": lambda: world.add_fluid(0, 1, 1),
        **{
            f"World.add_{kind}_joint": functools.partial(
                getattr(world, f"add_{kind}_joint"), *([None] * (kind != "mouse")), body, **options
            )
            for kind, options in JOINTS.items()
        },
        "World.add_gear_joint": lambda: world.add_gear_joint(*list(world.joints)[:2]),
        "World.add_spring_law": lambda: world.add_spring_law(world.joints[0], lambda x, v: -x),
        "World.slice": lambda: world.slice(body, (0, 0), (0, 1)),
        "World.refilter": world.refilter,
        "World.remove": lambda: world.remove(body),
        "World.remove of a collider": lambda: world.remove(collider),
        "Body.apply_force": lambda: body.apply_force((1, 0)),
        "Body.apply_impulse": lambda: body.apply_impulse((1, 0)),
        "Body.apply_torque": lambda: body.apply_torque(1),
        "Body.apply_angular_impulse": lambda: body.apply_angular_impulse(1),
        "Body.attach": lambda: body.attach(p2.Circle(1)),
        "Collider.set_shape": lambda: collider.set_shape(p2.Circle(1)),
        "Body.wake": body.wake,
        "Body.wake_touching": body.wake_touching,
        "Body.sleep": body.sleep,
        "Body.move_to": lambda: other.move_to((0, 0), 0, DT),
        "World.record_calls": lambda: world.record_calls(os.devnull).close(),
        "World.restore": lambda: world.restore(p2.World().snapshot()),  # last: all is gone then
    }


def small_with_joints():
    world = small()
    for i in (2, 3):
        world.add_revolute_joint(None, world.bodies[i])
    return world


# No part of the state.
LABELS = (
    *("Body.name", "Body.user_data", "Collider.user_data", "Joint.user_data"),
    *("World.on_force", "World.on_pre_solve"),
)
READS = {
    "World": """kinetic_energy potential_energy momentum angular_momentum hash tree cast_ray
        cast_ray_all cast_rays cast_shape cast_shapes time_of_impact times_of_impact nearest
        distances query_aabb at overlap overlaps touching draw_list check diff fork from_snapshot
        record contact contacts_of""",
    "Body": "convex_hull to_world to_local velocity_at contains",
    "Collider": "ray_cast closest_point",
}


def test_everything_that_changes_is_refused():
    world = small_with_joints()
    body, other = world.bodies[1], world.bodies[4]
    collider = body.colliders[0]
    before = world.hash()
    stages = world.stages()
    next(stages)
    for name, change in changes(world, body, collider, other).items():
        with pytest.raises(p2.WorldLockedError, match=LOCKED):
            change()
        assert world.hash() == before, name
    assert isinstance(p2.WorldLockedError(), RuntimeError)
    stages.close()
    for change in changes(world, other, other.colliders[0], other).values():
        with contextlib.suppress(p2.RemovedError):
            change()


def test_every_member_is_known_to_read_or_to_change():
    """A member that somebody adds has to say here whether it works while the world is locked."""
    world = small_with_joints()
    body, other = world.bodies[1], world.bodies[4]
    collider = body.colliders[0]
    names = {name.split()[0] for name in changes(world, body, collider, other)}
    reads = {f"{cls}.{name}" for cls, members in READS.items() for name in members.split()}
    before = world.hash()
    stages = world.stages()
    for thing in (world, body, collider):
        for name in (n for n in dir(thing) if not n.startswith("_")):
            full = f"{type(thing).__name__}.{name}"
            value = getattr(thing, name)
            if callable(value):
                assert (full in names) != (full in reads), full
            elif full in LABELS:
                setattr(thing, name, value)
            else:
                with pytest.raises((AttributeError, p2.WorldLockedError)) as error:
                    setattr(thing, name, value)
                message = str(error.value)
                said = ("locked by stages", "not writable", "is settled when a world is made")
                assert any(words in message for words in said), full
    assert world.hash() == before
    stages.close()


def test_fields_are_locked_and_act_in_a_staged_step():
    worlds = [small(), small()]
    for world in worlds:
        world.add_drag(quadratic=2)
        fluid = world.add_fluid([(-9, 3), (0, 4), (9, 3)], 2, 1)
    for _ in range(5):
        stages = worlds[1].stages(DT)
        next(stages)
        with pytest.raises(p2.WorldLockedError, match=LOCKED):
            fluid.density = 3
        with pytest.raises(p2.WorldLockedError, match=LOCKED):
            worlds[1].remove(fluid)
        for _ in stages:
            pass
        worlds[0].step(DT)
        assert worlds[0].hash() == worlds[1].hash()
    assert fluid.density == 2
    assert worlds[0].hash() != stepped_without_fields(5).hash()


def stepped_without_fields(n):
    world = small()
    world.step(DT, n)
    return world


def test_the_state_before_is_read_meanwhile():
    world = small()
    fresh = small()
    views = world.positions, world.velocities
    for stage in world.stages():
        assert stage.name
        assert world.hash() == fresh.hash()
        assert (world.time, world.step_count) == (fresh.time, fresh.step_count)
        np.testing.assert_array_equal(views[0], fresh.positions)
        np.testing.assert_array_equal(world.contacts, fresh.contacts)
        np.testing.assert_array_equal(world.events.contact_begin, fresh.events.contact_begin)
        assert world.at((0, 0.5)) == [world.colliders[1]]
        assert world.cast_ray((0, 9), (0, -9)).body == world.bodies[2]
        assert repr(world) == repr(fresh)
    fresh.step()
    assert world.hash() == fresh.hash()
    np.testing.assert_array_equal(views[0], fresh.positions)
    np.testing.assert_array_equal(views[1], fresh.velocities)


@pytest.mark.parametrize("seen", [0, 1, 6, 16])
def test_closing_early_leaves_the_world_as_it_was(seen):
    world = small()
    before, events = world.hash(), world.events.contact_begin
    stages = world.stages()
    assert repr(stages) == "<Stages of a step, 0 of 16 seen>"
    for _ in range(seen):
        next(stages)
    assert repr(stages) == f"<Stages of a step, {seen} of 16 seen>"
    stages.close()
    stages.close()
    assert repr(stages) == "<Stages, closed>"
    assert list(stages) == []
    assert world.hash() == before
    np.testing.assert_array_equal(world.events.contact_begin, events)
    world.step()
    reference = small()
    reference.step()
    assert world.hash() == reference.hash()


def test_the_step_is_made_when_the_iteration_ends():
    world = small()
    before = world.hash()
    stages = world.stages()
    shown = [next(stages) for _ in range(16)]
    assert shown[-1].name == "events"
    assert world.hash() == before
    with pytest.raises(StopIteration):
        next(stages)
    assert world.hash() != before
    assert repr(stages) == "<Stages, finished>"
    after = world.hash()
    stages.close()
    assert list(stages) == []
    assert world.hash() == after
    world.step()


def test_every_way_out_of_a_loop_unlocks():
    world = small()
    before = world.hash()
    for stage in world.stages():
        if stage.name == "manifolds":
            break
    world.gravity = world.gravity
    errors = []
    try:
        for stage in world.stages():
            raise KeyError(stage)
    except KeyError as error:
        errors.append(error)  # with its traceback
    world.gravity = world.gravity
    with contextlib.suppress(KeyError), world.stages() as stages:
        next(stages)
        raise KeyError
    world.gravity = world.gravity
    stages = world.stages()
    next(stages)
    del stages
    world.gravity = world.gravity
    with world.stages() as stages:
        pass
    assert world.hash() == before
    with world.stages() as stages:
        assert len(list(stages)) == 16
    assert world.hash() != before


def test_writes_through_views_do_not_count():
    world, reference = small(), small()
    positions = world.positions
    for _ in world.stages():
        positions[1] = np.nan
        world.velocities[2] = 1e9
    reference.step()
    assert world.hash() == reference.hash()
    for name in ("positions", "velocities"):
        np.testing.assert_array_equal(getattr(world, name), getattr(reference, name))
    assert world.at((0, 0.5)) == [world.colliders[1]]


# ---------------------------------------------------------------- what cannot be


@pytest.mark.parametrize("dt", [0, -1, 1e-12, 1e5, float("nan"), float("inf"), "1", None, [1]])
def test_a_bad_dt(dt):
    world = small()
    before = world.hash()
    with pytest.raises((ValueError, TypeError), match="dt") as refused:
        world.step(dt)
    with pytest.raises(refused.type) as error:
        world.stages(dt)
    assert str(error.value) == str(refused.value)
    world.step(n=0)
    assert world.hash() == before


def test_bad_arguments():
    world = small()
    for call in (lambda: world.stages(DT, 2), lambda: world.stages(n=3)):
        with pytest.raises(TypeError):
            call()


def test_a_number_that_is_none_is_refused_as_by_a_step():
    world = small()
    for name in ("positions", "velocities", "torques"):
        view = getattr(world, name)
        old = view[2].copy()
        view[2] = np.nan
        with pytest.raises(ValueError, match=f"{name}: body 2") as refused:
            world.step()
        with pytest.raises(ValueError) as error:
            world.stages()
        assert str(error.value) == str(refused.value)
        view[2] = old
    world.step()


def test_stages_keep_their_world():
    stages = small().stages()
    gc.collect()
    assert len(list(stages)) == 16
    world = small()
    reference = weakref.ref(world)
    world.bodies[1].user_data = [world.stages(), world]
    del world
    gc.collect()
    assert reference() is None


def test_worlds_are_locked_one_by_one():
    a, b = small(), small()
    with a.stages():
        b.step()
        for stage, other in zip(b.stages(), small().stages(), strict=True):
            assert stage.name == other.name
    a.step()


def test_closing_from_a_finalizer_while_a_stage_is_made():
    world = small()
    told = []

    class Closer:
        def __init__(self, stages):
            self.stages, self.me = stages, self

        def __del__(self):
            try:
                self.stages.close()
            except ValueError as error:
                told.append(str(error))

    threshold = gc.get_threshold()
    try:
        for first in range(1, 40):
            stages = world.stages()
            Closer(stages)
            gc.set_threshold(first, 1, 1)
            seen = sum(1 for _ in stages)
            gc.set_threshold(*threshold)
            gc.collect()
            assert seen in range(17)
            world.step(n=0)  # finished or closed, but not locked
    finally:
        gc.set_threshold(*threshold)
    # From Python 3.12 on the collector runs between bytecodes alone, so never while one is made.
    busy = {"stages: a stage is being made already"}
    assert set(told) == (busy if sys.version_info < (3, 12) else set())


# ---------------------------------------------------------------- threads and processes


def test_other_threads_may_read_but_not_change():
    world = mixed()
    world.step(n=30)
    hashes, told, errors = set(), [], []
    reference = world.hash()
    stages = world.stages()

    def use():
        try:
            for _ in range(30):
                hashes.add(world.hash())
                world.cast_rays(np.zeros((500, 2)), np.ones((500, 2)))
                try:
                    world.step()
                except p2.WorldLockedError:
                    told.append(1)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    shown = [next(stages) for _ in range(16)]
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(told) == 90
    assert hashes == {reference}
    assert [*stages] == []
    np.testing.assert_array_equal(shown[-2].positions, world.positions)


def test_threads_that_step_in_slow_motion_take_turns_or_are_told():
    world, reference = mixed(), mixed()
    errors, done = [], []

    def run():
        try:
            for _ in range(25):
                with contextlib.suppress(p2.WorldLockedError):
                    done.append(len(list(world.stages())))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert set(done) == {16}
    assert world.step_count == len(done)
    reference.step(n=len(done))
    assert world.hash() == reference.hash()


def test_two_threads_on_one_iterator():
    world, reference = mixed(), mixed()
    stages = world.stages()
    seen, errors = [], []

    def run():
        while True:
            try:
                seen.append(next(stages).name)
            except StopIteration:
                return
            except ValueError:  # as of a generator that is running already
                continue
            except Exception as error:
                errors.append(error)
                return

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(seen) == sorted(stage.name for stage in reference.stages())
    assert world.hash() == reference.hash()


def finish_and_tell(queue, world, stages):
    try:
        world.step()
    except p2.WorldLockedError:
        queue.put((len(list(stages)), world.hash()))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_in_between():
    world = small()
    stages = world.stages()
    next(stages)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=finish_and_tell, args=(queue, world, stages))
    child.start()
    seen, result = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    assert seen == len(list(stages)) == 15
    assert world.hash() == result


def test_leaving_python_with_a_locked_world():
    code = """
import pyphys2d as p2
world = p2.World()
world.add_body(p2.Circle(1))
stages = world.stages()
stage = next(stages)
world.bodies[0].user_data = stages
print("leaving")
"""
    done = run_python("-c", code, timeout=60)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "leaving", "")


def test_the_example_of_the_page_runs(repository, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    page = (repository / "docs" / "stages.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(code, names)
    names["plt"].close("all")
    assert (tmp_path / "stages.png").stat().st_size > 10_000
    assert len(names["impulses"]) == 8
    assert max(names["impacts"]) > 10 * np.median(names["impulses"])
    rows = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    shown = {stage.name for stage in names["world"].stages()} | {"iteration"}
    assert set(rows) == shown
