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
# # 04 · Contact points
#
# **Learning goal.** You can say *where* two overlapping shapes touch: with a crude rule, of which
# you know when it fails, and with clipping, in a few lines of NumPy. You can explain what the
# number of a contact point, its feature id, is good for.
#
# **You need** lesson 03: projections, edge normals, the shortest push out (MTV).
#
# The MTV says in which direction two shapes push each other, and how deep they are in each other.
# To compute the push (lesson 05) we need one thing more: the **points** where it acts. A push
# beside the centre of mass turns a body, so a wrong point makes a crate on a floor rock or spin.

# %%
import matplotlib.pyplot as plt
import numpy as np

import pyphys2d as p2
from pyphys2d import geometry, plot

# The colours of Okabe and Ito (2008), which colour-blind eyes can tell apart.
BLUE, SKY, ORANGE, GREEN = "#0072b2", "#56b4e9", "#e69f00", "#009e73"
RED, PINK, GREY = "#d55e00", "#cc79a7", "#6e6e6a"
OCHRE = "#c47f00"  # the orange of thin lines
plt.rcParams["figure.constrained_layout.use"] = True

G = 9.81  # m/s²
DT = 1 / 60  # s, one step


def arrow(ax, start, vector, color, label=None):
    style = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.009, "zorder": 4}
    ax.quiver(*start, *vector, color=color, **style)
    if label:  # an arrow in the legend as well
        ax.plot([], [], color=color, ls="none", marker=r"$\rightarrow$", ms=14, label=label)


# %% [markdown]
# ## 1. Circles: one point
#
# Two circles touch in one point, on the line of their centres. While they overlap we take the point
# in the **middle** between the two surfaces. With the normal $\mathbf{n}$ from $A$ to $B$ and the
# depth $d$ it is $\mathbf{p} + (r - d/2)\,\mathbf{n}$.
#
# A circle and a box: the point of the box that is closest to the centre decides. It is easiest to
# find in the **frame of the box**, where the box is not turned: there it is enough to clamp both
# coordinates to the half-sizes. Then we go back to the world. This change of frame makes one
# function do for boxes that are turned and those that are not.


# %%
def circles_contact(p, r, q, s):
    """Normal from the first to the second circle, point midway, depth."""
    offset = np.subtract(q, p)
    depth = r + s - np.hypot(*offset)
    n = offset / np.hypot(*offset)
    return n, p + (r - depth / 2) * n, depth


def box_circle_contact(half, pose, center, radius):
    """The same for a box with these half-sizes; the centre is outside of the box."""
    local = geometry.rotate([center - pose[:2]], -pose[2])[0]
    nearest = np.clip(local, -half, half)
    offset = local - nearest
    distance = np.hypot(*offset)
    n = offset / distance
    point = nearest + 0.5 * (distance - radius) * n  # midway to the surface of the circle
    (n,) = geometry.rotate([n], pose[2])
    return n, geometry.transform([point], pose)[0], radius - distance


# %%
half, pose = np.array([1.2, 0.7]), np.array([0, 0, 0.3])
scenes = [("two circles", p2.Circle(2), (-0.5, 0, 0), p2.Circle(1.2), np.array([0.8, 1]))]
for name, place in (("on an edge", (0.3, 1.2)), ("on a corner", (1.55, 0.95))):
    center = geometry.transform([place], pose)[0]
    scenes.append((name, p2.Box(*(2 * half)), pose, p2.Circle(0.7), center))

fig, panels = plt.subplots(1, 3, num="04-1 circles", figsize=(11, 3.8))
for ax, (name, a, pose_a, b, center) in zip(panels, scenes, strict=True):
    hit = geometry.collide(a, b, pose_a, (*center, 0))
    if isinstance(a, p2.Circle):
        ours = circles_contact(pose_a[:2], a.radius, center, b.radius)
    else:
        ours = box_circle_contact(half, pose_a, center, b.radius)
    assert len(hit.points) == 1
    for mine, engine in zip(ours, (hit.normal, hit.points[0], -hit.separations[0]), strict=True):
        assert np.allclose(mine, engine, atol=1e-12)
    plot.shape(a, pose_a, ax, color=BLUE)
    plot.shape(b, (*center, 0), ax, color=OCHRE)
    arrow(ax, hit.points[0], 0.6 * hit.normal, RED, "normal")
    ax.plot(*hit.points.T, "o", color=RED, label="contact point", zorder=5)
    ax.set_title(f"{name}: depth {-hit.separations[0]:.2g} m")
panels[0].legend(loc="lower right")
plt.show()

# %% [markdown]
# **Figure 1.** The vermilion dot is midway between the two surfaces, and the arrow is the normal
# from $A$ to $B$. For the box, the closest point of an edge or of a corner decides.

# %% [markdown]
# ### Exercise 1 · The ball in the box
#
# A fast ball has got so far into a box that its *centre* is inside. Then clamping gives the centre
# itself, and `offset` is zero. What are normal, depth and contact point now?

# %% [markdown]
# <details><summary>Answer</summary>
#
# The shortest push is over the nearest side. In the box's frame the distances to the sides are
# $\mathbf{h} - |\mathbf{c}|$; the smaller one, $e$, picks the axis, and the sign of the centre on
# this axis the side. The ball has to go until it only touches: the depth is $r + e$. Midway between
# the side, at the distance $e$ outwards, and the ball's surface, $r$ inwards: $(e - r)/2$ along
# the normal from the centre.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
rng = np.random.default_rng(0)
for _ in range(100):
    radius, local = rng.uniform(0.1, 1), rng.uniform(-half, half)
    side = np.argmin(half - abs(local))
    e = (half - abs(local))[side]
    n = np.eye(2)[side] * np.sign(local[side])
    hit = geometry.collide(p2.Box(*(2 * half)), p2.Circle(radius), pose_b=(*local, 0))
    assert np.allclose(hit.normal, n)
    assert np.allclose(hit.separations, -(radius + e))
    assert np.allclose(hit.points, local + 0.5 * (e - radius) * n)

# %% [markdown]
# ## 2. Polygons, a crude rule
#
# A polygon that stands on a floor touches it along an edge; one that has tipped touches with a
# corner. A first, crude rule: along the normal $\mathbf{n}$ look for the vertex of each shape that
# is deepest in the other, the one with the greatest $\mathbf{v}\cdot\mathbf{n}$ (for $B$: with
# $-\mathbf{n}$). If two are nearly equally deep, take their mean.
#
# Our example for the rest of the lesson: a wide box $A$ and a slanted quadrilateral $B$.

# %%
A = np.array([(-1.0, 0), (3, 0), (3, -2), (-1, -2)])[::-1]  # counter-clockwise
B = np.array([(3.5, -1.666), (4.5, 0), (1.5, 2), (1.5, -0.333)])
mtv = geometry.mtv(p2.Polygon(A), p2.Polygon(B))
depth = np.hypot(*mtv)
n = mtv / depth
print(f"MTV ({mtv[0]:.8f}, {mtv[1]:.8f}), depth {depth:.6f} m")


def draw_example(ax):
    """A and B, with their names where no line is."""
    for ring, color, name, at in ((A, BLUE, "A", (-0.2, -1)), (B, OCHRE, "B", (2.1, 1.1))):
        plot.polygon(ring, ax, color=color)
        ax.text(*at, name, color=color, weight="bold", ha="center", va="center")


def crude(ring, direction, equal=0.005):
    """The deepest vertex along the direction, or the mean of those nearly as deep."""
    places = ring @ direction
    return ring[places > places.max() - equal].mean(axis=0)


assert np.allclose(mtv, (0.61505622, 0.92281503), atol=5e-9)
assert np.allclose(crude(A, n), (3, 0))  # a corner
assert np.allclose(crude(B, -n), (2.5, -0.9995))  # the middle of an edge at right angles to n

# %% [markdown]
# In the example the rule looks reasonable. Here are two cases in which it is not.
#
# *A plank on a post.* The plank is tilted by a little. Its deepest vertex is its far end, which is
# nowhere near the post. A push there would spin the plank.
#
# *A crate on a floor*, tilted from left to right. The crude point jumps from corner to corner,
# through the middle. A crate at rest always trembles a little, and each jump kicks it. The engine
# keeps **two** points. Their depths change smoothly, and no point moves.


# %%
def crate_on_floor(tilt, sunk=0.02):
    """Engine's contact and crude point of a crate, tilted about the middle of its base."""
    crate = p2.Box(1, 1)
    place = (-0.5 * np.sin(tilt), 0.5 * np.cos(tilt) - sunk, tilt)  # the floor's top is y = 0
    hit = geometry.collide(p2.Box(9, 2), crate, (0, -1, 0), place)
    return hit, crude(geometry.transform(crate.vertices, place), np.array([0, -1.0]))


post, plank = p2.Box(1, 2), p2.Box(4, 0.3)
on_post = ((0, -1, 0), (0.2, 0.135, -0.02))
resting = geometry.collide(post, plank, *on_post)
far_end = crude(geometry.transform(plank.vertices, on_post[1]), np.array([0, -1.0]))
tilts = np.radians(np.arange(-3, 3.01, 0.25))
rocking = [crate_on_floor(tilt) for tilt in tilts]

# %%
fig, panels = plt.subplots(1, 3, num="04-2 the crude try", figsize=(11, 3.8))
draw_example(panels[0])
for ring, side, color, name in ((A, n, BLUE, "A"), (B, -n, OCHRE, "B")):
    panels[0].plot(*crude(ring, side), "s", color=color, mec="black", label=f"crude, of {name}")
arrow(panels[0], (2.75, -0.5), mtv, RED, "MTV")
panels[0].set(title="the example", ylim=(-2.6, 3.9))
panels[0].legend(loc="upper left", fontsize=8, ncols=2)
plot.shape(post, on_post[0], panels[1], color=BLUE)
plot.shape(plank, on_post[1], panels[1], color=OCHRE)
panels[1].plot(*far_end, "s", color=RED, label="crude, of the plank")
panels[1].plot(*resting.points.T, "o", color=GREEN, label="engine")
panels[1].set(title="a plank on a post", ylim=(-2.2, 1.6))
panels[1].legend(loc="upper right", fontsize=8)
for tilt, (hit, _) in zip(tilts, rocking, strict=True):
    panels[2].scatter(
        0 * hit.points[:, 0] + np.degrees(tilt), hit.points[:, 0], 1e3 * -hit.separations,
        color=GREEN, label="engine (area: depth)",
    )  # fmt: skip
x = [point[0] for _, point in rocking]
panels[2].plot(np.degrees(tilts), x, "s-", ms=4, lw=0.6, color=RED, label="crude")
panels[2].set(title="a crate on a floor", xlabel="tilt (degrees)", ylabel="contact point x (m)")
panels[2].legend(
    *[found[-2:] for found in panels[2].get_legend_handles_labels()], loc=(0.02, 0.2), fontsize=9
)
plt.show()

# %% [markdown]
# **Figure 2.** Left, the crude points of the example. Middle, the crude point of the plank is far
# from the post, while the engine's two points (green) are on it. Right, the crude point jumps as
# the crate tilts; the engine's points stay at $\pm0.5$ m and change their depths only (area of the
# dots).

# %%
assert far_end[0] > 0.5 + 1.5  # more than 1.5 m beside the post
assert np.all(abs(resting.points[:, 0]) < 0.51)  # on the post
assert {len(hit.points) for hit, _ in rocking} == {1, 2}
x = np.array(x)
assert np.abs(np.diff(x)).max() > 0.45  # jumps
points = np.array([hit.points[:, 0] for hit, _ in rocking if len(hit.points) == 2])
assert np.ptp(points, axis=0).max() < 1e-3

# %% [markdown]
# ## 3. The best edges
#
# Two touching edges share more than one point. So the better rule looks for **edges**. In each
# shape take the deepest vertex, and of its two edges the one that is more nearly at right angles to
# the normal. These edges face each other.


# %%
def best_edge(ring, direction):
    """Ends (2, 2), counter-clockwise, of the edge that faces the direction."""
    k, count = np.argmax(ring @ direction), len(ring)
    two = [ring[[k - 1, k]], ring[[k, (k + 1) % count]]]
    slope = [abs((end - start) @ direction) / np.hypot(*(end - start)) for start, end in two]
    return two[np.argmin(slope)]


edges = best_edge(A, n), best_edge(B, -n)
slopes = [abs((end - start) @ n) / np.hypot(*(end - start)) for start, end in edges]

fig, ax = plt.subplots(num="04-3 best edges", figsize=(7, 5))
draw_example(ax)
for ring, edge, side, color, name in ((A, edges[0], n, BLUE, "A"), (B, edges[1], -n, OCHRE, "B")):
    deepest = ring[np.argmax(ring @ side)]
    ax.plot(*deepest, "o", ms=9, color=color, mec="black", label=f"deepest vertex of {name}")
    ax.plot(*edge.T, color=color, lw=4, label=f"best edge of {name}")
arrow(ax, (0.3, -1.5), n, RED, "normal")
ax.set(ylim=(-2.3, 3.4))
ax.legend(loc="upper left", fontsize=9)
plt.show()

# %% [markdown]
# **Figure 3.** The deepest vertices (dots) and the best edges (thick) of the blue and the ochre
# shape. These two edges face each other along the vermilion normal.

# %%
assert np.array_equal(edges[0], [(3, 0), (-1, 0)])
assert np.array_equal(edges[1], [(1.5, -0.333), (3.5, -1.666)])
assert np.isclose(slopes[0], n[0])
assert slopes[1] < 1e-12  # the MTV is a normal of this edge

# %% [markdown]
# ## 4. Reference and incident edge
#
# Of the two edges, the one at right angles to the normal is the **reference** edge: it belongs to
# the shape that owns the axis. The other one is the **incident** edge. In
# our example the reference is $B$'s. The engine calls this *flipped*.
#
# (If both are nearly at right angles, one of them has to be favoured, or the choice flickers:
# lesson 03.)

# %%
trace = geometry.clip(p2.Polygon(A), p2.Polygon(B))
print(trace)
reference, incident = (edges[1], edges[0]) if slopes[1] < slopes[0] else edges
assert trace.flipped
assert np.array_equal(trace.reference_edge, reference)
assert np.array_equal(trace.incident_edge, incident)

fig, ax = plt.subplots(num="04-4 reference and incident", figsize=(7, 5))
draw_example(ax)
ax.plot(*reference.T, color=RED, lw=4, label="reference edge")
ax.plot(*incident.T, "--", color=GREEN, lw=4, label="incident edge")
arrow(ax, reference.mean(axis=0), -n, RED, "outward normal of the reference")
ax.set(ylim=(-2.3, 3.4))
ax.legend(loc="upper left", fontsize=9)
plt.show()

# %% [markdown]
# **Figure 4.** The edge of $B$ at right angles to the normal is the reference (vermilion), the edge
# of $A$ the incident one (green, dashed). The arrow points out of $B$, towards $A$.

# %% [markdown]
# Drag or turn a shape: when does the other one own the reference edge, and where are two contact
# points left, where one?

# %%
trace.live()

# %% [markdown]
# ## 5. Clipping
#
# Through each end of the reference edge goes a **side plane**, at right angles to the edge. Only
# what lies between the two planes can touch the edge. So the incident edge is cut off at both.
#
# A cut: a point $\mathbf{v}$ is beyond a plane through $\mathbf{p}$ with the outward normal
# $\mathbf{m}$ if $h = (\mathbf{v} - \mathbf{p})\cdot\mathbf{m} > 0$. If the two ends have $h_0 \le
# 0 < h_1$, the second one is moved back to the plane, to the fraction $-h_0/(h_1 - h_0)$ of the
# segment. (I. Sutherland and G. Hodgman, *Reentrant Polygon Clipping*, 1974, do this with all edges
# of a polygon.)
#
# Last, what is *above* the reference edge, outside its shape, does not touch and is dropped.


# %%
def cut(segment, point, normal):
    """What is left of a segment (2, 2) behind a plane; no rows if nothing is."""
    h = (segment - point) @ normal
    if np.all(h > 0):
        return segment[:0]
    ends = segment.copy()
    for k in (0, 1):
        if h[k] > 0:
            ends[k] = segment[1 - k] + h[1 - k] / (h[1 - k] - h[k]) * (segment[k] - segment[1 - k])
    return ends


start, end = reference
along = (end - start) / np.hypot(*(end - start))
outward = np.array([along[1], -along[0]])
first = cut(incident, start, -along)
second = cut(first, end, along)
below = second[(second - start) @ outward <= 0]
for ours, engine in zip((incident, first, second, below), trace.stages, strict=True):
    assert np.allclose(sorted(ours.tolist()), sorted(engine.tolist()), atol=1e-12)
assert np.allclose(outward, -n)

# %%
fig, panels = plt.subplots(2, 2, num="04-5 clip lines", figsize=(10, 8.6))
for stage, ax in enumerate(panels.flat):
    plot.clip(trace, ax, stage=stage)
    ax.set(xlim=(-1.4, 5), ylim=(-2.4, 2.4))
    ax.get_legend().remove()
    ax.label_outer()
fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=5)
plt.show()

# %% [markdown]
# **Figure 5.** The incident edge (blue) after each cut. The side planes (dashed) run through the
# ends of the ochre reference edge. Green dots are the ends of what is left, white ones what was cut
# off.

# %% [markdown]
# Only the first plane cuts something here: the incident edge begins at $(3, 0)$, which is between
# the planes, and runs far past the reference edge's other end.
#
# ### A second example
#
# The triangle and the pentagon of lesson 03 are easier to work out by hand. The triangle's base
# runs from $(-0.5, -0.5)$ to $(2.5, -0.5)$. It is at right angles to the normal $(0, -1)$, so it is
# the reference edge. The incident edge is the pentagon's roof, from $(1.5, 0.5)$ to $(-1.2, -0.5)$.
# The side planes are the upright **clip lines** $x = -0.5$ and $x = 2.5$.
#
# The line $x = 2.5$ cuts nothing. The line $x = -0.5$ cuts the roof where it has come down by
# $\tfrac{2.0}{2.7}$ of its 1 m: at $y = 0.5 - 0.7407 = -0.2407$. Both ends are inside the
# triangle's half-plane $y \ge -0.5$, so both stay, with the depths $0.5 + 0.5 = 1$ m and $0.5 -
# 0.2407 = 0.2593$ m.

# %%
triangle = np.array([(4.0, 1), (2, 4), (1, 1)]) - 1.5
pentagon = np.array([(2, -2.5), (2.2, -0.5), (1.5, 0.5), (-1.2, -0.5), (-1, -2.5)])
second_trace = geometry.clip(p2.Polygon(triangle), p2.Polygon(pentagon))
base, roof = np.array([(-0.5, -0.5), (2.5, -0.5)]), np.array([(1.5, 0.5), (-1.2, -0.5)])
kept = cut(cut(roof, base[0], np.array([-1.0, 0])), base[1], np.array([1.0, 0]))
assert not second_trace.flipped  # the reference is the triangle's
assert np.allclose(second_trace.reference_edge, base, atol=1e-12)
assert np.allclose(second_trace.incident_edge, roof, atol=1e-12)
assert np.allclose(kept, [(1.5, 0.5), (-0.5, 0.5 - 2 / 2.7)], atol=1e-12)
assert np.allclose(kept, second_trace.stages[-1], atol=1e-12)
assert np.allclose(second_trace.depths, kept[:, 1] + 0.5, atol=1e-12)

# %%
fig, (left, right) = plt.subplots(1, 2, num="04-6 triangle and pentagon", figsize=(11, 5.6))
plot.clip(second_trace, left, stage=2)
plot.clip(second_trace, right)
for ax in (left, right):
    for x, side in ((-0.5, "right"), (2.5, "left")):
        ax.axvline(x, color=PINK, lw=0.8, ls="--")
        ax.text(x, 2.95, f" x = {x} ".replace("-", "−"), color=PINK, ha=side)
    ax.set(xlim=(-1.8, 3.4), ylim=(-2.8, 3.4))
    ax.label_outer()
    ax.get_legend().remove()
fig.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=4)
plt.show()

# %% [markdown]
# **Figure 6.** The same steps for the triangle (blue) and the pentagon (ochre). Left, the clip line
# $x = -0.5$ shortens the roof. Right, the contact points are midway between the roof and the base.

# %% [markdown]
# ## 6. The points
#
# What is left are the contact points. The depth of each is how far it is below the reference edge.
# The deepest is as deep as the MTV is long. The engine puts the points midway between the two
# surfaces, half of the depth further out. Then it does not matter which one was the reference.

# %%
depths = -(below - start) @ outward
middle = below + 0.5 * depths[:, None] * outward
order = np.argsort(middle[:, 0])
for point, d in zip(below[order], depths[order], strict=True):
    print(f"({point[0]:.4f}, {point[1]:.4f})  depth {d:.4f} m")

fig, ax = plt.subplots(num="04-7 contact points", figsize=(7.6, 5.6))
plot.clip(trace, ax)  # the bar of each depth goes from one surface to the other
ax.legend(loc="upper left", fontsize=9)
plt.show()

# %% [markdown]
# **Figure 7.** Two points are left. The bars show how deep the shapes overlap there, and the
# contact points are at the middle of the bars.

# %%
# The incident edge is y = 0; the side plane through (1.5, -0.333) meets it at:
x = 1.5 - 0.333 * along[1] / along[0]
assert np.allclose(below[order], [(x, 0), (3, 0)], atol=1e-12)
assert np.isclose(depths.max(), depth, rtol=1e-12)
assert np.allclose(middle[order], trace.points, atol=1e-12)
assert np.allclose(depths[order], trace.depths, atol=1e-12)
hit = geometry.collide(p2.Polygon(A), p2.Polygon(B))
assert np.array_equal(hit.points, trace.points)

# %% [markdown]
# All in one function, and a trial against the engine with random polygons. (The engine looks for
# the reference among the axes; here the MTV, which is a normal of some edge, tells it.)


# %%
def contact_points(p, q, mtv):
    """Points midway and depths of two polygons that overlap."""
    n = mtv / np.hypot(*mtv)
    edges = [best_edge(p, n), best_edge(q, -n)]
    slope = [abs((end - start) @ n) / np.hypot(*(end - start)) for start, end in edges]
    (start, end), incident = edges if slope[0] <= slope[1] else edges[::-1]
    along = (end - start) / np.hypot(*(end - start))
    outward = np.array([along[1], -along[0]])
    left = cut(cut(incident, start, -along), end, along)
    depths = -(left - start) @ outward
    return (left + 0.5 * depths[:, None] * outward)[depths >= 0], depths[depths >= 0]


# %%
rng = np.random.default_rng(2)
counts = {1: 0, 2: 0}
for _ in range(300):
    rings = [
        geometry.transform(p2.RegularPolygon(rng.integers(3, 7), 1).vertices, pose)
        for pose in ((0, 0, rng.uniform(0, 6)), (*rng.uniform(-1.5, 1.5, 2), rng.uniform(0, 6)))
    ]
    found = geometry.clip(*map(p2.Polygon, rings))
    if found.kind == "faces":
        points, depths = contact_points(*rings, geometry.mtv(*map(p2.Polygon, rings)))
        counts[len(points)] += 1
        assert np.allclose(sorted(points.tolist()), sorted(found.points.tolist()), atol=1e-9)
        assert np.allclose(sorted(depths), sorted(found.depths), atol=1e-9)
print(f"the same points as the engine's: {counts[1]} pairs with one, {counts[2]} with two")
assert min(counts.values()) > 20

# %% [markdown]
# ### Exercise 2 · When the second point goes
#
# A crate of width $w$ is tilted by $\theta$ on a floor. Its deepest corner is at the depth $d$.
# From which angle on is there only one contact point?

# %% [markdown]
# <details><summary>Answer</summary>
#
# The other corner of the base is higher by $w\sin\theta$, so its depth is $d - w\sin\theta$. It is
# above the floor, and dropped, as soon as $\sin\theta > d/w$. With $d = 1$ cm and $w = 1$ m this
# is about half a degree. Contacts of one and two points are close neighbours. That is why
# solvers also keep points that are *nearly* touching: `geometry.collide(..., margin=0.02)`.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
limit = np.arcsin(0.01)
for theta in np.linspace(0.2, 1.8, 9) * limit:
    height = 0.5 * np.sin(theta) + 0.5 * np.cos(theta) - 0.01  # the lowest corner is at -1 cm
    ground = (p2.Box(9, 2), p2.Box(1, 1), (0, -1, 0), (0, height, theta))
    hit = geometry.collide(*ground)
    assert len(hit.points) == (2 if np.sin(theta) <= 0.01 else 1)
    assert np.isclose(hit.separations.min(), -0.01)
    assert len(geometry.collide(*ground, margin=0.02).points) == 2

# %% [markdown]
# ## 7. Which point is which?
#
# From step to step contact points move, come and go. To know one again, it gets a **feature id**,
# made from the *features* that it comes from: which shape has the reference edge, which edge it is,
# and which vertex of the incident edge was left, or cut to become the point. The engine packs the
# three into one number, `manifold.features`:
#
# | bits | |
# |---|---|
# | 31 | 1 if the reference edge is $B$'s |
# | 16 to 30 | number of the reference edge |
# | 0 to 15 | number of the incident vertex |


# %%
def feature(number):
    """Owner of the reference edge, its number, and the number of the incident vertex."""
    number = int(number)
    return "AB"[number >> 31], number >> 16 & 0x7FFF, number & 0xFFFF


shapes = p2.Polygon(A), p2.Polygon(B)
hit = geometry.collide(*shapes)
names = [feature(number) for number in hit.features]
for name, point in zip(names, hit.points, strict=True):
    print(name, point.round(3))

rings = [shape.parts[0] for shape in shapes]  # counted as in the first (and only) part
for (owner, edge, vertex), end in zip(names, [(-1, 0), (3, 0)], strict=True):
    assert owner == "B"
    assert np.array_equal(rings[1][edge], reference[0])  # where the reference edge starts
    assert np.array_equal(rings[0][vertex], end)  # an end of the lid of A

# %% [markdown]
# Let a hexagon roll over a floor, from edge to edge. While it turns over a corner, this corner's
# point stays where it is. Its id is the same all the time. Its **place in the list** of points is
# not: at first it is the second of two, then it is alone, then the first of two.


# %%
def rolling(theta, sunk=0.08):
    """Pose of a hexagon that has rolled by theta to the right; it turns over vertex 2, 3, ..."""
    k = int(theta // (np.pi / 3))
    corner = geometry.rotate(hexagon.parts[0][[2 + k]], -theta)[0]
    return (*(np.array([0.5 + k, -sunk]) - corner), -theta)


floor, hexagon = p2.Box(20, 2), p2.RegularPolygon(6, 1)
rows = []  # degrees, id, place in the list, x
for theta in np.radians(np.arange(0, 174, 2.0)):
    hit = geometry.collide(floor, hexagon, (0, -1, 0), rolling(theta))
    for place, (number, point) in enumerate(zip(hit.features, hit.points, strict=True)):
        rows.append((np.degrees(theta), number, place, point[0]))
rows = np.array(rows)
ids = np.unique(rows[:, 1])

# %%
fig, (left, right) = plt.subplots(1, 2, num="04-8 feature ids", figsize=(11, 4.4))
for name, color, marker in zip(ids, (BLUE, OCHRE, GREEN, RED), "osD^", strict=True):
    owner, edge, vertex = feature(name)
    mine = rows[rows[:, 1] == name]
    words = f"{owner}, edge {edge}, vertex {vertex}"
    left.plot(*mine[:, [0, 3]].T, marker, ms=4, mfc="none", color=color, label=words)
    right.plot(*mine[:, [0, 2]].T, marker, ms=4, mfc="none", color=color, label=words)
left.set(xlabel="rolled (degrees)", ylabel="x (m)", title="position of each point")
right.set(xlabel="rolled (degrees)", yticks=[0, 1], ylim=(-0.5, 1.5))
right.set(title="its index in the list of points", yticklabels=["first", "second"])
for ax in (left, right):
    ax.set_xticks(range(0, 181, 60))
    ax.grid(axis="x", alpha=0.3)
handles = left.get_legend_handles_labels()
fig.legend(*handles, title="feature id", loc="outside lower center", ncols=4)
plt.show()

# %% [markdown]
# **Figure 8.** A hexagon rolls. Left, each id stays at one position while the hexagon turns over
# its vertex. Right, its index in the list changes meanwhile: the ids tell points apart, the indices
# do not.

# %%
middle = rows[rows[:, 1] == ids[1]]  # the corner of the first turn
assert set(middle[:, 2]) == {0, 1}
turning = middle[(middle[:, 0] < 60)]
assert np.ptp(turning[:, 3]) < 0.08  # it stays, up to its path through the sunk corner
assert list(np.unique(rows[:, 1] // 2**16)) == [rows[0, 1] // 2**16]  # one reference: the lid

# %% [markdown]
# ## 8. What the ids are good for
#
# Lesson 05 computes the impulses of contacts by iteration: contact by contact, again and again. It
# takes many passes from nothing, but next to none if one begins with the impulses of the **last
# step**. This is called *warm starting* (E. Catto, *Iterative Dynamics with Temporal Coherence*,
# 2005). But the last impulse must get to the **same point**.
#
# A tower that leans shows how much this matters. Its base is 0.4 m wide, its centre of mass is 4 cm
# from the right end. By the law of the lever the right point carries nine tenths of the weight:
#
# $$j_r = \frac{x_s - x_l}{x_r - x_l}\,m g\,\Delta t .$$
#
# The method of lesson 05 for these two points, with a start of our choice:


# %%
TOWER = p2.Polygon([(0, 0), (0.4, 0), (0.72, 3), (0.32, 3)])  # 1 kg
MASS, CENTER, INERTIA = TOWER.mass_properties(1 / TOWER.area)


def iterate(x, start, passes):
    """Impulses of two points under the tower, at these x, after each pass; no friction."""
    arm = np.asarray(x) - CENTER[0]
    total = np.array(start, float)
    v, w = -G * DT + total.sum() / MASS, (arm * total).sum() / INERTIA
    rows = []
    for _ in range(passes):
        for i in range(2):
            k = 1 / MASS + arm[i] ** 2 / INERTIA
            new = max(total[i] - (v + w * arm[i]) / k, 0)
            v += (new - total[i]) / MASS
            w += arm[i] * (new - total[i]) / INERTIA
            total[i] = new
        rows.append(total.copy())
    return np.array(rows)


# %%
PASSES = 30
world = p2.World((0, -G), solver="sequential_impulses", sleeping=False, iterations=PASSES)
world.add_body(p2.Box(8, 2), (0, -1), kind="static", friction=0)
world.add_body(TOWER, friction=0, mass=1)


def engine_passes():
    """x of the points, and their impulses after each iteration of the next step."""
    stages = list(world.stages(DT))
    (points,) = (stage.contacts["point"] for stage in stages if stage.name == "manifolds")
    rows = [stage.normal_impulses for stage in stages if stage.name == "iteration"]
    return points[:, 0], np.array(rows)


x, cold = engine_passes()
world.step(DT, n=5)
_, warm = engine_passes()
right = x > 0.2
exact = np.where(right, CENTER[0] / 0.4, 1 - CENTER[0] / 0.4) * MASS * G * DT
ours = {
    "nothing": iterate(x, [0, 0], PASSES),
    "the same point": iterate(x, exact, PASSES),
    "the other point": iterate(x, exact[::-1], PASSES),
}

# %% [markdown]
# The error shrinks by the same factor in each pass. For two points with the inverse effective
# masses $k_1, k_2$ and the coupling $k_{12} = 1/m + x_1 x_2/I$ it is $k_{12}^2 / (k_1 k_2)$, where
# the $x_i$ are the arms. Impulses that have got to the **wrong** point are a worse start than none.
# (Errors below $10^{-9}$ are drawn there. The engine's end at the digits of single precision.)

# %%
arm = x - CENTER[0]
k1, k2 = 1 / MASS + arm**2 / INERTIA
rate = (1 / MASS + arm.prod() / INERTIA) ** 2 / (k1 * k2)
weight = MASS * G * DT
passes = np.arange(1, PASSES + 1)
fig, ax = plt.subplots(num="04-9 warm starting", figsize=(7.6, 4.8))
styles = {"nothing": (BLUE, "-"), "the other point": (RED, "--"), "the same point": (GREEN, "-.")}
error = {name: abs(rows - exact).max(axis=1) / weight for name, rows in ours.items()}
for name, (color, style) in styles.items():
    shown = np.maximum(error[name], 1e-9)
    ax.semilogy(passes, shown, style, color=color, label=f"NumPy, start: {name}")
for rows, marker, color, name in ((cold, "o", BLUE, "cold"), (warm, "s", GREEN, "warm")):
    off = np.maximum(abs(rows - exact).max(axis=1) / weight, 1e-9)
    ax.semilogy(passes, off, marker, ms=4, color=color, label=f"engine, {name}")
ax.set(xlabel="pass", ylabel="error / weight", ylim=(5e-10, 3))
ax.legend(loc=(0.62, 0.32), fontsize=9)
plt.show()

# %% [markdown]
# **Figure 9.** From nothing (blue) each pass gains the same factor. Impulses that were given to the
# other point (vermilion) start worse than that. With the right impulses (green) the first pass is
# exact, up to rounding.

# %%
assert np.isclose(CENTER[0], 0.36)
assert np.allclose(exact[right], 0.9 * weight)
assert np.allclose(cold, ours["nothing"], atol=1e-5 * weight)  # the engine's are float32
assert abs(warm - exact).max() < 1e-3 * weight  # right from the first pass
assert np.isclose((error["nothing"][20] / error["nothing"][10]) ** 0.1, rate, rtol=1e-6)
assert np.all(error["the other point"] > error["nothing"])
print(f"factor {rate:.3f}: one digit takes {np.log(0.1) / np.log(rate):.0f} passes")

# %% [markdown]
# How does a solver tell which point is the same? The index in the list can mislead: the hexagon
# shows it. So can the nearest old point: a fast body goes further in a step than its points are
# apart. By the feature id it is simple: same id, same impulse.
#
# The engine's own solvers do use the list, but an ordered one. The two points of a contact are
# sorted **along the tangent**, and the first impulse goes to the first point. This survives the one
# thing that changes all ids at once, as the next exercise shows. What it cannot tell is which of
# two points has left: then the other one may begin with the wrong impulse, for one step. A point
# that lifts off has carried nothing before, so this is a cold start and no worse. The ids are there
# for you: `world.contacts["feature"]`.

# %% [markdown]
# ### Exercise 3 · The flip
#
# Two equal crates, one on the other and 30 cm beside it, tilted by 0.0004 rad to the left, then to
# the right. What happens to the reference edge, to the ids, to the points and to their order?

# %% [markdown]
# <details><summary>Answer</summary>
#
# The deepest corner is now one of the upper, now one of the lower crate. So the reference edge
# belongs now to the one and now to the other, and all ids change: bit 31 flips, edge and vertex
# swap their roles. A match by id alone starts cold. Yet the points move by less than a millimetre,
# and their order along the contact's tangent stays, because it does not depend on which one is the
# reference. Favouring one of them (lesson 03) makes flips rare; the order makes them harmless.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
crate = p2.Box(1, 1)
left, right = (
    geometry.collide(crate, crate, pose_b=(0.3, 0.99, tilt)) for tilt in (-0.0004, 0.0004)
)
assert not set(left.features) & set(right.features)
assert {feature(number)[0] for number in (*left.features, *right.features)} == {"A", "B"}
assert np.abs(left.points - right.points).max() < 1e-3
for hit in (left, right):
    tangent = np.array([hit.normal[1], -hit.normal[0]])
    assert np.all(np.diff(hit.points @ tangent) > 0)

# %% [markdown]
# ## References
#
# * D. Sotirov, notebooks on a rigid-body engine in Python: both clipping examples.
# * R. Gaul, posts on custom engines: manifolds.
# * I. Sutherland, G. Hodgman, *Reentrant Polygon Clipping*, 1974.
# * E. Catto, *Iterative Dynamics with Temporal Coherence*, 2005.
# * C. Ericson, *Real-Time Collision Detection*, 2004.
