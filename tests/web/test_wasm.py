"""The WebAssembly module in Node: the bits of this machine, by both widths."""

import contextlib
import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pyphys2d as p2
from pyphys2d import _page

GOLDEN = Path(__file__).parent.parent / "golden"
FUZZ = Path(__file__).parent.parent / "fuzz"
sys.path.insert(0, str(GOLDEN))
sys.path.insert(0, str(FUZZ))

from determinism import PREAMBLE  # noqa: E402
from determinism_worlds import program  # noqa: E402
from golden_scenes import SCENES, hash_text  # noqa: E402

AFTER = 60  # steps of scenes that are led by Python, after they were


@pytest.fixture(scope="session")
def node():
    found = shutil.which("node")
    if found is None:
        pytest.skip("no node")
    return found


@pytest.fixture(scope="session")
def script(tmp_path_factory):
    """engine.js and what it imports, as one module that Node takes."""
    path = tmp_path_factory.mktemp("engine") / "engine.mjs"
    text = _page.bundle("engine")
    path.write_text(f"{text}\nexport {{ Engine }};\n")
    return path


@pytest.fixture(scope="session")
def run(node, script, engine_wasm):
    """Runs a program with `engine`, and `given`, a list of paths; what it prints as JSON."""
    start = (
        "import { readFileSync } from 'node:fs';\n"
        "const [script, wasm, ...given] = process.argv.slice(2);\n"
        "const { Engine } = await import(script);\n"
        "const engine = await Engine.load(readFileSync(wasm));\n"
    )

    def run(code, *paths):
        command = [node, "--input-type=module", "-", script.as_uri(), engine_wasm, *paths]
        done = subprocess.run(
            command, input=start + code, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


# The worlds of given[0]/cases.json by every kernels.
STEP = """
import { join } from "node:path";
const out = [];
for (const { name, steps } of JSON.parse(readFileSync(join(given[0], "cases.json")))) {
  for (const kernels of engine.kernels) {
    const world = engine.open(readFileSync(join(given[0], name)));
    world.kernels = kernels;
    world.step(1 / 60, steps);
    out.push([name, world.kernels, world.hash]);
    world.close();
  }
}
console.log(JSON.stringify(out));
"""


def compare(run, folder, cases, expected):
    """Steps the snapshots in a folder; cases: (name, steps)."""
    listed = [{"name": name, "steps": steps} for name, steps in cases]
    (folder / "cases.json").write_text(json.dumps(listed))
    found = run(STEP, folder)
    assert {kernels for _, kernels, _ in found} == {"scalar", "simd128"}
    assert len(found) == 2 * len(cases)
    wrong = [(name, kernels) for name, kernels, hash in found if hash != expected[name]]
    assert wrong == []


def test_golden_scenes_have_the_bits_of_this_machine(run, tmp_path):
    golden = json.loads((GOLDEN / "hashes.json").read_text())
    cases, expected = [], dict(golden)
    for name, build in SCENES.items():
        world, steps = build()
        led = steps == 0 or world.on_force is not None or world.on_pre_solve is not None
        if led:  # by Python, which is not there: what comes after
            world.step(1 / 60, n=steps)
            assert hash_text(world) == golden[name]
            world.on_force = world.on_pre_solve = None
            steps = AFTER
        (tmp_path / name).write_bytes(world.snapshot())
        cases.append((name, steps))
        if led:
            world.step(1 / 60, n=steps)
            expected[name] = hash_text(world)
    compare(run, tmp_path, cases, expected)


def test_random_worlds_go_on_as_on_this_machine(run, tmp_path):
    cases, expected = [], {}
    for seed in range(40):
        space = {"WORKERS": 1, "WIDTH": p2.simd.available[-1], "see": lambda _: None}
        space |= {"b": {}, "j": {}, "f": {}}
        exec(PREAMBLE, space)
        for line in program(seed, large=0):
            with contextlib.suppress(Exception):  # what is refused is refused everywhere
                exec(line, space)
        world = space["w"]
        world.on_force = world.on_pre_solve = world.pair_filter = None
        try:
            (tmp_path / str(seed)).write_bytes(world.snapshot(user_data=False))
            world.step(1 / 60, n=20)
        except ValueError:  # a number that no step takes
            continue
        cases.append((str(seed), 20))
        expected[str(seed)] = hash_text(world)
    assert len(cases) > 30
    compare(run, tmp_path, cases, expected)


def test_the_module_is_small(engine_wasm):
    assert len(gzip.compress(engine_wasm.read_bytes(), 9)) < 700_000


@pytest.fixture
def snapshot(tmp_path):
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    box = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.add_revolute_joint(None, world.add_body(p2.Box(1, 0.2), (5, 5)), anchor=(4.5, 5))
    path = tmp_path / "world"
    path.write_bytes(world.snapshot())
    return world, box, path


def test_a_body_is_taken_and_thrown_as_python_would(run, snapshot):
    world, box, path = snapshot
    code = (
        "const world = engine.open(readFileSync(given[0]));"
        f"const took = world.grab({box.index}, 0.25, 0.75), none = world.grab(0, 0, 0);"
        f"world.grab({box.index}, 0.25, 0.75);"
        "for (let k = 0; k < 30; ++k) { world.drag(0.25 + 0.1 * k, 0.75 + 0.1 * k); world.step(); }"
        "world.drop(); world.step(1 / 60, 30);"
        f"console.log(JSON.stringify([took, none, world.hash, world.position({box.index})]));"
    )
    took, none, _, place = run(code, path)
    assert (took, none) == (True, False)
    force = 200 * 9.81 * box.mass
    hand = world.add_mouse_joint(box, target=(0.25, 0.75), max_force=force)
    for k in range(30):
        hand.target = (0.25 + 0.1 * k, 0.75 + 0.1 * k)
        world.step()
    world.remove(hand)
    world.step(n=30)
    assert place == box.position.tolist()
    assert place[0] > 2


def test_arrays_are_those_of_python(run, snapshot):
    world, _, path = snapshot
    code = (
        "const world = engine.open(readFileSync(given[0]), [1, 2]); world.step(1 / 60, 3);"
        "const out = {}; for (const name of ['poses', 'states', 'velocities', 'islands',"
        " 'contacts', 'bounds', 'joints', 'joint_points']) out[name] = [...world.read(name)];"
        "console.log(JSON.stringify(out));"
    )
    found = run(code, path)
    world.step(n=3)
    drawing = world.draw_list()
    poses = drawing.poses - (1, 2, 0)
    assert found["poses"] == pytest.approx(poses.ravel(), rel=1e-6)
    assert found["states"] == drawing.states.tolist()
    assert found["velocities"] == pytest.approx(world.velocities.ravel(), rel=1e-6, abs=1e-12)
    assert found["islands"] == world.islands.tolist()
    assert found["bounds"] == pytest.approx((drawing.aabbs - (1, 2)).ravel(), rel=1e-6)
    points = drawing.contacts["point"] - (1, 2)
    assert len(points) == 2
    assert found["contacts"][0::6] == pytest.approx(points[:, 0], rel=1e-6)
    assert found["contacts"][4::6] == pytest.approx(drawing.contacts["normal_impulse"], rel=1e-6)
    assert found["joint_points"] == pytest.approx(
        (drawing.joint_points - (1, 2)).ravel(), rel=1e-6, abs=1e-6
    )
    names = ("kind", "first", "count")
    assert found["joints"] == [int(row[name]) for row in drawing.joints for name in names]


def test_what_is_no_snapshot_is_refused(run, snapshot):
    _, _, path = snapshot
    code = (
        "const bytes = readFileSync(given[0]), errors = [];"
        "const damaged = Uint8Array.from(bytes); damaged[200] ^= 1;"
        "for (const each of [bytes.subarray(0, 100), new Uint8Array(0), damaged]) {"
        " try { engine.open(each); } catch (error) { errors.push(error.message); } }"
        "const world = engine.open(bytes), before = world.hash;"
        "try { world.restore(damaged); } catch (error) { errors.push(error.message); }"
        "try { world.step(-1); } catch (error) { errors.push(error.message); }"
        "try { world.kernels = 'avx2'; } catch (error) { errors.push(error.message); }"
        "console.log(JSON.stringify([errors, world.hash === before]));"
    )
    errors, same = run(code, path)
    assert len(errors) == 6
    assert all(errors)
    assert "scalar, simd128" in errors[-1]
    assert same
