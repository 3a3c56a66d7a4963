"""Pictures of worlds, bodies, colliders, shapes and manifolds as small self-contained SVG, y up.

Called by ``_repr_svg_`` and ``_repr_html_``. Static is grey, kinematic yellow, dynamic blue, asleep
pale; joints are lines, contact points dots. Everything is styled by attributes, since a style sheet
inside a notebook is one for the whole page; the colours can be seen on white and on black.

Whatever the numbers, the text is well-formed XML, and its coordinates are those of the page or at
most `OUTSIDE` pixels beyond: outlines are clipped. What is not finite is left out. The size of a
picture is bounded whatever the world: beyond `MOST_SHAPES` shapes there are boxes, beyond
`MOST_BOXES` a sample of them, and the caption says so. A world inside its own step, and what has
been removed, have no picture: None, so that the plain repr is shown.

Sources: I. Sutherland, G. Hodgman, "Reentrant polygon clipping" (1974); Y. Liang, B. Barsky, "A new
concept and method for line clipping" (1984).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from pyphys2d import _core, _view
from pyphys2d._core import Body, Collider, DrawList, RemovedError, Shape, World, WorldLockedError

if TYPE_CHECKING:
    import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[np.float64]"
Ints: TypeAlias = "npt.NDArray[np.intp]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"

OUTSIDE = 8.0  # pixels around the page where outlines end
SAME = 0.3  # pixels; lines that end and begin nearer are one
CHORD_ERROR = 0.1  # pixels between an outline and what is drawn of it, by halving
FAR = 1e100  # pixels
MOST_CHORDS = 20000

HATCH = 9.0  # pixels between strokes on the solid side of a chain
MOST_SHAPES = 3000
MOST_VERTICES = 60000
ROUND_VERTICES = 12  # of a rounded shape, whose arcs are thinned out
MOST_BIG_SHAPES = 1000  # among boxes
MOST_BOXES = 9000
MOST_DOTS = 2000
MOST_JOINTS = 1000
MOST_NAMES = 500

AREA, CIRCLE, LINE, LOOP = range(4)  # kind of a row of DrawList.colliders
STATIC, KINEMATIC, AWAKE, ASLEEP, SENSOR = range(5)  # DrawList.states, and sensors
# In the order of drawing; edges that dark pages do not hide.
STYLES = {
    STATIC: f'fill="{_view.FACES["static"]}" stroke="#7f7f7a"',
    KINEMATIC: f'fill="{_view.FACES["kinematic"]}" stroke="#a87a10"',
    ASLEEP: f'fill="{_view.FACES["asleep"]}" stroke="#6f9ab8"',
    AWAKE: f'fill="{_view.FACES["awake"]}" stroke="#2a7fb5"',
    SENSOR: 'fill="none" stroke="#cc79a7" stroke-dasharray="4 3"',
}
JOINT_STYLES = (  # by the kind of the drawing primitive
    'stroke="#8c8c8c" stroke-width="0.8"',
    'stroke="#00916a" stroke-width="1.5"',
    'stroke="#00916a" stroke-width="1" stroke-dasharray="4 3"',
    'stroke="#b0479a" stroke-width="1.5"',
)
FILTER = _core.JOINT_KINDS.index("filter")
# Everything below blank but tab and line ends, and the code points that are no characters.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def picture(thing: Any, html: bool) -> str | None:
    """The picture of what the engine's types give out; with ``html`` inside HTML, with a caption.

    Parameters
    ----------
    thing : World, Body, Collider, Shape or Manifold
    html : bool

    Returns
    -------
    str or None
    """
    with np.errstate(all="ignore"):
        if isinstance(thing, Shape):
            return _of_shape(thing)
        if isinstance(thing, World | Body | Collider):
            try:
                return _of_world(thing, html)
            except (WorldLockedError, RemovedError):
                return None
        return _of_manifold(thing, html)


# -------------------------------------------------------------------------------------------- text
def _escaped(text: str) -> str:
    text = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates
    return escape(NOT_XML.sub("\ufffd", text)).replace("&#x27;", "&#39;")


def _texts(points: Array, form: str = "%g %g") -> list[str]:
    """Rows of pixels as text, to a hundredth."""
    rounded = np.round(np.clip(points, -1e9, 1e9), 2) + 0.0  # no -0
    if not len(rounded):
        return []
    return ((form + "|") * len(rounded) % tuple(rounded.ravel().tolist())).split("|")[:-1]


def _pixels(value: float) -> str:
    return _texts(np.array([[value]]), "%g")[0]


def _number(value: float) -> str:
    return f"{value + 0.0:.6g}"


# -------------------------------------------------------------------------------------------- page
class _Page(NamedTuple):
    """What is seen: metres to pixels."""

    center: Array  # world
    scale: float
    width: float
    height: float

    @classmethod
    def of(cls, box: Array, width: float, height: float) -> _Page:
        """A page that shows a finite box with a margin and is at most so many pixels large."""
        center = 0.5 * box[0] + 0.5 * box[1]
        across, up = (box[1] - box[0]).tolist()
        size = max(across, up, 1e-14 * float(np.abs(center).sum())) or 1.0
        # A margin; and neither a strip nor a tower.
        across, up = max(across, 0.2 * size) + 0.1 * size, max(up, 0.2 * size) + 0.1 * size
        scale = min(width / across, height / up)
        return cls(center, scale, scale * across, scale * up)

    def place(self, points: Array) -> Array:
        return np.asarray(
            (points - self.center) * (self.scale, -self.scale)
            + (0.5 * self.width, 0.5 * self.height)
        )

    def sees(self, boxes: Array) -> Mask:
        """Which of the boxes (n, 2, 2) lie at least partly on the page; none with NaN."""
        left, low, right, high = self.sides(boxes)
        return np.asarray((left <= self.width) & (right >= 0) & (high <= self.height) & (low >= 0))

    def sides(self, boxes: Array) -> tuple[Array, Array, Array, Array]:
        """Left, lower, right and upper sides of boxes, pixels."""
        x, y = self.center.tolist()
        across, up = 0.5 * self.width, 0.5 * self.height
        return (
            across + self.scale * (boxes[:, 0, 0] - x),
            up - self.scale * (boxes[:, 0, 1] - y),
            across + self.scale * (boxes[:, 1, 0] - x),
            up - self.scale * (boxes[:, 1, 1] - y),
        )

    @property
    def paper(self) -> Array:
        """Where outlines end, pixels, (2, 2)."""
        return np.array([(-OUTSIDE, -OUTSIDE), (self.width + OUTSIDE, self.height + OUTSIDE)])

    def around(self, inside: str) -> str:
        size = _pixels(self.width), _pixels(self.height)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
            f'viewBox="0 0 {size[0]} {size[1]}"><g stroke-linejoin="round" '
            f'stroke-linecap="round" fill-rule="evenodd">{inside}</g></svg>'
        )


# ------------------------------------------------------------------------------ outlines, in pixels
def _inside(paper: Array, side: int, points: Array) -> Array:
    """How far points are inside the paper's side: left, top, right, bottom."""
    axis = side % 2
    distance = points[..., axis] - paper[side // 2, axis]
    return np.asarray(distance if side < 2 else -distance)


def _clipped_ring(ring: Array, paper: Array) -> Array:
    """Edges along the paper's sides may remain; they are not seen."""
    for side in range(4):
        if not len(ring):
            break
        after = np.roll(ring, -1, axis=0)
        at, then = _inside(paper, side, ring), _inside(paper, side, after)
        crossing = (at < 0) != (then < 0)
        share = np.where(crossing, at / np.where(crossing, at - then, 1), 0)
        both = np.stack([ring, ring + share[:, None] * (after - ring)], axis=1)
        ring = both[np.stack([at >= 0, crossing], axis=1)]
    return np.clip(ring, *paper)


def _clipped_lines(start: Array, end: Array, paper: Array) -> tuple[Array, Array, Mask]:
    """The parts of lines (n, 2) inside the paper, and which lines have one."""
    first, last = np.zeros(len(start)), np.ones(len(start))
    seen = np.ones(len(start), bool)
    for side in range(4):
        at, then = _inside(paper, side, start), _inside(paper, side, end)
        share = at / np.where(at == then, 1, at - then)
        seen &= (at >= 0) | (then >= 0)
        first = np.where(at < 0, np.maximum(first, share), first)
        last = np.where((at >= 0) & (then < 0), np.minimum(last, share), last)
    way = end - start
    # Onto the paper, from which rounding takes the ends of very long lines.
    ends = [np.clip(start + share[:, None] * way, *paper) for share in (first, last)]
    return ends[0], ends[1], seen & (first <= last)


def _lines(points: Array, paper: Array, closed: bool = False) -> str:
    """Path data of a polyline (n, 2)."""
    if not np.abs(points).sum() < FAR:
        return ""
    if closed:
        points = np.concatenate([points, points[:1]])
    inside = (points >= paper[0]).all() and (points <= paper[1]).all()
    if inside:
        return "M" + "L".join(_texts(points))
    start, end, seen = _clipped_lines(points[:-1], points[1:], paper)
    start, end = start[seen], end[seen]
    parts = []
    gaps = np.abs(start[1:] - end[:-1]).sum(axis=1) >= SAME
    for p, q, gap in zip(_texts(start), _texts(end), [True, *gaps.tolist()], strict=False):
        parts.append(f"M{p}L{q}" if gap else f"L{q}")
    return "".join(parts)


def _hatched(points: Array, paper: Array, closed: bool) -> str:
    """Path data of strokes on the solid side of a chain (n, 2), pixels."""
    after = np.roll(points, -1, axis=0) if closed else points[1:]
    before = points if closed else points[:-1]
    length = 0.7 * HATCH
    paper = paper + np.array([[length], [-length]])  # the strokes end on it, too
    strokes = _view.hatching(before, after, paper, spacing=HATCH, length=length, down=True)
    return "".join(_texts(strokes.reshape(-1, 4), "M%g %gL%g %g"))


def _thinned(points: Array, ring: Ints) -> tuple[Array, Ints]:
    """Without vertices that lie almost on the line between their neighbours, pass by pass.

    ``ring`` has the number of the ring of each point, rising; its ends stay.
    """
    while len(points) > 2:
        x, y = points.T
        across, up = x[2:] - x[:-2], y[2:] - y[:-2]
        right, high = x[1:-1] - x[:-2], y[1:-1] - y[:-2]
        square = across * across + up * up
        share = np.clip((right * across + high * up) / np.where(square > 0, square, 1), 0, 1)
        off = np.abs(right - share * across) + np.abs(high - share * up)
        starts = _starts(ring)
        place = np.arange(len(ring)) - np.repeat(starts, np.diff(np.append(starts, len(ring))))
        drop = (ring[:-2] == ring[2:]) & (place[1:-1] % 2 == 1) & (off <= CHORD_ERROR)
        if not drop.any():
            break
        keep = np.concatenate([[True], ~drop, [True]])
        points, ring = points[keep], ring[keep]
    return points, ring


def _starts(ring: Ints) -> Ints:
    """Where the rings of points begin, by the number of the ring of each point."""
    return np.flatnonzero(np.append(True, ring[1:] != ring[:-1]))


def _ranges(starts: Ints, counts: Ints) -> Ints:
    """All of start, start + 1, ... of count numbers each, one after another."""
    ends = np.cumsum(counts)
    return np.asarray(np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts,
                                                                          counts))  # fmt: skip


def _turned(points: Array, poses: Array) -> Array:
    """Points (n, 2) at poses (n, 3)."""
    cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    x, y = points[:, 0], points[:, 1]
    return np.column_stack([poses[:, 0] + cos * x - sin * y, poses[:, 1] + sin * x + cos * y])


def _closed(name: str, title: str | None) -> str:
    return "/>" if title is None else f"><title>{title}</title></{name}>"


# ------------------------------------------------------------------------------------------- scene
@dataclass
class _Scene:
    """What is drawn: rows of colliders, images of a wrapped world included, one entry each."""

    drawing: DrawList
    rows: Ints  # of drawing.colliders
    boxes: Array
    shifts: Array  # of images, metres
    styles: Ints
    names: dict[int, str] = field(default_factory=dict)  # escaped, by slot

    @classmethod
    def of(cls, drawing: DrawList, rows: Ints) -> _Scene:
        colliders = drawing.colliders[rows]
        styles = np.where(colliders["sensor"], SENSOR, drawing.states[colliders["body"]])
        boxes = drawing.aabbs[rows]
        return cls(drawing, rows, boxes, np.zeros((len(rows), 2)), styles.astype(np.intp))

    @property
    def moving(self) -> Mask:
        return np.asarray((self.styles != STATIC) & (self.styles != SENSOR))

    def at(self, chosen: Any) -> _Scene:
        """The entries that an index chooses."""
        return _Scene(self.drawing, self.rows[chosen], self.boxes[chosen], self.shifts[chosen],
                      self.styles[chosen], self.names)  # fmt: skip

    def with_images(self, wrap: Array) -> _Scene:
        """Every collider where it lies in the plane of a wrapped world, and once more for each
        other side over which a part of it comes in."""
        endless = ~np.isfinite(wrap)
        size = np.where(endless, 1.0, wrap)
        middle = 0.5 * self.boxes.sum(axis=1)
        home = np.where(endless, 0.0, -size * np.floor(middle / size))
        over = np.where(middle + home < 0.5 * size, size, -size)
        parts = []
        for across in ((0, 0), (1, 0), (0, 1), (1, 1)):
            if (endless & (np.array(across) > 0)).any():
                continue
            shift = home + across * over
            boxes = self.boxes + shift[:, None]
            seen = (((boxes[:, 0] <= wrap) & (boxes[:, 1] >= 0)) | endless).all(axis=1)
            seen |= across == (0, 0)
            parts.append((np.flatnonzero(seen), boxes[seen], shift[seen]))
        every = self.at(np.concatenate([chosen for chosen, _, _ in parts]))
        every.boxes = np.concatenate([boxes for _, boxes, _ in parts])
        every.shifts = np.concatenate([shift for _, _, shift in parts])
        return every

    # ---------------------------------------------------------------------------------- outlines
    def rings(self) -> tuple[Array, Ints, Ints]:
        """Points of all entries but circles, world frame, the ring of each, and the entry of each
        ring."""
        drawing, colliders = self.drawing, self.drawing.colliders[self.rows]
        counts = np.where(colliders["kind"] == CIRCLE, 0, colliders["count"])
        entry = np.repeat(np.arange(len(counts)), counts)
        ring = _ranges(colliders["first"].astype(np.intp), counts)
        lengths = np.diff(drawing.rings)[ring]
        points = drawing.points[_ranges(drawing.rings[ring].astype(np.intp), lengths)]
        poses = drawing.poses[colliders["body"][entry]]
        poses[:, :2] += self.shifts[entry]
        number = np.repeat(np.arange(len(ring)), lengths)
        return _turned(points, poses[number]), number, entry

    def vertices(self) -> Ints:
        """How many vertices the outline of each entry has, about."""
        colliders, ends = self.drawing.colliders[self.rows], self.drawing.rings
        circle, first = colliders["kind"] == CIRCLE, colliders["first"]
        safe = np.where(circle, 0, first)
        counts = ends[np.where(circle, 0, first + colliders["count"])] - ends[safe]
        return np.where(colliders["radius"] > 0, ROUND_VERTICES, counts).astype(np.intp)

    def edges(self) -> Array:
        """Boxes of the edges of what is not convex, (n, 2, 2): a part of it may be near, and the
        box of the whole around everything."""
        convex = self.drawing.colliders["convex"][self.rows]
        points, ring, _ = self.at(~convex).rings()
        same = ring[1:] == ring[:-1]
        p, q = points[:-1][same], points[1:][same]
        return np.stack([np.minimum(p, q), np.maximum(p, q)], axis=1)

    # ------------------------------------------------------------------------------------ elements
    def elements(self, page: _Page) -> list[str]:
        """Each entry as an element without colours (of the group around it); "" where it cannot be
        seen."""
        found = [""] * len(self.rows)
        seen = np.flatnonzero(page.sees(self.boxes))
        kinds = self.drawing.colliders["kind"][self.rows[seen]]
        for one, text in self._circles(page, seen[kinds == CIRCLE]):
            found[one] = text
        others = seen[kinds != CIRCLE]
        for one, data in zip(others.tolist(), self.at(others)._paths(page), strict=True):
            row = self.drawing.colliders[self.rows[one]]
            fill = "" if row["kind"] == AREA else 'fill="none" '
            found[one] = f'<path {fill}d="{data}"' + _closed("path", self.names.get(row["body"]))
        return found

    def _paths(self, page: _Page) -> list[str]:
        """Path data of each entry, none of which is a circle."""
        points, ring, entry = self.rings()
        data = [""] * len(self.rows)
        if not len(ring):
            return data
        points, ring = _thinned(page.place(points), ring)
        starts = _starts(ring)
        far = np.abs(points[:, 0]) + np.abs(points[:, 1])
        sound = np.add.reduceat(far, starts) < FAR
        paper = page.paper
        low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
        inside = (low >= paper[0]).all(axis=1) & (high <= paper[1]).all(axis=1)
        kinds = self.drawing.colliders["kind"][self.rows[entry]]
        one_sided = self.drawing.colliders["one_sided"][self.rows[entry]]
        texts = _texts(points)
        ends = [*starts[1:].tolist(), len(points)]
        for k, (start, end) in enumerate(zip(starts.tolist(), ends, strict=True)):
            if not sound[k]:
                continue
            if kinds[k] != AREA:
                text = _lines(points[start:end], paper, bool(kinds[k] == LOOP))
                if one_sided[k]:
                    text += _hatched(points[start:end], paper, bool(kinds[k] == LOOP))
            elif inside[k]:
                text = f"M{'L'.join(texts[start:end])}Z"
            else:
                cut = _texts(_clipped_ring(points[start:end], paper))
                text = f"M{'L'.join(cut)}Z" if cut else ""
            data[entry[k]] += text
        return data

    def _circles(self, page: _Page, entries: Ints) -> list[tuple[int, str]]:
        """Circles with a spoke that shows how they are turned; chords where the page ends."""
        if not len(entries):
            return []
        colliders = self.drawing.colliders[self.rows[entries]]
        circles = self.drawing.circles[colliders["first"]]
        poses = self.drawing.poses[colliders["body"]]
        poses[:, :2] += self.shifts[entries]
        centers = page.place(_turned(circles[:, :2], poses))
        radii = page.scale * circles[:, 2]
        rims = centers + radii[:, None] * np.column_stack([np.cos(poses[:, 2]),
                                                           -np.sin(poses[:, 2])])  # fmt: skip
        starts, ends, lies = _clipped_lines(centers, rims, page.paper)
        low, high = centers - radii[:, None], centers + radii[:, None]
        whole = ((low >= page.paper[0]) & (high <= page.paper[1])).all(axis=1)
        rows = zip(
            entries.tolist(),
            colliders["body"].tolist(),
            whole.tolist(),
            (lies & (radii > 3)).tolist(),
            _texts(np.column_stack([centers, radii]), '<circle cx="%g" cy="%g" r="%g"'),
            _texts(np.column_stack([starts, ends]), "M%g %gL%g %g"),
            strict=True,
        )
        found = []
        for k, (entry, body, complete, spoke, circle, line) in enumerate(rows):
            title, line = self.names.get(body), line if spoke else ""
            if complete:
                found.append((entry, f'{circle}{_closed("circle", title)}<path d="{line}"/>'))
                continue
            ring = _texts(_clipped_ring(_chords(page, centers[k], float(radii[k])), page.paper))
            data = f"M{'L'.join(ring)}Z" if ring else ""
            found.append((entry, f'<path d="{data}{line}"' + _closed("path", title)))
        return found


def _chords(page: _Page, center: Array, radius: float) -> Array:
    """A circle, pixels: all around, or the sector that can be seen of a very big one."""
    paper = page.paper
    size = float((paper[1] - paper[0]).sum())
    to = 0.5 * (paper[0] + paper[1]) - center
    distance = float(np.hypot(*to))
    whole = not (radius > 4 * size and distance > 0.5 * radius)
    half = np.pi if whole else 2 * size / radius
    # A chord of the angle t is off by r (1 - cos(t / 2)), about r t^2 / 8.
    count = int(min(np.ceil(2 * half / min(np.sqrt(8 * CHORD_ERROR / radius), 1)), MOST_CHORDS))
    middle = 0.0 if whole else float(np.arctan2(to[1], to[0]))
    turn = middle + np.linspace(-half, half, count + 1)
    ring = center + radius * np.column_stack([np.cos(turn), np.sin(turn)])
    return ring if whole else np.concatenate([center[None], ring])


# --------------------------------------------------------------------------------- joints, contacts
def _joints(world: World, page: _Page, mark_size: float, chosen: Ints, stride: int) -> str:
    """A path for each kind of drawing primitive, of every so manieth joint among those chosen."""
    drawing = world.draw_list(shapes=False, contacts=False, mark_size=mark_size)
    rows = drawing.joints
    rows = rows[(rows["joint"] % stride == 0) & np.isin(rows["joint"], chosen)]
    counts = rows["count"].astype(np.intp)
    points = page.place(drawing.joint_points[_ranges(rows["first"].astype(np.intp), counts)])
    data: list[list[str]] = [[] for _ in JOINT_STYLES]
    if len(rows):
        ends = np.cumsum(counts)
        low = np.minimum.reduceat(points, ends - counts)
        high = np.maximum.reduceat(points, ends - counts)
        seen = ((high >= 0) & (low <= (page.width, page.height))).all(axis=1)
        inside = ((low >= page.paper[0]) & (high <= page.paper[1])).all(axis=1)
        texts = _texts(points)
        for k in np.flatnonzero(seen).tolist():
            start, end = ends[k] - counts[k], ends[k]
            whole = f"M{'L'.join(texts[start:end])}" if inside[k] else None
            data[rows["kind"][k]].append(whole or _lines(points[start:end], page.paper))
    return "".join(
        f'<path fill="none" stroke-linecap="round" {style} d="{"".join(parts)}"/>'
        for style, parts in zip(JOINT_STYLES, data, strict=True)
    )


def _contacts(points: Array, page: _Page, size: float) -> str:
    if not len(points):
        return ""
    points = points[:: len(points) // MOST_DOTS + 1]
    points = points[page.sees(np.stack([points, points], axis=1))]
    dots = "".join(_texts(page.place(points), "M%g %gh0"))
    return f'<path fill="none" stroke="#d55e00" stroke-width="{_pixels(size)}" d="{dots}"/>'


def _center(body: Body, page: _Page) -> str:
    """The centre of mass of a dynamic body: a cross."""
    center = (
        body.to_world(body.center_of_mass)[None] if body.kind == "dynamic" else np.empty((0, 2))
    )
    if not page.sees(np.stack([center, center], axis=1)).any():
        return ""
    x, y = page.place(center)[0].tolist()
    style = 'stroke="#5f5f5f" stroke-width="1.5"'
    (data,) = _texts(np.array([(x - 4, y, x, y - 4)]), "M%g %gh8M%g %gv8")
    return f'<path {style} d="{data}"/>'


# ------------------------------------------------------------------------------------------- boxes
def _sampled(numbers: Ints, share: int) -> Mask:
    """About one in so many, scattered, so that no stripes appear."""
    k = numbers.astype(np.uint32)
    k = (k ^ k >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    k = (k ^ k >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return np.asarray((k ^ k >> np.uint32(16)) % np.uint32(share) == 0)


def _boxes(scene: _Scene, page: _Page) -> str:
    """Path data of boxes, not so small that they vanish."""
    left, low, right, high = page.sides(scene.boxes)
    left, top = np.maximum(left, -2), np.maximum(high, -2)
    right = np.maximum(np.minimum(right, page.width + 2), left + 1)
    bottom = np.maximum(np.minimum(low, page.height + 2), top + 1)
    columns = np.column_stack([left, top, right, bottom, left])
    return "".join(_texts(columns, "M%g %gH%gV%gH%gZ"))


# ------------------------------------------------------------------------------------- a world's
class _Choice(NamedTuple):
    """Shapes, boxes, or a sample of boxes."""

    share: int  # 0: shapes; else boxes of about one in so many
    as_shapes: Mask  # entries that are drawn as they are
    boxed: Mask  # entries that are drawn as boxes, the sample of those that are seen
    unseen: int  # entries beyond the page that move


def _choose(scene: _Scene, page: _Page, typical: float) -> _Choice:
    seen = page.sees(scene.boxes)
    vertices = scene.vertices()
    sizes = scene.boxes[:, 1] - scene.boxes[:, 0]
    big = sizes[:, 0] + sizes[:, 1] > 10 * typical
    count = int(seen.sum())
    few = count <= MOST_SHAPES and int(vertices[seen].sum()) <= MOST_VERTICES
    some = (
        int((big & seen).sum()) <= MOST_BIG_SHAPES
        and int(vertices[big & seen].sum()) <= MOST_VERTICES / 2
    )
    as_shapes = np.ones(len(seen), bool) if few else big & some
    share = 0 if few else -(-count // MOST_BOXES)
    boxed = seen & ~as_shapes
    if share > 1:
        boxed &= _sampled(scene.drawing.colliders["collider"][scene.rows], share)
    return _Choice(share, as_shapes & seen, boxed, int((~seen & scene.moving).sum()))


def _shapes(scene: _Scene, page: _Page, choice: _Choice) -> str:
    """A group for each style."""
    width = _pixels(min(max(24 / np.sqrt(len(scene.rows) + 1), 0.25), 1.2))
    drawn = np.flatnonzero(choice.as_shapes)
    elements = scene.at(drawn).elements(page)
    parts = []
    for style, colors in STYLES.items():
        mine = scene.styles == style
        inside = "".join(elements[k] for k in np.flatnonzero(mine[drawn]).tolist())
        if choice.share:
            data = _boxes(scene.at(mine & choice.boxed), page)
            inside += f'<path fill-rule="nonzero" d="{data}"/>'
        parts.append(f'<g {colors} stroke-width="{width}">{inside}</g>')
    return "".join(parts)


def _of_shape(shape: Shape) -> str:
    scene = _Scene.of(_core._draw_shape(shape), np.arange(1))
    page = _Page.of(scene.boxes[0], 200, 160)
    colors = STYLES[AWAKE]
    return page.around(f'<g {colors} stroke-width="1.2">{scene.elements(page)[0]}</g>')


def _of_world(thing: World | Body | Collider, html: bool) -> str | None:
    world = thing if isinstance(thing, World) else thing.world
    collider = thing if isinstance(thing, Collider) else None
    body = thing if isinstance(thing, Body) else collider.body if collider is not None else None
    if not isinstance(thing, World) and not thing.alive:
        return None
    drawing = world.draw_list(joints=False)
    colliders, contacts = drawing.colliders, drawing.contacts
    rows = np.ones(len(colliders), bool)
    if body is not None:
        rows = colliders["body"] == body.index
        contacts = contacts[(contacts["body_a"] == body.index) | (contacts["body_b"] == body.index)]
    if collider is not None:
        number = collider.index
        rows = colliders["collider"] == number
        contacts = contacts[(contacts["collider_a"] == number) | (contacts["collider_b"] == number)]
    good = _view.finite(drawing.aabbs)
    lost = int((rows & ~good).sum())
    scene = _Scene.of(drawing, np.flatnonzero(rows & good))
    scene.names = {slot: _escaped(name) for slot, name in world_names(world).items()}
    points = contacts["point"]
    wrap = world.wrap
    if wrap is not None:
        endless = ~np.isfinite(wrap)
        points = np.where(endless, points, points % np.where(endless, 1.0, wrap))
        if body is None:
            scene = scene.with_images(wrap)
    state = world.joint_state
    if body is not None:
        state = state[(state["body_a"] == body.index) | (state["body_b"] == body.index)]
    if collider is not None:
        state = state[:0]
    view, typical = _seen(scene, state)
    if wrap is not None and body is None:
        finite = np.isfinite(wrap)
        view[0, finite], view[1, finite] = 0.0, wrap[finite]
    page = _Page.of(view, *((480, 360) if body is None else (240, 180)))
    choice = _choose(scene, page, typical)
    parts = [_shapes(scene, page, choice)]
    stride = 1 + (len(world.joints) - 1) // MOST_JOINTS
    if len(state):
        mark = float(np.clip(0.45 * typical * page.scale, 3, 14)) / page.scale
        parts.append(_joints(world, page, mark, state["joint"], stride))
    parts.append(_contacts(points, page, float(np.clip(0.22 * typical * page.scale, 1.5, 6))))
    if body is not None and collider is None:
        parts.append(_center(body, page))
    svg = page.around("".join(parts))
    if not html:
        return svg
    name = scene.names.get(body.index) if body is not None else None
    words = _caption(thing, drawing, name)
    words += "; boxes instead of shapes" if choice.share else ""
    words += f", about one in {choice.share} drawn" if choice.share > 1 else ""
    words += f"; one joint in {stride} drawn" if stride > 1 and collider is None else ""
    if len(points) > MOST_DOTS:
        words += f"; one contact point in {len(points) // MOST_DOTS + 1} drawn"
    words += f"; far away and not seen: {choice.unseen}" if choice.unseen else ""
    words += f"; without a finite pose: {lost}" if lost else ""
    return f"<div>{svg}<div>{words}</div></div>"


def world_names(world: World) -> dict[int, str]:
    """Names of a world's bodies by slot; none where they are too many to be read."""
    return _core._body_names(world, MOST_NAMES)


def _seen(scene: _Scene, state: npt.NDArray[np.void]) -> tuple[Array, float]:
    """The box to show, and the size of what moves, 0 when nothing does."""
    moving, fixed = scene.boxes[scene.moving], scene.boxes[~scene.moving]
    if not len(moving):
        box = _view.choose(moving, fixed, context=0.15)
        return np.zeros((2, 2)) if box is None else box, 0.0
    state = state[state["kind"] != FILTER]
    anchors = np.concatenate([state["anchor_a"], state["anchor_b"]])
    held = np.stack([anchors, anchors], axis=1)
    edges = scene.at(~scene.moving).edges()
    fixed = fixed[scene.drawing.colliders["convex"][scene.rows[~scene.moving]]]
    box = _view.choose(np.concatenate([moving, held]), np.concatenate([fixed, edges]), context=0.15)
    return np.zeros((2, 2)) if box is None else box, _view.typical_size(moving)


def _caption(thing: World | Body | Collider, drawing: DrawList, name: str | None) -> str:
    if isinstance(thing, World):
        count = len(thing.bodies)
        return f"World of {count} bod{'y' if count == 1 else 'ies'} at {_number(drawing.time)} s"
    if isinstance(thing, Collider):
        sort = "Sensor collider" if thing.sensor else "Collider"
        return (
            f"{sort} {thing.index} of body {thing.body.index}: density {_number(thing.density)}, "
            f"friction {_number(thing.friction)}, restitution {_number(thing.restitution)}"
        )
    x, y, angle = map(_number, drawing.poses[thing.index].tolist())
    words = f"Body {thing.index}" + (f' "{name}"' if name is not None else "")
    words += f": {thing.kind}"
    if thing.kind == "dynamic":
        asleep = drawing.states[thing.index] == ASLEEP
        words += f"{', asleep' if asleep else ''}, {_number(thing.mass)} kg"
    return f"{words}, at ({x}, {y}) m, angle {angle} rad"


# --------------------------------------------------------------------------------------- manifolds
def _field(manifold: Any, name: str, count: int | None = None) -> Array | None:
    """An array of a manifold, flat; None for one that is none any more.

    A manifold's arrays can be written to, and even be given another shape or type, by anyone.
    """
    array = getattr(manifold, name)
    good = isinstance(array, np.ndarray) and array.dtype == np.dtype("=f8")
    if not (good and array.dtype.isnative and array.flags.carray):
        return None
    return array.ravel() if count is None or array.size == count else None


def _of_manifold(manifold: Any, html: bool) -> str | None:
    separations = _field(manifold, "separations")
    if separations is None or len(separations) > 2:
        return None
    count = len(separations)
    normal, points = _field(manifold, "normal", 2), _field(manifold, "points", 2 * count)
    if normal is None or points is None:
        return None
    points = points.reshape(-1, 2)
    if not count:
        return "<div>Manifold: no contact</div>" if html else None
    sound = abs(float(np.hypot(*normal)) - 1) < 1e-6 and float(np.abs(points).sum()) < 1e150
    svg = _manifold_svg(normal, points) if sound else ""
    if not html:
        return svg or None
    cells = "".join(
        f"<tr><td>{_number(x)}</td><td>{_number(y)}</td><td>{_number(separation)}</td></tr>"
        for (x, y), separation in zip(points.tolist(), separations.tolist(), strict=True)
    )
    return (
        f"<div>{svg}<div>Manifold: normal ({', '.join(map(_number, normal.tolist()))}) from a to b"
        "</div><table><tr><th>x (m)</th><th>y (m)</th><th>separation (m)</th></tr>"
        f"{cells}</table></div>"
    )


def _manifold_svg(normal: Array, points: Array) -> str:
    """The points, the normal at each, the tangent through them."""
    arrow, reach, room = 30, 40, 48  # pixels
    span = points[-1] - points[0]
    apart = float(np.hypot(*span))
    scale = 100 / apart if apart > 0 else 1.0
    half = 0.5 * scale * np.abs(span)
    middle = 0.5 * points[0] + 0.5 * points[-1]
    page = _Page(middle, scale, float(2 * (half[0] + room)), float(2 * (half[1] + room)))
    along = normal * (1, -1)
    side = np.array([-along[1], along[0]])
    parts = []
    for pixel in page.place(points):
        tangent = "L".join(_texts(np.stack([pixel - reach * side, pixel + reach * side])))
        base, tip = pixel + (arrow - 8) * along, pixel + arrow * along
        head = np.stack([pixel, base, base + 4 * side, tip, base - 4 * side, base])
        (dot,) = _texts(pixel[None], "M%g %gh0")
        parts.append(
            f'<path stroke="#7f7f7f" stroke-dasharray="4 3" d="M{tangent}"/>'
            '<path fill="#d55e00" stroke="#d55e00" stroke-width="1.5" '
            f'd="M{"L".join(_texts(head))}"/>'
            f'<path stroke="#0072b2" stroke-width="7" d="{dot}"/>'
        )
    return page.around(f'<g fill="none">{"".join(parts)}</g>')
