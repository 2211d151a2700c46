// Soft lookup from hard (temperature 0) to uniform (temperature ∞).

const REACH = 4; // the scores that the drawing has room for

// Divide scores by a temperature; at its ends this is the limit of the formula.
const cooled = (scores, temperature) => {
  const top = Math.max(...scores);
  if (temperature === 0) return scores.map((x) => (x < top ? -Infinity : 0));
  if (temperature === Infinity) return scores.map(() => 0);
  return scores.map((x) => (x - top) / temperature);
};

// The slider: its ends are 0 and ∞, and 30 positions are a factor of ten.
const END = 50;
const temperatureAt = (position) =>
  Math.abs(position) < END
    ? +(10 ** (position / 30)).toPrecision(2)
    : position < 0 ? 0 : Infinity;
const positionOf = (temperature) =>
  Math.max(-END, Math.min(END, Math.round(30 * Math.log10(temperature))));

// JSON has no word for ∞.
const read = (temperature) => (temperature === "inf" ? Infinity : temperature);
const write = (temperature) => (temperature === Infinity ? "inf" : temperature);

const lookup = (state) => {
  const weights = softmax(cooled(state.scores, read(state.temperature)));
  const found = { temperature: read(state.temperature) };
  state.scores.forEach((x, i) => (found[`scores.${i + 1}`] = x));
  weights.forEach((a, i) => (found[`weights.${i + 1}`] = a));
  average(weights, state.values).forEach((x, j) => (found[`output.${j + 1}`] = x));
  found.entropy = entropy(weights);
  found.effective_keys = Math.exp(found.entropy);
  return found;
};

// Two drawings with one column a key: what is above the fields, and what is below.
const WIDE = 320;
const middle = (i, count) => (WIDE / count) * (i + 0.5);

// Scores as pins that can be pulled.
const pins = (stage, count) => {
  const [zero, unit] = [68, 13];
  const svg = drawing(
    WIDE, 124, "Scores, a pin for each key",
    s("text", { x: 0, y: 11, class: "key" }, "score s"),
    s("path", { class: "axis", d: `M0 ${zero}H${WIDE}` }),
  );
  const parts = Array.from({ length: count }, (_, i) => {
    const stem = s("path", { class: "line key", "stroke-width": 3 });
    const knob = s(
      "g", { class: "handle" },
      s("circle", { class: "reach", r: 22 }), s("circle", { class: "key", r: 8 }),
    );
    pull(knob, svg, ([, y]) => {
      const score = Math.max(-REACH, Math.min(REACH, (zero - y) / unit));
      stage.set({ scores: stage.state().scores.with(i, Math.round(score * 10) / 10) });
    });
    svg.append(stem, knob);
    return { stem, knob };
  });
  const draw = (scores) =>
    parts.forEach(({ stem, knob }, i) => {
      const [x, y] = [middle(i, count), zero - unit * scores[i]];
      move(stem, { d: `M${x} ${zero}V${y}` });
      move(knob, { transform: `translate(${x} ${y})` });
    });
  return { svg, draw };
};

// Weights as bars; the dashed line is where all of them would be alike.
const bars = (count) => {
  const [floor, tall] = [112, 84];
  const svg = drawing(
    WIDE, 130, "Weights, a bar for each key",
    s("text", { x: 0, y: 11, class: "weight" }, "weight α = softmax(s / τ)"),
    s("path", { class: "grid dashed", d: `M0 ${floor - tall / count}H${WIDE}` }),
    s("path", { class: "axis", d: `M0 ${floor}H${WIDE}` }),
  );
  const parts = Array.from({ length: count }, (_, i) => {
    const x = middle(i, count);
    const bar = s("rect", { class: "weight", x: x - 15, width: 30, rx: 2 });
    const number = valueIn(`weights.${i + 1}`, { class: "middle halo", x });
    const name = s("text", { class: "middle muted", x, y: 127 }, `key ${i + 1}`);
    svg.append(bar, number, name);
    return { bar, number };
  });
  const draw = (weights) =>
    parts.forEach(({ bar, number }, i) => {
      const y = floor - tall * weights[i];
      move(bar, { y, height: floor - y });
      move(number, { y: y - 5 });
    });
  return { svg, draw };
};

const view = {
  name: "temperature",
  prompt: "Cool it to 0, then heat it to ∞.",
  traits: ["scores", "values", "temperature"],

  clean: (state) => {
    const temperature = read(state.temperature);
    const good = temperature >= 0
      && state.scores.length === state.values.length
      && state.scores.every((x) => Math.abs(x) <= REACH)
      && state.values.every((row) => row.length === 2);
    return good ? { ...state, temperature: write(temperature) } : null;
  },

  shape: (state) => String(state.scores.length),

  quantities: lookup,

  build: (stage, { scores }) => {
    const dial = slider({
      label: "temperature τ", min: -END, max: END, quantity: "temperature",
      change: (position) => stage.set({ temperature: write(temperatureAt(position)) }),
    });
    const ends = h("div", { class: "sdpa-ends", "aria-hidden": "true" },
      h("span", {}, "0 hard"), h("span", {}, "1"), h("span", {}, "uniform ∞"));
    dial.node.append(ends);
    const above = pins(stage, scores.length);
    const below = bars(scores.length);
    const fields = scores.map((_, i) => field({
      label: `score of key ${i + 1}`, hidden: true, min: -REACH, max: REACH,
      quantity: `scores.${i + 1}`,
      change: (x) => stage.set({ scores: stage.state().scores.with(i, x) }),
    }));
    const plane = valuesPlane();
    const numbers = h("div", {},
      readout("output", "(", value("output.1"), ", ", value("output.2"), ")"),
      readout("effective keys", value("effective_keys", 2), ` of ${scores.length}`),
      readout("entropy", value("entropy", 2), " nats"));
    stage.body.append(dial.node, h("div", { class: "sdpa-panels" },
      h("div", {}, above.svg,
        h("div", { class: "sdpa-scores" }, ...fields.map((one) => one.node)),
        below.svg),
      h("div", { class: "sdpa-beside" }, plane.svg, numbers)));
    return (state, found) => {
      const weights = state.scores.map((_, i) => found[`weights.${i + 1}`]);
      dial.set(positionOf(found.temperature), brief(found.temperature));
      fields.forEach((one, i) => one.set(state.scores[i]));
      above.draw(state.scores);
      below.draw(weights);
      plane.draw(state.values, weights, [found["output.1"], found["output.2"]]);
    };
  },

  sentence: (state, found) => {
    const weights = state.scores.map((_, i) => found[`weights.${i + 1}`]);
    const best = largest(weights);
    const most = `${best.length > 1 ? "have" : "has"} ${spoken(100 * weights[best[0]], 1)} %`
      + ` of the weight${best.length > 1 ? " each" : ""}`;
    return `At temperature ${brief(found.temperature)}, ${listed(best).toLowerCase()} `
      + `${most}; the answer is (${spoken(found["output.1"])}, `
      + `${spoken(found["output.2"])}).`;
  },
};

export default { render: (place) => openView(place, view) };
