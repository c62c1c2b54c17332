/** What we use of libheif-js, which comes without types that a Node module could import. */
declare module 'libheif-js/wasm-bundle.js' {
  export interface HeifImage {
    /** Of the upright picture. */
    get_width(): number;
    get_height(): number;
    is_primary(): boolean;
    /** Decodes into `target.data` (RGBA), and calls back with null where that fails. */
    display<T extends HeifPixels>(target: T, done: (decoded: T | null) => void): void;
  }
  export interface HeifPixels {
    readonly data: Uint8ClampedArray;
    readonly width: number;
    readonly height: number;
  }
  const libheif: {
    HeifDecoder: new () => { /** Reads the boxes; decodes nothing yet. */ decode(file: Uint8Array): HeifImage[] };
  };
  export default libheif;
}

/** The part of the standard that we touch; Node's types leave it to those of browsers. */
declare namespace WebAssembly {
  class Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
}
