"""Materials, the table of their pairs, and mixing rules of colliders."""

import copy
import itertools
import json
import math
import pickle

import numpy as np
import pytest
from same_bits import check_same_bits

import pyphys2d as p2

RULES = ("geometric_mean", "average", "min", "multiply", "max")  # each wins over those before it
MIX = {
    "geometric_mean": lambda a, b: math.sqrt(a * b),
    "average": lambda a, b: (a + b) / 2,
    "min": min,
    "multiply": lambda a, b: a * b,
    "max": max,
}
NAN = math.nan
SHAPES = {
    "circle": p2.Circle(0.5),
    "box": p2.Box(1, 1),
    "capsule": p2.Capsule((-0.5, 0), (0.5, 0), 0.3),
    "hexagon": p2.RegularPolygon(6, 0.5),
    "many corners": p2.RegularPolygon(20, 0.5),
    "concave": p2.Polygon([(-1, 0), (1, 0), (1, 1), (0, 0.4), (-1, 1)]),
}
GROUNDS = {
    "box": p2.Box(20, 1, center=(0, -0.5)),
    "chain": p2.Chain([(-10, 0), (10, 0)]),
    "segment": p2.Segment((-10, 0), (10, 0)),
}


def table(k, **pairs):
    """NaN but for pairs such as m01=(friction, restitution, rolling)."""
    result = np.full((k, k, 3), NAN)
    for name, numbers in pairs.items():
        i, j = int(name[1]), int(name[2])
        result[i, j] = result[j, i] = numbers
    return result


def seen(shape, ground, own, others, **settings):
    """(friction, restitution) that the hook sees of a shape that falls onto a ground."""
    pairs = settings.pop("pairs", None)
    world = p2.World(**settings)
    world.material_pairs = pairs
    world.add_body(ground, kind="static", **others)
    world.add_body(shape, (0, 0.75), velocity=(0, -1), pre_solve=True, **own)
    rows = []
    world.on_pre_solve = lambda contacts: rows.extend(
        zip(contacts["friction"], contacts["restitution"], strict=True)
    )
    world.step(n=30)
    assert rows
    assert len(set(rows)) == 1
    return rows[0]


# -------------------------------------------------------------------------------------------- rules
@pytest.mark.parametrize(("one", "other"), [*itertools.product((None, *RULES), repeat=2)])
def test_of_two_rules_the_higher_one_mixes(one, other):
    """A collider's own rule comes before the world's."""
    ranks = [RULES.index(rule) for rule in (one, other) if rule is not None]
    friction = MIX[RULES[max(ranks)]] if ranks else MIX["min"]
    restitution = MIX[RULES[max(ranks)]] if ranks else MIX["average"]
    numbers = seen(
        p2.Circle(0.5), GROUNDS["box"],
        {"friction": 0.25, "restitution": 0.5, "friction_rule": one, "restitution_rule": one},
        {"friction": 1.0, "restitution": 0.125, "friction_rule": other, "restitution_rule": other},
        friction_rule="min", restitution_rule="average",
    )  # fmt: skip
    assert numbers == pytest.approx((friction(0.25, 1.0), restitution(0.5, 0.125)), rel=1e-6)


def test_friction_and_restitution_have_a_rule_each():
    own = {"friction": 0.25, "restitution": 0.5, "restitution_rule": "multiply"}
    numbers = seen(
        p2.Circle(0.5), GROUNDS["box"], own, {"friction": 1, "restitution": 0.5,
        "friction_rule": "max"},
    )  # fmt: skip
    assert numbers == (1, 0.25)


# -------------------------------------------------------------------------------------------- table
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_kind_of_pair_reads_the_table(shape, ground):
    pairs = table(3, m12=(0.375, 0.75, 0.125))
    numbers = seen(SHAPES[shape], GROUNDS[ground], {"material": 1}, {"material": 2}, pairs=pairs)
    assert numbers == (0.375, 0.75)


@pytest.mark.parametrize(
    ("own", "others"),
    [(None, None), (None, 1), (0, 0), (0, 1), (2, 0), (1, 200), (200, 201), (0, None)],
)
def test_what_the_table_does_not_say_is_mixed(own, others):
    pairs = table(3, m11=(9, 9, 9), m12=(9, 9, 9), m22=(9, 9, 9))
    numbers = seen(
        p2.Circle(0.5), GROUNDS["box"], {"material": own, "friction": 0.25, "restitution": 0.5},
        {"material": others, "friction": 1}, pairs=pairs,
    )  # fmt: skip
    assert numbers == (0.5, 0.5)


def test_one_number_of_a_pair_may_be_told():
    pairs = table(2, m01=(NAN, 0.25, NAN))
    own, others = {"material": 0, "friction": 0.25}, {"material": 1, "friction": 1}
    assert seen(p2.Box(1, 1), GROUNDS["box"], own, others, pairs=pairs) == (0.5, 0.25)
    others["friction_rule"] = "max"
    assert seen(p2.Box(1, 1), GROUNDS["box"], own, others, pairs=pairs) == (1, 0.25)


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_blocks_slide_by_the_friction_of_their_pair(solver):
    """v(t) = v - mu g t, mu of the pair with the ground, though all colliders have friction 0.6."""
    frictions = [0.1, 0.2, 0.4]
    pairs = np.full((4, 4, 3), NAN)
    pairs[3, :3, 0] = pairs[:3, 3, 0] = frictions
    world = p2.World(solver=solver)
    world.material_pairs = pairs
    world.add_body(p2.Box(200, 1), (0, -0.5), kind="static", material=3)
    blocks = world.add_bodies(
        p2.Box(1, 1), [(-20, 0.5), (0, 0.5), (20, 0.5)], velocity=(5, 0), material=[0, 1, 2]
    )
    world.step(n=60)
    expected = 5 - 9.81 * np.array(frictions)
    assert world.velocities[blocks, 0] == pytest.approx(expected, abs=0.02)
    assert [world.bodies[i].colliders[0].material for i in blocks] == [0, 1, 2]


def test_balls_bounce_by_the_restitution_of_their_pair():
    world = p2.World()
    world.material_pairs = table(3, m01=(NAN, 0.8, NAN), m02=(NAN, 0, NAN))
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static", material=0)
    balls = world.add_bodies(
        p2.Circle(0.5), [(-3, 2.5), (3, 2.5)], material=[1, 2], restitution=0.5
    )
    top = np.zeros(2)
    for _ in range(90):
        world.step()
        top = np.maximum(
            top, np.where(world.velocities[balls, 1] > 0, world.velocities[balls, 1], 0)
        )
    speed = math.sqrt(2 * 9.81 * 2)
    assert top == pytest.approx([0.8 * speed, 0], abs=0.15)


def test_rolling_resistance_of_a_pair_ends_the_rolling():
    """A disc that rolls slows by c g r / (r (1 + 1/2)) = 2/3 c g (torque = c r N)."""
    c = 0.05
    world = p2.World()
    world.material_pairs = table(2, m01=(NAN, NAN, c))
    world.add_body(p2.Box(200, 1), (0, -0.5), kind="static", material=0)
    ball, free = (
        world.add_body(
            p2.Circle(0.5), (x, 0.5), velocity=(4, 0), angular_velocity=-8, material=material
        )
        for x, material in ((0, 1), (-50, None))
    )
    world.step(n=60)
    assert free.velocity[0] == pytest.approx(4, abs=1e-3)
    assert ball.velocity[0] == pytest.approx(4 - 2 / 3 * c * 9.81, abs=0.01)


def test_a_table_that_changes_wakes_what_lies_on_a_slope():
    world = p2.World()
    world.material_pairs = table(2, m01=(2, 0, 0))
    world.add_body(p2.Box(20, 1), (0, 0), 0.3, kind="static", material=0)
    up = np.array([-math.sin(0.3), math.cos(0.3)])
    box = world.add_body(p2.Box(1, 1), up, 0.3, material=1)
    world.step(n=240)
    assert not box.awake
    start = box.position
    world.material_pairs = table(2, m01=(0, 0, 0))
    assert box.awake
    world.step(n=60)
    along = 0.5 * 9.81 * math.sin(0.3)
    assert np.linalg.norm(box.position - start) == pytest.approx(along, rel=0.03)


# ---------------------------------------------------------------------------------------- no effect
def scene(**own):
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static", friction=0.3)
    for i, shape in enumerate(SHAPES.values()):
        world.add_body(shape, (i - 3, 1 + 1.5 * (i % 3)), angle=0.3 * i, friction=0.1 * i, **own)
    return world


def motion(world):
    world.step(n=120)
    return world.positions.tobytes(), world.velocities.tobytes()


def test_materials_without_a_table_and_the_rules_of_the_world_change_no_bit():
    plain = motion(scene())
    assert motion(scene(material=3)) == plain
    told = {"friction_rule": "geometric_mean", "restitution_rule": "max"}
    assert motion(scene(**told)) == plain
    world = scene()
    world.material_pairs = table(4, m01=(9, 9, 9))
    assert motion(world) == plain


def test_the_same_bits_by_every_instruction_set_and_number_of_workers():
    def run(**options):
        world = p2.World(**options)
        world.material_pairs = table(3, m01=(0.9, 0.3, 0.1), m11=(0.05, NAN, NAN))
        world.add_body(p2.Box(60, 1), (0, -0.5), kind="static", material=0)
        for i in range(40):
            world.add_body(
                list(SHAPES.values())[i % 6], (i % 8 * 1.4 - 5, 1 + i // 8 * 1.3), 0.2 * i,
                material=i % 3, friction_rule=(None, *RULES)[i % 6],
            )  # fmt: skip
        world.step(n=90)
        return world

    check_same_bits(run, workers=(1, 2))


# ---------------------------------------------------------------------------------- state, copies
def told():
    world = p2.World()
    world.material_pairs = table(2, m01=(0.2, NAN, 0.1), m11=(NAN, 0.5, NAN))
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static", material=0, friction_rule="min")
    ball = world.add_body(p2.Circle(0.5), (0, 3), velocity=(2, 0), material=1)
    ball.attach(p2.Circle(0.2), material=255, restitution_rule="average")
    return world


@pytest.mark.parametrize(
    "way",
    [
        copy.copy,
        lambda world: p2.World.from_snapshot(world.snapshot()),
        lambda world: pickle.loads(pickle.dumps(world)),
        lambda world: (other := p2.World(), other.restore(world.snapshot()))[0],
    ],
)
def test_copies_have_the_same_table_and_future(way):
    world = told()
    world.step(n=20)
    twin = way(world)
    assert not world.diff(twin)
    assert twin.hash() == world.hash()
    assert np.array_equal(twin.material_pairs, world.material_pairs, equal_nan=True)
    world.step(n=100)
    twin.step(n=100)
    assert twin.hash() == world.hash()


def test_the_hash_and_the_difference_tell():
    base = told()
    for change in (
        lambda w: setattr(w, "material_pairs", None),
        lambda w: setattr(w, "material_pairs", w.material_pairs * 1.5),
        lambda w: setattr(w.colliders[1], "material", None),
        lambda w: setattr(w.colliders[1], "material", 0),
        lambda w: setattr(w.colliders[0], "friction_rule", None),
        lambda w: setattr(w.colliders[2], "restitution_rule", "max"),
    ):
        world = told()
        assert world.hash() == base.hash()
        change(world)
        assert world.hash() != base.hash()
        assert len(base.diff(world)) == 1


def test_snapshots_of_worlds_without_materials_are_as_they_were():
    world = scene()
    before = world.snapshot()
    collider = world.colliders[1]
    collider.material, collider.friction_rule = 3, "max"
    world.material_pairs = table(1)
    assert len(world.snapshot()) > len(before)
    collider.material = collider.friction_rule = None
    world.material_pairs = None
    world.bodies[1].awake = True
    assert world.snapshot() == before


def test_what_a_restored_world_had_is_gone():
    world, plain = told(), scene().snapshot()
    world.restore(plain)
    assert world.material_pairs.shape == (0, 0, 3)
    assert {collider.material for collider in world.colliders} == {None}


def test_scene_files_keep_materials(tmp_path):
    world = told()
    p2.save(world, tmp_path / "scene.json")
    text = json.loads((tmp_path / "scene.json").read_text())
    assert text["world"]["material_pairs"][0][1] == [0.2, None, 0.1]
    twin = p2.load(tmp_path / "scene.json")
    assert not world.diff(twin)
    assert twin.hash() == world.hash()


@pytest.mark.parametrize(
    "pairs",
    [[], [[]], [[[1, 2, 3]], [[1, 2, 3]]], [[[1, 2]]], [[[1, -2, 3]]], [[["a", 2, 3]]], "x", [1],
     [[[1, 1, 1], [1, 1, 1]], [[2, 1, 1], [1, 1, 1]]]],
)  # fmt: skip
def test_scene_files_with_bad_tables_are_refused(pairs, tmp_path):
    text = {"world": {"material_pairs": pairs}, "bodies": [{"shape": {"type": "circle",
            "radius": 1}}]}  # fmt: skip
    (tmp_path / "scene.json").write_text(json.dumps(text))
    with pytest.raises(p2.scenes.SceneError, match="material_pairs"):
        p2.load(tmp_path / "scene.json")


def test_call_logs_keep_tables(tmp_path):
    world = told()
    with world.record_calls(tmp_path / "run.calls"):
        world.material_pairs = table(2, m01=(0.9, 0.9, 0.9)).tolist()
        world.colliders[1].material = 0
        world.colliders[1].friction_rule = "max"
        world.step(n=30)
        world.add_bodies(p2.Circle(0.3), [(2, 3), (4, 3)], material=np.array([1, 0]))
        world.step(n=30)
    result = p2.replay(tmp_path / "run.calls")
    assert result.same
    assert result.world.hash() == world.hash()


def test_parts_of_a_cut_body_keep_material_and_rules():
    world = p2.World()
    crate = world.add_body(p2.Box(2, 1), material=7, friction_rule="max", restitution_rule="min")
    parts = world.slice(crate, (0, -1), (0, 1))
    assert len(parts) == 2
    for part in parts:
        collider = part.colliders[0]
        said = collider.material, collider.friction_rule, collider.restitution_rule
        assert said == (7, "max", "min")


# ----------------------------------------------------------------------------------------- refusals
def bad_table(*place, value):
    pairs = table(2)
    pairs[place] = value
    return pairs


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (np.zeros((2, 3, 3)), ValueError, r"material_pairs.*\(k, k, 3\)"),
        (np.zeros((2, 2)), ValueError, r"material_pairs.*\(k, k, 3\)"),
        (np.zeros((2, 2, 4)), ValueError, r"material_pairs.*\(k, k, 3\)"),
        (np.zeros((1, 2, 2, 3)), ValueError, r"material_pairs.*\(k, k, 3\)"),
        ([], ValueError, r"material_pairs.*\(k, k, 3\)"),
        (np.zeros((257, 257, 3)), ValueError, "at most 256 materials, got 257"),
        (
            bad_table(0, 1, 2, value=1),
            ValueError,
            r"material_pairs\[0, 1, 2\]: rolling.*\[1, 0, 2\]",
        ),
        (bad_table(1, 1, 0, value=-1), ValueError, r"material_pairs\[1, 1, 0\]: friction.*got -1"),
        (bad_table(0, 0, 1, value=math.inf), ValueError, r"\[0, 0, 1\]: restitution.*got inf"),
        (bad_table(0, 0, 1, value=2e30), ValueError, r"\[0, 0, 1\]: restitution"),
        ("wood", (TypeError, ValueError), "material_pairs"),
        ({1: 2}, (TypeError, ValueError), "material_pairs"),
        (np.zeros((1, 1, 3), complex), (TypeError, ValueError), "material_pairs"),
    ],
)
def test_bad_tables_are_refused_and_change_nothing(value, error, message):
    world = told()
    before, hashed = world.material_pairs, world.hash()
    with pytest.raises(error, match=message):
        world.material_pairs = value
    assert np.array_equal(world.material_pairs, before, equal_nan=True)
    assert world.hash() == hashed


def test_the_table_that_is_read_cannot_be_written_to():
    world = told()
    with pytest.raises(ValueError, match="read-only"):
        world.material_pairs[0, 1] = 1
    with pytest.raises(TypeError, match="deleted"):
        del world.material_pairs
    given = table(1)
    world.material_pairs = given
    given[:] = 5
    assert np.isnan(world.material_pairs).all()


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("material", -1, ValueError, "material.*got -1"),
        ("material", 256, ValueError, "material.*got 256"),
        ("material", 2**70, (ValueError, OverflowError), "material"),
        ("material", 1.5, (TypeError, ValueError), "material"),
        ("material", "wood", (TypeError, ValueError), "material"),
        ("friction_rule", "mean", ValueError, "friction_rule.*'geometric_mean'"),
        ("friction_rule", 1, TypeError, "friction_rule"),
        ("restitution_rule", "", ValueError, "restitution_rule"),
    ],
)
def test_bad_materials_and_rules_are_refused(name, value, error, message):
    world = told()
    ball, hashed = world.bodies[1], world.hash()
    ways = [
        lambda: world.add_body(p2.Circle(1), **{name: value}),
        lambda: world.add_bodies(p2.Circle(1), [(0, 0)], **{name: value}),
        lambda: ball.attach(p2.Circle(1), **{name: value}),
        lambda: setattr(ball.colliders[0], name, value),
    ]
    for way in ways:
        with pytest.raises(error, match=message):
            way()
    assert world.hash() == hashed


def test_materials_of_many_bodies():
    world = p2.World()
    slots = world.add_bodies(p2.Circle(1), [(0, 0), (3, 0)], material=[255, 0])
    assert [world.bodies[i].colliders[0].material for i in slots] == [255, 0]
    slots = world.add_bodies(p2.Circle(1), [(0, 9), (3, 9)], material=4, friction_rule="min")
    assert {world.bodies[i].colliders[0].material for i in slots} == {4}
    world.add_bodies(p2.Circle(1), [(0, 9), (3, 9)], material=None)
    for bad in ([0, 256], [0, 0.5], [0, NAN], [1, 2, 3], [[1], [2]]):
        with pytest.raises(ValueError, match="material"):
            world.add_bodies(p2.Circle(1), [(0, 0), (3, 0)], material=bad)


def test_rules_of_many_bodies():
    rules = ["max", None, "min", "multiply"]
    one, other = p2.World(), p2.World()
    places = [(2 * k, 5) for k in range(4)]
    one.add_bodies(p2.Circle(0.5), places, friction_rule=rules, restitution_rule=np.array(["min"]))
    for place, rule in zip(places, rules, strict=True):
        other.add_body(p2.Circle(0.5), place, friction_rule=rule, restitution_rule="min")
    assert one.hash() == other.hash()
    assert [collider.friction_rule for collider in one.colliders] == rules
    with pytest.raises(ValueError, match="friction_rule"):
        one.add_bodies(p2.Circle(0.5), places, friction_rule=["max", "sum", None, None])
    with pytest.raises(ValueError, match=r"friction_rule.*\(4,\)"):
        one.add_bodies(p2.Circle(0.5), places, friction_rule=["max", None])
    assert one.hash() == other.hash()
