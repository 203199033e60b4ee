// What a formula, which the build has set as MathML, does in the hands of a reader: copied, it is the
// TeX that it came from; a displayed one that is a little wider than its column is set smaller until it
// fits, and one that would become too small to read keeps its size and scrolls, by keyboard too.
(() => {
  const SMALLEST = 62; // percent; the letters of a formula are a fifth larger than those of the text
  let printing = false; // a sheet has its own sizes, by print.js

  const FOLDED = "details:not([open]), .toggle-hidden, .admonition.dropdown:not(.toggle)";
  const folded = (formula) => formula.closest(FOLDED);

  /** Each time all are read before the first is written, so that the page is laid out once. */
  function arrange(part) {
    // a browser lays a closed fold out only when it is asked for sizes in it
    const formulas = [...part.querySelectorAll("div.math")].filter((formula) => !folded(formula));
    for (const formula of formulas) {
      if (formula.style.fontSize) formula.style.fontSize = "";
      formula.removeAttribute("tabindex");
    }
    for (let time = 0; time < 2; time += 1) { // twice, because words in a formula shrink less than its letters
      const widths = formulas.map(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth]);
      formulas.forEach((formula, at) => {
        const [room, width] = widths[at];
        if (width <= room || formula.tabIndex === 0) return;
        const size = (parseFloat(formula.style.fontSize || 100) * 0.98 * room) / width;
        formula.style.fontSize = size >= SMALLEST ? `${size}%` : "";
        if (size < SMALLEST) formula.tabIndex = 0;
      });
    }
  }

  const article = document.querySelector("article");
  if (article) {
    arrange(article);
    document.fonts.ready.then(() => arrange(article));
    // what was folded has a width when it is opened
    article.addEventListener("toggle", (event) => {
      if (event.target.open && !printing) arrange(event.target);
    }, true);
    article.addEventListener("click", (event) => {
      const box = event.target.closest(".toggle"); // a solution, by its title or the button there
      if (box && !printing) arrange(box);
    });
    addEventListener("beforeprint", () => { printing = true; });
    addEventListener("afterprint", () => setTimeout(() => { printing = false; }));
    let last = innerWidth;
    addEventListener("resize", () => {
      if (innerWidth !== last && !printing) arrange(article);
      last = innerWidth;
    });
  }

  const around = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement)?.closest("math");

  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    if (selection.isCollapsed || !event.clipboardData) return;
    const range = selection.getRangeAt(0).cloneRange();
    const first = around(range.startContainer);
    const last = around(range.endContainer);
    if (first) range.setStartBefore(first);
    if (last) range.setEndAfter(last);
    const copied = document.createElement("div");
    copied.append(range.cloneContents());
    const formulas = copied.querySelectorAll("math[data-tex]");
    if (!formulas.length) return;
    event.clipboardData.setData("text/html", copied.innerHTML);
    for (const formula of formulas) {
      const signs = formula.getAttribute("display") === "block" ? "$$" : "$";
      formula.replaceWith(`${signs}${formula.dataset.tex}${signs}`);
    }
    // in the page, because only there its lines are told apart
    copied.style.cssText = "position: fixed; left: -9999px; width: 40rem";
    document.body.append(copied);
    event.clipboardData.setData("text/plain", copied.innerText);
    copied.remove();
    event.preventDefault();
  });
})();
