// The page: its questions, the sheet they fill in, and the numbers they ask with.

import { setError } from "./controls.js";
import { grade, readItem } from "./grader.js";
import { Refused } from "./messages.js";
import { Question } from "./question.js";
import { checkStudent, readSheet } from "./reader.js";
import { clearSheet, keepState, loadState, sheetOf } from "./store.js";
import { score, totalText } from "./verdicts.js";

const HERE = document.currentScript?.src;
const CLEAR = "Clear the answers";
const UNDO = "Bring the answers back";
const NOT_KEPT =
  "This browser keeps nothing for this page: download the sheet before you leave.";

// The bank with the numbers of a variant; only what differs was sent.
const merged = (bank, changes) => {
  const items = { ...bank.items };
  for (const [letter, { question, parts }] of Object.entries(changes)) {
    const all = items[letter].parts.map((part) => parts[part.id] ?? part);
    items[letter] = { ...items[letter], question, parts: all };
  }
  return { ...bank, items };
};

const save = (sheet, name) => {
  const link = document.createElement("a");
  const text = JSON.stringify(sheet, null, 2) + "\n";
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${name}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

// All questions and their sheet.
class Page {
  constructor({ bank, seeds }) {
    this.book = this.bank = bank;
    this.seeds = seeds;
    this.banks = new Map(); // promises, by seed
    this.arrived = new Map(); // what keeps them
    this.state = loadState();
    this.panel = document.getElementById("selftest-sheet");
    this.message = this.panel.querySelector("[data-message]");
    this.student = document.getElementById("selftest-student");
    this.questions = [...document.querySelectorAll("form[data-item]")].map(
      (form) => new Question(form, this),
    );
    this.listen();
  }

  // Show what was kept; where it is for other numbers, these have to come first.
  begin() {
    globalThis.sdpaVariant = (seed, changes) => this.arrived.get(seed)?.(changes);
    const { variant } = this.state;
    this.state.variant = null;
    this.show();
    if (this.seeds.includes(variant)) this.use(variant);
  }

  get sheet() {
    return sheetOf(this.state);
  }

  say(text) {
    this.message.textContent = text;
  }

  keep() {
    if (!keepState(this.state)) this.say(NOT_KEPT);
  }

  // Something else than clearing happened: it cannot be undone any more.
  edited() {
    this.undo = null;
    this.button("clear").textContent = CLEAR;
    this.keep();
  }

  listen() {
    const actions = {
      new: () => this.use(this.following()),
      book: () => this.use(null),
      clear: () => this.clear(),
    };
    for (const [action, act] of Object.entries(actions)) {
      this.button(action).addEventListener("click", act);
    }
    this.panel.addEventListener("submit", (event) => {
      event.preventDefault();
      this.download();
    });
    this.student.addEventListener("input", () => {
      setError(this.student.closest("[data-field]"), "");
      this.state.student = this.student.value.trim();
      this.edited();
    });
    const file = document.getElementById("selftest-file");
    file.addEventListener("change", async () => {
      const [chosen] = file.files;
      if (chosen) await this.restore(chosen);
      file.value = ""; // the same file can be chosen again
    });
  }

  button(action) {
    return this.panel.querySelector(`[data-action="${action}"]`);
  }

  following() {
    const { seeds, state } = this;
    return seeds[(seeds.indexOf(state.variant) + 1) % seeds.length];
  }

  // Ask with other numbers, and say whether that worked; answers to these are kept.
  async use(seed) {
    try {
      this.bank = seed === null ? this.book : await this.load(seed);
    } catch {
      this.say(`The numbers of set ${seed} could not be loaded.`);
      return false;
    }
    this.state.variant = seed;
    this.edited();
    this.show();
    this.say(
      seed === null
        ? "The questions have the numbers of the book."
        : `The forms have other numbers now: set ${seed} of ${this.seeds.length}. ` +
            "Answers to the numbers before are kept.",
    );
    return true;
  }

  // A script, because a page that is opened from a folder may fetch nothing else.
  load(seed) {
    if (!this.banks.has(seed)) {
      const coming = new Promise((done, failed) => {
        this.arrived.set(seed, (changes) => done(merged(this.book, changes)));
        const script = document.createElement("script");
        script.src = new URL(`variant-${seed}.js`, HERE);
        script.onerror = failed;
        document.head.append(script);
      });
      this.banks.set(seed, coming);
      coming.catch(() => this.banks.delete(seed));
    }
    return this.banks.get(seed);
  }

  show() {
    this.student.value = this.state.student;
    this.button("book").disabled = this.state.variant === null;
    for (const question of this.questions) question.show();
    this.showTotal();
  }

  showTotal() {
    const scores = this.questions.map((question) => score(question.parts));
    const text = totalText(scores, scores.length);
    this.panel.querySelector("[data-total]").textContent = text;
  }

  clear() {
    const undo = this.undo;
    if (undo) undo();
    this.undo = undo ? null : clearSheet(this.state);
    this.button("clear").textContent = undo ? CLEAR : UNDO;
    this.say(undo ? "The answers are back." : "The answers are cleared.");
    this.keep();
    this.show();
  }

  download() {
    const { bank, state, sheet } = this;
    try {
      checkStudent(bank, state.student);
    } catch (error) {
      setError(this.student.closest("[data-field]"), error.message);
      this.student.focus();
      return;
    }
    const answers = {};
    for (const { letter } of this.questions) {
      const blank = Object.keys(bank.items[letter].fields).map((name) => [name, null]);
      answers[letter] = { ...Object.fromEntries(blank), ...sheet.answers[letter] };
    }
    const { student, variant } = state;
    save({ format: bank.answers, student, variant, answers }, student || "answers");
    this.say("The sheet is on its way to your downloads.");
  }

  async restore(file) {
    try {
      const read = readSheet(this.book, new Uint8Array(await file.arrayBuffer()));
      await this.accept(read);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say(`${file.name} was not restored: ${error.message}.`);
    }
  }

  // Take over what can be read of a sheet, and say what cannot.
  async accept({ student, variant, answers, notes }) {
    if (variant !== null && !this.seeds.includes(variant)) {
      this.say(
        `The sheet is for the numbers ${variant}, which are not on this page. ` +
          "The command sdpa check grades practice numbers; other ones are graded by " +
          "whoever gave them to you.",
      );
      return;
    }
    if (!(await this.use(variant))) return;
    clearSheet(this.state);
    const problems = [...notes, ...grade(this.bank, answers).notes];
    for (const { letter } of this.questions) {
      const item = answers instanceof Map ? answers.get(letter) : null;
      if (!(item instanceof Map)) continue;
      const { values, refused } = readItem(this.bank, letter, item);
      this.sheet.answers[letter] = values;
      problems.push(...Object.values(refused).map((text) => `(${letter}) ${text}`));
    }
    this.state.student = student;
    this.edited();
    this.show();
    const but = problems.length ? ` Not understood: ${problems.join("; ")}.` : "";
    this.say(`The sheet is restored. Check the questions again.${but}`);
  }
}

export const start = (data) => new Page(data).begin();
