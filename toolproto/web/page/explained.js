// A reply with the colours of `toolproto explain`: what each stretch is, and why.

import { el, visible } from "./dom.js";
import { words } from "./words.js";

const MOST_PARTS = 3000;

/** The parts of an explanation, and its findings. */
export function explained(told) {
  const reply = el("pre", { class: "reply", tabindex: 0, role: "region", "aria-label": words.reply });
  for (const part of told.parts.slice(0, MOST_PARTS)) {
    const finding = part.finding === undefined ? null : told.findings[part.finding];
    if (!finding && part.kind === "text") reply.append(visible(part.text));
    else if (!finding) reply.append(el("span", { class: `ex-${part.kind}`, title: part.note || words.legend[part.kind], text: visible(part.text) }));
    else reply.append(el("mark", { class: `ex-${finding.verdict}`, title: visible(finding.why), text: visible(part.text) }));
  }
  const findings = told.findings.map((finding, n) => el("li", {},
    el("span", { class: `badge ex-${finding.verdict}`, text: words.verdict[finding.verdict] }), " ", el("code", { text: visible(finding.name) }),
    el("p", { text: visible(finding.why) }),
    finding.repairs.length ? el("p", { class: "faint", text: visible(finding.repairs.map((each) => `${each.words} (${each.grade})`).join("; ")) }) : null,
    finding.arguments ? el("pre", { tabindex: 0, text: visible(JSON.stringify(finding.arguments, null, 1).slice(0, 5000)) }) : null,
    finding.told ? el("details", {}, el("summary", { text: words.wouldBeTold }), el("pre", { tabindex: 0, text: visible(finding.told) })) : null));
  return el("div", { class: "explained" }, reply, el("h4", { text: words.findings }), findings.length ? el("ol", { class: "findings" }, findings) : el("p", { class: "faint", text: words.noFindings }));
}

/** A choice of paradigms, *first* the one that stands before the others. */
export function paradigmChoice(names, first, label, chosen) {
  const select = el("select", { "aria-label": label, onchange: () => chosen(select.value) });
  if (first) select.append(el("option", { value: "", text: first }));
  for (const name of names) select.append(el("option", { value: name, text: name }));
  return select;
}
