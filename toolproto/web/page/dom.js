// Making elements. Text is always set as text: nothing here, or anywhere in the page, reads markup
// out of a string.

/** An element with attributes, listeners (`onclick: …`) and children: elements or text. */
export function el(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in PROPERTIES) made[PROPERTIES[name]] = value;
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(3)) if (child !== null && child !== undefined) made.append(child);
  return made;
}

const PROPERTIES = { text: "textContent", value: "value", checked: "checked", class: "className" };

export const button = (text, onclick, props = {}) => el("button", { type: "button", text, onclick, ...props });

// Characters nobody sees, or that turn the reading direction: written out, as the terminal does.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e01ef}]/gu;

/** *text* with its hidden characters written as ⟨U+202E⟩. */
export function visible(text) {
  return String(text).replace(HIDDEN, (c) => `⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

// For prose: joiners and marks that writing systems need stay; what overrides the direction does not.
const OVERRIDES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
export const prose = (text) => text.replace(OVERRIDES, (c) => visible(c) === c ? "" : visible(c));

/** Show *text* of any length in *pre*, the rest behind a button. */
export function long(pre, text, words, most = 2000) {
  pre.textContent = visible(text.slice(0, most));
  if (text.length <= most) return pre;
  const more = button(words.showAll(text.length), () => {
    more.remove();
    // In pieces, each laid out only when it is looked at.
    for (let at = most; at < text.length; at += 16384) {
      pre.append(el("span", { class: "slab", text: visible(text.slice(at, at + 16384)) }));
    }
  }, { class: "more" });
  return el("div", {}, pre, more);
}

let announced;
/** Tell those who cannot see. */
export function announce(text) {
  announced ||= document.body.appendChild(el("div", { class: "unseen", role: "status", "aria-live": "polite" }));
  announced.textContent = text;
}

/** Ask something in a dialog; what the *form* gives, or null. */
export function dialog(title, body, actions, props = {}) {
  const id = `d${Math.random().toString(36).slice(2)}`;
  const box = el("dialog", { "aria-labelledby": id, ...props }, el("h2", { id, text: title }), body, el("div", { class: "row end" }, actions));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}
