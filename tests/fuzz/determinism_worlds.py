"""Random worlds for determinism.py: a world is a program, a list of lines that its seed writes.

A line is Python over a world `w`, dictionaries `b` of bodies, `j` of joints and `f` of fields, and
`see(x)`, which adds what is read to the answer of the program. Keys are given once, so a line that
is dropped makes those that need its object raise, which is an answer like any other.
"""

import random
from collections.abc import Callable

APART = 1e5  # from a world to its neighbours, farther than anything goes
FIRST_NEIGHBOUR = 1000  # key of a body
SHAPES = (
    "p2.Circle({a})",
    "p2.Box({a}, {b})",
    "p2.Box({a}, {b}, radius={c})",
    "p2.Capsule((-{a}, 0), ({b}, 0), {c})",
    "p2.RegularPolygon(3, {a})",
    "p2.RegularPolygon(5, {a})",
    "p2.RegularPolygon(8, {a})",
    "p2.RegularPolygon(11, {a})",
    "p2.Polygon([(-{a}, -{b}), ({a}, -{b}), (0, {a})])",
    "p2.Polygon([({a}, 0), (0.1, 0.1), (0, {b}), (-0.1, 0.1), (-{a}, 0), (0, -{b})])",
    "[p2.Circle({a}), p2.Box({b}, {c}, center=({a}, 0))]",
    "[p2.Box({a}, {c}), p2.Box({c}, {b}), p2.Circle({c}, center=(0, {b}))]",
)
JOINTS = (
    "revolute",
    "revolute",
    "revolute",
    "distance",
    "prismatic",
    "weld",
    "wheel",
    "motor",
    "filter",
    "pulley",
    "ratchet",
    "rotary",
    "mixed",
)
AXES = ("revolute", "prismatic", "wheel", "distance", "pulley", "rotary")
BOUNDS = {
    **dict.fromkeys(("revolute", "distance", "wheel", "pulley"), ("max_force",)),
    **dict.fromkeys(("weld", "prismatic"), ("max_force", "max_torque")),
    **dict.fromkeys(("rotary", "ratchet"), ("max_torque",)),
}


class Writer:
    """Writes the lines of one world. `x` is where it is, keys of its objects count from `first`."""

    def __init__(self, r: random.Random, x: float = 0.0, first: int = 0) -> None:
        self.r, self.x, self.lines = r, x, list[str]()
        self.bodies, self.joints, self.fields = list[int](), list[int](), list[int]()
        self.hinges, self.chains = list[int](), list[int]()
        self.next = first
        self.tall = 10.0
        self.far = 0.05  # how often a change of place is a large one

    # numbers

    def number(self, low: float, high: float) -> str:
        return f"{self.r.uniform(low, high):.5g}"

    def power(self, low: float, high: float) -> str:
        return f"{10 ** self.r.uniform(low, high):.4g}"

    def maybe(self, chance: float) -> bool:
        return self.r.random() < chance

    def place(self, wide: float = 10.0) -> str:
        return f"({self.x + self.r.uniform(-wide, wide):.5g}, {self.r.uniform(0, self.tall):.5g})"

    def vector(self, size: float) -> str:
        return f"({self.r.gauss(0, size):.5g}, {self.r.gauss(0, size):.5g})"

    def speed(self) -> float:
        return self.r.choice([0, 1, 1, 10, 10, 100, 400, 1e4, 3e8 if self.maybe(0.1) else 1])

    def spin(self) -> float:
        return self.r.choice([0, 0, 1, 1, 10, 100, 1e3, 1e5, 3e8 if self.maybe(0.1) else 1])

    def key(self) -> int:
        self.next += 1
        return self.next

    def one(self, keys: list[int]) -> int:
        return self.r.choice(keys) if keys else 0

    # things

    def shape(self) -> str:
        size = self.r.choice([0.3, 0.5, 0.5, 1.0])
        a, b, c = (
            f"{size * self.r.uniform(*lim):.4g}" for lim in ((0.6, 1.2), (0.4, 1), (0.1, 0.4))
        )
        return self.r.choice(SHAPES).format(a=a, b=b, c=c)

    def body_options(self, speed: float, spin: float, ghost: bool = False) -> str:
        chances: list[tuple[float, Callable[[], str]]] = [
            (0.6, lambda: f"velocity={self.vector(speed)}"),
            (0.6, lambda: f"angular_velocity={self.r.gauss(0, spin):.5g}"),
            (0.4, lambda: f"density={self.power(-2, 2)}"),
            (0.3, lambda: f"restitution={self.r.choice([0.2, 0.5, 1])}"),
            (0.3, lambda: f"friction={self.r.choice([0, 0.2, 1, 5])}"),
            (0.1, lambda: f"rolling_resistance={self.number(0, 0.2)}"),
            (0.1, lambda: f"tangent_speed={self.number(-3, 3)}"),
            (0.1, lambda: f"linear_damping={self.power(-2, 1)}"),
            (0.1, lambda: f"angular_damping={self.power(-2, 1)}"),
            (0.1, lambda: f"gravity_scale={self.number(-1, 2)}"),
            (0.1, lambda: "bullet=True"),
            (0.05, lambda: "sensor=True"),
            (0.05, lambda: "fixed_rotation=True"),
            (0.15, lambda: "pre_solve=True"),
            (0.05, lambda: "awake=False"),
            (1.0 if ghost else 0.05, lambda: f"mask={0 if ghost else self.r.choice([1, 2, 3])}"),
            (0.05, lambda: f"category={self.r.choice([1, 2, 3])}"),
            (0.05, lambda: f"group={self.r.choice([-1, 1])}"),
        ]
        return "".join(f", {make()}" for chance, make in chances if self.maybe(chance))

    def segments(self) -> str:
        """Of the chain of `ground`, which has five."""
        columns = {
            "friction": (0, 2),
            "restitution": (0, 1),
            "rolling_resistance": (0, 0.3),
            "tangent_speed": (-3, 3),
        }
        chosen = [name for name in columns if self.maybe(0.5)] or ["friction"]
        texts = []
        for name in chosen:
            values = ["nan" if self.maybe(0.2) else self.number(*columns[name]) for _ in range(5)]
            texts.append(f"{name!r}: [{', '.join(values)}]".replace("nan", "math.nan"))
        return "{" + ", ".join(texts) + "}"

    def ground(self) -> None:
        x = self.x
        shape = self.r.choice(
            [
                f"p2.Box(60, 2), ({x}, -1)",
                f"p2.Chain([(-30, 20), (-25, 0), (-6, -1), (3, 0.5), (25, 0), (30, 20)]), ({x}, 0)",
                f"p2.Segment((-30, 0), (30, 1)), ({x}, 0)",
                f"[p2.Box(60, 1), p2.Box(1, 20, center=(20, 10))], ({x}, -0.5)",
            ]
        )
        key = self.key()
        kind = "static" if self.maybe(0.9) else "kinematic"
        extra = f", friction={self.number(0, 1)}" if self.maybe(0.3) else ""
        extra += ", pre_solve=True" if self.maybe(0.1) else ""
        if "Chain" in shape:
            self.chains.append(key)
        self.lines.append(f"b[{key}] = w.add_body({shape}, kind={kind!r}{extra})")
        if self.maybe(0.2):
            other = self.key()
            self.lines.append(
                f"b[{other}] = w.add_body(p2.Box(6, 0.5), {self.place()}, kind='kinematic', "
                f"velocity={self.vector(2)}, angular_velocity={self.number(-2, 2)})"
            )

    def heap(self) -> None:
        same, speed, spin = self.shape(), self.speed(), self.spin()
        shape = self.shape() if self.maybe(0.5) else ""
        for _ in range(self.r.choice([1, 2, 3, 6, 12])):
            key = self.key()
            options = self.body_options(speed if self.maybe(0.4) else 1, spin)
            angle = self.number(-3, 3) if self.maybe(0.6) else "0"
            self.bodies.append(key)
            self.lines.append(
                f"b[{key}] = w.add_body({shape or (same if self.maybe(0.5) else self.shape())}, "
                f"{self.place(6)}, {angle}{options})"
            )

    def batch(self, count: int, columns: int) -> None:
        """Many bodies in rows, so that threads have something to share."""
        shape = self.r.choice(
            ["p2.Box(0.9, 0.9)", "p2.Circle(0.48)", "p2.Box(0.8, 0.9, radius=0.1)"]
        )
        gap = self.r.choice([0.9, 0.9, 0.95, 1.0])
        wide, x, half = 3 * columns, self.x, columns / 2
        self.lines += [
            f"b[{self.key()}] = w.add_body(p2.Box({wide}, 2), ({x}, -1), kind='static')",
            f"k = np.arange({count})",
            f"p = [{x} + {gap} * (k % {columns} - {half}), 0.5 + {gap} * (k // {columns})]",
            "v = np.stack([k % 7 - 3.0, k % 5 - 4.0], 1)",
            f"w.add_bodies({shape}, np.stack(p, 1), velocity=v, angular_velocity=k % 3 - 1.0,"
            " restitution=(k % 4) * 0.2)",
        ]

    def axis_options(self, kind: str) -> str:
        if kind in ("weld", "motor") and self.maybe(0.25):
            options = f", angular_stiffness={self.power(-1, 3)}"
            for name, size in (
                ("stiffness", (0, 4)),
                ("damping", (-2, 2)),
                ("angular_damping", (-3, 1)),
            ):
                options += f", {name}={self.power(*size)}" if self.maybe(0.7) else ""
            return options
        if kind == "weld" and self.maybe(0.5):
            place, angle = (self.power(-1, 2.5) if self.maybe(0.8) else "0" for _ in range(2))
            return f", spring_hertz={place}, angular_spring_hertz={angle}"
        if kind not in AXES:
            return ""
        motor = "torque" if kind in ("revolute", "wheel", "rotary") else "force"
        options = ""
        if self.maybe(0.35):
            low = 0.3 if kind in ("distance", "pulley") else -1
            options += f", lower={self.number(low, low + 0.8)}, upper={self.number(low + 0.9, 3)}"
        if self.maybe(0.3):
            options += (
                f", motor_speed={self.r.gauss(0, 5):.4g}, max_motor_{motor}={self.power(-1, 4)}"
            )
        if kind != "pulley" and self.maybe(0.3):
            hertz = ("spring_hertz", (-1, 1.3)), ("spring_damping_ratio", (-2, 0.3))
            newtons = ("stiffness", (-1, 3)), ("damping", (-2, 2))
            for name, size in hertz if self.maybe(0.7) else newtons:
                options += f", {name}={self.power(*size)}"
        return options

    def join(self, kind: str, a: str, c: str, x: float, y: float, like: random.Random) -> None:
        """A joint near (x, y); `like` decides what it has, so that copies may be alike."""
        kind = like.choice(JOINTS[:-1]) if kind == "mixed" else kind
        mine, self.r = self.r, like
        options = self.axis_options(kind)
        if kind != "filter" and self.maybe(0.2):
            options += ", collide_connected=True"
        for name in BOUNDS.get(kind, ()):
            if self.maybe(0.15):
                options += f", {name}={self.power(-1, 4)}"
        self.r = random.Random(kind + options)  # so that kept seeds have the worlds that they had
        if kind in BOUNDS and self.maybe(0.15):
            options += f", joint_hertz={self.power(-0.5, 2.5)}" if self.maybe(0.8) else ""
            options += f", joint_damping_ratio={self.power(-1, 0.7)}" if self.maybe(0.7) else ""
        self.r = mine
        if kind not in ("filter", "ratchet", "rotary") and self.maybe(0.05):
            options += f", break_force={self.power(0, 3)}"
        anchor = f"({x + self.r.gauss(0, 0.5):.5g}, {y + self.r.gauss(0, 0.5):.5g})"
        if kind == "distance":
            options += f", anchor_b=({self.number(-0.5, 0.5)}, {self.number(-0.5, 0.5)})"
        elif kind == "pulley":
            options += f", ground_a=({x - 1}, {y + 5}), ground_b=({x + 1}, {y + 5})"
            options += f", ratio={self.power(-0.5, 0.5)}"
        elif kind == "ratchet":
            options += f", tooth={self.number(0.05, 1)}"
        elif kind == "motor":
            options += f", linear_velocity={self.vector(2)}, max_force={self.power(0, 3)}"
            options += f", max_torque={self.power(0, 3)}" if self.maybe(0.5) else ""
        elif kind not in ("filter", "rotary"):
            options += f", anchor={anchor}"
        if kind in ("prismatic", "wheel"):
            options += f", axis={self.vector(1)}"
        key = self.key()
        self.joints.append(key)
        if kind in ("revolute", "prismatic", "rotary"):
            self.hinges.append(key)
        self.lines.append(f"j[{key}] = w.add_{kind}_joint({a}, {c}{options})")

    def mechanisms(self) -> None:
        """Copies of one mechanism with other numbers, near enough to touch or far apart."""
        r, copies, links = self.r, self.r.randint(1, 9), self.r.choice([2, 2, 2, 3, 4, 6, 9])
        kind, form, loop = r.choice(JOINTS), r.choice(["chain", "tree"]), self.maybe(0.15)
        root = r.choice(["none", "none", "None", "static", "kinematic"])
        ghost, seed, alike = self.maybe(0.5), r.random(), self.maybe(0.7)
        speed, spin, shape = self.speed(), self.spin(), self.shape()
        first = len(self.joints)
        for copy in range(copies):
            like = random.Random(seed if alike else seed + copy)
            x, y = self.x + 12 * (copy - copies // 2), 3 + r.uniform(0, 5)
            keys = [self.key() for _ in range(links)]
            self.bodies += keys
            for k, key in enumerate(keys):
                self.lines.append(
                    f"b[{key}] = w.add_body({shape if self.maybe(0.7) else self.shape()}, "
                    f"({x + k:.5g}, {y:.5g}){self.body_options(speed, spin, ghost)})"
                )
            for k in range(1, links):
                parent = keys[k - 1 if form == "chain" else like.randrange(k)]
                ends = (f"b[{parent}]", f"b[{keys[k]}]")
                ends = ends[::-1] if like.random() < 0.2 else ends
                self.join(kind, *ends, x + k - 0.5, y, like)
            if root != "none":
                hold = "None"
                if root != "None":
                    holder = self.key()
                    hold = f"b[{holder}]"
                    self.lines.append(
                        f"{hold} = w.add_body(p2.Circle(0.2), ({x - 1:.5g}, {y:.5g}), "
                        f"kind={root!r}, mask=0, angular_velocity={self.number(-3, 3)})"
                    )
                to = keys[like.randrange(links)]
                self.join("revolute" if self.maybe(0.7) else "mixed", hold, f"b[{to}]", x, y, like)
            if loop and links > 2:
                self.join("mixed", f"b[{keys[0]}]", f"b[{keys[-1]}]", x + links / 2, y, like)
        if len(self.hinges) > 1 and self.maybe(0.15):
            p, q = r.sample(self.hinges, 2)
            key = self.key()
            self.joints.append(key)
            self.lines.append(
                f"j[{key}] = w.add_gear_joint(j[{p}], j[{q}], {self.power(-0.5, 0.5)}"
                + (f", max_torque={self.power(-1, 3)}" if self.maybe(0.3) else "")
                + (f", joint_hertz={5 * p % 40 + 1})" if (p + q) % 5 == 0 else ")")
            )
        if len(self.joints) > first and self.maybe(0.15):
            key = self.key()
            self.joints.append(key)
            self.lines.append(
                f"j[{key}] = w.add_mouse_joint(b[{self.one(self.bodies)}], target={self.place()}, "
                f"max_force={self.power(0, 4)})"
            )

    def net(self) -> None:
        """Pins, rods or springs in a grid."""
        n, kind = self.r.choice([2, 3, 4, 6]), self.r.choice(["revolute", "distance"])
        keys = [self.key() for _ in range(n * n)]
        self.bodies += keys
        like, seed = random.Random(), self.r.random()
        for k, key in enumerate(keys):
            x, y = self.x + 0.7 * (k % n), 9 - 0.7 * (k // n)
            self.lines.append(
                f"b[{key}] = w.add_body(p2.Circle(0.2), ({x:.5g}, {y:.5g}){', mask=0' * (n > 3)})"
            )
            for other in ([keys[k - 1]] if k % n else []) + ([keys[k - n]] if k >= n else []):
                like.seed(seed)
                self.join(kind, f"b[{other}]", f"b[{key}]", x, y, like)
        self.join("revolute", "None", f"b[{keys[0]}]", self.x, 9, like)

    def field(self) -> None:
        key = self.key()
        self.fields.append(key)
        self.lines.append(
            f"f[{key}] = "
            + self.r.choice(
                [
                    f"w.add_fluid({self.number(0, 6)}, {self.power(-1, 1)}, {self.number(0, 3)}, "
                    f"flow={self.vector(1)}, quadratic_drag={self.number(0, 1)})",
                    f"w.add_fluid([({self.x - 8}, 4), ({self.x}, 6), ({self.x + 8}, 3)], 2)",
                    f"w.add_drag(linear={self.power(-2, 0)}, quadratic={self.power(-3, 0)})",
                    f"w.add_drag(clamped={self.power(-2, 0)}, angular={self.power(-2, 0)})",
                    f"w.add_wind({self.vector(20)}, drag={self.number(0, 1)}, "
                    f"lift={self.number(0, 1)})",
                    f"w.add_point_gravity({self.place()}, {self.power(0, 4)}, "
                    f"softening={self.number(0.1, 1)}, power={self.r.choice([1, 2, 3])})",
                ]
            )
        )

    # what happens between steps

    def change(self) -> str:
        r, body, joint = self.r, self.one(self.bodies), self.one(self.joints)
        speed, spin = self.speed(), self.spin()
        kind = r.choice(["dynamic", "dynamic", "static", "kinematic"])
        far = self.maybe(self.far)
        place = f"({self.power(3, 15)}, {self.power(0, 15)})" if far else self.place()
        changes = [
            f"b[{body}].velocity = {self.vector(speed)}",
            f"b[{body}].angular_velocity = {r.gauss(0, spin):.5g}",
            f"w.velocities[b[{body}].index] = {self.vector(speed)}",
            f"w.angular_velocities[b[{body}].index] = {r.gauss(0, spin):.5g}",
            f"b[{body}].position = {place}",
            f"w.positions[b[{body}].index] = {place}",
            f"w.angles[b[{body}].index] = {r.gauss(0, 1e9 if far else 3):.5g}",
            f"b[{body}].kind = {kind!r}",
            f"b[{body}].mass = {self.power(-2, 3)}",
            f"b[{body}].apply_force({self.vector(100)}, {self.place()})",
            f"b[{body}].apply_impulse({self.vector(5)})",
            f"b[{body}].apply_torque({r.gauss(0, 10):.5g})",
            f"b[{body}].attach({self.shape()})",
            f"w.remove(b[{body}].colliders[0])",
            f"w.remove(b.pop({body}))",
            f"w.remove(b.pop({body}))",
            f"w.remove(j.pop({joint}))",
            f"w.remove(f.pop({self.one(self.fields)}))",
            f"b[{body}].sleep()",
            f"b[{body}].wake()",
            f"b[{body}].bullet = {self.maybe(0.5)}",
            f"b[{body}].enabled = {self.maybe(0.5)}",
            f"b[{body}].fixed_rotation = {self.maybe(0.5)}",
            f"b[{body}].colliders[0].sensor = {self.maybe(0.5)}",
            f"b[{body}].colliders[0].restitution = {self.number(0, 1)}",
            f"b[{body}].colliders[0].density = {self.power(-2, 2)}",
            f"w.explode({self.place()}, {self.power(0, 1.3)}, {self.power(-1, 2)})",
            f"w.gravity = {self.vector(10)}",
            f"w.slice(b[{body}], {self.place()}, {self.place()})",
            f"j[{joint}].motor_speed = {r.gauss(0, 10):.4g}",
            f"j[{joint}].set_limits({self.number(-1, 0.5)}, {self.number(0.5, 2)})",
            f"j[{joint}].spring_hertz = {self.power(-1, 1.3)}",
            f"j[{joint}].break_force = {self.power(-1, 3)}",
            f"b[{body}].move_to({self.place()}, {self.number(-1, 1)}, 0.016)",
            f"w.torques[b[{body}].index] = {r.gauss(0, 10):.4g}",
        ]
        return r.choice(changes)

    def late_change(self) -> str:
        """What came later, by numbers of its own, so that the other lines of a seed stay."""
        body, key = self.one(self.bodies), self.one([*self.bodies, *self.chains])
        collider = f"b[{key}].colliders[0]"
        changes = [
            f"b[{body}].colliders[0].shape = {self.shape()}",
            f"b[{body}].colliders[-1].set_shape({self.shape()}, update_mass={self.maybe(0.5)})",
            f"b[{self.one(self.chains)}].colliders[0].segments = {self.segments()}",
            f"{collider}.set_shape({CHAIN}, update_mass={self.maybe(0.5)})",
            f"{collider}.category = {self.r.choice([1, 2, 3])}",
            "w.refilter()",
            self.r.choice(FILTERS),
        ]
        return self.r.choice(changes)

    def reading(self) -> str:
        reads = [
            "w.positions.copy()",
            "w.contacts",
            "w.pairs",
            "w.joint_state",
            "w.islands",
            "w.aabbs",
            "w.awake",
            "w.forces",
            "w.events.contact_begin",
            "w.events.contact_end",
            "w.events.contact_hit",
            "w.events.sensor_begin",
            "w.events.joint_break",
            "w.events.body_move",
            "w.kinetic_energy()",
            "w.momentum()",
            f"w.cast_rays(np.array([{self.place()}]), {self.vector(20)})",
            f"[hit.fraction for hit in w.cast_ray_all({self.place()}, {self.vector(20)})]",
            f"[c.index for c in w.query_aabb({self.place()}, {self.place()})]",
            f"w.distances(np.array([{self.place()}]), k=3)",
            f"b[{self.one(self.bodies)}].contacts",
            f"w.contact({self.r.randrange(1, 40)})",
        ]
        return f"see({self.r.choice(reads)})"


FORCES = (
    "w.on_force = lambda w: w.forces.__isub__(0.5 * w.velocities)",
    "w.on_force = lambda w: w.torques.__isub__(0.01 * w.angular_velocities)",
    "w.on_force = lambda w: w.velocities.__imul__(0.999)",
)
PRE_SOLVE = (
    "w.on_pre_solve = lambda c: c['friction'].__imul__(0.5)",
    "w.on_pre_solve = lambda c: c['enabled'].__iand__(c['normal'][:, 1] > 0)",
    "w.on_pre_solve = lambda c: c['tangent_speed'].__iadd__(1.0)",
)
CHAIN = "p2.Chain([(-30, 20), (-25, 0), (-6, -1), (3, 0.5), (25, 0), (30, 20)])"
FILTERS = (
    "w.pair_filter = lambda p: p['collider_b'] % 3 != 1",
    "w.pair_filter = lambda p: (p['body_a'] + p['body_b']) % 2 == 0",
    "w.pair_filter = lambda p: np.ones(len(p), bool)",
    "w.pair_filter = None",
)
BROADPHASES = ("'tree'", "'all_pairs'", "('grid', 'tree', 'all_pairs')[WORKERS - 1]")
STEPS = ("1 / 60", "1 / 60", "1 / 60", "1 / 60", "1 / 30", "1 / 240", "0.1")


def _settings(r: random.Random, neighbours: bool) -> list[str]:
    """Of the world: `w = p2.World(...)`."""
    impulses = r.random() < 0.12
    options = [f"gravity=({r.choice([0, 0, r.gauss(0, 5)]):.4g}, {r.choice([0, -10, -10, -10])})"]
    chances = [
        (0.4, f"broadphase={r.choice(BROADPHASES)}"),
        (0.4, "sleeping=False"),
        (0.15, "continuous=False"),
        (0.2, f"max_speed={r.choice([10, 1e4] if neighbours else [10, 1e4, 1e9])}"),
        (0.1, f"max_angular_speed={r.choice([10, 1e9])}"),
        (0.1, f"restitution_rule={r.choice(['min', 'average', 'multiply'])!r}"),
        (0.1, f"restitution_threshold={r.choice([0, 5])}"),
    ]
    if impulses:
        options.append("solver='sequential_impulses'")
        chances += [
            (0.3, "warm_starting=False"),
            (0.3, "accumulate=False"),
            (0.3, f"iterations={r.choice([1, 4, 30])}"),
        ]
    else:
        chances += [
            (0.8, f"substeps={r.choice([1, 1, 2, 4, 4, 16])}"),
            (0.1, f"contact_hertz={r.choice([10, 120])}"),
            (0.1, f"joint_hertz={r.choice([10, 120])}"),
        ]
    options += [text for chance, text in chances if r.random() < chance]
    if not neighbours and r.random() < 0.12:
        options.append(f"wrap=({r.choice([12, 30, 80])}, {r.choice(['12', '40', 'math.inf'])})")
    return [f"w = p2.World({', '.join(options)}, workers=WORKERS)"]


def _fill(writer: Writer) -> None:
    if writer.maybe(0.6):
        writer.ground()
    parts = [writer.mechanisms, writer.mechanisms, writer.mechanisms, writer.heap, writer.net]
    for part in writer.r.choices(parts, weights=[4, 3, 2, 5, 1], k=writer.r.randint(1, 3)):
        part()


def _large(seed: int, r: random.Random) -> list[str]:
    """A world of several bins, or with one that all threads share."""
    writer = Writer(r)
    lines = _settings(r, False)
    if r.random() < 0.5:
        writer.batch(r.randint(2600, 3600), r.choice([50, 80]))
    else:
        for k in range(r.randint(3, 5)):
            writer.x = 200.0 * k
            writer.batch(r.randint(600, 1200), r.choice([12, 25]))
    writer.x = -400.0
    _fill(writer)
    return lines + writer.lines + ["w.step(1 / 60)"] * 6


def program(seed: int, large: float = 0.005, with_late: bool = True) -> list[str]:
    """The lines of a world; `large`: how many of them have thousands of bodies.

    with_late: with what came later (`Writer.late_change`), in half of the worlds.
    """
    r = random.Random(f"world {seed}")
    if r.random() < large:
        return _large(seed, r)
    writer = Writer(r)
    lines = _settings(r, False)
    _fill(writer)
    for _ in range(r.choice([0, 0, 1, 2])):
        writer.field()
    lines += writer.lines
    lines += [r.choice(FORCES)] if r.random() < 0.08 else []
    lines += [r.choice(PRE_SOLVE)] if r.random() < 0.15 else []
    late, seldom = Writer(random.Random(f"late {seed}")), random.Random(f"late lines {seed}")
    late.chains = writer.chains
    rate = seldom.choice([0, 0, 0.05, 0.3]) if with_late else 0
    lines += [late.late_change() for _ in range(2) if rate and late.chains]
    dt, busy = r.choice(STEPS), r.choice([0, 0.05, 0.3])
    for _ in range(r.randint(20, 40)):
        writer.lines = []
        while writer.maybe(busy):
            writer.lines.append(writer.change() if writer.maybe(0.7) else writer.reading())
            if writer.maybe(0.05):
                writer.heap()
            if writer.maybe(0.05):
                writer.mechanisms()
        dt = r.choice(STEPS) if writer.maybe(0.03) else dt
        late.bodies = writer.bodies
        writer.lines += [late.late_change() for _ in range(2) if seldom.random() < rate]
        slow = r.random() < 0.03
        step = f"[*w.stages({dt})] if WORKERS == 2 else w.step({dt})" if slow else f"w.step({dt})"
        lines += [*writer.lines, step]
    return lines


def neighbours(seed: int) -> tuple[list[str], list[str]]:
    """A world, and the same with others far from it, whose bodies come after its own."""
    r = random.Random(f"neighbours {seed}")
    settings, writer = _settings(r, True), Writer(r)
    _fill(writer)
    own, steps, others = writer.lines, list[str](), Writer(r, APART, FIRST_NEIGHBOUR)
    for k in range(r.randint(1, 8)):
        others.x = APART * (k + 1)
        if k % 2 and r.random() < 0.5:  # the same again
            again = Writer(random.Random(f"neighbours {seed}"), others.x, others.next)
            _settings(again.r, True)
            _fill(again)
            others.next = again.next
            others.lines += again.lines
        else:
            _fill(others)
    dt, busy = r.choice(STEPS), r.choice([0, 0.05, 0.3])
    writer.far = 0
    for _ in range(r.randint(10, 25)):
        while r.random() < busy:
            steps.append(writer.change())
        steps.append(f"w.step({dt})")
    return settings + own + steps, settings + own + others.lines + steps
