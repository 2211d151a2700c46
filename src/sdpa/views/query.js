// A query that can be pulled over keys, and the output among the values.

const LIMIT = 2; // coordinates of q and K, as far as the drawing reaches
const FAR = 100; // coordinates of V

const length = (x) => Math.hypot(...x);

// Each similarity gives one score for a query and a key, from the state's parameters.
const SIMILARITIES = {
  scaled: dot,
  dot,
  cosine: (q, k) => {
    const size = length(q) * length(k);
    return size ? Math.max(-1, Math.min(1, dot(q, k) / size)) : 0;
  },
  additive: (q, k, { w, W_q, W_k }) =>
    w.reduce((sum, x, i) => sum + x * Math.tanh(dot(W_q[i], q) + dot(W_k[i], k)), 0),
};
const NAMES = [
  ["scaled", "scaled dot"],
  ["dot", "dot"],
  ["cosine", "cosine"],
  ["additive", "additive"],
];

const attend = (state) => {
  const { q, K, V, similarity } = state;
  const scale = similarity === "scaled" ? 1 / Math.sqrt(q.length) : 1;
  const scores = K.map((k) => SIMILARITIES[similarity](q, k, state));
  const scaled = scores.map((x) => scale * x);
  const weights = softmax(scaled);
  const found = { scale };
  const keep = (name, row) => row.forEach((x, i) => (found[`${name}.${i + 1}`] = x));
  keep("q", q);
  K.forEach((k, i) => keep(`K.${i + 1}`, k));
  V.forEach((v, i) => keep(`V.${i + 1}`, v));
  keep("scores", scores);
  keep("scaled", scaled);
  keep("weights", weights);
  keep("output", average(weights, V));
  return found;
};

const weightsOf = (state, found) => state.K.map((_, i) => found[`weights.${i + 1}`]);

const within = (x) => Math.max(-LIMIT, Math.min(LIMIT, Math.round(x * 10) / 10)) + 0;

// A dot at the tip of a vector: it is pulled, or steered by arrow keys.
const tip = (label, radius, role, { svg, scale, get, put }) => {
  const node = s(
    "g",
    { class: "handle", role: "slider", tabindex: 0, "aria-label": label,
      "aria-valuemin": -LIMIT, "aria-valuemax": LIMIT, ...KEYS },
    s("circle", { class: "reach", r: 20 }),
    s("circle", { class: "ring", r: radius + 4 }),
    s("circle", { class: `${role} halo`, r: radius }),
  );
  pull(node, svg, (point) => put(scale.point(point).map(within)));
  steer(node, 0.1, ([dx, dy]) => put([within(get()[0] + dx), within(get()[1] + dy)]));
  const draw = ([x, y]) => move(node, {
    transform: `translate(${scale.x(x)} ${scale.y(y)})`,
    "aria-valuenow": x,
    "aria-valuetext": `(${brief(x)}, ${brief(y)})`,
  });
  return { node, draw };
};

// Query and keys from the origin. The wider a key's line, the more weight it has.
const keysPlane = (stage, count) => {
  const size = 200;
  const edge = [[-LIMIT, -LIMIT], [LIMIT, LIMIT]];
  const scale = planeScale(edge, size, 12);
  const svg = drawing(size, size, "Query and keys; arrow keys move what is focused");
  svg.style.maxWidth = "20rem"; // as large as there is room: it is pulled at
  const [left, middle, right] = [-LIMIT, 0, LIMIT].map(scale.x);
  const grid = [-2, -1, 1, 2].map((x) =>
    `M${scale.x(x)} ${left}V${right}M${left} ${scale.y(x)}H${right}`).join("");
  const zero = s("path", { class: "line muted dashed" });
  svg.append(
    s("path", { class: "grid", d: grid }),
    s("path", {
      class: "axis", d: `M${middle} ${left}V${right}M${left} ${middle}H${right}`,
    }),
    zero,
  );
  const arrow = (name, role, radius, get, put) => {
    const line = s("path", { class: `line ${role}` });
    const text = s("text", { class: `${role} halo` }, name);
    const label = role === "query" ? "query q" : `key ${name.slice(1)}`;
    const knob = tip(label, radius, role, { svg, scale, get, put });
    return { line, text, knob };
  };
  const keys = Array.from({ length: count }, (_, i) =>
    arrow(`k${i + 1}`, "key", 8, () => stage.state().K[i],
      (k) => stage.set({ K: stage.state().K.with(i, k) })));
  const query = arrow("q", "query", 5.5, () => stage.state().q, (q) => stage.set({ q }));
  const all = [...keys, query];
  for (const part of ["line", "text"]) svg.append(...all.map((one) => one[part]));
  svg.append(...all.map((one) => one.knob.node));

  const place = ({ line, text, knob }, [x, y], width, [dx, dy]) => {
    const [tipX, tipY] = [scale.x(x), scale.y(y)];
    move(line, { d: `M${middle} ${middle}L${tipX} ${tipY}`, "stroke-width": width });
    move(text, { x: tipX + dx, y: tipY + dy });
    knob.draw([x, y]);
  };
  const draw = ({ q, K, similarity }, weights) => {
    keys.forEach((one, i) => place(one, K[i], 0.8 + 10 * weights[i], [9, -9]));
    place(query, q, 2.2, [7, 19]);
    // Keys on this line score 0, those on the query's side more.
    const size = length(q);
    const [x, y] = size ? [-q[1] / size, q[0] / size].map((u) => u * LIMIT) : [0, 0];
    const shown = similarity !== "additive" && size > 0;
    move(zero, {
      d: `M${scale.x(-x)} ${scale.y(-y)}L${scale.x(x)} ${scale.y(y)}`,
      visibility: shown ? "visible" : "hidden",
    });
  };
  return { svg, draw };
};

const table = (count) => {
  const rows = Array.from({ length: count }, (_, i) => h(
    "tr", {}, h("th", { scope: "row" }, `k${i + 1}`),
    ...["scores", "scaled", "weights"].map((name) =>
      h("td", {}, value(`${name}.${i + 1}`))),
  ));
  const heads = ["score", ["× ", value("scale")], "weight"];
  const head = h("tr", {}, h("th", { scope: "col" }, "key"),
    ...heads.map((text) => h("th", { scope: "col" }, ...[text].flat())));
  const node = h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows));
  const draw = (best) =>
    rows.forEach((row, i) => row.classList.toggle("largest", best.includes(i)));
  return { node, draw };
};

// Fields for the two coordinates of one vector of the state.
const pair = (label, quantity, limit, get, put) => {
  const fields = [0, 1].map((j) => field({
    label: `${label}, coordinate ${j + 1}`, hidden: true, min: -limit, max: limit,
    quantity: `${quantity}.${j + 1}`, change: (x) => put(get().with(j, x)),
  }));
  const name = h("span", { "aria-hidden": "true" }, label);
  const node = h("span", { class: "sdpa-field" }, name, ...fields.map((one) => one.node));
  return { node, draw: () => fields.forEach((one, j) => one.set(get()[j])) };
};

const pairs = (stage, count, name, limit) =>
  Array.from({ length: count }, (_, i) => pair(
    `${name[0].toLowerCase()}${i + 1}`, `${name}.${i + 1}`, limit,
    () => stage.state()[name][i],
    (x) => stage.set({ [name]: stage.state()[name].with(i, x) }),
  ));

const view = {
  name: "query",
  prompt: "Pull the query q around. Who gets the weight?",
  traits: ["q", "K", "V", "similarity", "w", "W_q", "W_k"],

  clean: (state) => {
    const planar = (row, limit) =>
      row.length === 2 && row.every((x) => Math.abs(x) <= limit);
    const good = planar(state.q, LIMIT)
      && state.K.every((k) => planar(k, LIMIT))
      && state.V.every((v) => planar(v, FAR))
      && state.K.length === state.V.length
      && Object.hasOwn(SIMILARITIES, state.similarity)
      && [state.W_q, state.W_k].every((W) =>
        W.length === state.w.length && W.every((row) => row.length === 2));
    return good ? state : null;
  },

  shape: (state) => String(state.K.length),

  quantities: attend,

  build: (stage, { K }) => {
    const count = K.length;
    const kind = choice({
      label: "similarity", options: NAMES,
      change: (similarity) => stage.set({ similarity }),
    });
    const query = pair("q", "q", LIMIT, () => stage.state().q, (q) => stage.set({ q }));
    const [left, right] = [keysPlane(stage, count), valuesPlane()];
    const numbers = table(count);
    const values = pairs(stage, count, "V", FAR);
    const more = pairs(stage, count, "K", LIMIT).flatMap((k, i) => [k, values[i]]);
    const output = readout("output", "(", value("output.1"), ", ", value("output.2"), ")");
    stage.body.append(
      h("div", { class: "sdpa-row" }, query.node, kind.node),
      h("div", { class: "sdpa-planes" },
        left.svg, right.svg, h("div", {}, numbers.node, output)),
      h("details", {}, h("summary", {}, "Edit keys and values"),
        h("div", { class: "sdpa-edit" }, ...more.map((one) => one.node))));
    return (state, found) => {
      const weights = weightsOf(state, found);
      kind.set(state.similarity);
      [query, ...more].forEach((one) => one.draw());
      left.draw(state, weights);
      right.draw(state.V, weights, [found["output.1"], found["output.2"]]);
      numbers.draw(largest(weights));
    };
  },

  sentence: (state, found) => {
    const weights = weightsOf(state, found);
    const best = largest(weights);
    const most = `${spoken(weights[best[0]])}${best.length > 1 ? " each" : ""}`;
    return `${listed(best)} ${best.length > 1 ? "have" : "has"} the largest weight, `
      + `${most}; the output is (${spoken(found["output.1"])}, `
      + `${spoken(found["output.2"])}).`;
  },
};

export default { render: (place) => openView(place, view) };
