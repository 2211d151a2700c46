// What a field may hold: every value passes or is refused, nothing is converted.

import { Refused, general, say, shown } from "./messages.js";

// What Python's `split` and `\s` take for white space.
const SPACE =
  "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a" +
  "\\u2028\\u2029\\u202f\\u205f\\u3000]";
const SPACES = new RegExp(`${SPACE}+`, "g");
const DECIMAL = /^[ \t-\r]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[ \t-\r]*$/;

export const withoutSpace = (text) => text.replace(SPACES, "");
export const singleSpaced = (text) => text.replace(SPACES, " ").replace(/^ | $/g, "");

const readText = (bank, value) => {
  if (typeof value !== "string") {
    throw new Refused(bank, "no_text", { given: shown(bank, value) });
  }
  const most = bank.grammar.limits.characters;
  const length = Array.from(value).length;
  if (length > most) throw new Refused(bank, "text_too_long", { length, most });
  if (/\p{Cs}/u.test(value)) throw new Refused(bank, "half_character");
  return value;
};

const readList = (bank, value, length, what) => {
  const given = shown(bank, value);
  if (!Array.isArray(value)) throw new Refused(bank, `no_${what}`, { given, length });
  if (value.length !== length) {
    throw new Refused(bank, `${what}_length`, { given, length });
  }
};

const advice = (bank, text) => {
  if (/(?![0-9])\p{Nd}/u.test(text)) return say(bank, "odd_digits");
  const number = DECIMAL.exec(text.replace(",", ".").replaceAll("−", "-"))?.[1];
  if (!number || number.length > 24 || !Number.isFinite(Number(number))) return "";
  return say(bank, text.includes(",") ? "with_a_point" : "without_quotes", { number });
};

const readNumber = (bank, value, place, limit) => {
  if (typeof value !== "number") {
    const given = shown(bank, value);
    const more = typeof value === "string" ? advice(bank, value) : "";
    throw new Refused(bank, "no_number", { place, given, advice: more });
  }
  if (!Number.isFinite(value)) throw new Refused(bank, "not_finite", { place });
  if (Math.abs(value) > limit) {
    const given = Math.abs(value) < 1e300 ? general(value) : say(bank, "huge");
    throw new Refused(bank, "too_large", { place, given, most: general(limit) });
  }
  return value;
};

const limitOf = (bank, field) => field.limit ?? bank.grammar.limits.number;

const readRow = (bank, row, number, field) =>
  row.map((value, i) => {
    const place = say(bank, "entry_of_row", { place: i + 1, row: number });
    return readNumber(bank, value, place, limitOf(bank, field));
  });

const readIndex = (bank, value, most) => {
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new Refused(bank, "no_place", { given: shown(bank, value), most });
};

const READERS = {
  text: readText,
  texts(bank, value, { length }) {
    readList(bank, value, length, "texts");
    return value.map((entry) => readText(bank, entry));
  },
  option(bank, given, { options }) {
    const text = typeof given === "string" ? readText(bank, given) : null;
    const value = text === null ? given : singleSpaced(text.toLowerCase());
    if (options.includes(value)) return value;
    const list = options.map((option) => JSON.stringify(option)).join(say(bank, "or"));
    throw new Refused(bank, "no_option", { given: shown(bank, value), options: list });
  },
  numbers(bank, value, field) {
    readList(bank, value, field.length, "numbers");
    return value.map((entry, i) => {
      const place = say(bank, "entry", { place: i + 1 });
      return readNumber(bank, entry, place, limitOf(bank, field));
    });
  },
  rows(bank, given, field) {
    const { columns, rows: most } = field;
    const bare = Array.isArray(given) && given.length && !Array.isArray(given[0]);
    const value = bare && field.flat ? [given] : given;
    if (!Array.isArray(value) || value.length < 1 || value.length > most) {
      throw new Refused(bank, "no_rows", { given: shown(bank, value), most });
    }
    value.forEach((row, i) => {
      if (Array.isArray(row) && row.length === columns) return;
      const values = { row: i + 1, given: shown(bank, row), columns };
      throw new Refused(bank, "no_row", values);
    });
    return value.map((row, i) => readRow(bank, row, i + 1, field));
  },
  indices(bank, given, { largest: most }) {
    const value = Array.isArray(given) ? given : [given];
    if (value.length < 1 || value.length > most) {
      throw new Refused(bank, "no_places", { given: shown(bank, value), most });
    }
    const places = value.map((entry) => readIndex(bank, entry, most));
    if (new Set(places).size < places.length) {
      throw new Refused(bank, "place_twice", { most });
    }
    return places.sort((a, b) => a - b);
  },
};

export const readField = (bank, value, field) =>
  READERS[field.type](bank, value, field);

// A number as somebody types it, or the text if it is none: the reader says what to do.
export const typedNumber = (text) => {
  const number = DECIMAL.exec(text)?.[1];
  return number && Number.isFinite(Number(number)) ? Number(number) : text.trim();
};
