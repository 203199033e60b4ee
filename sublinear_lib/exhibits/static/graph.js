// Highlights, zooms and switches between the views of the graph; the drawing is complete without it.
for (const root of document.querySelectorAll(".sl-graph:not([data-ready])")) {
  root.dataset.ready = "1";
  const tools = root.querySelector(".sl-tools");
  const radios = [...tools.querySelectorAll("input")];

  const views = [...root.querySelectorAll(".sl-view")].map((figure) => {
    const nodes = new Map([...figure.querySelectorAll(".sl-node")].map((node) => [node.dataset.id, node]));
    const below = new Map([...nodes].map(([id, node]) => [id, node.dataset.uses.split(" ").filter(Boolean)]));
    const above = new Map([...nodes.keys()].map((id) => [id, []]));
    for (const [id, used] of below) for (const each of used) above.get(each).push(id);
    const edges = [...figure.querySelectorAll(".sl-edges path")];
    return { figure, nodes, below, above, edges, panel: figure.querySelector(".sl-panel") };
  });

  /** Everything that can be reached from a node, the node itself included. */
  const reached = (start, next) => {
    const found = new Set([start]);
    for (const id of found) for (const each of next.get(id)) found.add(each);
    return found;
  };
  const say = (ids, nodes) => [...ids].map((id) => nodes.get(id).dataset.name).join(", ");

  const highlight = (view, id) => {
    const down = reached(id, view.below);
    const up = reached(id, view.above);
    root.classList.add("sl-busy");
    for (const [each, node] of view.nodes) node.classList.toggle("sl-near", down.has(each) || up.has(each));
    for (const edge of view.edges) {
      const { from, to } = edge.dataset;
      edge.classList.toggle("sl-below", down.has(from) && down.has(to));
      edge.classList.toggle("sl-above", up.has(from) && up.has(to));
    }
    const { name, verdict, known, plain } = view.nodes.get(id).dataset;
    down.delete(id);
    up.delete(id);
    const strong = document.createElement("strong");
    strong.textContent = `${name}: ${verdict}, ${known}. `;
    const rests = down.size ? ` It rests on ${say(down, view.nodes)}.` : " It rests on no other statement.";
    const carries = up.size ? ` On it rest ${say(up, view.nodes)}.` : " Nothing rests on it.";
    view.panel.replaceChildren(strong, `${plain}${rests}${carries}`);
  };
  const calm = (view) => {
    const focused = view.figure.contains(document.activeElement) && document.activeElement.closest(".sl-node");
    if (focused) highlight(view, focused.dataset.id);
    else root.classList.remove("sl-busy");
  };

  /** The nearest node in a direction: mostly ahead, little aside. */
  const towards = (view, node, [dx, dy]) => {
    const center = (one) => {
      const box = one.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const [x, y] = center(node);
    let best = null;
    let least = Infinity;
    for (const other of view.nodes.values()) {
      const [u, v] = center(other);
      const ahead = (u - x) * dx + (v - y) * dy;
      const aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (other !== node && ahead > 1 && ahead + 2 * aside < least) [best, least] = [other, ahead + 2 * aside];
    }
    return best;
  };
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  for (const view of views) {
    view.figure.addEventListener("focusin", (event) => {
      const node = event.target.closest(".sl-node");
      if (node) highlight(view, node.dataset.id);
      else calm(view);
    });
    view.figure.addEventListener("focusout", () => setTimeout(() => calm(view)));
    view.figure.addEventListener("pointerover", (event) => {
      const node = event.target.closest(".sl-node");
      if (node) highlight(view, node.dataset.id);
    });
    view.figure.addEventListener("pointerout", (event) => {
      if (!event.relatedTarget?.closest?.(".sl-node")) calm(view);
    });
    view.figure.addEventListener("keydown", (event) => {
      const node = event.target.closest(".sl-node");
      const direction = ARROWS[event.key];
      if (!node || !direction || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      towards(view, node, direction)?.focus();
    });
  }

  const choose = (name) => {
    for (const radio of radios) radio.checked = radio.value === name;
    for (const { figure } of views) figure.hidden = figure.dataset.view !== name;
    root.classList.remove("sl-busy");
  };
  const resize = (factor) => {
    const figure = views.find((view) => !view.figure.hidden).figure;
    const room = figure.querySelector(".sl-scroll").clientWidth;
    const natural = figure.querySelector("svg").viewBox.baseVal.width;
    const zoom = figure.querySelector("svg").clientWidth / natural;
    const wanted = factor ? Math.min(3, Math.max(0.25, zoom * factor)) : room / natural;
    root.style.setProperty("--sl-wide", `${Math.floor(wanted * natural)}px`);
  };

  /** A link to a node shows the view that has it, and leads to it. */
  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && [...root.querySelectorAll("[id]")].find((each) => each.id === id);
    if (!target) return;
    choose(target.closest(".sl-view").dataset.view);
    if (target.matches(".sl-node")) {
      target.focus({ preventScroll: true });
      target.scrollIntoView({ block: "center", inline: "center" });
    }
  };

  tools.hidden = false;
  tools.addEventListener("change", (event) => choose(event.target.value));
  for (const button of tools.querySelectorAll("button")) button.addEventListener("click", () => resize(+button.dataset.zoom));
  choose("printed");
  addEventListener("hashchange", follow);
  if (document.readyState === "complete") follow();
  else addEventListener("load", follow);
}
