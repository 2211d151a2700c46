// One question on the page: its fields, its check button, its hints.

import {
  countRows, listed, readControl, setError, setRows, writeControl,
} from "./controls.js";
import { grade, readItem } from "./grader.js";
import { markStale, showHints, showVerdict } from "./verdicts.js";

const withoutName = (message) => message.replace(/^\w+: /, "");

// The bank as it speaks to somebody who fills in a form and sees no JSON.
const typed = (bank) => ({ ...bank, messages: { ...bank.messages, ...bank.typed } });

export class Question {
  constructor(form, page) {
    this.form = form;
    this.page = page;
    this.letter = form.dataset.item;
    this.boxes = new Map(
      [...form.querySelectorAll("[data-field]")].map((box) => [box.dataset.field, box]),
    );
    this.verdict = form.querySelector("[data-verdict]");
    this.parts = null;
    this.listen();
  }

  get item() {
    return this.page.bank.items[this.letter];
  }

  get grids() {
    const { fields } = this.item;
    return [...this.boxes].flatMap(([name, box]) =>
      fields[name].type === "rows" ? [box] : [],
    );
  }

  button(action) {
    return this.form.querySelector(`[data-action="${action}"]`);
  }

  listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.check(true);
    });
    this.form.addEventListener("input", (event) => this.changed(event.target));
    this.button("hint").addEventListener("click", () => this.hint());
    for (const [action, step] of [["more", 1], ["fewer", -1]]) {
      this.button(action)?.addEventListener("click", () => {
        this.rows(countRows(this.grids[0]) + step);
        this.changed(this.grids[0]);
      });
    }
  }

  rows(count) {
    const grids = this.grids;
    if (!grids.length) return;
    const most = this.item.fields[grids[0].dataset.field].rows;
    const rows = Math.min(Math.max(count, 1), most);
    setRows(grids, rows);
    this.button("more").disabled = rows === most;
    this.button("fewer").disabled = rows === 1;
  }

  changed(target) {
    const box = target.closest("[data-field]");
    if (box) setError(box, "");
    markStale(this.verdict);
    this.page.sheet.answers[this.letter] = this.read();
    this.page.edited();
  }

  read() {
    const { fields } = this.item;
    const values = [...this.boxes].map(([name, box]) => [
      name, readControl(box, fields[name]),
    ]);
    return Object.fromEntries(values);
  }

  // Grade what is filled in; `again` counts it as an attempt.
  check(again) {
    const { bank, sheet } = this.page;
    const answer = new Map(Object.entries(this.read()));
    const words = typed(bank);
    this.parts = grade(words, new Map([[this.letter, answer]])).items[this.letter];
    const { refused } = readItem(words, this.letter, answer);
    for (const [name, box] of this.boxes) {
      setError(box, withoutName(refused[name] ?? this.refusal(name)));
    }
    const attempts = (sheet.attempts[this.letter] ?? 0) + (again ? 1 : 0);
    sheet.attempts[this.letter] = attempts;
    this.verdict.classList.remove("selftest-stale");
    showVerdict(this.verdict, this.parts, this.item, attempts);
    this.page.keep();
    this.page.showTotal();
    if (again) this.form.querySelector("[aria-invalid]")?.focus();
  }

  // What the judge of a part that reads only this field could not understand in it.
  refusal(name) {
    const part = this.parts.find((_, i) => {
      const { fields } = this.item.parts[i];
      return fields.length === 1 && fields[0] === name;
    });
    return part?.tag === "refused" ? part.text : "";
  }

  hint() {
    const { hints } = this.page.sheet;
    hints[this.letter] = Math.min((hints[this.letter] ?? 0) + 1, this.item.hints.length);
    this.showHints();
    this.page.keep();
  }

  showHints() {
    const all = this.item.hints;
    const count = Math.min(this.page.sheet.hints[this.letter] ?? 0, all.length);
    showHints(this.form.querySelector("[data-hints]"), all, count);
    const button = this.button("hint");
    button.disabled = count === all.length;
    button.textContent = `Hint ${Math.min(count + 1, all.length)} of ${all.length}`;
  }

  // Show what the page holds: question, answers, hints, and the verdict if there was one.
  show() {
    const { sheet, state } = this.page;
    const { fields, question } = this.item;
    const kept = sheet.answers[this.letter] ?? {};
    const set = state.variant === null ? "" : `Other numbers, set ${state.variant}: `;
    this.form.querySelector("[data-question]").textContent = set + question;
    const lengths = this.grids.map(({ dataset }) => listed(kept[dataset.field]).length);
    this.rows(Math.max(...lengths, 1));
    for (const [name, box] of this.boxes) {
      setError(box, "");
      writeControl(box, fields[name], kept[name] ?? null);
    }
    this.parts = null;
    this.verdict.replaceChildren();
    this.showHints();
    if (sheet.attempts[this.letter]) this.check(false);
  }
}
