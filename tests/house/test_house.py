"""The house keeps its shape: who includes whom, no Python below python/, no libm trig, heads,
docstrings, stubs.
"""

import ast
import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from folders import of_files
from scenes_for_tests import run_python

import pyphys2d as p2
import pyphys2d.geometry
from pyphys2d import _core

ROOT = Path(__file__).parent.parent.parent
CSRC = ROOT / "csrc"
RANKS = ["base", "math", "geometry", "broad", "narrow", "solve", "world", "python"]
SOURCES = sorted([*CSRC.rglob("*.c"), *CSRC.rglob("*.h")])
ENGINE = [path for path in SOURCES if path.parent.name not in ("python", "testing")]

pytestmark = pytest.mark.skipif(not SOURCES, reason="the source tree is not here")


def name(path):
    return str(path.relative_to(ROOT))


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", "", text, flags=re.DOTALL)


@of_files(SOURCES)
def test_a_file_includes_its_own_rank_and_those_before(path):
    folder = path.relative_to(CSRC).parts[0]
    text = path.read_text()
    for include in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, flags=re.MULTILINE):
        assert (CSRC / include).is_file(), f'"{include}" is not written from csrc/'
        other = include.split("/")[0]
        if folder == "testing":
            continue
        assert RANKS.index(other) <= RANKS.index(folder), f"{name(path)} includes {include}"


@of_files(ENGINE)
def test_no_python_below_python(path):
    code = path.read_text()
    assert not re.search(r"#\s*include\s*[<\"](Python|numpy/)", code)
    assert "PyObject" not in without_comments(code)


@of_files(ENGINE)
def test_no_libm_but_what_is_exact(path):
    """Only functions that every machine rounds alike."""
    code = without_comments(path.read_text())
    calls = re.findall(
        r"(?<![\w.>])(sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|"
        r"hypot|fma|sincos|rsqrt|remainder|tgamma|erf)(?:f|l)?\s*\(",
        code,
    )
    assert calls == []


@of_files([p for p in ENGINE if p.parent.name == "solve"])
def test_solvers_do_not_leave_the_sign_of_zero_to_the_machine(path):
    """fmin and fmax of 0 and -0 are one or the other: ph_min and ph_max say which."""
    assert re.findall(r"\bf(?:min|max)f?\s*\(", without_comments(path.read_text())) == []


@pytest.mark.parametrize("path", sorted(Path(p2.__file__).parent.glob("scenes/*.py")), ids=name)
def test_scenes_compute_what_every_machine_rounds_alike(path):
    """NumPy's products of vectors and its sines differ from processor to processor, powers that
    are no whole numbers from library to library.
    """
    moody = {"dot", "einsum", "matmul", "linalg", "hypot", "inner", "vdot"}
    moody |= {"sin", "cos", "tan", "arctan2", "atan2", "asin", "acos", "exp", "log", "pow"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.BinOp):
            assert not isinstance(node.op, ast.MatMult), f"line {node.lineno}: a @ b"
            if isinstance(node.op, ast.Pow):
                power = ast.literal_eval(node.right) if is_number(node.right) else 1
                assert power == int(power), f"line {node.lineno}: a ** {power}"
        if isinstance(node, ast.Attribute):
            assert node.attr not in moody, f"line {node.lineno}: {node.attr}"


def is_number(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


@of_files(ENGINE)
def test_no_mutable_globals_or_static_locals(path):
    for line in without_comments(path.read_text()).splitlines():
        if (
            re.match(r"^\s+static\s+(?!inline|const|_Thread_local)", line)
            and "(" not in line.split("=")[0]
        ):
            pytest.fail(f"{name(path)}: {line.strip()}")
        if re.match(r"^static\s+(?!inline|const)[^()]*[;=]", line) and " const" not in line:
            # the allocator's counters are the one exception, and atomic
            assert "atomic" in line, f"{name(path)}: {line.strip()}"


@of_files(SOURCES)
def test_every_file_opens_with_what_it_is(path):
    first = path.read_text().splitlines()[0]
    assert re.match(r"// \S.{15,}|/\* \S.{15,}", first), f"{name(path)} opens with {first!r}"


@of_files(SOURCES)
def test_no_file_is_much_too_long(path):
    lines = path.read_text().splitlines()
    assert len(lines) <= 850
    assert max((len(line) for line in lines), default=0) <= 130


def test_records_of_contacts_are_read_in_one_place():
    """They may be behind the solver: elsewhere they are only emptied, or handed on whole."""
    for path in sorted((CSRC / "world").rglob("*.[ch]")):
        if path.name in ("records.c", "internal.h", "snapshot_read.c"):  # which fills a new list
            continue
        code = without_comments(path.read_text())
        for rest in re.findall(r"(?:pairs|list|rest)(?:->|\.)record\[([^;]*);", code):
            assert re.fullmatch(r"\w+\] = \(PhContactRecord\)\{0\}", rest), f"{name(path)}: {rest}"


PROTOTYPE = re.compile(r"^(?!static|typedef|extern|#|\s)[\w *]+?\b(\w+)\([^{;]*\);", re.MULTILINE)


def test_every_public_header_function_has_the_prefix():
    for path in ENGINE:
        if path.suffix == ".h":
            for function in PROTOTYPE.findall(path.read_text()):
                if not function.isupper():
                    assert function.startswith(("ph_", "PH_", "__")), f"{name(path)}: {function}"


# ---------------------------------------------------------------- Python's side


def public(module):
    return {
        n: v for n, v in vars(module).items() if not n.startswith("_") and not inspect.ismodule(v)
    }


CLASSES = [v for v in public(p2).values() if inspect.isclass(v)]


def test_names_of_the_public_face():
    for each in [
        "World",
        "Body",
        "Collider",
        "Shape",
        "Circle",
        "Polygon",
        "Box",
        "RegularPolygon",
        "Capsule",
        "Segment",
        "Chain",
        "AABBTree",
        "RemovedError",
        "WorldLockedError",
        "CapacityError",
        "SnapshotError",
        "simd",
        "geometry",
    ]:
        assert hasattr(p2, each), each
    assert isinstance(p2.__version__, str)
    assert set(p2.__all__) <= set(dir(p2))


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__name__)
def test_classes_say_what_they_are(cls):
    assert cls.__doc__
    assert len(cls.__doc__) > 20
    for key, value in vars(cls).items():
        if key.startswith("_"):
            continue
        assert getattr(value, "__doc__", None), f"{cls.__name__}.{key} has no docstring"
        if callable(value) and not inspect.isclass(value):
            inspect.signature(value)  # ValueError without a text signature


def test_functions_say_what_they_do():
    for module in (p2.geometry, _core):
        for key, value in public(module).items():
            if callable(value):
                assert value.__doc__, key
                if not inspect.isclass(value):
                    inspect.signature(value)


def test_the_members_that_the_contract_names():
    members = {
        p2.Shape: """
            area centroid inertia aabb contains support mass_properties _repr_svg_ _repr_html_""",
        p2.Polygon: "vertices edges normals is_convex parts",
        p2.World: """
            step stages add_body add_bodies remove positions angles velocities angular_velocities
            forces torques masses inertias awake alive kinds bodies colliders joints gravity time
            step_count contacts events kinetic_energy potential_energy momentum angular_momentum
            profile counters
            tree islands aabbs cast_ray cast_ray_all cast_rays query_aabb at overlap touching hash
            views_moved pairs""",
        p2.Body: """
            index id world kind name user_data position angle velocity angular_velocity mass inertia
            center_of_mass transform inverse_transform awake bullet fixed_rotation gravity_scale
            linear_damping angular_damping enabled can_sleep colliders joints contacts apply_force
            apply_impulse apply_torque apply_angular_impulse to_world to_local velocity_at contains
            wake sleep move_to attach""",
        p2.Collider: """
            shape body index density friction restitution rolling_resistance tangent_speed category
            mask group sensor pre_solve aabb vertices""",
        p2.AABBTree: "insert move remove query cast_ray pairs nodes height validate",
    }
    for cls, names in members.items():
        for each in names.split():
            assert hasattr(cls, each), f"{cls.__name__}.{each}"


def stub_names(tree):
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = {
                item.name if isinstance(item, ast.FunctionDef) else item.target.id
                for item in node.body
                if isinstance(item, ast.FunctionDef)
                or (isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name))
            }
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = None
    return found


def test_the_stub_and_the_module_agree():
    stub = stub_names(ast.parse((Path(p2.__file__).parent / "_core.pyi").read_text()))
    for key, value in public(_core).items():
        if inspect.isclass(value):
            assert key in stub, key
            members = {m for m in vars(value) if not m.startswith("_")}
            assert members <= stub[key], f"{key}: {members - stub[key]} not in the stub"
            inherited = {m for cls in value.__mro__ for m in vars(cls)}
            listed = {m for m in stub[key] if not m.startswith("_")}
            assert listed <= inherited, f"{key}: {listed - inherited} only in the stub"
        elif callable(value):
            assert key in stub, key
    assert (Path(p2.__file__).parent / "py.typed").exists()


def test_runtime_needs_numpy_alone():
    code = """
import sys, pyphys2d, pyphys2d.geometry
world = pyphys2d.World()
world.add_body(pyphys2d.Box(1, 1))
world.step()
print([m for m in ("scipy", "shapely", "matplotlib", "tqdm", "hypothesis") if m in sys.modules])
"""
    done = run_python("-c", code)
    assert done.stdout.strip() == "[]", done.stderr


def test_handles_cannot_be_made_by_hand():
    for cls in (p2.Body, p2.Collider, p2.Stage, p2.Stages):
        with pytest.raises(TypeError):
            cls()


@pytest.mark.parametrize("cls", [p2.World, p2.Circle, p2.Body], ids=lambda c: c.__name__)
def test_types_are_immutable(cls):
    with pytest.raises(TypeError):
        cls.step = None


def test_float64_everywhere():
    world = p2.World()
    body = world.add_body(p2.Box(1, 1))
    for value in (
        body.position,
        body.velocity,
        body.transform,
        world.positions,
        world.aabbs,
        world.momentum(),
        body.center_of_mass,
    ):
        assert np.asarray(value).dtype == np.float64
