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
/** x(phi). */
export const point = (phi) => [S * Math.cos(phi), S * Math.sin(phi), 0.5];
const turned = (angle) => {
  const rest = angle % TURN;
  return rest < 0 ? rest + TURN : rest;
};

// ---- the algorithm -----------------------------------------------------------------------------

/** The numbers that Python drew, unpacked once. */
const unpacked = new WeakMap();
function numbers(spec) {
  if (!unpacked.has(spec)) {
    const [draws, signs, tails] = [spec.draws, spec.signs, spec.tails].map(bytes);
    const X = Float64Array.from(spec.angles.flatMap(point));
    unpacked.set(spec, { draws: new Int16Array(draws), signs: new Uint8Array(signs), tails: new Float64Array(tails), X });
  }
  return unpacked.get(spec);
}

/** Lines 2 to 5: the constants of a run and its first weights, a prefix of the numbers from Python. */
export function start(spec, { m, t, rho, kind }) {
  const width = spec.widths.find((one) => one.m === m);
  const { draws, signs, tails, X } = numbers(spec);
  const [W, a, b] = [new Float64Array(3 * m), new Float64Array(m), new Float64Array(m)];
  const root = Math.sqrt(m);
  for (let r = 0; r < m; r++) {
    for (let k = 0; k < 3; k++) W[3 * r + k] = draws[4 * r + k] / spec.unit / root;
    b[r] = draws[4 * r + 3] / spec.unit / root;
    a[r] = signs[r >> 3] & (128 >> (r & 7)) ? width.weight : -width.weight;
  }
  const tau = t * width.std;
  // The step size is c_0 / (2 Q(t) sum a_r^2); Python tabulated log Q.
  const place = Math.min(t * spec.tailsPerUnit, tails.length - 1.001);
  const cell = Math.floor(place);
  const eta = width.step / Math.exp(tails[cell] + (place - cell) * (tails[cell + 1] - tails[cell]));
  const shift = kind === "jump" ? 0 : tau;
  return { m, rho, W, a, b, tau, shift, eta, std: width.std, delta: spec.delta, angles: spec.angles, X, y: spec.labels, n: spec.labels.length };
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
  measure(r) {
    const { W, b } = this.run;
    const deviation = 1.1e-9;
    this.upper[r] = 0.5 * W[3 * r + 2] + b[r] + (S + 2 * deviation) * Math.hypot(W[3 * r], W[3 * r + 1]) + deviation * Math.abs(W[3 * r + 2]);
  }
  /** Line 7, INIT. */
  init() {
    const { m } = this.run;
    const upper = (this.upper = new Float64Array(m));
    for (let r = 0; r < m; r++) this.measure(r);
    this.rows = Array.from(upper.keys()).sort((p, q) => upper[q] - upper[p] || p - q); // by place; -1 where nobody is left
    this.built = m;
    this.place = new Int32Array(m);
    this.rows.forEach((r, place) => (this.place[r] = place));
    this.fallen = new Uint8Array(m);
    this.manyFallen = 0;
    this.highest = this.rows.filter((_, place) => place % GROUP === 0).map((r) => upper[r]);
    const near = Math.max(1, Math.ceil(this.highest.length / 16));
    this.ceiling = this.highest.map((_, g) => (g < near ? Infinity : this.highest[g - near]));
    this.floor = this.highest.map((_, g) => this.highest[g + near] ?? -Infinity);
  }
  /** Line 12, QUERY, first half: whom it asks.  The answer is the same for every input. */
  asked() {
    const found = [];
    this.highest.forEach((upper, g) => {
      if (upper < this.run.tau) return;
      for (const r of this.rows.slice(g * GROUP, (g + 1) * GROUP)) if (r >= 0) found.push(r);
    });
    return Int32Array.from(found).sort();
  }
  /** Lines 20 and 21, DELETE and ADD, for the neurons that moved. */
  update(moved) {
    const crowd = Math.max(1024, 0.25 * this.built);
    const groups = new Set();
    const risen = [];
    for (const r of moved) {
      this.measure(r);
      const g = Math.floor(this.place[r] / GROUP);
      groups.add(g);
      this.manyFallen -= this.fallen[r];
      this.fallen[r] = 0;
      if (this.upper[r] > this.ceiling[g]) {
        risen.push(r);
        this.rows[this.place[r]] = -1;
      } else if (this.upper[r] < this.floor[g]) this.fallen[r] = 1;
      this.manyFallen += this.fallen[r];
    }
    if (this.manyFallen > crowd || this.rows.length + risen.length - this.built > crowd) return this.init();
    const before = Math.floor(this.rows.length / GROUP);
    for (const r of risen) this.place[r] = this.rows.push(r) - 1;
    for (let g = before; risen.length && g * GROUP < this.rows.length; g++) {
      groups.add(g);
      this.ceiling[g] = Infinity; // no order at the end
      this.floor[g] ??= -Infinity;
    }
    for (const g of groups) {
      this.highest[g] = -Infinity;
      for (const r of this.rows.slice(g * GROUP, (g + 1) * GROUP)) if (r >= 0) this.highest[g] = Math.max(this.highest[g], this.upper[r]);
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

/** Line 11, for one cap: the supremum and the infimum of f over an arc of the circle, [value, angle].
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
    return [side * most, found.find(([value]) => value >= most - SAME)[1]];
  };
  return [best(1), best(-1)];
}

const preactivation = ({ W, b }, r, x) => W[3 * r] * x[0] + W[3 * r + 1] * x[1] + W[3 * r + 2] * x[2] + b[r];

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
    const [[, high], [, low]] = extremes(f, phi, half);
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

/** How many examples get a wrong answer somewhere in their caps, or as close to it as one likes. */
export function fooled({ rho, angles, y }, f) {
  const half = 2 * Math.asin(rho / (2 * S));
  return angles.filter((phi, i) => {
    const [[sup], [inf]] = extremes(f, phi, half);
    return y[i] > 0 ? inf <= 0 : sup >= 0;
  }).length;
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
export function around(f, places) {
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
const MOST = 3.2; // standard deviations at the end of the slider
const LINES = [
  ["7", "ds.Init(*w*_{1}, …, *w*_{m})", 0, "init"],
  ["8", "for *t* = 1, 2, …", 0, "loop"],
  ["10", "for each example *i*", 1],
  ["11", "the adversary moves *x*_{i} to *x̃*_{i}", 2, "attack"],
  ["12", "*Q*_{i} = ds.Query(*x̃*_{i}): who fires?", 2, "query"],
  ["17", "forward pass, only on *Q*_{i}", 1, "forward"],
  ["18", "gradient, only on *Q*_{i}", 1, "gradient"],
  ["19", "*W* ← *W* − *η* ∇*L*, only on ∪ *Q*_{i}", 1, "step"],
  ["20, 21", "ds.Delete, ds.Add what moved", 1, "update"],
];
// One step on the screen: what runs until which share of the time.
const PHASES = { attack: 0.34, query: 0.58, forward: 0.66, gradient: 0.74, step: 0.92, update: 1 };
const SLOW = 1500; // milliseconds for a step that is to be followed line by line

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const ease = (share) => share * share * (3 - 2 * share);
const sum = (list, value = (one) => one) => list.reduce((total, one) => total + value(one), 0);
const grouped = (value) => {
  const digits = String(Math.round(value));
  return digits.length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, "\u202f");
};
const large = (value) => {
  if (value < 1e5) return grouped(value);
  return value < 1e6 ? `${Math.round(value / 1e3)} thousand` : `${(value / 1e6).toPrecision(3)} million`;
};

/** Make an element; `text` knows *italic*, `bold` and _{lower}. */
function make(tag, attributes = {}, parent = null, text = "") {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) write(element, text);
  parent?.append(element);
  return element;
}
const TAGS = { "*": ["i", 1], "`": ["b", 1], _: ["sub", 2] };
function write(element, text) {
  if (element.written === text) return;
  element.written = text;
  const parts = text.split(/(\*[^*]+\*|`[^`]+`|_\{[^}]*\})/).filter(Boolean);
  element.replaceChildren(...parts.map((part) => {
    const [tag, skip] = (part.length > 2 && TAGS[part[0]]) || [];
    if (!tag) return document.createTextNode(part);
    const inner = make(tag);
    inner.textContent = part.slice(skip, -1);
    return inner;
  }));
}
const newId = () => `sl-${Math.random().toString(36).slice(2, 10)}`;

/** A canvas that is as sharp as the screen; `clear` starts a new picture. */
class Sheet {
  constructor(parent, attributes, ratio) {
    this.canvas = make("canvas", attributes, parent);
    this.pen = this.canvas.getContext("2d");
    this.ratio = ratio;
  }
  clear() {
    const { canvas, pen } = this;
    const dots = Math.min(2, devicePixelRatio || 1);
    const width = canvas.clientWidth;
    if (this.width !== width || this.dots !== dots) {
      Object.assign(this, { width, height: Math.round(width * this.ratio), dots });
      Object.assign(canvas, { width: width * dots, height: this.height * dots });
    }
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    pen.clearRect(0, 0, width, this.height);
    return pen;
  }
  fill(paint, alpha = 1, rule = "nonzero") {
    Object.assign(this.pen, { fillStyle: paint, globalAlpha: alpha });
    this.pen.fill(rule);
    this.pen.globalAlpha = 1;
  }
  stroke(paint, width, alpha = 1, dash = []) {
    Object.assign(this.pen, { strokeStyle: paint, lineWidth: width, globalAlpha: alpha });
    this.pen.setLineDash(dash);
    this.pen.stroke();
    this.pen.setLineDash([]);
    this.pen.globalAlpha = 1;
  }
  line(points, paint, width, dash) {
    this.pen.beginPath();
    for (const [x, y] of points) this.pen.lineTo(x, y);
    this.stroke(paint, width, 1, dash);
  }
  spot(x, y, radius, paint, edge, width = 1.5) {
    this.pen.beginPath();
    this.pen.arc(x, y, radius, 0, TURN);
    this.fill(paint);
    this.stroke(edge, width);
  }
  /** A label, outlined in the color of the page. */
  put(text, x, y, paint, { align = "left", font = "12px", halo = "" } = {}) {
    Object.assign(this.pen, { font: `${font} ${this.face}`, textAlign: align, textBaseline: "middle", lineWidth: 4, strokeStyle: halo, lineJoin: "round", fillStyle: paint });
    if (halo) this.pen.strokeText(text, x, y);
    this.pen.fillText(text, x, y);
  }
}

class Player {
  constructor(model, root) {
    this.spec = model.get("_spec");
    this.small = model.get("_size") === "small";
    this.root = root;
    this.settings = { m: 1024, t: 0, rho: this.spec.rho, kind: "jump" };
    this.settings.t = this.small ? this.here().printed : this.here().sparse;
    this.watched = 1; // the example that the half-plane follows; null once the reader has turned it
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.forced = matchMedia("(forced-colors: active)");
    this.flashes = new Map(); // neurons that changed their mind, and when
    this.build();
    this.restart();
    this.recolor();
  }

  // ---- controls ----

  build() {
    const { root, small, spec } = this;
    root.classList.add("sl-explorer", "sl-algorithm", ...(small ? ["sl-small"] : []));
    const title = newId();
    for (const [name, value] of [["role", "group"], ["aria-labelledby", title], ["data-lm-suppress-shortcuts", "true"]]) root.setAttribute(name, value);
    root.addEventListener("keydown", (event) => event.stopPropagation());
    const stage = make("div", { class: "sl-stage" }, root);
    this.stage = new Sheet(stage, { tabindex: 0, role: "slider", "aria-label": "the input x, an angle on the circle", "aria-valuemin": 0, "aria-valuemax": 359 }, 1);
    const side = make("div", { class: "sl-side" }, root);
    make("div", { class: "sl-title", id: title }, side, "Algorithm 1, played");
    if (!small) {
      const code = make("ol", { class: "sl-code", "aria-label": "Algorithm 1 of the paper, in short" }, side);
      this.lines = LINES.map(([number, text, depth, name]) => {
        const item = make("li", { style: `--depth:${depth}` }, code);
        make("span", { class: "sl-no" }, item, number);
        make("span", {}, item, text);
        return { item, name };
      });
    }
    const buttons = make("div", { class: "sl-buttons" }, side);
    const button = (name, text, action, parent = buttons) => {
      const element = make("button", { type: "button", class: `sl-${name}` }, parent, text);
      element.addEventListener("click", action);
      return element;
    };
    this.playButton = button("play", "Play", () => (this.playing ? this.rest() : this.play()));
    const panel = make("div", { class: "sl-controls" }, small ? side : root);
    if (!small) {
      this.backButton = button("back", "Back", () => this.goTo(Math.max(0, this.t - 1)));
      button("step", "Step", () => this.stepOnce());
      button("reset", "Reset", () => this.goTo(0));
      this.scrub = this.row(side, "step *t*", spec.steps, (t) => this.goTo(t));
      this.width = this.row(panel, "neurons *m*", spec.widths.length - 1, (k) => this.widen(spec.widths[k]));
    }
    this.threshold = this.row(panel, "threshold *τ*", 100 * MOST, (value) => this.set({ t: this.snapped(value / 100) }));
    const marks = make("div", { class: "sl-marks" }, this.threshold.track);
    this.marks = ["printed", "sparse"].map((name) => {
      const mark = button(`mark sl-${name}`, name, () => this.set({ t: this.here()[name] }), marks);
      mark.setAttribute("aria-label", `set the ${name} threshold`);
      return { mark, name };
    });
    this.breaker = button("break", "", () => this.breakIt(), small ? buttons : panel);
    this.says = make("div", { class: "sl-says", "aria-live": "polite", "aria-atomic": "true" }, small ? side : root);
    this.sentence = make("p", { class: "sl-sentence" }, this.says);
    if (!small) this.buildBelow();
    this.listen();
  }

  /** A labeled slider. */
  row(parent, label, max, change) {
    const row = make("div", { class: "sl-control" }, parent);
    const id = newId();
    make("label", { for: id }, row, label);
    const track = make("div", { class: "sl-track" }, row);
    const input = make("input", { id, type: "range", min: 0, max, step: 1 }, track);
    const output = make("output", { for: id }, row);
    input.addEventListener("input", () => change(+input.value));
    return { input, output, track };
  }

  buildBelow() {
    const below = make("div", { class: "sl-below" }, this.root);
    const figure = (title) => {
      const box = make("div", {}, below);
      make("div", { class: "sl-caption" }, box, title);
      return box;
    };
    this.shelf = new Sheet(figure("The index, by the highest sum of any input"), { "aria-hidden": "true" }, 0.36);
    this.losses = new Sheet(figure("The loss at the adversary’s points"), { "aria-hidden": "true" }, 0.36);
    const meters = (title, names) => {
      const box = figure(title);
      return names.map((name) => {
        const row = make("div", { class: `sl-meter sl-of-${name}` }, box);
        make("span", {}, row, name);
        return { bar: make("div", {}, make("div", { class: "sl-bar" }, row)), text: make("b", {}, row) };
      });
    };
    this.meters = [...meters("Neurons asked at an input", ["all", "asked", "fire"]), ...meters("Multiplications outside the adversary", ["dense", "sparse"])];
    const more = make("details", { class: "sl-more" }, this.root);
    make("summary", {}, more, "More");
    const panel = make("div", { class: "sl-controls" }, more);
    this.radius = this.row(panel, "reach *ρ*", 30, (value) => this.set({ rho: value / 100 }));
    const row = make("div", { class: "sl-control" }, panel);
    const id = newId();
    make("label", { for: id }, row, "activation");
    const select = make("select", { id }, row);
    for (const [value, text] of [["jump", "jumps at τ (the paper’s)"], ["continuous", "continuous"]]) make("option", { value }, select, text);
    select.addEventListener("change", () => this.set({ kind: select.value }));
  }

  listen() {
    const { canvas } = this.stage;
    let grip = null;
    const where = (event) => {
      const box = canvas.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left - box.width / 2, box.top + box.height / 2 - event.clientY];
      return { angle: Math.atan2(y, x), radius: Math.hypot(x, y), along: ((x * Math.cos(this.phi) + y * Math.sin(this.phi)) * REACH) / this.rim };
    };
    // What a pointer takes hold of: the line, or the input.  A finger inside the picture scrolls.
    const held = (event, finger) => {
      const { radius, along } = where(event);
      if (radius < 0.97 * this.rim && Math.abs(along - this.settings.t) < 0.45) return "line";
      return radius > 0.75 * this.rim || !finger ? "input" : null;
    };
    const drag = (event) => {
      const { angle, along } = where(event);
      if (grip === "line") this.set({ t: this.snapped(clamp(along, 0, MOST)) });
      else if (grip === "input") this.turnTo(angle);
      else canvas.style.cursor = held(event) === "line" ? "move" : "grab";
    };
    canvas.addEventListener("touchstart", (event) => held(event.touches[0], true) && event.preventDefault(), { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      grip = event.button ? null : held(event, event.pointerType === "touch");
      if (!grip) return;
      canvas.setPointerCapture(event.pointerId);
      drag(event);
    });
    canvas.addEventListener("pointermove", drag);
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (grip = null));
    canvas.addEventListener("keydown", (event) => {
      const by = { ArrowRight: -2, ArrowUp: 2, ArrowLeft: 2, ArrowDown: -2, PageUp: 20, PageDown: -20 }[event.key];
      if (!by && event.key !== "Home") return;
      this.turnTo(by ? this.phi + (by * Math.PI) / 180 : 0);
      event.preventDefault();
    });
    const recolor = () => this.recolor();
    const themes = new MutationObserver(recolor);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "class"] });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    for (const media of [dark, this.forced]) media.addEventListener("change", recolor);
    const sizes = new ResizeObserver(() => this.refresh());
    sizes.observe(this.root);
    this.destroy = () => {
      cancelAnimationFrame(this.frame);
      clearTimeout(this.settle);
      this.frame = -1;
      for (const observer of [themes, sizes]) observer.disconnect();
      for (const media of [dark, this.forced]) media.removeEventListener("change", recolor);
    };
  }

  // ---- what the reader does ----

  /** The width and its rules. */
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
  /** A threshold on a mark stays on the mark. */
  widen(width) {
    const name = ["printed", "sparse"].find((mark) => this.here()[mark] === this.settings.t);
    this.set({ m: width.m, ...(name ? { t: width[name] } : {}) });
  }
  broken() {
    return this.settings.t <= this.here().printed;
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
    this.pace = SLOW;
    this.t = 0;
    this.rest();
  }
  /** Stand still at the beginning of step t. */
  rest() {
    this.playing = this.single = false;
    this.goal = null;
    this.share = 0; // of the step that is being shown
    this.refresh();
  }
  play() {
    if (this.t >= this.spec.steps) this.t = 0;
    this.rest();
    this.playing = true;
    this.clock = null;
  }
  stepOnce() {
    if (this.single) this.finish();
    if (this.t >= this.spec.steps) return;
    this.rest();
    this.single = true;
    this.clock = null;
    if (this.calm.matches) this.finish();
  }
  /** Go to a step; those before it that were never done are done a few in every frame. */
  goTo(t) {
    this.rest();
    this.goal = t;
    this.approach();
  }
  approach() {
    const until = performance.now() + 12;
    const { history } = this.algorithm;
    while (history.length < this.goal && performance.now() < until) this.algorithm.step();
    this.t = Math.min(this.goal, history.length);
    if (this.t === this.goal) this.rest();
  }
  /** The step that is being shown, computed when it is needed. */
  record() {
    return this.algorithm.history[this.t] ?? this.algorithm.step();
  }
  finish() {
    this.record();
    this.t += 1;
    this.share = 0;
    this.pace = Math.max(110, this.pace * 0.72); // slow enough to follow at first, then faster
    if (this.single || this.t >= this.spec.steps) this.rest();
  }

  // ---- time ----

  refresh() {
    this.frame ||= requestAnimationFrame((now) => this.tick(now));
  }
  tick(now) {
    this.frame = 0;
    const began = performance.now();
    if (this.goal !== null) this.approach();
    if (this.playing || this.single) {
      const passed = Math.min(100, now - (this.clock ?? now));
      this.clock = now;
      this.waited = (this.waited ?? 0) + passed;
      if (!this.calm.matches) this.share += passed / (this.single ? SLOW : this.pace);
      if (this.share >= 1 || (this.calm.matches && this.waited > 500)) {
        this.waited = 0;
        this.finish();
      }
    }
    this.draw(now);
    if (this.playing || this.single || this.goal !== null || this.flashes.size) this.refresh();
    const milliseconds = performance.now() - began;
    this.root.dispatchEvent(new CustomEvent("sl:drawn", { bubbles: true, detail: { milliseconds } }));
  }

  recolor() {
    const style = getComputedStyle(this.root);
    const names = ["c1", "c2", "c3", "c4", "c5", "muted", "grid", "paper"];
    this.color = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--sl-${name}`).trim()]));
    Object.assign(this.color, { ink: style.color });
    if (this.forced.matches) Object.assign(this.color, { c1: "Highlight", c2: "CanvasText", c3: "CanvasText", c4: "LinkText", c5: "CanvasText", ink: "CanvasText", muted: "GrayText", grid: "GrayText", paper: "Canvas" });
    for (const sheet of [this.stage, this.shelf, this.losses]) if (sheet) sheet.face = style.fontFamily;
    this.draw(performance.now()); // at once: paper does not wait for a frame
  }

  // ---- the drawing ----

  /** Draw the state at step t, or the moment of the step that is being shown. */
  draw(now) {
    if (!this.stage.canvas.clientWidth) return;
    const { algorithm, spec } = this;
    const { history } = algorithm;
    const moving = (this.playing || this.single) && !this.calm.matches;
    const record = moving ? this.record() : history[this.t] ?? algorithm.look();
    const fast = this.playing && this.pace < 450;
    const names = Object.keys(PHASES);
    const number = moving ? names.findIndex((name) => this.share < PHASES[name]) : -1;
    const part = moving ? (this.share - (PHASES[names[number - 1]] ?? 0)) / (PHASES[names[number]] - (PHASES[names[number - 1]] ?? 0)) : 0;
    const progress = (name) => (number < names.indexOf(name) ? 0 : number > names.indexOf(name) ? 1 : part);
    const slid = ease(progress("attack"));
    const moved = ease(progress("step"));
    const left = history[this.t - 1]?.examples; // where the adversary left the points
    const places = spec.angles.map((phi, i) => {
      const from = left?.[i].angle ?? phi;
      return from + (slid && slid * (turned(record.examples[i].angle - from + Math.PI) - Math.PI));
    });
    if (this.watched !== null) this.phi = places[this.watched];
    const next = moved && (history[this.t + 1]?.W ?? algorithm.sparse.W);
    const W = moved ? record.W.map((w, k) => w + moved * (next[k] - w)) : record.W;
    const run = { ...algorithm.sparse, W };
    // While line 12 is shown the index opens from the left.
    const opened = !moving || fast ? 1 : number === 0 && this.t ? 1 : progress("query");
    const asked = new Uint8Array(run.m);
    for (const r of record.asked) asked[r] = 1;
    if (opened < 1) {
      const edge = Math.ceil((opened * record.rows.length) / GROUP) * GROUP;
      record.rows.forEach((r, place) => r >= 0 && place >= edge && (asked[r] = 0));
    }
    const fires = new Uint8Array(run.m);
    for (const r of firing(run, record.asked, point(this.phi))) fires[r] = 1;
    if (moving && this.before?.length === run.m) fires.forEach((one, r) => one !== this.before[r] && this.flashes.set(r, now));
    for (const [r, since] of this.flashes) if (!moving || now - since > 600) this.flashes.delete(r);
    this.before = fires;
    const line = fast ? "loop" : moving ? names[number] : this.t ? "loop" : "init";
    const seen = { record, run, waved: waves(run), places, asked, fires, now, line, marked: slid > 0 || Boolean(left), active: sum(fires) };
    this.drawStage(seen);
    if (!this.small) {
      this.drawShelf(seen);
      this.drawLosses();
    }
    this.tell(seen);
  }

  drawStage({ run, waved, places, asked, fires, now, marked, active }) {
    const { color, stage, settings, spec, phi } = this;
    const pen = stage.clear();
    const room = stage.width / 2;
    const rim = (this.rim = room - 46);
    const unit = rim / (REACH * run.std);
    const [cos, sin] = [Math.cos(phi), Math.sin(phi)];
    const at = (angle, radius) => [room + radius * Math.cos(angle), room - radius * Math.sin(angle)];
    const ring = (from, to, radius) => {
      pen.beginPath();
      pen.arc(room, room, radius, -to, -from);
    };

    // The half-plane of the input: <w_r, x> + b_r > tau.
    const open = Math.acos(clamp(settings.t / REACH, -1, 1));
    ring(phi - open, phi + open, rim);
    stage.fill(color.c1, 0.11);
    ring(0, TURN, rim);
    stage.stroke(color.muted, 1.25, 0.7);

    // The neurons, at s_r e_phi + t_r e_phi', t_r = <w_r, tangent>.
    const place = (r) => {
      const [u, v] = [S * run.W[3 * r], S * run.W[3 * r + 1]];
      // Whoever would leave the picture stays at its rim, on its side of the line.
      const along = clamp(unit * (u * cos + v * sin + 0.5 * run.W[3 * r + 2] + run.b[r]), -rim, rim);
      const most = Math.sqrt(rim * rim - along * along);
      const across = clamp(unit * (v * cos - u * sin), -most, most);
      return [room + along * cos - across * sin, room - along * sin - across * cos];
    };
    const grow = clamp(Math.sqrt(1024 / settings.m), 0.8, 2);
    for (const [wanted, radius, paint, alpha] of [[0, 1.5, color.muted, 0.42], [1, 1.8, color.c2, 0.8], [2, 2.5, color.c1, 1]]) {
      pen.beginPath();
      for (let r = 0; r < run.m; r++) {
        if ((fires[r] ? 2 : asked[r]) !== wanted) continue;
        const [x, y] = place(r);
        pen.moveTo(x + radius * grow, y);
        pen.arc(x, y, radius * grow, 0, TURN);
      }
      stage.fill(paint, alpha);
    }
    for (const [r, since] of this.flashes) {
      const age = clamp((now - since) / 600, 0, 1);
      pen.beginPath();
      pen.arc(...place(r), 3 + 7 * age, 0, TURN);
      stage.stroke(color.c5, 2, 1 - age);
    }
    stage.line([at(phi - open, rim), at(phi + open, rim)], color.ink, 2.25);

    // Around them: f, and the caps with their points; magenta where the network is fooled.
    const f = around(waved, PLACES);
    const [base, high, half] = [rim + 27, 12, 2 * Math.asin(settings.rho / (2 * S))];
    const side = (y) => (y > 0 ? color.c3 : color.c5);
    for (const sign of [1, -1]) {
      pen.beginPath();
      for (let k = 0; k <= PLACES; k++) pen.lineTo(...at((k * TURN) / PLACES, base + high * sign * clamp(sign * f[k % PLACES], 0, 1.4)));
      pen.arc(room, room, base, 0, TURN);
      stage.fill(side(sign), 0.6, "evenodd");
    }
    ring(0, TURN, base);
    stage.stroke(color.muted, 1, 0.5);
    spec.angles.forEach((middle, i) => {
      ring(middle - half, middle + half, rim + 9);
      stage.stroke(side(run.y[i]), 7, 0.3);
      const [begin, stop] = [middle - half, middle + half].map((angle) => Math.round((angle * PLACES) / TURN));
      for (let k = begin, from = null; k <= stop; k++) {
        const fooled = k < stop && f[(k + PLACES) % PLACES] * run.y[i] <= 0;
        if (fooled) from ??= k;
        else if (from !== null) {
          ring((from * TURN) / PLACES, (k * TURN) / PLACES, rim + 9);
          stage.stroke(color.c4, 7, 0.9);
          from = null;
        }
      }
      stage.spot(...at(middle, rim + 9), 3.4, run.y[i] > 0 ? side(1) : color.paper, side(run.y[i]));
      if (marked) stage.spot(...at(places[i], rim + 9), 4, color.ink, color.paper);
    });
    stage.spot(...at(phi, rim), 9, color.c1, color.paper, 2);

    // Labels: the input, the line, and in the corners what the colors count.
    const halo = color.paper;
    stage.put("x", ...at(phi, rim), color.paper, { align: "center", font: "italic 600 12px" });
    const [x, y] = at(phi - open, rim - 17);
    stage.put("τ", x - 9 * cos, y + 9 * sin, color.ink, { align: "center", font: "italic 14px", halo });
    const end = stage.width - 4;
    const some = sum(asked);
    const vain = some - sum(Array.from(fires.keys()), (r) => fires[r] & asked[r]);
    const left = [["f > 0", 11, "c3"], ["f < 0", 28, "c5"], [`${grouped(active)} fire`, end - 6, "c1"]];
    const right = [["fooled", 11, "c4"], [`${grouped(run.m - some)} unasked`, end - 23, "muted"], [`${grouped(vain)} asked in vain`, end - 6, "c2"]];
    for (const [text, height, paint] of left) stage.put(text, 4, height, color[paint], { font: "13px", halo });
    for (const [text, height, paint] of right) stage.put(text, end, height, color[paint], { align: "right", font: "13px", halo });
  }

  /** The index: a bar for each neuron, as high as any input can push it, in the order it is read. */
  drawShelf({ record, asked, fires, run }) {
    const { shelf, color } = this;
    const pen = shelf.clear();
    const [right, bottom, places] = [shelf.width - 2, shelf.height - 18, record.rows.length];
    const X = (place) => 2 + ((right - 2) * place) / places;
    const Y = (level) => bottom - ((bottom - 8) * clamp(level / run.std + 1.4, 0, 6)) / 6;
    const wide = Math.max(1, (right - 2) / places);
    for (const [wanted, paint, alpha] of [[0, color.muted, 0.35], [1, color.c2, 0.75], [2, color.c1, 1]]) {
      pen.beginPath();
      record.rows.forEach((r, number) => {
        if (r < 0 || (fires[r] ? 2 : asked[r]) !== wanted) return;
        const y = Y(0.5 * run.W[3 * r + 2] + run.b[r] + S * Math.hypot(run.W[3 * r], run.W[3 * r + 1]));
        pen.rect(X(number), y, wanted === 2 ? Math.max(1.4, wide) : wide, bottom - y);
      });
      shelf.fill(paint, alpha);
    }
    const level = Math.round(Y(run.tau)) + 0.5;
    shelf.line([[2, level], [right, level]], color.ink, 1.25);
    for (let place = 0; place < places; place += GROUP) shelf.line([[X(place), bottom + 1], [X(place), bottom + 5]], color.ink, 1.25);
    shelf.put("τ", right - 14, level - 9, color.ink, { font: "italic 14px" });
    shelf.put("opened from the left, 64 at a time", 2, shelf.height - 6, color.muted);
  }

  drawLosses() {
    const { losses, color, spec, algorithm } = this;
    losses.clear();
    const [left, right, bottom] = [24, losses.width - 4, losses.height - 18];
    const Y = (loss) => bottom - ((bottom - 8) * clamp(loss, 0, 1.1)) / 1.1;
    for (const value of [0, 0.5, 1]) {
      losses.line([left, right].map((x) => [x, Math.round(Y(value)) + 0.5]), color.grid, 1);
      losses.put(String(value), left - 5, Y(value), color.muted, { align: "right" });
    }
    losses.put(`${spec.steps} steps`, right, losses.height - 6, color.muted, { align: "right" });
    for (const [name, text, x, width, paint, dash] of [["denseLoss", "dense", left, 5, "c2"], ["loss", "sparse, on top of it", left + 42, 2, "c1", [6, 4]]]) {
      const done = algorithm.history.slice(0, this.t);
      losses.line(done.map((record, t) => [left + ((right - left) * (t + 1)) / spec.steps, Y(record[name])]), color[paint], width, dash);
      losses.put(text, x, losses.height - 6, color[paint]);
    }
  }

  // ---- the words ----

  /** Multiplications, sparse and dense: so far; before the first step, of a step at the clean points. */
  work({ record, run }) {
    if (this.t) return this.algorithm.history[this.t - 1].work;
    record.clean ??= sum(this.spec.angles, (phi) => firing(run, record.asked, point(phi)).length);
    return [3 * (run.n * record.asked.length + 2 * record.clean), 6 * run.n * run.m];
  }

  tell(seen) {
    const { settings, spec, t } = this;
    const { m } = settings;
    const work = this.work(seen);
    const [thin, thick] = work.map(large);
    const factor = work[1] / work[0];
    const times = factor < 9.95 ? factor.toFixed(1) : String(Math.round(factor));
    const asked = seen.record.asked.length;
    const who = `At this input, \`${grouped(seen.active)} of ${grouped(m)}\` neurons fire; the index asked \`${grouped(asked)}\`. `;
    const when = t ? `After ${t} ${t > 1 ? "steps" : "step"}: ` : "The first step takes about ";
    const saved = factor < 1.25 ? ": the index saves next to nothing." : `, \`${times} times\` fewer${t ? ", and the same weights." : "."}`;
    const nobody = "No input can push a neuron beyond this line: the network is silent, and learns nothing.";
    // The caps are counted where the step begins; the small form has no control that matters to them.
    const { record, run } = seen;
    if (!this.small) record.fooled ??= fooled(run, run.W === record.W ? seen.waved : waves({ ...run, W: record.W }));
    const how = settings.kind === "jump" ? "With the jump at *τ*" : "With the continuous activation";
    const caps = this.small ? "" : ` ${how}, \`${record.fooled} of ${run.n}\` examples can be fooled.`;
    write(this.sentence, who + (work[0] ? `${when}${thin} multiplications outside the adversary instead of ${thick}${saved}` : nobody) + caps);
    // Screen readers hear the sentence when the picture has come to rest: after every step, too.
    this.says.setAttribute("aria-busy", "true");
    clearTimeout(this.settle);
    if (!this.playing && !this.single) this.settle = setTimeout(() => this.says.removeAttribute("aria-busy"), 300);
    write(this.playButton, this.playing ? "Pause" : "Play");
    write(this.breaker, this.broken() ? "Mend it" : "Break it");
    const put = ({ input, output }, value, text, spoken = text) => {
      input.value = value;
      input.setAttribute("aria-valuetext", spoken);
      write(output, text);
    };
    const rule = this.marks.find(({ name }) => this.here()[name] === settings.t);
    put(this.threshold, Math.round(100 * settings.t), `${settings.t.toFixed(2)} sd`, `${settings.t.toFixed(2)} standard deviations${rule ? `, the ${rule.name} rule` : ""}`);
    for (const { mark, name } of this.marks) mark.style.left = `${(100 * this.here()[name]) / MOST}%`;
    const degrees = Math.round((turned(this.phi) * 180) / Math.PI) % 360;
    this.stage.canvas.setAttribute("aria-valuenow", degrees);
    this.stage.canvas.setAttribute("aria-valuetext", `${degrees} degrees: ${seen.active} of ${m} neurons fire, ${asked} asked`);
    if (this.small) return;
    put(this.width, spec.widths.indexOf(this.here()), grouped(m));
    const goal = this.goal ?? t;
    put(this.scrub, goal, String(goal), `step ${goal} of ${spec.steps}`);
    put(this.radius, Math.round(100 * settings.rho), settings.rho.toFixed(2));
    for (const { item, name } of this.lines) item.classList.toggle("sl-on", name === seen.line);
    const shown = [[1, grouped(m)], [asked / m, grouped(asked)], [seen.active / m, grouped(seen.active)], [1, thick], [work[0] / work[1], thin]];
    shown.forEach(([share, text], k) => {
      this.meters[k].bar.style.width = `${(100 * clamp(share, 0, 1)).toFixed(1)}%`;
      write(this.meters[k].text, text);
    });
    this.backButton.disabled = t === 0;
  }
}

function render({ model, el }) {
  el.player = new Player(model, el);
  return () => el.player.destroy();
}

export default { render };
