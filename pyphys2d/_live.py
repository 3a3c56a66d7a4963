"""Sessions: a world that is stepped in real time and shown to any number of clients.

A session knows nothing of how messages travel: widgets and pages give it a function that sends, and
hand it what their users did. Its methods may be called from any thread. The messages are those of
``web/live.js``.
"""

from __future__ import annotations

import contextlib
import operator
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pyphys2d import Body, RemovedError, World, _arguments, _player, _view
from pyphys2d._snapshot import data_of, set_data

if TYPE_CHECKING:
    import numpy.typing as npt

Message: TypeAlias = dict[str, Any]
Send: TypeAlias = Callable[[Message, bytes], None]

FRAMES_UNDER_WAY = 2
LOST = 1.0  # seconds after which a frame that nobody acknowledged no longer counts
STEPPING = 0.012  # seconds of a tick that steps may take; the world goes slower then
LONGEST_TICK = 0.3  # seconds of real time that a tick makes up for
WATCH = 0.25  # seconds between looks at what else changed in a world
SHORTEST_PAUSE = 0.001  # seconds between ticks
ASLEEP = 0.2  # seconds between ticks of a world in which nothing moves
CLOCK = 1.0  # seconds after which views of such a world are told its time
PULL = 200.0  # the most that the pointer pulls with, in weights at 9.81 m/s² of the body
MOST_CONTACTS = 20000
MOST_CLIENTS = 32
MOST_NAMES = 5000  # bodies whose names are looked at while they are seen
SPEEDS = (0.01, 100.0)
LAYERS = (
    "joints",
    "contacts",
    "normals",
    "velocities",
    "bounds",
    "tree",
    "islands",
    "trails",
    "names",
    "grid",
)
SENSOR, CONCAVE, ONE_SIDED = 1, 2, 4  # flags of colliders in web/drawing.js
COLORS = ("state", "body", "shape", "speed", "island")


@dataclass(slots=True)
class Client:
    """One view: what it wants to see and which frames are under way to it."""

    send: Send
    visible: bool = True
    layers: frozenset[str] = frozenset({"joints"})
    color: str = "state"
    scene: int = -1  # the number of the scene that it has
    shown: tuple[Any, ...] = ()  # what its last frame was made of
    frames: dict[int, float] = field(default_factory=dict)  # number: time of sending
    number: int = 0

    @property
    def waits(self) -> bool:
        """Whether it is sent nothing before it acknowledges what is under way."""
        return len(self.frames) >= FRAMES_UNDER_WAY


@dataclass(slots=True)
class Control:
    """A slider, choice, toggle or button under the canvas."""

    message: Message
    get: Callable[[], Any] | None
    set: Callable[[Any], None]
    earlier: bool = False  # made for a view before the last one: one of its label takes its place


class Session:
    """A world that runs, or waits, and that clients look at.

    Parameters
    ----------
    world : World
    dt : float
        Seconds per step.
    before_step : callable, optional
        ``before_step(world, step)``.
    remake : callable, optional
        Gives ``(world, before_step)`` anew for *start again*; by default the world is put back to
        its state of now.
    marks : callable, optional
        ``marks() -> list``: lines and words to draw on top (see ``drawMarks`` in
        ``web/renderer.js``).
    view : tuple of float, optional
        ``(x_min, y_min, x_max, y_max)``: what is shown at first.
    title, note : str
        For screen readers; words shown in the corner.
    follow : Body or str, optional
        The body that the view goes along with, or its name, which a world made anew has too.
    keys : tuple of str
        Keys that the session wants to know of, named as browsers do.
    """

    def __init__(
        self,
        world: World,
        *,
        dt: float = 1 / 60,
        before_step: Callable[[World, int], None] | None = None,
        remake: Callable[[], tuple[World, Callable[[World, int], None] | None]] | None = None,
        marks: Callable[[], list[Message]] | None = None,
        view: tuple[float, float, float, float] | None = None,
        title: str = "",
        note: str = "",
        follow: Body | str | None = None,
        keys: tuple[str, ...] = (),
        playing: bool = False,
    ) -> None:
        self.world = world
        self.dt = dt
        self.before_step = before_step
        self.remake = remake
        self.marks = marks
        self.view = view
        self.title = title
        self.keys = keys
        self.playing = playing
        self.speed = 1.0
        self.note = self._first_note = note
        self.follow = follow
        self.color: str | None = None  # what bodies are coloured by at first
        self.shown: tuple[
            str, ...
        ] = ()  # layers that are on at first, besides those that always are
        self.lock = threading.RLock()
        self.clients: dict[str, Client] = {}
        self.controls: dict[str, Control] = {}
        self.on_click: Callable[[np.ndarray[Any, Any], Body | None], None] | None = None
        self.on_key: Callable[[str, bool], None] | None = None
        self.on_drag: Callable[[Body, npt.NDArray[np.float64]], bool] | None = None
        self.pressed: set[str] = set()
        self.wake: Callable[[], None] = lambda: None  # ends the pause of whoever calls tick
        self._scene = 0
        self._key: Any = None
        self._watched = 0.0
        self._owed = 0.0
        self._last: float | None = None
        self._still = False  # all that was last shown is static or asleep
        self._told = (0.0, 0.0)  # time of the world that clients know, and when they were told it
        # Who holds, the mouse joint or None, what, and how far its origin is from the pointer.
        self._grab: tuple[str, Any, Body, npt.NDArray[np.float64]] | None = None
        self._failed = False  # the note is an error's
        self._origin = np.zeros(2)
        self.task: Any = None  # what ticks it, in a notebook
        # User data is kept as it is: a start again puts back the same objects.
        self._start = None if remake else world.snapshot(user_data=False)
        self._user_data = None if remake else data_of(world)

    # ------------------------------------------------------------------------------------- clients
    def connect(self, name: str, send: Send) -> None:
        """Begin to show the world to a client; one of the same name is forgotten."""
        with self.lock:
            while len(self.clients) >= MOST_CLIENTS:
                self.clients.pop(next(iter(self.clients)))
            self.clients[name] = Client(send)
            send({"type": "state", **self._state()}, b"")
        self.wake()

    def disconnect(self, name: str) -> None:
        """Forget a client; what it holds is let go."""
        with self.lock:
            self.clients.pop(name, None)
            if self._grab is not None and self._grab[0] == name:
                self._let_go()

    def receive(self, name: str, message: Any) -> None:
        """What a client's user did. Anything that is no such message raises ValueError."""
        with self.lock:
            waits = name in self.clients and self.clients[name].waits
            try:
                self._receive(name, message)
            except RemovedError:
                self._grab = None
            acknowledged = isinstance(message, Mapping) and message.get("type") == "ack"
        if waits or not acknowledged:
            self.wake()

    def _receive(self, name: str, message: Any) -> None:
        client = self.clients.get(name)
        if client is None:
            return
        if not isinstance(message, Mapping):
            raise ValueError(f"message: must be an object, got {type(message).__name__}")
        kind = message.get("type")
        if kind == "ack":
            last = _integer(message, "frame")  # it, and those before it
            for number in [number for number in client.frames if number <= last]:
                del client.frames[number]
        elif kind == "view":
            layers = message.get("layers", {})
            if not isinstance(layers, Mapping):
                raise ValueError("layers: must be an object")
            client.visible = bool(message.get("visible", True))
            client.layers = frozenset(each for each in LAYERS if layers.get(each))
            client.color = str(message.get("color", "state"))
            client.shown = ()
        elif kind == "grab":
            self._grabbed(name, message)
        elif kind == "control":
            self._control(str(message.get("name")), message.get("value"))
        elif kind == "set":
            self._set(str(message.get("id")), message.get("value"))
        elif kind == "key":
            self._pressed(str(message.get("key")), bool(message.get("down")))
        elif kind == "click":
            self._clicked(client, message)
        elif kind == "hello":
            client.scene, client.frames = -1, {}
            client.send({"type": "state", **self._state()}, b"")
        elif kind == "bye":
            self.disconnect(name)
        else:
            raise ValueError(f"type: no message {kind!r}")

    def _state(self) -> Message:
        return {"playing": self.playing, "speed": self.speed, "note": self.note}

    def tell(self, **changed: Any) -> None:
        """Send all clients a part of the state."""
        with self.lock:
            for client in list(self.clients.values()):
                client.send({"type": "state", **changed}, b"")

    # -------------------------------------------------------------------------------- what users do
    def play(self, playing: bool = True) -> None:
        """Run, or pause."""
        with self.lock:
            self.playing = playing
            self._last = None
            if playing and self._failed:
                self._failed, self.note = False, self._first_note
                self.tell(note=self.note)
            self.tell(playing=playing)
            with contextlib.suppress(RemovedError):
                self._hold()
        self.wake()

    def _hold(self) -> None:
        """What is held goes on to be: by a mouse joint where the world runs, else by its place."""
        if self._grab is None:
            return
        name, joint, body, arm = self._grab
        if joint is not None and not self.playing:
            arm = body.position - joint.target
            self.world.remove(joint)
            self._grab = (name, None, body, arm)
        elif joint is None and self.playing and self.on_drag is None and body.kind == "dynamic":
            self._grab = (name, self._mouse_joint(body, body.position - arm), body, arm)

    def _mouse_joint(self, body: Body, target: npt.NDArray[np.float64]) -> Any:
        return self.world.add_mouse_joint(
            body, target=target, max_force=PULL * 9.81 * max(body.mass, 1e-9)
        )

    def step(self) -> None:
        """One step, and pause."""
        with self.lock:
            self.play(False)
            self._advance(1)

    def reset(self) -> None:
        """Back to the start."""
        with self.lock:
            self._let_go()
            if self.remake is not None:
                self.world, self.before_step = self.remake()
                self._key = None
            else:
                assert self._start is not None
                assert self._user_data is not None
                self.world.restore(self._start, user_data=False)
                set_data(self.world, self._user_data)
            self.note = self._first_note
            self.tell(note=self.note)
            for client in self.clients.values():
                client.shown = ()
        self.wake()

    def replace_world(self, world: World) -> None:
        """Go on with another world."""
        with self.lock:
            self._let_go()
            self.world = world
            self._key = None
        self.wake()

    def _control(self, name: str, value: Any) -> None:
        if name == "toggle":
            self.play(not self.playing)
        elif name == "step":
            self.step()
        elif name == "reset":
            self.reset()
        elif name == "speed":
            self.speed = min(SPEEDS[1], max(SPEEDS[0], _number(value, "speed")))
            self.tell(speed=self.speed)
        else:
            raise ValueError(f"control: no control {name!r}")

    def _set(self, id: str, value: Any) -> None:
        control = self.controls.get(id)
        if control is None:
            raise ValueError(f"set: no control {id!r}")
        kind = control.message["kind"]
        if kind == "slider":
            low, high = control.message["min"], control.message["max"]
            value = min(high, max(low, _number(value, id)))
        elif kind == "choice":
            if value not in control.message["choices"]:
                raise ValueError(f"set: {value!r} is no choice of {id!r}")
        else:
            value = bool(value)
        self._guarded(control.set, value)

    def refresh(self) -> None:
        """Send the scene anew."""
        self._key = None
        self.wake()

    def add_control(
        self,
        kind: str,
        label: str,
        get: Callable[[], Any] | None,
        set: Callable[[Any], None],
        **more: Any,
    ) -> str:
        """Put a control under the canvas."""
        with self.lock:
            id = f"c{len(self.controls)}"
            for other, control in self.controls.items():
                said = control.message["kind"], control.message["label"]
                if control.earlier and said == (kind, label):
                    id = other
                    break
            message = {"id": id, "kind": kind, "label": label, **more}
            if get is not None:
                message["value"] = get()
            self.controls[id] = Control(message, get, set)
            self._key = None  # the scene is sent again
        self.wake()
        return id

    def begin_controls(self) -> None:
        """A view is made, maybe again, by a cell that is run again: its controls replace those of
        the same labels."""
        with self.lock:
            for control in self.controls.values():
                control.earlier = True

    def add_settings(self) -> None:
        """Put the world's own settings under the canvas: gravity, substeps, solver, iterations."""

        def number(name: str) -> Callable[[float], None]:
            return lambda value: setattr(self.world, name, round(value))

        def fall(value: float) -> None:
            self.world.gravity = (float(self.world.gravity[0]), -value)

        def iterations(value: float) -> None:
            if self.world.solver == "sequential_impulses":  # the other solver has none
                self.world.iterations = round(value)

        self.add_control(
            "slider",
            "Gravity",
            lambda: -float(self.world.gravity[1]),
            fall,
            min=0.0,
            max=25.0,
            step=0.05,
            unit="m/s²",
        )
        for label, get, put, most in (
            ("Substeps", lambda: self.world.substeps, number("substeps"), 32.0),
            ("Iterations", lambda: self.world.iterations, iterations, 50.0),
        ):
            self.add_control("slider", label, get, put, min=1.0, max=most, step=1.0)
        self.add_control(
            "choice",
            "Solver",
            lambda: self.world.solver,
            lambda name: setattr(self.world, "solver", name),
            choices=["soft_step", "sequential_impulses"],
        )

    def _pressed(self, key: str, down: bool) -> None:
        if key not in self.keys:
            return
        (self.pressed.add if down else self.pressed.discard)(key)
        if self.on_key is not None:
            self._guarded(self.on_key, key, down)

    def _clicked(self, client: Client, message: Mapping[str, Any]) -> None:
        point = _point(message)
        body = self._body(_integer(message, "body"))
        if body is not None:
            client.send({"type": "state", "note": _described(body)}, b"")
        elif self.on_click is None:
            client.send({"type": "state", "note": self.note}, b"")
        if self.on_click is not None:
            self._guarded(self.on_click, point, body)

    def _body(self, index: int) -> Body | None:
        if not 0 <= index < len(self.world.alive) or not self.world.alive[index]:
            return None
        return self.world.bodies[index]

    def _grabbed(self, name: str, message: Mapping[str, Any]) -> None:
        phase = message.get("phase")
        if phase == "up" or (self._grab is not None and self._grab[0] != name):
            if self._grab is not None and self._grab[0] == name:
                self._let_go()
            return
        point = _point(message)
        if phase == "down":
            self._let_go()
            body = self._body(_integer(message, "body"))
            if body is None or body.kind == "static":
                return
            arm = body.position - point
            joint = None
            if body.kind == "dynamic" and self.playing and self.on_drag is None:
                joint = self._mouse_joint(body, point)
            self._grab = (name, joint, body, arm)
        elif phase == "move" and self._grab is not None:
            _, joint, body, arm = self._grab
            if self.on_drag is not None and self.on_drag(body, point):
                return
            if joint is not None:
                joint.target = point
            else:
                body.position = point + arm  # placed while the world waits
                body.velocity = (0, 0)
        elif phase not in ("down", "move"):
            raise ValueError(f"phase: no phase {phase!r}")

    def _let_go(self) -> None:
        grab, self._grab = self._grab, None
        if grab is not None and grab[1] is not None:
            with contextlib.suppress(RemovedError):  # its body may have been removed meanwhile
                self.world.remove(grab[1])

    def _guarded(self, call: Callable[..., Any], *arguments: Any) -> bool:
        """Call what a user wrote; an exception of theirs pauses the world and is shown."""
        try:
            call(*arguments)
        except Exception as error:
            text = "".join(traceback.format_exception_only(error)).strip()
            self.playing = False
            self._failed = True
            self.note = text[:500]
            self.tell(playing=False, note=self.note)
            return False
        return True

    # ----------------------------------------------------------------------------------------- time
    def tick(self, now: float | None = None) -> float:
        """Step as real time wants, send frames to those that are ready.

        Returns
        -------
        float
            Seconds until the next tick is due.
        """
        with self.lock:
            now = time.monotonic() if now is None else now
            seen = [client for client in self.clients.values() if client.visible]
            if not seen:
                self._last = None
                return 0.5
            if self.playing:
                passed = 0.0 if self._last is None else min(LONGEST_TICK, now - self._last)
                self._last = now
                self._owed += passed * self.speed
                due = int(self._owed / self.dt)
                if due > 0:
                    self._owed -= due * self.dt
                    self._advance(due)
            if now - self._watched > WATCH or self._key is None:
                self._watched = now
                self._watch(now)
            for client in seen:
                self._show(client, now)
            if not self.playing:
                return 0.05 if self._grab else WATCH
            pause = (self.dt - self._owed) / self.speed  # until the next step is due
            if self._still and self.before_step is None and self._grab is None:
                pause = max(pause, ASLEEP)
            return min(WATCH, max(SHORTEST_PAUSE, pause))

    def _advance(self, steps: int) -> None:
        begin = time.perf_counter()
        for _ in range(steps):
            ok = self.before_step is None or self._guarded(
                self.before_step, self.world, self.world.step_count
            )
            if not ok or not self._guarded(self.world.step, self.dt):
                return
            if time.perf_counter() - begin > STEPPING:
                self._owed = 0.0
                return

    # --------------------------------------------------------------------------------------- frames
    def _watch(self, now: float) -> None:
        """Notice bodies and shapes that came and went."""
        drawing = self.world.draw_list(joints=False, contacts=False)
        key = (
            id(self.world),
            drawing.colliders.tobytes(),
            drawing.points.tobytes(),
            drawing.circles.tobytes(),
            len(drawing.states),
            [id(control) for control in self.controls.values()],
            [body.name for body in self.world.bodies]
            if len(self.world.bodies) <= MOST_NAMES
            else 0,
        )
        if key != self._key:
            self._key = key
            self._scene += 1
            self._scene_message = self._make_scene(drawing)
        self.tell_values()
        time, told = self._told
        if self.world.time != time and (not self.playing or now - told >= CLOCK):
            self._told = (self.world.time, now)
            self.tell(time=self.world.time)  # no frame does where nothing moves

    def tell_values(self) -> None:
        """Send controls the values that changed behind their back."""
        changed: dict[str, Any] = {}
        disabled: dict[str, bool] = {}
        for id, control in self.controls.items():
            if control.get is None:
                continue
            try:
                value = control.get()
            except Exception:  # of a body that was removed, mostly, which may come back
                gone = True
            else:
                gone = False
                if value != control.message.get("value"):
                    control.message["value"] = changed[id] = value
            if gone != control.message.get("disabled", False):
                control.message["disabled"] = disabled[id] = gone
        if changed or disabled:
            self.tell(values=changed, disabled=disabled)

    def _followed(self) -> int:
        """The slot of the body that views go along with, -1 for none."""
        body = self.follow
        if isinstance(body, str):
            found = [each for each in self.world.bodies if each.name == body]
            body = found[0] if found else None
        if body is None or not body.alive or body.world is not self.world:
            return -1
        return body.index

    def set_follow(self, body: Body | str | None) -> None:
        """Have all views go along with a body, or with none."""
        with self.lock:
            self.follow = body
            self._key = None
            self.tell(follow=self._followed())
        self.wake()

    def _make_scene(self, drawing: Any) -> tuple[Message, bytes]:
        rows = drawing.colliders
        flags = np.where(rows["sensor"], SENSOR, 0) | np.where(rows["convex"], 0, CONCAVE)
        flags |= np.where(rows["one_sided"], ONE_SIDED, 0)
        columns = [rows["body"], rows["kind"], rows["first"], rows["count"], flags]
        listed, data = _player.joined(
            {
                "colliders": np.column_stack(columns).astype(np.int32),
                "points": drawing.points.astype(np.float32),
                "rings": drawing.rings.astype(np.int32),
                "circles": drawing.circles.astype(np.float32),
            }
        )
        names = [""] * len(drawing.states)
        for body in self.world.bodies:
            names[body.index] = body.name or ""
        moving = drawing.states[rows["body"]] != 0
        box = _view.choose(drawing.aabbs[moving], drawing.aabbs[~moving], context=0.1)
        if self.view is not None:
            box = np.array(self.view, float).reshape(2, 2)
        self._origin = np.zeros(2) if box is None else np.nan_to_num(0.5 * (box[0] + box[1]))
        view = None if box is None else (box - self._origin).ravel().tolist()
        message = {
            "type": "scene",
            "bodies": len(drawing.states),
            "names": names if any(names) else None,
            "origin": self._origin.tolist(),
            "view": view,
            "title": self.title,
            "follow": self._followed(),
            "waits": self.on_drag is not None,  # and is not to be run
            "keys": list(self.keys),
            "color": self.color,
            "layers": list(self.shown),
            "controls": [control.message for control in self.controls.values()],
            "arrays": listed,
        }
        return message, data

    def _show(self, client: Client, now: float) -> None:
        for number, sent in list(client.frames.items()):
            if now - sent > LOST:
                del client.frames[number]
        if client.waits:
            return
        if client.scene != self._scene:
            client.scene = self._scene
            client.send(*self._scene_message)
            client.shown = ()
        wants = client.layers
        drawing = self.world.draw_list(
            shapes=False,
            joints="joints" in wants and len(self.world.joints) > 0,
            contacts=bool(wants & {"contacts", "normals"}),
        )
        self._still = not ((drawing.states == 1) | (drawing.states == 2)).any()
        marks = self.marks() if self.marks is not None else None
        if len(drawing.states) != self._scene_message[0]["bodies"]:
            self._key = None  # bodies came: the scene first
            return
        listed, data = _player.joined(self._frame_arrays(drawing, client))
        shown = (self._scene, data, repr(marks))
        if shown == client.shown:
            return
        client.shown = shown
        client.number += 1
        client.frames[client.number] = now
        message = {
            "type": "frame",
            "frame": client.number,
            "time": self.world.time,
            "arrays": listed,
        }
        if marks is not None:
            message["marks"] = marks
        client.send(message, data)
        self._told = (self.world.time, now)

    def _frame_arrays(self, drawing: Any, client: Client) -> dict[str, np.ndarray[Any, Any]]:
        wants, float32 = client.layers, np.float32
        poses = drawing.poses.copy()
        poses[:, :2] -= self._origin
        arrays: dict[str, np.ndarray[Any, Any]] = {
            "poses": poses.astype(float32),
            "states": drawing.states,
        }
        if "velocities" in wants or client.color == "speed":
            arrays["velocities"] = self.world.velocities.astype(float32)
        if "islands" in wants or client.color == "island":
            arrays["islands"] = self.world.islands.astype(np.int32)
        if "tree" in wants:
            arrays["tree"] = _tree(self.world, self._origin)
        if len(drawing.joints):
            columns = [drawing.joints[name] for name in ("kind", "first", "count")]
            arrays["joints"] = np.column_stack(columns).astype(np.int32)
            arrays["joint_points"] = (drawing.joint_points - self._origin).astype(float32)
        if wants & {"contacts", "normals"}:
            rows = drawing.contacts[:MOST_CONTACTS]
            parts = [
                rows["point"] - self._origin,
                rows["normal"],
                rows["normal_impulse"][:, None],
                rows["separation"][:, None],
            ]
            arrays["contacts"] = np.concatenate(parts, axis=1).astype(float32)
        return arrays


def _tree(world: World, origin: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Inner nodes of the tree that answers queries, (n, 5): lower and upper corner, height."""
    nodes = world.tree()
    inner = nodes[nodes["height"] > 0]
    parts = [inner["lower"] - origin, inner["upper"] - origin, inner["height"][:, None]]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _described(body: Body) -> str:
    """What a body is, where it is and how fast."""
    (x, y), speed = body.position, float(np.hypot(*body.velocity))
    name = body.name or f"body {body.index}"
    return f"{name} ({body.kind}) at ({x:.2f}, {y:.2f}) m, {speed:.2f} m/s"


# ---------------------------------------------------------------------------------------- arguments
def _number(value: Any, name: str) -> float:
    try:
        return _arguments.number(value, name)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _integer(message: Mapping[str, Any], name: str) -> int:
    try:
        return operator.index(message.get(name))  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"{name}: must be a whole number") from None


def _point(message: Mapping[str, Any]) -> npt.NDArray[np.float64]:
    return np.array([_number(message.get(name), name) for name in "xy"])
