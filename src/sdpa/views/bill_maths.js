// The bill of attention in whole numbers without limit, and how to say them.

const BYTES = { fp64: 8, fp32: 4, fp16: 2, bf16: 2 }; // as in sdpa.cost
const LONGEST = 2 ** 20;
const FEWEST = 64; // width of the narrowest layer
const WIDEST_LAYER = 2 ** 14;
const MOST_HEADS = 128;
const BLOCKS = [64, 128, 256, 512, 1024, 2048, 4096];

// Sizes to compare with; sdpa.views.bill says where they come from.
const NAMES = { cache: "L2 cache", phone: "phone", accelerator: "accelerator" };
const FAMILIAR = { cache: 2n ** 20n, phone: 8n * 10n ** 9n, accelerator: 80n * 10n ** 9n };

const least = (a, b) => (a < b ? a : b);

// The bill of one layer in whole numbers without limit. Names are those of sdpa.Cost.
const billOf = (design) => {
  const { T, d, h: heads, dtype, mac, streaming, block, projections } = design;
  const [n, width, copies, c] = [T, d / heads, heads, mac].map(BigInt);
  const size = BigInt(BYTES[dtype]);
  const step = BigInt(block);
  const later = streaming ? (n + step - 1n) / step - 1n : 0n;
  const product = c * copies * n * n * width;
  const found = {
    matmuls: 2n * product,
    softmax: copies * n * (5n * n - 2n + (streaming ? width : n))
      + copies * n * later * (width + 3n),
    projections: projections ? 4n * c * n * BigInt(d) * BigInt(d) : 0n,
    score_bytes: size * n * (streaming ? least(step, n) : copies * n),
    tensor_bytes: size * copies * 4n * n * width,
  };
  const core = found.matmuls + found.softmax;
  const moved = found.tensor_bytes + (streaming ? 0n : 4n * found.score_bytes);
  return {
    ...found,
    flops: core + found.projections,
    bytes_moved: moved,
    intensity: Number(core) / Number(moved),
  };
};

// What the bill may be compared with.
const OTHERS = {
  one: { text: "one head", change: () => ({ h: 1 }) },
  way: { text: "the other way", change: ({ streaming }) => ({ streaming: !streaming }) },
  twice: { text: "twice the length", change: ({ T }) => ({ T: 2 * T }) },
};
const otherOf = (state) => ({ ...state, ...OTHERS[state.beside].change(state) });

const ROWS_OF_BILL = [
  ["matmuls", "QKᵀ and AV", "flops"],
  ["softmax", "scale and softmax", "flops"],
  ["projections", "projections", "flops"],
  ["flops", "together", "flops"],
  ["score_bytes", "scores held at once", "bytes"],
  ["tensor_bytes", "Q, K, V and output", "bytes"],
  ["bytes_moved", "memory traffic", "bytes"],
];

const quantities = (state) => {
  const found = { T: BigInt(state.T), d: BigInt(state.d), h: BigInt(state.h) };
  for (const [side, design] of [["this", state], ["beside", otherOf(state)]]) {
    for (const [name, x] of Object.entries(billOf(design))) found[`${side}.${name}`] = x;
  }
  for (const [name, x] of Object.entries(FAMILIAR)) found[`familiar.${name}`] = x;
  return found;
};

// Words ---------------------------------------------------------------------

const UNITS = {
  1024: ["B", "KiB", "MiB", "GiB", "TiB", "PiB"],
  1000: ["B", "kB", "MB", "GB", "TB", "PB"],
};

const inUnits = (x, base) => {
  const size = Number(x);
  const step = Math.min(5, Math.floor(Math.log(size) / Math.log(base) + 1e-12));
  return `${brief(size / base ** step)} ${UNITS[base][step]}`;
};
const bytesIn = (x) => `${inUnits(x, 1024)} · ${inUnits(x, 1000)}`;

const SUPER = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const power = (x) => [...String(x)].map((digit) => SUPER[digit]).join("");
const scientific = (x) => {
  const [digits, exponent] = Number(x).toExponential(2).split("e+");
  return `${digits}·10${power(exponent)}`;
};

// How one number stands to another: "same", "× 12", "÷ 4", "+1.1 %".
const ratioText = (a, b) => {
  const ratio = Number(a) / Number(b);
  if (a === b || !Number.isFinite(ratio)) return "same";
  if (ratio >= 1.5) return `× ${brief(ratio)}`;
  if (ratio <= 1 / 1.5) return `÷ ${brief(1 / ratio)}`;
  return `${ratio > 1 ? "+" : ""}${spoken(100 * (ratio - 1), 1)} %`;
};
const inWords = (text) =>
  text.replace("same", "the same").replace(/^× (.*)/, "$1 times as much")
    .replace(/^÷ (.*)/, "a $1th as much");

const heads = (count) => (count === 1 ? "one head" : `${count} heads`);
const nameOf = ({ T, h: count, streaming, beside }) => ({
  one: heads(count),
  way: streaming ? "in blocks" : "all at once",
  twice: `T = ${grouped(T)}`,
})[beside];
