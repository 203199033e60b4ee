// Filters the rows of the ledger; the table itself is complete without it.
for (const ledger of document.querySelectorAll(".sl-ledger:not([data-ready])")) {
  ledger.dataset.ready = "1";
  const form = ledger.querySelector("form");
  const words = form.querySelector("input");
  const lists = [...form.querySelectorAll("select")];
  const count = form.querySelector(".sl-count");
  const rows = [...ledger.querySelectorAll("tbody tr")];
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
    // Spoken once the reader has come to rest.
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      count.textContent = shown ? `${shown} of ${rows.length} statements` : `None of ${rows.length} statements. Try fewer words, or show all.`;
    }, 250);
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
}
