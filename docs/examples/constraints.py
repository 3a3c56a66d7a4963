"""One pair of bodies for each of pymunk's constraints."""

import numpy as np

import pyphys2d as p2


def build() -> tuple[p2.World, dict[str, p2.Joint]]:
    world = p2.World(sleeping=False)
    joints: dict[str, p2.Joint] = {}

    def pair(number: int) -> tuple[p2.Body, p2.Body, tuple[float, float]]:
        """A box that hangs on a hinge of the world, and one beside it."""
        x, y = 6.0 * (number % 5), -6.0 * (number // 5)
        a = world.add_body(p2.Box(1, 1), (x, y))
        b = world.add_body(p2.Box(1, 1), (x + 2, y))
        world.add_revolute_joint(None, a, anchor=(x, y))
        return a, b, (x, y)

    a, b, (x, y) = pair(0)
    joints["PinJoint"] = world.add_distance_joint(a, b, length=2)
    a, b, (x, y) = pair(1)
    joints["SlideJoint"] = world.add_distance_joint(a, b, lower=1.5, upper=2.5)
    a, b, (x, y) = pair(2)
    joints["PivotJoint"] = world.add_revolute_joint(a, b, anchor=(x + 1, y))
    a, b, (x, y) = pair(3)
    joints["GrooveJoint"] = world.add_wheel_joint(a, b, anchor=(x + 2, y), axis=(1, 0),
                                                  lower=-0.5, upper=0.5)  # fmt: skip
    a, b, (x, y) = pair(4)
    joints["DampedSpring"] = world.add_distance_joint(a, b, spring_hertz=2,
                                                      spring_damping_ratio=0.2)  # fmt: skip
    # The others act on angles: both boxes hang on hinges of their own.
    for number, name in enumerate(
        ("DampedRotarySpring", "RotaryLimitJoint", "RatchetJoint", "GearJoint", "SimpleMotor"), 5
    ):
        a, b, (x, y) = pair(number)
        hinge = world.add_revolute_joint(None, b, anchor=(x + 2, y))
        match name:
            case "DampedRotarySpring":
                hinge.spring_hertz, hinge.spring_target = 1.0, 0.5
                hinge.spring_damping_ratio = 0.5
                joints[name] = hinge
            case "RotaryLimitJoint":
                hinge.set_limits(-0.5, 0.5)
                joints[name] = hinge
            case "RatchetJoint":
                joints[name] = world.add_ratchet_joint(a, b, tooth=np.radians(30))
            case "GearJoint":
                joints[name] = world.add_gear_joint(a.joints[0], hinge, ratio=2)
            case "SimpleMotor":
                hinge.max_motor_torque, hinge.motor_speed = 100.0, 2.0
                joints[name] = hinge
    return world, joints


if __name__ == "__main__":
    world, joints = build()
    world.step(1 / 60, n=120)
    for name, joint in joints.items():
        print(f"{name:20} {joint.kind:10} force {np.hypot(*joint.force):8.2f} N")
