// The whole formula as grids whose edges fit: what each entry comes from, and where it
// goes.

const STEPS = [
  () => "Q, K, V",
  () => "QKᵀ",
  () => h("span", {}, "÷ √", symbol("d_k")),
  () => "softmax",
  () => "· V",
];

const TITLES = [
  "From queries and keys to scores", "From scaled scores to the output",
];

// The name of a matrix and its shape: above those that stand on top, else below.
const titleOf = (part, rows, columns, [x, y]) => {
  const { name, hue } = PARTS[part];
  const size = `${rows} × ${columns}`;
  if (part === "Kt" || part === "V") {
    return [s("text", { class: `name ${hue}`, x: x - 2, y: 13 }, name,
      s("tspan", { class: "muted", dx: 6 }, size))];
  }
  const at = { x: x + (CELL * columns) / 2, class: "middle muted" };
  const foot = y + CELL * rows;
  return [s("text", { ...at, class: `name middle ${hue}`, y: foot + 16 }, name),
    s("text", { ...at, y: foot + 32 }, size)];
};

// A cell (i, j), or the number at the edge of row i or of column j.
const cellAt = (part, i, j, [x, y]) => {
  const at = { tabindex: -1, "data-part": part, "data-row": i, "data-column": j };
  const [left, top] = [x + CELL * (j - 1), y + CELL * (i - 1)];
  if (i && j) {
    return s("rect", { ...at, role: "gridcell", class: `cell ${PARTS[part].hue}`, rx: 2,
      x: left + 0.5, y: top + 0.5, width: CELL - 1, height: CELL - 1,
      "data-value": keyOf(part, i, j) });
  }
  const place = i ? { x: x - 8, y: top + CELL / 2 + 4 } : { x: left + CELL / 2, y: y - 4 };
  return s("text", { ...at, ...place, class: "edge middle muted",
    role: i ? "rowheader" : "columnheader",
    "aria-label": i ? `row ${i}` : `column ${j}` }, String(i || j));
};

// One matrix: an ARIA grid, whose row 0 and column 0 are the numbers at its edges.
const matrix = (part, state, origin) => {
  const [rows, columns] = [state[PARTS[part].rows], state[PARTS[part].columns]];
  const cells = [];
  const line = (i) => s("g", { role: "row" }, ...Array.from({ length: columns + 1 }, (_, j) => {
    if (!i && !j) return null;
    const node = cellAt(part, i, j, origin);
    cells.push({ i, j, node });
    return node;
  }));
  const label = `${PARTS[part].name}, ${rows} by ${columns}`;
  const node = s("g", { role: "grid", class: "matrix", "aria-label": label },
    ...Array.from({ length: rows + 1 }, (_, i) => line(i)));
  return { part, node, cells, origin, title: titleOf(part, rows, columns, origin) };
};

const drawPanel = (place, state, label) => {
  const parts = Object.entries(place.at).map(([part, at]) => matrix(part, state, at));
  const marks = s("g", { class: "marks", "aria-hidden": "true" });
  const svg = drawing(place.width, place.height, label,
    ...parts.flatMap(({ title }) => title), ...parts.map(({ node }) => node), marks);
  // A drawing half as wide gets half the room: cells are equally large in both.
  return { node: h("div", { style: `--wide: ${place.width}` }, svg), parts, marks };
};

// The larger an entry, the darker; the ends are those of the matrix where none are known.
const shade = (part, rows) => {
  const ends = part === "A" ? [0, 1] : PAIRS.includes(part)
    ? [Math.min(...rows.flat()), Math.max(...rows.flat())] : [-2, 2];
  return (x) => 0.05 + 0.45 * (ends[1] > ends[0] ? (x - ends[0]) / (ends[1] - ends[0]) : 0.5);
};

// Hundreds of cells, of which few change when somebody points elsewhere.
const change = (node, name, x) => {
  if (node.getAttribute(name) !== String(x)) node.setAttribute(name, x);
};

// Give the marks that lie over the cells: a number, or a cross where a key is hidden.
const drawCell = ({ i, j, node }, { part, origin: [x, y] }, look) => {
  const number = look.rows[i - 1][j - 1];
  const closed = look.pairs && !look.seen[i - 1][j - 1];
  const crossed = closed && part !== "QKt";
  const role = look.shown ? look.found.get(node.dataset.value) ?? "" : "";
  change(node, "data-role", role);
  if (look.fresh) {
    const said = look.shown ? spoken(number) + (closed ? ", hidden" : "") : "not yet computed";
    node.setAttribute("aria-label", `${PARTS[part].name} ${i}, ${j}: ${said}`);
    node.setAttribute("fill-opacity",
      !look.shown || crossed ? 0 : look.tone(number).toFixed(3));
  }
  const [left, top] = [x + CELL * (j - 1), y + CELL * (i - 1)];
  if (!look.shown) return [];
  if (crossed) {
    return [s("path", { class: "closed", d: `M${left + 9} ${top + 9}l12 12m0 -12l-12 12` })];
  }
  if (role !== "here" && role !== "source") return [];
  return [s("text", { class: "middle in-cell", x: left + CELL / 2, y: top + CELL / 2 + 4 },
    signed(+number.toFixed(part === "A" ? 2 : 1)))];
};

const drawMatrix = (one, state, all, found, at, fresh) => {
  const { part, cells, node } = one;
  const shown = PARTS[part].stage <= state.stage;
  const look = { fresh, shown, found, rows: all[part], seen: all.seen,
    pairs: PAIRS.includes(part), tone: shade(part, all[part]) };
  const [row, column] = at.part === part ? [at.row, at.column] : [1, 1];
  node.classList.toggle("blank", !shown);
  return cells.flatMap((cell) => {
    const here = cell.i === row && cell.j === column;
    change(cell.node, "tabindex", shown && here ? 0 : -1);
    change(cell.node, "aria-selected", here && at.part === part);
    return cell.i && cell.j ? drawCell(cell, one, look) : [];
  });
};

// Controls ------------------------------------------------------------------

const WAYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// Pointing by hovering, tapping and arrow keys. A click holds what it points at, so that
// the way to a button leads over other entries without harm.
const listen = (panels, stage) => {
  let held = null;
  const of = (node) => node.closest?.("[data-part]");
  const read = ({ dataset: { part, row, column: at } }) => ({ part, row: +row, column: +at });
  const pointAt = (node) => {
    const at = read(node);
    if (PARTS[at.part].stage <= stage.state().stage) stage.set(at);
  };
  const goTo = (event) => {
    const way = WAYS[event.key];
    const node = of(event.target);
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = read(node);
    if ((event.key === "Enter" || event.key === " ") && PAIRS.includes(at.part)) {
      event.preventDefault();
      stage.set(toggled(stage.state()));
    }
    if (!way) return;
    event.preventDefault();
    event.stopPropagation(); // a notebook would go to another cell
    const next = `[data-part="${at.part}"][data-row="${at.row + way[0]}"]`
      + `[data-column="${at.column + way[1]}"]`;
    panels.querySelector(next)?.focus();
  };
  fill(panels, {
    pointerover: (event) => {
      const node = of(event.target);
      if (node && !held?.isConnected && event.pointerType === "mouse") pointAt(node);
    },
    click: (event) => {
      const node = of(event.target);
      held = node && node !== held ? node : null;
      if (node) pointAt(node);
    },
    focusin: (event) => of(event.target) && pointAt(of(event.target)),
    keydown: goTo,
  }, []);
};

const legend = () => h("p", { class: "sdpa-legend", "aria-hidden": "true" },
  ...[["source", "it comes from"], ["here", "pointed at"], ["effect", "it goes to"]].map(
    ([role, text]) => h("span", {}, h("i", { "data-role": role }), text)));

const controls = (stage) => {
  const sliders = SIZES.map((name) => slider({
    label: symbol(name), min: 1, max: MOST, quantity: name,
    change: (x) => stage.set({ [name]: x }),
  }));
  const steps = bar({
    label: "computed up to", options: STEPS.map((text, i) => [i, text()]),
    change: (i) => stage.set({ ...pointed(stage.state()), stage: i, part: MADE[i] }),
  });
  const rule = choice({
    label: "mask", options: Object.entries(RULES), change: (x) => stage.set({ rule: x }),
  });
  const hide = button("", () => stage.set(toggled(stage.state())));
  const anew = button("New numbers", () => stage.set({ seed: stage.state().seed + 1 }));
  const node = h("div", {},
    h("div", { class: "sdpa-sizes" }, ...sliders.map((one) => one.node)),
    h("div", { class: "sdpa-row" }, steps.node, rule.node, hide, anew));
  const set = (state) => {
    SIZES.forEach((name, i) => sliders[i].set(state[name]));
    steps.set(state.stage);
    rule.set(state.rule);
    hide.disabled = !PAIRS.includes(pointed(state).part);
    const { row, column: at } = pointed(state);
    const what = row && at ? "entry" : row ? `row ${row}` : `column ${at}`;
    hide.textContent = `${hides(state) ? "Hide" : "Show"} ${what}`;
  };
  return { node, set };
};

// The two drawings, built anew when a size changes.
const chain = (stage) => {
  const node = h("div", { class: "sdpa-chain" });
  listen(node, stage);
  let [sizes, numbers] = ["", ""];
  let drawn = [];
  const rebuild = (state) => {
    const places = layout(state);
    drawn = places.map((place, i) => drawPanel(place, state, TITLES[i]));
    node.replaceChildren(...drawn.map((panel) => panel.node));
    const widest = Math.max(...places.map(({ width }) => width));
    node.style.setProperty("--widest", widest);
    // Many cells on a phone: no room for numbers inside, and larger ones at the edges.
    node.classList.toggle("tiny", stage.body.clientWidth < 0.5 * widest);
  };
  const draw = (state) => {
    const now = SIZES.map((name) => state[name]).join();
    if (now !== sizes) rebuild(state);
    sizes = now;
    // Pointing elsewhere changes no number.
    const inside = [now, state.seed, state.stage, state.rule, ...state.hidden].join();
    const fresh = inside !== numbers;
    numbers = inside;
    const all = compute(state);
    const at = pointed(state);
    const found = relations(state, all.seen);
    for (const { parts, marks } of drawn) {
      marks.replaceChildren(
        ...parts.flatMap((one) => drawMatrix(one, state, all, found, at, fresh)));
    }
  };
  return { node, draw };
};

const build = (stage) => {
  const [panel, grids] = [controls(stage), chain(stage)];
  stage.body.append(panel.node, grids.node, legend());
  return (state) => {
    panel.set(state);
    grids.draw(state);
  };
};

const view = {
  name: "shapes",
  prompt: "Point at an entry, a row or a column: where does it come from, where does it go?",
  traits: [...SIZES, "rule", "hidden", "seed", "stage", "part", "row", "column"],

  clean: (state) => {
    const sizes = Object.fromEntries(SIZES.map((name) => [name, [1, MOST]]));
    const next = wholes(state, {
      ...sizes, seed: [0, 9999], stage: [0, 4], row: [0, MOST], column: [0, MOST],
    });
    const known = Object.hasOwn(RULES, state.rule) && Object.hasOwn(PARTS, state.part);
    if (!next || !known || state.hidden.length !== MOST) return null;
    next.hidden = state.hidden.map((bits) => whole(bits, 0, 255));
    return { ...next, ...pointed(next) };
  },

  shape: () => "",

  quantities: everyNumber,

  build,

  sentence,
};

export default { render: (place) => openView(place, view) };
