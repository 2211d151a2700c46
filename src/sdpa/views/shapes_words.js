// What the view of shapes says about an entry, a row or a column.

const signed = (x) => brief(x).replace("-", "−");
const factor = (x) => (x < 0 ? `(${signed(x)})` : signed(x));
const low = (i) => "₀₁₂₃₄₅₆₇₈"[i];
const row = (rows, i) => `(${rows[i - 1].map((x) => signed(+x.toFixed(3))).join(", ")})`;
const down = (rows, j) => row([column(rows, j - 1)], 1);
const products = (a, b) => a.map((x, i) => `${factor(x)}·${factor(b[i])}`).join(" + ");
const power = (x) => `exp(${spoken(x, 2)})`;
const BLIND = (i) => `query ${i} may see no key at all`;

const aboutEntry = {
  Q: (x, i, c) => `is coordinate ${c} of query ${i}. It reaches row ${i} of everything to `
    + "its right, and no other row.",

  Kt: (x, c, j) => `is coordinate ${c} of key ${j}. It reaches column ${j} of the scores; `
    + "the softmax then passes it on to whole rows.",

  V: (x, j, e) => `is coordinate ${e} of the value of key ${j}. It reaches column ${e} of `
    + "the output and has no say in the weights.",

  QKt: (x, i, j) => `= q${low(i)} · k${low(j)} = `
    + `${products(x.Q[i - 1], column(x.Kt, j - 1))} = ${signed(x.QKt[i - 1][j - 1])}.`,

  S: (x, i, j) => `= ${signed(x.QKt[i - 1][j - 1])} / √${x.Q[0].length} = `
    + spoken(x.S[i - 1][j - 1])
    + (x.seen[i - 1][j - 1] ? "."
      : `, but query ${i} may not see key ${j}: it counts as −∞.`),

  A: (x, i, j) => {
    const [seen, scores] = [x.seen[i - 1], x.S[i - 1]];
    if (!seen.some(Boolean)) return `= 0: ${BLIND(i)}.`;
    if (!seen[j - 1]) return `= 0: query ${i} may not see key ${j}.`;
    const powers = scores.filter((_, k) => seen[k]).map(power).join(" + ");
    return `= ${power(scores[j - 1])} / (${powers}) = ${spoken(x.A[i - 1][j - 1])}.`;
  },

  AV: (x, i, e) => {
    const kept = x.A[i - 1].map((_, j) => j).filter((j) => x.seen[i - 1][j]);
    if (!kept.length) return `= 0: ${BLIND(i)}.`;
    const terms = kept.map((j) => `${spoken(x.A[i - 1][j])}·${factor(x.V[j][e - 1])}`);
    return `= ${terms.join(" + ")} = ${spoken(x.AV[i - 1][e - 1])}.`;
  },
};

const aboutRow = {
  Q: (x, i) => `is query ${i}: ${row(x.Q, i)}. It alone decides row ${i} of the scores, the `
    + "weights and the output.",
  Kt: (x, c) => `holds coordinate ${c} of every key: ${row(x.Kt, c)}. Column ${c} of Q meets `
    + "it: both have width d_k.",
  V: (x, j) => `is the value of key ${j}: ${row(x.V, j)}. Column ${j} of A says how much of `
    + "it each query takes.",
  QKt: (x, i) => `is query ${i} with each key: ${row(x.QKt, i)}.`,
  S: (x, i) => `holds the scaled scores of query ${i}: ${row(x.S, i)}.`,
  A: (x, i) => (x.seen[i - 1].some(Boolean)
    ? `is how query ${i} shares its attention: ${row(x.A, i)}. It sums to 1.`
    : `is 0: ${BLIND(i)}.`),
  AV: (x, i) => `is the answer to query ${i}: ${row(x.AV, i)}. It is as wide as a value.`,
};

const aboutColumn = {
  Q: (x, c) => `holds coordinate ${c} of every query: ${down(x.Q, c)}. Row ${c} of Kᵀ meets `
    + "it: both have width d_k.",
  Kt: (x, j) => `is key ${j}: ${down(x.Kt, j)}. It decides column ${j} of the scores.`,
  V: (x, e) => `holds coordinate ${e} of every value: ${down(x.V, e)}. It becomes column ${e} `
    + "of the output.",
  QKt: (x, j) => `is key ${j} with each query: ${down(x.QKt, j)}.`,
  S: (x, j) => `holds the scaled scores of key ${j}: ${down(x.S, j)}.`,
  A: (x, j) => `is what each query takes of value ${j}: ${down(x.A, j)}. It sums to `
    + `${spoken(column(x.A, j - 1).reduce((a, b) => a + b, 0))}, and need not sum to 1.`,
  AV: (x, e) => `holds coordinate ${e} of every answer: ${down(x.AV, e)}.`,
};

const sentence = (state) => {
  const all = compute(state);
  const at = pointed(state);
  const name = PARTS[at.part].name;
  if (!at.row) return `Column ${at.column} of ${name} ${aboutColumn[at.part](all, at.column)}`;
  if (!at.column) return `Row ${at.row} of ${name} ${aboutRow[at.part](all, at.row)}`;
  const given = ["Q", "Kt", "V"].includes(at.part)
    ? ` = ${signed(all[at.part][at.row - 1][at.column - 1])}` : "";
  return `${name}[${at.row}, ${at.column}]${given} `
    + aboutEntry[at.part](all, at.row, at.column);
};
