// On a phone, a table of the text that is wider than the page stands row by row, every cell behind the
// head of its column; where there is room it is a table. Roles keep it a table for screen readers.
(() => {
  const narrow = matchMedia("(max-width: 600px)");
  const BOXES = "article :is(.pst-scrollable-table-container, .sl-report .sl-scroll)";
  const ROLES = { thead: "rowgroup", tbody: "rowgroup", tr: "row", th: "columnheader", td: "cell" };

  function named(table) {
    const heads = [...table.querySelectorAll("thead th")];
    if (heads.length < 3 || heads.some((head) => head.querySelector(".math"))) return false;
    for (const row of table.querySelectorAll("tbody tr")) {
      [...row.cells].forEach((cell, place) => {
        cell.dataset.head = heads[place]?.textContent.trim() ?? "";
      });
    }
    table.setAttribute("role", "table");
    for (const [kind, role] of Object.entries(ROLES)) {
      for (const each of table.querySelectorAll(kind)) each.setAttribute("role", role);
    }
    return true;
  }

  function arrange(boxes = document.querySelectorAll(BOXES)) {
    for (const box of boxes) {
      // a browser lays a closed fold out only when it is asked for sizes in it
      if (box.closest("details:not([open])")) continue;
      const table = box.querySelector("table");
      if (!table) continue; // not yet read
      table.classList.remove("row-by-row");
      if (narrow.matches && box.scrollWidth > box.clientWidth + 1 && named(table)) {
        table.classList.add("row-by-row");
      }
    }
  }

  arrange();
  if (document.readyState === "loading") {
    // while the page is read, so that no table changes on the screen of one who came by a link
    let known = 0;
    const reading = new MutationObserver(() => {
      const boxes = [...document.querySelectorAll(BOXES)];
      arrange(boxes.slice(Math.max(0, known - 1))); // the last one may have been read in part
      known = boxes.length;
    });
    if (narrow.matches) reading.observe(document, { childList: true, subtree: true });
    document.addEventListener("DOMContentLoaded", () => { reading.disconnect(); arrange(); });
  }
  narrow.addEventListener("change", () => arrange());
  // a fold that opens, and a solution, by its title
  document.addEventListener("toggle", ({ target }) => { if (target.open) arrange(); }, true);
  document.addEventListener("click", ({ target }) => { if (target.closest(".toggle")) arrange(); });
})();
