// Plays a recorded run inside one self-contained page: reads what pyphys2d/player.py packed.
import { SPEEDS, Stage, button, element, setButton } from "./controls.js";
import { readArrays, readDrawing } from "./drawing.js";

export const FORMAT = 1;
const ESCAPE = -128; // in a stream of residuals: the value stands in `escapes`

export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function fromBase64(text) {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; ++k) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

// Undoes the prediction: residual = value - (2 * last - last but one), per body along the frames.
function unpredict(residuals, frames, bodies, escapes, cursor) {
  const values = new Int32Array(frames * bodies);
  for (let frame = 0; frame < frames; ++frame) {
    const at = frame * bodies;
    for (let body = 0; body < bodies; ++body) {
      const i = at + body;
      let residual = residuals[i];
      if (residual === ESCAPE) residual = escapes[cursor.at++];
      const last = frame > 0 ? values[i - bodies] : 0;
      const older = frame > 1 ? values[i - 2 * bodies] : last;
      values[i] = residual + (2 * last - older);
    }
  }
  return values;
}

// When each frame is played: at its time, as long as that goes on. Frames of one time, or after a
// rewind, follow each other at the pace of the run.
function moments(times) {
  const gaps = Array.from(times).slice(1).map((time, k) => time - times[k]);
  const positive = gaps.filter((gap) => gap > 0).sort((a, b) => a - b);
  const usual = positive[positive.length >> 1] ?? 1 / 60;
  const result = Float64Array.from(times);
  for (let k = 0; k < gaps.length; ++k) result[k + 1] = result[k] + (gaps[k] > 0 ? gaps[k] : usual);
  return result;
}

// The whole run, with poses at the lattice of its file.
export class Run {
  constructor(header, arrays) {
    if (header.format !== FORMAT) throw new Error(`format ${header.format} is not known`);
    const { frames, bodies } = header;
    this.header = header;
    this.frames = frames;
    this.bodies = bodies;
    this.times = arrays.times;
    this.moments = moments(arrays.times);
    // Behind the bodies, what goes along with one from a frame to another, with shapes of its own:
    // rows (body, first frame, frame after the last).
    this.dressed = arrays.dressed ?? new Int32Array(0);
    const late = this.dressed.length / 3;
    this.drawing = readDrawing({ ...header, bodies: bodies + late }, arrays);
    this.drawing.owners = Array.from({ length: bodies + late },
      (_, k) => k < bodies ? k : this.dressed[3 * (k - bodies)]);
    const cursor = { at: 0 };
    const channel = (name) => unpredict(arrays[name], frames, bodies, arrays.escapes, cursor);
    this.x = channel("x");
    this.y = channel("y");
    this.angle = channel("angle");
    this.kinds = arrays.kinds;
    this.awake = arrays.awake; // bits, frames x bytes
    this.rowBytes = Math.ceil(bodies / 8);
    this.absent = new Uint8Array(frames * bodies);
    for (let k = 0; k < arrays.absent.length; k += 3) {
      const [body, from, to] = arrays.absent.subarray(k, k + 3);
      for (let frame = from; frame < to; ++frame) this.absent[frame * bodies + body] = 1;
    }
    this.wrap = header.wrap ?? [Infinity, Infinity];
    this.contacts = arrays.contacts ? { ends: arrays.contact_ends, places: arrays.contacts,
                                        directions: arrays.contact_normals,
                                        impulses: arrays.contact_impulses,
                                        bodies: [arrays.contact_a, arrays.contact_b] } : null;
    this.joints = arrays.joint_ends ? { ends: arrays.joint_ends, bodies: arrays.joint_bodies,
                                        anchors: arrays.joint_anchors } : null;
    this.poses = new Float32Array(3 * (bodies + late));
    this.velocities = new Float32Array(2 * (bodies + late));
    this.states = new Uint8Array(bodies + late);
  }

  get duration() {
    return this.frames > 1 ? this.moments[this.frames - 1] - this.moments[0] : 0;
  }

  // The frame that shows at a moment, with how far it is to the next one, in [0, 1).
  find(moment) {
    const { moments, times } = this;
    let low = 0, high = this.frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (moments[middle] <= moment) low = middle;
      else high = middle - 1;
    }
    const next = Math.min(low + 1, this.frames - 1), gap = times[next] - times[low];
    return [low, gap > 0 ? Math.min(0.999, Math.max(0, (moment - moments[low]) / gap)) : 0];
  }

  // The frame as the renderer takes it; `part` of the way to the next one.
  at(frame, part = 0) {
    const { bodies, header, poses, velocities, states } = this;
    const next = Math.min(frame + 1, this.frames - 1), last = Math.max(0, next - 1);
    const gap = this.times[next] - this.times[last], passes = gap > 0; // or nothing moves between
    const { step, turn } = header;
    for (let body = 0; body < bodies; ++body) {
      const i = frame * bodies + body, j = next * bodies + body, h = last * bodies + body;
      if (this.absent[i]) {
        poses.fill(NaN, 3 * body, 3 * body + 3);
        states[body] = this.kinds[body];
        continue;
      }
      const [wx, wy] = this.wrap;
      const there = !this.absent[j];
      const t = there ? part : 0;
      const moves = (a, b, size) => {
        const d = (b - a) * step;
        return Math.abs(d) > size / 2 ? 0 : d; // over a seam of a wrapped world: no way between
      };
      poses[3 * body] = this.x[i] * step + t * moves(this.x[i], this.x[j], wx);
      poses[3 * body + 1] = this.y[i] * step + t * moves(this.y[i], this.y[j], wy);
      poses[3 * body + 2] = (this.angle[i] + t * (this.angle[j] - this.angle[i])) * turn;
      const known = passes && there && !this.absent[h];
      velocities[2 * body] = known ? moves(this.x[h], this.x[j], wx) / gap : 0;
      velocities[2 * body + 1] = known ? moves(this.y[h], this.y[j], wy) / gap : 0;
      const awake = this.awake[frame * this.rowBytes + (body >> 3)] >> (body & 7) & 1;
      states[body] = this.kinds[body] === 2 ? (awake ? 2 : 3) : this.kinds[body];
    }
    for (let k = 0, at = bodies; k < this.dressed.length; k += 3, ++at) {
      const [body, from, to] = this.dressed.subarray(k, k + 3);
      const there = frame >= from && frame < to;
      for (let c = 0; c < 3; ++c) poses[3 * at + c] = there ? poses[3 * body + c] : NaN;
      for (let c = 0; c < 2; ++c) velocities[2 * at + c] = velocities[2 * body + c];
      states[at] = states[body];
    }
    const run = this;
    return { time: this.times[frame] + (passes ? part * gap : 0), poses, states, velocities,
             contacts: this.contactsAt(frame), ...this.jointsAt(frame, part),
             get islands() { return run.islandsAt(frame); } };
  }

  // Of each body the first one of those that contacts and joints connect it with in this frame; -1
  // for bodies that are not dynamic. Null without contacts.
  islandsAt(frame) {
    if (!this.contacts) return null;
    if (this.islandFrame === frame) return this.islands;
    const { bodies, kinds } = this, root = new Int32Array(bodies);
    for (let body = 0; body < bodies; ++body) root[body] = kinds[body] === 2 ? body : -1;
    const top = (body) => {
      while (root[body] !== body) body = root[body] = root[root[body]];
      return body;
    };
    const join = (a, b) => {
      if (!(root[a] >= 0 && root[b] >= 0)) return; // the world is no body
      const i = top(a), j = top(b);
      root[Math.max(i, j)] = Math.min(i, j);
    };
    const { ends, bodies: [a, b] } = this.contacts;
    for (let k = ends[frame]; k < ends[frame + 1]; ++k) join(a[k], b[k]);
    if (this.joints) {
      const { ends: from, bodies: pairs } = this.joints;
      for (let k = from[frame]; k < from[frame + 1]; ++k) join(pairs[2 * k], pairs[2 * k + 1]);
    }
    for (let body = 0; body < bodies; ++body) if (root[body] >= 0) root[body] = top(body);
    this.islandFrame = frame;
    this.islands = root;
    return root;
  }

  // Of the images of a coordinate in a wrapped world the one next to another.
  nextTo(value, other, axis) {
    const size = this.wrap[axis];
    return size < 1e300 ? value + Math.round((other - value) / size) * size : value;
  }

  // Of each joint the line between its anchors, and thin ones to its bodies, where they are.
  jointsAt(frame, part) {
    if (!this.joints) return null;
    const { ends, bodies, anchors } = this.joints, { poses } = this, step = this.header.coarse_step;
    const from = ends[frame], count = ends[frame + 1] - from;
    const next = Math.min(frame + 1, this.frames - 1);
    const same = ends[next + 1] - ends[next] === count; // else they come and go
    const lines = [], points = [];
    for (let k = from; k < from + count; ++k) {
      const after = ends[next] + k - from, place = [];
      for (let c = 0; c < 4; ++c) {
        const a = anchors[4 * k + c], way = same ? (anchors[4 * after + c] - a) * step : 0;
        const jumps = Math.abs(way) > this.wrap[c % 2] / 2; // over a seam
        place.push(a * step + (jumps ? 0 : part * way));
      }
      lines.push(1, points.length / 2, 2);
      points.push(...place);
      for (const end of [0, 1]) {
        const body = bodies[2 * k + end];
        if (body < 0) continue;
        lines.push(0, points.length / 2, 2);
        points.push(...[0, 1].map((c) => this.nextTo(poses[3 * body + c], place[2 * end + c], c)),
          place[2 * end], place[2 * end + 1]);
      }
    }
    return { joints: Int32Array.from(lines), jointPoints: Float32Array.from(points) };
  }

  contactsAt(frame) {
    if (!this.contacts) return null;
    const { ends, places, directions, impulses } = this.contacts;
    const { coarse_step: step, impulse } = this.header;
    const from = ends[frame], to = ends[frame + 1], rows = new Float32Array(6 * (to - from));
    for (let k = from; k < to; ++k) {
      const angle = directions[k] * 2 * Math.PI / 256, share = impulses[k] / 255;
      rows.set([places[2 * k] * step, places[2 * k + 1] * step, Math.cos(angle), Math.sin(angle),
        share * share * impulse, 0], 6 * (k - from));
    }
    return rows;
  }
}

export class Player {
  // options: {height, theme, autoplay}
  constructor(root, run, options = {}) {
    this.run = run;
    const name = run.header.name || "A recorded run";
    this.stage = new Stage(root, { ...options,
      label: `${name}: ${run.bodies} bodies, ${run.duration.toFixed(1)} s. ` +
        "Space plays and pauses, comma and full stop go a frame back and on.",
      onkeydown: (event) => this.arrows(event),
      onclick: (x, y) => this.describe(x, y) });
    this.playing = false;
    this.looping = true;
    this.speed = 1;
    this.moment = run.moments[0] ?? 0;
    this.last = null;
    this.build();
    this.stage.renderer.setDrawing(run.drawing);
    this.stage.home = run.header.view;
    this.stage.renderer.topSpeed = run.header.speed || 1;
    this.show();
    this.stage.fit();
    if (run.header.follow >= 0) this.stage.follow(run.header.follow);
    this.stage.onframe = (now) => this.tick(now);
    this.stage.onvisible = () => { this.last = null; };
    const still = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches;
    if (options.autoplay && !still) this.play();
  }

  build() {
    const { stage } = this, { bar } = stage;
    this.playButton = button("play", "Play", "Space", () => this.toggle());
    this.scrub = element("input", { type: "range", min: 0, max: Math.max(0, this.run.frames - 1),
      step: 1, value: 0, "aria-label": "Frame", oninput: () => {
        this.pause();
        this.seek(Number(this.scrub.value));
      } });
    this.clock = element("span", { class: "time" });
    this.loopButton = button("loop", "Repeat", "L", () => this.setLoop(!this.looping));
    this.speeds = element("select", { "aria-label": "Speed", title: "Speed ([ and ])",
      onchange: () => { this.speed = Number(this.speeds.value); } });
    for (const value of SPEEDS) {
      this.speeds.append(element("option", { value, text: `${value}×`, selected: value === 1 }));
    }
    bar.append(this.playButton, button("back", "Frame back", ",", () => this.stepBy(-1)),
      button("step", "Frame on", ".", () => this.stepBy(1)), this.scrub, this.clock,
      this.loopButton, this.speeds);
    this.setLoop(true);
    stage.addViewControls();
    if (!this.run.contacts) {
      for (const layer of ["contacts", "normals", "islands"]) {
        stage.layerBoxes[layer].disabled = true;
        stage.layerBoxes[layer].parentElement.title = "recorded without contacts";
      }
      stage.colors.querySelector('[value="island"]').remove();
    }
    if (!this.run.joints) stage.layerBoxes.joints.parentElement.remove();
    if (!this.run.drawing.names?.some(Boolean)) stage.layerBoxes.names.parentElement.remove();
    stage.arrowKeys = [["A frame back or on", ["Left", "Right"]],
      ["Ten frames back or on", ["Page up", "Page down"]],
      ["Move the view", ["Up", "Down", "Shift with arrows"]]];
    stage.key(" ", "Play or pause", () => this.toggle());
    stage.key(",", "Frame back", () => this.stepBy(-1));
    stage.key(".", "Frame on", () => this.stepBy(1));
    stage.key("Home", "First frame", () => this.seek(0));
    stage.key("End", "Last frame", () => this.seek(this.run.frames - 1));
    stage.key("l", "Repeat", () => this.setLoop(!this.looping));
    stage.key("[", "Slower", () => this.changeSpeed(-1));
    stage.key("]", "Faster", () => this.changeSpeed(1));
  }

  arrows(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (!by || event.shiftKey) return false;
    this.stepBy(by);
    return true;
  }

  changeSpeed(by) {
    const at = SPEEDS.indexOf(this.speed) + by;
    this.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))];
    this.speeds.value = String(this.speed);
  }

  setLoop(looping) {
    this.looping = looping;
    this.loopButton.setAttribute("aria-pressed", String(looping));
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.run.frames < 2) return;
    if (this.moment >= this.run.moments[this.run.frames - 1]) this.moment = this.run.moments[0];
    this.playing = true;
    this.last = null;
    setButton(this.playButton, "pause", "Pause", "Space");
    this.stage.invalidate();
  }

  pause() {
    this.playing = false;
    setButton(this.playButton, "play", "Play", "Space");
  }

  stepBy(count) {
    this.pause();
    this.seek(this.frame + count);
  }

  seek(frame) {
    const k = Math.max(0, Math.min(this.run.frames - 1, frame));
    this.moment = this.run.moments[k] ?? 0;
    this.show();
  }

  tick(now) {
    if (!this.playing) return false;
    const passed = this.last === null ? 0 : Math.min(250, now - this.last) / 1000;
    this.last = now;
    const first = this.run.moments[0], end = this.run.moments[this.run.frames - 1];
    this.moment += passed * this.speed;
    if (this.moment >= end) {
      if (this.looping) this.moment = first + (this.moment - end) % Math.max(end - first, 1e-9);
      else {
        this.moment = end;
        this.pause();
      }
    }
    this.show();
    return this.playing;
  }

  show() {
    if (!this.run.frames) return;
    const [frame, part] = this.run.find(this.moment);
    this.frame = frame;
    this.stage.renderer.setFrame(this.run.at(frame, this.playing || part > 0 ? part : 0));
    this.scrub.value = String(frame);
    this.scrub.setAttribute("aria-valuetext", `${this.moment.toFixed(2)} s`);
    this.clock.textContent = `${(this.moment - this.run.moments[0]).toFixed(2)} / ` +
      `${this.run.duration.toFixed(2)} s`;
    this.stage.invalidate();
  }

  describe(px, py) {
    const { renderer } = this.stage, body = renderer.pick(px, py);
    renderer.hovered = body;
    if (body < 0) this.stage.say("");
    else {
      const { poses, velocities } = renderer.frame, [ox, oy] = renderer.drawing.origin;
      const speed = Math.hypot(velocities[2 * body], velocities[2 * body + 1]);
      const name = renderer.drawing.names?.[body] || `body ${body}`;
      this.stage.say(`${name} at (${(poses[3 * body] + ox).toFixed(2)}, ` +
        `${(poses[3 * body + 1] + oy).toFixed(2)}) m, ${speed.toFixed(2)} m/s`);
    }
    this.stage.invalidate();
  }
}

// Starts the player of a page from its two data blocks.
export async function start(root, header, base64, options) {
  const bytes = await inflate(fromBase64(base64));
  const run = new Run(header, readArrays(header.arrays, bytes));
  return new Player(root, run, options);
}

