// The front end of every explorer: it draws the views that Python computed, and nothing else.
//
// No formula of the book is in this file; it knows scales, marks and labels.  The same module runs
// in Jupyter (live kernel), in the static page (mounted by widgets-boot.js) and from file://, so it
// imports nothing and asks the network for nothing.  The table format is that of widgets/table.py
// and the label markup that of plotting/richtext.py; change them together.

const SVG = "http://www.w3.org/2000/svg";
const VERSION = 2;
const ARRAYS = ["x", "y", "lower", "upper", "edges", "heights"];

// ---- the table ---------------------------------------------------------------------------------

/** Decompress a packed table: base64 of zlib of JSON. */
export async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** Return the places of the bits that are set in hexadecimal digits of four bits. */
const numbers = (bits) => [...bits].flatMap((digit, k) => [0, 1, 2, 3].filter((j) => parseInt(digit, 16) & (8 >> j)).map((j) => 4 * k + j));

/** Return a mark of a table with its arrays. */
function markOf(table, number) {
  const mark = { ...table.marks[number] };
  for (const name of ARRAYS) if (name in mark) mark[name] = table.arrays[mark[name]];
  return mark;
}

/** Put one view together again from the pools of a table. */
export function viewAt(table, position) {
  if (table.version !== VERSION) throw new Error(`table has version ${table.version}, not ${VERSION}`);
  const [x, y, marks, readouts, sentence, warning, equal] = table.views[table.grid[position]];
  return {
    x: table.axes[x],
    y: table.axes[y],
    marks: marks.map((number) => {
      const mark = markOf(table, number);
      if ("only" in mark) mark.only = numbers(mark.only);
      return mark;
    }),
    readouts: readouts.map(([label, text]) => [table.strings[label], table.strings[text]]),
    sentence: table.strings[sentence],
    warning: warning === null ? null : table.strings[warning],
    equal,
  };
}

// ---- labels ------------------------------------------------------------------------------------

const MARKUP = /\\([\\*^_])|\*([^*{}\s](?:[^*{}]*[^*{}\s])?)\*|([\^_])\{([^{}]*)\}/g;

/** Split a label into runs {text, italic, level}. */
function runs(text, level = 0) {
  const found = [];
  let end = 0;
  const add = (piece, italic = false) => piece && found.push({ text: piece, italic, level });
  for (const match of text.matchAll(MARKUP)) {
    add(text.slice(end, match.index));
    if (match[1] !== undefined) add(match[1]);
    else if (match[2] !== undefined) add(match[2], true);
    else found.push(...runs(match[4], match[3] === "^" ? 1 : -1));
    end = match.index + match[0].length;
  }
  add(text.slice(end));
  return found;
}

/** Return a label as it is read aloud. */
const plain = (text) => runs(text).map((run) => (run.level > 0 ? ` to the ${run.text}` : run.level ? ` sub ${run.text}` : run.text)).join("");

/** Make an SVG element. */
function svg(tag, attributes, parent, text) {
  const element = document.createElementNS(SVG, tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) {
    let offset = 0;
    for (const run of runs(text)) {
      const size = run.level ? 0.74 : 1;
      const target = run.level > 0 ? -0.36 : run.level < 0 ? 0.216 : 0;
      const span = document.createElementNS(SVG, "tspan");
      if (target !== offset) span.setAttribute("dy", `${((target - offset) / size).toFixed(2)}em`);
      if (run.level) span.setAttribute("font-size", "74%");
      if (run.italic) span.setAttribute("font-style", "italic");
      span.textContent = run.text;
      element.append(span);
      offset = target;
    }
  }
  parent?.append(element);
  return element;
}

/** Make an HTML element; `text` is in the label markup. */
function html(tag, attributes, parent, text) {
  const element = document.createElement(tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) setText(element, text);
  parent?.append(element);
  return element;
}

function setText(element, text) {
  element.replaceChildren(
    ...runs(text).map((run) => {
      let node = document.createTextNode(run.text);
      for (const tag of [run.italic && "i", run.level && (run.level > 0 ? "sup" : "sub")]) {
        if (!tag) continue;
        const outer = document.createElement(tag);
        outer.append(node);
        node = outer;
      }
      return node;
    }),
  );
}

const color = (role) => (role === "ink" ? "currentColor" : `var(--sl-${role})`);

// ---- the drawing -------------------------------------------------------------------------------

/** Move positions as little as possible so that neighbors are `gap` apart (as in plotting). */
function spread(wanted, gap, low, high) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b] || a - b);
  const clusters = [];
  for (const i of order) {
    let center = Math.min(Math.max(wanted[i], low), high);
    let size = 1;
    while (clusters.length) {
      const before = clusters[clusters.length - 1];
      if (center - before.center >= (gap * (size + before.size)) / 2) break;
      clusters.pop();
      center = (center * size + before.center * before.size) / (size + before.size);
      size += before.size;
      const half = (gap * (size - 1)) / 2;
      center = Math.max(low + half, Math.min(center, high - half));
    }
    clusters.push({ center, size });
  }
  const places = clusters.flatMap(({ center, size }) =>
    Array.from({ length: size }, (_, k) => center + gap * (k - (size - 1) / 2)),
  );
  const result = [];
  order.forEach((i, k) => (result[i] = places[k]));
  return result;
}

/** Return the map from data to pixels of an axis. */
function scale(axis, start, stop) {
  const f = axis.scale === "linear" ? (v) => v : Math.log;
  const low = f(axis.low);
  const unit = (stop - start) / (f(axis.high) - low);
  return (v) => start + unit * (f(v) - low);
}

const px = (value) => Math.round(value * 10) / 10;

/** Return the outline of the part of a plot beyond an oblique line, and the two ends of the line. */
function beyond({ normal: [u, v], offset }, { x, y }) {
  const corners = [[x.low, y.low], [x.high, y.low], [x.high, y.high], [x.low, y.high]];
  const heights = corners.map(([a, b]) => u * a + v * b - offset);
  const outline = [];
  const ends = [];
  corners.forEach((corner, i) => {
    const k = (i + 1) % 4;
    if (heights[i] > 0) outline.push(corner);
    if (heights[i] > 0 === heights[k] > 0) return;
    const share = heights[i] / (heights[i] - heights[k]);
    ends.push(corner.map((value, axis) => value + share * (corners[k][axis] - value)));
    outline.push(ends[ends.length - 1]);
  });
  return { outline, ends };
}

class Plot {
  constructor(parent, titleId, table, onDrag) {
    this.table = table;
    const id = `sl-${Math.random().toString(36).slice(2, 10)}`;
    this.id = id;
    this.host = html("div", { class: "sl-plot" }, parent);
    this.svg = svg("svg", { role: "img", "aria-labelledby": titleId, "aria-describedby": `${id}-d` }, this.host);
    this.description = svg("desc", { id: `${id}-d` }, this.svg);
    this.clips = svg("defs", {}, this.svg);
    this.body = svg("g", {}, this.svg);
    this.measure = document.createElement("canvas").getContext("2d");
    this.widths = new Map();
    this.onDrag = onDrag;
    this.svg.addEventListener("pointerdown", (event) => this.grab(event));
    this.svg.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, () => (this.dragging = null));
  }

  resize(width) {
    this.width = Math.max(240, Math.floor(width));
    this.narrow = this.width < 520;
    this.size = this.narrow ? 12.25 : 13;
    this.measure.font = `${this.size}px ${getComputedStyle(this.host).fontFamily}`;
    this.widths.clear();
    this.reserve();
  }

  /** Give margins and names the room of the fullest view: nothing jumps. */
  reserve() {
    const { axes, marks, views } = this.table;
    const named = new Set(views.map(([, y, numbers]) => JSON.stringify([y, numbers.filter((number) => marks[number].label)])));
    this.left = this.right = 16;
    this.keyRows = this.aboveRows = 0;
    for (const text of named) {
      const [y, numbers] = JSON.parse(text);
      const { end, key, above } = this.names(numbers.map((number) => markOf(this.table, number)));
      this.left = Math.max(this.left, ...axes[y].texts.map((text) => this.textWidth(text) + 14));
      this.right = Math.max(this.right, ...end.map((mark) => this.textWidth(mark.label) + 26));
      this.keyRows = Math.max(this.keyRows, this.keyPlaces(key).rows);
      this.aboveRows = Math.max(this.aboveRows, above.length);
    }
  }

  /** Sort marks by where they are named. */
  names(marks) {
    const named = { end: [], key: [], above: [], beside: [] };
    for (const mark of marks) named[this.place(mark)]?.push(mark);
    // Regions highest: a rule reaches up to its name and would cross theirs.
    named.above.sort((a, b) => (a.kind === "region") - (b.kind === "region"));
    return named;
  }

  keyPlaces(marks) {
    let [x, rows] = [0, marks.length ? 1 : 0];
    const places = marks.map((mark) => {
      const width = this.textWidth(mark.label) + 40;
      if (x > 0 && x + width > this.width) [x, rows] = [0, rows + 1];
      x += width;
      return [x - width, rows - 1];
    });
    return { places, rows };
  }

  textWidth(text) {
    if (!this.widths.has(text)) {
      const small = runs(text).reduce((sum, run) => sum + this.measure.measureText(run.text).width * (run.level ? 0.74 : 1), 0);
      this.widths.set(text, small);
    }
    return this.widths.get(text);
  }

  text(x, y, text, attributes = {}, role = "ink") {
    return svg("text", { x: px(x), y: px(y), style: `fill:${color(role)}`, ...attributes }, this.body, text);
  }

  /** Where a mark is named: at its end on the right, in the key, above the plot, or, if it is one
   * wide ring, beside it. */
  place(mark) {
    if (!mark.label) return null;
    if (mark.hollow && mark.size >= 16 && mark.x.length === 1) return "beside";
    if (mark.kind === "line" || ((mark.kind === "rule" || mark.kind === "region") && mark.axis === "y")) return this.narrow ? "key" : "end";
    return mark.kind === "rule" || mark.kind === "region" ? "above" : "key";
  }

  draw(view) {
    this.view = view;
    const line = this.size + 5;
    const named = this.names(view.marks);
    const { left, right } = this;
    const room = this.width - left - right;
    const ratio = view.equal && (view.y.high - view.y.low) / (view.x.high - view.x.low);
    const plotHeight = ratio ? Math.min(380, room * ratio) : Math.max(190, Math.min(270, this.width * 0.5));
    const indent = ratio ? (room - plotHeight / ratio) / 2 : 0;

    // Rows above the plot: label of the y axis, key, one row for each vertical rule or region.
    const keys = this.keyPlaces(named.key).places;
    const top = line * (1 + this.keyRows + this.aboveRows) + 10;
    const height = top + plotHeight + 2.9 * line;
    const [x0, x1, y0, y1] = [left + indent, this.width - right - indent, top + plotHeight, top];
    const X = (this.X = scale(view.x, x0, x1));
    const Y = (this.Y = scale(view.y, y0, y1));
    this.frame = { x0, x1, y0, y1 };

    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${px(height)}`);
    this.svg.style.fontSize = `${this.size}px`;
    this.body.replaceChildren();
    this.clips.replaceChildren();
    const clip = (name, from, to, pad = 0) => {
      const element = svg("clipPath", { id: `${this.id}-${name}` }, this.clips);
      svg("rect", { x: px(from), y: px(y1 - 6 - pad), width: px(Math.max(0, to - from) + pad), height: px(y0 - y1 + 6 + 2 * pad) }, element);
      return `url(#${this.id}-${name})`;
    };

    // Axes.
    for (const [i, value] of view.y.ticks.entries()) {
      const y = px(Y(value));
      svg("path", { d: `M${x0} ${y}H${px(x1)}`, class: "sl-grid" }, this.body);
      this.text(x0 - 8, y + this.size * 0.36, view.y.texts[i], { "text-anchor": "end", class: "sl-tick" }, "muted");
    }
    svg("path", { d: `M${x0} ${px(y0)}H${px(x1)}`, class: "sl-axis" }, this.body);
    let occupied = -Infinity;
    for (const [i, value] of view.x.ticks.entries()) {
      const x = px(X(value));
      svg("path", { d: `M${x} ${px(y0)}v5`, class: "sl-axis" }, this.body);
      const half = this.textWidth(view.x.texts[i]) / 2;
      if (x - half < occupied) continue; // labels that would touch are left out
      occupied = x + half + 8;
      this.text(x, y0 + line, view.x.texts[i], { "text-anchor": "middle", class: "sl-tick" }, "muted");
    }
    this.text((x0 + x1) / 2, y0 + line * 2.2, view.x.label, { "text-anchor": "middle" });
    this.text(0, line - 4, view.y.label);

    // Marks.  A vertical rule reaches up to its name.
    const rows = new Map(named.above.map((mark, i) => [mark, top - line * i - 11]));
    this.rise = (mark) => (rows.has(mark) ? rows.get(mark) + 4 : y1 - 6);
    const inside = clip("all", x0, x1);
    view.marks.forEach((mark, number) => {
      let where = inside;
      if (mark.kind === "rule") {
        const at = mark.axis === "x" ? X(mark.at) : Y(mark.at);
        const [from, to] = mark.axis === "x" ? [x0, x1] : [y1, y0];
        if (at < from - 1 || at > to + 1) return;
        where = "none";
      }
      if (mark.within) where = clip(`w${number}`, Math.max(x0, X(mark.within[0])), Math.min(x1, X(mark.within[1])));
      // Whole at the frame.
      if (mark.kind === "points") where = clip("points", x0 - 20, x1, 20);
      this.mark(mark, svg("g", { "clip-path": where }, this.body), X, Y);
    });

    // Names.
    named.key.forEach((mark, i) => this.keyEntry(mark, keys[i][0], line * (2 + keys[i][1]) - 4));
    for (const [mark, y] of rows) this.nameAbove(mark, y);
    this.nameEnds(named.end, X, Y, line);
    for (const mark of named.beside) {
      const [x, far] = [X(mark.x[0]), mark.size / 2 + 5];
      const fits = x + far + this.textWidth(mark.label) < this.width;
      const place = fits ? [x + far, Y(mark.y[0]) + this.size * 0.36] : [this.width, Y(mark.y[0]) - far];
      this.text(...place, mark.label, { "text-anchor": fits ? "start" : "end", class: "sl-halo" }, mark.role);
    }
    this.handles();
  }

  mark(mark, group, X, Y) {
    const { x0, x1, y0, y1 } = this.frame;
    const paint = color(mark.role);
    const path = (d, style) => svg("path", { d, style: `fill:none;stroke:${paint};${style}` }, group);
    const area = (d, opacity) => svg("path", { d, style: `fill:${paint};fill-opacity:${opacity}` }, group);
    const dash = mark.dash ? "stroke-dasharray:7 5;" : "";
    if (mark.kind === "line") {
      let d = "";
      let pen = "M";
      for (let i = 0; i < mark.x.length; i++) {
        const y = mark.y[i] === null ? NaN : Y(mark.y[i]);
        if (Number.isFinite(y)) {
          d += `${pen}${px(X(mark.x[i]))} ${px(Math.max(-2000, Math.min(4000, y)))}`;
          pen = "L";
        } else pen = "M";
      }
      path(d, `stroke-width:${mark.width};${dash}`).classList.add("sl-line");
    } else if (mark.kind === "points") {
      if (mark.lower) path(mark.x.map((v, i) => `M${px(X(v))} ${px(Y(mark.lower[i]))}V${px(Y(mark.upper[i]))}`).join(""), "stroke-width:1.5");
      const within = ({ low, high }, value) => value >= low && value <= high;
      const shown = (mark.only ?? mark.x.map((_, i) => i)).filter((i) => within(this.view.x, mark.x[i]) && within(this.view.y, mark.y[i]));
      const at = (i) => `M${px(X(mark.x[i]))} ${px(Y(mark.y[i]))}`;
      if (mark.hollow) {
        const r = mark.size / 2 - 1;
        path(shown.map((i) => `${at(i)}m${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`).join(""), "stroke-width:2");
      } else {
        const dots = shown.map((i) => `${at(i)}h0`).join("");
        path(dots, `stroke:var(--sl-paper);stroke-width:${mark.size + 3};stroke-linecap:round`);
        path(dots, `stroke-width:${mark.size};stroke-linecap:round`);
      }
    } else if (mark.kind === "bars") {
      const gap = (X(mark.edges[1]) - X(mark.edges[0]) > 5 ? 1 : 0) / 2;
      const bars = (outline) => mark.heights.map((h, i) => (h ? outline(px(X(mark.edges[i]) + gap), px(Y(h)), px(X(mark.edges[i + 1]) - gap)) : "")).join("");
      area(bars((from, top, to) => `M${from} ${y0}V${top}H${to}V${y0}Z`), 0.45);
      path(bars((from, top, to) => `M${from} ${top}H${to}`), "stroke-width:1.5"); // the tint alone is too pale
    } else if (mark.kind === "band") {
      const upper = mark.x.map((v, i) => `${px(X(v))} ${px(Y(mark.upper[i]))}`);
      const lower = mark.x.map((v, i) => `${px(X(v))} ${px(Y(mark.lower[i]))}`).reverse();
      area(`M${[...upper, ...lower].join("L")}Z`, 0.25);
    } else if (mark.kind === "rule") {
      const at = px((mark.axis === "x" ? X : Y)(mark.at));
      path(mark.axis === "x" ? `M${at} ${y0}V${px(this.rise(mark))}` : `M${x0} ${at}H${x1}`, `stroke-width:2;${dash}`).classList.add("sl-rule");
    } else if (mark.kind === "halfplane") {
      const { outline, ends } = beyond(mark, this.view);
      const along = (places) => `M${places.map(([a, b]) => `${px(X(a))} ${px(Y(b))}`).join("L")}`;
      if (outline.length) area(`${along(outline)}Z`, 0.12);
      if (ends.length) path(along(ends), "stroke-width:2").classList.add("sl-rule");
    } else {
      const along = mark.axis === "x" ? X : Y;
      const ends = mark.axis === "x" ? [x0, x1] : [y0, y1];
      const [a, b] = [mark.start, mark.stop].map((v, i) => px(v === null ? ends[i] : along(v)));
      area(mark.axis === "x" ? `M${a} ${y0}V${y1}H${b}V${y0}Z` : `M${x0} ${a}H${x1}V${b}H${x0}Z`, 0.12);
    }
  }

  keyEntry(mark, x, y) {
    const style = mark.kind === "line" || mark.kind === "rule"
      ? `stroke:${color(mark.role)};stroke-width:2.5;${mark.dash ? "stroke-dasharray:7 4" : ""}`
      : `stroke:${color(mark.role)};stroke-width:${mark.kind === "points" ? 9 : 11};stroke-opacity:${mark.kind === "points" ? 1 : 0.5};`;
    const middle = px(y - this.size * 0.34);
    if (mark.hollow) svg("circle", { cx: x + 9, cy: middle, r: 4.5, style: `fill:none;stroke:${color(mark.role)};stroke-width:2` }, this.body);
    else svg("path", { d: mark.kind === "points" ? `M${x + 9} ${middle}h0` : `M${x} ${middle}h18`, style: mark.kind === "points" ? `${style}stroke-linecap:round` : style }, this.body);
    this.text(x + 25, y, mark.label, {}, mark.role);
  }

  nameAbove(mark, y) {
    const { x0, x1 } = this.frame;
    const at = mark.kind === "rule" ? this.X(mark.at)
      : ((mark.start === null ? x0 : Math.max(x0, this.X(mark.start))) + (mark.stop === null ? x1 : Math.min(x1, this.X(mark.stop)))) / 2;
    if (!(at >= x0 - 1 && at <= x1 + 1)) return;
    const half = this.textWidth(mark.label) / 2;
    const x = Math.max(half, Math.min(at, this.width - half));
    this.text(x, y, mark.label, { "text-anchor": "middle", "font-weight": 600, class: "sl-halo" }, mark.role);
  }

  nameEnds(marks, X, Y, line) {
    const { x1, y0, y1 } = this.frame;
    const ends = marks.map((mark) => {
      if (mark.kind === "rule") return Y(mark.at);
      if (mark.kind === "region") return ((mark.start === null ? y0 : Y(mark.start)) + (mark.stop === null ? y1 : Y(mark.stop))) / 2;
      const stop = Math.min(this.view.x.high, mark.within ? mark.within[1] : Infinity);
      for (let i = mark.x.length - 1; i >= 0; i--) if (mark.x[i] <= stop && mark.y[i] !== null) return Y(mark.y[i]);
      return y0;
    }).map((y) => Math.max(y1, Math.min(y0, y)));
    const places = spread(ends, line, y1, y0);
    marks.forEach((mark, i) => {
      if (Math.abs(places[i] - ends[i]) > 2) svg("path", { d: `M${x1 + 2} ${px(ends[i])}L${x1 + 14} ${px(places[i])}`, style: `fill:none;stroke:${color(mark.role)}` }, this.body);
      this.text(x1 + (Math.abs(places[i] - ends[i]) > 2 ? 18 : 8), places[i] + this.size * 0.36, mark.label, {}, mark.role);
    });
  }

  /** Vertical rules that stand for a slider get a grip and a wide invisible line to take hold of. */
  handles() {
    const { y0, y1 } = this.frame;
    for (const mark of this.view.marks) {
      if (!mark.drag) continue;
      if (mark.kind === "halfplane") {
        const { ends } = beyond(mark, this.view);
        const d = ends.length && `M${ends.map(([a, b]) => `${px(this.X(a))} ${px(this.Y(b))}`).join("L")}`;
        if (d) svg("path", { d, class: "sl-grip sl-oblique", "data-drag": mark.drag }, this.body);
        continue;
      }
      const x = px(this.X(mark.at));
      svg("circle", { cx: x, cy: px(y0), r: 6, style: `fill:${color(mark.role)};stroke:var(--sl-paper);stroke-width:2` }, this.body);
      svg("path", { d: `M${x} ${px(y0 + 12)}V${px(y1 - 6)}`, class: "sl-grip", "data-drag": mark.drag }, this.body);
    }
  }

  grab(event) {
    const name = event.target.getAttribute("data-drag");
    if (!name || event.button) return;
    event.preventDefault();
    this.dragging = name;
    this.svg.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.dragging) return;
    const box = this.svg.getBoundingClientRect();
    const { x0, x1, y0, y1 } = this.frame;
    const unit = this.width / box.width; // of the drawing in one of the screen
    const at = (axis, pixel, from, to) => {
      const share = Math.max(0, Math.min(1, (pixel * unit - from) / (to - from)));
      return axis.scale === "linear" ? axis.low + share * (axis.high - axis.low) : axis.low * (axis.high / axis.low) ** share;
    };
    const x = at(this.view.x, event.clientX - box.left, x0, x1);
    const { normal } = this.view.marks.find((mark) => mark.drag === this.dragging);
    this.onDrag(this.dragging, normal ? normal[0] * x + normal[1] * at(this.view.y, event.clientY - box.top, y0, y1) : x);
  }
}

// ---- the numbers as tables ---------------------------------------------------------------------

/** Build one table for each set of marks that share their x. */
function tablesOf(view) {
  const groups = new Map();
  for (const mark of view.marks) {
    const key = mark.x ?? mark.edges;
    if (!key) continue;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(mark);
  }
  const fragment = document.createDocumentFragment();
  const name = (mark, suffix = "") => `${mark.label || view.y.label}${suffix}`;
  const show = (value) => (value === null ? "–" : String(value));
  for (const [keys, marks] of groups) {
    const bars = marks[0].kind === "bars";
    const heads = bars ? [`${view.x.label}, from`, "to"] : [view.x.label];
    const columns = bars ? [keys.slice(0, -1), keys.slice(1)] : [keys];
    for (const mark of marks) {
      for (const [part, suffix] of [["y", ""], ["heights", ""], ["lower", ", lower"], ["upper", ", upper"]]) {
        if (!mark[part]) continue;
        heads.push(name(mark, suffix));
        columns.push(mark.only ? mark[part].map((value, i) => (mark.only.includes(i) ? value : null)) : mark[part]);
      }
    }
    const table = html("table", {}, fragment);
    const row = html("tr", {}, html("thead", {}, table));
    for (const head of heads) html("th", { scope: "col" }, row, head);
    const body = html("tbody", {}, table);
    columns[0].forEach((_, i) => {
      const cells = html("tr", {}, body);
      for (const column of columns) html("td", {}, cells).textContent = show(column[i]);
    });
  }
  const lines = view.marks.filter((mark) => ["rule", "region", "halfplane"].includes(mark.kind));
  if (lines.length) {
    const list = html("ul", {}, fragment);
    for (const mark of lines) {
      if (mark.normal) {
        html("li", {}, list, `${mark.label} – normal: (${mark.normal.join(", ")}), offset: ${mark.offset}`);
        continue;
      }
      const where = view[mark.axis].label;
      const range = mark.kind === "rule" ? show(mark.at) : `${mark.start ?? "start"} to ${mark.stop ?? "end"}`;
      html("li", {}, list, `${mark.label ? `${mark.label} – ` : ""}${where}: ${range}`);
    }
  }
  return fragment;
}

// ---- the widget --------------------------------------------------------------------------------

const opened = new Map(); // unpacked tables by key, shared by the views of one explorer

async function render({ model, el: root }) {
  const key = model.get("_key");
  if (!opened.has(key)) opened.set(key, unpack(model.get("_table")));
  const table = await opened.get(key);
  const spec = model.get("_spec");
  const controls = spec.controls;
  const titleId = `sl-${Math.random().toString(36).slice(2, 10)}`;

  root.classList.add("sl-explorer");
  root.setAttribute("role", "group");
  root.setAttribute("aria-labelledby", titleId);
  // JupyterLab takes arrow keys away in command mode unless both of the following are done.
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  root.addEventListener("keydown", (event) => event.stopPropagation());

  html("div", { class: "sl-title", id: titleId }, root, spec.title);
  if (spec.description) html("p", { class: "sl-description" }, root, spec.description);
  const panel = html("div", { class: "sl-controls" }, root);
  const tries = html("div", { class: "sl-tries" }, spec.tries.length ? panel : null);
  for (const [text, wanted] of spec.tries) {
    const button = html("button", { type: "button" }, tries, text);
    button.addEventListener("click", () => wanted.forEach((place, i) => place !== null && choose(i, place)));
  }
  const plot = new Plot(root, titleId, table, (name, value) => slideTo(name, value));
  const error = html("p", { class: "sl-error", role: "alert" }, root);
  const live = html("div", { class: "sl-says", "aria-live": "polite", "aria-atomic": "true" }, root);
  const sentence = html("p", { class: "sl-sentence" }, live);
  const warning = html("p", { class: "sl-warning" }, live);
  const readouts = html("dl", { class: "sl-readouts" }, root);
  const details = html("details", { class: "sl-numbers" }, root);
  html("summary", {}, details, "Show the numbers");
  const numbers = html("div", { class: "sl-scroll", tabindex: "0", role: "region", "aria-label": `Numbers: ${plain(spec.title)}` }, details);

  let position = [...model.get("position")];
  let typed = {}; // values between those of the sliders, by control; only with a live kernel
  let accepted = {}; // those of them that Python has computed with
  let view = null;
  let frame = 0;
  let settle = 0;
  let request = 0;
  let waiting = 0;
  const client = Math.random().toString(36).slice(2);

  const rows = controls.map((control, number) => {
    const id = `${titleId}-${number}`;
    const row = html("div", { class: "sl-control" }, panel);
    if (control.kind === "choice") {
      html("span", { id }, row, control.label);
      const buttons = html("div", { class: "sl-choice", role: "radiogroup", "aria-labelledby": id }, row);
      const inputs = control.texts.map((text, i) => {
        const label = html("label", {}, buttons);
        const input = html("input", { type: "radio", name: id, value: i }, label);
        html("span", {}, label, text);
        input.addEventListener("change", () => choose(number, i));
        return input;
      });
      return { show: (i) => (inputs[i].checked = true) };
    }
    html("label", { for: id }, row, control.label);
    const input = html("input", { id, type: "range", min: 0, max: control.values.length - 1, step: 1 }, row);
    const output = html("output", { for: id }, row);
    input.addEventListener("input", () => choose(number, +input.value));
    const show = (i, text = control.texts[i]) => {
      input.value = i;
      input.setAttribute("aria-valuetext", plain(text));
      setText(output, text);
    };
    return { input, show, row, output };
  });

  function stored() {
    let index = 0;
    controls.forEach((control, i) => (index = index * control.values.length + position[i]));
    return viewAt(table, index);
  }

  /** Give an element the height of the longest text that a view puts into it. */
  function hold(element, part) {
    element.style.minHeight = "";
    const texts = [...new Set(table.views.map((one) => table.strings[one[part]] ?? ""))];
    const longest = texts.sort((a, b) => b.length - a.length).slice(0, 4);
    element.hidden = !longest[0];
    const heights = longest.map((text) => (setText(element, text), element.offsetHeight));
    element.style.minHeight = `${Math.max(...heights)}px`;
  }

  /** Draw the current view now; the event tells tests how long it took. */
  function draw() {
    frame = 0;
    const start = performance.now();
    plot.draw(view);
    setText(sentence, view.sentence);
    setText(warning, view.warning ?? "");
    warning.classList.toggle("sl-off", !view.warning);
    plot.description.textContent = plain(`${view.sentence} ${view.warning ?? ""}`.trim());
    readouts.replaceChildren(
      ...view.readouts.map(([label, text]) => {
        const pair = html("div", {});
        html("dt", {}, pair, label);
        html("dd", {}, pair, text);
        return pair;
      }),
    );
    const milliseconds = performance.now() - start;
    root.dispatchEvent(new CustomEvent("sl:drawn", { bubbles: true, detail: { milliseconds } }));
  }

  /** Show a view at the next frame; the live region speaks once the reader has come to rest. */
  function present(next) {
    view = next;
    frame ||= requestAnimationFrame(draw);
    live.setAttribute("aria-busy", "true");
    clearTimeout(settle);
    settle = setTimeout(() => {
      live.removeAttribute("aria-busy");
      if (details.open) numbers.replaceChildren(tablesOf(view));
    }, 300);
  }

  function choose(number, index) {
    delete typed[controls[number].name];
    delete accepted[controls[number].name];
    position[number] = index;
    rows[number].show(index);
    fillBoxes();
    model.set("position", [...position]);
    model.save_changes();
    if (Object.keys(typed).length) evaluate();
    else {
      forget();
      present(stored());
    }
  }

  const nearest = (values, wanted) =>
    values.reduce((best, value, i) => (Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? i : best), 0);

  function slideTo(name, value) {
    const number = controls.findIndex((control) => control.name === name);
    const index = nearest(controls[number].values, value);
    if (index !== position[number]) choose(number, index);
  }

  // ---- with a live kernel ----

  function fail(message, control) {
    error.textContent = message;
    controls.forEach((one, i) => rows[i].box?.setAttribute("aria-invalid", String(Boolean(message) && one.name === control)));
  }

  /** Ask for nothing any more: an answer that is still under way belongs to a view that was left. */
  function forget() {
    request += 1;
    clearTimeout(waiting);
    fail("");
  }

  function fillBoxes() {
    controls.forEach((control, i) => rows[i].box && (rows[i].box.value = typed[control.name] ?? control.values[position[i]]));
  }

  function evaluate() {
    const values = {};
    controls.forEach((control, i) => (values[control.name] = typed[control.name] ?? control.values[position[i]]));
    model.send({ kind: "evaluate", client, request: ++request, values });
    clearTimeout(waiting);
    waiting = setTimeout(() => fail("Python does not answer. The sliders still show the stored values."), 8000);
  }

  function ready() {
    controls.forEach((control, i) => {
      if (control.kind !== "slider" || rows[i].box) return;
      const { values } = control;
      const box = html("input", {
        type: "number", class: "sl-box", min: values[0], max: values[values.length - 1],
        step: control.integer ? 1 : "any", "aria-label": `${plain(control.label)}, exact value`,
      }, rows[i].row);
      box.addEventListener("change", () => {
        if (box.value.trim() === "" || !Number.isFinite(+box.value)) return fail(`${control.name} must be a number`, control.name);
        typed[control.name] = +box.value;
        evaluate();
      });
      rows[i].box = box;
      rows[i].row.classList.add("sl-live");
    });
    fillBoxes();
  }

  function hear(message) {
    if (message?.client !== client) return;
    if (message.kind === "ready") return ready();
    if (message.request !== request) return; // an answer to an older question
    clearTimeout(waiting);
    if (message.kind === "error") {
      typed = { ...accepted }; // what was typed stays to be read, but no slider will ask for it again
      return fail(message.message, message.control);
    }
    accepted = { ...typed };
    fail("");
    controls.forEach((control, i) => {
      if (!(control.name in typed)) return;
      position[i] = nearest(control.values, typed[control.name]);
      rows[i].show(position[i], message.texts[i]);
    });
    present(viewAt(message.table, 0));
  }

  function moved() {
    const next = model.get("position");
    if (next.every((value, i) => value === position[i])) return;
    position = [...next];
    typed = {};
    accepted = {};
    rows.forEach((row, i) => row.show(position[i]));
    fillBoxes();
    forget();
    present(stored());
  }

  details.addEventListener("toggle", () => details.open && numbers.replaceChildren(tablesOf(view)));
  model.on("msg:custom", hear);
  model.on("change:position", moved);
  rows.forEach((row, i) => row.show(position[i]));
  view = stored();
  const fit = () => {
    const width = plot.host.clientWidth;
    if (!width || width === plot.measured) return;
    plot.measured = width;
    plot.resize(width);
    hold(sentence, 4);
    hold(warning, 5);
    draw();
  };
  const observer = new ResizeObserver(fit);
  observer.observe(plot.host);
  fit();
  model.send({ kind: "hello", client });

  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
    clearTimeout(settle);
    clearTimeout(waiting);
    model.off("msg:custom", hear);
    model.off("change:position", moved);
  };
}

export default { render };
