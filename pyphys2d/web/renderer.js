// Draws a world on a canvas: the one renderer of the live view, the player and the pages.
//
// Bodies are drawn by Canvas2D, and in scenes of thousands by WebGL2 (batch.js) where a GPU does it;
// joints, contacts and words lie on top in either case.
import { Batch } from "./batch.js";
import { AREA, AWAKE, LINE, STATIC, boundsOf, hatching, treeOf } from "./drawing.js";

// ---------------------------------------------------------------------------------------- colours
// Okabe and Ito, "Color Universal Design" (2008), is what the hues are taken from: they can be told
// apart with any colour vision.
const HUES = [
  [86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [240, 228, 66], [0, 114, 178],
  [213, 94, 0], [148, 148, 148],
];

function mix(a, b, t) {
  return a.map((value, k) => Math.round(value + t * (b[k] - value)));
}
function css([r, g, b], alpha = 1) {
  return alpha === 1 ? `rgb(${r},${g},${b})` : `rgba(${r},${g},${b},${alpha})`;
}

// A style knows its number in the theme, and its colours in both forms.
function style(face, edge) {
  const unit = (color) => color.map((value) => value / 255);
  return { face: css(face), edge: css(edge), unit: { face: unit(face), edge: unit(edge) }, index: 0 };
}

function makeTheme(dark) {
  const theme = makeColors(dark);
  theme.styles = [...theme.states, ...theme.hues, ...theme.ramp];
  theme.styles.forEach((each, k) => { each.index = k; });
  return theme;
}

function makeColors(dark) {
  const paper = dark ? [24, 27, 32] : [255, 255, 255];
  const hue = (k) => {
    const color = HUES[k % HUES.length];
    return dark ? style(mix(color, paper, 0.42), mix(color, [255, 255, 255], 0.15))
      : style(mix(color, paper, 0.35), mix(color, [0, 0, 0], 0.35));
  };
  const ramp = Array.from({ length: 16 }, (_, k) => {
    const t = k / 15; // slow: deep blue; fast: yellow; brightness rises all the way
    const stops = [[35, 60, 140], [40, 130, 160], [110, 190, 120], [250, 225, 70]];
    const at = Math.min(2.999, 3 * t), low = Math.floor(at);
    const color = mix(stops[low], stops[low + 1], at - low);
    return style(color, dark ? mix(color, [255, 255, 255], 0.3) : mix(color, [0, 0, 0], 0.35));
  });
  return dark ? {
    dark, paper: css(paper), ink: "#d7dce2", faint: "#8b949e", grid: "rgba(255,255,255,.055)",
    axis: "rgba(255,255,255,.13)", hues: Array.from({ length: 8 }, (_, k) => hue(k)), ramp,
    states: [style([62, 67, 74], [128, 136, 146]), style([122, 96, 30], [242, 193, 78]),
      style([38, 88, 124], [110, 185, 230]), style([41, 60, 76], [92, 124, 150])],
    sensor: "#d98cb7", contact: "#ff8a5c", normal: "#ff8a5c", velocity: "#7ee0b5",
    bounds: "rgba(240,228,66,.55)", tree: "rgba(86,180,233,.5)",
    islands: "rgba(204,121,167,.8)", trail: "rgba(126,224,181,.7)",
    joints: ["#8b949e", "#3fcf9f", "#3fcf9f", "#d98cb7"], hover: "#ffffff",
  } : {
    dark, paper: css(paper), ink: "#24292f", faint: "#6e7781", grid: "rgba(0,0,0,.045)",
    axis: "rgba(0,0,0,.12)", hues: Array.from({ length: 8 }, (_, k) => hue(k)), ramp,
    states: [style([217, 217, 212], [127, 127, 122]), style([242, 193, 78], [168, 122, 16]),
      style([127, 184, 220], [30, 100, 150]), style([205, 222, 234], [111, 154, 184])],
    sensor: "#b0479a", contact: "#d5400e", normal: "#d5400e", velocity: "#00795a",
    bounds: "rgba(150,120,0,.6)", tree: "rgba(0,114,178,.4)",
    islands: "rgba(176,71,154,.7)", trail: "rgba(0,121,90,.6)",
    joints: ["#8c8c8c", "#00805e", "#00805e", "#b0479a"], hover: "#000000",
  };
}

export const COLOR_BY = ["state", "body", "shape", "speed", "island"];
export const LAYERS = {
  joints: "Joints", contacts: "Contacts with impulses", normals: "Contact normals",
  velocities: "Velocities", bounds: "Bounds (AABBs)", tree: "Tree of bounds",
  islands: "Bounds of islands", trails: "Trails", names: "Names", grid: "Grid",
};

// ---------------------------------------------------------------------------------------- camera
export class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 50; // CSS pixels per metre
  }

  // Shows a box [x0, y0, x1, y1] in so many pixels, with a margin.
  fit(box, width, height, margin = 0.06) {
    const [x0, y0, x1, y1] = box;
    const across = Math.max(x1 - x0, 1e-9), up = Math.max(y1 - y0, 1e-9);
    this.x = (x0 + x1) / 2;
    this.y = (y0 + y1) / 2;
    const room = 1 - 2 * margin;
    this.scale = Math.min(room * width / across, room * height / up);
    if (!(this.scale > 0 && isFinite(this.scale))) this.scale = 1;
  }

  // Keeps the world point under the pixel (px, py), seen from the middle of the canvas, in place.
  zoom(factor, px, py) {
    const scale = Math.min(1e7, Math.max(1e-5, this.scale * factor));
    this.x += px * (1 / this.scale - 1 / scale);
    this.y -= py * (1 / this.scale - 1 / scale);
    this.scale = scale;
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }
}

// -------------------------------------------------------------------------------------- renderer
const TRAIL = 90; // frames of a trail
const MOST_TRAILS = 200;
const MOST_NAMES = 300;
const HATCH = 9; // pixels between strokes on the solid side of a chain
const BATCH_FROM = 2000; // bodies; Canvas2D draws 5,000 at 60 frames a second without a GPU

export class Renderer {
  // options: {theme: "light" | "dark" | "auto"}
  constructor(canvas, options = {}) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.batch = null; // WebGL2, below the canvas
    this.batchFrom = options.batchFrom ?? BATCH_FROM;
    this.anyGl = !!options.anyGl;
    this.camera = new Camera();
    this.layers = { joints: true, contacts: false, normals: false, velocities: false,
                    bounds: false, tree: false, islands: false, trails: false, names: false,
                    grid: true };
    this.colorBy = "state";
    this.drawing = null;
    this.frame = null;
    this.follow = -1;
    this.hovered = -1;
    this.marks = null; // lines, arrows, dots and words on top, see drawMarks
    this.trails = [];
    this.topSpeed = 1;
    this.setTheme(options.theme ?? "auto");
    this.width = this.height = 0;
    this.ratio = 1;
    this.observed = false; // whoever owns it says when its size changed: sets measured to false
    this.measured = false;
  }

  setTheme(theme) {
    this.theme = makeTheme(theme === "auto" ? prefersDark(this.canvas) : theme === "dark");
  }

  // Follows the size of the canvas on the page, in pixels of the screen. True when it changed.
  resize() {
    const ratio = Math.min(4, globalThis.devicePixelRatio || 1);
    if (this.measured && ratio === this.ratio) return false;
    this.measured = this.observed;
    const width = this.canvas.clientWidth || this.canvas.width;
    const height = this.canvas.clientHeight || this.canvas.height;
    if (width === this.width && height === this.height && ratio === this.ratio) return false;
    const kept = this.width ? Math.min(width / this.width, height / this.height) : 1;
    this.camera.scale *= kept > 0 ? kept : 1;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    return true;
  }

  setDrawing(drawing) {
    this.drawing = drawing;
    this.trails = [];
    if (this.follow >= drawing.count) this.follow = -1;
    this.hovered = -1;
    this.closeBatch();
    if (drawing.count >= this.batchFrom) this.openBatch(drawing);
  }

  // Puts two canvases below the renderer's own: the paper with its grid, and the bodies.
  openBatch(drawing) {
    const below = (name) => {
      const canvas = this.canvas.ownerDocument.createElement("canvas");
      canvas.className = name;
      canvas.setAttribute("aria-hidden", "true");
      Object.assign(canvas.style, { position: "absolute", left: "0", top: "0", width: "100%",
                                    height: "100%", pointerEvents: "none" });
      this.canvas.before(canvas);
      return canvas;
    };
    if (!this.canvas.parentElement) return;
    this.paper = below("paper");
    this.under = below("bodies");
    this.canvas.style.position = "relative";
    try {
      this.batch = new Batch(this.under, drawing.arrays, drawing.count, this.anyGl);
      this.paperContext = this.paper.getContext("2d", { alpha: false });
      this.under.addEventListener("webglcontextlost", (event) => {
        event.preventDefault();
        this.closeBatch(); // Canvas2D goes on
      });
    } catch {
      this.closeBatch();
    }
  }

  closeBatch() {
    this.batch?.close();
    this.batch = null;
    this.paper?.remove();
    this.under?.remove();
    this.paper = this.under = this.paperContext = null;
  }

  close() {
    this.closeBatch();
  }

  // frame: {time, poses: Float32Array (bodies x 3, NaN: not there), states: Uint8Array,
  //   velocities?: bodies x 2, islands?: Int32Array, joints?: n x 3 (kind, first, count),
  //   jointPoints?: n x 2, contacts?: n x 6 (x, y, normal x, normal y, impulse, separation),
  //   tree?: n x 5 (lower corner, upper corner, height)}; islands are any numbers, and -1 for none
  setFrame(frame) {
    const jump = this.frame && frame.time < this.frame.time;
    this.frame = frame;
    this.roots = null;
    if (jump) this.trails = [];
    if (this.layers.trails && this.drawing) this.keepTrail(frame);
  }

  keepTrail(frame) {
    const last = this.trails.at(-1);
    if (last && last.time === frame.time) return;
    const picked = [];
    for (let k = 0; k < this.drawing.count && picked.length < 3 * MOST_TRAILS; ++k) {
      if (frame.states[k] === AWAKE) picked.push(k, frame.poses[3 * k], frame.poses[3 * k + 1]);
    }
    this.trails.push({ time: frame.time, picked });
    if (this.trails.length > TRAIL) this.trails.shift();
  }

  // The box of all that is drawn, or of what moves where there is anything that does.
  extent(all = false) {
    const { drawing, frame } = this;
    if (!drawing || !frame) return null;
    let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
    for (const onlyMoving of all ? [false] : [true, false]) {
      for (let k = 0; k < drawing.count; ++k) {
        const x = frame.poses[3 * k], y = frame.poses[3 * k + 1], r = drawing.radius[k];
        if (!(r > 0) || !isFinite(x + y) || onlyMoving && frame.states[k] === STATIC) continue;
        x0 = Math.min(x0, x - r), x1 = Math.max(x1, x + r);
        y0 = Math.min(y0, y - r), y1 = Math.max(y1, y + r);
      }
      if (x0 <= x1) return [x0, y0, x1, y1];
    }
    return null;
  }

  fit(box = this.extent()) {
    this.measured = false;
    this.resize();
    if (box) this.camera.fit(box, this.width, this.height);
  }

  // A pixel of the canvas (CSS pixels from its upper left corner) in the world, and back.
  toWorld(px, py) {
    const { camera } = this, [ox, oy] = this.drawing?.origin ?? [0, 0];
    return [camera.x + (px - this.width / 2) / camera.scale + ox,
      camera.y - (py - this.height / 2) / camera.scale + oy];
  }

  toPixel(x, y) {
    const { camera } = this, [ox, oy] = this.drawing?.origin ?? [0, 0];
    return [(x - ox - camera.x) * camera.scale + this.width / 2,
      (camera.y - y + oy) * camera.scale + this.height / 2];
  }

  // Where a body is drawn, in CSS pixels of the canvas, and its angle.
  placeOf(body) {
    const { poses } = this.frame, { camera } = this;
    return [(poses[3 * body] - camera.x) * camera.scale + this.width / 2,
      (camera.y - poses[3 * body + 1]) * camera.scale + this.height / 2, poses[3 * body + 2]];
  }

  // The uppermost body at a pixel, -1 for none. Lines are taken from 4 pixels away.
  pick(px, py, accepts = () => true) {
    const { drawing, frame, context } = this;
    if (!drawing || !frame) return -1;
    for (let body = drawing.count - 1; body >= 0; --body) {
      const [x, y] = this.placeOf(body);
      const reach = drawing.radius[body] * this.camera.scale + 4;
      if (!(Math.hypot(px - x, py - y) <= reach) || !accepts(body)) continue;
      this.enter(body);
      context.lineWidth = 8 / this.camera.scale;
      const qx = px * this.ratio, qy = py * this.ratio;
      const hit = drawing.pieces[body].some((piece) => (piece.kind === AREA &&
        context.isPointInPath(piece.path, qx, qy, "evenodd")) ||
        context.isPointInStroke(piece.path, qx, qy));
      context.setTransform(1, 0, 0, 1, 0, 0);
      if (hit) return this.owner(body);
    }
    return -1;
  }

  // Sets the transform to the frame of a body.
  enter(body) {
    const { poses } = this.frame, { camera, ratio } = this;
    const s = camera.scale * ratio, angle = poses[3 * body + 2];
    const c = Math.cos(angle) * s, d = Math.sin(angle) * s;
    this.context.setTransform(c, -d, -d, -c,
      ((poses[3 * body] - camera.x) * camera.scale + this.width / 2) * ratio,
      ((camera.y - poses[3 * body + 1]) * camera.scale + this.height / 2) * ratio);
  }

  // Sets the transform to the world.
  enterWorld() {
    const { camera, ratio } = this, s = camera.scale * ratio;
    this.context.setTransform(s, 0, 0, -s, (this.width / 2 - camera.x * camera.scale) * ratio,
      (this.height / 2 + camera.y * camera.scale) * ratio);
  }

  // ------------------------------------------------------------------------------------- drawing
  draw() {
    this.resize();
    const { context, theme, drawing, frame, camera } = this;
    if (drawing && frame && this.follow >= 0) {
      const x = frame.poses[3 * this.follow], y = frame.poses[3 * this.follow + 1];
      if (isFinite(x + y)) camera.x = x, camera.y = y;
    }
    const paper = this.batch ? this.paperContext : context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (this.batch) {
      context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      if (this.paper.width !== this.canvas.width) this.paper.width = this.canvas.width;
      if (this.paper.height !== this.canvas.height) this.paper.height = this.canvas.height;
    }
    paper.setTransform(1, 0, 0, 1, 0, 0);
    paper.fillStyle = theme.paper;
    paper.fillRect(0, 0, this.canvas.width, this.canvas.height);
    if (this.layers.grid) this.drawGrid(paper);
    if (!drawing || !frame) return;
    if (this.layers.trails) this.drawTrails();
    if (this.batch) this.drawBatch();
    else this.drawBodies();
    this.drawHatching();
    this.drawHovered();
    if (this.layers.joints && frame.joints) this.drawJoints();
    if (this.layers.bounds || this.layers.tree || this.layers.islands) this.drawBounds();
    if (this.layers.velocities) this.drawVelocities();
    if ((this.layers.contacts || this.layers.normals) && frame.contacts) this.drawContacts();
    if (this.layers.names && drawing.names) this.drawNames();
    if (this.marks) this.drawMarks(this.marks);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  drawGrid(context) {
    const { camera, theme, ratio } = this;
    const wanted = 70 / camera.scale, power = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].find((k) => k * power >= wanted) * power;
    const [ox, oy] = this.drawing?.origin ?? [0, 0];
    const left = camera.x + ox - this.width / 2 / camera.scale;
    const low = camera.y + oy - this.height / 2 / camera.scale;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.lineWidth = 1;
    for (const [from, size, across] of [[left, this.width, true], [low, this.height, false]]) {
      const first = Math.ceil(from / step), last = Math.floor((from + size / camera.scale) / step);
      for (let k = first; k <= last; ++k) {
        const at = (k * step - from) * camera.scale;
        const p = Math.round(across ? at : this.height - at) + 0.5;
        context.strokeStyle = k === 0 ? theme.axis : theme.grid;
        context.beginPath();
        if (across) context.moveTo(p, 0), context.lineTo(p, this.height);
        else context.moveTo(0, p), context.lineTo(this.width, p);
        context.stroke();
      }
    }
    const length = step * camera.scale, y = this.height - 12, x = 12;
    context.strokeStyle = context.fillStyle = theme.faint;
    context.beginPath();
    context.moveTo(x, y - 3), context.lineTo(x, y), context.lineTo(x + length, y);
    context.lineTo(x + length, y - 3);
    context.stroke();
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "bottom";
    context.fillText(lengthText(step), x + 5, y - 2);
  }

  // The bodies, by style, so that a style is set once for all that have it.
  drawBodies() {
    const { drawing, frame, context, camera, theme } = this;
    const halfWidth = this.width / 2, halfHeight = this.height / 2, s = camera.scale;
    const groups = new Map();
    for (let body = 0; body < drawing.count; ++body) {
      const r = drawing.radius[body] * s;
      const x = (frame.poses[3 * body] - camera.x) * s;
      const y = (frame.poses[3 * body + 1] - camera.y) * s;
      if (!(r > 0) || !(Math.abs(x) < halfWidth + r + 2 && Math.abs(y) < halfHeight + r + 2)) {
        continue; // out of sight, or not there
      }
      const found = this.styleOf(body);
      const group = groups.get(found);
      if (group) group.push(body);
      else groups.set(found, [body]);
    }
    const order = [...groups].sort((a, b) => frame.states[a[1][0]] - frame.states[b[1][0]]);
    for (const [found, bodies] of order) {
      context.strokeStyle = found.edge;
      context.lineJoin = "round";
      for (const body of bodies) {
        if (drawing.radius[body] * s < 0.7) {
          this.drawSpeck(body);
          continue;
        }
        this.enter(body);
        context.lineWidth = 1.2 / s;
        for (const piece of drawing.pieces[body]) {
          if (piece.rim && !piece.sensor) {
            const rim = piece.rim.at(0.6 / s);
            context.fillStyle = found.edge;
            context.fill(rim.outer);
            if (rim.inner) {
              context.fillStyle = found.face;
              context.fill(rim.inner);
            }
            if (piece.mark && drawing.radius[body] * s > 3) context.stroke(piece.mark);
            continue;
          }
          if (piece.sensor) {
            context.strokeStyle = theme.sensor;
            context.setLineDash([5 / s, 4 / s]);
            context.stroke(piece.path);
            context.setLineDash([]);
            context.strokeStyle = found.edge;
            continue;
          }
          if (piece.kind === AREA) {
            context.fillStyle = found.face;
            context.fill(piece.path, "evenodd");
          } else context.lineWidth = 2 / s;
          context.stroke(piece.path);
          if (piece.mark && drawing.radius[body] * s > 3) context.stroke(piece.mark);
        }
      }
    }
  }

  drawBatch() {
    const { drawing, frame, theme, context, camera } = this;
    this.batch.draw(camera, this.width, this.height, this.ratio, frame.poses,
      theme.styles.map((each) => each.unit), (body) => this.styleOf(body).index);
    context.strokeStyle = theme.sensor;
    for (let body = 0; body < drawing.count; ++body) {
      if (!drawing.pieces[body].some((piece) => piece.sensor)) continue;
      this.enter(body);
      context.lineWidth = 1.2 / camera.scale;
      context.setLineDash([5 / camera.scale, 4 / camera.scale]);
      for (const piece of drawing.pieces[body]) if (piece.sensor) context.stroke(piece.path);
      context.setLineDash([]);
    }
  }

  // Strokes on the solid side of chains.
  drawHatching() {
    const { drawing, frame, context, camera } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.lineWidth = 1;
    for (const { body, ring, closed } of drawing.oneSided) {
      const [x, y, angle] = this.placeOf(body), reach = drawing.radius[body] * camera.scale;
      if (!(x + reach > 0 && x - reach < this.width && y + reach > 0 && y - reach < this.height)) {
        continue;
      }
      const c = Math.cos(angle) * camera.scale, s = Math.sin(angle) * camera.scale;
      const points = new Float64Array(ring.length);
      for (let k = 0; k < ring.length; k += 2) {
        points[k] = x + c * ring[k] - s * ring[k + 1];
        points[k + 1] = y - s * ring[k] - c * ring[k + 1];
      }
      const strokes = hatching(points, closed, this.width, this.height, HATCH, 0.7 * HATCH);
      context.strokeStyle = this.styleOf(body).edge;
      context.beginPath();
      for (let k = 0; k < strokes.length; k += 4) {
        context.moveTo(strokes[k], strokes[k + 1]);
        context.lineTo(strokes[k + 2], strokes[k + 3]);
      }
      context.stroke();
    }
  }

  drawHovered() {
    const { drawing, context, theme, camera } = this;
    if (!(this.hovered >= 0 && this.hovered < drawing.count)) return;
    this.enter(this.hovered);
    context.strokeStyle = theme.hover;
    context.lineWidth = 2.2 / camera.scale;
    for (const piece of drawing.pieces[this.hovered]) context.stroke(piece.path);
  }

  drawSpeck(body) {
    const [x, y] = this.placeOf(body), { context, ratio } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = context.strokeStyle;
    context.fillRect(x - 0.6, y - 0.6, 1.2, 1.2);
  }

  styleOf(body) {
    const { drawing, frame, theme } = this, state = frame.states[body];
    if (state === STATIC) return theme.states[STATIC];
    switch (this.colorBy) {
      case "body": return theme.hues[this.owner(body) % 8];
      case "shape": return theme.hues[Math.max(0, drawing.shapeOf[body]) % 8];
      case "island": {
        const island = this.islandsByRoot()?.[this.owner(body)] ?? -1;
        return theme.hues[island >= 0 ? spread(island, 7) : 7];
      }
      case "speed": {
        if (!frame.velocities) return theme.states[state];
        const v = Math.hypot(frame.velocities[2 * body], frame.velocities[2 * body + 1]);
        if (!isFinite(v)) return theme.states[state];
        this.topSpeed = Math.max(this.topSpeed, v);
        return theme.ramp[Math.min(15, Math.floor(16 * v / this.topSpeed))];
      }
      default: return theme.states[state] ?? theme.states[AWAKE];
    }
  }

  drawTrails() {
    const { context, theme, camera } = this;
    this.enterWorld();
    context.strokeStyle = theme.trail;
    context.lineWidth = 1.3 / camera.scale;
    const lines = new Map();
    for (const { picked } of this.trails) {
      for (let k = 0; k < picked.length; k += 3) {
        const line = lines.get(picked[k]);
        if (line) line.push(picked[k + 1], picked[k + 2]);
        else lines.set(picked[k], [picked[k + 1], picked[k + 2]]);
      }
    }
    context.beginPath();
    for (const line of lines.values()) {
      for (let k = 0; k < line.length; k += 2) {
        const near = k > 0 && Math.hypot(line[k] - line[k - 2], line[k + 1] - line[k - 1]) <
          400 / camera.scale;
        if (near) context.lineTo(line[k], line[k + 1]);
        else context.moveTo(line[k], line[k + 1]);
      }
    }
    context.stroke();
  }

  drawJoints() {
    const { context, theme, frame, camera } = this, { joints, jointPoints } = frame;
    this.enterWorld();
    context.lineCap = "round";
    for (let kind = 0; kind < 4; ++kind) {
      context.beginPath();
      for (let row = 0; row < joints.length; row += 3) {
        if (joints[row] !== kind) continue;
        const first = joints[row + 1], end = first + joints[row + 2];
        context.moveTo(jointPoints[2 * first], jointPoints[2 * first + 1]);
        for (let k = first + 1; k < end; ++k) {
          context.lineTo(jointPoints[2 * k], jointPoints[2 * k + 1]);
        }
      }
      context.strokeStyle = theme.joints[kind];
      context.lineWidth = (kind === 0 ? 1 : 1.7) / camera.scale;
      if (kind === 2) context.setLineDash([5 / camera.scale, 4 / camera.scale]);
      context.stroke();
      context.setLineDash([]);
    }
    context.lineCap = "butt";
  }

  // boxes: lower corner, upper corner, and what else is in a row of `columns`; grown by pixels(row).
  drawBoxes(boxes, columns, color, width, pixels) {
    const { context, camera } = this;
    this.enterWorld();
    context.strokeStyle = color;
    context.lineWidth = width / camera.scale;
    context.beginPath();
    for (let k = 0; k < boxes.length; k += columns) {
      if (!isFinite(boxes[k] + boxes[k + 1] + boxes[k + 2] + boxes[k + 3])) continue;
      const by = pixels(k) / camera.scale, x = boxes[k] - by, y = boxes[k + 1] - by;
      context.rect(x, y, boxes[k + 2] + by - x, boxes[k + 3] + by - y);
    }
    context.stroke();
  }

  // Bounds of colliders, the tree over them, and those of islands. Those that hold others lie a few
  // pixels around them, so that sides in common are seen apart.
  drawBounds() {
    const { drawing, frame, layers, theme } = this, boxes = boundsOf(drawing, frame.poses);
    if (layers.tree) {
      const tree = frame.tree ?? treeOf(boxes);
      this.drawBoxes(tree, 5, theme.tree, 1, (k) => Math.min(16, 1.5 * tree[k + 4]));
    }
    if (layers.bounds) this.drawBoxes(boxes, 4, theme.bounds, 1, () => 0);
    if (layers.islands) {
      const found = this.boundsOfIslands(boxes);
      this.drawBoxes(found, 4, theme.islands, 2, () => 4);
    }
  }

  boundsOfIslands(boxes) {
    const roots = this.islandsByRoot(), found = new Map();
    const { colliders } = this.drawing.arrays;
    for (let row = 0, k = 0; roots && k < boxes.length; row += 5, k += 4) {
      const island = roots[this.owner(colliders[row])], box = found.get(island);
      if (island < 0 || !isFinite(boxes[k])) continue;
      if (!box) found.set(island, [...boxes.subarray(k, k + 4)]);
      else {
        box[0] = Math.min(box[0], boxes[k]), box[1] = Math.min(box[1], boxes[k + 1]);
        box[2] = Math.max(box[2], boxes[k + 2]), box[3] = Math.max(box[3], boxes[k + 3]);
      }
    }
    return [...found.values()].flat();
  }

  // The island of each body, by the first body of it: so an island keeps its colour when others
  // come and go.
  islandsByRoot() {
    const { frame } = this, first = new Map();
    this.roots ??= frame.islands && Int32Array.from(frame.islands, (island, body) => {
      if (island >= 0 && !first.has(island)) first.set(island, body);
      return island >= 0 ? first.get(island) : -1;
    });
    return this.roots;
  }

  // The body of what is drawn: another one where a body has other shapes in this frame.
  owner(drawn) {
    return this.drawing.owners ? this.drawing.owners[drawn] : drawn;
  }

  drawVelocities() {
    const { drawing, frame, context, theme } = this;
    if (!frame.velocities) return;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.strokeStyle = context.fillStyle = theme.velocity;
    context.lineWidth = 1.5;
    for (let body = 0; body < drawing.count; ++body) {
      const vx = frame.velocities[2 * body], vy = frame.velocities[2 * body + 1];
      const speed = Math.hypot(vx, vy);
      if (!(speed > 1e-3)) continue;
      const [x, y] = this.placeOf(body), length = Math.min(0.15 * speed * this.camera.scale, 400);
      arrow(context, x, y, x + vx / speed * length, y - vy / speed * length);
    }
  }

  drawContacts() {
    const { context, theme, frame, camera } = this, { contacts } = frame;
    let most = 0;
    for (let k = 4; k < contacts.length; k += 6) most = Math.max(most, contacts[k]);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = theme.contact;
    context.strokeStyle = theme.normal;
    context.lineWidth = 1.5;
    for (let k = 0; k < contacts.length; k += 6) {
      const x = (contacts[k] - camera.x) * camera.scale + this.width / 2;
      const y = (camera.y - contacts[k + 1]) * camera.scale + this.height / 2;
      if (!(x > -50 && y > -50 && x < this.width + 50 && y < this.height + 50)) continue;
      const share = most > 0 ? Math.sqrt(contacts[k + 4] / most) : 0;
      if (this.layers.contacts) {
        context.beginPath();
        context.arc(x, y, 2 + 2.5 * share, 0, 2 * Math.PI);
        context.fill();
      }
      if (this.layers.normals) {
        const length = this.layers.contacts ? 8 + 34 * share : 22;
        arrow(context, x, y, x + contacts[k + 2] * length, y - contacts[k + 3] * length);
      }
    }
  }

  // marks: list of {kind: line | area | arrow | dot | text | legend, points: [[x, y], ...] in the
  //   world, color: a number of the hues or "ink" | "faint" | "contact", width, dash, text}. Legends
  //   stand in a corner of the picture, wherever the camera is.
  drawMarks(marks) {
    const { context, theme } = this;
    let row = 0;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (const { kind, points, color = "ink", width = 1.5, dash, text } of marks) {
      const paint = typeof color === "number" ? theme.hues[color % 8].edge : theme[color] ?? theme.ink;
      const at = points.map(([x, y]) => this.toPixel(x, y));
      context.strokeStyle = context.fillStyle = paint;
      if (kind === "legend") {
        context.textAlign = "right";
        this.write(text, this.width - 10, 44 + 18 * row++);
        context.textAlign = "left";
        continue;
      }
      context.lineWidth = width;
      context.setLineDash(dash ? [5, 4] : []);
      if (kind === "arrow") arrow(context, ...at[0], ...at[1]);
      else if (kind === "dot") {
        for (const [x, y] of at) {
          context.beginPath();
          context.arc(x, y, 2 * width, 0, 2 * Math.PI);
          context.fill();
        }
      } else if (kind === "line" || kind === "area") {
        context.beginPath();
        at.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
        if (kind === "area") {
          context.closePath();
          context.globalAlpha = 0.25;
          context.fill();
          context.globalAlpha = 1;
        }
        context.stroke();
      }
      context.setLineDash([]);
      if (text) this.write(text, at.at(-1)[0] + 7, at.at(-1)[1] - 7);
    }
  }

  drawNames() {
    const { context, theme, drawing } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = theme.ink;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    let drawn = 0;
    for (let body = 0; body < drawing.count && drawn < MOST_NAMES; ++body) {
      const name = drawing.names[body];
      if (!name) continue;
      const [x, y] = this.placeOf(body);
      if (!(x > 0 && y > 0 && x < this.width && y < this.height)) continue;
      this.write(name, x, y);
      drawn += 1;
    }
  }

  // Words that can be read on any body: with paper around them.
  write(text, x, y) {
    const { context, theme } = this;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = theme.paper;
    context.globalAlpha = 0.75;
    const most = this.width - 20; // longer ones are squeezed
    context.strokeText(text, x, y, most);
    context.globalAlpha = 1;
    context.fillText(text, x, y, most);
  }
}

function arrow(context, x0, y0, x1, y1) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (!(length > 0.5)) return;
  const head = Math.min(6, 0.5 * length), ux = (x1 - x0) / length, uy = (y1 - y0) / length;
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1 - ux * head * 0.8, y1 - uy * head * 0.8);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - head * ux + 0.45 * head * uy, y1 - head * uy - 0.45 * head * ux);
  context.lineTo(x1 - head * ux - 0.45 * head * uy, y1 - head * uy + 0.45 * head * ux);
  context.closePath();
  context.fill();
}

// One of `count` for a whole number, so that numbers near each other, and those of a row, rarely have
// the same: multiples of the golden ratio, as D. Knuth hashes ("Sorting and Searching", 1973).
function spread(value, count) {
  return Math.floor((Math.imul(value, 0x9e3779b1) >>> 0) / 2 ** 32 * count);
}

export function lengthText(metres) {
  const round = (value) => Number(value.toPrecision(6)).toString();
  if (metres >= 1000) return `${round(metres / 1000)} km`;
  if (metres >= 1) return `${round(metres)} m`;
  if (metres >= 0.01) return `${round(100 * metres)} cm`;
  return metres >= 0.001 ? `${round(1000 * metres)} mm` : `${round(1e6 * metres)} µm`;
}

// Whether the page around an element is dark: by JupyterLab's and VS Code's own marks, else by what
// the reader asked of the browser.
export function prefersDark(element) {
  const body = element?.ownerDocument?.body, lab = body?.dataset?.jpThemeLight;
  if (lab === "false") return true;
  if (lab === "true") return false;
  const kind = body?.dataset?.vscodeThemeKind ?? "";
  if (kind) return kind.includes("dark");
  return !!globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches;
}
