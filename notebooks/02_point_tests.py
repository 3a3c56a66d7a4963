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
# # 02 · Point tests
#
# **Learning goal.** You can decide whether a point is in a circle, a box, or any polygon, and where
# lines, rays and segments meet. You can say why the obvious test by a ray fails at the height of a
# vertex, how one comparison cures it, and what rounding does to points near an edge.
#
# **You need** vectors, the cross product of lesson 01, and a little NumPy.
#
# Is the mouse on the button? Is the ball in the goal, the ship on land? Games ask such questions
# thousands of times in each step. Each answer is *yes* or *no*; "nearly" is no answer.

# %%
import time

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from pyphys2d import geometry

# The colours of Okabe and Ito (2008), which colour-blind eyes can tell apart.
BLUE, SKY, ORANGE, GREEN = "#0072b2", "#56b4e9", "#e69f00", "#009e73"
RED, PINK, GREY = "#d55e00", "#cc79a7", "#6e6e6a"
plt.rcParams["figure.constrained_layout.use"] = True


def marks(ax, points, yes, names=("inside", "outside"), size=3):
    """Points with the answer yes as dots, the others as small crosses."""
    ax.plot(*points[yes].T, "o", ms=size, color=BLUE, label=names[0])
    ax.plot(*points[~yes].T, "x", ms=size, mew=0.8, color=RED, label=names[1])
    ax.set(aspect="equal", xlabel="x (m)", ylabel="y (m)")


def outline(ax, vertices, **style):
    ring = np.concatenate([vertices, vertices[:1]])
    ax.plot(*ring.T, **{"color": "black", "lw": 1.2} | style)


# %% [markdown]
# ## 1. Circles: compare squares
#
# A point $\mathbf{p}$ is in the circle with the centre $\mathbf{c}$ and the radius $r$ if its
# distance from $\mathbf{c}$ is at most $r$. Distances need a square root, but both sides are
# positive, so we may compare their squares:
#
# $$(p_x - c_x)^2 + (p_y - c_y)^2 \le r^2.$$
#
# This is faster, and for small whole numbers it is free of rounding. The boundary counts as inside.
#
# The functions of `pyphys2d.geometry` take one point or an array of points; the answers come in an
# array of the same form.

# %%
rng = np.random.default_rng(2)
points = rng.uniform((-2, -1.5), (2, 1.5), (1500, 2))
center, radius = np.array([0.4, 0.1]), 1.2
offset = points - center
inside = (offset**2).sum(axis=1) <= radius**2
assert np.array_equal(geometry.point_in_circle(points, center, radius), inside)
assert geometry.point_in_circle((3, 4), (0, 0), 5)  # the boundary

# %%
fig, ax = plt.subplots(num="02-1 points in a circle", figsize=(8, 4.4))
marks(ax, points, inside)
turn = np.linspace(0, 2 * np.pi, 201)
ax.plot(center[0] + radius * np.cos(turn), center[1] + radius * np.sin(turn), "k", label="circle")
reach = np.array([center, center + radius * np.array([0.6, 0.8])])
ax.plot(*reach.T, "o-", color="black", ms=5, lw=2, label="radius")
for words, spot in (("inside", (0.2, -0.3)), ("outside", (1.9, -1.3))):
    color = BLUE if words == "inside" else RED
    ax.plot(*np.array([center, spot]).T, "o--", color=color, ms=8, lw=3, label=f"distance, {words}")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
ax.set_title(f"{inside.sum()} of {len(points)} inside")
plt.show()

# The share of the points is that of the areas, but for chance (three times its usual size).
share = np.pi * radius**2 / (4 * 3)
assert abs(inside.mean() - share) < 3 * np.sqrt(share * (1 - share) / len(points))

# %% [markdown]
# **Figure 1.** Points at most one radius (black) from the centre are blue dots, all others
# vermilion crosses. The dashed lines are the distances of two points: the blue one is shorter than
# the radius, the vermilion one is longer.

# %% [markdown]
# ## 2. Boxes: clamp
#
# A box with sides along the axes has a lower left corner $\mathbf{l}$ and an upper right corner
# $\mathbf{u}$. A point is inside if $l \le p \le u$ in $x$ and in $y$. Two boxes overlap if in
# both $x$ and $y$ none of them begins after the other has ended.
#
# For a circle and a box we ask for the point of the box that is closest to the centre. Each
# coordinate is treated alone: if it is below $l$ it becomes $l$, if it is above $u$ it becomes $u$.
# This is called **clamping**. Then the test of section 1 applies: does the circle hold that point?

# %%
box = np.array([(-1.0, -0.5), (1.0, 0.5)])
centers = np.array([(-1.8, 0.3), (0.3, 1.5), (1.5, 0.9), (1.7, -1.1), (-0.5, -0.2)])
radius = 0.7
closest = np.clip(centers, box[0], box[1])
hits = ((centers - closest) ** 2).sum(axis=1) <= radius**2
assert np.array_equal(geometry.closest_on_aabb(centers, box), closest)
assert np.array_equal(geometry.circle_vs_aabb(centers, radius, box), hits)
assert list(hits) == [False, False, True, False, True]

assert list(geometry.point_in_aabb([(1, 0.5), (1.01, 0)], box)) == [True, False]
assert geometry.aabb_overlap(box, box + (2, 1))  # a common corner is enough
assert not geometry.aabb_overlap(box, box + (2.01, 0))

# %% [markdown]
# The centres of all circles that reach the box make a larger box with round corners. On the right
# we ask the engine about 4,800 circles. Behind the answers is the formula's outline.

# %%
places = np.stack(np.meshgrid(np.arange(-1.975, 2, 0.05), np.arange(-1.475, 1.5, 0.05)), axis=-1)
reaches = geometry.circle_vs_aabb(places, radius, box)

fig, (left, right) = plt.subplots(1, 2, num="02-2 circle and box", figsize=(9.5, 4), sharey=True)
for center, point, hit in zip(centers, closest, hits, strict=True):
    style = {"color": BLUE} if hit else {"color": RED, "linestyle": "--"}
    left.add_patch(plt.Circle(center, radius, fill=False, **style))
    left.plot(*np.array([center, point]).T, **style)
left.plot(*centers.T, "k+", label="centre")
left.plot(*closest.T, "ko", ms=5, label="clamped")
right.imshow(reaches, origin="lower", extent=(-2, 2, -1.5, 1.5), cmap=ListedColormap(["w", SKY]))
corners = [(1, 0.5), (-1, 0.5), (-1, -0.5), (1, -0.5)]
arcs = [c + radius * np.column_stack([np.cos(turn), np.sin(turn)]) for c in corners]
rounded = np.concatenate([arc[50 * k : 50 * k + 51] for k, arc in enumerate(arcs)])
outline(right, rounded, label="formula")
for ax in (left, right):
    outline(ax, np.array(corners), color=GREEN, lw=2.5, label="box")
    ax.set(aspect="equal", xlabel="x (m)", xlim=(-2.7, 2.7), ylim=(-2.1, 2.5))
    ax.legend(loc="lower left")
left.set(ylabel="y (m)", title="blue circles reach the box")
right.set_title("centres of circles that reach it")
plt.show()
whole = 2 * 1 + 2 * (2 + 1) * radius + np.pi * radius**2  # box, four sides, four quarter discs
assert abs(reaches.sum() * 0.05**2 - whole) < 0.005 * whole

# %% [markdown]
# **Figure 2.** Left, each circle with the line from its centre to the clamped point. The circle
# overlaps the green box where that line is at most one radius long (blue, solid). Right, the
# centres of all circles that overlap the box form a box with round corners.

# %% [markdown]
# ### Exercise 1 · Five positions of two circles
#
# Two circles with radii $R \ge r$ have centres at the distance $d$. When are they apart, when do
# they touch from outside, when do their lines cross, when does the smaller one touch from
# *inside*, when does it lie inside without touching? Use squares only. What does
# `geometry.circle_vs_circle` say in each case?

# %% [markdown]
# <details><summary>Answer</summary>
#
# Compare $d^2$ with $(R+r)^2$ and with $(R-r)^2$. Larger than the first: apart. Equal to it:
# touching from outside. Between the two: the lines cross. Equal to the second: touching from
# inside. Less: inside. `circle_vs_circle` means discs: all but *apart* is an overlap.
# </details>


# %% jupyter={"source_hidden": true} tags=["answer"]
def relation(a, big, b, small):
    d2 = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2
    outer, inner = (big + small) ** 2, (big - small) ** 2
    if d2 >= outer:
        return "apart" if d2 > outer else "touching from outside"
    if d2 <= inner:
        return "inside" if d2 < inner else "touching from inside"
    return "crossing"


# (3, 4), (6, 8), (9, 12): distances 5, 10 and 15.
assert relation((0, 0), 8, (9, 12), 5) == "apart"
assert relation((0, 0), 10, (9, 12), 5) == "touching from outside"
assert relation((0, 0), 10, (6, 8), 5) == "crossing"
assert relation((0, 0), 10, (3, 4), 5) == "touching from inside"
assert relation((0, 0), 11, (3, 4), 5) == "inside"
others = [((9, 12), 8), ((9, 12), 10), ((6, 8), 10), ((3, 4), 10), ((3, 4), 11)]
discs = [geometry.circle_vs_circle((0, 0), big, b, 5) for b, big in others]
assert discs == [False, True, True, True, True]

# %% [markdown]
# ## 3. Where lines meet
#
# School writes a line as $y = mx + q$, and then vertical lines are a special case. With vectors
# there is none. The line through $\mathbf{a}$ and $\mathbf{b}$ is
# $\mathbf{a} + r\,(\mathbf{b}-\mathbf{a})$, the one through $\mathbf{c}$ and $\mathbf{d}$ is
# $\mathbf{c} + s\,(\mathbf{d}-\mathbf{c})$. Set them equal and take the cross product with one of
# the directions, which removes one of the unknowns:
#
# $$r = \frac{(\mathbf{c}-\mathbf{a})\times(\mathbf{d}-\mathbf{c})}
#            {(\mathbf{b}-\mathbf{a})\times(\mathbf{d}-\mathbf{c})},\qquad
#   s = \frac{(\mathbf{c}-\mathbf{a})\times(\mathbf{b}-\mathbf{a})}
#            {(\mathbf{b}-\mathbf{a})\times(\mathbf{d}-\mathbf{c})}.$$
#
# If the denominator is zero, the lines are parallel. The parameters tell the rest: a **segment**
# ends at 0 and 1, a **ray** begins at 0 and has no end. So two segments cross where both $r$ and
# $s$ are between 0 and 1.


# %%
def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def meet(a, b, c, d):
    """The parameters r on a-b and s on c-d of the place where the two lines meet."""
    bottom = cross(b - a, d - c)
    return cross(c - a, d - c) / bottom, cross(c - a, b - a) / bottom


pentagon = np.array([(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)])
nexts = np.roll(pentagon, -1, axis=0)
a, b = np.array([-1.6, -1.9]), np.array([3.0, 2.7])
r, s = meet(a, b, pentagon, nexts)
found = a + r[:, None] * (b - a)
on_edge = (s >= 0) & (s <= 1)
print("r", r.round(3), "\ns", s.round(3))
assert np.allclose(geometry.line_intersection(a, b, pentagon, nexts), found, atol=1e-14)
crossing = geometry.segment_intersection(a, b, pentagon, nexts)
assert np.allclose(crossing[on_edge], found[on_edge], atol=1e-14)
assert np.isnan(crossing[~on_edge]).all()  # no crossing is NaN

# %%
fig, ax = plt.subplots(num="02-3 a line and the edges of the 5-gon", figsize=(6.4, 4.8))
outline(ax, pentagon, lw=2.5, label="5-gon")
for p, q in zip(pentagon, nexts, strict=True):
    ax.axline(p, q, color=GREY, lw=0.8, linestyle=":")
ax.plot(*np.array([a, b]).T, color=BLUE, label="line")
ax.plot(*found[on_edge].T, "o", ms=8, color=GREEN, label="on an edge")
ax.plot(*found[~on_edge].T, "s", ms=8, mfc="white", color=RED, label="on a longer edge")
for point, where in zip(found, s, strict=True):
    ax.annotate(
        f"$s = {where:.2f}$", point, (12, -12), textcoords="offset points",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
    )  # fmt: skip
ax.set(aspect="equal", xlim=(-2.5, 4.5), ylim=(-2.2, 3.1), xlabel="x (m)", ylabel="y (m)")
ax.legend(loc="upper left")
plt.show()

# Upright lines are lines like others; parallels do not meet.
assert np.array_equal(geometry.line_intersection((3, 0), (3, 1), (0, 2), (1, 2)), (3, 2))
assert np.isnan(geometry.line_intersection((0, 0), (0, 1), (2, 0), (2, 1))).all()
assert np.array_equal(geometry.ray_vs_segment((0, 0), (1, 0), (4, -1), (4, 1)), (4, 0))
assert np.isnan(geometry.ray_vs_segment((0, 0), (-1, 0), (4, -1), (4, 1))).all()

# %% [markdown]
# **Figure 3.** The blue line meets all five edges or their extensions (grey, dotted). Only the two
# crossings with $0 \le s \le 1$ lie on the polygon itself (green dots).

# %% [markdown]
# ### Exercise 2 · The cannonball
#
# A ball was at $(-4, -1)$ in the last step and is at $(4, 1.4)$ now. Neither place is inside the
# 5-gon. Has the ball hit it, and where first? Write it with `meet`, then use
# `geometry.segment_vs_polygon`. What does that function say of a ball that stays inside?

# %% [markdown]
# <details><summary>Answer</summary>
#
# Test the path of the ball, which is a segment, against each edge, and take the crossing with the
# smallest $r$. This is the simplest form of *continuous collision*: the ball cannot jump over what
# is thinner than its step. A segment that stays inside does not meet the boundary: NaN. So ask
# for the last position as well.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
last, current = np.array([-4.0, -1.0]), np.array([4.0, 1.4])
assert not geometry.point_in_polygon([last, current], pentagon).any()
r, s = meet(last, current, pentagon, nexts)
first = r[(r >= 0) & (r <= 1) & (s >= 0) & (s <= 1)].min()
struck = geometry.segment_vs_polygon(last, current, pentagon)
assert np.allclose(struck, last + first * (current - last), atol=1e-14)
# The edge is x = -1.1 - 0.1 y, the path y = 0.2 + 0.3 x.
assert np.allclose(struck, (-1.12 / 1.03, 0.2 - 0.3 * 1.12 / 1.03), atol=1e-14)
assert np.isnan(geometry.segment_vs_polygon((0, 0), (1, 0), pentagon)).all()

# %% [markdown]
# ## 4. A ray out of the polygon
#
# A path from the inside of a polygon to a point far away crosses its boundary an odd number of
# times. A path from the outside crosses it an even number of times. So send a ray from the point to
# the right and count the edges it meets. This works for polygons of any form.
#
# We write the obvious code first. An edge counts if the height of the point is between the heights
# of its ends, the ends included (and $10^{-9}$ m more, a common tolerance against rounding), and if
# the crossing is to the right.


# %%
def naive_crossings(point, polygon):
    x, y = point
    count = 0
    for i, (x2, y2) in enumerate(polygon):
        x1, y1 = polygon[i - 1]
        if y1 == y2 or not min(y1, y2) - 1e-9 <= y <= max(y1, y2) + 1e-9:
            continue
        count += x <= x1 + (x2 - x1) * ((y - y1) / (y2 - y1))
    return count % 2 == 1


columns, rows = np.arange(-2, 2.5, 0.1), np.arange(2.5, -2, -0.1)
grid = np.stack(np.meshgrid(columns, rows), axis=-1)
ring = pentagon.tolist()  # plain Python numbers, which plain Python likes best
naive = np.array([[naive_crossings(p, ring) for p in row] for row in grid.tolist()])
engine = geometry.point_in_polygon(grid, pentagon, method="naive_crossings")
assert grid.shape == (45, 45, 2)
assert np.array_equal(naive, engine)

# %% [markdown]
# The engine has this test too, as `method="naive_crossings"`, but only for comparison. Its default
# method is right, and shows what has gone wrong:

# %%
right_answer = geometry.point_in_polygon(grid, pentagon)
wrong = naive != right_answer

fig, ax = plt.subplots(num="02-4 the grid by naive ray crossings", figsize=(6.8, 4.8))
marks(ax, grid.reshape(-1, 2), naive.ravel())
outline(ax, pentagon, color=GREY, zorder=1.5)
ax.plot(*grid[wrong].T, "o", ms=6, mew=1.5, mfc="none", color=ORANGE, label="wrong")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
ax.set_title(f"{wrong.sum()} of {wrong.size} points are wrong")
plt.show()

heights = np.unique(grid[wrong][:, 1].round(9))
print(naive.sum(), "called inside,", right_answer.sum(), "are inside; wrong at y =", heights)
assert right_answer.sum() == 795
assert wrong.any()
assert set(heights) <= set(pentagon[:, 1])  # all at the height of a vertex

# %% [markdown]
# **Figure 4.** Points that the naive test calls inside (blue) and outside (vermilion). Those with
# an orange ring are wrong. All of them lie at the height of a vertex.

# %% [markdown]
# ### What went wrong
#
# The grid has rows at the heights of vertices. On the row $y = 1$ the ray leaves the polygon
# through the vertex $(2.2, 1)$. There two edges end, and both count: two crossings, so "outside".
#
# On the row $y = 2$ the ray meets the top $(1.5, 2)$, and there two edges count as well. Here this
# is right: the ray touches the polygon and does not go in. On the row $y = -1$ the lower edge lies
# along the ray and is left out. Then only one of its neighbours counts, and nearly all of it is
# called inside, though rounding has put this row a little below the edge.
#
# The cure is to give each vertex to *one* side: an edge counts if one of its ends is above the ray
# and the other one is **not above**. At a side vertex just one of two edges counts, at a top both
# or none, and a level edge never. E. Haines compares this and other methods in *Point in Polygon
# Strategies* (Graphics Gems IV, 1994).


# %%
def crossings(point, polygon):
    x, y = point
    inside = False
    for i, (x2, y2) in enumerate(polygon):
        x1, y1 = polygon[i - 1]
        if (y1 > y) != (y2 > y) and x < x1 + (x2 - x1) * ((y - y1) / (y2 - y1)):
            inside = not inside
    return inside


corrected = np.array([[crossings(p, ring) for p in row] for row in grid.tolist()])
sides = [geometry.closest_on_segment(grid, p, q) for p, q in zip(pentagon, nexts, strict=True)]
distance = np.min([np.hypot(*np.moveaxis(grid - side, -1, 0)) for side in sides], axis=0)
near = distance < 1e-9
print(near.sum(), "points are within 1e-9 m of an edge")
assert near.sum() == 36
assert np.array_equal(corrected[~near], right_answer[~near])
assert np.array_equal(geometry.point_in_polygon(grid, pentagon, method="crossings"), right_answer)

# %% [markdown]
# ## 5. To the left of every edge
#
# A **convex** polygon can be done without a ray. Its vertices run counter-clockwise, so a point
# inside is to the left of every edge: all cross products
#
# $$(\mathbf{p}_{i+1}-\mathbf{p}_i)\times(\mathbf{p}-\mathbf{p}_i)$$
#
# are positive. There is no division, no special height, and the first negative one ends the work.


# %%
def cross_products(point, polygon):
    x, y = point
    for i, (x2, y2) in enumerate(polygon):
        x1, y1 = polygon[i - 1]
        if (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) <= 0:
            return False
    return True


left_of_all = np.array([[cross_products(p, ring) for p in row] for row in grid.tolist()])
engine = geometry.point_in_polygon(grid, pentagon, method="cross_products")
assert np.array_equal(left_of_all, engine)
assert left_of_all.sum() == 795

fig, ax = plt.subplots(num="02-5 the grid by cross products", figsize=(6.8, 4.8))
marks(ax, grid.reshape(-1, 2), left_of_all.ravel())
outline(ax, pentagon, color=GREY, zorder=1.5)
name = "within 1e-9 m\nof an edge"
ax.plot(*grid[near].T, "D", ms=6, mew=1.5, mfc="none", color=ORANGE, label=name)
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
ax.set_title(f"{left_of_all.sum()} of {left_of_all.size} points inside")
plt.show()

# %% [markdown]
# **Figure 5.** The cross products have no such rows. The orange diamonds mark the 36 points within
# $10^{-9}$ m of an edge, where rounding decides.

# %% [markdown]
# Of the 36 points near an edge only two are called inside. On paper all 36 lie *on* an edge. But
# `np.arange` works with steps of 0.1, which is no binary number, and so most of them are
# slightly outside. The test is right: it has answered for the numbers it was given.
#
# ## 6. When rounding decides
#
# Yet rounding can make the test itself wrong. Take points around $(0.5, 0.5)$ that are only
# $u = 2^{-53}$ apart, neighbours among the numbers of float64. The square with the corners
# $(\pm 16, \pm 16)$ is cut along its diagonal into two triangles. Which one holds each point? The
# truth is simple: below the diagonal $y < x$, above it $y > x$.
#
# The test takes differences such as $p_x - 16$. Numbers near 15.5 are $2^{-49} = 16\,u$ apart, so
# about 16 points in a row become one. (The picture of such an experiment is due to L. Kettner,
# K. Mehlhorn, S. Pion, S. Schirra and C. Yap, *Classroom Examples of Robustness Problems in
# Geometric Computations*, 2008.)

# %%
u = 2.0**-53
steps = np.arange(64)
tiny = np.stack(np.meshgrid(0.5 + u * steps, 0.5 + u * steps), axis=-1)
below = [(16, 16), (-16, -16), (16, -16)]
above = [(16, 16), (-16, -16), (-16, 16)]


def owners(method):
    """0: no triangle holds the point, 1: the lower one, 2: the upper one, 3: both."""
    lower, upper = (geometry.point_in_polygon(tiny, t, method=method) for t in (below, above))
    return lower + 2 * upper


plain, exact = owners("cross_products"), owners("winding")
x, y = tiny[..., 0], tiny[..., 1]
assert np.array_equal(exact, (y <= x) + 2 * (y >= x))  # the diagonal belongs to both
lost = (plain == 0) & (x != y)
assert lost.any()
assert np.array_equal(plain == 0, x - 16 == y - 16)  # those which the difference made equal
print(f"{lost.sum()} points of the square are in none of its halves")

# %%
colors = ListedColormap(["black", SKY, ORANGE, "white"])
fig, panels = plt.subplots(1, 2, num="02-6 two triangles", figsize=(9.5, 5.6), sharey=True)
for ax, held, title in zip(
    panels, (plain, exact), ("cross products in float64", "the engine's default"), strict=True
):
    ax.imshow(held, origin="lower", cmap=colors, vmin=0, vmax=3, interpolation="nearest")
    ax.set(xlabel="$x - 0.5$ in units of $u$", title=title)
    ax.set(xticks=range(0, 65, 16), yticks=range(0, 65, 16))
    ax.text(46, 10, "in the lower triangle", ha="center", va="center")
    ax.text(18, 54, "in the upper triangle", ha="center", va="center")
panels[0].set_ylabel("$y - 0.5$ in units of $u$")
for middle in (15.5, 31.5, 47.5):
    panels[0].text(middle, middle, "in none", color="white", ha="center", va="center")
panels[1].text(28, 34, "in both (the edge)", rotation=45, ha="center", va="center")
plt.show()

# %% [markdown]
# **Figure 6.** Which triangle holds each of 64 × 64 neighbouring numbers? Left, in float64 whole
# blocks on the diagonal (black) are in none of the two triangles. Right, the engine's exact signs
# leave no gap: the diagonal itself (white) is in both.

# %% [markdown]
# A ray or a ball can pass through such a gap. The default method finds out when rounding
# could change the sign of a cross product, and then computes it without rounding (J. Shewchuk,
# *Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates*, 1997). It
# needs no tolerance, at any size of the world.
#
# ## 7. Any polygon: even or odd, or how often round
#
# For a polygon that is not convex, rays still work. For one that crosses itself, the question has
# two good answers. **Even–odd** counts crossings and wants an odd number. The **winding number**
# counts how often the polygon goes round the point: an edge that crosses the ray upwards counts
# $+1$, downwards $-1$. A point is inside if the sum is not zero. For a polygon without
# self-crossings the two agree.
#
# Cross products fail on such polygons, and the engine refuses to try. Our own function does not.

# %%
angles = np.pi / 2 + 4 * np.pi / 5 * np.arange(5)
star = geometry.direction(angles)  # a pentagram: every second corner of a regular 5-gon
arrow = np.array([(-1, -0.9), (0, -0.3), (1, -0.9), (0, 0.95)])
crowd = rng.uniform(-1.1, 1.1, (2500, 2))
answers = {}
for name, shape in (("star", star), ("arrow", arrow)):
    answers[name] = {
        "even-odd": geometry.point_in_polygon(crowd, shape, method="crossings"),
        "winding number": geometry.point_in_polygon(crowd, shape, method="winding"),
        "cross products": np.array([cross_products(p, shape.tolist()) for p in crowd.tolist()]),
    }

fig, panels = plt.subplots(2, 3, num="02-7 stars and arrows", figsize=(9.5, 6.6), sharey=True)
for line, (name, shape) in zip(panels, (("star", star), ("arrow", arrow)), strict=True):
    for ax, (method, inside) in zip(line, answers[name].items(), strict=True):
        marks(ax, crowd, inside, size=2)
        outline(ax, shape)
        ax.set(title=method, xlim=(-1.15, 1.15), ylim=(-1.15, 1.15))
        ax.label_outer()
panels[0, 2].legend(loc="lower left", bbox_to_anchor=(1, 0.7))
plt.show()

# %% [markdown]
# **Figure 7.** Even–odd leaves the middle of the star outside, the winding number counts it as
# inside. For the arrow both agree. Cross products, in the third column, give the kernel alone.

# %%
even_odd, winding, left_of_edges = answers["star"].values()
assert np.array_equal(even_odd, [crossings(p, star.tolist()) for p in crowd.tolist()])
# In the middle 5-gon the star goes round twice: even, but not zero.
middle = geometry.direction(np.pi / 2 + np.pi / 5 * np.arange(1, 11, 2)) * (3 - np.sqrt(5)) / 2
twice = geometry.point_in_polygon(crowd, middle)
assert np.array_equal(winding & ~even_odd, twice)
assert np.array_equal(answers["arrow"]["even-odd"], answers["arrow"]["winding number"])
try:
    geometry.point_in_polygon(crowd, arrow, method="cross_products")
except ValueError as error:
    print(error)
else:
    raise AssertionError("an arrow is not convex")

# %% [markdown]
# ### Exercise 3 · What cross products see
#
# In the third column the test for convex polygons was misused. It calls only a part of the arrow
# inside. Which part? And why is it, for the star, just the middle?

# %% [markdown]
# <details><summary>Answer</summary>
#
# The points to the left of all edges, also of their extensions beyond the corners. From such a
# point one sees the whole inside of the arrow without looking through a wall: this part is the
# **kernel** of the polygon. A guard in the kernel sees everything. Each edge of the star
# cuts off one tip for itself, and only the middle is to the left of all five.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
assert np.array_equal(left_of_edges, twice)
kernel = answers["arrow"]["cross products"]
guard = crowd[kernel][0]
# The guard sees each vertex of the arrow: the line to it is inside.
for vertex in arrow:
    sight = guard + np.linspace(0, 0.999, 500)[:, None] * (vertex - guard)
    assert geometry.point_in_polygon(sight, arrow).all()
# From the left foot one does not see the right foot.
blind = np.array([-0.85, -0.75])
assert geometry.point_in_polygon(blind, arrow)
assert not cross_products(blind, arrow.tolist())
sight = blind + np.linspace(0, 0.999, 500)[:, None] * (arrow[2] - blind)
assert not geometry.point_in_polygon(sight, arrow).all()

# %% [markdown]
# ### Exercise 4 · Area by counting
#
# Each point of the grid stands for a square of 0.1 m × 0.1 m. What area of the 5-gon do the 795
# points make, and how far is it from the true 8.1 m²? About how large an error must be
# expected? Try finer grids, with points that do not lie on edges.

# %% [markdown]
# <details><summary>Answer</summary>
#
# 7.95 m², so 0.15 m² too small. Only squares that the boundary cuts can be wrong. A boundary of
# the length $L \approx 11$ m cuts about $L/h$ squares of the side $h$, each wrong by less than
# $h^2$: together less than $Lh \approx 1.1$ m². Here 36 points lie on an edge, and 34 of them count
# as outside, which is bad luck in one direction: if each counted half, it would be 8.11 m². On
# other grids the errors have both signs and mostly cancel.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
area, length = geometry.area(pentagon), np.hypot(*(nexts - pentagon).T).sum()
assert abs(795 * 0.1**2 - area) < length * 0.1
assert round(100 * 0.1**2 * (left_of_all[~near].sum() + 36 / 2)) == 811
for h in (0.1, 0.01, 0.005):
    axis = np.arange(-3 + 0.31 * h, 3, h)
    fine = np.stack(np.meshgrid(axis, axis), axis=-1)
    counted = geometry.point_in_polygon(fine, pentagon).sum() * h**2
    print(f"side {h} m: {counted:.4f} m², at most {length * h:.3f} m² wrong")
    assert abs(counted - area) < length * h

# %% [markdown]
# ## 8. What it costs
#
# We have the same tests in plain Python, above, and in the engine. Let us measure them. NumPy joins
# in as `with_numpy`, which treats all points at once.
#
# The idea to compare rays and cross products on such a grid is from D. Sotirov's notebooks on a
# rigid-body engine in Python. He gives 25.3 ms and 5.3 ms for 45 points, one row of the grid. Rays
# are slower because they divide, and because no edge can end the work early.


# %%
def with_numpy(points, polygon):
    nexts = np.roll(polygon, -1, axis=0)
    return (cross(nexts - polygon, points[:, None] - polygon) > 0).all(axis=1)


def in_python(test):
    return lambda points, polygon: [test(p, polygon) for p in points]


def in_engine(method):
    return lambda points, polygon: geometry.point_in_polygon(points, polygon, method=method)


CONTESTANTS = {  # name: test, most points, colour and mark
    "Python, naive crossings": (in_python(naive_crossings), 2_000, RED, "s"),
    "Python, cross products": (in_python(cross_products), 2_000, ORANGE, "^"),
    "NumPy, cross products": (with_numpy, 100_000, PINK, "D"),
    "engine, naive crossings": (in_engine("naive_crossings"), 500_000, GREEN, "v"),
    "engine, cross products": (in_engine("cross_products"), 500_000, SKY, "P"),
    "engine, default": (in_engine("winding"), 500_000, BLUE, "o"),
}


# %%
def seconds(test, points, polygon):
    """The best of five runs, and the number of points inside."""
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        result = test(points, polygon)
        best = min(best, time.perf_counter() - start)
    return best, np.sum(result)


# %%
sizes = np.array([1, 10, 45, 500, 2_000, 20_000, 100_000, 500_000])
many = rng.uniform(-2, 2.5, (sizes[-1], 2))
times = {}
for name, (test, most, *_) in CONTESTANTS.items():
    found = []
    for size in sizes[sizes <= most]:
        points = many[:size]
        plain_python = name.startswith("Python")
        given = (points.tolist(), ring) if plain_python else (points, pentagon)
        took, count = seconds(test, *given)
        assert count == geometry.point_in_polygon(points, pentagon).sum()  # all agree
        found.append((size, took / size))
    times[name] = np.array(found)
    print(f"{name:24}{45e6 * times[name][2, 1]:9.1f} µs for 45 points")

fig, ax = plt.subplots(num="02-8 time per point", figsize=(7.6, 4.4))
for name, rows in times.items():
    color, mark = CONTESTANTS[name][2:]
    ax.loglog(rows[:, 0], 1e9 * rows[:, 1], mark, ls="-", color=color, label=name)
ax.grid(alpha=0.3)
ax.set(xlabel="points in one call", ylabel="time per point (ns)")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# **Figure 8.** The time for one point falls with the number of points in a call, because the cost
# of the call is shared. The engine's curves lie far below those of plain Python.

# %% [markdown]
# What figure 8 shows, on most machines:
#
# - One call costs the engine about as much as plain Python takes for one point. For single points
#   there is little to win; so hand over arrays.
# - For thousands of points the engine is some fifty times faster than plain Python.
# - To be exact costs little: hardly ever is a sign so close that rounding could change it.
# - For many points the default is even the fastest. It lays a grid of cells over the polygon. Most
#   cells lie on one side as a whole, and their points need no arithmetic; the others know which
#   edges pass.
#
# The last point matters most for polygons with many vertices, such as the coast in lesson 09: a
# ray must be compared with every edge, a cell only with its own.

# %%
corners = 4 ** np.arange(1, 7)
points = rng.uniform(-1.2, 1.2, (5_000, 2))
per_point = []
for n in corners:
    circle = geometry.direction(2 * np.pi * np.arange(n) / n)
    took, counts = zip(
        *(seconds(in_engine(method), points, circle) for method in ("naive_crossings", "winding")),
        strict=True,
    )
    assert counts[0] == counts[1]
    per_point.append(1e9 * np.array(took) / len(points))
per_point = np.array(per_point)

fig, ax = plt.subplots(num="02-9 time and vertices", figsize=(6.4, 3.8))
ax.loglog(corners, per_point[:, 0], "v-", color=GREEN, label="naive crossings")
ax.loglog(corners, per_point[:, 1], "o-", color=BLUE, label="default")
ax.grid(alpha=0.3)
ax.set(xlabel="vertices of the polygon", ylabel="time per point (ns)")
ax.legend()
plt.show()

# %% [markdown]
# **Figure 9.** Rays take time in proportion to the number of vertices. The default method hardly
# grows, because a cell of its grid holds few edges.

# %% [markdown]
# ## References
#
# * D. Sotirov, notebooks on a rigid-body engine in Python: the grid of points and the comparison of
#   rays with cross products.
# * R. Gaul, *Basic 2D Collision Detection + Jump Physics*.
# * I. Sutherland, R. Sproull, R. Schumacker, *A Characterization of Ten Hidden-Surface Algorithms*,
#   1974: early point-in-polygon tests.
# * E. Haines, *Point in Polygon Strategies*, in *Graphics Gems IV*, 1994.
# * J. Shewchuk, *Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
#   Predicates*, 1997.
# * L. Kettner, K. Mehlhorn, S. Pion, S. Schirra, C. Yap, *Classroom Examples of Robustness Problems
#   in Geometric Computations*, 2008.
