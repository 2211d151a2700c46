// Shared by all live views; see _sources.py for how the files are put together.

// Mathematics ---------------------------------------------------------------

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

const column = (matrix, j) => matrix.map((row) => row[j]);

// Softmax of one row. The largest score becomes 0 first, so that exp cannot overflow.
const softmax = (scores) => {
  const top = Math.max(...scores);
  const powers = scores.map((s) => Math.exp(s - top));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((p) => p / sum);
};

// Weighted average of rows: one row of A times V.
const average = (weights, rows) => rows[0].map((_, j) => dot(weights, column(rows, j)));

// In nats; a weight of 0 counts 0, its limit.
const entropy = (weights) =>
  -weights.reduce((sum, a) => sum + (a > 0 ? a * Math.log(a) : 0), 0);

// Convex hull of points in the plane, counter-clockwise, by Andrew's monotone chain.
const hull = (points) => {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const cross = (o, a, b) =>
    (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list) => {
    const chain = [];
    for (const p of list) {
      while (chain.length > 1 && cross(chain.at(-2), chain.at(-1), p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  const around = [...half(sorted), ...half(sorted.reverse())];
  return around.length ? around : sorted; // a single point
};

// Numbers drawn from a seed, the same as in sdpa/views/_draws.py.
const mix = (x) => {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
};

// 32 bits for a seed and an index.
const hash = (seed, index) => mix(Math.imul(index, 0x9e3779b9) ^ mix(seed + 1));

// Standard Gaussians, two from each two hashes (Box and Muller).
const gaussians = (seed, count) => {
  const drawn = new Float64Array(count);
  for (let i = 0; i < count; i += 2) {
    const length = Math.sqrt(-2 * Math.log((hash(seed, i) + 0.5) / 2 ** 32));
    const angle = 2 * Math.PI * ((hash(seed, i + 1) + 0.5) / 2 ** 32);
    drawn[i] = length * Math.cos(angle);
    drawn[i + 1] = length * Math.sin(angle);
  }
  return drawn;
};

// The nearest whole number from `low` to `high`.
const whole = (x, low, high) => Math.min(high, Math.max(low, Math.round(x)));

// The state with whole numbers within limits, or null when something is no number.
const wholes = (state, limits) => {
  const next = { ...state };
  for (const [name, [low, high]] of Object.entries(limits)) {
    if (!Number.isFinite(state[name])) return null;
    next[name] = whole(state[name], low, high);
  }
  return next;
};

// Numbers as text -----------------------------------------------------------

// Fixed decimals with an ASCII minus, which programs can read; never "-0.000".
const decimals = (x, digits = 3) => {
  if (!Number.isFinite(x)) return x > 0 ? "∞" : x < 0 ? "-∞" : "–";
  return x.toFixed(digits).replace(/^-(0(?:\.0*)?)$/, "$1");
};

// As few digits as say it: 0.1, 2.5, 300, 1024.
const brief = (x) => {
  if (!Number.isFinite(x)) return decimals(x);
  return String(Number.isInteger(x) ? x : +x.toPrecision(3));
};

// Whole numbers, by thousands: 1,048,576.
const grouped = (x) => String(x).replace(/\B(?=(\d{3})+$)/g, ",");

// Three decimals, or a power of ten where these would say nothing.
const small = (x) => (x && Math.abs(x) < 1e-3 ? x.toExponential(1) : decimals(x));

// For sentences: a real minus sign.
const spoken = (x, digits = 3) => decimals(x, digits).replace("-", "−");

// The keys with the largest weight; rounding does not break a tie.
const largest = (weights) => {
  const top = Math.max(...weights);
  return weights.flatMap((a, i) => (top - a < 1e-9 ? [i] : []));
};

// "Key 2", or "Keys 1, 3 and 5".
const listed = (indices) => {
  const numbers = indices.map((i) => i + 1);
  const last = numbers.pop();
  return numbers.length ? `Keys ${numbers.join(", ")} and ${last}` : `Key ${last}`;
};
