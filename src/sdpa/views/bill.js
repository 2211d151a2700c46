// What attention costs: exact whole numbers, as bars on logarithmic axes.

const RANGE = { flops: [4, 18], bytes: [3, 17] }; // powers of ten
const share = (kind, x) => {
  const [from, to] = RANGE[kind];
  const at = x > 0n ? (Math.log10(Number(x)) - from) / (to - from) : 0;
  return `${(100 * Math.min(1, Math.max(0.005, at))).toFixed(2)}%`;
};

// Where the familiar sizes lie, with their names or as bare lines.
const rulers = (named) => Object.entries(NAMES).map(([name, text]) =>
  h("i", { class: `sdpa-ruler ${name}`, style: `left: ${share("bytes", FAMILIAR[name])}` },
    named ? h("span", {}, text) : null));

// One bar, with its number in short and in full.
const track = (name, side, kind) => {
  const bar = h("span", { class: `sdpa-fill ${side}` });
  const words = h("span", {});
  const exact = h("span", { class: "sdpa-number", "data-value": `${side}.${name}` });
  const node = h("div", { class: "sdpa-track" }, bar,
    ...(kind === "bytes" ? rulers(false) : []), words, exact);
  const draw = (x) => {
    bar.style.width = share(kind, x);
    words.textContent = kind === "bytes" ? bytesIn(x) : scientific(x);
  };
  return { node, draw };
};

// One quantity: a bar for this bill and one for the other.
const barRow = ([name, text, kind]) => {
  const ratio = h("span", { class: "sdpa-note" });
  const [mine, other] = ["this", "beside"].map((side) => track(name, side, kind));
  const node = h("div", { class: "sdpa-quantity" },
    h("div", {}, h("span", {}, text), ratio), mine.node, other.node);
  const draw = (found) => {
    mine.draw(found[`this.${name}`]);
    other.draw(found[`beside.${name}`]);
    ratio.textContent = ratioText(found[`this.${name}`], found[`beside.${name}`]);
  };
  return { name, kind, node, draw };
};

// Positions of the sliders: powers of two; for widths half-way steps as well.
const LENGTHS = Array.from({ length: 14 }, (_, i) => 2 ** (i + 7));
const WIDTHS = LENGTHS.flatMap((x) => [x / 2, (x / 4) * 3]).filter((x) => x <= WIDEST_LAYER);
const divisors = (d) =>
  Array.from({ length: MOST_HEADS }, (_, i) => i + 1).filter((count) => d % count === 0);
// Where in a list the number is that comes nearest by ratio.
const nearest = (list, x) => {
  const away = list.map((y) => Math.abs(Math.log(y / x)));
  return away.indexOf(Math.min(...away));
};

const PRESETS = {
  "small Transformer": { T: 1024, d: 768, h: 12, dtype: "fp16" },
  "self-test (e)": { T: 4096, d: 4096, h: 32, dtype: "fp16", mac: 2, projections: false,
    streaming: false, beside: "one" },
};

const sizeSliders = (stage) => {
  const over = (label, quantity, list) => slider({
    label, min: 0, max: list(stage.state()).length - 1, quantity,
    change: (i) => stage.set({ [quantity]: list(stage.state())[i] }),
  });
  const lists = { T: () => LENGTHS, d: () => WIDTHS, h: ({ d }) => divisors(d) };
  const labels = { T: "length T", d: "width d", h: "heads h" };
  const all = Object.keys(lists).map((name) => [name, over(labels[name], name, lists[name])]);
  const node = h("div", { class: "sdpa-three" }, ...all.map(([, one]) => one.node));
  const set = (state) => all.forEach(([name, one]) => {
    const list = lists[name](state);
    one.input.max = list.length - 1;
    one.set(nearest(list, state[name]), grouped(state[name]));
  });
  return { node, set };
};

const options = (stage) => {
  // What a select gives is text; `read` makes a part of the state of it.
  const select = (name, label, pairs, read = (x) => x) => ({ name, ...choice({
    label, options: pairs, change: (x) => stage.set({ [name]: read(x) }),
  }) });
  const same = (list) => list.map((x) => [String(x), String(x)]);
  const all = [
    select("streaming", "scores", [["false", "all at once"], ["true", "in blocks"]],
      (x) => x === "true"),
    select("block", "keys in a block", same(BLOCKS), Number),
    select("dtype", "numbers", same(Object.keys(BYTES))),
    select("mac", "multiply-add", [["2", "2 FLOPs"], ["1", "1 FLOP"]], Number),
    select("projections", "projections", [["false", "left out"], ["true", "counted"]],
      (x) => x === "true"),
    select("beside", "beside it",
      Object.entries(OTHERS).map(([key, { text }]) => [key, text])),
  ];
  const presets = Object.entries(PRESETS).map(([text, change]) =>
    button(text, () => stage.set(change)));
  const node = h("div", {},
    h("div", { class: "sdpa-options" }, ...all.map((one) => one.node)),
    h("div", { class: "sdpa-row" }, ...presets));
  const set = (state) => all.forEach((one) => {
    one.set(String(state[one.name]));
    if (one.name === "block") one.node.hidden = !state.streaming && state.beside !== "way";
  });
  return { node, set };
};

const build = (stage) => {
  const controls = [sizeSliders(stage), options(stage)];
  const rows = ROWS_OF_BILL.map(barRow);
  const legend = h("p", { class: "sdpa-legend", "aria-hidden": "true" });
  const group = (kind, title, ...more) => h("div", { class: "sdpa-bars" },
    h("p", { class: "sdpa-title" }, title), ...more,
    ...rows.filter((row) => row.kind === kind).map((row) => row.node));
  const memory = group("bytes", "Memory in bytes",
    h("div", { class: "sdpa-names", "aria-hidden": "true" }, ...rulers(true)));
  memory.append(h("div", { class: "sdpa-readout" }, h("span", {}, "FLOPs per byte"),
    h("span", {}, value("this.intensity", 1), " beside ", value("beside.intensity", 1))));
  stage.body.append(...controls.map(({ node }) => node), legend, h("div",
    { class: "sdpa-panels" }, group("flops", "Arithmetic in FLOPs"), memory));
  return (state, found) => {
    controls.forEach((one) => one.set(state));
    legend.replaceChildren(
      h("span", {}, h("i", { class: "this" }), nameOf(state)),
      h("span", {}, h("i", { class: "beside" }), nameOf(otherOf(state))),
      h("span", {}, "a step of the scale is ten times as much"));
    for (const row of rows) {
      row.draw(found);
      row.node.hidden = row.name === "projections" && !state.projections;
    }
  };
};

const view = {
  name: "bill",
  prompt: "Move the heads h. Which bars stay where they are?",
  traits: ["T", "d", "h", "dtype", "mac", "projections", "streaming", "block", "beside"],

  clean: (state) => {
    const next = wholes(state, {
      T: [1, LONGEST], d: [FEWEST, WIDEST_LAYER], h: [1, MOST_HEADS], mac: [1, 2],
      block: [1, LONGEST],
    });
    const known = Object.hasOwn(BYTES, state.dtype) && Object.hasOwn(OTHERS, state.beside);
    if (!next || !known) return null;
    const counts = divisors(next.d);
    return { ...next, h: counts[nearest(counts, next.h)] };
  },

  shape: () => "",

  quantities,

  build,

  sentence: (state, found) => {
    const [one, two] = [nameOf(state), nameOf(otherOf(state))];
    const [flops, bytes] = ["matmuls", "score_bytes"].map((name) =>
      inWords(ratioText(found[`this.${name}`], found[`beside.${name}`])));
    return `The products take ${grouped(found["this.matmuls"])} FLOPs, the scores `
      + `${inUnits(found["this.score_bytes"], 1024)} at once. ${one} beside ${two}: products `
      + `${flops}, scores ${bytes}.`;
  },
};

export default { render: (place) => openView(place, view) };
