/** Types for the part of libheif-js in use; the package has none for Node. */
declare module 'libheif-js/wasm-bundle.js' {
  export interface HeifImage {
    get_width(): number;
    get_height(): number;
    is_primary(): boolean;
    display<T extends HeifPixels>(target: T, done: (decoded: T | null) => void): void;
  }
  export interface HeifPixels {
    readonly data: Uint8ClampedArray;
    readonly width: number;
    readonly height: number;
  }
  const libheif: {
    HeifDecoder: new () => { decode(file: Uint8Array): HeifImage[] };
  };
  export default libheif;
}
