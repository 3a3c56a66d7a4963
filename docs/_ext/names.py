"""Names of the library in the text of pages become links to the reference.

A page writes ``world.add_body`` or ``p2.Box`` as code, as it would anywhere; where the reference
knows the name, the code is a link to it.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

# What pages call an object, and the class or module it is of.
OWNERS = {
    "p2": ("pyphys2d",),
    "pyphys2d": ("pyphys2d",),
    "geometry": ("pyphys2d.geometry",),
    "plot": ("pyphys2d.plot",),
    "scenes": ("pyphys2d.scenes",),
    "world": ("pyphys2d.World",),
    "body": ("pyphys2d.Body",),
    "collider": ("pyphys2d.Collider",),
    "trajectory": ("pyphys2d.Trajectory",),
    "events": ("pyphys2d.Events",),
    "tiles": ("pyphys2d.geometry.TileMap",),
}
NAME = re.compile(r"(?:pyphys2d\.)?([A-Za-z_]\w*)(?:\.(\w+(?:\.\w+)?))?(?:\(.*\))?", re.DOTALL)


def targets(code: str) -> list[str]:
    """Full names that a piece of code may mean."""
    match = NAME.fullmatch(code.strip())
    if match is None:
        return []
    owner, rest = match.groups()
    if rest is None:  # a class or a function of the package
        if owner.startswith("add_"):
            return [f"pyphys2d.World.{owner}"]
        return [f"pyphys2d.{owner}"] if owner[0].isupper() or owner == "simulate" else []
    found = [f"{each}.{rest}" for each in OWNERS.get(owner, ())]
    return [*found, f"pyphys2d.{owner}.{rest}"]


class LinkNames(SphinxPostTransform):
    """See the module."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        objects = self.env.domains.python_domain.objects
        for node in list(self.document.findall(nodes.literal)):
            if node.get("classes") or any(
                isinstance(parent, nodes.reference | nodes.title | pending_xref)
                for parent in ancestors(node)
            ):
                continue
            for target in targets(node.astext()):
                if target in objects:
                    link = pending_xref(
                        "", refdomain="py", reftype="obj", reftarget=target,
                        refdoc=self.env.docname, refexplicit=True,
                    )  # fmt: skip
                    node.replace_self(link)
                    link += node
                    break


def ancestors(node: nodes.Node) -> list[nodes.Node]:
    """Parents of a node, inside out."""
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_post_transform(LinkNames)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
