// What a renderer reads: typed arrays out of one block of bytes, and the outlines of a scene.
//
// A *drawing* holds the outlines of all colliders in the frames of their bodies and is read once; a
// *frame* holds the poses of one instant. Both are the arrays of World.draw_list() of the Python
// package. World coordinates are metres, y up; `origin` is taken off the positions so that single
// precision is enough far from the world's origin.

export const AREA = 0, CIRCLE = 1, LINE = 2, LOOP = 3; // kinds of colliders
export const SENSOR = 1, CONCAVE = 2, ONE_SIDED = 4; // flags of colliders
export const STATIC = 0, KINEMATIC = 1, AWAKE = 2, ASLEEP = 3; // states of bodies

const ARRAYS = {
  f4: Float32Array, f8: Float64Array, i4: Int32Array, u4: Uint32Array, u2: Uint16Array,
  i2: Int16Array, u1: Uint8Array, i1: Int8Array,
};

// Typed arrays from a list [{name, type, shape, at}] and one DataView, ArrayBuffer or typed array.
// A view of a buffer may begin anywhere: its byteOffset counts, and arrays are copied where they
// would not be aligned.
export function readArrays(list, bytes) {
  const buffer = bytes.buffer ?? bytes, start = bytes.byteOffset ?? 0, size = bytes.byteLength;
  const arrays = {};
  for (const { name, type, shape, at } of list) {
    const Type = ARRAYS[type];
    if (!Type) throw new RangeError(`array ${name}: unknown type ${type}`);
    const count = shape.reduce((a, b) => a * b, 1), length = count * Type.BYTES_PER_ELEMENT;
    if (!(at >= 0 && at + length <= size)) throw new RangeError(`array ${name} is out of bounds`);
    const from = start + at;
    arrays[name] = from % Type.BYTES_PER_ELEMENT
      ? new Type(buffer.slice(from, from + length)) : new Type(buffer, from, count);
  }
  return arrays;
}

// The outlines of a scene.
//   arrays: colliders (n x 5: body, kind, first, count, flags), points (n x 2), rings (n),
//           circles (n x 3)
//   meta: {bodies, names, states, origin}
export function readDrawing(meta, arrays) {
  const { colliders, points, rings, circles } = arrays;
  const count = meta.bodies, pieces = Array.from({ length: count }, () => []);
  const radius = new Float32Array(count), shapeOf = new Int32Array(count).fill(-1);
  const known = new Map();
  const lower = new Float32Array(2 * count).fill(Infinity);
  const upper = new Float32Array(2 * count).fill(-Infinity);
  const isLine = new Uint8Array(count), oneSided = [];
  for (let row = 0; row < colliders.length; row += 5) {
    const [body, kind, first, items, flags] = colliders.subarray(row, row + 5);
    const key = `${kind === CIRCLE ? "c" : "r"}${first}/${items}/${kind}`;
    let shape = known.get(key);
    if (!shape) {
      shape = { ...outline(kind, first, items, points, rings, circles), id: known.size };
      known.set(key, shape);
    }
    if (shapeOf[body] < 0) shapeOf[body] = shape.id;
    radius[body] = Math.max(radius[body], shape.reach);
    for (let k = 0; k < 2; ++k) {
      lower[2 * body + k] = Math.min(lower[2 * body + k], shape.lower[k]);
      upper[2 * body + k] = Math.max(upper[2 * body + k], shape.upper[k]);
    }
    const line = kind === LINE || kind === LOOP;
    isLine[body] |= line;
    if (flags & ONE_SIDED) oneSided.push({ body, ring: shape.ring, closed: kind === LOOP });
    pieces[body].push({ kind: line ? LINE : AREA, sensor: !!(flags & SENSOR), path: shape.path,
                        mark: shape.mark, rim: flags & CONCAVE ? null : shape.rim });
  }
  return { count, pieces, radius, shapeOf, lower, upper, isLine, oneSided, names: meta.names ?? null,
           origin: meta.origin ?? [0, 0], arrays };
}

function outline(kind, first, items, points, rings, circles) {
  const path = new Path2D(), lower = [Infinity, Infinity], upper = [-Infinity, -Infinity];
  let mark = null, reach = 0;
  if (kind === CIRCLE) {
    mark = new Path2D();
    for (let k = first; k < first + items; ++k) {
      const [x, y, r] = circles.subarray(3 * k, 3 * k + 3);
      path.moveTo(x + r, y);
      path.arc(x, y, r, 0, 2 * Math.PI);
      mark.moveTo(x, y);
      mark.lineTo(x + r, y);
      reach = Math.max(reach, Math.hypot(x, y) + r);
      lower[0] = Math.min(lower[0], x - r), lower[1] = Math.min(lower[1], y - r);
      upper[0] = Math.max(upper[0], x + r), upper[1] = Math.max(upper[1], y + r);
    }
    const rim = new Rim((by) => {
      const grown = new Path2D();
      for (let k = first; k < first + items; ++k) {
        const [x, y, r] = circles.subarray(3 * k, 3 * k + 3);
        if (!(r + by > 0)) return null;
        grown.moveTo(x + r + by, y);
        grown.arc(x, y, r + by, 0, 2 * Math.PI);
      }
      return grown;
    });
    return { path, mark, reach, lower, upper, rim };
  }
  for (let k = first; k < first + items; ++k) {
    const begin = rings[k], end = rings[k + 1];
    for (let i = begin; i < end; ++i) {
      const x = points[2 * i], y = points[2 * i + 1];
      if (i === begin) path.moveTo(x, y);
      else path.lineTo(x, y);
      reach = Math.max(reach, Math.hypot(x, y));
      lower[0] = Math.min(lower[0], x), lower[1] = Math.min(lower[1], y);
      upper[0] = Math.max(upper[0], x), upper[1] = Math.max(upper[1], y);
    }
    if (kind !== LINE) path.closePath();
  }
  const ring = points.subarray(2 * rings[first], 2 * rings[first + 1]);
  const rim = kind === AREA && items === 1 ? new Rim((by) => grownRing(ring, by)) : null;
  return { path, mark, reach, lower, upper, rim, ring };
}

// The bounds of all colliders, n x 4: lower corner, upper corner; NaN where a body is not there.
export function boundsOf(drawing, poses) {
  const { colliders, points, rings, circles } = drawing.arrays;
  const boxes = new Float32Array(colliders.length / 5 * 4).fill(NaN);
  for (let row = 0, at = 0; row < colliders.length; row += 5, at += 4) {
    const body = colliders[row], first = colliders[row + 2], end = first + colliders[row + 3];
    const x = poses[3 * body], y = poses[3 * body + 1];
    const c = Math.cos(poses[3 * body + 2]), s = Math.sin(poses[3 * body + 2]);
    if (!isFinite(x + y + c)) continue;
    let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
    if (colliders[row + 1] === CIRCLE) {
      for (let k = 3 * first; k < 3 * end; k += 3) {
        const r = circles[k + 2];
        const px = c * circles[k] - s * circles[k + 1], py = s * circles[k] + c * circles[k + 1];
        x0 = Math.min(x0, px - r), x1 = Math.max(x1, px + r);
        y0 = Math.min(y0, py - r), y1 = Math.max(y1, py + r);
      }
    } else {
      for (let k = 2 * rings[first]; k < 2 * rings[end]; k += 2) {
        const px = c * points[k] - s * points[k + 1], py = s * points[k] + c * points[k + 1];
        if (px < x0) x0 = px;
        if (px > x1) x1 = px;
        if (py < y0) y0 = py;
        if (py > y1) y1 = py;
      }
    }
    boxes[at] = x + x0, boxes[at + 1] = y + y0, boxes[at + 2] = x + x1, boxes[at + 3] = y + y1;
  }
  return boxes;
}

const LEAVES = 4; // boxes that hang side by side

// A tree over bounds, split at the median of the centers along the axis where they spread most, as
// the engine's over static shapes is. Inner nodes, n x 5: lower corner, upper corner, height.
export function treeOf(boxes) {
  const items = [], nodes = [];
  for (let k = 0; k < boxes.length; k += 4) if (boxes[k] === boxes[k]) items.push(k);
  const build = (from, to) => {
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = from; i < to; ++i) {
      for (let axis = 0; axis < 2; ++axis) {
        const a = boxes[items[i] + axis], b = boxes[items[i] + 2 + axis];
        low[axis] = Math.min(low[axis], a + b), high[axis] = Math.max(high[axis], a + b);
        box[axis] = Math.min(box[axis], a), box[2 + axis] = Math.max(box[2 + axis], b);
      }
    }
    let height = 1;
    if (to - from > LEAVES) {
      const middle = from + (to - from >> 1);
      const axis = high[1] - low[1] > high[0] - low[0] ? 1 : 0;
      splitAt(items, from, to - 1, middle, (k) => boxes[k + axis] + boxes[k + 2 + axis]);
      height += Math.max(build(from, middle), build(middle, to));
    }
    nodes.push(...box, height);
    return height;
  };
  if (items.length) build(0, items.length);
  return Float32Array.from(nodes);
}

// Reorders so that no key before `middle` is above one from it on (C. A. R. Hoare, "Find", 1961).
function splitAt(items, first, last, middle, key) {
  while (first < last) {
    const pivot = key(items[first + last >> 1]);
    let i = first, j = last;
    while (i <= j) {
      while (key(items[i]) < pivot) ++i;
      while (key(items[j]) > pivot) --j;
      if (i <= j) {
        [items[i], items[j]] = [items[j], items[i]];
        ++i, --j;
      }
    }
    if (middle <= j) last = j;
    else if (middle >= i) first = i;
    else return;
  }
}

const MOST_STROKES = 4000;

// Strokes on the solid side of a one-sided line: x0, y0, x1, y1 each, in pixels, y down. The solid
// side is on the right of who walks along it. `points` are the pixels of its vertices; strokes begin
// on the paper, `spacing` apart or more where they would be too many, `length` long.
export function hatching(points, closed, width, height, spacing, length) {
  const count = points.length / 2, seen = []; // edges: number, where it begins along the line, part seen
  let along = 0, shown = 0;
  for (let k = 0; k < (closed ? count : count - 1); ++k) {
    const next = (k + 1) % count, x = points[2 * k], y = points[2 * k + 1];
    const dx = points[2 * next] - x, dy = points[2 * next + 1] - y, size = Math.hypot(dx, dy);
    if (!(size > 0 && size < 1e9 && Math.abs(x) + Math.abs(y) < 1e9)) continue;
    let from = 0, to = 1;
    for (const [at, step, end] of [[x, dx, width], [y, dy, height]]) {
      if (step === 0) {
        if (at < 0 || at > end) to = -1;
        continue;
      }
      const a = -at / step, b = (end - at) / step;
      from = Math.max(from, Math.min(a, b));
      to = Math.min(to, Math.max(a, b));
    }
    if (from < to) {
      seen.push([k, along, from * size, to * size, dx / size, dy / size]);
      shown += (to - from) * size;
    }
    along += size;
  }
  const gap = Math.max(spacing, shown / MOST_STROKES), reach = length / Math.SQRT2, strokes = [];
  for (const [k, begin, from, to, ux, uy] of seen) {
    const last = Math.ceil((begin + to) / gap - 0.5);
    for (let number = Math.ceil((begin + from) / gap - 0.5); number < last; ++number) {
      const at = (number + 0.5) * gap - begin;
      const x = points[2 * k] + at * ux, y = points[2 * k + 1] + at * uy;
      strokes.push(x, y, x + (-uy - ux) * reach, y + (ux - uy) * reach);
    }
  }
  return strokes;
}

// The outline of a convex shape as two areas, one on the other, which takes half the time of an area
// and a line around it where no GPU draws: `outer` in the colour of the line, `inner` in that of the
// face, or null where the line covers all.
class Rim {
  constructor(grown) {
    this.grown = grown; // (metres) => Path2D or null
    this.half = 0;
    this.paths = null;
  }

  // For a line of so many metres to both sides; made anew where it is an eighth off.
  at(half) {
    if (!(Math.abs(half - this.half) < 0.125 * half)) {
      this.half = half;
      this.paths = { outer: this.grown(half) ?? new Path2D(), inner: this.grown(-half) };
    }
    return this.paths;
  }
}

// A convex ring moved outwards, or inwards where `by` is negative; null where nothing of it is left.
export function grownRing(ring, by) {
  const count = ring.length / 2, area = ringArea(ring), side = Math.sign(area);
  const normals = new Float64Array(ring.length);
  let around = 0, kept = 0;
  for (let k = 0; k < count; ++k) {
    const next = (k + 1) % count;
    const x = ring[2 * next] - ring[2 * k], y = ring[2 * next + 1] - ring[2 * k + 1];
    const length = Math.hypot(x, y);
    around += length;
    if (length > 0) normals[2 * k] = side * y / length, normals[2 * k + 1] = -side * x / length;
  }
  if (by < 0 && !(Math.abs(area) > -by * around)) return null; // its incircle is at most 2 area / around
  const path = new Path2D();
  const put = (x, y) => (kept++ ? path.lineTo(x, y) : path.moveTo(x, y));
  for (let k = 0; k < count; ++k) {
    const before = (k + count - 1) % count, x = ring[2 * k], y = ring[2 * k + 1];
    const ax = normals[2 * before], ay = normals[2 * before + 1];
    const bx = normals[2 * k], ny = normals[2 * k + 1], sharp = 1 + ax * bx + ay * ny;
    if (by > 0 && sharp < 0.3) { // a spike is cut off
      put(x + by * ax, y + by * ay);
      put(x + by * bx, y + by * ny);
    } else put(x + by * (ax + bx) / Math.max(sharp, 0.05), y + by * (ay + ny) / Math.max(sharp, 0.05));
  }
  path.closePath();
  return path;
}

function ringArea(ring) {
  let twice = 0;
  for (let k = 0; k < ring.length; k += 2) {
    const next = (k + 2) % ring.length;
    twice += ring[k] * ring[next + 1] - ring[next] * ring[k + 1];
  }
  return twice / 2;
}
