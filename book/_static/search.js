// What Sphinx's search lacks here: excerpts come from the text of a page, not from the buttons above it.
// And in a book that was opened from a folder, where a browser lets no page read another one, the
// results come without excerpts, and the page says so.
(() => {
  const results = document.getElementById("search-results");
  if (!results) return;
  const toText = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const article = new DOMParser().parseFromString(html, "text/html").querySelector("article");
    return toText(article ? `<div role="main">${article.innerHTML}</div>` : html, anchor);
  };
  if (location.protocol !== "file:") return;
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  const note = document.createElement("p");
  note.textContent =
    "These are the titles of the pages that were found. Excerpts are shown when the book comes from a server, such as that of make serve.";
  results.before(note);
})();
