import type { Box, Turn } from '../../page.ts';
import type { Pdfium } from './pdfium.ts';
import { type Matrix, moved, type OpenPage } from './pdfium-document.ts';
import type { Glyph } from './words.ts';

/**
 * The characters of a page that a person can see, in the page's order. `covered` are text objects that lie under a
 * picture: they, like text that is not painted at all, are some scanner's guess at what the picture shows.
 */
export function glyphsOf(pdfium: Pdfium, page: OpenPage, covered: ReadonlySet<number>): Glyph[] {
  const { call } = pdfium;
  const text = call.FPDFText_LoadPage(page.handle);
  if (!text) return [];
  const room = call.malloc(64);
  const glyphs: Glyph[] = [];
  const seen = new Map<number, boolean>();
  const isSeen = (object: number) => {
    const known = seen.get(object);
    if (known !== undefined) return known;
    const visible = !covered.has(object) && call.FPDFTextObj_GetTextRenderMode(object) !== INVISIBLE;
    seen.set(object, visible);
    return visible;
  };
  try {
    const count = Math.min(call.FPDFText_CountChars(text), MAX_CHARACTERS);
    for (let index = 0; index < count; index++) {
      const object = call.FPDFText_GetTextObject(text, index);
      if (object && !isSeen(object)) continue;
      const glyph = glyphAt(pdfium, { text, index, room, page });
      if (glyph) glyphs.push(glyph);
    }
  } finally {
    call.free(room);
    call.FPDFText_ClosePage(text);
  }
  return glyphs;
}

const INVISIBLE = 3;
// A page of the smallest print has twenty thousand.
const MAX_CHARACTERS = 200_000;

function glyphAt(
  { call, float, double }: Pdfium,
  { text, index, room, page }: { text: number; index: number; room: number; page: OpenPage },
): Glyph | undefined {
  const character = call.FPDFText_GetUnicode(text, index);
  const blank = call.FPDFText_IsGenerated(text, index) === 1;
  const turned = call.FPDFText_GetMatrix(text, index, room) === 1;
  const turn = turned ? turnOf(float(room), float(room + 4), page.shown) : 0;
  const size = call.FPDFText_GetFontSize(text, index) * (turned ? Math.hypot(float(room + 8), float(room + 12)) : 1);
  // The library names the sides of the ink in another order than those of the room.
  if (!call.FPDFText_GetCharBox(text, index, room, room + 8, room + 16, room + 24)) return undefined;
  const ink = boxOf(double(room), double(room + 24), double(room + 8), double(room + 16), page.shown);
  // It works out that room for text that runs to the right only.
  const loose =
    turn === 0 && call.FPDFText_GetLooseCharBox(text, index, room)
      ? boxOf(float(room), float(room + 4), float(room + 8), float(room + 12), page.shown)
      : ink;
  return {
    text: blank ? ' ' : character > 0x10ffff || character === 0 ? '\ufffd' : String.fromCodePoint(character),
    ink,
    room: holds(loose, ink) ? loose : ink,
    size: size > 0 && size < MAX_SIZE ? size : Math.max(ink[3] - ink[1], 1),
    turn,
    unknown: call.FPDFText_HasUnicodeMapError(text, index) === 1,
  };
}

// Points; what claims more is measured by its ink.
const MAX_SIZE = 2000;

function boxOf(left: number, top: number, right: number, bottom: number, shown: Matrix): Box {
  const [ax, ay] = moved(shown, left, top);
  const [bx, by] = moved(shown, right, bottom);
  return [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
}

function holds([x0, y0, x1, y1]: Box, ink: Box): boolean {
  const [x, y] = [(ink[0] + ink[2]) / 2, (ink[1] + ink[3]) / 2];
  return x > x0 && x < x1 && y > y0 - 1 && y < y1 + 1;
}

/** Which way text runs whose own first axis is (a, b). */
function turnOf(a: number, b: number, shown: Matrix): Turn {
  const dx = shown[0] * a + shown[2] * b;
  const dy = shown[1] * a + shown[3] * b;
  return (((Math.round(Math.atan2(dy, dx) / (Math.PI / 2)) + 4) % 4) * 90) as Turn;
}
