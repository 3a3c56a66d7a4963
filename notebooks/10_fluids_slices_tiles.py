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
# # 10 · Fluids, slices and tiles
#
# **Learning goal.** You can compute what water and air do to a body: lift, righting moment, bobbing
# and terminal speed. You can cut a polygon and a moving body, and say what the cut must conserve.
# You can move a figure through a level of tiles, cast rays in it, jump to a given height and
# aim at what moves.
#
# **You need** NumPy, Newton's law and torque from school. The three topics do not need each other.
#
# Each is a use of what a physics engine has anyway: areas and centroids of polygons, lines that cut
# them, boxes and rays.

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

import pyphys2d as p2
from pyphys2d import geometry, plot

# The colours of Okabe and Ito (2008), which colour-blind eyes can tell apart.
BLUE, SKY, ORANGE, GREEN = "#0072b2", "#56b4e9", "#e69f00", "#009e73"
RED, PINK, GREY = "#d55e00", "#cc79a7", "#6e6e6a"
plt.rcParams["figure.constrained_layout.use"] = True
plt.rcParams["axes.grid"] = True
plt.rcParams["grid.alpha"] = 0.3

G = 9.81  # m/s²
DT = 1 / 60  # s, one step
WATER = 1000.0  # kg/m²: bodies of the plane have a mass per area


def new_world(gravity=(0, -G)):
    return p2.World(gravity, sleeping=False)


# %% [markdown]
# ## 1. Lift
#
# Archimedes: a body in water is lifted by the weight of the water that it displaces,
# $L = \varrho\,g\,A$, with the density $\varrho$ of the water and the submerged area $A$. The lift
# acts at the centroid $\mathbf{b}$ of that area, for there would be the centre of mass of the
# water if the body were not there, and that water would rest.
#
# So we need the part of a polygon that lies under a line. I. Sutherland and G. Hodgman (1974) walk
# round the polygon: keep each vertex that is under the line, and add a vertex wherever an edge
# crosses it. Area and centroid follow by triangles with a common corner. With that corner in the
# first vertex $\mathbf{v}_0$, the triangle of the edge from $\mathbf{p}$ to $\mathbf{q}$
# has the area $a = \tfrac12(\mathbf{p}-\mathbf{v}_0)\times(\mathbf{q}-\mathbf{v}_0)$ and its
# centroid at $\tfrac13(\mathbf{v}_0+\mathbf{p}+\mathbf{q})$.


# %%
def cross(u, v):
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def below(ring, level):
    """The part of a polygon (n, 2) under the line y = level."""
    kept = []
    for p, q in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        if p[1] <= level:
            kept.append(p)
        if (p[1] <= level) != (q[1] <= level):
            kept.append(p + (level - p[1]) / (q[1] - p[1]) * (q - p))
    return np.array(kept)


def area_and_centroid(ring):
    p, q = ring, np.roll(ring, -1, axis=0)
    a = 0.5 * cross(p - ring[0], q - ring[0])
    return a.sum(), (a[:, None] * (ring[0] + p + q)).sum(axis=0) / (3 * a.sum())


# %% [markdown]
# A raft, 1.6 m wide and 0.8 m high, half as dense as water. It heels by $\varphi$. Its centre lies
# in the surface, so that at any angle half of it is under water, which carries it. We compare our
# clipping with `geometry.submerged`, and the torque of the lift with what one step of the engine
# does to the raft at rest: $\Delta\omega = \tau\,\Delta t / I$.

# %%
raft = p2.Box(1.6, 0.8)
heel = np.radians(np.linspace(0, 90, 37))
ours, engine, moved = [], [], []
for angle in heel:
    under = below(geometry.transform(raft.vertices, (0, 0, angle)), 0.0)
    area, centroid = area_and_centroid(under)
    assert np.allclose([area, *centroid], np.hstack(geometry.submerged(raft, 0, (0, 0, angle))[:2]))
    ours.append(centroid[0])
    world = new_world()
    world.add_fluid(0, WATER, drag=0)
    body = world.add_body(raft, (0, 0), angle, density=WATER / 2)
    world.step(DT)
    torque = body.angular_velocity * body.inertia / DT
    engine.append(torque / (body.mass * G))  # the arm at which the lift acts
    moved.append(body.velocity)
ours, engine = np.array(ours), np.array(engine)
assert np.allclose(engine, ours, atol=1e-12)
assert np.allclose(moved, 0, atol=1e-12)  # lift and weight cancel

# %% [markdown]
# The lift acts at an arm from the centre of mass $\mathbf{c}$, the **righting arm**. If it turns
# the raft back, the raft is stable. Ship builders have a formula for it, right as long as no corner
# of a body with straight walls crosses the surface. With the beam $b$, the height $h$, the draught
# $d$ and the centre of mass at half the height, the righting arm is
#
# $$a = \left(\overline{GM} + \tfrac12\,\overline{BM}\tan^2\varphi\right)\sin\varphi,
#   \qquad \overline{BM} = \frac{b^2}{12\,d},\qquad
#   \overline{GM} = \frac d2 + \overline{BM} - \frac h2.$$
#
# $\overline{GM}$ is the *metacentric height*: if it is positive, a small heel rights itself. The
# beam counts squared. So a wide raft is stable.

# %%
b, h, d = 1.6, 0.8, 0.4
BM = b**2 / (12 * d)
GM = d / 2 + BM - h / 2
walls = heel[np.tan(heel) <= 2 * d / b]  # until a corner dips
formula = (GM + 0.5 * BM * np.tan(walls) ** 2) * np.sin(walls)
assert np.allclose(-engine[: len(walls)], formula, atol=1e-12)

# %%
fig, (left, right) = plt.subplots(1, 2, num="10-1 lift", figsize=(9.5, 3.8))
pose = (0, 0, np.radians(20))
outline = geometry.transform(raft.vertices, pose)
area, B, _ = geometry.submerged(raft, 0, pose)
left.axhspan(-1.2, 0, color=SKY, alpha=0.25)
left.add_collection(PolyCollection([outline], facecolors="white", edgecolors="black"))
left.add_collection(PolyCollection([below(outline, 0)], facecolors=SKY, edgecolors=BLUE))
arrow = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.009, "zorder": 4}
left.quiver(*B, 0, 0.8, color=BLUE, **arrow)
left.quiver(0, 0, 0, -0.8, color=RED, **arrow)
key = {"ls": "none", "marker": r"$\rightarrow$", "ms": 14}
left.plot([], [], color=BLUE, label="lift, at the centroid b", **key)
left.plot([], [], color=RED, label="weight, at the centre of mass c", **key)
left.plot(*B, "o", color=BLUE, zorder=5)
left.plot(0, 0, "s", color=RED, zorder=5)
left.set(aspect="equal", xlim=(-1.5, 1.5), ylim=(-1.2, 1.35), xlabel="x (m)", ylabel="y (m)")
left.legend(loc="upper left")
right.plot(np.degrees(walls), 1e3 * formula, color=RED, lw=3, label="formula for straight walls")
right.plot(np.degrees(heel), -1e3 * ours, color=GREY, label="clipping, NumPy")
right.plot(np.degrees(heel), -1e3 * engine, "o", color=BLUE, ms=4, mfc="none", label="engine")
right.set(xlabel="heel (degrees)", ylabel="righting arm (mm)", xticks=range(0, 91, 15))
right.legend()
plt.show()

# %% [markdown]
# **Figure 1.** Left, the raft heels by 20°. The lift (blue) acts beside the weight (vermilion), and
# the pair turns the raft back. Right, the righting arm by the formula, by our clipping and by the
# engine: it is largest near 38° and vanishes at 90°.

# %% [markdown]
# ### Exercise 1 · The square that lies on its side
#
# A square block floats. Its density is the share $s$ of that of water. For which $s$ does it float
# upright, with a face up? Use $\overline{GM}$; the draught is $s\,h$. Then throw a block of
# $s=0.15$ and one of $s=0.5$ into the water of the engine.

# %% [markdown]
# <details><summary>Answer</summary>
#
# With $b = h$ and $d = sh$: $\overline{GM}/h = \frac s2 + \frac1{12s} - \frac12 > 0$, so
# $6s^2 - 6s + 1 > 0$. The roots are $\frac12 \pm \frac{\sqrt3}{6}$, that is 0.211 and 0.789. Light
# blocks and heavy ones float upright, those between do not. At $s = 0.5$ the block stands on a
# corner.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
assert np.allclose(np.roots([6, -6, 1]), 0.5 + np.sqrt(3) / 6 * np.array([1, -1]))
world = new_world()
world.add_fluid(0, WATER, drag=2)
light = world.add_body(p2.Box(1, 1), (0, 0.5), 0.2, density=0.15 * WATER)
half = world.add_body(p2.Box(1, 1), (4, 0.5), 0.2, density=0.5 * WATER)
world.step(DT, n=1800)
assert abs(light.angle) < 1e-3
assert abs(abs(half.angle) - np.pi / 4) < 1e-3

# %% [markdown]
# ## 2. Bobbing
#
# Push an upright raft down by $y$. It displaces more water, by $b\,y$, and is driven back with the
# force $\varrho\,g\,b\,y$: a spring. Its mass is $m = \varrho\,b\,d$, so
#
# $$m\ddot y = -\varrho\,g\,b\,y\qquad\Rightarrow\qquad T = 2\pi\sqrt{\frac{d}{g}}.$$
#
# The beam cancels. The raft oscillates like a pendulum whose length is the draught.
#
# The **drag** of the fluid acts on each part of the submerged area with the force
# $k\,\varrho\,(\mathbf{u} - \mathbf{v})$ per area, with the velocity $\mathbf{u}$ of the flow.
# The submerged area is about $b\,d$, so the spring gets the damping $-k\,m\,\dot y$ and
#
# $$y = y_0\,e^{-kt/2}\left(\cos\omega t + \frac{k}{2\omega}\sin\omega t\right),\qquad
#   \omega = \sqrt{\frac gd - \frac{k^2}{4}}.$$


# %%
def bob(draught, drag=0.0, beam=1.0, push=0.01, seconds=6.0):
    """Upright raft, 1 m high, let go above its floating height. Rows: time, height above it."""
    world = new_world()
    world.add_fluid(0, WATER, drag=drag)
    rest = 0.5 - draught
    body = world.add_body(
        p2.Box(beam, 1), (0, rest + push), density=draught * WATER, fixed_rotation=True
    )
    rows = [(0.0, push)]
    for _ in range(round(seconds / DT)):
        world.step(DT)
        rows.append((world.time, body.position[1] - rest))
    return np.array(rows)


def period(rows):
    """Mean time between upward passages through zero."""
    t, y = rows.T
    up = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    passages = t[up] - y[up] * DT / (y[up + 1] - y[up])
    return np.diff(passages).mean()


# %%
d, k = 0.4, 1.0
free, damped = bob(d), bob(d, drag=k)
draughts = np.linspace(0.1, 0.9, 9)
periods = {beam: [period(bob(x, beam=beam)) for x in draughts] for beam in (0.5, 4.0)}
t = np.linspace(0, 6, 601)
omega = np.sqrt(G / d - k**2 / 4)
swing = np.cos(np.sqrt(G / d) * t)
decay = np.exp(-k * t / 2) * (np.cos(omega * t) + k / (2 * omega) * np.sin(omega * t))

fig, (left, right) = plt.subplots(1, 2, num="10-2 bobbing", figsize=(9.5, 3.8))
left.plot(t, 10 * swing, color=GREY, lw=1, label="formula without drag")
left.plot(*free[::4].T * [[1], [1e3]], "o", color=BLUE, ms=4, mfc="none", label="engine")
left.plot(t, 10 * decay, color=GREY, ls="--", lw=1, label="formula with drag")
left.plot(*damped[::4].T * [[1], [1e3]], "^", color=RED, ms=4, mfc="none", label="engine, drag")
left.set(xlabel="time (s)", ylabel="height above rest (mm)", ylim=(-11, 18))
left.legend(ncols=2, loc="upper center")
x = np.linspace(0.05, 1, 100)
right.plot(x, 2 * np.pi * np.sqrt(x / G), color=GREY, label=r"$2\pi\sqrt{d/g}$")
for (beam, found), marker, color in zip(periods.items(), "os", (BLUE, RED), strict=True):
    size = 4 if beam < 1 else 9
    right.plot(draughts, found, marker, mfc="none", ms=size, color=color, label=f"beam {beam:g} m")
right.set(xlabel="draught (m)", ylabel="period (s)", ylim=(0, None))
right.legend()
plt.show()

# %% [markdown]
# **Figure 2.** Left, the raft oscillates for ever without drag (blue), and fades as the formula
# says with drag (vermilion). Right, the period depends on the draught alone and not on the beam.

# %% [markdown]
# The largest deviation is 0.1 %, at the draught of 10 cm. It is systematic. In one step the engine
# takes lift and motion in turn, like the method of Störmer and Verlet, and that swings a little
# too fast: its period is $\pi\,\Delta t / \arcsin\frac{\omega\,\Delta t}{2}$. But the swing neither
# grows nor fades.

# %%
omegas = np.sqrt(G / draughts)
theory, stepped = 2 * np.pi / omegas, np.pi * DT / np.arcsin(omegas * DT / 2)
for found in periods.values():
    assert np.allclose(found, theory, rtol=1.2e-3)
    assert np.allclose(found, stepped, rtol=1e-4)  # what is left: straight lines between two steps
assert np.abs(free[:, 1] / 0.01 - np.interp(free[:, 0], t, swing)).max() < 0.02
assert np.abs(damped[:, 1] / 0.01 - np.interp(damped[:, 0], t, decay)).max() < 0.02
late = free[free[:, 0] > 4.5, 1]
assert np.isclose(late.max(), 0.01, rtol=0.01)  # after three swings as high as at first

# %% [markdown]
# ## 3. Still air
#
# At the speeds of things that fall, the air resists with the square of the speed:
# $\mathbf{F} = -q\,|\mathbf{v}|\,\mathbf{v}$. A stone that falls from rest gets faster until
# $q v^2 = m g$. Its **terminal speed** and its speed before that are
#
# $$v_T = \sqrt{\frac{m\,g}{q}},\qquad v(t) = v_T\tanh\frac{g\,t}{v_T}.$$
#
# Of two stones of the same size the heavier falls faster, as Aristotle said; without air both fall
# alike, as Galileo said.
#
# A step can go wrong here. The obvious one is $v' = v + \Delta t\,(g - q\,|v|\,v/m)$. When $v$ or
# $\Delta t$ is large, the drag of one step is more than the whole speed, and the stone turns back
# *upwards*. The engine asks for the drag of the speed at the **end** of the step,
# $v' = v + \Delta t\,(g - q\,|v|\,v'/m)$, which can be solved for it:
#
# $$v' = \frac{v + g\,\Delta t}{1 + q\,|v|\,\Delta t / m}.$$
#
# The divisor is above 1, so no velocity changes its sign.


# %%
def falling(masses, dt, seconds, q=0.4, start=0.0):
    """Speeds downwards of stones in air, (steps + 1, stones)."""
    world = new_world()
    world.add_drag(quadratic=q)
    for i, mass in enumerate(masses):
        world.add_body(p2.Circle(0.1), (3 * i, 0), mass=mass, velocity=(0, -start))
    rows = [-world.velocities[:, 1]]
    for _ in range(round(seconds / dt)):
        world.step(dt)
        rows.append(-world.velocities[:, 1])
    return np.array(rows)


masses, q = np.array([1.0, 4.0, 16.0]), 0.4
falls = falling(masses, DT, 6)
times = np.arange(len(falls)) * DT
terminal = np.sqrt(masses * G / q)
law = terminal * np.tanh(G * times[:, None] / terminal)

coarse = 0.3  # s
engine = falling([1.0], coarse, 3, start=15)[:, 0]
naive, ours = [15.0], [15.0]
for _ in engine[1:]:
    naive.append(naive[-1] + coarse * (G - q * abs(naive[-1]) * naive[-1]))
    ours.append((ours[-1] + coarse * G) / (1 + coarse * q * abs(ours[-1])))

# %%
fig, (left, right) = plt.subplots(1, 2, num="10-3 terminal speed", figsize=(9.5, 3.8))
for mass, color, marker, v, wanted, limit in zip(
    masses, (BLUE, GREEN, RED), "os^", falls.T, law.T, terminal, strict=True
):
    left.plot(times, wanted, color=GREY, lw=1)
    left.plot(times[::15], v[::15], marker, color=color, ms=4, mfc="none", label=f"{mass:g} kg")
    left.axhline(limit, color=color, ls=":", lw=1)
left.plot([], [], color=GREY, lw=1, label="formula")
left.set(xlabel="time (s)", ylabel="speed downwards (m/s)", title="falling from rest")
left.legend(loc="lower right", ncols=2)
steps = coarse * np.arange(len(engine))
right.plot(steps, naive, "s--", color=RED, label="drag of the old speed")
right.plot(steps, ours, color=GREY, label="drag of the next speed, NumPy")
right.plot(steps, engine, "o", color=BLUE, mfc="none", label="engine")
right.axhline(terminal[0], color=GREY, ls=":")
right.axhline(0, color="black", lw=0.8)
right.set(xlabel="time (s)", title="thrown down at 15 m/s, steps of 0.3 s")
right.legend()
plt.show()

# %% [markdown]
# **Figure 3.** Left, three stones of the same size approach their terminal speeds (dotted). Right,
# with steps of 0.3 s the obvious rule (vermilion) turns the stone upwards; the engine's rule (blue)
# approaches the terminal speed from above.

# %%
assert np.allclose(engine, ours, rtol=1e-12)
assert min(naive) < 0 < min(engine)
assert np.isclose(engine[-1], terminal[0], rtol=1e-3)  # exact whatever the step
error = np.abs(falls - law).max()
twice = np.abs(falling(masses, 2 * DT, 6) - law[::2]).max()
print(f"error from rest: {1e3 * error:.2f} mm/s; with steps twice as long: {1e3 * twice:.2f} mm/s")
assert np.isclose(twice / error, 4, rtol=0.05)  # v v' treats both ends alike: second order

# %% [markdown]
# ### Exercise 2 · A drag for games
#
# The tutorial that this engine grew out of has another drag: in each step a velocity loses
# `clamp_magnitude(v, 1) * c * dt`, where `clamp_magnitude` cuts a vector to a length of at most 1.
# A puck slides off with 5 m/s under $c = 2$ per second. When is its speed 1 m/s? How far does it
# get in all? Try `world.add_drag(clamped=2)`.

# %% [markdown]
# <details><summary>Answer</summary>
#
# Above 1 m/s the puck loses $c$ each second, as by dry friction: after $(5 - 1)/2 = 2$ s it has
# 1 m/s, and has gone $(5^2 - 1^2)/(2c) = 6$ m. Below 1 m/s it loses $c\,v$, so $v = e^{-c t}$ and
# the rest of the path is $1/c = 0.5$ m. In all 6.5 m.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
world = new_world((0, 0))
world.add_drag(clamped=2)
puck = world.add_body(p2.Circle(0.1), velocity=(5, 0))
world.step(DT, n=120)
assert np.isclose(puck.velocity[0], 1)
world.step(DT, n=600)
assert abs(puck.position[0] - 6.5) < 5 * DT

# %% [markdown]
# ## 4. Cutting a polygon
#
# To cut a polygon along a line is to clip it twice, once from either side. For a convex polygon
# that is all. A concave one may fall into more than two parts, and then Sutherland and Hodgman's
# walk gives one ring which connects them by bridges along the line. The bridges have no area, so
# area and centroid are right, and for lift that is good enough. But such a ring is no body.
#
# `geometry.slice_polygon` makes simple polygons of it. Along the line it sorts the places where the
# border crosses it. Inside and outside alternate there, so places 1 and 2 belong together, 3 and 4,
# and so on: each pair is a cut edge, which both sides share.

# %%
comb = np.array([(0, 0), (6, 0), (6, 3), (5, 1), (4, 3), (3, 1), (2, 3), (1, 1), (0, 3)], float)
p, q = np.array([-1.0, 1.4]), np.array([7.0, 2.0])


def clipped(ring, p, q):
    """One ring: what lies on the right of the line from p to q. Turn it level, clip, turn back."""
    angle = np.arctan2(*(q - p)[::-1])
    level = geometry.rotate(ring - p, -angle)
    return p + geometry.rotate(below(level, 0.0), angle)


rings = [clipped(comb, q, p), clipped(comb, p, q)]  # left of the line, right of it
parts = geometry.slice_polygon(comb, p, q)

# %%
fig, panels = plt.subplots(1, 2, num="10-4 cutting a comb", figsize=(9.5, 3.4), sharey=True)
for ring, color, shift in zip(rings, (SKY, "#e8e8e4"), (0.35, -0.35), strict=True):
    panels[0].add_collection(PolyCollection([ring + [0, shift]], facecolors=color, edgecolors=RED))
panels[0].set_title("clipped: one ring on each side")
colors = iter([SKY, ORANGE, GREEN, PINK, "#e8e8e4"])
for side, shift in zip(parts, (0.35, -0.35), strict=True):
    for part in (ring + [0, shift] for ring in side):
        patch = PolyCollection([part], facecolors=next(colors), edgecolors="black")
        panels[1].add_collection(patch)
        panels[1].plot(*part.T, ".", color="black", ms=5)
panels[1].set_title("sliced: simple polygons")
for ax in panels:
    ax.axline(p, q, color=GREY, ls="--", lw=1)
    ax.set(aspect="equal", xlim=(-0.6, 6.6), ylim=(-0.6, 3.6), xlabel="x (m)")
panels[0].set_ylabel("y (m)")
plt.show()

# %% [markdown]
# **Figure 4.** The two sides of the cut are drawn apart. Left, clipping leaves one ring, with
# bridges along the cut. Right, slicing makes four teeth and one comb of them, all simple polygons.

# %%
assert [len(side) for side in parts] == [4, 1]
for ring, side in zip(rings, parts, strict=True):
    area, centroid = area_and_centroid(ring)
    areas = np.array([geometry.signed_area(part) for part in side])
    middles = np.array([geometry.centroid(part) for part in side])
    assert (areas > 0).all()
    assert np.isclose(areas.sum(), area)
    assert np.allclose(areas @ middles / areas.sum(), centroid)
total = sum(geometry.area(part) for side in parts for part in side)
assert np.isclose(total, geometry.area(comb), rtol=1e-15)

# %% [markdown]
# ## 5. Cutting a body
#
# A cut must not change how the matter of a flying body moves. Each part of it moves with
# $\mathbf{v} + \omega\times\mathbf{r}$, where $\mathbf{r}$ is counted from the centre of mass,
# and no force acts. So the part $i$ with its centre of mass at $\mathbf{r}_i$ takes
#
# $$\mathbf{v}_i = \mathbf{v} + \omega\times\mathbf{r}_i,\qquad \omega_i = \omega.$$
#
# Then mass, momentum, angular momentum and energy are what they were. The energy of the rotation is
# shared: a part keeps what it has about its own centre, the rest is now energy of flight. That is
# why the parts fly apart, although nothing pushes them.
#
# `world.slice(body, p, q)` does this for a whole body: shapes are cut, parts that hang together are
# found, material and everything else is kept.


# %%
def thrown(cuts):
    """A spinning plate, cut at once along each line; a world, and its bodies."""
    world = new_world()
    plate = p2.Polygon([(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)], recenter=True)
    body = world.add_body(plate, velocity=(9, 5), angular_velocity=4, density=3)
    bodies = [body]
    for p, q in cuts:
        bodies = [part for body in bodies for part in world.slice(body, p, q)]
    return world, bodies


def conserved(world):
    """What a cut must not change."""
    own = world.momentum(), world.angular_momentum(), world.kinetic_energy()
    return np.hstack([np.nansum(world.masses), *own])


# %%
CUTS = [((-3, -0.4), (3, 0.6)), ((-0.3, -3), (0.5, 3))]
whole, (plate,) = thrown([])
world, parts = thrown(CUTS)
assert len(parts) == 4
assert np.allclose(conserved(world), conserved(whole), rtol=1e-12)
for part in parts:
    r = part.to_world(part.center_of_mass)  # the plate's centre of mass is at the origin
    assert np.allclose(part.velocity, np.array([9, 5]) + 4 * np.array([-r[1], r[0]]))
    assert part.angular_velocity == 4

# %% [markdown]
# The plate that is whole and the one that is cut now fly side by side. The centre of mass of all
# parts goes on along the parabola of the whole plate.

# %%
paths, track, straight = [], [], []
snapshots = {}
for step in range(61):
    if step in (0, 30, 60):
        snapshots[step] = [
            geometry.transform(part.colliders[0].shape.vertices, (*part.position, part.angle))
            for part in parts
        ]
    masses = np.array([part.mass for part in parts])
    places = np.array([part.position for part in parts])
    paths.append(places)
    track.append(masses @ places / masses.sum())
    straight.append(plate.position)
    whole.step(DT)
    world.step(DT)
paths, track, straight = np.array(paths), np.array(track), np.array(straight)

# %%
fig, ax = plt.subplots(num="10-5 a plate in four parts", figsize=(8.5, 4.4))
colors = [SKY, ORANGE, GREEN, PINK]
for outlines in snapshots.values():
    ax.add_collection(PolyCollection(outlines, facecolors=colors, edgecolors="black", alpha=0.85))
for i, path in enumerate(paths.swapaxes(0, 1)):
    ax.plot(*path.T, color=GREY, lw=1, label=f"part {i}" if i else "each part")
ax.plot(*track[::3].T, "o", color=RED, ms=4, zorder=4, label="centre of mass of all parts")
ax.plot(*straight.T, color=BLUE, zorder=3, label="of the plate that is whole")
ax.set(aspect="equal", xlabel="x (m)", ylabel="y (m)")
handles, names = ax.get_legend_handles_labels()
fig.legend([handles[0], *handles[4:]], [names[0], *names[4:]], loc="outside lower center", ncols=3)
plt.show()

# %% [markdown]
# **Figure 5.** A spinning plate is cut in four. The parts fly apart (grey paths), but their common
# centre of mass (vermilion dots) follows the path of the whole plate (blue).

# %%
assert np.allclose(track, straight, atol=1e-5)  # parts that touch move in single precision
t = np.arange(61)[:, None] * DT
flight = paths[0] + np.array([[9, 5] + 4 * np.array([-r[1], r[0]]) for r in paths[0]]) * t[:, None]
fall = -0.5 * G * t**2 - G * t * DT / (2 * world.substeps)  # the second term: substeps
assert np.allclose(paths, flight + fall[:, None] * [0, 1], atol=1e-4)
assert np.isclose(conserved(world)[3], conserved(whole)[3], rtol=1e-5)  # angular momentum

# %% [markdown]
# ### Exercise 3 · The grinding wheel
#
# A disc of radius $r = 1$ m turns with $\omega = 10$ per second about its centre, which is at rest.
# It breaks along a diameter. How fast do the halves fly off? Which share of the energy is then
# energy of flight? (The centroid of a half disc is $4r/3\pi$ from the centre; $I = \frac12 m r^2$.)

# %% [markdown]
# <details><summary>Answer</summary>
#
# $v = \omega\cdot 4r/3\pi = 4.24$ m/s. The energy was $\frac14 m r^2\omega^2$, that of flight is
# $\frac12 m v^2$: the share is $2\,(4/3\pi)^2 = 0.36$. The engine cuts circles into polygons of the
# same area with 64 corners, so the last digits differ.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
world = new_world((0, 0))
wheel = world.add_body(p2.Circle(1), angular_velocity=10)
energy = world.kinetic_energy()
halves = world.slice(wheel, (-1, 0), (1, 0))
speeds = [np.hypot(*half.velocity) for half in halves]
assert np.allclose(speeds, 10 * 4 / (3 * np.pi), rtol=2e-3)
share = sum(0.5 * half.mass * v**2 for half, v in zip(halves, speeds, strict=True)) / energy
assert np.isclose(share, 2 * (4 / (3 * np.pi)) ** 2, rtol=3e-3)

# %% [markdown]
# ## 6. Tiles
#
# Many games need no polygons. Their level is a table of booleans, and one tile is one unit. Then
# the question "what is at $(x, y)$?" is answered by rounding down: it is
# `cells[floor(y), floor(x)]`. No search and no tree is needed.
#
# A box is tested at **hot spots** on its border: its four corners, or eight with the middles of its
# sides. Spots that are further apart than one tile can miss one.

# %%
LEVEL = [
    "##################",
    "#................#",
    "#................#",
    "#............#...#",
    "#............###.#",
    "#................#",
    "#.....###........#",
    "#..#......#......#",
    "#..#......#......#",
    "##################",
]
CELLS = np.array([[sign == "#" for sign in line] for line in LEVEL[::-1]])  # row 0 is the lowest
tiles = geometry.TileMap(CELLS)


def solid(points):
    """Which points (..., 2) are in solid tiles; all outside of the level is free."""
    column, row = np.floor(np.moveaxis(points, -1, 0)).astype(int)
    known = (column >= 0) & (column < CELLS.shape[1]) & (row >= 0) & (row < CELLS.shape[0])
    return known & CELLS[np.where(known, row, 0), np.where(known, column, 0)]


# %% [markdown]
# A box that stands on a floor touches it and does not overlap it. So the spots are moved inwards by
# a billionth of a tile. The engine does the same.


# %%
def hot_spots(box):
    """The eight spots, counter-clockwise from the lower left corner."""
    (x0, y0), (x2, y2) = box + 1e-9 * np.array([[1], [-1]])
    x1, y1 = (x0 + x2) / 2, (y0 + y2) / 2
    return np.array(
        [(x0, y0), (x1, y0), (x2, y0), (x2, y1), (x2, y2), (x1, y2), (x0, y2), (x0, y1)]
    )


rng = np.random.default_rng(10)
lower = rng.uniform(-1, (17, 9), (1000, 2))
boxes = np.stack([lower, lower + rng.uniform(0.2, 2, (1000, 2))], axis=1)
ours = np.array([solid(hot_spots(box)) for box in boxes])
assert np.array_equal(ours, tiles.hit(boxes))
assert np.array_equal(ours.any(axis=1), tiles.overlaps(boxes))  # up to two tiles: nothing missed
missed = tiles.overlaps(boxes) & ~tiles.hit(boxes, spots=4).any(axis=1)
print(f"four corners alone miss {missed.sum()} of {tiles.overlaps(boxes).sum()} overlaps")
assert missed.any()
small = (boxes[:, 1] - boxes[:, 0]).max(axis=1) <= 1
assert not (missed & small).any()  # boxes up to one tile: corners suffice

# %% [markdown]
# What then? The box is **snapped**: moved straight up, down, left or right until it is flush with a
# line of the grid and free, whichever is nearest. Each of the four moves is tried line by line.


# %%
def snapped(box):
    """The shortest shift out of the solid along an axis; of equal ones up, down, left, right."""
    if not tiles.overlaps(box):
        return np.zeros(2)
    found = []
    for axis, sign in ((1, 1), (1, -1), (0, -1), (0, 1)):
        edge = box[0 if sign > 0 else 1, axis]  # the side that comes out last
        for line in np.floor(edge) + sign * np.arange(-1, 20):
            shift = np.zeros(2)
            shift[axis] = line - edge
            if sign * shift[axis] > 0 and not tiles.overlaps(box + shift):
                found.append(shift)
                break
    return min(found, key=lambda shift: np.abs(shift).sum())


shifts = tiles.snap(boxes)
assert np.allclose(shifts, [snapped(box) for box in boxes], atol=1e-12)
assert not tiles.overlaps(boxes + shifts[:, None]).any()

# %%
shown = np.array([[(4.3, 0.8), (5.2, 2.2)], [(6.5, 1.7), (8.3, 3.2)], [(9.4, 2.3), (10.3, 3.7)]])
shown = np.concatenate([shown, [[(12.6, 4.4), (14.2, 5.5)], [(2.4, 1.4), (4.3, 2.5)]]])
hits, spots = tiles.hit(shown), np.array([hot_spots(box) for box in shown])
shifts = tiles.snap(shown)


# %%
def draw_level(ax):
    row, column = np.nonzero(CELLS)
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    squares = np.column_stack([column, row])[:, None] + corners
    style = {"facecolors": "#d9d9d4", "edgecolors": GREY, "linewidths": 0.5}
    ax.add_collection(PolyCollection(squares, **style))
    ax.set(aspect="equal", xlim=(0, 18), ylim=(0, 10), xlabel="x (tiles)", ylabel="y (tiles)")
    ax.grid(visible=False)


# %%
fig, ax = plt.subplots(num="10-6 hot spots and snapping", figsize=(9, 5.2))
draw_level(ax)
for box, shift in zip(shown, shifts, strict=True):
    for (x, y), style in ((box[0], "--"), (box[0] + shift, "-")):
        ax.add_patch(plt.Rectangle((x, y), *(box[1] - box[0]), fill=False, ls=style, lw=1.3))
middle = shown.mean(axis=1)
arrow = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.005, "zorder": 4}
ax.quiver(*middle.T, *shifts.T, color=BLUE, **arrow)
ax.plot([], [], color=BLUE, ls="none", marker=r"$\rightarrow$", ms=14, label="snap")
ax.plot(*spots[hits].T, "X", color=RED, ms=7, label="spot in a tile")
ax.plot(*spots[~hits].T, "o", color=GREEN, ms=4, label="spot that is free")
ax.legend(loc="upper left", bbox_to_anchor=(0.06, 0.9))
plt.show()

# %% [markdown]
# **Figure 6.** Boxes before (dashed) and after (solid) the snap. Vermilion spots lie in a solid
# tile, green ones are free. The blue arrow is the shortest shift along an axis.

# %% [markdown]
# ## 7. Rays in a level
#
# Which tiles are visible? J. Amanatides and A. Woo (1987) follow a ray from tile to tile. At each
# moment we know at which fraction of the ray it will cross the next vertical line and the next
# horizontal one. The smaller one comes first; it is taken, and the next of its kind is further by
# $1/|d_x|$ or $1/|d_y|$. Each tile on the ray is tested once, and no other.


# %%
def walk(origin, ray):
    """The fraction of the ray at which it enters a solid tile, or NaN."""
    cell = np.floor(origin).astype(int)
    sign = np.sign(ray).astype(int)
    pace = 1 / np.maximum(np.abs(ray), 1e-300)  # fraction from line to line
    ahead = np.where(sign > 0, cell + 1 - origin, origin - cell) * pace
    t = 0.0
    while t <= 1:
        if solid(cell):
            return t
        axis = ahead.argmin()
        t = ahead[axis]
        cell[axis] += sign[axis]
        ahead[axis] += pace[axis]
    return np.nan


lamp = np.array([10.5, 6.3])
rays = 25 * geometry.direction(np.linspace(0, 2 * np.pi, 481) + 0.001)
hit = tiles.cast_ray(lamp, rays)
assert np.allclose(hit["fraction"], [walk(lamp, ray) for ray in rays], atol=1e-12)

# %% [markdown]
# For bodies to move in the level, the engine needs shapes. A box per tile would be many, and worse:
# a ball that rolls over the joint of two boxes can catch on the hidden corner. `tiles.to_bodies`
# merges tiles to few large boxes, greedily: from the lowest left tile as wide as possible, then as
# high. The same rays through the world of these boxes must hit at the same points.

# %%
merged = tiles.rectangles()
world = new_world()
tiles.to_bodies(world, friction=0.8)
boxed = world.cast_rays(lamp, rays)

fig, (left, right) = plt.subplots(1, 2, num="10-7 rays and merged boxes", figsize=(10, 3.4))
draw_level(left)
left.add_collection(PolyCollection([hit["point"]], facecolors=ORANGE, alpha=0.35))
left.plot(*hit["point"].T, ".", color=RED, ms=2, label="first points of rays")
left.plot(*lamp, "*", color="black", ms=10)
left.set_title("what a lamp sees")
plot.world(world, right, contacts=False, view=(0, 0, 18, 10), linewidth=1.5)
for low, high in merged:
    right.plot(*(low + high) / 2, "+", color=BLUE)
right.set_title(f"{CELLS.sum()} tiles as {len(merged)} boxes")
right.label_outer()
plt.show()

# %% [markdown]
# **Figure 7.** Left, the orange area is what the lamp (star) lights; the rays end at the vermilion
# points. Right, the same 63 tiles as nine boxes, each with a blue cross.

# %%
assert np.allclose(hit["point"], boxed["point"], atol=1e-6)
assert np.isclose(np.prod(merged[:, 1] - merged[:, 0], axis=1).sum(), CELLS.sum())
cover = np.zeros(CELLS.shape, int)
for (x0, y0), (x1, y1) in merged.astype(int):
    cover[y0:y1, x0:x1] += 1
assert np.array_equal(cover, CELLS)  # each tile in exactly one box

# %% [markdown]
# ## 8. Jump and aim
#
# How fast must you jump to reach the height $h$? Energy says $\frac12 v^2 = g\,h$, so
# $v = \sqrt{2\,g\,h}$: `geometry.jump_velocity(h)`.
#
# But a game moves in steps, velocity first: after $k$ steps the height is
# $k\,v\,\Delta t - \frac12 g\,\Delta t^2\,k\,(k+1)$. That is the parabola less
# $\frac12 g\,t\,\Delta t$, and the top is too low by $\frac12 v\,\Delta t$. Here this makes
# 6 cm, and the figure hits the ledge that it should reach. The remedy is to start with half
# a step of gravity more, $v + \frac12 g\,\Delta t$: then all points lie on the parabola.
#
# The figure moves along $x$ and snaps along $x$, then the same with $y$. What was hit stops.


# %%
def play(jump, push=2.0, frames=120):
    """A figure runs to the right and jumps; its box at each frame until it stands again."""
    box = np.array([(4.3, 1.0), (5.1, 2.4)])
    velocity = np.array([push, jump])
    frames_seen = [box.copy()]
    for _ in range(frames):
        velocity += np.array([0, -G * DT])
        velocity[0] = push  # the key is held down
        for axis, name in enumerate("xy"):
            box[:, axis] += velocity[axis] * DT
            shift = tiles.snap(box, axis=name)
            box += shift
            if shift[axis] * velocity[axis] < 0:
                velocity[axis] = 0
        frames_seen.append(box.copy())
        if velocity[1] == 0:
            break
    return np.array(frames_seen)


# %%
height = 3.05  # tiles of 1 m: the ledge is 3 m above the floor
plain = geometry.jump_velocity(height)
runs = {"jump_velocity": play(plain), "half a step more": play(plain + 0.5 * G * DT)}

fig, (left, right) = plt.subplots(1, 2, num="10-8 a jump", figsize=(10, 4.2))
draw_level(left)
left.set(xlim=(3.4, 10), ylim=(0.4, 6.6))
for (name, run), color, style in zip(runs.items(), (RED, BLUE), "s^", strict=True):
    for low, high in run[[0, len(run) // 2, -1]]:
        left.add_patch(plt.Rectangle(low, *(high - low), fill=False, ec=color, lw=1.3))
    left.plot(*run[::2, 0].T, style, ms=3, color=color, label=name)
    rise = run[: int(plain / G / DT), 0, 1] - 1
    right.plot(np.arange(len(rise)) * DT, rise, style, ms=3, color=color, label=name)
t = np.linspace(0, plain / G, 200)
right.plot(t, plain * t - 0.5 * G * t**2, color=GREY, label="parabola")
right.axhline(3, color="black", ls="--", label="ledge")
right.set(xlabel="time (s)", ylabel="height of the feet (m)", xlim=(0.55, 0.8), ylim=(2.6, 3.1))
right.legend(loc="lower right")
left.legend(loc="upper left")
plt.show()

# %% [markdown]
# **Figure 8.** Left, with `jump_velocity` alone the figure (vermilion) hits the ledge and falls
# back; with half a step of gravity more (blue) it stands on it. Right, the top of both jumps,
# beside the parabola.

# %%
low, right_one = (run[:, 0, 1] - 1 for run in runs.values())
assert np.isclose(low.max(), height - plain * DT / 2 + G * DT**2 / 8, atol=G * DT**2 / 8)
assert np.isclose(right_one.max(), height, atol=G * DT**2 / 8)
assert low.max() < 3 < right_one.max()
assert runs["half a step more"][-1, 0, 1] == 4  # it stands on the ledge
assert runs["jump_velocity"][-1, 0, 1] == 1  # back on the floor, in front of the ledge

# %% [markdown]
# The bodies of a world lose less: a step of $n$ substeps loses
# $\frac12 v\,\Delta t/n$ of the height; by default $n = 8$.
#
# **Aiming.** A ball is thrown up at $\mathbf{p}$ with the velocity $\mathbf{w}$. A gun at
# $\mathbf{g}$ fires a shot of the speed $s$. In which direction? Without gravity they meet at the
# time $\tau$ with $|\mathbf{p} + \tau\mathbf{w} - \mathbf{g}| = s\,\tau$, a quadratic equation
# (lesson 09, exercise 2); `geometry.lead_target` gives the place. With gravity both fall by the
# same $\frac12 g\,\tau^2$ below where they would be without. So the answer is the same direction,
# and they meet lower down.

# %%
gun, start, w, speed = np.array([0, 1.0]), np.array([14, 1.0]), np.array([-2.0, 8.0]), 16.0
aim = geometry.lead_target(gun, start, w, speed)
tau = np.linalg.norm(aim - gun) / speed

world = new_world()
target = world.add_body(p2.Circle(0.2), start, velocity=w)
shot = world.add_body(p2.Circle(0.2), gun, velocity=speed * (aim - gun) / np.linalg.norm(aim - gun))
paths = [world.positions[:2].copy()]
while not len(world.events.contact_begin):
    world.step(DT / 4)
    paths.append(world.positions[:2].copy())
paths = np.array(paths)
met = world.time

fig, ax = plt.subplots(num="10-9 aiming at what flies", figsize=(8.5, 3.8))
ax.plot(*np.array([gun, aim]).T, "--", color=BLUE, lw=1, label="without gravity")
ax.plot(*np.array([start, aim]).T, "--", color=RED, lw=1)
ax.plot(*paths[::6, 1].T, "o", color=BLUE, ms=5, mfc="none", label="shot")
ax.plot(*paths[::6, 0].T, "s", color=RED, ms=5, mfc="none", label="target")
ax.plot(*aim, "*", color="black", ms=12, label="lead_target")
fallen = aim - [0, 0.5 * G * tau**2]
ax.plot(*fallen, "X", color=ORANGE, ms=11, mec="black", label="less $g\\tau^2/2$")
ax.set(aspect="equal", xlabel="x (m)", ylabel="y (m)", ylim=(0, None))
ax.legend(loc="upper left", ncols=2)
plt.show()

# %% [markdown]
# **Figure 9.** The gun aims at the star, where both would meet without gravity. With gravity both
# fall by the same $g\tau^2/2$ and meet at the orange cross.

# %%
assert np.isclose(np.linalg.norm(start + tau * w - gun), speed * tau)  # they arrive together
closing = np.linalg.norm(speed * (aim - gun) / np.linalg.norm(aim - gun) - w)
assert abs(met - (tau - 0.4 / closing)) < 2 * DT / 4  # the discs touch a little earlier
assert np.linalg.norm(paths[-1].mean(axis=0) - fallen) < 0.4
print(f"aim at {aim.round(2)}, they meet after {met:.3f} s at {paths[-1].mean(axis=0).round(2)}")

# %% [markdown]
# ### Exercise 4 · The balloon
#
# The target does not fall: a balloon drifts with $\mathbf{w}$. Now gravity pulls the shot away from
# the place at which it was aimed. How can you still use `lead_target`?

# %% [markdown]
# <details><summary>Answer</summary>
#
# Let the shot fly straight, and the balloon be higher by what the shot falls,
# $\frac12 g\,\tau^2$. We do not know $\tau$ yet: begin with zero, aim, take the time of flight,
# raise the target, aim again. Each round changes less than the one before when the shot flies
# flat, with $g\,\tau$ well below $s$.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
balloon, w, tau = np.array([8.0, 6.0]), np.array([1.0, 0.3]), 0.0
for _ in range(60):
    aim = geometry.lead_target(gun, balloon + [0, 0.5 * G * tau**2], w, speed)
    tau = np.linalg.norm(aim - gun) / speed
world = new_world()
floating = world.add_body(p2.Circle(0.2), balloon, kind="kinematic", velocity=w)
shot = world.add_body(p2.Circle(0.2), gun, velocity=speed * (aim - gun) / np.linalg.norm(aim - gun))
while not len(world.events.contact_begin):
    assert world.time < tau
    world.step(DT / 4)
assert abs(np.linalg.norm(shot.position - floating.position) - 0.4) < speed * DT / 2

# %% [markdown]
# ## References
#
# * R. Gaul, posts on custom engines: tile maps, slicing and polygon buoyancy; *Basic 2D Collision
#   Detection + Jump Physics*.
# * D. Sotirov, notebooks on a rigid-body engine in Python: the clamped drag.
# * Archimedes, *On Floating Bodies*, third century BC.
# * I. Sutherland, G. Hodgman, *Reentrant Polygon Clipping*, 1974.
# * J. Amanatides, A. Woo, *A Fast Voxel Traversal Algorithm for Ray Tracing*, 1987.
# * L. Verlet, *Computer "Experiments" on Classical Fluids*, 1967.
