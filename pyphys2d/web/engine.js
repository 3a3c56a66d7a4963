// The engine in the browser: a WebAssembly module (web/build.sh) and a session for the live view that
// steps a world where it is seen, without Python and without a server.
import { LiveView } from "./live.js";
import { fromBase64, inflate } from "./player.js";

const PAGE_ARRAYS = { // by their numbers in web/engine.c
  poses: [0, Float32Array], states: [1, Uint8Array], velocities: [2, Float32Array],
  islands: [3, Int32Array], contacts: [4, Float32Array], bounds: [5, Float32Array],
  joints: [6, Int32Array], joint_points: [7, Float32Array],
};
const TYPES = new Map([[Float32Array, "f4"], [Uint8Array, "u1"], [Int32Array, "i4"]]);
const LONGEST_FRAME = 0.1; // seconds of real time that a frame makes up for
const STEPPING = 12; // milliseconds of a frame that steps may take; the world goes slower then

// The module asks its host for next to nothing: a clock, and an environment, which is empty.
function host(memory) {
  const view = () => new DataView(memory().buffer);
  const known = {
    clock_time_get: (_clock, _precision, at) => {
      view().setBigUint64(at, BigInt(Math.round(1e6 * performance.now())), true);
      return 0;
    },
    environ_sizes_get: (count, size) => {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    proc_exit: (code) => { throw new Error(`the engine stopped with ${code}`); },
  };
  const refused = () => 52; // not there, as WASI says it
  return new Proxy({}, { get: (_, name) => known[name] ?? refused, has: () => true });
}

// The engine's part of the bytes of World.snapshot(), without the names and user data of Python.
function stateOf(bytes) {
  const magic = new TextDecoder("latin1").decode(bytes.subarray(0, 8));
  if (magic !== "PYPHYS2D" || bytes.length < 40) return bytes;
  const size = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(16, true);
  return bytes.subarray(40, 40 + Number(size));
}

export class Engine {
  static async load(bytes) {
    const module = await WebAssembly.compile(bytes), imports = {};
    let exports = null;
    const calls = host(() => exports.memory);
    for (const { module: space, name } of WebAssembly.Module.imports(module)) {
      (imports[space] ??= {})[name] = calls[name];
    }
    ({ exports } = await WebAssembly.instantiate(module, imports));
    exports._initialize?.();
    return new Engine(exports);
  }

  constructor(exports) {
    this.exports = exports;
  }

  text(at) {
    const bytes = new Uint8Array(this.exports.memory.buffer, at);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  get kernels() {
    const names = [];
    for (let k = 0, at; (at = this.exports.engine_kernels(k)); ++k) names.push(this.text(at));
    return names;
  }

  // Bytes in the memory of the module for as long as a function runs.
  with(bytes, use) {
    const at = this.exports.engine_alloc(bytes.length);
    if (!at) throw new RangeError("out of memory");
    try {
      new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
      return use(at, bytes.length);
    } finally {
      this.exports.engine_free(at);
    }
  }

  // A world from the bytes of World.snapshot().
  open(snapshot, origin = [0, 0]) {
    const at = this.with(stateOf(snapshot), (bytes, size) => this.exports.page_open(bytes, size, ...origin));
    if (!at) throw new Error(this.text(this.exports.engine_error()));
    return new EngineWorld(this, at);
  }
}

export class EngineWorld {
  constructor(engine, at) {
    this.engine = engine;
    this.exports = engine.exports;
    this.at = at;
  }

  check(done) {
    if (!done) throw new Error(this.engine.text(this.exports.engine_error()));
  }

  restore(snapshot) {
    this.check(this.engine.with(stateOf(snapshot),
      (bytes, size) => this.exports.page_restore(this.at, bytes, size)));
  }

  step(dt = 1 / 60, count = 1) {
    for (let k = 0; k < count; ++k) this.check(this.exports.page_step(this.at, dt));
  }

  get time() { return this.exports.page_time(this.at); }
  get stepCount() { return this.exports.page_steps(this.at); }
  get slots() { return this.exports.page_slots(this.at); }
  get kernels() { return this.engine.text(this.exports.page_kernels(this.at)); }

  set kernels(name) {
    const bytes = new TextEncoder().encode(`${name}\0`);
    if (!this.engine.with(bytes, (at) => this.exports.page_set_kernels(this.at, at))) {
      throw new RangeError(`no kernels ${name}; there are ${this.engine.kernels.join(", ")}`);
    }
  }

  // 16 hexadecimal digits: what world.hash() of the Python package is.
  get hash() {
    return [1, 0].map((half) => (this.exports.page_hash(this.at, half) >>> 0)
      .toString(16).padStart(8, "0")).join("");
  }

  setGravity(x, y) { this.check(this.exports.page_set_gravity(this.at, x, y)); }
  position(slot) { return [0, 1].map((axis) => this.exports.page_position(this.at, slot, axis)); }
  grab(slot, x, y) { return !!this.exports.page_grab(this.at, slot, x, y); }
  drag(x, y) { return !!this.exports.page_drag(this.at, x, y); }
  drop() { this.exports.page_drop(this.at); }
  place(slot, x, y) { return !!this.exports.page_place(this.at, slot, x, y); }
  close() { this.exports.page_close(this.at); }

  // A copy of an array.
  read(name) {
    const [which, Type] = PAGE_ARRAYS[name];
    const at = name === "joint_points" ? this.exports.page_array(this.at, which)
      : this.exports.page_read(this.at, which);
    return new Type(this.exports.memory.buffer, at, this.exports.page_count(this.at, which)).slice();
  }
}

// What pyphys2d/_live.py is with Python: takes the messages of a live view and answers them.
export class EngineSession {
  // scene: the message that shows a scene, with its bytes; options: {dt, playing}
  constructor(engine, snapshot, scene, sceneBytes, { dt = 1 / 60, playing = true } = {}) {
    this.world = engine.open(snapshot, scene.origin);
    Object.assign(this, { snapshot, scene, sceneBytes, dt, playing });
    this.speed = 1;
    this.owed = 0;
    this.last = null;
    this.layers = {};
    this.color = "state";
    this.visible = true;
    this.number = 0;
    this.request = 0;
    this.arm = null; // of a body that is placed while the world waits: its number, and where it is
  }

  // The other end: a function that takes a message and its bytes.
  connect(receive) {
    this.receive = receive;
    receive({ type: "state", playing: this.playing, speed: this.speed }, null);
    receive(this.scene, this.sceneBytes);
    this.show();
    this.run();
  }

  send(message) {
    switch (message.type) {
      case "view":
        this.visible = message.visible;
        this.layers = message.layers;
        this.color = message.color;
        this.last = null;
        if (this.receive) this.show();
        break;
      case "control": this.control(message.name, message.value); break;
      case "grab": this.hand(message); break;
      case "click": this.describe(message.body); break;
      case "bye":
        cancelAnimationFrame(this.request);
        this.request = -1;
        this.world.close();
        return;
    }
    this.run();
  }

  control(name, value) {
    if (name === "toggle" || name === "step") {
      this.playing = name === "toggle" && !this.playing;
      this.last = null;
      this.receive({ type: "state", playing: this.playing }, null);
      if (name === "step") this.world.step(this.dt);
    } else if (name === "reset") {
      this.arm = null;
      this.world.restore(this.snapshot);
    } else if (name === "speed") {
      this.speed = Math.min(100, Math.max(0.01, value));
    }
    this.show();
  }

  describe(body) {
    let note = "";
    if (body >= 0) {
      const [x, y] = this.world.position(body), all = this.world.read("velocities");
      const speed = Math.hypot(all[2 * body], all[2 * body + 1]);
      const name = this.scene.names?.[body] || `body ${body}`;
      note = `${name} at (${x.toFixed(2)}, ${y.toFixed(2)}) m, ${speed.toFixed(2)} m/s`;
    }
    this.receive({ type: "state", note }, null);
  }

  hand({ phase, body, x, y }) {
    const { world } = this;
    if (phase === "up") {
      world.drop();
      this.arm = null;
    } else if (phase === "down") {
      this.arm = null;
      if (this.playing) world.grab(body, x, y);
      else {
        const [bx, by] = world.position(body);
        this.arm = [body, bx - x, by - y];
      }
    } else if (this.arm) {
      world.place(this.arm[0], x + this.arm[1], y + this.arm[2]);
      this.show();
    } else {
      world.drag(x, y);
    }
  }

  // Frames are asked for only while there is something to do.
  run() {
    if (this.request || !this.receive || !this.playing || !this.visible) return;
    this.request = requestAnimationFrame((now) => {
      this.request = 0;
      if (!this.playing || !this.visible) return;
      const passed = this.last === null ? 0 : Math.min(LONGEST_FRAME, (now - this.last) / 1000);
      this.last = now;
      this.owed += passed * this.speed;
      const begin = performance.now();
      let moved = false;
      try {
        for (; this.owed >= this.dt; this.owed -= this.dt, moved = true) {
          this.world.step(this.dt);
          if (performance.now() - begin > STEPPING) this.owed = 0;
        }
      } catch (error) {
        this.playing = false;
        this.receive({ type: "state", playing: false, note: error.message }, null);
      }
      if (moved) this.show();
      this.run();
    });
  }

  show() {
    const { world, layers } = this, names = ["poses", "states"];
    if (layers.velocities || this.color === "speed") names.push("velocities");
    if (layers.islands || this.color === "island") names.push("islands");
    if (layers.contacts || layers.normals) names.push("contacts");
    if (layers.joints) names.push("joints", "joint_points");
    const parts = [], list = [];
    let at = 0;
    for (const name of names) {
      const array = world.read(name);
      list.push({ name, type: TYPES.get(array.constructor), shape: [array.length], at });
      parts.push([at, array]);
      at += Math.ceil(array.byteLength / 8) * 8;
    }
    const bytes = new Uint8Array(at);
    for (const [from, array] of parts) {
      bytes.set(new Uint8Array(array.buffer, 0, array.byteLength), from);
    }
    this.number += 1;
    this.receive({ type: "frame", frame: this.number, time: world.time, arrays: list }, bytes);
  }
}

// A page: {wasm, snapshot, scene}, the first two deflated and in base64; options as LiveView and
// EngineSession take them.
export async function startEngine(root, { wasm, snapshot, scene, arrays }, options = {}) {
  const unpack = (text) => inflate(fromBase64(text));
  const engine = await Engine.load(await unpack(wasm));
  const session = new EngineSession(engine, await unpack(snapshot), scene, await unpack(arrays),
    options);
  const view = new LiveView(root, session, options);
  session.connect((message, bytes) => view.receive(message, bytes));
  view.session = session;
  return view;
}
