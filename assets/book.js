// What the pages can do once this ran; they are complete without it.
(() => {
  "use strict";

  // A downloaded book may not fetch pages, so its search shows titles without excerpts.
  if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS === "object") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = document.createElement("textarea");
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
  };

  const addCopyButton = (formula) => {
    const source = formula.querySelector("annotation");
    if (!source) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy-latex";
    button.textContent = "LaTeX";
    button.setAttribute("aria-label", "Copy the LaTeX of this formula");
    button.addEventListener("click", async () => {
      await copy(source.textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "LaTeX"), 1500);
    });
    formula.append(button);
  };

  // The keyboard stops at a formula or figure only where there is something to scroll.
  const stopWhereItScrolls = (boxes) => {
    const observer = new ResizeObserver((entries) => {
      for (const { target } of entries) {
        const scrolls = target.scrollWidth > target.clientWidth;
        if (scrolls) target.tabIndex = 0;
        else target.removeAttribute("tabindex");
      }
    });
    for (const box of boxes) observer.observe(box);
  };

  // Paper cannot be unfolded.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details.fold:not([open])")];
    for (const box of folded) box.open = true;
  });
  addEventListener("afterprint", () => {
    for (const box of folded) box.open = false;
  });

  // A link may lead into a folded answer.
  const unfoldTarget = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const box = target?.closest("details:not([open])");
    if (!box) return;
    box.open = true;
    target.scrollIntoView();
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".math-display").forEach(addCopyButton);
    stopWhereItScrolls(document.querySelectorAll(".math-scroll, .figure-scroll"));
    addEventListener("hashchange", unfoldTarget);
    unfoldTarget();
  });
})();
