"""One room, one job: which headers a folder shows to others, no circles, one place for what has to
be done again.
"""

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
CSRC = ROOT / "csrc"
SOURCES = sorted([*CSRC.rglob("*.c"), *CSRC.rglob("*.h")])

pytestmark = pytest.mark.skipif(not SOURCES, reason="the source tree is not here")

# Headers that other folders include; all others are private to their folder. Those of base/ and
# math/ are for all, and tests (testing/) look inside of every folder.
PUBLIC = {
    "geometry": """build distance lines locate operations outline piece points polygon predicates
        ring_properties rings shape submerge sweep tiles""",
    "broad": """aabb_tree bvh displacement_field distance_grid distance_grid_lanes pairs ray_grid
        wide_tree""",
    "narrow": """collide faces impact lane_kernels manifold_trace materials overlap shapes
        time_of_impact""",
    "solve": "articulations joint_drawing joint_records kernels motion solve_trace solver",
    "world": """body_slice fields joint_primitives joints queries recording spring_laws step_trace
        world""",
    "python": "",
    "testing": "",
}
PUBLIC = {folder: set(names.split()) for folder, names in PUBLIC.items()}


def relative(path):
    return path.relative_to(CSRC).as_posix()


def includes_of(path):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), flags=re.MULTILINE)


def test_private_headers_stay_in_their_folders():
    for path in SOURCES:
        own = path.parent.name
        for include in includes_of(path):
            folder, header = include.split("/")
            if folder in PUBLIC and folder != own and own != "testing":
                name = header.removesuffix(".h")
                assert name in PUBLIC[folder], f"{relative(path)} includes {include}"


def test_public_headers_are_included_elsewhere():
    """A header that no other folder needs any more becomes private."""
    users = defaultdict(set)
    for path in SOURCES:
        for include in includes_of(path):
            users[include].add(path.parent.name)
    for folder, names in PUBLIC.items():
        for name in names:
            assert users[f"{folder}/{name}.h"] - {folder, "testing"}, f"{folder}/{name}.h"


def test_includes_have_no_circle():
    graph = {relative(path): includes_of(path) for path in SOURCES}
    done = set()

    def visit(file, way):
        assert file not in way, " -> ".join([*way[way.index(file) :], file])
        if file not in done:
            for include in graph[file]:
                visit(include, [*way, file])
            done.add(file)

    for file in graph:
        visit(file, [])


# Of functions that others may call: what begins a line, so that calls in bodies are not looked at.
DEFINITION = re.compile(r"^\w[\w *\n]*?\b(ph_\w+)\([^;{}]*\)\s*\{", flags=re.MULTILINE)
PROTOTYPE = re.compile(
    r"^(?!static|typedef|extern|#|\s)[\w *]+?\b(ph_\w+)\([^{;]*\);", flags=re.MULTILINE
)


def test_functions_are_defined_in_the_folder_that_declares_them():
    """So no call runs back up the ranks: a folder sees the headers of those before it alone."""
    defined = defaultdict(set)
    for path in SOURCES:
        text = path.read_text()
        defined[path.parent.name] |= set(DEFINITION.findall(text))
        # A unit that compiles a source under several names defines it by a macro.
        named = re.findall(r"^#define PH_\w+ (\w+)$", text, flags=re.MULTILINE)
        defined[path.parent.name] |= set(named)
    for path in SOURCES:
        if path.suffix == ".h":
            for function in PROTOTYPE.findall(path.read_text()):
                assert function in defined[path.parent.name], f"{relative(path)}: {function}"


FLAGS = [
    *("pairs_dirty", "layout_dirty", "static_changed", "lists_stale", "roster_changed"),
    *("awake_changed", "kinematics_stale", "query_stale", "apart_stale", "levels_dirty"),
    *("forced", "rest_forced", "marked", "placed"),
]


def test_what_is_to_be_done_again_is_noted_in_one_place():
    """Flags of changes are raised in world/changes.c alone; who has done it lowers them."""
    raise_flag = re.compile(rf"(?:->|\.)(?:{'|'.join(FLAGS)})\s*(?:\|=|=(?!=))([^;]*);")
    for path in sorted((CSRC / "world").glob("*.c")):
        text = re.sub(r"//[^\n]*", "", path.read_text())
        for value in raise_flag.findall(text):
            lowered = value.endswith("false") or "&&" in value  # or stays as it was
            assert lowered or path.name == "changes.c", f"{path.name}: = {value.strip()}"
    changes = (CSRC / "world" / "changes.c").read_text()
    assert all(f"{flag} " in changes for flag in FLAGS)


# Pointers of a world that are no arrays of its own: borrowed, or with an owner in world.c.
NOT_LISTED = {
    *("kernels", "passes", "state", "stop", "jobs", "spare"),
    *("contacts.approach", "contacts.later", "continuous.report"),
}
TABLES = {
    "proxies": ("broad/pairs.h", "PhProxies"),
    "contacts": ("solve/solver.h", "PhContacts"),
    "continuous": ("world/fast_bodies.h", "PhContinuous"),
    "floors": ("world/internal.h", "PhFloors"),
    "escapes": ("world/internal.h", "PhEscapes"),
    "flush": ("world/internal.h", "PhFlush"),
    "verdicts": ("world/pair_filter.h", "PhVerdicts"),
    "joints": ("world/joints.h", "PhJoints"),
    "contact_ids": ("world/contact_ids.h", "PhContactIds"),
}


def pointers_of(file, struct):
    text = re.sub(r"//[^\n]*", "", (CSRC / file).read_text())
    body = re.search(rf"struct {struct} \{{(.*?)^\}}", text, flags=re.MULTILINE | re.DOTALL)[1]
    return set(re.findall(r"\*(\w+)\)?(?:\[\w+\])?\s*[,;]", body))


def test_every_array_of_a_world_is_listed():
    """What is not listed is neither freed nor copied."""
    text = (CSRC / "world" / "arrays.h").read_text()
    listed = set(re.findall(r"\b(?:COLUMN|ARRAY)\(([\w.]+)[,)]", text)) - {"array"}
    there = pointers_of("world/internal.h", "PhWorld")
    for table, (file, struct) in TABLES.items():
        there |= {f"{table}.{name}" for name in pointers_of(file, struct)}
    nested = {name for name in listed if name.count(".") > 1}
    assert there - listed - NOT_LISTED == set()
    assert listed - there - nested == set()
