// Filters the rows of the ledger and unpacks what a reader opens; it is complete without scripts.
for (const ledger of document.querySelectorAll(".sl-ledger:not([data-ready])")) {
  ledger.dataset.ready = "1";
  const form = ledger.querySelector("form");
  const words = form.querySelector("input");
  const lists = [...form.querySelectorAll("select")];
  const count = form.querySelector(".sl-count");
  const rows = [...ledger.querySelectorAll(".sl-row")];
  const groups = [...ledger.querySelectorAll(".sl-group")];
  let waiting = 0;

  const show = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const fits =
        wanted.every((word) => row.dataset.words.includes(word)) &&
        lists.every((list) => !list.value || row.dataset[list.dataset.filter].split("|").includes(list.value));
      row.hidden = !fits;
      shown += fits;
    }
    for (const group of groups) group.hidden = !group.querySelector(".sl-row:not([hidden])");
    // Spoken once the reader has come to rest.
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      count.textContent = shown ? `${shown} of ${rows.length} statements` : `None of ${rows.length} statements. Try fewer words, or show all.`;
    }, 250);
  };

  /** With scripts, a browser keeps what is in a noscript element as a text. */
  const unpack = (row) => {
    const packed = row.querySelector(":scope > noscript");
    if (!packed) return;
    const body = document.createElement("div");
    body.innerHTML = packed.textContent;
    packed.replaceWith(body);
  };
  for (const row of rows) row.addEventListener("toggle", () => row.open && unpack(row));

  /** A link to a statement opens its row. */
  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)).replace(/^statement-/, ""));
    const row = target?.closest(".sl-row");
    if (!row || !ledger.contains(row)) return;
    if (row.hidden) form.reset();
    unpack(row);
    row.open = true;
    row.firstElementChild.focus({ preventScroll: true });
    row.scrollIntoView();
  };

  // A link may ask for a selection: ledger.html?verdict=fails+as+printed&words=activity
  const asked = new URLSearchParams(location.search);
  if (asked.has("words")) words.value = asked.get("words");
  for (const list of lists) {
    const value = asked.get(list.dataset.filter);
    if ([...list.options].some((option) => option.value === value)) list.value = value;
  }
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", show);
  form.addEventListener("reset", () => setTimeout(show));
  show();
  addEventListener("hashchange", follow);
  if (document.readyState === "complete") follow();
  else addEventListener("load", follow);
}
