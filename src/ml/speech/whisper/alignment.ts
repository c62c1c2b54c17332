export type Onsets = Int32Array;

/**
 * Token start times by dynamic time warping over the cross-attentions (Whisper's method for word times). `attentions`
 * holds one row per head for each token; the first `frames` frames are used. Returns [tokens] frames, non-decreasing.
 */
export function tokenOnsets(attentions: readonly (readonly Float32Array[])[], frames: number): Onsets {
  const rows = attentions.length;
  const matrix = new Float32Array(rows * frames);
  const heads = attentions[0]?.length ?? 0;
  for (let head = 0; head < heads; head++) {
    const shares = standardized(
      attentions.map((token) => token[head]!),
      frames,
    );
    for (let row = 0; row < rows; row++) {
      const smooth = medianFiltered(shares.subarray(row * frames, (row + 1) * frames));
      for (let frame = 0; frame < frames; frame++) matrix[row * frames + frame]! += smooth[frame]! / heads;
    }
  }
  return cheapestPath(matrix, rows, frames);
}

/** Standardizes each frame over the tokens. [tokens, frames] */
function standardized(shares: readonly Float32Array[], frames: number): Float32Array {
  const rows = shares.length;
  const result = new Float32Array(rows * frames);
  for (let frame = 0; frame < frames; frame++) {
    let [sum, squares] = [0, 0];
    for (const row of shares) {
      sum += row[frame]!;
      squares += row[frame]! ** 2;
    }
    const mean = sum / rows;
    const deviation = Math.sqrt(Math.max(squares / rows - mean ** 2, 0)) || 1;
    for (let row = 0; row < rows; row++) result[row * frames + frame] = (shares[row]![frame]! - mean) / deviation;
  }
  return result;
}

const FILTER_RADIUS = 3;

function medianFiltered(values: Float32Array): Float32Array {
  const last = values.length - 1;
  // Mirrored at both ends.
  const valueAt = (i: number) => {
    const at = Math.abs(i);
    return values[Math.max(0, at > last ? 2 * last - at : at)]!;
  };
  const result = new Float32Array(values.length);
  const sorted = new Float32Array(2 * FILTER_RADIUS + 1).map((_, i) => valueAt(i - FILTER_RADIUS)).sort();
  for (let i = 0; i <= last; i++) {
    result[i] = sorted[FILTER_RADIUS]!;
    replaceSorted(sorted, valueAt(i - FILTER_RADIUS), valueAt(i + 1 + FILTER_RADIUS));
  }
  return result;
}

function replaceSorted(sorted: Float32Array, old: number, value: number): void {
  let at = 0;
  while (at < sorted.length - 1 && sorted[at]! < old) at++;
  for (; at > 0 && sorted[at - 1]! > value; at--) sorted[at] = sorted[at - 1]!;
  for (; at < sorted.length - 1 && sorted[at + 1]! < value; at++) sorted[at] = sorted[at + 1]!;
  sorted[at] = value;
}

function cheapestPath(matrix: Float32Array, rows: number, frames: number): Onsets {
  const width = frames + 1;
  const cost = new Float32Array((rows + 1) * width).fill(Number.POSITIVE_INFINITY);
  const cameFrom = new Uint8Array((rows + 1) * width);
  cost[0] = 0;
  for (let row = 1; row <= rows; row++) {
    for (let frame = 1; frame <= frames; frame++) {
      const at = row * width + frame;
      const [both, rowOnly, frameOnly] = [cost[at - width - 1]!, cost[at - width]!, cost[at - 1]!];
      const step = both < rowOnly && both < frameOnly ? BOTH : rowOnly < frameOnly ? ROW : FRAME;
      const least = step === BOTH ? both : step === ROW ? rowOnly : frameOnly;
      cost[at] = least - matrix[(row - 1) * frames + frame - 1]!;
      cameFrom[at] = step;
    }
  }
  const entered = new Int32Array(rows);
  for (let row = rows, frame = frames; row > 0 && frame > 0; ) {
    entered[row - 1] = frame - 1;
    const step = cameFrom[row * width + frame]!;
    if (step !== FRAME) row--;
    if (step !== ROW) frame--;
  }
  return entered;
}

const [BOTH, ROW, FRAME] = [0, 1, 2];
