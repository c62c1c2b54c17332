import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Pdfium } from './pdfium.ts';

/** Why a PDF is not read, whoever tries again. */
export type PdfProblem = 'encrypted' | 'corrupt' | 'too_many_pages' | 'too_complex' | 'unsupported';

/** A page that is open, with the way from its own coordinates (points, upwards, unturned, uncropped) to what is shown. */
export interface OpenPage {
  readonly handle: number;
  /** In points, as shown. */
  readonly width: number;
  readonly height: number;
  /** x' = a·x + c·y + e and y' = b·x + d·y + f, in points from the top left corner as shown. */
  readonly shown: Matrix;
}

export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** Opens the file of a PDF in the library's memory, where it stays until this process ends. */
export function openDocument(
  pdfium: Pdfium,
  { path, maxPages }: { path: string; maxPages: number },
): { document: number; pages: number } | { problem: PdfProblem } {
  const { call } = pdfium;
  const file = readIn(pdfium, path);
  if (!hasHeader(pdfium, file)) return { problem: 'unsupported' };
  const document = call.FPDF_LoadMemDocument(file.at, file.length, 0);
  if (!document) return { problem: NEEDS_PASSWORD.has(call.FPDF_GetLastError()) ? 'encrypted' : 'corrupt' };
  const pages = call.FPDF_GetPageCount(document);
  if (pages > maxPages) return { problem: 'too_many_pages' };
  if (pages === 0 || isPortfolio(pdfium, document, file)) return { problem: 'unsupported' };
  for (let index = 0; index < pages; index++) {
    const page = call.FPDF_LoadPage(document, index);
    if (!page) continue;
    call.FPDF_ClosePage(page);
    return { document, pages };
  }
  return { problem: 'corrupt' };
}

/**
 * Runs `use` with page `index` (from 0); undefined when that page cannot be opened. What was filled into a form or
 * written on the page as a note becomes a part of it, as it is a part of what is seen.
 */
export function withPage<Result>(
  pdfium: Pdfium,
  document: number,
  index: number,
  use: (page: OpenPage) => Result,
): Result | undefined {
  const { call } = pdfium;
  let handle = call.FPDF_LoadPage(document, index);
  if (handle && hasNotes(pdfium, handle) && call.FPDFPage_Flatten(handle, 0) === FLATTENED) {
    call.FPDF_ClosePage(handle);
    handle = call.FPDF_LoadPage(document, index);
  }
  if (!handle) return undefined;
  try {
    const [width, height] = [call.FPDF_GetPageWidthF(handle), call.FPDF_GetPageHeightF(handle)];
    return use({ handle, width, height, shown: shownAs(pdfium, handle, { width, height }) });
  } finally {
    call.FPDF_ClosePage(handle);
  }
}

/** A point after the matrix. */
export function moved([a, b, c, d, e, f]: Matrix, x: number, y: number): [x: number, y: number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** First `inner`, then `outer`. */
export function combined(inner: Matrix, outer: Matrix): Matrix {
  const [a, b, c, d, e, f] = inner;
  const [A, B, C, D, E, F] = outer;
  return [A * a + C * b, B * a + D * b, A * c + C * d, B * c + D * d, A * e + C * f + E, B * e + D * f + F];
}

// The codes of a file that wants a password, and of a way of encrypting that the library has not learnt.
const NEEDS_PASSWORD = new Set([4, 5]);
const FLATTENED = 1;
// Widgets of forms, free text, stamps and ink.
const NOTES = new Set([3, 13, 15, 20]);
const SCALE = 1_000_000;

function readIn({ call, bytes }: Pdfium, path: string): { at: number; length: number } {
  const file = openSync(path, 'r');
  try {
    const length = fstatSync(file).size;
    const at = call.malloc(length + 1);
    if (!at) throw new RangeError('The file is larger than the memory.');
    for (let done = 0; done < length; ) {
      const read = readSync(file, bytes(), at + done, length - done, done);
      if (read === 0) throw new Error('The file became shorter while it was read.');
      done += read;
    }
    return { at, length };
  } finally {
    closeSync(file);
  }
}

const view = ({ bytes }: Pdfium, { at, length }: { at: number; length: number }) =>
  Buffer.from(bytes().buffer, at, length);

const hasHeader = (pdfium: Pdfium, file: { at: number; length: number }) =>
  view(pdfium, file).subarray(0, 1024).includes('%PDF-');

/** A folder of attached files, whose one page asks for another program. Not seen where its catalogue is compressed. */
function isPortfolio(pdfium: Pdfium, document: number, file: { at: number; length: number }): boolean {
  if (pdfium.call.FPDFDoc_GetAttachmentCount(document) === 0) return false;
  const content = view(pdfium, file);
  for (let at = content.indexOf('/Collection'); at >= 0; at = content.indexOf('/Collection', at + 1)) {
    if (/^\/Collection\s*(<<|\d+ \d+ R)/.test(content.toString('latin1', at, at + 40))) return true;
  }
  return false;
}

function hasNotes({ call }: Pdfium, page: number): boolean {
  // A page of a form has hundreds; a page with a hundred thousand is not one.
  const count = Math.min(call.FPDFPage_GetAnnotCount(page), 5000);
  for (let index = 0; index < count; index++) {
    const note = call.FPDFPage_GetAnnot(page, index);
    if (!note) continue;
    const kind = call.FPDFAnnot_GetSubtype(note);
    call.FPDFPage_CloseAnnot(note);
    if (NOTES.has(kind)) return true;
  }
  return false;
}

/** Asked of the library at three points, so that its own understanding of crops and turns is the only one. */
function shownAs(pdfium: Pdfium, page: number, { width, height }: { width: number; height: number }): Matrix {
  const { call } = pdfium;
  const place = call.malloc(32);
  const at = (x: number, y: number): [number, number] => {
    call.FPDF_PageToDevice(page, 0, 0, SCALE, SCALE, 0, x, y, place, place + 4);
    const [dx, dy] = new Int32Array(pdfium.bytes().buffer, place, 2);
    return [(dx! / SCALE) * width, (dy! / SCALE) * height];
  };
  const [e, f] = at(0, 0);
  const [ax, ay] = at(1000, 0);
  const [cx, cy] = at(0, 1000);
  call.free(place);
  return [(ax - e) / 1000, (ay - f) / 1000, (cx - e) / 1000, (cy - f) / 1000, e, f];
}
