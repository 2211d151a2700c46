// The same scores with and without the division by √d_k, while the width grows.
//
// A score is a sum over coordinates: as the width grows, each score walks at random, and
// its spread grows as √d_k. The axis of the walks is √d_k, so that this is a straight
// line.

const WIDE = 320;
const PLOT = { left: 30, right: 262, top: 20, bottom: 140 }; // the walks
const FLOOR = 226; // of the weights
const TALL = 60;
const REACH = { unscaled: 112, scaled: 3.5 }; // 3.5 standard deviations at d_k = 1024
const BINS = 28;
const FINE = 4; // positions of the slider for each unit of √d_k

const xOf = (d_k) =>
  PLOT.left + (PLOT.right - PLOT.left) * Math.sqrt(d_k / WIDEST);
const widthAt = (x) => {
  const root = ((x - PLOT.left) / (PLOT.right - PLOT.left)) * Math.sqrt(WIDEST);
  return whole(root * Math.abs(root), 1, WIDEST);
};
const middle = (PLOT.top + PLOT.bottom) / 2;
const yOf = (side) => (x) => {
  const part = Math.max(-1, Math.min(1, x / REACH[side]));
  return middle - (part * (PLOT.bottom - PLOT.top)) / 2;
};

// The walks of one query with its keys, as one path. Points lie evenly along √d_k.
const walkPath = (data, row, m, side) => {
  const y = yOf(side);
  const walks = new Array(m).fill("");
  const scores = new Float64Array(m);
  let next = 1;
  for (let c = 0; c < WIDEST; c += 1) {
    const [q, k] = [c * data.width + row - 1, c * data.width + ROWS];
    for (let j = 0; j < m; j += 1) scores[j] += data.drawn[q] * data.drawn[k + j];
    if (c + 1 < next) continue;
    next = Math.ceil((Math.sqrt(c + 1) + 1 / FINE) ** 2);
    const unit = side === "scaled" ? Math.sqrt(c + 1) : 1;
    const x = xOf(c + 1).toFixed(1);
    for (let j = 0; j < m; j += 1) {
      walks[j] += `${walks[j] ? "L" : "M"}${x} ${y(scores[j] / unit).toFixed(1)}`;
    }
  }
  return walks.join("");
};

// All scores at this width, as bars that lie against the axis of the walks.
const histogramPath = (rows, side) => {
  const counts = new Array(BINS).fill(0);
  const binOf = (x) => whole(((x / REACH[side] + 1) * BINS) / 2 - 0.5, 0, BINS - 1);
  for (const scores of rows) for (const x of scores) counts[binOf(x)] += 1;
  const tall = (PLOT.bottom - PLOT.top) / BINS;
  const most = Math.max(...counts);
  return counts.map((count, i) => {
    const wide = (count / most) * (WIDE - PLOT.right - 6);
    const top = PLOT.bottom - tall * (i + 1);
    return `M${PLOT.right + 4} ${top}h${wide}v${tall - 0.7}h${-wide}z`;
  }).join("");
};

// Sorted weights of the query shown as bars, medians over all queries as dots.
const weightPaths = (weights, ranks) => {
  const step = (WIDE - PLOT.left) / weights.length;
  const thin = Math.min(step * 0.7, 24);
  const x = (j) => PLOT.left + step * (j + 0.5);
  const y = (a) => FLOOR - TALL * a;
  const bar = (a, j) => `M${x(j) - thin / 2} ${FLOOR}V${y(a)}h${thin}V${FLOOR}z`;
  return {
    bars: Array.from(weights, bar).join(""),
    dots: ranks.map((a, j) => `M${x(j)} ${y(a)}h0`).join(""),
  };
};

const below = (text) => s("tspan", { dy: 3, "font-size": "75%" }, text);

// What does not move: axes, their numbers, and where a score is ±√d_k, scaled ±1.
const scenery = (side) => {
  const y = yOf(side);
  const text = (x, at, words, more = "") =>
    s("text", { class: `small muted ${more}`, x, y: at }, words);
  const [one, top] = side === "scaled" ? [1, 3] : [32, 96];
  const cone = side === "scaled"
    ? `M${PLOT.left} ${y(1)}H${PLOT.right}V${y(-1)}H${PLOT.left}z`
    : `M${PLOT.left} ${middle}L${PLOT.right} ${y(one)}V${y(-one)}z`;
  return [
    s("text", { class: side === "scaled" ? "query" : "key", x: 0, y: 12 },
      ...(side === "scaled" ? ["scaled: q·k / √d", below("k")] : ["unscaled: q·k"])),
    s("path", { class: `cone ${side}`, d: cone }),
    s("path", { class: "axis", d: `M${PLOT.left} ${middle}H${PLOT.right}` }),
    s("path", { class: "axis", d: `M${PLOT.left} ${FLOOR}H${WIDE}` }),
    ...[top, 0, -top].map((x) =>
      text(PLOT.left - 5, y(x) + 4, String(x).replace("-", "−"), "end")),
    ...[64, 256, 1024].map((x) => text(xOf(x), PLOT.bottom + 14, String(x), "middle")),
    text(PLOT.left, PLOT.bottom + 14, "width"),
    text(WIDE, PLOT.bottom + 14, "all", "end"),
    text(PLOT.left - 5, FLOOR - TALL + 9, "1", "end"),
    text(PLOT.left - 5, FLOOR, "0", "end"),
    text((PLOT.left + WIDE) / 2, FLOOR + 14, "keys, by weight", "middle"),
  ];
};

const panel = (side, stage) => {
  const [walks, cursor, histogram, bars, dots] = [
    "walks", "cursor", side === "scaled" ? "query" : "key", "weight", "ranks",
  ].map((name) => s("path", { class: name }));
  const plot = { y: PLOT.top, height: PLOT.bottom - PLOT.top };
  const veil = s("rect", { ...plot, class: "veil" }); // over what is yet to come
  const handle = s("rect", {
    ...plot, class: "handle area", x: PLOT.left, width: PLOT.right - PLOT.left,
  });
  const svg = drawing(WIDE, 242, `${side}: walks and spread of the scores, and weights`,
    ...scenery(side), walks, veil, cursor, histogram, bars, dots, handle);
  pull(handle, svg, ([x]) => stage.set({ d_k: widthAt(x) }));

  const draw = (state, found) => {
    const x = xOf(state.d_k);
    move(cursor, { d: `M${x} ${PLOT.top}V${PLOT.bottom}` });
    move(veil, { x, width: PLOT.right + 1 - x });
    move(histogram, { d: histogramPath(found.rows, side) });
    const paths = weightPaths(found.found[state.row - 1].weights, found.ranks);
    move(bars, { d: paths.bars });
    move(dots, { d: paths.dots });
  };
  const drawWalks = ({ seed, row, m }) =>
    move(walks, { d: walkPath(draws(seed), row, m, side) });
  return { svg, draw, drawWalks };
};

const TABLE = [
  ["spread", "spread of the scores", 2],
  ["largest", "largest weight, median", 3],
  ["effective_keys", "effective keys, median", 2],
  ["gradient_median", "gradient tr J, median", 4],
  ["gradient_mean", "gradient tr J, mean", 4],
  ["deaf", "share without gradient", 2],
];

const table = () => h("table", {},
  h("thead", {}, h("tr", {}, h("th", { scope: "col" }, `over ${ROWS} queries`),
    ...SIDES.map((side) => h("th", { scope: "col" }, side)))),
  h("tbody", {}, ...TABLE.map(([name, text, digits]) => h("tr", {},
    h("th", { scope: "row" }, text),
    ...SIDES.map((side) => h("td", {}, value(`${side}.${name}`, digits)))))));

const controls = (stage) => {
  const width = slider({
    label: h("span", {}, "width ", symbol("d_k")), min: FINE, max: 32 * FINE,
    quantity: "d_k", change: (p) => stage.set({ d_k: Math.round((p / FINE) ** 2) }),
  });
  const keys = slider({
    label: "keys m", min: 2, max: KEYS_AT_MOST, quantity: "m",
    change: (m) => stage.set({ m }),
  });
  const query = slider({
    label: "query", min: 1, max: ROWS, quantity: "row", change: (row) => stage.set({ row }),
  });
  const node = h("div", {}, h("div", { class: "sdpa-three" }, width.node),
    h("div", { class: "sdpa-three" }, keys.node, query.node));
  const set = (state) => {
    width.set(Math.round(Math.sqrt(state.d_k) * FINE), brief(state.d_k));
    keys.set(state.m);
    query.set(state.row);
  };
  return { node, set };
};

const build = (stage) => {
  const sliders = controls(stage);
  const anew = button("New draws", () => stage.set({ seed: stage.state().seed + 1 }));
  const panels = SIDES.map((side) => panel(side, stage));
  stage.body.append(
    sliders.node, h("div", { class: "sdpa-panels" }, ...panels.map(({ svg }) => svg)),
    h("div", { class: "sdpa-row" }, anew,
      h("span", { class: "sdpa-note" }, "walks, bars: one query; edge, dots: all queries")),
    table());

  let walked = "";
  return (state) => {
    const both = measure(state);
    sliders.set(state);
    const walk = [state.seed, state.row, state.m].join();
    panels.forEach((one, i) => {
      if (walk !== walked) one.drawWalks(state);
      one.draw(state, both[SIDES[i]]);
    });
    walked = walk;
  };
};

const view = {
  name: "saturation",
  prompt: "Widen the head. Which scores walk away, and how many keys are left with a say?",
  traits: ["d_k", "m", "row", "seed"],

  clean: (state) => wholes(state, {
    d_k: [1, WIDEST], m: [2, KEYS_AT_MOST], row: [1, ROWS], seed: [0, 9999],
  }),

  shape: () => "",

  quantities,

  build,

  sentence: (state, found) =>
    `At width ${state.d_k} the scores spread by ${spoken(found["unscaled.spread"], 1)}; `
    + `half of the queries use at most ${spoken(found["unscaled.effective_keys"], 1)} of `
    + `${state.m} keys. Divided by √d_k they spread by ${spoken(found["scaled.spread"], 1)}, `
    + `and ${spoken(found["scaled.effective_keys"], 1)} keys share.`,
};

export default { render: (place) => openView(place, view) };
