/** The part of the standard that we touch beyond memory; Node's types leave it to those of browsers. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    readonly exports: object;
    constructor(module: Module, imports: object);
  }
}
