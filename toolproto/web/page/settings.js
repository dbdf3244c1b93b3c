// How the session is led: endpoint, key, model, paradigm, guard, limits.

import { api } from "./api.js";
import { announce, button, el } from "./dom.js";
import { words } from "./words.js";

const NUMBERS = { requests: words.requests, seconds: words.seconds, tool_seconds: words.toolSeconds, result_characters: words.resultCharacters, js_seconds: words.jsSeconds, temperature: words.temperature, max_tokens: words.maxTokens };
const OPTIONAL = ["seconds", "tool_seconds", "temperature", "max_tokens"];

export class Settings extends HTMLElement {
  async show(session, about) {
    // What is being filled in is not thrown away because a turn has ended meanwhile.
    if (this.touched && this.session?.id === session?.id) return;
    this.touched = false;
    Object.assign(this, { session, about });
    this.told = await api.settings(session?.own ? session.id : undefined);
    this.fields = {};
    this.message = el("p", { role: "status" });
    this.problem = el("p", { class: "problem", role: "alert" });
    const settings = this.told.settings;
    const source = this.select("source", about.sources, (name) => words.sources[name] + (name === "given" ? `: ${about.given}` : ""), words.source);
    this.address = this.addressFields(settings);
    this.modelRow = this.modelField(settings);
    const form = el("form", { class: "settings", onsubmit: (event) => {
      event.preventDefault();
      this.save();
    }, oninput: () => (this.touched = true) },
      source, about.local ? this.address : el("p", { class: "faint", text: words.operators }), this.modelRow,
      this.select("paradigm", ["auto", ...about.paradigms], (name) => (name === "auto" ? words.auto : name), words.paradigmSetting),
      (this.advice = el("p", { class: "faint", text: words.advice(this.told.advice) })),
      this.select("teaching", ["", ...about.teaching], (name) => name || words.usual, words.teaching),
      this.select("describe", ["", ...about.describe], (name) => name || words.usual, words.describe),
      this.check("examples", words.examples),
      this.select("guard", about.guard, (name) => name, words.guard),
      this.select("constrain", about.constrain, (name) => name, words.constrain),
      this.text("system", words.system, settings.system, "textarea"),
      el("fieldset", { class: "limits" }, el("legend", { text: words.limits }), Object.entries(NUMBERS).map(([name, label]) => this.number(name, label))),
      el("div", { class: "row sticky" }, el("button", { class: "primary", text: words.apply })), this.message, this.problem);
    this.replaceChildren(form);
    this.fields.source.addEventListener("change", () => this.reveal());
    this.reveal();
  }

  reveal() {
    const source = this.fields.source.value;
    this.address.hidden = source !== "url";
    this.modelRow.hidden = source === "scripted" || source === "given";
  }

  labelled(name, label, field, hint) {
    this.fields[name] = field;
    field.id = `set-${name}`;
    return el("div", { class: "field" }, el("label", { for: field.id, text: label }), field, hint ? el("span", { class: "faint", text: hint }) : null);
  }

  select(name, values, shown, label) {
    const field = el("select", {}, values.map((value) => el("option", { value, text: shown(value) })));
    field.value = this.told.settings[name];
    return this.labelled(name, label, field);
  }

  text(name, label, value, tag = "input", hint = "") {
    return this.labelled(name, label, el(tag, { value: value ?? "", autocomplete: "off", spellcheck: "false", rows: tag === "textarea" ? 3 : null }), hint);
  }

  number(name, label) {
    const value = this.told.settings[name];
    return this.labelled(name, label, el("input", { type: "number", step: "any", min: 0, value: value ?? "", placeholder: OPTIONAL.includes(name) ? words.empty : null, required: !OPTIONAL.includes(name) }));
  }

  check(name, label) {
    const field = el("input", { type: "checkbox", checked: this.told.settings[name] });
    this.fields[name] = field;
    return el("label", { class: "check" }, field, label);
  }

  addressFields(settings) {
    const key = this.labelled("key", words.key, el("input", { type: "password", autocomplete: "off", placeholder: this.told.has_key ? words.hasKey : "" }), words.keyHint);
    return el("div", { class: "stack" }, this.text("url", words.url, settings.url, "input", words.urlHint), this.select("dialect", this.about.dialects, (name) => name, words.dialect), this.select("service", ["", ...this.about.services], (name) => name || "-", words.service), this.select("native", this.about.native, (name) => words.nativeWays[name], words.native), key, this.text("key_env", words.keyEnv, settings.key_env));
  }

  modelField(settings) {
    const list = el("datalist", { id: "models" });
    const row = this.text("model", words.modelName, settings.model);
    const field = this.fields.model;
    field.setAttribute("list", "models");
    field.addEventListener("change", async () => (this.advice.textContent = words.advice(await api.advice(field.value))));
    const fetched = button(words.fetchModels, async () => {
      this.problem.textContent = "";
      try {
        const asked = { source: this.value("source"), url: this.value("url"), dialect: this.value("dialect"), key_env: this.value("key_env") };
        const { models } = await api.models({ ...asked, ...(this.fields.key?.value ? { key: this.fields.key.value } : {}) });
        list.replaceChildren(...models.map((value) => el("option", { value })));
        this.message.textContent = models.length ? models.slice(0, 5).join(", ") : words.noModels;
        if (models.length && !field.value) field.value = models[0];
      } catch (error) {
        this.problem.textContent = error.message;
      }
    });
    row.append(list, fetched);
    return row;
  }

  value(name) {
    return this.fields[name]?.value ?? "";
  }

  async save() {
    const chosen = {};
    for (const [name, field] of Object.entries(this.fields)) {
      if (name === "key") {
        if (field.value) chosen.key = field.value;
      } else if (field.type === "checkbox") chosen[name] = field.checked;
      else if (field.type === "number") chosen[name] = field.value === "" ? null : Number(field.value);
      else chosen[name] = field.value;
    }
    if (!this.about.local) for (const name of ["url", "key", "key_env", "dialect", "service"]) delete chosen[name];
    this.problem.textContent = this.message.textContent = "";
    try {
      await api.choose(this.session?.own ? this.session.id : undefined, chosen);
      this.touched = false;
      await this.show(this.session, this.about);
      this.message.textContent = words.applied;
      announce(words.applied);
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }
}

customElements.define("tp-settings", Settings);
