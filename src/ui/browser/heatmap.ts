/** The response of `GET /result/{task_id}/heatmap`: values 0..1, row by row over the upright photo. */
export interface Heatmap {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly values: readonly number[];
}

// Colour stops after matplotlib's "inferno" (CC0): lightness increases monotonically, so the map is readable with
// colour blindness and in greyscale.
const STOPS = [
  [0, 0, 4],
  [40, 11, 84],
  [101, 21, 110],
  [159, 42, 99],
  [212, 72, 66],
  [245, 125, 21],
  [250, 193, 39],
  [252, 255, 164],
] as const;

/** Shares of the maximum: transparent below CLEAR, maximum coverage from FULL. */
const CLEAR = 0.15;
const FULL = 0.6;
const SIDE = 336;

/** Paints the heatmap, interpolated between cell centres; the canvas is stretched over the photo. */
export function paintHeatmap(canvas: HTMLCanvasElement, heat: Heatmap): void {
  canvas.width = SIDE;
  canvas.height = SIDE;
  const context = canvas.getContext('2d');
  if (!context) return;
  const image = context.createImageData(SIDE, SIDE);
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const value = valueAt(heat, (x + 0.5) / SIDE, (y + 0.5) / SIDE);
      const [red, green, blue] = colour(value);
      const cover = smooth((value - CLEAR) / (FULL - CLEAR));
      image.data.set([red, green, blue, cover * 255], (y * SIDE + x) * 4);
    }
  }
  context.putImageData(image, 0, 0);
}

/** Bilinear; `x` and `y` are 0..1 over the photo. */
export function valueAt({ width, height, values }: Heatmap, x: number, y: number): number {
  const column = clamp(x * width - 0.5, 0, width - 1);
  const row = clamp(y * height - 0.5, 0, height - 1);
  const [left, top] = [Math.floor(column), Math.floor(row)];
  const [right, bottom] = [Math.min(left + 1, width - 1), Math.min(top + 1, height - 1)];
  const at = (r: number, c: number) => values[r * width + c] ?? 0;
  const [dx, dy] = [column - left, row - top];
  const upper = at(top, left) * (1 - dx) + at(top, right) * dx;
  const lower = at(bottom, left) * (1 - dx) + at(bottom, right) * dx;
  return upper * (1 - dy) + lower * dy;
}

/** The ninth of the photo with the maximum, as [row, column]; undefined for an empty map. */
export function strongestRegion({ width, height, values }: Heatmap): [0 | 1 | 2, 0 | 1 | 2] | undefined {
  const strongest = values.reduce((best, value, index) => (value > (values[best] ?? 0) ? index : best), -1);
  if (strongest < 0) return undefined;
  const third = (cell: number, cells: number) => Math.floor((3 * (cell + 0.5)) / cells) as 0 | 1 | 2;
  return [third(Math.floor(strongest / width), height), third(strongest % width, width)];
}

function colour(value: number): [number, number, number] {
  const position = clamp(value, 0, 1) * (STOPS.length - 1);
  const below = Math.min(Math.floor(position), STOPS.length - 2);
  const [a, b] = [STOPS[below]!, STOPS[below + 1]!];
  const share = position - below;
  return [0, 1, 2].map((channel) => a[channel]! * (1 - share) + b[channel]! * share) as [number, number, number];
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

function smooth(share: number): number {
  const t = clamp(share, 0, 1);
  return t * t * (3 - 2 * t);
}
