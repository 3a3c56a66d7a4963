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
# # 07 · Piles and sleep
#
# **Learning goal.** You can measure how well a solver holds a pile: how deep its bodies sink into
# each other, how far it drifts, how much it trembles. You can explain why small steps with soft
# contacts do better than many iterations, and predict how deep a soft contact gives way. You can
# find the islands of a world and say when they fall asleep.
#
# **You need** lesson 05 (impulses, bias, iterations), and Hooke's law.
#
# A pile at rest is a hard test of a physics engine. Hundreds of contacts carry each other, and
# every small error adds up, sixty times a second.

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

import pyphys2d as p2
from pyphys2d import plot

# The colours of Okabe and Ito (2008), which colour-blind eyes can tell apart.
BLUE, SKY, ORANGE, GREEN = "#0072b2", "#56b4e9", "#e69f00", "#009e73"
RED, PINK, GREY = "#d55e00", "#cc79a7", "#6e6e6a"
plt.rcParams["figure.constrained_layout.use"] = True
plt.rcParams["axes.grid"] = True
plt.rcParams["grid.alpha"] = 0.3

G = 9.81  # m/s²
DT = 1 / 60  # s, one step

# %% [markdown]
# ## 1. Three solvers, one tower
#
# Ten boxes of 1 kg stand on each other, exactly aligned. What should be seen for ten seconds?
#
# 1. **Nothing sinks.** The depth of each contact stays small.
# 2. **Nothing drifts.** No force acts sideways.
# 3. **Nothing trembles.** The kinetic energy stays zero.
# 4. **Support.** Level $i$, counted from the floor, carries all boxes above it: in each step its
#    contacts give the impulse $(10 - i)\,m g\,\Delta t$.
#
# We try *sequential impulses* (lesson 05) with ten iterations, once with a cold and once with a
# warm start, and the engine's own solver, `soft_step`, with its eight substeps.

# %%
SOLVERS = {
    "impulses, cold": {"solver": "sequential_impulses", "warm_starting": False},
    "impulses, warm": {"solver": "sequential_impulses"},
    "soft step": {"solver": "soft_step"},
}
STYLES = dict(zip(SOLVERS, ((ORANGE, ":"), (RED, "--"), (BLUE, "-")), strict=True))


def tower(boxes=10, top_mass=1.0, **options):
    """Boxes of 1 kg on a floor; only the top one may be heavier. Body 0 is the floor."""
    world = p2.World((0, -G), sleeping=False, **options)
    world.add_body(p2.Box(40, 2), (0, -1), kind="static")
    masses = np.append(np.ones(boxes - 1), top_mass)
    world.add_bodies(p2.Box(1, 1), [(0, 0.5 + i) for i in range(boxes)], mass=masses)
    return world


# %% [markdown]
# What we record in each step:


# %%
def watch(world, steps=600):
    """Rows: time, greatest depth, greatest shift sideways, kinetic energy."""
    rows = []
    for _ in range(steps):
        world.step(DT)
        depth = -world.contacts["separation"].min(initial=0.0)
        shift = abs(world.positions[1:, 0]).max()
        rows.append((world.time, depth, shift, world.kinetic_energy()))
    return np.array(rows)


# %%
towers = {name: tower(**options) for name, options in SOLVERS.items()}
records = {name: watch(world) for name, world in towers.items()}

fig, panels = plt.subplots(1, 3, num="07-1 after ten seconds", figsize=(10, 4.6), sharey=True)
for (name, world), ax in zip(towers.items(), panels, strict=True):
    plot.world(world, ax, contacts=False, view=(-7.5, -0.8, 5.5, 10.6))
    ax.set_title(name)
    ax.label_outer()
plt.show()

# %% [markdown]
# **Figure 1.** The same tower after ten seconds. With a cold start it has fallen; with a warm start
# and with the soft step it stands.

# %%
fig, panels = plt.subplots(1, 3, num="07-2 depth, drift, energy", figsize=(11, 3.6))
titles = ("greatest depth (mm)", "greatest shift (mm)", "kinetic energy (J)")
for column, (ax, title, unit) in enumerate(zip(panels, titles, (1e3, 1e3, 1), strict=True)):
    for name, rows in records.items():
        color, style = STYLES[name]
        values = np.maximum(unit * rows[:, column + 1], 1e-12)
        ax.semilogy(rows[:, 0], values, style, color=color, label=name)
    ax.set(xlabel="time (s)", title=title)
fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()

# %% [markdown]
# **Figure 2.** The depth, the drift and the energy of the three towers. With a warm start
# (vermilion) the tower keeps swaying; with the soft step (blue) it does not drift, and its energy
# falls to the level of rounding.

# %% [markdown]
# With a cold start the tower falls. With a warm start it stands, but it drifts and never quite
# stops trembling: ten iterations leave a small error, which differs between left and right. With
# the soft step the tower hardly moves, and its kinetic energy fades away.

# %%
shift = {name: rows[-1, 2] for name, rows in records.items()}
assert (
    towers["impulses, cold"].positions[10, 1] < 5 < 9.4 < towers["impulses, warm"].positions[10, 1]
)
assert shift["soft step"] < 1e-3 < shift["impulses, warm"] < 0.5 < shift["impulses, cold"]
assert records["soft step"][-1, 3] < 1e-8 < records["impulses, warm"][-1, 3]

# %% [markdown]
# The fourth point is a law that also a sinking pile has to obey: whatever the solver, a pile that
# does not accelerate is carried by its floor. We add the impulses of each level.


# %%
def by_level(world, what="normal_impulse"):
    """Sum of the impulses, or the mean depth, of the two contact points of each level."""
    rows = world.contacts
    level = np.maximum(rows["body_a"], rows["body_b"]) - 1
    total = np.bincount(level, rows["normal_impulse"])
    depth = np.bincount(level, -rows["separation"]) / np.bincount(level)
    return total if what == "normal_impulse" else depth


level = np.arange(10)
load = (10 - level) * G  # newton, for boxes of 1 kg
carried = {name: by_level(towers[name]) / DT for name in ("impulses, warm", "soft step")}
assert np.allclose(carried["soft step"], load, rtol=1e-4)
assert np.isclose(carried["impulses, warm"][0], load[0], rtol=0.02)  # it still trembles

# %% [markdown]
# ## 2. The soft step
#
# Lesson 05 showed the trouble with the bias: the speed that pushes bodies out of an overlap stays
# in the world as energy. The soft step (E. Catto, *Solver2D*, 2024) changes three things.
#
# **Small steps.** The step is cut into 8 *substeps* of $h = \Delta t/8$, with one pass over the
# contacts in each, instead of 10 passes with the full step (M. Macklin and others, *Small Steps in
# Physics Simulation*, 2019). In a shorter step everything moves less, so each pass has less to
# correct, and the next pass sees the bodies where they really are.
#
# **A soft push.** A contact is a spring and a damper, solved implicitly, with a frequency $f$ and a
# damping ratio $\zeta$. With $\omega = 2\pi f$ and $a = h\omega\,(2\zeta + h\omega)$ it wants the
# bodies to part at the speed $\beta\,d$, $\beta = \omega/(2\zeta + h\omega)$, and covers the share
# $a/(1+a)$ of the difference.
#
# **Relax.** After the positions have moved, a second pass without the push takes its speed away
# again. The overlap has shrunk, and no energy is left.
#
# Alone in empty space, an overlap therefore shrinks in each substep by the factor
# $1 - h\,\beta\,\frac{a}{1+a}$. We let two discs overlap by 0.1 m.


# %%
def spring(world, hertz):
    """β and a of a soft contact."""
    h = DT / world.substeps
    omega, zeta = 2 * np.pi * hertz, world.contact_damping_ratio
    return omega / (2 * zeta + h * omega), h * omega * (2 * zeta + h * omega)


def apart(solver, steps=30):
    """Rows: depth of the overlap and kinetic energy at the start of each step."""
    world = p2.World((0, 0), sleeping=False, solver=solver)
    world.add_bodies(p2.Circle(0.5), [(0, 0), (0.9, 0)])
    rows = []
    for _ in range(steps):
        rows.append((1 - np.diff(world.positions[:, 0])[0], world.kinetic_energy()))
        world.step(DT)
    return np.array(rows), world


soft, world = apart("soft_step")
hard, _ = apart("sequential_impulses")
beta, a = spring(world, world.contact_hertz)
factor = (1 - DT / world.substeps * beta * a / (1 + a)) ** world.substeps

# %%
step = np.arange(30)
fig, (left, right) = plt.subplots(1, 2, num="07-3 the push", figsize=(9, 3.4))
left.plot(step, 0.1 * factor**step, color=GREY, label="formula")
left.plot(step, soft[:, 0], "o", ms=4, color=BLUE, label="soft step")
left.plot(step[:8], hard[:8, 0], "s", ms=4, color=RED, label="impulses with bias")
left.set(xlabel="step", ylabel="depth (m)", title="overlap")
left.legend()
right.plot(step, soft[:, 1], "o", ms=4, color=BLUE)
right.plot(step, hard[:, 1], "s", ms=4, color=RED)
right.set(xlabel="step", ylabel="kinetic energy (J)", title="what is left of the push")
plt.show()

assert np.allclose(soft[:, 0], 0.1 * factor**step, atol=2e-6)
assert soft[:, 1].max() < 1e-10 < 0.2 < hard[-1, 1]

# %% [markdown]
# **Figure 3.** Left, the soft step resolves the overlap as the formula says, while the bias
# overshoots. Right, it leaves no energy behind (blue); the bias leaves 0.2 J (vermilion).

# %% [markdown]
# ## 3. How deep does it sink?
#
# A spring gives way under load. At rest the soft push of one contact point just carries its share
# $F$ of the weight, and Hooke's law holds with the effective mass $1/k$ of lesson 05:
#
# $$d = \frac{F\,k}{\omega^2}.$$
#
# The number of substeps is not in it. For two boxes of 1 m and 1 kg on each other
# $k = 2\,(1/m + r^2/I)$ with $r = 0.5$ m and $I = m/6$, which is 5/kg, and each of the two points
# carries half of the load. Between moving bodies the engine takes $f$ = 60 Hz, against fixed ones
# twice that. (With fewer than 8 substeps the spring is softer, as too hard a spring and too long a
# step would tremble.)


# %%
def hooke(force, masses, hertz):
    """Depth (m) of a contact of unit boxes with two points under this load (N)."""
    k = sum((1 / mass) * (1 + 6 * 0.5**2) for mass in masses)
    return 0.5 * force * k / (2 * np.pi * hertz) ** 2


predicted = np.array([hooke(load[0], [1], 120)] + [hooke(F, [1, 1], 60) for F in load[1:]])
depths = by_level(towers["soft step"], "depth")

fig, (left, right) = plt.subplots(1, 2, num="07-4 load and depth", figsize=(9, 3.6))
left.plot(level, load, color=GREY, label="weight above")
left.plot(level, carried["impulses, warm"], "s", mfc="none", color=RED, label="impulses, warm")
left.plot(level, carried["soft step"], "o", ms=4, color=BLUE, label="soft step")
left.set(xlabel="level, from the floor", ylabel="force (N)", title="what each level carries")
left.legend()
right.plot(level, 1e3 * predicted, color=GREY, label="Hooke's law")
right.plot(level, 1e3 * depths, "o", ms=5, color=BLUE, label="soft step")
right.set(xlabel="level, from the floor", ylabel="depth (mm)", title="how deep it gives way")
right.legend()
plt.show()
assert np.allclose(depths, predicted, rtol=1e-3)

# %% [markdown]
# **Figure 4.** Left, both solvers carry the weight above each level. Right, the soft contacts give
# way by Hooke's law. The contact with the floor has twice the frequency and gives way least.

# %% [markdown]
# The floor, with twice the frequency, gives way least. A pile of ten boxes sinks by 8 mm in all,
# too little to be seen.
#
# ### Iterations or substeps?
#
# Now for the same tower the greatest depth against the number of passes: iterations of sequential
# impulses, or substeps of the soft step. And a harder case: a heavy box on a light one. The light
# one passes on the whole weight by impulses that are large against its own mass, and sequential
# impulses converge slowly.

# %%
passes = np.array([2, 4, 8, 16, 32])
warm = [tower(solver="sequential_impulses", iterations=int(n)) for n in passes]
small = [tower(substeps=int(n)) for n in passes]
worst = {"iterations": [], "substeps": []}
for name, worlds in (("iterations", warm), ("substeps", small)):
    worst[name] = [watch(world, 300)[60:, 1].max() for world in worlds]
stands = [world.positions[10, 1] > 9 for world in warm]
taken = [world.counters["substeps"] for world in small]
# With fewer than 8 substeps the frequency would fall with their number.
softer = [hooke(9 * G, [1, 1], min(60, 60 * n / 8)) for n in passes]

# %%
ratios = np.array([1, 2, 5, 10, 20, 50, 100, 200])
sunk, worlds = {}, {}
for name in ("impulses, warm", "soft step"):
    worlds[name] = [tower(2, float(ratio), **SOLVERS[name]) for ratio in ratios]
    for world in worlds[name]:
        world.step(DT, n=300)
    sunk[name] = np.array([1.5 - world.positions[2, 1] for world in worlds[name]])


def two_boxes(ratio, hertz):
    """How far (m) the upper box sinks: both contacts give way."""
    return hooke(G * (ratio + 1), [1], 2 * hertz) + hooke(G * ratio, [1, ratio], hertz)


doublings = np.array([world.counters["substeps"] / 8 for world in worlds["soft step"]])
plain = np.array([two_boxes(ratio, 60) for ratio in ratios])
total = np.array([two_boxes(r, 60 * n) for r, n in zip(ratios, doublings, strict=True)])

# %%
fig, (left, right) = plt.subplots(1, 2, num="07-5 passes and masses", figsize=(10, 4))
left.loglog(passes, 1e3 * np.array(softer), color=GREY, label="Hooke's law, as asked for")
left.loglog(passes, 1e3 * np.array(worst["substeps"]), "o", color=BLUE, label="substeps")
left.loglog(passes, 1e3 * np.array(worst["iterations"]), "s", color=RED, label="iterations")
left.set(xlabel="passes per step", ylabel="greatest depth (mm)", title="tower of ten")
right.loglog(ratios, 1e3 * plain, color=GREY, label="Hooke's law, 60 Hz")
right.loglog(ratios, 1e3 * total, ":", color=GREY, label="with the frequency of the island")
right.loglog(ratios, 1e3 * sunk["soft step"], "o", color=BLUE, label="soft step")
holds = (sunk["impulses, warm"] > 0) & (sunk["impulses, warm"] < 0.5)
label = "impulses, warm (it falls beyond)"
right.loglog(ratios[holds], 1e3 * sunk["impulses, warm"][holds], "s", color=RED, label=label)
right.set(xlabel="mass of the upper box (kg)", ylabel="sunk (mm)", title="heavy on light")
for ax, ticks in ((left, passes), (right, ratios)):
    ax.minorticks_off()
    ax.set_xticks(ticks, ticks)
    ax.legend()
plt.show()

# %% [markdown]
# **Figure 5.** Left, more iterations (vermilion) go on reducing the depth, while substeps (blue)
# have that of the spring from the start: asked for 2 or 4, the tower gets 8. Right, under a heavy
# box sequential impulses sink deeper and fail beyond a ratio of 50; the soft step holds, and at 200
# a harder spring takes over (dotted).

# %%
assert np.allclose(worst["substeps"], softer[-1], rtol=0.1)
assert taken == [8, 8, 8, 16, 32]
assert np.allclose(sunk["soft step"], total, rtol=0.02)
assert not stands[0]
assert all(stands[2:])
assert holds[:5].all()
assert not holds[6:].any()  # ten iterations do not hold 100 : 1
assert doublings[0] == 1 < doublings[-1]

# %% [markdown]
# Iterations go on improving the answer to *one* question: which impulses stop all contacts at this
# moment. Substeps ask the question anew eight times and carry the answer on. From 8 substeps on
# the depth is that of the spring, and more substeps change nothing. With 2 or 4 alone the spring
# would be softer (grey), and a tower on soft springs buckles like a thin beam under its own weight.
# The engine adds up how far its contacts give way and tilt, and gives such a tower the substeps
# that it needs to stand.
#
# More substeps allow a *stiffer* spring, though: its frequency must stay below an eighth of their
# rate. The engine makes use of that where it is needed. An island that carries a heavy body on a
# light one gets twice the substeps and twice the frequency, so a quarter of the depth, and again,
# until the load presses in by a centimetre or less. That is the step in the dotted line.
# `world.counters["substeps"]` tells how many the busiest island had.

# %% [markdown]
# ### Exercise 1 · The leaning stack
#
# Five bricks of length $L$ are stacked at the edge of a table, each shifted beyond the one below.
# The top brick may stick out by $L/2$ beyond the next, the two together by $L/4$ beyond the third,
# and so on: $L/2, L/4, L/6, \dots$ How far can five bricks reach beyond the table? Which law of
# mechanics says so? Build the stack with 95 % and with 105 % of the shifts.

# %% [markdown]
# <details><summary>Answer</summary>
#
# The centre of mass of the upper $k$ bricks must lie over the brick below. Adding the $k$-th brick
# moves their common centre back by $L/(2k)$, so the shifts are $L/2, L/4, \dots, L/10$ and the
# reach is $\tfrac L2\left(1 + \tfrac12 + \tfrac13 + \tfrac14 + \tfrac15\right) \approx 1.14\,L$:
# the top brick is entirely beyond the edge. The engine agrees within a few per cent. It cannot be
# exact, because contacts give way a little and the bricks tilt.
# </details>


# %% jupyter={"source_hidden": true} tags=["answer"]
def leaning(share, bricks=5, length=2.0):
    """How far the top brick has fallen after five seconds."""
    world = p2.World((0, -G), sleeping=False)
    world.add_body(p2.Box(20, 1), (-10, -0.5), kind="static")
    x = -length / 2
    for k in range(bricks, 0, -1):
        x += share * length / (2 * k)
        world.add_body(p2.Box(length, 0.3), (x, 0.15 + 0.3 * (bricks - k)))
    world.step(DT, n=300)
    return 0.15 + 0.3 * (bricks - 1) - world.positions[bricks, 1]


reach = 0.5 * sum(1 / k for k in range(1, 6))
assert 1.14 < reach < 1.15
assert leaning(0.95) < 0.02 < 1 < leaning(1.05)

# %% [markdown]
# ## 4. Islands
#
# Two bodies that touch depend on each other, and so does every body that touches one of them.
# Bodies that are connected by a chain of contacts form an **island**. Static bodies do not connect:
# all piles stand on the same floor, but the floor transmits nothing. Islands can be solved
# independently, on several processors or in parts that fit the cache. And they can sleep
# independently.
#
# To find them: let each body point to itself. For each contact follow the pointers of both bodies
# to their ends, and let the larger end point to the smaller. In the end bodies with the same end
# are one island. This is called *union–find*.


# %%
def find_islands(world):
    """Number of each body's island, in the order of the lowest member; -1 for static bodies."""
    dynamic = world.kinds == 2
    points_to = np.arange(len(dynamic))

    def end(body):
        while points_to[body] != body:
            body = points_to[body]
        return body

    for a, b in zip(world.contacts["body_a"], world.contacts["body_b"], strict=True):
        if dynamic[a] and dynamic[b]:
            low, high = sorted((end(a), end(b)))
            points_to[high] = low
    ends = np.array([end(body) for body in range(len(dynamic))])
    islands = np.full(len(dynamic), -1)
    islands[dynamic] = np.unique(ends[dynamic], return_inverse=True)[1]
    return islands


# %%
def yard():
    """A pyramid, two columns joined by a plank, a lone box, and a tower let fall from 0.4 m."""
    world = p2.World((0, -G))
    world.add_body(p2.Box(44, 2), (0, -1), kind="static")
    for row in range(3):
        for k in range(3 - row):
            world.add_body(p2.Box(1, 1), (-8 + k + 0.5 * row, 0.5 + row))
    for x, y in ((-2, 0.5), (-2, 1.5), (1, 0.5), (1, 1.5)):
        world.add_body(p2.Box(1, 1), (x, y))
    world.add_body(p2.Box(5, 0.3), (-0.5, 2.15))
    world.add_body(p2.Box(1, 1), (4.5, 0.5))
    for row in range(4):
        world.add_body(p2.Box(1.4, 0.7), (8 + 0.05 * row, 0.75 + 0.72 * row))
    return world


world = yard()
world.step(DT, n=30)
islands = find_islands(world)
assert np.array_equal(islands, world.islands)
assert islands.max() + 1 == world.counters["islands"] == 4

# %%
COLORS = (BLUE, ORANGE, GREEN, RED)  # in the order of plot.islands

fig, ax = plt.subplots(num="07-6 islands", figsize=(9, 3))
plot.islands(world, ax, view=(-10, -0.7, 11, 4.2))
pairs = np.column_stack([world.contacts["body_a"], world.contacts["body_b"]])
ends = world.positions[pairs[np.all(world.kinds[pairs] == 2, axis=1)]]
lines = LineCollection(ends, colors="black", lw=1.5, zorder=2, label="touch, both can move")
ax.add_collection(lines)
ax.legend(loc="upper right")
ax.grid(visible=False)
plt.show()

# %% [markdown]
# **Figure 6.** The four islands of the yard, by colour. Black lines are the contacts between bodies
# that can move. The floor joins nothing.

# %% [markdown]
# ## 5. Sleep
#
# A pile at rest need not be computed. The engine watches the fastest point of each body,
# $|\mathbf{v}| + |\omega|\,R$, where $R$ is the distance of its farthest point from its centre. If
# it stays below 0.05 m/s for half a second for *all* bodies of an island, the island falls asleep:
# its bodies stop and leave the solver. A touch, or a push through the API, wakes the whole island.


# %%
def fastest(world):
    """|v| + |ω| R of each body but the floor."""
    reach = [
        np.linalg.norm(body.colliders[0].shape.vertices, axis=1).max()
        for body in world.bodies
        if body.kind == "dynamic"
    ]
    speeds = np.linalg.norm(world.velocities[1:], axis=1)
    return speeds + abs(world.angular_velocities[1:]) * reach


world = yard()
speeds, asleep = [], {}
for step in range(1, 151):
    world.step(DT)
    speeds.append(fastest(world))
    for body in world.events.sleep["body"]:
        asleep[int(body)] = step
speeds = np.array(speeds)
assert len(asleep) == 16
assert not world.awake[1:].any()
assert world.counters["contacts"] == 0  # nothing is left to solve

# %%
fig, ax = plt.subplots(num="07-7 falling asleep", figsize=(9, 3.8))
for island, (color, style) in enumerate(zip(COLORS, ("-", "--", ":", "-."), strict=True)):
    members = np.flatnonzero(islands == island)
    top = np.maximum(speeds[:, members - 1].max(axis=1), 1e-5)
    night = asleep[int(members[0])]
    label = f"island {island}"
    ax.semilogy(DT * np.arange(1, night), top[: night - 1], style, color=color, label=label)
    ax.plot(DT * night, top[night - 2], "o", color=color)
    # All members go together, half a second after the last of them was fast.
    assert {asleep[int(k)] for k in members} == {night}
    fast = np.flatnonzero(top >= 0.05)
    last = fast[-1] + 1 if len(fast) else 0
    assert abs(night - (last + 30)) <= 1
ax.axhline(0.05, color=GREY, linewidth=1)
ax.text(0.02, 0.056, "0.05 m/s", color=GREY)
ax.set(xlabel="time (s)", ylabel="fastest point (m/s)", title="a dot: the island falls asleep")
ax.legend(ncols=2)
plt.show()

# %% [markdown]
# **Figure 7.** The speed of the fastest point of each island. Half a second after it has fallen
# below 0.05 m/s, the island falls asleep (dot), all its bodies together.

# %% [markdown]
# Now a heavy ball rolls in from the right. It wakes the islands that it or the boxes it pushes
# touch, one after the other. Island 0 is not touched: not one bit of it changes.

# %%
before = world.positions[islands == 0].copy()
ball = world.add_body(p2.Circle(0.8), (13, 0.8), velocity=(-14, 0), density=4)
awake, woken, run = [], [], p2.Trajectory("the ball")
for _ in range(400):
    world.step(DT)
    run.add_frame(world)
    awake.append(world.awake[1:].sum())
    boxes = [int(body) for body in world.events.wake["body"] if body != ball.index]
    woken += [(world.time, body) for body in boxes]
start = world.time - 400 * DT

fig, (ax, low) = plt.subplots(2, 1, num="07-8 waking up", figsize=(9, 5.4), sharex=True)
ax.step(DT * np.arange(1, 401), awake, where="post", color=BLUE, label="awake")
for island, (color, marker) in enumerate(zip(COLORS, "o^sD", strict=True)):
    times = sorted({t - start for t, body in woken if islands[body] == island})
    for number, t in enumerate(times):
        name = f"island {island} wakes" if number == 0 else None
        ax.plot(t, 0.5, marker, color=color, ms=9, label=name)
ax.set(ylabel="awake bodies", ylim=(0, None))
ax.legend()
energy = np.column_stack([run.kinetic_energy, run.potential_energy])
plot.energy(run.times - start, energy, low)
low.set(xlabel="time since the ball (s)", ylim=(0, None))
plt.show()

# %% [markdown]
# **Figure 8.** Above, the islands wake from right to left as the ball arrives, and all of them
# sleep again in the end. Below, the total energy (green, dotted) never grows: to wake costs and
# gives nothing.

# %%
assert awake[0] == 1
assert np.array_equal(world.positions[:17][islands == 0], before)
order = list(dict.fromkeys(int(islands[body]) for _, body in woken))
assert order == sorted(order, reverse=True)  # from the right
assert order[0] == 3
assert 0 not in order
assert awake[-1] == world.awake[ball.index]  # all boxes sleep again
total = energy.sum(axis=1)
assert np.diff(total).max() < 1e-3 * total[0]  # what wakes up gets no energy for nothing

# %% [markdown]
# The same as a film: play it, step through it, move to any time. What sleeps is pale.

# %%
run

# %% [markdown]
# ### Exercise 2 · What the floor feels
#
# You see only `world.contacts` of a sleeping or resting world. How can you find the mass of a pile?
# Try it on island 0 of the yard, before it sleeps.

# %% [markdown]
# <details><summary>Answer</summary>
#
# The floor must carry the pile: the normal impulses of the contacts with the floor add up to
# $M g\,\Delta t$. Sum over the contacts between the floor and the bodies of the island, and divide
# by $g\,\Delta t$. Six boxes of 1 m² with density 1 weigh 6 kg.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
world = yard()
world.step(DT, n=25)
rows = world.contacts
on_floor = (rows["body_a"] == 0) | (rows["body_b"] == 0)
member = np.isin(np.maximum(rows["body_a"], rows["body_b"]), np.flatnonzero(islands == 0))
mass = rows["normal_impulse"][on_floor & member].sum() / (G * DT)
assert np.isclose(mass, 6, rtol=1e-3)

# %% [markdown]
# ### Exercise 3 · A box on a sleeping box
#
# Take away the lowest box of a sleeping tower with `world.remove`. What should happen, and does it?
# And what if the removed body was the floor?

# %% [markdown]
# <details><summary>Answer</summary>
#
# Every body that touched the removed one must wake, or the tower would hang in the air. With it its
# whole island wakes. The same holds for a floor that goes away: all that touched it wakes and
# falls.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
for removed in (1, 0):  # the lowest box, the floor
    world = p2.World((0, -G))
    world.add_body(p2.Box(10, 2), (0, -1), kind="static")
    world.add_bodies(p2.Box(1, 1), [(0, 0.5), (0, 1.5), (0, 2.5)])
    world.step(DT, n=90)
    assert not world.awake[1:].any()
    world.remove(world.bodies[removed])
    world.step(DT, n=12)
    fallen = 2.5 - world.positions[3, 1]
    assert abs(fallen - 0.5 * G * 0.2**2) < G * 0.2 * DT  # free fall for 0.2 s, by small steps

# %% [markdown]
# ## References
#
# * E. Catto, *Iterative Dynamics with Temporal Coherence*, 2005.
# * E. Catto, *Solver2D*, 2024.
# * M. Macklin and others, *Small Steps in Physics Simulation*, 2019.
# * R. E. Tarjan, *Efficiency of a Good But Not Linear Set Union Algorithm*, 1975: union–find.
# * P. B. Johnson, *Leaning Tower of Lire*, 1955: the leaning stack.
