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
# # 14 · Energy and integrators
#
# **Learning goal.** You can write the explicit, the semi-implicit and the implicit Euler method and
# the classical Runge–Kutta method in a few lines. You can say what each does to energy, how its
# error shrinks with the time step, and when it becomes unstable. You can choose the time step and
# the substeps of a world.
#
# **You need** NumPy; lesson 01 for what a force does to a body.

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

# %% [markdown]
# ## 1. A body that falls
#
# A body has a position $x$ and a velocity $v$. A force gives it the acceleration $a$. An
# *integrator* takes both over a time step $h$. The simplest ones add what changes in the step:
#
# | method | velocity | position |
# |---|---|---|
# | explicit Euler | $v' = v + h\,a(x)$ | $x' = x + h\,v$ |
# | semi-implicit Euler | $v' = v + h\,a(x)$ | $x' = x + h\,v'$ |
#
# They differ in one letter: the second moves the body with the *new* velocity. Neither is exact. In
# a fall from rest by $-\tfrac12 g t^2$, the explicit method is behind by $\tfrac12 g\,h\,t$ and the
# semi-implicit one is ahead by as much.


# %%
def explicit(x, v, acceleration, h):
    return x + h * v, v + h * acceleration(x)


def semi_implicit(x, v, acceleration, h):
    v = v + h * acceleration(x)
    return x + h * v, v


def run(method, x, v, acceleration, h, steps):
    """Positions and velocities of all steps, the start included."""
    states = [(x, v)]
    for _ in range(steps):
        states.append(method(*states[-1], acceleration, h))
    return tuple(map(np.array, zip(*states, strict=True)))


# %%
def gravity(x):
    return -10.0


rates = np.array([5, 10, 20, 40, 80])  # steps a second
error = {
    method.__name__: np.array([run(method, 0, 0, gravity, 1 / n, n)[0][-1] + 5 for n in rates])
    for method in (explicit, semi_implicit)
}
assert np.allclose(error["explicit"], 10 / rates / 2)
assert np.allclose(error["semi_implicit"], -10 / rates / 2)

# %% [markdown]
# The engine divides each step into *substeps* and takes the semi-implicit method in each. So its
# error in a fall follows the same formula, with $h$ the length of a substep.

# %%
substeps = np.array([1, 2, 4, 8, 16])
engine = []
for n in substeps:
    world = p2.World((0, -10), substeps=int(n))
    ball = world.add_body(p2.Circle(0.1), (0, 0))
    world.step(DT, n=60)  # one second
    engine.append(ball.position[1] + 5)
engine = np.array(engine)
assert np.allclose(engine, -10 * DT / substeps / 2)

# %%
fig, ax = plt.subplots(num="14-1 a fall of one second", figsize=(7, 3.6))
h = np.geomspace(1e-3, 0.2, 50)
ax.loglog(h, 10 * h / 2, color=GREY, label=r"$\frac{1}{2}\,g\,h\,t$")
ax.loglog(1 / rates, error["explicit"], "o", color=RED, mfc="none", label="explicit, behind")
ax.loglog(1 / rates, -error["semi_implicit"], "+", color=BLUE, ms=9, label="semi-implicit, ahead")
ax.loglog(DT / substeps, -engine, "x", color=GREEN, label="engine, ahead")
ax.set(xlabel="length of a step or substep, $h$ (s)", ylabel="error of the height (m)")
ax.legend()
plt.show()

# %% [markdown]
# **Figure 1.** Half the step, half the error: both methods are of *first order*. With eight
# substeps at 60 Hz the engine is 10 mm ahead after a fall of 5 m.

# %% [markdown]
# ## 2. A spring, and what becomes of its energy
#
# A mass on a spring has the acceleration $a = -\omega^2 x$, and its energy per mass,
# $E = \tfrac12 v^2 + \tfrac12\omega^2 x^2$, should stay what it was. Two more methods join:
#
# * *Implicit Euler* takes both the force and the velocity at the *end* of the step. For the spring
#   the two equations can be solved by hand: $v' = (v - h\,\omega^2 x) / (1 + h^2\omega^2)$.
# * The classical *Runge–Kutta* method (W. Kutta, 1901) takes four samples of the acceleration
#   and weights them 1 : 2 : 2 : 1.


# %%
OMEGA = 2 * np.pi  # rad/s: one oscillation a second


def spring(x):
    return -(OMEGA**2) * x


def implicit(x, v, acceleration, h):
    """Of a spring alone: for other forces an equation has to be solved."""
    v = (v + h * acceleration(x)) / (1 + (h * OMEGA) ** 2)
    return x + h * v, v


def runge_kutta(x, v, acceleration, h):
    def slope(x, v):
        return np.array([v, acceleration(x)])

    k1 = slope(x, v)
    k2 = slope(*(np.array([x, v]) + h / 2 * k1))
    k3 = slope(*(np.array([x, v]) + h / 2 * k2))
    k4 = slope(*(np.array([x, v]) + h * k3))
    return tuple(np.array([x, v]) + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))


# %%
def energy(x, v):
    return 0.5 * v**2 + 0.5 * OMEGA**2 * x**2


# %% [markdown]
# For each method, what one step does to the energy can be computed. With $z = (h\omega)^2$:
#
# | method | factor of the energy in a step |
# |---|---|
# | explicit Euler | $1 + z$ |
# | implicit Euler | $1/(1 + z)$ |
# | Runge–Kutta | $1 - z^3/72 + z^4/576$ |
# | semi-implicit Euler | no fixed factor: it swings about 1 |

# %%
h, steps = DT, 240
z = (h * OMEGA) ** 2
factor = {"explicit": 1 + z, "implicit": 1 / (1 + z), "runge_kutta": 1 - z**3 / 72 + z**4 / 576}
paths = {}
for method in (explicit, semi_implicit, implicit, runge_kutta):
    paths[method.__name__] = run(method, 1.0, 0.0, spring, h, steps)
share = {name: energy(*path) / energy(1.0, 0.0) for name, path in paths.items()}
for name, each in factor.items():
    assert np.allclose(share[name], each ** np.arange(steps + 1), rtol=1e-9)
print({name: f"{values[-1]:.4g}" for name, values in share.items()})

# %%
fig, (left, right) = plt.subplots(1, 2, num="14-2 a spring", figsize=(10, 4))
style = {
    "explicit": (RED, "--", "explicit"),
    "semi_implicit": (BLUE, "-", "semi-implicit"),
    "implicit": (ORANGE, "-.", "implicit"),
    "runge_kutta": (GREEN, ":", "Runge–Kutta"),
}
for name, (colour, line, label) in style.items():
    x, v = paths[name]
    left.plot(x, v / OMEGA, line, color=colour, label=label)
    right.semilogy(np.arange(steps + 1) * h, share[name], line, color=colour, label=label)
left.set(xlabel="position (m)", ylabel=r"velocity / $\omega$ (m)", aspect="equal")
left.set(xlim=(-3, 3), ylim=(-3, 3))
right.set(xlabel="time (s)", ylabel="energy / energy at the start")
right.legend()
plt.show()

# %% [markdown]
# **Figure 2.** Left, four seconds in the plane of position and velocity, where the true motion is a
# circle. The explicit method spirals out: its energy grows without end. The implicit method spirals
# in. The semi-implicit method follows a closed ellipse near to the circle, for ever. Runge–Kutta
# cannot be told from the circle here; it loses a little at each step.

# %% [markdown]
# ## 3. Why the semi-implicit method keeps energy
#
# It does not conserve $E$, but a quantity close by. Put the two lines of the method into
#
# $$\tilde E = \tfrac12 v^2 + \tfrac12\omega^2 x^2 - \tfrac12 h\,\omega^2\,x\,v$$
#
# and it comes out the same after the step as before. A method of this kind is called *symplectic*
# (E. Hairer, C. Lubich and G. Wanner, *Geometric Numerical Integration*, 2006): it keeps areas in
# the plane of figure 2, so a path can neither spiral in nor out.

# %%
x, v = paths["semi_implicit"]
shadow = energy(x, v) - 0.5 * h * OMEGA**2 * x * v
assert np.allclose(shadow, shadow[0], rtol=1e-12)
assert np.abs(share["semi_implicit"] - 1).max() < 0.6 * h * OMEGA  # E swings by about h omega / 2

# %% [markdown]
# ### Exercise 1 · Leapfrog
#
# The *leapfrog* method keeps velocities at half steps: $v_{n+1/2} = v_{n-1/2} + h\,a(x_n)$,
# $x_{n+1} = x_n + h\,v_{n+1/2}$. What does it have to do with the semi-implicit method? Use it to
# find the energy at whole steps to second order.

# %% [markdown]
# <details><summary>Answer</summary>
#
# They are the same two lines. What the semi-implicit method calls the velocity of step $n$ belongs
# to the moment $t_n - h/2$. Take it there: $v(t_n) \approx v_n + \tfrac h2 a(x_n)$. With this
# velocity the energy swings by a share of order $(h\omega)^2$ instead of $h\omega$.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
centred = energy(x, v + h / 2 * spring(x)) / energy(x[0], v[0] + h / 2 * spring(x[0]))
assert np.ptp(centred) < (h * OMEGA) ** 2 < np.ptp(share["semi_implicit"])

# %% [markdown]
# ## 4. The order of a method
#
# How does the error shrink when the step gets shorter? We compare the place after 2.3 oscillations
# with the formula $\cos\omega t$. A method of order $p$ has an error proportional to $h^p$: a
# straight line of slope $p$ on logarithmic axes.

# %%
counts = np.array([40, 80, 160, 320, 640, 1280])
end = 2.3
wrong = {
    method.__name__: np.array(
        [
            abs(run(method, 1.0, 0.0, spring, end / n, n)[0][-1] - np.cos(OMEGA * end))
            for n in counts
        ]
    )
    for method in (explicit, semi_implicit, implicit, runge_kutta)
}
slopes = {
    name: np.polyfit(np.log(end / counts[2:]), np.log(e[2:]), 1)[0] for name, e in wrong.items()
}
print({name: round(slope, 2) for name, slope in slopes.items()})

# %%
fig, ax = plt.subplots(num="14-3 order", figsize=(7, 4))
for name, (colour, line, label) in style.items():
    ax.loglog(end / counts, wrong[name], line + "o", color=colour, mfc="none", label=label)
ax.set(xlabel="step, $h$ (s)", ylabel="error of the position (m)", xlim=(1e-3, 1e-1))
ax.legend()
plt.show()
assert abs(slopes["runge_kutta"] - 4) < 0.1
assert abs(slopes["semi_implicit"] - 1) < 0.1

# %% [markdown]
# **Figure 3.** Runge–Kutta is of order 4 and far ahead for smooth forces. Why does an engine not
# use it? It needs the forces four times a step, it loses energy slowly, and its order is lost at
# each impact, where the force is not smooth at all. Engines spend the same effort on substeps of
# the semi-implicit method.

# %% [markdown]
# ## 5. Stability
#
# With a step that is too long, the semi-implicit method does not become inexact: it explodes. In
# the plane of figure 2, a step is a matrix with determinant 1, and its eigenvalues stay on the unit
# circle as long as $h\omega < 2$: about three steps an oscillation. Implicit Euler has no limit.
# That is why engines solve springs and contacts implicitly: a stiff spring then becomes soft, not
# violent.

# %%
products = np.linspace(0.1, 3.5, 69)  # h * omega


def growth(method, product):
    """Largest factor by which a step multiplies, of the method's matrix."""
    h = product / OMEGA
    columns = [method(*state, spring, h) for state in ((1.0, 0.0), (0.0, OMEGA))]
    matrix = np.array(columns).T / np.array([[1], [OMEGA]])
    return np.abs(np.linalg.eigvals(matrix)).max()


spectral = {
    method.__name__: np.array([growth(method, p) for p in products])
    for method in (explicit, semi_implicit, implicit, runge_kutta)
}
assert np.allclose(spectral["semi_implicit"][products < 1.99], 1, atol=1e-6)
assert spectral["semi_implicit"][products > 2.01].min() > 1.05
stable = products[spectral["runge_kutta"] <= 1].max()
assert abs(stable - 2 * 2**0.5) < 0.05  # the limit of Runge-Kutta is the root of 8

# %%
fig, ax = plt.subplots(num="14-4 stability", figsize=(7, 3.8))
for name, (colour, line, label) in style.items():
    ax.plot(products, spectral[name], line, color=colour, label=label)
ax.axhline(1, color=GREY, lw=0.8)
ax.set(xlabel=r"$h\,\omega$", ylabel="factor of a step", ylim=(0, 3))
ax.legend()
plt.show()

# %% [markdown]
# **Figure 4.** A factor above 1 means that errors grow at each step. Explicit Euler is above 1
# everywhere, implicit Euler below 1 everywhere. The semi-implicit method stays at 1 up to
# $h\omega = 2$, Runge–Kutta below 1 up to $\sqrt 8$.

# %% [markdown]
# ## 6. The engine: a spring, an orbit, a pendulum
#
# Three systems that should keep their energy for a minute. The spring is a `distance_joint` without
# damping; the orbit goes about a `PointGravity`; the pendulum hangs on a `revolute_joint` and
# starts from the horizontal. Each is run with 1, 4 and 8 substeps.


# %%
def spring_world(substeps):
    world = p2.World((0, 0), substeps=substeps, sleeping=False)
    ball = world.add_body(p2.Circle(0.1), (1.5, 0), mass=1)
    world.add_distance_joint(None, ball, anchor_a=(0, 0), length=1, spring_hertz=1)
    return world, lambda: energy(ball.position[0] - 1, ball.velocity[0]) / energy(0.5, 0)


def orbit_world(substeps, strength=0.4):
    world = p2.World((0, 0), substeps=substeps, sleeping=False)
    world.add_point_gravity((0, 0), strength=strength)
    moon = world.add_body(p2.Circle(0.01), (1, 0), velocity=(0, 0.8 * strength**0.5))

    def total():
        return 0.5 * moon.velocity @ moon.velocity - strength / np.hypot(*moon.position)

    start = total()
    return world, lambda: total() / start


def pendulum_world(substeps):
    world = p2.World((0, -9.81), substeps=substeps, sleeping=False)
    bob = world.add_body(p2.Circle(0.05), (1, 0), mass=1)
    world.add_revolute_joint(None, bob, anchor=(0, 0))
    return world, lambda: 1 + (world.kinetic_energy() + world.potential_energy()) / 9.81


# %%
def course(build, substeps, seconds=60):
    world, share = build(substeps)
    values = []
    for _ in range(60 * seconds):
        world.step(DT)
        values.append(share())
    return np.array(values)


systems = {"spring": spring_world, "orbit": orbit_world, "pendulum": pendulum_world}
courses = {(name, n): course(build, n) for name, build in systems.items() for n in (1, 4, 8)}
for key, values in courses.items():
    print(*key, f"{values.min():.5f} to {values.max():.5f}")

# %%
fig, panels = plt.subplots(1, 3, num="14-5 a minute in the engine", figsize=(11, 3.6))
time = DT * np.arange(1, 3601)
for ax, name in zip(panels, systems, strict=True):
    for n, colour, line in ((1, RED, "--"), (4, ORANGE, "-."), (8, BLUE, "-")):
        ax.plot(time, courses[name, n], line, color=colour, lw=0.8, label=f"substeps={n}")
    ax.set(title=name, xlabel="time (s)")
panels[0].set(ylabel="energy / energy at the start", xlim=(57, 60))  # of sixty oscillations
panels[2].legend()
plt.show()
for name in ("spring", "orbit"):
    early, late = courses[name, 8][:600].mean(), courses[name, 8][-600:].mean()
    assert abs(late - early) < 1e-3  # it swings, but it does not drift
    assert np.ptp(courses[name, 8]) < np.ptp(courses[name, 1]) / 4
assert np.abs(courses["pendulum", 8] - 1).max() < 2e-4

# %% [markdown]
# **Figure 5.** The energies of the spring (its last three seconds) and of the orbit swing and
# return. That is the semi-implicit method, and the swing shrinks with the substeps. The pendulum's
# joint turns the velocity at each substep. With one substep this loses a quarter of the energy in a
# minute; with eight it stays within 0.02 %.

# %% [markdown]
# An orbit shows another gift of the method. A central force has no lever arm, so the semi-implicit
# step keeps the *angular momentum* to the last digit, whatever the step (Kepler's second law).

# %%
world, _ = orbit_world(1)
moon = world.bodies[0]
momentum = []
for _ in range(600):
    world.step(DT)
    x, v = moon.position, moon.velocity
    momentum.append(x[0] * v[1] - x[1] * v[0])
assert np.allclose(momentum, momentum[0], rtol=1e-12)

# %% [markdown]
# ### Exercise 2 · Which step?
#
# A game draws 144 pictures a second on one screen and 30 on another. Why should it not pass the
# time of a picture as `dt`? Write a loop that steps the world evenly instead.

# %% [markdown]
# <details><summary>Answer</summary>
#
# With another step the errors are others: a jump would reach another height and a pile would
# settle in another way. And the same input would no longer give the same bits. Let the time that
# has passed pile up, and take whole steps from it (G. Fiedler, *Fix Your Timestep!*, 2004). What is
# left over serves to draw the bodies between two steps.
# </details>


# %% jupyter={"source_hidden": true} tags=["answer"]
def play(frame_rate, seconds=2):
    """The height that a ball has, by a loop with pictures of this rate."""
    world, left = p2.World((0, -10)), 0.0
    ball = world.add_body(p2.Circle(0.1), (0, 0), velocity=(0, 8))
    for _ in range(seconds * frame_rate):
        left += 1 / frame_rate
        while left > DT - 1e-9:
            world.step(DT)
            left -= DT
    return ball.position[1]


assert play(30) == play(60) == play(144)

# %% [markdown]
# ### Exercise 3 · How many substeps does a spring need?
#
# A spring of 20 Hz should swing by less than 10 % in energy at 60 steps a second. Section 3 says
# that the energy swings by a share of about $h\omega$ from its lowest to its highest value. How
# many substeps does the semi-implicit method need?

# %% [markdown]
# <details><summary>Answer</summary>
#
# $h\omega = 2\pi\cdot 20 / (60\,n) < 0.1$ gives $n > 21$.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
fast = (2 * np.pi * 20) ** 2
for n, enough in ((15, False), (22, True)):
    x, v = run(semi_implicit, 1.0, 0.0, lambda x: -fast * x, DT / n, 400)
    total = 0.5 * v**2 + 0.5 * fast * x**2
    assert (np.ptp(total) / total.mean() < 0.1) == enough

# %% [markdown]
# ## References
#
# * W. Kutta, *Beitrag zur näherungsweisen Integration totaler Differentialgleichungen*, 1901.
# * E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical Integration*, 2nd edition, 2006.
# * G. Fiedler, *Fix Your Timestep!*, 2004.
# * E. Catto, *Soft Constraints*, Game Developers Conference, 2011.
# * M. Macklin and others, *Small Steps in Physics Simulation*, 2019.
