"""Steps that are stopped at every question, one after the other, before they are made."""

from pyphys2d import World, _testing


def make(world: World, dt: float) -> int:
    """One step. Returns how often it was stopped; each time the world must be as it was before, or,
    where the question came too late for that, the step must have been made.
    """
    before = world.hash(), world.step_count, world.counters
    question = 0
    while True:
        question += 1
        _testing.stop_steps(question)
        try:
            world.step(dt)
        except KeyboardInterrupt:
            if world.step_count > before[1]:
                return question
            now = world.hash(), world.step_count, world.counters
            if now != before:
                told = [(k, v, before[2][k]) for k, v in now[2].items() if v != before[2][k]]
                raise AssertionError(f"stopped at question {question}: {now[:2]}, {told}") from None
            continue
        finally:
            _testing.stop_steps(0)
        return question - 1
