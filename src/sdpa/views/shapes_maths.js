// The numbers behind the view of shapes, and which of them depend on which.

const MOST = 8; // rows and columns of a matrix
const SIZES = ["n", "m", "d_k", "d_v"];

// The matrices in the order in which they can be computed; `stage` is the step that
// makes one, and 0 is given.
const PARTS = {
  Q: { name: "Q", rows: "n", columns: "d_k", hue: "query", stage: 0 },
  Kt: { name: "Kᵀ", rows: "d_k", columns: "m", hue: "key", stage: 0 },
  V: { name: "V", rows: "m", columns: "d_v", hue: "value", stage: 0 },
  QKt: { name: "QKᵀ", rows: "n", columns: "m", hue: "weight", stage: 1 },
  S: { name: "S", rows: "n", columns: "m", hue: "weight", stage: 2 },
  A: { name: "A", rows: "n", columns: "m", hue: "weight", stage: 3 },
  AV: { name: "AV", rows: "n", columns: "d_v", hue: "value", stage: 4 },
};
const MADE = ["Q", "QKt", "S", "A", "AV"]; // what each step makes
const PAIRS = ["QKt", "S", "A"]; // one entry for each query and key
const RULES = {
  none: "nothing hidden",
  causal: "later keys hidden",
  padding: "last key hidden",
  own: "hidden by hand",
};

const grid = (rows, columns, entry) =>
  Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (_, j) => entry(i, j)));

// From −2 to 2 in halves. An entry stays what it is when its matrix grows.
const given = (seed, which, i, j) => (hash(seed, (which * MOST + i) * MOST + j) % 9 - 4) / 2;

const mayAttend = ({ rule, hidden, m }, i, j) =>
  ({ none: true, causal: j <= i, padding: j < m - 1 })[rule] ?? !(hidden[i] & (1 << j));

const compute = (state) => {
  const { n, m, d_k, d_v, seed } = state;
  const Q = grid(n, d_k, (i, c) => given(seed, 0, i, c));
  const Kt = grid(d_k, m, (c, j) => given(seed, 1, j, c));
  const V = grid(m, d_v, (j, e) => given(seed, 2, j, e));
  const seen = grid(n, m, (i, j) => mayAttend(state, i, j));
  const QKt = grid(n, m, (i, j) => dot(Q[i], column(Kt, j)));
  const S = grid(n, m, (i, j) => QKt[i][j] / Math.sqrt(d_k));
  // A hidden score counts as −∞; a row without any other is 0.
  const A = S.map((row, i) =>
    seen[i].some(Boolean)
      ? softmax(row.map((x, j) => (seen[i][j] ? x : -Infinity)))
      : row.map(() => 0));
  const AV = A.map((weights) => average(weights, V));
  return { Q, Kt, V, QKt, S, A, AV, seen };
};

// What is pointed at, within the matrices there are; 0 is a whole row or column.
const pointed = (state) => {
  const part = PARTS[state.part].stage <= state.stage ? state.part : MADE[state.stage];
  let row = whole(state.row, 0, state[PARTS[part].rows]);
  const column = whole(state.column, 0, state[PARTS[part].columns]);
  if (!row && !column) row = 1;
  return { part, row, column };
};

const each = (size, call) => Array.from({ length: size }, (_, i) => call(i + 1));
const keyOf = (part, row, column) => `${part}.${row}.${column}`;

// The entries that stand in the formula of an entry.
const parents = (state, seen, part, i, j) => {
  const { m, d_k } = state;
  const visible = (call) =>
    each(m, (k) => (seen[i - 1][k - 1] ? call(k) : [])).flat();
  if (part === "QKt") {
    return each(d_k, (c) => [keyOf("Q", i, c), keyOf("Kt", c, j)]).flat();
  }
  if (part === "S") return [keyOf("QKt", i, j)];
  if (part === "A") return seen[i - 1][j - 1] ? visible((k) => [keyOf("S", i, k)]) : [];
  if (part === "AV") return visible((k) => [keyOf("A", i, k), keyOf("V", k, j)]);
  return [];
};

// For each entry concerned: "here", a direct "source", an earlier "cause" or an "effect".
const relations = (state, seen) => {
  const { part, row, column } = pointed(state);
  const entries = Object.entries(PARTS).flatMap(([name, { rows, columns }]) =>
    each(state[rows], (i) => each(state[columns], (j) => ({
      part: name, i, j, key: keyOf(name, i, j),
      from: parents(state, seen, name, i, j),
    }))).flat());
  const found = new Map();
  const reached = new Set(["here", "effect"]);
  for (const { part: name, i, j, key, from } of entries) {
    const here = name === part && (!row || i === row) && (!column || j === column);
    if (here) found.set(key, "here");
    else if (from.some((k) => reached.has(found.get(k)))) found.set(key, "effect");
  }
  for (const { key, from } of entries.reverse()) {
    const role = { here: "source", source: "cause", cause: "cause" }[found.get(key)];
    for (const k of role ? from : []) if (!found.has(k)) found.set(k, role);
  }
  return found;
};

const everyNumber = (state) => {
  const all = compute(state);
  const found = {};
  for (const name of SIZES) found[name] = state[name];
  for (const part of Object.keys(PARTS)) {
    all[part].forEach((row, i) =>
      row.forEach((x, j) => (found[keyOf(part, i + 1, j + 1)] = x)));
  }
  return found;
};

// Does what is pointed at hold an entry that is not hidden yet?
const concerns = (state) => {
  const { row, column: at } = pointed(state);
  return (i, j) => (!row || i === row - 1) && (!at || j === at - 1);
};
const hides = (state) =>
  grid(state.n, state.m, (i, j) => concerns(state)(i, j) && mayAttend(state, i, j))
    .flat().some(Boolean);

// The mask after the entries pointed at were hidden or, if all of them were, shown.
const toggled = (state) => {
  const concerned = concerns(state);
  const show = !hides(state);
  const rows = each(MOST, (i) => each(MOST, (j) => {
    const inside = i <= state.n && j <= state.m;
    if (!inside) return 0;
    const hide = concerned(i - 1, j - 1) ? !show : !mayAttend(state, i - 1, j - 1);
    return hide ? 1 << (j - 1) : 0;
  }));
  return { rule: "own", hidden: rows.map((bits) => bits.reduce((a, b) => a | b, 0)) };
};
