import type { Grey } from '../grey.ts';

/** A sheet to draw on, white at first. */
export interface Drawing extends Grey {
  /** Fills whole pixels: from `x`, `y`, so wide and so high. */
  box(x: number, y: number, width: number, height: number, light?: number): Drawing;
  /** A line between two points, `thick` pixels high or wide, by its nearest pixels. */
  line(x0: number, y0: number, x1: number, y1: number, thick?: number): Drawing;
}

export function drawing(width: number, height: number, paper = 255): Drawing {
  const data = new Uint8Array(width * height).fill(paper);
  const sheet: Drawing = {
    width,
    height,
    data,
    box(x, y, across, down, light = 0) {
      for (let row = Math.max(0, y); row < Math.min(height, y + down); row++) {
        data.fill(light, row * width + Math.max(0, x), row * width + Math.min(width, x + across));
      }
      return sheet;
    },
    line(x0, y0, x1, y1, thick = 3) {
      const steps = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0));
      const level = Math.abs(x1 - x0) >= Math.abs(y1 - y0);
      for (let step = 0; step <= steps; step++) {
        const x = Math.round(x0 + ((x1 - x0) * step) / steps);
        const y = Math.round(y0 + ((y1 - y0) * step) / steps);
        sheet.box(level ? x : x - (thick >> 1), level ? y - (thick >> 1) : y, level ? 1 : thick, level ? thick : 1);
      }
      return sheet;
    },
  };
  return sheet;
}

/** A number from 0 to 1 that looks like chance and is the same in each run (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
