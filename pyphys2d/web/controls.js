// The stage: a canvas with its renderer, a toolbar, pointer and keyboard. Player and live view build
// on it. All can be done by keyboard alone, and every control has a label for screen readers.
import { COLOR_BY, LAYERS, Renderer } from "./renderer.js";

const ICONS = { // paths in a box of 16 by 16
  play: "M4 2.5v11l9-5.5z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  step: "M3 3l7 5-7 5zM11 3h2v10h-2z", back: "M13 3L6 8l7 5zM3 3h2v10H3z",
  reset: "M8 3a5 5 0 1 1-4.6 3H1l3.2-4L7.4 6H5a3.4 3.4 0 1 0 3-1.6z",
  fit: "M2 2h5v1.6H3.6V7H2zM9 2h5v5h-1.6V3.6H9zM2 9h1.6v3.4H7V14H2zM12.4 9H14v5H9v-1.6h3.4z",
  follow: "M7.2 1h1.6v2.1A5 5 0 0 1 12.9 7.2H15v1.6h-2.1a5 5 0 0 1-4.1 4.1V15H7.2v-2.1a5 5 0 0 1-4.1-4.1H1V7.2h2.1" +
    "a5 5 0 0 1 4.1-4.1zM8 4.6a3.4 3.4 0 1 0 0 6.8a3.4 3.4 0 1 0 0-6.8zM8 6.4a1.6 1.6 0 1 1 0 3.2a1.6 1.6 0 1 1 0-3.2z",
  loop: "M4 4h7V2l3.5 3L11 8V6H5.5v2.5h-2V4.5zM12 12H5v2l-3.5-3L5 8v2h5.5V7.5h2v4z",
};

export const STYLE = `
.pp{color-scheme:light;display:flex;flex-direction:column;box-sizing:border-box;width:100%;font:13px/1.3 system-ui,sans-serif;color:#24292f;
  background:#fff;border:1px solid #d0d7de;border-radius:6px;overflow:hidden;position:relative}
.pp.dark{color-scheme:dark;color:#d7dce2;background:#181b20;border-color:#3a4048}
.pp .view{position:relative;flex:1 1 auto;min-height:0;overflow:hidden}
.pp canvas{display:block;width:100%;height:100%;touch-action:none;outline:none}
.pp canvas:focus-visible{box-shadow:inset 0 0 0 2px #0072b2}
.pp .bar{display:flex;flex-wrap:wrap;align-items:center;gap:4px;padding:4px 6px;
  border-top:1px solid #d0d7de;background:#f6f8fa}
.pp.dark .bar{background:#20242a;border-color:#3a4048}
.pp button,.pp select,.pp summary{font:inherit;color:inherit;background:transparent;
  border:1px solid transparent;border-radius:4px;height:26px;min-width:28px;padding:2px 6px;
  cursor:pointer;box-sizing:border-box}
.pp select,.pp summary{border-color:#d0d7de}
.pp.dark select,.pp.dark summary,.pp.dark button.word{border-color:#4a525c;background:#20242a}
.pp button.word{border-color:#d0d7de}
.pp button:hover,.pp summary:hover{background:rgba(127,127,127,.18)}
.pp button:focus-visible,.pp select:focus-visible,.pp summary:focus-visible,
.pp input:focus-visible{outline:2px solid #0072b2;outline-offset:1px}
.pp button[aria-pressed=true]{background:rgba(0,114,178,.2)}
.pp button svg{width:16px;height:16px;fill:currentColor;display:block}
.pp input[type=range]{flex:1 1 120px;min-width:80px;accent-color:#0072b2}
.pp .space{flex:1}
.pp .time{min-width:7.5em;text-align:right;font-variant-numeric:tabular-nums}
.pp .time.short{min-width:4.5em}
.pp .start{position:absolute;left:10px;top:32px;height:30px;padding:2px 12px 2px 8px;display:flex;
  align-items:center;gap:5px;background:#0072b2;color:#fff}
.pp .start:hover{background:#005a8c}
.pp .start[hidden]{display:none}
.pp details{position:relative}
.pp summary{list-style:none;line-height:20px;text-align:center}
.pp summary::-webkit-details-marker{display:none}
.pp .menu{position:absolute;bottom:30px;right:0;z-index:2;padding:8px 10px;border-radius:6px;
  background:#fff;border:1px solid #d0d7de;box-shadow:0 4px 14px rgba(0,0,0,.18);white-space:nowrap;
  max-height:min(300px,60vh);overflow-y:auto}
.pp.dark .menu{background:#20242a;border-color:#4a525c}
.pp .menu label{display:block;padding:2px 0}
.pp .menu dl{display:grid;grid-template-columns:auto auto;gap:2px 12px;margin:0}
.pp .menu dt{text-align:right;font-weight:600}
.pp .menu dd{margin:0}
.pp .panel{display:flex;flex-wrap:wrap;gap:4px 14px;padding:4px 8px;border-top:1px solid #d0d7de}
.pp.dark .panel{border-color:#3a4048}
.pp .panel:empty{display:none}
.pp .panel label{display:flex;align-items:center;gap:6px}
.pp .panel output{min-width:3.5em;font-variant-numeric:tabular-nums}
.pp .note{position:absolute;left:10px;top:8px;color:inherit;opacity:.75;pointer-events:none}
.pp .before{position:absolute;inset:0;margin:auto;max-width:100%;max-height:100%;pointer-events:none}
@media (pointer:coarse){.pp button,.pp select,.pp summary{height:36px;min-width:40px}.pp summary{line-height:30px}
.pp .panel label{min-height:36px}.pp .start{height:36px}}
@media (prefers-reduced-motion:reduce){.pp *{transition:none!important}}
`;

export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "text") node.textContent = value;
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

export function icon(name) {
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

// A button with an icon, named for screen readers; its key stands in the tooltip.
export function button(name, label, key, act) {
  return element("button", { type: "button", "aria-label": label, "aria-keyshortcuts": key || null,
    title: key ? `${label} (${key})` : label, onclick: act }, icon(name));
}

export function setButton(node, name, label, key) {
  node.replaceChildren(icon(name));
  node.setAttribute("aria-label", label);
  node.title = `${label} (${key})`;
}

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4]; // to choose from
const ZOOM_STEP = 1.25;

export class Stage {
  // options: {theme, height (CSS pixels or 0: fill), label, grabs: {down, move, up} or null}
  constructor(root, options = {}) {
    this.root = root;
    this.options = options;
    this.canvas = element("canvas", { tabindex: "0", role: "application",
      "aria-roledescription": "picture of a world", "aria-label": options.label ?? "A world of rigid bodies" });
    this.bar = element("div", { class: "bar", role: "toolbar", "aria-label": "Controls" });
    this.panel = element("div", { class: "panel" });
    this.note = element("div", { class: "note", role: "status", "aria-live": "polite" });
    root.classList.add("pp");
    if (options.height) root.style.height = `${options.height}px`;
    root.replaceChildren(element("div", { class: "view" }, this.canvas), this.note, this.panel,
      this.bar);
    this.renderer = new Renderer(this.canvas, { theme: options.theme ?? "auto" });
    this.keys = new Map(); // key: [what it does, function]
    this.grabbing = null; // what the pointer that is down does: "grab" or "pan"
    this.pointers = new Map();
    this.aborts = new AbortController();
    this.request = 0;
    this.dirty = true;
    this.visible = true;
    this.onframe = null; // called with milliseconds before each drawn frame; true: draw again
    this.applyTheme();
    this.listen();
  }

  on(target, name, act, options = {}) {
    target.addEventListener(name, act, { signal: this.aborts.signal, ...options });
  }

  applyTheme() {
    this.renderer.setTheme(this.options.theme ?? "auto");
    this.root.classList.toggle("dark", this.renderer.theme.dark);
    this.invalidate();
  }

  // Asks for a new picture; many calls before the next frame are one.
  invalidate() {
    this.dirty = true;
    if (this.request || !this.visible || this.closed) return;
    this.request = requestAnimationFrame((now) => {
      this.request = 0;
      if (this.closed) return;
      const again = this.onframe?.(now);
      if (this.dirty) {
        this.dirty = false;
        this.renderer.draw();
      }
      if (again) this.invalidate();
    });
  }

  close() {
    this.closed = true;
    this.aborts.abort();
    this.resizes?.disconnect();
    this.views?.disconnect();
    this.themes?.disconnect();
    if (this.request) cancelAnimationFrame(this.request);
    this.renderer.close();
    this.root.replaceChildren();
  }

  // ------------------------------------------------------------------------------------- controls
  addViewControls() {
    const { renderer } = this;
    this.followButton = button("follow", "Follow a body", "F", () => this.toggleFollow());
    this.bar.append(button("fit", "Show all", "0", () => this.fit()), this.followButton);
    this.key("0", "Show all", () => this.fit());
    const layers = element("div", { class: "menu", role: "group", "aria-label": "Layers" });
    this.layerBoxes = {};
    for (const [layer, label] of Object.entries(LAYERS)) {
      const box = element("input", { type: "checkbox", "data-layer": layer,
        onchange: () => this.setLayer(layer, box.checked) });
      box.checked = renderer.layers[layer];
      this.layerBoxes[layer] = box;
      layers.append(element("label", {}, box, ` ${label}`));
    }
    const menu = this.makeMenu("Layers", "Layers", layers);
    const colors = element("select", { "aria-label": "Colour by", title: "Colour by",
      onchange: () => this.setColorBy(colors.value) });
    for (const name of COLOR_BY) {
      colors.append(element("option", { value: name, text: `Colour: ${name}` }));
    }
    this.colors = colors;
    const help = element("div", { class: "menu", role: "group", "aria-label": "Keys" });
    this.help = this.makeMenu("?", "Keys", help);
    this.on(this.help, "toggle", () => help.replaceChildren(this.listKeys()));
    this.bar.append(menu, colors, this.help);
    const letters = { c: "contacts", n: "normals", v: "velocities", b: "bounds", j: "joints",
                      t: "trails", g: "grid", i: "islands", e: "tree", a: "names" };
    for (const [key, layer] of Object.entries(letters)) {
      this.key(key, LAYERS[layer], () => {
        if (this.layerBoxes[layer].isConnected && !this.layerBoxes[layer].disabled) {
          this.setLayer(layer, !renderer.layers[layer]);
        }
      });
    }
    this.key("m", "Next colouring", () => {
      const names = [...this.colors.options].map((option) => option.value);
      this.setColorBy(names[(names.indexOf(renderer.colorBy) + 1) % names.length]);
    });
    this.key("+", "Zoom in", () => this.zoom(ZOOM_STEP));
    this.key("=", "Zoom in", () => this.zoom(ZOOM_STEP));
    this.key("-", "Zoom out", () => this.zoom(1 / ZOOM_STEP));
    this.key("f", "Choose the next body that can move, and follow it", () => this.followNext());
    this.key("Escape", "Follow no body", () => this.follow(-1));
    this.key("?", "These keys", () => {
      this.help.open = !this.help.open;
      this.help.querySelector("summary").focus();
    });
  }

  // A button that opens a menu above it.
  makeMenu(text, label, content) {
    const menu = element("details", {}, element("summary", { text, role: "button",
      "aria-label": label, title: label }), content);
    this.on(document, "pointerdown", (event) => {
      if (!event.composedPath().includes(menu)) menu.open = false;
    });
    this.on(menu, "keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.querySelector("summary").focus();
      event.stopPropagation();
    });
    return menu;
  }

  // All keys with what they do; those that do the same stand together.
  listKeys() {
    const names = { " ": "Space", ".": "Full stop", ",": "Comma", "+": "Plus", "-": "Minus" };
    const found = new Map(this.arrowKeys ?? [["Move the view", ["Arrows"]]]);
    for (const [key, [label]] of this.keys) {
      const name = names[key] ?? (key.length === 1 ? key.toUpperCase() : key);
      if (found.has(label)) found.get(label).push(name);
      else found.set(label, [name]);
    }
    const list = element("dl");
    for (const [label, keys] of found) {
      list.append(element("dt", { text: keys.join(", ") }), element("dd", { text: label }));
    }
    return list;
  }

  setLayer(layer, shown) {
    this.renderer.layers[layer] = shown;
    if (this.layerBoxes?.[layer]) this.layerBoxes[layer].checked = shown;
    this.onlayers?.(this.renderer.layers);
    this.invalidate();
  }

  setColorBy(name) {
    this.renderer.colorBy = name;
    if (this.colors) this.colors.value = name;
    this.onlayers?.(this.renderer.layers);
    this.invalidate();
  }

  // The camera goes along with a body; -1: with none.
  follow(body) {
    const { renderer } = this;
    if (body >= 0) {
      const name = renderer.drawing?.names?.[body] || `body ${body}`;
      this.say(`following ${name}`);
      this.following = this.note.textContent;
    } else if (renderer.follow >= 0 && this.note.textContent === this.following) this.say("");
    renderer.follow = body;
    this.followButton?.setAttribute("aria-pressed", String(body >= 0));
    this.invalidate();
  }

  toggleFollow() {
    if (this.renderer.follow >= 0) this.follow(-1);
    else if (this.renderer.hovered >= 0) this.follow(this.renderer.hovered);
    else this.followNext();
  }

  fit() {
    this.follow(-1);
    const { renderer } = this, { x, y, scale } = renderer.camera;
    renderer.fit(this.home ?? undefined);
    // Who asks for it again wants to see what has left that view.
    const { camera } = renderer;
    if (camera.x === x && camera.y === y && camera.scale === scale) renderer.fit();
    this.invalidate();
  }

  zoom(factor, px = 0, py = 0) {
    this.renderer.camera.zoom(factor, px, py);
    this.invalidate();
  }

  followNext() {
    const { renderer } = this, { drawing, frame } = renderer;
    if (!drawing || !frame) return;
    for (let k = 1; k <= drawing.count; ++k) {
      const body = (renderer.follow + k) % drawing.count;
      if (body >= 0 && frame.states[body] >= 2 && isFinite(frame.poses[3 * body])) {
        renderer.hovered = body;
        this.follow(body);
        return;
      }
    }
  }

  key(name, label, act) {
    this.keys.set(name, [label, act]);
  }

  // A picture in place of what is not there yet; null: none.
  showStill(address) {
    this.still?.remove();
    this.still = address && element("img", { class: "before", alt: "the world as it was", src: address });
    if (this.still) this.canvas.parentElement.append(this.still);
  }

  say(text) {
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  // -------------------------------------------------------------------------------------- pointer
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  listen() {
    const { canvas } = this;
    this.on(canvas, "pointerdown", (event) => this.pointerDown(event));
    this.on(canvas, "pointermove", (event) => this.pointerMove(event));
    for (const name of ["pointerup", "pointercancel"]) {
      this.on(canvas, name, (event) => this.pointerUp(event));
    }
    this.on(canvas, "pointerleave", () => this.hover(-1));
    this.on(canvas, "wheel", (event) => {
      event.preventDefault();
      const [x, y] = this.place(event), unit = event.deltaMode === 1 ? 16 : 1;
      this.zoom(Math.exp(-0.0015 * unit * Math.max(-200, Math.min(200, event.deltaY))),
        x - this.renderer.width / 2, y - this.renderer.height / 2);
    }, { passive: false });
    this.on(canvas, "dblclick", (event) => {
      const { renderer } = this, movable = (body) => renderer.frame.states[body] >= 1;
      const body = renderer.pick(...this.place(event), movable);
      if (body >= 0) this.follow(body);
      else this.fit();
    });
    this.on(this.root, "keydown", (event) => this.pressed(event));
    this.on(this.root, "keyup", (event) => this.options.onkeyup?.(event));
    this.renderer.observed = true;
    this.resizes = new ResizeObserver(() => {
      this.renderer.measured = false;
      this.invalidate();
    });
    this.resizes.observe(canvas);
    this.watchRatio();
    if (typeof IntersectionObserver !== "undefined") {
      this.views = new IntersectionObserver((entries) => {
        this.seen = entries.at(-1).isIntersecting;
        this.visibility();
      });
      this.views.observe(canvas);
    }
    this.seen = true;
    this.on(document, "visibilitychange", () => this.visibility());
    this.themes = new MutationObserver(() => this.applyTheme());
    this.themes.observe(document.body, { attributes: true,
      attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind", "class"] });
    const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
    if (dark) this.on(dark, "change", () => this.applyTheme());
  }

  // On another screen the canvas has the same size, but more pixels or fewer.
  watchRatio() {
    const here = globalThis.matchMedia?.(`(resolution: ${globalThis.devicePixelRatio}dppx)`);
    if (!here) return;
    this.on(here, "change", () => {
      this.invalidate();
      this.watchRatio();
    }, { once: true });
  }

  visibility() {
    const visible = this.seen && !document.hidden;
    if (visible === this.visible) return;
    this.visible = visible;
    this.onvisible?.(visible);
    if (visible) this.invalidate();
  }

  pointerDown(event) {
    if (event.button > 2) return;
    this.canvas.focus({ preventScroll: true });
    try {
      this.canvas.setPointerCapture(event.pointerId);
    } catch { /* a pointer that is gone already */ }
    const [x, y] = this.place(event);
    this.pointers.set(event.pointerId, [x, y]);
    if (this.pointers.size === 2) { // two fingers zoom and move the view
      if (this.grabbing === "grab") this.options.grabs.up();
      this.grabbing = "pinch";
      return;
    }
    const grabs = this.options.grabs;
    this.grabbing = event.button === 0 && !event.shiftKey && grabs?.down(x, y, event)
      ? "grab" : "pan";
    this.moved = false;
    this.downAt = [x, y];
  }

  pointerMove(event) {
    const [x, y] = this.place(event), last = this.pointers.get(event.pointerId);
    if (!last) {
      if (this.options.grabs) this.hover(this.options.grabs.hover?.(x, y) ?? -1);
      return;
    }
    if (this.grabbing === "pinch") {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const before = Math.hypot(last[0] - other[0], last[1] - other[1]);
        const after = Math.hypot(x - other[0], y - other[1]);
        this.renderer.camera.pan((x - last[0]) / 2, (y - last[1]) / 2);
        if (before > 1 && after > 1) {
          this.zoom(after / before, (x + other[0] - this.renderer.width) / 2,
            (y + other[1] - this.renderer.height) / 2);
        }
      }
    } else if (this.grabbing === "grab") {
      this.options.grabs.move(x, y, event);
    } else if (this.grabbing === "pan") {
      if (Math.hypot(x - last[0], y - last[1]) > 0) this.follow(-1);
      this.renderer.camera.pan(x - last[0], y - last[1]);
      this.invalidate();
    }
    if (this.downAt) this.moved ||= Math.hypot(x - this.downAt[0], y - this.downAt[1]) > 3;
    this.pointers.set(event.pointerId, [x, y]);
  }

  pointerUp(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    if (this.grabbing === "grab") this.options.grabs.up(...this.place(event), event);
    if (/^(grab|pan)$/.test(this.grabbing) && !this.moved && event.type === "pointerup") {
      this.options.onclick?.(...this.place(event), event);
    }
    this.grabbing = this.pointers.size ? "pan" : null;
  }

  hover(body) {
    if (body === this.renderer.hovered) return;
    this.renderer.hovered = body;
    this.canvas.style.cursor = body >= 0 ? "grab" : "";
    this.invalidate();
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    const onButton = /^(BUTTON|SUMMARY)$/.test(event.target.tagName);
    const { key } = event;
    if (inField && !(event.target.type === "checkbox" && key !== " ")) return;
    if (onButton && (key === " " || key === "Enter")) return; // presses the button
    if (this.options.onkeydown?.(event)) {
      event.preventDefault();
      return;
    }
    const pans = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    const found = this.keys.get(key.length === 1 ? key.toLowerCase() : key);
    if (found) found[1](event);
    else if (event.target === this.canvas && pans[key]) {
      this.follow(-1);
      this.renderer.camera.pan(...pans[key]);
      this.invalidate();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

