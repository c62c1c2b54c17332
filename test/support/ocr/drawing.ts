import type { GrayImage } from '../../../src/services/passports/model/ocr/grayscale.ts';

/** An image to draw on. */
export interface Drawing extends GrayImage {
  /** Fills a rectangle. */
  box(x: number, y: number, width: number, height: number, light?: number): Drawing;
  /** Draws a line `thick` pixels high or wide. */
  line(x0: number, y0: number, x1: number, y1: number, thick?: number): Drawing;
}

export function createDrawing(width: number, height: number, paper = 255): Drawing {
  const data = new Uint8Array(width * height).fill(paper);
  const image: Drawing = {
    width,
    height,
    data,
    box(x, y, across, down, light = 0) {
      for (let row = Math.max(0, y); row < Math.min(height, y + down); row++) {
        data.fill(light, row * width + Math.max(0, x), row * width + Math.min(width, x + across));
      }
      return image;
    },
    line(x0, y0, x1, y1, thick = 3) {
      const steps = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0));
      const isHorizontal = Math.abs(x1 - x0) >= Math.abs(y1 - y0);
      for (let step = 0; step <= steps; step++) {
        const x = Math.round(x0 + ((x1 - x0) * step) / steps);
        const y = Math.round(y0 + ((y1 - y0) * step) / steps);
        image.box(
          isHorizontal ? x : x - (thick >> 1),
          isHorizontal ? y - (thick >> 1) : y,
          isHorizontal ? 1 : thick,
          isHorizontal ? thick : 1,
        );
      }
      return image;
    },
  };
  return image;
}
