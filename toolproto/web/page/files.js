// The files of a session: looked at, edited, uploaded, downloaded, taken away.

import { api } from "./api.js";
import { announce, button, el, visible } from "./dom.js";
import { words } from "./words.js";

export class Files extends HTMLElement {
  async show(session) {
    this.session = session;
    if (!session) return this.replaceChildren(el("p", { class: "faint", text: words.noTools }));
    if (!this.list) this.frame();
    const { files, more } = await api.files(session.id);
    const rows = files.map((file) => this.row(file));
    if (!rows.length) rows.push(el("li", { class: "faint", text: words.noFiles }));
    if (more) rows.push(el("li", { class: "faint", text: words.filesMore(more) }));
    this.list.replaceChildren(...rows);
    this.actions.hidden = !session.own;
    return undefined;
  }

  frame() {
    const picker = el("input", { type: "file", multiple: true, class: "unseen", tabindex: -1, "aria-label": words.upload, onchange: () => this.upload([...picker.files]) });
    const upload = button(words.upload, () => picker.click());
    this.list = el("ul", { class: "list", "aria-label": words.tabs.files });
    this.problem = el("p", { class: "problem", role: "alert" });
    this.editor = el("div");
    this.actions = el("div", { class: "row" }, button(words.newFile, () => this.edit("", "")), upload, picker);
    this.replaceChildren(this.actions, this.problem, this.list, this.editor);
    this.addEventListener("dragover", (event) => event.preventDefault());
    this.addEventListener("drop", (event) => {
      event.preventDefault();
      this.upload([...event.dataTransfer.files]);
    });
  }

  row({ path, size }) {
    const shown = visible(path);
    return el("li", { class: "file" },
      button(shown, () => this.attempt(() => this.open(path)), { class: "open", "aria-label": words.openFile(shown) }),
      el("span", { class: "faint", text: words.bytes(size) }),
      button("↓", () => this.attempt(() => this.download(path)), { class: "quiet", "aria-label": `${words.download} ${shown}` }),
      this.session.own ? button("✕", () => this.attempt(() => api.unlink(this.session.id, path)), { class: "quiet", "aria-label": words.deleteFile(shown) }) : null);
  }

  async attempt(doing) {
    try {
      this.problem.textContent = "";
      await doing();
      await this.show(this.session);
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }

  async open(path) {
    const bytes = await api.read(this.session.id, path);
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new Error(words.binary);
    }
    this.edit(path, text);
  }

  edit(path, text) {
    const name = el("input", { value: path, "aria-label": words.fileName, placeholder: words.fileName, required: true });
    const field = el("textarea", { value: text, rows: 14, spellcheck: "false", "aria-label": words.editFile(visible(path) || words.newFile), readonly: !this.session.own });
    const form = el("form", { class: "ask", onsubmit: (event) => {
      event.preventDefault();
      this.attempt(async () => {
        await api.write(this.session.id, name.value, new TextEncoder().encode(field.value));
        announce(words.saved);
        this.editor.replaceChildren();
      });
    } }, name, field, el("div", { class: "row" }, this.session.own ? el("button", { class: "primary", text: words.save }) : null, button(words.close, () => this.editor.replaceChildren())));
    this.editor.replaceChildren(form);
    (path ? field : name).focus();
  }

  upload(files) {
    return this.attempt(async () => {
      for (const file of files) await api.write(this.session.id, file.name, file);
    });
  }

  async download(path) {
    const url = URL.createObjectURL(new Blob([await api.read(this.session.id, path)]));
    const link = el("a", { href: url, download: path.split("/").pop() || "file" });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }
}

customElements.define("tp-files", Files);
