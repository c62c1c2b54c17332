import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { init } from '@embedpdf/pdfium';

/** PDFium's C functions. The package's wrappers are slow for ten thousand calls per page. */
export interface Pdfium {
  readonly call: Readonly<Record<PdfiumFunction, (...args: readonly number[]) => number>>;
  /** Growing replaces the memory, so do not keep it across calls. */
  bytes(): Uint8Array;
  /** Reads a number from memory. */
  float(at: number): number;
  double(at: number): number;
  uint(at: number): number;
  /** Returns a function pointer; `signature` has one letter for the result and each argument. */
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

/** Creates an instance with its own memory; calls that need more than `maxBytes` throw. */
export async function loadPdfium({ maxBytes }: { maxBytes: number }): Promise<Pdfium> {
  limitMemory(maxBytes);
  code ??= new WebAssembly.Module(readFileSync(createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm')));
  const module = code;
  const { pdfium } = (await init({
    instantiateWasm(imports: object, done: (instance: object) => void) {
      const instance = new WebAssembly.Instance(module, imports);
      done(instance);
      return instance.exports;
    },
    // An abort throws.
    print: () => {},
    printErr: () => {},
  } as object)) as unknown as {
    pdfium: { HEAPU8: Uint8Array; wasmExports: Pdfium['call']; addFunction: Pdfium['callback'] };
  };
  const bytes = () => pdfium.HEAPU8;
  let cached = new DataView(bytes().buffer);
  const view = () => {
    if (cached.buffer !== bytes().buffer) cached = new DataView(bytes().buffer);
    return cached;
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
      throw new RangeError('The document needs too much memory.');
    return grow.call(this, pages);
  };
}
