// What is shown of a verdict: a line for each part, hints, and the total.

import { scoreOf } from "./grader.js";

const element = (name, className, text = "") => {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
};

const MARKS = { 1: "✓", 0: "✗" };
const WORDS = { 1: "full mark", 0.5: "half a mark", 0: "no mark" };
const OPEN = ["missing", "incomplete", "no_context"];

const sign = ({ tag, credit }) =>
  OPEN.includes(tag) ? "–" : (MARKS[credit] ?? "½");

const partLine = (part, label, text) => {
  const kind = { 1: "right", 0.5: "half" }[part.credit] ?? "wrong";
  const state = OPEN.includes(part.tag) ? "open" : kind;
  const line = element("li", `selftest-part selftest-${state}`);
  const mark = element("span", "selftest-mark", sign(part));
  mark.setAttribute("aria-hidden", "true");
  const credit = state === "open" ? "" : ` (${WORDS[part.credit] ?? part.credit})`;
  const words = element("span", "", " " + text);
  words.prepend(element("strong", "", `${label}${credit}:`));
  line.append(mark, words);
  return line;
};

const number = (value) => String(Number(value.toFixed(2)));

// Show what became of the parts of an item.
export const showVerdict = (box, parts, item, attempts) => {
  const points = parts.reduce((total, part) => total + part.credit, 0);
  const times = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const summary = `${number(points)} of ${parts.length} after ${times}`;
  const list = element("ul", "selftest-parts");
  parts.forEach((part, i) => {
    // This message begins with the name of a field, which the label says better.
    const refused = part.tag === "refused";
    const text = refused ? part.text.replace(/^\w+: /, "") : part.text;
    list.append(partLine(part, item.parts[i].label, text));
  });
  box.replaceChildren(element("p", "selftest-summary", summary), list);
};

export const markStale = (box) => {
  const summary = box.querySelector(".selftest-summary");
  if (!summary || box.classList.contains("selftest-stale")) return;
  box.classList.add("selftest-stale");
  summary.textContent += ". Changed since then.";
};

export const showHints = (box, hints, count) => {
  const list = element("ol", "selftest-hints");
  for (const hint of hints.slice(0, count)) list.append(element("li", "", hint));
  box.replaceChildren(...(count ? [list] : []));
};

export const totalText = (scores, all) => {
  const checked = scores.filter((score) => score !== null);
  if (!checked.length) return "Nothing was checked yet.";
  const total = checked.reduce((a, b) => a + b, 0);
  const left = all - checked.length;
  const more = left ? ` ${left} not checked yet.` : "";
  return `Total: ${number(total)} of ${all}.${more}`;
};

export const score = (parts) => (parts ? scoreOf(parts) : null);
