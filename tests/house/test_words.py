"""The house speaks the field's words: none that was retired comes back, a file can be named alone,
and all folders have one style.
"""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from folders import of_files

ROOT = Path(__file__).parent.parent.parent
CSRC = ROOT / "csrc"
SOURCES = sorted([*CSRC.rglob("*.c"), *CSRC.rglob("*.h")])
DOCS = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])

pytestmark = pytest.mark.skipif(not SOURCES, reason="the source tree is not here")

# Words of names and comments, and what is said instead. The glossary of docs/engine.md has what is
# left of our own.
RETIRED = {
    "bin bins": "island batch",
    "stray strays strayed": "enlarged proxy",
    "haste hasty": "short-horizon mode",
    "chart charts": "distance grid",
    "shot shots": "fast body, bullet pair",
    "effort efforts": "substep level, adaptive substeps",
    "foresee foreseen foresight": "predicted contact",
    "mover movers": "dynamic body",
    "driver drivers": "moving kinematic body",
    "blow blows": "impact",
    "meeting meetings": "impact, time of impact",
    "seat seats deed deeds inflated": "say what it is",
    "flight": "load, solve, store",
    "strokes": "drawing primitives",
    "ways": "paths, displacements, directions, methods",
    "nobody somebody everybody someone whom": "things are it and which",
}
WORDS = {word: instead for words, instead in RETIRED.items() for word in words.split()}
# Words that only solve/ gave a meaning of its own, with what else is right there.
SOLVER_WORDS = {
    "tied": "jointed",
    "swings": "joints_only",
    "net": "iterative",
    "rod": "distance",
    "push": "solve (biased)",
    "unit": "articulation",
    "block": "wide contact, pack",
    "alone": "isolated",
}
ALLOWED = {
    # Bins of the surface area heuristic are the field's.
    ("broad/wide_tree.c", "bin"),
    ("broad/wide_tree.c", "bins"),
    # It blows: a wind.
    ("world/wind.c", "blows"),
    # A gun's, from the sources of the tutorial.
    ("geometry/points.c", "shot"),
    ("geometry/points.h", "shot"),
    # A setting has the name; and what is pushed onto the stack of the compiler's options.
    ("solve", "push_speed"),
    ("solve", "contact_push_speed"),
    # A unit vector.
    ("solve/motion.h", "unit"),
    ("solve/joint_ends_source.h", "unit"),
}
PHRASES = re.compile(
    r"\b(fat box(?:es)?|fields? of ways|in haste|push and relax|joints of nets|"
    r"who (?:is|are|was))\b",
    re.IGNORECASE,
)
STRINGS = r"\"(?:\\.|[^\"\\\n])*\""


def name(path):
    return path.relative_to(ROOT).as_posix()


def words_of(identifier):
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", identifier)}


def comments_of(text):
    return re.findall(r"//[^\n]*|/\*.*?\*/", re.sub(STRINGS, "", text), flags=re.DOTALL)


def names_of(text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/|" + STRINGS, "", text, flags=re.DOTALL)
    return set(re.findall(r"[A-Za-z_]\w*", re.sub(r"#\s*pragma[^\n]*", "", text)))


@of_files(SOURCES)
def test_names_in_the_engine_are_the_field_s(path):
    own = path.relative_to(CSRC).as_posix()
    folder = own.split("/")[0]
    retired = WORDS | (SOLVER_WORDS if folder == "solve" else {})
    for each in names_of(path.read_text()):
        if (folder, each) in ALLOWED:
            continue
        for word in words_of(each) & retired.keys():
            assert (own, word) in ALLOWED, f"{each}: {word} is now {retired[word]}"


# Names of functions that stood in several files for as many things, and said of none what it does.
SAYS_NOTHING = re.compile(r"^(?:static|PH_INLINE)[^;{}=]*?\b(finish|prepare|tell)\(", re.MULTILINE)


@of_files(SOURCES)
def test_a_function_says_what_it_does(path):
    code = re.sub(r"//[^\n]*", "", path.read_text())
    found = SAYS_NOTHING.search(code)
    assert not found, f"{name(path)}: what does {found[1]} do?"


@of_files(SOURCES)
def test_comments_in_the_engine_use_the_field_s_words(path):
    own = path.relative_to(CSRC).as_posix()
    for comment in comments_of(path.read_text()):
        for word in set(re.findall(r"[a-z]+", comment.lower())) & WORDS.keys():
            assert (own, word) in ALLOWED, f"{comment}: {word} is now {WORDS[word]}"
        assert not PHRASES.search(comment), comment


# A character mover, a bin that belts fill and the key of a counter are what users see.
SEEN_BY_USERS = {"bin", "bins", "mover", "movers", "blows", "shot", "shots", "ways"}


@pytest.mark.parametrize("path", DOCS, ids=name)
def test_pages_use_the_field_s_words(path):
    text = re.sub(r"```.*?```|`[^`]*`|!?\[[^]]*\]\([^)]*\)", "", path.read_text(), flags=re.DOTALL)
    glossary = text.find("\n## Glossary")
    text = text[:glossary] if glossary > 0 else text
    for word in set(re.findall(r"[a-z]+", text.lower())) & WORDS.keys():
        assert word in SEEN_BY_USERS, f"{word} is now {WORDS[word]}"
    assert not PHRASES.search(text), PHRASES.search(text)


def test_a_file_can_be_named_alone():
    count = Counter(path.name for path in SOURCES)
    assert [each for each, n in count.items() if n > 1] == []


CONTROL = re.compile(r"(?:\} )?(?:else )?(?:if|for|while) \(.*[^\\;{]$|(?:\} )?else$")


@of_files(SOURCES)
def test_what_a_condition_governs_is_in_braces(path):
    """Where the layout is clang-format's, a governed statement without them is on the next line."""
    lines = path.read_text().splitlines()
    for line, following in pairwise(lines):
        code = line.split("//")[0].strip()
        if code.startswith("} while"):
            continue
        if CONTROL.fullmatch(code) and code.count("(") == code.count(")"):
            assert following.strip().startswith("{"), f"{name(path)}: {code}"


@of_files(SOURCES)
def test_a_banner_is_a_line_of_its_own(path):
    """Where clang-format has joined it to the text below, it is neither."""
    for line in path.read_text().splitlines():
        if re.search(r"// ?-{8,}", line):
            assert re.fullmatch(r"// -{96}", line), f"{name(path)}: {line}"
