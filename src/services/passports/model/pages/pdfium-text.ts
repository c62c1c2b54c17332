import type { Box, Turn } from '../../page-geometry.ts';
import type { Glyph } from './page-words.ts';
import type { Pdfium } from './pdfium.ts';
import { applyMatrix, type Matrix, type OpenPage } from './pdfium-document.ts';

/** Reads visible characters, without `covered` and invisible text objects: the OCR layer of a scanner. */
export function readGlyphs(pdfium: Pdfium, page: OpenPage, covered: ReadonlySet<number>): Glyph[] {
  const { call } = pdfium;
  const text = call.FPDFText_LoadPage(page.handle);
  if (!text) return [];
  const buffer = call.malloc(64);
  const glyphs: Glyph[] = [];
  const cache = new Map<number, boolean>();
  const isVisible = (object: number) => {
    const known = cache.get(object);
    if (known !== undefined) return known;
    const visible = !covered.has(object) && call.FPDFTextObj_GetTextRenderMode(object) !== INVISIBLE;
    cache.set(object, visible);
    return visible;
  };
  try {
    const count = Math.min(call.FPDFText_CountChars(text), MAX_CHARACTERS);
    for (let index = 0; index < count; index++) {
      const object = call.FPDFText_GetTextObject(text, index);
      if (object && !isVisible(object)) continue;
      const glyph = glyphAt(pdfium, { text, index, buffer, page });
      if (glyph) glyphs.push(glyph);
    }
  } finally {
    call.free(buffer);
    call.FPDFText_ClosePage(text);
  }
  return glyphs;
}

const INVISIBLE = 3;
// A page of the smallest print has 20,000.
const MAX_CHARACTERS = 200_000;

function glyphAt(
  { call, float, double }: Pdfium,
  { text, index, buffer, page }: { text: number; index: number; buffer: number; page: OpenPage },
): Glyph | undefined {
  const character = call.FPDFText_GetUnicode(text, index);
  const blank = call.FPDFText_IsGenerated(text, index) === 1;
  const turned = call.FPDFText_GetMatrix(text, index, buffer) === 1;
  const turn = turned ? turnOf(float(buffer), float(buffer + 4), page.displayMatrix) : 0;
  const size =
    call.FPDFText_GetFontSize(text, index) * (turned ? Math.hypot(float(buffer + 8), float(buffer + 12)) : 1);
  // The argument order differs from FPDFText_GetLooseCharBox.
  if (!call.FPDFText_GetCharBox(text, index, buffer, buffer + 8, buffer + 16, buffer + 24)) return undefined;
  const ink = boxOf(double(buffer), double(buffer + 24), double(buffer + 8), double(buffer + 16), page.displayMatrix);
  // PDFium supports only text that runs to the right.
  const loose =
    turn === 0 && call.FPDFText_GetLooseCharBox(text, index, buffer)
      ? boxOf(float(buffer), float(buffer + 4), float(buffer + 8), float(buffer + 12), page.displayMatrix)
      : ink;
  return {
    text: blank ? ' ' : character > 0x10ffff || character === 0 ? '\ufffd' : String.fromCodePoint(character),
    glyphBox: ink,
    advanceBox: containsCentre(loose, ink) ? loose : ink,
    size: size > 0 && size < MAX_SIZE ? size : Math.max(ink[3] - ink[1], 1),
    turn,
    unknown: call.FPDFText_HasUnicodeMapError(text, index) === 1,
  };
}

// Points; for larger values the glyph box is used.
const MAX_SIZE = 2000;

function boxOf(left: number, top: number, right: number, bottom: number, displayMatrix: Matrix): Box {
  const [ax, ay] = applyMatrix(displayMatrix, left, top);
  const [bx, by] = applyMatrix(displayMatrix, right, bottom);
  return [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
}

function containsCentre([x0, y0, x1, y1]: Box, ink: Box): boolean {
  const [x, y] = [(ink[0] + ink[2]) / 2, (ink[1] + ink[3]) / 2];
  return x > x0 && x < x1 && y > y0 - 1 && y < y1 + 1;
}

function turnOf(a: number, b: number, displayMatrix: Matrix): Turn {
  const dx = displayMatrix[0] * a + displayMatrix[2] * b;
  const dy = displayMatrix[1] * a + displayMatrix[3] * b;
  return (((Math.round(Math.atan2(dy, dx) / (Math.PI / 2)) + 4) % 4) * 90) as Turn;
}
