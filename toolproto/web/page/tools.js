// Switches for tools and their groups.

import { api } from "./api.js";
import { el, visible } from "./dom.js";
import { words } from "./words.js";

export class Tools extends HTMLElement {
  async show(session) {
    this.session = session;
    if (!session) return this.replaceChildren(el("p", { class: "faint", text: words.noTools }));
    const { groups } = await api.tools(session.id);
    return this.draw(groups);
  }

  draw(groups) {
    const focused = document.activeElement?.dataset?.tool;
    this.problem = el("p", { class: "problem", role: "alert" });
    this.replaceChildren(...groups.map((group) => this.group(group)), this.problem);
    if (focused) [...this.querySelectorAll("[data-tool]")].find((each) => each.dataset.tool === focused)?.focus();
  }

  group(group) {
    const name = visible(Object.hasOwn(words.groupNames, group.name) ? words.groupNames[group.name] : group.name);
    const on = group.tools.filter((tool) => tool.on).length;
    const names = group.tools.map((tool) => tool.name);
    const all = this.box(`group:${group.name}`, on > 0, words.groupSwitch(name), (checked) => this.flip(names, checked));
    all.indeterminate = on > 0 && on < group.tools.length;
    return el("fieldset", { class: "group" }, el("legend", {}, el("label", { class: "check" }, all, name)), group.tools.map((tool) => this.tool(tool)));
  }

  tool(tool) {
    const box = this.box(tool.name, tool.on, null, (checked) => this.flip([tool.name], checked));
    return el("div", { class: "tool" }, el("label", { class: "check" }, box, el("code", { text: visible(tool.name) }), el("span", { class: `badge risk-${tool.risk}`, text: words.risk[tool.risk] })), el("p", { class: "faint", text: visible(tool.description) }));
  }

  box(key, checked, label, flip) {
    return el("input", { type: "checkbox", "data-tool": key, checked, "aria-label": label, disabled: !this.session.own, onchange: (event) => flip(event.target.checked) });
  }

  async flip(names, on) {
    try {
      const { groups } = await api.act(this.session.id, "tools", on ? { on: names } : { off: names });
      this.draw(groups);
    } catch (error) {
      await this.show(this.session);
      this.problem.textContent = error.message;
    }
  }
}

customElements.define("tp-tools", Tools);
