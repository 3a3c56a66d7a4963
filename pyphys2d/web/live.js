// The live view: shows what a session in Python steps, and sends back what the user does.
//
// A link carries messages: link.send(message) to Python, and receive(message, bytes) from there. The
// scene comes once and again when it changes, frames come while the view is seen, and each is
// acknowledged when it is drawn, and with it those before, so that no more than two are ever under
// way. Of two that come between two pictures of the screen the second waits for the next picture.
import { SPEEDS, Stage, button, element, icon, setButton } from "./controls.js";
import { readArrays, readDrawing } from "./drawing.js";

const MOVES_PER_SECOND = 60;
const WAITS = "The world waits.";
const PATIENCE = 2000; // milliseconds after which a view says that nobody answers
const SILENT = "Python does not answer: a cell is running, or the kernel has ended. " +
  "If it has, run the cell of this view again.";
const LATE = 40; // milliseconds that a frame may wait to be drawn; a page that is slower skips some

export class LiveView {
  // options: as Stage takes them
  constructor(root, link, options = {}) {
    this.link = link;
    this.playing = false;
    this.held = new Set(); // keys that are down
    this.lastMove = 0;
    this.stage = new Stage(root, { label: "A live world of rigid bodies. Space plays and pauses, " +
      "full stop steps, bodies can be dragged.", ...options,
      grabs: { down: (x, y) => this.grab("down", x, y), move: (x, y) => this.grab("move", x, y),
               up: (x, y) => this.grab("up", x, y), hover: (x, y) => this.hover(x, y) },
      onclick: (x, y) => this.click(x, y),
      onkeydown: (event) => this.key(event, true), onkeyup: (event) => this.key(event, false) });
    this.build();
    this.stage.onvisible = () => this.tellView();
    this.stage.onlayers = () => this.tellView();
    this.stage.on(this.stage.canvas, "blur", () => this.releaseKeys());
    this.pending = null; // number of the frame that the renderer has and that is not drawn
    this.waiting = null; // the one after it: [message, bytes]
    this.stage.onframe = () => this.acknowledge();
    this.stage.say("waiting for Python …");
    this.link.send({ type: "hello" });
    this.tellView();
  }

  build() {
    const { stage } = this, { bar } = stage;
    this.playButton = button("play", "Play", "Space", () => this.control("toggle"));
    // A picture that is still looks broken, and Space is of no use before it has been clicked.
    this.start = element("button", { type: "button", class: "start", hidden: true,
      title: "Run (Space)", onclick: () => {
        stage.canvas.focus({ preventScroll: true });
        this.control("toggle");
      } }, icon("play"), " Run");
    stage.canvas.parentElement.append(this.start);
    this.clock = element("span", { class: "time short" });
    this.speeds = element("select", { "aria-label": "Speed", title: "Speed",
      onchange: () => this.control("speed", Number(this.speeds.value)) });
    for (const value of SPEEDS) {
      this.speeds.append(element("option", { value, text: `${value}×`, selected: value === 1 }));
    }
    bar.append(this.playButton, button("step", "One step", ".", () => this.control("step")),
      button("reset", "Start again", "r", () => this.control("reset")), this.speeds, this.clock,
      element("span", { class: "space" }));
    stage.addViewControls();
    stage.key(" ", "Play or pause", () => this.control("toggle"));
    stage.key(".", "One step", () => this.control("step"));
    stage.key("r", "Start again", () => this.control("reset"));
    stage.key("[", "Slower", () => this.changeSpeed(-1));
    stage.key("]", "Faster", () => this.changeSpeed(1));
    stage.key("Enter", "Take the body that is chosen, or throw it", () => this.keyboardGrab());
    stage.key("k", "Click what is chosen, or the middle of the view", () => this.keyboardClick());
    stage.key("Escape", "Let go, or follow no body", () => {
      if (this.carried) this.drop();
      else this.stage.follow(-1);
    });
  }

  changeSpeed(by) {
    const at = SPEEDS.indexOf(Number(this.speeds.value)) + by;
    const speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))];
    this.speeds.value = String(speed);
    this.control("speed", speed);
  }

  keyboardClick() {
    const { renderer } = this.stage;
    if (!renderer.frame) return;
    const body = renderer.hovered, middle = [renderer.width / 2, renderer.height / 2];
    const [x, y] = body >= 0 ? renderer.placeOf(body) : middle;
    this.click(x, y, body);
  }

  control(name, value = null) {
    this.link.send({ type: "control", name, value });
    if (!this.link.ended) this.answer ??= setTimeout(() => this.stage.say(SILENT), PATIENCE);
  }

  answered() {
    if (!this.answer) return;
    clearTimeout(this.answer);
    this.answer = null;
    if (this.stage.note.textContent === SILENT) this.stage.say("");
  }

  tellView() {
    const { renderer } = this.stage;
    this.link.send({ type: "view", visible: this.stage.visible, layers: renderer.layers,
                     color: renderer.colorBy });
  }

  // ------------------------------------------------------------------------------------- messages
  receive(message, bytes) {
    this.answered();
    switch (message.type) {
      case "scene": this.showScene(message, bytes); break;
      case "frame": this.showFrame(message, bytes); break;
      case "state": this.showState(message); break;
      case "error": this.stage.say(message.text); break;
    }
  }

  showScene(message, bytes) {
    const { renderer } = this.stage, first = !renderer.drawing || message.fit;
    const drawing = readDrawing(message, readArrays(message.arrays, bytes));
    renderer.setDrawing(drawing);
    this.waiting = this.pending = null;
    this.stage.home = message.view ?? null;
    this.fitNext = first;
    this.keyNames = new Set(message.keys ?? []);
    this.showControls(message.controls ?? []);
    if (message.title) this.stage.canvas.setAttribute("aria-label", message.title);
    if (first && /^(waiting|$)/.test(this.stage.note.textContent)) {
      const waits = !this.playing && !message.waits;
      this.stage.say(waits ? WAITS : "");
      this.start.hidden = !waits;
    }
    if (first) {
      if (message.color) this.stage.setColorBy(message.color);
      for (const layer of message.layers ?? []) this.stage.setLayer(layer, true);
    }
    this.followed = message.follow ?? -1; // by the wish of Python, from the first frame on
  }

  showFrame(message, bytes) {
    if (this.pending === null && !this.waiting) this.present(message, bytes);
    else this.waiting = [message, bytes];
    this.stage.invalidate();
  }

  // Called before each picture; true: there is more to draw.
  acknowledge() {
    const late = performance.now() - this.presented > LATE;
    if (this.waiting && (this.pending === null || late)) {
      this.present(...this.waiting);
      this.waiting = null;
    }
    if (this.pending !== null) this.link.send({ type: "ack", frame: this.pending });
    this.pending = null;
    return this.waiting !== null;
  }

  // Gives a frame to the renderer.
  present(message, bytes) {
    const { renderer } = this.stage;
    this.pending = message.frame;
    this.presented = performance.now();
    const arrays = readArrays(message.arrays, bytes);
    if (!renderer.drawing || arrays.poses.length !== 3 * renderer.drawing.count) {
      return; // of a scene that is not here yet
    }
    const { poses, states, velocities, islands, joints, contacts, tree } = arrays;
    renderer.setFrame({ time: message.time, poses, states, velocities, islands, joints,
      jointPoints: arrays.joint_points, contacts, tree });
    renderer.marks = message.marks ?? null;
    if (this.fitNext) {
      this.fitNext = false;
      this.stage.fit();
      const hint = this.stage.note.textContent;
      if (this.followed >= 0) this.stage.follow(this.followed);
      if (hint) this.stage.say(hint);
    }
    this.stage.dirty = true;
    this.showTime(message.time);
  }

  // Tenths of a second while it runs: a new text has the whole page laid out.
  showTime(time) {
    this.time = time;
    const text = `${time.toFixed(this.playing ? 1 : 2)} s`;
    if (this.clock.textContent !== text) this.clock.textContent = text;
  }

  showState({ playing, speed, note, values, disabled, time, follow }) {
    if (playing !== undefined && playing !== this.playing) {
      this.playing = playing;
      this.start.hidden = true;
      if (playing) setButton(this.playButton, "pause", "Pause", "Space");
      else setButton(this.playButton, "play", "Play", "Space");
      if (this.stage.note.textContent === WAITS) this.stage.say("");
      if (this.time !== undefined) this.showTime(this.time);
    }
    if (time !== undefined) this.showTime(time);
    if (speed !== undefined) this.speeds.value = String(speed);
    if (note || note === "" && this.stage.note.textContent !== WAITS) this.stage.say(note);
    if (follow !== undefined) this.stage.follow(follow);
    for (const [id, value] of Object.entries(values ?? {})) this.inputs?.get(id)?.(value);
    for (const [id, off] of Object.entries(disabled ?? {})) this.disable(id, off);
  }

  // controls: list of {id, kind: slider | choice | toggle | button, label, value, ...}
  // Those that are there already stay, with the focus and the drag that one may have.
  showControls(controls) {
    const shape = JSON.stringify(controls.map(({ value, disabled, ...rest }) => rest));
    if (shape === this.controlShape) {
      for (const { id, value, disabled } of controls) {
        if (value !== undefined) this.inputs.get(id)?.(value);
        this.disable(id, disabled ?? false);
      }
      return;
    }
    this.controlShape = shape;
    this.inputs = new Map();
    this.elements = new Map();
    this.stage.panel.replaceChildren(...controls.map((each) => this.makeControl(each)));
  }

  disable(id, disabled) {
    const input = this.elements?.get(id);
    if (input) input.disabled = disabled;
  }

  makeControl(control) {
    const made = this.makeInput(control);
    const input = made.matches("button") ? made : made.querySelector("input, select");
    this.elements.set(control.id, input);
    this.disable(control.id, control.disabled ?? false);
    return made;
  }

  makeInput({ id, kind, label, value, min, max, step, choices, unit }) {
    const send = (next) => this.link.send({ type: "set", id, value: next });
    if (kind === "button") {
      return element("button", { type: "button", class: "word", text: label, onclick: () => send(true) });
    }
    if (kind === "choice") {
      const select = element("select", { onchange: () => send(select.value) });
      for (const name of choices) {
        select.append(element("option", { value: name, text: name, selected: name === value }));
      }
      this.inputs.set(id, (next) => { select.value = next; });
      return element("label", {}, `${label} `, select);
    }
    if (kind === "toggle") {
      const box = element("input", { type: "checkbox", onchange: () => send(box.checked) });
      box.checked = value;
      this.inputs.set(id, (next) => { box.checked = next; });
      return element("label", {}, box, ` ${label}`);
    }
    const after = unit && unit !== "°" ? ` ${unit}` : unit ?? "";
    const text = (number) => `${Number(Number(number).toPrecision(4))}${after}`;
    const out = element("output", { text: text(value) });
    const slider = element("input", { type: "range", min, max, step, value, oninput: () => {
      out.textContent = text(slider.value);
      send(Number(slider.value));
    } });
    this.inputs.set(id, (next) => {
      if (document.activeElement !== slider) slider.value = next;
      out.textContent = text(next);
    });
    return element("label", {}, `${label} `, slider, out);
  }

  // ------------------------------------------------------------------------------------- the user
  hover(x, y) {
    const { renderer } = this.stage;
    return renderer.pick(x, y, (body) => renderer.frame.states[body] >= 2);
  }

  grab(phase, x, y) {
    const { renderer } = this.stage;
    if (phase === "down") {
      const body = this.hover(x, y);
      if (body < 0) return false;
      const [wx, wy] = renderer.toWorld(x, y);
      this.link.send({ type: "grab", phase, body, x: wx, y: wy });
      this.stage.canvas.style.cursor = "grabbing";
      return true;
    }
    const now = performance.now();
    if (phase === "move") {
      if (now - this.lastMove < 1000 / MOVES_PER_SECOND) {
        this.nextMove = [x, y];
        this.moveTimer ??= setTimeout(() => {
          this.moveTimer = null;
          if (this.nextMove) this.grab("move", ...this.nextMove);
        }, 1000 / MOVES_PER_SECOND);
        return true;
      }
      this.lastMove = now;
      this.nextMove = null;
    } else {
      clearTimeout(this.moveTimer);
      this.moveTimer = this.nextMove = null;
      this.stage.canvas.style.cursor = "";
    }
    const [wx, wy] = renderer.toWorld(x ?? 0, y ?? 0);
    this.link.send(x === undefined ? { type: "grab", phase } : { type: "grab", phase, x: wx, y: wy });
    return true;
  }

  // The body that is followed is taken at its origin, moved by the arrow keys, thrown by Enter.
  keyboardGrab() {
    const { renderer } = this.stage;
    if (this.carried) {
      this.drop();
      return;
    }
    const body = renderer.hovered;
    if (body < 0 || !renderer.frame) return;
    const [x, y] = renderer.placeOf(body);
    this.stage.follow(-1);
    this.carried = [x, y];
    const [wx, wy] = renderer.toWorld(x, y);
    this.link.send({ type: "grab", phase: "down", body, x: wx, y: wy });
  }

  drop() {
    if (!this.carried) return;
    this.carried = null;
    this.link.send({ type: "grab", phase: "up" });
  }

  // In pixels; of a body, or of whatever is there.
  click(x, y, body = -1) {
    const { renderer } = this.stage, [wx, wy] = renderer.toWorld(x, y);
    this.link.send({ type: "click", x: wx, y: wy, body: body >= 0 ? body : renderer.pick(x, y) });
  }

  key(event, down) {
    const { key } = event;
    const moves = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] };
    if (down && this.carried && moves[key]) {
      this.carried = this.carried.map((value, k) => value + moves[key][k]);
      const [x, y] = this.stage.renderer.toWorld(...this.carried);
      this.link.send({ type: "grab", phase: "move", x, y });
      return true;
    }
    const name = key.length === 1 ? key.toLowerCase() : key;
    if (!this.keyNames?.has(name)) return false;
    if (down !== this.held.has(name)) {
      if (down) this.held.add(name);
      else this.held.delete(name);
      this.link.send({ type: "key", key: name, down });
    }
    return true;
  }

  releaseKeys() {
    for (const key of this.held) this.link.send({ type: "key", key, down: false });
    this.held.clear();
  }

  close() {
    clearTimeout(this.moveTimer);
    clearTimeout(this.answer);
    this.releaseKeys();
    this.link.send({ type: "bye" });
    this.stage.close();
  }
}
