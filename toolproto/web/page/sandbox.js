// Code of a model, run apart from the page: in a frame without an origin, in a worker, for a while.

import { el } from "./dom.js";
import { words } from "./words.js";

const MOST = 100000; // characters of what comes back

/** Run *code* for at most *seconds*: `{text, failed}`. `stop()` of what is returned ends it. */
export function run(code, seconds) {
  let end;
  const lines = [];
  let size = 0;
  const frame = el("iframe", { sandbox: "allow-scripts", src: "/page/sandbox.html", class: "unseen", tabindex: -1, "aria-hidden": "true", title: "sandbox" });
  const channel = new MessageChannel();
  const ready = (event) => {
    if (event.source !== frame.contentWindow || event.data !== "ready") return;
    removeEventListener("message", ready);
    frame.contentWindow.postMessage(String(code), "*", [channel.port2]);
  };
  const done = new Promise((resolve) => {
    let over = false;
    end = (last, failed) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      removeEventListener("message", ready);
      channel.port1.close();
      frame.remove(); // ends the worker, too
      resolve({ text: [...lines, last].join("\n").slice(0, MOST), failed });
    };
    const timer = setTimeout(() => end(words.jsTime(seconds), true), seconds * 1000);
    channel.port1.onmessage = ({ data }) => {
      if (data.line !== undefined || data.cut) {
        const line = data.cut ? words.jsCut : String(data.line);
        size += line.length;
        if (size < MOST) lines.push(line);
      } else if (data.error !== undefined) end(`${words.jsError}: ${String(data.error).slice(0, 5000)}`, true);
      else end(String(data.value ?? words.jsNothing), false);
    };
    addEventListener("message", ready);
  });
  document.body.append(frame);
  return { done, stop: () => end(words.jsStopped, true) };
}
