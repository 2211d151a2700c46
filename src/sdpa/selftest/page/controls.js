// Between the fields of a form and the values of a sheet.

import { typedNumber } from "./fields.js";

const inputs = (box) => [...box.querySelectorAll("input, select")];
const rowsOf = (box) => [...box.querySelectorAll(".selftest-row")];
const isBlank = (value) => value === null || value === "";
const orNull = (values) => (values.flat().every(isBlank) ? null : values);

const cell = (input) => (input.value.trim() ? typedNumber(input.value) : null);

const READ = {
  text: ([input]) => (input.value.trim() ? input.value : null),
  option: ([select], { options }) =>
    select.value === "" ? null : options[Number(select.value)],
  texts: (all) => orNull(all.map((input) => input.value.trim())),
  numbers: (all) => orNull(all.map(cell)),
  rows: (all, field, box) => orNull(rowsOf(box).map((row) => inputs(row).map(cell))),
  indices: (all) => {
    const places = all.flatMap((input, i) => (input.checked ? [i + 1] : []));
    return places.length ? places : null;
  },
};

// The value of a field as it goes into the sheet; null if nothing is filled in.
export const readControl = (box, field) => READ[field.type](inputs(box), field, box);

// What was kept may be anything: a field of another kind stays blank.
export const listed = (value) => (Array.isArray(value) ? value : []);
const written = (value) =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
const fill = (all, value) =>
  all.forEach((input, i) => (input.value = written(listed(value)[i])));

const WRITE = {
  text: ([input], value) => (input.value = written(value)),
  option: ([select], value, { options }) =>
    (select.selectedIndex = options.indexOf(value) + 1),
  texts: fill,
  numbers: fill,
  rows: (all, value, field, box) =>
    rowsOf(box).forEach((row, i) => fill(inputs(row), listed(value)[i])),
  indices: (all, value) =>
    all.forEach((input, i) => (input.checked = listed(value).includes(i + 1))),
};

export const writeControl = (box, field, value) =>
  WRITE[field.type](inputs(box), value, field, box);

// Names of inputs that stand in several rows say which one they are in.
const nameRows = (box) => {
  const rows = rowsOf(box);
  rows.forEach((row, i) => {
    for (const input of inputs(row)) {
      const label = input.parentElement.textContent.trim();
      if (rows.length > 1) input.setAttribute("aria-label", `row ${i + 1}, ${label}`);
      else input.removeAttribute("aria-label");
    }
  });
};

// Give every grid of a form as many rows.
export const setRows = (boxes, count) => {
  for (const box of boxes) {
    const rows = rowsOf(box);
    for (const row of rows.slice(count)) row.remove();
    for (let i = rows.length; i < count; i++) {
      const row = rows[0].cloneNode(true);
      for (const input of inputs(row)) {
        input.id += `-row-${i + 1}`;
        input.value = "";
      }
      rows[0].parentElement.append(row);
    }
    nameRows(box);
  }
};

export const countRows = (box) => rowsOf(box).length;

// Tie a message to a field, or take it away.
export const setError = (box, message) => {
  box.querySelector(".selftest-error").textContent = message;
  for (const input of inputs(box)) {
    if (message) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
};
