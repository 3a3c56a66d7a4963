"""The figures of lesson 11 show what mechanics demands."""

import numpy as np
import pytest

LESSON = "11_joints"
G, DT = 9.81, 1 / 60
H = DT / 8


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def arrows(ax):
    """Origin (2,) and vector (2,) of each single arrow of a panel."""
    from matplotlib.quiver import Quiver

    found = [artist for artist in ax.collections if isinstance(artist, Quiver)]
    return [(np.asarray(q.XY)[0], np.array([q.U[0], q.V[0]])) for q in found]


def test_a_row_is_the_push_of_one_newton_at_the_pin(lesson):
    """What is drawn at the centres has the force and the moment of that push."""
    arms, *rows = lesson.axes("11-1")
    (pin,) = (line.get_xydata()[0] for line in arms.lines if line.get_marker() == "o")
    for origin, arm in arrows(arms):
        np.testing.assert_allclose(origin + arm, pin, atol=1e-9)
    for ax, along in zip(rows, np.eye(2), strict=True):
        (centre_a, push_a), (centre_b, push_b) = arrows(ax)
        np.testing.assert_allclose(push_b, along)
        np.testing.assert_allclose(push_a, -along)
        arcs = {line.get_label(): line.get_xydata() for line in ax.lines}
        for name, centre, push in (("A", centre_a, push_a), ("B", centre_b, push_b)):
            spokes = arcs[f"turn of {name}"] - centre
            turn = np.diff(np.unwrap(np.arctan2(*spokes.T[::-1]))).sum()
            assert turn == pytest.approx(cross(pin - centre, push))
            words = f"turn of {name}: {turn:+.2f} m".replace("-", "−")
            assert words in [text.get_text() for text in ax.texts]


def test_the_pin_closes_by_an_impulse_and_its_opposite(lesson):
    before, after = ([vector for _, vector in arrows(ax)] for ax in lesson.axes("11-2"))
    assert np.hypot(*(before[1] - before[0])) > 1
    np.testing.assert_allclose(after[0], after[1], atol=1e-5)
    yields = []  # how a unit impulse at the pin moves the end of each bar
    for (w, h), arm in (((2, 0.6), lesson.arm_a), ((1.6, 0.4), lesson.arm_b)):
        mass = 2 * w * h
        across = np.array([-arm[1], arm[0]])
        yields.append(np.eye(2) / mass + np.outer(across, across) / (mass * (w**2 + h**2) / 12))
    impulse = np.linalg.solve(yields[1], after[1] - before[1])
    np.testing.assert_allclose(after[0] - before[0], -yields[0] @ impulse, atol=1e-5)
    np.testing.assert_allclose(impulse, lesson.impulse, rtol=1e-4, atol=1e-5)


def test_drift_is_as_long_as_the_geometry_of_a_step_says(lesson):
    free = 1 + lesson.line("11-3", "velocities only")[:, 1] / 1e3
    # Angular momentum is 10 m^2/s for all times; a step along the tangent adds its square.
    np.testing.assert_allclose(free[1:] ** 2, free[:-1] ** 2 + (H * 10 / free[:-1]) ** 2, rtol=1e-9)
    sagitta = 1e3 * (H * 10) ** 2 / 2  # mm
    for name, share in (("Baumgarte", 1 / 0.2), ("Baumgarte and curvature", 0.08 / 0.2)):
        assert lesson.line("11-3", name)[-1, 1] == pytest.approx(share * sagitta, rel=0.01)
    soft = lesson.line("11-3", "soft, 60 Hz")[-1, 1]
    assert (
        soft > 1e3 * 10**2 / (2 * np.pi * 60) ** 2
    )  # the spring of 60 Hz pulls towards the centre
    assert soft < 4e3 * 10**2 / (2 * np.pi * 60) ** 2
    engine = lesson.line("11-3", "engine")
    np.testing.assert_allclose(engine[1:, 1], 0.4 * sagitta, rtol=0.02)
    substeps, error = lesson.line("11-3", "engine", 1).T
    np.testing.assert_allclose(error, 0.4e3 * (10 * DT / substeps) ** 2 / 2, rtol=0.05)


@pytest.mark.parametrize("zeta", [0.0, 0.2, 0.7, 2.0])
def test_springs_follow_the_differential_equation(lesson, zeta):
    from scipy.linalg import expm

    omega = 4 * np.pi
    flow = expm(DT * np.array([[0, 1], [-(omega**2), -2 * zeta * omega]]))
    state, expected = np.array([200.0, 0]), []
    for _ in range(61):
        expected.append(state[0])
        state = flow @ state
    t, stretch = lesson.line("11-4", f"$\\zeta$ = {zeta}").T
    np.testing.assert_allclose(t, DT * np.arange(61), atol=1e-12)
    half = 0.5 * H * omega * 200  # mm; the push comes at the start of a substep
    np.testing.assert_allclose(stretch, expected, atol=1.05 * half)
    (ax,) = lesson.axes("11-4")
    exact = [line for line in ax.lines if len(line.get_xdata()) == 600]
    assert len(exact) == 4
    assert any(abs(np.interp(t, *line.get_data()) - expected).max() < 0.5 for line in exact)


def test_springs_keep_what_is_promised(lesson):
    for zeta in (0.0, 0.3, 0.7):
        hertz, frequency = lesson.line("11-5", f"$\\zeta$ = {zeta}").T
        ratio = lesson.line("11-5", f"$\\zeta$ = {zeta}", 1)[:, 1]
        assert hertz[0] == 0.5
        assert hertz[-1] == 25
        assert abs(frequency[hertz <= 10]).max() < 1  # per cent
        assert abs(ratio[hertz <= 10]).max() < 0.04
    dotted = [line for line in lesson.axes("11-5")[1].lines if line.get_linestyle() == ":"]
    for zeta, line in zip((0.0, 0.3, 0.7), dotted, strict=True):
        hertz, error = line.get_data()
        x = 2 * np.pi * hertz * H
        # x^2 + 2 zeta x + 1 = 1 / det, and det = exp(-2 zeta' omega' h) with omega' h below x.
        damping = 0.5 * np.log1p(2 * zeta * x + x**2)
        assert (zeta + error >= damping / x - 1e-9).all()
        np.testing.assert_allclose(zeta + error, damping / x, rtol=0.15)


def test_the_limits_that_hold_are_those_of_least_constraint(lesson):
    """Gauss's principle as a problem of non-negative least squares, which SciPy solves."""
    from scipy.optimize import nnls

    v, w, pins, angles = lesson.problem
    rows = np.vstack([pins, angles])
    k, c = (rows * w) @ rows.T, rows @ v
    inner = np.linalg.solve(k[:8, :8], np.column_stack([k[:8, 8:], c[:8]]))
    schur = k[8:, 8:] - k[8:, :8] @ inner[:, :4]
    root = np.linalg.cholesky(schur)
    left = np.linalg.solve(root, -(c[8:] - k[8:, :8] @ inner[:, 4]))
    impulses, _ = nnls(root.T, left)
    speeds = root @ (root.T @ impulses - left)
    assert (impulses > 0).sum() == 2
    for panel, expected in ((1, impulses), (2, speeds)):
        np.testing.assert_allclose(lesson.line("11-6", "pass 4", panel)[:, 1], expected, atol=1e-9)
        np.testing.assert_allclose(lesson.line("11-6", "engine", panel)[:, 1], expected, atol=1e-4)
        spread = [lesson.line("11-6", f"pass {k}", panel)[:, 1].min() for k in (1, 2, 3)]
        assert min(spread) < 0  # the passes before have something to correct


def test_the_door_falls_freely_stops_and_is_closed(lesson):
    from scipy.integrate import solve_ivp

    t, degrees = lesson.line("11-7", "joint.angle").T
    mass, gyration = 1 * 0.1 * 20, (1 + 0.1**2) / 12 + 0.25
    free = solve_ivp(
        lambda _, s: (s[1], -0.5 * mass * G * np.cos(s[0]) / (mass * gyration)),
        (0, 1),
        (0, 6),
        t_eval=t[t < 1],
        rtol=1e-9,
    ).y[0]
    falls = np.degrees(free) < 225
    assert falls.sum() > 45
    np.testing.assert_allclose(degrees[: len(free)][falls], np.degrees(free)[falls], atol=0.5)
    assert degrees.max() < 230.5
    np.testing.assert_allclose(degrees[(t > 1.2) & (t < 2)], 230, atol=0.05)
    turning = (t > 2.6) & (t < 3.5)
    np.testing.assert_allclose(np.diff(degrees[turning]) / DT, -np.degrees(2.5), rtol=1e-3)
    np.testing.assert_allclose(degrees[t > 3.9], 0, atol=0.5)
    wrapped = lesson.line("11-7", "arctan2")[:, 1]
    np.testing.assert_allclose((degrees - wrapped + 180) % 360, 180, atol=1e-3)
    assert (abs(np.diff(wrapped)) > 300).sum() == 2


@pytest.mark.parametrize("torque", [0.4, 0.8, 1.6])
def test_a_motor_gains_speed_by_its_torque(lesson, torque):
    t, speed = lesson.line("11-7", f"{torque} N m", 1).T
    inertia = 0.5 * np.pi * 0.5**4
    np.testing.assert_allclose(speed, np.minimum(10, torque * t / inertia), atol=1e-3)
    assert (speed[-1] > 9.99) == (torque > 0.5)


@pytest.mark.parametrize("ratio", [1, 10, 100])
def test_passes_converge_with_the_spectral_radius(lesson, ratio):
    masses = np.append(np.ones(9), ratio)
    w = 1 / masses
    K = np.diag(w + np.append(0, w[:-1])) - np.diag(w[:-1], 1) - np.diag(w[:-1], -1)
    step = np.eye(10) - np.linalg.solve(np.tril(K), K)
    exact = np.linalg.solve(K, np.eye(10)[0])
    np.testing.assert_allclose(exact, np.cumsum(masses[::-1])[::-1])  # what hangs below
    shown = lesson.line("11-8", f"rod by rod, last ball {ratio} kg")
    for count, error in shown:
        rest = np.linalg.matrix_power(step, round(count)) @ exact
        assert error == pytest.approx(abs(rest / exact).max(), rel=1e-4, abs=1e-12)
    if ratio == 1:
        assert lesson.hanging[1][1] == pytest.approx(np.cos(np.pi / 20) ** 2)
    (ax,) = lesson.axes("11-8")
    stars = [line for line in ax.lines if line.get_marker() == "*"]
    assert len(stars) == 3
    assert max(line.get_ydata()[0] for line in stars) < 1e-12


def test_the_chain_swings_as_its_equations_say(lesson):
    """Newton's law with the pulls of the rods as unknowns, by SciPy's integrator."""
    from scipy.integrate import solve_ivp

    masses = np.append(np.ones(9), 100.0)

    def motion(_, state):
        x, v = state.reshape(2, 10, 2)
        d, u = np.diff(x, axis=0, prepend=0), np.diff(v, axis=0, prepend=0)
        J = np.zeros((10, 10, 2))
        J[np.arange(10), np.arange(10)] = d
        J[np.arange(1, 10), np.arange(9)] = -d[1:]
        gravity = np.zeros(10)
        gravity[0] = -G * d[0, 1]
        rows = J.reshape(10, 20)
        K = (rows / np.repeat(masses, 2)) @ rows.T
        pulls = -np.linalg.solve(K, gravity + (u**2).sum(axis=1))
        return np.concatenate([v.ravel(), (rows.T @ pulls) / np.repeat(masses, 2) + [0, -G] * 10])

    start = np.zeros((2, 10, 2))
    start[0, :, 0] = np.arange(1, 11)
    found = solve_ivp(motion, (0, 81 * DT), start.ravel(), rtol=1e-7, atol=1e-9)
    expected = np.append([[0, 0]], found.y[:20, -1].reshape(10, 2), axis=0)
    far = {}
    for name in lesson.chains:
        far[name] = abs(lesson.line("11-9", name) - expected).max()
    assert far["directly"] < 0.03
    assert far["engine"] < 0.03
    assert far["rod by rod, 10 passes"] > 0.2
    assert far["rod by rod, 1 pass"] > 1
    for name in ("directly", "engine"):
        assert lesson.line("11-9", name, 1)[:, 1].max() < 0.1  # mm
    assert lesson.line("11-9", "rod by rod, 10 passes", 1)[:, 1].max() > 20
    assert lesson.line("11-9", "rod by rod, 1 pass", 1)[:, 1].max() > 200


def test_ropes_break_where_the_pull_of_a_swing_is_their_strength(lesson):
    degrees, force = lesson.line("11-10", "unbroken", 1).T
    assert degrees[0] < 5
    assert degrees[-1] > 80
    np.testing.assert_allclose(force, 3 * G * np.sin(np.radians(degrees)), atol=0.1)
    np.testing.assert_allclose(np.hypot(*lesson.line("11-10", "unbroken").T), 2, atol=1e-3)
    for strength in (8, 16, 24):
        ((angle, told),) = lesson.line("11-10", f"{strength} N breaks", 1)
        assert strength <= told < 1.05 * strength
        assert 3 * G * np.sin(np.radians(angle)) == pytest.approx(told, rel=0.02)
        path = lesson.line("11-10", f"{strength} N")
        flight = path[np.hypot(*path.T) > 2.001]
        steps = np.diff(flight, axis=0) / lesson.SHORT
        np.testing.assert_allclose(steps[:, 0], steps[0, 0], rtol=1e-3)
        np.testing.assert_allclose(np.diff(steps[:, 1]) / lesson.SHORT, -G, atol=0.1)
        # Energy: what it has fallen since the level of the hook.
        middle = 0.5 * (flight[1:, 1] + flight[:-1, 1])
        np.testing.assert_allclose(0.5 * (steps**2).sum(axis=1), -G * middle, rtol=0.01)
