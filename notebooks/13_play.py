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
# # 13 · Worlds in your hand
#
# **Learning goal.** You can hold a world under the mouse: grab bodies and throw them, drag two
# shapes and read the axes, clips and contacts that follow, switch solvers in a running heap, and
# shoot balls at a thin wall. You can say what force a hand has, and how often a fast ball passes.
#
# **You need** `pip install 'pyphys2d[jupyter,plot]'`, and the terms of lessons 03, 04, 05 and 08.
#
# The four demos are those of the notebook tutorial that this library began with. Each view is
# alive: drag, wheel, space (run or wait), full stop (one step), R (start again). Cells run while a
# view does. The same demos open without Jupyter by `python -m pyphys2d play grabbing`.

# %%
import matplotlib.pyplot as plt
import numpy as np

import pyphys2d as p2
from pyphys2d import geometry, jupyter

# The colours of Okabe and Ito (2008), which colour-blind eyes can tell apart.
BLUE, ORANGE, GREY = "#0072b2", "#e69f00", "#6e6e6a"
plt.rcParams["figure.constrained_layout.use"] = True

G = 9.81  # m/s²
DT = 1 / 60  # s, one step

# %% [markdown]
# ## 1. Grabbing
#
# Drag a body and let go while you move: it flies on. Increase gravity and hold a body in the air.

# %%
jupyter.play("grabbing")

# %% [markdown]
# The hand is a **mouse joint**: a spring from the pointer to the point of the body that was taken.
# With the frequency $f$ it has the stiffness $k = m (2 \pi f)^2$ for a body of mass $m$, so a body
# that hangs on it sags by
#
# $$s = \frac{m g}{k} = \frac{g}{(2 \pi f)^2},$$
#
# whatever its mass. At 5 Hz this is 1 cm. Let us hang two bodies on a hand and measure.


# %%
def sag(side, hertz):
    """How far a box hangs below the hand that holds it, after it has come to rest, metres."""
    world = p2.World((0, -G))
    box = world.add_body(p2.Box(side, side))
    world.add_mouse_joint(box, target=(0, 0), spring_hertz=hertz)
    world.step(DT, n=600)
    return -box.position[1]


theory = G / (2 * np.pi * 5) ** 2
assert abs(sag(0.3, 5) / theory - 1) < 1e-3
assert abs(sag(3.0, 5) / theory - 1) < 1e-3
print(f"sag {1000 * sag(1, 5):.2f} mm, theory {1000 * theory:.2f} mm")

# %% [markdown]
# To throw is to let go: the joint is removed, and the body keeps its velocity.

# %%
world = p2.World((0, 0))
ball = world.add_body(p2.Circle(0.4))
hand = world.add_mouse_joint(ball, target=(0, 0))
for k in range(30):
    hand.target = (0.1 * k, 0)  # a hand that moves at 0.1 m a step
    world.step(DT)
before = ball.velocity.copy()
world.remove(hand)
assert (ball.velocity == before).all()
assert 5 < before[0] < 7  # the hand's 6 m/s
print(f"thrown at {before[0]:.2f} m/s")

# %% [markdown]
# ### Exercise 1 · A stronger hand
#
# A hand of 5 Hz lets a crate sag by 1 cm. Which frequency makes it 1 mm?

# %% [markdown]
# <details><summary>Answer</summary>
#
# The sag goes with $1/f^2$, so a tenth of it takes $\sqrt{10}$ times the frequency: 15.8 Hz.
#
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
assert abs(sag(1, 5 * np.sqrt(10)) / (0.1 * sag(1, 5)) - 1) < 1e-2

# %% [markdown]
# ## 2. Normals
#
# The view shows two shapes at rest. Drag one. Around them are the projections on every axis of the
# separating axis test, the best one thick. Between them are the edges that are clipped, and the
# contacts.

# %%
jupyter.play("normals")

# %% [markdown]
# The picture is drawn from arrays. The best axis is the one of least overlap, and that overlap is
# the depth of the deepest contact.

# %%
a, b = p2.Box(3, 1.6), p2.Box(2, 2)
poses = (-1, 0, 0), (1, 0.9, 0.35)
trace = geometry.sat(a, b, *poses)
contact = geometry.clip(a, b, *poses)
assert trace.overlaps[trace.best] == trace.overlaps.min()
assert abs(contact.depths.max() - trace.overlaps.min()) < 1e-12
print(f"{len(trace.axes)} axes; {1000 * contact.depths.max():.0f} mm deep")

# %% [markdown]
# ## 3. Collision
#
# A heap with a choice of solvers. With `sequential_impulses` and one iteration the heap is soft;
# with *translate* bodies are moved apart and gain no velocity. *Crude average* takes the mean
# of the deepest vertices as the only contact point.

# %%
jupyter.play("collision", height=560)

# %% [markdown]
# Why clipping? A box that hangs over an edge needs a contact at the edge. The average of its own
# deepest vertices lies in the middle of its lower side, where there may be nothing to stand on.

# %%
shelf, box = p2.Box(2, 1), p2.Box(2, 1)
overhang = geometry.clip(shelf, box, (0, 0, 0), (0.7, 0.98, 0))
left, right = sorted(overhang.points[:, 0])
assert np.allclose([left, right], [-0.3, 1.0])  # up to the end of the shelf, and no further
crude = np.mean([-0.3, 1.7])  # the two lower vertices of the box
assert abs(crude - 0.5 * (left + right)) > 0.3
print(f"contacts at {left:.1f} m and {right:.1f} m; the crude one at {crude:.1f} m")

# %% [markdown]
# ## 4. Tunnelling
#
# Shoot balls at a thin wall, with continuous collision on and off.

# %%
jupyter.play("tunneling")

# %% [markdown]
# A ball that is sampled once a step has positions $v \, \Delta t$ apart. It is stopped when
# one of them lies in a zone of width $d$ before and in the wall, so of many balls the part
#
# $$p = \max\left(0, 1 - \frac{d}{v \, \Delta t}\right)$$
#
# passes. The zone ends where the centre is beyond the middle of the wall: from there the ball is
# pushed out on the other side.

# %%
RADIUS, WALL = 0.15, 0.02


def share_that_passes(speed, continuous=False, balls=50):
    """Of balls that start at different places within one step's travel."""
    passed = 0
    for k in range(balls):
        world = p2.World((0, 0), continuous=continuous)
        world.add_body(p2.Box(WALL, 4), kind="static")
        start = -(3 + (k + 0.5) / balls) * speed * DT
        ball = world.add_body(p2.Circle(RADIUS), (start, 0), velocity=(speed, 0))
        world.step(DT, n=8)
        passed += ball.position[0] > 0
    return passed / balls


speeds = np.array([10, 20, 30, 45, 60, 90, 120])
shares = np.array([share_that_passes(v) for v in speeds])
fast = speeds > 15
zones = (1 - shares[fast]) * speeds[fast] * DT
assert np.ptp(zones) < 2 * speeds[-1] * DT / 50  # one zone, to the spacing of the balls
zone = zones.mean()
assert RADIUS + WALL / 2 < zone < 2 * RADIUS + WALL
assert not any(share_that_passes(v, continuous=True) for v in speeds)

# %%
fig, ax = plt.subplots(num="13-1 balls that pass", figsize=(7, 3.6))
v = np.linspace(5, 125, 400)
ax.plot(v, np.maximum(0, 1 - zone / (v * DT)), color=GREY, label=r"$1 - d / (v \, \Delta t)$")
ax.plot(speeds, shares, "o", color=ORANGE, label="once a step")
ax.plot(speeds, 0 * shares, "s", color=BLUE, label="continuous")
ax.set_xlabel("speed (m/s)")
ax.set_ylabel("share that passes")
ax.legend()
plt.show()

# %% [markdown]
# **Figure 1.** The share of balls that pass the wall. Sampled once a step (orange), it follows the
# formula (grey). With continuous collision (blue) no ball passes at any speed.

# %% [markdown]
# ### Exercise 2 · Shorter steps
#
# From which speed on does a ball pass at all, if a step is half as long?

# %% [markdown]
# <details><summary>Answer</summary>
#
# The formula is positive from $v = d / \Delta t$ on, so half the step doubles the speed: from about
# 15 to about 30 m/s. That is a high price: the simulation costs twice as much for twice the speed,
# while continuous collision stops all balls.
#
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
limit = zone / DT
assert share_that_passes(0.9 * limit) == 0
assert share_that_passes(1.5 * limit) > 0

# %% [markdown]
# ## 5. Your own
#
# `jupyter.WorldView(world)` shows any world, and `jupyter.play` also takes the scenes of the
# library (`python -m pyphys2d scenes`) and scene files. A finished run can be saved as a page of
# one file that plays it: `p2.simulate(world, 5).to_html("run.html")`.

# %%
world = p2.World((0, -G))
world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
for k in range(10):
    world.add_body(p2.RegularPolygon(3 + k % 5, 0.6), (0.05 * k, 1 + 1.2 * k))
view = jupyter.WorldView(world)
view.add_body_on_click(p2.Circle(0.3))
view

# %% [markdown]
# ## References
#
# * D. Sotirov, notebooks on a rigid-body engine in Python: the demonstrations *grabbing*,
#   *normals*, *collision* and *tunneling*.
# * E. Catto, *Soft Constraints*, Game Developers Conference, 2011: the mouse joint.
# * E. Catto, *Continuous Collision*, Game Developers Conference, 2013.
