// From a sheet's answers to a verdict: parts, items and the total.

import { readField } from "./fields.js";
import { JUDGES } from "./judges.js";
import { Refused, say, shown } from "./messages.js";
import { BadFile, readSheet } from "./reader.js";

const absentFrom = (values, names) => names.filter((name) => !(name in values));

const gradePart = (bank, part, values, refused) => {
  const { id: name, fields, by = [] } = part;
  const result = (credit, tag, text) => ({ name, credit, tag, text });
  const unread = [...fields, ...by].find((field) => field in refused);
  if (unread) return result(0, "refused", refused[unread]);
  const absent = absentFrom(values, fields);
  if (absent.length) {
    const tag = absent.length === fields.length ? "missing" : "incomplete";
    return result(0, tag, bank.feedback[tag]);
  }
  const context = absentFrom(values, by);
  if (context.length) {
    const text = bank.feedback.no_context.replace("{fields}", context.join(" and "));
    return result(0, "no_context", text);
  }
  try {
    const { tag, credit } = JUDGES[part.kind](bank, part, values);
    return result(credit, tag, bank.feedback[tag]);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return result(0, "refused", say(bank, "part", { name, message: error.message }));
  }
};

// Read the fields of an item: values, and messages for those that cannot be read.
export const readItem = (bank, letter, answer, notes = []) => {
  const { fields } = bank.items[letter];
  const odd = [...answer.keys()].filter((name) => !Object.hasOwn(fields, name));
  for (const name of odd.slice(0, bank.sheet.notes)) {
    const known = Object.keys(fields).join(", ");
    notes.push(say(bank, "no_field", { item: letter, given: shown(bank, name), known }));
  }
  const [values, refused] = [Object.create(null), Object.create(null)];
  for (const [name, field] of Object.entries(fields)) {
    const value = answer.get(name) ?? null;
    if (value === null || value === "") continue; // blanks of a sheet
    try {
      values[name] = readField(bank, value, field);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused[name] = say(bank, "part", { name, message: error.message });
    }
  }
  return { values, refused };
};

const gradeItem = (bank, letter, given, notes) => {
  let answer = given;
  if (!(answer instanceof Map)) {
    const values = { item: letter, given: shown(bank, answer) };
    notes.push(say(bank, "item_no_object", values));
    answer = new Map();
  }
  const { values, refused } = readItem(bank, letter, answer, notes);
  const { parts } = bank.items[letter];
  return parts.map((part) => gradePart(bank, part, values, refused));
};

export const scoreOf = (parts) =>
  parts.reduce((total, part) => total + part.credit, 0) / parts.length;

// Grade answers (a map of maps); never throws for what somebody wrote.
export const grade = (bank, given) => {
  const notes = [];
  let answers = given;
  if (!(answers instanceof Map)) {
    notes.push(say(bank, "no_answers", { given: shown(bank, answers) }));
    answers = new Map();
  }
  const odd = [...answers.keys()].filter((key) => !Object.hasOwn(bank.items, key));
  for (const letter of odd.slice(0, bank.sheet.notes)) {
    notes.push(say(bank, "no_item", { given: shown(bank, letter) }));
  }
  const items = {};
  for (const letter of Object.keys(bank.items)) {
    const answer = answers.has(letter) ? answers.get(letter) : new Map();
    items[letter] = gradeItem(bank, letter, answer, notes);
  }
  const parts = Object.values(items);
  const refused = parts.flat().some((part) => part.tag === "refused");
  return {
    items,
    notes: notes.slice(0, bank.sheet.notes),
    total: parts.map(scoreOf).reduce((a, b) => a + b, 0),
    status: refused || notes.length ? "needs_review" : "graded",
  };
};

// Grade a file as it was handed in, with the numbers of this bank.
export const gradeBytes = (bank, bytes) => {
  try {
    const sheet = readSheet(bank, bytes);
    const verdict = grade(bank, sheet.answers);
    const notes = [...sheet.notes, ...verdict.notes];
    const status = sheet.notes.length ? "needs_review" : verdict.status;
    return { ...verdict, notes, status };
  } catch (error) {
    if (error instanceof BadFile) return { status: error.status, reason: error.message };
    throw error;
  }
};
