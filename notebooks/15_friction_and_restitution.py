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
# # 15 · Friction and restitution
#
# **Learning goal.** You can say when a body on a slope slides and how fast, when a sliding ball
# begins to roll, and why a bow makes a string sing. You can compute how high a ball bounces, how it
# leaves a wall that it hits at an angle, and what arrives at the end of a row of balls. Each
# formula is held against the engine.
#
# **You need** NumPy; lesson 05 for impulses.

# %%
import matplotlib.pyplot as plt
import numpy as np

import pyphys2d as p2

# The colours of Okabe and Ito (2008), which colour-blind eyes can tell apart.
BLUE, SKY, ORANGE, GREEN = "#0072b2", "#56b4e9", "#e69f00", "#009e73"
RED, PINK, GREY = "#d55e00", "#cc79a7", "#6e6e6a"
plt.rcParams["figure.constrained_layout.use"] = True
plt.rcParams["axes.grid"] = True
plt.rcParams["grid.alpha"] = 0.3

DT = 1 / 60  # s, one step
G = 10.0  # m/s^2


def floor_world(**material):
    """A world with a floor whose top is at y = 0, and nothing that sleeps."""
    world = p2.World((0, -G), sleeping=False)
    world.add_body(p2.Box(200, 1), (0, -0.5), kind="static", **material)
    return world


# %% [markdown]
# ## 1. The friction cone
#
# Dry friction follows a law that C. A. Coulomb measured in 1785. Let $N$ be the normal force
# between two surfaces and $\mu$ their coefficient of friction. Then the friction force is at most
# $\mu N$:
#
# * If at most that is needed to hold the surfaces still, they stick.
# * Otherwise they slide, and friction is exactly $\mu N$ against the sliding.
#
# The total force of the contact therefore lies within a *cone* about the normal whose half angle is
# $\varphi = \arctan\mu$. On a slope of the angle $\alpha$ the contact has to hold a body up along
# the vertical, which is $\alpha$ away from the normal. So a body slides as soon as $\alpha >
# \varphi$, with the acceleration
#
# $$a = g\,(\sin\alpha - \mu\cos\alpha).$$

# %%
MU = 0.5


def slide(alpha):
    """Acceleration of a box down a slope, m/s^2, measured over a second."""
    down, out = np.array([np.cos(alpha), -np.sin(alpha)]), np.array([np.sin(alpha), np.cos(alpha)])
    world = p2.World((0, -G), sleeping=False)
    world.add_body(p2.Box(200, 1), -0.5 * out, angle=-alpha, kind="static", friction=MU)
    box = world.add_body(p2.Box(1, 0.5), 0.25 * out, angle=-alpha, friction=MU)
    world.step(DT, n=30)
    before = box.velocity @ down
    world.step(DT, n=60)
    return box.velocity @ down - before


alphas = np.radians(np.arange(2, 60, 3.0))
measured = np.array([slide(alpha) for alpha in alphas])
law = np.maximum(G * (np.sin(alphas) - MU * np.cos(alphas)), 0)
assert np.allclose(measured, law, atol=1e-3)

# %%
fig, ax = plt.subplots(num="15-1 a slope", figsize=(7, 3.6))
fine = np.radians(np.linspace(0, 60, 601))
curve = np.maximum(G * (np.sin(fine) - MU * np.cos(fine)), 0)
ax.plot(np.degrees(fine), curve, color=GREY, label=r"$g\,(\sin\alpha-\mu\cos\alpha)$")
ax.plot(np.degrees(alphas), measured, "o", color=BLUE, mfc="none", label="engine")
ax.axvline(np.degrees(np.arctan(MU)), color=RED, ls=":", label=r"$\arctan\mu$")
ax.set(xlabel=r"slope, $\alpha$ (degrees)", ylabel="acceleration (m/s²)")
ax.legend()
plt.show()

# %% [markdown]
# **Figure 1.** Up to 26.6°, the angle of friction for $\mu = 0.5$, the box does not move at all.
# Neither its mass nor the size of the face that it lies on has any influence.

# %% [markdown]
# ### Exercise 1 · How far?
#
# A box slides on a level floor with the speed $v$ at the start. How far does it come? Check it for
# 2, 4 and 8 m/s.

# %% [markdown]
# <details><summary>Answer</summary>
#
# Friction $\mu m g$ takes away the energy $\tfrac12 m v^2$ over the distance
# $d = v^2 / (2\mu g)$: twice the speed, four times the distance.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
for speed in (2.0, 4.0, 8.0):
    world = floor_world(friction=MU)
    box = world.add_body(p2.Box(1, 0.2), (0, 0.1), velocity=(speed, 0), friction=MU)
    world.step(DT, n=180)
    h = DT / world.substeps  # the last substep of the slide is not a whole one
    assert abs(box.position[0] - speed**2 / (2 * MU * G)) < speed * h

# %% [markdown]
# ## 2. From sliding to rolling
#
# A ball (here a disc) is thrown along the floor without spin. Friction slows it and turns it, until
# the point at the floor rests: $v = -r\,\omega$ with angles counter-clockwise. From then on it
# rolls and friction has nothing left to do. With the inertia $\tfrac12 m r^2$ of a disc
#
# $$v(t) = v_0 - \mu g t,\qquad r\,\omega(t) = -2\mu g t,$$
#
# and both meet at $t = v_0 / (3\mu g)$, where the speed is $\tfrac23 v_0$: a third of the speed is
# lost, whatever the friction.

# %%
MU_BALL, V0, RADIUS = 0.3, 6.0, 0.5
world = floor_world(friction=MU_BALL)
ball = world.add_body(p2.Circle(RADIUS), (0, RADIUS), velocity=(V0, 0), friction=MU_BALL)
times, speeds, rims = [], [], []
for _ in range(90):
    world.step(DT)
    times.append(world.time)
    speeds.append(ball.velocity[0])
    rims.append(-RADIUS * ball.angular_velocity)
times, speeds, rims = map(np.array, (times, speeds, rims))
meet = V0 / (3 * MU_BALL * G)
speed_law = np.where(times < meet, V0 - MU_BALL * G * times, 2 / 3 * V0)
rim_law = np.where(times < meet, 2 * MU_BALL * G * times, 2 / 3 * V0)
assert np.allclose(speeds, speed_law, atol=1e-3)
assert np.allclose(rims, rim_law, atol=1e-3)

# %%
fig, ax = plt.subplots(num="15-2 sliding and rolling", figsize=(7, 3.6))
ax.plot(times, speed_law, color=GREY, label="formula")
ax.plot(times, rim_law, color=GREY)
ax.plot(times[::4], speeds[::4], "o", color=BLUE, mfc="none", label="speed, engine")
ax.plot(times[::4], rims[::4], "x", color=RED, label="speed of the rim, engine")
ax.axvline(meet, color=GREY, ls=":")
ax.set(xlabel="time (s)", ylabel="speed (m/s)", ylim=(0, None))
ax.legend()
plt.show()

# %% [markdown]
# **Figure 2.** The ball slides until the two speeds meet, and rolls from there on.

# %% [markdown]
# ## 3. Stick and slip
#
# A belt runs to the right under a block that a spring holds. (The engine makes a belt with
# `tangent_speed`.) The block sticks and moves along with the belt, until the spring pulls with $\mu
# N$. Then it slides. With one coefficient of friction it swings about the place where spring and
# friction balance, $x = \mu g/\omega^2$, and at each turn it just reaches the speed of the belt.
#
# Most materials slide with a smaller coefficient $\mu_k$ than the $\mu_s$ at which they let go. Now
# the block is thrown back further, comes to rest on the belt again, and is carried along anew: a
# *stick–slip* vibration, which makes a violin's string sing and a door creak. From
# the release at $x_s = \mu_s g/\omega^2$ with the speed $v$ of the belt, the block moves as a free
# oscillator about $x_k = \mu_k g/\omega^2$ with the amplitude
#
# $$A = \sqrt{(x_s - x_k)^2 + (v/\omega)^2}.$$

# %%
OMEGA, BELT = 2 * np.pi * 0.5, 0.5  # rad/s of the block on its spring; m/s
STEP = 1 / 240


def on_a_belt(static, kinetic, seconds=12):
    """Positions and velocities of a block on a belt."""
    world = floor_world(friction=1, tangent_speed=BELT)
    world.friction_rule = "min"
    block = world.add_body(p2.Box(0.5, 0.5), (0, 0.25), friction=static)
    world.add_distance_joint(None, block, anchor_a=(-5, 0.25), length=5, spring_hertz=0.5)
    path = []
    for _ in range(round(seconds / STEP)):
        world.step(STEP)
        path.append((block.position[0], block.velocity[0]))
        sticks = abs(block.velocity[0] - BELT) < 1e-4
        block.colliders[0].friction = static if sticks else kinetic
    return np.array(path)


# %%
even, uneven = on_a_belt(0.5, 0.5), on_a_belt(0.5, 0.3)
x_s, x_k = 0.5 * G / OMEGA**2, 0.3 * G / OMEGA**2
later = slice(round(3 / STEP), None)  # after the first release
for path, centre, amplitude in (
    (even, x_s, BELT / OMEGA),
    (uneven, x_k, np.hypot(x_s - x_k, BELT / OMEGA)),
):
    low, high = path[later, 0].min(), path[later, 0].max()
    print(
        f"{low:.3f} to {high:.3f} m; formula {centre - amplitude:.3f} to {centre + amplitude:.3f}"
    )
    # A release is noticed 1e-4 m/s late, which takes 6 ms and 3 mm of the belt.
    assert abs(low - (centre - amplitude)) < 5e-3
    assert abs(high - (centre + amplitude)) < 5e-3

# %%
fig, (left, right) = plt.subplots(1, 2, num="15-3 stick and slip", figsize=(10, 3.8))
t = STEP * np.arange(1, len(even) + 1)
left.plot(t, uneven[:, 0], color=BLUE, label=r"$\mu_s=0.5,\ \mu_k=0.3$")
left.plot(t, even[:, 0], "--", color=ORANGE, label=r"$\mu_s=\mu_k=0.5$")
left.axhline(x_s, color=GREY, ls=":", label="release")
left.set(xlabel="time (s)", ylabel="position (m)", ylim=(0, 0.85))
left.legend(fontsize=8, ncols=3, loc="upper center")
right.plot(*uneven[later].T, color=BLUE, label="uneven")
right.plot(*even[later].T, "--", color=ORANGE, label="even")
right.axhline(BELT, color=GREY, ls=":")
right.set(xlabel="position (m)", ylabel="velocity (m/s)")
plt.show()

# %% [markdown]
# **Figure 3.** Left, with less friction in motion (blue) the block is carried back to the dotted
# line and released there each time; with equal coefficients (orange) it sticks once and then swings
# for ever. Right, the same in the plane of position and velocity: the straight piece at the top, at
# the speed of the belt (dotted), is sticking, the arc is the slip.

# %% [markdown]
# ## 4. How high does it bounce?
#
# The *coefficient of restitution* $e$ is the share of the approach speed with which two bodies part
# again (I. Newton, 1687): $v' = -e\,v$. Heights follow the square of speeds: after $n$ bounces a
# ball reaches
#
# $$h_n = e^{2n} h_0 .$$
#
# The time in the air shrinks by $e$ with each bounce. The sum of infinitely many bounces is a
# finite time, $\sqrt{2h_0/g}\,\frac{1+e}{1-e}$: after it, the ball lies still. An engine cannot
# count to infinity; below `restitution_threshold` (0.1 m/s) an impact counts as plastic.


# %%
def heights(e, seconds=5):
    """Of the ball's lowest point, every 1/240 s."""
    world = floor_world(restitution=e)
    ball = world.add_body(p2.Circle(0.1), (0, 1.1), restitution=e)
    path = []
    for _ in range(round(seconds / STEP)):
        world.step(STEP)
        path.append(ball.position[1] - 0.1)
    return np.array(path)


def peaks(path):
    inner = path[1:-1]
    return inner[(inner > path[:-2]) & (inner >= path[2:]) & (inner > 0.02)]


bounces = {e: heights(e) for e in (0.5, 0.7, 0.8, 0.9)}
for e, path in bounces.items():
    tops = peaks(path)
    assert np.allclose(tops, e ** (2 * np.arange(1, len(tops) + 1)), rtol=5e-3)

# %%
fig, (left, right) = plt.subplots(1, 2, num="15-4 bounces", figsize=(10, 3.8))
t = STEP * np.arange(1, len(bounces[0.8]) + 1)
left.plot(t, bounces[0.8], color=BLUE, label="e = 0.8")
end = (2 / G) ** 0.5 * (1 + 0.8) / (1 - 0.8)
left.axvline(end, color=RED, ls=":", label="end of all bounces")
left.set(xlabel="time (s)", ylabel="height (m)")
left.legend()
for (e, path), colour, mark in zip(
    bounces.items(), (RED, ORANGE, BLUE, GREEN), "os^D", strict=True
):
    tops = peaks(path)
    n = np.arange(1, len(tops) + 1)
    right.semilogy(n, e ** (2.0 * n), color=GREY)
    right.semilogy(n, tops, mark, color=colour, mfc="none", label=f"e = {e}")
right.set(xlabel="bounce", ylabel="height / height of the drop")
right.set_yticks([0.03, 0.1, 0.3, 1], ["0.03", "0.1", "0.3", "1"])
right.yaxis.set_minor_formatter(plt.NullFormatter())
right.legend()
plt.show()
still = t[np.flatnonzero(np.abs(bounces[0.8]) > 1e-3)[-1]]
rest = 2 * (2 * G * 1e-3) ** 0.5 / G / (1 - 0.8)  # of the bounces that stay below 1 mm
assert end - rest - 2 * STEP < still < end + 2 * STEP

# %% [markdown]
# **Figure 4.** Left, a ball with $e = 0.8$ and the moment at which the sum of all bounces ends.
# Right, the heights of four balls; the lines are $e^{2n}$.

# %% [markdown]
# ## 5. Impacts at an angle
#
# A ball hits a floor at an angle, and friction acts in the impact too. The cone of section 1 holds
# for impulses: with the normal impulse $J = (1+e)\,m\,v_n$, the tangential one is at most $\mu J$.
# To stop the sliding of a disc without spin takes $\tfrac13 m v_t$. So
#
# $$v_t' = v_t - \min\left(\tfrac13 v_t,\ \mu(1+e)v_n\right).$$
#
# A steep ball grips the floor and leaves with $\tfrac23$ of its tangential speed, rolling. A
# shallow one slides through its impact.

# %%
MU_WALL, E_WALL, V_N = 0.3, 0.8, 2.0
tangential = np.linspace(0, 9, 19)
after, spins = [], []
for v in tangential:
    world = p2.World((0, 0), sleeping=False)
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static", friction=MU_WALL, restitution=E_WALL)
    ball = world.add_body(
        p2.Circle(0.2), (0, 0.5), velocity=(v, -V_N), friction=MU_WALL, restitution=E_WALL
    )
    world.step(DT, n=40)
    after.append(ball.velocity)
    spins.append(-0.2 * ball.angular_velocity)
after, spins = np.array(after), np.array(spins)
loss = np.minimum(tangential / 3, MU_WALL * (1 + E_WALL) * V_N)
assert np.allclose(after[:, 0], tangential - loss, atol=1e-3)
assert np.allclose(after[:, 1], E_WALL * V_N, atol=1e-3)
assert np.allclose(spins, 2 * loss, atol=1e-3)

# %%
fig, ax = plt.subplots(num="15-5 at an angle", figsize=(7, 3.6))
ax.plot(tangential, tangential - loss, color=GREY, label="formula")
ax.plot(tangential, 2 * loss, color=GREY)
ax.plot(tangential, after[:, 0], "o", color=BLUE, mfc="none", label="tangential speed after")
ax.plot(tangential, spins, "x", color=RED, label="speed of the rim after")
ax.axvline(3 * MU_WALL * (1 + E_WALL) * V_N, color=GREY, ls=":")
ax.set(xlabel="tangential speed before (m/s)", ylabel="speed (m/s)")
ax.legend()
plt.show()

# %% [markdown]
# **Figure 5.** Left of the dotted line the ball grips, and both speeds are equal: it leaves
# rolling. To its right it slides, and friction gives all that the cone allows.

# %% [markdown]
# ## 6. A row of balls: a chain of impacts
#
# The first of $n$ equal balls hits the next, this one the next, and so on. Two equal bodies that
# collide with restitution $e$ exchange their speeds but for a share:
#
# $$v_1' = \tfrac{1-e}{2}\,v,\qquad v_2' = \tfrac{1+e}{2}\,v .$$
#
# If the balls stand a little apart, the impacts follow one after the other and the last ball gets
# $\left(\tfrac{1+e}{2}\right)^{n-1} v$. With $e = 1$ that is all of it: this is Newton's cradle.


# %%
def last_speed(n, e, gap):
    """Speed of the last of n balls, the first of which comes with 2 m/s."""
    world = p2.World((0, 0), sleeping=False)
    places = [(k * (0.2 + gap) - (k == 0), 0) for k in range(n)]
    balls = [world.add_body(p2.Circle(0.1), at, restitution=e, friction=0) for at in places]
    balls[0].velocity = (2, 0)
    world.step(DT, n=240)
    momentum = sum(ball.mass * ball.velocity[0] for ball in balls)
    assert abs(momentum / (2 * balls[0].mass) - 1) < 1e-5
    return balls[-1].velocity[0] / 2


numbers = np.arange(2, 8)
apart = {e: np.array([last_speed(n, e, 0.05) for n in numbers]) for e in (1, 0.9, 0.7)}
touching = np.array([last_speed(n, 1, 0.0) for n in numbers])
for e, speeds_e in apart.items():
    assert np.allclose(speeds_e, ((1 + e) / 2) ** (numbers - 1), rtol=1e-3)
assert np.allclose(touching, 1, atol=0.02)

# %%
fig, ax = plt.subplots(num="15-6 a row of balls", figsize=(7, 3.6))
for (e, values), colour, mark in zip(apart.items(), (BLUE, ORANGE, RED), "os^", strict=True):
    ax.plot(numbers, ((1 + e) / 2) ** (numbers - 1.0), color=GREY)
    ax.plot(numbers, values, mark, color=colour, mfc="none", label=f"e = {e}, apart")
ax.plot(numbers, touching, "x", color=GREEN, ms=9, label="e = 1, touching")
ax.set(xlabel="number of balls", ylabel="speed of the last / of the first", ylim=(0, 1.1))
ax.legend()
plt.show()

# %% [markdown]
# **Figure 6.** The lines are $\left(\tfrac{1+e}{2}\right)^{n-1}$. Balls that touch are the hard
# case: all impacts then fall into the same moment, and an engine has to pass the impulse on from
# contact to contact.

# %% [markdown]
# ### Exercise 2 · A large ball, a small ball
#
# A small ball lies on top of a large one with a gap between them, and both fall from the height
# $h$. Everything is elastic and the small ball is very light. How high does it fly?

# %% [markdown]
# <details><summary>Answer</summary>
#
# The large ball turns first and moves up with $v$, while the small one still comes down with $v$.
# Seen from the large ball the small one arrives with $2v$ and leaves with $2v$, so from the floor
# it flies up with $3v$: nine times the height. With the mass ratio $q = m/M$ the factor of the
# speed is $(3 - q)/(1 + q)$.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
world = floor_world(restitution=1)
large = world.add_body(p2.Circle(0.2), (0, 1.2), mass=1, restitution=1)
small = world.add_body(p2.Circle(0.05), (0, 1.5), mass=0.01, restitution=1)
top = 0.0
for _ in range(480):
    world.step(STEP)
    top = max(top, small.position[1])
v, M, m = (2 * G * 1.0) ** 0.5, 1.0, 0.01
wait = 0.05 / (2 * v)  # after which the gap of 5 cm is closed
place = 0.25 + 0.2 + v * wait - 0.5 * G * wait**2  # of the small ball's centre
up, down = v - G * wait, -v - G * wait
leaves = ((m - M) * down + 2 * M * up) / (M + m)
assert abs(top - (place + leaves**2 / (2 * G))) < 1e-3 * top

# %% [markdown]
# ### Exercise 3 · A cone in two dimensions?
#
# In the plane the cone is a wedge with two sides. What would change in the code of an engine for
# three dimensions?

# %% [markdown]
# <details><summary>Answer</summary>
#
# There are two tangential directions. If each is bounded by $\mu N$ on its own, the cone becomes a
# pyramid: along its diagonal friction is $\sqrt2$ times too strong. Bounding the *length* of both
# together gives the round cone. In the plane, the bound of one number is already exact.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
direction = np.array([1, 1]) / 2**0.5
box = np.clip(direction * 10, -1, 1)
cone = direction * 10 / np.linalg.norm(direction * 10)
assert np.isclose(np.linalg.norm(box), 2**0.5)
assert np.isclose(np.linalg.norm(cone), 1)

# %% [markdown]
# ## References
#
# * I. Newton, *Philosophiæ Naturalis Principia Mathematica*, 1687: the experiments on restitution.
# * C. A. Coulomb, *Théorie des machines simples*, 1785.
# * E. Catto, *Iterative Dynamics with Temporal Coherence*, 2005.
# * R. Cross, *Grip-slip behavior of a bouncing ball*, 2002.
# * B. Feeny and others, *A historical review on dry friction and stick-slip phenomena*, 1998.
