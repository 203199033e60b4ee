// Formulas in closed folds wait as text, and code waits without colors (companion_folds.py). They are
// set before a fold opens by a hand or by a link; after a browser opened it, by a search within the
// page or by an address; and before the page is printed.
(() => {
  function color(code) {
    const text = code.textContent;
    const parts = [];
    let at = 0;
    const tokens = code.dataset.colors.split(" ");
    for (let each = 0; each < tokens.length; each += 3) {
      const start = at + Number(tokens[each]);
      const end = start + Number(tokens[each + 2]);
      const token = document.createElement("span");
      token.className = tokens[each + 1];
      token.textContent = text.slice(start, end);
      parts.push(text.slice(at, start), token);
      at = end;
    }
    code.replaceChildren(...parts, text.slice(at));
    code.removeAttribute("data-colors");
  }

  /** Set all that waits in a part of the page; return whether there was anything. */
  function set(part) {
    const waiting = part.querySelectorAll("noscript.folded, pre[data-colors]");
    for (const each of waiting) {
      if (each.localName === "pre") color(each);
      else each.outerHTML = each.textContent;
    }
    return waiting.length > 0;
  }

  function setAround(place) {
    let some = false;
    for (let fold = place?.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      some = set(fold) || some;
    }
    return some;
  }

  const named = (hash) => document.getElementById(decodeURIComponent(hash.slice(1)));

  function arrive() {
    const place = location.hash ? named(location.hash) : null;
    if (setAround(place)) place.scrollIntoView();
  }

  document.addEventListener("click", ({ target }) => {
    const summary = target.closest?.("summary");
    if (summary) set(summary.parentElement);
    const link = target.closest?.("a[href*='#']");
    if (link && link.hash && link.href.split("#")[0] === location.href.split("#")[0]) {
      setAround(named(link.hash));
    }
  }, true);
  document.addEventListener("toggle", ({ target }) => {
    if (target.open && target.localName === "details") set(target);
  }, true);
  addEventListener("beforeprint", () => set(document), true); // before any other script
  addEventListener("hashchange", arrive);
  for (const fold of document.querySelectorAll("details[open]")) set(fold);
  arrive();
})();
