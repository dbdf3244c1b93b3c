// Trying out: paste a reply and tools, see how it is read, keep it as a fixture.

import { api } from "./api.js";
import { button, el } from "./dom.js";
import { explained, paradigmChoice } from "./explained.js";
import { words } from "./words.js";

export class Scratch extends HTMLElement {
  show(session, about) {
    this.session = session;
    if (this.reply) return;
    this.reply = el("textarea", { id: "scratch-reply", rows: 8, spellcheck: "false" });
    this.tools = el("textarea", { id: "scratch-tools", rows: 4, spellcheck: "false" });
    this.paradigm = paradigmChoice(about.paradigms, null, words.paradigm, () => this.reply.value && this.read());
    this.paradigm.value = session?.paradigm ?? "json_strict";
    this.name = el("input", { "aria-label": words.caseName, placeholder: words.caseName, pattern: "[A-Za-z0-9_\\-]+", required: true });
    this.output = el("div", { "aria-live": "polite" });
    this.problem = el("p", { class: "problem", role: "alert" });
    const save = el("form", { class: "row", onsubmit: (event) => {
      event.preventDefault();
      this.save();
    } }, this.name, el("button", { text: words.saveFixture }));
    this.replaceChildren(
      el("label", { for: "scratch-reply", text: words.pasteReply }), this.reply,
      el("label", { for: "scratch-tools", text: words.pasteTools }), this.tools, button(words.useSession, () => this.useTools(), { class: "quiet" }),
      el("div", { class: "row" }, this.paradigm, button(words.read, () => this.read(), { class: "primary" })),
      this.problem, this.output, about.fixtures ? save : el("p", { class: "faint", text: words.noFixtures }));
  }

  async useTools() {
    if (!this.session) return;
    const { groups } = await api.tools(this.session.id);
    const tools = groups.flatMap((group) => group.tools).filter((tool) => tool.on);
    this.tools.value = JSON.stringify(tools.map(({ name, description, parameters }) => ({ type: "function", function: { name, description, parameters } })), null, 1);
  }

  values() {
    return { reply: this.reply.value, tools: this.tools.value, paradigm: this.paradigm.value };
  }

  async read() {
    this.problem.textContent = "";
    try {
      this.output.replaceChildren(explained(await api.scratch(this.values())));
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }

  async save() {
    this.problem.textContent = "";
    try {
      const { saved } = await api.fixture({ ...this.values(), case: this.name.value });
      this.output.replaceChildren(el("p", { role: "status", text: words.fixtureSaved(saved) }));
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }
}

customElements.define("tp-scratch", Scratch);
