// The live view as a page of `pyphys2d play`: one WebSocket to the program, at an address below the
// page's own, which holds the token that only this page knows.
import { LiveView } from "./live.js";

const LENGTH = 4; // bytes: length of the message, little endian

// A message and the bytes of its arrays, which begin at a multiple of 8.
export function splitMessage(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, LENGTH, size));
  return [JSON.parse(text), new Uint8Array(buffer, LENGTH + size)];
}

export function startPage(root) {
  const address = new URL("live", document.baseURI);
  address.protocol = "ws:";
  const socket = new WebSocket(address);
  socket.binaryType = "arraybuffer";
  const link = { send: (message) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  } };
  let view = null;
  socket.onopen = () => {
    view = new LiveView(root, link);
    globalThis.view = view;
  };
  socket.onmessage = ({ data }) => view.receive(...splitMessage(data));
  socket.onclose = ({ code, reason }) => {
    const words = code >= 1002 && reason ? `The connection has ended: ${reason}` : "The program has ended.";
    link.ended = true;
    if (view) view.stage.say(words);
    else root.textContent = words;
  };
  return socket;
}
