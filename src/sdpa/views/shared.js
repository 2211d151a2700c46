// What all live views share. Its parts and this file stand in front of each view's own
// code, in one scope, so nothing here is exported and no view imports anything.

// State in a link -----------------------------------------------------------

// Numbers, words and truths as they are, vectors as 1,0 and matrices as 1,0;0,1.
const encode = (x) =>
  Array.isArray(x)
    ? x.map((part) => (Array.isArray(part) ? part.join(",") : part))
        .join(Array.isArray(x[0]) ? ";" : ",")
    : String(x);

// Read `text` as something like `example`; undefined when it is not.
const decode = (text, example) => {
  const numbers = (part) => part.split(",").map((x) => (x.trim() ? +x : NaN));
  if (Array.isArray(example)) {
    const nested = Array.isArray(example[0]);
    const rows = nested ? text.split(";").map(numbers) : numbers(text);
    const good = rows.flat().every(Number.isFinite);
    return good && (!nested || rows.every((row) => row.length === rows[0].length))
      ? rows
      : undefined;
  }
  if (typeof example === "boolean") {
    return { true: true, false: false }[text];
  }
  // The string "inf" stands for ∞, which JSON has no word for.
  if (typeof example === "number" || example === "inf") {
    if (text === "inf") return "inf";
    return text.trim() && Number.isFinite(+text) ? +text : undefined;
  }
  return text;
};

const linkOf = (key, state, initial) => {
  const parts = Object.keys(state)
    .filter((name) => encode(state[name]) !== encode(initial[name]))
    .map((name) => `${name}=${encodeURIComponent(encode(state[name]))}`);
  const readable = parts.join("&").replaceAll("%2C", ",").replaceAll("%3B", ";");
  return `#view=${key}${readable ? `&${readable}` : ""}`;
};

// What the address says about the view `key`, or null when it speaks of another.
const stateInAddress = (key, initial) => {
  const said = new URLSearchParams(location.hash.slice(1));
  if (said.get("view") !== key) return null;
  const found = {};
  for (const name of Object.keys(initial)) {
    const x = said.has(name) ? decode(said.get(name), initial[name]) : undefined;
    if (x !== undefined) found[name] = x;
  }
  return found;
};

// The frame around a view ---------------------------------------------------

const SPEAK_AFTER = 600; // ms without a change: a screen reader hears results, not the way

// Whoever reads the page by ear gets the sentence once things have settled.
const announcer = (seen, heard) => {
  let timer = 0;
  return (sentence) => {
    seen.textContent = sentence;
    if (!heard.textContent) heard.textContent = sentence; // nobody wants it at the start
    clearTimeout(timer);
    timer = setTimeout(() => (heard.textContent = sentence), SPEAK_AFTER);
  };
};

// Write every number that is shown, and beside it the same number in full.
const writeNumbers = (root, quantities) => {
  for (const node of root.querySelectorAll("[data-value]")) {
    const x = quantities[node.dataset.value];
    if (!["number", "bigint"].includes(typeof x)) continue;
    node.dataset.exact = String(x);
    if (typeof x === "bigint") node.textContent = grouped(x);
    else if (node.dataset.digits === "e") node.textContent = small(x);
    else if (node.dataset.digits) node.textContent = decimals(x, +node.dataset.digits);
    else if (node.localName === "output") node.textContent = brief(x);
  }
};

const copyText = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // the address bar has it
  }
};

// Calls that come in one go become one: several traits may change at once.
const oncePerTurn = (act) => {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    queueMicrotask(() => {
      waiting = false;
      act();
    });
  };
};

// The button that puts the state into the address, and copies it.
const sharing = (key, state, initial) =>
  button("Copy link", async ({ target }) => {
    history.replaceState(null, "", linkOf(key, state(), initial));
    const copied = await copyText(location.href);
    target.textContent = copied ? "Copied" : "In the address bar";
    setTimeout(() => (target.textContent = "Copy link"), 1500);
  });

// What every view has around its own elements; gives where these go, and how to speak.
const framed = (el, view, buttons) => {
  const prompt = h("p", { class: "sdpa-prompt", id: freshId() }, view.prompt);
  const body = h("div", { class: "sdpa-body" });
  const seen = h("p", { class: "sdpa-sentence", "aria-hidden": "true" });
  const heard = h("p", { class: "sdpa-heard", role: "status" });
  const tools = h("div", { class: "sdpa-tools" }, ...buttons);
  el.classList.add("sdpa-view");
  move(el, { role: "group", "aria-labelledby": prompt.id, "data-sdpa-view": view.name });
  el.replaceChildren(prompt, body, h("div", { class: "sdpa-foot" }, seen, tools), heard);
  return { body, say: announcer(seen, heard) };
};

// Draw a state: build the elements when there are none of its shape, then fill them.
const drawer = (view, stage, say) => {
  let [draw, shape] = [null, null];
  return () => {
    const now = stage.state();
    if (view.shape(now) !== shape) {
      shape = view.shape(now);
      stage.body.replaceChildren();
      draw = view.build(stage, now);
    }
    const found = view.quantities(now);
    draw(now, found);
    writeNumbers(stage.root, found);
    stage.root.sdpaNumbers = found; // for tests
    say(view.sentence(now, found));
  };
};

// Put a view into its place.
//
// `view` says what it is:
//   name        as in data-sdpa-view
//   prompt      one line that says what to try
//   traits      names of its state, as Python has them
//   clean       (state) → state within limits, or null when it makes no sense
//   shape       (state) → a text; when it changes, the elements are built anew
//   quantities  (state) → { "weights.1": 0.4, … }, pure mathematics
//   build       (stage, state) → (state, quantities) => void, which draws
//   sentence    (state, quantities) → what there is to see, in words
// `stage` gives build: body, to put elements in; set(changes); state().
const openView = ({ model, el }, view) => {
  const state = () =>
    Object.fromEntries(view.traits.map((name) => [name, model.get(name)]));
  const initial = structuredClone(state());
  const set = (changes) => {
    const next = view.clean({ ...state(), ...changes });
    if (!next) return;
    for (const name of view.traits) {
      if (encode(next[name]) !== encode(model.get(name))) model.set(name, next[name]);
    }
    model.save_changes();
  };
  const restore = () => {
    const found = stateInAddress(model.key, initial);
    if (!found) return;
    set({ ...initial, ...found });
    el.scrollIntoView({ block: "nearest" });
  };

  const buttons = [button("Reset", () => set(initial))];
  if (model.key) buttons.push(sharing(model.key, state, initial));
  const { body, say } = framed(el, view, buttons);
  const redraw = drawer(view, { body, set, state, root: el }, say);
  let closed = false;
  const later = oncePerTurn(() => closed || redraw());
  const events = view.traits.map((name) => `change:${name}`);
  for (const event of events) model.on(event, later);
  if (model.key) addEventListener("hashchange", restore);
  if (model.key) restore();
  redraw();
  el.sdpaState = state; // for tests
  return () => {
    closed = true;
    for (const event of events) model.off(event, later);
    removeEventListener("hashchange", restore);
  };
};
