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
