// A rotation by the angle of one substep, in numbers of any type: float, double, or lanes of them.
//
// A direction is kept as its cosine less 1 and its sine, which loses nothing while it is small.
// With t the tangent of half the angle, sin = 2 t / (1 + t^2) and 1 - cos = t sin, so the length of
// 1 is kept without a root. t is angle / 2 + angle^3 / 24: the rotation is less than the angle by
// angle^5 / 120, 1e-7 at 0.1 rad. Arms that lag behind the angle of their body would have springs
// push late and gain energy.
#ifndef PH_MATH_ROTATION_STEP_H
#define PH_MATH_ROTATION_STEP_H

// Defines name(angle, d), which rotates d = {cosine - 1, sine}; constant(x) is the double x as a
// NUMBER.
#define PH_ROTATION_STEP(NUMBER, constant, name)                                                   \
    static inline __attribute__((always_inline)) void name(NUMBER angle, NUMBER d[2]) {            \
        const NUMBER one = constant(1), half = constant(0.5), cubed = constant(1.0 / 24);          \
        NUMBER t = angle * (half + cubed * (angle * angle)), c = d[0] + one;                       \
        NUMBER sine = (t + t) / (one + t * t), s = d[1];                                           \
        d[0] = d[0] - sine * (t * c + s);                                                          \
        d[1] = s + sine * (c - t * s);                                                             \
    }

#endif
