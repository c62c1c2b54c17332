import type { Pdfium } from './pdfium.ts';
import { openFile, type ReadableFile } from './pdfium-file.ts';

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

/** A document in the library's memory; `close` lets go of its file, the memory goes with the library. */
export interface OpenDocument {
  readonly pages: number;
  /** The page (from 0), or undefined where it cannot be opened. The page before is closed with that. */
  page(index: number): OpenPage | undefined;
  close(): void;
}

/** Opens a PDF, whose file is read as its pages are asked for. */
export function openDocument(
  pdfium: Pdfium,
  { path, maxPages }: { path: string; maxPages: number },
): OpenDocument | { problem: PdfProblem } {
  const { call } = pdfium;
  const file = openFile(pdfium, path);
  const refused = (problem: PdfProblem) => {
    file.close();
    return { problem };
  };
  if (!file.read(0, 1024).includes('%PDF-')) return refused('unsupported');
  if (file.length > MAX_FILE_BYTES) return refused('too_complex');
  const document = call.FPDF_LoadCustomDocument(file.access, 0);
  if (!document) return refused(NEEDS_PASSWORD.has(call.FPDF_GetLastError()) ? 'encrypted' : 'corrupt');
  const pages = call.FPDF_GetPageCount(document);
  if (pages > maxPages) return refused('too_many_pages');
  if (pages === 0 || isPortfolio(pdfium, document, file)) return refused('unsupported');
  if (!hasPage(pdfium, document, pages)) return refused('corrupt');
  return { pages, page: pageOpener(pdfium, document), close: () => file.close() };
}

function hasPage({ call }: Pdfium, document: number, pages: number): boolean {
  const size = call.malloc(8);
  for (let index = 0; index < pages; index++) {
    if (call.FPDF_GetPageSizeByIndexF(document, index, size)) return true;
  }
  return false;
}

/**
 * Opens pages (from 0) of a document, one at a time: the one before is closed, the same one again is at hand. Undefined
 * when a page cannot be opened. What was filled into a form or written on the page as a note becomes a part of it, as it
 * is a part of what is seen.
 */
function pageOpener(pdfium: Pdfium, document: number): (index: number) => OpenPage | undefined {
  const { call } = pdfium;
  let open: { index: number; page: OpenPage } | undefined;
  return (index) => {
    if (open?.index === index) return open.page;
    if (open) call.FPDF_ClosePage(open.page.handle);
    open = undefined;
    let handle = call.FPDF_LoadPage(document, index);
    if (handle && hasNotes(pdfium, handle) && call.FPDFPage_Flatten(handle, 0) === FLATTENED) {
      call.FPDF_ClosePage(handle);
      handle = call.FPDF_LoadPage(document, index);
    }
    if (!handle) return undefined;
    const [width, height] = [call.FPDF_GetPageWidthF(handle), call.FPDF_GetPageHeightF(handle)];
    const page = { handle, width, height, shown: shownAs(pdfium, handle, { width, height }) };
    open = { index, page };
    return page;
  };
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
// Beyond, the library's own places in a file are negative.
const MAX_FILE_BYTES = 2 ** 31 - 1;
// Widgets of forms, free text, stamps and ink.
const NOTES = new Set([3, 13, 15, 20]);
const SCALE = 1_000_000;

/** A folder of attached files, whose one page asks for another program. Not seen where its catalogue is compressed. */
function isPortfolio(pdfium: Pdfium, document: number, file: ReadableFile): boolean {
  if (pdfium.call.FPDFDoc_GetAttachmentCount(document) === 0) return false;
  for (let from = 0; from < file.length; from += SEARCHED_BYTES) {
    // A little more than the step, for a name that lies across.
    const content = file.read(from, SEARCHED_BYTES + 64).toString('latin1');
    if (/\/Collection\s*(<<|\d+ \d+ R)/.test(content)) return true;
  }
  return false;
}

const SEARCHED_BYTES = 2 ** 20;

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
