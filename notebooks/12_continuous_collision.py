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
# # 12 · Continuous collision
#
# **Learning goal.** You can find the moment at which two moving shapes touch, in two ways: by
# halving an interval and by conservative advancement. You can say why the first may miss it and
# the second cannot, and how a world uses that moment to stop fast bodies without disturbing slow
# ones.
#
# **You need** NumPy; lesson 08 for what tunnelling is.

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

import pyphys2d as p2
from pyphys2d import geometry, plot

# The colours of Okabe and Ito (2008), which colour-blind eyes can tell apart.
BLUE, SKY, ORANGE, GREEN = "#0072b2", "#56b4e9", "#e69f00", "#009e73"
RED, PINK, GREY = "#d55e00", "#cc79a7", "#6e6e6a"
plt.rcParams["figure.constrained_layout.use"] = True
plt.rcParams["axes.grid"] = True
plt.rcParams["grid.alpha"] = 0.3

DT = 1 / 60  # s, one step
STILL = np.zeros(3)  # a pose: x, y, angle

# %% [markdown]
# ## 1. The gap as a function of time
#
# A rod flies past a post and spins. A step takes it from one pose to another; in between, position
# and angle change evenly. A *fraction* $s$ from 0 to 1 says how far the step has come. For each
# $s$ the two shapes have a distance, the **gap** $g(s)$; it is 0 while they overlap.
#
# The **time of impact** is the first $s$ with $g(s) = 0$. To be safe from rounding one stops a
# little earlier, where the gap has fallen to a small *target*.

# %%
rod, post = p2.Capsule((-0.7, 0), (0.7, 0), 0.04), p2.Circle(0.15)
start = np.array([-1.6, 0.55, 0.4])
end = np.array([1.4, 0.75, 10.5])


def pose_at(s):
    return start + np.multiply.outer(s, end - start)


def gap(s):
    """By a formula: distance of the post's centre from the rod's middle line, less both radii."""
    x, y, angle = np.moveaxis(pose_at(s), -1, 0)
    along = -x * np.cos(angle) - y * np.sin(angle)
    across = x * np.sin(angle) - y * np.cos(angle)
    beyond = np.maximum(np.abs(along) - 0.7, 0)
    return np.maximum(np.hypot(beyond, across) - 0.04 - 0.15, 0)


s = np.linspace(0, 1, 4001)
far = np.array([geometry.distance(rod, post, pose_at(v), STILL).distance for v in s[::40]])
assert np.allclose(far, gap(s[::40]), atol=1e-12)

# %%
fig, ax = plt.subplots(num="12-1 the gap", figsize=(7.5, 3.4))
ax.plot(s, gap(s), color=BLUE, label="gap, formula")
ax.plot([0, 0.5, 1], gap(np.array([0, 0.5, 1])), "o", color=RED, label="start, middle, end")
ax.set(xlabel="fraction of the step", ylabel="gap (m)")
ax.legend()
plt.show()
inside = gap(s) == 0
assert (np.diff(inside.astype(int)) == 1).sum() >= 2  # they touch more than once
assert gap(np.array([0, 0.5, 1])).min() > 0  # and three samples miss it

# %% [markdown]
# **Figure 1.** The gap between the rod and the post over a step. It is zero twice, but at the
# start, in the middle and at the end (vermilion) the rod is free.

# %% [markdown]
# The rod hits the post several times, and at the start, in the middle and at the end it is free.

# %% [markdown]
# ## 2. Halving
#
# If we know a fraction where the shapes are apart and a later one where they overlap, then between
# them there is a touch. Test the middle: if they overlap there, the touch is before, else
# after. Each test halves the interval, so 20 tests find the moment to a millionth.
#
# Two things can go wrong. If start and end are both free there is nothing to halve: that is
# tunnelling. And if there are several touches, halving finds *one* of them, not always the first.


# %%
def halve(low, high, tests=30):
    """A touch between `low`, where the shapes are apart, and `high`, where they overlap."""
    middles = []
    for _ in range(tests):
        middle = 0.5 * (low + high)
        middles.append(middle)
        low, high = (low, middle) if gap(middle) == 0 else (middle, high)
    return low, np.array(middles)


first = s[np.flatnonzero(inside)[0]]
last = s[np.flatnonzero(inside)[-1]]  # any moment at which they overlap would do
touch, _ = halve(first - 1e-3, first)  # an interval that holds the first touch alone
found, middles = halve(0, last)
print(f"first touch at {touch:.6f}; halving from 0 to {last:.3f} finds {found:.6f}")
assert gap(touch) > 0 == gap(touch + 1e-6)
assert found > touch + 0.05  # a later one

# %% [markdown]
# ## 3. Conservative advancement
#
# The remedy asks not only *how far*, but *how fast at most*. If no point of the rod can move by
# more than $\mu$ in a whole step, then from a gap $g$ on nothing can touch before another $g/\mu$
# of the step has passed. So it is safe to go there and to evaluate the gap again:
#
# $$s \leftarrow s + \frac{g(s)}{\mu},\qquad \mu = |\Delta\mathbf{x}| + |\Delta\theta|\,R,$$
#
# where $R$ is the distance of the rod's furthest point from its centre. (B. Mirtich 1996.) The
# steps get shorter as the shapes come nearer; one stops when the gap is down to the target.


# %%
def advance(start, end, reach, target=1e-3, most_evaluations=1000):
    """Fractions at which conservative advancement evaluates the gap; at the last one it ends."""
    most = np.linalg.norm(end[:2] - start[:2]) + abs(end[2] - start[2]) * reach
    fractions = [0.0]
    while gap(fractions[-1]) > target and fractions[-1] < 1 and len(fractions) < most_evaluations:
        fractions.append(min(fractions[-1] + gap(fractions[-1]) / most, 1.0))
    return np.array(fractions)


ours = advance(start, end, 0.7 + 0.04)
trace = geometry.toi(rod, post, start, end, STILL, STILL, target=1e-3)
print(f"{len(ours)} evaluations end at {ours[-1]:.6f}; the engine has {len(trace.fractions)}")
print(trace)
assert (gap(ours[:-1]) > 1e-3).all()
assert ours[-1] < touch
assert trace.hit
assert trace.fraction < ours[-1] + 1e-9  # which ends between the target and the touch
assert abs(gap(trace.fraction) - 1e-3) < 1e-9

# %%
fig, (left, right) = plt.subplots(1, 2, num="12-2 advancement", figsize=(10, 4))
plot.toi(trace, left)
near = s[s < last + 0.02]
right.plot(near, gap(near), color=GREY, label="gap, formula")
right.plot(ours, gap(ours), "o", color=BLUE, mfc="none", label="evaluations of advance")
right.plot(trace.fractions, trace.distances, "x", color=RED, label="evaluations of geometry.toi")
right.plot(middles, gap(middles), "+", color=ORANGE, ms=9, label="evaluations of halving")
right.set(xlabel="fraction of the step", ylabel="gap (m)", xlim=(-0.02, last + 0.02))
right.legend()
plt.show()
assert len(trace.fractions) <= len(ours)

# %% [markdown]
# **Figure 2.** Left, the rod at the engine's evaluations, with its shortest connections to the
# post. Right, advancement (blue) and the engine (vermilion) end at the first touch; halving
# (orange) goes on to a later one.

# %% [markdown]
# In a running notebook, drag the post, the rod at its start or the rod at its end. The grey lines
# are the evaluations; the shape between start and end is the rod at the last one.

# %%
trace.live()

# %% [markdown]
# The engine needs fewer evaluations than we do, because its bound is better: it uses the true speed
# of each corner towards the post, not only the largest speed of any.

# %% [markdown]
# ### Exercise 1 · Both move
#
# Let the post move too, from one place to another. What becomes of $\mu$? Compare your answer with
# `geometry.time_of_impact`.

# %% [markdown]
# <details><summary>Answer</summary>
#
# The gap closes at most by what both move. The *relative* displacement of the centres is better:
# $\mu = |\Delta\mathbf{x}_a - \Delta\mathbf{x}_b| + |\Delta\theta_a|\,R_a +
# |\Delta\theta_b|\,R_b$. Two shapes that fly side by side then need one evaluation.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
rng = np.random.default_rng(12)
for shift in rng.uniform(-1, 1, (50, 2)):
    moved = end - np.array([*shift, 0])  # seen from the post, which goes by `shift`
    seen = geometry.time_of_impact(rod, post, start, moved, STILL, STILL, target=1e-3)
    both = geometry.time_of_impact(rod, post, start, end, STILL, (*shift, 0), target=1e-3)
    assert seen.hit == both.hit
    assert np.isclose(seen.fraction, both.fraction, atol=1e-9, equal_nan=True)

# %% [markdown]
# ## 4. How many evaluations
#
# With the simple bound, a head-on approach takes *one* step of advancement: then $\mu$ is the true
# speed. But if the gap really closes at a part $q$ of the speed $\mu$, each evaluation leaves a
# share $1 - q$ of the gap: after $k$ of them $(1-q)^k$. To come from 30 cm to 1 mm takes
# $\log 300 / \log\frac1{1-q}$ evaluations, and a glancing approach (small $q$) takes many.
#
# We let a ball fly at a wall under an angle $\alpha$ from the wall's normal: $q = \cos\alpha$.

# %%
ball, wall = p2.Circle(0.1), p2.Box(0.2, 40)
angles = np.radians([0, 30, 60, 75, 85])
counts, engine = [], []
for alpha in angles:
    path = 4 * np.array([np.cos(alpha), np.sin(alpha)])
    begin, stop = np.array([-0.5, -8, 0]), np.array([-0.5, -8, 0]) + [*path, 0]
    distance, k, at = 0.3, 0, 0.0
    while distance > 1e-3:  # the gap to the face at x = -0.1, by its formula
        at += distance / 4
        distance = -0.1 - (begin[0] + at * path[0]) - 0.1
        k += 1
    counts.append(k)
    engine.append(
        len(geometry.toi(ball, wall, begin, stop, STILL, STILL, target=1e-3).fractions) - 1
    )
with np.errstate(divide="ignore"):
    law = np.ceil(-np.log(300) / np.log(1 - np.cos(angles)) - 1e-9)
law[0] = 1

# %%
fig, ax = plt.subplots(num="12-3 evaluations", figsize=(7, 3.6))
ax.semilogy(np.degrees(angles), law, color=GREY, label=r"$\log 300\,/\,\log\frac{1}{1-\cos\alpha}$")
ax.semilogy(np.degrees(angles), counts, "o", color=BLUE, mfc="none", label="simple bound")
ax.semilogy(np.degrees(angles), engine, "x", color=RED, label="geometry.toi")
ax.set(xlabel=r"angle from the normal, $\alpha$ (degrees)", ylabel="steps of advancement")
ax.legend()
plt.show()
assert np.abs(np.array(counts) - law).max() <= 1
assert set(engine) <= {1, 2}

# %% [markdown]
# **Figure 3.** With the simple bound (blue) a glancing approach takes many evaluations, as the
# formula says. The engine (vermilion) takes one under any angle.

# %% [markdown]
# The engine measures the speed *along the line of shortest connection*, so that a flat wall takes
# one step under any angle. (It is a bound as well: a shape that stays behind its face along one
# line cannot be touched, wherever else it goes.)

# %% [markdown]
# ## 5. What a world does with it
#
# After each step, the engine tests the bodies that moved by more than a quarter of their width
# (`continuous=True`). A body that would pass through something static or kinematic is put back to
# where it is 1 mm in front of it. The body keeps its velocity and loses the rest of the step. The
# next step finds a contact, and the body bounces where the surfaces meet (lesson 05). So a ball
# comes back from a wall a little late: if it touched at the fraction $f$ of its step, by the rest
# of this step,
#
# $$(1 - f)\,\Delta t.$$


# %%
def bounce(gap_of_start, speed=200.0, radius=0.1):
    """A ball against a wall of 2 cm; its world after ten steps, and the bodies stopped in each."""
    world = p2.World((0, 0), sleeping=False)
    world.add_body(p2.Box(0.02, 2), (0, 0), kind="static", restitution=1, friction=0)
    place = -(0.01 + radius + gap_of_start)
    world.add_body(p2.Circle(radius), (place, 0), velocity=(speed, 0), restitution=1, friction=0)
    stopped = []
    for _ in range(10):
        world.step(DT)
        stopped.append(world.counters["stopped"])
    return world, stopped


gaps = np.linspace(0.3, 6.5, 40)
phase = gaps % (200 * DT)
gaps = gaps[(phase > 0.05) & (phase < 200 * DT - 0.05)]  # else contacts do it; section 6
late = []
for g in gaps:
    world, stopped = bounce(g)
    assert sum(stopped) == 1
    path = 10 * 200 * DT  # what it would have moved in all, without losing time
    ideal = -(0.01 + 0.1) - (path - g)
    late.append((world.positions[1, 0] - ideal) / 200)
late = np.array(late)
f = (gaps / (200 * DT)) % 1

# %%
fig, ax = plt.subplots(num="12-4 lost time", figsize=(7, 3.6))
order = np.argsort(f)
ax.plot(f[order], 1e3 * (1 - f[order]) * DT, color=GREY, label=r"$(1-f)\,\Delta t$")
ax.plot(f, 1e3 * late, "o", color=BLUE, mfc="none", label="engine")
ax.set(xlabel="fraction of the step at the touch, $f$", ylabel="delay (ms)")
ax.legend()
plt.show()
assert np.allclose(late, (1 - f) * DT, atol=2e-5)  # 1 mm at 200 m/s twice is 10 microseconds

# %% [markdown]
# **Figure 4.** A ball that is stopped loses the rest of its step. The delay of the engine's ball
# follows the formula.

# %% [markdown]
# ## 6. What is stopped, and what is not
#
# A box that slides over a floor touches it all the time. If touching were enough to be stopped,
# nothing fast could slide. So the engine tests the body's **core**: the body without a layer
# of an eighth of its width. The body is stopped only if the core would come into the wall, and then
# where its surface touches. What happens in the layer is left to contacts.
#
# A ball flies past the end of a wall, at different heights. It is stopped if the core would hit.

# %%
radius, layer = 0.4, 0.1  # an eighth of 0.8 m
heights = np.linspace(-0.1, 0.6, 71)  # of the centre above the wall's end
stopped = []
for height in heights:
    world = p2.World((0, 0))
    world.add_body(p2.Box(0.02, 10), (0, -5), kind="static")
    world.add_body(p2.Circle(radius), (-2, height), velocity=(200, 0))
    world.step(DT)
    stopped.append(world.counters["stopped"] == 1)
stopped = np.array(stopped)
edge = heights[stopped].max()
print(f"stopped up to {edge:.2f} m, by the layer {radius - layer:.2f} m")
assert abs(edge - (radius - layer)) <= 0.0101

# %%
fig, ax = plt.subplots(num="12-5 the core", figsize=(10, 5.4))
ax.fill_betweenx([-0.6, 0], -0.04, 0.04, color=GREY, label="wall (drawn thicker)")
t = np.linspace(0, 2 * np.pi, 200)
for height, color, name in ((0.15, RED, "stopped"), (0.36, GREEN, "goes on")):
    x = -0.7 if color == RED else 0.7
    ax.plot(x + radius * np.cos(t), height + radius * np.sin(t), color=color, label=f"ball, {name}")
    ax.plot(x, height, "+", color=color, ms=9)
    core = radius - layer
    ax.fill(x + core * np.cos(t), height + core * np.sin(t), color=color, alpha=0.25, lw=0)
    ax.fill([], [], color=color, alpha=0.25, lw=0, label=f"core, {name}")
    ax.plot([-1.2, 1.2], [height - core] * 2, color=color, lw=1, ls=":")
ax.plot(0 * heights[stopped], heights[stopped], "_", color=RED, ms=12, label="centre, stopped")
ax.plot(0 * heights[~stopped], heights[~stopped], "_", color=GREEN, ms=12, label="centre, goes on")
ax.axhline(0, color=GREY, lw=1)
ax.set(xlabel="x (m)", ylabel="height above the wall's end (m)", aspect="equal", xlim=(-1.3, 1.3))
fig.legend(loc="outside right center")
plt.show()

# %% [markdown]
# **Figure 5.** The ball on the left is stopped, since its core (filled, vermilion) reaches below
# the end of the wall. The core of the right one (green) passes above it. The marks in the middle
# show which heights of the centre were stopped: up to 0.3 m.

# %% [markdown]
# ## 7. Bullets
#
# Against static and kinematic bodies all are guarded; against dynamic ones only a fast
# `bullet` is. Two bullets that touch both stay where they touched. With many bullets the order of
# the touches matters, so the engine takes them in the order of their times of impact.


# %%
def gets_through(kind, bullet, speed=350.0):
    """Whether one of eight small balls gets through a thin plate."""
    world = p2.World((0, 0))
    y = 3.0 * np.arange(8)
    options = {"kind": kind.split()[-1], "bullet": kind.startswith("bullet"), "density": 20}
    velocity = (-100, 0) if kind != "static" else (0, 0)
    plates = world.add_bodies(
        p2.Box(0.02, 2), np.column_stack([0 * y, y]), velocity=velocity, **options
    )
    places = np.column_stack([-4 - 0.4 * np.arange(8), y])
    balls = world.add_bodies(p2.Circle(0.08), places, velocity=(speed, 0), bullet=bullet)
    world.step(DT, n=3)
    return (world.positions[balls, 0] > world.positions[plates, 0]).any()


kinds = ("static", "kinematic", "dynamic", "bullet dynamic")
table = np.array([[gets_through(kind, bullet) for kind in kinds] for bullet in (False, True)])

# %%
fig, ax = plt.subplots(num="12-6 what passes what", figsize=(9, 3.4))
ax.imshow(np.where(table, 1, 0), cmap=ListedColormap(["#bfe3d6", "#f2c9ad"]), aspect="auto")
for (row, column), through in np.ndenumerate(table):
    words, weight = ("passes", "bold") if through else ("stopped", "normal")
    ax.text(column, row, words, weight=weight, fontsize=13, ha="center", va="center")
ax.set_xticks(range(4), labels=["static", "kinematic", "dynamic", "dynamic,\nbullet=True"])
ax.set_yticks(range(2), labels=["dynamic", "dynamic,\nbullet=True"])
ax.set(xlabel="what the plate is", ylabel="what the ball is")
for line in (0.5, 1.5, 2.5):
    ax.axvline(line, color="white", lw=3)
ax.axhline(0.5, color="white", lw=3)
ax.grid(visible=False)
plt.show()
assert table.tolist() == [[False, False, True, False], [False, False, False, False]]

# %% [markdown]
# **Figure 6.** Only one pair passes: an ordinary ball through an ordinary dynamic plate. Everything
# else is stopped.

# %% [markdown]
# One bullet of the two is enough, if it is fast itself: the plates fly at 100 m/s, so a plate that
# is a bullet is tested against the ball. A plate at rest would not be.

# %% [markdown]
# ### Exercise 2 · How much energy?
#
# A ball falls on a thin floor and bounces with restitution 1. If it is stopped above the floor and
# keeps its velocity, it has the speed of the end of the step at a height where it would have been
# slower. How large is the error in energy, and how can the engine correct it?

# %% [markdown]
# <details><summary>Answer</summary>
#
# If the ball did not fall the last piece $\Delta h$ of its path, it has $m\,g\,\Delta h$ too much.
# At 20 m/s $\Delta h$ is up to 0.33 m: 1.6 % of the kinetic energy, at each bounce. So the engine
# takes just that much off the speed: $v'^2 = v^2 - 2\,g\,\Delta h$.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
world = p2.World((0, -10))
world.add_body(p2.Box(4, 0.01), kind="static", restitution=1)
ball = world.add_body(p2.Circle(0.1), (0, 40), restitution=1)
while not world.counters["stopped"] and world.time < 4:
    before = 0.5 * ball.velocity[1] ** 2 + 10 * ball.position[1]
    world.step(DT)
assert world.counters["stopped"] == 1
after = 0.5 * ball.velocity[1] ** 2 + 10 * ball.position[1]
free = -10 * DT**2 / 16 * abs(ball.velocity[1]) / DT  # of an even fall in eight substeps
assert abs(after - before) < 2 * abs(free)
world.step(DT, n=600)
assert ball.position[1] < 41

# %% [markdown]
# ## References
#
# * B. Mirtich, *Impulse-based Dynamic Simulation of Rigid Body Systems*, 1996: conservative
#   advancement.
# * B. Mirtich, J. Canny, *Impulse-based Simulation of Rigid Bodies*, 1995.
# * E. Catto, *Continuous Collision*, Game Developers Conference, 2013.
# * C. Ericson, *Real-Time Collision Detection*, 2004.
