"""The live canvas for notebooks (extra ``jupyter``): see a world, grab its bodies, throw them.

Examples
--------
In a notebook::

    import pyphys2d as p2
    from pyphys2d.jupyter import WorldView

    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    for k in range(10):
        world.add_body(p2.Box(1, 1), (0, 0.5 + k))
    WorldView(world)
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import operator
import re
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyphys2d import Body, Shape, World, _page, _png, _view, plot
from pyphys2d._live import COLORS, LAYERS, Message, Session
from pyphys2d.traces._live import Live, marks

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError(
        "pyphys2d.jupyter needs anywidget: install the extra, pip install 'pyphys2d[jupyter]'"
    ) from error

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

HEIGHTS = (80, 4000)
DT = 1 / 60  # seconds per step, if none are told
SVG = re.compile(r"<svg\b.*</svg>", re.DOTALL)
MOST_STILL = 300_000  # characters of the picture that goes along with a widget

# One session a world, however many views show it. A session holds its world, so the dictionary is
# by identity, and a session lives as long as a view does.
_sessions: weakref.WeakValueDictionary[int, Session] = weakref.WeakValueDictionary()


def _session_of(world: World, dt: float, before_step: Any) -> Session:
    session = _sessions.get(id(world))
    if session is None or session.world is not world:
        session = Session(world, dt=dt, before_step=before_step)
        _sessions[id(world)] = session
    else:  # a cell that was changed and is run again, or another view
        session.begin_controls()
        if before_step is not None:
            session.before_step = before_step
        if dt != DT:
            session.dt = dt
    return session


def _check_callable(act: object, name: str = "act") -> None:
    if not callable(act):
        raise TypeError(f"{name}: must be callable, got {type(act).__name__}")


class WorldView(anywidget.AnyWidget):
    """A world, alive under the mouse.

    It runs in real time while it is seen and no cell runs; cells run as ever, and what they change
    shows at once. Views of one world show one run. Bodies are dragged with the mouse, a finger, or
    by keyboard (F chooses a body, Enter takes it, arrow keys move it, Enter throws it).

    Parameters
    ----------
    world : World
    height : int
        Of the view, pixels.
    playing : bool
        Whether the world runs from the beginning.
    dt : float
        Seconds per step.
    before_step : callable, optional
        Called as ``before_step(world, step)`` before each step.
    theme : {"auto", "light", "dark"}
    view : (x_min, y_min, x_max, y_max), optional
        The part to show at first, metres; by default what moves and what is near.
    follow : Body or str, optional
        The body that the view goes along with, or its name.
    color : {"state", "body", "shape", "speed", "island"}
        What colours say at first.
    layers : sequence of str
        What is drawn besides at first: "contacts", "normals", "velocities", "bounds", "tree",
        "islands", "trails", "names".

    All views of one world show it alike at first: as the last that was made says. They have one
    ``before_step`` and one ``dt``, those that were told last. A cell that is run again replaces the
    controls of its view by those of the same labels.

    Raises
    ------
    TypeError
        For something that is no World.
    ValueError
        For a body of another world, and numbers and names that are none.
    """

    _esm = _page.bundle("widget") + "\nexport default { render: renderWidget };\n"
    height = traitlets.Int(420).tag(sync=True)
    theme = traitlets.Enum(("auto", "light", "dark"), "auto").tag(sync=True)
    still = traitlets.Unicode().tag(
        sync=True
    )  # SVG: what is seen before Python answers, or if never

    def __init__(
        self,
        world: World,
        *,
        height: int = 420,
        playing: bool = False,
        dt: float = DT,
        before_step: Callable[[World, int], None] | None = None,
        theme: str = "auto",
        view: Sequence[float] | None = None,
        follow: Body | str | None = None,
        color: str | None = None,
        layers: Sequence[str] = (),
    ) -> None:
        if not isinstance(world, World):
            raise TypeError(f"world: must be a World, got {type(world).__name__}")
        if not (isinstance(dt, int | float) and 0 < dt <= 1):
            raise ValueError(f"dt: must be > 0 and <= 1 s, got {dt!r}")
        if before_step is not None:
            _check_callable(before_step, "before_step")
        try:
            rows = operator.index(height)
        except TypeError:
            raise TypeError(f"height: must be an integer, got {type(height).__name__}") from None
        if not HEIGHTS[0] <= rows <= HEIGHTS[1]:
            raise ValueError(f"height: must be from {HEIGHTS[0]} to {HEIGHTS[1]}, got {height}")
        box = None if view is None else _view.checked(view)
        _check_follow(world, follow)
        if color is not None and color not in COLORS:
            raise ValueError(f"color: must be one of {', '.join(COLORS)}, got {color!r}")
        chosen = (layers,) if isinstance(layers, str) else tuple(layers)
        for layer in chosen:
            if layer not in LAYERS:
                raise ValueError(f"layers: must be of {', '.join(LAYERS)}, got {layer!r}")
        super().__init__(height=rows, theme=theme)
        session = self.session = _session_of(world, dt, before_step)
        session.view = session.view if box is None else box
        session.color = session.color if color is None else color
        session.shown = chosen or session.shown
        if follow is not None:
            session.set_follow(follow)
        session.refresh()
        self._names: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self.on_msg(self._received)
        if playing:
            self.session.play()

    @property
    def world(self) -> World:
        """The world that is shown."""
        return self.session.world

    def follow(self, body: Body | str | None) -> None:
        """Have all views of the world go along with a body, or with None.

        Parameters
        ----------
        body : Body or str
            Of this world, or a name.
        """
        _check_follow(self.world, body)
        self.session.set_follow(body)

    # ------------------------------------------------------------------------------------- controls
    def play(self) -> None:
        """Run."""
        self.session.play()

    def pause(self) -> None:
        """Wait."""
        self.session.play(False)

    def step(self) -> None:
        """One step, and wait."""
        self.session.step()

    def reset(self) -> None:
        """Put the world back to how it was when its first view was made."""
        self.session.reset()

    def on_click(self, act: Callable[[npt.NDArray[np.float64], Body | None], None]) -> None:
        """Call ``act(point, body)`` for clicks; the body that is there, or None."""
        _check_callable(act)
        self.session.on_click = act

    def on_key(self, act: Callable[[str, bool], None], keys: Sequence[str]) -> None:
        """Call ``act(key, down)`` for these keys, as browsers name them: "a", "ArrowLeft"."""
        _check_callable(act)
        self.session.keys = tuple(str(key) for key in keys)
        self.session.on_key = act
        self.session.refresh()

    def add_slider(
        self,
        label: str,
        target: Callable[[float], None] | tuple[Any, str],
        *,
        min: float = 0.0,
        max: float = 1.0,
        step: float | None = None,
        value: float | None = None,
        unit: str = "",
    ) -> None:
        """A slider under the canvas.

        Parameters
        ----------
        label : str
        target : callable or (object, name)
            Called with the number, or the attribute that it is assigned to:
            ``view.add_slider("friction", (collider, "friction"))``.
        min, max, step : float
        value : float, optional
            At first; default: the attribute, or ``min``.
        unit : str
        """
        low, high = float(min), float(max)
        if not (np.isfinite([low, high]).all() and low < high):
            raise ValueError(f"min, max: must be finite and min < max, got {min!r}, {max!r}")
        if step is not None and not 0 < float(step) < np.inf:
            raise ValueError(f"step: must be > 0 and finite, got {step!r}")
        if value is not None and not low <= float(value) <= high:
            raise ValueError(f"value: must be from min to max, {low:g} to {high:g}, got {value!r}")
        if not (callable(target) or (isinstance(target, tuple) and len(target) == 2)):
            raise TypeError(
                f"target: must be callable or (object, name), got {type(target).__name__}"
            )
        get: Callable[[], float] | None = None
        if callable(target):
            put = target
            first = low if value is None else float(value)
        else:
            owner, name = target
            first = float(getattr(owner, name)) if value is None else float(value)

            def put(number: float) -> None:
                setattr(owner, name, number)

            def get() -> float:
                return float(getattr(owner, name))

        if value is not None:
            put(first)
        self.session.add_control(
            "slider",
            label,
            get,
            put,
            value=first,
            min=low,
            max=high,
            step=(high - low) / 200 if step is None else float(step),
            unit=unit,
        )

    def add_settings(self) -> None:
        """Gravity, substeps, iterations and the solver under the canvas, to change at any time.

        Iterations are those of ``"sequential_impulses"``. *Start again* puts all of them back.
        """
        self.session.add_settings()

    def add_body_on_click(self, shape: Shape, **options: Any) -> None:
        """Add a body of this shape where the canvas is clicked; options as `World.add_body` has."""
        if not isinstance(shape, Shape):
            raise TypeError(f"shape: must be a Shape, got {type(shape).__name__}")

        def add(point: npt.NDArray[np.float64], body: Body | None) -> None:
            if body is None:
                self.world.add_body(shape, point, **options)

        self.on_click(add)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The view, and a picture of the world for where there is no kernel."""
        return self._with_still(
            super()._repr_mimebundle_(**options),
            self.world._repr_html_(),
            lambda axes: plot.world(self.world, axes),
        )

    def _with_still(self, bundle: Any, picture: str | None, draw: Callable[[Axes], object]) -> Any:
        found = SVG.search(picture or "")
        self.still = found[0] if found and len(found[0]) <= MOST_STILL else ""
        if bundle is None or picture is None:
            return bundle
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        # Pages that show notebooks of strangers keep pictures, and take drawings out of the text.
        image = f'<img alt="the world as it was" src="{_page.address(self.still)}">'
        stills = {"text/html": SVG.sub(lambda _: image, picture) if self.still else picture}
        pixels = _png.png(draw)
        if pixels is not None:
            stills["image/png"] = base64.b64encode(pixels).decode()
        return {**data, **stills}, metadata

    # ------------------------------------------------------------------------------------- messages
    def _received(self, widget: Any, content: Any, buffers: Any) -> None:
        if not isinstance(content, dict) or not isinstance(content.get("client"), str):
            return
        name = content["client"][:64]
        if content.get("type") == "hello" and name not in self._names:
            self._names.add(name)
            self.session.connect(name, lambda message, data: self._tell(name, message, data))
        try:
            self.session.receive(name, content)
        except ValueError as error:
            self._tell(name, {"type": "error", "text": str(error)}, b"")
        if content.get("type") == "bye":
            self._names.discard(name)
        self._start()

    def _tell(self, name: str, message: Message, data: bytes) -> None:
        self.send({**message, "client": name}, [data] if data else [])

    def _start(self) -> None:
        """Have the session ticked, as long as anyone looks at it."""
        running = getattr(self.session, "task", None)
        if running is not None and not running.done():
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # no kernel: whoever owns the view calls session.tick()
        self.session.task = loop.create_task(_run(weakref.ref(self.session)))

    def close(self) -> None:
        """Take the view away."""
        # Also called of a view that was refused when it was made.
        names = vars(self).get("_names", set())
        for name in list(names):
            self.session.disconnect(name)
        names.clear()
        super().close()


class TraceView(WorldView):
    """A trace whose shapes can be dragged: what is drawn is the trace of where they are.

    Made by ``trace.live()``. Where there is no kernel, as in a saved notebook, it is the still
    picture of the trace that it was made from.

    Parameters
    ----------
    trace : SatTrace, ClipTrace, GjkTrace or ToiTrace
    height : int
        Of the view, pixels.
    theme : {"auto", "light", "dark"}

    Attributes
    ----------
    trace
        The present one.
    """

    def __init__(self, trace: Live, *, height: int = 420, theme: str = "auto") -> None:
        if not isinstance(trace, Live):
            raise TypeError(f"trace: must be one with live(), got {type(trace).__name__}")
        world = World(gravity=(0, 0))
        self._first = self._trace = trace
        self._places: list[tuple[float, ...]] = []
        for name, shape, pose in trace._bodies():
            # They wait: what overlaps stays where it is.
            world.add_body(shape, pose[:2], angle=pose[2], mass=1, mask=0, name=name)
        super().__init__(world, height=height, theme=theme)
        session = self.session
        session.title = f"{trace!r}. The shapes can be dragged."
        session.color, session.shown = "body", ("names",)
        session.on_drag = lambda body, point: False  # they are put where the pointer is
        self._shift = trace._shift()
        session.marks = self._marks
        for body in world.bodies:
            self._add_turn(body)
        session.view = self._extent(session.marks())

    @property
    def trace(self) -> Live:
        """The trace of the shapes where they are now."""
        poses = [np.array([*body.position, body.angle]) for body in self.world.bodies]
        places = [tuple(pose.tolist()) for pose in poses]
        if places != self._places:
            self._places = places
            self._trace = self._first._moved(poses)
        return self._trace

    def _marks(self) -> list[Message]:
        trace = self.trace
        caption = {"kind": "legend", "points": [], "text": repr(trace)[1:-1]}
        return [*marks(trace, self._shift), caption]

    def _extent(self, drawn: list[Message]) -> tuple[float, float, float, float]:
        """What is shown at first: all that is drawn, and room to move."""
        drawing = self.world.draw_list(joints=False, contacts=False)
        points = [point for mark in drawn for point in mark["points"]]
        spots = np.concatenate([drawing.aabbs.reshape(-1, 2), np.reshape(points, (-1, 2))])
        lower, upper = spots.min(axis=0), spots.max(axis=0)
        room = 0.15 * float((upper - lower).max())
        left, low = (lower - room).tolist()
        right, high = (upper + room).tolist()
        return left, low, right, high

    def _add_turn(self, body: Body) -> None:
        def turn(degrees: float) -> None:
            body.angle = np.radians(degrees)

        self.session.add_control(
            "slider",
            f"Angle of {body.name}",
            lambda: round(float(np.degrees(body.angle)), 1),
            turn,
            min=-180.0,
            max=180.0,
            step=0.5,
            unit="°",
        )

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The view, and the still picture for where there is no kernel."""
        trace = self._first
        kind = type(trace).__name__.removesuffix("Trace").lower()
        return self._with_still(
            super()._repr_mimebundle_(**options),
            trace._repr_html_(),
            lambda axes: getattr(plot, kind)(trace, axes),
        )


def _check_follow(world: World, body: Any) -> None:
    if body is None:
        return
    if isinstance(body, str):
        if not any(each.name == body for each in world.bodies):
            raise ValueError(f"follow: the world has no body of the name {body!r}")
    elif not isinstance(body, Body):
        raise TypeError(f"follow: must be a Body, a name or None, got {type(body).__name__}")
    elif not body.alive or body.world is not world:
        raise ValueError(f"follow: must be a body of this world, got {body!r}")


async def _run(session: weakref.ref[Session]) -> None:
    awake = asyncio.Event()
    alive = session()
    if alive is None:
        return
    loop = asyncio.get_running_loop()

    def wake() -> None:
        loop.call_soon_threadsafe(awake.set)

    alive.wake = wake
    while alive is not None and alive.clients:
        awake.clear()
        pause = alive.tick()
        alive = None  # a session that nobody holds ends
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(awake.wait(), pause)
        alive = session()


def play(name: str, *, height: int = 480) -> WorldView:
    """A demo, a scene of the library or a scene file, alive: see ``python -m pyphys2d play``.

    Parameters
    ----------
    name : str
        ``"grabbing"``, ``"normals"``, ``"collision"``, ``"tunneling"``, a name that
        ``python -m pyphys2d scenes`` lists, or the path of a scene file.
    height : int
        Of the view, pixels.

    Raises
    ------
    pyphys2d.scenes.SceneError
        If there is no such scene, or the file is wrong.
    """
    from pyphys2d import play as _play

    session = _play.session(name)
    _sessions[id(session.world)] = session
    view = WorldView(session.world, height=height)
    assert view.session is session
    return view
