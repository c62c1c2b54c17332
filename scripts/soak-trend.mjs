// Trend analysis for scripts/soak.mjs: detects series that grow.

/** Allowed rise per series: a percentage of the median, or `minimum` if that is larger. */
export const LIMITS = {
  'RSS, MiB': { percent: 10, minimum: 16 },
  'heap, MiB': { percent: 15, minimum: 12 },
  handles: { percent: 10, minimum: 8 },
  files: { percent: 10, minimum: 6 },
  sockets: { percent: 10, minimum: 6 },
  connections: { percent: 10, minimum: 3 },
  'tables, MiB': { percent: 10, minimum: 4 },
  'indexes, MiB': { percent: 10, minimum: 4 },
  'dead rows': { percent: 50, minimum: 5000 },
  'live rows': { percent: 10, minimum: 500 },
  uploads: { percent: 50, minimum: 10 },
  queue: { percent: 50, minimum: 100 },
  deliveries: { percent: 50, minimum: 100 },
  'accept p50, ms': { percent: 50, minimum: 5 },
  'accept p99, ms': { percent: 100, minimum: 100 },
  'poll p50, ms': { percent: 50, minimum: 5 },
  'poll p99, ms': { percent: 100, minimum: 100 },
};

/**
 * Median, rise (Theil–Sen estimator, robust against outliers) and allowed rise of each series over the second half of the
 * samples. A series that rises more but ends below the median of the first half counts as flat: V8 releases memory and
 * allocates it again.
 */
export function judge(samples) {
  const half = samples.slice(Math.floor(samples.length / 2));
  if (half.length < 4) return undefined;
  const spanS = half.at(-1).atS - half[0].atS;
  const names = [...new Set(half.flatMap(({ values }) => Object.keys(values)))];
  return names.map((name) => {
    const points = half.flatMap(({ atS, values }) => (values[name] === undefined ? [] : [[atS, values[name]]]));
    const middle = median(points.map(([, value]) => value));
    const rise = slope(points) * spanS;
    const before = samples.slice(0, samples.length - half.length).flatMap(({ values }) => values[name] ?? []);
    const end = median(points.slice(points.length >> 1).map(([, value]) => value));
    const { percent, minimum } = LIMITS[name.replace(/^\S+: /, '')];
    const limit = Math.max((percent / 100) * middle, minimum);
    return { name, middle, rise, limit, flat: rise <= limit || end <= median(before) };
  });
}

function slope(points) {
  const slopes = points.flatMap(([x, y], i) => points.slice(i + 1).map(([u, v]) => (v - y) / (u - x)));
  return slopes.length > 0 ? median(slopes) : 0;
}

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0 ? 0 : (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
