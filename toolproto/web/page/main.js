// The page: sessions on the left, the conversation in the middle, what is around it on the right.

import { api } from "./api.js";
import "./conversation.js";
import { announce, button, dialog, el, visible } from "./dom.js";
import "./files.js";
import "./insight.js";
import "./scratch.js";
import "./sessions.js";
import "./settings.js";
import "./tools.js";
import { words } from "./words.js";

const TABS = Object.keys(words.tabs);

/** The session that the address names; an address can hold anything. */
function named() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

class App extends HTMLElement {
  connectedCallback() {
    this.start();
  }

  async start() {
    try {
      this.about = await api.about();
    } catch (error) {
      if (error.status === 401) return this.signin();
      this.replaceChildren(el("p", { class: "problem", role: "alert", text: words.offline }));
      return setTimeout(() => this.start(), 2000);
    }
    this.frame();
    this.listen();
    const [listed] = await Promise.all([this.sessions.load()]);
    return this.open(named() || listed[0]?.id || null);
  }

  signin() {
    const field = el("input", { type: "password", id: "key", autocomplete: "current-password", required: true });
    const problem = el("p", { class: "problem", role: "alert" });
    this.replaceChildren(el("main", { class: "signin" }, el("h1", { text: words.appName }), el("p", { text: words.signinHelp }), el("form", { class: "row", onsubmit: async (event) => {
      event.preventDefault();
      try {
        await api.signin(field.value);
        this.start();
      } catch (error) {
        problem.textContent = error.message;
      }
    } }, el("label", { for: "key", text: words.signinKey }), field, el("button", { class: "primary", text: words.signin })), problem));
  }

  frame() {
    this.sessions = el("tp-sessions");
    this.sessions.local = this.about.local;
    this.talk = el("tp-conversation", { tabindex: -1 });
    this.heading = el("h1", { text: words.appName });
    this.badge = button("", () => this.panel("settings"), { class: "badge led" });
    this.mode = el("input", { type: "checkbox", onchange: () => this.setMode() });
    this.field = el("textarea", { rows: 1, placeholder: words.placeholder, "aria-label": words.say, id: "say" });
    this.sender = el("button", { class: "primary", text: words.send });
    this.stopper = button(words.stop, () => this.stop(), { class: "danger", hidden: true, "aria-keyshortcuts": "Escape" });
    this.form = el("form", { class: "composer", onsubmit: (event) => {
      event.preventDefault();
      this.send();
    } }, this.field, this.sender, this.stopper);
    this.left = el("nav", { class: "left", "aria-label": words.sessions }, this.sessions);
    this.right = el("aside", { class: "right", "aria-label": words.openPanel, hidden: true });
    this.leftSwitch = button("☰", () => this.fold("left"), { class: "quiet", "aria-label": words.openSessions, "aria-expanded": "true" });
    this.rightSwitch = button("⚙", () => this.panel(this.right.hidden ? this.tab || "tools" : null), { class: "quiet", "aria-label": words.openPanel, "aria-expanded": "false" });
    this.replaceChildren(
      el("a", { href: "#say", class: "skip", text: words.skip, onclick: (event) => {
        event.preventDefault();
        this.field.focus();
      } }),
      this.left,
      el("main", {},
        el("header", { class: "top" }, this.leftSwitch, this.heading, this.badge, el("label", { class: "check", title: words.modeHint }, this.mode, words.mode), button("?", () => this.help(), { class: "quiet", "aria-label": words.help }), this.rightSwitch),
        this.talk, this.form),
      this.right);
    this.panels();
    if (matchMedia("(max-width: 800px)").matches) this.fold("left");
  }

  panels() {
    this.tabs = el("div", { role: "tablist", class: "tabs", "aria-label": words.openPanel });
    this.views = {};
    for (const name of TABS) {
      this.tabs.append(el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `view-${name}`, "aria-selected": "false", tabindex: -1, text: words.tabs[name], onclick: () => this.panel(name) }));
      this.views[name] = el(`tp-${name}`, { id: `view-${name}`, role: "tabpanel", "aria-labelledby": `tab-${name}`, hidden: true });
    }
    this.tabs.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = TABS[(TABS.indexOf(this.tab) + step + TABS.length) % TABS.length];
      this.panel(next);
      this.tabs.querySelector(`#tab-${next}`).focus();
    });
    this.right.append(el("div", { class: "row" }, this.tabs, button("✕", () => this.panel(null), { class: "quiet", "aria-label": words.closePanel })), ...Object.values(this.views));
  }

  listen() {
    this.addEventListener("choose", ({ detail }) => this.open(detail));
    this.addEventListener("session", ({ detail }) => this.led(detail));
    this.addEventListener("starter", ({ detail }) => {
      this.field.value = detail;
      this.send();
    });
    this.addEventListener("files", () => !this.right.hidden && this.tab === "files" && this.views.files.show(this.session));
    this.field.addEventListener("input", () => this.grow());
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.send();
      }
    });
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("visibilitychange", () => !document.hidden && this.sessions.load().then(() => this.sessions.mark(this.session?.id)));
    addEventListener("hashchange", () => {
      const wanted = named();
      if (wanted && wanted !== this.session?.id) this.open(wanted);
    });
  }

  // -- sessions ---------------------------------------------------------------------------

  async open(id) {
    if (!id) {
      const { id: made } = await api.create();
      await this.sessions.load();
      return this.open(made);
    }
    try {
      const session = await this.talk.open(id);
      if (!session) return undefined;
    } catch (error) {
      if (error.status !== 404) {
        announce(error.message);
        this.talk.notice.textContent = error.message;
        return undefined;
      }
      announce(words.gone);
      const [first] = await this.sessions.load();
      return this.open(first?.id ?? null);
    }
    if (location.hash.slice(1) !== id) history.replaceState(null, "", `#${encodeURIComponent(id)}`);
    if (matchMedia("(max-width: 800px)").matches && !this.left.hidden) this.fold("left");
    if (!this.session.waiting.length) this.field.focus();
    return undefined;
  }

  led({ session, running }) {
    const other = this.session?.id !== session.id;
    const begins = running !== this.running;
    this.session = session;
    this.running = running;
    const title = visible(session.title || words.untitled);
    this.heading.textContent = title;
    document.title = `${title} · ${words.appName}`;
    this.badge.textContent = visible(`${session.model || "?"} · ${session.paradigm}`);
    this.badge.setAttribute("aria-label", `${words.tabs.settings}: ${this.badge.textContent}`);
    this.mode.checked = session.mode === "automatic";
    this.mode.disabled = !session.own || running;
    this.stopper.hidden = !running || !session.own;
    this.sender.hidden = running;
    this.form.hidden = !session.own;
    this.sessions.mark(session.id);
    if (begins || other) this.sessions.load().then((rows) => this.titled(rows));
    if (!this.right.hidden && (other || !running)) this.view();
  }

  titled(rows) {
    const row = rows.find((each) => each.id === this.session.id);
    if (row && row.title !== this.session.title) {
      this.session.title = row.title;
      this.heading.textContent = visible(row.title || words.untitled);
      document.title = `${this.heading.textContent} · ${words.appName}`;
    }
  }

  async send() {
    const text = this.field.value;
    if (!text.trim() || this.running) return;
    this.field.value = "";
    this.grow();
    this.talk.stuck = true; // what one says oneself is to be seen
    try {
      await api.act(this.session.id, "send", { text });
    } catch (error) {
      this.field.value = text;
      this.talk.notice.textContent = error.message;
      announce(error.message);
    }
  }

  stop() {
    return this.talk.attempt(() => api.act(this.session.id, "cancel"));
  }

  async setMode() {
    const mode = this.mode.checked ? "automatic" : "ask";
    await this.talk.attempt(() => api.choose(this.session.id, { mode }));
  }

  grow() {
    this.field.rows = Math.min(10, this.field.value.split("\n").length);
  }

  // -- what is around it ------------------------------------------------------------------

  fold(side) {
    const nav = this[side];
    nav.hidden = !nav.hidden;
    this[`${side}Switch`].setAttribute("aria-expanded", String(!nav.hidden));
  }

  panel(name) {
    this.right.hidden = !name;
    this.rightSwitch.setAttribute("aria-expanded", String(Boolean(name)));
    if (!name) return this.rightSwitch.focus();
    this.tab = name;
    for (const each of TABS) {
      this.views[each].hidden = each !== name;
      const tab = this.tabs.querySelector(`#tab-${each}`);
      tab.setAttribute("aria-selected", String(each === name));
      tab.tabIndex = each === name ? 0 : -1;
    }
    return this.view();
  }

  async view() {
    try {
      await this.views[this.tab].show(this.session, this.about);
    } catch (error) {
      this.views[this.tab].replaceChildren(el("p", { class: "problem", role: "alert", text: error.message }));
    }
  }

  help() {
    const rows = words.keys.map(([key, does]) => [el("dt", {}, el("kbd", { text: key })), el("dd", { text: does })]);
    const box = dialog(words.help, el("dl", { class: "keys" }, rows), [button(words.close, () => box.close())]);
  }

  key(event) {
    if (event.altKey && event.key.toLowerCase() === "n") {
      event.preventDefault();
      this.sessions.make();
      return;
    }
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
      const waiting = this.talk.querySelector("tp-call[data-status=waiting]");
      if (this.running) this.stop();
      else if (waiting && document.activeElement === this.field) waiting.focus();
      else if (!this.right.hidden) this.panel(null);
      return;
    }
    const typing = event.target.matches?.("input:not([type=checkbox]), textarea, select");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const waiting = [...this.talk.querySelectorAll("tp-call[data-status=waiting]")];
    const at = waiting.indexOf(document.activeElement.closest?.("tp-call"));
    const step = { j: 1, k: -1 }[event.key.toLowerCase()];
    if (step && waiting.length) waiting[(at + step + waiting.length) % waiting.length].focus();
    else if (event.key === "/") this.field.focus();
    else if (event.key === "?") this.help();
    else return;
    event.preventDefault();
  }
}

customElements.define("tp-app", App);
