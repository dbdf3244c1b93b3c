// The list of sessions: searched, opened, named, shared, deleted.

import { api } from "./api.js";
import { button, dialog, el, visible } from "./dom.js";
import { words } from "./words.js";

export class Sessions extends HTMLElement {
  connectedCallback() {
    this.field = el("input", { type: "search", placeholder: words.search, "aria-label": words.search });
    this.field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.load(), 200);
    });
    this.list = el("ul", { class: "list", "aria-label": words.sessions });
    this.append(button(`+ ${words.newSession}`, () => this.make(), { class: "primary wide", "aria-keyshortcuts": "Alt+N" }), this.field, this.list);
  }

  async load(more = false) {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const told = await api.list(this.field.value, more ? this.shown : 0);
    if (asked !== this.asked) return told.sessions; // the answer to a later question counts
    this.shown = (more ? this.shown : 0) + told.sessions.length;
    const rows = told.sessions.map((session) => this.row(session));
    if (more) this.list.querySelector(".more")?.parentElement.remove();
    else this.list.replaceChildren();
    this.list.append(...rows);
    if (told.more) this.list.append(el("li", {}, button(words.more, () => this.load(true), { class: "more" })));
    if (!this.list.childElementCount) this.list.append(el("li", { class: "faint", text: words.noSessions }));
    return told.sessions;
  }

  async make() {
    const { id } = await api.create();
    this.choose(id);
    await this.load();
    return id;
  }

  choose(id) {
    this.dispatchEvent(new CustomEvent("choose", { bubbles: true, detail: id }));
  }

  mark(id) {
    this.current = id;
    for (const each of this.list.querySelectorAll("[data-id]")) each.firstChild.setAttribute("aria-current", String(each.dataset.id === id));
  }

  row(session) {
    const title = visible(session.title || words.untitled);
    const open = button(title, () => this.choose(session.id), { class: "open", "aria-current": String(session.id === this.current) });
    if (!session.own) open.append(el("span", { class: "faint", text: ` · ${words.sharedBy}` }));
    if (session.running) open.append(el("span", { class: "dot", role: "img", "aria-label": words.status.running }));
    const menu = button("⋯", () => this.menu(session, title, menu), { class: "quiet", "aria-label": words.menu(title), "aria-haspopup": "dialog" });
    return el("li", { "data-id": session.id }, open, menu);
  }

  menu(session, title, opener) {
    const field = el("input", { value: session.title, "aria-label": words.rename, maxlength: 200 });
    const done = async (doing) => {
      try {
        await doing();
        box.close();
        await this.load();
      } catch (error) {
        problem.textContent = error.message;
      }
    };
    const problem = el("p", { class: "problem", role: "alert" });
    const save = (form) => el("a", { href: api.exported(session.id, form), download: `chat.${form}`, text: form === "md" ? words.exportMd : words.exportJsonl });
    const rename = el("form", { class: "row", onsubmit: (event) => {
      event.preventDefault();
      done(() => api.change(session.id, { title: field.value }));
    } }, field, el("button", { text: words.saveTitle }));
    const own = session.own ? [rename] : [];
    const named = session.own && session.title ? button(words.findTitle, () => {
      named.disabled = true;
      done(() => api.act(session.id, "title")).finally(() => (named.disabled = false));
    }) : null;
    const share = session.own && !this.local ? button(session.shared ? words.unshare : words.share, () => done(() => api.change(session.id, { shared: !session.shared }))) : null;
    const remove = session.own ? button(words.remove, () => {
      remove.replaceWith(el("span", { class: "row" }, el("span", { text: words.sure }), button(words.yes, () => done(async () => {
        await api.remove(session.id);
        if (session.id === this.current) this.choose(null);
      }), { class: "danger" }), button(words.no, () => box.close())));
    }, { class: "danger" }) : null;
    const box = dialog(title, el("div", { class: "stack" }, ...own, named, save("md"), save("jsonl"), share, remove, problem), [button(words.close, () => box.close())]);
    box.addEventListener("close", () => opener.isConnected && opener.focus());
  }
}

customElements.define("tp-sessions", Sessions);
