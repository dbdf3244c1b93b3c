// What the model saw: the prompt, the requests, its replies, and all that in another paradigm.

import { api } from "./api.js";
import { button, el, long } from "./dom.js";
import { explained, paradigmChoice } from "./explained.js";
import { words } from "./words.js";

export class Insight extends HTMLElement {
  async show(session, about) {
    // Another paradigm that was chosen stays chosen when a turn has ended.
    const chosen = session && this.session?.id === session.id ? this.paradigm?.value ?? "" : "";
    this.session = session;
    if (!session) return this.replaceChildren(el("p", { class: "faint", text: words.noTools }));
    const own = words.own(session.paradigm);
    this.preview = el("div");
    this.requests = el("div");
    const select = (this.paradigm = paradigmChoice(about.paradigms, own, words.paradigm, (name) => this.switch(name)));
    select.value = chosen;
    this.replaceChildren(
      el("label", { class: "field" }, el("span", { text: words.paradigm }), select),
      this.preview, el("h3", { text: words.requests }), button(words.refresh, () => this.list(), { class: "quiet" }), this.requests);
    await this.switch(chosen);
    return this.list();
  }

  async switch(paradigm) {
    const turn = (this.asked = {});
    const told = await api.prompt(this.session.id, paradigm);
    const { exchanges } = await api.seen(this.session.id);
    const last = exchanges.at(-1);
    const read = paradigm && last ? await api.exchange(this.session.id, last.number, paradigm) : null;
    if (turn !== this.asked) return; // another was chosen meanwhile
    this.preview.replaceChildren(
      el("h3", { text: words.systemPrompt }), el("p", { class: "faint", text: words.about(told.characters, told.tokens) }),
      scrolled(told.prompt, words.systemPrompt), el("h4", { text: words.exampleCall }), scrolled(told.call, words.exampleCall), el("h4", { text: words.exampleResult }), scrolled(told.result, words.exampleResult),
      ...(read ? [el("h3", { text: words.reread }), explained(read.explained)] : []));
  }

  async list() {
    const { exchanges } = await api.seen(this.session.id);
    if (!exchanges.length) return this.requests.replaceChildren(el("p", { class: "faint", text: words.noRequests }));
    const rows = exchanges.toReversed().map((each) => {
      const counted = each.input_tokens ? ` · ${words.tokens(each.input_tokens, each.output_tokens)}${each.cost ? ` · ${words.cost(each.cost)}` : ""}` : "";
      const title = each.kept ? words.keptReply(-each.number) : words.request(each.number);
      const details = el("details", { class: "exchange" }, el("summary", { text: `${title}${counted}` }));
      details.addEventListener("toggle", () => details.open && details.childElementCount === 1 && this.fill(details, each.number));
      return details;
    });
    this.requests.replaceChildren(...rows);
    rows[0].open = true;
    return undefined;
  }

  async fill(details, number) {
    const told = await api.exchange(this.session.id, number);
    const messages = (told.messages ?? []).map((message) => el("details", { class: `message ${message.role}` }, el("summary", { text: `${words.role[message.role] ?? message.role} · ${words.characters(message.content.length)}` }), scrolled(message.content, words.role[message.role])));
    details.append(...messages, Object.keys(told.params ?? {}).length ? el("pre", { tabindex: 0, text: JSON.stringify(told.params) }) : "", ...headed(told.offer, words.offer), ...headed(told.calls, words.nativeCalls), el("h4", { text: words.reply }), explained(told.explained));
  }
}

// A text under its heading, if there is any.
const headed = (text, heading) => (text ? [el("h4", { text: heading }), scrolled(text, heading)] : []);

const scrolled = (text, label) => long(el("pre", { class: "scrolled", tabindex: 0, role: "region", "aria-label": label }), text, words, 20000);

customElements.define("tp-insight", Insight);
