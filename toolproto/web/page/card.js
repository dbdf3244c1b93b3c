// A call as a card: what the model wants to do, why to look twice, and what the person can do about it.

import { api } from "./api.js";
import { announce, button, el, long, visible } from "./dom.js";
import { run } from "./sandbox.js";
import { words } from "./words.js";

const TAIL = 2000; // characters of arguments that are shown while they stream in
const ACTIONS = { r: "run", e: "editRun", n: "deny", a: "always", m: "answer", i: "ignore" };
let numbers = 0;

export class CallCard extends HTMLElement {
  constructor() {
    super();
    this.number = ++numbers;
    this.pieces = "";
    this.length = 0;
    this.status = "streaming";
    this.tabIndex = 0;
    this.setAttribute("role", "group");
    this.addEventListener("keydown", (event) => this.key(event));
  }

  connectedCallback() {
    if (!this.firstChild) this.draw();
  }

  // -- while the model writes it ----------------------------------------------------------

  begin(name) {
    this.call = { name, arguments: {} };
    this.draw();
  }

  grow(text) {
    this.length += text.length;
    this.pieces = (this.pieces + text).slice(-TAIL);
    if (!this.typing) {
      this.typing = { count: el("span", { class: "faint" }), text: el("pre", { class: "streaming" }) };
      this.body.replaceChildren(this.typing.count, this.typing.text);
    }
    this.typing.count.textContent = words.characters(this.length);
    this.typing.text.textContent = visible(this.pieces);
  }

  reject(problem) {
    this.call = { name: problem.name || this.call?.name || "?", arguments: {} };
    this.problem = problem;
    this.set("rejected");
  }

  // -- what is known of it ----------------------------------------------------------------

  /** Show *call*, and *more*: its result, what is waited for, its status. */
  update(call, more = {}) {
    this.typing = null;
    this.call = call;
    this.id = `call-${call.id}`;
    Object.assign(this, more);
    if (this.result) this.waiting = null;
    if (this.result) this.status = this.result.is_error ? (this.result.not_run ? "denied" : "error") : "completed";
    else if (this.waiting && !this.busy) this.status = "waiting";
    this.draw();
  }

  set(status) {
    this.status = status;
    this.draw();
  }

  get name() {
    return visible(this.call?.name ?? "");
  }

  // -- how it looks -----------------------------------------------------------------------

  draw() {
    const focused = this.contains(document.activeElement) && document.activeElement !== this;
    this.dataset.status = this.status;
    this.setAttribute("aria-label", `${this.name}: ${words.status[this.status]}`);
    this.body = el("div", { class: "arguments", role: "group", "aria-label": words.argumentsLabel(this.name) });
    this.fill();
    this.replaceChildren(
      el("header", {},
        el("code", { class: "name", text: this.name }),
        this.waiting?.risk ? el("span", { class: `badge risk-${this.waiting.risk}`, text: words.risk[this.waiting.risk] }) : null,
        el("span", { class: "status", text: words.status[this.status] }),
        this.result?.seconds ? el("span", { class: "faint", text: words.took(this.result.seconds) }) : null),
      ...this.notes(), this.body, ...this.decisions(), ...this.shown());
    if (focused && this.status === "waiting") this.focus();
  }

  fill() {
    const entries = Object.entries(this.call?.arguments ?? {});
    if (this.problem) {
      this.body.append(el("p", { class: "problem", text: visible(this.problem.message) }));
      if (this.problem.raw) this.body.append(long(el("pre", { tabindex: 0 }), this.problem.raw, words));
    } else if (!entries.length && this.status !== "streaming") this.body.append(el("span", { class: "faint", text: words.noArguments }));
    for (const [name, value] of entries) {
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 1);
      this.body.append(el("div", { class: "argument" }, el("span", { class: "key", text: visible(name) }), long(el("pre", {}), text, words)));
    }
    if (this.call?.is_cut) this.body.append(button(words.loadAll, () => this.loadAll(), { class: "more" }));
  }

  notes() {
    const made = [];
    const concerns = this.waiting?.concerns ?? [];
    if (concerns.length) {
      made.push(el("div", { class: "concerns", role: "note" }, el("strong", { text: words.concerns }), el("ul", {}, concerns.map((each) =>
        el("li", {}, visible(each.line), each.barred ? el("label", { class: "vouch" }, el("input", { type: "checkbox", value: each.argument, checked: this.vouched?.has(each.argument), onchange: (e) => this.vouch(e.target) }), words.vouch) : null)))));
    }
    for (const each of this.waiting?.changed ?? []) {
      made.push(el("div", { class: "concerns", role: "note" }, el("strong", { text: words.changedPart(each.part) }), el("ul", {}, el("li", { text: `${words.was} ${visible(each.before)}` }), el("li", { text: `${words.is} ${visible(each.now)}` }))));
    }
    if (this.result?.not_run) made.push(el("p", { class: "faint", text: visible(this.result.not_run) }));
    const repairs = this.call?.repairs ?? [];
    if (repairs.length || this.call?.doubt) {
      made.push(el("p", { class: "faint" }, `${words.repaired}: `, visible([...repairs.map((each) => `${each.words ?? each.name} (${each.grade})`), this.call.doubt].filter(Boolean).join("; "))));
    }
    if (this.waiting) {
      const where = { page: words.inPage, person: words.byYou }[this.waiting.where];
      if (where) made.push(el("p", { class: "faint", text: where }));
      made.push(el("p", { class: "faint", text: visible(this.waiting.reason) }));
    }
    return made;
  }

  vouch(box) {
    this.vouched ||= new Set();
    this.vouched[box.checked ? "add" : "delete"](box.value);
  }

  decisions() {
    if (this.busy && this.running) return [el("div", { class: "row" }, button(words.stop, () => this.running.stop()))];
    if (!this.waiting || this.readonly) return [];
    const loop = this.waiting.kind === "loop";
    const person = this.waiting.where === "person";
    const row = el("div", { class: "row decisions" },
      person ? null : button(loop ? words.letLoop : words.run, () => this.act("run"), { class: "primary", "aria-keyshortcuts": "r" }),
      person || loop ? null : button(words.editRun, () => this.act("editRun"), { "aria-keyshortcuts": "e" }),
      button(words.deny, () => this.act("deny"), { "aria-keyshortcuts": "n" }),
      person ? null : button(loop ? words.alwaysLoop : words.always, () => this.act("always"), { "aria-keyshortcuts": "a" }),
      loop ? null : button(words.answer, () => this.act("answer"), { "aria-keyshortcuts": "m" }),
      button(words.ignore, () => this.act("ignore"), { "aria-keyshortcuts": "i" }));
    for (const each of row.children) each.disabled = Boolean(this.busy);
    return [row, this.form ?? null, this.error ? el("p", { class: "problem", role: "alert", text: this.error }) : null].filter(Boolean);
  }

  shown() {
    if (!this.result) return [];
    const { content, images, length } = this.result;
    const first = content.split("\n", 1)[0].slice(0, 120);
    const details = el("details", { class: "result" }, el("summary", {}, `${words.output}: `, el("span", { class: "brief", text: visible(this.result.title || first) })));
    details.addEventListener("toggle", () => {
      if (details.childElementCount > 1) return;
      details.append(long(el("pre", { tabindex: 0 }), content, words));
      if (length > content.length) details.append(button(words.showAll(length), (e) => this.loadResult(e.target, details), { class: "more" }));
    });
    if (this.opened) details.open = true;
    return [details, ...(images ?? []).map((src) => el("img", { src, alt: words.output, class: "picture" }))];
  }

  async loadResult(more, details) {
    const told = await api.call(this.session, this.call.id);
    more.remove();
    details.append(long(el("pre", { tabindex: 0 }), told.content, words, 0));
  }

  async loadAll() {
    const told = await api.call(this.session, this.call.id);
    this.update({ ...this.call, arguments: told.call.arguments, is_cut: false });
  }

  // -- what is done about it --------------------------------------------------------------

  key(event) {
    if (event.target !== this && event.target.tagName !== "BUTTON") return;
    if (event.ctrlKey || event.metaKey || event.altKey || !this.waiting || this.readonly) return;
    const action = ACTIONS[event.key.toLowerCase()];
    if (this.waiting.kind === "loop" && ["editRun", "answer"].includes(action)) return;
    const page = action && (this.waiting.where !== "person" || ["deny", "answer", "ignore"].includes(action));
    if (page && !this.busy) {
      event.preventDefault();
      event.stopPropagation();
      this.act(action);
    }
  }

  act(action) {
    this.error = "";
    if (action === "run") return this.go();
    if (action === "always") return this.go(undefined, true);
    if (action === "ignore") return this.post("ignore", {});
    return this.ask(action);
  }

  /** Ask for what an action needs: a reason, other arguments, a result. */
  async ask(action) {
    if (this.call.is_cut) await this.loadAll();
    const id = `ask-${this.number}`;
    const field = action === "deny" ? el("input", { id, type: "text", autocomplete: "off" }) : el("textarea", { id, rows: action === "answer" ? 4 : 8, spellcheck: "false" });
    const failed = el("input", { type: "checkbox" });
    if (action === "editRun") field.value = JSON.stringify(this.call.arguments, null, 2);
    const said = { deny: [words.reason, words.denyNow], editRun: [words.arguments, words.runEdited], answer: [words.result, words.giveResult] }[action];
    const close = () => {
      this.form = null;
      this.draw();
      this.focus();
    };
    this.form = el("form", { class: "ask", onsubmit: (event) => {
      event.preventDefault();
      this.submit(action, field.value, failed.checked);
    }, onkeydown: (event) => {
      if (event.key === "Escape") close();
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.submit(action, field.value, failed.checked);
      event.stopPropagation();
    } },
      el("label", { for: id, text: said[0] }), field,
      action === "answer" ? el("label", { class: "check" }, failed, words.failed) : null,
      el("div", { class: "row" }, el("button", { class: "primary", text: said[1] }), button(words.cancel, close)));
    this.draw();
    field.focus();
  }

  submit(action, text, failed) {
    if (action === "deny") return this.post("deny", { reason: text });
    if (action === "answer") return this.post("answer", { content: text, is_error: failed });
    let edited = null;
    try {
      edited = JSON.parse(text);
    } catch {
      // told below
    }
    if (edited === null || typeof edited !== "object" || Array.isArray(edited)) {
      this.error = words.notJson;
      return this.draw();
    }
    return this.go(edited);
  }

  /** Run it: here, if it is code for the browser, or on the server. */
  async go(edited, always = false) {
    const changed = edited ? { arguments: edited } : {};
    if (this.waiting.where !== "page") {
      const vouched = this.vouched?.size ? { vouched: [...this.vouched] } : {};
      return this.post("approve", { ...changed, ...(always ? { always } : {}), ...vouched });
    }
    if (this.call.is_cut) await this.loadAll();
    this.form = null;
    this.busy = true;
    this.running = run((edited ?? this.call.arguments).code ?? "", this.seconds ?? 5);
    this.set("running");
    const { text, failed } = await this.running.done;
    this.running = null;
    return this.post("answer", { content: text, is_error: failed, ...changed, ...(always ? { always } : {}) });
  }

  async post(what, values) {
    this.busy = true;
    this.form = null;
    this.set("running");
    try {
      await api.act(this.session, what, { call: this.call.id, ...values });
    } catch (error) {
      this.error = error.message;
      announce(error.message);
    } finally {
      this.busy = false;
      if (this.error) this.set(this.waiting ? "waiting" : this.status);
    }
  }
}

customElements.define("tp-call", CallCard);
