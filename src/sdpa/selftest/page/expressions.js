// Formulas that a reader types: the grammar of `sdpa.selftest.expressions`, read
// without running anything. Values are arrays, an entry for each point.

import { Refused, general, quoted, say } from "./messages.js";

const NUMBER = "(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?";
const NAME = "[A-Za-z_][A-Za-z_0-9]*";
const MARK = "\\*\\*|[-+*/()√]";
const TOKEN = new RegExp(` *(?:(${NUMBER})|(${NAME})|(${MARK}))`, "y");
const KINDS = ["number", "name", "mark"];
const OPERATORS = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};
const FUNCTIONS = { sqrt: Math.sqrt, exp: Math.exp, log: Math.log, abs: Math.abs };

const plainCharacter = (bank, c) => {
  const { symbols } = bank.grammar;
  if (Object.hasOwn(symbols, c)) return symbols[c];
  if (/^[ A-Za-z0-9_.+\-*/()]$/.test(c)) return c;
  if (c === ",") throw new Refused(bank, "comma");
  const letter = c.normalize("NFKC"); // mathematical italics, for instance
  if (/^[A-Za-zσ]$/.test(letter)) return symbols[letter] ?? letter;
  if (/\p{Nd}/u.test(c)) {
    throw new Refused(bank, "odd_digit", { given: quoted(c), character: c });
  }
  const code = c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  const values = { given: quoted(c), name: `U+${code}`, character: c };
  throw new Refused(bank, "odd_character", values);
};

export const plain = (bank, text) => {
  const most = bank.grammar.limits.characters;
  const length = Array.from(text).length;
  if (length > most) throw new Refused(bank, "formula_too_long", { length, most });
  const raised = bank.grammar.superscripts;
  const lowered = (run) => "**" + Array.from(run, (c) => raised.indexOf(c)).join("");
  const flat = text.replace(new RegExp(`[${raised}]+`, "g"), lowered);
  return Array.from(flat, (c) => plainCharacter(bank, c)).join("");
};

const tokensOf = (bank, whole) => {
  const text = whole.replace(/ +$/, "");
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) {
      const given = text.slice(at).trim().slice(0, 10);
      throw new Refused(bank, "odd_token", { given });
    }
    const kind = match.slice(1).findIndex((part) => part !== undefined);
    tokens.push({ kind: KINDS[kind], token: match[kind + 1] });
  }
  return [...tokens, { kind: "end", token: say(bank, "the_end") }];
};

// Reads tokens from left to right and computes on the way. Every method returns the
// values, and whether they are free of names.
class Reader {
  constructor(bank, tokens, points) {
    Object.assign(this, { bank, tokens, points, at: 0, depth: 0 });
    this.limits = bank.grammar.limits;
    this.size = Object.values(points)[0].length;
  }

  refuse(key, values) {
    throw new Refused(this.bank, key, values);
  }

  get next() {
    return this.tokens[this.at];
  }

  take(...wanted) {
    if (!wanted.includes(this.next.token)) return null;
    return this.tokens[this.at++].token;
  }

  whole() {
    const result = this.sum();
    const { kind, token } = this.next;
    if (kind === "number" || kind === "name" || token === "(" || token === "√") {
      this.refuse("no_sign", { before: this.tokens[this.at - 1].token, after: token });
    }
    if (kind !== "end") this.refuse("one_too_many", { given: token });
    return result.values;
  }

  sum() {
    return this.chain(() => this.product(), "+", "-");
  }

  product() {
    return this.chain(() => this.signed(), "*", "/");
  }

  chain(operand, ...signs) {
    let left = operand();
    for (let sign = this.take(...signs); sign; sign = this.take(...signs)) {
      const right = operand();
      const values = left.values.map((a, i) => OPERATORS[sign](a, right.values[i]));
      left = { values, constant: left.constant && right.constant };
    }
    return left;
  }

  deeper(read) {
    this.depth += 1;
    if (this.depth > this.limits.depth) this.refuse("too_deep");
    const result = read();
    this.depth -= 1;
    return result;
  }

  signed() {
    return this.deeper(() => {
      const sign = this.take("+", "-");
      const result = sign ? this.signed() : this.power();
      return sign === "-" ? apply((x) => -x, result) : result;
    });
  }

  power() {
    const base = this.atom();
    if (!this.take("**")) return base;
    const exponent = this.signed();
    if (!exponent.constant) this.refuse("exponent_with_name");
    const power = exponent.values[0];
    const most = this.limits.exponent;
    if (!(Math.abs(power) <= most)) this.refuse("exponent_too_large", { most });
    return apply((x) => x ** power, base);
  }

  atom() {
    const { kind, token } = this.next;
    const opens = token === "(" || token === "√";
    if (kind === "end" || (kind === "mark" && !opens)) {
      this.refuse("operand_missing", { token });
    }
    this.at += 1;
    if (kind === "number") return this.number(token);
    if (kind === "name") return this.name(token);
    if (token === "(") return this.bracket();
    return this.deeper(() => apply(Math.sqrt, this.atom()));
  }

  bracket() {
    const result = this.sum();
    if (!this.take(")")) this.refuse("bracket_missing", { token: this.next.token });
    return result;
  }

  number(token) {
    const value = Number(token);
    const most = this.limits.number;
    if (value > most) {
      const given = token.slice(0, 20);
      this.refuse("number_too_large", { given, most: general(most) });
    }
    return { values: new Array(this.size).fill(value), constant: true };
  }

  name(name) {
    if (this.bank.grammar.functions.includes(name)) {
      if (!this.take("(")) this.refuse("function_bare", { name });
      return apply(FUNCTIONS[name], this.bracket());
    }
    const { aliases } = this.bank.grammar;
    const known = Object.hasOwn(aliases, name) ? aliases[name] : name;
    if (!Object.hasOwn(this.points, known)) {
      const names = Object.keys(this.points).join(", ");
      this.refuse("no_name", { given: name, names });
    }
    return { values: this.points[known], constant: false };
  }
}

const apply = (f, { values, constant }) => ({
  values: values.map((x) => f(x)),
  constant,
});

export const evaluate = (bank, text, points) => {
  const tokens = tokensOf(bank, plain(bank, text));
  const values = new Reader(bank, tokens, points).whole();
  if (!values.every(Number.isFinite)) throw new Refused(bank, "undefined");
  return values;
};
