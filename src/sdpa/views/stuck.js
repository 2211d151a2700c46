// Gradient descent on free queries, replayed: scaled beside unscaled.
//
// The training does the same operations in the same order as sdpa/views/_replay.py, so
// that both get the same numbers to the last bit: a saturated softmax may double a
// rounding error at every step.

const [QUERIES, KEYS_EACH, STEPS] = [20, 16, 300];
const GRID = 2 ** 16; // draws are multiples of 1 / GRID: their dot products are exact
const WIDTHS = [4, 16, 64, 256, 1024];
const RATES = [0.1, 1, 10];

const LOG2_E = 1.4426950408889634;
const [LN2_HIGH, LN2_LOW] = [0.6931471803691238, 1.9082149292705877e-10];
const TERMS = Array.from({ length: 14 }, (_, n) => {
  let product = 1;
  for (let i = 2; i <= n; i += 1) product *= i;
  return 1 / product;
});

// e to the power of x ≤ 0, by operations that every processor does alike.
const exponential = (given) => {
  const x = Math.max(given, -745);
  const k = Math.floor(x * LOG2_E + 0.5);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let power = TERMS[13];
  for (let n = 12; n >= 0; n -= 1) power = power * r + TERMS[n];
  return power * 2 ** k;
};

// Scores q·k of each query and its keys, and the dot products of its keys.
const drawTask = (width, seed) => {
  const x = gaussians(seed, QUERIES * (KEYS_EACH + 1) * width);
  for (let i = 0; i < x.length; i += 1) x[i] = Math.floor(x[i] * GRID + 0.5) / GRID;
  const product = (a, b) => {
    let sum = 0;
    for (let c = 0; c < width; c += 1) sum += x[a * width + c] * x[b * width + c];
    return sum;
  };
  const keys = Array.from({ length: KEYS_EACH }, (_, j) => j + 1);
  return Array.from({ length: QUERIES }, (_, i) => {
    const q = i * (KEYS_EACH + 1);
    const gram = keys.map(() => new Array(KEYS_EACH));
    keys.forEach((j) => keys.slice(0, j).forEach((l) => {
      gram[j - 1][l - 1] = gram[l - 1][j - 1] = product(q + j, q + l);
    }));
    return { scores: keys.map((j) => product(q + j, q)), gram };
  });
};

// One step of one query: its weights, and by how much η its scores should move.
const look = (z, gram) => {
  const top = Math.max(...z);
  const powers = z.map((x) => exponential(x - top));
  const sum = powers.reduce((a, b) => a + b, 0);
  const weights = powers.map((p) => p / sum);
  const miss = weights.map((a, j) => a - (j === 0 ? 1 : 0));
  const inner = weights.reduce((total, a, j) => total + a * (2 * miss[j]), 0);
  const g = weights.map((a, j) => a * (2 * miss[j] - inner)); // J u: the Jacobian once
  const moved = gram.map((row) => dot(row, g));
  return { weights, moved, loss: dot(miss, miss), squared: Math.max(dot(g, moved), 0) };
};

const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[half - 1] + sorted[half]) / 2;
};

const train = (task, c, rate) => {
  let scores = task.map((query) => query.scores.map((x) => c * x));
  return Array.from({ length: STEPS + 1 }, () => {
    const seen = scores.map((z, i) => look(z, task[i].gram));
    scores = scores.map((z, i) =>
      z.map((x, j) => x - rate * c * c * seen[i].moved[j]));
    return {
      weights: seen.map((one) => one.weights),
      loss: seen.reduce((sum, one) => sum + one.loss, 0) / QUERIES,
      solved: seen.filter((one) => one.weights[0] > 0.5).length,
      gradient: median(seen.map((one) => c * Math.sqrt(one.squared))),
    };
  });
};

// What was trained once is kept: moving through the steps only reads it.
const kept = new Map();
const remember = (key, make) => {
  if (!kept.has(key)) {
    if (kept.size > 24) kept.clear();
    kept.set(key, make());
  }
  return kept.get(key);
};
const replay = ({ d_k, learning_rate, seed }) =>
  remember(`${d_k} ${learning_rate} ${seed}`, () => {
    const task = remember(`${d_k} ${seed}`, () => drawTask(d_k, seed));
    return {
      scaled: train(task, 1 / Math.sqrt(d_k), learning_rate),
      unscaled: train(task, 1, learning_rate),
    };
  });

const SIDES = ["scaled", "unscaled"];
const ROLES = { scaled: "query", unscaled: "key" };

const numbersAt = (state) => {
  const runs = replay(state);
  const found = { step: state.step, d_k: state.d_k };
  for (const side of SIDES) {
    const now = runs[side][state.step];
    for (const name of ["loss", "solved", "gradient"]) found[`${side}.${name}`] = now[name];
    now.weights.forEach((row, i) => (found[`${side}.target.${i + 1}`] = row[0]));
  }
  return found;
};

// The weights of all queries: a row each, what it should find in the first column.
const weightsMap = (side) => {
  const [wide, high, top] = [10, 6, 34];
  const cells = Array.from({ length: QUERIES * KEYS_EACH }, (_, n) => s("rect", {
    class: "weight", x: (n % KEYS_EACH) * wide, y: top + Math.floor(n / KEYS_EACH) * high,
    width: wide, height: high, "fill-opacity": 0,
  }));
  const [right, bottom] = [KEYS_EACH * wide, top + QUERIES * high];
  const svg = drawing(
    right, bottom + 2, `Weights of ${QUERIES} queries, ${side}`,
    s("text", { x: 0, y: 12, class: ROLES[side] }, side),
    s("text", { x: 0, y: 29, class: "muted small" }, "↓ target"),
    ...cells,
    s("path", { class: "grid", d: `M${wide} ${top}V${bottom}` }),
    s("path", { class: "axis", d: `M0 ${top}H${right}V${bottom}H0Z` }),
  );
  const count = s("text", { x: right, y: 12, class: "end" });
  count.append(
    s("tspan", { "data-value": `${side}.solved`, "data-digits": 0 }), ` of ${QUERIES}`,
  );
  svg.append(count);
  const draw = (weights) => cells.forEach((cell, n) => {
    const a = weights[Math.floor(n / KEYS_EACH)][n % KEYS_EACH];
    const opacity = a < 0.004 ? "0" : a.toFixed(2);
    if (cell.getAttribute("fill-opacity") !== opacity) {
      cell.setAttribute("fill-opacity", opacity);
    }
  });
  return { svg, draw };
};

// Both losses up to the step shown, on the axis that the slider below runs along.
const lossCurves = () => {
  const [wide, floor, most] = [320, 92, 2];
  const x = (step) => (wide * step) / STEPS;
  const y = (loss) => floor - (loss * (floor - 18)) / most;
  const lines = SIDES.map((side) =>
    s("path", { class: `line ${ROLES[side]}`, "stroke-width": 2 }));
  const names = SIDES.map((side) => s("text", { class: `${ROLES[side]} halo small end` }, side));
  const cursor = s("path", { class: "grid dashed" });
  const svg = drawing(
    wide, floor + 3, "Loss against step",
    s("text", { x: 0, y: 11, class: "muted" }, "loss"),
    s("path", { class: "axis", d: `M0 18V${floor}H${wide}` }),
    cursor, ...lines, ...names,
  );
  const draw = (runs, step) => {
    move(cursor, { d: `M${x(step)} 18V${floor}` });
    SIDES.forEach((side, i) => {
      const points = runs[side].slice(0, step + 1).map((now, t) =>
        `${x(t).toFixed(1)} ${y(now.loss).toFixed(1)}`);
      move(lines[i], { d: `M${points.join("L")}` });
      const end = y(runs[side][step].loss);
      const shown = step > STEPS / 5 && Math.abs(
        runs.scaled[step].loss - runs.unscaled[step].loss) > 0.35;
      move(names[i], { x: x(step) - 4, y: end - 5, visibility: shown ? "visible" : "hidden" });
    });
  };
  return { svg, draw };
};

const resultsTable = () => {
  const row = (label, name, digits) => h(
    "tr", {}, h("th", { scope: "row" }, label),
    ...SIDES.map((side) => h("td", {}, value(`${side}.${name}`, digits))),
  );
  const head = h("tr", {}, h("th", { scope: "col" }, "at this step"),
    ...SIDES.map((side) => h("th", { scope: "col" }, side)));
  return h("table", {}, h("thead", {}, head), h("tbody", {},
    row("loss", "loss", 3), row("gradient norm", "gradient", "e")));
};

// Playing moves the step until somebody else does, or the end is there.
const player = (stage) => {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let at = -1; // the step that was set last; -1 when nothing plays
  const tick = () => {
    if (at < 0 || stage.state().step !== at || !stage.root.isConnected) return stop();
    if (at >= STEPS) return stop();
    at = Math.min(STEPS, at + 2);
    stage.set({ step: at });
    return requestAnimationFrame(tick);
  };
  const stop = () => {
    at = -1;
    press.textContent = still.matches ? "To the end" : "Play";
  };
  const press = button("Play", () => {
    if (at >= 0) return stop();
    // Whoever asked for less motion gets the result without the way.
    if (still.matches) return stage.set({ step: STEPS });
    const { step } = stage.state();
    at = step < STEPS ? step : 0;
    stage.set({ step: at });
    press.textContent = "Pause";
    return requestAnimationFrame(tick);
  });
  stop();
  still.addEventListener("change", stop);
  return press;
};

const view = {
  name: "stuck",
  prompt: "Press Play. Which side finds its targets?",
  traits: ["d_k", "learning_rate", "step", "seed"],

  clean: (state) => {
    const [d_k, rate] = [+state.d_k, +state.learning_rate];
    const good = WIDTHS.includes(d_k) && RATES.includes(rate)
      && Number.isInteger(state.step) && state.step >= 0 && state.step <= STEPS
      && Number.isInteger(state.seed) && state.seed >= 0 && state.seed <= 9999;
    return good ? { ...state, d_k, learning_rate: rate } : null;
  },

  shape: () => "",

  quantities: numbersAt,

  build: (stage) => {
    const width = choice({
      label: "width", options: WIDTHS.map((x) => [x, String(x)]),
      change: (x) => stage.set({ d_k: +x }),
    });
    const rate = choice({
      label: "rate", options: RATES.map((x) => [x, String(x)]),
      change: (x) => stage.set({ learning_rate: +x }),
    });
    const step = slider({
      label: "step", min: 0, max: STEPS, quantity: "step",
      change: (x) => stage.set({ step: x }),
    });
    const maps = SIDES.map(weightsMap);
    const curves = lossCurves();
    const next = button("Next step", () =>
      stage.set({ step: Math.min(STEPS, stage.state().step + 1) }));
    const again = button("New draw", () =>
      stage.set({ seed: (stage.state().seed + 1) % 10000 }));
    stage.body.append(
      h("div", { class: "sdpa-row" }, width.node, rate.node,
        h("span", { class: "sdpa-tools" }, player(stage), next, again)),
      h("div", { class: "sdpa-panels" },
        h("div", { class: "sdpa-sides" }, ...maps.map((one) => one.svg)),
        h("div", { class: "sdpa-run" }, curves.svg, step.node, resultsTable())));
    return (state) => {
      const runs = replay(state);
      width.set(state.d_k);
      rate.set(state.learning_rate);
      step.set(state.step, String(state.step));
      SIDES.forEach((side, i) => maps[i].draw(runs[side][state.step].weights));
      curves.draw(runs, state.step);
    };
  },

  sentence: (state, found) =>
    `After ${state.step} steps at width ${state.d_k}, `
    + `${found["scaled.solved"]} of ${QUERIES} scaled queries give their target more than `
    + `half of the weight, and ${found["unscaled.solved"]} unscaled ones.`,
};

export default { render: (place) => openView(place, view) };
