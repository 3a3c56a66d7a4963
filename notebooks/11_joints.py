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
# # 11 · Joints
#
# **Learning goal.** You can write a joint as an equation, find its Jacobian, and compute the
# impulse that keeps it closed. You can say why joints drift apart and what takes the error back.
# You can build a spring with a given frequency and damping, tell which limits of an arm hold, and
# say why a chain stretches when its joints are solved one by one and not when they are solved
# together.
#
# **You need** lesson 05 (impulses, effective mass, iterations), Hooke's law, and matrices.
#
# A contact pushes only, and it comes and goes. A joint pushes and pulls, and it stays. So its
# errors stay as well, and add up. Most of this lesson is about that.

# %%
import itertools

import matplotlib.pyplot as plt
import numpy as np

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
H = DT / 8  # s, one of its eight substeps


def new_world(gravity=(0, 0), **options):
    return p2.World(gravity, sleeping=False, **options)


# %% [markdown]
# ## 1. A joint is an equation
#
# Two bars $A$ and $B$ turn about a common pin. With the centres $\mathbf{p}$, the angles $\theta$,
# and the arms $\mathbf{r}$ from each centre to the pin this says
#
# $$\mathbf{C} = \mathbf{p}_B + \mathbf{r}_B - \mathbf{p}_A - \mathbf{r}_A = \mathbf{0}.$$
#
# These are two equations, one for $x$ and one for $y$. Each of them is a **constraint**. The arms
# turn with their bodies, so $\mathbf{C}$ depends on all six coordinates
# $\mathbf{q} = (x_A, y_A, \theta_A, x_B, y_B, \theta_B)$.
#
# How fast does the error grow? By the chain rule
#
# $$\dot{\mathbf{C}} = J\,\mathbf{v},\qquad J = \frac{\partial\mathbf{C}}{\partial\mathbf{q}},$$
#
# where $\mathbf{v}$ holds the six velocities. $J$ is the **Jacobian**, here a matrix with two rows
# and six columns. An arm $\mathbf{r}$ that turns changes at the rate $\dot\theta\,(-r_y, r_x)$,
# hence
#
# $$J = \begin{pmatrix} -1 & 0 & \;\;r_{Ay} & 1 & 0 & -r_{By}\\
#                        0 & -1 & -r_{Ax} & 0 & 1 & \;\;r_{Bx}\end{pmatrix}.$$


# %%
def turned(vector, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def pin_error(q, local_a, local_b):
    """C of two bodies: where the pin is on b minus where it is on a."""
    return q[3:5] + turned(local_b, q[5]) - q[0:2] - turned(local_a, q[2])


def pin_jacobian(arm_a, arm_b):
    on_a = [[-1, 0, arm_a[1]], [0, -1, -arm_a[0]]]
    on_b = [[1, 0, -arm_b[1]], [0, 1, arm_b[0]]]
    return np.hstack([on_a, on_b])


# %% [markdown]
# A wrong sign in a Jacobian is a common mistake. There is a test that finds it: move one coordinate
# by a little and see how $\mathbf{C}$ changes.


# %%
def two_bars():
    """A world with two bars a and b and the place of their pin. Their velocities do not fit it."""
    world = new_world()
    a = world.add_body(p2.Box(2, 0.6), (0, 0), 0.3, density=2)
    pin = a.to_world((0.8, 0.1))
    b = world.add_body(p2.Box(1.6, 0.4), (0, 0), -0.7, density=2)
    b.position = pin - b.to_world((-0.6, 0))
    a.velocity, a.angular_velocity = (0.2, 0.2), 1.0
    b.velocity, b.angular_velocity = (1.2, 0.3), -2.0
    return world, a, b, pin


world, a, b, pin = two_bars()
q = np.array([*a.position, a.angle, *b.position, b.angle])
places = [a.to_local(pin), b.to_local(pin)]
arm_a, arm_b = pin - a.position, pin - b.position
J = pin_jacobian(arm_a, arm_b)

nudges = 1e-6 * np.eye(6)
measured = [pin_error(q + d, *places) - pin_error(q - d, *places) for d in nudges]
assert np.allclose(pin_error(q, *places), 0, atol=1e-12)
assert np.allclose(np.transpose(measured) / 2e-6, J, atol=1e-8)

# %% [markdown]
# ### Rows are directions of force
#
# A row of $J$ can be read in a second way. Move along the row, and the error grows fastest. The
# force that a constraint can give acts along its row and nowhere else: the velocities that keep the
# pin closed ($J\mathbf{v} = 0$) are those it gives no power to.
#
# So we can draw a row. Its entries for $x$ and $y$ are an arrow at the centre, its entry for
# $\theta$ is a turn. The arcs span as many radians as the row says. Each row is what you
# get when you pull the pin ends apart with one newton: the pull on $B$, and its moment about the
# centre of $B$; on $A$ the opposite.


# %%
def draw_row(ax, row, name):
    """The entries of a row at each of the two bodies: an arrow, and an arc for the turn."""
    ends = (("A", BLUE, q[:3], row[:3]), ("B", GREEN, q[3:], row[3:]))
    for letter, color, (x, y, _), (push_x, push_y, turn) in ends:
        ax.quiver(x, y, push_x, push_y, color=color, **arrows)
        start = np.arctan2(-push_y, -push_x)  # opposite the arrow, where there is room
        angle = start + np.linspace(0, turn, 40)
        arc = np.array([x, y]) + 0.38 * np.column_stack([np.cos(angle), np.sin(angle)])
        ax.plot(*arc.T, color=color, lw=3, label=f"turn of {letter}", zorder=5)
        heading = np.degrees(angle[-1]) + (0 if turn > 0 else 180)
        ax.plot(*arc[-1], marker=(3, 0, heading), color=color, ms=11, zorder=6)
        at = (-0.5, -1.2) if letter == "A" else (1.6, -1.2)
        number = f"{turn:+.2f} m".replace("-", "−")
        ax.text(*at, f"turn of {letter}: {number}", color=color, ha="center", va="center")
    ax.set_title(name)


# %%
arrows = {"angles": "xy", "scale_units": "xy", "scale": 1.4, "width": 0.012, "zorder": 4}
fig, panels = plt.subplots(1, 3, num="11-1 the rows of a pin", figsize=(11, 4), sharey=True)
for ax in panels:
    plot.world(world, ax, contacts=False, legend=False, view=(-1.3, -1.5, 2.4, 1.3))
    for patches in ax.collections:
        patches.set_alpha(0.35)  # behind the arrows
    ax.plot(*pin, "o", color="black", ms=6, zorder=6)
    ax.label_outer()
for body, arm, color in ((a, arm_a, BLUE), (b, arm_b, GREEN)):
    panels[0].quiver(*body.position, *arm, color=color, **arrows | {"scale": 1})
for name, at in (("r}_A", (0.25, -0.08)), ("r}_B", (1.1, 0.28))):
    panels[0].text(*at, f"$\\mathbf{{{name}$", fontsize=14, zorder=7)
panels[0].text(0.6, 0.75, "pin", fontsize=12, zorder=7)
for words, at in (("A", (-0.6, -0.15)), ("B", (1.5, -0.45))):
    panels[0].text(*at, words, fontsize=13, weight="bold", zorder=7)
panels[0].set_title("arms to the pin")
draw_row(panels[1], J[0], "first row: error along x")
draw_row(panels[2], J[1], "second row: error along y")
plt.show()

# %% [markdown]
# **Figure 1.** Left, the arms from both centres to the pin. Middle and right, the two rows of the
# Jacobian: an arrow at each centre, and an arc that spans as many radians as the entry for the turn
# says. On $A$ (blue) and on $B$ (green) the arrows are opposite.

# %% [markdown]
# ## 2. The impulse that closes it
#
# The velocities of the two bars do not satisfy the pin: $J\mathbf{v} \ne 0$. The pin gives an
# impulse $\boldsymbol\lambda$ (two numbers, N·s), and by what we saw it acts along the rows:
#
# $$\mathbf{v}' = \mathbf{v} + M^{-1}J^{\mathsf T}\boldsymbol\lambda,$$
#
# where $M$ has masses and moments of inertia on its diagonal. We want $J\mathbf{v}' = 0$. Put one
# into the other and solve:
#
# $$\boldsymbol\lambda = -\left(J M^{-1} J^{\mathsf T}\right)^{-1} J\,\mathbf{v}.$$
#
# The matrix $K = J M^{-1} J^{\mathsf T}$ is $k$ of lesson 05 for two directions at once: which
# change of $\dot{\mathbf{C}}$ one newton second brings. $K^{-1}$ is the effective mass. All joints
# of all kinds are solved with this one formula; only $J$ differs.

# %%
v = np.array([*a.velocity, a.angular_velocity, *b.velocity, b.angular_velocity])
M = np.diag([a.mass, a.mass, a.inertia, b.mass, b.mass, b.inertia])
K = J @ np.linalg.inv(M) @ J.T
impulse = -np.linalg.solve(K, J @ v)
v_after = v + np.linalg.inv(M) @ J.T @ impulse

# %% [markdown]
# The engine does the same in one very short step. (It computes with single precision, which is
# good to about $10^{-7}$ of the velocities.) The energy falls, by exactly
# $\tfrac12 \boldsymbol\lambda^{\mathsf T} K \boldsymbol\lambda$, whatever the velocities were: a
# constraint that snaps shut never gives energy.

# %%
momentum, spin, energy = world.momentum(), world.angular_momentum(), world.kinetic_energy()
joint = world.add_revolute_joint(a, b, anchor=pin)
world.step(1e-6)  # so short that nothing moves; an impulse takes no time
v_engine = np.array([*a.velocity, a.angular_velocity, *b.velocity, b.angular_velocity])

assert np.allclose(J @ v_after, 0, atol=1e-12)
assert np.allclose(v_engine, v_after, atol=1e-5)
assert np.allclose(joint.force * 1e-6, impulse, rtol=1e-5)
assert np.allclose(world.momentum(), momentum, atol=1e-5)
assert np.isclose(world.angular_momentum(), spin, atol=1e-5)
assert np.isclose(energy - world.kinetic_energy(), 0.5 * impulse @ K @ impulse, rtol=1e-5)
print(f"impulse {impulse} N s, energy lost {energy - world.kinetic_energy():.3f} J")


# %%
def at_pin(velocities):
    """Velocities of the two ends at the pin, one row for each body."""
    spins = velocities[[2, 5], None] * np.array([[-arm_a[1], arm_a[0]], [-arm_b[1], arm_b[0]]])
    return np.array([velocities[0:2], velocities[3:5]]) + spins


fig, panels = plt.subplots(1, 2, num="11-2 the pin snaps shut", figsize=(9, 3.6), sharey=True)
arrows |= {"scale": 2.0, "width": 0.01}
for ax, moving, name in ((panels[0], v, "before"), (panels[1], v_engine, "after")):
    plot.world(world, ax, contacts=False, legend=False, view=(-1.3, -1.2, 2.6, 1.4))
    ends = at_pin(moving)
    ax.quiver(*pin, *ends[0], color=BLUE, **arrows)
    ax.quiver(*pin, *ends[1], color=GREEN, **arrows | {"width": 0.005})
    for color, label in ((BLUE, "end of A"), (GREEN, "end of B")):
        ax.plot([], [], color=color, ls="none", marker=r"$\rightarrow$", ms=14, label=label)
    ax.set_title(f"velocities at the pin, {name}")
    ax.label_outer()
panels[0].legend(loc="upper left")
plt.show()

# %% [markdown]
# **Figure 2.** The velocities of both ends at the pin. Before the impulse they differ; after it
# they are the same, so the pin stays closed.

# %% [markdown]
# ### Exercise 1 · The Jacobian of a rod
#
# A rod of fixed length holds a point of $A$ and a point of $B$ at a distance:
# $C = |\mathbf{d}| - \ell$ with $\mathbf{d} = \mathbf{p}_B + \mathbf{r}_B - \mathbf{p}_A -
# \mathbf{r}_A$. Which single row is its Jacobian? How large is its effective mass when both ends
# are at the centres?

# %% [markdown]
# <details><summary>Answer</summary>
#
# A length changes at the rate at which its ends part along it. With $\mathbf{n} = \mathbf{d}/|
# \mathbf{d}|$ the row is $\mathbf{n}^{\mathsf T}$ times the Jacobian of the pin:
# $(-\mathbf{n},\ -\mathbf{r}_A\times\mathbf{n},\ \mathbf{n},\ \mathbf{r}_B\times\mathbf{n})$. At
# the centres the arms are zero and $K = 1/m_A + 1/m_B$. The effective mass is
# $m_A m_B/(m_A + m_B)$, at most the smaller one of the two.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
ends = [np.array([0.3, 0.2]), np.array([0.5, -0.1])]  # other places, so that there is a length
gap = pin_error(q, *ends)
direction = gap / np.hypot(*gap)
row = direction @ pin_jacobian(turned(ends[0], q[2]), turned(ends[1], q[5]))
lengths = [np.hypot(*pin_error(q + s * d, *ends)) for d in nudges for s in (1, -1)]
assert np.allclose(-np.diff(np.reshape(lengths, (6, 2)))[:, 0] / 2e-6, row, atol=1e-8)
centres = direction @ pin_jacobian((0, 0), (0, 0))
assert np.isclose(centres @ np.linalg.inv(M) @ centres, 1 / a.mass + 1 / b.mass)

# %% [markdown]
# ## 3. Drift
#
# $J\mathbf{v} = 0$ speaks of velocities. But a step moves bodies along straight lines, and pins
# turn them on circles. After a step of $h$ along the tangent, a ball on a rod of length $L$ is
# $h^2v^2/(2L)$ too far out. The next step starts from there, knows nothing of the error, and adds
# its own. This is **drift**.
#
# A ball whirls on a rod of 1 m with 10 m/s, without gravity. In each substep the impulse sets the
# speed $u$ along the rod. The simplest cure is that of J. **Baumgarte** (*Stabilization of
# Constraints and Integrals of Motion in Dynamical Systems*, 1972): do not ask for $u = 0$ but for
# $u = -\frac{\beta}{h} C$, so that a share $\beta$ of the error is taken back in each substep. The
# **soft** constraint of lesson 07 asks for a spring and damper instead, and covers only a share
# of the difference.
#
# Both come too late: they act when there is an error. But this error can be predicted. The next
# length is $C + hu + \tfrac{h^2}{2}\,\frac{v^2}{L}$, up to $h^3$. The last term is the
# **curvature** of the path, and we can ask for the speed that cancels it, too:
#
# $$u = -\frac{\beta}{h}\,C - \gamma\,h\,\frac{v^2}{L},\qquad \gamma\le\tfrac12.$$


# %%
RADIUS, SPEED = 1.0, 10.0  # m, m/s


def whirl(rate, share=1.0, curvature=0.0, seconds=3.0, h=H):
    """Error of the length of the rod after each substep."""
    x, v = np.array([RADIUS, 0.0]), np.array([0.0, SPEED])
    errors = []
    for _ in range(round(seconds / h)):
        length = np.hypot(*x)
        n = x / length
        across = n[0] * v[1] - n[1] * v[0]
        wanted = -rate * (length - RADIUS) - curvature * h * across**2 / length
        v += share * (wanted - n @ v) * n  # the impulse, along the rod; the mass cancels
        x += h * v
        errors.append(np.hypot(*x) - RADIUS)
    return np.array(errors)


# %%
BETA, GAMMA = 0.2, 0.46  # per substep, what the engine takes
omega, zeta = 2 * np.pi * 60, 2.0
a = H * omega * (2 * zeta + H * omega)
METHODS = {
    "velocities only": (0.0, 1.0, 0.0),
    "soft, 60 Hz": (omega / (2 * zeta + H * omega), a / (1 + a), 0.0),
    "Baumgarte": (BETA / H, 1.0, 0.0),
    "Baumgarte and curvature": (BETA / H, 1.0, GAMMA),
}
drifts = {name: whirl(*method) for name, method in METHODS.items()}

# %% [markdown]
# What should come out?
#
# * **Velocities only.** The impulse acts towards the centre, so $L\,v$ is conserved, and
#   $L^2$ grows by $h^2v^2$ in each substep. That gives $L^4 = L_0^4 + 2h\,L_0^2v_0^2\,t$.
# * **Baumgarte.** The error grows until what is taken back is what comes in:
#   $\beta C = \frac{h^2v^2}{2L}$.
# * **With curvature** only the share $1 - 2\gamma$ of that comes in. The engine takes
#   $\gamma = 0.46$, 8 % is left. The full $\tfrac12$ would leave nothing here, but
#   sometimes gives energy to what swings.
# * **Soft.** The spring must pull with $m v^2/L$, so it must be stretched:
#   $C = \frac{v^2}{L\,\omega^2}\left(1 + \tfrac a2\right)$.
#
# The engine solves this once more after the bodies have moved, then for velocities only
# ("relax"), so that the speed of the repair does not stay.


# %%
def engine_whirl(substeps, seconds=3.0):
    """Rows: time, error of the length, speed of the engine's ball."""
    world = new_world(substeps=substeps)
    ball = world.add_body(p2.Circle(0.1), (RADIUS, 0), velocity=(0, SPEED))
    rod = world.add_distance_joint(None, ball, anchor_a=(0, 0))
    rows = []
    for _ in range(round(seconds / DT)):
        world.step(DT)
        rows.append((world.time, rod.length - RADIUS, np.hypot(*ball.velocity)))
    return np.array(rows)


def steady(h, curvature):
    return (1 - 2 * curvature) * (h * SPEED) ** 2 / (2 * RADIUS * BETA)


runs = {n: engine_whirl(n) for n in (2, 4, 8, 16, 32)}
t = H * np.arange(1, len(drifts["Baumgarte"]) + 1)
free = (RADIUS**4 + 2 * H * (RADIUS * SPEED) ** 2 * t) ** 0.25 - RADIUS
soft = SPEED**2 / (RADIUS * omega**2) * (1 + a / 2)
formulas = (free, 0 * t + soft, 0 * t + steady(H, 0), 0 * t + steady(H, GAMMA))

# %%
fig, (left, right) = plt.subplots(1, 2, num="11-3 drift", figsize=(10, 4))
for (name, drift), law, color, style in zip(
    drifts.items(), formulas, (RED, ORANGE, GREEN, BLUE), ("-", "--", "-.", ":"), strict=True
):
    left.semilogy(t, 1e3 * law, color=GREY, lw=4, alpha=0.35, label=f"formula: {name}")
    left.semilogy(t, 1e3 * drift, style, color=color, label=name)
left.semilogy(runs[8][::12, 0], 1e3 * runs[8][::12, 1], "o", ms=5, mfc="none", label="engine")
left.set(xlabel="time (s)", ylabel="rod too long (mm)", title="8 substeps", ylim=(0.03, 3e3))
handles = [line for line in left.lines if not str(line.get_label()).startswith("formula")]
left.legend(handles=handles, loc="upper center", ncols=2, fontsize=8)
counts = np.array(list(runs))
final = np.array([rows[-1, 1] for rows in runs.values()])
right.loglog(counts, 1e3 * steady(DT / counts, 0), "-.", color=GREEN, label="Baumgarte")
right.loglog(counts, 1e3 * steady(DT / counts, GAMMA), ":", color=BLUE, label="with curvature")
right.loglog(counts, 1e3 * final, "o", mfc="none", label="engine")
right.minorticks_off()
right.set_xticks(counts, counts)
right.set(xlabel="substeps of a step", ylabel="rod too long (mm)", title="after 3 s")
right.legend()
plt.show()

# %% [markdown]
# **Figure 3.** Left, without a cure the rod grows without end (vermilion). Each cure settles where
# its formula (grey) says, and the curvature term leaves 8 % of Baumgarte's error. Right, the
# engine's error falls with the square of the substep.

# %%
assert np.allclose(drifts["velocities only"], free, rtol=0.01)
assert np.isclose(drifts["soft, 60 Hz"][-1], soft, rtol=0.01)
assert np.isclose(drifts["Baumgarte"][-1], steady(H, 0), rtol=0.01)
assert np.isclose(drifts["Baumgarte and curvature"][-1], steady(H, GAMMA), rtol=0.01)
assert np.allclose(final[1:4], steady(DT / counts[1:4], GAMMA), rtol=0.02)
assert abs(runs[8][-1, 2] / SPEED - 1) < 3e-4  # and it does not slow down: relax

# %% [markdown]
# Without a cure the rod of 1 m grows by 22 cm in three seconds. The curvature term gains a
# factor of ten at no cost. Half the substep gives a quarter of the error, whichever method is used.
#
# ## 4. Springs in hertz
#
# A spring of stiffness $k$ (N/m) with a damper $c$ (N·s/m) moves a mass by
# $m\ddot x = -kx - c\dot x$. These two are hard to choose. Two other numbers say what
# is seen: the **frequency** $f$ (Hz) without damping, and the **damping ratio** $\zeta$. At
# $\zeta = 0$ it swings for ever, at 1 it comes back as fast as it can without overshooting. With
# $\omega = 2\pi f$
#
# $$\ddot x = -\omega^2 x - 2\zeta\omega\,\dot x,\qquad k = m_\text{eff}\,\omega^2,\quad
#   c = 2\zeta\,m_\text{eff}\,\omega,\qquad m_\text{eff} = \left(JM^{-1}J^{\mathsf T}\right)^{-1}.$$
#
# The effective mass is that of the joint's own row. So the same two numbers give the same motion on
# a light body and on a heavy one. The exact solution, from rest at $x_0$, has the two roots
# $s = -\omega\left(\zeta \pm \sqrt{\zeta^2 - 1}\right)$, complex where it swings:
#
# $$x(t) = x_0\,\frac{s_1 e^{s_2 t} - s_2 e^{s_1 t}}{s_1 - s_2}.$$


# %%
def oscillation(hertz, zeta, t, x0):
    """The exact solution, from rest at x0. Not for zeta = 1, where the two roots are one."""
    omega, root = 2 * np.pi * hertz, np.sqrt(complex(zeta**2 - 1))
    s1, s2 = -omega * (zeta + root), -omega * (zeta - root)
    return (x0 * (s1 * np.exp(s2 * t) - s2 * np.exp(s1 * t)) / (s1 - s2)).real


def two_balls(hertz, zeta, steps):
    """A spring between 1 kg and 3 kg. Rows: time, how much it is stretched."""
    world = new_world()
    one = world.add_body(p2.Circle(0.2), (0, 0), mass=1)
    three = world.add_body(p2.Circle(0.3), (1.2, 0), mass=3)
    spring = world.add_distance_joint(
        one, three, length=1, spring_hertz=hertz, spring_damping_ratio=zeta
    )
    rows = [(0.0, spring.length - 1)]
    for _ in range(steps):
        world.step(DT)
        rows.append((world.time, spring.length - 1))
    return np.array(rows)


# %%
fig, ax = plt.subplots(num="11-4 springs", figsize=(8.5, 3.8))
fine = np.linspace(0, 1, 600)
for zeta, color, marker in zip(
    (0.0, 0.2, 0.7, 2.0), (BLUE, GREEN, ORANGE, RED), "o^sD", strict=True
):
    rows = two_balls(2.0, zeta, 60)
    ax.plot(fine, 1e3 * oscillation(2.0, zeta, fine, 0.2), color=color, lw=1)
    ax.plot(rows[:, 0], 1e3 * rows[:, 1], marker, color=color, ms=4, label=f"$\\zeta$ = {zeta}")
    early = 0.5 * H * 2 * np.pi * 2.0 * 0.2  # m, the path of half a substep at most
    assert np.allclose(rows[:, 1], oscillation(2.0, zeta, rows[:, 0], 0.2), atol=1.05 * early)
ax.set(xlabel="time (s)", ylabel="stretch (mm)", title="2 Hz: lines exact, marks the engine")
ax.set_ylim(-230, 290)
ax.legend(ncols=4, loc="upper center")
plt.show()

# %% [markdown]
# **Figure 4.** A spring of 2 Hz with four damping ratios. The marks of the engine lie on the exact
# curves, from an oscillation for ever (blue) to a slow return (vermilion).

# %% [markdown]
# The engine pushes at the start of each substep and then moves for the whole of it. So from rest it
# is half a substep ahead, a millisecond, and stays so.
#
# ### Measuring a frequency
#
# How close are frequency and damping? Samples of a damped oscillation at equal times obey a
# recurrence, $x_{i+2} = p\,x_{i+1} + q\,x_i$. Its coefficients follow from least squares, and the
# roots $z$ of $z^2 = pz + q$ are $e^{s\,\Delta t}$. From the two $s$ we get $\omega^2 = s_1s_2$ and
# $2\zeta\omega = -(s_1 + s_2)$. No peak has to be found.
#
# The common way to solve a spring is implicit Euler: take the force at the *end* of the step. It
# never explodes, but it damps: in each substep it acts as if $\zeta$ were larger by about
# $\omega h/2$. The engine's formula (above the code in `joint_solve.c`) has the trace and
# the determinant of the exact solution instead.


# %%
def identify(samples, dt=DT):
    """Frequency (Hz) and damping ratio of the recurrence that the samples obey."""
    past = np.column_stack([samples[1:-1], samples[:-2]])
    p, q = np.linalg.lstsq(past, samples[2:], rcond=None)[0]
    return from_roots(np.roots([1, -p, -q]), dt)


def from_roots(z, dt):
    s = np.log(np.asarray(z, complex)) / dt
    omega = np.sqrt(np.prod(s).real)
    return omega / (2 * np.pi), -np.sum(s).real / (2 * omega)


def implicit_euler(hertz, zeta, h=H):
    """What implicit Euler makes of it: the roots of its map from (x, v) to the next (x, v)."""
    omega = 2 * np.pi * hertz
    ahead = np.array([[1, -h], [h * omega**2, 1 + 2 * zeta * h * omega]])
    return from_roots(np.linalg.eigvals(np.linalg.inv(ahead)), h)


hertz = np.array([0.5, 1, 2, 3, 5, 7, 10, 14, 20, 25])
found = {z: np.array([identify(two_balls(f, z, 40)[:, 1]) for f in hertz]) for z in (0.0, 0.3, 0.7)}
euler = {z: np.array([implicit_euler(f, z) for f in hertz]) for z in found}

# %%
fig, (left, right) = plt.subplots(1, 2, num="11-5 hertz and ratio", figsize=(10, 3.8))
for (zeta, measured), color, marker in zip(
    found.items(), (BLUE, GREEN, ORANGE), "o^s", strict=True
):
    name = f"$\\zeta$ = {zeta}"
    for column, panel, unit in ((0, left, 100 / hertz), (1, right, 1)):
        target = (hertz, zeta)[column]
        panel.semilogx(hertz, unit * (euler[zeta][:, column] - target), ":", color=color)
        error = unit * (measured[:, column] - target)
        panel.semilogx(hertz, error, marker, mfc="none", color=color, label=name)
for panel, band in ((left, 1.0), (right, 0.04)):
    panel.fill_between([0.5, 10], -band, band, color=SKY, alpha=0.3, label="promised")
    panel.minorticks_off()
    panel.set_xticks(hertz, [f"{f:g}" for f in hertz])
    panel.set(xlabel="frequency (Hz)")
left.set(ylabel="error of the frequency (%)", title="marks: engine, dotted: implicit Euler")
right.set(ylabel="error of the damping ratio", title="one substep is 1/480 s")
left.legend(loc="lower left")
plt.show()

# %% [markdown]
# **Figure 5.** The frequency and the damping that come out, against those that were asked for. The
# engine (marks) keeps both; implicit Euler (dotted) damps more the higher the frequency, and its
# frequency falls.

# %%
for zeta, measured in found.items():
    promised = hertz <= 10
    assert np.allclose(measured[promised, 0], hertz[promised], rtol=0.01)
    assert np.allclose(measured[promised, 1], zeta, atol=0.04)
assert np.allclose(euler[0.0][:7, 1], np.pi * hertz[:7] * H, rtol=0.05)  # omega h / 2

# %% [markdown]
# ### Exercise 2 · A car on its springs
#
# A car of 1.2 t stands on springs of 2 Hz. How far does it sink when it is set down? Why do you not
# need the 1.2 t?

# %% [markdown]
# <details><summary>Answer</summary>
#
# Hooke's law: $k d = m g$ with $k = m\omega^2$ gives $d = g/\omega^2$, here 62 mm. The stiffness is
# told relative to the mass, so the mass cancels. The same holds for every spring with a weight on
# it, and the engine meets it whatever the step.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
world = new_world((0, -G))
car = world.add_body(p2.Box(3, 0.5), (0, 1), mass=1200)
spring = world.add_prismatic_joint(None, car, axis=(0, 1), spring_hertz=2, spring_damping_ratio=0.7)
world.step(DT, n=600)
assert np.isclose(-spring.translation, G / (2 * np.pi * 2) ** 2, rtol=1e-3)
assert np.isclose(spring.force[1], 1200 * G, rtol=1e-3)

# %% [markdown]
# ## 5. Limits and motors
#
# An elbow bends one way only. With the angle $\varphi = \theta_B - \theta_A$ of a hinge, a lower
# limit is $\varphi \ge \varphi_0$. Its row is $J = (0, 0, -1, 0, 0, 1)$, and its impulse
# $\lambda$ is a turn that can push but not pull. At the limit one of two things holds:
#
# * the limit **holds**: $\dot\varphi = 0$ and $\lambda \ge 0$, or
# * the hinge **opens**: $\dot\varphi \ge 0$ and $\lambda = 0$.
#
# A hinge alone is simple: hold it if it would close. But an arm has many hinges, and they shake
# each other. Which limits hold? Four hinges have $2^4$ answers, and exactly one of them fits (R.
# Cottle, J. Pang, R. Stone, *The Linear Complementarity Problem*, 1992). The **active set** method
# guesses, solves, and corrects: release each limit that pulls, hold each hinge that closes, and
# solve again.


# %%
def arm(spins=(-5.0, -5.0, 5.0, 3.0)):
    """Four links on a wall, each hinge at its lower limit, all links turning."""
    world, at, bodies, joints = new_world(), np.zeros(2), [None], []
    for angle, spin in zip((0.5, -0.4, 0.3, 1.2), spins, strict=True):
        along = np.array([np.cos(angle), np.sin(angle)])
        body = world.add_body(p2.Capsule((-0.5, 0), (0.5, 0), 0.1), at + 0.5 * along, angle, mask=0)
        body.angular_velocity = spin
        joints.append(world.add_revolute_joint(bodies[-1], body, anchor=at, lower=0))
        bodies.append(body)
        at = at + along
    return world, bodies[1:], joints


def arm_rows(bodies, joints):
    """Jacobian of the pins (2 rows each) and of the angles (1 row each) of an arm."""
    pins, angles = np.zeros((8, 12)), np.zeros((4, 12))
    for i, (body, joint) in enumerate(zip(bodies, joints, strict=True)):
        before = joint.anchor_a - (bodies[i - 1].position if i else 0)
        both = pin_jacobian(before, joint.anchor_b - body.position)
        pins[2 * i : 2 * i + 2, 3 * i : 3 * i + 3] = both[:, 3:]
        angles[i, 3 * i + 2] = 1
        if i:  # the first link hangs on the wall, which has no velocity
            pins[2 * i : 2 * i + 2, 3 * i - 3 : 3 * i] = both[:, :3]
            angles[i, 3 * i - 1] = -1
    return pins, angles


# %% [markdown]
# Pins are always there. Of the rows of the angles, those that are held:


# %%
def close(v, inverse_masses, pins, angles, held):
    """Impulses of all four limits and speeds of all four hinges, when these limits are held."""
    rows = np.vstack([pins, angles[held]])
    weighted = rows * inverse_masses
    impulses = -np.linalg.solve(weighted @ rows.T, rows @ v)
    limits = np.zeros(4)
    limits[held] = impulses[8:]
    return limits, angles @ (v + weighted.T @ impulses)


def active_set(*problem):
    """The passes of the method: each a tuple of (held, impulses, speeds)."""
    held, passes = np.ones(4, bool), []
    while True:
        impulses, speeds = close(*problem, held)
        passes.append((held, impulses, speeds))
        pulls, closes = impulses < 0, speeds < -1e-9
        if not (pulls | closes).any():
            return passes
        held = (held & ~pulls) | closes


# %%
world, links, joints = arm()
masses = np.array([[body.mass, body.mass, body.inertia] for body in links]).ravel()
v = np.array([[*body.velocity, body.angular_velocity] for body in links]).ravel()
problem = (v, 1 / masses, *arm_rows(links, joints))
passes = active_set(*problem)

fitting = []
for choice in itertools.product([False, True], repeat=4):
    impulses, speeds = close(*problem, np.array(choice))
    if impulses.min() >= 0 and speeds.min() >= -1e-9:
        fitting.append(choice)

world.step(1e-6)
engine = np.array([[joint.torque * 1e-6, joint.speed] for joint in joints])
print(len(passes), "passes, held:", passes[-1][0])
assert fitting == [tuple(passes[-1][0])]
assert np.allclose(engine[:, 0], passes[-1][1], atol=1e-4 * abs(engine[:, 0]).max())
assert np.allclose(engine[:, 1], passes[-1][2], atol=1e-4 * abs(v).max())

# %%
fig, panels = plt.subplots(1, 3, num="11-6 which limits hold", figsize=(11, 4))
plot.world(world, panels[0], contacts=False, legend=False, view=(-0.4, -0.6, 3.8, 2.1))
for number, joint in enumerate(joints):
    holds = passes[-1][0][number]
    style = {"color": RED if holds else GREEN, "ms": 13, "mec": "white", "zorder": 8}
    panels[0].plot(*joint.anchor_b, "s" if holds else "o", **style)
    panels[0].text(
        *joint.anchor_b, f"{number + 1}", color="white", ha="center", va="center", zorder=9
    )
panels[0].set_title("the hinges; square: holds, dot: opens")
for column, ax in enumerate(panels[1:]):
    ax.axhspan(-10, 0, color=GREY, alpha=0.15)
    for k, (state, color, marker) in enumerate(
        zip(passes, (RED, ORANGE, BLUE, GREEN), "v^so", strict=False), 1
    ):
        x = np.arange(1, 5) - 0.3 + 0.15 * k
        ax.plot(x, state[1 + column], marker, ms=8, color=color, label=f"pass {k}")
    ax.plot(x, engine[:, column], "x", color="black", ms=12, label="engine")
    ax.grid(visible=False, axis="x")
    span = np.concatenate([state[1 + column] for state in passes])
    ax.set(xlabel="hinge", xticks=range(1, 5), ylim=(1.3 * span.min() - 0.03, 1.2 * span.max()))
panels[1].set(ylabel="impulse (N m s)", title="impulse of the limit")
panels[2].set(ylabel="speed (rad/s)", title="speed of opening")
fig.legend(*panels[2].get_legend_handles_labels(), loc="outside lower center", ncols=5)
plt.show()

# %% [markdown]
# **Figure 6.** Left, the arm: hinges 1 and 2 hold (vermilion squares), 3 and 4 open (green dots).
# Middle and right, the impulse and the speed of each hinge in each pass. Values in the grey area
# are forbidden, and the fourth pass has none.

# %% [markdown]
# Grey is forbidden. The first pass holds all four, and three of them would have to pull. Released,
# two of those close; held again, the fourth hinge pulls. The fourth pass has nothing left to
# correct. The engine starts from the set of the last substep, which is right nearly always. It
# stops after four corrections, as the method could go round in circles, and leaves the rest to the
# next substep.
#
# ### A door and a motor
#
# An angle is a place on a circle. `arctan2` returns it between $-\pi$ and $\pi$ and jumps where
# they meet; a limit beyond half a turn would be lost there. Angles of the engine's bodies count on,
# and so do its joints: `joint.angle` is zero where the joint was made, and limits may be anything.
# A trapdoor that opens by 230° shows it. It is thrown open; later a motor closes it.
#
# A **motor** is a row of the same kind: it asks for $\dot\varphi = \omega_m$, and its impulse stays
# within $\pm\tau_\text{max}\,h$. So there are three states: at the speed, or at either bound of the
# torque. A motor for speed zero is a friction.

# %%
WIDE = np.radians(230)
world = new_world((0, -G))
door = world.add_body(p2.Box(1, 0.1), (0.5, 0), density=20)
hinge = world.add_revolute_joint(None, door, anchor=(0, 0), lower=0, upper=WIDE)
door.velocity, door.angular_velocity = (0, 3), 6.0
heavy = 0.5 * door.mass * G  # N m, the torque of the weight when it lies flat
rows = []
for step in range(240):
    if step == 120:
        hinge.motor_speed, hinge.max_motor_torque = -2.5, 1.2 * heavy
    world.step(DT)
    seen = np.arctan2(door.position[1], door.position[0])
    rows.append((world.time, hinge.angle, seen, hinge.torque, hinge.speed))
swing = np.array(rows)


# %%
def flywheel(torque, speed=10.0, steps=120):
    """A disc on a motor. Rows: time, speed, torque; and its moment of inertia."""
    world = new_world()
    disc = world.add_body(p2.Circle(0.5))
    motor = world.add_revolute_joint(None, disc, motor_speed=speed, max_motor_torque=torque)
    rows = [(0.0, 0.0, torque)]
    for _ in range(steps):
        world.step(DT)
        rows.append((world.time, motor.speed, motor.torque))
    return np.array(rows), disc.inertia


# %%
fig, (left, right) = plt.subplots(1, 2, num="11-7 a door and a motor", figsize=(10, 3.8))
left.plot(swing[:, 0], np.degrees(swing[:, 2]), ":", color=GREY, label="arctan2")
left.plot(swing[:, 0], np.degrees(swing[:, 1]), color=BLUE, label="joint.angle")
for limit in (0, 230):
    left.axhline(limit, color=RED, lw=1, ls="--")
left.axvline(2, color=GREEN, lw=1)
left.text(1.95, 60, "motor on", ha="right", color=GREEN)
left.set(xlabel="time (s)", ylabel="angle (degrees)", title="a door that opens by 230°")
left.legend(loc="lower right")
for torque, color, marker in zip((0.4, 0.8, 1.6), (ORANGE, GREEN, BLUE), "o^s", strict=True):
    rows, inertia = flywheel(torque)
    law = np.minimum(torque * rows[:, 0] / inertia, 10)
    right.plot(rows[:, 0], law, color=color, lw=1)
    right.plot(*rows[::4, :2].T, marker, ms=4, color=color, label=f"{torque} N m")
    assert np.allclose(rows[:, 1], law, atol=1e-4)
    assert np.allclose(rows[law < 9.5, 2], torque, rtol=1e-5)
right.set(xlabel="time (s)", ylabel="speed (rad/s)", title="motors of 10 rad/s on a flywheel")
right.legend()
plt.show()

# %% [markdown]
# **Figure 7.** Left, `arctan2` jumps at 180°, while `joint.angle` counts on to the limit of 230°
# (dashed). Right, three motors speed a flywheel up by $\tau/I$ and stop at 10 rad/s.

# %% [markdown]
# The flywheel gains speed at $\tau/I$ until it has what was asked for, and not a bit more. The door
# comes to rest at its limit, which then bears exactly the torque of statics,
# $m g\,\tfrac{\ell}{2}\cos\varphi$; and the motor, which is stronger than the weight, turns it at
# its speed.

# %%
assert swing[:, 1].max() < WIDE + np.radians(0.5)
assert swing[:, 1].min() > -np.radians(0.5)
assert np.isclose(swing[119, 1], WIDE, atol=1e-4)
assert np.isclose(swing[119, 3], heavy * np.cos(WIDE), rtol=1e-3)
turning = (swing[:, 0] > 2.6) & (swing[:, 0] < 3.2)
assert np.allclose(swing[turning, 4], -2.5, atol=1e-3)
assert np.isclose(swing[-1, 1], 0, atol=1e-4)

# %% [markdown]
# ### Exercise 3 · How strong is the motor?
#
# An arm of length $\ell$ and mass $m$ should be lifted slowly from hanging to horizontal by a motor
# at its end. Which torque does it need at least? What happens with three quarters of it?

# %% [markdown]
# <details><summary>Answer</summary>
#
# At the angle $\alpha$ from the vertical the weight has the arm $\tfrac{\ell}{2}\sin\alpha$. The
# most is needed at the end: $\tau = \tfrac12 m g\,\ell$. With three quarters of it the torques
# balance at $\sin\alpha = \tfrac34$, so at 49°. The arm comes there slowly and hovers: above that
# angle the weight is stronger, below it the motor.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
world = new_world((0, -G))
bar = world.add_body(p2.Box(0.1, 1), (0, -0.5))
lift = world.add_revolute_joint(None, bar, anchor=(0, 0), motor_speed=0.05)
lift.max_motor_torque = 0.75 * 0.5 * bar.mass * G
world.step(DT, n=1800)
seen = []
for _ in range(600):
    world.step(DT)
    seen.append(lift.angle)
assert np.isclose(np.mean(seen), np.arcsin(0.75), atol=0.05)

# %% [markdown]
# ## 6. Why chains stretch
#
# Ten balls hang on ten rods, the last ball weighs a hundred times the others. Each rod is one row.
# A rod shares a ball with its neighbours and with no other, so $K$ has entries on its diagonal
# and beside it only:
#
# $$K_{ii} = \frac1{m_{i-1}} + \frac1{m_i},\qquad
#   K_{i,i+1} = -\frac{\mathbf{n}_i\cdot\mathbf{n}_{i+1}}{m_i}.$$
#
# $K\boldsymbol\lambda = \mathbf{b}$ can be solved in two ways.
#
# * **Rod by rod** (Gauss and Seidel): each rod takes the impulse that closes it at this moment. So
#   do the solvers of lesson 05 and of most engines. A light ball between two rods gives way to
#   both of them, so what one rod learns of the heavy end reaches its neighbour only slowly.
# * **Directly**, by elimination. Begin at the loose end: the last rod knows all that hangs on it.
#   Write its impulse as a formula of the velocity of the ball above, and put that formula into the
#   next row. At the wall nothing is unknown; go back and fill in the numbers. The list `d` holds
#   the inverse effective mass of each rod with all that hangs below it.
#
# Both visit each rod a few times per pass. One of them is then done.


# %%
def elimination(diagonal, beside, b, impulses, passes=1):
    """Solves the rows directly, from the loose end to the wall and back."""
    d, b, last = list(diagonal), list(b), len(b) - 1
    for i in range(last, 0, -1):
        share = beside[i - 1] / d[i]
        d[i - 1] -= share * beside[i - 1]
        b[i - 1] -= share * b[i]
    result = [b[0] / d[0]]
    for i in range(1, last + 1):
        result.append((b[i] - beside[i - 1] * result[-1]) / d[i])
    return result


def gauss_seidel(diagonal, beside, b, impulses, passes=1):
    """Solves the rows one by one, beginning with the impulses given."""
    impulses, last = list(impulses), len(b) - 1
    for _ in range(passes):
        for i in range(last + 1):
            rest = b[i]
            if i > 0:
                rest -= beside[i - 1] * impulses[i - 1]
            if i < last:
                rest -= beside[i] * impulses[i + 1]
            impulses[i] = rest / diagonal[i]
    return impulses


# %% [markdown]
# First the chain at rest. In one substep gravity gives all balls the speed $-gh$. Only the first
# rod sees that at once: it hangs on the wall. In the end rod $i$ must carry all balls below it.
# We count passes until it does.
#
# The error falls by a factor in each pass, the **spectral radius** $\rho$ of
# $1 - L^{-1}K$, with $L$ the lower triangle of $K$ (lesson 05 had the same for a tower).

# %%
ROW = 10


def chain_rows(masses, n):
    """Diagonal of K, and what is beside it, of a chain of rods with the directions n."""
    w = 1 / masses
    diagonal = w + np.concatenate([[0], w[:-1]])
    return diagonal, -w[:-1] * (n[:-1] * n[1:]).sum(axis=1)


def dense(diagonal, beside):
    return np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)


# %%
counts = np.unique(np.geomspace(1, 4000, 25).astype(int))
hanging = {}
for ratio in (1, 10, 100):
    masses = np.append(np.ones(ROW - 1), ratio)
    rows = chain_rows(masses, np.tile([0.0, -1.0], (ROW, 1)))
    b = -G * H * np.eye(ROW)[0]  # the speed that each rod must take away
    exact = -G * H * np.cumsum(masses[::-1])[::-1]
    error = [gauss_seidel(*rows, b, np.zeros(ROW), n) / exact - 1 for n in counts]
    K = dense(*rows)
    radius = abs(np.linalg.eigvals(np.eye(ROW) - np.linalg.solve(np.tril(K), K))).max()
    direct = abs(elimination(*rows, b, None) / exact - 1).max()
    hanging[ratio] = abs(np.array(error)).max(axis=1), radius, direct

# %%
fig, ax = plt.subplots(num="11-8 passes for a hanging chain", figsize=(7.5, 4))
for (ratio, (error, radius, direct)), color, marker in zip(
    hanging.items(), (GREEN, ORANGE, RED), "^so", strict=True
):
    good = error > 1e-9
    guide = error[good][-1] * radius ** (counts[good] - counts[good][-1])
    ax.loglog(counts[good], guide, ":", color=color)
    label = f"rod by rod, last ball {ratio} kg"
    ax.loglog(counts[good], error[good], marker, ms=5, color=color, label=label)
    ax.loglog(1, max(direct, 1e-16), "*", ms=11, color=color)
    print(f"1 : {ratio}: {np.log(0.01) / np.log(radius):.0f} passes for two more digits")
ax.text(1.25, 1e-16, "directly (stars)", va="center")
ax.set(xlabel="passes", ylabel="worst relative error of the impulses", ylim=(1e-17, 10))
ax.legend(loc="lower right")
plt.show()

# %% [markdown]
# **Figure 8.** Rod by rod, the error falls by the spectral radius in each pass (dotted), and very
# slowly under a heavy end. Elimination (stars) is exact after one pass.

# %%
for error, radius, direct in hanging.values():
    assert direct < 1e-12
    late = np.flatnonzero(error > 1e-9)[-2:]
    rate = (error[late[1]] / error[late[0]]) ** (1 / (counts[late[1]] - counts[late[0]]))
    assert abs(np.log(rate) / np.log(radius) - 1) < 0.05
assert hanging[100][0][counts <= 10].min() > 0.9  # after ten passes the error is still whole

# %% [markdown]
# Lesson 05 spent ten passes on a step. Here ten passes leave nearly the whole error. Warm starting
# helps a chain that hangs still. It does not help one that swings, whose pull changes all the time.
#
# Now let it swing. The chain starts level; Baumgarte with curvature as above; Gauss and Seidel get
# their warm start. Beside both swings the engine's chain of balls and distance joints.


# %%
MASSES = np.append(np.ones(ROW - 1), 100.0)
WALL = [[0.0, 0.0]]


def rods(x):
    """Lengths of the rods, and their directions, away from the wall."""
    d = np.diff(x, axis=0, prepend=WALL)
    lengths = np.hypot(*d.T)
    return lengths, d / lengths[:, None]


def substep(x, v, impulses, solve, passes):
    """Moves the chain by H, in place, and returns the impulses of the rods."""
    v[:, 1] -= G * H
    (lengths, n), parting = rods(x), np.diff(v, axis=0, prepend=WALL)
    across = n[:, 0] * parting[:, 1] - n[:, 1] * parting[:, 0]
    wanted = -BETA / H * (lengths - 1) - GAMMA * H * across**2 / lengths
    b = wanted - (n * parting).sum(axis=1)
    impulses = solve(*chain_rows(MASSES, n), b, impulses, passes)
    pulls = np.array(impulses)[:, None] * n
    v += (pulls - np.append(pulls[1:], WALL, axis=0)) / MASSES[:, None]
    x += H * v
    return impulses


# %%
def swinging(solve, passes=1, steps=150):
    """Places (steps, 10, 2) of the balls after each step of the chain above."""
    x = np.column_stack([np.arange(1.0, ROW + 1), np.zeros(ROW)])
    v, impulses, places = np.zeros((ROW, 2)), np.zeros(ROW), []
    for _ in range(steps):
        for _ in range(8):
            impulses = substep(x, v, impulses, solve, passes)
        places.append(x.copy())
    return np.array(places)


def engine_swinging(steps=150):
    """The same of the engine's balls and distance joints."""
    world = new_world((0, -G))
    balls = [None]
    for x, mass in enumerate(MASSES, 1):
        balls.append(world.add_body(p2.Circle(0.15), (x, 0), mass=mass, mask=0))
        world.add_distance_joint(*balls[-2:], anchor_a=(x - 1, 0))
    places = []
    for _ in range(steps):
        world.step(DT)
        places.append(world.positions.copy())
    return np.array(places)


# %%
def stretch(places):
    """Sum of the errors of all rods, too long or too short."""
    return np.array([np.sum(abs(rods(x)[0] - 1)) for x in places])


# %%
chains = {
    "rod by rod, 1 pass": swinging(gauss_seidel),
    "rod by rod, 10 passes": swinging(gauss_seidel, 10),
    "directly": swinging(elimination),
    "engine": engine_swinging(),
}
STYLES = dict(zip(chains, ((RED, "s-"), (ORANGE, "^-"), (GREEN, "D-"), (BLUE, "o:")), strict=True))
time = DT * np.arange(1, 151)

fig, (left, right) = plt.subplots(1, 2, num="11-9 the chain swings", figsize=(10.5, 4.6))
for name, places in chains.items():
    color, style = STYLES[name]
    shape = np.append(WALL, places[80], axis=0)
    left.plot(*shape.T, style, color=color, ms=5, mfc="none", label=name)
    right.semilogy(time, 1e3 * stretch(places), style[1:], color=color, label=name)
left.set(xlabel="x (m)", ylabel="y (m)", title=f"at {time[80]:.2f} s", aspect="equal")
left.legend(fontsize=8)
right.set(xlabel="time (s)", ylabel="errors of all rods (mm)", title="10 rods, last ball 100 : 1")
plt.show()

# %% [markdown]
# **Figure 9.** Left, the chains after 1.35 s. Rod by rod they bend and stretch; the direct solution
# (green) and the engine (blue) agree. Right, the errors of all rods, in a ratio of a thousand and
# more.

# %%
longest = {name: stretch(places).max() for name, places in chains.items()}
print({name: f"{1e3 * value:.2f} mm" for name, value in longest.items()})
assert longest["engine"] < 0.001 < 0.02 < longest["rod by rod, 10 passes"]
assert longest["directly"] < 0.001
assert longest["rod by rod, 1 pass"] > longest["rod by rod, 10 passes"]
assert np.allclose(chains["engine"][:140, -1], chains["directly"][:140, -1], atol=0.05)

# %% [markdown]
# Our forty lines and the engine draw the same curve, a twentieth of a millimetre on ten metres. Rod
# by rod, ten times the work has a thousand times the error, and the wrong motion with it. Engines
# that solve so make the joints softer still, which keeps them calm and stretches them more.
#
# Elimination is not bound to chains. It works for each **tree** of joints, a ragdoll or a crane:
# from all the leaves to the root and back (R. Featherstone, *Rigid Body Dynamics Algorithms*,
# 2008). Joints that close a loop are cut out and put back by a small dense system. For a net, which
# is all loops, the engine goes joint by joint as well.

# %% [markdown]
# ### Exercise 4 · The order of the rods
#
# Let Gauss and Seidel begin at the loose end instead of the wall. How many passes does the chain of
# 1 : 100 need then? Think of which rods know of what after the first pass.

# %% [markdown]
# <details><summary>Answer</summary>
#
# As many. The spectral radius does not depend on the direction in which the rows are visited.
# The first pass does not even start: the lower rods see no error, only the first one does.
# Elimination begins at the same end and succeeds, because it hands on a *formula* (what the rods
# below will answer) where Gauss and Seidel hand on a number.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
K = dense(*chain_rows(MASSES, np.tile([0.0, -1.0], (ROW, 1))))
sweeps = [np.eye(ROW) - np.linalg.solve(np.tril(k), k) for k in (K, K[::-1, ::-1])]
assert np.isclose(*[abs(np.linalg.eigvals(sweep)).max() for sweep in sweeps], rtol=1e-9)
first = gauss_seidel(np.diag(K)[::-1], np.diag(K, 1)[::-1], np.eye(ROW)[-1], np.zeros(ROW))
assert np.allclose(first[:-1], 0)
assert first[-1] > 0

# %% [markdown]
# ## 7. Breaking
#
# When rows are solved to the end, their impulses are exact: divided by the time they are the forces
# that a scale in the joint would show. So a joint can break at a stated force.
#
# A weight falls on a rope of length $L$, from the level of its hook. At the angle $\alpha$ below
# the level it has $v^2 = 2gL\sin\alpha$. The rope must turn it, and carry its share of the weight:
#
# $$F = \frac{m v^2}{L} + m g\sin\alpha = 3\,m g\,\sin\alpha.$$
#
# The length is not in it. A rope of strength $F$ breaks at $\sin\alpha = F/(3mg)$. From there
# the weight flies like any stone.


# %%
SHORT = DT / 4  # s, a shorter step, to see well when it breaks


def swing_down(strength=None, length=2.0, steps=220):
    """A weight of 1 kg on a rope. Rows: angle in mid-step, force; places; the break, if any."""
    world = new_world((0, -G))
    weight = world.add_body(p2.Circle(0.1), (length, 0), mass=1)
    rope = world.add_distance_joint(None, weight, anchor_a=(0, 0), break_force=strength)
    rows, places, broken, before = [], [(length, 0.0)], None, 0.0
    for step in range(steps):
        world.step(SHORT)
        places.append(tuple(weight.position))
        angle = np.arctan2(-weight.position[1], weight.position[0])
        for event in world.events.joint_break:
            broken = step, 0.5 * (before + angle), np.hypot(*event["force"])
        if rope.alive:
            rows.append((0.5 * (before + angle), np.hypot(*rope.force)))
        before = angle
    return np.array(rows), np.array(places), broken


strengths = (8.0, 16.0, 24.0, None)
swings = {strength: swing_down(strength) for strength in strengths}

# %%
fig, (left, right) = plt.subplots(1, 2, num="11-10 ropes that break", figsize=(10, 4))
angle = np.linspace(0, np.pi / 2, 100)
right.plot(np.degrees(angle), 3 * G * np.sin(angle), color=GREY, lw=4, alpha=0.4, label="formula")
for (strength, (rows, places, broken)), color in zip(
    swings.items(), (RED, ORANGE, GREEN, BLUE), strict=True
):
    name = f"{strength:g} N" if strength else "unbroken"
    left.plot(*places[: 181 if strength else 221].T, color=color, label=name)
    if broken:
        step, at, force = broken
        left.plot(*places[step], "x", color=color, ms=10)
        right.axhline(strength, color=color, lw=1, ls="--")
        right.plot(np.degrees(at), force, "x", color=color, ms=10, label=f"{name} breaks")
    else:
        down = rows[rows[:, 0] < np.pi / 2][::6]
        right.plot(np.degrees(down[:, 0]), down[:, 1], ".", color=color, label=name)
left.plot(0, 0, "o", color="black")
left.set(xlabel="x (m)", ylabel="y (m)", title="the weight on its rope of 2 m", aspect="equal")
left.legend(loc="lower left", fontsize=8)
right.set(xlabel="angle below the level (degrees)", ylabel="force of the rope (N)")
right.legend(loc="lower right", fontsize=8)
plt.show()

# %% [markdown]
# **Figure 10.** Left, the weight flies off where its rope breaks (crosses). Right, the force of the
# rope follows the formula (grey), and each rope breaks where the force reaches its strength
# (dashed).

# %%
rows = swings[None][0]
down = rows[:, 0] < np.pi / 2
assert np.allclose(rows[down, 1], 3 * G * np.sin(rows[down, 0]), atol=0.01 * 3 * G)
for strength, (_, places, broken) in swings.items():
    if broken:
        step, at, force = broken
        assert strength <= force < 1.05 * strength
        assert np.isclose(np.sin(at), strength / (3 * G), rtol=0.05)
        fall = np.diff(places[step + 1 :, 1], n=2) / SHORT**2
        assert np.allclose(fall, -G, atol=0.1)  # free flight

# %% [markdown]
# ### Exercise 5 · A rope that holds
#
# A climber of 80 kg falls on a rope of 10 m, from the level of its hook. Which strength holds the
# swing? And which one if the climber falls straight down, from the hook, into a rope that does not
# give?

# %% [markdown]
# <details><summary>Answer</summary>
#
# The swing needs $3mg$ = 2354 N, whatever the length. Straight down the speed is
# $\sqrt{2gL}$ = 14 m/s, and a rigid rope takes it away at once: an impulse of
# $m\sqrt{2gL}$ = 1121 N s, whose force is as large as the stop is short. The engine tells the mean
# over a step of 1/60 s, 67 kN. Real ropes stretch, and that is what they are for.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
forces = {}
for start in ((10, 0), (0, -0.01)):
    world = new_world((0, -G))
    climber = world.add_body(p2.Circle(0.3), start, mass=80)
    rope = world.add_distance_joint(None, climber, anchor_a=(0, 0), upper=10)
    forces[start] = 0.0
    for _ in range(150):
        world.step(DT)
        forces[start] = max(forces[start], np.hypot(*rope.force))
assert np.isclose(forces[(10, 0)], 3 * 80 * G, rtol=0.01)
assert np.isclose(forces[(0, -0.01)] * DT, 80 * np.sqrt(2 * G * 10), rtol=0.03)

# %% [markdown]
# In short: one formula, $\boldsymbol\lambda = -(JM^{-1}J^{\mathsf T})^{-1}J\mathbf{v}$,
# with a term for the error, a spring in place of it, a bound on $\boldsymbol\lambda$, and two
# ways to solve it. `docs/joints.md` lists all kinds of joints; in the sources
# (`csrc/solve/joint_*.c`) each kind has its own $J$ written above it.

# %% [markdown]
# ## References
#
# * J. Baumgarte, *Stabilization of Constraints and Integrals of Motion in Dynamical Systems*, 1972.
# * R. Cottle, J. Pang, R. Stone, *The Linear Complementarity Problem*, 1992.
# * E. Catto, *Iterative Dynamics with Temporal Coherence*, 2005.
# * E. Catto, *Soft Constraints*, Game Developers Conference, 2011.
# * D. Baraff, *Linear-Time Dynamics using Lagrange Multipliers*, 1996: elimination along chains and
#   trees.
# * R. Featherstone, *Rigid Body Dynamics Algorithms*, 2008.
