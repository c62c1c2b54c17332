// Gives the words of an OCR the truth of the words in the DOM that they show.

/**
 * The words of `dom` with their boxes on the page that was read, in points of `dom`; undefined if the page does not fit. Boxes of
 * both lists are shares.
 */
export function placeWords(dom, read) {
  const toPoints = pointsOf(dom);
  const anchors = anchorsOf(dom.words, read.words).map(([from, to]) => [toPoints(middle(from)), toPoints(middle(to))]);
  if (anchors.length < MIN_ANCHORS) return undefined;
  const toRead = fitAffine(anchors);
  if (!toRead) return undefined;
  const errors = anchors.map(([from, to]) => distance(toRead(from), to));
  if (median(errors) > MAX_ERROR) return undefined;
  const near = anchors.filter((_, i) => errors[i] < 4 * MAX_ERROR);
  // The remaining distortion, from the anchors around.
  const place = (point) => {
    const [x, y] = toRead(toPoints(point));
    const total = [0, 0, 0];
    for (const [from, to] of near) {
      const [fx, fy] = toRead(from);
      const weight = 1 / (400 + (fx - x) ** 2 + (fy - y) ** 2);
      total[0] += weight * (to[0] - fx);
      total[1] += weight * (to[1] - fy);
      total[2] += weight;
    }
    return [x + total[0] / total[2], y + total[1] / total[2]];
  };
  return dom.words.map((word) => ({
    word,
    box: [...place([word.box[0], word.box[1]]), ...place([word.box[2], word.box[3]])],
  }));
}

/** The words of `read` with `field`, `group` and `label` of those of `dom`; undefined if the page does not fit. Boxes are shares. */
export function alignWords(dom, read) {
  const printed = placeWords(dom, read);
  if (!printed) return undefined;
  const toPoints = pointsOf(dom);
  return read.words.map((word) => {
    const box = [...toPoints([word.box[0], word.box[1]]), ...toPoints([word.box[2], word.box[3]])];
    const { field, group, label } = shown(word.text, box, printed) ?? { group: 0 };
    return { ...word, field, group: field ? group : 0, label };
  });
}

const MIN_ANCHORS = 6;
/** In points. */
const MAX_ERROR = 4;

const pointsOf =
  ({ width, height }) =>
  ([x, y]) => [x * width, y * height];
const middle = ({ box: [x0, y0, x1, y1] }) => [(x0 + x1) / 2, (y0 + y1) / 2];
const distance = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Pairs of words that both lists contain once. */
function anchorsOf(printed, read) {
  const single = (words) => {
    const found = new Map();
    for (const word of words) {
      const key = word.text.toLowerCase();
      if (key.length > 2) found.set(key, found.has(key) ? undefined : word);
    }
    return found;
  };
  const others = single(read);
  return [...single(printed)].flatMap(([key, word]) => (word && others.get(key) ? [[word, others.get(key)]] : []));
}

/** The affine map from the first to the second point of each pair, by least squares that ignore outliers. */
function fitAffine(pairs) {
  let weights = pairs.map(() => 1);
  let map;
  for (let i = 0; i < 12; i++) {
    const [x, y] = [0, 1].map((axis) =>
      solve(
        pairs.map(([[px, py], to]) => [px, py, 1, to[axis]]),
        weights,
      ),
    );
    if (!x || !y) return undefined;
    map = ([px, py]) => [x[0] * px + x[1] * py + x[2], y[0] * px + y[1] * py + y[2]];
    weights = pairs.map(([from, to]) => 1 / (1 + (distance(map(from), to) / 3) ** 2));
  }
  return map;
}

/** Weighted least squares with three unknowns; rows of three factors and a result. */
function solve(rows, weights) {
  const m = [0, 1, 2].map((i) =>
    [0, 1, 2, 3].map((j) => rows.reduce((sum, row, k) => sum + weights[k] * row[i] * row[j], 0)),
  );
  for (let i = 0; i < 3; i++) {
    const pivot = [i, i + 1, i + 2].filter((k) => k < 3).sort((a, b) => Math.abs(m[b][i]) - Math.abs(m[a][i]))[0];
    [m[i], m[pivot]] = [m[pivot], m[i]];
    if (Math.abs(m[i][i]) < 1e-9) return undefined;
    for (let k = 0; k < 3; k++) {
      if (k === i) continue;
      const factor = m[k][i] / m[i][i];
      for (let j = i; j < 4; j++) m[k][j] -= factor * m[i][j];
    }
  }
  return [0, 1, 2].map((i) => m[i][3] / m[i][i]);
}

/** The printed word that a read word shows: the one with the most overlap and likeness. */
function shown(text, [x0, y0, x1, y1], printed) {
  let best;
  let most = 0.25;
  for (const { word, box } of printed) {
    const wide = Math.min(x1, box[2]) - Math.max(x0, box[0]);
    const high = Math.min(y1, box[3]) - Math.max(y0, box[1]);
    if (wide <= 0 || high <= 0) continue;
    const overlap = wide / Math.min(x1 - x0, box[2] - box[0]) + high / Math.min(y1 - y0, box[3] - box[1]);
    const share = wide / Math.max(x1 - x0, box[2] - box[0]);
    const score = overlap / 4 + share / 2 + likeness(text, word.text);
    if (overlap > 0.8 && score > most) [best, most] = [word, score];
  }
  return best;
}

/** 0..1: the share of common letter pairs. */
function likeness(a, b) {
  const pairs = (text) => new Set([...` ${text.toLowerCase()} `].map((_, i, all) => all.slice(i, i + 2).join('')));
  const [one, other] = [pairs(a), pairs(b)];
  const common = [...one].filter((pair) => other.has(pair)).length;
  return common / Math.max(1, Math.max(one.size, other.size));
}
