# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 09 · A naval battle
#
# **Learning goal.** You can choose the collision test that a game needs and no more: a point in a
# large concave land, a segment against a hull for fast cannonballs, separating axes for ship
# against ship. You can write each in a few lines of NumPy and say when it fails.
#
# **You need** NumPy; lessons 02 and 03 help.
#
# Three kinds of things meet around the British Isles:
#
# | thing | what it is like | test |
# |---|---|---|
# | land | large, fixed, concave, hundreds of corners | point in polygon |
# | ships | convex, slow | separating axes (SAT) |
# | cannonballs | points, fast | segment against polygon |

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection

import pyphys2d as p2
from pyphys2d import geometry, plot
from pyphys2d.scenes.naval import HULL, coast, naval

# The colours of Okabe and Ito (2008), which colour-blind eyes can tell apart.
BLUE, SKY, ORANGE, GREEN = "#0072b2", "#56b4e9", "#e69f00", "#009e73"
RED, PINK, GREY = "#d55e00", "#cc79a7", "#6e6e6a"
plt.rcParams["figure.constrained_layout.use"] = True

LAND = coast()  # polygons; one unit (a metre of the engine) is 10 km of the map
HULL = 0.35 * np.array(HULL)  # the outline of a ship, bow to the right, about 1.8 units long


def draw_land(ax, view):
    rings = [island.vertices for island in LAND]
    ax.add_collection(PolyCollection(rings, facecolors="#d9d9d4", edgecolors=GREY, linewidths=0.7))
    ax.set(aspect="equal", xlim=view[::2], ylim=view[1::2], facecolor="#eef6fb")


# %% [markdown]
# ## 1. Ship and land: a point in the coast
#
# The coast comes with the package (Natural Earth, public domain). It is a flat map of small scale,
# so its areas agree with the atlas within six per cent.

# %%
corners = [len(island.vertices) for island in LAND]
km2 = 100 * np.array([island.area for island in LAND])
print(f"{len(LAND)} islands with {sum(corners)} corners; the largest:")
print(f"Great Britain {km2[0]:,.0f} km², Ireland {km2[1]:,.0f} km²")
assert np.allclose(km2[:2], [209_331, 84_421], rtol=0.06)  # the atlas
shoelace = [
    0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    for x, y in (island.vertices.T for island in LAND)
]
assert np.allclose(100 * np.array(shoelace), km2, rtol=1e-12)

# %% [markdown]
# Is a point on land? A ray goes from the point to the right, and we count the edges that it
# crosses. Each crossing changes between inside and outside, so an odd number means inside. This
# **even–odd rule** works for concave polygons, and it tests each edge just once.
#
# An edge from $(x_1, y_1)$ to $(x_2, y_2)$ can be crossed only if one end lies above the ray and
# the other does not. Written as `(y1 > y) != (y2 > y)`, a corner exactly at the height of the ray
# belongs to one side, and so it is never counted twice. Then the crossing has to lie to the right
# of the point.


# %%
def even_odd(points, ring):
    """Which of the points (m, 2) lie inside a ring (n, 2), convex or not."""
    x, y = points.T[:, :, None]
    (x1, y1), (x2, y2) = ring.T, np.roll(ring, -1, axis=0).T
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = x1 + (y - y1) / (y2 - y1) * (x2 - x1)
    return np.sum(((y1 > y) != (y2 > y)) & (x < crossing), axis=1) % 2 == 1


LOWER, UPPER = np.array([island.aabb for island in LAND]).swapaxes(0, 1)


def on_land(points):
    """The same with the engine, for all islands; a box around each island comes first."""
    points = np.asarray(points, float)
    spots, land = points.reshape(-1, 2), np.zeros(points[..., 0].size, bool)
    near = np.all((spots[:, None] >= LOWER) & (spots[:, None] <= UPPER), axis=2)
    for k in np.flatnonzero(near.any(axis=0)):
        land[near[:, k]] |= geometry.point_in_polygon(spots[near[:, k]], LAND[k].vertices)
    return land.reshape(points.shape[:-1])


# %%
spacing = 1.0
x, y = np.meshgrid(np.arange(-44, 44, spacing) + 0.37, np.arange(-64, 68, spacing) + 0.41)
grid = np.stack([x, y], axis=-1)
land = on_land(grid)
by_hand = np.any([even_odd(grid.reshape(-1, 2), island.vertices) for island in LAND], axis=0)
assert np.array_equal(by_hand.reshape(land.shape), land)

fig, ax = plt.subplots(num="09-1 points in the coast", figsize=(6, 7.6))
draw_land(ax, (-45, -64, 45, 68))
ax.plot(*grid[land].T, ".", color=GREEN, ms=3, label="on land")
ax.plot(*grid[~land].T, ".", color=SKY, ms=1, label="at sea")
for name, place in (("Great Britain", (7, -28)), ("Ireland", (-33, -14))):
    ax.text(*place, name, fontsize=11, weight="bold", bbox={"color": "white", "alpha": 0.7})
ax.set(xlabel="x (10 km)", ylabel="y (10 km)")
ax.legend(loc="lower left", markerscale=3)
plt.show()

# %% [markdown]
# **Figure 1.** A grid of points over the coast. The points on land (green) fill Great Britain,
# Ireland and the small islands, bays included.

# %% [markdown]
# Each point stands for a square of $10\times10$ km, so counting points measures the area. The error
# comes from the squares on the coast alone. They are many, but some count too much and some too
# little.

# %%
counted = 100 * spacing**2 * land.sum()
print(f"counted {counted:,.0f} km², exact {km2.sum():,.0f} km²")
assert abs(counted / km2.sum() - 1) < 0.02

# %% [markdown]
# A ship is **aground** if a corner of its hull is on land. The ship is slow, so testing once per
# step is enough. But the test has a hole, see exercise 1.


# %%
def placed(positions, angles):
    """Hulls of ships: (ships, corners, 2)."""
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    x, y = HULL.T
    outline = np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)
    return positions[:, None] + outline


hulls = placed(np.array([(-9.0, -30.0), (-12.6, -24.0)]), np.array([0.3, 2.0]))
aground = on_land(hulls).any(axis=1)
assert list(aground) == [False, True]  # in St George's Channel; on the coast of Wicklow

# %% [markdown]
# ### Exercise 1 · The rock in the hull
#
# A small rock lies in the middle of a large ship. What does the test above say? Which second test
# closes the hole?

# %% [markdown]
# <details><summary>Answer</summary>
#
# No corner of the hull is on the rock: the test says "afloat". Two polygons can overlap without a
# corner of the first in the second. One must also ask whether a corner of the *land* is in the
# *hull*. Even both together miss two long thin polygons that cross like swords; for these one
# tests edge against edge. For convex hulls SAT (section 3) has no such holes.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
rock = np.array([(-0.1, -0.1), (0.1, -0.1), (0.0, 0.1)])
assert not geometry.point_in_polygon(HULL, rock).any()
assert geometry.point_in_polygon(rock, HULL).all()
assert geometry.mtv(p2.Polygon(HULL), p2.Polygon(rock)) is not None

# %% [markdown]
# ## 2. Ball and ship: a segment against the hull
#
# A cannonball flies 20 units per second. Between two steps of 0.1 s it moves by 2 units, and a hull
# is half a unit wide. A test "is the ball inside of the hull?" at each step will mostly sample it
# before and behind the ship. The remedy is the simplest *continuous* collision: test the segment
# from the last position $\mathbf{a}$ to the current one $\mathbf{b}$.
#
# The segment meets the edge from $\mathbf{p}$ along $\mathbf{e}$ where
# $\mathbf{a} + r\,\mathbf{d} = \mathbf{p} + s\,\mathbf{e}$, with $\mathbf{d} = \mathbf{b} -
# \mathbf{a}$. A cross product with $\mathbf{e}$ removes $s$, one with $\mathbf{d}$ removes $r$:
#
# $$r = \frac{(\mathbf{p}-\mathbf{a})\times\mathbf{e}}{\mathbf{d}\times\mathbf{e}},\qquad
#   s = \frac{(\mathbf{p}-\mathbf{a})\times\mathbf{d}}{\mathbf{d}\times\mathbf{e}}.$$
#
# There is a hit if both lie between 0 and 1. The edge with the smallest $r$ is hit first. If
# $\mathbf{d}\times\mathbf{e} = 0$ the two are parallel; the division gives infinity or NaN, which
# fails the comparison, as it should here.


# %%
def cross(u, v):
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def first_hit(a, b, ring):
    """First point of the segment from a to b on the ring, or NaN; (2,)."""
    d, edge = b - a, np.roll(ring, -1, axis=0) - ring
    with np.errstate(divide="ignore", invalid="ignore"):
        r = cross(ring - a, edge) / cross(d, edge)
        s = cross(ring - a, d) / cross(d, edge)
    hit = (r >= 0) & (r <= 1) & (s >= 0) & (s <= 1)
    return a + d * r[hit].min() if hit.any() else np.full(2, np.nan)


rng = np.random.default_rng(9)
a, b = rng.uniform(-2, 2, (2, 1000, 2))
ours = np.array([first_hit(*ends, HULL) for ends in zip(a, b, strict=True)])
engine = geometry.segment_vs_polygon(a, b, HULL)  # all thousand in one call
assert np.allclose(ours, engine, atol=1e-12, equal_nan=True)
print(f"{np.isfinite(ours[:, 0]).sum()} of 1000 random segments hit the hull")

# %%
path = np.array([-2.05, -2.25]) + np.arange(6)[:, None] * [0.55, 0.9]
inside = geometry.point_in_polygon(path, HULL)
hits = geometry.segment_vs_polygon(path[:-1], path[1:], HULL)
struck = int(np.flatnonzero(np.isfinite(hits[:, 0]))[0])
assert not inside.any()

fig, ax = plt.subplots(num="09-2 a ball through a hull", figsize=(8, 3.4))
ax.add_collection(PolyCollection([HULL], facecolors=SKY, edgecolors=BLUE))
ax.plot(*path.T, "o", color="black", label="ball at each step")
ax.plot(*path.T, ":", color=GREY, lw=1)
ax.plot(*path[struck : struck + 2].T, color=ORANGE, lw=2.5, label="segment of the hit")
ax.plot(*hits[struck], "X", color=RED, ms=11, label="first point on the hull")
ax.set(aspect="equal", xlim=(-2.4, 3.6), ylim=(-1.5, 1.5))
ax.set(xlabel="x (10 km)", ylabel="y (10 km)")
ax.legend(loc="center right")
plt.show()

# %% [markdown]
# **Figure 2.** The ball is never inside the hull at the moment of a step (black dots). The segment
# between two of them (orange) crosses the hull, and its first point on the hull is the hit
# (vermilion).

# %% [markdown]
# How bad is the point test? The path crosses the hull over a chord of length $c$, and the ball
# moves by $v\,\Delta t$ per step. Where the steps fall is up to chance. So the probability that one
# of them falls on the chord is
#
# $$P = \min\left(1, \frac{c}{v\,\Delta t}\right).$$
#
# We fire 2,000 shots at each speed across the beam of the ship.

# %%
dt, x0 = 0.1, 0.1
chord = np.ptp([first_hit(np.array([x0, y]), np.array([x0, -y]), HULL)[1] for y in (-3.0, 3.0)])
speeds = np.array([2, 4, 6, 10, 15, 20, 30, 40])
found = {"point": [], "segment": []}
for speed in speeds:
    start = rng.uniform(-2 - speed * dt, -2, 2000)  # the first sample, by chance
    samples = np.arange(int(np.ceil(4 / (speed * dt))) + 3)
    y = start[:, None] + speed * dt * samples
    path = np.stack([np.full_like(y, x0), y], axis=-1)
    found["point"].append(geometry.point_in_polygon(path, HULL).any(axis=1).mean())
    hit = geometry.segment_vs_polygon(path[:, :-1], path[:, 1:], HULL)
    found["segment"].append(np.isfinite(hit[..., 0]).any(axis=1).mean())

fig, ax = plt.subplots(num="09-3 hits seen", figsize=(7, 3.6))
fast = np.linspace(2, 40, 200)
ax.plot(fast, np.minimum(1, chord / (fast * dt)), color=GREY, label=r"$\min(1, c / v\Delta t)$")
ax.plot(speeds, found["point"], "s", color=RED, label="point in hull")
ax.plot(speeds, found["segment"], "o", color=BLUE, label="segment against hull")
ax.set(xlabel="speed (units/s)", ylabel="share of hits seen", ylim=(0, 1.08))
ax.legend(loc="center right")
plt.show()

# %% [markdown]
# **Figure 3.** The share of shots that each test finds. The point test (vermilion) loses more and
# more as the speed grows, as the formula says. The segment test (blue) finds all.

# %%
P = np.minimum(1, chord / (speeds * dt))
assert np.all(np.abs(found["point"] - P) <= 4 * np.sqrt(P * (1 - P) / 2000) + 1e-12)  # 4 sigma
assert found["segment"] == [1.0] * len(speeds)
assert np.isclose(chord, 2 * 0.7 * 0.35, rtol=0.03)  # nearly the full beam

# %% [markdown]
# ### Exercise 2 · Lead the target
#
# A ship at $\mathbf{t}$ sails with velocity $\mathbf{w}$. A ball leaves the gun at $\mathbf{g}$
# with the speed $v$ in a direction of your choice. Where do you have to aim? Set up the equation
# for the time $\tau$ of the hit. When is there no answer?

# %% [markdown]
# <details><summary>Answer</summary>
#
# At the time $\tau$ the ship is at $\mathbf{t} + \tau\mathbf{w}$, and the ball must have come as
# far: $|\mathbf{t} + \tau\mathbf{w} - \mathbf{g}| = v\,\tau$. Squared, with
# $\mathbf{q} = \mathbf{t} - \mathbf{g}$:
# $(\mathbf{w}^2 - v^2)\,\tau^2 + 2\,\mathbf{q}\cdot\mathbf{w}\,\tau + \mathbf{q}^2 = 0$. The
# smallest positive root counts; aim at $\mathbf{t} + \tau\mathbf{w}$. A ball faster than the ship
# always has exactly one. A slower ball has none when the ship gets away. The engine has it as
# `geometry.lead_target(shooter, target, target_velocity, speed)`.
# </details>


# %% jupyter={"source_hidden": true} tags=["answer"]
def aim(gun, target, velocity, speed):
    q = target - gun
    roots = np.roots([velocity @ velocity - speed**2, 2 * q @ velocity, q @ q])
    times = roots.real[(abs(roots.imag) < 1e-12) & (roots.real > 0)]
    return target + times.min() * velocity if len(times) else None


gun, target, velocity = np.array([1.0, 2.0]), np.array([9.0, -3.0]), np.array([0.4, 1.1])
point = aim(gun, target, velocity, 6.0)
flight, sail = (np.linalg.norm(point - start) for start in (gun, target))
assert np.isclose(flight / 6.0, sail / np.linalg.norm(velocity))  # they arrive together
assert np.allclose(point, geometry.lead_target(gun, target, velocity, 6.0))
assert aim(gun, target, 9 * (target - gun) / np.linalg.norm(target - gun), 6.0) is None

# %% [markdown]
# ## 3. Ship and ship: separating axes
#
# Two convex shapes are apart if and only if some line separates them, and it is enough to try the
# lines parallel to their edges. Project both hulls on each edge's normal $\mathbf{n}$: this gives
# two intervals. If for one normal they do not overlap, the ships are apart. If they overlap for
# all, the smallest overlap gives the shortest push, the *minimum translation vector* (MTV).


# %%
def separating_axes(first, second):
    """The shortest move of the second hull out of the first, or None if they are apart."""
    best, push = np.inf, None
    for ring in (first, second):
        edge = np.roll(ring, -1, axis=0) - ring
        for n in np.column_stack([edge[:, 1], -edge[:, 0]]) / np.linalg.norm(edge, axis=1)[:, None]:
            a, b = first @ n, second @ n
            # Along n, or against it: the shorter one counts.
            forward, backward = a.max() - b.min(), b.max() - a.min()
            if forward <= 0 or backward <= 0:
                return None
            overlap = min(forward, backward)
            if overlap < best:
                best, push = overlap, n * (forward if forward < backward else -backward)
    return push


# %% [markdown]
# The engine's `geometry.mtv` must agree:

# %%
shape = p2.Polygon(HULL)
poses = np.column_stack([rng.uniform(-2, 2, (300, 2)), rng.uniform(0, 7, 300)])
met = 0
for pose in poses:
    mine = separating_axes(HULL, placed(pose[None, :2], pose[2:])[0])
    theirs = geometry.mtv(shape, shape, (0, 0, 0), pose)
    assert (mine is None) == (theirs is None)
    assert mine is None or np.allclose(mine, theirs, atol=1e-9)
    met += mine is not None
print(f"{met} of 300 random pairs of ships overlap")

# %% [markdown]
# When two ships collide we move both by half of the MTV. Here the axis and the two intervals:

# %%
pose = np.array([0.6, 0.3, 2.3])
other = placed(pose[None, :2], pose[2:])[0]
push = geometry.mtv(shape, shape, (0, 0, 0), pose)
length = np.linalg.norm(push)
n = push / length
fig, (left, right) = plt.subplots(1, 2, num="09-4 ship and ship", figsize=(9, 4.4), sharey=True)
for ax, move in ((left, 0 * push), (right, push)):
    pair = np.array([HULL - move / 2, other + move / 2])
    ax.add_collection(PolyCollection(pair, facecolors=[SKY, ORANGE], edgecolors="black", alpha=0.8))
    side = np.array([-n[1], n[0]]) * 1.5
    ax.axline(side, slope=n[1] / n[0], color=GREY, lw=1)
    for ring, color, shift in ((pair[0], BLUE, 0.04), (pair[1], RED, -0.04)):
        ends = np.array([(ring @ n).min(), (ring @ n).max()])[:, None] * n + side * (1 + shift)
        ax.plot(*ends.T, "|-", color=color, lw=3, ms=10)
    ax.set(aspect="equal", xlim=(-2.4, 2.2), ylim=(-1.2, 2.3), xlabel="x (10 km)")
left.quiver(*pose[:2], *push, angles="xy", scale_units="xy", scale=1, color="black", zorder=4)
left.plot([], [], color="black", ls="none", marker=r"$\rightarrow$", ms=14, label="MTV")
left.legend(loc="lower left")
left.set(ylabel="y (10 km)", title=f"overlap {length:.3f} along the best axis")
right.set_title("each moved by half of it")
plt.show()

# %% [markdown]
# **Figure 4.** Left, the hulls overlap, and so do their projections on the best axis. Right, after
# each ship has moved by half of the MTV (arrow) the projections just touch, and so do the hulls.

# %%
after = geometry.distance(shape, shape, (*(-push / 2), 0), (*(pose[:2] + push / 2), pose[2]))
assert after.distance < 1e-9  # they touch
assert geometry.mtv(shape, shape, (0, 0, 0), (*(pose[:2] + 1.001 * push), pose[2])) is None
shorter = [0.99 * length * np.array([np.cos(t), np.sin(t)]) for t in np.linspace(0, 6.28, 90)]
assert all(
    geometry.mtv(shape, shape, (0, 0, 0), (*(pose[:2] + w), pose[2])) is not None for w in shorter
)

# %% [markdown]
# ## 4. The battle
#
# Now all together, without a physics engine: two fleets of four meet in St George's Channel,
# between Ireland and Wales. In each step of 0.1 s
#
# 1. each ship makes for the nearest enemy and turns away from land ahead of it; if a move would run
#    it aground, it stays where it is;
# 2. ships that overlap are moved apart by SAT;
# 3. each ship fires in turn, with some error of aim;
# 4. balls fly, and their segments are tested against all enemy hulls in one call; a ball that comes
#    down on land is lost. A ship that has taken six hits goes down.


# %%
class Battle:
    """The state of the game, all of it in arrays."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        south = np.array([(-19, -48), (-16.5, -50), (-14, -48), (-16.5, -53)])
        north = np.array([(-9.5, -14), (-7.5, -12), (-6, -14), (-8, -16.5)])
        self.position = np.concatenate([south, north]).astype(float)
        self.angle = np.repeat([1.5, -1.8], 4)
        self.side = np.repeat([0, 1], 4)
        self.damage = np.zeros(8, int)
        self.ball, self.ball_velocity = np.zeros((0, 2)), np.zeros((0, 2))
        self.ball_side, self.ball_age = np.zeros(0, int), np.zeros(0, int)
        self.count = dict.fromkeys(("fired", "hit", "on land", "spent", "aground", "rammed"), 0)
        self.hits, self.tracks, self.step_number = [], [], 0

    def afloat(self):
        return np.flatnonzero(self.damage < 6)


# %%
def go(game, k, place, angle):
    """Moves a ship there unless a corner of its hull would be on land; tells whether it did."""
    if on_land(placed(place[None], np.array([angle]))).any():
        return False
    game.position[k], game.angle[k] = place, angle
    return True


# %%
def sail(game, k, dt, speed=1.2):
    """One ship turns by at most 0.9 rad/s, away from land or to the nearest enemy, and moves."""
    enemies = [i for i in game.afloat() if game.side[i] != game.side[k]]
    to = game.position[enemies] - game.position[k]
    nearest = np.linalg.norm(to, axis=1).argmin()
    bearing = np.arctan2(to[nearest, 1], to[nearest, 0])
    wish = bearing + (1.2 if np.linalg.norm(to[nearest]) < 6 else 0)  # when near, show the side
    feelers = game.angle[k] + np.array([0.0, 0.7, -0.7])
    front, left, right = on_land(game.position[k] + 2.2 * geometry.direction(feelers))
    turn = np.sin(wish - game.angle[k])
    if front or left or right:
        turn = 1.0 if right and not left else -1.0
    angle = game.angle[k] + 0.9 * dt * turn
    if not go(game, k, game.position[k] + speed * dt * geometry.direction(angle), angle):
        game.count["aground"] += 1
        go(game, k, game.position[k], angle)


# %%
def ram(game):
    """Ships that overlap are moved apart, each by half of the MTV."""
    ships = game.afloat()
    for i, j in zip(*np.triu_indices(len(ships), 1), strict=True):
        a, b = ships[i], ships[j]
        poses = np.column_stack([game.position[[a, b]], game.angle[[a, b]]])
        push = geometry.mtv(shape, shape, *poses)
        if push is not None:
            game.count["rammed"] += 1
            go(game, a, game.position[a] - push / 2, game.angle[a])
            go(game, b, game.position[b] + push / 2, game.angle[b])


# %% [markdown]
# Guns and balls. `segment_vs_polygon` takes all balls and all hulls at once: segments of shape
# (balls, 1, 2) against hulls of shape (ships, corners, 2) give hits of shape (balls, ships, 2).


# %%
def fire(game, k, dt, speed=20.0):
    """One ship fires at the nearest enemy in range, ahead of it, with an error of some degrees."""
    enemies = np.array([i for i in game.afloat() if game.side[i] != game.side[k]])
    to = game.position[enemies] - game.position[k]
    gap = np.linalg.norm(to, axis=1)
    nearest = gap.argmin()
    if gap[nearest] > 12:
        return
    lead = 1.2 * geometry.direction(game.angle[enemies[nearest]]) * gap[nearest] / speed
    x, y = to[nearest] + lead
    course = np.arctan2(y, x) + game.rng.normal(0, 0.15)
    game.ball = np.vstack([game.ball, game.position[k]])
    game.ball_velocity = np.vstack([game.ball_velocity, speed * geometry.direction(course)])
    game.ball_side = np.append(game.ball_side, game.side[k])
    game.ball_age = np.append(game.ball_age, 0)
    game.count["fired"] += 1


def keep(game, which):
    for name in ("ball", "ball_velocity", "ball_side", "ball_age"):
        setattr(game, name, getattr(game, name)[which])


# %%
def fly(game, dt):
    """Balls fly; those that hit an enemy, come down on land or are spent vanish."""
    last, game.ball = game.ball, game.ball + dt * game.ball_velocity
    ships = game.afloat()
    hulls = placed(game.position[ships], game.angle[ships])
    hit = geometry.segment_vs_polygon(last[:, None], game.ball[:, None], hulls)
    hit[game.ball_side[:, None] == game.side[ships]] = np.nan
    gap = np.where(np.isnan(hit[..., 0]), np.inf, np.linalg.norm(hit - last[:, None], axis=2))
    struck = np.isfinite(gap).any(axis=1)
    for ball in np.flatnonzero(struck):
        ship = gap[ball].argmin()
        game.damage[ships[ship]] += 1
        game.hits.append((hit[ball, ship], hulls[ship], last[ball], game.ball[ball]))
    game.ball_age = game.ball_age + 1
    lost = ~struck & on_land(game.ball)
    spent = ~struck & ~lost & (game.ball_age > 8)
    for name, which in (("hit", struck), ("on land", lost), ("spent", spent)):
        game.count[name] += int(which.sum())
    keep(game, ~(struck | lost | spent))


# %%
def play(steps=600, dt=0.1):
    game = Battle()
    for step in range(steps):
        for k in game.afloat():
            if len(set(game.side[game.afloat()])) == 2:
                sail(game, k, dt)
                if (step + 5 * k) % 15 == 0:
                    fire(game, k, dt)
        ram(game)
        fly(game, dt)
        game.tracks.append(game.position.copy())
    return game


game = play()
print(game.count, "damage:", game.damage)


# %%
def draw_battle(ax, game, view, size, width):
    draw_land(ax, view)
    tracks, hulls = np.array(game.tracks), placed(game.position, game.angle)
    for k, color in enumerate([BLUE] * 4 + [RED] * 4):
        ax.plot(*tracks[:, k].T, color=color, lw=width, alpha=0.7, ls="-" if k < 4 else "--")
    for side, color, name in ((0, BLUE, "southern fleet"), (1, RED, "northern fleet")):
        for sunk in (False, True):
            these = (game.side == side) & ((game.damage >= 6) == sunk)
            style = {"facecolors": "white" if sunk else color, "edgecolors": color, "zorder": 3}
            label = f"{name}{', sunk' if sunk else ''} ({these.sum()})"
            ax.add_collection(PolyCollection(hulls[these], **style, label=label))
    points = np.array([hit[0] for hit in game.hits])
    ax.plot(*points.T, "x", color="black", ms=size, label=f"hits ({len(points)})", zorder=4)
    ax.set(xlabel="x (10 km)")


# %%
fig, (ax, near) = plt.subplots(
    1, 2, num="09-5 the battle", figsize=(12, 8.6), width_ratios=[22 / 43, 10.5 / 16]
)
draw_battle(ax, game, (-21, -54, 1, -11), 0, 1)
draw_battle(near, game, (-17, -39.5, -6.5, -23.5), 8, 1.4)
ax.set(ylabel="y (10 km)", xticks=range(-20, 1, 5), title="the courses of both fleets")
ax.text(-20.3, -17, "Ireland", weight="bold")
ax.text(-3.6, -46, "Wales", weight="bold")
ax.indicate_inset((-17, -39.5, 10.5, 16), edgecolor="black", lw=1.5)
near.set_title("within the frame: hulls at the end, and all hits")
fig.legend(*near.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=11)
plt.show()

# %% [markdown]
# **Figure 5.** The battle after a minute: courses of the southern fleet in blue and of the northern
# one in vermilion (dashed). Filled hulls are afloat, open ones have sunk. The crosses are the
# points where balls hit.

# %% [markdown]
# A game without an engine keeps no conservation laws, but other things must hold: each ball is
# accounted for, each hit lies on the hull that it damaged, no ship is on land, and no two ships
# overlap.

# %%
count = game.count
assert count["fired"] == count["hit"] + count["on land"] + count["spent"] + len(game.ball)
assert game.damage.sum() == count["hit"] == len(game.hits) > 0
for point, hull, last, now in game.hits:
    edge = np.roll(hull, -1, axis=0) - hull
    along = np.clip(np.sum((point - hull) * edge, axis=1) / np.sum(edge**2, axis=1), 0, 1)
    assert np.linalg.norm(hull + along[:, None] * edge - point, axis=1).min() < 1e-9
    assert abs(cross(point - last, now - last)) < 1e-9  # on the path of the ball
assert not on_land(placed(game.position, game.angle)).any()
ships = game.afloat()
for i, j in zip(*np.triu_indices(len(ships), 1), strict=True):
    pair = [(*game.position[ships[k]], game.angle[ships[k]]) for k in (i, j)]
    push = geometry.mtv(shape, shape, *pair)
    assert push is None or np.linalg.norm(push) < 0.05

# %% [markdown]
# ## 5. The same with the engine
#
# The scene `naval` of the package has four fleets of larger ships. Here they are rigid bodies: they
# turn and slow down when they hit the coast or each other, and a broadside pushes them. The engine
# uses the same ingredients: boxes first, then separating axes between convex parts. Concave islands
# are split into such parts. We run ten seconds and check the result with our own tests.

# %%
scene = naval()
world = scene.world
ships = [body for body in world.bodies if body.kind == "dynamic"]
trails = []
for step in range(scene.steps):
    scene.before_step(world, step)
    world.step(scene.dt)
    trails.append([ship.position for ship in ships])
trails = np.array(trails)

fig, ax = plt.subplots(num="09-6 the engine's battle", figsize=(6.6, 6.4))
plot.world(world, ax, contacts=False, view=scene.view)
ax.set(xlabel="x (10 km)", ylabel="y (10 km)")  # as above; the engine calls it metres
paths = LineCollection(list(trails.swapaxes(0, 1)), colors=ORANGE, linewidths=0.8, zorder=2)
ax.add_collection(paths)
touching = world.contacts
ax.plot(*touching["point"].T, "o", mfc="none", color=RED, ms=8, label="contacts")
ax.legend(loc="lower right")
plt.show()

# %% [markdown]
# **Figure 6.** The engine's battle after ten seconds. Ships (blue) lie against the coast and
# against each other, and vermilion rings mark their contacts. No course (orange) leads over land.

# %%
assert not on_land(trails).any()  # no ship's centre was ever on land
kinds = world.kinds[np.column_stack([touching["body_a"], touching["body_b"]])]
on_coast = touching["point"][(kinds == 0).any(axis=1)]
for point in on_coast:  # where ships touch land, there is a coast
    edges = [(ring, np.roll(ring, -1, axis=0) - ring) for ring in (i.vertices for i in LAND)]
    gaps = []
    for ring, edge in edges:
        along = np.clip(np.sum((point - ring) * edge, axis=1) / np.sum(edge**2, axis=1), 0, 1)
        gaps.append(np.linalg.norm(ring + along[:, None] * edge - point, axis=1).min())
    assert min(gaps) < 0.05
parts = [sum(geometry.area(part) for part in island.parts) for island in LAND]
assert np.allclose(100 * np.array(parts), km2, rtol=1e-12)  # convex parts, nothing lost
print(f"{len(on_coast)} contacts with land; {sum(len(i.parts) for i in LAND)} convex parts in all")

# %% [markdown]
# ### Exercise 3 · Small steps instead
#
# Could you do without segments, by shorter steps? For which $\Delta t$ does the point test see
# every shot across the beam at 20 units/s? What does that cost, and which shots does it still miss?

# %% [markdown]
# <details><summary>Answer</summary>
#
# $P = 1$ needs $v\,\Delta t \le c$: with $c \approx 0.48$ less than 0.024 s, four times as many
# steps for everything in the game. And a shot that only cuts a corner of the hull has a shorter
# chord, down to zero: for those no step is short enough. The segment test costs one test per step
# and finds them all.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
step_length = 20 * 0.0239
assert step_length < chord < 20 * 0.024
graze = np.array([[1.9 * 0.35 + 0.2, 3.0], [1.9 * 0.35 + 0.2, -3.0]])  # across the bow
y = np.arange(3, -3, -step_length)
path = np.column_stack([np.full_like(y, graze[0, 0]), y])
assert not geometry.point_in_polygon(path, HULL).any()
assert np.isfinite(geometry.segment_vs_polygon(*graze, HULL)).all()

# %% [markdown]
# ## References
#
# * T. Novelli, *DIY 2D Vector Physics*, 2015: the naval battle.
# * E. Haines, *Point in Polygon Strategies*, in *Graphics Gems IV*, 1994.
# * C. Ericson, *Real-Time Collision Detection*, 2004.
# * Natural Earth: the coast, in the public domain.
