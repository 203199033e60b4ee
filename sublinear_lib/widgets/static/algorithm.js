// Algorithm 1, played: the algorithm for d = 3 in the page (upper half), and its picture (lower half).
//
// The computing half is a second implementation of what sublinear_lib does with
// `SublinearAdversarialTraining(adversary=ExactOnCircle(rho), index="literal")` and of its dense
// counterpart; tests/widgets/test_algorithm_player.py holds the two against each other, step by step.
// Every function of it says which line of the paper's Algorithm 1 it is.  For d = 3 the inputs are a
// circle, x(phi) = (s cos phi, s sin phi, 1/2), and a pre-activation is one wave on it,
// z_r(phi) = R_r cos(phi - psi_r) + c_r.  The module imports nothing and asks nobody.

const TURN = 2 * Math.PI;
const EPS = 2 ** -52;
const S = Math.sqrt(3) / 2; // radius of the circle of inputs
const GROUP = 64; // neurons that the index opens at once
const INSIDE = 1e-9; // radians: how far inside an arc a supremum is taken that no point attains
const SAME = 1e-11; // values of f between which rounding decides

const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
const turned = (angle) => {
  const rest = angle % TURN;
  return rest < 0 ? rest + TURN : rest;
};

// ---- the algorithm -----------------------------------------------------------------------------

/** Lines 2 to 5: the constants of a run and its first weights, a prefix of the numbers from Python. */
export function start(spec, { m, t, rho, kind }) {
  const width = spec.widths.find((one) => one.m === m);
  const draws = new Int16Array(bytes(spec.draws));
  const signs = new Uint8Array(bytes(spec.signs));
  const [W, a, b] = [new Float64Array(3 * m), new Float64Array(m), new Float64Array(m)];
  const root = Math.sqrt(m);
  for (let r = 0; r < m; r++) {
    for (let k = 0; k < 3; k++) W[3 * r + k] = draws[4 * r + k] / spec.unit / root;
    b[r] = draws[4 * r + 3] / spec.unit / root;
    a[r] = signs[r >> 3] & (128 >> (r & 7)) ? width.weight : -width.weight;
  }
  const tau = t * width.std;
  // The step size is c_0 / (2 Q(t) sum a_r^2); Python tabulated log Q.
  const table = new Float64Array(bytes(spec.tails));
  const place = Math.min(t * spec.tailsPerUnit, table.length - 1.001);
  const cell = Math.floor(place);
  const eta = width.step / Math.exp(table[cell] + (place - cell) * (table[cell + 1] - table[cell]));
  const shift = kind === "jump" ? 0 : tau;
  const X = Float64Array.from(spec.angles.flatMap((phi) => [S * Math.cos(phi), S * Math.sin(phi), 0.5]));
  return { m, t, rho, kind, W, a, b, tau, shift, eta, std: width.std, delta: spec.delta, angles: spec.angles, X, y: spec.labels, n: spec.labels.length };
}

/** Lines 6, 7, 12, 20 and 21: the half-space structure, `sublinear_lib.halfspace.cap.CapPrefix`.
 *
 * No input takes neuron r higher than U_r = s |w'_r| + w_{r,3} / 2 + b_r.  INIT sorts the neurons by
 * U, QUERY opens groups of 64 and asks everybody in those whose largest U reaches tau.  A neuron
 * that moves stays in its group, unless it rises far beyond it: then it goes to the end. */
export class Reach {
  constructor(run) {
    this.run = run;
    this.init();
  }
  /** U_r, rounded outward as in `sublinear_lib.halfspace.alive.slice_bounds`. */
  upper(r) {
    const { W, b } = this.run;
    const height = W[3 * r + 2];
    const deviation = 1.1e-9;
    return 0.5 * height + b[r] + (S + 2 * deviation) * Math.hypot(W[3 * r], W[3 * r + 1]) + deviation * Math.abs(height);
  }
  /** Line 7, INIT. */
  init() {
    const { m } = this.run;
    const upper = Float64Array.from({ length: m }, (_, r) => this.upper(r));
    const order = Array.from({ length: m }, (_, r) => r).sort((p, q) => upper[q] - upper[p] || p - q);
    this.built = m;
    this.rows = order; // by place; -1 where nobody is left
    this.place = new Int32Array(m);
    order.forEach((r, place) => (this.place[r] = place));
    this.fallen = new Uint8Array(m);
    this.highest = [];
    for (let place = 0; place < m; place += GROUP) this.highest.push(upper[order[place]]);
    const near = Math.max(1, Math.ceil(this.highest.length / 16));
    this.ceiling = this.highest.map((_, g) => (g < near ? Infinity : this.highest[g - near]));
    this.floor = this.highest.map((_, g) => this.highest[g + near] ?? -Infinity);
  }
  /** Line 12, QUERY, first half: whom it asks.  The answer is the same for every input. */
  asked() {
    const found = [];
    this.highest.forEach((upper, g) => {
      if (upper < this.run.tau) return;
      for (let place = g * GROUP; place < Math.min((g + 1) * GROUP, this.rows.length); place++) if (this.rows[place] >= 0) found.push(this.rows[place]);
    });
    return Int32Array.from(found).sort();
  }
  /** Lines 20 and 21, DELETE and ADD, for the neurons that moved. */
  update(moved) {
    const crowd = Math.max(1024, 0.25 * this.built);
    const upper = Array.from(moved, (r) => this.upper(r));
    const groups = new Set();
    const risen = [];
    moved.forEach((r, k) => {
      const place = this.place[r];
      const g = Math.floor(place / GROUP);
      groups.add(g);
      if (upper[k] > this.ceiling[g]) {
        risen.push(r);
        this.rows[place] = -1;
        this.fallen[r] = 0;
      } else this.fallen[r] = upper[k] < this.floor[g] ? 1 : 0;
    });
    if (this.fallen.reduce((sum, one) => sum + one, 0) > crowd || this.rows.length + risen.length - this.built > crowd) return this.init();
    if (risen.length) {
      const before = this.rows.length;
      for (const r of risen) {
        this.place[r] = this.rows.length;
        this.rows.push(r);
      }
      const last = Math.ceil(this.rows.length / GROUP);
      for (let g = Math.floor(before / GROUP); g < last; g++) {
        groups.add(g);
        this.ceiling[g] = Infinity; // no order at the end
        this.floor[g] ??= -Infinity;
      }
    }
    for (const g of groups) {
      this.highest[g] = -Infinity;
      for (const r of this.rows.slice(g * GROUP, (g + 1) * GROUP)) if (r >= 0) this.highest[g] = Math.max(this.highest[g], this.upper(r));
    }
  }
}

/** f on the circle: each neuron fires on one open arc, or everywhere, or nowhere.
 *
 * Between two ends of arcs f is one wave, p cos + q sin + c.  The ends are sorted; `p[e]`, `q[e]`,
 * `c[e]` are the wave before end e, and `slack` is how far an end may be from where it was computed. */
export function waves({ m, W, a, b, tau, shift }) {
  const begin = new Float64Array(m), stop = new Float64Array(m), room = new Float64Array(m);
  const A = new Float64Array(m), B = new Float64Array(m), C = new Float64Array(m);
  let [P, Q, R, count] = [0, 0, 0, 0];
  for (let r = 0; r < m; r++) {
    const u = W[3 * r], v = W[3 * r + 1], level = 0.5 * W[3 * r + 2] + b[r];
    const radius = S * Math.hypot(u, v);
    const cosine = (tau - level) / radius;
    const error = EPS * (4 * Math.abs(cosine) + (4 * (tau + Math.abs(0.5 * W[3 * r + 2]) + Math.abs(b[r]))) / radius);
    if (cosine - error >= 1) continue;
    A[count] = S * a[r] * u;
    B[count] = S * a[r] * v;
    C[count] = a[r] * (level - shift);
    if (cosine + error < -1) {
      [P, Q, R] = [P + A[count], Q + B[count], R + C[count]];
      continue;
    }
    const short = Math.acos(Math.max(-1, Math.min(1, cosine + error)));
    const long = Math.acos(Math.max(-1, Math.min(1, cosine - error)));
    const center = Math.atan2(v, u), half = 0.5 * (short + long);
    begin[count] = turned(center - half);
    stop[count] = turned(center + half);
    room[count] = 0.5 * (long - short) + 8 * EPS * TURN;
    if (begin[count] > stop[count]) [P, Q, R] = [P + A[count], Q + B[count], R + C[count]]; // fires at angle 0
    count += 1;
  }
  // Sorted as one number each: the place, with the number of the end in the bits of a second array.
  const places = new Float64Array(2 * count);
  for (let k = 0; k < count; k++) [places[2 * k], places[2 * k + 1]] = [begin[k], stop[k]];
  const order = new Uint32Array(2 * count).map((_, e) => e).sort((one, two) => places[one] - places[two]);
  const at = Float64Array.from(order, (e) => places[e]), slack = Float64Array.from(order, (e) => room[e >> 1]);
  const [p, q, c] = [0, 1, 2].map(() => new Float64Array(2 * count + 1));
  [p[0], q[0], c[0]] = [P, Q, R];
  order.forEach((e, i) => {
    const [k, sign] = [e >> 1, e & 1 ? -1 : 1];
    [p[i + 1], q[i + 1], c[i + 1]] = [p[i] + sign * A[k], q[i] + sign * B[k], c[i] + sign * C[k]];
  });
  return { at, slack, p, q, c };
}

/** The number of ends at angles below one in [0, 2 pi). */
function before({ at }, angle) {
  let [low, high] = [0, at.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle] < angle) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Line 11, for one cap: the angles of the supremum and the infimum of f over an arc of the circle.
 *
 * A crest of a wave or an end of a piece is the place; at the end of a piece, which belongs to
 * nobody, it is a little inside.  These are the steps of `CircleWave.extremes` in
 * `sublinear_lib.adversary.circle`. */
export function extremes(f, middle, half) {
  const count = f.at.length;
  const first = turned(middle - half);
  const last = first + 2 * half;
  // Start a little earlier if an end is so close that rounding hides on which side it is.
  let origin = first;
  const close = () => [-2, -1, 0, 1].some((k) => {
    const e = (before(f, turned(origin)) + k + count) % count;
    return count && Math.abs(turned(f.at[e] - origin + Math.PI) - Math.PI) <= 2 * f.slack[e];
  });
  for (let attempt = 1; attempt < 64 && close(); attempt++) origin = first - 1e-7 * attempt ** 2 * 1.6180339887;
  let pieces = [];
  let reached = -Infinity;
  let e = before(f, turned(origin));
  for (let round = origin < 0 ? -TURN : 0; ; e++) {
    if (e === count) [e, round] = [0, round + TURN];
    const left = count ? f.at[e] + round - f.slack[e] : Infinity;
    // Ends closer than their rounding have no piece between them.
    const high = left > last ? Infinity : left;
    if (reached < high) pieces.push({ low: reached, high, u: f.p[e], v: f.q[e], w: f.c[e] });
    if (left > last) break;
    reached = Math.max(reached, f.at[e] + round + f.slack[e]);
  }
  const certain = pieces.filter(({ low, high }) => Math.max(low, first) <= Math.min(high, last));
  if (certain.length) pieces = certain;
  else {
    const back = pieces.findLastIndex(({ high }) => high <= last);
    pieces = pieces.slice(back, back + 2).map((piece) => ({ ...piece, low: first, high: last }));
  }
  const clip = (value) => Math.max(first, Math.min(last, value));
  for (const piece of pieces) {
    Object.assign(piece, { low: clip(piece.low), high: clip(piece.high), height: Math.hypot(piece.u, piece.v) });
    const value = (angle) => piece.u * Math.cos(angle) + piece.v * Math.sin(angle) + piece.w;
    Object.assign(piece, { atLow: value(piece.low), atHigh: value(piece.high) });
  }
  const best = (side) => {
    const highest = Math.max(...pieces.map(({ atLow, atHigh }) => Math.max(side * atLow, side * atHigh)));
    const found = pieces.map(({ low, high, u, v, w, height, atLow, atHigh }) => {
      const top = side * w + height;
      let crest = turned(Math.atan2(side * v, side * u));
      if (crest < low) crest += TURN;
      if (top >= highest && crest > low && crest < high) return [top, crest];
      const step = Math.min(0.25 * (high - low), INSIDE / Math.max(height, 1));
      if (side * atLow >= side * atHigh) return [side * atLow, low === first ? low : low + step];
      return [side * atHigh, high === last ? high : high - step];
    });
    // The first of those between which only rounding decides.
    const most = Math.max(...found.map(([value]) => value));
    return found.find(([value]) => value >= most - SAME)[1];
  };
  return [best(1), best(-1)];
}

const preactivation = ({ W, b }, r, x) => W[3 * r] * x[0] + W[3 * r + 1] * x[1] + W[3 * r + 2] * x[2] + b[r];
export const point = (phi) => [S * Math.cos(phi), S * Math.sin(phi), 0.5];

/** Line 12, second half: which of the neurons asked fire at x. */
export function firing(run, asked, x) {
  const found = new Int32Array(asked.length);
  let count = 0;
  for (let k = 0; k < asked.length; k++) if (preactivation(run, asked[k], x) > run.tau) found[count++] = asked[k];
  return found.slice(0, count);
}

/** Line 17: f(x), with the neurons that fire only. */
export function forward(run, active, x) {
  let sum = 0;
  for (let k = 0; k < active.length; k++) sum += run.a[active[k]] * (preactivation(run, active[k], x) - run.shift);
  return sum;
}

const huber = (delta, y, f) => {
  const size = Math.abs(f - y);
  return size <= delta ? (size * (size / delta)) / 2 : size - delta / 2;
};
const slope = (delta, y, f) => Math.max(-delta, Math.min(delta, f - y)) / delta;

/** Lines 10 to 15: every example is moved (11), the structure says who fires (12), S collects (14).
 *
 * The adversary is the exact one.  Its three candidates are the clean point, the highest and the
 * lowest place of the cap, and the first of the largest losses wins. */
export function attack(run, asked) {
  const f = waves(run);
  const half = 2 * Math.asin(run.rho / (2 * S));
  return run.angles.map((phi, i) => {
    const [high, low] = extremes(f, phi, half);
    let worst = { loss: -Infinity };
    for (const angle of [phi, high, low]) {
      const x = point(angle);
      const active = firing(run, asked, x);
      const output = forward(run, active, x);
      const loss = huber(run.delta, run.y[i], output);
      if (loss > worst.loss) worst = { angle, x, active, output, loss };
    }
    return worst;
  });
}

/** Lines 16, 18 and 19: the gradient of the mean loss, for the neurons of Q_t, and the step. */
export function descend(run, examples) {
  const gradient = new Float64Array(3 * run.m);
  const seen = new Uint8Array(run.m);
  examples.forEach(({ x, output, active }, i) => {
    const factor = slope(run.delta, run.y[i], output) / run.n;
    for (const r of active) {
      seen[r] = 1;
      for (let k = 0; k < 3; k++) gradient[3 * r + k] += factor * run.a[r] * x[k];
    }
  });
  const moved = Int32Array.from(seen.keys()).filter((r) => seen[r]);
  for (const r of moved) for (let k = 0; k < 3; k++) run.W[3 * r + k] -= run.eta * gradient[3 * r + k];
  return moved;
}

/** The two runs that are compared: with the structure and without, from the same start.
 *
 * Multiplications are counted as the trainers of the library count them, in passes over a row of W
 * (3 each): a query at the moved point, the forward and the backward pass.  Line 11 is left out on
 * both sides: the exact adversary looks at the whole network in either run. */
export class Algorithm {
  constructor(spec, settings) {
    this.sparse = start(spec, settings); // lines 2 to 5
    this.dense = start(spec, settings);
    this.index = new Reach(this.sparse); // lines 6 and 7
    this.everybody = Int32Array.from({ length: settings.m }, (_, r) => r);
    this.history = [];
  }
  /** The state before step t; `step` fills in what the step does. */
  look() {
    const work = this.history.at(-1)?.work ?? [0, 0];
    return { W: this.sparse.W.slice(), asked: this.index.asked(), rows: Int32Array.from(this.index.rows), work: [...work] };
  }
  /** Lines 8 to 22: one step of both runs. */
  step() {
    const { sparse, dense, index, everybody } = this;
    const record = this.look();
    const examples = attack(sparse, record.asked); // lines 10 to 15
    const moved = descend(sparse, examples); // lines 16 to 19
    index.update(moved); // lines 20 and 21
    const all = attack(dense, everybody);
    descend(dense, all);
    const mean = (list) => list.reduce((sum, { loss }) => sum + loss, 0) / list.length;
    const fired = examples.reduce((sum, { active }) => sum + active.length, 0);
    Object.assign(record, {
      examples, moved, fired, loss: mean(examples), denseLoss: mean(all),
      gap: sparse.W.reduce((largest, w, k) => Math.max(largest, Math.abs(w - dense.W[k])), 0),
    });
    record.work[0] += 3 * (sparse.n * record.asked.length + 2 * fired);
    record.work[1] += 3 * (2 * sparse.n * sparse.m);
    this.history.push(record);
    return record;
  }
}

/** f at evenly spaced places of the circle, for the picture. */
export function around(run, places) {
  const f = waves(run);
  let e = 0;
  return Float64Array.from({ length: places }, (_, i) => {
    const phi = (i * TURN) / places;
    while (e < f.at.length && f.at[e] <= phi) e += 1;
    return f.p[e] * Math.cos(phi) + f.q[e] * Math.sin(phi) + f.c[e];
  });
}

// ---- the picture -------------------------------------------------------------------------------

const PLACES = 720; // where f is drawn around the rim
const REACH = 3.5; // standard deviations from the middle of the picture to its rim
const LINES = [
  ["7", "ds.Init(*w*_{1}, …, *w*_{m})", 0],
  ["8", "for *t* = 1, 2, …", 0],
  ["10", "for each example *i*", 1],
  ["11", "the adversary moves *x*_{i} to *x̃*_{i}", 2],
  ["12", "*Q*_{i} = ds.Query(*x̃*_{i}): who fires?", 2],
  ["17", "forward pass, only on *Q*_{i}", 1],
  ["18", "gradient, only on *Q*_{i}", 1],
  ["19", "*W* ← *W* − *η* ∇*L*, only on ∪ *Q*_{i}", 1],
  ["20, 21", "ds.Delete, ds.Add what moved", 1],
];
const AT = { init: 0, loop: 1, attack: 3, query: 4, forward: 5, gradient: 6, step: 7, update: 8 };
// One step on the screen: which line runs until which share of the time.
const PHASES = [["attack", 0.34], ["query", 0.58], ["forward", 0.66], ["gradient", 0.74], ["step", 0.92], ["update", 1]];

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const ease = (share) => (share <= 0 ? 0 : share >= 1 ? 1 : share * share * (3 - 2 * share));
const grouped = (value) => {
  const digits = String(Math.round(value));
  return digits.length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, "\u202f");
};
const large = (value) => {
  if (value < 1e5) return grouped(value);
  return value < 1e6 ? `${Math.round(value / 1e3)} thousand` : `${(value / 1e6).toPrecision(3)} million`;
};

/** Make an element; `text` knows *italic*, `bold`, _{lower} and ^{upper}. */
function make(tag, attributes = {}, parent = null, text = "") {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) write(element, text);
  parent?.append(element);
  return element;
}
const TAGS = { "*": ["i", 1], "`": ["b", 1], _: ["sub", 2], "^": ["sup", 2] };
function write(element, text) {
  const parts = text.split(/(\*[^*]+\*|`[^`]+`|[_^]\{[^}]*\})/).filter(Boolean);
  element.replaceChildren(...parts.map((part) => {
    const [tag, skip] = (part.length > 2 && TAGS[part[0]]) || [];
    if (!tag) return document.createTextNode(part);
    const inner = make(tag);
    inner.textContent = part.slice(skip, -1);
    return inner;
  }));
}

/** A canvas that is as sharp as the screen. */
class Sheet {
  constructor(parent, attributes, ratio) {
    this.canvas = make("canvas", attributes, parent);
    this.pen = this.canvas.getContext("2d");
    this.ratio = ratio;
  }
  fit() {
    const width = this.canvas.clientWidth;
    const height = Math.round(width * this.ratio);
    const dots = Math.min(2, devicePixelRatio || 1);
    if (!width || (this.width === width && this.dots === dots)) return;
    Object.assign(this, { width, height, dots });
    this.canvas.width = width * dots;
    this.canvas.height = height * dots;
  }
  /** Start a new picture. */
  clear() {
    this.pen.setTransform(this.dots, 0, 0, this.dots, 0, 0);
    this.pen.clearRect(0, 0, this.width, this.height);
    return this.pen;
  }
}

class Player {
  constructor(model, root) {
    this.spec = model.get("_spec");
    this.small = model.get("_size") === "small";
    this.root = root;
    const middle = this.spec.widths.find(({ m }) => m === 1024);
    this.settings = { m: 1024, t: this.small ? middle.printed : middle.sparse, rho: this.spec.rho, kind: "jump" };
    this.watched = 1; // the example whose point the half-plane follows; null where the reader took it
    this.phi = this.spec.angles[1];
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.forced = matchMedia("(forced-colors: active)");
    this.flashes = new Map();
    this.build();
    this.restart();
  }

  // ---- controls ----

  build() {
    const { root, small, spec } = this;
    const id = `sl-${Math.random().toString(36).slice(2, 10)}`;
    root.classList.add("sl-explorer", "sl-algorithm", ...(small ? ["sl-small"] : []));
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", "Algorithm 1, played");
    root.setAttribute("data-lm-suppress-shortcuts", "true");
    root.addEventListener("keydown", (event) => event.stopPropagation());
    const stage = make("div", { class: "sl-stage" }, root);
    this.stage = new Sheet(stage, { tabindex: 0, role: "slider", "aria-label": "the input x, an angle on the circle", "aria-valuemin": 0, "aria-valuemax": 359 }, 1);
    const side = make("div", { class: "sl-side" }, root);
    if (!small) {
      const code = make("ol", { class: "sl-code", "aria-label": "Algorithm 1 of the paper, in short" }, side);
      this.lines = LINES.map(([number, text, depth]) => {
        const line = make("li", { style: `--depth:${depth}` }, code);
        make("span", { class: "sl-no" }, line, number);
        make("span", {}, line, text);
        return line;
      });
    }
    const buttons = make("div", { class: "sl-buttons" }, side);
    const button = (name, text, action, parent = buttons) => {
      const element = make("button", { type: "button", class: `sl-${name}` }, parent, text);
      element.addEventListener("click", action);
      return element;
    };
    this.playButton = button("play", "Play", () => (this.playing ? this.pause() : this.play()));
    if (!small) {
      this.backButton = button("back", "Back", () => this.back());
      button("step", "Step", () => this.stepOnce());
      button("reset", "Reset", () => this.goTo(0));
      const row = this.row(side, "step *t*", { min: 0, max: spec.steps, value: 0 }, (value) => this.goTo(value));
      this.scrub = row;
    }
    const panel = make("div", { class: "sl-controls" }, small ? side : root);
    if (!small) {
      const { widths } = spec;
      this.width = this.row(panel, "neurons *m*", { min: 0, max: widths.length - 1, value: widths.findIndex(({ m }) => m === this.settings.m) }, (k) => this.widen(widths[k]));
    }
    this.threshold = this.row(panel, "threshold *τ*", { min: 0, max: 320, value: 100 * this.settings.t }, (value) => this.set({ t: this.snapped(value / 100) }));
    this.marks = make("div", { class: "sl-marks" }, this.threshold.track);
    for (const [name, text] of [["printed", "printed"], ["sparse", "sparse"]]) {
      const mark = button(`mark sl-${name}`, text, () => this.set({ t: this.here()[name] }), this.marks);
      mark.setAttribute("aria-label", `the ${text} threshold`);
    }
    // Below the threshold: what breaks the idea.
    this.breaker = button("break", "", () => this.breakIt(), small ? buttons : panel);
    this.sentence = make("p", { class: "sl-sentence" }, small ? side : root);
    if (!small) this.buildBelow(make("div", { class: "sl-below" }, root));
    this.live = make("div", { class: "sl-live", "aria-live": "polite", "aria-atomic": "true" }, root);
    this.listen(id);
  }

  /** A labeled slider. */
  row(parent, label, range, change) {
    const row = make("div", { class: "sl-control" }, parent);
    const id = `sl-${Math.random().toString(36).slice(2, 10)}`;
    make("label", { for: id }, row, label);
    const track = make("div", { class: "sl-track" }, row);
    const input = make("input", { id, type: "range", step: 1, ...range }, track);
    const output = make("output", { for: id }, row);
    input.addEventListener("input", () => change(+input.value));
    return { input, output, track };
  }

  buildBelow(below) {
    const figure = (title) => {
      const box = make("div", { class: "sl-panel" }, below);
      make("div", { class: "sl-caption" }, box, title);
      return box;
    };
    const index = figure("The index: neurons in the order of how far any input can push them");
    this.shelf = new Sheet(index, { "aria-hidden": "true" }, 0.36);
    const loss = figure("The loss at the adversary’s points");
    this.losses = new Sheet(loss, { "aria-hidden": "true" }, 0.36);
    this.meters = [figure("Neurons asked at an input"), figure("Multiplications")].map((box, k) => {
      return (k ? ["dense", "sparse"] : ["all", "asked", "fire"]).map((name) => {
        const row = make("div", { class: `sl-meter sl-of-${name}` }, box);
        make("span", {}, row, name);
        const bar = make("div", { class: "sl-bar" }, row);
        return { bar: make("div", {}, bar), text: make("b", {}, row) };
      });
    });
    const more = make("details", { class: "sl-more" }, this.root);
    make("summary", {}, more, "More");
    const panel = make("div", { class: "sl-controls" }, more);
    this.radius = this.row(panel, "reach *ρ* of the adversary", { min: 0, max: 30, value: 100 * this.settings.rho }, (value) => this.set({ rho: value / 100 }));
    const row = make("div", { class: "sl-control" }, panel);
    const id = `sl-${Math.random().toString(36).slice(2, 10)}`;
    make("label", { for: id }, row, "activation");
    const select = make("select", { id }, row);
    make("option", { value: "jump" }, select, "jumps at τ (the paper’s)");
    make("option", { value: "continuous" }, select, "continuous");
    select.addEventListener("change", () => this.set({ kind: select.value }));
  }

  listen() {
    const { canvas } = this.stage;
    let grip = null;
    const where = (event) => {
      const box = canvas.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left - box.width / 2, box.top + box.height / 2 - event.clientY];
      return { angle: Math.atan2(y, x), radius: Math.hypot(x, y), along: x * Math.cos(this.phi) + y * Math.sin(this.phi) };
    };
    const held = (event) => {
      const { radius, along } = where(event);
      if (radius < 0.97 * this.rim && Math.abs(along - (this.settings.t * this.rim) / REACH) < 22) return "line";
      return radius > 0.75 * this.rim || event.pointerType === "mouse" ? "input" : null;
    };
    const drag = (event) => {
      const { angle, along } = where(event);
      if (grip === "line") this.set({ t: this.snapped(clamp((along * REACH) / this.rim, 0, 3.2)) });
      else if (grip === "input") this.turnTo(angle);
      else canvas.style.cursor = held(event) === "line" ? "move" : "grab";
    };
    canvas.addEventListener("touchstart", (event) => {
      const [touch] = event.touches;
      if (held({ clientX: touch.clientX, clientY: touch.clientY, pointerType: "touch" })) event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      grip = held(event);
      if (!grip) return;
      canvas.setPointerCapture(event.pointerId);
      drag(event);
    });
    canvas.addEventListener("pointermove", drag);
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (grip = null));
    canvas.addEventListener("keydown", (event) => {
      const by = { ArrowRight: -2, ArrowUp: 2, ArrowLeft: 2, ArrowDown: -2, PageUp: 20, PageDown: -20 }[event.key];
      if (event.key === "Home") this.turnTo(0);
      else if (by) this.turnTo(this.phi + (by * Math.PI) / 180);
      else return;
      event.preventDefault();
    });
    this.observer = new ResizeObserver(() => this.refresh());
    this.observer.observe(this.root);
    this.themes = new MutationObserver(() => this.recolor());
    this.themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "class"] });
    this.forced.addEventListener("change", () => this.recolor());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor());
    this.recolor();
  }

  destroy() {
    this.pause();
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.themes.disconnect();
  }

  // ---- what the reader does ----

  here() {
    return this.spec.widths.find(({ m }) => m === this.settings.m);
  }
  /** Near a mark the threshold is the mark's. */
  snapped(t) {
    const { printed, sparse } = this.here();
    return [printed, sparse].find((mark) => Math.abs(mark - t) < 0.012) ?? t;
  }
  /** New settings: the run starts over. */
  set(change) {
    Object.assign(this.settings, change);
    this.restart();
  }
  widen(width) {
    // A threshold on a mark stays on the mark.
    const before = this.here();
    const name = ["printed", "sparse"].find((mark) => before[mark] === this.settings.t);
    this.set({ m: width.m, ...(name ? { t: width[name] } : {}) });
  }
  broken() {
    return this.settings.t <= this.here().printed + 1e-9;
  }
  breakIt() {
    this.set({ t: this.broken() ? this.here().sparse : this.here().printed });
    this.play();
  }
  turnTo(angle) {
    this.watched = null;
    this.phi = turned(angle);
    this.refresh();
  }
  restart() {
    this.algorithm = new Algorithm(this.spec, this.settings);
    this.t = 0;
    this.share = 0; // of the step that is being shown
    this.pace = 1500; // milliseconds for a step
    this.flashes.clear();
    this.refresh();
  }
  play() {
    if (this.t >= this.spec.steps) this.goTo(0);
    this.playing = true;
    this.single = false;
    this.clock = null;
    this.refresh();
  }
  pause() {
    this.playing = false;
    this.single = false;
    this.share = 0;
    this.refresh();
    this.say();
  }
  stepOnce() {
    if (this.t >= this.spec.steps) return;
    if (this.single) this.finish();
    this.playing = false;
    this.single = true;
    this.clock = null;
    if (this.calm.matches) this.finish();
    this.refresh();
  }
  back() {
    this.goTo(Math.max(0, this.t - 1));
  }
  goTo(t) {
    this.playing = this.single = false;
    this.share = 0;
    const until = performance.now() + 400;
    while (this.algorithm.history.length < t && performance.now() < until) this.algorithm.step();
    this.t = Math.min(t, this.algorithm.history.length);
    if (this.watched !== null) this.phi = this.spec.angles[this.watched];
    this.flashes.clear();
    this.refresh();
    this.say();
  }
  /** The step that is being shown is done. */
  finish() {
    this.record();
    this.t += 1;
    this.share = 0;
    if (this.single || this.t >= this.spec.steps) {
      const spoken = this.single;
      this.playing = this.single = false;
      if (spoken) this.say();
    } else if (performance.now() - (this.spoken ?? 0) > 2000) this.say();
    this.pace = Math.max(110, this.pace * 0.8);
  }
  /** The step at which the picture stands, computed when it is needed. */
  record() {
    const { history } = this.algorithm;
    return history[this.t] ?? this.algorithm.step();
  }

  // ---- time ----

  refresh() {
    this.frame ||= requestAnimationFrame((now) => this.tick(now));
  }
  tick(now) {
    this.frame = 0;
    const began = performance.now();
    if (this.playing || this.single) {
      const passed = Math.min(100, now - (this.clock ?? now));
      if (this.calm.matches) {
        this.waited = (this.waited ?? 0) + passed;
        if (this.waited > 500) {
          this.waited = 0;
          this.finish();
        }
      } else {
        this.share += passed / (this.single ? 1500 : this.pace);
        this.record();
        if (this.share >= 1) this.finish();
      }
      this.clock = now;
    }
    this.draw(now);
    if (this.playing || this.single || this.flashes.size) this.refresh();
    const milliseconds = performance.now() - began;
    this.root.dispatchEvent(new CustomEvent("sl:drawn", { bubbles: true, detail: { milliseconds } }));
  }

  recolor() {
    const style = getComputedStyle(this.root);
    const names = ["c1", "c2", "c3", "c4", "c5", "muted", "grid", "paper"];
    this.color = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--sl-${name}`).trim()]));
    this.color.ink = style.color;
    this.face = style.fontFamily;
    if (this.forced.matches) Object.assign(this.color, { c1: "Highlight", ink: "CanvasText", muted: "GrayText", grid: "GrayText", paper: "Canvas", c3: "CanvasText", c5: "CanvasText" });
    this.refresh();
  }

  // ---- the drawing ----

  draw(now) {
    const { algorithm, settings, spec, small } = this;
    const moving = this.playing || this.single;
    const record = moving && !this.calm.matches ? this.record() : algorithm.history[this.t] ?? algorithm.look();
    const next = algorithm.history[this.t + 1]?.W ?? (this.t + 1 === algorithm.history.length ? algorithm.sparse.W : null);
    let from = 0;
    let [phase, part] = ["init", 0];
    if (moving) for (const [name, until] of PHASES) {
      if (this.share < until) {
        [phase, part] = [name, (this.share - from) / (until - from)];
        break;
      }
      from = until;
    }
    const order = PHASES.findIndex(([name]) => name === phase);
    const slid = !moving || !record.examples ? 0 : order > 0 ? 1 : ease(part);
    const risen = moving && next ? (phase === "step" ? ease(part) : phase === "update" ? 1 : 0) : 0;
    const opened = !moving || order > 1 ? 1 : order < 1 ? (this.t ? 1 : 0) : part;
    const W = risen ? record.W.map((w, k) => w + risen * (next[k] - w)) : record.W;
    const places = spec.angles.map((phi, i) => phi + (record.examples ? slid * (turned(record.examples[i].angle - phi + Math.PI) - Math.PI) : 0));
    if (this.watched !== null) this.phi = places[this.watched];
    const run = { ...algorithm.sparse, W };
    const seen = { record, run, places, opened, phase, moving, now, slid };
    seen.asked = new Uint8Array(settings.m);
    const count = Math.ceil(opened * record.asked.length);
    const first = opened < 1 ? this.inOrder(record) : record.asked;
    for (let k = 0; k < count; k++) seen.asked[first[k]] = 1;
    seen.fires = new Uint8Array(settings.m);
    const active = firing(run, record.asked, point(this.phi));
    for (const r of active) seen.fires[r] = 1;
    seen.active = active.length;
    this.flash(seen);
    for (const sheet of [this.stage, this.shelf, this.losses]) sheet?.fit();
    if (!this.stage.width) return;
    this.drawStage(seen);
    if (!small) {
      this.drawShelf(seen);
      this.drawLosses();
    }
    this.tell(seen);
  }

  inOrder(record) {
    const wanted = new Set(record.asked);
    return Array.from(record.rows).filter((r) => wanted.has(r));
  }

  /** Neurons that changed their mind since the last picture blink, while the algorithm runs. */
  flash({ fires, moving, now }) {
    const before = this.before;
    if (moving && !this.calm.matches && before?.length === fires.length) fires.forEach((one, r) => one !== before[r] && this.flashes.set(r, now));
    for (const [r, since] of this.flashes) if (now - since > 600) this.flashes.delete(r);
    if (!moving) this.flashes.clear();
    this.before = fires;
  }

  drawStage(seen) {
    const { run, places, asked, fires, now, slid } = seen;
    const { color, stage, settings, spec } = this;
    const pen = stage.clear();
    const room = stage.width / 2;
    const rim = (this.rim = room - 46);
    const unit = rim / (REACH * run.std);
    const [cos, sin] = [Math.cos(this.phi), Math.sin(this.phi)];
    const at = (angle, radius) => [room + radius * Math.cos(angle), room - radius * Math.sin(angle)];
    const ring = (from, to, radius, width, paint, alpha = 1) => {
      pen.beginPath();
      pen.arc(room, room, radius, -to, -from);
      Object.assign(pen, { lineWidth: width, strokeStyle: paint, globalAlpha: alpha, lineCap: "butt" });
      pen.stroke();
      pen.globalAlpha = 1;
    };
    // The half-plane of the input: <w_r, x> + b_r > tau.
    const line = (settings.t * rim) / REACH;
    const open = Math.acos(clamp(line / rim, -1, 1));
    pen.beginPath();
    pen.arc(room, room, rim, -this.phi - open, -this.phi + open);
    pen.closePath();
    Object.assign(pen, { fillStyle: color.c1, globalAlpha: 0.11 });
    pen.fill();
    pen.globalAlpha = 1;
    ring(0, TURN, rim, 1.25, color.muted, 0.7);

    // The neurons, at s_r e_phi + t_r e_phi'.
    const grow = clamp(Math.sqrt(1024 / settings.m), 0.8, 2);
    const place = (r) => {
      const level = 0.5 * run.W[3 * r + 2] + run.b[r];
      const [u, v] = [S * run.W[3 * r], S * run.W[3 * r + 1]];
      let [along, across] = [unit * (u * cos + v * sin + level), unit * (v * cos - u * sin)];
      // Whoever would leave the picture stays at its rim, on its side of the line.
      along = clamp(along, -rim, rim);
      const most = Math.sqrt(rim * rim - along * along);
      across = clamp(across, -most, most);
      return [room + along * cos - across * sin, room - along * sin - across * cos];
    };
    const dots = (wanted, radius, paint, alpha) => {
      pen.beginPath();
      for (let r = 0; r < run.m; r++) {
        if ((fires[r] ? 2 : asked[r]) !== wanted) continue;
        const [x, y] = place(r);
        pen.moveTo(x + radius, y);
        pen.arc(x, y, radius, 0, TURN);
      }
      Object.assign(pen, { fillStyle: paint, globalAlpha: alpha });
      pen.fill();
      pen.globalAlpha = 1;
    };
    dots(0, 1.5 * grow, color.muted, 0.42);
    dots(1, 1.8 * grow, color.c2, 0.8);
    dots(2, 2.5 * grow, color.c1, 1);
    for (const [r, since] of this.flashes) {
      const age = (now - since) / 600;
      pen.beginPath();
      pen.arc(...place(r), 3 + 7 * age, 0, TURN);
      Object.assign(pen, { strokeStyle: color.c4, lineWidth: 2, globalAlpha: 1 - age });
      pen.stroke();
    }
    pen.globalAlpha = 1;

    // The line itself, and the input that turns it.
    const [ax, ay] = at(this.phi - open, rim), [bx, by] = at(this.phi + open, rim);
    pen.beginPath();
    pen.moveTo(ax, ay);
    pen.lineTo(bx, by);
    Object.assign(pen, { strokeStyle: color.ink, lineWidth: 2.25 });
    pen.stroke();

    // Around: the caps with their points, and f.
    const half = 2 * Math.asin(settings.rho / (2 * S));
    const f = around(run, PLACES);
    const [base, high] = [rim + 27, 12];
    const side = (y) => (y > 0 ? color.c3 : color.c5);
    for (const sign of [1, -1]) {
      pen.beginPath();
      for (let k = 0; k <= PLACES; k++) {
        const value = f[k % PLACES];
        pen.lineTo(...at((k * TURN) / PLACES, base + high * clamp(sign * value > 0 ? value : 0, -1.4, 1.4)));
      }
      pen.arc(room, room, base, 0, TURN, false);
      Object.assign(pen, { fillStyle: side(sign), globalAlpha: 0.55 });
      pen.fill("evenodd");
      pen.globalAlpha = 1;
    }
    ring(0, TURN, base, 1, color.muted, 0.5);
    spec.angles.forEach((phi, i) => {
      const paint = side(run.y[i]);
      ring(phi - half, phi + half, rim + 9, 7, paint, 0.3);
      // Where the network is wrong within the cap.
      for (let k = Math.ceil(((phi - half) * PLACES) / TURN); k <= ((phi + half) * PLACES) / TURN; k++) {
        if (f[(k + PLACES) % PLACES] * run.y[i] <= 0) ring(((k - 0.5) * TURN) / PLACES, ((k + 0.5) * TURN) / PLACES, rim + 9, 7, color.c4, 0.9);
      }
      const spot = (angle, radius, fill, stroke) => {
        pen.beginPath();
        pen.arc(...at(angle, rim + 9), radius, 0, TURN);
        Object.assign(pen, { fillStyle: fill, strokeStyle: stroke, lineWidth: 1.5 });
        pen.fill();
        pen.stroke();
      };
      spot(phi, 3.4, run.y[i] > 0 ? paint : color.paper, paint);
      if (slid > 0) spot(places[i], 4.2, color.ink, color.paper);
    });
    pen.beginPath();
    pen.arc(...at(this.phi, rim), 9, 0, TURN);
    Object.assign(pen, { fillStyle: color.c1, strokeStyle: color.paper, lineWidth: 2 });
    pen.fill();
    pen.stroke();
    Object.assign(pen, { fillStyle: color.paper, font: `italic 600 12px ${this.face}`, textAlign: "center", textBaseline: "middle" });
    const [hx, hy] = at(this.phi, rim);
    pen.fillText("x", hx, hy);
    this.names(pen, at, { open, rim, seen });
  }

  /** Labels in the picture, and in its corners what the colors count. */
  names(pen, at, { open, rim, seen }) {
    const { color } = this;
    Object.assign(pen, { font: `13px ${this.face}`, textBaseline: "middle", lineWidth: 4, strokeStyle: color.paper, lineJoin: "round" });
    const put = (text, x, y, paint, align) => {
      pen.textAlign = align;
      pen.strokeText(text, x, y);
      pen.fillStyle = paint;
      pen.fillText(text, x, y);
    };
    const [tx, ty] = at(this.phi - open, rim - 16);
    put("τ", tx - 9 * Math.cos(this.phi), ty + 9 * Math.sin(this.phi), color.ink, "center");
    const { width } = this.stage;
    const asked = seen.asked.reduce((sum, one) => sum + one, 0);
    put("f > 0", 6, 12, color.c3, "left");
    put("f < 0", 6, 30, color.c5, "left");
    put("fooled", width - 6, 12, color.c4, "right");
    put(`${grouped(seen.active)} fire`, 6, width - 12, color.c1, "left");
    put(`${grouped(asked - seen.fires.reduce((sum, one, r) => sum + (one && seen.asked[r]), 0))} asked in vain`, width - 6, width - 30, color.c2, "right");
    put(`${grouped(this.settings.m - asked)} never asked`, width - 6, width - 12, color.muted, "right");
  }

  drawShelf({ record, asked, fires, run }) {
    const { shelf, color, settings } = this;
    const pen = shelf.clear();
    const [left, top, bottom] = [4, 10, shelf.height - 18];
    const places = record.rows.length;
    const X = (place) => left + ((shelf.width - left - 4) * place) / places;
    const Y = (level) => bottom - ((bottom - top) * clamp(level / run.std + 1.4, 0, 6)) / 6;
    const upper = (r) => 0.5 * run.W[3 * r + 2] + run.b[r] + S * Math.hypot(run.W[3 * r], run.W[3 * r + 1]);
    const wide = Math.max(1, (shelf.width - 8) / places);
    for (const [wanted, paint, alpha] of [[0, color.muted, 0.35], [1, color.c2, 0.75], [2, color.c1, 1]]) {
      pen.beginPath();
      record.rows.forEach((r, place) => {
        if (r < 0 || (fires[r] ? 2 : asked[r]) !== wanted) return;
        const y = Y(upper(r));
        pen.rect(X(place), y, wanted === 2 ? Math.max(1.4, wide) : wide, bottom - y);
      });
      Object.assign(pen, { fillStyle: paint, globalAlpha: alpha });
      pen.fill();
    }
    pen.globalAlpha = 1;
    const level = Math.round(Y(run.tau)) + 0.5;
    pen.beginPath();
    pen.moveTo(left, level);
    pen.lineTo(shelf.width - 4, level);
    for (let g = 0; g * GROUP < places; g++) {
      pen.moveTo(X(g * GROUP), bottom + 1);
      pen.lineTo(X(g * GROUP), bottom + 5);
    }
    Object.assign(pen, { strokeStyle: color.ink, lineWidth: 1.5 });
    pen.stroke();
    Object.assign(pen, { font: `12px ${this.face}`, textBaseline: "alphabetic", textAlign: "right", fillStyle: color.ink });
    pen.fillText("τ", shelf.width - 6, level - 4);
    Object.assign(pen, { textAlign: "left", fillStyle: color.muted });
    pen.fillText("opened from the left, 64 at a time", left, shelf.height - 3);
  }

  drawLosses() {
    const { losses, color, spec, algorithm } = this;
    const pen = losses.clear();
    const [left, top, bottom] = [22, 8, losses.height - 18];
    const X = (t) => left + ((losses.width - left - 6) * t) / spec.steps;
    const Y = (loss) => bottom - ((bottom - top) * clamp(loss, 0, 1.1)) / 1.1;
    Object.assign(pen, { font: `12px ${this.face}`, textBaseline: "middle", textAlign: "right", fillStyle: color.muted, strokeStyle: color.grid, lineWidth: 1 });
    for (const value of [0, 0.5, 1]) {
      pen.beginPath();
      pen.moveTo(left, Math.round(Y(value)) + 0.5);
      pen.lineTo(losses.width - 4, Math.round(Y(value)) + 0.5);
      pen.stroke();
      pen.fillText(String(value), left - 5, Y(value));
    }
    const curve = (name, width, paint, dash) => {
      pen.beginPath();
      algorithm.history.slice(0, this.t).forEach((record, t) => pen.lineTo(X(t + 1), Y(record[name])));
      Object.assign(pen, { strokeStyle: paint, lineWidth: width });
      pen.setLineDash(dash);
      pen.stroke();
      pen.setLineDash([]);
    };
    curve("denseLoss", 5, color.c2, []);
    curve("loss", 2, color.c1, [6, 4]);
    Object.assign(pen, { textAlign: "left", textBaseline: "alphabetic", fillStyle: color.muted });
    pen.fillText(`${spec.steps} steps`, losses.width - 62, losses.height - 3);
    pen.fillStyle = color.c2;
    pen.fillText("dense", left, losses.height - 3);
    pen.fillStyle = color.c1;
    pen.fillText("sparse, on top of it", left + 42, losses.height - 3);
  }

  // ---- the words ----

  /** Multiplications: so far, or in the first step at the clean points if none has been done. */
  work({ record, run }) {
    const done = this.algorithm.history[this.t - 1]?.work;
    if (done) return done;
    this.clean ??= new WeakMap();
    if (!this.clean.has(record.W)) {
      const fired = this.spec.angles.reduce((sum, phi) => sum + firing(run, record.asked, point(phi)).length, 0);
      this.clean.set(record.W, [3 * (run.n * record.asked.length + 2 * fired), 6 * run.n * run.m]);
    }
    return this.clean.get(record.W);
  }

  tell(seen) {
    const { settings, spec, small } = this;
    const { m, t } = settings;
    const work = this.work(seen);
    const factor = work[1] / work[0];
    const times = factor < 9.95 ? factor.toFixed(1) : String(Math.round(factor));
    const asked = seen.record.asked.length;
    const who = `At this input \`${grouped(seen.active)} of ${grouped(m)}\` neurons fire; the index asked \`${grouped(asked)}\`. `;
    const how = this.t
      ? `After ${this.t} ${this.t > 1 ? "steps" : "step"}: ${large(work[0])} multiplications instead of ${large(work[1])}`
      : `The first step takes about ${large(work[0])} multiplications instead of ${large(work[1])}`;
    const end = factor < 1.25 ? ": the index saves next to nothing." : this.t ? `, \`${times} times\` fewer, and the same weights.` : `, \`${times} times\` fewer.`;
    this.words = who + how + end;
    if (this.words !== this.written) write(this.sentence, this.words);
    this.written = this.words;
    const label = this.playing ? "Pause" : "Play";
    if (this.playButton.textContent !== label) this.playButton.textContent = label;
    const mend = this.broken() ? "Mend it" : "Break it";
    if (this.breaker.textContent !== mend) this.breaker.textContent = mend;
    const put = (row, value, text, spoken = text.replace(/[*{}]/g, "")) => {
      if (+row.input.value !== value) row.input.value = value;
      if (row.output.textContent !== spoken) write(row.output, text);
      row.input.setAttribute("aria-valuetext", spoken);
    };
    const { printed, sparse } = this.here();
    const rule = t === printed ? ", the printed rule" : t === sparse ? ", the sparse rule" : "";
    put(this.threshold, Math.round(100 * t), `${t.toFixed(2)} sd`, `${t.toFixed(2)} standard deviations${rule}`);
    this.marks.querySelector(".sl-printed").style.left = `${(100 * printed) / 3.2}%`;
    this.marks.querySelector(".sl-sparse").style.left = `${(100 * sparse) / 3.2}%`;
    const degrees = Math.round((turned(this.phi) * 180) / Math.PI) % 360;
    this.stage.canvas.setAttribute("aria-valuenow", degrees);
    this.stage.canvas.setAttribute("aria-valuetext", `${degrees} degrees: ${seen.active} of ${m} neurons fire, ${asked} asked`);
    if (small) return;
    put(this.width, spec.widths.findIndex((one) => one.m === m), grouped(m));
    put(this.scrub, this.t, String(this.t), `step ${this.t} of ${spec.steps}`);
    put(this.radius, Math.round(100 * settings.rho), settings.rho.toFixed(2));
    const fast = this.playing && this.pace < 450;
    const line = fast ? AT.loop : seen.moving ? AT[seen.phase] : this.t ? AT.loop : AT.init;
    this.lines.forEach((item, k) => item.classList.toggle("sl-on", k === line));
    const set = ({ bar, text }, share, words) => {
      bar.style.width = `${(100 * clamp(share, 0, 1)).toFixed(1)}%`;
      if (text.textContent !== words) text.textContent = words;
    };
    const [all, some, few] = this.meters[0];
    set(all, 1, grouped(m));
    set(some, asked / m, grouped(asked));
    set(few, seen.active / m, grouped(seen.active));
    const [dense, thin] = this.meters[1];
    set(dense, 1, large(work[1]));
    set(thin, work[0] / work[1], large(work[0]));
    this.backButton.disabled = this.t === 0;
  }

  /** For screen readers: what the picture shows now. */
  say() {
    this.spoken = performance.now();
    requestAnimationFrame(() => {
      const record = this.algorithm.history[this.t - 1];
      const loss = record ? ` Loss ${record.loss.toFixed(3)}.` : "";
      this.live.textContent = `Step ${this.t}. ${(this.words ?? "").replace(/`/g, "")}${loss}`;
    });
  }
}

function render({ model, el }) {
  const player = new Player(model, el);
  el.player = player;
  return () => player.destroy();
}

export default { render };
