// The search of the book, on its own page only. The words come from companion-index.js, which the build
// writes, so that the search works from a folder and asks nobody. Pages are ranked by BM25F (Robertson and
// Zaragoza, 2009): rare words count most, more of the same counts less and less, and a word counts more in
// the title of a page, in its headings and in the names it has in the index of the book than in its text.
// The words side by side count as one more word, and the meaning of a letter, such as tau, counts half. Chapters come before the other pages, and pages of the
// library last; pages that are equal keep the order of the book.
(() => {
  const KINDS = { chapter: 1, book: 0.75, checks: 0.3, library: 0.2 };
  const WEIGHTS = { title: 16, headings: 6, names: 6, lead: 4, text: 1 };
  const SATURATION = 1.2; // k1 and b of BM25, at their usual values
  const LENGTH = 0.75;
  const MEANING = 0.5;
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
    const short = word.replace(/(?:ences?|ances?|at(?:e|es|ed|ing|ions?)|ions?|ings?|ed|es|s|e)$/, "");
    return short.length >= 4 ? short : word;
  };
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const starting = (word) =>
    /^\d/.test(word) || word.length < 4
      ? `(?<![\\p{L}\\p{N}.])${escaped(word)}(?![\\p{L}\\p{N}])`
      : `(?<![\\p{L}\\p{N}])${escaped(stem(word))}`;

  const words = (query) => [...new Set(plain(query).match(/[\p{L}\p{N}]+(?:\.\p{N}+)*/gu) ?? [])];
  const count = (text, pattern) => text.match(pattern)?.length ?? 0;

  const fieldsOf = (sections) => ({
    title: plain(sections[0][1]),
    headings: plain(sections.slice(1).map(([, heading]) => heading).join(" | ")),
    names: plain(sections.flatMap(([, , names]) => names).join(" | ")),
    lead: plain(sections[0][3]),
    text: plain(sections.map(([, , , text]) => text).join(" | ")),
  });

  /** The pages, how long each of their fields is on the average, and what letters mean. */
  function prepared(index) {
    const pages = index.pages.map(({ page, kind, sections }) => ({
      page,
      kind,
      title: sections[0][1],
      fields: fieldsOf(sections),
      sections: sections.map((section) => ({
        anchor: section[0], heading: section[1], text: section[3], fields: fieldsOf([section]),
      })),
    }));
    const average = (field) => pages.reduce((sum, { fields }) => sum + fields[field].length, 0) / pages.length;
    const { letters } = index;
    return { pages, letters, lengths: Object.fromEntries(Object.keys(WEIGHTS).map((field) => [field, average(field)])) };
  }

  /** How often a word stands in a page or section, its fields weighted and shorter ones counting more. */
  const frequency = (pattern, fields, lengths) =>
    Object.entries(WEIGHTS).reduce((sum, [field, weight]) => {
      const length = 1 - LENGTH + (LENGTH * fields[field].length) / (lengths[field] || 1);
      return sum + (weight * count(fields[field], pattern)) / length;
    }, 0);

  /** The pages that answer a query, best first; with fewer of its words only where few have all. */
  function search({ pages, letters, lengths }, query) {
    const wanted = words(query);
    if (!wanted.length) return [];
    const patterns = wanted.map((word) => new RegExp(starting(word), "gu"));
    if (wanted.length > 1) {
      patterns.push(new RegExp(wanted.map(starting).join("[\\p{L}]*[^\\p{L}\\p{N}]{1,3}"), "gu"));
    }
    const whole = patterns.length;
    for (const word of words(wanted.map((each) => letters[each] ?? "").join(" "))) {
      if (word.length > 3) patterns.push(new RegExp(starting(word), "gu"));
    }
    const frequencies = pages.map(({ fields }) => patterns.map((pattern) => frequency(pattern, fields, lengths)));
    const rarity = patterns.map((_, word) => {
      const having = frequencies.filter((each) => each[word] > 0).length;
      return Math.log(1 + (pages.length - having + 0.5) / (having + 0.5)) * (word < whole ? 1 : MEANING);
    });
    const scored = (each) => each.reduce((sum, tf, word) => sum + (rarity[word] * tf) / (SATURATION + tf), 0);
    const best = ({ sections }) => {
      const scores = sections.map(({ fields }) => scored(patterns.map((pattern) => frequency(pattern, fields, lengths))));
      return sections[scores.indexOf(Math.max(...scores))];
    };
    const answers = pages
      .map((page, at) => ({
        page,
        found: frequencies[at].slice(0, wanted.length).filter(Boolean).length,
        score: scored(frequencies[at]) * KINDS[page.kind],
      }))
      .filter(({ found }) => found);
    const full = answers.filter(({ found }) => found === wanted.length);
    return (full.length < FEW ? answers : full)
      .sort((one, other) => other.found - one.found || other.score - one.score) // stable
      .map((answer) => ({ ...answer, section: best(answer.page), wanted }));
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
