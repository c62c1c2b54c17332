// Whether what was sampled stays level: the verdict of scripts/soak.mjs.

/**
 * How far each series may rise over the time looked at: so many per cent of its middle value, or so much, whichever is
 * more (what is small moves by much). A fall is no leak.
 */
export const LIMITS = {
  'RSS, MiB': { percent: 10, least: 16 },
  'heap, MiB': { percent: 15, least: 12 },
  handles: { percent: 10, least: 8 },
  files: { percent: 10, least: 6 },
  sockets: { percent: 10, least: 6 },
  connections: { percent: 10, least: 3 },
  'tables, MiB': { percent: 10, least: 4 },
  'indexes, MiB': { percent: 10, least: 4 },
  'dead rows': { percent: 50, least: 5000 },
  'live rows': { percent: 10, least: 500 },
  uploads: { percent: 50, least: 10 },
  queue: { percent: 50, least: 100 },
  deliveries: { percent: 50, least: 100 },
  'accept p50, ms': { percent: 50, least: 5 },
  'accept p99, ms': { percent: 100, least: 100 },
  'poll p50, ms': { percent: 50, least: 5 },
  'poll p99, ms': { percent: 100, least: 100 },
};

/**
 * For each series of the samples' second half: its middle value, how much it rises over that half (by the median of the
 * slopes between any two samples, which a single outlier does not move), and how much it may. What rises further and yet
 * ends below the middle of the first half only comes back from a dip: V8 gives memory back and takes it again.
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
    const { percent, least } = LIMITS[name.replace(/^\S+: /, '')];
    const limit = Math.max((percent / 100) * middle, least);
    return { name, middle, rise, limit, flat: rise <= limit || end <= median(before) };
  });
}

/** Theil and Sen's. */
function slope(points) {
  const slopes = points.flatMap(([x, y], i) => points.slice(i + 1).map(([u, v]) => (v - y) / (u - x)));
  return slopes.length > 0 ? median(slopes) : 0;
}

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0 ? 0 : (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
