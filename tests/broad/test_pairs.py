"""The three broad phases: the same candidate pairs in the same order, and none missing."""

import numpy as np
import pytest
import shapely
from reference import place, random_polygon
from scenes_for_tests import mixed

import pyphys2d as p2

KINDS = ["grid", "tree", "all_pairs"]


def sizes(broadphase, seed=0):
    """Bodies of very different size, static and kinematic ones among them, far apart and on a
    heap.
    """
    rng = np.random.default_rng(seed)
    world = p2.World(gravity=(0, -10), broadphase=broadphase)
    for i in range(250):
        size = 10 ** rng.uniform(-1.5, 1.5)
        kind = ["dynamic", "dynamic", "dynamic", "static", "kinematic"][i % 5]
        shape = p2.Circle(size) if i % 2 else p2.Box(size, 2 * size)
        world.add_body(shape, rng.uniform(-150, 150, 2), rng.uniform(-3, 3), kind=kind,
                       velocity=rng.normal(0, 8, 2) if kind != "static" else (0, 0))  # fmt: skip
    world.add_body(p2.Box(2000, 10), (0, -160), kind="static")
    world.add_body(p2.Circle(0.5), (1e6, 1e6))
    world.add_body(p2.Circle(0.5), (1e6 + 0.9, 1e6))
    return world


@pytest.mark.parametrize("build", [sizes, lambda broadphase: mixed(broadphase=broadphase)])
def test_same_pairs_and_same_bits(build):
    worlds = [build(kind) for kind in KINDS]
    for _ in range(12):
        for world in worlds:
            world.step(1e-9)
        pairs = [world.pairs for world in worlds]
        np.testing.assert_array_equal(pairs[0], pairs[1])
        np.testing.assert_array_equal(pairs[0], pairs[2])
        assert len({world.hash() for world in worlds}) == 1
        for world in worlds:
            world.step(n=15)
    assert len(pairs[0]) > 20
    np.testing.assert_array_equal(worlds[0].contacts, worlds[1].contacts)
    np.testing.assert_array_equal(worlds[0].contacts, worlds[2].contacts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_every_overlap_is_a_pair(kind, seed):
    """Candidates hold every overlap of tight boxes with a dynamic body, and nothing far apart."""
    world = sizes(kind, seed)
    world.step(n=5)
    boxes = world.aabbs
    bodies = np.array([c.body.index for c in world.colliders])
    kinds = world.kinds[bodies]
    listed = {tuple(sorted((int(r["collider_a"]), int(r["collider_b"])))) for r in world.pairs}
    assert len(listed) == len(world.pairs)
    for i in range(len(boxes)):
        gap = np.maximum(boxes[i, 0] - boxes[:, 1], boxes[:, 0] - boxes[i, 1]).max(axis=1)
        for j in range(i):
            if 2 in (kinds[i], kinds[j]):
                if gap[j] <= 0:
                    assert (j, i) in listed
            else:
                assert (j, i) not in listed


@pytest.mark.parametrize("kind", KINDS)
def test_contacts_against_shapely_without_motion(kind):
    rng = np.random.default_rng(5)
    world, regions = p2.World(gravity=(0, 0), broadphase=kind, substeps=1), []
    for _ in range(80):
        outer, holes = random_polygon(rng)
        pose = (*rng.uniform(-15, 15, 2), rng.uniform(-4, 4))
        world.add_body(p2.Polygon(outer, holes), pose[:2], pose[2])
        regions.append(shapely.Polygon(place(outer, *pose), [place(h, *pose) for h in holes]))
    world.step(1e-6)
    listed = {tuple(sorted((int(r["body_a"]), int(r["body_b"])))) for r in world.pairs}
    overlaps = 0
    for i in range(80):
        for j in range(i):
            if regions[i].intersects(regions[j]):
                overlaps += 1
                assert (j, i) in listed
    assert overlaps > 50
    touching = {tuple(sorted((int(r["body_a"]), int(r["body_b"])))) for r in world.contacts}
    for i in range(80):
        for j in range(i):
            shared = regions[i].intersection(regions[j]).area
            if shared > 1e-3:
                assert (j, i) in touching
            elif regions[i].distance(regions[j]) > 1e-3:
                assert (j, i) not in touching


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_do_not_depend_on_history(kind):
    a = sizes(kind)
    b = p2.World(gravity=(0, -10), broadphase=kind)
    extra = [b.add_body(p2.Box(5, 5), (i, i)) for i in range(5)]
    b.step(n=3)
    for body in extra:
        b.remove(body)
    for body in a.bodies:
        (collider,) = body.colliders
        b.add_body(
            collider.shape, body.position, body.angle, kind=body.kind, velocity=body.velocity
        )
    for world in (a, b):
        world.step(1e-9)
    assert len(a.pairs) > 20
    np.testing.assert_array_equal(a.pairs, b.pairs)
    # nothing is said about bodies that are gone
    b.remove(b.bodies[int(b.pairs[0]["body_a"])])
    for name in ("body_a", "body_b"):
        assert b.alive[b.pairs[name]].all()


def test_unknown_broad_phase_is_named():
    with pytest.raises(ValueError, match=r"broadphase.*'magic'|'magic'.*broadphase"):
        p2.World(broadphase="magic")


@pytest.mark.parametrize("wrap", [None, (50, 50)])
@pytest.mark.parametrize("kind", KINDS)
def test_too_many_pairs_are_refused_and_the_step_is_undone(kind, wrap):
    count = 2500
    options = {} if wrap is None else {"wrap": wrap}
    world = p2.World(gravity=(0, 0), broadphase=kind, **options)
    first = world.add_body(p2.Circle(0.5), (20, 0), velocity=(1, 0))
    world.add_bodies(p2.Circle(0.5), np.full((count, 2), -5.0))
    before = world.hash()
    for _ in range(2):
        with pytest.raises(p2.CapacityError, match=r"2501 bodies has more than \d+ pairs"):
            world.step()
        assert world.hash() == before
        assert world.step_count == 0
    for body in list(world.bodies)[101:]:
        world.remove(body)
    world.step()
    assert world.step_count == 1
    assert first.position[0] == pytest.approx(20 + 1 / 60)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_moved_into_one_place_can_be_moved_apart_again(kind):
    world = p2.World(gravity=(0, 0), broadphase=kind)
    x, y = np.divmod(np.arange(1500), 40)
    apart = np.stack([x, y], axis=1) * 1.5
    world.add_bodies(p2.Circle(0.5), apart)
    world.step()
    world.positions[:] = 0
    with pytest.raises(p2.CapacityError, match="1500 bodies has more than"):
        world.step()
    world.positions[:] = apart
    world.step()
    assert world.step_count == 2
    assert world.counters["contacts"] == 0
    np.testing.assert_array_equal(world.positions, apart)
