// Markdown as it comes, as elements. What a model writes is text: markup in it is shown as it stands,
// images are not fetched, and only addresses of the web can be links.

import { button, el, prose } from "./dom.js";
import { highlight } from "./highlight.js";
import { words } from "./words.js";

const LONGEST = 20000; // characters of a block that is read as Markdown; longer ones are plain text
const DEEPEST = 6;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n]*$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*$/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const ITEM = /^( {0,12})([-*+]|\d{1,9}[.)])[ \t]+(.*)$/;
const DIVIDER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** Shows a text in *root* while it comes: what is finished is never touched again. */
export class Markdown {
  constructor(root) {
    this.root = root;
    this.tail = "";
    this.live = el("div", { class: "live" });
    root.append(this.live);
    this.code = null;
  }

  append(text) {
    this.tail += text;
    this.settle();
    this.draw();
  }

  finish() {
    if (this.tail) this.live.before(...blocks(this.tail));
    this.tail = "";
    this.live.remove();
  }

  /** Take what can no longer change out of the tail: whole blocks before the last empty line. */
  settle() {
    let at = 0;
    let end = 0;
    let fence = null;
    while (at < this.tail.length) {
      const newline = this.tail.indexOf("\n", at);
      if (newline < 0) break;
      const line = this.tail.slice(at, newline);
      const marked = FENCE.exec(line);
      at = newline + 1;
      if (fence) {
        if (marked && marked[1].startsWith(fence) && !marked[2]) {
          fence = null;
          end = at;
        }
      } else if (marked) fence = marked[1];
      else if (!line.trim()) end = at;
      else if (at - end > LONGEST) end = at;
    }
    if (end) {
      this.code = null;
      this.live.before(...blocks(this.tail.slice(0, end)));
      this.tail = this.tail.slice(end);
    }
  }

  draw() {
    const first = this.tail.slice(0, 200).split("\n", 1)[0];
    const marked = FENCE.exec(first);
    if (marked && this.tail.includes("\n")) {
      // Code that is still open grows at its end; colours come when it is whole.
      const body = this.tail.slice(first.length + 1);
      if (!this.code) {
        this.code = { shown: 0, node: document.createTextNode("") };
        this.live.replaceChildren(el("pre", { tabindex: 0 }, el("code", {}, this.code.node)));
      }
      this.code.node.appendData(prose(body.slice(this.code.shown)));
      this.code.shown = body.length;
    } else {
      this.code = null;
      this.live.replaceChildren(...blocks(this.tail));
    }
  }
}

/** *text*, which is whole, as elements. */
export function blocks(text, depth = 0) {
  const lines = text.split("\n");
  const made = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const fence = FENCE.exec(line);
    const heading = HEADING.exec(line);
    if (!line.trim()) at += 1;
    else if (fence) at = codeBlock(lines, at, fence, made);
    else if (heading) {
      made.push(el(`h${Math.min(6, heading[1].length + 2)}`, {}, inline(heading[2])));
      at += 1;
    } else if (RULE.test(line)) {
      made.push(el("hr"));
      at += 1;
    } else if (depth < DEEPEST && /^ {0,3}>/.test(line)) at = quoted(lines, at, depth, made);
    else if (depth < DEEPEST && ITEM.test(line)) at = listed(lines, at, depth, made);
    else if (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "")) at = table(lines, at, made);
    else at = paragraph(lines, at, made);
  }
  return made;
}

function codeBlock(lines, at, fence, made) {
  let end = at + 1;
  while (end < lines.length) {
    const closing = FENCE.exec(lines[end]);
    if (closing && closing[1].startsWith(fence[1]) && !closing[2]) break;
    end += 1;
  }
  const code = lines.slice(at + 1, end).join("\n");
  const shown = el("code");
  highlight(shown, code, fence[2]);
  const copy = button(words.copy, () => navigator.clipboard.writeText(code).then(() => (copy.textContent = words.copied)), { class: "copy" });
  made.push(el("div", { class: "code" }, el("div", { class: "bar" }, el("span", { text: fence[2] }), copy), el("pre", { tabindex: 0, role: "region", "aria-label": words.code }, shown)));
  return end + 1;
}

function quoted(lines, at, depth, made) {
  const inner = [];
  while (at < lines.length && /^ {0,3}>/.test(lines[at])) inner.push(lines[at++].replace(/^ {0,3}> ?/, ""));
  made.push(el("blockquote", {}, blocks(inner.join("\n"), depth + 1)));
  return at;
}

function listed(lines, at, depth, made) {
  const first = ITEM.exec(lines[at]);
  const ordered = /\d/.test(first[2]);
  const list = el(ordered ? "ol" : "ul", ordered && parseInt(first[2]) !== 1 ? { start: parseInt(first[2]) } : {});
  const indent = first[1].length;
  while (at < lines.length) {
    const item = ITEM.exec(lines[at]);
    if (!item || item[1].length !== indent || /\d/.test(item[2]) !== ordered) break;
    const inner = [item[3]];
    at += 1;
    while (at < lines.length) {
      const next = lines[at];
      const deeper = /^(\s+)\S/.exec(next);
      if (!next.trim() && /^\s+\S/.test(lines[at + 1] ?? "") && /^\s*/.exec(lines[at + 1])[0].length > indent) inner.push("");
      else if (deeper && deeper[1].length > indent) inner.push(next.slice(Math.min(deeper[1].length, indent + 2)));
      else break;
      at += 1;
    }
    const simple = inner.length === 1;
    list.append(el("li", {}, simple ? inline(inner[0]) : blocks(inner.join("\n"), depth + 1)));
    if (!(lines[at] ?? "x").trim() && ITEM.test(lines[at + 1] ?? "")) at += 1;
  }
  made.push(list);
  return at;
}

function table(lines, at, made) {
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").slice(0, 50);
  const sides = cells(lines[at + 1]).map((cell) => (cell.trim().endsWith(":") ? (cell.trim().startsWith(":") ? "to-center" : "to-right") : ""));
  const row = (line, tag) => el("tr", {}, cells(line).map((cell, n) => el(tag, { class: sides[n] || null }, inline(cell.trim()))));
  const head = el("thead", {}, row(lines[at], "th"));
  const body = el("tbody");
  at += 2;
  while (at < lines.length && lines[at].includes("|") && lines[at].trim()) body.append(row(lines[at++], "td"));
  made.push(el("div", { class: "table", tabindex: 0, role: "region", "aria-label": words.table }, el("table", {}, head, body)));
  return at;
}

function paragraph(lines, at, made) {
  const said = [];
  while (at < lines.length && lines[at].trim() && !(said.length && (FENCE.test(lines[at]) || HEADING.test(lines[at]) || /^ {0,3}>/.test(lines[at]) || ITEM.test(lines[at])))) said.push(lines[at++]);
  const text = said.join("\n");
  made.push(text.length > LONGEST ? el("p", { class: "plain", text: prose(text) }) : el("p", { dir: "auto" }, inline(text)));
  return at;
}

const SPECIAL = /[\\`*_~[!<h\n]/g;
const LINK = /\[((?:[^[\]\\]|\\.){0,500})\]\(\s*<?([^\s<>()]{1,2000}(?:\([^\s<>()]{0,200}\)[^\s<>()]{0,200})?)>?(?:\s+"[^"\n]{0,200}")?\s*\)/y;
const AUTO = /https?:\/\/[^\s<>"'`\])]{1,2000}/y;

/** One line, or a paragraph: emphasis, code and links. Takes linear time. */
export function inline(text, depth = 0) {
  const made = [];
  const gone = new Set(); // marks that are not closed any more
  let plain = "";
  let at = 0;
  const flush = () => {
    if (plain) made.push(prose(plain));
    plain = "";
  };
  const put = (element, end) => {
    flush();
    made.push(element);
    at = end;
  };
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const found = SPECIAL.exec(text);
    if (!found) break;
    plain += text.slice(at, found.index);
    at = found.index;
    const char = found[0];
    const before = text[at - 1] ?? " ";
    if (char === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "")) {
      plain += text[at + 1];
      at += 2;
      continue;
    }
    if (char === "\n" && /(?: {2}|\\)$/.test(plain)) {
      plain = plain.replace(/(?: +|\\)$/, "");
      put(el("br"), at + 1);
      continue;
    }
    if (char === "`") {
      const mark = /`+/y;
      mark.lastIndex = at;
      const ticks = mark.exec(text)[0];
      const end = gone.has(ticks) ? -1 : closing(text, ticks, at + ticks.length);
      if (end > 0) {
        put(el("code", { text: prose(text.slice(at + ticks.length, end).replace(/^ (.*) $/, "$1")) }), end + ticks.length);
        continue;
      }
      gone.add(ticks);
      plain += ticks;
      at += ticks.length;
      continue;
    }
    if (depth < DEEPEST && (char === "*" || char === "~" || (char === "_" && !/\w/.test(before)))) {
      const mark = text.startsWith(char + char, at) ? char + char : char;
      const tag = { "**": "strong", __: "strong", "*": "em", _: "em", "~~": "del" }[mark];
      const begin = at + mark.length;
      const end = tag && !gone.has(mark) && /\S/.test(text[begin] ?? " ") ? closer(text, mark, begin) : -1;
      if (end > begin) {
        put(el(tag, {}, inline(text.slice(begin, end), depth + 1)), end + mark.length);
        continue;
      }
      if (tag && end < 0 && /\S/.test(text[begin] ?? " ")) gone.add(mark);
      plain += mark;
      at = begin;
      continue;
    }
    const isImage = char === "!" && text[at + 1] === "[";
    if (char === "[" || isImage) {
      LINK.lastIndex = isImage ? at + 1 : at;
      const link = LINK.exec(text);
      if (link) {
        const end = LINK.lastIndex; // what is inside is read with the same pattern
        put(linked(link[2], isImage ? words.image(link[1]) : link[1], depth), end);
        continue;
      }
    }
    if (char === "h" && !/\w/.test(before)) {
      AUTO.lastIndex = at;
      const address = AUTO.exec(text)?.[0].replace(/[.,;:!?]+$/, "");
      if (address) {
        put(linked(address, address, DEEPEST), at + address.length);
        continue;
      }
    }
    plain += char;
    at += 1;
  }
  plain += text.slice(at);
  flush();
  return made;
}

/** Where exactly *ticks* stand again behind *from*, or -1. */
function closing(text, ticks, from) {
  let at = text.indexOf(ticks, from);
  while (at >= 0) {
    let end = at + ticks.length;
    if (text[end] !== "`" && text[at - 1] !== "`") return at;
    while (text[end] === "`") end += 1;
    at = text.indexOf(ticks, end);
  }
  return -1;
}

function closer(text, mark, from) {
  let at = text.indexOf(mark, from + 1);
  while (at >= 0) {
    const alone = mark.length > 1 || (text[at + 1] !== mark && text[at - 1] !== mark);
    const inside = mark[0] === "_" && /\w/.test(text[at + mark.length] ?? " ");
    if (alone && !inside && /\S/.test(text[at - 1])) return at;
    at = text.indexOf(mark, at + mark.length);
  }
  return -1;
}

function linked(address, shown, depth) {
  let url = null;
  try {
    url = new URL(address);
  } catch {
    // not an address of its own: nothing on this server is to be linked
  }
  const inner = depth < DEEPEST ? inline(shown, DEEPEST) : [prose(shown)];
  if (!url || !["http:", "https:", "mailto:"].includes(url.protocol)) return el("span", { title: address.slice(0, 200) }, inner);
  return el("a", { href: url.href, rel: "noopener noreferrer nofollow", target: "_blank", title: url.href.slice(0, 300) }, inner);
}
