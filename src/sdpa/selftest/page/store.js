// What the browser keeps: a sheet for each set of numbers. Where nothing may be kept,
// as in some private windows, everything else works all the same.

const KEY = "sdpa-self-test/1";
export const BOOK = "book"; // the name of the sheet with the numbers of the book

const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const blank = () => ({ variant: null, student: "", sheets: {} });
const blankSheet = () => ({ answers: {}, attempts: {}, hints: {} });

// What an older page or another program left there is not trusted.
const sound = (state) =>
  isObject(state) &&
  (state.variant === null || Number.isInteger(state.variant)) &&
  typeof state.student === "string" &&
  isObject(state.sheets) &&
  Object.values(state.sheets).every(
    (sheet) =>
      isObject(sheet) &&
      ["answers", "attempts", "hints"].every((name) => isObject(sheet[name])) &&
      Object.values(sheet.answers).every(isObject),
  );

export const loadState = () => {
  try {
    const state = JSON.parse(localStorage.getItem(KEY));
    return sound(state) ? state : blank();
  } catch {
    return blank();
  }
};

export const keepState = (state) => {
  try {
    localStorage.setItem(KEY, JSON.stringify(state));
    return true;
  } catch {
    return false;
  }
};

export const sheetOf = (state) => (state.sheets[state.variant ?? BOOK] ??= blankSheet());

export const clearSheet = (state) => {
  const name = state.variant ?? BOOK;
  const before = state.sheets[name];
  state.sheets[name] = blankSheet();
  return () => (state.sheets[name] = before);
};
