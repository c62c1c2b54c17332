import type { Pdfium } from './pdfium.ts';
import { openFile, type ReadableFile } from './pdfium-file.ts';

export type PdfProblem = 'encrypted' | 'corrupt' | 'too_many_pages' | 'too_complex' | 'unsupported';

export interface OpenPage {
  readonly handle: number;
  /** In points, as displayed. */
  readonly width: number;
  readonly height: number;
  /** Maps PDF coordinates to points from the top left corner of the displayed page. */
  readonly displayMatrix: Matrix;
}

/** x' = a·x + c·y + e and y' = b·x + d·y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export interface OpenDocument {
  readonly pages: number;
  /** Opens a page (from 0) and closes the previous one; undefined if damaged. */
  page(index: number): OpenPage | undefined;
  /** The memory is freed when the state of the library is restored. */
  close(): void;
}

/** The file is read on demand. */
export function openDocument(
  pdfium: Pdfium,
  { path, maxPages }: { path: string; maxPages: number },
): OpenDocument | { problem: PdfProblem } {
  const { call } = pdfium;
  const file = openFile(pdfium, path);
  const reject = (problem: PdfProblem) => {
    file.close();
    return { problem };
  };
  if (!file.read(0, 1024).includes('%PDF-')) return reject('unsupported');
  if (file.length > MAX_FILE_BYTES) return reject('too_complex');
  const document = call.FPDF_LoadCustomDocument(file.access, 0);
  if (!document) return reject(NEEDS_PASSWORD.has(call.FPDF_GetLastError()) ? 'encrypted' : 'corrupt');
  const pages = call.FPDF_GetPageCount(document);
  if (pages > maxPages) return reject('too_many_pages');
  if (pages === 0 || isPortfolio(pdfium, document, file)) return reject('unsupported');
  if (!hasPage(pdfium, document, pages)) return reject('corrupt');
  return { pages, page: pageOpener(pdfium, document), close: () => file.close() };
}

function hasPage({ call }: Pdfium, document: number, pages: number): boolean {
  const size = call.malloc(8);
  for (let index = 0; index < pages; index++) {
    if (call.FPDF_GetPageSizeByIndexF(document, index, size)) return true;
  }
  return false;
}

/** Flattens form fields and annotations into the page content. */
function pageOpener(pdfium: Pdfium, document: number): (index: number) => OpenPage | undefined {
  const { call } = pdfium;
  let open: { index: number; page: OpenPage } | undefined;
  return (index) => {
    if (open?.index === index) return open.page;
    if (open) call.FPDF_ClosePage(open.page.handle);
    open = undefined;
    let handle = call.FPDF_LoadPage(document, index);
    if (handle && hasAnnotations(pdfium, handle) && call.FPDFPage_Flatten(handle, 0) === FLATTENED) {
      call.FPDF_ClosePage(handle);
      handle = call.FPDF_LoadPage(document, index);
    }
    if (!handle) return undefined;
    const [width, height] = [call.FPDF_GetPageWidthF(handle), call.FPDF_GetPageHeightF(handle)];
    const page: OpenPage = {
      handle,
      width,
      height,
      displayMatrix: computeDisplayMatrix(pdfium, handle, { width, height }),
    };
    open = { index, page };
    return page;
  };
}

export function applyMatrix([a, b, c, d, e, f]: Matrix, x: number, y: number): [x: number, y: number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

export function multiplyMatrices(inner: Matrix, outer: Matrix): Matrix {
  const [a, b, c, d, e, f] = inner;
  const [A, B, C, D, E, F] = outer;
  return [A * a + C * b, B * a + D * b, A * c + C * d, B * c + D * d, A * e + C * f + E, B * e + D * f + F];
}

// FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY (unsupported encryption).
const NEEDS_PASSWORD = new Set([4, 5]);
const FLATTENED = 1;
// PDFium's file offsets are signed 32-bit.
const MAX_FILE_BYTES = 2 ** 31 - 1;
// Free text, stamp, ink and form widget.
const ANNOTATIONS = new Set([3, 13, 15, 20]);
const SCALE = 1_000_000;

/** A portfolio has only attached files. Not detected if its catalogue is compressed. */
function isPortfolio(pdfium: Pdfium, document: number, file: ReadableFile): boolean {
  if (pdfium.call.FPDFDoc_GetAttachmentCount(document) === 0) return false;
  for (let from = 0; from < file.length; from += SEARCHED_BYTES) {
    // Overlaps for a match at the boundary.
    const content = file.read(from, SEARCHED_BYTES + 64).toString('latin1');
    if (/\/Collection\s*(<<|\d+ \d+ R)/.test(content)) return true;
  }
  return false;
}

const SEARCHED_BYTES = 2 ** 20;

function hasAnnotations({ call }: Pdfium, page: number): boolean {
  const count = Math.min(call.FPDFPage_GetAnnotCount(page), 5000);
  for (let index = 0; index < count; index++) {
    const annotation = call.FPDFPage_GetAnnot(page, index);
    if (!annotation) continue;
    const kind = call.FPDFAnnot_GetSubtype(annotation);
    call.FPDFPage_CloseAnnot(annotation);
    if (ANNOTATIONS.has(kind)) return true;
  }
  return false;
}

/** Derives the matrix from three points mapped by PDFium, to include crops and rotations. */
function computeDisplayMatrix(
  pdfium: Pdfium,
  page: number,
  { width, height }: { width: number; height: number },
): Matrix {
  const { call } = pdfium;
  const buffer = call.malloc(32);
  const at = (x: number, y: number): [number, number] => {
    call.FPDF_PageToDevice(page, 0, 0, SCALE, SCALE, 0, x, y, buffer, buffer + 4);
    const [dx, dy] = new Int32Array(pdfium.bytes().buffer, buffer, 2);
    return [(dx! / SCALE) * width, (dy! / SCALE) * height];
  };
  const [e, f] = at(0, 0);
  const [ax, ay] = at(1000, 0);
  const [cx, cy] = at(0, 1000);
  call.free(buffer);
  return [(ax - e) / 1000, (ay - f) / 1000, (cx - e) / 1000, (cy - f) / 1000, e, f];
}
