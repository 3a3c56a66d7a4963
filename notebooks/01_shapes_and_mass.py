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
# # 01 · Shapes and mass
#
# **Learning goal.** You can compute the area, the centroid and the second moment of any polygon by
# cutting it into triangles with signs. You can say how they become the mass and the inertia of a
# body, and what these do when a force acts.
#
# **You need** vectors and a little NumPy.
#
# A rigid body is a shape with a mass. The laws of motion need three properties of the shape: its
# area, its centroid and its second moment. One method gives all three, for any polygon.

# %%
import matplotlib.pyplot as plt
import numpy as np

import pyphys2d as p2
from pyphys2d import geometry, plot

# The colours of Okabe and Ito (2008), which colour-blind eyes can tell apart.
BLUE, SKY, ORANGE, GREEN = "#0072b2", "#56b4e9", "#e69f00", "#009e73"
RED, PINK, GREY = "#d55e00", "#cc79a7", "#6e6e6a"
plt.rcParams["figure.constrained_layout.use"] = True
plt.rcParams["axes.grid"] = True
plt.rcParams["grid.alpha"] = 0.3
plt.rcParams["axes.axisbelow"] = True
ARROWS = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.01, "zorder": 4}


# %%
def arrow_key(ax, color, label):
    """An arrow in the legend."""
    ax.plot([], [], color=color, ls="none", marker=r"$\rightarrow$", ms=14, label=label)


def draw(ax, vertices, label=None, color=BLUE, face=None):
    """A polygon: its outline as a line, and a light face."""
    ring = np.concatenate([vertices, vertices[:1]])
    ax.fill(*ring.T, color=face or color, alpha=0.15, linewidth=0)
    ax.plot(*ring.T, color=color, label=label)
    ax.set(aspect="equal", xlabel="x (m)", ylabel="y (m)")


# %% [markdown]
# ## 1. Perpendiculars
#
# A vector $\mathbf{v} = (x, y)$ of the plane has two perpendiculars of the same length: turned to
# the left it is $(-y, x)$, turned to the right $(y, -x)$. No angle and no sine is needed.
#
# The **cross product** of two vectors is a number,
# $\mathbf{a}\times\mathbf{b} = a_x b_y - a_y b_x$: the scalar product of $\mathbf{b}$ with the left
# perpendicular of $\mathbf{a}$. It is positive when $\mathbf{b}$ points to the left of
# $\mathbf{a}$, negative to the right, zero when both lie on a line. Its size is the area of the
# parallelogram on $\mathbf{a}$ and $\mathbf{b}$.
#
# We list the vertices of a polygon **counter-clockwise**. Then the inside is to the left of each
# edge, and the right perpendicular points outwards. Divided by its length it is the outward
# **normal** of the edge.


# %%
def left_of(v):
    return np.stack([-v[..., 1], v[..., 0]], axis=-1)


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def outward(vertices):
    """Unit outward normals; slot i is that of the edge from vertex i to vertex i + 1."""
    edges = np.roll(vertices, -1, axis=0) - vertices
    return -left_of(edges) / np.hypot(*edges.T)[:, None]


house = np.array([(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)], float)
v = np.array([3.0, 1.0])
assert left_of(v) @ v == 0
assert np.array_equal(geometry.edges(house), np.roll(house, -1, axis=0) - house)
assert np.allclose(geometry.normals(house), outward(house), rtol=1e-15)
assert np.allclose(outward(house)[1], [np.sqrt(0.5), np.sqrt(0.5)])

# %%
fig, (left, right) = plt.subplots(1, 2, num="01-1 perpendiculars", figsize=(9.5, 4.6))
left.quiver(0, 0, *v, color=BLUE, **ARROWS)
left.quiver(0, 0, *left_of(v), color=GREEN, **ARROWS)
left.quiver(0, 0, *-left_of(v), color=RED, **ARROWS)
left.text(1.9, 1.2, "v = (3, 1)", color=BLUE, fontsize=12)
left.text(-0.8, 3.1, "left: (−1, 3)", color=GREEN, fontsize=12)
left.text(1.2, -3.1, "right: (1, −3)", color=RED, fontsize=12)
left.set(xlim=(-3.5, 4.5), ylim=(-4, 4), aspect="equal", xlabel="x (m)", ylabel="y (m)")
left.set_title("a vector and its perpendiculars")
draw(right, house, "house")
middles = house + 0.5 * geometry.edges(house)
right.quiver(*middles.T, *(0.7 * geometry.normals(house)).T, color=RED, **ARROWS)
for number, vertex in enumerate(house):
    at = vertex + 0.2 * (house.mean(axis=0) - vertex)
    right.text(*at, str(number), ha="center", va="center")
right.set(xlim=(-0.5, 4.5), ylim=(-0.2, 4.8), title="outward normals, 0.7 m long")
plt.show()

# %% [markdown]
# **Figure 1.** Left, a blue vector with its left perpendicular in green and its right one in
# vermilion: equal lengths, no angle computed. Right, the right perpendiculars of the edges point
# out of the counter-clockwise house.

# %% [markdown]
# ## 2. Area
#
# Take the origin $O$ and one edge from $\mathbf{p}_i$ to $\mathbf{p}_{i+1}$. They make a triangle
# with the area $\frac12\,\mathbf{p}_i\times\mathbf{p}_{i+1}$. It counts as **positive** if the edge
# goes counter-clockwise around $O$ and **negative** if it goes clockwise. The sum over all edges,
#
# $$A = \tfrac12\sum_i \mathbf{p}_i\times\mathbf{p}_{i+1},$$
#
# is the area of the polygon. What lies between $O$ and the polygon is covered by a positive
# triangle of a far edge and a negative one of a near edge, and cancels. Surveyors know this as the
# *shoelace formula*, for the pattern of the products.


# %%
def triangles(vertices):
    """Signed areas of the triangles from the origin to each edge."""
    return 0.5 * cross(vertices, np.roll(vertices, -1, axis=0))


print(triangles(house), "sum:", triangles(house).sum())
assert np.array_equal(triangles(house), [3, 3, 1, -1, -1])
assert triangles(house).sum() == geometry.area(house) == p2.Polygon(house).area == 5.0

# %%
fig, panels = plt.subplots(1, 2, num="01-2 the shoelace triangles", figsize=(10, 6), sharey=True)
for ax, positive in zip(panels, (True, False), strict=True):
    draw(ax, house, "house", color="black", face=GREY)
    for i, share in enumerate(triangles(house)):
        if (share > 0) == positive:
            corners = np.array([(0, 0), house[i], house[(i + 1) % 5]])
            color = BLUE if positive else RED
            style = {"facecolor": color + "40", "hatch": None if positive else "//"}
            ax.fill(*corners.T, edgecolor=color, lw=1.5, label=f"edge {i}", **style)
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
            sign = "+" if positive else "−"
            number = f"{sign}{abs(share):.0f}"
            ax.text(*corners.mean(axis=0), number, ha="center", va="center", bbox=box)
    ax.set(xlim=(-0.3, 4.3), ylim=(-0.3, 4.3))
    ax.plot(0, 0, "ko")
    ax.annotate("O", (0, 0), (9, -4), textcoords="offset points")
panels[0].set_title("counter-clockwise: +7 m²")
panels[1].set_title("clockwise: −2 m²")
panels[1].set_ylabel("")
plt.show()

# %% [markdown]
# **Figure 2.** Left, the three positive triangles (blue) cover the house and a part outside. Right,
# the two negative triangles (vermilion, hatched) cover exactly that part. So 7 m² − 2 m² = 5 m²
# remain for the house.

# %% [markdown]
# A triangle needs no new rule. We compare with what school says: half of base times height.

# %%
triangle = np.array([(4, 1), (2, 4), (1, 1)], float)
base = triangle[0] - triangle[2]
foot = triangle[2] + geometry.project(triangle[1] - triangle[2], base)
height = triangle[1] - foot

fig, ax = plt.subplots(num="01-3 a triangle", figsize=(6, 5))
draw(ax, triangle, "triangle")
ax.plot(*np.array([foot, triangle[1]]).T, "--", color=RED, label="height")
ax.plot(*triangle[[2, 0]].T, color=GREEN, lw=3, label="base")
ax.text(*(foot + (0.1, 1.2)), f"{np.hypot(*height):g} m", color=RED, fontsize=12)
ax.text(2.5, 0.7, f"{np.hypot(*base):g} m", color=GREEN, fontsize=12, ha="center")
ax.set(xlim=(0.5, 4.5), ylim=(0.5, 4.5), title="½ · 3 m · 3 m = 4.5 m²")
ax.legend(loc="upper right")
plt.show()

assert 0.5 * np.hypot(*base) * np.hypot(*height) == 4.5
assert triangles(triangle).sum() == geometry.area(triangle) == 4.5
far = triangle + (100, -70)  # the origin may be anywhere
assert np.isclose(triangles(far).sum(), 4.5, rtol=1e-12)

# %% [markdown]
# **Figure 3.** The signed triangles of the formula give the same 4.5 m² as half the base (green)
# times the height (vermilion, dashed).

# %% [markdown]
# ### Exercise 1 · The other way round
#
# What does the formula give for the house with its vertices in the opposite order? And for the
# figure eight $(0,0)\,(2,2)\,(2,0)\,(0,2)$, whose edges cross? Which functions of
# `pyphys2d.geometry` tell you that something is odd, and what does `p2.Polygon` do?

# %% [markdown]
# <details><summary>Answer</summary>
#
# Every triangle changes its sign: $-5$. `geometry.signed_area` and `geometry.winding` show the
# order, `geometry.area` does not care. `Polygon` takes either order and keeps it
# counter-clockwise. The two halves of the eight are walked around in opposite senses, so
# the sum is zero. A `Polygon` that crosses itself is an error, and the message names the vertex.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
assert triangles(house[::-1]).sum() == geometry.signed_area(house[::-1]) == -5
assert geometry.area(house[::-1]) == 5
assert geometry.winding(house[::-1]) == -1
assert np.array_equal(geometry.normals(house[::-1])[0], geometry.normals(house)[3])  # still outward
assert geometry.winding(p2.Polygon(house[::-1]).vertices) == 1
eight = np.array([(0, 0), (2, 2), (2, 0), (0, 2)], float)
assert triangles(eight).sum() == 0
try:
    p2.Polygon(eight)
except ValueError as error:
    print(error)
else:
    raise AssertionError("a figure eight is no polygon")

# %% [markdown]
# ## 3. Centroid
#
# The **centroid** $\mathbf{c}$ is the mean position of the area. A sheet of card that is supported
# there stays level. A triangle's centroid (its *barycentre*) is the mean of its corners. For our
# triangles one corner is the origin, so it is $\frac13(\mathbf{p}_i + \mathbf{p}_{i+1})$.
# The polygon's centroid is the mean of these, weighted with the signed areas $A_i$:
#
# $$\mathbf{c} = \frac1A\sum_i A_i\,\frac{\mathbf{p}_i+\mathbf{p}_{i+1}}{3}.$$
#
# It is in general *not* the mean of the vertices.


# %%
def barycentres(vertices):
    return (vertices + np.roll(vertices, -1, axis=0)) / 3


def centroid(vertices):
    share = triangles(vertices)
    return share @ barycentres(vertices) / share.sum()


pentagon = np.array([(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)])
c = centroid(pentagon)
print("centroid", c, "mean of the vertices", pentagon.mean(axis=0))
assert np.isclose(geometry.area(pentagon), 8.1, rtol=1e-15)
assert np.allclose(c, (0.56995885, 0.2962963), atol=5e-9)  # as many digits as are given
assert np.allclose(geometry.centroid(pentagon), c, rtol=1e-14)
assert np.hypot(*(pentagon.mean(axis=0) - c)) > 0.1

# %% [markdown]
# A body turns around its centroid. So we shift the shape until its centroid is the origin of its
# own frame. `p2.Polygon(vertices, recenter=True)` does this when the shape is made.

# %%
shape = p2.Polygon(pentagon, recenter=True)
assert np.allclose(shape.vertices, pentagon - c, atol=1e-15)
assert np.allclose(centroid(pentagon - c), 0, atol=1e-15)
assert np.allclose(shape.centroid, 0, atol=1e-15)

fig, panels = plt.subplots(1, 2, num="01-4 shifted by the centroid", figsize=(10, 4.6), sharey=True)
for ax, ring, name in zip(panels, (pentagon, shape.vertices), ("before", "after"), strict=True):
    draw(ax, ring, "5-gon")
    ax.plot(0, 0, "+", color="black", ms=24, mew=1.5, label="origin", ls="none")
    ax.plot(*geometry.centroid(ring), "*", color=RED, ms=12, label="centroid", ls="none")
    ax.set(xlim=(-2.5, 2.5), ylim=(-1.8, 2.4), title=f"{name} the shift")
panels[0].quiver(*c, *-c, color=BLUE, **ARROWS | {"width": 0.007})
arrow_key(panels[0], BLUE, "shift")
panels[0].legend(loc="upper left", fontsize=9)
panels[1].set_ylabel("")
plt.show()

# %% [markdown]
# **Figure 4.** The blue arrow takes the centroid (star) to the origin (cross). After the shift both
# coincide; the shape itself is unchanged.

# %% [markdown]
# Here are the triangles of the 5-gon with their barycentres. The area of each
# dot is proportional to that of its triangle. The centroid is the point at which they balance.

# %%
share, points = triangles(pentagon), barycentres(pentagon)

fig, ax = plt.subplots(num="01-5 triangles and barycentres", figsize=(7.4, 5))
draw(ax, pentagon, "5-gon")
for vertex in pentagon:
    ax.plot(*np.array([(0, 0), vertex]).T, color=GREY, lw=0.8)
ax.scatter(*points.T, s=250 * share, color=ORANGE, edgecolor="black", zorder=3)
ax.plot(*points.T, ".", color="black", zorder=4, label="barycentres")
for area, point in zip(share, points, strict=True):
    ax.annotate(f"{area:.2f} m²", point, (0, 15), textcoords="offset points", ha="center")
ax.plot(*c, "*", color=RED, ms=16, label="centroid", zorder=5)
ax.set(xlim=(-1.6, 4), ylim=(-1.4, 2.4), title=f"{share.sum():.1f} m² in five triangles")
ax.legend(loc="upper right")
plt.show()

assert (share > 0).all()  # the origin lies inside
assert np.allclose(share @ (points - c), 0, atol=1e-14)  # they balance

# %% [markdown]
# **Figure 5.** Five triangles from the origin with their barycentres. The centroid lies nearer to
# the large dots: it is their mean, weighted by area.

# %% [markdown]
# When the origin lies outside, some triangles are negative. They count with
# the opposite sign, and the formula holds unchanged. A 6-gon that stands away from the origin:

# %%
hexagon = np.array([(3, 1), (3, 2), (2.2, 3), (1.5, 3), (0.8, 2), (1, 1)]) + 2.5
middle = centroid(hexagon)
assert np.allclose(middle, (4.42065728, 4.37793427), atol=5e-9)
assert np.allclose(geometry.centroid(hexagon), middle, rtol=1e-14)
assert np.isclose(geometry.area(hexagon), 3.55, rtol=1e-14)

share, points = triangles(hexagon), barycentres(hexagon)
fig, ax = plt.subplots(num="01-6 centroid of the 6-gon", figsize=(7, 6))
draw(ax, hexagon, "6-gon")
for vertex in hexagon:
    ax.plot(*np.array([(0, 0), vertex]).T, color=GREY, lw=0.6)
for sign, color, marker, name in ((1, GREEN, "o", "positive"), (-1, RED, "s", "negative")):
    these = sign * share > 0
    ax.scatter(*points[these].T, s=90 * abs(share[these]), color=color, marker=marker, label=name)
ax.plot(*middle, "*", color=ORANGE, mec="black", ms=16, label="centroid", ls="none")
ax.plot(0, 0, "k+", ms=14, mew=2)
ax.annotate("origin", (0, 0), (10, -4), textcoords="offset points")
ax.set(xlim=(-0.4, 6), ylim=(-0.4, 6), title="barycentres, sized by their triangles")
ax.legend(loc="upper left", labelspacing=0.8)
plt.show()

# %% [markdown]
# **Figure 6.** The origin lies outside, so the triangles of the near edges are negative (vermilion
# squares). The weighted mean, the orange star, is still the centroid of the 6-gon.

# %% [markdown]
# ### Exercise 2 · A polygon with a hole
#
# A square plate of side 4 m, with its lower left corner at the origin, has a square hole of side
# 1 m with its lower left corner at $(2.5, 2.5)$. Where is its centroid? Use the idea of negative
# areas, then compare with `p2.Polygon(..., holes=[...])`.

# %% [markdown]
# <details><summary>Answer</summary>
#
# The hole is a polygon that runs clockwise: its area counts $-1$. So
# $\mathbf{c} = (16\cdot(2,2) - 1\cdot(3,3))/15 = (29/15, 29/15)$. It moves away from the hole.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
plate, hole = 4 * square, square + 2.5
both = 16 * centroid(plate) - 1 * centroid(hole)
assert np.allclose(both / 15, 29 / 15, rtol=1e-15)
assert np.allclose(p2.Polygon(plate, holes=[hole]).centroid, 29 / 15, rtol=1e-14)
assert p2.Polygon(plate, holes=[hole]).area == 15

# %% [markdown]
# ## 4. Second moment
#
# How hard is it to spin a sheet? A small mass $\mathrm dm$ at the distance $r$ from the axis
# counts with $r^2$. The sum $I = \int r^2\,\mathrm dm$ is the **moment of inertia**, in kg m². With
# the density 1 kg/m² it is the *second moment* of the area.
#
# For a triangle with one corner on the axis and sides $\mathbf{a}$ and $\mathbf{b}$ from there,
# the integral over all points $s\mathbf{a} + t\mathbf{b}$ gives
#
# $$I = \frac m6\left(|\mathbf{a}|^2 + |\mathbf{b}|^2 + \mathbf{a}\cdot\mathbf{b}\right).$$
#
# Again the triangles of a polygon are added, with the sign of their area. If we first shift the
# centroid to the origin, we get the moment about the centroid.


# %%
def second_moment(vertices, about=(0, 0)):
    a = vertices - about
    b = np.roll(a, -1, axis=0)
    return triangles(a) @ ((a * a).sum(1) + (b * b).sum(1) + (a * b).sum(1)) / 6


inside = second_moment(hexagon, about=middle)
origin = second_moment(hexagon)
print(f"about the centroid {inside:.10f} m⁴, about the origin {origin:.5f} m⁴")
assert np.isclose(inside, 2.0905066510, rtol=0, atol=5e-11)
assert np.isclose(origin, 139.50575, rtol=1e-13)
assert np.isclose(geometry.second_moment(hexagon), inside, rtol=1e-13)
assert np.isclose(geometry.second_moment(hexagon, about=(0, 0)), origin, rtol=1e-13)
assert np.isclose(p2.Polygon(hexagon).inertia, inside, rtol=1e-13)

# %% [markdown]
# The two numbers belong together. The **parallel axis theorem** (Steiner) says that a moment is
# smallest about the centroid, and that an axis at the distance $d$ from it adds $A\,d^2$:
#
# $$I(\mathbf{p}) = I(\mathbf{c}) + A\,|\mathbf{p}-\mathbf{c}|^2.$$

# %%
offsets = np.linspace(-3, 3, 13)
axes = middle + np.column_stack([offsets, np.zeros(13)])
engine = geometry.second_moment(hexagon, about=axes)
assert np.allclose(engine, inside + 3.55 * offsets**2, rtol=1e-12)
assert np.isclose(origin, inside + 3.55 * middle @ middle, rtol=1e-13)

x = np.linspace(-3, 3, 121)
fig, ax = plt.subplots(num="01-7 parallel axes", figsize=(6.4, 3.6))
ax.plot(x, inside + 3.55 * x**2, color=GREY, label=r"$I(\mathbf{c}) + A\,d^2$")
ax.plot(offsets, engine, "o", color=BLUE, label="second_moment(…, about=…)")
ax.axhline(inside, color=RED, linestyle=":", label=r"$I(\mathbf{c})$")
ax.set(xlabel="axis, to the right of the centroid (m)", ylabel="second moment (m⁴)", ylim=0)
ax.legend(loc="upper center")
plt.show()

# %% [markdown]
# **Figure 7.** The moments that the engine computes about thirteen axes (blue dots) lie on the
# parabola of the theorem. The least of them, at the dotted vermilion line, is the moment about the
# centroid.

# %% [markdown]
# ### Exercise 3 · A printed error
#
# A tutorial on the web prints the second moment of this 6-gon about the origin as
# 315.3639166666666. Find the mistake in its method: which signs give this number? Why does
# the mistake stay hidden as long as the origin lies inside the polygon?

# %% [markdown]
# <details><summary>Answer</summary>
#
# It adds the triangles with $|\mathbf{p}_i\times\mathbf{p}_{i+1}|$, all of them positive. The
# origin lies outside, so the area between it and the polygon counts twice where it should cancel.
# If the origin lies inside a convex polygon, all triangles are positive anyway. So after the shift
# to the centroid both methods agree.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]


def second_moment_without_signs(a):
    b = np.roll(a, -1, axis=0)
    return abs(triangles(a)) @ ((a * a).sum(1) + (b * b).sum(1) + (a * b).sum(1)) / 6


assert np.isclose(second_moment_without_signs(hexagon), 315.3639166666666, rtol=1e-14)
assert np.isclose(second_moment_without_signs(hexagon - middle), inside, rtol=1e-13)
assert np.isclose(second_moment_without_signs(hexagon) / origin, 2.26, atol=0.005)  # wrong by far

# %% [markdown]
# ### Exercise 4 · From the polygon to the circle
#
# A disc of radius $R$ has the area $\pi R^2$ and the inertia $\frac12 m R^2$. Derive the inertia of
# a regular polygon with $n$ corners at the distance $R$ from the formula of the triangle. How many
# corners does it need to be within 1 % of $\frac12 m R^2$?

# %% [markdown]
# <details><summary>Answer</summary>
#
# All $n$ triangles are alike: $|\mathbf{a}| = |\mathbf{b}| = R$ and
# $\mathbf{a}\cdot\mathbf{b} = R^2\cos\alpha$ with $\alpha = 2\pi/n$. So
# $I = \frac m6 R^2(2 + \cos\alpha)$, which goes to $\frac12 mR^2$. It is less by the share
# $\frac13(1-\cos\alpha)$. This is below 0.01 for $\cos\alpha > 0.97$, so for $n \ge 26$.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
mass, _, inertia = p2.Circle(3).mass_properties(density=2)
assert np.isclose(mass, 2 * np.pi * 3**2, rtol=1e-15)
assert np.isclose(inertia, 0.5 * mass * 3**2, rtol=1e-15)
missing = []
for n in range(3, 60):
    mass, _, inertia = p2.RegularPolygon(n, 3).mass_properties(density=2)
    assert np.isclose(inertia, mass * 9 * (2 + np.cos(2 * np.pi / n)) / 6, rtol=1e-12)
    missing.append(1 - inertia / (0.5 * mass * 9))
assert 3 + np.argmax(np.array(missing) < 0.01) == 26

# %% [markdown]
# ## 5. A body and its frame
#
# A body is a shape with a **pose**: a position $(x, y)$ and an angle $\theta$. The shape's vertices
# never change; they are given in the frame of the body. The matrix $M = T\,R$ takes them to the
# world: first turn, then move. As a third coordinate each point gets a 1, so that moving is a
# multiplication as well:
#
# $$M = \begin{pmatrix}1&0&x\\0&1&y\\0&0&1\end{pmatrix}
#       \begin{pmatrix}\cos\theta&-\sin\theta&0\\\sin\theta&\cos\theta&0\\0&0&1\end{pmatrix}.$$
#
# Its inverse takes points of the world into the body's frame. Is the mouse on the body? It is
# easiest to take the *mouse* into the body's frame and to test it there.


# %%
def model_matrix(x, y, angle):
    cos, sin = np.cos(angle), np.sin(angle)
    T = np.array([[1, 0, x], [0, 1, y], [0, 0, 1]])
    R = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    return T @ R


world = p2.World((0, 0))
body = world.add_body(p2.Polygon(house, recenter=True), (5, 2.5), 0.7, density=2)
M = model_matrix(5, 2.5, 0.7)
click = np.array([4.4, 3.4])
local = (np.linalg.inv(M) @ [*click, 1])[:2]
local_house = body.colliders[0].shape.vertices
assert np.allclose(body.transform, M, rtol=1e-14)
assert np.allclose(body.inverse_transform @ M, np.eye(3), atol=1e-15)
assert np.allclose(body.to_local(click), local, atol=1e-15)
assert np.allclose(body.to_world(local), click, atol=1e-15)
assert body.contains(click) == geometry.point_in_polygon(local, local_house)

# %%
fig, (left, right) = plt.subplots(1, 2, num="01-8 two frames", figsize=(10, 4.8))
plot.world(world, left, view=(2.5, 0, 7.5, 5))
left.plot(*click, "X", color=RED, mec="black", ms=11, label="click", ls="none")
left.quiver(*[[5, 5], [2.5, 2.5]], *M[:2, :2], color=[GREEN, ORANGE], **ARROWS)
left.set(title="world", axisbelow=True)
arrow_key(left, GREEN, "x axis of the body")
arrow_key(left, ORANGE, "y axis of the body")
left.legend(loc="upper right", fontsize=9)
draw(right, local_house, "vertices")
right.plot(*local, "X", color=RED, mec="black", ms=11, label="click", ls="none")
right.quiver([0, 0], [0, 0], [1, 0], [0, 1], color=[GREEN, ORANGE], **ARROWS)
right.set(xlim=(-2.5, 2.5), ylim=(-2.5, 2.5), title="frame of the body")
plt.show()

# %% [markdown]
# **Figure 8.** One click in two frames. In the world the house is turned by 0.7 rad; in its own
# frame it stands upright. The click keeps its place relative to the green and the orange axis.

# %% [markdown]
# ## 6. What mass and inertia do
#
# The mass of a body is $m$ = density × area, its inertia $I$ = density × second moment about the
# centroid. A body of the kind `"static"` never moves. It carries 0 for both, which
# stands for *infinite*: what the engine uses are the inverses, and they are 0 as well.
#
# A force $\mathbf{F}$ at a point with the arm $\mathbf{r}$ from the centre of mass gives the
# acceleration $\mathbf{F}/m$, wherever the point is, and the **torque**
# $\tau = \mathbf{r}\times\mathbf{F}$, which turns the body with $\tau/I$. Forces and torques act
# for one step and are cleared. An **impulse** (in N·s) changes the velocity at once.

# %%
assert np.isclose(body.mass, 2 * 5, rtol=1e-15)
assert np.isclose(body.inertia, 2 * geometry.second_moment(house), rtol=1e-14)
ground = world.add_body(p2.Box(1, 1), (20, 0), kind="static")
assert ground.mass == ground.inertia == 0
ground.apply_impulse((1e6, 0))
assert not ground.velocity.any()

DT = 0.01
force, arm = np.array([3.0, 4.0]), np.array([0.5, -1.0])
body.apply_force(force, body.position + arm)
assert np.isclose(world.torques[body.index], cross(arm, force), rtol=1e-14)
world.step(DT)
assert np.allclose(body.velocity, force / body.mass * DT, rtol=1e-12)
assert np.isclose(body.angular_velocity, cross(arm, force) / body.inertia * DT, rtol=1e-12)
assert not world.forces.any()  # cleared
assert not world.torques.any()

before = body.velocity.copy()
body.apply_impulse((0, 5), body.position)
assert np.allclose(body.velocity - before, (0, 5 / body.mass), atol=1e-15)  # no step needed

# %% [markdown]
# ### From forces to positions
#
# A step of length $\Delta t$ first changes the velocity, then the position *with the changed
# velocity*. This is the **semi-implicit Euler** method:
#
# $$\mathbf{v}' = \mathbf{v} + \frac{\mathbf{F}}{m}\Delta t,\qquad
#   \mathbf{x}' = \mathbf{x} + \mathbf{v}'\,\Delta t.$$
#
# The plain Euler method uses the old $\mathbf{v}$ in both. That seems to matter little. A ball on a
# spring, $F = -m\,\Omega^2 x$, shows how much it does.

# %%
OMEGA, DT = 2.0, 0.1  # 1/s and s; a coarse step, so that the eye can see it
world = p2.World((0, 0), substeps=1, sleeping=False)
ball = world.add_body(p2.Circle(0.2), (1, 0))
engine, explicit = [(1.0, 0.0)], [(1.0, 0.0)]
for _ in range(63):  # two rounds
    ball.apply_force(-ball.mass * OMEGA**2 * ball.position)
    world.step(DT)
    engine.append((ball.position[0], ball.velocity[0]))
    x, speed = explicit[-1]
    explicit.append((x + speed * DT, speed - OMEGA**2 * x * DT))
engine, explicit = np.array(engine), np.array(explicit)

turn = np.linspace(0, 2 * np.pi, 200)
fig, ax = plt.subplots(num="01-9 two ways to step", figsize=(6.6, 6))
ax.plot(np.cos(turn), -np.sin(turn), color="black", lw=1, zorder=3, label="exact")
ax.plot(explicit[:, 0], explicit[:, 1] / OMEGA, "s-", ms=3, lw=0.7, color=RED, label="plain Euler")
ax.plot(engine[:, 0], engine[:, 1] / OMEGA, "o", ms=6, mfc="none", color=BLUE, label="engine")
ax.set(xlabel="position (m)", ylabel=r"velocity / $\Omega$ (m)", aspect="equal")
ax.legend(loc="lower right", fontsize=9)
plt.show()

# %% [markdown]
# **Figure 9.** Position and velocity of the ball in two oscillations. The true motion is the black
# circle. Plain Euler (vermilion) spirals outwards; the engine (blue circles) stays on an ellipse
# close to the true motion.

# %% [markdown]
# Plain Euler gains energy: each step multiplies $v^2 + \Omega^2x^2$ by $1 + \Omega^2\Delta t^2$.
# The semi-implicit method keeps $v^2 + \Omega^2x^2 - \Omega^2\Delta t\,x\,v$ *exactly*, apart from
# rounding. (Put the two formulas in, and it comes out.) That is the equation of a slightly slanted
# ellipse, and the ball stays on it for ever.

# %%
x, speed = engine.T
kept = speed**2 + OMEGA**2 * x**2 - OMEGA**2 * DT * x * speed
assert np.allclose(kept, OMEGA**2, rtol=1e-12)
x, speed = explicit.T
grown = (speed**2 + OMEGA**2 * x**2) / OMEGA**2
assert np.allclose(grown, (1 + OMEGA**2 * DT**2) ** np.arange(64), rtol=1e-12)

# %% [markdown]
# ### Exercise 5 · Air
#
# Games often brake everything that flies with a simple rule: in each step the velocity loses
# $k\,\Delta t$ times itself, where a velocity longer than 1 m/s counts as one of 1 m/s in its
# direction. (So the velocity loses `clamp_magnitude(v, 1) * k * dt`.) With $k = 2$, how long does
# a body take from 5 m/s to 1 m/s? How does it go on? Write the rule with `world.velocities`, and
# compare with `world.add_drag(clamped=2)`.

# %% [markdown]
# <details><summary>Answer</summary>
#
# Above 1 m/s it brakes with $k\cdot 1\,\mathrm{m/s} = 2$ m/s², so 2 seconds. The mean speed in this
# time is 3 m/s: 6 m. Below 1 m/s each step multiplies the velocity by $1 - k\,\Delta t$, which is
# nearly $e^{-k\,\Delta t}$. It creeps on for ever, but not far: $v/k$ = 0.5 m.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]


def brake(world, k, dt):
    v = world.velocities
    v -= v / np.maximum(np.hypot(v[:, :1], v[:, 1:]), 1) * k * dt  # the view writes into the world


def fly(dt=1 / 128, drag=0.0):
    """Speeds of five seconds, and the distance that was flown in them."""
    world = p2.World((0, 0), sleeping=False)
    world.add_drag(clamped=drag)
    flyer, speeds = world.add_body(p2.Circle(0.5), velocity=(3, 4)), []
    for _ in range(round(5 / dt)):
        if not drag:
            brake(world, 2, dt)
        world.step(dt)
        speeds.append(np.hypot(*flyer.velocity))
    return np.array(speeds), np.hypot(*flyer.position)


speeds, path = fly()
assert np.allclose(speeds[:256], 5 - 2 * np.arange(1, 257) / 128, rtol=1e-12)
assert np.allclose(speeds[256:], (1 - 2 / 128) ** np.arange(1, 385), rtol=1e-12)
assert abs(path - 6 - 0.5 * (1 - np.exp(-6))) < 5 / 128  # what is flown in one step
assert np.allclose(fly(drag=2)[0], speeds, rtol=1e-12)

# %% [markdown]
# ## References
#
# * D. Sotirov, notebooks on a rigid-body engine in Python: the house, the 5-gon and the 6-gon.
# * T. Novelli, *DIY 2D Vector Physics*, 2015.
# * J. O'Rourke, *Computational Geometry in C*, 2nd edition, 1998: areas and centroids by signed
#   triangles.
# * H. Goldstein, *Classical Mechanics*, 2nd edition, 1980: moments of inertia and the parallel axis
#   theorem.
# * E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical Integration*, 2nd edition, 2006: the
#   semi-implicit Euler method.
