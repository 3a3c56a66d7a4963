"""Self-contained HTML pages from the modules in ``pyphys2d/web``: no build step, no other address.

A page has one style sheet, one script and blocks of data; its Content-Security-Policy names the
first two by their hashes and forbids everything else, so nothing leaves the page.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from html import escape
from importlib import resources
from typing import Any

IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let))", re.MULTILINE)
STYLE = re.compile(r"^(?:export )?const STYLE = `(.*?)`;$", re.MULTILINE | re.DOTALL)
PAGE_STYLE = """html,body{height:100%;margin:0}
html.whole,.whole body{background:#fff;color-scheme:light dark}
@media (prefers-color-scheme:dark){html.whole,.whole body{background:#181b20;color:#d7dce2}}
#stage{height:100%;box-sizing:border-box}
img.still{max-width:100%}"""


def source(name: str) -> str:
    """The text of a module of ``pyphys2d/web``, by its name without ``.js``."""
    return resources.files("pyphys2d.web").joinpath(f"{name}.js").read_text(encoding="utf-8")


@functools.cache
def bundle(*names: str) -> str:
    """The modules, and all that they import, as one script, each once and after what it imports.

    The modules import names of each other alone, and no two of them have a name in common, so they
    can stand one after the other in one scope.
    """
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        if name in parts:
            return
        text = source(name)
        for imported in IMPORT.findall(text):
            add(imported)
        parts[name] = EXPORT.sub("", IMPORT.sub("", text))

    for name in names:
        add(name)
    return "\n".join(parts.values())


@functools.cache
def style() -> str:
    """The style sheet of stage and page."""
    found = STYLE.search(source("controls"))
    assert found is not None
    return PAGE_STYLE + found.group(1)


def address(svg: str) -> str:
    """A picture as the address of itself."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def data_block(name: str, value: Any) -> str:
    """JSON that scripts of a page read by ``document.getElementById(name).textContent``."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    # Nothing in it can end the block or begin a comment of HTML.
    text = text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")
    return f'<script type="application/json" id="{name}">{text}</script>'


def page(
    title: str,
    script: str,
    body: str,
    *,
    connect: str = "'none'",
    wasm: bool = False,
    frame: bool = False,
) -> str:
    """A page whose policy allows its own script and style sheet, and connections to ``connect``.

    ``wasm``: and WebAssembly, which the script has among its data. ``frame``: what lies below its
    frame is seen until the script draws, or for ever where no script may run. (A colour scheme
    other than that of the page around would make it opaque, too.)
    """
    modules = " 'wasm-unsafe-eval'" if wasm else ""
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'{modules}; style-src '{_hash(style())}'; "
        f"img-src data:; connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    kind = "" if frame else ' class="whole"'
    return (
        f'<!DOCTYPE html>\n<html lang="en"{kind}>'
        '<head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style()}</style></head>"
        f'<body>{body}<script type="module">{script}</script></body></html>\n'
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()
