"""Formulas as MathML, which browsers draw themselves: no script, and none from elsewhere."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.writers.html5 import HTML5Translator

# What docutils does not read: \dots, and small fractions of two digits without braces.
SPELLINGS = (
    (re.compile(r"\\dots\b"), r"\\ldots "),
    (re.compile(r"\\tfrac\s*(\d)\s*(\d)"), r"\\tfrac{\1}{\2}"),
)


def mathml(tex: str, *, block: bool) -> str:
    """A formula of LaTeX as MathML; what cannot be read is an error that quotes it."""
    for pattern, spelling in SPELLINGS:
        tex = pattern.sub(spelling, tex)
    try:
        return str(tex2mathml(tex, as_block=block))
    except MathError as error:
        raise ExtensionError(f"formula {tex!r}: {error}") from error


def inline(writer: HTML5Translator, node: nodes.math) -> None:
    """A formula within a line."""
    writer.body.append(mathml(node.astext(), block=False))
    raise nodes.SkipNode


def display(writer: HTML5Translator, node: nodes.math_block) -> None:
    """A formula of its own."""
    writer.body.append(f'<div class="formula">{mathml(node.astext(), block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
