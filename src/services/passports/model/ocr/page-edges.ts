import type { Rectangle } from './binarize.ts';
import type { GrayImage } from './grayscale.ts';
import type { Line, Rules } from './rules.ts';
import type { Segment } from './text-lines.ts';

/** Page edges in pixels of the view; infinite where none is visible. */
export type PageEdges = Rectangle;

/** Distance from the image border, as a share of the side. */
const MAX_BORDER_DISTANCE = 0.12;
/** Share of the side; faint edges are found in pieces. */
const MIN_LENGTH = 0.1;
/** Background brightness relative to the paper. */
const MAX_BACKGROUND_RATIO = 0.85;

/** Detects edges: rules near the border with a darker background beyond. `page` has its original brightness. */
export function detectPageEdges(page: GrayImage, { horizontal, vertical }: Rules): PageEdges {
  const { width, height } = page;
  const across = horizontal.filter(({ x0, x1 }) => x1 - x0 > MIN_LENGTH * width);
  const down = vertical.filter(({ y0, y1 }) => y1 - y0 > MIN_LENGTH * height);
  const y = ({ y0, y1 }: Line) => (y0 + y1) / 2;
  const x = ({ x0, x1 }: Line) => (x0 + x1) / 2;
  const isEdge = (line: Line, border: number, toX: number, toY: number) => {
    const inside = meanBrightness(page, line, 14 * toX, 14 * toY);
    const beyond = meanBrightness(page, line, -14 * toX, -14 * toY);
    const outermost = meanBrightness(
      page,
      line,
      Math.abs(toX) * (border - x(line)) * 0.8,
      Math.abs(toY) * (border - y(line)) * 0.8,
    );
    return Math.max(beyond, outermost) < MAX_BACKGROUND_RATIO * inside;
  };
  const top = across.filter((line) => y(line) < MAX_BORDER_DISTANCE * height && isEdge(line, 0, 0, 1));
  const bottom = across.filter((line) => y(line) > (1 - MAX_BORDER_DISTANCE) * height && isEdge(line, height, 0, -1));
  const left = down.filter((line) => x(line) < MAX_BORDER_DISTANCE * width && isEdge(line, 0, 1, 0));
  const right = down.filter((line) => x(line) > (1 - MAX_BORDER_DISTANCE) * width && isEdge(line, width, -1, 0));
  return {
    left: Math.max(...left.map(x)),
    top: Math.max(...top.map(y)),
    right: Math.min(...right.map(x)),
    bottom: Math.min(...bottom.map(y)),
  };
}

/** In pixels, for edges that are not straight. */
const EDGE_TOLERANCE = 18;

/** Whether the middle of a box is on the page, not along an edge. */
export function isInsidePage(edges: PageEdges, { x0, y0, x1, y1 }: Segment): boolean {
  const x = (x0 + x1) / 2;
  const y = (y0 + y1) / 2;
  const { left, top, right, bottom } = edges;
  return (
    x > left + EDGE_TOLERANCE && x < right - EDGE_TOLERANCE && y > top + EDGE_TOLERANCE && y < bottom - EDGE_TOLERANCE
  );
}

/** Mean brightness along a line shifted by (dx, dy). */
function meanBrightness({ width, height, data }: GrayImage, { x0, y0, x1, y1 }: Line, dx: number, dy: number): number {
  let sum = 0;
  const samples = 400;
  for (let sample = 0; sample < samples; sample++) {
    const share = (sample + 0.5) / samples;
    const x = Math.min(width - 1, Math.max(0, Math.round(x0 + (x1 - x0) * share + dx)));
    const y = Math.min(height - 1, Math.max(0, Math.round(y0 + (y1 - y0) * share + dy)));
    sum += data[y * width + x]!;
  }
  return sum / samples;
}
