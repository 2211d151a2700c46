// On a page without a kernel: each view gets a model that holds the state in the page.

const standIn = (key, state) => {
  const listeners = {};
  const emit = (event) => [...(listeners[event] ?? [])].forEach((call) => call());
  return {
    key,
    get: (name) => state[name],
    set: (name, x) => {
      state[name] = x;
      emit(`change:${name}`);
    },
    save_changes: () => emit("change"),
    on: (event, call) => (listeners[event] ??= new Set()).add(call),
    off: (event, call) => listeners[event]?.delete(call),
  };
};

// The second view of a kind on a page is temperature.2 in links.
const mount = (name, { render }) => {
  const places = document.querySelectorAll(`[data-sdpa-view="${name}"]`);
  places.forEach((el, i) => {
    const state = JSON.parse(el.querySelector("script").textContent);
    const model = standIn(i ? `${name}.${i + 1}` : name, state);
    el.sdpaModel = model;
    render({ model, el });
  });
};
