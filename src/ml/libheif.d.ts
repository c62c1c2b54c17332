/** Types for the part of libheif-js in use; the package has none for Node. */
declare module 'libheif-js/wasm-bundle.js' {
  export interface HeifImage {
    /** Size of the upright image. */
    get_width(): number;
    get_height(): number;
    is_primary(): boolean;
    /** Decodes into `target.data` (RGBA); calls back with null on failure. */
    display<T extends HeifPixels>(target: T, done: (decoded: T | null) => void): void;
  }
  export interface HeifPixels {
    readonly data: Uint8ClampedArray;
    readonly width: number;
    readonly height: number;
  }
  const libheif: {
    HeifDecoder: new () => { /** Reads the boxes without decoding. */ decode(file: Uint8Array): HeifImage[] };
  };
  export default libheif;
}

/** Missing from Node's types. */
declare namespace WebAssembly {
  class Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
}
