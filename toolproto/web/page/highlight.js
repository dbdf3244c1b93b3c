// Colours for code: comments, strings, numbers and words, for the languages models write most.

import { el, visible } from "./dom.js";

const MOST = 20000;
const C_WORDS = "abstract as async await auto bool boolean break byte case catch char class const constexpr continue crate default defer delete do double dyn else enum export extends extern false final finally float fn for from func function go goto if impl implements import in include inline instanceof int interface let long loop match mod module move mut namespace new nil null nullptr of override package private protected pub public readonly ref return self short signed sizeof static string struct super switch template this throw throws trait true try type typedef typeof undefined union unsafe unsigned use using var virtual void volatile where while with yield";
const PY_WORDS = "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield";
const SH_WORDS = "case do done elif else esac export fi for function if in local read return set shift then unset until while echo cd exit source sudo";
const SQL_WORDS = "add all alter and as asc begin between by case create cross default delete desc distinct drop else end exists from full group having in index inner insert into is join key left like limit not null offset on or order outer primary references right select set table then union unique update values view when where with";

const STRING = String.raw`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?`;
const NUMBER = String.raw`\b(?:0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b`;
const WORD = String.raw`[A-Za-z_$][\w$]*`;

const kinds = (comment, string = STRING) => new RegExp(`(${comment})|(${string})|(${NUMBER})|(${WORD})`, "gs");
const set = (words) => new Set(words.split(" "));
const FAMILIES = {
  c: [kinds(String.raw`//[^\n]*|/\*.*?(?:\*/|$)`, `${STRING}|${String.raw`\x60(?:\\.|[^\\\x60])*\x60?`}`), set(C_WORDS)],
  py: [kinds(String.raw`#[^\n]*`, String.raw`"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|` + STRING), set(PY_WORDS)],
  sh: [kinds(String.raw`#[^\n]*`), set(SH_WORDS)],
  sql: [kinds(String.raw`--[^\n]*|/\*.*?(?:\*/|$)`), set(SQL_WORDS), true],
  json: [kinds(String.raw`//[^\n]*`), set("true false null")],
  css: [kinds(String.raw`/\*.*?(?:\*/|$)`), new Set()],
  html: [kinds(String.raw`<!--.*?(?:-->|$)`), new Set()],
};
const LANGUAGES = {
  c: "c cc cpp c++ cs csharp go java javascript js jsx kotlin php rust rs scala swift ts tsx typescript",
  py: "py python python3 ruby rb r toml yaml yml",
  sh: "bash console fish sh shell zsh dockerfile makefile",
  sql: "sql", json: "json jsonl json5", css: "css scss", html: "html xml svg",
};
const FAMILY = Object.fromEntries(Object.entries(LANGUAGES).flatMap(([family, names]) => names.split(" ").map((name) => [name, family])));

/** Put *code* into *target*, in colours if the *language* is known. */
export function highlight(target, code, language) {
  const family = FAMILIES[FAMILY[language.toLowerCase()]];
  if (!family || code.length > MOST) {
    target.textContent = visible(code);
    return;
  }
  const [pattern, words, folded] = family;
  let at = 0;
  const made = document.createDocumentFragment();
  for (const found of code.matchAll(pattern)) {
    const [text, comment, string, number] = found;
    const word = found[4];
    const kind = comment ? "comment" : string ? "string" : number ? "number" : words.has(folded ? word.toLowerCase() : word) ? "word" : "";
    if (!kind) continue;
    if (found.index > at) made.append(visible(code.slice(at, found.index)));
    made.append(el("span", { class: `hl-${kind}`, text: visible(text) }));
    at = found.index + text.length;
  }
  made.append(visible(code.slice(at)));
  target.replaceChildren(made);
}
