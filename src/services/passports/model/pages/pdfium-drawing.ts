import { boxAround } from '../../page-geometry.ts';
import type { Pdfium } from './pdfium.ts';
import { applyMatrix, type Matrix, multiplyMatrices, type OpenPage } from './pdfium-document.ts';
import type { Stroke } from './rules.ts';

export interface Drawing {
  /** In points of the displayed page. */
  readonly strokes: readonly Stroke[];
  /** Text objects that an image hides. */
  readonly coveredTexts: ReadonlySet<number>;
  /** Share of the page area that images cover; scanners also write a page in strips. Overlaps count twice. */
  readonly imageShare: number;
  readonly largestImagePixels: number;
  /** The resolution of the image of a page without anything else. */
  readonly onlyImageDpi?: number | undefined;
}

/** Includes nested form objects. */
export function readDrawing(pdfium: Pdfium, page: OpenPage): Drawing {
  const { call } = pdfium;
  const walk: Walk = {
    pdfium,
    page,
    buffer: call.malloc(64),
    strokes: [],
    texts: [],
    coveredTexts: new Set(),
    imageShare: 0,
    largestImagePixels: 0,
    drawn: 0,
    imageDpi: 0,
    left: MAX_OBJECTS,
  };
  try {
    const count = call.FPDFPage_CountObjects(page.handle);
    for (let index = 0; index < count && walk.left > 0; index++) {
      visit(walk, call.FPDFPage_GetObject(page.handle, index), page.displayMatrix, 0);
    }
  } finally {
    call.free(walk.buffer);
  }
  return { ...walk, onlyImageDpi: walk.drawn === 1 && walk.imageDpi > 0 ? walk.imageDpi : undefined };
}

interface Walk extends Drawing {
  readonly pdfium: Pdfium;
  readonly page: OpenPage;
  readonly strokes: Stroke[];
  readonly texts: number[];
  readonly coveredTexts: Set<number>;
  imageShare: number;
  largestImagePixels: number;
  /** Objects, without the forms that contain them. */
  drawn: number;
  imageDpi: number;
  left: number;
  readonly buffer: number;
}

// A detailed floor plan has about 10,000.
const MAX_OBJECTS = 300_000;
const MAX_DEPTH = 12;
const KIND = { text: 1, path: 2, image: 3, form: 5 } as const;
// Points; a thicker bar is a filled box.
const MAX_THICKNESS = 3;
// Share of the page area.
const MIN_COVER_SHARE = 0.8;
const POINTS_PER_INCH = 72;

function visit(walk: Walk, object: number, displayMatrix: Matrix, depth: number): void {
  const { call } = walk.pdfium;
  if (!object || walk.left-- <= 0) return;
  const kind = call.FPDFPageObj_GetType(object);
  if (kind !== KIND.form) walk.drawn++;
  switch (kind) {
    case KIND.text:
      walk.texts.push(object);
      return;
    case KIND.path:
      walk.strokes.push(...strokesOf(walk, object, displayMatrix));
      return;
    case KIND.image:
      visitImage(walk, object, displayMatrix);
      return;
    case KIND.form: {
      if (depth >= MAX_DEPTH) return;
      const inside = multiplyMatrices(matrixOf(walk, object), displayMatrix);
      const count = call.FPDFFormObj_CountObjects(object);
      for (let index = 0; index < count && walk.left > 0; index++) {
        visit(walk, call.FPDFFormObj_GetObject(object, index), inside, depth + 1);
      }
    }
  }
}

function visitImage(walk: Walk, object: number, displayMatrix: Matrix): void {
  const { call, uint } = walk.pdfium;
  const { width, height } = walk.page;
  const { buffer } = walk;
  const pixels = call.FPDFImageObj_GetImagePixelSize(object, buffer, buffer + 4)
    ? [uint(buffer), uint(buffer + 4)]
    : [];
  const [x0, y0, x1, y1] = unitSquareBox(multiplyMatrices(matrixOf(walk, object), displayMatrix));
  if (pixels.length > 0) {
    walk.largestImagePixels = Math.max(walk.largestImagePixels, pixels[0]! * pixels[1]!);
    walk.imageDpi = POINTS_PER_INCH * Math.max(...sideRatios(pixels, [x1 - x0, y1 - y0]));
  }
  const visible =
    Math.max(0, Math.min(x1, width) - Math.max(x0, 0)) * Math.max(0, Math.min(y1, height) - Math.max(y0, 0));
  const share = visible === 0 ? 0 : visible / (width * height);
  walk.imageShare += share;
  if (share >= MIN_COVER_SHARE) for (const text of walk.texts) walk.coveredTexts.add(text);
  if (Math.min(x1 - x0, y1 - y0) <= MAX_THICKNESS) walk.strokes.push([x0, y0, x1, y1]);
}

/**
 * Pixels per point along the longer and the shorter side, which may be turned. Half a pixel more, because the size of a raster
 * is rounded down.
 */
const sideRatios = (pixels: readonly number[], points: readonly number[]): number[] =>
  [Math.max, Math.min].map((side) => (side(...pixels) + 0.5) / side(...points));

/** An image fills the transformed unit square. */
const unitSquareBox = (matrix: Matrix): Stroke =>
  boxAround([
    applyMatrix(matrix, 0, 0),
    applyMatrix(matrix, 1, 0),
    applyMatrix(matrix, 0, 1),
    applyMatrix(matrix, 1, 1),
  ]);

function matrixOf({ pdfium, buffer }: Walk, object: number): Matrix {
  if (!pdfium.call.FPDFPageObj_GetMatrix(object, buffer)) return [1, 0, 0, 1, 0, 0];
  const at = (index: number) => pdfium.float(buffer + 4 * index);
  return [at(0), at(1), at(2), at(3), at(4), at(5)];
}

/** The straight strokes of a path; of a filled path, the centre line of a thin bar. */
function strokesOf(walk: Walk, path: number, displayMatrix: Matrix): Stroke[] {
  const { call } = walk.pdfium;
  const { buffer } = walk;
  if (!call.FPDFPath_GetDrawMode(path, buffer, buffer + 4)) return [];
  const [filled, stroked] = [walk.pdfium.uint(buffer), walk.pdfium.uint(buffer + 4)];
  const count = call.FPDFPath_CountSegments(path);
  if ((!filled && !stroked) || count < 2 || count > MAX_SEGMENTS) return [];
  if (isFaint(walk, path, stroked ? 'FPDFPageObj_GetStrokeColor' : 'FPDFPageObj_GetFillColor')) return [];
  const outlines = outlinesOf(walk, path, count, multiplyMatrices(matrixOf(walk, path), displayMatrix));
  return stroked ? outlines.flatMap(straightSides) : outlines.flatMap(barCentreLine);
}

const MAX_SEGMENTS = 20_000;
const SEGMENT = { line: 0, curve: 1, move: 2 } as const;

type Point = [x: number, y: number];
interface Outline {
  readonly points: Point[];
  /** Whether the segment to each point is a curve. */
  readonly curved: boolean[];
  closed: boolean;
}

function outlinesOf(walk: Walk, path: number, count: number, matrix: Matrix): Outline[] {
  const { call, float } = walk.pdfium;
  const { buffer } = walk;
  const outlines: Outline[] = [];
  for (let index = 0; index < count; index++) {
    const segment = call.FPDFPath_GetPathSegment(path, index);
    if (!call.FPDFPathSegment_GetPoint(segment, buffer, buffer + 4)) continue;
    const kind = call.FPDFPathSegment_GetType(segment);
    if (kind === SEGMENT.move || outlines.length === 0) outlines.push({ points: [], curved: [], closed: false });
    const outline = outlines.at(-1)!;
    outline.points.push(applyMatrix(matrix, float(buffer), float(buffer + 4)));
    outline.curved.push(kind === SEGMENT.curve);
    if (call.FPDFPathSegment_GetClose(segment)) outline.closed = true;
  }
  return outlines;
}

function straightSides({ points, curved, closed }: Outline): Stroke[] {
  const sides: Stroke[] = [];
  for (let index = 1; index < points.length; index++) {
    if (!curved[index]) sides.push([...points[index - 1]!, ...points[index]!]);
  }
  if (closed && points.length > 2) sides.push([...points.at(-1)!, ...points[0]!]);
  return sides;
}

function barCentreLine({ points, curved }: Outline): Stroke[] {
  if (points.length < 4 || points.length > 5 || curved.includes(true)) return [];
  const [x0, y0, x1, y1] = boxAround(points);
  const isRectangle = points.every(([x, y]) => (near(x, x0) || near(x, x1)) && (near(y, y0) || near(y, y1)));
  if (!isRectangle || Math.min(x1 - x0, y1 - y0) > MAX_THICKNESS) return [];
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  return x1 - x0 > y1 - y0 ? [[x0, y, x1, y]] : [[x, y0, x, y1]];
}

const near = (a: number, b: number) => Math.abs(a - b) < 0.3;

/** Whether the colour is nearly white or transparent. */
function isFaint(walk: Walk, path: number, colour: 'FPDFPageObj_GetStrokeColor' | 'FPDFPageObj_GetFillColor'): boolean {
  const { buffer } = walk;
  const { call, uint } = walk.pdfium;
  if (!call[colour](path, buffer, buffer + 4, buffer + 8, buffer + 12)) return false;
  const [red, green, blue, opacity] = [uint(buffer), uint(buffer + 4), uint(buffer + 8), uint(buffer + 12)];
  return opacity < 16 || Math.min(red, green, blue) > 245;
}
