// Verdicts: a function for each kind of part, as `sdpa.selftest.judging` describes
// them. All numbers and words come from the bank.

import { evaluate } from "./expressions.js";
import { singleSpaced, withoutSpace } from "./fields.js";
import { Refused } from "./messages.js";

const sum = (values) => values.reduce((a, b) => a + b, 0);
const dot = (a, b) => sum(a.map((x, i) => x * b[i]));
const verdict = (tag, credit = 0) => ({ tag, credit });
const RIGHT = verdict("right", 1);
const ofSlip = (slip) => verdict(slip.tags[0], slip.credit ?? 0);

const caseOf = (part, values) =>
  part.cases[part.by.map((name) => String(values[name])).join("|")];

const among = (part, matches) => {
  if (matches(part.right)) return RIGHT;
  const slip = part.wrong.find(({ value }) => matches(value));
  return slip ? ofSlip(slip) : verdict("other");
};

// The letters in order of appearance become a, b, c.
const canonical = (subscripts) => {
  const names = new Map();
  return subscripts.replace(/[A-Za-z]/g, (c) => {
    if (!names.has(c)) names.set(c, String.fromCharCode(97 + names.size));
    return names.get(c);
  });
};

const subscripts = (bank, part, values) => {
  let text = withoutSpace(values[part.fields[0]]).replaceAll("→", "->");
  const count = (what) => text.split(what).length - 1;
  if (text.startsWith("...") && count("...") === count(",") + 2) {
    text = text.replaceAll("...", ""); // leading dimensions everywhere change nothing
  }
  if (!/^[A-Za-z]+(,[A-Za-z]+)*->[A-Za-z]*$/.test(text)) {
    throw new Refused(bank, "no_subscripts");
  }
  return among(part, (known) => canonical(text) === known);
};

const sameName = (text) => withoutSpace(text).replace(/[_{}$]/g, "").toLowerCase();

const names = (bank, part, values) => {
  const given = values[part.fields[0]].map(sameName);
  return among(part, (known) => given.every((name, i) => name === sameName(known[i])));
};

const choice = (bank, part, values) => {
  const text = values[part.fields[0]].normalize("NFKC").toLowerCase();
  const key = singleSpaced(text).replace(/\.+$/, "");
  if (!Object.hasOwn(part.spellings, key)) throw new Refused(bank, "unknown_word");
  return verdict(...part.spellings[key]);
};

const formula = (bank, part, values) => {
  const known = caseOf(part, values);
  const value = evaluate(bank, values[part.fields[0]], part.points);
  const near = (expected) =>
    value.every((x, i) => {
      const y = typeof expected === "number" ? expected : expected[i];
      return Math.abs(x - y) <= part.relative * Math.abs(y);
    });
  const matches = (text) => near(evaluate(bank, text, part.points));
  if (known.right.some(matches)) return RIGHT;
  const slip = known.wrong.find((entry) => matches(entry.formula));
  if (slip) return ofSlip(slip);
  return verdict(near(value[0]) ? "constant" : "other");
};

// An output that follows from the reader's own weights, which sum to 1.
const followsFromWeights = (part, given, values) => {
  const weights = part.own && values[part.own.field];
  if (!weights || Math.abs(sum(weights) - 1) > part.own.sum_within) return false;
  return given.every((x, column) => {
    const expected = dot(weights, part.own.V.map((row) => row[column]));
    return Math.abs(x - expected) <= part.loose;
  });
};

const vector = (bank, part, values) => {
  const given = values[part.fields[0]];
  const near = (known, within) =>
    given.every((x, i) => Math.abs(x - known[i]) <= within);
  const own = followsFromWeights(part, given, values);
  for (const [within, tag] of [[part.tight, "right"], [part.loose, "rounded"]]) {
    if (near(part.right, within)) return verdict(tag, 1);
    const slip = part.wrong.find(({ value }) => near(value, within));
    if (slip) return own ? verdict("own", part.own.credit) : ofSlip(slip);
  }
  return own ? verdict("own", part.own.credit) : verdict("other");
};

// Bytes that follow from the reader's own entries, which are above 0.
const followFromEntries = (part, given, values) => {
  const entries = part.own && values[part.own.field];
  if (!entries || Math.min(...entries) <= 0) return false;
  const size = part.own.sizes[values[part.own.by]];
  return given.every((x, i) => {
    const bytes = size * entries[i];
    return Math.abs(x - bytes) <= part.relative * size * entries[i];
  });
};

const numbers = (bank, part, values) => {
  const known = caseOf(part, values);
  const given = values[part.fields[0]];
  const slack = part.relative;
  const within = (low, high) =>
    given.every((x, i) => low[i] * (1 - slack) <= x && x <= high[i] * (1 + slack));
  if (within(known.low, known.high)) return RIGHT;
  if (followFromEntries(part, given, values)) return verdict("own", part.own.credit);
  const slip = known.wrong.find(({ value }) => within(value, value));
  return slip ? ofSlip(slip) : verdict("other");
};

const places = (bank, part, values) => {
  const given = values[part.fields[0]];
  const some = given.every((place) => part.right.includes(place));
  if (some && given.length === part.right.length) return RIGHT;
  return some ? verdict("some_places", part.some) : verdict("other_places");
};

// softmax(scale · q Kᵀ) V for each row q.
const attention = (Q, K, V, scale) =>
  Q.map((q) => {
    const scores = K.map((k) => dot(q.map((x) => scale * x), k));
    const most = Math.max(...scores);
    const exponentials = scores.map((s) => Math.exp(s - most));
    const total = sum(exponentials);
    const weights = exponentials.map((x) => x / total);
    return V[0].map((_, column) => dot(weights, V.map((row) => row[column])));
  });

const plus = (A, B) => A.map((row, i) => row.map((x, j) => x + B[i][j]));

const bothSides = ([Q1, Q2], K, V, scale) => [
  attention(plus(Q1, Q2), K, V, scale),
  plus(attention(Q1, K, V, scale), attention(Q2, K, V, scale)),
];

const queries = (bank, { Q1, Q2 }) => {
  if (Q1.length === Q2.length) return [Q1, Q2];
  throw new Refused(bank, "rows_differ", { first: Q1.length, second: Q2.length });
};

const gap = (A, B) =>
  Math.max(...A.flatMap((row, i) => row.map((x, j) => Math.abs(x - B[i][j]))));

// Of each typed side, whether it is the computed one.
const typed = (values, [left, right], within) =>
  [[values.left, left], [values.right, right]].map(
    ([given, side]) => given.length === side.length && gap(given, side) <= within,
  );

const all = (flags) => flags.every(Boolean);

// Attn(0) is not 0, shown with the values of the worked example.
const isZeroProof = (part, values, pair) => {
  if (!part.source_values || !values.left || !values.right) return false;
  if (pair.flat(2).some((x) => x !== 0)) return false;
  const computed = bothSides(pair, part.K, part.source_values, part.scale);
  return all(typed(values, computed, part.within));
};

const pairOfQueries = (bank, part, values) => {
  const pair = queries(bank, values);
  const [left, right] = bothSides(pair, part.K, part.V, part.scale);
  if (gap(left, right) > part.within) return RIGHT;
  return isZeroProof(part, values, pair) ? verdict("zero_query", 1) : verdict("no_gap");
};

const sides = (bank, part, values) => {
  const pair = queries(bank, values);
  const rows = pair[0].length;
  for (const name of ["left", "right"]) {
    const given = values[name].length;
    if (given !== rows) throw new Refused(bank, "side_rows", { name, given, rows });
  }
  const { K, V, scale, within } = part;
  const computed = bothSides(pair, K, V, scale);
  const fits = typed(values, computed, within);
  if (all(fits)) return RIGHT;
  if (isZeroProof(part, values, pair)) return verdict("zero_query", 1);
  if (fits[0]) return verdict("right_wrong");
  if (fits[1]) return verdict("left_wrong");
  if (all(typed(values, [computed[1], computed[0]], within))) {
    return verdict("sides_swapped");
  }
  const slips = part.wrong.map((slip) => [slip.tags[0], V, slip.scale]);
  if (part.source_values) slips.push(["source_values", part.source_values, scale]);
  const slip = slips.find(([, values_, scale_]) =>
    all(typed(values, bothSides(pair, K, values_, scale_), within)),
  );
  return verdict(slip ? slip[0] : "other");
};

export const JUDGES = {
  subscripts, names, choice, formula, vector, numbers, places, sides,
  pair_of_queries: pairOfQueries,
};
