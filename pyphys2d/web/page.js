// The live view as a page of `pyphys2d play`: frames come as one long answer, what the user does goes
// as short requests. Both carry the token that only this page knows.
import { LiveView } from "./live.js";

const HEADER = 8; // bytes: length of the message, length of the array bytes, little endian

// Cuts a stream of bytes into messages.
export class Splitter {
  constructor(receive) {
    this.receive = receive;
    this.parts = [];
    this.size = 0;
  }

  push(part) {
    this.parts.push(part);
    this.size += part.length;
    for (;;) {
      if (this.size < HEADER) return;
      const head = this.peek(HEADER), view = new DataView(head.buffer, head.byteOffset, HEADER);
      const text = view.getUint32(0, true), data = view.getUint32(4, true);
      if (this.size < HEADER + text + data) return;
      const all = this.peek(HEADER + text + data);
      const message = JSON.parse(new TextDecoder().decode(all.subarray(HEADER, HEADER + text)));
      this.parts = [all.subarray(HEADER + text + data)];
      this.size = this.parts[0].length;
      this.receive(message, all.slice(HEADER + text, HEADER + text + data));
    }
  }

  peek(count) {
    if (this.parts[0]?.length >= count && this.parts.length === 1) return this.parts[0];
    const all = new Uint8Array(this.size);
    let at = 0;
    for (const part of this.parts) all.set(part, at), at += part.length;
    this.parts = [all];
    return all;
  }
}

export async function startPage(root, { token, theme }) {
  const client = Math.random().toString(36).slice(2);
  const headers = { "X-Token": token, "X-Client": client }, queue = [];
  let sending = false, closed = false, view = null;
  const flush = async () => {
    if (sending || closed) return;
    sending = true;
    while (queue.length && !closed) {
      const batch = queue.splice(0, 50);
      try {
        const answer = await fetch("send", { method: "POST", headers, body: JSON.stringify(batch) });
        if (!answer.ok) throw new Error(`${answer.status}`);
      } catch {
        closed = true;
        view?.stage.say("The program has ended.");
      }
    }
    sending = false;
  };
  const link = { send: (message) => {
    queue.push(message);
    flush();
  } };
  const answer = await fetch("stream", { headers });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  view = new LiveView(root, link, { theme });
  globalThis.view = view;
  const splitter = new Splitter((message, bytes) => view.receive(message, bytes));
  const reader = answer.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      splitter.push(value);
    }
  } finally {
    closed = true;
    view.stage.say("The program has ended.");
  }
  return view;
}
