/** Missing from Node's type definitions. */
declare namespace WebAssembly {
  class Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    readonly exports: object;
    constructor(module: Module, imports: object);
  }
}
