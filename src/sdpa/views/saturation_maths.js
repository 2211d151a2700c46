// Scores of a growing width, and how saturated their softmax is.

const ROWS = 100; // queries
const KEYS_AT_MOST = 32;
const WIDEST = 1024;
const STRIDE = 32; // coordinates between two sums that are kept
const NEGLIGIBLE = 0.01; // as in sdpa.saturation

// Queries, then keys, coordinate by coordinate; and every 32 coordinates the scores so
// far. A change of the width adds at most 31 products to each score, whatever the width.
const drawAll = (seed) => {
  const drawn = gaussians(seed, WIDEST * (ROWS + KEYS_AT_MOST));
  const width = ROWS + KEYS_AT_MOST;
  const sums = [new Float64Array(ROWS * KEYS_AT_MOST)];
  for (let c = 0; c < WIDEST; c += 1) {
    if (c % STRIDE === 0 && c > 0) sums.push(sums.at(-1).slice());
    addCoordinate(sums.at(-1), drawn, c * width);
  }
  // sums[k] now holds the scores of width (k + 1)·STRIDE; in front goes width 0.
  sums.unshift(new Float64Array(ROWS * KEYS_AT_MOST));
  return { seed, drawn, width, sums, products: 0 };
};

const addCoordinate = (scores, drawn, start) => {
  for (let i = 0, at = 0; i < ROWS; i += 1) {
    const q = drawn[start + i];
    for (let j = 0; j < KEYS_AT_MOST; j += 1, at += 1) {
      scores[at] += q * drawn[start + ROWS + j];
    }
  }
};

let latest = null;
const draws = (seed) => (latest?.seed === seed ? latest : (latest = drawAll(seed)));

// Scores q·k of width d_k, a row for each query; `products` counts what that took.
const scoresAt = (data, d_k, m) => {
  const kept = Math.floor(d_k / STRIDE);
  const scores = data.sums[kept].slice();
  data.products = 0;
  for (let c = kept * STRIDE; c < d_k; c += 1) {
    addCoordinate(scores, data.drawn, c * data.width);
    data.products += scores.length;
  }
  return Array.from({ length: ROWS }, (_, i) =>
    scores.subarray(i * KEYS_AT_MOST, i * KEYS_AT_MOST + m));
};

// Weights of a row of scores in falling order, and how saturated they are. What is 1 less the
// winner is summed from the others, so that it is right even where it is 1e-100.
const measureRow = (sorted) => {
  const m = sorted.length;
  const floor = (NEGLIGIBLE * (1 - 1 / m)) / m;
  const weights = new Float64Array(m);
  let total = 0;
  for (let j = 0; j < m; j += 1) total += weights[j] = Math.exp(sorted[j] - sorted[0]);
  let [rest, squares, nats, deaf] = [0, 0, 0, 0];
  for (let j = 0; j < m; j += 1) {
    const a = (weights[j] /= total);
    if (a > 0) nats -= a * Math.log(a);
    if (j === 0) continue;
    rest += a;
    squares += a * a;
    if (a * (1 - a) < floor) deaf += 1;
  }
  if (weights[0] * rest < floor) deaf += 1;
  return {
    weights,
    largest: weights[0],
    effective_keys: Math.exp(nats),
    gradient: rest * (1 + weights[0]) - squares,
    deaf: deaf / m,
  };
};

const median = (numbers) => {
  const sorted = Float64Array.from(numbers).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};
const mean = (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length;

const spreadOf = (rows) => {
  const count = rows.length * rows[0].length;
  let [middle, squares] = [0, 0];
  for (const row of rows) for (let j = 0; j < row.length; j += 1) middle += row[j] / count;
  for (const row of rows) {
    for (let j = 0; j < row.length; j += 1) squares += (row[j] - middle) ** 2;
  }
  return Math.sqrt(squares / count);
};

const measureAll = (rows) => {
  const found = rows.map(measureRow);
  const take = (name) => found.map((row) => row[name]);
  return {
    rows,
    found,
    ranks: Array.from(rows[0], (_, j) => median(found.map((row) => row.weights[j]))),
    spread: spreadOf(rows),
    largest: median(take("largest")),
    effective_keys: median(take("effective_keys")),
    gradient_median: median(take("gradient")),
    gradient_mean: mean(take("gradient")),
    deaf: mean(take("deaf")),
  };
};

const MEASURES = [
  "spread", "largest", "effective_keys", "gradient_median", "gradient_mean", "deaf",
];
const SIDES = ["unscaled", "scaled"];

// Everything for one state; the sentence and the drawing ask for the same again.
let measured = { key: "" };
const measure = ({ d_k, m, row, seed }) => {
  const key = [d_k, m, row, seed].join();
  if (measured.key === key) return measured;
  const data = draws(seed);
  const unscaled = scoresAt(data, d_k, m).map((scores) => scores.sort().reverse());
  const scaled = unscaled.map((scores) => scores.map((x) => x / Math.sqrt(d_k)));
  measured = { key, unscaled: measureAll(unscaled), scaled: measureAll(scaled) };
  return measured;
};

const quantities = (state) => {
  const both = measure(state);
  const found = { d_k: state.d_k, m: state.m, row: state.row };
  for (const side of SIDES) {
    for (const name of MEASURES) found[`${side}.${name}`] = both[side][name];
    const { weights } = both[side].found[state.row - 1];
    weights.forEach((a, j) => (found[`${side}.weights.${j + 1}`] = a));
    both[side].ranks.forEach((a, j) => (found[`${side}.ranks.${j + 1}`] = a));
  }
  return found;
};
