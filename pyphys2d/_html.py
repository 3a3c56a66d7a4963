"""What notebooks show of collections and trees: tables of members, a picture of boxes.

Called by ``_repr_html_`` of `World.bodies` and its like, and of `AABBTree`. The size is bounded:
of many members the first `MOST_ROWS`, of many boxes the tallest `MOST_BOXES` are shown, and a line
says so. Where the world cannot be read there is no table: None, so that the plain repr is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from pyphys2d._core import AABBTree, Body, Collider, RemovedError, WorldLockedError
from pyphys2d._svg import _escaped

if TYPE_CHECKING:
    import numpy.typing as npt

MOST_ROWS = 20
MOST_BOXES = 2000
WIDTH, HEIGHT = 400.0, 300.0  # pixels, at most

Rows = tuple[tuple[str, Callable[[Any], str]], ...]


def html(thing: Any) -> str | None:
    """A collection of a world as a table, a tree as a picture.

    Parameters
    ----------
    thing : Bodies, Colliders, Joints, Fields or AABBTree

    Returns
    -------
    str or None
    """
    if isinstance(thing, AABBTree):
        return _of_tree(thing)
    try:
        return _of_collection(thing)
    except (WorldLockedError, RemovedError):  # another thread may remove them meanwhile
        return None


# ------------------------------------------------------------------------------------- collections
def _number(value: float) -> str:
    return f"{value + 0.0:.4g}"


def _vector(values: npt.NDArray[np.float64]) -> str:
    return f"({_number(values[0])}, {_number(values[1])})"


def _material(collider: Collider) -> str:
    return f"friction {_number(collider.friction)}, restitution {_number(collider.restitution)}"


def _name(body: Body) -> str:
    return f"{body.index}" if body.name is None else f"{body.index} {body.name!r}"


def _about(member: Any) -> str:
    """What the repr says beside the type and the index."""
    return repr(member)[1:-1].partition(", ")[2]


BODIES: Rows = (
    ("slot", lambda body: f"{body.index}"),
    ("name", lambda body: body.name or ""),
    ("kind", lambda body: body.kind if body.awake or body.kind == "static" else "asleep"),
    ("shapes", lambda body: ", ".join(type(c.shape).__name__ for c in body.colliders[:4])),
    ("position, m", lambda body: _vector(body.position)),
    ("angle, rad", lambda body: _number(body.angle)),
    ("velocity, m/s", lambda body: _vector(body.velocity)),
    ("mass, kg", lambda body: _number(body.mass)),
)
COLLIDERS: Rows = (
    ("index", lambda collider: f"{collider.index}"),
    ("body", lambda collider: _name(collider.body)),
    ("shape", lambda collider: repr(collider.shape)[:60]),
    ("material", _material),
)
OTHERS: Rows = (
    ("index", lambda member: f"{member.index}"),
    ("type", lambda member: type(member).__name__),
    ("", _about),
)


def _of_collection(members: Any) -> str:
    columns = {"Bodies": BODIES, "Colliders": COLLIDERS}.get(type(members).__name__, OTHERS)
    total, shown = len(members), list(islice(members, MOST_ROWS))
    caption = f"<div>{_escaped(repr(members)[1:-1])}</div>"
    if not shown:
        return caption
    head = "".join(f"<th>{title}</th>" for title, _ in columns)
    rows = "".join(
        f"<tr>{''.join(f'<td>{_escaped(text(member))}</td>' for _, text in columns)}</tr>"
        for member in shown
    )
    rest = f"<div>and {total - len(shown)} more</div>" if total > len(shown) else ""
    return f"{caption}<table><tr>{head}</tr>{rows}</table>{rest}"


# ------------------------------------------------------------------------------------------- trees
def _of_tree(tree: AABBTree) -> str:
    nodes = tree.nodes
    nodes = nodes[nodes["height"] >= 0]
    caption = f"<div>{_escaped(repr(tree)[1:-1])}; boxes grown by {tree.margin:.6g}</div>"
    if not len(nodes):
        return caption
    order = np.argsort(-nodes["height"], kind="stable")[:MOST_BOXES]
    lower, upper = nodes["lower"][order], nodes["upper"][order]
    leaf = nodes["height"][order] == 0
    # Halved first, so that no difference overflows.
    low, high = lower.min(axis=0) / 2, upper.max(axis=0) / 2
    size = np.maximum(high - low, 1e-300)
    scale = min(WIDTH / size[0], HEIGHT / size[1])
    corner = (lower / 2 - low) * scale + 2
    extent = (upper / 2 - lower / 2) * scale
    width, height = size * scale + 4
    boxes = "".join(
        f'<rect x="{x:.1f}" y="{height - y - h:.1f}" width="{w:.1f}" height="{h:.1f}" {style}/>'
        for (x, y), (w, h), style in zip(
            corner.tolist(),
            extent.tolist(),
            np.where(
                leaf,
                'fill="#56b4e9" fill-opacity="0.35" stroke="#2a7fb5"',
                'fill="none" stroke="#8c8c86" stroke-width="0.8"',
            ).tolist(),
            strict=True,
        )
    )
    rest = "" if len(order) == len(nodes) else f"<div>{len(order)} of {len(nodes)} nodes</div>"
    return (
        f'{caption}<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.1f} {height:.1f}">{boxes}</svg>{rest}'
    )
