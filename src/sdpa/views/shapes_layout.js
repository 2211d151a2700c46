// Where the seven grids stand in the two drawings of the view of shapes.

const CELL = 30;
const EDGE = 15; // for the number of a row or a column
const GAP = 12;
const NAME = 20;

// Where each matrix stands. A product stands right of one factor and below the other,
// so that its rows and columns continue theirs.
const layout = ({ n, m, d_k, d_v }) => {
  const top = NAME + EDGE;
  const below = (rows) => top + CELL * rows + EDGE;
  const after = (x, columns) => x + CELL * columns + GAP + EDGE;
  const panel = (rows, width, places) => {
    const y = below(rows);
    const at = Object.fromEntries(Object.entries(places).map(([part, x]) =>
      [part, [x, part === "Kt" || part === "V" ? top : y]]));
    return { at, width, height: y + CELL * n + 2 * NAME - 2 };
  };
  const product = after(EDGE, d_k);
  const weights = after(EDGE, m);
  const output = after(weights, m);
  return [
    panel(d_k, after(product, m) - EDGE - 8, { Q: EDGE, Kt: product, QKt: product }),
    panel(m, after(output, d_v) - EDGE - 4, { S: EDGE, A: weights, V: output, AV: output }),
  ];
};
