// On paper: the light colors, proofs and hints unfolded, and wide formulas as small as the sheet asks
// for; afterwards everything as it was.
(() => {
  const page = document.documentElement;
  const FOLDED = "article details.sd-dropdown:not([open])";
  let theme;
  const ROOM = 620; // pixels of a formula on a sheet of A4, beside the margins of a box
  const SMALLER = 0.82; // the size of print in companion.css
  let unfolded = [];
  let shrunk = [];

  function shrink() {
    for (const formula of document.querySelectorAll("article div.math")) {
      const width = formula.scrollWidth * SMALLER;
      if (width > ROOM) shrunk.push([formula, formula.style.fontSize, ROOM / width]);
    }
    for (const [formula, size, ratio] of shrunk) {
      formula.style.fontSize = `${parseFloat(size || "100%") * ratio}%`;
    }
  }

  addEventListener("beforeprint", () => {
    if (theme === undefined) theme = page.dataset.theme ?? "";
    page.dataset.theme = "light";
    unfolded.push(...document.querySelectorAll(FOLDED));
    for (const each of unfolded) each.open = true;
    shrink();
  });
  addEventListener("afterprint", () => {
    if (theme) page.dataset.theme = theme;
    else if (theme === "") delete page.dataset.theme;
    theme = undefined;
    for (const each of unfolded) each.open = false;
    for (const [formula, size] of shrunk) formula.style.fontSize = size;
    unfolded = [];
    shrunk = [];
  });
})();
