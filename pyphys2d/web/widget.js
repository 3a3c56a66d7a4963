// The live view as an anywidget: pyphys2d.jupyter.WorldView.
import { STYLE } from "./controls.js";
import { LiveView } from "./live.js";

// Each view of the widget is a client of its own: messages carry its name.
export function renderWidget({ model, el }) {
  const client = crypto.randomUUID?.() ?? String(Math.random()).slice(2);
  const style = document.createElement("style");
  style.textContent = STYLE;
  const root = document.createElement("div");
  el.replaceChildren(style, root);
  const link = { send: (message) => model.send({ client, ...message }) };
  const view = new LiveView(root, link, { height: model.get("height"), theme: model.get("theme") });
  // Where no kernel is, as on pages that show saved notebooks, it is all that is ever seen.
  const picture = model.get("still");
  if (picture) view.stage.showStill(`data:image/svg+xml,${encodeURIComponent(picture)}`);
  const receive = (message, buffers) => {
    if (message.client && message.client !== client) return;
    if (message.type === "frame") view.stage.showStill(null);
    view.receive(message, buffers?.[0]);
  };
  model.on("msg:custom", receive);
  return () => {
    model.off("msg:custom", receive);
    view.close();
  };
}
