// The conversation: turns as the journal has them, and the one that runs as it comes.

import { api, Stream } from "./api.js";
import { CallCard } from "./card.js";
import { announce, button, el, prose, visible } from "./dom.js";
import { Markdown, blocks } from "./markdown.js";
import { words } from "./words.js";

const BUDGET = 12; // milliseconds of one frame in which events are shown

export class Conversation extends HTMLElement {
  connectedCallback() {
    this.log = el("div", { class: "log", role: "log", "aria-live": "off", "aria-label": words.appName });
    this.notice = el("p", { class: "notice", role: "status" });
    this.append(this.log, this.notice);
    this.cards = new Map();
    this.queue = [];
    this.follow();
  }

  /** Stay at the end while the conversation grows, unless the person has scrolled up.
   *
   * Turns have their real height only when they are about to be seen, so it is not enough to
   * scroll when something is added.
   */
  follow() {
    let last = 0;
    this.stuck = true;
    this.addEventListener("scroll", () => {
      const near = this.scrollHeight - this.scrollTop - this.clientHeight < 80;
      if (near) this.stuck = true;
      else if (this.scrollTop < last) this.stuck = false;
      last = this.scrollTop;
    }, { passive: true });
    const grown = new ResizeObserver(() => this.stuck && this.scrollTo(0, this.scrollHeight));
    grown.observe(this.log);
    grown.observe(this);
  }

  // -- which one is shown -----------------------------------------------------------------

  async open(id) {
    const same = this.id_ === id;
    this.close();
    this.id_ = id;
    const told = await api.show(id);
    if (this.id_ !== id) return null; // another was opened meanwhile
    this.session = told;
    this.cards = new Map();
    this.live = null;
    const shown = told.turns.map((turn) => this.turn(turn));
    this.log.replaceChildren(...(told.earlier ? [this.earlier(told.earlier)] : []), ...shown);
    this.settle(told.waiting, !same);
    if (told.interrupted) this.broken();
    this.running = told.running;
    this.welcome();
    this.stream = new Stream(id, told.after, (event) => this.hear(event), (on) => this.state(on), () => this.dispatchEvent(new CustomEvent("choose", { bubbles: true, detail: null })));
    this.tell();
    this.stuck = true;
    this.scrollTo(0, this.scrollHeight);
    return told;
  }

  close() {
    this.stream?.close();
    this.stream = null;
    this.id_ = null;
    this.queue = [];
  }

  tell() {
    this.dispatchEvent(new CustomEvent("session", { bubbles: true, detail: { session: this.session, running: this.running } }));
  }

  state(connected) {
    if (connected && this.lost) announce(words.online);
    this.lost = !connected;
    this.notice.textContent = connected ? "" : words.offline;
  }

  welcome() {
    this.log.querySelector(".welcome")?.remove();
    if (this.log.childElementCount || this.running) return;
    const start = (text) => button(text, () => this.dispatchEvent(new CustomEvent("starter", { bubbles: true, detail: text })));
    this.log.append(el("div", { class: "welcome" }, el("h2", { text: words.welcome }), this.session.model === "scripted" ? el("p", { class: "faint", text: words.scriptedNote }) : null, el("div", { class: "starters" }, words.starters.map(start))));
  }

  earlier(count) {
    const more = button(words.earlier(count), () => this.attempt(async () => {
      const first = this.log.querySelector("[data-turn]");
      const told = await api.show(this.id_, Number(first.dataset.turn));
      const height = this.scrollHeight;
      more.replaceWith(...(told.earlier ? [this.earlier(told.earlier)] : []), ...told.turns.map((turn) => this.turn(turn)));
      this.join();
      this.scrollTop += this.scrollHeight - height;
    }), { class: "more earlier" });
    return more;
  }

  // -- turns that are over ----------------------------------------------------------------

  /** One turn of the journal. A result may belong to a card of a turn before. */
  turn(turn) {
    const box = el("article", { class: turn.resumed ? "turn resumed" : "turn", "data-turn": turn.number, "data-status": turn.status });
    if (!turn.resumed) box.append(this.own(turn));
    for (const said of turn.said) {
      if (said.role === "assistant") box.append(this.answer(said));
      else box.append(el("details", { class: "told" }, el("summary", { text: words.toldModel }), el("pre", { tabindex: 0, text: visible(said.content) })));
    }
    for (const [id, result] of Object.entries(turn.results)) {
      const card = this.cards.get(id);
      if (card) card.update(card.call, { result });
    }
    box.append(...this.ending(turn));
    return box;
  }

  own(turn) {
    const said = el("div", { class: "own" }, el("h3", { class: "unseen", text: words.you }), el("div", { class: "bubble", dir: "auto", text: prose(turn.text) }));
    const tools = el("div", { class: "row tools" });
    if (turn.number && this.session.own) {
      const at = turn.beside.indexOf(turn.number);
      if (turn.beside.length > 1) {
        const go = (to) => this.attempt(() => api.act(this.id_, "branch", { turn: turn.beside[to], last: true }));
        tools.append(
          button("‹", () => go(at - 1), { "aria-label": words.previous, disabled: at < 1 }),
          el("span", { class: "faint", text: `${at + 1}/${turn.beside.length}`, role: "img", "aria-label": words.version(at + 1, turn.beside.length) }),
          button("›", () => go(at + 1), { "aria-label": words.next, disabled: at >= turn.beside.length - 1 }));
      }
      tools.append(
        button(words.edit, () => this.editOwn(said, turn)),
        button(words.rerun, () => this.attempt(() => api.act(this.id_, "rerun", { turn: turn.number, keep_following: true }))));
    }
    said.append(tools);
    return said;
  }

  editOwn(said, turn) {
    const field = el("textarea", { value: turn.text, rows: 3, "aria-label": words.say });
    const form = el("form", { class: "ask", onsubmit: (event) => {
      event.preventDefault();
      form.replaceWith(...kept);
      this.attempt(() => api.act(this.id_, "send", { text: field.value, beside: turn.number }));
    }, onkeydown: (event) => {
      if (event.key === "Escape") form.replaceWith(...kept);
      event.stopPropagation();
    } }, field, el("div", { class: "row" }, el("button", { class: "primary", text: words.resend }), button(words.cancel, () => form.replaceWith(...kept))));
    const kept = [...said.children];
    said.replaceChildren(form);
    field.focus();
  }

  answer(said) {
    const box = this.block();
    const calls = new Map(said.calls.map((call) => [call.id, call]));
    for (const part of said.parts) {
      if (part.kind === "text" && part.text.trim()) box.append(el("div", { class: "text" }, blocks(part.text)));
      else if (part.kind === "reasoning" && part.text.trim()) box.append(thought(part.text));
      else if (part.kind === "call" && calls.has(part.text)) {
        box.append(this.card(calls.get(part.text)));
        calls.delete(part.text);
      }
    }
    for (const call of calls.values()) box.append(this.card(call));
    return box;
  }

  block() {
    return el("div", { class: "answer" }, el("h3", { class: "unseen", text: words.model }));
  }

  /** The card of *call*: the one that is there, so that what was opened in it stays open. */
  card(call) {
    const card = this.cards.get(call.id) ?? new CallCard();
    card.session = this.id_;
    card.seconds = this.session.js_seconds;
    card.readonly = !this.session.own;
    this.cards.set(call.id, card);
    if (card.status === "streaming") card.status = "pending";
    card.update(card.call?.id === call.id && card.waiting ? { ...card.call, ...call } : call);
    return card;
  }

  ending(turn) {
    const tokens = turn.steps.reduce((sum, step) => sum + step.input_tokens + step.output_tokens, 0);
    const costs = turn.steps.map((step) => step.cost);
    const stats = { requests: turn.steps.length, calls: Object.keys(turn.results).length, tokens, seconds: turn.seconds ?? 0, cost: costs.every(Boolean) ? costs.reduce((a, b) => a + b, 0) : 0 };
    const made = [];
    const label = words.turnStatus[turn.status];
    if (turn.error) made.push(el("p", { class: "problem", text: visible(`${label || turn.status}: ${turn.error}`) }));
    if (turn.not_run.length) made.push(el("div", { class: "concerns", role: "note" }, el("strong", { text: words.notRun }), el("ul", {}, turn.not_run.map((each) => el("li", { text: visible(`${each.name}: ${each.reason}`) })))));
    for (const step of turn.steps) if (step.diff) made.push(el("details", { class: "diff" }, el("summary", { text: words.changes }), el("pre", { tabindex: 0, text: visible(step.diff) })));
    if (turn.steps.length) {
      const foot = el("footer", { class: "faint" }, [visible(turn.model), label && !turn.error ? label : "", words.stats(stats)].filter(Boolean).join(" · "));
      if (this.session.own) foot.append(button(words.branchHere, () => this.attempt(() => api.act(this.id_, "branch", { turn: turn.number })), { class: "quiet" }));
      if (this.session.own && turn.changed) foot.append(button(words.undo, () => this.undo(turn.number), { class: "quiet" }));
      made.push(foot);
    }
    return made;
  }

  async undo(turn) {
    await this.attempt(async () => {
      const { paths } = await api.act(this.id_, "undo", { turn });
      this.notice.textContent = words.undone(paths.map(visible).join(", "));
    });
  }

  broken() {
    const go = button(words.goOn, () => this.attempt(() => api.act(this.id_, "resume")), { class: "primary" });
    this.log.append(el("div", { class: "broken", role: "alert" }, el("p", { text: words.interrupted }), this.session.own ? go : null));
  }

  join() {
    // Results that came in a later turn than their calls are there once both are.
    for (const card of this.cards.values()) card.draw();
  }

  /** Show which calls wait, and let the first be decided about by a key. */
  settle(waiting, quiet = false) {
    for (const card of this.cards.values()) {
      if (card.waiting && !waiting.some((each) => each.call.id === card.call.id)) card.update(card.call, { waiting: null, busy: false, status: card.result ? card.status : "denied" });
    }
    waiting.forEach((each) => {
      const card = this.cards.get(each.call.id) ?? this.lost_(each.call);
      card.update(each.call, { waiting: each, form: card.form ?? null });
    });
    const first = waiting[0] && this.cards.get(waiting[0].call.id);
    if (!first) return;
    // What may run unasked the server says.
    if (this.session.own) waiting.filter((each) => each.runs).forEach((each) => this.cards.get(each.call.id).act("run"));
    if (!quiet) announce(words.waits(first.name));
    // Not from the message, not even an empty one: its next letter would decide about the call.
    const active = document.activeElement;
    const free = active === document.body || (this.contains(active) && !active.matches("textarea, input"));
    if (free && !document.querySelector("dialog[open]") && this.session.own) first.focus({ preventScroll: quiet });
  }

  lost_(call) {
    const card = this.card(call);
    this.log.append(el("article", { class: "turn" }, card));
    return card;
  }

  async attempt(doing) {
    try {
      await doing();
    } catch (error) {
      this.notice.textContent = error.message;
      announce(error.message);
    }
  }

  // -- the turn that runs -----------------------------------------------------------------

  hear(event) {
    this.queue.push(event);
    if (!this.scheduled) {
      this.scheduled = true;
      // A hidden tab draws no frames, and is to be up to date when it is looked at.
      if (document.hidden) setTimeout(() => this.work(), 50);
      else requestAnimationFrame(() => this.work());
    }
  }

  work() {
    this.scheduled = false;
    const end = performance.now() + BUDGET;
    while (this.queue.length && performance.now() < end) this.take(this.queue.shift());
    for (const text of this.drawn ?? []) text.flush();
    this.drawn?.clear();
    if (this.queue.length) {
      this.scheduled = true;
      requestAnimationFrame(() => this.work());
    }
  }

  take(event) {
    const live = this.live;
    switch (event.event) {
      case "begun": return this.begun(event);
      case "step_started":
        if (live) {
          live.block = this.block();
          live.calls = new Map();
          live.box.append(live.block);
          live.text = live.thought = null;
        }
        return undefined;
      case "reasoning": return live && this.think(event.text);
      case "reasoning_ended": return live?.thought && this.thoughtOver();
      case "text": return live && this.write(event.text);
      case "call_started": return live && this.cardBegun(event);
      case "arguments": return live?.calls.get(event.index)?.grow(event.text);
      case "call": return live && this.cardRead(event);
      case "call_rejected": return live && this.cardBegun(event).reject(event.problem);
      case "tool": return this.toolUpdated(event);
      case "ended": return this.ended(event);
      case "settled": return this.settled(event);
      case "failed":
        this.notice.textContent = event.error;
        return undefined;
      case "files": return this.dispatchEvent(new CustomEvent("files", { bubbles: true }));
      case "renamed":
        if (event.title) this.session.title = event.title;
        return this.tell();
      case "changed":
      case "reset": return this.open(this.id_).catch((error) => (this.notice.textContent = error.message));
      default: return undefined;
    }
  }

  begun(event) {
    this.log.querySelector(".broken")?.remove();
    this.notice.textContent = "";
    // What is run again takes the place of what stood there.
    const boxes = [...this.log.querySelectorAll("[data-turn]")];
    const at = boxes.findIndex((box) => Number(box.dataset.turn) === event.parent);
    if (at >= 0 || event.parent === null) boxes.slice(at + 1).forEach((box) => box.remove());
    const box = el("article", { class: event.resumed ? "turn resumed" : "turn", "data-status": "running" });
    this.live?.box.isConnected && !this.live.box.dataset.turn && this.live.box.remove();
    if (!event.resumed) box.append(this.own({ text: event.text, beside: [] }));
    this.live = { box, block: this.block(), calls: new Map() };
    box.append(this.live.block);
    this.log.append(box);
    this.running = true;
    this.welcome();
    this.tell();
  }

  think(text) {
    const live = this.live;
    if (!live.thought) {
      live.thought = { node: document.createTextNode(""), box: null, length: 0 };
      live.thought.box = el("details", { class: "thought running" }, el("summary", { text: `${words.thinking}…` }), el("div", { class: "thinking" }, live.thought.node));
      live.block.append(live.thought.box);
      live.text = null;
    }
    live.thought.node.appendData(prose(text));
    live.thought.length += text.length;
  }

  thoughtOver() {
    const { box, length } = this.live.thought;
    box.classList.remove("running");
    box.firstChild.textContent = words.thought(length);
    this.live.thought = null;
  }

  write(text) {
    const live = this.live;
    if (!live.text) {
      if (!text.trim()) return;
      const box = el("div", { class: "text" });
      live.block.append(box);
      live.text = new Gathered(new Markdown(box));
    }
    live.text.add(text);
    (this.drawn ||= new Set()).add(live.text);
  }

  cardBegun({ index, name }) {
    let card = this.live.calls.get(index);
    if (!card) {
      this.live.text?.end();
      this.live.text = null;
      card = new CallCard();
      card.session = this.id_;
      this.live.calls.set(index, card);
      this.live.block.append(card);
      card.begin(name ?? "");
    }
    return card;
  }

  cardRead({ index, call }) {
    const card = this.cardBegun({ index, name: call.name });
    card.status = "pending";
    this.cards.set(call.id, card);
    card.update(call);
  }

  toolUpdated({ call, status, result }) {
    const card = this.cards.get(call.id);
    if (!card) return;
    if (status === "running") card.waiting = null;
    if (!card.waiting) card.status = status;
    if (result) card.update(card.call, { result, busy: false });
    else if (status === "running") card.set(status);
  }

  ended(event) {
    this.live?.text?.end();
    if (event.status === "completed") announce(words.answered);
    else if (event.status === "aborted") announce(words.stopped);
  }

  settled({ turns, waiting }) {
    this.running = false;
    const made = turns.map((turn) => this.turn(turn));
    if (this.live && made.length) this.live.box.replaceWith(...made);
    else if (this.live) this.live.box.remove();
    this.live = null;
    this.settle(waiting);
    this.tell();
    this.dispatchEvent(new CustomEvent("files", { bubbles: true }));
  }
}

function thought(text) {
  return el("details", { class: "thought" }, el("summary", { text: words.thought(text.length) }), el("div", { class: "thinking", text: prose(text.trim()) }));
}

/** Text for a Markdown that is drawn once a frame. */
class Gathered {
  constructor(markdown) {
    this.markdown = markdown;
    this.pieces = [];
  }

  add(text) {
    this.pieces.push(text);
  }

  flush() {
    if (this.pieces.length) this.markdown.append(this.pieces.join(""));
    this.pieces = [];
  }

  end() {
    this.flush();
    this.markdown.finish();
  }
}

customElements.define("tp-conversation", Conversation);
