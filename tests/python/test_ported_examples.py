"""Twelve of pymunk's examples, by what they do (docs/examples), without a window."""

import importlib.util
import runpy

import numpy as np
import pytest

import pyphys2d as p2

NAMES = (
    "slide_and_pinjoint",
    "breakout",
    "platformer",
    "arrows",
    "deformable",
    "box2d_vertical_stack",
    "spiderweb",
    "tank",
    "planet_gravity",
    "newtons_cradle",
    "constraints",
    "copy_and_pickle",
)


@pytest.fixture
def example(repository):
    def load(name):
        path = repository / "docs" / "examples" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(f"example_{name}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def test_there_are_twelve_and_the_manual_names_them(repository):
    files = {path.stem for path in (repository / "docs" / "examples").glob("*.py")}
    assert files == set(NAMES)
    text = (repository / "docs" / "from-pymunk.md").read_text(encoding="utf-8")
    assert all(f"examples/{name}.py" in text for name in NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_it_runs_as_a_program(name, repository, capsys):
    runpy.run_path(str(repository / "docs" / "examples" / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out


def test_an_l_on_a_pin_tilts_no_farther_than_its_rope(example):
    """The end of the rope goes around the pin at 1 m; it is a chord of at most 0.25 m away."""
    module = example("slide_and_pinjoint")
    world, bar = module.build()
    farthest = 0.0
    for _ in range(20):
        module.play(world, 0.2)
        farthest = max(farthest, abs(bar.angle))
    most = 2 * np.arcsin(0.25 / 2)
    assert 0.9 * most < farthest < most + 0.01
    assert np.hypot(*(bar.position - (0, 3))) < 1e-3
    assert 1 < len(world.bodies) < 41  # some fell off


def test_the_ball_of_breakout_breaks_bricks_and_keeps_its_speed(example):
    module = example("breakout")
    game = module.Breakout()
    assert len(game.bricks) == 45
    for _ in range(60 * 12):
        game.step()
        assert np.hypot(*game.ball.velocity) == pytest.approx(module.SPEED)
    # To the bricks and back are some 14 m at most, 1.8 s, and each time one breaks at least.
    assert len(game.bricks) <= 45 - int(12 / 1.8)
    assert 0 < game.ball.position[0] < module.WIDTH
    assert game.ball.position[1] < module.HEIGHT


def test_the_hero_of_the_platformer_lands_on_the_ledge_from_below_and_rides(example):
    module = example("platformer")
    game = module.Platformer()
    hero = game.hero
    for _ in range(60):
        game.step(walk=3)
    assert hero.position[0] == pytest.approx(-5, abs=0.1)  # 3 m/s for a second
    start = hero.position[1]
    game.step(jump=10)
    highest = start
    for _ in range(60):
        game.step()
        highest = max(highest, hero.position[1])
    # v^2 / 2 g, less what a frame of Euler's method takes
    assert highest - start == pytest.approx(10**2 / (2 * module.GRAVITY), abs=0.2)
    assert hero.grounded
    assert hero.position[1] == pytest.approx(2.1, abs=0.02)
    hero.position = game.lift.position + np.array((0, 0.12))
    game.step()
    on_lift = hero.position - game.lift.position
    for _ in range(60):
        game.step()
    np.testing.assert_allclose(hero.position - game.lift.position, on_lift, atol=0.01)


def test_arrows_point_along_their_flight_and_stick(example):
    module = example("arrows")
    field = module.Range()
    arrow = field.shoot(0.5, 18)
    for _ in range(60):
        field.step()
    heading = p2.geometry.heading(arrow.velocity)
    assert heading < 0.2  # it has come over the top, or nearly
    assert p2.geometry.wrap_angle(arrow.angle - heading) == pytest.approx(0, abs=0.15)
    arrow = field.shoot(0.25, 22)
    for _ in range(120):
        field.step()
    assert field.stuck
    assert arrow in field.stuck
    assert arrow.joints[0].kind == "weld"
    assert arrow.joints[0].body_a == field.target
    place = arrow.position
    for _ in range(60):
        field.step()
    np.testing.assert_allclose(arrow.position, place, atol=0.01)


def test_a_soft_ball_gives_way_and_is_round_again(example):
    module = example("deformable")
    world, hub, rim = module.build()
    flattest = 1.0
    for _ in range(120):
        world.step(1 / 60)
        low, high = module.roundness(hub, rim)
        flattest = min(flattest, low / high)
    assert flattest < 0.9
    world.step(1 / 60, n=180)
    low, high = module.roundness(hub, rim)
    assert low / high > 0.85
    assert hub.position[1] == pytest.approx(1.5, abs=0.3)


def test_stacks_stand_until_they_are_shot_at(example):
    module = example("box2d_vertical_stack")
    world = module.build()
    start = world.positions[2:].copy()
    world.step(1 / 60, n=240)
    np.testing.assert_allclose(world.positions[2:], start, atol=0.05)
    assert not world.awake[2:].any()
    module.shoot(world)
    world.step(1 / 60, n=120)
    moved = np.abs(world.positions[2:62] - start).max(axis=1) > 1
    assert moved.sum() > 10


def test_a_web_is_pulled_and_swings_back(example):
    module = example("spiderweb")
    world, hub, threads = module.build()
    assert len(world.joints) == 12 * 7 + 12 * 6
    hand = world.add_mouse_joint(hub, target=hub.position, max_force=1000)
    hand.target = (1.0, 0.5)
    world.step(1 / 60, n=120)
    assert np.hypot(*(hub.position - (1.0, 0.5))) < 0.5
    # All springs together balance the hand: the web as a whole is at rest.
    assert world.kinetic_energy() < 1.0
    world.remove(hand)
    world.step(1 / 60, n=1200)
    np.testing.assert_allclose(hub.position, 0, atol=0.05)
    assert len(threads) == 12


def test_a_tank_gets_through_the_crates(example):
    module = example("tank")
    tank = module.Tank()
    before = tank.world.positions[tank.crates].copy()
    for _ in range(60 * 12):
        tank.drive((12, 4))
    assert np.hypot(*(tank.body.position - (12, 4))) < 1
    assert (np.abs(tank.world.positions[tank.crates] - before).max(axis=1) > 0.5).any()


def test_orbits_keep_their_energy_and_their_radius(example):
    module = example("planet_gravity")
    world = module.build()
    before, radii = module.energies(world), np.hypot(*world.positions[1:].T)
    np.testing.assert_allclose(before, -module.STRENGTH / (2 * radii))  # of a circle
    world.step(1 / 60, n=1200)
    np.testing.assert_allclose(module.energies(world), before, rtol=1e-4)
    np.testing.assert_allclose(np.hypot(*world.positions[1:].T), radii, rtol=0.02)


@pytest.mark.parametrize("lifted", [1, 2])
def test_a_cradle_gives_on_as_many_balls(example, lifted):
    module = example("newtons_cradle")
    world, row = module.build(lifted=lifted)
    speeds = []
    for _ in range(360):
        world.step(1 / 240)
        speeds.append([ball.velocity[0] for ball in row])
    speeds = np.array(speeds)
    # The speed at the lowest point, from the height that was fallen through.
    fastest = np.sqrt(2 * 9.81 * 4 * (1 - np.cos(0.6)))
    np.testing.assert_allclose(speeds[:, :lifted].max(axis=0), fastest, rtol=0.03)
    np.testing.assert_allclose(speeds[:, -lifted:].max(axis=0), fastest, rtol=0.05)
    assert np.abs(speeds[:, lifted:-lifted]).max() < 0.35 * fastest


def test_every_constraint_does_what_it_says(example):
    module = example("constraints")
    world, joints = module.build()
    lowest = {}
    for _ in range(180):
        world.step(1 / 60)
        for name, joint in joints.items():
            if hasattr(joint, "length"):
                lowest.setdefault(name, []).append(joint.length)
    assert len(joints) == 10
    np.testing.assert_allclose(lowest["PinJoint"], 2, atol=0.01)
    assert 1.5 - 0.02 < min(lowest["SlideJoint"]) < max(lowest["SlideJoint"]) < 2.5 + 0.02
    assert max(lowest["DampedSpring"]) > 2.02
    pivot = joints["PivotJoint"]
    np.testing.assert_allclose(pivot.anchor_a, pivot.anchor_b, atol=5e-3)
    groove = joints["GrooveJoint"]
    assert -0.52 < groove.translation < 0.52
    assert joints["DampedRotarySpring"].angle == pytest.approx(0.5, abs=0.1)
    assert abs(joints["RotaryLimitJoint"].angle) < 0.51
    assert joints["SimpleMotor"].speed == pytest.approx(2, abs=0.01)
    gear = joints["GearJoint"]
    gear.joint_a.body_b.apply_angular_impulse(0.5)
    world.step(1 / 60, n=30)
    a, b = gear.joint_a.angle, gear.joint_b.angle
    assert abs(a) > 0.05
    assert a + 2 * b == pytest.approx(0, abs=0.01) or a * 2 + b == pytest.approx(0, abs=0.01)


def test_copies_go_on_alike(example):
    module = example("copy_and_pickle")
    world = module.build()
    world.step(1 / 60, n=30)
    twins = module.copies(world)
    assert len(twins) == 6
    for each in (world, *twins):
        each.step(1 / 60, n=90)
    assert len({each.hash() for each in (world, *twins)}) == 1
    for twin in twins:
        assert twin.bodies["floor"].kind == "static"
        assert list(twin.bodies)[-1].user_data == {"points": 10}
