// What is said about answers that cannot be read: templates of the bank, filled in.

export class Refused extends Error {
  constructor(bank, key, values = {}) {
    super(say(bank, key, values));
  }
}

export const say = (bank, key, values = {}) =>
  bank.messages[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));

// Text in quotes and in ASCII, as Python's `ascii` writes it: half a character or a
// letter that only looks like another one can be seen.
export const quoted = (text) => {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const named = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };
  const escaped = Array.from(text, (c) => {
    if (c in named) return named[c];
    if (c === quote) return "\\" + c;
    const code = c.codePointAt(0);
    if (code > 31 && code < 127) return c;
    const hex = code.toString(16);
    if (code < 256) return "\\x" + hex.padStart(2, "0");
    return code < 65536 ? "\\u" + hex.padStart(4, "0") : "\\U" + hex.padStart(8, "0");
  });
  return quote + escaped.join("") + quote;
};

// A number in twelve digits at most, as `%.12g` writes it.
export const general = (number) => {
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number > 0 ? "inf" : "-inf";
  if (number === 0) return Object.is(number, -0) ? "-0" : "0";
  const [digits, exponent] = number.toExponential(11).split("e");
  const power = Number(exponent);
  const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (power >= -4 && power < 12) return trimmed(number.toFixed(11 - power));
  const size = String(Math.abs(power)).padStart(2, "0");
  return `${trimmed(digits)}e${power < 0 ? "-" : "+"}${size}`;
};

export const shown = (bank, value) => {
  if (value === null) return say(bank, "null");
  if (typeof value === "boolean") return say(bank, String(value));
  if (typeof value === "string") {
    const letters = Array.from(value);
    const text = letters.length <= 24 ? value : letters.slice(0, 21).join("") + "...";
    return say(bank, "text", { text: quoted(text) });
  }
  if (Array.isArray(value)) return say(bank, "list", { length: value.length });
  if (value instanceof Map) return say(bank, "object");
  return general(value);
};
