import { type GrayImage, WHITE } from './grayscale.ts';

/** A binary image: 1 is ink, 0 is paper. */
export type BinaryImage = GrayImage;

/** In pixels; `right` and `bottom` are exclusive. */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A connected component of ink. */
export interface Component extends Rectangle {
  readonly area: number;
}

/** Pixels darker than `threshold`, from 0 to 255, are ink. Compares four at a time. */
export function binarize({ width, height, data }: GrayImage, threshold: number): BinaryImage {
  const ink = new Uint8Array(data.length);
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const words = new Int32Array(ink.buffer, 0, data.length >> 2);
  // Added to the lower seven bits of a pixel, it sets the eighth if they are not below the lower bits of the threshold.
  const complement = Math.imul((threshold > 128 ? 256 : 128) - threshold, 0x01010101);
  for (let word = 0; word < words.length; word++) {
    const four = view.getInt32(word * 4, true);
    if (four === WHITE) continue;
    const reached = (four & 0x7f7f7f7f) + complement;
    words[word] = (~(threshold > 128 ? four & reached : four | reached) >>> 7) & 0x01010101;
  }
  for (let pixel = words.length * 4; pixel < data.length; pixel++) ink[pixel] = data[pixel]! < threshold ? 1 : 0;
  return { width, height, data: ink };
}

/** Otsu's threshold (1979), limited so that the noise of a blank page does not become ink. */
export function otsuThreshold({ data }: GrayImage): number {
  const counts = new Float64Array(256);
  for (let pixel = 0; pixel < data.length; pixel += 3) if (data[pixel] !== 255) counts[data[pixel]!]!++;
  // White is counted by subtraction: successive increments of one counter are slow.
  counts[255] = Math.ceil(data.length / 3) - counts.reduce((sum, count) => sum + count, 0);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const all = counts.reduce((sum, count, value) => sum + count * value, 0);
  let best = 0;
  let threshold = 0;
  let below = 0;
  let sum = 0;
  for (let value = 0; value < 255; value++) {
    below += counts[value]!;
    sum += counts[value]! * value;
    if (below === 0 || below === total) continue;
    const apart = sum / below - (all - sum) / (total - below);
    const between = below * (total - below) * apart * apart;
    if (between > best) {
      best = between;
      threshold = value + 1;
    }
  }
  return Math.min(205, Math.max(110, threshold));
}

/** Finds 8-connected components by joining the runs of adjacent rows. */
export function findComponents({ width, height, data }: BinaryImage): Component[] {
  const components: { -readonly [Key in keyof Component]: number }[] = [];
  const parent: number[] = [];
  const find = (component: number): number => {
    let root = component;
    while (parent[root] !== root) root = parent[root]!;
    while (parent[component] !== root) {
      const next = parent[component]!;
      parent[component] = root;
      component = next;
    }
    return root;
  };
  const join = (one: number, other: number): number => {
    const root = find(one);
    const absorbed = find(other);
    if (root === absorbed) return root;
    const into = components[root]!;
    const from = components[absorbed]!;
    into.left = Math.min(into.left, from.left);
    into.top = Math.min(into.top, from.top);
    into.right = Math.max(into.right, from.right);
    into.bottom = Math.max(into.bottom, from.bottom);
    into.area += from.area;
    parent[absorbed] = root;
    return root;
  };

  // Flat [start, end, component] triples.
  let above: number[] = [];
  let here: number[] = [];
  // `indexOf` takes a tenth of the time of a loop.
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  let next = bytes.indexOf(1);
  for (let y = 0; y < height; y++) {
    [above, here] = [here, above];
    here.length = 0;
    const row = y * width;
    let candidate = 0;
    while (next >= row && next < row + width) {
      const start = next - row;
      let x = start;
      while (x < width && data[row + x] === 1) x++;
      next = bytes.indexOf(1, row + x);
      let component = -1;
      while (candidate < above.length && above[candidate + 1]! < start) candidate += 3;
      for (let run = candidate; run < above.length && above[run]! <= x; run += 3) {
        component = component < 0 ? find(above[run + 2]!) : join(component, above[run + 2]!);
      }
      if (component < 0) {
        component = components.length;
        components.push({ left: start, top: y, right: x, bottom: y + 1, area: x - start });
        parent.push(component);
      } else {
        const grown = components[component]!;
        grown.left = Math.min(grown.left, start);
        grown.right = Math.max(grown.right, x);
        grown.bottom = y + 1;
        grown.area += x - start;
      }
      here.push(start, x, component);
    }
  }
  return components.filter((_, component) => parent[component] === component);
}
