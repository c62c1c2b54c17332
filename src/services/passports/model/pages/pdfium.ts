import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Functions, init } from '@embedpdf/pdfium';
import { limitWasmMemory } from '../../../../ml/wasm-memory.ts';

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

type PdfiumFunction = keyof Functions | 'malloc' | 'free';

/** Creates an instance with its own memory; calls that need more than `maxBytes` throw. */
export async function loadPdfium({ maxBytes }: { maxBytes: number }): Promise<Pdfium> {
  limitWasmMemory(maxBytes);
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
