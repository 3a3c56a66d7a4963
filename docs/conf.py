"""How Sphinx builds the site; ``python docs/build.py`` runs it and checks what it made."""

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent), str(DOCS / "_ext")]

import pyphys2d  # noqa: E402

project = "pyphys2d"
author = "the authors of pyphys2d"
version = release = pyphys2d.__version__
html_title = f"pyphys2d {version}"

extensions = ["myst_nb", "sphinx.ext.napoleon", "api", "names", "lessons", "mathml"]
exclude_patterns = ["_ext"]
default_role = "py:obj"  # a name in docstrings: a link where the reference has it
add_module_names = False
python_maximum_signature_line_length = 88
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "dollarmath"]

html_math_renderer = "mathml"
nb_execution_mode = "off"  # docs/run_lessons.py did
nb_ipywidgets_js = {}  # they would come from elsewhere

html_theme = "furo"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["films.js"]
