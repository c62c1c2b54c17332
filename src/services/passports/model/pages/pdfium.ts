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
  removeCallback(pointer: number): void;
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
    pdfium: {
      HEAPU8: Uint8Array;
      wasmExports: Pdfium['call'];
      addFunction: Pdfium['callback'];
      removeFunction: Pdfium['removeCallback'];
    };
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
    removeCallback: (pointer) => pdfium.removeFunction(pointer),
  };
}

/** Restoring a larger memory takes as long as a new instance. */
const MAX_RESTORED_BYTES = 2 ** 27;

/**
 * Saves the state of the library. The result restores it: nothing of the documents opened since remains, as in a new
 * instance, which takes ten times as long. Returns false without effect if the memory has grown too much.
 */
export function saveState({ bytes }: Pdfium): () => boolean {
  const initial = bytes();
  let used = initial.length;
  while (initial[used - 1] === 0) used--;
  const saved = initial.slice(0, used);
  return () => {
    const memory = bytes();
    if (memory.length > MAX_RESTORED_BYTES) return false;
    memory.set(saved);
    memory.fill(0, used);
    return true;
  };
}

let code: WebAssembly.Module | undefined;
