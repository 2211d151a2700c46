// Answer sheets, read strictly. `JSON.parse` keeps the last of two equal keys and
// says nothing, so this reads JSON itself; objects become maps, whose keys are safe.

import { Refused, quoted, say, shown } from "./messages.js";

const BLANK = " \t\n\r";
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES = {
  '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t",
};
const CONSTANTS = { true: true, false: false, null: null };
const NO_NUMBERS = ["NaN", "Infinity", "-Infinity"];
const WORDS = [...NO_NUMBERS, ...Object.keys(CONSTANTS)];
const UNREADABLE = "unreadable";
const REFUSED = "refused";

// A file that cannot be graded: `unreadable` is broken, `refused` breaks a rule.
export class BadFile extends Refused {
  constructor(bank, status, key, values) {
    super(bank, key, values);
    this.status = status;
  }
}

class Parser {
  constructor(bank, text) {
    this.bank = bank;
    this.text = text;
    this.at = 0;
  }

  take(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  blank() {
    while (this.at < this.text.length && BLANK.includes(this.text[this.at])) this.at += 1;
  }

  skip(mark) {
    this.blank();
    if (this.text[this.at] !== mark) return false;
    this.at += 1;
    return true;
  }

  expect(mark) {
    if (!this.skip(mark)) this.fail();
  }

  fail() {
    const before = this.text.slice(0, this.at).split("\n");
    const near = this.text.slice(this.at, this.at + 10);
    throw new BadFile(this.bank, UNREADABLE, "no_json", {
      line: before.length,
      column: before.at(-1).length + 1,
      what: say(this.bank, "near", { given: quoted(near) }),
      hint: this.hint(),
    });
  }

  hint() {
    const near = this.text.slice(Math.max(this.at - 1, 0), this.at + 1);
    if (/(?![0-9])\p{Nd}/u.test(near)) return say(this.bank, "hint_digits");
    const cut = this.at >= this.text.trimEnd().length;
    return cut ? say(this.bank, "hint_end") : "";
  }

  whole() {
    const value = this.value();
    this.blank();
    if (this.at < this.text.length) this.fail();
    return value;
  }

  value() {
    if (this.skip("{")) return this.object();
    if (this.skip("[")) return this.list();
    if (this.skip('"')) return this.string();
    const word = WORDS.find((known) => this.text.startsWith(known, this.at));
    if (word) return this.word(word);
    const digits = this.take(NUMBER);
    if (!digits) this.fail();
    return Number(digits);
  }

  word(word) {
    if (NO_NUMBERS.includes(word)) {
      throw new BadFile(this.bank, UNREADABLE, "no_constant", { given: word });
    }
    this.at += word.length;
    return CONSTANTS[word];
  }

  list() {
    const values = [];
    if (this.skip("]")) return values;
    do values.push(this.value());
    while (this.skip(","));
    this.expect("]");
    return values;
  }

  object() {
    const values = new Map();
    const again = new Set();
    if (this.skip("}")) return values;
    do {
      this.expect('"');
      const key = this.string();
      if (values.has(key)) again.add(key);
      this.expect(":");
      values.set(key, this.value());
    } while (this.skip(","));
    this.expect("}");
    if (!again.size) return values;
    const twice = [...values.keys()].find((key) => again.has(key));
    const given = quoted(twice).slice(0, 40);
    throw new BadFile(this.bank, REFUSED, "key_twice", { given });
  }

  string() {
    let text = "";
    for (;;) {
      text += this.take(PLAIN);
      const mark = this.text[this.at];
      if (mark !== '"' && mark !== "\\") this.fail();
      this.at += 1;
      if (mark === '"') return text;
      text += this.escape();
    }
  }

  escape() {
    const letter = this.text[this.at];
    if (letter === "u") {
      const digits = this.text.slice(this.at + 1, this.at + 5);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail();
      this.at += 5;
      return String.fromCharCode(parseInt(digits, 16));
    }
    if (!Object.hasOwn(ESCAPES, letter ?? "")) this.fail();
    this.at += 1;
    return ESCAPES[letter];
  }
}

const tooDeep = (text, most) => {
  let depth = 0;
  const marks = text.replace(/"(?:[^"\\]|\\.)*"/gs, "").match(/[[\]{}]/g) ?? [];
  return marks.some((mark) => (depth += "[{".includes(mark) ? 1 : -1) > most);
};

const decoded = (bank, bytes) => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new BadFile(bank, UNREADABLE, "no_utf8");
  }
};

export const readJson = (bank, bytes) => {
  const text = decoded(bank, bytes);
  if (!/[^ \t\n\r\v\f]/.test(text)) throw new BadFile(bank, UNREADABLE, "empty");
  if (tooDeep(text, bank.sheet.nesting)) throw new BadFile(bank, UNREADABLE, "nested");
  return new Parser(bank, text).whole();
};

export const checkStudent = (bank, id) => {
  if (id === undefined || id === null || id === "") return "";
  const allowed = new RegExp(`^${bank.sheet.student}$`);
  if (typeof id === "string" && allowed.test(id)) return id;
  throw new BadFile(bank, REFUSED, "no_student", { given: shown(bank, id) });
};

const checkVariant = (bank, given) => {
  if (given === undefined || given === null) return null;
  const named = new RegExp(`^${bank.sheet.student}$`);
  if (typeof given === "string" && named.test(given)) return given;
  const seed = Number.isInteger(given) && given >= 0 && given < bank.sheet.variants;
  if (seed) return given;
  throw new BadFile(bank, REFUSED, "no_variant", { given: shown(bank, given) });
};

// Read an answer sheet from its bytes; answers are checked later, field by field.
export const readSheet = (bank, bytes) => {
  if (bytes.length > bank.sheet.bytes) {
    throw new BadFile(bank, REFUSED, "sheet_too_large", { given: bytes.length });
  }
  const content = readJson(bank, bytes);
  if (!(content instanceof Map)) {
    const given = shown(bank, content);
    throw new BadFile(bank, REFUSED, "sheet_no_object", { given });
  }
  const format = content.get("format");
  if (format !== bank.answers) {
    const given = format === undefined ? say(bank, "missing") : shown(bank, format);
    throw new BadFile(bank, REFUSED, "no_format", { given, expected: bank.answers });
  }
  const { keys, notes } = bank.sheet;
  const odd = [...content.keys()].filter((key) => !keys.includes(key));
  const known = keys.join(", ");
  return {
    student: checkStudent(bank, content.get("student")),
    variant: checkVariant(bank, content.get("variant")),
    answers: content.has("answers") ? content.get("answers") : new Map(),
    notes: odd
      .slice(0, notes)
      .map((key) => say(bank, "unknown_key", { given: shown(bank, key), known })),
  };
};
