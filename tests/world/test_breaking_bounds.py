"""In the step in which a joint breaks it holds with all that it takes, or with its bound."""

import numpy as np
import pytest

import pyphys2d as p2

BREAKS = 1.0  # N
SPEED = 10.0  # m/s, of a ball of 1 kg that hits a box of 1 kg, without restitution


def hit(**options):
    """Velocities of the box and of the ball after the blow, and whether the weld lives."""
    world = p2.World(gravity=(0, 0))
    box = world.add_body(p2.Box(1, 1), mass=1)
    ball = world.add_body(p2.Circle(0.3), (-1.5, 0), velocity=(SPEED, 0), mass=1)
    weld = world.add_weld_joint(None, box, anchor=(0.51, 0), **options)
    world.step(n=20)
    return box.velocity[0], ball.velocity[0], weld.alive


def test_without_a_bound_it_stops_the_blow():
    box, ball, alive = hit(break_force=BREAKS)
    assert not alive
    assert abs(box) < 1e-3
    assert abs(ball) < 1e-3


@pytest.mark.parametrize("bound", [1.05, 1.1, 2.0])
def test_with_a_bound_it_gives_no_more_than_that(bound):
    """Momentum: what a force of `bound` takes away in the step of the blow and in the one after."""
    box, ball, alive = hit(break_force=BREAKS, max_force=bound)
    assert not alive
    assert box == pytest.approx(ball, abs=1e-3)
    given = 2 * bound / 60
    assert SPEED - given - 1e-3 <= box + ball < SPEED
    assert np.isclose(box, SPEED / 2, atol=0.05)
