// The search of the book, on its own page only. The words come from companion-index.js, which the build
// writes, so that the search works from a folder and asks nobody. A word counts most where _config.yml
// says that readers look for a page under it, then in the title of a page, in its headings, in the names
// that it has in the index of the book, and in its text; chapters come
// before the other pages, and pages of the library last; pages that are equal keep the order of the book.
(() => {
  const KINDS = { chapter: 1, book: 0.75, checks: 0.3, library: 0.2 };
  const [ASKED, TITLE, HEADING, NAME, TEXT] = [40, 12, 8, 6, 1];
  const [FEW, ENOUGH] = [5, 30]; // results
  const AROUND = 90; // characters on each side of what was found
  const GREEK = {
    α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", ϵ: "epsilon", η: "eta", θ: "theta",
    λ: "lambda", μ: "mu", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", ϕ: "phi", ψ: "psi", ω: "omega",
  };
  const LETTER = new RegExp(`[${Object.keys(GREEK).join("")}]`, "gu");

  const plain = (text) =>
    text
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .replace(LETTER, (letter) => ` ${GREEK[letter]} `)
      .toLowerCase()
      .replace(/[-‐‑–]/g, " ");
  /** A word without its ending, such as "converg" for "convergence": what a match begins with. */
  const stem = (word) => {
    const short = word.replace(/(?:ences?|ances?|ations?|ions?|ings?|ed|es|s|e)$/, "");
    return short.length >= 4 ? short : word;
  };
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const starting = (word) =>
    /^\d/.test(word) || word.length < 4
      ? `(?<![\\p{L}\\p{N}.])${escaped(word)}(?![\\p{L}\\p{N}])`
      : `(?<![\\p{L}\\p{N}])${escaped(stem(word))}`;

  const words = (query) => [...new Set(plain(query).match(/[\p{L}\p{N}]+(?:\.\p{N}+)*/gu) ?? [])];
  const count = (text, pattern) => text.match(pattern)?.length ?? 0;

  function prepared(index) {
    return index.map(({ page, kind, asked, sections }) => ({
      page,
      kind,
      asked: plain(asked.join(" | ")),
      title: sections[0][1],
      sections: sections.map(([anchor, heading, names, text]) => ({
        anchor, heading, text,
        plain: { heading: plain(heading), names: plain(names.join(" | ")), text: plain(text) },
      })),
    }));
  }

  /** How well a page answers, and its best section; undefined if no word of the query is there. */
  function judged(page, patterns, phrase) {
    let found = 0;
    let score = 0;
    const bySection = page.sections.map(() => 0);
    for (const pattern of [...patterns, phrase]) {
      let heading = 0;
      let name = 0;
      let text = 0;
      page.sections.forEach((section, place) => {
        const { heading: h, names: n, text: t } = section.plain;
        const here = [count(h, pattern), count(n, pattern), count(t, pattern)];
        if (place) heading += here[0];
        name += here[1];
        text += here[2];
        bySection[place] += HEADING * here[0] + NAME * here[1] + Math.log2(1 + here[2]);
      });
      const title = count(page.sections[0].plain.heading, pattern);
      const asked = count(page.asked, pattern);
      if (asked + title + heading + name + text === 0) continue;
      if (pattern !== phrase) found += 1;
      score += asked && ASKED;
      score += title && TITLE;
      score += heading && HEADING * Math.log2(1 + heading);
      score += name && NAME * Math.log2(1 + name);
      score += TEXT * Math.log2(1 + text);
    }
    if (!found) return undefined;
    const best = bySection.indexOf(Math.max(...bySection));
    return { page, found, score: score * KINDS[page.kind], section: page.sections[best] };
  }

  /** The pages that answer a query, best first; with fewer of its words only where few have all. */
  function search(pages, query) {
    const wanted = words(query);
    if (!wanted.length) return [];
    const patterns = wanted.map((word) => new RegExp(starting(word), "gu"));
    const phrase = new RegExp(wanted.map(starting).join("[\\p{L}]*[^\\p{L}\\p{N}]{1,3}"), "gu");
    const answers = pages.map((page) => judged(page, patterns, phrase)).filter(Boolean);
    const best = answers.filter((answer) => answer.found === wanted.length);
    return (best.length < FEW ? answers : best)
      .sort((one, other) => other.found - one.found || other.score - one.score) // stable
      .map((answer) => ({ ...answer, wanted }));
  }

  /** A piece of the section's text around the words that were found, side by side if they are, as nodes. */
  function excerpt({ section, wanted }) {
    const shown = [
      ...wanted.map((word) => `${starting(word)}\\p{L}*`),
      ...Object.keys(GREEK).filter((letter) => wanted.includes(GREEK[letter])),
    ];
    const pattern = new RegExp(shown.join("|"), "giu");
    const { text } = section;
    const together = new RegExp(shown.slice(0, wanted.length).join("[^\\p{L}\\p{N}]{1,3}"), "iu");
    const at = Math.max(0, text.search(together) < 0 ? text.search(pattern) : text.search(together));
    const start = at > AROUND ? text.indexOf(" ", at - AROUND) + 1 : 0;
    const end = text.length > at + AROUND ? text.lastIndexOf(" ", at + AROUND) : text.length;
    const piece = `${start ? "… " : ""}${text.slice(start, Math.max(end, at))}${end < text.length ? " …" : ""}`;
    const nodes = [];
    let last = 0;
    for (const match of piece.matchAll(pattern)) {
      nodes.push(piece.slice(last, match.index));
      nodes.push(Object.assign(document.createElement("mark"), { textContent: match[0] }));
      last = match.index + match[0].length;
    }
    return [...nodes, piece.slice(last)];
  }

  const made = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  function show(place, query, answers, root) {
    const said = answers.length
      ? `${answers.length} ${answers.length === 1 ? "page" : "pages"} for “${query}”` +
        (answers.length > ENOUGH ? `, the best ${ENOUGH}:` : ":")
      : `No page has a word of “${query}”.`;
    const list = answers.slice(0, ENOUGH).map((answer) => {
      const { page, section } = answer;
      const target = `${root}${page.page}#${section.anchor}`;
      const link = made("a", { href: `${root}${page.page}` }, page.title);
      const deeper = section === page.sections[0] ? [] : [" › ", made("a", { href: target }, section.heading)];
      return made("li", { className: `kind-${page.kind}` }, link, ...deeper, made("p", { className: "context" }, ...excerpt(answer)));
    });
    place.replaceChildren(
      made("h2", { textContent: "Search results" }),
      made("p", { role: "status", textContent: said }),
      made("ol", { className: "search" }, ...list),
    );
  }

  const place = globalThis.document?.getElementById("search-results");
  if (!place) {
    globalThis.companionSearch = { prepared, search }; // for the tests of the order
    return;
  }
  const query = new URLSearchParams(location.search).get("q")?.trim() ?? "";
  for (const field of document.querySelectorAll("input[name=q]")) field.value = query;
  if (query) {
    const root = document.documentElement.dataset.content_root;
    show(place, query, search(prepared(window.companionIndex), query), root);
  }
})();
