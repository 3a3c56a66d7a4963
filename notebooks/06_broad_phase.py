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
# # 06 · The broad phase
#
# **Learning goal.** You can find the pairs of bodies that may touch in three ways, by trying all
# pairs, with a tree of boxes and with a grid, and you can say how the work of each grows with the
# number of bodies.
#
# **You need** NumPy and a feeling for logarithms.
#
# It is costly to compute how two shapes touch. In a world of 1,000 bodies there are about half a
# million pairs, and nearly all of them are far apart. The *broad phase* rejects those with a test
# that is as cheap as possible. What is left goes to the *narrow phase*, which tests the shapes.

# %%
import time

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection

import pyphys2d as p2
from pyphys2d import geometry, plot

# The colours of Okabe and Ito (2008), which colour-blind eyes can tell apart.
BLUE, SKY, ORANGE, GREEN = "#0072b2", "#56b4e9", "#e69f00", "#009e73"
RED, PINK, GREY = "#d55e00", "#cc79a7", "#6e6e6a"
plt.rcParams["figure.constrained_layout.use"] = True


def draw_boxes(ax, lower, upper, **style):
    """Rectangles from their lower left and upper right corners, (n, 2) each."""
    corners = [lower, np.c_[upper[:, 0], lower[:, 1]], upper, np.c_[lower[:, 0], upper[:, 1]]]
    style = {"facecolors": "none", "linewidths": 1} | style
    ax.add_collection(PolyCollection(np.stack(corners, axis=1), **style))


# %% [markdown]
# ## 1. Boxes, and all pairs
#
# Around each shape we put the smallest box with sides along the axes, its *axis-aligned bounding
# box* or AABB: a lower left corner $\mathbf{l}$ and an upper right corner $\mathbf{u}$. Boxes $i$
# and $j$ overlap if their projections overlap on both axes,
#
# $$l_i \le u_j \quad\text{and}\quad l_j \le u_i \qquad\text{for } x \text{ and for } y.$$
#
# These are four comparisons. If the boxes are apart, so are the shapes. If the boxes overlap, the
# shapes may still be apart.


# %%
def all_pairs(lower, upper):
    """All pairs i < j of overlapping boxes, (k, 2)."""
    i, j = np.triu_indices(len(lower), 1)
    hit = np.all((lower[i] <= upper[j]) & (lower[j] <= upper[i]), axis=1)
    return np.column_stack([i[hit], j[hit]])


SHAPES = [p2.RegularPolygon(3, 0.6), p2.Box(0.9, 0.6), p2.RegularPolygon(5, 0.45)]
SHAPES += [p2.Circle(0.4), p2.Capsule((-0.3, 0), (0.3, 0), 0.2)]


def crowd(rows, gap=1.0, seed=0, **options):
    """A world of rows x rows small bodies, none of them just where it should be."""
    rng = np.random.default_rng(seed)
    world = p2.World((0, 0), **options)
    places = gap * np.stack(np.meshgrid(np.arange(rows), np.arange(rows)), axis=-1).reshape(-1, 2)
    places = places + rng.uniform(-0.4, 0.4, places.shape)
    for k, place in enumerate(places):
        world.add_body(SHAPES[k % 5], place, rng.uniform(0, 2 * np.pi), restitution=1)
    return world


# %%
world = crowd(6)
bodies = list(world.bodies)
lower, upper = world.aabbs[:, 0], world.aabbs[:, 1]
candidates = all_pairs(lower, upper)


def touch(i, j):
    """The narrow phase: do the shapes themselves meet?"""
    shapes = [bodies[k].colliders[0].shape for k in (i, j)]
    return bool(
        geometry.collide(*shapes, *[(*bodies[k].position, bodies[k].angle) for k in (i, j)])
    )


real = np.array([touch(i, j) for i, j in candidates])

# %%
fig, ax = plt.subplots(num="06-1 boxes and pairs", figsize=(8.6, 7))
plot.world(world, ax, contacts=False, legend=False)
plot.aabbs(world, ax, color=GREY)
for patches in ax.collections:
    patches.set_alpha(0.5)  # behind the lines
lines = world.positions[candidates]
ax.add_collection(LineCollection(lines[real], colors=RED, lw=2.5, label="shapes touch", zorder=5))
style = {"colors": "black", "lw": 2, "ls": "--", "zorder": 6}
ax.add_collection(LineCollection(lines[~real], label="only their boxes overlap", **style))
ax.plot(*world.positions.T, "o", color="black", ms=3, zorder=7)
handles = dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
fig.legend(handles.values(), handles, loc="outside right upper")
ax.set_title(f"{36 * 35 // 2} pairs, {len(candidates)} of boxes, {real.sum()} of shapes")
plt.show()

# %% [markdown]
# **Figure 1.** Grey boxes around all shapes. Vermilion lines join bodies whose shapes touch, black
# dashed lines those of which only the boxes overlap: these the narrow phase has to reject.

# %% [markdown]
# `p2.AABBTree` answers the same question without trying all pairs. So does a world: `world.pairs`
# holds the pairs that its broad phase has found. It holds more than ours, because the engine tests
# boxes that are a little too large. Section 3 tells why.


# %%
def as_set(pairs):
    return {(int(min(pair)), int(max(pair))) for pair in pairs}


tree = p2.AABBTree(margin=0)
body_of = {
    tree.insert(low, high): k for k, (low, high) in enumerate(zip(lower, upper, strict=True))
}
assert as_set([(body_of[i], body_of[j]) for i, j in tree.pairs()]) == as_set(candidates)

world.step(1e-6)
found = np.column_stack([world.pairs["body_a"], world.pairs["body_b"]])
assert as_set(candidates) <= as_set(found)
assert 0 < real.sum() < len(candidates) < 36 * 35 / 2

# %% [markdown]
# ### Exercise 1 · How many pairs?
#
# $n$ square boxes of width $w$ have their centres at random places of a square of side $L$. How
# many pairs of boxes do you expect to overlap? How does this number grow when the world grows with
# $n$ so that the crowd is equally dense ($L^2 \propto n$)?

# %% [markdown]
# <details><summary>Answer</summary>
#
# On one axis two boxes overlap if their centres differ by less than $w$. For two random numbers
# between 0 and $L$ this has the probability $p = 2w/L - (w/L)^2$. Both axes: $p^2$. So
# $\tfrac12 n(n-1)\,p^2$ pairs are expected. With $L^2 = n/\varrho$ it is about
# $2\varrho w^2\, n$: the number of *overlapping* pairs grows like $n$, while the number of *all*
# pairs grows like $n^2$. An ever larger part of the work is in vain.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
w, L, n = 1.0, 30.0, 800
rng = np.random.default_rng(5)
counts = []
for _ in range(20):
    corner = rng.uniform(0, L, (n, 2))
    counts.append(len(all_pairs(corner, corner + w)))
expected = n * (n - 1) / 2 * (2 * w / L - (w / L) ** 2) ** 2
assert abs(np.mean(counts) - expected) < 5 * np.std(counts) / np.sqrt(20)

# %% [markdown]
# ## 2. A tree of boxes
#
# The *dynamic AABB tree* keeps the boxes as leaves of a binary tree. Each inner node holds the box
# around its two children. A query for a box starts at the root and goes down only where the boxes
# overlap, so whole parts of the world are ruled out by one comparison.
#
# How good a tree is depends on its inner boxes: a query enters a node about as often as the node is
# large. In the plane the chance that a random line crosses a box grows with the box's perimeter.
# So the *cost* of a tree is the sum of the perimeters of its inner nodes. A new leaf
# becomes the sibling of the node where this sum grows least. On the way back to the root, rotations
# (swaps of a child and a grandchild) repair what has become lopsided.


# %%
def depths(nodes):
    """Depth of each node in use, 0 for the root, -1 for free rows."""
    depth = np.full(len(nodes), -1)
    (level,) = np.nonzero((nodes["parent"] < 0) & (nodes["height"] >= 0))
    number = 0
    while len(level):
        depth[level] = number
        children = np.concatenate([nodes["child_a"][level], nodes["child_b"][level]])
        level = children[children >= 0]
        number += 1
    return depth


def check(nodes):
    """Parents enclose their children and are one higher; returns the cost."""
    inner = nodes[nodes["height"] > 0]
    a, b = nodes[inner["child_a"]], nodes[inner["child_b"]]
    assert np.array_equal(inner["lower"], np.minimum(a["lower"], b["lower"]))
    assert np.array_equal(inner["upper"], np.maximum(a["upper"], b["upper"]))
    assert np.array_equal(inner["height"], 1 + np.maximum(a["height"], b["height"]))
    return 2 * (inner["upper"] - inner["lower"]).sum()


# %%
nodes = tree.nodes
assert np.isclose(check(nodes), tree.cost, rtol=1e-12)
assert len(tree) == (nodes["height"] == 0).sum() == 36

depth = depths(nodes)
fig, panels = plt.subplots(2, 4, num="06-2 the tree level by level", figsize=(11, 5.6))
for number, ax in enumerate(panels.flat):
    plot.aabbs(np.stack([lower, upper], axis=1), ax, color="#c8c8c4")
    plot.tree(tree, ax, level=number, legend=False)
    leaves = nodes[(depth == number) & (nodes["height"] == 0)]
    draw_boxes(ax, leaves["lower"], leaves["upper"], edgecolors=RED, linewidths=1.4, zorder=4)
    ax.set(xlim=(-1.3, 6.3), ylim=(-1.3, 6.3), xticks=[], yticks=[], xlabel="", ylabel="")
    ax.set_title(f"depth {number}: {(depth == number).sum()} nodes")
fig.suptitle("nodes of one depth; leaves are vermilion")
plt.show()

# %% [markdown]
# **Figure 2.** The inner nodes of each depth, from the root down. Each box encloses its two
# children, and the leaves (vermilion) are the boxes of the bodies.

# %% [markdown]
# Here is the query, written out. It also counts the nodes that it visits.


# %%
def walk(nodes, low, high):
    """Indices of the leaves that overlap the box, and of all nodes visited."""
    hits, seen = [], []
    stack = list(np.flatnonzero((nodes["parent"] < 0) & (nodes["height"] >= 0)))
    while stack:
        row = stack.pop()
        seen.append(row)
        node = nodes[row]
        if np.any(node["lower"] > high) or np.any(low > node["upper"]):
            continue
        if node["height"] == 0:
            hits.append(row)
        else:
            stack += [node["child_a"], node["child_b"]]
    return hits, seen


def random_tree(n, seed=0, margin=0.0):
    """A tree of n boxes, equally dense for all n, and the side of their square."""
    rng = np.random.default_rng(seed)
    side = 1.3 * np.sqrt(n)
    corner, size = rng.uniform(0, side, (n, 2)), rng.uniform(0.4, 1.0, (n, 2))
    tree = p2.AABBTree(margin)
    ids = [tree.insert(low, low + extent) for low, extent in zip(corner, size, strict=True)]
    return tree, side, corner, corner + size, np.array(ids)


# %%
tree, side, low, high, ids = random_tree(200)
asked = np.array([(7.0, 10.0), (9.5, 12.0)])
hits, seen = walk(tree.nodes, *asked)
assert sorted(tree.nodes["id"][hits]) == sorted(tree.query(*asked))

sizes, visited = np.array([50, 100, 200, 400, 800, 1600, 3200]), []
for n in sizes:
    some, width, *_ = random_tree(n)
    rng, rows = np.random.default_rng(1), some.nodes
    corners = rng.uniform(0, width, (50, 2))
    visited.append(np.mean([len(walk(rows, corner, corner + 1)[1]) for corner in corners]))
visited = np.array(visited)

# %%
fig, (left, right) = plt.subplots(1, 2, num="06-3 a query", figsize=(10, 4.4))
draw_boxes(left, low, high, edgecolors="#c8c8c4", linewidths=0.6)
rows = tree.nodes[seen]
draw_boxes(left, rows["lower"], rows["upper"], edgecolors=SKY)
rows = tree.nodes[hits]
draw_boxes(left, rows["lower"], rows["upper"], edgecolors=RED, linewidths=2)
draw_boxes(left, *asked[:, None], edgecolors="black", facecolors="#e69f0066", linewidths=1.5)
left.set(aspect="equal", xlim=(-1, side + 2), ylim=(-1, side + 2))
left.set(xlabel="x (m)", ylabel="y (m)")
left.set_title(
    f"asked (filled), found {len(hits)} (vermilion)\nby visits to {len(seen)} of 399 nodes"
)
right.loglog(sizes, 2 * sizes - 1, ":", color=GREY, label="all nodes")
right.loglog(sizes, visited, "o-", color=BLUE, label="nodes visited")
right.loglog(sizes, 2 * np.log2(sizes), "--", color=GREEN, label=r"$2\log_2 n$")
right.set(xlabel="number of boxes", ylabel="nodes per query", title="boxes equally dense")
right.minorticks_off()
right.set_xticks(sizes, sizes)
right.legend()
plt.show()

# %% [markdown]
# **Figure 3.** Left, a query (orange) visits only the nodes that are drawn in sky blue. Right, the
# visits grow with the logarithm of the number of boxes and not with the number itself.

# %% [markdown]
# Sixty-four times as many boxes cost only a few more nodes per query. The work grows with the
# *depth* of the tree, like $\log n$, plus what is found.

# %%
assert np.all(visited < 2 * sizes - 1)
assert visited[-1] - visited[0] < 0.1 * (sizes[-1] - sizes[0])
assert visited[-1] / visited[0] < 2 * np.log(sizes[-1]) / np.log(sizes[0])

# %% [markdown]
# ## 3. While bodies move
#
# A box that moves must be taken out and put in again. To do this rarely, the leaf keeps a **fat
# AABB**: a box that is larger by a margin on each side. As long as the true box stays inside, the
# tree does not change at all. `AABBTree.move` returns whether the leaf had to be put in again.
#
# A body with velocity $\mathbf{v}$ leaves its fat AABB after the first step $i$ with
# $i \cdot \max(|v_x|, |v_y|)\,\Delta t >$ margin. The fat AABB is then renewed, and the
# count starts again. So the tree is changed about $v\,\Delta t /$ margin times per step and body.


# %%
def drift(margin, velocities, dt=1 / 60, steps=240):
    """How often each of the boxes is put in again while they drift for some steps."""
    tree, _, low, high, ids = random_tree(len(velocities), margin=margin)
    renewed = np.zeros(len(ids), int)
    for step in range(1, steps + 1):
        shift = velocities * dt * step
        for k, name in enumerate(ids):
            renewed[k] += tree.move(name, low[k] + shift[k], high[k] + shift[k])
    tree.validate()
    return renewed


velocities = np.random.default_rng(3).uniform(-2, 2, (50, 2))
margins = np.array([0.02, 0.05, 0.1, 0.2, 0.4])
renewed = np.array([drift(margin, velocities) for margin in margins])
fastest = np.abs(velocities).max(axis=1) / 60  # metres per step
predicted = 240 // (np.floor(margins[:, None] / fastest) + 1)
assert np.abs(renewed - predicted).max() <= 1  # a step more or less by rounding

# %%
low, high = np.array([0.0, 0.0]), np.array([0.8, 0.5])
lone, path, fat = p2.AABBTree(margin=0.3), [], []
name = lone.insert(low, high)
for step in range(100):
    shift = np.array([0.04 * step, 0.5 * np.sin(0.06 * step)])
    path.append(low + shift)
    if lone.move(name, low + shift, high + shift) or step == 0:
        (leaf,) = np.flatnonzero(lone.nodes["height"] == 0)
        fat.append((step, lone.nodes["lower"][leaf], lone.nodes["upper"][leaf]))
path = np.array(path)

fig, (left, right) = plt.subplots(1, 2, num="06-4 fat AABBs", figsize=(10, 3.8))
draw_boxes(left, path, path + high, edgecolors=SKY, linewidths=0.4)
draw_boxes(left, *(np.array([row[k] for row in fat]) for k in (1, 2)), edgecolors=RED)
left.set(aspect="equal", xlim=(-0.5, 5.4), ylim=(-1, 1.6), xlabel="x (m)", ylabel="y (m)")
left.set_title(f"a moving box (blue), {len(fat)} fat AABBs (vermilion)")
right.loglog(margins, renewed.mean(axis=1) / 240, "o", color=BLUE, label="AABBTree")
right.loglog(margins, np.mean(predicted, axis=1) / 240, "-", color=GREY, label="formula")
right.set(xlabel="margin (m)", ylabel="changes per step and body", title="up to 2 m/s")
right.minorticks_off()
right.set_xticks(margins, margins)
right.set_yticks([0.05, 0.1, 0.2, 0.5], [0.05, 0.1, 0.2, 0.5])
right.legend()
plt.show()

# %% [markdown]
# **Figure 4.** Left, a fat AABB (vermilion) serves for several steps until the true box leaves it.
# Right, the tree is changed less often the larger the margin.

# %% [markdown]
# Now a whole world. With `broadphase="tree"` its bodies find each other through such a tree, and
# `world.tree()` gives the nodes. The bodies swirl in a bowl: a force pulls each to the middle, and
# they bounce off each other. The figure shows three levels of the tree at three times. Colour and
# marker of a body show in which of the four boxes of depth 2 it was at the start.


# %%
def groups(nodes, number):
    """For each leaf's collider the row of its ancestor at this depth; as two arrays."""
    depth, leaves = depths(nodes), np.flatnonzero(nodes["height"] == 0)
    at = leaves.copy()
    while np.any(high := depth[at] > number):
        at[high] = nodes["parent"][at[high]]
    return nodes["collider"][leaves], at


world = crowd(11, gap=1.15, seed=2, broadphase="tree")
middle = world.positions.mean(axis=0)
arms = world.positions - middle
world.velocities = 0.8 * np.column_stack([-arms[:, 1], 0.3 * arms[:, 0]])
moments = []
for _second in range(3):
    moments.append((world.time, world.tree(), world.positions.copy()))
    for _ in range(60):
        world.forces = -world.masses[:, None] * (world.positions - middle)
        world.step(1 / 60)
colliders, ancestor = groups(moments[0][1], 2)
team = np.unique(ancestor, return_inverse=True)[1][np.argsort(colliders)]

# %%
fig, panels = plt.subplots(3, 3, num="06-5 the tree while bodies move", figsize=(10.5, 10.5))
styles = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (PINK, "D"))
for panel, (moment, nodes, places) in enumerate(moments):
    for ax, number in zip(panels[panel], (1, 2, 4), strict=True):
        for which, (color, marker) in enumerate(styles):
            ax.plot(*places[team == which].T, marker, color=color, ms=5)
        plot.tree(nodes, ax, level=number, legend=False)
        ax.set(xlim=(-3.5, 15), ylim=(-3.5, 15), xticks=[], yticks=[], xlabel="", ylabel="")
        if panel == 0:
            ax.set_title(f"boxes of depth {number}")
    panels[panel][0].set_ylabel(f"after {moment:.0f} s", fontsize=12)
plt.show()

# %% [markdown]
# **Figure 5.** Each colour and marker is a group of bodies that shared a box of depth 2 at the
# start. As the groups mix, the tree puts other bodies together, and its boxes stay tight.

# %% [markdown]
# The boxes of one level hold all bodies at all times, except those whose leaf is higher up. Which
# bodies are together changes as they move. The tree is not rebuilt: leaves are put in again
# one by one, and rotations keep it balanced.

# %%
for _, nodes, places in moments:
    check(nodes)
    leaves = nodes[nodes["height"] == 0]
    assert sorted(leaves["collider"]) == list(range(121))
    centre = places[leaves["collider"]]  # one collider per body, in the same order
    assert np.all((leaves["lower"] <= centre) & (centre <= leaves["upper"]))
    assert nodes["height"].max() < 2 * np.log2(121)

# %% [markdown]
# ### Exercise 2 · The right margin
#
# A large margin saves changes of the tree. What does it cost? For boxes of width $w$ estimate how
# the number of pairs of overlapping fat AABBs grows with the margin $m$, and try it with the leaves
# of `random_tree(400, margin=m)`.

# %% [markdown]
# <details><summary>Answer</summary>
#
# The boxes in the tree are $w + 2m$ wide. By exercise 1 the number of pairs grows like
# $(w + 2m)^2$, while the number of changes falls like $1/m$. The narrow phase has to test each
# pair, so the best margin is a few per cent to a few tenths of a typical box, and it depends on how
# fast things move.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
reported = []
for m in (0.0, 0.1, 0.4):
    nodes = random_tree(400, margin=m)[0].nodes
    leaves = nodes[nodes["height"] == 0]
    reported.append(len(all_pairs(leaves["lower"], leaves["upper"])))
growth = [reported[k] / reported[0] for k in (1, 2)]
assert np.allclose(growth, [((0.7 + 2 * m) / 0.7) ** 2 for m in (0.1, 0.4)], rtol=0.25)

# %% [markdown]
# ## 4. A grid
#
# The tree suits all sizes. When most bodies are of about one size, there is something simpler: a
# grid of square cells, at least as large as the largest box. Each box is filed under the cell of
# its centre. Two boxes can only overlap if their cells are the same or neighbours, so each box
# is tested in $3\times3$ cells.
#
# To file means to sort: give each cell one number, sort the boxes by it, and find each cell's boxes
# by bisection. To find each pair once, a box is tested in its own cell and in four of the eight
# neighbours, the half that comes later.


# %%
def grid_pairs(lower, upper):
    """Overlapping pairs by a grid, and how many pairs were compared to find them."""
    size = (upper - lower).max()
    cell = np.floor((lower + upper) / (2 * size)).astype(int)
    cell -= cell.min(axis=0) - 1
    stride = cell[:, 1].max() + 2
    key = cell[:, 0] * stride + cell[:, 1]
    order = np.argsort(key, kind="stable")
    pairs = []
    for shift in (0, 1, stride - 1, stride, stride + 1):
        first = np.searchsorted(key[order], key + shift)
        count = np.searchsorted(key[order], key + shift, side="right") - first
        i = np.repeat(np.arange(len(key)), count)
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        j = order[np.repeat(first, count) + within]
        pairs.append(np.column_stack([i, j])[(i < j) | (shift > 0)])
    i, j = np.concatenate(pairs).T
    hit = np.all((lower[i] <= upper[j]) & (lower[j] <= upper[i]), axis=1)
    return np.sort(np.column_stack([i, j])[hit], axis=1), len(i)


# %% [markdown]
# It finds the same pairs. How many pairs does it compare? With $c$ cells along each side, two
# random cells are neighbours or equal along one axis with probability $(3c - 2)/c^2$. On both axes
# the square of it, so $\tfrac12 n(n-1)\left(\frac{3c-2}{c^2}\right)^2$ pairs are compared.

# %%
_, side, low, high, _ = random_tree(200)
pairs, compared = grid_pairs(low, high)
assert as_set(pairs) == as_set(all_pairs(low, high))

size = (high - low).max()
cell = np.floor((low + high) / (2 * size))
me = int(np.argmin(np.linalg.norm(low - side / 2, axis=1)))
near = np.abs(cell - cell[me]).max(axis=1) <= 1
fig, ax = plt.subplots(num="06-6 a grid", figsize=(5.6, 5.4))
draw_boxes(ax, (cell[me] - 1)[None] * size, (cell[me] + 2)[None] * size, facecolors="#e69f0055")
for what, color, width in ((~near, GREY, 0.7), (near, BLUE, 1.6)):
    draw_boxes(ax, low[what], high[what], edgecolors=color, linewidths=width)
draw_boxes(ax, low[me][None], high[me][None], edgecolors=RED, linewidths=2.5)
ticks = np.arange(0, side + 2, size)
ax.set(aspect="equal", xlim=(0, side + 1), ylim=(0, side + 1), xticks=ticks, yticks=ticks)
ax.set(xticklabels=[], yticklabels=[])
ax.grid(color="black", alpha=0.25)
ax.set_title(
    f"the vermilion box is tested against {near.sum() - 1} others\nin the 3 × 3 cells around it"
)
plt.show()

# %% [markdown]
# **Figure 6.** A grid with cells as large as the largest box. Only the boxes of the orange cells
# (blue) are compared with the vermilion one.

# %% [markdown]
# ## 5. What it costs
#
# Now for all three the number of comparisons against $n$, at equal density. This is a property of
# the method, not of the machine. Beside it, the time that the engine itself needs for this stage
# (`world.profile["pairs"]`, in milliseconds), measured here and now.

# %%
work = {"all pairs": [], "tree": [], "grid": []}
for n in sizes:
    tree, side, low, high, _ = random_tree(n)
    rng, rows = np.random.default_rng(4), tree.nodes
    some = rng.integers(0, n, 40)
    # Each leaf asks for its own box; we count for 40 of them. It meets each pair twice.
    visits = np.mean([len(walk(rows, low[k], high[k])[1]) for k in some])
    work["all pairs"].append(n * (n - 1) / 2)
    work["tree"].append(n * visits)
    work["grid"].append(grid_pairs(low, high)[1])
    c = side / (high - low).max()
    expected = n * (n - 1) / 2 * ((3 * c - 2) / c**2) ** 2
    assert abs(work["grid"][-1] / expected - 1) < 0.3  # it is random, and c is not whole

exponents = {
    name: np.polyfit(np.log(sizes[2:]), np.log(row[2:]), 1)[0] for name, row in work.items()
}
print({name: round(power, 2) for name, power in exponents.items()})
assert abs(exponents["all pairs"] - 2) < 0.01
assert exponents["tree"] < 1.3
assert abs(exponents["grid"] - 1) < 0.1


# %%
def measure(n, broadphase, steps=5):
    """Milliseconds that the stage takes (the best of some steps), and the state's hash."""
    rng = np.random.default_rng(0)
    world = p2.World((0, 0), broadphase=broadphase)
    places = rng.uniform(0, 1.6 * np.sqrt(n), (n, 2))
    # So fast that in every step a body leaves its fat AABB and the pairs are found again.
    world.add_bodies(p2.Circle(0.4), places, velocity=rng.normal(0, 6, (n, 2)), restitution=1)
    best = np.inf
    for _ in range(steps):
        world.step(1 / 60)
        best = min(best, world.profile["pairs"])
    assert world.counters["pair_rebuilds"] == steps
    return best, world.hash()


began = time.perf_counter()
many = np.array([250, 500, 1000, 2000, 4000])
taken = {name: [measure(n, name) for n in many] for name in ("all_pairs", "tree", "grid")}
for first, second, third in zip(*taken.values(), strict=True):
    assert first[1] == second[1] == third[1]  # same pairs, same bits, whatever finds them
print(f"measured in {time.perf_counter() - began:.1f} s")

# %%
fig, (left, right) = plt.subplots(1, 2, num="06-7 cost", figsize=(10, 4))
for name, color, style in (("all pairs", RED, "s-"), ("tree", BLUE, "o-"), ("grid", GREEN, "^-")):
    left.loglog(
        sizes, work[name], style, color=color, label=f"{name}, $n^{{{exponents[name]:.2f}}}$"
    )
    rows = np.array([row[0] for row in taken[name.replace(" ", "_")]])
    right.loglog(many, rows, style, color=color, label=name)
left.set(xlabel="bodies", ylabel="boxes compared", title="counted")
right.set(xlabel="bodies", ylabel="milliseconds per step", title="measured")
for ax, ticks in ((left, sizes), (right, many)):
    ax.minorticks_off()
    ax.set_xticks(ticks, ticks)
    ax.grid(alpha=0.3)
    ax.legend()
plt.show()

# %% [markdown]
# **Figure 7.** Left, the comparisons grow like $n^2$ for all pairs and nearly like $n$ for tree and
# grid. Right, the engine's times show the same order.

# %% [markdown]
# All three give the same pairs, and the world the same bits. Only the cost differs. The grid wins
# because sorting runs through memory in order, while the tree jumps from node to node. The engine
# uses the grid for pairs and keeps a tree for questions such as rays, where it is better.

# %% [markdown]
# ### Exercise 3 · When nothing helps
#
# (a) All boxes lie on top of each other. What can a broad phase do? (b) One box of the 200 is as
# large as the world. What happens to the tree, and what to our grid?

# %% [markdown]
# <details><summary>Answer</summary>
#
# (a) Nothing: $n(n-1)/2$ pairs overlap, and each must be reported. (b) The large box overlaps all
# others, which makes 199 pairs. The tree puts its leaf near the root and loses nothing. Our grid
# takes the size of its cells from the largest box, ends up with a few huge cells and compares
# nearly all pairs. The engine's grid has levels with cells of different sizes for that reason, and
# keeps very large shapes apart in a tree.
# </details>

# %% jupyter={"source_hidden": true} tags=["answer"]
same = np.zeros((30, 2))
assert len(grid_pairs(same, same + 1)[0]) == len(all_pairs(same, same + 1)) == 30 * 29 // 2

_, side, low, high, _ = random_tree(200)
before = grid_pairs(low, high)[1]
low[0], high[0] = 0, side + 1
pairs, compared = grid_pairs(low, high)
assert (pairs == 0).any(axis=1).sum() == 199
assert compared > 0.7 * 200 * 199 / 2 > before

# %% [markdown]
# ## References
#
# * R. Gaul, posts on custom engines: the dynamic AABB tree.
# * C. Ericson, *Real-Time Collision Detection*, 2004.
# * J. Goldsmith, J. Salmon, *Automatic Creation of Object Hierarchies for Ray Tracing*, 1987: the
#   cost of a tree by the surface of its boxes.
# * G. M. Adelson-Velsky, E. M. Landis, *An Algorithm for the Organization of Information*, 1962:
#   rotations.
# * E. Catto, *Dynamic Bounding Volume Hierarchies*, Game Developers Conference, 2019.
