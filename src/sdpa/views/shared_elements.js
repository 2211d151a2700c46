// Shared by all live views; see _sources.py for how the files are put together.

// Elements ------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";

const fill = (node, attributes, children) => {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if ((value ?? false) !== false) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
};

// An HTML element. Functions among the attributes are listeners; null is left out.
const h = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

// The same for SVG.
const s = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

const move = (node, attributes) => fill(node, attributes, []);

// JupyterLab takes keys away from whatever does not say this.
const KEYS = { "data-lm-suppress-shortcuts": "true" };

let lastId = 0;
const freshId = () => `sdpa-${Date.now().toString(36)}-${(lastId += 1)}`;

// A drawing with a name. What it shows is said in words by the view's sentence.
const drawing = (width, height, label, ...children) =>
  s(
    "svg",
    { class: "sdpa-drawing", viewBox: `0 0 ${width} ${height}`, role: "group",
      "aria-label": label, style: `max-width:${width * 1.25}px` },
    ...children,
  );

// Native controls. Each gives { node, input, set }: set changes what it shows and
// calls nobody.

// A slider; `format` turns its position into words, shown and spoken.
const slider = ({ label, min, max, step = 1, format = brief, quantity = null, change }) => {
  const id = freshId();
  const input = h("input", {
    type: "range", id, min, max, step, ...KEYS, input: () => change(+input.value),
  });
  // Spoken with the slider already, as its value text.
  const shown = h("output", { for: id, "aria-live": "off", class: "sdpa-number",
    "data-value": quantity });
  const node = h(
    "div", { class: "sdpa-slider" }, h("label", { for: id }, label), input, shown,
  );
  const set = (position, text = format(position)) => {
    input.value = position;
    input.setAttribute("aria-valuetext", text);
    if (!quantity) shown.textContent = text;
  };
  return { node, input, set };
};

// A field for a number. What is no number within the limits is left alone until it is.
const field = ({ label, min, max, step = 0.1, hidden = false, quantity, change }) => {
  const id = freshId();
  const input = h("input", {
    type: "number", id, min, max, step: "any", inputmode: "decimal", ...KEYS,
    "aria-label": hidden ? label : null, "data-value": quantity,
    input: () => {
      const x = input.value === "" ? NaN : +input.value;
      const good = x >= min && x <= max;
      input.toggleAttribute("aria-invalid", !good);
      if (good) change(x);
    },
    keydown: (event) => {
      // step="any" would let the arrows move by 1.
      const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      const next = Math.min(max, Math.max(min, (+input.value || 0) + way * step));
      change(+next.toFixed(6));
    },
    blur: () => set(current),
  });
  let current = 0;
  const set = (x) => {
    current = x;
    input.removeAttribute("aria-invalid");
    // Not while it is typed in: "1." must not become "1".
    if (document.activeElement !== input || +input.value !== x) {
      input.value = +x.toFixed(6);
    }
  };
  const node = hidden
    ? input
    : h("span", { class: "sdpa-field" }, h("label", { for: id }, label), input);
  return { node, input, set };
};

// A choice among a few; options are [value, text].
const choice = ({ label, options, change }) => {
  const id = freshId();
  const input = h(
    "select", { id, ...KEYS, change: () => change(input.value) },
    ...options.map(([value, text]) => h("option", { value }, text)),
  );
  const node = h("span", { class: "sdpa-field" }, h("label", { for: id }, label), input);
  return { node, input, set: (value) => (input.value = value) };
};

// A box to tick.
const tick = ({ label, change }) => {
  const id = freshId();
  const input = h("input", {
    type: "checkbox", id, ...KEYS, change: () => change(input.checked),
  });
  const node = h("span", { class: "sdpa-field" }, input, h("label", { for: id }, label));
  return { node, input, set: (on) => (input.checked = on) };
};

// One of a few, as a bar of native radio buttons: arrow keys go from one to the next.
// Options are [value, text or element].
const bar = ({ label, options, change }) => {
  const name = freshId();
  const inputs = options.map(([value]) =>
    h("input", { type: "radio", name, value, ...KEYS, change: () => change(value) }));
  const node = h("fieldset", { class: "sdpa-bar" }, h("legend", {}, label),
    h("div", {}, ...options.map(([, text], i) => h("label", {}, inputs[i], h("span", {}, text)))));
  const set = (chosen) =>
    options.forEach(([value], i) => (inputs[i].checked = value === chosen));
  return { node, set };
};

// A symbol of the book, such as d_k: "d" with a "k" below.
const symbol = (text) => {
  const [name, index] = text.split("_");
  return h("span", { class: "sdpa-symbol" }, name, index ? h("sub", {}, index) : null);
};

const button = (text, press, attributes = {}) =>
  h("button", { type: "button", ...KEYS, click: press, ...attributes }, text);

// A number that the view computes, as a part of text or of a drawing, with so many
// digits; "e" for what may be tiny.
const value = (quantity, digits = 3) =>
  h("span", { class: "sdpa-number", "data-value": quantity, "data-digits": digits });

const valueIn = (quantity, attributes = {}, digits = 3) =>
  s("text", { "data-value": quantity, "data-digits": digits, ...attributes });

// A line such as "effective keys  3.90".
const readout = (label, ...values) =>
  h("div", { class: "sdpa-readout" }, h("span", {}, label), h("span", {}, ...values));

// Pulling by mouse, pen or finger. `pulled` gets the point in the drawing's units.
const pull = (handle, svg, pulled) => {
  const at = (event) => {
    const inverse = svg.getScreenCTM().inverse();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(inverse);
    pulled([point.x, point.y]);
  };
  // A finger on a handle pulls it; elsewhere on the drawing it scrolls the page. The
  // style sheet cannot say so: parts of a drawing have no touch-action of their own.
  // An area, as large as the drawing, leaves moves up and down to the page.
  const keep = (event) => handle.matches(".area") || event.preventDefault();
  handle.addEventListener("touchstart", keep, { passive: false });
  fill(handle, {
    pointerdown: (event) => {
      if (event.button > 0) return;
      event.preventDefault();
      handle.setPointerCapture(event.pointerId);
      handle.focus({ preventScroll: true });
      at(event);
    },
    pointermove: (event) => {
      if (handle.hasPointerCapture(event.pointerId)) at(event);
    },
  }, []);
};

// Moving a focused handle by arrow keys, ten times as far with Shift.
const steer = (handle, step, moved) => {
  const ways = {
    ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
  };
  handle.addEventListener("keydown", (event) => {
    const way = ways[event.key];
    if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const size = step * (event.shiftKey ? 10 : 1);
    moved([way[0] * size, way[1] * size]);
  });
};

// Points in the plane ------------------------------------------------------

// Values in the plane, with the output inside their hull.
const valuesPlane = () => {
  const size = 150;
  const svg = drawing(size, size, "Values, and the output among them");
  const region = s("path", { class: "hull" });
  const cross = s("path", { class: "line weight", "stroke-width": 3.5 });
  const back = s("path", { class: "grid" });
  svg.append(back, region);
  let points = [];

  const draw = (values, weights, output) => {
    const scale = planeScale([...values, [0, 0]], size, 18);
    const at = (p) => [scale.x(p[0]), scale.y(p[1])];
    move(back, { d: `M${scale.x(0)} 0V${size}M0 ${scale.y(0)}H${size}` });
    move(region, { d: `M${hull(values).map((p) => at(p).join(" ")).join("L")}Z` });
    while (points.length < values.length) {
      const dot = s("circle", { class: "value" });
      const name = s("text", { class: "small halo" }, `v${points.length + 1}`);
      svg.append(dot, name, cross);
      points.push({ dot, name });
    }
    points.forEach(({ dot, name }, i) => {
      const [cx, cy] = at(values[i]);
      move(dot, { cx, cy, r: 2.5 + 9 * Math.sqrt(weights[i]) });
      move(name, { x: cx + (cx > size - 30 ? -24 : 12), y: cy + (cy < 20 ? 15 : -7) });
    });
    const [x, y] = at(output);
    move(cross, { d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10` });
  };
  return { svg, draw };
};

// Coordinates of a square drawing that shows all the points, both axes alike.
const planeScale = (points, size, margin) => {
  const range = (j) => [Math.min(...column(points, j)), Math.max(...column(points, j))];
  const [left, right] = range(0);
  const [low, high] = range(1);
  const span = Math.max(right - left, high - low) || 1;
  const unit = (size - 2 * margin) / span;
  const [cx, cy] = [(left + right) / 2, (low + high) / 2];
  return {
    unit,
    x: (x) => size / 2 + unit * (x - cx),
    y: (y) => size / 2 - unit * (y - cy),
    point: ([x, y]) => [(x - size / 2) / unit + cx, (size / 2 - y) / unit + cy],
  };
};
