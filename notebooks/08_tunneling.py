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
# # 08 · Tunnelling
#
# **Learning goal.** You can say from which speed on a body passes through a wall when time goes in
# steps, for which starting points it happens, and what shorter steps cost. You can write the three
# remedies: the path of a point against a segment, the path of a disc against a polygon, and
# conservative advancement for anything that moves and turns.
#
# **You need** NumPy; lesson 05 for what a contact does.
#
# The engine's worlds stop fast bodies by themselves. Until the last section this is switched off
# (`continuous=False`), so that the problem can be seen.

# %%
import time

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import EllipseCollection

import pyphys2d as p2
from pyphys2d import geometry, plot

# The colours of Okabe and Ito (2008), which colour-blind eyes can tell apart.
BLUE, SKY, ORANGE, GREEN = "#0072b2", "#56b4e9", "#e69f00", "#009e73"
RED, PINK, GREY = "#d55e00", "#cc79a7", "#6e6e6a"
plt.rcParams["figure.constrained_layout.use"] = True
plt.rcParams["axes.grid"] = True
plt.rcParams["grid.alpha"] = 0.3

DT = 1 / 60  # s, one step


def new_world(continuous=False, **options):
    return p2.World((0, 0), continuous=continuous, sleeping=False, **options)


# %% [markdown]
# ## 1. A step is a jump
#
# A ball of radius $r$ flies with the speed $v$ at a wall of thickness $w$. A test once per step
# samples its centre at $x_0,\ x_0 + v\,\Delta t,\ x_0 + 2v\,\Delta t, \dots$ and nothing in
# between. If $v\,\Delta t$ is larger than the range in which the wall detects it, the ball may jump
# across.
#
# How large is this range? We measure from the middle of the wall and call $u$ the distance of the
# centre from it, at the last sample before the middle. Ball and wall overlap when $u < r + \frac
# w2$. One sample later the ball is *beyond* the middle. If it still overlaps then, this comes too
# late: the shortest push now leads to the far side, and the wall pushes the ball through.
#
# So a wall that waits for an overlap catches the ball only if $u < r + \frac w2$. Where the samples
# fall is chance: $u$ lies anywhere between 0 and $v\,\Delta t$.
#
# Three balls are sent through the engine. The last two have the same speed, only their $u$ differs.


# %%
def fire(speed, u, thickness, radius, dt=DT, guard=None, **options):
    """Balls that start two steps before the sample at which they are u from the wall's middle.

    Returns their world after five steps, and where they were at each sample, (samples, balls).
    """
    speed, u = np.broadcast_arrays(np.asarray(speed, float), np.asarray(u, float))
    lanes = 4 * radius * np.arange(speed.size)
    world = new_world(**options)
    wall = p2.Box(thickness, lanes[-1] + 6)  # its ends are far away
    world.add_body(wall, (0, lanes[-1] / 2), kind="static")
    places = np.column_stack([-u - 2 * speed * dt, lanes])
    velocity = np.column_stack([speed, 0 * speed])
    world.add_bodies(p2.Circle(radius), places, velocity=velocity)
    samples = [world.positions[1:, 0].copy()]
    for _ in range(5):
        before = world.positions[1:].copy()
        world.step(dt)
        if guard:  # for section 7
            guard(world, before)
        samples.append(world.positions[1:, 0].copy())
    return world, np.array(samples)


# %%
w, r = 0.1, 0.4
speeds, u = np.array([20, 90, 90]), np.array([0.15, 0.3, 1.0])
world, samples = fire(speeds, u, w, r)

# %%
fig, ax = plt.subplots(num="08-1 samples", figsize=(8, 5.2))
plot.world(world, ax, contacts=False, legend=False, view=(-4.5, -0.7, 4, 3.9))
for lane, (x, color) in enumerate(zip(samples.T, (BLUE, GREEN, RED), strict=True)):
    y = np.full(len(x), 4 * r * lane)
    size = np.full(len(x), 2 * r)
    discs = EllipseCollection(
        size, size, 0 * size, units="xy", offsets=np.column_stack([x, y]), transOffset=ax.transData
    )
    discs.set(facecolor="none", edgecolor=color, linestyle="--")
    ax.add_collection(discs)
    fate = "passes" if x[-1] > 0 else "is stopped"
    ax.plot(x, y, ".:", color=color, label=f"{speeds[lane]} m/s, u = {u[lane]} m: {fate}")
fig.legend(loc="outside lower center", ncols=3, fontsize=9)
plt.show()
assert list(samples[-1] > 0) == [False, False, True]
steps = np.diff(samples[:, 2])
assert np.allclose(steps, 90 * DT, atol=1e-6)  # the wall has not acted on the third

# %% [markdown]
# **Figure 1.** The positions of three balls at each step (dashed circles) and at the end. The slow
# ball (blue) and the fast one with a small $u$ (green) are stopped. The same fast ball with $u = 1$
# m (vermilion) is never sampled near the wall and passes.

# %% [markdown]
# ## 2. How far the engine looks ahead
#
# The engine does a little more than wait for an overlap. A contact begins *before* the surfaces
# touch, within a **reach** $m$, and takes away only the speed that would carry them into each
# other: a *speculative contact* (P. Firth, 2011). Taken alone, that makes bodies feel contacts that
# never come: two that will miss each other have a nearest point and a normal as well. So the engine
# computes where the two will be when they meet, and makes the contact there, or none. Its reach is
#
# $$m = \min\left(v\,\Delta t,\ 4\min(w,\,2r) + g\right),$$
#
# the path of one step, but at most four times the thinner one's width. (Below 2 cm it is 2 cm; and
# it is longer by what gravity may add to the path within the step, 5 mm at least: $g$.)
# We measure it: put a ball in front of the wall with a gap, let it fly for one step,
# and see whether it has become slower.


# %%
def braked(gap, speed, thickness, radius):
    """Which gaps make the wall slow down the ball within one step."""
    lanes = 4 * radius * np.arange(len(gap))
    world = new_world()
    world.add_body(p2.Box(thickness, 2 * lanes[-1] + 9), (0, 0), kind="static")
    places = np.column_stack([-(thickness / 2 + radius + gap), lanes])
    world.add_bodies(p2.Circle(radius), places, velocity=(speed, 0))
    world.step(DT)
    return world.velocities[1:, 0] < speed * (1 - 1e-6)


def reach(speed, thickness, radius, most=2.0):
    """The largest gap that brakes, to a tenth of a millimetre, by narrowing down twice."""
    low, high = 0.0, most
    for _ in range(2):
        gaps = np.linspace(low, high, 101)[1:]
        seen = braked(gaps, speed, thickness, radius)
        k = np.flatnonzero(seen)[-1] if seen.any() else 0
        low, high = gaps[k], gaps[min(k + 1, 99)]
    return low


paths = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.3, 1.6])  # v dt, m
walls, g = (0.05, 0.1, 0.3), 0.005  # m; g in a world without gravity
measured = {wall: np.array([reach(path / DT, wall, r) for path in paths]) for wall in walls}

# %%
fig, ax = plt.subplots(num="08-2 reach", figsize=(7, 3.8))
x = np.linspace(0.02, 1.65, 300)
for (wall, found), color, marker in zip(
    measured.items(), (BLUE, GREEN, RED), ("o", "s", "^"), strict=True
):
    limit = 4 * min(wall, 2 * r) + g
    ax.plot(x, np.minimum(x, limit), color=GREY, lw=1)
    ax.plot(paths, found, marker, color=color, mfc="none", label=f"wall of {wall:g} m")
ax.plot([], [], color=GREY, lw=1, label=r"$\min(v\Delta t, 4\,\min(w, 2r) + g)$")
ax.set(xlabel=r"path in one step, $v\,\Delta t$ (m)", ylabel="reach (m)", title="ball of 0.8 m")
ax.legend()
plt.show()
for wall, found in measured.items():
    assert np.allclose(found, np.minimum(paths, 4 * min(wall, 2 * r) + g), atol=4e-4)

# %% [markdown]
# **Figure 2.** The largest gap at which the wall slows the ball down. It grows with the path of a
# step up to four times the thickness of the wall, as the formula says.

# %% [markdown]
# ## 3. The critical speed
#
# With the reach, a ball is caught if at its last sample before the middle
#
# $$u \le L,\qquad L = m + r + \tfrac w2.$$
#
# If $v\,\Delta t \le L$ this holds for every $u$. The **critical speed** is therefore
#
# $$v_c = \frac{L}{\Delta t}\qquad\text{and beyond it the share}\qquad
#   1 - \frac{L}{v\,\Delta t}$$
#
# of all balls passes. A small ball ($2r < w$) has $m = 8r + g$ and $L = 9r + \frac w2 + g$. A large
# one has $m = 4w + g$ and $L = r + \frac92 w + g$.
#
# We fire 64 balls at each of 14 speeds, with $u$ from 0 to $v\,\Delta t$. The formula is not
# fitted to anything.

# %%
w, r = 0.1, 0.4
L = r + 4.5 * w + g
shares = (np.arange(64) + 0.5) / 64  # u as a share of the path of one step
speeds = np.array([20, 30, 40, 45, 50, 52, 56, 60, 70, 80, 100, 130, 160, 200])
passed = []
for speed in speeds:
    world, samples = fire(np.full(64, speed), shares * speed * DT, w, r)
    passed.append(samples[-1] > 0)
passed = np.array(passed)  # (speeds, shares)
caught = shares * speeds[:, None] * DT <= L
assert np.array_equal(passed, ~caught)

# %%
fig, (left, right) = plt.subplots(1, 2, num="08-3 critical speed", figsize=(10, 4.4))
for which, color, marker, name in ((~passed, BLUE, "_", "caught"), (passed, RED, "x", "passes")):
    i, j = np.nonzero(which)
    left.plot(speeds[i], shares[j], marker, color=color, ms=5, label=name)
v = np.linspace(L / DT, 205, 300)
left.plot(v, L / (v * DT), color="black", lw=2, label=r"$u = L$")
left.set(xlabel="speed (m/s)", ylabel=r"last sample, $u\,/\,v\Delta t$", ylim=(0, 1.15))
left.legend(loc="upper left", ncols=3, fontsize=9)
right.plot(speeds, 100 * passed.mean(axis=1), "o", color=RED, label="engine")
v = np.linspace(5, 205, 400)
right.plot(v, 100 * np.maximum(0, 1 - L / (v * DT)), color=GREY, label=r"$1 - L/v\Delta t$")
waits = r + w / 2
right.plot(v, 100 * np.maximum(0, 1 - waits / (v * DT)), ":", color=GREY, label="without reach")
right.axvline(L / DT, color="black", ls="--", lw=1)
right.text(L / DT - 3, 90, f"$v_c$ = {L / DT:.0f} m/s", ha="right")
right.set(xlabel="speed (m/s)", ylabel="balls that pass (%)", ylim=(-3, 103))
right.legend(loc="lower right")
plt.show()
assert np.abs(passed.mean(axis=1) - np.maximum(0, 1 - L / (speeds * DT))).max() < 1 / 64
assert passed[speeds < L / DT].sum() == 0 < passed[speeds > L / DT].sum(axis=1).min()

# %% [markdown]
# **Figure 3.** Left, each mark is a ball: below the black line it is caught (blue), above it passes
# (vermilion). Right, the share that passes. Below $v_c$ it is zero; without the reach it would
# begin at half this speed.

# %% [markdown]
# Each of the 896 balls is on the side of the line that the formula predicts. Tunnelling is not
# chance and not an error of rounding; it is geometry.

# %% [markdown]
# ### Exercise 1 · How thick a wall?
#
# Balls of radius 0.1 m come with up to 90 m/s, and the step is 1/60 s. How thick must the wall be
# so that none passes? The engine catches what $L$ catches; which case of $m$ is it?

# %% [markdown]
# <details><summary>Answer</summary>
#
# A ball moves by 1.5 m per step. With $w > 2r$ the reach is $m = 8r + g$, so
# $9r + \frac w2 + g \ge 1.5$, and $w \ge 1.19$ m. Draw the wall as thin as you like, but give it a
# thick collider where it is not seen: below the floor, outside of the level.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
every = shares * 90 * DT
assert not (fire(np.full(64, 90), every, 1.21, 0.1)[1][-1] > 0).any()
assert (fire(np.full(64, 90), every, 1.1, 0.1)[1][-1] > 0).any()

# %% [markdown]
# ## 4. Shorter steps
#
# The obvious remedy: take $n$ steps of $\Delta t/n$ instead of one. A ball moves by $v\,\Delta t/n$
# between two samples, so $v_c$ is $n$ times as high. And everything costs $n$ times as much, for
# all bodies, also for those that rest.
#
# Beware of the word *substep*. The engine's `substeps` split the solving of contacts within a step
# (lesson 07), but contacts are **searched** once per step. More substeps do not help here.
#
# We measure $v_c$ with the worst ball: $u$ just below $v\,\Delta t$. Between a speed that is
# caught and one that passes we halve the interval 20 times.


# %%
def critical_speed(steps, thickness=0.1, radius=0.1, **options):
    """The speed at which the worst ball begins to pass, with so many steps in 1/60 s."""
    low, high, dt = 1.0, 400.0, DT / steps
    for _ in range(20):
        speed = 0.5 * (low + high)
        samples = fire([speed], [(1 - 1e-9) * speed * dt], thickness, radius, dt, **options)[1]
        low, high = (low, speed) if samples[-1, 0] > 0 else (speed, high)
    return low


# %%
def pile_seconds(steps, frames=10):
    """Time that a frame of 1/60 s takes for a pile of 120 boxes."""
    world = p2.World((0, -9.81), continuous=False, sleeping=False)
    world.add_body(p2.Box(40, 2), (0, -1), kind="static")
    x, y = np.meshgrid(1.2 * np.arange(12), 0.5 + np.arange(10))
    world.add_bodies(p2.Box(1, 1), np.column_stack([x.ravel() - 7, y.ravel()]))
    world.step(DT, n=20)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        world.step(DT / steps, n=frames * steps)
        times.append(time.perf_counter() - start)
    return min(times) / frames


# %%
counts = np.array([1, 2, 4, 8])
by_steps = np.array([critical_speed(n) for n in counts])
by_substeps = np.array([critical_speed(1, substeps=8 * n) for n in counts])
cost = np.array([pile_seconds(n) for n in counts])

# %%
L = 0.1 + 4.5 * 0.1 + g
fig, (left, right) = plt.subplots(1, 2, num="08-4 shorter steps", figsize=(10, 4.2))
left.plot(counts, counts * L / DT, color=GREY, label=r"$n\,L/\Delta t$")
left.plot(counts, by_steps, "o", ms=8, color=BLUE, label="engine, $n$ steps of $\\Delta t/n$")
left.plot(counts, by_substeps, "s", ms=8, color=RED, label="engine, $8n$ substeps of one step")
left.set(xlabel="$n$", ylabel="critical speed (m/s)", title="ball of 0.2 m, wall of 0.1 m")
left.legend()
right.plot(counts, 1e3 * counts * cost[0], color=GREY, label="$n$ times the first")
right.plot(counts, 1e3 * cost, "^", ms=8, color=ORANGE, label="a pile of 120 boxes")
right.set(xlabel="$n$", ylabel="time for 1/60 s (ms)", title="cost")
right.legend()
for ax in (left, right):
    ax.set(xticks=counts, ylim=(0, None))
left.set_yticks(counts * L / DT, labels=[f"{v:.0f}" for v in counts * L / DT])
plt.show()
assert np.allclose(by_steps, counts * L / DT, rtol=1e-4)
assert np.allclose(by_substeps, L / DT, rtol=1e-4)

# %% [markdown]
# **Figure 4.** Left, $n$ shorter steps raise the critical speed in proportion to $n$ (blue), more
# substeps do not (vermilion). Right, the cost of the steps rises in the same proportion.

# %% [markdown]
# A rifle bullet ($r$ = 5 mm, 400 m/s) has $L = 9r + \frac w2 + g = 10$ cm against this wall and
# needs $n = 67$ steps in 1/60 s. For one bullet the whole world would run seventy times slower. So
# an engine tests the *path* of the fast body instead of samples of its position.

# %% [markdown]
# ### Exercise 2 · Head on
#
# Two balls of radius 0.1 m fly at each other, each with the speed $v$. From which $v$ on can they
# fly through each other? What takes the place of the middle of the wall?

# %% [markdown]
# <details><summary>Answer</summary>
#
# What counts is the speed of one relative to the other, $2v$. When the centres have passed each
# other, the contact's normal has turned round: so the distance of the centres takes the place of
# $u$, and $r + \frac w2$ becomes $2r$. The thinner width is $2r$, so $m = 8r$ and $L = 10r = 1$ m.
# Then $v_c = 1 / (2\,\Delta t) = 30$ m/s.
# </details>


# %% jupyter={"source_hidden": true} tags=["answer"]
def meet(v, share):
    """Two balls that at some sample are a share of the path of one step apart."""
    world, x = new_world(), v * DT * (share + 4)
    world.add_body(p2.Circle(0.1), (-x, 0), velocity=(v, 0))
    world.add_body(p2.Circle(0.1), (x, 0), velocity=(-v, 0))
    world.step(DT, n=8)
    return world.positions[0, 0] > world.positions[1, 0]


assert not any(meet(29.8, share) for share in shares)
assert any(meet(31, share) for share in shares)

# %% [markdown]
# ## 5. The path of a point, and the path of a disc
#
# **A point** moves along a segment from $\mathbf{a}$ to $\mathbf{b}$. Does it meet the wall's
# segment from $\mathbf{c}$ to $\mathbf{d}$? Lesson 09 solves that with two cross products;
# `geometry.segment_intersection` does it exactly. It costs one test per step, at any speed, and
# misses nothing. (Only the path *within the step* must be straight. Under gravity it is bent by
# $\frac18 g\,\Delta t^2$, a third of a millimetre.)
#
# **A disc** touches a polygon exactly when its centre is at most $r$ away from it. So let the
# polygon grow by $r$ and shrink the disc to a point: the edges move outwards by $r$, and each
# corner becomes an arc. The path of the centre is a segment again. With $\mathbf{d} = \mathbf{b} -
# \mathbf{a}$ and the fraction $s$ of the path:
#
# - edge from $\mathbf{p}$ with the outward normal $\mathbf{n}$, if $\mathbf{d}\cdot\mathbf{n} < 0$:
#   $s = (\mathbf{p} + r\,\mathbf{n} - \mathbf{a})\cdot\mathbf{n} / \mathbf{d}\cdot\mathbf{n}$,
#   where the point must lie between the edge's ends;
# - corner $\mathbf{p}$: the smaller root of $|\mathbf{a} + s\,\mathbf{d} - \mathbf{p}|^2 = r^2$.
#
# The smallest $s$ between 0 and 1 counts.


# %%
def sweep_disc(a, b, radius, ring):
    """The fraction of the path at which a disc first touches a convex ring (ccw), or NaN."""
    d, p = b - a, np.asarray(ring)
    edge = np.roll(p, -1, axis=0) - p
    length = np.linalg.norm(edge, axis=1)
    n = np.column_stack([edge[:, 1], -edge[:, 0]]) / length[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.sum((p + radius * n - a) * n, axis=1) / (n @ d)
        along = np.sum((a + s[:, None] * d - p) * edge, axis=1) / length**2
        sides = np.where((n @ d < 0) & (along >= 0) & (along <= 1), s, np.inf)
        half, rest = (a - p) @ d, np.sum((a - p) ** 2, axis=1) - radius**2
        corners = (-half - np.sqrt(half**2 - d @ d * rest)) / (d @ d)
    found = np.concatenate([sides, corners])
    found = found[(found >= 0) & (found <= 1)]  # NaN fails both
    return found.min() if len(found) else np.nan


# %% [markdown]
# A ray against a polygon that is *rounded* by $r$ is the same question. So the engine can check us:
# `cast_rays` in a world with a rounded wall.

# %%
rng = np.random.default_rng(8)
tilted = p2.Box(0.3, 2.4, angle=0.35)
ring = tilted.vertices
angle = rng.uniform(0, 2 * np.pi, 1000)
start = 3 * geometry.direction(angle)
stop = start - 6 * geometry.direction(angle + rng.normal(0, 0.35, 1000))
ours = np.array([sweep_disc(*ends, 0.25, ring) for ends in zip(start, stop, strict=True)])
world = new_world()
world.add_body(p2.Polygon(ring, radius=0.25), kind="static")
engine = world.cast_rays(start, stop - start)
assert np.allclose(ours, engine["fraction"], atol=1e-9, equal_nan=True)
print(f"{np.isfinite(ours).sum()} of 1000 random discs hit the wall")

# %%
shown = [(-2, -1.5, 2, 0.9), (-2, 1.0, 2, 1.7), (-0.2, -1.8, 1.9, -1.0), (2, 0.3, -1.5, 0.7)]
fig, ax = plt.subplots(num="08-5 the path of a disc", figsize=(7.5, 5))
plot.shape(p2.Polygon(ring, radius=0.25), (0, 0, 0), ax, color=SKY)
plot.shape(tilted, (0, 0, 0), ax, color=GREY)
for path in np.array(shown):
    a, b = path[:2], path[2:]
    s = sweep_disc(a, b, 0.25, ring)
    hit = np.isfinite(s)
    ax.annotate("", b, a, arrowprops={"arrowstyle": "->", "color": GREY})
    ax.plot(*a, "o", color=BLUE, label="_start")
    end = a + s * (b - a) if hit else b
    ax.add_patch(plt.Circle(end, 0.25, fill=False, color=RED if hit else GREEN, lw=1.5))
    ax.plot(*end, "X" if hit else "o", color=RED if hit else GREEN)
ax.plot([], [], "X", color=RED, label="centre at the first touch")
ax.plot([], [], "o", color=GREEN, label="end of a free path")
ax.plot([], [], color=SKY, label="wall, grown by the radius")
ax.set(xlim=(-2.4, 2.5), ylim=(-2.1, 2.1), aspect="equal", xlabel="x (m)", ylabel="y (m)")
fig.legend(loc="outside lower center", ncols=3)
plt.show()

# %% [markdown]
# **Figure 5.** The wall (grey) grown by the radius of the disc (sky blue). The centre stops where
# its path first meets the grown outline (vermilion crosses); the path that misses it ends freely
# (green).

# %% [markdown]
# ## 6. Anything that moves and turns: conservative advancement
#
# For a rod that flies and spins there is no such formula. B. Mirtich and J. Canny (1995) step
# towards the touch without ever passing it. All they need is the **distance**.
#
# Let the distance be $d$, between the closest points, with the unit vector $\mathbf{n}$ from $A$ to
# $B$. Within the fraction $\Delta s$ of the path no point of the bodies can come nearer along
# $\mathbf{n}$ than by $c\,\Delta s$ with
#
# $$c = (\Delta\mathbf{p}_A - \Delta\mathbf{p}_B)\cdot\mathbf{n}
#     + |\Delta\theta_A|\,R_A + |\Delta\theta_B|\,R_B,$$
#
# where $\Delta\mathbf{p}$ and $\Delta\theta$ are the whole displacement and turn of the step and
# $R$ is the distance of the farthest point from the centre of rotation (more is safe, so we take
# the corner of the bounding box). So it is safe to go on by $\Delta s = d / c$. There evaluate the
# distance again. If $c \le 0$ the two never meet.
#
# When $c$ is larger than the true speed, the step is too short and another follows. To come to an
# end, we aim at a small distance $\delta$ with steps of $(d - \delta)/c$, and are content with
# $1.1\,\delta$.


# %%
def advance(a, b, start_a, end_a, start_b=(0, 0, 0), end_b=(0, 0, 0), target=1e-3):
    """Fractions and distances on the path of two convex shapes, up to a touch or to the end."""
    start = np.array([start_a, start_b], float)
    motion = np.array([end_a, end_b], float) - start
    radii = [np.linalg.norm(np.abs(shape.aabb).max(axis=0)) for shape in (a, b)]
    turning = np.abs(motion[:, 2]) @ radii
    s, rows = 0.0, []
    while s <= 1:
        gap = geometry.distance(a, b, *(start + s * motion))
        rows.append((s, gap.distance))
        closing = (motion[0] - motion[1])[:2] @ gap.normal + turning
        if gap.distance < 1.1 * target:
            return np.array(rows), True
        if closing <= 0:
            break
        s += (gap.distance - target) / closing
    return np.array(rows), False


# %% [markdown]
# First the 1000 discs of section 5. We stop at a distance between 0 and $1.1\,\delta$, so the
# fraction must lie between those of a disc that is larger by $1.1\,\delta$ and of the disc itself.

# %%
evaluations, target = [], 1e-3
for a, b, exact in zip(start, stop, ours, strict=True):
    rows, hit = advance(p2.Circle(0.25), tilted, (*a, 0), (*b, 0), target=target)
    early = sweep_disc(a, b, 0.25 + 1.1 * target, ring)
    assert hit or np.isnan(exact)  # misses nothing
    assert not hit or early - 1e-9 <= rows[-1, 0] <= (exact if np.isfinite(exact) else 1)
    evaluations.append(len(rows))
print(f"evaluations: {np.mean(evaluations):.1f} on average, {np.max(evaluations)} at most")
flat, hit = advance(p2.Circle(0.25), p2.Box(0.3, 9), (-3, 0, 0), (3, 0, 0))
assert hit
assert len(flat) == 2  # along the normal the bound is exact: one step
assert np.isclose(flat[-1, 0], (3 - 0.15 - 0.25 - target) / 6)

# %% [markdown]
# The engine has this as `geometry.time_of_impact`, for one pair or for many in one call. It goes on
# until the distance *is* the target, and it allows a target of 0. Then it must find the moment that
# the formula of section 5 gives.

# %%
still = (0, 0, 0)
motions = (np.column_stack([start, 0 * angle]), np.column_stack([stop, 0 * angle]))
impacts = geometry.time_of_impact(p2.Circle(0.25), tilted, *motions, still, still, target=0)
assert np.array_equal(impacts["hit"], np.isfinite(ours))
assert np.allclose(impacts["fraction"], ours, atol=1e-9, equal_nan=True)

# %% [markdown]
# Now a rod that flies at a wall and spins. With the half length $l$, the radius $\varrho$ of its
# ends, and the face of the wall at $x = x_w$, the gap has a formula:
# $x_w - x - l\,|\cos\theta| - \varrho$. Its first zero is found by halving. `geometry.toi` is
# `time_of_impact` with its working shown: all moments at which it evaluated the distance, with the
# poses, the distances and the closest points.

# %%
rod, wall = p2.Capsule((-0.8, 0), (0.8, 0), 0.05), p2.Box(0.2, 5)
start_rod, end_rod = np.array([-2.6, -0.4, 1.4]), np.array([0.6, 0.5, 8.4])
rows, hit = advance(rod, wall, start_rod, end_rod)
s, d = rows.T
trace = geometry.toi(rod, wall, start_rod, end_rod, still, still, target=1e-3)


def gap_of_rod(s):
    x, _, theta = start_rod[:, None] + np.atleast_1d(s) * (end_rod - start_rod)[:, None]
    return -0.1 - x - 0.8 * np.abs(np.cos(theta)) - 0.05


fine = np.linspace(0, 1, 20001)
low = fine[np.flatnonzero(gap_of_rod(fine) < 0)[0] - 1]
high = low + fine[1]
for _ in range(50):
    middle = 0.5 * (low + high)
    low, high = (middle, high) if gap_of_rod(middle)[0] > 0 else (low, middle)
assert hit
assert np.allclose(d, gap_of_rod(s), atol=1e-9)
assert s[-1] < low < s[-1] + 2e-3
assert np.allclose(trace.distances, gap_of_rod(trace.fractions), atol=1e-9)
assert s[-1] <= trace.fraction < low  # where the gap is 1 mm; ours stops at up to 1.1 mm
print(f"touch at {low:.5f} of the path; {len(s)} evaluations, the last at {s[-1]:.5f}")
print(trace)

# %%
fig, (left, right) = plt.subplots(1, 2, num="08-6 conservative advancement", figsize=(10, 4))
plot.toi(trace, left)
left.set(xlim=(-3.5, 1.6), ylim=(-1.8, 1.8))
near = fine[fine < low + 0.08]
right.plot(near, gap_of_rod(near), color=GREY, label="gap, formula")
for k in range(len(s) - 1):
    right.plot(s[k : k + 2], [d[k], 1e-3], ":", color=ORANGE, label="_bound")
right.plot([], [], ":", color=ORANGE, label="bound: the gap cannot close faster")
right.plot(s, d, "o", color=BLUE, mfc="none", label="evaluations of advance")
right.plot(trace.fractions, trace.distances, "x", color=RED, label="evaluations of geometry.toi")
right.axhline(0, color="black", lw=0.8)
right.set(xlabel="fraction of the path", ylabel="gap (m)")
right.legend()
plt.show()
for k in range(len(s) - 1):  # the gap stays above the bound
    part = fine[(fine >= s[k]) & (fine <= s[k + 1])]
    bound = np.interp(part, s[k : k + 2], [d[k], 1e-3])
    assert (gap_of_rod(part) >= bound - 1e-9).all()
assert len(trace.fractions) < len(s)

# %% [markdown]
# **Figure 6.** Left, the positions of the rod at the evaluations, with the nearest points. Right,
# after each evaluation the gap stays above the dotted bound, so no touch is skipped. The engine
# (vermilion) needs fewer evaluations than our function (blue).

# %% [markdown]
# The engine needs fewer evaluations, because it has two better bounds and takes the longer step.
# However the rod turns, it stays in a circle around its centre: that is the first, long step. And
# where our bound lets the rod's end rush at the wall with $|\Delta\theta|\,R$ all the time, the
# engine starts with the true speed of each corner and adds only what turning can change.

# %% [markdown]
# ### Exercise 3 · Two discs
#
# Two discs move, each along its own segment, in the same time. When do they touch? Find a formula,
# and compare it with `advance` and `geometry.time_of_impact`.

# %% [markdown]
# <details><summary>Answer</summary>
#
# Only the relative motion counts: with $\mathbf{q} = \mathbf{a}_1 - \mathbf{a}_2$ and
# $\mathbf{e} = \mathbf{d}_1 - \mathbf{d}_2$ the discs touch when
# $|\mathbf{q} + s\,\mathbf{e}| = r_1 + r_2$. Of this quadratic equation the smaller root counts,
# if it lies between 0 and 1. It is the corner of section 5 with the radius $r_1 + r_2$.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
for q in rng.uniform(-2, 2, (200, 4, 2)):
    q, e = q[0] - q[2], (q[1] - q[0]) - (q[3] - q[2])
    root = (q @ e) ** 2 - e @ e * (q @ q - 0.5**2)
    s = (-q @ e - np.sqrt(root)) / (e @ e) if root >= 0 else np.nan
    motion = ((*q, 0), (*(q + e), 0), still, still)
    rows, hit = advance(p2.Circle(0.3), p2.Circle(0.2), *motion)
    if q @ q > 0.51**2 and 0 <= s <= 1:
        impact = geometry.time_of_impact(p2.Circle(0.3), p2.Circle(0.2), *motion, target=0)
        assert np.isclose(impact.fraction, s, atol=1e-9)
        assert hit
        assert rows[-1, 0] <= s
        assert np.linalg.norm(q + rows[-1, 0] * e) - 0.5 < 1.1e-3 + 1e-9

# %% [markdown]
# ## 7. A guard around the engine
#
# With `sweep_disc` we can keep the engine's balls from tunnelling, from outside. After each step we
# test the path of each ball. If it led through the wall, we put the ball back to where it first
# touched. It keeps its velocity, and the next step finds a contact, as if the ball had just
# arrived.
#
# The ball loses the rest of its step: up to $\Delta t$ of its time. That is not seen, and all
# engines that use this method accept it.


# %%
def guard(world, before):
    """Puts balls back to where they first touched the wall."""
    wall, shape = world.bodies[0], world.colliders[1].shape
    ring = geometry.transform(wall.colliders[0].shape.vertices, (*wall.position, wall.angle))
    for i, (a, b) in enumerate(zip(before, world.positions[1:].copy(), strict=True), 1):
        s = sweep_disc(a, b, shape.radius, ring)
        if s > 0:  # NaN, for a free path, is not
            world.positions[i] = a + s * (b - a)


# %%
w, r = 0.1, 0.4
speeds = np.array([20, 40, 50, 52, 60, 70, 80, 100, 150, 200, 300, 400])
kinds = {
    "engine alone": {},
    "with guard": {"guard": guard},
    "continuous=True": {"continuous": True},  # section 8
}
share = {
    name: np.array(
        [(fire(0 * shares + v, shares * v * DT, w, r, **kind)[1][-1] > 0).mean() for v in speeds]
    )
    for name, kind in kinds.items()
}
world, samples = fire([20, 90, 90], [0.15, 0.3, 1.0], w, r, guard=guard)

# %%
fig, (left, right) = plt.subplots(1, 2, num="08-7 with a guard", figsize=(9.5, 4))
v = np.linspace(5, 405, 600)
left.plot(
    v, 100 * np.maximum(0, 1 - (r + 4.5 * w + g) / (v * DT)), color=GREY, label=r"$1 - L/v\Delta t$"
)
left.plot(speeds, 100 * share["engine alone"], "x", color=RED, label="engine alone")
left.plot(speeds, 100 * share["with guard"], "o", color=BLUE, label="with guard")
left.set(xlabel="speed (m/s)", ylabel="balls that pass (%)", ylim=(-4, 104))
left.legend(loc="center right")
plot.world(world, right, contacts=False, legend=False, view=(-4.5, -0.7, 4, 3.9))
for lane, (x, color) in enumerate(zip(samples.T, (BLUE, GREEN, RED), strict=True)):
    right.plot(x, 0 * x + 4 * r * lane, ".:", color=color, label=f"lane {lane}")
right.set_title("the three balls of section 1")
plt.show()

# %% [markdown]
# **Figure 7.** Left, without a guard the share that passes follows the formula (vermilion), with it
# no ball passes (blue). Right, the three balls of section 1 all stop at the wall.

# %%
expected = (shares * speeds[:, None] * DT > r + 4.5 * w + g).mean(axis=1)
assert np.allclose(share["engine alone"], expected)
assert (share["with guard"] == 0).all()
assert (samples[-1] <= -(r + w / 2) + 0.02).all()  # at the wall, up to the softness of contacts

# %% [markdown]
# ## 8. What the engine does
#
# The engine keeps such a guard itself, for bodies of any shape that move and turn, at walls of any
# shape, at rest or moving: `World(continuous=True)`, the default. All worlds so far had it switched
# off. A body that moved by a good part of its own width in a step is tested once more. If its
# path led through something static or kinematic, the body ends its step where it first touched.
# Lesson 12 explains how.
#
# We repeat section 3, for the ball, for a box and for a rod that spins. The rod and the box come
# with 48 turns and starting points each.


# %%
def passing(shape, speed, spin=0.0, thickness=0.1, n=48, **options):
    """Which share of n bodies is behind the wall after six steps."""
    world, lanes = new_world(**options), 4.0 * np.arange(n)
    world.add_body(p2.Box(thickness, lanes[-1] + 6), (0, lanes[-1] / 2), kind="static")
    u = (np.arange(n) + 0.5) / n * speed * DT
    angles = np.linspace(0, 20, n)  # turns that have nothing to do with u
    places = np.column_stack([-u - 2 * speed * DT - 1.2, lanes])
    velocity = np.column_stack([0 * u + speed, 0 * u])
    world.add_bodies(shape, places, angles, velocity=velocity, angular_velocity=spin, friction=0)
    world.step(DT, n=6)
    return (world.positions[1:, 0] > 0).mean()


crowd = {
    "ball of 0.8 m": (p2.Circle(0.4), 0),
    "box of 0.8 m": (p2.Box(0.8, 0.8), 20),
    "rod of 2 m": (p2.Capsule((-0.95, 0), (0.95, 0), 0.05), 60),
}
fast = np.array([20, 40, 60, 90, 130, 200, 300, 400])
off = {k: np.array([passing(s, v, w) for v in fast]) for k, (s, w) in crowd.items()}
on = {k: np.array([passing(s, v, w, continuous=True) for v in fast]) for k, (s, w) in crowd.items()}

# %%
fig, ax = plt.subplots(num="08-8 continuous collision", figsize=(7.5, 4))
for name, color, marker in zip(crowd, (BLUE, GREEN, PINK), ("o", "s", "^"), strict=True):
    ax.plot(fast, 100 * off[name], marker + "--", color=color, mfc="none", label=f"{name}, off")
    ax.plot(fast, 100 * on[name], marker + "-", color=color, label=f"{name}, on")
ax.set(xlabel="speed (m/s)", ylabel="bodies that pass (%)", ylim=(-4, 104), title="wall of 0.1 m")
ax.legend(fontsize=8, loc="center right")
plt.show()
for name in crowd:
    assert off[name].max() > 0.5
    assert (on[name] == 0).all()
assert (share["continuous=True"] == 0).all()  # the balls of section 7

# %% [markdown]
# **Figure 8.** The share of fast bodies that pass a wall of 0.1 m. With continuous collision
# (solid) it is zero at every speed, for the ball, the box and the spinning rod.

# %% [markdown]
# What is left to know:
#
# - Between *dynamic* bodies this costs too much to do for all, and the reach of section 2 is enough
#   for most. Where it is not, give the fast body `bullet=True`: then it does not pass
#   dynamic bodies and other bullets either.
# - A stopped body loses the rest of its step. In slow motion a very fast ball seems to wait for a
#   moment at the wall.
# - Very many bullets that only hit and vanish are still cheaper as rays: `world.cast_rays`, or the
#   tests of section 5.

# %% [markdown]
# ## References
#
# * D. Sotirov, notebooks on a rigid-body engine in Python: the tunnelling demonstration.
# * P. Firth, *Speculative Contacts*, 2011.
# * B. Mirtich, J. Canny, *Impulse-based Simulation of Rigid Bodies*, 1995: conservative
#   advancement.
# * E. Catto, *Continuous Collision*, Game Developers Conference, 2013.
# * C. Ericson, *Real-Time Collision Detection*, 2004.
