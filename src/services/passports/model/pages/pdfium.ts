import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { init } from '@embedpdf/pdfium';

/**
 * PDFium's C functions as they lie in the module, without the package's wrappers: those check and convert every argument
 * of a call, and a page takes some ten thousand calls. A pointer is a number, 0 for none; text goes as UTF-16 in memory.
 */
export interface Pdfium {
  readonly call: Readonly<Record<PdfiumFunction, (...args: readonly number[]) => number>>;
  /** The module's memory as it is now: growing makes a new one, so it is never kept over a call. */
  bytes(): Uint8Array;
  /** One number at an address that a call was given to write to. */
  float(at: number): number;
  double(at: number): number;
  uint(at: number): number;
  /** A pointer by which the library may call `use`; `signature` has a letter for the answer and for each argument. */
  callback(use: (...args: number[]) => number, signature: string): number;
}

type PdfiumFunction =
  | 'malloc'
  | 'free'
  | 'PDFiumExt_Init'
  | 'FPDF_SetSystemFontInfo'
  | 'FPDF_GetLastError'
  | 'FPDF_LoadCustomDocument'
  | 'FPDF_GetPageCount'
  | 'FPDFDoc_GetAttachmentCount'
  | 'FPDF_GetPageSizeByIndexF'
  | 'FPDF_LoadPage'
  | 'FPDF_ClosePage'
  | 'FPDF_GetPageWidthF'
  | 'FPDF_GetPageHeightF'
  | 'FPDF_PageToDevice'
  | 'FPDFPage_GetAnnotCount'
  | 'FPDFPage_GetAnnot'
  | 'FPDFPage_CloseAnnot'
  | 'FPDFAnnot_GetSubtype'
  | 'FPDFPage_Flatten'
  | 'FPDFText_LoadPage'
  | 'FPDFText_ClosePage'
  | 'FPDFText_CountChars'
  | 'FPDFText_GetUnicode'
  | 'FPDFText_IsGenerated'
  | 'FPDFText_HasUnicodeMapError'
  | 'FPDFText_GetFontSize'
  | 'FPDFText_GetMatrix'
  | 'FPDFText_GetCharBox'
  | 'FPDFText_GetLooseCharBox'
  | 'FPDFText_GetTextObject'
  | 'FPDFTextObj_GetTextRenderMode'
  | 'FPDFPage_CountObjects'
  | 'FPDFPage_GetObject'
  | 'FPDFFormObj_CountObjects'
  | 'FPDFFormObj_GetObject'
  | 'FPDFPageObj_GetType'
  | 'FPDFPageObj_GetMatrix'
  | 'FPDFPageObj_GetBounds'
  | 'FPDFPageObj_GetFillColor'
  | 'FPDFPageObj_GetStrokeColor'
  | 'FPDFImageObj_GetImagePixelSize'
  | 'FPDFPath_GetDrawMode'
  | 'FPDFPath_CountSegments'
  | 'FPDFPath_GetPathSegment'
  | 'FPDFPathSegment_GetPoint'
  | 'FPDFPathSegment_GetType'
  | 'FPDFPathSegment_GetClose'
  | 'FPDFBitmap_CreateEx'
  | 'FPDFBitmap_FillRect'
  | 'FPDFBitmap_Destroy'
  | 'FPDF_RenderPageBitmap';

/**
 * Loads PDFium into this process, which gives it `maxBytes` of memory and no more: beyond, its calls throw. What was
 * loaded before goes when nobody holds it: each has memory of its own, and only the code is shared.
 */
export async function loadPdfium({ maxBytes }: { maxBytes: number }): Promise<Pdfium> {
  limitMemory(maxBytes);
  code ??= new WebAssembly.Module(readFileSync(createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm')));
  const shared = code;
  const { pdfium } = (await init({
    instantiateWasm(imports: object, done: (instance: object) => void) {
      const instance = new WebAssembly.Instance(shared, imports);
      done(instance);
      return instance.exports;
    },
    // What the library thinks of a broken file is no news, and where it ends by itself it says so by throwing.
    print: () => {},
    printErr: () => {},
  } as object)) as unknown as {
    pdfium: { HEAPU8: Uint8Array; wasmExports: Pdfium['call']; addFunction: Pdfium['callback'] };
  };
  const bytes = () => pdfium.HEAPU8;
  let kept = new DataView(bytes().buffer);
  const view = () => {
    if (kept.buffer !== bytes().buffer) kept = new DataView(bytes().buffer);
    return kept;
  };
  pdfium.wasmExports.PDFiumExt_Init();
  return {
    call: pdfium.wasmExports,
    bytes,
    float: (at) => view().getFloat32(at, true),
    double: (at) => view().getFloat64(at, true),
    uint: (at) => view().getUint32(at, true),
    callback: (use, signature) => pdfium.addFunction(use, signature),
  };
}

let code: WebAssembly.Module | undefined;

const WASM_PAGE_BYTES = 2 ** 16;
const { grow } = WebAssembly.Memory.prototype;

function limitMemory(maxBytes: number): void {
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * WASM_PAGE_BYTES > maxBytes)
      throw new RangeError('The document needs too much.');
    return grow.call(this, pages);
  };
}
