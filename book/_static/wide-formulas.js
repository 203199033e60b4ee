// A displayed formula that is a little wider than its column is set smaller until it fits; one that
// would become too small to read keeps its size and scrolls.
(() => {
  const SMALLEST = 0.62; // the letters of a formula are a fifth larger than those of the text
  const sizes = new Map(); // the size that MathJax gave

  let printing = false; // a sheet has its own sizes, by print.js

  function fit(formula) {
    if (!formula.clientWidth) return; // folded
    if (!sizes.has(formula)) sizes.set(formula, formula.style.fontSize);
    formula.style.fontSize = sizes.get(formula);
    const room = formula.clientWidth;
    const width = formula.firstElementChild?.getBoundingClientRect().width ?? 0;
    const ratio = (0.99 * room) / width;
    if (width > room && ratio >= SMALLEST) {
      formula.style.fontSize = `${parseFloat(sizes.get(formula) || "100") * ratio}%`;
    }
  }

  function arrange(part) {
    for (const formula of part.querySelectorAll("mjx-container[display]")) fit(formula);
  }

  addEventListener("load", async () => {
    await window.MathJax?.startup?.promise;
    const article = document.querySelector("article");
    if (!article) return;
    arrange(article);
    // what was folded has a width when it is opened
    article.addEventListener("toggle", (event) => {
      if (event.target.open && !printing) arrange(event.target);
    }, true);
    addEventListener("beforeprint", () => { printing = true; });
    addEventListener("afterprint", () => setTimeout(() => { printing = false; }));
    let last = innerWidth;
    addEventListener("resize", () => {
      if (innerWidth !== last && !printing) arrange(article);
      last = innerWidth;
    });
  });
})();
