"""Manifolds by lane kernels against ph_collide in double precision, on pairs of every kind.

A lane result may differ from the double result where that one is itself about to change: at ties
between faces, at limits of distance. So it must equal the double result of the same pair moved by
no more than float32 may move it.
"""

import itertools

import numpy as np
import pytest

testing = pytest.importorskip("pyphys2d._testing")

APART, NEAR, DOUBTFUL, PASSES = 0, 1, 2, 4
FORMS = ["circle", "box", "rounded box", "capsule", "segment", "triangle", "quad", "pentagon"]
FORMS += ["octagon", "rounded octagon"]
DT = 1 / 60


def convex_ring(rng, count):
    """Vertices on an ellipse, apart from each other."""
    angles = (np.arange(count) + rng.uniform(-0.25, 0.25, count)) * 2 * np.pi / count
    axes = rng.uniform(0.4, 1.5, 2)
    turn = rng.uniform(0, 2 * np.pi)
    points = np.column_stack([np.cos(angles + turn), np.sin(angles + turn)])
    return points * axes + rng.uniform(-0.5, 0.5, 2)


def make_form(rng, form):
    """Ring, number of vertices, radius."""
    radius = rng.uniform(0.05, 0.4)
    if form == "circle":
        ring = rng.uniform(-0.3, 0.3, (1, 2))
        radius += 0.2
    elif "box" in form:
        hx, hy = rng.uniform(0.2, 2.0, 2)
        ring = np.array([[-hx, -hy], [hx, -hy], [hx, hy], [-hx, hy]]) + rng.uniform(-1, 1, 2)
        radius *= form != "box"
    elif form in ("capsule", "segment"):
        ring = rng.uniform(-1, 1, (2, 2)) + np.array([[-0.5, 0], [0.5, 0]])
        radius *= form == "capsule"
    else:
        sides = {"triangle": 3, "quad": 4, "pentagon": 5}.get(form, 8)
        ring = convex_ring(rng, sides)
        radius *= "rounded" in form
    return ring, radius


class Side:
    def __init__(self, n):
        self.rings = np.zeros((n, 16, 2))
        self.counts = np.zeros(n)
        self.radii = np.zeros(n)
        self.poses = np.zeros((n, 3))
        self.velocities = np.zeros((n, 3))

    def put(self, i, ring, radius):
        self.rings[i, : len(ring)] = ring
        self.counts[i] = len(ring)
        self.radii[i] = radius

    def arrays(self):
        return self.rings, self.counts, self.radii, self.poses, self.velocities


def collide(a, b, simd="scalar", cull=False):
    return testing.lane_manifolds(simd, cull, DT, *a.arrays(), *b.arrays())


def random_pairs(rng, forms, n, far=0.0, speed=0.0):
    """Pairs of two forms, most of them within a few centimetres or overlapping a little."""
    a, b = Side(n), Side(n)
    for i in range(n):
        a.put(i, *make_form(rng, forms[0]))
        b.put(i, *make_form(rng, forms[1]))
    a.poses[:] = rng.uniform(-1, 1, (n, 3)) * [1, 1, np.pi] + [far, -far, 0]
    b.poses[:, 2] = rng.uniform(-np.pi, np.pi, n)
    square = rng.random(n) < 0.3  # parallel sides
    b.poses[square, 2] = a.poses[square, 2] + rng.integers(0, 4, square.sum()) * np.pi / 2
    direction = rng.uniform(0, 2 * np.pi, n)
    direction = np.column_stack([np.cos(direction), np.sin(direction)])
    low, high = np.zeros(n), np.full(n, 12.0)  # apart at high; bisect for the distance of touch
    for _ in range(24):
        middle = (low + high) / 2
        b.poses[:, :2] = a.poses[:, :2] + middle[:, None] * direction
        touching = collide(a, b)[3][:, 0] > 0
        low, high = np.where(touching, middle, low), np.where(touching, high, middle)
    b.poses[:, :2] = a.poses[:, :2] + (high - rng.uniform(-0.01, 0.3, n))[:, None] * direction
    a.velocities[:] = rng.uniform(-speed, speed, (n, 3))
    b.velocities[:] = rng.uniform(-speed, speed, (n, 3))
    return a, b


def agree(record, reference, tolerance):
    """Whether a record holds the points of a reference, or fewer where they are at the limit."""
    count = int(reference[0])
    points = record[4:12].reshape(2, 4)
    valid = points[points[:, 2] < np.inf]
    wanted = reference[3 : 3 + 3 * count].reshape(count, 3)
    wanted = wanted[wanted[:, 2] <= 0.02]
    return (
        len(valid) == len(wanted)
        and (len(valid) == 0 or np.abs(record[:2] - reference[1:3]).max() < tolerance)
        and np.abs(valid[:, :3] - wanted).max(initial=0) < tolerance
    )


def moved(side, i, shift):
    one = Side(1)
    for name in ("rings", "counts", "radii", "poses", "velocities"):
        getattr(one, name)[0] = getattr(side, name)[i]
    one.poses[0] += shift
    return one


def check(a, b, answers, records, references, size=1.0):
    """Names the pairs whose lane result is that of no pose nearby."""
    wrong = []
    for i in np.flatnonzero(answers != DOUBTFUL):
        record = records[i] if answers[i] == NEAR else np.full(16, np.inf)
        if agree(record, references[i], 2e-5 * size):
            continue
        for step in (1e-6, 1e-5, 1e-4):
            shifts = np.array(list(itertools.product([-1, 0, 1], repeat=3))) * step * size
            near = [collide(moved(a, i, 0), moved(b, i, shift))[3][0] for shift in shifts]
            if any(agree(record, other, 1e-3 * size) for other in near):
                break
        else:
            wrong.append(i)
    return wrong


@pytest.mark.fast_cases(40)
@pytest.mark.parametrize("forms", list(itertools.product(FORMS, repeat=2)), ids="-".join)
def test_manifolds_are_those_of_double_precision(forms):
    rng = np.random.default_rng(FORMS.index(forms[0]) * 100 + FORMS.index(forms[1]))
    a, b = random_pairs(rng, forms, 60)
    kinds, answers, records, references, _ = collide(a, b)
    assert kinds.min() > 0
    assert (answers == NEAR).sum() > 30
    assert (answers == DOUBTFUL).mean() <= 0.15
    assert check(a, b, answers, records, references) == []
    near = answers == NEAR
    assert np.hypot(*records[near, :2].T) == pytest.approx(1, abs=1e-6)
    # Centre to centre, from a to b: the origins are the centres of mass here.
    offset = b.poses[:, :2] - a.poses[:, :2]
    assert records[near, 14:16] == pytest.approx(offset[near], abs=1e-5)
    assert records[near, 2] == pytest.approx(0.125)  # the mean of 0 and 0.25
    assert records[near, 13] == pytest.approx(2)


@pytest.mark.parametrize("far", [1e3, 1e7])
def test_far_from_the_origin(far):
    rng = np.random.default_rng(int(far))
    for forms in [("box", "box"), ("octagon", "capsule"), ("circle", "triangle")]:
        a, b = random_pairs(rng, forms, 50, far)
        _, answers, records, references, _ = collide(a, b)
        assert check(a, b, answers, records, references) == []


def widths():
    return testing.simd_available()


@pytest.mark.parametrize("n", [1, 3, 4, 7, 8, 9, 41])
def test_same_bits_at_every_width_and_in_every_lane(n):
    rng = np.random.default_rng(n)
    for forms in itertools.product(["circle", "box", "capsule", "triangle", "octagon"], repeat=2):
        a, b = random_pairs(rng, forms, n, speed=3.0)
        for cull in (False, True):
            results = [collide(a, b, simd, cull) for simd in widths()]
            for other in results[1:]:
                for x, y in zip(results[0], other, strict=True):
                    assert x.tobytes() == y.tobytes()
        alone = [collide(moved(a, i, 0), moved(b, i, 0), widths()[-1]) for i in range(n)]
        together = collide(a, b, widths()[-1])
        assert [x[1][0] for x in alone] == together[1].tolist()
        assert b"".join(x[2].tobytes() for x in alone) == together[2].tobytes()


CHAINS = {
    "flat": [[-3, 0], [-1, 0], [1, 0], [3, 0]],
    "convex": [[-3, -0.8], [-1, 0], [1, 0], [3, -0.8]],
    "concave": [[-3, 0.8], [-1, 0], [1, 0], [3, 0.8]],
    "sharp": [[-1, -2], [-1, 0], [1, 0], [1, -2]],
}


@pytest.mark.fast_cases(30)
@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
@pytest.mark.parametrize("chain_is_a", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_pairs_with_a_chain(form, chain_is_a, chain):
    rng = np.random.default_rng(FORMS.index(form))
    n = 80
    chains, bodies = Side(n), Side(n)
    for i in range(n):
        chains.put(i, np.array(chain, float), -1)
        bodies.put(i, *make_form(rng, form))
    a, b = (chains, bodies) if chain_is_a else (bodies, chains)
    bodies.poses[:, 2] = rng.uniform(-np.pi, np.pi, n)
    bodies.poses[::3, 2] = 0
    bodies.poses[:, 0] = rng.uniform(-2, 2, n)
    low, high = np.full(n, -1.0), np.full(n, 6.0)
    for _ in range(24):  # above the line, let down until it touches
        middle = (low + high) / 2
        bodies.poses[:, 1] = middle
        touching = collide(a, b)[3][:, 0] > 0
        low, high = np.where(touching, middle, low), np.where(touching, high, middle)
    bodies.poses[:, 1] = high - rng.uniform(-0.01, 0.1, n)
    bodies.poses[::10, 1] -= 4  # behind
    turn = rng.uniform(-np.pi, np.pi)  # all of it somewhere else
    c, s = np.cos(turn), np.sin(turn)
    for side in (chains, bodies):
        side.poses[:, :2] = side.poses[:, :2] @ [[c, s], [-s, c]] + [3, 4]
        side.poses[:, 2] += turn
    kinds, answers, records, references, _ = collide(a, b)
    assert kinds.min() > 0
    assert (answers == NEAR).sum() >= 10
    assert check(a, b, answers, records, references) == []
    assert not answers[::10].any()


@pytest.mark.parametrize("chain", ["flat", "concave"])
@pytest.mark.parametrize("chain_is_a", [False, True])
@pytest.mark.parametrize("form", ["circle", "box", "rounded box", "capsule", "triangle"])
def test_the_ends_of_a_chain_that_goes_on_inwards(form, chain_is_a, chain):
    """At such joints the lanes have an answer, but for what lies on the very end."""
    rng = np.random.default_rng(FORMS.index(form))
    n = 160
    chains, bodies = Side(n), Side(n)
    for i in range(n):
        chains.put(i, np.array(CHAINS[chain], float), -1)
        ring, radius = make_form(rng, form)
        bodies.put(i, ring - ring.mean(axis=0), radius)
    ends = rng.choice([-1.0, 1.0], n)
    bodies.poses[:, 0] = ends + rng.uniform(-0.4, 0.4, n)
    bodies.poses[:, 1] = rng.uniform(0.1, 0.7, n)
    bodies.poses[:, 2] = rng.uniform(-np.pi, np.pi, n)
    on_end = np.arange(n) % 10 == 0
    bodies.poses[on_end, 0] = ends[on_end] + rng.uniform(-1e-6, 1e-6, on_end.sum())
    a, b = (chains, bodies) if chain_is_a else (bodies, chains)
    results = [collide(a, b, simd) for simd in widths()]
    _, answers, records, references, _ = results[0]
    assert (answers == NEAR).sum() > 20
    # Of a triangle the lanes know roughly where the centroid is, which may be behind the chain.
    assert (answers[~on_end] == DOUBTFUL).mean() < (0.6 if form == "triangle" else 0.02)
    assert not (on_end & (answers == APART) & (references[:, 0] > 0)).any()
    assert check(a, b, answers, records, references) == []
    for other in results[1:]:
        for x, y in zip(results[0], other, strict=True):
            assert x.tobytes() == y.tobytes()


def test_the_cull_loses_nothing():
    rng = np.random.default_rng(5)
    for forms in itertools.product(FORMS, repeat=2):
        a, b = random_pairs(rng, forms, 20, speed=10.0)
        b.poses[:, :2] += rng.uniform(-0.3, 0.3, (20, 2))
        all_answers, culled = collide(a, b)[1], collide(a, b, cull=True)[1]
        assert (all_answers == culled).all()


DEGENERATE = {
    "same box twice": ("box", (0, 0, 0), "box", (0, 0, 0)),
    "flush on top": ("box", (0, 0, 0), "box", (0, 2, 0)),
    "flush beside": ("box", (0, 0, 0), "box", (2, 0, 0)),
    "corner on corner": ("box", (0, 0, 0), "box", (2, 2, 0)),
    "corner into corner": ("box", (0, 0, 0), "box", (1.99, 1.99, 0)),
    "corner above corner": ("box", (0, 0, 0), "box", (2.005, 2.005, 0)),
    "corner on face": ("box", (0, 0, 0), "box", (0, 1 + 2**0.5, np.pi / 4)),
    "edge over the edge": ("box", (0, 0, 0), "box", (1.9, 1.999, 1e-5)),
    "collinear segments": ("segment", (0, 0, 0), "segment", (2.01, 0, 0)),
    "segments that share an end": ("segment", (0, 0, 0), "segment", (2, 0, 0)),
    "segments that cross": ("segment", (0, 0, 0), "segment", (0, 0, np.pi / 2)),
    "segment on itself": ("segment", (0, 0, 0), "segment", (0, 0, 0)),
    "capsules on one line": ("capsule", (0, 0, 0), "capsule", (2.4, 0, 0)),
    "capsules that cross": ("capsule", (0, 0, 0), "capsule", (0, 0, 1)),
    "capsules in parallel": ("capsule", (0, 0, 0), "capsule", (0.3, 0.4, 0)),
    "capsule standing on a box": ("box", (0, 0, 0), "capsule", (0, 2.2, np.pi / 2)),
    "circles in one place": ("circle", (0, 0, 0), "circle", (0, 0, 0)),
    "circle in the middle": ("box", (0, 0, 0), "circle", (0, 0, 0)),
    "circle on the edge": ("box", (0, 0, 0), "circle", (0, 1, 0)),
    "circle on the corner": ("box", (0, 0, 0), "circle", (1, 1, 0)),
    "circle on a segment": ("segment", (0, 0, 0), "circle", (0.5, 0, 0)),
    "circle beyond a segment": ("segment", (0, 0, 0), "circle", (1.51, 0, 0)),
    "circle at a vertex": ("octagon", (0, 0, 0), "circle", (1.5, 0, 0)),
    "circle in an octagon": ("octagon", (0, 0, 0), "circle", (0.1, 0, 0)),
    "octagon on box": ("box", (0, 0, 0), "octagon", (0, 1 + np.cos(np.pi / 8), np.pi / 8)),
    "octagon on a corner": ("octagon", (0, 0, 0), "octagon", (2, 0, 0)),
    "far apart": ("box", (0, 0, 0), "octagon", (50, 0, 0)),
    "beyond float32": ("box", (0, 0, 0), "box", (1e300, -1e300, 0)),
}
TURN = np.arange(8) * np.pi / 4
PLAIN = {
    "box": (np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]]), 0),
    "segment": (np.array([[-1.0, 0], [1, 0]]), 0),
    "capsule": (np.array([[-1.0, 0], [1, 0]]), 0.2),
    "circle": (np.zeros((1, 2)), 0.5),
    "octagon": (np.column_stack([np.cos(TURN), np.sin(TURN)]), 0),
}


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("case", DEGENERATE.values(), ids=DEGENERATE)
def test_degenerate_pairs(case, swap):
    first, second = Side(1), Side(1)
    first.put(0, *PLAIN[case[0]])
    second.put(0, *PLAIN[case[2]])
    first.poses[0], second.poses[0] = case[1], case[3]
    a, b = (second, first) if swap else (first, second)
    for simd in widths():
        _, answers, records, references, _ = collide(a, b, simd)
        # Without the cull, kernels see what is beyond float32 too: only with it the answer counts.
        if abs(case[3][0]) > 1e100:
            assert collide(a, b, simd, True)[1].tolist() == [APART]
            continue
        assert not np.isnan(records).any()
        assert check(a, b, answers, records, references) == []


def test_what_the_kernels_leave_alone():
    rng = np.random.default_rng(1)
    a, b = Side(4), Side(4)
    many = np.arange(12) * np.pi / 6
    a.put(0, np.column_stack([np.cos(many), np.sin(many)]), 0)
    a.put(1, np.array([[-200.0, -1], [200, -1], [200, 1]]), 0)
    a.put(2, np.array([[-1.0, -1], [0, -1 - 1e-9], [1, -1], [1, 1], [-1, 1]]), 0)
    a.put(3, np.zeros((1, 2)), 1e-4)
    for i in range(4):
        b.put(i, *make_form(rng, "box"))
    kinds, answers, _, _, _ = collide(a, b)
    assert kinds[:, 0].tolist() == [0, 0, 0, 0]
    assert kinds[:, 1].tolist() == [2, 2, 2, 2]
    assert answers.tolist() == [0, 0, 0, 0]
    # Deep in a long piece no window shows how deep.
    block = Side(4)
    for i in range(4):
        block.put(i, np.array([[-900.0, -800], [900, -800], [900, 800], [-900, 800]]), 0)
    assert collide(block, b)[1].tolist() == [DOUBTFUL] * 4


LONG = {
    "ground": [[-500.0, -2], [500, -2], [500, 0], [-500, 0]],
    "block": [[-3000.0, -700], [3000, -700], [3000, 0], [-3000, 0]],
    "wall": [[-1.0, -400], [0, -400], [0, 400], [-1, 400]],
    "segment": [[-321.0, 0], [4567, 0]],
    "chain": [[-600.0, -5], [-500, 0], [500, 0], [600, -5]],
}


@pytest.mark.parametrize("long_is_a", [False, True])
@pytest.mark.parametrize("name", LONG)
def test_long_pieces_are_those_of_double_precision(name, long_is_a):
    rng = np.random.default_rng(len(name))
    ring = np.array(LONG[name])
    for form in FORMS:
        n = 40
        longs, bodies = Side(n), Side(n)
        for i in range(n):
            longs.put(i, ring, -1 if name == "chain" else 0)
            bodies.put(i, *make_form(rng, form))
        a, b = (longs, bodies) if long_is_a else (bodies, longs)
        ends = np.where(rng.random(n) < 0.5, -1, 1)  # of the top: some lie there
        left, right = (-500, 500) if name == "chain" else (ring[:, 0].min(), ring[:, 0].max())
        along = rng.uniform(left, right, n)
        at_end = rng.random(n) < 0.25
        along[at_end] = np.where(ends < 0, left, right)[at_end] + rng.uniform(-3, 3, at_end.sum())
        top = ring[:, 1].max()
        bodies.poses[:, 2] = rng.uniform(-np.pi, np.pi, n)
        bodies.poses[::3, 2] = 0
        bodies.poses[:, 0] = along
        low, high = np.full(n, top - 1.0), np.full(n, top + 6.0)
        for _ in range(24):
            middle = (low + high) / 2
            bodies.poses[:, 1] = middle
            touching = collide(a, b)[3][:, 0] > 0
            low, high = np.where(touching, middle, low), np.where(touching, high, middle)
        bodies.poses[:, 1] = high - rng.uniform(-0.01, 0.1, n)
        turn = rng.uniform(-np.pi, np.pi)
        c, s = np.cos(turn), np.sin(turn)
        for side in (longs, bodies):
            side.poses[:, :2] = side.poses[:, :2] @ [[c, s], [-s, c]] + [30, 40]
            side.poses[:, 2] += turn
        results = [collide(a, b, simd) for simd in widths()]
        kinds, answers, records, references, _ = results[0]
        assert kinds.min() > 0
        assert kinds.max() == (7 if name == "chain" else 6)
        assert (answers == NEAR).sum() > (8 if name == "chain" else 20)  # some are behind
        if long_is_a:  # points are given from its centre, in float32
            far = np.abs(references[:, [3, 4, 6, 7]]).max(initial=1)
            assert check(a, b, answers, records, references, max(1.0, far / 100)) == []
        else:
            assert check(a, b, answers, records, references) == []
        for other in results[1:]:
            for x, y in zip(results[0], other, strict=True):
                assert x.tobytes() == y.tobytes()


def test_points_that_will_not_arrive_are_left_out():
    # 0.1 m apart; 9 m/s close the gap within the step, 3 m/s do not.
    a, b = Side(3), Side(3)
    for i, speed in enumerate([9.0, 3.0, -9.0]):
        a.put(i, *PLAIN["box"])
        b.put(i, *PLAIN["box"])
        b.poses[i] = (0, 2.1, 0)
        b.velocities[i] = (0, -speed, 0)
    _, answers, records, _, approaches = collide(a, b)
    assert answers.tolist() == [NEAR, APART, APART]
    assert records[0, 6] == pytest.approx(0.1, abs=1e-6)
    assert approaches.tolist() == [pytest.approx(9.0), 0, 0]


def test_corners_that_may_graze_are_left_to_the_world():
    # A corner flies past the corner of a tile: the world looks at where it will be.
    a, b = Side(2), Side(2)
    for i, speed in enumerate([8.0, 0.0]):
        a.put(i, *PLAIN["box"])
        b.put(i, *PLAIN["box"])
        b.poses[i] = (2.05, 1.999, 0)
        b.velocities[i] = (-speed, 0, 0)
    b.poses[1] = (2.005, 1.999, 0)
    assert collide(a, b)[1].tolist() == [DOUBTFUL, NEAR]


def corner_pairs(rng, forms, n):
    """Pairs whose corners are within centimetres, in flight towards each other or past."""
    sides = Side(n), Side(n)
    for i in range(n):
        corners = []
        for side, form in zip(sides, forms, strict=True):
            ring, radius = make_form(rng, form)
            side.put(i, ring, radius)
            turn = rng.uniform(-np.pi, np.pi)
            side.poses[i, 2] = turn
            c, s = np.cos(turn), np.sin(turn)
            corners.append((ring @ [[c, s], [-s, c]], radius))
        direction = rng.uniform(0, 2 * np.pi)
        direction = np.array([np.cos(direction), np.sin(direction)])
        (ring_a, radius_a), (ring_b, radius_b) = corners
        from_a = ring_a[np.argmax(ring_a @ direction)]
        from_b = ring_b[np.argmin(ring_b @ direction)]
        gap = radius_a + radius_b + rng.uniform(-0.004, 0.05)
        sides[1].poses[i, :2] = from_a - from_b + gap * direction
        way = np.array([-direction[1], direction[0]]) * rng.choice([-1, 1])
        sides[0].velocities[i, :2] = rng.uniform(-20, 20, 2)
        sides[1].velocities[i, :2] = sides[0].velocities[i, :2] + 6 * way - 3 * direction
    for side in sides:
        side.velocities[:, 2] = rng.uniform(-5, 5, n)
    return sides


def after(side, time):
    later = Side(len(side.counts))
    later.rings, later.counts, later.radii = side.rings, side.counts, side.radii
    later.poses = side.poses + time * side.velocities
    return later


@pytest.mark.slow
@pytest.mark.parametrize("cull", [False, True])
@pytest.mark.parametrize(
    "forms", [("box", "box"), ("rounded box", "capsule"), ("circle", "box"), ("capsule", "circle")]
)
def test_corners_that_graze(forms, cull):
    """They pass where they overlap by no more than 5 mm half way and at the end of the step."""
    a, b = corner_pairs(np.random.default_rng(3), forms, 5000)
    asked = collide(a, b, cull=cull)[1] == DOUBTFUL
    results = [testing.lane_grazing(simd, cull, DT, *a.arrays(), *b.arrays()) for simd in widths()]
    answers, records = results[0][1:3]
    deepest = np.full(5000, np.inf)
    for part in (0.5, 1.0):
        reference = collide(after(a, part * DT), after(b, part * DT))[3]
        for point in (0, 1):
            there = reference[:, 0] > point
            depth = np.where(there, reference[:, 5 + 3 * point], np.inf)
            deepest = np.minimum(deepest, depth)
    assert (asked & (answers == PASSES)).sum() > 20
    assert (asked & (answers == NEAR)).sum() > 20
    assert (deepest[asked & (answers == PASSES)] > -0.0051).all()
    assert (deepest[asked & (answers == NEAR)] < -0.0049).all()
    before = collide(a, b, cull=cull)
    assert (answers[~asked] == before[1][~asked]).all()
    assert records.tobytes() == before[2].tobytes()
    for other in results[1:]:
        for x, y in zip(results[0], other, strict=True):
            assert x.tobytes() == y.tobytes()
